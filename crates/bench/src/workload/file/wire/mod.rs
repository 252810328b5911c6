//! A step that sends a request put together from its parts, to any address, and follows redirects.

mod cookies;
mod redirect;

use std::time::{Duration, Instant};

use duet_model::Value;

use super::answered::Answer;
use super::check_counter::CheckCounter;
use super::definition::{Check, Follow, Http, Step};
use super::names::Names;
use super::problem::Problem;
use super::scope::encoded;
use super::template::{Template, TextPosition};
use crate::targets::http::{Connection, Url};
use crate::workload::{Failed, TransactionContext};
use cookies::Cookies;
use duet_verdict::outcome::Outcome;
use redirect::{MOST_REDIRECTS, Request};

/// A compiled request of parts.
#[derive(Debug)]
pub(super) struct HttpStep {
    method: Template,
    protocol: Template,
    host: Template,
    port: Template,
    path: Template,
    fields: Vec<(Template, Template)>,
    content: Content,
    follow: Follow,
    closes: bool,
    /// How long connecting and the response may take, in milliseconds.
    limits: [Template; 2],
    /// `None`: every status is right.
    status: Option<CheckCounter>,
    statuses: Vec<u16>,
}

#[derive(Debug)]
enum Content {
    Raw(Template),
    Parameters(Vec<(Template, Template, bool)>),
}

impl HttpStep {
    pub(super) fn compile(
        step: &Step,
        http: &Http,
        names: &mut Names,
        key: &str,
    ) -> Result<Self, Problem> {
        let key = &format!("{key}.http");
        let plain = |text: &str| Template::compile(text, TextPosition::Plain, names, key);
        if http.body.is_some() && !http.parameters.is_empty() {
            return Err(Problem::new(key, "A request has either `body` or `parameters`."));
        }
        let mut fields = Vec::new();
        for [name, value] in &http.fields {
            fields.push((plain(name)?, plain(value)?));
        }
        for (name, value) in &step.headers {
            fields.push((plain(name)?, plain(value)?));
        }
        let content = match &http.body {
            Some(body) => Content::Raw(plain(body)?),
            None => {
                let mut parameters = Vec::new();
                for one in &http.parameters {
                    parameters.push((plain(&one.name)?, plain(&one.value)?, one.encode));
                }
                Content::Parameters(parameters)
            }
        };
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
            fields,
            content,
            follow: http.follow,
            closes: http.close,
            limits: [plain(&http.connect_ms)?, plain(&http.timeout_ms)?],
            status: (!step.check.any_status).then(|| CheckCounter::new(words)),
            statuses,
        })
    }

    /// The count of the check of its status.
    pub(super) fn held(&self) -> impl Iterator<Item = &CheckCounter> {
        self.status.iter()
    }

    /// Sends the request, and those that redirects lead to, as far as it follows them.
    ///
    /// # Errors
    /// If there is no response.
    pub(super) async fn send(
        &self,
        values: &[Value],
        wires: &mut Wires,
        context: &mut TransactionContext,
    ) -> Result<Answer, Failed> {
        let mut request = self.request(values, &wires.target)?;
        let limit = |at: usize| {
            let ms = self.limits[at].text(values).unwrap_or_default().trim().parse().unwrap_or(0);
            Duration::from_millis(if ms == 0 { u64::MAX } else { ms }).min(wires.timeout)
        };
        let limits = [limit(0), limit(1)];
        let began = Instant::now();
        let mut redirects = 0;
        loop {
            context.address.clear();
            context.address.push_str(&request.place);
            context.address.push_str(&request.path);
            let mut answer = wires.send(&request, context, limits).await?;
            answer.elapsed = began.elapsed();
            let Some(next) = request.redirected(&answer, self.follow) else { return Ok(answer) };
            redirects += 1;
            if redirects > MOST_REDIRECTS {
                let message = format!("Exceeded maximum number of redirects: {MOST_REDIRECTS}");
                return Err(Failed::check(message));
            }
            request = next;
        }
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
        let (host, port, method) = (text(&self.host)?, text(&self.port)?, text(&self.method)?);
        let protocol = text(&self.protocol)?.to_ascii_lowercase();
        let mut path = text(&self.path)?;
        let whole = ["http://", "https://"].iter().any(|start| path.starts_with(start));
        let place = if whole {
            let from = path.find("://").unwrap_or_default() + 3;
            let end = path[from..].find(['/', '?']).map_or(path.len(), |at| from + at);
            let place = path[..end].to_owned();
            path.drain(..end);
            place
        } else if host.is_empty() {
            if target.is_empty() {
                return Err(Failed::new(Outcome::Other, "the step has no host"));
            }
            target.to_owned()
        } else {
            let protocol = if protocol.is_empty() { "http" } else { &protocol };
            match port.as_str() {
                "" => format!("{protocol}://{host}"),
                port => format!("{protocol}://{host}:{port}"),
            }
        };
        if !path.starts_with('/') {
            path.insert(0, '/');
        }
        let mut headers = Vec::new();
        for (name, value) in &self.fields {
            headers.push((text(name)?, text(value)?));
        }
        let (mut content, mut media) = (String::new(), "");
        match &self.content {
            Content::Raw(body) => {
                content = body.text(values)?;
                media = "text/plain";
            }
            Content::Parameters(parameters) => {
                let mut pairs = Vec::new();
                for (name, value, encode) in parameters {
                    let (name, value) = (name.text(values)?, value.text(values)?);
                    let value = if *encode { encoded(&value) } else { value };
                    pairs.push(if name.is_empty() { value } else { format!("{name}={value}") });
                }
                let pairs = pairs.join("&");
                if ["POST", "PUT", "PATCH"].contains(&method.as_str()) {
                    (content, media) = (pairs, "application/x-www-form-urlencoded");
                } else if !pairs.is_empty() {
                    path.push(if path.contains('?') { '&' } else { '?' });
                    path.push_str(&pairs);
                }
            }
        }
        let is_one_line = |text: &String| !text.chars().any(char::is_control);
        if !headers.iter().all(|(name, value)| is_one_line(name) && is_one_line(value)) {
            return Err(Failed::check("a header field has a line break"));
        }
        let closes = self.closes;
        Ok(Request { method, place, path: sanitized(&path), headers, content, media, closes })
    }
}

fn statuses(check: &Check, key: &str) -> Result<Vec<u16>, Problem> {
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
    open: Vec<(String, Connection)>,
    cookies: Option<Cookies>,
    timeout: Duration,
}

impl Wires {
    pub(super) fn new(target: String, timeout: Duration, keeps_cookies: bool) -> Self {
        let cookies = keeps_cookies.then(Cookies::default);
        Self { target, open: Vec::new(), cookies, timeout }
    }

    /// Keeps cookies from now on.
    pub(super) fn keep_cookies(&mut self) {
        self.cookies.get_or_insert_default();
    }

    /// Forgets the cookies.
    pub(super) fn forget_cookies(&mut self) {
        self.cookies.iter_mut().for_each(Cookies::clear);
    }

    /// Sends a request. A place's first one connects.
    async fn send(
        &mut self,
        request: &Request,
        context: &mut TransactionContext,
        [connect, timeout]: [Duration; 2],
    ) -> Result<Answer, Failed> {
        let place = &request.place;
        let at = match self.open.iter().position(|(known, _)| known == place) {
            Some(at) => at,
            None => {
                let wrong = |message: String| {
                    Failed::new(Outcome::Connection, format!("{place}: {message}"))
                };
                let parsed: Url = place.parse().map_err(wrong)?;
                let began = Instant::now();
                let opened = Connection::open(&parsed, connect).await;
                context.work.connecting += began.elapsed();
                self.open.push((place.clone(), opened?));
                self.open.len() - 1
            }
        };
        let (host, is_secure) = (request.host(), place.starts_with("https:"));
        let cookies = self.cookies.as_ref();
        let cookie = cookies.and_then(|cookies| cookies.of(host, &request.path, is_secure));
        let text = request.text(cookie.as_deref());
        let began = Instant::now();
        let (_, connection) = &mut self.open[at];
        connection.set_timeout(timeout);
        let response = connection.exchange(text.as_bytes(), &mut context.work).await;
        let answer = match response {
            Ok(response) => Answer::of(&response, request.url(), began.elapsed()),
            Err(failed) => {
                self.open.swap_remove(at);
                return Err(failed);
            }
        };
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
    fn paths_are_made_fit_for_urls() {
        assert_eq!(sanitized("/a?query=b==c d&x=%20\"é"), "/a?query=b==c%20d&x=%20%22%C3%A9");
    }
}
