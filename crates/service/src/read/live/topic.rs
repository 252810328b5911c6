//! A topic: follows the queries of one resource under one identity. It is one task, so that the events of a query have
//! one order; what commits bring meanwhile waits, and is looked at together.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_model::dependents::{AffectedDocuments, Dependents};
use duet_model::{Code, Error, Expr, Page, Result, Shape, Value};
use duet_rowstore::KeyBytes;
use futures_util::future::{join_all, try_join_all};
use tokio::sync::mpsc;

use super::links;
use super::reads::Reader;
use super::sight::Sight;
use crate::definition::LiveLimits;
use crate::hosting::service::Service;
use crate::live::counts::LiveCounts;
use crate::live::document::ReadDocument;
use crate::live::event::{self, EndReason, EventId};
use crate::live::feed::{Pending, PendingChanges};
use crate::live::group::{Group, Passage, data};
use crate::live::hub::NewTopic;
use crate::live::interests::{GroupId, Interest, Interests};
use crate::live::log::EventLog;
use crate::live::message::{Join, JoinedQuery, Message};
use crate::live::query::{LiveQuery, QueryScope};

/// Documents that are read together, and states.
const AT_ONCE: usize = 256;
/// Queries that are asked together.
const ASKED_AT_ONCE: usize = 32;
/// How long subscribers get to read before much more is put into logs: those that read are not slow.
const READING: Duration = Duration::from_millis(2);
/// How often a failed look at the database is repeated, with pauses that double from the first one.
const RETRIES: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// A topic.
#[derive(Debug)]
pub(crate) struct Topic {
    name: String,
    number: u64,
    generation: u64,
    reader: Reader,
    index: Dependents,
    pending: Arc<Pending>,
    inbox: mpsc::UnboundedReceiver<Message>,
    groups: HashMap<GroupId, Group>,
    names: HashMap<String, GroupId>,
    interests: Interests,
    next_group: GroupId,
    /// Queries without subscribers, by when they lost the last one.
    idle: VecDeque<(Instant, GroupId)>,
    /// Queries that select more documents than they may.
    large: Vec<GroupId>,
    most_documents: u64,
    /// Bytes of events since subscribers had time to read.
    unread: usize,
    sight: Sight,
    /// Why the application was closed.
    closed: Option<EndReason>,
    /// Whether all queries are to be read again, and not before when.
    is_unsure: bool,
    reread_after: Instant,
    failures: u32,
}

impl Topic {
    pub(crate) fn new(new: NewTopic, reader: Reader, generation: u64) -> Self {
        let NewTopic { name, number, pending, inbox } = new;
        let index = Dependents::new(vec![Arc::clone(&reader.resource.shape)]);
        let service = reader.worker.service();
        let sight = Sight::of(service.store(), &reader.resource.shape);
        let most_documents = service.limits().live.documents;
        Self {
            name,
            number,
            generation,
            reader,
            index,
            pending,
            inbox,
            groups: HashMap::new(),
            names: HashMap::new(),
            interests: Interests::default(),
            next_group: 0,
            idle: VecDeque::new(),
            large: Vec::new(),
            most_documents,
            unread: 0,
            sight,
            closed: None,
            is_unsure: false,
            reread_after: Instant::now(),
            failures: 0,
        }
    }

    /// Lets go of it; false where somebody has just come.
    fn retire(&self, is_idle: impl FnOnce() -> bool) -> bool {
        let commits = self.service().store().commits();
        self.service().live().retire(&self.name, self.number, self.shape(), commits, is_idle)
    }

    pub(crate) fn shape(&self) -> &Arc<Shape> {
        &self.reader.resource.shape
    }

    pub(crate) fn service(&self) -> &Arc<Service> {
        self.reader.worker.service()
    }

    fn counts(&self) -> &Arc<LiveCounts> {
        self.service().live().counts()
    }

    fn limits(&self) -> LiveLimits {
        self.service().limits().live
    }

    /// Follows its queries until there are none, or the application is replaced.
    pub(crate) async fn run(mut self) {
        loop {
            let joins = self.wait().await;
            if let Some(reason) = self.closed.take().or_else(|| self.replaced()) {
                self.end_all(&reason);
                break;
            }
            if let Err(error) = self.look().await
                && !self.goes_on_after(error.clone()).await
            {
                refuse(joins, &error);
                break;
            }
            self.join(joins).await;
            self.forget_idle();
            // The hub has one sender; others are of those who are about to join.
            let nobody = || self.inbox.is_empty() && self.inbox.sender_strong_count() <= 1;
            let is_idle = || self.groups.is_empty() && nobody();
            if self.retire(is_idle) {
                break;
            }
        }
        self.retire(|| true);
        if let Err(error) = self.service().watch_commits().await {
            tracing::warn!(%error, "commits are still watched for");
        }
    }

    /// Why it ends, where the application was replaced by one that may not have the resource.
    fn replaced(&self) -> Option<EndReason> {
        let snapshot = self.service().snapshot();
        let name = &self.reader.resource.name;
        if snapshot.generation == self.generation {
            return None;
        }
        if snapshot.resources().any(|resource| resource.name == *name) {
            return Some(EndReason::Reloaded);
        }
        let gone = Error::new(Code::NotServed, format!("{name} is no longer served."));
        Some(EndReason::Failed(Box::new(gone)))
    }

    /// Waits for something to do; who wants to join.
    async fn wait(&mut self) -> Vec<Join> {
        let retention = self.limits().retention;
        let expires = self.idle.front().map(|(since, _)| *since + retention);
        let due = self.is_unsure.then_some(self.reread_after);
        let next = [expires, due].into_iter().flatten().min();
        let timer = async {
            match next {
                Some(moment) => tokio::time::sleep_until(moment.into()).await,
                None => std::future::pending().await,
            }
        };
        let mut joins = Vec::new();
        tokio::select! {
            biased;
            () = self.pending.arrived.notified() => {}
            Some(message) = self.inbox.recv() => self.hear(message, &mut joins),
            () = timer => {}
        }
        while joins.len() < AT_ONCE
            && let Ok(message) = self.inbox.try_recv()
        {
            self.hear(message, &mut joins);
        }
        joins
    }

    fn hear(&mut self, message: Message, joins: &mut Vec<Join>) {
        match message {
            Message::Join(join) => joins.push(*join),
            Message::Look => {}
            Message::End(reason) => self.closed = Some(reason),
            Message::Leave(id) => {
                let Some(group) = self.groups.get_mut(&id) else { return };
                group.subscribers = group.subscribers.saturating_sub(1);
                if group.subscribers == 0 {
                    let now = Instant::now();
                    group.idle_since = Some(now);
                    self.idle.push_back((now, id));
                }
            }
        }
    }

    /// Looks at what has changed.
    async fn look(&mut self) -> Result<()> {
        let PendingChanges { mut keys, linked, any, .. } = self.pending.take();
        self.is_unsure |= any;
        if any {
            self.look_at_sight();
        }
        if !linked.is_empty() && !self.is_unsure {
            match links::affected(&self.reader, &self.index, &linked).await? {
                AffectedDocuments::Any => self.is_unsure = true,
                AffectedDocuments::Keys(found) => {
                    keys.extend(found.into_iter().map(|key| (KeyBytes::of(&key), key)));
                }
            }
        }
        self.follow_keys(keys).await?;
        if self.is_unsure && Instant::now() >= self.reread_after {
            self.reread().await?;
        }
        self.failures = 0;
        Ok(())
    }

    /// Says where it is seen from now on whose commits.
    fn look_at_sight(&mut self) {
        let sight = Sight::of(self.service().store(), self.shape());
        if sight != self.sight {
            let data = sight.json().to_string();
            self.groups.values().for_each(|group| group.log.push("sees", data.as_bytes()));
            self.sight = sight;
        }
    }

    /// Compares documents that may have changed with the queries that they may concern.
    async fn follow_keys(&mut self, keys: HashMap<KeyBytes, Vec<Value>>) -> Result<()> {
        let wanted = keys.into_iter().filter(|(id, _)| self.interests.may_concern(id));
        let (ids, keys): (Vec<KeyBytes>, Vec<Vec<Value>>) = wanted.unzip();
        let columns: Vec<usize> = self.interests.columns().collect();
        for (ids, keys) in ids.chunks(AT_ONCE).zip(keys.chunks(AT_ONCE)) {
            let documents = self.reader.by_keys(keys, &columns).await?;
            self.counts().documents_total.add(ids.len() as u64);
            let mut asked = BTreeMap::<GroupId, Vec<usize>>::new();
            for (at, (id, document)) in ids.iter().zip(&documents).enumerate() {
                self.let_read().await;
                let values = document.as_ref().map_or(&[][..], |document| &document.values);
                for group in self.interests.concerned(id, values) {
                    self.counts().comparisons_total.add(1);
                    match (self.groups.get(&group), document) {
                        (Some(known), Some(_)) if known.asks => {
                            asked.entry(group).or_default().push(at);
                        }
                        (Some(known), document) => {
                            let selected = document.as_ref().filter(|it| known.selects(it));
                            self.compare(group, id, selected);
                        }
                        (None, _) => {}
                    }
                }
            }
            self.ask(asked, ids, keys).await?;
        }
        self.end_large();
        Ok(())
    }

    /// Asks the database which of the documents some queries select.
    async fn ask(
        &mut self,
        asked: BTreeMap<GroupId, Vec<usize>>,
        ids: &[KeyBytes],
        keys: &[Vec<Value>],
    ) -> Result<()> {
        let asked: Vec<(GroupId, Vec<usize>)> = asked.into_iter().collect();
        for some in asked.chunks(ASKED_AT_ONCE) {
            let reads = some.iter().filter_map(|(group, places)| {
                let QueryScope::Page(selected) = &self.groups.get(group)?.selected else {
                    return None;
                };
                let of: Vec<&[Value]> = places.iter().map(|at| keys[*at].as_slice()).collect();
                let filter = selected.page.filter.clone().and(self.reader.has_key(&of));
                let page = Page { filter, limit: of.len() as u64, ..selected.page.clone() };
                let reader = &self.reader;
                Some(async move { reader.page(&selected.representation, page).await })
            });
            let found = try_join_all(reads.collect::<Vec<_>>()).await?;
            self.counts().asked_total.add(found.len() as u64);
            for ((group, places), found) in some.iter().zip(found) {
                let found: HashMap<&KeyBytes, &ReadDocument> =
                    found.iter().map(|document| (&document.id, document)).collect();
                for at in places {
                    self.let_read().await;
                    self.compare(*group, &ids[*at], found.get(&ids[*at]).copied());
                }
            }
        }
        Ok(())
    }

    /// Compares a document with what the subscribers of a query know.
    fn compare(&mut self, id: GroupId, key: &KeyBytes, found: Option<&ReadDocument>) {
        let (counts, most) = (Arc::clone(self.counts()), self.most_documents);
        let Some(group) = self.groups.get_mut(&id) else { return };
        let before = group.log.last().number;
        match group.take(key, found) {
            Passage::Entered => {
                self.interests.enter(key, id);
                counts.members.add(1);
                if group.len() as u64 > most {
                    self.large.push(id);
                }
            }
            Passage::Left => {
                self.interests.leave(key, id);
                counts.members.sub(1);
            }
            Passage::Stayed => {}
        }
        if group.log.last().number > before {
            counts.events_total.add(1);
            self.unread += found.map_or(0, |document| document.text.len()) + 100;
            group.log.wake();
        }
    }

    /// Gives subscribers time where a log may soon drop what they have not read.
    async fn let_read(&mut self) {
        if self.unread > self.limits().log_bytes / 2 {
            self.unread = 0;
            tokio::time::sleep(READING).await;
        }
    }

    /// Reads all queries again.
    async fn reread(&mut self) -> Result<()> {
        let begun = Instant::now();
        self.is_unsure = false;
        let ids: Vec<GroupId> = self.groups.keys().copied().collect();
        for some in ids.chunks(AT_ONCE) {
            for (id, state) in self.states(some).await {
                match state {
                    Ok(state) => self.take_state(id, &state).await,
                    Err(error) if is_passing(&error) || error.code == Code::SchemaChanged => {
                        return Err(error);
                    }
                    Err(error) => self.end(id, &EndReason::Failed(Box::new(error))),
                }
            }
        }
        self.end_large();
        // However often everything may have changed, half of the time is for other work.
        let now = Instant::now();
        self.reread_after = now + (now - begun);
        Ok(())
    }

    /// Compares the state of a query with what its subscribers know.
    async fn take_state(&mut self, id: GroupId, state: &[ReadDocument]) {
        let Some(group) = self.groups.get(&id) else { return };
        for gone in group.missing(state) {
            self.let_read().await;
            self.compare(id, &gone, None);
        }
        for document in state {
            self.let_read().await;
            self.compare(id, &document.id, Some(document));
        }
    }

    /// The states of some queries.
    async fn states(&self, ids: &[GroupId]) -> Vec<(GroupId, Result<Vec<ReadDocument>>)> {
        let reads = ids.iter().filter_map(|id| {
            let selected = &self.groups.get(id)?.selected;
            Some(async move { (*id, self.state(selected).await) })
        });
        let states = join_all(reads.collect::<Vec<_>>()).await;
        self.counts().rereads_total.add(states.len() as u64);
        states
    }

    async fn state(&self, selected: &QueryScope) -> Result<Vec<ReadDocument>> {
        match selected {
            QueryScope::Item(key) => {
                let found = self.reader.by_keys(std::slice::from_ref(key), &[]).await?;
                Ok(found.into_iter().flatten().collect())
            }
            QueryScope::Page(selected) => {
                let (most, page) = (self.most_documents, selected.page.clone());
                let state = self.reader.page(&selected.representation, page).await?;
                if state.len() as u64 > most { Err(too_large(most)) } else { Ok(state) }
            }
        }
    }

    /// Lets subscribers begin.
    async fn join(&mut self, joins: Vec<Join>) {
        if !joins.is_empty() {
            self.look_at_sight();
        }
        let mut waiting = BTreeMap::<GroupId, Vec<Join>>::new();
        for join in joins {
            let group = match self.group_of(&join.query) {
                Ok(group) => group,
                Err(error) => {
                    refuse(vec![join], &error);
                    continue;
                }
            };
            let log = &self.groups[&group].log;
            match join.last.filter(|last| log.has_after(*last)) {
                Some(last) => self.resume(group, last, join),
                None => waiting.entry(group).or_default().push(join),
            }
        }
        let ids: Vec<GroupId> = waiting.keys().copied().collect();
        for (id, state) in self.states(&ids).await {
            let joins = waiting.remove(&id).unwrap_or_default();
            match state {
                Ok(state) => self.begin(id, &state, joins).await,
                Err(error) => {
                    refuse(joins, &error);
                    if self.groups.get(&id).is_some_and(|group| group.subscribers == 0) {
                        self.forget(id);
                    }
                }
            }
        }
    }

    /// The group of a query, which is made where there is none.
    fn group_of(&mut self, query: &LiveQuery) -> Result<GroupId> {
        if let Some(id) = self.names.get(&query.name) {
            return Ok(*id);
        }
        let limits = self.limits();
        let (interest, asks) = self.interest_of(&query.selected);
        if interest == Interest::Every && self.interests.everywhere() >= limits.unindexed {
            let message = format!(
                "{} filters of {} are followed already that every change is compared with (live_unindexed).",
                limits.unindexed, query.resource.name
            );
            return Err(Error::new(Code::LiveLimit, message)
                .hint("Add a condition that wants one value of a column of the resource.")
                .retry_after(1));
        }
        let hub = self.service().live();
        hub.room.bound(limits.memory);
        let log = EventLog::new(hub.number(), Arc::clone(&hub.room), limits.log_bytes);
        let id = self.next_group;
        self.next_group = self.next_group.wrapping_add(1);
        self.interests.add(id, &interest);
        self.names.insert(query.name.clone(), id);
        let (name, selected) = (query.name.clone(), query.selected.clone());
        self.groups.insert(id, Group::new(name, selected, interest, asks, Arc::new(log)));
        self.counts().queries.add(1);
        Ok(id)
    }

    fn interest_of(&self, selected: &QueryScope) -> (Interest, bool) {
        let every = |filter: &Expr| (Interest::Every, !filter.is_all());
        match selected {
            QueryScope::Item(key) => (Interest::Key(KeyBytes::of(key)), false),
            QueryScope::Page(selected) => {
                let table = &self.shape().root().table;
                match Interest::of_filter(&selected.page.filter, table) {
                    (Interest::Value(value), _) if !self.reader.reads_column(value.column) => {
                        every(&selected.page.filter)
                    }
                    found => found,
                }
            }
        }
    }

    /// Lets a subscriber go on where it was.
    fn resume(&mut self, id: GroupId, last: EventId, join: Join) {
        let mut first = Vec::new();
        self.write_begin(true, &mut first);
        self.seat(id, last.number, first, true, join);
    }

    /// Lets subscribers of a query begin with its state.
    async fn begin(&mut self, id: GroupId, state: &[ReadDocument], joins: Vec<Join>) {
        let Some(group) = self.groups.get_mut(&id) else { return };
        let is_new = group.len() == 0 && group.log.last().number == 0 && group.subscribers == 0;
        if is_new {
            for document in state {
                group.know(document);
                self.interests.enter(&document.id, id);
            }
            self.counts().members.add(state.len() as u64);
        } else {
            self.take_state(id, state).await;
        }
        let Some(group) = self.groups.get(&id) else { return };
        let last = group.log.last();
        let mut text = Vec::new();
        for document in state {
            event::write(&mut text, None, "document", &data(document));
        }
        let count = format!("{{\"count\":{}}}", state.len());
        event::write(&mut text, Some(last), "complete", count.as_bytes());
        for join in joins {
            let mut first = Vec::with_capacity(text.len() + 256);
            self.write_begin(false, &mut first);
            if join.returns {
                let why = r#"{"reason":"The changes since Last-Event-ID are no longer known."}"#;
                event::write(&mut first, None, "reset", why.as_bytes());
            }
            first.extend_from_slice(&text);
            self.seat(id, last.number, first, false, join);
        }
    }

    fn write_begin(&self, resumed: bool, out: &mut Vec<u8>) {
        let mut data = self.sight.json();
        data["resource"] = self.reader.resource.name.as_str().into();
        data["resumed"] = resumed.into();
        event::write_begin(out, resumed, data.to_string().as_bytes());
    }

    fn seat(&mut self, id: GroupId, number: u64, first: Vec<u8>, resumed: bool, join: Join) {
        let Some(group) = self.groups.get_mut(&id) else { return };
        let log = Arc::clone(&group.log);
        group.subscribers += 1;
        group.idle_since = None;
        let joined = JoinedQuery { log, number, group: id, first, resumed };
        if join.reply.send(Ok(joined)).is_err() {
            let mut nobody = Vec::new();
            self.hear(Message::Leave(id), &mut nobody);
        }
    }

    /// Forgets queries that have had no subscriber for long.
    fn forget_idle(&mut self) {
        let retention = self.limits().retention;
        while let Some((since, id)) = self.idle.front().copied() {
            if since.elapsed() < retention {
                return;
            }
            self.idle.pop_front();
            if self.groups.get(&id).is_some_and(|group| group.idle_since == Some(since)) {
                self.forget(id);
            }
        }
    }

    fn forget(&mut self, id: GroupId) -> Option<Group> {
        let group = self.groups.remove(&id)?;
        self.names.remove(&group.name);
        self.interests.remove(id, &group.interest);
        group.keys().for_each(|key| self.interests.leave(key, id));
        self.counts().members.sub(group.len() as u64);
        self.counts().queries.sub(1);
        Some(group)
    }

    /// Ends the queries that select more documents than they may.
    fn end_large(&mut self) {
        for id in std::mem::take(&mut self.large) {
            self.end(id, &EndReason::Failed(Box::new(too_large(self.most_documents))));
        }
    }

    fn end(&mut self, id: GroupId, reason: &EndReason) {
        if let Some(group) = self.forget(id) {
            group.log.end(reason);
        }
    }

    fn end_all(&mut self, reason: &EndReason) {
        for id in self.groups.keys().copied().collect::<Vec<_>>() {
            self.end(id, reason);
        }
    }

    /// Whether it goes on after the database has failed: where that passes, everything is read again later.
    async fn goes_on_after(&mut self, error: Error) -> bool {
        if !is_passing(&error) || self.failures >= RETRIES {
            let reason = match error.code {
                Code::SchemaChanged => {
                    // Whether the resource is still there is known once the schema was read again. Where that fails,
                    // those who come again learn why.
                    let _ = self.service().reload_if_changed().await;
                    self.replaced().unwrap_or(EndReason::Reloaded)
                }
                _ => EndReason::Failed(Box::new(error)),
            };
            self.end_all(&reason);
            return false;
        }
        tokio::time::sleep(FIRST_PAUSE * 2_u32.pow(self.failures)).await;
        self.failures += 1;
        self.is_unsure = true;
        true
    }
}

impl Drop for Topic {
    /// Nobody waits for a task that has been ended.
    fn drop(&mut self) {
        self.end_all(&EndReason::Stopping);
    }
}

/// Refuses who wants to join. Who has gone needs no answer.
fn refuse(joins: Vec<Join>, error: &Error) {
    for join in joins {
        let _ = join.reply.send(Err(error.clone()));
    }
}

/// Whether a failure of the database may pass soon.
fn is_passing(error: &Error) -> bool {
    matches!(
        error.code,
        Code::DatabaseUnavailable
            | Code::Overloaded
            | Code::Timeout
            | Code::DatabaseLocked
            | Code::MemoryLimit
    )
}

fn too_large(most: u64) -> Error {
    let message = format!("The filter selects more than {most} documents (live_documents).");
    Error::new(Code::LiveTooLarge, message).hint("Narrow the filter.")
}
