//! Figures of this workload's own: the rows of batches, and `CREATE` beside the same `INSERT` by SQL.

use duet_verdict::result::{Figure, RunResult, TypeResult};

use super::facts::KINDS;

/// The figure of the rows that batches create, by its name in results.
pub const BATCH_ROWS: &str = "Rows created by BATCH";

/// Adds the figures of the types that ran.
pub(super) fn conclude(batch_rows: usize, result: &mut RunResult) {
    let ran = |short: &str| {
        let place = KINDS.iter().position(|(_, known)| *known == short)?;
        let row = result.types.iter().find(|row| row.name == KINDS[place].0)?;
        (row.completed > 0).then_some(row)
    };
    let mut figures = Vec::new();
    if let (Some(batch), true) = (ran("BATCH"), result.window.measured_s > 0.0) {
        let rows = batch.completed as f64 * batch_rows as f64;
        figures.push(Figure::new(BATCH_ROWS, rows / result.window.measured_s, "/s"));
    }
    let mean = |row: &TypeResult| row.service.mean_us;
    if let (Some(create), Some(sql)) = (ran("CREATE"), ran("SQL").filter(|row| mean(row) > 0.0)) {
        let factor = mean(create) / mean(sql);
        figures.push(Figure::new("CREATE beside the same INSERT by SQL", factor, "×"));
    }
    result.figures.extend(figures);
}
