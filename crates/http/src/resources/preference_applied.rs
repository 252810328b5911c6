//! `Preference-Applied` (RFC 7240 §3): which of the client's preferences a reply follows.

use duet_model::commit_class::CommitClass;
use hyper::header::{HeaderName, VARY};

use crate::answer::reply::Reply;
use crate::message::prefer::{Preferences, Return, Tx};

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

impl Preferences {
    /// Says in the reply to a change that is only accepted which preferences were followed.
    pub(crate) fn accepted(self, reply: Reply) -> Reply {
        let respond_async = self.respond_async.then_some("respond-async".to_owned());
        let commit = self.commit.map(|class| format!("commit={}", class.name()));
        let returns = self.minimal().then_some("return=minimal".to_owned());
        let applied: Vec<String> = respond_async.into_iter().chain(commit).chain(returns).collect();
        match applied.is_empty() {
            true => reply,
            false => reply.with_text(PREFERENCE_APPLIED, &applied.join(", ")),
        }
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
        // Nothing is committed in a dry run; what the journal has not taken is committed as ever.
        let commit = self.commit.filter(|class| !class.is_journaled() && !self.rollback());
        let commit = commit.map(|class| match class {
            CommitClass::Async => "commit=async",
            CommitClass::Sync => "commit=sync",
            _ => "commit=group",
        });
        let applied: Vec<&str> = tx.into_iter().chain(commit).chain(returns).collect();
        if applied.is_empty() {
            return reply;
        }
        reply.with_text(PREFERENCE_APPLIED, &applied.join(", "))
    }
}

/// Says in the reply to a read that the journal was searched too.
pub(crate) fn has_read_journal(reply: Reply) -> Reply {
    reply.with_text(PREFERENCE_APPLIED, "read=journal").with_text(VARY, "Prefer")
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;
    use hyper::header::HeaderValue;

    use super::*;

    fn of(line: &str) -> Preferences {
        let mut headers = HeaderMap::new();
        headers.insert("prefer", HeaderValue::from_str(line).unwrap());
        Preferences::of(&headers).unwrap()
    }

    #[test]
    fn replies_say_what_was_followed() {
        let applied = |line: &str, representation| {
            let reply = of(line).applied(Reply::json(Vec::new()), representation);
            reply.headers.first().map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        let all = "tx=rollback, return=minimal";
        assert_eq!(applied(all, Some(false)).as_deref(), Some(all));
        assert_eq!(applied(all, None).as_deref(), Some("tx=rollback"));
        assert_eq!(applied("return=representation", Some(false)), None);
        let shown = applied("tx=commit, return=representation", Some(true));
        assert_eq!(shown.as_deref(), Some("tx=commit, return=representation"));
        assert_eq!(applied("respond-async", Some(true)), None);
        assert_eq!(
            applied("commit=Async, return=minimal", Some(false)).as_deref(),
            Some("commit=async, return=minimal")
        );
        assert_eq!(applied("commit=ingest", None), None);
        assert_eq!(applied("commit=sync, tx=rollback", None).as_deref(), Some("tx=rollback"));
    }
}
