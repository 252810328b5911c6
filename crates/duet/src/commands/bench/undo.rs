//! What must not be left behind: folders, processes, databases and devices that the bench makes.
//!
//! Each is taken away by the end of a value's life. Where the program ends at once instead, by a second
//! Ctrl-C or a signal before there is a run to end, [`all`] takes away what is still there.

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

/// What takes something away.
type Undo = Box<dyn FnOnce() + Send>;

/// What is there.
struct There(Mutex<List>);

struct List {
    /// By number, in the order in which it was made.
    made: Vec<(u64, Undo)>,
    next: u64,
    /// The program ends: whatever else is made goes at once.
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

static THERE: There = There::new();

impl There {
    const fn new() -> Self {
        Self(Mutex::new(List { made: Vec::new(), next: 0, ends: false }))
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&'static self, undo: Undo) -> Made {
        let mut list = self.list();
        if list.ends {
            drop(list);
            undo();
            // What would be done with it ends with the program.
            wait_for_the_end();
        }
        Made { list: self, number: list.push(undo) }
    }

    /// Makes something while the list is held: the end of the program comes before it is made, or takes it away.
    fn make<T, E>(
        &'static self,
        make: impl FnOnce() -> std::result::Result<(T, Undo), E>,
    ) -> std::result::Result<(T, Made), E> {
        let mut list = self.list();
        if list.ends {
            drop(list);
            wait_for_the_end();
        }
        let (value, undo) = make()?;
        Ok((value, Made { list: self, number: list.push(undo) }))
    }

    fn undo(&self) {
        self.list().ends = true;
        loop {
            let Some((_, undo)) = self.list().made.pop() else { return };
            undo();
        }
    }
}

/// Takes away everything that is there, the last first, before the program ends.
pub(super) fn all() {
    THERE.undo();
}

/// Something that was made; once this is dropped it is gone, or another owner's.
#[must_use = "what is dropped is forgotten"]
pub(super) struct Made {
    list: &'static There,
    number: u64,
}

impl Made {
    /// Remembers what takes it away, should the program end at once.
    pub(super) fn undone_by(undo: impl FnOnce() + Send + 'static) -> Self {
        THERE.add(Box::new(undo))
    }

    /// Makes something that is there at once, and remembers what takes it away. The program does not end between
    /// the two.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(super) fn making<T, E>(
        make: impl FnOnce() -> std::result::Result<T, E>,
        undo: impl FnOnce() + Send + 'static,
    ) -> std::result::Result<(T, Self), E> {
        THERE.make(|| make().map(|value| (value, Box::new(undo) as Undo)))
    }

    /// Starts a child of this process.
    ///
    /// # Errors
    /// Where it cannot be started.
    fn process(command: &mut Command) -> io::Result<(Child, Self)> {
        THERE.make(|| {
            let child = command.spawn()?;
            let id = child.id();
            Ok((child, Box::new(move || end(id)) as Undo))
        })
    }

    /// Starts a child of this process that leads a group; all of the group goes with it.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub(super) fn group(command: &mut Command) -> io::Result<(Child, Self)> {
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

/// So long is waited for a group that was killed; its members' new parent waits for them.
const KILLING: Duration = Duration::from_secs(1);
const GLANCE: Duration = Duration::from_millis(5);

/// Signals a child that leads a group, and all that it has started there. The group has its number for as
/// long as anybody is in it, its leader or not.
pub(super) fn signal_group(leader: u32, signal: Signal) {
    if let Some(id) = number(leader) {
        let _ = kill_process_group(id, signal);
    }
}

/// Whether anybody is in the group.
pub(super) fn is_group(leader: u32) -> bool {
    number(leader).is_some_and(|id| test_kill_process_group(id).is_ok())
}

fn number(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Ends a child and waits for it: until then it may still write into a folder that is taken away next.
fn end(id: u32) {
    if let Some(id) = number(id) {
        let _ = kill_process(id, Signal::KILL);
        let _ = waitpid(Some(id), WaitOptions::empty());
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let mut list = self.list.list();
        if list.ends {
            drop(list);
            // It goes away already, and the exit code is not this thread's any more.
            wait_for_the_end();
        }
        list.made.retain(|(number, _)| *number != self.number);
    }
}

/// Of the program, which another thread brings.
fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)
    }
}

/// A folder of its own; dropping it removes it with all that is in it.
#[derive(Debug)]
pub(super) struct Folder {
    folder: TempDir,
    _made: Made,
}

impl Folder {
    /// An empty one where temporary files belong.
    ///
    /// # Errors
    /// Where none can be made.
    pub(super) fn new() -> Result<Self> {
        let made = THERE.make(|| -> io::Result<_> {
            let folder = tempfile::Builder::new().prefix("duet-bench-").tempdir()?;
            let path = folder.path().to_owned();
            Ok((folder, Box::new(move || drop(std::fs::remove_dir_all(path))) as Undo))
        });
        let (folder, made) = made.map_err(Error::internal)?;
        Ok(Self { folder, _made: made })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Runs a program to its end; it ends with this one.
///
/// # Errors
/// Where it cannot be started.
pub(super) fn output(command: &mut Command) -> Result<Output> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, _made) = Made::process(command).map_err(Error::internal)?;
    child.wait_with_output().map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;

    #[test]
    fn what_is_there_goes_away_last_first() {
        static HERE: There = There::new();
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
        // A task that still runs makes nothing that stays.
        let late = told.clone();
        std::thread::spawn(move || {
            let _never = HERE.add(Box::new(move || late.lock().unwrap().push("late")));
        });
        while told.lock().unwrap().len() < 3 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_is_being_made_goes_away_too() {
        static HERE: There = There::new();
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
        // It was waited for: no other process can.
        assert!(sleeper.try_wait().is_err());
        assert_eq!(output(&mut Command::new("true")).unwrap().status.code(), Some(0));
    }
}
