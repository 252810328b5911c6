//! The folder of a run's temporary files, in memory where there is room: tests make and remove hundreds of databases of
//! hundreds of files each, and on a disk half of the time of their servers went to its list of files.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Linux keeps files in memory (shm_overview(7)).
const IN_MEMORY: &str = "/dev/shm";

/// What must be free there, and of the machine's memory: a whole run takes a part of it.
const ROOM: u64 = 6 << 30;

/// How the folders of runs are named, with the process behind it.
const PREFIX: &str = "duet-suite-";

/// Makes the folder of this run, and removes those of runs that were killed. What is in it ends with the run.
///
/// # Errors
/// Where it cannot be made.
pub(super) fn make() -> io::Result<PathBuf> {
    let disk = std::env::temp_dir();
    for parent in [Path::new(IN_MEMORY), &disk] {
        remove_left(parent);
    }
    let parent = if has_room(Path::new(IN_MEMORY)) { Path::new(IN_MEMORY) } else { &disk };
    let folder = parent.join(format!("{PREFIX}{}", std::process::id()));
    fs::create_dir_all(temporary(&folder))?;
    // Servers of tests run as another user than root.
    fs::set_permissions(temporary(&folder), Permissions::from_mode(0o1777))?;
    Ok(folder)
}

/// The folder for `TMPDIR` in it.
pub(super) fn temporary(folder: &Path) -> PathBuf {
    folder.join("tmp")
}

fn has_room(folder: &Path) -> bool {
    let said = Command::new("df").args(["--output=avail", "--block-size=1"]).arg(folder).output();
    let said = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    let free = said.ok().and_then(|text| text.lines().nth(1)?.trim().parse::<u64>().ok());
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    free.unwrap_or(0) >= ROOM && available(&memory) >= ROOM
}

/// Bytes of memory that programs can have (proc_meminfo(5)).
fn available(memory: &str) -> u64 {
    let line = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

/// Removes the folders of processes that are gone.
fn remove_left(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            // Another user's stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:    8388608 kB\n";
        assert_eq!(available(text), 8 << 30);
        assert_eq!(available("MemTotal: 1 kB\n"), 0);
    }

    #[test]
    fn folders_of_ended_runs_are_removed() {
        let parent = std::env::temp_dir().join(format!("scratch-test-{}", std::process::id()));
        let of = |process: u32| parent.join(format!("{PREFIX}{process}"));
        // Numbers of processes end below 2^22.
        let (own, gone) = (of(std::process::id()), of(u32::MAX));
        for folder in [&own, &gone, &parent.join("others")] {
            fs::create_dir_all(folder).unwrap();
        }
        remove_left(&parent);
        assert!(own.exists() && !gone.exists() && parent.join("others").exists());
        fs::remove_dir_all(&parent).unwrap();
    }
}
