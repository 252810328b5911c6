//! What is logged: every request, and nothing that would let a reader of the log in.

use std::fs::File;

use duet_auth::StateFile;
use duet_http::AccessLog;
use duet_testkit::http::Client;
use duet_testkit::jwt::Issuer;
use serde_json::json;

use super::issuer::{NOWHERE_LOGGED, asked, by_file, claims, with};
use crate::support::{Child, Database, Setup, Source, child_role, now};

/// A server that logs all it can to standard output and error, until its input ends.
#[test]
#[ignore = "runs as a child of the other tests"]
fn child() {
    let Some(role) = child_role() else { return };
    let [form, file, state, keys] = role.split('\n').collect::<Vec<_>>()[..] else {
        panic!("{role}")
    };
    let subscriber = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_max_level(tracing::Level::TRACE)
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let app = Setup::of(Source::File(file.into()))
        .with(|setup| {
            setup.state = Some(state.into());
            setup.issuer = Some((asked(), by_file(keys.into())));
            setup.options.slow = std::time::Duration::ZERO;
            setup.options.access_log =
                if form == "text" { AccessLog::Text } else { AccessLog::Json };
        })
        .start();
    println!("\nURL {}", app.url());
    std::io::stdin().read_line(&mut String::new()).unwrap();
    app.stop();
}

#[test]
fn no_secret_is_logged_as_text() {
    no_secret_is_logged("text");
}

#[test]
fn no_secret_is_logged_as_json() {
    no_secret_is_logged("json");
}

fn no_secret_is_logged(form: &str) {
    use base64::Engine as _;
    let database = Database::sqlite();
    database
        .exec("CREATE TABLE team (team_id integer PRIMARY KEY, name text); INSERT INTO team VALUES (301, NULL);");
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    let file = StateFile::open(&state, now()).unwrap();
    let (client, secret) =
        file.update(|state| state.add("mine", &["duet.read", "duet.write"], now())).unwrap();
    let (_, key) = file.update(|state| state.add_key("etl", &["duet.read"], now(), None)).unwrap();
    let (id, secret) = (client.id.as_str().to_owned(), secret.expose().to_owned());
    let (keys, issuer) = (folder.path().join("keys.json"), Issuer::new("k"));
    std::fs::write(&keys, issuer.jwks().to_string()).unwrap();
    let errors = folder.path().join("errors");
    let (file, state) = (database.file().display().to_string(), state.display());
    let role = format!("{form}\n{file}\n{state}\n{}", keys.display());
    let log = File::create(&errors).unwrap();
    let mut child = Child::start("access::secrecy::child", &role, |command| {
        command.stderr(log);
    });
    let mut http = Client::connect(&child.wait_for("URL"));
    let basic = base64::engine::general_purpose::STANDARD.encode(format!("{id}:{secret}"));
    let basic_header = format!("Basic {basic}");
    let form_type = ("Content-Type", "application/x-www-form-urlencoded");
    let by_header = [("Authorization", basic_header.as_str()), form_type];
    let grant = http.request("POST", "/oauth/token", &by_header, b"grant_type=client_credentials");
    let token = grant.json()["access_token"].as_str().unwrap().to_owned();
    let in_form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    http.request("POST", "/ords/hr/oauth/token", &[form_type], in_form.as_bytes());
    // What careless clients do: secrets where they do not belong.
    let bearer = format!("Bearer {token}");
    for (path, header) in [
        ("/ords/hr/team/301".to_owned(), bearer.clone()),
        ("/ords/hr/team/".to_owned(), bearer.clone()),
        ("/ords/hr/team/301".to_owned(), basic_header.clone()),
        ("/ords/hr/team/301".to_owned(), format!("Bearer {secret}")),
        ("/ords/hr/team/301".to_owned(), format!("{bearer}x")),
        ("/ords/hr/team/301".to_owned(), format!("{bearer} {token}")),
        (format!("/ords/hr/team/301?access_token={token}"), String::new()),
        (format!("/ords/hr/team/?x=1&access%5Ftoken={token}&limit=5"), bearer.clone()),
        (format!("/oauth/token?client_id={id}&client_secret={secret}"), String::new()),
        (format!("http://{id}:{secret}@host/ords/hr/team/301"), bearer.clone()),
    ] {
        http.get(&path, &[("Authorization", &header)]);
    }
    let key = key.expose();
    send_key(&mut http, key);
    write_and_search(&mut http, &bearer);
    let of_issuer = try_tokens_of(&issuer, &mut http);
    drop(http.send(format!("NONSENSE {secret}\r\n{token}\r\n\r\n").as_bytes()));
    drop(http.read_to_end());

    let mut logged = child.finish();
    logged.push_str(&std::fs::read_to_string(&errors).unwrap());
    for part in of_issuer.iter().flat_map(|jwt| jwt.split('.').skip(1)) {
        assert!(!logged.contains(part), "a part of a token is logged: {logged}");
    }
    assert!(!logged.contains(NOWHERE_LOGGED), "a claim is logged: {logged}");
    assert!(logged.contains("ann-of-the-issuer"), "the subject is told: {logged}");
    for (what, text) in
        [("secret", &*secret), ("token", &*token), ("header", &*basic), ("API key", &key[17..])]
    {
        assert!(!logged.contains(text), "the {what} is logged: {logged}");
    }
    // It is a log all the same: who asked for what, and what came of it.
    let lines = logged.lines().filter(|line| line.contains("/ords/hr/team/301")).count();
    assert!(lines >= 6, "{lines} in {logged}");
    assert!(logged.contains(&id), "the client's id is told: {logged}");
    slow_statements_are_told(&logged);
    if form == "json" {
        entries_are_json(&logged);
    }
}

/// An API key in each place that clients may put it into, and in some that they may not.
fn send_key(http: &mut Client, key: &str) {
    for value in [key, &key[1..]] {
        http.get("/ords/hr/team/301", &[("X-API-Key", value)]);
    }
    http.get(&format!("/ords/hr/team/301?api_key={key}"), &[("X-API-Key", key)]);
    http.get("/ords/hr/team/301", &[("Authorization", &format!("Bearer {key}"))]);
}

fn entries_are_json(logged: &str) {
    let entries = logged.lines().filter(|line| line.starts_with("{\"time\":"));
    let parsed: Vec<serde_json::Value> =
        entries.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(parsed.iter().any(|entry| entry["status"] == 200), "{parsed:?}");
}

/// A value that clients send in bodies alone.
const VALUE: &str = "a value of a body";

/// Requests whose statements differ from a read by key.
fn write_and_search(http: &mut Client, bearer: &str) {
    let row = json!({ "team_id": 302, "name": VALUE }).to_string();
    let patch = json!({ "name": format!("{VALUE} too") }).to_string();
    let search = json!({ "q": { "name": { "$like": VALUE } } }).to_string();
    for (method, path, body, status) in [
        ("POST", "/ords/hr/team/", &row, 201),
        ("PATCH", "/ords/hr/team/302", &patch, 200),
        ("POST", "/ords/hr/team/search", &search, 200),
    ] {
        let headers = [("Authorization", bearer), ("Content-Type", "application/json")];
        let answer = http.request(method, path, &headers, body.as_bytes());
        assert_eq!(answer.status, status, "{answer:?}");
    }
}

/// The slow log has the statements of reads and writes, without values.
fn slow_statements_are_told(logged: &str) {
    let slow: Vec<&str> = logged.lines().filter(|line| line.contains("slow request")).collect();
    for statement in ["INSERT INTO", "duet_like", "SELECT"] {
        let told = |line: &&str| line.contains("statement_millis=") && line.contains(statement);
        assert!(slow.iter().any(told), "{statement}: {slow:#?}");
    }
    assert!(!logged.contains(VALUE), "a value of a body is logged: {logged}");
}

/// Sends tokens of another issuer, good ones and bad ones of every kind, and gives them back.
fn try_tokens_of(issuer: &Issuer, http: &mut Client) -> [String; 4] {
    let tokens = [
        issuer.token(&claims(&["duet.read"])),
        issuer.token(&with(&claims(&[]), "exp", json!(1))),
        Issuer::new("k").token(&claims(&["duet.read"])),
        Issuer::new("u").token(&claims(&["duet.read"])),
    ];
    for jwt in &tokens {
        let signature = jwt.rsplit('.').next().unwrap();
        for header in [format!("Bearer {jwt}"), format!("Bearer {jwt}x"), format!("Bearer x{jwt}")]
        {
            let answer = http.get("/ords/hr/team/301", &[("Authorization", &header)]);
            assert!(!answer.text().contains(signature), "{answer:?}");
        }
        http.get(&format!("/ords/hr/team/301?access_token={jwt}"), &[]);
    }
    tokens
}
