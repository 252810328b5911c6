//! Properties: no input panics, printed filters are read back, and rewritten comparisons are
//! equivalent.

use std::cmp::Ordering;
use std::collections::HashMap;

use duet_model::{ColumnRef, Compare, Expr, Shape, Type, Value};
use duet_text::error::Place;
use proptest::prelude::*;

use super::{print, sample};
use crate::{FieldIndex, Limits, Row, Values, evaluate, parse};
use duet_text::decimal::Decimal;

/// A document with some values; all others are NULL.
struct Document {
    shape: Shape,
    values: HashMap<ColumnRef, Values>,
}

impl Document {
    fn with(path: &str, values: Values) -> Self {
        let values = HashMap::from([(sample::field(path), values)]);
        Self { shape: sample::shape(), values }
    }
}

impl Row for Document {
    fn values(&self, field: ColumnRef) -> Values {
        self.values.get(&field).cloned().unwrap_or(Values::One(Value::Null))
    }

    fn ty(&self, field: ColumnRef) -> &Type {
        self.shape.column_type(field)
    }
}

fn holds(q: &str, row: &Document) -> Option<bool> {
    let filter = parse(q, &sample::fields(), &Limits::default()).unwrap();
    evaluate(&filter.expr, row)
}

/// A name, an operator or another token of a filter.
fn word() -> impl Strategy<Value = String> {
    let fields: Vec<String> = sample::fields().fields().iter().map(|f| f.path.clone()).collect();
    let operators = "$eq $ne $lt $gte $like $ilike $instr $between $null $notnull $and $or $not \
                     $nor $in $nin $startsWith $exists $orderby $date $asof $all engine driver";
    let operators: Vec<String> = operators.split(' ').map(str::to_owned).collect();
    prop_oneof![
        3 => prop::sample::select(fields),
        5 => prop::sample::select(operators),
        1 => "\\PC{0,6}",
    ]
}

/// JSON that looks like a filter.
fn filter_like() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "\\PC{0,6}".prop_map(Into::into),
        Just("2022-03-20T00:00:00Z".into()),
        Just("ASC".into()),
    ];
    leaf.prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((word(), inner), 0..4)
                .prop_map(|members| { serde_json::Value::Object(members.into_iter().collect()) }),
        ]
    })
}

/// Every error has a place inside the filter, at a character.
fn check_error(q: &str) {
    if let Err(error) = parse(q, &sample::fields(), &Limits::default()) {
        let Some(Place::Offset(at)) = error.place else { panic!("{error:?}") };
        assert!(q.is_char_boundary(at), "{q}: {at}");
        assert_eq!(error.code.status(), 400, "{error:?}");
    }
}

fn predicate() -> impl Strategy<Value = Expr> {
    let typed = |path: &str| {
        let fields = sample::fields();
        let field = fields.find(path).unwrap();
        (field.value.clone(), field.ty.clone())
    };
    let text = || "[a-c%_é\\\\]{0,4}";
    let numbers = vec![typed("points"), typed("driver.laps")];
    let number = move || prop::sample::select(numbers.clone());
    let name = typed("engine.name");
    let operand = |ty: &Type, value| Expr::operand(value, ty);
    let boxed = |expr: &Expr| Box::new(expr.clone());
    let compare = prop::sample::select(vec![
        Compare::Eq,
        Compare::Ne,
        Compare::Lt,
        Compare::Lte,
        Compare::Gt,
        Compare::Gte,
    ]);
    let (field, ty) = name;
    let (field_a, field_b, field_c) = (field.clone(), field.clone(), field);
    let points = typed("points").0;
    let int = move |ty: &Type, value| operand(ty, Value::Int(value));
    prop_oneof![
        (number(), compare.clone(), any::<i64>()).prop_map(move |((f, ty), op, v)| Expr::compare(
            op,
            f,
            int(&ty, v)
        )),
        (compare, text()).prop_map(move |(op, v)| {
            Expr::compare(op, field_a.clone(), operand(&ty, Value::Text(v)))
        }),
        (number(), prop::collection::vec(any::<i64>(), 0..4)).prop_map(move |((f, ty), values)| {
            Expr::In(Box::new(f), values.into_iter().map(|v| int(&ty, v)).collect())
        }),
        (number(), any::<i64>(), prop::option::of(any::<i64>())).prop_map(
            move |((f, ty), low, high)| {
                let end = |end| Box::new(int(&ty, end));
                Expr::Between(Box::new(f), Some(end(low)), high.map(end))
            }
        ),
        (text(), any::<bool>())
            .prop_filter("complete", |(pattern, _)| duet_text::like::is_complete(pattern))
            .prop_map(move |(pattern, ignore_case)| Expr::Like {
                operand: boxed(&field_b),
                pattern: Box::new(operand(&Type::Text, Value::Text(pattern))),
                ignore_case
            }),
        text().prop_map(move |part| Expr::Search(
            boxed(&field_c),
            duet_model::TextTest::Contains(part)
        )),
        Just(Expr::IsNull(Box::new(points))),
    ]
}

fn expression() -> impl Strategy<Value = Expr> {
    predicate().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::Or),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

/// Numbers near the stored ones and near the ends of the integers.
fn operand() -> impl Strategy<Value = String> {
    prop_oneof![
        (-30i64..30).prop_map(|tenths| format!("{}", tenths as f64 / 10.0)),
        (-3i64..3).prop_map(|number| number.to_string()),
        prop::sample::select(vec![
            "9223372036854775807",
            "9223372036854775807.5",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775808.5",
            "-9223372036854775809",
            "1e300",
            "-1e300",
            "1e-300",
            "12e-1",
        ])
        .prop_map(str::to_owned),
    ]
}

fn stored() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -3i64..3, 1 => Just(i64::MIN), 1 => Just(i64::MAX)]
}

fn exact(stored: i64, operand: &str) -> Ordering {
    Decimal::parse(&stored.to_string()).unwrap().cmp(&Decimal::parse(operand).unwrap())
}

fn wanted(operator: &str, order: Ordering) -> bool {
    match operator {
        "$eq" => order.is_eq(),
        "$ne" => order.is_ne(),
        "$lt" => order.is_lt(),
        "$lte" => order.is_le(),
        "$gt" => order.is_gt(),
        _ => order.is_ge(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_panics(q in "\\PC{0,60}") {
        check_error(&q);
    }

    #[test]
    fn no_bytes_panic(q in prop::collection::vec(any::<u8>(), 0..80)) {
        check_error(&String::from_utf8_lossy(&q));
    }

    #[test]
    fn no_punctuation_panics(q in r#"[{}\[\]":,$a-e0-9.\\u \-]{0,40}"#) {
        check_error(&q);
    }

    #[test]
    fn no_json_panics(json in filter_like(), name in word()) {
        check_error(&json.to_string());
        check_error(&serde_json::json!({ name: json }).to_string());
    }

    #[test]
    fn refuses_a_truncated_filter(json in filter_like(), cut in 0.0..1.0f64) {
        let q = serde_json::json!({ "$and": [json] }).to_string();
        let cut = q.char_indices().map(|(at, _)| at).nth((q.chars().count() as f64 * cut) as usize);
        let q = &q[..cut.unwrap_or(0)];
        check_error(q);
        prop_assert!(parse(q, &sample::fields(), &Limits::default()).is_err());
    }

    #[test]
    fn accepts_the_json_that_serde_accepts(q in r#"[{}\[\]",:0-9.eE+\- truefalsn\\ud8c]{0,12}"#) {
        let ours = duet_text::json::read(&q, &duet_text::json::FILTER, 32);
        let theirs = serde_json::from_str::<serde_json::Value>(&q);
        match ours {
            Ok(_) => prop_assert!(theirs.is_ok(), "{q}"),
            Err(error) if error.code == duet_model::Code::FilterSyntax => {
                prop_assert!(theirs.is_err(), "{q}: {error}");
            }
            Err(_) => {}
        }
    }

    #[test]
    fn reads_json_printed_by_serde(json in filter_like()) {
        prop_assert!(duet_text::json::read(&json.to_string(), &duet_text::json::FILTER, 128).is_ok());
    }

    #[test]
    fn printed_filters_are_read_back(expr in expression()) {
        let fields: FieldIndex = sample::fields();
        let q = print::q(&expr, &fields).to_string();
        let limits = Limits { depth: 128, ..Limits::default() };
        let filter = parse(&q, &fields, &limits).unwrap();
        prop_assert_eq!(filter.expr, expr, "{}", q);
    }

    #[test]
    fn integer_comparisons_are_exact(
        stored in stored(),
        operand in operand(),
        operator in prop::sample::select(vec!["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"]),
    ) {
        let expected = Some(wanted(operator, exact(stored, &operand)));
        let row = Document::with("points", Values::One(Value::Int(stored)));
        let q = format!(r#"{{"points":{{"{operator}":{operand}}}}}"#);
        prop_assert_eq!(holds(&q, &row), expected, "{}", q);
        // The same in a decimal column, which needs no rewriting.
        let row = Document::with("budget", Values::One(Value::Text(stored.to_string())));
        let q = format!(r#"{{"budget":{{"{operator}":{operand}}}}}"#);
        prop_assert_eq!(holds(&q, &row), expected, "{}", q);
        // NULL stays unknown, denied or not.
        let row = Document::with("points", Values::One(Value::Null));
        for q in [
            format!(r#"{{"points":{{"{operator}":{operand}}}}}"#),
            format!(r#"{{"points":{{"$not":{{"{operator}":{operand}}}}}}}"#),
        ] {
            prop_assert_eq!(holds(&q, &row), None, "{}", q);
        }
    }

    #[test]
    fn ranges_and_lists_are_exact(stored in stored(), low in operand(), high in operand()) {
        let (at_low, at_high) = (exact(stored, &low), exact(stored, &high));
        let is_inside = at_low.is_ge() && at_high.is_le();
        let is_listed = at_low.is_eq() || at_high.is_eq();
        let null = Document::with("points", Values::One(Value::Null));
        let row = Document::with("points", Values::One(Value::Int(stored)));
        for (operator, list, expected) in [
            ("$between", format!("[{low},{high}]"), is_inside),
            ("$between", format!("[{low},null]"), at_low.is_ge()),
            ("$between", format!("[null,{high}]"), at_high.is_le()),
            ("$in", format!("[{low},{high}]"), is_listed),
            ("$nin", format!("[{low},{high}]"), !is_listed),
        ] {
            let q = format!(r#"{{"points":{{"{operator}":{list}}}}}"#);
            prop_assert_eq!(holds(&q, &row), Some(expected), "{}", q);
            prop_assert_eq!(holds(&q, &null), None, "{}", q);
        }
    }

    #[test]
    fn below_an_array_any_element_counts(
        laps in prop::collection::vec(prop::option::of(stored()), 0..4),
        operand in operand(),
        operator in prop::sample::select(vec!["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"]),
    ) {
        let known: Vec<i64> = laps.iter().flatten().copied().collect();
        let values = laps.iter().map(|value| value.map_or(Value::Null, Value::Int)).collect();
        let row = Document::with("driver.laps", Values::Each(values));
        let any = known.iter().any(|stored| wanted(operator, exact(*stored, &operand)));
        for (test, expected) in [
            (format!(r#""{operator}":{operand}"#), any),
            (format!(r#""$not":{{"{operator}":{operand}}}"#), !any),
            (r#""$notnull":null"#.to_owned(), !known.is_empty()),
            (r#""$exists":false"#.to_owned(), known.is_empty()),
            (r#""$null":null"#.to_owned(), known.len() < laps.len()),
        ] {
            let q = format!(r#"{{"driver.laps":{{{test}}}}}"#);
            prop_assert_eq!(holds(&q, &row), Some(expected), "{}", q);
        }
    }
}

#[test]
fn values_of_every_type_compare() {
    let text = |text: &str| Values::One(Value::Text(text.to_owned()));
    for (path, stored, test, expected) in [
        ("name", text("b"), r#"{"$gt":"B"}"#, true),
        ("name", text("é"), r#"{"$gt":"z"}"#, true),
        ("name", text("Zoë"), r#"{"$ilike":"zO_"}"#, true),
        ("code", text("a  "), r#"{"$eq":"a"}"#, true),
        ("status", text("old"), r#"{"$gt":"new"}"#, true),
        ("budget", text("10.50"), r#"{"$eq":10.5}"#, true),
        ("budget", text("NaN"), r#"{"$gt":1e300}"#, true),
        ("ratio", Values::One(Value::Float(0.1)), r#"{"$eq":0.1}"#, true),
        ("ratio", Values::One(Value::Float(-0.0)), r#"{"$eq":0}"#, true),
        ("ratio", text("NaN"), r#"{"$eq":"NaN"}"#, true),
        ("short", text("0.1"), r#"{"$eq":0.1}"#, true),
        ("active", Values::One(Value::Bool(true)), r#"{"$ne":false}"#, true),
        ("founded", text("2022-03-20"), r#"{"$lt":{"$date":"2022-03-21T00:00:00Z"}}"#, true),
        ("changed_tz", text("2022-03-20T00:00:00.5Z"), r#"{"$gt":"2022-03-20T00:00:00Z"}"#, true),
        ("changed", text("2022-03-20 01:00:00"), r#"{"$eq":"2022-03-20T03:00:00+02:00"}"#, true),
        ("opens", text("09:00:00"), r#"{"$between":["08:00","09:00"]}"#, true),
        ("opens_tz", text("09:00:00+01:00"), r#"{"$lt":"09:00:00Z"}"#, true),
        ("uuid", text("6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"), r#"{"$startsWith":"6f"}"#, true),
        ("extra", text("{}"), r#"{"$null":null}"#, false),
    ] {
        let q = format!(r#"{{"{path}":{test}}}"#);
        assert_eq!(holds(&q, &Document::with(path, stored)), Some(expected), "{q}");
    }
}

#[test]
fn every_type_below_an_array_can_be_not_null() {
    for (path, stored) in [
        ("driver.name", Value::Text(String::new())),
        ("driver.laps", Value::Int(i64::MIN)),
        ("driver.born", Value::Text("0001-01-01".to_owned())),
        ("driver.active", Value::Bool(false)),
        ("driver.fee", Value::Text("-1".to_owned())),
    ] {
        let q = format!(r#"{{"{path}":{{"$exists":true}}}}"#);
        let some = Document::with(path, Values::Each(vec![Value::Null, stored]));
        assert_eq!(holds(&q, &some), Some(true), "{q}");
        for none in [vec![], vec![Value::Null]] {
            assert_eq!(holds(&q, &Document::with(path, Values::Each(none))), Some(false), "{q}");
        }
    }
}
