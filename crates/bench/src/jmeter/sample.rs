//! A response as a plan's elements see it.

use std::borrow::Cow;
use std::time::Duration;

/// A response as assertions and extractors see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// 0 where there was none.
    pub(super) status: u16,
    /// The head with `\n` at the ends of its lines.
    pub(super) headers: String,
    pub(super) body: String,
    pub(super) elapsed: Duration,
}

impl Answer {
    /// The value of a header; its name is in lower-case letters.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (of, value) = line.split_once(':')?;
            of.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The status as JMeter's code.
    pub(super) fn code(&self) -> Cow<'static, str> {
        match self.status {
            0 => Cow::Borrowed("Non HTTP response code: java.net.SocketException"),
            status => Cow::Owned(status.to_string()),
        }
    }
}
