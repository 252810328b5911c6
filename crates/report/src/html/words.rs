//! Words for readers: what the names of observed figures mean, which chart shows one and as what.

/// Where an observed figure is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The chart.
    pub(super) chart: Group,
    /// The series.
    pub(super) name: String,
}

/// A chart of observed figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Waits,
    /// Programs' shares of the processors.
    Programs,
    Processors,
    Transactions,
    Rows,
    Pages,
    Sessions,
    Written,
    File,
    Checkpoints,
    Disks,
    Network,
    Memory,
    Generator,
    Load,
    Pressure,
    /// Figures of newer versions or other tools, by their prefix and unit.
    Other(String),
}

impl Group {
    /// The chart's title and unit.
    pub(super) fn title(&self) -> (&str, &'static str) {
        match self {
            Self::Waits => ("Sessions by what they wait for", ""),
            Self::Programs => ("Processors by program", "%"),
            Self::Processors => ("Processors by kind of work", "%"),
            Self::Transactions => ("Database: transactions", "/s"),
            Self::Rows => ("Database: rows", "/s"),
            Self::Pages => ("Database: pages", "/s"),
            Self::Sessions => ("Database: sessions", ""),
            Self::Written => ("Database: log and temporary files", "MB/s"),
            Self::File => ("Database: files", "MB"),
            Self::Checkpoints => ("Database: checkpoints", "/s"),
            Self::Disks => ("Disks", "MB/s"),
            Self::Network => ("Network", "Mbit/s"),
            Self::Memory => ("Memory", "MB"),
            Self::Generator => ("Threads of the load generator", "%"),
            Self::Load => ("Load average of a minute", ""),
            Self::Pressure => ("Time in which tasks waited for a resource", "%"),
            Self::Other(name) => (name, ""),
        }
    }

    /// A sentence on how to read it.
    pub(super) fn note(&self) -> &'static str {
        match self {
            Self::Waits => "Average number of the run's sessions in each state.",
            Self::Programs => "Share of all processors of this machine, by who used them.",
            Self::Processors => "Share of all processors of this machine.",
            Self::Generator => {
                "Of each second, by its busiest thread and by the one that waited longest."
            }
            Self::Pressure => "Share of the last ten seconds.",
            _ => "",
        }
    }

    /// Whether its series add up to a whole.
    pub(super) fn is_stacked(&self) -> bool {
        matches!(self, Self::Waits | Self::Programs | Self::Processors)
    }
}

/// Figures with a fixed name.
const NAMES: &[(&str, Group, &str)] = &[
    ("cpu.user", Group::Processors, "programs"),
    ("cpu.system", Group::Processors, "kernel"),
    ("cpu.iowait", Group::Processors, "waiting for disks"),
    ("cpu.steal", Group::Processors, "taken by the hypervisor (steal)"),
    ("client.cpu", Group::Programs, "load generator"),
    ("server.cpu", Group::Programs, "server"),
    ("postgres.cpu", Group::Programs, "PostgreSQL"),
    ("databases.cpu", Group::Programs, "database servers"),
    ("host.others", Group::Programs, "other programs"),
    ("client.memory_mb", Group::Memory, "load generator"),
    ("server.memory_mb", Group::Memory, "server"),
    ("postgres.memory_mb", Group::Memory, "PostgreSQL"),
    ("databases.memory_mb", Group::Memory, "database servers"),
    ("client.thread", Group::Generator, "running"),
    ("client.delay", Group::Generator, "waiting for a processor"),
    ("observer.cpu", Group::Generator, "observer (part of the load generator)"),
    ("host.load", Group::Load, "tasks"),
    ("pressure.cpu", Group::Pressure, "processors"),
    ("pressure.io", Group::Pressure, "disks"),
    ("pressure.memory", Group::Pressure, "memory"),
    ("disk.read_mb", Group::Disks, "read"),
    ("disk.write_mb", Group::Disks, "written"),
    ("net.mbit", Group::Network, "to and from other machines"),
    ("net.lo_mbit", Group::Network, "within this machine"),
    ("db.commits", Group::Transactions, "commits"),
    ("db.rollbacks", Group::Transactions, "rollbacks"),
    ("db.deadlocks", Group::Transactions, "deadlocks"),
    ("db.rows_fetched", Group::Rows, "fetched by indexes"),
    ("db.rows_inserted", Group::Rows, "inserted"),
    ("db.rows_updated", Group::Rows, "updated"),
    ("db.rows_deleted", Group::Rows, "deleted"),
    ("db.blocks_hit", Group::Pages, "found in memory"),
    ("db.blocks_read", Group::Pages, "read from files"),
    ("db.sessions", Group::Sessions, "connected"),
    ("db.blocked", Group::Sessions, "blocked by locks"),
    ("db.parallel_workers", Group::Sessions, "parallel workers"),
    ("db.wal_mb", Group::Written, "write-ahead log"),
    ("db.temp_mb", Group::Written, "temporary files"),
    ("db.checkpoints", Group::Checkpoints, "checkpoints"),
    ("db.file_mb", Group::File, "database"),
    ("db.free_mb", Group::File, "free in the database"),
    ("db.wal_file_mb", Group::File, "write-ahead log"),
];

/// Figures that others hold already: the idle rest, sums, marks.
const LEFT_OUT: [&str; 3] = ["cpu.idle", "db.rows_changed", "db.written"];

/// Classes of wait events, by PostgreSQL's names.
const WAITS: &[(&str, &str)] = &[
    ("CPU", "running"),
    ("Lock", "waiting for a lock of a row or table"),
    ("LWLock", "waiting for an internal lock (LWLock)"),
    ("IO", "waiting for files (IO)"),
    ("IPC", "waiting for another process (IPC)"),
    ("Client", "waiting for the client"),
    ("BufferPin", "waiting for a pinned page"),
    ("Timeout", "sleeping"),
    ("Extension", "waiting in an extension"),
    ("IdleInTransaction", "idle in a transaction"),
];

/// A whole number, with separators from a thousand on.
pub(super) fn count(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { duet_verdict::text::figure(count as f64) }
}

/// A wait event class in words.
pub(super) fn wait(class: &str) -> String {
    let known = WAITS.iter().find(|(name, _)| *name == class);
    known.map_or_else(|| format!("waiting ({class})"), |(_, words)| (*words).to_owned())
}

/// Where a figure is shown; `None` if others hold it already. Figures of further machines of a merged
/// result say so: `machine2.cpu.user`.
pub(super) fn place(name: &str) -> Option<Place> {
    let machine = name.split_once('.').filter(|(first, _)| {
        first.strip_prefix("machine").is_some_and(|rest| rest.parse::<u32>().is_ok())
    });
    if let Some((machine, rest)) = machine {
        let Place { chart, name } = place(rest)?;
        let number = machine.trim_start_matches("machine");
        let title = format!("Machine {number}: {}", chart.title().0);
        return Some(Place { chart: Group::Other(title), name });
    }
    if LEFT_OUT.contains(&name) {
        return None;
    }
    if let Some(class) = name.strip_prefix("wait.") {
        return Some(Place { chart: Group::Waits, name: wait(class) });
    }
    let known = NAMES.iter().find(|(known, ..)| *known == name);
    Some(match known {
        Some((_, chart, words)) => Place { chart: chart.clone(), name: (*words).to_owned() },
        None => unknown(name),
    })
}

/// A figure without words: its name, with spaces.
fn unknown(name: &str) -> Place {
    let (group, rest) = name.split_once('.').unwrap_or(("", name));
    // Different units cannot share an axis.
    let unit = rest.rsplit_once('_').map_or(rest, |(_, unit)| unit);
    let spaced = |text: &str| text.replace(['_', '.'], " ");
    let title = format!("{}, {}", spaced(group), spaced(unit));
    let title = title.trim_matches([',', ' ']).to_owned();
    Place { chart: Group::Other(title), name: spaced(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_words() {
        let shown = |name: &str| {
            let Place { chart, name } = place(name).unwrap();
            format!("{}: {name}", chart.title().0)
        };
        assert_eq!(shown("net.lo_mbit"), "Network: within this machine");
        assert_eq!(
            shown("wait.LWLock"),
            "Sessions by what they wait for: waiting for an internal lock (LWLock)"
        );
        assert_eq!(shown("wait.Activity"), "Sessions by what they wait for: waiting (Activity)");
        assert_eq!(shown("machine2.disk.read_mb"), "Machine 2: Disks: read");
        assert_eq!(shown("my.own_thing_mb"), "my, mb: own thing mb");
        assert_eq!(shown("x"), "x: x");
        assert_eq!((place("cpu.idle"), place("machine2.cpu.idle")), (None, None));
    }

    #[test]
    fn each_figure_has_one_place() {
        let mut names: Vec<&str> = NAMES.iter().map(|(name, ..)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), NAMES.len());
    }
}
