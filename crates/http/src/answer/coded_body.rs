//! A body that is compressed while it is sent: streams, and large items in pieces.
//!
//! Each piece is flushed, so that a client sees rows as soon as they are there. Pieces above
//! [`INLINE`] are compressed beside the event loop, one after the other.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use duet_model::Error;
use hyper::body::{Body, Frame};
use tokio::task::JoinHandle;

use crate::message::coding::{Coding, Encoder, INLINE};

/// How a body is compressed while it is sent.
pub(crate) struct StreamCoding {
    pub(crate) coding: Coding,
    /// Called with bytes before and after.
    pub(crate) count: Rc<dyn Fn(usize, usize)>,
}

impl std::fmt::Debug for StreamCoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.coding.fmt(f)
    }
}

/// The body in its coding.
pub(crate) struct CodedBody<B> {
    inner: B,
    state: State,
    count: Rc<dyn Fn(usize, usize)>,
}

enum State {
    /// Waiting for the next piece.
    Open(Encoder),
    /// A piece is being compressed.
    Busy(JoinHandle<(Encoder, Vec<u8>)>),
    Ended,
}

impl<B: std::fmt::Debug> std::fmt::Debug for CodedBody<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodedBody").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<B> CodedBody<B> {
    pub(crate) fn new(inner: B, StreamCoding { coding, count }: StreamCoding) -> Self {
        Self { inner, state: State::Open(Encoder::new(coding)), count }
    }

    /// What a piece of this length has become.
    fn counted(&self, before: usize, text: Vec<u8>) -> Option<Frame<Bytes>> {
        (self.count)(before, text.len());
        (!text.is_empty()).then(|| Frame::data(Bytes::from(text)))
    }

    /// Takes the next piece of the body, or its end.
    fn take(&mut self, piece: Option<Bytes>, mut encoder: Encoder) -> Option<Frame<Bytes>> {
        let Some(piece) = piece else {
            self.state = State::Ended;
            return self.counted(0, encoder.finish());
        };
        if piece.len() > INLINE {
            let before = piece.len();
            (self.count)(before, 0);
            self.state = State::Busy(tokio::task::spawn_blocking(move || {
                let text = encoder.pass(&piece);
                (encoder, text)
            }));
            return None;
        }
        let text = encoder.pass(&piece);
        self.state = State::Open(encoder);
        self.counted(piece.len(), text)
    }
}

impl<B: Body<Data = Bytes, Error = Error> + Unpin> Body for CodedBody<B> {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = self.get_mut();
        loop {
            match &mut this.state {
                State::Ended => return Poll::Ready(None),
                State::Busy(running) => {
                    let (encoder, text) = match ready!(Pin::new(running).poll(context)) {
                        Ok(done) => done,
                        Err(error) => {
                            this.state = State::Ended;
                            return Poll::Ready(Some(Err(Error::internal(error))));
                        }
                    };
                    this.state = State::Open(encoder);
                    if let Some(frame) = this.counted(0, text) {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                }
                State::Open(encoder) if encoder.has_failed() => {
                    this.state = State::Ended;
                    return Poll::Ready(Some(Err(Error::internal(
                        "the text cannot be compressed",
                    ))));
                }
                State::Open(_) => {
                    let piece = match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                        Some(Ok(frame)) => frame.into_data().ok(),
                        Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                        None => None,
                    };
                    let State::Open(encoder) = std::mem::replace(&mut this.state, State::Ended)
                    else {
                        continue;
                    };
                    if let Some(frame) = this.take(piece, encoder) {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.state, State::Ended)
    }
}
