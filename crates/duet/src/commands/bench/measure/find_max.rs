//! `duet bench find-max`: the highest rate that meets thresholds.

use std::time::{Duration, Instant};

use duet_bench::run::{Model, Plan, Prepared};
use duet_report::html::{SearchReport, search_page};
use duet_verdict::result::RunResult;
use duet_verdict::series::{DiscardedTrial, Search, SearchResult, SearchStep, TrialResult};
use duet_verdict::text::{self, COLUMNS, counted, short, wrap};
use duet_verdict::threshold::Rule;
use serde::Serialize;

use super::ab::without_password;
use crate::args::{BenchFindMax, BenchRun};
use crate::command_error::CommandError;
use crate::commands::bench::ending::MeasurementEnding;
use crate::commands::bench::next::{next, quoted};
use crate::commands::bench::run::series::{Series, trial_plan};
use crate::commands::bench::run::terminal_run::check_limits;
use crate::commands::bench::run::{WARM_UP, plan_of, prepare_workload};
use crate::report::{Outcome, print};

/// The default measured time of an open run, and its maximum when a percentile needs more samples
/// at a low rate.
const MEASURE: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(300);
/// A margin over the samples that a percentile needs, because random arrivals are sometimes fewer.
const SPARE: f64 = 1.2;

/// The saved outcome.
#[derive(Serialize)]
struct SavedSearch<'a> {
    limits: Vec<String>,
    found: &'a SearchResult,
    levels: &'a [(u32, TrialResult)],
    points: &'a [duet_verdict::series::SearchPoint],
    /// Trials that were repeated.
    discarded: &'a [DiscardedTrial],
}

pub(in crate::commands::bench) fn run(arguments: &BenchFindMax) -> Outcome {
    let options = &arguments.options;
    options.refuse(&["rate", "layout", "think", "pacing", "ramp_up", "xml"])?;
    if let [_, second, ..] = &*options.users {
        let message = format!("A search has one number of users in flight; {second} is another.");
        let hint = "--most-users limits its closed runs.";
        return Err(CommandError::usage(message).hint(hint));
    }
    if let [_, second, ..] = &*options.targets {
        let message = format!("A search has one target; {second} is another.");
        return Err(CommandError::usage(message));
    }
    let mut series = Series::of_trials("find-max", options)?;
    let mut prepared = prepare_workload(&options.run)?;
    check_limits(&arguments.limits, &prepared)?;
    let mut search = Search::new(arguments.most_users);
    let budget = Budget::of(arguments);
    print(&wrap(&format!("{}\n", budget.announcement()), COLUMNS, "  "))?;
    let end = seek(arguments, &budget, &mut series, &mut search, &mut prepared)?;
    drop(prepared);
    print_outcome(arguments, &series, &search, end)
}

/// The reason that a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It finished.
    Finished,
    /// A signal.
    Stopped,
    /// Its time limit.
    OutOfTime,
}

/// Runs trials until the search finishes, reaches its time limit, or a signal comes.
fn seek(
    arguments: &BenchFindMax,
    budget: &Budget,
    series: &mut Series,
    search: &mut Search,
    prepared: &mut Prepared,
) -> Outcome<End> {
    let began = Instant::now();
    let mut round = 0;
    while let Some(step) = search.next_step() {
        let (name, plan) = plan_for(arguments, step);
        let left = budget.within.saturating_sub(began.elapsed());
        let length = length_of(&plan) + arguments.options.run.grace.unwrap_or_default();
        let confirms = matches!(step, SearchStep::Confirm(_));
        if !confirms && left < length + budget.confirm && search.hurry() {
            print("     little time is left: the best rate is confirmed next\n")?;
            continue;
        }
        if left < length {
            return Ok(End::OutOfTime);
        }
        let measure = plan.phases.measure.unwrap_or(MEASURE);
        if let Some(why) = longer(arguments, step, measure) {
            print(&wrap(&format!("     {why}\n"), COLUMNS, "     "))?;
        }
        let result = series.run(&name, &trial_plan(&plan, measure, round), prepared)?;
        if series.is_over() {
            return Ok(End::Stopped);
        }
        take(arguments, search, &result)?;
        round += 1;
    }
    Ok(End::Finished)
}

/// Adds a trial to the search, and returns its line.
fn take(arguments: &BenchFindMax, search: &mut Search, result: &RunResult) -> Outcome {
    let trial = TrialResult::of(result, &arguments.limits, arguments.options.run.errors / 100.0);
    let say = |text: &str| print(&wrap(&format!("     {text}\n"), COLUMNS, "     "));
    if !trial.passed() {
        say(&trial.reasons.join("; "))?;
    }
    let doubts = trial.doubts.join("; ");
    let counts = search.take(trial);
    if !counts {
        say(&format!("discarded and repeated: {doubts}"))?;
    } else if !doubts.is_empty() {
        say(&format!("counts all the same: {doubts}"))?;
    }
    Ok(())
}

/// The duration of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Budget {
    /// Usual.
    usual: Duration,
    /// The maximum.
    within: Duration,
    /// The confirming run.
    confirm: Duration,
    /// The measured time of closed and of open runs.
    probe: Duration,
    measure: Duration,
    /// The warm-up before each.
    warm_up: Duration,
}

/// The usual number of trials, of closed runs and of open ones.
const CLOSED: u32 = 8;
const OPEN: u32 = 36;
/// Between two trials: users connect and begin together.
const BETWEEN: Duration = Duration::from_millis(200);

impl Budget {
    fn of(arguments: &BenchFindMax) -> Self {
        let run = &arguments.options.run;
        let (probe, warm_up) = (arguments.probe, run.warmup.unwrap_or(WARM_UP));
        let measure = run.duration.unwrap_or(MEASURE);
        let around = warm_up + BETWEEN;
        let confirm = arguments.confirm + around;
        let usual = (probe + around) * CLOSED + (measure + around) * OPEN + confirm;
        let within = arguments.within.unwrap_or(usual * 2);
        Self { usual: usual.min(within), within, confirm, probe, measure, warm_up }
    }

    fn announcement(&self) -> String {
        format!(
            "The search takes about {}, {} at most (--within): closed runs of {} (--probe), open runs of {} \
             (--duration), one of {} that confirms (--confirm), each after {} of warm-up (--warmup). Open runs are \
             longer where a limit needs more samples than a low rate gives.",
            long(self.usual),
            long(self.within),
            long(self.probe),
            long(self.measure),
            long(self.confirm.saturating_sub(self.warm_up + BETWEEN)),
            long(self.warm_up)
        )
    }
}

/// A duration in words: `9 min`, `1.5 s`.
fn long(length: Duration) -> String {
    let seconds = length.as_secs_f64();
    match seconds {
        seconds if seconds >= 120.0 => format!("{:.0} min", seconds / 60.0),
        seconds => text::seconds(seconds),
    }
}

/// The duration of a trial, including its connections, without the drain.
fn length_of(plan: &Plan) -> Duration {
    plan.phases.end().unwrap_or(MEASURE) + BETWEEN
}

/// The reason that a trial is longer than requested.
fn longer(arguments: &BenchFindMax, step: SearchStep, measure: Duration) -> Option<String> {
    let (rate, options) = match step {
        SearchStep::Users(_) => return None,
        SearchStep::Confirm(rate) => (rate, arguments.confirm),
        SearchStep::Rate(rate) | SearchStep::Overload(rate) | SearchStep::Down(rate) => {
            (rate, arguments.options.run.duration.unwrap_or(MEASURE))
        }
    };
    let rule = arguments.limits.iter().max_by_key(|rule| rule.samples())?;
    (measure > options).then(|| {
        format!(
            "{} instead of {}: {rule} needs {} samples, at {}/s",
            long(measure),
            long(options),
            rule.samples(),
            short(rate)
        )
    })
}

fn plan_for(arguments: &BenchFindMax, step: SearchStep) -> (String, Plan) {
    let run = &arguments.options.run;
    let duration = run.duration.unwrap_or(MEASURE);
    match step {
        SearchStep::Users(users) => {
            let mut plan = plan_of(&BenchRun { users: Some(users), ..run.clone() });
            plan.model = Model::Closed;
            plan.phases.measure = Some(arguments.probe);
            (counted(users.into(), "user"), plan)
        }
        SearchStep::Confirm(rate) => open(arguments, rate, arguments.confirm, "confirm"),
        SearchStep::Rate(rate) => open(arguments, rate, duration, "at"),
        SearchStep::Overload(rate) => open(arguments, rate, duration, "overload"),
        SearchStep::Down(rate) => open(arguments, rate, duration, "down to"),
    }
}

fn open(arguments: &BenchFindMax, rate: f64, at_least: Duration, word: &str) -> (String, Plan) {
    let run = BenchRun { rate: Some(rate), ..arguments.options.run.clone() };
    let mut plan = plan_of(&run);
    let measure = measured(&arguments.limits, rate, at_least);
    plan.phases.measure = Some(measure);
    // A rate above the maximum builds a backlog, which is visible before it drains.
    plan.grace = Some(run.grace.unwrap_or(plan.timeout.min(measure)));
    (format!("{word} {rate:.1}/s"), plan)
}

/// The time in which thresholds get their samples.
fn measured(limits: &[Rule], rate: f64, at_least: Duration) -> Duration {
    let samples = limits.iter().map(Rule::samples).max().unwrap_or(1);
    let needed = samples as f64 * SPARE / rate.max(f64::MIN_POSITIVE);
    let needed = Duration::from_secs_f64(needed.min(LONGEST.as_secs_f64()));
    at_least.max(needed)
}

fn print_outcome(arguments: &BenchFindMax, series: &Series, search: &Search, end: End) -> Outcome {
    let found = search.found();
    let limits: Vec<String> = arguments.limits.iter().map(ToString::to_string).collect();
    let text = sentences(&found, &limits, end);
    let kept = SavedSearch {
        limits: limits.clone(),
        found: &found,
        levels: search.levels(),
        points: search.points(),
        discarded: search.discarded(),
    };
    series.write_json("find-max.json", &kept)?;
    let title = format!("{}: the highest rate", arguments.options.run.workload);
    let searched = SearchReport { title: &title, sentences: &text, search };
    let path = series.write("find-max.html", &search_page(&searched))?;
    let lines: Vec<String> = text.iter().map(|line| wrap(line, COLUMNS, "  ")).collect();
    let next = next(&following(arguments, &found, &limits));
    print(&format!("\n{}\nSaved to {}\n{next}", lines.join("\n"), path.display()))?;
    series.end_live(&path);
    series.agreed()?;
    match verdict(&found) {
        None => Ok(()),
        Some(why) => Err(MeasurementEnding::Unmet.saying(format!("error: {why}\n"))),
    }
}

/// Why the answer of a search cannot be relied on.
fn verdict(found: &SearchResult) -> Option<&'static str> {
    match found {
        SearchResult { confirmed: false, .. } => Some("no rate was confirmed"),
        SearchResult { contradiction: Some(_), .. } => {
            Some("the trials contradict each other: search again on a quiet machine")
        }
        _ => None,
    }
}

/// The suggested next command: a long run at the rate found.
fn following(arguments: &BenchFindMax, found: &SearchResult, limits: &[String]) -> Vec<String> {
    let run = &arguments.options.run;
    let Some(rate) = found.passing.or(found.best_trial) else { return Vec::new() };
    let mut command = format!("duet bench run {}", quoted(&run.workload));
    if let Some(target) = &run.target {
        command.push_str(&format!(" --target {}", quoted(&without_password(target))));
    }
    command.push_str(&format!(" --rate {} --duration 1m", short(rate)));
    for limit in limits {
        command.push_str(&format!(" --threshold {}", quoted(limit)));
    }
    vec![command]
}

fn sentences(found: &SearchResult, limits: &[String], end: End) -> Vec<String> {
    let mut text = Vec::new();
    match end {
        End::Finished => {}
        End::Stopped => text.push("Stopped before the search finished.".to_owned()),
        End::OutOfTime => {
            text.push("The time limit ended the search (--within).".to_owned());
        }
    }
    text.push(answer(found, &limits.join(" and "), end));
    if let Some((failed, passed)) = found.contradiction {
        text.push(format!(
            "Contradiction: {}/s failed and {}/s passed. Something other than the rate decides: other programs on the \
             machine, a warm-up that is too short, work in the background.",
            short(failed),
            short(passed)
        ));
    }
    text.push(failing(found, end));
    if let Some(knee) = found.knee {
        text.push(format!("p99 turns upwards near {knee:.0}/s: a hint that depends on the range."));
    }
    if let Some(ratio) = found.p99_down_by_up {
        text.push(format!("On the way down p99 was {ratio:.2} times that of the way up."));
    }
    text.extend(found.scaling.clone());
    if found.discarded > 0 {
        let trials = trials(found.discarded, "was", "were");
        text.push(format!(
            "{trials} discarded and repeated: the load generator was the bottleneck, or other programs used the machine."
        ));
    }
    if found.doubtful > 0 {
        let trials = trials(found.doubtful, "counts", "count");
        text.push(format!(
            "{trials} although that was so again: the rates may be the machine's or the load generator's, not the server's."
        ));
    }
    text
}

/// The rate that failed: the one that bounds the answer, else one of which a run failed.
fn failing(found: &SearchResult, end: End) -> String {
    match (found.failing, found.failed_trial) {
        (Some(rate), _) if found.passing.is_some() => {
            format!("The lowest rate above it that failed: {}/s.", short(rate))
        }
        (Some(rate), _) => format!("The lowest failing rate: {}/s.", short(rate)),
        (None, Some(rate)) => {
            format!("A run at {}/s failed; no rate failed two of three runs.", short(rate))
        }
        (None, None) if end != End::Finished => "No rate has failed yet.".into(),
        (None, None) => "No rate failed; the load generator could not offer more.".into(),
    }
}

/// The best rate that passed, and its evidence.
fn answer(found: &SearchResult, limits: &str, end: End) -> String {
    let rate = found.passing.or(found.best_trial).map(short).unwrap_or_default();
    match (found.passing, found.best_trial) {
        (None, None) if !found.was_open => {
            format!("No rate was found that keeps {limits}: no open run was made.")
        }
        (None, None) => format!("No rate was found that keeps {limits}: no open run passed."),
        (None, Some(_)) if found.refused > 0 => format!(
            "No rate is confirmed: short runs kept {limits} up to {rate}/s, and longer ones did not."
        ),
        (None, Some(_)) if end == End::Finished => format!(
            "No rate keeps {limits} in two of three runs; single runs passed up to {rate}/s."
        ),
        (None, Some(_)) => format!(
            "The best rate that passed is {rate}/s: it kept {limits} in a single run, and is not confirmed."
        ),
        (Some(_), _) if found.confirmed => format!(
            "{rate}/s keeps {limits}: two of three runs, a longer one, and again after an overload."
        ),
        (Some(_), _) if found.held && end != End::Finished => format!(
            "The best rate that passed is {rate}/s: a longer run kept {limits} too; the way down from an \
             overload was not measured to its end."
        ),
        (Some(_), _) if found.held => after_overload(&rate, limits, found.down),
        (Some(_), _) if end == End::Finished => {
            format!("{rate}/s keeps {limits} in two of three runs; no longer run confirmed it.")
        }
        (Some(_), _) => format!(
            "The best rate that passed is {rate}/s: it kept {limits} in two of three runs; no longer run \
             confirmed it yet."
        ),
    }
}

/// The case that a longer run confirmed and the way down did not.
fn after_overload(rate: &str, limits: &str, down: Option<f64>) -> String {
    let then = match down {
        Some(down) => format!("only {}/s does", short(down)),
        None => "no rate that was tried does".to_owned(),
    };
    format!(
        "{rate}/s keeps {limits} on the way up, and after an overload {then}: a backlog, bloat or throttling stays behind."
    )
}

fn trials(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 trial {one}") } else { format!("{count} trials {many}") }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Bench, BenchCommand, Cli, Command};

    /// The arguments of a command line.
    fn parsed(line: &str) -> BenchFindMax {
        match Cli::try_parse_from(line.split(' ')).unwrap().command {
            Command::Bench(Bench { command: BenchCommand::FindMax(arguments) }) => *arguments,
            other => panic!("{other:?}"),
        }
    }

    /// The default drain ends with the trial's length; a requested one is kept in every trial.
    #[test]
    fn a_given_grace_is_kept() {
        let line = "duet bench find-max rest --slo p99<1s --duration 10s";
        let grace = |more: &str, step| {
            plan_for(&parsed(&format!("{line}{more}")), step).1.grace().as_secs()
        };
        for (more, closed, open) in
            [("", 30, 10), (" --timeout 2s", 2, 2), (" --grace 25s", 25, 25), (" --grace 0s", 0, 0)]
        {
            assert_eq!(grace(more, SearchStep::Users(4)), closed, "{more}");
            for step in
                [SearchStep::Rate(900.0), SearchStep::Overload(900.0), SearchStep::Down(900.0)]
            {
                assert_eq!(grace(more, step), open, "{more} {step:?}");
            }
        }
    }

    #[test]
    fn runs_are_long_enough_for_their_limits() {
        let limits = ["response.p99<20ms".parse().unwrap()];
        let seconds = |rate| measured(&limits, rate, MEASURE).as_secs_f64();
        assert_eq!([10_000.0, 60.0, 0.001].map(seconds), [10.0, 20.0, 300.0]);
    }

    #[test]
    fn the_answer_in_words() {
        let limits = ["p99<20ms".to_owned()];
        let finished = |found: &SearchResult| sentences(found, &limits, End::Finished);
        let mut found =
            SearchResult { passing: Some(700.0), failing: Some(710.0), ..SearchResult::default() };
        let text = finished(&found).join(" ");
        assert!(
            text.contains(
                "no longer run confirmed it. The lowest rate above it that failed: 710/s."
            )
        );
        (found.confirmed, found.knee) = (true, Some(650.4));
        let text = finished(&found);
        assert!(text[0].starts_with("700/s keeps p99<20ms: ") && text[2].contains("650/s"));
        (found.confirmed, found.held, found.down) = (false, true, Some(350.0));
        (found.discarded, found.doubtful) = (1, 2);
        let text = finished(&found);
        assert!(text[0].contains("after an overload only 350/s does"), "{text:?}");
        assert!(text[3].starts_with("1 trial was discarded"), "{text:?}");
        assert!(text[4].starts_with("2 trials count although"), "{text:?}");
        let none = SearchResult { failed_trial: Some(100.0), ..SearchResult::default() };
        assert!(finished(&none)[0].ends_with("no open run was made."));
        let none = SearchResult { was_open: true, ..none };
        assert!(finished(&none)[0].ends_with("no open run passed."));
        for end in [End::Finished, End::OutOfTime] {
            let said = "A run at 100/s failed; no rate failed two of three runs.";
            assert_eq!(sentences(&none, &limits, end).pop().as_deref(), Some(said));
        }
    }

    /// A search with passing trials never reports that no rate was found.
    #[test]
    fn the_best_rate_that_passed_is_reported() {
        let limits = ["p99<20ms".to_owned()];
        let report_of = |found: &SearchResult, end| sentences(found, &limits, end).join(" ");
        let single = SearchResult { best_trial: Some(62.5), ..SearchResult::default() };
        let decided = SearchResult { passing: Some(50.0), ..single.clone() };
        let held = SearchResult { held: true, ..decided.clone() };
        for end in [End::Stopped, End::OutOfTime] {
            assert!(report_of(&single, end).contains("The best rate that passed is 62.5/s"));
            assert!(report_of(&decided, end).contains("The best rate that passed is 50/s"));
            assert!(report_of(&held, end).contains("a longer run kept p99<20ms too"));
        }
        assert!(
            report_of(&single, End::Stopped).starts_with("Stopped before the search finished.")
        );
        assert!(report_of(&single, End::OutOfTime).starts_with("The time limit ended"));
        let text = report_of(&single, End::Finished);
        assert!(text.contains("single runs passed up to 62.5/s"), "{text}");
        let refused = SearchResult { refused: 3, ..single.clone() };
        let text = report_of(&refused, End::Finished);
        assert!(text.contains("short runs kept p99<20ms up to 62.5/s"), "{text}");
        let contradiction = SearchResult { contradiction: Some((10.0, 40.0)), ..decided };
        let confirmed = SearchResult { confirmed: true, ..SearchResult::default() };
        assert_eq!(verdict(&confirmed), None);
        assert_eq!(verdict(&SearchResult::default()), Some("no rate was confirmed"));
        let unsure = SearchResult { confirmed: true, ..contradiction.clone() };
        assert!(verdict(&unsure).is_some_and(|why| why.contains("contradict each other")));
        let text = report_of(&contradiction, End::Finished);
        assert!(text.contains("Contradiction: 10/s failed and 40/s passed."), "{text}");
    }
}
