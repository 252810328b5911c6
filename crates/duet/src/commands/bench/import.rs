//! `duet bench import`: OpenAPI documents and scripts of pgbench become a workload file.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use duet_bench::import::{self, Options, Problem, Script};
use duet_model::{Code, Error};

use super::next::{next, quoted};
use super::run::plan;
use crate::args::BenchImport;
use crate::report::{Failure, Outcome, print};

/// The exit code of what cannot be taken.
const NOT_TAKEN: u8 = 2;

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
}

pub(super) fn run(arguments: &BenchImport) -> Outcome {
    let named = arguments.files.iter().chain(&arguments.scripts);
    let inputs = named.map(|word| read(word)).collect::<Outcome<Vec<Input>>>()?;
    let is_kind = |input: &&Input, kind: &str| input.path.extension().is_some_and(|it| it == kind);
    if let Some(plan) = inputs.iter().find(|input| is_kind(input, "jmx")) {
        return check_plan(plan);
    }
    let is_document = |input: &&Input| {
        input.text.trim_start().starts_with('{')
            || ["json", "yaml", "yml"].iter().any(|kind| is_kind(input, kind))
    };
    let text = match inputs.iter().find(is_document) {
        Some(document) if inputs.len() == 1 => import::openapi(&document.stem(), &document.text)
            .map_err(|it| not_taken(&inputs, &it))?,
        Some(document) => {
            let message = format!("{} is not a script of pgbench.", document.path.display());
            return Err(Error::new(Code::CommandLine, message).hint("Import it alone.").into());
        }
        None => of_pgbench(arguments, &inputs)?,
    };
    let Some(path) = &arguments.out else { return print(&text) };
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        Error::new(Code::Setting, format!("{} cannot be written: {error}.", path.display()))
    })?;
    let command = format!("duet bench run {}", quoted(&path.to_string_lossy()));
    // The first table is that of the workload.
    let about = text.split("\n\n[").next().unwrap_or_default();
    let command = match about.contains("\ntarget = ") {
        true => command,
        false => format!("{command} --target URL"),
    };
    print(&format!("{}\n{}", path.display(), next(&[command])))
}

/// A file, and the weight behind its last `@`, where a number is there.
fn read(word: &str) -> Outcome<Input> {
    let weighted =
        word.rsplit_once('@').and_then(|(path, weight)| Some((path, weight.parse().ok()?)));
    let (path, weight): (&str, f64) = weighted.unwrap_or((word, 1.0));
    if !weight.is_finite() || weight < 0.0 {
        let message = format!("The weight of {path} is a number from 0 on, not {weight}.");
        return Err(Error::new(Code::CommandLine, message).into());
    }
    let path = PathBuf::from(path);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Error::new(Code::Setting, format!("{} cannot be read: {error}.", path.display()))
    })?;
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
    let options = Options { scale: arguments.scale, constants };
    let name = names.first().map_or("pgbench", String::as_str);
    import::pgbench(name, &scripts, &options).map_err(|problem| not_taken(inputs, &problem))
}

fn not_taken(inputs: &[Input], problem: &Problem) -> Failure {
    let path = inputs.get(problem.file).map_or(Path::new(""), |input| &input.path);
    shown(path, problem.line, &problem.message)
}

fn shown(path: &Path, line: usize, message: &str) -> Failure {
    Failure::Code(NOT_TAKEN, format!("error: {message}\n --> {}:{line}\n", path.display()))
}

/// A plan of JMeter is no workload file: it runs as it is, or says what is not taken.
fn check_plan(input: &Input) -> Outcome {
    let plan = plan::compiled(&input.path, &input.text, (&[], &[]))?;
    let command = format!("duet bench run {}", quoted(&input.path.to_string_lossy()));
    let name = &plan.definition.workload.name;
    print(&format!("The plan {name:?} runs as it is.\n{}", next(&[command])))
}
