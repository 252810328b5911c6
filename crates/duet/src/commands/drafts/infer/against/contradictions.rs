//! Values of new documents that the columns that are there do not take: each with its document and JSON pointer.

use std::collections::HashMap;

use duet_document::typed_value;
use duet_model::catalog::GeneratedValue;
use duet_model::row_tree::pointer;
use duet_model::{Column, MemberKind, Shape, Type};
use duet_text::json::{self, JsonKind};
use serde_json::{Map, Value};

use super::evolve::EvolvedView;
use crate::commands::drafts::infer::design::{Design, Member, Node};
use crate::commands::drafts::infer::input::{Collection, noun};

/// Objects and arrays in a value; deeper ones are refused by views too.
const DEPTH: usize = 128;

/// What contradicts the stored tables in documents, through a view that is there or a new one.
pub(super) struct Contradictions<'c> {
    design: &'c Design,
    /// The document that is looked at.
    document: &'c str,
    /// A line each.
    pub(super) found: Vec<String>,
}

impl<'c> Contradictions<'c> {
    pub(super) fn over(design: &'c Design) -> Self {
        Self { design, document: "", found: Vec::new() }
    }

    /// Looks through documents of a view that is there.
    pub(super) fn of_view(&mut self, view: &EvolvedView, collection: &'c Collection) {
        let walk = ShapeWalk { shape: &view.shape, view };
        for document in &collection.documents {
            self.document = &document.place;
            let members = &view.shape.root().members;
            walk.object(self, GroupPlace::of(0), members, &document.members, "");
        }
    }

    /// Looks through documents of a new view over tables that may be there.
    pub(super) fn of_new_view(&mut self, root: &Node, collection: &'c Collection) {
        for document in &collection.documents {
            self.document = &document.place;
            self.designed(root, &root.members, &document.members, "");
        }
    }

    fn note(&mut self, at: &str, what: &str) {
        let at = if at.is_empty() { "/" } else { at };
        self.found.push(format!("{}: {at}: {what}", self.document));
    }

    /// Compares a value with the column that a member is.
    fn value(&mut self, table: &str, column: &Column, value: &Value, at: &str) {
        let name = format!("{table}.{}", column.name);
        if value.is_null() {
            let has_other = column.default.is_some() || column.generated != GeneratedValue::No;
            if column.not_null && !has_other {
                self.note(at, &format!("null, and the column {name} is NOT NULL"));
            }
            return;
        }
        let text = value.to_string();
        let Ok(parsed) = json::read(&text, &json::STORED, DEPTH) else { return };
        let wanted = match typed_value(&column.ty, &parsed) {
            // A text is read as a number, but not written as one again.
            Ok(_) if !is_converted(&column.ty, &parsed.kind) => return,
            Ok(_) => column.ty.name().to_lowercase(),
            Err(wanted) => wanted,
        };
        let shown: String = text.chars().take(40).collect();
        self.note(at, &format!("{shown} is {}, and the column {name} has {wanted}", noun(value)));
    }

    fn kind(&mut self, wanted: &str, value: &Value, at: &str) {
        self.note(at, &format!("{}, where the view has {wanted}", noun(value)));
    }

    /// Goes through the members of a new view.
    fn designed(&mut self, node: &Node, members: &[Member], object: &Map<String, Value>, at: &str) {
        let by_name = named(node, members);
        for (name, value) in object {
            let Some((node, member)) = by_name.get(name.as_str()) else { continue };
            let at = pointer(at, name);
            match (member, value) {
                (Member::Column { column, .. }, value) => {
                    let table = &self.design.tables[node.table];
                    let Some(stored) = &table.stored else { continue };
                    let known = stored.relation.columns.iter().find(|one| one.name == *column);
                    if let Some(known) = known {
                        self.value(&table.name, known, value, &at);
                    }
                }
                (Member::Group { members, .. }, Value::Object(inner)) => {
                    self.designed(node, members, inner, &at);
                }
                (Member::Nested { node, .. }, Value::Object(inner)) => {
                    self.designed(node, &node.members, inner, &at);
                }
                (Member::Nested { node, .. }, Value::Array(elements)) => {
                    for (index, element) in elements.iter().enumerate() {
                        let Value::Object(inner) = element else { continue };
                        let at = pointer(&at, &index.to_string());
                        self.designed(node, &node.members, inner, &at);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether a column of the type writes a value of this kind as one of another.
fn is_converted(ty: &Type, kind: &JsonKind<'_>) -> bool {
    matches!(kind, JsonKind::Text(_)) && (ty.is_number() || *ty == Type::Boolean)
}

/// The members of an object by their names, those of merged rows too.
fn named<'d>(node: &'d Node, members: &'d [Member]) -> HashMap<&'d str, (&'d Node, &'d Member)> {
    let mut found = HashMap::new();
    for member in members {
        match member {
            Member::Column { name, .. } | Member::Group { name, .. } => {
                found.insert(name.as_str(), (node, member));
            }
            Member::Nested { name, node: inner, form } => match form {
                super::super::design::Form::Merged(_) => {
                    found.extend(named(inner, &inner.members));
                }
                _ => {
                    found.insert(name.as_str(), (node, member));
                }
            },
            Member::Flex { .. } => {}
        }
    }
    found
}

/// Goes through documents by the shape of a view.
struct ShapeWalk<'v> {
    shape: &'v Shape,
    view: &'v EvolvedView,
}

/// The object of a node, or a group of it.
#[derive(Clone, Copy)]
struct GroupPlace<'g> {
    node: usize,
    /// The names of the groups that lead to it, each after a `/`.
    groups: &'g str,
}

impl GroupPlace<'_> {
    fn of(node: usize) -> Self {
        Self { node, groups: "" }
    }
}

impl<'v> ShapeWalk<'v> {
    /// `shown` are the members of a node's object, or of a group of it.
    fn object(
        &self,
        found: &mut Contradictions<'_>,
        place: GroupPlace<'_>,
        shown: &'v [duet_model::Member],
        object: &Map<String, Value>,
        at: &str,
    ) {
        let GroupPlace { node, groups } = place;
        let mut by_name = HashMap::new();
        self.show(node, shown, &mut by_name);
        for (name, value) in object {
            let Some((node, member)) = by_name.get(name.as_str()) else { continue };
            let place = GroupPlace { node: *node, groups };
            self.member(found, place, member, value, &pointer(at, name));
        }
        let added = self.view.added.get(&(node, groups.to_owned()));
        if let Some(members) = added {
            let table = self.view.tables[node];
            let node = Node { table, members: members.clone(), is_owned: true };
            found.designed(&node, &node.members, object, at);
        }
    }

    fn show(
        &self,
        node: usize,
        shown: &'v [duet_model::Member],
        by_name: &mut HashMap<&'v str, (usize, &'v duet_model::Member)>,
    ) {
        for member in shown {
            match &member.kind {
                MemberKind::Unnest(child) => {
                    self.show(*child, &self.shape.nodes[*child].members, by_name);
                }
                _ => {
                    by_name.insert(&member.name, (node, member));
                }
            }
        }
    }

    fn member(
        &self,
        found: &mut Contradictions<'_>,
        place: GroupPlace<'_>,
        member: &'v duet_model::Member,
        value: &Value,
        at: &str,
    ) {
        let GroupPlace { node, groups } = place;
        let members = |child: usize| &self.shape.nodes[child].members;
        match (&member.kind, value) {
            (MemberKind::Column(column), value) => {
                let table = &self.shape.nodes[node].table;
                found.value(&table.name, &table.columns[column.column], value, at);
            }
            (MemberKind::Group(inner), Value::Object(object)) => {
                let groups = format!("{groups}/{}", member.name);
                self.object(found, GroupPlace { node, groups: &groups }, inner, object, at);
            }
            (MemberKind::Object(child), Value::Object(object)) => {
                self.object(found, GroupPlace::of(*child), members(*child), object, at);
            }
            (MemberKind::Array(child), Value::Array(elements)) => {
                for (index, element) in elements.iter().enumerate() {
                    let at = pointer(at, &index.to_string());
                    match element {
                        Value::Object(object) => {
                            self.object(
                                found,
                                GroupPlace::of(*child),
                                members(*child),
                                object,
                                &at,
                            );
                        }
                        other => found.kind("an object", other, &at),
                    }
                }
            }
            (MemberKind::Object(_), Value::Null) => {}
            (MemberKind::Group(_) | MemberKind::Object(_), other) => {
                found.kind("an object", other, at);
            }
            (MemberKind::Array(_) | MemberKind::Scalars(_), other) if !other.is_array() => {
                found.kind("an array", other, at);
            }
            _ => {}
        }
    }
}
