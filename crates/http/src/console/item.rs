//! The page of an item: shown, changed, made and deleted.

use bytes::Bytes;
use duet_console::address::{query, shell_word};
use duet_console::cell::label_of;
use duet_console::item::{Field, Form as Kind, Item, Reference, Shown, merged};
use duet_console::json_tree::JsonTree;
use duet_console::page::{Problem, Section};
use duet_model::key::percent_decode;
use hyper::header::{CONTENT_TYPE, ETAG, IF_MATCH, LOCATION};
use hyper::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::call::CallAnswer;
use super::changes::collected;
use super::design::texts::downloaded;
use super::form::Form;
use super::place::{At, Facts};
use super::visit::{Visit, see, shown};
use crate::answer::reply::Reply;

const JSON: &str = "application/json";
/// Changes of members, the others stay (RFC 7396).
const MERGE_PATCH: &str = "application/merge-patch+json";
/// Bytes of a value that a form has room for; larger ones are files.
const LARGEST: usize = 256 << 10;

/// The bytes of a value, as a form would show it.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(_) | Value::Object(_) => value.to_string().len(),
        _ => 0,
    }
}

/// Bytes in words, with a blank between thousands.
fn in_words(bytes: usize) -> String {
    let digits = bytes.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    format!("{} bytes", groups.collect::<Vec<_>>().join(" "))
}

/// What the database has of an item.
struct Stored {
    facts: Facts,
    schema: Value,
    whole: Map<String, Value>,
    refers: Vec<Reference>,
    etag: String,
    may_edit: bool,
}

impl Stored {
    async fn of(visit: &Visit<'_>, at: &At) -> Result<Self, CallAnswer> {
        let facts = Facts::of(visit, &at.mount, &at.resource).await?;
        let schema = schema(visit, at).await;
        let called = visit.api().get(&at.item()).await;
        if !called.status.is_success() {
            return Err(called);
        }
        let Value::Object(whole) = called.json() else { return Err(called) };
        let links = whole.get("links").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_linked = links.iter().any(|link| link["rel"] == "edit");
        let may_edit = is_linked && !visit.options.read_only;
        let etag = called.header(ETAG).to_owned();
        let refers = refers(visit, at, &facts).await;
        Ok(Self { facts, schema, etag, whole, refers, may_edit })
    }

    /// The item's own members: what can be sent back.
    fn own(&self) -> Map<String, Value> {
        let own = self.whole.iter().filter(|(name, _)| *name != "links");
        own.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Its own members without those that a form has no room for.
    fn base(&self) -> Map<String, Value> {
        self.own().into_iter().filter(|(_, value)| size(value) <= LARGEST).collect()
    }

    /// An item that a form was made of, with the members for which the form had no room: as they are now. Where another has
    /// changed them meanwhile, the version that is given does not fit.
    fn whole_of(&self, mut base: Map<String, Value>) -> Map<String, Value> {
        for (name, value) in self.own().into_iter().filter(|(_, value)| size(value) > LARGEST) {
            base.entry(name).or_insert(value);
        }
        base
    }

    /// Whether some member is too large for a form.
    fn is_large(&self) -> bool {
        self.own().values().any(|value| size(value) > LARGEST)
    }

    /// Replaces what a form has no room for by files.
    fn shorten(&self, page: &mut Shown) {
        let file = |more: &[(&str, &str)]| {
            format!("{}{}", page.action, query(&[&[("as", "file")], more].concat()))
        };
        for field in &mut page.fields {
            let bytes = self.whole.get(&field.name).map_or(0, size);
            if bytes > LARGEST {
                (field.text, field.fixed) = (String::new(), true);
                field.large = Some((in_words(bytes), file(&[("member", &field.name)])));
            }
        }
        if page.json.len() > LARGEST {
            page.large = Some((in_words(page.json.len()), file(&[])));
            page.json = String::new();
        }
    }

    /// Whether it is a document, which is edited as JSON.
    fn is_document(&self) -> bool {
        self.whole.contains_key("_metadata")
    }

    /// The page, with these members in its form.
    fn page(&self, visit: &Visit<'_>, at: &At, values: &Map<String, Value>) -> Shown {
        let fields =
            if self.is_document() { Vec::new() } else { fields(&self.schema, false, values) };
        let own = self.own();
        let json = if self.is_document() { &own } else { values };
        let whole = if self.is_document() { Value::Object(own.clone()) } else { Value::Null };
        let mut page = Shown {
            tree: JsonTree::of("", &whole),
            refers: self.refers.clone(),
            resource: (at.resource.clone(), at.place(visit).rows()),
            key: percent_decode(&at.key).unwrap_or_else(|_| at.key.clone()),
            action: format!("{}{}", at.place(visit).rows(), at.key),
            fields,
            json: serde_json::to_string_pretty(json).unwrap_or_default(),
            etag: self.etag.clone(),
            base: Value::Object(self.base()).to_string(),
            may_save: self.may_edit && self.facts.may("update"),
            may_delete: self.may_edit && self.facts.may("delete"),
            curl: curl(visit, at),
            ..Shown::default()
        };
        self.shorten(&mut page);
        page
    }
}

/// The rows that an item refers to: a version of its own has the item with them, so they are asked for apart.
async fn refers(visit: &Visit<'_>, at: &At, facts: &Facts) -> Vec<Reference> {
    let mut found = Vec::new();
    if facts.refers.is_empty() {
        return found;
    }
    let expand = query(&[("expand", &facts.expand())]);
    let item = visit.api().get(&format!("{}{expand}", at.item())).await.json();
    for (name, resource) in facts.refers.iter().filter(|(name, _)| item[name].is_object()) {
        let Ok(target) = Facts::of(visit, &at.mount, resource).await else { continue };
        let place = duet_console::address::Place { resource, ..at.place(visit) };
        if let Some(href) = target.page_of(place, &item[name]) {
            let label = label_of(&item[name]).unwrap_or_else(|| resource.clone());
            found.push(Reference { name: name.clone(), label, href });
        }
    }
    found
}

async fn schema(visit: &Visit<'_>, at: &At) -> Value {
    let resource = duet_console::address::encoded(&at.resource);
    visit.api().get(&format!("{}/metadata-catalog/{resource}/schema", at.mount)).await.json()
}

fn curl(visit: &Visit<'_>, at: &At) -> String {
    let origin = visit.origin();
    format!(
        "curl -s {} -H \"Authorization: Bearer $TOKEN\"",
        shell_word(&format!("{origin}{}", at.item()))
    )
}

/// The form's fields, by the resource's JSON Schema.
fn fields(schema: &Value, is_new: bool, values: &Map<String, Value>) -> Vec<Field> {
    let members = schema["properties"].as_object().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for (name, of) in
        members.iter().filter(|(name, _)| !matches!(name.as_str(), "links" | "_metadata"))
    {
        let types: Vec<&str> = match &of["type"] {
            Value::String(one) => vec![one],
            Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is_set = |key: &str| of[key] == true;
        let form = match types.iter().find(|it| **it != "null") {
            Some(&"integer" | &"number") => Kind::Number,
            Some(&"boolean") => Kind::Flag,
            Some(&"string") => Kind::Text,
            _ => Kind::Json,
        };
        let format = of["format"].as_str().unwrap_or_default();
        let word = types.iter().find(|it| **it != "null").copied().unwrap_or("any JSON");
        let mut field = Field {
            name: name.clone(),
            form,
            nullable: types.contains(&"null") || types.is_empty(),
            fixed: is_set("readOnly") || is_set("x-duet-create-only") && !is_new,
            ty: if format.is_empty() { word.to_owned() } else { format!("{word}, {format}") },
            ..Field::default()
        };
        field.show(values.get(name));
        all.push(field);
    }
    all
}

pub(super) async fn page(visit: &Visit<'_>, at: &At, parameters: &Form) -> Reply {
    let stored = match Stored::of(visit, at).await {
        Ok(stored) => stored,
        Err(called) => return visit.refused(&called),
    };
    match parameters.text("as") {
        "json" => return for_cells(&stored),
        "file" => return file(at, &stored, parameters.get("member")),
        _ => {}
    }
    let mut page = stored.page(visit, at, &stored.own());
    page.asks = page.may_delete && !parameters.text("delete").is_empty();
    page.saved = !parameters.text("saved").is_empty();
    shown_item(visit, at, StatusCode::OK, &page)
}

/// A member as a file, or the whole.
fn file(at: &At, stored: &Stored, member: Option<&str>) -> Reply {
    let whole = || serde_json::to_string_pretty(&stored.own()).unwrap_or_default();
    let text = match member.and_then(|name| stored.whole.get(name)) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        None => whole(),
    };
    let key = percent_decode(&at.key).unwrap_or_else(|_| at.key.clone());
    let name = format!("{}_{key}_{}.txt", at.resource, member.unwrap_or("json"));
    downloaded(&name, &text)
}

/// The item for the script that has cells changed in place: what a form of it would show, and what it sends back.
fn for_cells(stored: &Stored) -> Reply {
    let own = stored.base();
    let field = |field: &Field| {
        json!({ "name": field.name, "text": field.text, "isNull": field.is_null, "nullable": field.nullable,
                "fixed": field.fixed || !stored.may_edit || stored.is_large(), "json": field.form == Kind::Json })
    };
    let fields: Vec<Value> = fields(&stored.schema, false, &own).iter().map(field).collect();
    let base = Value::Object(own).to_string();
    let cells = json!({ "etag": stored.etag, "base": base, "fields": fields });
    Reply::json(cells.to_string().into_bytes())
}

pub(super) async fn new_page(visit: &Visit<'_>, at: &At) -> Reply {
    let facts = match Facts::of(visit, &at.mount, &at.resource).await {
        Ok(facts) => facts,
        Err(called) => return visit.refused(&called),
    };
    let page = new_item(visit, at, &facts, &schema(visit, at).await);
    shown_item(visit, at, StatusCode::OK, &page)
}

fn new_item(visit: &Visit<'_>, at: &At, facts: &Facts, schema: &Value) -> Shown {
    let is_document = schema["properties"].get("_metadata").is_some();
    let none = Map::new();
    let mut fields = if is_document { Vec::new() } else { fields(schema, true, &none) };
    fields.retain(|field| !field.fixed);
    // Nothing is chosen yet: what is left empty is left to the database.
    fields.iter_mut().for_each(|field| field.is_null = false);
    Shown {
        resource: (at.resource.clone(), at.place(visit).rows()),
        action: at.place(visit).new_item(),
        fields,
        json: "{\n}".to_owned(),
        may_save: facts.may("insert"),
        ..Shown::default()
    }
}

fn shown_item(visit: &Visit<'_>, at: &At, status: StatusCode, page: &Shown) -> Reply {
    let title = if page.key.is_empty() {
        format!("New {}", at.resource)
    } else {
        format!("{} {}", at.resource, page.key)
    };
    let frame = visit.frame(&title, Section::Data);
    shown(status, Item { frame, shown: page }.html())
}

/// Saves or deletes an item.
pub(super) async fn change(visit: &Visit<'_>, at: &At, form: &Form) -> Reply {
    let stored = match Stored::of(visit, at).await {
        Ok(stored) => stored,
        Err(called) => return visit.refused(&called),
    };
    let etag = form.text("etag");
    if form.has("action", "collect-delete") {
        let base = Value::Object(stored.base()).to_string();
        return collected(at, "DELETE", &stored.etag, &base, "");
    }
    if form.has("action", "delete") {
        let called =
            visit.api().send(Method::DELETE, &at.item(), &[(IF_MATCH, etag)], Bytes::new()).await;
        if called.status.is_success() {
            return see(&at.place(visit).rows());
        }
        let page =
            Shown { problem: Some(called.problem()), ..stored.page(visit, at, &stored.own()) };
        return shown_item(visit, at, called.status, &page);
    }
    if let Some(text) = form.get("json") {
        if form.has("action", "collect") && serde_json::from_str::<Map<String, Value>>(text).is_ok()
        {
            let base = Value::Object(stored.own()).to_string();
            return collected(at, "PUT", etag, &base, text);
        }
        return save_json(visit, at, &stored, etag, text).await;
    }
    save_form(visit, at, &stored, etag, form).await
}

async fn save_json(visit: &Visit<'_>, at: &At, stored: &Stored, etag: &str, json: &str) -> Reply {
    let headers = [(IF_MATCH, etag), (CONTENT_TYPE, JSON)];
    let called =
        visit.api().send(Method::PUT, &at.item(), &headers, Bytes::from(json.to_owned())).await;
    if called.status.is_success() {
        return see(&format!("{}{}?saved=1", at.place(visit).rows(), at.key));
    }
    let mut page = stored.page(visit, at, &stored.own());
    page.problem = Some(match called.status {
        StatusCode::PRECONDITION_FAILED => Problem {
            title: "Another has changed this meanwhile".to_owned(),
            detail: format!("Your text is kept below. The document is now: {}", page.json),
            hint: Some("Put both together, then save again.".to_owned()),
            code: None,
        },
        _ => called.problem(),
    });
    page.json = match called.status {
        StatusCode::PRECONDITION_FAILED => renewed(json, stored),
        _ => json.to_owned(),
    };
    shown_item(visit, at, called.status, &page)
}

/// A document that was typed, with the version that the database has now in it: who saves it again has seen both.
fn renewed(json: &str, stored: &Stored) -> String {
    let version = stored.whole.get("_metadata");
    match (serde_json::from_str::<Map<String, Value>>(json), version) {
        (Ok(mut document), Some(version)) if document.contains_key("_metadata") => {
            document.insert("_metadata".to_owned(), version.clone());
            serde_json::to_string_pretty(&document).unwrap_or_default()
        }
        _ => json.to_owned(),
    }
}

async fn save_form(visit: &Visit<'_>, at: &At, stored: &Stored, etag: &str, form: &Form) -> Reply {
    let base = serde_json::from_str(form.text("base")).unwrap_or_else(|_| stored.own());
    let base = stored.whole_of(base);
    let mut all = fields(&stored.schema, false, &base);
    // Of a cell that is changed in place, the members that were changed before are sent along.
    let begun: Option<Map<String, Value>> = serde_json::from_str(form.text("yours")).ok();
    let (yours, wrong) = sent(&all, form, begun.as_ref().unwrap_or(&base));
    let collects = form.has("action", "collect");
    if collects && let Some((_, problem)) = wrong.first().filter(|_| form.has("as", "json")) {
        let body = json!({ "problem": problem }).to_string().into_bytes();
        return Reply::new(StatusCode::BAD_REQUEST, Some(JSON), body);
    }
    if !wrong.is_empty() {
        let mut page = stored.page(visit, at, &base);
        all.iter_mut().for_each(|field| keep(field, form));
        page.fields = all;
        etag.clone_into(&mut page.etag);
        return refused_form(visit, at, StatusCode::BAD_REQUEST, page, &wrong);
    }
    if collects && stored.is_large() {
        let mut page = stored.page(visit, at, &yours);
        page.problem = Some(Problem {
            title: "Save it by itself".to_owned(),
            detail: "A value of this row is too large for the list of changes.".to_owned(),
            ..Problem::default()
        });
        return refused_form(visit, at, StatusCode::BAD_REQUEST, page, &[]);
    }
    if collects {
        let [base, yours] = [base, yours].map(|item| Value::Object(item).to_string());
        return collected(at, "PUT", etag, &base, &yours);
    }
    let (method, media, body) = written(stored, &base, &yours);
    let headers = [(IF_MATCH, etag), (CONTENT_TYPE, media)];
    let called = visit.api().send(method, &at.item(), &headers, body).await;
    if called.status.is_success() {
        return see(&format!("{}{}?saved=1", at.place(visit).rows(), at.key));
    }
    if called.status == StatusCode::PRECONDITION_FAILED {
        return behind(visit, at, stored, &base, &yours);
    }
    let mut page = stored.page(visit, at, &yours);
    page.fields.iter_mut().for_each(|field| keep(field, form));
    etag.clone_into(&mut page.etag);
    let fits = |(_, value): &(String, Value)| size(value) <= LARGEST;
    page.base = Value::Object(base.into_iter().filter(fits).collect()).to_string();
    page.problem = Some(called.problem());
    refused_form(visit, at, called.status, page, &called.at_members())
}

/// The request that writes an item: the whole, or the members that differ where a large one would be sent along for nothing.
fn written(
    stored: &Stored,
    base: &Map<String, Value>,
    yours: &Map<String, Value>,
) -> (Method, &'static str, Bytes) {
    let differ = yours.iter().filter(|(name, value)| base.get(*name) != Some(*value));
    let changed: Map<String, Value> =
        differ.map(|(name, value)| (name.clone(), value.clone())).collect();
    // Objects would be merged.
    let is_plain = changed.values().all(|value| !value.is_object());
    let (method, media, item) = match stored.is_large() && is_plain {
        true => (Method::PATCH, MERGE_PATCH, changed),
        false => (Method::PUT, JSON, yours.clone()),
    };
    (method, media, Bytes::from(Value::Object(item).to_string()))
}

/// The page where another has changed the item: what does not collide is put together.
fn behind(
    visit: &Visit<'_>,
    at: &At,
    stored: &Stored,
    base: &Map<String, Value>,
    yours: &Map<String, Value>,
) -> Reply {
    let merged = merged(base, yours, &stored.own());
    let mut page = stored.page(visit, at, &merged.whole);
    page.is_behind = true;
    for field in page.fields.iter_mut().filter(|field| merged.collisions.contains(&field.name)) {
        field.theirs = merged.whole.get(&field.name).map(Value::to_string);
        field.show(yours.get(&field.name));
    }
    shown_item(visit, at, StatusCode::PRECONDITION_FAILED, &page)
}

fn refused_form(
    visit: &Visit<'_>,
    at: &At,
    status: StatusCode,
    mut page: Shown,
    wrong: &[(String, String)],
) -> Reply {
    for field in &mut page.fields {
        let own = wrong.iter().find(|(pointer, _)| pointer.split('/').next() == Some(&field.name));
        field.problem = own.map(|(_, message)| message.clone());
    }
    shown_item(visit, at, status, &page)
}

/// Shows what the form has sent again.
fn keep(field: &mut Field, form: &Form) {
    if let Some(text) = form.get(&format!("={}", field.name)) {
        field.text = text.to_owned();
        field.is_null = form.has("null", &field.name);
    }
}

/// The item that a form has sent: what it has no field for is as it was. And what is wrong with it, by member.
fn sent(
    fields: &[Field],
    form: &Form,
    base: &Map<String, Value>,
) -> (Map<String, Value>, Vec<(String, String)>) {
    let (mut item, mut wrong) = (base.clone(), Vec::new());
    for field in fields.iter().filter(|field| !field.fixed) {
        let Some(text) = form.get(&format!("={}", field.name)) else { continue };
        // Who types into a member that was NULL means the text, also where no script has unticked the box.
        let was_null = base.get(&field.name).is_some_and(Value::is_null);
        let is_null = (text.is_empty() || !was_null) && form.has("null", &field.name);
        match field.read(text, is_null, base.get(&field.name)) {
            Ok(value) => drop(item.insert(field.name.clone(), value)),
            Err(message) => wrong.push((field.name.clone(), message)),
        }
    }
    (item, wrong)
}

/// Makes an item.
pub(super) async fn make(visit: &Visit<'_>, at: &At, form: &Form) -> Reply {
    let facts = match Facts::of(visit, &at.mount, &at.resource).await {
        Ok(facts) => facts,
        Err(called) => return visit.refused(&called),
    };
    let mut page = new_item(visit, at, &facts, &schema(visit, at).await);
    let body = match form.get("json") {
        Some(json) => json.to_owned(),
        None => {
            let is_given = |field: &&Field| {
                form.has("null", &field.name)
                    || form.get(&format!("={}", field.name)).is_some_and(|text| !text.is_empty())
            };
            let given: Vec<Field> = page.fields.iter().filter(is_given).cloned().collect();
            let (item, wrong) = sent(&given, form, &Map::new());
            page.fields.iter_mut().for_each(|field| keep(field, form));
            if !wrong.is_empty() {
                return refused_form(visit, at, StatusCode::BAD_REQUEST, page, &wrong);
            }
            Value::Object(item).to_string()
        }
    };
    if form.has("action", "collect") && serde_json::from_str::<Map<String, Value>>(&body).is_ok() {
        return collected(at, "POST", "", "", &body);
    }
    let called = visit
        .api()
        .send(Method::POST, &at.api(), &[(CONTENT_TYPE, JSON)], Bytes::from(body.clone()))
        .await;
    if called.status.is_success() {
        let made = at.place(visit).item(called.header(LOCATION));
        return see(&made.map_or_else(|| at.place(visit).rows(), |page| format!("{page}?saved=1")));
    }
    if form.get("json").is_some() {
        page.json = body;
    }
    page.problem = Some(called.problem());
    refused_form(visit, at, called.status, page, &called.at_members())
}
