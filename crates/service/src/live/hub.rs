//! The topics of an application: one for all queries of a resource under one identity, with the same members.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use duet_model::commit::CommitConsumer;
use duet_model::{Result, Shape};
use duet_store::Commits;
use tokio::sync::mpsc;

use super::counts::LiveCounts;
use super::event::EndReason;
use super::feed::{Feed, Pending};
use super::log::LogRoom;
use super::message::Message;

/// The topics of an application.
#[derive(Debug)]
pub(crate) struct LiveHub {
    feed: Arc<Feed>,
    topics: Mutex<BTreeMap<String, TopicEntry>>,
    counts: Arc<LiveCounts>,
    pub(crate) room: Arc<LogRoom>,
    /// The next number of a topic or log: those of another run are others.
    next: AtomicU64,
}

#[derive(Debug)]
struct TopicEntry {
    number: u64,
    inbox: mpsc::UnboundedSender<Message>,
}

impl Default for LiveHub {
    fn default() -> Self {
        let counts = Arc::<LiveCounts>::default();
        let room = Arc::new(LogRoom::new(Arc::clone(&counts)));
        let next = AtomicU64::new(RandomState::new().hash_one(0_u8) >> 1);
        Self { feed: Arc::default(), topics: Mutex::default(), counts, room, next }
    }
}

impl LiveHub {
    /// What following queries has taken.
    pub(crate) fn counts(&self) -> &Arc<LiveCounts> {
        &self.counts
    }

    /// Whether commits are to be watched for.
    pub(crate) fn is_needed(&self) -> bool {
        !self.topics().is_empty()
    }

    /// A number that no other topic or log has.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Has all topics look whether the application is still the one that they serve.
    pub(crate) fn look(&self) {
        for topic in self.topics().values() {
            // One that has just ended needs no message.
            let _ = topic.inbox.send(Message::Look);
        }
    }

    /// Ends all topics: the application is closed, for a reason.
    pub(crate) fn close(&self, reason: &EndReason) {
        for topic in self.topics().values() {
            let _ = topic.inbox.send(Message::End(reason.clone()));
        }
    }

    fn topics(&self) -> MutexGuard<'_, BTreeMap<String, TopicEntry>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inbox of a topic; where there is none, one is made and `start` starts the topic.
    ///
    /// # Errors
    /// Those of `start`.
    pub(crate) fn inbox(
        &self,
        name: &str,
        shape: &Arc<Shape>,
        commits: &Commits,
        start: impl FnOnce(NewTopic) -> Result<()>,
    ) -> Result<mpsc::UnboundedSender<Message>> {
        let mut topics = self.topics();
        if let Some(known) = topics.get(name).filter(|known| !known.inbox.is_closed()) {
            return Ok(known.inbox.clone());
        }
        let (inbox, messages) = mpsc::unbounded_channel();
        let (number, pending) = (self.number(), Arc::new(Pending::default()));
        let name = name.to_owned();
        start(NewTopic {
            name: name.clone(),
            number,
            pending: Arc::clone(&pending),
            inbox: messages,
        })?;
        if topics.is_empty() {
            commits.subscribe(Arc::clone(&self.feed) as Arc<dyn CommitConsumer>);
        }
        self.feed.add(shape, number, &pending);
        topics.insert(name, TopicEntry { number, inbox: inbox.clone() });
        Ok(inbox)
    }

    /// Lets go of a topic that follows nothing; false where somebody has just come. `is_idle` is asked while nobody can
    /// come.
    pub(crate) fn retire(
        &self,
        name: &str,
        number: u64,
        shape: &Arc<Shape>,
        commits: &Commits,
        is_idle: impl FnOnce() -> bool,
    ) -> bool {
        let mut topics = self.topics();
        if !is_idle() {
            return false;
        }
        if topics.get(name).is_some_and(|known| known.number == number) {
            topics.remove(name);
        }
        self.feed.remove(shape, number);
        if topics.is_empty() {
            commits.unsubscribe(&(Arc::clone(&self.feed) as Arc<dyn CommitConsumer>));
        }
        true
    }
}

/// What a topic is started with.
#[derive(Debug)]
pub(crate) struct NewTopic {
    pub(crate) name: String,
    /// Its number among those that have had this name.
    pub(crate) number: u64,
    pub(crate) pending: Arc<Pending>,
    pub(crate) inbox: mpsc::UnboundedReceiver<Message>,
}
