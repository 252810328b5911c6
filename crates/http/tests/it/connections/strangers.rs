//! What clients that have not authenticated may hold: few requests of a connection, and few bytes of all.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use duet_http::{ADMIN_PATHS, AdminPath, AdminReach, REPETITIONS, Repetition};
use duet_model::memory::Budget;

use crate::support::{App, Database, PATIENCE, Seen, Setup, Witness};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: u8 = 4;
const HEADERS: u8 = 1;
const DATA: u8 = 0;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Streams of a connection without a token, as the default setting says.
const FEW: usize = 8;
/// The memory of a connection with so many of them.
const OF_CONNECTION: usize = 80 << 10;

fn setup(database: &Database, memory: usize) -> (Setup, Budget) {
    database.exec("CREATE TABLE t (id integer NOT NULL PRIMARY KEY, name varchar(2000))");
    database.exec("INSERT INTO t VALUES (1, 'one')");
    let budget = Budget::new(memory);
    let setup = Setup::new(database).with(|setup| setup.options.memory = budget.clone());
    (setup, budget)
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let stream = stream.to_be_bytes();
    [&length[1..], &[kind, flags], &stream, payload].concat()
}

/// A header without a table (RFC 7541 §6.2.2).
fn field(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| {
        assert!(text.len() < 127);
        [&[text.len() as u8], text.as_bytes()].concat()
    };
    [vec![0], text(name), text(value)].concat()
}

fn head(method: &str, path: &str) -> Vec<u8> {
    let fields = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "me")];
    fields.map(|(name, value)| field(name, value)).concat()
}

/// The number of the stream of a request, counted from 0.
fn stream(request: usize) -> u32 {
    u32::try_from(2 * request + 1).unwrap()
}

fn gets(count: usize, path: &str) -> Vec<u8> {
    let flags = END_STREAM | END_HEADERS;
    (0..count).flat_map(|at| frame(HEADERS, flags, stream(at), &head("GET", path))).collect()
}

/// A client of HTTP/2 that takes nothing of a response but its head.
struct Hostile(TcpStream);

impl Hostile {
    fn connect(app: &App) -> Self {
        let stream = TcpStream::connect(app.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut client = Self(stream);
        // The windows of streams begin with nothing (RFC 9113 §6.5.2).
        client.send(&[PREFACE, &frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0])].concat());
        client
    }

    fn send(&mut self, bytes: &[u8]) {
        // One that the server has refused may be closed already.
        let _ = self.0.write_all(bytes);
    }

    /// The kind, the stream and the payload of the next frame; nothing at the end.
    fn next(&mut self) -> Option<(u8, u32, Vec<u8>)> {
        let mut header = [0; 9];
        self.0.read_exact(&mut header).ok()?;
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all << 8 | u32::from(*byte));
        let mut payload = vec![0; number(&header[..3]) as usize];
        self.0.read_exact(&mut payload).ok()?;
        Some((header[3], number(&header[5..]), payload))
    }

    /// Waits for so many frames of a kind, and gives their streams.
    #[track_caller]
    fn wait_for(&mut self, kind: u8, count: usize) -> Vec<u32> {
        let mut streams = Vec::new();
        while streams.len() < count {
            let (found, stream, _) = self.next().expect("the connection ends too early");
            streams.extend((found == kind).then_some(stream));
        }
        streams
    }
}

/// Waits until all memory has been given back.
#[track_caller]
fn all_is_given_back(memory: &Budget) {
    let begun = Instant::now();
    while memory.usage().used > 0 {
        assert!(begun.elapsed() < PATIENCE, "{:?}", memory.usage());
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn refused(witness: &Witness) -> usize {
    let is_401 = |seen: &&Seen| matches!(seen, Seen::Answered(it) if it.status == 401);
    witness.all().iter().filter(is_401).count()
}

#[test]
fn a_connection_without_a_token_has_few_streams() {
    const REQUESTS: usize = 40;
    let mut used = Vec::new();
    for connections in [6, 12] {
        let database = Database::sqlite();
        let (mut setup, memory) = setup(&database, 64 << 20);
        let witness = Witness::of(&mut setup);
        let app = setup.start();
        let mut all: Vec<_> = (0..connections).map(|_| Hostile::connect(&app)).collect();
        for client in &mut all {
            client.send(&gets(REQUESTS, "/ords/hr/t/"));
        }
        for client in &mut all {
            client.wait_for(HEADERS, FEW);
        }
        assert_eq!(refused(&witness), connections * FEW);
        used.push(memory.usage().used);
        drop(all);
        all_is_given_back(&memory);
    }
    assert!(used[0] <= 6 * OF_CONNECTION, "{used:?}");
    assert!(used[1] <= 12 * OF_CONNECTION, "{used:?}");
}

/// The client opens the window of the first streams: their ends make room for others, until all are answered.
#[test]
fn further_streams_wait_for_the_first_ones() {
    const REQUESTS: usize = 40;
    let database = Database::sqlite();
    let (mut setup, memory) = setup(&database, 64 << 20);
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let mut client = Hostile::connect(&app);
    // Windows of usual size.
    client.send(&frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 255, 255]));
    client.send(&gets(REQUESTS, "/ords/hr/t/"));
    let streams = client.wait_for(HEADERS, REQUESTS);
    assert_eq!(streams.len(), REQUESTS);
    assert_eq!(refused(&witness), REQUESTS);
    drop(client);
    all_is_given_back(&memory);
}

/// Wherever the bytes of frames are divided, they are the same frames.
#[test]
fn frames_come_in_pieces() {
    let database = Database::sqlite();
    let (setup, _memory) = setup(&database, 64 << 20);
    let app = setup.start();
    let mut client = Hostile(TcpStream::connect(app.address()).unwrap());
    client.0.set_nodelay(true).unwrap();
    client.0.set_read_timeout(Some(PATIENCE)).unwrap();
    let requests = [PREFACE, &frame(SETTINGS, 0, 0, &[]), &gets(2 * FEW, "/ords/hr/t/")].concat();
    for byte in requests.chunks(1) {
        client.send(byte);
    }
    client.wait_for(HEADERS, 2 * FEW);
}

/// As soon as one has authenticated, its connection may have more.
#[test]
fn a_token_opens_the_connection() {
    let database = Database::sqlite();
    let (setup, _memory) = setup(&database, 64 << 20);
    let app = setup.start();
    let mut client = Hostile::connect(&app);
    let path = "/ords/hr/t/1";
    let token = field("authorization", &app.bearer());
    let head = [head("GET", path), token].concat();
    client.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, &head));
    client.wait_for(HEADERS, 1);
    for at in 1..3 * FEW {
        client.send(&frame(HEADERS, END_STREAM | END_HEADERS, stream(at), &head));
    }
    // No response is taken, and all begin.
    client.wait_for(HEADERS, 3 * FEW - 1);
}

#[test]
fn half_open_bodies_hold_little() {
    for connections in [4, 8] {
        let database = Database::sqlite();
        let (setup, memory) = setup(&database, 64 << 20);
        let app = setup.start();
        let form = field("content-type", "application/x-www-form-urlencoded");
        let head = [head("POST", "/oauth/token"), form, field("content-length", "1000")].concat();
        let posts: Vec<u8> = (0..40)
            .flat_map(|at| {
                let begin = frame(HEADERS, END_HEADERS, stream(at), &head);
                [begin, frame(DATA, 0, stream(at), b"grant_type")].concat()
            })
            .collect();
        let mut all: Vec<_> = (0..connections).map(|_| Hostile::connect(&app)).collect();
        all.iter_mut().for_each(|client| client.send(&posts));
        // A request of another client is answered, and those before it have arrived.
        assert_eq!(app.connect().get("/health/live", &[]).status, 200);
        let most = connections * (OF_CONNECTION + FEW * 14_500);
        assert!(memory.usage().used <= most, "{:?}", memory.usage());
        drop(all);
        all_is_given_back(&memory);
    }
}

/// A header in several frames is counted while it arrives, and refused where it finds no room.
#[test]
fn headers_that_never_end_are_counted() {
    let database = Database::sqlite();
    let (setup, memory) = setup(&database, 8 << 20);
    let setup = setup.with(|setup| setup.options.limits.unauthenticated_bytes = 1 << 20);
    let app = setup.start();
    let part = vec![field("x", &"y".repeat(100)); 60].concat();
    let mut first = Hostile::connect(&app);
    first.send(&frame(HEADERS, END_STREAM, 1, &[head("GET", "/"), part.clone()].concat()));
    let begun = Instant::now();
    while memory.usage().used < 700 << 10 {
        assert!(begun.elapsed() < PATIENCE, "{:?}", memory.usage());
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut second = Hostile::connect(&app);
    second.send(&frame(HEADERS, END_STREAM, 1, &[head("GET", "/"), part.clone()].concat()));
    while second.next().is_some() {}
    assert!(memory.usage().used < 2 << 20, "the connection is closed: {:?}", memory.usage());
    // The first one ends its header, and is answered.
    first.send(&frame(CONTINUATION, END_HEADERS, 1, &field("x", "y")));
    first.wait_for(HEADERS, 1);
    drop((first, second));
    all_is_given_back(&memory);
}

/// Connections hold half of the memory at most: one of HTTP/2 more is told so, those of HTTP/1 fit longer.
#[test]
fn connections_that_do_not_fit_are_told_so() {
    let database = Database::sqlite();
    let (setup, memory) = setup(&database, 1 << 20);
    let app = setup.start();
    let fit = (512 << 10) / (44 << 10);
    let mut all: Vec<_> = (0..fit).map(|_| Hostile::connect(&app)).collect();
    for client in &mut all {
        client.send(&gets(1, "/health/live"));
        client.wait_for(HEADERS, 1);
    }
    let mut another = Hostile::connect(&app);
    let streams = another.wait_for(GOAWAY, 1);
    assert_eq!(streams, [0]);
    drop(all);
    drop(another);
    all_is_given_back(&memory);
    let mut later = Hostile::connect(&app);
    later.send(&gets(1, "/health/live"));
    later.wait_for(HEADERS, 1);
}

/// Streams for which there is no memory beside others of their connection wait until there is; the first does not.
#[test]
fn streams_without_memory_wait() {
    let database = Database::sqlite();
    let (mut setup, memory) = setup(&database, 4 << 20);
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    let all = memory.lease(4 << 20).unwrap();
    let mut client = Hostile::connect(&app);
    client.send(&gets(3, "/health/live"));
    assert_eq!(client.wait_for(HEADERS, 1), [1]);
    assert_eq!(app.connect().get("/health/live", &[]).status, 200);
    let answered = |seen: &Seen| matches!(seen, Seen::Answered(_)).then_some(());
    assert_eq!(witness.wait_for(2, answered).len(), 2, "the first one, and that of HTTP/1");
    drop(all);
    assert_eq!(client.wait_for(HEADERS, 2), [3, 5]);
}

/// The text of a refusal does not grow with its request, and is small.
#[test]
fn answers_before_authentication_are_tiny() {
    let database = Database::sqlite();
    let (setup, _memory) = setup(&database, 64 << 20);
    let app = setup.start();
    let long = "x".repeat(4_000);
    let paths =
        ["/ords/hr/t/".to_owned(), format!("/ords/hr/{long}"), format!("/ords/hr/t/?q={long}")];
    let mut sizes = Vec::new();
    for path in &paths {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
            let token = format!("Bearer {long}");
            for headers in [vec![], vec![("Authorization", token.as_str())]] {
                let answer = app.connect().request(method, path, &headers, b"");
                assert_eq!(answer.status, 401, "{answer:?}");
                sizes.push(answer.body.len());
            }
        }
    }
    assert!(sizes.iter().all(|size| *size < 1_000), "{sizes:?}");
}

/// With HTTP/1, where a connection has one request at a time.
#[test]
fn unread_refusals_of_http_1_hold_little() {
    for connections in [6, 12] {
        let database = Database::sqlite();
        let (setup, memory) = setup(&database, 64 << 20);
        let app = setup.start();
        let request = b"GET /ords/hr/t/ HTTP/1.1\r\nHost: me\r\n\r\n".repeat(100);
        let mut all = Vec::new();
        for _ in 0..connections {
            let mut client = TcpStream::connect(app.address()).unwrap();
            client.write_all(&request).unwrap();
            all.push(client);
        }
        assert_eq!(app.connect().get("/health/live", &[]).status, 200);
        let used = memory.usage().used;
        assert!(used <= (connections + 1) * (28 << 10), "{used}");
        drop(all);
        all_is_given_back(&memory);
    }
}

/// Who administrates one tenant neither sees nor changes the whole server.
#[test]
fn administration_of_the_server_is_for_administrators_without_a_tenant() {
    let database = Database::sqlite();
    let (setup, _memory) = setup(&database, 64 << 20);
    let app = setup.with(|setup| setup.tenants = vec!["acme"]).start();
    let ask = |bearer: &str, method: &str, path: &str| {
        app.connect().request(method, path, &[("Authorization", bearer)], b"")
    };
    let (whole, own) = (app.bearer(), app.bearer_of("acme"));
    for AdminPath { path, methods, reach } in ADMIN_PATHS {
        if reach != AdminReach::Server {
            continue;
        }
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
            let refused = ask(&own, method, path);
            assert_eq!(refused.status, 403, "{method} {path}");
            assert!(method == "HEAD" || refused.text().contains("DUET-4021"), "{refused:?}");
            let status = ask(&whole, method, path).status;
            assert_ne!(status, 403, "{method} {path}");
            let offers = |name: &str| methods.iter().any(|(method, _)| *method == name);
            let is_offered = offers(method) || method == "HEAD" && offers("GET");
            assert_eq!(status == 405, !is_offered, "{method} {path}: {status}");
            let unknown = ask(&whole, method, &format!("{path}?unheard-of=1"));
            let is_named = method == "HEAD" || unknown.text().contains("unheard-of");
            assert!(
                !is_offered || unknown.status == 400 && is_named,
                "{method} {path} {unknown:?}"
            );
        }
    }
    assert_eq!(ask(&own, "GET", "/admin/anything").status, 403);
    assert_eq!(ask(&whole, "GET", "/admin/anything").status, 404);
}

/// Each header with a single value, twice in a request.
#[test]
fn headers_with_a_single_value_come_once() {
    let database = Database::sqlite();
    let (setup, _memory) = setup(&database, 64 << 20);
    let app = setup.start();
    let bearer = app.bearer();
    for (name, repetition) in REPETITIONS {
        // Those that decide how the rest is read: hyper or `arrived.rs` refuses them.
        if ["content-length", "transfer-encoding", "connection", "expect"].contains(&name) {
            continue;
        }
        let value = match name {
            "authorization" => bearer.as_str(),
            "host" => "me",
            "accept" | "content-type" => "application/json",
            "forwarded" => "for=\"[::1]\"",
            _ => "1",
        };
        let mut headers = vec![(name, value), (name, value)];
        headers.extend((name != "authorization").then_some(("Authorization", bearer.as_str())));
        let lines: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let host = if name == "host" { "" } else { "Host: me\r\n" };
        let mut client = app.connect();
        let request = format!("GET /ords/hr/t/ HTTP/1.1\r\n{host}{lines}\r\n");
        client.send(request.as_bytes()).unwrap();
        let answer = client.read_response(false).unwrap();
        let is_refused = answer.status == 400 && answer.text().contains("more than once");
        assert_eq!(is_refused, repetition == Repetition::Once, "{name}: {answer:?}");
    }
}

/// RFC 9113 §8.3.1: a name before the host hides the host.
#[test]
fn an_authority_has_no_user() {
    let database = Database::sqlite();
    let (setup, _memory) = setup(&database, 64 << 20);
    let app = setup.start();
    let fields = [
        (":method", "GET"),
        (":scheme", "http"),
        (":path", "/health/live"),
        (":authority", "me:secret@other.example"),
    ];
    let head = fields.map(|(name, value)| field(name, value)).concat();
    let mut client = Hostile::connect(&app);
    client.send(&frame(HEADERS, END_STREAM | END_HEADERS, 1, &head));
    let (_, _, head) = std::iter::from_fn(|| client.next())
        .find(|(kind, ..)| [HEADERS, RST_STREAM].contains(kind))
        .expect("an answer");
    // `:status: 400` is in the static table of headers (RFC 7541, appendix A).
    assert_eq!(head[0], 0x80 | 12);
    let mut client = app.connect();
    client.send(b"GET http://me@other.example/health/live HTTP/1.1\r\nHost: me\r\n\r\n").unwrap();
    assert_eq!(client.read_response(false).unwrap().status, 400);
}
