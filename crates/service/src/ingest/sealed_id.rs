//! The ids of rows as clients get them: each is bound to its resource by the key of its journal.
//!
//! The key is in the head of the journal, so every process and host takes the id.

use std::str::FromStr;

use duet_auth::{STAMP_KEY, is_stamp, stamp};
use duet_model::{Code, Error, Result};

/// The key of the ids of a journal.
pub(crate) type Key = [u8; STAMP_KEY];

/// Rows of one request: their journal, and the sequence ids of the first and the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceId {
    /// The id of the journal.
    pub journal: String,
    /// The sequence id of the first row.
    pub first: u64,
    /// That of the last row.
    pub last: u64,
}

impl SequenceId {
    /// The id as the client of a resource gets it.
    pub(crate) fn sealed(self, key: &Key, resource: &str) -> SealedId {
        let stamp = stamp(key, &[resource, &self.to_string()]);
        SealedId { id: self, stamp }
    }
}

impl std::fmt::Display for SequenceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { journal, first, last } = self;
        match first == last {
            true => write!(f, "{journal}-{first}"),
            false => write!(f, "{journal}-{first}-{last}"),
        }
    }
}

impl FromStr for SequenceId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.splitn(3, '-');
        let journal = parts.next().filter(|id| id.parse::<duet_journal::Id>().is_ok());
        let first = parts.next().and_then(|part| part.parse::<u64>().ok());
        let last = parts.next().map_or(Ok(first), |part| part.parse().map(Some));
        match (journal, first, last) {
            (Some(journal), Some(first), Ok(Some(last))) if first > 0 && first <= last => {
                Ok(Self { journal: journal.to_owned(), first, last })
            }
            _ => Err(unknown()),
        }
    }
}

/// Rows, and what shows that a server of this database has given their id to the client of a resource:
/// `JOURNAL-FIRST.STAMP` or `JOURNAL-FIRST-LAST.STAMP`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedId {
    /// The rows.
    pub id: SequenceId,
    stamp: String,
}

impl SealedId {
    /// Whether it was given for a resource.
    pub(crate) fn is_of(&self, key: &Key, resource: &str) -> bool {
        is_stamp(key, &[resource, &self.id.to_string()], &self.stamp)
    }
}

impl std::fmt::Display for SealedId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.id, self.stamp)
    }
}

impl FromStr for SealedId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (id, stamp) = text.rsplit_once('.').ok_or_else(unknown)?;
        let parsed: SequenceId = id.parse()?;
        // One way to write each: `05` and `+5` are not what was given.
        match parsed.to_string() == id {
            true => Ok(Self { id: parsed, stamp: stamp.to_owned() }),
            false => Err(unknown()),
        }
    }
}

/// The one answer to every id that was not given for the resource, so that it says nothing of other rows.
pub(crate) fn unknown() -> Error {
    Error::new(Code::NoSuchSequence, "No rows with these sequence ids were acknowledged here.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOURNAL: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn ids_are_read_as_they_are_written() {
        for (first, last) in [(1, 1), (1, 9), (u64::MAX, u64::MAX)] {
            let id = SequenceId { journal: JOURNAL.to_owned(), first, last };
            assert_eq!(id.to_string().parse(), Ok(id.clone()));
            let sealed = id.sealed(&[7; STAMP_KEY], "/api/ev");
            assert_eq!(sealed.to_string().parse(), Ok(sealed));
        }
        let (stamp, journal) = ("0".repeat(32), JOURNAL);
        for wrong in ["", "x-1", "1", journal, &format!("{journal}-0"), &format!("{journal}-2-1")] {
            assert_eq!(wrong.parse::<SequenceId>().unwrap_err().code, Code::NoSuchSequence);
            let wrong = format!("{wrong}.{stamp}");
            assert_eq!(wrong.parse::<SealedId>().unwrap_err().code, Code::NoSuchSequence);
        }
        for wrong in [
            format!("{journal}-1"),
            format!("{journal}-01.{stamp}"),
            format!("{journal}-+1.{stamp}"),
        ] {
            assert!(wrong.parse::<SealedId>().is_err(), "{wrong}");
        }
    }

    /// Whatever is changed, it is no id of the resource any more.
    #[test]
    fn a_changed_id_was_not_given() {
        let key = [7; STAMP_KEY];
        let id = SequenceId { journal: JOURNAL.to_owned(), first: 1, last: 5 };
        let sealed = id.sealed(&key, "/api/ev").to_string();
        let given: SealedId = sealed.parse().unwrap();
        assert!(given.is_of(&key, "/api/ev"));
        assert!(!given.is_of(&key, "/api/ref") && !given.is_of(&[8; STAMP_KEY], "/api/ev"));
        for at in 0..sealed.len() {
            for other in *b"0123456789abcdef-." {
                let mut bytes = sealed.clone().into_bytes();
                if bytes[at] == other {
                    continue;
                }
                bytes[at] = other;
                let wrong = String::from_utf8(bytes).unwrap();
                assert!(!wrong.parse::<SealedId>().is_ok_and(|it| it.is_of(&key, "/api/ev")));
            }
        }
    }
}
