//! How many instances there are.

use std::str::FromStr;

/// More processes than this have no benefit on any machine.
const MOST: usize = 256;

/// The least and the most instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// That many are kept running.
    pub least: usize,
    /// That many run under load.
    pub most: usize,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let number = text.trim().parse().ok().filter(|number| (1..=MOST).contains(number));
            number
                .ok_or_else(|| format!("use a number from 1 to {MOST}, or a range such as `2..8`"))
        };
        let (least, most) = match text.split_once("..") {
            Some((least, most)) => (number(least)?, number(most)?),
            None => (number(text)?, number(text)?),
        };
        match least <= most {
            true => Ok(Self { least, most }),
            false => Err("the second number of a range is not below the first".into()),
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.least == self.most {
            true => write!(f, "{}", self.least),
            false => write!(f, "{}..{}", self.least, self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        for (text, least, most) in [("1", 1, 1), ("2..2", 2, 2), (" 2 .. 256", 2, 256)] {
            assert_eq!(text.parse(), Ok(Range { least, most }), "{text}");
        }
        for text in ["", "0", "0..2", "3..2", "1..257", "..4", "2..", "-1", "a"] {
            assert!(text.parse::<Range>().is_err(), "{text}");
        }
        assert_eq!(Range { least: 2, most: 5 }.to_string(), "2..5");
        assert_eq!(Range { least: 2, most: 2 }.to_string(), "2");
    }
}
