//! Lost updates: users add 1 to one number at the same time, each from what it has read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use super::items::{Item, Service};
use super::trial::{Seen, Stop, TrialOptions};

/// How often a user that lost a race tries again, for each of its additions and each user.
const PATIENCE: u32 = 200;

/// What is done.
pub(super) fn done(options: &TrialOptions) -> String {
    format!(
        "A change with a version that was no longer current; then {} users each read one item and added 1 to \
         it, {} times, again after each conflict.",
        options.users, options.rounds
    )
}

pub(super) fn run(service: &Service<'_>) -> Seen {
    if service.resource().version.is_none() {
        let text =
            "The description has no `version`: nothing tells a service that an item has changed.";
        return Err(Stop::Needs(text.into()));
    }
    let mut client = service.client()?;
    let item = service.create(&mut client, &service.new_item(0))?;
    stale_version(service, &item)?;
    let before = service.read(&mut client, &item)?.count;
    let (added, conflicts) = (AtomicU64::new(0), AtomicU64::new(0));
    let results = std::thread::scope(|scope| {
        let user = || add(service, &item, &added, &conflicts);
        let threads: Vec<_> = (0..service.options.users).map(|_| scope.spawn(user)).collect();
        threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    for result in results {
        result.unwrap_or_else(|_| Err(Stop::Wrong("A user of the trial panicked.".into())))?;
    }
    let (added, conflicts) = (added.into_inner(), conflicts.into_inner());
    let stored = service.read(&mut client, &item)?.count;
    let seen = format!(
        "{added} additions acknowledged, {conflicts} refused as conflicts; the number went from {before} to \
         {stored}"
    );
    match stored == before + added {
        true => Ok(format!("{seen}.")),
        false if stored < before + added => {
            Err(Stop::Wrong(format!("{seen}: {} updates were lost.", before + added - stored)))
        }
        false => Err(Stop::Wrong(format!("{seen}: an addition took effect twice."))),
    }
}

/// A version that is no longer current must be refused.
fn stale_version(service: &Service<'_>, item: &Item) -> Result<(), Stop> {
    let mut client = service.client()?;
    let read = service.read(&mut client, item)?;
    let first = service.update(&mut client, item, &read, read.count + 1)?;
    if !first.is_success() {
        let text = format!("A change with the current version was refused: {}.", first.shown());
        return Err(Stop::Wrong(text));
    }
    let second = service.update(&mut client, item, &read, read.count + 2)?;
    match second.status {
        status if service.resource().conflict.contains(&status) => Ok(()),
        _ if second.is_success() => Err(Stop::Wrong(format!(
            "A change with a version that was no longer current was accepted ({}): the change before it is \
             lost.",
            second.status
        ))),
        _ => Err(Stop::Wrong(format!(
            "A change with a version that was no longer current was answered {}, which is none of `conflict`.",
            second.shown()
        ))),
    }
}

/// One user's additions.
fn add(
    service: &Service<'_>,
    item: &Item,
    added: &AtomicU64,
    conflicts: &AtomicU64,
) -> Result<(), Stop> {
    let mut client = service.client()?;
    for _ in 0..service.options.rounds {
        let mut tries = PATIENCE * service.options.users;
        loop {
            let read = service.read(&mut client, item)?;
            let answer = service.update(&mut client, item, &read, read.count + 1)?;
            if answer.is_success() {
                added.fetch_add(1, Ordering::Relaxed);
                break;
            }
            if !service.resource().conflict.contains(&answer.status) {
                return Err(Stop::Wrong(format!("A change was answered {}.", answer.shown())));
            }
            conflicts.fetch_add(1, Ordering::Relaxed);
            tries -= 1;
            if tries == 0 {
                return Err(Stop::Wrong("Every change of a user is refused as a conflict.".into()));
            }
        }
    }
    Ok(())
}
