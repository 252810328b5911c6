//! Results as one self-contained HTML page: no network, no script, inline charts. It reads well on
//! a phone and on paper. The template escapes every text of a workload, a server or a user.

mod chart;
mod findings;
mod page;
mod plots;
mod search;
mod tables;

use duet_model::Result;
use duet_verdict::compare::{Against, Comparison, Weight, compare};
use duet_verdict::judge::{Rules, Verdict, interval, percent};
use duet_verdict::result::RunResult;
use duet_verdict::text::{figure, seconds};

use crate::summary::pressure;
pub use findings::findings;
pub(crate) use page::STYLE;
use page::{Block, Cell, Page};
pub use search::{Searched, search_page};

/// The page of one result or of several. Several are side by side, each compared with the first;
/// differences that forbid a verdict are listed, and then there is no verdict.
///
/// # Errors
/// `ResultFile` without a result.
pub fn html(results: &[RunResult], rules: &Rules) -> Result<String> {
    let Some(first) = results.first() else {
        let message = "A report takes a result.";
        return Err(duet_model::Error::new(duet_model::Code::ResultFile, message));
    };
    let title = results.iter().map(RunResult::title).collect::<Vec<_>>().join(" · ");
    let mut page = Page::new(&title);
    if results.len() == 1 {
        page.add(Block::Title(title));
        single(&mut page, first);
    } else {
        page.add(Block::Title(format!("{} results, side by side", results.len())));
        several(&mut page, results, &compare(results, rules, false)?);
    }
    Ok(page.end(&first.tool))
}

fn single(page: &mut Page, result: &RunResult) {
    page.soft(subtitle(result));
    page.warnings(&findings(result));
    tables::cards(page, result);
    page.heading("Over time");
    page.add(plots::over_time(result));
    page.heading("Distribution");
    page.add(plots::distribution(&[result]));
    tables::types(page, result);
    tables::findings(page, result);
    tables::settings(page, result);
}

fn several(page: &mut Page, results: &[RunResult], comparison: &Comparison) {
    let names: Vec<String> = results.iter().map(RunResult::title).collect();
    page.soft(comparison.caveat());
    for against in &comparison.against {
        page.heading(&format!("{} against {}", against.name, comparison.base));
        differences(page, against);
        verdicts(page, against, &comparison.base);
    }
    page.heading("Side by side");
    side_by_side(page, results, &names);
    page.add(plots::side_by_side(results));
    for result in results {
        page.heading(&result.title());
        page.soft(subtitle(result));
        page.warnings(&findings(result));
        page.add(plots::over_time(result));
        tables::types(page, result);
        tables::findings(page, result);
        tables::settings(page, result);
    }
}

fn differences(page: &mut Page, against: &Against) {
    let words: Vec<String> = against
        .differences
        .iter()
        .map(|it| format!("{}: {} / {}", it.what, it.base, it.new))
        .collect();
    if against.refused {
        page.warnings(&["No verdict: the runs answered different questions.".into()]);
    }
    page.warnings(&against.problems);
    let missing = against
        .missing
        .iter()
        .map(|it| format!("No verdict on {}: {}.", it.rows.join(", "), it.why));
    page.warnings(&missing.collect::<Vec<_>>());
    if words.is_empty() {
        return;
    }
    let heading = "What differs besides the figures (base / this one):";
    page.add(Block::Text("", heading.into()));
    let class = |weight| if weight == Weight::Question { "bad" } else { "soft" };
    let items = against.differences.iter().zip(words);
    page.add(Block::Items(items.map(|(it, text)| (class(it.weight), text)).collect()));
}

fn verdicts(page: &mut Page, against: &Against, base: &str) {
    let head = ["", base, &against.name, "change", "factor", "95 % interval", "verdict"];
    let rows = against.rows.iter().map(|row| {
        let with_unit = |value: f64| Cell::of(&format!("{} {}", figure(value), row.unit));
        let class = match row.verdict {
            Some(Verdict::Faster) => "good",
            Some(Verdict::Slower) => "bad",
            _ => "",
        };
        let verdict = row.verdict.as_ref().map_or_else(|| "–".to_owned(), Verdict::to_string);
        vec![
            Cell::of(&row.name),
            with_unit(row.base),
            with_unit(row.new),
            Cell::of(&row.ratio.map_or_else(String::new, percent)),
            Cell::of(&row.ratio.map_or_else(String::new, |ratio| format!("×{ratio:.3}"))),
            Cell::of(&row.interval.map_or_else(String::new, interval)),
            Cell::classed(&verdict, class),
        ]
    });
    page.table(&head, rows.collect());
}

fn side_by_side(page: &mut Page, results: &[RunResult], names: &[String]) {
    let mut head = vec![""];
    head.extend(names.iter().map(String::as_str));
    let row = |name: &str, value: &dyn Fn(&RunResult) -> String| {
        let cells = results.iter().map(|result| Cell::of(&value(result)));
        std::iter::once(Cell::of(name)).chain(cells).collect::<Vec<_>>()
    };
    let rows = vec![
        row("throughput /s", &|it| figure(it.totals.tps)),
        row("completed", &|it| it.totals.completed.to_string()),
        row("failed", &|it| it.totals.failed.to_string()),
        row("mean ms", &|it| figure(tables::times(it).mean_us / 1e3)),
        row("p50 ms", &|it| tables::ms(tables::times(it).p50_us)),
        row("p95 ms", &|it| tables::ms(tables::times(it).p95_us)),
        row("p99 ms", &|it| tables::maybe_ms(tables::times(it).p99_us)),
        row("max ms", &|it| tables::ms(tables::times(it).max_us)),
        row("users", &|it| it.load.users.to_string()),
        row("measured s", &|it| figure(it.window.measured_s)),
        row("began", &|it| it.started.clone()),
    ];
    page.table(&head, rows);
}

fn subtitle(result: &RunResult) -> String {
    format!(
        "{} on {}, {}, {} measured, {}",
        result.workload,
        result.target.server,
        pressure(result),
        seconds(result.window.measured_s),
        result.started
    )
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn foreign_texts_are_escaped() {
        let mut result = Example::default().build();
        let evil = "<script>alert(1)</script>\"'&";
        result.types[1].short = evil.to_owned();
        result.failures[0].message = evil.to_owned();
        for text in [
            &mut result.name,
            &mut result.workload,
            &mut result.tool,
            &mut result.target.server,
            &mut result.types[0].name,
            &mut result.failures[0].transaction,
            &mut result.target.address,
            &mut result.target.transport,
            &mut result.checks[0].name,
            &mut result.thresholds[0].rule,
            &mut result.load.layout,
            &mut result.host.cpu,
            &mut result.started,
        ] {
            *text = evil.to_owned();
        }
        result.warnings.push(evil.into());
        result.load.options.insert(evil.into(), evil.into());
        result.seconds[9].observed.insert(format!("cpu.{evil}"), 1.0);
        result.waits.insert(evil.into(), 1.0);
        let mut other = result.clone();
        other.load.users = 3;
        for page in [
            html(&[result.clone()], &Rules::default()).unwrap(),
            html(&[result, other], &Rules::default()).unwrap(),
        ] {
            assert!(!page.contains("<script"), "escaped");
            assert!(page.contains("&#60;script&#62;alert(1)"), "shown");
            assert!(!page.contains("http-equiv") && !page.contains("src="), "nothing is fetched");
        }
    }

    #[test]
    fn elements_are_closed() {
        let results =
            [Example::default().build(), Example { seed: 4, ..Example::default() }.build()];
        for page in [
            html(&results[..1], &Rules::default()).unwrap(),
            html(&results, &Rules::default()).unwrap(),
            html(&[RunResult::default()], &Rules::default()).unwrap(),
        ] {
            for tag in [
                "main", "table", "tr", "td", "th", "svg", "figure", "ul", "li", "dl", "div",
                "details", "summary",
            ] {
                let open = page.matches(&format!("<{tag}>")).count()
                    + page.matches(&format!("<{tag} ")).count();
                assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
            }
            assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
        }
    }

    #[test]
    fn it_takes_one() {
        assert!(html(&[], &Rules::default()).is_err());
    }
}
