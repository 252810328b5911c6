//! Whether a journal is whole: what the database knows of it is compared with what is in its folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_journal::{Disk, Failure, Loss, Mark, ReadFolder, RealDisk, Survey};
use duet_model::{Code, Error, Result};

use super::statements::{self, DENIED, GRANTED_BY, Head, Preparation};
use crate::hosting::context::{RequestContext, WorkerHandle};
use crate::ingest::IngestJournal;

/// A journal of this host that is not where it was.
#[derive(Clone, Debug)]
pub(super) struct AbsentHead {
    pub(super) head: Head,
    pub(super) loss: Loss,
}

/// A journal as it was found.
#[derive(Debug)]
pub(super) struct JournalSurvey {
    pub(super) survey: Survey,
    /// What the database knows of it; `None` where it does not know it.
    pub(super) mark: Option<Mark>,
    /// What is missing or damaged in its folder.
    pub(super) losses: Vec<Loss>,
    /// Journals that were in this folder, or in another one that is gone.
    pub(super) absent: Vec<AbsentHead>,
    /// What the operator may want to know.
    pub(super) notes: Vec<String>,
}

impl JournalSurvey {
    /// Everything that is lost, or may be.
    pub(super) fn all(&self) -> Vec<Loss> {
        let absent = self.absent.iter().map(|absent| absent.loss.clone());
        self.losses.iter().cloned().chain(absent).collect()
    }

    /// The error of a request that wants to use the journal.
    pub(super) fn check(&self) -> Result<()> {
        let losses = self.all();
        if losses.is_empty() {
            return Ok(());
        }
        let is_missing = losses.iter().any(|loss| loss.at.is_none());
        let code = if is_missing { Code::JournalMissing } else { Code::JournalUnavailable };
        Err(unusable(code).cause(words(&losses)))
    }
}

/// What is missing or damaged, in one text.
pub(super) fn words(losses: &[Loss]) -> String {
    losses.iter().map(Loss::to_string).collect::<Vec<_>>().join(". ")
}

/// What clients get to know.
pub(super) fn unusable(code: Code) -> Error {
    let message = "The journal cannot be opened. The server's log says why.";
    Error::new(code, message).retry_after(5)
}

pub(super) fn failed_to_open(failure: &Failure) -> Error {
    unusable(Code::JournalUnavailable).cause(failure)
}

/// Whether a folder has files of a journal.
pub(super) fn has_journal(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    names.into_iter().any(|entry| {
        let name = entry.file_name();
        Path::new(&name).extension().is_some_and(|it| it == "segment") || name == "manifest"
    })
}

/// A folder as the database has it.
pub(super) fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Looks at a folder on a thread that may wait.
pub(super) async fn survey(disk: Arc<dyn Disk>) -> Result<Survey> {
    let survey = move || Survey::of(&*disk);
    let survey = tokio::task::spawn_blocking(survey).await.map_err(Error::internal)?;
    survey.map_err(|error| failed_to_open(&error.into()))
}

impl IngestJournal {
    pub(super) fn folder_text(&self) -> String {
        absolute(&self.options.folder).display().to_string()
    }

    /// Compares a folder with what the database knows.
    pub(super) async fn examine(
        &self,
        context: &RequestContext<'_>,
        survey: Survey,
    ) -> Result<JournalSurvey> {
        let id = survey.id.map(|id| id.to_string());
        let head = match &id {
            Some(id) => statements::head(context, id).await?,
            None => None,
        };
        let mark = head.as_ref().map(|head| Mark {
            applied: head.applied,
            written: head.written,
            is_closed: head.is_closed,
        });
        let losses = survey.losses(mark);
        let mut examined =
            JournalSurvey { survey, mark, losses, absent: Vec::new(), notes: Vec::new() };
        let own = self.folder_text();
        if let Some(head) = head.filter(|head| !head.folder.is_empty() && head.folder != own) {
            examined.notes.push(format!("The journal was in {} before.", head.folder));
        }
        // A folder with a journal that the database knows was not made in the place of another one.
        let is_known = examined.mark.is_some();
        for head in statements::heads(context, &self.options.host).await? {
            let is_here = head.folder == own;
            if head.is_closed || Some(&head.journal) == id.as_ref() || is_known && !is_here {
                continue;
            }
            if !is_here && holds(Path::new(&head.folder), &head.journal) {
                let Head { journal, folder, .. } = &head;
                examined.notes.push(format!(
                    "The journal {journal} of this host is in {folder}: its rows are written by the server that uses that folder."
                ));
                continue;
            }
            examined.absent.push(absent(head, is_here));
        }
        Ok(examined)
    }

    /// What the database knows of a folder without a journal; `None` where another process has made one meanwhile.
    pub(super) async fn examine_new(
        &self,
        context: &RequestContext<'_>,
    ) -> Result<Option<JournalSurvey>> {
        let folder = self.options.folder.clone();
        let found = survey(Arc::new(ReadFolder(folder.clone()))).await?;
        let examined = self.examine(context, found).await?;
        Ok(Some(examined).filter(|_| !has_journal(&folder)))
    }
}

/// Whether a folder has a journal.
fn holds(folder: &Path, journal: &str) -> bool {
    let survey = Survey::of(&ReadFolder(folder.to_owned()));
    survey.is_ok_and(|it| it.id.is_some_and(|id| id.to_string() == journal))
}

fn absent(head: Head, is_here: bool) -> AbsentHead {
    let Head { journal, applied, written, .. } = &head;
    let place = if is_here { "its folder any more" } else { "the folder where it was" };
    let loss = Loss {
        segment: None,
        at: None,
        why: format!("the journal {journal} is not in {place}"),
        from: applied + 1,
        to: *written,
        rows: written.saturating_sub(*applied),
        behind: 0,
        is_open: true,
    };
    AbsentHead { head, loss }
}

impl WorkerHandle {
    /// Compares the journal with the database before anything is served. Nothing is made or changed.
    ///
    /// # Errors
    /// [`Code::JournalMissing`] where rows that were acknowledged are missing, with everything that the operator
    /// needs to know. A damaged file is no error here: the server then is not ready. Where the database is locked
    /// or cannot be reached, they are compared when the journal is opened.
    pub async fn check_journal(&self) -> Result<()> {
        match self.compare_journal().await {
            Err(error) if error.code != Code::JournalMissing => {
                tracing::warn!(
                    code = error.code.as_str(),
                    why = described(&error),
                    "the journal is compared with the database when it is opened"
                );
                Ok(())
            }
            compared => compared,
        }
    }

    async fn compare_journal(&self) -> Result<()> {
        let Some(ingest) = self.service().ingest().cloned() else { return Ok(()) };
        let context = self.draining();
        // A read before the look that may wait for a lock of other writers: most databases have no journal.
        if !statements::has_heads(&context, &ingest).await
            || statements::prepared(&context).await? != Preparation::Yes
        {
            return Ok(());
        }
        let folder = ingest.options.folder.clone();
        let examined = match has_journal(&folder) {
            false => ingest.examine_new(&context).await?,
            true => match lock(&folder).await? {
                Some(disk) => Some(ingest.examine(&context, survey(Arc::new(disk)).await?).await?),
                // Its owner has looked.
                None => None,
            },
        };
        match examined {
            Some(examined) if examined.all().iter().any(|loss| loss.at.is_none()) => {
                Err(refusal(&ingest, self.service().name(), &examined))
            }
            _ => Ok(()),
        }
    }
}

/// Locks a folder; `None` where another process has it.
async fn lock(folder: &Path) -> Result<Option<RealDisk>> {
    let folder = folder.to_owned();
    let locked = tokio::task::spawn_blocking(move || RealDisk::lock(&folder)).await;
    match locked.map_err(Error::internal)? {
        Ok(disk) => Ok(Some(disk)),
        Err(Failure::InUse) => Ok(None),
        Err(failure) => Err(failed_to_open(&failure)),
    }
}

/// The error of a start.
fn refusal(ingest: &IngestJournal, application: &str, examined: &JournalSurvey) -> Error {
    let (own, what) = (ingest.folder_text(), words(&examined.all()));
    let elsewhere = examined.absent.iter().filter(|it| it.head.folder != own);
    let elsewhere = elsewhere.map(|it| format!(" It was in {}.", it.head.folder));
    let elsewhere: String = elsewhere.collect();
    let message = format!(
        "Rows of the application {application} that were acknowledged from the journal in {own} are missing: {what}.{elsewhere}"
    );
    Error::new(Code::JournalMissing, message).hint(
        "Bring the files back, or name the folder that has them by `--journal`. Otherwise `duet journal status` shows what is lost, and `duet journal accept-loss` goes on without it.",
    )
}

/// The error of a database whose tables are not all there, while rows wait.
pub(super) fn incomplete() -> Error {
    unusable(Code::JournalUnavailable).cause(
        "the database lacks tables of the journal, and rows wait in it: run `duet journal prepare`",
    )
}

/// The error of a database whose tables the server may not use, while rows wait.
pub(super) fn denied() -> Error {
    let cause = format!("{DENIED}, and rows wait in it. {GRANTED_BY}");
    unusable(Code::JournalUnavailable).cause(cause)
}

/// What the log says.
pub(super) fn logged(error: &Error) {
    tracing::error!(
        code = error.code.as_str(),
        why = described(error),
        "the journal cannot be opened"
    );
}

/// An error with its cause, in words for the operator.
pub(super) fn described(error: &Error) -> String {
    match &error.cause {
        Some(cause) => format!("{error} ({cause})"),
        None => error.to_string(),
    }
}
