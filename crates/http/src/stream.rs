//! Collections line by line: NDJSON and CSV, as long as the database has rows and no faster than
//! the client takes them.
//!
//! What fails before the first row is an answer like any other. What fails later breaks the
//! connection off, so that nobody takes the part for the whole, and goes to the log.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use duet_model::{Code, Error};
use duet_service::{DocumentStream, Format, PageQuery, Resource};
use hyper::body::{Body, Frame};
use hyper::header::ACCEPT;
use hyper::{Method, StatusCode};

use crate::accept::{self, Form};
use crate::access_log::Entry;
use crate::handle::{Scope, Timed};
use crate::header::list;
use crate::held::Held;
use crate::refusal::Refusal;
use crate::remote::Remote;
use crate::reply::Reply;
use crate::worker::Worker;

/// So many bytes may wait to be written to the client's socket.
const HELD_BACK: usize = 256 << 10;

impl Scope<'_> {
    /// The form in which the client wants a collection, and its media type.
    pub(crate) fn form(&self) -> Result<(Form, &'static str), Refusal> {
        accept::form(list(self.request.headers(), &ACCEPT).as_deref()).ok_or_else(|| {
            let message =
                "This is served as application/json, application/x-ndjson and text/csv only.";
            Error::new(Code::NotAcceptable, message).into()
        })
    }

    /// Answers with a stream; its first rows have arrived.
    pub(crate) async fn lines(
        &self,
        resource: &Resource,
        query: &PageQuery<'_>,
        (format, media): (Format, &'static str),
        timed: &mut Timed<'_>,
    ) -> Result<Reply, Refusal> {
        let content_type = match format {
            Format::Ndjson => media,
            Format::Csv => "text/csv; charset=utf-8; header=present",
        };
        let reader = self.reader;
        let lines = if *self.request.method() == Method::HEAD {
            reader.check_stream(resource, query)?;
            Lines::empty()
        } else {
            let mut stream = reader.stream(resource, query, format).await?;
            let first = stream.next().await?;
            timed.fetched(Instant::now());
            Lines { first: first.map(Bytes::from), next: Some(next_of(stream)), account: None }
        };
        let mut reply = Reply::new(StatusCode::OK, Some(content_type), Vec::new());
        reply.varies = true;
        reply.lines = Some(lines);
        Ok(reply)
    }
}

type Next = Pin<Box<dyn Future<Output = (DocumentStream, Result<Option<Vec<u8>>, Error>)>>>;

fn next_of(mut stream: DocumentStream) -> Next {
    Box::pin(async move {
        let next = stream.next().await;
        (stream, next)
    })
}

/// The body of a stream. Dropped when the client has gone, it stops the database.
pub(crate) struct Lines {
    first: Option<Bytes>,
    /// What comes after it; `None` at the end.
    next: Option<Next>,
    account: Option<Account>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("ended", &self.next.is_none()).finish_non_exhaustive()
    }
}

impl Lines {
    /// The body of an answer to HEAD.
    fn empty() -> Self {
        Self { first: None, next: None, account: None }
    }

    /// Who keeps count.
    pub(crate) fn account(&mut self, account: Account) {
        self.account = Some(account);
    }

    /// Whether the client has taken enough of what it was given.
    fn may_go_on(&self, context: &Context<'_>) -> bool {
        let unwritten = self.account.as_ref().map(|account| &account.remote.unwritten);
        unwritten.is_none_or(|unwritten| unwritten.is_within(HELD_BACK, context))
    }

    fn counted(&mut self, bytes: Bytes) -> Frame<Bytes> {
        if let Some(account) = &mut self.account {
            account.sent(bytes.len());
            let lease = account.worker.shared.memory.claim(bytes.len());
            return Frame::data(Held::bytes(bytes, lease));
        }
        Frame::data(bytes)
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
        let (stream, result) = ready!(next.as_mut().poll(context));
        this.next = None;
        Poll::Ready(match result {
            Ok(Some(bytes)) => {
                this.next = Some(next_of(stream));
                Some(Ok(this.counted(Bytes::from(bytes))))
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

/// What is noted of a stream: its bytes as they leave, and a line in the access log at its end.
pub(crate) struct Account {
    pub(crate) worker: Rc<Worker>,
    pub(crate) remote: Rc<Remote>,
    pub(crate) number: u64,
    pub(crate) application: Option<usize>,
    pub(crate) client: String,
    pub(crate) name: String,
    pub(crate) method: Method,
    pub(crate) target: Option<String>,
    pub(crate) begun: Instant,
    pub(crate) bytes: usize,
}

impl Account {
    fn sent(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.remote.unwritten.add(bytes);
        self.worker.metrics.bytes_sent.add(bytes as u64);
    }

    fn broken(&self, error: &Error) {
        let id = self.worker.request_id(self.number);
        let (code, bytes) = (error.code.as_str(), self.bytes);
        let cause = error.cause.as_deref().unwrap_or(&error.message);
        self.worker.metrics.streams_broken.add(1);
        tracing::error!(request = %id, code, cause, bytes, "a stream was broken off");
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let Some(target) = &self.target else { return };
        self.worker.log.record(&Entry {
            id: &self.worker.request_id(self.number),
            peer: &self.remote.text,
            application: self.worker.application_name(self.application),
            client: &self.client,
            name: &self.name,
            method: self.method.as_str(),
            target,
            status: StatusCode::OK.as_u16(),
            bytes: self.bytes,
            duration: self.begun.elapsed(),
        });
    }
}
