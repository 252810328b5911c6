//! The differences between the stores in order entry's statements.

use duet_bench::workload::Failed;
use duet_client::Connection;
use duet_model::Value;

use crate::generate::Engine;

/// The name of the data set.
pub(super) const SET: &str = "soe";

/// A sequence of PostgreSQL, and the table and key that it numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered(&'static str, &'static str, &'static str);

pub(super) const CUSTOMER: Numbered = Numbered("customer_seq", "customers", "customer_id");
pub(super) const ADDRESS: Numbered = Numbered("address_seq", "addresses", "address_id");
pub(super) const CARD: Numbered = Numbered("card_details_seq", "card_details", "card_id");
pub(super) const ORDER: Numbered = Numbered("orders_seq", "orders", "order_id");
pub(super) const LOGON: Numbered = Numbered("logon_seq", "logon", "logon_id");

/// The first key that clients choose: no sequence reaches it by itself.
pub(super) const FIRST_KEY: i64 = 10_000_000_000_000;

/// Tables and their keys that users assign.
pub(super) const KEYS: [(&str, &str); 5] = [
    (CUSTOMER.1, CUSTOMER.2),
    (ADDRESS.1, ADDRESS.2),
    (CARD.1, CARD.2),
    (ORDER.1, ORDER.2),
    (LOGON.1, LOGON.2),
];

/// Moves PostgreSQL's sequences behind rows whose keys clients chose, so that new rows have the
/// highest keys. Without such rows, nothing is written.
pub(super) async fn follow(connection: &mut Connection) -> Result<(), Failed> {
    for Numbered(sequence, table, key) in [CUSTOMER, ADDRESS, CARD, ORDER] {
        let sql = format!(
            "SELECT setval('{SET}.{sequence}', highest) FROM (SELECT max({key}) AS highest \
             FROM {SET}.{table}) found WHERE highest >= {FIRST_KEY} AND highest > \
             coalesce(pg_sequence_last_value('{SET}.{sequence}'::regclass), 0)"
        );
        connection.ask(&sql, &[]).await?;
    }
    Ok(())
}

impl Engine {
    /// The dialect of a connection.
    pub(super) fn spoken_by(connection: &Connection) -> Self {
        match connection.store() {
            "sqlite" => Self::Sqlite,
            _ => Self::Postgres,
        }
    }

    /// The next number, as an expression. SQLite's is correct only without other writers.
    pub(super) fn next(self, Numbered(sequence, table, key): Numbered) -> String {
        match self {
            Self::Postgres => format!("nextval('{SET}.{sequence}')"),
            Self::Sqlite => format!("(SELECT coalesce(max({key}), 0) + 1 FROM {table})"),
        }
    }

    /// Whether a statement is a round trip.
    pub(super) fn has_wire(self) -> bool {
        self == Self::Postgres
    }

    /// Reads money as cents.
    pub(super) fn cents(self, value: Option<&Value>) -> i64 {
        match value {
            Some(Value::Int(cents)) if self == Self::Sqlite => *cents,
            Some(Value::Int(whole)) => whole.saturating_mul(100),
            Some(Value::Text(text)) => hundredths(text),
            _ => 0,
        }
    }

    /// Writes money from cents.
    pub(super) fn money(self, cents: i64) -> Value {
        match self {
            Self::Sqlite => Value::Int(cents),
            Self::Postgres => Value::Text(format!("{}.{:02}", cents / 100, cents % 100)),
        }
    }

    /// A sum of money, as an expression in whole cents.
    pub(super) fn in_cents(self, expression: &str) -> String {
        match self {
            Self::Sqlite => format!("({expression})"),
            Self::Postgres => format!("(({expression}) * 100)::bigint"),
        }
    }
}

/// A decimal with up to two places, times a hundred.
fn hundredths(text: &str) -> i64 {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = rest.chars().chain("00".chars()).take(2).collect();
    format!("{whole}{digits}").parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_round_trips() {
        for (text, cents) in [("0", 0), ("12.3", 1230), ("12.34", 1234), ("7.05", 705)] {
            let value = Value::Text(text.into());
            assert_eq!(Engine::Postgres.cents(Some(&value)), cents, "{text}");
        }
        assert_eq!(Engine::Postgres.cents(Some(&Value::Int(12))), 1200);
        assert_eq!(Engine::Postgres.money(1205), Value::Text("12.05".into()));
        assert_eq!(Engine::Sqlite.cents(Some(&Engine::Sqlite.money(1205))), 1205);
        assert_eq!(Engine::Sqlite.cents(None), 0);
    }
}
