//! Text formatting for terminals: lines of at most 80 columns, tables, counted nouns, rates, figures, durations.

/// The assumed width of a terminal.
pub const COLUMNS: usize = 80;

/// Wraps a text at spaces into lines of at most `width` characters; lines after the first begin with
/// `indent`. Words longer than a line are not broken.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = leading_blanks(paragraph).to_owned();
        let mut is_empty = true;
        for word in paragraph.split_whitespace() {
            let length = line.chars().count() + usize::from(!is_empty) + word.chars().count();
            if !is_empty && length > width {
                lines.push(std::mem::replace(&mut line, indent.to_owned()));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn leading_blanks(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(' ').len()]
}

/// Truncates a text to `width` characters; a truncated text ends with `…`.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// A number with its noun: `1 user`, `2 users`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", plural(count, noun))
}

fn plural(count: u64, noun: &str) -> &'static str {
    match count {
        1 => "",
        _ if noun.ends_with("ss") => "es",
        _ => "s",
    }
}

/// A rate or a share with at most two decimals and no trailing zeros: `166.67`, `50`. One below a hundredth keeps its
/// first two digits: `0.0012`. No exponent.
pub fn short(value: f64) -> String {
    let decimals = match value.abs() {
        size if size < 0.01 && size.is_normal() => (1.0 - size.log10().floor()) as usize,
        _ => 2,
    };
    // A sum of nothing is -0.
    let text = format!("{:.decimals$}", value + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A duration in seconds with its unit: `20 s`, `0.03 s`, below 10 ms `3.1 ms` and `250 µs`. At most two decimals, no
/// exponent.
pub fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        size if size >= 0.01 || size == 0.0 => (seconds, "s"),
        size if size >= 1e-3 => (seconds * 1e3, "ms"),
        _ => (seconds * 1e6, "µs"),
    };
    // The sum of no values is -0.
    let text = format!("{:.2}", value + 0.0);
    format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A duration in microseconds with three digits and its unit.
pub fn duration(micros: f64) -> String {
    let (value, unit) = match micros {
        micros if micros >= 1e6 => (micros / 1e6, "s"),
        micros if micros >= 1e3 => (micros / 1e3, "ms"),
        _ => (micros, "µs"),
    };
    let decimals = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}{unit}")
}

/// A figure with a readable number of digits.
pub fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "n/a".into();
    }
    let digits = match value.abs() {
        size if size >= 1_000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').map_or((&*text, None), |(a, b)| (a, Some(b)));
    let digits = whole.trim_start_matches('-').len();
    let mut grouped = String::new();
    for (at, char) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if char.is_ascii_digit() && left < digits && left % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(char);
    }
    fraction.map_or_else(|| grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

/// A table; the first column is text, the others are figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextTable {
    /// Its caption.
    pub caption: String,
    /// The names of its columns.
    pub head: Vec<String>,
    /// Its rows, with as many cells as the head.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_lines_at_spaces() {
        assert_eq!(wrap("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrap("  - a bb ccc", 8, "    "), "  - a bb\n    ccc");
        assert_eq!(wrap("a\n\nb", 80, ""), "a\n\nb");
        assert_eq!(wrap("https://a.very.long/word is", 10, " "), "https://a.very.long/word\n is");
        assert_eq!(wrap("", 10, " "), "");
    }

    #[test]
    fn formats_counted_nouns() {
        let formatted = [0, 1, 2].map(|count| counted(count, "process"));
        assert_eq!(formatted, ["0 processes", "1 process", "2 processes"]);
        assert_eq!(counted(1, "user"), "1 user");
        let formatted = [500.0 / 3.0, 50.0, 0.5, 100.0, 0.0].map(short);
        assert_eq!(formatted, ["166.67", "50", "0.5", "100", "0"]);
        assert_eq!((cut("abcdef", 4), cut("abc", 4)), ("abc…".to_owned(), "abc".to_owned()));
    }

    #[test]
    fn formats_small_shares_without_exponent() {
        let texts = [0.01, 0.0099, 0.006, 0.001, 0.000_123, -0.004, 4e-7, 0.009_999, -0.0];
        let expected =
            ["0.01", "0.0099", "0.006", "0.001", "0.00012", "-0.004", "0.0000004", "0.01", "0"];
        assert_eq!(texts.map(short), expected);
        assert_eq!(
            ["NaN", "inf", "1e-320"].map(|text| short(text.parse().unwrap())),
            ["NaN", "inf", "0"]
        );
    }

    #[test]
    fn formats_durations_with_a_unit() {
        let texts = [20.0, 1.5, 0.03, 0.01, 0.0031, 0.001, 0.000_25, 4e-7, 1e-12, 0.0].map(seconds);
        let expected = [
            "20 s", "1.5 s", "0.03 s", "0.01 s", "3.1 ms", "1 ms", "250 µs", "0.4 µs", "0 µs",
            "0 s",
        ];
        assert_eq!(texts, expected);
        assert_eq!(seconds(-0.0), "0 s");
    }

    #[test]
    fn formats_figures() {
        let texts = [0.0, 1.5, 12.346, 123.45, 1234.5, 1_234_567.0, -4321.0, f64::NAN].map(figure);
        let expected = ["0.000", "1.500", "12.35", "123.5", "1,234", "1,234,567", "-4,321", "n/a"];
        assert_eq!(texts, expected);
    }
}
