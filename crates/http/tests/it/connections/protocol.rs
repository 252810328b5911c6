//! HTTP/1.0 and 1.1 on the wire: versions, hosts, proxies, pipelining, and requests that are too
//! much of anything.

use duet_testkit::http::{Client, Response};

use crate::support::{App, Database, Setup, percent_encode};

const TABLE: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(255) NOT NULL, points integer);
INSERT INTO team VALUES (1, 'Red Bull', 0), (2, 'São', 7), (301, 'Ferrari', 30);
";

fn setup() -> (Database, Setup) {
    let database = Database::sqlite();
    database.exec(TABLE);
    let setup = Setup::new(&database);
    (database, setup)
}

fn start() -> (Database, App) {
    let (database, setup) = setup();
    (database, setup.start())
}

/// The response to bytes as they are.
fn raw(app: &App, bytes: &[u8]) -> Response {
    let mut client = app.connect();
    client.send(bytes).unwrap();
    client.read_response(false).unwrap()
}

/// `GET path` of a version, with a token and other header lines.
fn get(app: &App, path: &str, version: &str, lines: &[&str]) -> Response {
    let mut head = format!("GET {path} HTTP/{version}\r\nAuthorization: {}\r\n", app.bearer());
    lines.iter().for_each(|line| head.push_str(&format!("{line}\r\n")));
    raw(app, format!("{head}\r\n").as_bytes())
}

fn own_link(response: &Response) -> String {
    assert_eq!(response.status, 200, "{response:?}");
    response.json()["links"][0]["href"].as_str().unwrap().to_owned()
}

#[test]
fn http_1_0() {
    let (_database, app) = start();
    let path = "/ords/hr/team/301";
    let response = get(&app, path, "1.0", &[]);
    assert_eq!(own_link(&response), format!("{}{path}", app.url()));
    assert!(response.header("content-length").is_some());
    let mut client = app.connect();
    let request = format!("GET {path} HTTP/1.0\r\nAuthorization: {}\r\n", app.bearer());
    client.send(format!("{request}\r\n").as_bytes()).unwrap();
    client.read_response(false).unwrap();
    assert_eq!(client.read_to_end().unwrap(), b"", "the connection ends");
    // As ab -k asks.
    let mut client = app.connect();
    for _ in 0..3 {
        client.send(format!("{request}Connection: Keep-Alive\r\n\r\n").as_bytes()).unwrap();
        let response = client.read_response(false).unwrap();
        assert_eq!(response.status, 200);
        assert_eq!(
            response.header("connection").map(str::to_lowercase).as_deref(),
            Some("keep-alive")
        );
    }
}

#[test]
fn a_request_has_one_host() {
    let (_database, app) = start();
    let path = "/ords/hr/team/301";
    for wrong in [
        &[][..],
        &["Host: a", "Host: b"],
        &["Host: a b"],
        &["Host: "],
        &["Host: a\"b"],
        &["Host: a/b"],
        &["Host: <script>"],
    ] {
        assert_eq!(get(&app, path, "1.1", wrong).status, 400, "{wrong:?}");
    }
    for (line, base) in [
        ("Host: api.example.com", "http://api.example.com"),
        ("Host: api.example.com:8443", "http://api.example.com:8443"),
        ("Host: [::1]:80", "http://[::1]:80"),
        ("HOST: duet_1.internal", "http://duet_1.internal"),
    ] {
        assert_eq!(own_link(&get(&app, path, "1.1", &[line])), format!("{base}{path}"));
    }
    // The absolute form names the host itself.
    let response = get(&app, &format!("http://first.example{path}"), "1.1", &["Host: second"]);
    assert_eq!(own_link(&response), format!("http://first.example{path}"));
}

#[test]
fn proxies_are_believed_where_they_are_trusted() {
    let path = "/ords/hr/team/301";
    let (_database, setup) = setup();
    let setup =
        setup.with(|setup| setup.options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()]);
    let trusting = setup.start();
    let (_other, app) = start();
    for (lines, base) in [
        (&["X-Forwarded-Proto: https", "X-Forwarded-Host: a.b"][..], "https://a.b"),
        (&["Forwarded: for=1.2.3.4;proto=https;host=api.example.com"], "http://inner"),
        (&["X-Forwarded-Host: a.b", "X-Forwarded-Port: 8443"], "http://a.b:8443"),
        (&["X-Forwarded-Proto: gopher"], "http://inner"),
        (&[], "http://inner"),
    ] {
        let lines: Vec<&str> = ["Host: inner"].iter().chain(lines).copied().collect();
        assert_eq!(
            own_link(&get(&trusting, path, "1.1", &lines)),
            format!("{base}{path}"),
            "{lines:?}"
        );
        assert_eq!(
            own_link(&get(&app, path, "1.1", &lines)),
            format!("http://inner{path}"),
            "{lines:?}"
        );
    }
    let wrong = ["Host: inner", "X-Forwarded-Host: a\"b"];
    assert_eq!(get(&trusting, path, "1.1", &wrong).status, 400);
}

#[test]
fn a_connection_survives_refusals() {
    let (_database, app) = start();
    let bearer = app.bearer();
    let mut client = app.connect();
    for round in 0..20 {
        for (path, authorization, status) in [
            ("/ords/hr/team/301", bearer.as_str(), 200),
            ("/ords/hr/team/999", &bearer, 404),
            ("/ords/hr/team/?limit=x", &bearer, 400),
            ("/ords/hr/team/301", "Basic eDp5", 401),
            ("/ords/hr/team/301", "Bearer", 400),
            ("/nowhere", &bearer, 404),
            ("/health/live", "Bearer x", 200),
        ] {
            let response = client.get(path, &[("Authorization", authorization)]);
            assert_eq!(response.status, status, "{path} {round}");
        }
        let response =
            client.request("PUT", "/ords/hr/team/", &[("Authorization", &bearer)], b"{}");
        assert_eq!(response.status, 405);
    }
}

#[test]
fn a_refusal_in_the_middle_of_a_body_arrives() {
    let (_database, app) = start();
    for path in ["/ords/hr/team/", "/ords/hr/nowhere/", "/oauth/token"] {
        let head = format!("POST {path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
        let chunks = "5\r\nabcde\r\n".repeat(10_000) + "0\r\n\r\n";
        let mut client = app.connect();
        client.send((head + &chunks).as_bytes()).unwrap();
        let response = client.read_response(false).unwrap();
        assert!((400..500).contains(&response.status), "{path}: {response:?}");
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let (_database, app) = start();
    let bearer = app.bearer();
    let ids = [1, 2, 301, 999];
    let request = |n: usize| {
        let id = ids[n % ids.len()];
        format!("GET /ords/hr/team/{id} HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\n\r\n")
    };
    let mut client = app.connect();
    let requests: String = (0..200).map(request).collect();
    client.send(requests.as_bytes()).unwrap();
    for n in 0..200 {
        let response = client.read_response(false).unwrap();
        match ids[n % ids.len()] {
            999 => assert_eq!(response.status, 404),
            id => assert_eq!(response.json()["team_id"], id, "{n}"),
        }
    }
    // Also where the first of them has a body that is not read, and where bytes come one by one.
    let post = "POST /ords/hr/team/ HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
    client.send(format!("{post}{}", request(2)).as_bytes()).unwrap();
    assert_eq!(client.read_response(false).unwrap().status, 401);
    assert_eq!(client.read_response(false).unwrap().json()["team_id"], 301);
    for byte in request(0).as_bytes() {
        client.send(&[*byte]).unwrap();
    }
    assert_eq!(client.read_response(false).unwrap().json()["team_id"], 1);
}

#[test]
fn filters_as_careless_clients_write_them() {
    let (_database, app) = start();
    let names = |q: &str| -> Vec<String> {
        let response = get(&app, &format!("/ords/hr/team/?q={q}"), "1.1", &["Host: h"]);
        assert_eq!(response.status, 200, "{q} {response:?}");
        let body = response.json();
        let links = body["links"].to_string();
        assert!(!links.contains("\\\""), "quotes in links are encoded: {links}");
        let items = body["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(r#"{"name":"Ferrari"}"#), ["Ferrari"]);
    assert_eq!(names(r#"{"name":"São"}"#), ["São"]);
    assert_eq!(names("{\"name\":\"S%C3%A3o\"}"), ["São"]);
    assert_eq!(names("{\"name\":\"Red+Bull\"}"), ["Red Bull"]);
    assert_eq!(names("{\"name\":\"Red%20Bull\"}"), ["Red Bull"]);
    assert_eq!(names("{\"name\":{\"$like\":\"Fer%25\"}}"), ["Ferrari"]);
    assert_eq!(names("").len(), 3);
    assert_eq!(names("%20").len(), 3);
}

#[test]
fn too_deep_or_too_large_filters() {
    let (_database, app) = start();
    let code = |q: &str| {
        let response = app.get(&format!("/ords/hr/team/?q={}", percent_encode(q)));
        assert_eq!(response.status, 400, "{response:?}");
        response.json()["errors"][0]["code"].as_str().unwrap().to_owned()
    };
    for depth in [60, 500, 5_000] {
        let nested = r#"{"$and":["#.repeat(depth) + r#"{"points":1}"# + &"]}".repeat(depth);
        let code = if depth == 5_000 { too_long(&app, &nested) } else { code(&nested) };
        assert!(["DUET-2007", "414"].contains(&code.as_str()), "{depth}: {code}");
        let brackets = "[".repeat(depth);
        assert!(
            ["DUET-2007", "DUET-2002", "DUET-2001"].contains(&code_of(&app, &brackets).as_str())
        );
    }
    let nested = r#"{"$and":["#.repeat(10) + r#"{"points":7}"# + &"]}".repeat(10);
    let page = app.get(&format!("/ords/hr/team/?q={}", percent_encode(&nested)));
    assert_eq!(page.json()["items"][0]["name"], "São");
    let many: Vec<String> = (0..10_001).map(|n| (n % 10).to_string()).collect();
    assert_eq!(code(&format!(r#"{{"points":{{"$in":[{}]}}}}"#, many.join(","))), "DUET-2007");
}

fn code_of(app: &App, q: &str) -> String {
    let response = app.get(&format!("/ords/hr/team/?q={}", percent_encode(q)));
    assert_eq!(response.status, 400, "{response:?}");
    response.json()["errors"][0]["code"].as_str().unwrap().to_owned()
}

fn too_long(app: &App, q: &str) -> String {
    app.get(&format!("/ords/hr/team/?q={}", percent_encode(q))).status.to_string()
}

/// Sends as much as the server takes, and reads its answer: a server that closes with bytes
/// unread would destroy it on its way.
fn status_of_much(client: &mut Client, bytes: &[u8]) -> u16 {
    // The server may have stopped listening; what it says still counts.
    drop(client.send(bytes));
    client.read_response(false).unwrap().status
}

#[test]
fn too_much_of_anything() {
    let (_database, app) = start();
    let bearer = app.bearer();
    let host = format!("Host: h\r\nAuthorization: {bearer}\r\n");
    let x = |count: usize| "x".repeat(count);
    let cases = [
        (format!("GET /ords/hr/team/?q={} HTTP/1.1\r\n{host}\r\n", x(66_000)), &[414][..]),
        (format!("GET /ords/hr/team/{} HTTP/1.1\r\n{host}\r\n", x(66_000)), &[414]),
        (format!("GET /ords/hr/team/?q={} HTTP/1.1\r\n{host}\r\n", x(10 << 20)), &[414, 431]),
        (format!("GET /ords/hr/team/1 HTTP/1.1\r\n{host}X-Much: {}\r\n\r\n", x(300_000)), &[431]),
        (format!("GET /ords/hr/team/1 HTTP/1.1\r\n{host}X-Much: {}\r\n\r\n", x(10 << 20)), &[431]),
        (format!("GET /ords/hr/team/1 HTTP/1.1\r\n{host}{}\r\n", "A: b\r\n".repeat(200)), &[431]),
        (format!("{} /ords/hr/team/1 HTTP/1.1\r\n{host}\r\n", x(10 << 20)), &[400, 431]),
        (x(10 << 20), &[400, 431]),
    ];
    for (request, expected) in cases {
        let mut client = app.connect();
        let status = status_of_much(&mut client, request.as_bytes());
        assert!(expected.contains(&status), "{status} for {}…", &request[..60]);
        assert_eq!(app.get("/ords/hr/team/1").status, 200, "others are served");
    }
    // As much as is allowed is served.
    let fits = format!("GET /ords/hr/team/1 HTTP/1.1\r\n{host}X-Much: {}\r\n\r\n", x(150_000));
    assert_eq!(raw(&app, fits.as_bytes()).status, 200);
    let headers: String = (0..90).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(
        raw(&app, format!("GET /ords/hr/team/1 HTTP/1.1\r\n{host}{headers}\r\n").as_bytes()).status,
        200
    );
}

#[test]
fn a_lower_limit_counts() {
    let (_database, setup) = setup();
    let app = setup.with(|setup| setup.options.limits.uri_bytes = 100).start();
    assert_eq!(app.get("/ords/hr/team/1").status, 200);
    let response = app.get(&format!("/ords/hr/team/?q={}", "x".repeat(100)));
    assert_eq!(response.status, 414);
    assert_eq!(response.json()["errors"][0]["code"], "DUET-1008");
}

#[test]
fn unread_bodies() {
    let (_database, app) = start();
    let bearer = app.bearer();
    let much = vec![b'x'; 10 << 20];
    for method in ["POST", "GET"] {
        let head = format!(
            "{method} /ords/hr/team/1 HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\nContent-Length: {}\r\n\r\n",
            much.len()
        );
        let mut client = app.connect();
        client.send(head.as_bytes()).unwrap();
        // The server may have stopped listening; what it says still counts.
        drop(client.send(&much));
        let response = client.read_response(false).unwrap();
        assert_eq!(response.status, if method == "GET" { 200 } else { 405 });
        // No next request can follow a body that is not read.
        assert_eq!(response.header("connection"), Some("close"));
    }
    // A little that has arrived is read, and the connection stays.
    let mut client = app.connect();
    let post = format!(
        "POST /ords/hr/team/ HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\nContent-Type: text/csv\r\nContent-Length: 5\r\n\r\nhello"
    );
    for _ in 0..3 {
        client.send(post.as_bytes()).unwrap();
        let response = client.read_response(false).unwrap();
        assert_eq!((response.status, response.header("connection")), (403, None));
    }
    let expecting = format!(
        "POST /ords/hr/team/1 HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    );
    let refused = raw(&app, expecting.as_bytes());
    assert_eq!((refused.status, refused.header("connection")), (405, Some("close")));
}

#[test]
fn other_protocols_are_refused() {
    let (_database, app) = start();
    for nonsense in [
        "GET\r\n\r\n",
        "GET /ords/hr/team/ HTTP/9.9\r\n\r\n",
        "GET /ords/hr/team/ HTTP/1.1\nHost h\n\n",
        "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03",
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n",
    ] {
        let mut client = app.connect();
        client.send(nonsense.as_bytes()).unwrap();
        client.finish_sending().unwrap();
        let answer = client.read_to_end().unwrap();
        let line = String::from_utf8_lossy(&answer[..answer.len().min(20)]).into_owned();
        assert!(
            line.starts_with("HTTP/1.1 400") || line.starts_with("HTTP/1.1 505"),
            "{nonsense:?}: {line}"
        );
    }
    assert_eq!(app.get("/ords/hr/team/1").status, 200);
}
