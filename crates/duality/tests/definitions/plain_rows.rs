//! What is read of a new row in one pass is what the planner gives.

use duet_document::{PlainRow, PlainRows, Purpose, row_tree};
use duet_duality::write::{Change, FoundRows, plan};
use duet_model::catalog::GeneratedValue;
use duet_model::{Column, Operand, Relation, Result, Shape, Type, Value};
use duet_text::json::{JsonLimits, body::Body};
use proptest::prelude::*;

const NAMES: [&str; 10] =
    ["id", "total", "name", "points", "is_open", "day", "raw", "tags", "links", "other"];
const VALUES: [&str; 13] = [
    "null",
    "7",
    "1.505",
    "\"7\"",
    "-0",
    "1e400",
    "true",
    "\"a\\n\\\"ü\"",
    "\"2026-11-29\"",
    "{\"a\":[1.50]}",
    "[\"a\",null]",
    "[[]]",
    "{}",
];

fn shape() -> Shape {
    let mut columns = vec![
        Column::new("id", Type::Integer { bits: 64 }),
        Column::new("total", Type::Integer { bits: 64 }),
        Column::new("name", Type::Text),
        Column::new("points", Type::Decimal { scale: Some(2) }),
        Column::new("is_open", Type::Boolean),
        Column::new("day", Type::Date),
        Column::new("raw", Type::Json),
        Column::new("tags", Type::Array(Box::new(Type::Text))),
    ];
    columns[1].generated = GeneratedValue::Computed;
    let mut table = Relation::table("main", "race", columns);
    table.primary_key = vec![0];
    Shape::of_relation(&table.into())
}

/// The same by a plan.
fn planned(shape: &Shape, body: &Body) -> Result<PlainRow> {
    let wanted = row_tree(shape, body.json(), Purpose::Create)?;
    let plan = plan(shape, Change::Create(&wanted), &FoundRows::default())?;
    let mut set = plan.operations.into_iter().next().map_or_else(Vec::new, |insert| insert.set);
    set.sort_by_key(|(column, _)| *column);
    let value = |operand| match operand {
        Operand::Value(value) => value,
        other => panic!("{other:?}"),
    };
    let (columns, values) = set.into_iter().map(|(at, operand)| (at, value(operand))).unzip();
    Ok(PlainRow { columns, values })
}

proptest! {
    #[test]
    fn equal_those_of_the_planner(
        given in prop::collection::hash_map(prop::sample::select(&NAMES[..]), prop::sample::select(&VALUES[..]), 0..6),
    ) {
        let shape = shape();
        let rows = PlainRows::of(&shape).unwrap();
        let members: Vec<String> = given.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let body = Body::read(format!("{{{}}}", members.join(",")).into(), JsonLimits::depth(5)).unwrap();
        match (rows.row(&shape, &body), planned(&shape, &body)) {
            (Some(row), planned) => prop_assert_eq!(Ok(row), planned),
            // What is not read so is wrong, or gives a column that is computed.
            (None, Ok(planned)) => prop_assert!(given.contains_key("total"), "{:?}", planned),
            (None, Err(_)) => {}
        }
    }
}

/// Shapes with more than columns have no such rows.
#[test]
fn shapes_with_more_than_columns_are_planned() {
    let plain = |change: fn(&mut Shape)| {
        let mut shape = shape();
        change(&mut shape);
        PlainRows::of(&shape).is_some()
    };
    assert!(plain(|_| {}));
    assert!(!plain(Shape::forbid_writes));
    assert!(!plain(|shape| shape.key.clear()));
    assert!(!plain(|shape| shape.nodes.push(shape.nodes[0].clone())));
    assert!(!plain(|shape| {
        let twice = shape.nodes[0].members[2].clone();
        shape.nodes[0].members.push(twice);
    }));
    let body = Body::read(r#"["name"]"#.into(), JsonLimits::depth(2)).unwrap();
    assert_eq!(PlainRows::of(&shape()).unwrap().row(&shape(), &body), None);
    let empty = Body::read(r#"{"links":[],"id":null}"#.into(), JsonLimits::depth(3)).unwrap();
    let none = PlainRow { columns: Vec::new(), values: Vec::<Value>::new() };
    assert_eq!(PlainRows::of(&shape()).unwrap().row(&shape(), &empty), Some(none));
}
