//! The built-in workloads by name. To add one: its folder, and its line in [`BUILT_IN`].

use duet_bench::record::{Failed, Outcome};
use duet_bench::workload::Configured;

use crate::built_in::BuiltIn;
use crate::generate::Source;
use crate::{lookup, retail, soe};

/// All of them.
pub static BUILT_IN: [&dyn BuiltIn; 3] = [&soe::Entry, &retail::Entry, &lookup::Entry];

/// By its name.
pub fn find(name: &str) -> Option<&'static dyn BuiltIn> {
    BUILT_IN.into_iter().find(|entry| entry.name() == name)
}

/// The names of all of them, for a sentence: `soe, retail, lookup`.
pub fn names() -> String {
    BUILT_IN.map(Source::name).join(", ")
}

/// The workload that another process sent: its name, and what its [`Configured::json`] made.
///
/// # Errors
/// Where there is none of that name, or the text is of something else.
pub fn configured(name: &str, facts: &str) -> Result<Box<dyn Configured>, Failed> {
    let other = |said: String| Failed::new(Outcome::Other, said);
    let entry = find(name).ok_or_else(|| other(format!("there is no workload {name:?}")))?;
    entry.configured(facts).map_err(|error| other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_once() {
        for entry in BUILT_IN {
            assert_eq!(BUILT_IN.iter().filter(|it| it.name() == entry.name()).count(), 1);
            assert_eq!(find(entry.name()).map(Source::metadata), Some(entry.metadata()));
            assert!(entry.takes(entry.usual_scale()), "{}", entry.name());
            let refused = configured(entry.name(), "[]").unwrap_err().said;
            assert!(refused.contains("invalid"), "{refused}");
        }
        let refused = configured("rest", "{}").map(drop).unwrap_err().said;
        assert_eq!(refused, "there is no workload \"rest\"");
    }
}
