//! Reads by standbys: which standby is new enough for a request, and which positions writes have.
//!
//! A write notes where the primary's log was right after its commit, in the same flush. A beat learns what each standby
//! has replayed ([`beat`]). A read goes to a standby that has passed what its client has written; where none has, it
//! waits a moment, and then the primary answers. Decision 036 says why.

pub(crate) mod beat;
pub(crate) mod identity;
mod primary_log;
pub(crate) mod progress;
pub(crate) mod standby;
mod written;

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use duet_admission::Request;
use duet_client::connect::{PostgresConnector, Settings};
use duet_model::{Code, Error, Result};
use duet_store::position::Position;
use duet_store::standbys::{StandbyOptions, StandbysReport};
use duet_store::worker::Caller;
use duet_store::worker::reading::ReadServer;
use futures_util::future::{Either, LocalBoxFuture, select};
use tokio::sync::{Notify, watch};
use tokio_postgres::Client;

use crate::connection::live::Live;
use crate::log_position::end_of_records;
use identity::Identity;
use primary_log::PrimaryLog;
use progress::Progress;
use standby::{Replayed, Standby};
use written::Written;

/// How long after its commit the position of a write is waited for.
const NOTED: std::time::Duration = std::time::Duration::from_secs(1);

/// Opens what reads from a standby, which notes its progress.
pub(crate) type Opener<D> =
    Box<dyn Fn(Settings, Arc<Progress>) -> LocalBoxFuture<'static, Result<D>> + Send + Sync>;

/// The standbys of a database. `D` is what reads from one.
pub(crate) struct Standbys<D> {
    options: StandbyOptions,
    primary: PostgresConnector,
    identity: Identity,
    all: Vec<Standby<D>>,
    opener: Opener<D>,
    written: Written,
    log: Mutex<PrimaryLog>,
    /// The one that the next read goes to, if it is new enough.
    turn: AtomicUsize,
    /// Reads that wait for a standby, and what wakes its beat.
    awaited: AtomicUsize,
    hurry: Notify,
    /// Changes with each beat of a standby.
    moved: watch::Sender<()>,
    waited: AtomicU64,
    at_primary: AtomicU64,
    beats: AtomicU64,
}

/// A commit that was sent; dropped, its position is not known.
struct Doubt<'w>(Option<&'w Written>);

impl Drop for Doubt<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|written| written.doubt());
    }
}

/// A read that waits, among so many.
struct Waiting<'s>(&'s AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<D: Debug> Debug for Standbys<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standbys").field("all", &self.all).finish_non_exhaustive()
    }
}

impl<D> Standbys<D> {
    /// Reads the settings, and checks each standby that can be reached.
    ///
    /// # Errors
    /// - [`Code::Setting`] where a text is no connection string or names several hosts, and where a server is a
    ///   primary or of another cluster or database;
    /// - those of a server that refuses the connection.
    pub(crate) async fn open_all(
        primary: &PostgresConnector,
        identity: Identity,
        options: &StandbyOptions,
        opener: Opener<D>,
    ) -> Result<Arc<Self>> {
        if identity.is_standby {
            let message =
                "`read_database` needs a primary as `database`, and this server is a standby.";
            let hint = "Name the primary in `database`; a standby alone is served without `read_database`.";
            return Err(Error::new(Code::Setting, message).hint(hint));
        }
        let environment = |name: &str| std::env::var(name).ok();
        let mut all = Vec::with_capacity(options.urls.len());
        for url in &options.urls {
            let settings = Settings::from_url(url, &environment)?;
            check_hosts(&settings)?;
            all.push(Standby::new(settings));
        }
        let standbys = Self {
            options: options.clone(),
            primary: primary.clone(),
            identity,
            all,
            opener,
            written: Written::new(options.clients),
            log: Mutex::default(),
            turn: AtomicUsize::new(0),
            awaited: AtomicUsize::new(0),
            hurry: Notify::new(),
            moved: watch::Sender::new(()),
            waited: AtomicU64::new(0),
            at_primary: AtomicU64::new(0),
            beats: AtomicU64::new(0),
        };
        for standby in &standbys.all {
            match beat::reach(&standbys, standby).await {
                Err(error) if error.code == Code::DatabaseUnavailable => {
                    standby.leave(error.message);
                }
                reached => drop(reached?),
            }
        }
        Ok(Arc::new(standbys))
    }

    /// Opens what reads from a standby, unless it is.
    async fn open(&self, standby: &Standby<D>) -> Result<()> {
        if standby.opened.get().is_some() {
            return Ok(());
        }
        let opened = (self.opener)(standby.settings.clone(), Arc::clone(&standby.progress)).await?;
        // Another one was quicker.
        drop(standby.opened.set(Arc::new(opened)));
        Ok(())
    }

    fn check(&self, standby: &Standby<D>, identity: &Identity) -> Result<()> {
        identity.check_standby_of(&self.identity, &standby.name)
    }

    pub(crate) fn all(&self) -> &[Standby<D>] {
        &self.all
    }

    fn log(&self) -> MutexGuard<'_, PrimaryLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position behind the last record, by the name of the primary's log file and what it says of the place.
    fn position(&self, file: &str, byte: i64) -> Option<Position> {
        let timeline = u32::from_str_radix(file.get(..8)?, 16).ok()?;
        let byte = u64::try_from(end_of_records(byte, self.identity.log)).ok()?;
        Some(Position { timeline, byte })
    }

    /// A beat of the primary, asked at this moment.
    fn primary_is_at(&self, asked: Instant, position: Position) {
        self.log().note(asked, position);
        self.written.settle(asked, position);
    }

    /// What a beat of a standby means that has replayed up to this position.
    fn found(&self, position: Position) -> Replayed {
        let log = self.log();
        Replayed { position, as_of: log.age_of(position), primary: log.last() }
    }

    /// A beat of a standby has ended.
    fn has_moved(&self) {
        self.moved.send_replace(());
    }

    fn is_awaited(&self) -> bool {
        self.awaited.load(Ordering::Relaxed) > 0
    }

    /// Sends what commits on a connection, and asks for the position behind it in the same flush.
    pub(crate) async fn noting<T>(
        &self,
        position: impl Future<Output = Option<Position>>,
        commit: impl Future<Output = T>,
    ) -> T {
        let mut doubt = Doubt(Some(&self.written));
        let position = std::pin::pin!(position);
        let commit = std::pin::pin!(commit);
        let (committed, position) = match select(commit, position).await {
            Either::Left((committed, position)) => {
                (committed, tokio::time::timeout(NOTED, position).await.ok().flatten())
            }
            Either::Right((position, commit)) => (commit.await, position),
        };
        if let Some(position) = position {
            self.written.note(position);
            doubt.0 = None;
        }
        committed
    }

    /// The position now, by a connection for requests.
    pub(crate) async fn position_of(&self, live: &Live) -> Option<Position> {
        // Both of its columns are read here.
        let statement = live.prepared(beat::PRIMARY, 2, []).await.ok()?;
        let row = live.client.query_one(&statement, &[]).await.ok()?;
        self.position(row.try_get(0).ok()?, row.try_get(1).ok()?)
    }

    /// The same by another connection.
    pub(crate) async fn position_by(&self, client: &Client) -> Option<Position> {
        let row = client.query_one(beat::PRIMARY, &[]).await.ok()?;
        self.position(row.try_get(0).ok()?, row.try_get(1).ok()?)
    }

    /// Whatever was written so far, every client reads it from now on.
    pub(crate) fn note_for_all(&self) {
        self.written.note_for_all();
    }

    /// No commit of this process is later than this.
    pub(crate) fn last_written(&self) -> Position {
        self.written.last()
    }

    /// A write of a caller is done: whatever it reads from now on must be as new.
    pub(crate) fn wrote(&self, caller: &Caller<'_>) {
        let used = self.all.iter().map(|standby| &standby.progress).filter(|it| it.is_used());
        let passed = used.map(|progress| progress.replayed()).min().unwrap_or_default();
        let position = self.written.wrote(caller.client, passed);
        if let Some(reading) = caller.reading {
            reading.wrote(position);
            reading.only_primary();
        }
    }

    /// The place of the standby that answers a read; `None`: the primary does.
    pub(crate) async fn choose(&self, request: Request, caller: &Caller<'_>) -> Option<usize> {
        let reading = caller.reading.filter(|reading| reading.is_allowed_to_lag())?;
        let own = self.written.needed_by(caller.client);
        let needed = own.max(reading.after().unwrap_or_default());
        let found = match reading.node() {
            None => self.new_enough(request, needed).await,
            Some(_) => None,
        };
        // Another read of the request may have chosen meanwhile.
        let place = match reading.node() {
            Some(ReadServer::Primary) => return None,
            Some(ReadServer::Standby(mark)) => {
                self.all.iter().position(|standby| standby.mark == mark && fits(standby, needed))
            }
            None => found,
        };
        match place {
            Some(place) => reading.chose(ReadServer::Standby(self.all[place].mark)),
            None => {
                self.at_primary.fetch_add(1, Ordering::Relaxed);
                reading.only_primary();
            }
        }
        place
    }

    /// A standby that has passed this position, or does within a moment.
    async fn new_enough(&self, request: Request, needed: Position) -> Option<usize> {
        if let Some(place) = self.next_that(|standby| fits(standby, needed)) {
            return Some(place);
        }
        let wait = self.options.position_wait.min(request.deadline.left(Instant::now()));
        if wait.is_zero() || needed == Position::BEYOND {
            return None;
        }
        self.next_that(|standby| standby.progress.is_used())?;
        self.waited.fetch_add(1, Ordering::Relaxed);
        self.awaited.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.awaited);
        self.hurry.notify_waiters();
        let mut moved = self.moved.subscribe();
        let passes = async {
            loop {
                if let Some(place) = self.next_that(|standby| fits(standby, needed)) {
                    return Some(place);
                }
                moved.changed().await.ok()?;
            }
        };
        tokio::time::timeout(wait, passes).await.ok().flatten()
    }

    /// The next standby in rotation with this property.
    fn next_that(&self, is_wanted: impl Fn(&Standby<D>) -> bool) -> Option<usize> {
        let (turn, count) = (self.turn.fetch_add(1, Ordering::Relaxed), self.all.len());
        let places = (0..count).map(|step| turn.wrapping_add(step) % count);
        places.into_iter().find(|place| is_wanted(&self.all[*place]))
    }

    /// What is known of all.
    pub(crate) fn report(&self) -> StandbysReport {
        StandbysReport {
            standbys: self.all.iter().map(Standby::report).collect(),
            waited: self.waited.load(Ordering::Relaxed),
            at_primary: self.at_primary.load(Ordering::Relaxed),
            beats: self.beats.load(Ordering::Relaxed),
        }
    }
}

/// Whether a standby answers reads that need this.
fn fits<D>(standby: &Standby<D>, needed: Position) -> bool {
    standby.progress.is_used() && needed.is_reached_by(standby.progress.replayed())
}

/// Refuses a list of hosts: each connection may meet another one.
fn check_hosts(settings: &Settings) -> Result<()> {
    if !settings.connector()?.prefers_hosts() {
        return Ok(());
    }
    let message = format!(
        "{} of `read_database` names several hosts, of which each connection may meet another one.",
        settings.describe()
    );
    let hint = "Name each standby by a connection string of its own, separated by commas.";
    Err(Error::new(Code::Setting, message).hint(hint))
}
