//! A shape with a column of every type, an object, a group, an array and an array of scalars.

use std::sync::Arc;

use duet_model::catalog::{Column, Relation, RelationKind};
use duet_model::{
    Cardinality, ColumnMember, ColumnRef, Link, Member, MemberKind, Node, Operations, Shape, Type,
};

use crate::FieldIndex;

/// The fields of [`shape`].
pub(crate) fn fields() -> FieldIndex {
    FieldIndex::new(&shape())
}

/// The field of a path.
pub(crate) fn field(path: &str) -> ColumnRef {
    fields().find(path).and_then(duet_model::shape::Field::column).unwrap()
}

pub(crate) fn shape() -> Shape {
    let root = vec![
        ("team_id", Type::Integer { bits: 64 }),
        ("name", Type::Text),
        ("points", Type::Integer { bits: 32 }),
        ("budget", Type::Decimal { scale: Some(2) }),
        ("ratio", Type::Float { bits: 64 }),
        ("short", Type::Float { bits: 32 }),
        ("active", Type::Boolean),
        ("code", Type::Char),
        ("uuid", Type::Uuid),
        ("founded", Type::Date),
        ("opens", Type::Time),
        ("opens_tz", Type::TimeTz),
        ("changed", Type::Timestamp),
        ("changed_tz", Type::TimestampTz),
        ("span", Type::Interval),
        ("extra", Type::Json),
        ("logo", Type::Binary),
        ("tags", Type::Array(Box::new(Type::Text))),
        ("status", Type::Enum(Arc::from(["new".to_owned(), "old".to_owned()]))),
        ("other", Type::Other),
        ("Twin", Type::Text),
        ("TWIN", Type::Text),
        ("$cost", Type::Integer { bits: 64 }),
    ];
    let driver = vec![
        ("name", Type::Text),
        ("laps", Type::Integer { bits: 64 }),
        ("born", Type::Date),
        ("note", Type::Json),
        ("active", Type::Boolean),
        ("fee", Type::Decimal { scale: None }),
    ];
    let mut nodes = vec![
        node(root, None),
        node(
            vec![("name", Type::Text), ("power", Type::Integer { bits: 64 })],
            link(Cardinality::One),
        ),
        node(driver, link(Cardinality::Many)),
        node(vec![("year", Type::Integer { bits: 64 })], link(Cardinality::Many)),
    ];
    let home = vec![column("city", 1), column("zip", 7)];
    for (name, kind) in [
        ("engine", MemberKind::Object(1)),
        ("driver", MemberKind::Array(2)),
        ("titles", MemberKind::Scalars(3)),
        ("home", MemberKind::Group(home)),
    ] {
        nodes[0].members.push(Member { name: name.to_owned(), kind });
    }
    Shape {
        name: "team".to_owned(),
        nodes,
        key: vec![0],
        metadata: true,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    }
}

fn link(cardinality: Cardinality) -> Option<Link> {
    Some(Link { parent: 0, parent_columns: vec![0], child_columns: vec![0], cardinality })
}

fn column(name: &str, column: usize) -> Member {
    let kind = MemberKind::Column(ColumnMember::read_only(column));
    Member { name: name.to_owned(), kind }
}

fn node(columns: Vec<(&str, Type)>, link: Option<Link>) -> Node {
    let members = columns.iter().enumerate().map(|(at, (name, _))| column(name, at)).collect();
    let table = Arc::new(Relation {
        schema: "main".to_owned(),
        name: "t".to_owned(),
        alias: None,
        kind: RelationKind::Table,
        columns: columns.into_iter().map(|(name, ty)| Column::new(name, ty)).collect(),
        primary_key: vec![0],
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
        comment: None,
        estimated_rows: None,
        batchable: false,
        plain: false,
        links: Vec::new(),
        effects: duet_model::catalog::Effects::default(),
        query: None,
        withheld: duet_model::catalog::Withheld::default(),
        placement: duet_model::catalog::Placement::default(),
    });
    Node {
        table,
        link,
        members,
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
        operations: Operations::default(),
    }
}
