//! The database's part of the observer: counters every second, wait events ten times a second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_client::{ConnectOptions, Failure, FailureKind};
use duet_verdict::result::SqlStatement;
use tokio::sync::watch;

use super::counters::{self, Counters};
use super::ledger::{Commits, Counted};
use super::pace::{FigureSource, LEAST, Pace, Timeline};
use super::postgres::{PARALLEL, Postgres, ServerLocation, Totals};
use super::sqlite::{self, Sqlite};
use super::statements::Statements;
use super::table::{Figures, Table};
use super::writes::Writes;
use crate::targets::sql;
use crate::workload::{Failed, Workload};

/// The interval between samples of wait events: shares over a minute are accurate to about 4
/// percent.
const STEP: Duration = Duration::from_millis(100);
/// The number of these samples per second.
const STEPS: u64 = 10;
/// The timeout of the observer's statements: a busy database may not delay the observer for longer.
const PATIENCE: Duration = Duration::from_secs(3);
/// The limit of the wait for the run's sessions to end.
const LEAVING: Duration = Duration::from_secs(5);
/// The timeout of the last reading, for a database that does not respond.
const LAST_LOOK: Duration = Duration::from_secs(30);

/// A database to observe.
#[derive(Clone)]
pub struct ObservedDatabase {
    /// Its address.
    pub target: ConnectOptions,
    /// The `application_name` of the run's sessions; without names, every session of the database
    /// counts as the run's.
    pub applications: Vec<String>,
    /// The workload, if it uses the database directly: then its counts are compared with the
    /// database's commits, and one of its sessions is opened to measure the commits of connecting.
    pub workload: Option<Arc<dyn Workload>>,
    /// Its number of users; before PostgreSQL 14 the server does not count sessions.
    pub users: u32,
}

impl ObservedDatabase {
    /// The database that the users of a run connect to. Without a workload they reach it through a
    /// service.
    ///
    /// # Errors
    /// [`Outcome::Connection`](duet_verdict::outcome::Outcome) if its address is wrong.
    pub fn of(
        database: &sql::DatabaseAddress,
        workload: Option<Arc<dyn Workload>>,
    ) -> Result<Self, Failed> {
        Ok(Self {
            target: database.target()?,
            applications: vec![sql::SESSION.into()],
            workload,
            users: 0,
        })
    }
}

/// What was read from a database.
#[derive(Default)]
pub(super) struct DatabaseFindings {
    pub(super) server: String,
    pub(super) settings: BTreeMap<String, String>,
    /// The server's machine.
    pub(super) place: ServerLocation,
    /// Readings, by the second at whose start they were made.
    pub(super) readings: Table,
    /// The server's counts over the whole run.
    pub(super) counted: Counted,
    /// The statements that took most of the time over the whole run.
    pub(super) statements: Vec<SqlStatement>,
    pub(super) warnings: Vec<String>,
}

enum Store {
    Postgres(Box<Postgres>),
    Sqlite(Sqlite),
}

/// The observer of a database.
pub(super) struct Watch {
    what: ObservedDatabase,
    store: Option<Store>,
    /// Transactions of the observer's connections so far.
    own: u64,
    before: Option<Totals>,
    statements: Option<Statements>,
    by_session: f64,
    /// The counters of a SQLite file before the run. They must be dropped after every connection,
    /// so the field follows the store.
    writes: Option<(Writes, u32)>,
    hidden: bool,
    /// Whether a parallel worker was seen.
    parallel: bool,
    pub(super) learnt: DatabaseFindings,
}

impl Watch {
    /// Connects and takes the readings before the run's sessions start. What cannot be read becomes
    /// a warning.
    pub(super) async fn open(what: ObservedDatabase) -> Self {
        let mut watch = Self {
            what,
            store: None,
            own: 0,
            before: None,
            statements: None,
            by_session: 0.0,
            writes: None,
            hidden: false,
            parallel: false,
            learnt: DatabaseFindings::default(),
        };
        if let Err(failure) = watch.begin().await {
            watch.warn(format!("The database was not observed: {failure}."));
            watch.store = None;
        }
        watch
    }

    fn warn(&mut self, words: String) {
        if !self.learnt.warnings.contains(&words) {
            self.learnt.warnings.push(words);
        }
    }

    async fn connect(&mut self) -> Result<(), Failure> {
        let ObservedDatabase { target, applications, .. } = &self.what;
        let store = match target {
            ConnectOptions::Postgres(_) => {
                let opened = Postgres::open(target, applications, self.own).await?;
                Store::Postgres(Box::new(opened))
            }
            ConnectOptions::Sqlite { path, .. } => Store::Sqlite(Sqlite::open(target, path).await?),
        };
        self.store = Some(store);
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        self.connect().await?;
        if self.what.workload.as_ref().is_some_and(|workload| !workload.counts().commits) {
            self.warn("Commits were not compared with the database's: statements of the workload may begin and end transactions themselves, or a step contains several.".into());
        }
        let learnt = &mut self.learnt;
        let server = match &mut self.store {
            Some(Store::Sqlite(sqlite)) => {
                (learnt.server, learnt.settings) = sqlite.settings().await?;
                sqlite.read().await?;
                self.begin_writes();
                return Ok(());
            }
            Some(Store::Postgres(server)) => server,
            None => return Ok(()),
        };
        (learnt.server, learnt.settings) = server.settings().await?;
        learnt.place = server.place().await?;
        match tokio::time::timeout(PATIENCE, Statements::read(server)).await {
            Ok(statements) => self.statements = statements,
            // As in `in_time`: the connection waits for that answer.
            Err(_) => {
                return Err(Failure::new(FailureKind::Connection, "it is too busy to answer"));
            }
        }
        let Some(workload) = &self.what.workload else { return Ok(()) };
        match server.cost_of_session(&**workload).await {
            Ok(commits) => self.by_session = commits,
            // The run itself says why no user can connect.
            Err(_) => self.by_session = 0.0,
        }
        self.before = Some(server.totals().await?);
        Ok(())
    }

    /// Reads a SQLite file's counters, if the workload counts the same.
    fn begin_writes(&mut self) {
        let counts = self.what.workload.as_ref().map(|workload| workload.counts());
        let (Some(counts), ConnectOptions::Sqlite { path, .. }) = (counts, &self.what.target)
        else {
            return;
        };
        if !counts.changes || !counts.commits {
            return;
        }
        let counted = Writes::open(path).and_then(|writes| Ok((writes.count()?, writes)));
        match counted {
            Ok((count, writes)) => self.writes = Some((writes, count)),
            Err(error) => self.warn(format!("There is no ledger: {error}.")),
        }
    }

    /// Observes until it is stopped.
    pub(super) async fn run(
        &mut self,
        origin: Instant,
        stop: watch::Receiver<bool>,
        timeline: &Timeline,
    ) {
        let mut pace = Pace::new(origin, STEP, stop);
        let mut second = Collected::default();
        while let Some(step) = pace.next().await {
            if self.store.is_none() && !(step % STEPS == 0 && self.connect().await.is_ok()) {
                continue;
            }
            let now = step / STEPS;
            if second.last.as_ref().is_none_or(|last| last.second < now) {
                self.boundary(now, &mut second, timeline).await;
            }
            self.look(&mut second).await;
        }
        let last = second.last.as_ref().map(|last| (last.second, last.at.elapsed()));
        if let Some((last, passed)) = last
            && passed >= LEAST
        {
            self.boundary(last + 1, &mut second, timeline).await;
        }
        timeline.end(FigureSource::Database);
    }

    /// Reads the counters at the start of a second, and reports the growth since the previous
    /// reading.
    async fn boundary(&mut self, now: u64, second: &mut Collected, timeline: &Timeline) {
        let read = match &mut self.store {
            Some(Store::Postgres(server)) => in_time(server.read()).await,
            Some(Store::Sqlite(sqlite)) => sqlite.read().await,
            None => return,
        };
        let Some(counters) = self.taken(read) else { return };
        let reading = Reading { at: Instant::now(), second: now, own: self.own, counters };
        if let Some(last) = &second.last {
            let mut figures = self.figures(&reading, last);
            figures.extend(second.averages());
            timeline.put(FigureSource::Database, last.second, now, &figures);
        }
        second.classes.clear();
        second.looks = 0;
        self.learnt.readings.put(now, &reading.counters);
        second.last = Some(reading);
    }

    fn figures(&self, now: &Reading, last: &Reading) -> Figures {
        let mut figures = Figures::new();
        match self.what.target {
            ConnectOptions::Postgres(_) => {
                let seconds = (now.at - last.at).as_secs_f64();
                let own = now.own.saturating_sub(last.own);
                counters::rates(&now.counters, &last.counters, seconds, own, &mut figures);
            }
            ConnectOptions::Sqlite { .. } => {
                sqlite::states(&now.counters, &last.counters, &mut figures);
            }
        }
        figures
    }

    /// Samples what the sessions do.
    async fn look(&mut self, second: &mut Collected) {
        let Some(Store::Postgres(server)) = &mut self.store else { return };
        let looked = in_time(server.sample()).await;
        let Some(classes) = self.taken(looked) else { return };
        if classes.contains_key("hidden") && !self.hidden {
            self.hidden = true;
            self.warn("The database does not show what the run's sessions wait for: they have another user. Let the observing user be a member of pg_read_all_stats.".into());
        }
        second.looks += 1;
        for (class, count) in classes {
            self.parallel |= class == PARALLEL;
            *second.classes.entry(class).or_default() += count;
        }
    }

    /// The database's response. A broken connection is opened again one second later.
    fn taken<T>(&mut self, answer: Result<T, Failure>) -> Option<T> {
        if let Some(Store::Postgres(server)) = &self.store {
            self.own = server.own();
        }
        let failure = match answer {
            Ok(answer) => return Some(answer),
            Err(failure) => failure,
        };
        if failure.kind == FailureKind::Connection {
            self.store = None;
        }
        self.warn(format!("Some seconds of the database were not observed: {failure}."));
        None
    }

    /// Reads the counts of statements after the run. They are current, and are read before the totals because
    /// these wait for sessions to end.
    async fn end_statements(&mut self) {
        let Some(before) = self.statements.take() else { return };
        if self.store.is_none() && self.connect().await.is_err() {
            return;
        }
        let Some(Store::Postgres(server)) = &mut self.store else { return };
        match tokio::time::timeout(PATIENCE, before.since(server)).await {
            Ok(statements) => self.learnt.statements = statements,
            // As in `in_time`: the connection waits for that answer.
            Err(_) => self.store = None,
        }
    }

    /// Reads the totals of the run after its sessions have ended.
    pub(super) async fn end(&mut self) {
        if let Some((writes, before)) = &self.writes {
            match writes.count() {
                Ok(count) => {
                    self.learnt.counted.writes = Some(count.wrapping_sub(*before).into());
                }
                Err(error) => self.warn(format!("There is no ledger: {error}.")),
            }
        }
        self.end_statements().await;
        let Some(before) = self.before.take() else { return };
        let patience = Instant::now() + LAST_LOOK;
        if self.store.is_none() && self.connect().await.is_err() {
            return self.warn(
                "There is no ledger: the database could not be queried after the run.".into(),
            );
        }
        let Some(Store::Postgres(server)) = &mut self.store else { return };
        let settled = tokio::time::timeout_at(patience.into(), server.settled(LEAVING)).await;
        let Ok(Ok(after)) = settled else {
            return self
                .warn("There is no ledger: the database did not answer after the run.".into());
        };
        let grown = |name: &str| counters::difference(&after.counters, &before.counters, name);
        let Some(all) = grown("xact_commit") else {
            return self.warn(
                "There is no ledger: the database's statistics were reset during the run.".into(),
            );
        };
        let own = after.own.saturating_sub(before.own);
        let sessions = grown("sessions").unwrap_or(f64::from(self.what.users));
        let counts = self.what.workload.as_ref().map(|workload| workload.counts());
        let counted = &mut self.learnt.counted;
        if counts.is_some_and(|counts| counts.commits) {
            let (by_session, parallel) = (self.by_session, self.parallel);
            counted.commits = Some(Commits { all, own, sessions, by_session, parallel });
        }
        if counts.is_some_and(|counts| counts.changes) {
            let rows = ["tup_inserted", "tup_updated", "tup_deleted"].map(grown);
            counted.changed = rows.into_iter().sum::<Option<f64>>().map(|rows| rows as u64);
        }
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => {
            // A late response would be taken for that of the next statement.
            let message = format!("no answer within {} s", PATIENCE.as_secs());
            Err(Failure::new(FailureKind::Connection, message))
        }
    }
}

/// Counters at the start of a second.
struct Reading {
    at: Instant,
    second: u64,
    own: u64,
    counters: Counters,
}

/// Sums since the last reading.
#[derive(Default)]
struct Collected {
    last: Option<Reading>,
    /// Sessions by state, summed over all samples.
    classes: BTreeMap<String, u64>,
    looks: u32,
}

impl Collected {
    /// Average sessions by state; idle ones count only in the total.
    fn averages(&self) -> Figures {
        let mut figures = Figures::new();
        if self.looks == 0 {
            return figures;
        }
        let average = |count: u64| count as f64 / f64::from(self.looks);
        let of = |class: &str| self.classes.get(class).copied().unwrap_or(0);
        let all: u64 = self.classes.values().sum();
        figures.insert("db.sessions".into(), average(all - of(PARALLEL)));
        if of(PARALLEL) > 0 {
            figures.insert("db.parallel_workers".into(), average(of(PARALLEL)));
        }
        figures.insert("db.blocked".into(), average(of("Lock")));
        let waits = |class: &str| !["idle", "hidden", PARALLEL].contains(&class);
        let active = self.classes.iter().filter(|(class, _)| waits(class));
        figures.extend(active.map(|(class, count)| (format!("wait.{class}"), average(*count))));
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_of_all_looks() {
        let classes = [("CPU", 15), ("Lock", 5), ("idle", 20), (PARALLEL, 30)];
        let collected = Collected {
            last: None,
            classes: classes.map(|(class, count)| (class.to_owned(), count)).into(),
            looks: 10,
        };
        let figures = collected.averages();
        assert_eq!((figures["wait.CPU"], figures["db.blocked"]), (1.5, 0.5));
        assert_eq!((figures["db.sessions"], figures["db.parallel_workers"]), (4.0, 3.0));
        assert!(!figures.contains_key("wait.idle"));
        assert!(Collected::default().averages().is_empty());
    }
}
