//! The charts of a run's load and of its times.

use duet_verdict::result::{RunResult, Second};
use duet_verdict::threshold::Rule;
use hdrhistogram::Histogram;

use super::chart::{Axis, Chart, Draw, Lane, Mark, Series};
use super::timeline::Timeline;

/// Steps of a distribution's axis in each nine.
const STEPS: f64 = 25.0;

/// Throughput and offered rate, failures and users, one below the other.
pub(super) fn load(result: &RunResult, timeline: &Timeline<'_>) -> Chart {
    let count = |value: fn(&Second) -> f64| timeline.mean(|second| Some(value(second)));
    let completed = count(|second| second.completed as f64);
    let mut rates = vec![Series::new("completed", Draw::Area, "c0", completed)];
    let offered = timeline.mean(|second| second.offered_per_s);
    let offered = Series::new("offered", Draw::Dashed, "c-ink", offered);
    if offered.is_known() {
        rates.push(offered);
    }
    let failed = Series::new("failed", Draw::Bars, "c-bad", count(|second| second.failed as f64));
    let users = Series::new("users", Draw::Step, "c3", count(|second| f64::from(second.users)));
    let lane = |name: &str, unit, size, series| Lane {
        name: name.into(),
        unit,
        size,
        series,
        ..Lane::default()
    };
    let marks = limits(result, Rule::bound_per_s);
    let mut lanes = vec![Lane { marks, ..lane("transactions/s", "/s", 190, rates) }];
    if failed.sum() > 0.0 {
        lanes.push(lane("failed/s", "/s", 44, vec![failed]));
    }
    lanes.push(lane("users", "", 44, vec![users]));
    Chart {
        id: "load".into(),
        title: "Throughput".into(),
        x: timeline.axis(),
        spans: timeline.spans(),
        lanes,
        ..Chart::default()
    }
}

/// The limits of a run on one figure of all types, as lines.
fn limits(result: &RunResult, bound: fn(&Rule) -> Option<f64>) -> Vec<Mark> {
    let mark = |rule: &str| Some(Mark { y: bound(&rule.parse().ok()?)?, name: rule.to_owned() });
    result.thresholds.iter().filter_map(|it| mark(&it.rule)).collect()
}

/// Which clock a run's times are of.
pub(super) fn clock(result: &RunResult) -> &'static str {
    if result.is_open() { "Response time" } else { "Service time" }
}

/// A heatmap of the seconds' histograms, with percentiles.
pub(super) fn latency(result: &RunResult, timeline: &Timeline<'_>) -> Chart {
    let times = timeline.times();
    let p99 = Series::new("p99", Draw::Dots, "c3", times.p99);
    let series = [
        Series::new("p50", Draw::Line, "c-ink", times.p50),
        Series::new("p95", Draw::Line, "c1", times.p95),
        Series { notes: times.p99_over, ..p99 },
        Series::new("max", Draw::Dotted, "c-bad", times.max),
    ];
    let lane = Lane {
        unit: "us",
        size: 260,
        log: true,
        heat: times.heat,
        marks: limits(result, Rule::bound_us),
        series: series.into_iter().filter(Series::is_known).collect(),
        ..Lane::default()
    };
    let note = "Darker cells hold more transactions. A p99 is drawn in the middle of the seconds that have the 1,000 transactions it needs.";
    Chart {
        note: note.into(),
        spans: timeline.spans(),
        ..Chart::of("latency", clock(result), timeline.axis(), lane)
    }
}

/// Times by percentile: of all types together, and of each.
pub(super) fn distribution(result: &RunResult) -> Chart {
    let mut curves = vec![("all types".to_owned(), result.histogram())];
    let ran: Vec<_> = result.types.iter().filter(|kind| kind.completed > 0).collect();
    if ran.len() > 1 {
        let of = |kind: &&duet_verdict::result::TypeResult| {
            Some((kind.name.clone(), kind.histogram(result.is_open()).ok()?))
        };
        curves.extend(ran.iter().filter_map(of));
    }
    let title = format!("{} by percentile", clock(result));
    by_percentile("distribution", &title, &curves)
}

/// Distributions over the number of nines: each nine has the same width. A curve ends where fewer than
/// ten samples are beyond.
fn by_percentile(id: &str, title: &str, curves: &[(String, Histogram<u64>)]) -> Chart {
    let end = |times: &Histogram<u64>| match times.len() {
        count @ 20.. => (count as f64 / 10.0).log10(),
        _ => 0.0,
    };
    let last = curves.iter().map(|(_, times)| end(times)).fold(0.0, f64::max);
    let values: Vec<f64> =
        (0..=(last * STEPS) as u32).map(|step| f64::from(step) / STEPS).collect();
    let curve = |(at, (name, times)): (usize, &(String, Histogram<u64>))| {
        let end = end(times);
        let value = |nines: &f64| {
            let quantile = 1.0 - 10_f64.powf(-nines);
            (end > 0.0 && *nines <= end).then(|| times.value_at_quantile(quantile) as f64)
        };
        Series::numbered(at, name, values.iter().map(value).collect())
    };
    let series = curves.iter().enumerate().map(curve).filter(Series::is_known).collect();
    let lane = Lane { unit: "us", size: 230, log: true, series, ..Lane::default() };
    Chart::of(id, title, Axis::Nines { values }, lane)
}

/// Throughput and mean time of each type, for a folded section.
pub(super) fn by_type(result: &RunResult, timeline: &Timeline<'_>) -> Vec<Chart> {
    let ran: Vec<(usize, &str)> = (result.types.iter().enumerate())
        .filter(|(_, kind)| kind.completed > 0)
        .map(|(place, kind)| (place, &*kind.name))
        .collect();
    if ran.len() < 2 {
        return Vec::new();
    }
    let chart = |id: &str, title: &str, unit, log, of: &dyn Fn(usize) -> Vec<Option<f64>>| {
        let series = ran.iter().enumerate();
        let series = series.map(|(at, (place, name))| Series::numbered(at, name, of(*place)));
        let lane = Lane { unit, size: 170, log, series: series.collect(), ..Lane::default() };
        Chart { spans: timeline.spans(), ..Chart::of(id, title, timeline.axis(), lane) }
    };
    let completed =
        |place: usize| timeline.mean(|second| second.by_type.get(place).map(|count| *count as f64));
    vec![
        chart("rates", "Throughput by type", "/s", false, &completed),
        chart("means", "Mean service time by type", "us", true, &|place| {
            timeline.mean_of_type(place)
        }),
    ]
}

/// Several results over each other, from the start of the measured time.
pub(super) fn side_by_side(results: &[RunResult], names: &[String]) -> Vec<Chart> {
    let length = results.iter().map(|result| result.measured().count()).max().unwrap_or(0);
    let step = length.div_ceil(480).max(1);
    let axis = || Axis::Time { from: 0, step: step as u64, count: length.div_ceil(step) };
    let lane = |unit, log, value: &dyn Fn(&RunResult, &[&Second]) -> Option<f64>| {
        let series = results.iter().enumerate().map(|(at, result)| {
            let seconds: Vec<&Second> = result.measured().collect();
            let mut y: Vec<_> = seconds.chunks(step).map(|part| value(result, part)).collect();
            y.resize(length.div_ceil(step), None);
            Series::numbered(at, &names[at], y)
        });
        Lane { unit, size: 190, log, series: series.collect(), ..Lane::default() }
    };
    let per_s = lane("/s", false, &|_, part| {
        Some(part.iter().map(|it| it.completed as f64).sum::<f64>() / part.len() as f64)
    });
    let p95 = lane("us", true, &|result, part| {
        let of = |it: &&Second| if result.is_open() { it.response } else { it.service };
        let highest = part.iter().map(of).map(|times| times.p95_us).max()?;
        (highest > 0).then_some(highest as f64)
    });
    let times = results.iter().map(RunResult::histogram);
    let curves: Vec<_> = names.iter().cloned().zip(times).collect();
    vec![
        Chart::of("rates", "Throughput", axis(), per_s),
        Chart::of("p95", "p95 of each second", axis(), p95),
        by_percentile("distributions", "Times by percentile", &curves),
    ]
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn the_load_has_its_offer_its_limits_and_its_failures() {
        let mut result = Example { rate_per_s: Some(200.0), ..Example::default() }.build();
        for second in &mut result.seconds {
            second.offered_per_s = Some(200.0);
        }
        result.thresholds[0].rule = "tps>=150".into();
        let chart = load(&result, &Timeline::of(&result));
        let names: Vec<&str> = chart.lanes.iter().map(|lane| &*lane.name).collect();
        assert_eq!(names, ["transactions/s", "failed/s", "users"]);
        assert_eq!(chart.lanes[0].series[1].y[5], Some(200.0));
        assert_eq!(chart.lanes[0].marks, [Mark { y: 150.0, name: "tps>=150".into() }]);
        for second in &mut result.seconds {
            second.failed = 0;
        }
        assert_eq!(load(&result, &Timeline::of(&result)).lanes.len(), 2);
    }

    #[test]
    fn times_have_their_limits() {
        let result = Example::default().build();
        let chart = latency(&result, &Timeline::of(&result));
        let lane = &chart.lanes[0];
        let names: Vec<&str> = lane.series.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["p50", "p95", "p99", "max"]);
        assert_eq!(lane.marks, [Mark { y: 20_000.0, name: "p95<20ms".into() }]);
        assert!(lane.heat.is_some());
    }

    #[test]
    fn the_distribution_ends_where_samples_do() {
        let result = Example::default().build();
        let chart = distribution(&result);
        let Axis::Nines { values } = &chart.x else { panic!() };
        let last = values.last().unwrap();
        let end = (result.totals.completed as f64 / 10.0).log10();
        assert!(end - last < 0.05 && *last <= end, "{last}");
        assert_eq!(chart.lanes[0].series.len(), 4);
        let all = &chart.lanes[0].series[0].y;
        assert!(all.windows(2).all(|two| two[0] <= two[1]));
        let rarest = &chart.lanes[0].series[3].y;
        assert!(rarest.last().unwrap().is_none(), "it has fewer samples");
    }

    #[test]
    fn types_are_charts_if_there_are_several() {
        let mut result = Example::default().build();
        let timeline = Timeline::of(&result);
        let charts = by_type(&result, &timeline);
        assert_eq!((charts.len(), charts[0].lanes[0].series.len()), (2, 3));
        result.types.truncate(1);
        assert!(by_type(&result, &Timeline::of(&result)).is_empty());
    }

    #[test]
    fn results_of_different_lengths_share_an_axis() {
        let short = Example { measured_s: 20, ..Example::default() }.build();
        let charts = side_by_side(&[Example::default().build(), short], &["a".into(), "b".into()]);
        let lane = &charts[0].lanes[0];
        assert_eq!((lane.series[0].y.len(), lane.series[1].y.len()), (60, 60));
        assert!(lane.series[1].y[19].is_some() && lane.series[1].y[20].is_none());
        assert!(charts.iter().all(Chart::is_known));
    }
}
