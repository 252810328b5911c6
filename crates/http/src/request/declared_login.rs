//! The login that an application declares: its path, and the header with its tokens.

use duet_service::Snapshot;
use duet_service::definition::Login;
use hyper::HeaderMap;
use hyper::header::HeaderValue;

/// The login of the application, if the path of a request is its.
pub(crate) fn at<'s>(snapshot: &'s Snapshot, path: &str) -> Option<&'s Login> {
    snapshot.application.mounts.login().filter(|login| login.path == path)
}

/// The token in the header of the application's login, if it has one there.
pub(crate) fn token_of<'r>(snapshot: &Snapshot, headers: &'r HeaderMap) -> Option<&'r [u8]> {
    let login = snapshot.application.mounts.login()?;
    headers.get(login.header.as_str()).map(HeaderValue::as_bytes)
}
