//! A snapshot that takes resources over from the one before serves what one does that makes all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use duet_model::catalog::{ForeignKey, OnDelete, RelationKind};
use duet_model::{Catalog, Column, Relation, Type, steps};
use duet_sql::Sqlite;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::build::snapshot::Snapshot;
use crate::definition::{Application, Mount, Mounts, Resource};

const TABLES: usize = 8;

/// What is done to a table: its number, and another number.
#[derive(Clone, Copy, Debug)]
enum Change {
    Make(usize, usize),
    Drop(usize),
    AddColumn(usize, usize),
    DropColumn(usize),
    AddKey(usize, usize),
    DropKeys(usize),
    OtherKeyColumn(usize, usize),
    ToView(usize),
    Estimate(usize, usize),
    Comment(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let two = (0..TABLES, 0..TABLES);
    prop_oneof![
        3 => two.clone().prop_map(|(at, other)| Change::Make(at, other)),
        1 => (0..TABLES).prop_map(Change::Drop),
        3 => two.clone().prop_map(|(at, other)| Change::AddColumn(at, other)),
        1 => (0..TABLES).prop_map(Change::DropColumn),
        3 => two.clone().prop_map(|(at, other)| Change::AddKey(at, other)),
        1 => (0..TABLES).prop_map(Change::DropKeys),
        1 => two.clone().prop_map(|(at, other)| Change::OtherKeyColumn(at, other)),
        1 => (0..TABLES).prop_map(Change::ToView),
        1 => two.clone().prop_map(|(at, other)| Change::Estimate(at, other)),
        1 => two.prop_map(|(at, other)| Change::Comment(at, other)),
    ]
}

/// Names in several spellings, some of which clash.
fn name(at: usize) -> String {
    ["team", "Team", "drivers", "race", "race_s", "links", "ÉTÉ", "crew"][at % TABLES].to_owned()
}

fn key_name(other: usize) -> &'static str {
    ["identifier", "id", "code", "Identifier", "number", "ID", "été", "code_"][other % TABLES]
}

fn table(at: usize, other: usize) -> Relation {
    let ty = if other.is_multiple_of(3) { Type::Text } else { Type::Integer { bits: 64 } };
    let columns = vec![Column::new(key_name(other), ty), Column::new("note", Type::Text)];
    Relation::table("main", &name(at), columns)
}

/// A name that may be that of a key of another table.
fn column(at: usize, other: usize) -> String {
    let stem = name(other).trim_end_matches('s').to_owned();
    match at % 3 {
        0 => format!("{stem}_{}", key_name(at + other)),
        1 => key_name(other).to_owned(),
        _ => format!("{}{}", stem.to_uppercase(), key_name(at)),
    }
}

fn apply(tables: &mut BTreeMap<usize, Relation>, change: Change) {
    match change {
        Change::Make(at, other) => drop(tables.insert(at, table(at, other))),
        Change::Drop(at) => drop(tables.remove(&at)),
        Change::AddColumn(at, other) => {
            let Some(table) = tables.get_mut(&at) else { return };
            let name = column(at, other);
            if table.columns.iter().all(|known| known.name != name) {
                table.columns.push(Column::new(name, Type::Integer { bits: 64 }));
            }
        }
        Change::DropColumn(at) => {
            let Some(table) = tables.get_mut(&at).filter(|table| table.columns.len() > 2) else {
                return;
            };
            table.columns.pop();
            let columns = table.columns.len();
            table.foreign_keys.retain(|key| key.columns.iter().all(|column| *column < columns));
        }
        Change::AddKey(at, other) => {
            let Some(to) = tables.get(&other).cloned() else { return };
            let Some(table) = tables.get_mut(&at) else { return };
            table.foreign_keys.push(ForeignKey {
                name: format!("key{}", table.foreign_keys.len()),
                columns: vec![table.columns.len() - 1],
                references_schema: "main".into(),
                references_table: to.name,
                references_columns: vec![to.columns[0].name.clone()],
                on_delete: OnDelete::Refuse,
            });
        }
        Change::DropKeys(at) => {
            if let Some(table) = tables.get_mut(&at) {
                table.foreign_keys.clear();
            }
        }
        Change::OtherKeyColumn(at, other) => {
            if let Some(table) = tables.get_mut(&at) {
                table.columns[0].name = key_name(other).to_owned();
            }
        }
        Change::ToView(at) => {
            if let Some(table) = tables.get_mut(&at) {
                table.kind = RelationKind::View;
                table.primary_key.clear();
                table.foreign_keys.clear();
            }
        }
        Change::Estimate(at, other) => {
            if let Some(table) = tables.get_mut(&at) {
                table.estimated_rows = Some(other as u64);
            }
        }
        Change::Comment(at, other) => {
            if let Some(table) = tables.get_mut(&at) {
                table.comment = Some(format!("comment {other}"));
            }
        }
    }
}

/// The catalog of these tables, which shares with the one before what is as it was.
fn catalog(tables: &BTreeMap<usize, Relation>, before: &Catalog) -> Catalog {
    let mut relations: Vec<Arc<Relation>> = tables
        .values()
        .map(|table| match before.relations.iter().find(|known| ***known == *table) {
            Some(known) => Arc::clone(known),
            None => Arc::new(table.clone()),
        })
        .collect();
    relations.sort_by(|one, other| one.name.cmp(&other.name));
    Catalog { relations, ..Catalog::default() }
}

/// The same catalog that shares nothing.
fn unshared(catalog: &Catalog) -> Catalog {
    let copy = |relation: &Arc<Relation>| Arc::new(Relation::clone(relation));
    Catalog { relations: catalog.relations.iter().map(copy).collect(), ..Catalog::default() }
}

fn build(previous: Option<&Snapshot>, catalog: &Catalog, of: &Arc<Application>) -> Snapshot {
    Snapshot::build(previous, catalog, of, &Sqlite, false, Arc::default()).expect("a snapshot")
}

/// Everything that a snapshot serves and says.
fn described(snapshot: &Snapshot) -> Vec<String> {
    let mut lines = vec![format!("{:#?} {:#?}", snapshot.notes, snapshot.remarks)];
    for mount in &snapshot.mounts {
        lines.push(format!("{} {} {:?}", mount.name, mount.path, mount.broken));
        for resource in mount.resources() {
            let found = mount.resource(&resource.name).expect("a resource");
            assert!(Arc::ptr_eq(found, resource));
            lines.push(format!(
                "{} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?}",
                resource.name,
                resource.kind,
                resource.page_size,
                resource.comment,
                resource.expandables,
                resource.lacking(),
                resource.access,
                resource.class,
                resource.shape,
            ));
        }
    }
    lines
}

fn application() -> Arc<Application> {
    // Where there is no team, it is about the crew, which it is called as.
    let resource = Resource {
        name: "crew".into(),
        table: "team".into(),
        hidden: vec!["note".into()],
        expand: BTreeMap::from([("cars".into(), "drivers.note".into())]),
        ..Resource::default()
    };
    let mount = Mount {
        path: "/m".into(),
        all_tables: true,
        resources: vec![resource],
        ..Mount::default()
    };
    let mounts = Mounts::Declared(Box::new(mount));
    Arc::new(Application { mounts, ..Application::default() })
}

proptest! {
    #[test]
    fn what_is_kept_is_what_would_be_made(
        changes in vec(vec(change(), 1..4), 1..12),
        declared: bool,
    ) {
        let plain = Mount { path: "/m".into(), all_tables: true, ..Mount::default() };
        let plain = Application { mounts: Mounts::Declared(Box::new(plain)), ..Application::default() };
        let application = if declared { application() } else { Arc::new(plain) };
        let first = [(0, table(0, 1)), (2, table(2, 2)), (3, table(3, 4)), (7, table(7, 5))];
        let mut tables = BTreeMap::from(first);
        // What the application names is there at the start.
        apply(&mut tables, Change::AddKey(2, 0));
        let mut known = catalog(&tables, &Catalog::default());
        let mut snapshot = build(None, &known, &application);
        for changes in changes {
            changes.into_iter().for_each(|change| apply(&mut tables, change));
            let now = catalog(&tables, &known);
            let kept = build(Some(&snapshot), &now, &application);
            let made = build(Some(&snapshot), &unshared(&now), &application);
            prop_assert_eq!(described(&kept), described(&made));
            let places: BTreeSet<usize> = kept.resources().map(|resource| resource.index).collect();
            prop_assert_eq!(places.len(), kept.resources().count());
            (snapshot, known) = (kept, now);
        }
    }
}

/// One table of a chain of keys gets a column: as much is made, however many tables there are.
#[test]
fn a_reload_makes_what_has_changed() {
    let plain = Mount { path: "/m".into(), all_tables: true, ..Mount::default() };
    let plain = Application { mounts: Mounts::Declared(Box::new(plain)), ..Application::default() };
    let plain = Arc::new(plain);
    let made = [200, 400].map(|count| {
        let mut tables: Vec<Relation> = Vec::new();
        for at in 0..count {
            let columns = vec![
                Column::new("identifier", Type::Integer { bits: 64 }),
                Column::new("up", Type::Integer { bits: 64 }),
            ];
            let mut table = Relation::table("main", &format!("t{at:04}"), columns);
            table.foreign_keys.push(ForeignKey {
                name: "up".into(),
                columns: vec![1],
                references_schema: "main".into(),
                references_table: format!("t{:04}", (at + 1) % count),
                references_columns: vec!["identifier".into()],
                on_delete: OnDelete::Refuse,
            });
            tables.push(table);
        }
        let relations: Vec<_> = tables.into_iter().map(Arc::new).collect();
        let mut catalog = Catalog { relations, ..Catalog::default() };
        let first = build(None, &catalog, &plain);
        let mut changed = Relation::clone(&catalog.relations[100]);
        changed.columns.push(Column::new("more", Type::Text));
        catalog.relations[100] = Arc::new(changed);
        let (again, steps) = steps::counted(|| build(Some(&first), &catalog, &plain));
        let kept =
            first.resources().filter(|one| again.resources().any(|other| Arc::ptr_eq(one, other)));
        (count - kept.count(), steps)
    });
    assert_eq!(made[0].0, 1, "the changed one alone is made");
    assert_eq!(made[1].0, 1);
    // What is left is the search of a schema in their order.
    let [(_, once), (_, twice)] = made;
    assert!(once > 0 && twice * 10 <= once * 12, "{once} steps, then {twice}");
}
