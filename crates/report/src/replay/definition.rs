//! The form of a replay's data file: a published report, and what is measured to repeat it. Every name that a file may
//! have is here; others are refused with their place.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::number::Cell;

/// A whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    /// The report's title.
    pub(super) title: String,
    /// What it is, in a line of the command's help.
    pub(super) about: String,
    /// What of a run is compared.
    pub(super) compare: Compare,
    /// What must be measured before a ratio is judged.
    pub(super) enough: Enough,
    /// What runs.
    pub(super) load: Load,
    pub(super) variants: Variants,
    pub(super) published: Published,
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

/// The figure that ratios are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Compare {
    /// Requests that ended per second, failed ones too.
    PerS,
    /// Transactions per second.
    Tps,
    /// How long a run took.
    Seconds,
}

/// What must be measured of both sides of a ratio; below that it is too short to judge.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enough {
    /// Rounds without which nothing is known of the spread between them.
    pub rounds: usize,
    /// Seconds, all rounds together.
    pub seconds: f64,
}

/// The runner of a replay, and what it needs to know.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Load {
    /// GETs of single rows over HTTP, as many by each user.
    Rest {
        /// The sample application that is served.
        sample: String,
        /// Users at a time.
        users: u32,
        /// GETs of each user.
        requests: u64,
    },
    /// Order entry and retail, in processes.
    OrderEntry {
        /// The weights of order entry's transactions.
        preset: String,
    },
    /// Reads of all keys by one connection, a process for each run.
    Lookup {
        /// Runs of each variant.
        runs: u32,
        /// A short measurement.
        quick: Quick,
    },
}

/// How much a short measurement of single reads has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quick {
    /// Reads of each run.
    pub reads: u64,
    /// Runs of each variant.
    pub runs: u32,
}

/// What is measured here, a row for each variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variants {
    /// What a variant is called, made of its labels.
    pub(super) name: String,
    pub(super) labels: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// More labels, of which each row has every value.
    #[serde(default)]
    pub(super) each: Vec<Each>,
    /// Which of them cannot be measured, and why; the first that fits counts.
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

/// The report's figures, as it printed them: in each row its labels, then its figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    /// What a row is called, made of its labels.
    pub(super) name: String,
    /// Users of each row whose `layout` does not say.
    pub(super) users: Option<u32>,
    /// Reads of each run.
    pub(super) reads: Option<u64>,
    pub(super) labels: Vec<String>,
    pub(super) figures: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// What rows of variants or of published figures must have: for each label its value, or one of several.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Selection(pub(super) BTreeMap<String, Words>);

/// One value or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "neither a text nor a list of texts")]
pub(super) enum Words {
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
    /// Left out where no measured variant is among these.
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
    /// The label of published rows that says which were measured on one machine; without it, all were.
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
    /// Labels that the published row in the same line has in common with ours; ours without one are left out.
    #[serde(default)]
    pub(super) beside: Vec<String>,
    pub(super) columns: Vec<Column>,
}

/// Which rows a table has.
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
    /// Whose it is, in a table that has both in one line.
    #[serde(default)]
    pub(super) of: Of,
    /// Another row of the same side whose it is instead: one line may have the figures of several rows.
    pub(super) at: Option<Base>,
    /// What it says where there is none.
    pub(super) none: Option<String>,
    /// What it says of a published row instead, with figures in places.
    pub(super) published: Option<String>,
    /// The figure's change from the row's base, in percent, instead of the figure.
    pub(super) ratio: Option<Base>,
    /// Whether it says why a variant was not measured.
    #[serde(default)]
    pub(super) missing: bool,
}

/// Whose figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Of {
    /// That of the row.
    #[default]
    Here,
    /// That of the published row beside it.
    Published,
}

/// The row that another is compared with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Base {
    pub(super) to: Selection,
    /// Labels in which both are alike.
    #[serde(default)]
    pub(super) same: Vec<String>,
}

/// A condition that differs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    pub(super) what: String,
    pub(super) published: String,
    pub(super) here: String,
}

/// Something that the report says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    /// In our words, with places as of a remark.
    pub(super) text: String,
    pub(super) there: Option<There>,
    pub(super) test: Test,
}

/// What decides a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Test {
    /// Nothing that is measured here; and why.
    Unmeasured(String),
    /// A variant is more than so many percent above another.
    Above(Above),
    /// Each of some variants is above all others that it is compared with.
    Greatest(Ratios),
    /// Each is below them.
    Least(Ratios),
}

/// How far which variant must be above which other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Above {
    pub(super) percent: f64,
    pub(super) ratio: Ratio,
}

/// Something that the figures show and the report does not say. It gets no verdict.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remark {
    /// Places: `{change}` of the published ratio, `{of}` and `{to}` of its sides; of several ratios `{least}` and
    /// `{most}`, how many percent less.
    pub(super) text: String,
    pub(super) there: Option<There>,
    pub(super) test: Shown,
}

/// Ratios of published figures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct There {
    pub(super) figure: String,
    #[serde(default)]
    pub(super) only: Selection,
    pub(super) ratio: Ratio,
}

/// What is shown of ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Shown {
    /// Nothing measured; this.
    Said(String),
    /// The ratio of one variant to another.
    Ratio(Ratio),
    /// The ratios of several variants, with intervals that hold together.
    Ratios(Ratios),
    /// By how much ratios are further from 1 than the greatest of others to the same bases.
    Margins(Margins),
}

/// Variants, and those that each is compared with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ratio {
    pub(super) of: Selection,
    pub(super) to: Selection,
    /// Labels in which both are alike.
    #[serde(default)]
    pub(super) same: Vec<String>,
}

/// Variants, each with its base.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ratios {
    /// What a ratio is called, made of the variant's labels; in a claim, of its base's.
    pub(super) name: String,
    pub(super) ratio: Ratio,
}

/// Variants, each with its base, and others that have the same base.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Margins {
    /// What a margin is called, made of the base's labels.
    pub(super) name: String,
    pub(super) ratio: Ratio,
    /// The others, in which labels they are like the base.
    pub(super) beyond: Selection,
    #[serde(default)]
    pub(super) beyond_same: Vec<String>,
}
