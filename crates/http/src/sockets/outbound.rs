//! Requests that the server sends: to an issuer of tokens for its keys and for the tokens of people who sign in, and to the
//! endpoints of webhooks.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::tls;

/// How long a request may take in all.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The host of an address, an IPv6 address without its brackets.
pub(crate) fn host(uri: &Uri) -> &str {
    uri.host().unwrap_or("").trim_start_matches('[').trim_end_matches(']')
}

/// Sends a request to its address, with `https` over TLS, and gives the status and a body of so many bytes at most. No
/// redirect is followed.
///
/// # Errors
/// Why there is no answer.
pub(crate) async fn send(
    request: Request<Full<Bytes>>,
    limit: usize,
) -> Result<(StatusCode, Bytes), String> {
    match tokio::time::timeout(TIMEOUT, exchanged(request, limit)).await {
        Ok(answered) => answered,
        Err(_) => Err(format!("no answer within {} s", TIMEOUT.as_secs())),
    }
}

async fn exchanged(
    request: Request<Full<Bytes>>,
    limit: usize,
) -> Result<(StatusCode, Bytes), String> {
    let uri = request.uri().clone();
    let https = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
    let stream = TcpStream::connect((host(&uri), port)).await.map_err(text)?;
    let tls = if https { Some(TlsConnector::from(Arc::new(client_config()?))) } else { None };
    let answer = over(request, stream, tls, Some(limit)).await?;
    Ok((answer.status(), answer.into_body()))
}

/// Sends a request over a connection, through TLS for the host of its address where a connector is given. Nothing of the
/// answer's body is read.
///
/// # Errors
/// Why there is no answer.
pub(crate) async fn send_over(
    request: Request<Full<Bytes>>,
    stream: TcpStream,
    tls: Option<TlsConnector>,
) -> Result<(StatusCode, HeaderMap), String> {
    let (head, _) = over(request, stream, tls, None).await?.into_parts();
    Ok((head.status, head.headers))
}

async fn over(
    request: Request<Full<Bytes>>,
    stream: TcpStream,
    tls: Option<TlsConnector>,
    limit: Option<usize>,
) -> Result<Response<Bytes>, String> {
    let Some(connector) = tls else { return exchange(request, stream, limit).await };
    let name = ServerName::try_from(host(request.uri()).to_owned()).map_err(text)?;
    let stream = connector.connect(name, stream).await.map_err(text)?;
    exchange(request, stream, limit).await
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// Certificates are checked against those that the system trusts, or those of `SSL_CERT_FILE`.
pub(crate) fn client_config() -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .map_err(text)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

async fn exchange(
    request: Request<Full<Bytes>>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    limit: Option<usize>,
) -> Result<Response<Bytes>, String> {
    let (mut head, body) = request.into_parts();
    let authority = head.uri.authority().map_or("", |authority| authority.as_str());
    let authority = HeaderValue::try_from(authority).map_err(text)?;
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    head.uri = target.parse().map_err(text)?;
    let agent = HeaderValue::from_static(concat!("duet/", env!("CARGO_PKG_VERSION")));
    // `Host` comes first (RFC 9110 §7.2).
    let given = std::mem::take(&mut head.headers);
    head.headers.insert(HOST, authority);
    head.headers.extend(given);
    head.headers.insert(USER_AGENT, agent);
    head.headers.insert(CONNECTION, HeaderValue::from_static("close"));
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(text)?;
    let driver = tokio::spawn(connection);
    let answer = async {
        let response = sender.send_request(Request::from_parts(head, body)).await.map_err(text)?;
        let (head, body) = response.into_parts();
        let body = match limit {
            Some(limit) => Limited::new(body, limit).collect().await.map_err(text)?.to_bytes(),
            None => Bytes::new(),
        };
        Ok(Response::from_parts(head, body))
    };
    let answer = answer.await;
    driver.abort();
    answer
}
