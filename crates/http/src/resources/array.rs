//! `POST` of an array to a collection: several new documents in one transaction.

use std::sync::Arc;
use std::time::Instant;

use duet_model::{Code, Error, Place};
use duet_service::Resource;
use duet_service::write::{
    Conditions, DocumentOperation, OwnedLinks, StoredAnswer, TransactionOperation, WriteMode,
    WriteOutcome,
};
use duet_text::json::body::Body;
use hyper::StatusCode;

use super::idempotency::Answers;
use super::ingest;
use super::plan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::media::JSON;
use crate::message::prefer::Preferences;
use crate::request::scope::Scope;

/// Whether a body is an array.
pub(crate) fn is_array(body: &str) -> bool {
    body.trim_start().starts_with('[')
}

/// Which documents to make.
pub(crate) struct ArrayPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    operations: Vec<TransactionOperation>,
    mode: WriteMode,
    preferences: Preferences,
    may_read: bool,
}

/// How the documents of an array are made.
#[derive(Clone, Copy)]
pub(crate) struct ArrayOptions {
    pub(crate) mode: WriteMode,
    pub(crate) preferences: Preferences,
    pub(crate) may_read: bool,
}

impl<'r> ArrayPlan<'r> {
    /// A document of each element of an array.
    ///
    /// # Errors
    /// Where the array has too many elements.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        links: &OwnedLinks,
        body: &Body,
        options: ArrayOptions,
    ) -> Result<Self, Refusal> {
        let ArrayOptions { mode, preferences, may_read } = options;
        check_count(scope, body)?;
        let operations = body.elements().map(|body| TransactionOperation {
            resource: Arc::clone(resource),
            operation: DocumentOperation::Create { body },
            conditions: Conditions::default(),
            may_read,
            links: links.clone(),
        });
        let operations = operations.collect();
        Ok(Self { scope, resource, operations, mode, preferences, may_read })
    }

    /// Makes all of them, or none.
    ///
    /// # Errors
    /// Whatever a document or the database says.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, resource, operations, mode, preferences, may_read } = self;
        if preferences.journal().is_some() && !mode.explain {
            let bodies = operations.iter().filter_map(|operation| match &operation.operation {
                DocumentOperation::Create { body } => Some(body.clone()),
                _ => None,
            });
            let bodies: Vec<Body> = bodies.collect();
            let accepted =
                ingest::accepted(scope, resource, &bodies, true, preferences, may_read).await?;
            if let Some(reply) = accepted {
                return Ok(reply);
            }
        }
        let resource = Arc::clone(resource);
        let answers = ArrayAnswers { resource, explain: mode.explain, preferences, may_read };
        let once = scope.once(&answers, &answers.resource.name)?;
        let written = scope.reader().create_all(operations, mode, once).await?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How the documents of an array are answered.
#[derive(Clone)]
struct ArrayAnswers {
    resource: Arc<Resource>,
    explain: bool,
    preferences: Preferences,
    may_read: bool,
}

impl Answers<Vec<WriteOutcome>> for ArrayAnswers {
    fn reply(&self, outcomes: Vec<WriteOutcome>) -> Reply {
        let Self { resource, explain, preferences, may_read } = self;
        if *explain {
            let plans = outcomes.iter().map(|outcome| match outcome {
                WriteOutcome::Planned(plan) => plan::json(&resource.shape, plan),
                _ => b"null".to_vec(),
            });
            return preferences.applied(Reply::plan(array_of(plans)), None);
        }
        let is_unseen = outcomes.iter().any(|outcome| matches!(outcome, WriteOutcome::Added));
        if preferences.minimal() || !may_read || is_unseen {
            let reply = Reply::empty(StatusCode::CREATED);
            return preferences.applied(reply, Some(false));
        }
        let documents = outcomes.into_iter().map(|outcome| match outcome {
            WriteOutcome::Created(Some(written)) => written.document.body.text,
            // It is written, and the resource does not show it.
            _ => b"null".to_vec(),
        });
        let reply = Reply::new(StatusCode::CREATED, Some(JSON), array_of(documents));
        preferences.applied(reply, Some(true))
    }

    fn withheld(&self, _: &StoredAnswer) -> Result<Option<Reply>, Error> {
        Ok((!self.may_read).then(|| self.reply(Vec::new())))
    }
}

/// Refuses an array of more documents than a request may make.
pub(crate) fn check_count(scope: &Scope<'_>, body: &Body) -> Result<(), Error> {
    let limits = scope.service().write_limits();
    if body.elements().count() <= limits.operations {
        return Ok(());
    }
    let message = format!(
        "A request may make {} documents at once (`--max-operations`). Nothing was changed.",
        limits.operations
    );
    Err(Error::new(Code::TooManyDocuments, message)
        .hint("Send fewer, or load them in bulk: POST to batchload below the collection.")
        .at(Place::Pointer(String::new())))
}

/// JSON texts as an array.
fn array_of(elements: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let elements: Vec<Vec<u8>> = elements.collect();
    [b"[", elements.join(&b","[..]).as_slice(), b"]"].concat()
}
