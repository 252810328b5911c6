//! What a program has printed to a pipe until now, all of it: a test that asks sees what was written before it asked,
//! however busy the machine is.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::read;

/// The end of a pipe that is read, and what was read.
#[derive(Clone, Debug)]
pub(crate) struct Followed(Arc<Mutex<Pipe>>);

#[derive(Debug)]
struct Pipe {
    end: OwnedFd,
    bytes: Vec<u8>,
}

impl Followed {
    /// Reads a pipe until it ends, so that the program is never kept waiting.
    pub(crate) fn start(end: OwnedFd) -> (Self, JoinHandle<()>) {
        let watched = end.try_clone().unwrap_or_else(|error| panic!("a pipe: {error}"));
        let followed = Self(Arc::new(Mutex::new(Pipe { end, bytes: Vec::new() })));
        let reading = followed.clone();
        let reader = thread::spawn(move || {
            while has_something(&watched, PollTimeout::NONE) {
                if reading.lock().take() {
                    break;
                }
            }
        });
        (followed, reader)
    }

    /// All that was printed until now.
    pub(crate) fn text(&self) -> String {
        let mut pipe = self.lock();
        pipe.take();
        String::from_utf8_lossy(&pipe.bytes).into_owned()
    }

    fn lock(&self) -> MutexGuard<'_, Pipe> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pipe {
    /// Reads what is there, without waiting; whether the pipe has ended.
    fn take(&mut self) -> bool {
        let mut part = [0; 16 << 10];
        while has_something(&self.end, PollTimeout::ZERO) {
            match read(&self.end, &mut part) {
                Ok(0) => return true,
                Ok(length) => self.bytes.extend_from_slice(&part[..length]),
                Err(nix::Error::EINTR) => {}
                Err(_) => return true,
            }
        }
        false
    }
}

/// Whether the pipe has bytes or has ended.
fn has_something(end: &OwnedFd, wait: PollTimeout) -> bool {
    let mut polled = [PollFd::new(end.as_fd(), PollFlags::POLLIN)];
    loop {
        match poll(&mut polled, wait) {
            Ok(ready) => return ready > 0,
            Err(nix::Error::EINTR) => {}
            // A pipe that cannot be watched is read, which says why.
            Err(_) => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_was_written_is_seen_at_once() {
        let (end, mut writer) = std::io::pipe().unwrap();
        let (followed, reader) = Followed::start(end.into());
        let mut expected = String::new();
        for number in 0..1_000 {
            let line = format!("{number}\n");
            writer.write_all(line.as_bytes()).unwrap();
            expected += &line;
            assert_eq!(followed.text(), expected);
        }
        drop(writer);
        reader.join().unwrap();
        assert_eq!(followed.text(), expected);
    }
}
