//! The built-in workloads by name. To add one: its folder, and its name in `lib.rs`.

use std::sync::{PoisonError, RwLock};

use duet_bench::workload::{Configured, Failed};
use duet_verdict::outcome::Outcome;

use crate::BUILT_IN;
use crate::built_in::{BuiltIn, Run};
use crate::generate::DataSource;

/// The workloads of the program.
static REGISTERED: RwLock<Vec<&'static dyn BuiltIn>> = RwLock::new(Vec::new());

/// Adds a workload of the program; called before it parses its command line.
pub fn register(workload: &'static dyn BuiltIn) {
    REGISTERED.write().unwrap_or_else(PoisonError::into_inner).push(workload);
}

/// All workloads.
pub fn all() -> Vec<&'static dyn BuiltIn> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    BUILT_IN.iter().copied().chain(registered.iter().copied()).collect()
}

/// A workload and one of its forms, by the form's name.
pub fn run(name: &str) -> Option<(&'static dyn BuiltIn, &'static Run)> {
    all().into_iter().find_map(|entry| {
        let run = entry.runs().iter().find(|run| run.name == name)?;
        Some((entry, run))
    })
}

/// The forms of all workloads.
pub fn runs() -> Vec<&'static Run> {
    all().into_iter().flat_map(BuiltIn::runs).collect()
}

/// The workload that runs on a data set, and the data set, by the data set's name.
pub fn data(name: &str) -> Option<(&'static dyn BuiltIn, &'static dyn DataSource)> {
    all().into_iter().find_map(|entry| {
        let set = entry.data().filter(|set| set.name() == name)?;
        Some((entry, set))
    })
}

/// All data sets.
pub fn data_sets() -> Vec<&'static dyn DataSource> {
    all().into_iter().filter_map(BuiltIn::data).collect()
}

/// The names of the data sets as a list: `soe, retail, lookup, txn`.
pub fn data_names() -> String {
    data_sets().iter().map(|set| set.name()).collect::<Vec<_>>().join(", ")
}

/// Deserializes the workload that another process sent: its name, and the text of
/// [`Configured::json`].
///
/// # Errors
/// If no workload has that name, or the text is malformed.
pub fn configured(name: &str, facts: &str) -> Result<Box<dyn Configured>, Failed> {
    let other = |message: String| Failed::new(Outcome::Other, message);
    let entry = all().into_iter().find(|entry| entry.name() == name);
    let entry = entry.ok_or_else(|| other(format!("there is no workload {name:?}")))?;
    entry.configured(facts).map_err(|error| other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::flag::Flag;

    #[test]
    fn every_name_is_found_once() {
        let mut names: Vec<&str> = runs().iter().map(|run| run.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), runs().len());
        for entry in BUILT_IN {
            assert_eq!(BUILT_IN.iter().filter(|it| it.name() == entry.name()).count(), 1);
            for form in entry.runs() {
                assert_eq!(run(form.name).map(|(found, _)| found.name()), Some(entry.name()));
            }
            if let Some(set) = entry.data() {
                assert_eq!(data(set.name()).map(|(found, _)| found.name()), Some(entry.name()));
                assert!(set.takes(set.usual_scale()), "{}", set.name());
            }
            let refused = configured(entry.name(), "[]").unwrap_err().message;
            assert!(refused.contains("invalid"), "{refused}");
        }
        let refused = configured("other", "{}").map(drop).unwrap_err().message;
        assert_eq!(refused, "there is no workload \"other\"");
        assert_eq!(data_names(), "soe, retail, lookup, txn");
    }

    /// Workloads may share an option, which must then have the same meaning.
    #[test]
    fn an_option_has_one_meaning() {
        let mut known: BTreeMap<&str, &Flag> = BTreeMap::new();
        for flag in BUILT_IN.iter().flat_map(|entry| entry.flags()) {
            assert_eq!(known.entry(flag.name).or_insert(flag), &flag);
        }
        assert!(known.len() > 3);
    }
}
