//! The report of an import: each line of the module, and what became of it.

use std::collections::BTreeMap;

use duet_service::definition::LineOutcome;

/// A line of a file of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) file: String,
    /// From 1; 0 for the whole file.
    pub(super) line: usize,
    pub(super) what: String,
    pub(super) outcome: LineOutcome,
    pub(super) why: String,
}

/// All lines.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) lines: Vec<Line>,
}

/// What no line shows, as it is the same for all searches and indexes.
const ACCENTS: &str = "Searches and indexes without accents, unique ones too, differ from `f_unaccent`: only letters lose accents, also Cyrillic \
     and Greek ones (`й` is `и`), and signs such as `’`, `“`, `–`, `…`, `½`, `№`, `ﬁ` and letters of full width stay.";

impl Report {
    /// Adds a line.
    pub(super) fn add(
        &mut self,
        file: &str,
        line: usize,
        what: impl Into<String>,
        outcome: LineOutcome,
        why: impl Into<String>,
    ) {
        let (file, what, why) = (file.to_owned(), what.into(), why.into());
        self.lines.push(Line { file, line, what, outcome, why });
    }

    /// How many lines have an outcome.
    pub(super) fn count(&self, outcome: LineOutcome) -> usize {
        self.lines.iter().filter(|line| line.outcome == outcome).count()
    }

    /// `113 lines: 100 taken, 8 taken otherwise, 5 refused.`
    pub(super) fn summary(&self) -> String {
        let of = |outcome: LineOutcome| format!("{} {}", self.count(outcome), outcome.word());
        let all = [LineOutcome::Taken, LineOutcome::Otherwise, LineOutcome::Refused].map(of);
        format!("{} lines: {}.", self.lines.len(), all.join(", "))
    }

    /// The refused lines as text, one each.
    pub(super) fn refused(&self) -> String {
        let refused = self.lines.iter().filter(|line| line.outcome == LineOutcome::Refused);
        refused.map(|line| format!("  {}: {}: {}\n", place(line), line.what, line.why)).collect()
    }

    /// The report as Markdown.
    pub(super) fn markdown(&self, module: &str) -> String {
        let mut text = format!("# Import of {module}\n\n{}\n\n{ACCENTS}\n", self.summary());
        let mut files: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
        for line in &self.lines {
            files.entry(&line.file).or_default().push(line);
        }
        for (file, mut lines) in files {
            lines.sort_by_key(|line| line.line);
            text.push_str(&format!(
                "\n## {file}\n\n| line | what | outcome | why |\n|---|---|---|---|\n"
            ));
            for line in lines {
                let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
                text.push_str(&format!(
                    "| {} | {} | {} | {} |\n",
                    line.line,
                    cell(&line.what),
                    line.outcome.word(),
                    cell(&line.why)
                ));
            }
        }
        text
    }
}

fn place(line: &Line) -> String {
    match line.line {
        0 => line.file.clone(),
        number => format!("{}:{number}", line.file),
    }
}
