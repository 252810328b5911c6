//! `duet copy` from outside: what comes over, what is refused, and how an interrupted copy goes on.

use std::fs;
use std::path::PathBuf;

use duet_testkit::postgres::{Database, Options, Server};
use duet_testkit::sqlite::{self, Folder};

use crate::{duet, duet_says};

/// A file with these statements, and an empty database.
struct Trial {
    folder: Folder,
    file: String,
    target: Database,
}

impl Trial {
    fn new(name: &str, script: &str) -> Self {
        let folder = Folder::new();
        let file = folder.load("a.db", &[script]).display().to_string();
        Self { folder, file, target: Server::shared().database(name) }
    }

    fn copy(&self, more: &[&str]) -> (i32, String, String) {
        duet(&[&["copy", &self.file, &self.target.url()], more].concat())
    }

    fn copied(&self, more: &[&str]) -> String {
        let (code, said, errors) = self.copy(more);
        assert_eq!((code, &*errors), (0, ""), "{said}");
        said
    }

    fn refused(&self, more: &[&str]) -> String {
        let (code, said, errors) = self.copy(more);
        assert_eq!((code, &*said), (1, ""), "{errors}");
        errors
    }

    /// What the target answers.
    fn asked(&self, sql: &str) -> String {
        self.target.query(sql).trim().to_owned()
    }
}

const EVERY_TYPE: &str = "
    PRAGMA foreign_keys = off;
    CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, \"Full Name\" TEXT NOT NULL UNIQUE,
        leader INTEGER REFERENCES driver, CHECK (length(\"Full Name\") BETWEEN 1 AND 40));
    CREATE TABLE driver (id INTEGER PRIMARY KEY, team INT CONSTRAINT of_team REFERENCES TEAM(ID)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, points INT DEFAULT 0 CHECK (points >= 0),
        is_open BOOLEAN DEFAULT 1 CHECK (is_open IN (0, 1)), fee DECIMAL(10,2), ratio REAL, code UUID,
        born DATE, at DATETIME DEFAULT CURRENT_TIMESTAMP, noted TIMESTAMPTZ, lap TIME, gap INTERVAL,
        extra JSON, photo BLOB);
    CREATE TABLE result (driver INT, race TEXT, place INT, PRIMARY KEY (race, driver)) WITHOUT ROWID;
    CREATE INDEX by_points ON driver (points DESC, id);
    CREATE UNIQUE INDEX first_place ON result (race) WHERE place = 1;
    INSERT INTO team VALUES (1, 'Zebra', 2), (2, 'alpha', 1), (9, 'gone', NULL);
    DELETE FROM team WHERE id = 9;
    INSERT INTO driver VALUES (1, 1, 25, 1, 1234.50, 0.1, '6F2C1D1E-5A0B-4C3D-9E8F-0123456789AB', '2000-02-29',
        '2024-01-01 10:00:00', '2024-01-01T10:00:00+02:00', '01:37:33.5', 'P1DT8H', '{\"b\": 1, \"a\": [1.50]}', x'00ff'),
        (2, 2, NULL, 0, -0.05, 1e300, NULL, NULL, NULL, NULL, NULL, NULL, 'null', NULL);
    INSERT INTO driver (id, team) VALUES (3, 1);
    INSERT INTO result SELECT 1 + n % 3, 'a' || char(9) || '\\' || n, n FROM
        (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 25000) SELECT n FROM c);";

#[test]
fn tables_come_over_with_keys_rules_and_numbers() {
    let trial = Trial::new("copy_whole", EVERY_TYPE);
    let shown = trial.copied(&["--dry-run"]);
    assert!(shown.contains("CREATE TABLE \"public\".\"driver\" ("), "{shown}");
    assert!(shown.ends_with("can be copied; nothing was.\n"), "{shown}");
    assert_eq!(trial.asked("SELECT to_regclass('driver') IS NULL"), "t");
    let said = trial.copied(&[]);
    assert!(said.contains("3 resources with 25005 documents, the JSON of all is equal"), "{said}");
    // A number is not given again, though its row is gone.
    assert_eq!(trial.asked("INSERT INTO team (\"Full Name\") VALUES ('new') RETURNING id"), "10");
    assert_eq!(
        trial.asked("SELECT string_agg(\"Full Name\", ' ' ORDER BY \"Full Name\") FROM team"),
        "Zebra alpha new"
    );
    assert_eq!(
        trial.asked("INSERT INTO driver (id, team) VALUES (4, 1) RETURNING (points, is_open, at > now() AT TIME ZONE 'UTC' - interval '1 day')"),
        "(0,t,t)"
    );
    for (broken, rule) in [
        ("INSERT INTO team (\"Full Name\") VALUES ('alpha')", "team_Full Name_key"),
        ("INSERT INTO team (\"Full Name\") VALUES ('')", "team_check1"),
        ("INSERT INTO driver (id, points) VALUES (5, -1)", "driver_check1"),
        ("INSERT INTO driver (id, team) VALUES (5, 77)", "of_team"),
        ("INSERT INTO result VALUES (3, E'a\\t\\\\1', 1)", "first_place"),
    ] {
        let said = trial.target.try_exec(broken).unwrap_err();
        assert!(said.contains(rule), "{broken}: {said}");
    }
    assert_eq!(trial.asked("SELECT deferred FROM (SELECT condeferred AS deferred FROM pg_constraint WHERE conname = 'of_team') t"), "t");
    trial.target.exec("UPDATE team SET leader = NULL; DELETE FROM team WHERE id = 1");
    assert_eq!(trial.asked("SELECT count(*) FROM driver"), "1");
    assert_eq!(trial.asked("SELECT indexdef LIKE '%(points DESC, id)' FROM pg_indexes WHERE indexname = 'by_points'"), "t");
    // What another schema has under these names is not what is compared.
    trial.target.exec("CREATE SCHEMA another; CREATE TABLE another.team (id int PRIMARY KEY)");
    // What is there is not copied again.
    assert!(trial.refused(&[]).contains("are already in postgres"));
    assert!(trial.copied(&["--schema", "other"]).contains("the JSON of all is equal"));
}

const REMAINDERS: &str = "
    CREATE TABLE a (id INTEGER PRIMARY KEY, free, name TEXT COLLATE NOCASE UNIQUE, twice INT AS (id * 2),
        made TEXT DEFAULT (lower('X')), note TEXT CHECK (note GLOB 'a*'), code TEXT UNIQUE ON CONFLICT REPLACE);
    CREATE INDEX of_lower ON a (lower(note));
    CREATE INDEX of_some ON a (note) WHERE note LIKE 'a%';
    CREATE TRIGGER changed AFTER INSERT ON a BEGIN SELECT 1; END;
    CREATE VIEW all_of_a AS SELECT * FROM a;
    CREATE VIRTUAL TABLE words USING fts5(body);
    CREATE TABLE a_table_whose_name_has_more_than_sixty_three_bytes_which_is_the_limit (id INTEGER PRIMARY KEY);
    CREATE TABLE b (id INTEGER PRIMARY KEY, flag BOOLEAN, amount DECIMAL(6,2), day DATE, doc JSON);
    INSERT INTO b VALUES (1, 1, 1.5, '2024-01-01', '[]'), (2, 7, 1.005, 'tomorrow', '{'), (3, 'x', 2, NULL, NULL);
    CREATE TABLE c (id INTEGER PRIMARY KEY, at TIMESTAMP, name TEXT, b INTEGER REFERENCES b);
    INSERT INTO c VALUES (1, '2024-01-01 10:00:00', 'a', 1), (2, '2024-01-01T10:00:00+02:00', 'b', NULL);
    PRAGMA foreign_keys = OFF; INSERT INTO c VALUES (3, NULL, CAST(x'ff41' AS TEXT), 77);";

#[test]
fn all_that_is_not_taken_comes_together() {
    let trial = Trial::new("copy_refused", REMAINDERS);
    let said = trial.refused(&["--dry-run"]);
    let lines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let begin =
        |text: &str| assert!(lines.iter().any(|line| line.starts_with(text)), "{text}: {said}");
    for text in [
        "types: a.free: ",
        "collations: a.name: ",
        "computed: a.twice: ",
        "defaults: a.made: DEFAULT lower('X')",
        "checks: a.a_check1: CHECK (note GLOB 'a*'): `glob`",
        "conflicts: a: ON CONFLICT REPLACE",
        "indexes: a.of_lower: it is of an expression",
        "indexes: a.of_some: WHERE note LIKE 'a%': `like`",
        "triggers: changed of a: ",
        "views: all_of_a: ",
        "virtual-tables: words: ",
        "names: a_table_whose_name_has_more",
        "values: b.flag: 2 rows have values that are not of its type, such as that of rowid = 2",
        "values: b.amount: 1 rows",
        "values: b.day: 1 rows",
        "values: b.doc: 1 rows",
        "values: c.at: 1 rows have values that are not of its type, such as that of rowid = 2",
        "values: c.name: 1 rows have values that are not of its type, such as that of rowid = 3",
        "values: c.b: 1 rows refer to rows that are not there, such as that of rowid = 3",
    ] {
        begin(text);
    }
    assert_eq!(lines.len(), 19, "{said}");
    sqlite::open(trial.file.as_ref())
        .execute_batch(
            "DELETE FROM b WHERE id > 1; DELETE FROM c WHERE id > 1; ALTER TABLE a DROP COLUMN free;
             DROP TABLE a_table_whose_name_has_more_than_sixty_three_bytes_which_is_the_limit;
             INSERT INTO a (name, note, code) VALUES ('A', 'ab', 'x')",
        )
        .unwrap();
    let kinds =
        "collations,computed,defaults,checks,conflicts,indexes,triggers,views,virtual-tables";
    let most = "collations,computed,defaults,checks,conflicts,indexes,triggers,views";
    assert!(trial.refused(&["--leave-out", most]).contains("virtual-tables: words"));
    let said = trial.copied(&["--leave-out", kinds]);
    assert!(said.contains("3 resources with 3 documents"), "{said}");
    let (code, _, said) = trial.copy(&["--leave-out", "types"]);
    assert!(code == 2 && said.contains("possible values: collations"), "{said}");
}

#[test]
fn a_copy_that_ended_goes_on() {
    let script = "CREATE TABLE a (id INTEGER PRIMARY KEY, b INT REFERENCES b);
        CREATE TABLE b (id INTEGER PRIMARY KEY, day DATE);
        WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 12000)
            INSERT INTO b SELECT n, '2024-01-01' FROM c;
        INSERT INTO a SELECT id, id FROM b;
        UPDATE b SET day = '2024-02-31' WHERE id = 11000;";
    let trial = Trial::new("copy_again", script);
    let (code, said, errors) = trial.copy(&[]);
    assert!(
        code == 1
            && said.contains("12000 rows")
            && errors.contains("A row of `b` cannot be written"),
        "{said}{errors}"
    );
    assert!(errors.contains("(line 1000, column day)"), "{errors}");
    let transactions = "SELECT string_agg(DISTINCT xmin::text, ' ' ORDER BY xmin::text) FROM a";
    let before = (trial.asked(transactions), trial.asked("SELECT count(*) FROM b"));
    assert_eq!(before.1, "10000");
    sqlite::open(trial.file.as_ref())
        .execute_batch("UPDATE b SET day = '2024-02-29' WHERE id = 11000")
        .unwrap();
    let said = trial.copied(&[]);
    assert!(said.contains("2 resources with 24000 documents"), "{said}");
    assert_eq!(trial.asked(transactions), before.0);
    assert_eq!(trial.asked("SELECT to_regclass('duet.copies') IS NULL"), "t");
    assert_eq!(trial.asked("SELECT count(*) FROM pg_constraint WHERE contype = 'f'"), "1");
}

#[test]
fn what_changed_meanwhile_is_found() {
    let script = "CREATE TABLE a (id INTEGER PRIMARY KEY, b INT); INSERT INTO a VALUES (1, 1);
        CREATE TABLE b (day DATE); INSERT INTO b VALUES ('2024-02-31');";
    let trial = Trial::new("copy_changed", script);
    assert_eq!(trial.copy(&[]).0, 1);
    sqlite::open(trial.file.as_ref())
        .execute_batch("UPDATE b SET day = '2024-02-29'; UPDATE a SET b = 2")
        .unwrap();
    let (code, _, errors) = trial.copy(&[]);
    assert!(code == 1 && errors.contains("table a: the JSON of its rows differs"), "{errors}");
}

#[test]
fn rows_that_refer_to_none_are_named_before_anything_is_copied() {
    let script = "PRAGMA foreign_keys = off; CREATE TABLE b (id INTEGER PRIMARY KEY);
        CREATE TABLE a (id INTEGER PRIMARY KEY, b INT CONSTRAINT to_b REFERENCES b); INSERT INTO a VALUES (1, 7);";
    let trial = Trial::new("copy_broken", script);
    for arguments in [&["--dry-run"][..], &[]] {
        let said = trial.refused(arguments);
        assert!(said.contains("a.b: 1 rows refer to rows that are not there"), "{said}");
    }
    sqlite::open(trial.file.as_ref()).execute_batch("INSERT INTO b VALUES (7)").unwrap();
    assert!(trial.copied(&[]).contains("the JSON of all is equal"));
}

#[test]
fn tables_that_are_there_are_filled() {
    let script = "CREATE TABLE a (id INTEGER PRIMARY KEY, free, b INT REFERENCES b);
        CREATE TABLE b (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
        INSERT INTO b VALUES (1, 'x'); INSERT INTO a VALUES (1, 'y', 1);";
    let trial = Trial::new("copy_kept", script);
    assert!(trial.refused(&["--tables", "kept"]).contains("\n  a: there is no such table\n"));
    trial.target.exec(
        "CREATE SCHEMA another; CREATE TABLE another.a (id bigint PRIMARY KEY);
         CREATE TABLE b (id bigint PRIMARY KEY, name text);
         CREATE TABLE a (id bigint PRIMARY KEY, free text, b bigint CONSTRAINT to_b REFERENCES b);",
    );
    let said = trial.copied(&["--tables", "kept"]);
    assert!(said.contains("2 resources with 2 documents, the JSON of all is equal"), "{said}");
    assert!(
        trial.target.try_exec("INSERT INTO a VALUES (2, 'z', 9)").unwrap_err().contains("to_b")
    );
    let said = trial.refused(&["--tables", "kept"]);
    assert!(said.contains("has rows already"), "{said}");
}

/// The dry run and the copy refuse the same tables, all of them at once, and nothing is noted.
#[test]
fn kept_tables_that_take_no_rows_are_named_by_the_dry_run_too() {
    let script = "CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT, n NUMERIC(8,2));
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INT REFERENCES a);
        INSERT INTO a VALUES (1, 'x', 1.5), (2, 'y', 2); INSERT INTO b VALUES (1, 1);";
    let trial = Trial::new("copy_kept_refused", script);
    let a = "CREATE TABLE s.a (id bigint PRIMARY KEY, v text, n numeric(8,2))";
    let b = "CREATE TABLE s.b (id bigint PRIMARY KEY, a bigint REFERENCES s.a)";
    let kept = ["--tables", "kept", "--schema", "s"];
    for (tables, expected) in [
        ("", &["a: there is no such table", "b: there is no such table"][..]),
        (
            "CREATE TABLE s.a (id bigint PRIMARY KEY, v text, must int NOT NULL); CREATE VIEW s.b AS SELECT 1::bigint AS id",
            &[
                "a.n: there is no such column",
                "a.must: it is NOT NULL without a default, and the file has no such column",
                "b.a: there is no such column",
            ],
        ),
        (
            &format!(
                "{a}; INSERT INTO s.a VALUES (7); CREATE VIEW s.b AS SELECT 1::bigint AS id, 1::bigint AS a"
            ),
            &["a: it has rows already", "b: it is a view, which takes no rows"],
        ),
        (
            &format!("{a}; CREATE VIEW s.b AS SELECT id, 1::bigint AS a FROM s.a"),
            &["b: it is a view, which takes no rows"],
        ),
        (
            &format!(
                "CREATE TABLE s.a (id bigint PRIMARY KEY, v text, n numeric GENERATED ALWAYS AS (1) STORED); {b}"
            ),
            &["a.n: the database computes it"],
        ),
    ] {
        trial.target.exec(&format!("DROP SCHEMA IF EXISTS s CASCADE; CREATE SCHEMA s; {tables}"));
        let found = ["--dry-run", "--verify=json"].map(|last| {
            let said = trial.refused(&[&kept[..], &[last]].concat());
            let mistakes = said.lines().filter_map(|line| line.strip_prefix("  "));
            mistakes.map(|line| line.trim_end_matches(" (DUET-5001)").to_owned()).collect()
        });
        let [tried, copied]: [Vec<String>; 2] = found;
        let is_said = tried.iter().zip(expected).all(|(one, other)| one == other);
        assert!(is_said && tried.len() >= expected.len(), "{tables}: {tried:?}");
        assert_eq!(tried, copied, "{tables}");
        assert_eq!(trial.asked("SELECT to_regclass('duet.copies') IS NULL"), "t", "{tables}");
    }
    // Values are tried by the dry run, with what the tables ask of them.
    for (tables, expected) in [
        (format!("CREATE TABLE s.a (id bigint PRIMARY KEY, v text, n int); {b}"), "column n"),
        (format!("{a}; ALTER TABLE s.a ADD CHECK (n > 1.6); {b}"), "a_n_check"),
    ] {
        trial.target.exec(&format!("DROP SCHEMA s CASCADE; CREATE SCHEMA s; {tables}"));
        let said = trial.refused(&[&kept[..], &["--dry-run"]].concat());
        assert!(
            said.contains("A row of `a` cannot be written: ") && said.contains(expected),
            "{said}"
        );
        assert_eq!(trial.asked("SELECT count(*) FROM s.a"), "0");
    }
    trial.target.exec(&format!(
        "DROP SCHEMA s CASCADE; CREATE SCHEMA s; {a}; {b};
         ALTER TABLE s.a ADD must serial NOT NULL, ADD made numeric NOT NULL DEFAULT 5 CHECK (made > 1)"
    ));
    let said = trial.copied(&[&kept[..], &["--dry-run"]].concat());
    assert!(said.ends_with("can be copied; nothing was.\n"), "{said}");
    assert_eq!(trial.asked("SELECT nextval('s.a_must_seq')"), "1");
    assert!(trial.copied(&kept).contains("2 resources with 3 documents"));
}

/// What an unfinished copy leaves is of its schema and its way alone.
#[test]
fn an_unfinished_copy_does_not_change_others() {
    let script = "CREATE TABLE a (id INTEGER PRIMARY KEY, day DATE);
        INSERT INTO a VALUES (1, '2024-02-31')";
    let trial = Trial::new("copy_unfinished", script);
    trial.target.exec("CREATE SCHEMA one; CREATE TABLE one.a (id bigint PRIMARY KEY, day date)");
    assert_eq!(trial.copy(&["--tables", "kept", "--schema", "one"]).0, 1);
    assert_eq!(trial.copy(&["--schema", "two"]).0, 1);
    sqlite::open(trial.file.as_ref()).execute_batch("UPDATE a SET day = '2024-02-29'").unwrap();
    // A table that another copy was to fill is none of this one, and keeps its rows.
    trial.target.exec("INSERT INTO one.a VALUES (7)");
    for arguments in [&["--schema", "one", "--dry-run"][..], &["--schema", "one"]] {
        assert!(trial.refused(arguments).contains("`a` is already in"));
    }
    assert_eq!(trial.asked("SELECT count(*) FROM one.a"), "1");
    for schema in ["three", "two"] {
        let said = trial.copied(&["--schema", schema, "--dry-run"]);
        assert!(said.ends_with("can be copied; nothing was.\n"), "{said}");
        assert!(trial.copied(&["--schema", schema]).contains("1 resources with 1 documents"));
    }
    assert_eq!(trial.copy(&["--schema", "four", "--tables", "kept"]).0, 1);
    // What the copy has made and somebody has dropped is named, too.
    sqlite::open(trial.file.as_ref()).execute_batch("UPDATE a SET day = '2024-02-31'").unwrap();
    assert_eq!(trial.copy(&["--schema", "five"]).0, 1);
    trial.target.exec("DROP TABLE five.a");
    for arguments in [&["--schema", "five", "--dry-run"][..], &["--schema", "five"]] {
        assert!(trial.refused(arguments).contains("\n  a: there is no such table"));
    }
}

#[test]
fn the_dry_run_finds_what_the_copy_would() {
    let script =
        "CREATE TABLE a (id INTEGER PRIMARY KEY, d DECIMAL(4,2), e NUMERIC(2,0), code TEXT);
        INSERT INTO a VALUES (1, 999.99, 99, 'x'), (2, 99.99, -100, 'y');
        CREATE TABLE b (id INTEGER PRIMARY KEY, code TEXT REFERENCES a (code), a INT REFERENCES a);";
    let trial = Trial::new("copy_dry", script);
    for arguments in [&["--dry-run"][..], &[]] {
        let said = trial.refused(arguments);
        for line in [
            "\n  references: b.code: REFERENCES a (code): that is no key of a table\n",
            "\n  values: a.d: 1 rows have values that are not of its type, such as that of rowid = 1",
            "\n  values: a.e: 1 rows have values that are not of its type, such as that of rowid = 2",
        ] {
            assert!(said.contains(line), "{line}: {said}");
        }
    }
    let change = "UPDATE a SET d = -99.99, e = -99";
    sqlite::open(trial.file.as_ref()).execute_batch(change).unwrap();
    let arguments = ["--leave-out", "references", "--state", "nosuch.json"];
    for dry in [&["--dry-run"][..], &[]] {
        let said = trial.refused(&[&arguments[..], dry].concat());
        assert!(said.contains("There is no file of clients nosuch.json."), "{said}");
        assert_eq!(trial.asked("SELECT to_regclass('a') IS NULL"), "t");
    }
    trial.copied(&[&arguments[..2], &["--dry-run"]].concat());
    assert!(trial.copied(&arguments[..2]).contains("2 resources with 2 documents"));
    assert_eq!(trial.asked("SELECT count(*) FROM pg_constraint WHERE contype = 'f'"), "1");
}

#[test]
fn an_application_moves_with_its_state() {
    let trial = Trial::new("copy_application", "");
    let state = trial.folder.path().join("state.json").display().to_string();
    let file = trial.folder.path().join("orders.db").display().to_string();
    duet_says(&["load", "orders", "--database", &file]);
    duet_says(&["prepare", "orders", "--database", &file]);
    duet_says(&[
        "client",
        "add",
        "reports",
        "--state",
        &state,
        "--role",
        "duet.read",
        "--id",
        "r1",
    ]);
    sqlite::open(file.as_ref())
        .execute_batch(
            "INSERT INTO duet_idempotency VALUES ('c', 'r', 'k', 'f', 1, 201, '[]', x'0001')",
        )
        .unwrap();
    let url = trial.target.url();
    let said = duet_says(&["copy", &file, &url, "--app", "orders", "--state", &state]);
    assert!(said.contains("the JSON of all is equal"), "{said}");
    let kept = "SELECT (idempotency_key, status, body) FROM duet.idempotency";
    assert_eq!(trial.asked(kept), "(k,201,\"\\\\x0001\")");
    assert!(duet_says(&["client", "list", "--in-database", &url]).contains("reports"));
    // Nothing is missing: the collections have their indexes and references.
    let said = duet_says(&["migrate", "orders", "--database", &url, "--dry-run"]);
    assert!(said.contains("already"), "{said}");
}

#[test]
fn rows_that_wait_in_a_journal_are_not_left_behind() {
    let trial = Trial::new("copy_journal", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    duet_says(&["journal", "prepare", "--database", &trial.file]);
    sqlite::open(trial.file.as_ref())
        .execute_batch(
            "INSERT INTO duet_journal_heads VALUES ('j', '/f', x'00', 9, 0);
             INSERT INTO duet_journal_marks VALUES ('j', 'h', 1, 7)",
        )
        .unwrap();
    assert!(trial.refused(&[]).contains("2 rows of the journal are not in the database yet"));
    sqlite::open(trial.file.as_ref())
        .execute_batch("UPDATE duet_journal_marks SET applied = 9")
        .unwrap();
    trial.copied(&[]);
    assert_eq!(trial.asked("SELECT applied FROM duet.journal_marks"), "9");
}

#[test]
fn databases_that_cannot_be_copied_so() {
    let trial = Trial::new("copy_others", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    let url = trial.target.url();
    let (code, _, errors) = duet(&["copy", &url, &url]);
    assert!(code == 1 && errors.contains("PostgreSQL has no copies to another store"), "{errors}");
    let (code, _, errors) = duet(&["copy", &trial.file, &trial.file]);
    assert!(code == 1 && errors.contains("SQLite has no copies from another store"), "{errors}");
    trial.target.exec("CREATE ROLE copy_weak LOGIN; REVOKE CREATE ON SCHEMA public FROM public");
    let weak = url.replace("user=postgres", "user=copy_weak");
    let (code, _, errors) = duet(&["copy", &trial.file, &weak]);
    assert!(code == 1 && errors.contains("permission denied for database"), "{errors}");
    let writer = sqlite::open(trial.file.as_ref());
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(trial.refused(&[]).contains("is being written by another program"));
    let (code, _, errors) = duet(&["copy", "absent.db", &url]);
    assert!(code == 1 && errors.contains("absent.db does not exist"), "{errors}");
}

/// An application with tenants in files, each with a table of its own beside the collection.
struct Tenants {
    folder: Folder,
    app: String,
    target: Database,
}

impl Tenants {
    fn new(name: &str, tenants: &[&str]) -> Self {
        let folder = Folder::new();
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("the folder is writable");
        };
        write(
            "note.json",
            r#"{"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}"#,
        );
        write("notes.toml", "table = 'note'\nschema = 'note.json'\n");
        write(
            "views.sql",
            "CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, n INTEGER)",
        );
        write(
            "app.toml",
            "name = 'shop'\nmount = '/shop'\ndatabase = 'sqlite:tenants'\ncollections = ['notes.toml']\n\
             prepare = ['views.sql']\ntenants = 'header'\n",
        );
        let app = folder.path().display().to_string();
        tenants.iter().for_each(|tenant| drop(duet_says(&["tenant", "create", &app, tenant])));
        Self { folder, app, target: Server::shared().database(name) }
    }

    fn file(&self, tenant: &str) -> PathBuf {
        self.folder.path().join(format!("tenants/{tenant}.db"))
    }

    fn change(&self, tenant: &str, sql: &str) {
        sqlite::open(&self.file(tenant)).execute_batch(sql).expect("the file takes the statements");
    }

    fn copy(&self, more: &[&str]) -> (i32, String, String) {
        duet(&[&["copy", &self.app, &self.target.url()], more].concat())
    }

    /// The tenants of the target.
    fn there(&self) -> String {
        duet_says(&["tenant", "list", &self.app, "--database", &self.target.url()])
    }
}

const NOTE: &str = "INSERT INTO note (id, jsonb) VALUES ('0000000a-0000-4000-8000-000000000001',
    '{\"id\":\"0000000a-0000-4000-8000-000000000001\",\"text\":\"one\"}')";
const ONCE: &str = "INSERT INTO duet_idempotency VALUES ('/acme c', '/shop/notes', 'k', 'f', 9000000000000, 201, '[]', x'00')";

#[test]
fn all_tenants_move_at_once() {
    let tenants = Tenants::new("copy_tenants", &["acme", "globex", "initech"]);
    for tenant in ["acme", "globex", "initech"] {
        tenants.change(tenant, "INSERT INTO counter VALUES (1, 5), (2, 7)");
        tenants.change(tenant, &ONCE.replace("acme", tenant));
    }
    tenants.change("acme", NOTE);
    let (code, said, errors) = tenants.copy(&["--dry-run"]);
    assert_eq!((code, &*errors), (0, ""), "{said}");
    assert_eq!(said.matches("can be copied; nothing was.").count(), 3, "{said}");
    assert_eq!(tenants.there(), "There are no tenants.\n");

    let (code, said, errors) = tenants.copy(&[]);
    assert_eq!((code, &*errors), (0, ""), "{said}");
    assert!(
        said.ends_with("All 3 tenants are in postgres:///copy_tenants.\n")
            || said.contains("All 3 tenants are in "),
        "{said}"
    );
    assert_eq!(tenants.there(), "acme\nglobex\ninitech\n");
    let asked = |sql: &str| tenants.target.query(sql).trim().to_owned();
    assert_eq!(asked("SELECT count(*) FROM acme_shop.note"), "1");
    assert_eq!(asked("SELECT sum(n) FROM globex_shop.counter"), "12");
    // A request that is repeated at the copy is known by the caller that it has there.
    let callers = "SELECT string_agg(caller, ',' ORDER BY caller) FROM duet.idempotency";
    assert_eq!(asked(callers), "/acme_shop c,/globex_shop c,/initech_shop c");
    assert_eq!(asked("SELECT to_regclass('duet.copies') IS NULL"), "t");
    assert!(
        duet_says(&["check", &tenants.app, "--database", &tenants.target.url()])
            .contains("tenant initech")
    );

    // What is there is compared, and not copied again.
    let (code, said, errors) = tenants.copy(&[]);
    assert_eq!((code, &*errors), (0, ""), "{said}");
    assert_eq!(said.matches(" already: ").count(), 3, "{said}");
    tenants.target.exec("UPDATE globex_shop.counter SET n = 8 WHERE id = 2");
    let (code, _, errors) = tenants.copy(&[]);
    assert!(
        code == 1 && errors.contains("table counter: the JSON of its rows differs"),
        "{errors}"
    );
    // A schema of somebody else does not become a tenant's.
    let others = Tenants::new("copy_tenants_of_others", &["acme"]);
    others.target.exec("CREATE SCHEMA acme_shop");
    let (code, _, errors) = others.copy(&[]);
    assert!(code == 1 && errors.contains("that is not a tenant's"), "{errors}");
    others.target.exec("COMMENT ON SCHEMA acme_shop IS 'Duet tenant: ac of me_shop'");
    let (code, _, errors) = others.copy(&[]);
    let whose = "The schema \"acme_shop\" is that of the tenant ac of me_shop. Nothing was made.";
    assert!(code == 1 && errors.contains(whose) && !errors.contains("Drop it"), "{errors}");
    let (code, _, errors) = tenants.copy(&["--schema", "one"]);
    assert!(code == 1 && errors.contains("has a schema of its own"), "{errors}");
}

/// What one tenant has wrong stops all before the first row; what PostgreSQL alone sees leaves whole tenants alone.
#[test]
fn a_tenant_is_there_whole_or_not_at_all() {
    let tenants = Tenants::new("copy_tenants_broken", &["acme", "globex", "initech"]);
    let table = "CREATE TABLE event (id INTEGER PRIMARY KEY, day DATE);";
    tenants.change("globex", &format!("{table} INSERT INTO event VALUES (1, 'tomorrow')"));
    tenants.change("initech", &format!("{table} INSERT INTO event VALUES (1, 'never')"));
    let (code, said, errors) = tenants.copy(&[]);
    assert_eq!((code, &*said), (1, ""), "{errors}");
    for part in
        ["No tenant was copied.", "globex.db cannot be copied", "initech.db cannot be copied"]
    {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    assert_eq!(tenants.there(), "There are no tenants.\n");
    tenants.change("globex", "UPDATE event SET day = '2024-02-31'");
    tenants.change("initech", "UPDATE event SET day = '2024-02-28'");
    let (code, _, errors) = tenants.copy(&[]);
    assert!(code == 1 && errors.contains("A row of `event` cannot be written"), "{errors}");
    assert_eq!(tenants.there(), "acme\n", "the one before is whole, and no other is a tenant");
    tenants.change("globex", "UPDATE event SET day = '2024-02-29'");
    let (code, said, errors) = tenants.copy(&[]);
    assert_eq!((code, &*errors), (0, ""), "{said}");
    assert_eq!(tenants.there(), "acme\nglobex\ninitech\n");
}

/// A dry run of an application runs its scripts too, in the order of a copy, and leaves nothing.
#[test]
fn a_dry_run_of_an_application_is_tried() {
    let trial = Trial::new("copy_tried", "");
    let file = trial.folder.path().join("orders.db").display().to_string();
    duet_says(&["load", "orders", "--database", &file]);
    let url = trial.target.url();
    let line = ["copy", &file, &url, "--app", "orders", "--dry-run"];
    let shown = duet_says(&line);
    assert!(shown.contains("-- collections\n") && shown.contains("-- the rows\n"), "{shown}");
    assert_eq!(trial.asked("SELECT count(*) FROM pg_tables WHERE tablename = 'titles'"), "0");
    // What it prints makes the tables.
    duet_says(&line[..5]);
    let copied = |database: &Database| {
        database.query(
            "SELECT string_agg(schemaname || '.' || tablename, ' ' ORDER BY tablename) FROM pg_tables
              WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'duet')",
        )
    };
    let schema = trial.asked("SELECT schemaname FROM pg_tables WHERE tablename = 'titles'");
    let scripted = Server::shared().database("copy_tried_by_hand");
    scripted.exec(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    scripted.exec(&shown);
    assert_eq!(copied(&scripted), copied(&trial.target));
    // A script that PostgreSQL refuses is named before a row is copied.
    let tenants = Tenants::new("copy_tried_wrong", &["acme"]);
    fs::write(
        tenants.folder.path().join("views.sql"),
        "CREATE TABLE counter (id INTEGER, n NUMBER)",
    )
    .unwrap();
    let (code, _, errors) = tenants.copy(&["--dry-run"]);
    assert!(
        code == 1 && errors.contains("refuses the script") && errors.contains("views.sql"),
        "{errors}"
    );
    assert_eq!(
        tenants.target.query("SELECT count(*) FROM pg_namespace WHERE nspname = 'acme_shop'"),
        "0"
    );
}

/// Twice the tables cost at most twice the statements.
#[test]
fn statements_grow_as_tables_do() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let count = |tables: usize| {
        let folder = Folder::new();
        let each = (0..tables).map(|at| {
            let other = if at == 0 { 0 } else { at - 1 };
            format!(
                "CREATE TABLE t{at} (id INTEGER PRIMARY KEY, name TEXT UNIQUE, other INT REFERENCES t{other});
                 CREATE INDEX i{at} ON t{at} (other); INSERT INTO t{at} VALUES (1, 'a', 1);"
            )
        });
        let script: String = each.collect();
        let file = folder.load("a.db", &[&script]).display().to_string();
        let target = server.database(&format!("copy_of_{tables}"));
        let before = logged(&server);
        duet_says(&["copy", &file, &target.url()]);
        logged(&server) - before
    };
    let (few, many) = (count(12), count(24));
    assert!(few > 12 && many <= 2 * few, "{few} statements, and {many} for twice the tables");
}

/// The statements that a server has logged.
fn logged(server: &Server) -> usize {
    let log = server.log();
    log.matches("statement: ").count() + log.matches("execute ").count()
}
