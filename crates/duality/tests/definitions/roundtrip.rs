//! What is printed compiles to the same shape again.

use duet_duality::print;
use duet_model::{Arithmetic, Catalog, Compare, Expr, FieldRef, MemberKind, Shape, Type, Value};
use proptest::prelude::*;

use crate::{catalogs, shape};

fn check(text: &str, catalog: &Catalog) {
    let first = shape(text, catalog);
    let printed = print(&first);
    assert_eq!(shape(&printed, catalog), first, "{printed}");
}

#[test]
fn car_racing_as_printed() {
    let text = include_str!("../../../../apps/car-racing/views/driver_dv.sql");
    let expected = "\
CREATE JSON RELATIONAL DUALITY VIEW driver_dv AS
main.driver @insert @update @delete {
  _id: driver_id
  name
  points
  main.team @unnest {
    teamId: team_id
    team: name @nocheck
  }
  race: main.driver_race_map @insert @update [ {
    driverRaceMapId: driver_race_map_id
    main.race @unnest {
      raceId: race_id
      name
    }
    finalPosition: position
  } ]
};
";
    assert_eq!(print(&shape(text, &catalogs::car_racing())), expected);
}

#[test]
fn samples() {
    let racing = catalogs::car_racing();
    check(include_str!("../../../../apps/car-racing/views/team_dv.sql"), &racing);
    check(include_str!("../../../../apps/car-racing/views/driver_dv.sql"), &racing);
    check(include_str!("../../../../apps/car-racing/views/race_dv.sql"), &racing);
    check(include_str!("../../../../apps/chinook/views/artist_dv.sql"), &catalogs::chinook());
    check(include_str!("../../../../apps/chinook/views/customer_dv.sql"), &catalogs::chinook());
}

#[test]
fn annotations() {
    let racing = catalogs::car_racing();
    for text in [
        "view v as driver @update @nocheck { _id: driver_id  name @noupdate  points @noupdate@nocheck  team_id @check }",
        "view v as driver @nocheck { _id: driver_id @nocheck  name  points @noupdate@nocheck }",
        "view v as driver @nocheck { _id: driver_id  name @update  points @hidden }",
        "view v as driver @update { _id: driver_id @noupdate @nocheck  name @noupdate }",
        "view v as team { _id: team_id  names: driver @nocheck [ name ]  points: driver [ points ] }",
        "view v as race { _id: race_id  podium @flex  a @generated(sql: \"laps + 1\") @hidden }",
        "view v as race { _id: race_id  more: { name in: { laps } @nest } @nest }",
        "view \"A \\\"b\\\" \\\\ c\" as race { _id: race_id  \"x y\": name  \"it's\": laps }",
        "view v as team(points: 5) @where(sql: \"name like 'a\\\\_%' or points in (1, -2)\") { _id: team_id }",
        "view v as team @where(sql: \"points > 5\") @insert { _id: team_id }",
        "view v as team { _id: team_id  x @generated(path: \"2\") }",
        "view v as team @insert @notify { _id: team_id }",
        "view v as team @notify(on: \"delete insert\", name: \"n 1\") { _id: team_id }",
        "view v as team @insert @validate(sql: \"json_value(new.data, '$.a') > 0 and not (json_value(old.data, '$.\\\"x\\\"' returning number) in (1, 2))\", name: \"n 1\", at: \"after object\") @validate(sql: \"json_exists(new.data, '$.b[0]')\" on: \"update\") { _id: team_id }",
        "view v as team @insert { _id: team_id  n: name @generated(path: \"$.points.string()\", ifMissing: true)  points }",
        "view v as team @update { _id: team_id  name: name @generated(path: \"$.points.string().upper()\") @noupdate  points @nocheck }",
        "view v as team @onnull(absent: true) { _id: team_id  more: { name } @nest  driver [ { driver_id name } ] }",
        "view v as team { _id: team_id  more: { name } @nest @onnull(absent: true)  driver @onnull(absent: true) [ { driver_id n @generated(sql: \"points + 1\") } ] }",
    ] {
        check(text, &racing);
    }
    let odd = catalogs::oddities();
    for text in [
        "view v as heat { _id: { race_id date }  lap [ { lap_id } ] }",
        "view v as person { _id: id  passport @object { number } }",
        "view v as person { _id: id  passport @unnest { number } }",
        "view v as person { _id: id  note @link(to: person) { note_id } }",
        "view v as note { _id: note_id  person @link(from: person) [ { id } ] }",
        "view v as transfer { _id: id  s: person @link(from: src) { id }  d: person @link(from: dst) { id } }",
        "view v as thing { _id: id  \"Odd Name\"  order  x @generated(sql: \"\\\"order\\\" + \\\"order\\\"\")  doubled }",
        "view v as thing @update { _id: id  doubled  label }",
        "view v as other.twin { _id: id }",
    ] {
        check(text, &odd);
    }
    let chinook = catalogs::chinook();
    check(
        "view v as employee { _id: employee_id  r: employee @link(to: reports_to) [ { employee_id m: employee @link(from: reports_to) { employee_id } } ] }",
        &chinook,
    );
    check(
        "view v as playlist { _id: playlist_id  tracks: playlist_track [ { track @unnest { track_id } } ] }",
        &chinook,
    );
}

/// Numbers over the columns of `team`.
fn number() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        Just(FieldRef::row(0).into()),
        Just(FieldRef::row(2).into()),
        any::<i64>().prop_map(|value| Expr::Literal(Value::Int(value))),
        (-1e300..1e300).prop_map(|value| Expr::Literal(Value::Float(value))),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let op = prop_oneof![
            Just(Arithmetic::Add),
            Just(Arithmetic::Subtract),
            Just(Arithmetic::Multiply),
            Just(Arithmetic::Divide)
        ];
        prop_oneof![
            (op, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::Arithmetic(
                op,
                Box::new(a),
                Box::new(b)
            )),
            inner.clone().prop_filter_map("a literal has its own sign", |operand| match operand {
                Expr::Literal(_) => None,
                operand => Some(Expr::Negate(Box::new(operand))),
            }),
            inner.prop_map(|operand| Expr::Function("abs", vec![operand])),
        ]
    })
}

fn text() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        Just(FieldRef::row(1).into()),
        "[^\0]{0,8}".prop_map(|value| Expr::Literal(Value::Text(value))),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Expr::Arithmetic(
                Arithmetic::Concat,
                Box::new(a),
                Box::new(b)
            )),
            inner.prop_map(|operand| Expr::Function("lower", vec![operand])),
        ]
    })
}

fn condition() -> impl Strategy<Value = Expr> {
    let op = prop_oneof![Just(Compare::Eq), Just(Compare::Lt), Just(Compare::Gte)];
    let negated = |is: bool, test: Expr| if is { test.negated() } else { test };
    let leaf = prop_oneof![
        (op, number(), number()).prop_map(|(op, a, b)| Expr::compare(op, a, b)),
        (text(), text(), any::<bool>()).prop_filter_map(
            "is incomplete",
            move |(operand, pattern, is)| {
                let is_incomplete = matches!(
                    &pattern,
                    Expr::Literal(Value::Text(text)) if !duet_text::like::is_complete(text)
                );
                if is_incomplete {
                    return None;
                }
                let (operand, pattern) = (Box::new(operand), Box::new(pattern));
                Some(negated(is, Expr::Like { operand, pattern, ignore_case: false }))
            }
        ),
        (number(), prop::collection::vec(number(), 1..3), any::<bool>())
            .prop_map(move |(operand, list, is)| negated(is, Expr::In(Box::new(operand), list))),
        (number(), number(), number(), any::<bool>()).prop_map(move |(operand, low, high, is)| {
            let [operand, low, high] = [operand, low, high].map(Box::new);
            negated(is, Expr::Between(operand, Some(low), Some(high)))
        }),
        (text(), any::<bool>())
            .prop_map(move |(operand, is)| negated(is, Expr::IsNull(Box::new(operand)))),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Expr::compare(Compare::Eq, a, b)),
            inner.clone().prop_map(Expr::negated),
            (inner.clone(), inner.clone(), prop::option::of(inner)).prop_map(|(when, then, or)| {
                Expr::Case { branches: vec![(when, then)], otherwise: or.map(Box::new) }
            }),
        ]
    })
}

/// A shape whose only interest is a generated member.
fn with_generated(wanted: Expr) -> Shape {
    let text = "view v as team { _id: team_id  x @generated(sql: \"TRUE\") }";
    let mut shape = shape(text, &catalogs::car_racing());
    if let MemberKind::Generated { expr, ty, .. } = &mut shape.nodes[0].members[1].kind {
        **expr = wanted;
        *ty = Type::Boolean;
    }
    shape
}

proptest! {
    #[test]
    fn expressions(expr in condition()) {
        let wanted = with_generated(expr);
        let printed = print(&wanted);
        prop_assert_eq!(shape(&printed, &catalogs::car_racing()), wanted, "{}", printed);
    }
}
