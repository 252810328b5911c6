//! The page of a repeated report: tables, conditions, claims; and its text form.

use std::fmt::Write as _;

use duet_verdict::text::{COLUMNS, TextTable, counted, wrap};

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds here too.
    Holds,
    /// It does not hold here.
    DoesNotHold,
    /// The measurement does not decide it.
    CannotTell,
    /// The measurement is too short to judge it.
    TooShort,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::CannotTell => "cannot tell",
            Self::TooShort => "too short to judge",
        }
    }
}

/// A claim of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claim, in our words.
    pub text: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason.
    pub why: String,
}

/// An observation that the report's figures show without a statement: it has no verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The observation.
    pub text: String,
    /// Our figures.
    pub here: String,
}

/// A condition that differs between the report's measurement and this one.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The condition: `database`, `client`.
    pub what: String,
    /// In the report.
    pub published: String,
    /// Here.
    pub here: String,
}

/// A figure of one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The variant.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// The printed figure.
    pub text: String,
}

/// A figure of all variants, published and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Its name, with the unit.
    pub caption: String,
    /// The report's, then ours.
    pub sides: Vec<Side>,
}

/// The figures of one machine, with their own scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The machine.
    pub name: String,
    /// Whether they were published.
    pub is_published: bool,
    /// The figures.
    pub bars: Vec<Bar>,
}

/// The page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayPage {
    /// The report's title.
    pub title: String,
    /// Warnings at the top.
    pub notes: Vec<String>,
    /// Figures as bars.
    pub bars: Vec<Bars>,
    /// The tables, in the report's order.
    pub tables: Vec<TextTable>,
    /// The conditions that differ.
    pub conditions: Vec<Condition>,
    /// The report's claims.
    pub claims: Vec<Claim>,
    /// Remarks on its figures.
    pub remarks: Vec<Remark>,
}

pub(super) const CONDITIONS: &str = "Conditions that differ";
const CLAIMS: &str = "Claims";
pub(super) const REMARKS: &str = "Remarks on what the published figures show";

impl ReplayPage {
    /// Claims as a list: their reasons are too long for a table.
    fn claims_text(&self) -> String {
        let mut text = String::new();
        for claim in &self.claims {
            let verdict = claim.verdict.words();
            text.push_str(&item(&format!("{}\n  **{verdict}**: {}", claim.text, claim.why)));
        }
        text
    }

    fn remarks_text(&self) -> String {
        let of = |remark: &Remark| item(&format!("{}\n  {}", remark.text, remark.here));
        self.remarks.iter().map(of).collect()
    }

    /// Title and warnings.
    fn preface(&self) -> String {
        let mut text = wrap(&format!("# {}\n", self.title), COLUMNS, "  ");
        for note in &self.notes {
            let _ = write!(text, "\n{}\n", wrap(note, COLUMNS, ""));
        }
        text
    }

    /// Claims and remarks, below their titles.
    fn judged(&self) -> String {
        let mut text = String::new();
        if !self.claims.is_empty() {
            let _ = write!(text, "\n## {CLAIMS}\n{}", self.claims_text());
        }
        if !self.remarks.is_empty() {
            let _ = write!(text, "\n## {REMARKS}\n{}", self.remarks_text());
        }
        text
    }

    /// What a terminal shows: warnings, claims and remarks; one line where all were measured too shortly. Tables and
    /// conditions are in [`ReplayPage::text`].
    pub fn summary(&self) -> String {
        let preface = self.preface();
        match self.claims.split_first() {
            Some((first, others))
                if first.verdict == Verdict::TooShort
                    && others.iter().all(|claim| claim.why == first.why) =>
            {
                let (count, verdict) = (counted(self.claims.len() as u64, "claim"), first.verdict);
                preface + &item(&format!("{count}: **{}**: {}", verdict.words(), first.why))
            }
            _ => preface + &self.judged(),
        }
    }

    /// The whole as Markdown of 80 columns.
    pub fn text(&self) -> String {
        let mut text = self.preface();
        for table in self.tables.iter().filter(|table| !table.rows.is_empty()) {
            let _ = write!(text, "\n## {}\n\n{}", table.caption, markdown(table));
        }
        if !self.conditions.is_empty() {
            let _ = write!(text, "\n## {CONDITIONS}\n");
        }
        for it in &self.conditions {
            text.push_str(&item(&format!("{}: {}", it.what, it.published)));
            text.push_str(&wrap(&format!("  Here: {}\n", it.here), COLUMNS, "  "));
        }
        text + &self.judged()
    }
}

/// An item of a list, with an empty line before it.
fn item(text: &str) -> String {
    format!("\n{}\n", wrap(&format!("- {text}"), COLUMNS, "  "))
}

/// A table of figures. One that is too wide for a terminal is split: each part repeats the columns
/// that name the rows, with as many others as fit.
fn markdown(table: &TextTable) -> String {
    let clean = |cell: &String| cell.replace('|', "\\|").replace('\n', " ");
    let rows: Vec<Vec<String>> = std::iter::once(&table.head)
        .chain(&table.rows)
        .map(|row| row.iter().map(clean).collect())
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let names = label_columns(table);
    let parts = parts(&widths, names);
    let parts: Vec<String> =
        parts.iter().map(|part| part_of(&rows, &widths, part, names)).collect();
    parts.join("\n")
}

/// The number of leading columns that name the rows: those without a number in any row.
pub(super) fn label_columns(table: &TextTable) -> usize {
    let is_figure = |column: &usize| {
        let cells = || table.rows.iter().filter_map(|row| row.get(*column));
        cells().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || "+-−".contains(c)))
            && !cells().any(|cell| cell.contains('x'))
    };
    (1..table.head.len()).find(is_figure).unwrap_or(1)
}

/// The columns of each part, so that none is wider than a terminal if possible.
fn parts(widths: &[usize], names: usize) -> Vec<Vec<usize>> {
    let wide = |column: &usize| widths.get(*column).map_or(0, |width| width + 3);
    let beginning: Vec<usize> = (0..names.min(widths.len())).collect();
    let mut parts = vec![beginning.clone()];
    for column in names..widths.len() {
        let Some(part) = parts.last_mut() else { break };
        let total: usize = part.iter().map(wide).sum::<usize>() + wide(&column) + 1;
        if total > COLUMNS && part.len() > names {
            parts.push(beginning.clone());
        }
        if let Some(part) = parts.last_mut() {
            part.push(column);
        }
    }
    parts
}

fn part_of(rows: &[Vec<String>], widths: &[usize], part: &[usize], names: usize) -> String {
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for column in part {
            let (cell, width) = (row.get(*column).map_or("", String::as_str), widths[*column]);
            let _ = match *column >= names {
                true => write!(text, "| {cell:>width$} "),
                false => write!(text, "| {cell:<width$} "),
            };
        }
        text.push_str("|\n");
        if number == 0 {
            for column in part {
                let end = if *column >= names { ':' } else { '-' };
                let _ = write!(text, "|{}{end}", "-".repeat(widths[*column] + 1));
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_as_text() {
        let page = ReplayPage {
            title: "A & B".into(),
            notes: vec!["Read <this>.".into()],
            bars: Vec::new(),
            tables: vec![TextTable {
                caption: "Times".into(),
                head: vec!["what".into(), "ms".into()],
                rows: vec![vec!["view".into(), "1.5".into()]],
            }],
            conditions: Vec::new(),
            claims: vec![Claim {
                text: "Faster.".into(),
                verdict: Verdict::CannotTell,
                why: "One run.".into(),
            }],
            remarks: vec![Remark { text: "A is 3 times B.".into(), here: "2 times here.".into() }],
        };
        let text = page.text();
        assert!(text.contains("| what |  ms |\n|------|----:|\n| view | 1.5 |\n"), "{text}");
        assert!(
            !text.contains("Conditions") && text.contains("- Faster.\n  **cannot tell**: One run."),
            "{text}"
        );
        assert!(text.contains("- A is 3 times B.\n  2 times here.\n"), "{text}");
        let summary = page.summary();
        assert!(text.starts_with("# A & B\n\nRead <this>.\n") && !summary.contains("Times"));
        assert!(text.ends_with(&summary["# A & B\n\nRead <this>.\n".len()..]), "{summary}");
    }

    #[test]
    fn claims_that_were_measured_too_shortly_are_one_line_on_a_terminal() {
        let claim = |why: &str| Claim {
            text: "Faster.".into(),
            verdict: Verdict::TooShort,
            why: why.into(),
        };
        let page = |claims| ReplayPage { title: "A".into(), claims, ..ReplayPage::default() };
        let summary = page(vec![claim("10 of 20."), claim("10 of 20.")]).summary();
        assert_eq!(summary, "# A\n\n- 2 claims: **too short to judge**: 10 of 20.\n");
        let summary = page(vec![claim("10 of 20."), claim("10 of 30.")]).summary();
        assert_eq!(summary.matches("Faster.").count(), 2, "{summary}");
    }

    #[test]
    fn a_wide_table_is_cut_into_several() {
        let head = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let figures = ["12345678"; 9];
        let table = TextTable {
            caption: "Times".into(),
            head: head(&["server", "resource", "a", "b", "c", "d", "e", "f", "g", "h", "i"]),
            rows: vec![head(&[&["ORDS 24.1.0 (published)", "view"][..], &figures].concat())],
        };
        let text = ReplayPage { tables: vec![table], ..ReplayPage::default() }.text();
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        let rows = text.lines().filter(|line| line.starts_with("| ORDS 24.1.0 (published) | view"));
        assert_eq!(rows.count(), 3, "{text}");
        assert_eq!(text.matches("12345678").count(), 9, "{text}");
    }
}
