//! JSON Schemas of items and pages.

use duet_model::catalog::Relation;
use duet_model::profiles::DateForm;
use duet_model::{Attribute, Column, DocumentStyle, Member, MemberKind, NodeId, Shape, Type};
use duet_service::checks;
use duet_text::name;
use serde_json::{Map, Value, json};

use super::super::{DescribedResource, always_present, scalar_column};
use super::collection;
use super::comment::sentence;
use super::reference::{reference, schema_name};

/// The schema of an item. A member whose value is NULL is there as `null`, but `fields` leaves members out at
/// every level, and rows have no `links`, so that none is required.
pub(super) fn item(resource: &DescribedResource<'_>) -> Value {
    let links = reference("schemas", "Link");
    let mut item = item_with(resource, reference("schemas", "Metadata"), &links, Presence::Chosen);
    if resource.shape.document().is_none() {
        let comment = resource.comment.map(sentence).unwrap_or_default();
        let note = match resource.shape.leaves_out_nulls() {
            false => {
                "Every member is there, `null` where it has no value, unless the parameter `fields` \
                 names others."
            }
            true => {
                "Members without a value are `null` or left out, as their schema says; the parameter \
                 `fields` chooses among them."
            }
        };
        item["description"] = json!(format!("{comment} {note}").trim());
    }
    item
}

/// The schema of a whole item as a document of its own, without references.
pub(in super::super) fn document(resource: &DescribedResource<'_>) -> Value {
    let mut document = item_with(resource, metadata(), &link(), Presence::Always);
    if resource.shape.document().is_none()
        && let Some(comment) = resource.comment
    {
        document["description"] = json!(sentence(comment));
    }
    document
}

/// Whether the members of an item are all there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Always,
    /// Those that the request chooses.
    Chosen,
}

fn item_with(
    resource: &DescribedResource<'_>,
    metadata: Value,
    link: &Value,
    presence: Presence,
) -> Value {
    let shape = resource.shape;
    if let Some(document) = shape.document() {
        return Value::Object(collection::document(document));
    }
    let mut object = ObjectSchema::new(presence);
    object.add(shape, 0, &shape.root().members, false);
    if shape.metadata {
        object.require("_metadata", metadata);
    }
    if resource.has_items {
        object.require("links", json!({ "type": "array", "items": link }));
    }
    Value::Object(object.finish())
}

/// The names of an item's own members: what `fields` can name.
pub(super) fn member_names(resource: &DescribedResource<'_>) -> Vec<String> {
    let shape = resource.shape;
    let mut object = ObjectSchema::new(Presence::Always);
    object.add(shape, 0, &shape.root().members, false);
    object.names
}

/// The schema of a page of items.
pub(super) fn page(resource: &DescribedResource<'_>) -> Value {
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
    page_of("A page.", &json!({ "type": "array", "items": {} }))
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

/// The schema of what `explain=1` answers for a page.
pub(super) fn page_plan() -> Value {
    let texts = |description: &str| -> Value {
        json!({ "type": "array", "items": { "type": "string" }, "description": description })
    };
    let rows = "How many items the filter selects, as the database estimates.";
    json!({
        "type": "object",
        "description": "What a request for a page would do.",
        "properties": {
            "query": { "type": "string", "description": "The parameter `query` as it was understood." },
            "plan": texts("The plan in words, line by line."),
            "indexes": texts("The index of each condition, or what to declare."),
            "estimatedRows": { "type": "integer", "format": "int64", "minimum": 0, "description": rows },
            "statements": {
                "type": "array",
                "description": "The statements, for administrators.",
                "items": {
                    "type": "object",
                    "properties": {
                        "reads": { "type": "string" },
                        "sql": { "type": "string" },
                        "parameters": { "type": "array", "items": { "type": "string" } },
                        "database": database_plan(),
                    },
                    "required": ["reads", "sql", "parameters"],
                },
            },
        },
        "required": ["plan", "indexes"],
    })
}

/// The schema of the database's own plan.
fn database_plan() -> Value {
    let number = json!({ "type": "number", "minimum": 0 });
    json!({
        "type": "object",
        "description": "The database's plan of the statement, where it was asked for. Only what was measured has rows and times.",
        "properties": {
            "rowsRead": number,
            "rowsReturned": number,
            "milliseconds": number,
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "depth": { "type": "integer", "minimum": 0 },
                        "does": { "type": "string" },
                        "expectedRows": number,
                        "rows": number,
                        "rowsLookedAt": number,
                        "milliseconds": number,
                        "slowest": { "type": "boolean" },
                    },
                    "required": ["depth", "does"],
                },
            },
        },
        "required": ["steps"],
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

/// The strings that numbers may be.
const NOT_FINITE: &str = "^(NaN|-?Infinity)$";

/// The schema of a value of a type.
pub(super) fn of_type(ty: &Type, nullable: bool) -> Map<String, Value> {
    let Value::Object(mut schema) = not_null(ty) else { return Map::new() };
    if nullable {
        match schema.get_mut("type") {
            Some(Value::Array(names)) => names.push(json!("null")),
            Some(name) => *name = json!([name, "null"]),
            None => {}
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
        Type::Decimal { scale: Some(_) } => json!({ "type": "number" }),
        Type::Decimal { scale: None } => {
            json!({ "type": ["number", "string"], "pattern": NOT_FINITE })
        }
        Type::Float { bits } => json!({
            "type": ["number", "string"],
            "format": if *bits == 32 { "float" } else { "double" },
            "pattern": NOT_FINITE,
        }),
        Type::Text
        | Type::Char
        | Type::Formatted(_)
        | Type::Native(_)
        | Type::Pair(_)
        | Type::Other => json!({ "type": "string" }),
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
        // Whatever SQLite stores: bytes are base64.
        Type::Dynamic => json!({ "type": ["string", "number"] }),
        Type::Array(inner) => json!({ "type": "array", "items": of_type(inner, true) }),
        Type::Composite(attributes) => {
            let property =
                |one: &Attribute| (name::served(&one.name), Value::Object(of_type(&one.ty, true)));
            let properties: Map<_, _> = attributes.iter().map(property).collect();
            json!({ "type": "object", "properties": properties })
        }
        Type::Enum(labels) => json!({ "type": "string", "enum": &labels[..] }),
    }
}

/// The schema of a value as documents of a style have it, which may write dates with a time.
pub(super) fn styled(style: DocumentStyle, ty: &Type, mut schema: Value) -> Value {
    let (is_date, is_timestamp) = (*ty == Type::Date, *ty == Type::Timestamp);
    let date = style.dates();
    match date {
        _ if is_timestamp && style.timestamps_in_utc()
            || is_date && date == DateForm::MidnightUtc =>
        {
            schema["format"] = json!("date-time");
            if let Some(object) = schema.as_object_mut() {
                object.remove("pattern");
            }
        }
        DateForm::Midnight if is_date => {
            schema["format"] = json!("date-time-local");
            schema["pattern"] = json!(TIMESTAMP);
        }
        _ => {}
    }
    schema
}

/// What has to be said of a type beyond its schema.
pub(super) fn note(ty: &Type, declared: &str) -> Option<String> {
    match ty {
        Type::Json => Some("Any JSON.".into()),
        Type::Dynamic => Some("Whatever is stored: a number, a text, or bytes as base64.".into()),
        Type::Formatted(_) | Type::Native(_) | Type::Other => {
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
struct ObjectSchema {
    presence: Presence,
    properties: Map<String, Value>,
    /// The names of all, in order.
    names: Vec<String>,
    required: Vec<String>,
    /// Whether a flex column adds members of any name.
    flexible: bool,
}

impl ObjectSchema {
    fn new(presence: Presence) -> Self {
        let (properties, names, required) = Default::default();
        Self { presence, properties, names, required, flexible: false }
    }

    fn require(&mut self, name: &str, schema: Value) {
        if self.properties.insert(name.to_owned(), schema).is_none() {
            self.names.push(name.to_owned());
            self.required.push(name.to_owned());
        }
    }

    /// Adds a member that may be left out.
    fn offer(&mut self, name: &str, schema: Value) {
        if self.properties.insert(name.to_owned(), schema).is_none() {
            self.names.push(name.to_owned());
        }
    }

    /// Adds a value; one that is left out where it is NULL is never `null`.
    fn value(&mut self, member: &Member, schema: Value) {
        match member.is_absent_on_null() {
            true => self.offer(&member.name, schema),
            false => self.require(&member.name, schema),
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
                    let is_absent = member.is_absent_on_null();
                    column.not_null |= identifies || is_absent;
                    let schema = column_schema(table, &column, optional && !is_absent);
                    self.value(member, styled(shape.style, &column.ty, schema));
                }
                MemberKind::Generated { ty, .. } => {
                    let schema = Value::Object(of_type(ty, !member.is_absent_on_null()));
                    self.value(member, styled(shape.style, ty, schema));
                }
                MemberKind::Group(inner) => {
                    let mut group = Self::new(self.presence);
                    group.add(shape, node, inner, optional);
                    self.require(&member.name, Value::Object(group.finish()));
                }
                MemberKind::Flex(_) | MemberKind::Document(_) => self.flexible = true,
                MemberKind::Related(_) => {}
                MemberKind::Object(child) => {
                    self.require(&member.name, one(shape, *child, self.presence));
                }
                MemberKind::Array(child) => {
                    self.require(&member.name, many(shape, *child, self.presence));
                }
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
        if !self.required.is_empty() && self.presence == Presence::Always {
            schema.insert("required".into(), json!(self.required));
        }
        if self.flexible {
            schema.insert("additionalProperties".into(), json!(true));
        }
        schema
    }
}

fn row(shape: &Shape, node: NodeId, presence: Presence) -> ObjectSchema {
    let mut object = ObjectSchema::new(presence);
    object.add(shape, node, &shape.nodes[node].members, false);
    object
}

fn one(shape: &Shape, child: NodeId, presence: Presence) -> Value {
    let mut object = row(shape, child, presence);
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

fn many(shape: &Shape, child: NodeId, presence: Presence) -> Value {
    json!({ "type": "array", "items": row(shape, child, presence).finish() })
}

pub(super) fn scalars(shape: &Shape, child: NodeId) -> Value {
    let table = &shape.nodes[child].table;
    let schema = |column: usize| column_schema(table, &table.columns[column], false);
    let items = scalar_column(shape, child).map(schema);
    json!({ "type": "array", "items": items.unwrap_or_else(|| json!({})) })
}
