//! What a client must be allowed for a view that is designed: its documents are made of tables and columns that resources
//! show to this client, and its writes change rows that resources let it change. So a definition gives no right.

use std::collections::{BTreeMap, BTreeSet};

use duet_auth::{Operation, Principal};
use duet_model::{Aggregate, Member, MemberKind, Node, Relation, Shape};
use duet_text::problem::quoted;

use crate::build::mount::Mount;
use crate::resources::resource::{Resource, ResourceKind};

/// The rights that a client has to tables by all resources of a mount.
#[derive(Debug, Default)]
struct TableRights<'m> {
    /// By schema and name.
    tables: BTreeMap<(&'m str, &'m str), TableRight<'m>>,
}

#[derive(Debug, Default)]
struct TableRight<'m> {
    /// Columns that the client may read, in all rows.
    columns: BTreeSet<&'m str>,
    /// Whether it may insert, update, delete.
    writes: [bool; 3],
}

/// The rights of writing, as the operations of a node are named.
const WRITES: [(&str, Operation); 3] =
    [("insert", Operation::Insert), ("update", Operation::Update), ("delete", Operation::Delete)];

impl Mount {
    /// The rights that a client lacks for reading, or for writing, documents of a view over this mount, each in words. None
    /// where it has them all.
    pub fn lacking_rights(&self, who: &Principal, view: &Shape, writes: bool) -> Vec<String> {
        let mut rights = TableRights::default();
        self.resources().iter().for_each(|resource| rights.add(who, resource));
        let mut lacking = MissingRights::default();
        let root = view.root();
        // Addresses of documents show their keys.
        rights.check_columns(&root.table, view.key.iter().copied(), &mut lacking);
        for node in &view.nodes {
            if let Some(link) = &node.link {
                // What rows are joined by is known from the rows that are.
                let (parent, columns) = (&view.nodes[link.parent], link.parent_columns.iter());
                rights.check_columns(&parent.table, columns.copied(), &mut lacking);
            }
            rights.check_reads(node, &mut lacking);
            if writes {
                rights.check_writes(node, &mut lacking);
            }
        }
        lacking.words()
    }
}

/// What is lacking.
#[derive(Debug, Default)]
struct MissingRights<'v> {
    /// Columns that may not be read, by table.
    columns: BTreeMap<&'v str, BTreeSet<&'v str>>,
    writes: Vec<String>,
}

impl MissingRights<'_> {
    fn words(self) -> Vec<String> {
        let reads = self.columns.into_iter().map(|(table, columns)| {
            let columns: Vec<String> = columns.into_iter().map(quoted).collect();
            format!("read {} of {}", columns.join(", "), quoted(table))
        });
        reads.chain(self.writes).collect()
    }
}

/// The nodes whose rows a resource shows as they are in the database.
fn nodes(resource: &Resource) -> &[Node] {
    let all = &resource.shape.nodes;
    match resource.kind {
        ResourceKind::Service => &[],
        // Of related documents there are only conditions.
        ResourceKind::Collection => &all[..all.len().min(1)],
        ResourceKind::Table | ResourceKind::View | ResourceKind::DualityView => all,
    }
}

fn name(table: &Relation) -> (&str, &str) {
    (&table.schema, &table.name)
}

impl<'m> TableRights<'m> {
    fn add(&mut self, who: &Principal, resource: &'m Resource) {
        let may = |operation| resource.access.allows(who, operation, "").is_allowed();
        let nodes = nodes(resource);
        let mut is_limited: Vec<bool> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let above = node.link.as_ref().is_some_and(|link| is_limited[link.parent]);
            // What has a filter shows some rows only.
            is_limited.push(above || node.filter.is_some() || node.table.query.is_some());
            if is_limited.last() == Some(&true) || !may(Operation::Read) {
                continue;
            }
            let right = self.tables.entry(name(&node.table)).or_default();
            let columns = used_columns(node, false);
            right.columns.extend(columns.map(|column| node.table.columns[column].name.as_str()));
            let given = node.operations;
            let given = [given.insert, given.update, given.delete];
            for (at, (_, operation)) in WRITES.into_iter().enumerate() {
                // Rows below the root change with their document.
                let needed = if node.link.is_none() { operation } else { Operation::Update };
                right.writes[at] |= given[at] && may(needed);
            }
        }
    }

    fn check_reads<'v>(&self, node: &'v Node, lacking: &mut MissingRights<'v>) {
        // A condition or a computed value may show any column of its table.
        let computes = node.filter.is_some()
            || !node.aggregates.is_empty()
            || members(&node.members).any(|it| matches!(it.kind, MemberKind::Generated { .. }));
        match computes {
            true => self.check_columns(&node.table, 0..node.table.columns.len(), lacking),
            false => self.check_columns(&node.table, used_columns(node, true), lacking),
        }
        for Aggregate { rows, .. } in &node.aggregates {
            for node in &rows.nodes {
                self.check_columns(&node.table, 0..node.table.columns.len(), lacking);
            }
        }
    }

    fn check_columns<'v>(
        &self,
        table: &'v Relation,
        columns: impl Iterator<Item = usize>,
        lacking: &mut MissingRights<'v>,
    ) {
        let known = self.tables.get(&name(table));
        let is_known = |column: &str| known.is_some_and(|known| known.columns.contains(column));
        let names = columns.map(|column| table.columns[column].name.as_str());
        for missing in names.filter(|name| !is_known(name)) {
            lacking.columns.entry(&table.name).or_default().insert(missing);
        }
    }

    fn check_writes(&self, node: &Node, lacking: &mut MissingRights<'_>) {
        let known = self.tables.get(&name(&node.table)).map(|known| known.writes);
        let given = [node.operations.insert, node.operations.update, node.operations.delete];
        for (at, (verb, _)) in WRITES.iter().enumerate() {
            if given[at] && !known.unwrap_or_default()[at] {
                let words = format!("{verb} rows of {}", quoted(&node.table.name));
                if !lacking.writes.contains(&words) {
                    lacking.writes.push(words);
                }
            }
        }
    }
}

/// The members of a node, those of groups included.
fn members(all: &[Member]) -> Box<dyn Iterator<Item = &Member> + '_> {
    Box::new(all.iter().flat_map(|member| match &member.kind {
        MemberKind::Group(members) => self::members(members),
        _ => Box::new(std::iter::once(member)),
    }))
}

/// The columns that a node's documents show, or that join it; `hidden` ones too where that is wanted.
fn used_columns(node: &Node, hidden: bool) -> impl Iterator<Item = usize> {
    let own = members(&node.members).filter_map(move |member| match &member.kind {
        MemberKind::Column(column) => (hidden || !column.hidden).then_some(column.column),
        MemberKind::Flex(flex) => Some(flex.column),
        MemberKind::Document(document) => Some(document.column),
        _ => None,
    });
    own.chain(node.link.iter().flat_map(|link| link.child_columns.iter().copied()))
}
