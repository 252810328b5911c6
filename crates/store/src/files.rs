//! How files of databases are opened and written, where a store's databases are files.

/// How a file is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Switch the file to write-ahead logging. Without it the file keeps its journal mode.
    pub wal: bool,
    /// When a write is on the disk.
    pub synchronous: Synchronous,
    /// The write-ahead log is emptied when it is longer.
    pub wal_bytes: u64,
    /// With less free space on its disk the file is not healthy.
    pub disk_reserve: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            wal: false,
            synchronous: Synchronous::default(),
            wal_bytes: 16 << 20,
            disk_reserve: 0,
        }
    }
}

/// When SQLite waits for the disk (`PRAGMA synchronous`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Synchronous {
    /// Never: after a loss of power the file may be damaged.
    Off,
    /// So that the file is never damaged; with write-ahead logging the last writes may be lost
    /// with the power.
    Normal,
    /// Before every answer; of a rollback journal's removal, which is the commit, the folder may not
    /// know yet.
    Full,
    /// Before every answer, for the folder of a rollback journal too. With write-ahead logging it is
    /// the same as full, and costs the same.
    #[default]
    Extra,
}

impl Synchronous {
    /// The word for it in SQL.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::Normal => "NORMAL",
            Self::Full => "FULL",
            Self::Extra => "EXTRA",
        }
    }
}
