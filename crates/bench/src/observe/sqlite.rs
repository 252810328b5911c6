//! The state of a SQLite file during a run: its size, its log's size, whether it was written.
//!
//! [`writes`](super::writes) reads its own counters.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use duet_client::{ConnectOptions, Connection, Failure, FailureKind};
use duet_model::Value;

use super::counters::Counters;

/// Connection settings that affect the figures; all of the bench's connections use the same.
const SETTINGS: [&str; 9] = [
    "auto_vacuum",
    "cache_size",
    "foreign_keys",
    "journal_mode",
    "mmap_size",
    "page_size",
    "synchronous",
    "temp_store",
    "wal_autocheckpoint",
];

/// The observer's connection to a file.
pub(super) struct Sqlite {
    connection: Connection,
    file: PathBuf,
}

impl Sqlite {
    /// Opens an existing file; the observer never creates one.
    pub(super) async fn open(target: &ConnectOptions, file: &Path) -> Result<Self, Failure> {
        if !file.is_file() {
            let message = format!("there is no file {}", file.display());
            return Err(Failure::new(FailureKind::Connection, message));
        }
        let connection = Connection::open(target, "").await?;
        Ok(Self { connection, file: file.to_owned() })
    }

    /// SQLite's version and settings.
    pub(super) async fn settings(&mut self) -> Result<(String, BTreeMap<String, String>), Failure> {
        let mut settings = BTreeMap::new();
        for name in SETTINGS {
            let rows = self.connection.ask(&format!("PRAGMA {name}"), &[]).await?;
            if let Some(value) = rows.first(0) {
                settings.insert(name.to_owned(), spelled(name, value));
            }
        }
        let version = self.connection.ask("SELECT sqlite_version()", &[]).await?;
        let version = version.first(0).map(Value::to_string).unwrap_or_default();
        Ok((format!("SQLite {version}"), settings))
    }

    /// The current state of the file.
    pub(super) async fn read(&mut self) -> Result<Counters, Failure> {
        let mut counters = Counters::new();
        for name in ["data_version", "page_count", "freelist_count", "page_size"] {
            let rows = self.connection.ask(&format!("PRAGMA {name}"), &[]).await?;
            if let Some(value) = rows.first_int(0) {
                counters.insert(name.into(), value as f64);
            }
        }
        let mut log = self.file.clone().into_os_string();
        log.push("-wal");
        let length = fs::metadata(log).map_or(0, |about| about.len());
        counters.insert("wal_file_bytes".into(), length as f64);
        Ok(counters)
    }
}

/// The figures of a second.
pub(super) fn states(now: &Counters, then: &Counters, out: &mut BTreeMap<String, f64>) {
    let of = |name: &str| now.get(name).copied().unwrap_or(0.0);
    out.insert("db.file_mb".into(), of("page_count") * of("page_size") / 1e6);
    out.insert("db.free_mb".into(), of("freelist_count") * of("page_size") / 1e6);
    out.insert("db.wal_file_mb".into(), of("wal_file_bytes") / 1e6);
    let was_written = now.get("data_version") != then.get("data_version");
    out.insert("db.written".into(), f64::from(u8::from(was_written)));
}

/// The name of a setting that SQLite reports as a number (SQLite's manual, "PRAGMA Statements").
fn spelled(name: &str, value: &Value) -> String {
    let words: &[&str] = match name {
        "synchronous" => &["off", "normal", "full", "extra"],
        "auto_vacuum" => &["none", "full", "incremental"],
        "temp_store" => &["default", "file", "memory"],
        "foreign_keys" => &["off", "on"],
        _ => &[],
    };
    let place = match value {
        Value::Int(number) => usize::try_from(*number).ok(),
        _ => None,
    };
    let word = place.and_then(|place| words.get(place));
    word.map_or_else(|| value.to_string(), |word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use duet_client::Synchronous;

    use super::*;

    #[tokio::test]
    async fn a_file_tells_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sqlite");
        let target =
            ConnectOptions::Sqlite { path: path.clone(), synchronous: Synchronous::Normal };
        assert!(Sqlite::open(&target, &path).await.is_err() && !path.exists());
        let mut writer = Connection::open(&target, "").await.unwrap();
        writer.script("CREATE TABLE a (b)").await.unwrap();
        let mut sqlite = Sqlite::open(&target, &path).await.unwrap();
        let (version, settings) = sqlite.settings().await.unwrap();
        assert!(version.starts_with("SQLite 3."), "{version}");
        assert_eq!((&*settings["journal_mode"], &*settings["synchronous"]), ("wal", "normal"));
        let then = sqlite.read().await.unwrap();
        let mut out = BTreeMap::new();
        states(&sqlite.read().await.unwrap(), &then, &mut out);
        assert_eq!(out["db.written"], 0.0);
        writer.script("INSERT INTO a VALUES (zeroblob(100000))").await.unwrap();
        states(&sqlite.read().await.unwrap(), &then, &mut out);
        assert_eq!(out["db.written"], 1.0);
        assert!(out["db.wal_file_mb"] > 0.1 && out["db.file_mb"] > 0.1, "{out:?}");
    }
}
