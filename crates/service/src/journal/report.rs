//! What an operator gets to know of a journal, whether a server uses it or not, and what accepting its losses does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_journal::{Disk, Failure, Loss, ReadFolder, RealDisk, Survey, accept_losses};
use duet_model::{Code, Error, Result};
use duet_sql::{Letters, LostRows, add_loss, close_head};

use super::health::{AbsentHead, JournalSurvey, denied, failed_to_open, has_journal, survey};
use super::statements::{self, GRANTED_BY, Preparation, own};
use crate::hosting::context::{RequestContext, WorkerHandle};
use crate::ingest::queued_row::now;
use crate::ingest::{IngestJournal, JournalDisk};

/// How long a server that looks at the files again and again is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two tries to lock the folder.
const LOOK: Duration = Duration::from_millis(10);
/// Rows of a journal that is gone may have had so many more sequence ids than are known.
const UNKNOWN: u64 = 1 << 32;

/// What is known of a journal.
#[derive(Clone, Debug)]
pub struct JournalReport {
    /// Its folder.
    pub folder: String,
    /// `unprepared`, `denied`, `none`, `closed`, `open`, `damaged` or `missing`.
    pub state: &'static str,
    /// Its id.
    pub journal: Option<String>,
    /// How many segments there are.
    pub segments: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The last sequence id in them.
    pub write_hwm: u64,
    /// The last sequence id that is applied; `None` where the database does not know the journal.
    pub apply_hwm: Option<u64>,
    /// Rows that are not applied.
    pub waiting: u64,
    /// Dead letters of all journals of the database; `None` where it was not asked.
    pub dead_letters: Option<u64>,
    /// What is missing or damaged.
    pub losses: Vec<Loss>,
    /// What the operator may want to know besides.
    pub notes: Vec<String>,
}

impl JournalReport {
    /// What the files of a folder say, without a database.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn of_folder(folder: &std::path::Path) -> Result<Self> {
        let disk = ReadFolder(folder.to_owned());
        let is_open = disk.is_locked();
        let survey = Survey::of(&disk).map_err(|error| failed_to_open(&error.into()))?;
        let losses = survey.losses(None);
        let examined =
            JournalSurvey { survey, mark: None, losses, absent: Vec::new(), notes: Vec::new() };
        Ok(Self::of(examined, folder.display().to_string(), is_open, None))
    }

    fn of(examined: JournalSurvey, folder: String, is_open: bool, letters: Option<u64>) -> Self {
        let losses = examined.all();
        let JournalSurvey { survey, mark, notes, .. } = examined;
        let state = match () {
            () if losses.iter().any(|loss| loss.at.is_none()) => "missing",
            () if !losses.is_empty() => "damaged",
            () if is_open => "open",
            () if survey.is_empty() => "none",
            () => "closed",
        };
        Self {
            folder,
            state,
            journal: survey.id.map(|id| id.to_string()),
            segments: survey.segments(),
            bytes: survey.bytes(),
            write_hwm: survey.last(),
            apply_hwm: mark.map(|mark| mark.applied),
            waiting: survey.rows(mark.map_or(0, |mark| mark.applied)),
            dead_letters: letters,
            losses,
            notes,
        }
    }

    /// What the operator does next.
    pub fn next(&self) -> &'static str {
        match self.state {
            "unprepared" => "Run `duet journal prepare` for the database.",
            "denied" => GRANTED_BY,
            "missing" => {
                "Bring the files back, or name the folder that has them by `--journal`. Otherwise `duet journal accept-loss` goes on without them."
            }
            "damaged" => {
                "Bring sound files back, such as from a copy. Otherwise `duet journal accept-loss` sets the damaged ones aside and goes on with all rows that can be read."
            }
            "closed" if self.waiting > 0 => "Start the server: it writes the rows that wait.",
            _ if self.dead_letters.is_some_and(|letters| letters > 0) => {
                "Look at the dead letters: `GET /admin/journal/dead-letters`."
            }
            _ => "Nothing.",
        }
    }
}

/// What was accepted.
#[derive(Clone, Debug, Default)]
pub struct AcceptedLosses {
    /// What was missing or damaged.
    pub losses: Vec<Loss>,
    /// Damaged files that are kept in the folder.
    pub aside: Vec<String>,
}

impl WorkerHandle {
    /// What is known of the journal of the application. Nothing is changed, and a server may use it meanwhile.
    /// `None` without a journal.
    ///
    /// # Errors
    /// Where the files cannot be read, or the database cannot be asked.
    pub async fn journal_report(&self) -> Result<Option<JournalReport>> {
        let Some(ingest) = self.service().ingest().cloned() else { return Ok(None) };
        let context = self.draining();
        let disk = ReadFolder(ingest.options.folder.clone());
        let is_open = disk.is_locked();
        let found = survey(Arc::new(disk)).await?;
        let preparation = statements::prepared(&context).await?;
        if preparation != Preparation::Yes {
            let word = if preparation == Preparation::Denied { "denied" } else { "unprepared" };
            let (losses, mark) = (found.losses(None), None);
            let (absent, notes) = (Vec::new(), Vec::new());
            let examined = JournalSurvey { survey: found, mark, losses, absent, notes };
            let report = JournalReport::of(examined, ingest.folder_text(), is_open, None);
            let state = if report.losses.is_empty() { word } else { report.state };
            return Ok(Some(JournalReport { state, ..report }));
        }
        let letters = context.count_dead_letters(&Letters::all()).await?;
        let examined = ingest.examine(&context, found).await?;
        Ok(Some(JournalReport::of(examined, ingest.folder_text(), is_open, Some(letters))))
    }

    /// Accepts whatever is missing or damaged: rows that can be read are kept, and so are the bytes of damaged
    /// files. The server that opens the journal next tells the database which rows are lost.
    ///
    /// # Errors
    /// [`Code::JournalUnavailable`] where another process uses the journal; others of the disk and the database.
    /// Then nothing has changed, or accepting it again goes on.
    pub async fn accept_losses(&self) -> Result<AcceptedLosses> {
        let Some(ingest) = self.service().ingest().cloned() else {
            return Ok(AcceptedLosses::default());
        };
        let context = self.draining();
        match statements::prepared(&context).await? {
            Preparation::Yes => {}
            Preparation::Denied => return Err(denied()),
            Preparation::No | Preparation::Partly => {
                let message = "The database lacks tables of the journal.";
                return Err(Error::new(Code::JournalUnavailable, message)
                    .hint("Run `duet journal prepare` first."));
            }
        }
        let mut accepted = AcceptedLosses::default();
        let examined = match has_journal(&ingest.options.folder) {
            false => {
                let disk = ReadFolder(ingest.options.folder.clone());
                ingest.examine(&context, survey(Arc::new(disk)).await?).await?
            }
            true => {
                let disk = locked(&ingest).await?;
                let examined = ingest.examine(&context, survey(Arc::clone(&disk)).await?).await?;
                let mark = examined.mark;
                let accept = move || accept_losses(&*disk, mark, now());
                let done = tokio::task::spawn_blocking(accept).await.map_err(Error::internal)?;
                let done = done.map_err(|failure| failed_to_open(&failure))?;
                accepted.losses.extend(done.losses);
                accepted.aside = done.aside;
                examined
            }
        };
        accepted.losses.extend(examined.absent.iter().map(|absent| absent.loss.clone()));
        settle(&context, &examined.absent).await?;
        Ok(accepted)
    }
}

/// Notes the loss of journals of which there is nothing but what the database knows, in one transaction.
async fn settle(context: &RequestContext<'_>, absent: &[AbsentHead]) -> Result<()> {
    let dialect = context.dialect();
    let mut calls = Vec::new();
    for AbsentHead { head, loss } in absent {
        let lost = LostRows {
            first: loss.from,
            last: loss.to.max(loss.from).saturating_add(UNKNOWN),
            accepted_at: now(),
            reason: loss.to_string(),
        };
        calls.push(own(add_loss(dialect, &head.journal, &lost), Vec::new()));
        calls.push(own(close_head(dialect, &head.journal), Vec::new()));
    }
    if !calls.is_empty() {
        statements::run_all(context, calls).await?;
    }
    Ok(())
}

/// The folder, locked. A server that cannot open the journal looks at it again and again: it is free in between.
async fn locked(ingest: &IngestJournal) -> Result<Arc<dyn Disk>> {
    let begun = Instant::now();
    loop {
        let JournalDisk(disk) = ingest.options.disk.clone();
        match RealDisk::lock(&ingest.options.folder) {
            Ok(locked) => return Ok(Arc::from(disk(locked))),
            Err(Failure::InUse) if begun.elapsed() < PATIENCE => tokio::time::sleep(LOOK).await,
            Err(Failure::InUse) => {
                let message = "Another process uses the journal.";
                return Err(Error::new(Code::JournalUnavailable, message)
                    .hint("Stop the server first, then accept the loss."));
            }
            Err(failure) => return Err(failed_to_open(&failure)),
        }
    }
}
