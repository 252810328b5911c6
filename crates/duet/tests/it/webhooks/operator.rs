//! What the operator is told: by `duet check` and the start, by `duet webhook`, and by a running server.

use duet_testkit::http;
use duet_testkit::receiver::{Receiver, Reply};
use duet_testkit::sqlite::Folder;
use serde_json::{Value, json};

use super::{App, Place, SECRET, send, webhook};
use crate::duet;

/// Every mistake is named with its place, and none of the secret.
#[test]
fn mistakes_in_a_declaration_are_all_named() {
    let app = App::new(&format!(
        "[[webhook]]\nname = 'Erp'\nurl = 'http://127.0.0.1/'\nresource = ['orders']\noperations = ['create']\nattempts = 11\nsecret = '{SECRET}'\n\
         [[webhook]]\nname = 'crm'\nurl = 'http://127.0.0.1/'\nresources = []\nsecret_file = ['absent', 'weak']\nretries = 3\n\
         [[webhook]]\nname = 'crm'\nurl = 'http://127.0.0.1/'\nresources = ['orders', 'orders']\nsecret = '${{ABSENT_SECRET}}'\n"
    ));
    app.write("weak", "whsec_short");
    let (code, _, errors) = duet(&["check", &app.source()]);
    assert_eq!(code, 1, "{errors}");
    for expected in [
        "`name` cannot be \"Erp\"",
        "needs `resources`",
        "`resource`",
        "no operation \"create\"",
        "`attempts` cannot be 11",
        "`secret` names a variable",
        "`resources` must not be empty",
        "The secret in \"absent\" cannot be read",
        "weak holds no secret of webhooks",
        "`retries`",
        "two webhooks \"crm\"",
        "twice",
        "no variable ABSENT_SECRET",
        "app.toml:",
    ] {
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
    assert!(!errors.contains("whsec_short"), "{errors}");
}

#[test]
fn addresses_and_resources_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    for place in Place::both(&folder, "refused") {
        place.exec("CREATE TABLE keyless (n integer); CREATE TABLE timed (at date PRIMARY KEY); CREATE VIEW seen AS SELECT * FROM orders;");
        let app = App::new(
            "[[webhook]]\nname = 'erp'\nurl = 'https://169.254.169.254/latest'\nsecret_file = 'secret'\nresources = ['orders']\n\
            [[webhook]]\nname = 'crm'\nurl = 'https://10.0.0.1/'\nsecret_file = 'secret'\nresources = ['orders']\n",
        );
        let url = place.url();
        let check = |app: &App| {
            let (code, _, errors) = duet(&["check", &app.source(), "--database", &url]);
            let (started, _, said) = duet(&["serve", &app.source(), "--database", &url]);
            assert_eq!((code, started), (1, 1), "{errors}{said}");
            // The same is said by the server.
            let message = errors.lines().next().unwrap().to_owned();
            assert!(said.contains(&message), "{message}: {said}");
            errors
        };
        let errors = check(&app);
        assert!(errors.contains("error: The webhook \"erp\" cannot be sent"), "{errors}");
        assert!(errors.contains("error: The webhook \"crm\" cannot be sent"), "{errors}");
        assert!(errors.contains("169.254.169.254 is not public"), "{errors}");
        app.declare("shop", "[[webhook]]\nname = 'erp'\nurl = 'http://127.0.0.1/'\nsecret_file = 'secret'\nresources = ['gone', 'seen', 'keyless', 'timed', 'orders']\n");
        let errors = check(&app);
        for expected in [
            "\"gone\": there is no such",
            "\"seen\"",
            "\"keyless\"",
            "\"timed\": its key has the column",
        ] {
            assert!(errors.contains(expected), "{expected}: {errors}");
        }
        app.declare("shop", "[[webhook]]\nname = 'erp'\nurl = 'http://127.0.0.1/'\nsecret_file = 'secret'\nresources = ['orders']\n");
        let errors = check(&app);
        assert!(
            errors.contains("does not record changes") && errors.contains("duet webhook prepare"),
            "{errors}"
        );
        app.webhook(&place, &["prepare"]);
        // Another declaration needs other triggers.
        let other = "[[webhook]]\nname = 'erp'\nurl = 'http://127.0.0.1/'\nsecret_file = 'secret'\nresources = ['orders', 'line']\n";
        app.declare("shop", other);
        assert!(check(&app).contains("triggers on the table of line"));
        let said = app.webhook(&place, &["prepare"]);
        assert!(said.contains("triggers on the table of line"), "{said}");
        assert!(app.webhook(&place, &["prepare"]).contains("is recorded"));
        // A trigger that somebody has dropped is missed.
        let without = match &place {
            Place::Sqlite(_) => {
                "DROP TABLE line; CREATE TABLE line (id integer PRIMARY KEY, n integer)"
            }
            Place::Postgres(_) => "ALTER TABLE line DISABLE TRIGGER USER",
        };
        place.exec(without);
        assert!(check(&app).contains("triggers on the table of line"));
        // The endpoint's name is taken.
        app.declare("other", other);
        let (code, _, errors) = duet(&["webhook", "prepare", &app.source(), "--database", &url]);
        assert_eq!(code, 1);
        assert!(errors.contains("The application shop has a webhook \"erp\""), "{errors}");
    }
}

#[test]
fn a_running_server_reports_its_endpoints() {
    let folder = Folder::new();
    for place in Place::both(&folder, "status") {
        let receiver = Receiver::start();
        receiver.answer(|one| match one.path.as_str() {
            "/bad" => Reply::Status(500, ""),
            _ => Reply::Status(200, ""),
        });
        let lines = format!("{}{}", webhook("good", &receiver, ""), webhook("bad", &receiver, ""));
        let app = App::new(&lines);
        let server = app.serve(&place);
        let bearer = server.bearer();
        let get = |path: &str| {
            http::get(&format!("{}{path}", server.url()), &[("Authorization", &bearer)])
        };
        send(&server, "POST", "orders/", &json!({ "id": 1, "customer": "ann" }));
        duet_testkit::command::wait_until("both are counted", || {
            let status = get("/admin/status").json();
            let of = &status["applications"][0]["webhooks"]["endpoints"];
            of[0]["accepted"] == 1 && of[1]["failed"] == 1 && of[1]["lastFailure"] == "status 500"
        });
        let metrics = get("/metrics");
        for expected in [
            "duet_webhook_accepted_total{application=\"shop\",webhook=\"good\"} 1",
            "duet_webhook_failed_total{application=\"shop\",webhook=\"bad\"} 1",
            "duet_webhook_enabled{application=\"shop\",webhook=\"bad\"} 1",
        ] {
            assert!(metrics.text().contains(expected), "{expected}: {}", metrics.text());
        }
        let said = app.webhook(&place, &["list", "--json"]);
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["endpoints"][0]["delivered"], 1);
        assert_eq!(said["endpoints"][1]["waiting"], 1);
        let shown = app.webhook(&place, &["show", "bad", "--json"]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["events"][0]["type"], "orders.created");
        assert_eq!(shown["events"][0]["lastStatus"], 500);
        assert!(app.webhook(&place, &["test", "good"]).contains("accepted"));
        let (code, _, errors) =
            duet(&["webhook", "test", "bad", &app.source(), "--database", &place.url()]);
        assert_eq!(code, 1);
        assert!(errors.contains("status 500"), "{errors}");
        let trial = receiver.received();
        assert!(trial.iter().any(|one| one.kind() == "webhook.test"));
        let printed = app.webhook(&place, &["prepare", "--print"]);
        assert!(printed.contains("CREATE TRIGGER") && printed.contains("'bad'"), "{printed}");
    }
}
