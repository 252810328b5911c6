//! `PATH-batch`: a list of documents written in one transaction, as RMB's modules have it beside a collection.
//!
//! The body is a list as the collection answers it, `{"NAME": […], "totalRecords": n}`. `POST` makes the documents and answers
//! with the list of them, `PUT` replaces each by its `id` and answers 204; one mistake undoes all.

use std::sync::Arc;
use std::time::Instant;

use duet_auth::Operation;
use duet_model::key::parse_key;
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Place};
use duet_service::Resource;
use duet_service::write::{
    Conditions, DocumentOperation, StoredAnswer, TransactionOperation, WriteMode, WriteOutcome,
};
use duet_text::json::body::Body;
use duet_text::json::{Json, JsonKind};
use duet_text::problem::quoted;
use hyper::{Method, StatusCode};

use super::idempotency::Answers;
use super::parse::in_body;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::message::subpath::LIST_BATCH;
use crate::request::scope::Scope;

/// A list of documents to write.
pub(crate) struct ListWritePlan<'r> {
    scope: &'r Scope<'r>,
    operations: Vec<TransactionOperation>,
    /// The name of the list.
    list: Arc<str>,
    path: String,
    is_new: bool,
}

impl<'r> ListWritePlan<'r> {
    /// Reads the documents, and sees that the caller may write them.
    ///
    /// # Errors
    /// For other methods, and where the body cannot be read or a document may not be written.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
    ) -> Result<Self, Refusal> {
        if let Some(refused) = scope.reject_anonymous() {
            return Err(refused);
        }
        let is_new = match *scope.request.method() {
            Method::POST => true,
            Method::PUT => false,
            _ => return Err(Refusal::method(Methods::POST_AND_PUT)),
        };
        scope.is_in_class(resource.class);
        scope.check_accept()?;
        scope.check_writes()?;
        let Some(document) = resource.shape.document() else {
            return Err(Error::internal("a list of writes beside no collection").into());
        };
        let list = Arc::clone(&document.list);
        let text = scope.json_body().await?;
        // The object and the array around each document.
        let body = scope.any_json(text, 2).await?;
        let given = body.member(&list).filter(Body::is_list).ok_or_else(|| {
            let message = format!("The body is an object with the array {}.", quoted(&list));
            Error::new(Code::MissingMember, message).at(Place::Pointer(pointer("", &list)))
        })?;
        let most = scope.service().write_limits().operations;
        if given.elements().count() > most {
            let message = format!("A list of writes has {most} documents at most.");
            let error = Error::new(Code::TooManyDocuments, message);
            return Err(error.hint("`max_operations` is the setting.").into());
        }
        let each = given.elements().enumerate();
        let operations = each
            .map(|(index, one)| {
                let at = format!("{}/{index}", pointer("", &list));
                scope.list_operation(resource, one, &at, is_new)
            })
            .collect::<Result<_, _>>()?;
        let path = format!("{}{LIST_BATCH}", resource.name);
        Ok(Self { scope, operations, list, path, is_new })
    }

    /// Writes all of them, or nothing.
    ///
    /// # Errors
    /// Whatever a document or the database says.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, operations, list, path, is_new } = self;
        let shown = is_new.then(|| Arc::clone(&list));
        let may_read = operations.iter().all(|one| one.may_read);
        let answers = ListAnswers { list: shown, count: operations.len(), may_read };
        let once = scope.once(&answers, &path)?;
        let mode = WriteMode { dry_run: false, explain: false };
        let written = scope.reader().create_all(operations, mode, once).await;
        let written = written.map_err(|error| below(&list, in_body(error)))?;
        scope.trace().fetched(Instant::now());
        Ok(answers.of_written(written)?)
    }
}

/// How a list of writes is answered.
#[derive(Clone)]
struct ListAnswers {
    /// The name of the list of new documents; `None` where nothing is shown.
    list: Option<Arc<str>>,
    count: usize,
    may_read: bool,
}

impl Answers<Vec<WriteOutcome>> for ListAnswers {
    fn reply(&self, outcomes: Vec<WriteOutcome>) -> Reply {
        let Some(list) = &self.list else { return Reply::empty(StatusCode::NO_CONTENT) };
        let mut out = String::from("{");
        Json::new(JsonKind::Text(list.as_ref().into())).write(&mut out);
        out.push_str(":[");
        let total = outcomes.len();
        let documents = outcomes.into_iter().filter_map(|outcome| match outcome {
            WriteOutcome::Created(document) => document,
            _ => None,
        });
        for (index, written) in documents.enumerate() {
            out.push_str(if index > 0 { "," } else { "" });
            out.push_str(&String::from_utf8_lossy(&written.document.body.text));
        }
        out.push_str(&format!("],\"totalRecords\":{total}}}"));
        Reply::json(out.into_bytes())
    }

    fn withheld(&self, _: &StoredAnswer) -> Result<Option<Reply>, Error> {
        let outcomes = || (0..self.count).map(|_| WriteOutcome::Created(None)).collect();
        Ok((!self.may_read).then(|| self.reply(outcomes())))
    }
}

impl Scope<'_> {
    /// The write of a document of a list.
    fn list_operation(
        &self,
        resource: &Arc<Resource>,
        body: Body,
        at: &str,
        is_new: bool,
    ) -> Result<TransactionOperation, Refusal> {
        let wrong = |code, message: &str, name: &str| {
            let place = if name.is_empty() { at.to_owned() } else { pointer(at, name) };
            Refusal::from(Error::new(code, message).at(Place::Pointer(place)))
        };
        if body.noun() != "an object" {
            return Err(wrong(Code::MemberValue, "An element of the list must be an object.", ""));
        }
        let key = body.member("id").and_then(|id| id.as_text().map(str::to_owned));
        let (right, tail, operation) = match (is_new, key) {
            (true, _) => (Operation::Insert, String::new(), DocumentOperation::Create { body }),
            (false, None) => {
                return Err(wrong(
                    Code::MissingMember,
                    "`id` is missing: it says which document.",
                    "id",
                ));
            }
            (false, Some(id)) => {
                let key = parse_key(&resource.shape, &id);
                let key = key.map_err(|error| error.at(Place::Pointer(pointer(at, "id"))))?;
                (Operation::Update, id, DocumentOperation::Replace { key, body, may_create: false })
            }
        };
        self.admit(&resource.access, right, &resource.name, &tail)?;
        let conditions = Conditions { if_match: None, if_none_match: None, required: false };
        let links = self.links(self.mount, resource, false);
        let may_read = self.may_read(resource, &tail, false)?;
        let resource = Arc::clone(resource);
        Ok(TransactionOperation { resource, operation, conditions, may_read, links })
    }
}

/// An error of an element of a list, with its place in the body.
fn below(list: &str, mut error: Error) -> Error {
    if let Some(Place::Pointer(place)) = &mut error.place {
        *place = format!("{}{place}", pointer("", list));
    }
    error.map_others(|other| below(list, other))
}
