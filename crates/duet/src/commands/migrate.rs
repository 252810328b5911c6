//! `duet migrate`: changes a database to what an application's collections declare now, and adds what its migration
//! files have.

use std::fmt::Write as _;

use duet_store::setup::migrate::{
    Blocks, MigrationEvent, Options, Plan, Step, StepTrial, TriedPlan,
};
use serde_json::{Value, json};

use super::collection::target;
use crate::args::Migrate;
use crate::command_error::{CommandError, ExitStatus};
use crate::database_url::warn_of;
use crate::report::{Outcome, print};

pub(super) fn run(arguments: &Migrate) -> Outcome {
    let target = target(&arguments.app, arguments.database.as_deref(), arguments.tenant.as_ref())?;
    let database = target.database.clone();
    let declared = target.declared()?;
    let lock_timeout = arguments.lock_timeout;
    let options = Options { drops: !arguments.no_drop, lock_timeout, ..Options::default() };
    let mut count = 0;
    // A reader of the output that is gone does not end a migration.
    let mut observer = |progress: &MigrationEvent<'_>| {
        if let MigrationEvent::Planned(plan) = progress {
            count = plan.steps.len();
        }
        if !arguments.json
            && let Some(line) = progress_line(progress, count)
        {
            drop(print(&line));
        }
        Ok(())
    };
    warn_of(&database)?;
    let runtime = crate::runtime::runtime()?;
    if arguments.dry_run {
        let tried = runtime.block_on(database.try_migration(declared, options))?;
        return dry_run(&tried, &database.describe()?, arguments.json);
    }
    let plan = runtime.block_on(database.migrate(declared, options, &mut observer))?;
    let place = database.describe()?;
    match arguments.json {
        true => print(&format!("{:#}\n", as_json(&plan, None, &place))),
        false => print(&done(&plan, &place)),
    }
}

/// Prints what a migration would do. It ends with the error of the step that fails, if one does.
fn dry_run(tried: &TriedPlan, place: &str, json: bool) -> Outcome {
    match json {
        true => print(&format!("{:#}\n", as_json(&tried.plan, Some(&tried.trials), place)))?,
        false => print(&pending(tried, place))?,
    }
    match (tried.failure(), tried.plan.steps.is_empty()) {
        (Some(error), _) => Err(error.clone().into()),
        (None, true) => Ok(()),
        (None, false) => Err(CommandError::Ended(ExitStatus::Unmet, String::new())),
    }
}

/// The line that tells of progress.
fn progress_line(progress: &MigrationEvent<'_>, count: usize) -> Option<String> {
    match progress {
        MigrationEvent::Step(number, step) => Some(format!("{number}/{count} {}\n", title(step))),
        MigrationEvent::Locked(1) => Some(
            "      waits for a lock that others hold, and lets requests pass meanwhile\n"
                .to_owned(),
        ),
        _ => None,
    }
}

/// `create index items_a_idx`.
fn title(step: &Step) -> String {
    let name = match step.object {
        duet_store::setup::migrate::Object::Column
        | duet_store::setup::migrate::Object::Reference => {
            format!("{}.{}", step.table, step.name)
        }
        _ => step.name.clone(),
    };
    let reason = step.reason.as_ref().map(|reason| format!(": {reason}"));
    let (action, object) = (step.action.name(), step.object.name());
    format!("{action} {object} {name}{}", reason.unwrap_or_default())
}

/// The plan for people.
fn pending(tried: &TriedPlan, place: &str) -> String {
    let plan = &tried.plan;
    let mut text = match plan.steps.len() {
        0 => format!("Everything that is declared is in {place} already.\n"),
        1 => format!("1 change of {place} is pending:\n"),
        count => format!("{count} changes of {place} are pending:\n"),
    };
    for (number, (step, trial)) in (1..).zip(tried.steps()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{number}. {}\n   {}", title(step), circumstances(step));
        let _ = writeln!(text, "   {}", outcome(trial));
        for statement in &step.statements {
            for line in statement.sql.trim_end().lines() {
                let _ = writeln!(text, "     {line}");
            }
            text.truncate(text.trim_end().len());
            text.push_str(if text.ends_with(';') { "\n" } else { ";\n" });
        }
    }
    notes(plan, &mut text);
    if !tried.trials.is_empty() {
        let count = |name| tried.trials.iter().filter(|trial| trial.name() == name).count();
        let (done, failed, left) = (count("done"), count("failed"), count("not tried"));
        let _ = writeln!(
            text,
            "\nTried and undone: {done} work, {failed} fail; {left} were not tried, and may fail."
        );
    }
    text
}

/// What came of trying a step.
fn outcome(trial: &StepTrial) -> String {
    match trial {
        StepTrial::Done => "tried: it works".to_owned(),
        StepTrial::NotTried(why) => format!("not tried: {why}"),
        StepTrial::Failed(error) => format!("tried: it fails. {}", error.message),
    }
}

fn done(plan: &Plan, place: &str) -> String {
    let mut text = match plan.steps.len() {
        0 => format!("Everything that is declared is in {place} already.\n"),
        1 => format!("1 change of {place} is done.\n"),
        count => format!("{count} changes of {place} are done.\n"),
    };
    notes(plan, &mut text);
    text
}

fn notes(plan: &Plan, text: &mut String) {
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
}

/// How large the table is, and what waits.
fn circumstances(step: &Step) -> String {
    let waits = match step.blocks {
        Blocks::Nothing => "nothing waits",
        Blocks::Briefly => "requests of the table wait for a moment",
        Blocks::Writes => "writes wait until it is done",
        Blocks::Everything => "reads and writes of the table wait while it is rewritten",
    };
    let rows = step.rows.map(|rows| format!("{rows} rows, "));
    let bytes = step.bytes.map(|bytes| format!("{} kB, ", bytes.div_ceil(1024)));
    format!("{}{}{waits}", rows.unwrap_or_default(), bytes.unwrap_or_default())
}

/// The plan as JSON, with what came of each step where it was tried.
fn as_json(plan: &Plan, trials: Option<&[StepTrial]>, place: &str) -> Value {
    let trial = |trial: &StepTrial| {
        let why = match trial {
            StepTrial::Done => None,
            StepTrial::NotTried(why) => Some(why.as_str()),
            StepTrial::Failed(error) => Some(&*error.message),
        };
        json!({ "outcome": trial.name(), "why": why })
    };
    let step = |(at, step): (usize, &Step)| {
        let statements: Vec<&str> = step.statements.iter().map(|it| it.sql.as_str()).collect();
        json!({
            "action": step.action.name(),
            "object": step.object.name(),
            "name": step.name,
            "table": step.table,
            "reason": step.reason,
            "rows": step.rows,
            "bytes": step.bytes,
            "blocks": step.blocks.name(),
            "sql": statements,
            "trial": trials.and_then(|trials| trials.get(at)).map(trial),
        })
    };
    let steps: Vec<Value> = plan.steps.iter().enumerate().map(step).collect();
    json!({ "database": place, "done": trials.is_none(), "steps": steps, "notes": plan.notes })
}

#[cfg(test)]
mod tests {
    use duet_store::setup::migrate::{Action, MigrationStatement, Object};

    use super::*;

    #[test]
    fn plans_are_printed() {
        let step = Step {
            action: Action::Replace,
            object: Object::Index,
            name: "items_a_idx".into(),
            schema: "public".into(),
            table: "items".into(),
            reason: Some("its definition has changed".into()),
            statements: vec![MigrationStatement { sql: "DROP x;\nCREATE y".into(), locks: false }],
            rows: Some(7),
            bytes: Some(1025),
            blocks: Blocks::Nothing,
        };
        let plan = Plan { steps: vec![step], notes: vec!["It stays.".into()] };
        let expected = "\
1 change of a.db is pending:

1. replace index items_a_idx: its definition has changed
   7 rows, 2 kB, nothing waits
   not tried: CREATE y runs in no transaction
     DROP x;
     CREATE y;
note: It stays.

Tried and undone: 0 work, 0 fail; 1 were not tried, and may fail.
";
        let trials = vec![StepTrial::NotTried("CREATE y runs in no transaction".to_owned())];
        let tried = TriedPlan { plan: plan.clone(), trials };
        assert_eq!(pending(&tried, "a.db"), expected);
        assert_eq!(done(&plan, "a.db"), "1 change of a.db is done.\nnote: It stays.\n");
        let json = as_json(&plan, Some(&tried.trials), "a.db");
        let step = &json["steps"][0];
        assert_eq!((&json["done"], &step["blocks"]), (&json!(false), &json!("nothing")));
        assert_eq!(step["trial"]["outcome"], "not tried");
        assert!(pending(&TriedPlan::default(), "a.db").contains("already"));
    }
}
