//! The path of a request, top to bottom: request, authenticated, routed, planned, answered.
//!
//! Each stage is a value that can be made from the one before only, and each is timed by the same
//! wrapper ([`Trace::timed`](crate::observe::trace::Trace::timed)).

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use duet_model::Code;
use duet_service::{Renewal, Snapshot, WorkerHandle};
use futures_util::future::LocalBoxFuture;
use hyper::body::Incoming;
use hyper::header::EXPECT;
use hyper::{Request, Response};

use super::answered::AnsweredRequest;
use super::planned::RequestPlan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::ReplyBody;
use crate::clients::remote::Remote;
use crate::observe::stage::Stage;
use crate::request::arrived::ArrivedRequest;
use crate::request::authenticated::AuthenticatedRequest;
use crate::request::designed::DesignedSnapshot;
use crate::request::principal::KeyWait;
use crate::request::routed::RoutedRequest;
use crate::worker::Worker;

/// How often a request is restarted because the schema has changed under it.
const RENEWALS: usize = 10;

/// Answers a request. Never fails: whatever goes wrong is an answer too.
pub(crate) async fn handle(
    worker: Rc<Worker>,
    remote: Rc<Remote>,
    request: Request<Incoming>,
) -> Result<Response<ReplyBody>, Infallible> {
    let arrived = ArrivedRequest::new(worker, remote, request, responded);
    let answered = answered(&arrived).await;
    let body = arrived.request.body();
    body.drain(arrived.request.headers().contains_key(EXPECT)).await;
    body.let_client_end(arrived.memory());
    Ok(answered.respond(&arrived))
}

async fn answered(arrived: &ArrivedRequest) -> AnsweredRequest {
    match answer(arrived).await {
        Ok(answered) => answered,
        Err(refused) => AnsweredRequest::refused(arrived, refused),
    }
}

/// Answers a request that the server makes to itself. Boxed, as it is a part of what answers the request around it.
fn responded(arrived: &ArrivedRequest) -> LocalBoxFuture<'_, Response<ReplyBody>> {
    Box::pin(async move { answered(arrived).await.respond(arrived) })
}

/// Authenticates a request and serves it; again if the snapshot turns out to be out of date, so that
/// a change of the schema fails no request.
async fn answer(arrived: &ArrivedRequest) -> Result<AnsweredRequest, Refusal> {
    let trace = &arrived.trace;
    let authenticate =
        |keys| trace.timed(Stage::Authenticate, || AuthenticatedRequest::of(arrived, keys));
    let authenticated = match authenticate(KeyWait::Ahead) {
        Err(refused) if KeyWait::Ahead.allows(&refused) => {
            Box::pin(AuthenticatedRequest::newest_keys(arrived)).await;
            authenticate(KeyWait::Over)?
        }
        known => known?,
    };
    let authenticated = trace.timed_async(Stage::Authenticate, authenticated.seated()).await?;
    if authenticated.who().counted_link().is_some() {
        Box::pin(trace.timed_async(Stage::Authenticate, authenticated.count_use())).await?;
    }
    let mut renewals = 0;
    loop {
        let reader = authenticated.reader();
        let designed = DesignedSnapshot::of(&arrived.request).map(|own| Arc::clone(&own.0));
        let snapshot = designed.or_else(|| reader.map(WorkerHandle::snapshot));
        let began = trace.last();
        let refused = match serve(&authenticated, snapshot.as_ref()).await {
            Err(refused) if is_looked_into(&authenticated, refused.error.code) => refused,
            answered => return answered,
        };
        if let Some(removed) = Box::pin(authenticated.removed_tenant()).await {
            return Err(removed);
        }
        let Some((reader, snapshot)) = reader.zip(snapshot) else { return Err(refused) };
        if refused.error.code != Code::SchemaChanged {
            return declared(&authenticated, &snapshot, refused);
        }
        if renewals >= RENEWALS {
            return Err(refused);
        }
        let service = reader.service();
        match Box::pin(service.renew(snapshot.generation, began, Instant::now())).await {
            Renewal::Changed => renewals += 1,
            Renewal::Unknown => return declared(&authenticated, &snapshot, refused),
            Renewal::Unchanged => {
                let refused = Refusal { error: Box::new(refused.error.settled()), ..refused };
                return declared(&authenticated, &snapshot, refused);
            }
        }
    }
}

/// The stages that depend on the snapshot in force.
async fn serve(
    authenticated: &AuthenticatedRequest<'_>,
    snapshot: Option<&Arc<Snapshot>>,
) -> Result<AnsweredRequest, Refusal> {
    let trace = &authenticated.arrived().trace;
    let routed = trace.timed(Stage::Route, || RoutedRequest::of(authenticated, snapshot))?;
    let planned = trace.timed_async(Stage::Plan, RequestPlan::of(&routed)).await;
    let answered = match planned {
        Ok(planned) => trace.timed_async(Stage::Answer, AnsweredRequest::of(planned)).await,
        Err(refused) => Err(refused),
    };
    answered.map_err(|refused| routed.name_tables(refused)).or_else(|refused| match is_looked_into(
        authenticated,
        refused.error.code,
    ) {
        true => Err(refused),
        false => AnsweredRequest::declared(&routed, refused),
    })
}

/// Whether a failure may have a reason that gives the request another answer: a changed schema, or that the
/// tenant's database is gone.
fn is_looked_into(authenticated: &AuthenticatedRequest<'_>, code: Code) -> bool {
    match code {
        Code::SchemaChanged => true,
        Code::DatabaseUnavailable => authenticated.tenant().is_some(),
        _ => false,
    }
}

/// The answer that a service declares for a failure after which the request is not restarted.
fn declared(
    authenticated: &AuthenticatedRequest<'_>,
    snapshot: &Arc<Snapshot>,
    refused: Refusal,
) -> Result<AnsweredRequest, Refusal> {
    match RoutedRequest::of(authenticated, Some(snapshot)) {
        Ok(routed) => AnsweredRequest::declared(&routed, refused),
        Err(_) => Err(refused),
    }
}
