//! The result of a run: one JSON file, versioned, that says everything needed to trust a figure and
//! to repeat it. Every key names its unit. It never holds a secret.

mod consistent;
mod file;
mod log;
mod log_check;
mod merge;
mod percentiles;
mod silence;
mod user_time;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::dml::Dml;
pub(crate) use consistent::{Checks, ROUNDED};
pub use consistent::{Statement, consistent};
pub use file::{Head, check_times, not_a_result, wrong};
pub use log::{LogLine, LogReader, MergedLog, RESPONSE, log_head, log_lines, log_tag};
pub use log_check::compare_log;
pub use merge::{merge, merge_logs};
pub use percentiles::{Percentiles, needed};
pub use silence::{MOST_SILENT, Silence};

/// The version of the file's form. A change that older readers would misread raises it.
///
/// Version 3: failures by message and checks are of the transactions due in the window, with those outside of it beside them.
/// Version 2: counts and times are of the transactions due in the window, rates of those that ended in it; failures and checks
/// were of the whole run. Version 1 had only transactions that began and ended in the window.
pub const VERSION: u32 = 3;

/// The share of its arrivals that an open run must begin in the measured time.
pub const ACHIEVED: f64 = 0.99;
/// Between the name of a part and its threshold, in a merged result.
pub const PART: &str = ": ";
/// What a run ended by that a threshold ended before its plan.
pub const ABORTED: &str = "threshold";
/// What a run ended by whose process was killed.
pub const KILLED: &str = "killed";
/// Processors that others on the machine may use while it measures.
pub const OTHERS: f64 = 0.3;

/// A run and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunResult {
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// The program that measured, with its version.
    pub tool: String,
    /// The workload's name.
    pub workload: String,
    /// A name for this run in comparisons; the user's comment.
    pub name: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// What was measured.
    pub target: TargetFacts,
    /// How it was loaded.
    pub load: LoadFacts,
    /// The machine that measured.
    pub host: HostFacts,
    /// The agents that ran its processes; empty where this machine did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentResult>,
    /// How long, and why it ended.
    pub window: Window,
    /// All types together, those due in the measured window; rates are of those that ended in it.
    pub totals: Totals,
    /// Each type of transaction, counted in the same way.
    pub types: Vec<TypeResult>,
    /// Each process of the layout.
    pub processes: Vec<ProcessResult>,
    /// The whole run, ramp and warm-up included, second by second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<Second>,
    /// What failed, by kind and words, most frequent first; at most [`FailureRow::MOST`] rows.
    pub failures: Vec<FailureRow>,
    /// The answers' checks by name.
    pub checks: Vec<CheckRow>,
    /// The counts compared with the server's own.
    pub ledger: Option<Ledger>,
    /// What the database counted from the first to the last measured moment, by its own names.
    pub database: BTreeMap<String, f64>,
    /// Average active sessions by what they waited for, from samples.
    pub waits: BTreeMap<String, f64>,
    /// The statements that took most of the database's time over the whole run; empty where the database does not
    /// count them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<SqlStatement>,
    /// What the measuring processes cost.
    pub client: ClientHealth,
    /// Limits that the user set, and whether they held.
    pub thresholds: Vec<Threshold>,
    /// The percentage of transactions that might fail (`--errors`), where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors_percent: Option<f64>,
    /// Figures that this load or this workload's method has beside the usual ones.
    pub figures: Vec<Figure>,
    /// What was answered first, by question: a run with the same data and seed is answered alike.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, Answer>,
    /// Statements about the data that held or did not after the run.
    pub invariants: Vec<Invariant>,
    /// What a reader must know before trusting a figure, in plain words.
    pub warnings: Vec<String>,
    /// What people wrote about moments of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// What somebody wrote about a moment of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The second, from the run's beginning.
    pub at_s: u64,
    /// The text, in one line.
    pub text: String,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetFacts {
    /// `http`, `postgres` or `sqlite`.
    pub kind: String,
    /// Where it is, without user and password.
    pub address: String,
    /// How it is reached: `tcp`, `unix`, `in process`.
    pub transport: String,
    /// The server's name and version as it says itself.
    pub server: String,
    /// Settings of the database that matter to figures, by their names there.
    pub settings: BTreeMap<String, String>,
    /// The data: scale, rows by table.
    pub data: BTreeMap<String, String>,
}

/// How it was loaded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadFacts {
    /// `closed` (users that wait for their answers) or `open` (arrivals that do not).
    pub model: String,
    /// Users, all processes together; in an open run as many can be under way at once.
    pub users: u32,
    /// Processes times users each, such as `2x8`.
    pub layout: String,
    /// Offered arrivals per second, where the model is open.
    pub rate_per_s: Option<f64>,
    /// `constant` or `poisson`, where the model is open.
    pub arrivals: Option<String>,
    /// Think time between transactions, from and to.
    pub think_ms: [f64; 2],
    /// Think time inside transactions, from and to; it is not part of the clocks.
    pub think_inside_ms: [f64; 2],
    /// From start to start of a user's transactions, where they are paced.
    pub pacing_ms: Option<f64>,
    /// The longest wait for a response, which fails behind it; absent in results of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
    /// While users start.
    pub ramp_up_s: f64,
    /// Before what counts.
    pub warm_up_s: f64,
    /// After what counts.
    pub cool_down_s: f64,
    /// Of the random numbers.
    pub seed: u64,
    /// Weight by type, those enabled.
    pub mix: BTreeMap<String, f64>,
    /// Further options of the workload.
    pub options: BTreeMap<String, String>,
}

/// The machine that measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFacts {
    /// The processors' name.
    pub cpu: String,
    /// Processors that this process may use.
    pub cpus: u32,
    /// Memory.
    pub memory_mb: u64,
    /// Kernel and its version.
    pub kernel: String,
    /// Load average of the minute before the run.
    pub load_before: f64,
}

/// The offset of clocks in a run, in microseconds, above which its seconds are in doubt.
const CLOCK_DOUBT_US: f64 = 10_000.0;

/// An agent: another machine that ran processes of the layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentResult {
    /// Its host and port.
    pub address: String,
    /// Its machine.
    pub host: HostFacts,
    /// The processes of the layout that it ran.
    pub processes: Vec<u32>,
    /// The most by which its beginning may have differed from that of the others: half of a round trip to it.
    pub clock_uncertainty_us: f64,
    /// By how much its clock moved against this machine's during the run; `None` where it could not be read again.
    pub clock_drift_us: Option<f64>,
    /// Its time of day minus this machine's.
    pub time_difference_ms: f64,
}

impl AgentResult {
    /// What a reader must know about its clock before trusting a second of the run.
    pub fn doubt(&self) -> Option<String> {
        let Self { address, clock_uncertainty_us: uncertain, clock_drift_us: drift, .. } = self;
        let ms = |us: f64| us / 1000.0;
        match drift {
            None => Some(format!(
                "The clock of the agent {address} could not be read after the run: its seconds may not be those of the others."
            )),
            Some(moved) if *moved > CLOCK_DOUBT_US => Some(format!(
                "The clock of the agent {address} moved by {:.1} ms during the run: its last seconds are not those of the others.",
                ms(*moved)
            )),
            Some(_) if *uncertain > CLOCK_DOUBT_US => Some(format!(
                "The agent {address} began within {:.1} ms of the others: its seconds are not quite theirs.",
                ms(*uncertain)
            )),
            Some(_) => None,
        }
    }
}

/// How long, and why it ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Window {
    /// The measured window's beginning, from the run's.
    pub from_s: f64,
    /// Its length.
    pub measured_s: f64,
    /// The whole run.
    pub total_s: f64,
    /// `duration`, `transactions`, `iterations`, `groups`, `interrupted`, `threshold`, `killed` or `failed`.
    pub ended_by: String,
    /// Connecting all users.
    pub logon_s: f64,
    /// So long at most transactions that were due in the window were followed after its end.
    pub grace_s: f64,
}

/// All types together. `offered` = `completed` + `failed` + `unfinished` + `unsent`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Due in the window and completed with success, in it or after it.
    pub completed: u64,
    /// Due in the window and failed, of whatever kind.
    pub failed: u64,
    /// Due in the window, begun, and not ended when the drain ended.
    pub unfinished: u64,
    /// Completed in the window, whenever they began.
    pub completed_in_window: u64,
    /// Failed in the window, whenever they began.
    pub failed_in_window: u64,
    /// Throughput: completed in the window ÷ measured time ("Average Transactions/sec"). Failures are never in it, by
    /// whatever name it is shown.
    pub tps: f64,
    /// Completed and failed in the window ÷ measured time: what the server was loaded with.
    #[serde(alias = "throughput_per_s")]
    pub ended_per_s: f64,
    /// Transactions under way in the window, on average: the time that users spent in them, as far as it lies in the window, ÷
    /// measured time.
    pub under_way: f64,
    /// The time within the window that users spent in transactions that were not answered: those that a timeout ended,
    /// and those that had not ended when the run stopped following them.
    pub unanswered_s: f64,
    /// The highest sum of 60 consecutive seconds of the whole run ("Maximum Transactions/min").
    pub max_tpm: u64,
    /// By outcome, those that occurred.
    pub outcomes: BTreeMap<String, u64>,
    /// Due in the window: arrivals that the plan placed in it; where there is no plan, those begun in it.
    pub offered: Option<u64>,
    /// Begun more than 1 ms after their time; the sum of the next two.
    pub late: u64,
    /// Those of them for which a user was idle at the due moment: the client was the bottleneck.
    pub late_by_client: u64,
    /// Those of them for which all users were busy: the server was the limit, or there were too few users.
    pub late_by_server: u64,
    /// Due in the window and never begun.
    pub unsent: u64,
    /// Due in the window and begun after its end, or never.
    pub backlog: u64,
    /// How long those that were never begun had waited, as the histograms of the types; empty where there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unsent_histogram: String,
    /// From real begin to end.
    pub service: Percentiles,
    /// From intended begin to end; in a closed run the same as `service`.
    pub response: Percentiles,
    /// How late transactions began.
    pub lag: Percentiles,
    /// The histogram of that, as those of the types; empty where it was not kept.
    pub lag_histogram: String,
    /// Bytes that the client sent. Over TLS, and to databases, as they leave the program; of plain HTTP
    /// that is the same. 0 where nothing goes over a wire: SQLite runs in the measuring process.
    pub sent_bytes: u64,
    /// Bytes that it received.
    pub received_bytes: u64,
    /// Round trips to the server.
    pub round_trips: u64,
    /// Statements as the workload declares them.
    pub dml: Dml,
    /// Statements outside of transactions, each of which the database commits by itself.
    pub implicit_commits: u64,
    /// Connections that users opened anew.
    pub reconnects: Reconnects,
}

/// Connections that users opened anew, after one was lost or closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reconnects {
    /// Connections that were made.
    pub opened: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// How long all of them took; it is part of the transactions' times.
    pub connecting_s: f64,
    /// How long users waited before they tried again; it is part of no time.
    pub backing_off_s: f64,
}

impl Reconnects {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.opened += other.opened;
        self.failed += other.failed;
        self.connecting_s += other.connecting_s;
        self.backing_off_s += other.backing_off_s;
    }
}

/// One type of transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TypeResult {
    /// Its name.
    pub name: String,
    /// Its short name, as columns have it.
    pub short: String,
    /// Due in the window and completed with success.
    pub completed: u64,
    /// Due in the window and failed.
    pub failed: u64,
    /// Due in the window and not ended when the drain ended.
    pub unfinished: u64,
    /// Completed in the window, whenever they began.
    pub completed_in_window: u64,
    /// Failed in the window, whenever they began.
    pub failed_in_window: u64,
    /// By outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// From real begin to end.
    pub service: Percentiles,
    /// From intended begin to end.
    pub response: Percentiles,
    /// Statements.
    pub dml: Dml,
    /// Round trips.
    pub round_trips: u64,
    /// Bytes sent and received.
    pub bytes: u64,
    /// The histogram of service times in microseconds: HdrHistogram V2, deflated, base64.
    pub service_histogram: String,
    /// The same of response times.
    pub response_histogram: String,
    /// The least that the unfinished ones took, and those that a timeout ended; empty where there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unfinished_service_histogram: String,
    /// The same from their intended begin.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unfinished_response_histogram: String,
}

/// One process of the layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessResult {
    /// Its number, from 0.
    pub index: u32,
    /// Its users.
    pub users: u32,
    /// Due in the measured window and completed.
    pub completed: u64,
    /// Due in it and failed.
    pub failed: u64,
    /// Due in it, begun, and not ended when the drain ended.
    pub unfinished: u64,
    /// Completed in it, whenever they began, ÷ the whole measured time, not the process's own.
    pub tps: f64,
    /// The 95th percentile of its service times.
    pub p95_us: u64,
    /// Its processor time.
    pub cpu_s: f64,
    /// Whether it was still there at the end.
    pub finished: bool,
    /// Users of it that a fault of the client ended.
    pub lost_users: u32,
}

/// A second of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Second {
    /// Its number from the run's beginning.
    pub at_s: u64,
    /// `ramp`, `warm-up`, `measure`, `cool-down`, or `drain` while what was due in the window is followed to its end.
    pub phase: String,
    /// The most users with a connection.
    pub users: u32,
    /// Transactions that ended in it with success.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Arrivals that the plan places in it, where the model is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_per_s: Option<f64>,
    /// Service times in it. Percentiles of 0 with a count are not known: they were merged without their
    /// histograms.
    pub service: Percentiles,
    /// Response times in it, as above.
    pub response: Percentiles,
    /// Completed by type, in the order of [`RunResult::types`].
    pub by_type: Vec<u64>,
    /// Mean service time by type in microseconds, in the same order.
    pub mean_us_by_type: Vec<f64>,
    /// Failed by type, in the same order; empty where it was not kept.
    pub failed_by_type: Vec<u64>,
    /// The histogram of response times in this second, in microseconds: HdrHistogram V2, deflated,
    /// base64. Intervals of percentiles are drawn from these; empty where it was not kept.
    pub response_histogram: String,
    /// What was observed of machine and database in this second, by name: `cpu.user` in percent of
    /// all processors, `disk.write_mb`, `net.mbit`, `db.commits`, `db.wal_mb`, `wait.Lock` in
    /// sessions, and so on.
    pub observed: BTreeMap<String, f64>,
}

/// What failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailureRow {
    /// The type's name.
    pub transaction: String,
    /// The outcome's name.
    pub outcome: String,
    /// The message of the server or the client, cut at 300 characters.
    #[serde(alias = "said")]
    pub message: String,
    /// How often, of the transactions that were due in the window.
    pub count: u64,
    /// How often otherwise: before the window, after it, or when they were followed no longer.
    #[serde(skip_serializing_if = "is_none")]
    pub outside: u64,
}

impl FailureRow {
    /// The most rows of a result, beside those of [`Self::OTHER`].
    pub const MOST: usize = 100;

    /// The message of all failures of a type and an outcome that have no row of their own.
    pub const OTHER: &str = "(other words)";

    /// The most frequent rows first, those of the window before the others. Those behind [`Self::MOST`] are counted
    /// together.
    pub fn most_frequent(rows: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let (others, mut rows): (Vec<Self>, Vec<Self>) =
            rows.into_iter().partition(|row| row.message == Self::OTHER);
        let most_first = |row: &Self| std::cmp::Reverse((row.count, row.outside));
        rows.sort_by_key(most_first);
        let rest = rows.split_off(rows.len().min(Self::MOST));
        let mut together: Vec<Self> = Vec::new();
        for row in others.into_iter().chain(rest) {
            let is_alike =
                |it: &&mut Self| (&it.transaction, &it.outcome) == (&row.transaction, &row.outcome);
            match together.iter_mut().find(is_alike) {
                Some(sum) => {
                    sum.count += row.count;
                    sum.outside += row.outside;
                }
                None => together.push(Self { message: Self::OTHER.into(), ..row }),
            }
        }
        rows.extend(together);
        rows.sort_by_key(most_first);
        rows
    }
}

/// A check of responses, counted where it is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckRow {
    /// Its name, with the type of transaction that makes it.
    pub name: String,
    /// That type's short name; empty for checks that belong to none, such as those of a login.
    pub transaction: String,
    /// Responses that passed, in transactions that were due in the window.
    pub passed: u64,
    /// Responses that did not.
    pub failed: u64,
    /// Responses that passed elsewhere: in setup and logins, and in transactions that began outside of the window.
    #[serde(skip_serializing_if = "is_none")]
    pub passed_outside: u64,
    /// Responses that did not.
    #[serde(skip_serializing_if = "is_none")]
    pub failed_outside: u64,
}

impl CheckRow {
    /// Whether it was made at all.
    pub fn was_made(&self) -> bool {
        self.passed + self.failed + self.passed_outside + self.failed_outside > 0
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.passed_outside += other.passed_outside;
        self.failed_outside += other.failed_outside;
    }

    /// Rows of several results or processes as one of each name, in their order.
    pub fn sum<'a>(rows: impl IntoIterator<Item = &'a Self>) -> Vec<Self> {
        let mut sums: Vec<Self> = Vec::new();
        for row in rows {
            match sums.iter_mut().find(|known| known.name == row.name) {
                Some(known) => known.add(row),
                None => sums.push(row.clone()),
            }
        }
        sums
    }
}

/// The client's count compared with the server's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// Each counter that was compared.
    pub rows: Vec<LedgerRow>,
    /// Whether all of them agree: no drift over 0.5 % and over 50.
    pub balanced: bool,
}

/// A counter of both sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerRow {
    /// What is counted: `commits`, `status 2xx`, `answers`.
    pub what: String,
    /// By the client, over the whole run.
    pub client: u64,
    /// By the server.
    pub server: u64,
    /// Whether they agree.
    pub agrees: bool,
}

impl LedgerRow {
    /// A difference up to this share of the larger count is accepted.
    const SHARE: f64 = 0.005;
    /// A difference up to this number is accepted too: starting sessions, requests in flight at the end, the
    /// database's own work.
    const FEW: u64 = 50;

    /// Whether the difference between both counts is accepted.
    pub fn is_close(&self) -> bool {
        let drift = self.client.abs_diff(self.server);
        drift <= Self::FEW || drift as f64 <= Self::SHARE * self.client.max(self.server) as f64
    }
}

/// What the measuring processes cost, over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientHealth {
    /// Processor time.
    pub cpu_s: f64,
    /// The same per completed transaction.
    pub cpu_us_per_transaction: f64,
    /// The largest share of the run in which the thread of one process's users ran. A second may have had more.
    #[serde(skip_serializing_if = "is_zero")]
    pub thread_share: f64,
    /// The largest share of the run that a process's users waited, on average, while the client recorded others.
    #[serde(skip_serializing_if = "is_zero")]
    pub recording_share: f64,
    /// The largest share of a second in which one of its threads ran; of a process's threads together,
    /// where they could not be observed.
    pub busiest_share: f64,
    /// Resident memory at its largest.
    pub memory_mb: f64,
    /// Whether the client was the bottleneck: more than 1 % of the transactions began late although a user was idle, and
    /// its own threads were busy, or nothing else explains it; or users waited long while it recorded others.
    pub was_the_limit: bool,
    /// Whether as many began late because others used the processors.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub was_held_up: bool,
    /// Whether one of its threads used more than 80 % of a processor: throughput may be limited by the client.
    pub was_busy: bool,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl ClientHealth {
    /// Whether the figures may be the client's rather than the server's.
    pub fn is_in_doubt(&self) -> bool {
        self.was_the_limit || self.was_busy || self.was_held_up
    }
}

/// What a database counted of a statement, over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SqlStatement {
    /// Its text with placeholders instead of values.
    pub query: String,
    /// How often it ran.
    pub calls: u64,
    /// How long all of them took.
    pub total_ms: f64,
    /// Rows that were returned or changed.
    pub rows: u64,
    /// Pages that were found in the database's memory.
    pub blocks_hit: u64,
    /// Pages that were not.
    pub blocks_read: u64,
}

/// A limit that the user set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Threshold {
    /// As it was typed: `p99<20ms`.
    pub rule: String,
    /// The measured value, in the unit of the rule; absent if the run cannot decide.
    pub measured: Option<f64>,
    /// Whether that is the least that it can be, because transactions did not end; then no limit holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Whether it held.
    pub passed: bool,
    /// Why nothing was measured.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A figure beside the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit; empty where it is a plain number.
    pub unit: String,
}

impl Figure {
    /// A figure by its name, value and unit.
    pub fn new(name: &str, value: f64, unit: &str) -> Self {
        Self { name: name.into(), value, unit: unit.into() }
    }
}

/// The rows that a question was answered with, as far as answers are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// How many.
    pub rows: u64,
    /// A hash of them, in hexadecimal digits.
    pub hash: String,
}

/// A statement about the data after the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Invariant {
    /// The statement.
    pub name: String,
    /// Whether it held.
    pub passed: bool,
    /// What was found.
    pub found: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_failures_are_counted_together() {
        let row = |message: String, count| FailureRow {
            transaction: "A".into(),
            outcome: "check".into(),
            message,
            count,
            outside: 1,
        };
        // Each of two processes has its own hundred, and a row of the others.
        let rows = (0..200).map(|n| row(format!("it is {n}"), 1 + n));
        let others = (0..2).map(|_| row(FailureRow::OTHER.into(), 1_000));
        let kept = FailureRow::most_frequent(rows.chain(others));
        assert_eq!(kept.len(), FailureRow::MOST + 1);
        assert_eq!(kept[0].message, FailureRow::OTHER);
        assert_eq!(kept[0].count, 2 * 1_000 + (1..=100).sum::<u64>());
        assert_eq!(kept.iter().map(|row| row.count).sum::<u64>(), 2_000 + (1..=200).sum::<u64>());
        assert_eq!(kept.iter().map(|row| row.outside).sum::<u64>(), 202);
        assert_eq!(FailureRow::most_frequent([row("a".into(), 1)]).len(), 1);
    }
}
