//! The server is killed (SIGKILL) in the middle of writes, again and again: every write that was
//! acknowledged is there after the next start, and no document is half written.
//!
//! So is every row that was acknowledged from a journal, once.
//!
//! Requests with an idempotency key that were not answered are repeated: each key has exactly one effect.
//!
//! `DUET_KILLS` says how often; `just trial-kill` does it a thousand times, with a PostgreSQL that waits for the
//! disk. `DUET_KILL_SEED` draws other moments and requests.

use std::path::Path;
use std::time::Instant;

use duet_testkit::command::{Running, Signal};
use duet_testkit::postgres::{Database, Options, Server};
use duet_testkit::sqlite;

use super::document_writers::{self, DocumentWriters};
use super::ingest_writers::{self, IngestWriters};
use super::keyed_writers::{self, KeyedWriters};
use super::writers::{SCHEMA, Trial, Writers, application, how_often};
use crate::{duet, duet_says};

#[test]
fn sqlite_keeps_what_it_acknowledged() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", SCHEMA]);
    let file = application(folder.path(), "sqlite:a.db");
    let done = kill_again_and_again(&file, Writers::new(), || {});
    eprintln!("SQLite, documents: {done}");
}

/// A write whose answer came before the end of its `COMMIT` would be rolled back with the
/// connection, and missed.
#[test]
fn postgres_keeps_what_it_acknowledged() {
    let (server, database) = postgres("kill");
    database.exec(SCHEMA);
    let folder = sqlite::Folder::new();
    let file = application(folder.path(), &database.url());
    let done = kill_again_and_again(&file, Writers::new(), || all_gone(server, "kill"));
    eprintln!("PostgreSQL, fsync={}, documents: {done}", fsync(server));
}

#[test]
fn sqlite_keeps_documents_of_collections() {
    let folder = sqlite::Folder::new();
    let file = document_writers::application(folder.path(), "sqlite:a.db");
    folder.load("a.db", &["PRAGMA journal_mode = wal"]);
    let database = format!("sqlite:{}", folder.path().join("a.db").display());
    prepare_collections(folder.path(), &database);
    let done = kill_again_and_again(&file, DocumentWriters::new(), || {});
    eprintln!("SQLite, collections: {done}");
}

#[test]
fn postgres_keeps_documents_of_collections() {
    let (server, database) = postgres("kill_documents");
    let folder = sqlite::Folder::new();
    let file = document_writers::application(folder.path(), &database.url());
    prepare_collections(folder.path(), &database.url());
    let gone = || all_gone(server, "kill_documents");
    let done = kill_again_and_again(&file, DocumentWriters::new(), gone);
    eprintln!("PostgreSQL, fsync={}, collections: {done}", fsync(server));
}

#[test]
fn sqlite_keeps_what_it_acknowledged_as_sync() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", SCHEMA]);
    let file = application(folder.path(), "sqlite:a.db");
    commit_singly(&file);
    let done = kill_again_and_again(&file, Writers::new(), || {});
    eprintln!("SQLite, documents of the class sync: {done}");
}

#[test]
fn postgres_keeps_what_it_acknowledged_as_sync() {
    let (server, database) = postgres("kill_sync");
    database.exec(SCHEMA);
    let folder = sqlite::Folder::new();
    let file = application(folder.path(), &database.url());
    commit_singly(&file);
    let done = kill_again_and_again(&file, Writers::new(), || all_gone(server, "kill_sync"));
    eprintln!("PostgreSQL, fsync={}, documents of the class sync: {done}", fsync(server));
}

/// Rows of a journal are there once, however often its owner was killed while it acknowledged and applied.
#[test]
fn sqlite_applies_the_rows_of_a_journal_once() {
    let folder = sqlite::Folder::new();
    let path = folder.load("a.db", &["PRAGMA journal_mode = wal", ingest_writers::SQLITE]);
    prepare_journal(&format!("sqlite:{}", path.display()));
    let file = ingest_writers::application(folder.path(), "sqlite:a.db");
    let query = |sql: &str| -> Vec<u64> {
        let connection = sqlite::open(&path);
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, u32>(0)).unwrap();
        rows.map(|n| n.unwrap().into()).collect()
    };
    let done = kill_again_and_again(&file, IngestWriters::new(&query), || {});
    assert_eq!(query("SELECT count(*) FROM duet_journal_dead_letters"), [0]);
    eprintln!("SQLite, journal: {done}");
}

#[test]
fn postgres_applies_the_rows_of_a_journal_once() {
    let (server, database) = postgres("kill_ingest");
    database.exec(ingest_writers::POSTGRES);
    prepare_journal(&database.url());
    let folder = sqlite::Folder::new();
    let file = ingest_writers::application(folder.path(), &database.url());
    let query = |sql: &str| -> Vec<u64> {
        database.query(sql).lines().map(|line| line.parse().unwrap()).collect()
    };
    let gone = || all_gone(server, "kill_ingest");
    let done = kill_again_and_again(&file, IngestWriters::new(&query), gone);
    assert_eq!(query("SELECT count(*) FROM duet.journal_dead_letters"), [0]);
    eprintln!("PostgreSQL, fsync={}, journal: {done}", fsync(server));
}

/// Gives the resources of a trial the commit class `sync`.
fn commit_singly(file: &str) {
    let text = std::fs::read_to_string(file).expect("the application's file");
    let text = text
        .replace("[resources.line]", "[resources.line]\ncommit = 'sync'")
        .replace("[resources.whole_dv]", "[resources.whole_dv]\ncommit = 'sync'");
    assert_eq!(text.matches("commit = 'sync'").count(), 2);
    std::fs::write(file, text).expect("the application's file");
}

fn prepare_journal(database: &str) {
    let (code, _, errors) = duet(&["journal", "prepare", "--database", database]);
    assert_eq!(code, 0, "{errors}");
}

#[test]
fn sqlite_keys_have_one_effect_each() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", keyed_writers::SQLITE]);
    prepare(&format!("sqlite:{}", folder.path().join("a.db").display()));
    let file = keyed_writers::application(folder.path(), "sqlite:a.db");
    let done = kill_again_and_again(&file, KeyedWriters::new(seed()), || {});
    eprintln!("SQLite, keys: {done}");
}

#[test]
fn postgres_keys_have_one_effect_each() {
    let (server, database) = postgres("kill_keys");
    database.exec(keyed_writers::POSTGRES);
    prepare(&database.url());
    let folder = sqlite::Folder::new();
    let file = keyed_writers::application(folder.path(), &database.url());
    let gone = || all_gone(server, "kill_keys");
    let done = kill_again_and_again(&file, KeyedWriters::new(seed()), gone);
    eprintln!("PostgreSQL, fsync={}, keys: {done}", fsync(server));
}

/// A database of the shared server; in a long trial, of one that waits for the disk.
fn postgres(name: &str) -> (&'static Server, Database) {
    let server = match how_often("DUET_KILLS") {
        None => Server::shared(),
        // Ended with the test's process, as the shared one is.
        Some(_) => Box::leak(Box::new(Server::start_with(Options::new().fsync(true)))),
    };
    (server, server.database(name))
}

/// Whether the server waits for the disk: `on` or `off`.
fn fsync(server: &Server) -> String {
    server.existing("postgres").query("SHOW fsync")
}

/// PostgreSQL goes on with what it has been sent, until it notices that the client has gone. The test's own session
/// stays.
fn all_gone(server: &Server, database: &str) {
    let others = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND application_name <> 'psql'"
    );
    while server.existing("postgres").query(&others) != "0" {}
}

fn prepare(database: &str) {
    let (code, _, errors) = duet(&["service", "prepare", "--database", database]);
    assert_eq!(code, 0, "{errors}");
}

fn prepare_collections(folder: &Path, database: &str) {
    let folder = folder.display().to_string();
    duet_says(&["collection", "prepare", &folder, "--database", database]);
}

fn seed() -> u64 {
    how_often("DUET_KILL_SEED").unwrap_or(1)
}

/// What was done, in words.
fn kill_again_and_again(file: &str, mut trial: impl Trial, all_gone: impl Fn()) -> String {
    let (kills, seed) = (how_often("DUET_KILLS").unwrap_or(12), seed());
    let begun = Instant::now();
    for kill in 0..kills {
        let server = Running::start(&["serve", "--config", file]);
        let url = server.url();
        trial.check(&url);
        // Whatever the server is at when so many writes have been acknowledged, it ends there.
        let enough = 7 + (seed + kill) * 13 % 60;
        trial.write_until_killed(&url, enough, || server.signal(Signal::SIGKILL));
        drop(server);
        all_gone();
    }
    let server = Running::start(&["serve", "--config", file]);
    trial.check(&server.url());
    assert!(server.stop().success());
    let (took, summary) = (begun.elapsed(), trial.summary());
    format!("seed {seed}, killed {kills} times in {took:.0?}; {summary}")
}
