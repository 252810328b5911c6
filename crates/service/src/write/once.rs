//! Writes that take effect once for each idempotency key (draft-ietf-httpapi-idempotency-key-header).
//!
//! The key and the answer are stored in the transaction of the write, so there is an effect if and only
//! if there is a key. A second request with the key waits for the transaction of the first; then it gets
//! the stored answer, or takes the key itself where the first has failed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use duet_document::{Codec, Datum};
use duet_model::{Code, Error, Result, Value};
use duet_sql::{Statement, find_key_table, read_key, remove_expired, store_answer, take_key};
use duet_store::{Call, Done, Ending, Session, SharedStore, Write, Writes, document_key};

use crate::definition::KeyLimits;
use crate::hosting::context::RequestContext;
use crate::hosting::service::Service;

/// A key, its owner, and a hash of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The caller.
    pub caller: String,
    /// The path of the resource.
    pub resource: String,
    /// The key.
    pub key: String,
    /// A hash of the request: another request with the key is refused.
    pub fingerprint: String,
}

impl IdempotencyKey {
    fn id(&self) -> [&str; 3] {
        [&self.caller, &self.resource, &self.key]
    }
}

/// The answer of a write as it is stored with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The status.
    pub status: u16,
    /// Headers of the answer.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl StoredAnswer {
    /// The headers as one text: header values have no line breaks.
    fn header_text(&self) -> String {
        let lines = self.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
        lines.collect()
    }

    fn read(status: &Value, headers: &Value, body: &Value) -> Option<Self> {
        let (Value::Int(status), Value::Text(headers), Value::Bytes(body)) =
            (status, headers, body)
        else {
            return None;
        };
        let header = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_owned(), value.to_owned()))
        };
        Some(Self {
            status: u16::try_from(*status).ok()?,
            headers: headers.lines().filter_map(header).collect(),
            body: body.clone(),
        })
    }
}

/// A key for a write, and how the write is answered.
pub struct Once<T> {
    key: IdempotencyKey,
    answer: Arc<dyn Fn(T) -> StoredAnswer + Send + Sync>,
}

impl<T> Clone for Once<T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), answer: Arc::clone(&self.answer) }
    }
}

impl<T> Once<T> {
    /// The answer is made inside of the transaction, on the thread that writes.
    pub fn new(
        key: IdempotencyKey,
        answer: impl Fn(T) -> StoredAnswer + Send + Sync + 'static,
    ) -> Self {
        Self { key, answer: Arc::new(answer) }
    }
}

impl<T> fmt::Debug for Once<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Once").field(&self.key).finish()
    }
}

/// What a write gives.
#[derive(Debug)]
pub enum WriteAnswer<T> {
    /// The outcome of a write without a key.
    Now(T),
    /// The answer of a write with a key.
    Answered {
        /// The answer.
        answer: StoredAnswer,
        /// Whether an earlier request has got it already.
        replayed: bool,
    },
}

impl RequestContext<'_> {
    /// Writes, once for each key where there is one. `finds` is that of [`Self::write_found`].
    pub(crate) async fn write_once<W: Write>(
        &self,
        job: W,
        once: Option<Once<W::Output>>,
        finds: &dyn Fn(&Error) -> bool,
    ) -> Result<WriteAnswer<W::Output>> {
        let Some(Once { key, answer }) = once else {
            return self.write_found(Arc::new(job), finds).await.map(WriteAnswer::Now);
        };
        let job = Box::new(AnsweredJob { job, answer });
        let (answer, replayed) = self.write_keyed(job, key, finds).await?;
        Ok(WriteAnswer::Answered { answer, replayed })
    }

    /// Writes, once for the key; gives the answer, and whether an earlier request has got it already.
    async fn write_keyed(
        &self,
        job: Box<dyn Write<Output = StoredAnswer>>,
        key: IdempotencyKey,
        finds: &dyn Fn(&Error) -> bool,
    ) -> Result<(StoredAnswer, bool)> {
        let service = Arc::clone(self.service());
        let store = service.store().clone();
        let limits = service.write_limits().keys;
        let taken = AtomicBool::new(false);
        let job = Arc::new(OnceJob { job, key, service, store, limits, taken });
        let written = self.write_found(Arc::clone(&job), finds).await;
        written.map_err(|error| job.key_error(error))
    }
}

/// A write whose output is made an answer within its transaction.
struct AnsweredJob<W: Write> {
    job: W,
    answer: Arc<dyn Fn(W::Output) -> StoredAnswer + Send + Sync>,
}

#[async_trait(?Send)]
impl<W: Write> Write for AnsweredJob<W> {
    type Output = StoredAnswer;

    fn is_large(&self) -> bool {
        self.job.is_large()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<StoredAnswer>> {
        Ok(self.job.run(session).await?.map(&*self.answer))
    }
}

struct OnceJob {
    job: Box<dyn Write<Output = StoredAnswer>>,
    key: IdempotencyKey,
    service: Arc<Service>,
    store: SharedStore,
    limits: KeyLimits,
    /// Whether the last attempt has taken the key; shows what a lock was waited for.
    taken: AtomicBool,
}

#[async_trait(?Send)]
impl Write for OnceJob {
    type Output = (StoredAnswer, bool);

    /// Requests with the same key run one at a time, before they take a connection.
    fn touches(&self) -> Option<u64> {
        let key = self.key.id().map(|part| Value::Text(part.to_owned()));
        Some(document_key("duet", "idempotency", &key))
    }

    fn is_large(&self) -> bool {
        self.job.is_large()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>> {
        self.taken.store(false, Ordering::Relaxed);
        self.find_table(session).await?;
        if let Some(stored) = self.take(session).await? {
            return Ok(Ending::Rollback((stored, true)));
        }
        self.taken.store(true, Ordering::Relaxed);
        Ok(match self.job.run(session).await? {
            Ending::Rollback(answer) => Ending::Rollback((answer, false)),
            Ending::DryRun(answer) => Ending::DryRun((answer, false)),
            Ending::Commit(answer) => {
                self.store(session, &answer).await?;
                Ending::Commit((answer, false))
            }
        })
    }
}

impl OnceJob {
    /// Whether there is a table for keys; checked until it is found.
    async fn find_table(&self, session: &mut dyn Session) -> Result<()> {
        if self.service.key_table().is_there() {
            return Ok(());
        }
        let call = own(find_key_table(self.store.dialect()), vec![Codec::Text]);
        let done = session.run_own(&[call]).await?;
        let is_there = done
            .first()
            .is_some_and(|done| !done.rows.is_empty() && done.rows.get(0, 0) != Datum::Null);
        if !is_there {
            let message = "This server keeps no idempotency keys: their table was not made. Nothing was changed.";
            return Err(Error::new(Code::IdempotencyNotPrepared, message).hint(
                "The operator makes it with `duet service prepare --database URL`; until then, send the request without Idempotency-Key.",
            ));
        }
        self.service.key_table().found(true);
        Ok(())
    }

    /// Takes the key; gives the stored answer where another request has taken it.
    async fn take(&self, session: &mut dyn Session) -> Result<Option<StoredAnswer>> {
        let (dialect, key) = (self.store.dialect(), &self.key);
        let now = now();
        let expires = now.saturating_add(millis(self.limits.ttl));
        let take = take_key(dialect, key.id(), &key.fingerprint, now, expires);
        let taken = session.run_own(&[own(take, Vec::new())]).await.inspect_err(|error| {
            // It may have been dropped: the next request looks.
            if error.code == Code::SchemaChanged {
                self.service.key_table().found(false);
            }
        })?;
        if taken.iter().any(|taken| taken.affected > 0) {
            return Ok(None);
        }
        self.stored(session).await.map(Some)
    }

    /// The answer of the request that has taken the key.
    async fn stored(&self, session: &mut dyn Session) -> Result<StoredAnswer> {
        let key = &self.key;
        let read = read_key(self.store.dialect(), key.id());
        let done = session.run_own(&[own(read, CODECS.to_vec())]).await?;
        let [Done { rows, .. }] = &done[..] else {
            return Err(Error::internal("the statement of a key gave other results"));
        };
        if rows.is_empty() {
            return Err(in_progress());
        }
        let values: Vec<Value> =
            CODECS.iter().enumerate().map(|(at, codec)| codec.value(rows.get(0, at))).collect();
        if values[0] != Value::Text(key.fingerprint.clone()) {
            let message = "This Idempotency-Key was sent with another request: its method, path, body or conditions differ. Nothing was changed.";
            return Err(Error::new(Code::IdempotencyMismatch, message).hint(
                "Use a new key for each request, and repeat one only with the same request.",
            ));
        }
        let stored = StoredAnswer::read(&values[1], &values[2], &values[3]);
        stored.ok_or_else(|| Error::internal("a key has no answer"))
    }

    /// Stores the answer, and now and then removes keys that have expired; the last that is done.
    async fn store(&self, session: &mut dyn Session, answer: &StoredAnswer) -> Result<()> {
        let (dialect, key) = (self.store.dialect(), &self.key);
        let headers = answer.header_text();
        let bytes = answer.body.len() + headers.len();
        if bytes > self.limits.answer_bytes {
            let message = format!(
                "The answer has {bytes} bytes, and {} are stored with an Idempotency-Key (`--idempotency-answer-bytes`). Nothing was changed.",
                self.limits.answer_bytes
            );
            return Err(Error::new(Code::IdempotencyAnswer, message)
                .hint("Send `Prefer: return=minimal`, or fewer documents at once."));
        }
        let store = store_answer(dialect, key.id(), answer.status, &headers, &answer.body);
        let expired = self.service.key_table().removes();
        let expired = expired.map(|most| remove_expired(dialect, now(), most));
        let last: Vec<Call> = [Some(store), expired]
            .into_iter()
            .flatten()
            .map(|last| own(last, Vec::new()))
            .collect();
        session.run_own_last(&last).await
    }

    /// The error of the response. A lock that was waited for before the key was taken belongs to another
    /// request with the key.
    fn key_error(&self, error: Error) -> Error {
        let has_locks = self.store.dialect().row_lock().is_some();
        let is_of_key = error.code == Code::DatabaseLocked && !self.taken.load(Ordering::Relaxed);
        if is_of_key && has_locks { in_progress() } else { error }
    }
}

fn in_progress() -> Error {
    let message = "Another request with this Idempotency-Key is still being answered. Nothing was changed by this one.";
    Error::new(Code::IdempotencyInProgress, message)
        .hint("Try again in a moment with the same key: you then get the response of the first request.")
        .retry_after(1)
}

/// The codecs of what [`read_key`] reads.
const CODECS: [Codec; 4] = [Codec::Text, Codec::Integer, Codec::Text, Codec::Binary];

/// A statement on the table of keys, which commit events do not report.
fn own(statement: Statement, codecs: Vec<Codec>) -> Call {
    Call { statement, codecs, writes: Writes::Nothing }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, millis)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
