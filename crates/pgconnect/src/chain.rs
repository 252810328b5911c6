//! An error with all its causes, in one line for a log.

use std::error::Error as StdError;
use std::fmt::Write as _;

use tokio_postgres::error::{DbError, ErrorPosition};

/// An error and all its causes in one line, including the server's whole report; for the log alone.
pub fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let own = match error.downcast_ref::<DbError>() {
            Some(error) => server(error),
            None => error.to_string(),
        };
        // An error that only wraps another one repeats it.
        if !text.ends_with(&own) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&own);
        }
        next = error.source();
    }
    text
}

fn server(error: &DbError) -> String {
    let mut text = format!("{} {}: {}", error.severity(), error.code().code(), error.message());
    let mut add = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = write!(text, "; {name}: {value}");
        }
    };
    add("detail", error.detail());
    add("hint", error.hint());
    add("where", error.where_());
    if let Some(ErrorPosition::Internal { query, .. }) = error.position() {
        add("query", Some(query));
    }
    add("schema", error.schema());
    add("table", error.table());
    add("column", error.column());
    add("type", error.datatype());
    add("constraint", error.constraint());
    add("routine", error.routine());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_repeats_nothing() {
        let inner = std::io::Error::other("inner");
        let outer = std::io::Error::other(inner);
        assert_eq!(chain(&outer), "inner");
    }
}
