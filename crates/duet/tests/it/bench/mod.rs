//! The bench: what its commands print, write and leave, and how they end.

mod agents;
mod charbench;
mod ends;
mod import;
mod ingest;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod jmeter;
mod left;
mod orders;
mod otlp;
pub(crate) mod pages;
mod results;
mod runs;
mod samples;
mod series;
mod signals;
mod torture;
mod trust;
mod txn;
pub(crate) mod verdicts;
mod wire;

/// What a replay of a report printed, and the text of its page, whose tables are not printed.
fn printed_and_written(said: &str, folder: &std::path::Path) -> String {
    let path = folder.join("replay.md");
    assert!(!said.contains("\n| ") && said.contains(&*path.to_string_lossy()), "{said}");
    let written = std::fs::read_to_string(&path);
    format!("{said}\n{}", written.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}
