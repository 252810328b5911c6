//! What else may change when rows of a table are written: by triggers and rules, which may do anything, by
//! foreign keys that cascade, and by inheritance.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use duet_model::catalog::{Effects, OnDelete, Reach, RelationName};
use duet_model::{Relation, steps};

/// A kind of statement on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    Insert,
    Update,
    /// An update of columns that other rows follow.
    Follow,
    Delete,
}

/// The kinds of statements after which code of the database runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementKinds {
    /// After an insert.
    pub insert: bool,
    /// After an update.
    pub update: bool,
    /// After a delete.
    pub delete: bool,
}

impl StatementKinds {
    /// After every statement.
    pub const ALWAYS: Self = Self { insert: true, update: true, delete: true };

    fn runs_after(self, action: Action) -> bool {
        match action {
            Action::Insert => self.insert,
            Action::Update | Action::Follow => self.update,
            Action::Delete => self.delete,
        }
    }
}

/// What the end of a reference does to the rows that refer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferentialAction {
    /// They forbid it.
    #[default]
    Refuse,
    /// They go, or follow.
    Cascade,
    /// Their reference gets another value.
    Set,
}

impl ReferentialAction {
    /// The rule that SQL spells so (`CASCADE`), or PostgreSQL's catalog (`c`).
    pub fn of(text: &str) -> Self {
        match text {
            "CASCADE" | "c" => Self::Cascade,
            "SET NULL" | "SET DEFAULT" | "n" | "d" => Self::Set,
            _ => Self::Refuse,
        }
    }
}

impl From<ReferentialAction> for OnDelete {
    fn from(rule: ReferentialAction) -> Self {
        match rule {
            ReferentialAction::Refuse => Self::Refuse,
            ReferentialAction::Cascade => Self::Cascade,
            ReferentialAction::Set => Self::Unlink,
        }
    }
}

/// What a foreign key does to rows of the table which has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cascade {
    on_delete: ReferentialAction,
    on_update: ReferentialAction,
}

impl Cascade {
    /// With these rules.
    pub fn of(on_delete: ReferentialAction, on_update: ReferentialAction) -> Self {
        Self { on_delete, on_update }
    }

    /// Whether rows of the table ever change by it; else it forbids that the others go.
    fn changes_rows(self) -> bool {
        (self.on_delete, self.on_update) != (ReferentialAction::Refuse, ReferentialAction::Refuse)
    }
}

/// How many relations a write may reach before it counts as reaching all of them: in a chain of keys that
/// cascade, each table would otherwise name all that follow.
const MOST_REACHED: usize = 64;

/// What a table has by which writing it, or others, reaches further.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableEffects {
    /// The statements on it after which code runs.
    pub code: StatementKinds,
    /// The tables that its foreign keys lead to, and what they do to its rows.
    pub keys: Vec<(u64, Cascade)>,
    /// The tables through which its rows are seen.
    pub families: Vec<u64>,
    /// A new row, or a changed one, may replace others.
    pub replaces: bool,
}

impl TableEffects {
    /// A table without keys and relatives.
    pub fn new(code: StatementKinds) -> Self {
        Self { code, ..Self::default() }
    }

    /// The tables whose effects are others where this one is.
    fn neighbours(&self) -> impl Iterator<Item = u64> {
        self.keys.iter().map(|(parent, _)| *parent).chain(self.families.iter().copied())
    }
}

/// The tables whose effects may be others than before: those of these changes, each with its node before and now, and all
/// from which one of these is reached.
pub fn outdated<'n>(
    graph: &Graph,
    changes: impl Iterator<Item = (u64, Option<&'n TableEffects>, Option<&'n TableEffects>)>,
) -> BTreeSet<u64> {
    let mut todo = Vec::new();
    for (table, before, now) in changes {
        todo.push(table);
        todo.extend(before.into_iter().chain(now).flat_map(TableEffects::neighbours));
    }
    let mut found = BTreeSet::new();
    while let Some(table) = todo.pop() {
        if found.insert(table) {
            steps::step();
            todo.extend(graph.parents.get(&table).into_iter().flatten());
            todo.extend(graph.shared.get(&table).into_iter().flatten());
        }
    }
    found
}

/// The tables of a database by a number of their own, and how writing one reaches another.
#[derive(Default)]
pub struct Graph {
    names: BTreeMap<u64, Arc<RelationName>>,
    code: BTreeMap<u64, StatementKinds>,
    cascades: BTreeMap<u64, Vec<(u64, Cascade)>>,
    /// The same backwards, of keys that change rows: the tables that those of a table lead to.
    parents: BTreeMap<u64, Vec<u64>>,
    /// Tables whose statements may change rows of these tables as well.
    shared: BTreeMap<u64, BTreeSet<u64>>,
    /// Tables of which a new row may replace others.
    replacing: BTreeSet<u64>,
}

impl Graph {
    /// The graph of these tables with their schemas and names.
    pub fn of<'n>(
        nodes: impl Iterator<Item = (u64, &'n TableEffects, (&'n str, &'n str))>,
    ) -> Self {
        let mut graph = Self::default();
        for (table, node, (schema, name)) in nodes {
            graph.table(table, schema, name, node.code);
            for (parent, cascade) in &node.keys {
                graph.key(*parent, table, *cascade);
            }
            node.families.iter().for_each(|other| graph.share(*other, table));
            if node.replaces {
                graph.replaces(table);
            }
        }
        graph.close_shared();
        graph
    }

    /// Adds a table.
    fn table(&mut self, table: u64, schema: &str, name: &str, code: StatementKinds) {
        let (schema, name) = (schema.to_owned(), name.to_owned());
        self.names.insert(table, Arc::new(RelationName { schema, name }));
        self.code.insert(table, code);
    }

    /// Adds a foreign key of `child` to `parent`.
    fn key(&mut self, parent: u64, child: u64, cascade: Cascade) {
        self.cascades.entry(parent).or_default().push((child, cascade));
        if cascade.changes_rows() {
            self.parents.entry(child).or_default().push(parent);
        }
    }

    /// A new row of this table, or a changed one, may replace others.
    fn replaces(&mut self, table: u64) {
        self.replacing.insert(table);
    }

    /// Rows of one table are seen through the other.
    fn share(&mut self, one: u64, other: u64) {
        self.shared.entry(one).or_default().insert(other);
    }

    /// Makes the relation of [`Graph::share`] hold both ways; [`Graph::effects`] follows it through others.
    fn close_shared(&mut self) {
        let edges: Vec<(u64, u64)> = (self.shared.iter())
            .flat_map(|(one, others)| others.iter().map(|other| (*one, *other)))
            .collect();
        for (one, other) in edges {
            self.shared.entry(other).or_default().insert(one);
        }
    }

    /// The effects of writing a table.
    pub fn effects(&self, table: u64) -> Effects {
        Effects {
            insert: self.reach(table, Action::Insert),
            update: self.reach(table, Action::Update),
            follow: self.reach(table, Action::Follow),
            delete: self.reach(table, Action::Delete),
            held_by: self.named(&self.holding(table)),
        }
    }

    /// The tables whose rows forbid that a row of this one goes.
    fn holding(&self, table: u64) -> BTreeSet<u64> {
        let keys = self.cascades.get(&table).into_iter().flatten();
        let refusing = keys.filter(|(_, cascade)| cascade.on_delete == ReferentialAction::Refuse);
        refusing.map(|(child, _)| *child).collect()
    }

    /// In the order of their names: numbers say in which order tables were found.
    fn named(&self, tables: &BTreeSet<u64>) -> Arc<[Arc<RelationName>]> {
        let mut names: Vec<_> =
            tables.iter().filter_map(|at| self.names.get(at)).cloned().collect();
        names.sort_unstable();
        names.into()
    }

    fn reach(&self, table: u64, action: Action) -> Reach {
        let mut reached: BTreeSet<u64> = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![(table, action)];
        while let Some((at, action)) = todo.pop() {
            if !seen.insert((at, action)) {
                continue;
            }
            if self.code.get(&at).is_some_and(|code| code.runs_after(action)) {
                return Reach::Everything;
            }
            if action != Action::Delete && self.replacing.contains(&at) {
                reached.insert(at);
                todo.push((at, Action::Delete));
            }
            let family = self.shared.get(&at).into_iter().flatten();
            // Its own rows are among those that the others show.
            let family = family.flat_map(|&other| [at, other]).map(|other| (other, action));
            for (other, action) in family.chain(self.next(at, action)) {
                steps::step();
                reached.insert(other);
                if reached.len() > MOST_REACHED {
                    return Reach::Everything;
                }
                todo.push((other, action));
            }
        }
        let names = self.named(&reached);
        if names.is_empty() { Reach::Own } else { Reach::Relations(names) }
    }

    /// What foreign keys do to other tables.
    fn next(&self, at: u64, action: Action) -> impl Iterator<Item = (u64, Action)> {
        let keys = self.cascades.get(&at).into_iter().flatten();
        keys.filter_map(move |(child, key)| {
            let rule = match action {
                Action::Delete => key.on_delete,
                Action::Follow => key.on_update,
                Action::Insert | Action::Update => ReferentialAction::Refuse,
            };
            match (rule, action) {
                (ReferentialAction::Refuse, _) => None,
                (ReferentialAction::Cascade, Action::Delete) => Some((*child, Action::Delete)),
                // The columns of the key change, which other keys may follow.
                _ => Some((*child, Action::Follow)),
            }
        })
    }
}

/// The columns of a relation that link rows: its keys, its foreign keys, and what the foreign keys of all relations refer to,
/// which are the columns of these names.
pub fn links<'n>(relation: &Relation, referred: impl Iterator<Item = &'n String>) -> Vec<usize> {
    let position = |name: &String| relation.columns.iter().position(|it| it.name == *name);
    let mut links: BTreeSet<usize> = referred.filter_map(position).collect();
    links.extend(&relation.primary_key);
    links.extend(relation.unique_keys.iter().flat_map(|key| &key.columns));
    links.extend(relation.foreign_keys.iter().flat_map(|key| &key.columns));
    links.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(tables: &[&str]) -> Graph {
        let mut graph = Graph::default();
        for (at, name) in (0..).zip(tables) {
            graph.table(at, "main", name, StatementKinds::default());
        }
        graph
    }

    fn key(
        graph: &mut Graph,
        (parent, child): (u64, u64),
        (deleted, updated): (ReferentialAction, ReferentialAction),
    ) {
        graph.key(parent, child, Cascade::of(deleted, updated));
    }

    fn names(reach: &Reach) -> String {
        match reach {
            Reach::Own => "own".to_owned(),
            Reach::Everything => "everything".to_owned(),
            Reach::Relations(names) => {
                names.iter().map(|name| name.name.as_str()).collect::<Vec<_>>().join(" ")
            }
        }
    }

    fn effects(graph: &Graph, table: u64) -> [String; 4] {
        let Effects { insert, update, follow, delete, .. } = graph.effects(table);
        [insert, update, follow, delete].map(|reach| names(&reach))
    }

    #[test]
    fn cascades_reach_on_as_far_as_rows_change() {
        let mut graph = graph(&["team", "driver", "result", "note"]);
        key(&mut graph, (0, 1), (ReferentialAction::Cascade, ReferentialAction::Refuse));
        key(&mut graph, (1, 2), (ReferentialAction::Set, ReferentialAction::Refuse));
        key(&mut graph, (2, 3), (ReferentialAction::Cascade, ReferentialAction::Cascade));
        // A result loses its driver and stays: its notes stay too, but follow its key.
        assert_eq!(effects(&graph, 0), ["own", "own", "own", "driver note result"]);
        assert_eq!(effects(&graph, 2), ["own", "own", "note", "note"]);
        assert_eq!(effects(&graph, 3), ["own"; 4]);
    }

    #[test]
    fn a_row_is_held_by_tables_whose_keys_do_nothing_else() {
        let mut graph = graph(&["team", "driver", "result", "note"]);
        key(&mut graph, (0, 1), (ReferentialAction::Refuse, ReferentialAction::Cascade));
        key(&mut graph, (0, 2), (ReferentialAction::Cascade, ReferentialAction::Refuse));
        key(&mut graph, (0, 3), (ReferentialAction::Refuse, ReferentialAction::Refuse));
        key(&mut graph, (0, 3), (ReferentialAction::Set, ReferentialAction::Refuse));
        let held = graph.effects(0).held_by;
        assert_eq!(held.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["driver", "note"]);
        assert!(graph.effects(1).held_by.is_empty());
    }

    #[test]
    fn a_table_that_refers_to_itself_reaches_itself() {
        let mut graph = graph(&["person"]);
        key(&mut graph, (0, 0), (ReferentialAction::Set, ReferentialAction::Refuse));
        assert_eq!(effects(&graph, 0)[3], "person");
    }

    #[test]
    fn code_may_do_anything_wherever_it_is_reached() {
        let mut graph = graph(&["team", "driver"]);
        key(&mut graph, (0, 1), (ReferentialAction::Cascade, ReferentialAction::Refuse));
        graph.table(
            1,
            "main",
            "driver",
            StatementKinds { delete: true, ..StatementKinds::default() },
        );
        assert_eq!(effects(&graph, 0), ["own", "own", "own", "everything"]);
        assert_eq!(effects(&graph, 1), ["own", "own", "own", "everything"]);
    }

    #[test]
    fn replaced_rows_take_others_with_them() {
        let mut graph = graph(&["team", "driver"]);
        key(&mut graph, (0, 1), (ReferentialAction::Cascade, ReferentialAction::Refuse));
        graph.replaces(0);
        assert_eq!(effects(&graph, 0), ["driver team", "driver team", "driver team", "driver"]);
    }

    #[test]
    fn a_long_chain_counts_as_everything_and_costs_each_table_the_same() {
        let chain = |length: u64| {
            let mut graph = Graph::default();
            for at in 0..length {
                graph.table(at, "main", &at.to_string(), StatementKinds::default());
                key(
                    &mut graph,
                    (at, at + 1),
                    (ReferentialAction::Cascade, ReferentialAction::Refuse),
                );
            }
            let first = effects(&graph, 0)[3].clone();
            let all = || (0..length).for_each(|at| drop(graph.effects(at)));
            (first, steps::counted(all).1)
        };
        let ((first, steps), (_, of_twice)) = (chain(2_000), chain(4_000));
        assert_eq!(first, "everything");
        assert!(of_twice * 10 <= steps * 22, "{steps} steps, then {of_twice}");
    }

    #[test]
    fn families_share_their_rows() {
        let mut graph = graph(&["a", "b", "c", "other"]);
        graph.share(0, 1);
        graph.share(1, 2);
        graph.close_shared();
        for member in 0..3 {
            assert_eq!(effects(&graph, member), ["a b c"; 4]);
        }
        assert_eq!(effects(&graph, 3), ["own"; 4]);
    }
}
