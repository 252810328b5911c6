//! Charts of machine and database: waits beside the processors, and everything else for a folded
//! section.

use std::collections::BTreeMap;

use duet_verdict::result::RunResult;

use super::chart::{Chart, Lane, Series, stacked};
use super::timeline::Timeline;
use super::words::{Group, place};

/// The height of these charts in pixels.
const SIZE: u32 = 170;
/// The sum of shares may be a little above a whole, because counters are read one after the other.
const WHOLE: f64 = 110.0;

/// The observations of a run as charts.
pub(super) struct Observations {
    /// Waits and processors: what limited the run.
    pub(super) first: Vec<Chart>,
    /// All others.
    pub(super) rest: Vec<Chart>,
    /// The series that are always zero.
    pub(super) zero: Vec<String>,
}

/// The charts of a run.
pub(super) fn observations(result: &RunResult, timeline: &Timeline<'_>) -> Observations {
    let mut groups: BTreeMap<Group, Vec<Series>> = BTreeMap::new();
    let mut zero = Vec::new();
    for name in timeline.names() {
        let Some(place) = place(name) else { continue };
        let y = share_of_all(result, name, &place.chart, timeline.observed(name));
        let known = y.iter().flatten();
        if known.clone().all(|value| *value == 0.0) {
            zero.push(format!("{}: {}", place.chart.title().0, place.name));
            continue;
        }
        let series = groups.entry(place.chart).or_default();
        series.push(Series::numbered(series.len(), &place.name, y));
    }
    // One program is no comparison.
    if groups.get(&Group::Programs).is_some_and(|programs| programs.len() < 2)
        && groups.contains_key(&Group::Processors)
    {
        groups.remove(&Group::Programs);
    }
    let charts = groups.into_iter().map(|(group, series)| {
        let is_first = matches!(group, Group::Waits | Group::Programs | Group::Processors);
        (is_first, chart(&group, series, timeline))
    });
    let (first, mut rest): (Vec<_>, Vec<_>) = charts.partition(|(is_first, _)| *is_first);
    let mut first: Vec<Chart> = first.into_iter().map(|(_, chart)| chart).collect();
    // Two are side by side; a third is one of the others.
    if first.len() > 2 {
        let third = first.split_off(2).into_iter().map(|chart| (false, chart));
        drop(rest.splice(0..0, third));
    }
    Observations { first, rest: rest.into_iter().map(|(_, chart)| chart).collect(), zero }
}

/// Programs are observed in percent of one processor, and other programs in processors.
fn share_of_all(
    result: &RunResult,
    name: &str,
    group: &Group,
    y: Vec<Option<f64>>,
) -> Vec<Option<f64>> {
    if *group != Group::Programs {
        return y;
    }
    let unit = if name == "host.others" { 100.0 } else { 1.0 };
    let processors = f64::from(result.host.cpus.max(1));
    y.into_iter().map(|value| value.map(|value| value * unit / processors)).collect()
}

fn chart(group: &Group, series: Vec<Series>, timeline: &Timeline<'_>) -> Chart {
    let (title, unit) = group.title();
    let is_stacked = group.is_stacked();
    let series = if is_stacked { stacked(series) } else { series };
    let is_share = matches!(group, Group::Programs | Group::Processors);
    let top = (is_share && highest(&series) <= WHOLE).then_some(100.0);
    let lane = Lane { unit, size: SIZE, stack: is_stacked, top, series, ..Lane::default() };
    let id: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    Chart {
        note: group.note().into(),
        spans: timeline.spans(),
        ..Chart::of(&id, title, timeline.axis(), lane)
    }
}

/// The highest sum of a column.
fn highest(series: &[Series]) -> f64 {
    let columns = series.iter().map(|one| one.y.len()).max().unwrap_or(0);
    let sum = |at: usize| series.iter().filter_map(|one| *one.y.get(at)?).sum::<f64>();
    (0..columns).map(sum).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    fn titles(charts: &[Chart]) -> Vec<&str> {
        charts.iter().map(|chart| &*chart.title).collect()
    }

    #[test]
    fn waits_are_beside_the_processors() {
        let mut result = Example::default().build();
        for second in &mut result.seconds {
            for (name, value) in
                [("postgres.cpu", 120.0), ("client.cpu", 30.0), ("host.others", 0.5), ("db.x", 0.0)]
            {
                second.observed.insert(name.into(), value);
            }
        }
        let observed = observations(&result, &Timeline::of(&result));
        let expected = ["Sessions by what they wait for", "Processors by program"];
        assert_eq!(titles(&observed.first), expected);
        assert_eq!(titles(&observed.rest), ["Processors by kind of work", "Disks", "Network"]);
        assert_eq!(observed.zero, ["db, x: x"]);
        let lane = &observed.first[1].lanes[0];
        let names: Vec<&str> = lane.series.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["load generator", "other programs", "PostgreSQL"]);
        // 120 % of one of two processors, and half a processor.
        assert_eq!((lane.series[2].y[3], lane.series[1].y[3]), (Some(60.0), Some(25.0)));
        assert_eq!((lane.top, lane.stack), (Some(100.0), true));
    }

    /// Rounding may raise the sum of the processors' parts slightly above the whole.
    #[test]
    fn shares_end_at_the_whole() {
        let mut result = Example::default().build();
        let shares = [("cpu.user".to_owned(), 80.2), ("cpu.system".to_owned(), 20.4)];
        for second in &mut result.seconds {
            second.observed = shares.clone().into();
        }
        let observed = observations(&result, &Timeline::of(&result));
        assert_eq!(titles(&observed.first), ["Processors by kind of work"]);
        assert_eq!(observed.first[0].lanes[0].top, Some(100.0));
        assert!(observed.rest.is_empty() && observed.zero.is_empty());
    }
}
