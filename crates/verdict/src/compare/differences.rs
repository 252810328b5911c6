//! Differences between two runs other than their figures; each may explain a change.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::result::RunResult;
use crate::text::{counted, short};

/// How much a difference matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// The runs are not comparable: different load, data or machine.
    Question,
    /// It may be the subject of the comparison: another target, server, setting or layout.
    Subject,
    /// It is outside the measured window: another ramp or warm-up.
    Remark,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// The value in the base.
    pub base: String,
    /// The value in the other run.
    pub new: String,
    /// How much it matters.
    pub weight: Weight,
}

/// All differences, the most important first.
pub fn differences(base: &RunResult, new: &RunResult) -> Vec<Difference> {
    let mut found = DifferenceList::default();
    found.compare(
        Weight::Subject,
        "rule of the measuring window",
        [base, new].map(|result| result.version.min(2)),
        rule,
    );
    load(&mut found, base, new);
    machine(&mut found, base, new);
    target(&mut found, base, new);
    found.0.sort_by_key(|difference| difference.weight != Weight::Question);
    found.0
}

/// The measuring rule of a result's version; later ones than the second have its rule.
fn rule(version: &u32) -> String {
    match version {
        1 => "version 1, throughput and latency of what began and ended in the window: not comparable with version 2 where transactions are long",
        _ => "version 2, throughput of what ended in the window, latency of what was due in it",
    }
    .to_owned()
}

#[derive(Default)]
struct DifferenceList(Vec<Difference>);

impl DifferenceList {
    fn compare<T: PartialEq>(
        &mut self,
        weight: Weight,
        what: &str,
        [base, new]: [T; 2],
        show: impl Fn(&T) -> String,
    ) {
        if base != new {
            let what = what.to_owned();
            self.0.push(Difference { what, base: show(&base), new: show(&new), weight });
        }
    }

    fn words(&mut self, weight: Weight, what: &str, sides: [&str; 2]) {
        let show = |text: &&str| if text.is_empty() { "none".into() } else { (*text).to_owned() };
        self.compare(weight, what, sides, show);
    }

    fn numbers(&mut self, weight: Weight, what: &str, sides: [f64; 2]) {
        self.compare(weight, what, sides, |number| short(*number));
    }

    fn maps(&mut self, weight: Weight, what: &str, [base, new]: [&BTreeMap<String, String>; 2]) {
        let names: BTreeSet<&String> = base.keys().chain(new.keys()).collect();
        for name in names {
            let of = |map: &BTreeMap<String, String>| map.get(name).cloned().unwrap_or_default();
            self.words(weight, &format!("{what} {name}"), [&of(base), &of(new)]);
        }
    }
}

fn load(found: &mut DifferenceList, base: &RunResult, new: &RunResult) {
    let question = Weight::Question;
    let (a, b) = (&base.load, &new.load);
    found.words(question, "workload", [&base.workload, &new.workload]);
    found.words(question, "load model", [&a.model, &b.model]);
    found.compare(question, "users", [a.users, b.users], u32::to_string);
    let rate = |rate: &Option<f64>| rate.map_or("none".into(), |rate| format!("{}/s", short(rate)));
    found.compare(question, "rate", [a.rate_per_s, b.rate_per_s], rate);
    let arrivals = |arrivals: &Option<String>| arrivals.clone().unwrap_or("none".into());
    found.compare(question, "arrivals", [a.arrivals.clone(), b.arrivals.clone()], arrivals);
    let span = |span: &[f64; 2]| format!("{} to {} ms", span[0], span[1]);
    found.compare(question, "think time", [a.think_ms, b.think_ms], span);
    found.compare(question, "inner think time", [a.think_inside_ms, b.think_inside_ms], span);
    let pacing = |pacing: &Option<f64>| pacing.map_or("none".into(), |ms| format!("{ms} ms"));
    found.compare(question, "pacing", [a.pacing_ms, b.pacing_ms], pacing);
    if let (Some(base), Some(new)) = (a.timeout_s, b.timeout_s) {
        found.numbers(question, "timeout (s)", [base, new]);
    }
    found.numbers(Weight::Remark, "ramp-up (s)", [a.ramp_up_s, b.ramp_up_s]);
    found.numbers(Weight::Remark, "warm-up (s)", [a.warm_up_s, b.warm_up_s]);
    let [first, second] = [&base.window, &new.window];
    found.numbers(Weight::Remark, "followed for (s)", [first.grace_s, second.grace_s]);
    found.words(Weight::Remark, "ended by", [&first.ended_by, &second.ended_by]);
    found.words(question, "mix", [&shares(&a.mix), &shares(&b.mix)]);
    found.maps(question, "option", [&a.options, &b.options]);
    found.maps(question, "data", [&base.target.data, &new.target.data]);
    let layouts = [&a.layout, &b.layout].map(|layout| with_threads(layout));
    found.words(Weight::Subject, "layout", [&layouts[0], &layouts[1]]);
}

/// A layout with its number of client threads, one for each process.
fn with_threads(layout: &str) -> String {
    let processes = layout.split('x').next().and_then(|count| count.parse().ok());
    match processes {
        Some(processes) => format!("{layout} ({})", counted(processes, "client thread")),
        None => layout.to_owned(),
    }
}

/// Weights as shares of their sum, because only their proportion matters.
fn shares(mix: &BTreeMap<String, f64>) -> String {
    let sum: f64 = mix.values().sum();
    let sum = if sum > 0.0 { sum } else { 1.0 };
    let share = |(name, weight): (&String, &f64)| format!("{name} {:.1} %", weight / sum * 100.0);
    mix.iter().map(share).collect::<Vec<_>>().join(", ")
}

fn machine(found: &mut DifferenceList, base: &RunResult, new: &RunResult) {
    let question = Weight::Question;
    let (a, b) = (&base.host, &new.host);
    found.words(question, "processor", [&a.cpu, &b.cpu]);
    found.compare(question, "processors", [a.cpus, b.cpus], u32::to_string);
    found.words(question, "kernel", [&a.kernel, &b.kernel]);
    // The kernel's own usage varies by a few megabytes.
    if a.memory_mb.abs_diff(b.memory_mb) * 50 > a.memory_mb.max(b.memory_mb) {
        let show = |mb: &u64| format!("{mb} MB");
        found.compare(question, "memory", [a.memory_mb, b.memory_mb], show);
    }
}

fn target(found: &mut DifferenceList, base: &RunResult, new: &RunResult) {
    let subject = Weight::Subject;
    let (a, b) = (&base.target, &new.target);
    found.words(subject, "kind of target", [&a.kind, &b.kind]);
    found.words(subject, "target", [&a.address, &b.address]);
    found.words(subject, "transport", [&a.transport, &b.transport]);
    found.words(subject, "server", [&a.server, &b.server]);
    found.maps(subject, "setting", [&a.settings, &b.settings]);
    let checkpoints = |result: &RunResult| -> f64 {
        let counters = result.database.iter();
        counters.filter(|(name, _)| name.contains("checkpoint")).map(|(_, count)| count).sum()
    };
    let had = [checkpoints(base) > 0.0, checkpoints(new) > 0.0];
    let show = |had: &bool| String::from(if *had { "some" } else { "none" });
    found.compare(Weight::Question, "checkpoints during the run", had, show);
    found.compare(
        Weight::Question,
        "whether the client was the bottleneck, or busy",
        [base.client.is_in_doubt(), new.client.is_in_doubt()],
        |was| String::from(if *was { "it was" } else { "it was not" }),
    );
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn lists_every_difference() {
        let mut base = Example::default().build();
        base.load.timeout_s = Some(30.0);
        let mut same = base.clone();
        same.load.mix.values_mut().for_each(|weight| *weight *= 100.0);
        assert_eq!(differences(&base, &same), [], "weights are shares of their sum");
        let mut new = base.clone();
        new.target.server = "another".into();
        new.target.address = "http://127.0.0.1:9090/api/main".into();
        new.load.layout = "4x4".into();
        new.target.settings.remove("shared_buffers");
        new.load.warm_up_s = 0.5;
        new.load.rate_per_s = Some(500.0 / 3.0);
        (new.load.timeout_s, new.window.grace_s) = (Some(2.0), 2.0);
        new.window.ended_by = "iterations".into();
        new.load.mix.insert("Payment".into(), 4.3);
        new.load.options.insert("keep-alive".into(), "off".into());
        new.target.data.insert("scale".into(), "10".into());
        new.host.kernel = "Linux 6.2".into();
        new.host.memory_mb += 10;
        new.database.insert("checkpoints_timed".into(), 1.0);
        let found = differences(&base, &new);
        let names: Vec<&str> = found.iter().map(|it| &*it.what).collect();
        assert_eq!(
            names,
            [
                "rate",
                "timeout (s)",
                "mix",
                "option keep-alive",
                "data scale",
                "kernel",
                "checkpoints during the run",
                "warm-up (s)",
                "followed for (s)",
                "ended by",
                "layout",
                "target",
                "server",
                "setting shared_buffers"
            ]
        );
        let sides = |what: &str| {
            let it = found.iter().find(|it| it.what == what).unwrap();
            (&*it.base, &*it.new)
        };
        assert_eq!(sides("rate"), ("none", "166.67/s"));
        assert_eq!(sides("timeout (s)"), ("30", "2"));
        assert_eq!(sides("warm-up (s)"), ("5", "0.5"));
        assert_eq!(sides("layout"), ("1x16 (1 client thread)", "4x4 (4 client threads)"));
        let addresses = ("http://127.0.0.1:8080/api/main", "http://127.0.0.1:9090/api/main");
        assert_eq!(sides("target"), addresses);
        assert_eq!(sides("setting shared_buffers"), ("128MB", "none"));
        assert_eq!(sides("mix").0, "New order 45.0 %, Payment 43.0 %, Stock level 12.0 %");
    }
}
