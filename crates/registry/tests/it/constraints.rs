//! What the database refuses, as codes.

use duet_model::{Code, Error};

use crate::steps::{Steps, run};
use crate::store::{Fixture, Kind};

const TABLES: &str = "CREATE TABLE p (id INTEGER PRIMARY KEY);
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER,
        c INTEGER CONSTRAINT positive CHECK (c > 0), p INTEGER CONSTRAINT t_p REFERENCES p,
        g INTEGER GENERATED ALWAYS AS (a + 1) STORED,
        CONSTRAINT t_a_b UNIQUE (a, b));
    CREATE VIEW v AS SELECT count(*) AS n FROM p;
    INSERT INTO p VALUES (1); INSERT INTO t (id, a, b, p) VALUES (1, 1, 1, 1);";
const SQLITE_TRIGGER: &str = "CREATE TRIGGER g BEFORE DELETE ON t WHEN old.a = 2
    BEGIN SELECT RAISE(ABORT, 'the secret rule'); END;";
const POSTGRES_TRIGGER: &str = "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF old.a = 2 THEN RAISE EXCEPTION 'the secret rule'; END IF; RETURN old; END $$;
    CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION g();
    CREATE TABLE x (during int4range, EXCLUDE USING gist (during WITH &&));
    CREATE TABLE s (a varchar(3), b smallint, d int);
    CREATE TABLE r (a int); ALTER TABLE r ENABLE ROW LEVEL SECURITY; ALTER TABLE r FORCE ROW LEVEL SECURITY;
    CREATE POLICY r ON r USING (true) WITH CHECK (a > 0);";

#[test]
fn both_stores_give_the_same_codes() {
    for kind in Kind::BOTH {
        let trigger = if kind == Kind::Sqlite { SQLITE_TRIGGER } else { POSTGRES_TRIGGER };
        let fixture = Fixture::new(kind, "constraints", &format!("{TABLES}{trigger}"));
        let (unique, foreign) = (Code::UniqueViolation, Code::ForeignKeyViolation);
        let insert = "INSERT INTO t (id, a, b) VALUES ($1, $2, $3)";
        for (sql, numbers, code) in [
            (insert, &[1, 9, 9][..], unique),
            (insert, &[2, 1, 1], unique),
            ("INSERT INTO t (id, a, p) VALUES ($1, $2, $3)", &[2, 2, 7], foreign),
            ("DELETE FROM p WHERE id = $1", &[1], foreign),
            ("INSERT INTO t (id, a, c) VALUES ($1, $2, $3)", &[2, 2, 0], Code::CheckViolation),
            ("INSERT INTO t (id, b) VALUES ($1, $2)", &[2, 2], Code::NotNullViolation),
            ("UPDATE t SET a = NULL WHERE id = $1", &[1], Code::NotNullViolation),
            ("INSERT INTO t (id, a, g) VALUES ($1, $2, $3)", &[2, 2, 2], Code::NotWritable),
            ("UPDATE v SET n = $1", &[1], Code::NotWritable),
        ] {
            let error = refused(&fixture, sql, numbers);
            assert_eq!(error.code, code, "{kind:?} {sql}: {:?}", error.cause);
            assert!(error.cause.is_some(), "{sql}");
            for name in ["t_a_b", "positive", "_pkey", "constraint failed", "id"] {
                let whole_word = |word: &str| word == name;
                assert!(!error.message.split_whitespace().any(whole_word), "{}", error.message);
            }
        }
        fixture.exec("INSERT INTO t (id, a) VALUES (2, 2)");
        let error = refused(&fixture, "DELETE FROM t WHERE id = $1", &[2]);
        assert_eq!(error.code, Code::TriggerRefused);
        assert!(
            !error.message.contains("secret") && error.cause.unwrap().contains("the secret rule")
        );
        assert_eq!(fixture.query("SELECT count(*) FROM t"), "2");
    }
}

#[test]
fn violated_constraints_are_reported() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "rules", TABLES);
        let insert = "INSERT INTO t (id, a, b) VALUES ($1, $2, $3)";
        let violation = refused(&fixture, insert, &[2, 1, 1]).violation.unwrap();
        match kind {
            Kind::Sqlite => assert_eq!(violation.columns, ["a", "b"]),
            Kind::Postgres => assert_eq!(violation.constraint.as_deref(), Some("t_a_b")),
        }
        assert_eq!(violation.table.as_deref(), Some("t"));
        let check = "INSERT INTO t (id, a, c) VALUES ($1, $2, $3)";
        let violation = refused(&fixture, check, &[2, 2, 0]).violation.unwrap();
        assert_eq!(violation.constraint.as_deref(), Some("positive"));
        let missing = "INSERT INTO t (id, b) VALUES ($1, $2)";
        let violation = refused(&fixture, missing, &[2, 2]).violation.unwrap();
        assert_eq!(
            (violation.table.as_deref(), &violation.columns[..]),
            (Some("t"), &["a".to_owned()][..])
        );
    }
}

#[test]
fn postgres_alone() {
    let schema = format!(
        "{TABLES}{POSTGRES_TRIGGER} CREATE ROLE writer LOGIN;
        GRANT ALL ON ALL TABLES IN SCHEMA public TO writer; REVOKE DELETE ON p FROM writer"
    );
    let fixture = Fixture::new(Kind::Postgres, "refusals", &schema);
    for (sql, code) in [
        ("INSERT INTO x VALUES ('[1,3)'), ('[2,4)')", Code::ExclusionViolation),
        ("INSERT INTO s (a) VALUES ('abcd')", Code::ValueOutOfRange),
        ("INSERT INTO s (b) VALUES (40000)", Code::ValueOutOfRange),
        ("INSERT INTO s (a, d) VALUES ('abc', 1 / 0)", Code::NotComputed),
        ("INSERT INTO nowhere VALUES (1)", Code::SchemaChanged),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = 'UX001'; END $$", Code::TriggerRefused),
        ("SET TRANSACTION READ ONLY; INSERT INTO p VALUES (9)", Code::Internal),
    ] {
        let error = refused(&fixture, sql, &[]);
        assert_eq!(error.code, code, "{sql}: {:?}", error.cause);
    }
    fixture.exec("ALTER DATABASE write_refusals SET ROLE writer");
    for (sql, code) in
        [("INSERT INTO r VALUES (0)", Code::RowSecurity), ("DELETE FROM p", Code::DatabaseDenied)]
    {
        let error = refused(&fixture, sql, &[]);
        assert_eq!(error.code, code, "{sql}: {:?}", error.cause);
    }
}

fn refused(fixture: &Fixture, sql: &str, numbers: &[i64]) -> Error {
    fixture.run(async |handle| handle.write(Steps::new(vec![run(sql, numbers)])).await.unwrap_err())
}
