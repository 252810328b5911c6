//! Tests with throwaway servers: one that requires TLS and a password, one that requires a client
//! certificate, one without TLS.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use duet_testkit::postgres::{Options, Server, Tls};
use duet_testkit::tls::Authority;
use tempfile::TempDir;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row};
use x509_cert::der::pem::LineEnding;
use x509_cert::der::{Decode, EncodePem};

use super::{
    Canceller, ConnectionSettings, Error, ErrorKind, EstablishedConnection, Frame, LARGE_ROW,
    Refusal, Replication, ReplicationError, Result, RowGate, SettingPlace,
};
use crate::connect::transport::Transport;

/// Contains every character with a meaning in a URL or a password file.
const PASSWORD: &str = r"ri:gh\t /@%";
const PASSWORD_IN_URL: &str = "ri%3Agh%5Ct%20%2F%40%25";

/// Requires TLS and [`PASSWORD`].
fn demanding() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        Server::start_with(
            Options::new()
                .tls(Tls::Server, Authority::for_postgres())
                .password(PASSWORD)
                .setting("wal_level", "logical"),
        )
    })
}

/// Requires [`PASSWORD`], offers no TLS.
fn plain() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start_with(Options::new().password(PASSWORD)))
}

/// Requires a client certificate.
fn certified() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        Server::start_with(Options::new().tls(Tls::ClientCertificate, Authority::for_postgres()))
    })
}

/// A URL of a server with the right password.
fn url(server: &Server, parameters: &str) -> String {
    let port = server.port();
    format!("postgres://postgres:{PASSWORD_IN_URL}@localhost:{port}/postgres?{parameters}")
}

fn authority(server: &Server) -> String {
    server.tls().unwrap().authority.display().to_string()
}

/// The certificate file of an untrusted authority.
fn foreign_authority(folder: &TempDir) -> String {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let path = folder.path().join("foreign.crt");
    fs::write(&path, params.self_signed(&key).unwrap().pem()).unwrap();
    path.display().to_string()
}

fn private(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    path
}

async fn connect_in(url: &str, environment: &[(&str, &str)]) -> Result<Client> {
    let settings = ConnectionSettings::from_url(url, &|name| {
        let found = environment.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    })?;
    let EstablishedConnection { client, running, .. } = settings.connector()?.connect().await?;
    tokio::spawn(running);
    Ok(client)
}

async fn connect(url: &str) -> Result<Client> {
    connect_in(url, &[]).await
}

/// The version of TLS that a connection uses, as reported by the server.
async fn tls_version(client: &Client) -> Option<String> {
    let question = "SELECT version FROM pg_catalog.pg_stat_ssl \
                    WHERE pid = pg_catalog.pg_backend_pid()";
    client.query_one(question, &[]).await.unwrap().get(0)
}

/// Connects; returns whether TLS is in use, or the error.
async fn outcome(url: &str) -> String {
    match connect(url).await {
        Ok(client) => tls_version(&client).await.unwrap_or_else(|| "plain".into()),
        Err(error) => message(&error),
    }
}

/// The message; no part of an error may hold the password.
fn message(error: &Error) -> String {
    assert!(!format!("{error:?}").contains(r"ri:gh"), "{error:?}");
    assert!(error.cause.as_deref().is_some_and(|cause| !cause.is_empty()), "{error:?}");
    error.message.clone()
}

#[track_caller]
fn starts(outcome: &str, expected: &str) {
    assert!(outcome.starts_with(expected), "{outcome}");
}

#[tokio::test]
async fn verify_full_wants_the_right_name() {
    let server = demanding();
    let root = authority(server);
    let full = format!("sslmode=verify-full&sslrootcert={root}");
    assert_eq!(outcome(&url(server, &full)).await, "TLSv1.3");
    let other = url(server, &format!("{full}&host=db.example&hostaddr=127.0.0.1"));
    let error = connect(&other).await.unwrap_err();
    starts(&message(&error), "The database's certificate was issued for another host");
    assert!(!error.kind.is_transient(), "waiting does not help");
    assert!(error.cause.unwrap().contains("db.example (127.0.0.1) port"));
    let ca = format!("sslmode=verify-ca&sslrootcert={root}&host=db.example&hostaddr=127.0.0.1");
    assert_eq!(outcome(&url(server, &ca)).await, "TLSv1.3");
}

#[tokio::test]
async fn the_chain_is_checked_where_there_is_a_root() {
    let server = demanding();
    let folder = TempDir::new().unwrap();
    let foreign = foreign_authority(&folder);
    for mode in ["require", "verify-ca", "verify-full"] {
        let parameters = format!("sslmode={mode}&sslrootcert={foreign}");
        let outcome = outcome(&url(server, &parameters)).await;
        starts(&outcome, "The database's certificate is not signed by a trusted");
    }
    assert_eq!(outcome(&url(server, "sslmode=require")).await, "TLSv1.3");
    let missing = connect(&url(server, "sslmode=verify-ca")).await.unwrap_err();
    assert_eq!(missing.place, Some(SettingPlace::Parameter("sslrootcert".into())));
    // The default place of the root certificates.
    let text = fs::read_to_string(&foreign).unwrap();
    private(folder.path(), ".postgresql/root.crt", &text);
    let home = folder.path().display().to_string();
    let error = connect_in(&url(server, "sslmode=require"), &[("HOME", &home)]).await.unwrap_err();
    starts(&message(&error), "The database's certificate is not signed");
}

#[tokio::test]
async fn modes_on_a_server_that_demands_tls() {
    let server = demanding();
    for mode in ["allow", "prefer", "require"] {
        assert_eq!(outcome(&url(server, &format!("sslmode={mode}"))).await, "TLSv1.3", "{mode}");
    }
    let without = outcome(&url(server, "sslmode=disable")).await;
    starts(&without, "The database does not let the user connect in this way");
    let folder = TempDir::new().unwrap();
    let prefer = format!("sslmode=prefer&sslrootcert={}", foreign_authority(&folder));
    let error = connect(&url(server, &prefer)).await.unwrap_err();
    starts(&message(&error), "The database's certificate is not signed");
    assert!(error.cause.unwrap().contains("no encryption"), "both ways stand in the log");
}

#[tokio::test]
async fn modes_on_a_server_without_tls() {
    let server = plain();
    for mode in ["disable", "allow", "prefer"] {
        assert_eq!(outcome(&url(server, &format!("sslmode={mode}"))).await, "plain", "{mode}");
    }
    let required = outcome(&url(server, "sslmode=require")).await;
    starts(&required, "The database does not offer TLS");
    let wrong = url(server, "sslmode=allow").replace("ri%3A", "wrong");
    starts(&outcome(&wrong).await, "The database does not accept the user and password");
    let bound = outcome(&url(server, "channel_binding=require")).await;
    starts(&bound, "The database and the server found no common way");
    let direct = outcome(&url(server, "sslmode=require&sslnegotiation=direct")).await;
    starts(&direct, "The TLS handshake with the database failed");
}

#[tokio::test]
async fn channel_binding_and_versions() {
    let server = demanding();
    for (parameters, version) in [
        ("channel_binding=require", "TLSv1.3"),
        ("channel_binding=require&ssl_max_protocol_version=TLSv1.2", "TLSv1.2"),
        ("channel_binding=disable&sslsni=0", "TLSv1.3"),
    ] {
        let parameters = format!("sslmode=require&{parameters}");
        assert_eq!(outcome(&url(server, &parameters)).await, version, "{parameters}");
    }
}

#[tokio::test]
async fn passwords() {
    let server = demanding();
    let bare = format!("host=localhost port={} user=postgres dbname=postgres", server.port());
    let error = connect(&bare).await.unwrap_err();
    starts(&message(&error), "The database requires a password, and none is set");
    starts(
        &outcome(&format!("{bare} password=wrong")).await,
        "The database does not accept the user and password",
    );
    starts(
        &outcome(&url(server, "user=nobody")).await,
        "The database does not accept the user and password",
    );
    starts(&outcome(&url(server, "dbname=none")).await, "The database does not exist");
    assert!(connect_in(&bare, &[("PGPASSWORD", PASSWORD)]).await.is_ok());
}

#[tokio::test]
async fn the_password_file() {
    let server = demanding();
    let folder = TempDir::new().unwrap();
    let escaped = PASSWORD.replace('\\', r"\\").replace(':', r"\:");
    let port = server.port();
    let lines = format!("elsewhere:*:*:*:no\nlocalhost:{port}:postgres:postgres:{escaped}\n");
    let file = private(folder.path(), ".pgpass", &lines);
    let home = folder.path().display().to_string();
    let bare = format!("postgres://postgres@localhost:{port}");
    assert!(connect_in(&bare, &[("HOME", &home)]).await.is_ok());
    let named = file.display().to_string();
    assert!(connect_in(&bare, &[("PGPASSFILE", &named)]).await.is_ok());
    assert!(connect(&format!("{bare}?passfile={named}")).await.is_ok());

    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let open =
        ConnectionSettings::from_url(&format!("{bare}?passfile={named}"), &|_| None).unwrap();
    assert_eq!(open.warnings().len(), 1);
    assert!(open.warnings()[0].contains("0600"), "{:?}", open.warnings());
    let error = connect_in(&bare, &[("HOME", &home)]).await.unwrap_err();
    starts(&message(&error), "The database requires a password");
}

#[tokio::test]
async fn a_service() {
    let server = demanding();
    let folder = TempDir::new().unwrap();
    let text = format!(
        "[app]\nhost=localhost\nport={}\nuser=postgres\npassword={PASSWORD}\nsslmode=verify-full\n\
         sslrootcert={}\n",
        server.port(),
        authority(server)
    );
    let file = private(folder.path(), ".pg_service.conf", &text).display().to_string();
    let home = folder.path().display().to_string();
    let client = connect_in("postgres:///?service=app", &[("HOME", &home)]).await.unwrap();
    assert_eq!(tls_version(&client).await.as_deref(), Some("TLSv1.3"));
    let variables = [("PGSERVICEFILE", file.as_str()), ("PGSERVICE", "app"), ("PGUSER", "nobody")];
    assert!(connect_in("", &variables).await.is_ok(), "the service wins over the environment");
    assert!(connect_in("user=nobody", &variables).await.is_err(), "the URL wins over both");
}

#[tokio::test]
async fn client_certificates() {
    let server = certified();
    let files = server.tls().unwrap();
    let (certificate, key) = (files.client_certificate.display(), files.client_key.display());
    let bare = format!("postgres://postgres@localhost:{}/postgres?sslmode=require", server.port());
    let shown = format!("{bare}&sslcert={certificate}&sslkey={key}");
    assert_eq!(outcome(&shown).await, "TLSv1.3");
    for missing in [bare.clone(), format!("{shown}&sslcertmode=disable")] {
        starts(&outcome(&missing).await, "The database does not let the user connect in this way");
    }
    starts(
        &outcome(&shown.replace("postgres@", "other@")).await,
        "The database does not let the user connect in this way",
    );
    // The default places.
    let folder = TempDir::new().unwrap();
    for (name, from) in
        [("postgresql.crt", &files.client_certificate), ("postgresql.key", &files.client_key)]
    {
        let text = fs::read_to_string(from).unwrap();
        private(folder.path(), &format!(".postgresql/{name}"), &text);
    }
    let home = folder.path().display().to_string();
    assert!(connect_in(&bare, &[("HOME", &home)]).await.is_ok());
    // A certificate of an authority that the server does not trust.
    let pair = rcgen::generate_simple_self_signed(Vec::new()).unwrap();
    let certificate = private(folder.path(), "own.crt", &pair.cert.pem());
    let key = private(folder.path(), "own.key", &pair.signing_key.serialize_pem());
    let foreign = format!("{bare}&sslcert={}&sslkey={}", certificate.display(), key.display());
    starts(&outcome(&foreign).await, "The database does not accept the client cert");
    let refused = |error: Error| (error.kind, error.message, error.place);
    let at = |name: &str| Some(SettingPlace::Parameter(name.into()));
    let mixed = format!("{shown}&sslkey={}", key.display());
    let message = "The key does not belong to the client certificate.".to_owned();
    let error = connect(&mixed).await.unwrap_err();
    assert_eq!(refused(error), (ErrorKind::Setting, message, at("sslkey")));
    // One of version 1, with its own key.
    let (_, old, key) = super::tls::version1::tests::pair("postgres", true);
    let pem = pem(&old);
    let certificate = private(folder.path(), "old.crt", &pem);
    let key = private(folder.path(), "old.key", &key.serialize_pem());
    let old = format!("{bare}&sslcert={}&sslkey={}", certificate.display(), key.display());
    let (kind, message, place) = refused(connect(&old).await.unwrap_err());
    assert_eq!((kind, place), (ErrorKind::Setting, at("sslcert")));
    starts(
        &message,
        "The client certificate cannot be used: it must be an X.509 certificate of version 3.",
    );
}

/// A server with this certificate.
fn showing(certificate: &str, key: &rcgen::KeyPair) -> Server {
    let server = Server::start_with(
        Options::new().tls(Tls::Server, Authority::for_postgres()).password(PASSWORD),
    );
    // Written in place, so that the files keep their owner and mode.
    fs::write(server.socket_folder().join("server.crt"), certificate).unwrap();
    fs::write(server.socket_folder().join("server.key"), key.serialize_pem()).unwrap();
    server.stop();
    server.restart();
    server
}

#[tokio::test]
async fn a_certificate_that_is_its_own_root() {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, "localhost");
    let certificate = params.self_signed(&key).unwrap().pem();
    let server = showing(&certificate, &key);
    let folder = TempDir::new().unwrap();
    let root = private(folder.path(), "root.crt", &certificate).display().to_string();
    let full = format!("sslmode=verify-full&sslrootcert={root}");
    assert_eq!(outcome(&url(&server, &full)).await, "TLSv1.3");
    let other = url(&server, &format!("{full}&host=db.example&hostaddr=127.0.0.1"));
    starts(&outcome(&other).await, "The database's certificate was issued for another");
}

#[tokio::test]
async fn a_certificate_of_version_1() {
    let (root, certificate, key) = super::tls::version1::tests::pair("localhost", true);
    let server = showing(&pem(&certificate), &key);
    let folder = TempDir::new().unwrap();
    let root = private(folder.path(), "root.crt", &pem(&root)).display().to_string();
    for parameters in [
        format!("sslmode=verify-full&sslrootcert={root}"),
        "sslmode=require&channel_binding=require".to_owned(),
    ] {
        assert_eq!(outcome(&url(&server, &parameters)).await, "TLSv1.3", "{parameters}");
    }
    let foreign = format!("sslmode=verify-ca&sslrootcert={}", foreign_authority(&folder));
    starts(&outcome(&url(&server, &foreign)).await, "The database's certificate is not");
}

/// A certificate as text.
fn pem(der: &[u8]) -> String {
    let certificate = x509_cert::Certificate::from_der(der).unwrap();
    certificate.to_pem(LineEnding::LF).unwrap()
}

#[tokio::test]
async fn hosts_are_tried_in_order() {
    let server = demanding();
    let (_taken, deaf) = deaf_port();
    let port = server.port();
    let tail =
        format!("user=postgres dbname=postgres password='{}'", PASSWORD.replace('\\', r"\\"));
    let second = format!("host=localhost,localhost port={deaf},{port} {tail}");
    assert_eq!(outcome(&second).await, "TLSv1.3");
    let random = format!("{second} load_balance_hosts=random");
    assert_eq!(outcome(&random).await, "TLSv1.3");
    let socket = server.socket_folder().display();
    let mixed = format!("host=nowhere.invalid,{socket} port={port} sslmode=require {tail}");
    assert_eq!(outcome(&mixed).await, "plain", "a socket has no TLS and needs none");
    // A host that rejects the user ends the search.
    let refused = format!("host=localhost,{socket} port={port} user=postgres password=wrong");
    starts(&outcome(&refused).await, "The database does not accept the user");
}

/// A port that refuses connections: bound, but without a listener.
fn deaf_port() -> (tokio::net::TcpSocket, u16) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let port = socket.local_addr().unwrap().port();
    (socket, port)
}

#[tokio::test]
async fn unreachable_hosts_are_reported() {
    let (_taken, deaf) = deaf_port();
    for url in [
        format!("postgres://localhost:{deaf}"),
        "postgres://nowhere.invalid".to_owned(),
        "host=/nonexistent".to_owned(),
    ] {
        let error = connect(&url).await.unwrap_err();
        assert_eq!(message(&error), "The database cannot be reached.");
        assert!(error.kind.is_transient());
    }
    // A listener that never accepts.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let error =
        connect(&format!("hostaddr=127.0.0.1 port={port} connect_timeout=1")).await.unwrap_err();
    assert_eq!(message(&error), "The database cannot be reached.");
    assert!(error.cause.unwrap().contains("no answer within 1 s"));
}

#[tokio::test]
async fn kinds_of_sessions() {
    let server = demanding();
    for (wanted, found) in [
        ("any", true),
        ("read-write", true),
        ("primary", true),
        ("prefer-standby", true),
        ("standby", false),
        ("read-only", false),
    ] {
        let url = url(server, &format!("target_session_attrs={wanted}"));
        match connect(&url).await {
            Ok(client) => {
                assert!(found, "{wanted}");
                client.simple_query("SELECT 1").await.unwrap();
            }
            Err(error) => {
                assert!(!found, "{wanted}");
                starts(&message(&error), "No database server is of the kind");
            }
        }
    }
    let read_only =
        "target_session_attrs=read-only&options=-c%20default_transaction_read_only%3Don";
    assert!(connect(&url(server, read_only)).await.is_ok());
    // The query for servers that do not report it.
    let client = connect(&url(server, "")).await.unwrap();
    let detected = super::session::Server::detect(&client).await.unwrap();
    assert!(super::session::Session::ReadWrite.accepts(detected));
}

#[tokio::test]
async fn parameters_reach_the_server() {
    let server = demanding();
    let show = async |url: &str, name: &str| {
        let client = connect(url).await.unwrap();
        let row = client.query_one(&format!("SHOW {name}"), &[]).await.unwrap();
        row.get::<_, String>(0)
    };
    assert_eq!(show(&url(server, ""), "application_name").await, "");
    let named = url(server, "application_name=a%20b&options=-c%20work_mem%3D7MB");
    assert_eq!(show(&named, "application_name").await, "a b");
    assert_eq!(show(&named, "work_mem").await, "7MB");
}

#[tokio::test]
async fn a_statement_is_cancelled_where_it_runs() {
    let (demanding, plain) = (demanding(), plain());
    let (_taken, deaf) = deaf_port();
    let secret = PASSWORD.replace('\\', r"\\");
    let tail = format!("user=postgres dbname=postgres password='{secret}'");
    let (socket, port) = (plain.socket_folder().display(), plain.port());
    for url in [
        url(demanding, &format!("sslmode=verify-full&sslrootcert={}", authority(demanding))),
        url(demanding, "sslmode=prefer"),
        url(plain, "sslmode=prefer"),
        url(plain, "sslmode=disable"),
        format!("host={socket} port={port} {tail}"),
        // Connected to the second host, so cancelled there.
        format!("host=localhost,localhost port={deaf},{port} {tail}"),
    ] {
        let connector = ConnectionSettings::from_url(&url, &|_| None).unwrap().connector().unwrap();
        let EstablishedConnection { client, running, canceller, .. } =
            connector.connect().await.unwrap();
        tokio::spawn(running);
        let pid = client.query_one("SELECT pg_backend_pid()", &[]).await.unwrap();
        let pid: i32 = pid.get(0);
        let sleeping = async move { client.batch_execute("SELECT pg_sleep(60)").await };
        let sleeping = tokio::spawn(sleeping);
        // A cancel request for a statement that has not begun is lost.
        let watching = connect(&url).await.unwrap();
        let begun =
            format!("SELECT FROM pg_stat_activity WHERE pid = {pid} AND wait_event = 'PgSleep'");
        while watching.query_opt(&begun, &[]).await.unwrap().is_none() {}
        canceller.cancel().await.unwrap();
        let error = sleeping.await.unwrap().unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{url}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() {
    let url = url(demanding(), "sslmode=require");
    let connector = ConnectionSettings::from_url(&url, &|_| None).unwrap().connector().unwrap();
    let token = connector.connect().await.unwrap().client.cancel_token();
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("hostaddr=127.0.0.1 port={port} connect_timeout=1");
    let settings = Arc::new(ConnectionSettings::from_url(&url, &|_| None).unwrap());
    let endpoint = settings.hosts[0].endpoints().await.unwrap().remove(0);
    let canceller = Canceller::new(&settings, &endpoint, Transport::Tls, token);
    let waited = canceller.cancel().await.unwrap_err();
    assert!(waited.cause.unwrap().contains("no answer within 1 s"));
    drop(silent);
    let gone = canceller.cancel().await.unwrap_err();
    assert_eq!(gone.kind, ErrorKind::Unreachable);
    assert!(gone.cause.unwrap().contains("127.0.0.1"));
}

/// Rejects rows above a length, and records the lengths of all large rows.
struct UpTo(usize, Mutex<Vec<usize>>);

impl RowGate for UpTo {
    fn admit(&self, bytes: usize) -> Result<(), Refusal> {
        self.1.lock().unwrap().push(bytes);
        let refusal = || Refusal { state: "53200", message: "no room".to_owned() };
        if bytes <= self.0 { Ok(()) } else { Err(refusal()) }
    }
}

#[tokio::test]
async fn a_gate_decides_about_large_rows() {
    let (demanding, plain) = (demanding(), plain());
    let tls = format!("sslmode=verify-full&sslrootcert={}", authority(demanding));
    for url in [
        url(demanding, &tls),
        url(demanding, &format!("{tls}&channel_binding=require&ssl_max_protocol_version=TLSv1.2")),
        url(plain, "sslmode=prefer"),
        url(plain, "sslmode=disable"),
    ] {
        let gate = Arc::new(UpTo(1 << 20, Mutex::default()));
        let connector = ConnectionSettings::from_url(&url, &|_| None).unwrap().connector().unwrap();
        let connected = connector.connect_gated(Arc::clone(&gate) as _).await.unwrap();
        let EstablishedConnection { client, running, .. } = connected;
        let running = tokio::spawn(running);
        let sql = "SELECT repeat('x', $1) FROM generate_series(1, 3)";
        let statement = client.prepare(sql).await.unwrap();
        let length = async |length: i32| {
            let rows = client.query(&statement, &[&length]).await?;
            Ok::<_, tokio_postgres::Error>(rows.iter().map(Row::raw_size_bytes).collect::<Vec<_>>())
        };
        assert_eq!(length(LARGE_ROW as i32 - 4).await.unwrap(), [LARGE_ROW; 3]);
        assert!(gate.1.lock().unwrap().is_empty(), "{url}");
        assert_eq!(length((1 << 20) - 4).await.unwrap(), [1 << 20; 3]);
        assert_eq!(gate.1.lock().unwrap().split_off(0), [1 << 20; 3]);
        // The second statement is sent in the same flush as the first, and gets no response.
        let (refused, behind) = tokio::join!(biased; length(1 << 20), length(1));
        let (refused, behind) = (refused.unwrap_err(), behind.unwrap_err());
        let refusal = Refusal::find(&refused).unwrap();
        assert_eq!((refusal.code(), refusal.message()), (&SqlState::OUT_OF_MEMORY, "no room"));
        assert!(behind.is_closed() && Refusal::find(&behind).is_none());
        assert_eq!(*gate.1.lock().unwrap(), [(1 << 20) + 4], "nothing behind it was looked at");
        assert!(running.await.unwrap().is_err() && client.is_closed());
    }
    // A server cannot produce such an error, not even with the same texts.
    let client = connect(&url(plain, "")).await.unwrap();
    let sql = "DO $$ BEGIN RAISE 'no room' USING ERRCODE = '53200'; END $$";
    let error = client.batch_execute(sql).await.unwrap_err();
    assert!(error.code() == Some(&SqlState::OUT_OF_MEMORY) && Refusal::find(&error).is_none());
}

/// A server that is too old is rejected by its reported version, before any query.
#[tokio::test]
async fn a_server_below_13_is_refused() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let message = |kind: u8, body: &[u8]| {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    };
    for (version, refused) in
        [("12.17 (Debian 12.17-1)", true), ("9.6.24", true), ("13.0", false), ("other", false)]
    {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let reported = format!("server_version\0{version}\0");
        let greeting = [
            message(b'R', &0_u32.to_be_bytes()),
            message(b'S', reported.as_bytes()),
            message(b'K', &[0; 8]),
            message(b'Z', b"I"),
        ]
        .concat();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut startup = [0; 4];
            stream.read_exact(&mut startup).await.unwrap();
            let rest = u32::from_be_bytes(startup) - 4;
            stream.read_exact(&mut vec![0; rest as usize]).await.unwrap();
            stream.write_all(&greeting).await.unwrap();
            // Until the client disconnects.
            drop(stream.read_to_end(&mut Vec::new()).await);
        });
        let url = format!("postgres://u@127.0.0.1:{port}/d?sslmode=disable");
        let connector = ConnectionSettings::from_url(&url, &|_| None).unwrap().connector().unwrap();
        match connector.connect().await {
            Ok(_) => assert!(!refused, "{version}"),
            Err(error) => {
                assert!(refused, "{version}: {error}");
                assert_eq!(error.kind, ErrorKind::TooOld);
                assert!(error.message.contains("13 or later"), "{error}");
                assert!(error.cause.unwrap().contains(version));
            }
        }
        server.abort();
    }
}

async fn replication(url: &str) -> Result<Replication> {
    ConnectionSettings::from_url(url, &|_| None)?.connector()?.connect_replication().await
}

/// The changes of a commit arrive over TLS with a password, and over the socket.
#[tokio::test]
async fn a_replication_connection_receives_changes() {
    let server = demanding();
    let database = server.database("changes");
    database.exec("CREATE TABLE t (id integer PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t;");
    let full = format!("sslmode=verify-full&sslrootcert={}", authority(server));
    let tls = url(server, &full).replace("/postgres?", "/changes?");
    // The server drops a temporary slot some time after its connection has ended, so each has a name of its own.
    for (url, name) in [(tls, "s1"), (server.url("changes"), "s2")] {
        let mut changes = replication(&url).await.unwrap();
        let slot =
            format!("CREATE_REPLICATION_SLOT {name} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT");
        let missing = slot.replace("pgoutput", "no_such_plugin");
        let refused = changes.query(&missing).await.unwrap_err();
        let ReplicationError::Server { state, .. } = refused else { panic!("{refused}") };
        assert_eq!(state, SqlState::UNDEFINED_FILE.code());
        assert_eq!(changes.query(&slot).await.unwrap()[0][0].as_deref(), Some(name));
        let start = format!(
            "START_REPLICATION SLOT {name} LOGICAL 0/0 (proto_version '1', publication_names 'p')"
        );
        changes.start(&start).await.unwrap();
        database.exec("DELETE FROM t; INSERT INTO t VALUES (7);");
        let mut kinds = Vec::new();
        while !kinds.ends_with(b"C") {
            match changes.frame().unwrap() {
                Some(Frame::Data(message)) => kinds.push(message[0]),
                Some(Frame::Alive { .. }) => {}
                None => changes.fill().await.unwrap(),
            }
        }
        assert!(kinds.starts_with(b"BR"), "{}", String::from_utf8_lossy(&kinds));
        // It is told at once how far the server is, if it wants to know.
        changes.report(1, true).await.unwrap();
        loop {
            match changes.frame().unwrap() {
                Some(Frame::Alive { end, .. }) if end > 1 => break,
                Some(_) => {}
                None => changes.fill().await.unwrap(),
            }
        }
    }
    let wrong = url(server, &full).replace(PASSWORD_IN_URL, "wrong");
    assert_eq!(replication(&wrong).await.unwrap_err().kind, ErrorKind::WrongPassword);
}
