//! Results as one self-contained HTML page: no network, and no script but its own, which draws the
//! charts. It reads well on a phone, on dark screens and on paper. The template escapes every text of a
//! workload, a server or a user.

mod chart;
mod findings;
mod headline;
mod observed;
mod overview;
mod page;
mod search;
mod spark;
mod sweep;
mod tables;
mod timeline;
mod words;

use duet_model::Result;
use duet_verdict::compare::{Against, Comparison, Weight, compare};
use duet_verdict::judge::{ChangeVerdict, Rules, interval, percent};
use duet_verdict::result::{CheckRow, RunResult};
use duet_verdict::text::{counted, figure, seconds};

use crate::summary::pressure;
pub use findings::findings;
use headline::times;
use observed::observations;
pub(crate) use page::STYLE;
use page::{Block, Cell, Page};
pub use search::{SearchReport, search_page};
pub use sweep::{Sweep, SweepPoint, sweep_page};
use timeline::Timeline;

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
        single(&mut page, first);
    } else {
        page.add(Block::Title(format!("{} results, side by side", results.len())));
        several(&mut page, results, &compare(results, rules, false)?);
    }
    Ok(page.end(&first.tool))
}

/// Whether a run that has ended held: its thresholds, its counts and its data, as its page says.
pub fn holds(result: &RunResult) -> bool {
    use headline::State;
    matches!(headline::state(result, 0), State::Held | State::Doubtful)
}

/// What a browser may use on such a page, as the value of `Content-Security-Policy`: the page's own style and script by their
/// hashes, and of a run that goes on its own server.
pub fn policy(is_live: bool) -> String {
    page::policy(is_live)
}

/// The page of a run that goes on: the report of what was measured so far, which follows the events of
/// this address.
pub fn live(result: &RunResult, events: &str) -> String {
    let mut page = Page::new(&result.title());
    single(&mut page, result);
    page.live(&result.tool, events)
}

fn single(page: &mut Page, result: &RunResult) {
    page.add(Block::Title(result.title()));
    page.soft(subtitle(result));
    first_screen(page, result);
    details(page, result);
}

/// Whether the run held, its four figures, its thresholds, and what a reader must know.
fn first_screen(page: &mut Page, result: &RunResult) {
    let remarks = remarks(result);
    let state = headline::state(result, remarks.len());
    page.add(Block::Verdict(state, headline::sentence(result, state, remarks.len())));
    page.add(Block::Tiles(headline::tiles(result)));
    let limits = result.thresholds.iter();
    let limits: Vec<_> =
        limits.map(|it| (it.passed, format!("{}: {}", it.rule, it.outcome_text()))).collect();
    if !limits.is_empty() {
        page.add(Block::Limits(limits));
    }
    if !remarks.is_empty() {
        page.add(Block::Remarks(counted(remarks.len() as u64, "remark"), remarks));
    }
    let notes = result.notes.iter().map(|it| ("", format!("{} s: {}", it.at_s, it.text)));
    let notes: Vec<_> = notes.collect();
    if !notes.is_empty() {
        page.add(Block::Items(notes));
    }
}

/// The findings without missed thresholds, which are beside them already.
fn remarks(result: &RunResult) -> Vec<String> {
    if result.window.ended_by.is_empty() {
        // Most findings need the end of a run.
        return result.warnings.clone();
    }
    let mut texts = findings(result);
    texts.retain(|text| !(text.starts_with("The threshold ") && text.contains(" failed: ")));
    texts
}

/// Charts and tables; what few readers need is folded.
fn details(page: &mut Page, result: &RunResult) {
    let timeline = Timeline::of(result);
    page.part("load-and-times");
    if timeline.is_empty() {
        page.soft("The result holds no seconds to draw.".into());
    } else {
        page.charts(true, vec![overview::load(result, &timeline)]);
        page.charts(true, vec![overview::latency(result, &timeline)]);
        // A page of a run that goes on is made anew each second.
        let has_ended = !result.window.ended_by.is_empty();
        if let Some(text) = timeline::cut(result).filter(|_| has_ended) {
            page.soft(text);
        }
    }
    page.part("types");
    tables::types(page, result, &timeline);
    let failures = tables::failures(result);
    page.fold("Failures", "", true, failures);
    page.part("database");
    let observed = observations(result, &timeline);
    page.charts(false, observed.first);
    tables::statements(page, result);
    page.part("distribution");
    page.charts(true, vec![overview::distribution(result)]);
    page.part("rest");
    let charts = overview::by_type(result, &timeline);
    folded_charts(page, "Types over time", charts, &[]);
    folded_charts(page, "More of machine and database", observed.rest, &observed.zero);
    page.fold("Counts of client and server", &agreement(result), false, tables::agreement(result));
    let checks = tables::checks(result);
    page.fold("Checks of the answers", &checked(result), false, checks);
    page.fold("Processes", "", false, tables::processes(result));
    let settings = tables::settings(result);
    let count: usize = settings.iter().map(|(_, facts)| facts.len()).sum();
    let remark = counted(count as u64, "row");
    page.fold("Settings", &remark, false, vec![Block::Facts(settings)]);
}

/// Charts in a folded section, and the series that are always zero in one line.
fn folded_charts(page: &mut Page, title: &str, charts: Vec<chart::Chart>, zero: &[String]) {
    let remark = match charts.len() as u64 {
        0 => String::new(),
        count => counted(count, "chart"),
    };
    let mut blocks = Vec::new();
    if !charts.is_empty() {
        blocks.push(Block::Charts(false, charts));
    }
    if !zero.is_empty() {
        blocks.push(Block::Text("soft", format!("Always zero: {}.", zero.join(", "))));
    }
    page.fold(title, &remark, false, blocks);
}

/// Whether counts and data agree, in words.
fn agreement(result: &RunResult) -> String {
    let is_wrong = result.ledger.as_ref().is_some_and(|ledger| !ledger.balanced)
        || result.invariants.iter().any(|row| !row.passed);
    if is_wrong { "they differ".into() } else { "they agree".into() }
}

/// How many checks passed, in words.
fn checked(result: &RunResult) -> String {
    let sum = |of: fn(&CheckRow) -> u64| result.checks.iter().map(of).sum::<u64>();
    match (sum(|row| row.failed), sum(|row| row.failed_outside)) {
        (0, 0) => "all passed".into(),
        (failed, 0) => format!("{failed} failed"),
        (0, outside) => format!("{outside} failed outside of the measured time"),
        (failed, outside) => {
            format!("{failed} failed, and {outside} outside of the measured time")
        }
    }
}

/// The titles of results; equal ones are numbered, so that series have names of their own.
fn names(results: &[RunResult]) -> Vec<String> {
    let titles: Vec<String> = results.iter().map(RunResult::title).collect();
    let name = |(at, title): (usize, &String)| {
        let earlier = titles[..at].iter().filter(|it| *it == title).count();
        if earlier == 0 { title.clone() } else { format!("{title} ({})", earlier + 1) }
    };
    titles.iter().enumerate().map(name).collect()
}

/// The most results that are shown whole on one page.
const MOST_WHOLE: usize = 8;

fn several(page: &mut Page, results: &[RunResult], comparison: &Comparison) {
    let names = names(results);
    page.soft(comparison.caveat());
    for against in &comparison.against {
        page.heading(&format!("{} against {}", against.name, comparison.base));
        differences(page, against);
        verdicts(page, against, &comparison.base);
    }
    page.heading("Side by side");
    side_by_side(page, results, &names);
    page.charts(false, overview::side_by_side(results, &names));
    if results.len() > MOST_WHOLE {
        page.soft("A page of one of them has its charts and tables: duet bench report RUN.".into());
    }
    for (at, result) in results.iter().enumerate() {
        page.prefix = format!("run{}-", at + 1);
        page.part("head");
        page.heading(&names[at]);
        page.soft(subtitle(result));
        first_screen(page, result);
        if results.len() <= MOST_WHOLE {
            details(page, result);
        }
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
            Some(ChangeVerdict::Faster) => "good",
            Some(ChangeVerdict::Slower) => "bad",
            _ => "",
        };
        let verdict = row.verdict.as_ref().map_or_else(|| "–".to_owned(), ChangeVerdict::to_string);
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
        row("mean ms", &|it| figure(times(it).mean_us / 1e3)),
        row("p50 ms", &|it| tables::ms(times(it).p50_us)),
        row("p95 ms", &|it| tables::ms(times(it).p95_us)),
        row("p99 ms", &|it| tables::maybe_ms(times(it).p99_us)),
        row("max ms", &|it| tables::ms(times(it).max_us)),
        row("users", &|it| it.load.users.to_string()),
        row("measured s", &|it| figure(it.window.measured_s)),
        row("began", &|it| it.started.clone()),
    ];
    page.table(&head, rows);
}

fn subtitle(result: &RunResult) -> String {
    let target = &result.target;
    let place = match (&*target.address, &*target.server) {
        (address, "") => address.to_owned(),
        ("", server) => server.to_owned(),
        (address, server) => format!("{address} ({server})"),
    };
    format!(
        "{} on {place}, {}, {} measured, {}",
        result.workload,
        pressure(result),
        seconds(result.window.measured_s),
        result.started
    )
}

#[cfg(test)]
mod tests {
    use duet_verdict::result::AgentResult;

    use crate::example::Example;

    use super::*;

    /// The page without its style, its data and its script.
    fn markup(page: &str) -> String {
        let mut text = page.to_owned();
        for (from, to) in
            [("<style>", "</style>"), ("<script", "</script>"), ("<script", "</script>")]
        {
            let begin = text.find(from).unwrap();
            let end = begin + text[begin..].find(to).unwrap() + to.len();
            text.replace_range(begin..end, "");
        }
        text
    }

    /// The browser compares the hashes of the policy with the texts between the tags.
    #[test]
    fn the_policy_names_the_style_and_the_script() {
        use base64::Engine as _;
        let page = html(&[Example::default().build()], &Rules::default()).unwrap();
        for tag in ["style", "script"] {
            let text = page.rsplit(&format!("<{tag}>")).next().unwrap();
            let text = text.split(&format!("</{tag}>")).next().unwrap();
            let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
            let hash = base64::engine::general_purpose::STANDARD.encode(digest);
            assert!(page.contains(&format!("{tag}-src &#39;sha256-{hash}&#39;")), "{tag}: {hash}");
        }
        assert!(!page.contains("connect-src"), "nothing is asked for");
    }

    #[test]
    fn the_first_screen_has_a_verdict_and_four_figures() {
        let page = html(&[Example::default().build()], &Rules::default()).unwrap();
        assert_eq!(page.matches("class=\"tile ").count(), 4);
        assert!(page.contains("<p>The run held"), "{page}");
        let example = Example::default().build();
        let first = page.split("class=\"tiles\"").next().unwrap();
        assert!(first.contains(&*example.target.address), "{first}");
        assert!(page.contains("<li class=\"good\">p95&#60;20ms: "));
        // 1 of 20 rows of settings are in one table, which is folded with the rest.
        assert_eq!(page.matches("<table class=\"facts\">").count(), 1);
        let rest = page.split("id=\"rest\"").nth(1).unwrap();
        assert!(rest.contains("<summary>Settings <small>") && rest.contains("shared_buffers"));
        assert!(!rest.contains("<details class=\"fold\" open"));
    }

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
        result.agents = vec![AgentResult { address: evil.into(), ..AgentResult::default() }];
        result.load.options.insert(evil.into(), evil.into());
        result.seconds[9].observed.insert(format!("cpu.{evil}"), 1.0);
        result.waits.insert(evil.into(), 1.0);
        let mut other = result.clone();
        other.load.users = 3;
        for page in [
            html(&[result.clone()], &Rules::default()).unwrap(),
            html(&[result, other], &Rules::default()).unwrap(),
        ] {
            assert!(!page.contains("<script>alert"), "escaped");
            assert_eq!(page.matches("<script").count(), 2, "data, and the script of the page");
            assert!(page.contains("&#60;script&#62;alert(1)"), "shown");
            assert!(page.contains("\\u003cscript>alert"), "in the data of charts");
            let markup = markup(&page);
            for word in [" src=", " href=", " style=", " onload=", " onclick=", "url("] {
                assert!(!markup.contains(word), "{word}: nothing is fetched, and nothing in line");
            }
        }
    }

    /// The runs of a long series have a page that a browser can open.
    #[test]
    fn many_results_have_their_first_screens() {
        let all: Vec<RunResult> = (0..12)
            .map(|seed| Example { seed, measured_s: 5, ..Example::default() }.build())
            .collect();
        let page = html(&all, &Rules::default()).unwrap();
        assert_eq!(page.matches("class=\"tiles\"").count(), 12);
        assert!(!page.contains("<summary>Settings") && page.contains("duet bench report RUN"));
        assert!(html(&all[..8], &Rules::default()).unwrap().contains("<summary>Settings"));
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
            let text = markup(&page);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn equal_names_are_numbered() {
        let result = Example::default().build();
        assert_eq!(names(&[result.clone(), result]), ["before", "before (2)"]);
    }

    #[test]
    fn it_takes_one() {
        assert!(html(&[], &Rules::default()).is_err());
    }
}
