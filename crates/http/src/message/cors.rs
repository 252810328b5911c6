//! Cross-origin requests (the Fetch standard, §3.2): which pages of other sites may read answers in
//! a browser. Off unless origins are named.
//!
//! A preflight is answered before authentication, for a browser sends it without a token. Whether a
//! request is allowed is still decided by tokens and privileges: this only tells a browser
//! whom it may show the answer to.

use std::time::Duration;

use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::{HeaderMap, Method, Request, Uri};

use super::header::is_token;

/// Methods of Duet's endpoints: browsers compare them with their case.
const METHODS: [&str; 8] = ["GET", "HEAD", "QUERY", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// The header of tokens, which `*` never means.
const TOKEN: &str = "Authorization";

/// Which origins may read responses, and which requests they may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorsOptions {
    /// Origins such as `https://shop.example`, or `*` alone. None: no origin.
    pub origins: Vec<String>,
    /// Methods that may be used.
    pub methods: Vec<String>,
    /// Headers that a request may have.
    pub headers: Vec<String>,
    /// Headers of an answer that a page may read.
    pub exposed: Vec<String>,
    /// How long a browser may remember the answer to a preflight.
    pub max_age: Duration,
    /// Whether a browser may send cookies and client certificates along.
    pub credentials: bool,
}

impl Default for CorsOptions {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            origins: Vec::new(),
            methods: words(&["GET", "HEAD", "QUERY", "POST", "PUT", "PATCH", "DELETE"]),
            headers: words(&[
                "Accept",
                "Accept-Profile",
                "apikey",
                "Authorization",
                "Content-Profile",
                "Content-Type",
                "Duet-Position",
                "Idempotency-Key",
                "If-Match",
                "If-None-Match",
                "Last-Event-ID",
                "Prefer",
                "Priority",
                "Range",
                "Range-Unit",
                "Request-Timeout",
                "X-API-Key",
                "X-Client-Info",
                "X-Okapi-Tenant",
                "X-Okapi-Token",
            ]),
            exposed: words(&[
                "ETag",
                "Location",
                "Age",
                "Content-Location",
                "Content-Range",
                "Retry-After",
                "Idempotent-Replayed",
                "Link",
                "Preference-Applied",
                "Warning",
                "X-Cache",
                "X-Total-Count",
                "Duet-Position",
            ]),
            max_age: Duration::from_secs(600),
            credentials: false,
        }
    }
}

impl CorsOptions {
    /// What cannot work, all of it: the name of the option, its value, and why.
    pub fn mistakes(&self) -> Vec<(&'static str, String, String)> {
        let mut found = Vec::new();
        let mut wrong = |name, value: &str, why: &str| {
            found.push((name, value.to_owned(), why.to_owned()));
        };
        for origin in &self.origins {
            if let Err(why) = check_origin(origin) {
                wrong("cors_origins", origin, &why);
            }
        }
        if self.is_for_all() && self.origins.len() > 1 {
            wrong("cors_origins", "*", "no other origin may be listed beside it");
        }
        if self.is_for_all() && self.credentials {
            let why = "name the origins in `cors_origins`: a browser sends no cookies to `*`";
            wrong("cors_credentials", "true", why);
        }
        for method in self.methods.iter().filter(|method| *method != "*") {
            if !METHODS.contains(&&**method) {
                let why = format!("use {}, in capitals", METHODS.join(", "));
                wrong("cors_methods", method, &why);
            }
        }
        let headers = [("cors_headers", &self.headers), ("cors_exposed", &self.exposed)];
        for (name, list) in headers {
            for word in list.iter().filter(|word| !is_token(word)) {
                wrong(name, word, "use names of headers");
            }
        }
        let lists = [("cors_methods", &self.methods), headers[0], headers[1]];
        for (name, list) in lists {
            if self.credentials && list.iter().any(|word| word == "*") {
                let why = "name them: with `cors_credentials` a browser takes `*` for a name";
                wrong(name, "*", why);
            }
        }
        let names_the_token = || self.headers.iter().any(|it| it.eq_ignore_ascii_case(TOKEN));
        if !self.credentials && self.headers.iter().any(|it| it == "*") && !names_the_token() {
            let why = "name `Authorization` beside it, which `*` does not cover";
            wrong("cors_headers", "*", why);
        }
        found
    }

    fn is_for_all(&self) -> bool {
        self.origins.iter().any(|origin| origin == "*")
    }
}

/// An origin as a browser writes it (RFC 6454 §6.2), or it would never match. `null`, which many
/// pages without an origin share, is none.
fn check_origin(text: &str) -> Result<(), String> {
    if text == "*" {
        return Ok(());
    }
    let wrong = || "use an origin such as `https://shop.example`, or `*`".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let (scheme, authority) = (uri.scheme_str().ok_or_else(wrong)?, uri.authority());
    let authority = authority.ok_or_else(wrong)?.as_str();
    if text != format!("{scheme}://{authority}") || authority.contains('@') {
        return Err("leave out whatever is not scheme, host and port".into());
    }
    if authority.contains('*') {
        return Err("there are no patterns: name every origin, or use `*` alone".into());
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err("use small letters, as browsers do".into());
    }
    let usual = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return Err(wrong()),
    };
    if authority.ends_with(usual) {
        return Err(format!("leave out `{usual}`, as browsers do"));
    }
    Ok(())
}

/// The options as headers.
#[derive(Debug)]
pub(crate) struct Cors {
    /// `None` for all.
    origins: Option<Vec<String>>,
    methods: HeaderValue,
    headers: HeaderValue,
    exposed: HeaderValue,
    max_age: HeaderValue,
    credentials: bool,
}

/// The CORS headers of a request.
#[derive(Debug)]
pub(crate) struct CorsRequest {
    /// The value of `Access-Control-Allow-Origin`, where the origin is one of those allowed.
    allowed: Option<HeaderValue>,
    /// Whether it is a preflight request.
    pub(crate) is_preflight: bool,
}

impl CorsRequest {
    /// Whether its origin is one of those allowed.
    pub(crate) fn is_allowed(&self) -> bool {
        self.allowed.is_some()
    }
}

impl Cors {
    /// What the options say, if they name any origin.
    ///
    /// # Errors
    /// The words of [`CorsOptions::mistakes`].
    pub(crate) fn new(options: &CorsOptions) -> Result<Option<Self>, String> {
        if options.origins.is_empty() {
            return Ok(None);
        }
        if let Some((name, value, why)) = options.mistakes().first() {
            return Err(format!("`{name}` cannot be {value:?}: {why}"));
        }
        let joined = |words: &[String]| {
            HeaderValue::try_from(words.join(", ")).map_err(|error| error.to_string())
        };
        Ok(Some(Self {
            origins: (!options.is_for_all()).then(|| options.origins.clone()),
            methods: joined(&options.methods)?,
            headers: joined(&options.headers)?,
            exposed: joined(&options.exposed)?,
            max_age: HeaderValue::from(options.max_age.as_secs()),
            credentials: options.credentials,
        }))
    }

    /// What a request says of where it comes from.
    pub(crate) fn cors_request<B>(&self, request: &Request<B>) -> CorsRequest {
        let headers = request.headers();
        let is_preflight = request.method() == Method::OPTIONS
            && headers.contains_key(ORIGIN)
            && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        CorsRequest { allowed: self.allowed(headers.get(ORIGIN)), is_preflight }
    }

    /// The same of a request that could not be read.
    pub(crate) fn of_refused(&self, origin: Option<&HeaderValue>) -> CorsRequest {
        CorsRequest { allowed: self.allowed(origin), is_preflight: false }
    }

    /// What an answer says to the origin of a request, where it is allowed.
    fn allowed(&self, origin: Option<&HeaderValue>) -> Option<HeaderValue> {
        let origin = origin?;
        match &self.origins {
            None => Some(HeaderValue::from_static("*")),
            Some(known) => {
                let found = known.iter().any(|known| known.as_bytes() == origin.as_bytes());
                found.then(|| origin.clone())
            }
        }
    }

    /// Tells the browser. `Vary` goes with every answer, or a cache would hand the answer to one
    /// origin to another.
    pub(crate) fn add_headers(&self, cors_request: &CorsRequest, headers: &mut HeaderMap) {
        headers.append(VARY, HeaderValue::from_static("Origin"));
        if cors_request.is_preflight {
            headers.append(VARY, HeaderValue::from_static(PREFLIGHT_VARIES));
        }
        let Some(origin) = cors_request.allowed.clone() else { return };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if self.credentials {
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        let mut put = |name: HeaderName, value: &HeaderValue| {
            if !value.is_empty() {
                headers.insert(name, value.clone());
            }
        };
        if cors_request.is_preflight {
            put(ACCESS_CONTROL_ALLOW_METHODS, &self.methods);
            put(ACCESS_CONTROL_ALLOW_HEADERS, &self.headers);
            put(ACCESS_CONTROL_MAX_AGE, &self.max_age);
        } else {
            put(ACCESS_CONTROL_EXPOSE_HEADERS, &self.exposed);
        }
    }
}

const PREFLIGHT_VARIES: &str = "Access-Control-Request-Method, Access-Control-Request-Headers";

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(options: &CorsOptions) -> String {
        let wrong = options.mistakes().into_iter();
        wrong
            .map(|(name, value, why)| format!("{name} {value}: {why}"))
            .collect::<Vec<_>>()
            .join("; ")
    }

    fn origins(list: &[&str]) -> CorsOptions {
        let origins = list.iter().map(|text| (*text).to_owned()).collect();
        CorsOptions { origins, ..CorsOptions::default() }
    }

    #[test]
    fn origins_are_written_as_browsers_do() {
        for good in ["*", "https://shop.example", "http://localhost:5173", "http://[::1]:8080"] {
            assert_eq!(wrong(&origins(&[good])), "", "{good}");
        }
        for bad in [
            "null",
            "",
            "shop.example",
            "https://shop.example/",
            "https://shop.example/x",
            "https://Shop.example",
            "https://shop.example:443",
            "http://shop.example:80",
            "https://me@shop.example",
            "https://*.example",
            "ftp://shop.example",
            "file:///x",
            "https://a b",
        ] {
            assert_ne!(wrong(&origins(&[bad])), "", "{bad}");
        }
    }

    #[test]
    fn contradictions() {
        assert_eq!(
            wrong(&origins(&["*", "https://a.example"])),
            "cors_origins *: no other origin may be listed beside it"
        );
        let all = CorsOptions { credentials: true, ..origins(&["*"]) };
        assert!(wrong(&all).starts_with("cors_credentials true: name the origins"));
        let odd = CorsOptions { headers: vec!["X Y".into()], ..origins(&["https://a.example"]) };
        assert!(wrong(&odd).starts_with("cors_headers X Y: "));
        assert!(Cors::new(&CorsOptions::default()).unwrap().is_none());
    }

    /// What browsers read otherwise than it is meant (Fetch, §4.9, CORS-unsafe names and wildcards).
    #[test]
    fn names_that_no_browser_matches() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let known = || origins(&["https://a.example"]);
        let lower = CorsOptions { methods: words(&["GET", "patch", "TRACE"]), ..known() };
        let said = wrong(&lower);
        assert!(said.starts_with("cors_methods patch: use GET, HEAD, "), "{said}");
        assert!(said.contains("; cors_methods TRACE: "), "{said}");
        let star = || words(&["*"]);
        let named = CorsOptions { headers: words(&["*", "authorization"]), ..known() };
        let all = CorsOptions { methods: star(), exposed: star(), ..named.clone() };
        assert_eq!(wrong(&all), "");
        let said = wrong(&CorsOptions { headers: star(), ..known() });
        assert_eq!(
            said,
            "cors_headers *: name `Authorization` beside it, which `*` does not cover"
        );
        let said = wrong(&CorsOptions { credentials: true, ..all });
        for name in ["cors_methods", "cors_headers", "cors_exposed"] {
            assert!(said.contains(&format!("{name} *: name them: with ")), "{said}");
        }
        let odd = CorsOptions { exposed: words(&["X Y", "ETag:"]), ..known() };
        assert_eq!(wrong(&odd).matches("use names of headers").count(), 2);
    }
}
