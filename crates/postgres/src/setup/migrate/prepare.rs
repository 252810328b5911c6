//! Makes what a database lacks of what collections declare, and drops nothing of earlier declarations: a migration
//! without an observer, for commands that only say what they made.

use duet_client::connect::Settings;
use duet_model::{CollectionTable, Result};
use duet_store::setup::migrate::prepared::options;
use duet_store::setup::migrate::{Indexes, MadeObjects};

use super::apply_postgres;

/// Makes what a PostgreSQL database lacks, beside the requests of its tables.
///
/// # Errors
/// As [`apply_postgres`].
pub(crate) async fn prepare_postgres(
    settings: &Settings,
    tables: Vec<CollectionTable>,
    indexes: Indexes,
) -> Result<MadeObjects> {
    let plan = apply_postgres(settings, tables.into(), options(indexes), &mut |_| Ok(())).await?;
    Ok(MadeObjects::of(plan))
}
