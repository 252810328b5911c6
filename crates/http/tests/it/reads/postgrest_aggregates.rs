//! What aggregates of the profile `compat = "postgrest"` cost, by the statements that PostgreSQL executes for a request and
//! the rows that their plans pass on, and the limits of pages, which hold for groups too.

use duet_model::ProfileRef;
use duet_testkit::postgres::{Options, Server};
use serde_json::json;

use crate::support::{App, Database, Setup, eventually, on_both_stores};

on_both_stores! {
    pages_of_groups_are_limited
}

/// Items of parts, and nodes that have one above them.
fn tables(rows: usize, parts: usize) -> String {
    format!(
        "CREATE TABLE part (id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
         CREATE TABLE item (id integer NOT NULL PRIMARY KEY, part_id integer NOT NULL REFERENCES part (id), amount integer);
         CREATE INDEX item_part ON item (part_id);
         INSERT INTO part WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < {parts} - 1)
             SELECT n, 'part ' || n FROM s;
         INSERT INTO item WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < {rows} - 1)
             SELECT n, n % {parts}, 1 FROM s;
         CREATE TABLE node (id integer NOT NULL PRIMARY KEY, up integer REFERENCES node (id), n integer);
         CREATE INDEX node_up ON node (up);
         INSERT INTO node WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 199)
             SELECT n, n / 2, 1 FROM s;"
    )
}

fn setup(database: &Database) -> Setup {
    let setup = Setup::new(database).with(|setup| {
        setup.mount().profile = ProfileRef::named("postgrest").unwrap();
        setup.mount().aggregates = true;
    });
    setup.without_poll()
}

/// A statement that PostgreSQL has executed.
#[derive(Debug)]
struct Executed {
    text: String,
    /// The rows that each step of its plan has passed on, all of them together.
    rows: u64,
}

/// The statements about the tables of these tests in a part of the log.
fn executed(log: &str) -> Vec<Executed> {
    let plans = log.split(" plan:\n").skip(1);
    let lines = plans.map(|plan| plan.lines().take_while(|line| line.starts_with('\t')));
    let statements = lines.map(|mut lines| {
        let text = lines.next().unwrap_or_default().replace("\tQuery Text: ", "");
        let passed = |line: &str| -> Option<u64> {
            let (rows, loops) = line.split_once("(actual rows=")?.1.split_once(" loops=")?;
            Some(rows.parse::<u64>().ok()? * loops.trim_end_matches(')').parse::<u64>().ok()?)
        };
        Executed { text, rows: lines.filter_map(passed).sum() }
    });
    statements.filter(|one| is_own(&one.text)).collect()
}

fn is_own(text: &str) -> bool {
    ["part", "item", "node"].iter().any(|table| text.contains(&format!("\"public\".\"{table}\"")))
}

/// The statements of a request that gives so many rows.
fn statements(server: &Server, app: &App, (path, rows): (&str, usize)) -> Vec<Executed> {
    let before = server.log().len();
    let answer = app.get(&format!("/ords/hr/{path}"));
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    assert_eq!(answer.json().as_array().map(Vec::len), Some(rows), "{path}");
    let mut found = Vec::new();
    // A plan is logged behind the last row.
    eventually("the plans of the statements", || {
        let log = server.log();
        let log = &log[before..];
        let begun = log.lines().filter(|line| line.contains("LOG:  execute ") && is_own(line));
        found = executed(log);
        !found.is_empty() && found.len() == begun.count()
    });
    found
}

/// Compares the work of a request with that of one of twice the size.
fn compare(path: &str, once: &[Executed], twice: &[Executed]) {
    let rows = [once, twice].map(|all| all.iter().map(|one| one.rows).sum::<u64>());
    assert!(rows[0] > 0 && rows[1] * 10 <= rows[0] * 22, "{path}: {once:?}, then {twice:?}");
}

fn texts(statements: &[Executed]) -> Vec<&str> {
    statements.iter().map(|one| one.text.as_str()).collect()
}

/// Groups are one statement, and those of embedded rows one more, the same ones, however many rows and groups there are;
/// their work grows as these do.
#[test]
fn groups_take_one_statement_for_any_number_of_rows() {
    let options = Options::new()
        .setting("log_statement", "all")
        .setting("session_preload_libraries", "auto_explain")
        .setting("auto_explain.log_min_duration", "0")
        .setting("auto_explain.log_analyze", "on")
        .setting("auto_explain.log_timing", "off");
    let server = Server::start_with(options);
    let started = |(rows, parts): (usize, usize)| {
        let database = Database::Postgres(server.database(&format!("costs_{rows}_{parts}")));
        database.exec(&tables(rows, parts));
        database.exec("ANALYZE");
        setup(&database).start()
    };
    let sizes = [(1_000, 50), (2_000, 50), (2_000, 100)];
    let apps = sizes.map(started);
    for (path, grows, expected) in [
        ("item?select=count(),amount.sum()", false, 1),
        ("item?select=part_id,amount.sum(),count()", true, 1),
        ("item?select=amount.sum(),part(name)", true, 1),
        ("item?select=amount.sum(),...part(name)", true, 1),
        ("part?select=name,item(amount.sum(),count())", true, 2),
        ("item?select=part_id,count()&order=part_id.desc&limit=1000", true, 1),
    ] {
        let of = |at: usize| {
            let rows = if grows { sizes[at].1 } else { 1 };
            statements(&server, &apps[at], (path, rows))
        };
        let (small, more_rows, more_groups) = (of(0), of(1), of(2));
        compare(path, &small, &more_rows);
        compare(path, &more_rows, &more_groups);
        assert_eq!(texts(&small), texts(&more_rows), "{path}");
        assert_eq!(texts(&small), texts(&more_groups), "{path}");
        assert_eq!(small.len(), expected, "{path}: {small:?}");
    }
    let above = |levels: usize| -> (String, usize) {
        let inner =
            (1..levels).fold("...up(last:id)".to_owned(), |inner, _| format!("...up({inner})"));
        (format!("node?select=count(),{inner}&limit=1"), 1)
    };
    let beside = |embeds: usize| -> (String, usize) {
        let each: Vec<String> = (0..embeds).map(|at| format!("e{at}:node(n.sum())")).collect();
        (format!("node?select=id,{}", each.join(",")), 200)
    };
    let mut counts = Vec::new();
    for of in [&above as &dyn Fn(usize) -> (String, usize), &beside] {
        let [once, twice] = [2, 4].map(of).map(|(path, rows)| {
            let found = statements(&server, &apps[0], (&path, rows));
            (path, found)
        });
        compare(&twice.0, &once.1, &twice.1);
        counts.push([once.1.len(), twice.1.len()]);
    }
    assert_eq!(counts, [[1, 1], [3, 5]], "resources above are joined, each one beside is a level");
}

/// A page has at most `max_page_size` groups, and their number is that of all.
fn pages_of_groups_are_limited(database: Database) {
    database.exec(&tables(30, 10));
    let app = setup(&database)
        .with(|setup| {
            setup.read_limits.max_page_size = 4;
            setup.read_limits.filter.nodes = 12;
        })
        .start();
    let found = |query: &str, headers: &[(&str, &str)]| {
        let answer = app.get_with(&format!("/ords/hr/item?select=part_id,count(){query}"), headers);
        let first = answer.json()[0]["part_id"].as_i64();
        let range = answer.header("content-range").unwrap_or_default().to_owned();
        (answer.status, first, range)
    };
    let exact = [("Prefer", "count=exact")];
    for (query, headers, expected) in [
        ("", &[][..], (200, Some(0), "0-3/*")),
        ("&limit=9", &[], (200, Some(0), "0-3/*")),
        ("&limit=2&offset=3", &[], (200, Some(3), "3-4/*")),
        ("&offset=8", &[], (200, Some(8), "8-9/*")),
        ("", &exact, (206, Some(0), "0-3/10")),
        ("&offset=8", &exact, (206, Some(8), "8-9/10")),
        ("&part_id=lt.3", &exact, (200, Some(0), "0-2/3")),
        ("", &[("Range", "2-9")], (200, Some(2), "2-5/*")),
    ] {
        let (status, first, range) = expected;
        assert_eq!(found(query, headers), (status, first, range.to_owned()), "{query} {headers:?}");
    }
    // Each group of a page of rows around them has one row, which no limit cuts.
    let embedded = app.get("/ords/hr/part?select=id,item(count())&order=id").json();
    assert_eq!(embedded.as_array().map(Vec::len), Some(4));
    assert_eq!(embedded[3], json!({ "id": 3, "item": [{ "count": 3 }] }));
    // Keys and aggregates are parts of a request as those of filters are.
    let many: Vec<String> = (0..13).map(|at| format!("c{at}:count()")).collect();
    let refused = app.get(&format!("/ords/hr/item?select={}", many.join(",")));
    assert_eq!((refused.status, &refused.json()["code"]), (400, &json!("PGRST100")), "{refused:?}");
}
