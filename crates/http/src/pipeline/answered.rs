//! A request that is answered: its response, and the event that says so.

use std::time::Duration;

use duet_model::Error;
use hyper::header::{CONNECTION, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Method, Response, StatusCode, Version};

use super::compression;
use super::planned::RequestPlan;
use crate::answer::lines::Account;
use crate::answer::refusal::Refusal;
use crate::answer::reply::{Content, Reply, ReplyBody};
use crate::message::header::settable;
use crate::observe::event::{Event, Exchange, RequestTarget};
use crate::observe::stage::{Stage, Stages};
use crate::observe::trace::Trace;
use crate::profiles;
use crate::request::arrived::ArrivedRequest;
use crate::request::credential::Credential;
use crate::request::duet_position::{self, DUET_POSITION};
use crate::request::linked::LinkToken;
use crate::request::routed::RoutedRequest;
use crate::services::declared_failure;

/// What is answered.
pub(crate) struct AnsweredRequest {
    reply: Reply,
    /// Why the request failed.
    error: Option<Box<Error>>,
}

impl AnsweredRequest {
    /// Carries out a plan.
    ///
    /// # Errors
    /// Whatever the store says, and where there is no memory for the response.
    pub(crate) async fn of(planned: RequestPlan<'_>) -> Result<Self, Refusal> {
        let (arrived, site) = (planned.authenticated().arrived(), planned.authenticated().site());
        let reply = planned.answer().await?;
        let (granted, is_safe) = (arrived.remote.granted(), arrived.request.method().is_safe());
        let mut reply = reply.charge(arrived.memory(), granted, is_safe)?;
        if compression::concerns(arrived, site, &reply) {
            reply = Box::pin(compression::coded(arrived, reply)).await;
        }
        Ok(Self { reply, error: None })
    }

    /// The answer to a request that failed at any stage.
    pub(crate) fn refused(arrived: &ArrivedRequest, refused: Refusal) -> Self {
        let (worker, error) = (&arrived.worker, refused.error);
        let application = arrived.trace.application();
        let form = application.map_or_else(profiles::native_errors, |number| {
            profiles::errors_of(worker.service(number))
        });
        let (media, body) = form.content(&error, &arrived.id.to_string());
        let status = form.status_of(&error);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut reply = Reply::new(status, Some(media), body);
        if let Some(challenge) = refused.challenge {
            let mut value = challenge.header_value();
            if let Some(address) = &refused.resource_metadata {
                value.push_str(&format!(", resource_metadata=\"{address}\""));
            }
            reply = reply.with_text(WWW_AUTHENTICATE, &value);
        }
        if let Some(seconds) = error.retry_after {
            reply = reply.retry_after(seconds);
        }
        if let Some(methods) = refused.allow {
            reply = reply.allow(methods);
        }
        for (name, value) in form.headers(&error) {
            if let Some(name) = settable(&name) {
                reply = reply.with_text(name, &value);
            }
        }
        Self { reply: reply.claim(arrived.memory()), error: Some(error) }
    }

    /// The answer that a service declares for the failure of a request.
    ///
    /// # Errors
    /// The refusal itself where none is declared.
    pub(crate) fn declared(routed: &RoutedRequest<'_>, refused: Refusal) -> Result<Self, Refusal> {
        let Some(reply) = declared_failure::failure(routed, &refused) else { return Err(refused) };
        let memory = routed.authenticated().arrived().memory();
        Ok(Self { reply: reply.claim(memory), error: Some(refused.error) })
    }

    /// Emits the event, and makes the response with what every response carries.
    pub(crate) fn respond(mut self, arrived: &ArrivedRequest) -> Response<ReplyBody> {
        let shared = &arrived.worker.shared;
        let stages = arrived.trace.stages();
        self.emit(arrived);
        if shared.options.server_timing
            && arrived.trace.resource().is_some()
            && let Some(timing) = timing(&stages, &arrived.trace)
        {
            self.reply = self.reply.with(SERVER_TIMING, timing);
        }
        if let Some(position) = arrived.trace.reading().and_then(duet_position::of_answer) {
            self.reply = self.reply.with(DUET_POSITION, position);
        }
        let varies = self.reply.varies;
        let mut response = self.reply.into_response(arrived.request.method() == Method::HEAD);
        if let Some(keys) = &shared.options.api_key_header {
            let asked = arrived.request.headers();
            Credential::tell_caches(asked, keys, response.headers_mut(), varies);
        }
        if let (Some(cors), Some(cors_request)) = (&shared.cors, &arrived.browser) {
            cors.add_headers(cors_request, response.headers_mut());
        }
        if LinkToken::of(&arrived.request).is_some() {
            LinkToken::guard(response.headers_mut());
        }
        // HTTP/2 says so by a frame, and has no body in the way of the next request.
        let closes = shared.closes_connections() || arrived.request.body().is_unread();
        if closes && arrived.request.version() < Version::HTTP_2 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// Emits the event, and sees to it that a stream emits that of its end.
    fn emit(&mut self, arrived: &ArrivedRequest) {
        let ArrivedRequest { worker, remote, request, trace, .. } = arrived;
        let (client, client_name) = trace.client();
        let served = trace.resource();
        let exchange = Exchange {
            id: arrived.id,
            peer: &remote.text,
            method: request.method().as_str(),
            target: RequestTarget::of(request.uri()),
            application: worker.application_name(trace.application()),
            tenant: trace.tenant(),
            resource: (served.as_ref().zip(trace.application()))
                .map(|(served, application)| served.served(application)),
            client,
            client_name,
            status: self.reply.status.as_u16(),
            error: self.error.as_deref(),
            bytes: self.reply.length(),
            duration: trace.stages().total(),
            stages: trace.stages(),
            slowest: Some(trace.slowest()),
            write: trace.times().map(|times| &**times),
            feature: trace.feature(),
            is_load: trace.is_load(),
            is_stream: matches!(self.reply.content, Content::Lines(_)),
        };
        worker.events.emit(&Event::Answered(exchange));
        if let Content::Lines(lines) = &mut self.reply.content {
            let (events, memory) = (&worker.events, arrived.memory());
            lines.account(Account::new(events, memory, remote, trace.begun(), &exchange));
        }
    }
}

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// `Server-Timing` (W3C): milliseconds before the store, in the store, and after it; of a write
/// also those in its queue, its statements and its commit; where standbys answer reads, which server did. `None` where no rows came from the store.
fn timing(stages: &Stages, trace: &Trace) -> Option<HeaderValue> {
    let (store, write) = (stages.store()?, stages.write()?);
    let admit = stages.total().saturating_sub(stages.get(Stage::Answer)?);
    let millis = |took: Duration| took.as_secs_f64() * 1e3;
    let (admit, store, write) = (millis(admit), millis(store), millis(write));
    let mut text = format!("admit;dur={admit:.3}, store;dur={store:.3}, write;dur={write:.3}");
    if let Some(steps) = trace.times().and_then(|times| times.steps()) {
        let of_write =
            [("queue", steps.queue), ("statement", steps.statement), ("commit", steps.commit)];
        for (name, took) in of_write {
            text.push_str(&format!(", {name};dur={:.3}", millis(took)));
        }
    }
    if let Some(node) = trace.reading().and_then(duet_position::node) {
        text.push_str(&format!(", node;desc=\"{node}\""));
    }
    HeaderValue::try_from(text).ok()
}
