//! One write's part in a transaction that several share; see `group.rs`.

use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;
use duet_document::RowSet;
use duet_model::{Code, Error, Result, Value};
use tokio::sync::{oneshot, watch};

use duet_store::read::{Answer, KeyedRead, PageRead};
use duet_store::refusal::refusal;
use duet_store::write::call::{Call, Done};
use duet_store::write::{AnyWrite, LockedRead, Records, Session, UpdatedRows};

/// The place of a group, kept by a write that is alone in it.
pub(crate) type Slot = oneshot::Sender<Infallible>;

/// What has become of a write in a group.
pub(crate) enum Shared {
    /// It has ended.
    Ended,
    /// Nothing was done: it needs a transaction of its own. Until that has ended it may keep the place
    /// of a group.
    Alone(Option<Slot>),
}

/// What a write wants after it has seen its document.
pub(crate) enum Step {
    /// To update rows of it and commit.
    Finish(Vec<UpdatedRows>, oneshot::Sender<Finish>),
    /// Something else, for which it needs a transaction of its own.
    Leave,
}

/// How updates have ended.
pub(crate) enum Finish {
    /// They are committed, and returned these rows.
    Committed(Vec<RowSet>),
    /// Nothing was done.
    Undone,
    /// That is not known.
    Unknown(Box<Error>),
}

/// A document that is locked for its write.
pub(crate) struct Seat {
    pub(crate) read: Arc<KeyedRead>,
    pub(crate) answer: Answer,
    pub(crate) records: Records,
    pub(crate) step: oneshot::Sender<Step>,
    /// Closed at the end of the transaction.
    pub(crate) ended: watch::Receiver<()>,
}

impl Seat {
    /// Runs a write.
    ///
    /// # Errors
    /// Those of the write.
    pub(crate) async fn run(self, work: &AnyWrite, key: &Vec<Value>) -> Result<Shared> {
        let Self { read, answer, records, step, ended: mut transaction } = self;
        let mut member =
            Member { read, key, answer: Some(answer), records, step: Some(step), left: false };
        let ended = work.run(&mut member).await;
        let left = member.left;
        drop(member);
        if left {
            // Its rows are locked until then.
            drop(transaction.changed().await);
            return Ok(Shared::Alone(None));
        }
        ended.map(|_| Shared::Ended)
    }
}

/// The session of a write in a group.
struct Member<'k> {
    read: Arc<KeyedRead>,
    key: &'k Vec<Value>,
    /// The document, until it is read.
    answer: Option<Answer>,
    records: Records,
    step: Option<oneshot::Sender<Step>>,
    /// Whether it must be run again in a transaction of its own.
    left: bool,
}

impl Member<'_> {
    fn leave<T>(&mut self) -> Result<T> {
        self.left = true;
        if let Some(step) = self.step.take() {
            drop(step.send(Step::Leave));
        }
        Err(Error::internal("the write leaves its group"))
    }
}

#[async_trait(?Send)]
impl Session for Member<'_> {
    async fn read(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        let is_own =
            Arc::ptr_eq(&read.read, &self.read) && matches!(keys, [key] if key == self.key);
        match self.answer.take().filter(|_| is_own && !self.left) {
            Some(answer) => Ok(vec![answer]),
            None => self.leave(),
        }
    }

    async fn reread(&mut self, _: &LockedRead, _: &[Vec<Value>]) -> Result<Vec<Answer>> {
        self.leave()
    }

    async fn page(&mut self, _: &PageRead) -> Result<Answer> {
        self.leave()
    }

    async fn run(&mut self, _: &[Call]) -> Result<Vec<Done>> {
        self.leave()
    }

    fn records(&self) -> Records {
        self.records
    }

    fn may_finish(&self) -> bool {
        self.answer.is_none() && self.step.is_some()
    }

    async fn finish(&mut self, updates: &[UpdatedRows]) -> Result<Vec<RowSet>> {
        let Some(step) = self.step.take() else { return self.leave() };
        let (reply, finish) = oneshot::channel();
        if step.send(Step::Finish(updates.to_vec(), reply)).is_err() {
            return self.leave();
        }
        match finish.await {
            Ok(Finish::Committed(sets)) => Ok(sets),
            Ok(Finish::Undone) => self.leave(),
            Ok(Finish::Unknown(error)) => Err(*error),
            Err(_) => {
                Err(refusal(Code::OutcomeUnknown).cause("a group has ended without an answer"))
            }
        }
    }

    async fn savepoint(&mut self) -> Result<()> {
        self.leave()
    }

    async fn rollback_to_savepoint(&mut self) -> Result<()> {
        self.leave()
    }

    async fn release_savepoint(&mut self) -> Result<()> {
        self.leave()
    }
}
