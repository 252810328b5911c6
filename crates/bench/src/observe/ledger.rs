//! The ledger: what the client counted over the whole run, compared with the server's counts.
//!
//! A drift is a finding about the measurement, not about the server's speed: another client was
//! active, statements ran that the workload does not know of, or responses came from elsewhere.

use duet_verdict::result::{Ledger, LedgerRow};

use super::service::Answers;
use crate::record::ProcessTotals;

/// Commits that a database counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Commits {
    /// All of them.
    pub all: f64,
    /// The observer's own commits among them, exactly.
    pub own: u64,
    /// Sessions that were opened.
    pub sessions: f64,
    /// Commits of each session before its first transaction.
    pub by_session: f64,
    /// Whether parallel workers were seen. Each of them counts as a transaction too, and no counter
    /// separates them.
    pub parallel: bool,
}

impl Commits {
    /// The client's counts.
    fn of_run(self) -> u64 {
        let rest = self.all - self.own as f64 - self.sessions * self.by_session;
        rest.max(0.0).round() as u64
    }
}

/// The server's counts from before the run's first session to after its last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// The database's count, if the workload uses it directly.
    pub commits: Option<Commits>,
    /// Rows that the database counted as changed, if the workload counts them too.
    pub changed: Option<u64>,
    /// Writing transactions that a SQLite file counts, if the workload counts them too.
    pub writes: Option<u64>,
    /// The service's count, if the workload uses one.
    pub answers: Option<Answers>,
}

/// The client's commits: transactions, and statements that are one by themselves.
fn committed(client: &ProcessTotals) -> u64 {
    client.whole_work.dml.commits + client.whole_work.implicit
}

/// Compares the counts, and explains each drift. `None` if the server counted nothing.
pub fn ledger(client: &ProcessTotals, server: &Counted) -> Option<(Ledger, Vec<String>)> {
    let mut rows = Vec::new();
    let mut words = Vec::new();
    if let Some(commits) = server.commits {
        let row = match commits.parallel {
            false => row("commits", committed(client), commits.of_run()),
            true => at_least("commits, parallel workers' too", committed(client), commits.of_run()),
        };
        words.extend(of_commits(&row, commits.parallel));
        rows.push(row);
    }
    if let Some(changed) = server.changed {
        let row = at_least("rows changed, at least", client.whole_work.changed, changed);
        words.extend(of_rows(&row));
        rows.push(row);
    }
    if let Some(writes) = server.writes {
        let row = row("transactions that wrote", client.whole_work.writes, writes);
        words.extend(of_commits(&row, false));
        rows.push(row);
    }
    if let Some(answers) = &server.answers {
        let answered = of_answers(client, answers);
        words.extend(answered.iter().filter_map(of_status));
        rows.extend(answered);
    }
    if rows.is_empty() {
        return None;
    }
    let balanced = rows.iter().all(|row| row.agrees);
    Some((Ledger { rows, balanced }, words))
}

fn row(what: &str, client: u64, server: u64) -> LedgerRow {
    let row = LedgerRow { what: what.into(), client, server, agrees: false };
    LedgerRow { agrees: row.is_close(), ..row }
}

/// A row whose server side counts more than the client can know.
fn at_least(what: &str, client: u64, server: u64) -> LedgerRow {
    let row = row(what, client, server);
    LedgerRow { agrees: server >= client || row.agrees, ..row }
}

fn of_rows(row: &LedgerRow) -> Option<String> {
    let drift = row.client.abs_diff(row.server);
    match () {
        () if row.is_close() => None,
        () if row.server > row.client => Some(format!(
            "The database changed {drift} rows more than the statements said: triggers, cascades and functions do so, rolled back rows count too, or another client wrote."
        )),
        () => Some(format!(
            "The ledger does not balance: the database changed {drift} rows less than the statements said. They went to another database, or the statistics are not collected (track_counts)."
        )),
    }
}

/// A row for each status class that occurred, and one for all responses.
fn of_answers(client: &ProcessTotals, server: &Answers) -> Vec<LedgerRow> {
    let ours = client.whole_work.statuses;
    let mut theirs = server.by_class;
    let counted: u64 = theirs.iter().sum();
    if let Some(all) = server.all {
        // Rejected before a resource was known: 4xx, or 5xx where the client has seen more of
        // these.
        let mut rest = all.saturating_sub(counted);
        for class in [4, 5, 3, 2] {
            let missing = ours[class].saturating_sub(theirs[class]).min(rest);
            theirs[class] += missing;
            rest -= missing;
        }
    }
    let mut rows = Vec::new();
    for class in (0..6).filter(|class| ours[*class] + theirs[*class] > 0) {
        let what = if class == 0 { "other status".into() } else { format!("status {class}xx") };
        rows.push(row(&what, ours[class], theirs[class]));
    }
    rows.push(row("answers", ours.iter().sum(), server.all.unwrap_or(counted)));
    rows
}

fn of_commits(row: &LedgerRow, parallel: bool) -> Option<String> {
    let drift = row.client.abs_diff(row.server);
    match () {
        () if parallel && row.agrees && !row.is_close() => Some(format!(
            "The database committed {drift} transactions more than the workload counted. Parallel workers were seen, and each is counted as one: use by another client cannot be detected. Set max_parallel_workers_per_gather = 0 to detect it."
        )),
        () if row.agrees => None,
        () if row.server > row.client => Some(format!(
            "The ledger does not balance: the database committed {drift} transactions more than the workload counted. It does not know of some statements (outside of transactions each commits, and so does preparing one), or another client used the database."
        )),
        () => Some(format!(
            "The ledger does not balance: the database committed {drift} transactions less than the workload counted. Something between them caches responses or merges transactions, or the statistics are not collected (track_counts)."
        )),
    }
}

fn of_status(row: &LedgerRow) -> Option<String> {
    let drift = row.client.abs_diff(row.server);
    match () {
        () if row.agrees => None,
        () if row.server > row.client => Some(format!(
            "The ledger does not balance ({}): the service answered {drift} requests more than the client received responses to. Another client used it, or a proxy retried requests, or responses were abandoned.",
            row.what
        )),
        () => Some(format!(
            "The ledger does not balance ({}): the client received {drift} responses more than the service sent. A cache, a proxy or another instance of the service responds in its place.",
            row.what
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(commits: u64, statuses: [u64; 6]) -> ProcessTotals {
        let mut totals = ProcessTotals::new(1);
        totals.whole_work.dml.commits = commits;
        totals.whole_work.statuses = statuses;
        totals
    }

    fn commits(all: f64, own: u64) -> Counted {
        let commits = Commits { all, own, sessions: 16.0, by_session: 3.0, parallel: false };
        Counted { commits: Some(commits), ..Counted::default() }
    }

    #[test]
    fn known_commits_are_subtracted() {
        let (ledger, words) = ledger(&client(1000, [0; 6]), &commits(1748.0, 700)).unwrap();
        assert_eq!((ledger.rows[0].server, ledger.balanced), (1000, true));
        assert!(words.is_empty());
    }

    #[test]
    fn a_drift_has_a_meaning() {
        let drifted = |client_count: u64, server: f64| {
            let told = ledger(&client(client_count, [0; 6]), &commits(server + 48.0, 0)).unwrap();
            (told.0.balanced, told.1.join(""))
        };
        assert!(drifted(1000, 1050.0).0 && drifted(100_000, 100_500.0).0);
        let (balanced, words) = drifted(1000, 1051.0);
        assert!(!balanced && words.contains("51 transactions more"), "{words}");
        let (balanced, words) = drifted(100_000, 99_400.0);
        assert!(!balanced && words.contains("600 transactions less"), "{words}");
    }

    #[test]
    fn parallel_workers_commit_too() {
        let parallel = |all: f64| {
            let commits = Commits { all, parallel: true, ..Commits::default() };
            let counted = Counted { commits: Some(commits), ..Counted::default() };
            let (ledger, words) = ledger(&client(1000, [0; 6]), &counted).unwrap();
            (ledger.balanced, words.join(""))
        };
        assert_eq!(parallel(1040.0), (true, String::new()));
        let (balanced, words) = parallel(2600.0);
        assert!(balanced && words.contains("1600 transactions more"), "{words}");
        let (balanced, words) = parallel(900.0);
        assert!(!balanced && words.contains("100 transactions less"), "{words}");
    }

    #[test]
    fn rows_are_counted_at_least() {
        let held = |client: u64, server: u64| {
            let mut totals = ProcessTotals::new(1);
            totals.whole_work.changed = client;
            totals.whole_work.writes = 9;
            let counted = Counted { changed: Some(server), writes: Some(9), ..Counted::default() };
            let (ledger, words) = ledger(&totals, &counted).unwrap();
            assert!(ledger.rows[1].agrees, "{ledger:?}");
            (ledger.balanced, words.join(""))
        };
        assert_eq!(held(1_000, 1_020), (true, String::new()));
        let (balanced, words) = held(1_000, 2_000);
        assert!(balanced && words.contains("1000 rows more"), "{words}");
        let (balanced, words) = held(1_000, 900);
        assert!(!balanced && words.contains("100 rows less"), "{words}");
    }

    #[test]
    fn answers_by_class() {
        let ours = client(0, [0, 0, 1000, 20, 200, 0]);
        // 200 were rejected before a resource was known.
        let answers = Answers { by_class: [0, 0, 1001, 20, 0, 0], all: Some(1221) };
        let counted = Counted { answers: Some(answers), ..Counted::default() };
        let (found, _) = ledger(&ours, &counted).unwrap();
        let rows: Vec<(&str, u64)> =
            found.rows.iter().map(|row| (row.what.as_str(), row.server)).collect();
        let expected =
            [("status 2xx", 1001), ("status 3xx", 20), ("status 4xx", 200), ("answers", 1221)];
        assert_eq!(rows, expected);
        assert!(found.balanced);
        let cached = Answers { by_class: [0, 0, 400, 20, 200, 0], all: None };
        let counted = Counted { answers: Some(cached), ..Counted::default() };
        let (found, words) = ledger(&ours, &counted).unwrap();
        assert!(!found.balanced && words[0].contains("600 responses more"), "{words:?}");
        assert!(ledger(&ours, &Counted::default()).is_none());
    }
}
