//! What became of rows: waiting, applied or rejected; and waiting for it.

use std::time::{Duration, Instant};

use duet_document::Codec;
use duet_journal::Follower;
use duet_model::{Code, Error, Result, Value};
use duet_sql::{DeadLetter, Letters, LostRows, read_dead_letters, read_losses};

use super::statements::{self, Preparation, Rows, journal_key, mark, number, own};
use crate::hosting::context::RequestContext;
use crate::ingest::sealed_id::{SealedId, SequenceId, unknown};
use crate::ingest::{IngestJournal, OpenJournal};

/// Dead letters that a status shows.
const SHOWN: usize = 100;
/// How often the mark of another process is read by who waits for rows.
const LOOK: Duration = Duration::from_millis(200);

/// Where rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalStage {
    /// In the journal; at least the last of them.
    Waiting,
    /// In the database, but for those that were rejected.
    Applied,
}

/// What became of rows.
#[derive(Clone, Debug)]
pub struct RowsStatus {
    /// Where they are.
    pub stage: JournalStage,
    /// The last sequence id that is applied.
    pub applied: u64,
    /// Those that the database has refused; not more than a hundred.
    pub rejected: Vec<DeadLetter>,
    /// Those that were lost with files of the journal, which the operator has accepted.
    pub lost: Vec<LostRows>,
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

impl IngestJournal {
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
    /// What became of rows of a resource, which has this path; waits up to `most` for rows that are not applied.
    ///
    /// # Errors
    /// [`Code::NoSuchSequence`] where the id was not given for this resource, which includes those of other
    /// resources; [`Code::JournalElsewhere`] with the name of the host whose journal acknowledged the rows. Every
    /// process of one host answers for its journals.
    pub async fn rows_status(
        &self,
        resource: &str,
        sealed: &SealedId,
        most: Duration,
    ) -> Result<RowsStatus> {
        let (ingest, id) = (self.service().ingest().ok_or_else(unknown)?, &sealed.id);
        let own = ingest.opened().filter(|opened| opened.id == id.journal);
        let key = match &own {
            Some(opened) => opened.key,
            None => journal_key(self, ingest, &id.journal).await?.ok_or_else(unknown)?,
        };
        if !sealed.is_of(&key, resource) {
            return Err(unknown());
        }
        let lost = self.lost_rows(id).await?;
        let applied = match own {
            _ if !lost.is_empty() => {
                mark(self, ingest, &id.journal).await?.map_or(0, |(.., applied)| applied)
            }
            Some(opened) => {
                is_given(&opened, *ingest.durable.borrow(), id)?;
                ingest.wait_for(id.last, most).await;
                *ingest.applied.borrow()
            }
            None => self.applied_by_another(ingest, id, true, most).await?,
        };
        let letters = Letters {
            journal: Some(id.journal.clone()),
            from: id.first,
            to: id.last,
            resource: None,
        };
        let rejected = self.dead_letters(&letters, None, SHOWN).await?;
        let stage = if applied >= id.last { JournalStage::Applied } else { JournalStage::Waiting };
        Ok(RowsStatus { stage, applied, rejected, lost })
    }

    /// The id of rows as the client of a resource gets it, which has this path.
    ///
    /// # Errors
    /// Where the database cannot be asked, or does not know the journal.
    pub async fn sealed(&self, resource: &str, id: SequenceId) -> Result<SealedId> {
        let ingest = self.service().ingest().ok_or_else(unknown)?;
        let own = ingest.opened().filter(|opened| opened.id == id.journal);
        let key = match own {
            Some(opened) => opened.key,
            None => journal_key(self, ingest, &id.journal).await?.ok_or_else(unknown)?,
        };
        Ok(id.sealed(&key, resource))
    }

    /// Rows with one of these sequence ids whose loss the operator has accepted.
    async fn lost_rows(&self, id: &SequenceId) -> Result<Vec<LostRows>> {
        let statement = read_losses(self.dialect(), &id.journal, id.first, id.last, SHOWN);
        let codecs = vec![Codec::Integer, Codec::Integer, Codec::Integer, Codec::Text];
        let (_, rows) = statements::run(self, own(statement, codecs)).await?;
        let lost = rows.iter().filter_map(|row| {
            let [first, last, accepted_at, reason] = row.as_slice() else { return None };
            Some(LostRows {
                first: number(first).max(id.first),
                last: number(last).min(id.last),
                accepted_at: number(accepted_at),
                reason: reason.to_string(),
            })
        });
        Ok(lost.collect())
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
        self.applied_by_another(ingest, &id, false, most).await
    }

    /// The last applied sequence id of a journal that is not open here, from the database; waits up to `most`
    /// for rows. Which ids it has given is what its owner has published in the folder.
    async fn applied_by_another(
        &self,
        ingest: &IngestJournal,
        id: &SequenceId,
        must_be_given: bool,
        most: Duration,
    ) -> Result<u64> {
        let begun = Instant::now();
        if statements::prepared(self).await? != Preparation::Yes {
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

fn is_given(opened: &OpenJournal, durable: u64, id: &SequenceId) -> Result<()> {
    match id.last <= durable.max(opened.journal.given()) {
        true => Ok(()),
        false => Err(unknown()),
    }
}
