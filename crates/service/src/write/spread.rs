//! Documents of collections that a duality view shows among other members: before a body becomes rows, each of
//! them is completed and checked by its collection, as if it had been sent there alone.

use std::borrow::Cow;
use std::sync::Arc;

use duet_collection::Collection;
use duet_document::write_canonical;
use duet_model::collection::{KEY, column_name};
use duet_model::row_tree::pointer;
use duet_model::{Error, MemberKind, NodeId, Place, Result, Shape, Value};
use duet_text::json::{Json, JsonKind, JsonMember, STORED, read};

use super::collection::{changed_document, new_document};
use crate::resources::writable::STORED_DEPTH;

/// The member that changes with each write of a document.
const METADATA: &str = "metadata";

/// A shape with the collections of its nodes.
pub(crate) struct SpreadDocuments<'a> {
    pub(crate) shape: &'a Shape,
    /// The collection of each node whose rows are documents.
    pub(crate) collections: &'a [Option<Arc<Collection>>],
    /// Who writes.
    pub(crate) author: Option<&'a Arc<str>>,
}

/// An object of the body: the node of its row, and where it is.
#[derive(Clone, Copy)]
struct Position<'a> {
    node: NodeId,
    at: &'a str,
    /// The key of the document that it is below, where that is one.
    parent: Option<&'a str>,
}

impl SpreadDocuments<'_> {
    /// The body with its documents completed, as text. `stored` is the document as it is, and `key` the one that
    /// the request names.
    ///
    /// # Errors
    /// What is wrong with one of the documents, with its place in the body.
    pub(crate) fn completed(
        &self,
        body: Json<'_>,
        stored: Option<&str>,
        key: Option<&[Value]>,
    ) -> Result<String> {
        let stored = stored.map(|text| read(text, &STORED, STORED_DEPTH)).transpose()?;
        let mut out = String::new();
        let root = Position { node: 0, at: "", parent: None };
        self.object(root, body, stored.as_ref(), key, &mut out)?;
        Ok(out)
    }

    /// An object of a row: its document or own members, then the rows below.
    fn object(
        &self,
        position: Position<'_>,
        body: Json<'_>,
        stored: Option<&Json<'_>>,
        key: Option<&[Value]>,
        out: &mut String,
    ) -> Result<()> {
        let Position { node, at, .. } = position;
        let members = match body.kind {
            JsonKind::Object(members) => members,
            kind => {
                // The reader of rows says what is wrong with it.
                Json::new(kind).write(out);
                return Ok(());
            }
        };
        let (mut below, own) = self.divided(node, members);
        let parent = match self.collections.get(node).and_then(Option::as_ref) {
            Some(collection) => {
                let text = self.document(collection, position, own, stored, key);
                let text = text.map_err(|error| inside(error, at))?;
                out.push_str(text.trim_end_matches('}'));
                self.keep_rows(collection, node, stored, &mut below);
                read(&text, &STORED, STORED_DEPTH)?.get(KEY).and_then(text_of)
            }
            None => {
                let mut text = String::new();
                Json::new(JsonKind::Object(own)).write(&mut text);
                out.push_str(text.trim_end_matches('}'));
                None
            }
        };
        for (child, member) in below {
            if !out.ends_with('{') {
                out.push(',');
            }
            Json::new(JsonKind::Text(Cow::Borrowed(&member.name))).write(out);
            out.push(':');
            let at = pointer(at, &member.name);
            let stored = stored.and_then(|stored| stored.get(&member.name));
            self.rows(
                Position { node: child, at: &at, parent: parent.as_deref() },
                member.value,
                stored,
                out,
            )?;
        }
        out.push('}');
        Ok(())
    }

    /// The members that are rows of other nodes, and all others.
    fn divided<'t>(
        &self,
        node: NodeId,
        members: Vec<JsonMember<'t>>,
    ) -> (Vec<(NodeId, JsonMember<'t>)>, Vec<JsonMember<'t>>) {
        let (mut below, mut own) = (Vec::new(), Vec::new());
        for member in members {
            let known =
                self.shape.nodes[node].members.iter().find(|known| known.name == member.name);
            match known.map(|known| &known.kind) {
                Some(MemberKind::Array(child) | MemberKind::Object(child)) => {
                    below.push((*child, member));
                }
                Some(MemberKind::Generated { hidden: false, .. } | MemberKind::Scalars(_)) => {}
                _ => own.push(member),
            }
        }
        (below, own)
    }

    /// Rows that are left out of a document stay where the profile says so.
    fn keep_rows<'t>(
        &self,
        collection: &Collection,
        node: NodeId,
        stored: Option<&'t Json<'t>>,
        below: &mut Vec<(NodeId, JsonMember<'t>)>,
    ) {
        let Some(stored) = stored.filter(|_| stays(collection)) else { return };
        for known in &self.shape.nodes[node].members {
            let MemberKind::Array(child) = known.kind else { continue };
            let is_given = below.iter().any(|(given, _)| *given == child);
            if let Some(value) = stored.get(&known.name).filter(|_| !is_given) {
                let name = Cow::Owned(known.name.clone());
                below.push((child, JsonMember { at: 0, name, value: value.clone() }));
            }
        }
    }

    /// The rows of a node below another one.
    fn rows(
        &self,
        position: Position<'_>,
        body: Json<'_>,
        stored: Option<&Json<'_>>,
        out: &mut String,
    ) -> Result<()> {
        let JsonKind::List(elements) = body.kind else {
            return self.object(position, body, stored, None, out);
        };
        let stored = match stored.map(|stored| &stored.kind) {
            Some(JsonKind::List(elements)) => &elements[..],
            _ => &[],
        };
        out.push('[');
        for (index, element) in elements.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            let key = element.get(KEY).cloned();
            let is_it = |one: &&Json<'_>| key.is_some() && one.get(KEY) == key.as_ref();
            let stored = stored.iter().find(is_it);
            let at = pointer(position.at, &index.to_string());
            self.object(Position { at: &at, ..position }, element, stored, None, out)?;
        }
        out.push(']');
        Ok(())
    }

    /// The canonical text of one document.
    fn document(
        &self,
        collection: &Arc<Collection>,
        position: Position<'_>,
        mut own: Vec<JsonMember<'_>>,
        stored: Option<&Json<'_>>,
        key: Option<&[Value]>,
    ) -> Result<String> {
        if let Some((path, parent)) = self.reference(collection, position) {
            own.retain(|member| *member.name != *path);
            let value = Json::new(JsonKind::Text(Cow::Owned(parent.to_owned())));
            own.push(JsonMember { at: 0, name: Cow::Owned(path.to_owned()), value });
        }
        let body = Json::new(JsonKind::Object(own));
        let Some(stored) = stored else {
            return new_document(collection, body, key, self.author);
        };
        let before = self.divided(position.node, members_of(stored)).1;
        let before = canonical(&Json::new(JsonKind::Object(before)))?;
        let known: Vec<Value> =
            stored.get(KEY).and_then(text_of).map(Value::Text).into_iter().collect();
        let key = key.unwrap_or(&known);
        let after = changed_document(collection, body, &before, key, self.author)?;
        // A document below another one that is sent back as it was has not changed.
        let same = position.node != 0 && without_metadata(&before)? == without_metadata(&after)?;
        Ok(if same { before } else { after })
    }

    /// The member of a document that refers to the one that it is below, and that one's key.
    fn reference<'p>(
        &self,
        collection: &'p Collection,
        position: Position<'p>,
    ) -> Option<(&'p str, &'p str)> {
        let about = &self.shape.nodes[position.node];
        let column = *about.link.as_ref()?.child_columns.first()?;
        let name = &about.table.columns[column].name;
        let references = &collection.declaration().references;
        let found = references.iter().find(|one| column_name(&one.path) == *name)?;
        let is_member = !found.path.contains('.');
        position.parent.filter(|_| is_member).map(|parent| (found.path.as_str(), parent))
    }
}

/// Whether rows that a document leaves out stay.
fn stays(collection: &Collection) -> bool {
    collection.declaration().search.profile.keeps_rows_left_out()
}

fn text_of(json: &Json<'_>) -> Option<String> {
    match &json.kind {
        JsonKind::Text(text) => Some(text.clone().into_owned()),
        _ => None,
    }
}

fn members_of<'t>(json: &Json<'t>) -> Vec<JsonMember<'t>> {
    match &json.kind {
        JsonKind::Object(members) => members.clone(),
        _ => Vec::new(),
    }
}

fn canonical(json: &Json<'_>) -> Result<String> {
    let mut text = Vec::new();
    write_canonical(json, &mut text).map_err(|wrong| Error::internal(wrong.message))?;
    String::from_utf8(text).map_err(Error::internal)
}

fn without_metadata(text: &str) -> Result<String> {
    let mut members = members_of(&read(text, &STORED, STORED_DEPTH)?);
    members.retain(|member| member.name != METADATA);
    canonical(&Json::new(JsonKind::Object(members)))
}

/// An error inside a document, with its place in the body.
fn inside(error: Error, at: &str) -> Error {
    let moved = |mut error: Error| {
        if let Some(Place::Pointer(place)) = &mut error.place {
            place.insert_str(0, at);
        }
        error
    };
    moved(error.map_others(moved))
}
