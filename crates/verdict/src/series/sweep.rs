//! Formats a sweep as a table: each point with its mean and standard deviation over the rounds.

use super::figures::TrialFigures;
use super::interleaved::InterleavedTrials;
use crate::judge::scaling::{self, LoadLevel};
use crate::judge::{deviation, mean};
use crate::text::{TextTable, figure};

/// A column: its name and its accessor.
type Column = (&'static str, fn(&TrialFigures) -> Option<f64>);

const COLUMNS_OF_SWEEP: [Column; 6] = [
    ("avg ms", |it| Some(it.mean_ms)),
    ("p95 ms", |it| Some(it.p95_ms)),
    ("p99 ms", |it| it.p99_ms),
    ("bytes each", |it| Some(it.bytes_each)),
    ("client µs each", |it| Some(it.client_us)),
    ("failed %", |it| Some(it.failed_share * 100.0)),
];

const COLUMNS_OF_TRANSPORTS: [Column; 6] = [
    ("avg ms", |it| Some(it.mean_ms)),
    ("commits/s", |it| Some(it.commits_per_s)),
    ("Mbit/s", |it| Some(it.mbit_per_s)),
    ("bytes each", |it| Some(it.bytes_each)),
    ("client µs each", |it| Some(it.client_us)),
    ("server µs each", |it| it.server_us),
];

/// The table of a sweep.
pub fn points(names: &[String], trials: &InterleavedTrials) -> TextTable {
    rows("Points", "", &COLUMNS_OF_SWEEP, names, trials)
}

/// The table of transports to one database.
pub fn transports(names: &[String], trials: &InterleavedTrials) -> TextTable {
    rows("Transports", "", &COLUMNS_OF_TRANSPORTS, names, trials)
}

fn rows(
    caption: &str,
    first: &str,
    columns: &[Column],
    names: &[String],
    trials: &InterleavedTrials,
) -> TextTable {
    let mut head = vec![first.to_owned(), "per s".into(), "spread".into()];
    head.extend(columns.iter().map(|(name, _)| (*name).to_owned()));
    let row = |(side, name): (usize, &String)| {
        let these = trials.of(side);
        let per_s: Vec<f64> = these.iter().map(|it| it.per_s).collect();
        let mut row = vec![name.clone(), of(&per_s), spread(&per_s)];
        row.extend(columns.iter().map(|(_, pick)| {
            let known: Option<Vec<f64>> = these.iter().map(pick).collect();
            of(&known.unwrap_or_default())
        }));
        row
    };
    TextTable { caption: caption.into(), head, rows: names.iter().enumerate().map(row).collect() }
}

/// The mean; `None` if a round lacks the figure.
fn of(values: &[f64]) -> String {
    if values.is_empty() { "n/a".into() } else { figure(mean(values)) }
}

/// The standard deviation over the rounds, as a share of the mean.
fn spread(values: &[f64]) -> String {
    match mean(values) {
        middle if values.len() > 1 && middle > 0.0 => {
            format!("{:.1} %", deviation(values) / middle * 100.0)
        }
        _ => "n/a".into(),
    }
}

/// The summary of how throughput scales with users; `None` for fewer than six levels.
pub fn law(users: &[u32], trials: &InterleavedTrials) -> Option<String> {
    let mut levels = Vec::new();
    for (side, users) in users.iter().enumerate() {
        let per_s: Vec<f64> = trials.of(side).iter().map(|it| it.per_s).collect();
        let variance = match per_s.len() {
            0 | 1 => 0.0,
            count => deviation(&per_s).powi(2) / count as f64,
        };
        levels.push(LoadLevel { users: f64::from(*users), per_s: mean(&per_s), variance });
    }
    scaling::fit(&levels).map(|fit| fit.sentence())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_means_and_deviations() {
        let mut trials = InterleavedTrials::new(2, 2, false);
        for (per_s, p99_ms) in
            [(100.0, Some(1.0)), (300.0, None), (300.0, Some(3.0)), (110.0, None)]
        {
            trials.take(TrialFigures {
                per_s,
                p99_ms,
                commits_per_s: 7.0,
                ..TrialFigures::default()
            });
        }
        let names = ["1 user".to_owned(), "2 users".to_owned()];
        let table = points(&names, &trials);
        assert_eq!(table.rows[0][..3], ["1 user", "105.0", "6.7 %"]);
        assert_eq!(table.rows[1][..3], ["2 users", "300.0", "0.0 %"]);
        assert_eq!((&*table.rows[0][5], &*table.rows[1][5]), ("n/a", "n/a"));
        let table = transports(&names, &trials);
        assert_eq!((&*table.head[4], &*table.rows[0][4]), ("commits/s", "7.000"));
        assert_eq!(table.rows[0][8], "n/a", "the server was not observed");
        assert_eq!(law(&[1, 2], &trials), None);
    }

    #[test]
    fn fits_the_scalability_law_to_users() {
        let users = [1, 2, 4, 8, 16, 32];
        let mut trials = InterleavedTrials::new(users.len(), 1, false);
        while let Some(trial) = trials.next_trial() {
            let n = f64::from(users[trial.side]);
            trials.take(TrialFigures {
                per_s: 100.0 * n / (1.0 + 0.1 * (n - 1.0)),
                ..TrialFigures::default()
            });
        }
        assert_eq!(
            law(&users, &trials).unwrap(),
            "No peak seen up to 64 users; it saturates near 1000/s."
        );
    }
}
