//! OpenAPI documents: GET and POST operations with example values; keys in paths come from the pages
//! that list them.

mod api;
mod body;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Problem;
use super::write::{plain, quoted, unique};
use api::{Api, escaped};
use body::Bodies;

/// The methods that are taken.
const METHODS: [&str; 2] = ["get", "post"];
/// The last segments of paths whose POST is a search.
const SEARCHES: [&str; 3] = ["search", "_search", "query"];

/// The workload file of a document.
///
/// # Errors
/// The first construct that cannot be taken.
pub fn openapi(name: &str, text: &str) -> Result<String, Problem> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| Problem::new(error.line().max(1), format!("It is not JSON: {error}.")))?;
    let api = Api { text, document: &document };
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.") => {}
        Some(version) => {
            return Err(api.problem("/openapi", format!("OpenAPI {version} is not taken, 3.x is.")));
        }
        None => {
            let message = "It is no OpenAPI document of version 3: there is no `openapi`.";
            return Err(Problem::new(1, message));
        }
    }
    Importer::new(&api).convert(name)
}

/// A collection that a page lists, and its key.
#[derive(Clone, Debug)]
struct Collection {
    /// The path of the page.
    path: String,
    /// The key's parameter, which is the member of items too.
    key: String,
    /// Where a page has its items.
    items: String,
    /// The feeder of its keys.
    feeder: String,
}

struct Importer<'a> {
    api: &'a Api<'a>,
    names: BTreeSet<String>,
    shorts: BTreeSet<String>,
    collections: Vec<Collection>,
    /// The collections whose keys are used.
    used: BTreeSet<String>,
    feeders: Vec<(String, String)>,
}

impl<'a> Importer<'a> {
    fn new(api: &'a Api<'a>) -> Self {
        Self {
            api,
            names: BTreeSet::new(),
            shorts: BTreeSet::new(),
            collections: Vec::new(),
            used: BTreeSet::new(),
            feeders: Vec::new(),
        }
    }

    fn convert(mut self, name: &str) -> Result<String, Problem> {
        let nothing = || self.api.problem("/paths", "There is no GET and no POST.");
        let paths = self.api.document.get("paths").and_then(Value::as_object);
        let paths = paths.ok_or_else(nothing)?;
        for path in paths.keys() {
            self.find_collection(paths, path)?;
        }
        let mut transactions = String::new();
        for (path, item) in paths {
            let at = format!("/paths/{}", escaped(path));
            let item = self.api.resolved(item, &at)?;
            for method in METHODS {
                if let Some(operation) = item.get(method) {
                    let at = format!("{at}/{method}");
                    transactions += &self.operation(path, method, item, operation, &at)?;
                }
            }
        }
        if transactions.is_empty() {
            return Err(self.api.problem("/paths", "There is no GET and no POST."));
        }
        Ok(self.file(name, &transactions))
    }

    fn file(&self, name: &str, transactions: &str) -> String {
        let mut text = format!(
            "# From OpenAPI: GET and POST, others are left out.\n[workload]\nname = {}\n",
            quoted(name)
        );
        let server = self.api.document.pointer("/servers/0/url").and_then(Value::as_str);
        if let Some(server) = server.filter(|url| url.starts_with("http") && !url.contains('{')) {
            text += &format!("target = {}\n", quoted(server.trim_end_matches('/')));
        }
        let used = |collection: &&Collection| self.used.contains(&collection.feeder);
        let listed: Vec<&Collection> = self.collections.iter().filter(used).collect();
        if !listed.is_empty() {
            text += "setup = [\n";
            for Collection { path, key, items, feeder } in &listed {
                text += &format!(
                    "  {{ request = {}, capture.{feeder}_all = {{ json = {}, each = {} }} }},\n",
                    quoted(&plain(&format!("GET {path}"))),
                    quoted(items),
                    quoted(&format!("/{}", escaped(key)))
                );
            }
            text += "]\n";
        }
        if !listed.is_empty() || !self.feeders.is_empty() {
            text += "\n[feeders]\n";
        }
        for collection in listed {
            let feeder = &collection.feeder;
            text += &format!("{feeder} = {{ list = [\"${{{feeder}_all}}\"] }}\n");
        }
        for (name, source) in &self.feeders {
            text += &format!("{name} = {{ {source} }}\n");
        }
        text + transactions
    }

    /// Finds `/things/` and its `/things/{key}`, whose key is a member of the listed items.
    fn find_collection(
        &mut self,
        paths: &serde_json::Map<String, Value>,
        path: &str,
    ) -> Result<(), Problem> {
        let Some((parent, last)) = path.trim_end_matches('/').rsplit_once('/') else {
            return Ok(());
        };
        let Some(key) = last.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return Ok(());
        };
        if parent.contains('{') {
            return Ok(());
        }
        let spellings = [format!("{parent}/"), parent.to_owned()];
        let Some(listed) = spellings
            .iter()
            .find(|path| paths.get(*path).is_some_and(|item| item.get("get").is_some()))
        else {
            return Ok(());
        };
        let at = format!("/paths/{}/get", escaped(listed));
        let operation = self.api.document.pointer(&at).unwrap_or(&Value::Null);
        let bodies = Bodies { api: self.api };
        let Some((items, item)) = bodies.listed(operation, &at)? else { return Ok(()) };
        let key = match () {
            () if item.contains(key) => key.to_owned(),
            () if item.contains("id") => "id".to_owned(),
            () => return Ok(()),
        };
        let word = parent.rsplit('/').next().unwrap_or_default();
        let feeder = unique(&format!("{word}_key"), &mut self.names);
        self.names.insert(format!("{feeder}_all").to_lowercase());
        self.collections.push(Collection { path: listed.clone(), key, items, feeder });
        Ok(())
    }

    fn operation(
        &mut self,
        path: &str,
        method: &str,
        item: &'a Value,
        operation: &'a Value,
        at: &str,
    ) -> Result<String, Problem> {
        let bodies = Bodies { api: self.api };
        let parameters = bodies.parameters(item, operation, at)?;
        let target = self.path(path, &parameters, at)?;
        let mut lines = String::new();
        let mut weight = 1;
        for parameter in parameters.iter().filter(|it| it.place == "header" && it.is_required) {
            let value = plain(&parameter.example(self.api)?);
            lines += &format!("headers.{} = {}\n", quoted(&parameter.name), quoted(&value));
        }
        if method == "post" {
            let creates =
                self.collections.iter().find(|collection| collection.path == path).cloned();
            let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            // What it sends may not be repeatable, so that it is left to the user.
            weight = u8::from(creates.is_some() || SEARCHES.contains(&last));
            if let Some(body) = self.body(operation, creates.as_ref(), at)? {
                lines += &format!("body = {}\n", quoted(&body));
            }
        }
        let statuses = statuses(operation);
        if !statuses.is_empty() {
            lines += &format!("check.status = {statuses:?}\n");
        }
        let request = format!("{} {target}", method.to_uppercase());
        let name = operation.get("summary").and_then(Value::as_str).unwrap_or(&request);
        let id = operation.get("operationId").and_then(Value::as_str).unwrap_or(&request);
        let short = unique(id, &mut self.shorts);
        Ok(format!(
            "\n[[transaction]]\nname = {}\nshort = {}\nweight = {weight}\n\n[[transaction.step]]\nrequest = {}\n{lines}",
            quoted(name),
            quoted(&short),
            quoted(&request)
        ))
    }

    /// The path with values in it, and the required parameters of the query.
    fn path(
        &mut self,
        path: &str,
        parameters: &[body::Parameter<'a>],
        at: &str,
    ) -> Result<String, Problem> {
        let mut text = String::new();
        let mut rest = path;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, after)) = behind.split_once('}') else { break };
            text += &plain(before);
            let parent = format!("{}/", before.trim_end_matches('/'));
            let parent = parent.as_str();
            let is_of = |it: &&Collection| format!("{}/", it.path.trim_end_matches('/')) == parent;
            let whole = !text.contains("${");
            match self.collections.iter().find(is_of).filter(|_| whole) {
                Some(collection) => {
                    let feeder = collection.feeder.clone();
                    text += &format!("${{{feeder}}}");
                    self.used.insert(feeder);
                }
                None => {
                    let parameter =
                        parameters.iter().find(|it| it.place == "path" && it.name == name);
                    let value =
                        parameter.map(|parameter| parameter.example(self.api)).transpose()?;
                    let Some(value) = value else {
                        let message =
                            format!("The parameter {{{name}}} of {path} is not described.");
                        return Err(self.api.problem(at, message));
                    };
                    text += &encoded(&value);
                }
            }
            rest = after;
        }
        text += &plain(rest);
        let mut separator = '?';
        for parameter in parameters.iter().filter(|it| it.place == "query" && it.is_required) {
            let value = encoded(&parameter.example(self.api)?);
            text += &format!("{separator}{}={value}", encoded(&parameter.name));
            separator = '&';
        }
        Ok(text)
    }

    /// The content of a POST. A new item of a collection gets a new key, and keys of others are those
    /// that are listed.
    fn body(
        &mut self,
        operation: &'a Value,
        creates: Option<&Collection>,
        at: &str,
    ) -> Result<Option<String>, Problem> {
        let bodies = Bodies { api: self.api };
        let Some((mut body, schema)) = bodies.example(operation, at)? else { return Ok(None) };
        let (mut placed, mut ends) = (BTreeMap::new(), Vec::new());
        if let (Some(collection), Some(members)) = (creates, body.as_object_mut()) {
            Bodies::keep_required(members, schema);
            let new_key = members.get(&collection.key).cloned();
            let mut new_key = new_key.map(|example| self.new_key(collection, &example));
            let has_text = members.iter().any(|(name, value)| {
                value.as_str().is_some_and(|text| bodies.is_free_text(schema, name, text))
            });
            if new_key.is_none() && has_text {
                new_key = Some(self.new_key(collection, &1.into()));
            }
            for (name, value) in members.iter_mut() {
                let feeder = if *name == collection.key {
                    new_key.clone()
                } else {
                    let others = self.collections.iter();
                    let listed = others.filter(|other| other.key == *name && other.key != "id");
                    let listed = listed.map(|other| other.feeder.clone()).next();
                    listed.inspect(|feeder| {
                        self.used.insert(feeder.clone());
                    })
                };
                if let Some(feeder) = feeder.filter(|_| !value.is_array() && !value.is_object()) {
                    let mark = format!("@{feeder}@");
                    placed.insert(mark.clone(), (feeder, value.is_string()));
                    *value = mark.into();
                } else if let (Some(text), Some(key)) = (value.as_str(), &new_key)
                    && bodies.is_free_text(schema, name, text)
                {
                    // It may have to be unique.
                    let mark = format!("@{key}@ in {text}");
                    ends.push((mark.clone(), format!("{} ${{{key}}}", plain(text))));
                    *value = mark.into();
                }
            }
        }
        let mut text = plain(&body.to_string());
        for (mark, (feeder, is_text)) in placed {
            let place =
                if is_text { format!("\"${{{feeder}}}\"") } else { format!("${{{feeder}}}") };
            text = text.replace(&format!("\"{mark}\""), &place);
        }
        for (mark, place) in ends {
            let [mark, place] = [mark, place].map(|text| Value::from(text).to_string());
            text = text.replace(&plain(&mark), &place);
        }
        Ok(Some(text))
    }

    /// A feeder of keys that are not there yet, like the example.
    fn new_key(&mut self, collection: &Collection, example: &Value) -> String {
        let word = collection.feeder.trim_end_matches("_key");
        let name = unique(&format!("{word}_new"), &mut self.names);
        let source = match example {
            Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => {
                "uuid = true".to_owned()
            }
            Value::String(_) => "text = [12, 12]".to_owned(),
            _ => "uniform = [1000000000, 2000000000]".to_owned(),
        };
        self.feeders.push((name.clone(), source));
        name
    }
}

/// The statuses of success that a document names.
fn statuses(operation: &Value) -> Vec<u16> {
    let named = operation.get("responses").and_then(Value::as_object);
    let numbers =
        named.into_iter().flat_map(serde_json::Map::keys).filter_map(|key| key.parse().ok());
    let mut statuses: Vec<u16> = numbers.filter(|status| (200..300).contains(status)).collect();
    statuses.sort_unstable();
    statuses
}

/// A value in a path or a query.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b',' | b':' => {
                out.push(byte as char);
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(paths: &str) -> String {
        format!(
            "{{\n\"openapi\": \"3.1.0\",\n\"servers\": [{{\"url\": \"http://h/a/\"}}],\n\"paths\": {{\n{paths}\n}},\n\
             \"components\": {{\"schemas\": {{\"New\": {{\"type\": \"object\", \"required\": [\"team_id\", \"name\"],\n\
             \"properties\": {{\"team_id\": {{\"type\": \"integer\"}}, \"name\": {{\"type\": \"string\"}}, \"at\": {{\"type\": \"string\"}}}}}}}}}}}}"
        )
    }

    const PAGE: &str = r##"{"get": {"operationId": "list", "responses": {"200": {"content": {"application/json": {"schema":
        {"properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/New"}}}}}}}}}, "post":
        {"operationId": "make", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"},
        "example": {"team_id": 1, "name": "a ${b}", "at": "now"}}}}, "responses": {"201": {}, "400": {}}}}"##;

    #[test]
    fn documents_become_files() {
        let item = r#"{"get": {"summary": "One", "parameters": [{"name": "team_id", "in": "path", "required": true},
            {"name": "limit", "in": "query", "required": true, "schema": {"type": "integer", "default": 5}}], "responses": {"200": {}}}}"#;
        let text = document(&format!("\"/team/\": {PAGE},\n\"/team/{{team_id}}\": {item}"));
        let expected = r#"# From OpenAPI: GET and POST, others are left out.
[workload]
name = "api"
target = "http://h/a"
setup = [
  { request = "GET /team/", capture.team_key_all = { json = "/items", each = "/team_id" } },
]

[feeders]
team_key = { list = ["${team_key_all}"] }
team_new = { uniform = [1000000000, 2000000000] }

[[transaction]]
name = "GET /team/"
short = "list"
weight = 1

[[transaction.step]]
request = "GET /team/"
check.status = [200]

[[transaction]]
name = "POST /team/"
short = "make"
weight = 1

[[transaction.step]]
request = "POST /team/"
body = "{\"team_id\":${team_new},\"name\":\"a $${b} ${team_new}\"}"
check.status = [201]

[[transaction]]
name = "One"
short = "GET__team___team_key__limit_5"
weight = 1

[[transaction.step]]
request = "GET /team/${team_key}?limit=5"
check.status = [200]
"#;
        assert_eq!(openapi("api", &text).unwrap(), expected);
    }

    #[test]
    fn what_is_not_taken_has_its_line() {
        let get = |parameters: &str| {
            document(&format!(
                "\"/a/{{b}}\":\n{{\"get\": {{\"parameters\": [\n{parameters}], \"responses\": {{}}}}}}"
            ))
        };
        let form = "\"/a\": {\n\"post\": {\"requestBody\": {\"required\": true, \"content\": {\n\"multipart/form-data\": {}}}}}";
        for (text, line, said) in [
            ("openapi: 3.0.0".to_owned(), 1, "It is not JSON"),
            ("{\"swagger\": \"2.0\"}".to_owned(), 1, "no OpenAPI document of version 3"),
            ("{\n\"openapi\": \"4.0\"}".to_owned(), 2, "OpenAPI 4.0 is not taken"),
            (document(""), 4, "There is no GET and no POST."),
            (get(""), 6, "The parameter {b} of /a/{b} is not described."),
            (get("{\"name\": \"b\", \"in\": \"path\"}"), 7, "The parameter `b` has no example"),
            (get("{\"$ref\": \"other.json#/b\"}"), 7, "leads out of the document"),
            (document(form), 7, "`multipart/form-data`"),
        ] {
            let problem = openapi("api", &text).unwrap_err();
            assert!(problem.line == line && problem.message.contains(said), "{text}: {problem:?}");
        }
    }
}
