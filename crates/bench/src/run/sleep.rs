//! Sleeps with microsecond precision: the runtime's own timers have milliseconds only.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// A kernel timer (timerfd_create(2)). Each user has one.
#[derive(Debug)]
pub(super) struct Sleeper {
    timer: AsyncFd<OwnedFd>,
}

impl Sleeper {
    /// Creates the timer; must be called inside of a runtime.
    #[expect(
        deprecated,
        reason = "what took its place is unsafe; an `OwnedFd` keeps its descriptor"
    )]
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self { timer: AsyncFd::new(timer)? })
    }

    /// Sleeps until a moment; returns at once if it has passed.
    pub(super) async fn until(&self, moment: Instant) -> io::Result<()> {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        let timer = Itimerspec { it_interval: timespec(Duration::ZERO), it_value: timespec(left) };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::empty(), &timer)?;
        let mut expirations = [0; 8];
        loop {
            let mut ready = self.timer.readable().await?;
            let read = ready.try_io(|timer| {
                rustix::io::read(timer.get_ref(), &mut expirations).map_err(io::Error::from)
            });
            match read {
                Ok(read) => return read.map(|_| ()),
                Err(_would_block) => {}
            }
        }
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}
