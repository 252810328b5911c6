//! `POST {resource}/_/batch`: many new documents, with a result for each.
//!
//! The path is below `_`, so no key collides with it. `atomic` is false by default, because a
//! `POST` of an array is atomic already.

use std::sync::Arc;
use std::time::Instant;

use duet_model::{Code, Error, Place};
use duet_service::Resource;
use duet_service::declared_parameters;
use duet_service::query::Parameters;
use duet_service::write::{
    Addresses, BatchOutcomes, BatchWrite, NewItem, OwnedLinks, StoredAnswer,
};
use duet_text::json::body::Body;

use super::array;
use super::idempotency::Answers;
use super::transaction;
use super::write::{CHANGE_BY_PUT, MAKES_NEW};
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::prefer::Preferences;
use crate::profiles::{self, ErrorForm};
use crate::request::scope::Scope;

/// Which documents to make.
pub(crate) struct BatchPlan<'r> {
    scope: &'r Scope<'r>,
    write: BatchWrite,
    preferences: Preferences,
}

impl<'r> BatchPlan<'r> {
    /// Reads the documents. That the caller may insert has been checked.
    ///
    /// # Errors
    /// For wrong headers and parameters, where the body is no array of one document at least, and for an
    /// atomic batch where a document does not fit.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        resource: &Arc<Resource>,
        links: OwnedLinks,
    ) -> Result<Self, Refusal> {
        let parameters =
            Parameters::parse(scope.request.uri().query(), &declared_parameters::OF_BATCHES)?;
        let atomic = is_atomic(&parameters)?;
        scope.reject_conditions(MAKES_NEW, CHANGE_BY_PUT)?;
        let preferences = scope.preferences(&resource.commit, &resource.name)?;
        let may_read = scope.may_read(resource, "", false)?;
        let text = scope.json_body().await?;
        let body = match atomic && array::is_array(&text) {
            true => scope.checked_array(resource, text).await?,
            false => scope.any_json(text, 1).await?,
        };
        check_array(scope, &body)?;
        let items = match atomic {
            true => body.elements().map(NewItem::from).map(Ok).collect(),
            false => scope.checked_items(resource, &body).await?,
        };
        let (resource, dry_run) = (Arc::clone(resource), preferences.rollback());
        let write = BatchWrite { resource, items, atomic, dry_run, may_read, links };
        Ok(Self { scope, write, preferences })
    }

    /// Makes them.
    ///
    /// # Errors
    /// Whatever concerns all of them; for an atomic batch the first failure.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, write, preferences } = self;
        let answers = BatchAnswers {
            resource: Arc::clone(&write.resource),
            addresses: Arc::clone(&write.links.addresses),
            may_read: write.may_read,
            preferences,
            form: profiles::errors_of(scope.service()),
            request: scope.arrived().id.to_string(),
        };
        let once = scope.once(&answers, &answers.resource.name)?;
        let written = scope.reader().write_batch(write, once).await?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How a batch is answered.
#[derive(Clone)]
struct BatchAnswers {
    resource: Arc<Resource>,
    addresses: Arc<Addresses>,
    may_read: bool,
    preferences: Preferences,
    form: &'static dyn ErrorForm,
    /// The id of the request, for the problems of documents.
    request: String,
}

impl Answers<BatchOutcomes> for BatchAnswers {
    fn reply(&self, outcomes: BatchOutcomes) -> Reply {
        let Self { resource, addresses, may_read, preferences, form, request } = self;
        let shows = *may_read && preferences.representation();
        let mut out = String::from("[");
        for (index, outcome) in outcomes.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match outcome {
                Ok(outcome) => {
                    let collection = &addresses.collection;
                    transaction::answer(resource, collection, outcome, !shows, *may_read, &mut out);
                }
                Err(error) => {
                    let problem = form.problem(&error, request);
                    let problem = String::from_utf8_lossy(&problem);
                    let status = form.status(error.code);
                    out.push_str(&format!("{{\"status\":{status},\"problem\":{problem}}}"));
                }
            }
        }
        out.push(']');
        preferences.applied(Reply::json(out.into_bytes()), Some(shows))
    }

    fn withheld(&self, stored: &StoredAnswer) -> Result<Option<Reply>, Error> {
        if self.may_read {
            return Ok(None);
        }
        let body = transaction::withheld(&stored.body, |_| false)?;
        Ok(Some(self.preferences.applied(Reply::json(body), Some(false))))
    }
}

/// Whether one failure rolls back all. False by default: `POST` of an array does that already.
pub(crate) fn is_atomic(parameters: &Parameters<'_>) -> Result<bool, Error> {
    match parameters.text("atomic")?.as_deref() {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::new(Code::BadParameter, "`atomic` is true or false.")
            .at(Place::Parameter("atomic".to_owned()))),
    }
}

/// Refuses other JSON than an array, an empty array, and one with too many elements.
pub(crate) fn check_array(scope: &Scope<'_>, body: &Body) -> Result<(), Error> {
    if !body.is_list() || body.elements().next().is_none() {
        let message = "The body of a batch is an array of one document at least.";
        return Err(Error::new(Code::MemberValue, message).at(Place::Pointer(String::new())));
    }
    array::check_count(scope, body)
}
