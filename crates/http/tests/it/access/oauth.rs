//! The token endpoint, and what becomes of tokens.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;

use duet_auth::{Open, RateSettings, StateFile};
use duet_service::definition::Mounts;
use duet_testkit::http::Response;

use crate::support::{App, Database, Running, Setup, eventually, now};

const TABLE: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL);
INSERT INTO team VALUES (301, 'Ferrari');
";

const ITEM: &str = "/ords/hr/team/301";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

fn setup() -> (Database, Setup) {
    let database = Database::sqlite();
    database.exec(TABLE);
    let setup = Setup::new(&database);
    (database, setup)
}

fn basic(id: &str, secret: &str) -> String {
    use base64::Engine as _;
    let pair = format!("{id}:{secret}");
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
}

fn ask(app: &Running, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    app.connect().request("POST", path, headers, body)
}

fn ask_as(app: &Running, id: &str, secret: &str) -> Response {
    let header = basic(id, secret);
    let headers = [("Authorization", header.as_str()), FORM];
    ask(app, "/oauth/token", &headers, b"grant_type=client_credentials")
}

/// A token by the wire.
fn token(app: &Running) -> String {
    let response = ask_as(app, app.id.as_str(), &app.secret);
    assert_eq!(response.status, 200, "{response:?}");
    response.json()["access_token"].as_str().unwrap().to_owned()
}

fn status_with(app: &Running, token: &str) -> u16 {
    app.connect().get(ITEM, &[("Authorization", &format!("Bearer {token}"))]).status
}

#[test]
fn tokens_are_given_at_both_paths() {
    let (_database, setup) = setup();
    let app = setup.start();
    let header = basic(app.id.as_str(), &app.secret);
    let in_form =
        format!("grant_type=client_credentials&client_id={}&client_secret={}", app.id, app.secret);
    for path in ["/oauth/token", "/oauth/token/", "/ords/hr/oauth/token", "/ords/hr/oauth/token/"] {
        let by_header = [("Authorization", header.as_str()), FORM];
        for response in [
            ask(&app, path, &by_header, b"grant_type=client_credentials"),
            ask(&app, path, &by_header, b"grant_type=client_credentials&scope="),
            ask(&app, path, &[FORM], in_form.as_bytes()),
            // As the published load test sends it.
            ask(
                &app,
                path,
                &[
                    ("Authorization", header.as_str()),
                    ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
                ],
                b"grant_type=client_credentials",
            ),
        ] {
            assert_eq!(response.status, 200, "{response:?}");
            assert_eq!(response.header("content-type"), Some("application/json"));
            assert_eq!(response.header("cache-control"), Some("no-store"));
            let body = response.json();
            assert_eq!(
                (&body["token_type"], &body["expires_in"]),
                (&"bearer".into(), &3600.into())
            );
            assert_eq!(status_with(&app, body["access_token"].as_str().unwrap()), 200);
        }
    }
}

#[test]
fn refusals_are_those_of_rfc_6749() {
    let (_database, setup) = setup();
    let app = setup.start();
    let (id, secret) = (app.id.as_str(), app.secret.as_str());
    let good = basic(id, secret);
    let grant = b"grant_type=client_credentials";
    let twice = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    for (header, content_type, body, status, error) in [
        (&*basic(id, "wrong"), FORM.1, &grant[..], 401, "invalid_client"),
        (&*basic("nobody", secret), FORM.1, grant, 401, "invalid_client"),
        ("Basic !!!", FORM.1, grant, 401, "invalid_client"),
        ("Bearer abc", FORM.1, grant, 401, "invalid_client"),
        (&*good, FORM.1, b"", 400, "invalid_request"),
        (&*good, FORM.1, b"grant_type=", 400, "invalid_request"),
        (&*good, FORM.1, b"grant_type=password", 400, "unsupported_grant_type"),
        (&*good, FORM.1, b"grant_type=client_credentials&grant_type=x", 400, "invalid_request"),
        (&*good, FORM.1, b"grant_type=client_credentials&scope=race.steward", 400, "invalid_scope"),
        (&*good, FORM.1, twice.as_bytes(), 400, "invalid_request"),
        (
            &*good,
            "application/json",
            br#"{"grant_type":"client_credentials"}"#,
            400,
            "invalid_request",
        ),
        (&*good, "text/plain", grant, 400, "invalid_request"),
    ] {
        let headers = [("Authorization", header), ("Content-Type", content_type)];
        let response = ask(&app, "/oauth/token", &headers, body);
        assert_eq!(response.status, status, "{header} {response:?}");
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.header("cache-control"), Some("no-store"));
        assert_eq!(response.json()["error"], error, "{response:?}");
        let challenged =
            response.header("www-authenticate").is_some_and(|v| v.starts_with("Basic "));
        assert_eq!(challenged, status == 401, "{response:?}");
    }
    // No client learns whether it is the name or the secret that is wrong.
    assert_eq!(ask_as(&app, id, "wrong").body, ask_as(&app, "nobody", "wrong").body);
    let nobody = ask(&app, "/oauth/token", &[FORM], grant);
    assert_eq!((nobody.status, &nobody.json()["error"]), (401, &"invalid_client".into()));
    let wrong_in_form = format!("grant_type=client_credentials&client_id={id}&client_secret=x");
    assert_eq!(ask(&app, "/oauth/token", &[FORM], wrong_in_form.as_bytes()).status, 401);
}

#[test]
fn huge_bodies_get_an_answer() {
    let (_database, setup) = setup();
    let app = setup.start();
    let header = basic(app.id.as_str(), &app.secret);
    let mut client = app.connect();
    let head = format!(
        "POST /oauth/token HTTP/1.1\r\nHost: h\r\nAuthorization: {header}\r\n\
         Content-Type: {}\r\nContent-Length: {}\r\n\r\n",
        FORM.1,
        10 << 20
    );
    client.send(head.as_bytes()).unwrap();
    // The server may have answered and stopped listening before the end.
    drop(client.send(&vec![b'x'; 10 << 20]));
    let response = client.read_response(false).unwrap();
    assert_eq!((response.status, &response.json()["error"]), (400, &"invalid_request".into()));
    assert_eq!(status_with(&app, &token(&app)), 200, "others are served");
}

#[test]
fn bodies_that_never_end_are_given_up() {
    let (_database, setup) = setup();
    let app = setup.with(|setup| {
        setup.options.limits.header_timeout = std::time::Duration::from_secs(2);
    });
    let app = app.start();
    let mut client = app.connect();
    let head = format!(
        "POST /oauth/token HTTP/1.1\r\nHost: h\r\nContent-Type: {}\r\nContent-Length: 29\r\n\r\ngrant",
        FORM.1
    );
    client.send(head.as_bytes()).unwrap();
    assert_eq!(client.read_response(false).unwrap().status, 400);
}

#[test]
fn a_token_counts_on_every_mount() {
    let database = Database::postgres("oauth_mounts");
    database.exec(&format!(
        "{TABLE} CREATE SCHEMA other; CREATE TABLE other.race (race_id int PRIMARY KEY);
         INSERT INTO other.race VALUES (7);"
    ));
    let app = Setup::new(&database).with(|setup| setup.mounts = Mounts::AdHoc).start();
    let header = basic(app.id.as_str(), &app.secret);
    let headers = [("Authorization", header.as_str()), FORM];
    for path in ["/oauth/token", "/api/public/oauth/token", "/api/other/oauth/token"] {
        let response = ask(&app, path, &headers, b"grant_type=client_credentials");
        let bearer = format!("Bearer {}", response.json()["access_token"].as_str().unwrap());
        for item in ["/api/public/team/301", "/api/other/race/7"] {
            assert_eq!(app.connect().get(item, &[("Authorization", &bearer)]).status, 200);
        }
    }
}

#[test]
fn forged_tokens_are_refused() {
    let (_database, setup) = setup();
    let roomy = RateSettings { burst: 1_000_000, ..RateSettings::BAD_TOKENS };
    let app = setup.with(|setup| setup.options.bad_tokens = roomy).start();
    let good = token(&app);
    let bearer = |token: &str| format!("Bearer {token}");
    let mut client = app.connect();
    for place in 0..good.len() {
        let mut forged = good.clone().into_bytes();
        forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        let response = client.get(ITEM, &[("Authorization", &bearer(&forged))]);
        // The last character may have bits that mean nothing; such a token must not pass either.
        assert_eq!(response.status, 401, "{place}");
        let challenge = response.header("www-authenticate").unwrap();
        assert!(challenge.contains("invalid_token"), "{challenge}");
    }
    for end in 0..good.len() {
        if end > 0 {
            assert_eq!(client.get(ITEM, &[("Authorization", &bearer(&good[..end]))]).status, 401);
        }
    }
    let doubled = good.repeat(2);
    for wrong in ["x", "null", &doubled, &"A".repeat(8_000), &app.secret, "===", "a.b.c"] {
        let status = client.get(ITEM, &[("Authorization", &bearer(wrong))]).status;
        assert!([400, 401].contains(&status), "{wrong}: {status}");
    }
    for (header, status) in [
        ("Bearer", 400),
        ("Bearer ", 400),
        ("Bearer a b", 400),
        ("Bearer é", 400),
        ("", 400),
        ("Basic eDp5", 401),
        ("Digest x", 401),
    ] {
        let response = client.get(ITEM, &[("Authorization", header)]);
        assert_eq!(response.status, status, "{header:?}");
        assert!(response.header("www-authenticate").is_some(), "{header:?}");
    }
    let two = [("Authorization", &*bearer(&good)), ("Authorization", &*bearer(&good))];
    assert_eq!(client.get(ITEM, &two).status, 400);
    // A token of another server with the same clients' names is nothing here.
    let (_other_database, other) = self::setup();
    assert_eq!(status_with(&app, &token(&other.start())), 401);
    assert_eq!(status_with(&app, &good), 200);
}

#[test]
fn expired_tokens_are_refused() {
    let (_database, setup) = setup();
    let app = setup.with(|setup| setup.options.token_lifetime = 1).start();
    let short = token(&app);
    eventually("the token expires", || status_with(&app, &short) == 401);
    let response = app.connect().get(ITEM, &[("Authorization", &format!("Bearer {short}"))]);
    assert!(response.header("www-authenticate").unwrap().contains("expired"), "{response:?}");
}

/// A server whose clients are in a file, and that file.
fn with_file() -> (Database, tempfile::TempDir, App, StateFile) {
    let (database, setup) = setup();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let app = setup.with(|setup| setup.state = Some(path.clone())).start();
    let file = StateFile::open(&path, now()).unwrap();
    (database, folder, app, file)
}

#[test]
fn a_removed_client_is_out() {
    let (_database, _folder, app, file) = with_file();
    let issued = token(&app);
    assert_eq!(status_with(&app, &issued), 200);
    file.update(|state| state.remove("test", now())).unwrap();
    eventually("the token ends", || status_with(&app, &issued) == 401);
    assert_eq!(ask_as(&app, app.id.as_str(), &app.secret).status, 401);
}

#[test]
fn a_rotated_secret_ends_the_old_one() {
    let (_database, _folder, app, file) = with_file();
    let issued = token(&app);
    let (client, secret) = file.update(|state| state.rotate("test")).unwrap();
    eventually("the old token ends", || status_with(&app, &issued) == 401);
    assert_eq!(ask_as(&app, client.id.as_str(), &app.secret).status, 401);
    let response = ask_as(&app, client.id.as_str(), secret.expose());
    assert_eq!(status_with(&app, response.json()["access_token"].as_str().unwrap()), 200);
}

#[test]
fn an_added_client_is_in() {
    let (_database, _folder, app, file) = with_file();
    let (client, secret) = file.update(|state| state.add("new", &["duet.read"], now())).unwrap();
    eventually("the client may come in", || {
        ask_as(&app, client.id.as_str(), secret.expose()).status == 200
    });
}

#[test]
fn keys_are_rotated_without_a_gap() {
    let (_database, _folder, app, file) = with_file();
    let first = token(&app);
    file.update(|state| state.rotate_key(now(), 3_600)).unwrap();
    // The id of its key stands in front of a token.
    eventually("tokens have the new key", || token(&app)[..2] != first[..2]);
    let second = token(&app);
    assert_eq!(status_with(&app, &first), 200, "two keys count");
    assert_eq!(status_with(&app, &second), 200);
    file.update(|state| state.rotate_key(now(), 0)).unwrap();
    eventually("keys that are known to strangers end at once", || {
        status_with(&app, &first) == 401 && status_with(&app, &second) == 401
    });
    assert_eq!(status_with(&app, &token(&app)), 200);
}

/// A state file that cannot be read leaves the clients as they were and hinders no reload of the
/// application; the note of the reload and `/admin/status` say so.
#[test]
fn a_broken_state_file_changes_nothing() {
    let (_database, folder, app, file) = with_file();
    let issued = token(&app);
    let path = folder.path().join("state.json");
    let kept = std::fs::read(&path).unwrap();
    let is_reported = |what: &str| {
        let reload = app.reload();
        assert_eq!(reload.status, 200, "{what}: {}", reload.text());
        let notes = reload.json()["notes"].to_string();
        assert!(notes.contains("The clients before stay in force"), "{what}: {notes}");
        let clients = app.get("/admin/status").json()["applications"][0]["clients"].clone();
        assert_eq!((&clients["readable"], &clients["source"]), (&false.into(), &"file".into()));
        assert!(clients["ageSeconds"].is_u64(), "{clients}");
        assert!(clients["error"].as_str().is_some_and(|error| !error.is_empty()), "{clients}");
        assert_eq!(status_with(&app, &issued), 200, "{what}: the clients are unchanged");
    };
    for broken in [&b""[..], b"{}", b"\xff\xfe", &kept[..kept.len() / 2]] {
        std::fs::write(&path, broken).unwrap();
        is_reported(&String::from_utf8_lossy(broken));
    }
    std::fs::remove_file(&path).unwrap();
    is_reported("no file");
    // It counts again when it is back.
    std::fs::write(&path, &kept).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    let reload = app.reload();
    assert_eq!((reload.status, reload.json()["notes"].as_array().map(Vec::len)), (200, Some(0)));
    assert_eq!(app.get("/admin/status").json()["applications"][0]["clients"]["readable"], true);
    file.update(|state| state.remove("test", now())).unwrap();
    eventually("the token ends", || status_with(&app, &issued) == 401);
}

#[test]
fn wrong_tokens_are_slowed_down() {
    let (_database, setup) = setup();
    let settings = RateSettings { burst: 3, per_minute: 1, peers: 100 };
    let app = setup.with(|setup| setup.options.bad_tokens = settings).start();
    let good = token(&app);
    let wrong = [("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")];
    let statuses: Vec<u16> = (0..6).map(|_| app.connect().get(ITEM, &wrong).status).collect();
    assert_eq!(statuses, [401, 401, 401, 429, 429, 429]);
    let response = app.connect().get(ITEM, &wrong);
    let seconds: u32 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=120).contains(&seconds), "{seconds}");
    assert_eq!(response.json()["errors"][0]["code"], "DUET-4003");
    // A valid secret is not delayed, not even behind the same address.
    assert_eq!(status_with(&app, &good), 200);
    assert_eq!(app.connect().get(ITEM, &[]).status, 401, "no token is no wrong token");
    // Another address has its own count.
    assert_eq!(status_from([127, 0, 0, 2], app.address(), wrong[0].1), 401);
    assert_eq!(status_from([127, 0, 0, 1], app.address(), wrong[0].1), 429);
}

/// The status of a `GET` that comes from an address of its own.
fn status_from(address: [u8; 4], server: SocketAddr, authorization: &str) -> u16 {
    use socket2::{Domain, Protocol, Socket, Type};
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::from(address), 0)).into()).unwrap();
    socket.connect(&server.into()).unwrap();
    let mut stream: TcpStream = socket.into();
    let request = format!(
        "GET {ITEM} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: {authorization}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer[9..12].parse().unwrap()
}

/// Wrong secrets are slowed down by address and by client id; the right one passes all the same.
#[test]
fn failed_logins_are_slowed_down() {
    let (_database, setup) = setup();
    let settings = RateSettings { burst: 3, per_minute: 1, peers: 100 };
    let app = setup.with(|setup| setup.options.token_requests = settings).start();
    let issued = token(&app);
    for _ in 0..3 {
        assert_eq!(ask_as(&app, app.id.as_str(), "guess").status, 401);
    }
    let response = ask_as(&app, app.id.as_str(), "guess");
    assert_eq!(response.status, 429);
    for _ in 0..5 {
        assert_eq!(ask_as(&app, app.id.as_str(), &app.secret).status, 200);
    }
    assert!(response.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
    assert_eq!(response.json()["error"], "temporarily_unavailable");
    assert_eq!(status_with(&app, &issued), 200);
}

#[test]
fn a_wrong_token_is_refused_though_all_may_read() {
    let (_database, setup) = setup();
    let app = setup.with(|setup| setup.open = Open::Read).start();
    assert_eq!(app.connect().get(ITEM, &[]).status, 200);
    assert_eq!(status_with(&app, "nonsense"), 401);
    assert_eq!(status_with(&app, &token(&app)), 200);
}

/// Behind a proxy everybody has the proxy's address: clients are told apart by what it says of
/// them, and by nothing that they say themselves.
#[test]
fn clients_behind_a_proxy_are_told_apart() {
    let (_database, setup) = setup();
    let settings = RateSettings { burst: 2, per_minute: 1, peers: 100 };
    let app = setup
        .with(|setup| {
            setup.options.bad_tokens = settings;
            setup.options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
        })
        .start();
    let status = |forwarded: &str| {
        let wrong = ("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        app.connect().get(ITEM, &[wrong, ("X-Forwarded-For", forwarded)]).status
    };
    assert_eq!(["9.9.9.9", "9.9.9.9", "9.9.9.9"].map(status), [401, 401, 429]);
    assert_eq!(["8.8.8.8", "9.9.9.9, 8.8.8.8"].map(status), [401, 401]);
    assert_eq!(["7.7.7.7, 9.9.9.9", "8.8.8.8, 127.0.0.1"].map(status), [429, 429]);
}
