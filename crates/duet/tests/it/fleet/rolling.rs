//! Servers are replaced one after the other under load, and no request remains without its answer.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use duet_testkit::command::{Running, Signal, wait_until};
use duet_testkit::http::Client;
use duet_testkit::postgres::Server;
use serde_json::json;

use super::{Fleet, bearer};

const CLIENTS: usize = 4;

/// A server, as clients know it.
struct Member {
    address: String,
    /// Which clients it has told to go elsewhere.
    left_by: [AtomicBool; CLIENTS],
}

impl Member {
    fn of(server: &Running) -> Arc<Self> {
        Arc::new(Self { address: server.url(), left_by: Default::default() })
    }
}

/// Ends the clients, also where the test fails.
struct End<'l>(&'l AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What all clients share.
struct Load {
    members: Mutex<Vec<Arc<Member>>>,
    bearer: String,
    over: AtomicBool,
    answered: AtomicU32,
}

impl Load {
    fn members(&self) -> Vec<Arc<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds rows, each at the next server; one that refuses the connection, or has said that it leaves, is passed over.
    fn client(&self, number: usize) {
        let mut turn = number;
        while !self.over.load(Ordering::Relaxed) {
            let members = self.members();
            turn += 1;
            let from = turn % members.len();
            let stays = |it: &&Arc<Member>| !it.left_by[number].load(Ordering::Relaxed);
            let in_order = members[from..].iter().chain(&members[..from]).filter(stays);
            let connected = in_order
                .filter_map(|member| Some((member, Client::try_connect(&member.address).ok()?)))
                .next();
            let Some((member, client)) = connected else { panic!("no server takes connections") };
            self.add_row(client, member, (number, number * 10_000_000 + turn));
        }
    }

    fn add_row(&self, mut client: Client, member: &Member, (number, id): (usize, usize)) {
        let headers =
            [("Authorization", self.bearer.as_str()), ("Content-Type", "application/json")];
        let body = json!({ "id": id }).to_string();
        let answer = client.try_request("POST", "/api/public/item/", &headers, body.as_bytes());
        let answer = answer.unwrap_or_else(|error| panic!("a request without an answer: {error}"));
        assert_eq!(answer.status, 201, "{}", answer.text());
        if answer.header("connection") == Some("close") {
            member.left_by[number].store(true, Ordering::Relaxed);
        }
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    fn wait_for_more(&self, count: u32) {
        let before = self.answered.load(Ordering::Relaxed);
        wait_until("rows are added", || self.answered.load(Ordering::Relaxed) >= before + count);
    }
}

#[test]
fn restarts_leave_no_request_without_an_answer() {
    let database = Server::shared().database("fleet_rolling");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    // A server leaves when its clients know, not after some time.
    let arguments = ["--drain-delay", "10m"];
    let mut fleet = Fleet::start(&database, 3, &arguments);
    let bearer = bearer(&fleet.servers[0], &fleet.operator).unwrap_or_default();
    let members = fleet.servers.iter().map(Member::of).collect();
    let load = Load {
        members: Mutex::new(members),
        bearer,
        over: AtomicBool::new(false),
        answered: AtomicU32::new(0),
    };
    thread::scope(|scope| {
        let load = &load;
        let _end = End(&load.over);
        (0..CLIENTS).for_each(|number| {
            scope.spawn(move || load.client(number));
        });
        for place in 0..3 {
            load.wait_for_more(30);
            let leaving = Arc::clone(&load.members()[place]);
            let old = &mut fleet.servers[place];
            old.signal(Signal::SIGTERM);
            wait_until("all clients go elsewhere", || {
                leaving.left_by.iter().all(|left| left.load(Ordering::Relaxed))
            });
            // The second signal ends the delay.
            old.signal(Signal::SIGTERM);
            old.wait();
            *old = Running::start(&[
                "serve",
                &fleet.url,
                "--listen",
                "127.0.0.1:0",
                "--drain-delay",
                "10m",
            ]);
            let mut members = load.members.lock().unwrap_or_else(PoisonError::into_inner);
            members[place] = Member::of(old);
        }
        load.wait_for_more(30);
    });
    let rows: u32 = database.query("SELECT count(*) FROM item").parse().unwrap_or_default();
    assert_eq!(rows, load.answered.into_inner(), "each answer is a row, and each row an answer");
}
