//! The filter grammar as JSON Schemas: one object per resource with its fields, and one schema
//! per kind of condition, shared by all resources.

use duet_filter::cql::tree::Symbol;
use duet_filter::{Fields, OperatorRow, Takes, member_of, operators};
use duet_model::shape::Field;
use duet_model::{Comparability, GroupFunction, IndexKind, PairKind, RangeRelation, Type};
use serde_json::{Map, Value, json};

use super::super::DescribedResource;
use super::reference::{reference, schema_name};
use super::typed_example;

/// What a field can be tested for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Equality and order of booleans.
    Boolean,
    /// Equality and order of numbers.
    Number,
    /// Equality, order and search of text.
    Text,
    /// The same of whatever is stored: numbers, texts, bytes.
    Any,
    /// Equality and order of dates, times and durations.
    Temporal,
    /// Whether there is a value at all.
    Presence,
    /// Relations to ranges.
    Range,
    /// Boxes.
    Point,
}

impl Condition {
    /// All of them, in the order in which they are printed.
    pub(super) const ALL: [Self; 8] = [
        Self::Boolean,
        Self::Number,
        Self::Text,
        Self::Any,
        Self::Temporal,
        Self::Presence,
        Self::Range,
        Self::Point,
    ];

    /// The one for fields of a type.
    pub(super) fn of(ty: &Type) -> Self {
        match ty {
            Type::Boolean => Self::Boolean,
            Type::Dynamic => Self::Any,
            Type::Interval => Self::Temporal,
            Type::Json | Type::Binary | Type::Array(_) => Self::Presence,
            Type::Native(native) if native.comparison == Comparability::None => Self::Presence,
            Type::Pair(pair) if pair.kind == PairKind::Point => Self::Point,
            Type::Pair(_) => Self::Range,
            ty if ty.is_number() => Self::Number,
            ty if ty.is_temporal() => Self::Temporal,
            _ => Self::Text,
        }
    }

    /// The operators for fields of this kind, in the order in which they are printed.
    pub(super) fn operators(self) -> impl Iterator<Item = &'static OperatorRow> {
        let own: &[Fields] = match self {
            Self::Presence | Self::Range | Self::Point => &[Fields::Any],
            Self::Text | Self::Any => &[Fields::Comparable, Fields::Text, Fields::Any],
            _ => &[Fields::Comparable, Fields::Any],
        };
        let of_pairs = operators().filter(move |row| {
            let mut relations = RangeRelation::NAMES.into_iter();
            let relation = relations.find(|(name, _)| row.name == *name).map(|(_, it)| it);
            match self {
                Self::Range => relation.is_some(),
                Self::Point => relation == Some(RangeRelation::Within),
                _ => false,
            }
        });
        let own =
            own.iter().flat_map(|fields| operators().filter(move |row| row.fields == *fields));
        of_pairs.chain(own)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Boolean => "Boolean",
            Self::Number => "Number",
            Self::Text => "Text",
            Self::Any => "Any",
            Self::Temporal => "Temporal",
            Self::Presence => "Presence",
            Self::Range => "Range",
            Self::Point => "Point",
        }
    }

    /// The JSON types of a field's operands.
    fn operand_types(self) -> &'static [&'static str] {
        match self {
            Self::Boolean | Self::Presence | Self::Range | Self::Point => &["boolean"],
            Self::Number => &["number"],
            Self::Text | Self::Temporal => &["string"],
            Self::Any => &["string", "number", "boolean"],
        }
    }

    fn operand(self) -> Value {
        let end = || json!({ "type": ["number", "string", "null"] });
        match self {
            Self::Range => json!({
                "type": "object",
                "properties": { "from": end(), "to": end() },
                "additionalProperties": false,
            }),
            Self::Point => json!({
                "type": "array",
                "items": { "type": "number" },
                "minItems": 4,
                "maxItems": 4,
            }),
            _ => match self.operand_types() {
                [only] => json!({ "type": only }),
                several => json!({ "type": several }),
            },
        }
    }

    fn operand_or_null(self) -> Value {
        let types = [self.operand_types(), &["null"]].concat();
        json!({ "type": types })
    }

    fn description(self) -> &'static str {
        match self {
            Self::Presence => "Whether there is a value: operators, or a list that must all hold.",
            Self::Range => {
                "How the range is to another one, whose ends belong to it; a missing end is open."
            }
            Self::Point => {
                "The box that the point is in: the least x and y, and the greatest x and y."
            }
            Self::Temporal => {
                "A date, time, moment or duration in the form of its field to be equal to, null, \
                 operators, or a list that must all hold. `{\"$date\":\"…\"}` may replace the \
                 text."
            }
            _ => "A value to be equal to, null, operators, or a list that must all hold.",
        }
    }

    /// Whether a value alone is a condition.
    fn takes_values(self) -> bool {
        !matches!(self, Self::Presence | Self::Range | Self::Point)
    }

    /// The schemas of this kind: the condition and its operators.
    pub(super) fn schemas(self, out: &mut Map<String, Value>) {
        let operators = format!("{}Operators", self.name());
        let own = reference("schemas", &operators);
        let list = json!({ "type": "array", "items": own, "minItems": 1 });
        let mut any_of = vec![own.clone(), list];
        if self.takes_values() {
            any_of.insert(0, self.operand_or_null());
        }
        let condition = json!({ "description": self.description(), "anyOf": any_of });
        out.insert(format!("{}Condition", self.name()), condition);
        out.insert(operators, self.operator_object(&own));
    }

    fn operator_object(self, own: &Value) -> Value {
        let properties: Map<_, _> =
            self.operators().map(|row| (row.name.to_owned(), self.operand_of(row, own))).collect();
        json!({
            "type": "object",
            "description": "Conditions of one field that must all hold.",
            "properties": properties,
            "additionalProperties": false,
            "minProperties": 1,
        })
    }

    /// What an operator takes.
    fn operand_of(self, row: &OperatorRow, own: &Value) -> Value {
        let mut schema = match row.takes {
            Takes::Value => self.operand(),
            Takes::Ends => json!({
                "type": "array",
                "items": self.operand_or_null(),
                "minItems": 2,
                "maxItems": 2,
            }),
            Takes::Values => json!({ "type": "array", "items": self.operand_or_null() }),
            // Generated code may send every member that can be null as null, which would be a
            // condition here: so no member can. `true` means the same for the null tests.
            Takes::Null => {
                json!({ "type": "boolean", "description": "`true`; null means the same." })
            }
            Takes::Bool => json!({ "type": "boolean" }),
            Takes::Condition => own.clone(),
            Takes::Conditions => json!({ "type": "array", "items": own, "minItems": 1 }),
            Takes::Other => json!({}),
        };
        if let Some(description) = row.description {
            schema["description"] = json!(description);
        }
        schema
    }
}

/// Whether pages can be ordered by the field.
fn is_orderable(field: &Field) -> bool {
    let has_order = match field.ty {
        Type::Json => field.json().is_some(),
        Type::Array(_) | Type::Pair(_) => false,
        Type::Native(ref native) => native.comparison == Comparability::Order,
        _ => true,
    };
    has_order && !field.repeated
}

/// The schema of a resource's `q`.
pub(super) fn filter(resource: &DescribedResource<'_>, fields: &[Field]) -> Value {
    let own = reference("schemas", &schema_name(resource, "Filter"));
    let list = || json!({ "type": "array", "items": own, "minItems": 1 });
    let mut properties = Map::new();
    for field in fields {
        let condition = format!("{}Condition", Condition::of(&field.ty).name());
        properties.insert(member_of(&field.path).into(), reference("schemas", &condition));
    }
    for (name, schema) in
        [("$and", list()), ("$or", list()), ("$nor", list()), ("$not", own.clone())]
    {
        properties.insert(name.into(), schema);
    }
    if order(resource, fields).is_some() {
        let order = reference("schemas", &schema_name(resource, "Order"));
        let orders = json!({ "type": "array", "items": order, "minItems": 1 });
        properties.insert("$orderby".into(), json!({ "anyOf": [order, orders] }));
    }
    properties.insert("$group".into(), reference("schemas", "Group"));
    let having = "Conditions on groups: on keys and aggregates of `$group`.";
    properties.insert("$having".into(), json!({ "type": "object", "description": having }));
    json!({
        "type": "object",
        "description": format!("Conditions on {} that must all hold.", resource.name),
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The schema of `$group`, which all resources share.
pub(super) fn group() -> Value {
    let path = || json!({ "type": "string" });
    let functions = GroupFunction::ALL.map(|function| (function.name().to_owned(), path()));
    json!({
        "type": "object",
        "description": "Groups of the selected items, in lists alone and at the top level: the paths that \
                        they have in common, and aggregates by name. `$count` takes `*` too.",
        "properties": {
            "by": { "anyOf": [
                path(),
                { "type": "array", "items": path() },
                { "type": "object", "additionalProperties": path() },
            ] },
        },
        "additionalProperties": {
            "type": "object",
            "properties": Map::from_iter(functions),
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        },
    })
}

/// The schema of a resource's `$orderby`; `None` where it has no field to order by.
pub(super) fn order(resource: &DescribedResource<'_>, fields: &[Field]) -> Option<Value> {
    let properties: Map<_, _> = fields
        .iter()
        .filter_map(|field| Some((field.path.clone(), order_by(resource, field)?)))
        .collect();
    (!properties.is_empty()).then(|| {
        json!({
            "type": "object",
            "description": format!("An order of {}, most significant field first.", resource.name),
            "properties": properties,
            "additionalProperties": false,
        })
    })
}

/// What a member of `$orderby` takes: a direction, and what the documents of a collection with an index for it can be
/// compared with.
fn order_by(resource: &DescribedResource<'_>, field: &Field) -> Option<Value> {
    let declared = |is_it: fn(IndexKind) -> bool| {
        let indexes = resource.shape.document().map(|document| document.indexes.iter());
        let has =
            indexes.into_iter().flatten().any(|it| it.field.path == field.path && is_it(it.kind));
        has && !field.repeated
    };
    let compared = |name: &str, operand: Value, description: &str| {
        json!({
            "type": "object",
            "description": description,
            "properties": { (name): operand },
            "required": [name],
            "additionalProperties": false,
        })
    };
    let text = || json!({ "type": "string" });
    let point =
        || json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
    let mut takes = Vec::new();
    if is_orderable(field) {
        takes.push(reference("schemas", "Direction"));
    }
    if declared(IndexKind::has_trigrams) {
        takes.push(compared("$similar", text(), "The texts most similar to this one first."));
    }
    if declared(|kind| kind == IndexKind::FullText) {
        takes.push(compared("$relevant", text(), "The texts most relevant for these words first."));
    }
    if declared(|kind| kind == IndexKind::Point) {
        takes.push(compared(
            "$nearest",
            point(),
            "The points nearest to this one, `[x, y]`, first.",
        ));
    }
    match takes.len() {
        0 => None,
        1 => takes.pop(),
        _ => Some(json!({ "anyOf": takes })),
    }
}

/// The field of examples: the first outside the key that says something.
fn exemplary<'f>(resource: &DescribedResource<'_>, fields: &'f [Field]) -> Option<&'f Field> {
    let in_key = |field: &Field| {
        let column = field.column();
        column.is_some_and(|at| at.node == 0 && resource.shape.key.contains(&at.column))
    };
    let mut usable = fields.iter().filter(|f| Condition::of(&f.ty).takes_values());
    usable.clone().find(|field| !in_key(field)).or_else(|| usable.next())
}

/// Whether an example asks for one value of the type, rather than for those from one on.
fn is_asked_for_equality(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Boolean
            | Type::Enum(_)
            | Type::Uuid
            | Type::Formatted(_)
            | Type::Native(_)
            | Type::Dynamic
            | Type::Other
    )
}

/// An example of a resource's `query`.
pub(super) fn cql_example(resource: &DescribedResource<'_>, fields: &[Field]) -> Option<String> {
    let symbol = |text: &str| Symbol::new(text.to_owned(), 0).to_string();
    let field = exemplary(resource, fields)?;
    let value = match typed_example::value(&field.ty) {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let path = symbol(&field.path);
    let condition = match field.ty {
        Type::Text | Type::Char => format!("{path} == t*"),
        Type::Json => return None,
        ref ty if is_asked_for_equality(ty) => format!("{path} == {}", symbol(&value)),
        _ => format!("{path} >= {}", symbol(&value)),
    };
    let order =
        if is_orderable(field) { format!(" sortBy {path}/descending") } else { String::new() };
    Some(condition + &order)
}

/// An example of a resource's `q`.
pub(super) fn example(resource: &DescribedResource<'_>, fields: &[Field]) -> Value {
    let chosen = exemplary(resource, fields);
    let mut filter = Map::new();
    if let Some(field) = chosen {
        let value = typed_example::value(&field.ty);
        let condition = match field.ty {
            Type::Text | Type::Char => json!({ "$like": "t%" }),
            ref ty if is_asked_for_equality(ty) => json!({ "$eq": value }),
            _ => json!({ "$gte": value }),
        };
        filter.insert(member_of(&field.path).into(), condition);
    }
    if let Some(field) = chosen.filter(|f| is_orderable(f)) {
        let mut order = Map::new();
        order.insert(field.path.clone(), json!("DESC"));
        filter.insert("$orderby".into(), Value::Object(order));
    }
    Value::Object(filter)
}
