//! A connection with its prepared statements, made again when it breaks.
//!
//! A connection that has carried a row above 4 MiB is closed when its work is done: the driver
//! keeps a buffer as large as its largest row.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_client::sqlstate;
use duet_model::commit_class::CommitClass;
use duet_model::{Code, Error, Result};
use duet_store::statistics::Statistics;

use crate::connection::alive;
use crate::connection::live::{Autocommit, Live};
use crate::connection::sent_commit::Ended;
use crate::connection::stop::unavailable;
use crate::database::Database;

/// A loaded lane that has answered nothing for so long is stuck behind a slow statement.
pub(crate) const STUCK: Duration = Duration::from_millis(50);
/// How many connections may break during a read before it fails.
pub(crate) const CONNECTIONS_TRIED: usize = 3;
/// How often a read is tried that a standby ends: the replay of one VACUUM may end several in a row.
const REPLAYS: usize = 10;
/// After two failed attempts to connect no task tries again for this long; requests fail at once
/// meanwhile. One alone may be that of a connection that was thrown out while it was made.
const BACK_OFF: Duration = Duration::from_millis(200);

/// So many inserts of a commit class in a row make another one likely.
const SAME_CLASS: u32 = 3;

/// One connection to the server and its prepared statements.
#[derive(Debug)]
pub(crate) struct Lane {
    database: Arc<Database>,
    /// What is set on each new connection, or behind a pooler in each transaction.
    session: Rc<str>,
    live: RefCell<Option<Rc<Live>>>,
    /// How many attempts to connect have failed in a row, and when the last one did.
    failed: Cell<(u32, Option<Instant>)>,
    connecting: tokio::sync::Mutex<()>,
    /// How many batches are under way.
    load: Cell<usize>,
    /// When the lane last began or ended one.
    moved: Cell<Instant>,
    /// The commit class of the last insert, and how many of it came before.
    classes: Cell<(CommitClass, u32)>,
    /// The end of the connection that was given up last, and when that was.
    left: RefCell<Option<(Ended, Instant)>>,
}

/// A batch under way on a lane, until dropped.
pub(crate) struct Turn<'a>(&'a Lane);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.load.set(self.0.load.get() - 1);
        self.0.moved.set(Instant::now());
        if self.0.load.get() == 0 {
            self.0.given_back();
        } else {
            self.0.shed();
        }
    }
}

impl Lane {
    pub(crate) fn new(database: &Arc<Database>, session: &Rc<str>) -> Self {
        Self {
            database: Arc::clone(database),
            session: Rc::clone(session),
            live: RefCell::new(None),
            failed: Cell::new((0, None)),
            connecting: tokio::sync::Mutex::new(()),
            load: Cell::new(0),
            moved: Cell::new(Instant::now()),
            classes: Cell::default(),
            left: RefCell::default(),
        }
    }

    /// Nothing runs on the connection any more.
    pub(crate) fn given_back(&self) {
        self.shed();
        if let Some(live) = self.live.borrow().as_ref() {
            live.arriving.settle();
        }
    }

    /// Serves no further request on a connection that has carried a very large row, or that carries rows that no
    /// request takes: the driver would keep their memory until it is closed.
    fn shed(&self) {
        if self.live.borrow().as_ref().is_some_and(|live| live.arriving.is_burdened()) {
            self.drop_connection();
        }
    }

    /// Counts a batch as under way.
    pub(crate) fn enter(&self) -> Turn<'_> {
        if self.load.replace(self.load.get() + 1) == 0 {
            self.moved.set(Instant::now());
        }
        Turn(self)
    }

    /// Counts a write of a commit class; whether the last few were of the same, so that it is worth setting
    /// the session for it.
    pub(crate) fn is_usual_class(&self, commit: CommitClass) -> bool {
        let (last, count) = self.classes.get();
        let count = if last == commit { count.saturating_add(1) } else { 0 };
        self.classes.set((commit, count));
        count >= SAME_CLASS
    }

    /// How many batches are under way.
    pub(crate) fn load(&self) -> usize {
        self.load.get()
    }

    /// Whether a new request would wait for another caller's slow statement.
    pub(crate) fn is_stuck(&self) -> bool {
        self.load.get() > 0 && self.moved.get().elapsed() > STUCK
    }

    /// The connection, opened if none works; outside of transaction blocks it only reads.
    pub(crate) async fn live(&self) -> Result<Rc<Live>> {
        self.live_for(Some(Autocommit::ReadOnly)).await
    }

    /// The same for statements that may write outside of transaction blocks. Only for a connection that is
    /// used by one request at a time, and not through a pooler, which would lend it to others. `None` for a
    /// transaction block, which sets its own mode.
    pub(crate) async fn live_for(&self, autocommit: Option<Autocommit>) -> Result<Rc<Live>> {
        let live = self.clean().await?;
        live.arriving.begin();
        let usual = live.autocommit().is_some_and(Autocommit::syncs_as_usual);
        // A block begins with the session's own way to sync.
        let wanted = autocommit.or((!usual).then_some(Autocommit::ReadOnly));
        if let Some(autocommit) = wanted
            && live.autocommit() != Some(autocommit)
        {
            let set = self.database.watched(Box::pin(live.set_autocommit(autocommit))).await?;
            set.map_err(|error| sqlstate::error_of(&error))?;
        }
        Ok(live)
    }

    /// A connection on which nothing lasts of what code of the database has set; a new one where that is not taken back.
    async fn clean(&self) -> Result<Rc<Live>> {
        let live = self.made().await?;
        if live.is_as_made() {
            return Ok(live);
        }
        let session = self.database.session(&self.session);
        let cleaned = self.database.watched(Box::pin(live.make_as_new(&session))).await?;
        if cleaned.is_ok() {
            return Ok(live);
        }
        self.drop_connection();
        self.made().await
    }

    async fn made(&self) -> Result<Rc<Live>> {
        if let Some(live) = self.working() {
            return Ok(live);
        }
        let _only_one = self.connecting.lock().await;
        if let Some(live) = self.working() {
            return Ok(live);
        }
        let (failures, last) = self.failed.get();
        if failures > 1 && last.is_some_and(|last| last.elapsed() < BACK_OFF) {
            return Err(unavailable("the last attempt to connect has just failed"));
        }
        if self.database.liveness.is_gone() {
            return Err(unavailable("the server has just been found to be gone"));
        }
        let end = self.database.patience().map(|limit| Instant::now() + limit);
        // In a place of its own: what every read carries with it is as large as the largest thing that it may wait for.
        let connect = Box::pin(self.connect());
        let connected = alive::until(end, connect).await.and_then(|connected| connected);
        self.failed.set(match &connected {
            Ok(_) => (0, None),
            // The server is there, and takes no more connections just now.
            Err(error) if error.code == Code::Overloaded => (0, None),
            Err(_) => (failures.saturating_add(1), Some(Instant::now())),
        });
        let live = Rc::new(connected?);
        *self.live.borrow_mut() = Some(Rc::clone(&live));
        Ok(live)
    }

    /// Whether a connection is open that works.
    pub(crate) fn is_open(&self) -> bool {
        self.working().is_some()
    }

    /// Opens a connection if none works; whether the server takes one. What else is wrong, whoever uses the
    /// lane learns.
    pub(crate) async fn can_open(&self) -> bool {
        !matches!(self.made().await, Err(error) if error.code == Code::Overloaded)
    }

    /// The counters of the database.
    pub(crate) fn statistics(&self) -> &Statistics {
        self.database.statistics()
    }

    fn working(&self) -> Option<Rc<Live>> {
        let lost = self.database.liveness.lost_at();
        let works =
            |live: &&Rc<Live>| !live.client.is_closed() && lost.is_none_or(|lost| live.made > lost);
        self.live.borrow().as_ref().filter(works).cloned()
    }

    async fn connect(&self) -> Result<Live> {
        let arriving = self.database.arriving();
        let made = self.database.connect_for(&arriving).await?;
        let local = self.database.local(&self.session);
        if local.is_none() {
            let set = made.client.batch_execute(&self.session).await;
            set.map_err(|error| sqlstate::error_of(&error))?;
        }
        Ok(Live::new(made, arriving, local))
    }

    /// A standby ends the connection of a read, too, that does not end at once.
    fn connections_tried(&self) -> usize {
        if self.database.is_standby() { REPLAYS } else { CONNECTIONS_TRIED }
    }

    /// Whether a read that has failed so often is worth another try: the connection broke, or the
    /// schema has changed under a prepared statement, or a standby replays a change. Makes ready for that.
    pub(crate) fn is_worth_another(&self, error: &Error, tries: usize) -> bool {
        match error.code {
            Code::SchemaChanged if tries == 1 => self.forget(),
            Code::DatabaseUnavailable if tries < self.connections_tried() => self.drop_connection(),
            // A standby ends reads that are in the way of what it replays. None waits for a lock of a program.
            Code::DatabaseLocked if tries < REPLAYS && self.database.is_standby() => {}
            _ => return false,
        }
        true
    }

    /// Gives up the connection, so that the next request makes a new one.
    pub(crate) fn drop_connection(&self) {
        self.live.borrow_mut().take();
    }

    /// Closes the connection, and stops its statement.
    pub(crate) fn give_up(&self, live: &Live) {
        // Another request may have made a new one.
        self.live.borrow_mut().take_if(|own| Rc::as_ptr(own) == std::ptr::from_ref(live));
        *self.left.borrow_mut() = Some((live.ended.clone(), Instant::now()));
        let canceller = live.canceller.clone();
        // At the end of a worker there is nothing left to run it: the server then notices by the
        // closed connection.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            // Best effort: where it fails, the statement ends by its timeout.
            runtime.spawn(async move { drop(canceller.cancel().await) });
        }
    }

    /// Whether the server is still busy with what was given up last.
    pub(crate) fn is_leaving(&self) -> bool {
        let mut left = self.left.borrow_mut();
        if left.as_ref().is_some_and(|(ended, since)| {
            ended.has_changed().is_err() || self.database.was_gone_after(*since)
        }) {
            *left = None;
        }
        left.is_some()
    }

    /// Takes the end of the connection that was given up last, where the server is still busy with it.
    pub(crate) fn take_left(&self) -> Option<Ended> {
        let is_leaving = self.is_leaving();
        self.left.borrow_mut().take().filter(|_| is_leaving).map(|(ended, _)| ended)
    }

    /// Keeps something until the connection that was given up last has ended, or its server is found to be gone.
    pub(crate) fn keep_until_left(&self, kept: impl Send + 'static) {
        let ended = self.left.borrow().as_ref().map(|(ended, _)| ended.clone());
        if let Some(ended) = ended {
            self.database.keep_until_ended(ended, kept);
        }
    }

    /// Forgets all prepared statements, after the schema has changed.
    pub(crate) fn forget(&self) {
        if let Some(live) = self.live.borrow().as_ref() {
            live.forget();
        }
    }
}
