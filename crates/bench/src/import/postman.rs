//! Collections of Postman (schema 2.1): the requests in their order, those of a folder measured together. Scripts are
//! taken where they check a status or keep a value of the response.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::Value;

use super::document::Document;
use super::request::{ImportedRequests, Part, Recorded, workload};
use super::write::{plain, unique};
use super::{Imported, Problem};

/// The dynamic variables that are taken, with the functions of workload files.
pub(super) const DYNAMIC: [(&str, &str); 6] = [
    ("$guid", "${uuid()}"),
    ("$randomUUID", "${uuid()}"),
    ("$timestamp", "${time(/1000)}"),
    ("$isoTimestamp", "${time(yyyy-MM-dd'T'HH:mm:ss.SSS)}Z"),
    ("$randomInt", "${random(0,1000)}"),
    ("$randomAlphaNumeric", "${random_text(1,abcdefghijklmnopqrstuvwxyz0123456789)}"),
];
/// What is taken of a request's behavior.
const BEHAVIOR: [&str; 2] = ["followRedirects", "disableBodyPruning"];
/// The methods that Postman sends without content.
const PRUNED: [&str; 5] = ["GET", "COPY", "HEAD", "PURGE", "UNLOCK"];
/// How often variables with variables are filled in.
const MOST_FILLINGS: usize = 10_000;
/// The forms of lines in scripts that are taken.
pub(super) const SCRIPT_LINES: [&str; 5] = [
    "pm.test(\"…\", function () {",
    "});",
    "pm.response.to.have.status(200);",
    "const NAME = pm.response.json();",
    "pm.environment.set(\"NAME\", pm.response.json().a.b);",
];

/// The workload file of a collection.
///
/// # Errors
/// All that cannot be taken.
pub(super) fn convert(
    name: &str,
    document: &Document,
    passed_over: &[String],
) -> Result<Imported, Vec<Problem>> {
    let mut importer = Importer {
        document,
        passed_over,
        values: Vec::new(),
        nested: BTreeMap::new(),
        filling: Vec::new(),
        fillings: 0,
        names: BTreeMap::new(),
        setters: BTreeMap::new(),
        taken: BTreeSet::new(),
        notes: BTreeSet::new(),
        target: None,
        blocks: Vec::new(),
        problems: Vec::new(),
    };
    importer.version();
    importer.variables();
    let auth = document.value.get("auth");
    importer.scripts(&document.value, "", None);
    importer.items(&document.value, "", auth, None);
    if importer.blocks.is_empty() && importer.problems.is_empty() {
        importer.problems.push(document.problem("/item", "There is no request."));
    }
    if !importer.problems.is_empty() {
        return Err(importer.problems);
    }
    let notes: Vec<String> = importer.notes.into_iter().collect();
    let text = workload(&ImportedRequests {
        from: "Postman",
        name,
        target: importer.target.as_deref(),
        values: &importer.values,
        notes: &notes,
        blocks: &importer.blocks,
    });
    Ok(Imported { text, notes })
}

struct Importer<'a> {
    document: &'a Document,
    passed_over: &'a [String],
    /// Variables of the collection, with their names here.
    values: Vec<(String, String)>,
    /// Variables of the collection whose values have variables: they are filled in where they are used.
    nested: BTreeMap<String, String>,
    /// Those that are being filled in, and how many were.
    filling: Vec<String>,
    fillings: usize,
    /// Names of variables there and here.
    names: BTreeMap<String, String>,
    /// The scope in which scripts set a variable.
    setters: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    notes: BTreeSet<String>,
    target: Option<String>,
    blocks: Vec<(Option<String>, Vec<Recorded>)>,
    problems: Vec<Problem>,
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    value.get(key).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// A name or value of the query's list, as far as Postman encodes it.
fn in_query(text: &str) -> String {
    text.replace('&', "%26").replace('#', "%23")
}

/// A text with numbers in the place of its variables.
fn without_variables(text: &str) -> String {
    let mut parts = text.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    let number = |part: &str| format!("0{}", part.split_once("}}").map_or(part, |(_, rest)| rest));
    first + &parts.map(number).collect::<String>()
}

fn is_disabled(value: &Value) -> bool {
    value.get("disabled").and_then(Value::as_bool) == Some(true)
}

impl<'a> Importer<'a> {
    fn problem(&mut self, at: &str, message: impl Into<String>) {
        self.problems.push(self.document.problem(at, message));
    }

    fn is_passed_over(&self, name: &str) -> bool {
        self.passed_over.iter().any(|known| known == name)
    }

    /// Collections of other versions have other forms of authorization and of addresses.
    fn version(&mut self) {
        let schema = self.document.value.pointer("/info/schema").and_then(Value::as_str);
        if let Some(schema) = schema.filter(|schema| !schema.contains("v2.1")) {
            let message =
                format!("The version {schema} is not taken: export the collection as v2.1.");
            self.problem("/info/schema", message);
        }
    }

    /// What an item says besides what is taken, which would change what is sent.
    fn refuse_others(&mut self, item: &Value, at: &str) {
        let behavior = item.get("protocolProfileBehavior").and_then(Value::as_object);
        let of_behavior = behavior.into_iter().flatten().map(|(key, _)| key);
        let unknown = of_behavior.filter(|key| !BEHAVIOR.contains(&&***key));
        let unknown: Vec<&String> = unknown.collect();
        for key in unknown {
            let message = format!("`{key}` is not taken; there are {}.", BEHAVIOR.join(" and "));
            self.problem(&format!("{at}/protocolProfileBehavior"), message);
        }
        for key in ["proxy", "certificate"] {
            let given = item.pointer(&format!("/request/{key}")).filter(|value| !value.is_null());
            if given.is_some() {
                let message =
                    format!("`{key}` is not taken: `duet bench run` has an option for it.");
                self.problem(&format!("{at}/request/{key}"), message);
            }
        }
        if item.pointer("/request/header").is_some_and(Value::is_string) {
            let message = "Headers as one text are not taken: export the collection again.";
            self.problem(&format!("{at}/request/header"), message);
        }
        if item.get("item").is_some() && list(item, "variable").next().is_some() {
            let message =
                "Variables of a folder are not taken: make them variables of the collection.";
            self.problem(&format!("{at}/variable"), message);
        }
    }

    fn variables(&mut self) {
        let document = self.document;
        for (_, variable) in list(&document.value, "variable").filter(|(_, it)| !is_disabled(it)) {
            let key = text(variable, "key");
            let value = match variable.get("value") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) | None => String::new(),
                Some(other) => other.to_string(),
            };
            self.nested.remove(key);
            if value.contains("{{") {
                self.names.remove(key);
                self.nested.insert(key.to_owned(), value);
                continue;
            }
            let name = unique(key, &mut self.taken);
            self.names.insert(key.to_owned(), name.clone());
            self.values.push((name, plain(&value)));
        }
    }

    /// The value of a variable of the collection that has variables itself.
    fn nested_value(&mut self, name: &str, value: &str) -> String {
        let is_circle = self.filling.iter().any(|open| open == name);
        self.fillings += 1;
        if is_circle || self.fillings > MOST_FILLINGS {
            let why = if is_circle { "has itself in its value" } else { "is filled in too often" };
            let message = format!("The variable {{{{{name}}}}} {why}.");
            if !self.problems.iter().any(|problem| problem.message == message) {
                self.problem("/variable", message);
            }
            return String::new();
        }
        self.filling.push(name.to_owned());
        let text = self.filled(value);
        self.filling.pop();
        text
    }

    /// A text with the placeholders of workload files.
    fn filled(&mut self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((name, after)) = behind.split_once("}}") else { break };
            out += &plain(before);
            out += &self.placeholder(name.trim());
            rest = after;
        }
        out + &plain(rest)
    }

    fn placeholder(&mut self, name: &str) -> String {
        if let Some((_, function)) = DYNAMIC.iter().find(|(known, _)| *known == name) {
            return (*function).to_owned();
        }
        if name.starts_with('$') {
            let known: Vec<&str> = DYNAMIC.iter().map(|(name, _)| *name).collect();
            let message = format!(
                "The variable {{{{{name}}}}} is not taken; there are {}.",
                known.join(", ")
            );
            if !self.problems.iter().any(|problem| problem.message == message) {
                self.problem("/item", message);
            }
            return String::new();
        }
        if let Some(value) = self.nested.get(name).cloned() {
            return self.nested_value(name, &value);
        }
        match self.names.get(name) {
            Some(name) => format!("${{{name}}}"),
            None => {
                self.notes.insert(format!(
                    "{{{{{name}}}}} is no variable of the collection: give it by -J {name}=VALUE."
                ));
                format!("${{shared({})}}", name.replace(',', "\\,"))
            }
        }
    }

    /// The requests and folders in a folder.
    fn items(&mut self, folder: &'a Value, at: &str, auth: Option<&'a Value>, block: Option<&str>) {
        for (number, item) in list(folder, "item") {
            let at = format!("{at}/item/{number}");
            let name = text(item, "name");
            if self.is_passed_over(name) {
                continue;
            }
            self.refuse_others(item, &at);
            let own = item.get("auth").filter(|auth| !auth.is_null()).or(auth);
            if item.get("item").is_some() {
                self.scripts(item, &at, None);
                self.items(item, &at, own, Some(name));
                continue;
            }
            const NOTHING: &Value = &Value::Null;
            let request = item.get("request").unwrap_or(NOTHING);
            let mut recorded = match request.as_str() {
                // A URL alone is a GET.
                Some(url) => {
                    let url = self.filled(url);
                    Recorded { method: "GET".into(), path: url, ..Recorded::default() }
                }
                None => self.request(request, &format!("{at}/request"), own),
            };
            recorded.name = name.to_owned();
            self.content(item, &at, &mut recorded);
            // Postman follows redirects unless a request says otherwise.
            recorded.follows = item.pointer("/protocolProfileBehavior/followRedirects")
                != Some(&Value::Bool(false));
            self.scripts(item, &at, Some(&mut recorded));
            self.place(&mut recorded);
            let block = block.map(str::to_owned);
            match self.blocks.last_mut().filter(|(known, _)| *known == block) {
                Some((_, requests)) => requests.push(recorded),
                None => self.blocks.push((block, vec![recorded])),
            }
        }
    }

    /// The first address with a host is the target; paths of the same place are relative to it.
    fn place(&mut self, request: &mut Recorded) {
        // As it is with the collection's own values.
        let mut whole = request.path.clone();
        for (name, value) in &self.values {
            whole = whole.replace(&format!("${{{name}}}"), value);
        }
        let before_query = whole.split('?').next().unwrap_or_default();
        if !before_query.contains("://") && !whole.starts_with("${") {
            request.path.insert_str(0, "http://");
            whole.insert_str(0, "http://");
        }
        let Some((scheme, rest)) = whole.split_once("://") else { return };
        let end = rest.find(['/', '?', '$']).unwrap_or(rest.len());
        if end > 0 && ["http", "https"].contains(&scheme) {
            self.target.get_or_insert_with(|| format!("{scheme}://{}", &rest[..end]));
        }
    }

    fn request(&mut self, request: &Value, at: &str, auth: Option<&Value>) -> Recorded {
        let method = text(request, "method");
        let mut recorded = Recorded {
            method: if method.is_empty() { "GET".into() } else { method.to_owned() },
            ..Recorded::default()
        };
        let url = request.get("url");
        let (mut place, mut query) = self.address(url, at);
        if let Some(url) = url {
            // The list counts: the raw text of some versions has what is switched off, and lacks what has no value.
            let pair = |pair: &Value| match pair.get("value") {
                None | Some(Value::Null) => in_query(text(pair, "key")),
                Some(_) => {
                    format!("{}={}", in_query(text(pair, "key")), in_query(text(pair, "value")))
                }
            };
            if list(url, "query").next().is_some() {
                let on = list(url, "query").filter(|(_, it)| !is_disabled(it));
                let on: Vec<String> = on.map(|(_, it)| pair(it)).collect();
                query = (!on.is_empty()).then(|| on.join("&"));
            }
            for (_, variable) in list(url, "variable") {
                let (key, value) = (text(variable, "key"), text(variable, "value"));
                // A variable of the path ends at a dot.
                let filled = |part: &str| {
                    let name = part.strip_prefix(':')?;
                    let (name, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
                    (name == key).then(|| format!("{value}{rest}"))
                };
                let parts = place.split('/');
                let parts = parts.map(|part| filled(part).unwrap_or_else(|| part.to_owned()));
                place = parts.collect::<Vec<_>>().join("/");
            }
        }
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let address = place + &query;
        recorded.path = self.filled(&address);
        for (_, field) in list(request, "header").filter(|(_, it)| !is_disabled(it)) {
            let (name, value) =
                (self.filled(text(field, "key")), self.filled(text(field, "value")));
            if !Recorded::is_own(&name) {
                recorded.fields.push((name, value));
            }
        }
        let own = request.get("auth").filter(|auth| !auth.is_null()).or(auth);
        if let Some(auth) = own {
            self.auth(auth, &mut recorded, at);
        }
        recorded
    }

    /// The place of an address, and its query; a fragment is not sent.
    fn address(&mut self, url: Option<&Value>, at: &str) -> (String, Option<String>) {
        let joined = |key: &str, between: &str| match url.and_then(|url| url.get(key)) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(between)
            }
            _ => String::new(),
        };
        let raw = url.and_then(|url| url.as_str().or_else(|| url.get("raw")?.as_str()));
        let whole = raw.map(str::to_owned).unwrap_or_else(|| {
            let mut host = joined("host", ".");
            for (mark, key) in [(":", "port"), ("/", "path")] {
                let part = joined(key, "/");
                let part = part.strip_prefix('/').unwrap_or(&part);
                host += &if part.is_empty() { String::new() } else { format!("{mark}{part}") };
            }
            match joined("protocol", "") {
                none if none.is_empty() => host,
                protocol => format!("{protocol}://{host}"),
            }
        });
        if whole.trim().is_empty() {
            self.problem(&format!("{at}/url"), "The request has no address.");
        }
        let sent = whole.split('#').next().unwrap_or_default();
        match sent.split_once('?') {
            Some((place, query)) => (place.to_owned(), Some(query.to_owned())),
            None => (sent.to_owned(), None),
        }
    }

    fn auth(&mut self, auth: &Value, recorded: &mut Recorded, at: &str) {
        let kind = text(auth, "type");
        let value = |key: &str| {
            let found = list(auth, kind).find(|(_, it)| text(it, "key") == key);
            found.map(|(_, it)| text(it, "value").to_owned()).unwrap_or_default()
        };
        match kind {
            "noauth" | "" => {}
            "bearer" => {
                let token = self.filled(&value("token"));
                recorded.forget("authorization");
                recorded.fields.push(("Authorization".into(), format!("Bearer {token}")));
            }
            "basic" => {
                let (user, password) = (value("username"), value("password"));
                if user.contains("{{") || password.contains("{{") {
                    let message = "Basic authorization with variables is not taken: its value is one text in Base64.";
                    return self.problem(at, message);
                }
                use base64::Engine as _;
                let pair =
                    base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
                recorded.forget("authorization");
                recorded.fields.push(("Authorization".into(), format!("Basic {pair}")));
            }
            "apikey" => {
                let (key, text) = (self.filled(&value("key")), self.filled(&value("value")));
                match value("in").as_str() {
                    "query" => {
                        recorded.forget_query(&key);
                        recorded.path.push(if recorded.path.contains('?') { '&' } else { '?' });
                        recorded.path += &format!("{key}={text}");
                    }
                    _ => {
                        recorded.forget(&key);
                        recorded.fields.push((key, text));
                    }
                }
            }
            other => self.problem(at, format!("The authorization `{other}` is not taken.")),
        }
    }

    /// The content of a request, which Postman leaves out with some methods unless the request says otherwise.
    fn content(&mut self, item: &Value, at: &str, recorded: &mut Recorded) {
        const KEPT: &str = "/protocolProfileBehavior/disableBodyPruning";
        let is_pruned =
            PRUNED.contains(&&*recorded.method) && item.pointer(KEPT) != Some(&Value::Bool(true));
        let body = item.pointer("/request/body").filter(|body| !is_disabled(body) && !is_pruned);
        if let Some(body) = body {
            let at = format!("{at}/request/body");
            self.body(body, recorded, &at);
            if let Err(why) = recorded.settle_form() {
                self.problem(&at, why);
            }
        }
    }

    fn body(&mut self, body: &Value, recorded: &mut Recorded, at: &str) {
        let has_type =
            recorded.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let mode = text(body, "mode");
        let mut media = "";
        match mode {
            "" | "none" => {}
            "raw" => {
                media = match body.pointer("/options/raw/language").and_then(Value::as_str) {
                    Some("json") => "application/json",
                    Some("xml") => "application/xml",
                    Some("html") => "text/html",
                    Some("javascript") => "application/javascript",
                    _ => "text/plain",
                };
                recorded.body = Some(self.filled(text(body, "raw")));
            }
            "graphql" => {
                media = "application/json";
                recorded.body = self.graphql(body, at);
            }
            "urlencoded" => {
                for (_, pair) in list(body, mode).filter(|(_, it)| !is_disabled(it)) {
                    let pair = (self.filled(text(pair, "key")), self.filled(text(pair, "value")));
                    recorded.form.push(pair);
                }
                // The form is sent without fields, and has its type, if all of them are disabled.
                let is_empty = recorded.form.is_empty() && list(body, mode).next().is_some();
                media = if is_empty { "application/x-www-form-urlencoded" } else { media };
            }
            "formdata" => {
                for (number, part) in list(body, mode).filter(|(_, it)| !is_disabled(it)) {
                    let is_file = text(part, "type") == "file";
                    let value = match (is_file, part.get("src")) {
                        (false, _) => text(part, "value"),
                        (true, Some(Value::String(path))) => path.as_str(),
                        (true, Some(Value::Array(paths))) if paths.len() == 1 => {
                            paths[0].as_str().unwrap_or_default()
                        }
                        (true, _) => {
                            let message = "A part of a form has one file.";
                            self.problem(&format!("{at}/formdata/{number}"), message);
                            continue;
                        }
                    };
                    let (name, value) = (self.filled(text(part, "key")), self.filled(value));
                    let media = self.filled(text(part, "contentType"));
                    recorded.parts.push(Part { name, value, is_file, media });
                }
                let is_on = |(_, part): (usize, &Value)| !is_disabled(part);
                let is_empty = !list(body, mode).any(is_on) && list(body, mode).next().is_some();
                media = if is_empty { "multipart/form-data; boundary=${uuid()}" } else { media };
            }
            other => self.problem(at, format!("Content of the mode `{other}` is not taken.")),
        }
        if !media.is_empty() && !has_type {
            recorded.fields.push(("Content-Type".into(), media.into()));
        }
    }

    /// The content of a request of GraphQL; `None` with a problem where it is none.
    fn graphql(&mut self, body: &Value, at: &str) -> Option<String> {
        let query = body.pointer("/graphql/query").cloned().unwrap_or_default();
        let query = self.filled(&serde_json::json!(query).to_string());
        let part = |name: &str| body.pointer(&format!("/graphql/{name}")).and_then(Value::as_str);
        let variables = match part("variables").map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) if serde_json::from_str::<Value>(&without_variables(text)).is_err() => {
                self.problem(&format!("{at}/graphql/variables"), "The variables are no JSON.");
                return None;
            }
            Some(text) => format!(",\"variables\":{}", self.filled(text)),
            None => String::new(),
        };
        let name = match part("operationName").filter(|name| !name.is_empty()) {
            Some(name) => {
                let name = self.filled(&serde_json::json!(name).to_string());
                format!(",\"operationName\":{name}")
            }
            None => String::new(),
        };
        Some(format!("{{\"query\":{query}{name}{variables}}}"))
    }

    /// The scripts of a request, or of a folder, which has none that are taken.
    fn scripts(&mut self, owner: &Value, at: &str, mut recorded: Option<&mut Recorded>) {
        for (number, event) in list(owner, "event") {
            let listen = text(event, "listen");
            let exec = event.pointer("/script/exec");
            let lines: Vec<String> = match exec {
                Some(Value::Array(lines)) => {
                    lines.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                Some(Value::String(text)) => text.lines().map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            let is_code = |line: &&String| {
                let line = line.trim();
                !line.is_empty() && !line.starts_with("//")
            };
            let code: Vec<&String> = lines.iter().filter(is_code).collect();
            if code.is_empty() || is_disabled(event) || self.is_passed_over(listen) {
                continue;
            }
            let at = format!("{at}/event/{number}");
            let is_taken = match (&mut recorded, listen) {
                (Some(recorded), "test") => self.script(&code, recorded, &at),
                _ => Err(code[0].trim().to_owned()),
            };
            if let Err(line) = is_taken {
                let message = format!(
                    "The script `{listen}` with `{line}` is not taken; there are {}. --pass-over {listen} leaves such scripts out.",
                    SCRIPT_LINES.map(|line| format!("`{line}`")).join(", ")
                );
                self.problem(&at, message);
            }
        }
    }

    /// Takes a script of a response.
    ///
    /// # Errors
    /// The line that is not taken.
    fn script(
        &mut self,
        code: &[&String],
        recorded: &mut Recorded,
        at: &str,
    ) -> Result<(), String> {
        let patterns = [
            r#"^pm\.test\((["'`]).*["'`],\s*(function\s*\(\)|\(\)\s*=>)\s*\{$"#,
            r"^\}\)?;?$",
            r"^pm\.response\.to\.have\.status\((\d{3})\);?$",
            r"^(?:const|let|var)\s+(\w+)\s*=\s*(?:pm\.response\.json\(\)|JSON\.parse\(responseBody\));?$",
            r#"^pm\.(environment|collectionVariables|globals|variables)\.set\(["'](.+?)["'],\s*(pm\.response\.json\(\)|\w+)((?:\.\w+|\[\d+\])+)\);?$"#,
        ];
        let patterns: Vec<Regex> =
            patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect();
        let [test, end, status, parsed, set] = &patterns[..] else { return Ok(()) };
        let mut documents = BTreeSet::from(["pm.response.json()".to_owned()]);
        for line in code {
            let line = line.trim();
            if test.is_match(line) || end.is_match(line) {
                continue;
            }
            if let Some(found) = status.captures(line) {
                recorded.statuses.extend(found[1].parse::<u16>().ok());
            } else if let Some(found) = parsed.captures(line) {
                documents.insert(found[1].to_owned());
            } else if let Some(found) = set.captures(line).filter(|it| documents.contains(&it[3])) {
                // The length of a list is no member of it.
                if found[4].split(['.', '[']).any(|part| part == "length") {
                    return Err(line.to_owned());
                }
                let name = self.set_by(&found[1], &found[2], at);
                // What is set last stays.
                recorded.captures.retain(|(known, _)| *known != name);
                recorded.captures.push((name, format!("${}", &found[4])));
            } else {
                return Err(line.to_owned());
            }
        }
        recorded.statuses.dedup();
        if let [first, second, ..] = recorded.statuses[..] {
            let message = format!("Tests for the statuses {first} and {second} cannot both pass.");
            self.problem(at, message);
        }
        Ok(())
    }

    /// The name here of a variable that a script sets in a scope. Where another scope has it too, which of them counts
    /// depends on both.
    fn set_by(&mut self, scope: &str, key: &str, at: &str) -> String {
        let before = self.setters.entry(key.to_owned()).or_insert_with(|| scope.to_owned());
        let other = (*before != scope).then(|| before.clone());
        let own = list(&self.document.value, "variable");
        let is_own = own.into_iter().any(|(_, it)| !is_disabled(it) && text(it, "key") == key);
        let why = match other {
            Some(other) => Some(format!("`pm.{other}` too")),
            None if is_own && scope == "globals" => {
                Some("a variable of the collection too, which counts before it".to_owned())
            }
            None if self.nested.contains_key(key) => {
                Some("a variable of the collection with variables in its value too".to_owned())
            }
            None => None,
        };
        if let Some(why) = why {
            self.problem(at, format!("`{key}` of `pm.{scope}` is {why}: this is not taken."));
        }
        if let Some(name) = self.names.get(key) {
            return name.clone();
        }
        let name = unique(key, &mut self.taken);
        self.names.insert(key.to_owned(), name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Result<Imported, Vec<Problem>> {
        convert("shop", &Document::parse(text).unwrap(), &[])
    }

    #[test]
    fn collections_become_steps() {
        let text = r#"{"info": {"name": "Shop"}, "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}"}]},
            "variable": [{"key": "base url", "value": "http://h:81/v1"}],
            "item": [
              {"name": "Log in", "request": {"method": "POST", "auth": {"type": "noauth"}, "url": {"raw": "{{base url}}/login?x=1&off=2", "query": [{"key": "x", "value": "1"}, {"key": "off", "value": "2", "disabled": true}, {"key": "z", "value": null}]},
               "header": [{"key": "Host", "value": "h"}, {"key": "X-Id", "value": "{{$guid}}"}],
               "body": {"mode": "raw", "raw": "{\"user\": \"{{user}}\"}", "options": {"raw": {"language": "json"}}}},
               "event": [{"listen": "test", "script": {"exec": ["pm.test(\"ok\", function () {", "  pm.response.to.have.status(200);", "});", "const body = pm.response.json();", "pm.environment.set(\"token\", body.data[0].token);"]}}]},
              {"name": "Things", "item": [
                {"name": "One", "request": {"method": "GET", "url": {"raw": "{{base url}}/things/:id", "variable": [{"key": "id", "value": "7"}]}}, "protocolProfileBehavior": {"followRedirects": false}},
                {"name": "Form", "request": {"method": "POST", "url": "{{base url}}/form", "body": {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "b"}]}}}
              ]}
            ]}"#;
        let Imported { text, notes } = taken(text).unwrap();
        for part in [
            "target = \"http://h:81\"\n",
            "[workload.values]\n\"base_url\" = \"http://h:81/v1\"\n",
            "{ name = \"Log in\", http = { method = \"POST\", path = \"${base_url}/login?x=1&z\", fields = [[\"X-Id\", \"${uuid()}\"], [\"Content-Type\", \"application/json\"]], body = \"{\\\"user\\\": \\\"${shared(user)}\\\"}\", follow = \"all\" }, after = [{ capture = { \"token\" = { path = \"$.data[0].token\" } } }], check.status = [200] },",
            "measure = \"Things\"\nstep = [\n  { name = \"One\", http = { path = \"${base_url}/things/7\", fields = [[\"Authorization\", \"Bearer ${token}\"]] } },",
            "parameters = [{ name = \"a\", value = \"b\", encode = true }]",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(notes.iter().any(|note| note.contains("-J user=VALUE")), "{notes:?}");
    }

    /// Postman sends the type of a form also where all of its fields are disabled; without fields, it has no body.
    #[test]
    fn disabled_fields_leave_the_type_of_their_form() {
        let off = r#"[{"key": "a", "value": "b", "disabled": true}]"#;
        let on = r#"[{"key": "a", "value": "b"}, {"key": "c", "value": "d", "disabled": true}]"#;
        let form = "fields = [[\"Content-Type\", \"application/x-www-form-urlencoded\"]]";
        let parts = "fields = [[\"Content-Type\", \"multipart/form-data; boundary=${uuid()}\"]]";
        for (mode, fields, expected, absent) in [
            ("urlencoded", off, form, "parameters"),
            (
                "urlencoded",
                on,
                "parameters = [{ name = \"a\", value = \"b\", encode = true }]",
                "fields",
            ),
            ("urlencoded", "[]", "method = \"POST\"", "Content-Type"),
            ("formdata", off, parts, "parts ="),
            ("formdata", on, "parts = [{ name = \"a\", value = \"b\" }]", "Content-Type"),
            ("formdata", "[]", "method = \"POST\"", "Content-Type"),
        ] {
            let text = format!(
                r#"{{"info": {{}}, "item": [{{"name": "One", "request": {{"method": "POST", "url": "http://h/a",
                "body": {{"mode": "{mode}", "{mode}": {fields}}}}}}}]}}"#
            );
            let text = taken(&text).unwrap().text;
            assert!(text.contains(expected), "{mode} {fields}: {text}");
            assert!(!text.contains(absent), "{mode} {fields}: {text}");
        }
        let own = r#"{"info": {}, "item": [{"name": "One", "request": {"method": "POST", "url": "http://h/a",
            "header": [{"key": "content-type", "value": "text/plain"}],
            "body": {"mode": "urlencoded", "urlencoded": [{"key": "a", "disabled": true}]}}}]}"#;
        assert_eq!(taken(own).unwrap().text.matches("ype\",").count(), 1);
    }

    #[test]
    fn addresses_and_contents_are_those_that_postman_sends() {
        let text = r#"{"info": {}, "item": [
            {"name": "a", "request": {"method": "GET", "url": {"raw": "http://h/things/:id?x=1#there", "query": [{"key": "x", "value": "1"}], "variable": [{"key": "id", "value": "7"}]}, "body": {"mode": "raw", "raw": "not sent"}}},
            {"name": "b", "request": {"method": "DELETE", "url": {"protocol": "http", "host": ["h", "org"], "port": "81", "path": ["del"]}, "body": {"mode": "urlencoded", "urlencoded": [{"key": "a&b", "value": "x+y"}]}}},
            {"name": "c", "request": {"method": "POST", "url": "http://h/g", "body": {"mode": "graphql", "graphql": {"query": "query q($id: Int) {x}", "variables": "{\"id\": {{id}}}"}}}},
            {"name": "d", "request": {"method": "POST", "url": "http://h/g", "body": {"mode": "graphql", "graphql": {"query": "{x}", "variables": ""}}}}
            ]}"#;
        let Imported { text, .. } = taken(text).unwrap();
        for part in [
            r#"http = { path = "http://h/things/7?x=1", follow = "all" }"#,
            r#"method = "DELETE", path = "http://h.org:81/del", fields = [["Content-Type", "application/x-www-form-urlencoded"]], body = "a%26b=x%2By""#,
            r#"body = "{\"query\":\"query q($id: Int) {x}\",\"variables\":{\"id\": ${shared(id)}}}""#,
            r#"body = "{\"query\":\"{x}\"}""#,
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        let text = r#"{"info": {"schema": "https://schema.getpostman.com/json/collection/v2.0.0/collection.json"}, "item": [
            {"name": "a", "variable": [{"key": "x", "value": "1"}], "item": [
              {"name": "b", "protocolProfileBehavior": {"maxRedirects": 1}, "request": {"url": "http://h/", "header": "A: b", "proxy": {"host": "p"}}}]}]}"#;
        let problems = taken(text).unwrap_err();
        let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        for part in ["as v2.1", "Variables of a folder", "`maxRedirects`", "`proxy`", "as one text"]
        {
            assert!(said.iter().any(|said| said.contains(part)), "{part}: {said:?}");
        }
        let query = r#"{"info": {}, "item": [{"name": "a", "request": {"url": {"raw": "http://h/?a=1", "query": [{"key": "a", "value": "x&y#z"}]}}}]}"#;
        assert!(taken(query).unwrap().text.contains("http://h/?a=x%26y%23z"));
    }

    #[test]
    fn what_postman_cannot_send_is_refused() {
        let text = r#"{"info": {}, "item": [
            {"name": "a", "request": {"method": "GET", "url": {"query": []}}},
            {"name": "b", "request": {"method": "DELETE", "url": "http://h/", "body": {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "{{x}}"}]}}},
            {"name": "c", "request": {"method": "POST", "url": "http://h/", "body": {"mode": "graphql", "graphql": {"query": "{x}", "variables": "{"}}}}]}"#;
        let problems = taken(text).unwrap_err();
        let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let expected = [
            "The request has no address.",
            "A form with variables is not taken with DELETE.",
            "The variables are no JSON.",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn all_that_is_not_taken_comes_together() {
        let text = r#"{"info": {}, "item": [
            {"name": "a", "request": {"url": "http://h/{{$randomColor}}", "auth": {"type": "hawk"}},
             "event": [{"listen": "prerequest", "script": {"exec": ["for (;;) {}"]}}, {"listen": "test", "script": {"exec": ["// nothing"]}}]},
            {"name": "b", "request": {"method": "POST", "url": "http://h/", "body": {"mode": "file", "file": {"src": "/x"}}}}]}"#;
        let problems = taken(text).unwrap_err();
        let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        for part in ["{{$randomColor}}", "`hawk`", "`for (;;) {}`", "mode `file`"] {
            assert!(said.iter().any(|said| said.contains(part)), "{part}: {said:?}");
        }
        assert_eq!(problems.len(), 4);
        let left = convert("s", &Document::parse(text).unwrap(), &["a".into(), "b".into()]);
        assert_eq!(left.unwrap_err()[0].message, "There is no request.");
    }

    fn one(request: &str, more: &str) -> String {
        format!(r#"{{"info": {{}}, {more} "item": [{{"name": "a", "request": {request}}}]}}"#)
    }

    /// A value with variables is filled in where it is used, as Postman does.
    #[test]
    fn variables_have_variables() {
        let variables = r#""variable": [{"key": "base", "value": "http://{{host}}/v1"}, {"key": "host", "value": "h:81"},
            {"key": "u", "value": "{{$guid}}-{{other}}"}, {"key": "sign", "value": "${x}"}],"#;
        let text = taken(&one(r#""{{base}}/a?t={{u}}&s={{sign}}""#, variables)).unwrap().text;
        for part in [
            "target = \"http://h:81\"",
            "path = \"http://${host}/v1/a?t=${uuid()}-${shared(other)}&s=${sign}\"",
            "\"sign\" = \"$${x}\"",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let plain = r#""variable": [{"key": "host", "value": "h:81"}],"#;
        let text = taken(&one(r#""{{host}}/a""#, plain)).unwrap().text;
        assert!(text.contains("path = \"http://${host}/a\""), "{text}");
        let circle =
            r#""variable": [{"key": "a", "value": "{{b}}"}, {"key": "b", "value": "{{a}}"}],"#;
        let said = taken(&one(r#""http://h/{{a}}""#, circle)).unwrap_err();
        assert_eq!(said[0].message, "The variable {{a}} has itself in its value.");
        let doubled = |at: usize| {
            format!(r#"{{"key": "v{at}", "value": "{{{{v{0}}}}}{{{{v{0}}}}}"}}"#, at + 1)
        };
        let many: Vec<String> = (0..40).map(doubled).collect();
        let many = format!(r#""variable": [{}],"#, many.join(","));
        let said = taken(&one(r#""http://h/{{v0}}""#, &many)).unwrap_err();
        assert!(said[0].message.contains("filled in too often"), "{said:?}");
    }

    #[test]
    fn paths_and_authorizations_are_those_of_postman() {
        let path = r#"{"url": {"raw": "http://h/p/:id.json/:idx", "variable": [{"key": "id", "value": "7"}]}}"#;
        assert!(taken(&one(path, "")).unwrap().text.contains("path = \"http://h/p/7.json/:idx\""));
        for (auth, expected) in [
            (r#"{"type": "bearer", "bearer": [{"key": "token", "value": "t"}]}"#, "Bearer t"),
            (
                r#"{"type": "apikey", "apikey": [{"key": "key", "value": "AUTHORIZATION"}, {"key": "value", "value": "k"}]}"#,
                "k",
            ),
        ] {
            let request = format!(
                r#"{{"url": "http://h/", "header": [{{"key": "authorization", "value": "own"}}], "auth": {auth}}}"#
            );
            let text = taken(&one(&request, "")).unwrap().text;
            assert!(text.contains(expected) && !text.contains("own"), "{text}");
        }
        let query = r#"{"url": "http://h/?k=own&l=1", "auth": {"type": "apikey", "apikey": [{"key": "key", "value": "k"}, {"key": "value", "value": "v"}, {"key": "in", "value": "query"}]}}"#;
        assert!(taken(&one(query, "")).unwrap().text.contains("path = \"http://h/?l=1&k=v\""));
    }

    /// What two scopes set, what a list has besides members, and tests that cannot both pass are refused.
    #[test]
    fn scripts_that_mean_something_else_are_refused() {
        let set = |scope: &str, key: &str, path: &str| {
            format!(r#""pm.{scope}.set(\"{key}\", pm.response.json(){path});""#)
        };
        let collection = |lines: &[String]| {
            let more =
                r#""variable": [{"key": "t", "value": "1"}, {"key": "n", "value": "{{t}}"}],"#;
            let event =
                format!(r#"{{"listen": "test", "script": {{"exec": [{}]}}}}"#, lines.join(","));
            format!(
                r#"{{"info": {{}}, {more} "item": [{{"name": "a", "request": "http://h/", "event": [{event}]}}]}}"#
            )
        };
        let status = |status: u16| format!("\"pm.response.to.have.status({status});\"");
        for (lines, words) in [
            (
                vec![set("globals", "t", ".a")],
                "`t` of `pm.globals` is a variable of the collection too",
            ),
            (vec![set("environment", "n", ".a")], "with variables in its value"),
            (
                vec![set("environment", "x", ".a"), set("collectionVariables", "x", ".b")],
                "`x` of `pm.collectionVariables` is `pm.environment` too",
            ),
            (vec![set("environment", "x", ".list.length")], ".list.length);` is not taken"),
            (vec![status(200), status(201)], "the statuses 200 and 201 cannot both pass"),
        ] {
            let said = taken(&collection(&lines)).unwrap_err();
            assert!(said.iter().any(|said| said.message.contains(words)), "{words}: {said:?}");
        }
        let twice = collection(&[
            set("environment", "x", ".a"),
            set("environment", "x", ".b"),
            status(200),
            status(200),
        ]);
        let text = taken(&twice).unwrap().text;
        assert!(text.contains("capture = { \"x\" = { path = \"$.b\" } }"), "{text}");
    }
}
