//! `POST` of an array to a collection: several new documents in one transaction.

use std::sync::Arc;

use duet_document::Links;
use duet_model::json::{BODY, Kind, read};
use duet_model::{Code, Error, Place};
use duet_service::Resource;
use duet_service::write::{
    Conditions, Operation, Outcome, OwnedLinks, TransactionOperation, WriteMode,
};
use hyper::StatusCode;

use crate::handle::{Scope, Timed};
use crate::parse::in_body;
use crate::plan;
use crate::prefer::Preferences;
use crate::refusal::Refusal;
use crate::reply::{JSON, Reply};

/// Whether a body is an array.
pub(crate) fn is_array(body: &str) -> bool {
    body.trim_start().starts_with('[')
}

impl Scope<'_> {
    /// Makes a document of each element of an array, or none.
    pub(crate) async fn create_all(
        &self,
        resource: &Arc<Resource>,
        body: &str,
        links: &Links<'_>,
        (mode, preferences, may_read): (WriteMode, Preferences, bool),
        timed: &mut Timed<'_>,
    ) -> Result<Reply, Refusal> {
        let limits = self.reader.service().write_limits();
        let array = read(body, &BODY, limits.depth + 1).map_err(in_body)?;
        let Kind::List(elements) = &array.kind else {
            return Err(Error::internal("an array that is none").into());
        };
        if elements.len() > limits.operations {
            let message = format!(
                "A request may make {} documents at once (`--max-operations`). Nothing was changed.",
                limits.operations
            );
            return Err(Error::new(Code::TooManyDocuments, message)
                .hint("Send fewer, or load them in bulk: POST to batchload below the collection.")
                .at(Place::Pointer(String::new()))
                .into());
        }
        let operations = elements.iter().map(|element| {
            let mut text = String::new();
            element.write(&mut text);
            TransactionOperation {
                resource: Arc::clone(resource),
                operation: Operation::Create { body: text.into() },
                conditions: Conditions::default(),
                may_read,
                links: OwnedLinks {
                    collection: links.collection.to_owned(),
                    described_by: links.described_by.to_owned(),
                    writable: links.writable,
                },
            }
        });
        let outcomes = self.reader.create_all(operations.collect(), mode).await?;
        timed.fetched(std::time::Instant::now());
        if mode.explain {
            let plans = outcomes.iter().map(|outcome| match outcome {
                Outcome::Planned(plan) => plan::json(&resource.shape, plan),
                _ => b"null".to_vec(),
            });
            return Ok(preferences.applied(Reply::json(array_of(plans)), None));
        }
        if preferences.minimal() || !may_read {
            let reply = Reply::empty(StatusCode::CREATED);
            return Ok(preferences.applied(reply, Some(false)));
        }
        let documents = outcomes.into_iter().map(|outcome| match outcome {
            Outcome::Created(Some(written)) => written.document.body,
            // It is written, and the resource does not show it.
            _ => b"null".to_vec(),
        });
        let reply = Reply::new(StatusCode::CREATED, Some(JSON), array_of(documents));
        Ok(preferences.applied(reply, Some(true)))
    }
}

/// JSON texts as an array.
fn array_of(elements: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let elements: Vec<Vec<u8>> = elements.collect();
    [b"[", elements.join(&b","[..]).as_slice(), b"]"].concat()
}
