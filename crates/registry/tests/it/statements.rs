//! Statements are kept by their text, so a text holds no value of a request: a filter has one statement,
//! however many values it is asked with.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_filter::FieldIndex;
use duet_model::{Page, ReadPlan};
use duet_store::{CountOf, PageRead};

use crate::store::{Fixture, Kind};

const SCHEMA: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, n NUMERIC(10,2), name VARCHAR(40),
    born DATE, at TIMESTAMP)";
/// More than any store keeps statements.
const VALUES: usize = 2_000;

/// Filters with a value in them.
fn filters(value: usize) -> Vec<String> {
    let (half, day) = (value / 2, value % 28 + 1);
    vec![
        format!("{{\"id\":{value}}}"),
        format!("{{\"id\":{{\"$gt\":{value},\"$lt\":{half}}}}}"),
        format!("{{\"n\":{{\"$between\":[{value}.5,null]}}}}"),
        format!("{{\"name\":\"name {value}\"}}"),
        format!("{{\"name\":{{\"$like\":\"%{value}%\"}}}}"),
        format!("{{\"name\":{{\"$startsWith\":\"x{value}\"}}}}"),
        format!("{{\"name\":{{\"$instr\":\"{value}\"}}}}"),
        format!("{{\"name\":{{\"$in\":[\"{value}\",\"x\"]}}}}"),
        format!("{{\"$or\":[{{\"id\":{value}}},{{\"name\":{{\"$ne\":\"{half}\"}}}}]}}"),
        format!("{{\"born\":{{\"$date\":\"2022-03-{day:02}\"}}}}"),
        format!("{{\"at\":{{\"$gte\":\"2022-03-{day:02}T10:00:{:02}\"}}}}", value % 60),
        format!("{{\"$orderby\":{{\"name\":\"desc\"}},\"id\":{{\"$lte\":{value}}}}}"),
    ]
}

#[test]
fn a_filter_has_one_statement_whatever_its_values() {
    for kind in Kind::BOTH {
        let fixture = Fixture::new(kind, "statements", SCHEMA);
        let shape = Arc::clone(&fixture.rows("t").read.plan.shape);
        let fields = FieldIndex::new(&shape);
        let text = |filter: &str, value: usize| {
            let parsed = duet_filter::parse(filter, &fields, &duet_filter::Limits::default());
            let parsed = parsed.unwrap_or_else(|error| panic!("{filter}: {error:?}"));
            let (limit, offset) = (value as u64 + 1, value as u64);
            let page = Page {
                filter: parsed.expr,
                order: parsed.order,
                by_row_number: false,
                after: None,
                offset,
                limit,
                arguments: Default::default(),
            };
            let plan = ReadPlan::page(Arc::clone(&shape), page);
            let dialect = fixture.store.dialect();
            let read = PageRead::new(plan, dialect, CountOf::All);
            let counting = read.counting(dialect).unwrap();
            format!("{}; {}", read.statements[0].sql, counting.statement.sql)
        };
        // Two filters may come to the same text.
        let texts_of = |value: usize| -> BTreeSet<String> {
            filters(value).iter().map(|filter| text(filter, value)).collect()
        };
        let first = texts_of(1);
        assert!(first.len() > 8, "{kind:?}: {first:#?}");
        let all: BTreeSet<String> = (1..=VALUES).flat_map(texts_of).collect();
        assert_eq!(all, first, "{kind:?}");
    }
}
