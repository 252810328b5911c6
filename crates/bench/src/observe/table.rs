//! A compact table of figures by second, for runs of days: each name is stored once.

use std::collections::BTreeMap;
use std::ops::Range;

use duet_verdict::result::Window;

/// The figures of a second, by name.
pub(super) type Figures = BTreeMap<String, f64>;

/// Figures by second and name.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Column of each name.
    names: BTreeMap<String, usize>,
    /// Values by column; rows may be shorter, and NaN marks a missing value.
    rows: BTreeMap<u64, Vec<f64>>,
}

impl Table {
    /// Adds figures to a second.
    pub(super) fn put(&mut self, second: u64, figures: &Figures) {
        let row = self.rows.entry(second).or_default();
        for (name, value) in figures {
            let place = match self.names.get(name) {
                Some(place) => *place,
                None => {
                    let place = self.names.len();
                    self.names.insert(name.clone(), place);
                    place
                }
            };
            if row.len() <= place {
                row.resize(place + 1, f64::NAN);
            }
            row[place] = *value;
        }
    }

    /// A second's figures, rounded to significant digits.
    pub(super) fn row(&self, second: u64) -> Figures {
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        let figures = self.exact(second).into_iter();
        figures.map(|(name, value)| (name, rounded(value))).collect()
    }

    fn exact(&self, second: u64) -> Figures {
        let Some(row) = self.rows.get(&second) else { return Figures::new() };
        let figure = |(name, place): (&String, &usize)| {
            let value = row.get(*place).copied().filter(|value| !value.is_nan())?;
            Some((name.clone(), value))
        };
        self.names.iter().filter_map(figure).collect()
    }

    /// The first and the last row of a range of seconds, as they were added.
    pub(super) fn ends(&self, seconds: Range<u64>) -> Option<(Figures, Figures)> {
        let mut within = self.rows.range(seconds).map(|(second, _)| *second);
        let first = within.next()?;
        Some((self.exact(first), self.exact(within.next_back()?)))
    }

    /// The values of a name in a range of seconds, without missing ones.
    pub(super) fn values(&self, name: &str, seconds: Range<u64>) -> Vec<f64> {
        let Some(place) = self.names.get(name) else { return Vec::new() };
        let rows = self.rows.range(seconds).filter_map(|(_, row)| row.get(*place).copied());
        rows.filter(|value| !value.is_nan()).collect()
    }

    /// The names with this prefix.
    pub(super) fn names<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.names.keys().map(String::as_str).filter(move |name| name.starts_with(prefix))
    }
}

/// The whole seconds of a window.
pub(super) fn seconds_of(window: &Window) -> Range<u64> {
    let whole = |seconds: f64| seconds.max(0.0) as u64;
    let from = whole(window.from_s.ceil());
    from..whole((window.from_s + window.measured_s).floor()).max(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(pairs: &[(&str, f64)]) -> Figures {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn rows_come_back() {
        let mut table = Table::default();
        table.put(0, &figures(&[("wait.CPU", 1.0)]));
        table.put(2, &figures(&[("db.commits", 7.0)]));
        table.put(2, &figures(&[("cpu.user", 0.123_456)]));
        assert_eq!(table.row(0), figures(&[("wait.CPU", 1.0)]));
        assert_eq!(table.row(1), Figures::new());
        assert_eq!(table.row(2), figures(&[("cpu.user", 0.123), ("db.commits", 7.0)]));
        assert_eq!(table.values("db.commits", 0..3), [7.0]);
        assert!(table.values("db.commits", 0..2).is_empty() && table.values("x", 0..9).is_empty());
        assert_eq!(table.names("wait.").collect::<Vec<_>>(), ["wait.CPU"]);
        assert_eq!(table.ends(0..9).unwrap().0, figures(&[("wait.CPU", 1.0)]));
        assert!(table.ends(0..2).is_none());
    }
}
