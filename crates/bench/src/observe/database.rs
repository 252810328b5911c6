//! The database's part of the observer: counters every second, what sessions wait for ten times a second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_db::raw::{Failure, FailureKind, Target};
use tokio::sync::watch;

use super::counters::{self, Counters};
use super::ledger::{Commits, Counted};
use super::pace::{LEAST, Pace, Source, Timeline};
use super::postgres::{PARALLEL, Place, Postgres, Totals};
use super::sqlite::{self, Sqlite};
use super::table::{Figures, Table};
use super::writes::Writes;
use crate::targets::sql;
use crate::workload::{Failed, Workload};

/// From look to look at what sessions wait for: a minute's share is right to about 4 percent.
const STEP: Duration = Duration::from_millis(100);
/// So many of these are a second.
const STEPS: u64 = 10;
/// A statement that takes longer is not waited for: the database has other work.
const PATIENCE: Duration = Duration::from_secs(3);
/// The run's sessions may take so long to end.
const LEAVING: Duration = Duration::from_secs(5);
/// A database that does not answer ends the last look after so long.
const LAST_LOOK: Duration = Duration::from_secs(30);

/// A database to watch.
#[derive(Clone)]
pub struct Database {
    /// Where it is.
    pub target: Target,
    /// What the run's sessions call themselves (`application_name`); none means that every session of
    /// the database is of the run.
    pub applications: Vec<String>,
    /// The workload, where it speaks to the database itself: commits are compared with its counts then,
    /// and a session of it is opened to see what opening one commits.
    pub workload: Option<Arc<dyn Workload>>,
    /// Its users; before PostgreSQL 14 the server does not count sessions.
    pub users: u32,
}

impl Database {
    /// The database that the users of a run connect to. Without a workload they reach it another way.
    ///
    /// # Errors
    /// [`Outcome::Connection`](duet_verdict::outcome::Outcome) where its address is wrong.
    pub fn of(
        database: &sql::Database,
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

/// What was learnt of a database.
#[derive(Default)]
pub(super) struct Learnt {
    pub(super) server: String,
    pub(super) settings: BTreeMap<String, String>,
    /// Where the server runs.
    pub(super) place: Place,
    /// Readings by the second at whose beginning they were made.
    pub(super) readings: Table,
    /// What it counted in the whole run.
    pub(super) counted: Counted,
    pub(super) warnings: Vec<String>,
}

enum Store {
    Postgres(Box<Postgres>),
    Sqlite(Sqlite),
}

/// The watch over a database.
pub(super) struct Watch {
    what: Database,
    store: Option<Store>,
    /// Transactions of the observer's connections until now.
    own: u64,
    before: Option<Totals>,
    by_session: f64,
    /// The count of a SQLite file before the run. It must outlive every connection, so it comes after
    /// the store.
    writes: Option<(Writes, u32)>,
    hidden: bool,
    /// Whether a parallel worker was seen.
    parallel: bool,
    pub(super) learnt: Learnt,
}

impl Watch {
    /// Connects and reads what is to be known before the run's sessions begin. What cannot be read
    /// becomes a warning.
    pub(super) async fn open(what: Database) -> Self {
        let mut watch = Self {
            what,
            store: None,
            own: 0,
            before: None,
            by_session: 0.0,
            writes: None,
            hidden: false,
            parallel: false,
            learnt: Learnt::default(),
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
        let Database { target, applications, .. } = &self.what;
        let store = match target {
            Target::Postgres(_) => {
                let opened = Postgres::open(target, applications, self.own).await?;
                Store::Postgres(Box::new(opened))
            }
            Target::Sqlite { path, .. } => Store::Sqlite(Sqlite::open(target, path).await?),
        };
        self.store = Some(store);
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        self.connect().await?;
        if self.what.workload.as_ref().is_some_and(|workload| !workload.counts().commits) {
            self.warn("Commits were not compared with the database's: statements of the workload may begin and end transactions themselves, or several are one step.".into());
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
        let Some(workload) = &self.what.workload else { return Ok(()) };
        match server.cost_of_session(&**workload).await {
            Ok(commits) => self.by_session = commits,
            // The run itself says why no user can connect.
            Err(_) => self.by_session = 0.0,
        }
        self.before = Some(server.totals().await?);
        Ok(())
    }

    /// Reads what a SQLite file counts, where the workload counts it too.
    fn begin_writes(&mut self) {
        let counts = self.what.workload.as_ref().map(|workload| workload.counts());
        let (Some(counts), Target::Sqlite { path, .. }) = (counts, &self.what.target) else {
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

    /// Watches until it is stopped.
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
        timeline.end(Source::Database);
    }

    /// Reads the counters at a second's beginning, and tells what the seconds before it brought.
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
            timeline.put(Source::Database, last.second, now, &figures);
        }
        second.classes.clear();
        second.looks = 0;
        self.learnt.readings.put(now, &reading.counters);
        second.last = Some(reading);
    }

    fn figures(&self, now: &Reading, last: &Reading) -> Figures {
        let mut figures = Figures::new();
        match self.what.target {
            Target::Postgres(_) => {
                let seconds = (now.at - last.at).as_secs_f64();
                let own = now.own.saturating_sub(last.own);
                counters::rates(&now.counters, &last.counters, seconds, own, &mut figures);
            }
            Target::Sqlite { .. } => sqlite::states(&now.counters, &last.counters, &mut figures),
        }
        figures
    }

    /// Looks at what sessions do.
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

    /// What the database answered. A connection that broke is opened again a second later.
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

    /// Reads what the whole run brought, once its sessions have ended.
    pub(super) async fn end(&mut self) {
        if let Some((writes, before)) = &self.writes {
            match writes.count() {
                Ok(count) => {
                    self.learnt.counted.writes = Some(count.wrapping_sub(*before).into());
                }
                Err(error) => self.warn(format!("There is no ledger: {error}.")),
            }
        }
        let Some(before) = self.before.take() else { return };
        let patience = Instant::now() + LAST_LOOK;
        if self.store.is_none() && self.connect().await.is_err() {
            return self
                .warn("There is no ledger: the database could not be asked after the run.".into());
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
                "There is no ledger: the database's statistics began anew within the run.".into(),
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
            // What comes late would be taken for the answer to the next question.
            let said = format!("no answer within {} s", PATIENCE.as_secs());
            Err(Failure::new(FailureKind::Connection, said))
        }
    }
}

/// Counters at a second's beginning.
struct Reading {
    at: Instant,
    second: u64,
    own: u64,
    counters: Counters,
}

/// What came together since the last reading.
#[derive(Default)]
struct Collected {
    last: Option<Reading>,
    /// Sessions by what they did, summed over all looks.
    classes: BTreeMap<String, u64>,
    looks: u32,
}

impl Collected {
    /// Average sessions by what they did; idle ones only count as sessions.
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
