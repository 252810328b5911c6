//! `Prefer` (RFC 7240): a client's preferences.

use duet_model::commit_class::{CommitClass, CommitPolicy};
use duet_model::{Code, Error};
use duet_service::journal::Durability;
use duet_text::problem::quoted;
use hyper::HeaderMap;
use hyper::header::HeaderName;

use super::header::{elements, is_token, list, pair, parts};

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// How the transaction of a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tx {
    Commit,
    Rollback,
}

/// What the answer to a write has for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Return {
    Minimal,
    Representation,
}

/// A preference of writes.
struct Preference {
    name: &'static str,
    /// How it is written, as the manual lists it; the last is that of OpenAPI documents.
    forms: &'static [&'static str],
    /// What it does, in OpenAPI documents; empty where they leave it out.
    text: &'static str,
    /// Takes its value, which is empty where there is none.
    set: fn(&mut Preferences, &str) -> Result<(), Error>,
}

/// Every preference that writes follow: the parser, OpenAPI documents and a test of the manual read it.
const PREFERENCES: [Preference; 4] = [
    Preference {
        name: "tx",
        forms: &["tx=commit", "tx=rollback"],
        text: "everything is done, answered and undone.",
        set: |preferences, value| {
            preferences.tx = Some(tx(value)?);
            Ok(())
        },
    },
    Preference {
        name: "return",
        forms: &["return=representation", "return=minimal"],
        text: "no document in the answer.",
        set: |preferences, value| {
            preferences.returns = returns(value);
            Ok(())
        },
    },
    Preference {
        name: "commit",
        forms: &["commit=CLASS"],
        text: "when the write is answered: `sync`, `group` (the default) or `ingest`; operations with \
               `x-duet-commit` have other classes.",
        set: |preferences, value| {
            preferences.commit = Some(commit(value)?);
            Ok(())
        },
    },
    Preference {
        name: "respond-async",
        forms: &["respond-async"],
        text: "",
        set: |preferences, _| {
            preferences.respond_async = true;
            Ok(())
        },
    },
];

/// The preferences that are followed; `None` where the client gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preferences {
    pub(crate) tx: Option<Tx>,
    pub(crate) returns: Option<Return>,
    pub(crate) respond_async: bool,
    pub(crate) commit: Option<CommitClass>,
    /// The strongest class of the resources, which counts where the request asks for none.
    own: Option<CommitClass>,
}

impl Preferences {
    /// Reads the header. Preferences of other names, and values of `return` that are not known, are
    /// ignored; of repeated preferences the first counts.
    ///
    /// # Errors
    /// [`Code::BadRequest`] if `tx` is anything but `commit` or `rollback`: a write meant to be
    /// undone must not be committed; and if `commit` names no commit class.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Error> {
        let mut preferences = Self::default();
        let Some(value) = list(headers, &PREFER) else { return Ok(preferences) };
        let text = String::from_utf8_lossy(&value);
        let mut known = [false; PREFERENCES.len()];
        for element in elements(&text) {
            let mut parts = parts(element);
            let first = parts.next().unwrap_or("");
            if parts.any(|parameter| is_named(parameter, "tx")) {
                return Err(wrong_tx(
                    "`tx` follows a semicolon, as a parameter of another preference",
                ));
            }
            let at = PREFERENCES.iter().position(|it| is_named(first, it.name));
            let Some(at) = at.filter(|at| !known[*at]) else { continue };
            known[at] = true;
            let value = pair(first).map(|(_, value)| value).unwrap_or_default();
            (PREFERENCES[at].set)(&mut preferences, &value)?;
        }
        Ok(preferences)
    }

    /// Whether everything is done and then undone.
    pub(crate) fn rollback(self) -> bool {
        self.tx == Some(Tx::Rollback)
    }

    /// The same for a write of a resource with these commit classes.
    ///
    /// # Errors
    /// [`Code::CommitClass`] where the request asks for a class that the resource does not allow.
    pub(crate) fn under(self, policy: &CommitPolicy, name: &str) -> Result<Self, Error> {
        let own = self.own.max(Some(policy.class));
        match self.commit {
            Some(class) if !policy.allows(class) => Err(not_allowed(class, policy, name)),
            Some(_) => Ok(Self { own, ..self }),
            // An answer before the change is a wish; what the resource does not allow is not followed.
            None => {
                let respond_async = self.respond_async && policy.allows(CommitClass::Ingest);
                Ok(Self { own, respond_async, ..self })
            }
        }
    }

    /// The commit class of the write.
    pub(crate) fn commit(self) -> CommitClass {
        self.commit.or(self.own).unwrap_or_default()
    }

    /// When the journal acknowledges new documents; `None` where it is not asked for them. A client may take
    /// an answer before the change is made (RFC 7240 §4.1).
    pub(crate) fn journal(self) -> Option<Durability> {
        match self.commit() {
            CommitClass::Memory => Some(Durability::Written),
            CommitClass::Ingest => Some(Durability::Synced),
            _ if self.commit.is_none() && self.respond_async => Some(Durability::Synced),
            _ => None,
        }
    }

    /// Whether no body is wanted.
    pub(crate) fn minimal(self) -> bool {
        self.returns == Some(Return::Minimal)
    }

    /// Whether the documents are wanted where they are sent on request alone.
    pub(crate) fn representation(self) -> bool {
        self.returns == Some(Return::Representation)
    }
}

/// Whether a read asks for rows of the journal that are not in the database yet (`read=journal`). Others of
/// its preferences are ignored.
pub(crate) fn reads_journal(headers: &HeaderMap) -> bool {
    let Some(value) = list(headers, &PREFER) else { return false };
    let text = String::from_utf8_lossy(&value);
    let firsts = elements(&text).filter_map(|element| parts(element).next());
    let mut values = firsts.filter_map(pair).filter(|(name, _)| name.eq_ignore_ascii_case("read"));
    values.next().is_some_and(|(_, value)| value.eq_ignore_ascii_case("journal"))
}

/// The texts of preferences in OpenAPI documents.
pub(crate) fn described() -> String {
    let texts = PREFERENCES.iter().filter(|it| !it.text.is_empty());
    let texts: Vec<String> =
        texts.map(|it| format!("`{}`: {}", it.forms.last().unwrap_or(&it.name), it.text)).collect();
    texts.join(" ")
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

fn commit(value: &str) -> Result<CommitClass, Error> {
    CommitClass::named(value).ok_or_else(|| {
        let names = CommitClass::ALL.map(CommitClass::name).join("`, `");
        let message = "In the header Prefer, `commit` names no commit class. Nothing was changed.";
        Error::new(Code::BadRequest, message).hint(format!("The classes are `{names}`."))
    })
}

/// The error for a class that a resource does not allow.
fn not_allowed(class: CommitClass, policy: &CommitPolicy, name: &str) -> Error {
    let class = class.name();
    let message =
        format!("{} does not allow the commit class `{class}`. Nothing was changed.", quoted(name));
    let choices: Vec<String> =
        policy.choices().map(|class| format!("`commit={}`", class.name())).collect();
    Error::new(Code::CommitClass, message).hint(format!(
        "It takes {}. The operator allows others by `commit_allowed` of the resource in app.toml.",
        choices.join(", ")
    ))
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
    fn the_manual_lists_each() {
        let page = include_str!("../../../../docs/writing.md");
        let table = page.split("### Preferences").nth(1).unwrap().split("\n## ").next().unwrap();
        let forms: Vec<&str> = PREFERENCES.iter().flat_map(|it| it.forms).copied().collect();
        for form in &forms {
            assert!(table.contains(&format!("`{form}`")), "{form}");
        }
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
        let listed = rows.flat_map(|row| row.split(" | ").next().unwrap().split(", "));
        for form in listed.map(|it| it.trim_matches('`')) {
            assert!(forms.contains(&form), "{form}");
        }
    }

    #[test]
    fn classes_of_requests_and_of_resources() {
        let policy = |class, allowed: Option<&[CommitClass]>| CommitPolicy {
            class,
            allowed: allowed.map(<[_]>::to_vec),
        };
        let under = |line: &str, policy: &CommitPolicy| {
            let preferences = of(&[line]).unwrap().under(policy, "t")?;
            Ok::<_, Error>((preferences.commit(), preferences.journal()))
        };
        let usual = CommitPolicy::default();
        let synced = Some(Durability::Synced);
        assert_eq!(under("return=minimal", &usual).unwrap(), (CommitClass::Group, None));
        assert_eq!(under("respond-async", &usual).unwrap(), (CommitClass::Group, synced));
        assert_eq!(under("commit=ingest", &usual).unwrap(), (CommitClass::Ingest, synced));
        assert_eq!(under("commit=async", &usual).unwrap_err().code, Code::CommitClass);
        let strict = policy(CommitClass::Sync, None);
        assert_eq!(under("respond-async", &strict).unwrap(), (CommitClass::Sync, None));
        let journaled = policy(CommitClass::Ingest, Some(&[CommitClass::Memory]));
        assert_eq!(under("", &journaled).unwrap(), (CommitClass::Ingest, synced));
        assert_eq!(under("commit=group", &journaled).unwrap(), (CommitClass::Group, None));
        let written = Some(Durability::Written);
        assert_eq!(under("commit=memory", &journaled).unwrap(), (CommitClass::Memory, written));
        // Of several resources the strongest counts.
        let several = of(&["tx=commit"]).unwrap().under(&journaled, "a").unwrap();
        assert_eq!(several.under(&strict, "b").unwrap().commit(), CommitClass::Sync);
    }
}
