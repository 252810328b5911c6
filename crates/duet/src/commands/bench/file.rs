//! `duet bench run shop.toml`: a user's own workload, from the file to what is run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use duet_bench::observe::Watched;
use duet_bench::result::TargetFacts;
use duet_bench::run::{Job, Plan};
use duet_bench::targets::sql::Database;
use duet_bench::workload::file::{Definition, Facts, File, Problem, Target, kinds};
use duet_bench::workload::rest::{Access, authorize};
use duet_bench::workload::{Failed, Wanted};
use duet_db::raw::Connection;
use duet_model::name::nearest;
use duet_model::{Code, Error};

use super::run::{TIMEOUT, is_service, service as watch, service_url, split_client};
use super::session::{Prepared, cannot};
use super::sql_target::{SqlTarget, sqlite};
use crate::args::BenchRun;
use crate::commands::runtime;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;

/// Whether the workload's name is that of a file.
pub(super) fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// A file that is ready to run: what it has set up is there.
pub(super) struct Own {
    pub(super) prepared: Prepared,
    pub(super) teardown: Teardown,
}

/// What is left to do after the run.
pub(super) struct Teardown {
    file: File,
    path: String,
}

/// Reads the file, finds its target and does its setup. Where that was done before, by another way to the
/// same place, it is not done again.
///
/// # Errors
/// Where the file is wrong, or the setup fails.
pub(super) fn prepare(arguments: &BenchRun, plan: &Plan, before: Option<&Facts>) -> Outcome<Own> {
    let path = Path::new(&arguments.workload);
    let definition = read(path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let folder = std::path::absolute(folder).map_err(Error::internal)?;
    let wrong = |problem: Problem| mistake(path, &problem);
    let mut types = kinds(&definition).map_err(wrong)?;
    let wanted = Wanted {
        mix: arguments.mix.clone(),
        preset: arguments.preset.clone(),
        enable: arguments.enable.clone(),
        disable: arguments.disable.clone(),
    };
    let unfit = |said: String| Error::new(Code::Setting, capitalized(&said));
    wanted.apply(&mut types, &[]).map_err(unfit)?;
    let (target, described, watched) = target(arguments, &definition, &folder)?;
    let mut facts = Facts {
        definition,
        folder,
        target,
        weights: types.iter().map(|kind| kind.weight).collect(),
        users: plan.users,
        timeout: arguments.timeout.unwrap_or(TIMEOUT),
        given: [].into(),
    };
    let file = File::new(facts.clone()).map_err(wrong)?;
    let failed = |failed: Failed| cannot("The workload cannot be set up", &failed);
    facts.given = match before {
        Some(before) => before.given.clone(),
        None => runtime()?.block_on(file.set_up()).map_err(failed)?,
    };
    let file = File::new(facts.clone()).map_err(wrong)?;
    let prepared = Prepared {
        workload: facts.definition.workload.name.clone(),
        job: Job::File(Box::new(facts)),
        target: TargetFacts {
            data: [("file".to_owned(), arguments.workload.clone())].into(),
            ..described
        },
        checks: &[],
        options: BTreeMap::new(),
        watched,
        proof: None,
        _kept: None,
    };
    let teardown = Teardown { file, path: arguments.workload.clone() };
    Ok(Own { prepared, teardown })
}

impl Teardown {
    /// Does it.
    ///
    /// # Errors
    /// Where one of its steps fails.
    pub(super) fn run(&self) -> Outcome {
        let failed = |failed: Failed| {
            let what = format!("The teardown of {} failed", self.path);
            cannot(&what, &failed)
        };
        Ok(runtime()?.block_on(self.file.tear_down()).map_err(failed)?)
    }
}

fn read(path: &Path) -> Outcome<Definition> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("The workload {} cannot be read: {error}.", path.display());
        Error::new(Code::Setting, message)
    })?;
    let parsed = toml::from_str(&text).map_err(|error| {
        let message = format!("The workload {} is wrong.", path.display());
        let wrong = Error::new(Code::Setting, message).cause(error.to_string());
        match similar(error.message()) {
            Some(name) => wrong.hint(format!("Did you mean `{name}`?")),
            None => wrong,
        }
    })?;
    Ok(parsed)
}

/// The name that was meant, from an error that has what was found and what can be there in backquotes.
fn similar(said: &str) -> Option<&str> {
    let mut names = said.split('`').skip(1).step_by(2);
    let found = names.next().filter(|_| said.starts_with("unknown"))?;
    nearest(found, names)
}

fn mistake(path: &Path, problem: &Problem) -> Error {
    let message = format!("{}: {}: {}", path.display(), problem.key, problem.said);
    Error::new(Code::Setting, message).maybe_hint(problem.hint.clone())
}

/// What is measured: as the command line says, or the file.
fn target(
    arguments: &BenchRun,
    definition: &Definition,
    folder: &Path,
) -> Outcome<(Target, TargetFacts, Watched)> {
    let (text, folder) = match (&arguments.target, &definition.workload.target) {
        (Some(text), _) => (text, Path::new("")),
        (None, Some(text)) => (text, folder),
        (None, None) => {
            let error = Error::new(Code::Setting, "The workload has no target.");
            return Err(error.hint("Name one with --target, or as `target` in [workload].").into());
        }
    };
    if is_service(text) {
        return service(arguments, text);
    }
    if arguments.token.is_some() || arguments.client.is_some() {
        let message = "--token and --client are for services; the target is a database.";
        return Err(Error::new(Code::Setting, message).into());
    }
    let database = match DatabaseUrl::read(text, folder)? {
        DatabaseUrl::Postgres(url) => Database::Postgres(url),
        // The setup may make it.
        DatabaseUrl::Sqlite(path) => sqlite(&std::path::absolute(path).map_err(Error::internal)?),
    };
    let failed = |failed: Failed| cannot("The database cannot be measured", &failed);
    let server = runtime()?
        .block_on(server(&database, arguments.timeout.unwrap_or(TIMEOUT)))
        .map_err(failed)?;
    let found = SqlTarget { database, folder: None };
    let described = TargetFacts { server, ..found.facts() };
    // Commits are not held against the database's: a file's own statements may begin and end them.
    Ok((Target::Sql(found.database), described, Watched::default()))
}

fn service(arguments: &BenchRun, text: &str) -> Outcome<(Target, TargetFacts, Watched)> {
    let url = service_url(arguments, text)?;
    let client = arguments.client.as_deref().map(split_client).transpose()?;
    let access =
        Access { token: arguments.token.clone(), client, token_path: arguments.token_path.clone() };
    // A token's path is beside a resource, and the target is what resources lie below.
    let below = url.at(&format!("{}/resource", url.path.trim_end_matches('/')));
    let authorized =
        runtime()?.block_on(authorize(&below, &access, arguments.timeout.unwrap_or(TIMEOUT)));
    let authorization =
        authorized.map_err(|failed| cannot("The service cannot be measured", &failed))?;
    let described = TargetFacts {
        kind: "http".into(),
        address: url.to_string(),
        transport: url.transport().into(),
        server: "HTTP".into(),
        ..TargetFacts::default()
    };
    let watched = watch(&url, authorization.clone());
    Ok((Target::Http { url: url.to_string(), authorization }, described, watched))
}

/// The database's name and version as it says itself.
async fn server(database: &Database, timeout: Duration) -> Result<String, Failed> {
    let asked = async {
        let mut connection = Connection::open(&database.target()?, "duet bench").await?;
        let (name, sql) = match connection.store() {
            "sqlite" => ("SQLite", "SELECT sqlite_version()"),
            _ => ("PostgreSQL", "SHOW server_version"),
        };
        let rows = connection.ask(sql, &[]).await?;
        let version = rows.first(0).map(ToString::to_string).unwrap_or_default();
        Ok(format!("{name} {version}"))
    };
    let late = |_| Failed::new(duet_bench::record::Outcome::Timeout, "it does not answer");
    tokio::time::timeout(timeout, asked).await.map_err(late)?
}

fn capitalized(said: &str) -> String {
    let mut chars = said.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_meant() {
        let said = "unknown field `wieght`, expected one of `name`, `weight`, `step`";
        assert_eq!(similar(said), Some("weight"));
        assert_eq!(
            similar("unknown variant `in trun`, expected `random` or `in turn`"),
            Some("in turn")
        );
        assert_eq!(similar("missing field `name`"), None);
    }
}
