//! The `Origin` of a head that hyper refuses to read: without CORS headers, a browser hides the refusal from its page.
//!
//! Bytes are looked at as they arrive, each once, and only where origins are allowed at all.

use hyper::header::HeaderValue;

/// How much of a line is kept. Browsers' origins are short.
const LINE: usize = 512;
const NAME: &[u8] = b"origin:";

/// What is known of the head that arrives.
#[derive(Debug, Default)]
pub(super) struct OriginScan {
    /// The number of the requests before it.
    before: u64,
    /// The begin of the line that has not ended.
    line: Vec<u8>,
    found: Option<HeaderValue>,
    is_over: bool,
}

impl OriginScan {
    /// Reads more of the head behind so many requests.
    pub(super) fn read(&mut self, bytes: &[u8], requests: u64) {
        if self.before != requests {
            *self = Self { before: requests, ..Self::default() };
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_over {
                return;
            }
            let room = LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.end_line(part.len() <= room);
            }
        }
    }

    /// The value of the header, if its line has ended.
    pub(super) fn origin(&self) -> Option<&HeaderValue> {
        self.found.as_ref()
    }

    fn end_line(&mut self, is_whole: bool) {
        let line = self.line.trim_ascii();
        // What follows is the body.
        self.is_over = line.is_empty();
        let is_it = line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        if is_it && is_whole {
            self.found = HeaderValue::from_bytes(line[NAME.len()..].trim_ascii()).ok();
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_found_wherever_the_head_is_cut() {
        let head = format!(
            "GET / HTTP/1.1\r\nHost: a\r\nX-Much: {}\r\nORIGIN:  https://a.example \r\n\r\norigin: b\r\n",
            "x".repeat(2 * LINE)
        );
        for cut in 0..head.len() {
            let mut scan = OriginScan::default();
            scan.read(&head.as_bytes()[..cut], 0);
            scan.read(&head.as_bytes()[cut..], 0);
            let found = scan.origin().and_then(|value| value.to_str().ok());
            assert_eq!(found, Some("https://a.example"), "{cut}");
            scan.read(b"GET / HTTP/1.1\r\n", 1);
            assert_eq!(scan.origin(), None, "that of the request before");
        }
    }

    #[test]
    fn a_line_that_is_too_long_or_cut_off_is_none() {
        let mut scan = OriginScan::default();
        scan.read(format!("Origin: {}\r\nOrigin: b", "x".repeat(LINE)).as_bytes(), 0);
        assert_eq!(scan.origin(), None);
    }
}
