//! The published figures, and what follows from them.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ratio::trimmed_mean;

const TEXT: &str = include_str!("../../../data/published/rowstore.json");

/// The report.
#[derive(Debug, Deserialize)]
pub(super) struct Published {
    pub(super) title: String,
    pub(super) keys: u64,
    pub(super) conditions: Conditions,
    /// What the tables are.
    pub(super) tables: BTreeMap<String, String>,
    pub(super) paths: Vec<PublishedPath>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Conditions {
    pub(super) machine: String,
    pub(super) database: String,
    pub(super) client: String,
    pub(super) order: String,
    pub(super) transaction: String,
    pub(super) rows: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct PublishedPath {
    pub(super) id: String,
    pub(super) name: String,
    /// Of each run, by table.
    pub(super) seconds: BTreeMap<String, Vec<f64>>,
}

impl Published {
    pub(super) fn read() -> serde_json::Result<Self> {
        serde_json::from_str(TEXT)
    }

    pub(super) fn path(&self, id: &str) -> Option<&PublishedPath> {
        self.paths.iter().find(|path| path.id == id)
    }

    /// The greatest gain by a table over `t1` of the same path, in percent.
    pub(super) fn greatest_gain(&self) -> f64 {
        let gains = self.paths.iter().flat_map(|path| {
            path.seconds.keys().filter_map(|table| path.change(table)).map(|change| -change)
        });
        gains.fold(0.0, f64::max)
    }

    /// The least and the greatest gain without the network layer, in percent.
    pub(super) fn network_gains(&self) -> Option<(f64, f64)> {
        let (with, without) = (self.path("oci-net")?, self.path("oci-local")?);
        let gain = |table: &String| Some(-percent(without.mean(table)?, with.mean(table)?));
        let gains: Vec<f64> = with.seconds.keys().filter_map(gain).collect();
        let least = gains.iter().copied().reduce(f64::min)?;
        Some((least, gains.iter().copied().reduce(f64::max)?))
    }
}

impl PublishedPath {
    /// The average of a table's runs, as the report takes it.
    pub(super) fn mean(&self, table: &str) -> Option<f64> {
        trimmed_mean(self.seconds.get(table)?)
    }

    /// A table against `t1`, in percent.
    pub(super) fn change(&self, table: &str) -> Option<f64> {
        Some(percent(self.mean(table)?, self.mean("t1")?))
    }
}

/// How much more the first is than the second.
pub(super) fn percent(value: f64, base: f64) -> f64 {
    (value / base - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reports_own_conclusions_follow_from_its_figures() {
        let published = Published::read().unwrap();
        let thin = published.path("thin").unwrap();
        assert_eq!(format!("{:.3}", thin.mean("t1").unwrap()), "11.672");
        assert_eq!(format!("{:+.1}", thin.change("t4").unwrap()), "+65.4");
        assert_eq!(format!("{:.1}", published.greatest_gain()), "13.6");
        let (least, most) = published.network_gains().unwrap();
        assert_eq!(format!("{least:.0} {most:.0}"), "19 21");
        assert!(published.paths.iter().all(|path| path.seconds.len() == published.tables.len()));
    }
}
