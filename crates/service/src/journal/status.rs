//! What became of rows: waiting, applied or rejected; and waiting for it.

use std::str::FromStr;
use std::time::{Duration, Instant};

use duet_document::Codec;
use duet_journal::Follower;
use duet_model::{Code, Error, Result, Value};
use duet_sql::{DeadLetter, Letters, read_dead_letters};

use super::statements::{self, Rows, mark, number, own};
use super::{Ingest, Opened};
use crate::read::RequestContext;

/// Dead letters that a status shows.
const SHOWN: usize = 100;
/// How often the mark of another process is read by who waits for rows.
const LOOK: Duration = Duration::from_millis(200);

/// Names rows of one request: `JOURNAL-FIRST` or `JOURNAL-FIRST-LAST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceId {
    /// The id of the journal.
    pub journal: String,
    /// The sequence id of the first row.
    pub first: u64,
    /// That of the last row.
    pub last: u64,
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

fn unknown() -> Error {
    Error::new(Code::NoSuchSequence, "No rows with these sequence ids were acknowledged here.")
}

/// Where rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// In the journal; at least the last of them.
    Waiting,
    /// In the database, but for those that were rejected.
    Applied,
}

/// What became of rows.
#[derive(Clone, Debug)]
pub struct RowsStatus {
    /// Where they are.
    pub stage: Stage,
    /// The last sequence id that is applied.
    pub applied: u64,
    /// Those that the database has refused; not more than a hundred.
    pub rejected: Vec<DeadLetter>,
}

/// The codecs of a dead letter.
pub(super) fn letter_codecs() -> Vec<Codec> {
    use Codec::{Binary, Integer, Text};
    vec![Text, Integer, Text, Text, Integer, Integer, Text, Text, Text, Binary]
}

/// Dead letters from their rows.
pub(super) fn letters_of(rows: Rows) -> Vec<DeadLetter> {
    let text = |value: &Value| value.to_string();
    let letter = |row: Vec<Value>| {
        let [journal, sequence, resource, caller, accepted, rejected, code, reason, content, entry] =
            <[Value; 10]>::try_from(row).ok()?;
        Some(DeadLetter {
            journal: text(&journal),
            sequence: number(&sequence),
            resource: text(&resource),
            caller: text(&caller),
            accepted_at: number(&accepted),
            rejected_at: number(&rejected),
            code: text(&code),
            reason: text(&reason),
            content: text(&content),
            entry: match entry {
                Value::Bytes(bytes) => bytes,
                _ => Vec::new(),
            },
        })
    };
    rows.into_iter().filter_map(letter).collect()
}

impl Ingest {
    /// Waits until everything up to a sequence id is applied; whether it is.
    async fn wait_for(&self, sequence: u64, most: Duration) -> bool {
        let mut applied = self.applied.subscribe();
        let waiting = applied.wait_for(|applied| *applied >= sequence);
        matches!(tokio::time::timeout(most, waiting).await, Ok(Ok(_)))
    }

    /// Whether the owner of the folder, another process, has acknowledged less than a sequence id of
    /// its journal.
    fn was_never_given(&self, id: &SequenceId) -> bool {
        let published = Follower::published(&self.options.folder).ok().flatten();
        published.is_some_and(|it| it.given < id.last && it.id.to_string() == id.journal)
    }
}

impl RequestContext<'_> {
    /// What became of rows of a resource; waits up to `most` for rows that are not applied.
    ///
    /// # Errors
    /// [`Code::NoSuchSequence`] where they are unknown; [`Code::JournalElsewhere`] with the name of the host
    /// whose journal acknowledged them. Every process of one host answers for its journals.
    pub async fn rows_status(
        &self,
        resource: Option<&str>,
        id: &SequenceId,
        most: Duration,
    ) -> Result<RowsStatus> {
        let ingest = self.service().ingest().ok_or_else(unknown)?;
        let own = ingest.opened().filter(|opened| opened.id == id.journal);
        let applied = match own {
            Some(opened) => {
                is_given(&opened, *ingest.durable.borrow(), id)?;
                ingest.wait_for(id.last, most).await;
                *ingest.applied.borrow()
            }
            None => self.applied_by_another(ingest, (id, true), most).await?,
        };
        let letters = Letters {
            journal: Some(id.journal.clone()),
            from: id.first,
            to: id.last,
            resource: resource.map(str::to_owned),
        };
        let rejected = self.dead_letters(&letters, None, SHOWN).await?;
        let stage = if applied >= id.last { Stage::Applied } else { Stage::Waiting };
        Ok(RowsStatus { stage, applied, rejected })
    }

    /// Opens the journal of the application, if no other process owns it and the database is prepared.
    ///
    /// # Errors
    /// Where the database cannot be asked, and where the journal is damaged.
    pub async fn open_journal(&self) -> Result<()> {
        if let Some(ingest) = self.service().ingest() {
            ingest.open(self).await?;
        }
        Ok(())
    }

    /// The last applied sequence id of a journal, once it is not less than `sequence`, or after `most`.
    ///
    /// # Errors
    /// As for [`Self::rows_status`].
    pub async fn applied(&self, journal: &str, sequence: u64, most: Duration) -> Result<u64> {
        let ingest = self.service().ingest().ok_or_else(unknown)?;
        if ingest.opened().is_some_and(|opened| opened.id == journal) {
            ingest.wait_for(sequence, most).await;
            return Ok(*ingest.applied.borrow());
        }
        let id = SequenceId { journal: journal.to_owned(), first: sequence, last: sequence };
        self.applied_by_another(ingest, (&id, false), most).await
    }

    /// The last applied sequence id of a journal that is not open here, from the database; waits up to `most`
    /// for rows. Which ids it has given is what its owner has published in the folder.
    async fn applied_by_another(
        &self,
        ingest: &Ingest,
        (id, must_be_given): (&SequenceId, bool),
        most: Duration,
    ) -> Result<u64> {
        let begun = Instant::now();
        if !statements::are_prepared(self).await? {
            return Err(unknown());
        }
        loop {
            let Some((host, _, applied)) = mark(self, ingest, &id.journal).await? else {
                return Err(unknown());
            };
            if host != ingest.options.host {
                let message = format!(
                    "These rows were acknowledged from the journal of the host {host}. Ask that one."
                );
                return Err(Error::new(Code::JournalElsewhere, message));
            }
            if applied >= id.last {
                return Ok(applied);
            }
            if must_be_given && ingest.was_never_given(id) {
                return Err(unknown());
            }
            if begun.elapsed() >= most {
                return Ok(applied);
            }
            tokio::time::sleep(LOOK.min(most)).await;
        }
    }

    /// Reads dead letters behind a journal and sequence id.
    ///
    /// # Errors
    /// Where the database cannot be asked, or is not prepared.
    pub async fn dead_letters(
        &self,
        letters: &Letters,
        after: Option<(&str, u64)>,
        most: usize,
    ) -> Result<Vec<DeadLetter>> {
        let statement = read_dead_letters(self.dialect(), letters, after, most);
        let (_, rows) = statements::run(self, own(statement, letter_codecs())).await?;
        Ok(letters_of(rows))
    }
}

fn is_given(opened: &Opened, durable: u64, id: &SequenceId) -> Result<()> {
    match id.last <= durable.max(opened.journal.given()) {
        true => Ok(()),
        false => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        let journal = "0123456789abcdef0123456789abcdef".to_owned();
        for (first, last) in [(1, 1), (1, 9), (u64::MAX, u64::MAX)] {
            let id = SequenceId { journal: journal.clone(), first, last };
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        for wrong in ["", "x-1", "1", &journal, &format!("{journal}-0"), &format!("{journal}-2-1")]
        {
            assert_eq!(wrong.parse::<SequenceId>().unwrap_err().code, Code::NoSuchSequence);
        }
    }
}
