//! Opening a journal: its folder is locked, what it holds is compared with what the database knows, and this process becomes
//! its owner.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use duet_journal::{Disk, Failure, Follower, Journal, Options, RealDisk};
use duet_model::{Code, Error, Result};
use duet_sql::{LostRows, add_loss, advance_head, advance_journal};
use tokio::sync::watch;

use super::health::{denied, described, failed_to_open, has_journal, incomplete, survey, unusable};
use super::statements::{self, DENIED, GRANTED_BY, Preparation, TakenOver, own};
use crate::hosting::context::RequestContext;
use crate::ingest::{IngestJournal, JournalDisk, OpenAttempt, OpenJournal};

/// How long a journal that cannot be opened is not tried again by requests.
const PAUSE: Duration = Duration::from_secs(1);
/// How long another process that has locked the folder may take to open the journal.
const OPENING: Duration = Duration::from_secs(5);
/// Between two looks at what another process does.
const LOOK: Duration = Duration::from_millis(20);

impl IngestJournal {
    /// Whether the folder holds rows of an earlier run.
    pub(super) fn is_there(&self) -> bool {
        has_journal(&self.options.folder)
    }

    /// Whether another process has the journal open: it has published what is durable. One that is still looking
    /// at the files, or has found them damaged, has published nothing.
    fn has_other_owner(&self) -> bool {
        matches!(Follower::published(&self.options.folder), Ok(Some(_)))
    }

    /// The journal, opened where the database is prepared for it. `None` where it is not, or another process
    /// owns it.
    ///
    /// # Errors
    /// Where the database cannot be asked, and where the journal is damaged.
    pub(super) async fn open(
        self: &Arc<Self>,
        context: &RequestContext<'_>,
    ) -> Result<Option<Arc<OpenJournal>>> {
        if let Some(opened) = self.opened() {
            return self.broken().map_or(Ok(Some(opened)), Err);
        }
        let mut failed = self.opening.lock().await;
        if let Some(opened) = self.opened() {
            return self.broken().map_or(Ok(Some(opened)), Err);
        }
        if self.has_lost() || self.is_closing.load(Ordering::Acquire) {
            return Ok(None);
        }
        if let Some(tried) = failed.filter(|tried| tried.at.elapsed() < PAUSE) {
            // The same answer as the try before, so that none depends on when it is asked for.
            if let Some(error) = self.broken() {
                return Err(error);
            }
            if !tried.in_use || self.has_other_owner() {
                return Ok(None);
            }
        }
        let opened = self.open_now(context).await;
        let in_use = matches!(opened, Ok(None)) && self.has_other_owner();
        *failed = match &opened {
            Ok(Some(_)) => None,
            _ => Some(OpenAttempt { at: Instant::now(), in_use }),
        };
        self.set_broken(opened.as_ref().err());
        match &opened {
            Ok(Some(_)) => self.trouble(None),
            Ok(None) => {}
            Err(error) => self.trouble(Some(described(error))),
        }
        opened
    }

    async fn open_now(
        self: &Arc<Self>,
        context: &RequestContext<'_>,
    ) -> Result<Option<Arc<OpenJournal>>> {
        match statements::prepared(context).await? {
            Preparation::Yes => {}
            Preparation::Partly if self.is_there() => return Err(incomplete()),
            Preparation::Denied if self.is_there() => return Err(denied()),
            Preparation::Denied => {
                self.trouble(Some(format!("{DENIED}. {GRANTED_BY}")));
                return Ok(None);
            }
            Preparation::Partly | Preparation::No => {
                self.trouble(Some("the tables of the journal were not made".to_owned()));
                return Ok(None);
            }
        }
        if !self.is_there() {
            self.examine_new(context).await?.map_or(Ok(()), |examined| examined.check())?;
        }
        let Some(disk) = self.lock_folder().await? else {
            self.trouble(Some("another process uses the journal".to_owned()));
            return Ok(None);
        };
        let examined = self.examine(context, survey(Arc::clone(&disk)).await?).await?;
        examined.check()?;
        for note in &examined.notes {
            tracing::warn!(folder = self.folder_text(), "{note}");
        }
        let applied = examined.mark.map_or(0, |mark| mark.applied);
        let options = self.journal_options(applied);
        let open = move || Journal::open_on(disk, options);
        let journal = tokio::task::spawn_blocking(open).await.map_err(Error::internal)?;
        let journal = journal.map_err(|failure| failed_to_open(&failure))?;
        let opened = self.take_over(context, journal).await?;
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&opened));
        self.wanted.notify_one();
        Ok(Some(opened))
    }

    /// The folder, locked. `None` where another process has the journal open; one that is only looking at the
    /// files is waited for.
    async fn lock_folder(&self) -> Result<Option<Arc<dyn Disk>>> {
        let begun = Instant::now();
        loop {
            let (folder, JournalDisk(disk)) =
                (self.options.folder.clone(), self.options.disk.clone());
            let lock = move || RealDisk::lock(&folder).map(|locked| disk(locked));
            let locked = tokio::task::spawn_blocking(lock).await.map_err(Error::internal)?;
            match locked {
                Ok(disk) => return Ok(Some(Arc::from(disk))),
                Err(Failure::InUse) if self.has_other_owner() => {
                    // Between locking the file and taking back what the last owner has published is a moment.
                    tokio::time::sleep(LOOK).await;
                    if self.has_other_owner() {
                        return Ok(None);
                    }
                }
                Err(Failure::InUse) if begun.elapsed() < OPENING => tokio::time::sleep(LOOK).await,
                Err(failure @ Failure::InUse) => {
                    return Err(unusable(Code::JournalUnavailable).cause(failure));
                }
                Err(failure) => return Err(failed_to_open(&failure)),
            }
        }
    }

    fn journal_options(self: &Arc<Self>, applied: u64) -> Options {
        let ingest = Arc::downgrade(self);
        let notify = Arc::new(move |durable: u64| {
            if let Some(ingest) = ingest.upgrade() {
                ingest.durable.send_replace(durable);
            }
        });
        Options {
            bytes: self.options.bytes,
            segment_bytes: (self.options.bytes / 8).clamp(4 << 10, 16 << 20),
            notify: Some(notify),
            applied,
        }
    }

    /// Makes this process the owner in the database too, and tells it what the operator has accepted.
    async fn take_over(
        &self,
        context: &RequestContext<'_>,
        journal: Journal,
    ) -> Result<Arc<OpenJournal>> {
        let (id, folder) = (journal.id().to_string(), self.folder_text());
        let taken = statements::take_over(context, &id, &self.options.host, &folder).await?;
        let TakenOver { epoch, mut applied, key } = taken;
        let durable = journal.high_water_mark();
        let (dialect, losses) = (context.dialect(), journal.accepted_losses());
        let lost = losses.iter().filter(|loss| loss.from <= loss.to).map(|loss| {
            let reason = loss.what.clone();
            let lost = LostRows { first: loss.from, last: loss.to, accepted_at: loss.at, reason };
            own(add_loss(dialect, &id, &lost), Vec::new())
        });
        let mut calls: Vec<_> = lost.collect();
        let head = advance_head(dialect, &id, epoch, durable.max(applied), false);
        calls.push(own(head, Vec::new()));
        let settled = journal.settled();
        if durable <= applied && settled > applied {
            // No row is left in front of it.
            let mark = advance_journal(dialect, &id, epoch, applied, settled);
            calls.push(own(mark, Vec::new()));
            applied = settled;
        }
        statements::run_all(context, calls).await?;
        for loss in &losses {
            let what = &loss.what;
            tracing::warn!(journal = id, what, "the operator has accepted a loss of the journal");
        }
        // Where that fails, the database is told again, which changes nothing.
        drop(journal.told_losses());
        journal.applied(applied).map_err(|failure| failed_to_open(&failure))?;
        self.durable.send_replace(durable.max(applied));
        self.applied.send_replace(applied);
        self.applying.store(applied, Ordering::Release);
        let (taken_over, given_up) = (AtomicBool::new(false), watch::Sender::new(false));
        Ok(Arc::new(OpenJournal { journal, id, epoch, key, taken_over, given_up }))
    }
}
