//! OpenAPI 3.1.0 documents, of a whole mount or of a few of its resources.
//!
//! Repeated parts are once under `components`; a resource has its own item,
//! page, filter and order. The order of everything follows the order of the resources and members
//! given, so the same catalog always gives the same bytes.

mod body;
mod brief;
mod collection;
mod comment;
mod components;
mod declared;
mod errors;
mod example;
mod filter;
mod load;
mod operation;
mod parameter;
mod paths;
mod query_parameter;
mod reference;
mod routine;
mod schema;
mod schema_example;
mod search;
mod service;
mod typed_example;
mod view_events;
mod write;

pub(super) use body::{is_computed, is_fixed};
pub(super) use schema::document as item_schema;

use duet_model::promise::Promises;
use duet_model::unchecked::UncheckedRules;
use duet_service::ResourceKind;
use serde_json::{Map, Value, json};

use super::{DescribedResource, DescribedRoutine, DescribedService, Site};
use comment::sentence;

/// The document for these resources, routines and services: all of a mount's for `open-api-catalog/`, one for
/// `open-api-catalog/{object}/`. That of many resources is brief: see [`brief`].
pub fn document(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    routines: &[DescribedRoutine<'_>],
    services: &[DescribedService<'_>],
) -> String {
    if resources.len() > brief::COMPLETE {
        return brief_document(site, resources, routines, services);
    }
    let mut document = head(site, resources, routines, services, "");
    let tags = resources.iter().map(tag).chain(routines.iter().map(routine::tag));
    let tags = tags.chain(services.iter().map(service::tag));
    document.insert("tags".into(), tags.collect());
    let mut paths = paths::all(site, resources);
    if let Value::Object(paths) = &mut paths {
        paths.extend(routines.iter().map(|it| (it.path(), routine::path_item(it))));
        errors::keep_answered(site, paths);
        service::add(site, services, paths);
        operation::add_keyless(paths);
        operation::add_timeout(paths);
        operation::add_answered_headers(paths);
    }
    let protected = document.contains_key("security");
    let others = !routines.is_empty() || !services.is_empty();
    let components = components::all(site, resources, others, protected);
    let components = components::used(components, &paths);
    document.insert("paths".into(), paths);
    document.insert("components".into(), components);
    Value::Object(document).to_string()
}

/// The same in the brief form.
pub(super) fn brief_document(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    routines: &[DescribedRoutine<'_>],
    services: &[DescribedService<'_>],
) -> String {
    let head = head(site, resources, routines, services, brief::NOTE);
    brief::document(site, &head, resources, routines, services)
}

/// The document before paths and components.
fn head(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    routines: &[DescribedRoutine<'_>],
    services: &[DescribedService<'_>],
    note: &str,
) -> Map<String, Value> {
    let protected = resources.iter().any(|resource| resource.protected)
        || routines.iter().any(|routine| routine.protected)
        || services.iter().any(|service| service.protected);
    let mut head = Map::new();
    let mut put = |name: &str, value: Value| head.insert(name.to_owned(), value);
    put("openapi", json!("3.1.0"));
    put("info", info(site, resources.iter().any(DescribedResource::is_writable), note));
    put("servers", json!([{ "url": site.url("") }]));
    if protected {
        put("security", components::requirements(site));
    }
    head
}

fn tag(resource: &DescribedResource<'_>) -> Value {
    let kind = match resource.kind {
        ResourceKind::Table => "Table.",
        ResourceKind::View => "View.",
        ResourceKind::Service => "Service.",
        ResourceKind::Collection => "Collection of JSON documents.",
        ResourceKind::DualityView => "Duality view: documents made of several tables.",
    };
    let read_only = !resource.is_writable();
    let mut description = resource.comment.map(sentence).unwrap_or_default();
    let broken = Promises::of(resource.shape).map_or(String::new(), Promises::broken);
    let unchecked = resource.unchecked();
    let unheld = unchecked.as_ref().map(UncheckedRules::sentences).unwrap_or_default();
    for part in [kind, if read_only { "Read-only." } else { "" }, &broken, &unheld] {
        if !(description.is_empty() || part.is_empty()) {
            description.push(' ');
        }
        description.push_str(part);
    }
    let mut tag = json!({ "name": resource.name, "description": description });
    if let Some(promises) = resource.promises() {
        tag["x-duet-promises"] = promises;
    }
    if let Some(unchecked) = unchecked {
        tag["x-duet-unchecked"] = json!({ "key": unchecked.key, "links": unchecked.links });
    }
    tag
}

/// Said where something can be written.
const WRITING: &str = "## Writing\n\
     `If-Match` with the `ETag` of what was read, or `_metadata.etag` left in the document, makes \
     sure that no other client's change is overwritten: the answer is 412 where it is not the stored one. A \
     request is one transaction: all of it is done, or nothing. `Prefer: tx=rollback` tries it, \
     `explain=1` shows the plan.\n\n";

fn info(site: &Site<'_>, writes: bool, note: &str) -> Value {
    let limits = site.limits;
    let writing = if writes { WRITING } else { "" };
    let text = errors::text_member(site);
    let description = format!(
        "{note}## Pages\n\
         A collection is read in pages. Follow the link `next` until it is missing; `limit` and \
         `offset` choose a page directly. Every order is made total by the key, so no item is \
         skipped or repeated while nothing changes.\n\n\
         ## Filters\n\
         `q` is a JSON object, percent-encoded. All its members must hold. `{{\"points\":40}}` \
         compares with `$eq`; `{{\"points\":{{\"$gte\":10,\"$lt\":20}}}}` uses operators; `$and`, \
         `$or`, `$nor` and `$not` join filters or, inside a field, conditions of that field. A \
         field of a nested object is a dotted path; below an array a condition holds if any \
         element fulfils it. `$orderby` sorts. `$group` makes groups of the items that the conditions \
         select, with a member for each key and each aggregate: \
         `{{\"$group\":{{\"by\":[\"team\"],\"n\":{{\"$count\":\"*\"}}}},\"$having\":{{\"n\":{{\"$gt\":1}}}}}}`; \
         their members are not those of the items. A filter has at most {} bytes, {} levels, {} \
         conditions and {} values in a list.\n\n\
         ## Values\n\
         A member whose value is NULL is `null`. NaN and the infinities, which JSON numbers do \
         not have, are the strings `NaN`, `Infinity` and `-Infinity`.\n\n\
         ## Conditional requests\n\
         Every answer has an `ETag`. Sent back in `If-None-Match`, it makes the answer 304 \
         without a body for as long as nothing has changed.\n\n\
         {writing}\
         ## Errors\n\
         Every error is a `Problem`. Its `{text}` says what to do; the `code` of each of its \
         `errors` is permanent.",
        limits.bytes, limits.depth, limits.nodes, limits.list
    );
    json!({
        "title": site.application,
        "version": site.version,
        "license": license(site.license),
        "description": description,
    })
}

/// The licence as OpenAPI has it: a name, and where it is one word also as the identifier that it is in SPDX's list.
fn license(stated: Option<&str>) -> Value {
    let name = stated.unwrap_or("not stated");
    let is_identifier = |byte: u8| byte.is_ascii_alphanumeric() || b"-.+".contains(&byte);
    let mut license = json!({ "name": name });
    if !name.is_empty() && name.bytes().all(is_identifier) {
        license["identifier"] = json!(name);
    }
    license
}
