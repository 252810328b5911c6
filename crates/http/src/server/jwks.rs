//! Fetches the keys of another issuer of tokens: in the background, at the start, every now and
//! then, and when a token names a key that is not known. Requests never wait for it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use duet_model::{Code, Error, Result};
use duet_service::Issuer;
use duet_service::issuer::MAX_KEYS_BYTES;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::header::{ACCEPT, CONNECTION, HOST, USER_AGENT};
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::sockets::tls;

/// How long a fetch may take in all.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause after a failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Checks an address of a JWK Set: `https`, or `http` on this machine alone, for an attacker in
/// between could put keys of his own into the answer.
///
/// # Errors
/// What a right one looks like.
pub fn check_keys_url(text: &str) -> Result<(), String> {
    let wrong = || "use an address such as `https://id.example/keys`".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let authority = uri.authority().ok_or_else(wrong)?;
    if authority.as_str().contains('@') {
        return Err("leave out the user name and password".into());
    }
    match uri.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if is_here(host(&uri)) => Ok(()),
        Some("http") => Err("use `https`; `http` is for addresses of this machine".into()),
        _ => Err(wrong()),
    }
}

/// The host of an address, an IPv6 address without its brackets.
fn host(uri: &Uri) -> &str {
    uri.host().unwrap_or("").trim_start_matches('[').trim_end_matches(']')
}

fn is_here(host: &str) -> bool {
    let loopback = |address: std::net::IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(loopback)
}

/// Keeps the keys of an issuer fresh, for ever. Where a fetch fails, the keys before stay.
pub(crate) async fn watch(issuer: &Issuer) {
    let Some(url) = &issuer.places().url else { return std::future::pending().await };
    let places = issuer.places();
    let mut failures = 0;
    loop {
        let fetched = fetch(url).await.and_then(|json| issuer.offer(&json));
        failures = if fetched.is_ok() { 0 } else { failures + 1 };
        match fetched {
            Ok(Some(keys)) => tracing::info!(keys, "the keys of the token issuer are in force"),
            Ok(None) => {}
            Err(error) => tracing::warn!(
                code = error.code.as_str(),
                message = %error,
                cause = error.cause,
                "the keys of the token issuer cannot be fetched; those before stay in force"
            ),
        }
        if failures > 0 {
            let pause = FIRST_PAUSE.saturating_mul(1 << (failures - 1).min(10));
            tokio::time::sleep(pause.min(LONGEST_PAUSE).max(places.pause)).await;
            continue;
        }
        // Invented key names cause no more requests than this.
        tokio::time::sleep(places.pause).await;
        tokio::select! {
            () = tokio::time::sleep(places.refresh.saturating_sub(places.pause)) => {}
            () = issuer.refresh_requested() => {}
        }
    }
}

/// Fetches a document.
async fn fetch(url: &str) -> Result<Bytes> {
    match tokio::time::timeout(TIMEOUT, get(url)).await {
        Ok(fetched) => fetched,
        Err(_) => Err(failed(url, format!("no answer within {} s", TIMEOUT.as_secs()))),
    }
}

async fn get(url: &str) -> Result<Bytes> {
    let uri: Uri = url.parse().map_err(|error| failed(url, error))?;
    let https = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
    let stream = TcpStream::connect((host(&uri), port)).await;
    let stream = stream.map_err(|error| failed(url, error))?;
    if !https {
        return exchange(url, &uri, stream).await;
    }
    let name = ServerName::try_from(host(&uri).to_owned()).map_err(|error| failed(url, error))?;
    let connector = TlsConnector::from(Arc::new(client_config()?));
    let stream = connector.connect(name, stream).await.map_err(|error| failed(url, error))?;
    exchange(url, &uri, stream).await
}

/// Certificates are checked against those that the system trusts, or those of `SSL_CERT_FILE`.
fn client_config() -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .map_err(Error::internal)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

async fn exchange(
    url: &str,
    uri: &Uri,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<Bytes> {
    let wrong = |error: hyper::Error| failed(url, error);
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(wrong)?;
    let driver = tokio::spawn(connection);
    let request = Request::get(uri.path_and_query().map_or("/", |target| target.as_str()))
        .header(HOST, uri.authority().map_or("", |authority| authority.as_str()))
        .header(ACCEPT, "application/jwk-set+json, application/json")
        .header(USER_AGENT, concat!("duet/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .map_err(|error| failed(url, error))?;
    let answer = async {
        let response = sender.send_request(request).await.map_err(wrong)?;
        // A redirect could lead anywhere: the address that was given is the only one that counts.
        if response.status() != StatusCode::OK {
            return Err(failed(url, format!("status {}", response.status())));
        }
        let limit = usize::try_from(MAX_KEYS_BYTES).unwrap_or(usize::MAX);
        let body = Limited::new(response.into_body(), limit).collect().await;
        body.map(http_body_util::Collected::to_bytes).map_err(|error| failed(url, error))
    };
    let answer = answer.await;
    driver.abort();
    answer
}

fn failed(url: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(Code::IssuerKeys, format!("{url} gives no keys.")).cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for good in [
            "https://id.example/keys?x=1",
            "https://id.example:8443",
            "http://127.0.0.1:8/k",
            "http://[::1]:8/k",
            "http://localhost/k",
        ] {
            assert_eq!(check_keys_url(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "keys.json",
            "/keys",
            "ftp://id.example/keys",
            "http://id.example/keys",
            "http://10.0.0.1/keys",
            "https://me:secret@id.example/keys",
            "http://127.0.0.1.example/keys",
        ] {
            assert!(check_keys_url(bad).is_err(), "{bad}");
        }
    }
}
