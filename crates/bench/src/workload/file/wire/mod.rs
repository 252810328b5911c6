//! A step that sends a request put together from its parts, to any address, and follows redirects.

mod cache;
mod cookies;
mod multipart;
mod redirect;
mod uri;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use duet_model::Value;

use super::answered::Answer;
use super::check_counter::CheckCounter;
use super::definition::{Cache, Follow, Http, Parameter, ResponseCheck, Step};
use super::functions::number::NumberKind;
use super::names::Names;
use super::problem::Problem;
use super::scope::encoded;
use super::template::{Template, TextPosition};
use crate::record::CheckCount;
use crate::targets::http::{Address, HttpConnection, Url};
use crate::workload::{Failed, TransactionContext};
use crate::workload::{PartSample, Trace};
use cache::Kept;
pub(super) use cookies::Cookies;
use duet_verdict::outcome::Outcome;
use duet_verdict::result::CheckRow;
use multipart::Multipart;
use redirect::{MOST_REDIRECTS, Request, UNIX};

/// The most placeholders without a value that a step names.
const MOST_UNSET: usize = 100;

/// The methods that JMeter sends, in these letters.
pub(crate) const JMETER_METHODS: [&str; 18] = [
    "GET",
    "POST",
    "HEAD",
    "PUT",
    "OPTIONS",
    "TRACE",
    "DELETE",
    "PATCH",
    "PROPFIND",
    "PROPPATCH",
    "MKCOL",
    "COPY",
    "MOVE",
    "LOCK",
    "UNLOCK",
    "REPORT",
    "MKCALENDAR",
    "SEARCH",
];

/// A compiled request of parts.
#[derive(Debug)]
pub(super) struct HttpStep {
    method: Template,
    protocol: Template,
    host: Template,
    port: Template,
    path: Template,
    /// The fields of every request that it does not have itself.
    shared: Vec<(String, Template)>,
    fields: Vec<(Template, Template)>,
    content: Content,
    follow: Follow,
    closes: bool,
    /// How long connecting and the response may take, in milliseconds.
    limits: [Template; 2],
    /// `None`: every status is right.
    status: Option<CheckCounter>,
    statuses: Vec<u16>,
    /// Addresses with the names and passwords for them.
    logins: Vec<[Template; 3]>,
    cache: Option<Cache>,
    jmeter: bool,
    /// The name of each request, where it has placeholders.
    label: Option<Template>,
    /// The placeholders that had no value, and how often.
    unset: Mutex<BTreeMap<String, CheckCount>>,
}

/// How a request ended: the response, and why there is none.
pub(super) type Ended = (Answer, Option<Failed>);

#[derive(Debug)]
enum Content {
    Raw(Template),
    Parameters(Vec<ParameterTemplate>),
    Parts(Multipart),
}

#[derive(Debug)]
struct ParameterTemplate {
    name: Template,
    value: Template,
    encode: bool,
    bare: bool,
}

/// What a step is compiled with besides itself.
pub(super) struct HttpContext<'a> {
    /// Header fields of every request.
    pub(super) common: &'a BTreeMap<String, String>,
    pub(super) names: &'a mut Names,
    pub(super) folder: &'a Path,
}

impl HttpStep {
    pub(super) fn compile(
        step: &Step,
        http: &Http,
        context: HttpContext<'_>,
        key: &str,
    ) -> Result<Self, Problem> {
        let HttpContext { common, names, folder } = context;
        let key = &format!("{key}.http");
        let plain = |text: &str| Template::compile(text, TextPosition::Plain, names, key);
        let contents = [http.body.is_some(), !http.parameters.is_empty(), !http.parts.is_empty()];
        if contents.into_iter().filter(|is_given| *is_given).count() > 1 {
            let message = "A request has one of `body`, `parameters` and `parts`.";
            return Err(Problem::new(key, message));
        }
        let mut fields = Vec::new();
        for [name, value] in &http.fields {
            fields.push((plain(name)?, plain(value)?));
        }
        for (name, value) in &step.headers {
            fields.push((plain(name)?, plain(value)?));
        }
        check(http, &fields, key)?;
        let shared = shared_fields(common, &fields, names, key)?;
        let content = match &http.body {
            Some(body) => Content::Raw(plain(body)?),
            None if !http.parts.is_empty() => {
                Content::Parts(Multipart::compile(&http.parts, &*names, folder, key)?)
            }
            None => {
                let template = |one: &Parameter| {
                    let (name, value) = (plain(&one.name)?, plain(&one.value)?);
                    Ok(ParameterTemplate { name, value, encode: one.encode, bare: one.bare })
                };
                let all = http.parameters.iter().map(template);
                Content::Parameters(all.collect::<Result<_, Problem>>()?)
            }
        };
        let mut logins = Vec::new();
        for one in &http.logins {
            logins.push([plain(&one.url)?, plain(&one.user)?, plain(&one.password)?]);
        }
        let method = if http.method.is_empty() { "GET" } else { &http.method };
        let statuses = statuses(&step.check, key)?;
        let words = match &statuses[..] {
            [] => "status is below 400".to_owned(),
            some => {
                let some: Vec<String> = some.iter().map(u16::to_string).collect();
                format!("status is {}", some.join(" or "))
            }
        };
        Ok(Self {
            method: plain(method)?,
            protocol: plain(&http.protocol)?,
            host: plain(&http.host)?,
            port: plain(&http.port)?,
            path: plain(&http.path)?,
            shared,
            fields,
            content,
            follow: http.follow,
            closes: http.close,
            limits: [plain(&http.connect_ms)?, plain(&http.timeout_ms)?],
            status: (!step.check.any_status).then(|| CheckCounter::new(words)),
            statuses,
            logins,
            cache: http.cache,
            jmeter: http.jmeter,
            unset: Mutex::default(),
            label: (!http.label.is_empty()).then(|| plain(&http.label)).transpose()?,
        })
    }

    /// The count of the check of its status.
    pub(super) fn held(&self) -> impl Iterator<Item = &CheckCounter> {
        self.status.iter()
    }

    /// The placeholders that had no value, as checks that failed.
    pub(super) fn unset(&self, place: &str) -> Vec<CheckRow> {
        let unset = self.unset.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |(name, count): (&String, &CheckCount)| {
            count.row(format!("{place}: {name} has a value"), "")
        };
        unset.iter().map(row).collect()
    }

    /// Notes the placeholders that a text still has.
    fn note_unset(&self, text: &str) {
        for rest in text.split("${").skip(1) {
            let Some((name, _)) = rest.split_once('}') else { continue };
            let mut unset = self.unset.lock().unwrap_or_else(PoisonError::into_inner);
            if unset.len() < MOST_UNSET || unset.contains_key(name) {
                unset.entry(format!("${{{name}}}")).or_default().note(false);
            }
        }
    }

    /// Sends the request, and those that redirects lead to, as far as it follows them. Without a response there is an
    /// answer all the same, with the failure beside it.
    pub(super) async fn send(
        &self,
        values: &[Value],
        wires: &mut Wires,
        context: &mut TransactionContext,
    ) -> Ended {
        if let Some(label) = &self.label {
            context.trace.label = label.text(values).unwrap_or_default();
        }
        let request = match self.request(values, &wires.target) {
            Ok(request) => request,
            Err(failed) => return self.unanswered(failed, Phase::Address, &mut context.trace),
        };
        let limits = match self.limits(values, wires.timeout) {
            Ok(limits) => limits,
            Err(failed) => return self.unanswered(failed, Phase::Address, &mut context.trace),
        };
        self.followed(request, limits, wires, context).await
    }

    /// How long connecting and the response may take; 0 and an empty text are no limit of their own.
    fn limits(&self, values: &[Value], longest: Duration) -> Result<[Duration; 2], Failed> {
        let mut limits = [longest; 2];
        for (limit, (template, word)) in
            limits.iter_mut().zip(self.limits.iter().zip(["connect_ms", "timeout_ms"]))
        {
            let text = template.text(values)?;
            if text.trim().is_empty() {
                continue;
            }
            let kind = NumberKind::Count;
            let ms = kind.read(&text).or_else(|| self.jmeter.then(|| kind.in_jmeter(&text)));
            let ms = ms.ok_or_else(|| Failed::check(format!("{word}: {}", kind.refusal(&text))))?;
            if ms > 0.0 {
                *limit = Duration::from_millis(ms as u64).min(longest);
            }
        }
        Ok(limits)
    }

    /// The request as its bytes, without cookies that a server has set.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn written(&self, values: &[Value], wires: &Wires) -> Result<Vec<u8>, Failed> {
        let request = self.request(values, &wires.target)?;
        let cookies = wires.cookies.as_ref();
        let is_secure = request.place.starts_with("https:");
        let cookie =
            cookies.and_then(|cookies| cookies.of(request.host(), &request.path, is_secure));
        Ok(request.bytes(cookie.as_deref()))
    }

    async fn followed(
        &self,
        request: Request,
        limits: [Duration; 2],
        wires: &mut Wires,
        context: &mut TransactionContext,
    ) -> Ended {
        let began = Instant::now();
        let how =
            FollowedWith { follow: self.follow, limits, cache: self.cache, jmeter: self.jmeter };
        let mut chain = Chain { request, links: Vec::new() };
        let ended = wires.follow(&mut chain, how, context).await;
        let is_sent = !matches!(ended, Err((_, Phase::Redirects)));
        let Chain { request, links } = &chain;
        context.trace.address = request.url();
        let (mut answer, failed) = match ended {
            Ok(answer) => (answer, None),
            Err((failed, phase)) => self.unanswered(failed, phase, &mut context.trace),
        };
        if is_sent {
            answer.elapsed = began.elapsed();
            answer.asked = request.content_text();
            answer.asked_head = request.fields_text();
        }
        // JMeter reports the requests of a chain that it follows itself, behind the whole.
        if self.jmeter && links.len() > 1 && self.follow == Follow::All {
            context.trace.parts = parts(links, &context.trace);
        }
        (answer, failed)
    }

    /// The text in place of the response where there is none, as JMeter has it.
    fn unanswered(&self, failed: Failed, phase: Phase, trace: &mut Trace) -> Ended {
        let mut answer = Answer { body: failed.message.clone(), ..Answer::default() };
        if self.jmeter {
            let name = phase.exception(&failed);
            answer.code = format!("Non HTTP response code: {name}");
            trace.code.clone_from(&answer.code);
        }
        (answer, Some(failed))
    }

    /// Whether its response is kept and fresh.
    pub(super) fn is_fresh(&self, values: &[Value], wires: &Wires) -> bool {
        let request = match self.cache {
            Some(Cache { fresh: true, .. }) => self.request(values, &wires.target).ok(),
            _ => None,
        };
        request.is_some_and(|request| wires.kept.is_fresh(&request))
    }

    /// Whether it does as JMeter does, which reads failures as responses.
    pub(super) fn jmeter(&self) -> bool {
        self.jmeter
    }

    /// Whether every response is right, even none.
    pub(super) fn takes_any(&self) -> bool {
        self.jmeter && self.status.is_none()
    }

    /// Checks the status.
    ///
    /// # Errors
    /// If it is not right.
    pub(super) fn hold(&self, answer: &Answer) -> Result<(), Failed> {
        let Some(held) = &self.status else { return Ok(()) };
        let is_right = match &self.statuses[..] {
            [] => answer.status < 400,
            right => right.contains(&answer.status),
        };
        match held.note(is_right) {
            true => Ok(()),
            false => Err(Failed::check(format!("check.status: it is {}", answer.status))),
        }
    }

    /// The request with the user's values.
    fn request(&self, values: &[Value], target: &str) -> Result<Request, Failed> {
        let text = |template: &Template| template.text(values).map(|text| text.trim().to_owned());
        let method = text(&self.method)?;
        let mut path = text(&self.path)?;
        // JMeter takes a whole address as it is.
        let takes_query = !(self.jmeter && is_whole(&path));
        let place = self.place(&mut path, values, target)?;
        let mut headers = Vec::new();
        for (name, value) in &self.shared {
            // What names the caller to the target is not sent to other places.
            if place == target || !redirect::is_of_origin(name) {
                headers.push((name.clone(), text(value)?));
            }
        }
        for (name, value) in &self.fields {
            headers.push((text(name)?, text(value)?));
        }
        if self.jmeter {
            path = path.replace(' ', "%20");
        }
        let query = takes_query.then_some(&mut path);
        let (content, media) = self.content(&method, query, values)?;
        if self.jmeter {
            let headers = headers.iter().map(|(_, value)| value.as_str());
            let content = String::from_utf8_lossy(&content);
            headers.chain([&*place, &*path, &*content]).for_each(|text| self.note_unset(text));
        }
        let path = match self.jmeter {
            true => uri::strict(&path)
                .map_err(|why| Failed::new(Outcome::Other, format!("{why}: {place}{path}")))?,
            false => sanitized(&path),
        };
        self.log_in(&format!("{place}{path}"), values, &mut headers)?;
        let is_one_line = |text: &String| !text.chars().any(char::is_control);
        if !headers.iter().all(|(name, value)| is_one_line(name) && is_one_line(value)) {
            return Err(Failed::check("a header field has a line break"));
        }
        if let Some((name, _)) = headers.iter().find(|(name, _)| !is_field_name(name)) {
            return Err(Failed::check(format!("{name:?} is not the name of a header field")));
        }
        if self.jmeter && !JMETER_METHODS.contains(&method.as_str()) {
            return Err(Failed::check(format!("{method:?} is not a method that JMeter sends")));
        }
        let (closes, jmeter) = (self.closes, self.jmeter);
        Ok(Request { method, place, path, headers, content, media, closes, jmeter })
    }

    /// Scheme, host and port. They leave the path, where it has them.
    fn place(&self, path: &mut String, values: &[Value], target: &str) -> Result<String, Failed> {
        let text = |template: &Template| template.text(values).map(|text| text.trim().to_owned());
        let (host, port) = (text(&self.host)?, text(&self.port)?);
        let protocol = text(&self.protocol)?.to_ascii_lowercase();
        let place = if is_whole(path) {
            let from = path.find("://").unwrap_or_default() + 3;
            let end = path[from..].find(['/', '?']).map_or(path.len(), |at| from + at);
            let place = path[..end].to_owned();
            path.drain(..end);
            if place.contains('@') {
                let message = "an address with a user is not sent: results would have the password";
                return Err(Failed::check(message));
            }
            place
        } else if host.is_empty() {
            if target.is_empty() {
                return Err(Failed::new(Outcome::Other, "the step has no host"));
            }
            target.to_owned()
        } else {
            let protocol = if protocol.is_empty() { "http" } else { &protocol };
            if !port.is_empty() && NumberKind::Port.read(&port).is_none() {
                return Err(Failed::check(format!("port: {}", NumberKind::Port.refusal(&port))));
            }
            match port.as_str() {
                "" => format!("{protocol}://{host}"),
                port => format!("{protocol}://{host}:{port}"),
            }
        };
        if !path.starts_with('/') {
            path.insert(0, '/');
        }
        Ok(place)
    }

    /// Adds the parameters to the path, if they may be there, or makes them the content, which is given with its type.
    fn content(
        &self,
        method: &str,
        path: Option<&mut String>,
        values: &[Value],
    ) -> Result<(Vec<u8>, Cow<'static, str>), Failed> {
        const NONE: Cow<'_, str> = Cow::Borrowed("");
        let (form, text) = match self.jmeter {
            true => (JMETER_FORM, JMETER_TEXT),
            false => (FORM, "text/plain"),
        };
        let parameters = match &self.content {
            Content::Raw(_) if self.jmeter && ["HEAD", "OPTIONS", "TRACE"].contains(&method) => {
                return Ok((Vec::new(), NONE));
            }
            Content::Raw(body) => {
                return Ok((body.text(values)?.into_bytes(), text.into()));
            }
            Content::Parts(parts) => return parts.written(values),
            Content::Parameters(none) if none.is_empty() && !self.jmeter => {
                return Ok((Vec::new(), NONE));
            }
            Content::Parameters(parameters) => parameters,
        };
        let mut pairs = Vec::new();
        let mut has_names = false;
        for one in parameters {
            let (name, value) = (one.name.text(values)?, one.value.text(values)?);
            let (name, value) = match one.encode {
                true => (encoded(&name), encoded(&value)),
                false => (name, value),
            };
            has_names |= !name.is_empty();
            pairs.push(QueryPair { name, value, bare: one.bare });
        }
        let is_form = ["POST", "PUT", "PATCH"].contains(&method);
        if self.jmeter && !has_names && (is_form || ["GET", "DELETE"].contains(&method)) {
            let content: String = pairs.into_iter().map(|pair| pair.value).collect();
            return Ok((content.into_bytes(), text.into()));
        }
        if self.jmeter {
            pairs.retain(|pair| !pair.name.is_empty());
        }
        let in_query =
            if self.jmeter { ["GET", "DELETE", "OPTIONS"].contains(&method) } else { !is_form };
        if let Some(path) = path.filter(|_| in_query && !pairs.is_empty()) {
            path.push(if path.contains('?') { '&' } else { '?' });
            path.push_str(&joined(&pairs, true));
        }
        match is_form || self.jmeter && method == "DELETE" {
            true => Ok((joined(&pairs, false).into_bytes(), form.into())),
            false => Ok((Vec::new(), NONE)),
        }
    }

    /// Adds the name and the password for an address, those of the first that it begins with.
    fn log_in(
        &self,
        address: &str,
        values: &[Value],
        headers: &mut Vec<(String, String)>,
    ) -> Result<(), Failed> {
        use base64::Engine as _;
        for [url, user, password] in &self.logins {
            if !uri::with_port(address).starts_with(&uri::with_port(url.text(values)?.trim())) {
                continue;
            }
            let pair = format!("{}:{}", user.text(values)?, password.text(values)?);
            let value = base64::engine::general_purpose::STANDARD.encode(pair);
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
            headers.push(("Authorization".into(), format!("Basic {value}")));
            return Ok(());
        }
        Ok(())
    }
}

/// The type of a form, and what JMeter says of forms and of texts.
const FORM: &str = "application/x-www-form-urlencoded";
const JMETER_FORM: &str = "application/x-www-form-urlencoded; charset=UTF-8";
const JMETER_TEXT: &str = "text/plain; charset=UTF-8";

/// A parameter with its values.
struct QueryPair {
    name: String,
    value: String,
    bare: bool,
}

/// Parameters of a query, or of a form, in which each has a `=`.
fn joined(pairs: &[QueryPair], is_query: bool) -> String {
    let pair =
        |QueryPair { name, value, bare }: &QueryPair| match name.is_empty() || *bare && is_query {
            true => format!("{name}{value}"),
            false => format!("{name}={value}"),
        };
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// Whether a path is a whole address.
fn is_whole(path: &str) -> bool {
    ["http://", "https://", UNIX].iter().any(|start| path.starts_with(start))
}

/// Whether a text is the name of a header field (RFC 9110, 5.6.2).
pub(crate) fn is_field_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}

/// The fields of every request, without those that a step has itself.
fn shared_fields(
    common: &BTreeMap<String, String>,
    fields: &[(Template, Template)],
    names: &Names,
    key: &str,
) -> Result<Vec<(String, Template)>, Problem> {
    let mut shared = Vec::new();
    for (name, value) in common {
        let is_own = |(own, _): &(Template, Template)| {
            own.only_text().is_some_and(|own| own.trim().eq_ignore_ascii_case(name))
        };
        // The step that gets a value does not need its field.
        if !fields.iter().any(is_own) && !names.is_early(value) {
            let value = Template::compile(value, TextPosition::Plain, names, key)?;
            shared.push((name.clone(), value));
        }
    }
    Ok(shared)
}

/// Refuses names of fields and numbers that are none, as far as they have no placeholders.
fn check(http: &Http, fields: &[(Template, Template)], key: &str) -> Result<(), Problem> {
    let is_wrong = |name: &&str| !name.is_empty() && !is_field_name(name.trim());
    if let Some(name) = fields.iter().filter_map(|(name, _)| name.only_text()).find(is_wrong) {
        let message = format!("{name:?} is not the name of a header field.");
        return Err(Problem::new(key, message));
    }
    for (word, text, kind) in [
        ("port", &http.port, NumberKind::Port),
        ("connect_ms", &http.connect_ms, NumberKind::Count),
        ("timeout_ms", &http.timeout_ms, NumberKind::Count),
    ] {
        let is_known = !text.contains("${") && !text.trim().is_empty();
        if is_known && kind.read(text).is_none() {
            let message = format!("{}.", kind.refusal(text));
            return Err(Problem::new(format!("{key}.{word}"), message));
        }
    }
    Ok(())
}

/// Where a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Address,
    Connect,
    Exchange,
    Redirects,
}

impl Phase {
    /// The exception that JMeter names for it.
    fn exception(self, failed: &Failed) -> &'static str {
        let said = |word: &str| failed.message.contains(word);
        match self {
            Self::Address => "java.net.URISyntaxException",
            Self::Redirects => "java.io.IOException",
            Self::Connect if failed.outcome == Outcome::Timeout => {
                "org.apache.http.conn.ConnectTimeoutException"
            }
            Self::Connect if said("failed to lookup address") => "java.net.UnknownHostException",
            Self::Connect if said("refused") => "org.apache.http.conn.HttpHostConnectException",
            Self::Connect => "javax.net.ssl.SSLHandshakeException",
            Self::Exchange if failed.outcome == Outcome::Timeout => {
                "java.net.SocketTimeoutException"
            }
            Self::Exchange if said("reset") => "java.net.SocketException",
            Self::Exchange if said("closed the connection") => {
                "org.apache.http.NoHttpResponseException"
            }
            Self::Exchange => "org.apache.http.client.ClientProtocolException",
        }
    }
}

/// Which redirects are followed, and how their requests are sent.
#[derive(Clone, Copy)]
struct FollowedWith {
    follow: Follow,
    /// How long connecting and each response may take.
    limits: [Duration; 2],
    cache: Option<Cache>,
    /// Whether redirects lead where JMeter goes.
    jmeter: bool,
}

/// A request and those that redirects have led to.
struct Chain {
    /// The next one to be sent; at the end the last one that was.
    request: Request,
    links: Vec<ChainLink>,
}

/// A request of a chain.
struct ChainLink {
    began: Instant,
    /// 0 where it was not sent, or has no response.
    status: u16,
    url: String,
}

/// The requests of a chain of redirects, as parts of the whole.
fn parts(chain: &[ChainLink], whole: &Trace) -> Vec<PartSample> {
    let now = Instant::now();
    let ends = chain.iter().skip(1).map(|link| link.began).chain([now]);
    let parts = chain.iter().zip(ends).map(|(ChainLink { began, status, url }, end)| {
        let code = match status {
            0 => whole.code.clone(),
            status => status.to_string(),
        };
        PartSample {
            before_end: now - *began,
            took: end - *began,
            passed: (200..400).contains(status),
            trace: Trace { address: url.clone(), code, ..Trace::default() },
        }
    });
    parts.collect()
}

/// A request that was sent on another connection.
#[derive(Debug)]
pub(super) struct SentRequest {
    pub(super) method: String,
    /// Its path, or its whole address.
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Vec<u8>,
}

fn statuses(check: &ResponseCheck, key: &str) -> Result<Vec<u16>, Problem> {
    super::answer::empty_lists(check, &format!("{key}.check"))?;
    let of_requests =
        check.contains.is_some() || !check.header.is_empty() || !check.json.is_empty();
    if of_requests || check.rows.is_some() || check.value.is_some() {
        let message =
            "An `http` step has the checks `status`, `any_status`, `text` and `within_ms`.";
        return Err(Problem::new(key, message));
    }
    Ok(check.status.as_ref().map(|list| list.0.clone()).unwrap_or_default())
}

/// The connections of a user, by place, and its cookies.
#[derive(Debug)]
pub(super) struct Wires {
    /// The place of the target.
    target: String,
    /// The target's URL, which says how other places are reached too.
    reached: Option<Url>,
    open: Vec<(String, HttpConnection)>,
    cookies: Option<Cookies>,
    /// What is kept of responses.
    kept: Kept,
    timeout: Duration,
}

impl Wires {
    pub(super) fn new(reached: Option<Url>, timeout: Duration, keeps_cookies: bool) -> Self {
        let cookies = keeps_cookies.then(Cookies::default);
        let target = reached.as_ref().map(place_of).unwrap_or_default();
        Self { target, reached, open: Vec::new(), cookies, kept: Kept::default(), timeout }
    }

    /// Keeps cookies from now on.
    pub(super) fn keep_cookies(&mut self) {
        self.cookies.get_or_insert_default();
    }

    /// The cookies, where they are kept.
    pub(super) fn cookies(&mut self) -> Option<&mut Cookies> {
        self.cookies.as_mut()
    }

    /// Forgets the cookies.
    pub(super) fn forget_cookies(&mut self) {
        self.cookies.iter_mut().for_each(Cookies::clear);
    }

    /// Keeps a cookie that a workload has, for its domain.
    pub(super) fn add_cookie(&mut self, field: &str) {
        let domain = field.split(';').find_map(|part| part.trim().strip_prefix("Domain="));
        self.cookies.get_or_insert_default().take(field, domain.unwrap_or_default(), "/");
    }

    /// Forgets the responses that are kept for one iteration.
    pub(super) fn begin_iteration(&mut self) {
        self.kept.begin_iteration();
    }

    /// Follows the redirect that a response of the target is, if it is one that is followed: gives the last response, and
    /// its address. What names the caller to the target is not sent to other places.
    ///
    /// # Errors
    /// Where one of the requests fails, and behind [`MOST_REDIRECTS`].
    pub(super) async fn redirected(
        &mut self,
        sent: SentRequest,
        answer: &Answer,
        follow: Follow,
        context: &mut TransactionContext,
    ) -> Result<Option<Answer>, Failed> {
        let began = Instant::now();
        let SentRequest { method, path, headers, content } = sent;
        let path = match path.strip_prefix(self.target.as_str()) {
            Some(rest) if !self.target.is_empty() => rest.to_owned(),
            _ => path,
        };
        let (place, media) = (self.target.clone(), Cow::Borrowed(""));
        let (closes, jmeter) = (false, false);
        let first = Request { method, place, path, headers, content, media, closes, jmeter };
        let next = first.redirected(answer, follow, false);
        let Some(mut request) = next else { return Ok(None) };
        request.forget_origin(&self.target);
        let link = ChainLink { began, status: answer.status, url: first.url() };
        let mut chain = Chain { request, links: vec![link] };
        let limits = [self.timeout; 2];
        let how = FollowedWith { follow, limits, cache: None, jmeter: false };
        let ended = self.follow(&mut chain, how, context).await;
        ended.map(Some).map_err(|(failed, _)| failed)
    }

    /// Sends a request, and those that redirects lead to, as far as they are followed.
    async fn follow(
        &mut self,
        chain: &mut Chain,
        how: FollowedWith,
        context: &mut TransactionContext,
    ) -> Result<Answer, (Failed, Phase)> {
        loop {
            let began = Instant::now();
            let sent = self.send(&chain.request, context, how.limits, how.cache).await;
            let (status, url) = (sent.as_ref().map_or(0, |it| it.status), chain.request.url());
            chain.links.push(ChainLink { began, status, url });
            let answer = sent?;
            let Some(next) = chain.request.redirected(&answer, how.follow, how.jmeter) else {
                return Ok(answer);
            };
            if chain.links.len() > MOST_REDIRECTS {
                let message = format!("Exceeded maximum number of redirects: {MOST_REDIRECTS}");
                let (began, url) = (Instant::now(), next.url());
                chain.links.push(ChainLink { began, status: 0, url });
                return Err((Failed::check(message), Phase::Redirects));
            }
            chain.request = next;
        }
    }

    /// Sends a request. A place's first one connects.
    async fn send(
        &mut self,
        request: &Request,
        context: &mut TransactionContext,
        [connect, timeout]: [Duration; 2],
        cache: Option<Cache>,
    ) -> Result<Answer, (Failed, Phase)> {
        let asked;
        let (request, original) = match cache {
            Some(_) => {
                asked = self.kept.conditional(request);
                (&asked, request)
            }
            None => (request, request),
        };
        let place = &request.place;
        let at = match self.open.iter().position(|(known, _)| known == place) {
            Some(at) => at,
            None => {
                let wrong = |message: String| {
                    let message = format!("{place}: {message}");
                    (Failed::new(Outcome::Connection, message), Phase::Address)
                };
                let mut parsed: Url = place.parse().map_err(wrong)?;
                if let Some(reached) = &self.reached {
                    parsed = parsed.reached_as(reached);
                }
                let began = Instant::now();
                let opened = HttpConnection::open(&parsed, connect).await;
                context.work.connecting += began.elapsed();
                let opened = opened.map_err(|failed| (failed, Phase::Connect))?;
                self.open.push((place.clone(), opened));
                self.open.len() - 1
            }
        };
        let (host, is_secure) = (request.host(), place.starts_with("https:"));
        let cookies = self.cookies.as_ref();
        let cookie = cookies.and_then(|cookies| cookies.of(host, &request.path, is_secure));
        let text = request.bytes(cookie.as_deref());
        let began = Instant::now();
        let (_, connection) = &mut self.open[at];
        connection.set_timeout(timeout);
        let response = connection.exchange(&text, &mut context.work).await;
        let answer = match response {
            Ok(response) => Answer::of(&response, request.url(), began.elapsed()),
            Err(failed) => {
                self.open.swap_remove(at);
                return Err((failed, Phase::Exchange));
            }
        };
        if let Some(cache) = cache {
            self.kept.keep(original, &answer, cache);
        }
        if request.closes {
            self.open.swap_remove(at);
        }
        if let Some(cookies) = &mut self.cookies {
            for field in answer.fields("set-cookie") {
                cookies.take(field, host, &request.path);
            }
        }
        Ok(answer)
    }
}

/// Scheme, host and port of a URL; of a Unix socket its path, in the form that has no slash.
fn place_of(url: &Url) -> String {
    if let Address::Unix(socket) = &url.address {
        return format!("{UNIX}{}", socket.display().to_string().replace('/', "%2F"));
    }
    let text = url.to_string();
    let start = text.find("://").map_or(0, |at| at + 3);
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    text[..end].to_owned()
}

/// A path with what a URL cannot have percent-encoded; what is encoded already stays.
fn sanitized(path: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'!' | b'#'..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_a_place() {
        let url: Url = "unix:/run/a.sock:/base".parse().unwrap();
        let place = place_of(&url);
        assert_eq!(place, "http+unix://%2Frun%2Fa.sock");
        let reached: Url = place.parse().unwrap();
        assert_eq!(reached.address, Address::Unix("/run/a.sock".into()));
        assert_eq!(place_of(&"https://h:1/x".parse().unwrap()), "https://h:1");
    }

    #[test]
    fn paths_are_made_fit_for_urls() {
        assert_eq!(sanitized("/a?query=b==c d&x=%20\"é"), "/a?query=b==c%20d&x=%20%22%C3%A9");
    }
}
