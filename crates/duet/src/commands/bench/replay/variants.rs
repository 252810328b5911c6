//! Variants of a replay before they run, and facts of its page.

use duet_report::replay::{Facts, Replay, Runs, Series, Variant};

/// Facts of a page.
pub(in crate::commands::bench) fn facts<const N: usize>(facts: [(&str, String); N]) -> Facts {
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Variants with the label of their server software, without runs.
pub(in crate::commands::bench) fn planned(
    replay: &Replay,
    label: &str,
    server: &str,
) -> Vec<Series> {
    let series = |mut variant: Variant| {
        variant.labels.insert(label.into(), server.into());
        Series { variant, runs: Runs::Results(Vec::new()) }
    };
    replay.variants().into_iter().map(series).collect()
}
