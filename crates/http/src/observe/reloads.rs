//! What a reload of everything has done.

use duet_model::Error;
use duet_service::{ApplicationReload, ReloadedSnapshot};
use serde_json::{Value, json};

/// What a reload has done. A mistake in one place keeps nothing else from being reloaded.
#[derive(Debug)]
pub struct Reloads {
    /// Each application: the reloaded parts, or the reason for none.
    pub applications: Vec<ApplicationReload>,
    /// What else could not be reloaded or served, in words for the operator.
    pub notes: Vec<String>,
}

impl Reloads {
    /// The applications that were reloaded, by name.
    pub fn done(&self) -> Vec<(&str, &ReloadedSnapshot)> {
        self.applications.iter().filter_map(|reload| outcome(reload).ok()).collect()
    }

    /// The applications that were not reloaded, and why.
    pub fn failed(&self) -> Vec<(&str, &Error)> {
        self.applications.iter().filter_map(|reload| outcome(reload).err()).collect()
    }

    /// What came of it, for another process: an object with the `error`, or null there, and the `notes`.
    pub fn answer(&self) -> Value {
        json!({ "error": self.error().map(|error| error.message), "notes": self.notes })
    }

    /// One error for everything that was not reloaded, with all mistakes. Their causes are for
    /// [`Reloads::log`] alone.
    pub(crate) fn error(&self) -> Option<Error> {
        let failed = self.failed();
        let mut first = failed.first()?.1.clone();
        first.cause = None;
        if self.applications.len() == 1 {
            return Some(first);
        }
        let names = |names: Vec<&str>| match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        first.message = format!(
            "Not reloaded: {}. Reloaded: {}. Correct each of `errors` and reload again.",
            names(failed.iter().map(|(name, _)| *name).collect()),
            names(self.done().iter().map(|(name, _)| *name).collect()),
        );
        let mistakes = failed.iter().flat_map(|(_, error)| error.mistakes().cloned());
        Some(first.because_of(mistakes.collect()))
    }

    /// Writes a line to the log for each application, mistake and note.
    pub(crate) fn log(&self) {
        for (application, reloaded) in self.done() {
            tracing::info!(application, generation = reloaded.generation, "reloaded");
            reloaded.notes.iter().for_each(|note| tracing::warn!(application, "{note}"));
        }
        for (application, error) in self.failed() {
            for mistake in error.mistakes() {
                let cause = mistake.cause.as_deref();
                tracing::warn!(application, cause, "not reloaded: {mistake}");
            }
        }
        self.notes.iter().for_each(|note| tracing::warn!("{note}"));
    }
}

/// An application's name with the reloaded parts, or the reason for none.
fn outcome(reload: &ApplicationReload) -> Result<(&str, &ReloadedSnapshot), (&str, &Error)> {
    let name = reload.name.as_str();
    reload.outcome.as_ref().map(|done| (name, done)).map_err(|error| (name, error))
}
