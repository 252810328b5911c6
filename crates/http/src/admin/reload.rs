//! A reload of everything that a server reads: clients, keys, certificate, applications, schemas.

use std::sync::Arc;

use duet_model::Error;
use duet_service::Issuer;

use crate::observe::event::Event;
use crate::observe::reloads::Reloads;
use crate::sockets::jwks;
use crate::sockets::tls::Tls;
use crate::worker::ServerState;

impl ServerState {
    /// Reads everything again that may have changed. Where clients or keys cannot be read, those before
    /// stay in force and a note says so.
    pub(crate) async fn reload(&self) -> Reloads {
        let mut notes = Vec::new();
        for auth in self.applications.auths() {
            if let Err(error) = auth.refresh_clients().await {
                self.events.emit(&Event::ClientsUnreadable(&error));
                notes.push(format!(
                    "The clients before stay in force, because these cannot be read: {error}"
                ));
            }
        }
        for issuer in self.issuers() {
            let results = [issuer.reread(), jwks::refresh(issuer).await.map(drop)];
            notes.extend(results.iter().filter_map(|result| without_keys(issuer, result)));
        }
        let certificate = self.tls.as_ref().map_or(Ok(false), Tls::reload);
        let applications = self.applications.reload().await;
        notes.extend(certificate.err().map(|error| error.to_string()));
        for service in self.applications.services() {
            notes.extend(service.check_clients().await);
        }
        let reloads = Reloads { applications, notes };
        self.events.emit(&Event::Reloaded(&reloads));
        reloads
    }

    /// The other issuers whose tokens are taken, each once.
    pub(crate) fn issuers(&self) -> Vec<&Arc<Issuer>> {
        let mut issuers: Vec<&Arc<Issuer>> = Vec::new();
        for issuer in self.applications.auths().into_iter().filter_map(|auth| auth.issuer()) {
            if !issuers.iter().any(|known| Arc::ptr_eq(known, issuer)) {
                issuers.push(issuer);
            }
        }
        issuers
    }
}

/// What is to be known of keys that could not be read.
fn without_keys(issuer: &Issuer, result: &Result<(), Error>) -> Option<String> {
    let error = result.as_ref().err()?;
    let instead = match issuer.has_keys() {
        true => "the keys before stay in force",
        false => "there are none, so its tokens get 503",
    };
    jwks::log(error);
    Some(format!("The keys of the issuer {} were not reloaded; {instead}: {error}", issuer.name()))
}
