//! The OpenAPI documents of the samples, as generators of clients read them: sound by themselves, and true of what is
//! answered.

mod document;

use duet_testkit::command::Running;
use duet_testkit::golden::workspace;
use duet_testkit::http::{self, Response};
use duet_testkit::postgres::Server;
use serde_json::{Value, json};

use super::duet_says;
use document::Document;

/// Where the samples of a demo are served.
const MOUNTS: [&str; 4] = ["/ords/hr", "/ords/chinook", "/orders-storage", ""];

fn document(server: &Running, path: &str) -> Document {
    let found = http::get(&format!("{}{path}", server.url()), &[]);
    assert_eq!(found.status, 200, "{path}: {found:?}");
    Document::new(path, found.json())
}

/// Checks the document of a mount, and that of each of its resources.
fn check_all(server: &Running, mount: &str) {
    let whole = document(server, &format!("{mount}/open-api-catalog/"));
    whole.check();
    let operations = whole.operations().len();
    let tags = whole.value["tags"].as_array().expect("tags").clone();
    let mut single = 0;
    for tag in tags {
        let name = tag["name"].as_str().expect("a name");
        let one = document(server, &format!("{mount}/open-api-catalog/{name}/"));
        one.check();
        single += one.operations().len();
    }
    // Only the transaction belongs to none of them.
    assert!(operations - single <= 1, "{mount}: {operations} operations, {single} one by one");
}

#[test]
fn the_samples_are_sound() {
    let server = Running::start(&["demo", "--listen", "0", "--open", "all"]);
    MOUNTS.iter().for_each(|mount| check_all(&server, mount));
    answers_are_described(&server);
    assert!(server.stop().success());
}

#[test]
fn the_samples_are_sound_on_postgres() {
    let databases = ["car-racing", "chinook"].map(|name| {
        let postgres = Server::shared().database(&format!("openapi_{}", name.replace('-', "_")));
        duet_says(&["load", name, "--database", &postgres.url()]);
        let file = workspace().join("apps").join(name).join("app.toml").display().to_string();
        let arguments =
            ["serve", &postgres.url(), "--config", &file, "--listen", "0", "--open", "all"];
        Running::start(&arguments)
    });
    let [season, music] = &databases;
    check_all(season, "/ords/hr");
    check_all(music, "/ords/chinook");
    answers_are_described(season);
}

/// A request of a test: method, path below the demo's mount, body, and the path of its operation.
type Asked = (&'static str, &'static str, &'static str, &'static str);

/// Requests whose answers have members, media types and forms that depend on the request.
const ASKED: [Asked; 17] = [
    ("GET", "/team/?limit=2", "", "/team/"),
    ("GET", "/team/?limit=2&fields=name&count=exact", "", "/team/"),
    ("GET", "/team/?explain=1", "", "/team/"),
    ("GET", "/team/?ids=2,999", "", "/team/"),
    ("GET", "/team_dv/?fields=driver.name", "", "/team_dv/"),
    ("GET", "/team_dv/301", "", "/team_dv/{_id}"),
    ("GET", "/team_dv/301?fields=name", "", "/team_dv/{_id}"),
    ("POST", "/team/search", r#"{"fields":["name"],"limit":1}"#, "/team/search"),
    ("PATCH", r"/team/?q=%7B%22team_id%22:2%7D&explain=1", r#"{"points":1}"#, "/team/"),
    ("PATCH", r"/team/?q=%7B%22team_id%22:2%7D", r#"{"points":0}"#, "/team/"),
    ("DELETE", r"/team/?q=%7B%22team_id%22:999%7D", "", "/team/"),
    ("DELETE", r"/team/?q=%7B%22team_id%22:999%7D&explain=1", "", "/team/"),
    ("POST", "/team/?explain=1", r#"{"team_id":9,"name":"N","points":0}"#, "/team/"),
    ("POST", "/team/?explain=1", r#"[{"team_id":9,"name":"N","points":0}]"#, "/team/"),
    ("PATCH", "/team/2?explain=1", r#"{"points":1}"#, "/team/{team_id}"),
    ("PATCH", "/team/2", r#"{"points":0}"#, "/team/{team_id}"),
    ("GET", "/team/?limt=2", "", "/team/"),
];

fn answers_are_described(server: &Running) {
    let described = document(server, "/ords/hr/open-api-catalog/");
    for (method, path, body, of) in ASKED {
        let kind = ("Content-Type", "application/json");
        let url = format!("{}/ords/hr{path}", server.url());
        let answer = http::request(method, &url, &[kind], body.as_bytes());
        fits(&described, (method, of), &answer);
    }
    let url = format!("{}/ords/hr/team/?limit=2", server.url());
    let rows = http::get(&url, &[("Accept", "application/json; profile=rows")]);
    assert_eq!(rows.header("content-type"), Some("application/json; profile=rows"));
    fits(&described, ("GET", "/team/"), &rows);
}

/// Compares an answer with the response of its operation.
fn fits(document: &Document, (method, path): (&str, &str), answer: &Response) {
    let shown = format!("{method} {path}: {answer:?}");
    let responses = &document.value["paths"][path][method.to_lowercase()]["responses"];
    let status = answer.status.to_string();
    let response = responses.get(&status).unwrap_or(&responses["default"]);
    let media = answer.header("content-type").expect(&shown);
    let content = &document.resolved(response)["content"];
    let schema = content.get(media).unwrap_or_else(|| panic!("{media} is not described: {shown}"));
    let problems = document.problems(&schema["schema"], &answer.json());
    assert_eq!(problems, Vec::<String>::new(), "{shown}");
}

/// What a new document takes is not read-only, and what never changes says so.
#[test]
fn members_of_new_documents_are_not_read_only() {
    let server = Running::start(&["demo", "--listen", "0", "--open", "all"]);
    let described = document(&server, "/ords/hr/open-api-catalog/race_dv/");
    let schemas = &described.value["components"]["schemas"];
    let catalog = format!("{}/ords/hr/metadata-catalog/race_dv/schema", server.url());
    let of_documents = http::get(&catalog, &[]).json();
    for name in ["_id", "laps"] {
        for schema in [&schemas["RaceDvNew"], &schemas["RaceDvWhole"], &of_documents] {
            assert_eq!(schema["properties"][name].get("readOnly"), None, "{name}: {schema}");
        }
        assert_eq!(schemas["RaceDvPatch"]["properties"][name]["readOnly"], json!(true), "{name}");
        assert_eq!(of_documents["properties"][name]["x-duet-create-only"], json!(true), "{name}");
    }
    let license = described.value["info"]["license"].clone();
    assert_eq!(license, json!({ "name": "Apache-2.0", "identifier": "Apache-2.0" }));
    let example = |method: &str| -> Value {
        let body = &described.value["paths"]["/race_dv/"][method]["requestBody"];
        body["content"]["application/json"]["example"].clone()
    };
    assert_eq!(example("post")["_id"], json!(1));
    assert_eq!(example("patch").get("_id"), None);
}
