//! Tokens of another issuer beside Duet's own: who is let in, and where the keys come from.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use duet_auth::RateSettings;
use duet_auth::jwt::{Algorithm, Settings};
use duet_service::KeyPlaces;
use duet_testkit::http::Response;
use duet_testkit::jwt::Issuer;
use serde_json::{Value, json};

use crate::support::{App, Database, Setup, eventually, now, on_both_stores};

on_both_stores! {
    tokens_of_both_kinds_are_taken
}

/// Stands in a claim of every token, and must stand in no log.
pub(crate) const NOWHERE_LOGGED: &str = "ann@private.example";

/// What is asked of a token in these tests.
pub(crate) fn asked() -> Settings {
    Settings {
        issuer: "https://id.example".into(),
        audiences: vec!["shop".into()],
        algorithms: vec![Algorithm::EdDsa, Algorithm::Es256],
        skew: 60,
        max_age: None,
        roles: Some("/roles".parse().unwrap()),
        db_role: None,
        tenant: None,
        max_bytes: 8 << 10,
    }
}

pub(crate) fn by_file(file: PathBuf) -> KeyPlaces {
    KeyPlaces { file: Some(file), ..KeyPlaces::default() }
}

/// The claims of a good token.
pub(crate) fn claims(roles: &[&str]) -> Value {
    json!({
        "iss": "https://id.example",
        "aud": ["shop"],
        "sub": "ann-of-the-issuer",
        "email": NOWHERE_LOGGED,
        "exp": now() + 600,
        "roles": roles,
    })
}

pub(crate) fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

const TABLES: &str =
    "CREATE TABLE team (team_id integer PRIMARY KEY); INSERT INTO team VALUES (301);
    CREATE TABLE race (race_id integer PRIMARY KEY); INSERT INTO race VALUES (1);";

fn get(app: &App, path: &str, token: &str) -> Response {
    app.connect().get(path, &[("Authorization", &format!("Bearer {token}"))])
}

/// A server that takes an issuer's tokens by a file of its keys, which lies in the folder.
fn start(
    database: &Database,
    issuer: &Issuer,
    change: impl FnOnce(Setup) -> Setup,
) -> (App, tempfile::TempDir) {
    database.exec(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    std::fs::write(&file, issuer.jwks().to_string()).unwrap();
    let setup = Setup::new(database).with(|setup| setup.issuer = Some((asked(), by_file(file))));
    (change(setup).start(), folder)
}

fn tokens_of_both_kinds_are_taken(database: Database) {
    let issuer = Issuer::new("a");
    let (app, _keys) = start(&database, &issuer, |setup| {
        setup.privilege(&["clerk"], &["/race/*"]).privilege(&["duet.anyone"], &["/team/*"])
    });
    let status = |path: &str, claims: &Value| get(&app, path, &issuer.token(claims)).status;
    assert_eq!(app.get("/ords/hr/race/1").status, 200, "Duet's own tokens");
    assert_eq!(status("/ords/hr/race/1", &claims(&["duet.read"])), 200);
    assert_eq!(status("/ords/hr/race/1", &claims(&["clerk", "of-no-use"])), 200);
    assert_eq!(status("/ords/hr/race/1", &claims(&["chief"])), 403);
    assert_eq!(status("/ords/hr/team/301", &claims(&[])), 200, "what everybody may");
    assert_eq!(status("/metrics", &claims(&["duet.read"])), 403);
    assert_eq!(status("/metrics", &claims(&["duet.admin"])), 200);
    assert_eq!(get(&app, "/ords/hr/race/1", &issuer.ecdsa_token(&claims(&["clerk"]))).status, 200);

    // A wrong token is refused even where everybody may read.
    for (claims, described) in [
        (with(&claims(&[]), "exp", json!(now() - 120)), "The access token has expired"),
        (with(&claims(&[]), "nbf", json!(now() + 120)), "The access token is not valid yet"),
        (with(&claims(&[]), "aud", json!("stock")), "The access token is for another audience"),
        (with(&claims(&[]), "iss", json!("x")), "The access token was issued by another issuer"),
        (with(&claims(&[]), "exp", json!("x")), "The access token is malformed"),
    ] {
        let refused = get(&app, "/ords/hr/team/301", &issuer.token(&claims));
        assert_eq!(refused.status, 401, "{claims}");
        let challenge = refused.header("www-authenticate").unwrap();
        let expected = format!("error=\"invalid_token\", error_description=\"{described}\"");
        assert!(challenge.ends_with(&expected), "{challenge}");
        let message = refused.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(message, format!("{described}. Get a new one from its issuer."));
    }
    let good = issuer.token(&claims(&["clerk"]));
    let other_signature = issuer.token(&with(&claims(&["clerk"]), "x", json!(1)));
    let forged = format!(
        "{}.{}",
        good.rsplit_once('.').unwrap().0,
        other_signature.rsplit_once('.').unwrap().1
    );
    for (token, described) in [
        (forged, "The signature of the access token is wrong"),
        (
            issuer.token_with(&json!({ "alg": "RS512", "kid": "x" }), &claims(&[])),
            "The algorithm of the access token is not accepted",
        ),
        ("e30.e30".to_owned(), "The access token is malformed"),
        ("e30.!.e30".to_owned(), ""),
    ] {
        let refused = get(&app, "/ords/hr/team/301", &token);
        assert!(matches!(refused.status, 400 | 401), "{refused:?}");
        assert!(refused.text().contains(described), "{described} {refused:?}");
        let challenge = refused.header("www-authenticate").unwrap();
        assert!(challenge.contains(described), "{challenge}");
    }
    let stranger = Issuer::new("a").token(&claims(&["duet.read"]));
    assert_eq!(get(&app, "/ords/hr/team/301", &stranger).status, 401);
    let none = issuer.token_with(&json!({ "alg": "none" }), &claims(&["duet.read"]));
    let unsigned = format!("{}.", none.rsplit_once('.').unwrap().0);
    for token in [&none, &unsigned] {
        let status = get(&app, "/ords/hr/team/301", token).status;
        assert!(matches!(status, 400 | 401), "{status}");
    }
}

#[test]
fn without_an_issuer_nothing_with_dots_is_good() {
    let database = Database::sqlite();
    database.exec(TABLES);
    let app = Setup::new(&database).start();
    let token = Issuer::new("a").token(&claims(&["duet.read"]));
    assert_eq!(get(&app, "/ords/hr/team/301", &token).status, 401);
}

#[test]
fn bad_tokens_are_counted() {
    let (database, issuer) = (Database::sqlite(), Issuer::new("a"));
    let (app, _keys) = start(&database, &issuer, |setup| {
        let few = RateSettings { burst: 3, per_minute: 1, peers: 10 };
        setup.with(|setup| setup.options.bad_tokens = few)
    });
    let late = issuer.token(&with(&claims(&[]), "exp", json!(1)));
    let long = format!("a.b.{}", "c".repeat(9_000));
    let bad = issuer.token(&with(&claims(&[]), "aud", json!("stock")));
    // What has expired was good once: it is no guess.
    for _ in 0..5 {
        assert_eq!(get(&app, "/ords/hr/team/301", &late).status, 401);
    }
    let statuses: Vec<u16> = [&bad, &long, &bad, &bad]
        .iter()
        .map(|token| get(&app, "/ords/hr/team/301", token).status)
        .collect();
    assert_eq!(statuses, [401, 401, 401, 429]);
    let good = issuer.token(&claims(&["duet.read"]));
    assert_eq!(get(&app, "/ords/hr/team/301", &good).status, 200, "a good token is never held up");
}

/// An address that answers with a JWK Set, or with an error where there is none.
struct KeyServer {
    url: String,
    set: Arc<Mutex<Option<String>>>,
    asked: Arc<AtomicUsize>,
}

impl KeyServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/keys?all=1", listener.local_addr().unwrap());
        let set: Arc<Mutex<Option<String>>> = Arc::default();
        let asked: Arc<AtomicUsize> = Arc::default();
        let (answers, count) = (Arc::clone(&set), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                    head.push(byte[0]);
                }
                assert!(head.starts_with(b"GET /keys?all=1 HTTP/1.1\r\nhost: 127.0.0.1:"));
                count.fetch_add(1, Ordering::SeqCst);
                let (status, body) = match &*answers.lock().unwrap() {
                    Some(set) => ("200 OK", set.clone()),
                    None => ("302 Found\r\nLocation: /other", String::new()),
                };
                let length = body.len();
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { url, set, asked }
    }

    fn publish(&self, set: Option<String>) {
        *self.set.lock().unwrap() = set;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[test]
fn keys_are_fetched_and_kept() {
    let database = Database::sqlite();
    database.exec(TABLES);
    let keys = KeyServer::start();
    let places = KeyPlaces {
        url: Some(keys.url.clone()),
        refresh: Duration::from_secs(3_600),
        pause: Duration::from_millis(50),
        ..KeyPlaces::default()
    };
    let app = Setup::new(&database).with(|setup| setup.issuer = Some((asked(), places))).start();
    let (first, second) = (Issuer::new("1"), Issuer::new("2"));
    let judge =
        |issuer: &Issuer| get(&app, "/ords/hr/team/301", &issuer.token(&claims(&["duet.read"])));
    // The server serves before there are keys, and says that it cannot tell.
    let early = judge(&first);
    assert_eq!(early.status, 503, "{early:?}");
    assert_eq!(early.json()["errors"][0]["code"], "DUET-4011");
    assert!(early.header("retry-after").is_some() && early.header("www-authenticate").is_none());
    assert_eq!(app.get("/ords/hr/team/301").status, 200, "Duet's own tokens need no keys");
    keys.publish(Some(first.jwks().to_string()));
    eventually("the keys are there", || judge(&first).status == 200);

    // A new key: the first token with it waits for the set, but for the pause after the fetch before.
    let mut both = first.jwks();
    let mut number = 10;
    eventually("the first token with a new key is good", || {
        number += 1;
        let next = Issuer::new(&number.to_string());
        let mut set = both.clone();
        set["keys"].as_array_mut().unwrap().push(next.edwards_key());
        keys.publish(Some(set.to_string()));
        judge(&next).status == 200
    });
    both["keys"].as_array_mut().unwrap().push(second.edwards_key());
    keys.publish(Some(both.to_string()));
    eventually("the new key is there", || judge(&second).status == 200);

    // A fetch that fails, or brings nonsense, takes nothing away.
    for broken in [None, Some("{}".to_owned()), Some("nonsense".to_owned())] {
        keys.publish(broken);
        let before = keys.asked();
        assert_eq!(judge(&Issuer::new("3")).status, 401);
        eventually("the keys are asked for", || keys.asked() > before);
        assert_eq!((judge(&first).status, judge(&second).status), (200, 200));
    }
    app.stop();
}

#[test]
fn made_up_keys_cause_few_fetches() {
    let (database, issuer) = (Database::sqlite(), Issuer::new("1"));
    database.exec(TABLES);
    let keys = KeyServer::start();
    keys.publish(Some(issuer.jwks().to_string()));
    let places = KeyPlaces {
        url: Some(keys.url.clone()),
        refresh: Duration::from_secs(3_600),
        // Longer than the test: the first fetch is the only one.
        pause: Duration::from_secs(3_600),
        ..KeyPlaces::default()
    };
    let app = Setup::new(&database).with(|setup| setup.issuer = Some((asked(), places))).start();
    let good = issuer.token(&claims(&["duet.read"]));
    eventually("the keys are there", || get(&app, "/ords/hr/team/301", &good).status == 200);
    let stranger = Issuer::new("2").token(&claims(&["duet.read"]));
    for _ in 0..20 {
        assert_eq!(get(&app, "/ords/hr/team/301", &stranger).status, 401);
    }
    assert_eq!(keys.asked(), 1);
    // The operator's reload does not wait.
    assert_eq!(app.reload().json()["notes"], json!([]));
    assert_eq!(keys.asked(), 2);
}

/// A reload says which issuer's keys it could not read, each time, and what is in force instead.
#[test]
fn a_reload_says_that_keys_were_not_read() {
    let (database, issuer) = (Database::sqlite(), Issuer::new("1"));
    database.exec(TABLES);
    let (keys, folder) = (KeyServer::start(), tempfile::tempdir().unwrap());
    let places = KeyPlaces {
        url: Some(keys.url.clone()),
        secret: Some(folder.path().join("secret")),
        refresh: Duration::from_secs(3_600),
        pause: Duration::from_secs(3_600),
        ..KeyPlaces::default()
    };
    let secret = places.secret.clone().unwrap();
    let write = |bytes: &[u8]| {
        std::fs::write(&secret, bytes).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&secret, mode).unwrap();
    };
    write(&[b'x'; 40]);
    let mut settings = asked();
    settings.algorithms.push(Algorithm::Hs256);
    let app = Setup::new(&database).with(|setup| setup.issuer = Some((settings, places))).start();
    let notes = || -> Vec<String> {
        let reloaded = app.reload();
        assert_eq!(reloaded.status, 200, "{reloaded:?}");
        let notes = reloaded.json()["notes"].clone();
        serde_json::from_value(notes).unwrap()
    };
    let stays = "The keys of the issuer https://id.example were not reloaded; the keys before stay in force: DUET-";
    for _ in 0..2 {
        let notes = notes();
        assert!(
            matches!(&notes[..], [one] if one.starts_with(stays) && one.contains(&keys.url)),
            "{notes:?}"
        );
    }
    keys.publish(Some(issuer.jwks().to_string()));
    assert_eq!(notes(), [""; 0]);
    let good = issuer.token(&claims(&["duet.read"]));
    assert_eq!(get(&app, "/ords/hr/team/301", &good).status, 200);
    write(b"short");
    for _ in 0..2 {
        let notes = notes();
        assert!(
            matches!(&notes[..], [one] if one.starts_with(stays) && one.contains("secret")),
            "{notes:?}"
        );
    }
    assert_eq!(get(&app, "/ords/hr/team/301", &good).status, 200);
}
