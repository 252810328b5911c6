//! Read skew: a writer changes two items, one after the other, while others list both.
//!
//! The second item gets a number only after the first one has it. A list of one moment has the same
//! number in both, or the first one is one ahead. Any other pair is a mixture of two moments: such as
//! 3 and 4, where the first item was read before its change to 4, and the second one after its own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use super::items::{Item, Service};
use super::template::has;
use super::trial::{Seen, Stop, TrialOptions};

/// Changes of each item for each round, so that lists meet many of them.
const CHANGES: u32 = 4;

/// What is done.
pub(super) fn done(options: &TrialOptions) -> String {
    format!(
        "One user changed two items in turn, {} times; {} others listed both meanwhile.",
        options.rounds * CHANGES,
        options.users
    )
}

pub(super) fn run(service: &Service<'_>) -> Seen {
    let resource = service.resource();
    if resource.list.is_none() || resource.update.is_none() {
        return Err(Stop::Needs("The description needs `list` and `update` for it.".into()));
    }
    let mut client = service.client()?;
    let new = service.new_item(0);
    let mut other = service.new_item(0);
    // Marks may have to be unique: they are the same only where lists choose by them.
    if resource.list.as_deref().is_some_and(|list| has(list, "mark")) {
        other.mark.clone_from(&new.mark);
    }
    let [a, b] = [&new, &other].map(|new| service.create(&mut client, new));
    let (a, b) = (a?, b?);
    let first = service.list(&mut client, [&a, &b])?;
    if first.iter().any(|found| found.len() != 1) {
        let text = "The list does not have both items of the trial: let `list` choose them by ${a} and ${b}, \
                    or by ${mark}.";
        return Err(Stop::Needs(text.into()));
    }
    let (is_over, lists) = (AtomicBool::new(false), AtomicU64::new(0));
    let results = std::thread::scope(|scope| {
        let reader = || read(service, [&a, &b], &is_over, &lists);
        let mut threads: Vec<_> = (0..service.options.users).map(|_| scope.spawn(reader)).collect();
        threads.push(scope.spawn(|| write(service, [&a, &b], &is_over)));
        threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    for result in results {
        result.unwrap_or_else(|_| Err(Stop::Wrong("A user of the trial panicked.".into())))?;
    }
    let changes = service.options.rounds * CHANGES;
    Ok(format!(
        "{} lists during {changes} changes of each item: each had both items once, as they were at one moment.",
        lists.into_inner()
    ))
}

/// Changes the items until all rounds are done, or another user has seen something wrong.
fn write(service: &Service<'_>, items: [&Item; 2], is_over: &AtomicBool) -> Result<(), Stop> {
    let changed = || -> Result<(), Stop> {
        let mut client = service.client()?;
        for number in 1..=u64::from(service.options.rounds * CHANGES) {
            for item in items {
                if is_over.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let read = service.read(&mut client, item)?;
                let answer = service.update(&mut client, item, &read, number)?;
                if !answer.is_success() {
                    return Err(Stop::Wrong(format!("A change was answered {}.", answer.shown())));
                }
            }
        }
        Ok(())
    };
    let result = changed();
    is_over.store(true, Ordering::Relaxed);
    result
}

/// Lists both items until the writer has ended.
fn read(
    service: &Service<'_>,
    items: [&Item; 2],
    is_over: &AtomicBool,
    lists: &AtomicU64,
) -> Result<(), Stop> {
    let listed = || -> Result<(), Stop> {
        let mut client = service.client()?;
        while !is_over.load(Ordering::Relaxed) {
            let found = service.list(&mut client, items)?;
            lists.fetch_add(1, Ordering::Relaxed);
            check(&found)?;
        }
        Ok(())
    };
    let result = listed();
    if result.is_err() {
        is_over.store(true, Ordering::Relaxed);
    }
    result
}

/// Whether a list is of one moment.
fn check([a, b]: &[Vec<u64>; 2]) -> Result<(), Stop> {
    let ([a], [b]) = (&a[..], &b[..]) else {
        let text = format!(
            "A list had the first item {} times and the second one {} times; each is there once.",
            a.len(),
            b.len()
        );
        return Err(Stop::Wrong(text));
    };
    match *b <= *a && *a <= b + 1 {
        true => Ok(()),
        false => Err(Stop::Wrong(format!(
            "A list had {a} in the first item and {b} in the second one, which were never there at one moment: \
             the second one follows the first."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_one_moment() {
        for (a, b, holds) in [(3, 3, true), (4, 3, true), (3, 4, false), (5, 3, false)] {
            assert_eq!(check(&[vec![a], vec![b]]).is_ok(), holds, "{a} {b}");
        }
        assert!(check(&[vec![1, 1], vec![1]]).is_err() && check(&[vec![], vec![1]]).is_err());
    }
}
