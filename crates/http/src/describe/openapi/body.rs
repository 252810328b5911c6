//! JSON Schemas of the bodies of writes: a new document, a whole one in the place of another, and a
//! merge patch.

use duet_model::catalog::GeneratedValue;
use duet_model::{ColumnMember, Member, MemberKind, MemberOrigin, NodeId, Shape};
use serde_json::{Map, Value, json};

use super::super::DescribedResource;
use super::collection;
use super::example;
use super::reference::reference;
use super::schema::{column_schema, of_type, scalars};

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyUse {
    /// `POST`.
    New,
    /// `PUT`.
    Whole,
    /// `PATCH`.
    Patch,
}

impl BodyUse {
    /// How the name of its schema ends.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::New => "New",
            Self::Whole => "Whole",
            Self::Patch => "Patch",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::New => "A new document. What is left out becomes its default, or NULL.",
            Self::Whole => {
                "A whole document that replaces the stored one. A column that is left out becomes its \
                 default, or NULL; a read-only member may have its stored value."
            }
            Self::Patch => {
                "A merge patch (RFC 7396): what is left out stays. Arrays are replaced whole."
            }
        }
    }
}

/// The schema of a body.
pub(super) fn schema(resource: &DescribedResource<'_>, form: BodyUse) -> Value {
    let shape = resource.shape;
    if let Some(document) = shape.document() {
        let mut schema = match form {
            BodyUse::Patch => collection::patch(),
            BodyUse::New | BodyUse::Whole => collection::document(document),
        };
        schema.insert("description".into(), json!(form.description()));
        return Value::Object(schema);
    }
    let mut body = Body::new(shape, form);
    body.add(0, &shape.root().members, form != BodyUse::Patch);
    let links = json!({
        "type": "array",
        "items": reference("schemas", "Link"),
        "readOnly": true,
        "description": "Passed over.",
    });
    body.ours("links", links);
    let etag = "The etag inside the document that was read: where it is not the stored one, the \
                answer is 412.";
    let properties = json!({ "etag": { "type": "string", "description": etag } });
    body.ours("_metadata", json!({ "type": "object", "properties": properties }));
    let mut schema = body.finish();
    let note = match form == BodyUse::Whole && shape.leaves_out_nulls() {
        true => " A column that a document leaves out where it is NULL becomes NULL.",
        false => "",
    };
    schema.insert("description".into(), json!(format!("{}{note}", form.description())));
    Value::Object(schema)
}

/// The schema of a row of a bulk load: what `POST` takes, without what only documents have.
pub(super) fn row(resource: &DescribedResource<'_>) -> Value {
    let shape = resource.shape;
    let mut body = Body::new(shape, BodyUse::New);
    body.add(0, &shape.root().members, true);
    let mut schema = body.finish();
    let description = "A row. What is left out becomes its default, or NULL.";
    schema.insert("description".into(), json!(description));
    Value::Object(schema)
}

/// An example of a body: all that can be written, or for a patch one member of it; null where there is none.
pub(super) fn example(resource: &DescribedResource<'_>, form: BodyUse) -> Value {
    let shape = resource.shape;
    match (shape.document(), form) {
        (Some(_), BodyUse::Patch) => return json!({}),
        (Some(document), _) => {
            let mut example = collection::example(document);
            if let Value::Object(members) = &mut example {
                without_read_only(members, &schema(resource, form));
            }
            return example;
        }
        (None, _) => {}
    }
    let mut whole = example::members(shape);
    without_read_only(&mut whole, &schema(resource, form));
    if form != BodyUse::Patch {
        return Value::Object(whole);
    }
    let changeable = |member: &&Member| matches!(&member.kind, MemberKind::Column(column) if column.update && !column.hidden && !is_fixed(shape, 0, column));
    let name = shape.root().members.iter().find(changeable).map(|member| &member.name);
    whole.retain(|known, _| Some(known) == name);
    Value::Object(whole)
}

/// Whether a column of a node never changes: it identifies the row, or the database computes it.
pub(in super::super) fn is_fixed(shape: &Shape, node: NodeId, member: &ColumnMember) -> bool {
    let table = &shape.nodes[node].table;
    let key = if node == 0 { &shape.key[..] } else { table.identity() };
    key.contains(&member.column) || is_computed(shape, node, member)
}

/// Whether the database computes a column of a node.
pub(in super::super) fn is_computed(shape: &Shape, node: NodeId, member: &ColumnMember) -> bool {
    shape.nodes[node].table.columns[member.column].generated == GeneratedValue::Computed
}

/// An object under construction.
struct Body<'s> {
    shape: &'s Shape,
    form: BodyUse,
    properties: Map<String, Value>,
    required: Vec<String>,
    /// Whether a flex column takes members of any name.
    open: bool,
    /// Whether the members being added are those of a row that is merged into this object.
    merged: bool,
    /// Whether members that are left out stay: in a patch, outside of arrays.
    patched: bool,
}

impl<'s> Body<'s> {
    fn new(shape: &'s Shape, form: BodyUse) -> Self {
        let (properties, required) = (Map::new(), Vec::new());
        let patched = form == BodyUse::Patch;
        Self { shape, form, properties, required, open: false, merged: false, patched }
    }

    /// Adds the members of a node; `whole` where objects and arrays may not be left out, as they
    /// may in a row that is shared.
    fn add(&mut self, node: NodeId, members: &[Member], whole: bool) {
        // Only a whole document must say what becomes of the rows below.
        let whole = whole && self.form != BodyUse::New;
        for member in members {
            let name = &member.name;
            match &member.kind {
                MemberKind::Column(column) if column.hidden => {}
                // A body that gives it is refused.
                MemberKind::Column(column) if column.origin == MemberOrigin::Always => {}
                MemberKind::Generated { hidden: true, .. } => {}
                MemberKind::Column(column) => self.column(node, name, column),
                MemberKind::Generated { ty, .. } => {
                    self.put(name, read_only(Value::Object(of_type(ty, true))), false);
                }
                MemberKind::Scalars(child) => {
                    self.put(name, read_only(scalars(self.shape, *child)), false);
                }
                MemberKind::Group(inner) => {
                    let group = self.object(node, inner, whole);
                    self.put(name, Value::Object(group), whole);
                }
                MemberKind::Object(child) => {
                    let mut object = self.row(*child, whole && !self.shape.parent_refers(*child));
                    object.insert("type".into(), json!(["object", "null"]));
                    self.put(name, Value::Object(object), whole);
                }
                MemberKind::Array(child) => {
                    // An array is replaced whole, in a patch too.
                    let patched = std::mem::replace(&mut self.patched, false);
                    let rows = json!({ "type": "array", "items": self.row(*child, true) });
                    self.patched = patched;
                    self.put(name, rows, whole);
                }
                MemberKind::Unnest(child) => {
                    let merged = std::mem::replace(&mut self.merged, true);
                    let inner = whole && !self.shape.parent_refers(*child);
                    self.add(*child, &self.shape.nodes[*child].members, inner);
                    self.merged = merged;
                }
                MemberKind::Flex(_) | MemberKind::Document(_) => self.open = true,
                MemberKind::Related(_) => {}
            }
        }
    }

    fn column(&mut self, node: NodeId, name: &str, member: &ColumnMember) {
        let of = &self.shape.nodes[node];
        let column = &of.table.columns[member.column];
        let key = if node == 0 { &self.shape.key[..] } else { of.table.identity() };
        let is_key = key.contains(&member.column);
        // A PUT creates an absent document.
        let is_new = of.operations.insert && (node != 0 || self.form != BodyUse::Patch);
        let stays = if is_key { node == 0 && !is_new } else { !member.update && !is_new };
        let given = column.default.is_some()
            || column.generated != GeneratedValue::No
            || member.origin != MemberOrigin::Given;
        let needed = column.not_null && !given;
        // Rows below a document are replaced whole, those of arrays by a patch too. Links say to which others
        // they belong.
        let replaced = needed && member.update && !is_key;
        let required = match self.form {
            _ if node != 0 => {
                replaced && !self.patched && !self.merged && !self.is_linking(node, member.column)
            }
            BodyUse::New => needed,
            BodyUse::Whole => replaced,
            BodyUse::Patch => false,
        };
        // Members of a row that is merged in are NULL where there is none, and a key that is NULL is
        // to be generated, or the row is found by another one.
        let generated = self.form == BodyUse::New && column.generated == GeneratedValue::Identity;
        let open_key = is_key && (node != 0 || generated);
        let optional = self.merged || open_key;
        let schema = column_schema(&of.table, column, optional);
        let read_only_here = stays || is_computed(self.shape, node, member);
        self.put(name, if read_only_here { read_only(schema) } else { schema }, required);
    }

    /// Whether a column of a node refers to the row above or to one below.
    fn is_linking(&self, node: NodeId, column: usize) -> bool {
        let links = || {
            self.shape.nodes.iter().enumerate().filter_map(|(at, of)| Some((at, of.link.as_ref()?)))
        };
        links().any(|(at, link)| {
            at == node && link.child_columns.contains(&column)
                || link.parent == node && link.parent_columns.contains(&column)
        })
    }

    fn row(&self, node: NodeId, whole: bool) -> Map<String, Value> {
        self.object(node, &self.shape.nodes[node].members, whole)
    }

    fn object(&self, node: NodeId, members: &[Member], whole: bool) -> Map<String, Value> {
        let mut inner = Self { patched: self.patched, ..Body::new(self.shape, self.form) };
        inner.add(node, members, whole);
        inner.finish()
    }

    fn put(&mut self, name: &str, schema: Value, required: bool) {
        if self.properties.insert(name.to_owned(), schema).is_none() && required {
            self.required.push(name.to_owned());
        }
    }

    /// Adds a member of the server's own, unless a column has its name.
    fn ours(&mut self, name: &str, schema: Value) {
        if !self.properties.contains_key(name) {
            self.put(name, schema, false);
        }
    }

    fn finish(self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".into(), json!("object"));
        schema.insert("properties".into(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".into(), json!(self.required));
        }
        schema.insert("additionalProperties".into(), json!(self.open));
        schema
    }
}

/// Takes out of an object what its schema marks as read-only, at every level.
fn without_read_only(object: &mut Map<String, Value>, schema: &Value) {
    let schema_of = |name: &str| &schema["properties"][name];
    object.retain(|name, _| !schema_of(name).is_null() && schema_of(name)["readOnly"] != true);
    for (name, value) in object.iter_mut() {
        let schema = schema_of(name);
        match value {
            Value::Object(inner) => without_read_only(inner, schema),
            Value::Array(items) => {
                let rows = items.iter_mut().filter_map(Value::as_object_mut);
                rows.for_each(|row| without_read_only(row, &schema["items"]));
            }
            _ => {}
        }
    }
}

fn read_only(mut schema: Value) -> Value {
    schema["readOnly"] = json!(true);
    schema
}
