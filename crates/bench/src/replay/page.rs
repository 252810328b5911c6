//! The page that a repeated report ends with: tables, conditions, claims; as text and as HTML.

use std::fmt::Write as _;

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so here too.
    Holds,
    /// It is not so here.
    DoesNotHold,
    /// What was measured does not decide it.
    CannotTell,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// Something that the report says.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What it says, in our words.
    pub text: String,
    /// What becomes of it.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
}

/// Something that differs between the report's measurement and this one.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What: `database`, `client`.
    pub what: String,
    /// In the report.
    pub published: String,
    /// Here.
    pub here: String,
}

/// A table; the first column is text, the others are figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The names of its columns.
    pub head: Vec<String>,
    /// Its rows, as wide as the head.
    pub rows: Vec<Vec<String>>,
}

/// The page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The report's title.
    pub title: String,
    /// What must be known first, in plain words.
    pub notes: Vec<String>,
    /// The tables, in the report's order.
    pub tables: Vec<Table>,
    /// What differs.
    pub conditions: Vec<Condition>,
    /// What the report says.
    pub claims: Vec<Claim>,
}

const CLAIMS: &str = "Claims";

impl Page {
    fn conditions_table(&self) -> Table {
        let row = |row: &Condition| vec![row.what.clone(), row.published.clone(), row.here.clone()];
        Table {
            caption: "Conditions that differ".into(),
            head: ["", "published", "here"].map(str::to_owned).to_vec(),
            rows: self.conditions.iter().map(row).collect(),
        }
    }

    /// Claims as a list: what they rest on is too long for a cell of text.
    fn claims_text(&self) -> String {
        let mut text = String::new();
        for claim in &self.claims {
            let verdict = claim.verdict.words();
            let _ = write!(text, "\n- {} **{verdict}**: {}\n", claim.text, claim.why);
        }
        text
    }

    fn claims_table(&self) -> Table {
        let row = |claim: &Claim| {
            vec![claim.text.clone(), claim.verdict.words().into(), claim.why.clone()]
        };
        Table {
            caption: CLAIMS.into(),
            head: ["the report says", "here", "because"].map(str::to_owned).to_vec(),
            rows: self.claims.iter().map(row).collect(),
        }
    }

    /// Tables that are not empty, each with whether it holds figures.
    fn tables_and_conditions(&self) -> impl Iterator<Item = (Table, bool)> {
        let figures = self.tables.iter().cloned().map(|table| (table, true));
        let all = figures.chain([(self.conditions_table(), false)]);
        all.filter(|(table, _)| !table.rows.is_empty())
    }

    /// As Markdown, readable as it is on a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        for (table, figures) in self.tables_and_conditions() {
            let _ = write!(text, "\n## {}\n\n{}", table.caption, markdown(&table, figures));
        }
        if !self.claims.is_empty() {
            let _ = write!(text, "\n## {CLAIMS}\n{}", self.claims_text());
        }
        text
    }

    /// As one page that needs nothing else.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>\n"
        );
        for note in &self.notes {
            let _ = writeln!(html, "<p>{}</p>", escaped(note));
        }
        let claims = Some((self.claims_table(), false)).filter(|_| !self.claims.is_empty());
        for (table, figures) in self.tables_and_conditions().chain(claims) {
            let _ = writeln!(
                html,
                "<h2>{}</h2><div class=\"wide\"><table{}>",
                escaped(&table.caption),
                if figures { " class=\"figures\"" } else { "" }
            );
            let cells = |tag: &str, cells: &[String]| -> String {
                cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
            };
            let _ = writeln!(html, "<thead><tr>{}</tr></thead><tbody>", cells("th", &table.head));
            for row in &table.rows {
                let _ = writeln!(html, "<tr>{}</tr>", cells("td", row));
            }
            html.push_str("</tbody></table></div>\n");
        }
        html.push_str("</body></html>\n");
        html
    }
}

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.45 system-ui,sans-serif;max-width:70rem;margin:1rem auto;padding:0 1rem}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92em}th,td{padding:.3em .7em;text-align:left;\
vertical-align:top;border-bottom:1px solid #8885}.figures td:not(:first-child),.figures th:not(:first-child)\
{text-align:right;font-variant-numeric:tabular-nums}@media print{body{max-width:none}.wide{overflow:visible}}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A table whose columns stand under each other.
fn markdown(table: &Table, figures: bool) -> String {
    let clean = |cell: &String| cell.replace('|', "\\|").replace('\n', " ");
    let rows: Vec<Vec<String>> = std::iter::once(&table.head)
        .chain(&table.rows)
        .map(|row| row.iter().map(clean).collect())
        .collect();
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match figures && column > 0 {
                true => write!(text, "| {cell:>width$} "),
                false => write!(text, "| {cell:<width$} "),
            };
        }
        text.push_str("|\n");
        if number == 0 {
            for (column, width) in widths.iter().enumerate() {
                let end = if figures && column > 0 { ':' } else { '-' };
                let _ = write!(text, "|{}{end}", "-".repeat(width + 1));
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
    fn a_page_as_text_and_as_html() {
        let page = Page {
            title: "A & B".into(),
            notes: vec!["Read <this>.".into()],
            tables: vec![Table {
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
        };
        let text = page.text();
        assert!(text.contains("| what |  ms |\n|------|----:|\n| view | 1.5 |\n"), "{text}");
        assert!(
            !text.contains("Conditions") && text.contains("- Faster. **cannot tell**: One run."),
            "{text}"
        );
        let html = page.html();
        assert!(
            html.contains("<h1>A &amp; B</h1>") && html.contains("Read &lt;this&gt;."),
            "{html}"
        );
    }
}
