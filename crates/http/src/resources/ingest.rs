//! `Prefer: respond-async`, `commit=ingest` and `commit=memory`: new documents that are acknowledged from the journal, and what became of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::Operation;
use duet_model::Code;
use duet_service::Resource;
use duet_service::declared_parameters;
use duet_service::journal::{
    AcceptedRows, DeadLetter, JournalStage, LostRows, NewDocuments, RowsStatus, SealedId,
    SequenceId,
};
use duet_service::query::Parameters;
use duet_text::json::body::Body;
use hyper::header::{CACHE_CONTROL, LOCATION};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::message::prefer::Preferences;
use crate::message::subpath::JOURNAL;
use crate::request::scope::Scope;

/// Acknowledges new documents from the journal. `None` where that is not asked for or not offered: then they
/// are written as ever.
///
/// # Errors
/// What is wrong with a document, and where the journal has no room.
pub(crate) async fn accepted(
    scope: &Scope<'_>,
    resource: &Arc<Resource>,
    bodies: &[Body],
    is_array: bool,
    preferences: Preferences,
    may_read: bool,
) -> Result<Option<Reply>, Refusal> {
    let Some(durability) = preferences.journal() else { return Ok(None) };
    if preferences.rollback() || scope.has_key() {
        return Ok(None);
    }
    let path = format!("{}/{}", scope.mount.path, resource.name);
    let new = NewDocuments {
        resource,
        path: &path,
        caller: &scope.caller(),
        bodies,
        is_array,
        may_read,
        durability,
    };
    let Some(accepted) = scope.reader().ingest(new).await? else { return Ok(None) };
    scope.trace().fetched(Instant::now());
    Ok(Some(reply(scope, resource, &accepted, preferences)))
}

fn reply(
    scope: &Scope<'_>,
    resource: &Resource,
    accepted: &AcceptedRows,
    preferences: Preferences,
) -> Reply {
    let AcceptedRows(sealed) = accepted;
    let SequenceId { journal, first, last } = &sealed.id;
    let links = scope.links(scope.mount, resource, false);
    let status = format!("{}{JOURNAL}/{sealed}", links.addresses.collection);
    let body = json!({
        "sequenceId": last,
        "firstSequenceId": first,
        "rows": last - first + 1,
        "journal": journal,
        "status": status,
    });
    let reply = match preferences.minimal() {
        true => Reply::empty(StatusCode::ACCEPTED),
        false => {
            Reply { status: StatusCode::ACCEPTED, ..Reply::json(body.to_string().into_bytes()) }
        }
    };
    preferences.accepted(reply.with_text(LOCATION, &status))
}

/// A request for what became of rows.
pub(crate) struct RowsPlan<'r> {
    scope: &'r Scope<'r>,
    path: String,
    id: SealedId,
    wait: Duration,
}

impl<'r> RowsPlan<'r> {
    /// Reads the request. Who may add rows may ask what became of them.
    ///
    /// # Errors
    /// Where the caller may not, the method or a parameter is wrong, and where there are no such rows.
    pub(crate) fn of(scope: &'r Scope<'r>, resource: &Resource, id: &str) -> Result<Self, Refusal> {
        scope.admit(&resource.access, Operation::Insert, &resource.name, "")?;
        if !matches!(*scope.request.method(), Method::GET | Method::HEAD) {
            return Err(Refusal::method(Methods::LOOK));
        }
        scope.check_accept()?;
        let parameters =
            Parameters::parse(scope.request.uri().query(), &declared_parameters::OF_ACCEPTED_ROWS)?;
        let wait = parameters.wait("wait")?.unwrap_or_default();
        let path = format!("{}/{}", scope.mount.path, resource.name);
        Ok(Self { scope, path, id: id.parse()?, wait })
    }

    /// Says what became of them.
    ///
    /// # Errors
    /// Where they are unknown, or another host's, and where the database cannot be asked.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, path, id, wait } = self;
        let status = scope.reader().rows_status(&path, &id, wait).await?;
        let body = status_json(&id.id, &status).to_string().into_bytes();
        Ok(Reply::json(body).with_text(CACHE_CONTROL, "no-store"))
    }
}

fn status_json(id: &SequenceId, status: &RowsStatus) -> Value {
    let word = match status.stage {
        _ if !status.lost.is_empty() => "lost",
        JournalStage::Waiting => "waiting",
        JournalStage::Applied if status.rejected.is_empty() => "applied",
        JournalStage::Applied => "rejected",
    };
    let rejected: Vec<Value> = status.rejected.iter().map(rejected_json).collect();
    let mut body = json!({
        "status": word,
        "sequenceId": id.last,
        "firstSequenceId": id.first,
        "rows": id.last - id.first + 1,
        "journal": id.journal,
        "applied": status.applied,
        "rejected": rejected,
    });
    if !status.lost.is_empty() {
        body["lost"] = status.lost.iter().map(lost_json).collect();
    }
    body
}

/// Rows that were lost with files of the journal.
fn lost_json(lost: &LostRows) -> Value {
    let code = Code::JournalMissing.as_str();
    json!({ "firstSequenceId": lost.first, "sequenceId": lost.last, "code": code, "detail": lost.reason })
}

/// A row that the database has refused.
fn rejected_json(letter: &DeadLetter) -> Value {
    json!({ "sequenceId": letter.sequence, "code": letter.code, "detail": letter.reason })
}
