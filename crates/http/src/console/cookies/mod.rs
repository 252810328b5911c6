//! Cookies of the console: their names, over TLS and on this machine.

pub(super) mod renewal;

use hyper::header::COOKIE;

use crate::request::arrived::ArrivedRequest;

/// Bytes of a token that a cookie has room for: browsers keep 4,096 with the cookie's name and attributes.
pub(super) const COOKIE_ROOM: usize = 3_900;

/// Bytes of the cookie of a session: of those 4,096, what its name and attributes leave.
pub(super) const SESSION_ROOM: usize = 4_020;

/// The cookie's name over TLS: browsers take it for the whole host alone, from the host itself, over TLS
/// (RFC 6265bis §4.1.3.2).
const OVER_TLS: &str = "__Host-duet";
/// Its name over plain HTTP, on this machine.
const PLAIN: &str = "duet-console";

/// The value of a request's cookie.
pub(super) fn cookie_of<'r>(arrived: &'r ArrivedRequest, name: &str) -> Option<&'r str> {
    let cookies = arrived.request.headers().get_all(COOKIE).iter();
    let mut pairs =
        cookies.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// The cookie that holds a sign-in at the issuer while it goes on. Browsers send it along from there, so it is `Lax`.
pub(super) fn login_cookie(arrived: &ArrivedRequest, value: &str, seconds: u32) -> String {
    let secure = if is_over_tls(arrived) { "; Secure" } else { "" };
    let name = login_cookie_name(arrived);
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

/// Its name, over TLS and on this machine.
pub(super) fn login_cookie_name(arrived: &ArrivedRequest) -> &'static str {
    if is_over_tls(arrived) { "__Host-duet-login" } else { "duet-console-login" }
}

/// The name of the cookie that renews a session, over TLS and on this machine.
pub(super) fn renewal_cookie_name(arrived: &ArrivedRequest) -> &'static str {
    if is_over_tls(arrived) { "__Host-duet-renewal" } else { "duet-console-renewal" }
}

/// A cookie of the console's own pages.
pub(super) fn set(arrived: &ArrivedRequest, name: &str, value: &str, seconds: u32) -> String {
    let secure = if is_over_tls(arrived) { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
}

/// The name of the cookie of a session.
pub(super) fn name(arrived: &ArrivedRequest) -> &'static str {
    if is_over_tls(arrived) { OVER_TLS } else { PLAIN }
}

/// Whether the browser is connected by TLS, here or at a trusted proxy.
fn is_over_tls(arrived: &ArrivedRequest) -> bool {
    arrived.origin().is_ok_and(|origin| origin.is_over_tls())
}
