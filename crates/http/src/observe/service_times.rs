//! How often and how fast the requests of a resource were answered: what each process counts, and
//! what all of them have together, for `GET /admin/services`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counters::{BUCKETS, bucket_bound};

/// What one process has counted of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ServiceTimes {
    pub(crate) application: String,
    /// Its path.
    pub(crate) resource: String,
    /// Answers with a status below 400.
    pub(crate) succeeded: u64,
    /// With 4xx: what the client has to change.
    pub(crate) refused: u64,
    /// With 5xx.
    pub(crate) failed: u64,
    /// The longest, in nanoseconds.
    pub(crate) max: u64,
    /// When the last one was answered, in microseconds since 1970; 0 before the first.
    pub(crate) last_at: u64,
    /// How long it took, in nanoseconds.
    pub(crate) last: u64,
    /// Answers by duration; the bounds are those of `duet_step_seconds`.
    pub(crate) buckets: Vec<u64>,
}

impl ServiceTimes {
    /// What a process has reported; `None` where it is something else.
    pub(crate) fn read_all(report: &Value) -> Option<Vec<Self>> {
        Vec::deserialize(report).ok()
    }

    /// Adds what another worker or process has counted of the same resource.
    pub(crate) fn add(&mut self, other: &Self) {
        self.succeeded += other.succeeded;
        self.refused += other.refused;
        self.failed += other.failed;
        self.max = self.max.max(other.max);
        if other.last_at > self.last_at {
            (self.last_at, self.last) = (other.last_at, other.last);
        }
        self.buckets.resize(self.buckets.len().max(other.buckets.len()), 0);
        for (sum, amount) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += amount;
        }
    }

    /// The members that people read.
    fn figures(&self) -> Value {
        json!({
            "succeeded": self.succeeded,
            "refused": self.refused,
            "failed": self.failed,
            "lastMillis": millis(self.last),
            "maxMillis": millis(self.max),
            "p50Millis": self.percentile(0.5),
            "p99Millis": self.percentile(0.99),
        })
    }

    /// As [`percentile`], and never more than the longest.
    fn percentile(&self, share: f64) -> Option<f64> {
        percentile(&self.buckets, share).map(|it| it.min(millis(self.max)))
    }
}

/// The duration, in milliseconds, that this share of the answers did not exceed: estimated within
/// its bucket, as if durations were spread evenly there. `None` without answers.
pub(crate) fn percentile(buckets: &[u64], share: f64) -> Option<f64> {
    let total: u64 = buckets.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let rank = share * total as f64;
    let mut below = 0.0;
    for (bucket, amount) in buckets.iter().enumerate().filter(|(_, amount)| **amount > 0) {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let amount = *amount as f64;
        if below + amount >= rank {
            let from = if bucket == 0 { 0.0 } else { bucket_bound(bucket - 1) };
            let to = bucket_bound(bucket.min(BUCKETS - 2));
            let seconds = from + (to - from).max(0.0) * ((rank - below) / amount);
            return Some(rounded(seconds * 1e3));
        }
        below += amount;
    }
    None
}

/// The services of all processes: the figures of each in all of them, and in `instances` for each.
pub(crate) fn total_of_each(processes: &[(u64, Vec<ServiceTimes>)]) -> Vec<Value> {
    let mut totals: BTreeMap<(&str, &str), (ServiceTimes, Vec<Value>)> = BTreeMap::new();
    for (instance, services) in processes {
        for times in services {
            let key = (times.application.as_str(), times.resource.as_str());
            let (total, instances) = totals.entry(key).or_default();
            total.add(times);
            let mut figures = times.figures();
            figures["instance"] = (*instance).into();
            instances.push(figures);
        }
    }
    let listed = totals.into_iter().map(|((application, resource), (total, instances))| {
        let mut service = json!({ "application": application, "resource": resource });
        if let (Some(service), Value::Object(figures)) = (service.as_object_mut(), total.figures())
        {
            service.extend(figures);
        }
        service["instances"] = instances.into();
        service
    });
    listed.collect()
}

/// Nanoseconds as milliseconds, to the microsecond.
fn millis(nanos: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a figure for reading")]
    let millis = nanos as f64 / 1e6;
    rounded(millis)
}

/// Milliseconds to the microsecond.
fn rounded(millis: f64) -> f64 {
    (millis * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(buckets: &[(usize, u64)], max: u64, last: (u64, u64)) -> ServiceTimes {
        let mut all = vec![0; BUCKETS];
        buckets.iter().for_each(|(bucket, amount)| all[*bucket] = *amount);
        ServiceTimes {
            application: "hr".to_owned(),
            resource: "/hr/team".to_owned(),
            succeeded: buckets.iter().map(|(_, amount)| amount).sum(),
            max,
            last_at: last.0,
            last: last.1,
            buckets: all,
            ..ServiceTimes::default()
        }
    }

    #[test]
    fn percentiles_lie_within_their_buckets() {
        let some = times(&[(0, 50), (1, 50)], 60_000, (1, 1));
        // The first bucket ends at 32 µs, the second at 64 µs.
        assert_eq!(some.percentile(0.5), Some(0.032));
        assert_eq!(some.percentile(0.25), Some(0.016));
        // None is longer than the longest.
        assert_eq!(some.percentile(0.99), Some(0.06));
        assert_eq!(times(&[], 0, (0, 0)).percentile(0.5), None);
        let longest = times(&[(BUCKETS - 1, 1)], 90_000_000_000, (1, 1));
        assert!(longest.percentile(0.99).is_some_and(|it| it > 30_000.0 && it <= 90_000.0));
    }

    #[test]
    fn processes_are_added_up() {
        let one = times(&[(0, 3)], 20_000, (5, 10_000));
        let other = times(&[(0, 1)], 30_000, (4, 30_000));
        let all = total_of_each(&[(1, vec![one]), (2, vec![other])]);
        assert_eq!(all.len(), 1);
        assert_eq!((&all[0]["succeeded"], &all[0]["lastMillis"]), (&json!(4), &json!(0.01)));
        assert_eq!(all[0]["maxMillis"], json!(0.03));
        assert_eq!(all[0]["instances"][1]["instance"], 2);
        assert_eq!(all[0]["instances"][1]["succeeded"], 1);
    }
}
