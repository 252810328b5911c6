//! A reload of everything that a server reads: clients, keys, certificate, applications, schemas.

use crate::observe::event::Event;
use crate::observe::reloads::Reloads;
use crate::sockets::tls::Tls;
use crate::worker::ServerState;

impl ServerState {
    /// Reads everything again that may have changed. Where clients cannot be read, those before stay
    /// in force and a note says so.
    pub(crate) async fn reload(&self) -> Reloads {
        let mut notes = Vec::new();
        for auth in self.applications.auths() {
            if let Err(error) = auth.refresh().await {
                self.events.emit(&Event::ClientsUnreadable(&error));
                notes.push(format!(
                    "The clients before stay in force, because these cannot be read: {error}"
                ));
            }
            if let Some(issuer) = auth.issuer() {
                issuer.request_refresh();
            }
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
}
