//! `GET {mount}/_/constant/{bytes}`: an answer of the given size that needs no store. It passes
//! route, token, metrics and access log like any other, so that what these cost can be measured.
//! There only with `--trial-endpoints`.

use duet_model::{Code, Error, Result};

use crate::answer::reply::Reply;

/// The largest constant answer.
const LARGEST: usize = 1 << 20;

/// The answer.
pub(crate) fn constant(bytes: &str) -> Result<Reply> {
    let length: usize =
        bytes.parse().ok().filter(|length| (2..=LARGEST).contains(length)).ok_or_else(|| {
            Error::new(Code::BadKey, format!("A constant answer has from 2 to {LARGEST} bytes."))
        })?;
    let mut body = vec![b'x'; length];
    body[0] = b'"';
    body[length - 1] = b'"';
    Ok(Reply::json(body))
}
