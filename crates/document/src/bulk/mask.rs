//! Masks of dates and times, as loaders of Oracle's tools take them: `DD-MM-YYYY HH24:MI:SS`.
//!
//! Source: Oracle Database SQL Language Reference, "Datetime Format Models".

use duet_model::Type;

/// One element of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// `YYYY`: four digits.
    Year,
    /// `RRRR`: four digits, or those of `RR`.
    FullOrRoundedYear,
    /// `YY`: two digits of this century, 2000 to 2099.
    ShortYear,
    /// `RR`: two digits, 1950 to 2049.
    RoundedYear,
    /// `MM`.
    Month,
    /// `MON`: the first three letters of the English name.
    MonthAbbreviated,
    /// `MONTH`: the English name.
    MonthName,
    /// `DD`.
    Day,
    /// `HH24`.
    Hour,
    /// `HH` and `HH12`: 1 to 12, where 12 is the first; before noon without `AM` and `PM`.
    HalfHour,
    /// `AM` and `PM`: either.
    Meridian,
    /// `MI`.
    Minute,
    /// `SS`.
    Second,
    /// `FF` and `FF1` to `FF9`: digits after the point.
    Fraction,
    /// `TZH`: sign and hours; `Z` is UTC.
    ZoneHour,
    /// `TZM`.
    ZoneMinute,
    /// The character itself.
    Literal(char),
}

/// The names of elements; longer names come before their prefixes.
const ELEMENTS: [(&str, Element); 22] = [
    ("YYYY", Element::Year),
    ("RRRR", Element::FullOrRoundedYear),
    ("YY", Element::ShortYear),
    ("RR", Element::RoundedYear),
    ("MONTH", Element::MonthName),
    ("MON", Element::MonthAbbreviated),
    ("MM", Element::Month),
    ("MI", Element::Minute),
    ("DD", Element::Day),
    ("HH24", Element::Hour),
    ("HH12", Element::HalfHour),
    ("HH", Element::HalfHour),
    ("A.M.", Element::Meridian),
    ("P.M.", Element::Meridian),
    ("AM", Element::Meridian),
    ("PM", Element::Meridian),
    ("SS", Element::Second),
    ("XFF", Element::Fraction),
    ("FF", Element::Fraction),
    ("TZH", Element::ZoneHour),
    ("TZM", Element::ZoneMinute),
    ("T", Element::Literal('T')),
];

/// What is written in one way only: elements of which a mask has one at most.
const ONCE: [(&str, &[Element]); 9] = [
    ("year", &YEARS),
    ("month", &[Element::Month, Element::MonthName, Element::MonthAbbreviated]),
    ("day", &[Element::Day]),
    ("hour", &[Element::Hour, Element::HalfHour]),
    ("half of the day", &[Element::Meridian]),
    ("minute", &[Element::Minute]),
    ("second", &[Element::Second]),
    ("fraction", &[Element::Fraction]),
    ("offset", &[Element::ZoneHour]),
];
const YEARS: [Element; 4] =
    [Element::Year, Element::FullOrRoundedYear, Element::ShortYear, Element::RoundedYear];

/// The first year of this century, and the first one of two digits that is of the century before.
const CENTURY: u32 = 2_000;
const PIVOT: u32 = 50;

const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];

/// How dates or times are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    text: String,
    elements: Vec<Element>,
}

/// The masks of a load, by type; without one, texts are ISO 8601.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// For DATE.
    pub date: Option<Mask>,
    /// For TIMESTAMP.
    pub timestamp: Option<Mask>,
    /// For TIMESTAMP WITH TIME ZONE.
    pub timestamp_tz: Option<Mask>,
}

impl Masks {
    /// Gives timestamps the mask of dates, and timestamps with zone that of timestamps, where they have
    /// none: a DATE of Oracle has a time of day, and is a timestamp here.
    pub fn complete(&mut self) {
        self.timestamp = self.timestamp.take().or_else(|| self.date.clone());
        self.timestamp_tz = self.timestamp_tz.take().or_else(|| self.timestamp.clone());
    }

    pub(super) fn of(&self, ty: &Type) -> Option<&Mask> {
        match ty {
            Type::Date => self.date.as_ref(),
            Type::Timestamp => self.timestamp.as_ref(),
            Type::TimestampTz => self.timestamp_tz.as_ref(),
            _ => None,
        }
    }
}

impl Mask {
    /// Reads a mask.
    ///
    /// # Errors
    /// What it contains that is not known, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut elements = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first == '"' {
                let (literal, after) = rest[1..]
                    .split_once('"')
                    .ok_or_else(|| "a double quote is not closed".to_owned())?;
                elements.extend(literal.chars().map(Element::Literal));
                rest = after;
            } else if first.is_ascii_alphabetic() {
                let named = ELEMENTS.iter().find(|(name, _)| starts_with(rest, name));
                let (name, element) =
                    named.ok_or_else(|| format!("`{rest}` begins with no known element"))?;
                rest = &rest[name.len()..];
                if *element == Element::Fraction {
                    // The number of digits is a limit for printing.
                    rest =
                        rest.strip_prefix(|char: char| ('1'..='9').contains(&char)).unwrap_or(rest);
                    if *name == "XFF" {
                        elements.push(Element::Literal('.'));
                    }
                }
                elements.push(*element);
            } else {
                elements.push(Element::Literal(first));
                rest = &rest[first.len_utf8()..];
            }
        }
        check(&elements)?;
        Ok(Self { text: text.to_owned(), elements })
    }

    /// The mask as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A text that is written so, in ISO 8601; `None` where it is not. Whether the day and hour
    /// exist is for the reader.
    pub(super) fn canonical(&self, text: &str) -> Option<String> {
        let mut rest = text.trim();
        let mut parts = Parts::default();
        for element in &self.elements {
            rest = parts.take(*element, rest)?;
        }
        if rest.is_empty() { parts.iso() } else { None }
    }
}

/// Refuses what no date can be read by, or not by one meaning.
fn check(elements: &[Element]) -> Result<(), String> {
    let count = |of: &[Element]| elements.iter().filter(|element| of.contains(element)).count();
    if ONCE[..3].iter().any(|(_, of)| count(of) == 0) {
        return Err("it needs a year, a month and a day".to_owned());
    }
    if let Some((part, _)) = ONCE.iter().find(|(_, of)| count(of) > 1) {
        return Err(format!("it has the {part} twice"));
    }
    if count(&[Element::Meridian]) > 0 && count(&[Element::HalfHour]) == 0 {
        return Err("AM and PM need HH or HH12 beside them".to_owned());
    }
    if count(&[Element::ZoneMinute]) > count(&[Element::ZoneHour]) {
        return Err("TZM needs one TZH beside it".to_owned());
    }
    Ok(())
}

fn starts_with(text: &str, name: &str) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// The parts of a date and time that were found.
#[derive(Default)]
struct Parts<'t> {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    fraction: &'t str,
    /// Whether the hour is of a half of the day.
    is_half: bool,
    /// Whether it is after noon, where halves of the day are counted.
    afternoon: bool,
    /// Sign and hours of the offset.
    zone: Option<(char, u32)>,
    zone_minute: u32,
}

impl<'t> Parts<'t> {
    fn take(&mut self, element: Element, text: &'t str) -> Option<&'t str> {
        let number = |part: &mut u32, longest: usize| {
            let (value, rest) = digits(text, longest)?;
            *part = value;
            Some(rest)
        };
        match element {
            Element::Literal(char) => text.strip_prefix(char),
            Element::Year => number(&mut self.year, 4),
            Element::FullOrRoundedYear if digits(text, 4)?.1.len() + 2 < text.len() => {
                number(&mut self.year, 4)
            }
            Element::ShortYear => {
                let rest = number(&mut self.year, 2)?;
                self.year += CENTURY;
                Some(rest)
            }
            Element::FullOrRoundedYear | Element::RoundedYear => {
                let rest = number(&mut self.year, 2)?;
                self.year += if self.year < PIVOT { CENTURY } else { CENTURY - 100 };
                Some(rest)
            }
            Element::Month => number(&mut self.month, 2),
            Element::MonthName | Element::MonthAbbreviated => {
                let short = element == Element::MonthAbbreviated;
                let cut = |name: &'static str| if short { &name[..3] } else { name };
                let mut names = MONTHS.iter().map(|name| cut(name)).zip(1..);
                let (name, month) = names.find(|(name, _)| starts_with(text, name))?;
                self.month = month;
                Some(&text[name.len()..])
            }
            Element::Day => number(&mut self.day, 2),
            Element::Hour => number(&mut self.hour, 2),
            Element::HalfHour => {
                self.is_half = true;
                number(&mut self.hour, 2)
            }
            Element::Meridian => self.meridian(text),
            Element::Minute => number(&mut self.minute, 2),
            Element::Second => number(&mut self.second, 2),
            Element::Fraction => {
                let length = text.bytes().take_while(u8::is_ascii_digit).count();
                (self.fraction, _) = text.split_at_checked(length)?;
                Some(&text[length..])
            }
            Element::ZoneHour => self.zone_hour(text),
            Element::ZoneMinute if text.is_empty() => Some(text),
            Element::ZoneMinute => number(&mut self.zone_minute, 2),
        }
    }

    fn meridian(&mut self, text: &'t str) -> Option<&'t str> {
        for (name, afternoon) in [("A.M.", false), ("P.M.", true), ("AM", false), ("PM", true)] {
            if starts_with(text, name) {
                self.afternoon = afternoon;
                return Some(&text[name.len()..]);
            }
        }
        None
    }

    fn zone_hour(&mut self, text: &'t str) -> Option<&'t str> {
        let sign = text.chars().next().filter(|char| matches!(char, '+' | '-'))?;
        let (hours, rest) = digits(&text[1..], 2)?;
        self.zone = Some((sign, hours));
        Some(rest)
    }

    fn iso(&self) -> Option<String> {
        let hour = match self.is_half {
            false => self.hour,
            true if !(1..=12).contains(&self.hour) => return None,
            true => self.hour % 12 + if self.afternoon { 12 } else { 0 },
        };
        let Self { year, month, day, minute, second, .. } = self;
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if !self.fraction.is_empty() {
            text.push('.');
            text.push_str(self.fraction);
        }
        if let Some((sign, hours)) = self.zone {
            text.push_str(&format!("{sign}{hours:02}:{:02}", self.zone_minute));
        }
        Some(text)
    }
}

/// One to this many digits.
fn digits(text: &str, longest: usize) -> Option<(u32, &str)> {
    let length = text.bytes().take(longest).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_dates_by_mask() {
        for (mask, text, expected) in [
            ("DD-MM-YYYY", "20-03-2022", "2022-03-20T00:00:00"),
            ("dd.mm.yyyy", "1.3.2022", "2022-03-01T00:00:00"),
            ("YYYYMMDD", "20220320", "2022-03-20T00:00:00"),
            ("DD-MON-RR", "20-mar-22", "2022-03-20T00:00:00"),
            ("DD-MON-RR", "20-MAR-98", "1998-03-20T00:00:00"),
            ("DD-MON-YY", "20-MAR-98", "2098-03-20T00:00:00"),
            ("DD-MM-RRRR", "20-03-98", "1998-03-20T00:00:00"),
            ("RRRRMMDD", "19220320", "1922-03-20T00:00:00"),
            ("YYYY-MM-DD HH:MI", "2022-03-20 12:30", "2022-03-20T00:30:00"),
            ("YYYY-MM-DD HH12:MI", "2022-03-20 01:30", "2022-03-20T01:30:00"),
            ("MONTH DD, YYYY", "March 20, 2022", "2022-03-20T00:00:00"),
            ("MM/DD/YYYY HH:MI:SS AM", "03/20/2022 12:30:05 am", "2022-03-20T00:30:05"),
            ("MM/DD/YYYY HH:MI PM", "03/20/2022 01:30 PM", "2022-03-20T13:30:00"),
            (
                "YYYY-MM-DD\"T\"HH24:MI:SS.FF3TZH:TZM",
                "2022-03-20T01:02:03.5+02:00",
                "2022-03-20T01:02:03.5+02:00",
            ),
            ("YYYY-MM-DDTHH24:MI:SSXFF", "2022-03-20T01:02:03.584", "2022-03-20T01:02:03.584"),
        ] {
            let mask = Mask::parse(mask).unwrap();
            assert_eq!(mask.canonical(text).as_deref(), Some(expected), "{mask:?} {text}");
        }
    }

    #[test]
    fn refuses_values_that_do_not_match_the_mask() {
        for (mask, text) in [
            ("DD-MM-YYYY", "20/03/2022"),
            ("DD-MM-YYYY", "20-03-2022 10:00"),
            ("DD-MM-YYYY", ""),
            ("DD-MON-YYYY", "20-foo-2022"),
            ("YYYY-MM-DD HH:MI AM", "2022-03-20 13:00 AM"),
            ("YYYY-MM-DD HH:MI", "2022-03-20 13:30"),
            ("YYYY-MM-DD HH12:MI", "2022-03-20 00:30"),
        ] {
            assert_eq!(Mask::parse(mask).unwrap().canonical(text), None, "{mask} {text}");
        }
        for (mask, why) in [
            ("", "it needs a year, a month and a day"),
            ("DD-MM", "it needs a year, a month and a day"),
            ("Q-DD-MM-YYYY", "`Q-DD-MM-YYYY` begins with no known element"),
            ("DD-MM-YYYY \"x", "a double quote is not closed"),
            ("DD-MM-YYYY YY", "it has the year twice"),
            ("DD-MM-YYYY HH24:HH", "it has the hour twice"),
            ("DD-MM-YYYY HH24:MI AM", "AM and PM need HH or HH12 beside them"),
            ("DD-MM-YYYY TZM", "TZM needs one TZH beside it"),
        ] {
            assert_eq!(Mask::parse(mask).unwrap_err(), why, "{mask}");
        }
    }

    proptest! {
        #[test]
        fn random_masks_do_not_panic(mask in ".{0,20}", text in ".{0,20}") {
            if let Ok(mask) = Mask::parse(&format!("YYYYMMDD{mask}")) {
                let _ = mask.canonical(&text);
                let _ = mask.canonical(&format!("20220320{text}"));
            }
        }
    }
}
