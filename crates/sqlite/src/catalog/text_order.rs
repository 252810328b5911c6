//! Which columns sort as texts because a `CHECK` allows one text for each value, in order.
//!
//! Only the conditions of the dialect are recognised, as they are: what else a condition means cannot
//! be read from its text.

use duet_model::Column;
use duet_sql::{OrderSyntax as _, Sqlite, ValueSyntax as _};

use super::ddl::parts;

/// Whether one of a table's conditions keeps a column's texts in the order of their meaning.
pub(super) fn is_kept<'a>(column: &Column, conditions: impl Iterator<Item = &'a str>) -> bool {
    let known = Sqlite.text_order_checks(&column.ty);
    if known.is_empty() {
        return false;
    }
    let mut quoted = String::new();
    Sqlite.identifier(&column.name, &mut quoted);
    let known: Vec<_> = known.iter().map(|known| parts(&known.replace("{}", &quoted))).collect();
    let mut conditions = conditions.map(parts);
    conditions.any(|condition| known.contains(&condition))
}

#[cfg(test)]
mod tests {
    use duet_model::{Type, temporal};
    use proptest::prelude::*;
    use proptest::sample::select;
    use rusqlite::Connection;
    use rusqlite::types::Value;

    use super::*;

    fn is_kept_by(ty: Type, condition: &str) -> bool {
        is_kept(&Column::new("At", ty), std::iter::once(condition))
    }

    #[test]
    fn conditions_of_the_dialect_are_recognised() {
        let is_kept = |condition: &str| is_kept_by(Type::Timestamp, condition);
        for same in [
            "at IS strftime('%Y-%m-%dT%H:%M:%S', at)",
            "\"AT\" is STRFTIME ( '%Y-%m-%dT%H:%M:%S' /* seconds */ , [At] )",
            "at IS rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', at), '0'), '.')",
        ] {
            assert!(is_kept(same), "{same}");
        }
        for other in [
            // NULL for invalid moments, which a CHECK lets pass.
            "at = strftime('%Y-%m-%dT%H:%M:%S', at)",
            "at IS strftime('%Y-%m-%d %H:%M:%S', at)",
            "at IS strftime('%Y-%m-%dt%h:%m:%s', at)",
            "at IS strftime('%Y-%m-%dT%H:%M:%f', at)",
            "at IS strftime('%Y-%m-%dT%H:%M:%S', until)",
            "until IS strftime('%Y-%m-%dT%H:%M:%S', until)",
            "at IS strftime('%Y-%m-%dT%H:%M:%S', at) OR until IS NULL",
            "at IS strftime(\"%Y-%m-%dT%H:%M:%S\", at) IS NULL",
            "",
        ] {
            assert!(!is_kept(other), "{other}");
        }
    }

    #[test]
    fn the_manual_has_every_condition() {
        let manual = duet_testkit::golden::workspace().join("docs/types.md");
        let manual = std::fs::read_to_string(manual).unwrap().replace("\\|", "|");
        for ty in [Type::Timestamp, Type::TimestampTz] {
            for check in Sqlite.text_order_checks(&ty) {
                let row = format!("| `{}` | `{}` |", ty.name(), check.replace("{}", "c"));
                assert!(manual.contains(&row), "{row}");
            }
        }
    }

    #[test]
    fn moments_in_utc_have_whole_seconds() {
        assert!(is_kept_by(Type::TimestampTz, "at IS strftime('%Y-%m-%dT%H:%M:%SZ', at)"));
        for ty in [Type::TimestampTz, Type::Text, Type::Date] {
            let is_kept = is_kept_by(ty.clone(), "at IS strftime('%Y-%m-%dT%H:%M:%S', at)");
            assert!(!is_kept, "{ty:?}");
        }
    }

    /// What a column may be given: canonical texts, other texts of the same moments, texts of none, and
    /// what is no text.
    fn given() -> impl Strategy<Value = Value> {
        let date =
            select(vec!["2022-03-20", "2024-02-29", "2023-02-29", "9999-12-31", "0001-01-01"]);
        let time =
            select(vec!["00:00:00", "00:00:01", "00:01:01", "23:59:59", "24:00:00", "00:00:61"]);
        let fraction = prop_oneof![
            3 => Just(String::new()),
            5 => "\\.[0-9]{1,7}",
            2 => "\\.0?[1-9]",
            1 => select(vec![".", ".5e0", ".-5", "e5", ". 5", ".x"]).prop_map(str::to_owned),
        ];
        let zone = select(vec!["", "", "", "", "Z", "z", "+00:00", "+01:00", " "]);
        let between = select(vec!["T", "T", "T", " ", "t"]);
        let text = (date, between, time, fraction, zone).prop_map(
            |(date, between, time, fraction, zone)| {
                Value::Text(format!("{date}{between}{time}{fraction}{zone}"))
            },
        );
        let other = vec![
            Value::Null,
            Value::Integer(2_459_658),
            Value::Real(2_459_658.5),
            Value::Blob(b"2022-03-20T00:00:00".to_vec()),
            Value::Text("2022-03-20".into()),
            Value::Text("2022-03-20T00:00".into()),
            Value::Text("2022-03-20T00:00:00\0".into()),
            Value::Text("now".into()),
            Value::Text(String::new()),
        ];
        prop_oneof![9 => text, 1 => select(other)]
    }

    /// A database with a table for each condition of a type.
    fn tables(ty: &Type) -> (Connection, usize) {
        let connection = Connection::open_in_memory().unwrap();
        let checks = Sqlite.text_order_checks(ty);
        for (at, check) in checks.iter().enumerate() {
            let (name, check) = (ty.name(), check.replace("{}", "\"at\""));
            connection
                .execute_batch(&format!("CREATE TABLE t{at} (\"at\" {name} CHECK ({check}))"))
                .unwrap();
        }
        (connection, checks.len())
    }

    /// Whether a table's condition allows a value.
    fn allows(connection: &Connection, table: usize, value: &Value) -> bool {
        connection.execute(&format!("INSERT INTO t{table} VALUES (?1)"), [value]).is_ok()
    }

    proptest! {
        /// What a condition allows has the canonical form and lies in the order of time, one text for
        /// each moment.
        #[test]
        fn allowed_texts_are_canonical_and_in_order(values in prop::collection::vec(given(), 1..60)) {
            for ty in [Type::Timestamp, Type::TimestampTz] {
                let (connection, count) = tables(&ty);
                for table in 0..count {
                    for value in &values {
                        if !allows(&connection, table, value) || *value == Value::Null {
                            continue;
                        }
                        let Value::Text(text) = value else { panic!("{value:?}") };
                        prop_assert_eq!(temporal::canonical(&ty, text), Ok(text.clone()));
                    }
                    let sql = format!("SELECT DISTINCT \"at\" FROM t{table} WHERE \"at\" NOT NULL ORDER BY \"at\"");
                    let mut statement = connection.prepare(&sql).unwrap();
                    let texts = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
                    let moments: Vec<_> =
                        texts.map(|text| temporal::sort_key(&ty, &text.unwrap()).unwrap()).collect();
                    prop_assert!(moments.is_sorted_by(|a, b| a < b), "{:?}", moments);
                }
            }
        }

        /// The first condition allows whatever Duet stores, the second all of it to the millisecond.
        #[test]
        fn canonical_timestamps_pass_the_check(second in 0..86_400_i64, micros in 0..1_000_000_i64, year in 1..=9999_i64) {
            let (connection, _) = tables(&Type::Timestamp);
            let clock = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
            for (table, digits) in [(0, format!("{micros:06}")), (1, format!("{:03}", micros / 1_000))] {
                let text = format!("{year:04}-03-20 {clock}.{digits}");
                let stored = temporal::canonical(&Type::Timestamp, &text).unwrap();
                prop_assert!(allows(&connection, table, &Value::Text(stored.clone())), "{}", stored);
            }
        }
    }
}
