//! A step that sends a request.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use duet_model::Value;
use serde_json::Value as Json;

use super::answer::{CaptureRule, Checks};
use super::answered::{Answer, is_extractor};
use super::definition::{Follow, Step};
use super::names::Names;
use super::problem::Problem;
use super::template::{Template, TextPosition};
use super::wire::{Cookies, SentRequest, Wires, is_field_name};
use crate::targets::http::{HttpConnection, Length, Response, Url};
use crate::workload::{Failed, TransactionContext};

/// Well-known methods (RFC 9110 §9, RFC 5789): any other in capital letters is sent too.
const METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];
/// Fields that delimit the content: the file cannot set them.
const OWN_FIELDS: [&str; 3] = ["content-length", "transfer-encoding", "connection"];

/// A compiled request.
#[derive(Debug)]
pub(super) struct Request {
    method: String,
    path: Template,
    /// Whether the fields have the host, which is that of the target otherwise.
    has_host: bool,
    /// Field names with colon and space, and their values.
    fields: Vec<(String, Template)>,
    body: Option<Template>,
    pub(super) checks: Checks,
    kept: Vec<CaptureRule>,
    reads_json: bool,
    follow: Follow,
}

impl Request {
    pub(super) fn compile(
        step: &Step,
        common: &BTreeMap<String, String>,
        base: &str,
        names: &mut Names,
        key: &str,
    ) -> Result<Self, Problem> {
        let line = step.request.as_deref().unwrap_or_default();
        let request_key = format!("{key}.request");
        let (method, path) = method_and_path(line, &request_key)?;
        let fields = fields(step, common, names, key)?;
        let of_type = |what: &str| {
            fields.iter().any(|(name, value)| {
                let value = value.only_text().unwrap_or_default();
                name.eq_ignore_ascii_case("content-type: ") && value.contains(what)
            })
        };
        let place = match () {
            () if of_type("json") => TextPosition::Json,
            () if of_type("x-www-form-urlencoded") => TextPosition::Form,
            () => TextPosition::Plain,
        };
        let body = step
            .body
            .as_ref()
            .map(|body| Template::compile(body, place, names, &format!("{key}.body")));
        // A path from a server is complete.
        let base = if path.starts_with('/') { base } else { "" };
        let path =
            Template::compile(&format!("{base}{path}"), TextPosition::Path, names, &request_key)?;
        let body = body.transpose()?;
        let checks =
            Checks::compile(&step.check, step.capture.is_empty(), names, &format!("{key}.check"))?;
        let mut kept = Vec::new();
        for (name, capture) in step.capture.iter().filter(|(_, capture)| !is_extractor(capture)) {
            kept.push(CaptureRule::compile(
                name,
                capture,
                names,
                &format!("{key}.capture.{name}"),
            )?);
        }
        let reads_json = checks.read_json() || kept.iter().any(CaptureRule::reads_json);
        let has_host = fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("host: "));
        let follow = step.follow;
        Ok(Self { method, path, has_host, fields, body, checks, kept, reads_json, follow })
    }

    /// Sends it, follows redirects as it says, checks the last response, captures values. It is never retried.
    /// `read` sees the response after its checks.
    pub(super) async fn run<R>(
        &self,
        wire: &mut Wire,
        wires: &mut Wires,
        context: &mut TransactionContext,
        values: &mut [Value],
        read: impl FnOnce(&Response<'_>) -> R,
    ) -> Result<R, Failed> {
        self.compose(&mut wire.message, values, wires.cookies().as_deref())?;
        let answer = wire.connection.exchange(&wire.message.request, &mut context.work).await?;
        if let Some(cookies) = wires.cookies() {
            wire.message.take_cookies(&answer, cookies);
        }
        if answer.length == Length::Exceeded {
            let message = "more bytes followed the response than its Content-Length says";
            return Err(Failed::check(message));
        }
        if self.follow != Follow::None && (300..400).contains(&answer.status) {
            let first = Answer::of(&answer, String::new(), Duration::ZERO);
            let sent = self.sent(&wire.message, values)?;
            let last = wires.redirected(sent, &first, self.follow, context).await?;
            let last = last.as_ref().unwrap_or(&first);
            return self.read(&last.response(), values, read);
        }
        self.read(&answer, values, read)
    }

    /// Checks a response, and captures values.
    fn read<R>(
        &self,
        answer: &Response<'_>,
        values: &mut [Value],
        read: impl FnOnce(&Response<'_>) -> R,
    ) -> Result<R, Failed> {
        let json: Option<Json> = match self.reads_json {
            true => serde_json::from_slice(answer.body).ok(),
            false => None,
        };
        self.checks.hold(answer, json.as_ref(), values)?;
        self.kept.iter().try_for_each(|kept| kept.take(answer, json.as_ref(), values))?;
        Ok(read(answer))
    }

    /// The request that a message has, for the one that a redirect leads to.
    fn sent(&self, message: &Message, values: &[Value]) -> Result<SentRequest, Failed> {
        let path = message.request.get(message.path.clone()).unwrap_or_default();
        let [_, common] = &message.fields;
        let common = common.trim_end().split_once(": ");
        let mut headers: Vec<(String, String)> =
            common.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        for (name, value) in &self.fields {
            headers.push((name.trim_end_matches(": ").to_owned(), value.text(values)?));
        }
        let path = String::from_utf8_lossy(path).into_owned();
        let content = message.content.clone();
        Ok(SentRequest { method: self.method.clone(), path, headers, content })
    }

    /// Writes the request with the values of its placeholders, and the cookies that belong to it.
    pub(super) fn compose(
        &self,
        message: &mut Message,
        values: &[Value],
        cookies: Option<&Cookies>,
    ) -> Result<(), Failed> {
        let out = &mut message.request;
        out.clear();
        out.extend_from_slice(self.method.as_bytes());
        out.push(b' ');
        let path = out.len();
        self.path.write(values, out)?;
        message.path = path..out.len();
        let cookie = cookies.and_then(|cookies| {
            let path = std::str::from_utf8(&out[message.path.clone()]).unwrap_or_default();
            cookies.of(&message.host, path, message.is_secure)
        });
        out.extend_from_slice(b" HTTP/1.1\r\n");
        let [host, fields] = &message.fields;
        if !self.has_host {
            out.extend_from_slice(host.as_bytes());
        }
        out.extend_from_slice(fields.as_bytes());
        for (name, value) in &self.fields {
            out.extend_from_slice(name.as_bytes());
            value.write(values, out)?;
            out.extend_from_slice(b"\r\n");
        }
        if let Some(cookie) = cookie {
            out.extend_from_slice(format!("Cookie: {cookie}\r\n").as_bytes());
        }
        message.content.clear();
        if let Some(body) = &self.body {
            body.write(values, &mut message.content)?;
        }
        if self.body.is_some() || matches!(&*self.method, "POST" | "PUT" | "PATCH") {
            out.extend_from_slice(b"Content-Length: ");
            out.extend_from_slice(itoa::Buffer::new().format(message.content.len()).as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&message.content);
        Ok(())
    }
}

/// A connection with its buffers.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) connection: HttpConnection,
    message: Message,
}

/// A request with the buffers that it is written to.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Header fields of every request: the host of the target, and others.
    fields: [String; 2],
    pub(super) request: Vec<u8>,
    content: Vec<u8>,
    /// The host that cookies are of, without its port.
    host: String,
    is_secure: bool,
    /// Where the path is in the request.
    path: Range<usize>,
}

impl Message {
    /// For a target, with the value of `Authorization` for it.
    pub(super) fn new(target: &Url, authorization: Option<&str>) -> Self {
        let authorization =
            authorization.map(|value| format!("Authorization: {value}\r\n")).unwrap_or_default();
        let fields = [format!("Host: {}\r\n", target.host), authorization];
        let host = host_of(&target.host).to_owned();
        Self { fields, host, is_secure: target.trust.is_some(), ..Self::default() }
    }

    /// Keeps the cookies of the response to the request.
    fn take_cookies(&self, answer: &Response<'_>, cookies: &mut Cookies) {
        let path = String::from_utf8_lossy(self.request.get(self.path.clone()).unwrap_or_default());
        for line in String::from_utf8_lossy(answer.head).lines() {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("set-cookie")
            {
                cookies.take(value.trim(), &self.host, &path);
            }
        }
    }
}

impl Wire {
    pub(super) fn new(connection: HttpConnection, message: Message) -> Self {
        Self { connection, message }
    }
}

/// A host without its port.
fn host_of(authority: &str) -> &str {
    let end = authority.rfind(':').filter(|at| !authority[*at..].contains(']'));
    &authority[..end.unwrap_or(authority.len())]
}

fn method_and_path<'a>(line: &'a str, key: &str) -> Result<(String, &'a str), Problem> {
    let (method, path) = line.split_once(' ').unwrap_or((line, ""));
    let path = path.trim();
    if path.rsplit_once(' ').is_some_and(|(_, last)| last.starts_with("HTTP/")) {
        let message =
            "The version of HTTP is not part of a request: write it as in \"GET /items\".";
        return Err(Problem::new(key, message));
    }
    let is_token = |byte: u8| byte.is_ascii_uppercase() || byte == b'-';
    // A tunnel is no request of a workload.
    if method.is_empty() || method == "CONNECT" || !method.bytes().all(is_token) {
        return Err(Problem::unknown(key, format!("{method:?} is not a method."), method, METHODS));
    }
    if path.contains('#') {
        let message = "A fragment is not sent: leave `#` and what follows it out, or write `%23`.";
        return Err(Problem::new(key, message));
    }
    if !path.starts_with('/') && !path.starts_with("${") {
        let message = "A path begins with a `/`: write it as in \"GET /items/${id}\". Host and port belong to `target`.";
        return Err(Problem::new(key, message));
    }
    Ok((method.to_owned(), path))
}

/// The fields of all requests and those of this one, which take precedence.
fn fields(
    step: &Step,
    common: &BTreeMap<String, String>,
    names: &Names,
    key: &str,
) -> Result<Vec<(String, Template)>, Problem> {
    let is_own = |name: &str| step.headers.keys().any(|own| own.eq_ignore_ascii_case(name));
    // The step that gets the token does not need its field.
    let fits = |(name, value): &(&String, &String)| !is_own(name) && !names.is_early(value);
    let common = common.iter().filter(fits);
    let common = common.map(|field| (field, "workload".to_owned()));
    let all = common.chain(step.headers.iter().map(|field| (field, key.to_owned())));
    let mut fields = Vec::new();
    for ((name, value), key) in all {
        let key = format!("{key}.headers.{name}");
        fields.push((format!("{name}: "), field(name, value, names, &key)?));
    }
    let has_type = fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type: "));
    if step.body.is_some() && !has_type {
        let json = Template::compile("application/json", TextPosition::Field, names, key)?;
        fields.push(("Content-Type: ".into(), json));
    }
    Ok(fields)
}

fn field(name: &str, value: &str, names: &Names, key: &str) -> Result<Template, Problem> {
    if !is_field_name(name) {
        return Err(Problem::new(key, "That is not the name of a header field."));
    }
    if OWN_FIELDS.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return Err(Problem::new(key, "The bench writes this field itself."));
    }
    if value.chars().any(char::is_control) {
        return Err(Problem::new(key, "A header field has one line."));
    }
    Template::compile(value, TextPosition::Field, names, key)
}
