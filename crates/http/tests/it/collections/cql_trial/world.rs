//! The documents of the trial: orders and their lines, and what searches of them can name.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// What kind of value a field has, which says how it compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text that compares without case and accents.
    Text,
    /// Text that compares as it is.
    Exact,
    /// One of the labels of the schema.
    Label,
    Number,
    Boolean,
    /// A date and time.
    Moment,
    /// Any of several values in an array of the document.
    Element,
    /// The range between two members, which are numbers.
    Range,
}

/// Where the document is whose member a field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// What is listed.
    Own,
    /// Any line of the order.
    Lines,
    /// The order of the line.
    Order,
    /// The line of the row, in the joined list.
    Row,
}

/// What a search can name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// The path in the document.
    pub(super) path: &'static str,
    pub(super) kind: Kind,
    /// The values of documents, as JSON.
    values: &'static [&'static str],
}

const NAMES: &[&str] = &[
    "\"Open Water\"",
    "\"open\"",
    "\"École\"",
    "\"ecole\"",
    "\"O'Brien\"",
    "\"a*b?c\"",
    "\"50%_off\"",
    "\"back\\\\slash\"",
    "\"say \\\"hi\\\" open\"",
    "\"\"",
    "\" \"",
    "\"Über water\"",
];
const STATES: &[&str] = &["\"Open\"", "\"Closed\"", "\"in transit\"", "\"Été\""];
const CODES: &[&str] = &["\"AB-1\"", "\"ab-1\"", "\"AB-10\"", "\"É\"", "\"e\""];
const NUMBERS: &[&str] = &["10", "9.5", "100", "4.0", "4", "-1", "1000000", "0.5"];
const SWITCHES: &[&str] = &["true", "false"];
const SIZES: &[&str] = &["1", "2", "10", "\"2\""];
const TAGS: &[&str] = &["\"gift\"", "\"Gift\"", "\"urgent\"", "\"urgent now\"", "\"\"", "\"10\""];

/// Moments with the microseconds since the first.
pub(super) const MOMENTS: &[(&str, i64)] = &[
    ("\"2024-02-29T00:00:00Z\"", 0),
    ("\"2024-02-29T12:00:00+00:00\"", 43_200_000_000),
    ("\"2024-02-29T14:00:00+02:00\"", 43_200_000_000),
    ("\"2024-02-29T12:00:00.5Z\"", 43_200_500_000),
    ("\"2024-03-01T00:30:00+01:00\"", 84_600_000_000),
];
const DUE: &[&str] = &[MOMENTS[0].0, MOMENTS[1].0, MOMENTS[2].0, MOMENTS[3].0, MOMENTS[4].0];

/// The members of an order.
pub(super) const OF_ORDER: &[Field] = &[
    Field { path: "state", kind: Kind::Label, values: STATES },
    Field { path: "name", kind: Kind::Text, values: NAMES },
    Field { path: "code", kind: Kind::Exact, values: CODES },
    Field { path: "price", kind: Kind::Number, values: NUMBERS },
    Field { path: "approved", kind: Kind::Boolean, values: SWITCHES },
    Field { path: "least", kind: Kind::Number, values: NUMBERS },
    Field { path: "most", kind: Kind::Number, values: NUMBERS },
    Field { path: "due", kind: Kind::Moment, values: DUE },
    Field { path: "address.city", kind: Kind::Text, values: NAMES },
    Field { path: "tags", kind: Kind::Element, values: TAGS },
    Field { path: "contacts.kind", kind: Kind::Element, values: TAGS },
    Field { path: "contacts.size", kind: Kind::Element, values: SIZES },
];

/// What is made of two members of an order.
pub(super) const RANGE: Field = Field { path: "span", kind: Kind::Range, values: NUMBERS };

/// The members of which it is made.
pub(super) const ENDS: [&str; 2] = ["least", "most"];

/// The members of a line.
pub(super) const OF_LINE: &[Field] = &[
    Field { path: "title", kind: Kind::Text, values: NAMES },
    Field { path: "quantity", kind: Kind::Number, values: NUMBERS },
    Field { path: "rush", kind: Kind::Boolean, values: SWITCHES },
    Field { path: "source", kind: Kind::Label, values: STATES },
    Field { path: "labels", kind: Kind::Element, values: TAGS },
];

impl Field {
    /// A value as text, as a term would be.
    pub(super) fn terms(&self) -> impl Iterator<Item = String> + use<> {
        self.values.iter().map(|value| text(&serde_json::from_str(value).unwrap()))
    }

    /// The values of the field in a document; none where a member is missing or null.
    pub(super) fn values(&self, document: &Value) -> Vec<Value> {
        let mut found = vec![document.clone()];
        for name in self.path.split('.') {
            let elements = found.into_iter().flat_map(|it| match it {
                Value::Array(elements) => elements,
                other => vec![other],
            });
            found = elements.filter_map(|it| it.get(name).cloned()).collect();
        }
        let elements = found.into_iter().flat_map(|it| match it {
            Value::Array(elements) => elements,
            other => vec![other],
        });
        elements.filter(|it| !it.is_null()).collect()
    }
}

/// A scalar without quotes.
pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The JSON Schemas of orders and lines.
pub(super) fn schemas() -> [(&'static str, Value); 2] {
    let labels: Vec<Value> = STATES.iter().map(|it| serde_json::from_str(it).unwrap()).collect();
    let key = json!({"type": "string", "format": "uuid"});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let order = json!({"type": "object", "properties": {
        "id": key, "state": {"type": "string", "enum": labels}, "name": {"type": "string"},
        "code": {"type": "string"}, "price": {"type": "number"}, "approved": {"type": "boolean"},
        "least": {"type": "number"}, "most": {"type": "number"},
        "due": {"type": "string", "format": "date-time"},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}}, "tags": texts,
        "contacts": {"type": "array", "items": {"type": "object", "properties": {
            "kind": {"type": "string"}, "size": {"type": ["integer", "string"]},
        }}},
    }});
    let line = json!({"type": "object", "properties": {
        "id": key, "orderId": key, "title": {"type": "string"}, "quantity": {"type": "number"},
        "rush": {"type": "boolean"}, "source": {"type": "string", "enum": labels}, "labels": texts,
    }});
    [("orders", order), ("lines", line)]
}

/// Orders and lines. A line says which order it belongs to by `orderId`.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) orders: Vec<Value>,
    pub(super) lines: Vec<Value>,
}

impl World {
    /// The lines of an order.
    pub(super) fn lines_of<'w>(&'w self, order: &'w Value) -> impl Iterator<Item = &'w Value> {
        self.lines.iter().filter(move |line| line["orderId"] == order["id"])
    }

    /// The order of a line.
    pub(super) fn order_of(&self, line: &Value) -> Option<&Value> {
        self.orders.iter().find(|order| order["id"] == line["orderId"])
    }
}

pub(super) fn world() -> impl Strategy<Value = World> {
    let orders = prop::collection::vec(document(OF_ORDER), 0..7);
    let line = (document(OF_LINE), prop::option::weighted(0.85, any::<Index>()));
    (orders, prop::collection::vec(line, 0..8)).prop_map(|(mut orders, lines)| {
        for (number, order) in orders.iter_mut().enumerate() {
            order["id"] = json!(format!("{:08x}-0000-4000-8000-0000000000aa", (number * 7) % 13));
        }
        let lines = lines.into_iter().enumerate().map(|(number, (mut line, order))| {
            line["id"] = json!(format!("{:08x}-0000-4000-8000-0000000000bb", (number * 5) % 11));
            if let Some(order) = order.filter(|_| !orders.is_empty()) {
                line["orderId"] = order.get(&orders)["id"].clone();
            }
            line
        });
        let lines = lines.collect();
        World { orders, lines }
    })
}

fn document(fields: &'static [Field]) -> impl Strategy<Value = Value> {
    let members: Vec<_> = fields.iter().map(member).collect();
    members.prop_map(move |members| {
        let mut document = Value::Object(Map::new());
        for (field, value) in fields.iter().zip(members) {
            let Some(value) = value else { continue };
            match field.path.split_once('.') {
                None => document[field.path] = value,
                Some(("contacts", name)) => spread(&mut document["contacts"], name, value),
                Some((object, name)) => document[object] = json!({ name: value }),
            }
        }
        if document["contacts"].is_null() {
            document.as_object_mut().unwrap().remove("contacts");
        }
        document
    })
}

/// Gives each value to an element of the array.
fn spread(array: &mut Value, name: &str, values: Value) {
    let Value::Array(values) = values else { return };
    for (at, value) in values.into_iter().enumerate() {
        if !array.is_array() {
            *array = json!([]);
        }
        let elements = array.as_array_mut().unwrap();
        if elements.len() <= at {
            elements.push(json!({}));
        }
        elements[at][name] = value;
    }
}

/// The value of a field, or none.
fn member(field: &Field) -> BoxedStrategy<Option<Value>> {
    let value = select(field.values).prop_map(|text| serde_json::from_str(text).unwrap());
    let value = if field.kind == Kind::Element {
        prop::collection::vec(value, 0..3).prop_map(Value::Array).boxed()
    } else {
        value.boxed()
    };
    prop::option::weighted(0.75, value).boxed()
}
