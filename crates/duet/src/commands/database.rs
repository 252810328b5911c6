//! Opening the store that a database URL means.

use std::sync::Arc;

use duet_db::postgres::connect;
use duet_db::{Limits, Store, postgres, sqlite};
use duet_model::Result;
use duet_model::memory::Budget;

use crate::application::process_environment;
use crate::database_url::DatabaseUrl;
use crate::report::warn;
use crate::settings::Settings;

/// Opens the store for a command that runs alone.
///
/// # Errors
/// As [`open_with`].
pub(super) async fn open(database: &DatabaseUrl, settings: &Settings) -> Result<Store> {
    open_with(database, settings, (0, &Budget::unlimited())).await
}

/// Opens the store. `others` are connections that other applications of the process may open to the
/// same server; `memory` is shared with them.
///
/// # Errors
/// Where the file is not there, the server cannot be reached, or too many connections are asked
/// for.
pub(super) async fn open_with(
    database: &DatabaseUrl,
    settings: &Settings,
    (others, memory): (usize, &Budget),
) -> Result<Store> {
    let limits = Limits { others, memory: memory.clone(), ..limits(settings) };
    Ok(match database {
        DatabaseUrl::Sqlite(path) => {
            let options = sqlite::Options {
                wal: settings.wal.value,
                synchronous: settings.sqlite_synchronous.value,
                wal_bytes: settings.sqlite_wal_bytes.value.0 as u64,
                disk_reserve: settings.sqlite_disk_reserve.value.0 as u64,
            };
            let opened =
                sqlite::Database::open(path, &options, limits).map_err(|error| {
                    match path.exists() {
                        true => error,
                        false => error.hint("`duet load APP --database sqlite:PATH` makes one."),
                    }
                })?;
            Store::Sqlite(Arc::new(opened))
        }
        DatabaseUrl::Postgres(url) => {
            let connection = postgres_settings(url)?;
            Store::Postgres(Arc::new(postgres::Database::open(connection, limits).await?))
        }
    })
}

/// The name of the database that a connection string means.
pub(super) fn postgres_name(url: &str) -> Result<String> {
    let settings = connect::Settings::from_url(url, &process_environment)?;
    Ok(settings.database().to_owned())
}

/// How many connections an application may open, and to which server; none for SQLite.
pub(super) fn connections(
    database: &DatabaseUrl,
    settings: &Settings,
) -> Result<Option<(String, usize)>> {
    let DatabaseUrl::Postgres(url) = database else { return Ok(None) };
    let server = connect::Settings::from_url(url, &process_environment)?.server();
    Ok(Some((server, postgres::most_connections(&limits(settings)))))
}

/// The settings of connections, completed from the environment; warns of what is doubtful.
pub(super) fn postgres_settings(url: &str) -> Result<connect::Settings> {
    let settings = connect::Settings::from_url(url, &process_environment)?;
    settings.warnings().iter().for_each(|warning| warn(warning));
    Ok(settings)
}

fn limits(settings: &Settings) -> Limits {
    Limits {
        connections: settings.db_connections.value.get(),
        others: 0,
        workers: settings.workers.value.get(),
        statement_timeout: settings.statement_timeout.value,
        lock_timeout: settings.lock_timeout.value,
        queue_timeout: settings.queue_timeout.value,
        queue_length: settings.queue_length.value.get(),
        batch: settings.batch.value.get(),
        answer_bytes: settings.answer_bytes.value.0,
        memory: Budget::unlimited(),
        streams: settings.streams.value.get(),
        stream_timeout: settings.stream_timeout.value,
        loads: settings.loads.value.get(),
    }
}
