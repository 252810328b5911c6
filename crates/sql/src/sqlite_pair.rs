//! R-trees of SQLite: for each declared index of ranges or points a table beside the collection's table, with the least
//! and the greatest coordinates of each document's value.
//!
//! An R-tree has numbers of 32 bits, which it rounds away from the value. So it finds candidates, among them all that are
//! searched for, and each is tested by the condition itself.

use duet_model::{Area, Pair, PairKind, Range, RangeRelation, TextTest};

use crate::pair_syntax::SQLITE;

/// The columns of the R-tree behind the row's number: of each dimension the least and the greatest coordinate.
fn columns(kind: PairKind) -> &'static [&'static str] {
    match kind {
        PairKind::Numbers | PairKind::Moments => &["low", "high"],
        PairKind::Point => &["low_x", "high_x", "low_y", "high_y"],
    }
}

/// What is in the parentheses of the statement that makes the R-tree.
pub(crate) fn module(pair: &Pair) -> String {
    format!("rtree(id, {})", columns(pair.kind).join(", "))
}

/// The expression of the value in this column, with paths as SQLite takes them; `None` where it has no form for the path
/// of a member.
pub(crate) fn value(
    pair: &Pair,
    column: &str,
    path_of: fn(&[String]) -> Option<String>,
) -> Option<String> {
    let [before, between, after] = SQLITE.member;
    let member = |path: &String| {
        let steps: Vec<String> = path.split('.').map(str::to_owned).collect();
        let literal = path_of(&steps)?.replace('\'', "''");
        Some(format!("{before}{column}{between}'{literal}'{after}"))
    };
    let [first, second] = &pair.members;
    Some((SQLITE.value)(pair.kind).fill(&member(first)?, &member(second)?))
}

/// What a row with such a value has in the R-tree behind its number.
pub(crate) fn bounds(pair: &Pair, value: &str) -> String {
    let bound = |at: usize| format!("duet_bound({value}, {at})");
    (0..columns(pair.kind).len()).map(bound).collect::<Vec<_>>().join(", ")
}

/// The pair whose value an R-tree has, from the statement of a trigger that keeps it.
pub(crate) fn of_trigger(sql: &str) -> Option<Pair> {
    let (_, rest) = sql.split_once("duet_pair(")?;
    let (function, rest) = literal(rest)?;
    let kind = PairKind::of_function(&function)?;
    let member = |rest: &str| {
        let (_, rest) = rest.split_once(" -> ")?;
        let (path, rest) = literal(rest)?;
        Some((path.strip_prefix("$.")?.replace('"', ""), rest.to_owned()))
    };
    let (first, rest) = member(rest)?;
    let (second, _) = member(&rest)?;
    Some(Pair { kind, members: [first, second] })
}

/// The text of a literal that a statement begins with, and what follows it.
fn literal(sql: &str) -> Option<(String, &str)> {
    let inside = sql.strip_prefix('\'')?;
    let mut end = 0;
    loop {
        end += inside[end..].find('\'')?;
        match inside[end + 1..].starts_with('\'') {
            true => end += 2,
            false => return Some((inside[..end].replace("''", "'"), &inside[end + 1..])),
        }
    }
}

/// The conditions on the columns of the R-tree that all documents satisfy which a test finds, each with its value; none
/// where the test bounds nothing.
pub(crate) fn conditions(test: &TextTest) -> Vec<(&'static str, f64)> {
    match test {
        TextTest::Range(relation, range) => {
            let Some([low, high]) = Range::parse(range).map(|range| range.bounds()) else {
                return Vec::new();
            };
            let [low_test, high_test] = match relation {
                RangeRelation::Encloses => [(" low <= ", low), (" high >= ", high)],
                // What is within another one overlaps it.
                RangeRelation::Overlaps | RangeRelation::Within => {
                    [(" low <= ", high), (" high >= ", low)]
                }
            };
            let tests = [low_test, high_test].into_iter();
            tests.filter_map(|(test, end)| end.map(|end| (test, end))).collect()
        }
        TextTest::InArea(Area { least, greatest }) => vec![
            (" low_x <= ", greatest.x),
            (" high_x >= ", least.x),
            (" low_y <= ", greatest.y),
            (" high_y >= ", least.y),
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(steps: &[String]) -> Option<String> {
        Some(format!("$.\"{}\"", steps.join("\".\"")))
    }

    #[test]
    fn a_trigger_says_what_an_r_tree_has() {
        for (kind, members) in [
            (PairKind::Numbers, ["low", "price.high"]),
            (PairKind::Moments, ["a b.c", "it's"]),
            (PairKind::Point, ["x", "y"]),
        ] {
            let pair = Pair { kind, members: members.map(str::to_owned) };
            let sql = format!("CREATE TRIGGER … {} …", value(&pair, "new.jsonb", path_of).unwrap());
            assert_eq!(of_trigger(&sql), Some(pair), "{sql}");
        }
        assert_eq!(of_trigger("CREATE TRIGGER …"), None);
        assert_eq!(of_trigger("duet_pair('point', new.jsonb -> '$.a"), None);
    }

    #[test]
    fn a_test_bounds_its_candidates() {
        let range = |relation, range: &str| conditions(&TextTest::Range(relation, range.into()));
        assert_eq!(range(RangeRelation::Within, "[1,5]"), [(" low <= ", 5.0), (" high >= ", 1.0)]);
        assert_eq!(range(RangeRelation::Encloses, "[1,]"), [(" low <= ", 1.0)]);
        assert_eq!(range(RangeRelation::Overlaps, "[,]"), []);
    }
}
