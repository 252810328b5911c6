//! Filters under ORDS's profile.

use duet_model::{Compare, Direction, DocumentStyle, Expr, ProfileRef, Shape, Value};

use super::sample;
use crate::{FieldIndex, Filter, Limits, parse};

fn read(text: &str, style: DocumentStyle) -> Option<Filter> {
    let shape = Shape { style, ..sample::shape() };
    parse(text, &FieldIndex::new(&shape), &Limits::default()).ok()
}

fn ords(text: &str) -> Filter {
    let style = DocumentStyle::of_tables(ProfileRef::named("ords").unwrap());
    read(text, style).unwrap_or_else(|| panic!("{text}"))
}

/// A date is its first moment: what lies within a day is after that and before the next.
#[test]
fn dates_are_compared_with_moments() {
    let founded = |operator, day: &str| {
        let day = Expr::operand(Value::Text(day.into()), &duet_model::Type::Date);
        Expr::compare(operator, sample::field("founded"), day)
    };
    let at = "2022-04-01T08:00:00Z";
    for (operator, expected) in [
        ("$lt", founded(Compare::Lte, "2022-04-01")),
        ("$lte", founded(Compare::Lte, "2022-04-01")),
        ("$gt", founded(Compare::Gt, "2022-04-01")),
        ("$gte", founded(Compare::Gt, "2022-04-01")),
    ] {
        let q = format!("{{\"founded\":{{\"{operator}\":{{\"$date\":\"{at}\"}}}}}}");
        assert_eq!(ords(&q).expr, expected, "{operator}");
        assert!(read(&q, DocumentStyle::default()).is_none(), "natively a date has no time");
    }
    // Midnight is a date, whatever the offset.
    let midnight = r#"{"founded":{"$lt":"2022-04-01T02:00:00+02:00"}}"#;
    assert_eq!(ords(midnight).expr, founded(Compare::Lt, "2022-04-01"));
    let never = ords(r#"{"founded":"2022-04-01T08:00:00Z"}"#).expr;
    assert!(matches!(&never, Expr::Between(..)), "{never:?}");
    let other = ords(r#"{"founded":{"$ne":"2022-12-31T08:00:00"}}"#).expr;
    assert_eq!(other, Expr::Not(Box::new(never)));
    let between =
        ords(r#"{"founded":{"$between":["2021-12-31T08:00:00Z","2022-12-31T08:00:00Z"]}}"#);
    let end =
        |day: &str| Some(Box::new(Expr::operand(Value::Text(day.into()), &duet_model::Type::Date)));
    let field = Box::new(sample::field("founded").into());
    assert_eq!(between.expr, Expr::Between(field, end("2022-01-01"), end("2022-12-31")));
}

#[test]
fn null_is_the_greatest_value() {
    for (direction, first) in [("ASC", false), ("DESC", true)] {
        let q = format!("{{\"$orderby\":{{\"points\":\"{direction}\"}}}}");
        let order = &ords(&q).order[0];
        let is_descending = order.direction == Direction::Descending;
        assert_eq!((is_descending, order.nulls_first), (first, first), "{direction}");
        let native = read(&q, DocumentStyle::default()).unwrap();
        assert!(!native.order[0].nulls_first);
    }
}

#[test]
fn instr_passes_over_case() {
    let like = |expr: &Expr| match expr {
        Expr::Like { pattern, ignore_case, .. } => Some(((**pattern).clone(), *ignore_case)),
        _ => None,
    };
    let text = |text: &str| Expr::operand(Value::Text(text.into()), &duet_model::Type::Text);
    let found = ords(r#"{"name":{"$instr":"FE%"}}"#).expr;
    assert_eq!(like(&found), Some((text("%FE\\%%"), true)));
    let Expr::Not(inner) = ords(r#"{"name":{"$ninstr":"FE"}}"#).expr else { panic!() };
    assert_eq!(like(&inner), Some((text("%FE%"), true)));
    let inside = ords(r#"{"extra.a":{"$instr":"Fe(1"}}"#).expr;
    let Expr::Json(_, duet_model::JsonTest::Regex(pattern)) = &inside else { panic!("{inside:?}") };
    let matches = crate::regex::compile(pattern).unwrap();
    let effort = duet_text::effort::Effort::unlimited();
    assert_eq!(matches.matches("xfE(1", &effort), Ok(true));
    assert_eq!(matches.matches("fe1", &effort), Ok(false));
    // The operator of documents counts case.
    assert_eq!(like(&ords(r#"{"name":{"$hasSubstring":"FE"}}"#).expr), None);
}
