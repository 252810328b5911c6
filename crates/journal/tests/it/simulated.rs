//! A disk in memory that fills up, and whose machine stops at any operation.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use duet_journal::{Disk, DurableMark};

/// Disks write so many bytes at once.
const SECTOR: usize = 512;

#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) content: Vec<u8>,
    synced: Vec<u8>,
}

/// What was done to the names of files since they were synced.
#[derive(Clone, Debug)]
enum Naming {
    Made(String),
    Removed(String),
    /// With what had the new name before.
    Renamed(String, String, Option<File>),
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) files: BTreeMap<String, File>,
    /// Files that were removed, with the last content: names come back with a power cut.
    removed: BTreeMap<String, File>,
    naming: Vec<Naming>,
    /// Bytes that all files may have.
    pub(crate) room: usize,
    /// Operations until the machine stops.
    pub(crate) left: Option<usize>,
    /// What the owner has published: that may be on the disk, although it was not synced.
    published: Option<DurableMark>,
}

/// A disk in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulated(pub(crate) Arc<Mutex<State>>);

impl Simulated {
    /// One with all the room there is.
    pub(crate) fn new() -> Self {
        let state = State { room: usize::MAX, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Another one with the same files, all synced.
    pub(crate) fn copied(&self) -> Self {
        let state = self.0.lock().unwrap();
        let mut files = state.files.clone();
        files.values_mut().for_each(|file| file.synced = file.content.clone());
        let published = state.published;
        let state = State { files, room: usize::MAX, published, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// The names of its segments.
    pub(crate) fn segments(&self) -> Vec<String> {
        let state = self.0.lock().unwrap();
        state.files.keys().filter(|name| name.ends_with(".segment")).cloned().collect()
    }

    fn work<T>(&self, work: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.0.lock().unwrap();
        match &mut state.left {
            Some(0) => return Err(io::Error::other("the machine has stopped")),
            Some(left) => *left -= 1,
            None => {}
        }
        work(&mut state)
    }

    /// What a power cut leaves: of each file every sector that was not synced as before or as after, and
    /// rubbish where it grew; of the changes of names the first few.
    pub(crate) fn cut_power(&self, random: &mut impl FnMut() -> u64) -> Self {
        let state = self.0.lock().unwrap();
        let mut files = state.files.clone();
        let kept = usize::try_from(random()).unwrap() % (state.naming.len() + 1);
        for naming in state.naming[kept..].iter().rev() {
            match naming {
                Naming::Made(name) => drop(files.remove(name)),
                Naming::Removed(name) => {
                    files.insert(name.clone(), state.removed[name].clone());
                }
                Naming::Renamed(from, to, before) => {
                    if let Some(file) = files.remove(to) {
                        files.insert(from.clone(), file);
                    }
                    files.extend(before.clone().map(|file| (to.clone(), file)));
                }
            }
        }
        for file in files.values_mut() {
            let length = match random() % 2 {
                0 => file.content.len(),
                _ => file.synced.len().min(file.content.len()),
            };
            let mut left = file.synced.clone();
            left.resize(length, 0xa5);
            for start in (0..length).step_by(SECTOR) {
                let end = (start + SECTOR).min(length).min(file.content.len());
                if random().is_multiple_of(2) && start < end {
                    left[start..end].copy_from_slice(&file.content[start..end]);
                }
            }
            *file = File { content: left.clone(), synced: left };
        }
        let published = state.published;
        let state = State { files, room: usize::MAX, published, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }
}

fn missing() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl Disk for Simulated {
    fn names(&self) -> io::Result<Vec<String>> {
        self.work(|state| Ok(state.files.keys().cloned().collect()))
    }

    fn read(&self, name: &str, at: u64, bytes: usize) -> io::Result<Vec<u8>> {
        self.work(|state| {
            let content = &state.files.get(name).ok_or_else(missing)?.content;
            let at = usize::try_from(at).unwrap().min(content.len());
            Ok(content[at..].iter().copied().take(bytes).collect())
        })
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        self.work(|state| Ok(state.files.get(name).ok_or_else(missing)?.content.len() as u64))
    }

    fn create(&self, name: &str) -> io::Result<()> {
        self.work(|state| {
            if state.files.insert(name.to_owned(), File::default()).is_some() {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            state.naming.push(Naming::Made(name.to_owned()));
            Ok(())
        })
    }

    fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.work(|state| {
            let used: usize = state.files.values().map(|file| file.content.len()).sum();
            let fits = bytes.len().min(state.room.saturating_sub(used));
            let content = &mut state.files.get_mut(name).ok_or_else(missing)?.content;
            let at = usize::try_from(at).unwrap();
            content.truncate(at);
            content.extend_from_slice(&bytes[..fits]);
            if fits < bytes.len() {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            Ok(())
        })
    }

    fn cut(&self, name: &str, length: u64) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.get_mut(name).ok_or_else(missing)?;
            file.content.truncate(usize::try_from(length).unwrap());
            Ok(())
        })
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.get_mut(name).ok_or_else(missing)?;
            file.synced = file.content.clone();
            Ok(())
        })
    }

    fn sync_names(&self) -> io::Result<()> {
        self.work(|state| {
            state.naming.clear();
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.remove(name).ok_or_else(missing)?;
            state.removed.insert(name.to_owned(), file);
            state.naming.push(Naming::Removed(name.to_owned()));
            Ok(())
        })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.work(|state| {
            let file = state.files.remove(from).ok_or_else(missing)?;
            let before = state.files.insert(to.to_owned(), file);
            state.naming.push(Naming::Renamed(from.to_owned(), to.to_owned(), before));
            Ok(())
        })
    }

    fn is_ours(&self) -> bool {
        true
    }

    fn publish(&self, published: DurableMark) {
        let mut state = self.0.lock().unwrap();
        // A machine that has stopped does not.
        if state.left != Some(0) {
            state.published = Some(published);
        }
    }

    fn left(&self) -> Option<DurableMark> {
        self.0.lock().unwrap().published
    }
}
