//! The shape that both targets use: a field of every type, an object and an array.

use std::sync::{Arc, LazyLock};

use duet_filter::{FieldIndex, Filter, Row, Values, evaluate};
use duet_model::catalog::{Column, Relation};
use duet_model::{
    Cardinality, ColumnMember, ColumnRef, Link, Member, MemberKind, Node, Operations, Result,
    Shape, Type, Value,
};
use duet_text::error::Place;

static SHAPE: LazyLock<Shape> = LazyLock::new(shape);

/// The fields of the shape.
pub static FIELDS: LazyLock<FieldIndex> = LazyLock::new(|| FieldIndex::new(&SHAPE));

/// Checks what became of a text: what is accepted can be evaluated; an error is a 400 with a place inside
/// the text and repeats little of it.
pub fn check(text: &str, parsed: Result<Filter>) {
    match parsed {
        Ok(filter) => {
            let _ = evaluate(&filter.expr, &Nulls);
        }
        Err(error) => {
            let Some(Place::Offset(at)) = error.place else { panic!("no place: {error:?}") };
            assert!(text.is_char_boundary(at), "{error:?}");
            assert_eq!(error.code.status(), 400, "{error:?}");
            assert!(error.to_string().len() < 2_000, "{error:?}");
        }
    }
}

/// A document without a value.
struct Nulls;

impl Row for Nulls {
    fn values(&self, field: ColumnRef) -> Values {
        if field.node == 0 { Values::One(Value::Null) } else { Values::Each(vec![Value::Null]) }
    }

    fn ty(&self, field: ColumnRef) -> &Type {
        SHAPE.column_type(field)
    }
}

fn types() -> Vec<(&'static str, Type)> {
    vec![
        ("a", Type::Integer { bits: 64 }),
        ("b", Type::Text),
        ("c", Type::Decimal { scale: None }),
        ("d", Type::Date),
        ("e", Type::Enum(Arc::from(["x".to_owned(), "y".to_owned()]))),
        ("f", Type::Float { bits: 64 }),
        ("g", Type::Float { bits: 32 }),
        ("h", Type::Boolean),
        ("i", Type::Interval),
        ("j", Type::Json),
        ("s", Type::Timestamp),
        ("t", Type::Time),
        ("u", Type::Uuid),
        ("y", Type::TimeTz),
        ("z", Type::TimestampTz),
    ]
}

fn shape() -> Shape {
    let link = Link {
        parent: 0,
        parent_columns: vec![0],
        child_columns: vec![0],
        cardinality: Cardinality::Many,
    };
    let mut nodes = vec![node(None), node(Some(link))];
    nodes[0].members.push(Member { name: "r".to_owned(), kind: MemberKind::Array(1) });
    let inner = vec![Member { name: "a".to_owned(), kind: column(0) }];
    nodes[0].members.push(Member { name: "o".to_owned(), kind: MemberKind::Group(inner) });
    Shape {
        name: "team".to_owned(),
        nodes,
        key: vec![0],
        metadata: true,
        style: duet_model::DocumentStyle::default(),
        rules: Vec::new(),
        notice: None,
    }
}

fn column(column: usize) -> MemberKind {
    MemberKind::Column(ColumnMember::read_only(column))
}

fn node(link: Option<Link>) -> Node {
    let columns = types();
    let members = columns
        .iter()
        .enumerate()
        .map(|(at, (name, _))| Member { name: (*name).to_owned(), kind: column(at) })
        .collect();
    let columns = columns.into_iter().map(|(name, ty)| Column::new(name, ty)).collect();
    let table = Arc::new(Relation::table("main", "team", columns));
    Node {
        table,
        link,
        members,
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        operations: Operations::default(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
    }
}
