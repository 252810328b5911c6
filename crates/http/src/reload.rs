//! A reload of everything that a server reads: clients, keys, certificate, applications, schemas.

use duet_model::Error;
use duet_service::{ApplicationReload, Reloaded};

use crate::tls::Tls;
use crate::worker::Shared;

/// What a reload has done. A mistake in one place keeps nothing else from being reloaded.
#[derive(Debug)]
pub struct Reloads {
    /// Each application: what was reloaded, or why nothing was.
    pub applications: Vec<ApplicationReload>,
    /// What else could not be reloaded or served, in words for the operator.
    pub notes: Vec<String>,
}

impl Reloads {
    /// The applications that were reloaded, by name.
    pub fn done(&self) -> Vec<(&str, &Reloaded)> {
        self.applications.iter().filter_map(|reload| outcome(reload).ok()).collect()
    }

    /// The applications that were not reloaded, and why.
    pub fn failed(&self) -> Vec<(&str, &Error)> {
        self.applications.iter().filter_map(|reload| outcome(reload).err()).collect()
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
    pub fn log(&self) {
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

/// An application's name with what was reloaded, or with why nothing was.
fn outcome(reload: &ApplicationReload) -> Result<(&str, &Reloaded), (&str, &Error)> {
    let name = reload.name.as_str();
    reload.outcome.as_ref().map(|done| (name, done)).map_err(|error| (name, error))
}

impl Shared {
    /// Reads everything again that may have changed. Where clients cannot be read, those before stay
    /// in force and a note says so.
    pub(crate) async fn reload(&self) -> Reloads {
        let mut notes = Vec::new();
        for auth in self.applications.auths() {
            if let Err(error) = auth.refresh().await {
                let (code, cause) = (error.code.as_str(), &error.cause);
                tracing::warn!(code, message = %error, cause, "the clients cannot be read");
                notes.push(format!(
                    "The clients before stay in force, because these cannot be read: {error}"
                ));
            }
            if let Some(issuer) = auth.issuer() {
                issuer.ask();
            }
        }
        let certificate = self.tls.as_ref().map_or(Ok(false), Tls::reload);
        let applications = self.applications.reload().await;
        notes.extend(certificate.err().map(|error| error.to_string()));
        for service in self.applications.services() {
            notes.extend(service.check_clients().await);
        }
        Reloads { applications, notes }
    }
}
