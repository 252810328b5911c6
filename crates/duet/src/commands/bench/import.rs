//! `duet bench import`: documents of other tools and scripts of pgbench become a workload file, whose first requests are
//! shown.

use std::path::{Path, PathBuf};

use duet_bench::import::{self, Imported, PgbenchOptions, Problem, Script};
use duet_bench::whole_file;

use super::next::{next, quoted};
use super::run::{dry_run, plan};
use crate::args::BenchImport;
use crate::command_error::{CommandError, ExitStatus};
use crate::report::{Outcome, note, print};

/// The suffixes of documents, and of programs in JavaScript.
const DOCUMENTS: [&str; 4] = ["json", "yaml", "yml", "har"];
const PROGRAMS: [&str; 4] = ["js", "mjs", "cjs", "ts"];

/// A file with its weight.
struct Input {
    path: PathBuf,
    weight: f64,
    text: String,
}

impl Input {
    /// The name without folder and suffix.
    fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn has_suffix(&self, suffixes: &[&str]) -> bool {
        let suffix = self.path.extension().unwrap_or_default().to_string_lossy();
        suffixes.iter().any(|it| suffix.eq_ignore_ascii_case(it))
    }
}

pub(super) fn run(arguments: &BenchImport) -> Outcome {
    let named = arguments.files.iter().chain(&arguments.scripts);
    let inputs = named.map(|word| read(word)).collect::<Outcome<Vec<Input>>>()?;
    if let Some(plan) = inputs.iter().find(|input| input.has_suffix(&["jmx"])) {
        return check_plan(plan, &arguments.pass_over);
    }
    let Imported { text, notes } = imported(arguments, &inputs)?;
    let folder = match &arguments.out {
        Some(path) => path.parent().unwrap_or(Path::new("")),
        None => Path::new(""),
    };
    let shown = dry_run::of_text(&text, folder)?;
    let about: String = notes.iter().map(|note| format!("Note: {note}\n")).collect();
    let Some(path) = &arguments.out else {
        // The file alone is on standard output.
        let beside = format!("{about}{shown}");
        if !beside.is_empty() {
            note(beside.trim_end());
        }
        return print(&text);
    };
    whole_file::write_new(path, &text).map_err(|error| CommandError::unwritable(path, error))?;
    let command = format!("duet bench run {}", quoted(&path.to_string_lossy()));
    // The first table is that of the workload.
    let about_target = text.split("\n\n[").next().unwrap_or_default();
    let command = match about_target.contains("\ntarget = ") {
        true => command,
        false => format!("{command} --target URL"),
    };
    print(&format!("{}\n{about}{shown}{}", path.display(), next(&[command])))
}

/// The workload file of what is given.
fn imported(arguments: &BenchImport, inputs: &[Input]) -> Outcome<Imported> {
    for input in inputs {
        let script = import::k6_refusal(&input.text).filter(|_| !input.has_suffix(&["sql"]));
        if let Some((line, message)) = script {
            return Err(shown(&[(&input.path, line, &message)]));
        }
        if input.has_suffix(&PROGRAMS) {
            let message = "It is a program, and is not taken: scripts of pgbench are SQL.";
            return Err(shown(&[(&input.path, 1, message)]));
        }
    }
    let is_document = |input: &&Input| {
        input.text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).starts_with('{')
            || input.has_suffix(&DOCUMENTS)
    };
    match inputs.iter().find(is_document) {
        Some(document) if inputs.len() == 1 => {
            import::document(&document.stem(), &document.text, &arguments.pass_over)
                .map_err(|problems| not_taken(inputs, &problems))
        }
        Some(document) => {
            let message = format!("{} is not a script of pgbench.", document.path.display());
            Err(CommandError::usage(message).hint("Import it alone."))
        }
        None => Ok(Imported { text: of_pgbench(arguments, inputs)?, notes: Vec::new() }),
    }
}

/// A file, and the weight behind its last `@`, where a number is there.
fn read(word: &str) -> Outcome<Input> {
    let weighted =
        word.rsplit_once('@').and_then(|(path, weight)| Some((path, weight.parse().ok()?)));
    let (path, weight): (&str, f64) = weighted.unwrap_or((word, 1.0));
    if !weight.is_finite() || weight < 0.0 {
        let message = format!("The weight of {path} is a number from 0 on, not {weight}.");
        return Err(CommandError::usage(message));
    }
    let path = PathBuf::from(path);
    let text =
        std::fs::read_to_string(&path).map_err(|error| CommandError::unreadable(&path, error))?;
    Ok(Input { path, weight, text })
}

fn of_pgbench(arguments: &BenchImport, inputs: &[Input]) -> Outcome<String> {
    let names: Vec<String> = inputs.iter().map(Input::stem).collect();
    let scripts: Vec<Script<'_>> = inputs
        .iter()
        .zip(&names)
        .map(|(input, name)| Script { name, text: &input.text, weight: input.weight })
        .collect();
    let constants = arguments.constants.iter().cloned().collect();
    let options = PgbenchOptions { scale: arguments.scale, constants };
    let name = names.first().map_or("pgbench", String::as_str);
    import::pgbench(name, &scripts, &options).map_err(|problems| not_taken(inputs, &problems))
}

fn not_taken(inputs: &[Input], problems: &[Problem]) -> CommandError {
    let path = |problem: &Problem| inputs.get(problem.file).map_or(Path::new(""), |it| &it.path);
    let all: Vec<(&Path, usize, &str)> = problems
        .iter()
        .map(|problem| (path(problem), problem.line, problem.message.as_str()))
        .collect();
    shown(&all)
}

fn shown(problems: &[(&Path, usize, &str)]) -> CommandError {
    let one = |(path, line, message): &(&Path, usize, &str)| {
        format!("error: {message}\n --> {}:{line}\n", path.display())
    };
    CommandError::Ended(ExitStatus::Usage, problems.iter().map(one).collect())
}

/// A plan of JMeter is no workload file: it runs as it is, or says what is not taken.
fn check_plan(input: &Input, passed_over: &[String]) -> Outcome {
    let plan = plan::compiled(&input.path, &input.text, &[], passed_over)?;
    let command = format!("duet bench run {}", quoted(&input.path.to_string_lossy()));
    let name = plan.definition.workload.name.clone();
    let folder = input.path.parent().unwrap_or(Path::new(""));
    let shown = dry_run::of_definition(plan.definition, plan.target.as_deref(), folder)?;
    print(&format!("The plan {name:?} runs as it is.\n{shown}{}", next(&[command])))
}
