//! Figures of this workload's own: the rows that are created, and `CREATE` beside the same `INSERT` by SQL.

use duet_verdict::result::{Figure, RunResult, TypeResult};

use super::facts::KINDS;

/// The figure of the rows that requests create, by its name in results.
pub const ROWS_CREATED: &str = "Rows created";

/// Adds the figures of the types that ran.
pub(super) fn conclude(batch_rows: usize, result: &mut RunResult) {
    let ran = |short: &str| {
        let place = KINDS.iter().position(|(_, known)| *known == short)?;
        let row = result.types.iter().find(|row| row.name == KINDS[place].0)?;
        (row.completed > 0).then_some(row)
    };
    let mut figures = Vec::new();
    let rows =
        |short: &str, each: usize| ran(short).map_or(0.0, |row| row.completed as f64 * each as f64);
    let rows = rows("CREATE", 1) + rows("BATCH", batch_rows);
    if rows > 0.0 && result.window.measured_s > 0.0 {
        figures.push(Figure::new(ROWS_CREATED, rows / result.window.measured_s, "/s"));
    }
    let mean = |row: &TypeResult| row.service.mean_us;
    if let (Some(create), Some(sql)) = (ran("CREATE"), ran("SQL").filter(|row| mean(row) > 0.0)) {
        let factor = mean(create) / mean(sql);
        figures.push(Figure::new("CREATE beside the same INSERT by SQL", factor, "×"));
    }
    result.figures.extend(figures);
}
