//! A user's file, checked and compiled for its users.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use duet_model::Value;
use duet_verdict::result::{CheckRow, RESPONSE};

use super::check_counter;
use super::definition::{Definition, Step, Transaction};
use super::facts::{Facts, FileTarget};
use super::feed::{Captured, Feed};
use super::names::{Names, USER};
use super::problem::Problem;
use super::request::Request;
use super::statement::Sql;
use crate::targets::http::Url;
use crate::workload::{Counts, Kind};

/// The number of the script that each user runs once.
const LOGIN: &str = "login";
/// The longest sleep between steps.
const LONGEST_THINK: Duration = Duration::from_secs(3600);

/// The compiled workload.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) kinds: Vec<Kind>,
    pub(super) scripts: Vec<Script>,
    pub(super) setup: Script,
    /// The steps that each user runs before its first transaction.
    pub(super) login: Script,
    pub(super) teardown: Script,
    pub(super) feeds: Vec<Feed>,
    /// The initial values.
    pub(super) initial: Vec<Value>,
    /// The slot of the user's number.
    pub(super) user: usize,
    /// The names that setup captures, with their slots.
    pub(super) captured: Vec<(String, usize)>,
    /// Slots whose values may be secrets.
    pub(super) secret: Vec<usize>,
    /// Which database counts its users keep.
    pub(super) counts: Counts,
}

/// Steps in order.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) actions: Vec<Action>,
    /// The pause before each of them.
    pub(super) pauses: Vec<Option<[Duration; 2]>>,
    /// The feeders that it draws from, by number.
    pub(super) feeds: Vec<usize>,
    pub(super) think: Option<[Duration; 2]>,
    /// Whether it is one database transaction.
    pub(super) transaction: bool,
    pub(super) retries: u32,
}

/// A step.
#[derive(Debug)]
pub(super) enum Action {
    Request(Box<Request>),
    Sql(Box<Sql>),
}

/// The context of compiling a step.
struct Compiler<'a> {
    definition: &'a Definition,
    /// The prefix of all request paths.
    base: Option<String>,
    names: Names,
    feeds: Vec<Feed>,
    secret: Vec<usize>,
}

impl Program {
    /// Checks and compiles a file.
    pub(super) fn compile(facts: &Facts) -> Result<Self, Problem> {
        let Facts { definition, target, folder, users, .. } = facts;
        let mut names = Names::default();
        let user = names.add(USER);
        let feeds = feeds(facts, folder, *users, &mut names)?;
        let base = match target {
            FileTarget::Http { url, .. } => {
                let url: Url = url
                    .parse()
                    .map_err(|message: String| Problem::new("workload.target", message))?;
                Some(url.path.trim_end_matches('/').to_owned())
            }
            FileTarget::Sql(_) => None,
        };
        let mut compiler = Compiler { definition, base, names, feeds, secret: Vec::new() };
        let about = &definition.workload;
        let early = about.setup.iter().chain(&about.login).flat_map(|step| step.capture.keys());
        compiler.names.later = early.cloned().collect();
        let kinds = kinds(definition)?;
        let setup = compiler.script(&about.setup, "workload.setup")?;
        if let Some(late) = setup.feeds.iter().find(|feed| compiler.feeds[**feed].is_late) {
            let name = definition.feeders.keys().nth(*late).map_or("", String::as_str);
            let message = "Setup uses this feeder before it has captured its bounds.";
            return Err(Problem::new(format!("feeders.{name}"), message));
        }
        let captured = about.setup.iter().flat_map(|step| step.capture.keys());
        let captured: Vec<(String, usize)> =
            captured.map(|name| (name.clone(), compiler.names.add(name))).collect();
        let teardown = compiler.script(&about.teardown, "workload.teardown")?;
        // They are for the steps of teardown alone.
        compiler.names.remove(about.teardown.iter().flat_map(|step| step.capture.keys()));
        let login = compiler.script(&about.login, "workload.login")?;
        let mut scripts = Vec::new();
        for (number, transaction) in definition.transaction.iter().enumerate() {
            scripts
                .push(compiler.transaction(transaction, &format!("transaction[{}]", number + 1))?);
        }
        let Compiler { names, feeds, mut secret, .. } = compiler;
        secret.extend(names.environment());
        let initial = names.initial();
        let is_plain = scripts.iter().chain([&login]).all(Script::is_plain);
        let counts = Counts { commits: is_plain, changes: true };
        Ok(Self {
            kinds,
            scripts,
            setup,
            login,
            teardown,
            feeds,
            initial,
            user,
            captured,
            secret,
            counts,
        })
    }

    /// How often each check of the types that run passed in this process; weights as in `kinds`.
    pub(super) fn checks(&self, kinds: &[Kind]) -> Vec<CheckRow> {
        let runs = kinds.iter().zip(&self.scripts).filter(|(kind, _)| kind.weight > 0.0);
        let scripts = runs.map(|(kind, script)| (kind.short.as_str(), script));
        let mut rows = Vec::new();
        for (name, script) in std::iter::once((LOGIN, &self.login)).chain(scripts) {
            let first = rows.len();
            for (number, action) in script.actions.iter().enumerate() {
                let place = match script.actions.len() {
                    1 => name.to_owned(),
                    _ => format!("{name} step {}", number + 1),
                };
                match action {
                    Action::Request(request) => {
                        rows.extend(request.checks.held().map(|held| held.row(&place)));
                    }
                    Action::Sql(sql) => rows.extend(sql.held().map(|held| held.row(&place))),
                }
            }
            if name != LOGIN {
                rows[first..]
                    .iter_mut()
                    .for_each(|row: &mut CheckRow| row.transaction = name.into());
            }
        }
        check_counter::tell_apart(&mut rows);
        rows
    }
}

impl Script {
    /// Whether all its commits can be counted from outside.
    fn is_plain(&self) -> bool {
        self.actions.iter().all(|action| match action {
            Action::Request(_) => true,
            Action::Sql(sql) => sql.is_plain(),
        })
    }
}

impl Compiler<'_> {
    fn transaction(&mut self, transaction: &Transaction, key: &str) -> Result<Script, Problem> {
        if transaction.step.is_empty() {
            return Err(Problem::new(
                key,
                "A transaction has at least one `[[transaction.step]]`.",
            ));
        }
        if transaction.transaction && self.base.is_some() {
            let message = "`transaction` is for statements: requests have no transaction.";
            return Err(Problem::new(format!("{key}.transaction"), message));
        }
        let think = transaction.think.as_deref().map(|text| think(text, &format!("{key}.think")));
        if think.is_some() && transaction.step.len() == 1 {
            let message = "`think` is slept between steps, and there is only one. For sleep between transactions there is `--think`.";
            return Err(Problem::new(format!("{key}.think"), message));
        }
        let mut script = self.script(&transaction.step, &format!("{key}.step"))?;
        script.think = think.transpose()?;
        script.transaction = transaction.transaction;
        // Steps that commit one by one must not be retried.
        let is_whole = transaction.transaction || transaction.step.len() == 1;
        script.retries = if is_whole { transaction.retries } else { 0 };
        self.names.remove(transaction.step.iter().flat_map(|step| step.capture.keys()));
        Ok(script)
    }

    fn script(&mut self, steps: &[Step], key: &str) -> Result<Script, Problem> {
        self.names.take_used();
        let mut own = BTreeSet::new();
        let mut actions = Vec::new();
        let mut pauses = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let key = format!("{key}[{}]", number + 1);
            let pause = step.pause.as_deref().map(|text| think(text, &format!("{key}.pause")));
            pauses.push(pause.transpose()?);
            for name in step.capture.keys() {
                if self.names.has(name) && !own.contains(name) {
                    let message = "There is a value of this name already.";
                    return Err(Problem::new(format!("{key}.capture.{name}"), message));
                }
                own.insert(name.clone());
            }
            actions.push(self.step(step, &key)?);
        }
        for name in own {
            self.secret.push(self.names.add(&name));
        }
        let used = self.names.take_used();
        let draws = |feed: &Feed| feed.slots.iter().any(|slot| used.contains(slot));
        let feeds = self.feeds.iter().enumerate().filter(|(_, feed)| draws(feed));
        Ok(Script {
            actions,
            pauses,
            feeds: feeds.map(|(place, _)| place).collect(),
            ..Script::default()
        })
    }

    fn step(&mut self, step: &Step, key: &str) -> Result<Action, Problem> {
        let of_request = !step.headers.is_empty() || step.body.is_some();
        match (&step.request, &step.sql, &self.base) {
            (Some(_), None, Some(_)) if !step.params.is_empty() => {
                Err(Problem::new(format!("{key}.params"), "`params` are those of statements."))
            }
            (None, Some(_), None) if of_request => {
                Err(Problem::new(key, "`headers` and `body` are those of requests."))
            }
            (Some(_), None, Some(base)) => {
                let common = &self.definition.workload.headers;
                let request = Request::compile(step, common, base, &mut self.names, key)?;
                Ok(Action::Request(Box::new(request)))
            }
            (None, Some(_), None) => {
                Ok(Action::Sql(Box::new(Sql::compile(step, &mut self.names, key)?)))
            }
            (Some(_), None, None) => {
                let message = "The target is a database: steps have `sql`, not `request`.";
                Err(Problem::new(format!("{key}.request"), message))
            }
            (None, Some(_), Some(_)) => {
                let message = "The target is a service: steps have `request`, not `sql`.";
                Err(Problem::new(format!("{key}.sql"), message))
            }
            _ => Err(Problem::new(key, "A step has either `request` or `sql`.")),
        }
    }
}

fn feeds(
    facts: &Facts,
    folder: &Path,
    users: u32,
    names: &mut Names,
) -> Result<Vec<Feed>, Problem> {
    let setup = facts.definition.workload.setup.iter();
    let names_of = setup.flat_map(|step| step.capture.keys()).map(String::as_str).collect();
    let captured = Captured { names: names_of, values: facts.given.as_ref() };
    let feeders = facts.definition.feeders.iter();
    feeders.map(|(name, feeder)| Feed::new(name, feeder, folder, users, &captured, names)).collect()
}

/// The types of a file.
pub(super) fn kinds(definition: &Definition) -> Result<Vec<Kind>, Problem> {
    if definition.workload.name.trim().is_empty() {
        return Err(Problem::new("workload.name", "The workload needs a name."));
    }
    if definition.transaction.is_empty() {
        return Err(Problem::new("transaction", "There is no `[[transaction]]`."));
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for (number, transaction) in definition.transaction.iter().enumerate() {
        let key = |name: &str| format!("transaction[{}].{name}", number + 1);
        let short = match &transaction.short {
            Some(short) => short.clone(),
            None => transaction.name.replace([' ', ',', '='], "-"),
        };
        if short.is_empty()
            || short.contains(|char: char| char.is_whitespace() || ",=:".contains(char))
        {
            let message =
                "A short name has no spaces, `,`, `=` and `:`, because `--mix` and limits use it.";
            return Err(Problem::new(key("short"), message));
        }
        if kinds.iter().any(|kind| kind.short.eq_ignore_ascii_case(&short)) {
            let message =
                format!("Two transactions are called {short:?}: give them a `short` each.");
            return Err(Problem::new(key("short"), message));
        }
        if !transaction.weight.is_finite() || transaction.weight < 0.0 {
            return Err(Problem::new(key("weight"), "A weight is a number from 0 on."));
        }
        if short.ends_with(RESPONSE) {
            let message = format!(
                "A short name does not end with {RESPONSE:?}, the suffix of response times in the log of a run."
            );
            return Err(Problem::new(key("short"), message));
        }
        kinds.push(Kind::new(&transaction.name, &short, transaction.weight));
    }
    Ok(kinds)
}

fn think(text: &str, key: &str) -> Result<[Duration; 2], Problem> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let read = |text: &str| humantime::parse_duration(text.trim()).ok();
    match (read(from), read(to)) {
        (Some(from), Some(to)) if from <= to && to <= LONGEST_THINK => Ok([from, to]),
        _ => {
            let message = "Give a time up to 1h such as `50ms`, or two as in `20ms..100ms`.";
            Err(Problem::new(key, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_unique_tags() {
        let message = |short: &str| {
            let of = |name, short| serde_json::json!({ "name": name, "short": short, "step": [] });
            let file = serde_json::json!({
                "workload": { "name": "w" },
                "transaction": [of("One", "a"), of("Two", short)],
            });
            let definition: Definition = serde_json::from_value(file).unwrap();
            kinds(&definition).err().map(|problem| problem.to_string()).unwrap_or_default()
        };
        assert_eq!(message("a.responses"), "");
        assert!(message("a.response").contains("does not end with \".response\""));
        assert!(message("A").contains("Two transactions are called"));
    }
}
