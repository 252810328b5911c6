//! Own writes: what a user has written over one connection it reads over others, which may lead to other
//! processes, hosts or caches of the service.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use super::client::Client;
use super::items::{Item, Service};
use super::trial::{Seen, Stop, TrialOptions};

/// Connections of each user that read what another one has written.
const READERS: usize = 3;

/// Changes of each user for each round.
const CHANGES: u32 = 10;

/// What is done.
pub(super) fn done(options: &TrialOptions) -> String {
    format!(
        "{} users each changed an item of their own {} times, and after each change read it over {READERS} other \
         connections.",
        options.users,
        options.rounds.saturating_mul(CHANGES)
    )
}

pub(super) fn run(service: &Service<'_>) -> Seen {
    if service.resource().update.is_none() {
        return Err(Stop::Needs("The description needs `update` for it.".into()));
    }
    let reads = AtomicU64::new(0);
    let results = std::thread::scope(|scope| {
        let user = || write_and_read(service, &reads);
        let threads: Vec<_> = (0..service.options.users).map(|_| scope.spawn(user)).collect();
        threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    for result in results {
        result.unwrap_or_else(|_| Err(Stop::Wrong("A user of the trial panicked.".into())))?;
    }
    Ok(format!("{} reads of own changes: each had the last one.", reads.into_inner()))
}

/// One user's changes.
fn write_and_read(service: &Service<'_>, reads: &AtomicU64) -> Result<(), Stop> {
    let mut writer = service.client()?;
    let readers: Result<Vec<Client>, _> = (0..READERS).map(|_| service.client()).collect();
    let mut readers = readers?;
    let item = service.create(&mut writer, &service.new_item(0))?;
    for count in 1..=u64::from(service.options.rounds.saturating_mul(CHANGES)) {
        let read = service.read(&mut writer, &item)?;
        let answer = service.update(&mut writer, &item, &read, count)?;
        if !answer.is_success() {
            return Err(Stop::Wrong(format!("A change was answered {}.", answer.shown())));
        }
        for reader in &mut readers {
            is_current(service, reader, &item, count)?;
            reads.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// A read after an acknowledged change must have it.
fn is_current(
    service: &Service<'_>,
    reader: &mut Client,
    item: &Item,
    count: u64,
) -> Result<(), Stop> {
    let found = service.read(reader, item)?.count;
    match found == count {
        true => Ok(()),
        false => Err(Stop::Wrong(format!(
            "A user wrote {count}, got its acknowledgement, and then read {found} over another connection."
        ))),
    }
}
