//! Decomposes documents: a body or a stored document becomes a tree of rows.
//!
//! Pure, and the inverse of the writer: its output is decomposed without loss.

mod check;
mod member_names;
mod patch;
mod plain_rows;
pub(crate) mod value;

use std::borrow::Cow;
use std::fmt::Display;

use duet_model::collection::KEY;
use duet_model::row_tree::pointer;
use duet_model::shape::{NAME_CONFLICTS, SERVER_MEMBERS};
use duet_model::{
    Code, CollectionDocument, ColumnMember, ColumnRef, Error, GivenField, GivenRows, MemberKind,
    MemberOrigin, NodeId, Result, RowTree, Shape, shape,
};
use duet_text::error::Place;
use duet_text::json::{Json, JsonKind, JsonMember};
use duet_text::name;
use duet_text::problem::{QuotedText, did_you_mean, quoted};

pub use check::{
    BodyCheck, BodyPurpose, MISTAKES, PartsCheck, READ_ON, check, check_array, misfit,
};
pub use member_names::with_served_names;
pub use patch::patched;
pub use plain_rows::{PlainRow, PlainRows};
pub use value::{Expectation, same_value, typed_value, value_of};

/// What a document is taken apart for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A new document: absent members get their default.
    Create,
    /// A new document at the address of its key: as it would have to be in the place of another, so that it can be
    /// sent again.
    CreateAt,
    /// A whole document in the place of another: arrays and objects must be there, because leaving
    /// one out by mistake would remove its rows.
    Replace,
    /// A document that the writer has made.
    Stored,
}

impl Purpose {
    /// Whether no array and no object may be left out.
    fn is_whole(self) -> bool {
        matches!(self, Self::Replace | Self::CreateAt)
    }
}

/// Takes a document apart. `_metadata`, `links` and generated members are passed over.
///
/// # Errors
/// [`Code::UnknownMember`], [`Code::MissingMember`], [`Code::MemberGenerated`] and [`Code::MemberValue`], with the JSON
/// pointer.
pub fn row_tree<'t>(shape: &Shape, document: Json<'t>, purpose: Purpose) -> Result<RowTree<'t>> {
    let reader = Reader { shape, strict: purpose.is_whole(), purpose };
    let members = object(document, "", &"The body")?;
    match shape.whole_document() {
        Some(stored) => Ok(document_row(shape, stored, members)),
        None => reader.row(0, members, String::new(), true),
    }
}

/// The row of a stored document: the document as a whole, and the columns that it gives as members.
fn document_row<'t>(
    shape: &Shape,
    stored: &CollectionDocument,
    members: Vec<JsonMember<'t>>,
) -> RowTree<'t> {
    let mut fields = Vec::new();
    for member in &shape.root().members {
        let MemberKind::Column(column) = member.kind else { continue };
        let given = members.iter().find(|given| given.name == member.name);
        let pointer = pointer("", &member.name);
        fields.extend(given.map(|given| GivenField {
            member: column,
            pointer,
            value: given.value.clone(),
        }));
    }
    let update = shape.root().operations.update;
    let member = ColumnMember { update, ..ColumnMember::read_only(stored.column) };
    let value = Json::new(JsonKind::Object(members));
    fields.push(GivenField { member, pointer: String::new(), value });
    RowTree { node: 0, pointer: String::new(), fields, children: Vec::new() }
}

#[derive(Clone, Copy)]
struct Reader<'s> {
    shape: &'s Shape,
    purpose: Purpose,
    /// Whether arrays and objects are required. In shared rows they are optional.
    strict: bool,
}

/// The unread members of an object.
type Rest<'t> = Vec<Option<JsonMember<'t>>>;

impl<'s> Reader<'s> {
    /// The reader of the rows of a node.
    fn below(self, node: NodeId) -> Self {
        let strict = self.purpose.is_whole() && !self.shape.parent_refers(node);
        Self { strict, ..self }
    }

    /// The row of a node that an object gives; every member of the object belongs to it.
    fn row<'t>(
        &self,
        node: NodeId,
        members: Vec<JsonMember<'t>>,
        at: String,
        is_root: bool,
    ) -> Result<RowTree<'t>> {
        let mut rest: Rest<'t> = members.into_iter().map(Some).collect();
        if is_root {
            for ours in SERVER_MEMBERS {
                if self.own_member(ours).is_none() {
                    take(&mut rest, ours);
                }
            }
        }
        let mut row = RowTree { node, pointer: at, fields: Vec::new(), children: Vec::new() };
        let members = &self.shape.nodes[node].members;
        self.members(members, &mut rest, &mut row)?;
        self.rest(members, rest, &mut row)?;
        Ok(row)
    }

    fn own_member(&self, name: &str) -> Option<&'s shape::Member> {
        self.shape.root().members.iter().find(|member| member.name == name)
    }

    /// Takes the members of a node out of an object.
    fn members<'t>(
        &self,
        members: &[shape::Member],
        rest: &mut Rest<'t>,
        row: &mut RowTree<'t>,
    ) -> Result<()> {
        for member in members {
            match &member.kind {
                MemberKind::Column(column) => self.column(member, *column, rest, row)?,
                MemberKind::Generated { hidden, .. } => {
                    if !hidden {
                        take(rest, &member.name);
                    }
                }
                MemberKind::Group(inner) => self.group(&member.name, inner, rest, row)?,
                MemberKind::Object(child) => self.one(&member.name, *child, rest, row)?,
                MemberKind::Array(child) => self.many(&member.name, *child, rest, row)?,
                MemberKind::Unnest(child) => self.unnested(*child, rest, row)?,
                // The member is read-only, so its value in the body is ignored.
                MemberKind::Scalars(_) => drop(take(rest, &member.name)),
                MemberKind::Flex(_) | MemberKind::Document(_) | MemberKind::Related(_) => {}
            }
        }
        Ok(())
    }

    fn column<'t>(
        &self,
        member: &shape::Member,
        column: ColumnMember,
        rest: &mut Rest<'t>,
        row: &mut RowTree<'t>,
    ) -> Result<()> {
        if column.hidden {
            return Ok(());
        }
        let Some(value) = take(rest, &member.name) else { return Ok(()) };
        let pointer = pointer(&row.pointer, &member.name);
        match (column.origin, self.purpose) {
            (MemberOrigin::Always, Purpose::Create | Purpose::CreateAt) => {
                let message =
                    format!("{} is generated whenever its row is written.", quoted(&member.name));
                return Err(wrong(Code::MemberGenerated, &pointer, message));
            }
            // A patched document has the stored value, which is computed again.
            (MemberOrigin::Always, Purpose::Replace) => {}
            _ => row.fields.push(GivenField { member: column, pointer, value }),
        }
        Ok(())
    }

    /// Whether a member of the first level is a column of the key.
    fn is_key(&self, member: &shape::Member) -> bool {
        matches!(&member.kind, MemberKind::Column(column) if self.shape.key.contains(&column.column))
    }

    fn group<'t>(
        &self,
        name: &str,
        inner: &[shape::Member],
        rest: &mut Rest<'t>,
        row: &mut RowTree<'t>,
    ) -> Result<()> {
        let at = pointer(&row.pointer, name);
        let Some(value) = take(rest, name) else {
            // The address has it.
            let is_key = row.node == 0 && inner.iter().all(|member| self.is_key(member));
            return if is_key { Ok(()) } else { self.missing(&at, "an object") };
        };
        let mut members: Rest<'t> =
            object(value, &at, &QuotedText(name))?.into_iter().map(Some).collect();
        let outer = std::mem::replace(&mut row.pointer, at);
        let result =
            self.members(inner, &mut members, row).and_then(|()| self.rest(inner, members, row));
        row.pointer = outer;
        result
    }

    fn one<'t>(
        &self,
        name: &str,
        node: NodeId,
        rest: &mut Rest<'t>,
        row: &mut RowTree<'t>,
    ) -> Result<()> {
        let at = pointer(&row.pointer, name);
        let mut rows = Vec::new();
        let value = take(rest, name);
        let given = value.is_some();
        match value {
            None => self.missing(&at, "an object, or null for none")?,
            Some(value) if value.is_null() => {}
            Some(value) => {
                let members = object(value, &at, &QuotedText(name))?;
                if !members.is_empty() {
                    rows.push(self.below(node).row(node, members, at.clone(), false)?);
                }
            }
        }
        row.children.push(GivenRows { node, pointer: at, given, rows });
        Ok(())
    }

    fn many<'t>(
        &self,
        name: &str,
        node: NodeId,
        rest: &mut Rest<'t>,
        row: &mut RowTree<'t>,
    ) -> Result<()> {
        let at = pointer(&row.pointer, name);
        let mut rows = Vec::new();
        let value = take(rest, name);
        let given = value.is_some();
        match value.map(|value| value.kind) {
            None => self.missing(&at, "an array; [] for none")?,
            Some(JsonKind::List(elements)) => {
                for (index, element) in elements.into_iter().enumerate() {
                    let at = pointer(&at, &index.to_string());
                    let members = object(element, &at, &"An element of the array")?;
                    rows.push(self.below(node).row(node, members, at, false)?);
                }
            }
            Some(other) => {
                let message = format!("{} must be an array, not {}.", quoted(name), other.noun());
                return Err(wrong(Code::MemberValue, &at, message));
            }
        }
        row.children.push(GivenRows { node, pointer: at, given, rows });
        Ok(())
    }

    /// A to-one row whose members are among those of its parent: there is none where those that are given are
    /// all `null`.
    fn unnested<'t>(&self, node: NodeId, rest: &mut Rest<'t>, row: &mut RowTree<'t>) -> Result<()> {
        let at = row.pointer.clone();
        let mut child =
            RowTree { node, pointer: at.clone(), fields: Vec::new(), children: Vec::new() };
        self.below(node).members(&self.shape.nodes[node].members, rest, &mut child)?;
        let is_there = has_content(&child);
        let mut given = !child.fields.is_empty() || child.children.iter().any(|child| child.given);
        match self.shape.first_given(node).filter(|_| !given) {
            // All of them are left out where there is no such row.
            Some(member) if member.is_absent_on_null() => given = self.strict,
            Some(member) => {
                let at = pointer(&at, &member.name);
                self.missing(&at, "a value, or null where there is no such row")?;
            }
            None => {}
        }
        let rows = if is_there { vec![child] } else { Vec::new() };
        row.children.push(GivenRows { node, pointer: at, given, rows });
        Ok(())
    }

    /// If a body may not leave out an absent member.
    fn missing(&self, at: &str, what: &str) -> Result<()> {
        if !self.strict {
            return Ok(());
        }
        let name = at.rsplit('/').next().unwrap_or("");
        let message = format!(
            "{} is missing. A whole document has it: {what}. To change only some members, use PATCH.",
            quoted(name)
        );
        Err(wrong(Code::MissingMember, at, message))
    }

    /// What is left of an object's members goes to its flex column; without one it is refused.
    fn rest<'t>(
        &self,
        members: &[shape::Member],
        mut rest: Rest<'t>,
        row: &mut RowTree<'t>,
    ) -> Result<()> {
        let Some(flex) = self.shape.flex_column(row.node, members) else {
            return match rest.into_iter().flatten().next() {
                None => Ok(()),
                Some(member) => Err(self.unknown_member(&member.name, &row.pointer, members)),
            };
        };
        let conflicts = take(&mut rest, NAME_CONFLICTS);
        let mut stored: Vec<JsonMember<'t>> = rest.into_iter().flatten().collect();
        let hidden = self.shape.hidden_names(members);
        // A row as it is stored may have one; a client that gave it would never see it again.
        if self.purpose != Purpose::Stored
            && let Some(member) = stored.iter().find(|member| hidden.contains(&&*member.name))
        {
            return Err(self.unknown_member(&member.name, &row.pointer, members));
        }
        if let Some(conflicts) = conflicts {
            self.conflicts(conflicts, &row.pointer, &mut stored)?;
        }
        if self.shape.document_of(flex.node).is_some() {
            repeat_key(row, &mut stored);
        }
        if stored.is_empty() && !self.strict && self.purpose != Purpose::Stored {
            return Ok(());
        }
        let value = Json::new(JsonKind::Object(stored));
        self.give_flex(flex, value, row);
        Ok(())
    }

    /// Stored members whose names the object itself uses.
    fn conflicts<'t>(
        &self,
        given: Json<'t>,
        at: &str,
        stored: &mut Vec<JsonMember<'t>>,
    ) -> Result<()> {
        let at = pointer(at, NAME_CONFLICTS);
        for member in object(given, &at, &QuotedText(NAME_CONFLICTS))? {
            if stored.iter().any(|other| other.name == member.name) {
                let message = format!(
                    "{} is given both here and beside {NAME_CONFLICTS}; a stored member has one value.",
                    quoted(&member.name)
                );
                return Err(wrong(Code::MemberValue, &pointer(&at, &member.name), message));
            }
            stored.push(member);
        }
        Ok(())
    }

    /// Gives a value to a flex column of a row, or of one that is merged into it: members of it are
    /// members of that row, which is therefore there.
    fn give_flex<'t>(&self, flex: ColumnRef, value: Json<'t>, row: &mut RowTree<'t>) {
        let is_empty = matches!(&value.kind, JsonKind::Object(members) if members.is_empty());
        let Some(holder) = self.holder(flex.node, row, !is_empty) else { return };
        let update = self.shape.nodes[flex.node].operations.update;
        let column = flex.column;
        let member = ColumnMember { update, ..ColumnMember::read_only(column) };
        holder.fields.push(GivenField { member, pointer: holder.pointer.clone(), value });
    }

    /// The row of a node: this one, or one merged into it; with `make` it is created if absent.
    fn holder<'r, 't>(
        &self,
        node: NodeId,
        row: &'r mut RowTree<'t>,
        make: bool,
    ) -> Option<&'r mut RowTree<'t>> {
        if row.node == node {
            return Some(row);
        }
        let above = self.chain(row.node, node)?;
        let child = row.children.iter_mut().find(|child| child.node == above)?;
        if child.rows.is_empty() {
            if !make {
                return None;
            }
            child.given = true;
            let (pointer, fields) = (row.pointer.clone(), Vec::new());
            child.rows.push(RowTree { node: above, pointer, fields, children: Vec::new() });
        }
        self.holder(node, child.rows.first_mut()?, make)
    }

    /// The child of `from` on the path to `to`.
    fn chain(&self, from: NodeId, to: NodeId) -> Option<NodeId> {
        let parent = self.shape.nodes[to].link.as_ref()?.parent;
        if parent == from { Some(to) } else { self.chain(from, parent) }
    }

    fn unknown_member(&self, name: &str, at: &str, members: &[shape::Member]) -> Error {
        let known = self.shape.visible_names(members);
        let nearest = name::nearest(name, known.iter().copied());
        let message = format!("{} has no member {} here.", self.shape.name, quoted(name));
        wrong(Code::UnknownMember, &pointer(at, name), message)
            .maybe_hint(nearest.map(did_you_mean))
    }
}

/// Puts the key of a row into the stored document, which repeats it, at the place of its canonical text.
fn repeat_key<'t>(row: &RowTree<'t>, stored: &mut Vec<JsonMember<'t>>) {
    let pointer = pointer(&row.pointer, KEY);
    let Some(key) = row.fields.iter().find(|field| field.pointer == pointer) else { return };
    let order = |name: &str| (name.len(), name.to_owned());
    let at = stored.iter().position(|member| order(&member.name) > order(KEY));
    let member = JsonMember { at: 0, name: Cow::Borrowed(KEY), value: key.value.clone() };
    stored.insert(at.unwrap_or(stored.len()), member);
}

/// Whether anything in a row is not `null`.
fn has_content(row: &RowTree<'_>) -> bool {
    row.fields.iter().any(|field| !field.value.is_null())
        || row.children.iter().any(|child| !child.rows.is_empty())
}

/// Takes a member out of those that are left.
fn take<'t>(rest: &mut Rest<'t>, name: &str) -> Option<Json<'t>> {
    let found = rest
        .iter_mut()
        .find(|member| member.as_ref().is_some_and(|member| member.name == Cow::Borrowed(name)))?;
    found.take().map(|member| member.value)
}

fn object<'t>(value: Json<'t>, at: &str, what: &dyn Display) -> Result<Vec<JsonMember<'t>>> {
    match value.kind {
        JsonKind::Object(members) => Ok(members),
        other => {
            let message = format!("{what} must be an object, not {}.", other.noun());
            Err(wrong(Code::MemberValue, at, message))
        }
    }
}

fn wrong(code: Code, at: &str, message: String) -> Error {
    Error::new(code, message).at(Place::Pointer(at.to_owned()))
}
