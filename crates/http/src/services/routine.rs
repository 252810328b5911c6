//! `POST {mount}/{routine}`: a function or procedure run with arguments by name.

use std::sync::Arc;
use std::time::Instant;

use duet_auth::Operation;
use duet_model::commit_class::CommitPolicy;
use duet_model::{Code, Error};
use duet_service::RoutineResource;
use duet_service::query::{Parameters, UnknownParameters};
use duet_service::write::StoredAnswer;
use duet_text::json::body::Body;
use hyper::{Method, StatusCode};

use super::service;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::message::prefer::Preferences;
use crate::request::scope::Scope;
use crate::resources::idempotency::Answers;
use crate::resources::parse::in_body;

/// Which routine to run, and with what.
pub(crate) struct RoutinePlan<'r> {
    scope: &'r Scope<'r>,
    routine: &'r Arc<RoutineResource>,
    arguments: Body,
    preferences: Preferences,
}

impl<'r> RoutinePlan<'r> {
    /// Reads the arguments. That the caller may run the routine, and that the method does, has been
    /// checked.
    ///
    /// # Errors
    /// For wrong headers and parameters, and where the body cannot be read.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        routine: &'r Arc<RoutineResource>,
    ) -> Result<Self, Refusal> {
        scope.check_accept()?;
        let others = UnknownParameters::of(scope.service().profile());
        Parameters::read(scope.request.uri().query(), &[], others)
            .map_err(|error| error.hint("Send the arguments of a routine in the body."))?;
        let preferences = scope.preferences(&CommitPolicy::default(), &routine.name)?;
        let mut text = scope.json_or_nothing().await?;
        if text.trim().is_empty() {
            text = "{}".into();
        }
        let arguments = scope.any_json(text, 0).await?;
        Ok(Self { scope, routine, arguments, preferences })
    }

    /// Runs it.
    ///
    /// # Errors
    /// Whatever the arguments or the routine say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, routine, arguments, preferences } = self;
        let answers = RoutineAnswers { preferences };
        let once = scope.once(&answers, &routine.name)?;
        let dry_run = preferences.rollback();
        let written = scope.reader().run_routine(routine, &arguments, dry_run, once).await;
        let written = written.map_err(in_body)?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How a routine is answered.
#[derive(Clone)]
struct RoutineAnswers {
    preferences: Preferences,
}

impl Answers<Vec<u8>> for RoutineAnswers {
    fn reply(&self, answer: Vec<u8>) -> Reply {
        self.preferences.applied(Reply::json(answer), None)
    }

    /// Who may run it may see what it answers.
    fn withheld(&self, _: &StoredAnswer) -> Result<Option<Reply>, Error> {
        Ok(None)
    }
}

/// Checks whether a request may run a routine. `None` where it does; else the reply to `OPTIONS`.
///
/// # Errors
/// Where the caller lacks the right, and for other paths and methods.
pub(crate) fn checked(
    scope: &Scope<'_>,
    routine: &RoutineResource,
    tail: &str,
) -> Result<Option<Reply>, Refusal> {
    scope.admit(&routine.access, Operation::Execute, &routine.name, tail)?;
    if !tail.is_empty() {
        return Err(Error::new(Code::NotServed, "Routines have nothing below them.").into());
    }
    let methods = || Methods::RUN.or(service::methods_beside(scope));
    match *scope.request.method() {
        Method::POST => Ok(None),
        Method::OPTIONS => Ok(Some(Reply::empty(StatusCode::NO_CONTENT).allow(methods()))),
        _ => Err(Refusal::method(methods())),
    }
}
