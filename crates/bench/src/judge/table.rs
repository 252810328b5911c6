//! Rows with their verdicts as a text table, for terminals.

use super::verdict::{Row, Verdict};

/// A table: names to the left, figures to the right, verdicts at the end.
pub fn table(base: &str, new: &str, rows: &[Row]) -> String {
    let head = ["", base, new, "change", "factor", "95 % interval", "verdict"];
    let mut lines = vec![head.map(|name| cut(name, 24))];
    lines.extend(rows.iter().map(cells));
    let widths: Vec<usize> = (0..head.len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in lines {
        let mut out = format!("{:<width$}", line[0], width = widths[0]);
        for column in 1..head.len() - 1 {
            out.push_str(&format!("  {:>width$}", line[column], width = widths[column]));
        }
        out.push_str("  ");
        out.push_str(&line[head.len() - 1]);
        text.push_str(out.trim_end());
        text.push('\n');
    }
    text
}

fn cells(row: &Row) -> [String; 7] {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    let with_unit = |value: f64| format!("{}{unit}", figure(value));
    [
        row.name.clone(),
        with_unit(row.base),
        with_unit(row.new),
        row.ratio.map_or_else(String::new, percent),
        row.ratio.map_or_else(String::new, |ratio| format!("×{ratio:.3}")),
        row.interval.map_or_else(String::new, interval),
        row.verdict.as_ref().map_or_else(String::new, Verdict::to_string),
    ]
}

/// A ratio as a change in percent, with its sign.
pub fn percent(ratio: f64) -> String {
    let change = (ratio - 1.0) * 100.0;
    let digits = if change.abs() < 100.0 { 1 } else { 0 };
    // What rounds to 0 has no sign.
    let change = if change.abs() < 0.05 { 0.0 } else { change };
    let sign = if change > 0.0 { "+" } else { "" };
    format!("{sign}{change:.digits$} %").replace('-', "−")
}

/// An interval of a ratio, in percent. One that reaches beyond a hundredfold knows nothing.
pub fn interval([low, high]: [f64; 2]) -> String {
    if high < 100.0 { format!("{} to {}", percent(low), percent(high)) } else { "unknown".into() }
}

/// A figure with as many digits as can be taken in.
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

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(std::iter::once('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Better, Pairs, Rules, judge};
    use super::*;

    #[test]
    fn figures() {
        let texts = [0.0, 1.5, 12.346, 123.45, 1234.5, 1_234_567.0, -4321.0, f64::NAN].map(figure);
        let expected = ["0.000", "1.500", "12.35", "123.5", "1,234", "1,234,567", "-4,321", "n/a"];
        assert_eq!(texts, expected);
        assert_eq!([1.0, 1.031, 0.9, 3.0].map(percent), ["0.0 %", "+3.1 %", "−10.0 %", "+200 %"]);
    }

    #[test]
    fn as_it_looks() {
        let pairs = Pairs::of((0..10).map(|at| (100.0, 110.0 + f64::from(at) / 10.0)));
        let rows = vec![
            pairs.row("throughput", "/s", Better::Higher),
            Row::shown("failed", "%", Better::Lower, 0.0, 1.0),
        ];
        let text = table("before", "a name that is far too long", &judge(rows, &Rules::default()));
        let expected = "              before  a name that is far too …   change  factor       95 % interval  verdict
throughput  100.0 /s                  110.5 /s  +10.4 %  ×1.104  +10.2 % to +10.7 %  faster
failed       0.000 %                   1.000 %
";
        assert_eq!(text, expected);
    }
}
