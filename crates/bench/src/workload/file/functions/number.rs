//! Numbers that steps and checks have as texts: what they may be, and what is said of one that is none.

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberKind {
    /// Passes, milliseconds, bytes.
    Count,
    /// Passes of a loop, of which -1 are all.
    Loops,
    Port,
    /// A length or a rate.
    Amount,
    Percent,
}

impl NumberKind {
    /// The number that a text is.
    pub(crate) fn read(self, text: &str) -> Option<f64> {
        let text = text.trim();
        let (least, most) = match self {
            Self::Count => (0.0, f64::MAX),
            Self::Loops => (-1.0, f64::MAX),
            Self::Port => (1.0, 65_535.0),
            Self::Amount => (0.0, f64::MAX),
            Self::Percent => (0.0, 100.0),
        };
        let number = match self {
            Self::Amount | Self::Percent => text.parse().ok(),
            // Each whole number of this size has a number with a fraction near enough.
            _ => text.parse::<i64>().ok().map(|number| number as f64),
        };
        number.filter(|number| (least..=most).contains(number))
    }

    /// The number that JMeter takes a computed text for that is none: 0, and of a loop all passes where it is below.
    pub(crate) fn in_jmeter(self, text: &str) -> f64 {
        let number = text.trim().parse::<i64>().unwrap_or_default() as f64;
        if self == Self::Loops { number.max(-1.0) } else { number.max(0.0) }
    }

    /// What it is, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Count => "a whole number from 0 on",
            Self::Loops => "a whole number from 0 on, or -1",
            Self::Port => "a whole number from 1 to 65535",
            Self::Amount => "a number from 0 on",
            Self::Percent => "a number from 0 to 100",
        }
    }

    /// Why a text is not taken.
    pub(crate) fn refusal(self, text: &str) -> String {
        format!("{:?} is not {}", text.trim(), self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::NumberKind::{Amount, Count, Loops, Percent, Port};

    #[test]
    fn words_and_numbers_out_of_bounds_are_none() {
        for (kind, text, expected) in [
            (Count, " 5 ", Some(5.0)),
            (Count, "-1", None),
            (Count, "1.5", None),
            (Count, "", None),
            (Loops, "-1", Some(-1.0)),
            (Loops, "-2", None),
            (Port, "0", None),
            (Port, "99999", None),
            (Port, "74 01", None),
            (Amount, "1.5", Some(1.5)),
            (Amount, "-0.5", None),
            (Amount, "abc", None),
            (Amount, "nan", None),
            (Amount, "inf", None),
            (Percent, "100", Some(100.0)),
            (Percent, "200", None),
        ] {
            assert_eq!(kind.read(text), expected, "{kind:?} {text}");
        }
    }
}
