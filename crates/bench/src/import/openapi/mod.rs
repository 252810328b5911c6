//! OpenAPI documents 3.0 and 3.1: operations with example values; keys in paths come from the pages that list them.

mod api;
mod body;
mod parameter;
mod security;
mod server;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::document::{Document, escaped};
use super::write::{plain, quoted, unique};
use super::{Imported, Problem};
use api::Api;
use body::{Bodies, Content};
use parameter::{Parameter, encoded};
use server::Server;

/// The methods of operations. Those that change something have weight 0, but for a POST that makes a new item or
/// searches: whether the others may be repeated is left to the user.
pub(super) const METHODS: [&str; 8] =
    ["get", "post", "put", "patch", "delete", "head", "options", "query"];
/// The methods that change nothing, of which a read has weight 1.
const READS: [&str; 2] = ["get", "query"];
/// The last segments of paths whose POST is a search.
const SEARCHES: [&str; 3] = ["search", "_search", "query"];

/// The workload file of a document.
///
/// # Errors
/// All that cannot be taken.
pub(super) fn convert(
    name: &str,
    document: &Document,
    passed_over: &[String],
) -> Result<Imported, Vec<Problem>> {
    let api = Api { document };
    match api.at("/openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.0") || version.starts_with("3.1") => {}
        version => {
            let version = version.unwrap_or("of no version");
            let message = format!("OpenAPI {version} is not taken, 3.0 and 3.1 are.");
            return Err(vec![api.problem("/openapi", message)]);
        }
    }
    Importer::new(&api, passed_over).convert(name)
}

/// A collection that a page lists, and its key.
#[derive(Clone, Debug)]
struct Collection {
    /// The path of the page.
    path: String,
    /// The same with the parameters that it requires, as `setup` asks for it.
    request: String,
    /// The header fields that `setup` needs, as lines of a step.
    fields: String,
    /// The key's parameter, which is the member of items too.
    key: String,
    /// Where a page has its items.
    items: String,
    /// The feeder of its keys.
    feeder: String,
}

/// An operation of a path.
struct Operation<'o, 'a> {
    path: &'o str,
    method: &'o str,
    /// What the document says of the path.
    item: &'a Value,
    operation: &'a Value,
    /// Where the operation is in the document.
    at: &'o str,
}

struct Importer<'a> {
    api: &'a Api<'a>,
    passed_over: &'a [String],
    names: BTreeSet<String>,
    shorts: BTreeSet<String>,
    collections: Vec<Collection>,
    /// The collections whose keys are used.
    used: BTreeSet<String>,
    feeders: Vec<(String, String)>,
    notes: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl<'a> Importer<'a> {
    fn new(api: &'a Api<'a>, passed_over: &'a [String]) -> Self {
        Self {
            api,
            passed_over,
            names: BTreeSet::new(),
            shorts: BTreeSet::new(),
            collections: Vec::new(),
            used: BTreeSet::new(),
            feeders: Vec::new(),
            notes: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    fn convert(mut self, name: &str) -> Result<Imported, Vec<Problem>> {
        let paths = self.api.at("/paths").and_then(Value::as_object);
        for path in paths.into_iter().flat_map(serde_json::Map::keys) {
            // What is wrong with it is said where its operation is taken.
            let _ = self.find_collection(path);
        }
        let mut transactions = String::new();
        for (path, item) in paths.into_iter().flatten() {
            let at = format!("/paths/{}", escaped(path));
            let item = match self.api.resolved(item, &at) {
                Ok(item) => item,
                Err(problem) => {
                    self.problems.push(problem);
                    continue;
                }
            };
            for method in METHODS {
                let Some(operation) = item.get(method) else { continue };
                if self.is_passed_over(path, method, operation) {
                    continue;
                }
                let at = format!("{at}/{method}");
                match self.operation(&Operation { path, method, item, operation, at: &at }) {
                    Ok(transaction) => transactions += &transaction,
                    Err(problem) => self.problems.push(problem),
                }
            }
        }
        if transactions.is_empty() && self.problems.is_empty() {
            self.problems.push(self.api.problem("/paths", "There is no operation."));
        }
        let server = Server::of(self.api);
        self.problems.extend(server.problems.iter().cloned());
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        self.notes.extend(server.note.clone());
        let text = self.file(name, &server, &transactions);
        Ok(Imported { text, notes: self.notes.into_iter().collect() })
    }

    /// Whether an operation is left out, by its id or by its method and path.
    fn is_passed_over(&self, path: &str, method: &str, operation: &Value) -> bool {
        let id = operation.get("operationId").and_then(Value::as_str);
        let request = format!("{} {path}", method.to_uppercase());
        self.passed_over.iter().any(|name| Some(name.as_str()) == id || *name == request)
    }

    fn file(&self, name: &str, server: &Server, transactions: &str) -> String {
        let mut text =
            "# From OpenAPI. What may not be repeatable has weight 0: see --enable.\n".to_owned();
        for note in &self.notes {
            text += &format!("# {note}\n");
        }
        text += &format!("[workload]\nname = {}\n", quoted(name));
        if let Some(target) = &server.target {
            text += &format!("target = {}\n", quoted(target));
        }
        let used = |collection: &&Collection| self.used.contains(&collection.feeder);
        let listed: Vec<&Collection> = self.collections.iter().filter(used).collect();
        if !listed.is_empty() {
            text += "setup = [\n";
            for Collection { request, fields, key, items, feeder, .. } in &listed {
                text += &format!(
                    "  {{ request = {},{fields} capture.{feeder}_all = {{ json = {}, each = {} }} }},\n",
                    quoted(&format!("GET {request}")),
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
    fn find_collection(&mut self, path: &str) -> Result<(), Problem> {
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
        let found = spellings.iter().find_map(|path| {
            let at = format!("/paths/{}", escaped(path));
            let item = self.api.resolved(self.api.at(&at)?, &at).ok()?;
            Some((path.clone(), format!("{at}/get"), item, item.get("get")?))
        });
        let Some((listed, at, item, operation)) = found else { return Ok(()) };
        let Some((items, names)) = (Bodies { api: self.api }).listed(operation, &at)? else {
            return Ok(());
        };
        let key = match () {
            () if names.contains(key) => key.to_owned(),
            () if names.contains("id") => "id".to_owned(),
            () => return Ok(()),
        };
        let word = parent.rsplit('/').next().unwrap_or_default();
        let feeder = unique(&format!("{word}_key"), &mut self.names);
        self.names.insert(format!("{feeder}_all").to_lowercase());
        let parameters = Parameter::all(self.api, item, operation, &at)?;
        let mut fields = String::new();
        let mut request = plain(&listed);
        request += &self.query(&parameters, operation, &at, &mut |name, value| {
            fields += &format!(" headers.{} = {},", quoted(name), quoted(value));
        })?;
        self.collections.push(Collection { path: listed, request, fields, key, items, feeder });
        Ok(())
    }

    /// The query with the required parameters and the keys that are sent so; header fields are given to `field`.
    fn query(
        &mut self,
        parameters: &[Parameter<'a>],
        operation: &'a Value,
        at: &str,
        field: &mut dyn FnMut(&str, &str),
    ) -> Result<String, Problem> {
        let credentials = security::credentials(self.api, operation, at)?;
        self.notes.extend(credentials.notes);
        let required = |place: &'static str| {
            parameters.iter().filter(move |it| it.place == place && it.is_required)
        };
        for parameter in required("header") {
            field(&parameter.name, &plain(&parameter.simple(self.api)?.0));
        }
        let mut cookies = Vec::new();
        for parameter in required("cookie") {
            let pairs = parameter.pairs(self.api)?;
            cookies.extend(pairs.iter().map(|(name, value)| plain(&format!("{name}={value}"))));
        }
        for (name, value) in credentials.fields {
            match name.eq_ignore_ascii_case("cookie") {
                true => cookies.push(value),
                false => field(&name, &value),
            }
        }
        if !cookies.is_empty() {
            field("Cookie", &cookies.join("; "));
        }
        let mut pairs = Vec::new();
        for parameter in required("query") {
            let own = parameter.pairs(self.api)?;
            pairs.extend(
                own.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))),
            );
        }
        pairs.extend(credentials.query);
        Ok(if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) })
    }

    fn operation(&mut self, operation: &Operation<'_, 'a>) -> Result<String, Problem> {
        let Operation { path, method, item, operation, at } = *operation;
        for (owner, at) in
            [(item, at.rsplit_once('/').map_or("", |(above, _)| above)), (operation, at)]
        {
            if owner.get("servers").is_some() {
                let message = "A server of its own is not taken: a workload has one target.";
                return Err(self.api.problem(&format!("{at}/servers"), message));
            }
        }
        let parameters = Parameter::all(self.api, item, operation, at)?;
        let mut target = self.path(path, &parameters, at)?;
        let mut lines = String::new();
        target += &self.query(&parameters, operation, at, &mut |name, value| {
            lines += &format!("headers.{} = {}\n", quoted(name), quoted(value));
        })?;
        let creates = self.collections.iter().find(|collection| collection.path == path).cloned();
        let creates = creates.filter(|_| method == "post");
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let is_search = method == "post" && SEARCHES.contains(&last);
        let weight = u8::from(READS.contains(&method) || creates.is_some() || is_search);
        if !["get", "head"].contains(&method) {
            lines += &self.body(operation, creates.as_ref(), at)?;
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

    /// The path with values in it.
    fn path(
        &mut self,
        path: &str,
        parameters: &[Parameter<'a>],
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
                    let Some(parameter) = parameter else {
                        let message =
                            format!("The parameter {{{name}}} of {path} is not described.");
                        return Err(self.api.problem(at, message));
                    };
                    let (value, is_given) = parameter.simple(self.api)?;
                    if !is_given {
                        self.notes.insert(format!(
                            "{{{name}}} of {path} has no example, and no page lists its values: it is {value:?}."
                        ));
                    }
                    text += &encoded(&value);
                }
            }
            rest = after;
        }
        text += &plain(rest);
        Ok(text)
    }

    /// The content of a request, as lines of a step. A new item of a collection gets a new key, and keys of others are
    /// those that are listed.
    fn body(
        &mut self,
        operation: &'a Value,
        creates: Option<&Collection>,
        at: &str,
    ) -> Result<String, Problem> {
        let bodies = Bodies { api: self.api };
        let (mut body, schema, media) = match bodies.example(operation, at)? {
            None => return Ok(String::new()),
            Some(Content::Text { text, media }) => {
                let [media, text] = [media, plain(&text)].map(|text| quoted(&text));
                return Ok(format!("headers.Content-Type = {media}\nbody = {text}\n"));
            }
            Some(Content::Json { value, schema, media }) => (value, schema, media),
        };
        let (mut placed, mut ends) = (BTreeMap::new(), Vec::new());
        if let (Some(collection), Some(members)) = (creates, body.as_object_mut()) {
            Bodies::keep_required(members, &schema);
            let new_key = members.get(&collection.key).cloned();
            let mut new_key = new_key.map(|example| self.new_key(collection, &example));
            let has_text = members.iter().any(|(name, value)| {
                value.as_str().is_some_and(|text| bodies.is_free_text(&schema, name, text))
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
                    && bodies.is_free_text(&schema, name, text)
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
        let media = media.map(|media| format!("headers.Content-Type = {}\n", quoted(&media)));
        Ok(format!("{}body = {}\n", media.unwrap_or_default(), quoted(&text)))
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

/// The registered statuses that `2XX` means.
const SUCCESSES: [u16; 10] = [200, 201, 202, 203, 204, 205, 206, 207, 208, 226];

/// The statuses of success that a document names.
fn statuses(operation: &Value) -> Vec<u16> {
    let named = operation.get("responses").and_then(Value::as_object);
    let mut statuses = Vec::new();
    for key in named.into_iter().flat_map(serde_json::Map::keys) {
        match key.parse() {
            Ok(status) => statuses.push(status),
            Err(_) if key.eq_ignore_ascii_case("2XX") => statuses.extend(SUCCESSES),
            Err(_) => {}
        }
    }
    statuses.retain(|status| (200..300).contains(status));
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_statuses_is_all_of_them() {
        let of = |responses: Value| statuses(&serde_json::json!({ "responses": responses }));
        assert_eq!(of(serde_json::json!({ "404": {}, "201": {}, "200": {} })), [200, 201]);
        assert_eq!(of(serde_json::json!({ "200": {}, "2XX": {}, "default": {} })), SUCCESSES);
    }

    fn taken(text: &str) -> Result<Imported, Vec<Problem>> {
        convert("api", &Document::parse(text).unwrap(), &[])
    }

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
        let expected = r#"# From OpenAPI. What may not be repeatable has weight 0: see --enable.
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
        assert_eq!(taken(&text).unwrap().text, expected);
    }

    #[test]
    fn what_is_not_taken_has_its_line() {
        let get = |parameters: &str| {
            document(&format!(
                "\"/a/{{b}}\":\n{{\"get\": {{\"parameters\": [\n{parameters}], \"responses\": {{}}}}}}"
            ))
        };
        let form = "\"/a\": {\n\"post\": {\"requestBody\": {\"required\": true, \"content\": {\n\"multipart/form-data\": {}}}}}";
        let own = "\"/a\": {\"get\": {\n\"servers\": [{\"url\": \"http://o\"}]}}";
        for (text, line, said) in [
            ("openapi: 2\n".to_owned(), 1, "OpenAPI of no version is not taken"),
            ("{\n\"openapi\": \"4.0\"}".to_owned(), 2, "OpenAPI 4.0 is not taken"),
            (document(""), 4, "There is no operation."),
            (get(""), 6, "The parameter {b} of /a/{b} is not described."),
            (get("{\"name\": \"b\", \"in\": \"path\"}"), 7, "The parameter `b` has no example"),
            (get("{\"$ref\": \"other.json#/b\"}"), 7, "leads out of the document"),
            (document(form), 7, "`multipart/form-data`"),
            (document(own), 6, "A server of its own"),
        ] {
            let problems = taken(&text).unwrap_err();
            let [problem] = &problems[..] else { panic!("{text}: {problems:?}") };
            assert!(problem.line == line && problem.message.contains(said), "{text}: {problem:?}");
        }
        // All of it together, and what is passed over.
        let two = document(&format!("{form},\n\"/c/{{d}}\": {{\"get\": {{}}}}"));
        assert_eq!(taken(&two).unwrap_err().len(), 2);
        let parsed = Document::parse(&two).unwrap();
        let left = convert("api", &parsed, &["POST /a".into(), "GET /c/{d}".into()]).unwrap_err();
        assert_eq!(left[0].message, "There is no operation.");
        assert_eq!(convert("api", &parsed, &["POST /a".into()]).unwrap_err().len(), 1);
    }

    #[test]
    fn schemas_parameters_and_security_of_yaml() {
        let text = r##"
openapi: 3.0.3
servers:
  - url: https://{host}/v1
    variables: {host: {default: api.example.com}}
  - url: http://other/
security: [{key: []}]
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - {name: tags, in: query, required: true, schema: {type: array, items: {type: string, enum: [a b, c]}}}
        - {name: ids, in: query, required: true, explode: false, example: [1, 2], schema: {type: array}}
        - {name: where, in: query, required: true, style: deepObject, example: {a: 1}, schema: {type: object}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: sid, in: cookie, required: true, schema: {type: string}}
      responses: {200: {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}
    post:
      security: [{oauth: []}]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {201: {}}
  /pets/{id}:
    get: {security: [], responses: {200: {}}}
    delete: {security: [{}], responses: {204: {}}}
  /days/{day}:
    get:
      parameters: [{name: day, in: path, required: true, schema: {type: string, format: date}}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    oauth: {type: oauth2, flows: {}}
  schemas:
    Named: {type: object, required: [name], properties: {name: {type: string, maxLength: 10}}}
    Pet:
      allOf:
        - $ref: "#/components/schemas/Named"
        - {type: object, required: [id, legs], properties: {id: {type: integer}, legs: {type: integer, minimum: 2}}}
"##;
        let Imported { text, notes } = taken(text).unwrap();
        let list = "GET /pets?tags=a%20b&ids=1,2&where%5Ba%5D=1";
        for part in [
            "target = \"https://api.example.com/v1\"\n".to_owned(),
            format!(
                "setup = [\n  {{ request = \"{list}\", headers.\"X-Key\" = \"${{env.API_KEY}}\", headers.\"Cookie\" = \"sid=text\", capture.pets_key_all = {{ json = \"\", each = \"/id\" }} }},\n]"
            ),
            format!("request = \"{list}\"\nheaders.\"X-Key\" = \"${{env.API_KEY}}\"\n"),
            "request = \"GET /pets/${pets_key}\"\ncheck.status = [200]\n".to_owned(),
            "weight = 0\n\n[[transaction.step]]\nrequest = \"DELETE /pets/${pets_key}\"".to_owned(),
            "request = \"GET /days/2025-01-01\"\n".to_owned(),
            "\\\"legs\\\":2".to_owned(),
            "\\\"name\\\":\\\"text\\\"".to_owned(),
        ] {
            assert!(text.contains(&part), "{part}\n{text}");
        }
        let notes = notes.join("\n");
        for part in
            ["`key`: set API_KEY", "`oauth`: give --token", "{day} of /days/{day}", "http://other/"]
        {
            assert!(notes.contains(part), "{part}: {notes}");
        }
        let unknown = "openapi: 3.0.0\npaths:\n  /a:\n    get: {security: [{x: []}]}\ncomponents: {securitySchemes: {x: {type: mutualTLS}}}\n";
        let problems = taken(unknown).unwrap_err();
        assert!(problems[0].message.contains("(mutualTLS) is not taken"), "{problems:?}");
        assert_eq!(problems[0].line, 5);
    }
}
