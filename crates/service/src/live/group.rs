//! One followed query: the documents that its subscribers know, and the log of its events.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use duet_document::DocumentEtags;
use duet_rowstore::KeyBytes;

use super::document::ReadDocument;
use super::event;
use super::interests::Interest;
use super::log::EventLog;
use super::query::QueryScope;

/// What its subscribers know of a document.
#[derive(Debug)]
struct Member {
    etag: DocumentEtags,
    key: Box<str>,
}

/// A query that is followed.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) selected: QueryScope,
    pub(crate) interest: Interest,
    /// Whether the database is asked which changed documents the filter selects.
    pub(crate) asks: bool,
    pub(crate) log: Arc<EventLog>,
    pub(crate) subscribers: usize,
    /// Since when it has had none.
    pub(crate) idle_since: Option<Instant>,
    members: HashMap<KeyBytes, Member>,
}

/// What a comparison has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// The document is now selected, and was not.
    Entered,
    /// It was, and is not.
    Left,
    /// Neither.
    Stayed,
}

impl Group {
    pub(crate) fn new(
        name: String,
        selected: QueryScope,
        interest: Interest,
        asks: bool,
        log: Arc<EventLog>,
    ) -> Self {
        Self {
            name,
            selected,
            interest,
            asks,
            log,
            subscribers: 0,
            idle_since: None,
            members: HashMap::new(),
        }
    }

    /// Whether it selects a document that its interest has found.
    pub(crate) fn selects(&self, document: &ReadDocument) -> bool {
        match &self.interest {
            Interest::Key(key) => *key == document.id,
            Interest::Value(value) => document.values.contains(value),
            Interest::Every => true,
        }
    }

    /// How many documents it selects.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The documents that it selects.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyBytes> {
        self.members.keys()
    }

    /// The documents that it selected, and that are not among those of its state.
    pub(crate) fn missing(&self, state: &[ReadDocument]) -> Vec<KeyBytes> {
        let found: HashSet<&KeyBytes> = state.iter().map(|document| &document.id).collect();
        self.members.keys().filter(|id| !found.contains(id)).cloned().collect()
    }

    /// Takes a document as it is now, or that it is not selected: what differs from what the subscribers know is an
    /// event.
    pub(crate) fn take(&mut self, id: &KeyBytes, found: Option<&ReadDocument>) -> Passage {
        let Some(document) = found else {
            let Some(member) = self.members.remove(id) else { return Passage::Stayed };
            self.log.push("left", &event::key(&member.key));
            return Passage::Left;
        };
        let etag = document.etag;
        let (name, passage) = match self.members.get_mut(id) {
            Some(known) if known.etag == etag => return Passage::Stayed,
            Some(known) => {
                known.etag = etag;
                ("changed", Passage::Stayed)
            }
            None => {
                let member = Member { etag, key: document.key.clone() };
                self.members.insert(id.clone(), member);
                ("entered", Passage::Entered)
            }
        };
        self.log.push(name, &data(document));
        passage
    }

    /// Takes a document of the first state, of which there is no event.
    pub(crate) fn know(&mut self, document: &ReadDocument) {
        let member = Member { etag: document.etag, key: document.key.clone() };
        self.members.insert(document.id.clone(), member);
    }
}

/// The data of an event about a document.
pub(crate) fn data(document: &ReadDocument) -> Vec<u8> {
    event::document(&document.key, &document.etag.header(), &document.text)
}
