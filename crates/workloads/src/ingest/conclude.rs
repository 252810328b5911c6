//! Figures of this workload's own: rows per second by each path, and one path beside the other.

use duet_verdict::result::{Figure, RunResult, TypeResult};

use super::facts::{COPY, Facts, INGEST, KINDS, ROW};

/// The figure of the rows that the server acknowledged, by its name in results.
pub const ACKNOWLEDGED: &str = "Rows acknowledged";
/// The figure of the rows that were written straight into the database.
pub const BY_SQL: &str = "Rows straight into the database";
/// The figure of both paths in one run, by the mean time of a batch.
pub const BESIDE: &str = "Acknowledged ÷ straight, one batch";

/// Adds the figures of the types that ran.
pub(super) fn conclude(facts: &Facts, result: &mut RunResult) {
    let ran = |kind: usize| {
        let row = result.types.iter().find(|row| row.name == KINDS[kind].0)?;
        (row.completed > 0).then_some(row)
    };
    let rows = |kinds: &[usize]| -> u64 {
        kinds.iter().filter_map(|it| Some(ran(*it)?.completed * facts.rows_of(*it))).sum()
    };
    let mut figures = Vec::new();
    for (name, kinds) in [(ACKNOWLEDGED, &[INGEST, ROW][..]), (BY_SQL, &[COPY])] {
        let rows = rows(kinds) as f64;
        if rows > 0.0 && result.window.measured_s > 0.0 {
            figures.push(Figure::new(name, rows / result.window.measured_s, "/s"));
        }
    }
    let mean = |row: &TypeResult| row.service.mean_us;
    if let (Some(ingest), Some(copy)) = (ran(INGEST).filter(|it| mean(it) > 0.0), ran(COPY)) {
        figures.push(Figure::new(BESIDE, mean(copy) / mean(ingest), "×"));
    }
    result.figures.extend(figures);
}
