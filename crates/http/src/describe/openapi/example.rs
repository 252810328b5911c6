//! Examples made from types: no data is read for them, and the same shape always gives the same.

use duet_model::catalog::Relation;
use duet_model::{Column, Member, MemberKind, NodeId, Shape, Type};
use duet_service::checks;
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, Site, names, scalar_column};
use super::collection;
use super::parameter::example_path;
use super::typed_example::value;

/// A value of a column, within the limits of its table's checks as far as they are bounds and lists.
fn of_column(table: &Relation, column: &Column) -> Value {
    let plain = value(&column.ty);
    let limits = Value::Object(checks::keywords(table, column));
    if let Some(first) = limits["enum"].as_array().and_then(|listed| listed.first()) {
        return first.clone();
    }
    let beyond = |bound: &Value, is_beyond: fn(f64, f64) -> bool| {
        let pair = plain.as_f64().zip(bound.as_f64());
        pair.is_some_and(|(value, bound)| is_beyond(value, bound))
    };
    if beyond(&limits["minimum"], |value, least| value < least) {
        return limits["minimum"].clone();
    }
    if beyond(&limits["maximum"], |value, most| value > most) {
        return limits["maximum"].clone();
    }
    match (&plain, limits["maxLength"].as_u64()) {
        (Value::String(text), Some(most)) if column.ty == Type::Text => {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            json!(text.chars().take(most).collect::<String>())
        }
        _ => plain,
    }
}

/// The members of an item, without those that the server adds.
pub(super) fn members(shape: &Shape) -> Map<String, Value> {
    let mut object = Map::new();
    fill(shape, 0, &shape.root().members, &mut object);
    object
}

/// A whole item as in the response to a GET, or in a page.
pub(super) fn item(site: &Site<'_>, resource: &DescribedResource<'_>, in_page: bool) -> Value {
    let shape = resource.shape;
    if let Some(document) = shape.document() {
        return collection::example(document);
    }
    let mut object = members(shape);
    if shape.metadata {
        let metadata =
            json!({ "etag": "0123456789ABCDEF0123456789ABCDEF", "asof": "00000000000000F3" });
        object.insert("_metadata".into(), metadata);
    }
    if resource.has_items {
        object.insert("links".into(), item_links(site, resource, in_page));
    }
    Value::Object(object)
}

/// A page with one item.
pub(super) fn page(site: &Site<'_>, resource: &DescribedResource<'_>) -> Value {
    if let Some(document) = resource.shape.document() {
        return collection::example_list(document);
    }
    let path = resource.service.filter(|_| resource.is_templated()).map(example_path);
    let own = site.url(&path.unwrap_or_else(|| resource.path()));
    let entry = format!("/metadata-catalog/{}/", names::segment(resource.name));
    json!({
        "items": [item(site, resource, true)],
        "hasMore": false,
        "limit": resource.page_size,
        "offset": 0,
        "count": 1,
        "links": [
            { "rel": "self", "href": own },
            { "rel": "describedby", "href": site.url(&entry) },
            { "rel": "first", "href": own },
        ],
    })
}

fn item_links(site: &Site<'_>, resource: &DescribedResource<'_>, in_page: bool) -> Value {
    let columns = &resource.shape.root().table.columns;
    let key: Vec<_> = resource
        .shape
        .key
        .iter()
        .map(|&column| match value(&columns[column].ty) {
            Value::String(text) => names::segment(&text),
            other => names::segment(&other.to_string()),
        })
        .collect();
    let collection = site.url(&resource.path());
    let own = json!({ "rel": "self", "href": format!("{collection}{}", key.join(",")) });
    if in_page {
        return json!([own]);
    }
    let entry = format!("/metadata-catalog/{}/item", names::segment(resource.name));
    json!([
        own,
        { "rel": "describedby", "href": site.url(&entry) },
        { "rel": "collection", "href": collection },
    ])
}

fn fill(shape: &Shape, node: NodeId, members: &[Member], object: &mut Map<String, Value>) {
    let column = |node: NodeId, column: usize| {
        let table = &shape.nodes[node].table;
        of_column(table, &table.columns[column])
    };
    for member in members {
        let below = |child: NodeId| {
            let mut inner = Map::new();
            fill(shape, child, &shape.nodes[child].members, &mut inner);
            inner
        };
        let value = match &member.kind {
            MemberKind::Column(shown) if shown.hidden => continue,
            MemberKind::Generated { hidden: true, .. }
            | MemberKind::Flex(_)
            | MemberKind::Document(_)
            | MemberKind::Related(_) => continue,
            MemberKind::Column(shown) => column(node, shown.column),
            MemberKind::Generated { ty, .. } => value(ty),
            MemberKind::Group(inner) => {
                let mut group = Map::new();
                fill(shape, node, inner, &mut group);
                Value::Object(group)
            }
            MemberKind::Object(child) => Value::Object(below(*child)),
            MemberKind::Array(child) => json!([below(*child)]),
            MemberKind::Scalars(child) => {
                let shown = scalar_column(shape, *child).map(|shown| column(*child, shown));
                json!([shown])
            }
            MemberKind::Unnest(child) => {
                object.append(&mut below(*child));
                continue;
            }
        };
        object.insert(member.name.clone(), value);
    }
}
