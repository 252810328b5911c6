//! Selects rows by their labels, and finds the base of each.

use std::collections::BTreeMap;

use super::definition::{OneOrMany, Ratio, Selection};
use super::template;

/// Names with their values: `workload`, `soe-client`.
pub type Labels = BTreeMap<String, String>;

/// Something with labels.
pub(super) trait HasLabels {
    fn labels(&self) -> &Labels;
}

impl Selection {
    /// Whether these labels match the selection.
    pub(super) fn has(&self, labels: &Labels) -> bool {
        self.0.iter().all(|(name, words)| {
            labels.get(name).is_some_and(|value| match words {
                OneOrMany::One(word) => word == value,
                OneOrMany::Many(words) => words.contains(value),
            })
        })
    }

    /// Whether the selection is empty and matches everything.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Ratio {
    /// Each row of the first side with its base, if it exists.
    pub(super) fn pairs<'r, T: HasLabels>(&self, rows: &[&'r T]) -> Vec<(&'r T, &'r T)> {
        let of = rows.iter().filter(|row| self.of.has(row.labels()));
        of.filter_map(|row| Some((*row, base(*row, &self.to, &self.same, rows)?))).collect()
    }

    /// Each row of the first side with all matching rows of the other.
    pub(super) fn all_pairs<'r, T: HasLabels>(&self, rows: &[&'r T]) -> Vec<(&'r T, &'r T)> {
        let of = rows.iter().filter(|row| self.of.has(row.labels()));
        let to = |row: &T| {
            let is_base = |other: &&&T| {
                self.to.has(other.labels()) && alike(row.labels(), other.labels(), &self.same)
            };
            rows.iter().filter(is_base).copied().collect::<Vec<_>>()
        };
        of.flat_map(|row| to(row).into_iter().map(|other| (*row, other))).collect()
    }
}

/// The base of a row: the first selected one with equal values of the named labels.
pub(super) fn base<'r, T: HasLabels>(
    row: &T,
    to: &Selection,
    same: &[String],
    rows: &[&'r T],
) -> Option<&'r T> {
    let is_base = |other: &&&T| to.has(other.labels()) && alike(row.labels(), other.labels(), same);
    rows.iter().find(is_base).copied()
}

/// Whether two rows have equal values of these labels.
pub(super) fn alike(one: &Labels, other: &Labels, names: &[String]) -> bool {
    names.iter().all(|name| one.get(name) == other.get(name))
}

/// A name from labels: `{table} by {path}`. Missing labels are left out.
pub(super) fn named(name: &str, labels: &Labels) -> String {
    let value = |place: &str| Some(labels.get(place).cloned().unwrap_or_default());
    template::fill(name, value).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl HasLabels for Labels {
        fn labels(&self) -> &Labels {
            self
        }
    }

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn selection(text: &str) -> Selection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn each_row_has_the_base_that_is_like_it() {
        let rows: Vec<Labels> = [("a", "t1"), ("a", "t2"), ("b", "t2"), ("b", "t1"), ("c", "t2")]
            .map(|(path, table)| labels(&[("path", path), ("table", table)]))
            .to_vec();
        let rows: Vec<&Labels> = rows.iter().collect();
        let (of, to) = (selection("table = [\"t2\", \"t3\"]"), selection("table = \"t1\""));
        let ratio = Ratio { of, to, same: vec!["path".to_owned()] };
        let pairs = ratio.pairs(&rows);
        let names: Vec<String> = pairs
            .iter()
            .map(|(row, base)| named("{path}{table} {path}", row) + &base["table"])
            .collect();
        assert_eq!(names, ["at2 at1", "bt2 bt1"]);
        let ratio = Ratio { of: selection("path = \"b\""), to: selection("path = \"a\""), ..ratio };
        let pairs = Ratio { same: Vec::new(), ..ratio }.all_pairs(&rows);
        let names: Vec<String> =
            pairs.iter().map(|(row, other)| row["table"].clone() + &other["table"]).collect();
        assert_eq!(names, ["t2t1", "t2t2", "t1t1", "t1t2"]);
        assert!(!selection("other = \"x\"").has(rows[0]) && selection("").is_empty());
    }
}
