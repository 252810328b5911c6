//! Pages for people: without scripts, styles and anything from elsewhere.

use hyper::header::{HeaderName, HeaderValue};

/// Their media type.
pub(crate) const MEDIA: &str = "text/html; charset=utf-8";

const POLICY: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The beginning of a page with a title.
pub(crate) fn begin(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{}</title>\n",
        escaped(title)
    )
}

/// The headers that let a browser do nothing but show a page.
pub(crate) fn guards() -> [(HeaderName, HeaderValue); 2] {
    [
        (HeaderName::from_static("content-security-policy"), HeaderValue::from_static(POLICY)),
        (HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff")),
    ]
}

/// Text in HTML, also between quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            char => out.push(char),
        }
    }
    out
}
