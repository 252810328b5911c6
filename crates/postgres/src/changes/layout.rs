//! Which tables the change stream has, what their rows belong to, and whether that has changed.

use std::collections::{HashMap, HashSet};

use duet_model::catalog::RelationName;
use duet_store::commits::freshness::Coverage;
use tokio_postgres::{Client, Error};

use super::prepare::PUBLICATION;
use super::prepared::{TRIGGERS, distributed};
use super::rows::{Line, Lines};

/// How changes of tables are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// By a publication, which names tables with rows of their own.
    Publication,
    /// By triggers, which see the rows that statements about the table have changed, wherever these are.
    Triggers,
}

/// All permanent tables, and whether they are captured; `duet` is the schema of what Duet itself makes.
fn tables(by: By) -> String {
    let captured = match by {
        By::Publication => format!(
            "c.oid IN (SELECT (pg_catalog.pg_get_publication_tables('{PUBLICATION}')).relid)"
        ),
        By::Triggers => format!(
            "(SELECT count(*) = {TRIGGERS} FROM pg_catalog.pg_trigger AS t WHERE t.tgrelid = c.oid AND t.tgenabled = 'A'
               AND t.tgfoid = pg_catalog.to_regprocedure('duet.capture_change()'))"
        ),
    };
    format!(
        "SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text, c.relpersistence::text, {captured}
           FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
          WHERE c.relkind IN ('r', 'p', 'f', 'm', 'v') AND c.relpersistence <> 't'
            AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
    )
}

const PARENTS: &str = "SELECT inhrelid, inhparent FROM pg_catalog.pg_inherits";

/// A relation of the catalog.
#[derive(Clone, Debug)]
struct Entry {
    id: u32,
    name: RelationName,
    kind: Kind,
    /// Whether its own rows are captured.
    captured: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// With rows of its own.
    Table,
    /// With rows in its partitions alone.
    Partitioned,
    /// Never captured: a foreign table, a materialized view, or a table that is distributed over machines.
    Apart,
    View,
}

/// What is known of the tables.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// What is captured.
    pub(super) coverage: Coverage,
    /// What rows belong to.
    pub(super) lines: Lines,
    /// The relations whose alteration may change documents.
    pub(super) watched: Vec<u32>,
}

impl Layout {
    /// Reads it.
    pub(super) async fn read(client: &Client, by: By) -> Result<Self, Error> {
        let tables = client.query(&tables(by), &[]).await?;
        let parents = client.query(PARENTS, &[]).await?;
        let distributed = distributed(client).await?;
        let entries = tables.iter().map(|row| {
            let (kind, persistence): (&str, &str) = (row.get(3), row.get(4));
            let kind = match (kind, persistence) {
                _ if distributed.contains(&row.get(0)) => Kind::Apart,
                // What is not logged is not published either; triggers see it.
                ("r", persistence) if by == By::Triggers || persistence == "p" => Kind::Table,
                ("p", _) => Kind::Partitioned,
                ("v", _) => Kind::View,
                _ => Kind::Apart,
            };
            let name = RelationName { schema: row.get(1), name: row.get(2) };
            Entry { id: row.get(0), name, kind, captured: row.get(5) }
        });
        let parents = parents.iter().map(|row| (row.get(0), row.get(1)));
        let mut layout = Self::of(by, &entries.collect::<Vec<_>>(), &parents.collect::<Vec<_>>());
        layout.coverage.distributed = !distributed.is_empty();
        Ok(layout)
    }

    fn of(by: By, entries: &[Entry], parents: &[(u32, u32)]) -> Self {
        let by_id: HashMap<u32, &Entry> = entries.iter().map(|entry| (entry.id, entry)).collect();
        let (mut above, mut below) = (Links::new(), Links::new());
        for (child, parent) in parents {
            above.entry(*child).or_default().push(*parent);
            below.entry(*parent).or_default().push(*child);
        }
        let named = |ids: &[u32]| -> Vec<RelationName> {
            ids.iter().filter_map(|id| Some(by_id.get(id)?.name.clone())).collect()
        };
        let mut lines = Lines::new();
        let mut uncovered = HashSet::new();
        let mut complete = true;
        for entry in entries.iter().filter(|entry| entry.kind != Kind::View) {
            let line = reached(entry.id, &above);
            // A statement about a table changes rows of those that inherit from it.
            let heirs = match (by, entry.kind) {
                (By::Triggers, Kind::Table) => reached(entry.id, &below).split_off(1),
                _ => Vec::new(),
            };
            if !entry.is_captured(by) {
                uncovered.extend(line.iter().chain(&heirs).copied());
                complete &= entry.name.schema == "duet";
            }
            lines.insert(entry.id, Line { up: named(&line), heirs: named(&heirs) });
        }
        let is_covered = |entry: &&Entry| {
            matches!(entry.kind, Kind::Table | Kind::Partitioned) && !uncovered.contains(&entry.id)
        };
        let covered = entries.iter().filter(is_covered);
        let tables = covered.map(|it| (it.name.schema.clone(), it.name.name.clone())).collect();
        let watched = entries.iter().map(|entry| entry.id).collect();
        Self { coverage: Coverage { tables, complete, distributed: false }, lines, watched }
    }
}

impl Entry {
    /// Whether every change of its rows is captured that is not one of another table's.
    fn is_captured(&self, by: By) -> bool {
        match (self.kind, by) {
            (Kind::Partitioned, By::Publication) => true,
            (Kind::Table | Kind::Partitioned, _) => self.captured,
            (Kind::Apart | Kind::View, _) => false,
        }
    }
}

type Links = HashMap<u32, Vec<u32>>;

/// A table and all that its links lead to, each once.
fn reached(id: u32, links: &Links) -> Vec<u32> {
    let mut line = vec![id];
    let mut at = 0;
    while let Some(id) = line.get(at) {
        for next in links.get(id).into_iter().flatten() {
            if !line.contains(next) {
                line.push(*next);
            }
        }
        at += 1;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u32, name: &str, kind: Kind, captured: bool) -> Entry {
        let (schema, name) = name.split_once('.').unwrap();
        let name = RelationName { schema: schema.into(), name: name.into() };
        Entry { id, name, kind, captured }
    }

    fn covered(layout: &Layout) -> Vec<&str> {
        let mut names: Vec<_> =
            layout.coverage.tables.iter().map(|(_, name)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_table_is_covered_where_all_its_rows_are_captured() {
        let all = [
            entry(1, "s.root", Kind::Partitioned, false),
            entry(2, "s.middle", Kind::Partitioned, false),
            entry(3, "s.leaf", Kind::Table, true),
            entry(4, "s.other_root", Kind::Partitioned, false),
            entry(5, "s.missing_leaf", Kind::Table, false),
            entry(6, "s.plain", Kind::Table, true),
            entry(7, "s.view", Kind::View, false),
        ];
        let parents = [(2, 1), (3, 2), (5, 4)];
        let layout = Layout::of(By::Publication, &all, &parents);
        assert_eq!(covered(&layout), ["leaf", "middle", "plain", "root"]);
        assert!(!layout.coverage.complete);
        let line = layout.lines[&3].up.iter().map(|name| name.name.as_str());
        assert_eq!(line.collect::<Vec<_>>(), ["leaf", "middle", "root"]);
    }

    #[test]
    fn everything_is_covered_where_only_tables_of_duet_are_missing() {
        let mut all = vec![
            entry(1, "s.t", Kind::Table, true),
            entry(2, "duet.idempotency", Kind::Table, false),
            entry(3, "s.v", Kind::View, false),
        ];
        assert!(Layout::of(By::Publication, &all, &[]).coverage.complete);
        all.push(entry(4, "s.refreshed", Kind::Apart, false));
        let layout = Layout::of(By::Publication, &all, &[]);
        assert!(!layout.coverage.complete);
        assert_eq!(covered(&layout), ["t"]);
    }

    #[test]
    fn triggers_see_what_a_statement_about_a_parent_changes() {
        let mut all = [
            entry(1, "s.parent", Kind::Table, true),
            entry(2, "s.heir", Kind::Table, true),
            entry(3, "s.root", Kind::Partitioned, true),
            entry(4, "s.leaf", Kind::Table, true),
        ];
        let parents = [(2, 1), (4, 3)];
        let layout = Layout::of(By::Triggers, &all, &parents);
        assert_eq!(covered(&layout), ["heir", "leaf", "parent", "root"]);
        assert_eq!(layout.lines[&1].heirs[0].name, "heir");
        assert!(layout.lines[&3].heirs.is_empty());
        for entry in [0, 2] {
            all[entry].captured = false;
        }
        assert_eq!(covered(&Layout::of(By::Triggers, &all, &parents)), ["leaf"]);
    }

    #[test]
    fn a_circle_of_parents_ends() {
        assert_eq!(reached(1, &HashMap::from([(1, vec![2]), (2, vec![1])])), [1, 2]);
    }
}
