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

    /// One error for everything that was not reloaded: the first, which names the others.
    pub(crate) fn error(&self) -> Option<Error> {
        let failed = self.failed();
        let mut error = failed.first()?.1.clone();
        if self.applications.len() > 1 {
            let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
            let (names, reloaded) = (names.join(", "), self.done().len());
            error.message =
                format!("Not reloaded: {names}; reloaded: {reloaded} others. {}", error.message);
        }
        let causes: Vec<&str> =
            failed.iter().filter_map(|(_, error)| error.cause.as_deref()).collect();
        error.cause = (!causes.is_empty()).then(|| causes.join("\n").into());
        Some(error)
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
