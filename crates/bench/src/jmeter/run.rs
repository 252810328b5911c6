//! A run of a plan: its groups in their order, and the threads of each.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::LocalSet;

use super::Problem;
use super::figures::Figures;
use super::functions::{SharedValues, Values};
use super::plan::{Group, Plan, Time};
use super::shared::Shared;
use super::template::Template;
use super::user::User;
use crate::sample_files::Samples;

/// How a plan is run.
#[derive(Debug)]
pub struct Options {
    /// The folder of the plan, where its files are.
    pub folder: PathBuf,
    /// Properties: those of `-J`.
    pub properties: BTreeMap<String, String>,
    /// How long a response may take.
    pub timeout: Duration,
}

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    /// Its figures.
    pub figures: Figures,
    /// How long it took.
    pub elapsed: Duration,
}

/// What ends a run early.
#[derive(Debug)]
pub enum Failure {
    /// A file or a number of the plan.
    Plan(Problem),
    /// An output.
    Output(io::Error),
}

/// Runs a plan, and writes its samples as they end.
///
/// # Errors
/// A file of the plan that cannot be read, a number that is none, an output that cannot be written.
pub async fn run(
    plan: Plan,
    options: Options,
    outputs: Vec<Box<dyn Samples>>,
) -> Result<Ran, Failure> {
    let began = Instant::now();
    let plan = Rc::new(plan);
    let Options { folder, properties, timeout } = options;
    let values = SharedValues::new(properties, folder);
    let shared = Rc::new(RefCell::new(Shared {
        values,
        rows: Vec::new(),
        counts: vec![(0, 0); plan.controllers],
        running: vec![0; plan.groups.len()],
        stopped: false,
        figures: Figures::default(),
        outputs,
        failed: None,
    }));
    let variables = first_values(&plan, &shared).map_err(Failure::Plan)?;
    let local = LocalSet::new();
    for time in [Time::SetUp, Time::Main, Time::TearDown] {
        let groups: Vec<usize> =
            (0..plan.groups.len()).filter(|at| plan.groups[*at].time == time).collect();
        let at_once = if plan.serial || time != Time::Main { 1 } else { groups.len().max(1) };
        for part in groups.chunks(at_once) {
            // A failure stops the groups of the load; what was set up is still torn down.
            if shared.borrow().stopped && time != Time::TearDown {
                continue;
            }
            shared.borrow_mut().stopped = false;
            let mut users = Vec::new();
            for &group in part {
                let given = (timeout, &variables);
                users.extend(threads((&plan, group), &shared, given).map_err(Failure::Plan)?);
            }
            local
                .run_until(async {
                    let tasks: Vec<_> = users.into_iter().map(tokio::task::spawn_local).collect();
                    for task in tasks {
                        let _ = task.await;
                    }
                })
                .await;
        }
    }
    let mut shared = shared.borrow_mut();
    let finished: Result<Vec<()>, io::Error> =
        shared.outputs.iter_mut().map(|output| output.finish()).collect();
    match (shared.failed.take(), finished) {
        (Some(error), _) | (None, Err(error)) => Err(Failure::Output(error)),
        (None, Ok(_)) => {
            let figures = std::mem::take(&mut shared.figures);
            Ok(Ran { figures, elapsed: began.elapsed() })
        }
    }
}

/// The most that a number of a group may be: seconds as well as threads.
const MOST: u64 = 1_000_000;

/// Reads the data sets, and gives the variables that all threads begin with.
fn first_values(
    plan: &Plan,
    shared: &RefCell<Shared>,
) -> Result<BTreeMap<String, String>, Problem> {
    let mut variables = BTreeMap::new();
    let mut shared = shared.borrow_mut();
    for (name, value) in &plan.variables {
        let values = &mut shared.values;
        let text = Values { variables: &variables, shared: values, thread: 1 }.text(value);
        variables.insert(name.clone(), text);
    }
    for data in &plan.data {
        let values = &mut shared.values;
        let name = Values { variables: &variables, shared: values, thread: 1 }.text(&data.file);
        let text = std::fs::read_to_string(shared.values.folder.join(&name)).map_err(|error| {
            Problem::new(data.line, format!("The data set {name:?} cannot be read: {error}."))
        })?;
        shared.rows.push(data.rows(&text));
    }
    Ok(variables)
}

/// The threads of a group, each waiting for its start.
fn threads(
    (plan, at): (&Rc<Plan>, usize),
    shared: &Rc<RefCell<Shared>>,
    (timeout, variables): (Duration, &BTreeMap<String, String>),
) -> Result<Vec<impl Future<Output = ()> + 'static>, Problem> {
    let group = &plan.groups[at];
    let number =
        |template: &Template, what: &str| number(group, template, what, (shared, variables));
    let count = number(&group.threads, "number of threads")?.unwrap_or(1);
    let ramp = number(&group.ramp, "ramp-up period")?.unwrap_or_default();
    let delay = number(&group.delay, "delay")?.unwrap_or_default();
    let duration = match &group.duration {
        Some(duration) => number(duration, "duration")?,
        None => None,
    };
    let begin = Instant::now() + Duration::from_secs(delay);
    let until = duration.map(|seconds| begin + Duration::from_secs(seconds));
    let thread = |index: u64| {
        let start = begin + Duration::from_secs(ramp).mul_f64(index as f64 / count as f64);
        let user = User {
            plan: Rc::clone(plan),
            group: at,
            number: usize::try_from(index).unwrap_or_default() + 1,
            shared: Rc::clone(shared),
            until,
            timeout,
            variables: variables.clone(),
            connection: None,
            counts: vec![(0, 0); plan.controllers],
            rows: BTreeMap::new(),
        };
        let (shared, name) = (Rc::clone(shared), group.name.clone());
        async move {
            tokio::time::sleep_until(start.into()).await;
            if until.is_some_and(|until| Instant::now() >= until) || shared.borrow().stopped {
                return;
            }
            shared.borrow_mut().thread((at, &name), true);
            user.run().await;
            shared.borrow_mut().thread((at, &name), false);
        }
    };
    Ok((0..count).map(thread).collect())
}

/// A number of a group; `None` where it is empty.
fn number(
    group: &Group,
    template: &Template,
    what: &str,
    (shared, variables): (&RefCell<Shared>, &BTreeMap<String, String>),
) -> Result<Option<u64>, Problem> {
    let shared = &mut shared.borrow_mut().values;
    let text = Values { variables, shared, thread: 1 }.text(template);
    match text.trim() {
        "" => Ok(None),
        text => {
            let number = text.parse().ok().filter(|number| *number <= MOST);
            number.map(Some).ok_or_else(|| {
                let message = format!(
                    "The {what} of {:?} is {text:?}, which is no whole number up to {MOST}.",
                    group.name
                );
                Problem::new(group.line, message)
            })
        }
    }
}
