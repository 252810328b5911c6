//! Collections line by line: NDJSON and CSV, while the database has rows and no faster than
//! the client takes them.
//!
//! What fails before the first row is a response like any other. What fails later breaks the
//! connection off, so that clients detect the truncated response, and goes to the log.

use std::time::Instant;

use duet_auth::ReadRight;
use duet_model::{Code, Error};
use duet_service::query::PageParameters;
use duet_service::{Expansion, Format, Resource};
use hyper::header::ACCEPT;
use hyper::{Method, StatusCode};

use super::read::reject_explain;
use crate::answer::lines::Lines;
use crate::answer::refusal::Refusal;
use crate::answer::reply::{Content, Reply};
use crate::message::accept;
use crate::message::header::list;
use crate::message::media::{self, EVENT_STREAM, JSON, ResponseFormat};
use crate::request::scope::Scope;

impl Scope<'_> {
    /// The form in which the client wants a collection, and its `Content-Type`.
    pub(crate) fn form(&self) -> Result<(ResponseFormat, &'static str), Refusal> {
        accept::form(list(self.request.headers(), &ACCEPT).as_deref()).ok_or_else(|| {
            let message = format!("This is served as {} only.", media::names(&media::COLLECTION));
            Error::new(Code::NotAcceptable, message).into()
        })
    }

    /// Whether the client prefers live changes of an item to the item.
    pub(crate) fn wants_live(&self) -> bool {
        list(self.request.headers(), &ACCEPT)
            .is_some_and(|accept| !accept::prefers(Some(&accept), JSON, &[EVENT_STREAM]))
            && accept::takes(list(self.request.headers(), &ACCEPT).as_deref(), EVENT_STREAM)
    }
}

/// Which collection to read as a stream, and how.
pub(crate) struct StreamPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Resource,
    right: ReadRight<'r>,
    parameters: PageParameters,
    expansion: Option<Expansion>,
    format: Format,
    content_type: &'static str,
}

impl<'r> StreamPlan<'r> {
    /// Reads the query string.
    ///
    /// # Errors
    /// For wrong parameters, and where the caller may not read the collection.
    pub(crate) fn by_query(
        scope: &'r Scope<'r>,
        resource: &'r Resource,
        form: (Format, &'static str),
    ) -> Result<Self, Refusal> {
        scope.check_match(None)?;
        let query = scope.request.uri().query();
        let parameters = PageParameters::of_resource(resource, &Vec::new(), query)?;
        Self::of(scope, resource, parameters, form)
    }

    /// Takes the parameters.
    ///
    /// # Errors
    /// For a wrong `expand`, and where the caller may not read the collection.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Resource,
        parameters: PageParameters,
        (format, content_type): (Format, &'static str),
    ) -> Result<Self, Refusal> {
        reject_explain(&parameters)?;
        let expansion = scope.expansion(resource, parameters.expand.as_deref())?;
        let right = scope.read_right(resource)?;
        Ok(Self { scope, resource, right, parameters, expansion, format, content_type })
    }

    /// Answers with a stream; its first rows have arrived.
    ///
    /// # Errors
    /// Whatever the filter, the other parameters or the database say before the first row.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let reader = self.scope.reader();
        let query = self.parameters.query(self.right, self.expansion.as_ref());
        let unindexed;
        let lines = if *self.scope.request.method() == Method::HEAD {
            unindexed = reader.check_stream(self.resource, &query)?;
            Lines::empty()
        } else {
            let mut stream = reader.stream(self.resource, &query, self.format).await?;
            let first = stream.next().await?;
            self.scope.trace().fetched(Instant::now());
            unindexed = stream.unindexed;
            Lines::new(first, Box::new(stream))
        };
        let mut reply = Reply::new(StatusCode::OK, Some(self.content_type), Vec::new());
        reply.varies = true;
        reply.content = Content::Lines(Box::new(lines));
        if unindexed {
            reply.say_unindexed();
        }
        Ok(reply)
    }
}
