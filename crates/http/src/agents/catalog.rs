//! `list` and `describe`.

use duet_mcp::{List, ToolAnswer};
use serde_json::{Map, Value, json};

use super::resource::{all, find};
use super::visit::{AgentVisit, ApiRequest};

/// The most resources of an answer.
const LISTED: usize = 100;

/// Lists resources, a line each.
pub(super) fn list(visit: &AgentVisit<'_>, asked: &List) -> ToolAnswer {
    let mut all = all(visit);
    if let Some(word) = &asked.search {
        let word = word.to_lowercase();
        all.retain(|it| it.line().to_lowercase().contains(&word));
    }
    let total = all.len();
    let begin = asked.after.as_ref().map_or(0, |after| all.partition_point(|it| it.path <= *after));
    let shown = &all[begin..(begin + LISTED).min(total)];
    let fitted = visit.budget().items(shown.iter().map(|it| it.line().into()).collect());
    let end = begin + fitted.items.len();
    let mut out = json!({ "resources": fitted.items, "total": total });
    if end < total
        && let Some(last) = all[begin..end].last()
    {
        out["next"] = last.path.as_str().into();
        out["narrow"] = "Call again with `after` = `next`, or with a word in `search`.".into();
    }
    if visit.arrived.worker.shared.applications.all_tenants().next().is_some() {
        out["left_out"] = "Applications with tenants: agents have no tools for them.".into();
    }
    ToolAnswer::Facts(out)
}

/// Describes a resource from its entry in the catalog.
pub(super) async fn describe(visit: &AgentVisit<'_>, path: &str) -> ToolAnswer {
    let resource = match find(visit, path) {
        Ok(resource) => resource,
        Err(failure) => return failure,
    };
    let target = format!("{}/metadata-catalog/{}/", resource.mount, resource.segment);
    let entry = match visit.ask(ApiRequest::get(&target)).await {
        Ok(answer) => answer.json(),
        Err(failure) => return failure,
    };
    let mut out = json!({
        "resource": resource.path,
        "kind": resource.kind,
        "operations": resource.operations,
        "key": entry["primarykey"],
        "document": template(&entry["members"]),
    });
    if let Some(comment) = resource.comment {
        out["comment"] = comment.into();
    }
    if let Some(ways) = entry["expand"].as_array() {
        out["related"] = ways.iter().map(|way| way["name"].clone()).collect();
    }
    let (mut out, is_cut) = visit.budget().value(out);
    if is_cut {
        out["truncated"] = true.into();
    }
    ToolAnswer::Facts(out)
}

/// A document whose values are types: an object for one, an array with one element for a list.
fn template(members: &Value) -> Value {
    let mut out = Map::new();
    for member in members.as_array().into_iter().flatten() {
        let name = member["name"].as_str().unwrap_or_default();
        let inner = member.get("members").map(template);
        let items = member.get("items").cloned();
        let is_array = member["type"] == "ARRAY";
        let shown = match (inner.or(items), is_array) {
            (Some(inner), true) => json!([inner]),
            (Some(inner), false) => inner,
            (None, _) => member["type"].clone(),
        };
        out.insert(name.to_owned(), shown);
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_the_form_of_the_document() {
        let members = json!([
            { "name": "id", "type": "NUMBER" },
            { "name": "team", "type": "OBJECT", "members": [{ "name": "name", "type": "VARCHAR" }] },
            { "name": "result", "type": "ARRAY", "members": [{ "name": "position", "type": "NUMBER" }] },
            { "name": "tags", "type": "ARRAY", "items": "VARCHAR" },
        ]);
        let expected = json!({
            "id": "NUMBER", "team": { "name": "VARCHAR" }, "result": [{ "position": "NUMBER" }], "tags": ["VARCHAR"],
        });
        assert_eq!(template(&members), expected);
    }
}
