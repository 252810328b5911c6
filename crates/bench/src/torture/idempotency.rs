//! Idempotency keys: a request that is sent again with its key takes effect once, one after the other
//! and at the same time.

use std::sync::Barrier;
use std::thread::ScopedJoinHandle;

use super::client::Answer;
use super::items::{Item, NewItem, Service};
use super::trial::{Seen, Stop, TrialOptions};

/// The statuses of a request whose key is in use.
const BUSY: [u16; 4] = [409, 423, 425, 429];

/// What is done.
pub(super) fn done(options: &TrialOptions) -> String {
    format!(
        "{} new items, each sent twice with one key; then {} by {} users at the same time with one key; then \
         another item with a used key.",
        options.rounds, options.rounds, options.users
    )
}

pub(super) fn run(service: &Service<'_>) -> Seen {
    if service.description.idempotency.is_none() {
        return Err(Stop::Needs("The description has no [idempotency].".into()));
    }
    let mut busy = 0;
    for _ in 0..service.options.rounds {
        one_after_the_other(service)?;
    }
    for _ in 0..service.options.rounds {
        busy += at_the_same_time(service)?;
    }
    let other = another_request(service)?;
    Ok(format!(
        "Each key had one effect, and each repeated request the first one's item; {busy} requests were refused \
         while their key was in use. {other}"
    ))
}

/// A key that was not used before, as a header. Keys are strings of structured fields.
pub(super) fn key(service: &Service<'_>, new: &NewItem) -> String {
    let header = service.description.idempotency.as_ref().map_or("", |it| &*it.header);
    format!("{header}: \"{}-{:016x}\"\r\n", new.mark, fastrand::u64(..))
}

fn one_after_the_other(service: &Service<'_>) -> Result<(), Stop> {
    let mut client = service.client()?;
    let new = service.new_item(1);
    let key = key(service, &new);
    let first = service.send_create(&mut client, &new, &key)?;
    let item = service.created(&new, &first)?;
    let again = service.send_create(&mut client, &new, &key)?;
    same(service, &item, &new, &again)?;
    once(service, &item)
}

/// The response to a repeated request must be about the same item.
fn same(service: &Service<'_>, item: &Item, new: &NewItem, again: &Answer) -> Result<(), Stop> {
    if !again.is_success() {
        return Err(Stop::Wrong(format!(
            "A request that was sent again with its key was answered {}, not as the first time.",
            again.shown()
        )));
    }
    let found = service.created(new, again)?;
    match found.id == item.id {
        true => Ok(()),
        false => Err(Stop::Wrong(format!(
            "A request that was sent again with its key made another item: {} and {}.",
            item.id, found.id
        ))),
    }
}

/// There must be one item of this mark.
fn once(service: &Service<'_>, item: &Item) -> Result<(), Stop> {
    let mut client = service.client()?;
    match service.count_of_mark(&mut client, item)? {
        None | Some(1) => Ok(()),
        Some(count) => Err(Stop::Wrong(format!(
            "One key had {count} effects: so many items have the mark {}.",
            item.mark
        ))),
    }
}

/// All users send one request at once. Returns how many were refused because the key was in use.
fn at_the_same_time(service: &Service<'_>) -> Result<usize, Stop> {
    let new = service.new_item(1);
    let key = key(service, &new);
    let users = service.options.users.max(2);
    let barrier = Barrier::new(users as usize);
    let answers = std::thread::scope(|scope| {
        let user = || -> Result<Answer, Stop> {
            let client = service.client();
            barrier.wait();
            Ok(service.send_create(&mut client?, &new, &key)?)
        };
        let threads: Vec<_> = (0..users).map(|_| scope.spawn(user)).collect();
        threads.into_iter().map(ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let (mut busy, mut done) = (0, Vec::new());
    for answer in answers {
        let answer =
            answer.unwrap_or_else(|_| Err(Stop::Wrong("A user of the trial panicked.".into())))?;
        match BUSY.contains(&answer.status) {
            true => busy += 1,
            false => done.push(answer),
        }
    }
    let mut client = service.client()?;
    let last = service.send_create(&mut client, &new, &key)?;
    let item = service.created(&new, &last)?;
    for answer in &done {
        same(service, &item, &new, answer)?;
    }
    once(service, &item)?;
    Ok(busy)
}

/// A used key with another body must have no effect of its own.
fn another_request(service: &Service<'_>) -> Seen {
    let mut client = service.client()?;
    let (new, other) = (service.new_item(1), service.new_item(2));
    let key = key(service, &new);
    let first = service.send_create(&mut client, &new, &key)?;
    let item = service.created(&new, &first)?;
    let second = service.send_create(&mut client, &other, &key)?;
    if !second.is_success() {
        return Ok(format!("Another request with a used key was answered {}.", second.status));
    }
    // A service may give the first answer again without comparing the requests.
    let is_new = service.created(&other, &second)?.id != item.id;
    let effect = match is_new {
        true => service.find(&mut client, &service.created(&other, &second)?)?.is_some(),
        false => service.read(&mut client, &item)?.count != 1,
    };
    match effect {
        false => Ok("Another request with a used key got the first answer.".into()),
        true => Err(Stop::Wrong(format!(
            "Another request with a used key was answered {} and took effect.",
            second.status
        ))),
    }
}
