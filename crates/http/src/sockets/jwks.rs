//! Fetches the keys of another issuer of tokens: in the background, at the start, every now and
//! then, and when a token names a key that is not known: only the request with that token, and a reload, wait for it.

use std::time::Duration;

use bytes::Bytes;
use duet_model::{Code, Error, Result};
use duet_service::Issuer;
use duet_service::issuer::MAX_KEYS_BYTES;
use http_body_util::Full;
use hyper::header::ACCEPT;
use hyper::{Request, StatusCode, Uri};

use crate::sockets::outbound::{self, host};

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

fn is_here(host: &str) -> bool {
    let loopback = |address: std::net::IpAddr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(loopback)
}

/// Fetches the keys of an issuer, if they have an address. Says how many there are now, if they have changed.
///
/// # Errors
/// Why there are none; the keys before then stay in force.
pub(crate) async fn refresh(issuer: &Issuer) -> Result<Option<usize>> {
    let Some(url) = &issuer.places().url else { return Ok(None) };
    issuer.fetch_begins();
    let refreshed = fetch(url).await.and_then(|json| issuer.offer(&json));
    issuer.fetch_ended();
    refreshed
}

/// Keeps the keys of an issuer fresh, for ever. Where a fetch fails, the keys before stay.
pub(crate) async fn watch(issuer: &Issuer) {
    let places = issuer.places();
    if places.url.is_none() {
        return std::future::pending().await;
    }
    let mut failures = 0;
    loop {
        let fetched = refresh(issuer).await;
        failures = if fetched.is_ok() { 0 } else { failures + 1 };
        match fetched {
            Ok(Some(keys)) => tracing::info!(keys, "the keys of the token issuer are in force"),
            Ok(None) => {}
            Err(error) => log(&error),
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

/// Writes to the log why keys could not be read, with the cause.
pub(crate) fn log(error: &Error) {
    tracing::warn!(
        code = error.code.as_str(),
        message = %error,
        cause = error.cause,
        "the keys of the token issuer cannot be fetched; those before stay in force"
    );
}

/// Fetches a document.
async fn fetch(url: &str) -> Result<Bytes> {
    let request = Request::get(url).header(ACCEPT, "application/jwk-set+json, application/json");
    let request = request.body(Full::default()).map_err(|error| failed(url, error))?;
    let limit = usize::try_from(MAX_KEYS_BYTES).unwrap_or(usize::MAX);
    match outbound::send(request, limit).await {
        // A redirect could lead anywhere: the address that was given is the only one that counts.
        Ok((StatusCode::OK, body)) => Ok(body),
        Ok((status, _)) => Err(failed(url, format!("status {status}"))),
        Err(why) => Err(failed(url, why)),
    }
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
