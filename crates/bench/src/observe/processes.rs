//! The resource use of processes: client, server and database, one group each.

use std::collections::BTreeMap;
use std::fs;

/// Ticks per second in `/proc`: `USER_HZ`, part of the kernel's interface and 100 on every platform
/// but Alpha.
pub(super) const TICKS: f64 = 100.0;

/// The name of the group of PostgreSQL's processes.
pub(super) const DATABASE: &str = "postgres";
/// The name of the group of the processes that listen at the target's address.
pub(super) const SERVER: &str = "server";
/// The name of the group of other database servers, which may serve a service.
const DATABASES: &str = "databases";
/// Their program names.
const PROGRAMS: [&str; 9] = [
    "postgres",
    "mysqld",
    "mariadbd",
    "mongod",
    "redis-server",
    "valkey-server",
    "sqlservr",
    "oracle",
    "clickhouse-serv",
];

/// A group of processes that is reported together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Its name, the first part of its figures' names: `client`, `server`, `postgres`.
    pub name: String,
    /// The process ids.
    pub ids: Vec<u32>,
    /// Whether to include child processes: PostgreSQL's backends are children of its first process.
    pub with_children: bool,
    /// Whether to read each thread, to find one that is the bottleneck.
    pub with_threads: bool,
}

/// One reading of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupReading {
    /// Ticks by process. The count of an ended process disappears with it.
    ticks: BTreeMap<u32, u64>,
    /// Ticks of ended children.
    gone: u64,
    memory_kb: Memory,
    threads: BTreeMap<u32, Thread>,
}

/// Resident memory; shared pages count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Memory {
    own: u64,
    shared: u64,
}

/// A thread's time in nanoseconds (kernel, `Documentation/scheduler/sched-stats.rst`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Thread {
    ran: u64,
    /// Runnable without a processor.
    waited: u64,
}

/// The content of `/proc/<id>/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stat {
    parent: u32,
    ticks: u64,
    /// Of ended children.
    of_children: u64,
}

impl Group {
    /// PostgreSQL with its backends, by its first process.
    pub(super) fn with_backends(first: u32) -> Self {
        Self { name: DATABASE.into(), ids: vec![first], with_children: true, with_threads: false }
    }

    /// Database servers on this machine, without some processes: a service may use them. `None` if
    /// there are none.
    pub(super) fn databases(known: &[u32]) -> Option<Self> {
        let is_one = |id: &u32| {
            let name = program(*id);
            PROGRAMS.iter().any(|known| name.as_deref() == Some(*known))
        };
        let mut ids: Vec<u32> = processes().filter(is_one).collect();
        let all = ids.clone();
        // Backends are children of the first process.
        ids.retain(|id| !known.contains(id) && parent(*id).is_none_or(|it| !all.contains(&it)));
        let name = DATABASES.into();
        (!ids.is_empty()).then_some(Self { name, ids, with_children: true, with_threads: false })
    }

    /// Takes a reading.
    pub(super) fn look(&self) -> GroupReading {
        let mut look = GroupReading::default();
        for id in &self.ids {
            let Some(parent) = read(*id, "stat").and_then(|text| stat(&text)) else { continue };
            look.add(*id, parent.ticks);
            if self.with_children {
                look.gone += parent.of_children;
                for child in children(*id) {
                    if let Some(child_stat) = read(child, "stat").and_then(|text| stat(&text)) {
                        look.add(child, child_stat.ticks);
                    }
                }
            }
            if self.with_threads {
                look.threads.extend(threads(*id));
            }
        }
        look
    }
}

impl GroupReading {
    fn add(&mut self, id: u32, ticks: u64) {
        self.ticks.insert(id, ticks);
        let memory = read(id, "status").map(|text| memory(&text)).unwrap_or_default();
        self.memory_kb.own += memory.own;
        self.memory_kb.shared = self.memory_kb.shared.max(memory.shared);
    }

    /// The difference to an earlier reading, this many seconds ago.
    pub(super) fn since(
        &self,
        earlier: &Self,
        name: &str,
        seconds: f64,
        out: &mut BTreeMap<String, f64>,
    ) {
        if self.ticks.is_empty() {
            return;
        }
        let grown = |(id, ticks): (&u32, &u64)| {
            ticks.saturating_sub(earlier.ticks.get(id).copied().unwrap_or(0))
        };
        let lived: u64 = self.ticks.iter().map(grown).sum();
        // A process's ticks before the last reading were counted while it was alive.
        let died = self.gone.saturating_sub(earlier.gone);
        let dead = earlier.ticks.iter().filter(|(id, _)| !self.ticks.contains_key(id));
        let known: u64 = dead.map(|(_, ticks)| *ticks).sum();
        let ticks = lived + died.saturating_sub(known);
        out.insert(format!("{name}.cpu"), 100.0 * ticks as f64 / TICKS / seconds);
        let kilobytes = self.memory_kb.own + self.memory_kb.shared;
        out.insert(format!("{name}.memory_mb"), kilobytes as f64 * 1024.0 / 1e6);
        if self.threads.is_empty() {
            return;
        }
        let most = |pick: fn(&Thread) -> u64| {
            let grown = self.threads.iter().map(|(id, thread)| {
                let before = earlier.threads.get(id).map_or(0, pick);
                pick(thread).saturating_sub(before)
            });
            100.0 * grown.max().unwrap_or(0) as f64 / 1e9 / seconds
        };
        out.insert(format!("{name}.thread"), most(|thread| thread.ran));
        out.insert(format!("{name}.delay"), most(|thread| thread.waited));
    }
}

fn read(id: u32, file: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{id}/{file}")).ok()
}

/// The parent of a process.
pub(super) fn parent(id: u32) -> Option<u32> {
    Some(stat(&read(id, "stat")?)?.parent)
}

/// A process's program name, cut at 15 characters.
pub(super) fn program(id: u32) -> Option<String> {
    Some(read(id, "comm")?.trim_end().to_owned())
}

/// The children of a process; searches all processes if the kernel does not list them.
fn children(id: u32) -> Vec<u32> {
    if let Some(list) = read(id, &format!("task/{id}/children")) {
        return list.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    }
    processes().filter(|other| parent(*other) == Some(id)).collect()
}

/// The numbers of all processes.
fn processes() -> impl Iterator<Item = u32> {
    let all = fs::read_dir("/proc").into_iter().flatten();
    all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn threads(id: u32) -> BTreeMap<u32, Thread> {
    let Ok(all) = fs::read_dir(format!("/proc/{id}/task")) else { return BTreeMap::new() };
    let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let told = |number: u32| {
        let text = read(id, &format!("task/{number}/schedstat"))?;
        Some((number, thread(&text)?))
    };
    numbers.filter_map(told).collect()
}

/// `/proc/<id>/stat`: the program name is in parentheses and may contain any character, parentheses
/// too.
fn stat(text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |place: usize| words.get(place)?.parse::<u64>().ok();
    Some(Stat {
        parent: words.get(1)?.parse().ok()?,
        ticks: number(11)? + number(12)?,
        of_children: number(13)? + number(14)?,
    })
}

/// `/proc/<id>/status`, kilobytes.
fn memory(text: &str) -> Memory {
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    };
    Memory { own: of("RssAnon:"), shared: of("RssFile:") + of("RssShmem:") }
}

/// `/proc/<id>/task/<number>/schedstat`.
fn thread(text: &str) -> Option<Thread> {
    let mut words = text.split_whitespace().map_while(|word| word.parse().ok());
    Some(Thread { ran: words.next()?, waited: words.next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_hold_anything() {
        let text =
            "77 (a) b (c) S 5 77 77 0 -1 4194304 100 0 0 0 30 12 7 3 20 0 1 0 1421518 1 2 3\n";
        assert_eq!(stat(text), Some(Stat { parent: 5, ticks: 42, of_children: 10 }));
        assert_eq!((stat("77 (a S 5"), stat("77 (a) S 5 1")), (None, None));
    }

    #[test]
    fn memory_and_threads() {
        let text =
            "Name:\tx\nVmRSS:\t  90 kB\nRssAnon:\t  40 kB\nRssFile:\t  30 kB\nRssShmem:\t 20 kB\n";
        assert_eq!(memory(text), Memory { own: 40, shared: 50 });
        assert_eq!(thread("5000 700 3\n"), Some(Thread { ran: 5000, waited: 700 }));
        assert_eq!(thread("0"), None);
    }

    fn look(ticks: &[(u32, u64)], gone: u64) -> GroupReading {
        GroupReading { ticks: ticks.iter().copied().collect(), gone, ..GroupReading::default() }
    }

    fn cpu(then: &GroupReading, now: &GroupReading) -> f64 {
        let mut out = BTreeMap::new();
        now.since(then, "x", 2.0, &mut out);
        out["x.cpu"]
    }

    #[test]
    fn cpu_time_of_ended_children_counts_once() {
        let then = look(&[(1, 100), (2, 50)], 0);
        assert!((cpu(&then, &look(&[(1, 110), (2, 60)], 0)) - 10.0).abs() < 1e-9);
        // The second one used 10 ticks more and ended; the third began.
        assert!((cpu(&then, &look(&[(1, 100), (3, 4)], 60)) - 7.0).abs() < 1e-9);
    }

    #[test]
    fn the_busiest_thread_is_reported() {
        let threads = |all: [(u32, u64, u64); 2]| GroupReading {
            ticks: [(1, 0)].into(),
            threads: (all.into_iter())
                .map(|(id, ran, waited)| (id, Thread { ran, waited }))
                .collect(),
            ..GroupReading::default()
        };
        let mut out = BTreeMap::new();
        let then = threads([(1, 0, 0), (2, 0, 0)]);
        threads([(1, 900_000_000, 1), (2, 100, 250_000_000)]).since(&then, "c", 1.0, &mut out);
        assert_eq!((out["c.thread"], out["c.delay"]), (90.0, 25.0));
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let id = std::process::id();
        let group =
            Group { name: "c".into(), ids: vec![id], with_threads: true, ..Group::default() };
        let mut out = BTreeMap::new();
        group.look().since(&GroupReading::default(), "c", 1.0, &mut out);
        assert!(out["c.memory_mb"] > 0.5, "{out:?}");
        let gone = Group { ids: vec![u32::MAX - 1], ..group };
        assert!(gone.look().ticks.is_empty());
    }
}
