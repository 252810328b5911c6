//! The machine's processors, disks, network and pressure, from `/proc`.
//!
//! [`Machine::read`] reads the files; all other functions parse text (proc(5)). Where a file is
//! absent, as in some containers and on other systems, its figures are absent too.

use std::collections::BTreeMap;
use std::fs;

use super::processes::TICKS;

/// Bytes of a sector in `/proc/diskstats`, for every device (kernel,
/// `Documentation/admin-guide/iostats.rst`).
const SECTOR: f64 = 512.0;

/// Prefixes of devices that stack on others or live in memory: their traffic is counted elsewhere,
/// or nowhere.
const NOT_DISKS: [&str; 7] = ["loop", "ram", "zram", "dm-", "md", "sr", "fd"];

/// Time of all processors since the machine's start, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cpu {
    /// Programs, including those with a low priority.
    user: u64,
    /// The kernel on behalf of programs.
    system: u64,
    /// The kernel on behalf of devices.
    interrupts: u64,
    iowait: u64,
    /// Taken by the hypervisor (steal).
    steal: u64,
    idle: u64,
}

impl Cpu {
    fn all(self) -> u64 {
        self.user + self.system + self.interrupts + self.iowait + self.steal + self.idle
    }
}

/// Bytes since the machine's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moved {
    /// Read from disks, or through the network in both directions.
    first: f64,
    /// Written to disks, or sent through the loopback interface.
    second: f64,
}

/// One reading of the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Machine {
    cpu: Option<Cpu>,
    disks: Option<Moved>,
    net: Option<Moved>,
    /// Values that are states instead of sums: load average, pressure.
    states: BTreeMap<String, f64>,
}

impl Machine {
    /// Reads the current state.
    pub(super) fn read() -> Self {
        let text = |path: &str| fs::read_to_string(path).ok();
        let mut states = BTreeMap::new();
        if let Some(load) = text("/proc/loadavg").and_then(|text| load(&text)) {
            states.insert("host.load".to_owned(), load);
        }
        for what in ["cpu", "io", "memory"] {
            let share = text(&format!("/proc/pressure/{what}")).and_then(|text| pressure(&text));
            if let Some(share) = share {
                states.insert(format!("pressure.{what}"), share);
            }
        }
        Self {
            cpu: text("/proc/stat").and_then(|text| cpu(&text)),
            disks: text("/proc/diskstats").map(|text| disks(&text)),
            net: text("/proc/net/dev").map(|text| net(&text)),
            states,
        }
    }

    /// The difference to an earlier reading, this many seconds ago.
    pub(super) fn since(&self, earlier: &Self, seconds: f64, out: &mut BTreeMap<String, f64>) {
        if let (Some(now), Some(then)) = (self.cpu, earlier.cpu) {
            shares(now, then, out);
        }
        let mut rates = |now: Option<Moved>, then: Option<Moved>, names: [&str; 2], unit: f64| {
            let (Some(now), Some(then)) = (now, then) else { return };
            let rate = |now: f64, then: f64| (now - then).max(0.0) / unit / seconds;
            out.insert(names[0].into(), rate(now.first, then.first));
            out.insert(names[1].into(), rate(now.second, then.second));
        };
        rates(self.disks, earlier.disks, ["disk.read_mb", "disk.write_mb"], 1e6);
        rates(self.net, earlier.net, ["net.mbit", "net.lo_mbit"], 1e6 / 8.0);
        out.extend(self.states.iter().map(|(name, value)| (name.clone(), *value)));
    }
}

impl Machine {
    /// Processors that programs kept busy since an earlier reading, this many seconds ago.
    pub(super) fn busy(&self, earlier: &Self, seconds: f64) -> Option<f64> {
        let (now, then) = (self.cpu?, earlier.cpu?);
        let ticks = (now.user + now.system).saturating_sub(then.user + then.system);
        Some(ticks as f64 / TICKS / seconds)
    }
}

/// The processors' time by category, in percent of their total.
fn shares(now: Cpu, then: Cpu, out: &mut BTreeMap<String, f64>) {
    let all = now.all().saturating_sub(then.all());
    if all == 0 {
        return;
    }
    let parts = [
        ("cpu.user", now.user, then.user),
        ("cpu.system", now.system + now.interrupts, then.system + then.interrupts),
        ("cpu.iowait", now.iowait, then.iowait),
        ("cpu.steal", now.steal, then.steal),
        ("cpu.idle", now.idle, then.idle),
    ];
    for (name, now, then) in parts {
        // The kernel's sums of iowait may decrease a little.
        out.insert(name.into(), 100.0 * now.saturating_sub(then) as f64 / all as f64);
    }
}

/// The first line of `/proc/stat`. The time of guests is already part of the user time.
fn cpu(text: &str) -> Option<Cpu> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let tick = |place: usize| ticks.get(place).copied().unwrap_or(0);
    (ticks.len() >= 4).then(|| Cpu {
        user: tick(0) + tick(1),
        system: tick(2),
        interrupts: tick(5) + tick(6),
        iowait: tick(4),
        steal: tick(7),
        idle: tick(3),
    })
}

/// The load average of the last minute.
fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

/// The share of the last ten seconds in which some task waited, in percent.
fn pressure(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let share = line.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?;
    share.parse().ok()
}

/// Traffic of whole devices: adding their partitions would count it twice.
fn disks(text: &str) -> Moved {
    let mut rows: Vec<(&str, f64, f64)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, _, name, _, _, read, _, _, _, written, ..] = words[..] else { continue };
        let (Ok(read), Ok(written)) = (read.parse(), written.parse()) else { continue };
        if !NOT_DISKS.iter().any(|prefix| name.starts_with(prefix)) {
            rows.push((name, read, written));
        }
    }
    let is_whole = |name: &str| !rows.iter().any(|(other, ..)| is_partition(name, other));
    let whole = rows.iter().filter(|(name, ..)| is_whole(name));
    whole.fold(Moved::default(), |sum, (_, read, written)| Moved {
        first: sum.first + read * SECTOR,
        second: sum.second + written * SECTOR,
    })
}

/// Whether a name denotes a partition: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn is_partition(name: &str, device: &str) -> bool {
    let Some(rest) = name.strip_prefix(device) else { return false };
    let number = match device.ends_with(|last: char| last.is_ascii_digit()) {
        true => rest.strip_prefix('p').unwrap_or_default(),
        false => rest,
    };
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Network traffic in both directions; loopback traffic counts once.
fn net(text: &str) -> Moved {
    let mut moved = Moved::default();
    for line in text.lines() {
        let Some((name, counts)) = line.split_once(':') else { continue };
        let counts: Vec<f64> =
            counts.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let (Some(received), Some(sent)) = (counts.first(), counts.get(8)) else { continue };
        match name.trim() {
            "lo" => moved.second += received,
            _ => moved.first += received + sent,
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 20 30 800 40 5 5 10 7 0\ncpu0 1 2 3 4\nintr 5\n";

    #[test]
    fn processors() {
        let then = cpu(STAT).unwrap();
        assert_eq!(
            then,
            Cpu { user: 120, system: 30, interrupts: 10, iowait: 40, steal: 10, idle: 800 }
        );
        let now = cpu("cpu  150 20 40 830 40 5 5 20 7 0\n").unwrap();
        let mut out = BTreeMap::new();
        shares(now, then, &mut out);
        let of = |name: &str| out[name];
        assert_eq!([of("cpu.user"), of("cpu.system"), of("cpu.idle")], [50.0, 10.0, 30.0]);
        assert_eq!([of("cpu.steal"), of("cpu.iowait")], [10.0, 0.0]);
        // An old kernel has fewer columns, and a malformed line has none.
        assert!(cpu("cpu  1 2 3 4\n").is_some());
        assert_eq!((cpu("cpu  1 x\n"), cpu("")), (None, None));
    }

    #[test]
    fn only_whole_disks_count() {
        let text = "   7  0 loop0 1 0 900 0 1 0 900 0 0 0 0\n \
            8  0 sda 10 0 200 0 10 0 400 0 0 0 0\n 8  1 sda1 10 0 200 0 10 0 400 0 0 0 0\n \
            259 0 nvme0n1 1 0 100 0 1 0 0 0 0 0 0\n 259 1 nvme0n1p1 1 0 100 0 1 0 0 0 0 0 0\n \
            253 0 dm-0 1 0 300 0 1 0 300 0 0 0 0\n 8 16 sdab 1 0 1 0 1 0 1 0 0 0 0\n \
            202 1 xvda1 1 0 2 0 1 0 2 0 0 0 0\n";
        assert_eq!(disks(text), Moved { first: 303.0 * SECTOR, second: 403.0 * SECTOR });
        assert_eq!(disks("broken"), Moved::default());
    }

    #[test]
    fn networks() {
        let text = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n    \
            lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n  eth0:100 1 0 0 0 0 0 0 25 1 0 0 0 0 0 0\n";
        assert_eq!(net(text), Moved { first: 125.0, second: 500.0 });
    }

    #[test]
    fn states() {
        assert_eq!(load("10.16 8.69 6.58 13/174 10596\n"), Some(10.16));
        let text = "some avg10=95.56 avg60=95.22 avg300=94.16 total=1\nfull avg10=1.00 total=0\n";
        assert_eq!(pressure(text), Some(95.56));
        assert_eq!((load(""), pressure("full avg10=1")), (None, None));
    }

    #[test]
    fn rates_are_of_a_second() {
        let moved = |first, second| Some(Moved { first, second });
        let then = Machine { disks: moved(0.0, 1e6), net: moved(0.0, 0.0), ..Machine::default() };
        let now = Machine { disks: moved(4e6, 2e6), net: moved(5e6, 1e6), ..Machine::default() };
        let mut out = BTreeMap::new();
        now.since(&then, 2.0, &mut out);
        assert_eq!((out["disk.read_mb"], out["disk.write_mb"]), (2.0, 0.5));
        assert_eq!((out["net.mbit"], out["net.lo_mbit"]), (20.0, 4.0));
        assert!(!out.contains_key("cpu.user"));
    }
}
