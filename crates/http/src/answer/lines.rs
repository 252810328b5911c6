//! The body of a stream: rows or events as they come, no faster than the client takes them.
//!
//! It waits until hyper has written the previous frame: hyper aggregates flushes, and would
//! otherwise buffer any number of frames.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use duet_document::TextBuffer;
use duet_model::Error;
use duet_model::memory::Budget;
use duet_service::{DocumentStream, Tenant};
use hyper::body::{Body, Frame};

use crate::clients::leased::LeasedBytes;
use crate::clients::remote::Remote;
use crate::logs::events::WorkerEvents;
use crate::observe::event::{Event, Exchange, RequestId, RequestTarget};
use crate::observe::stage::Stages;

/// So many bytes may wait to be written to the client's socket.
const HELD_BACK: usize = 256 << 10;

/// What a stream is made of.
pub(crate) trait LineSource {
    /// Waits for the next bytes, and returns itself with them.
    fn next(self: Box<Self>) -> NextLines;
}

/// The next bytes of a stream, `None` at its end, and what gives those behind them.
pub(crate) type NextLines =
    Pin<Box<dyn Future<Output = (Box<dyn LineSource>, Result<Option<TextBuffer>, Error>)>>>;

impl LineSource for DocumentStream {
    fn next(mut self: Box<Self>) -> NextLines {
        Box::pin(async move {
            let next = DocumentStream::next(&mut self).await;
            (self as Box<dyn LineSource>, next)
        })
    }
}

/// The body of a stream. Dropped when the client disconnects, it stops the database.
pub(crate) struct Lines {
    first: Option<TextBuffer>,
    /// What comes after it; `None` at the end.
    next: Option<NextLines>,
    account: Option<Account>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("ended", &self.next.is_none()).finish_non_exhaustive()
    }
}

impl Lines {
    /// The body of a response to HEAD.
    pub(crate) fn empty() -> Self {
        Self { first: None, next: None, account: None }
    }

    /// The body of a stream of which the first rows have arrived.
    pub(crate) fn new(first: Option<TextBuffer>, source: Box<dyn LineSource>) -> Self {
        Self { first, next: Some(source.next()), account: None }
    }

    /// What keeps count.
    pub(crate) fn account(&mut self, account: Account) {
        self.account = Some(account);
    }

    /// Whether the client has read enough of the sent bytes.
    fn may_go_on(&self, context: &Context<'_>) -> bool {
        let unwritten = self.account.as_ref().map(|account| &account.remote.unwritten);
        unwritten.is_none_or(|unwritten| unwritten.is_within(HELD_BACK, context))
    }

    fn counted(&mut self, text: TextBuffer) -> Frame<Bytes> {
        match &mut self.account {
            Some(account) => Frame::data(account.sent(text)),
            None => Frame::data(Bytes::from(text.text)),
        }
    }
}

impl Body for Lines {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = self.get_mut();
        if !this.may_go_on(context) {
            return Poll::Pending;
        }
        if let Some(first) = this.first.take() {
            return Poll::Ready(Some(Ok(this.counted(first))));
        }
        let Some(next) = &mut this.next else { return Poll::Ready(None) };
        let (source, result) = ready!(next.as_mut().poll(context));
        this.next = None;
        Poll::Ready(match result {
            Ok(Some(bytes)) => {
                this.next = Some(source.next());
                Some(Ok(this.counted(bytes)))
            }
            Ok(None) => None,
            Err(error) => {
                if let Some(account) = &this.account {
                    account.broken(&error);
                }
                Some(Err(error))
            }
        })
    }
}

/// Counts the bytes of a stream as they leave, and says when it has ended.
pub(crate) struct Account {
    events: Rc<WorkerEvents>,
    memory: Budget,
    remote: Rc<Remote>,
    begun: Instant,
    id: RequestId,
    application: String,
    tenant: Option<Arc<Tenant>>,
    client: String,
    client_name: String,
    method: String,
    target: String,
    status: u16,
    stages: Stages,
    bytes: usize,
}

impl Account {
    /// The account of a stream that has just begun with this response.
    pub(crate) fn new(
        events: &Rc<WorkerEvents>,
        memory: &Budget,
        remote: &Rc<Remote>,
        begun: Instant,
        exchange: &Exchange<'_>,
    ) -> Self {
        Self {
            events: Rc::clone(events),
            memory: memory.clone(),
            remote: Rc::clone(remote),
            begun,
            id: exchange.id,
            application: exchange.application.to_owned(),
            tenant: exchange.tenant.cloned(),
            client: exchange.client.to_owned(),
            client_name: exchange.client_name.to_owned(),
            method: exchange.method.to_owned(),
            target: exchange.target.shown().into_owned(),
            status: exchange.status,
            stages: exchange.stages,
            bytes: 0,
        }
    }

    fn sent(&mut self, TextBuffer { text, lease }: TextBuffer) -> Bytes {
        self.bytes += text.len();
        self.remote.unwritten.add(text.len());
        self.events.emit(&Event::StreamSent(text.len()));
        let lease = lease.unwrap_or_else(|| self.memory.claim(text.len()));
        LeasedBytes::bytes(text, lease)
    }

    fn broken(&self, error: &Error) {
        self.events.emit(&Event::StreamBroken(self.exchange(Some(error))));
    }

    fn exchange<'a>(&'a self, error: Option<&'a Error>) -> Exchange<'a> {
        Exchange {
            id: self.id,
            peer: &self.remote.text,
            method: &self.method,
            target: RequestTarget::text(&self.target),
            application: &self.application,
            tenant: self.tenant.as_ref(),
            resource: None,
            client: &self.client,
            client_name: &self.client_name,
            status: self.status,
            error,
            bytes: self.bytes,
            duration: self.begun.elapsed(),
            stages: self.stages,
            slowest: None,
            write: None,
            feature: "",
            is_load: false,
            is_stream: true,
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.events.emit(&Event::StreamEnded(self.exchange(None)));
    }
}
