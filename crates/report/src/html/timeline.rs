//! The seconds of a run as the columns of charts. A run of many hours has no more columns than can be
//! seen: each then covers several seconds, whose histograms are added.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use duet_verdict::result::{Note, Percentiles, RunResult, Second, needed};
use duet_verdict::text::counted;
use duet_verdict::times::{add, histogram};
use hdrhistogram::Histogram;

use super::chart::{Axis, Heat, Span};

/// The most columns.
const COLUMNS: u64 = 480;
/// Lengths of a column in seconds that people can read.
const STEPS: [u64; 12] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600];
/// The finest ranges of a heatmap: so many have ten times the time of the first.
const FINEST: f64 = 32.0;
/// The most ranges.
const RANGES: i32 = 56;
/// The phase of seconds after the last planned one.
const DRAIN: &str = "drain";
/// What a second must have of the run to be drawn. Runs end some milliseconds before or after a full one.
const WHOLE: f64 = 0.95;
/// The name of seconds without an answer.
const NO_ANSWER: &str = "no answer";
/// The phase that counts.
const MEASURE: &str = "measure";

/// Columns of seconds.
pub(super) struct Timeline<'a> {
    result: &'a RunResult,
    from: u64,
    step: u64,
    columns: Vec<Vec<&'a Second>>,
    /// Columns of observed figures, by name.
    observed: OnceCell<BTreeMap<&'a str, Vec<Option<f64>>>>,
}

/// Times by column, in microseconds.
#[derive(Debug, Default)]
pub(super) struct Times {
    pub(super) p50: Vec<Option<f64>>,
    pub(super) p95: Vec<Option<f64>>,
    pub(super) max: Vec<Option<f64>>,
    /// A p99 needs 1,000 samples: seconds are merged until they have them, and it is drawn in their middle.
    pub(super) p99: Vec<Option<f64>>,
    /// The seconds of each p99.
    pub(super) p99_over: Vec<Option<String>>,
    pub(super) heat: Option<Heat>,
}

impl<'a> Timeline<'a> {
    /// The columns of a run.
    pub(super) fn of(result: &'a RunResult) -> Self {
        let seconds = drawn(result);
        let from = seconds.first().map_or(0, |second| second.at_s);
        let length = seconds.last().map_or(0, |second| second.at_s + 1 - from);
        let step = STEPS.into_iter().find(|step| length.div_ceil(*step) <= COLUMNS);
        let step = step.unwrap_or_else(|| length.div_ceil(COLUMNS)).max(1);
        let mut columns = vec![Vec::new(); usize::try_from(length.div_ceil(step)).unwrap_or(0)];
        for second in seconds {
            let at = usize::try_from((second.at_s - from) / step).unwrap_or(usize::MAX);
            if let Some(column) = columns.get_mut(at) {
                column.push(second);
            }
        }
        Self { result, from, step, columns, observed: OnceCell::new() }
    }

    pub(super) fn axis(&self) -> Axis {
        Axis::Time { from: self.from, step: self.step, count: self.columns.len() }
    }

    /// Whether there are columns.
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The columns as sums of a value per second, divided by their seconds.
    pub(super) fn mean(&self, value: impl Fn(&Second) -> Option<f64>) -> Vec<Option<f64>> {
        let mean = |column: &Vec<&Second>| {
            let known: Vec<f64> = column.iter().filter_map(|second| value(second)).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        self.columns.iter().map(mean).collect()
    }

    /// Columns of an observed figure.
    pub(super) fn observed(&self, name: &str) -> Vec<Option<f64>> {
        let known = self.all_observed().get(name).cloned();
        known.unwrap_or_else(|| vec![None; self.columns.len()])
    }

    /// The means of all observed figures, made in one pass: a long run has millions of values.
    fn all_observed(&self) -> &BTreeMap<&'a str, Vec<Option<f64>>> {
        self.observed.get_or_init(|| {
            let mut observed = Observed::default();
            for (at, column) in self.columns.iter().enumerate() {
                column.iter().for_each(|second| observed.add(at, second));
            }
            let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
            let places = observed.places.into_iter();
            let columns = places.map(|(name, place)| {
                let mut sums = std::mem::take(&mut observed.sums[place]);
                sums.resize(self.columns.len(), (0.0, 0));
                (name, sums.into_iter().map(mean).collect())
            });
            columns.collect()
        })
    }

    /// The names of all observed figures.
    pub(super) fn names(&self) -> Vec<&'a str> {
        self.all_observed().keys().copied().collect()
    }

    /// The means of a type's times, in microseconds.
    pub(super) fn mean_of_type(&self, kind: usize) -> Vec<Option<f64>> {
        let mean = |column: &Vec<&Second>| {
            let of = |second: &&Second| {
                let count = *second.by_type.get(kind)? as f64;
                Some((count, count * second.mean_us_by_type.get(kind)?))
            };
            let sums = column
                .iter()
                .filter_map(of)
                .fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            (sums.0 > 0.0).then(|| sums.1 / sums.0)
        };
        self.columns.iter().map(mean).collect()
    }

    /// The phases that do not count, and the seconds in which the service did not answer.
    pub(super) fn spans(&self) -> Vec<Span> {
        let silent = self.result.silent_seconds();
        let mut spans: Vec<Span> = Vec::new();
        for second in self.columns.iter().flatten() {
            let silent = silent.binary_search(&second.at_s).is_ok();
            let name = match second.phase.as_str() {
                MEASURE if silent => NO_ANSWER,
                MEASURE => continue,
                phase => phase,
            };
            match spans.last_mut() {
                Some(span) if span.to >= second.at_s && span.name == name => {
                    span.to = second.at_s + 1;
                }
                _ => spans.push(Span {
                    from: second.at_s,
                    to: second.at_s + 1,
                    name: name.to_owned(),
                    silent,
                }),
            }
        }
        let note = |note: &Note| Span {
            from: note.at_s,
            to: note.at_s + 1,
            name: note.text.clone(),
            silent: false,
        };
        spans.extend(self.result.notes.iter().map(note));
        spans
    }

    /// The distribution of times in each column.
    pub(super) fn times(&self) -> Times {
        let mut times = Times::default();
        let mut pooled = Pooled::default();
        let mut counts: Vec<BTreeMap<i32, u64>> = Vec::new();
        let end = self.columns.len();
        (times.p99, times.p99_over) = (vec![None; end], vec![None; end]);
        for (at, column) in self.columns.iter().enumerate() {
            let mut all = histogram();
            // Checked when it was read; a damaged one is as good as absent.
            column.iter().for_each(|second| drop(add(&mut all, &second.response_histogram)));
            let known = match all.is_empty() {
                true => self.without_histogram(column),
                false => Some(Percentiles::of(&all)),
            };
            let micros = |pick: fn(&Percentiles) -> u64| {
                known.as_ref().map(pick).filter(|micros| *micros > 0).map(|micros| micros as f64)
            };
            times.p50.push(micros(|times| times.p50_us));
            times.p95.push(micros(|times| times.p95_us));
            times.max.push(micros(|times| times.max_us));
            counts.push(ranges_of(&all));
            if let Some((p99, columns)) = pooled.take(&all) {
                let middle = at + 1 - columns.div_ceil(2);
                times.p99[middle] = Some(p99);
                times.p99_over[middle] = Some(format!("over {} s", columns as u64 * self.step));
            }
        }
        times.heat = heat(&counts);
        times
    }

    /// Times of results that were merged without their logs have no histograms.
    fn without_histogram(&self, column: &[&Second]) -> Option<Percentiles> {
        let [second] = column else { return None };
        let times = if self.result.is_open() { second.response } else { second.service };
        (times.count > 0).then_some(times)
    }
}

/// Sums of observed figures.
#[derive(Default)]
struct Observed<'a> {
    /// The position of each name in the sums.
    places: BTreeMap<&'a str, usize>,
    /// Of each name: sum and count of each column so far.
    sums: Vec<Vec<(f64, u32)>>,
    /// The names of the last second with their positions. Seconds mostly have the same ones.
    last: Vec<(&'a str, usize)>,
}

impl<'a> Observed<'a> {
    fn add(&mut self, column: usize, second: &'a Second) {
        for (at, (name, value)) in second.observed.iter().enumerate() {
            let place = match self.last.get(at) {
                Some((known, place)) if *known == name.as_str() => *place,
                _ => self.place(at, name),
            };
            let sums = &mut self.sums[place];
            if sums.len() <= column {
                sums.resize(column + 1, (0.0, 0));
            }
            sums[column].0 += value;
            sums[column].1 += 1;
        }
    }

    fn place(&mut self, at: usize, name: &'a str) -> usize {
        let next = self.sums.len();
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.sums.push(Vec::new());
        }
        self.last.truncate(at);
        self.last.push((name, place));
        place
    }
}

/// The seconds with load, including those after the window. A partial one at the end is left out: it would look
/// like an outage.
pub(super) fn drawn(result: &RunResult) -> &[Second] {
    let window = &result.window;
    let end = window.from_s + window.measured_s + result.load.cool_down_s;
    let is_drawn = |it: &&Second| it.at_s as f64 + WHOLE < end || it.phase == DRAIN;
    let within = result.seconds.iter().take_while(is_drawn).count();
    let is_piece = result.seconds.last().is_some_and(|it| it.phase == DRAIN);
    let within = within.min(result.seconds.len() - usize::from(is_piece));
    if within == 0 { &result.seconds } else { &result.seconds[..within] }
}

/// Says that the charts end before the run, where they leave out a partial second with transactions.
pub(super) fn cut(result: &RunResult) -> Option<String> {
    let left_out = &result.seconds[drawn(result).len()..];
    let first = left_out.iter().find(|second| second.completed + second.failed > 0)?;
    let count: u64 = left_out.iter().map(|second| second.completed + second.failed).sum();
    Some(format!(
        "Charts end at {} s: the part of a second behind it, with {}, would look like a drop. Tables have it.",
        first.at_s,
        counted(count, "transaction"),
    ))
}

/// Histograms of columns until they suffice for a p99.
#[derive(Debug, Default)]
struct Pooled {
    sum: Option<Histogram<u64>>,
    columns: usize,
}

impl Pooled {
    /// Adds a column; the p99 and the number of its columns, once there are enough samples.
    fn take(&mut self, all: &Histogram<u64>) -> Option<(f64, usize)> {
        let sum = self.sum.get_or_insert_with(histogram);
        // All have the same bounds.
        let _ = sum.add(all);
        self.columns += 1;
        if sum.len() < needed(0.99) {
            return None;
        }
        let p99 = sum.value_at_quantile(0.99) as f64;
        let columns = std::mem::take(&mut self.columns);
        self.sum = None;
        Some((p99, columns))
    }
}

/// Counts by the finest ranges.
fn ranges_of(times: &Histogram<u64>) -> BTreeMap<i32, u64> {
    let mut counts = BTreeMap::new();
    for step in times.iter_recorded() {
        let range = (FINEST * (step.value_iterated_to().max(1) as f64).log10()).floor();
        *counts.entry(range as i32).or_default() += step.count_at_value();
    }
    counts
}

/// The ranges that were used, so many that they can be told apart.
fn heat(counts: &[BTreeMap<i32, u64>]) -> Option<Heat> {
    let used = || counts.iter().flat_map(|column| column.keys().copied());
    let (least, most) = (used().min()?, used().max()?);
    let factor = [1, 2, 4].into_iter().find(|it| (most - least) / it < RANGES).unwrap_or(8);
    let first = least.div_euclid(factor);
    let last = most.div_euclid(factor);
    let edge = |range: i32| (1e3 * 10_f64.powf(f64::from(range * factor) / FINEST)).round() / 1e3;
    let cell = |column: &BTreeMap<i32, u64>| {
        let Some(start) = column.keys().next().map(|range| range.div_euclid(factor)) else {
            return vec![0];
        };
        let mut cell = vec![u64::try_from(start - first).unwrap_or(0)];
        for (range, count) in column {
            let place = usize::try_from(range.div_euclid(factor) - start).unwrap_or(0) + 1;
            cell.resize(cell.len().max(place + 1), 0);
            cell[place] += count;
        }
        cell
    };
    Some(Heat {
        edges: (first..=last + 1).map(edge).collect(),
        cells: counts.iter().map(cell).collect(),
    })
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
    fn a_partial_second_of_the_window_is_not_drawn() {
        let mut result = Example::default().build();
        let whole = result.seconds.len();
        assert_eq!((drawn(&result).len(), cut(&result)), (whole, None));
        // Interrupted after three tenths of the last second.
        result.window.measured_s -= 0.7;
        assert_eq!(drawn(&result).len(), whole - 1);
        let last = result.seconds.last().unwrap();
        let text = cut(&result).unwrap();
        assert!(text.starts_with(&format!("Charts end at {} s:", last.at_s)), "{text}");
        assert!(text.contains(" transactions"), "{text}");
        // Some milliseconds are no part that is seen.
        result.window.measured_s += 0.68;
        assert_eq!((drawn(&result).len(), cut(&result)), (whole, None));
    }

    #[test]
    fn seconds_after_the_end_are_not_drawn() {
        let mut result = Example::default().build();
        let whole = drawn(&result).len();
        let last = result.seconds.last().unwrap().clone();
        result.seconds.push(Second { at_s: last.at_s + 1, completed: 1, ..last });
        assert_eq!(drawn(&result).len(), whole);
        assert_eq!(drawn(&RunResult::default()), []);
        assert!(Timeline::of(&RunResult::default()).is_empty());
    }

    #[test]
    fn seconds_without_an_answer_are_marked() {
        let mut result = Example::default().build();
        for second in &mut result.seconds[20..24] {
            (second.completed, second.failed) = (0, 0);
        }
        let spans = Timeline::of(&result).spans();
        let marked: Vec<_> = spans.iter().filter(|span| span.silent).collect();
        assert_eq!(marked.len(), 1, "{spans:?}");
        assert_eq!((marked[0].from, marked[0].to, &*marked[0].name), (20, 24, "no answer"));
        assert!(spans.iter().any(|span| span.name == "ramp" && !span.silent));
    }

    /// Seconds of 500 transactions have a p99 for two of them, drawn once, between them.
    #[test]
    fn a_p99_of_several_seconds_is_one_point() {
        let mut result = Example::default().build();
        let mut times = histogram();
        times.record_n(2_000, 500).unwrap();
        for second in &mut result.seconds {
            second.response_histogram = duet_verdict::times::pack(&times);
        }
        let times = Timeline::of(&result).times();
        assert_eq!(times.p99.iter().flatten().count(), 34);
        assert_eq!((times.p99[0], times.p99[1]), (None, Some(2_000.0)));
        assert_eq!(times.p99_over[1].as_deref(), Some("over 2 s"));
    }

    #[test]
    fn a_heatmap_holds_every_transaction() {
        let result = Example::default().build();
        let heat = Timeline::of(&result).times().heat.unwrap();
        let counted: u64 = heat.cells.iter().flat_map(|cell| &cell[1..]).sum();
        assert_eq!(counted, result.seconds.iter().map(|second| second.completed).sum::<u64>());
        let ranges = heat.edges.len() - 1;
        assert!(ranges <= 57 && heat.edges.windows(2).all(|two| two[0] < two[1]), "{heat:?}");
        let fits = |cell: &Vec<u64>| cell[0] as usize + cell.len() - 1 <= ranges;
        assert!(heat.cells.iter().all(fits));
        let smallest = result.seconds.iter().map(|second| second.response.min_us).min().unwrap();
        assert!((heat.edges[0] - 1.0) * 0.999 <= smallest as f64, "{heat:?}");
        assert!(smallest as f64 <= heat.edges[1], "{heat:?}");
    }

    /// Ten hours have no more columns than a minute has points that can be seen.
    #[test]
    fn long_runs_have_few_columns() {
        let mut result = Example::default().build();
        let one = result.seconds[20].clone();
        result.seconds = (0..36_000).map(|at_s| Second { at_s, ..one.clone() }).collect();
        result.window.measured_s = 36_000.0;
        result.window.from_s = 0.0;
        for second in &mut result.seconds {
            second.response_histogram.clear();
        }
        let timeline = Timeline::of(&result);
        assert!(timeline.columns.len() <= 480, "{}", timeline.columns.len());
        let Axis::Time { step, .. } = timeline.axis() else { panic!() };
        assert_eq!(step, 120);
        let per_s = timeline.mean(|second| Some(second.completed as f64));
        assert_eq!(per_s[7], Some(one.completed as f64));
        assert_eq!(timeline.times().p50[7], None, "no histogram to add");
    }

    #[test]
    fn observed_figures_are_means_of_the_seconds_that_have_them() {
        let mut result = Example::default().build();
        let one = Second::default();
        result.seconds = (0..960).map(|at_s| Second { at_s, ..one.clone() }).collect();
        (result.window.from_s, result.window.measured_s) = (0.0, 960.0);
        for (at, second) in result.seconds.iter_mut().enumerate() {
            second.observed.insert("b".into(), at as f64);
            if at % 4 == 0 {
                second.observed.insert("a".into(), 1.0 + at as f64);
            }
        }
        result.seconds[959].observed.insert("c".into(), 7.0);
        let timeline = Timeline::of(&result);
        assert_eq!((timeline.step, timeline.columns.len()), (2, 480));
        assert_eq!(timeline.names(), ["a", "b", "c"]);
        assert_eq!(timeline.observed("a")[..4], [Some(1.0), None, Some(5.0), None]);
        assert_eq!(timeline.observed("b")[..3], [Some(0.5), Some(2.5), Some(4.5)]);
        let c = timeline.observed("c");
        assert_eq!((c.len(), c[478], c[479]), (480, None, Some(7.0)));
        assert_eq!(timeline.observed("d"), vec![None; 480]);
    }

    #[test]
    fn phases_that_do_not_count_are_spans() {
        let result = Example::default().build();
        let spans = Timeline::of(&result).spans();
        let expected = [(0, 3, "ramp"), (3, 8, "warm-up")].map(|(from, to, name)| Span {
            from,
            to,
            name: name.into(),
            silent: false,
        });
        assert_eq!(spans, expected);
    }
}
