//! The tenant of a request: its token's, or the one that its header names.
//!
//! Decided between authentication and routing, and pure. The request then takes one of the tenant's
//! places and the worker's hold on its service; everything behind it sees only that service.

use duet_auth::TokenTenant;
use duet_model::tenant::TenantName;
use duet_model::{Code, Error, Result};
use duet_service::definition::TenantChoice;
use hyper::HeaderMap;
use hyper::header::HeaderName;

/// The header that names a tenant, as FOLIO's gateway sends it.
pub(crate) const TENANT: HeaderName = HeaderName::from_static("x-okapi-tenant");

/// Where the tenant API is.
pub(crate) const PATH: &str = "/_/tenant";

/// How a token has a tenant.
const OF_TOKENS: &str = "An external token has its tenant in the claim of `--jwt-tenant`, a client of the server by \
     `duet client add --tenant`.";

/// The value of the header, where there is one.
///
/// # Errors
/// Where there are several: what reads one of them elsewhere may read another.
pub(crate) fn header(headers: &HeaderMap) -> Result<Option<&[u8]>> {
    let mut values = headers.get_all(TENANT).iter();
    let first = values.next().map(hyper::header::HeaderValue::as_bytes);
    match values.next() {
        None => Ok(first),
        Some(_) => Err(Error::new(Code::BadRequest, "X-Okapi-Tenant is there more than once.")
            .hint("Send it once.")),
    }
}

/// The tenant that a request is for.
///
/// # Errors
/// [`Code::BadRequest`] where nothing names it or the header holds no name, [`Code::TenantDenied`] where the header
/// names another tenant than the token, or the token may name none.
pub(crate) fn named(
    choice: TenantChoice,
    token: &TokenTenant,
    header: Option<&[u8]>,
) -> Result<TenantName> {
    let denied = |message: &str| Err(Error::new(Code::TenantDenied, message));
    match (token, header) {
        (TokenTenant::Invalid(why), _) => denied(why),
        (TokenTenant::Named(own), None) => Ok(own.clone()),
        (TokenTenant::Named(own), Some(header)) if own.as_str().as_bytes() == header => {
            Ok(own.clone())
        }
        (TokenTenant::Named(_), Some(_)) => {
            denied("The tenant in X-Okapi-Tenant is not that of the token.")
        }
        (TokenTenant::None, None) => Err(must_be_set()),
        (TokenTenant::None, Some(header)) if choice == TenantChoice::Header => {
            let text = std::str::from_utf8(header).unwrap_or_default();
            text.parse()
        }
        (TokenTenant::None, Some(_)) => denied(
            "The token belongs to no tenant, and here a header alone names none (`tenants` in app.toml).",
        )
        .map_err(|error| error.hint(OF_TOKENS)),
    }
}

/// The refusal of a request that no tenant is named for.
pub(crate) fn must_be_set() -> Error {
    Error::new(Code::BadRequest, "Tenant must be set")
        .hint("Send the tenant in the header X-Okapi-Tenant.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tenant, or the status.
    fn of(choice: TenantChoice, token: Option<&str>, header: Option<&str>) -> Result<String, u16> {
        let token = match token {
            None => TokenTenant::None,
            Some(text) => text
                .parse()
                .map_or_else(|_| TokenTenant::Invalid("Why.".into()), TokenTenant::Named),
        };
        let found = named(choice, &token, header.map(str::as_bytes));
        found.map(|name| name.to_string()).map_err(|error| error.code.status())
    }

    #[test]
    fn the_token_decides_and_the_header_may_repeat_it() {
        for choice in [TenantChoice::Token, TenantChoice::Header] {
            assert_eq!(of(choice, Some("a"), None), Ok("a".into()));
            assert_eq!(of(choice, Some("a"), Some("a")), Ok("a".into()));
            for other in ["b", "A", "a ", "", "a,b", "a\u{0}"] {
                assert_eq!(of(choice, Some("a"), Some(other)), Err(403), "{other:?}");
            }
            assert_eq!(of(choice, None, None), Err(400));
            // A claim that is not the name of a tenant is not the same as none.
            for header in [None, Some("a"), Some("../a")] {
                assert_eq!(of(choice, Some("../a"), header), Err(403));
            }
        }
    }

    #[test]
    fn a_header_alone_counts_only_where_that_is_declared() {
        assert_eq!(of(TenantChoice::Token, None, Some("a")), Err(403));
        assert_eq!(of(TenantChoice::Header, None, Some("a")), Ok("a".into()));
        for wrong in ["", "A", "../a", "a.db", "a\"", "é"] {
            assert_eq!(of(TenantChoice::Header, None, Some(wrong)), Err(400), "{wrong:?}");
        }
    }

    #[test]
    fn a_second_header_is_refused() {
        let mut headers = HeaderMap::new();
        assert_eq!(header(&headers).unwrap(), None);
        headers.append(TENANT, "a".parse().unwrap());
        assert_eq!(header(&headers).unwrap(), Some(&b"a"[..]));
        headers.append(TENANT, "a".parse().unwrap());
        assert_eq!(header(&headers).unwrap_err().code, Code::BadRequest);
    }
}
