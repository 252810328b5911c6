//! Values at the edge of their types: what is read can be sent back, filtered, ordered and used as a key, alike on both
//! stores where both have the value.

use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    keys_of_numbers
    the_empty_key
    malformed_keys
    zeros_keep_their_sign
    forms_of_iso_8601
    ends_of_time
    roots_and_nested_keys_of_views
}

fn start(database: &Database, view: Option<(&str, &str)>) -> App {
    let setup = Setup::new(database).with(|setup| setup.roles = vec!["duet.read", "duet.write"]);
    let setup = view.into_iter().fold(setup, |setup, (name, text)| setup.view(name, text));
    setup.without_poll().start()
}

fn send(app: &App, method: &str, path: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    app.connect().request(
        method,
        &format!("/ords/hr/{path}"),
        &headers,
        body.to_string().as_bytes(),
    )
}

#[track_caller]
fn get(app: &App, path: &str) -> Value {
    let response = app.get(&format!("/ords/hr/{path}"));
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.json()
}

/// The path behind the mount of an item's own link.
fn own(item: &Value) -> String {
    let links = item["links"].as_array().unwrap();
    let own = links.iter().find(|link| link["rel"] == "self").unwrap();
    own["href"].as_str().unwrap().split_once("/ords/hr/").unwrap().1.to_owned()
}

/// Follows the link of each item of a list and puts the item there as it was read.
#[track_caller]
fn put_back(app: &App, list: &str) -> usize {
    let items = get(app, &format!("{list}/"))["items"].as_array().unwrap().clone();
    for item in &items {
        let path = own(item);
        let found = get(app, &path);
        let put = send(app, "PUT", &path, &found);
        assert_eq!(put.status, 200, "{path} {found}: {}", put.text());
        assert_eq!(put.json()["x"], item["x"], "{path}");
    }
    items.len()
}

fn keys_of_numbers(database: Database) {
    database.exec(
        "CREATE TABLE n (p decimal(10,2) NOT NULL PRIMARY KEY, x integer);
         INSERT INTO n VALUES (1.50, 1), (0, 2), (-3, 3);
         CREATE TABLE f (p double precision NOT NULL PRIMARY KEY, x integer);
         INSERT INTO f VALUES (1.0, 1), (1e300, 2), (0.1, 3), (-0.0, 4);
         CREATE TABLE two (p decimal(10,2) NOT NULL, f double precision NOT NULL, x integer, PRIMARY KEY (p, f));
         INSERT INTO two VALUES (1.50, 0.5, 1), (2, 1e300, 2);",
    );
    let app = start(&database, None);
    for (list, count) in [("n", 3), ("f", 4), ("two", 2)] {
        assert_eq!(put_back(&app, list), count);
    }
    for path in ["n/1.5", "n/1.500", "n/15e-1", "f/1", "f/1.00", "f/-0", "two/1.5,5e-1"] {
        get(&app, path);
    }
    let put = send(&app, "PUT", "n/1.5", &json!({ "p": 1.6, "x": 1 }));
    assert_eq!((put.status, &put.json()["errors"][0]["code"]), (400, &json!("DUET-7006")));
}

fn the_empty_key(database: Database) {
    let bytes = if database.is_sqlite() { "blob" } else { "bytea" };
    database.exec(&format!(
        "CREATE TABLE t (k varchar(9) NOT NULL PRIMARY KEY, x integer);
         INSERT INTO t VALUES ('', 1), ('a', 2), ('''''', 3);
         CREATE TABLE b (k {bytes} NOT NULL PRIMARY KEY, x integer);
         CREATE TABLE two (k varchar(9) NOT NULL, l varchar(9) NOT NULL, x integer, PRIMARY KEY (k, l));
         INSERT INTO two VALUES ('', '', 1), ('', 'a', 2);"
    ));
    let app = start(&database, None);
    let made = send(&app, "POST", "b/", &json!({ "k": "", "x": 1 }));
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.header("location").map(|it| it.rsplit('/').next().unwrap()), Some("''"));
    for (list, count) in [("t", 3), ("b", 1), ("two", 2)] {
        assert_eq!(put_back(&app, list), count);
    }
    assert_eq!(get(&app, "t/''")["x"], 1);
    assert_eq!(get(&app, "t/%27%27")["x"], 3);
    assert_eq!(get(&app, "t/?ids='',a")["count"], 2);
    assert_eq!(send(&app, "DELETE", "t/''", &json!(null)).status, 200);
    assert_eq!(app.get("/ords/hr/t/''").status, 404);
}

fn malformed_keys(database: Database) {
    database.exec(
        "CREATE TABLE n (k integer NOT NULL PRIMARY KEY); CREATE TABLE f (k double precision NOT NULL PRIMARY KEY);
         CREATE TABLE d (k date NOT NULL PRIMARY KEY); CREATE TABLE v (k interval NOT NULL PRIMARY KEY);
         CREATE TABLE u (k uuid NOT NULL PRIMARY KEY);",
    );
    let mut keys = vec![
        ("n", "x"),
        ("n", "1.5"),
        ("f", "1e400"),
        ("f", "x"),
        ("d", "2022-13-01"),
        ("d", "2022-03-20x"),
        ("v", "1%20day"),
        ("u", "1"),
    ];
    if !database.is_sqlite() {
        database.exec(
            "CREATE TABLE r (k int4range PRIMARY KEY); CREATE TABLE m (k money PRIMARY KEY);
             CREATE TABLE a (k int[] PRIMARY KEY); CREATE TABLE l (k pg_lsn PRIMARY KEY);",
        );
        keys.extend([
            ("r", "%5B5%2C1%5D"),
            ("r", "x"),
            ("m", "x"),
            ("a", "x"),
            ("a", "%5B%22x%22%5D"),
            ("a", "%7Bx%7D"),
            ("l", "x"),
        ]);
    }
    let app = start(&database, None);
    for (list, key) in keys {
        for method in ["GET", "PUT", "PATCH", "DELETE"] {
            let response = send(&app, method, &format!("{list}/{key}"), &json!({}));
            assert_eq!(response.status, 404, "{method} {list}/{key}: {}", response.text());
        }
        let ids = get(&app, &format!("{list}/?ids={}", percent_encode(key)));
        assert_eq!(ids["missing"], json!([key]), "{list}");
    }
}

fn zeros_keep_their_sign(database: Database) {
    database.exec("CREATE TABLE z (id integer NOT NULL PRIMARY KEY, r double precision)");
    let app = start(&database, None);
    let made = send(&app, "POST", "z/", &serde_json::from_str(r#"{"id":1,"r":-0}"#).unwrap());
    assert_eq!(made.status, 201);
    // SQLite stores a zero without sign.
    let expected = if database.is_sqlite() { "0" } else { "-0" };
    assert_eq!(get(&app, "z/1")["r"].to_string(), expected);
    for zero in ["0", "-0"] {
        let q = percent_encode(&format!(r#"{{"r":{{"$eq":{zero}}}}}"#));
        assert_eq!(get(&app, &format!("z/?q={q}"))["count"], 1);
    }
}

fn forms_of_iso_8601(database: Database) {
    database.exec(
        "CREATE TABLE t (id integer NOT NULL PRIMARY KEY, d date, c time, z time with time zone, m timestamp with time zone)",
    );
    let app = start(&database, None);
    let bodies = [
        json!({ "d": "20220320", "c": "0137", "z": "0137+0100", "m": "20220320T013700+0100" }),
        json!({ "d": "2022-W11-7", "c": "01:37:00", "z": "01:37:00,0+01", "m": "2022-W11-7T01:37:00+01" }),
        json!({ "d": "2022-079", "c": "013700", "z": "01:37+01:00", "m": "2022079T0037Z" }),
        json!({ "d": "+002022-03-20", "c": "01:37:00.000", "z": "013700+01:00", "m": "2022-03-20 00:37:00" }),
    ];
    for (id, mut body) in bodies.into_iter().enumerate() {
        body["id"] = json!(id);
        let made = send(&app, "POST", "t/", &body);
        assert_eq!(made.status, 201, "{body}: {}", made.text());
        let expected = json!({ "id": id, "d": "2022-03-20", "c": "01:37:00", "z": "01:37:00+01:00", "m": "2022-03-20T00:37:00Z" });
        let mut shown = made.json();
        shown.as_object_mut().unwrap().remove("links");
        assert_eq!(shown, expected);
        for member in ["d", "c", "z", "m"] {
            let q =
                percent_encode(&json!({ (member): { "$eq": body[member] }, "id": id }).to_string());
            assert_eq!(get(&app, &format!("t/?q={q}"))["count"], 1, "{member} {body}");
        }
    }
    for (member, text) in [
        ("d", "2022-W11"),
        ("d", "2022-03"),
        ("d", "20.3.2022"),
        ("c", "10.5"),
        ("m", "2022-03-20T10.5"),
    ] {
        let made = send(&app, "POST", "t/", &json!({ "id": 9, (member): text }));
        assert_eq!(made.status, 400, "{text}");
    }
}

/// The column `x` of the rows in the order of a member, by pages of one row.
fn paged(app: &App, list: &str, member: &str, direction: &str) -> Vec<i64> {
    let q = percent_encode(&json!({ "$orderby": { (member): direction } }).to_string());
    let mut path = format!("{list}/?after=&limit=1&q={q}");
    let mut found = Vec::new();
    for _ in 0..20 {
        let page = get(app, &path);
        found.extend(
            page["items"].as_array().unwrap().iter().map(|item| item["x"].as_i64().unwrap()),
        );
        let links = page["links"].as_array().unwrap();
        let Some(next) = links.iter().find(|link| link["rel"] == "next") else { return found };
        path = next["href"].as_str().unwrap().split_once("/ords/hr/").unwrap().1.to_owned();
    }
    panic!("pages without an end: {found:?}");
}

fn ends_of_time(database: Database) {
    database.exec(
        "CREATE TABLE d (k date NOT NULL PRIMARY KEY, x integer); CREATE TABLE t (k timestamp NOT NULL PRIMARY KEY, x integer);
         CREATE TABLE m (k timestamp with time zone NOT NULL PRIMARY KEY, x integer);
         CREATE TABLE c (k time NOT NULL PRIMARY KEY, x integer); CREATE INDEX t_k ON t (k);",
    );
    let app = start(&database, None);
    let beyond = ["-000043-03-15", "+012022-03-20"];
    for (list, zone) in [("d", None), ("t", Some("")), ("m", Some("Z"))] {
        let written = |day: &str| match zone {
            Some(zone) if !day.ends_with("infinity") => format!("{day}T12:00:00{zone}"),
            _ => day.to_owned(),
        };
        let all = [
            "-infinity",
            beyond[0],
            "0001-01-01",
            "2022-03-20",
            "9999-12-31",
            beyond[1],
            "infinity",
        ];
        let kept: Vec<(i64, String)> = (1..)
            .zip(all)
            .filter(|(_, day)| !(database.is_sqlite() && beyond.contains(day)))
            .map(|(x, day)| (x, written(day)))
            .collect();
        for (x, key) in &kept {
            let made = send(&app, "POST", &format!("{list}/"), &json!({ "k": key, "x": x }));
            assert_eq!(made.status, 201, "{list} {key}: {}", made.text());
            assert_eq!(made.json()["k"], *key);
        }
        let order: Vec<i64> = kept.iter().map(|(x, _)| *x).collect();
        assert_eq!(paged(&app, list, "k", "ASC"), order, "{list}");
        assert_eq!(
            paged(&app, list, "k", "DESC"),
            order.iter().rev().copied().collect::<Vec<_>>(),
            "{list}"
        );
        assert_eq!(put_back(&app, list), kept.len());
        // Operands may be of all years, also where none are stored.
        for (x, day) in (1..).zip(all) {
            let count = |operator: &str| {
                let q = percent_encode(&json!({ "k": { (operator): written(day) } }).to_string());
                get(&app, &format!("{list}/?q={q}"))["count"].as_u64().unwrap()
            };
            let expected =
                |holds: &dyn Fn(i64) -> bool| order.iter().filter(|it| holds(**it)).count() as u64;
            assert_eq!(count("$lt"), expected(&|it| it < x), "{list} < {day}");
            assert_eq!(count("$lte"), expected(&|it| it <= x), "{list} <= {day}");
            assert_eq!(count("$gt"), expected(&|it| it > x), "{list} > {day}");
            assert_eq!(count("$gte"), expected(&|it| it >= x), "{list} >= {day}");
            assert_eq!(count("$eq"), expected(&|it| it == x), "{list} = {day}");
        }
        if database.is_sqlite() {
            for day in beyond {
                let made =
                    send(&app, "POST", &format!("{list}/"), &json!({ "k": written(day), "x": 9 }));
                assert_eq!(
                    (made.status, &made.json()["errors"][0]["code"]),
                    (400, &json!("DUET-6004")),
                    "{}",
                    made.text()
                );
            }
        }
    }
    for (x, key) in [(1, "00:00:00"), (2, "23:59:59.999999"), (3, "24:00:00")] {
        assert_eq!(send(&app, "POST", "c/", &json!({ "k": key, "x": x })).status, 201, "{key}");
    }
    assert_eq!(paged(&app, "c", "k", "DESC"), [3, 2, 1]);
    assert_eq!(put_back(&app, "c"), 3);
}

fn roots_and_nested_keys_of_views(database: Database) {
    database.exec(
        "CREATE TABLE parent (p decimal(10,2) NOT NULL PRIMARY KEY, x integer);
         CREATE TABLE child (k timestamp NOT NULL PRIMARY KEY, p decimal(10,2) REFERENCES parent (p), f double precision);
         INSERT INTO parent VALUES (1.50, 1), (2, 2);
         INSERT INTO child VALUES ('infinity', 1.50, 1), ('2022-03-20T01:02:03', 1.50, 0.1), ('-infinity', 2, 1e300);",
    );
    let view = "CREATE JSON RELATIONAL DUALITY VIEW parent_dv AS
        SELECT JSON {'_id': p.p, 'x': p.x, 'children': [SELECT JSON {'k': c.k, 'f': c.f} FROM child c WITH INSERT UPDATE DELETE WHERE c.p = p.p]}
        FROM parent p WITH INSERT UPDATE DELETE;";
    let app = start(&database, Some(("parent_dv", view)));
    assert_eq!(put_back(&app, "parent_dv"), 2);
    let document = get(&app, "parent_dv/1.50");
    assert_eq!(document["children"].as_array().unwrap().len(), 2, "{document}");
    let mut changed = document.clone();
    changed["children"][0]["f"] = json!(7.5);
    let put = send(&app, "PUT", "parent_dv/1.5", &changed);
    assert_eq!((put.status, &put.json()["children"][0]["f"]), (200, &json!(7.5)), "{}", put.text());
}

/// What is read of each column can be posted again, and is stored as before.
#[test]
fn arrays_and_domains_of_everything() {
    let database = Database::postgres(concat!(module_path!(), "_arrays"));
    database.exec(
        "CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE pair AS (x int, y text);
         CREATE DOMAIN number AS int CHECK (VALUE < 100); CREATE DOMAIN numbers AS int[]; CREATE DOMAIN list AS number[];
         CREATE DOMAIN feeling AS mood; CREATE DOMAIN price AS money; CREATE DOMAIN prices AS price[];
         CREATE DOMAIN both_of AS pair; CREATE DOMAIN moods AS mood[]; CREATE DOMAIN moment AS timestamptz;
         CREATE TABLE w (id int PRIMARY KEY, a number[], b numbers, c numbers[], e list, f pair[], g mood[], h money[],
            i price[], j prices, k pair, l both_of, m both_of[], n feeling, o feeling[], p moods, q moment[], r date[]);
         INSERT INTO w VALUES (1, '{1,NULL,2}', '{{1,2},{3,4}}', '{\"{1,2}\",NULL,\"{3}\"}', '{5}',
            '{\"(1,x)\",NULL}', '{sad,NULL}', '{$1.00}', '{$2.00}', '{$3.00}', '(1,\"a,b\")', '(2,)', '{\"(3,y)\"}',
            'happy', '{happy}', '{sad}', '{infinity,\"0044-03-15 12:00:00+00 BC\"}', '{-infinity,12022-03-20}');
         CREATE FUNCTION f() RETURNS SETOF w LANGUAGE sql AS 'SELECT * FROM w WHERE id = 1';
         CREATE FUNCTION g() RETURNS number[] LANGUAGE sql AS 'SELECT a FROM w WHERE id = 1';",
    );
    let app = Setup::new(&database)
        .with(|setup| setup.roles = vec!["duet.read", "duet.write", "duet.execute"])
        .start();
    let mut item = get(&app, "w/1");
    item.as_object_mut().unwrap().remove("links");
    for (member, value) in [
        ("a", json!([1, null, 2])),
        ("b", json!([[1, 2], [3, 4]])),
        ("c", json!([[1, 2], null, [3]])),
        ("e", json!([5])),
        ("g", json!(["sad", null])),
        ("i", json!(["$2.00"])),
        ("j", json!(["$3.00"])),
        ("l", json!("(2,)")),
        ("n", json!("happy")),
        ("q", json!(["infinity", "-000043-03-15T12:00:00Z"])),
        ("r", json!(["-infinity", "+012022-03-20"])),
    ] {
        assert_eq!(item[member], value, "{member}");
    }
    let of_function = send(&app, "POST", "f", &json!({}));
    assert_eq!(
        (of_function.status, &of_function.json()["items"][0]["c"]),
        (200, &item["c"]),
        "{}",
        of_function.text()
    );
    let of_function = send(&app, "POST", "g", &json!({}));
    assert_eq!(
        (of_function.status, &of_function.json()["~ret"]),
        (200, &item["a"]),
        "{}",
        of_function.text()
    );
    item["id"] = json!(2);
    let made = send(&app, "POST", "w/", &item);
    assert_eq!(made.status, 201, "{}", made.text());
    let put = send(&app, "PUT", "w/2", &item);
    assert_eq!(put.status, 200, "{}", put.text());
    let same = "SELECT count(*) FROM w one, w other WHERE one.id = 1 AND other.id = 2 AND to_jsonb(one) - 'id' = to_jsonb(other) - 'id'";
    assert_eq!(database.count(same), 1);
    // Texts of a domain over an enum can be searched.
    let q = percent_encode(&json!({ "n": { "$like": "hap%" } }).to_string());
    assert_eq!(get(&app, &format!("w/?q={q}"))["count"], 2);
    for (filter, code) in [
        (json!({ "a": { "$eq": 1 } }), "DUET-2005"),
        (json!({ "k": "(1,x)" }), "DUET-2005"),
        (json!({ "n": "happy" }), "DUET-2005"),
        (json!({ "$orderby": { "n": "ASC" } }), "DUET-2008"),
        (json!({ "$orderby": { "k": "ASC" } }), "DUET-2008"),
        (json!({ "$orderby": { "h": "ASC" } }), "DUET-2008"),
    ] {
        let response = app.get(&format!("/ords/hr/w/?q={}", percent_encode(&filter.to_string())));
        let found = response.json()["errors"][0]["code"].clone();
        assert_eq!((response.status, found), (400, json!(code)), "{filter}");
    }
}

#[test]
fn keys_that_are_arrays() {
    let database = Database::postgres(concat!(module_path!(), "_array_keys"));
    database.exec(
        "CREATE DOMAIN cell AS int[];
         CREATE TABLE a (k int[] PRIMARY KEY, x int); INSERT INTO a VALUES ('{1,2}', 1), ('{}', 2), ('{{1},{2}}', 3), ('{NULL}', 4);
         CREATE TABLE t (k text[] PRIMARY KEY, x int); INSERT INTO t VALUES ('{\"a,b\",\"\\\"\"}', 1), ('{\"\"}', 2);
         CREATE TABLE m (k timestamptz[] PRIMARY KEY, x int); INSERT INTO m VALUES ('{infinity,\"0044-03-15 12:00:00+00 BC\"}', 1);
         CREATE TABLE c (k cell PRIMARY KEY, x int); INSERT INTO c VALUES ('{7}', 1);
         CREATE TABLE two (k int[], l int, x int, PRIMARY KEY (k, l)); INSERT INTO two VALUES ('{1,2}', 3, 1);",
    );
    let app = start(&database, None);
    for (list, count) in [("a", 4), ("t", 2), ("m", 1), ("c", 1), ("two", 1)] {
        assert_eq!(put_back(&app, list), count, "{list}");
    }
    assert_eq!(get(&app, "a/%5B1%2C2%5D")["x"], 1);
    let made = send(&app, "PUT", "a/%5B9%5D", &json!({ "x": 9 }));
    assert_eq!((made.status, &made.json()["k"]), (201, &json!([9])), "{}", made.text());
    let items = get(&app, "a/?after=&limit=2");
    assert_eq!(items["items"].as_array().unwrap().len(), 2);
}
