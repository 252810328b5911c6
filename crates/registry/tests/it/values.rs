//! Values of every type, written on both stores: reading them gives the same JSON.

use async_trait::async_trait;
use duet_document::Codec;
use duet_model::{Result, Type, Value};
use duet_sql::{Parameter, Statement};
use duet_store::{Call, Ending, Session, Write, Writes};

use crate::store::{Fixture, Kind};

const COLUMNS: &str =
    "id INTEGER PRIMARY KEY, bo BOOLEAN, i BIGINT, de NUMERIC(20,2), f DOUBLE PRECISION,
    tx VARCHAR(20), ts TIMESTAMP, da DATE, ti TIME, id2 UUID";
const SQLITE: &str = "tz TIMESTAMPTZ, tt TIMETZ, iv INTERVAL, bi BLOB, js JSON";
const POSTGRES: &str = "tz timestamptz, tt timetz, iv interval, bi bytea, js jsonb,
    ia integer[], mo mood, po point";

/// Writes one value into one column and reads it back as JSON.
struct Round {
    column: &'static str,
    ty: Type,
    value: Value,
}

#[async_trait(?Send)]
impl Write for Round {
    type Output = String;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<String>> {
        let Self { column, ty, value } = self;
        let suffix = if *ty == Type::Other { "::text" } else { "" };
        let sql = format!("INSERT INTO t ({column}) VALUES ($1) RETURNING {column}{suffix}");
        let parameters = vec![Parameter::Value { value: value.clone(), ty: ty.clone() }];
        let codecs = vec![Codec::of(ty)];
        let call = Call {
            statement: Statement { sql: sql.into(), parameters },
            codecs,
            writes: Writes::Everything,
        };
        let done = session.run(&[call]).await?;
        let mut json = Vec::new();
        Codec::of(ty).write(done[0].rows.get(0, 0), &mut json);
        Ok(Ending::Rollback(String::from_utf8(json).unwrap()))
    }
}

fn round(fixture: &Fixture, column: &'static str, ty: Type, value: Value) -> String {
    fixture.run(async |handle| {
        let write = Round { column, ty, value };
        handle
            .write(std::sync::Arc::new(write))
            .await
            .unwrap_or_else(|error| panic!("{column}: {:?}", error.cause))
    })
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn both_stores_keep_the_same() {
    let decimal = || Type::Decimal { scale: Some(2) };
    let float = || Type::Float { bits: 64 };
    let integer = || Type::Integer { bits: 64 };
    let cases = || {
        vec![
            ("bo", Type::Boolean, Value::Bool(false), "false"),
            ("bo", Type::Boolean, Value::Null, "null"),
            ("i", integer(), Value::Int(i64::MAX), "9223372036854775807"),
            ("de", decimal(), text("1234567.5"), "1234567.50"),
            ("de", decimal(), text("-3"), "-3.00"),
            ("f", float(), Value::Float(0.1), "0.1"),
            ("f", float(), Value::Float(f64::INFINITY), "\"Infinity\""),
            ("f", float(), text("NaN"), "\"NaN\""),
            ("tx", Type::Text, text("a \"b\" \\ ü"), "\"a \\\"b\\\" \\\\ ü\""),
            ("tx", Type::Text, text("12"), "\"12\""),
            ("ts", Type::Timestamp, text("2022-03-20 10:00:00.120"), "\"2022-03-20T10:00:00.12\""),
            (
                "tz",
                Type::TimestampTz,
                text("2022-03-20T10:00:00+02:00"),
                "\"2022-03-20T08:00:00Z\"",
            ),
            ("da", Type::Date, text("2022-03-20"), "\"2022-03-20\""),
            ("ti", Type::Time, text("01:37:33.584"), "\"01:37:33.584\""),
            ("tt", Type::TimeTz, text("01:37:33+02:00"), "\"01:37:33+02:00\""),
            ("iv", Type::Interval, text("P1DT8H"), "\"P1DT8H\""),
            (
                "id2",
                Type::Uuid,
                text("6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB"),
                "\"6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab\"",
            ),
            ("bi", Type::Binary, Value::Bytes(vec![0, 255]), "\"AP8=\""),
            ("js", Type::Json, text("{\"a\": [1, null]}"), "{\"a\":[1,null]}"),
        ]
    };
    for kind in Kind::BOTH {
        let schema = match kind {
            Kind::Sqlite => format!("CREATE TABLE t ({COLUMNS}, {SQLITE})"),
            Kind::Postgres => {
                let columns = COLUMNS.replace("PRIMARY KEY", "GENERATED ALWAYS AS IDENTITY");
                format!(
                    "CREATE TYPE mood AS ENUM ('ok', 'not so'); CREATE TABLE t ({columns}, {POSTGRES})"
                )
            }
        };
        let fixture = Fixture::new(kind, "values", &schema);
        for (column, ty, value, json) in cases() {
            assert_eq!(round(&fixture, column, ty, value), json, "{kind:?} {column}");
        }
        if kind == Kind::Postgres {
            let mood = Type::Enum(["ok".to_owned(), "not so".to_owned()].into());
            let array = Type::Array(Box::new(Type::Integer { bits: 32 }));
            for (column, ty, value, json) in [
                ("mo", mood, "not so", "\"not so\""),
                ("ia", array, "{{1,2},{3,NULL}}", "[[1,2],[3,null]]"),
                ("po", Type::Other, "(1,2)", "\"(1,2)\""),
            ] {
                assert_eq!(round(&fixture, column, ty, text(value)), json);
            }
        }
    }
}
