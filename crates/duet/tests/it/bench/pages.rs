//! Pages of results in a browser, wide and narrow: nothing overflows, charts answer to pointer and
//! keyboard, and the policy of the page refuses nothing. The pictures that it keeps with `DUET_PICTURES=1` are in
//! `target/tmp/pages`.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::{Path, PathBuf};

use duet_report::html::{SearchReport, search_page};
use duet_testkit::browser::Browser;
use duet_verdict::result::{RunResult, SqlStatement};
use duet_verdict::series::{Search, SearchStep, TrialFigures, TrialResult};

use duet_testkit::command::{Signal, signal};

use super::signals::started;
use super::verdicts::{FAST, service};
use crate::example::{Example, Stall};
use crate::{duet, duet_says};

/// Sizes of a desk's screen and of a phone's.
const SIZES: [(u32, u32); 2] = [(1280, 900), (390, 844)];

/// The browser, or a remark that it is missing.
pub(crate) fn browser(test: &str) -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        duet_testkit::skipped(test, "Chromium is not installed");
    }
    browser
}

fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// An open run with an interruption, limits, and figures of the database.
fn interrupted() -> RunResult {
    let stall = Some(Stall { from_s: 40, to_s: 43, share: 0.33, failed_share: 0.3 });
    let (rate_per_s, name) = (Some(200.0), "after the index".into());
    let example = Example { rate_per_s, name, stall, ..slow() };
    let mut result = example.build();
    for second in &mut result.seconds {
        let wave = (second.at_s as f64 / 5.0).sin();
        for (name, value) in [
            ("client.cpu", 22.0 + wave),
            ("server.cpu", 41.0 + 2.0 * wave),
            ("postgres.cpu", 64.0 + 9.0 * wave),
            ("host.others", 0.05),
            ("net.lo_mbit", 61.0 + 4.0 * wave),
            ("db.commits", 199.0),
            ("db.deadlocks", 0.0),
            ("db.checkpoints", 0.0),
            ("client.memory_mb", 24.0),
            ("postgres.memory_mb", 310.0 + 20.0 * wave),
        ] {
            second.observed.insert(name.to_owned(), value);
        }
    }
    result.thresholds[0].rule = "response.p95<4ms".into();
    result.thresholds[0].passed = false;
    result.thresholds.push(duet_verdict::result::Threshold {
        rule: "tps>=150".into(),
        measured: Some(result.totals.tps),
        passed: true,
        ..duet_verdict::result::Threshold::default()
    });
    let statement = |query: &str, calls, total_ms, rows| SqlStatement {
        query: query.into(),
        calls,
        total_ms,
        rows,
        blocks_hit: calls * 7,
        blocks_read: calls / 90,
    };
    result.statements = vec![
        statement(
            "SELECT o.id, o.customer, o.total, (SELECT json_agg(l) FROM line l WHERE l.order_id = o.id) FROM orders o WHERE o.id = ANY($1)",
            5_200,
            8_800.0,
            41_000,
        ),
        statement(
            "UPDATE stock SET quantity = quantity - $1 WHERE item_id = $2",
            5_100,
            2_100.0,
            5_100,
        ),
        statement(
            "INSERT INTO line (order_id, item_id, quantity) VALUES ($1, $2, $3)",
            9_000,
            900.0,
            9_000,
        ),
    ];
    result
}

fn slow() -> Example {
    Example { median_us: 2_400.0, ..Example::default() }
}

/// Writes results, and opens their page.
fn open(browser: &mut Browser, folder: &Path, results: &[RunResult], size: (u32, u32)) {
    let mut words = vec!["bench".to_owned(), "report".to_owned()];
    for (at, result) in results.iter().enumerate() {
        let path = folder.join(format!("{at}.json"));
        duet_bench::result_files::write(result, &path).unwrap();
        words.push(path.display().to_string());
    }
    let page = folder.join("report.html").display().to_string();
    words.extend(["--out".to_owned(), page.clone()]);
    duet_says(&words.iter().map(String::as_str).collect::<Vec<_>>());
    browser.open(&format!("file://{page}"), size.0, size.1);
}

/// No element reaches beyond the window, except in tables that scroll by themselves.
const BEYOND: &str = "[...document.querySelectorAll('body *')].filter((it) => !it.closest('.scroll, .unseen, details:not([open])') && it.getBoundingClientRect().right > innerWidth + 1).map((it) => it.outerHTML.slice(0, 120))";

fn expect_fitting(browser: &mut Browser, what: &str) {
    let beyond = browser.value(BEYOND);
    assert_eq!(beyond, serde_json::json!([]), "{what}");
    let overflows = "document.documentElement.scrollWidth > innerWidth";
    assert_eq!(browser.value(overflows), false, "{what}");
}

fn expect_clean(browser: &mut Browser, what: &str) {
    assert_eq!(browser.errors(), Vec::<String>::new(), "{what}");
    let requested = browser.requested();
    assert!(requested.iter().all(|url| url.starts_with("file://")), "{what}: {requested:?}");
}

#[test]
fn pages_fit_their_window() {
    let Some(mut browser) = browser("pages_fit_their_window") else { return };
    let folder = tempfile::tempdir().unwrap();
    let one = [interrupted()];
    let two = [Example::default().build(), Example { seed: 4, ..slow() }.build()];
    let none = [RunResult { version: 2, tool: "duet".into(), ..RunResult::default() }];
    for (name, results) in [("one", &one[..]), ("two", &two), ("empty", &none)] {
        for size in SIZES {
            let what = format!("{name}-{}", size.0);
            open(&mut browser, folder.path(), results, size);
            expect_fitting(&mut browser, &what);
            browser.picture(&pictures().join(format!("{what}.png")));
            browser.value("document.querySelectorAll('details').forEach((it) => (it.open = true))");
            browser.settle();
            expect_fitting(&mut browser, &format!("{what}, unfolded"));
            let drawn = "[...document.querySelectorAll('[data-chart]')].every((it) => it.querySelector('svg'))";
            assert_eq!(browser.value(drawn), true, "{what}");
            browser.picture(&pictures().join(format!("{what}-unfolded.png")));
            expect_clean(&mut browser, &what);
        }
    }
}

#[test]
fn pages_are_dark_and_printed() {
    let Some(mut browser) = browser("pages_are_dark_and_printed") else { return };
    let folder = tempfile::tempdir().unwrap();
    open(&mut browser, folder.path(), &[interrupted()], SIZES[0]);
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(ground);
    browser.media("screen", "dark");
    assert_ne!(browser.value(ground), light);
    browser.picture(&pictures().join("one-dark.png"));
    // Paper is white, whatever the screen is.
    browser.media("print", "dark");
    assert_eq!(browser.value(ground), "rgb(255, 255, 255)");
    browser.media("", "light");
    let printed = browser.printed();
    assert!(printed.starts_with(b"%PDF"), "{} bytes", printed.len());
    fs::write(pictures().join("one.pdf"), printed).unwrap();
    expect_clean(&mut browser, "dark and printed");
}

/// The text of the box beside the pointer in the second chart; nothing where it is hidden.
const TIP: &str = "document.querySelectorAll('.tip')[1].hidden ? '' : document.querySelectorAll('.tip')[1].innerText";

#[test]
fn charts_have_a_crosshair() {
    let Some(mut browser) = browser("charts_have_a_crosshair") else { return };
    let folder = tempfile::tempdir().unwrap();
    for size in SIZES {
        open(&mut browser, folder.path(), &[interrupted()], size);
        let place = browser.value(
            "(() => { const plot = document.querySelectorAll('.plot')[1]; plot.scrollIntoView({block: 'center'}); const box = plot.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height * 0.8]; })()",
        );
        let (x, y) = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        browser.point(x, y);
        let text = browser.value(TIP);
        let text = text.as_str().unwrap();
        for part in ["p50", "p95", "max", " ms", " s"] {
            assert!(text.contains(part), "{part}: {text:?}");
        }
        expect_fitting(&mut browser, "with the crosshair");
        let lines = "document.querySelectorAll('.cross line').length";
        assert!(browser.value(lines).as_u64() > Some(2), "charts over time share the cursor");
        browser.view(&pictures().join(format!("crosshair-{}.png", size.0)));
        browser.point(1.0, 1.0);
        assert_eq!(browser.value(TIP), "");

        // By keyboard.
        browser.value("document.querySelectorAll('.plot')[1].focus({focusVisible: true})");
        browser.press("ArrowRight");
        let said = "document.querySelector('[role=status]').textContent";
        let first = browser.value(said);
        assert!(first.as_str().unwrap().starts_with("0 s · ramp, p50 "), "{first}");
        browser.press("ArrowRight");
        let second = browser.value(said);
        assert!(second.as_str().unwrap().starts_with("1 s · ramp, p50 "), "{second}");
        browser.press("End");
        assert!(browser.value(TIP).as_str().unwrap().starts_with("67 s"));
        browser.press("Escape");
        assert_eq!(browser.value(TIP), "");
        expect_clean(&mut browser, "crosshair");
    }
}

/// The page of a run follows it, becomes the report, and stays readable when the program has ended.
#[test]
fn a_live_page_follows_its_run() {
    let Some(mut browser) = browser("a_live_page_follows_its_run") else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut run = started(&["--live", "--users", "2"], &out);
    run.wait_for_output("Live: http://");
    let said = run.output();
    let url = said.split("Live: ").nth(1).unwrap().split_whitespace().next().unwrap();
    browser.open(url, SIZES[0].0, SIZES[0].1);
    browser.wait_for("document.querySelectorAll('.tile').length === 4");
    let completed = "document.querySelector('.tile').innerText";
    let first = browser.value(completed);
    browser.wait_for(&format!("{completed} !== {first}"));
    browser.wait_for("document.querySelector('.verdict-line').innerText.includes('So far it')");
    browser.picture(&pictures().join("live.png"));
    signal(run.process(), Signal::SIGTERM);
    browser.wait_for("document.getElementById('live').className === 'live ended'");
    run.wait();
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("The run was interrupted") && !report.contains("data-live"));
    let verdict = browser.value("document.querySelector('.verdict-line').innerText");
    assert!(verdict.as_str().unwrap().contains("The run was interrupted"), "{verdict}");
    assert_eq!(browser.errors(), Vec::<String>::new());
    assert!(browser.requested().iter().all(|it| it.starts_with(url)), "{:?}", browser.requested());
    expect_fitting(&mut browser, "live");
}

#[test]
fn series_are_switched_by_their_legend() {
    let Some(mut browser) = browser("series_are_switched_by_their_legend") else { return };
    let folder = tempfile::tempdir().unwrap();
    open(&mut browser, folder.path(), &[interrupted()], SIZES[0]);
    let shown = "document.querySelectorAll('.legend')[1].parentElement.querySelectorAll('path.line').length";
    let before = browser.value(shown).as_u64().unwrap();
    let button = "[...document.querySelectorAll('.legend')[1].children].find((it) => it.textContent === 'p95')";
    browser.value(&format!("{button}.click()"));
    assert_eq!(browser.value(shown), before - 1);
    assert_eq!(browser.value(&format!("{button}.getAttribute('aria-pressed')")), "false");
    // Each is a button of its own, with the keyboard too.
    browser.value(&format!("{button}.focus()"));
    browser.press("Enter");
    assert_eq!(browser.value(shown), before);
    let alone = format!(
        "{button}.dispatchEvent(new MouseEvent('click', {{shiftKey: true, bubbles: true}}))"
    );
    browser.value(&alone);
    assert_eq!(browser.value(shown), 1);
    browser.value(&alone);
    assert_eq!(browser.value(shown), before);
    expect_clean(&mut browser, "legend");
}

/// Opens a page that a series has written, and expects each of its charts to be drawn.
fn expect_drawn(browser: &mut Browser, page: &Path, least: u64) {
    for size in SIZES {
        browser.open(&format!("file://{}", page.display()), size.0, size.1);
        let hosts = "document.querySelectorAll('[data-chart]').length";
        let charts = browser.value(hosts).as_u64().unwrap();
        assert!(charts >= least, "{page:?}: {charts}");
        let lines = "[...document.querySelectorAll('[data-chart]')].every((it) => it.querySelector('svg path.line, svg path.dots'))";
        assert_eq!(browser.value(lines), true, "{page:?}");
        expect_fitting(browser, &page.display().to_string());
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        browser.picture(&pictures().join(format!("{name}-{}.png", size.0)));
        expect_clean(browser, &name);
    }
}

/// A search that confirmed a rate has two charts: latency over the rate, and throughput over users.
#[test]
fn the_page_of_a_search_draws_both_charts() {
    let Some(mut browser) = browser("the_page_of_a_search_draws_both_charts") else { return };
    let mut search = Search::new(64);
    while let Some(step) = search.next_step() {
        let (per_s, p99_ms, passed) = match step {
            SearchStep::Users(users) => (100.0 * f64::from(users.min(8)), 1.0, true),
            SearchStep::Rate(rate)
            | SearchStep::Confirm(rate)
            | SearchStep::Overload(rate)
            | SearchStep::Down(rate) => (rate, 1_000.0 / (900.0 - rate).max(1.0), rate < 700.0),
        };
        let figures = TrialFigures { per_s, p99_ms: Some(p99_ms), ..TrialFigures::default() };
        let reasons = if passed { vec![] } else { vec!["p99<5ms was 9".to_owned()] };
        search.take(TrialResult { figures, reasons, ..TrialResult::default() });
    }
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("search.html");
    let searched =
        SearchReport { title: "rest: the highest rate", sentences: &[], search: &search };
    fs::write(&page, search_page(&searched)).unwrap();
    expect_drawn(&mut browser, &page, 2);
    let titles = "[...document.querySelectorAll('figcaption, figure h2, figure h3')].map((it) => it.textContent).join()";
    let titles = browser.value(titles).to_string();
    assert!(
        titles.contains("p99 by offered rate") && titles.contains("Throughput by users"),
        "{titles}"
    );
}

/// Searches and sweeps have charts too, whatever their trials found.
#[test]
fn pages_of_series_draw_their_charts() {
    let Some(mut browser) = browser("pages_of_series_draw_their_charts") else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = service(FAST);
    let (search, sweep) = (folder.path().join("search"), folder.path().join("sweep"));
    let words = ["bench", "find-max", "rest", "--target", &url, "--slo", "max<9999s"];
    let times = ["--warmup", "0s", "--probe", "300ms", "--duration", "300ms", "--within", "5s"];
    let out = ["--most-users", "2", "--confirm", "300ms", "--out", search.to_str().unwrap()];
    // Whether a rate is confirmed, or tried at all, depends on the machine.
    duet(&[&words[..], &times, &out].concat());
    expect_drawn(&mut browser, &search.join("find-max.html"), 1);
    let words = ["bench", "run", "rest", "--target", &url, "--users", "1,2,4", "--rounds", "2"];
    let more = ["--duration", "300ms", "--warmup", "0s", "--out", sweep.to_str().unwrap()];
    duet_says(&[&words[..], &more].concat());
    expect_drawn(&mut browser, &sweep.join("sweep.html"), 2);
    let named = folder.path().join("layouts");
    let words = ["bench", "run", "rest", "--target", &url, "--layouts", "1x2,2x1", "--rounds", "1"];
    let more = ["--duration", "300ms", "--warmup", "0s", "--out", named.to_str().unwrap()];
    duet_says(&[&words[..], &more].concat());
    expect_drawn(&mut browser, &named.join("sweep.html"), 2);
    let labels = "[...document.querySelectorAll('svg text')].map((it) => it.textContent)";
    let labels = browser.value(labels);
    let has = |text: &str| labels.as_array().unwrap().iter().any(|label| label == text);
    assert!(has("1x2") && has("2x1"), "{labels}");
}

/// Seconds without an answer are marked in every chart over time, and axes have few labels.
#[test]
fn a_hang_is_seen_in_charts() {
    let Some(mut browser) = browser("a_hang_is_seen_in_charts") else { return };
    let folder = tempfile::tempdir().unwrap();
    let stall = Some(Stall { from_s: 30, to_s: 38, share: 0.0, failed_share: 0.0 });
    let mut result = Example { stall, ..Example::default() }.build();
    for second in &mut result.seconds {
        second.observed.clear();
        second.observed.insert("cpu.user".into(), 1.5);
        second.observed.insert("cpu.system".into(), 0.5);
    }
    open(&mut browser, folder.path(), &[result], SIZES[0]);
    let marked = "[...document.querySelectorAll('svg')].filter((it) => it.querySelector('rect.silent')).length";
    assert!(browser.value(marked).as_u64() >= Some(3), "load, latency and processors");
    let named = "[...document.querySelectorAll('text.of-span')].filter((it) => it.textContent === 'no answer').length";
    assert!(browser.value(named).as_u64() >= Some(2), "{}", browser.value(named));
    let most = "Math.max(...[...document.querySelectorAll('svg')].map((it) => it.querySelectorAll('line.grid').length))";
    assert!(browser.value(most).as_u64() <= Some(24), "{}", browser.value(most));
    browser.picture(&pictures().join("hang.png"));
    expect_clean(&mut browser, "hang");
}
