//! The metadata catalog: the resources, as pages and entries that links of type `describedby`
//! lead to.

use duet_model::{DocumentField, Member, MemberKind, NodeId, Shape, Type, steps};
use duet_service::RoutineAnswer;
use duet_service::services::{ServiceParameter, ServiceResult};
use duet_text::name;
use serde_json::{Value, json};

use super::names::template;
use super::{
    DescribedResource, DescribedRoutine, DescribedService, RelatedRows, Site, document, names,
    scalar_column,
};
use crate::message::subpath::EVENTS;

/// The requested page of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// Entries in the page at most, already within the server's limit.
    pub limit: u64,
    /// Whether the request gave `limit`.
    pub limit_given: bool,
    /// Entries before the page.
    pub offset: u64,
    /// The query of the request as it came, without `?`.
    pub query: Option<&'a str>,
}

/// `GET …/metadata-catalog/`: a page with one entry for each resource, then each routine and each service that is
/// no resource.
pub fn catalog(
    site: &Site<'_>,
    resources: &[DescribedResource<'_>],
    routines: &[DescribedRoutine<'_>],
    services: &[DescribedService<'_>],
    page: &PageRequest<'_>,
) -> String {
    let all: Vec<(&str, String)> = resources
        .iter()
        .map(|resource| (resource.name, resource.path()))
        .chain(routines.iter().map(|routine| (routine.name, routine.path())))
        .chain(services.iter().map(|service| (service.name, template(service.file))))
        .collect();
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX).min(all.len());
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let rest = &all[offset..];
    let shown = &rest[..limit.min(rest.len())];
    let has_more = shown.len() < rest.len();
    let items: Vec<_> = shown.iter().map(|(name, path)| catalog_item(site, name, path)).collect();
    json!({
        "items": items,
        "hasMore": has_more,
        "limit": page.limit,
        "offset": page.offset,
        "count": items.len(),
        "links": page_links(&site.url("/metadata-catalog/"), page, has_more),
    })
    .to_string()
}

/// `GET …/metadata-catalog/{object}/`: the members of a resource.
pub fn entry(site: &Site<'_>, resource: &DescribedResource<'_>) -> String {
    describe(site, resource, &entry_path(resource.name))
}

/// `GET …/metadata-catalog/{routine}/`: the arguments and the answer of a routine.
pub fn routine_entry(site: &Site<'_>, routine: &DescribedRoutine<'_>) -> String {
    let arguments: Vec<Value> = routine
        .arguments
        .iter()
        .map(|(name, argument)| {
            let mut argument_of = scalar(name, &argument.ty);
            argument_of["required"] = json!(!argument.has_default);
            argument_of
        })
        .collect();
    let scalars = |columns: &[(String, Type)]| -> Vec<Value> {
        columns.iter().map(|(name, ty)| scalar(name, ty)).collect()
    };
    let (is_list, answer) = match routine.answer {
        RoutineAnswer::Nothing => (false, Vec::new()),
        RoutineAnswer::Value(name, ty) => (false, vec![scalar(name, ty)]),
        RoutineAnswer::Row(columns) => (false, scalars(columns)),
        RoutineAnswer::Values(ty) => {
            (true, vec![json!({ "name": "items", "type": "ARRAY", "items": ty.name() })])
        }
        RoutineAnswer::Rows(columns) => {
            (true, vec![json!({ "name": "items", "type": "ARRAY", "members": scalars(columns) })])
        }
    };
    let count = is_list.then(|| json!({ "name": "count", "type": "INTEGER" }));
    json!({
        "name": routine.name.to_uppercase(),
        "type": if routine.is_function() { "FUNCTION" } else { "PROCEDURE" },
        "comment": routine.comment,
        "arguments": arguments,
        "members": answer.into_iter().chain(count).collect::<Vec<_>>(),
        "links": [
            {
                "rel": "collection",
                "href": site.url("/metadata-catalog/"),
                "mediaType": "application/json",
            },
            {
                "rel": "canonical",
                "href": site.url(&entry_path(routine.name)),
                "mediaType": "application/json",
            },
            { "rel": "describes", "href": site.url(&routine.path()) },
        ],
    })
    .to_string()
}

/// `GET …/metadata-catalog/{service}/`: the method, the arguments and the answer of a service that is no resource.
pub fn service_entry(site: &Site<'_>, service: &DescribedService<'_>) -> String {
    let file = service.file;
    let argument = |parameter: &ServiceParameter| {
        let mut argument = scalar(&parameter.name, &parameter.ty);
        argument["required"] = json!(!parameter.optional);
        argument
    };
    let columns =
        || -> Vec<Value> { service.members.iter().map(|(name, ty)| scalar(name, ty)).collect() };
    let members = match file.result {
        ServiceResult::Rows => vec![
            json!({ "name": "items", "type": "ARRAY", "members": columns() }),
            json!({ "name": "count", "type": "INTEGER" }),
        ],
        ServiceResult::Row | ServiceResult::Count => columns(),
        ServiceResult::Document | ServiceResult::Nothing => Vec::new(),
    };
    json!({
        "name": service.name.to_uppercase(),
        "type": "SERVICE",
        "comment": file.description,
        "method": file.method,
        "arguments": file.parameters.iter().map(argument).collect::<Vec<_>>(),
        "members": members,
        "links": [
            {
                "rel": "collection",
                "href": site.url("/metadata-catalog/"),
                "mediaType": "application/json",
            },
            {
                "rel": "canonical",
                "href": site.url(&entry_path(service.name)),
                "mediaType": "application/json",
            },
            describes(site, &template(file)),
        ],
    })
    .to_string()
}

/// The link to what an entry is about; a path with parameters is a template (RFC 6570).
fn describes(site: &Site<'_>, path: &str) -> Value {
    let mut link = json!({ "rel": "describes", "href": site.url(path) });
    if path.contains('{') {
        link["templated"] = json!(true);
    }
    link
}

/// `GET …/metadata-catalog/{object}/item`: the members of an item.
pub fn item_entry(site: &Site<'_>, resource: &DescribedResource<'_>) -> String {
    describe(site, resource, &format!("{}item", entry_path(resource.name)))
}

fn entry_path(name: &str) -> String {
    format!("/metadata-catalog/{}/", names::segment(name))
}

fn catalog_item(site: &Site<'_>, name: &str, path: &str) -> Value {
    steps::step();
    json!({
        "name": name.to_uppercase(),
        "links": [
            describes(site, path),
            {
                "rel": "canonical",
                "href": site.url(&entry_path(name)),
                "mediaType": "application/json",
            },
        ],
    })
}

fn describe(site: &Site<'_>, resource: &DescribedResource<'_>, canonical: &str) -> String {
    let shape = resource.shape;
    let key: Vec<_> = resource.key_parts().into_iter().map(|part| part.path).collect();
    let mut entry = json!({
        "name": resource.name.to_uppercase(),
        "primarykey": key,
        "operations": document::words(resource.operations),
        "members": members(shape, 0, &shape.root().members),
    });
    if !resource.expand.is_empty() {
        entry["expand"] = resource.expand.iter().map(|way| expandable(site, way)).collect();
    }
    if let Some(commit) = resource.commit() {
        entry["commit"] = commit;
    }
    if let Some(promises) = resource.promises() {
        entry["promises"] = promises;
    }
    if let Some(unchecked) = resource.unchecked() {
        entry["unchecked"] = json!({ "key": unchecked.key, "links": unchecked.links });
    }
    if resource.shape.notice.is_some() {
        let path = format!("{}{EVENTS}", resource.path());
        entry["events"] = json!(site.url(&path));
    }
    if resource.reads_journal {
        entry["read"] = json!(["journal"]);
    }
    entry["links"] = json!([
            {
                "rel": "collection",
                "href": site.url("/metadata-catalog/"),
                "mediaType": "application/json",
            },
            { "rel": "canonical", "href": site.url(canonical), "mediaType": "application/json" },
            { "rel": "describes", "href": site.url(&resource.path()) },
            {
                "rel": "describedby",
                "href": site.url(&document::path(resource)),
                "mediaType": "application/json",
            },
    ]);
    entry.to_string()
}

/// What `expand` may name: the member that it brings, and where its rows are described.
fn expandable(site: &Site<'_>, way: &RelatedRows<'_>) -> Value {
    json!({
        "name": way.name,
        "type": if way.many { "ARRAY" } else { "OBJECT" },
        "describedby": site.url(&format!("/metadata-catalog/{}/", names::segment(way.resource))),
    })
}

/// The members as the document shows them; objects and arrays have `members` of their own, an
/// array of scalars has `items`.
fn members(shape: &Shape, node: NodeId, list: &[Member]) -> Vec<Value> {
    let mut out = Vec::new();
    for member in list {
        let nested = |ty: &str, inner: Vec<Value>| -> Value {
            json!({ "name": member.name, "type": ty, "members": inner })
        };
        let below = |child: NodeId| members(shape, child, &shape.nodes[child].members);
        match &member.kind {
            MemberKind::Column(column) if column.hidden => {}
            MemberKind::Generated { hidden: true, .. } | MemberKind::Flex(_) => {}
            MemberKind::Column(column) => {
                out.push(scalar(&member.name, column_type(shape, node, column.column)));
            }
            MemberKind::Generated { ty, .. } => out.push(scalar(&member.name, ty)),
            MemberKind::Document(document) if document.shown => {
                let is_member = |field: &&DocumentField| !matches!(field.ty, Type::Pair(_));
                let fields = document.fields.iter().filter(is_member);
                out.extend(fields.map(|field| scalar(&field.path, &field.ty)));
            }
            MemberKind::Document(_) | MemberKind::Related(_) => {}
            MemberKind::Group(inner) => out.push(nested("OBJECT", members(shape, node, inner))),
            MemberKind::Object(child) => out.push(nested("OBJECT", below(*child))),
            MemberKind::Array(child) => out.push(nested("ARRAY", below(*child))),
            MemberKind::Unnest(child) => out.append(&mut below(*child)),
            MemberKind::Scalars(child) => {
                let ty = scalar_column(shape, *child)
                    .map_or("OTHER", |column| column_type(shape, *child, column).name());
                out.push(json!({ "name": member.name, "type": "ARRAY", "items": ty }));
            }
        }
    }
    out
}

fn column_type(shape: &Shape, node: NodeId, column: usize) -> &Type {
    &shape.nodes[node].table.columns[column].ty
}

fn scalar(name: &str, ty: &Type) -> Value {
    match ty {
        Type::Array(inner) => json!({ "name": name, "type": ty.name(), "items": inner.name() }),
        Type::Composite(attributes) => json!({
            "name": name,
            "type": ty.name(),
            "members": attributes.iter().map(|one| scalar(&name::served(&one.name), &one.ty)).collect::<Vec<_>>(),
        }),
        _ => json!({ "name": name, "type": ty.name() }),
    }
}

fn page_links(collection: &str, page: &PageRequest<'_>, has_more: bool) -> Vec<Value> {
    let at = |offset: u64| {
        let mut query = Vec::new();
        if offset > 0 {
            query.push(format!("offset={offset}"));
        }
        if page.limit_given {
            query.push(format!("limit={}", page.limit));
        }
        with_query(collection, &query.join("&"))
    };
    let link = |rel: &str, href: String| json!({ "rel": rel, "href": href });
    let mut links = vec![
        link("self", with_query(collection, page.query.unwrap_or_default())),
        link("first", at(0)),
    ];
    if has_more && page.limit > 0 {
        links.push(link("next", at(page.offset.saturating_add(page.limit))));
    }
    if page.offset > 0 {
        links.push(link("prev", at(page.offset.saturating_sub(page.limit))));
    }
    links
}

fn with_query(address: &str, query: &str) -> String {
    if query.is_empty() { address.to_owned() } else { format!("{address}?{query}") }
}
