//! Figures of this workload's own: what the proposals of the published report bring, beside what it claims.

use duet_verdict::result::{Figure, RunResult};

use super::facts::KINDS;

/// A proposal: what is compared, by the short names of types, the claimed factor, and whether the second's rows count.
struct Proposal {
    name: &'static str,
    slow: &'static str,
    fast: &'static str,
    is_batch: bool,
}

const PROPOSALS: [Proposal; 2] = [
    Proposal {
        name: "Batch, rows beside CREATE (claimed 10)",
        slow: "CREATE",
        fast: "BATCH",
        is_batch: true,
    },
    Proposal {
        name: "INSERT without explicit COMMIT (claimed 1.3)",
        slow: "SQLTX",
        fast: "SQL",
        is_batch: false,
    },
];

/// Adds the figures of the types that ran.
pub(super) fn conclude(batch_rows: usize, result: &mut RunResult) {
    let mean = |short: &str| {
        let place = KINDS.iter().position(|(_, known)| *known == short)?;
        let row = result.types.iter().find(|row| row.name == KINDS[place].0)?;
        (row.completed > 0 && row.service.mean_us > 0.0).then_some(row.service.mean_us)
    };
    let mut figures = Vec::new();
    for proposal in &PROPOSALS {
        let (Some(slow), Some(fast)) = (mean(proposal.slow), mean(proposal.fast)) else { continue };
        let rows = if proposal.is_batch { batch_rows as f64 } else { 1.0 };
        figures.push(Figure::new(proposal.name, slow * rows / fast, "×"));
    }
    if let (Some(create), Some(sql)) = (mean("CREATE"), mean("SQL")) {
        figures.push(Figure::new("CREATE beside the same INSERT by SQL", create / sql, "×"));
    }
    result.figures.extend(figures);
}
