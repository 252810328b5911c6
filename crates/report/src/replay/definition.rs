//! The format of a replay's data file: a published report, and the measurement that repeats it.
//! Every allowed name is here; others are errors with their position.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::number::Cell;

/// A whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// The report's title.
    pub(super) title: String,
    /// Its description in the command's help, one line.
    pub(super) about: String,
    /// The compared figure.
    pub(super) compare: Compare,
    /// The requirements for judging a ratio.
    pub(super) enough: Enough,
    /// The runner.
    pub(super) load: Load,
    pub(super) variants: Variants,
    pub(super) published: PublishedFigures,
    #[serde(default)]
    pub(super) note: Vec<Note>,
    #[serde(default)]
    pub(super) bars: Vec<Bars>,
    #[serde(default)]
    pub(super) table: Vec<Table>,
    #[serde(default)]
    pub(super) condition: Vec<Condition>,
    #[serde(default)]
    pub(super) claim: Vec<Claim>,
    #[serde(default)]
    pub(super) remark: Vec<Remark>,
}

/// The figure that ratios compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Compare {
    /// Requests that ended per second, including failed ones.
    PerS,
    /// Transactions per second.
    Tps,
    /// The duration of a run.
    Seconds,
}

/// The minimum that both sides of a ratio need; below it, they are too short to judge.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enough {
    /// The fewest rounds that give an estimate of their spread.
    pub rounds: usize,
    /// Seconds, all rounds together.
    pub seconds: f64,
}

/// The runner of a replay, with its options.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Load {
    /// GETs of single rows over HTTP, the same number by each user.
    Rest {
        /// The sample application that is served.
        sample: String,
        /// Concurrent users.
        users: u32,
        /// GETs of each user.
        requests: u64,
    },
    /// Order entry and retail, in processes.
    OrderEntry {
        /// The weights of order entry's transactions.
        preset: String,
    },
    /// Reads of all keys by one connection, in a process for each run.
    Lookup {
        /// Runs of each variant.
        runs: u32,
        /// A short measurement.
        quick: Quick,
    },
    /// Payment transactions through a REST service, on each store.
    Transactions {
        /// The whole measurement.
        full: Size,
        /// A short one.
        quick: Size,
    },
    /// Lists of orders and lines by one user, with and without indexes, on each store.
    Orders {
        /// The whole measurement.
        full: Size,
        /// A short one.
        quick: Size,
    },
}

/// The size of a measurement in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Rows before the first run.
    pub rows: u64,
    /// Measured seconds of each run.
    pub seconds: u64,
    /// Seconds of each run before them.
    pub warm_up: u64,
    /// Runs of each variant.
    pub rounds: u32,
}

/// The size of a short measurement of single reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// Reads of each run.
    pub reads: u64,
    /// Runs of each variant.
    pub runs: u32,
}

/// The measured variants, a row each.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variants {
    /// A variant's name, from its labels.
    pub(super) name: String,
    pub(super) labels: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Further labels: each row is repeated for all their values.
    #[serde(default)]
    pub(super) each: Vec<Each>,
    /// Variants that cannot be measured, with the reason; the first match applies.
    #[serde(default)]
    pub(super) missing: Vec<Missing>,
}

/// Values of a label.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Each {
    pub(super) label: String,
    pub(super) values: Vec<String>,
}

/// Variants that cannot be measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Missing {
    pub(super) only: Selection,
    pub(super) why: String,
}

/// The report's figures, as printed: each row has its labels, then its figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedFigures {
    /// A row's name, from its labels.
    pub(super) name: String,
    /// Users of each row whose `layout` does not give them.
    pub(super) users: Option<u32>,
    /// Reads of each run.
    pub(super) reads: Option<u64>,
    pub(super) labels: Vec<String>,
    pub(super) figures: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A selection of rows: for each label its value, or one of several.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Selection(pub(super) BTreeMap<String, OneOrMany>);

/// One value or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "neither a text nor a list of texts")]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// A paragraph before the tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    pub(super) text: String,
    /// The fact without which it is left out.
    pub(super) when: Option<String>,
    /// It is left out if no measured variant is among these.
    #[serde(default)]
    pub(super) only: Selection,
}

/// A figure as bars.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bars {
    pub(super) caption: String,
    pub(super) figure: String,
    #[serde(default)]
    pub(super) only: Selection,
    #[serde(default)]
    pub(super) except: Selection,
    /// The label of published rows that names their machine; without it, all have the same.
    pub(super) machine: Option<String>,
}

/// A table of figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) caption: String,
    #[serde(default)]
    pub(super) rows: Rows,
    #[serde(default)]
    pub(super) only: Selection,
    #[serde(default)]
    pub(super) except: Selection,
    /// Labels that a published row and ours share in a line; our rows without one are left out.
    #[serde(default)]
    pub(super) beside: Vec<String>,
    pub(super) columns: Vec<Column>,
}

/// The rows of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Rows {
    /// The published ones, then ours.
    #[default]
    Both,
    Published,
    Here,
}

/// A column: a label or a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) head: String,
    pub(super) label: Option<String>,
    /// Several figures take as many columns.
    pub(super) figure: Option<String>,
    /// The side of the figure, in a table with both in one line.
    #[serde(default)]
    pub(super) of: Of,
    /// Another row of the same side that has the figure: one line may show figures of several rows.
    pub(super) at: Option<Base>,
    /// The text of a missing figure.
    pub(super) none: Option<String>,
    /// The text for a published row instead, with placeholders for figures.
    pub(super) published: Option<String>,
    /// Shows the change from the row's base in percent instead of the figure.
    pub(super) ratio: Option<Base>,
    /// Whether it gives the reason that a variant was not measured.
    #[serde(default)]
    pub(super) missing: bool,
}

/// The side of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Of {
    /// The row's own.
    #[default]
    Here,
    /// The published row's in the same line.
    Published,
}

/// The base of a comparison.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Base {
    pub(super) to: Selection,
    /// Labels with equal values on both sides.
    #[serde(default)]
    pub(super) same: Vec<String>,
}

/// A condition that differs between the measurements.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    pub(super) what: String,
    pub(super) published: String,
    pub(super) here: String,
}

/// A claim of the report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    /// In our words, with placeholders as in a remark.
    pub(super) text: String,
    pub(super) there: Option<PublishedRatios>,
    pub(super) test: Test,
}

/// The test of a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Test {
    /// Not tested by this measurement; the reason.
    Unmeasured(String),
    /// A variant is more than this many percent above another.
    Above(Above),
    /// Each of some variants is above all those that it is compared with.
    Greatest(Ratios),
    /// Each is below them.
    Least(Ratios),
    /// A figure of each of some variants is within limits.
    Reaches(Reaches),
    /// Each of some variants has so many times the figure of its base.
    Factor(Factor),
    /// The figure grows as a number among the labels does.
    Linear(Linear),
}

/// A figure and its limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reaches {
    /// A variant's name, from its labels.
    pub(super) name: String,
    pub(super) figure: String,
    /// What follows a value of it.
    pub(super) unit: String,
    pub(super) of: Selection,
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
}

/// A figure, and the smallest ratio of variants in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Factor {
    /// A ratio's name, from the variant's labels.
    pub(super) name: String,
    pub(super) figure: String,
    pub(super) least: f64,
    pub(super) ratio: Ratio,
}

/// Ratios of a figure that grow with a number: each is at least this share of the number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Linear {
    /// A ratio's name, from the variant's labels.
    pub(super) name: String,
    pub(super) figure: String,
    /// The label that is the number.
    pub(super) label: String,
    pub(super) share: f64,
    pub(super) ratio: Ratio,
}

/// The percentage, the higher variant and the lower one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Above {
    pub(super) percent: f64,
    pub(super) ratio: Ratio,
}

/// An observation that the figures show and the report does not state. It gets no verdict.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remark {
    /// Placeholders: `{change}` of the published ratio, `{of}` and `{to}` of its sides; for several
    /// ratios `{least}` and `{most}`, as percentages of decrease.
    pub(super) text: String,
    pub(super) there: Option<PublishedRatios>,
    pub(super) test: OurFigures,
}

/// Ratios of published figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedRatios {
    pub(super) figure: String,
    #[serde(default)]
    pub(super) only: Selection,
    pub(super) ratio: Ratio,
}

/// Our figures beside it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum OurFigures {
    /// No measurement; this text.
    Text(String),
    /// The ratio of one variant to another.
    Ratio(Ratio),
    /// The ratios of several variants, with intervals that hold together.
    Ratios(Ratios),
    /// The excess of ratios over the largest of others to the same bases.
    Margins(Margins),
}

/// Variants, and those that each is compared with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ratio {
    pub(super) of: Selection,
    pub(super) to: Selection,
    /// Labels with equal values on both sides.
    #[serde(default)]
    pub(super) same: Vec<String>,
}

/// Variants, each with its base.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ratios {
    /// A ratio's name, from the variant's labels; in a claim, from its base's.
    pub(super) name: String,
    pub(super) ratio: Ratio,
}

/// Variants, each with its base, and others with the same base.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Margins {
    /// A margin's name, from the base's labels.
    pub(super) name: String,
    pub(super) ratio: Ratio,
    /// The others, and the labels in which they equal the base.
    pub(super) beyond: Selection,
    #[serde(default)]
    pub(super) beyond_same: Vec<String>,
}
