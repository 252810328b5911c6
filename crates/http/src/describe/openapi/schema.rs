//! JSON Schemas of items and pages.

use duet_model::catalog::Relation;
use duet_model::{Column, Member, MemberKind, NodeId, Shape, Type};
use duet_service::checks;
use serde_json::{Map, Value, json};

use super::super::{Described, always_present, scalar_column};
use super::collection;
use super::comment::sentence;
use super::reference::{reference, schema_name};

/// The schema of an item. Its members are required, because a member whose value is NULL is
/// there as `null`; only `fields` leaves members out.
pub(super) fn item(resource: &Described<'_>) -> Value {
    item_with(resource, reference("schemas", "Metadata"), &reference("schemas", "Link"))
}

/// The schema of an item as a document of its own, without references.
pub(in super::super) fn document(resource: &Described<'_>) -> Value {
    item_with(resource, metadata(), &link())
}

fn item_with(resource: &Described<'_>, metadata: Value, link: &Value) -> Value {
    let shape = resource.shape;
    if let Some(document) = shape.document() {
        return Value::Object(collection::document(document));
    }
    let mut object = ObjectSchema::default();
    object.add(shape, 0, &shape.root().members, false);
    if shape.metadata {
        object.require("_metadata", metadata);
    }
    if resource.has_items {
        object.require("links", json!({ "type": "array", "items": link }));
    }
    let mut schema = object.finish();
    let comment = resource.comment.map(sentence).unwrap_or_default();
    let note = "With the parameter `fields`, only the members that it names are there.";
    schema.insert("description".into(), json!(format!("{comment} {note}").trim()));
    Value::Object(schema)
}

/// The names of an item's own members: what `fields` can name.
pub(super) fn member_names(resource: &Described<'_>) -> Vec<String> {
    let shape = resource.shape;
    let mut object = ObjectSchema::default();
    object.add(shape, 0, &shape.root().members, false);
    object.required
}

/// The schema of a page of items.
pub(super) fn page(resource: &Described<'_>) -> Value {
    if let Some(document) = resource.shape.document() {
        return collection::list(resource, document);
    }
    let items = json!({
        "type": "array",
        "items": reference("schemas", &schema_name(resource, "Item")),
    });
    page_of(&format!("A page of {}.", resource.name), &items)
}

/// The schema of a page of any items.
pub(super) fn any_page() -> Value {
    page_of("A page.", &json!({ "type": "array" }))
}

fn page_of(description: &str, items: &Value) -> Value {
    let size = |description: &str| {
        let mut size = of_type(&Type::Integer { bits: 64 }, false);
        size.insert("minimum".into(), json!(0));
        size.insert("description".into(), json!(description));
        size
    };
    json!({
        "type": "object",
        "description": description,
        "properties": {
            "items": items,
            "hasMore": { "type": "boolean", "description": "Whether items follow this page." },
            "limit": size("Items in the page at most."),
            "offset": size("Items before the page."),
            "count": size("Items in the page."),
            "total": size("All items that the filter selects, if `count` asked for them."),
            "totalExact": {
                "type": "boolean",
                "description": "Whether `total` was counted and not estimated.",
            },
            "missing": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The keys of `ids` that there is no item with.",
            },
            "links": links(),
        },
        "required": ["items", "hasMore", "limit", "offset", "count", "links"],
    })
}

/// The schema of `_metadata`.
pub(super) fn metadata() -> Value {
    json!({
        "type": "object",
        "properties": {
            "etag": {
                "type": "string",
                "pattern": "^[0-9A-F]{32}$",
                "description": "The hash of the members that a write is checked against.",
            },
            "asof": {
                "type": "string",
                "pattern": "^[0-9A-F]{16}$",
                "description": "The state of the database that was read.",
            },
        },
        "required": ["etag", "asof"],
    })
}

/// The schema of a link.
pub(super) fn link() -> Value {
    json!({
        "type": "object",
        "properties": {
            "rel": { "type": "string", "description": "The relation (RFC 8288)." },
            "href": { "type": "string", "format": "uri" },
            "mediaType": { "type": "string" },
            "method": {
                "type": "string",
                "enum": ["POST", "QUERY"],
                "description": "The method, where it is not GET: the body is sent again.",
            },
            "body": {
                "type": "object",
                "description": "Members to put into that body first.",
            },
        },
        "required": ["rel", "href"],
    })
}

fn links() -> Value {
    json!({ "type": "array", "items": reference("schemas", "Link") })
}

/// The form of a timestamp without zone, because few programs know the format `date-time-local`.
const TIMESTAMP: &str =
    r"^([+-]\d{6}|\d{4})-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?$|^-?infinity$";

/// The schema of a value of a type.
pub(super) fn of_type(ty: &Type, nullable: bool) -> Map<String, Value> {
    let Value::Object(mut schema) = not_null(ty) else { return Map::new() };
    if nullable {
        if let Some(name) = schema.get("type").cloned() {
            schema.insert("type".into(), json!([name, "null"]));
        }
        if let Some(Value::Array(labels)) = schema.get_mut("enum") {
            labels.push(Value::Null);
        }
    }
    schema
}

fn not_null(ty: &Type) -> Value {
    let string = |format: &str| json!({ "type": "string", "format": format });
    match ty {
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Integer { bits: 64 } => json!({ "type": "integer", "format": "int64" }),
        Type::Integer { .. } => json!({ "type": "integer", "format": "int32" }),
        Type::Decimal { .. } => json!({ "type": "number" }),
        Type::Float { bits: 32 } => json!({ "type": "number", "format": "float" }),
        Type::Float { .. } => json!({ "type": "number", "format": "double" }),
        Type::Text | Type::Char | Type::Formatted(_) | Type::Pair(_) | Type::Other => {
            json!({ "type": "string" })
        }
        Type::Binary => json!({ "type": "string", "contentEncoding": "base64" }),
        Type::Uuid => string("uuid"),
        Type::Date => string("date"),
        // The formats without zone are those of the OpenAPI format registry: `time` and
        // `date-time` (RFC 3339) demand an offset.
        Type::Time => string("time-local"),
        Type::TimeTz => string("time"),
        Type::Timestamp => json!({
            "type": "string",
            "format": "date-time-local",
            "pattern": TIMESTAMP,
        }),
        Type::TimestampTz => string("date-time"),
        Type::Interval => string("duration"),
        Type::Json => json!({}),
        Type::Array(inner) => json!({ "type": "array", "items": of_type(inner, true) }),
        Type::Enum(labels) => json!({ "type": "string", "enum": &labels[..] }),
    }
}

/// What has to be said of a type beyond its schema.
pub(super) fn note(ty: &Type, declared: &str) -> Option<String> {
    match ty {
        Type::Json => Some("Any JSON.".into()),
        Type::Formatted(_) | Type::Other => {
            Some(format!("The text form of the database's type `{declared}`."))
        }
        _ => None,
    }
}

/// The schema of a column of a table: its type, and the limits from its checks. `optional`: it may be
/// NULL whatever the column says.
pub(super) fn column_schema(table: &Relation, column: &Column, optional: bool) -> Value {
    let nullable = optional || !column.not_null;
    let mut schema = of_type(&column.ty, nullable);
    schema.extend(checks::keywords(table, column));
    if let Some(Value::Array(values)) = schema.get_mut("enum").filter(|_| nullable)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    let comment = column.comment.as_deref().map(sentence);
    let parts: Vec<_> =
        [comment, note(&column.ty, &column.declared)].into_iter().flatten().collect();
    if !parts.is_empty() {
        schema.insert("description".into(), json!(parts.join(" ")));
    }
    Value::Object(schema)
}

/// A JSON object under construction.
#[derive(Default)]
struct ObjectSchema {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// Whether a flex column adds members of any name.
    flexible: bool,
}

impl ObjectSchema {
    fn require(&mut self, name: &str, schema: Value) {
        if self.properties.insert(name.to_owned(), schema).is_none() {
            self.required.push(name.to_owned());
        }
    }

    /// Adds the members of a node; `optional` where the row may be missing, which makes them all
    /// `null`.
    fn add(&mut self, shape: &Shape, node: NodeId, members: &[Member], optional: bool) {
        let table = &shape.nodes[node].table;
        let columns = &table.columns;
        for member in members {
            match &member.kind {
                MemberKind::Column(column) if column.hidden => {}
                MemberKind::Generated { hidden: true, .. } => {}
                MemberKind::Column(column) => {
                    let identifies = node == 0 && shape.key.contains(&column.column);
                    let mut column = columns[column.column].clone();
                    column.not_null |= identifies;
                    self.require(&member.name, column_schema(table, &column, optional));
                }
                MemberKind::Generated { ty, .. } => {
                    self.require(&member.name, Value::Object(of_type(ty, true)));
                }
                MemberKind::Group(inner) => {
                    let mut group = Self::default();
                    group.add(shape, node, inner, optional);
                    self.require(&member.name, Value::Object(group.finish()));
                }
                MemberKind::Flex(_) | MemberKind::Document(_) => self.flexible = true,
                MemberKind::Related(_) => {}
                MemberKind::Object(child) => self.require(&member.name, one(shape, *child)),
                MemberKind::Array(child) => self.require(&member.name, many(shape, *child)),
                MemberKind::Scalars(child) => self.require(&member.name, scalars(shape, *child)),
                MemberKind::Unnest(child) => {
                    let child_node = &shape.nodes[*child];
                    let missing = optional || !always_present(shape, child_node);
                    self.add(shape, *child, &child_node.members, missing);
                }
            }
        }
    }

    fn finish(self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".into(), json!("object"));
        schema.insert("properties".into(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".into(), json!(self.required));
        }
        if self.flexible {
            schema.insert("additionalProperties".into(), json!(true));
        }
        schema
    }
}

fn row(shape: &Shape, node: NodeId) -> ObjectSchema {
    let mut object = ObjectSchema::default();
    object.add(shape, node, &shape.nodes[node].members, false);
    object
}

fn one(shape: &Shape, child: NodeId) -> Value {
    let mut object = row(shape, child);
    let present = always_present(shape, &shape.nodes[child]);
    if !present {
        object.required.clear();
    }
    let mut schema = object.finish();
    if !present {
        schema.insert("description".into(), json!("`{}` where there is no row."));
    }
    Value::Object(schema)
}

fn many(shape: &Shape, child: NodeId) -> Value {
    json!({ "type": "array", "items": row(shape, child).finish() })
}

pub(super) fn scalars(shape: &Shape, child: NodeId) -> Value {
    let table = &shape.nodes[child].table;
    let schema = |column: usize| column_schema(table, &table.columns[column], false);
    let items = scalar_column(shape, child).map(schema);
    json!({ "type": "array", "items": items.unwrap_or_else(|| json!({})) })
}
