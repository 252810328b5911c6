//! Kills: users write until the service is killed; what was acknowledged must be there after its next
//! start, whole, and what was not acknowledged once at most.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::client::Client;
use super::idempotency;
use super::items::{Item, NewItem, Service};
use super::trial::{Seen, Stop, TrialOptions};

/// Acknowledged writes for each round of each user, before a kill.
const WRITES: u64 = 2;
/// The longest wait for the service after its start.
const STARTING: Duration = Duration::from_secs(60);
/// The time between two looks whether it responds.
const GLANCE: Duration = Duration::from_millis(20);

/// What is done.
pub(super) fn done(options: &TrialOptions) -> String {
    format!(
        "{} users each changed an item of their own and created others; the command killed the service in the \
         middle of it, {} times.",
        options.users, options.kills
    )
}

/// What one user knows.
struct User {
    item: Item,
    /// The last number that was acknowledged, and the last that was sent.
    acknowledged: u64,
    sent: u64,
    /// The number that was stored at the last check.
    checked: u64,
    /// New items that were acknowledged.
    created: Vec<Item>,
    /// A new item that was sent and not acknowledged, with its key.
    unanswered: Option<(NewItem, String)>,
    /// Whether its connection broke.
    broke: bool,
    wrong: Option<Stop>,
}

/// The sums of the trial.
#[derive(Default)]
struct Sums {
    changes: u64,
    created: usize,
    repeated: usize,
}

pub(super) fn run(service: &Service<'_>) -> Seen {
    let Some(kill) = &service.description.kill else {
        return Err(Stop::Needs("The description has no [kill] with a `command`.".into()));
    };
    let mut client = service.client()?;
    let mut users = Vec::new();
    for _ in 0..service.options.users {
        let item = service.create(&mut client, &service.new_item(0))?;
        users.push(User {
            item,
            acknowledged: 0,
            sent: 0,
            checked: 0,
            created: Vec::new(),
            unanswered: None,
            broke: false,
            wrong: None,
        });
    }
    drop(client);
    let mut sums = Sums::default();
    for _ in 0..service.options.kills {
        write_until_killed(service, &mut users, &kill.command)?;
        wait_for(service)?;
        let mut client = service.client()?;
        for user in &mut users {
            check(service, &mut client, user, &mut sums)?;
        }
    }
    Ok(format!(
        "{} changes and {} new items were acknowledged, and all are there, none half written; {} unanswered \
         requests with a key were repeated.",
        sums.changes, sums.created, sums.repeated
    ))
}

/// Lets the users write, and runs the command when enough was acknowledged.
fn write_until_killed(
    service: &Service<'_>,
    users: &mut [User],
    command: &str,
) -> Result<(), Stop> {
    let acknowledged = AtomicU64::new(0);
    let enough = WRITES * u64::from(service.options.rounds) * u64::from(service.options.users);
    let killed = std::thread::scope(|scope| {
        let threads: Vec<_> = users
            .iter_mut()
            .map(|user| {
                let acknowledged = &acknowledged;
                scope.spawn(move || user.write(service, acknowledged, enough))
            })
            .collect();
        while acknowledged.load(Ordering::Relaxed) < enough
            && !threads.iter().all(std::thread::ScopedJoinHandle::is_finished)
        {
            std::thread::yield_now();
        }
        shell(command)
    });
    if let Some(wrong) = users.iter_mut().find_map(|user| user.wrong.take()) {
        return Err(wrong);
    }
    killed?;
    match users.iter().any(|user| user.broke) {
        true => Ok(()),
        false => Err(Stop::Needs(
            "The command of [kill] ended, and no user's connection broke: it does not kill the service.".into(),
        )),
    }
}

impl User {
    /// Writes until the connection breaks, or long after the command should have killed the service.
    fn write(&mut self, service: &Service<'_>, acknowledged: &AtomicU64, enough: u64) {
        self.broke = false;
        let Ok(mut client) = service.client() else { return };
        while acknowledged.load(Ordering::Relaxed) < enough * 100 {
            let wrote = self.change(service, &mut client).and_then(|()| {
                acknowledged.fetch_add(1, Ordering::Relaxed);
                self.create(service, &mut client)
            });
            match wrote {
                // It was killed, and is there again already.
                Ok(()) if client.has_reconnected() => {
                    self.broke = true;
                    return;
                }
                Ok(()) => acknowledged.fetch_add(1, Ordering::Relaxed),
                Err(Ended::Broken) => {
                    self.broke = true;
                    return;
                }
                Err(Ended::Wrong(stop)) => {
                    self.wrong = Some(stop);
                    return;
                }
            };
        }
    }

    /// What is stored must be what was acknowledged, or what was sent and not answered.
    fn compare(&self, stored: u64) -> Result<(), Stop> {
        let sent = self.sent.max(self.acknowledged);
        match (self.acknowledged..=sent).contains(&stored) {
            true => Ok(()),
            false => Err(Stop::Wrong(format!(
                "The item {} has {stored} after a kill; {} was acknowledged, and {sent} was sent last.",
                self.item.id, self.acknowledged
            ))),
        }
    }

    fn change(&mut self, service: &Service<'_>, client: &mut Client) -> Result<(), Ended> {
        if service.resource().update.is_none() {
            return Ok(());
        }
        let read = service.read(client, &self.item)?;
        self.compare(read.count)?;
        self.sent = self.acknowledged + 1;
        let answer = service.update(client, &self.item, &read, self.sent)?;
        match answer.status {
            _ if answer.is_success() => {
                self.acknowledged = self.sent;
                Ok(())
            }
            // A service that is ending may say so: the change may have been made or not.
            500.. => Err(Ended::Broken),
            _ => {
                Err(Ended::Wrong(Stop::Wrong(format!("A change was answered {}.", answer.shown()))))
            }
        }
    }

    fn create(&mut self, service: &Service<'_>, client: &mut Client) -> Result<(), Ended> {
        let new = service.new_item(7);
        let key = match service.description.idempotency {
            Some(_) => idempotency::key(service, &new),
            None => String::new(),
        };
        self.unanswered = Some((new.clone(), key.clone()));
        let answer = service.send_create(client, &new, &key).map_err(|_| Ended::Broken)?;
        if answer.status >= 500 {
            return Err(Ended::Broken);
        }
        let item = service.created(&new, &answer)?;
        self.unanswered = None;
        self.created.push(item);
        Ok(())
    }
}

/// Why a user stopped.
enum Ended {
    /// The service has gone.
    Broken,
    /// The service is wrong.
    Wrong(Stop),
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Broken(_) => Self::Broken,
            stop => Self::Wrong(stop),
        }
    }
}

/// Compares what is stored with what was acknowledged, and takes it for the new state.
fn check(
    service: &Service<'_>,
    client: &mut Client,
    user: &mut User,
    sums: &mut Sums,
) -> Result<(), Stop> {
    let stored = service.read(client, &user.item)?.count;
    user.compare(stored)?;
    sums.changes += user.acknowledged - user.checked;
    (user.acknowledged, user.sent, user.checked) = (stored, stored, stored);
    for item in &user.created {
        if service.find(client, item)?.is_none() {
            return Err(Stop::Wrong(format!(
                "The item {} was acknowledged, and is not there after the kill.",
                item.id
            )));
        }
    }
    sums.created += user.created.len();
    user.created.clear();
    if let Some((new, key)) = user.unanswered.take().filter(|(_, key)| !key.is_empty()) {
        let answer = service.send_create(client, &new, &key)?;
        let item = service.created(&new, &answer)?;
        if let Some(count) = service.count_of_mark(client, &item)?.filter(|count| *count != 1) {
            return Err(Stop::Wrong(format!(
                "A request that was not answered was repeated with its key after the kill, and had {count} \
                 effects."
            )));
        }
        sums.repeated += 1;
    }
    Ok(())
}

/// Runs a command of the shell.
fn shell(command: &str) -> Result<(), Stop> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = shell.status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop::Needs(format!("The command of [kill] failed: {status}."))),
        Err(error) => Err(Stop::Needs(format!("The command of [kill] cannot be run: {error}."))),
    }
}

/// Waits until the service responds again.
fn wait_for(service: &Service<'_>) -> Result<(), Stop> {
    let began = Instant::now();
    loop {
        let answered = service.client().and_then(|mut client| client.send("GET", "/", "", ""));
        if answered.is_ok_and(|answer| answer.status < 500) {
            return Ok(());
        }
        if began.elapsed() > STARTING {
            let seconds = STARTING.as_secs();
            let text = format!("The service did not respond within {seconds} s after the kill.");
            return Err(Stop::Wrong(text));
        }
        std::thread::sleep(GLANCE);
    }
}
