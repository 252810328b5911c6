//! What a power cut leaves of a folder: worked out from the log of `layer.c`.
//!
//! The disk is as harsh as SQLite expects. Synced data is kept. Of the data written
//! since to a file, each sector survives or not, in any order; where a file grew and a
//! sector of it did not survive, there is rubbish. Names are kept by a sync of the folder alone, a
//! sync of the file does not keep them; of those not synced the first few survive, because file
//! systems keep the order of names.

use std::collections::{BTreeMap, HashMap};

/// The sector size: disks write this many bytes atomically.
const SECTOR: u64 = 512;

/// Bytes of a `struct record` of the log.
const RECORD: usize = 32;

/// What survives of that which was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survivors {
    /// Nothing.
    None,
    /// Some of it; the same for the same number.
    Some(u64),
    /// All of it, as if there had been no cut.
    All,
}

/// Something done to the content of a file.
#[derive(Debug)]
enum Change {
    Write { at: u64, bytes: Vec<u8> },
    Length(u64),
}

/// Something done to the names in the folder; a file is known by its place among all files.
#[derive(Debug)]
enum Naming {
    Link(String, usize),
    Unlink(String),
    Rename(String, String),
}

#[derive(Debug, Default)]
struct File {
    synced: Vec<u8>,
    since: Vec<Change>,
}

/// The folder as the disk has it, and the operations since without a sync.
#[derive(Debug, Default)]
pub(super) struct Image {
    files: Vec<File>,
    /// An inode may be reused after its file was deleted.
    inodes: HashMap<u64, usize>,
    names: BTreeMap<String, usize>,
    naming: Vec<Naming>,
}

impl Image {
    /// A file that is on the disk.
    pub(super) fn hold(&mut self, name: &str, inode: u64, content: Vec<u8>) {
        let file = self.add(inode, content);
        self.names.insert(name.to_owned(), file);
    }

    fn add(&mut self, inode: u64, synced: Vec<u8>) -> usize {
        self.files.push(File { synced, since: Vec::new() });
        self.inodes.insert(inode, self.files.len() - 1);
        self.files.len() - 1
    }

    /// Follows a log to its end. A last record that is not whole was cut off with the program, which
    /// has not learned that anything was done.
    ///
    /// # Panics
    /// If the log is malformed, or refers to a file that it never named.
    pub(super) fn follow(&mut self, log: &[u8]) {
        let mut rest = log;
        while let Some(record) = Record::next(&mut rest) {
            self.apply(&record);
        }
    }

    fn apply(&mut self, record: &Record<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match record.kind {
            kind::START => {}
            kind::LINK => {
                let file = self.add(record.file, Vec::new());
                self.naming.push(Naming::Link(text(record.name), file));
            }
            kind::WRITE => {
                let bytes = record.content.to_vec();
                self.file(record.file).since.push(Change::Write { at: record.at, bytes });
            }
            kind::LENGTH => self.file(record.file).since.push(Change::Length(record.at)),
            kind::SYNC => {
                let file = self.file(record.file);
                file.synced = file.content(&mut Chance::All);
                file.since.clear();
            }
            kind::SYNC_FOLDER => {
                self.names = self.names_after(self.naming.len());
                self.naming.clear();
            }
            kind::UNLINK => self.naming.push(Naming::Unlink(text(record.name))),
            kind::RENAME => {
                self.naming.push(Naming::Rename(text(record.name), text(record.content)));
            }
            other => panic!("a record of kind {other} in the log"),
        }
    }

    fn file(&mut self, inode: u64) -> &mut File {
        let place = self.inodes.get(&inode);
        &mut self.files[*place.unwrap_or_else(|| panic!("inode {inode} was never named"))]
    }

    fn names_after(&self, how_many: usize) -> BTreeMap<String, usize> {
        let mut names = self.names.clone();
        for naming in &self.naming[..how_many] {
            match naming {
                Naming::Link(name, file) => {
                    names.insert(name.clone(), *file);
                }
                Naming::Unlink(name) => {
                    names.remove(name);
                }
                Naming::Rename(from, to) => {
                    if let Some(file) = names.remove(from) {
                        names.insert(to.clone(), file);
                    }
                }
            }
        }
        names
    }

    /// The files that are found after a cut, by name.
    pub(super) fn after(&self, survivors: Survivors) -> BTreeMap<String, Vec<u8>> {
        let mut chance = Chance::of(survivors);
        let names = self.names_after(chance.how_many(self.naming.len()));
        let mut files = BTreeMap::new();
        for (name, file) in names {
            if let (Chance::Some { random, .. }, Some(database)) =
                (&mut chance, name.strip_suffix("-wal"))
            {
                // Shared memory is never synced: its content on disk has no meaning.
                files.insert(format!("{database}-shm"), random.rubbish(32_768));
            }
            files.insert(name, self.files[file].content(&mut chance));
        }
        files
    }
}

impl File {
    fn content(&self, chance: &mut Chance) -> Vec<u8> {
        let mut content = self.synced.clone();
        for change in &self.since {
            match change {
                Change::Write { at, bytes } => write(&mut content, *at, bytes, chance),
                Change::Length(length) if chance.survives() => content.resize(size(*length), 0),
                Change::Length(_) => {}
            }
        }
        content
    }
}

/// Writes the sectors that survive.
fn write(content: &mut Vec<u8>, mut at: u64, mut bytes: &[u8], chance: &mut Chance) {
    while !bytes.is_empty() {
        let (sector, rest) = bytes.split_at(bytes.len().min(size(SECTOR - at % SECTOR)));
        if chance.survives() {
            let (start, end) = (size(at), size(at) + sector.len());
            if content.len() < start {
                let gap = start - content.len();
                content.extend(match chance {
                    Chance::Some { random, .. } => random.rubbish(gap),
                    Chance::None | Chance::All => vec![0; gap],
                });
            }
            content.resize(content.len().max(end), 0);
            content[start..end].copy_from_slice(sector);
        }
        at += sector.len() as u64;
        bytes = rest;
    }
}

fn size(length: u64) -> usize {
    usize::try_from(length).unwrap_or_else(|error| panic!("a file of {length} bytes: {error}"))
}

/// Decides what survives.
enum Chance {
    None,
    Some { random: Random, percent: u64 },
    All,
}

impl Chance {
    fn of(survivors: Survivors) -> Self {
        match survivors {
            Survivors::None => Self::None,
            Survivors::All => Self::All,
            Survivors::Some(seed) => {
                let mut random = Random(seed);
                let percent = [10, 50, 90, 99][size(random.below(4))];
                Self::Some { random, percent }
            }
        }
    }

    fn survives(&mut self) -> bool {
        match self {
            Self::None => false,
            Self::Some { random, percent } => random.below(100) < *percent,
            Self::All => true,
        }
    }

    fn how_many(&mut self, of: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Some { random, .. } => size(random.below(of as u64 + 1)),
            Self::All => of,
        }
    }
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn rubbish(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// The kinds of records, as in `layer.c`.
mod kind {
    pub(super) const START: u32 = 1;
    pub(super) const LINK: u32 = 2;
    pub(super) const WRITE: u32 = 3;
    pub(super) const LENGTH: u32 = 4;
    pub(super) const SYNC: u32 = 5;
    pub(super) const SYNC_FOLDER: u32 = 6;
    pub(super) const UNLINK: u32 = 7;
    pub(super) const RENAME: u32 = 8;
}

/// One entry of the log, laid out as in `layer.c`.
struct Record<'l> {
    kind: u32,
    file: u64,
    at: u64,
    name: &'l [u8],
    content: &'l [u8],
}

impl<'l> Record<'l> {
    /// Takes the first record; `None` if no complete one is left.
    fn next(rest: &mut &'l [u8]) -> Option<Self> {
        let (head, behind) = rest.split_at_checked(RECORD)?;
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|byte| head[at + byte]));
        let long = |at: usize| u64::from_ne_bytes(std::array::from_fn(|byte| head[at + byte]));
        let (name, behind) = behind.split_at_checked(usize::try_from(word(4)).ok()?)?;
        let (content, behind) = behind.split_at_checked(size(long(24)))?;
        *rest = behind;
        Some(Self { kind: word(0), file: long(8), at: long(16), name, content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(at: u64, bytes: &[u8]) -> File {
        File { synced: vec![b'-'; 1_100], since: vec![Change::Write { at, bytes: bytes.into() }] }
    }

    #[test]
    fn sectors_survive_atomically() {
        let file = written(500, &[b'x'; 1_000]);
        assert_eq!(file.content(&mut Chance::None), file.synced);
        let all = file.content(&mut Chance::All);
        assert_eq!((all.len(), all.iter().filter(|byte| **byte == b'x').count()), (1_500, 1_000));
        let mut seen = BTreeMap::new();
        for seed in 0..64 {
            let content = file.content(&mut Chance::of(Survivors::Some(seed)));
            assert_eq!(content, file.content(&mut Chance::of(Survivors::Some(seed))), "{seed}");
            assert_eq!(&content[..500], &all[..500], "{seed}");
            let sectors = [&content[500..512], &content[512..1_024], &content[1_024..1_100]];
            let survived = sectors.map(|sector| {
                assert!(sector.iter().all(|byte| *byte == sector[0]), "half a sector: {seed}");
                sector[0] == b'x'
            });
            assert_eq!(content.len() == 1_500, survived[2], "{seed}");
            *seen.entry(survived).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 8, "every set of survivors: {seen:?}");
    }

    #[test]
    fn a_grown_file_may_contain_garbage() {
        let file = written(4_096, b"x");
        let grown = (0..64).map(|seed| file.content(&mut Chance::of(Survivors::Some(seed))));
        let grown: Vec<_> = grown.filter(|content| content.len() == 4_097).collect();
        assert!(!grown.is_empty() && grown.len() < 64);
        assert!(grown.iter().all(|content| content[1_100..4_096].iter().any(|byte| *byte != 0)));
    }
}
