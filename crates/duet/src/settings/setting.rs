//! A setting: its name in each source, its topic, its type and its default.

use std::path::PathBuf;

use super::value::Value;

/// The topic of a setting; the order of the help and of the reference page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Listeners.
    Serving,
    /// The database.
    Database,
    /// The access rules.
    Security,
    /// CORS.
    Browsers,
    /// External JWTs.
    Issuer,
    /// Logs of requests.
    Logging,
    /// Limits on pages and filters.
    Reading,
    /// Limits and rules of writes.
    Writing,
    /// Limits on requests and connections.
    Requests,
}

impl Group {
    /// All of them, in order.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 9] = [
        Self::Serving,
        Self::Database,
        Self::Security,
        Self::Browsers,
        Self::Issuer,
        Self::Logging,
        Self::Reading,
        Self::Writing,
        Self::Requests,
    ];

    /// The heading in the help and on the reference page.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Serving => "Serving",
            Self::Database => "Database",
            Self::Security => "Security",
            Self::Browsers => "CORS (pages of other origins)",
            Self::Issuer => "JWTs of another issuer",
            Self::Logging => "Logging",
            Self::Reading => "Limits of reads",
            Self::Writing => "Writes",
            Self::Requests => "Limits of requests",
        }
    }

    /// Its table in `app.toml`.
    pub(crate) fn section(self) -> &'static str {
        match self {
            Self::Serving
            | Self::Database
            | Self::Security
            | Self::Browsers
            | Self::Issuer
            | Self::Logging => "settings",
            Self::Reading | Self::Writing | Self::Requests => "limits",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// The name, as in `app.toml`.
    pub(crate) name: &'static str,
    /// Its topic.
    pub(crate) group: Group,
    /// The name of its type.
    pub(crate) kind: &'static str,
    /// The placeholder of the value in the help.
    pub(crate) placeholder: &'static str,
    /// The allowed words, if it has a fixed set.
    pub(crate) words: &'static [&'static str],
    /// Whether it may be given several times.
    pub(crate) several: bool,
    /// The default, as text.
    pub(crate) default: &'static str,
    /// Its description, in one line and perhaps more after it.
    pub(crate) doc: &'static str,
    /// Parses texts, to check them.
    pub(crate) check: fn(&[String]) -> Result<(), String>,
}

impl Setting {
    /// Its flag without the dashes: `db-connections`.
    pub(crate) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Its environment variable: `DUET_DB_CONNECTIONS`.
    pub(crate) fn variable(&self) -> String {
        format!("DUET_{}", self.name.to_uppercase())
    }

    /// Its variables, of which the first one set is used: Duet's own, then that of a server that Duet
    /// replaces.
    pub(crate) fn variables(&self) -> impl Iterator<Item = String> + use<> {
        let replaced = (self.name == "workers").then(|| "REST_WORKERS".to_owned());
        std::iter::once(self.variable()).chain(replaced)
    }

    /// Its key in `app.toml`: `settings.db_connections`.
    #[cfg(test)]
    pub(crate) fn key(&self) -> String {
        format!("{}.{}", self.group.section(), self.name)
    }

    /// Whether it is a switch, given as a flag without a value.
    pub(crate) fn is_switch(&self) -> bool {
        self.kind == <bool as Value>::TYPE
    }

    /// Whether it is a path, which is relative to the folder of its file.
    pub(crate) fn is_path(&self) -> bool {
        self.kind == <Option<PathBuf> as Value>::TYPE
    }
}
