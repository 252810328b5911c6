//! What is asked of a run.

/// How `./test` is called.
pub(super) const USAGE: &str = "\
usage: ./test [--long] [--record]      everything that continuous integration checks
       ./test CRATE… [--test NAME]     the tests of crates, and short ones of crates that use them
       ./test --changed                the same for what differs from origin/main

  --long        the full counts of kills, power cuts, random operations and examples, and the scripts of bench/all.sh once
  --record      writes the table of minutes into CONTRIBUTING.md
  --test NAME   only the tests with this in their names
";

/// The options of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) long: bool,
    pub(super) record: bool,
    pub(super) changed: bool,
    /// Crates, as they were typed.
    pub(super) crates: Vec<String>,
    pub(super) filter: Option<String>,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// A text that names the argument.
    pub(super) fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = arguments.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--long" => options.long = true,
                "--record" => options.record = true,
                "--changed" => options.changed = true,
                "--test" => options.filter = Some(words.next().ok_or("--test needs a name")?),
                _ if word.starts_with('-') => return Err(format!("{word} is no option")),
                _ => options.crates.push(word),
            }
        }
        if options.is_part() && (options.long || options.record) {
            return Err("--long and --record are for whole runs".to_owned());
        }
        if options.changed && !options.crates.is_empty() {
            return Err("name crates, or say --changed".to_owned());
        }
        Ok(options)
    }

    /// Whether some tests are left out.
    pub(super) fn is_part(&self) -> bool {
        self.changed || !self.crates.is_empty() || self.filter.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_taken_or_named() {
        let read = |text: &str| Options::read(text.split_whitespace().map(str::to_owned));
        assert_eq!(read(""), Ok(Options::default()));
        let part = read("crates/sql --test a::b").unwrap();
        assert_eq!(
            (part.crates, part.filter.as_deref()),
            (vec!["crates/sql".to_owned()], Some("a::b"))
        );
        assert!(read("--long").unwrap().long);
        for (wrong, said) in [
            ("--fast", "--fast"),
            ("--test", "name"),
            ("--long sql", "whole"),
            ("--changed sql", "or"),
        ] {
            assert!(read(wrong).unwrap_err().contains(said), "{wrong}");
        }
    }
}
