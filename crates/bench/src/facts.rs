//! Facts about the load generator's machine, and the current time.

use std::time::{Instant, SystemTime};

use duet_verdict::result::HostFacts;

/// Now, as RFC 3339 in UTC, to the second.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// A moment of the monotonic clock, as RFC 3339 in UTC to the millisecond.
pub fn moment(at: Instant) -> String {
    let (now, clock) = (Instant::now(), SystemTime::now());
    let moment = match at.checked_duration_since(now) {
        Some(wait) => clock.checked_add(wait),
        None => clock.checked_sub(now.saturating_duration_since(at)),
    };
    humantime::format_rfc3339_millis(moment.unwrap_or(clock)).to_string()
}

/// Now, as `HH:MM:SS` in UTC.
pub fn time_of_day() -> String {
    now().get(11..19).unwrap_or_default().to_owned()
}

/// This machine.
pub fn host() -> HostFacts {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    HostFacts {
        cpu: field(&read("/proc/cpuinfo"), "model name").unwrap_or_default(),
        cpus: std::thread::available_parallelism()
            .map_or(0, |n| u32::try_from(n.get()).unwrap_or(0)),
        memory_mb: field(&read("/proc/meminfo"), "MemTotal")
            .and_then(|size| size.trim_end_matches(" kB").parse::<u64>().ok())
            .map_or(0, |kilobytes| kilobytes / 1000),
        kernel: format!(
            "{} {}",
            read("/proc/sys/kernel/ostype").trim(),
            read("/proc/sys/kernel/osrelease").trim()
        ),
        load_before: read("/proc/loadavg")
            .split_whitespace()
            .next()
            .and_then(|load| load.parse().ok())
            .unwrap_or(0.0),
    }
}

/// This machine's host name; a container has its own.
pub fn host_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    // The name becomes part of a path.
    let name = name.trim().replace('/', "-");
    (!name.is_empty()).then_some(name)
}

/// A short fingerprint to compare contents: FNV-1a of 64 bits, in hexadecimal digits.
pub fn fingerprint(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    format!("{:016x}", bytes.iter().fold(0xCBF2_9CE4_8422_2325, step))
}

/// The value of the first line `name: value`.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_known() {
        let host = host();
        assert!(host.cpus > 0 && host.memory_mb > 0 && host.kernel.len() > 2, "{host:?}");
        assert_eq!((now().len(), time_of_day().len()), (20, 8));
    }

    #[test]
    fn moments_before_and_after_now_are_known() {
        let hour = std::time::Duration::from_secs(3600);
        let clock = Instant::now();
        let of = |at: Option<Instant>| {
            let text = moment(at.unwrap_or(clock));
            assert!(text.len() == 24 && text.ends_with('Z'), "{text}");
            humantime::parse_rfc3339(&text).unwrap()
        };
        let later = of(clock.checked_add(hour));
        let apart = later.duration_since(of(Some(clock))).unwrap();
        assert!(apart.abs_diff(hour) < std::time::Duration::from_secs(60), "{apart:?}");
        // A clock may have begun less than an hour ago.
        if let Some(earlier) = clock.checked_sub(hour) {
            assert!(of(Some(earlier)) < later - hour);
        }
    }
}
