//! Which server the reads of a request go to, and how new that has to be.
//!
//! The first read of a request chooses, and the others follow it: no answer is made of servers of different age.

use std::cell::Cell;

use crate::position::Position;

/// A server of a database that answers reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadServer {
    /// The one that takes the writes.
    Primary,
    /// A standby by its mark, a number that all processes with the same settings know it by.
    Standby(u32),
}

/// What a request's reads need, and what they met.
#[derive(Debug, Default)]
pub struct Reading {
    may_lag: Cell<bool>,
    after: Cell<Option<Position>>,
    node: Cell<Option<ReadServer>>,
    written: Cell<Option<Position>>,
}

impl Reading {
    /// The request only reads, so that a standby may answer it.
    pub fn may_lag(&self) {
        self.may_lag.set(true);
    }

    /// The request reads nothing older than this.
    pub fn needs(&self, position: Position) {
        self.after.set(Some(position));
    }

    /// The request goes on where another one has ended, so it reads from the same server, or from the primary.
    pub fn continues_at(&self, node: ReadServer) {
        self.node.set(Some(node));
    }

    /// The request reads from the primary from now on.
    pub fn only_primary(&self) {
        self.node.set(Some(ReadServer::Primary));
    }

    /// Whether a standby may answer.
    pub fn is_allowed_to_lag(&self) -> bool {
        self.may_lag.get()
    }

    /// What the request has brought.
    pub fn after(&self) -> Option<Position> {
        self.after.get()
    }

    /// The server that was chosen; `None` before that, and where there is only one.
    pub fn node(&self) -> Option<ReadServer> {
        self.node.get()
    }

    /// This server answers.
    pub fn chose(&self, node: ReadServer) {
        self.node.set(Some(node));
    }

    /// The request has written, and reads from this position on see that.
    pub fn wrote(&self, position: Position) {
        self.written.set(self.written.get().max(Some(position)));
    }

    /// The position of what it has written.
    pub fn written(&self) -> Option<Position> {
        self.written.get()
    }
}

impl ReadServer {
    /// Its text in the links of pages.
    pub fn text(self) -> String {
        match self {
            Self::Primary => "primary".to_owned(),
            Self::Standby(mark) => format!("{mark:08x}"),
        }
    }

    /// Reads a text of [`ReadServer::text`]; `None` for every other one.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "primary" {
            return Some(Self::Primary);
        }
        let is_mark = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_text = text.len() == 8 && text.bytes().all(is_mark);
        is_text.then(|| u32::from_str_radix(text, 16).ok().map(Self::Standby)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_servers_are_read() {
        for node in [ReadServer::Primary, ReadServer::Standby(0), ReadServer::Standby(0xAB01_CDEF)]
        {
            assert_eq!(ReadServer::parse(&node.text()), Some(node));
        }
        for bad in ["", "Primary", "AB01CDEF", "ab01cdef0", "+b01cdef", "ab01cde\u{e9}"] {
            assert_eq!(ReadServer::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_last_write_counts() {
        let reading = Reading::default();
        let at = |byte| Position { timeline: 1, byte };
        reading.wrote(at(5));
        reading.wrote(at(3));
        assert_eq!(reading.written(), Some(at(5)));
    }
}
