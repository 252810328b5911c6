//! What the last runs took: seconds of programs and tests, kept in `target/test/times.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::run::Outcome;

/// Seconds by name.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Record {
    /// Of a program.
    pub(super) programs: BTreeMap<String, f64>,
    /// Of a test, as `program test`.
    pub(super) tests: BTreeMap<String, f64>,
}

impl Record {
    /// What the file says; nothing where there is none, or an older format.
    pub(super) fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let seconds = |name: &str| {
            let members = value[name].as_object().into_iter().flatten();
            members.filter_map(|(name, seconds)| Some((name.clone(), seconds.as_f64()?))).collect()
        };
        Self { programs: seconds("programs"), tests: seconds("tests") }
    }

    /// Adds what was run, and writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep(
        mut self,
        outcomes: &[Outcome],
        whole: bool,
        file: &Path,
    ) -> std::io::Result<()> {
        for outcome in outcomes {
            let program = outcome.program.name();
            // A part of a program says nothing about the whole.
            if whole {
                self.programs.insert(program.clone(), outcome.seconds);
            }
            let tests = outcome.tests.iter();
            self.tests.extend(tests.map(|test| (format!("{program} {}", test.name), test.seconds)));
        }
        fs::write(file, json!({"programs": self.programs, "tests": self.tests}).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Program;
    use crate::run::{Ending, Test};

    #[test]
    fn times_are_kept_from_run_to_run() {
        let file = std::env::temp_dir().join(format!("suite-times-{}.json", std::process::id()));
        let test = Test { name: "a::b".to_owned(), seconds: 0.5, ending: Ending::Passed };
        let outcome = Outcome {
            program: Program {
                package: "duet-sql".to_owned(),
                selection: "--lib".to_owned(),
                path: "/nowhere".into(),
                folder: "/nowhere".into(),
                source: "/nowhere/main.rs".into(),
                variables: Vec::new(),
            },
            tests: vec![test],
            seconds: 2.0,
            log: "/nowhere".into(),
            trouble: None,
        };
        let mut first = Record::read(&file);
        assert_eq!(first, Record::default());
        first.programs.insert("old".to_owned(), 1.0);
        first.keep(&[outcome], true, &file).unwrap();
        let again = Record::read(&file);
        fs::remove_file(&file).unwrap();
        assert_eq!(again.programs, [("old".to_owned(), 1.0), ("sql".to_owned(), 2.0)].into());
        assert_eq!(again.tests, [("sql a::b".to_owned(), 0.5)].into());
    }
}
