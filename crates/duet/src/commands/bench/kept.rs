//! Where a run is kept on the disk. A disk that fills up ends no run: its summary is printed, and the
//! error comes behind it.

use std::io;
use std::path::{Path, PathBuf};

use duet_bench::result::{RunResult, Second};
use duet_bench::run::{Merged, Spool};
use duet_model::{Code, Error, Result};

/// The files of a run under way.
pub(super) struct Kept<'a> {
    folder: &'a Path,
    spool: io::Result<Spool>,
}

impl<'a> Kept<'a> {
    /// Begins the files.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub(super) fn begin(folder: &'a Path, tags: &[String], before: &RunResult) -> Result<Self> {
        let spool = Spool::begin(folder, tags, before);
        let spool = spool.map_err(|error| unwritable(folder, &error))?;
        Ok(Self { folder, spool: Ok(spool) })
    }

    /// Keeps a second. After the first that cannot be kept, none is.
    pub(super) fn second(&mut self, merged: &Merged, row: &Second) {
        if let Ok(spool) = &mut self.spool
            && let Err(error) = spool.add(merged, row)
        {
            self.spool = Err(error);
        }
    }

    /// Keeps the result; gives its file.
    ///
    /// # Errors
    /// Where it, or a second before it, cannot be kept.
    pub(super) fn finish(self, result: &RunResult) -> Result<PathBuf> {
        let Self { folder, spool } = self;
        spool.and_then(|spool| spool.finish(result)).map_err(|error| unwritable(folder, &error))
    }
}

pub(super) fn unwritable(folder: &Path, error: &io::Error) -> Error {
    let message = format!("The result cannot be written to {}: {error}.", folder.display());
    Error::new(Code::Setting, message).hint("Name another folder with --out.")
}
