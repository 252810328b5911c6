//! What the `type` of a problem leads to.

use duet_model::Code;
use duet_text::remedy::Remedy;
use serde_json::json;

use crate::support::{Database, Setup};

fn database() -> Database {
    let database = Database::sqlite();
    database.exec("CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(9))");
    database
}

/// Every problem names its page, which needs no token.
#[test]
fn the_type_of_a_problem_is_a_page() {
    let app = Setup::new(&database()).start();
    let refused = app.connect().get("/ords/hr/team/", &[]);
    assert_eq!(refused.status, 401);
    let kind = refused.json()["type"].as_str().unwrap().to_owned();
    assert_eq!(kind, "/problems/DUET-4001");
    let page = app.connect().get(&kind, &[]);
    assert_eq!((page.status, page.header("content-type")), (200, Some("application/json")));
    let Remedy { cause, cure } = Code::Unauthorized.remedy();
    let expected = json!({
        "code": "DUET-4001", "status": 401, "title": Code::Unauthorized.title(),
        "cause": cause, "cure": cure, "type": kind,
    });
    assert_eq!(page.json(), expected);
    assert_eq!(page.header("vary"), Some("Accept"));
    let known = app.connect().get(&kind, &[("If-None-Match", page.header("etag").unwrap())]);
    assert_eq!((known.status, known.body.len()), (304, 0), "{known:?}");
}

#[test]
fn every_code_has_a_page_in_each_form() {
    let app = Setup::new(&database()).start();
    let mut client = app.connect();
    for code in Code::ALL {
        let path = format!("/problems/{}", code.as_str());
        for (accept, media) in [
            ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"),
            ("text/plain", "text/plain; charset=utf-8"),
            ("*/*", "application/json"),
        ] {
            let page = client.get(&path, &[("Accept", accept)]);
            assert_eq!((page.status, page.header("content-type")), (200, Some(media)), "{path}");
            assert!(page.text().contains(code.as_str()), "{page:?}");
            let is_html = media.starts_with("text/html");
            assert_eq!(page.header("content-security-policy").is_some(), is_html, "{page:?}");
        }
    }
    for path in ["/problems", "/problems/"] {
        let index = client.get(path, &[]).json();
        assert_eq!(index["problems"].as_array().unwrap().len(), Code::ALL.len());
    }
    assert_eq!(client.get("/problems/DUET-1001", &[("Accept", "image/png")]).status, 406);
    let posted = client.request("POST", "/problems/DUET-1001", &[], b"");
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
    let head = client.request("HEAD", "/problems/DUET-1001", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    // What is no code is no page, for callers without a token too.
    for path in ["/problems/DUET-0000", "/problems/DUET-1001/x", "/problems/x"] {
        let absent = client.get(path, &[]);
        assert_eq!((absent.status, absent.header("www-authenticate")), (404, None), "{path}");
        assert_eq!(app.get(path).status, 404, "{path}");
    }
}

/// An application at `/` keeps its own paths, and the pages of codes stay.
#[test]
fn beside_an_application_at_the_root() {
    for (table, is_taken) in [("team", false), ("problems", true)] {
        let database = Database::sqlite();
        database.exec(&format!("CREATE TABLE {table} (id integer NOT NULL PRIMARY KEY)"));
        database.exec(&format!("INSERT INTO {table} VALUES (7)"));
        let app = Setup::new(&database).with(|setup| setup.mount().path.clear()).start();
        assert_eq!(app.get(&format!("/{table}/7")).json()["id"], 7);
        let index = app.connect().get("/problems/", &[]);
        assert_eq!(index.status, if is_taken { 401 } else { 200 }, "{index:?}");
        assert_eq!(app.get("/problems/").json().get("items").is_some(), is_taken);
        assert_eq!(app.connect().get("/problems/DUET-1001", &[]).status, 200);
        // Whether there is such an item is not for everybody.
        let unknown = app.connect().get("/problems/7", &[]);
        assert_eq!(unknown.status, if is_taken { 401 } else { 404 }, "{unknown:?}");
    }
}
