//! The outbox as a sender and the operator see it: events that are due, claims, and what came of attempts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use duet_document::Codec;
use duet_model::{Result, Value};
use duet_sql::{
    EventFilter, EventPosition, Statement, WebhookAttempt, claim_events, count_events,
    disable_endpoint, due_endpoints, due_events, enable_endpoint, oldest_to_keep, read_events,
    remove_events, remove_view_events, replay_events,
};
use duet_store::{Call, Ending, Session, SharedStore, Write};

use crate::build::snapshot::Snapshot;
use crate::hosting::context::RequestContext;
use crate::hosting::own_statements::{own, run, run_counted};

/// What the database knows of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointState {
    /// Its name.
    pub name: String,
    /// Since when it is disabled, in milliseconds since 1970.
    pub disabled_at: Option<i64>,
    /// Why it is disabled.
    pub reason: Option<String>,
    /// Until when it is left alone, in milliseconds since 1970.
    pub paused_until: i64,
    /// When it accepted an event last, in milliseconds since 1970; 0 if never.
    pub accepted_at: i64,
    /// The application that declares it.
    pub application: String,
}

impl EndpointState {
    /// The codecs of a row.
    pub(super) const CODECS: [Codec; 6] =
        [Codec::Text, Codec::Integer, Codec::Text, Codec::Integer, Codec::Integer, Codec::Text];

    pub(super) fn of(row: &[Value]) -> Option<Self> {
        let [name, disabled_at, reason, paused_until, accepted_at, application] = row else {
            return None;
        };
        Some(Self {
            name: name.to_string(),
            disabled_at: number(disabled_at),
            reason: text(reason),
            paused_until: number(paused_until)?,
            accepted_at: number(accepted_at)?,
            application: application.to_string(),
        })
    }
}

/// An event of the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxEvent {
    /// Its place in the order of events.
    pub sequence: i64,
    /// Its id.
    pub id: String,
    /// Its endpoint.
    pub endpoint: String,
    /// Its type, such as `orders.updated`.
    pub kind: String,
    /// The key of the row, as a JSON array; `null` where all rows are meant.
    pub key: String,
    /// When it was recorded, in milliseconds since 1970.
    pub created_at: i64,
    /// Attempts so far.
    pub attempts: i64,
    /// The body of the last attempt, if that has failed.
    pub payload: Option<String>,
    /// 0 waits, 1 was delivered, 2 is a dead letter.
    pub state: i64,
    /// When it is due, in milliseconds since 1970; 0 at once.
    pub next_at: i64,
    /// When it was delivered, or given up.
    pub done_at: Option<i64>,
    /// The status of the last answer.
    pub last_status: Option<i64>,
    /// Why the last attempt has failed.
    pub last_error: Option<String>,
    /// When the first attempt began.
    pub begun_at: Option<i64>,
}

impl OutboxEvent {
    /// The codecs of a row.
    const CODECS: [Codec; 14] = [
        Codec::Integer,
        Codec::Text,
        Codec::Text,
        Codec::Text,
        Codec::Text,
        Codec::Integer,
        Codec::Integer,
        Codec::Text,
        Codec::Integer,
        Codec::Integer,
        Codec::Integer,
        Codec::Integer,
        Codec::Text,
        Codec::Integer,
    ];

    fn of(row: &[Value]) -> Option<Self> {
        let at = |at: usize| row.get(at);
        let text_at = |place: usize| at(place).map(ToString::to_string);
        let number_at = |place: usize| at(place).and_then(number);
        Some(Self {
            sequence: number_at(0)?,
            id: text_at(1)?,
            endpoint: text_at(2)?,
            kind: text_at(3)?,
            key: text_at(4)?,
            created_at: number_at(5)?,
            attempts: number_at(6)?,
            payload: at(7).and_then(text),
            state: number_at(8)?,
            next_at: number_at(9)?,
            done_at: number_at(10),
            last_status: number_at(11),
            last_error: at(12).and_then(text),
            begun_at: number_at(13),
        })
    }

    /// The attempt that a claim has begun.
    pub(super) fn attempted(&self) -> WebhookAttempt {
        WebhookAttempt { sequence: self.sequence, attempt: self.attempts }
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| value.to_string())
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, millis)
}

pub(super) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX / 2)
}

/// Takes events that are due, in one transaction.
struct Claim {
    store: SharedStore,
    endpoint: String,
    most: usize,
    lease: Duration,
}

#[async_trait(?Send)]
impl Write for Claim {
    type Output = Vec<OutboxEvent>;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>> {
        let (dialect, now) = (self.store.dialect(), now());
        let due = due_events(dialect, &self.endpoint, now, self.most);
        let call = own(due, OutboxEvent::CODECS.to_vec());
        let done = session.run_own(std::slice::from_ref(&call)).await?;
        let rows = done.first().map(|done| &done.rows);
        let of_row = |row: usize| {
            let rows = rows?;
            let columns = call.codecs.iter().enumerate();
            let values: Vec<_> =
                columns.map(|(at, codec)| codec.value(rows.get(row, at))).collect();
            OutboxEvent::of(&values)
        };
        let count = rows.map_or(0, duet_document::RowSet::len);
        let mut events: Vec<OutboxEvent> = (0..count).filter_map(of_row).collect();
        if events.is_empty() {
            return Ok(Ending::Rollback(events));
        }
        let sequences: Vec<i64> = events.iter().map(|event| event.sequence).collect();
        let until = now.saturating_add(millis(self.lease));
        let claim = claim_events(dialect, &sequences, now, until);
        session.run_own(&[own(claim, Vec::new())]).await?;
        for event in &mut events {
            event.attempts += 1;
            event.begun_at = event.begun_at.or(Some(now));
        }
        Ok(Ending::Commit(events))
    }
}

/// The states of events with their names.
impl OutboxEvent {
    /// The name of each state, by its number.
    pub const STATES: [&'static str; 3] = ["waiting", "delivered", "dead"];

    /// The name of its state.
    pub fn state_name(&self) -> &'static str {
        usize::try_from(self.state).ok().and_then(|at| Self::STATES.get(at)).unwrap_or(&"")
    }
}

impl RequestContext<'_> {
    /// The endpoints that have an event which is due.
    pub(super) async fn due_endpoints(&self, application: &str) -> Result<Vec<String>> {
        let due = own(due_endpoints(self.dialect(), application, now()), vec![Codec::Text]);
        let (_, rows) = run(self, due).await?;
        Ok(rows.into_iter().flatten().map(|name| name.to_string()).collect())
    }

    /// Takes events of an endpoint that are due. After `lease` they are due again.
    pub(super) async fn claim(
        &self,
        endpoint: &str,
        most: usize,
        lease: Duration,
    ) -> Result<Vec<OutboxEvent>> {
        let (store, endpoint) = (self.service().store().clone(), endpoint.to_owned());
        self.handle().write(Arc::new(Claim { store, endpoint, most, lease })).await
    }

    /// Runs statements on the outbox in one transaction; how many rows each affects.
    pub(super) async fn note(&self, statements: Vec<Statement>) -> Result<Vec<u64>> {
        let calls: Vec<Call> =
            statements.into_iter().map(|statement| own(statement, Vec::new())).collect();
        run_counted(self, calls).await
    }

    /// Counts the events of an endpoint in a state, up to so many, and when one of them was recorded first.
    pub(super) async fn count_events(
        &self,
        endpoint: &str,
        state: i64,
        most: usize,
    ) -> Result<(u64, Option<u64>)> {
        let count = count_events(self.dialect(), endpoint, state, most);
        let (_, rows) = run(self, own(count, vec![Codec::Integer; 2])).await?;
        let row = rows.first();
        let at = |at: usize| row.and_then(|row| number(row.get(at)?)?.try_into().ok());
        Ok((at(0).unwrap_or(0), at(1)))
    }

    /// Removes events that were delivered before a moment, some at a time; how many.
    pub(super) async fn forget_delivered(&self, endpoint: &str, before: i64) -> Result<u64> {
        const SOME: usize = 1_000;
        let remove = remove_events(self.dialect(), endpoint, 1, before, SOME);
        Ok(run(self, own(remove, Vec::new())).await?.0)
    }

    /// Removes events of views that were recorded longer ago than this, but for the newest one of each view.
    ///
    /// # Errors
    /// Where the database cannot be asked or written.
    pub async fn forget_view_events(&self, snapshot: &Snapshot, kept: Duration) -> Result<()> {
        const SOME: usize = 1_000;
        let Ok(views) = snapshot.recorded_views() else { return Ok(()) };
        let before = now().saturating_sub(millis(kept));
        for view in views {
            let find = oldest_to_keep(self.dialect(), view.endpoint, before);
            let (_, rows) = run(self, own(find, vec![Codec::Integer; 2])).await?;
            let Some([Value::Int(transaction), Value::Int(sequence)]) =
                rows.first().map(|row| &row[..])
            else {
                continue;
            };
            let oldest = EventPosition { transaction: *transaction, sequence: *sequence };
            loop {
                let remove = remove_view_events(self.dialect(), view.endpoint, oldest, SOME);
                if run(self, own(remove, Vec::new())).await?.0 == 0 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Events of an endpoint, the newest first.
    ///
    /// # Errors
    /// Where the database cannot be asked.
    pub async fn outbox_events(
        &self,
        endpoint: &str,
        filter: &EventFilter,
        most: usize,
    ) -> Result<Vec<OutboxEvent>> {
        let read = read_events(self.dialect(), endpoint, filter, most);
        let (_, rows) = run(self, own(read, OutboxEvent::CODECS.to_vec())).await?;
        Ok(rows.iter().filter_map(|row| OutboxEvent::of(row)).collect())
    }

    /// How many events of an endpoint are in each state, up to a limit.
    ///
    /// # Errors
    /// Where the database cannot be asked.
    pub async fn outbox_counts(&self, endpoint: &str, most: usize) -> Result<[u64; 3]> {
        let mut counts = [0; 3];
        for (state, count) in counts.iter_mut().enumerate() {
            (*count, _) = self.count_events(endpoint, state as i64, most).await?;
        }
        Ok(counts)
    }

    /// Makes events that have ended due again; how many.
    ///
    /// # Errors
    /// Where the database cannot be written.
    pub async fn replay_events(&self, endpoint: &str, filter: &EventFilter) -> Result<u64> {
        let replay = replay_events(self.dialect(), endpoint, filter);
        Ok(run(self, own(replay, Vec::new())).await?.0)
    }

    /// Removes dead letters of an endpoint; how many.
    ///
    /// # Errors
    /// Where the database cannot be written.
    pub async fn discard_dead_events(&self, endpoint: &str) -> Result<u64> {
        let remove = remove_events(self.dialect(), endpoint, 2, i64::MAX, usize::MAX >> 1);
        Ok(run(self, own(remove, Vec::new())).await?.0)
    }

    /// Enables an endpoint, or disables it for a reason; whether it was otherwise before.
    ///
    /// # Errors
    /// Where the database cannot be written.
    pub async fn switch_endpoint(&self, endpoint: &str, disabled: Option<&str>) -> Result<bool> {
        let dialect = self.dialect();
        let switch = match disabled {
            Some(reason) => disable_endpoint(dialect, endpoint, reason, now(), None),
            None => enable_endpoint(dialect, endpoint),
        };
        Ok(run(self, own(switch, Vec::new())).await?.0 > 0)
    }
}
