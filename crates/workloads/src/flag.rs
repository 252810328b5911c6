//! Command-line options of a workload or a data set, as data: `duet` builds the flags, their help
//! and their checks from it.

use std::collections::BTreeMap;

use duet_text::time::moment::{days_from_civil, read_date};

/// An option of a workload or of a data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flag {
    /// Its name on the command line, without the dashes.
    pub name: &'static str,
    /// The placeholder of its value in the help; empty for a [switch](Values::Switch).
    pub placeholder: &'static str,
    /// What it does, in one line of help.
    pub help: &'static str,
    /// The default; an option without one describes in its help what happens then.
    pub default: Option<&'static str>,
    /// The values that it accepts.
    pub values: Values,
}

/// The values of an option. The command line rejects all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// No value: it is a switch.
    Switch,
    /// One of these words, each with its help.
    Words(&'static [(&'static str, &'static str)]),
    /// A whole number: the minimum and the maximum.
    Whole(u64, u64),
    /// A name of ASCII letters, digits, `-` and `_`.
    Name,
    /// A date, `YYYY-MM-DD`.
    Date,
}

impl Values {
    /// Whether a text is a [name](Self::Name).
    pub fn is_name(text: &str) -> bool {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !text.is_empty() && text.bytes().all(is_sign)
    }

    /// The days from 1970-01-01 to a [date](Self::Date), if it is one of the years 1000 to 9000.
    pub fn day(text: &str) -> Option<i64> {
        const DAYS: std::ops::Range<i64> = days_from_civil(1000, 1, 1)..days_from_civil(9001, 1, 1);
        let (day, rest) = read_date(text)?;
        (rest.is_empty() && DAYS.contains(&day)).then_some(day)
    }
}

/// The options that were given, by name. Their values are valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagValues(BTreeMap<String, String>);

impl FlagValues {
    /// Adds an option; a switch has the value `1`.
    pub fn insert(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// As [`FlagValues::insert`], in an expression.
    pub fn with(mut self, flag: &Flag, value: impl Into<String>) -> Self {
        self.insert(flag.name, value);
        self
    }

    /// The names of the options that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether an option was given.
    pub fn has(&self, flag: &Flag) -> bool {
        self.0.contains_key(flag.name)
    }

    /// The value of an option: the given one, or its default.
    pub fn text(&self, flag: &Flag) -> Option<&str> {
        self.0.get(flag.name).map(String::as_str).or(flag.default)
    }

    /// The value of an option that takes whole numbers.
    pub fn whole(&self, flag: &Flag) -> Option<u64> {
        self.text(flag)?.parse().ok()
    }

    /// The days from 1970-01-01 to the value of an option that takes dates.
    pub fn day(&self, flag: &Flag) -> Option<i64> {
        Values::day(self.text(flag)?)
    }

    /// Whether a switch was given.
    pub fn is_on(&self, flag: &Flag) -> bool {
        self.text(flag) == Some("1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(Values::is_name("a-B_7"));
        assert!(["", "a b", "a\r\nb", "é"].iter().all(|text| !Values::is_name(text)));
    }

    #[test]
    fn dates() {
        assert_eq!(Values::day("1970-01-02"), Some(1));
        for other in ["2025-02-29", "2025-1-1", "2025-01-01T00", "0999-12-31", "9001-01-01", ""] {
            assert_eq!(Values::day(other), None, "{other}");
        }
    }

    #[test]
    fn values_and_defaults() {
        let help = "";
        let tries = Flag {
            name: "tries",
            placeholder: "N",
            help,
            default: Some("3"),
            values: Values::Whole(0, 9),
        };
        let all =
            Flag { name: "all", placeholder: "", help, default: None, values: Values::Switch };
        let mut given = FlagValues::default();
        assert_eq!(
            (given.whole(&tries), given.is_on(&all), given.has(&tries)),
            (Some(3), false, false)
        );
        given.insert("tries", "7");
        let given = given.with(&all, "1");
        assert_eq!((given.whole(&tries), given.is_on(&all)), (Some(7), true));
        assert_eq!(given.names().collect::<Vec<_>>(), ["all", "tries"]);
    }
}
