//! The data model of a user's file. The command that reads the file converts TOML into this.

mod scalar;
mod step;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use scalar::{OneOrMore, Scalar};
pub use step::{
    After, Cache, Capture, Choose, Each, Follow, FormPart, Go, How, Http, KeepCookies, Limit,
    Login, Pace, Parameter, Part, PauseDistribution, ResponseCheck, Step, TextCheck, Wait,
};

/// A workload: types of transactions that are drawn by weight, or groups of users with their own steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Settings of the whole workload.
    pub workload: About,
    /// Feeders of values, by the names that placeholders use.
    #[serde(default)]
    pub feeders: BTreeMap<String, Feeder>,
    /// The types of transactions.
    #[serde(default)]
    pub transaction: Vec<Transaction>,
    /// Groups of users.
    #[serde(default)]
    pub group: Vec<Group>,
}

impl Definition {
    /// Whether any step of its transactions and groups is a statement, however deep it is in others.
    pub fn has_statements(&self) -> bool {
        self.transaction.iter().any(|it| has_statements(&it.step))
            || self.group.iter().any(|it| has_statements(&it.step))
    }

    /// Replaces values by those that a run is given: those that users begin with under this name, and those that all share.
    pub fn give(&mut self, given: impl IntoIterator<Item = (String, String)>) {
        for (name, value) in given {
            if let Some(own) = self.workload.values.get_mut(&name) {
                *own = match value.parse::<i64>() {
                    Ok(number) if number.to_string() == value => Scalar::Whole(number),
                    // Where placeholders are refused, this is how a text has their sign.
                    _ if !self.workload.keep_unset => Scalar::Text(value.replace("${", "$${")),
                    _ => Scalar::Text(value.clone()),
                };
            }
            self.workload.shared.insert(name, value);
        }
    }

    /// The files that it reads: those of feeders, and parts of requests.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> =
            self.feeders.values().filter_map(|feeder| feeder.csv.as_deref()).collect();
        let about = &self.workload;
        let own = [&about.setup, &about.login, &about.teardown];
        let transactions = self.transaction.iter().map(|transaction| &transaction.step);
        let groups = self.group.iter().map(|group| &group.step);
        for steps in own.into_iter().chain(transactions).chain(groups) {
            files_of(steps, &mut files);
        }
        files
    }
}

fn has_statements(steps: &[Step]) -> bool {
    steps.iter().any(|step| {
        step.sql.is_some() || has_statements(&step.step) || has_statements(&step.otherwise)
    })
}

/// The files of parts of requests.
fn files_of<'a>(steps: &'a [Step], files: &mut Vec<&'a str>) {
    for step in steps {
        let parts = step.http.iter().flat_map(|http| &http.parts);
        files.extend(parts.filter_map(|part| part.file.as_deref()));
        files_of(&step.step, files);
        files_of(&step.otherwise, files);
    }
}

/// Settings of the whole workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The workload's name.
    pub name: String,
    /// The target, unless the command line names one.
    pub target: Option<String>,
    /// Header fields of every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Steps that run once before the run.
    #[serde(default)]
    pub setup: Vec<Step>,
    /// Steps that each user runs after it has connected, before its first transaction.
    #[serde(default)]
    pub login: Vec<Step>,
    /// Steps that run once after the run.
    #[serde(default)]
    pub teardown: Vec<Step>,
    /// Values that every user begins with.
    #[serde(default)]
    pub values: BTreeMap<String, Scalar>,
    /// Values that all users share, at the beginning.
    #[serde(default)]
    pub shared: BTreeMap<String, String>,
    /// Whether users keep the cookies of `http` steps.
    pub cookies: Option<KeepCookies>,
    /// Whether groups run one after the other.
    #[serde(default)]
    pub serial: bool,
    /// Whether groups of teardown do not run where the load was stopped.
    #[serde(default)]
    pub skip_teardown: bool,
    /// Whether a placeholder whose value is not set yet stays as it is written.
    #[serde(default)]
    pub keep_unset: bool,
}

/// A source of values: exactly one of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feeder {
    /// A file with a line of names; its path is relative to the workload's file.
    pub csv: Option<String>,
    /// A list of values; or one text `${name}`, the values that setup captures with `each`.
    pub list: Option<Vec<Scalar>>,
    /// Uniform whole numbers, from and to; a bound may be a value that setup captures, `${name}`.
    pub uniform: Option<[Scalar; 2]>,
    /// Whole numbers by Zipf's law, the first ones most often.
    pub zipf: Option<Zipf>,
    /// Whole numbers, each once per run.
    pub sequence: Option<Sequence>,
    /// UUIDs of version 7.
    pub uuid: Option<bool>,
    /// Random text of small letters, with its shortest and longest length.
    pub text: Option<[u32; 2]>,
    /// `now`, or two moments that bound a random one.
    pub timestamp: Option<OneOrMore<String>>,
    /// Numbers that count, as texts.
    pub counter: Option<Counter>,
    /// `random` or `in turn`, for `csv` and `list`; `in order` and `each user in order` for `csv`.
    pub pick: Option<Pick>,
    /// How a CSV file is written that has no line of names, or other separators.
    pub layout: Option<CsvLayout>,
    /// After the last row of a file that is read in order.
    pub end: Option<AfterLast>,
}

/// A number that each iteration increases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// The first.
    #[serde(default)]
    pub start: i64,
    /// The step between two numbers.
    #[serde(default = "one")]
    pub step: i64,
    /// The last one: the next is the first again.
    pub end: Option<i64>,
    /// Whether each user counts alone.
    #[serde(default)]
    pub each_user: bool,
    /// The name of its value; that of the feeder without one.
    pub value: Option<String>,
    /// How it is written: `id-000` has three digits at least.
    pub format: Option<String>,
}

/// The form of a CSV file without a line of names, or with other separators. Its values are texts, with the columns'
/// names alone: `${column}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsvLayout {
    /// The columns' names; empty: those of the first line.
    #[serde(default)]
    pub columns: Vec<String>,
    /// What separates fields.
    #[serde(default = "comma")]
    pub separator: String,
    /// Whether fields may be in quotes.
    #[serde(default)]
    pub quotes: bool,
    /// Whether the first line is passed over.
    #[serde(default)]
    pub skip_first: bool,
    /// Whether lines are read as JMeter does: an empty one as the end of the file, and one with too few fields leaves the
    /// other values as they are.
    #[serde(default)]
    pub jmeter: bool,
}

fn comma() -> String {
    ",".into()
}

/// What follows the last row of a file that is read in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterLast {
    /// The first one.
    #[default]
    #[serde(rename = "again")]
    Again,
    /// The end of the user.
    #[serde(rename = "end user")]
    EndUser,
    /// The text `<EOF>` in each column.
    #[serde(rename = "mark")]
    Mark,
}

/// How the next row of a list is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// At random.
    #[serde(rename = "random")]
    Random,
    /// In order, shared by all users; after the last row comes the first.
    #[serde(rename = "in turn")]
    InTurn,
    /// In order, by all users of a process from one place.
    #[serde(rename = "in order")]
    InOrder,
    /// In order, by each user from the first row.
    #[serde(rename = "each user in order")]
    EachInOrder,
}

/// Zipf-distributed numbers: number `from + k` has the weight 1 / (k + 1)^theta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zipf {
    /// The first; it may be a value that setup captures, `${name}`.
    pub from: Scalar,
    /// The last; it may be a value that setup captures, `${name}`.
    pub to: Scalar,
    /// The exponent; 0 gives equal weights.
    pub theta: f64,
}

/// Numbers that are unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// The first.
    pub start: i64,
    /// The step between two numbers.
    #[serde(default = "one")]
    pub step: i64,
}

fn one() -> i64 {
    1
}

/// A type of transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transaction {
    /// Its name.
    pub name: String,
    /// Its short name, for columns and `--mix`; by default its name.
    pub short: Option<String>,
    /// Its relative frequency.
    #[serde(default = "usual_weight")]
    pub weight: f64,
    /// Think time between its steps: `50ms`, or `20ms..100ms`.
    pub think: Option<String>,
    /// Whether its statements run in one database transaction.
    #[serde(default)]
    pub transaction: bool,
    /// The number of retries after a deadlock or a conflict.
    #[serde(default = "usual_retries")]
    pub retries: u32,
    /// Its steps, in order.
    pub step: Vec<Step>,
}

fn usual_weight() -> f64 {
    1.0
}

fn usual_retries() -> u32 {
    3
}

/// Users that repeat their own steps. Each named step is measured for itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Before, with or after the load.
    #[serde(default)]
    pub when: When,
    /// Its users.
    #[serde(default = "one_user")]
    pub users: u32,
    /// How many of them run over time, in place of `users`, `ramp_up` and `duration`.
    #[serde(default)]
    pub stages: Vec<UserStage>,
    /// The time over which they start, one after the other: `10s`.
    pub ramp_up: Option<String>,
    /// The time before the first one starts.
    pub delay: Option<String>,
    /// How often each repeats the steps: a number, or `forever`. By default once, or as long as `duration` lasts.
    pub iterations: Option<Scalar>,
    /// When the group ends, counted from its first user.
    pub duration: Option<String>,
    /// What follows a step that failed.
    #[serde(default)]
    pub on_failure: Go,
    /// Whether its users keep cookies.
    pub cookies: Option<KeepCookies>,
    /// The cookies that they begin with, as `Set-Cookie` has them, with their domain.
    #[serde(default)]
    pub jar: Vec<String>,
    /// Feeders that each iteration draws from, whether a step uses their values or not.
    #[serde(default)]
    pub draw: Vec<String>,
    /// Its steps, in order.
    pub step: Vec<Step>,
}

impl Group {
    /// Its users: of stages, the most.
    pub fn all_users(&self) -> u32 {
        self.stages.iter().map(|stage| stage.users).max().unwrap_or(self.users)
    }
}

/// A part of a run in which the number of users changes evenly, as in k6's `stages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserStage {
    /// The number at its end; the first stage begins with none.
    pub users: u32,
    /// Its length: `30s`.
    pub over: String,
}

fn one_user() -> u32 {
    1
}

/// The part of a run that a group belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Before the load, one group after the other.
    Setup,
    /// The load.
    #[default]
    Main,
    /// After the load, however it ended, one group after the other.
    Teardown,
}
