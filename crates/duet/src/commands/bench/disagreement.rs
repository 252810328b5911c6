//! What a run says whose counts or data disagree.

use duet_verdict::result::{LedgerRow, RunResult};

/// The text of [`Disagreement`](super::ending::MeasurementEnding::Disagreement). A server that counted more than the run
/// sent may have had other clients, such as a second run beside this one.
pub(super) fn disagreement(result: &RunResult) -> String {
    let mut text = "error: counts or data do not agree: see the marked lines above\n".to_owned();
    let rows = result.ledger.iter().flat_map(|ledger| &ledger.rows);
    let wrong: Vec<&LedgerRow> = rows.filter(|row| !row.agrees).collect();
    if !wrong.is_empty() && wrong.iter().all(|row| row.server > row.client) {
        text += "The server counted more than this run sent: if others load it meanwhile, give --shared to each.\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::Ledger;

    use super::*;

    #[test]
    fn others_are_named_where_the_server_counted_more() {
        let said = |rows: &[(u64, u64)]| {
            let row = |(client, server): &(u64, u64)| LedgerRow {
                what: "commits".into(),
                client: *client,
                server: *server,
                agrees: client == server,
            };
            let rows = rows.iter().map(row).collect();
            let ledger = Some(Ledger { rows, balanced: false });
            disagreement(&RunResult { ledger, ..RunResult::default() })
        };
        assert!(said(&[(1, 2), (3, 3)]).contains("--shared"));
        assert!(!said(&[(1, 2), (4, 3)]).contains("--shared"));
        assert!(!said(&[(3, 3)]).contains("--shared"));
    }
}
