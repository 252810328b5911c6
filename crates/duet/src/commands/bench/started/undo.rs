//! Removes what the bench creates: folders, processes, databases and devices.
//!
//! Each is removed when a value is dropped. If the program ends at once instead, by a second Ctrl-C
//! or a signal before a run, [`all`] removes the rest.

use std::fmt;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duet_model::{Error, Result};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process, kill_process_group, test_kill_process_group, waitpid,
};
use tempfile::TempDir;

/// Removes an object.
type Undo = Box<dyn FnOnce() + Send>;

/// The registered objects.
struct Registered(Mutex<List>);

struct List {
    /// By number, in the order of creation.
    made: Vec<(u64, Undo)>,
    next: u64,
    /// Set when the program ends: later objects are removed at once.
    ends: bool,
}

impl List {
    fn push(&mut self, undo: Undo) -> u64 {
        let number = self.next;
        self.next += 1;
        self.made.push((number, undo));
        number
    }
}

static THERE: Registered = Registered::new();

impl Registered {
    const fn new() -> Self {
        Self(Mutex::new(List { made: Vec::new(), next: 0, ends: false }))
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&'static self, undo: Undo) -> UndoHandle {
        let mut list = self.list();
        if list.ends {
            drop(list);
            undo();
            // The program's end makes it obsolete.
            wait_for_the_end();
        }
        UndoHandle { list: self, number: list.push(undo) }
    }

    /// Creates an object under the lock: the end of the program either prevents it or removes it.
    fn make<T, E>(
        &'static self,
        make: impl FnOnce() -> std::result::Result<(T, Undo), E>,
    ) -> std::result::Result<(T, UndoHandle), E> {
        let mut list = self.list();
        if list.ends {
            drop(list);
            wait_for_the_end();
        }
        let (value, undo) = make()?;
        Ok((value, UndoHandle { list: self, number: list.push(undo) }))
    }

    fn undo(&self) {
        self.list().ends = true;
        loop {
            let Some((_, undo)) = self.list().made.pop() else { return };
            undo();
        }
    }
}

/// Removes every object before the program ends, the last first.
pub(in crate::commands::bench) fn all() {
    THERE.undo();
}

/// A registered object; dropping this removes it, or leaves it to another owner.
#[must_use = "a dropped value is unregistered"]
pub(in crate::commands::bench) struct UndoHandle {
    list: &'static Registered,
    number: u64,
}

impl UndoHandle {
    /// Registers the removal of an object, in case the program ends at once.
    pub(in crate::commands::bench) fn undone_by(undo: impl FnOnce() + Send + 'static) -> Self {
        THERE.add(Box::new(undo))
    }

    /// Creates an object and registers its removal. The program does not end between the two.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(in crate::commands::bench) fn making<T, E>(
        make: impl FnOnce() -> std::result::Result<T, E>,
        undo: impl FnOnce() + Send + 'static,
    ) -> std::result::Result<(T, Self), E> {
        THERE.make(|| make().map(|value| (value, Box::new(undo) as Undo)))
    }

    /// Starts a child process.
    ///
    /// # Errors
    /// If it cannot be started.
    fn process(command: &mut Command) -> io::Result<(Child, Self)> {
        THERE.make(|| {
            let child = command.spawn()?;
            let id = child.id();
            Ok((child, Box::new(move || end(id)) as Undo))
        })
    }

    /// Starts a child process that leads a group; the whole group is removed with it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(in crate::commands::bench) fn group(command: &mut Command) -> io::Result<(Child, Self)> {
        THERE.make(|| {
            let child = command.process_group(0).spawn()?;
            let id = child.id();
            Ok((child, Box::new(move || end_group(id)) as Undo))
        })
    }
}

fn end_group(leader: u32) {
    signal_group(leader, Signal::KILL);
    end(leader);
    let began = Instant::now();
    while is_group(leader) && began.elapsed() < KILLING {
        std::thread::sleep(GLANCE);
    }
}

/// The longest wait for a killed group; the new parent of its members reaps them.
const KILLING: Duration = Duration::from_secs(1);
const GLANCE: Duration = Duration::from_millis(5);

/// Signals a child that leads a group, and all its descendants there. The group keeps its number as
/// long as it has members, with or without its leader.
pub(in crate::commands::bench) fn signal_group(leader: u32, signal: Signal) {
    if let Some(id) = number(leader) {
        let _ = kill_process_group(id, signal);
    }
}

/// Whether the group has members.
pub(in crate::commands::bench) fn is_group(leader: u32) -> bool {
    number(leader).is_some_and(|id| test_kill_process_group(id).is_ok())
}

fn number(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Ends a child and waits for it: until then it may write into a folder that is removed next.
fn end(id: u32) {
    if let Some(id) = number(id) {
        let _ = kill_process(id, Signal::KILL);
        let _ = waitpid(Some(id), WaitOptions::empty());
    }
}

impl Drop for UndoHandle {
    fn drop(&mut self) {
        let mut list = self.list.list();
        if list.ends {
            drop(list);
            // It is being removed already, and the exit code is another thread's.
            wait_for_the_end();
        }
        list.made.retain(|(number, _)| *number != self.number);
    }
}

/// The end of the program, which another thread causes.
fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

impl fmt::Debug for UndoHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)
    }
}

/// A temporary folder; dropping it removes it with its content.
#[derive(Debug)]
pub(in crate::commands) struct Folder {
    folder: TempDir,
    _made: UndoHandle,
}

impl Folder {
    /// An empty one in the folder of temporary files.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(in crate::commands) fn new() -> Result<Self> {
        let made = THERE.make(|| -> io::Result<_> {
            let folder = tempfile::Builder::new().prefix("duet-bench-").tempdir()?;
            let path = folder.path().to_owned();
            Ok((folder, Box::new(move || drop(std::fs::remove_dir_all(path))) as Undo))
        });
        let (folder, made) = made.map_err(Error::internal)?;
        Ok(Self { folder, _made: made })
    }

    /// Its path.
    pub(in crate::commands) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Runs a program to its end; it ends with this one.
///
/// # Errors
/// If it cannot be started.
pub(in crate::commands::bench) fn output(command: &mut Command) -> Result<Output> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, _made) = UndoHandle::process(command).map_err(Error::internal)?;
    child.wait_with_output().map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;

    #[test]
    fn objects_are_removed_last_first() {
        static HERE: Registered = Registered::new();
        let told = Arc::new(Mutex::new(Vec::new()));
        let add = |word: &'static str| {
            let told = told.clone();
            HERE.add(Box::new(move || told.lock().unwrap().push(word)))
        };
        let (one, two, three) = (add("one"), add("two"), add("three"));
        drop(two);
        HERE.undo();
        // They would wait for the end of the program.
        std::mem::forget([one, three]);
        assert_eq!(*told.lock().unwrap(), ["three", "one"]);
        // A task that is still running creates nothing that stays.
        let late = told.clone();
        std::thread::spawn(move || {
            let _never = HERE.add(Box::new(move || late.lock().unwrap().push("late")));
        });
        while told.lock().unwrap().len() < 3 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn objects_in_creation_are_removed_too() {
        static HERE: Registered = Registered::new();
        let (told, news) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel();
        let maker = std::thread::spawn({
            let told = told.clone();
            move || {
                let made = HERE.make(|| {
                    told.send("half made").unwrap();
                    may_go_on.recv().unwrap();
                    let told = told.clone();
                    Ok::<_, ()>(((), Box::new(move || told.send("taken away").unwrap()) as Undo))
                });
                // It would wait for the end of the program.
                std::mem::forget(made);
            }
        });
        assert_eq!(news.recv(), Ok("half made"));
        let ending = std::thread::spawn(move || {
            told.send("ends").unwrap();
            HERE.undo();
            told.send("over").unwrap();
        });
        assert_eq!(news.recv(), Ok("ends"));
        go_on.send(()).unwrap();
        maker.join().unwrap();
        ending.join().unwrap();
        assert_eq!(news.iter().collect::<Vec<_>>(), ["taken away", "over"]);
    }

    #[test]
    fn folders_and_processes() {
        let folder = Folder::new().unwrap();
        let path = folder.path().to_owned();
        std::fs::write(path.join("a"), "b").unwrap();
        drop(folder);
        assert!(!path.exists());
        let mut sleeper = Command::new("sleep").arg("1000").spawn().unwrap();
        end(sleeper.id());
        // It was reaped: no other process can.
        assert!(sleeper.try_wait().is_err());
        assert_eq!(output(&mut Command::new("true")).unwrap().status.code(), Some(0));
    }
}
