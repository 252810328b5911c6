//! The ingest journal: rows that are acknowledged before they are in the database, and never lost.
//!
//! A [`Journal`] has a folder of its own. [`Journal::append`] hands a record to the one thread that writes:
//! it takes all records that wait, writes them at once, syncs once ([`fdatasync`](std::fs::File::sync_data)),
//! and then acknowledges all of them. [`Journal::read`] gives the records that are durable, in their
//! order; once they are applied, [`Journal::applied`] removes the segments that are no longer needed.
//!
//! The format is described in `FORMAT.md` beside this crate; [`scan()`] reads it without changing anything.
//!
//! ```
//! use duet_journal::{Journal, Options, RealDisk};
//!
//! let folder = tempfile::tempdir()?;
//! let opened = Journal::open(RealDisk::lock(folder.path())?, Options::default())?;
//! let (sender, receiver) = std::sync::mpsc::channel();
//! opened.append(b"two rows".to_vec(), 2, move |ended| drop(sender.send(ended)))?;
//! assert_eq!(receiver.recv()??.first, 1);
//! assert_eq!(opened.high_water_mark(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accept;
mod disk;
mod entry;
mod error;
mod follower;
mod format;
#[cfg(test)]
mod golden;
mod journal;
mod manifest;
mod options;
mod published;
mod recovery;
mod salvage;
mod scan;
mod segments;
mod shared;
mod survey;
mod writer;

pub use accept::{Acceptance, accept_losses};
pub use disk::{Disk, ReadFolder, RealDisk};
pub use entry::{Entry, RowGroup};
pub use error::Failure;
pub use follower::{Follower, PlacedRecord, RecordPlace};
pub use format::{Id, VERSION};
pub use journal::{Journal, OwnedRecord, Position, Usage};
pub use manifest::AcceptedLoss;
pub use options::Options;
pub use published::DurableMark;
pub use scan::{End, Record, SegmentScan, scan, scan_folder};
pub use survey::{Loss, Mark, Survey};
pub use writer::SequenceIds;
