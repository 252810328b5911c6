//! A comparison for pipelines: JUnit's XML, which lists each figure as a test, and Markdown for the
//! page of a change.

use std::fmt::Write as _;

use duet_verdict::compare::{Against, Comparison};
use duet_verdict::judge::{ChangeVerdict, Row, interval, percent};
use duet_verdict::text::figure;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// The comparison as JUnit's XML: a suite for each compared result, a test for each figure. A slower
/// figure fails; one without a verdict is skipped; a run that is not sound or not comparable is an
/// error.
pub fn junit(comparison: &Comparison) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let _ = suites(&mut xml, comparison);
    let mut text = String::from_utf8(xml.into_inner()).unwrap_or_default();
    text.push('\n');
    text
}

type Xml = Writer<Vec<u8>>;
type Written = std::io::Result<()>;

fn suites(xml: &mut Xml, comparison: &Comparison) -> Written {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.write_event(Event::Start(BytesStart::new("testsuites")))?;
    for against in &comparison.against {
        suite(xml, comparison, against)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))
}

fn suite(xml: &mut Xml, comparison: &Comparison, against: &Against) -> Written {
    let errors = errors(comparison, against);
    let slower =
        against.rows.iter().filter(|row| row.verdict == Some(ChangeVerdict::Slower)).count();
    let skipped = against.rows.iter().filter(|row| why_skipped(against, row).is_some()).count();
    let name = format!("{} against {}", against.name, comparison.base);
    let counts = [
        ("tests", against.rows.len() + errors.len()),
        ("failures", slower),
        ("errors", errors.len()),
        ("skipped", skipped),
    ];
    let mut start = BytesStart::new("testsuite").with_attributes([("name", name.as_str())]);
    for (key, count) in counts {
        start.push_attribute((key, count.to_string().as_str()));
    }
    xml.write_event(Event::Start(start))?;
    for message in errors {
        case(xml, &name, &message, Some(("error", &message, "")))?;
    }
    for row in &against.rows {
        let text = changed(row);
        let skipped = why_skipped(against, row);
        let outcome = match (row.verdict, &skipped) {
            (Some(ChangeVerdict::Slower), _) => Some(("failure", text.as_str(), text.as_str())),
            (_, Some(why)) => Some(("skipped", why.as_str(), "")),
            _ => None,
        };
        case(xml, &name, &row.name, outcome)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))
}

/// A test; its outcome is an element's name, its message and its text.
fn case(xml: &mut Xml, suite: &str, name: &str, outcome: Option<(&str, &str, &str)>) -> Written {
    let start = BytesStart::new("testcase");
    let start = start.with_attributes([("classname", suite), ("name", name)]);
    let Some((element, message, text)) = outcome else {
        return xml.write_event(Event::Empty(start));
    };
    xml.write_event(Event::Start(start))?;
    let inner = BytesStart::new(element).with_attributes([("message", message)]);
    if text.is_empty() {
        xml.write_event(Event::Empty(inner))?;
    } else {
        xml.write_event(Event::Start(inner))?;
        xml.write_event(Event::Text(BytesText::new(text)))?;
        xml.write_event(Event::End(BytesEnd::new(element)))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}

/// Why there can be no verdict, or why it is not to be trusted.
fn errors(comparison: &Comparison, against: &Against) -> Vec<String> {
    let mut errors = Vec::new();
    if against.refused {
        errors.push("The runs are not comparable".to_owned());
    }
    if !comparison.anyway {
        errors.extend(against.problems.iter().cloned());
    }
    errors
}

/// Why a figure has no verdict; `None` if it has one.
fn why_skipped(against: &Against, row: &Row) -> Option<String> {
    match row.verdict {
        Some(ChangeVerdict::CannotTell { .. }) => Some(row.verdict?.to_string()),
        Some(_) => None,
        None => {
            let missing = against.missing.iter().find(|it| it.rows.contains(&row.name));
            Some(missing.map_or_else(|| "no verdict".into(), |missing| missing.why.clone()))
        }
    }
}

/// `12.30 ms to 18.10 ms, +47.2 % (+20.0 to +80.1 %)`.
fn changed(row: &Row) -> String {
    let value = |value: f64| format!("{} {}", figure(value), row.unit).trim_end().to_owned();
    let mut text = format!("{} to {}", value(row.base), value(row.new));
    if let Some(ratio) = row.ratio {
        let _ = write!(text, ", {}", percent(ratio));
    }
    if let Some(ends) = row.interval {
        let _ = write!(text, " ({})", interval(ends));
    }
    text
}

/// The comparison as Markdown: a table for each compared result.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = String::new();
    for against in &comparison.against {
        let _ = writeln!(text, "### {} against {}\n", cell(&against.name), cell(&comparison.base));
        for message in errors(comparison, against) {
            let _ = writeln!(text, "- **{}**", cell(&message));
        }
        for it in &against.differences {
            let _ = writeln!(text, "- {}: {} / {}", cell(&it.what), cell(&it.base), cell(&it.new));
        }
        if !against.problems.is_empty() || !against.differences.is_empty() {
            text.push('\n');
        }
        text.push_str("| figure | before | after | change | 95 % interval | verdict |\n");
        text.push_str("|---|---:|---:|---:|---:|---|\n");
        for row in &against.rows {
            let value = |value: f64| format!("{} {}", figure(value), row.unit);
            let verdict = match row.verdict {
                Some(ChangeVerdict::Slower) => "**slower**".to_owned(),
                Some(verdict) => verdict.to_string(),
                None => "–".into(),
            };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {verdict} |",
                cell(&row.name),
                value(row.base).trim_end(),
                value(row.new).trim_end(),
                row.ratio.map_or_else(String::new, percent),
                row.interval.map_or_else(String::new, interval),
            );
        }
        let without = against.without_verdict();
        let words: Vec<&str> = without.split_whitespace().collect();
        let _ = writeln!(text, "\n{}", cell(&words.join(" ")));
    }
    let _ = writeln!(text, "\n{}", comparison.caveat());
    text
}

/// A text that is no markup, in one line.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\r' => out.push(' '),
            '|' | '<' | '>' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '&' => {
                out.push('\\');
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use duet_verdict::compare::compare;
    use duet_verdict::judge::Rules;

    use crate::example::Example;

    use super::*;

    fn comparison(name: &str, level: f64, median_us: f64, measured_s: u64) -> Comparison {
        let base = Example::default().build();
        let new = Example { name: name.into(), level, median_us, measured_s, ..Example::default() };
        compare(&[base, new.build()], &Rules::default(), false).unwrap()
    }

    #[test]
    fn a_slower_figure_is_a_failed_test() {
        let comparison = comparison("a|b <c>", 100.0, 5_000.0, 60);
        let text = junit(&comparison);
        assert!(text.contains("<testsuite name=\"a|b &lt;c&gt; against before\""), "{text}");
        assert!(text.contains("name=\"p95\">\n      <failure message=\""), "{text}");
        let count = |word: &str| text.matches(word).count();
        assert_eq!(
            count("<failure"),
            text.split("failures=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .parse::<usize>()
                .unwrap()
        );
        assert_eq!(count("<testcase"), comparison.against[0].rows.len());
        let page = markdown(&comparison);
        assert!(page.starts_with("### a\\|b \\<c\\> against before\n"), "{page}");
        assert!(page.contains("\n| throughput | ") && page.contains(" | **slower** |\n"), "{page}");
    }

    #[test]
    fn a_figure_without_a_verdict_is_skipped() {
        let text = junit(&comparison("brief", 200.0, 2_000.0, 3));
        assert!(text.contains("<skipped message=\"brief: 3 s measured, 20 s needed\"/>"), "{text}");
        assert!(text.contains("failures=\"0\"") && text.contains("errors=\"0\""), "{text}");
        let page = markdown(&comparison("<b>brief", 200.0, 2_000.0, 3));
        assert!(page.contains("\\<b\\>brief: 3 s measured, 20 s needed"), "{page}");
        assert!(!page.contains("<b>"), "{page}");
    }

    #[test]
    fn a_run_that_is_not_sound_is_an_error() {
        let mut results = [Example::default().build(), Example::default().build()];
        results[1].totals.failed = results[1].totals.completed;
        let comparison = compare(&results, &Rules::default(), false).unwrap();
        let text = junit(&comparison);
        assert!(text.contains("errors=\"1\"") && text.contains("<error message=\""), "{text}");
        assert!(markdown(&comparison).contains("- **before: 50 % of the transactions failed"));
    }
}
