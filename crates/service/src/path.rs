//! Paths of requests.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What follows a mount in a path, without the slash between; `None` where the path does not lie
/// below the mount.
#[inline]
pub fn below<'p>(mount: &str, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(mount)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// A mount's path for people: `/` for the root.
pub fn shown_path(path: &str) -> &str {
    if path.is_empty() { "/" } else { path }
}

/// Everything but the unreserved characters of RFC 3986 §2.3.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as a segment of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}
