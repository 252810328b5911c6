//! The charts of a page.

use std::collections::{BTreeMap, BTreeSet};

use duet_verdict::result::{Percentiles, RunResult, Second};
use duet_verdict::times::unpack;

use super::chart::{Chart, Curve};
use super::page::Block;

/// Throughput, latency, waits and all other observations; phases that do not count are shaded.
pub(super) fn over_time(result: &RunResult) -> Block {
    let mut charts = vec![throughput(result), latency(result)];
    charts.extend(observed(result));
    grid(charts.into_iter().map(|chart| Chart { shaded: shaded(drawn(result)), ..chart }))
}

/// The phase of seconds after the last planned one.
const DRAIN: &str = "drain";

/// The seconds with load, including those after the window. The last one is partial and left out:
/// it would look like an outage.
fn drawn(result: &RunResult) -> &[Second] {
    let window = &result.window;
    let end = window.from_s + window.measured_s + result.load.cool_down_s;
    let is_drawn = |it: &&Second| it.at_s as f64 + 0.01 < end || it.phase == DRAIN;
    let within = result.seconds.iter().take_while(is_drawn).count();
    let is_piece = result.seconds.last().is_some_and(|it| it.phase == DRAIN);
    let within = within.min(result.seconds.len() - usize::from(is_piece));
    if within == 0 { &result.seconds } else { &result.seconds[..within] }
}

/// Several results in one chart, from the start of the measured time.
pub(super) fn side_by_side(results: &[RunResult]) -> Block {
    let from = |result: &RunResult| result.measured().next().map_or(0, |second| second.at_s);
    let curves = |value: &dyn Fn(&RunResult, &Second) -> Option<f64>| -> Vec<Curve> {
        let curve = |result: &RunResult| {
            let from = from(result);
            let point = |it: &Second| ((it.at_s - from) as f64, value(result, it));
            Curve { name: result.title(), points: result.measured().map(point).collect() }
        };
        results.iter().map(curve).collect()
    };
    let per_s = curves(&|_, second| Some(second.completed as f64));
    let p95 = curves(&|result, second| ms(&times(result, second), |it| Some(it.p95_us)));
    let charts = [
        Chart { title: "Throughput, /s".into(), curves: per_s, ..Chart::default() },
        Chart {
            title: "p95, ms, each point over 1 s".into(),
            curves: p95,
            worst: true,
            ..Chart::default()
        },
        percentiles(&results.iter().collect::<Vec<_>>()),
    ];
    grid(charts)
}

/// Latency by percentile, and for one result by type.
pub(super) fn distribution(results: &[&RunResult]) -> Block {
    let mut charts = vec![percentiles(results)];
    if let [result] = results
        && result.types.iter().filter(|kind| kind.completed > 0).count() > 1
    {
        let ran = result.types.iter().filter(|kind| kind.completed > 0);
        let curves = ran.filter_map(|kind| {
            let times = kind.histogram(result.is_open()).ok()?;
            Some(Curve { name: kind.name.clone(), points: spread(&times) })
        });
        let title = "Latency by percentile and type, ms".into();
        let curves = curves.collect();
        charts.push(Chart { title, curves, marks: nines(), worst: true, ..Chart::default() });
    }
    grid(charts)
}

fn grid(charts: impl IntoIterator<Item = Chart>) -> Block {
    let figures: Vec<String> = charts.into_iter().map(|chart| chart.figure()).collect();
    if figures.iter().all(String::is_empty) {
        return Block::Text("soft", "The result holds no seconds to draw.".into());
    }
    Block::Drawings(figures)
}

/// The ranges of the phases that do not count.
fn shaded(seconds: &[Second]) -> Vec<(f64, f64)> {
    let outside = seconds.iter().filter(|second| second.phase != "measure");
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for at in outside.map(|second| second.at_s as f64) {
        match spans.last_mut() {
            Some((_, to)) if *to + 0.5 > at => *to = at + 1.0,
            _ => spans.push((at, at + 1.0)),
        }
    }
    spans
}

fn throughput(result: &RunResult) -> Chart {
    let curve = |name: &str, value: fn(&Second) -> u64| Curve {
        name: name.into(),
        points: drawn(result).iter().map(|it| (it.at_s as f64, Some(value(it) as f64))).collect(),
    };
    let mut curves = vec![curve("completed", |second| second.completed)];
    if drawn(result).iter().any(|second| second.failed > 0) {
        curves.push(curve("failed", |second| second.failed));
    }
    Chart { title: "Throughput, /s".into(), curves, ..Chart::default() }
}

fn times(result: &RunResult, second: &Second) -> Percentiles {
    if result.is_open() { second.response } else { second.service }
}

/// Milliseconds, or a gap if the value is unknown.
fn ms(times: &Percentiles, pick: fn(&Percentiles) -> Option<u64>) -> Option<f64> {
    pick(times).filter(|micros| times.count > 0 && *micros > 0).map(|micros| micros as f64 / 1e3)
}

fn latency(result: &RunResult) -> Chart {
    let curve = |name: &str, pick: fn(&Percentiles) -> Option<u64>| {
        let point = |it: &Second| (it.at_s as f64, ms(&times(result, it), pick));
        Curve { name: name.into(), points: drawn(result).iter().map(point).collect() }
    };
    let all = [
        curve("p50, each point over 1 s", |times| Some(times.p50_us)),
        curve("p95, each point over 1 s", |times| Some(times.p95_us)),
        high(result),
    ];
    let known = |curve: &Curve| curve.points.iter().any(|(_, y)| y.is_some());
    let clock = if result.is_open() { "Response time, ms" } else { "Service time, ms" };
    let curves = all.into_iter().filter(known).collect();
    Chart { title: clock.into(), curves, worst: true, ..Chart::default() }
}

/// p99 over time. A second rarely has the 1,000 transactions that a p99 needs: seconds are merged
/// until they do. Each p99 is a point in the middle of its seconds: a line over all of them would
/// suggest a measurement in each. The name gives the number of these seconds.
fn high(result: &RunResult) -> Curve {
    let mut points = Vec::new();
    let mut covered = Vec::new();
    let mut sum = duet_verdict::times::histogram();
    let mut from = None;
    for second in drawn(result) {
        let at = second.at_s as f64;
        let start = *from.get_or_insert(at);
        if let Ok(times) = unpack(&second.response_histogram) {
            let _ = sum.add(&times);
        }
        if let Some(p99) = Percentiles::of(&sum).p99_us {
            points.push((f64::midpoint(start, at), Some(p99 as f64 / 1e3)));
            // Whole numbers of seconds.
            covered.push((at - start) as u64 + 1);
            sum.reset();
            from = None;
        }
    }
    Curve { name: format!("p99, {}", coverage(&covered)), points }
}

/// The number of seconds per point of a curve: `each point over 3 to 5 s`.
fn coverage(seconds: &[u64]) -> String {
    match (seconds.iter().min(), seconds.iter().max()) {
        (Some(least), Some(most)) if least == most => format!("each point over {least} s"),
        (Some(least), Some(most)) => format!("each point over {least} to {most} s"),
        _ => "no point".into(),
    }
}

/// One chart for each prefix before the first dot: `cpu`, `disk`, `net`, `db`, `wait`.
fn observed(result: &RunResult) -> Vec<Chart> {
    let names: BTreeSet<&String> = drawn(result).iter().flat_map(|it| it.observed.keys()).collect();
    let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    // Idle time is the remainder above the others.
    for name in names.into_iter().filter(|name| *name != "cpu.idle") {
        let (group, rest) = name.split_once('.').unwrap_or(("", name));
        // Different units cannot share an axis.
        let unit = if group == "wait" || group == "cpu" {
            ""
        } else {
            rest.rsplit_once('_').map_or(rest, |(_, unit)| unit)
        };
        groups.entry((group, unit)).or_default().push(name);
    }
    let chart = |((group, unit), names): ((&str, &str), Vec<&str>)| {
        let curve = |name: &str| Curve {
            name: name.split_once('.').map_or(name, |(_, rest)| rest).to_owned(),
            points: drawn(result)
                .iter()
                .map(|it| (it.at_s as f64, it.observed.get(name).copied()))
                .collect(),
        };
        let title = title(group, unit);
        let curves = names.into_iter().map(curve).collect();
        let stacked = group == "wait" || group == "cpu";
        // Rounding may raise the sum of the processors' parts slightly above the total.
        let most = (group == "cpu").then_some(100.0);
        Chart { title, curves, stacked, most, ..Chart::default() }
    };
    groups.into_iter().map(chart).collect()
}

/// The titles of the charts.
fn title(group: &str, unit: &str) -> String {
    let who = match group {
        "wait" => return "Active sessions by wait event".into(),
        "cpu" => return "Processors, % of all".into(),
        "host" if unit == "others" => return "Processors used by other programs".into(),
        "host" => return "Load average of a minute".into(),
        "client" => "Load generator",
        "server" => "Server",
        "postgres" => "PostgreSQL",
        "databases" => "Other databases' servers",
        "observer" => "Observer",
        "pressure" => "Pressure",
        "disk" => "Disks",
        "net" => "Network",
        "db" => "Database",
        other => other,
    };
    let what = match (group, unit) {
        ("pressure", what) => return format!("{who}, % of ten seconds waiting for {what}"),
        ("disk", "mb") => "MB/s",
        ("db", "mb") => "MB",
        (_, "mbit") => "Mbit/s",
        (_, "mb") => "memory, MB",
        ("client", "delay") => "waiting for a processor, % of a second",
        ("client", "thread") => "its busiest thread, % of a second",
        (_, "cpu") => "% of a processor",
        (_, what) => what,
    };
    format!("{who}, {what}").trim_matches([',', ' ']).to_owned()
}

fn percentiles(results: &[&RunResult]) -> Chart {
    let curve = |result: &&RunResult| Curve {
        name: if results.len() == 1 { "all types".into() } else { result.title() },
        points: spread(&result.histogram()),
    };
    Chart {
        title: "Latency by percentile, ms".into(),
        curves: results.iter().map(curve).collect(),
        marks: nines(),
        worst: true,
        ..Chart::default()
    }
}

/// Milliseconds over log10(1 ÷ (1 − q)): each nine has the same width. The curve ends where fewer
/// than ten samples are beyond.
fn spread(times: &hdrhistogram::Histogram<u64>) -> Vec<(f64, Option<f64>)> {
    let count = times.len() as f64;
    if count < 20.0 {
        return Vec::new();
    }
    let end = (count / 10.0).log10();
    let steps = 150;
    (0..=steps)
        .map(|step| {
            let x = end * f64::from(step) / f64::from(steps);
            let quantile = 1.0 - 10_f64.powf(-x);
            (x, Some(times.value_at_quantile(quantile) as f64 / 1e3))
        })
        .collect()
}

fn nines() -> Vec<(f64, String)> {
    let marks = [(0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %")];
    let more = [(0.999_9, "99.99 %"), (0.999_99, "99.999 %")];
    let place = |(quantile, text): (f64, &str)| (-(1.0 - quantile).log10(), text.to_owned());
    marks.into_iter().chain(more).map(place).collect()
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn the_drain_is_drawn_without_its_partial_last_second() {
        let mut result = Example::default().build();
        assert_eq!(drawn(&result).len(), 68);
        for at_s in 68..71 {
            result.seconds.push(Second { at_s, phase: "drain".into(), ..Second::default() });
        }
        assert_eq!(drawn(&result).len(), 70);
        result.seconds.truncate(69);
        assert_eq!(drawn(&result).len(), 68);
        result.seconds[68].phase = "cool-down".into();
        assert_eq!(drawn(&result).len(), 68, "as older results say");
    }

    #[test]
    fn observed_figures_are_drawn_by_unit() {
        let charts = observed(&Example::default().build());
        let titles: Vec<&str> = charts.iter().map(|chart| &*chart.title).collect();
        let expected = [
            "Processors, % of all",
            "Disks, MB/s",
            "Network, Mbit/s",
            "Active sessions by wait event",
        ];
        assert_eq!(titles, expected);
        assert_eq!(charts[3].curves.len(), 3);
        let mut full = Example::default().build();
        full.seconds[9].observed =
            [("cpu.user".to_owned(), 80.2), ("cpu.system".to_owned(), 20.4)].into();
        let figure = observed(&full)[0].figure();
        assert!(figure.contains(">100</text>") && !figure.contains(">150</text>"), "{figure}");
        assert!(charts[3].stacked);
    }

    #[test]
    fn seconds_after_the_end_are_not_drawn() {
        let mut result = Example::default().build();
        let whole = drawn(&result).len();
        let last = result.seconds.last().unwrap().clone();
        result.seconds.push(Second { at_s: last.at_s + 1, completed: 1, ..last });
        assert_eq!(drawn(&result).len(), whole);
        assert_eq!(drawn(&RunResult::default()), []);
        let titles = [("db", "mb"), ("db", "commits"), ("my", "thing"), ("", "x")];
        let shown = titles.map(|(group, unit)| title(group, unit));
        assert_eq!(shown, ["Database, MB", "Database, commits", "my, thing", "x"]);
        let shown = ["load", "others"].map(|unit| title("host", unit));
        assert_eq!(shown, ["Load average of a minute", "Processors used by other programs"]);
    }

    /// 200 transactions a second: five seconds or six have the 1,000 that a p99 needs.
    #[test]
    fn a_curve_says_how_many_seconds_a_point_covers() {
        let name = high(&Example::default().build()).name;
        assert!(name.starts_with("p99, each point over 5 "), "{name}");
        assert_eq!(coverage(&[1, 1]), "each point over 1 s");
        assert_eq!(coverage(&[5, 3, 4]), "each point over 3 to 5 s");
        let Block::Drawings(figures) = over_time(&Example::default().build()) else { panic!() };
        let page = figures.concat();
        assert!(page.contains("p95, each point over 1 s"), "{page}");
    }

    /// Seconds of 500 transactions have a p99 for two of them, drawn once, between them.
    #[test]
    fn a_p99_of_several_seconds_is_one_point() {
        let mut result = Example::default().build();
        let mut times = duet_verdict::times::histogram();
        times.record_n(2_000, 500).unwrap();
        for second in &mut result.seconds {
            second.response_histogram = duet_verdict::times::pack(&times);
        }
        let points = high(&result).points;
        assert_eq!(points.len(), drawn(&result).len() / 2);
        assert_eq!((points[0].0, points[1].0), (0.5, 2.5));
    }

    #[test]
    fn phases_that_do_not_count_are_one_span() {
        assert_eq!(shaded(&Example::default().build().seconds), [(0.0, 8.0)]);
    }

    #[test]
    fn the_distribution_ends_where_samples_do() {
        let result = Example::default().build();
        let points = spread(&result.histogram());
        let (x, _) = points.last().unwrap();
        assert!((10_f64.powf(*x) * 10.0 - result.totals.completed as f64).abs() < 1.0);
        assert!(points.windows(2).all(|two| two[0].1 <= two[1].1));
    }
}
