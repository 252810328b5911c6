//! A connection in the replication mode: commands in the simple protocol, then the server's messages in
//! the protocol of streaming replication (PostgreSQL's manual, "Streaming Replication Protocol").
//!
//! Waiting is cancel-safe: [`Replication::fill`] loses no bytes when it is dropped.

use std::fmt;
use std::io;
use std::time::SystemTime;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::streams::duplex::Duplex;

/// The longest message that is read. A row has at most 1 GiB; one as long as this is not worth its memory.
const LONGEST: usize = 64 << 20;
/// The bytes that are read at once at least.
const CHUNK: usize = 64 << 10;
/// Consumed bytes that are kept at most while more are read.
const SLACK: usize = 256 << 10;
/// Seconds from 1970 to 2000, where the server's clock begins.
const EPOCH: u64 = 946_684_800;

/// A row of a command's result, as texts.
pub type TextRow = Vec<Option<String>>;

/// A connection that receives changes.
pub struct Replication {
    stream: Box<dyn Duplex>,
    input: Vec<u8>,
    /// Consumed bytes of `input`.
    at: usize,
}

impl fmt::Debug for Replication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replication").field("buffered", &self.input.len()).finish_non_exhaustive()
    }
}

/// What the server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'f> {
    /// A message of the output plugin.
    Data(&'f [u8]),
    /// A sign of life.
    Alive {
        /// All changes before this position of the log have been sent.
        end: u64,
        /// Whether the server waits for an answer.
        reply: bool,
    },
}

/// Why a replication connection cannot be used any more.
#[derive(Debug)]
pub enum ReplicationError {
    /// The server's error.
    Server {
        /// Its SQLSTATE.
        state: String,
        /// Its text, for the log.
        message: String,
    },
    /// The connection broke or was closed.
    Broken(io::Error),
    /// The server sent something else than the protocol says.
    Protocol(&'static str),
}

impl fmt::Display for ReplicationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { state, message } => write!(f, "{state}: {message}"),
            Self::Broken(error) => write!(f, "the connection broke: {error}"),
            Self::Protocol(what) => write!(f, "unexpected message: {what}"),
        }
    }
}

impl std::error::Error for ReplicationError {}

impl From<io::Error> for ReplicationError {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl Replication {
    pub(crate) fn new(stream: Box<dyn Duplex>) -> Self {
        Self { stream, input: Vec::new(), at: 0 }
    }

    /// Runs a command, and returns its rows.
    ///
    /// # Errors
    /// The server's, after which the next command may be sent.
    pub async fn query(&mut self, command: &str) -> Result<Vec<TextRow>, ReplicationError> {
        self.send_command(command).await?;
        let (mut rows, mut refused) = (Vec::new(), None);
        loop {
            while let Some((kind, body)) = self.message()? {
                match kind {
                    b'D' => rows.push(text_row(body).ok_or(ReplicationError::Protocol("row"))?),
                    b'E' => refused = Some(server_error(body)),
                    b'Z' => return refused.map_or(Ok(rows), Err),
                    b'W' => return Err(ReplicationError::Protocol("a stream began")),
                    _ => {}
                }
            }
            self.fill().await?;
        }
    }

    /// Begins to stream by the command `START_REPLICATION`. From then on only frames arrive.
    ///
    /// # Errors
    /// The server's.
    pub async fn start(&mut self, command: &str) -> Result<(), ReplicationError> {
        self.send_command(command).await?;
        loop {
            while let Some((kind, body)) = self.message()? {
                match kind {
                    b'W' => return Ok(()),
                    b'E' => return Err(server_error(body)),
                    b'Z' => return Err(ReplicationError::Protocol("no stream began")),
                    _ => {}
                }
            }
            self.fill().await?;
        }
    }

    /// The next frame that has arrived; `None` where [`Replication::fill`] must be called first.
    ///
    /// # Errors
    /// Where the server ends the stream.
    pub fn frame(&mut self) -> Result<Option<Frame<'_>>, ReplicationError> {
        while let Some((from, to, kind)) = self.next_message()? {
            match kind {
                b'd' => return frame_of(&self.input[from..to]).map(Some),
                b'E' => return Err(server_error(&self.input[from..to])),
                b'c' => return Err(ReplicationError::Protocol("the stream has ended")),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Waits for more bytes.
    ///
    /// # Errors
    /// Where the connection is broken or closed.
    pub async fn fill(&mut self) -> Result<(), ReplicationError> {
        if self.at == self.input.len() {
            self.input.clear();
            self.at = 0;
            self.input.shrink_to(SLACK);
        } else if self.at > SLACK {
            self.input.drain(..self.at);
            self.at = 0;
        }
        self.input.reserve(CHUNK);
        match self.stream.read_buf(&mut self.input).await? {
            0 => Err(ReplicationError::Broken(io::ErrorKind::UnexpectedEof.into())),
            _ => Ok(()),
        }
    }

    /// Reports that everything before this position is processed, so that the server may forget it;
    /// `reply`: the server is to say at once how far it is.
    ///
    /// # Errors
    /// Where the connection is broken.
    pub async fn report(&mut self, position: u64, reply: bool) -> Result<(), ReplicationError> {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let micros = u64::try_from(now.as_micros()).unwrap_or_default();
        let clock = micros.saturating_sub(EPOCH * 1_000_000).to_be_bytes();
        let position = position.to_be_bytes();
        let body =
            [&b"r"[..], &position, &position, &position, &clock, &[u8::from(reply)]].concat();
        self.send(b'd', &body).await
    }

    async fn send_command(&mut self, command: &str) -> Result<(), ReplicationError> {
        self.send(b'Q', &[command.as_bytes(), &[0]].concat()).await
    }

    async fn send(&mut self, kind: u8, body: &[u8]) -> Result<(), ReplicationError> {
        let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX).to_be_bytes();
        self.stream.write_all(&[&[kind][..], &length, body].concat()).await?;
        Ok(self.stream.flush().await?)
    }

    fn message(&mut self) -> Result<Option<(u8, &[u8])>, ReplicationError> {
        let next = self.next_message()?;
        Ok(next.map(|(from, to, kind)| (kind, &self.input[from..to])))
    }

    /// Consumes a message: where its body is in `input`, and its kind.
    fn next_message(&mut self) -> Result<Option<(usize, usize, u8)>, ReplicationError> {
        let Some([kind, length @ ..]) = self.input[self.at..].first_chunk::<5>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length) as usize;
        if !(4..=LONGEST).contains(&length) {
            return Err(ReplicationError::Protocol("a message with a wrong or too large length"));
        }
        let (from, to, kind) = (self.at + 5, self.at + 1 + length, *kind);
        if self.input.len() < to {
            return Ok(None);
        }
        self.at = to;
        Ok(Some((from, to, kind)))
    }
}

/// The content of a `CopyData` message.
fn frame_of(body: &[u8]) -> Result<Frame<'_>, ReplicationError> {
    // A position where the data starts, the end of the log, the server's clock.
    const BEFORE_DATA: usize = 24;
    let wrong = ReplicationError::Protocol("a frame of another kind");
    match body.split_first() {
        Some((b'w', rest)) if rest.len() >= BEFORE_DATA => Ok(Frame::Data(&rest[BEFORE_DATA..])),
        Some((b'k', rest)) => match (rest.first_chunk(), rest.get(16)) {
            (Some(end), Some(reply)) => {
                Ok(Frame::Alive { end: u64::from_be_bytes(*end), reply: *reply != 0 })
            }
            _ => Err(wrong),
        },
        _ => Err(wrong),
    }
}

/// The texts of a row: a count of two bytes, then for each column a length of four and the text.
fn text_row(body: &[u8]) -> Option<TextRow> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let mut row = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        rest = behind;
        let length = i32::from_be_bytes(*length);
        let Ok(length) = usize::try_from(length) else {
            row.push(None);
            continue;
        };
        row.push(Some(String::from_utf8_lossy(rest.get(..length)?).into_owned()));
        rest = &rest[length..];
    }
    Some(row)
}

/// The SQLSTATE and the text of an `ErrorResponse`: fields of a letter and a text that ends with 0.
fn server_error(body: &[u8]) -> ReplicationError {
    let field = |letter: u8| {
        let found = body.split(|byte| *byte == 0).find(|field| field.first() == Some(&letter));
        found.map_or(String::new(), |field| String::from_utf8_lossy(&field[1..]).into_owned())
    };
    ReplicationError::Server { state: field(b'C'), message: field(b'M') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    fn alive(end: u64, reply: u8) -> Vec<u8> {
        message(b'd', &[&b"k"[..], &end.to_be_bytes(), &[0; 8], &[reply]].concat())
    }

    fn data(text: &[u8]) -> Vec<u8> {
        message(b'd', &[&b"w"[..], &[0; 24], text].concat())
    }

    /// All frames of these bytes, however they are cut.
    async fn frames(bytes: &[u8], by: usize) -> (Vec<String>, String) {
        let (mut there, here) = tokio::io::duplex(by);
        let bytes = bytes.to_vec();
        tokio::spawn(async move { there.write_all(&bytes).await });
        let mut replication = Replication::new(Box::new(here));
        let mut all = Vec::new();
        loop {
            loop {
                match replication.frame() {
                    Ok(Some(frame)) => all.push(format!("{frame:?}")),
                    Ok(None) => break,
                    Err(error) => return (all, error.to_string()),
                }
            }
            if let Err(error) = replication.fill().await {
                return (all, error.to_string());
            }
        }
    }

    #[tokio::test]
    async fn frames_are_read_however_they_are_cut() {
        let bytes = [alive(7, 1), message(b'N', b"notice"), data(b"one"), data(b"")].concat();
        let expected = ["Alive { end: 7, reply: true }", "Data([111, 110, 101])", "Data([])"];
        for by in [1, 3, 1000] {
            let (all, end) = frames(&bytes, by).await;
            assert_eq!(all, expected, "{by}");
            assert!(end.contains("end of file"), "{end}");
        }
    }

    #[tokio::test]
    async fn the_end_and_nonsense_are_errors() {
        for (bytes, expected) in [
            (message(b'E', b"SERROR\0C57P01\0Mterminating\0\0"), "57P01: terminating"),
            (message(b'c', b""), "unexpected message: the stream has ended"),
            (message(b'd', b"x"), "unexpected message: a frame of another kind"),
            (message(b'd', b"w123"), "unexpected message: a frame of another kind"),
            (message(b'd', b""), "unexpected message: a frame of another kind"),
            (
                b"d\0\0\0\x03".to_vec(),
                "unexpected message: a message with a wrong or too large length",
            ),
        ] {
            assert_eq!(frames(&bytes, 1000).await, (Vec::new(), expected.to_owned()));
        }
    }

    #[test]
    fn rows_are_texts() {
        let row = [&[0, 2][..], &[0, 0, 0, 1], b"a", &[255, 255, 255, 255]].concat();
        assert_eq!(text_row(&row), Some(vec![Some("a".to_owned()), None]));
        for cut in 0..row.len() {
            assert_eq!(text_row(&row[..cut]), None, "{cut}");
        }
    }
}
