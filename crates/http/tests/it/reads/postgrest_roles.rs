//! The profile `compat = "postgrest"` under roles of PostgreSQL: writes of roles that may not read all columns, which one
//! statement makes in a second try, and the answers for callers without a token.

use duet_auth::Open;
use duet_model::ProfileRef;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup};

const TABLES: &str = "
CREATE ROLE NAME_part; CREATE ROLE NAME_blind; CREATE ROLE NAME_none;
CREATE TABLE note (id integer PRIMARY KEY, text text, secret text DEFAULT 'hidden');
INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c');
GRANT SELECT (id, text), INSERT (id, text), UPDATE (text), DELETE ON note TO NAME_part;
GRANT INSERT, UPDATE, DELETE ON note TO NAME_blind;
";

/// A server whose clients `part`, `blind` and `none` have the roles of these names.
struct Notes {
    database: Database,
    app: App,
}

impl Notes {
    fn start(name: &str, change: impl FnOnce(&mut Setup)) -> Self {
        let database = Database::postgres(name);
        database.exec(&TABLES.replace("NAME", name));
        let app = Setup::new(&database)
            .with(|setup| {
                setup.mount().profile = ProfileRef::named("postgrest").unwrap();
                setup.roles = vec!["duet.read", "duet.write"];
                let client = |own: &'static str| (own, Some(format!("{name}_{own}")));
                setup.clients = ["part", "blind", "none"].map(client).into();
            })
            .with(change)
            .start();
        Self { database, app }
    }

    /// Sends a line such as `POST /note {"id": 1}`, as a client if one is named.
    fn send(&self, who: Option<&str>, line: &str, prefer: &str) -> Response {
        let mut parts = line.splitn(3, ' ');
        let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
        let body = parts.next().unwrap_or_default();
        let bearer = who.map(|who| self.app.bearer_of(who));
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(Some(("Prefer", prefer)).filter(|_| !prefer.is_empty()));
        headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
        self.app.connect().request(method, &format!("/ords/hr{path}"), &headers, body.as_bytes())
    }

    /// Expects a status and, of a refusal, the code of a missing right.
    fn expect(&self, (who, status): (&str, u16), line: &str, prefer: &str) -> Response {
        let answer = self.send(Some(who), line, prefer);
        assert_eq!(answer.status, status, "{who}: {line}: {answer:?}");
        assert!(status < 400 || answer.json()["code"] == "42501", "{who}: {line}: {answer:?}");
        answer
    }

    fn count(&self, condition: &str) -> i64 {
        self.database.count(&format!("SELECT count(*) FROM note WHERE {condition}"))
    }
}

const SHOWN: &str = "return=representation";

/// A role needs rights to the columns that a request names, and to none else.
#[test]
fn roles_write_by_the_columns_that_they_may_use() {
    let notes = Notes::start("postgrest_columns", |_| {});
    let written = |line: &str, prefer: &str| notes.expect(("part", 204), line, prefer);
    written(r#"PATCH /note?id=eq.1 {"text": "x"}"#, "");
    written(r#"PATCH /note?id=eq.1 {"text": "y"}"#, "handling=strict, max-affected=1");
    written(r#"PATCH /note?id=eq.2 {"text": "undone"}"#, "tx=rollback");
    written("DELETE /note?id=eq.3", "");
    assert_eq!((notes.count("text = 'y'"), notes.count("true")), (1, 2));
    let shown = |status: u16, line: &str, rows: Value| {
        assert_eq!(notes.expect(("part", status), line, SHOWN).json(), rows, "{line}");
    };
    let select = "select=id,text";
    shown(
        200,
        &format!(r#"PATCH /note?id=eq.1&{select} {{"text": "z"}}"#),
        json!([{ "id": 1, "text": "z" }]),
    );
    shown(
        201,
        &format!(r#"POST /note?{select} {{"id": 4, "text": "d"}}"#),
        json!([{ "id": 4, "text": "d" }]),
    );
    shown(200, &format!("DELETE /note?id=eq.4&{select}"), json!([{ "id": 4, "text": "d" }]));
    assert_eq!(notes.expect(("part", 201), r#"POST /note {"id": 5}"#, "").text(), "");
    let named = notes.expect(("part", 201), r#"POST /note {"id": 7}"#, "return=headers-only");
    assert_eq!(named.header("location"), Some("/ords/hr/note?id=eq.7"));
    for (line, prefer) in [
        (r#"PATCH /note?id=eq.1 {"text": "no"}"#, SHOWN),
        (r#"PATCH /note?id=eq.1 {"secret": "no"}"#, ""),
        (r#"PATCH /note?secret=eq.hidden {"text": "no"}"#, ""),
        (r#"POST /note {"id": 6, "text": "no"}"#, SHOWN),
        (r#"POST /note {"id": 6, "secret": "no"}"#, ""),
        ("DELETE /note?id=eq.1", SHOWN),
        ("DELETE /note?secret=eq.hidden", ""),
        ("GET /note", ""),
    ] {
        notes.expect(("part", 403), line, prefer);
    }
    assert_eq!((notes.count("text = 'no' OR secret = 'no'"), notes.count("true")), (0, 4));
    let read = notes.expect(("part", 200), "GET /note?select=id,text&order=id", "").json();
    assert_eq!(read[0], json!({ "id": 1, "text": "z" }));
}

/// Without any right to read, what names no column in a filter and answers nothing is written.
#[test]
fn roles_that_read_nothing_write_blindly() {
    let notes = Notes::start("postgrest_blind", |_| {});
    notes.expect(("blind", 201), r#"POST /note {"id": 4, "text": "d"}"#, "");
    notes.expect(("blind", 201), r#"POST /note [{"id": 5}, {"id": 6}]"#, "return=minimal");
    notes.expect(("blind", 204), r#"PATCH /note {"text": "all"}"#, "");
    notes.expect(("blind", 204), "DELETE /note", "tx=rollback");
    assert_eq!((notes.count("text = 'all'"), notes.count("true")), (6, 6));
    for (line, prefer) in [
        (r#"PATCH /note?id=eq.1 {"text": "no"}"#, ""),
        (r#"PATCH /note {"text": "no"}"#, SHOWN),
        (r#"POST /note {"id": 7}"#, SHOWN),
        (r#"POST /note {"id": 7}"#, "return=headers-only"),
        (r#"POST /note {"id": 7}"#, "resolution=merge-duplicates"),
        ("DELETE /note?id=eq.1", ""),
        ("DELETE /note", SHOWN),
        ("GET /note?select=id", ""),
    ] {
        notes.expect(("blind", 403), line, prefer);
    }
    notes.expect(("none", 403), r#"POST /note {"id": 7}"#, "");
    notes.expect(("none", 403), r#"PATCH /note {"text": "no"}"#, "");
    notes.expect(("none", 403), "DELETE /note", "");
    assert_eq!((notes.count("text = 'no'"), notes.count("true")), (0, 6));
}

/// What a role of the database may not do is 401 without a token, which may give the right, and 403 with one.
#[test]
fn a_right_that_strangers_lack_is_a_challenge() {
    let notes = Notes::start("postgrest_strangers", |setup| {
        setup.open = Open::All;
        setup.anonymous_db_role = Some("postgrest_strangers_none".parse().unwrap());
    });
    for line in [
        "GET /note",
        "HEAD /note",
        r#"POST /note {"id": 4}"#,
        r#"PATCH /note?id=eq.1 {"text": "x"}"#,
        r#"PUT /note?id=eq.1 {"id": 1, "text": "x"}"#,
        "DELETE /note?id=eq.1",
    ] {
        let stranger = notes.send(None, line, "");
        let challenge = stranger.header("www-authenticate").unwrap_or_default();
        assert_eq!(stranger.status, 401, "{line}: {stranger:?}");
        assert!(challenge.starts_with("Bearer"), "{line}: {stranger:?}");
        assert_eq!(stranger.header("proxy-status"), Some("PostgREST; error=42501"), "{line}");
        let known = notes.send(Some("none"), line, "");
        assert_eq!((known.status, known.header("www-authenticate")), (403, None), "{line}");
    }
    assert_eq!(notes.count("true"), 3);
}
