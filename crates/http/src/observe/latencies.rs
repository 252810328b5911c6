//! How long the requests of each route took in each of the last sixty minutes, for `GET /admin/latencies`: what each process
//! has counted, and what all of them have together.
//!
//! The counts of routes only grow. At the end of each minute their growth is kept: of the routes that were called most, and
//! the sum of the others, so that memory is bounded however many routes there are.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use duet_text::time::moment::rfc3339;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counters::BUCKETS;
use super::service_times::percentile;

/// Minutes that are kept.
const MINUTES: usize = 60;
/// Routes of a minute that are kept by themselves, and rows of the answer.
const MOST_ROUTES: usize = 40;
/// What the routes are called that have no row of their own.
const OTHER: &str = "other";

/// A route: its application, and its method with its template.
pub(crate) type Route = (String, String);

/// Requests of each route by their duration, since the start.
pub(crate) type RouteCounts = BTreeMap<Route, [u64; BUCKETS]>;

/// What was counted of a route in a minute.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RouteMinute {
    application: String,
    route: String,
    /// Requests by duration; the bounds are those of `duet_step_seconds`.
    buckets: Vec<u64>,
}

/// A minute.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Minute {
    /// Which one, since 1970.
    number: u64,
    routes: Vec<RouteMinute>,
}

/// The last minutes of this process.
#[derive(Debug, Default)]
pub(crate) struct LatencyHistory(Mutex<KeptMinutes>);

#[derive(Debug, Default)]
struct KeptMinutes {
    /// Those that have ended, the oldest first.
    ended: VecDeque<Minute>,
    /// The counts at the end of the last one.
    before: RouteCounts,
}

/// The minute that goes on.
pub(crate) fn this_minute() -> u64 {
    since_1970().as_secs() / 60
}

/// How long it still takes.
pub(crate) fn rest_of_minute() -> Duration {
    Duration::from_secs(60 - since_1970().as_secs() % 60)
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

impl LatencyHistory {
    /// A minute has ended, with these counts.
    pub(crate) fn end(&self, number: u64, counts: RouteCounts) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = Minute { number, routes: growth(&kept.before, &counts) };
        kept.before = counts;
        if kept.ended.len() >= MINUTES {
            kept.ended.pop_front();
        }
        kept.ended.push_back(minute);
    }

    /// The minutes that have ended and the one that goes on, as this process reports them.
    pub(crate) fn report(&self, number: u64, counts: &RouteCounts) -> Value {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Minute { number, routes: growth(&kept.before, counts) };
        let minutes: Vec<&Minute> = kept.ended.iter().chain([&now]).collect();
        // It has nothing that JSON does not.
        serde_json::to_value(minutes).unwrap_or_default()
    }
}

/// What was counted since: the routes that were called most, and the sum of the others.
fn growth(before: &RouteCounts, now: &RouteCounts) -> Vec<RouteMinute> {
    let grown = now.iter().filter_map(|(route, counts)| {
        let known = before.get(route).unwrap_or(&[0; BUCKETS]);
        let buckets = counts.iter().zip(known).map(|(now, before)| now.saturating_sub(*before));
        let buckets: Vec<u64> = buckets.collect();
        (total(&buckets) > 0).then(|| (route.clone(), buckets))
    });
    let row = |((application, route), buckets)| RouteMinute { application, route, buckets };
    let requests = |buckets: &Vec<u64>| total(buckets);
    let rows = first_ones(grown.collect(), requests, |sums, more| add(sums, more));
    rows.into_iter().map(row).collect()
}

fn total(buckets: &[u64]) -> u64 {
    buckets.iter().sum()
}

/// Adds counts to others.
fn add(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    for (sum, amount) in sums.iter_mut().zip(more) {
        *sum += amount;
    }
}

/// The routes with the most requests, and what the others have together as the last one.
fn first_ones<T: Default>(
    mut all: Vec<(Route, T)>,
    requests: impl Fn(&T) -> u64,
    add: impl Fn(&mut T, &T),
) -> Vec<(Route, T)> {
    let is_other = |route: &Route| route.1 == OTHER;
    all.sort_by_key(|(route, counts)| (is_other(route), std::cmp::Reverse(requests(counts))));
    let own = all.iter().take(MOST_ROUTES).take_while(|(route, _)| !is_other(route)).count();
    let rest = all.split_off(own);
    if !rest.is_empty() {
        let mut together = T::default();
        rest.iter().for_each(|(_, counts)| add(&mut together, counts));
        all.push(((String::new(), OTHER.to_owned()), together));
    }
    all
}

/// The requests of a route by minute.
type ByMinute = BTreeMap<u64, Vec<u64>>;

/// The last minutes of all processes together, up to this one: what the API answers.
pub(crate) fn of_all(processes: &[Value], until: u64) -> Value {
    let from = (until + 1).saturating_sub(MINUTES as u64);
    let mut routes: BTreeMap<Route, ByMinute> = BTreeMap::new();
    for process in processes {
        let minutes: Vec<Minute> = Vec::deserialize(process).unwrap_or_default();
        for minute in minutes.iter().filter(|it| (from..=until).contains(&it.number)) {
            for RouteMinute { application, route, buckets } in &minute.routes {
                let own = routes.entry((application.clone(), route.clone())).or_default();
                add(own.entry(minute.number).or_default(), buckets);
            }
        }
    }
    let requests = |minutes: &ByMinute| minutes.values().map(|it| total(it)).sum();
    let together = |sums: &mut ByMinute, more: &ByMinute| {
        more.iter().for_each(|(minute, buckets)| add(sums.entry(*minute).or_default(), buckets));
    };
    let rows = first_ones(routes.into_iter().collect(), requests, together);
    json!({
        "from": rfc3339(from * 60),
        "minutes": MINUTES,
        "routes": rows.iter().map(|(route, minutes)| written(route, minutes, from)).collect::<Vec<_>>(),
    })
}

/// A route with its figures: in all, and of each minute in which it was called.
fn written(route: &Route, minutes: &ByMinute, from: u64) -> Value {
    let (application, route) = route;
    let mut all = Vec::new();
    minutes.values().for_each(|buckets| add(&mut all, buckets));
    let figures = |buckets: &[u64]| {
        json!({
            "requests": total(buckets),
            "p50Millis": percentile(buckets, 0.5),
            "p99Millis": percentile(buckets, 0.99),
        })
    };
    let each = minutes.iter().map(|(number, buckets)| {
        let mut minute = figures(buckets);
        minute["minute"] = (number - from).into();
        minute
    });
    let each: Vec<Value> = each.collect();
    let mut row = figures(&all);
    (row["application"], row["route"], row["each"]) =
        (application.as_str().into(), route.as_str().into(), each.into());
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(routes: &[(&str, usize, u64)]) -> RouteCounts {
        let mut all = RouteCounts::new();
        for (route, bucket, count) in routes {
            let own = all.entry(("hr".to_owned(), (*route).to_owned())).or_insert([0; BUCKETS]);
            own[*bucket] += count;
        }
        all
    }

    #[test]
    fn minutes_have_what_has_grown() {
        let history = LatencyHistory::default();
        history.end(100, counts(&[("GET /a", 0, 10)]));
        history.end(101, counts(&[("GET /a", 0, 10), ("GET /b", 1, 4)]));
        let now = counts(&[("GET /a", 0, 10), ("GET /a", 3, 2), ("GET /b", 1, 4)]);
        let all = of_all(&[history.report(102, &now)], 102);
        let [a, b] = &all["routes"].as_array().unwrap()[..] else { panic!("{all}") };
        assert_eq!((&a["route"], &a["requests"]), (&json!("GET /a"), &json!(12)));
        assert_eq!((&a["each"][0]["minute"], &a["each"][1]["minute"]), (&json!(57), &json!(59)));
        assert_eq!((&b["requests"], &b["each"][0]["minute"]), (&json!(4), &json!(58)));
        assert!(a["p50Millis"].as_f64() < b["p50Millis"].as_f64(), "{all}");
        // What is older than an hour is gone, and what another process has counted is added.
        let both = [history.report(102, &now), history.report(102, &now)];
        assert_eq!(of_all(&both, 160)["routes"][0]["requests"], 8);
    }

    #[test]
    fn memory_does_not_grow_with_minutes_and_routes() {
        let size = |minutes: u64, routes: usize| {
            let history = LatencyHistory::default();
            let names: Vec<String> = (0..routes).map(|it| format!("GET /r{it:06}/")).collect();
            for minute in 0..minutes {
                let own: Vec<_> = names.iter().map(|it| (it.as_str(), 2, minute + 1)).collect();
                history.end(minute, counts(&own));
            }
            let kept = history.0.lock().unwrap();
            kept.ended.iter().map(|minute| minute.routes.len()).sum::<usize>()
        };
        let once = size(2 * MINUTES as u64, 2 * MOST_ROUTES);
        assert_eq!(once, MINUTES * (MOST_ROUTES + 1));
        assert_eq!(size(4 * MINUTES as u64, 4 * MOST_ROUTES), once);
    }

    #[test]
    fn the_others_are_one_row() {
        let names: Vec<String> = (0..MOST_ROUTES + 5).map(|it| format!("GET /r{it}")).collect();
        let own: Vec<_> =
            names.iter().enumerate().map(|(at, it)| (it.as_str(), 0, 100 - at as u64)).collect();
        let report = LatencyHistory::default().report(7, &counts(&own));
        let all = of_all(&[report.clone(), report], 7);
        let rows = all["routes"].as_array().unwrap();
        assert_eq!(rows.len(), MOST_ROUTES + 1);
        let other: u64 = own[MOST_ROUTES..].iter().map(|(_, _, count)| 2 * count).sum();
        let last = rows.last().unwrap();
        assert_eq!((&last["route"], &last["requests"]), (&json!(OTHER), &json!(other)));
    }
}
