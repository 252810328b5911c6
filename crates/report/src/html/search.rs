//! The page of a search for the highest rate: its outcome, curves, and every run.

use duet_verdict::series::{Search, Trial};
use duet_verdict::text::counted;
use duet_verdict::text::figure;

use super::chart::{Chart, Curve};
use super::page::{Block, Cell, Page};

/// A search with its outcome in words.
#[derive(Clone, Copy, Debug)]
pub struct Searched<'a> {
    /// The page's title.
    pub title: &'a str,
    /// The outcome.
    pub sentences: &'a [String],
    /// The runs.
    pub search: &'a Search,
}

/// The page.
pub fn search_page(searched: &Searched<'_>) -> String {
    let mut page = Page::new(searched.title);
    page.add(Block::Title(searched.title.to_owned()));
    for sentence in searched.sentences {
        page.add(Block::Text("", sentence.clone()));
    }
    let figures = [latency(searched.search), users(searched.search)].map(|chart| chart.figure());
    page.add(Block::Drawings(figures.into()));
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

fn row(load: &str, trial: &Trial) -> Vec<Cell> {
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

/// p99 over the rate; the knee is a mark of its own.
fn latency(search: &Search) -> Chart {
    let curve = search.curve();
    let found = search.found();
    let points = |curve: &[(f64, f64)]| curve.iter().map(|(x, ms)| (*x, Some(*ms))).collect();
    let mut curves = vec![Curve { name: "p99, ms".into(), points: points(&curve) }];
    let down = search.curve_down();
    if !down.is_empty() {
        curves.push(Curve { name: "on the way down".into(), points: points(&down) });
    }
    let top = curve.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
    for (name, rate) in [("highest that passed", found.passing), ("knee", found.knee)] {
        let points = rate.map(|rate| vec![(rate, Some(0.0)), (rate, Some(top))]);
        curves.extend(points.map(|points| Curve { name: name.into(), points }));
    }
    let title = "p99 by offered rate, ms over arrivals/s".into();
    Chart { title, curves, unit: Some(""), ..Chart::default() }
}

/// Throughput over users, and the fitted curve of the scaling law.
fn users(search: &Search) -> Chart {
    let mut levels: Vec<(f64, Option<f64>)> = search
        .levels()
        .iter()
        .map(|(users, trial)| (f64::from(*users), Some(trial.figures.per_s)))
        .collect();
    levels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let last = levels.last().map_or(1.0, |(users, _)| *users);
    let mut curves = vec![Curve { name: "measured".into(), points: levels }];
    if let Some(fit) = search.law() {
        let place = |step: i32| 1.0 + (last - 1.0) * f64::from(step) / 50.0;
        let points = (0..=50).map(place).map(|users| (users, Some(fit.law.at(users))));
        let name = "Universal Scalability Law".into();
        curves.push(Curve { name, points: points.collect() });
    }
    let title = "Throughput by users, closed runs, /s".into();
    Chart { title, curves, unit: Some(""), ..Chart::default() }
}

#[cfg(test)]
mod tests {
    use duet_verdict::series::{Figures, Step};

    use super::*;

    #[test]
    fn a_search_has_a_page() {
        let mut search = Search::new(64);
        while let Some(step) = search.next_step() {
            let (per_s, p99_ms, passed) = match step {
                Step::Users(users) => (100.0 * f64::from(users.min(8)), 1.0, true),
                Step::Rate(rate)
                | Step::Confirm(rate)
                | Step::Overload(rate)
                | Step::Down(rate) => (rate, 1_000.0 / (900.0 - rate).max(1.0), rate < 700.0),
            };
            let figures = Figures { per_s, p99_ms: Some(p99_ms), ..Figures::default() };
            let reasons = if passed { vec![] } else { vec!["p99<5ms was 9".to_owned()] };
            search.take(Trial { figures, reasons, ..Trial::default() });
        }
        let sentences = ["It keeps a<b.".to_owned()];
        let page = search_page(&Searched { title: "t", sentences: &sentences, search: &search });
        assert!(page.contains("a&#60;b") && page.matches("<svg").count() == 2, "{page}");
        assert!(page.contains(", on the way down</td>"));
        assert_eq!(page.matches("/s, overload</td>").count(), 1);
        assert!(page.contains("Universal Scalability Law") && page.contains("p99&#60;5ms was 9"));
        let empty = Search::new(1);
        let page = search_page(&Searched { title: "t", sentences: &[], search: &empty });
        assert!(!page.contains("<svg"), "nothing to draw");
    }
}
