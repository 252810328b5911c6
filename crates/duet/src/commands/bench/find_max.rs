//! `duet bench find-max`: the highest rate that keeps limits.

use std::time::Duration;

use duet_bench::report::{Searched, search_page};
use duet_bench::run::{Model, Plan};
use duet_bench::series::{Discarded, Found, Search, Step, Trial};
use duet_bench::threshold::Rule;
use serde::Serialize;

use super::run::{LIMIT_MISSED, plan_of, prepare_workload};
use super::series::{Series, slice};
use super::session::check_limits;
use crate::args::{BenchFindMax, BenchRun};
use crate::report::{Failure, Outcome, print};

/// How long an open run is measured where nothing else was asked for, and how long at most, so that a
/// percentile has its samples at a low rate.
const MEASURE: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(300);
/// More samples than a percentile needs: arrivals at random are sometimes fewer.
const SPARE: f64 = 1.2;

/// What is kept.
#[derive(Serialize)]
struct Kept<'a> {
    limits: Vec<String>,
    found: &'a Found,
    levels: &'a [(u32, Trial)],
    points: &'a [duet_bench::series::Point],
    /// Slices that were run again.
    discarded: &'a [Discarded],
}

pub(super) fn run(arguments: &BenchFindMax) -> Outcome {
    let asked = &arguments.asked;
    asked.refuse(&["rate", "layout", "think", "pacing", "ramp_up"])?;
    let mut prepared = prepare_workload(&asked.run)?;
    check_limits(&arguments.limits, &prepared)?;
    let mut series = Series::begin("find-max", asked);
    let mut search = Search::new(arguments.most_users);
    let mut round = 0;
    while let Some(step) = search.next_step() {
        let (name, plan) = plan_for(arguments, step);
        let measure = plan.phases.measure.unwrap_or(MEASURE);
        let result = series.run(&name, &slice(&plan, measure, round), &mut prepared)?;
        if series.is_over() {
            break;
        }
        let trial = Trial::of(&result, &arguments.limits, arguments.errors / 100.0);
        if !trial.passed() {
            print(&format!("     {}\n", trial.reasons.join("; ")))?;
        }
        let doubts = trial.doubts.join("; ");
        let counts = search.take(trial);
        if !counts {
            print(&format!("     discarded and run again: {doubts}\n"))?;
        } else if !doubts.is_empty() {
            print(&format!("     counts all the same: {doubts}\n"))?;
        }
        round += 1;
    }
    drop(prepared);
    tell(arguments, &series, &search)
}

fn plan_for(arguments: &BenchFindMax, step: Step) -> (String, Plan) {
    let run = &arguments.asked.run;
    let duration = run.duration.unwrap_or(MEASURE);
    match step {
        Step::Users(users) => {
            let mut plan = plan_of(&BenchRun { users: Some(users), ..run.clone() });
            plan.model = Model::Closed;
            plan.phases.measure = Some(arguments.probe);
            let word = if users == 1 { "user" } else { "users" };
            (format!("{users} {word}"), plan)
        }
        Step::Confirm(rate) => open(arguments, rate, arguments.confirm, "confirm"),
        Step::Rate(rate) => open(arguments, rate, duration, "at"),
        Step::Overload(rate) => open(arguments, rate, duration, "overload"),
        Step::Down(rate) => open(arguments, rate, duration, "down to"),
    }
}

fn open(arguments: &BenchFindMax, rate: f64, at_least: Duration, word: &str) -> (String, Plan) {
    let run = BenchRun { rate: Some(rate), ..arguments.asked.run.clone() };
    let mut plan = plan_of(&run);
    let measure = measured(&arguments.limits, rate, at_least);
    plan.phases.measure = Some(measure);
    // Rates above the maximum leave a backlog that need not be worked off to see that they are.
    plan.grace = Some(plan.grace().min(measure));
    (format!("{word} {rate:.1}/s"), plan)
}

/// As long as limits need for their samples.
fn measured(limits: &[Rule], rate: f64, at_least: Duration) -> Duration {
    let samples = limits.iter().map(Rule::samples).max().unwrap_or(1);
    let needed = samples as f64 * SPARE / rate.max(f64::MIN_POSITIVE);
    let needed = Duration::from_secs_f64(needed.min(LONGEST.as_secs_f64()));
    at_least.max(needed)
}

fn tell(arguments: &BenchFindMax, series: &Series, search: &Search) -> Outcome {
    let found = search.found();
    let limits: Vec<String> = arguments.limits.iter().map(ToString::to_string).collect();
    let text = sentences(&found, &limits);
    let kept = Kept {
        limits: limits.clone(),
        found: &found,
        levels: search.levels(),
        points: search.points(),
        discarded: search.discarded(),
    };
    series.write_json("find-max.json", &kept)?;
    let title = format!("{}: the highest rate", arguments.asked.run.workload);
    let searched = Searched { title: &title, sentences: &text, search };
    let path = series.write("find-max.html", &search_page(&searched))?;
    print(&format!("\n{}\nSaved to {}\n", text.join("\n"), path.display()))?;
    series.agreed()?;
    match found.confirmed {
        true => Ok(()),
        false => Err(Failure::Code(LIMIT_MISSED, "error: no rate was confirmed\n".into())),
    }
}

fn sentences(found: &Found, limits: &[String]) -> Vec<String> {
    let limits = limits.join(" and ");
    let mut text = vec![match (found.passing, found.confirmed) {
        (None, _) => format!("No rate was found that keeps {limits}."),
        (Some(rate), true) => format!(
            "{rate:.1}/s keeps {limits}: two of three runs, a longer one, and again after an overload."
        ),
        (Some(rate), false) if found.held => after_overload(rate, &limits, found.down),
        (Some(rate), false) => {
            format!("{rate:.1}/s keeps {limits} in two of three runs; no longer run confirmed it.")
        }
    }];
    text.push(match found.failing {
        Some(rate) => format!("The first rate that does not: {rate:.1}/s."),
        None => "No rate that does not was seen: more could not be offered.".into(),
    });
    if let Some(knee) = found.knee {
        text.push(format!("p99 turns upwards near {knee:.0}/s: a hint, it moves with the range."));
    }
    if let Some(ratio) = found.p99_down_by_up {
        text.push(format!("On the way down p99 was {ratio:.2} times that of the way up."));
    }
    text.extend(found.scaling.clone());
    if found.discarded > 0 {
        let slices = slices(found.discarded, "was", "were");
        text.push(format!(
            "{slices} discarded and run again: the measuring side was the limit, or others used the machine."
        ));
    }
    if found.doubtful > 0 {
        let slices = slices(found.doubtful, "counts", "count");
        text.push(format!(
            "{slices} although that was so again: the rates may be the machine's or the measuring side's, not the server's."
        ));
    }
    text
}

/// What a longer run confirmed and the way down did not.
fn after_overload(rate: f64, limits: &str, down: Option<f64>) -> String {
    let then = match down {
        Some(down) => format!("only {down:.1}/s does"),
        None => "no rate that was tried does".to_owned(),
    };
    format!(
        "{rate:.1}/s keeps {limits} on the way up, and after an overload {then}: a backlog, bloat or throttling stays behind."
    )
}

fn slices(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 slice {one}") } else { format!("{count} slices {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_long_enough_for_their_limits() {
        let limits = ["response.p99<20ms".parse().unwrap()];
        let seconds = |rate| measured(&limits, rate, MEASURE).as_secs_f64();
        assert_eq!([10_000.0, 60.0, 0.001].map(seconds), [10.0, 20.0, 300.0]);
    }

    #[test]
    fn the_answer_in_words() {
        let limits = ["p99<20ms".to_owned()];
        let mut found = Found { passing: Some(700.0), failing: Some(710.0), ..Found::default() };
        let text = sentences(&found, &limits).join(" ");
        assert!(
            text.contains("no longer run confirmed it. The first rate that does not: 710.0/s.")
        );
        (found.confirmed, found.knee) = (true, Some(650.4));
        let text = sentences(&found, &limits);
        assert!(text[0].starts_with("700.0/s keeps p99<20ms: ") && text[2].contains("650/s"));
        (found.confirmed, found.held, found.down) = (false, true, Some(350.0));
        (found.discarded, found.doubtful) = (1, 2);
        let text = sentences(&found, &limits);
        assert!(text[0].contains("after an overload only 350.0/s does"), "{text:?}");
        assert!(text[3].starts_with("1 slice was discarded"), "{text:?}");
        assert!(text[4].starts_with("2 slices count although"), "{text:?}");
        assert!(sentences(&Found::default(), &limits)[0].starts_with("No rate was found"));
    }
}
