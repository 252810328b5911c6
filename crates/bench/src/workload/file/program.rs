//! A user's file, checked and compiled for its users.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use duet_model::Value;
use duet_verdict::result::{CheckRow, RESPONSE};

use super::answered::{Reading, is_extractor};
use super::check_counter;
use super::definition::{
    Definition, Follow, Go, Group, KeepCookies, Scalar, Step, Transaction, When,
};
use super::facts::{FileFacts, FileTarget};
use super::feed::{Captured, Feed};
use super::flow::{self, Flow, Leaves, Op};
use super::names::{Names, USER, settable};
use super::problem::Problem;
use super::request::Request;
use super::schedule::{Levels, Stages};
use super::shared::SharedValues;
use super::statement::Sql;
use super::wire::{HttpContext, HttpStep};
use crate::targets::http::Url;
use crate::workload::{Counts, TransactionType};

/// The number of the script that each user runs once.
const LOGIN: &str = "login";
/// The longest sleep between steps.
const LONGEST_THINK: Duration = Duration::from_secs(3600);

/// The compiled workload.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) kinds: Vec<TransactionType>,
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
    /// The groups, whose scripts are those of the same numbers; none where transactions are drawn.
    pub(super) groups: Vec<Seats>,
    pub(super) stages: Stages,
    /// What all users share.
    pub(super) shared: SharedValues,
    /// All values by name.
    pub(super) by_name: BTreeMap<String, usize>,
    pub(super) folder: PathBuf,
    /// Whether a computed text that is no number is 0, as in plans of JMeter; otherwise the step behind it fails.
    pub(super) words_are_0: bool,
    /// When it was compiled: the moment that paces count from.
    pub(super) began: Instant,
}

/// The part of the run that each stage belongs to, and its users.
type StageUsers = Vec<(When, u32)>;

/// The users of a group, and when they run.
#[derive(Debug)]
pub(super) struct Seats {
    pub(super) name: String,
    /// The number of its first user.
    pub(super) first: u32,
    pub(super) users: u32,
    pub(super) stage: usize,
    pub(super) ramp_up: Duration,
    pub(super) delay: Duration,
    pub(super) duration: Option<Duration>,
    /// When its users run, where their number changes.
    pub(super) levels: Option<Levels>,
    /// `None`: without an end.
    pub(super) iterations: Option<u64>,
    pub(super) on_failure: Go,
    pub(super) cookies: Option<KeepCookies>,
    /// The cookies that its users begin with.
    pub(super) jar: Vec<String>,
    /// How many of its users run.
    pub(super) running: AtomicU32,
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
    /// In what order the steps run, where they do not run one after the other: then they may set values, wait, decide
    /// and repeat.
    pub(super) flow: Option<Flow>,
    /// What each of them does with its response beside plain checks and captures.
    pub(super) readings: Vec<Option<Reading>>,
    /// In groups, the type of each of them.
    pub(super) kinds: Vec<usize>,
}

/// A step.
#[derive(Debug)]
pub(super) enum Action {
    Request(Box<Request>),
    Http(Box<HttpStep>),
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
    /// The types of groups, by name; empty where transactions are drawn.
    kinds: Vec<TransactionType>,
    /// The file's folder.
    folder: &'a Path,
}

impl Program {
    /// Checks and compiles a file.
    pub(super) fn compile(facts: &FileFacts) -> Result<Self, Problem> {
        let FileFacts { definition, target, folder, users, .. } = facts;
        let (mut names, user) = first_names(definition)?;
        names.given_environment.clone_from(&facts.environment);
        let feeds = feeds(facts, folder, *users, &mut names)?;
        let base = base(target)?;
        let kinds = kinds(definition)?;
        let of_groups = if definition.group.is_empty() { Vec::new() } else { kinds.clone() };
        let mut compiler = Compiler {
            definition,
            base,
            names,
            feeds,
            secret: Vec::new(),
            kinds: of_groups,
            folder,
        };
        let about = &definition.workload;
        let early = about.setup.iter().chain(&about.login).flat_map(|step| step.capture.keys());
        compiler.names.later = early.cloned().collect();
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
        let (groups, stages) = compiler.groups(&mut scripts)?;
        let Compiler { names, feeds, mut secret, .. } = compiler;
        secret.extend(names.environment());
        let mut initial = names.initial();
        let by_name = names.by_name();
        for (name, value) in &definition.workload.values {
            let key = format!("workload.values.{name}");
            initial[by_name[name]] = match about.keep_unset {
                true => super::feed::plain(value),
                false => super::feed::literal(value, &key, &[])?,
            };
        }
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
            groups,
            stages: Stages::new(&stages, definition.workload.skip_teardown),
            shared: SharedValues::new(definition.workload.shared.clone()),
            by_name,
            folder: folder.clone(),
            words_are_0: about.keep_unset,
            began: Instant::now(),
        })
    }

    /// Whether a step sends a request to the target itself.
    pub(super) fn has_requests(&self) -> bool {
        let all = self.scripts.iter().chain([&self.setup, &self.login, &self.teardown]);
        let mut actions = all.flat_map(|script| &script.actions);
        let has_parts = actions.clone().any(|action| matches!(action, Action::Http(_)));
        actions.any(|action| matches!(action, Action::Request(_))) || !has_parts
    }

    /// Counts a user that cannot begin.
    pub(super) fn lose(&self, user: u32) {
        if let Some(group) = self.group_of(user) {
            self.stages.leave(self.groups[group].stage);
        }
    }

    /// The group of a user, by its number.
    pub(super) fn group_of(&self, user: u32) -> Option<usize> {
        self.groups
            .iter()
            .position(|group| (group.first..group.first + group.users).contains(&user))
    }

    /// How often each check of the types that run passed in this process; weights as in `kinds`.
    pub(super) fn checks(&self, kinds: &[TransactionType]) -> Vec<CheckRow> {
        if !self.groups.is_empty() {
            return self.checks_of_groups(kinds);
        }
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
                rows.extend(script.held(number, action, &place));
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

    /// The checks of groups: those of the steps of one name together.
    fn checks_of_groups(&self, kinds: &[TransactionType]) -> Vec<CheckRow> {
        let mut rows: Vec<CheckRow> = Vec::new();
        for script in &self.scripts {
            for (number, action) in script.actions.iter().enumerate() {
                let kind = script.kinds.get(number).and_then(|kind| kinds.get(*kind));
                let Some(kind) = kind else { continue };
                for mut row in script.held(number, action, &kind.name) {
                    row.transaction.clone_from(&kind.short);
                    match rows.iter_mut().find(|known| known.name == row.name) {
                        Some(known) => known.add(&row),
                        None => rows.push(row),
                    }
                }
            }
        }
        rows
    }
}

impl Script {
    /// How often the checks of an action passed, under the name of its place.
    fn held(&self, number: usize, action: &Action, place: &str) -> Vec<CheckRow> {
        let mut rows: Vec<CheckRow> = match action {
            Action::Request(request) => request.checks.held().map(|held| held.row(place)).collect(),
            Action::Http(http) => http.held().map(|held| held.row(place)).collect(),
            Action::Sql(sql) => sql.held().map(|held| held.row(place)).collect(),
        };
        if let Action::Http(http) = action {
            rows.extend(http.unset(place));
        }
        if let Some(Some(reading)) = self.readings.get(number) {
            rows.extend(reading.held().map(|held| held.row(place)));
        }
        rows
    }

    /// Whether all its commits can be counted from outside.
    fn is_plain(&self) -> bool {
        self.actions.iter().all(|action| match action {
            Action::Request(_) | Action::Http(_) => true,
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
        let is_whole =
            transaction.transaction || transaction.step.len() == 1 && script.flow.is_none();
        script.retries = if is_whole { transaction.retries } else { 0 };
        let mut own = BTreeSet::new();
        set_names(&transaction.step, &mut own);
        self.names.remove(&own);
        Ok(script)
    }

    /// Names what the steps of groups set: a step may use it before, in an earlier pass of a loop.
    fn announce(&mut self, steps: &[Step]) {
        let mut own = BTreeSet::new();
        set_names(steps, &mut own);
        for name in own {
            let slot = self.names.add(&name);
            self.secret.push(slot);
        }
        all_names(steps, &mut self.names.all);
    }

    /// The groups with their users and stages; adds their scripts.
    fn groups(&mut self, scripts: &mut Vec<Script>) -> Result<(Vec<Seats>, StageUsers), Problem> {
        let definition = self.definition;
        definition.group.iter().for_each(|group| self.announce(&group.step));
        let (mut groups, mut stages) = (Vec::new(), Vec::new());
        for (number, group) in definition.group.iter().enumerate() {
            let key = format!("group[{}]", number + 1);
            scripts.push(self.group(group, &key)?);
            groups.push(seats(group, &groups, &key)?);
        }
        place(definition, &mut groups, &mut stages);
        Ok((groups, stages))
    }

    fn group(&mut self, group: &Group, key: &str) -> Result<Script, Problem> {
        if group.step.is_empty() {
            return Err(Problem::new(key, "A group has at least one `[[group.step]]`."));
        }
        let mut script = self.script(&group.step, &format!("{key}.step"))?;
        for name in &group.draw {
            let place = self.definition.feeders.keys().position(|known| known == name);
            let Some(place) = place else {
                let message = format!("There is no feeder `{name}`.");
                let known = self.definition.feeders.keys().map(String::as_str);
                return Err(Problem::unknown(&format!("{key}.draw"), message, name, known));
            };
            if !script.feeds.contains(&place) {
                script.feeds.push(place);
            }
        }
        script.feeds.sort_unstable();
        Ok(script)
    }

    fn script(&mut self, steps: &[Step], key: &str) -> Result<Script, Problem> {
        self.names.take_used();
        let mut leaves =
            ScriptLeaves { compiler: self, script: Script::default(), own: BTreeSet::new() };
        let flow = flow::compile(steps, key, &mut leaves)?;
        let ScriptLeaves { mut script, own, .. } = leaves;
        for name in own {
            self.secret.push(self.names.add(&name));
        }
        let used = self.names.take_used();
        let draws = |feed: &Feed| feed.slots.iter().any(|slot| used.contains(slot));
        let feeds = self.feeds.iter().enumerate().filter(|(_, feed)| draws(feed));
        script.feeds = feeds.map(|(place, _)| place).collect();
        let is_plain = self.kinds.is_empty()
            && script.readings.iter().all(Option::is_none)
            && script.actions.iter().all(|action| !matches!(action, Action::Http(_)))
            && flow.ops.iter().all(|op| matches!(op, Op::Step(_)));
        script.flow = (!is_plain).then_some(flow);
        Ok(script)
    }

    fn step(&mut self, step: &Step, key: &str) -> Result<Action, Problem> {
        if let Some(http) = &step.http {
            if step.follow != Follow::None {
                let message = "An `http` step has its own `follow`.";
                return Err(Problem::new(format!("{key}.follow"), message));
            }
            return match (&step.request, &step.sql, &self.base, &step.body) {
                (None, None, Some(_), None) => {
                    let context = HttpContext {
                        common: &self.definition.workload.headers,
                        names: &mut self.names,
                        folder: self.folder,
                    };
                    let step = HttpStep::compile(step, http, context, key)?;
                    Ok(Action::Http(Box::new(step)))
                }
                _ => {
                    let message = "`http` is for services, and has its own `body`.";
                    Err(Problem::new(format!("{key}.http"), message))
                }
            };
        }
        let of_request =
            !step.headers.is_empty() || step.body.is_some() || step.follow != Follow::None;
        match (&step.request, &step.sql, &self.base) {
            (Some(_), None, Some(_)) if !step.params.is_empty() => {
                Err(Problem::new(format!("{key}.params"), "`params` are those of statements."))
            }
            (None, Some(_), None) if of_request => {
                Err(Problem::new(key, "`headers`, `body` and `follow` are those of requests."))
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

/// The names that are there before feeders, and the slot of the user's number.
fn first_names(definition: &Definition) -> Result<(Names, usize), Problem> {
    let mut names = Names::default();
    names.keep_unset = definition.workload.keep_unset;
    let user = names.add(if names.keep_unset { "user()" } else { USER });
    for name in definition.workload.values.keys() {
        settable(name, &format!("workload.values.{name}"))?;
        names.add(name);
    }
    Ok((names, user))
}

/// The prefix of all request paths.
fn base(target: &FileTarget) -> Result<Option<String>, Problem> {
    let FileTarget::Http { url, .. } = target else { return Ok(None) };
    let url: Url =
        url.parse().map_err(|message: String| Problem::new("workload.target", message))?;
    Ok(Some(url.path.trim_end_matches('/').to_owned()))
}

/// Compiles the steps of a script that send something.
struct ScriptLeaves<'a, 'b> {
    compiler: &'a mut Compiler<'b>,
    script: Script,
    /// The names that its steps capture.
    own: BTreeSet<String>,
}

impl Leaves for ScriptLeaves<'_, '_> {
    fn leaf(&mut self, step: &Step, key: &str) -> Result<usize, Problem> {
        let pause = step.pause.as_deref().map(|text| think(text, &format!("{key}.pause")));
        self.script.pauses.push(pause.transpose()?);
        let is_group = !self.compiler.kinds.is_empty();
        for name in step.capture.keys() {
            if self.compiler.names.has(name) && !self.own.contains(name) && !is_group {
                let message = "There is a value of this name already.";
                return Err(Problem::new(format!("{key}.capture.{name}"), message));
            }
            self.own.insert(name.clone());
        }
        let action = self.compiler.step(step, key)?;
        let calls = self.compiler.names.take_calls();
        let reading = match &action {
            Action::Sql(_) => None,
            _ => Reading::compile(step, &mut self.compiler.names, key)?,
        };
        self.compiler.names.give_calls(calls);
        self.script.kinds.extend(self.kind(&step_name(step)));
        self.script.readings.push(reading);
        self.script.actions.push(action);
        Ok(self.script.actions.len() - 1)
    }

    fn names(&mut self) -> &mut Names {
        &mut self.compiler.names
    }

    fn kind(&self, name: &str) -> Option<usize> {
        self.compiler.kinds.iter().position(|kind| kind.name == name)
    }
}

/// The name under which a step of a group is measured.
fn step_name(step: &Step) -> String {
    match (&step.name, &step.request, &step.sql, &step.http) {
        (Some(name), ..) => name.clone(),
        (None, Some(request), ..) => request.clone(),
        (None, None, Some(sql), _) => check_counter::cut(sql),
        (None, None, None, Some(http)) => {
            let method = if http.method.is_empty() { "GET" } else { &http.method };
            format!("{method} {}", http.path)
        }
        _ => String::new(),
    }
}

/// The names of the types of steps, in their order, each once.
fn type_names(steps: &[Step], names: &mut Vec<String>) {
    for step in steps {
        let own = match &step.measure {
            Some(name) => name.clone(),
            None => step_name(step),
        };
        if !own.is_empty() && !names.contains(&own) {
            names.push(own);
        }
        type_names(&step.step, names);
        type_names(&step.otherwise, names);
    }
}

/// The names of the values that steps set and capture.
fn set_names(steps: &[Step], names: &mut BTreeSet<String>) {
    for step in steps {
        names.extend(step.set.keys().chain(step.capture.keys()).cloned());
        names.extend(step.each.iter().map(|each| each.value.clone()));
        for after in &step.after {
            names.extend(after.set.keys().chain(after.capture.keys()).cloned());
        }
        set_names(&step.step, names);
        set_names(&step.otherwise, names);
    }
}

/// The names of captures of all matches.
fn all_names(steps: &[Step], names: &mut BTreeSet<String>) {
    for step in steps {
        let captures =
            step.capture.iter().chain(step.after.iter().flat_map(|after| &after.capture));
        let all = captures.filter(|(_, capture)| {
            let is_several = capture.joined || capture.nth != Some(0);
            is_extractor(capture) && (is_several || capture.path.is_none())
        });
        names.extend(all.map(|(name, _)| name.clone()));
        all_names(&step.step, names);
        all_names(&step.otherwise, names);
    }
}

/// When the users of a group run.
fn seats(group: &Group, before: &[Seats], key: &str) -> Result<Seats, Problem> {
    let time = |text: &Option<String>, name: &str| match text {
        None => Ok(None),
        Some(text) => humantime::parse_duration(text)
            .map(Some)
            .map_err(|_| Problem::new(format!("{key}.{name}"), "Give a time such as `10s`.")),
    };
    let levels = match &group.stages[..] {
        [] => None,
        _ if group.ramp_up.is_some() || group.duration.is_some() || group.users != 1 => {
            let message = "`stages` say how many users run and for how long: leave `users`, `ramp_up` and `duration` out.";
            return Err(Problem::new(format!("{key}.stages"), message));
        }
        stages => Some(Levels::new(stages, key)?),
    };
    let has_domain = |field: &&String| {
        field.split(';').any(|part| part.trim().to_ascii_lowercase().starts_with("domain="))
    };
    if let Some(field) = group.jar.iter().find(|field| !has_domain(field)) {
        let message = format!("{field:?} has no `Domain=`, so that it is sent nowhere.");
        return Err(Problem::new(format!("{key}.jar"), message));
    }
    let iterations = match &group.iterations {
        None if group.duration.is_some() || levels.is_some() => None,
        None => Some(1),
        Some(Scalar::Text(text)) if text == "forever" => None,
        Some(Scalar::Whole(number)) if *number >= 0 => Some(number.unsigned_abs()),
        Some(_) => {
            let message = "Give a number, or `forever`.";
            return Err(Problem::new(format!("{key}.iterations"), message));
        }
    };
    Ok(Seats {
        name: group.name.clone(),
        first: before.iter().map(|seats| seats.users).sum(),
        users: group.all_users(),
        stage: 0,
        ramp_up: time(&group.ramp_up, "ramp_up")?.unwrap_or_default(),
        delay: time(&group.delay, "delay")?.unwrap_or_default(),
        duration: match &levels {
            Some(levels) => Some(levels.length()),
            None => time(&group.duration, "duration")?,
        },
        levels,
        iterations,
        on_failure: group.on_failure,
        cookies: group.cookies,
        jar: group.jar.clone(),
        running: AtomicU32::new(0),
    })
}

/// Gives each group its stage: those of the load share one, unless groups run one after the other.
fn place(definition: &Definition, groups: &mut [Seats], stages: &mut StageUsers) {
    for part in [When::Setup, When::Main, When::Teardown] {
        let mut is_shared = false;
        for (group, seats) in definition.group.iter().zip(groups.iter_mut()) {
            if group.when != part {
                continue;
            }
            match stages.last_mut() {
                Some((_, users))
                    if is_shared && part == When::Main && !definition.workload.serial =>
                {
                    *users += seats.users;
                }
                _ => stages.push((part, seats.users)),
            }
            is_shared = true;
            seats.stage = stages.len() - 1;
        }
    }
}

fn feeds(
    facts: &FileFacts,
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
pub(super) fn kinds(definition: &Definition) -> Result<Vec<TransactionType>, Problem> {
    if definition.workload.name.trim().is_empty() {
        return Err(Problem::new("workload.name", "The workload needs a name."));
    }
    if !definition.group.is_empty() {
        return kinds_of_groups(definition);
    }
    let about = &definition.workload;
    let of_groups = [("serial", about.serial), ("skip_teardown", about.skip_teardown)];
    if let Some((word, _)) = of_groups.iter().find(|(_, is_given)| *is_given) {
        let message = format!("`{word}` is for groups.");
        return Err(Problem::new(format!("workload.{word}"), message));
    }
    if definition.transaction.is_empty() {
        return Err(Problem::new(
            "transaction",
            "There is no `[[transaction]]` and no `[[group]]`.",
        ));
    }
    let mut kinds: Vec<TransactionType> = Vec::new();
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
        kinds.push(TransactionType::new(&transaction.name, &short, transaction.weight));
    }
    Ok(kinds)
}

/// The types of groups: their measured steps and blocks, by name.
fn kinds_of_groups(definition: &Definition) -> Result<Vec<TransactionType>, Problem> {
    if !definition.transaction.is_empty() {
        let message =
            "A file has either `[[transaction]]`, which are drawn by weight, or `[[group]]`.";
        return Err(Problem::new("group", message));
    }
    if !definition.workload.login.is_empty() {
        let message = "Groups have no `login`: begin their steps with one of `once = true`.";
        return Err(Problem::new("workload.login", message));
    }
    let mut names = Vec::new();
    definition.group.iter().for_each(|group| type_names(&group.step, &mut names));
    if names.is_empty() {
        return Err(Problem::new("group", "No step of the groups is measured."));
    }
    let mut kinds: Vec<TransactionType> = Vec::new();
    for name in names {
        let is_mark = |char: char| char.is_whitespace() || ",=:-".contains(char);
        let words: Vec<&str> = name.split(is_mark).filter(|word| !word.is_empty()).collect();
        let plain = words.join("-");
        let plain = plain.strip_suffix(RESPONSE).map_or(plain.clone(), str::to_owned);
        let mut short = plain.clone();
        let mut number = 2;
        while short.is_empty() || kinds.iter().any(|kind| kind.short.eq_ignore_ascii_case(&short)) {
            short = format!("{plain}-{number}");
            number += 1;
        }
        kinds.push(TransactionType::new(&name, &short, 1.0));
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
