//! `POST {mount}/_/transaction`: several documents written in one transaction.
//!
//! The body is an array of operations, `{"method", "path", "ifMatch", "body"}`; the answer an array
//! with the status, etag, place and body of each.

use std::sync::Arc;
use std::time::Instant;

use duet_auth::Operation;
use duet_model::key::{parse_key, percent_decode};
use duet_model::{Code, Error, Place};
use duet_service::declared_parameters;
use duet_service::query::{Mistakes, Parameters};
use duet_service::write::{
    Addresses, Conditions, DocumentOperation, StoredAnswer, Tags, TransactionOperation, WriteMode,
    WriteOutcome,
};
use duet_service::{Mount, Resource, below};
use duet_text::json::body::Body;
use duet_text::json::cursor::Cursor;
use duet_text::json::{Json, JsonKind, JsonLimits, STORED};
use duet_text::problem::quoted;
use hyper::{Method, StatusCode};

use super::idempotency::Answers;
use super::parse::in_body;
use super::plan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::message::prefer::Preferences;
use crate::request::scope::Scope;

/// The path of transactions below the mount, by which their idempotency keys are scoped.
const PATH: &str = "_/transaction";

/// The members of an operation.
const MEMBERS: [&str; 4] = ["method", "path", "ifMatch", "body"];

/// More levels than a document that a client may send, or a database stores, has.
const STORED_DEPTH: usize = 2000;

/// Where an operation leads: the mount, the resource, and the key below it.
type OperationPlace<'m, 'p> = (&'m Mount, Arc<Resource>, &'p str);

/// What to write in one transaction.
pub(crate) struct TransactionPlan<'r> {
    scope: &'r Scope<'r>,
    operations: Vec<TransactionOperation>,
    preferences: Preferences,
    explain: bool,
}

impl<'r> TransactionPlan<'r> {
    /// Reads the operations, and sees that the caller may do them.
    ///
    /// # Errors
    /// For other methods, wrong headers and parameters, and where the body cannot be read or an
    /// operation may not be.
    pub(crate) async fn of(scope: &'r Scope<'r>) -> Result<Self, Refusal> {
        if let Some(refused) = scope.reject_anonymous() {
            return Err(refused);
        }
        if scope.request.method() != Method::POST {
            return Err(Refusal::method(Methods::POST));
        }
        scope.check_accept()?;
        scope.check_writes()?;
        let parameters =
            Parameters::parse(scope.request.uri().query(), &declared_parameters::OF_WRITES)?;
        let explain = parameters.explain()?;
        scope.reject_conditions("writes several", "give each operation its `ifMatch`")?;
        // Wrong ones are refused before the body is read.
        Preferences::of(scope.request.headers())?;
        let text = scope.json_body().await?;
        // The array and the operation around each document.
        let body = scope.any_json(text, 2).await?;
        let (operations, mistakes) = scope.operations_of(&body, explain)?;
        let operations = scope.checked_operations(&body, operations, mistakes).await?;
        let resources = operations.iter().map(|one| (&one.resource.commit, &*one.resource.name));
        let preferences = scope.preferences_of(resources)?;
        Ok(Self { scope, operations, preferences, explain })
    }

    /// Writes all of them, or nothing.
    ///
    /// # Errors
    /// Whatever an operation or the database says.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, operations, preferences, explain } = self;
        let answers = |operation: &TransactionOperation| {
            let addresses = Arc::clone(&operation.links.addresses);
            (Arc::clone(&operation.resource), addresses, operation.may_read)
        };
        let resources: Vec<_> = operations.iter().map(answers).collect();
        let mode = WriteMode { dry_run: preferences.rollback(), explain };
        let answers = TransactionAnswers { resources, preferences, explain };
        let once = scope.once(&answers, PATH)?;
        let written = scope.reader().write_transaction(operations, mode, once).await;
        let written = written.map_err(in_body)?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How a transaction is answered.
#[derive(Clone)]
struct TransactionAnswers {
    /// For each operation the resource, its addresses, and whether the caller may read it.
    resources: Vec<(Arc<Resource>, Arc<Addresses>, bool)>,
    preferences: Preferences,
    explain: bool,
}

impl Answers<Vec<WriteOutcome>> for TransactionAnswers {
    fn reply(&self, outcomes: Vec<WriteOutcome>) -> Reply {
        let Self { resources, preferences, explain } = self;
        let mut out = String::from("[");
        for (index, (outcome, (resource, addresses, may_read))) in
            outcomes.into_iter().zip(resources).enumerate()
        {
            if index > 0 {
                out.push(',');
            }
            let minimal = preferences.minimal() || !may_read;
            answer(resource, &addresses.collection, outcome, minimal, *may_read, &mut out);
        }
        out.push(']');
        let shows = !preferences.minimal() && resources.iter().all(|(.., may_read)| *may_read);
        let representation = (!*explain).then_some(shows);
        preferences.applied(Reply::json(out.into_bytes()), representation)
    }

    fn withheld(&self, stored: &StoredAnswer) -> Result<Option<Reply>, Error> {
        let may_read = |index: usize| self.resources.get(index).is_some_and(|one| one.2);
        if (0..self.resources.len()).all(may_read) {
            return Ok(None);
        }
        let body = withheld(&stored.body, may_read)?;
        Ok(Some(self.preferences.applied(Reply::json(body), Some(false))))
    }
}

impl Scope<'_> {
    /// Reads the operations of a body, with their places, and what is wrong with the others.
    ///
    /// # Errors
    /// For a body that is no list of so many, and for the first operation that the caller may not do.
    fn operations_of(
        &self,
        body: &Body,
        explain: bool,
    ) -> Result<(Vec<(usize, TransactionOperation)>, Mistakes), Refusal> {
        let limits = self.service().write_limits();
        if !body.is_list() {
            return Err(wrong("", "The body of a transaction is an array of operations.").into());
        }
        if body.elements().count() > limits.operations {
            let message = format!("A transaction has {} operations at most.", limits.operations);
            return Err(wrong("", &message).into());
        }
        let (mut operations, mut mistakes) = (Vec::new(), Mistakes::default());
        for (index, given) in body.elements().enumerate() {
            match self.operation_of(&given, &format!("/{index}"), explain) {
                Ok(operation) => operations.push((index, operation)),
                Err(refused) if refused.challenge.is_some() => return Err(refused),
                Err(refused) if refused.error.code == Code::Forbidden => return Err(refused),
                Err(refused) => refused.error.mistakes().cloned().for_each(|one| mistakes.add(one)),
            }
        }
        Ok((operations, mistakes))
    }

    /// Reads one operation, and sees that the caller may do it.
    fn operation_of(
        &self,
        given: &Body,
        at: &str,
        explain: bool,
    ) -> Result<TransactionOperation, Refusal> {
        if given.noun() != "an object" {
            return Err(wrong(at, "An operation is an object.").into());
        }
        let mut mistakes = Mistakes::default();
        for name in given.names().filter(|name| !MEMBERS.contains(name)) {
            let message = format!("An operation has no member {}.", quoted(name));
            mistakes.add(wrong(at, &message).hint(format!("It takes {}.", MEMBERS.join(", "))));
        }
        let method = mistakes.value(needed(given, "method", at).map(Some));
        let path = mistakes.value(needed(given, "path", at).map(Some));
        if let Some(method) = &method
            && let Err(error) = check_members(given, method, at)
        {
            mistakes.add(error);
        }
        let tags = mistakes.value(text(given, "ifMatch", at));
        let place = path.as_deref().map(|path| self.place_of(path, at)).transpose();
        let place = mistakes.value(place);
        let kind = |(method, (_, resource, tail)): (&String, &OperationPlace<'_, '_>)| {
            self.kind_of(method, resource, tail, given, at)
        };
        let kind = mistakes.value(method.as_ref().zip(place.as_ref()).map(kind).transpose());
        let (Some((right, operation)), Some((mount, resource, tail))) = (mistakes.or(kind)?, place)
        else {
            return Err(Error::internal("an operation without a place").into());
        };
        self.admit(&resource.access, right, &resource.name, tail)?;
        let conditions = Conditions {
            if_match: tags.map(|tags| Tags::parse(&tags)),
            if_none_match: None,
            required: self.service().write_limits().require_etag,
        };
        let links = self.links(mount, &resource, self.may_edit(&resource, tail, true));
        let may_read = self.may_read(&resource, tail, explain)?;
        Ok(TransactionOperation { resource, operation, conditions, may_read, links })
    }

    /// What an operation does, and the right that it needs.
    fn kind_of(
        &self,
        method: &str,
        resource: &Arc<Resource>,
        tail: &str,
        given: &Body,
        at: &str,
    ) -> Result<(Operation, DocumentOperation), Error> {
        let body = given.member("body");
        let need = || body.clone().ok_or_else(|| wrong(at, "`body` is missing."));
        let key =
            || parse_key(&resource.shape, tail).map_err(|error| error.at(pointer(at, "path")));
        Ok(match (method, tail.is_empty()) {
            ("POST", true) => (Operation::Insert, DocumentOperation::Create { body: need()? }),
            ("PUT", false) => {
                let may_create =
                    resource.access.allows(self.who, Operation::Insert, tail).is_allowed();
                (
                    Operation::Update,
                    DocumentOperation::Replace { key: key()?, body: need()?, may_create },
                )
            }
            ("PATCH", false) => {
                (Operation::Update, DocumentOperation::Patch { key: key()?, body: need()? })
            }
            ("DELETE", false) => (Operation::Delete, DocumentOperation::Delete { key: key()? }),
            _ => {
                let message =
                    "An operation is POST to a collection, or PUT, PATCH or DELETE of an item.";
                return Err(wrong(at, message).at(pointer(at, "method")));
            }
        })
    }

    /// The resource that a path names, relative to the mount or as in links, and the key.
    /// Links may lead below another mount of the application.
    fn place_of<'p>(&self, path: &'p str, at: &str) -> Result<OperationPlace<'_, 'p>, Error> {
        let path = path.strip_prefix(&self.origin.to_string()).unwrap_or(path);
        let (mount, below) = match below(&self.mount.path, path) {
            Some(rest) => (self.mount, rest),
            None => self.elsewhere(path)?.unwrap_or((self.mount, path)),
        };
        let below = below.strip_prefix('/').unwrap_or(below);
        let (first, tail) = below.split_once('/').unwrap_or((below, ""));
        let name = percent_decode(first)?;
        let resource = mount.resource(&name);
        let resource =
            resource.map_err(|error| self.unknown(error, &name).at(pointer(at, "path")))?;
        let tail = tail.strip_suffix('/').filter(|tail| !tail.is_empty()).unwrap_or(tail);
        if tail.contains('/') || tail.contains('?') {
            let message = "The path of an operation is that of a collection or an item.";
            return Err(wrong(at, message).at(pointer(at, "path")));
        }
        Ok((mount, Arc::clone(resource), tail))
    }

    /// The other mount that a path lies below, unless it is relative to this one.
    fn elsewhere<'p>(&self, path: &'p str) -> Result<Option<(&Mount, &'p str)>, Error> {
        let relative = path.strip_prefix('/').unwrap_or(path);
        let first = percent_decode(relative.split('/').next().unwrap_or(relative))?;
        Ok(match self.mount.resource(&first) {
            Ok(_) => None,
            Err(_) => self.snapshot.route(path),
        })
    }
}

/// Appends what one operation or one item of a batch answers.
pub(crate) fn answer(
    resource: &Resource,
    collection: &str,
    outcome: WriteOutcome,
    minimal: bool,
    may_read: bool,
    out: &mut String,
) {
    let (status, document) = match outcome {
        WriteOutcome::Added => {
            out.push_str("{\"status\":201}");
            return;
        }
        WriteOutcome::Created(_) if !may_read => {
            out.push_str("{\"status\":201}");
            return;
        }
        WriteOutcome::Created(document) => (StatusCode::CREATED, document),
        WriteOutcome::Changed(document) => (StatusCode::OK, document),
        WriteOutcome::Deleted if minimal => {
            out.push_str("{\"status\":204}");
            return;
        }
        WriteOutcome::Deleted => {
            out.push_str("{\"status\":200,\"body\":{\"rowsDeleted\":1}}");
            return;
        }
        WriteOutcome::Planned(plan) => {
            let plan = plan::json(&resource.shape, &plan);
            out.push_str(&String::from_utf8_lossy(&plan));
            return;
        }
    };
    let Some(written) = document else {
        out.push_str("{\"status\":204}");
        return;
    };
    let status = match status {
        StatusCode::OK if minimal => StatusCode::NO_CONTENT,
        status => status,
    };
    out.push_str("{\"status\":");
    out.push_str(status.as_str());
    // A row without a key has no address.
    if let Some(key) = &written.key {
        let location = format!("{collection}{key}");
        out.push_str(",\"etag\":");
        Json::new(JsonKind::Text(written.document.etag.trim_matches('"').into())).write(out);
        out.push_str(",\"location\":");
        Json::new(JsonKind::Text(location.into())).write(out);
    }
    if minimal {
        out.push('}');
        return;
    }
    out.push_str(",\"body\":");
    out.push_str(&String::from_utf8_lossy(&written.document.body.text));
    out.push('}');
}

/// What stored operations or items of a batch answered, where `may_read` says which of them the caller
/// may still see; the others are as [`answer`] writes them for those who may not read.
///
/// # Errors
/// Where it is no such list.
pub(crate) fn withheld(stored: &[u8], may_read: impl Fn(usize) -> bool) -> Result<Vec<u8>, Error> {
    let stored =
        std::str::from_utf8(stored).map_err(|_| Error::internal("a stored answer is not UTF-8"))?;
    let mut cursor = Cursor::new(stored, &STORED, JsonLimits::depth(STORED_DEPTH));
    let mut list = cursor.enter()?;
    let mut shown = Vec::new();
    while cursor.element(&mut list)? {
        let element = cursor.skip()?;
        let status = element.strip_prefix("{\"status\":").unwrap_or_default();
        let is_problem = status.get(3..).is_some_and(|rest| rest.starts_with(",\"problem\":"));
        shown.push(match status.get(..3) {
            _ if may_read(shown.len()) || is_problem => element,
            Some("201") => "{\"status\":201}",
            _ => "{\"status\":204}",
        });
    }
    Ok(format!("[{}]", shown.join(",")).into_bytes())
}

/// A text that an operation must have.
fn needed(operation: &Body, name: &str, at: &str) -> Result<String, Error> {
    text(operation, name, at)?.ok_or_else(|| wrong(at, &format!("`{name}` is missing.")))
}

/// Refuses what the method of an operation cannot use.
fn check_members(given: &Body, method: &str, at: &str) -> Result<(), Error> {
    let (name, why) = match method {
        "POST" => ("ifMatch", "a new document has no etag yet"),
        "DELETE" => ("body", "a document is deleted as it is stored"),
        _ => return Ok(()),
    };
    match given.member(name).filter(|value| value.noun() != "null") {
        Some(_) => {
            let message = format!("{method} takes no {}: {why}. Leave it out.", quoted(name));
            Err(wrong(at, &message).at(pointer(at, name)))
        }
        None => Ok(()),
    }
}

fn text(operation: &Body, name: &str, at: &str) -> Result<Option<String>, Error> {
    let Some(value) = operation.member(name) else { return Ok(None) };
    match (value.as_text(), value.noun()) {
        (Some(text), _) => Ok(Some(text.to_owned())),
        (None, "null") => Ok(None),
        (None, other) => {
            let message = format!("{} must be a string, not {other}.", quoted(name));
            Err(wrong(at, &message).at(pointer(at, name)))
        }
    }
}

fn pointer(at: &str, name: &str) -> Place {
    Place::Pointer(format!("{at}/{name}"))
}

fn wrong(at: &str, message: &str) -> Error {
    Error::new(Code::TransactionOperation, message).at(Place::Pointer(at.to_owned()))
}
