//! A dry run: the first request of each type of a workload file or plan, made by the code of a run, without sending it.

use std::collections::BTreeMap;
use std::path::Path;

use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::file::definition::Group;
use duet_bench::workload::file::{Definition, File, FileFacts, FileTarget, Problem, kinds};

use super::{file, file_mistake, plan};
use crate::application::problem::SourceText;
use crate::args::{BenchRun, TIMEOUT, is_service, is_target};
use crate::command_error::CommandError;
use crate::report::{Outcome, print};

/// The target of requests whose place is known in a run alone.
const NOWHERE: &str = "http://target";

/// `duet bench run FILE --dry-run`.
///
/// # Errors
/// If the file cannot run, or there is none.
pub(super) fn run(arguments: &BenchRun) -> Outcome {
    let path = Path::new(&arguments.workload);
    let folder = path.parent().unwrap_or(Path::new(""));
    if !file::is_file(&arguments.workload) {
        let message = "`--dry-run` is for workload files and plans of JMeter.";
        return Err(CommandError::usage(message));
    }
    let given = arguments.target.as_deref();
    if plan::is_plan(&arguments.workload) {
        let text = std::fs::read_to_string(path)?;
        let compiled = plan::compiled(path, &text, &arguments.properties, &arguments.pass_over)?;
        return print(&of_definition(compiled.definition, compiled.target.as_deref(), folder)?);
    }
    let (source, mut definition) = file::read(path)?;
    file::share(&mut definition, &source, arguments)?;
    let target = given.map(str::to_owned).or_else(|| definition.workload.target.clone());
    let shown = of(definition, target.as_deref(), folder, BTreeMap::new());
    print(&shown.map_err(|problem| file_mistake::of_key(&source, &problem))?)
}

/// The dry run of the text of a workload file, which was just made.
///
/// # Errors
/// If the file cannot run.
pub(in crate::commands::bench) fn of_text(text: &str, folder: &Path) -> Outcome<String> {
    let source = SourceText { name: "the workload file".into(), text: text.to_owned() };
    let parsed = toml::from_str(text);
    let definition: Definition = parsed.map_err(|error| file_mistake::of_toml(&source, &error))?;
    let target = definition.workload.target.clone();
    of(definition, target.as_deref(), folder, missing_variables(text))
        .map_err(|problem| file_mistake::of_key(&source, &problem))
}

/// The variables that a text names and the environment lacks, each with a sign for its value: the run needs them, the
/// preview does not.
fn missing_variables(text: &str) -> BTreeMap<String, String> {
    let named = text.split("${env.").skip(1).filter_map(|rest| rest.split('}').next());
    let missing = named.filter(|name| std::env::var_os(name).is_none());
    missing.map(|name| (name.to_owned(), "…".to_owned())).collect()
}

/// The dry run of a compiled plan.
///
/// # Errors
/// If it cannot run.
pub(in crate::commands::bench) fn of_definition(
    definition: Definition,
    target: Option<&str>,
    folder: &Path,
) -> Outcome<String> {
    of(definition, target, folder, BTreeMap::new())
        .map_err(|problem| CommandError::usage(format!("The plan cannot run: {problem}")))
}

fn of(
    definition: Definition,
    target: Option<&str>,
    folder: &Path,
    environment: BTreeMap<String, String>,
) -> Result<String, Problem> {
    let types = kinds(&definition)?;
    let target = match (target, definition.has_statements()) {
        (Some(url), _) if is_service(url) => {
            FileTarget::Http { url: url.to_owned(), authorization: None }
        }
        (_, true) => FileTarget::Sql(DatabaseAddress::sqlite("target.db")),
        (Some(url), false) if is_target(url) => {
            FileTarget::Sql(DatabaseAddress::sqlite("target.db"))
        }
        (_, false) => FileTarget::Http { url: NOWHERE.into(), authorization: None },
    };
    let folder =
        std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let facts = FileFacts {
        folder: folder.unwrap_or_default(),
        target,
        weights: types.iter().map(|kind| kind.weight).collect(),
        users: definition.group.iter().map(Group::all_users).sum::<u32>().max(1),
        timeout: TIMEOUT,
        given: None,
        environment,
        definition,
    };
    let mut out = String::new();
    for first in File::new(facts)?.first_requests() {
        let text = match &first.text {
            Ok(text) => text.clone(),
            Err(why) => format!("not known before the run: {why}"),
        };
        let text = duet_text::printable::printable_lines(&text).into_owned();
        let indented: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
        out += &format!("{}: first\n{}\n", first.short, indented.join("\n"));
    }
    Ok(out)
}
