//! Reads a replay's data file: every name in it must exist, and its texts about published figures
//! must follow from them.

use std::fmt;

use super::definition::{
    Claim, Column, Definition, OurFigures, PublishedFigures, Ratio, Ratios, Remark, Selection,
    Table, Test,
};
use super::figures::{self, Row};
use super::{claims, facts, template};

/// A mistake in a data file, with its position.
#[derive(Debug)]
pub struct Mistake {
    file: &'static str,
    place: String,
    what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.file, self.place, self.what)
    }
}

impl std::error::Error for Mistake {}

impl Mistake {
    /// There is no report of this name.
    pub(super) fn unknown(name: &str) -> Self {
        Self { file: "replays", place: name.to_owned(), what: "there is no such report".into() }
    }
}

/// A mistake without its file: position and reason.
type Wrong = (String, String);

/// Reads a file.
///
/// # Errors
/// The first mistake in it.
pub(super) fn read(file: &'static str, text: &str) -> Result<(Definition, Vec<Row>), Mistake> {
    let mistake = |(place, what): Wrong| Mistake { file, place, what };
    let definition: Definition = toml::from_str(text).map_err(|wrong| {
        let line = wrong.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        mistake((format!("line {line}"), wrong.message().to_owned()))
    })?;
    let published = figures::published(&definition.published);
    check(&definition, &published).map_err(mistake)?;
    Ok((definition, published))
}

fn check(definition: &Definition, published: &[Row]) -> Result<(), Wrong> {
    let names = Names::of(definition);
    names.variants(definition)?;
    check_published(&definition.published)?;
    for (at, note) in definition.note.iter().enumerate() {
        let place = format!("note {}", at + 1);
        check_facts(&place, &note.text)?;
        note.when.iter().try_for_each(|fact| known_fact(&place, fact))?;
        names.ours(&place, &note.only)?;
    }
    for bars in &definition.bars {
        let place = format!("bars \"{}\"", bars.caption);
        known_figure(&place, &bars.figure)?;
        [&bars.only, &bars.except].into_iter().try_for_each(|it| names.any(&place, it))?;
        bars.machine.iter().try_for_each(|name| one_of(&place, name, &names.theirs))?;
    }
    definition.table.iter().try_for_each(|table| names.table(table))?;
    for condition in &definition.condition {
        let place = format!("condition \"{}\"", condition.what);
        check_facts(&place, &condition.published)?;
        check_facts(&place, &condition.here)?;
    }
    for (at, claim) in definition.claim.iter().enumerate() {
        names.claim(&format!("claim {}", at + 1), claim, published)?;
    }
    for (at, remark) in definition.remark.iter().enumerate() {
        names.remark(&format!("remark {}", at + 1), remark, published)?;
    }
    Ok(())
}

/// Each published row must have a text for every label, and figures for every figure.
fn check_published(published: &PublishedFigures) -> Result<(), Wrong> {
    published.figures.iter().try_for_each(|name| known_figure("published", name))?;
    let width = published.labels.len() + published.figures.len();
    for (at, row) in published.rows.iter().enumerate() {
        let place = format!("published row {}", at + 1);
        if row.len() != width {
            return Err((place, format!("{} cells, but {width} labels and figures", row.len())));
        }
        let (_, cells) = row.split_at(published.labels.len());
        for (name, cell) in published.figures.iter().zip(cells) {
            let wrong = || (place.clone(), format!("\"{name}\" is not a figure"));
            cell.numbers().ok_or_else(wrong)?;
        }
    }
    let has_runs = published.figures.iter().any(|name| name == "runs");
    match has_runs && published.reads.is_none_or(|reads| reads == 0) {
        true => Err(("published".into(), "`runs` need `reads`".into())),
        false => Ok(()),
    }
}

fn known_figure(place: &str, name: &str) -> Result<(), Wrong> {
    match figures::KNOWN.contains(&name) {
        true => Ok(()),
        false => Err((place.to_owned(), format!("there is no figure \"{name}\""))),
    }
}

fn known_fact(place: &str, name: &str) -> Result<(), Wrong> {
    let is_part = facts::KNOWN_BY_PART.iter().any(|part| name.starts_with(part));
    match is_part || facts::KNOWN.contains(&name) || facts::FLAGS.contains(&name) {
        true => Ok(()),
        false => Err((place.to_owned(), format!("there is no fact \"{name}\""))),
    }
}

fn check_facts(place: &str, text: &str) -> Result<(), Wrong> {
    template::places(text).try_for_each(|fact| known_fact(place, fact))
}

/// The labels of variants and of published rows.
struct Names<'a> {
    ours: Vec<&'a str>,
    theirs: Vec<&'a str>,
}

/// Labels that a runner adds to its variants: the server software.
const OF_RUNNERS: [&str; 2] = ["server", "where"];

impl<'a> Names<'a> {
    fn of(definition: &'a Definition) -> Self {
        let variants = &definition.variants;
        let each = variants.each.iter().map(|each| &each.label);
        let ours = variants.labels.iter().chain(each).map(String::as_str).chain(OF_RUNNERS);
        let theirs = definition.published.labels.iter().map(String::as_str);
        Self { ours: ours.collect(), theirs: theirs.collect() }
    }

    fn variants(&self, definition: &Definition) -> Result<(), Wrong> {
        let variants = &definition.variants;
        for (at, row) in variants.rows.iter().enumerate() {
            let (cells, labels) = (row.len(), variants.labels.len());
            if cells != labels {
                let place = format!("variants row {}", at + 1);
                return Err((place, format!("{cells} cells, but {labels} labels")));
            }
        }
        variants.missing.iter().try_for_each(|it| self.ours("variants", &it.only))?;
        template::places(&variants.name).try_for_each(|it| one_of("variants", it, &self.ours))?;
        let name = &definition.published.name;
        template::places(name).try_for_each(|it| one_of("published", it, &self.theirs))
    }

    fn ours(&self, place: &str, selection: &Selection) -> Result<(), Wrong> {
        selection.0.keys().try_for_each(|name| one_of(place, name, &self.ours))
    }

    fn theirs(&self, place: &str, selection: &Selection) -> Result<(), Wrong> {
        selection.0.keys().try_for_each(|name| one_of(place, name, &self.theirs))
    }

    fn any(&self, place: &str, selection: &Selection) -> Result<(), Wrong> {
        selection.0.keys().try_for_each(|name| self.label(place, name))
    }

    fn label(&self, place: &str, name: &str) -> Result<(), Wrong> {
        one_of(place, name, &[&self.ours[..], &self.theirs[..]].concat())
    }

    fn table(&self, table: &Table) -> Result<(), Wrong> {
        let place = format!("table \"{}\"", table.caption);
        check_facts(&place, &table.caption)?;
        [&table.only, &table.except].into_iter().try_for_each(|it| self.any(&place, it))?;
        table.beside.iter().try_for_each(|name| self.label(&place, name))?;
        table.columns.iter().try_for_each(|column| self.column(&place, column))
    }

    fn column(&self, place: &str, column: &Column) -> Result<(), Wrong> {
        let place = &format!("{place}, column \"{}\"", column.head);
        if column.label.is_some() == column.figure.is_some() {
            return Err((place.clone(), "a column has a label or a figure".into()));
        }
        column.label.iter().try_for_each(|name| self.label(place, name))?;
        column.figure.iter().try_for_each(|name| known_figure(place, name))?;
        let places = column.published.iter().flat_map(|text| template::places(text));
        places.into_iter().try_for_each(|name| known_figure(place, name))?;
        for base in column.ratio.iter().chain(&column.at) {
            self.any(place, &base.to)?;
            base.same.iter().try_for_each(|name| self.label(place, name))?;
        }
        Ok(())
    }

    fn claim(&self, place: &str, claim: &Claim, published: &[Row]) -> Result<(), Wrong> {
        self.there(place, &claim.text, claim.there.as_ref(), published)?;
        match &claim.test {
            Test::Unmeasured(_) => Ok(()),
            Test::Above(it) => self.ratio(place, &it.ratio),
            Test::Greatest(it) | Test::Least(it) => self.ratios(place, it),
            Test::Reaches(it) => {
                known_figure(place, &it.figure)?;
                template::places(&it.name).try_for_each(|it| one_of(place, it, &self.ours))?;
                self.ours(place, &it.of)
            }
            Test::Factor(it) => self.figure_ratio(place, &it.figure, &it.name, &it.ratio),
            Test::Linear(it) => {
                one_of(place, &it.label, &self.ours)?;
                self.figure_ratio(place, &it.figure, &it.name, &it.ratio)
            }
        }
    }

    fn remark(&self, place: &str, remark: &Remark, published: &[Row]) -> Result<(), Wrong> {
        self.there(place, &remark.text, remark.there.as_ref(), published)?;
        match &remark.test {
            OurFigures::Text(_) => Ok(()),
            OurFigures::Ratio(it) => self.ratio(place, it),
            OurFigures::Ratios(it) => self.ratios(place, it),
            OurFigures::Margins(it) => {
                template::places(&it.name).try_for_each(|it| one_of(place, it, &self.ours))?;
                self.ratio(place, &it.ratio)?;
                self.ours(place, &it.beyond)?;
                it.beyond_same.iter().try_for_each(|name| one_of(place, name, &self.ours))
            }
        }
    }

    fn ratios(&self, place: &str, it: &Ratios) -> Result<(), Wrong> {
        template::places(&it.name).try_for_each(|it| one_of(place, it, &self.ours))?;
        self.ratio(place, &it.ratio)
    }

    fn figure_ratio(
        &self,
        place: &str,
        figure: &str,
        name: &str,
        ratio: &Ratio,
    ) -> Result<(), Wrong> {
        known_figure(place, figure)?;
        template::places(name).try_for_each(|it| one_of(place, it, &self.ours))?;
        self.ratio(place, ratio)
    }

    fn ratio(&self, place: &str, ratio: &Ratio) -> Result<(), Wrong> {
        [&ratio.of, &ratio.to].into_iter().try_for_each(|it| self.ours(place, it))?;
        ratio.same.iter().try_for_each(|name| one_of(place, name, &self.ours))
    }

    /// The text's placeholders must be published figures.
    fn there(
        &self,
        place: &str,
        text: &str,
        there: Option<&super::definition::PublishedRatios>,
        published: &[Row],
    ) -> Result<(), Wrong> {
        if let Some(there) = there {
            known_figure(place, &there.figure)?;
            let selections = [&there.only, &there.ratio.of, &there.ratio.to];
            selections.into_iter().try_for_each(|it| self.theirs(place, it))?;
            there.ratio.same.iter().try_for_each(|name| one_of(place, name, &self.theirs))?;
        }
        let empty = |name| (place.to_owned(), format!("no published figures for {{{name}}}"));
        claims::filled(text, there, published).map(drop).map_err(empty)
    }
}

fn one_of(place: &str, name: &str, names: &[&str]) -> Result<(), Wrong> {
    match names.contains(&name) {
        true => Ok(()),
        false => Err((place.to_owned(), format!("there is no label \"{name}\""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#"
        title = "t"
        about = "a"
        compare = "tps"
        enough = { rounds = 3, seconds = 5 }
        load.order-entry.preset = "p"
        variants = { name = "{workload}", labels = ["workload"], rows = [["a"], ["b"]] }
        [published]
        name = "{workload}"
        labels = ["workload"]
        figures = ["tps"]
        rows = [["a", "1.50"], ["b", "3"]]
    "#;

    fn wrong(more: &str) -> String {
        read("x.toml", &format!("{LEAST}{more}")).unwrap_err().to_string()
    }

    #[test]
    fn a_small_file_is_enough() {
        let (_, rows) = read("x.toml", LEAST).unwrap();
        assert_eq!(rows[0].figure("tps").unwrap().to_string(), "1.50");
    }

    #[test]
    fn mistakes_have_their_place() {
        for (more, message) in [
            ("[[claim]]\ntext = 1\n", "line 14: "),
            (
                "[[claim]]\ntest.higher = 1\ntext = \"\"\n",
                "x.toml: line 14: unknown variant `higher`",
            ),
            ("[[note]]\ntext = \"\"\nif = \"\"\n", "x.toml: line 15: unknown field `if`"),
            ("[[note]]\ntext = \"{many}\"\n", "note 1: there is no fact \"many\""),
            ("[[bars]]\ncaption = \"c\"\nfigure = \"x\"\n", "bars \"c\": there is no figure \"x\""),
            (
                "[[table]]\ncaption = \"c\"\ncolumns = [{ head = \"h\" }]\n",
                "table \"c\", column \"h\": a column has a label or a figure",
            ),
            (
                "[[claim]]\ntext = \"\"\ntest.above = { percent = 1, ratio = { of = { x = \"\" }, to = {} } }\n",
                "claim 1: there is no label \"x\"",
            ),
            (
                "[[remark]]\ntext = \"{change}\"\ntest.text = \"\"\n",
                "remark 1: no published figures for {change}",
            ),
        ] {
            let found = wrong(more);
            assert!(found.contains(message), "{found} is not {message}");
        }
        let rows = LEAST.replace("\"1.50\"", "\"some\"");
        let found = read("x.toml", &rows).unwrap_err().to_string();
        assert_eq!(found, "x.toml: published row 1: \"tps\" is not a figure");
        let found = read("x.toml", &LEAST.replace("[\"b\"]]", "[\"b\", \"\"]]")).unwrap_err();
        assert_eq!(found.to_string(), "x.toml: variants row 2: 2 cells, but 1 labels");
        let found = read("x.toml", &LEAST.replace("\"1.50\"", "1.50")).unwrap_err().to_string();
        assert!(found.starts_with("x.toml: line 12: "), "{found}");
    }
}
