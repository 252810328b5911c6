//! `duet bench run shop.toml`: a user's own workload, from the file to the prepared run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use duet_bench::observe::Watched;
use duet_bench::run::{Job, Plan, Prepared};
use duet_bench::secrets::without_secrets;
use duet_bench::targets::sql::{DatabaseAddress, SESSION};
use duet_bench::workload::file::definition::Group;
use duet_bench::workload::file::{Definition, File, FileFacts, FileTarget, Problem, Reads, kinds};
use duet_bench::workload::rest::authorize;
use duet_bench::workload::{Failed, cannot, refused};
use duet_client::Connection;
use duet_model::Error;
use duet_verdict::result::TargetFacts;

use super::plan::plan_of_groups;
use super::planned::planned;
use super::service_access::{access, service_url, wanted};
use super::{file_mistake, plan};
use crate::application::problem::SourceText;
use crate::args::{BenchRun, TIMEOUT, is_service, refuse_all};
use crate::command_error::CommandError;
use crate::commands::bench::started::undo::UndoHandle;
use crate::database_url::{DatabaseUrl, target_of};
use crate::report::{Outcome, warn};
use crate::runtime::runtime;

/// Whether the workload's name is a file name.
pub(in crate::commands::bench) fn is_file(name: &str) -> bool {
    let is = |wanted| move |extension: &std::ffi::OsStr| extension.eq_ignore_ascii_case(wanted);
    Path::new(name).extension().is_some_and(is("toml")) || plan::is_plan(name)
}

/// A prepared file: its setup has run.
pub(in crate::commands::bench) struct Own {
    pub(in crate::commands::bench) prepared: Prepared,
    /// `None` if another run owns the setup.
    pub(in crate::commands::bench) teardown: Option<Teardown>,
}

/// The teardown. It runs when this is dropped or the program ends, if it has not run before;
/// failures are reported.
pub(in crate::commands::bench) struct Teardown {
    left: Arc<SetupOutcome>,
    _made: UndoHandle,
}

/// The results of a setup, until the teardown.
struct SetupOutcome {
    /// Held during the teardown, so that the end of the program waits for it.
    file: Mutex<Option<File>>,
    path: String,
}

/// Reads the file, finds its target and runs its setup, unless that has run for the same target by
/// another transport.
///
/// # Errors
/// If the file has a mistake, or the setup fails.
pub(in crate::commands::bench) fn prepare(
    arguments: &BenchRun,
    plan: &Plan,
    before: Option<&FileFacts>,
) -> Outcome<Own> {
    if plan::is_plan(&arguments.workload) {
        let prepared = plan::prepare(arguments, plan)?;
        return Ok(Own { prepared, teardown: None });
    }
    let path = Path::new(&arguments.workload);
    let (source, mut definition) = read(path)?;
    share(&mut definition, &source, arguments)?;
    let users = users_of_groups(arguments, &definition)?;
    let path_of_file = std::path::absolute(path).map_err(Error::internal)?;
    let folder = path_of_file.parent().unwrap_or(Path::new("/")).to_owned();
    let wrong = |problem: Problem| file_mistake::of_key(&source, &problem);
    let mut types = kinds(&definition).map_err(wrong)?;
    wanted(arguments).apply(&mut types, &[]).map_err(|message| refused(&message))?;
    let (target, described, watched) = target(arguments, &definition, &folder)?;
    let mut facts = FileFacts {
        definition,
        folder,
        target,
        weights: types.iter().map(|kind| kind.weight).collect(),
        users: users.unwrap_or(plan.users),
        timeout: arguments.timeout.unwrap_or(TIMEOUT),
        given: None,
        environment: BTreeMap::new(),
    };
    let file = File::new(facts.clone()).map_err(wrong)?;
    let failed = |failed: Failed| cannot("The workload cannot be set up", &failed);
    let teardown = match before {
        Some(before) => {
            facts.given = before.given.clone();
            None
        }
        None => {
            // Registered before it exists: a signal may come at any moment.
            let teardown = Teardown::of(File::new(facts.clone()).map_err(wrong)?, arguments);
            let given = runtime()?.block_on(file.set_up()).map_err(|message| {
                teardown.keep(None);
                failed(message)
            })?;
            facts.given = Some(given);
            teardown.keep(Some(File::new(facts.clone()).map_err(wrong)?));
            Some(teardown)
        }
    };
    let watched = match &facts.target {
        FileTarget::Http { .. } => watched,
        FileTarget::Sql(database) => watch_database(database, facts.clone()).map_err(failed)?,
    };
    let name = facts.definition.workload.name.clone();
    let target = TargetFacts { data: data(path, &facts)?, ..described };
    let job = Job::File(Box::new(facts));
    let own_plan = users.map(|users| plan_of_groups(users, plan));
    let prepared = Prepared { watched, plan: own_plan, ..Prepared::new(name, job, target) };
    Ok(Own { prepared, teardown })
}

/// Gives the file the values of `-J`.
///
/// # Errors
/// `CommandLine` if the file neither reads nor has one.
pub(super) fn share(
    definition: &mut Definition,
    source: &SourceText,
    arguments: &BenchRun,
) -> Outcome {
    let given = arguments.properties.iter().map(|(name, _)| name);
    let mut reads = Reads::of_file(&source.text);
    reads.add_names(definition.workload.values.keys());
    reads.refuse_unread(given, &source.name).map_err(CommandError::usage)?;
    definition.give(arguments.properties.iter().cloned());
    Ok(())
}

/// The users of the groups of a file; `None` if it has transactions.
///
/// # Errors
/// `CommandLine` if an option is given that the groups decide themselves.
fn users_of_groups(arguments: &BenchRun, definition: &Definition) -> Outcome<Option<u32>> {
    if definition.group.is_empty() {
        return Ok(None);
    }
    let lacks = format!("no meaning with the groups of {}", arguments.workload);
    refuse_all(&planned(arguments), &lacks, "They say how many users run, and for how long.")?;
    let users = definition.group.iter().map(Group::all_users).fold(0, u32::saturating_add);
    match users {
        0 => Err(CommandError::usage("The groups have no users.")),
        users => Ok(Some(users)),
    }
}

/// The identity of the file in comparisons: its name, and its content without the target, with the
/// values that it reads from other files. The file itself may hold secrets.
fn data(path: &Path, facts: &FileFacts) -> Outcome<BTreeMap<String, String>> {
    use duet_bench::facts::fingerprint;
    let mut same = facts.definition.clone();
    same.workload.target = None;
    same.workload.shared.clear();
    let mut content = serde_json::to_vec(&same).unwrap_or_default();
    for file in facts.definition.files() {
        let values = std::fs::read(facts.folder.join(file))?;
        content.extend(fingerprint(&values).into_bytes());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok([("file".to_owned(), name), ("content".to_owned(), fingerprint(&content))].into())
}

impl Teardown {
    fn of(file: File, arguments: &BenchRun) -> Self {
        let path = arguments.workload.clone();
        let left = Arc::new(SetupOutcome { file: Mutex::new(Some(file)), path });
        let again = left.clone();
        Self { left, _made: UndoHandle::undone_by(move || again.go()) }
    }

    /// The target of the teardown.
    fn keep(&self, file: Option<File>) {
        *self.left.file.lock().unwrap_or_else(PoisonError::into_inner) = file;
    }

    /// Runs it.
    ///
    /// # Errors
    /// If one of its steps fails.
    pub(in crate::commands::bench) fn run(self) -> Outcome {
        self.left.tear_down()
    }
}

impl Drop for Teardown {
    fn drop(&mut self) {
        self.left.go();
    }
}

impl SetupOutcome {
    fn tear_down(&self) -> Outcome {
        let mut held = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = held.take() else { return Ok(()) };
        let failed = |failed: Failed| {
            let what = format!("The teardown of {} failed", self.path);
            cannot(&what, &failed)
        };
        Ok(runtime()?.block_on(file.tear_down()).map_err(failed)?)
    }

    fn go(&self) {
        if let Err(error) = self.tear_down() {
            warn(error.message());
        }
    }
}

pub(super) fn read(path: &Path) -> Outcome<(SourceText, Definition)> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("The workload {} cannot be read: {error}.", path.display());
        CommandError::file(message)
    })?;
    let source = SourceText { name: path.display().to_string(), text };
    let parsed = toml::from_str(&source.text);
    let definition = parsed.map_err(|error| file_mistake::of_toml(&source, &error))?;
    Ok((source, definition))
}

/// The target: from the command line or the file.
fn target(
    arguments: &BenchRun,
    definition: &Definition,
    folder: &Path,
) -> Outcome<(FileTarget, TargetFacts, Watched)> {
    let (text, folder) = match (&arguments.target, &definition.workload.target) {
        (Some(text), _) => (text, Path::new("")),
        (None, Some(text)) => (text, folder),
        (None, None) => {
            let error = CommandError::usage("The workload has no target.");
            return Err(error.hint("Name one with --target, or as `target` in [workload]."));
        }
    };
    if is_service(text) {
        return service(arguments, text);
    }
    if arguments.token.is_some() || arguments.client.is_some() {
        let message = "--token and --client are for services; the target is a database.";
        return Err(CommandError::usage(message));
    }
    let named = DatabaseUrl::read(text, folder)?;
    let named = match named.path() {
        // The setup may create it.
        Some(path) => named.beside(std::path::absolute(path).map_err(Error::internal)?),
        None => named,
    };
    let database = target_of(&named)?;
    let failed = |failed: Failed| cannot("The database cannot be measured", &failed);
    let server = runtime()?
        .block_on(server(&database, arguments.timeout.unwrap_or(TIMEOUT)))
        .map_err(failed)?;
    let described = TargetFacts { server, ..database.facts() };
    Ok((FileTarget::Sql(database), described, Watched::default()))
}

fn service(arguments: &BenchRun, text: &str) -> Outcome<(FileTarget, TargetFacts, Watched)> {
    let url = service_url(arguments, text)?;
    let access = access(arguments)?;
    // A token endpoint is beside a resource, and the target is the base of resources.
    let below = url.at(&format!("{}/resource", url.path.trim_end_matches('/')));
    let authorized =
        runtime()?.block_on(authorize(&below, &access, arguments.timeout.unwrap_or(TIMEOUT)));
    let authorization =
        authorized.map_err(|failed| cannot("The service cannot be measured", &failed))?;
    let described = TargetFacts {
        kind: "http".into(),
        address: without_secrets(&url.to_string()).into_owned(),
        transport: url.transport().into(),
        server: "HTTP".into(),
        ..TargetFacts::default()
    };
    let metrics = arguments.metrics.as_deref();
    let watched = Watched::of_any_service(&url, authorization.clone(), metrics);
    Ok((FileTarget::Http { url: url.to_string(), authorization }, described, watched))
}

/// The database's counters and wait events.
fn watch_database(database: &DatabaseAddress, facts: FileFacts) -> Result<Watched, Failed> {
    Watched::of_database(database, Job::File(Box::new(facts)).workload()?)
}

/// The database's name and version as it says itself.
async fn server(database: &DatabaseAddress, timeout: Duration) -> Result<String, Failed> {
    let options = async {
        let mut connection = Connection::open(&database.target()?, SESSION).await?;
        let (name, sql) = match connection.store() {
            "sqlite" => ("SQLite", "SELECT sqlite_version()"),
            _ => ("PostgreSQL", "SHOW server_version"),
        };
        let rows = connection.ask(sql, &[]).await?;
        let version = rows.first(0).map(ToString::to_string).unwrap_or_default();
        Ok(format!("{name} {version}"))
    };
    let late = |_| Failed::new(duet_verdict::outcome::Outcome::Timeout, "it does not answer");
    tokio::time::timeout(timeout, options).await.map_err(late)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_with_different_values_have_different_identities() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[workload]\nname = \"own\"\n[feeders]\nthing = { csv = \"things.csv\" }\n\
                    [[transaction]]\nname = \"Ask\"\nstep = [{ loop = 1, step = [{ http.parts = [{ name = \"a\", file = \"part\" }] }] }]\n";
        std::fs::write(folder.path().join("part"), "same").unwrap();
        let facts = FileFacts {
            definition: toml::from_str(text).unwrap(),
            folder: folder.path().to_owned(),
            target: FileTarget::Sql(DatabaseAddress::sqlite("own.sqlite")),
            weights: vec![1.0],
            users: 1,
            timeout: TIMEOUT,
            given: None,
            environment: BTreeMap::new(),
        };
        let of = |values: &str| {
            std::fs::write(folder.path().join("things.csv"), values).unwrap();
            data(Path::new("own.toml"), &facts).unwrap()
        };
        let one = of("a\n1\n");
        assert_eq!(one, of("a\n1\n"));
        assert_ne!(one, of("a\n2\n"));
        std::fs::write(folder.path().join("part"), "other").unwrap();
        assert_ne!(one, of("a\n1\n"), "the file of a part");
    }
}
