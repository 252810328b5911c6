//! One application below several paths, also outside `/ords`.

use duet_auth::{Operation, Privilege};
use duet_model::commit_class::CommitClass;
use duet_service::definition::Resource;
use duet_testkit::http::Response;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, on_both_stores};

on_both_stores! {
    each_mount_serves_what_names_it
    each_mount_describes_itself
    links_lead_to_the_mount_that_serves
    a_view_over_tables_of_another_mount
    privileges_are_about_their_mount
    one_mount_may_not_hide_another
}

const TABLES: &str = "
CREATE TABLE orders (id integer NOT NULL PRIMARY KEY, client_id integer, note varchar(20));
CREATE TABLE client (id integer NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, secret varchar(20));
INSERT INTO client VALUES (1, 'Ann', 'x'), (2, 'Bob', 'y');
INSERT INTO orders VALUES (10, 1, 'first');
";
const VIEW: &str =
    "CREATE JSON RELATIONAL DUALITY VIEW order_dv AS orders @insert @update @delete {
    _id: id  note: note  clientId: client_id };
CREATE JSON RELATIONAL DUALITY VIEW login_dv AS client @insert @update @delete {
    _id: id  name: name };";

fn elsewhere(name: &str, table: &str) -> Resource {
    Resource {
        name: name.into(),
        table: table.into(),
        mount: Some("/authn".into()),
        ..Resource::default()
    }
}

/// `orders` and `order_dv` below the first mount, `account` and `login_dv` below the second.
fn setup(database: &Database) -> Setup {
    database.exec(TABLES);
    over(database)
}

fn over(database: &Database) -> Setup {
    Setup::new(database).view("views", VIEW).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
        let mount = setup.mount();
        mount.path = "/orders-storage".into();
        mount.further = vec!["/authn".into()];
        mount.resources = vec![elsewhere("account", "client"), elsewhere("login_dv", "login_dv")];
        mount.resources[0].hidden = vec!["secret".into()];
    })
}

fn send(app: &App, method: &str, path: &str, body: &Value) -> Response {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    app.connect().request(method, path, &headers, body.to_string().as_bytes())
}

fn names(list: &Value) -> Vec<String> {
    let names = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    names.map(str::to_lowercase).collect()
}

fn each_mount_serves_what_names_it(database: Database) {
    let app = setup(&database).start();
    for path in ["/orders-storage/orders/10", "/orders-storage/order_dv/10"] {
        assert_eq!(app.get(path).json()["note"], "first", "{path}");
    }
    for path in ["/authn/account/1", "/authn/login_dv/1"] {
        assert_eq!(app.get(path).json()["name"], "Ann", "{path}");
    }
    assert_eq!(app.get("/authn/account/1").json().get("secret"), None);
    for path in [
        "/authn/orders/10",
        "/authn/order_dv/10",
        "/orders-storage/account/1",
        "/orders-storage/client/1",
        "/orders-storage/login_dv/1",
        "/authnx/account/1",
    ] {
        assert_eq!(app.get(path).status, 404, "{path}");
    }
    // What appears later is served below the first.
    database.exec("CREATE TABLE late (id integer NOT NULL PRIMARY KEY)");
    assert_eq!(app.reload().status, 200);
    assert_eq!(app.get("/orders-storage/late/").status, 200);
    assert_eq!(app.get("/authn/late/").status, 404);
}

fn each_mount_describes_itself(database: Database) {
    let app = setup(&database).start();
    for (mount, title, expected, foreign) in [
        ("/orders-storage", "test", ["order_dv", "orders"], "account"),
        ("/authn", "test/authn", ["account", "login_dv"], "orders"),
    ] {
        let index = app.get(&format!("{mount}/")).json();
        assert_eq!(index["name"], title);
        assert_eq!(names(&index["resources"]), expected);
        let catalog = app.get(&format!("{mount}/metadata-catalog/")).json();
        assert_eq!(names(&catalog["items"]), expected);
        assert_eq!(app.get(&format!("{mount}/metadata-catalog/{foreign}/")).status, 404);
        let document = app.get(&format!("{mount}/open-api-catalog/"));
        let paths = document.json()["paths"].as_object().unwrap().clone();
        for name in expected {
            assert!(paths.contains_key(&format!("/{name}/")), "{name}: {:?}", paths.keys());
        }
        assert!(!paths.contains_key(&format!("/{foreign}/")), "{:?}", paths.keys());
        assert!(document.json()["servers"][0]["url"].as_str().unwrap().ends_with(mount));
    }
    let root = app.get_with("/", &[("Accept", "application/json")]).json();
    let mounts = root["applications"][0]["mounts"].as_array().unwrap();
    let paths: Vec<_> = mounts.iter().map(|mount| mount["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["/orders-storage", "/authn"]);
}

fn links_lead_to_the_mount_that_serves(database: Database) {
    let app = setup(&database).start();
    for path in ["/orders-storage/orders/10", "/authn/account/1", "/authn/login_dv/1"] {
        let document = app.get(path).json();
        let links = document["links"].as_array().unwrap();
        let link = |rel: &str| {
            let found = links.iter().find(|link| link["rel"] == rel).unwrap();
            found["href"].as_str().unwrap().strip_prefix(app.url()).unwrap().to_owned()
        };
        let collection = path.rsplit_once('/').unwrap().0;
        let (mount, name) = collection.rsplit_once('/').unwrap();
        assert_eq!(link("self"), path);
        assert_eq!(link("collection"), format!("{collection}/"));
        assert_eq!(link("describedby"), format!("{mount}/metadata-catalog/{name}/item"));
        for rel in ["collection", "describedby"] {
            assert_eq!(app.get(&link(rel)).status, 200, "{}", link(rel));
        }
    }
    let made = send(&app, "POST", "/authn/account/", &json!({ "id": 3, "name": "Cy" }));
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.header("location").unwrap(), format!("{}/authn/account/3", app.url()));
    // A transaction takes links of both mounts, and answers with them.
    let operations = json!([
        { "method": "POST", "path": "orders", "body": { "id": 11, "client_id": 4 } },
        { "method": "POST", "path": "/authn/account", "body": { "id": 4, "name": "Di" } },
        { "method": "DELETE", "path": format!("{}/authn/login_dv/2", app.url()) },
    ]);
    let told = send(&app, "POST", "/orders-storage/_/transaction", &operations).json();
    assert_eq!(told[0]["location"], format!("{}/orders-storage/orders/11", app.url()), "{told}");
    assert_eq!(told[1]["location"], format!("{}/authn/account/4", app.url()), "{told}");
    assert_eq!(app.get("/authn/account/2").status, 404);
    let unknown = json!([{ "method": "DELETE", "path": "/authn/orders/11" }]);
    let refused = send(&app, "POST", "/orders-storage/_/transaction", &unknown);
    assert_eq!(refused.status, 404, "{refused:?}");
}

fn a_view_over_tables_of_another_mount(database: Database) {
    let app = setup(&database)
        .view(
            "receipt",
            "CREATE JSON RELATIONAL DUALITY VIEW receipt_dv AS client @update {
                _id: id  name: name }",
        )
        .start();
    // The table is served below `/authn`, the view over it below the first mount.
    assert_eq!(app.get("/orders-storage/receipt_dv/1").json()["name"], "Ann");
    let mut document = app.get("/orders-storage/receipt_dv/1").json();
    document["name"] = json!("Anne");
    document.as_object_mut().unwrap().remove("links");
    let written = send(&app, "PUT", "/orders-storage/receipt_dv/1", &document);
    assert_eq!(written.status, 200, "{written:?}");
    assert_eq!(app.get("/authn/account/1").json()["name"], "Anne");
}

fn privileges_are_about_their_mount(database: Database) {
    let privilege = |name: &str, pattern: &str| Privilege {
        name: name.into(),
        roles: vec!["guest".into()],
        patterns: vec![pattern.into()],
        operations: vec![Operation::Read],
    };
    database.exec(TABLES);
    let start = |mounts: &[&str], pattern: &str| {
        let setup = over(&database).with(|setup| {
            setup.holders = vec!["guest".into()];
            let mount = setup.mount();
            mount.privileges = vec![privilege("guests", pattern)];
            if !mounts.is_empty() {
                let mounts = mounts.iter().map(|path| (*path).to_owned()).collect();
                mount.privilege_mounts.insert(0, mounts);
            }
        });
        setup.try_start()
    };
    let refused = start(&[], "/account/*").err().unwrap();
    let message = refused.message.clone();
    assert!(message.contains("matches nothing that is served below /orders-storage"), "{message}");
    assert!(message.contains("It is served below /authn"), "{message}");
    let both = ["/orders-storage", "/authn"];
    for (mounts, expected) in
        [(&both[..0], [200, 403]), (&both[1..], [403, 200]), (&both[..], [200, 200])]
    {
        let app = start(mounts, "/*").unwrap_or_else(|error| panic!("{error}"));
        let bearer = app.bearer_of("guest");
        let status = |path: &str| app.connect().get(path, &[("Authorization", &bearer)]).status;
        let found = [status("/orders-storage/orders/10"), status("/authn/account/1")];
        assert_eq!(found, expected, "{mounts:?}");
        app.stop();
    }
}

fn one_mount_may_not_hide_another(database: Database) {
    let refused = setup(&database)
        .with(|setup| {
            let mount = setup.mount();
            mount.further = vec!["/authn".into(), "/orders-storage/orders".into()];
        })
        .try_start();
    let message = refused.err().unwrap().message;
    assert_eq!(
        message,
        "The mount /orders-storage/orders of application \"test\" hides /orders-storage/orders of application \"test\"."
    );
}

#[test]
fn a_routine_names_its_mount() {
    let database = Database::postgres("mounts_of_routines");
    database.exec(
        "CREATE FUNCTION twice(n integer) RETURNS integer LANGUAGE sql AS 'SELECT 2 * n';
         CREATE FUNCTION thrice(n integer) RETURNS integer LANGUAGE sql AS 'SELECT 3 * n';",
    );
    let start = |hidden: &[&str]| {
        let setup = over(&database).with(|setup| {
            setup.roles = vec!["duet.execute", "duet.read"];
            let mut twice = elsewhere("twice", "twice");
            twice.hidden = hidden.iter().map(|name| (*name).to_owned()).collect();
            setup.mount().resources.push(twice);
        });
        setup.try_start()
    };
    database.exec(TABLES);
    let refused = start(&["n"]).err().unwrap().message;
    assert!(refused.contains("twice is a routine: `hidden` is for tables and views."), "{refused}");
    let commit = over(&database).with(|setup| {
        let mut twice = elsewhere("twice", "twice");
        twice.commit.class = CommitClass::Async;
        setup.mount().resources.push(twice);
    });
    let refused = commit.try_start().err().unwrap().message;
    assert!(refused.contains("twice is a routine: `commit` is for tables and views."), "{refused}");
    let app = start(&[]).unwrap_or_else(|error| panic!("{error}"));
    let run = |path: &str| send(&app, "POST", path, &json!({ "n": 7 }));
    assert_eq!(run("/authn/twice").json(), json!({ "~ret": 14 }));
    assert_eq!(run("/orders-storage/thrice").json(), json!({ "~ret": 21 }));
    assert_eq!(run("/orders-storage/twice").status, 404);
    assert_eq!(run("/authn/thrice").status, 404);
}
