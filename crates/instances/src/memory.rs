//! A file in memory that all instances share, for whatever the program keeps in it.
//!
//! It is all zero at first. Its first four bytes are the supervisor's: they count the instances that have
//! ended without being done, so that the others can do what such a one could not.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// How much later an end is counted once more: what an instance has sent to others before it ended, such as
/// a commit, may be done by them meanwhile.
const AGAIN: Duration = Duration::from_secs(5);

/// The file, as the supervisor holds it.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    file: File,
    ended: u32,
    /// When the last end is counted once more.
    again: Option<Instant>,
}

impl SharedMemory {
    /// A file of so many bytes, which never shrinks, so that it can be mapped.
    ///
    /// # Errors
    /// If the system has no room for it.
    pub(crate) fn create(bytes: usize) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = memfd_create("duet-shared", flags)?;
        ftruncate(&file, bytes.max(size_of::<u32>()) as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(Self { file: file.into(), ended: 0, again: None })
    }

    /// The file, to hand it on.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Counts an instance that ended without being done.
    pub(crate) fn ended(&mut self, now: Instant) -> io::Result<()> {
        self.again = Some(now + AGAIN);
        self.count()
    }

    /// Counts it once more where that is due.
    pub(crate) fn look(&mut self, now: Instant) -> io::Result<()> {
        match self.again.take_if(|at| *at <= now) {
            Some(_) => self.count(),
            None => Ok(()),
        }
    }

    fn count(&mut self) -> io::Result<()> {
        self.ended = self.ended.wrapping_add(1);
        self.file.write_all_at(&self.ended.to_ne_bytes(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(memory: &SharedMemory) -> u32 {
        let mut bytes = [0; 4];
        memory.file.read_exact_at(&mut bytes, 0).unwrap();
        u32::from_ne_bytes(bytes)
    }

    #[test]
    fn an_end_is_counted_at_once_and_once_more() {
        let (mut memory, now) = (SharedMemory::create(64).unwrap(), Instant::now());
        memory.look(now).unwrap();
        assert_eq!(counted(&memory), 0);
        memory.ended(now).unwrap();
        memory.look(now).unwrap();
        assert_eq!(counted(&memory), 1);
        memory.look(now + AGAIN).unwrap();
        memory.look(now + AGAIN).unwrap();
        assert_eq!(counted(&memory), 2);
        assert!(ftruncate(&memory.file, 4).is_err(), "it never shrinks");
    }
}
