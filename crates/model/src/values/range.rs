//! Ranges of numbers and of moments, whose ends belong to them; a missing end is open.
//!
//! A range of moments has microseconds since 1970 as its ends.

use std::fmt;

use duet_text::decimal::Decimal;
use duet_text::time::moment;

use super::pair::PairKind;

/// How a range is to be to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeRelation {
    /// Both have a point in common.
    Overlaps,
    /// All of its points are in the other one.
    Within,
    /// It has all points of the other one.
    Encloses,
}

impl RangeRelation {
    /// All of them with their operators in `q`.
    pub const NAMES: [(&'static str, Self); 3] =
        [("$overlaps", Self::Overlaps), ("$within", Self::Within), ("$encloses", Self::Encloses)];

    /// The operator in `q`.
    pub const fn operator(self) -> &'static str {
        match self {
            Self::Overlaps => "$overlaps",
            Self::Within => "$within",
            Self::Encloses => "$encloses",
        }
    }
}

/// A range that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    low: Option<Decimal>,
    high: Option<Decimal>,
}

impl Range {
    /// The range between two members of a document, each given as its text; `None` where both are missing, where one is
    /// neither missing nor a number or moment, and where the first is greater than the second.
    pub fn of(kind: PairKind, first: Option<&str>, second: Option<&str>) -> Option<Self> {
        if first.is_none() && second.is_none() {
            return None;
        }
        let end = |text: &str| match kind {
            PairKind::Moments => stored_moment(text).and_then(of_micros),
            PairKind::Numbers | PairKind::Point => Decimal::parse(text),
        };
        Self::between(first.map(end), second.map(end))
    }

    /// Reads `[low,high]`, in which an end may be missing, and is a number or a date and time. `None` for any other text
    /// and for a range that ends before it begins.
    ///
    /// ```
    /// use duet_model::{Range, RangeRelation};
    ///
    /// let range = |text: &str| Range::parse(text).unwrap();
    /// assert!(range("[1,5]").holds(RangeRelation::Overlaps, &range("[5,]")));
    /// assert!(!range("[1,5]").holds(RangeRelation::Within, &range("[2,]")));
    /// assert_eq!(range("[2024-01-01T00:00:00,]").to_string(), "[1704067200000000,]");
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (low, high) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
        let end = |text: &str| {
            Decimal::parse(text).or_else(|| moment::moment_of(text).and_then(of_micros))
        };
        let given = |text| Some(text).filter(|text: &&str| !text.is_empty()).map(end);
        Self::between(given(low), given(high))
    }

    /// The inner option is absent for an end that is none.
    fn between(low: Option<Option<Decimal>>, high: Option<Option<Decimal>>) -> Option<Self> {
        let present = |end: Option<Option<Decimal>>| match end {
            None => Some(None),
            Some(end) => end.map(Some),
        };
        let (low, high) = (present(low)?, present(high)?);
        let is_empty = matches!((&low, &high), (Some(low), Some(high)) if low > high);
        (!is_empty).then_some(Self { low, high })
    }

    /// Both ends as numbers, as near to them as there are; `None` for an open end. The order of ends is kept.
    pub fn bounds(&self) -> [Option<f64>; 2] {
        [&self.low, &self.high].map(|end| end.as_ref()?.to_string().parse().ok())
    }

    /// Whether it is so to another range.
    pub fn holds(&self, relation: RangeRelation, other: &Self) -> bool {
        match relation {
            RangeRelation::Overlaps => {
                begins_before_end(self, other) && begins_before_end(other, self)
            }
            RangeRelation::Within => other.has_all_of(self),
            RangeRelation::Encloses => self.has_all_of(other),
        }
    }

    fn has_all_of(&self, inner: &Self) -> bool {
        let from_low = match (&self.low, &inner.low) {
            (None, _) => true,
            (Some(low), Some(inner)) => low <= inner,
            (Some(_), None) => false,
        };
        let to_high = match (&self.high, &inner.high) {
            (None, _) => true,
            (Some(high), Some(inner)) => inner <= high,
            (Some(_), None) => false,
        };
        from_low && to_high
    }
}

fn begins_before_end(one: &Range, other: &Range) -> bool {
    match (&one.low, &other.high) {
        (Some(low), Some(high)) => low <= high,
        _ => true,
    }
}

/// The moment of a text in a document. Of the first and the last day that there are, those with an offset that could lead
/// out of them are none.
fn stored_moment(text: &str) -> Option<i64> {
    let leads_out = text.starts_with("0001-01-01") && text.contains('+')
        || text.starts_with("9999-12-31") && text.get(10..).is_some_and(|time| time.contains('-'));
    moment::moment_of(text).filter(|_| !leads_out)
}

fn of_micros(micros: i64) -> Option<Decimal> {
    Decimal::parse(&micros.to_string())
}

impl fmt::Display for Range {
    /// `[low,high]`, both as numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: &Option<Decimal>| end.as_ref().map(Decimal::to_string).unwrap_or_default();
        write!(f, "[{},{}]", end(&self.low), end(&self.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_members_are_a_range() {
        let of = |kind, first, second| {
            Range::of(kind, first, second).map_or("none".to_owned(), |range| range.to_string())
        };
        use PairKind::{Moments, Numbers};
        for (kind, first, second, expected) in [
            (Numbers, Some("1"), Some("2.50"), "[1,2.5]"),
            (Numbers, Some("1"), Some("1.0"), "[1,1]"),
            (Numbers, Some("1e2"), None, "[100,]"),
            (Numbers, None, Some("-3"), "[,-3]"),
            (Numbers, None, None, "none"),
            (Numbers, Some("2"), Some("1"), "none"),
            (Numbers, Some("x"), Some("1"), "none"),
            (Numbers, Some("2024-01-01"), None, "none"),
            (Moments, Some("1970-01-02"), None, "[86400000000,]"),
            (Moments, Some("1970-01-01T00:00:01.5+00:30"), None, "[-1798500000,]"),
            (Moments, Some("1970-01-01"), Some("2023-02-29"), "none"),
            (Moments, Some("1970-01-01"), Some("7"), "none"),
            (Moments, Some("0001-01-01T05:00:00+01:00"), None, "none"),
            (Moments, None, Some("9999-12-31T00:00:00-01:00"), "none"),
            (Moments, None, Some("9999-12-31"), "[,253402214400000000]"),
        ] {
            assert_eq!(of(kind, first, second), expected, "{first:?} {second:?}");
        }
    }

    #[test]
    fn ranges_relate_by_their_ends() {
        use RangeRelation::{Encloses, Overlaps, Within};
        for (one, other, expected) in [
            ("[1,5]", "[5,9]", vec![Overlaps]),
            ("[1,4.9]", "[5,9]", vec![]),
            ("[1,5]", "[1,5]", vec![Overlaps, Within, Encloses]),
            ("[2,3]", "[1,]", vec![Overlaps, Within]),
            ("[1,]", "[2,3]", vec![Overlaps, Encloses]),
            ("[,5]", "[,6]", vec![Overlaps, Within]),
            ("[,5]", "[1,9]", vec![Overlaps]),
            ("[,]", "[1,9]", vec![Overlaps, Encloses]),
        ] {
            let [left, right] = [one, other].map(|text| Range::parse(text).unwrap());
            let found: Vec<_> = RangeRelation::NAMES.map(|(_, relation)| relation).into();
            let found: Vec<_> =
                found.into_iter().filter(|relation| left.holds(*relation, &right)).collect();
            assert_eq!(found, expected, "{one} {other}");
        }
        for wrong in ["", "[1,2", "[1]", "[2,1]", "[a,2]", "(1,2)"] {
            assert_eq!(Range::parse(wrong), None, "{wrong}");
        }
    }
}
