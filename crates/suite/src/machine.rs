//! What the machine did meanwhile: processor time, and time in linkers, from `/proc`.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Units of processor time in a second: `USER_HZ`, the same on every Linux.
const TICKS: f64 = 100.0;

/// How often linkers are looked for.
const GLANCE: Duration = Duration::from_millis(100);

/// Names of linkers, as the kernel shortens them.
const LINKERS: &[&str] = &["rust-lld", "ld.lld", "lld", "ld", "ld.bfd", "ld.gold", "mold"];

/// Processor seconds of all processors since the machine was started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Processor {
    /// Spent on programs and the kernel.
    pub(super) busy: f64,
    /// Left over.
    pub(super) idle: f64,
}

impl Processor {
    /// As of now; nothing where there is no `/proc`.
    pub(super) fn now() -> Self {
        read(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// What came since `earlier`.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self { busy: self.busy - earlier.busy, idle: self.idle - earlier.idle }
    }
}

/// proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal.
fn read(stat: &str) -> Processor {
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<f64> =
        line.split_whitespace().skip(1).take(8).filter_map(|text| text.parse().ok()).collect();
    let idle = ticks.iter().skip(3).take(2).sum::<f64>();
    Processor { busy: (ticks.iter().sum::<f64>() - idle) / TICKS, idle: idle / TICKS }
}

/// Runs `work` and gives its result, and the seconds that its linkers ran: an estimate, by looking ten times a second.
pub(super) fn with_linking<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let (mut seconds, mut last) = (0.0, Instant::now());
            while !over.load(Ordering::Relaxed) {
                thread::sleep(GLANCE);
                seconds += linkers() as f64 * last.elapsed().as_secs_f64();
                last = Instant::now();
            }
            seconds
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        (done, watching.join().unwrap_or(0.0))
    })
}

/// How many linkers run below this process.
fn linkers() -> usize {
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let own = std::process::id();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|process| stat(*process).is_some_and(|(name, _)| LINKERS.contains(&name.as_str())))
        .filter(|process| is_below(*process, own))
        .count()
}

fn is_below(mut process: u32, ancestor: u32) -> bool {
    while process > 1 {
        let Some((_, parent)) = stat(process) else { return false };
        if parent == ancestor {
            return true;
        }
        process = parent;
    }
    false
}

/// Name and parent of a process.
fn stat(process: u32) -> Option<(String, u32)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (head, tail) = text.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    Some((name, tail.split_whitespace().nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_from_the_first_line() {
        let stat = "cpu  100 0 50 700 100 0 25 25 9 9\ncpu0 1 2 3 4\n";
        assert_eq!(read(stat), Processor { busy: 2.0, idle: 8.0 });
        assert_eq!(read(""), Processor::default());
    }

    #[test]
    fn this_process_is_below_its_parent() {
        let own = std::process::id();
        let Some((_, parent)) = stat(own) else { return };
        assert!(is_below(own, parent));
        assert!(!is_below(parent, own));
    }
}
