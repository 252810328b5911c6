//! The search for the rows of a batch that a store refuses, where it refuses statements and not
//! rows: the next range to try.
//!
//! A refused range is halved, or cut around the row that the store has pointed at; that row is tried
//! alone, because a pointer may be wrong and no row is refused that was not. Near refused rows ranges
//! get shorter, so that little is done in vain.

use std::ops::Range;

/// The least rows that are tried together after a refusal that pointed at one.
const SHORTEST: usize = 32;

/// What is left to be tried.
#[derive(Debug)]
pub(crate) struct Search {
    /// Ranges of rows, the next one last.
    todo: Vec<Range<usize>>,
    /// How many rows are tried together at most.
    stride: usize,
}

impl Search {
    /// A search among this many rows; it begins with all of them.
    pub(crate) fn new(rows: usize) -> Self {
        let mut search = Self { todo: Vec::new(), stride: rows.max(1) };
        search.push(0..rows);
        search
    }

    /// The rows to try next; `None` where all have been.
    pub(crate) fn next(&mut self) -> Option<Range<usize>> {
        let range = self.todo.pop()?;
        if range.len() <= self.stride {
            return Some(range);
        }
        let middle = range.start + self.stride;
        self.todo.push(middle..range.end);
        Some(range.start..middle)
    }

    /// They were taken.
    pub(crate) fn taken(&mut self) {
        self.stride = self.stride.saturating_mul(2);
    }

    /// They were refused. `pointed`: the faulty row, if the store has reported it. Whether the
    /// reason is a single row, which is then known.
    pub(crate) fn refused(&mut self, range: Range<usize>, pointed: Option<usize>) -> Option<usize> {
        if range.len() <= 1 {
            return Some(range.start);
        }
        match pointed.filter(|row| range.contains(row)) {
            Some(row) => {
                self.stride = (2 * (row - range.start)).max(SHORTEST);
                self.push(row + 1..range.end);
                self.push(row..row + 1);
                self.push(range.start..row);
            }
            None => {
                let middle = range.start + range.len() / 2;
                self.push(middle..range.end);
                self.push(range.start..middle);
            }
        }
        None
    }

    fn push(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.todo.push(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Which rows are found, which are taken, and after how many tries.
    fn find(
        rows: usize,
        bad: &BTreeSet<usize>,
        point: impl Fn(&Range<usize>) -> Option<usize>,
    ) -> (BTreeSet<usize>, Vec<usize>, usize) {
        let mut search = Search::new(rows);
        let (mut found, mut taken, mut tries) = (BTreeSet::new(), Vec::new(), 0);
        while let Some(range) = search.next() {
            tries += 1;
            if range.clone().any(|row| bad.contains(&row)) {
                found.extend(search.refused(range.clone(), point(&range)));
            } else {
                taken.extend(range);
                search.taken();
            }
        }
        (found, taken, tries)
    }

    #[test]
    fn rows_without_errors_take_one_step() {
        let (found, taken, tries) = find(5_000, &BTreeSet::new(), |_| None);
        assert_eq!((found.len(), taken.len(), tries), (0, 5_000, 1));
        assert_eq!(find(0, &BTreeSet::new(), |_| None).2, 0);
    }

    #[test]
    fn a_pointer_saves_tries() {
        let bad: BTreeSet<usize> = (0..50).map(|row| row * 100 + 7).collect();
        let blind = find(5_000, &bad, |_| None).2;
        let pointed = find(5_000, &bad, |range| bad.range(range.clone()).next().copied()).2;
        assert!(pointed < 250 && blind > 2 * pointed, "{pointed} {blind}");
    }

    proptest! {
        #[test]
        fn exactly_the_bad_rows_are_found(
            rows in 0_usize..300,
            bad in prop::collection::btree_set(0_usize..300, 0..40),
            lie in 0_usize..300,
        ) {
            let bad: BTreeSet<usize> = bad.into_iter().filter(|row| *row < rows).collect();
            let good: Vec<usize> = (0..rows).filter(|row| !bad.contains(row)).collect();
            let first = |range: &Range<usize>| bad.range(range.clone()).next().copied();
            for (found, taken, _) in [
                find(rows, &bad, |_| None),
                find(rows, &bad, first),
                find(rows, &bad, |_| Some(lie)),
            ] {
                prop_assert_eq!(&found, &bad);
                prop_assert_eq!(&taken, &good);
            }
        }
    }
}
