//! Which cluster and database a server is of, and whether it is a standby.

use duet_client::sqlstate;
use duet_model::{Code, Error, Result};
use tokio_postgres::Client;

use crate::log_position::LogSizes;

/// What tells servers apart; `pg_control_system` is open to every user.
const IDENTITY: &str = "
SELECT pg_catalog.pg_is_in_recovery(), system_identifier::text, pg_catalog.current_database()::text,
       pg_catalog.current_setting('wal_block_size')::int8,
       pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size'))
  FROM pg_catalog.pg_control_system()";

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) is_standby: bool,
    /// Equal for a primary and its standbys, and for no other cluster.
    system: String,
    database: String,
    pub(crate) log: LogSizes,
}

impl Identity {
    /// Asks a server.
    pub(crate) async fn of(client: &Client) -> Result<Self> {
        let row = client.query_one(IDENTITY, &[]).await;
        let row = row.map_err(|error| sqlstate::error_of(&error))?;
        Ok(Self {
            is_standby: row.get(0),
            system: row.get(1),
            database: row.get(2),
            log: LogSizes { block: row.get(3), file: row.get(4) },
        })
    }

    /// The same server after it was promoted.
    pub(crate) fn promoted(&self) -> Self {
        Self { is_standby: false, ..self.clone() }
    }

    /// Why this server answers no reads of the database on that primary.
    ///
    /// # Errors
    /// [`Code::Setting`], naming the server and the reason.
    pub(crate) fn check_standby_of(&self, primary: &Self, name: &str) -> Result<()> {
        let reason = if self.system != primary.system {
            format!(
                "is of another cluster (system identifier {}; the database's is {})",
                self.system, primary.system
            )
        } else if self.database != primary.database {
            format!("names the database {:?}, and not {:?}", self.database, primary.database)
        } else if !self.is_standby {
            "is a primary, which takes writes".to_owned()
        } else {
            return Ok(());
        };
        let message = format!("The server {name} of `read_database` {reason}.");
        let hint = "Name streaming standbys of the server of `database`, and the same database.";
        Err(Error::new(Code::Setting, message).hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_standbys_of_the_same_database_are_taken() {
        let log = LogSizes { block: 8_192, file: 16 << 20 };
        let server = |is_standby, system: &str, database: &str| Identity {
            is_standby,
            system: system.to_owned(),
            database: database.to_owned(),
            log,
        };
        let primary = server(false, "7", "shop");
        let reason = |standby: Identity| match standby.check_standby_of(&primary, "b:5432") {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(reason(server(true, "7", "shop")), "");
        assert!(
            reason(server(false, "7", "shop")).contains("b:5432 of `read_database` is a primary")
        );
        assert!(
            reason(server(true, "8", "shop")).contains("another cluster (system identifier 8;")
        );
        assert!(reason(server(true, "7", "other")).contains("names the database \"other\""));
    }
}
