//! A response that has no end: its content as it comes.

use super::connection::HttpConnection;
use super::response::{Content, LONGEST, too_long};
use crate::record::Failed;
use duet_verdict::outcome::Outcome;

/// A response whose content is read piece by piece.
#[derive(Debug)]
pub struct BodyStream {
    connection: HttpConnection,
    /// The status.
    pub status: u16,
    is_chunked: bool,
    /// What was read and not given yet.
    raw: Vec<u8>,
    /// Bytes of the content that are still to come, where that is known.
    left: usize,
}

impl BodyStream {
    /// Sends a request on a connection of its own. Each read may take as long as the connection's timeout says.
    ///
    /// # Errors
    /// Where the connection breaks, or the answer is not HTTP/1.1.
    pub async fn begin(mut connection: HttpConnection, request: &[u8]) -> Result<Self, Failed> {
        let (head, raw) = connection.begin(request).await?;
        let (is_chunked, left) = match head.content {
            Content::Chunked => (true, 0),
            Content::Length(length) => (false, length),
            Content::UntilClose => (false, usize::MAX),
        };
        Ok(Self { connection, status: head.status, is_chunked, raw, left })
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// Where the connection breaks before the end, or nothing comes in time.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Failed> {
        if !self.is_chunked {
            return self.next_plain().await;
        }
        loop {
            if let Some((start, size)) = chunk(&self.raw).map_err(Failed::check)? {
                if size == 0 {
                    return Ok(None);
                }
                if size > LONGEST {
                    return Err(too_long(""));
                }
                if self.raw.len() >= start + size + 2 {
                    let piece = self.raw[start..start + size].to_vec();
                    self.raw.drain(..start + size + 2);
                    return Ok(Some(piece));
                }
            }
            if !self.connection.more(&mut self.raw).await? {
                return Err(Failed::new(Outcome::Connection, "the server closed the connection"));
            }
        }
    }

    async fn next_plain(&mut self) -> Result<Option<Vec<u8>>, Failed> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.raw.is_empty() && !self.connection.more(&mut self.raw).await? {
            return match self.left {
                usize::MAX => Ok(None),
                _ => Err(Failed::new(Outcome::Connection, "the server closed the connection")),
            };
        }
        let piece = std::mem::take(&mut self.raw);
        if self.left != usize::MAX {
            self.left = self.left.saturating_sub(piece.len());
        }
        Ok(Some(piece))
    }
}

/// Where the next chunk begins, and its size (RFC 9112 §7.1); `None` until its first line has arrived.
fn chunk(raw: &[u8]) -> Result<Option<(usize, usize)>, String> {
    let Some(end) = raw.windows(2).position(|pair| pair == b"\r\n") else {
        return if raw.len() > 1024 { Err(no_chunk()) } else { Ok(None) };
    };
    let line = std::str::from_utf8(&raw[..end]).map_err(|_| no_chunk())?;
    let size = line.split(';').next().unwrap_or_default().trim();
    let size = usize::from_str_radix(size, 16).map_err(|_| no_chunk())?;
    Ok(Some((end + 2, size)))
}

fn no_chunk() -> String {
    "the answer has no chunk where one begins".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_found_when_their_line_has_come() {
        assert_eq!(chunk(b"1a").unwrap(), None);
        assert_eq!(chunk(b"1A;x=y\r\n..").unwrap(), Some((8, 26)));
        assert_eq!(chunk(b"0\r\n\r\n").unwrap(), Some((3, 0)));
        for wrong in [&b"\r\n"[..], b"-1\r\n", b"x\r\n", &[b'1'; 2000]] {
            assert!(chunk(wrong).is_err());
        }
    }
}
