//! The page of a sweep: its points as charts, and as a table.

use duet_verdict::judge::mean;
use duet_verdict::series::TrialFigures;
use duet_verdict::text::TextTable;

use super::chart::{Axis, Chart, Draw, Lane, Series};
use super::page::{Block, Cell, Page};

/// A sweep.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The page's title.
    pub title: &'a str,
    /// Sentences for its reader.
    pub notes: &'a [String],
    /// Its points, in their order.
    pub points: &'a [SweepPoint<'a>],
    /// The same as a table.
    pub table: &'a TextTable,
}

/// A point of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct SweepPoint<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its users, where the points differ in nothing else.
    pub users: Option<u32>,
    /// The figures of its rounds.
    pub rounds: &'a [TrialFigures],
}

/// The page.
pub fn sweep_page(sweep: &Sweep<'_>) -> String {
    let mut page = Page::new(sweep.title);
    page.add(Block::Title(sweep.title.to_owned()));
    for note in sweep.notes {
        page.add(Block::Text("", note.clone()));
    }
    page.part("curves");
    page.charts(false, vec![throughput(sweep), times(sweep)]);
    page.part("points");
    page.heading(&sweep.table.caption);
    let head: Vec<&str> = sweep.table.head.iter().map(String::as_str).collect();
    let cells = |row: &Vec<String>| row.iter().map(|cell| Cell::of(cell)).collect();
    page.table(&head, sweep.table.rows.iter().map(cells).collect());
    page.end(concat!("duet ", env!("CARGO_PKG_VERSION")))
}

/// Numbers of users where every point has one of its own, in ascending order; names otherwise.
fn axis(points: &[&SweepPoint<'_>]) -> Axis {
    let users: Option<Vec<f64>> = points.iter().map(|it| it.users.map(f64::from)).collect();
    match users.filter(|users| users.windows(2).all(|two| two[0] < two[1])) {
        Some(values) => Axis::Number { values, unit: "users" },
        None => Axis::Named {
            values: (0..points.len()).map(|at| at as f64).collect(),
            names: points.iter().map(|point| point.name.to_owned()).collect(),
        },
    }
}

fn sorted<'a>(sweep: &Sweep<'a>) -> Vec<&'a SweepPoint<'a>> {
    let mut points: Vec<&SweepPoint<'_>> = sweep.points.iter().collect();
    // Points without a number of users keep their order.
    points.sort_by_key(|point| point.users);
    points
}

/// A figure of each point, over its rounds.
fn values(
    points: &[&SweepPoint<'_>],
    pick: impl Fn(&TrialFigures) -> Option<f64>,
    sum: impl Fn(&[f64]) -> f64,
) -> Vec<Option<f64>> {
    let of = |point: &&SweepPoint<'_>| {
        let known: Option<Vec<f64>> = point.rounds.iter().map(&pick).collect();
        known.filter(|values| !values.is_empty()).map(|values| sum(&values))
    };
    points.iter().map(of).collect()
}

/// Mean, lowest and highest of the rounds.
fn throughput(sweep: &Sweep<'_>) -> Chart {
    let points = sorted(sweep);
    let per_s = |figures: &TrialFigures| Some(figures.per_s);
    let least = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    let mut series = vec![Series::numbered(0, "mean", values(&points, per_s, mean))];
    if sweep.points.iter().any(|point| point.rounds.len() > 1) {
        series.push(Series::new("lowest round", Draw::Dots, "c1", values(&points, per_s, least)));
        series.push(Series::new("highest round", Draw::Dots, "c2", values(&points, per_s, most)));
    }
    let lane = Lane { unit: "/s", size: 220, series, ..Lane::default() };
    Chart::of("throughput", "Throughput", axis(&points), lane)
}

fn times(sweep: &Sweep<'_>) -> Chart {
    let points = sorted(sweep);
    let us = |pick: fn(&TrialFigures) -> Option<f64>| {
        values(&points, |figures| pick(figures).map(|ms| ms * 1e3), mean)
    };
    let series = [
        ("mean", us(|it| Some(it.mean_ms))),
        ("p95", us(|it| Some(it.p95_ms))),
        ("p99", us(|it| it.p99_ms)),
    ];
    let series = series.into_iter().enumerate();
    let series =
        series.map(|(at, (name, y))| Series { join: true, ..Series::numbered(at, name, y) });
    let series = series.filter(Series::is_known).collect();
    let lane = Lane { unit: "us", size: 220, log: true, series, ..Lane::default() };
    Chart::of("times", "Times, means of the rounds", axis(&points), lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(per_s: f64, p99_ms: Option<f64>) -> TrialFigures {
        TrialFigures { per_s, mean_ms: 1.0, p95_ms: 2.0, p99_ms, ..TrialFigures::default() }
    }

    #[test]
    fn points_are_curves() {
        let rounds =
            [vec![figures(100.0, None), figures(300.0, Some(3.0))], vec![figures(50.0, Some(4.0))]];
        let point = |name, users, at: usize| SweepPoint { name, users, rounds: &rounds[at] };
        let points = [point("8 users", Some(8), 0), point("1 user", Some(1), 1)];
        let table = TextTable {
            caption: "Points".into(),
            head: vec!["".into(), "per s".into()],
            rows: vec![vec!["8 users".into(), "200".into()]],
        };
        let sweep = Sweep { title: "rest: sweep", notes: &[], points: &points, table: &table };
        let Axis::Number { values, unit } = throughput(&sweep).x else { panic!() };
        assert_eq!((values, unit), (vec![1.0, 8.0], "users"));
        let lane = &throughput(&sweep).lanes[0];
        let y: Vec<_> = lane.series.iter().map(|one| one.y[1].unwrap()).collect();
        assert_eq!(y, [200.0, 100.0, 300.0]);
        assert_eq!(times(&sweep).lanes[0].series[2].y, [Some(4000.0), None], "a round lacks it");
        let page = sweep_page(&sweep);
        assert!(page.contains("data-chart=\"throughput\"") && page.contains("8 users"), "{page}");
        // Layouts of equal users have names.
        let points = [point("1x16", None, 0), point("4x4", None, 1)];
        let named = Sweep { points: &points, ..sweep };
        assert!(matches!(times(&named).x, Axis::Named { names, .. } if names == ["1x16", "4x4"]));
    }
}
