//! `query`, `get` and `explain`.

use duet_mcp::{Get, Query, ToolAnswer};
use form_urlencoded::Serializer;
use hyper::header::ETAG;
use serde_json::{Value, json};

use super::resource::{AgentResource, find};
use super::visit::{AgentVisit, ApiRequest};
use crate::describe::names::segment;

/// Returns rows.
pub(super) async fn query(visit: &AgentVisit<'_>, query: &Query) -> ToolAnswer {
    let (resource, page) = match read(visit, query, None).await {
        Ok(read) => read,
        Err(failure) => return failure,
    };
    let fields = if resource.is_stored() { &query.fields[..] } else { &[] };
    let Some(items) = items_of(&page) else {
        let (data, is_cut) = visit.budget().value(page);
        return ToolAnswer::Data { data, facts: Box::new(json!({ "truncated": is_cut })) };
    };
    let shown = |item: &Value| only(&without_links(item.clone()), fields);
    let more = query.offset + (items.len() as u64) < page["totalRecords"].as_u64().unwrap_or(0);
    let fitted = visit.budget().items(items.iter().map(shown).collect());
    let has_more = fitted.left_out > 0 || page["hasMore"] == true || more;
    let mut facts = json!({ "rows": fitted.items.len(), "offset": query.offset });
    if has_more {
        facts["next"] = json!({ "offset": query.offset + fitted.items.len() as u64 });
    }
    if fitted.left_out > 0 || fitted.is_cut {
        facts["truncated"] = true.into();
        facts["narrow"] = "The answer was too large: name `fields`, add conditions to `filter`, or lower `limit`.".into();
    }
    ToolAnswer::Data { data: fitted.items.into(), facts: Box::new(facts) }
}

/// Returns a row.
pub(super) async fn get(visit: &AgentVisit<'_>, get: &Get) -> ToolAnswer {
    let resource = match find(visit, &get.resource) {
        Ok(resource) => resource,
        Err(failure) => return failure,
    };
    let query = match get.fields.is_empty() || resource.is_stored() {
        true => String::new(),
        false => parameters(&[("fields", get.fields.join(","))]),
    };
    let target = format!("{}{query}", item(&resource.path, &get.key));
    let answer = match visit.ask(ApiRequest::get(&target)).await {
        Ok(answer) => answer,
        Err(failure) => return failure,
    };
    let mut facts = json!({});
    // That of a part of the row is no state of it.
    if let Some(etag) = answer.header(&ETAG).filter(|_| get.fields.is_empty()) {
        facts["etag"] = etag.trim_matches('"').into();
    }
    let fields = if resource.is_stored() { &get.fields[..] } else { &[] };
    let document = only(&without_links(answer.json()), fields);
    let (data, is_cut) = visit.budget().value(document);
    if is_cut {
        facts["truncated"] = true.into();
        facts["narrow"] = "The row was too large: name `fields`.".into();
    }
    ToolAnswer::Data { data, facts: Box::new(facts) }
}

/// Says how rows would be read.
pub(super) async fn explain(visit: &AgentVisit<'_>, query: &Query) -> ToolAnswer {
    match read(visit, query, Some("explain")).await {
        Ok((_, plan)) => ToolAnswer::Facts(visit.budget().value(plan).0),
        Err(failure) => failure,
    }
}

async fn read(
    visit: &AgentVisit<'_>,
    query: &Query,
    flag: Option<&'static str>,
) -> Result<(AgentResource, Value), ToolAnswer> {
    let resource = find(visit, &query.resource)?;
    let mut all = vec![("limit", query.limit.to_string())];
    if query.offset > 0 {
        all.push(("offset", query.offset.to_string()));
    }
    if let Some(filter) = &query.filter {
        all.push(("q", filter.to_string()));
    }
    if !query.fields.is_empty() && !resource.is_stored() {
        all.push(("fields", query.fields.join(",")));
    }
    all.extend(flag.map(|name| (name, "1".to_owned())));
    let target = format!("{}/{}", resource.path, parameters(&all));
    let page = visit.ask(ApiRequest::get(&target)).await?.json();
    Ok((resource, page))
}

/// The items of a page: of Duet's own form, or of a list of stored documents, which has them by the name of the list.
fn items_of(page: &Value) -> Option<&Vec<Value>> {
    let listed = || page.as_object()?.values().find_map(Value::as_array);
    page["items"].as_array().or_else(listed).or_else(|| page.as_array())
}

/// A document with the fields of these paths alone, which lead through arrays; whole where none is named. Lists of stored
/// documents give whole ones.
fn only(document: &Value, fields: &[String]) -> Value {
    if fields.is_empty() {
        return document.clone();
    }
    match document {
        Value::Array(all) => all.iter().map(|one| only(one, fields)).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter_map(|(name, value)| {
                let is_whole = fields.iter().any(|field| field == name);
                let inner = |field: &String| {
                    field.strip_prefix(name.as_str())?.strip_prefix('.').map(str::to_owned)
                };
                let below: Vec<String> = fields.iter().filter_map(inner).collect();
                match (is_whole, below.is_empty()) {
                    (true, _) => Some((name.clone(), value.clone())),
                    (false, true) => None,
                    (false, false) => Some((name.clone(), only(value, &below))),
                }
            });
            Value::Object(kept.collect())
        }
        other => other.clone(),
    }
}

/// A query string.
pub(super) fn parameters(pairs: &[(&str, String)]) -> String {
    let mut text = Serializer::for_suffix("?".to_owned(), 1);
    for (name, value) in pairs {
        text.append_pair(name, value);
    }
    text.finish()
}

/// The path of an item.
pub(super) fn item(resource: &str, key: &[String]) -> String {
    // An empty text would be the path of the resource.
    let part = |part: &String| if part.is_empty() { "''".to_owned() } else { segment(part) };
    format!("{resource}/{}", key.iter().map(part).collect::<Vec<_>>().join(","))
}

/// A document without its links, which only repeat its path.
pub(super) fn without_links(mut document: Value) -> Value {
    if let Some(members) = document.as_object_mut() {
        members.shift_remove("links");
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_stored_documents_are_cut_to_their_fields() {
        let page = json!({ "orders": [{ "id": 1, "a": [{ "b": 2, "c": 3 }], "d": 4 }], "totalRecords": 7 });
        let items = items_of(&page).unwrap();
        let fields = ["id", "a.b", "x"].map(str::to_owned);
        assert_eq!(only(&items[0], &fields), json!({ "id": 1, "a": [{ "b": 2 }] }));
        assert_eq!(only(&items[0], &[]), items[0]);
        assert_eq!(items_of(&json!([1])).map(Vec::len), Some(1));
        assert_eq!(items_of(&json!({ "a": 1 })), None);
    }

    #[test]
    fn keys_are_segments() {
        let key = |parts: &[&str]| {
            item("/a/t", &parts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(key(&["1", "x/y,z"]), "/a/t/1,x%2Fy%2Cz");
        assert_eq!(key(&[""]), "/a/t/''");
        assert_eq!(key(&["..?q=1#"]), "/a/t/..%3Fq%3D1%23");
        assert_eq!(
            parameters(&[("q", r#"{"a":"b&c"}"#.to_owned())]),
            "?q=%7B%22a%22%3A%22b%26c%22%7D"
        );
    }
}
