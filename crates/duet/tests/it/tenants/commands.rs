//! Commands that work on the databases of tenants: `duet check`, `duet explain`, `duet advise`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Site, duet, duet_says, on_both};

const NOTES: &str = "table = \"note\"\nschema = \"note.json\"\n";
const NOTE_SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "text": {"type": "string"}}}"#;

/// Declares one more collection, which tenants that were made before lack.
fn with_notes(site: &Site) {
    let app = Path::new(&site.app);
    fs::write(app.join("collections/notes.toml"), NOTES).expect("the folder is writable");
    fs::write(app.join("note.json"), NOTE_SCHEMA).expect("as before");
}

#[test]
fn check_says_which_tenants_fit() {
    on_both("tenants_check", "tenants = 'header'", |site| {
        let check = |more: &[&str]| {
            duet(&[&["check", &site.app, "--database", &site.database], more].concat())
        };
        let (code, out, errors) = check(&[]);
        assert!(code == 0 && out.contains("duet tenant create"), "{out}{errors}");
        site.tenant("create", &["acme"]);
        with_notes(site);
        site.tenant("create", &["globex"]);
        let (code, out, errors) = check(&[]);
        assert_eq!(code, 1);
        assert!(out.starts_with("orders fits tenant globex: "), "{out}");
        assert!(!out.contains("acme"), "{out}");
        for part in ["Tenant acme:\n", "  note", "duet tenant upgrade "] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
        let last = "error: 1 of 2 tenants cannot be served as declared: acme.\n";
        assert!(errors.ends_with(last), "{errors}");
        assert_eq!(check(&["--tenant", "globex"]).0, 0);
        let (code, out, errors) = check(&["--tenant", "acme", "--tenant", "nobody"]);
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(errors.contains("There is no tenant nobody."), "{errors}");
        assert!(errors.ends_with("declared: acme, nobody.\n"), "{errors}");
        site.tenant("upgrade", &[]);
        let (code, out, errors) = check(&[]);
        assert_eq!((code, out.lines().count()), (0, 2), "{out}{errors}");
    });
}

#[test]
fn explain_shows_the_sql_of_a_tenant() {
    on_both("tenants_explain", "tenants = 'header'", |site| {
        site.tenant("create", &["acme"]);
        let file = format!("{}/app.toml", site.app);
        let explain = |more: &[&str]| {
            let url = "/orders-storage/orders?query=poNumber==1";
            duet(&[&["explain", "GET", url, &site.database, "--config", &file], more].concat())
        };
        let (code, out, errors) = explain(&["--tenant", "acme"]);
        assert!(code == 0 && out.contains("purchase_order"), "{out}{errors}");
        // Statements name the schema, where tenants have schemas.
        let is_schema = !site.database.starts_with("sqlite:");
        assert_eq!(out.contains("acme_orders"), is_schema, "{out}");
        for (more, part) in [
            (&[][..], "Each tenant of the application"),
            (&["--tenant", "nobody"], "There is no tenant nobody."),
        ] {
            let (code, _, errors) = explain(more);
            assert!(code == 1 && errors.contains(part), "{errors}");
        }
    });
}

#[test]
fn advise_copies_the_documents_of_a_tenant() {
    on_both("tenants_advise", "tenants = 'header'", |site| {
        site.tenant("create", &["acme"]);
        let server = site.serve(&["--open", "all"]);
        for number in 1..=30 {
            let line = format!(r#"{{"id":"{}","title":"t{number}"}}"#, super::key(number));
            let headers = [("X-Okapi-Tenant", "acme")];
            let answer = super::send(&server.url(), &headers, ["POST", "lines", &line]);
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        assert!(server.stop().success());
        let log = site.folder.path().join("access.log");
        let search = "GET /orders-storage/lines?query=title==t7";
        let lines = ["acme", "globex"].map(|tenant| {
            format!("2026-01-01T00:00:00.000Z 1 127.0.0.1 orders/{tenant} - lines \"{search}\" 200 9 900us\n")
        });
        fs::write(&log, lines.concat()).expect("the folder is writable");
        let log = log.display().to_string();
        let begin = ["advise", &site.app, "--database", &site.database, "--log", &log];
        let more = ["--tenant", "acme", "--gain", "0.001", "--json"];
        let advice = duet_says(&[&begin[..], &more].concat());
        let advice: Value = serde_json::from_str(&advice).expect("JSON");
        let proposal = &advice["add"][0];
        assert_eq!(proposal["collection"], "lines", "{advice}");
        // Requests of all tenants count, and the documents are this one's.
        assert_eq!(
            (&proposal["requests"], &proposal["documents"]),
            (&2.into(), &30.into()),
            "{advice}"
        );
        let (code, _, errors) = duet(&[&begin[..], &["--tenant", "nobody"]].concat());
        assert!(code == 1 && errors.contains("There is no tenant nobody."), "{errors}");
    });
}

#[test]
fn applications_without_tenants_take_none() {
    for words in [&["check"][..], &["explain", "GET", "/ords/hr/team/"]] {
        let app = "car-racing";
        let (code, _, errors) = match words {
            ["check"] => {
                let folder = duet_testkit::sqlite::Folder::new();
                let database = format!("sqlite:{}", folder.path().join("a.db").display());
                duet_says(&["load", app, "--database", &database]);
                duet(&["check", app, "--database", &database, "--tenant", "acme"])
            }
            words => duet(&[words, &[app, "--tenant", "acme"]].concat()),
        };
        assert!(code == 1 && errors.contains("has no tenants"), "{errors}");
    }
}
