//! TLS of the listeners: who can speak with them, and how a certificate is replaced.

use std::fs;
use std::path::PathBuf;

use duet_http::TlsFiles;
use duet_model::Code;
use duet_model::memory::Budget;
use duet_testkit::http::{Client, Response};
use duet_testkit::tls::{Authority, TlsStream};
use rustls::version::{TLS12, TLS13};

use crate::support::{App, Database, Setup, eventually};

/// A server with a certificate of an authority of its own.
struct Secure {
    app: App,
    authority: Authority,
    folder: tempfile::TempDir,
    _database: Database,
}

fn files(folder: &tempfile::TempDir) -> TlsFiles {
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    TlsFiles { certificate: path("server.crt"), key: path("server.key") }
}

impl Secure {
    fn start() -> Self {
        Self::start_with(|_| {})
    }

    fn start_with(change: impl FnOnce(&mut Setup)) -> Self {
        let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
        write(&folder, authority.server());
        let database = Database::sqlite();
        database.exec(
            "CREATE TABLE team (team_id integer PRIMARY KEY); INSERT INTO team VALUES (301);",
        );
        let setup = Setup::new(&database).with(|setup| {
            setup.roles = vec!["duet.read", "duet.admin"];
            setup.options.tls = Some(files(&folder));
            change(setup);
        });
        let app = setup.start();
        Self { app, authority, folder, _database: database }
    }

    fn try_connect(&self) -> std::io::Result<TlsStream> {
        self.authority.connect(self.app.url(), &[&TLS13, &TLS12], &["http/1.1"])
    }

    fn connect(&self) -> Client {
        Client::over_tls(self.try_connect().unwrap(), self.host())
    }

    fn host(&self) -> &str {
        self.app.url().trim_start_matches("https://")
    }

    fn get(&self, client: &mut Client) -> Response {
        client.get("/ords/hr/team/301", &[("Authorization", &self.app.bearer())])
    }

    /// The certificate that a new connection is shown.
    fn shown(&self) -> Vec<u8> {
        let stream = self.try_connect().unwrap();
        stream.conn.peer_certificates().unwrap()[0].to_vec()
    }
}

fn write(folder: &tempfile::TempDir, (certificate, key): (String, String)) {
    let files = files(folder);
    fs::write(files.certificate, certificate).unwrap();
    fs::write(files.key, key).unwrap();
}

#[test]
fn a_client_that_trusts_the_authority_is_answered() {
    let secure = Secure::start();
    assert!(secure.app.url().starts_with("https://127.0.0.1:"), "{}", secure.app.url());
    let mut client = secure.connect();
    let item = secure.get(&mut client);
    assert_eq!(item.status, 200, "{item:?}");
    let link = format!("https://{}/ords/hr/team/301", secure.host());
    assert!(item.text().contains(&link), "{item:?}");
    assert_eq!(secure.get(&mut client).status, 200, "on the same connection");
    assert!(Authority::new().connect(secure.app.url(), &[&TLS13], &[]).is_err(), "a stranger");
    for (versions, protocols) in [(&[&TLS12], &["http/1.1"][..]), (&[&TLS13], &[])] {
        let stream = secure.authority.connect(secure.app.url(), versions, protocols).unwrap();
        let chosen = stream.conn.alpn_protocol().map(<[u8]>::to_vec);
        assert_eq!(chosen, protocols.first().map(|name| name.as_bytes().to_vec()));
        assert_eq!(secure.get(&mut Client::over_tls(stream, "localhost")).status, 200);
    }
    let other = secure.authority.connect(secure.app.url(), &[&TLS13], &["h3"]);
    assert!(other.is_err(), "no protocol in common");
}

#[test]
fn a_client_without_tls_gets_an_explanation() {
    let secure = Secure::start();
    let refused = Client::connect(secure.host()).get("/ords/hr/team/301", &[]);
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.text().contains("use https"), "{refused:?}");
    // Nonsense and silence harm no other client.
    let mut nonsense = Client::connect(secure.host());
    nonsense.send(&[22, 3, 1, 0, 5, 1, 2, 3, 4, 5]).unwrap();
    drop(nonsense.read_to_end());
    let silent = Client::connect(secure.host());
    assert_eq!(secure.get(&mut secure.connect()).status, 200);
    drop(silent);
    secure.app.stop();
}

/// The first bytes of a ClientHello that does not go on.
const HALF_A_HELLO: &[u8] = &[22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, 7, 7, 7];

/// A number of the metrics.
fn metric(secure: &Secure, name: &str) -> usize {
    let answer = secure.connect().get("/metrics", &[("Authorization", &secure.app.bearer())]);
    let value = answer.text().lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
    value.unwrap_or_else(|| panic!("{answer:?}")).trim().parse().unwrap()
}

/// Many clients begin a handshake and stop: few are kept, with the memory of as many connections, and others get in.
#[test]
fn handshakes_that_stop_are_few_and_keep_none_out() {
    const MOST: usize = 8;
    let memory = Budget::new(64 << 20);
    let secure = Secure::start_with(|setup| {
        setup.options.limits.tls_handshakes = MOST;
        setup.options.memory = memory.clone();
    });
    let mut held = Vec::new();
    for count in [40, 120] {
        while held.len() < count {
            let mut client = Client::connect(secure.host());
            client.send(HALF_A_HELLO).unwrap();
            held.push(client);
        }
        let few = || metric(&secure, "duet_handshakes ") <= MOST;
        eventually("the others have ended", || few() && memory.usage().used <= MOST * (28 << 10));
        assert_eq!(secure.get(&mut secure.connect()).status, 200);
    }
    assert!(metric(&secure, "duet_handshakes_ended_total ") >= 120 - MOST);
    assert!(held[0].read_to_end().unwrap_or_default().is_empty(), "it was ended");
    drop(held);
    eventually("none is left", || metric(&secure, "duet_handshakes ") == 0);
    secure.app.stop();
}

/// A handshake that does not go on ends by itself.
#[test]
fn a_handshake_has_its_time() {
    let secure = Secure::start_with(|setup| {
        setup.options.limits.header_timeout = std::time::Duration::from_millis(300);
    });
    for begun in [&b""[..], HALF_A_HELLO] {
        let mut client = Client::connect(secure.host());
        client.send(begun).unwrap();
        assert!(client.read_to_end().unwrap_or_default().is_empty());
    }
    secure.app.stop();
}

#[test]
fn new_files_count_for_new_connections() {
    let secure = Secure::start();
    let (mut before, old) = (secure.connect(), secure.shown());
    assert_eq!(secure.get(&mut before).status, 200);
    write(&secure.folder, secure.authority.server());
    eventually("the new certificate is shown", || secure.shown() != old);
    assert_eq!(secure.get(&mut before).status, 200, "the connection goes on");
    assert_eq!(secure.get(&mut secure.connect()).status, 200);

    // Files that do not belong together, or are nonsense, change nothing but the notes.
    let (current, key) = (secure.shown(), fs::read(files(&secure.folder).key).unwrap());
    let reload = |client: &mut Client| {
        client.request("POST", "/admin/reload", &[("Authorization", &secure.app.bearer())], b"")
    };
    let other = secure.authority.server();
    for (broken, said) in [
        (other.1.as_bytes(), "is not the key of"),
        (b"nonsense".as_slice(), "holds no private key in PEM"),
    ] {
        fs::write(files(&secure.folder).key, broken).unwrap();
        let told = reload(&mut before);
        assert_eq!(told.status, 200, "{told:?}");
        let note = told.json()["notes"][0].as_str().unwrap().to_owned();
        assert!(note.starts_with("DUET-5012") && note.contains(said), "{note}");
        assert_eq!(secure.shown(), current);
        assert_eq!(secure.get(&mut before).status, 200);
    }
    fs::write(files(&secure.folder).key, key).unwrap();
    assert_eq!(reload(&mut before).json()["notes"], serde_json::json!([]));
    assert_eq!(secure.shown(), current);
    secure.app.stop();
}

#[test]
fn a_start_needs_a_certificate_that_can_be_used() {
    let database = Database::sqlite();
    let (folder, authority) = (tempfile::tempdir().unwrap(), Authority::new());
    let start = || {
        let setup = Setup::new(&database).with(|setup| setup.options.tls = Some(files(&folder)));
        setup.try_start().err().unwrap()
    };
    assert!(start().message.contains("server.crt cannot be read"), "{}", start());
    let (certificate, key) = authority.server();
    for (pair, said) in [
        ((String::new(), key.clone()), "holds no certificate in PEM"),
        ((certificate.clone(), certificate.clone()), "holds no private key in PEM"),
        ((certificate, authority.server().1), "is not the key of"),
    ] {
        write(&folder, pair);
        let error = start();
        assert_eq!(error.code, Code::Certificate);
        assert!(error.message.contains(said), "{error}");
        assert!(!format!("{error:?}").contains("BEGIN"), "{error:?}");
    }
}
