//! HTTP/2: who gets it, many requests at once, and what is refused.

use std::io::ErrorKind;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use duet_http::TlsFiles;
use duet_testkit::tls::Authority;
use flate2::read::GzDecoder;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};
use hyper::http::response::Parts;
use hyper::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::support::{App, Database, PATIENCE, Setup, Witness, on_both_stores};

on_both_stores! {
    answers_are_those_of_http_1
    many_requests_at_once
    writes_and_their_limits
    a_refused_upload_is_not_reset_at_once
}

const ROWS: usize = 3_000;
/// 3 MB: more than a client takes unless it says so.
const LARGE: &str = "/ords/hr/wide/?limit=3000";

fn setup(database: &Database) -> Setup {
    database.exec(
        "CREATE TABLE wide (id integer NOT NULL PRIMARY KEY, filling varchar(2000) NOT NULL)",
    );
    let filling = "x".repeat(1_000);
    let rows: Vec<String> = (1..=ROWS).map(|id| format!("({id}, '{filling}')")).collect();
    database.exec(&format!("INSERT INTO wide VALUES {}", rows.join(", ")));
    Setup::new(database).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write", "duet.admin"];
        setup.read_limits.max_page_size = 10_000;
    })
}

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE * 2, test).await.unwrap() })
}

/// A connection, and the task that moves its frames.
struct Connection {
    send: SendRequest<Bytes>,
    ended: JoinHandle<Result<(), h2::Error>>,
}

impl Connection {
    async fn open(app: &App) -> Self {
        Self::over(TcpStream::connect(app.address()).await.unwrap()).await
    }

    async fn over(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        // All bodies together may have more than one of them, so that one that is not read holds up no other.
        let mut builder = h2::client::Builder::new();
        builder.initial_connection_window_size(16 << 20);
        let (send, connection) = builder.handshake(stream).await.unwrap();
        Self { send, ended: tokio::spawn(connection) }
    }

    /// Waits until the server has ended the connection without an error of the protocol.
    async fn parted(self) {
        let Err(error) = self.ended.await.unwrap() else { return };
        // What the client still acknowledged may meet a socket that the server has closed.
        let kind = error.get_io().map(std::io::Error::kind);
        assert!(
            matches!(kind, Some(ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)),
            "{error:?}"
        );
    }

    /// Sends a request without a body; gives the response with a body that is yet to be read.
    async fn ask(&self, request: Request<()>) -> Response<RecvStream> {
        let mut send = self.send.clone().ready().await.unwrap();
        send.send_request(request, true).unwrap().0.await.unwrap()
    }

    async fn send(&self, request: Request<()>, body: &'static [u8]) -> (Parts, Vec<u8>) {
        let mut send = self.send.clone().ready().await.unwrap();
        let (response, mut stream) = send.send_request(request, body.is_empty()).unwrap();
        if !body.is_empty() {
            stream.send_data(Bytes::from_static(body), true).unwrap();
        }
        let (head, body) = response.await.unwrap().into_parts();
        (head, all(body).await)
    }
}

async fn all(mut body: RecvStream) -> Vec<u8> {
    let mut text = Vec::new();
    while let Some(piece) = body.data().await {
        let piece = piece.unwrap();
        body.flow_control().release_capacity(piece.len()).unwrap();
        text.extend_from_slice(&piece);
    }
    text
}

fn request(app: &App, method: &str, path: &str, headers: &[(&str, &str)]) -> Request<()> {
    let uri = format!("{}{path}", app.url());
    let request = Request::builder().method(method).uri(uri);
    let request = request.header("authorization", app.bearer());
    let add = |request: hyper::http::request::Builder, (name, value): &(&str, &str)| {
        request.header(*name, *value)
    };
    headers.iter().fold(request, add).body(()).unwrap()
}

fn answers_are_those_of_http_1(database: Database) {
    let app = setup(&database).start();
    let paths = ["/ords/hr/wide/7", "/ords/hr/wide/?limit=3", LARGE, "/ords/hr/wide/0", "/none"];
    run(async {
        let connection = Connection::open(&app).await;
        for path in paths {
            let plain = app.get(path);
            let (head, body) = connection.send(request(&app, "GET", path, &[]), b"").await;
            assert_eq!(head.status.as_u16(), plain.status, "{path}");
            let header = |name| head.headers.get(name).map(|value| value.to_str().unwrap());
            assert_eq!(header("content-type"), plain.header("content-type"), "{path}");
            assert_eq!(header("etag"), plain.header("etag"), "{path}");
            assert_eq!(header("connection"), None);
            // An error has the id of its request.
            if plain.status == 200 {
                assert_eq!(header("content-length"), plain.header("content-length"), "{path}");
                assert_eq!(body, plain.body, "{path}");
            }
        }
        let coded = request(&app, "GET", LARGE, &[("accept-encoding", "gzip")]);
        let (head, body) = connection.send(coded, b"").await;
        assert_eq!(head.headers["content-encoding"], "gzip");
        let plain = std::io::read_to_string(GzDecoder::new(&body[..])).unwrap();
        assert_eq!(plain.as_bytes(), app.get(LARGE).body);
        let (head, body) = connection.send(request(&app, "HEAD", LARGE, &[]), b"").await;
        assert_eq!((head.status.as_u16(), body.len()), (200, 0));
        assert_eq!(head.headers["content-length"], plain.len().to_string());
    });
}

fn many_requests_at_once(database: Database) {
    let app = setup(&database).start();
    run(async {
        let connection = Connection::open(&app).await;
        // A client knows the limit once it has the settings of the server.
        connection.send(request(&app, "GET", "/health/live", &[]), b"").await;
        let items = (1..=400).map(async |id: usize| {
            let path = format!("/ords/hr/wide/{id}");
            let (head, body) = connection.send(request(&app, "GET", &path, &[]), b"").await;
            assert_eq!(head.status.as_u16(), 200);
            let item: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(item["id"], id);
        });
        futures_util::future::join_all(items).await;
        assert_eq!(connection.send.current_max_send_streams(), 100);
        // Streams beside each other, each slower than the socket.
        let lines = [("accept", "application/x-ndjson")];
        let streams = (0..5).map(async |_| {
            let asked = request(&app, "GET", "/ords/hr/wide/", &lines);
            connection.send(asked, b"").await
        });
        let all = futures_util::future::join_all(streams).await;
        for (head, body) in &all {
            assert_eq!(head.headers["content-type"], "application/x-ndjson");
            assert_eq!(body.iter().filter(|byte| **byte == b'\n').count(), ROWS);
        }
    });
}

fn writes_and_their_limits(database: Database) {
    let setup = setup(&database).with(|setup| {
        setup.options.limits.body_bytes = 3_000;
        setup.options.limits.headers = 20;
        setup.options.limits.header_bytes = 16 << 10;
    });
    let app = setup.start();
    static LONG: &[u8] = &[b' '; 200_000];
    let json = [("content-type", "application/json")];
    run(async {
        let connection = Connection::open(&app).await;
        let post = |headers: &[(&str, &str)]| request(&app, "POST", "/ords/hr/wide/", headers);
        let (head, body) = connection.send(post(&json), br#"{"id":9001,"filling":"y"}"#).await;
        assert_eq!(head.status.as_u16(), 201, "{}", String::from_utf8_lossy(&body));
        let place = format!("{}/ords/hr/wide/9001", app.url());
        assert_eq!(head.headers["location"], place);
        for headers in [&json[..], &[json[0], ("content-length", "200000")]] {
            let (head, body) = connection.send(post(headers), LONG).await;
            assert_eq!(head.status.as_u16(), 413);
            assert_eq!(head.headers["content-type"], "application/problem+json");
            assert!(body.starts_with(b"{"));
        }
        let names: Vec<String> = (0..30).map(|number| format!("x-{number}")).collect();
        let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "y")).collect();
        let (head, _) = connection.send(request(&app, "GET", "/ords/hr/wide/7", &many), b"").await;
        assert_eq!(head.status.as_u16(), 431, "too many headers");
        let large = "z".repeat(20_000);
        let large = [("x-large", large.as_str())];
        let (head, _) = connection.send(request(&app, "GET", "/ords/hr/wide/7", &large), b"").await;
        assert_eq!(head.status.as_u16(), 431, "a large header");
        let (head, _) = connection.send(request(&app, "GET", "/ords/hr/wide/7", &[]), b"").await;
        assert_eq!(head.status.as_u16(), 200, "the connection is as good as before");
    });
}

/// The client of a refused upload ends it itself: curl 7 reports a stream that is reset right behind its answer, and not
/// the answer.
fn a_refused_upload_is_not_reset_at_once(database: Database) {
    let setup = setup(&database).with(|setup| {
        setup.options.limits.body_bytes = 3_000;
        setup.options.limits.load_bytes = 3_000;
    });
    let app = setup.start();
    let json = [("content-type", "application/json"), ("content-length", "200000")];
    let csv = [("content-type", "text/csv"), ("content-length", "200000")];
    run(async {
        let connection = Connection::open(&app).await;
        for (path, headers, status) in [
            ("/ords/hr/wide/", &json[..], 413),
            ("/ords/hr/wide/7", &json[..], 405),
            ("/ords/hr/wide/batchload", &csv[..], 413),
        ] {
            let mut is_open = false;
            // A machine that stops for a second may be too late for the first ones.
            for _ in 0..20 {
                is_open |= stays_open(&app, &connection, path, headers, status).await;
                if is_open {
                    break;
                }
            }
            assert!(is_open, "{path}: every upload was reset behind its answer");
        }
    });
}

/// Whether the stream of a refused upload is open when its answer and that of a later request have arrived.
async fn stays_open(
    app: &App,
    connection: &Connection,
    path: &str,
    headers: &[(&str, &str)],
    status: u16,
) -> bool {
    let upload = request(app, "POST", path, headers);
    let mut send = connection.send.clone().ready().await.unwrap();
    let (response, mut stream) = send.send_request(upload, false).unwrap();
    stream.send_data(Bytes::from_static(b"["), false).unwrap();
    let (head, body) = response.await.unwrap().into_parts();
    assert_eq!(head.status.as_u16(), status, "{path}");
    assert!(!all(body).await.is_empty(), "{path}");
    // Frames of a connection keep their order: a reset would have come before this answer.
    let later = connection.send(request(app, "GET", "/ords/hr/wide/7", &[]), b"").await;
    assert_eq!(later.0.status.as_u16(), 200);
    let reset = std::future::poll_fn(|context| Poll::Ready(stream.poll_reset(context))).await;
    reset.is_pending()
}

/// Connects by TLS, and says which protocol the server chose.
async fn secured(app: &App, authority: &Authority, protocols: &[&[u8]]) -> (bool, Connection) {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let host = app.url().trim_start_matches("https://");
    let tcp = TcpStream::connect(host).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(Arc::new(config)).connect(name, tcp).await.unwrap();
    let chosen = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    (chosen, Connection::over(stream).await)
}

#[test]
fn tls_chooses_it_by_alpn() {
    let (database, authority) = (Database::sqlite(), Authority::new());
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key] = ["server.crt", "server.key"].map(|name| folder.path().join(name));
    let (certificate_text, key_text) = authority.server();
    std::fs::write(&certificate, certificate_text).unwrap();
    std::fs::write(&key, key_text).unwrap();
    let files = TlsFiles { certificate, key };
    let app = setup(&database).with(|setup| setup.options.tls = Some(files)).start();
    run(async {
        let (chosen, connection) = secured(&app, &authority, &[b"h2", b"http/1.1"]).await;
        assert!(chosen);
        let item = request(&app, "GET", "/ords/hr/wide/7", &[]);
        let (head, body) = connection.send(item, b"").await;
        assert_eq!(head.status.as_u16(), 200);
        let link = format!("{}/ords/hr/wide/7", app.url());
        assert!(String::from_utf8(body).unwrap().contains(&link));
    });
}

/// A response of which the client has the head, and cannot have all.
async fn begun(app: &App, connection: &Connection) -> RecvStream {
    let response = connection.ask(request(app, "GET", LARGE, &[])).await;
    assert_eq!(response.status().as_u16(), 200);
    response.into_body()
}

#[test]
fn a_flood_of_resets_ends_the_connection() {
    const MOST: usize = 10;
    let database = Database::sqlite();
    let mut setup = setup(&database).with(|setup| setup.options.limits.http2_resets = MOST);
    let witness = Witness::of(&mut setup);
    let app = setup.start();
    run(async {
        // Each after its response has begun.
        let Connection { send, ended } = Connection::open(&app).await;
        let mut resets = 0;
        loop {
            let Ok(mut ready) = send.clone().ready().await else { break };
            let Ok((response, mut stream)) =
                ready.send_request(request(&app, "GET", LARGE, &[]), true)
            else {
                break;
            };
            let Ok(response) = response.await else { break };
            stream.send_reset(Reason::CANCEL);
            drop(response);
            resets += 1;
        }
        drop(ended.await);
        assert!((MOST..=MOST + 1).contains(&resets), "{resets}");
        // All at once.
        let Connection { send, ended } = Connection::open(&app).await;
        let mut send = send.ready().await.unwrap();
        for _ in 0..90 {
            let asked = request(&app, "GET", LARGE, &[]);
            let Ok((_, mut stream)) = send.send_request(asked, true) else { break };
            stream.send_reset(Reason::CANCEL);
        }
        drop(ended.await);
        let connection = Connection::open(&app).await;
        let item = request(&app, "GET", "/ords/hr/wide/7", &[]);
        assert_eq!(connection.send(item, b"").await.0.status.as_u16(), 200);
    });
    assert_eq!(witness.others(2, "StreamFlood"), ["StreamFlood(Some(127.0.0.1))"; 2]);
}

#[test]
fn a_stop_answers_what_is_under_way() {
    let database = Database::sqlite();
    let app = setup(&database).start();
    run(async {
        let busy = Connection::open(&app).await;
        let (first, second) = (begun(&app, &busy).await, begun(&app, &busy).await);
        let idle = Connection::open(&app).await;
        let item = request(&app, "GET", "/ords/hr/wide/7", &[]);
        assert_eq!(idle.send(item, b"").await.0.status.as_u16(), 200);
        let stopping = tokio::task::spawn_blocking(|| app.stop());
        idle.parted().await;
        for body in [first, second] {
            let text: serde_json::Value = serde_json::from_slice(&all(body).await).unwrap();
            assert_eq!(text["items"].as_array().unwrap().len(), ROWS);
        }
        busy.parted().await;
        stopping.await.unwrap();
    });
}

#[test]
fn idle_and_stuck_clients_are_disconnected() {
    let database = Database::sqlite();
    let setup =
        setup(&database).with(|setup| setup.options.limits.header_timeout = Duration::from_secs(5));
    let app = setup.start();
    run(async {
        let idle = Connection::open(&app).await;
        let item = request(&app, "GET", "/ords/hr/wide/7", &[]);
        assert_eq!(idle.send(item, b"").await.0.status.as_u16(), 200);
        let stuck = Connection::open(&app).await;
        // It takes frames, and nothing of this body.
        let body = begun(&app, &stuck).await;
        idle.parted().await;
        drop(stuck.ended.await.unwrap());
        drop(body);
    });
}

#[test]
fn it_can_be_switched_off() {
    let database = Database::sqlite();
    let app = setup(&database).with(|setup| setup.options.limits.http2 = false).start();
    let mut client = app.connect();
    client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    assert_eq!(client.read_response(false).unwrap().status, 400);
}
