//! Texts that are designed: their mistakes, and the files that browsers keep of them.

use duet_console::design::{Mistake, utf16};
use duet_service::definition::DesignMistake;
use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, HeaderName, HeaderValue};

use crate::answer::reply::Reply;

/// What the page's script accepts: the part that follows the text alone.
pub(super) const PART: &str = "text/fragment";

/// A text as a file that the browser stores.
pub(in crate::console) fn downloaded(name: &str, text: &str) -> Reply {
    let plain = |it: char| if it.is_ascii_alphanumeric() || "._".contains(it) { it } else { '_' };
    let name: String = name.chars().map(plain).collect();
    Reply::new(StatusCode::OK, Some("text/plain; charset=utf-8"), text.as_bytes().to_vec())
        .with_text(CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""))
        .with(
            HeaderName::from_static("x-content-type-options"),
            HeaderValue::from_static("nosniff"),
        )
        .with(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-store"))
}

/// A mistake with its place as browsers count.
pub(super) fn mistake(text: &str, it: DesignMistake) -> Mistake {
    Mistake {
        code: it.code.as_str().to_owned(),
        range: (utf16(text, it.bytes.start), utf16(text, it.bytes.end)),
        place: (it.line, it.column),
        text: it.rendered,
    }
}
