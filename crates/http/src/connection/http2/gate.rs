//! Which frames of a client reach the HTTP/2 library, and when.
//!
//! The library makes room for each stream that begins, keeps it for further ones, and collects the header of a
//! request however many frames it has. So a frame that begins a stream is held back until there is room for
//! another one ([`Streams::admits`]), and the client's further bytes wait in its socket; and a header in several
//! frames is counted in the memory of requests while it arrives.

use std::io::{Error, Result};
use std::rc::Rc;
use std::task::Context;

use duet_model::memory::Lease;

use super::streams::Streams;
use crate::clients::remote::Remote;
use crate::worker::Worker;

/// Bytes before each frame's payload: length, kind, flags and stream (RFC 9113 §4.1).
pub(super) const FRAME_HEADER: usize = 9;
/// Bytes of a client before its first frame (RFC 9113 §3.4).
const PREFACE: usize = 24;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;
/// What a byte of a compressed header may become: a field of its own.
const EXPANSION: usize = 128;
/// What a header takes beside the bytes that it may have: places in a table of fields.
const FIELDS: usize = 4;

/// The frames of a connection.
pub(super) struct Gate {
    remote: Rc<Remote>,
    worker: Rc<Worker>,
    streams: Rc<Streams>,
    /// Bytes of the current frame that have not come yet.
    left: usize,
    /// The stream that began last.
    last: u32,
    /// Bytes of a header in several frames, and their memory.
    head: (usize, Lease),
    is_closed: bool,
}

impl Gate {
    pub(super) fn new(worker: &Rc<Worker>, remote: &Rc<Remote>, streams: &Rc<Streams>) -> Self {
        Self {
            head: (0, worker.shared.memory_of(remote).open()),
            remote: Rc::clone(remote),
            worker: Rc::clone(worker),
            streams: Rc::clone(streams),
            left: PREFACE,
            last: 0,
            is_closed: false,
        }
    }

    /// How many of these bytes, which follow those that have passed, may pass. The header of a frame passes as a
    /// whole. Where a frame is held back, the caller is woken when it may pass.
    ///
    /// # Errors
    /// Where there is no memory for a header.
    pub(super) fn pass(&mut self, bytes: &[u8], context: &Context<'_>) -> Result<usize> {
        let mut at = 0;
        self.is_closed = false;
        loop {
            let more = self.left.min(bytes.len() - at);
            self.left -= more;
            at += more;
            let Some(header) = bytes.get(at..at + FRAME_HEADER) else { return Ok(at) };
            if !self.admits(header, context)? {
                self.is_closed = true;
                return Ok(at);
            }
        }
    }

    /// Whether the next frame is held back.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Takes the header of a frame, unless it is held back.
    fn admits(&mut self, header: &[u8], context: &Context<'_>) -> Result<bool> {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all << 8 | u32::from(*byte));
        let (length, kind, flags) = (number(&header[..3]) as usize, header[3], header[4]);
        let stream = number(&header[5..]) & 0x7fff_ffff;
        if kind == HEADERS && stream > self.last {
            if !self.streams.admits(&self.worker, context) {
                return Ok(false);
            }
            self.last = stream;
        }
        self.count_head(kind, flags, length)?;
        self.left = FRAME_HEADER + length;
        Ok(true)
    }

    /// Counts the header of a request while it arrives, if it has several frames.
    fn count_head(&mut self, kind: u8, flags: u8, length: usize) -> Result<()> {
        let bytes = match kind {
            HEADERS if flags & END_HEADERS == 0 => length,
            CONTINUATION => self.head.0 + length,
            _ if self.head.0 == 0 => return Ok(()),
            _ => 0,
        };
        if self.head.0 == 0 {
            self.head.1 = self.worker.shared.memory_of(&self.remote).open();
        }
        let most = self.worker.shared.options.limits.header_bytes.saturating_mul(FIELDS);
        let needed = bytes.saturating_mul(EXPANSION).min(most);
        self.head.0 = bytes;
        self.head.1.shrink_to(needed);
        let leased = self.head.1.grow_to(needed);
        leased.map_err(|_| Error::other("there is no memory for the header of a request"))
    }
}
