//! The options of a throwaway server.

use super::tls::{Certificates, Tls};

/// Options of a throwaway server; the default is a Unix socket, no TCP, no `fsync`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(super) fsync: bool,
    pub(super) tcp: bool,
    pub(super) tls: Option<(Tls, Certificates)>,
    pub(super) password: Option<String>,
    settings: Vec<(String, String)>,
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether commits wait for the disk: off for tests, on for figures that are to mean
    /// something.
    #[must_use]
    pub fn fsync(mut self, on: bool) -> Self {
        self.fsync = on;
        self
    }

    /// Also listens on a free TCP port of localhost.
    #[must_use]
    pub fn tcp(mut self) -> Self {
        self.tcp = true;
        self
    }

    /// Refuses TCP without TLS (implies [`Options::tcp`]); the Unix socket stays open.
    #[must_use]
    pub fn tls(mut self, tls: Tls, certificates: Certificates) -> Self {
        self.tls = Some((tls, certificates));
        self.tcp()
    }

    /// Demands this password of user `postgres` on TCP (SCRAM); the Unix socket stays open.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self.tcp()
    }

    /// A line of `postgresql.conf`, such as `max_connections` or `timezone`.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let on = if self.fsync { "on" } else { "off" };
        // Later lines win, so the settings of the test come last.
        [
            ("fsync", on),
            ("synchronous_commit", on),
            ("full_page_writes", on),
            ("max_connections", "200"),
            ("timezone", "UTC"),
            ("log_timezone", "UTC"),
            ("lc_messages", "C"),
        ]
        .into_iter()
        .chain(self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    pub(super) fn pg_hba(&self) -> String {
        let kind = if self.tls.is_some() { "hostssl" } else { "host" };
        let method = match (self.tls.as_ref().map(|(tls, _)| *tls), &self.password) {
            (Some(Tls::ClientCertificate), _) => "cert",
            (_, Some(_)) => "scram-sha-256",
            (_, None) => "trust",
        };
        format!("local all,replication all trust\n{kind} all all samehost {method}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_servers_refuse_plain_connections() {
        let pair = || (String::new(), String::new());
        let none = || Certificates { authority: String::new(), server: pair(), client: pair() };
        let hba = Options::new().tls(Tls::Server, none()).password("x").pg_hba();
        assert_eq!(
            hba,
            "local all,replication all trust\nhostssl all all samehost scram-sha-256\n"
        );
        let hba = Options::new().tls(Tls::ClientCertificate, none()).pg_hba();
        assert!(hba.contains("hostssl all all samehost cert"));
    }
}
