//! Checks the system's limit of open files before users connect, so that a run fails early with the
//! required number.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::workload::Failed;
use duet_verdict::outcome::Outcome;

/// Descriptors of a user that shares a thread: its connection and its timer.
const OF_TASK: u64 = 2;
/// Descriptors of a user with a thread of its own: its timer, the thread's event loop (epoll, two
/// wakers), and the database's file, log and journal.
const OF_THREAD: u64 = 8;
/// Descriptors of a process besides its users': standard streams, result files, the observer.
const RESERVE: u64 = 64;

/// Raises the soft limit of open files (`RLIMIT_NOFILE`) as far as allowed, and checks that it
/// suffices for this many users in this process.
///
/// # Errors
/// The required number, the limit, and how to raise it.
pub(super) fn open_files(users: u32, is_blocking: bool) -> Result<(), Failed> {
    let limit = getrlimit(Resource::Nofile);
    // If raising fails, the current limit may still suffice.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let allowed = getrlimit(Resource::Nofile).current;
    check(users, is_blocking, allowed.unwrap_or(u64::MAX))
}

fn check(users: u32, is_blocking: bool, allowed: u64) -> Result<(), Failed> {
    let each = if is_blocking { OF_THREAD } else { OF_TASK };
    let needed = u64::from(users) * each + RESERVE;
    if needed <= allowed {
        return Ok(());
    }
    let fits = allowed.saturating_sub(RESERVE) / each;
    Err(Failed::new(
        Outcome::Other,
        format!(
            "{users} users of one process need {needed} file descriptors ({each} each), and the limit of open files is {allowed}: raise it (`ulimit -n {needed}`, `LimitNOFILE=` of systemd), use more processes (--layout), or at most {fits} users in each"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_descriptors_are_refused_with_their_number() {
        let message = check(10_000, false, 20_000).unwrap_err().message;
        assert!(
            message.contains("need 20064 file descriptors") && message.contains("is 20000"),
            "{message}"
        );
        assert!(
            message.contains("ulimit -n 20064") && message.contains("at most 9968 users"),
            "{message}"
        );
        assert!(check(9_968, false, 20_000).is_ok() && check(100, true, 863).is_err());
        assert!(check(100, true, 864).is_ok() && check(u32::MAX, true, u64::MAX).is_ok());
    }
}
