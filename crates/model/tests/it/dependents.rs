//! Compares the dependency index with documents built by brute force: if a random commit changes a
//! document of any shape, the index reports that document.

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_model::commit::{Cause, ChangedRelation, CommitEvent, Extent, RelationChange, RowChange};
use duet_model::dependents::{AffectedDocuments, Dependents, RowQuery, unresolved};
use duet_model::{
    Aggregate, AggregateFunction, Cardinality, Column, Expr, FieldRef, Link, Member, MemberKind,
    Node, Operations, Relation, Shape, TableRef, Type, Value,
};
use proptest::prelude::*;

/// The rows of tables, by name; `None` is NULL. The first column is the key.
type Data = BTreeMap<&'static str, Vec<Vec<Option<i64>>>>;

/// Tables with their columns; all except `value` link rows.
type Schema = &'static [(&'static str, &'static [&'static str])];

const RACING: Schema = &[
    ("team", &["id", "value"]),
    ("driver", &["id", "team_id", "value"]),
    ("race", &["id", "value"]),
    ("result", &["id", "driver_id", "race_id", "value"]),
];

const CHINOOK: Schema = &[
    ("artist", &["id", "value"]),
    ("album", &["id", "artist_id", "value"]),
    ("track", &["id", "album_id", "genre_id", "value"]),
    ("genre", &["id", "value"]),
    ("employee", &["id", "boss_id", "value"]),
];

fn table(schema: Schema, name: &str) -> TableRef {
    let (_, names) = schema.iter().find(|(table, _)| *table == name).unwrap();
    let columns = names.iter().map(|name| Column::new(*name, Type::Integer { bits: 64 }));
    let table = Relation::table("main", name, columns.collect());
    let links = (0..names.len()).filter(|at| names[*at] != "value").collect();
    Relation { links, ..table }.into()
}

/// A shape: its root, then for each node the parent's position, `parent.column` and `child.column`.
fn shape(schema: Schema, root: &str, below: &[(usize, &str, &str, &str)]) -> Arc<Shape> {
    let node = |name: &str, link| Node {
        table: table(schema, name),
        link,
        members: Vec::new(),
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
        operations: Operations::default(),
    };
    let mut nodes = vec![node(root, None)];
    for (parent, above, name, column) in below {
        let child = table(schema, name);
        let link = Link {
            parent: *parent,
            parent_columns: vec![nodes[*parent].table.column_index(above).unwrap()],
            child_columns: vec![child.column_index(column).unwrap()],
            cardinality: Cardinality::Many,
        };
        nodes.push(node(name, Some(link)));
    }
    Arc::new(Shape {
        name: root.to_owned(),
        nodes,
        key: vec![0],
        metadata: false,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    })
}

fn racing() -> Vec<Arc<Shape>> {
    let mut shapes: Vec<_> = RACING.iter().map(|(name, _)| shape(RACING, name, &[])).collect();
    shapes.extend([
        shape(RACING, "team", &[(0, "id", "driver", "team_id")]),
        shape(
            RACING,
            "driver",
            &[
                (0, "team_id", "team", "id"),
                (0, "id", "result", "driver_id"),
                (2, "race_id", "race", "id"),
            ],
        ),
        shape(
            RACING,
            "race",
            &[
                (0, "id", "result", "race_id"),
                (1, "driver_id", "driver", "id"),
                (2, "team_id", "team", "id"),
            ],
        ),
        shape(
            RACING,
            "team",
            &[
                (0, "id", "driver", "team_id"),
                (1, "id", "result", "driver_id"),
                (2, "race_id", "race", "id"),
            ],
        ),
    ]);
    shapes
}

/// Teams that count their drivers, or the results of these.
fn counting_shapes() -> Vec<Arc<Shape>> {
    let joined = shape(RACING, "driver", &[(0, "id", "result", "driver_id")]);
    let (team, drivers) = (shape(RACING, "team", &[]), shape(RACING, "driver", &[]));
    [drivers, joined].map(|rows| counting(&team, &rows, FieldRef::row(0).into())).into()
}

fn chinook() -> Vec<Arc<Shape>> {
    let mut shapes: Vec<_> = CHINOOK.iter().map(|(name, _)| shape(CHINOOK, name, &[])).collect();
    shapes.extend([
        shape(
            CHINOOK,
            "artist",
            &[
                (0, "id", "album", "artist_id"),
                (1, "id", "track", "album_id"),
                (2, "genre_id", "genre", "id"),
            ],
        ),
        shape(
            CHINOOK,
            "track",
            &[
                (0, "album_id", "album", "id"),
                (1, "artist_id", "artist", "id"),
                (0, "genre_id", "genre", "id"),
            ],
        ),
        // A document that contains a table twice.
        shape(
            CHINOOK,
            "employee",
            &[(0, "boss_id", "employee", "id"), (0, "id", "employee", "boss_id")],
        ),
    ]);
    shapes
}

/// The documents of a shape by their keys.
fn documents(shape: &Shape, data: &Data) -> BTreeMap<i64, String> {
    let rows = data.get(shape.nodes[0].table.name.as_str()).into_iter().flatten();
    rows.map(|row| (row[0].unwrap(), document(shape, 0, row, data))).collect()
}

fn document(shape: &Shape, node: usize, row: &[Option<i64>], data: &Data) -> String {
    let mut text = format!("{row:?}");
    for (at, child) in shape.nodes.iter().enumerate() {
        let Some(link) = child.link.as_ref().filter(|link| link.parent == node) else { continue };
        let value = row[link.parent_columns[0]];
        let rows = data.get(child.table.name.as_str()).into_iter().flatten();
        let below = rows.filter(|row| value.is_some() && row[link.child_columns[0]] == value);
        let below: Vec<String> = below.map(|row| document(shape, at, row, data)).collect();
        text += &format!("[{}]", below.join(","));
    }
    text
}

/// A row change: the table, the row's key, and its other columns; `None` deletes it.
type Change = (usize, i64, Option<Vec<Option<i64>>>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let link = prop_oneof![1 => Just(None), 5 => (1..6_i64).prop_map(Some)];
    let row = prop_oneof![
        1 => Just(None),
        4 => prop::collection::vec(link, 3).prop_map(Some),
    ];
    prop::collection::vec((0..5_usize, 1..6_i64, row), 0..30)
}

/// Applies changes and returns the changes of each relation.
fn apply(schema: Schema, data: &mut Data, changes: &[Change]) -> Vec<RelationChange> {
    let before = data.clone();
    for (at, key, row) in changes {
        let (name, columns) = schema[at % schema.len()];
        let rows = data.entry(name).or_default();
        rows.retain(|row| row[0] != Some(*key));
        if let Some(row) = row {
            let rest = row.iter().copied().take(columns.len() - 1);
            rows.push([Some(*key)].into_iter().chain(rest).collect());
            rows.sort();
        }
    }
    schema.iter().filter_map(|(name, _)| changed(&table(schema, name), &before, data)).collect()
}

fn changed(table: &TableRef, before: &Data, after: &Data) -> Option<RelationChange> {
    let row = |data: &Data, key: i64| {
        let rows = data.get(table.name.as_str())?;
        rows.iter().find(|row| row[0] == Some(key)).cloned()
    };
    let image = |row: Vec<Option<i64>>| {
        let value = |at: &usize| (*at, row[*at].map_or(Value::Null, Value::Int));
        table.links.iter().map(value).collect()
    };
    let each = (1..6).filter_map(|key| {
        let (before, after) = (row(before, key), row(after, key));
        (before != after).then(|| RowChange { before: before.map(image), after: after.map(image) })
    });
    let rows: Vec<RowChange> = each.collect();
    let relation = ChangedRelation::Table(Arc::clone(table));
    let count = rows.len() as u64;
    (count > 0).then_some(RelationChange { relation, count, extent: Extent::Rows(rows) })
}

/// Answers a query from the data, like a cache or the database.
fn resolved(data: &Data, query: &RowQuery<'_>) -> Vec<Vec<Value>> {
    let value = |row: &[Option<i64>], at: usize| row[at].map_or(Value::Null, Value::Int);
    let rows = data.get(query.table.name.as_str()).into_iter().flatten();
    let found = rows.filter(|row| query.known.iter().all(|(at, known)| value(row, *at) == *known));
    found.map(|row| query.wanted.iter().map(|at| value(row, *at)).collect()).collect()
}

fn check(schema: Schema, shapes: &[Arc<Shape>], first: &[Change], then: &[Change]) {
    let mut data = Data::new();
    apply(schema, &mut data, first);
    // A document shows the rows that its generated members read, as far as it depends on them.
    let before: Vec<_> =
        shapes.iter().map(|shape| documents(&shape.with_aggregated_rows().0, &data)).collect();
    let relations = apply(schema, &mut data, then);
    let event = CommitEvent { cause: Cause::Commit, everything: false, relations: &relations };
    let index = Dependents::new(shapes.to_vec());
    let by_event: BTreeMap<usize, AffectedDocuments> =
        index.affected(&event, &mut unresolved).into_iter().collect();
    let mut resolve = |query: &RowQuery<'_>| Some(resolved(&data, query));
    let by_data: BTreeMap<usize, AffectedDocuments> =
        index.affected(&event, &mut resolve).into_iter().collect();
    for (at, shape) in shapes.iter().enumerate() {
        let shape = shape.with_aggregated_rows().0;
        let after = documents(&shape, &data);
        let keys = before[at].keys().chain(after.keys());
        for key in keys.filter(|key| before[at].get(key) != after.get(key)) {
            let wanted = vec![Value::Int(*key)];
            for answer in [&by_event, &by_data] {
                let is_named = match answer.get(&at) {
                    Some(AffectedDocuments::Any) => true,
                    Some(AffectedDocuments::Keys(keys)) => keys.contains(&wanted),
                    None => false,
                };
                assert!(is_named, "{} {key}: {answer:?} of {relations:?}", shape.name);
            }
        }
        assert_ne!(by_data.get(&at), Some(&AffectedDocuments::Any), "{}", shape.name);
        // Root rows and rows that link directly to their document need no query.
        let is_direct = shape.nodes.iter().skip(1).all(|node| {
            node.link.as_ref().is_some_and(|link| link.parent == 0 && link.parent_columns == [0])
        });
        assert!(!is_direct || by_event.get(&at) == by_data.get(&at), "{}", shape.name);
    }
}

proptest! {
    #[test]
    fn reports_every_changed_document(first in changes(), then in changes()) {
        check(RACING, &racing(), &first, &then);
        check(RACING, &counting_shapes(), &first, &then);
        check(CHINOOK, &chinook(), &first, &then);
    }
}

#[test]
fn unknown_values_affect_any_document() {
    let shapes = racing();
    let index = Dependents::new(shapes.clone());
    let team = table(RACING, "team");
    let of = |everything, relations: &[RelationChange]| {
        let event = CommitEvent { cause: Cause::Commit, everything, relations };
        let answer = index.affected(&event, &mut unresolved);
        answer
            .into_iter()
            .map(|(at, found)| (at, found == AffectedDocuments::Any))
            .collect::<Vec<_>>()
    };
    let change = |extent| {
        vec![RelationChange {
            relation: ChangedRelation::Table(Arc::clone(&team)),
            count: 1,
            extent,
        }]
    };
    let shows_team = [0, 4, 5, 6, 7].map(|at| (at, true));
    assert_eq!(of(false, &[]), []);
    assert_eq!(of(true, &[]), (0..shapes.len()).map(|at| (at, true)).collect::<Vec<_>>());
    assert_eq!(of(false, &change(Extent::Any)), shows_team);
    assert_eq!(of(false, &change(Extent::Counted)), shows_team);
    // A row with unknown linking columns, or with column positions of another description.
    let id = || Some(vec![(0, Value::Int(1))]);
    let named = Extent::Rows(vec![RowChange { before: id(), after: id() }]);
    let direct = [(0, false), (4, false), (5, true), (6, true), (7, false)];
    assert_eq!(of(false, &change(named)), direct);
    let unknown = Extent::Rows(vec![RowChange { before: Some(Vec::new()), after: id() }]);
    assert_eq!(of(false, &change(unknown)), shows_team);
    let mut other = Relation::clone(&team);
    other.columns.reverse();
    let relation = ChangedRelation::Table(other.into());
    let extent = Extent::Rows(vec![RowChange { before: id(), after: id() }]);
    assert_eq!(of(false, &[RelationChange { relation, count: 1, extent }]), shows_team);
}

/// A shape over teams whose root has a member that counts rows: those of the drivers whose team is this value,
/// or what is joined to them.
fn counting(shape: &Shape, rows: &Shape, of: Expr) -> Arc<Shape> {
    let mut counting = shape.clone();
    let ty = Type::Integer { bits: 64 };
    counting.nodes[0].aggregates = vec![Aggregate {
        function: AggregateFunction::Count,
        distinct: false,
        operand: None,
        ty: ty.clone(),
        rows: rows.clone(),
        columns: vec![1],
        filter: None,
        list: None,
    }];
    let expr = Expr::Aggregate(vec![of], 0);
    let kind = MemberKind::Generated { expr: Box::new(expr), ty, hidden: false, absent: false };
    counting.nodes[0].members = vec![Member { name: "drivers".to_owned(), kind }];
    Arc::new(counting)
}

#[test]
fn rows_that_only_a_generated_member_reads_lead_to_its_documents() {
    let alone = shape(RACING, "team", &[]);
    let beside = shape(RACING, "team", &[(0, "id", "driver", "team_id")]);
    let drivers = shape(RACING, "driver", &[]);
    let id = || Expr::from(FieldRef::row(0));
    // A value that is no column leads back to no row.
    let computed = Expr::Not(Box::new(id()));
    let index = Dependents::new(vec![
        counting(&alone, &drivers, id()),
        counting(&beside, &drivers, id()),
        counting(&alone, &drivers, computed),
        alone,
    ]);
    let row = || Some(vec![(0, Value::Int(7)), (1, Value::Int(3))]);
    let relations = [RelationChange {
        relation: ChangedRelation::Table(table(RACING, "driver")),
        count: 1,
        extent: Extent::Rows(vec![RowChange { before: row(), after: row() }]),
    }];
    let event = CommitEvent { cause: Cause::Commit, everything: false, relations: &relations };
    let affected = index.affected(&event, &mut unresolved);
    let keys = || AffectedDocuments::Keys(vec![vec![Value::Int(3)]]);
    assert_eq!(affected, [(0, keys()), (1, keys()), (2, AffectedDocuments::Any)]);
}
