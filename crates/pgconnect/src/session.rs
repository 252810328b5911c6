//! The required kind of session (`target_session_attrs`), and the kind that a server offers.

use std::io;

use crate::Result;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::strings::values::Values;

/// The required kind of session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Session {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    /// A standby; if no host is one, any.
    PreferStandby,
}

/// The kind of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    standby: bool,
    read_only: bool,
}

impl Session {
    pub(crate) fn from_values(values: &Values) -> Result<Self> {
        let words = [
            ("any", Self::Any),
            ("read-write", Self::ReadWrite),
            ("read-only", Self::ReadOnly),
            ("primary", Self::Primary),
            ("standby", Self::Standby),
            ("prefer-standby", Self::PreferStandby),
        ];
        Ok(values.choice("target_session_attrs", &words)?.unwrap_or(Self::Any))
    }

    /// The accepted kinds in each pass over the hosts.
    pub(crate) fn passes(self) -> &'static [Self] {
        match self {
            Self::Any => &[Self::Any],
            Self::ReadWrite => &[Self::ReadWrite],
            Self::ReadOnly => &[Self::ReadOnly],
            Self::Primary => &[Self::Primary],
            Self::Standby => &[Self::Standby],
            Self::PreferStandby => &[Self::Standby, Self::Any],
        }
    }

    /// Whether a server is acceptable.
    pub(crate) fn accepts(self, server: Server) -> bool {
        match self {
            Self::Any | Self::PreferStandby => true,
            Self::ReadWrite => !server.read_only && !server.standby,
            Self::ReadOnly => server.read_only || server.standby,
            Self::Primary => !server.standby,
            Self::Standby => server.standby,
        }
    }
}

impl Server {
    /// From the server's reported parameters, from version 14 on; poolers may omit them.
    pub(crate) fn reported(parameter: impl Fn(&str) -> Option<bool>) -> Option<Self> {
        Some(Self {
            standby: parameter("in_hot_standby")?,
            read_only: parameter("default_transaction_read_only")?,
        })
    }

    /// By a query.
    pub(crate) async fn detect(client: &Client) -> Result<Self, tokio_postgres::Error> {
        const QUESTION: &str = "SELECT pg_catalog.pg_is_in_recovery(), \
             pg_catalog.current_setting('default_transaction_read_only') = 'on'";
        let answer = client.simple_query(QUESTION).await?;
        let row = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let column = |index| row.and_then(|row| row.get(index)) == Some("t");
        Ok(Self { standby: column(0), read_only: column(1) })
    }

    /// Why it is rejected, for the log.
    pub(crate) fn refusal(self, wanted: Session) -> io::Error {
        io::Error::other(format!("it is {self:?}, wanted is {wanted:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_servers() {
        let server = |standby, read_only| Server { standby, read_only };
        for (session, accepted) in [
            (Session::Any, [true, true, true]),
            (Session::ReadWrite, [true, false, false]),
            (Session::ReadOnly, [false, true, true]),
            (Session::Primary, [true, true, false]),
            (Session::Standby, [false, false, true]),
        ] {
            let servers = [server(false, false), server(false, true), server(true, true)];
            assert_eq!(servers.map(|server| session.accepts(server)), accepted, "{session:?}");
        }
        assert_eq!(Session::PreferStandby.passes(), [Session::Standby, Session::Any]);
    }
}
