//! What was made in a database for capturing, what cannot be captured, and the refusals of it.

use std::collections::HashSet;

use duet_client::sqlstate;
use duet_model::{Code, Error};
use tokio_postgres::Client;

use crate::catalog::placements::has_citus;

/// The triggers of a table that is captured by triggers.
pub(super) const TRIGGERS: usize = 4;

/// The tables that Citus distributes over machines. Their rows change on
/// other machines, whose logs are not read, and without the triggers of this one.
const DISTRIBUTED: &str = "SELECT logicalrelid::oid FROM pg_catalog.pg_dist_partition";

/// Begins a transaction that writes, whatever the default of the role or of a pooler's connection is.
pub(super) const WRITING: &str = "BEGIN READ WRITE";

/// Why tables of Citus are left out: neither the log nor the triggers of this server see their rows change.
pub(super) const ELSEWHERE: &str = "Citus keeps the rows of these tables in others, on other machines: their items stay in memory for `rowstore_max_age`";

pub(super) fn failed(error: &tokio_postgres::Error) -> Error {
    sqlstate::error_of(error)
}

pub(super) fn refused(error: &tokio_postgres::Error) -> Error {
    Error::new(Code::Setting, "The database refuses to prepare the capture of changes.")
        .hint("The user of the connection needs CREATE on the database and must own the tables, and what was made before.")
        .cause(sqlstate::chain(error))
}

/// The tables that are distributed over machines.
pub(super) async fn distributed(client: &Client) -> Result<HashSet<u32>, tokio_postgres::Error> {
    if !has_citus(client).await? {
        return Ok(HashSet::new());
    }
    let rows = client.query(DISTRIBUTED, &[]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}
