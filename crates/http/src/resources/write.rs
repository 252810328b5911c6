//! Writes: `POST` to a collection, `PUT`, `PATCH` and `DELETE` of an item.

use std::sync::Arc;
use std::time::Instant;

use duet_auth::Operation;
use duet_auth::ReadRight;
use duet_document::BodyPurpose;
use duet_model::key::parse_key;
use duet_model::{Code, Error, Place, Value};
use duet_service::Resource;
use duet_service::declared_parameters;
use duet_service::query::{Parameters, UnknownParameters};
use duet_service::write::{
    Addresses, Conditions, DocumentOperation, DocumentWrite, OwnedLinks, SelectionChange,
    SelectionWrite, StoredAnswer, Tags, WriteMode, WriteOutcome, WrittenDocument,
};
use hyper::header::{CONTENT_LOCATION, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, LOCATION};
use hyper::{HeaderMap, Method, StatusCode};

use super::array::{self, ArrayOptions, ArrayPlan};
use super::idempotency::Answers;
use super::ingest;
use super::parse::in_body;
use super::plan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::header::list;
use crate::message::media::JSON;
use crate::message::prefer::Preferences;
use crate::profiles;
use crate::request::body;
use crate::request::scope::Scope;

/// The media type of a merge patch (RFC 7396).
const MERGE_PATCH: &str = "application/merge-patch+json";

/// Why a request has no condition, and what else there is: it makes new documents.
pub(crate) const MAKES_NEW: &str = "makes new ones";
/// What takes one.
pub(crate) const CHANGE_BY_PUT: &str = "send it with PUT or PATCH of the document";

/// Whether a method changes something.
pub(crate) fn is_write(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH | Method::DELETE)
}

/// The right that a method needs.
pub(crate) fn operation(method: &Method) -> Operation {
    match *method {
        Method::POST => Operation::Insert,
        Method::DELETE => Operation::Delete,
        _ => Operation::Update,
    }
}

/// What to write.
pub(crate) enum WritePlan<'r> {
    Document(DocumentPlan<'r>),
    Array(ArrayPlan<'r>),
    Selection(SelectionPlan<'r>),
}

/// Which document to write.
pub(crate) struct DocumentPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    write: DocumentWrite,
    preferences: Preferences,
}

/// Which documents to change or remove: those that `q` selects.
pub(crate) struct SelectionPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    right: ReadRight<'r>,
    write: SelectionWrite,
    preferences: Preferences,
}

impl<'r> WritePlan<'r> {
    /// Reads the body. The caller's right to write has been checked.
    ///
    /// # Errors
    /// For wrong headers and parameters, and where the body cannot be read or does not fit.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        tail: &'r str,
        links: OwnedLinks,
    ) -> Result<Self, Refusal> {
        let by_filter = tail.is_empty() && *scope.request.method() != Method::POST;
        let profile = profiles::of(resource.collection_profile());
        let known: &[&str] = match by_filter {
            true => &declared_parameters::OF_SELECTIONS,
            false => profile.write_parameters(),
        };
        let others = UnknownParameters::of(resource.shape.style.profile);
        let parameters = Parameters::read(scope.request.uri().query(), known, others)?;
        let explain = parameters.explain()?;
        let preferences = scope.preferences(&resource.commit, &resource.name)?;
        let may_read = scope.may_read(resource, tail, explain)?;
        let mode = WriteMode { dry_run: preferences.rollback(), explain };
        if by_filter {
            let plan = SelectionPlan::of(scope, resource, &parameters, mode, preferences).await;
            return plan.map(Self::Selection);
        }
        if *scope.request.method() == Method::POST && others == UnknownParameters::Refused {
            scope.reject_conditions(MAKES_NEW, CHANGE_BY_PUT)?;
        }
        let operation = scope.operation(resource, tail).await?;
        if let DocumentOperation::Create { body } = &operation
            && body.is_list()
        {
            let options = ArrayOptions { mode, preferences, may_read };
            return ArrayPlan::of(scope, resource, &links, body, options).map(Self::Array);
        }
        let write = DocumentWrite {
            resource: Arc::clone(resource),
            operation,
            conditions: scope.conditions(),
            mode,
            may_read,
            links,
        };
        Ok(Self::Document(DocumentPlan { scope, resource, write, preferences }))
    }

    /// Writes it.
    ///
    /// # Errors
    /// Whatever the document, its conditions or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        match self {
            Self::Document(plan) => plan.answer().await,
            Self::Array(plan) => plan.answer().await,
            Self::Selection(plan) => plan.answer().await,
        }
    }
}

impl DocumentPlan<'_> {
    async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, resource, write, preferences } = self;
        if let DocumentOperation::Create { body } = &write.operation
            && !write.mode.explain
        {
            let (bodies, may_read) = (std::slice::from_ref(body), write.may_read);
            let accepted =
                ingest::accepted(scope, resource, bodies, false, preferences, may_read).await?;
            if let Some(reply) = accepted {
                return Ok(reply);
            }
        }
        let answers = DocumentAnswers {
            resource: Arc::clone(resource),
            addresses: Arc::clone(&write.links.addresses),
            may_read: write.may_read,
            deletes: matches!(write.operation, DocumentOperation::Delete { .. }),
            preferences,
        };
        let once = scope.once(&answers, &resource.name)?;
        let written = scope.reader().write(write, once).await.map_err(in_body)?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How the write of a document is answered.
#[derive(Clone)]
struct DocumentAnswers {
    resource: Arc<Resource>,
    addresses: Arc<Addresses>,
    may_read: bool,
    /// Whether a document goes, of which nothing is shown.
    deletes: bool,
    preferences: Preferences,
}

impl Answers<WriteOutcome> for DocumentAnswers {
    fn reply(&self, outcome: WriteOutcome) -> Reply {
        let Self { resource, addresses, may_read, preferences, .. } = self;
        let may_read = *may_read;
        // A change of a collection's document is answered without it, as those of ORDS's tables are with it.
        let is_new = matches!(outcome, WriteOutcome::Created(_) | WriteOutcome::Added);
        let shows = may_read && !matches!(outcome, WriteOutcome::Added);
        let silent = resource.collection.is_some() && !is_new;
        let minimal = preferences.minimal() || silent;
        let profile = profiles::of(resource.collection_profile());
        let of_collection = profile.location(&addresses.collection);
        let written = |status, document| written(status, document, of_collection, minimal);
        let reply = match outcome {
            WriteOutcome::Added => Reply::empty(StatusCode::CREATED),
            WriteOutcome::Created(_) if !may_read => Reply::empty(StatusCode::CREATED),
            WriteOutcome::Changed(_) if !may_read => Reply::empty(StatusCode::NO_CONTENT),
            WriteOutcome::Created(document) => written(StatusCode::CREATED, document),
            WriteOutcome::Changed(document) => written(StatusCode::OK, document),
            WriteOutcome::Deleted if minimal => Reply::empty(StatusCode::NO_CONTENT),
            WriteOutcome::Deleted => {
                let reply = Reply::json(br#"{"rowsDeleted":1}"#.to_vec());
                return preferences.applied(reply, None);
            }
            WriteOutcome::Planned(plan) => {
                let reply = Reply::plan(plan::json(&resource.shape, &plan));
                return preferences.applied(reply, None);
            }
        };
        preferences.applied(reply, Some(shows && !minimal))
    }

    fn withheld(&self, stored: &StoredAnswer) -> Result<Option<Reply>, Error> {
        if self.may_read || self.deletes {
            return Ok(None);
        }
        let outcome = match StatusCode::from_u16(stored.status) {
            Ok(StatusCode::CREATED) => WriteOutcome::Created(None),
            _ => WriteOutcome::Changed(None),
        };
        Ok(Some(self.reply(outcome)))
    }
}

impl<'r> SelectionPlan<'r> {
    async fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        parameters: &Parameters<'_>,
        mode: WriteMode,
        preferences: Preferences,
    ) -> Result<Self, Refusal> {
        let right = scope.read_right(resource)?;
        let Some(q) = parameters.text("q")? else {
            let message = "A change of a whole collection needs `q`, which says of which documents; {} are all.";
            return Err(Error::new(Code::BadParameter, message)
                .at(Place::Parameter("q".to_owned()))
                .into());
        };
        scope.reject_conditions("may change several", "put the condition into `q`")?;
        let change = if *scope.request.method() == Method::PATCH {
            check_patch(scope.request.headers())?;
            let body = scope.text_body().await?;
            SelectionChange::Patch(scope.checked(resource, body, BodyPurpose::Patch).await?)
        } else {
            SelectionChange::Delete
        };
        let write = SelectionWrite { resource: Arc::clone(resource), q, change, mode };
        Ok(Self { scope, resource, right, write, preferences })
    }

    async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, resource, right, write, preferences } = self;
        let answers = SelectionAnswers {
            resource: Arc::clone(resource),
            explain: write.mode.explain,
            patches: *scope.request.method() == Method::PATCH,
            preferences,
        };
        let once = scope.once(&answers, &resource.name)?;
        let written = scope.reader().write_selected(right, write, once).await?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How a write by filter is answered.
#[derive(Clone)]
struct SelectionAnswers {
    resource: Arc<Resource>,
    explain: bool,
    patches: bool,
    preferences: Preferences,
}

impl Answers<Vec<WriteOutcome>> for SelectionAnswers {
    fn reply(&self, outcomes: Vec<WriteOutcome>) -> Reply {
        let Self { resource, explain, patches, preferences } = self;
        let reply = if *explain {
            let plans = outcomes.iter().filter_map(|outcome| match outcome {
                WriteOutcome::Planned(plan) => Some(plan::json(&resource.shape, plan)),
                _ => None,
            });
            let plans: Vec<Vec<u8>> = plans.collect();
            Reply::plan([b"[", plans.join(&b","[..]).as_slice(), b"]"].concat())
        } else {
            let name = if *patches { "rowsUpdated" } else { "rowsDeleted" };
            Reply::json(format!("{{\"{name}\":{}}}", outcomes.len()).into_bytes())
        };
        preferences.applied(reply, None)
    }

    /// It has counts alone.
    fn withheld(&self, _: &StoredAnswer) -> Result<Option<Reply>, Error> {
        Ok(None)
    }
}

impl Scope<'_> {
    /// Whether the caller may see the written document. A plan shows it too.
    pub(crate) fn may_read(
        &self,
        resource: &Resource,
        tail: &str,
        explain: bool,
    ) -> Result<bool, Refusal> {
        match self.admit(&resource.access, Operation::Read, &resource.name, tail) {
            Err(refused) if explain => Err(refused),
            admitted => Ok(admitted.is_ok()),
        }
    }

    /// The write, with its body.
    async fn operation(
        &self,
        resource: &Arc<Resource>,
        tail: &str,
    ) -> Result<DocumentOperation, Refusal> {
        let method = self.request.method();
        let profile = profiles::of(resource.collection_profile());
        let key = match tail {
            "" => Vec::new(),
            tail => item_key(resource, tail).map_err(|error| profile.malformed_key(error))?,
        };
        Ok(match *method {
            Method::POST => {
                let text = self.json_body().await?;
                DocumentOperation::Create {
                    body: match array::is_array(&text) {
                        true => self.checked_array(resource, text).await?,
                        false => self.checked(resource, text, BodyPurpose::New).await?,
                    },
                }
            }
            Method::PUT => {
                let may_create =
                    resource.access.allows(self.who, Operation::Insert, tail).is_allowed();
                let body = self.json_body().await?;
                let body = self.checked(resource, body, BodyPurpose::Whole).await?;
                DocumentOperation::Replace { key, body, may_create }
            }
            Method::PATCH => {
                check_patch(self.request.headers())?;
                let body = self.text_body().await?;
                DocumentOperation::Patch {
                    key,
                    body: self.checked(resource, body, BodyPurpose::Patch).await?,
                }
            }
            _ => DocumentOperation::Delete { key },
        })
    }

    /// A JSON body, as text.
    pub(crate) async fn json_body(&self) -> Result<Arc<str>, Refusal> {
        body::check_json(self.request.headers())?;
        self.text_body().await
    }

    /// A JSON body, as text; empty where none was sent, whatever its type is said to be.
    pub(crate) async fn json_or_nothing(&self) -> Result<Arc<str>, Refusal> {
        let text = self.text_body().await?;
        if !text.is_empty() {
            body::check_json(self.request.headers())?;
        }
        Ok(text)
    }

    async fn text_body(&self) -> Result<Arc<str>, Refusal> {
        let bytes = self.arrived().body().await?;
        self.text_of(bytes).await
    }

    /// Refuses conditions in the headers of a request that has no stored document which they could be about: what it does,
    /// and what else a caller can do.
    pub(crate) fn reject_conditions(&self, does: &str, instead: &str) -> Result<(), Refusal> {
        let headers = self.request.headers();
        let known = [(IF_MATCH, "If-Match"), (IF_NONE_MATCH, "If-None-Match")];
        let sent = known.into_iter().filter(|(header, _)| headers.contains_key(header));
        let names: Vec<&str> = sent.map(|(_, name)| name).collect();
        if names.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{} is a condition of one stored document, and this request {does}. Leave it out, or {instead}.",
            names.join(" or ")
        );
        Err(Error::new(Code::BadRequest, message).into())
    }

    /// The conditions in the headers.
    fn conditions(&self) -> Conditions {
        let headers = self.request.headers();
        let text = |name: &HeaderName| {
            list(headers, name).map(|value| String::from_utf8_lossy(&value).into_owned())
        };
        Conditions {
            if_match: text(&IF_MATCH).map(|value| Tags::parse(&value)),
            if_none_match: text(&IF_NONE_MATCH).map(|value| Tags::parse_weak(&value)),
            required: self.service().write_limits().require_etag,
        }
    }
}

fn item_key(resource: &Resource, tail: &str) -> Result<Vec<Value>, Error> {
    if tail.contains('/') {
        return Err(Error::new(Code::NotServed, "Items have nothing below them."));
    }
    parse_key(&resource.shape, tail)
}

fn check_patch(headers: &HeaderMap) -> Result<(), Error> {
    body::check_encoding(headers)?;
    let media = body::media_type(headers).unwrap_or("");
    if [MERGE_PATCH, JSON].iter().any(|taken| media.eq_ignore_ascii_case(taken)) {
        return Ok(());
    }
    let message = "A patch is a JSON merge patch, sent with Content-Type: \
                   application/merge-patch+json or application/json.";
    Err(Error::new(Code::UnsupportedMediaType, message))
}

/// The answer with a document that was written, and where it is.
fn written(
    status: StatusCode,
    document: Option<WrittenDocument>,
    collection: &str,
    minimal: bool,
) -> Reply {
    // It is written, and the resource does not show it.
    let Some(WrittenDocument { document, key }) = document else {
        return Reply::empty(StatusCode::NO_CONTENT);
    };
    let mut reply = match minimal {
        true if status == StatusCode::OK => Reply::empty(StatusCode::NO_CONTENT),
        true => Reply::empty(status),
        false => Reply { status, ..Reply::text(document.body) },
    };
    // A row without a key has no address.
    let Some(key) = key else { return reply };
    reply.etag = Some(document.etag);
    let Ok(place) = HeaderValue::try_from([collection, &key].concat()) else { return reply };
    reply = reply.with(CONTENT_LOCATION, place.clone());
    if status == StatusCode::CREATED { reply.with(LOCATION, place) } else { reply }
}
