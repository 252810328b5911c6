//! The memory that this process may use: the minimum of its control groups' limits and the
//! machine's memory.

use std::fs;
use std::path::Path;

/// The default share of the memory for requests and responses.
const PART: u64 = 4;
/// The minimum.
const LEAST: u64 = 64 << 20;
/// The default if no limit can be read.
const UNKNOWN: u64 = 512 << 20;

/// The default of `memory`, in bytes.
pub(crate) fn for_requests() -> usize {
    let read = |path: &Path| fs::read_to_string(path).ok();
    usize::try_from(part(usable(&read))).unwrap_or(usize::MAX)
}

fn part(usable: Option<u64>) -> u64 {
    usable.map_or(UNKNOWN, |usable| (usable / PART).max(LEAST))
}

/// The least limit that can be read.
fn usable(read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|group| group_limits(group, read));
    limits.chain(machine(read)).min()
}

/// The limits of a control group and of its parents. A line of `/proc/self/cgroup` is
/// `number:controllers:path`; version 2 has no controllers.
fn group_limits(line: &str, read: &impl Fn(&Path) -> Option<String>) -> Vec<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        _ if controllers.split(',').any(|one| one == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let root = Path::new(root);
    let group = root.join(path.trim_start_matches('/'));
    // In a container the path may be the host's, and the root of the mount the container's.
    let around = group.ancestors().take_while(|folder| folder.starts_with(root));
    let limit = |folder: &Path| read(&folder.join(file))?.trim().parse().ok();
    around.filter_map(limit).collect()
}

fn machine(read: &impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let text = read(Path::new("/proc/meminfo"))?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn read(files: &[(&str, &str)]) -> Option<u64> {
        usable(&|path: &Path| {
            let found = files.iter().find(|(known, _)| Path::new(known) == path);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    const MACHINE: (&str, &str) = ("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");

    #[test]
    fn the_least_limit_counts() {
        let group = ("/proc/self/cgroup", "0::/system.slice/duet.service\n");
        let own = "/sys/fs/cgroup/system.slice/duet.service/memory.max";
        let slice = "/sys/fs/cgroup/system.slice/memory.max";
        assert_eq!(read(&[MACHINE]), Some(16 * GIB));
        assert_eq!(read(&[MACHINE, group, (own, "max\n")]), Some(16 * GIB));
        assert_eq!(read(&[MACHINE, group, (own, "2147483648\n")]), Some(2 * GIB));
        assert_eq!(read(&[MACHINE, group, (own, "max"), (slice, "1073741824")]), Some(GIB));
        let container = ("/sys/fs/cgroup/memory.max", "536870912");
        assert_eq!(read(&[MACHINE, group, container]), Some(GIB / 2));
        let old = ("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n");
        let unlimited = ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
        let limited = ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1073741824");
        assert_eq!(read(&[MACHINE, old, unlimited, limited]), Some(GIB));
        assert_eq!(read(&[MACHINE, old, unlimited]), Some(16 * GIB));
    }

    #[test]
    fn takes_a_share_of_the_memory() {
        assert_eq!(part(Some(16 * GIB)), 4 * GIB);
        assert_eq!(part(Some(100 << 20)), LEAST);
        assert_eq!((read(&[]), part(None)), (None, UNKNOWN));
    }
}
