//! HTTP/2, client certificates and proxies, against servers of this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use duet_testkit::tls::Authority;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::coding::tests::zipped;
use super::{HttpConnection, Length, Url};
use crate::record::TransactionCost;

const PATIENCE: Duration = Duration::from_secs(20);

async fn open(url: &str) -> HttpConnection {
    HttpConnection::open(&url.parse::<Url>().unwrap(), PATIENCE).await.unwrap()
}

/// Answers streams of a connection: content as long as the number in the path, or what was sent.
async fn streams<S>(socket: S)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let mut connection = h2::server::handshake(socket).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        let (parts, mut body) = request.into_parts();
        tokio::spawn(async move {
            let mut sent = Vec::new();
            while let Some(Ok(part)) = body.data().await {
                sent.extend_from_slice(&part);
                let _ = body.flow_control().release_capacity(part.len());
            }
            let mut response =
                http::Response::builder().header("x-host", parts.uri.host().unwrap());
            let content = match parts.uri.path().trim_start_matches('/').parse::<usize>() {
                Ok(length) => {
                    response = response.header("content-encoding", "gzip");
                    zipped(&vec![b'x'; length])
                }
                Err(_) => sent,
            };
            let mut stream = respond.send_response(response.body(()).unwrap(), false).unwrap();
            let mut content = Bytes::from(content);
            while !content.is_empty() {
                stream.reserve_capacity(content.len());
                let room = std::future::poll_fn(|context| stream.poll_capacity(context)).await;
                let Some(Ok(room)) = room else { return };
                let part = content.split_to(room.min(content.len()));
                stream.send_data(part, content.is_empty()).unwrap();
            }
        });
    }
}

#[tokio::test]
async fn users_share_connections_of_http2() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(streams(socket));
        }
    });
    let url = format!("http://{address}/#http2=2");
    let mut users = [open(&url).await, open(&url).await, open(&url).await];
    let mut work = TransactionCost::default();
    for (number, user) in users.iter_mut().enumerate() {
        let length = 100_000 * (number + 1);
        let request = format!("GET /{length} HTTP/1.1\r\nHost: other:81\r\n\r\n");
        let answer = user.exchange(request.as_bytes(), &mut work).await.unwrap();
        assert_eq!((answer.status, answer.length), (200, Length::Undeclared));
        assert_eq!(answer.field("X-Host").unwrap(), "other");
        assert_eq!(answer.body, vec![b'x'; length], "it is decoded");
        // Larger than the windows of the beginning.
        let body = vec![b'y'; 3_000_000];
        let head =
            format!("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", body.len());
        let request = [head.as_bytes(), &body].concat();
        let answer = user.exchange(&request, &mut work).await.unwrap();
        assert_eq!(answer.body, body);
    }
    assert_eq!(accepted.load(Ordering::Relaxed), 2, "two users on each");
    assert_eq!((work.round_trips, work.statuses[2]), (6, 6));
    assert!(work.sent > 9_000_000 && work.received > 9_000_000, "{work:?}");
    assert!(work.sent < 9_100_000, "each byte is counted once: {work:?}");
    // One with a place of its own for each user.
    let url = format!("http://{address}/#http2");
    let _users = [open(&url).await, open(&url).await];
    assert_eq!(accepted.load(Ordering::Relaxed), 4);
}

/// A server that wants a certificate of its authority, and what it speaks.
fn acceptor(authority: &Authority, identity: &(String, String), protocol: &[u8]) -> TlsAcceptor {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let (certificate, key) = identity;
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap());
    let mut config = builder.with_single_cert(chain, key).unwrap();
    config.alpn_protocols = vec![protocol.to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

#[tokio::test]
async fn clients_have_certificates_and_choose_http2() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let authority = Authority::new();
    let roots = file("root.pem", authority.pem());
    let (certificate, key) = authority.client("bench");
    let (certificate, key) = (file("client.pem", &certificate), file("client.key", &key));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = acceptor(&authority, &authority.server(), b"h2");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(session) = acceptor.accept(socket).await {
                    streams(session).await;
                }
            });
        }
    });
    let place = format!("https://localhost:{port}/#cacert={roots}");
    let mut user = open(&format!("{place}&cert={certificate}&key={key}&http2")).await;
    let mut work = TransactionCost::default();
    let request = b"GET /10 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let answer = user.exchange(request, &mut work).await.unwrap();
    assert_eq!(answer.body, b"xxxxxxxxxx");
    // Without a certificate, the server ends the session at the first use.
    let url: Url = format!("{place}&http2").parse().unwrap();
    let failed = match HttpConnection::open(&url, PATIENCE).await {
        Ok(mut user) => user.exchange(request, &mut work).await.map(drop).unwrap_err(),
        Err(failed) => failed,
    };
    assert!(failed.message.to_lowercase().contains("certificate"), "{failed:?}");
    // A server that has no HTTP/1.1.
    let url: Url = format!("{place}&cert={certificate}&key={key}").parse().unwrap();
    let failed = HttpConnection::open(&url, PATIENCE).await.map(drop).unwrap_err();
    assert!(failed.message.contains("--http2"), "{failed:?}");
}

/// A proxy that notes the heads it gets: it answers requests itself, and makes tunnels.
async fn proxy(mut socket: TcpStream, heads: Arc<std::sync::Mutex<Vec<String>>>) {
    loop {
        let mut head = String::new();
        {
            let mut lines = BufReader::with_capacity(1, &mut socket);
            while !head.ends_with("\r\n\r\n") {
                if lines.read_line(&mut head).await.unwrap_or(0) == 0 {
                    return;
                }
            }
        }
        heads.lock().unwrap().push(head.clone());
        if let Some(rest) = head.strip_prefix("CONNECT ") {
            let place = rest.split(' ').next().unwrap();
            let mut server = TcpStream::connect(place).await.unwrap();
            socket.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut socket, &mut server).await;
            return;
        }
        socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").await.unwrap();
    }
}

#[tokio::test]
async fn proxies_forward_requests_and_make_tunnels() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let through = format!("proxy=http://{}", listener.local_addr().unwrap());
    let heads = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(proxy(socket, Arc::clone(&noted)));
        }
    });
    let mut work = TransactionCost::default();
    let mut user = open(&format!("http://service.example:81/#{through}")).await;
    let request = b"GET /a?b HTTP/1.1\r\nHost: service.example:81\r\n\r\n";
    for _ in 0..2 {
        assert_eq!(user.exchange(request, &mut work).await.unwrap().body, b"hi");
    }
    let expected = "GET http://service.example:81/a?b HTTP/1.1\r\nHost: service.example:81\r\n\r\n";
    assert_eq!(*heads.lock().unwrap(), [expected, expected]);
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = server.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = server.accept().await {
            tokio::spawn(streams(socket));
        }
    });
    // HTTP/2 of prior knowledge goes through a tunnel, as TLS does.
    let mut user = open(&format!("http://{place}/#{through}&http2")).await;
    let answer = user.exchange(b"POST /e HTTP/1.1\r\nHost: h\r\n\r\nhi", &mut work).await.unwrap();
    assert_eq!(answer.body, b"hi");
    let last = heads.lock().unwrap().last().cloned().unwrap();
    assert_eq!(last, format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n"));
    let refusing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let through = format!("proxy=http://{}", refusing.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = refusing.accept().await.unwrap();
        let mut head = [0; 1024];
        let _ = socket.read(&mut head).await.unwrap();
        socket.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await.unwrap();
    });
    let url: Url = format!("https://h.example/#{through}").parse().unwrap();
    let failed = HttpConnection::open(&url, PATIENCE).await.map(drop).unwrap_err();
    let said = "the proxy refuses a tunnel to h.example:443: HTTP/1.1 407 Proxy Authentication";
    assert!(failed.message.starts_with(said), "{failed:?}");
}
