//! The page of a search for the highest rate: its outcome, curves, and every run.

use duet_verdict::series::{Search, TrialResult};
use duet_verdict::text::counted;
use duet_verdict::text::figure;

use super::chart::{Axis, Chart, Lane, Series};
use super::page::{Block, Cell, Page};

/// A search with its outcome in words.
#[derive(Clone, Copy, Debug)]
pub struct SearchReport<'a> {
    /// The page's title.
    pub title: &'a str,
    /// The outcome.
    pub sentences: &'a [String],
    /// The runs.
    pub search: &'a Search,
}

/// The page.
pub fn search_page(searched: &SearchReport<'_>) -> String {
    let mut page = Page::new(searched.title);
    page.add(Block::Title(searched.title.to_owned()));
    for sentence in searched.sentences {
        page.add(Block::Text("", sentence.clone()));
    }
    page.part("curves");
    page.charts(false, vec![latency(searched.search), users(searched.search)]);
    page.part("runs");
    page.heading("Every run");
    let mut rows = Vec::new();
    for (users, trial) in searched.search.levels() {
        rows.push(row(&counted((*users).into(), "user"), trial));
    }
    for point in searched.search.points() {
        let word = match () {
            () if point.long => ", longer",
            () if point.overload => ", overload",
            () if point.down => ", on the way down",
            () => "",
        };
        rows.push(row(&format!("{}/s{word}", figure(point.rate)), &point.trial));
    }
    for discarded in searched.search.discarded() {
        let load = match discarded.closed {
            // Users of a closed run are whole numbers.
            true => counted(discarded.load as u64, "user"),
            false => format!("{}/s", figure(discarded.load)),
        };
        rows.push(row(&format!("{load}, discarded"), &discarded.trial));
    }
    let head = ["load", "done/s", "p50 ms", "p95 ms", "p99 ms", "passed", "why not", "in doubt"];
    page.table(&head, rows);
    page.end(concat!("duet ", env!("CARGO_PKG_VERSION")))
}

fn row(load: &str, trial: &TrialResult) -> Vec<Cell> {
    let figures = &trial.figures;
    let p99 = figures.p99_ms.map_or_else(|| "n/a".into(), figure);
    let texts = [figure(figures.per_s), figure(figures.p50_ms), figure(figures.p95_ms), p99];
    let mut row = vec![Cell::of(load)];
    row.extend(texts.iter().map(|text| Cell::of(text)));
    row.push(Cell::held(trial.passed()));
    row.push(Cell::words(&trial.reasons.join("; ")));
    row.push(Cell::words(&trial.doubts.join("; ")));
    row
}

/// Points of several curves over a common axis.
fn chart(id: &str, title: &str, unit: &'static str, lane: Lane, curves: &[Curve<'_>]) -> Chart {
    let mut values: Vec<f64> =
        curves.iter().flat_map(|it| it.points.iter().map(|(x, _)| *x)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let series = curves.iter().enumerate().map(|(at, curve)| {
        let value = |x: &f64| {
            let found = curve.points.iter().find(|(place, _)| place.total_cmp(x).is_eq());
            found.map(|(_, y)| *y)
        };
        let y = values.iter().map(value).collect();
        Series { join: true, ..Series::numbered(at, curve.name, y) }
    });
    let lane = Lane { series: series.collect(), size: 220, ..lane };
    Chart::of(id, title, Axis::Number { values, unit }, lane)
}

/// A curve with its name.
struct Curve<'a> {
    name: &'a str,
    points: Vec<(f64, f64)>,
}

/// p99 over the rate; the knee is a mark of its own.
fn latency(search: &Search) -> Chart {
    let found = search.found();
    let us = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        points.into_iter().map(|(x, ms)| (x, ms * 1e3)).collect()
    };
    let up = us(search.curve());
    let top = up.iter().map(|(_, us)| *us).fold(0.0, f64::max);
    let mut curves = vec![Curve { name: "p99", points: up }];
    let down = us(search.curve_down());
    if !down.is_empty() {
        curves.push(Curve { name: "p99 on the way down", points: down });
    }
    for (name, rate) in [("highest that passed", found.passing), ("knee", found.knee)] {
        // A line from the axis up: two points of almost the same rate.
        let points = rate.map(|rate| vec![(rate, 0.0), (rate * (1.0 + 1e-9), top)]);
        curves.extend(points.map(|points| Curve { name, points }));
    }
    let lane = Lane { unit: "us", ..Lane::default() };
    chart("latency", "p99 by offered rate", "arrivals/s", lane, &curves)
}

/// Throughput over users, and the fitted curve of the scaling law.
fn users(search: &Search) -> Chart {
    let levels = search.levels().iter();
    let mut levels: Vec<(f64, f64)> =
        levels.map(|(users, trial)| (f64::from(*users), trial.figures.per_s)).collect();
    levels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let last = levels.last().map_or(1.0, |(users, _)| *users);
    let mut curves = vec![Curve { name: "measured", points: levels }];
    if let Some(fit) = search.law() {
        let place = |step: i32| 1.0 + (last - 1.0) * f64::from(step) / 50.0;
        let points = (0..=50).map(place).map(|users| (users, fit.law.at(users))).collect();
        curves.push(Curve { name: "Universal Scalability Law", points });
    }
    let lane = Lane { unit: "/s", ..Lane::default() };
    chart("users", "Throughput by users, closed runs", "users", lane, &curves)
}

#[cfg(test)]
mod tests {
    use duet_verdict::series::{SearchStep, TrialFigures};

    use super::*;

    #[test]
    fn a_search_has_a_page() {
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
        let sentences = ["It keeps a<b.".to_owned()];
        let page =
            search_page(&SearchReport { title: "t", sentences: &sentences, search: &search });
        assert!(page.contains("a&#60;b") && page.matches("<figure").count() == 2, "{page}");
        assert!(page.contains(", on the way down</td>"));
        assert_eq!(page.matches("/s, overload</td>").count(), 1);
        assert!(page.contains("Universal Scalability Law") && page.contains("p99&#60;5ms was 9"));
        let empty = Search::new(1);
        let page = search_page(&SearchReport { title: "t", sentences: &[], search: &empty });
        assert!(!page.contains("<figure"), "nothing to draw");
    }
}
