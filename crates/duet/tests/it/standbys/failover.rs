//! The primary dies under load and its standby is promoted: what was acknowledged is there, and clients read it.
//! Where it hangs, requests end in time.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use duet_testkit::command::{Running, wait_until};
use duet_testkit::postgres::{Options, Server};
use serde_json::json;

use super::{Client, SCHEMA};

/// No request takes longer than its deadline and a moment.
const LONGEST: Duration = Duration::from_secs(25);

/// The accounts of the clients of one failover.
#[derive(Default)]
struct Account {
    acknowledged: Mutex<HashSet<u32>>,
    stale: AtomicU32,
    over: AtomicBool,
}

impl Account {
    /// Adds rows one after the other, and reads each that was acknowledged.
    fn client(&self, client: &Client, from: u32) {
        let mut id = from;
        while !self.over.load(Ordering::Relaxed) {
            id += 1;
            let (began, body) = (Instant::now(), json!({ "id": id, "note": "x" }).to_string());
            let answer = client.send(("POST", "/api/public/item/"), &[], &body);
            assert!(began.elapsed() < LONGEST, "a request took {:?}", began.elapsed());
            if answer.status != 201 {
                continue;
            }
            self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
            let read = client.get(&format!("/api/public/item/{id}"));
            // While there is no primary, a read may find no server that is new enough.
            if read.status == 404 {
                self.stale.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn count(&self) -> usize {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// A primary whose commits wait for a standby.
fn synchronous() -> (Server, Server) {
    let primary = Server::start_with(
        Options::new()
            .setting("synchronous_commit", "on")
            .setting("synchronous_standby_names", "*"),
    );
    let local = "SET synchronous_commit = local;";
    primary.existing("postgres").exec(&format!("{local} CREATE DATABASE shop;"));
    primary.existing("shop").exec(&format!("{local} {SCHEMA}"));
    let standby = primary.standby();
    // After its promotion it has no standby to wait for.
    standby.existing("postgres").exec("ALTER SYSTEM SET synchronous_standby_names = ''");
    standby.existing("postgres").exec("SELECT pg_reload_conf()");
    wait_until("commits wait for the standby", || {
        let state = "SELECT string_agg(sync_state, ',') FROM pg_stat_replication";
        primary.existing("postgres").query(state) == "sync"
    });
    (primary, standby)
}

/// A connection string with both servers, of which the one that takes writes is meant.
fn both(primary: &Server, standby: &Server) -> String {
    let folders = [primary, standby].map(|server| server.socket_folder().display().to_string());
    format!(
        "host={} port={},{} user=postgres dbname=shop target_session_attrs=read-write connect_timeout=2",
        folders.join(","),
        primary.port(),
        standby.port()
    )
}

fn fail_over() {
    let (primary, standby) = synchronous();
    let both = both(&primary, &standby);
    let server = Running::start(&["serve", &both, "--read-database", &standby.url("shop")]);
    wait_until("reads go to the standby", || super::is_up(&server, 0));
    let account = Account::default();
    thread::scope(|scope| {
        for number in 0..4 {
            let (client, account) = (Client::of(&server), &account);
            scope.spawn(move || account.client(&client, 1_000_000 * (number + 1)));
        }
        wait_until("rows are added", || account.count() > 50);
        primary.kill();
        standby.existing("postgres").query("SELECT pg_promote()");
        let before = account.count();
        wait_until("rows are added again", || account.count() > before + 50);
        account.over.store(true, Ordering::Relaxed);
    });
    let rows = standby.existing("shop").query("SELECT id FROM item WHERE id > 1000000");
    let rows: HashSet<u32> = rows.lines().filter_map(|row| row.parse().ok()).collect();
    let acknowledged = account.acknowledged.into_inner().unwrap_or_default();
    let lost: Vec<_> = acknowledged.difference(&rows).collect();
    let count = acknowledged.len();
    assert!(lost.is_empty(), "{} of {count} acknowledged rows are lost: {lost:?}", lost.len());
    assert_eq!(account.stale.into_inner(), 0, "reads of {} own rows", acknowledged.len());
    assert!(!super::is_up(&server, 0), "the promoted server takes no reads as a standby");
}

#[test]
fn no_acknowledged_row_is_lost_or_unread_after_a_promotion() {
    let failovers = if duet_testkit::is_long() { 100 } else { 2 };
    (0..failovers).for_each(|_| fail_over());
}

/// Signs of life of the promoted server say nothing of the one that requests wait for.
#[test]
fn requests_end_where_the_primary_hangs() {
    let primary = Server::start();
    primary.database("shop").exec(SCHEMA);
    let standby = primary.standby();
    let both = both(&primary, &standby);
    let server = Running::start(&["serve", &both, "--open", "all"]);
    let listens = || {
        let status = Client::of(&server).get("/admin/status");
        status.json()["applications"][0]["listening"] == true
    };
    wait_until("the server listens", listens);
    let (written, over) = (AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for client in 1..=4 {
            let (server, written, over) = (&server, &written, &over);
            scope.spawn(move || {
                let client_of = Client::anonymous(server);
                for id in 1_000_000 * client.. {
                    let (began, body) = (Instant::now(), json!({ "id": id, "note": "x" }));
                    let post = ("POST", "/api/public/item/");
                    let answer = client_of.send(post, &[], &body.to_string());
                    assert!(began.elapsed() < LONGEST, "a request took {:?}", began.elapsed());
                    written.fetch_add(u32::from(answer.status == 201), Ordering::Relaxed);
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let more = |count: u32| {
            let before = written.load(Ordering::Relaxed);
            wait_until("rows are added", || written.load(Ordering::Relaxed) >= before + count);
        };
        more(50);
        primary.freeze();
        standby.existing("postgres").query("SELECT pg_promote()");
        more(50);
        over.store(true, Ordering::Relaxed);
    });
    wait_until("the server listens at the new primary", listens);
    standby.existing("shop").exec("CREATE TABLE later (id integer PRIMARY KEY)");
    let later = || Client::anonymous(&server).get("/api/public/later/").status == 200;
    wait_until("the new table is served", later);
}
