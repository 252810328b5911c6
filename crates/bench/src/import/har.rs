//! Recordings of browsers and proxies (HAR 1.2, W3C's draft of 2012): the requests in their order, those of a page
//! measured together.

use serde_json::Value;

use super::document::Document;
use super::request::{ImportedRequests, Part, Recorded, workload};
use super::write::plain;
use super::{Imported, Problem};

/// The workload file of a recording.
///
/// # Errors
/// All requests that cannot be taken.
pub(super) fn convert(
    name: &str,
    document: &Document,
    passed_over: &[String],
) -> Result<Imported, Vec<Problem>> {
    let entries = document.value.pointer("/log/entries").and_then(Value::as_array);
    let mut recording = Recording::default();
    for (number, entry) in entries.into_iter().flatten().enumerate() {
        let at = format!("/log/entries/{number}");
        match recorded(document, entry, &at) {
            Ok(Some((place, request))) => {
                let is_named = |name: &String| *name == request.name;
                if !passed_over.iter().any(is_named) {
                    recording.add(page_of(document, entry), &place, request);
                }
            }
            Ok(None) => recording.unanswered += 1,
            Err(problem) => recording.problems.push(problem),
        }
    }
    if recording.blocks.is_empty() && recording.problems.is_empty() {
        recording.problems.push(document.problem("/log/entries", "There is no request."));
    }
    if !recording.problems.is_empty() {
        return Err(recording.problems);
    }
    let mut notes = Vec::new();
    if recording.unanswered > 0 {
        notes.push(format!(
            "{} requests that the browser did not send or that had no response are left out.",
            recording.unanswered
        ));
    }
    if recording.has_secrets {
        notes.push(
            "It has the `Authorization` of the recording, a secret that may have expired: replace it by a `login`."
                .to_owned(),
        );
    }
    if recording.blocks.iter().map(|(_, requests)| requests.len()).sum::<usize>() > 1 {
        notes.push("Times between requests are left out: give steps a `pause`.".to_owned());
    }
    notes.push(
        "Cookies of the recording are left out: users keep those that the server sets.".to_owned(),
    );
    let target = recording.target.as_deref();
    let text = workload(&ImportedRequests {
        from: "HAR",
        name,
        target,
        values: &[],
        notes: &notes,
        blocks: &recording.blocks,
    });
    Ok(Imported { text, notes })
}

#[derive(Default)]
struct Recording {
    /// The place of the first request.
    target: Option<String>,
    blocks: Vec<(Option<String>, Vec<Recorded>)>,
    problems: Vec<Problem>,
    unanswered: usize,
    has_secrets: bool,
}

impl Recording {
    /// Adds a request to its page.
    fn add(&mut self, page: Option<String>, place: &str, mut request: Recorded) {
        let target = self.target.get_or_insert_with(|| place.to_owned());
        if *target != place {
            request.path.insert_str(0, place);
        }
        let is_secret = |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
        self.has_secrets |= request.fields.iter().any(is_secret);
        match self.blocks.last_mut().filter(|(known, _)| *known == page) {
            Some((_, requests)) => requests.push(request),
            None => self.blocks.push((page, vec![request])),
        }
    }
}

/// The title of the page that a request belongs to.
fn page_of(document: &Document, entry: &Value) -> Option<String> {
    let id = entry.get("pageref")?;
    let pages = document.value.pointer("/log/pages")?.as_array()?;
    let page = pages.iter().find(|page| page.get("id") == Some(id))?;
    let title = page.get("title").and_then(Value::as_str).filter(|title| !title.trim().is_empty());
    title.or(id.as_str()).map(str::to_owned)
}

/// A request with its place; `None` where it was not sent.
fn recorded(
    document: &Document,
    entry: &Value,
    at: &str,
) -> Result<Option<(String, Recorded)>, Problem> {
    let at = &format!("{at}/request");
    let empty = Value::Null;
    let request = entry.get("request").unwrap_or(&empty);
    let text = |key: &str| request.get(key).and_then(Value::as_str).unwrap_or_default();
    let status = match entry.pointer("/response/status") {
        None | Some(Value::Null) => 0,
        Some(status) => status.as_u64().ok_or_else(|| {
            document.problem(at, format!("The status {status} of the response is no number."))
        })?,
    };
    let (method, url) = (text("method").to_ascii_uppercase(), text("url"));
    let is_local =
        ["data:", "blob:", "about:", "chrome-extension:"].iter().any(|it| url.starts_with(it));
    if status == 0 || is_local {
        return Ok(None);
    }
    if url.starts_with("ws:") || url.starts_with("wss:") || status == 101 {
        let message = format!("{url} is a WebSocket, which is not taken.");
        return Err(document.problem(at, message));
    }
    let Some((scheme, rest)) =
        url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme))
    else {
        return Err(document.problem(at, format!("{url:?} is not taken: it is no http URL.")));
    };
    if method.is_empty() || method == "CONNECT" {
        return Err(document.problem(at, format!("The method {method:?} is not taken.")));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    if rest[..end].contains('@') {
        let message = "An address with a user is not taken: results would have the password. Send `Authorization` instead.";
        return Err(document.problem(at, message));
    }
    let path = rest[end..].split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let mut recorded = Recorded {
        name: format!("{method} {}", path.split('?').next().unwrap_or_default()),
        method,
        path: plain(&path),
        statuses: u16::try_from(status).into_iter().collect(),
        ..Recorded::default()
    };
    for field in request.get("headers").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, value) = (text("name"), text("value"));
        if name.chars().chain(value.chars()).any(|char| char.is_control() && char != '\t') {
            let message =
                format!("The header {name:?} has a line break or another control character.");
            return Err(document.problem(at, message));
        }
        if !Recorded::is_own(name) && !name.eq_ignore_ascii_case("cookie") {
            recorded.fields.push((plain(name), plain(value)));
        }
    }
    let size = request.get("bodySize").and_then(Value::as_i64).unwrap_or(0);
    if size > 0 && request.get("postData").is_none_or(Value::is_null) {
        let message = format!("The recording lacks the content of {size} bytes.");
        return Err(document.problem(at, message));
    }
    if let Some(content) = request.get("postData") {
        let at = format!("{at}/postData");
        posted(document, content, &mut recorded, &at)?;
        recorded.settle_form().map_err(|why| document.problem(&at, why))?;
    }
    Ok(Some((format!("{scheme}://{}", &rest[..end]), recorded)))
}

/// The content of a request: its text, or the parts of a form.
fn posted(
    document: &Document,
    content: &Value,
    recorded: &mut Recorded,
    at: &str,
) -> Result<(), Problem> {
    let text = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
    if content.get("encoding").and_then(Value::as_str) == Some("base64") {
        return Err(document.problem(at, "Content in Base64 is not taken: a step sends text."));
    }
    let media = text("mimeType");
    if !text("text").is_empty() {
        recorded.body = Some(plain(text("text")));
        let has_type = |(name, _): &(String, String)| name.eq_ignore_ascii_case("content-type");
        if !media.is_empty() && !recorded.fields.iter().any(has_type) {
            recorded.fields.push(("Content-Type".into(), plain(media)));
        }
        return Ok(());
    }
    let parameters = content.get("params").and_then(Value::as_array);
    let is_multipart = media.starts_with("multipart/form-data");
    for one in parameters.into_iter().flatten() {
        let text = |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, value, file) = (plain(text("name")), plain(text("value")), text("fileName"));
        match is_multipart {
            true => recorded.parts.push(Part {
                name,
                value: if file.is_empty() { value } else { plain(file) },
                is_file: !file.is_empty(),
                media: plain(text("contentType")),
            }),
            false => recorded.form.push((name, value)),
        }
    }
    if is_multipart {
        // The boundary of the recording is another one.
        recorded.fields.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(entries: &str) -> Result<Imported, Vec<Problem>> {
        let text = format!(
            "{{\"log\": {{\"pages\": [{{\"id\": \"p1\", \"title\": \"Shop\"}}],\n\"entries\": [\n{entries}]}}}}"
        );
        convert("shop", &Document::parse(&text).unwrap(), &["GET /logo.png".into()])
    }

    #[test]
    fn recordings_become_steps() {
        let entries = r#"{"pageref": "p1", "request": {"method": "GET", "url": "https://h.example/a?b=%20#c",
            "headers": [{"name": ":method", "value": "GET"}, {"name": "Host", "value": "h"}, {"name": "Cookie", "value": "s=1"},
            {"name": "X-A", "value": "${b}"}]}, "response": {"status": 200}},
            {"pageref": "p1", "request": {"method": "POST", "url": "https://api.example/x", "headers": [],
             "postData": {"mimeType": "application/json", "text": "{\"a\": 1}"}}, "response": {"status": 201}},
            {"request": {"method": "POST", "url": "https://h.example/form", "headers": [],
             "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "b c"}]}}, "response": {"status": 302}},
            {"request": {"method": "POST", "url": "https://h.example/up", "headers": [{"name": "Content-Type", "value": "multipart/form-data; boundary=x"}],
             "postData": {"mimeType": "multipart/form-data", "params": [{"name": "a", "value": "1"}, {"name": "f", "fileName": "a.png", "contentType": "image/png"}]}}, "response": {"status": 204}},
            {"request": {"method": "GET", "url": "https://h.example/logo.png"}, "response": {"status": 200}},
            {"request": {"method": "GET", "url": "https://h.example/blocked"}, "response": {"status": 0}}"#;
        let expected = r#"# From HAR: one user; raise `users` of the group.
# 1 requests that the browser did not send or that had no response are left out.
# Times between requests are left out: give steps a `pause`.
# Cookies of the recording are left out: users keep those that the server sets.
[workload]
name = "shop"
target = "https://h.example"
cookies = "keep"

[[group]]
name = "shop"
users = 1
iterations = 1

[[group.step]]
measure = "Shop"
step = [
  { name = "GET /a", http = { path = "/a?b=%20", fields = [["X-A", "$${b}"]] }, check.status = [200] },
  { name = "POST /x", http = { method = "POST", path = "https://api.example/x", fields = [["Content-Type", "application/json"]], body = "{\"a\": 1}" }, check.status = [201] },
]

[[group.step]]
loop = 1
step = [
  { name = "POST /form", http = { method = "POST", path = "/form", parameters = [{ name = "a", value = "b c", encode = true }] }, check.status = [302] },
  { name = "POST /up", http = { method = "POST", path = "/up", parts = [{ name = "a", value = "1" }, { name = "f", file = "a.png", type = "image/png" }] }, check.status = [204] },
]
"#;
        assert_eq!(taken(entries).unwrap().text, expected);
    }

    #[test]
    fn all_that_is_not_taken_comes_together() {
        let entries = "{\"request\": {\"method\": \"GET\", \"url\": \"wss://h/x\"}, \"response\": {\"status\": 101}},\n\
            {\"request\": {\"method\": \"POST\", \"url\": \"http://h/x\",\n\"postData\": {\"encoding\": \"base64\", \"text\": \"AA==\"}}, \"response\": {\"status\": 200}}";
        let problems = taken(entries).unwrap_err();
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 5], "{problems:?}");
        assert_eq!(taken("").unwrap_err()[0].message, "There is no request.");
    }
}
