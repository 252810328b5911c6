//! `duet bench run --server`: starts builds one after the other on the same data, and compares them.

use std::process::Command;
use std::time::Duration;

use duet_model::Error;
use duet_report::ci::{junit, markdown};
use duet_report::replay::{self, ReplayPage};
use duet_verdict::compare::{Against, COLUMNS_OF_PAIRS, Comparison, compare};
use duet_verdict::judge::{self, Row, Rules};
use duet_verdict::result::{Percentiles, RunResult};
use duet_verdict::series::{InterleavedTrials, TrialFigures, ending};
use duet_verdict::text::TextTable;
use duet_verdict::text::{COLUMNS, wrap};

use super::release_data::{Copy, CopySource};
use crate::args::{BenchMeasure, BenchRun};
use crate::command_error::CommandError;
use crate::commands::bench::ending::end_comparison;
use crate::commands::bench::next::next;
use crate::commands::bench::run::series::{Series, trial_plan};
use crate::commands::bench::run::{plan_of, prepare_workload};
use crate::commands::bench::started::server_process::ServerProcess;
use crate::commands::bench::started::undo::Folder;
use crate::report::{Outcome, print};

/// A running build. Fields are dropped in order: the server ends before its data are removed.
struct Started {
    process: ServerProcess,
    _data: Copy,
    _folder: Folder,
}

/// The measurements of a resource: by build, then by round.
struct Resource {
    name: String,
    trials: InterleavedTrials,
    results: Vec<Vec<RunResult>>,
}

pub(in crate::commands::bench) fn run(arguments: &BenchMeasure) -> Outcome {
    let options = &arguments.options;
    if let Some(target) = options.targets.first() {
        let message = format!("{target} is a target, and builds are measured where they listen.");
        return Err(CommandError::usage(message).hint("Leave it out."));
    }
    options.refuse(&[])?;
    if arguments.servers.is_empty() {
        let message = "A comparison of builds needs --server for each build.";
        return Err(CommandError::usage(message));
    }
    let rounds = arguments.rounds.unwrap_or(1);
    let mut series = Series::begin("releases", options)?;
    let builds = arguments.servers.len();
    let source = CopySource::of(arguments.data.as_deref())?;
    let whole = plan_of(&options.run);
    let measure = whole.phases.measure.unwrap_or(Duration::from_secs(10));
    let mut resources: Vec<Resource> = names(arguments)?
        .into_iter()
        .map(|name| Resource {
            name,
            trials: InterleavedTrials::new(builds, rounds, false),
            results: vec![Vec::new(); builds],
        })
        .collect();
    'trials: while let Some(trial) = resources.first().and_then(|first| first.trials.next_trial()) {
        let started = start(&arguments.servers[trial.side], &source)?;
        let plan = trial_plan(&whole, measure, trial.round);
        for resource in &mut resources {
            let run =
                asked_of(&started, &options.run, &resource.name, arguments.resources.is_empty());
            let name = format!("{} {}", release(trial.side), resource.name);
            let mut prepared = prepare_workload(&run)?;
            prepared.target.server = release(trial.side);
            let result = series.run(&name, &plan, &mut prepared)?;
            if series.is_over() {
                break 'trials;
            }
            resource.trials.take(TrialFigures::of(&result));
            resource.results[trial.side].push(result);
        }
    }
    print_outcome(arguments, &series, &resources)
}

/// A build's name in tables.
fn release(side: usize) -> String {
    format!("release {}", side + 1)
}

fn names(arguments: &BenchMeasure) -> Outcome<Vec<String>> {
    if !arguments.resources.is_empty() {
        return Ok(arguments.resources.clone());
    }
    let (_, resources) = replay::sample().map_err(Error::internal)?;
    Ok(resources)
}

fn start(text: &str, source: &CopySource) -> Outcome<Started> {
    let folder = Folder::new()?;
    let data = source.copy()?;
    let ready = folder.path().join("ready.json");
    let words = words(text, &ready.to_string_lossy(), &data.text)?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    let process = ServerProcess::start_told(command, &ready, folder.path())?;
    Ok(Started { process, _data: data, _folder: folder })
}

/// The words of a command, split in shell syntax; placeholders are filled afterwards, so that paths
/// may contain any character. There is at least one word.
fn words(text: &str, ready: &str, data: &str) -> Outcome<Vec<String>> {
    let wrong = |why: &str| CommandError::usage(format!("The command {text:?} {why}."));
    if !text.contains("{ready}") {
        let hint = "Such as: duet demo --listen 127.0.0.1:0 --ready-file {ready}";
        return Err(wrong("does not say where its ready file belongs").hint(hint));
    }
    let words = shlex::split(text).ok_or_else(|| wrong("has a quote that does not end"))?;
    Ok(words.iter().map(|word| word.replace("{ready}", ready).replace("{data}", data)).collect())
}

fn asked_of(started: &Started, run: &BenchRun, path: &str, of_sample: bool) -> BenchRun {
    let ready = &started.process.ready;
    let url = ready.urls.first().map(String::as_str).unwrap_or_default().trim_end_matches('/');
    let target = match of_sample {
        true => format!("{url}{}/{path}/", ready.mount),
        false => format!("{url}/{}", path.trim_start_matches('/')),
    };
    let (id, secret) = &ready.client;
    let client = (!id.is_empty()).then(|| format!("{id}:{secret}"));
    BenchRun { target: Some(target), client: client.or(run.client.clone()), ..run.clone() }
}

fn print_outcome(arguments: &BenchMeasure, series: &Series, resources: &[Resource]) -> Outcome {
    let rules = Rules { threshold: arguments.threshold_percent / 100.0, ..Rules::default() };
    let mut text = page(arguments, resources).text();
    let (mut worst, mut kept, mut against) = (Vec::new(), Vec::new(), Vec::new());
    for resource in resources {
        for side in 1..arguments.servers.len() {
            let (rows, note) = verdicts(resource, side, &rules)?;
            if rows.is_empty() {
                continue;
            }
            let title = format!("{} against {}, {}", release(side), release(0), resource.name);
            let table = judge::table(&release(0), &release(side), &rows);
            let note = wrap(&note, COLUMNS, "");
            text.push_str(&format!("\n{title}\n\n{table}{note}\n"));
            against.push(Against {
                name: format!("{}, {}", release(side), resource.name),
                differences: Vec::new(),
                refused: false,
                problems: Vec::new(),
                missing: Vec::new(),
                rows: rows.clone(),
            });
            kept.push((title, rows.clone()));
            worst.extend(rows);
        }
    }
    let pairs = resources.iter().map(|resource| resource.trials.complete()).min();
    let comparison = Comparison {
        base: release(0),
        rules,
        anyway: false,
        pairs: pairs.filter(|pairs| *pairs > 1),
        against,
    };
    series.write_json("releases.json", &kept)?;
    series.write("compare.xml", &junit(&comparison))?;
    series.write("compare.md", &markdown(&comparison))?;
    series.write("releases.html", &page(arguments, resources).html())?;
    let path = series.write("releases.md", &text)?;
    let next = next(&[series.report()]);
    print(&format!("\n{text}\nSaved to {}\n{next}", path.display()))?;
    series.end_live(&path);
    series.agreed()?;
    end_comparison(ending(&worst), false, String::new)
}

/// A build against the first: by pairs of rounds, and one round each as single runs.
fn verdicts(resource: &Resource, side: usize, rules: &Rules) -> Outcome<(Vec<Row>, String)> {
    let pairs = resource.trials.complete();
    if pairs > 1 {
        let (rows, left_out) = resource.trials.rows(side);
        let note = format!(
            "{pairs} pairs of interleaved rounds. {COLUMNS_OF_PAIRS} The table above adds all rounds. {}",
            left_out.join("; ")
        );
        return Ok((judge::judge(rows, rules), note.trim_end().to_owned()));
    }
    let (Some(base), Some(new)) = (resource.results[0].first(), resource.results[side].first())
    else {
        return Ok((Vec::new(), String::new()));
    };
    let comparison = compare(&[base.clone(), new.clone()], rules, true)?;
    let against = comparison.against.first();
    let rows = against.map(|against| against.rows.clone());
    let missing = against.map(Against::without_verdict).unwrap_or_default();
    let note = format!("{missing}{} Or more --rounds.", comparison.caveat());
    Ok((rows.unwrap_or_default(), note))
}

/// The columns that published reports have.
fn page(arguments: &BenchMeasure, resources: &[Resource]) -> ReplayPage {
    let mut rows = Vec::new();
    for resource in resources {
        for (side, results) in resource.results.iter().enumerate() {
            rows.extend(line(&release(side), &resource.name, results));
        }
    }
    let commands = arguments.servers.iter().enumerate();
    ReplayPage {
        title: "Releases".into(),
        notes: commands.map(|(side, text)| format!("{}: {text}", release(side))).collect(),
        tables: vec![TextTable {
            caption: "Service times in ms, all rounds together".into(),
            head: ["release", "resource", "avg", "min", "med", "max", "p90", "p95", "requests/s"]
                .map(str::to_owned)
                .to_vec(),
            rows,
        }],
        ..ReplayPage::default()
    }
}

/// A line over all rounds: histograms are added, work is divided by the total time.
fn line(release: &str, resource: &str, results: &[RunResult]) -> Option<Vec<String>> {
    let mut all = results.first()?.histogram();
    for result in &results[1..] {
        // Both are histograms of the bench, of one form.
        let _ = all.add(result.histogram());
    }
    let times = Percentiles::of(&all);
    let done: u64 = results.iter().map(|it| it.totals.completed + it.totals.failed).sum();
    let seconds: f64 = results.iter().map(|it| it.window.measured_s).sum();
    let ms = |micros: u64| micros as f64 / 1e3;
    let mut line = vec![release.to_owned(), resource.to_owned()];
    let figures = [times.min_us, times.p50_us, times.max_us, times.p90_us, times.p95_us].map(ms);
    line.push(format!("{:.2}", times.mean_us / 1e3));
    line.extend(figures.map(|ms| format!("{ms:.2}")));
    line.push(format!("{:.0}", if seconds > 0.0 { done as f64 / seconds } else { 0.0 }));
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let text = "a/duet serve '{data}' --ready-file={ready} --name \"two words\"";
        let split = words(text, "/tmp/a b/ready", "it's").unwrap();
        let expected =
            ["a/duet", "serve", "it's", "--ready-file=/tmp/a b/ready", "--name", "two words"];
        assert_eq!(split, expected);
        for wrong in ["duet serve", "duet '{ready}", ""] {
            assert!(words(wrong, "r", "d").is_err(), "{wrong}");
        }
    }
}
