//! Which elements of an array an SQL/JSON path selects: `0`, `last-1`, `0 to 2`, `0,last`.

use std::fmt;

/// A position in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayPosition {
    /// The number of elements before it.
    Start(u32),
    /// The number of elements behind it: `last` has none.
    End(u32),
}

/// Elements from one position to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionRange {
    /// The first one.
    pub from: ArrayPosition,
    /// The last one.
    pub to: ArrayPosition,
}

/// The elements between the brackets of an array step; each counts once, in the order of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions(Vec<PositionRange>);

/// How many spans a step may have.
const MOST_SPANS: usize = 32;

/// Some elements from an end of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArraySlice {
    /// Whether they are counted from the last element.
    pub from_end: bool,
    /// How many are passed over.
    pub skipped: u32,
    /// How many there are; `None`: all others.
    pub taken: Option<u32>,
}

impl Positions {
    /// Reads what is between the brackets; `None` for what selects nothing or is another form.
    ///
    /// ```
    /// use duet_text::Positions;
    ///
    /// let read = |text| Positions::parse(text).map(|it| it.to_string());
    /// assert_eq!(read(" 0 , 2 to last - 1").as_deref(), Some("0,2 to last-1"));
    /// assert_eq!(read("3 to 1").as_deref(), Some("1 to 3"));
    /// assert_eq!(read("last to 0"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let spans: Vec<_> = text
            .split(',')
            .take(MOST_SPANS + 1)
            .map(PositionRange::parse)
            .collect::<Option<_>>()?;
        (spans.len() <= MOST_SPANS).then_some(Self(spans))
    }

    /// Its only element, if it is one in every array.
    pub fn single(&self) -> Option<ArrayPosition> {
        match self.0[..] {
            [PositionRange { from, to }] if from == to => Some(from),
            _ => None,
        }
    }

    /// Whether the only element of an array of one is selected. In lax mode, any value is such an array.
    pub fn select_the_only(&self) -> bool {
        let first = |position| match position {
            ArrayPosition::Start(before) => i64::from(before),
            ArrayPosition::End(behind) => -i64::from(behind),
        };
        self.0.iter().any(|span| first(span.from) <= 0 && first(span.to) >= 0)
    }

    /// Each span as windows of which an element is in all.
    pub fn windows(&self) -> impl Iterator<Item = Vec<ArraySlice>> + '_ {
        self.0.iter().map(|span| span.windows())
    }
}

impl PositionRange {
    fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let to = words.iter().position(|word| *word == "to");
        let (from, to) = match to {
            Some(to) => {
                (ArrayPosition::parse(&words[..to])?, ArrayPosition::parse(&words[to + 1..])?)
            }
            None => (ArrayPosition::parse(&words)?, ArrayPosition::parse(&words)?),
        };
        match (from, to) {
            // The last element is in front of the first one in no array.
            (ArrayPosition::End(0), ArrayPosition::Start(0)) => None,
            (ArrayPosition::Start(a), ArrayPosition::Start(b)) if a > b => {
                Some(Self { from: to, to: from })
            }
            (ArrayPosition::End(a), ArrayPosition::End(b)) if a < b => {
                Some(Self { from: to, to: from })
            }
            _ => Some(Self { from, to }),
        }
    }

    fn windows(self) -> Vec<ArraySlice> {
        let window = |from_end, skipped, taken| ArraySlice { from_end, skipped, taken };
        let all_but = |from_end, skipped| (skipped > 0).then(|| window(from_end, skipped, None));
        match (self.from, self.to) {
            (ArrayPosition::Start(a), ArrayPosition::Start(b)) => {
                vec![window(false, a, Some(b - a + 1))]
            }
            (ArrayPosition::End(a), ArrayPosition::End(b)) => {
                vec![window(true, b, Some(a - b + 1))]
            }
            (ArrayPosition::Start(a), ArrayPosition::End(b)) => {
                [all_but(false, a), all_but(true, b)].into_iter().flatten().collect()
            }
            (ArrayPosition::End(a), ArrayPosition::Start(b)) => {
                vec![window(true, 0, Some(a + 1)), window(false, 0, Some(b + 1))]
            }
        }
    }
}

impl ArrayPosition {
    /// `2`, `last`, `last-1`, in words that blanks have separated.
    fn parse(words: &[&str]) -> Option<Self> {
        let text = words.concat();
        // Words of digits are not one number.
        if words.windows(2).any(|two| !two.concat().contains('-')) && words.len() > 1 {
            return None;
        }
        let number = |digits: &str| {
            let is_short = (1..=9).contains(&digits.len());
            let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            (is_short && are_digits).then(|| digits.parse().ok())?
        };
        match text.strip_prefix("last") {
            Some("") => Some(Self::End(0)),
            Some(rest) => number(rest.strip_prefix('-')?).map(Self::End),
            None => number(&text).map(Self::Start),
        }
    }
}

impl fmt::Display for ArrayPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(before) => write!(f, "{before}"),
            Self::End(0) => f.write_str("last"),
            Self::End(behind) => write!(f, "last-{behind}"),
        }
    }
}

impl fmt::Display for Positions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, span) in self.0.iter().enumerate() {
            f.write_str(if at > 0 { "," } else { "" })?;
            write!(f, "{}", span.from)?;
            if span.to != span.from {
                write!(f, " to {}", span.to)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(text: &str) -> Positions {
        Positions::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn what_is_no_position() {
        for text in
            ["", "-1", "1 2", "last 1", "last+1", "0,", "1 to", "to 1", "1to2", "1 to 2 to 3"]
        {
            assert_eq!(Positions::parse(text), None, "{text}");
        }
        assert_eq!(Positions::parse("9999999999"), None);
        assert_eq!(Positions::parse(&"0,".repeat(100_000)), None);
    }

    #[test]
    fn one_element() {
        assert_eq!(positions("last - 1").single(), Some(ArrayPosition::End(1)));
        assert_eq!(positions("2 to 2").single(), Some(ArrayPosition::Start(2)));
        assert_eq!(positions("0 to last").single(), None);
        assert_eq!(positions("0,0").single(), None);
    }

    #[test]
    fn a_value_is_an_array_of_one() {
        for (text, selected) in
            [("0", true), ("last", true), ("1", false), ("last-1", false), ("last-3 to 0", true)]
        {
            assert_eq!(positions(text).select_the_only(), selected, "{text}");
        }
        assert!(positions("4,0 to 2").select_the_only());
        assert!(!positions("1 to last").select_the_only());
    }

    /// The elements of an array of this length that windows select.
    fn selected(text: &str, length: u32) -> Vec<u32> {
        let is_in = |window: &ArraySlice, at: u32| {
            let at = if window.from_end { length - 1 - at } else { at };
            at >= window.skipped && window.taken.is_none_or(|taken| at - window.skipped < taken)
        };
        let positions = positions(text);
        let holds =
            |at: &u32| positions.windows().any(|all| all.iter().all(|window| is_in(window, *at)));
        (0..length).filter(holds).collect()
    }

    #[test]
    fn windows_select_the_same_elements() {
        let cases: &[(&str, &[u32], &[u32])] = &[
            // The elements of an array of five, and of one of two.
            ("0", &[0], &[0]),
            ("3", &[3], &[]),
            ("last", &[4], &[1]),
            ("last-3", &[1], &[]),
            ("1 to 3", &[1, 2, 3], &[1]),
            ("last-2 to last-1", &[2, 3], &[0]),
            ("1 to last-1", &[1, 2, 3], &[]),
            ("0 to last", &[0, 1, 2, 3, 4], &[0, 1]),
            ("last-3 to 2", &[1, 2], &[0, 1]),
            ("last,0,0", &[0, 4], &[0, 1]),
        ];
        for (text, five, two) in cases {
            assert_eq!((&selected(text, 5)[..], &selected(text, 2)[..]), (*five, *two), "{text}");
        }
    }
}
