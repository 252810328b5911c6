//! `query`, `get` and `explain`.

use duet_mcp::{Get, Query, ToolAnswer};
use form_urlencoded::Serializer;
use hyper::header::ETAG;
use serde_json::{Value, json};

use super::resource::find;
use super::visit::{AgentVisit, ApiRequest};
use crate::describe::names::segment;

/// Returns rows.
pub(super) async fn query(visit: &AgentVisit<'_>, query: &Query) -> ToolAnswer {
    let page = match read(visit, query, None).await {
        Ok(page) => page,
        Err(failure) => return failure,
    };
    let Some(items) = page["items"].as_array() else {
        // A profile of another system has its own form of pages.
        let (data, is_cut) = visit.budget().value(page);
        return ToolAnswer::Data { data, facts: Box::new(json!({ "truncated": is_cut })) };
    };
    let items: Vec<Value> = items.iter().cloned().map(without_links).collect();
    let fitted = visit.budget().items(items);
    let has_more = fitted.left_out > 0 || page["hasMore"] == true;
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
    let query = match get.fields.is_empty() {
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
    let (data, is_cut) = visit.budget().value(without_links(answer.json()));
    if is_cut {
        facts["truncated"] = true.into();
        facts["narrow"] = "The row was too large: name `fields`.".into();
    }
    ToolAnswer::Data { data, facts: Box::new(facts) }
}

/// Says how rows would be read.
pub(super) async fn explain(visit: &AgentVisit<'_>, query: &Query) -> ToolAnswer {
    match read(visit, query, Some("explain")).await {
        Ok(plan) => ToolAnswer::Facts(visit.budget().value(plan).0),
        Err(failure) => failure,
    }
}

async fn read(
    visit: &AgentVisit<'_>,
    query: &Query,
    flag: Option<&'static str>,
) -> Result<Value, ToolAnswer> {
    let resource = find(visit, &query.resource)?;
    let mut all = vec![("limit", query.limit.to_string())];
    if query.offset > 0 {
        all.push(("offset", query.offset.to_string()));
    }
    if let Some(filter) = &query.filter {
        all.push(("q", filter.to_string()));
    }
    if !query.fields.is_empty() {
        all.push(("fields", query.fields.join(",")));
    }
    all.extend(flag.map(|name| (name, "1".to_owned())));
    let target = format!("{}/{}", resource.path, parameters(&all));
    Ok(visit.ask(ApiRequest::get(&target)).await?.json())
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
