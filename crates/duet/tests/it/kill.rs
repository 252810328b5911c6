//! The server is killed (SIGKILL) in the middle of writes, again and again: every write that was
//! acknowledged is there after the next start, and no document is half written.
//!
//! `DUET_KILLS` says how often; `just trial-kill` does it a thousand times.

use std::path::Path;
use std::time::Instant;

use duet_testkit::command::{Running, Signal};
use duet_testkit::{postgres, sqlite};

use crate::writers::{SCHEMA, Writers, application, how_often};

#[test]
fn sqlite_keeps_what_it_acknowledged() {
    let folder = sqlite::Folder::new();
    folder.load("a.db", &["PRAGMA journal_mode = wal", SCHEMA]);
    let done = kill_again_and_again(folder.path(), "sqlite:a.db", || {});
    eprintln!("sqlite: {done}");
}

/// A write whose answer came before the end of its `COMMIT` would be rolled back with the
/// connection, and missed.
#[test]
fn postgres_keeps_what_it_acknowledged() {
    let server = postgres::Server::shared();
    let database = server.database("kill");
    database.exec(SCHEMA);
    let folder = sqlite::Folder::new();
    // PostgreSQL goes on with what it has been sent, until it notices that the client has gone.
    let all_gone = || {
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'kill'";
        while server.existing("postgres").query(others) != "0" {}
    };
    let done = kill_again_and_again(folder.path(), &database.url(), all_gone);
    eprintln!("postgres: {done}");
}

/// What was done, in words.
fn kill_again_and_again(folder: &Path, database: &str, all_gone: impl Fn()) -> String {
    let file = application(folder, database);
    let kills = how_often("DUET_KILLS").unwrap_or(20);
    let begun = Instant::now();
    let mut writers = Writers::new();
    for kill in 0..kills {
        let server = Running::start(&["serve", "--config", &file]);
        let url = server.url();
        writers.check(&url);
        // Whatever the server is at when so many writes have been acknowledged, it ends there.
        let enough = 7 + kill * 13 % 60;
        writers.write_until_killed(&url, enough, || 0, || server.signal(Signal::SIGKILL));
        drop(server);
        all_gone();
    }
    let server = Running::start(&["serve", "--config", &file]);
    writers.check(&server.url());
    assert!(server.stop().success());
    let (took, summary) = (begun.elapsed(), writers.summary());
    format!("killed {kills} times in {took:.0?}; {summary}, none lost, none half")
}
