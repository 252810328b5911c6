//! The streams of an HTTP/2 connection: which are open, which wait for the client, and how many the
//! client has reset.
//!
//! A stream is open until the last byte of its response has been written to the socket: each piece
//! of a body holds it, also while the library keeps the piece back because of flow control.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use duet_model::Error;
use duet_model::memory::{Budget, Lease};
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::Notify;

use crate::answer::reply::ReplyBody;
use crate::clients::remote::Remote;
use crate::pipeline::handle::handle;
use crate::worker::Worker;

/// The time in which resets are counted.
const RESETS_WITHIN: Duration = Duration::from_secs(60);
/// What a stream holds beside its head and its content: measured with thousands of them that wait for their
/// clients. The text of a refusal is in it.
const STREAM_BYTES: usize = 4 << 10;
/// What a request holds while it is answered, beside its head and the state of its path.
const REQUEST_BYTES: usize = 8 << 10;
/// How often a connection whose requests wait for memory looks for it.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long a client that has not authenticated may take nothing of a response, which is small.
const UNAUTHENTICATED_PATIENCE: Duration = Duration::from_secs(5);
/// What the library keeps for each stream that has been open at a time, in tables that grow to twice their size:
/// measured.
const ROOM_BYTES: usize = 2 << 10;
/// How often a connection that is to end looks whether its streams have ended.
const GLANCE: Duration = Duration::from_millis(5);

/// What a request holds while it is answered, beside its head.
pub(super) fn request_bytes() -> usize {
    REQUEST_BYTES + state_bytes(&handle)
}

/// The bytes of what a function of this form makes: the state of a request on its path.
const fn state_bytes<A, B, C, F>(_: &impl Fn(A, B, C) -> F) -> usize {
    size_of::<F>()
}

/// The streams of a connection.
#[derive(Debug)]
pub(crate) struct Streams {
    remote: Rc<Remote>,
    /// How long a client may send no request, or take nothing of a response.
    patience: Duration,
    /// So many streams a client may reset within [`RESETS_WITHIN`].
    most_resets: usize,
    opened: Cell<u64>,
    open: RefCell<BTreeMap<u64, Rc<Progress>>>,
    /// Streams that have begun to arrive, and may not be opened yet.
    arriving: Cell<usize>,
    /// Whether it is looked after those that never are.
    is_settling: Cell<bool>,
    /// The memory of those that arrive.
    reserved: RefCell<Vec<Lease>>,
    /// How many streams the library has room for, and the memory of that.
    room: RefCell<(usize, Lease)>,
    /// Since when resets are counted, and how many there were.
    resets: Cell<(Instant, usize)>,
    flood: Notify,
    leave: Notify,
}

/// How far the client has taken a response.
#[derive(Debug)]
struct Progress {
    /// Pieces that have not been written.
    pieces: Cell<usize>,
    /// When one was handed over, or bytes of one were written.
    last: Cell<Instant>,
}

impl Streams {
    pub(crate) fn new(worker: &Worker, remote: &Rc<Remote>) -> Rc<Self> {
        let limits = &worker.shared.options.limits;
        Rc::new(Self {
            remote: Rc::clone(remote),
            patience: limits.header_timeout,
            most_resets: limits.http2_resets,
            arriving: Cell::new(0),
            is_settling: Cell::new(false),
            reserved: RefCell::default(),
            room: RefCell::new((0, worker.shared.memory.open())),
            opened: Cell::new(0),
            open: RefCell::default(),
            resets: Cell::new((Instant::now(), 0)),
            flood: Notify::new(),
            leave: Notify::new(),
        })
    }

    /// Whether another stream may begin to arrive: few until a request of the connection has authenticated, then
    /// as many as there is memory for. If not, the caller is woken when it may.
    pub(crate) fn admits(self: &Rc<Self>, worker: &Worker, context: &Context<'_>) -> bool {
        let few = worker.shared.options.limits.http2_streams_unauthenticated;
        let streams = self.open.borrow().len() + self.arriving.get() + 1;
        let mut room = self.room.borrow_mut();
        if streams > room.0.max(few) && self.remote.is_authenticated.get() {
            let more = streams.next_power_of_two();
            if room.1.grow_if_free((more - few) * ROOM_BYTES) {
                room.0 = more;
            }
        }
        if streams <= room.0.max(few)
            && self.reserve(streams, worker.shared.memory_of(&self.remote))
        {
            self.arriving.set(self.arriving.get() + 1);
            return true;
        }
        self.remote.wake_when_ended(context);
        self.settle();
        false
    }

    /// Leases the memory of a stream that begins to arrive, if it is free. The only one of a connection has it in
    /// any case.
    fn reserve(&self, streams: usize, memory: &Budget) -> bool {
        let needed = STREAM_BYTES + request_bytes();
        let mut lease = memory.open();
        if streams == 1 {
            lease.claim_to(needed);
        } else if !lease.grow_if_free(needed) {
            return false;
        }
        self.reserved.borrow_mut().push(lease);
        true
    }

    /// Has the reader look again, after a while for the memory of others. Forgets first, when the library has handed
    /// over all requests that have arrived, those that it has refused itself.
    fn settle(self: &Rc<Self>) {
        if self.is_settling.replace(true) {
            return;
        }
        let streams = Rc::clone(self);
        tokio::task::spawn_local(async move {
            match streams.arriving.get() {
                0 => tokio::time::sleep(LOOK_AGAIN).await,
                _ => tokio::task::yield_now().await,
            }
            streams.is_settling.set(false);
            streams.arriving.set(0);
            streams.reserved.borrow_mut().clear();
            streams.remote.wake_reader();
        });
    }

    /// A request has arrived: its stream, and the memory of the request. Nothing where there is none.
    pub(crate) fn begin(self: &Rc<Self>, memory: &Budget) -> Option<(Rc<Stream>, Lease)> {
        self.arriving.set(self.arriving.get().saturating_sub(1));
        let reserved = self.reserved.borrow_mut().pop();
        let mut request = match reserved {
            Some(reserved) => reserved,
            None => memory.lease(STREAM_BYTES + request_bytes()).ok()?,
        };
        let lease = request.split_off(STREAM_BYTES);
        let number = self.opened.get() + 1;
        self.opened.set(number);
        let progress = Rc::new(Progress { pieces: Cell::new(0), last: Cell::new(Instant::now()) });
        let mut open = self.open.borrow_mut();
        open.insert(number, Rc::clone(&progress));
        self.remote.open_requests.set(open.len());
        self.remote.seat.begin();
        let streams = Rc::clone(self);
        let is_complete = Cell::new(false);
        let stream = Stream { streams, number, progress, is_complete, _memory: lease };
        Some((Rc::new(stream), request))
    }

    /// Says that the connection takes no more requests.
    pub(crate) fn leave(&self) {
        self.leave.notify_one();
    }

    /// Waits until [`Self::leave`] is called.
    pub(crate) async fn left(&self) {
        self.leave.notified().await;
    }

    /// Waits until the client has reset more streams than it may.
    pub(crate) async fn flooded(&self) {
        self.flood.notified().await;
    }

    /// Waits until the connection has been idle for too long (`true`), or its client has taken
    /// nothing of a response for too long (`false`).
    pub(crate) async fn out_of_patience(&self) -> bool {
        loop {
            let (now, (since, is_idle)) = (Instant::now(), self.waiting_since());
            let patience = match self.remote.is_authenticated.get() || is_idle {
                true => self.patience,
                false => self.patience.min(UNAUTHENTICATED_PATIENCE),
            };
            let end = since.unwrap_or(now) + patience;
            if since.is_some() && end <= now {
                return is_idle;
            }
            tokio::time::sleep_until(end.into()).await;
        }
    }

    /// Since when the client is waited for, and whether for a request.
    fn waiting_since(&self) -> (Option<Instant>, bool) {
        let open = self.open.borrow();
        if open.is_empty() {
            // A response that was reset behind its last piece leaves nothing to write.
            self.remote.seat.written();
            return (self.remote.seat.idle_since(), true);
        }
        let blocked = open.values().filter(|progress| progress.pieces.get() > 0);
        (blocked.map(|progress| progress.last.get()).min(), false)
    }

    /// Waits until no stream has been open for a while.
    pub(crate) async fn rest(&self, a_while: Duration) {
        let mut since = Instant::now();
        while since.elapsed() < a_while {
            tokio::time::sleep(GLANCE).await;
            if !self.open.borrow().is_empty() {
                since = Instant::now();
            }
        }
    }

    fn ended(&self, number: u64, is_complete: bool) {
        let mut open = self.open.borrow_mut();
        open.remove(&number);
        self.remote.open_requests.set(open.len());
        self.remote.wake_reader();
        if open.is_empty() {
            self.remote.seat.answered();
            if !is_complete {
                // Nothing more is written that would say so.
                self.remote.seat.written();
            }
        }
        if !is_complete {
            self.count_reset();
        }
    }

    fn count_reset(&self) {
        let (since, count) = self.resets.get();
        let counted = match since.elapsed() < RESETS_WITHIN {
            true => (since, count + 1),
            false => (Instant::now(), 1),
        };
        self.resets.set(counted);
        if counted.1 > self.most_resets {
            self.flood.notify_one();
        }
    }
}

/// A request and its response; dropped when the response has been written, or the client has reset
/// the stream.
#[derive(Debug)]
pub(crate) struct Stream {
    streams: Rc<Streams>,
    number: u64,
    progress: Rc<Progress>,
    /// Whether all of the response has been handed over, and none of it was left unwritten.
    is_complete: Cell<bool>,
    _memory: Lease,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.streams.ended(self.number, self.is_complete.get());
    }
}

/// The body of a response.
#[derive(Debug)]
pub(crate) struct StreamBody {
    body: ReplyBody,
    stream: Rc<Stream>,
}

impl StreamBody {
    pub(crate) fn new(body: ReplyBody, stream: Rc<Stream>) -> Self {
        stream.is_complete.set(body.is_end_stream());
        Self { body, stream }
    }

    fn piece(&self, bytes: Bytes) -> Piece {
        let progress = &self.stream.progress;
        progress.pieces.set(progress.pieces.get() + 1);
        progress.last.set(Instant::now());
        Piece { bytes, stream: Rc::clone(&self.stream) }
    }
}

impl Body for StreamBody {
    type Data = Piece;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, Error>>> {
        let this = self.get_mut();
        let polled = ready!(Pin::new(&mut this.body).poll_frame(context));
        // A failure of ours is no reset of the client's.
        if this.body.is_end_stream() || !matches!(polled, Some(Ok(_))) {
            this.stream.is_complete.set(true);
        }
        Poll::Ready(polled.map(|frame| Ok(frame?.map_data(|bytes| this.piece(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes of a body, until they are written.
#[derive(Debug)]
pub(crate) struct Piece {
    bytes: Bytes,
    stream: Rc<Stream>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.stream.progress.last.set(Instant::now());
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let pieces = &self.stream.progress.pieces;
        pieces.set(pieces.get() - 1);
        if self.bytes.has_remaining() {
            self.stream.is_complete.set(false);
        }
    }
}
