//! What a view lacks for new documents: members for columns, tables and groups that its tables get.

use std::collections::{HashMap, HashSet};

use duet_model::shape::SERVER_MEMBERS;
use duet_model::{MemberKind, Shape, steps};

use crate::commands::drafts::infer::design::{Member, Node};
use crate::commands::drafts::infer::designer::{DEEPEST, Designer, Place};
use crate::commands::drafts::infer::samples::{MemberSamples, Sample, members};
use crate::commands::drafts::infer::view;

/// A view and what is added to it.
pub(super) struct EvolvedView {
    /// The view as it is.
    pub(super) shape: Shape,
    /// The position of each node's table.
    pub(super) tables: Vec<usize>,
    /// The new members, by node and groups, each group behind a slash.
    pub(super) added: HashMap<(usize, String), Vec<Member>>,
    /// Keys that the database makes and no document has.
    pub(super) invented: HashSet<String>,
}

/// Finds what a view lacks for documents. `None` if one of its tables is of another schema.
pub(super) fn evolve<'d>(
    designer: &mut Designer<'d>,
    shape: &Shape,
    known: &HashMap<String, usize>,
    documents: &[Sample<'d>],
) -> Option<EvolvedView> {
    let table = |node: &duet_model::Node| known.get(&node.table.name).copied();
    let tables = shape.nodes.iter().map(table).collect::<Option<Vec<_>>>()?;
    let (added, invented) = (HashMap::new(), HashSet::new());
    let view = EvolvedView { shape: shape.clone(), tables, added, invented };
    let mut evolver = Evolver { designer, shape, view };
    let at = ObjectPlace {
        node: 0,
        groups: String::new(),
        prefix: String::new(),
        path: shape.name.clone(),
        level: 0,
    };
    evolver.object(&at, &shape.root().members, documents);
    let mut view = evolver.view;
    view.invented.extend(designer.take_invented());
    Some(view)
}

impl EvolvedView {
    /// The definition of the view with its new members, under a name.
    pub(super) fn text(&self, name: &str, designer: &Designer<'_>) -> String {
        let added = |at: duet_duality::AddedAt<'_>| {
            let members = self.added.get(&(at.node, at.groups.to_owned()));
            let table = self.tables[at.node];
            members.map_or_else(String::new, |members| {
                let node = Node { table, members: members.clone(), is_owned: true };
                view::members_text(&designer.design, &node, at.depth)
            })
        };
        let shape = Shape { name: name.to_owned(), ..self.shape.clone() };
        duet_duality::print_with(&shape, &added)
    }
}

struct Evolver<'e, 'd, 's> {
    designer: &'e mut Designer<'d>,
    shape: &'s Shape,
    view: EvolvedView,
}

/// Where an object is.
struct ObjectPlace {
    node: usize,
    /// The groups around, each behind a slash.
    groups: String,
    /// In front of the names of columns.
    prefix: String,
    /// The names from the view to the object.
    path: String,
    /// Tables around it.
    level: usize,
}

/// The members of an object, each with the node that has it.
struct ShownMembers<'s> {
    by_name: HashMap<&'s str, (usize, &'s duet_model::Member)>,
    /// Those that are keys.
    keys: Vec<&'s str>,
    /// Whether a flex column takes all others.
    has_flex: bool,
}

impl<'d, 's> Evolver<'_, 'd, 's> {
    fn object(
        &mut self,
        at: &ObjectPlace,
        shown: &'s [duet_model::Member],
        objects: &[Sample<'d>],
    ) {
        let mut known = ShownMembers { by_name: HashMap::new(), keys: Vec::new(), has_flex: false };
        self.show(at.node, shown, &mut known);
        let mut unknown = Vec::new();
        let mut given = HashSet::new();
        for member in members(objects) {
            steps::step();
            given.insert(member.name);
            match known.by_name.get(member.name) {
                Some((node, shown)) => self.known(at, *node, shown, &member),
                None if at.node == 0 && SERVER_MEMBERS.contains(&member.name) => {}
                None if known.has_flex => {}
                None => unknown.push(member),
            }
        }
        let absent = known.keys.iter().filter(|name| !given.contains(*name));
        self.view.invented.extend(absent.map(|name| (*name).to_owned()));
        if !unknown.is_empty() {
            self.add(at, unknown);
        }
    }

    /// Collects the members of an object, those of unnested tables too.
    fn show(&self, node: usize, shown: &'s [duet_model::Member], known: &mut ShownMembers<'s>) {
        for member in shown {
            steps::step();
            match &member.kind {
                MemberKind::Flex(_) | MemberKind::Document(_) => known.has_flex = true,
                MemberKind::Unnest(child) => {
                    self.show(*child, &self.shape.nodes[*child].members, known);
                }
                _ => {
                    if self.is_key(node, member) {
                        known.keys.push(&member.name);
                    }
                    known.by_name.insert(&member.name, (node, member));
                }
            }
        }
    }

    /// Whether a member is a part of the key of its row.
    fn is_key(&self, node: usize, member: &duet_model::Member) -> bool {
        let identity = self.shape.nodes[node].table.identity();
        matches!(&member.kind, MemberKind::Column(column) if identity.contains(&column.column))
    }

    /// Goes into a member that the view has.
    fn known(
        &mut self,
        at: &ObjectPlace,
        node: usize,
        shown: &'s duet_model::Member,
        member: &MemberSamples<'d>,
    ) {
        let path = format!("{}/{}", at.path, member.name);
        let inner = match &shown.kind {
            MemberKind::Group(inner) => {
                let groups = format!("{}/{}", at.groups, member.name);
                let prefix = format!("{}{}_", at.prefix, member.name);
                let place = ObjectPlace { node, groups, prefix, path, level: at.level };
                return self.object(&place, inner, &member.objects());
            }
            MemberKind::Object(child) | MemberKind::Array(child) => *child,
            _ => return,
        };
        let (groups, prefix) = (String::new(), String::new());
        let place = ObjectPlace { node: inner, groups, prefix, path, level: at.level + 1 };
        self.object(&place, &self.shape.nodes[inner].members, &member.objects());
    }

    /// Finds room for members that the view does not have.
    fn add(&mut self, at: &ObjectPlace, unknown: Vec<MemberSamples<'d>>) {
        let node = &self.shape.nodes[at.node];
        let table = self.view.tables[at.node];
        let shown = columns(&node.members);
        if let Some(stored) = &mut self.designer.design.tables[table].stored {
            stored.shown.clone_from(&shown);
        }
        // Groups have no tables below them, and rows of several documents no lists of one.
        let may_nest = at.groups.is_empty() && node.operations.delete;
        let place = Place {
            table,
            path: at.path.clone(),
            prefix: at.prefix.clone(),
            level: if may_nest { at.level } else { DEEPEST },
            noun: "new documents",
            may_nest,
            is_required: false,
        };
        let added = self.designer.object(&place, unknown);
        if let Some(stored) = &mut self.designer.design.tables[table].stored {
            stored.shown.clear();
        }
        self.view.added.insert((at.node, at.groups.clone()), added);
    }
}

/// The columns that members show, in groups too.
fn columns(members: &[duet_model::Member]) -> HashSet<usize> {
    let mut found = HashSet::new();
    for member in members {
        match &member.kind {
            MemberKind::Column(column) => {
                found.insert(column.column);
            }
            MemberKind::Flex(flex) => {
                found.insert(flex.column);
            }
            MemberKind::Group(inner) => found.extend(columns(inner)),
            _ => {}
        }
    }
    found
}
