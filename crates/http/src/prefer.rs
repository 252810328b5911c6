//! `Prefer` and `Preference-Applied` (RFC 7240): a client's preferences for a write.

use duet_model::{Code, Error};
use hyper::HeaderMap;
use hyper::header::HeaderName;

use crate::header::{elements, is_token, list, pair, parts};
use crate::reply::Reply;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// How the transaction of a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tx {
    Commit,
    Rollback,
}

/// What the answer to a write has for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Return {
    Minimal,
    Representation,
}

/// The preferences that are followed; `None` where the client gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preferences {
    tx: Option<Tx>,
    returns: Option<Return>,
    respond_async: bool,
}

impl Preferences {
    /// Reads the header. Preferences of other names, and values of `return` that are not known, are
    /// ignored; of repeated preferences the first counts.
    ///
    /// # Errors
    /// [`Code::BadRequest`] if `tx` is anything but `commit` or `rollback`: a write meant to be
    /// undone must not be committed.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Error> {
        let mut preferences = Self::default();
        let Some(value) = list(headers, &PREFER) else { return Ok(preferences) };
        let text = String::from_utf8_lossy(&value);
        let (mut knows_tx, mut knows_return) = (false, false);
        for element in elements(&text) {
            let mut parts = parts(element);
            let first = parts.next().unwrap_or("");
            if parts.any(|parameter| is_named(parameter, "tx")) {
                return Err(wrong_tx(
                    "`tx` follows a semicolon, as a parameter of another preference",
                ));
            }
            if is_named(first, "tx") && !knows_tx {
                let value = pair(first).map(|(_, value)| value).unwrap_or_default();
                preferences.tx = Some(tx(&value)?);
                knows_tx = true;
            } else if is_named(first, "respond-async") {
                preferences.respond_async = true;
            } else if is_named(first, "return") && !knows_return {
                let value = pair(first).map(|(_, value)| value).unwrap_or_default();
                preferences.returns = returns(&value);
                knows_return = true;
            }
        }
        Ok(preferences)
    }

    /// Whether everything is done and then undone.
    pub(crate) fn rollback(self) -> bool {
        self.tx == Some(Tx::Rollback)
    }

    /// Whether the client takes an answer before the change is made (RFC 7240 §4.1).
    pub(crate) fn respond_async(self) -> bool {
        self.respond_async
    }

    /// Says in the reply to a change that is only accepted which preferences were followed.
    pub(crate) fn accepted(self, reply: Reply) -> Reply {
        let returns = if self.minimal() { ", return=minimal" } else { "" };
        reply.with_text(PREFERENCE_APPLIED, &format!("respond-async{returns}"))
    }

    /// Whether no body is wanted.
    pub(crate) fn minimal(self) -> bool {
        self.returns == Some(Return::Minimal)
    }

    /// Whether the documents are wanted where they are sent on request alone.
    pub(crate) fn representation(self) -> bool {
        self.returns == Some(Return::Representation)
    }

    /// Says in a reply which preferences were followed; `representation` is whether it shows what was
    /// written, and `None` where its body is something else, which is always sent.
    pub(crate) fn applied(self, reply: Reply, representation: Option<bool>) -> Reply {
        let tx = self.tx.map(|tx| match tx {
            Tx::Commit => "tx=commit",
            Tx::Rollback => "tx=rollback",
        });
        let returns = match (self.returns, representation) {
            (Some(Return::Minimal), Some(false)) => Some("return=minimal"),
            (Some(Return::Representation), Some(true)) => Some("return=representation"),
            _ => None,
        };
        let applied: Vec<&str> = tx.into_iter().chain(returns).collect();
        if applied.is_empty() {
            return reply;
        }
        reply.with_text(PREFERENCE_APPLIED, &applied.join(", "))
    }
}

/// Whether a preference or parameter has this name, whatever comes behind it.
fn is_named(part: &str, name: &str) -> bool {
    let end = part.find(|char: char| !is_token(char.encode_utf8(&mut [0; 4])));
    part[..end.unwrap_or(part.len())].eq_ignore_ascii_case(name)
}

fn tx(value: &str) -> Result<Tx, Error> {
    match value {
        _ if value.eq_ignore_ascii_case("commit") => Ok(Tx::Commit),
        _ if value.eq_ignore_ascii_case("rollback") => Ok(Tx::Rollback),
        _ => Err(wrong_tx("`tx` is neither `commit` nor `rollback`")),
    }
}

fn wrong_tx(what: &str) -> Error {
    let message = format!("In the header Prefer, {what}. Nothing was changed.");
    Error::new(Code::BadRequest, message).hint(
        "Send `Prefer: tx=rollback`, `Prefer: tx=commit`, or no `tx`; commas separate preferences.",
    )
}

fn returns(value: &str) -> Option<Return> {
    match value {
        _ if value.eq_ignore_ascii_case("minimal") => Some(Return::Minimal),
        _ if value.eq_ignore_ascii_case("representation") => Some(Return::Representation),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn of(lines: &[&str]) -> Result<Preferences, Error> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(PREFER, HeaderValue::from_str(line).unwrap());
        }
        Preferences::of(&headers)
    }

    #[test]
    fn every_spelling_of_a_rollback() {
        for lines in [
            &["tx=rollback"][..],
            &["tx=\"rollback\""],
            &["tx = rollback"],
            &["TX=Rollback"],
            &["Tx\t=\t\"ROLLBACK\""],
            &["tx=rollback;because=\"I try, first\""],
            &["respond-async, tx=rollback"],
            &["wait=\"1, tx=commit\", tx=rollback"],
            &["foo", "bar; x=1", "tx=rollback"],
            &["tx=rollback, tx=commit"],
            &["tx=rollback, tx=what"],
            &[",,tx=rollback"],
            &["return=minimal,tx=rollback"],
        ] {
            assert!(of(lines).unwrap().rollback(), "{lines:?}");
        }
    }

    #[test]
    fn other_preferences_do_not_roll_back() {
        for lines in
            [&[][..], &["tx=commit"], &["x=\"tx=rollback\""], &["tx2=rollback"], &["a, b;c=d"]]
        {
            assert!(!of(lines).unwrap().rollback(), "{lines:?}");
        }
        for lines in [
            &["tx"][..],
            &["tx="],
            &["tx=undo"],
            &["tx=roll back"],
            &["tx:rollback"],
            &["tx=\"rollback"],
            &["return=minimal; tx=rollback"],
            &["return=minimal; TX"],
        ] {
            let error = of(lines).unwrap_err();
            assert_eq!(error.code, Code::BadRequest, "{lines:?}");
            assert!(error.hint.is_some_and(|hint| hint.contains("tx=commit")), "{lines:?}");
        }
    }

    #[test]
    fn returns_are_read_the_same_way() {
        for (text, minimal) in [
            ("return=minimal", true),
            ("Return=\"Minimal\"; foo=bar", true),
            ("return=representation, return=minimal", false),
            ("return=headers-only, return=minimal", false),
            ("return", false),
        ] {
            assert_eq!(of(&[text]).unwrap().minimal(), minimal, "{text}");
        }
    }

    #[test]
    fn replies_say_what_was_followed() {
        let applied = |line: &str, representation| {
            let reply = of(&[line]).unwrap().applied(Reply::json(Vec::new()), representation);
            reply.headers.first().map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        let all = "tx=rollback, return=minimal";
        assert_eq!(applied(all, Some(false)).as_deref(), Some(all));
        assert_eq!(applied(all, None).as_deref(), Some("tx=rollback"));
        assert_eq!(applied("return=representation", Some(false)), None);
        let shown = applied("tx=commit, return=representation", Some(true));
        assert_eq!(shown.as_deref(), Some("tx=commit, return=representation"));
        assert_eq!(applied("respond-async", Some(true)), None);
    }
}
