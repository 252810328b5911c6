//! What a database tells by itself: that its schema, or Duet's state in it, may have changed.
//!
//! News only shorten the wait for the next look, which finds out what is true. So a lost one costs time and nothing
//! else; and where listening ends, each waiting task looks at once, since more may be lost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// How often a database is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Where it tells nothing.
    pub polled: Duration,
    /// Where it tells what has changed.
    pub listening: Duration,
}

impl Pace {
    /// The usual one.
    pub const USUAL: Self =
        Self { polled: Duration::from_secs(1), listening: Duration::from_secs(5) };

    /// The same in either case.
    pub const fn every(time: Duration) -> Self {
        Self { polled: time, listening: time }
    }

    /// The time between two looks.
    pub fn pause(self, is_listening: bool) -> Duration {
        if is_listening { self.listening } else { self.polled }
    }
}

/// Whether a connection listens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ear {
    /// It was not asked to.
    #[default]
    Closed,
    Open,
    /// The server refuses.
    Refused,
}

/// What one database tells, by the newest of the connections that are made for it.
#[derive(Debug)]
pub struct News {
    /// Moved with each of the news, and where listening ends.
    woken: watch::Sender<u64>,
    told: AtomicU64,
    /// The number of the newest connection, and whether that listens.
    newest: Mutex<(u64, Ear)>,
}

impl Default for News {
    fn default() -> Self {
        let (woken, _) = watch::channel(0);
        Self { woken, told: AtomicU64::new(0), newest: Mutex::default() }
    }
}

impl News {
    fn newest(&self) -> MutexGuard<'_, (u64, Ear)> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection was made, which does not listen yet; its number. Where the one before listened, each waiting task
    /// looks at once, and listens on the new one.
    pub fn connected(&self) -> u64 {
        let (number, listened) = {
            let mut newest = self.newest();
            let listened = newest.1 == Ear::Open;
            *newest = (newest.0 + 1, Ear::Closed);
            (newest.0, listened)
        };
        if listened {
            self.woken.send_modify(|count| *count += 1);
        }
        number
    }

    /// Whether the newest connection has yet to be asked to listen.
    pub fn can_listen(&self) -> bool {
        self.newest().1 == Ear::Closed
    }

    /// The newest connection listens, or the server refuses that.
    pub fn asked(&self, listens: bool) {
        self.newest().1 = if listens { Ear::Open } else { Ear::Refused };
    }

    /// A connection has ended.
    pub fn ended(&self, connection: u64) {
        let mut newest = self.newest();
        if newest.0 == connection {
            newest.1 = Ear::Closed;
            drop(newest);
            self.woken.send_modify(|count| *count += 1);
        }
    }

    /// Something may have changed.
    pub fn tell(&self) {
        self.told.fetch_add(1, Ordering::Relaxed);
        self.woken.send_modify(|count| *count += 1);
    }

    /// How often something was told.
    pub fn told(&self) -> u64 {
        self.told.load(Ordering::Relaxed)
    }

    /// Whether changes are announced.
    pub fn is_listening(&self) -> bool {
        self.newest().1 == Ear::Open
    }
}

/// Waits for news.
#[derive(Debug)]
pub struct NewsReader(Option<(Arc<News>, watch::Receiver<u64>)>);

impl NewsReader {
    /// A reader of announcements from now on; without news, one that only waits.
    pub fn of(news: Option<&Arc<News>>) -> Self {
        Self(news.map(|news| (Arc::clone(news), news.woken.subscribe())))
    }

    /// Whether changes are announced.
    pub fn is_listening(&self) -> bool {
        self.0.as_ref().is_some_and(|(news, _)| news.is_listening())
    }

    /// Waits `pause`, or from `least` on until something was told since the last time.
    pub async fn wait(&mut self, least: Duration, pause: Duration) {
        sleep(least.min(pause)).await;
        let rest = pause.saturating_sub(least);
        match &mut self.0 {
            // The end of the time, or news; the sender is kept beside.
            Some((_, woken)) => drop(timeout(rest, woken.changed()).await),
            None => sleep(rest).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn block_on(work: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(work);
    }

    #[test]
    fn what_is_told_while_nobody_waits_is_not_lost() {
        let news = Arc::<News>::default();
        let mut reader = NewsReader::of(Some(&news));
        news.tell();
        news.tell();
        block_on(reader.wait(Duration::ZERO, LONG));
        assert_eq!(news.told(), 2);
        // Both are heard by now.
        block_on(reader.wait(Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn the_end_of_the_newest_connection_wakes() {
        let news = Arc::<News>::default();
        let mut reader = NewsReader::of(Some(&news));
        let first = news.connected();
        news.asked(true);
        assert!(reader.is_listening());
        let second = news.connected();
        assert!(news.can_listen() && !reader.is_listening());
        news.asked(true);
        news.ended(first);
        assert!(reader.is_listening());
        news.ended(second);
        assert!(!reader.is_listening() && news.can_listen());
        block_on(reader.wait(Duration::ZERO, LONG));
        news.connected();
        news.asked(false);
        assert!(!news.can_listen() && !reader.is_listening());
    }
}
