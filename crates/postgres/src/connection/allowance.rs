//! How many connections the server allows a user.

use std::fmt;
use std::time::Duration;

use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_model::{Error, Result};
use duet_store::location::ConnectionAllowance;
use tokio_postgres::Client;

const LIMITS: &str = "SELECT current_setting('max_connections')::int8, \
     current_setting('superuser_reserved_connections')::int8, \
     (SELECT rolconnlimit::int8 FROM pg_catalog.pg_roles WHERE rolname = current_user)";

/// The limits of a server and of the user of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    most: i64,
    reserved: i64,
    of_role: Option<i64>,
}

impl Allowance {
    /// What the server of a connection says.
    pub(crate) async fn of(client: &Client) -> Result<Self> {
        let row = client.query_one(LIMITS, &[]).await;
        let row = row.map_err(|error| sqlstate::error_of(&error))?;
        let of_role: Option<i64> = row.get(2);
        Ok(Self {
            most: row.get(0),
            reserved: row.get(1),
            of_role: of_role.filter(|limit| *limit >= 0),
        })
    }

    /// As many, over all programs.
    pub(crate) fn connections(self) -> usize {
        let of_server = self.most - self.reserved;
        let allowed = self.of_role.map_or(of_server, |limit| limit.min(of_server));
        usize::try_from(allowed).unwrap_or(0)
    }
}

/// Where the number comes from.
impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { most, reserved, of_role } = self;
        write!(f, "max_connections {most} - superuser_reserved_connections {reserved}")?;
        of_role.map_or(Ok(()), |limit| write!(f, ", limit of the role {limit}"))
    }
}

/// The same before the database is opened; `None` behind a pooler, which shares connections of its own, and where the
/// server does not answer in time.
pub(crate) async fn allowed(
    settings: &Settings,
    limit: Duration,
) -> Result<Option<ConnectionAllowance>> {
    let asked = async {
        let connector = settings.connector()?;
        if !connector.is_direct().await? {
            return Ok(None);
        }
        let (client, running) = connector.connect().await?;
        let running = tokio::spawn(running);
        let allowance = Allowance::of(&client).await;
        drop(client);
        // It ends with the client; how it ends says nothing more.
        drop(running.await);
        let allowance = allowance?;
        let connections = allowance.connections();
        Ok::<_, Error>(Some(ConnectionAllowance { connections, why: allowance.to_string() }))
    };
    tokio::time::timeout(limit, asked).await.unwrap_or(Ok(None))
}
