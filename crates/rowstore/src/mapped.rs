//! Words that several processes map into their memory. The only `unsafe` of this crate is here.

use std::io;
use std::ops::Deref;
use std::os::fd::BorrowedFd;
use std::ptr;
use std::slice;
use std::sync::atomic::AtomicU32;

use rustix::fs::{SealFlags, fcntl_get_seals, fstat};
use rustix::mm::{MapFlags, ProtFlags, mmap};

/// Words of this process, or of several.
#[derive(Debug)]
pub(crate) enum Words {
    Own(Box<[AtomicU32]>),
    Mapped(&'static [AtomicU32]),
}

impl Deref for Words {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        match self {
            Self::Own(words) => words,
            Self::Mapped(words) => words,
        }
    }
}

/// Maps the first `bytes` of a file in memory, for as long as the process runs.
///
/// # Errors
/// If the file is shorter, is not sealed against shrinking, or cannot be mapped.
pub(crate) fn map(file: BorrowedFd<'_>, bytes: usize) -> io::Result<Words> {
    let length = fstat(file)?.st_size;
    let is_long_enough = usize::try_from(length).is_ok_and(|length| length >= bytes);
    if !is_long_enough || !fcntl_get_seals(file)?.contains(SealFlags::SHRINK) {
        return Err(io::Error::other("the file of shared memory is too short, or may become so"));
    }
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the kernel chooses the place, so nothing that is in use is replaced. The mapping is never
    // removed, and the file stays as long as it is, so every word stays readable.
    #[expect(unsafe_code, reason = "memory that processes share has no safe call")]
    let words = unsafe {
        let start = mmap(ptr::null_mut(), bytes, protection, MapFlags::SHARED, file, 0)?;
        slice::from_raw_parts(start.cast::<AtomicU32>(), bytes / size_of::<AtomicU32>())
    };
    Ok(Words::Mapped(words))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs::File;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

    /// A file in memory of so many bytes.
    pub(crate) fn unsealed(bytes: usize) -> File {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = memfd_create("duet-test", flags).unwrap();
        ftruncate(&file, bytes as u64).unwrap();
        file.into()
    }

    /// One that stays as long as it is.
    pub(crate) fn file(bytes: usize) -> File {
        let file = unsealed(bytes);
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW).unwrap();
        file
    }
}
