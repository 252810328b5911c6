//! Clients and tokens in force: a table in memory, read again when its source has changed.

use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use duet_auth::{ClientTable, Fingerprint, Open, State, StateFile};
use duet_model::Result;

/// Where the clients are kept.
#[derive(Debug)]
pub enum StateSource {
    /// In memory, for this run.
    Memory,
    /// In a file.
    File(StateFile),
}

/// Clients and tokens in force.
#[derive(Debug)]
pub struct Auth {
    table: ArcSwap<ClientTable>,
    open: Open,
    source: StateSource,
    seen: Mutex<Option<Fingerprint>>,
}

impl Auth {
    /// Clients that live for this run only.
    pub fn in_memory(state: &State, open: Open) -> Self {
        Self {
            table: ArcSwap::from_pointee(ClientTable::new(state, open)),
            open,
            source: StateSource::Memory,
            seen: Mutex::new(None),
        }
    }

    /// Clients of a state file.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn from_file(file: StateFile, open: Open) -> Result<Self> {
        let (state, seen) = file.load()?;
        Ok(Self {
            table: ArcSwap::from_pointee(ClientTable::new(&state, open)),
            open,
            source: StateSource::File(file),
            seen: Mutex::new(Some(seen)),
        })
    }

    /// The table in force.
    pub fn table(&self) -> arc_swap::Guard<Arc<ClientTable>> {
        self.table.load()
    }

    /// What requests without a token may do.
    pub fn open(&self) -> Open {
        self.open
    }

    /// Reads the source again if it has changed. To be called every two seconds at least: so long
    /// may a removed client's tokens still be good.
    ///
    /// # Errors
    /// Where the source cannot be read; the table in memory then stays in force.
    pub fn refresh(&self) -> Result<()> {
        let StateSource::File(file) = &self.source else { return Ok(()) };
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(fingerprint) = &*seen
            && !file.changed_since(fingerprint)?
        {
            return Ok(());
        }
        let (state, fingerprint) = file.load()?;
        self.table.store(Arc::new(ClientTable::new(&state, self.open)));
        *seen = Some(fingerprint);
        Ok(())
    }
}
