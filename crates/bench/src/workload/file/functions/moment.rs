//! Moments by patterns of letters, as Java's `SimpleDateFormat` and `DateTimeFormatter` have them, in UTC; and periods.

/// A pattern of a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A letter, and how often it is repeated.
    Field(char, usize),
}

/// The letters that are taken: year, month, day, hour, minute, second, milliseconds, zone.
const LETTERS: &str = "yuMdHmsSZX";

impl Pattern {
    /// Reads a pattern; `None` where it has other letters.
    pub(crate) fn read(text: &str) -> Option<Self> {
        // JMeter's own names.
        let text = match text {
            "YMD" => "yyyyMMdd",
            "HMS" => "HHmmss",
            "YMDHMS" => "yyyyMMdd-HHmmss",
            text => text,
        };
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(inside) = rest.strip_prefix("''") {
                parts.push(Part::Text("'".into()));
                rest = inside;
            } else if let Some(inside) = rest.strip_prefix('\'') {
                let (literal, behind) = inside.split_once('\'')?;
                parts.push(Part::Text(literal.to_owned()));
                rest = behind;
            } else if first.is_ascii_alphabetic() {
                let count = rest.chars().take_while(|char| *char == first).count();
                let is_known = LETTERS.contains(first) && (first != 'M' || count < 3);
                is_known.then_some(())?;
                parts.push(Part::Field(first, count));
                rest = &rest[count..];
            } else {
                parts.push(Part::Text(first.to_string()));
                rest = &rest[first.len_utf8()..];
            }
        }
        Some(Self(parts))
    }

    /// The text of a moment, in milliseconds since 1970.
    pub(crate) fn of(&self, ms: i64) -> String {
        let (year, month, day) = date(ms.div_euclid(86_400_000));
        let in_day = ms.rem_euclid(86_400_000);
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Field('y' | 'u', 2) => format!("{:02}", year.rem_euclid(100)),
            Part::Field('Z', _) => "+0000".into(),
            Part::Field('X', _) => "Z".into(),
            Part::Field(letter, width) => {
                let number = match letter {
                    'y' | 'u' => year,
                    'M' => month,
                    'd' => day,
                    'H' => in_day / 3_600_000,
                    'm' => in_day / 60_000 % 60,
                    's' => in_day / 1_000 % 60,
                    _ => in_day % 1_000,
                };
                format!("{number:0width$}")
            }
        };
        self.0.iter().map(part).collect()
    }
}

/// The date of a day since 1970: year, month and day (H. Hinnant, "chrono-compatible low-level date algorithms").
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A period of ISO 8601 in milliseconds: days, hours, minutes and seconds, perhaps with a minus; 0 for an empty one.
/// `None` where it is none.
pub(crate) fn period(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let rest = rest.strip_prefix(['P', 'p'])?;
    let (days, times) = rest.split_once(['T', 't']).unwrap_or((rest, ""));
    let mut all = 0_i64;
    for (text, units) in [
        (days, &[('D', 86_400_000)][..]),
        (times, &[('H', 3_600_000), ('M', 60_000), ('S', 1_000)]),
    ] {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|char: char| char.is_ascii_alphabetic())?;
            let letter = rest[end..].chars().next()?.to_ascii_uppercase();
            let (_, unit) = units.iter().find(|(known, _)| *known == letter)?;
            let number: i64 = rest[..end].parse().ok()?;
            all = all.checked_add(number.checked_mul(*unit)?)?;
            rest = &rest[end + 1..];
        }
    }
    Some(sign * all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_periods() {
        let of = |pattern: &str, ms| Pattern::read(pattern).unwrap().of(ms);
        let ms = 1_795_811_063_317;
        assert_eq!(of("yyyy-MM-dd'T'HH:mm:ss.SSSX", ms), "2026-11-27T20:24:23.317Z");
        assert_eq!(of("d.M.yy ''", ms), "27.11.26 '");
        assert_eq!((of("yyyyMMdd", -1), of("YMD", -1)), ("19691231".into(), "19691231".into()));
        assert_eq!(of("yyyy-MM-dd", 951_782_400_000), "2000-02-29");
        assert_eq!(
            (Pattern::read("MMM"), Pattern::read("EEE"), Pattern::read("'a")),
            (None, None, None)
        );
        assert_eq!(period("P1DT2H"), Some(93_600_000));
        assert_eq!(
            (period("-PT30M"), period(""), period("PT1.5S")),
            (Some(-1_800_000), Some(0), None)
        );
        assert_eq!((period("P1M"), period("5")), (None, None));
    }
}
