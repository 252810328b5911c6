//! A worker's hold on a PostgreSQL database: lanes for batched reads by key, a pool for pages.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use duet_model::{Result, Value};
use foldhash::fast::RandomState;

use crate::postgres::batch::Batcher;
use crate::postgres::database::Database;
use crate::postgres::lane::Lane;
use crate::postgres::pages::Pages;
use crate::read::{Answer, KeyedRead, PageRead};
use crate::statistics::Statistics;

/// What a lane sets: its statements read by key through indexes, for which one plan is right
/// whatever the keys, and planning each time would cost more than reading.
const LANE_SESSION: &str = "SET plan_cache_mode = 'force_generic_plan'; SET jit = off; SET max_parallel_workers_per_gather = 0";

/// How many queues a worker keeps; beyond it those are forgotten that nobody waits in.
const QUEUES: usize = 500;

/// A worker's connections and queues.
#[derive(Debug)]
pub struct Handle {
    database: Arc<Database>,
    lanes: Rc<[Rc<Lane>]>,
    batchers: RefCell<HashMap<u64, Rc<Batcher>, RandomState>>,
    pages: Rc<Pages>,
}

impl Handle {
    pub(crate) fn attach(database: &Arc<Database>) -> Self {
        let limits = database.limits();
        let share = (limits.connections / limits.workers.max(1)).max(2);
        let lanes = lanes_of(share);
        let lane = |session| Rc::new(Lane::new(database, session));
        Self {
            database: Arc::clone(database),
            lanes: (0..lanes).map(|_| lane(LANE_SESSION)).collect(),
            batchers: RefCell::default(),
            pages: Rc::new(Pages::new(database, share - lanes)),
        }
    }

    pub(crate) async fn by_key(&self, read: &Arc<KeyedRead>, key: Vec<Value>) -> Result<Answer> {
        let batcher = self.batcher(read);
        batcher.read(key).await
    }

    fn batcher(&self, read: &Arc<KeyedRead>) -> Rc<Batcher> {
        let mut batchers = self.batchers.borrow_mut();
        // Whoever asks for ever other `fields` would have a queue for each of them.
        if batchers.len() >= QUEUES && !batchers.contains_key(&read.id) {
            batchers.retain(|_, batcher| !batcher.is_idle());
        }
        let limits = self.database.limits();
        let made = || Rc::new(Batcher::new(read, &self.lanes, &self.pages, limits));
        Rc::clone(batchers.entry(read.id).or_insert_with(made))
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        self.database.statistics()
    }

    pub(crate) async fn page(&self, read: PageRead) -> Result<(Answer, Option<u64>)> {
        self.pages.read(read).await
    }

    /// Drops the queues and prepared statements of an older snapshot; who still waits in a queue
    /// is served by it.
    pub(crate) fn forget(&self) {
        self.batchers.borrow_mut().clear();
        self.lanes.iter().for_each(|lane| lane.forget());
        self.pages.forget();
    }
}

/// How many of a worker's connections carry batches: two keep the server busy while the worker
/// writes answers, more only make batches smaller.
fn lanes_of(share: usize) -> usize {
    if share >= 4 { 2 } else { 1 }
}
