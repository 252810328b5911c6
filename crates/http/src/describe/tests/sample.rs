//! Shapes made by hand: the car-racing sample and a table with every type.

use std::sync::Arc;

use duet_model::catalog::{Argument, ForeignKey, Relation, RelationKind, RoutineKind};
use duet_model::{
    Cardinality, Column, ColumnMember, DocumentStyle, Expr, FieldRef, Link, Member, MemberKind,
    Node, Operations, Shape, TableRef, Type,
};

use duet_model::ProfileRef;
use duet_service::{ResourceKind, RoutineAnswer};

use crate::describe::{DescribedResource, DescribedRoutine, FilterLimits, Site};

pub(super) const SITE: Site<'static> = Site {
    base: "http://127.0.0.1:8080",
    mount: "/ords/hr",
    application: "Car racing",
    license: Some("Apache-2.0"),
    version: "1.0.0",
    token_path: "/ords/hr/oauth/token",
    api_key_header: Some("x-api-key"),
    limits: FilterLimits { bytes: 65_536, depth: 32, nodes: 1_000, list: 1_000 },
    transactions: true,
    ords_statuses: false,
    profile: ProfileRef::native(),
};

const LONG: Type = Type::Integer { bits: 64 };

pub(super) fn column(name: &str, ty: Type) -> Column {
    Column { not_null: true, ..Column::new(name, ty) }
}

pub(super) fn table(name: &str, columns: Vec<Column>, primary_key: Vec<usize>) -> Relation {
    Relation {
        schema: "hr".into(),
        name: name.into(),
        alias: None,
        kind: RelationKind::Table,
        columns,
        primary_key,
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
    }
}

pub(super) fn node(table: &TableRef, members: Vec<Member>) -> Node {
    Node {
        table: Arc::clone(table),
        link: None,
        members,
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
        operations: Operations::default(),
    }
}

fn linked(node: Node, parent: usize, from: usize, to: usize, cardinality: Cardinality) -> Node {
    let link = Link { parent, parent_columns: vec![from], child_columns: vec![to], cardinality };
    Node { link: Some(link), ..node }
}

pub(super) fn member(name: &str, kind: MemberKind) -> Member {
    Member { name: name.into(), kind }
}

fn shown(name: &str, column: usize) -> Member {
    member(name, MemberKind::Column(ColumnMember::read_only(column)))
}

/// A table that is a resource.
pub(super) fn table_shape(table: &TableRef, key: Vec<usize>) -> Shape {
    let columns = table.columns.iter().enumerate();
    let members = columns.map(|(at, column)| shown(&column.served_name(), at)).collect();
    Shape {
        name: table.served_name(),
        nodes: vec![node(table, members)],
        key,
        metadata: false,
        rules: Vec::new(),
        notice: None,
        style: DocumentStyle::default(),
    }
}

fn foreign_key(columns: Vec<usize>, table: &str, column: &str) -> ForeignKey {
    ForeignKey {
        name: format!("{table}_fk"),
        columns,
        references_schema: "hr".into(),
        references_table: table.into(),
        references_columns: vec![column.into()],
        on_delete: duet_model::catalog::OnDelete::Refuse,
    }
}

pub(super) fn team_table() -> TableRef {
    let mut points = column("points", LONG);
    points.comment = Some("Points of the season".into());
    Arc::new(table(
        "team",
        vec![column("team_id", LONG), column("name", Type::Text), points],
        vec![0],
    ))
}

fn driver_table() -> TableRef {
    let columns = vec![
        column("driver_id", LONG),
        column("name", Type::Text),
        column("points", LONG),
        Column::new("team_id", LONG),
    ];
    let mut driver = table("driver", columns, vec![0]);
    driver.foreign_keys.push(foreign_key(vec![3], "team", "team_id"));
    Arc::new(driver)
}

fn race_table() -> TableRef {
    let columns = vec![
        column("race_id", LONG),
        column("name", Type::Text),
        Column::new("race_date", Type::Timestamp),
        Column::new("podium", Type::Json),
    ];
    Arc::new(table("race", columns, vec![0]))
}

fn map_table() -> TableRef {
    let columns = vec![
        column("driver_race_map_id", LONG),
        column("race_id", LONG),
        column("driver_id", LONG),
        Column::new("position", LONG),
    ];
    let mut map = table("driver_race_map", columns, vec![0]);
    map.foreign_keys.push(foreign_key(vec![1], "race", "race_id"));
    map.foreign_keys.push(foreign_key(vec![2], "driver", "driver_id"));
    Arc::new(map)
}

/// A team with its drivers.
pub(super) fn team_dv() -> Shape {
    let root = vec![
        shown("_id", 0),
        shown("name", 1),
        shown("points", 2),
        member("driver", MemberKind::Array(1)),
    ];
    let drivers = vec![shown("driverId", 0), shown("name", 1), shown("points", 2)];
    let nodes = vec![
        node(&team_table(), root),
        linked(node(&driver_table(), drivers), 0, 0, 3, Cardinality::Many),
    ];
    Shape {
        name: "team_dv".into(),
        nodes,
        key: vec![0],
        metadata: true,
        rules: Vec::new(),
        notice: None,
        style: DocumentStyle::default(),
    }
}

/// A driver with a team that may be missing, copied into it and as an object, and results whose
/// race is always there.
pub(super) fn driver_dv() -> Shape {
    let points = Expr::from(FieldRef::row(2));
    let generated = |hidden| MemberKind::Generated {
        expr: Box::new(points.clone()),
        ty: LONG,
        hidden,
        absent: false,
    };
    let root = vec![
        shown("_id", 0),
        member("about", MemberKind::Group(vec![shown("name", 1)])),
        member("score", generated(false)),
        member("secret", generated(true)),
        member("", MemberKind::Unnest(1)),
        member("current", MemberKind::Object(2)),
        member("race", MemberKind::Array(3)),
        member("positions", MemberKind::Scalars(5)),
    ];
    let hidden = ColumnMember { hidden: true, ..ColumnMember::read_only(0) };
    let team = vec![member("hidden", MemberKind::Column(hidden)), shown("team", 1)];
    let result = vec![shown("driverRaceMapId", 0), member("", MemberKind::Unnest(4))];
    let race = vec![shown("raceId", 0), shown("date", 2), member("", MemberKind::Flex(3.into()))];
    let nodes = vec![
        node(&driver_table(), root),
        linked(node(&team_table(), team), 0, 3, 0, Cardinality::One),
        linked(node(&team_table(), vec![shown("teamId", 0)]), 0, 3, 0, Cardinality::One),
        linked(node(&map_table(), result), 0, 0, 2, Cardinality::Many),
        linked(node(&race_table(), race), 3, 1, 0, Cardinality::One),
        linked(node(&map_table(), vec![shown("position", 3)]), 0, 0, 2, Cardinality::Many),
    ];
    Shape {
        name: "driver_dv".into(),
        nodes,
        key: vec![0],
        metadata: true,
        rules: Vec::new(),
        notice: None,
        style: DocumentStyle::default(),
    }
}

/// Every type, as a column that refuses NULL and as one that does not.
pub(super) fn types() -> Vec<(&'static str, Type)> {
    let labels: Arc<[String]> = Arc::from(["wet".to_owned(), "dry".to_owned()]);
    vec![
        ("boolean", Type::Boolean),
        ("smallint", Type::Integer { bits: 16 }),
        ("integer", Type::Integer { bits: 32 }),
        ("bigint", LONG),
        ("numeric", Type::Decimal { scale: None }),
        ("money", Type::Decimal { scale: Some(2) }),
        ("real", Type::Float { bits: 32 }),
        ("double", Type::Float { bits: 64 }),
        ("text", Type::Text),
        ("char", Type::Char),
        ("binary", Type::Binary),
        ("uuid", Type::Uuid),
        ("date", Type::Date),
        ("time", Type::Time),
        ("timetz", Type::TimeTz),
        ("timestamp", Type::Timestamp),
        ("timestamptz", Type::TimestampTz),
        ("interval", Type::Interval),
        ("json", Type::Json),
        ("enum", Type::Enum(labels)),
        ("integers", Type::Array(Box::new(LONG))),
        ("uuids", Type::Array(Box::new(Type::Uuid))),
        ("path", Type::Other),
    ]
}

/// A table of all types with a key of three columns, one of them text.
pub(super) fn types_table() -> TableRef {
    let key = [("a", Type::Text), ("b", LONG), ("c d", Type::Uuid)];
    let mut columns: Vec<_> = key.into_iter().map(|(name, ty)| column(name, ty)).collect();
    for (name, ty) in types() {
        columns.push(column(&format!("{name}_required"), ty.clone()));
        columns.push(Column::new(name, ty));
    }
    Arc::new(table("all_types", columns, vec![0, 1, 2]))
}

/// A resource over a shape, protected and with items where there is a key.
pub(super) fn described<'a>(
    name: &'a str,
    shape: &'a Shape,
    kind: ResourceKind,
) -> DescribedResource<'a> {
    DescribedResource {
        name,
        comment: None,
        shape,
        operations: Operations::default(),
        page_size: 25,
        max_page_size: 10_000,
        has_items: !shape.key.is_empty(),
        kind,
        protected: true,
        expand: &[],
        service: None,
        commit: None,
        reads_journal: false,
        acknowledges_rows: false,
    }
}

/// A shape through which rows may be written, by node; columns change where their rows do.
pub(super) fn written(mut shape: Shape, operations: &[Operations]) -> Shape {
    for (node, &operations) in shape.nodes.iter_mut().zip(operations) {
        node.operations = operations;
        for member in &mut node.members {
            if let MemberKind::Column(column) = &mut member.kind {
                column.update = operations.update;
            }
        }
    }
    shape
}

pub(super) const ALL: Operations = Operations { insert: true, update: true, delete: true };

/// Routines with results of every form.
pub(super) fn with_routines(check: impl Fn(&[DescribedRoutine<'_>])) {
    let argument = |name: &str, ty: Type, has_default: bool| Argument {
        name: name.into(),
        declared: ty.name().to_lowercase(),
        ty,
        mode: 'i',
        has_default,
    };
    let arguments = [
        argument("at_least", LONG, false),
        argument("names", Type::Array(Box::new(Type::Text)), true),
        argument("place", Type::Other, true),
    ];
    let given: Vec<_> = arguments.iter().map(|one| (one.name.clone(), one)).collect();
    let columns = vec![("k".to_owned(), LONG), ("v".to_owned(), Type::Timestamp)];
    let answers = [
        ("nothing", RoutineAnswer::Nothing),
        ("one value", RoutineAnswer::Value("~ret".into(), Type::Decimal { scale: Some(2) })),
        ("one_row", RoutineAnswer::Row(columns.clone())),
        ("values", RoutineAnswer::Values(Type::Json)),
        ("rows", RoutineAnswer::Rows(columns)),
    ];
    let routine = |(name, answer)| DescribedRoutine {
        name,
        comment: Some("Done by the database"),
        kind: if name == "nothing" { RoutineKind::Procedure } else { RoutineKind::Function },
        arguments: if name == "nothing" { &[] } else { &given },
        answer,
        style: DocumentStyle::default(),
        protected: true,
    };
    let all: Vec<_> = answers.iter().map(|(name, answer)| routine((*name, answer))).collect();
    check(&all);
}
