//! A database as target of a run, from the command line.

use std::path::Path;

use duet_bench::targets::sql::{DatabaseAddress, SESSION};
use duet_client::Connection;

use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, target_of};
use crate::report::Outcome;

/// The database with this name.
pub(in crate::commands::bench) fn named(target: &str) -> Outcome<DatabaseAddress> {
    let named = DatabaseUrl::read(target, Path::new(""))?;
    match named.path() {
        Some(path) if !path.exists() => {
            let message = format!("There is no database {}.", path.display());
            Err(CommandError::refusal(message)
                .hint("`duet load` and `duet bench load` create one."))
        }
        _ => Ok(target_of(&named)?),
    }
}

/// Whether two targets are one database, possibly by two transports. If a target cannot be queried,
/// the answer is unknown, and services never count as one.
pub(in crate::commands::bench) fn is_same(one: &str, other: &str) -> bool {
    match (named(one), named(other)) {
        (
            Ok(DatabaseAddress::Sqlite { path: one, .. }),
            Ok(DatabaseAddress::Sqlite { path: other, .. }),
        ) => {
            let (one, other) = (one.canonicalize(), other.canonicalize());
            one.is_ok() && one.ok() == other.ok()
        }
        (Ok(one @ DatabaseAddress::Postgres(_)), Ok(other @ DatabaseAddress::Postgres(_))) => {
            let (one, other) = (identity(&one), identity(&other));
            one.is_some() && one == other
        }
        _ => false,
    }
}

/// An identifier that is unique to a PostgreSQL database.
fn identity(database: &DatabaseAddress) -> Option<String> {
    // A time as text would depend on the zone of each role.
    const ASK: &str = "SELECT extract(epoch FROM pg_postmaster_start_time())::text || ' ' || oid \
        FROM pg_database WHERE datname = current_database()";
    let target = database.target().ok()?;
    crate::runtime::runtime().ok()?.block_on(async {
        let mut connection = Connection::open(&target, SESSION).await.ok()?;
        let rows = connection.ask(ASK, &[]).await.ok()?;
        connection.close().await;
        rows.first(0).map(ToString::to_string)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_database_whatever_zone_a_role_lives_in() {
        let database = duet_testkit::postgres::Server::shared().database("bench_identity");
        let url = database.url();
        let zone = |zone: &str| {
            database.query(&format!("ALTER DATABASE bench_identity SET timezone = '{zone}'"));
            identity(&DatabaseAddress::Postgres(url.clone())).unwrap()
        };
        assert_eq!(zone("UTC"), zone("Asia/Tokyo"));
    }
}
