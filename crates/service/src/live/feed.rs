//! What commits bring to the topics: the keys of documents that may have changed, or rows that lead to them.
//!
//! It runs on the thread that commits: it looks into the index of the followed shapes, and leaves the rest to the
//! topics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use duet_model::commit::{CommitConsumer, CommitEvent, RelationChange};
use duet_model::dependents::{AffectedDocuments, Dependents, unresolved};
use duet_model::{Shape, Value};
use duet_rowstore::KeyBytes;
use tokio::sync::Notify;

/// Keys and rows that a topic may have waiting; with more, any document may have changed.
const MOST: usize = 50_000;

/// What a topic has to look at.
#[derive(Debug, Default)]
pub(crate) struct PendingChanges {
    /// Documents that may have changed.
    pub(crate) keys: HashMap<KeyBytes, Vec<Value>>,
    /// Changed rows whose documents are to be found.
    pub(crate) linked: Vec<RelationChange>,
    /// Any document may have changed.
    pub(crate) any: bool,
    rows: usize,
}

impl PendingChanges {
    fn add(&mut self, found: &Found<'_>) {
        match found {
            _ if self.any => {}
            Found::Keys(keys) => {
                for key in *keys {
                    self.keys.entry(KeyBytes::of(key)).or_insert_with(|| key.clone());
                }
            }
            Found::Rows(relations) => {
                let rows = |change: &&RelationChange| change.extent.rows().map_or(0, <[_]>::len);
                self.rows += relations.iter().map(rows).sum::<usize>();
                self.linked.extend(relations.iter().copied().cloned());
            }
            Found::Any => self.any = true,
        }
        if self.keys.len() + self.rows > MOST {
            *self = Self { any: true, ..Self::default() };
        }
    }
}

/// What a commit is to a shape.
enum Found<'f> {
    Keys(&'f [Vec<Value>]),
    Rows(Vec<&'f RelationChange>),
    Any,
}

/// What waits for a topic.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    changes: Mutex<PendingChanges>,
    pub(crate) arrived: Notify,
}

impl Pending {
    fn add(&self, found: &Found<'_>) {
        self.lock().add(found);
        self.arrived.notify_one();
    }

    /// Takes what waits.
    pub(crate) fn take(&self) -> PendingChanges {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, PendingChanges> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The topics of one shape.
#[derive(Debug)]
struct ShapeFeed {
    shape: Arc<Shape>,
    topics: Mutex<HashMap<u64, Arc<Pending>>>,
}

impl ShapeFeed {
    fn topics(&self) -> MutexGuard<'_, HashMap<u64, Arc<Pending>>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shows(&self, change: &RelationChange) -> bool {
        let (schema, name) = (change.relation.schema(), change.relation.name());
        let mut nodes = self.shape.nodes.iter();
        nodes.any(|node| node.table.schema == schema && node.table.name == name)
    }
}

#[derive(Debug, Default)]
struct FollowedShapes {
    index: Dependents,
    feeds: Vec<Arc<ShapeFeed>>,
}

/// Consumes the commits of a store for the topics of an application.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    followed: ArcSwap<FollowedShapes>,
}

impl Feed {
    /// Adds a topic with this number. Changes are never made by two threads at once.
    pub(crate) fn add(&self, shape: &Arc<Shape>, number: u64, pending: &Arc<Pending>) {
        let followed = self.followed.load();
        let known = followed.feeds.iter().find(|feed| Arc::ptr_eq(&feed.shape, shape));
        if let Some(feed) = known {
            feed.topics().insert(number, Arc::clone(pending));
            return;
        }
        let topics = Mutex::new(HashMap::from([(number, Arc::clone(pending))]));
        let feed = Arc::new(ShapeFeed { shape: Arc::clone(shape), topics });
        self.follow(followed.feeds.iter().cloned().chain([feed]).collect());
    }

    /// Removes a topic.
    pub(crate) fn remove(&self, shape: &Arc<Shape>, number: u64) {
        let followed = self.followed.load();
        let known = followed.feeds.iter().find(|feed| Arc::ptr_eq(&feed.shape, shape));
        let Some(feed) = known else { return };
        let mut topics = feed.topics();
        topics.remove(&number);
        if topics.is_empty() {
            drop(topics);
            let others = followed.feeds.iter().filter(|other| !Arc::ptr_eq(other, feed));
            self.follow(others.cloned().collect());
        }
    }

    fn follow(&self, feeds: Vec<Arc<ShapeFeed>>) {
        let shapes = feeds.iter().map(|feed| Arc::clone(&feed.shape)).collect();
        self.followed.store(Arc::new(FollowedShapes { index: Dependents::new(shapes), feeds }));
    }
}

impl CommitConsumer for Feed {
    fn committed(&self, event: &CommitEvent<'_>) {
        let followed = self.followed.load();
        for (at, affected) in followed.index.affected(event, &mut unresolved) {
            let feed = &followed.feeds[at];
            let found = match &affected {
                AffectedDocuments::Keys(keys) => Found::Keys(keys),
                AffectedDocuments::Any => rows_of(feed, event).map_or(Found::Any, Found::Rows),
            };
            feed.topics().values().for_each(|pending| pending.add(&found));
        }
    }
}

/// The changed rows that a shape may show; `None` where the event does not name all of them.
fn rows_of<'e>(feed: &ShapeFeed, event: &CommitEvent<'e>) -> Option<Vec<&'e RelationChange>> {
    if event.everything {
        return None;
    }
    let shown: Vec<_> = event.relations.iter().filter(|change| feed.shows(change)).collect();
    let are_named = |change: &&RelationChange| change.extent.rows().is_some();
    (!shown.is_empty() && shown.iter().all(are_named)).then_some(shown)
}
