//! The rowstore: finished documents in memory, by key. After a write has been answered, no lookup gives
//! the previous document.
//!
//! The crate does no IO but to map the file of shared versions, and reads no clock. The content of a document, its origin and who may
//! read it are its user's business; it keeps bytes.
//!
//! - [`Rowstore`]: the documents of one resource, within a bound of bytes. A lookup gives a document, the
//!   knowledge that there is none, or a [`Fill`] to read it with.
//! - [`DocumentVersions`]: which documents have changed. Every entry carries the version that its key had
//!   before its rows were read, and is valid only while that is the version. So a reader that has met
//!   older rows cannot leave them behind, however late it stores them. [`Versions`] has the counters, which
//!   several processes may share.
//! - [`Definitions`]: which definitions the processes serve that share versions. While they differ, nothing is found.
//! - [`KeyBytes`]: the values of a key as bytes.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::{Duration, Instant};
//! use duet_model::Value;
//! use duet_rowstore::{DocumentVersions, FinishedDocument, KeyBytes, Lookup, Rowstore, Versions};
//!
//! let versions = DocumentVersions::new(Arc::new(Versions::default()), "/hr/team");
//! let teams = Rowstore::new(Arc::new(versions), 1 << 20);
//! let (key, now) = (KeyBytes::of(&[Value::Int(7)]), Instant::now());
//! let Lookup::Miss(fill) = teams.look("", &key, now, None) else { panic!("it is empty") };
//! // The row is read here, after the lookup.
//! teams.fill(fill, &key, Some(FinishedDocument { head: b"etag", body: b"{}" }), now);
//! let Lookup::Found(entry) = teams.look("", &key, now, None) else { panic!("it was stored") };
//! assert_eq!(entry.document().map(|document| document.body), Some(&b"{}"[..]));
//!
//! // A write of the row was committed.
//! teams.changed(&key);
//! assert!(matches!(teams.look("", &key, now, None), Lookup::Miss(_)));
//! ```

mod change_counters;
mod counters;
mod definitions;
mod entry;
mod key;
mod mapped;
mod store;
mod versions;

pub use change_counters::Versions;
pub use counters::Counts;
pub use definitions::Definitions;
pub use entry::{Entry, FinishedDocument};
pub use key::KeyBytes;
pub use store::{Fill, Lookup, Rowstore, Usage};
pub use versions::DocumentVersions;
