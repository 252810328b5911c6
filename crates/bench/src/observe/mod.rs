//! Observes machine, database and service during a run, and compares their counts with the
//! client's.
//!
//! The observer has its own thread, runtime and connections. It never fails a run: figures that
//! cannot be read are absent, with one warning. It follows the run:
//!
//! 1. [`Observer::open`] before the run's sessions begin: the readings *before*.
//! 2. [`Observer::go`] when the run's start and its processes are known: a reading every second.
//! 3. [`Observer::second`] for the line of each second, while the run goes on.
//! 4. [`Observer::finish`] when all processes have ended: the readings *after*.
//! 5. [`Observed::complete`] puts everything into the result.

mod counters;
mod database;
mod health;
mod host;
mod ledger;
mod listener;
mod pace;
mod postgres;
mod processes;
mod service;
mod sqlite;
mod statements;
mod table;
mod writes;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use duet_verdict::result::{RunResult, SqlStatement, Window};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::{oneshot, watch};

use crate::record::{Failed, ProcessTotals};
use crate::targets::http::Url;
use crate::targets::sql;
use crate::workload::Workload;
pub use database::ObservedDatabase;
use database::{DatabaseFindings, Watch};
use host::Machine;
pub use ledger::{Commits, Counted, ledger};
use pace::{FigureSource, LEAST, Pace, Timeline};
use postgres::ServerLocation;
pub use processes::Group;
use processes::{DATABASE, GroupReading, SERVER};
pub use service::{Answers, METRICS, MetricsEndpoint};
use table::{Figures, Table, seconds_of};

/// The interval between readings of the machine.
const SECOND: Duration = Duration::from_secs(1);

/// What to observe besides the machine and the client's processes.
#[derive(Clone, Default)]
pub struct Watched {
    /// The database behind the target, or the target itself.
    pub database: Option<ObservedDatabase>,
    /// The service's counters, if the target is a service.
    pub service: Option<MetricsEndpoint>,
    /// Further processes of this machine, such as the server's.
    pub groups: Vec<Group>,
}

impl Watched {
    /// The counters of a service that is Duet, and its processes if it is on this machine.
    pub fn of_service(url: &Url, authorization: Option<String>) -> Self {
        let mut watched = Self::of_any_service(url, authorization, Some(METRICS));
        if let Some(service) = &mut watched.service {
            service.named = false;
        }
        watched
    }

    /// The same of any service: its counters are read at a path that the user names, and not without one.
    pub fn of_any_service(url: &Url, authorization: Option<String>, metrics: Option<&str>) -> Self {
        Self {
            service: metrics.map(|path| MetricsEndpoint {
                named: true,
                ..MetricsEndpoint::of(url, authorization, path)
            }),
            groups: Group::serving(url).into_iter().collect(),
            ..Self::default()
        }
    }

    /// The counters of the database that a workload's sessions connect to.
    ///
    /// # Errors
    /// If the target names no database.
    pub fn of_database(
        target: &sql::DatabaseAddress,
        workload: Arc<dyn Workload>,
    ) -> Result<Self, Failed> {
        let database = ObservedDatabase::of(target, Some(workload))?;
        Ok(Self { database: Some(database), ..Self::default() })
    }
}

/// The run's start, and its processes.
#[derive(Debug)]
struct RunStart {
    origin: Instant,
    client: Vec<u32>,
}

/// The observer of a run.
#[derive(Debug)]
pub struct Observer {
    timeline: Arc<Timeline>,
    origin: Option<Instant>,
    go: Option<oneshot::Sender<RunStart>>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<Observed>,
}

impl Observer {
    /// Takes the readings before the run's sessions start. All preparing requests must have been
    /// answered, because later ones count as the run's.
    pub fn open(what: Watched) -> Self {
        let timeline = Arc::new(Timeline::default());
        let (go, going) = oneshot::channel();
        let (stop, stopping) = watch::channel(false);
        let (opened, is_open) = mpsc::channel();
        let thread = {
            let timeline = timeline.clone();
            std::thread::spawn(move || observe(what, &timeline, &opened, going, stopping))
        };
        // Without a runtime the thread sends nothing and observes nothing.
        let _ = is_open.recv();
        Self { timeline, origin: None, go: Some(go), stop, thread }
    }

    /// Starts the readings at the run's start; `processes` are the numbers of the client's
    /// processes.
    pub fn go(&mut self, origin: Instant, client: Vec<u32>) {
        self.origin = Some(origin);
        if let Some(go) = self.go.take() {
            // There is no receiver if nothing can be observed.
            drop(go.send(RunStart { origin, client }));
        }
    }

    /// The figures of a second, by the names of [`Second::observed`](duet_verdict::result::Second).
    /// Waits up to a quarter of a second for the one that has just ended.
    pub fn second(&self, number: u64) -> BTreeMap<String, f64> {
        self.origin.map(|origin| self.timeline.second(number, origin)).unwrap_or_default()
    }

    /// Ends the observation and reads the totals. All processes must have ended.
    pub fn finish(mut self) -> Observed {
        drop(self.go.take());
        let _ = self.stop.send(true);
        self.thread.join().unwrap_or_else(|_| Observed::nothing("the observer panicked"))
    }
}

/// The observations of a run.
#[derive(Debug, Default)]
pub struct Observed {
    /// The database's name and version; empty if it was not queried.
    pub server: String,
    /// Its settings that affect the figures.
    pub settings: BTreeMap<String, String>,
    /// The server's counts over the whole run.
    pub counted: Counted,
    /// The statements that took most of its time over the whole run.
    pub statements: Vec<SqlStatement>,
    /// Readings that failed, in plain words.
    pub warnings: Vec<String>,
    /// CPU time of the observer itself; it is part of the client's first process.
    pub cpu: Duration,
    /// All seconds.
    seconds: Table,
    /// The database's counters, by the second at whose start they were read.
    readings: Table,
}

impl Observed {
    fn nothing(why: &str) -> Self {
        let warnings = vec![format!("Neither machine nor database were observed: {why}.")];
        Self { warnings, ..Self::default() }
    }

    /// The figures of a second.
    pub fn second(&self, number: u64) -> BTreeMap<String, f64> {
        self.seconds.row(number)
    }

    /// The database's counts within a window, by its own names.
    pub fn database(&self, window: &Window) -> BTreeMap<String, f64> {
        let seconds = seconds_of(window);
        let Some((first, last)) = self.readings.ends(seconds.start..seconds.end + 1) else {
            return BTreeMap::new();
        };
        let grown =
            |name: &String| Some((name.clone(), counters::difference(&last, &first, name)?));
        last.keys().filter_map(grown).collect()
    }

    /// Average sessions within a window, by wait event.
    pub fn waits(&self, window: &Window) -> BTreeMap<String, f64> {
        let seconds = seconds_of(window);
        let observed = self.seconds.values("db.sessions", seconds.clone()).len();
        let average = |name: &str| {
            let sum: f64 = self.seconds.values(name, seconds.clone()).iter().sum();
            (name.strip_prefix("wait.").unwrap_or(name).to_owned(), sum / observed.max(1) as f64)
        };
        let averages = self.seconds.names("wait.").map(average);
        averages.filter(|(_, average)| *average > 0.0).collect()
    }

    /// Adds everything but the seconds to the result: the database's counters and waits in its
    /// window, settings, the ledger, the client's health, and warnings. Target, window, load and
    /// totals must be set.
    pub fn complete(self, result: &mut RunResult, totals: &ProcessTotals) {
        result.database = self.database(&result.window);
        result.waits = self.waits(&result.window);
        if !self.server.is_empty() && result.target.server.is_empty() {
            result.target.server = self.server;
        }
        result.target.settings.extend(self.settings);
        result.statements = self.statements;
        result.warnings.extend(self.warnings);
        if let Some((ledger, words)) = ledger(totals, &self.counted) {
            result.ledger = Some(ledger);
            result.warnings.extend(words);
        }
        let words = health::judge(result, &self.seconds);
        result.warnings.extend(words);
    }
}

/// The body of the observer's thread.
fn observe(
    what: Watched,
    timeline: &Timeline,
    opened: &mpsc::Sender<()>,
    going: oneshot::Receiver<RunStart>,
    stop: watch::Receiver<bool>,
) -> Observed {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return Observed::nothing(&error.to_string()),
    };
    let mut observed = runtime.block_on(follow(what, timeline, opened, going, stop));
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    observed.cpu = Duration::new(time.tv_sec.unsigned_abs(), nanos);
    observed.seconds = timeline.take();
    observed
}

async fn follow(
    what: Watched,
    timeline: &Timeline,
    opened: &mpsc::Sender<()>,
    going: oneshot::Receiver<RunStart>,
    stop: watch::Receiver<bool>,
) -> Observed {
    let mut observed = Observed::default();
    let mut watch = match what.database {
        Some(database) => Some(Watch::open(database).await),
        None => None,
    };
    let before = match &what.service {
        Some(service) => Some(service.read().await),
        None => None,
    };
    // There is no receiver if the run was aborted.
    let _ = opened.send(());
    let Ok(RunStart { origin, client }) = going.await else { return observed };
    let mut groups = what.groups;
    groups.push(Group {
        name: "client".into(),
        ids: client,
        with_children: false,
        with_threads: true,
    });
    let place = watch.as_ref().map(|watch| watch.learnt.place).unwrap_or_default();
    // The caller may know better: from inside a container the server appears remote.
    if !groups.iter().any(|group| group.name == DATABASE) {
        groups.extend(place.process.map(Group::with_backends));
    }
    let sees_all = sees_all(&groups, what.service.as_ref(), place);
    if !sees_all {
        observed.warnings.push(UNSEEN.into());
    }
    if what.service.is_some() {
        let known: Vec<u32> = groups.iter().flat_map(|group| group.ids.clone()).collect();
        groups.extend(Group::databases(&known));
    }
    let of_database = async {
        match &mut watch {
            Some(watch) => watch.run(origin, stop.clone(), timeline).await,
            None => timeline.end(FigureSource::Database),
        }
    };
    tokio::join!(machine(&groups, sees_all, origin, stop.clone(), timeline), of_database);
    if let (Some(service), Some(before)) = (&what.service, before) {
        match answers(service, before).await {
            Ok(answers) => observed.counted.answers = answers,
            Err(words) => observed.warnings.push(format!("There is no ledger: {words}.")),
        }
    }
    if let Some(mut watch) = watch {
        watch.end().await;
        let DatabaseFindings { server, settings, readings, counted, statements, warnings, .. } =
            watch.learnt;
        observed.counted = Counted { answers: observed.counted.answers, ..counted };
        observed.warnings.extend(warnings);
        (observed.server, observed.settings) = (server, settings);
        observed.readings = readings;
        observed.statements = statements;
    }
    observed
}

/// The warning for a local server whose processes cannot be identified.
const UNSEEN: &str = "Use of the machine by other programs cannot be measured: the server runs on it too, and its processes are not visible. Run the bench as the server's user or as root.";

/// Whether the processes of everything measured are known, as far as they run on this machine: then
/// its remaining CPU time is foreign load.
fn sees_all(groups: &[Group], service: Option<&MetricsEndpoint>, database: ServerLocation) -> bool {
    let knows = |name: &str| groups.iter().any(|group| group.name == name);
    let service_is_here = service.is_some_and(|it| listener::is_on_this_machine(&it.url));
    (!service_is_here || knows(SERVER)) && (!database.is_here || knows(DATABASE))
}

/// The service's responses during the run; `None` if it has no counters.
async fn answers(
    service: &MetricsEndpoint,
    before: Result<Option<Answers>, String>,
) -> Result<Option<Answers>, String> {
    let Some(before) = before? else {
        return match service.named {
            true => Err(format!("{} of the service has no counters", service.url.path)),
            false => Ok(None),
        };
    };
    let after = service.read().await?.ok_or("the service no longer has its counters")?;
    let grown = after.since(&before);
    grown.map(Some).ok_or_else(|| "the service was restarted during the run".to_owned())
}

/// Reads the machine every second until it is stopped.
async fn machine(
    groups: &[Group],
    sees_all: bool,
    origin: Instant,
    stop: watch::Receiver<bool>,
    timeline: &Timeline,
) {
    let mut pace = Pace::new(origin, SECOND, stop);
    let mut last = None;
    while let Some(second) = pace.next().await {
        let now = HostReading::now(groups, second);
        if let Some(last) = &last {
            now.tell(last, groups, sees_all, timeline);
        }
        last = Some(now);
    }
    if let Some(last) = &last
        && last.at.elapsed() >= LEAST
    {
        HostReading::now(groups, last.second + 1).tell(last, groups, sees_all, timeline);
    }
    timeline.end(FigureSource::Machine);
}

/// One reading of machine and processes, at the start of a second.
struct HostReading {
    at: Instant,
    second: u64,
    machine: Machine,
    groups: Vec<GroupReading>,
    /// CPU time of the observer.
    own: Duration,
}

impl HostReading {
    fn now(groups: &[Group], second: u64) -> Self {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
        Self {
            at: Instant::now(),
            second,
            machine: Machine::read(),
            groups: groups.iter().map(Group::look).collect(),
            own: Duration::new(time.tv_sec.unsigned_abs(), nanos),
        }
    }

    /// Reports the difference to an earlier reading.
    fn tell(&self, earlier: &Self, groups: &[Group], sees_all: bool, timeline: &Timeline) {
        let seconds = (self.at - earlier.at).as_secs_f64();
        let mut figures = Figures::new();
        self.machine.since(&earlier.machine, seconds, &mut figures);
        for ((look, before), group) in self.groups.iter().zip(&earlier.groups).zip(groups) {
            look.since(before, &group.name, seconds, &mut figures);
        }
        let busy = self.machine.busy(&earlier.machine, seconds);
        if let Some(busy) = busy.filter(|_| sees_all) {
            let known = groups.iter().filter_map(|it| figures.get(&format!("{}.cpu", it.name)));
            let others = busy - known.sum::<f64>() / 100.0;
            figures.insert("host.others".into(), others.max(0.0));
        }
        let own = self.own.saturating_sub(earlier.own).as_secs_f64();
        figures.insert("observer.cpu".into(), 100.0 * own / seconds);
        timeline.put(FigureSource::Machine, earlier.second, self.second, &figures);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_load_is_reported_if_all_processes_are_known() {
        let group = |name: &str| Group { name: name.into(), ids: vec![1], ..Group::default() };
        let [server, database] = [SERVER, DATABASE].map(group);
        let service = |url: &str| MetricsEndpoint::of(&url.parse().unwrap(), None, METRICS);
        let (near, far) = (service("http://127.0.0.1:1/a"), service("http://192.0.2.1/a"));
        let elsewhere = ServerLocation::default();
        let here = ServerLocation { is_here: true, process: None };
        // A remote service of any kind, and a SQLite file.
        assert!(sees_all(&[], Some(&far), elsewhere) && sees_all(&[], None, elsewhere));
        assert!(!sees_all(&[], Some(&near), elsewhere));
        assert!(sees_all(std::slice::from_ref(&server), Some(&near), elsewhere));
        assert!(!sees_all(&[server], Some(&near), here) && !sees_all(&[], None, here));
        assert!(sees_all(&[database], None, here));
    }
}
