//! Statements on the table of idempotency keys, which is Duet's own: made on request, never served.

use duet_model::{Type, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// The three columns that identify a key.
const KEY: [&str; 3] = ["caller", "resource", "idempotency_key"];

/// Takes a key: affects one row where the key is new or has expired, none where another request has it.
/// Waits for a transaction under way that has taken the same key. Times are in milliseconds since 1970.
pub fn take_key(
    dialect: &dyn Dialect,
    key: [&str; 3],
    fingerprint: &str,
    now: i64,
    expires: i64,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.text(dialect.key_table().name);
    writer.text(" AS k (caller, resource, idempotency_key, fingerprint, expires_at) VALUES (");
    writer.list(key.into_iter().chain([fingerprint]), ", ", text);
    writer.text(", ");
    number(&mut writer, expires);
    writer.text(
        ") ON CONFLICT (caller, resource, idempotency_key) DO UPDATE SET \
         fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, \
         status = NULL, headers = NULL, body = NULL WHERE k.expires_at <= ",
    );
    number(&mut writer, now);
    writer.finish()
}

/// Reads the fingerprint, status, headers and body of a key.
pub fn read_key(dialect: &dyn Dialect, key: [&str; 3]) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT fingerprint, status, headers, body FROM ");
    writer.text(dialect.key_table().name);
    of_key(&mut writer, key);
    writer.finish()
}

/// Stores the answer of a key that was taken.
pub fn store_answer(
    dialect: &dyn Dialect,
    key: [&str; 3],
    status: u16,
    headers: &str,
    body: &[u8],
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.key_table().name);
    writer.text(" SET status = ");
    number(&mut writer, i64::from(status));
    writer.text(", headers = ");
    text(&mut writer, headers);
    writer.text(", body = ");
    writer.bind(Value::Bytes(body.into()), &Type::Binary, "bytea");
    of_key(&mut writer, key);
    writer.finish()
}

/// Removes keys that have expired, at most so many, but for those that another transaction is at.
pub fn remove_expired(dialect: &dyn Dialect, now: i64, most: usize) -> Statement {
    let table = dialect.key_table().name;
    let mut writer = Writer::new(dialect);
    writer.text("DELETE FROM ");
    writer.text(table);
    writer.text(
        " WHERE (caller, resource, idempotency_key) IN (SELECT caller, resource, idempotency_key FROM ",
    );
    writer.text(table);
    writer.text(" WHERE expires_at <= ");
    number(&mut writer, now);
    writer.text(" ORDER BY expires_at LIMIT ");
    writer.number(most);
    if let Some([skip, _]) = dialect.row_lock_without_waiting() {
        writer.text(" FOR UPDATE");
        writer.text(skip);
    }
    writer.text(")");
    writer.finish()
}

/// Looks whether the table exists and may be used.
pub fn find_key_table(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.key_table().usable);
    writer.finish()
}

fn of_key(writer: &mut Writer<'_>, key: [&str; 3]) {
    writer.text(" WHERE ");
    writer.list(KEY.into_iter().zip(key), " AND ", |writer, (column, value)| {
        writer.text(column);
        writer.text(" = ");
        text(writer, value);
    });
}

fn text(writer: &mut Writer<'_>, value: &str) {
    writer.bind(Value::Text(value.to_owned()), &Type::Text, "text");
}

fn number(writer: &mut Writer<'_>, value: i64) {
    writer.bind(Value::Int(value), &Type::Integer { bits: 64 }, "bigint");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Postgres, Sqlite};

    const ID: [&str; 3] = ["ann", "/shop/sale", "k-1"];

    #[test]
    fn values_are_parameters() {
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            let statements = [
                take_key(dialect, ID, "f", 1, 2),
                read_key(dialect, ID),
                store_answer(dialect, ID, 201, "", b"{}"),
            ];
            for statement in statements {
                assert!(!statement.sql.contains("ann"), "{}", statement.sql);
                assert!(statement.sql.contains(dialect.key_table().name), "{}", statement.sql);
            }
        }
    }

    /// Two writes remove expired keys concurrently, and neither waits for the other.
    #[test]
    fn expired_keys_that_others_hold_are_skipped_where_rows_are_locked() {
        let removes = |dialect: &dyn Dialect| remove_expired(dialect, 1, 8).sql;
        assert!(removes(&Postgres { icu: true }).ends_with("LIMIT 8 FOR UPDATE SKIP LOCKED)"));
        assert!(removes(&Sqlite).ends_with("LIMIT 8)"));
    }
}
