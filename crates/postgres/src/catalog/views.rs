//! What views show of the keys of the tables that they read, through other views too.

use std::collections::{BTreeMap, HashMap, HashSet};

use duet_model::catalog::{KeyEnd, KeyName, KeySide, RelationName, ViewKeys, ViewWrites};
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use super::view_tree::{ColumnNumber, ViewTree};
use super::{CatalogReader, SEEN, rows_of};

/// The statements of all views but the system's own, and what of writes takes their place: triggers (4 INSERT, 8 DELETE,
/// 16 UPDATE) and rules (2 UPDATE, 3 INSERT, 4 DELETE). Functions that say it wait for locks.
const VIEWS: &str = "
SELECT r.ev_class, r.ev_action::text, c.relkind = 'v',
       coalesce((SELECT bit_or(g.tgtype) FROM pg_catalog.pg_trigger g
                  WHERE g.tgrelid = r.ev_class AND g.tgtype & 64 <> 0 AND g.tgenabled <> 'D'), 0::int2),
       ARRAY(SELECT w.ev_type::text FROM pg_catalog.pg_rewrite w
              WHERE w.ev_class = r.ev_class AND w.is_instead AND w.ev_qual::text = '<>')
  FROM pg_catalog.pg_rewrite r
  JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('v', 'm') AND r.ev_type = '1'
   AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'duet')";

/// The views that are looked at, with the names of their columns.
const SEEN_VIEWS: &str = "
SELECT s.oid, s.nspname::text, s.relname::text,
       ARRAY(SELECT a.attnum FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = s.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = s.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
  FROM seen s WHERE s.relkind IN ('v', 'm')";

/// The primary keys of some tables (`$1`), and the foreign keys from and to them.
const KEYS: &str = "
SELECT k.contype = 'p', k.conrelid, k.conname::text, k.conkey, h.nspname::text, t.relname::text,
       k.confrelid, k.confkey, f.nspname::text, o.relname::text,
       ARRAY(SELECT a.attname::text
               FROM unnest(k.confkey) WITH ORDINALITY AS c (number, place)
               JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = c.number
              ORDER BY c.place),
       EXISTS (SELECT FROM pg_catalog.pg_constraint u
                WHERE u.conrelid = k.conrelid AND u.contype IN ('p', 'u') AND u.conkey <@ k.conkey AND u.conkey @> k.conkey)
  FROM pg_catalog.pg_constraint k
  JOIN pg_catalog.pg_class t ON t.oid = k.conrelid
  JOIN pg_catalog.pg_namespace h ON h.oid = t.relnamespace
  LEFT JOIN pg_catalog.pg_class o ON o.oid = k.confrelid
  LEFT JOIN pg_catalog.pg_namespace f ON f.oid = o.relnamespace
 WHERE k.contype IN ('p', 'f') AND k.conparentid = 0 AND (k.conrelid = ANY ($1) OR k.confrelid = ANY ($1))
 ORDER BY k.conrelid, k.conname";

/// Views of views of views … must end somewhere.
const DEEPEST: usize = 64;

/// The ways in which a view shows one key; the first ones count.
const MOST_CHOICES: usize = 16;

/// A view that is looked at.
struct SeenView {
    /// The numbers and names of its columns.
    columns: Vec<(i16, String)>,
    keys: ViewKeys,
}

/// A key of tables.
struct TableKey {
    is_primary: bool,
    table: u32,
    name: KeyName,
    columns: Vec<i16>,
    referenced: u32,
    referenced_columns: Vec<i16>,
    references: RelationName,
    references_columns: Vec<String>,
    /// Whether the referring columns are a key of their table.
    is_unique: bool,
}

/// The statements of all views, by their numbers.
#[derive(Default)]
struct Statements {
    trees: HashMap<u32, ViewTree>,
    /// The writes that triggers and rules do instead.
    writes: HashMap<u32, ViewWrites>,
    /// Materialized views.
    stored: HashSet<u32>,
}

impl Statements {
    /// The column of a table that a column is, through views.
    fn origin(&self, mut column: ColumnNumber) -> ColumnNumber {
        for _ in 0..DEEPEST {
            let Some(tree) = self.trees.get(&column.relation) else { return column };
            let next = tree.columns.iter().find(|(number, _)| *number == column.column);
            let Some((_, next)) = next else { return column };
            column = *next;
        }
        column
    }

    /// The writes that a view takes.
    fn writes(&self, view: u32) -> ViewWrites {
        let mut taken = ViewWrites::default();
        let mut relation = view;
        for _ in 0..DEEPEST {
            let Some(tree) = self.trees.get(&relation) else {
                return ViewWrites { insert: true, update: true, delete: true };
            };
            let own = self.writes.get(&relation).copied().unwrap_or_default();
            taken.insert |= own.insert;
            taken.update |= own.update;
            taken.delete |= own.delete;
            match tree.only.filter(|_| tree.is_updatable && !self.stored.contains(&relation)) {
                Some(below) => relation = below,
                None => break,
            }
        }
        taken
    }

    /// The table of which a view has each row at most once, through views.
    fn only(&self, view: u32) -> Option<u32> {
        let mut relation = view;
        for _ in 0..DEEPEST {
            let Some(tree) = self.trees.get(&relation) else { return Some(relation) };
            relation = tree.only?;
        }
        None
    }
}

/// Of all views that are looked at; those that show nothing of keys and take no writes are left out.
pub(super) async fn read(source: &CatalogReader<'_>) -> Result<Vec<ViewKeys>, Error> {
    let mut views: BTreeMap<u32, SeenView> = BTreeMap::new();
    let take = |row: &Row| {
        views.insert(row.try_get(0)?, seen(row)?);
        Ok(())
    };
    source.each(&format!("{SEEN}{SEEN_VIEWS}"), take).await?;
    if views.is_empty() {
        return Ok(Vec::new());
    }
    let mut statements = Statements::default();
    let take = |row: &Row| {
        let view: u32 = row.try_get(0)?;
        statements.trees.insert(view, ViewTree::of(row.try_get(1)?));
        let is_view: bool = row.try_get(2)?;
        let (triggers, rules): (i16, Vec<String>) = (row.try_get(3)?, row.try_get(4)?);
        let has = |trigger: i16, rule: &str| {
            is_view && (triggers & trigger != 0 || rules.iter().any(|own| own == rule))
        };
        let writes = ViewWrites { insert: has(4, "3"), update: has(16, "2"), delete: has(8, "4") };
        statements.writes.insert(view, writes);
        if !is_view {
            statements.stored.insert(view);
        }
        Ok(())
    };
    rows_of(source.client, VIEWS, &[], take).await?;
    let shown: HashMap<u32, Vec<(ColumnNumber, String)>> =
        views.iter().map(|(id, view)| (*id, shown(*id, view, &statements))).collect();
    let tables: HashSet<u32> =
        shown.values().flatten().map(|(column, _)| column.relation).collect();
    let keys = table_keys(source, tables.into_iter().collect()).await?;
    for (id, view) in &mut views {
        let only = statements.only(*id);
        view.keys.writes = statements.writes(*id);
        for key in &keys {
            let shown = shown.get(id).map_or(&[][..], Vec::as_slice);
            add(&mut view.keys, key, shown, only);
        }
    }
    let is_something = |keys: &ViewKeys| *keys != of_name(keys.view.clone());
    let mut all: Vec<ViewKeys> =
        views.into_values().map(|view| view.keys).filter(is_something).collect();
    all.sort_by(|one, other| one.view.cmp(&other.view));
    Ok(all)
}

fn seen(row: &Row) -> Result<SeenView, Error> {
    let name = RelationName { schema: row.try_get(1)?, name: row.try_get(2)? };
    let (numbers, names): (Vec<i16>, Vec<String>) = (row.try_get(3)?, row.try_get(4)?);
    let keys = of_name(name);
    Ok(SeenView { columns: numbers.into_iter().zip(names).collect(), keys })
}

fn of_name(view: RelationName) -> ViewKeys {
    let writes = ViewWrites::default();
    ViewKeys { view, primary_key: Vec::new(), ends: Vec::new(), writes }
}

/// The columns of tables that a view shows, with their names there.
fn shown(id: u32, view: &SeenView, statements: &Statements) -> Vec<(ColumnNumber, String)> {
    let of = |(number, name): &(i16, String)| {
        let own = ColumnNumber { relation: id, column: *number };
        let origin = statements.origin(own);
        (origin != own).then(|| (origin, name.clone()))
    };
    view.columns.iter().filter_map(of).collect()
}

async fn table_keys(source: &CatalogReader<'_>, tables: Vec<u32>) -> Result<Vec<TableKey>, Error> {
    let mut keys = Vec::new();
    let take = |row: &Row| {
        let table = RelationName { schema: row.try_get(4)?, name: row.try_get(5)? };
        keys.push(TableKey {
            is_primary: row.try_get(0)?,
            table: row.try_get(1)?,
            name: KeyName { table, name: row.try_get(2)? },
            columns: row.try_get(3)?,
            referenced: row.try_get(6)?,
            referenced_columns: row.try_get::<_, Option<_>>(7)?.unwrap_or_default(),
            references: RelationName {
                schema: row.try_get::<_, Option<_>>(8)?.unwrap_or_default(),
                name: row.try_get::<_, Option<_>>(9)?.unwrap_or_default(),
            },
            references_columns: row.try_get(10)?,
            is_unique: row.try_get(11)?,
        });
        Ok(())
    };
    rows_of(source.client, KEYS, &[(&tables, Type::OID_ARRAY)], take).await?;
    Ok(keys)
}

/// Adds what a view shows of a key.
fn add(view: &mut ViewKeys, key: &TableKey, shown: &[(ColumnNumber, String)], only: Option<u32>) {
    let named = |relation: u32, columns: &[i16]| choices(relation, columns, shown);
    let own = named(key.table, &key.columns);
    if key.is_primary {
        if only == Some(key.table) {
            view.primary_key = own.into_iter().next().unwrap_or_default();
        }
        return;
    }
    let end = |side: KeySide, columns: Vec<String>, is_unique: bool| KeyEnd {
        key: key.name.clone(),
        references: key.references.clone(),
        references_columns: key.references_columns.clone(),
        side,
        columns,
        is_unique,
    };
    let is_once = |table: u32| only == Some(table);
    let is_unique = key.is_unique && is_once(key.table);
    view.ends.extend(own.into_iter().map(|columns| end(KeySide::Referring, columns, is_unique)));
    let referenced = named(key.referenced, &key.referenced_columns);
    let is_unique = is_once(key.referenced);
    view.ends
        .extend(referenced.into_iter().map(|columns| end(KeySide::Referenced, columns, is_unique)));
}

/// The ways in which columns of a view are these of a table; several where it shows one of them more than once.
fn choices(relation: u32, columns: &[i16], shown: &[(ColumnNumber, String)]) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    for &column in columns {
        let wanted = ColumnNumber { relation, column };
        let names: Vec<&String> =
            shown.iter().filter(|(own, _)| *own == wanted).map(|(_, name)| name).collect();
        let longer = |known: &Vec<String>| {
            let known = known.clone();
            names
                .iter()
                .map(move |name| [&known[..], &[(*name).clone()]].concat())
                .collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).take(MOST_CHOICES).collect();
    }
    found
}
