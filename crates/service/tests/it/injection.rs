//! No text of a request reaches SQL except as a parameter, and no name of the database except
//! quoted.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};
use duet_service::definition::Mount;

/// Stands in every hostile text, and in no SQL that is not made of one.
const MARK: &str = "mark7";

/// Texts that would end a literal, an identifier or a statement if they were let.
const HOSTILE: &[&str] = &[
    "mark7'; DROP TABLE victim; --",
    "mark7\"; DROP TABLE victim; --",
    "mark7') OR ('1'='1",
    "\\'mark7",
    "$1 mark7 $$mark7$$",
    "mark7 /* */ UNION ALL SELECT 1",
    "?1 mark7 :a @b",
    "%27mark7%22",
    "mark7\u{2019}\u{FF07}",
    "E'mark7\\047'",
    "mark7\r\n\t;",
];

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    let piece = |byte: u8| {
        if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(piece).collect()
}

/// Every place of a request that takes text, with the text in it.
fn targets(text: &str) -> Vec<String> {
    let json = serde_json::Value::from(text).to_string();
    let by = |q: String| format!("/t/victim/?q={}", encoded(&q));
    let mut targets = vec![
        format!("/t/victim/{}", encoded(text)),
        format!("/t/victim_dv/{}?fields=word", encoded(text)),
        format!("/t/{}/", encoded(text)),
        format!("/t/victim/?fields={}", encoded(text)),
        format!("/t/victim/?after={}", encoded(text)),
        format!("/t/victim/?count={}", encoded(text)),
        format!("/t/victim/?limit={}", encoded(text)),
        format!("/t/victim/?{}=1", encoded(text)),
        by(text.to_owned()),
        by(format!("{{{json}:1}}")),
        by(format!("{{\"word\":{{{json}:1}}}}")),
        by(format!("{{\"$orderby\":{{{json}:1}}}}")),
        by(format!("{{\"$orderby\":{{\"word\":{json}}}}}")),
        by(format!("{{\"day\":{json}}}")),
        by(format!("{{\"n\":{json}}}")),
    ];
    for operator in
        ["$eq", "$ne", "$lt", "$gte", "$like", "$ilike", "$instr", "$ninstr", "$startsWith"]
    {
        targets.push(by(format!("{{\"word\":{{\"{operator}\":{json}}}}}")));
        let q = encoded(&format!("{{\"part.note\":{{\"{operator}\":{json}}}}}"));
        targets.push(format!("/t/victim_dv/?q={q}"));
    }
    targets.push(by(format!("{{\"word\":{{\"$in\":[{json},{json}]}}}}")));
    targets.push(by(format!("{{\"word\":{{\"$between\":[{json},null]}}}}")));
    targets
}

fn victims() -> Application {
    let mount = Mount {
        path: MOUNT.into(),
        all_tables: true,
        views: vec![duet_service::definition::ViewFile {
            name: "victim_dv.graphql".into(),
            text: "create json duality view victim_dv as victim { _id: word  n  part [ { id note } ] }"
                .into(),
        }],
        ..Mount::default()
    };
    of_mount(mount)
}

const VICTIMS: &str = "
    CREATE TABLE victim (word VARCHAR(200) PRIMARY KEY, n INTEGER, day DATE);
    CREATE TABLE part (id INTEGER PRIMARY KEY, word VARCHAR(200) REFERENCES victim (word), note VARCHAR(200));
    INSERT INTO victim VALUES ('a', 1, '2022-03-20'), ('b', 2, NULL);";

fn serve(kind: Kind, name: &str) -> Served {
    let data = Data::empty(kind, name);
    data.exec(VICTIMS);
    Served::over(data, &victims())
}

/// Explains and sends a request; gives whether it came as far as SQL.
fn attack(served: &Served, target: &str) -> bool {
    let explained = served.service.explanation("GET", target);
    if let Ok(explanation) = &explained {
        for statement in &explanation.statements {
            let sql = statement.sql.to_lowercase();
            assert!(!sql.contains(MARK), "{target}\n{sql}");
        }
    }
    let status = served.get(target).status;
    assert!(matches!(status, 200 | 400 | 404), "{status} for {target}");
    explained.is_ok()
}

#[test]
fn no_text_of_a_request_reaches_sql() {
    for kind in Kind::BOTH {
        let served = serve(kind, "injection");
        for text in HOSTILE {
            let compiled = targets(text).iter().filter(|target| attack(&served, target)).count();
            // Keys and text operands compile whatever they say.
            assert!(compiled >= 18, "only {compiled} requests with {text:?} were compiled");
        }
        let page = served.get("/t/victim/?count=exact").json();
        assert_eq!(page["total"], 2, "{page}");
    }
}

#[test]
fn no_made_up_text_reaches_sql() {
    for kind in Kind::BOTH {
        let served = serve(kind, "injection-random");
        let text = ("[\\PC'\"\\\\;$]{0,12}", "[\\PC'\"\\\\;$]{0,12}")
            .prop_map(|(before, after)| format!("{before}{MARK}{after}"));
        let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
        let outcome = TestRunner::new(config).run(&text, |text| {
            targets(&text).iter().for_each(|target| {
                attack(&served, target);
            });
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", kind.name()));
    }
}

/// A text given as a key finds the row that has it.
#[test]
fn hostile_values_are_found_as_they_are() {
    for kind in Kind::BOTH {
        let served = serve(kind, "injection-values");
        for (n, text) in HOSTILE.iter().enumerate() {
            let literal = text.replace('\'', "''");
            served.data.exec(&format!("INSERT INTO victim VALUES ('{literal}', {}, NULL)", n + 10));
            let item = served.get(&format!("/t/victim/{}", encoded(text))).json();
            assert_eq!(item["word"], *text, "{item}");
            let href = item["links"][0]["href"].as_str().unwrap();
            let own = served.get(href.strip_prefix("http://localhost").unwrap()).json();
            assert_eq!(own["n"], n + 10, "{own}");
            let q = serde_json::json!({ "word": text, "n": n + 10 }).to_string();
            let page = served.get(&format!("/t/victim/?q={}", encoded(&q))).json();
            assert_eq!(page["count"], 1, "{page}");
        }
    }
}

const NAMES: &[&str] = &[
    "select",
    "a b",
    "Größe",
    "a\"b; DROP TABLE \"victim\"; --",
    "x'y",
    "café/日本語",
    "$1",
    "?1",
    "100%",
    "a.b",
    "{\"json\":1}",
    "back\\slash",
    "_metadata",
    "-- comment",
    "/* comment",
    "🏁",
];

/// Tables and columns of any name are served, filtered, ordered and counted.
#[test]
fn hostile_names_are_quoted() {
    for kind in Kind::BOTH {
        let data = Data::empty(kind, "injection-names");
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        for (n, name) in NAMES.iter().enumerate() {
            let column = NAMES[(n + 1) % NAMES.len()];
            data.exec(&format!(
                "CREATE TABLE {} (id INTEGER PRIMARY KEY, {} INTEGER); INSERT INTO {} VALUES (1, {n}), (2, NULL)",
                quoted(name),
                quoted(column),
                quoted(name),
            ));
        }
        let mount = Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() };
        let served = Served::over(data, &of_mount(mount));
        for (n, name) in NAMES.iter().enumerate() {
            let (name, mut column) =
                (name.to_lowercase(), NAMES[(n + 1) % NAMES.len()].to_lowercase());
            // The server's own members of an item keep their names.
            if ["links", "_metadata"].contains(&&*column) {
                column.push('_');
            }
            let base = format!("/t/{}/", encoded(&name));
            let item = served.get(&format!("{base}1")).json();
            assert_eq!(item[&column], n, "{name}: {item}");
            let q = serde_json::json!({ &column: { "$gte": n }, "$orderby": { &column: "DESC" } });
            if column.starts_with('$') {
                continue;
            }
            let fields = encoded(&column);
            let target =
                format!("{base}?q={}&fields={fields}&count=exact", encoded(&q.to_string()));
            let page = served.get(&target).json();
            assert_eq!(page["items"][0][&column], n, "{target}: {page}");
            assert_eq!(page["total"], 1, "{target}: {page}");
        }
    }
}
