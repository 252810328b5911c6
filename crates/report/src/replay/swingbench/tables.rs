//! The tables: rates beside the published ones, what a transaction costs by layer, what think time allows.

use duet_verdict::result::RunResult;
use duet_verdict::series::Figures;
use duet_verdict::text::Table;

use super::{Published, Runs, USERS};
use crate::summary::MINUTE_S;

fn table(caption: &str, head: &[&str]) -> Table {
    let head = head.iter().map(|name| (*name).to_owned()).collect();
    Table { caption: caption.into(), head, rows: Vec::new() }
}

pub(super) fn rates(published: &Published, runs: &[Runs], server: &str) -> Table {
    let head = [
        "where",
        "workload",
        "processes x connections",
        "Maximum Transactions/min",
        "Average Transactions/sec",
        "from to",
    ];
    let mut table = table("Rates", &head);
    for row in &published.rows {
        table.rows.push(vec![
            format!("{} (published)", row.place),
            row.workload.clone(),
            if row.layout.is_empty() { "not stated".into() } else { row.layout.clone() },
            row.max_tpm.map_or_else(|| "-".into(), |tpm| tpm.to_string()),
            row.tps.to_string(),
            String::new(),
        ]);
    }
    for runs in runs {
        let tps = runs.tps();
        let most = tps.iter().copied().fold(f64::MIN, f64::max);
        let least = tps.iter().copied().fold(f64::MAX, f64::min);
        table.rows.push(vec![
            server.to_owned(),
            runs.variant.workload.into(),
            runs.variant.layout(),
            max_tpm(runs),
            format!("{:.2}", runs.mean(|result| result.totals.tps)),
            format!("{least:.0} to {most:.0}"),
        ]);
    }
    table
}

/// The highest rate of a minute; runs of less than a minute have none.
fn max_tpm(runs: &Runs) -> String {
    let is_long = |result: &RunResult| result.window.measured_s >= MINUTE_S;
    match runs.results.iter().all(is_long) {
        true => format!("{:.0}", runs.mean(|result| result.totals.max_tpm as f64)),
        false => "under a minute".into(),
    }
}

/// What each layer costs order entry.
pub(super) fn layers(runs: &[Runs]) -> Table {
    let head = [
        "workload",
        "processes x connections",
        "avg ms",
        "p95 ms",
        "round trips",
        "bytes sent",
        "bytes received",
        "client CPU µs",
        "server CPU µs",
        "commits/s",
    ];
    let mut table = table("What a transaction of order entry costs here", &head);
    for runs in runs.iter().filter(|runs| runs.variant.workload != "retail") {
        let each = |sum: fn(&RunResult) -> u64| {
            let of = |result: &RunResult| {
                sum(result) as f64 / (result.totals.completed + result.totals.failed).max(1) as f64
            };
            runs.mean(of)
        };
        let of_server: Vec<f64> =
            runs.results.iter().filter_map(|result| Figures::of(result).server_us).collect();
        let of_server = match of_server.len() {
            0 => "-".into(),
            count => format!("{:.0}", of_server.iter().sum::<f64>() / count as f64),
        };
        table.rows.push(vec![
            runs.variant.workload.into(),
            runs.variant.layout(),
            format!("{:.2}", runs.mean(|result| result.totals.service.mean_us / 1000.0)),
            format!("{:.2}", runs.mean(|result| result.totals.service.p95_us as f64 / 1000.0)),
            format!("{:.1}", each(|result| result.totals.round_trips)),
            format!("{:.0}", each(|result| result.totals.sent_bytes)),
            format!("{:.0}", each(|result| result.totals.received_bytes)),
            format!("{:.0}", runs.mean(|result| result.client.cpu_us_per_transaction)),
            of_server,
            format!("{:.0}", runs.mean(|result| Figures::of(result).commits_per_s)),
        ]);
    }
    table
}

/// What bounds retail: users ÷ (think time + service time). The report says neither, so each rate is shown
/// with the time from one transaction of a user to the next, which holds both.
pub(super) fn think(published: &Published, runs: &[Runs], server: &str) -> Table {
    let head = [
        "where",
        "processes x connections",
        "transactions/s",
        "cycle of a user, ms",
        "service, ms",
        "think, ms",
        "ceiling: users / (think + service), 1/s",
    ];
    let mut table = table("Retail: what think time allows", &head);
    for row in published.rows.iter().filter(|row| row.workload == "retail") {
        let cycle = USERS * 1e3 / row.tps.value;
        let (layout, cycle) = match row.layout.as_str() {
            "" => ("not stated".into(), format!("{cycle:.1}, if of {USERS:.0} users")),
            layout => (layout.to_owned(), format!("{cycle:.1}")),
        };
        let unknown = || "not stated".to_owned();
        let (place, tps) = (format!("{} (published)", row.place), row.tps.to_string());
        // With whatever think time it had, its ceiling was no lower.
        let ceiling = format!("{tps} or more");
        table.rows.push(vec![place, layout, tps, cycle, unknown(), unknown(), ceiling]);
    }
    for runs in runs.iter().filter(|runs| runs.variant.workload == "retail") {
        let tps = runs.mean(|result| result.totals.tps);
        let service = runs.mean(|result| result.totals.service.mean_us / 1e3);
        let think = runs.mean(|result| result.load.think_ms.iter().sum::<f64>() / 2.0);
        table.rows.push(vec![
            server.to_owned(),
            runs.variant.layout(),
            format!("{tps:.2}"),
            if tps > 0.0 { format!("{:.1}", USERS * 1e3 / tps) } else { "-".into() },
            format!("{service:.1}"),
            format!("{think:.1}"),
            match service + think {
                cycle if cycle > 0.0 => format!("{:.2}", USERS * 1e3 / cycle),
                _ => "-".into(),
            },
        ]);
    }
    table
}
