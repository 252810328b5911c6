//! The database's own plan of a page, with estimates and with what it measures, for administrators.

use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    the_database_explains_a_page
    the_database_explains_each_level
}

const TABLES: &str = "
CREATE TABLE item (id integer PRIMARY KEY, a integer);
INSERT INTO item VALUES (1, 5), (2, 6), (3, 7), (4, 8);
CREATE TABLE part (id integer PRIMARY KEY, item_id integer NOT NULL REFERENCES item);
INSERT INTO part VALUES (10, 1), (11, 1), (12, 2);
";

fn get(app: &App, query: &str) -> Response {
    let target = format!("/ords/hr/item/?{query}");
    app.connect().request("GET", &target, &[("Authorization", &app.bearer())], b"")
}

fn the_database_explains_a_page(database: Database) {
    database.exec(TABLES);
    let app = |roles: &[&'static str]| {
        Setup::new(&database).with(|setup| setup.roles = roles.to_vec()).start()
    };
    let reader = app(&["duet.read"]);
    for query in ["explain=plan", "explain=analyze"] {
        let refused = get(&reader, query);
        assert_eq!(refused.status, 403, "{query}: {}", refused.text());
    }
    assert_eq!(get(&reader, "explain=1").status, 200);
    let app = app(&["duet.read", "duet.admin"]);
    let unasked = get(&app, "explain=1").json();
    assert!(
        unasked["statements"][0]["database"].is_null(),
        "only where it is asked for: {unasked}"
    );
    let filter = "q=%7B%22a%22:%7B%22$gt%22:5%7D%7D";
    let plan = get(&app, &format!("{filter}&explain=plan")).json();
    let steps = &plan["statements"][0]["database"]["steps"];
    assert!(steps.to_string().to_lowercase().contains("scan"), "{plan}");
    assert!(plan["statements"][0]["database"]["rowsRead"].is_null(), "nothing was read: {plan}");
    let plan = get(&app, &format!("{filter}&explain=analyze")).json();
    let measured = &plan["statements"][0]["database"];
    // SQLite says its steps alone.
    if !measured["rowsReturned"].is_null() {
        let rows =
            [&measured["rowsRead"], &measured["rowsReturned"]].map(serde_json::Value::as_f64);
        assert_eq!(rows, [Some(4.0), Some(3.0)], "{plan}");
        let slowest = measured["steps"].as_array().into_iter().flatten();
        assert_eq!(slowest.filter(|step| step["slowest"] == true).count(), 1, "{plan}");
    }
    assert_eq!(get(&app, "explain=loud").status, 400);
}

/// Statements below the first level are explained with the keys of the page.
fn the_database_explains_each_level(database: Database) {
    database.exec(TABLES);
    let view = "CREATE JSON DUALITY VIEW item_dv AS item { _id: id, a, parts: part [ { id } ] }";
    let app = Setup::new(&database)
        .with(|setup| setup.roles = vec!["duet.read", "duet.admin"])
        .view("item_dv", view)
        .start();
    for query in ["explain=plan", "explain=analyze"] {
        let target = format!("/ords/hr/item_dv/?{query}");
        let answer =
            app.connect().request("GET", &target, &[("Authorization", &app.bearer())], b"");
        let plan = answer.json();
        let statements = plan["statements"].as_array().cloned().unwrap_or_default();
        assert!(statements.len() >= 2, "{plan}");
        for (statement, table) in statements.iter().zip(["item", "part"]) {
            let steps = statement["database"]["steps"].to_string().to_lowercase();
            assert!(steps.contains("scan") || steps.contains("search"), "{plan}");
            let aliases = [format!(" {table}"), " t0".to_owned(), " t1".to_owned()];
            assert!(aliases.iter().any(|name| steps.contains(name)), "{table}: {plan}");
        }
        let returned = &statements[1]["database"]["rowsReturned"];
        assert!(returned.is_null() || *returned == 3.0, "of the keys of the page: {plan}");
    }
}
