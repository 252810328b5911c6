//! What users would send first of each type: the requests and statements that the run composes, without a connection.

use std::sync::Arc;

use duet_model::Value;

use super::facts::{FileFacts, FileTarget};
use super::flow::Op;
use super::names::unset;
use super::program::{Action, Program, Script};
use super::request::Message;
use super::session::FileSession;
use crate::targets::http::Url;
use crate::workload::{Failed, TransactionContext, TransactionType};

/// The text in place of secrets.
const HIDDEN: &str = "…";
/// The longest text that is shown.
const LONGEST: usize = 2_000;

/// The first request or statement of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRequest {
    /// The short name of the type.
    pub short: String,
    /// Its text, or why there is none before a run.
    pub text: Result<String, String>,
}

pub(super) fn first_requests(
    program: &Arc<Program>,
    facts: &FileFacts,
    kinds: &[TransactionType],
) -> Vec<FirstRequest> {
    let mut user = DryRun::new(program, facts);
    let mut found: Vec<Option<FirstRequest>> = vec![None; kinds.len()];
    for (number, script) in program.scripts.iter().enumerate() {
        let is_group = !program.groups.is_empty();
        if !is_group && kinds.get(number).is_none_or(|kind| kind.weight <= 0.0) {
            continue;
        }
        let kind_of = |action: usize| match is_group {
            true => script.kinds.get(action).copied(),
            false => Some(number),
        };
        user.draw(script);
        let Some(flow) = &script.flow else {
            for action in 0..script.actions.len() {
                user.note(script, action, kind_of(action), kinds, &mut found);
            }
            continue;
        };
        // Whatever conditions say: values are computed and set on the way.
        for op in &flow.ops {
            match op {
                Op::Step(action) => {
                    user.note(script, *action, kind_of(*action), kinds, &mut found);
                }
                // Values that only responses have are not there, so that some calls have none.
                Op::Compute(calls) => {
                    drop(user.session.scope(&mut user.context).compute(calls));
                }
                Op::Set(setting) => {
                    drop(setting.run(&mut user.session.scope(&mut user.context)));
                }
                _ => {}
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// A user that sends nothing.
struct DryRun<'a> {
    program: &'a Arc<Program>,
    session: FileSession,
    message: Message,
    context: TransactionContext,
    /// Placeholders without a value, as they are encoded in a URL.
    unset: Vec<(String, String)>,
}

impl<'a> DryRun<'a> {
    fn new(program: &'a Arc<Program>, facts: &FileFacts) -> Self {
        let mut session = FileSession::offline(program, facts);
        for slot in &program.secret {
            if let Some(value @ Value::Text(_)) = session.values.get_mut(*slot) {
                *value = Value::Text(HIDDEN.into());
            }
        }
        let mut encoded = Vec::new();
        for (name, slot) in &program.by_name {
            if session.values[*slot] == Value::Null {
                session.values[*slot] = Value::Text(unset(name));
                encoded.push((format!("%24%7B{name}%7D"), unset(name)));
            }
        }
        encoded.push(("%E2%80%A6".into(), HIDDEN.into()));
        let message = match &facts.target {
            FileTarget::Http { url, authorization } => {
                let hidden = authorization.as_ref().map(|_| format!("Bearer {HIDDEN}"));
                let url = url.parse::<Url>().ok();
                url.map(|url| Message::new(&url, hidden.as_deref())).unwrap_or_default()
            }
            FileTarget::Sql(_) => Message::default(),
        };
        Self { program, session, message, context: TransactionContext::new(1), unset: encoded }
    }

    /// Draws the values of a script, but for those whose bounds setup captures.
    fn draw(&mut self, script: &Script) {
        for place in &script.feeds {
            let feed = &self.program.feeds[*place];
            if !feed.is_late {
                feed.draw(0, &mut self.context.random, &mut self.session.values);
            }
        }
    }

    /// Notes the request of a step, if it is the first one of its type.
    fn note(
        &mut self,
        script: &Script,
        action: usize,
        kind: Option<usize>,
        kinds: &[TransactionType],
        found: &mut [Option<FirstRequest>],
    ) {
        let Some(kind) = kind.filter(|kind| found.get(*kind).is_some_and(Option::is_none)) else {
            return;
        };
        let text = self.written(script, action).map_err(|failed| failed.message);
        found[kind] = Some(FirstRequest { short: kinds[kind].short.clone(), text });
    }

    fn written(&mut self, script: &Script, action: usize) -> Result<String, Failed> {
        let values = &self.session.values;
        let bytes = match &script.actions[action] {
            Action::Request(request) => {
                request.compose(&mut self.message, values, None)?;
                self.message.request.clone()
            }
            Action::Http(http) => http.written(values, &self.session.wires)?,
            Action::Sql(sql) => sql.written(values)?.into_bytes(),
        };
        let mut text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        for (encoded, plain) in &self.unset {
            text = text.replace(encoded, plain);
        }
        if text.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        Ok(text.trim_end().to_owned())
    }
}
