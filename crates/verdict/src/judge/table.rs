//! Formats rows with their verdicts as a text table for terminals.

use super::verdict::{ChangeVerdict, Row};
use crate::text::{COLUMNS, cut, figure, wrap};

/// The maximum width of the name of a side or a row.
const NAME: usize = 24;

/// A table of at most 80 columns: names left-aligned, figures right-aligned, verdicts last. A separate
/// line shows the number of pairs that inconclusive figures need.
pub fn table(base: &str, new: &str, rows: &[Row]) -> String {
    let body: Vec<[String; 6]> = rows.iter().map(cells).collect();
    let head = ["", base, new, "change", "95 % interval", "verdict"];
    let widest =
        |column: usize| body.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let fixed: usize = (3..6).map(|column| widest(column).max(head[column].len())).sum();
    let figures = [widest(1), widest(2)];
    // Five gaps of two spaces; row names get most of the rest.
    let left = COLUMNS.saturating_sub(10 + fixed + figures.iter().sum::<usize>());
    let names = widest(0).min(NAME).min(left);
    let spare = left - names;
    let wanted = [1, 2]
        .map(|column| head[column].chars().count().min(NAME).saturating_sub(figures[column - 1]));
    let first = wanted[0].min((spare / 2).max(spare.saturating_sub(wanted[1])));
    let more = [first, wanted[1].min(spare - first)];
    let cut_head = |column: usize| match column {
        1 | 2 => cut(head[column], figures[column - 1] + more[column - 1]),
        _ => head[column].to_owned(),
    };
    let mut lines: Vec<[String; 6]> = vec![std::array::from_fn(cut_head)];
    lines.extend(body);
    lines.iter_mut().for_each(|line| line[0] = cut(&line[0], names));
    format!("{}{}", aligned(&lines), more_pairs(rows))
}

fn aligned(lines: &[[String; 6]]) -> String {
    let width =
        |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for line in lines {
        let mut out = format!("{:<width$}", line[0], width = widths[0]);
        for column in 1..5 {
            out.push_str(&format!("  {:>width$}", line[column], width = widths[column]));
        }
        out.push_str("  ");
        out.push_str(&line[5]);
        text.push_str(out.trim_end());
        text.push('\n');
    }
    text
}

/// The number of further pairs that inconclusive figures need; empty if none would suffice.
fn more_pairs(rows: &[Row]) -> String {
    let needed = |row: &Row| match row.verdict {
        Some(ChangeVerdict::CannotTell { more_pairs: Some(more) }) => {
            Some(format!("{} {more}", row.name))
        }
        _ => None,
    };
    let needed: Vec<String> = rows.iter().filter_map(needed).collect();
    match needed.is_empty() {
        true => String::new(),
        false => {
            let text =
                format!("Further pairs needed for a verdict, about: {}.\n", needed.join(", "));
            wrap(&text, COLUMNS, "  ")
        }
    }
}

fn cells(row: &Row) -> [String; 6] {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    let with_unit = |value: f64| format!("{}{unit}", figure(value));
    let verdict = match row.verdict {
        Some(ChangeVerdict::CannotTell { .. }) => "cannot tell".to_owned(),
        Some(verdict) => verdict.to_string(),
        None => String::new(),
    };
    [
        row.name.clone(),
        with_unit(row.base),
        with_unit(row.new),
        row.ratio.map_or_else(String::new, percent),
        row.interval.map_or_else(String::new, interval),
        verdict,
    ]
}

/// A ratio as a change in percent, with its sign.
pub fn percent(ratio: f64) -> String {
    let change = (ratio - 1.0) * 100.0;
    let digits = if change.abs() < 100.0 { 1 } else { 0 };
    // A value that rounds to 0 has no sign.
    let change = if change.abs() < 0.05 { 0.0 } else { change };
    let sign = if change > 0.0 { "+" } else { "" };
    format!("{sign}{change:.digits$} %").replace('-', "−")
}

/// An interval of a ratio in percent; one beyond a factor of 100 is shown as unknown.
pub fn interval([low, high]: [f64; 2]) -> String {
    let low = percent(low);
    let low = low.trim_end_matches(" %");
    if high < 100.0 { format!("{low} to {}", percent(high)) } else { "unknown".into() }
}

#[cfg(test)]
mod tests {
    use super::super::{Better, Pairs, Rules, judge};
    use super::*;

    #[test]
    fn formats_ratios_as_changes() {
        assert_eq!([1.0, 1.031, 0.9, 3.0].map(percent), ["0.0 %", "+3.1 %", "−10.0 %", "+200 %"]);
    }

    #[test]
    fn prints_the_table() {
        let pairs = Pairs::of((0..10).map(|at| (100.0, 110.0 + f64::from(at) / 10.0)));
        let rows = vec![
            pairs.row("throughput", "/s", Better::Higher),
            Row::shown("failed", "%", Better::Lower, 0.0, 1.0),
        ];
        let text = table("before", "a name that is far too long", &judge(rows, &Rules::default()));
        let expected =
            "              before  a name that is far to…   change     95 % interval  verdict
throughput  100.0 /s                110.4 /s  +10.4 %  +10.2 to +10.7 %  faster
failed       0.000 %                 1.000 %
";
        assert_eq!(text, expected);
    }

    #[test]
    fn lists_further_pairs_below_the_table() {
        let pairs = Pairs::of([(100.0, 90.0), (100.0, 130.0), (100.0, 95.0), (100.0, 120.0)]);
        let rows = judge(vec![pairs.row("p95", "ms", Better::Lower)], &Rules::default());
        let text = table("A", "B", &rows);
        assert!(
            text.contains("  cannot tell\nFurther pairs needed for a verdict, about: p95 "),
            "{text}"
        );
    }
}
