//! Users' own workloads: a file with requests or statements, weights, values, checks and captures.
//!
//! A file is parsed into a [`Definition`]; its compiled form leaves no text to parse during a run.

mod answer;
mod answered;
mod check_counter;
pub mod definition;
mod dry_run;
mod facts;
mod feed;
mod flow;
pub(crate) mod formats;
pub mod functions;
mod names;
mod pieces;
mod problem;
mod program;
mod request;
mod schedule;
mod scope;
mod session;
mod shared;
mod statement;
mod template;
mod walk;
mod walking;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_model::Value;
use duet_verdict::result::CheckRow;

pub use super::reads::Reads;
use crate::workload::{
    Counts, Failed, Local, Session, TransactionContext, TransactionType, Workload,
};
pub use definition::{Definition, Scalar};
pub use dry_run::FirstRequest;
use duet_verdict::outcome::Outcome;
pub use facts::{FileFacts, FileTarget};
pub(crate) use functions::number::NumberKind;
pub(crate) use names::ENVIRONMENT;
pub use problem::Problem;
use program::Program;
pub(crate) use scope::encoded;
use session::FileSession;
pub(crate) use wire::{JMETER_METHODS, is_field_name};

/// The workload.
#[derive(Debug)]
pub struct File {
    facts: FileFacts,
    program: Arc<Program>,
    kinds: Vec<TransactionType>,
}

/// The types of a file, with its own weights.
///
/// # Errors
/// The first mistake in them.
pub fn kinds(definition: &Definition) -> Result<Vec<TransactionType>, Problem> {
    program::kinds(definition)
}

impl File {
    /// Checks and compiles the file.
    ///
    /// # Errors
    /// The first mistake in the file.
    pub fn new(facts: FileFacts) -> Result<Self, Problem> {
        let program = Program::compile(&facts)?;
        let mut kinds = program.kinds.clone();
        for (kind, weight) in kinds.iter_mut().zip(&facts.weights) {
            kind.weight = *weight;
        }
        Ok(Self { program: Arc::new(program), facts, kinds })
    }

    /// Runs the setup; its captures belong into [`FileFacts::given`].
    ///
    /// # Errors
    /// The first step that fails.
    pub async fn set_up(&self) -> Result<BTreeMap<String, Scalar>, Failed> {
        if self.program.setup.actions.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut session = FileSession::open(&self.program, &self.facts, 0).await?;
        session.once(&self.program.setup, &mut TransactionContext::new(0)).await?;
        let captured = self.program.captured.iter();
        let given = captured.filter_map(|(name, slot)| {
            let scalar = match &session.values[*slot] {
                Value::Null => return None,
                Value::Bool(truth) => Scalar::Truth(*truth),
                Value::Int(number) => Scalar::Whole(*number),
                Value::Float(number) => Scalar::Number(*number),
                other => Scalar::Text(other.to_string()),
            };
            Some((name.clone(), scalar))
        });
        Ok(given.collect())
    }

    /// What users would send first of each type that has a weight, made by the code of a run: without a connection, and
    /// without the values that only a response has, which stay as they are written.
    pub fn first_requests(&self) -> Vec<FirstRequest> {
        dry_run::first_requests(&self.program, &self.facts, &self.kinds)
    }

    /// Runs the teardown.
    ///
    /// # Errors
    /// The first step that fails.
    pub async fn tear_down(&self) -> Result<(), Failed> {
        if self.program.teardown.actions.is_empty() {
            return Ok(());
        }
        let mut session = FileSession::open(&self.program, &self.facts, 0).await?;
        session.once(&self.program.teardown, &mut TransactionContext::new(0)).await
    }
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Self {
        Self::new(Outcome::Other, problem.to_string())
    }
}

impl Workload for File {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn is_blocking(&self) -> bool {
        match &self.facts.target {
            FileTarget::Http { .. } => false,
            FileTarget::Sql(database) => database.is_blocking(),
        }
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.program.checks(&self.kinds)
    }

    fn counts(&self) -> Counts {
        self.program.counts
    }

    fn groups(&self) -> Vec<(String, u32)> {
        self.program.groups.iter().map(|group| (group.name.clone(), group.first)).collect()
    }

    fn has_last_steps(&self) -> bool {
        self.program.stages.has_teardown()
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let opened = FileSession::open(&self.program, &self.facts, user).await;
            let mut session = opened.inspect_err(|_| self.program.lose(user))?;
            session.prepare(&self.facts).await?;
            Ok(Box::new(session) as Box<dyn Session>)
        })
    }
}

/// A text with its placeholders filled in, as they are known before a run: values, and shared ones.
///
/// # Errors
/// A function that there is not.
pub(crate) fn evaluate(
    text: &str,
    values: &BTreeMap<String, Scalar>,
    shared: &BTreeMap<String, String>,
    folder: &std::path::Path,
) -> Result<String, Problem> {
    let mut names = names::Names::default();
    names.keep_unset = true;
    let slots: Vec<usize> = values.keys().map(|name| names.add(name)).collect();
    let template = template::Template::compile(text, template::TextPosition::Plain, &names, "")?;
    let (calls, by_name) = (names.take_calls(), names.by_name());
    let mut slots_of = names.initial();
    for (slot, value) in slots.into_iter().zip(values.values()) {
        slots_of[slot] = feed::plain(value);
    }
    let mut scope = scope::Scope {
        values: &mut slots_of,
        named: &mut BTreeMap::new(),
        names: &by_name,
        shared: &shared::SharedValues::new(shared.clone()),
        folder,
        random: &mut fastrand::Rng::new(),
        seat: (1, ""),
        last_ok: true,
        jmeter: true,
        counts: &mut BTreeMap::new(),
    };
    scope.compute(&calls).map_err(|failed| Problem::new("", failed.message))?;
    template.text(&slots_of).map_err(|failed| Problem::new("", failed.message))
}

/// Reads an expression of JMESPath.
///
/// # Errors
/// Why it is not taken, as a phrase.
pub(crate) fn check_jmes_path(text: &str) -> Result<(), String> {
    formats::jmes_path::JmesPath::read(text).map(|_| ())
}

/// Reads a selector of CSS, and the attribute to take.
///
/// # Errors
/// Why it is not taken, as a phrase.
pub(crate) fn check_css(selector: &str, attribute: &str) -> Result<(), String> {
    formats::css::CssSelector::read(selector, Some(attribute)).map(|_| ())
}

/// Whether a text is a JSON path that extractors take.
pub(crate) fn is_json_path(text: &str) -> bool {
    formats::json_path::JsonPath::read(text).is_some()
}
