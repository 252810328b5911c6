//! An issuer of OpenID Connect that a test serves: it lets everybody in, as whom the test says.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::jwt::Issuer;

/// The error of an issuer that cannot answer now; it takes no refresh token then.
pub const UNAVAILABLE: &str = "temporarily_unavailable";

/// What the issuer was asked, and what it does.
#[derive(Debug)]
pub struct IssuerState {
    /// The parameters of the last request at the authorization endpoint.
    pub asked: BTreeMap<String, String>,
    /// Those of the last at the token endpoint.
    pub form: BTreeMap<String, String>,
    /// Claims that differ in the next identity token.
    pub claims: Value,
    /// Members that differ in the next answer at the token endpoint.
    pub answer: Value,
    /// Seconds that the next access tokens are good; ten minutes where it is 0.
    pub good: u64,
    /// The refresh tokens that were given; only the last one is taken, and once.
    pub refresh: Vec<String>,
    /// Whether refresh tokens are given.
    pub rotates: bool,
    /// The claims of access tokens, besides issuer and end.
    pub access: Value,
    /// How often its keys were asked for.
    pub keys_asked: usize,
    /// What signs identity tokens, and is published.
    issuer: Arc<Issuer>,
    /// What signs access tokens, and is published too.
    access_issuer: Arc<Issuer>,
}

impl IssuerState {
    /// An access token, with something in it that makes it longer.
    pub fn access(&self, pad: &str, url: &str) -> String {
        let good = if self.good == 0 { 600 } else { self.good };
        let mut claims = json!({ "iss": url, "exp": now() + good, "pad": pad });
        merge(&mut claims, &self.access);
        self.access_issuer.token(&claims)
    }

    /// Signs identity tokens with new keys from now on.
    pub fn rotate(&mut self, name: &str) {
        self.issuer = Arc::new(Issuer::new(name));
    }

    /// Signs access tokens with new keys from now on.
    pub fn rotate_access(&mut self, name: &str) {
        self.access_issuer = Arc::new(Issuer::new(name));
    }

    /// The keys of both.
    fn keys(&self) -> Value {
        let mut all = self.issuer.jwks();
        let others = [self.access_issuer.edwards_key(), self.access_issuer.ecdsa_key()];
        all["keys"].as_array_mut().into_iter().for_each(|keys| keys.extend(others.clone()));
        all
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// An issuer that lets everybody in, at first as `ann`.
#[derive(Debug)]
pub struct ServedIssuer {
    /// Its address, which is its name too.
    pub url: String,
    state: Arc<Mutex<IssuerState>>,
}

impl ServedIssuer {
    /// Starts it on a free port. It ends with the test's process.
    ///
    /// # Panics
    /// If there is no port, or no random source.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
        let address = listener.local_addr().map(|it| it.to_string()).unwrap_or_default();
        let state = IssuerState {
            asked: BTreeMap::new(),
            form: BTreeMap::new(),
            claims: Value::Null,
            answer: Value::Null,
            good: 0,
            refresh: Vec::new(),
            rotates: false,
            access: json!({ "aud": "racing", "sub": "ann", "roles": ["duet.read", "duet.write"] }),
            keys_asked: 0,
            issuer: Arc::new(Issuer::new("console")),
            access_issuer: Arc::new(Issuer::new("access")),
        };
        let (url, state) = (format!("http://{address}"), Arc::new(Mutex::new(state)));
        let (own, shared) = (url.clone(), Arc::clone(&state));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Browsers open connections on which they ask nothing.
                let (own, shared) = (own.clone(), Arc::clone(&shared));
                std::thread::spawn(move || drop(answer(stream, &own, &shared)));
            }
        });
        Self { url, state }
    }

    /// Looks at its state, or changes it.
    pub fn state<T>(&self, with: impl FnOnce(&mut IssuerState) -> T) -> T {
        with(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The parameters of a query or a form.
pub fn pairs(text: &str) -> BTreeMap<String, String> {
    let pair = |(name, value): (&str, &str)| {
        let plain = value.replace('+', " ");
        let value = percent_encoding::percent_decode_str(&plain).decode_utf8_lossy().into_owned();
        (name.to_owned(), value)
    };
    text.split('&').filter_map(|it| it.split_once('=')).map(pair).collect()
}

/// Answers a request: the keys, a redirect back with a code, or tokens.
fn answer(mut stream: TcpStream, url: &str, shared: &Mutex<IssuerState>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let issuer = Arc::clone(&state.issuer);
    let (head, body) = match path {
        "/.well-known/openid-configuration" => {
            let known = json!({
                "issuer": url, "authorization_endpoint": format!("{url}/authorize"),
                "token_endpoint": format!("{url}/token"), "jwks_uri": format!("{url}/keys"),
            });
            ("200 OK\r\nContent-Type: application/json".to_owned(), known.to_string())
        }
        "/keys" => {
            state.keys_asked += 1;
            ("200 OK\r\nContent-Type: application/json".to_owned(), state.keys().to_string())
        }
        "/authorize" => {
            state.asked = pairs(query);
            let value = |name: &str| state.asked.get(name).cloned().unwrap_or_default();
            let back = format!("{}?code=the-code&state={}", value("redirect_uri"), value("state"));
            (format!("303 See Other\r\nLocation: {back}"), String::new())
        }
        "/token" => {
            state.form = pairs(&String::from_utf8_lossy(&body));
            let tokens = tokens(&issuer, url, &mut state);
            let status = match tokens["error"].as_str() {
                None => "200 OK",
                Some(UNAVAILABLE) => "503 Service Unavailable",
                Some(_) => "400 Bad Request",
            };
            (format!("{status}\r\nContent-Type: application/json"), tokens.to_string())
        }
        _ => ("404 Not Found".to_owned(), String::new()),
    };
    drop(state);
    write!(
        stream,
        "HTTP/1.1 {head}\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn tokens(issuer: &Issuer, url: &str, state: &mut IssuerState) -> Value {
    let now = now();
    let mut claims = json!({
        "iss": url, "aud": state.asked.get("client_id"), "sub": state.access["sub"], "exp": now + 600, "iat": now,
        "nonce": state.asked.get("nonce"),
    });
    if state.answer["error"] == UNAVAILABLE {
        return state.answer.clone();
    }
    if state.form.get("grant_type").map(String::as_str) == Some("refresh_token")
        && state.form.get("refresh_token") != state.refresh.last()
    {
        return json!({ "error": "invalid_grant" });
    }
    if state.rotates {
        state.refresh.push(format!("refresh-{}", state.refresh.len() + 1));
    }
    merge(&mut claims, &state.claims);
    let mut answer = json!({
        "access_token": state.access("", url), "id_token": issuer.token(&claims), "token_type": "Bearer",
    });
    if let Some(refresh) = state.refresh.last().filter(|_| state.rotates) {
        answer["refresh_token"] = json!(refresh);
    }
    merge(&mut answer, &state.answer);
    answer
}

fn merge(into: &mut Value, from: &Value) {
    let Some(into) = into.as_object_mut() else { return };
    for (name, value) in from.as_object().into_iter().flatten() {
        match value.is_null() {
            true => drop(into.remove(name)),
            false => drop(into.insert(name.clone(), value.clone())),
        }
    }
}
