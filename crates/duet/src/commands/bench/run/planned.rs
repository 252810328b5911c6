//! The options of the command line that say how much load there is.

use crate::args::BenchRun;

/// The options of the plan that were given, by name.
pub(super) fn planned(arguments: &BenchRun) -> Vec<&'static str> {
    let given = [
        ("duration", arguments.duration.is_some()),
        ("transactions", arguments.transactions.is_some()),
        ("iterations", arguments.iterations.is_some()),
        ("rate", arguments.rate.is_some()),
        ("steps", !arguments.steps.is_empty()),
        ("users", arguments.users.is_some()),
        ("layout", arguments.layout.is_some()),
    ];
    given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
}
