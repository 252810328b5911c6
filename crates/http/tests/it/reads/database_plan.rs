//! The database's own plan of a page, with estimates and with what it measures, for administrators.

use duet_testkit::http::Response;

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    the_database_explains_a_page
}

const TABLES: &str = "
CREATE TABLE item (id integer PRIMARY KEY, a integer);
INSERT INTO item VALUES (1, 5), (2, 6), (3, 7), (4, 8);
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
    assert!(get(&app, "explain=1").json()["database"].is_null(), "only where it is asked for");
    let filter = "q=%7B%22a%22:%7B%22$gt%22:5%7D%7D";
    let plan = get(&app, &format!("{filter}&explain=plan")).json();
    let steps = &plan["database"]["steps"];
    assert!(steps.to_string().to_lowercase().contains("scan"), "{plan}");
    assert!(plan["database"]["rowsRead"].is_null(), "nothing was read: {plan}");
    let plan = get(&app, &format!("{filter}&explain=analyze")).json();
    let measured = &plan["database"];
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
