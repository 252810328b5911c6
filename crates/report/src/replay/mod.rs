//! Repeats published reports: our figures beside the published ones, the differences in conditions,
//! and the verdict on each claim. Only ratios within one machine are judged, never our figures
//! against those of another machine. An observation that a report shows without stating it is a
//! remark without a verdict.
//!
//! A report is a data file in `data/replays` with its figures, claims, conditions and variants, in
//! the format of `definition`. The modules here read any such file: `claims` judges, `tables` and
//! `page` display. A runner measures the variants and returns their runs as [`Series`].

mod claims;
mod definition;
mod facts;
mod figures;
mod html;
mod labels;
mod measured;
mod number;
mod page;
mod read;
mod tables;
mod template;

#[cfg(test)]
mod tests;

use definition::{Definition, Each};
pub use definition::{Enough, Load, Quick, Size};
use figures::Row;
pub use labels::Labels;
use labels::named;
pub use measured::{Facts, ReplayMeasurement, Runs, Series, Variant};
pub use page::{Bar, Bars, Claim, Condition, Remark, ReplayPage, Side, Verdict};
pub use read::Mistake;

/// The reports: names and data files.
const REPORTS: [(&str, &str, &str); 5] = [
    ("ords", "replays/ords.toml", include_str!("../../data/replays/ords.toml")),
    ("orders", "replays/orders.toml", include_str!("../../data/replays/orders.toml")),
    ("rowstore", "replays/rowstore.toml", include_str!("../../data/replays/rowstore.toml")),
    ("swingbench", "replays/swingbench.toml", include_str!("../../data/replays/swingbench.toml")),
    (
        "transactions",
        "replays/transactions.toml",
        include_str!("../../data/replays/transactions.toml"),
    ),
];

/// The names of the reports that can be repeated.
pub fn names() -> impl Iterator<Item = &'static str> {
    REPORTS.iter().map(|(name, ..)| *name)
}

/// The sample application and its resources that the report on ORDS measured: the default targets.
///
/// # Errors
/// As [`Replay::named`].
pub fn sample() -> Result<(String, Vec<String>), Mistake> {
    let replay = Replay::named("ords")?;
    let Load::Rest { sample, .. } = replay.load() else { return Err(Mistake::unknown("ords")) };
    let served = |variant: Variant| variant.label("served").to_owned();
    Ok((sample.clone(), replay.variants().into_iter().map(served).collect()))
}

/// A published report that can be repeated.
#[derive(Clone, Debug)]
pub struct Replay {
    definition: Definition,
    published: Vec<Row>,
}

impl Replay {
    /// The report with a name.
    ///
    /// # Errors
    /// If there is none, or its data file, which is part of the program, has a mistake.
    pub fn named(name: &str) -> Result<Self, Mistake> {
        let found = REPORTS.iter().find(|(known, ..)| *known == name);
        let (_, file, text) = found.ok_or_else(|| Mistake::unknown(name))?;
        let (definition, published) = read::read(file, text)?;
        Ok(Self { definition, published })
    }

    /// Its description, one line.
    pub fn about(&self) -> &str {
        &self.definition.about
    }

    /// The runner.
    pub fn load(&self) -> &Load {
        &self.definition.load
    }

    /// The requirements for judging a ratio.
    pub fn enough(&self) -> Enough {
        self.definition.enough
    }

    /// Reads of each published run, if runs read single keys.
    pub fn reads(&self) -> u64 {
        self.definition.published.reads.unwrap_or(0)
    }

    /// The measured variants, in the report's order.
    pub fn variants(&self) -> Vec<Variant> {
        let variants = &self.definition.variants;
        let rows = variants.rows.iter().map(|row| -> Labels {
            variants.labels.iter().cloned().zip(row.iter().cloned()).collect()
        });
        let with_each = |rows: Vec<Labels>, each: &Each| -> Vec<Labels> {
            let with = |row: &Labels, value: &String| {
                let mut row = row.clone();
                row.insert(each.label.clone(), value.clone());
                row
            };
            rows.iter().flat_map(|row| each.values.iter().map(|it| with(row, it))).collect()
        };
        let all = variants.each.iter().fold(rows.collect(), with_each).into_iter();
        let why = |labels: &Labels| variants.missing.iter().find(|it| it.only.has(labels));
        all.map(|labels| Variant { missing: why(&labels).map(|it| it.why.clone()), labels })
            .collect()
    }

    /// A variant's name.
    pub fn name(&self, variant: &Variant) -> String {
        named(&self.definition.variants.name, &variant.labels)
    }

    /// The page of a measurement.
    pub fn page(&self, measured: &ReplayMeasurement) -> ReplayPage {
        let Self { definition, published } = self;
        let facts = facts::facts(definition, measured);
        let name = &definition.variants.name;
        let here: Vec<Row> = measured
            .series
            .iter()
            .map(|series| figures::measured(series, name, measured.reads))
            .collect();
        let sources = tables::Sources { published, here: &here, facts: &facts };
        let judge = claims::Judge::new(definition, measured);
        let value = |fact: &str| facts.get(fact).cloned();
        // A text about something that was not measured says so.
        let filled =
            |text: &str| template::fill(text, value).unwrap_or_else(|_| "not measured".into());
        let is_wanted = |note: &&definition::Note| {
            let of_these =
                |series: &Series| series.is_measured() && note.only.has(&series.variant.labels);
            note.when.as_ref().is_none_or(|fact| facts.contains_key(fact))
                && (note.only.is_empty() || measured.series.iter().any(of_these))
        };
        let conditions = definition.condition.iter().map(|it| Condition {
            what: it.what.clone(),
            published: filled(&it.published),
            here: filled(&it.here),
        });
        ReplayPage {
            title: format!("{}, repeated", definition.title),
            notes: definition.note.iter().filter(is_wanted).map(|it| filled(&it.text)).collect(),
            bars: sources.bars(definition),
            tables: sources.tables(definition),
            conditions: conditions.collect(),
            claims: definition.claim.iter().filter_map(|it| judge.claim(it, published)).collect(),
            remarks: definition
                .remark
                .iter()
                .filter_map(|it| judge.remark(it, published))
                .collect(),
        }
    }
}
