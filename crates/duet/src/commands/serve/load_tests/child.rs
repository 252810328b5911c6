//! The process of a run, and the file by which all processes of a server know which run goes on.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use duet_http::load_tests::{Order, Problem};
use rustix::process::{Pid, Signal, kill_process};

use super::{NOT_STARTED, problem};

/// The file that is locked while a run goes on, with its name and the number of its process.
const RUNNING: &str = ".running";
/// What the process has said.
pub(super) const OUTPUT: &str = "output.txt";
/// The variable with the token, which command lines would show to other users of the machine.
const TOKEN: &str = "DUET_BENCH_TOKEN";
/// The variable with a client, which would take the place of the token's.
const CLIENT: &str = "DUET_BENCH_CLIENT";

/// The variable with the database that is observed, which may hold a password.
const OBSERVE: &str = "DUET_BENCH_OBSERVE";

/// A run that goes on.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) run: String,
    pub(super) process: u32,
}

/// The run that goes on.
pub(super) fn going_on(folder: &Path) -> Option<Child> {
    let mut file = File::open(folder.join(RUNNING)).ok()?;
    let is_locked = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let mut text = String::new();
    file.read_to_string(&mut text).ok().filter(|_| is_locked)?;
    let (run, process) = text.trim().split_once(' ')?;
    Some(Child { run: run.to_owned(), process: process.parse().ok()? })
}

/// Takes the turn of the only run.
///
/// # Errors
/// Where another run has it, or the folder cannot be made.
pub(super) fn lock(folder: &Path) -> Result<File, Problem> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let path = folder.join(RUNNING);
    let opened = File::options().create(true).truncate(false).read(true).write(true).open(&path);
    let file = opened.map_err(|error| unwritable(folder, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let name = going_on(folder).map_or_else(|| "another one".to_owned(), |it| it.run);
            let detail = format!("A run goes on already, {name}. Stop it, or wait for its end.");
            Err(problem(NOT_STARTED, detail))
        }
        Err(TryLockError::Error(error)) => Err(unwritable(folder, &error)),
    }
}

/// Says in the locked file which run goes on.
pub(super) fn tell(mut lock: &File, id: &str, process: u32) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    write!(lock, "{id} {process}")
}

/// Starts a run, and waits for its end beside: the lock is held until then. The number of the process.
///
/// # Errors
/// Where it cannot be started.
pub(super) fn start(
    id: &str,
    place: &Path,
    order: &Order,
    database: Option<&str>,
    lock: File,
) -> Result<u32, Problem> {
    let failed = |error: io::Error| problem(NOT_STARTED, format!("It cannot be started: {error}."));
    let output = File::create(place.join(OUTPUT)).map_err(|error| unwritable(place, &error))?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command
        .args(arguments(order))
        .arg("--out")
        .arg(place)
        .env(TOKEN, &order.token)
        .env_remove(CLIENT)
        .env_remove(OBSERVE)
        .envs(database.map(|database| (OBSERVE, database)));
    // Ctrl-C at the terminal is for the server, which ends the run.
    command.process_group(0).stdin(Stdio::null());
    command.stdout(output.try_clone().map_err(failed)?).stderr(output);
    let mut child = command.spawn().map_err(failed)?;
    let process = child.id();
    tell(&lock, id, process).map_err(failed)?;
    let waiting = std::thread::Builder::new().name("load-test".into()).spawn(move || {
        drop(child.wait());
        drop(lock);
    });
    waiting.map_err(failed)?;
    Ok(process)
}

/// The command line of a run. The console is watched meanwhile, which asks the same server: its counts would not agree with
/// the run's, so they are not compared.
fn arguments(order: &Order) -> Vec<String> {
    let mut words: Vec<String> =
        ["bench", "run", "rest", "--shared", "--seed", "1", "--quiet", "--warmup", "1s"]
            .map(str::to_owned)
            .into();
    let mut add = |flag: &str, value: String| words.push(format!("--{flag}={value}"));
    add("target", order.url.clone());
    add("users", order.users.to_string());
    add("duration", format!("{}s", order.seconds));
    add("mix", order.mix.weights().to_owned());
    add("timeout", "10s".to_owned());
    if let Some(rate) = order.rate {
        add("rate", rate.to_string());
    }
    if !order.name.is_empty() {
        add("name", order.name.clone());
    }
    order.thresholds.iter().for_each(|threshold| add("threshold", threshold.clone()));
    // The certificate of this server need not name the loopback interface.
    if order.url.starts_with("https://127.0.0.1:") || order.url.starts_with("https://[::1]:") {
        words.push("--insecure".to_owned());
    }
    words
}

/// Ends a run as Ctrl-C does; one that has ended is left alone.
pub(super) fn interrupt(process: u32) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    if let Some(process) = process {
        // It may have ended meanwhile.
        let _ = kill_process(process, Signal::INT);
    }
}

pub(super) fn unwritable(place: &Path, error: &io::Error) -> Problem {
    let detail = format!(
        "{} cannot be written: {error}. Name another folder with `--load-tests`.",
        place.display()
    );
    problem("The run cannot be kept", detail)
}

#[cfg(test)]
mod tests {
    use duet_http::load_tests::Mix;

    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    #[test]
    fn the_command_line_is_one_of_the_program() {
        let order = Order {
            name: "-x --y".into(),
            url: "https://127.0.0.1:1/api/main/team/".into(),
            users: 3,
            seconds: 7,
            rate: Some(50),
            mix: Mix::Changes,
            thresholds: vec!["p99<20ms".into(), "errors<1%".into()],
            token: "secret".into(),
        };
        let words = arguments(&order);
        assert!(words.contains(&"--insecure".to_owned()) && !words.join(" ").contains("secret"));
        let parsed = Cli::try_parse_from(std::iter::once("duet".to_owned()).chain(words));
        assert!(parsed.is_ok(), "{:?}", parsed.err());
        for mix in [Mix::Items, Mix::Pages] {
            let words = arguments(&Order {
                mix,
                url: "http://127.0.0.1:1/a/".into(),
                users: 1,
                seconds: 1,
                ..Order::default()
            });
            let parsed = Cli::try_parse_from(std::iter::once("duet".to_owned()).chain(words));
            assert!(parsed.is_ok(), "{:?}", parsed.err());
        }
    }
}
