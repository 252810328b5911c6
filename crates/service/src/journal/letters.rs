//! Dead letters: rows that were acknowledged and that the database has refused.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::Codec;
use duet_journal::Entry;
use duet_model::{Code, Error, Result};
use duet_sql::{DeadLetter, Letters, add_dead_letter, count_dead_letters, remove_dead_letters};
use duet_store::{Call, Ending, Session, SharedStore, Write};

use super::apply::{AddressedRow, insert};
use super::rows::Targets;
use super::statements::{self, GRANTED_BY, Preparation, number, own};
use crate::hosting::context::RequestContext;
use crate::ingest::queued_row::QueuedRow;

/// Dead letters that are tried in one transaction.
const AT_ONCE: usize = 500;

/// What came of dead letters that were tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedrivenLetters {
    /// Rows that are in the database now.
    pub applied: u64,
    /// Rows that the database has refused again.
    pub rejected: u64,
}

impl RequestContext<'_> {
    /// How many dead letters there are.
    ///
    /// # Errors
    /// Where the database cannot be asked, or is not prepared.
    pub async fn count_dead_letters(&self, letters: &Letters) -> Result<u64> {
        self.with_journal_tables().await?;
        let statement = count_dead_letters(self.dialect(), letters);
        let (_, rows) = statements::run(self, own(statement, vec![Codec::Integer])).await?;
        Ok(rows.first().and_then(|row| row.first()).map_or(0, number))
    }

    /// Refuses where the database lacks the tables of the journal: it would say that its schema has changed.
    async fn with_journal_tables(&self) -> Result<()> {
        match statements::prepared(self).await? {
            Preparation::Yes => Ok(()),
            Preparation::Denied => {
                let message = "The server's user has no rights on the tables of the journal.";
                Err(Error::new(Code::JournalUnavailable, message).hint(GRANTED_BY))
            }
            Preparation::No | Preparation::Partly => {
                let message = "The database has no tables of the journal.";
                Err(Error::new(Code::JournalUnavailable, message)
                    .hint("Run `duet journal prepare` for the database."))
            }
        }
    }

    /// Removes dead letters for ever; how many they were.
    ///
    /// # Errors
    /// Where the database cannot be asked, or is not prepared.
    pub async fn discard_dead_letters(&self, letters: &Letters) -> Result<u64> {
        self.with_journal_tables().await?;
        let statement = remove_dead_letters(self.dialect(), letters);
        Ok(statements::run(self, own(statement, Vec::new())).await?.0)
    }

    /// Tries the rows of dead letters again, in the order of their sequence ids. Those that the database
    /// takes are dead letters no more, by the same transaction.
    ///
    /// # Errors
    /// Whatever is wrong besides the rows; those in front are done.
    pub async fn redrive_dead_letters(&self, letters: &Letters) -> Result<RedrivenLetters> {
        self.with_journal_tables().await?;
        let mut all = RedrivenLetters::default();
        let mut after: Option<(String, u64)> = None;
        loop {
            let behind = after.as_ref().map(|(journal, sequence)| (journal.as_str(), *sequence));
            let found = self.dead_letters(letters, behind, AT_ONCE).await?;
            let Some(last) = found.last() else { return Ok(all) };
            after = Some((last.journal.clone(), last.sequence));
            let done = self.redrive(found).await?;
            all.applied += done.applied;
            all.rejected += done.rejected;
        }
    }

    async fn redrive(&self, letters: Vec<DeadLetter>) -> Result<RedrivenLetters> {
        let (store, snapshot) = (self.service().store().clone(), self.service().snapshot());
        let mut targets = Targets::default();
        let mut rows = Vec::with_capacity(letters.len());
        for letter in &letters {
            let row = Entry::decode(&letter.entry)
                .and_then(|entry| QueuedRow::of(entry, letter.sequence).into_iter().next());
            let row = row.ok_or_else(|| Error::internal("a dead letter holds no row"))?;
            let target = targets.of(&row, &snapshot, store.dialect());
            rows.push(AddressedRow { row, target });
        }
        self.handle().write(Arc::new(RedriveJob { store, letters, rows })).await
    }
}

struct RedriveJob {
    store: SharedStore,
    letters: Vec<DeadLetter>,
    rows: Vec<AddressedRow>,
}

#[async_trait(?Send)]
impl Write for RedriveJob {
    type Output = RedrivenLetters;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<RedrivenLetters>> {
        let dialect = self.store.dialect();
        // Taken first: of two that try the same letter, one finds it gone.
        let remove = |letter: &DeadLetter| {
            let one = Letters {
                journal: Some(letter.journal.clone()),
                from: letter.sequence,
                to: letter.sequence,
                resource: None,
            };
            own(remove_dead_letters(dialect, &one), Vec::new())
        };
        let removed: Vec<Call> = self.letters.iter().map(remove).collect();
        let removed = session.run_own(&removed).await?;
        let rows: Vec<(usize, AddressedRow)> = (self.rows.iter().enumerate())
            .filter(|(at, _)| removed.get(*at).is_some_and(|done| done.affected == 1))
            .map(|(at, row)| (at, row.clone()))
            .collect();
        let tried: Vec<AddressedRow> = rows.iter().map(|(_, row)| row.clone()).collect();
        let rejected = insert(session, &tried).await?;
        let again = rejected.iter().map(|(at, error)| {
            let letter = &self.letters[rows[*at].0];
            let letter = rows[*at].1.dead_letter(&letter.journal, error);
            own(add_dead_letter(dialect, &letter), Vec::new())
        });
        let again: Vec<Call> = again.collect();
        if !again.is_empty() {
            session.run_own(&again).await?;
        }
        let rejected = rejected.len() as u64;
        Ok(Ending::Commit(RedrivenLetters { applied: tried.len() as u64 - rejected, rejected }))
    }
}
