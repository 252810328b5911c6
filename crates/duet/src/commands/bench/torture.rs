//! `duet bench torture`: correctness trials against any HTTP service.

use duet_bench::torture::{self, Description, Trial, TrialOptions, Verdict};
use duet_bench::workload::cannot;
use duet_bench::workload::rest::authorize;
use duet_model::Error;
use duet_verdict::text::{COLUMNS, wrap};
use serde_json::{Value, json};

use super::run::file_mistake;
use super::run::service_access::{access_of, trusted};
use crate::application::problem::SourceText;
use crate::args::BenchTorture;
use crate::command_error::{CommandError, ExitStatus};
use crate::report::{Outcome, print};
use crate::runtime::runtime;

pub(super) fn run(arguments: &BenchTorture) -> Outcome {
    let description = read(arguments)?;
    let url = trusted(&arguments.url, arguments.cacert.as_deref(), arguments.insecure)?;
    let access = access_of(
        arguments.token.clone(),
        arguments.client.as_deref(),
        arguments.token_path.clone(),
    )?;
    // A token endpoint is beside a resource, and the URL is the base of resources.
    let below = url.at(&format!("{}/resource", url.path.trim_end_matches('/')));
    let authorized = runtime()?.block_on(authorize(&below, &access, arguments.timeout));
    let unusable = |failed| cannot("The service cannot be tried", &failed);
    let options = TrialOptions {
        url,
        authorization: authorized.map_err(unusable)?,
        timeout: arguments.timeout,
        users: arguments.users,
        rounds: arguments.rounds,
        kills: arguments.kills,
    };
    let names: Vec<&str> = match &*arguments.trials {
        [] => torture::TRIALS.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    let mut printed = Ok(());
    let say = |trial: &Trial| {
        if !arguments.json && printed.is_ok() {
            printed = print(&text(trial));
        }
    };
    let trials = torture::run(&description, &options, &names, say).map_err(unusable)?;
    printed?;
    if arguments.json {
        let all: Vec<Value> = trials.iter().map(as_json).collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&all).map_err(Error::internal)?))?;
    }
    end(&trials)
}

/// The description in its file.
fn read(arguments: &BenchTorture) -> Outcome<Description> {
    let path = &arguments.description;
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("The description {} cannot be read: {error}.", path.display());
        CommandError::file(message)
    })?;
    let source = SourceText { name: path.display().to_string(), text };
    let parsed: Result<Description, _> = toml::from_str(&source.text);
    let description = parsed.map_err(|error| file_mistake::of_toml(&source, &error))?;
    description.check().map_err(|wrong| file_mistake::of_key(&source, &wrong))?;
    Ok(description)
}

/// A trial as lines.
fn text(trial: &Trial) -> String {
    let line = |name: &str, text: &str| wrap(&format!("  {name}: {text}\n"), COLUMNS, "        ");
    format!(
        "{:<12} {}\n{}{}",
        trial.name,
        trial.verdict.word(),
        line("done", &trial.done),
        line("seen", &trial.seen)
    )
}

fn as_json(trial: &Trial) -> Value {
    json!({
        "trial": trial.name,
        "verdict": trial.verdict.word().to_lowercase(),
        "done": trial.done,
        "seen": trial.seen,
    })
}

fn end(trials: &[Trial]) -> Outcome {
    let count = |verdict| trials.iter().filter(|trial| trial.verdict == verdict).count();
    match count(Verdict::Failed) {
        0 if count(Verdict::Passed) == 0 => {
            let missing = trials.iter().map(|trial| {
                wrap(&format!("  {}: {}\n", trial.name, trial.seen), COLUMNS, "        ")
            });
            let missing: String = missing.collect();
            let text = format!("error: no trial applies, so nothing was tried\n{missing}");
            Err(CommandError::Ended(ExitStatus::Usage, text))
        }
        0 => Ok(()),
        failed => {
            let text = format!("error: {failed} of {} trials failed\n", trials.len());
            Err(CommandError::Ended(ExitStatus::Failed, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(name: &'static str, verdict: Verdict) -> Trial {
        Trial {
            name,
            done: String::new(),
            seen: "The description has no `update`.".into(),
            verdict,
        }
    }

    #[test]
    fn the_exit_code_says_whether_anything_was_tried() {
        let none =
            [trial("lost-update", Verdict::NotApplicable), trial("kill", Verdict::NotApplicable)];
        let Err(CommandError::Ended(ExitStatus::Usage, text)) = end(&none) else {
            panic!("no code 2")
        };
        assert!(text.contains("no trial applies"), "{text}");
        assert!(text.contains("  kill: The description has no `update`.\n"), "{text}");
        assert!(end(&[trial("kill", Verdict::NotApplicable), trial("a", Verdict::Passed)]).is_ok());
        let failed = end(&[trial("kill", Verdict::Failed), trial("a", Verdict::NotApplicable)]);
        assert!(matches!(failed, Err(CommandError::Ended(ExitStatus::Failed, _))));
    }
}
