//! The task that sends events: it takes those that are due, a few at a time, and notes what came of each. What a process
//! that has ended had taken is due again after `webhook_timeout` and `MARGIN`.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_model::{Error, Result};
use duet_sql::{
    FailedAttempt, Statement, disable_endpoint, endpoint_accepted, event_accepted, event_dead,
    event_failed, hold_key, pause_endpoint, release_key,
};
use duet_store::{Client, RequestClass};
use duet_text::time::moment::moment_text;
use tokio::sync::Notify;

use super::delivery::{Courier, Delivery, DeliveryAnswer};
use super::events::{OutboxEvent, millis, now};
use super::schedule::pause;
use crate::build::snapshot::Snapshot;
use crate::hosting::context::{RequestContext, WorkerHandle};
use crate::outbox::declaration::{Webhook, WebhookLimits};
use crate::outbox::report::{EndpointReport, WebhookReport};
use crate::outbox::wake::Outbox;

/// How much longer a claim holds than an attempt may take: what came of it is noted in this time.
const MARGIN: Duration = Duration::from_secs(30);
/// How often events are counted, old ones removed, and triggers looked for.
const UPKEEP: Duration = Duration::from_secs(30);
/// The pause after a failure of the database; it doubles from failure to failure.
const PAUSE: Duration = Duration::from_millis(200);
/// How often a database that fails is tried at least.
const LONGEST: Duration = Duration::from_secs(30);
/// Events that a report counts at most.
const COUNTED: usize = 10_000;
/// How often the database learns at most that an endpoint still accepts.
const ACCEPTED_GRAIN: Duration = Duration::from_secs(10);
/// The longest reason that is kept of a failure, in characters.
const REASON: usize = 300;

/// What attempts under way share with the task.
struct Sending {
    handle: WorkerHandle,
    courier: Rc<dyn Courier>,
    outbox: Arc<Outbox>,
    limits: WebhookLimits,
    /// Attempts under way, by endpoint.
    running: RefCell<BTreeMap<String, usize>>,
    /// When the database learned last that an endpoint accepts.
    accepting: RefCell<HashMap<String, Instant>>,
    /// What was counted is not so any more.
    is_outdated: Cell<bool>,
    /// An attempt has ended.
    ended: Notify,
}

impl WorkerHandle {
    /// Sends events, for ever; one task for each application. It runs in a local task set. Without webhooks it waits
    /// until a reload declares some.
    pub async fn send_webhooks(self, courier: Rc<dyn Courier>) {
        let service = Arc::clone(self.service());
        let outbox = Arc::clone(service.outbox());
        let limits = service.webhook_limits();
        let sending = Rc::new(Sending {
            handle: self,
            courier,
            outbox: Arc::clone(&outbox),
            limits,
            running: RefCell::default(),
            accepting: RefCell::default(),
            is_outdated: Cell::new(true),
            ended: Notify::new(),
        });
        service.store().commits().subscribe(Arc::clone(&outbox) as _);
        let (mut failures, mut looked, mut generation) = (0_u32, None::<Instant>, 0);
        loop {
            let snapshot = sending.handle.snapshot();
            let is_outdated = sending.is_outdated.take()
                || generation != snapshot.generation
                || looked.is_none_or(|looked| looked.elapsed() >= UPKEEP);
            let done = match is_outdated {
                true => sending.upkeep(&snapshot).await,
                false => Ok(()),
            };
            if is_outdated && done.is_ok() {
                (looked, generation) = (Some(Instant::now()), snapshot.generation);
            }
            let taken = match done {
                Ok(()) => sending.take(&snapshot).await,
                Err(error) => Err(error),
            };
            failures = match &taken {
                Ok(_) => 0,
                Err(error) => {
                    tracing::error!(code = error.code.as_str(), %error, cause = error.cause, "webhooks cannot be sent");
                    failures + 1
                }
            };
            let wait = match failures {
                0 => limits.poll,
                _ => PAUSE.saturating_mul(1 << (failures - 1).min(10)).min(LONGEST),
            };
            tokio::select! {
                () = outbox.wanted.notified(), if failures == 0 => {}
                () = sending.ended.notified(), if failures == 0 => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }
}

impl Sending {
    fn context(&self) -> RequestContext<'_> {
        self.handle.acting(None).for_client(Client::of("webhooks")).in_class(RequestClass::Batch)
    }

    /// How many more attempts of an endpoint may begin. One that hangs leaves half of them to others.
    fn free(&self, endpoint: &str, webhooks: usize) -> usize {
        let running = self.running.borrow();
        let all: usize = running.values().sum();
        let own = running.get(endpoint).copied().unwrap_or(0);
        let most = self.limits.deliveries;
        let share = if webhooks > 1 { most.div_ceil(2) } else { most };
        share.saturating_sub(own).min(most.saturating_sub(all))
    }

    /// Begins attempts of events that are due; how many.
    async fn take(self: &Rc<Self>, snapshot: &Arc<Snapshot>) -> Result<usize> {
        let webhooks = snapshot.webhooks();
        if webhooks.is_empty() || webhooks.iter().all(|it| self.free(&it.name, webhooks.len()) == 0)
        {
            return Ok(0);
        }
        let mut taken = 0;
        for due in self.context().due_endpoints(&snapshot.application.name).await? {
            let Some(webhook) = webhooks.iter().find(|webhook| webhook.name == due) else {
                continue;
            };
            let free = self.free(&due, webhooks.len());
            if free == 0 {
                continue;
            }
            let lease = self.limits.timeout + MARGIN;
            let events = self.context().claim(&due, free, lease).await?;
            taken += events.len();
            for event in events {
                self.begin(snapshot, webhook, event);
            }
        }
        Ok(taken)
    }

    fn begin(self: &Rc<Self>, snapshot: &Arc<Snapshot>, webhook: &Webhook, event: OutboxEvent) {
        *self.running.borrow_mut().entry(webhook.name.clone()).or_default() += 1;
        let (sending, snapshot, webhook) = (Rc::clone(self), Arc::clone(snapshot), webhook.clone());
        tokio::task::spawn_local(async move {
            let _running = Running { sending: &sending, endpoint: &webhook.name };
            if let Err(error) = sending.attempt(&snapshot, &webhook, &event).await {
                // It is due again when its claim ends.
                tracing::error!(
                    code = error.code.as_str(), %error, cause = error.cause, webhook = webhook.name, id = event.id,
                    "an attempt to send a webhook could not be noted"
                );
            }
        });
    }

    /// Sends an event once.
    async fn attempt(
        &self,
        snapshot: &Snapshot,
        webhook: &Webhook,
        event: &OutboxEvent,
    ) -> Result<()> {
        let body = match &event.payload {
            Some(payload) => payload.clone(),
            None => {
                let most = self.limits.body;
                self.context().letter(snapshot, webhook, event, most).await?
            }
        };
        let answer = match body.len() <= self.limits.body {
            true => {
                let delivery = delivery(webhook, &event.id, body.clone(), self.limits.timeout);
                self.courier.deliver(&delivery).await
            }
            false => DeliveryAnswer::Failed(format!(
                "the event has {} bytes, and {} are sent (webhook_body_bytes)",
                body.len(),
                self.limits.body
            )),
        };
        match answer.is_accepted() {
            true => self.accepted(event, &answer).await,
            false => self.failed(webhook, event, &answer, &body).await,
        }
    }

    async fn accepted(&self, event: &OutboxEvent, answer: &DeliveryAnswer) -> Result<()> {
        let context = self.context();
        let (dialect, now) = (context.dialect(), now());
        let status = i64::from(answer.status().unwrap_or_default());
        let mut notes = vec![event_accepted(dialect, event.attempted(), status, now)];
        if event.attempts > 1 {
            notes.push(release_key(dialect, &event.endpoint, &event.key, event.sequence));
        }
        let is_known = {
            let accepting = self.accepting.borrow();
            let last = accepting.get(&event.endpoint);
            last.is_some_and(|last| last.elapsed() < ACCEPTED_GRAIN)
        };
        if !is_known {
            notes.push(endpoint_accepted(dialect, &event.endpoint, now));
        }
        context.note(notes).await?;
        if !is_known {
            self.accepting.borrow_mut().insert(event.endpoint.clone(), Instant::now());
        }
        self.outbox.accepted(&event.endpoint);
        Ok(())
    }

    async fn failed(
        &self,
        webhook: &Webhook,
        event: &OutboxEvent,
        answer: &DeliveryAnswer,
        body: &str,
    ) -> Result<()> {
        let why: String = answer.words().chars().take(REASON).collect();
        let is_last = usize::try_from(event.attempts).is_ok_and(|it| it >= webhook.attempts);
        tracing::warn!(
            webhook = webhook.name,
            id = event.id,
            kind = event.kind,
            attempt = event.attempts,
            why,
            is_last,
            "a webhook was not accepted"
        );
        self.outbox.failed(&webhook.name, why.clone());
        let context = self.context();
        let statements = self.notes_of_failure(&context, webhook, event, answer, &why, body)?;
        let disables = is_last || answer.is_gone();
        let affected = context.note(statements).await?;
        // The last one disables the endpoint.
        if disables && affected.last().is_some_and(|rows| *rows > 0) {
            tracing::error!(
                webhook = webhook.name,
                why,
                "a webhook was disabled: `duet webhook enable` has it sent again"
            );
        }
        if disables {
            self.is_outdated.set(true);
        }
        Ok(())
    }

    /// What is noted of a failed attempt.
    fn notes_of_failure(
        &self,
        context: &RequestContext<'_>,
        webhook: &Webhook,
        event: &OutboxEvent,
        answer: &DeliveryAnswer,
        why: &str,
        body: &str,
    ) -> Result<Vec<Statement>> {
        let (dialect, now, attempted) = (context.dialect(), now(), event.attempted());
        let failed =
            FailedAttempt { status: answer.status().map(i64::from), error: why, payload: body };
        let mut chance = [0];
        getrandom::fill(&mut chance).map_err(Error::internal)?;
        let attempt = usize::try_from(event.attempts).unwrap_or(usize::MAX);
        let next = now + millis(pause(attempt, chance[0], answer.retry_after()));
        let mut notes = Vec::new();
        if attempt >= webhook.attempts && !answer.is_gone() {
            notes.push(event_dead(dialect, attempted, &failed, now));
            notes.push(release_key(dialect, &event.endpoint, &event.key, event.sequence));
            // Others were accepted meanwhile: it is the event, and not the endpoint.
            let reason = format!(
                "it has accepted nothing since the first attempt of {}, the last of which ended with: {why}",
                event.id
            );
            // The database learns of it a little late.
            let since = event.begun_at.unwrap_or(now).saturating_sub(millis(ACCEPTED_GRAIN));
            let since = Some(since);
            notes.push(disable_endpoint(dialect, &webhook.name, &reason, now, since));
        } else {
            notes.push(event_failed(dialect, attempted, &failed, next));
            notes.push(hold_key(dialect, &event.endpoint, &event.key, event.sequence, next));
        }
        if answer.is_gone() {
            let reason = "it has answered with 410 (Gone)";
            notes.push(disable_endpoint(dialect, &webhook.name, reason, now, None));
        } else if answer.throttles() {
            notes.push(pause_endpoint(dialect, &webhook.name, next));
        }
        Ok(notes)
    }

    /// Looks whether changes are recorded, removes old events, also those of views, disables endpoints with too many, and counts.
    async fn upkeep(&self, snapshot: &Snapshot) -> Result<()> {
        self.context().forget_view_events(snapshot, self.limits.view_events).await?;
        let webhooks = snapshot.webhooks();
        if webhooks.is_empty() {
            self.outbox.watch(Default::default());
            self.outbox.set_report(WebhookReport::default());
            return Ok(());
        }
        if let Ok(tables) = snapshot.watched_tables() {
            let names = tables.into_iter().map(|table| (table.schema, table.table));
            self.outbox.watch(names.collect());
        }
        let context = self.context();
        let state = context.webhook_state().await?;
        for what in &state.lacking {
            tracing::error!(
                what,
                "webhooks lack something in the database, so changes are not recorded: run `duet webhook prepare`"
            );
        }
        let endpoints = match state.has_tables {
            true => context.endpoint_states().await?,
            false => Vec::new(),
        };
        let mut report = WebhookReport { lacking: state.lacking, ..WebhookReport::default() };
        for webhook in webhooks {
            let Some(known) = endpoints.iter().find(|it| it.name == webhook.name) else { continue };
            let before = now().saturating_sub(millis(self.limits.retention));
            while context.forget_delivered(&webhook.name, before).await? > 0 {}
            let most = self.limits.events.saturating_add(1).max(COUNTED);
            let (waiting, oldest) = context.count_events(&webhook.name, 0, most).await?;
            let (dead, _) = context.count_events(&webhook.name, 2, most).await?;
            if waiting + dead > self.limits.events as u64 && known.disabled_at.is_none() {
                let reason = format!(
                    "more than {} events wait or are dead letters (webhook_events)",
                    self.limits.events
                );
                tracing::error!(webhook = webhook.name, reason, "a webhook was disabled");
                context.switch_endpoint(&webhook.name, Some(&reason)).await?;
            }
            let moment = |at: Option<i64>| at.and_then(|at| u64::try_from(at).ok());
            report.endpoints.push(EndpointReport {
                name: webhook.name.clone(),
                disabled_at: moment(known.disabled_at),
                reason: known.reason.clone(),
                accepted_at: moment(Some(known.accepted_at)).filter(|at| *at > 0),
                waiting,
                oldest_at: oldest,
                dead,
                ..EndpointReport::default()
            });
        }
        self.outbox.set_report(report);
        Ok(())
    }
}

/// An attempt under way.
struct Running<'s> {
    sending: &'s Sending,
    endpoint: &'s str,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.sending.running.borrow_mut().get_mut(self.endpoint) {
            *running = running.saturating_sub(1);
        }
        self.sending.ended.notify_one();
    }
}

/// An attempt that is made now.
fn delivery(webhook: &Webhook, id: &str, body: String, timeout: Duration) -> Delivery {
    let timestamp = u64::try_from(now() / 1_000).unwrap_or_default();
    let signature = duet_auth::webhook_signatures(&webhook.keys, id, timestamp, body.as_bytes());
    let (url, id) = (webhook.url.clone(), id.to_owned());
    Delivery { url, id, timestamp, signature, body, timeout }
}

impl Webhook {
    /// An event that says nothing of rows, so that an operator can try the endpoint.
    ///
    /// # Errors
    /// Where the system has no random source.
    pub fn trial(&self, timeout: Duration) -> Result<Delivery> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(Error::internal)?;
        let id = bytes.iter().fold("msg_".to_owned(), |id, byte| format!("{id}{byte:02x}"));
        let body = serde_json::json!({
            "type": "webhook.test",
            "timestamp": format!("{}Z", moment_text(now().saturating_mul(1_000))),
            "data": { "webhook": self.name },
        });
        Ok(delivery(self, &id, body.to_string(), timeout))
    }
}
