//! Requests by a link: `/_/link/TOKEN` stands in front of the path that they ask for. It is taken out before anything else
//! sees the path, so that no log, message or rule has the token.

use std::fmt;

use duet_auth::LINK_ADDRESS;
use duet_model::{Code, Error, Result};
use hyper::header::{CACHE_CONTROL, HeaderMap, HeaderValue, REFERRER_POLICY};
use hyper::http::uri::PathAndQuery;
use hyper::{Request, Uri};

use super::credential::Credential;

/// The token in the path of a request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LinkToken(Box<str>);

impl fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkToken(…)")
    }
}

impl LinkToken {
    /// Takes the token out of the path, of whatever form it is: one with a typing error is still almost one.
    pub(crate) fn take<B>(request: &mut Request<B>) {
        let Some(rest) = request.uri().path().strip_prefix(LINK_ADDRESS) else { return };
        let token = Self(rest.split('/').next().unwrap_or_default().into());
        let path = &rest[token.0.len()..];
        let path = if path.is_empty() { "/" } else { path };
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        let mut parts = request.uri().clone().into_parts();
        // What was a path is one still, so neither fails.
        parts.path_and_query = PathAndQuery::try_from(format!("{path}{query}")).ok();
        *request.uri_mut() = Uri::from_parts(parts).unwrap_or_default();
        request.extensions_mut().insert(token);
    }

    /// The token of a request, if it came by a link.
    pub(crate) fn of<B>(request: &Request<B>) -> Option<&Self> {
        request.extensions().get()
    }

    /// The token itself.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// The credential of a request by a link.
    ///
    /// # Errors
    /// Where it has another one: which of them counts would be a guess.
    pub(crate) fn credential(&self, has_another: bool) -> Result<Credential<'_>> {
        if has_another {
            let message = "A request by a link has no other credential.";
            return Err(Error::new(Code::BadRequest, message).hint(
                "Leave out the headers with tokens and API keys, or the link's part of the path.",
            ));
        }
        Ok(Credential::Link(&self.0))
    }

    /// What stands in front of the paths of links in its answers.
    pub(crate) fn prefix(&self) -> String {
        format!("{LINK_ADDRESS}{}", self.0)
    }

    /// Keeps an answer to a link out of caches, which would go on giving it, and its address from other sites.
    pub(crate) fn guard(headers: &mut HeaderMap) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_leaves_the_path() {
        let taken = |uri: &str| {
            let mut request = Request::get(uri).body(()).unwrap();
            LinkToken::take(&mut request);
            let token = LinkToken::of(&request).map(|token| token.0.to_string());
            (request.uri().to_string(), token)
        };
        let some = |path: &str, token: &str| (path.to_owned(), Some(token.to_owned()));
        assert_eq!(taken("/_/link/dul_a/api/t/1?q=%7B%7D"), some("/api/t/1?q=%7B%7D", "dul_a"));
        assert_eq!(taken("http://h:1/_/link/x)/api/"), some("http://h:1/api/", "x)"));
        assert_eq!(taken("/_/link/x?limit=1"), some("/?limit=1", "x"));
        assert_eq!(taken("/_/link/"), some("/", ""));
        assert_eq!(taken("/api/_/link/x").1, None);
        assert_eq!(format!("{:?}", LinkToken("dul_a".into())), "LinkToken(…)");
    }
}
