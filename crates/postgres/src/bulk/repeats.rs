//! Conflicts that the rows of a batch show among themselves and with the table without a query for
//! each: keys that come again, and the span that the keys of a batch lie in.
//!
//! Both are about keys whose values are equal where their cells are, and only there. For others
//! Only PostgreSQL knows which values are equal.

use std::collections::HashSet;

use duet_document::Datum;
use duet_document::bulk::Group;
use duet_model::{Relation, Type};
use foldhash::fast::RandomState;

/// A part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum KeyPart<'g> {
    Int(i64),
    Text(&'g [u8]),
}

/// Whether equal values of a key are equal cells: whole numbers, and texts that are stored as they
/// come. A text of limited length may lose blanks at its end.
pub(super) fn is_exact(table: &Relation, key: &[usize]) -> bool {
    key.iter().map(|&column| &table.columns[column]).all(|column| match column.ty {
        Type::Integer { .. } => true,
        Type::Text => {
            !column.loose_equality
                && matches!(column.declared.as_str(), "text" | "character varying")
        }
        _ => false,
    })
}

/// The column of a key that is one whole number: keys of the table between two such are found by one
/// walk through its index.
pub(super) fn whole_number(table: &Relation, key: &[usize]) -> Option<usize> {
    let [column] = *key else { return None };
    matches!(table.columns[column].ty, Type::Integer { .. }).then_some(column)
}

/// Which of some rows have the key of an earlier one of them, by their position among them. `columns`
/// are the positions of the key's columns in the group. NULL is equal to nothing.
pub(super) fn repeated(group: &Group, columns: &[usize], rows: &[usize]) -> Vec<usize> {
    let part = |row: usize, column: usize| match group.rows.get(row, column) {
        Datum::Int(value) => Some(KeyPart::Int(value)),
        Datum::Text(text) => Some(KeyPart::Text(text)),
        _ => None,
    };
    if let [column] = *columns {
        return again(rows, |row| part(row, column));
    }
    again(rows, |row| columns.iter().map(|&column| part(row, column)).collect::<Option<Vec<_>>>())
}

fn again<K: Eq + std::hash::Hash>(rows: &[usize], key: impl Fn(usize) -> Option<K>) -> Vec<usize> {
    let mut seen = HashSet::with_capacity_and_hasher(rows.len(), RandomState::default());
    let is_again = |&(_, &row): &(usize, &usize)| key(row).is_some_and(|key| !seen.insert(key));
    rows.iter().enumerate().filter(is_again).map(|(at, _)| at).collect()
}

/// The least and the largest of the numbers that some rows have in a column of the group; `None` where
/// none has one.
pub(super) fn span(group: &Group, column: usize, rows: &[usize]) -> Option<(i64, i64)> {
    numbers(group, column, rows).fold(None, |span, (_, number)| {
        let (least, largest) = span.unwrap_or((number, number));
        Some((number.min(least), number.max(largest)))
    })
}

/// Which of some rows have one of these numbers in a column of the group, by their position.
pub(super) fn among(
    group: &Group,
    column: usize,
    rows: &[usize],
    there: &[i64],
) -> impl Iterator<Item = usize> {
    let there: HashSet<i64, RandomState> = there.iter().copied().collect();
    numbers(group, column, rows).filter(move |(_, number)| there.contains(number)).map(|(at, _)| at)
}

fn numbers(group: &Group, column: usize, rows: &[usize]) -> impl Iterator<Item = (usize, i64)> {
    rows.iter().enumerate().filter_map(move |(at, &row)| match group.rows.get(row, column) {
        Datum::Int(number) => Some((at, number)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use duet_document::RowSet;

    use super::*;

    fn group(cells: &[[Datum<'_>; 2]]) -> Group {
        let mut rows = RowSet::new(2);
        cells.iter().flatten().for_each(|&cell| rows.push(cell));
        Group { columns: vec![0, 1], rows, places: Vec::new() }
    }

    #[test]
    fn the_first_of_equal_rows_is_no_repeat() {
        let (one, two, a) = (Datum::Int(1), Datum::Int(2), Datum::Text(b"a"));
        let group = group(&[[one, a], [two, a], [one, Datum::Null], [one, a], [Datum::Null, a]]);
        let all = [0, 1, 2, 3, 4];
        assert_eq!(repeated(&group, &[0], &all), [2, 3]);
        assert_eq!(repeated(&group, &[1], &all), [1, 3, 4]);
        assert_eq!(repeated(&group, &[0, 1], &all), [3]);
        // Positions count among the given rows.
        assert_eq!(repeated(&group, &[0], &[1, 2, 3]), [2]);
    }

    #[test]
    fn spans() {
        let cells = [-3, 9, 4].map(|number| [Datum::Int(number), Datum::Null]);
        let group = group(&cells);
        assert_eq!(span(&group, 0, &[0, 1, 2]), Some((-3, 9)));
        assert_eq!(span(&group, 0, &[2]), Some((4, 4)));
        assert_eq!(span(&group, 1, &[0, 1, 2]), None);
        assert_eq!(among(&group, 0, &[2, 1, 0], &[5, 4, -3]).collect::<Vec<_>>(), [0, 2]);
    }
}
