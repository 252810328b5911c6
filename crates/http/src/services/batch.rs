//! `{service}/_/batch`: a service that writes, run for each element of an array, with a result for each.

use std::sync::Arc;
use std::time::Instant;

use duet_model::Error;
use duet_model::commit_class::CommitPolicy;
use duet_service::declared_parameters;
use duet_service::query::Parameters;
use duet_service::services::PathValues;
use duet_service::write::StoredAnswer;
use duet_service::{ServiceBatch, ServiceOutcomes, ServiceResource};
use duet_text::json::{Json, JsonKind};
use hyper::header::LOCATION;

use super::service::{ServiceAnswers, admit, admit_at};
use crate::answer::declared;
use crate::answer::refusal::Refusal;
use crate::answer::reply::{Content, Reply};
use crate::message::prefer::Preferences;
use crate::message::subpath::BATCH;
use crate::profiles::{self, ErrorForm};
use crate::request::scope::Scope;
use crate::resources::batch::{check_array, is_atomic};
use crate::resources::idempotency::Answers;

/// Which service to run, and with what.
pub(crate) struct ServiceBatchPlan<'r> {
    scope: &'r Scope<'r>,
    batch: ServiceBatch,
    preferences: Preferences,
}

/// Plans a batch of a service that writes: its caller may run the service, and the batch.
///
/// # Errors
/// As [`service::plan`](super::service::plan).
pub(crate) async fn plan<'r>(
    scope: &'r Scope<'r>,
    service: &'r Arc<ServiceResource>,
    given: &'r PathValues<'r>,
) -> Result<ServiceBatchPlan<'r>, Refusal> {
    let path = scope.request.uri().path().trim_end_matches('/');
    admit_at(scope, service, path.strip_suffix(BATCH).unwrap_or(path))?;
    admit(scope, service)?;
    scope.is_in_class(service.file.class);
    Box::pin(ServiceBatchPlan::of(scope, service, given)).await
}

impl<'r> ServiceBatchPlan<'r> {
    /// Reads the items. That the caller may run the service has been checked.
    ///
    /// # Errors
    /// For wrong headers and parameters, and where the body is no array of one element at least.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        service: &Arc<ServiceResource>,
        given: &PathValues<'_>,
    ) -> Result<Self, Refusal> {
        scope.check_accept()?;
        scope.check_writes()?;
        let parameters =
            Parameters::parse(scope.request.uri().query(), &declared_parameters::OF_BATCHES)?;
        let atomic = is_atomic(&parameters)?;
        let preferences = scope.preferences(&CommitPolicy::default(), service.name())?;
        let text = scope.json_body().await?;
        let body = scope.any_json(text, 1).await?;
        check_array(scope, &body)?;
        let items = ServiceBatch::items(service, given, &body);
        let (service, dry_run) = (Arc::clone(service), preferences.rollback());
        let batch = ServiceBatch { service, items, atomic, dry_run };
        Ok(Self { scope, batch, preferences })
    }

    /// Runs it.
    ///
    /// # Errors
    /// Whatever concerns all items; for an atomic batch the first failure.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, batch, preferences } = self;
        let service = Arc::clone(&batch.service);
        let base = format!("{}{}", scope.origin, scope.mount.path);
        let answers = BatchAnswers {
            each: ServiceAnswers { service, base, preferences },
            preferences,
            form: profiles::errors_of(scope.service()),
            request: scope.arrived().id.to_string(),
        };
        let name = format!("{}/{BATCH}", batch.service.name());
        let once = scope.once(&answers, &name)?;
        let written = scope.reader().run_service_batch(batch, once).await?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How a batch of a service is answered.
#[derive(Clone)]
struct BatchAnswers {
    /// How the service answers each single item.
    each: ServiceAnswers,
    preferences: Preferences,
    form: &'static dyn ErrorForm,
    /// The id of the request, for the problems of items.
    request: String,
}

impl Answers<ServiceOutcomes> for BatchAnswers {
    fn reply(&self, outcomes: ServiceOutcomes) -> Reply {
        let mut out = String::from("[");
        for (index, outcome) in outcomes.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match outcome {
                Ok(answer) => {
                    let is_json = declared::is_json(&self.each.service.file);
                    let minimal = self.preferences.minimal();
                    item(&self.each.reply(answer), minimal, is_json, &mut out);
                }
                Err(error) => {
                    let status = self.form.status(error.code);
                    let problem = self.form.problem(&error, &self.request);
                    let problem = String::from_utf8_lossy(&problem);
                    out.push_str(&format!("{{\"status\":{status},\"problem\":{problem}}}"));
                }
            }
        }
        out.push(']');
        let shows = !self.preferences.minimal();
        self.preferences.applied(Reply::json(out.into_bytes()), Some(shows))
    }

    /// Who may run it may see what it answers.
    fn withheld(&self, _: &StoredAnswer) -> Result<Option<Reply>, Error> {
        Ok(None)
    }
}

/// The result of an item: the service's response to it alone.
fn item(reply: &Reply, minimal: bool, is_json: bool, out: &mut String) {
    out.push_str(&format!("{{\"status\":{}", reply.status.as_u16()));
    let location = reply.headers.iter().find(|(name, _)| *name == LOCATION);
    if let Some(location) = location.and_then(|(_, value)| value.to_str().ok()) {
        out.push_str(",\"location\":");
        Json::new(JsonKind::Text(location.into())).write(out);
    }
    if let Content::Text(body) = &reply.content
        && !minimal
        && !body.text.is_empty()
    {
        out.push_str(",\"body\":");
        let text = String::from_utf8_lossy(&body.text);
        match is_json {
            true => out.push_str(&text),
            false => Json::new(JsonKind::Text(text)).write(out),
        }
    }
    out.push('}');
}
