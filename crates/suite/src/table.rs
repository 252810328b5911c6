//! Where the minutes went, as a table; printed, and kept in CONTRIBUTING.md.

use std::fmt::Write as _;

/// The lines around the table in CONTRIBUTING.md.
const MARKS: (&str, &str) =
    ("<!-- minutes: written by ./test --record -->\n", "<!-- end of minutes -->");

/// How many of the slowest tests are listed.
const SLOWEST: usize = 20;

/// A step that was run.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) catches: &'static str,
}

/// What a whole run took.
#[derive(Debug, Default)]
pub(super) struct Minutes {
    pub(super) steps: Vec<Step>,
    /// Name and seconds of each test.
    pub(super) tests: Vec<(String, f64)>,
    /// What time was spent on, and seconds.
    pub(super) kinds: Vec<(&'static str, f64)>,
    /// The machine, the date and what was there before.
    pub(super) host: String,
}

impl Minutes {
    /// The table in Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut text =
            format!("{}\n\n| step | seconds | what it catches |\n|---|---|---|\n", self.host);
        // Writing to a String cannot fail.
        for Step { name, seconds, catches } in &self.steps {
            let _ = writeln!(text, "| {name} | {seconds:.0} | {catches} |");
        }
        let whole: f64 = self.steps.iter().map(|step| step.seconds).sum();
        let _ = writeln!(text, "| **all** | **{whole:.0}** | |");
        text.push_str("\n| time in | seconds |\n|---|---|\n");
        for (kind, seconds) in &self.kinds {
            let _ = writeln!(text, "| {kind} | {seconds:.0} |");
        }
        let _ = writeln!(text, "\n| the {SLOWEST} slowest tests | seconds |\n|---|---|");
        for (name, seconds) in self.slowest() {
            let _ = writeln!(text, "| `{name}` | {seconds:.1} |");
        }
        text
    }

    fn slowest(&self) -> Vec<(String, f64)> {
        let mut tests = self.tests.clone();
        tests.sort_by(|one, other| other.1.total_cmp(&one.1));
        tests.truncate(SLOWEST);
        tests
    }
}

/// The page with another table between its marks.
///
/// # Errors
/// If it has no marks.
pub(super) fn replaced(page: &str, table: &str) -> Result<String, String> {
    let (from, to) = MARKS;
    let parts = page.split_once(from).and_then(|(head, rest)| Some((head, rest.split_once(to)?.1)));
    let (head, tail) = parts.ok_or_else(|| format!("CONTRIBUTING.md lacks {from:?} or {to:?}"))?;
    Ok(format!("{head}{from}\n{}\n\n{to}{tail}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_steps_kinds_and_the_slowest_tests() {
        let step = |name: &str, seconds| Step { name: name.to_owned(), seconds, catches: "errors" };
        let minutes = Minutes {
            steps: vec![step("build", 90.4), step("tests", 10.0)],
            tests: (0..30).map(|number| (format!("sql t{number}"), f64::from(number))).collect(),
            kinds: vec![("linking", 7.0)],
            host: "Two cores.".to_owned(),
        };
        let text = minutes.markdown();
        assert!(text.starts_with("Two cores.\n\n| step"), "{text}");
        assert!(
            text.contains(
                "| build | 90 | errors |\n| tests | 10 | errors |\n| **all** | **100** | |"
            )
        );
        assert!(text.contains("| linking | 7 |"));
        assert!(text.contains("| `sql t29` | 29.0 |\n| `sql t28` | 28.0 |"));
        assert!(!text.contains("t9`"));
    }

    #[test]
    fn the_page_keeps_what_is_around_the_table() {
        let page = format!("before\n{}old\n{}\nafter", MARKS.0, MARKS.1);
        let page = replaced(&page, "new\n").unwrap();
        assert_eq!(page, format!("before\n{}\nnew\n\n{}\nafter", MARKS.0, MARKS.1));
        assert_eq!(replaced(&page, "new").unwrap(), page);
        assert!(replaced("", "new").unwrap_err().contains("CONTRIBUTING.md"));
    }
}
