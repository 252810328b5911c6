//! Writes the counted transactions of a run one by one, beside the load.
//!
//! A user only puts a row into a list. A thread takes the list out every few milliseconds, and makes lines of it; no user
//! wakes it. The list is bounded: where the disk does not keep up, rows are left out and counted. Each process of a
//! layout has files of its own, which the first process [joins](join_samples) at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::plan::{SampleFiles, Share};
use crate::record;
use crate::sample_files::{Sample, Samples, SimulationLog, TestLog};
use crate::secrets::without_secrets;
use crate::workload::{NO_CODE, PartSample, Trace, TransactionType};

/// The pause between two looks at the list.
const PAUSE: Duration = Duration::from_millis(50);
/// The most rows in the list, some 25 MB.
const MOST: usize = 200_000;
/// The name of the users' group.
const GROUP: &str = "Users";

/// What came of the samples of a process or a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleCount {
    /// Samples in each file.
    pub written: u64,
    /// Samples that were left out, because the files could not be written as fast.
    pub left_out: u64,
    /// Why the rest was not written.
    pub error: Option<String>,
}

impl SampleCount {
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self { error: Some(message.into()), ..Self::default() }
    }

    /// Adds those of another process.
    pub(super) fn add(&mut self, other: &Self) {
        self.written += other.written;
        self.left_out += other.left_out;
        self.error = self.error.take().or_else(|| other.error.clone());
    }
}

/// What a user did. Moments count from the run's start.
#[derive(Debug)]
enum Row {
    Ended(Counted),
    User { begins: bool, at: Duration, user: u32 },
}

/// A counted transaction.
#[derive(Debug)]
struct Counted {
    kind: usize,
    began: Duration,
    /// Without the sleep within.
    took: Duration,
    slept: Duration,
    connecting: Duration,
    /// 0 without an HTTP response.
    status: u16,
    outcome: &'static str,
    failure: Option<Box<str>>,
    user: u32,
    /// Users that are connected.
    users: u32,
    received: u64,
    sent: u64,
    /// What the session said of it, where it did.
    trace: Option<Box<Trace>>,
}

/// The rows of a process that are still to be written.
#[derive(Debug)]
pub(super) struct SampleLog {
    files: SampleFiles,
    labels: Vec<String>,
    /// The groups of users, with the number of the first one of each.
    groups: Vec<(String, u32)>,
    rows: Mutex<Vec<Row>>,
    left_out: AtomicU64,
    has_ended: AtomicBool,
}

impl SampleLog {
    /// The log of a process, if samples are wanted.
    pub(super) fn of(
        files: &SampleFiles,
        kinds: &[TransactionType],
        groups: Vec<(String, u32)>,
    ) -> Option<Self> {
        files.are_wanted().then(|| Self {
            files: files.clone(),
            labels: kinds.iter().map(|kind| kind.name.clone()).collect(),
            groups,
            rows: Mutex::default(),
            left_out: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
        })
    }

    /// Takes a counted transaction of the user with this number, while so many users are connected.
    pub(super) fn ended(
        &self,
        sample: &record::Sample,
        failure: Option<String>,
        user: u32,
        users: u32,
        trace: Trace,
    ) {
        let record::Sample { begun, outcome, ended, slept, work } = sample;
        self.add(Row::Ended(Counted {
            kind: begun.kind,
            began: begun.began,
            took: ended.saturating_sub(begun.began).saturating_sub(*slept),
            slept: *slept,
            connecting: work.connecting,
            status: work.last_status,
            outcome: outcome.name(),
            failure: match outcome.is_success() {
                true => None,
                false => Some(failure.unwrap_or_else(|| outcome.name().to_owned()).into()),
            },
            user,
            users,
            received: work.received,
            sent: work.sent,
            trace: (!trace.is_empty()).then(|| Box::new(trace)),
        }));
    }

    /// The name of a type.
    pub(super) fn label(&self, kind: usize) -> &str {
        self.labels.get(kind).map_or("", String::as_str)
    }

    /// Takes the begin or end of a user.
    pub(super) fn user(&self, begins: bool, at: Duration, user: u32) {
        self.add(Row::User { begins, at, user });
    }

    fn add(&self, row: Row) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.len() < MOST {
            rows.push(row);
            return;
        }
        drop(rows);
        let is_sample = matches!(row, Row::Ended(_));
        self.left_out.fetch_add(u64::from(is_sample), Ordering::Relaxed);
    }

    /// The group of a user, the number of group or process, and that of the user in it, as JMeter names threads.
    fn seat(&self, user: u32, process: u32) -> (&str, u32, u32) {
        let after = self.groups.partition_point(|(_, first)| *first <= user);
        match after.checked_sub(1).and_then(|at| self.groups.get(at)) {
            None => (GROUP, process + 1, user + 1),
            Some((name, first)) => {
                (name, u32::try_from(after).unwrap_or(u32::MAX), user - first + 1)
            }
        }
    }

    /// Says that no row follows.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
    }

    /// Writes rows until the end: the main function of the thread.
    pub(super) fn write(&self, origin: Instant, share: Share) -> SampleCount {
        let mut writer = match Writer::open(&self.files, share.process) {
            Ok(writer) => writer,
            Err(error) => return SampleCount::failed(error.to_string()),
        };
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        // The origin may lie a little ahead.
        let now = Instant::now();
        let origin = since_1970.unwrap_or_default() + origin.saturating_duration_since(now)
            - now.saturating_duration_since(origin);
        let mut count = SampleCount::default();
        let mut rows = Vec::new();
        loop {
            // Read before the rows are taken: later ones are taken in the next turn.
            let has_ended = self.has_ended.load(Ordering::Acquire);
            {
                let mut list = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::swap(&mut *list, &mut rows);
            }
            for row in rows.drain(..) {
                let written = writer.row(row, origin, share.process, self);
                match written {
                    Ok(is_sample) => count.written += u64::from(is_sample),
                    Err(error) => {
                        count.error = Some(error.to_string());
                        return count;
                    }
                }
            }
            if let Err(error) = writer.flush() {
                count.error = Some(error.to_string());
                return count;
            }
            if has_ended {
                count.left_out = self.left_out.load(Ordering::Relaxed);
                return count;
            }
            std::thread::park_timeout(PAUSE);
        }
    }
}

/// The files of a process.
struct Writer {
    files: Vec<Box<dyn Samples>>,
    /// The target of all samples.
    url: String,
}

impl Writer {
    fn open(files: &SampleFiles, process: u32) -> io::Result<Self> {
        let open = |path: &Path| -> io::Result<BufWriter<File>> {
            let file = OpenOptions::new().create(true).append(true).open(part(path, process))?;
            Ok(BufWriter::with_capacity(1 << 18, file))
        };
        let mut all: Vec<Box<dyn Samples>> = Vec::new();
        if let Some(path) = &files.jtl {
            all.push(Box::new(TestLog::continued(open(path)?)));
        }
        if let Some(path) = &files.gatling {
            all.push(Box::new(SimulationLog::continued(open(path)?)));
        }
        Ok(Self { files: all, url: files.url.clone() })
    }

    /// Writes a row; whether it is a sample.
    fn row(
        &mut self,
        row: Row,
        origin: Duration,
        process: u32,
        log: &SampleLog,
    ) -> io::Result<bool> {
        let ms = |at: Duration| u64::try_from((origin + at).as_millis()).unwrap_or_default();
        let counted = match row {
            Row::Ended(counted) => counted,
            Row::User { begins, at, user } => {
                let (group, ..) = log.seat(user, process);
                self.files.iter_mut().try_for_each(|file| file.thread(group, begins, ms(at)))?;
                return Ok(false);
            }
        };
        let users = counted.users as usize;
        let (group, place, number) = log.seat(counted.user, process);
        let trace = counted.trace.map(|trace| *trace).unwrap_or_default();
        let sample = Sample {
            at_ms: ms(counted.began),
            elapsed: counted.took,
            idle: counted.slept,
            connect: counted.connecting,
            label: match trace.label.is_empty() {
                true => log.labels.get(counted.kind).cloned().unwrap_or_default(),
                false => trace.label,
            },
            code: match (trace.code.as_str(), counted.status) {
                ("", 0) => counted.outcome.to_owned(),
                ("", status) => status.to_string(),
                // A transaction of several that failed has none.
                (NO_CODE, _) => String::new(),
                (code, _) => code.to_owned(),
            },
            failure: counted.failure.map(String::from),
            thread: format!("{group} {place}-{number}"),
            group: group.to_owned(),
            received: counted.received,
            sent: counted.sent,
            threads: (users, users),
            url: match trace.address.is_empty() {
                true => self.url.clone(),
                false => without_secrets(&trace.address).into_owned(),
            },
        };
        self.files.iter_mut().try_for_each(|file| file.ended(&sample))?;
        let end = origin + counted.began + counted.took + counted.slept;
        self.parts(trace.parts, &sample, end)?;
        Ok(true)
    }

    /// Writes what a sample consisted of, behind it, as JMeter does.
    fn parts(&mut self, parts: Vec<PartSample>, whole: &Sample, end: Duration) -> io::Result<()> {
        for (at, PartSample { before_end, took, passed, trace }) in parts.into_iter().enumerate() {
            let began = end.saturating_sub(before_end);
            let sample = Sample {
                at_ms: u64::try_from(began.as_millis()).unwrap_or_default(),
                elapsed: took,
                idle: Duration::ZERO,
                connect: Duration::ZERO,
                label: match trace.label.is_empty() {
                    true => format!("{}-{at}", whole.label),
                    false => trace.label,
                },
                code: trace.code,
                failure: (!passed).then(String::new),
                received: 0,
                sent: 0,
                url: without_secrets(&trace.address).into_owned(),
                ..whole.clone()
            };
            for file in &mut self.files {
                file.part(&sample)?;
            }
            self.parts(trace.parts, &sample, began + took)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(|file| file.finish())
    }
}

/// The file of a process: that of the first has the name that was given.
fn part(path: &Path, process: u32) -> PathBuf {
    if process == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{process}"));
    name.into()
}

/// Appends the files of all processes to those of the first one, and removes them.
///
/// # Errors
/// If a file cannot be read or written; those not appended yet are still there.
pub fn join_samples(files: &SampleFiles, processes: u32) -> io::Result<()> {
    for path in files.jtl.iter().chain(&files.gatling) {
        let mut whole = OpenOptions::new().append(true).open(path)?;
        for process in 1..processes {
            let part = part(path, process);
            match File::open(&part) {
                Ok(mut from) => {
                    io::copy(&mut from, &mut whole)?;
                    fs::remove_file(&part)?;
                }
                // A process that was lost before it began has none.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use duet_verdict::outcome::Outcome;

    use super::*;
    use crate::record::{Begun, TransactionCost};

    fn sample(began: u64, outcome: Outcome) -> record::Sample {
        let ms = Duration::from_millis;
        record::Sample {
            begun: Begun::new(0, None, [ms(began), ms(began)], true),
            outcome,
            ended: ms(began + 12),
            slept: ms(2),
            work: TransactionCost {
                sent: 20,
                received: 10,
                last_status: 201,
                ..Default::default()
            },
        }
    }

    #[test]
    fn processes_write_files_that_are_joined() {
        let folder = tempfile::tempdir().unwrap();
        let files = SampleFiles {
            jtl: Some(folder.path().join("run.jtl")),
            gatling: Some(folder.path().join("simulation.log")),
            url: "http://h/orders".to_owned(),
        };
        let kinds = [TransactionType::new("Order, new", "NEW", 1.0)];
        let origin = Instant::now();
        for process in 0..2 {
            let log = SampleLog::of(&files, &kinds, Vec::new()).unwrap();
            log.user(true, Duration::ZERO, process);
            log.ended(&sample(5, Outcome::Ok), None, process, 3, Trace::default());
            log.ended(
                &sample(9, Outcome::Check),
                Some("no title".into()),
                process,
                3,
                Trace::default(),
            );
            log.user(false, Duration::from_millis(30), process);
            log.end();
            let share = Share { process, first_user: process, users: 1 };
            let count = log.write(origin, share);
            assert_eq!(count, SampleCount { written: 2, ..SampleCount::default() });
        }
        join_samples(&files, 3).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        let text = fs::read_to_string(folder.path().join("run.jtl")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        let behind = |line: &str| line.split_once(',').unwrap().1.to_owned();
        let good = "10,\"Order, new\",201,OK,Users 1-1,text,true,,10,20,3,3,http://h/orders,10,2,0";
        assert_eq!(behind(lines[0]), good);
        let bad =
            "10,\"Order, new\",201,,Users 2-2,text,false,no title,10,20,3,3,http://h/orders,10,2,0";
        assert_eq!(behind(lines[3]), bad);
        let text = fs::read_to_string(folder.path().join("simulation.log")).unwrap();
        let words: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap()).collect();
        let each = ["USER", "REQUEST", "REQUEST", "USER"];
        assert_eq!(words, [each, each].concat(), "{text}");
    }

    #[test]
    fn a_full_list_leaves_rows_out_and_counts_them() {
        let folder = tempfile::tempdir().unwrap();
        let jtl = Some(folder.path().join("run.jtl"));
        let files = SampleFiles { jtl, ..SampleFiles::default() };
        let log =
            SampleLog::of(&files, &[TransactionType::new("A", "A", 1.0)], Vec::new()).unwrap();
        for _ in 0..MOST + 7 {
            log.ended(&sample(5, Outcome::Ok), None, 0, 1, Trace::default());
        }
        log.end();
        let count = log.write(Instant::now(), Share { process: 0, first_user: 0, users: 1 });
        let expected = SampleCount { written: MOST as u64, left_out: 7, error: None };
        assert_eq!(count, expected);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_of_the_count() {
        let folder = tempfile::tempdir().unwrap();
        let jtl = Some(folder.path().join("no/run.jtl"));
        let log =
            SampleLog::of(&SampleFiles { jtl, ..SampleFiles::default() }, &[], Vec::new()).unwrap();
        let count = log.write(Instant::now(), Share { process: 0, first_user: 0, users: 1 });
        assert!(count.error.is_some(), "{count:?}");
    }
}
