//! Flex columns with stored members of any name, over random shapes, on both stores: no object of a
//! document has a name twice, and a document that is read and put back changes no row.

use duet_service::definition::{Mount, ViewFile};
use duet_text::json::{BODY, read};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use serde_json::{Value, json};

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

/// Random choices, so that a failure shrinks.
struct Tape<'t>(std::slice::Iter<'t, u8>);

impl Tape<'_> {
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % limit
    }

    fn one_of<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
const TABLES: [&str; 4] = ["thing", "maker", "part", "passport"];
const VIEWS: usize = 24;

fn schema(kind: Kind) -> String {
    let (json, jsonb) = match kind {
        Kind::Sqlite => ("JSON", "JSON"),
        Kind::Postgres => ("json", "jsonb"),
    };
    let mut sql = format!(
        "CREATE TABLE log (what text);
         CREATE TABLE maker (id integer PRIMARY KEY, name text, extras {jsonb});
         CREATE TABLE thing (id integer PRIMARY KEY, name text, kind text, extras {json},
                             maker_id integer REFERENCES maker (id));
         CREATE TABLE part (id integer PRIMARY KEY, thing_id integer REFERENCES thing (id), name text, extras {jsonb});
         CREATE TABLE passport (id integer PRIMARY KEY REFERENCES thing (id), name text, extras {json});"
    );
    if kind == Kind::Postgres {
        sql += "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO log VALUES (TG_TABLE_NAME); RETURN NULL; END $$;";
    }
    for table in TABLES {
        for event in ["INSERT", "UPDATE", "DELETE"] {
            let action = match kind {
                Kind::Sqlite => format!("BEGIN INSERT INTO log VALUES ('{table}'); END"),
                Kind::Postgres => "FOR EACH ROW EXECUTE FUNCTION note()".to_owned(),
            };
            sql += &format!("CREATE TRIGGER {table}_{event} AFTER {event} ON {table} {action};");
        }
    }
    sql
}

/// A view whose objects each have a flex column somewhere, or none.
fn view(number: usize, tape: &mut Tape<'_>) -> String {
    let flex = |tape: &mut Tape<'_>, others: &[&str]| {
        let mut members: Vec<&str> = others.to_vec();
        if tape.below(5) > 0 {
            members.insert(tape.below(others.len() + 1), "extras @flex");
        }
        members.join(" ")
    };
    let key = tape.one_of(&["_id", "id", "links2"]);
    let below = tape.one_of(&["name", "links: name", "_metadata: name", "b: name @hidden"]);
    let maker = tape.below(4);
    let own = match (maker, tape.below(3)) {
        (2 | 3, _) => "name".to_owned(),
        (_, 0) => format!("a: {{ {} }} @nest", flex(tape, &["name", "kind"])),
        _ => flex(tape, &["name", "x: kind"]),
    };
    let maker = match maker {
        0 => String::new(),
        1 => format!("maker @update {{ {} }}", flex(tape, &["id", below])),
        _ => format!("maker @unnest @update {{ {} }}", flex(tape, &["maker: id", "b: name"])),
    };
    let part =
        format!("parts: part @insert @update @delete [ {{ {} }} ]", flex(tape, &["id", below]));
    let passport = match tape.below(3) {
        0 => String::new(),
        1 => "passport @object @insert @update @delete { extras @flex }".to_owned(),
        _ => format!("passport @object @insert @update @delete {{ {} }}", flex(tape, &[below])),
    };
    let mut members = [own, maker, part, passport];
    members.rotate_left(tape.below(4));
    format!(
        "view v{number}_dv as thing @insert @update @delete {{ {key}: id {} }}",
        members.join(" ")
    )
}

/// A stored JSON object, or NULL.
fn stored(tape: &mut Tape<'_>) -> String {
    const NAMES: [&str; 15] = [
        "_id",
        "id",
        "name",
        "a",
        "b",
        "x",
        "links",
        "_metadata",
        "_nameConflicts",
        "maker",
        "parts",
        "n\\u0061me",
        "",
        "kind",
        "\\\"",
    ];
    const VALUES: [&str; 8] = [
        "null",
        "1.50",
        "\"t,\\\"}\"",
        "[ ]",
        "{\"name\": 1, \"x\":[{}]}",
        "true",
        "{}",
        "{\"_nameConflicts\":{}}",
    ];
    let count = match tape.below(8) {
        0 => return "NULL".to_owned(),
        1 => return "'null'".to_owned(),
        count => count - 1 + tape.below(2) * 20 * tape.below(2),
    };
    let member =
        |tape: &mut Tape<'_>| format!("\"{}\" : {}", tape.one_of(&NAMES), tape.one_of(&VALUES));
    let members: Vec<String> = (0..count).map(|_| member(tape)).collect();
    format!("'{{ {} }}'", members.join(" , "))
}

fn data(tape: &mut Tape<'_>) -> String {
    let name = |tape: &mut Tape<'_>| tape.one_of(&["NULL", "'one'", "''"]).to_owned();
    let mut sql = String::from(
        "DELETE FROM passport; DELETE FROM part; DELETE FROM thing; DELETE FROM maker;",
    );
    sql += &format!("INSERT INTO maker VALUES (7, {}, {});", name(tape), stored(tape));
    let maker = tape.one_of(&["7", "7", "NULL"]);
    let (own, kind) = (name(tape), name(tape));
    sql += &format!("INSERT INTO thing VALUES (1, {own}, {kind}, {}, {maker});", stored(tape));
    for id in 0..tape.below(3) {
        sql += &format!("INSERT INTO part VALUES ({id}, 1, {}, {});", name(tape), stored(tape));
    }
    if tape.below(3) > 0 {
        sql += &format!("INSERT INTO passport VALUES (1, {}, {});", name(tape), stored(tape));
    }
    sql
}

fn serve(kind: Kind, tape: &mut Tape<'_>) -> (Served, Vec<String>) {
    let views: Vec<String> = (0..VIEWS).map(|number| view(number, tape)).collect();
    let files = views.iter().enumerate();
    let files = files
        .map(|(at, text)| ViewFile { name: format!("v{at}.graphql"), text: text.clone() })
        .collect();
    let mount = Mount { path: MOUNT.into(), all_tables: true, views: files, ..Mount::default() };
    let application: Application = of_mount(mount);
    let data = Data::empty(kind, "flex-property");
    data.exec(&schema(kind));
    (Served::over_open(data, &application), views)
}

fn logged(served: &Served) -> Value {
    served.get("/t/log/?limit=1&count=exact").json()["total"].clone()
}

/// A document, in which no object has a name twice.
fn document(served: &Served, number: usize, about: &str) -> (String, Value) {
    let response = served.get(&format!("/t/v{number}_dv/1"));
    let text = String::from_utf8(response.body.clone()).unwrap();
    assert_eq!(response.status, 200, "{text}\n{about}");
    read(&text, &BODY, 64).unwrap_or_else(|error| panic!("{error}\n{text}\n{about}"));
    (text, response.json())
}

fn check(served: &Served, views: &[String], tape: &[u8]) {
    let mut tape = Tape(tape.iter());
    let number = tape.below(VIEWS);
    let sql = data(&mut tape);
    served.data.exec(&sql);
    let about = format!("{}\n{sql}", views[number]);
    let (text, mut body) = document(served, number, &about);
    for page in ["", "?fields="] {
        let page = served.get(&format!("/t/v{number}_dv/{page}"));
        let page = String::from_utf8(page.body).unwrap();
        read(&page, &BODY, 64).unwrap_or_else(|error| panic!("{error}\n{page}\n{about}"));
    }
    let before = logged(served);
    let target = format!("/t/v{number}_dv/1");
    // As clients send it: parsed and printed again.
    let put = served.ask("PUT", &target, &[JSON], body.to_string().as_bytes());
    assert_eq!(put.status, 200, "{}\n{text}\n{about}", String::from_utf8_lossy(&put.body));
    assert_eq!(logged(served), before, "rows changed\n{text}\n{about}");
    let mut after = document(served, number, &about).1;
    assert_eq!(after["_metadata"]["etag"], body["_metadata"]["etag"], "{about}");
    after["_metadata"].clone_from(&body["_metadata"]);
    assert_eq!(after, body, "{about}");
    // A conflicting member is removed by a patch, and nothing else.
    let patch = json!({"_nameConflicts": {"name": null}}).to_string();
    if body.pointer("/_nameConflicts/name").is_some() {
        let patched = served.ask(
            "PATCH",
            &target,
            &[("Content-Type", "application/merge-patch+json")],
            patch.as_bytes(),
        );
        assert_eq!(patched.status, 200, "{}\n{about}", String::from_utf8_lossy(&patched.body));
        let conflicts = body["_nameConflicts"].as_object_mut().unwrap();
        conflicts.remove("name");
        if conflicts.is_empty() {
            body.as_object_mut().unwrap().remove("_nameConflicts");
        }
        let (_, mut after) = document(served, number, &about);
        after["_metadata"].clone_from(&body["_metadata"]);
        assert_eq!(after, body, "{about}");
    }
}

fn any_shape_on(kind: Kind) {
    // The shapes are the same in every run; the data are random.
    let seed: Vec<u8> =
        (0..4_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let (served, views) = serve(kind, &mut Tape(seed.iter()));
    let config = Config {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150),
        max_shrink_iters: 500,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..Config::default()
    };
    let tape = prop::collection::vec(any::<u8>(), 10..200);
    let run = TestRunner::new(config).run(&tape, |tape| {
        check(&served, &views, &tape);
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn no_name_twice_and_no_row_changed_on_sqlite() {
    any_shape_on(Kind::Sqlite);
}

#[test]
fn no_name_twice_and_no_row_changed_on_postgres() {
    any_shape_on(Kind::Postgres);
}

/// What a flex column holds that is no object is named, in items, pages, streams and writes.
#[test]
fn a_flex_column_without_an_object_is_reported() {
    for kind in Kind::BOTH {
        let text = "view thing_dv as thing @insert @update @delete { _id: id name extras @flex }";
        let view = ViewFile { name: "v.graphql".into(), text: text.into() };
        let mount = Mount { path: MOUNT.into(), views: vec![view], ..Mount::default() };
        let data = Data::empty(kind, "flex-report");
        data.exec(&schema(kind));
        data.exec("INSERT INTO thing VALUES (1, 'a', NULL, '[1]', NULL), (2, 'b', NULL, '{\"x\":1}', NULL)");
        let served = Served::over_open(data, &of_mount(mount));
        let patch = ("Content-Type", "application/merge-patch+json");
        for response in [
            served.get("/t/thing_dv/1"),
            served.get("/t/thing_dv/"),
            served.ask("PUT", "/t/thing_dv/1", &[JSON], br#"{"name":"a","y":2}"#),
            served.ask("PATCH", "/t/thing_dv/1", &[patch], br#"{"y":2}"#),
        ] {
            let problem = response.json();
            assert_eq!(response.status, 500, "{problem}");
            assert_eq!(problem["errors"][0]["code"], "DUET-6009", "{problem}");
            let message = problem["detail"].as_str().unwrap();
            let expected = "The flex column extras of thing_dv holds an array in the document with the key \"1\"";
            assert!(message.starts_with(expected), "{message}");
        }
        assert_eq!(served.get("/t/thing_dv/2").json()["x"], 1);
    }
}
