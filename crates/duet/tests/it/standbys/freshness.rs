//! What a client has written, it reads: whichever server answers, and however late standbys are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use duet_testkit::command::wait_until;

use super::{Client, Cluster, node, pause, resume};

#[test]
fn reads_go_to_standbys_and_writes_to_the_primary() {
    let cluster = Cluster::start(1);
    let server = cluster.serve(&[]);
    let client = Client::of(&server);
    let page = client.get("/api/public/item/?limit=3");
    assert!(node(&page).starts_with("standby-"), "{:?}", page.header("server-timing"));
    let lines =
        client.send(("GET", "/api/public/item/"), &[("Accept", "application/x-ndjson")], "");
    assert_eq!(lines.text().lines().count(), 100);
    let written = client.send(("PATCH", "/api/public/item/7"), &[], r#"{"note":"new"}"#);
    assert_eq!((written.status, node(&written)), (200, "primary"), "{}", written.text());
    assert_eq!(client.note(7), "new");
    // A condition is checked where the rows are changed.
    let etag = written.header("etag").unwrap().to_owned();
    let again =
        client.send(("PATCH", "/api/public/item/7"), &[("If-Match", &etag)], r#"{"note":"b"}"#);
    assert_eq!(again.status, 200);
    let stale =
        client.send(("PATCH", "/api/public/item/7"), &[("If-Match", &etag)], r#"{"note":"c"}"#);
    assert_eq!(stale.status, 412);
    assert!(
        stale.header("duet-position").is_some(),
        "what it was compared with is read from now on"
    );
    // Every server gives the same etag.
    let item = client.get("/api/public/item/7");
    assert_eq!(item.header("etag"), again.header("etag"));
    wait_until("the standby has replayed the write", || {
        node(&client.get("/api/public/item/7")).starts_with("standby-")
    });
    assert_eq!(client.get("/api/public/item/7").header("etag"), again.header("etag"));
    let fresh = client.send(("GET", "/api/public/item/7"), &[("Cache-Control", "no-cache")], "");
    assert_eq!(node(&fresh), "primary");
    assert!(client.metric("duet_replica_reads_total") >= 3.0);
    assert!(client.metric("duet_replica_up") == 1.0);
}

#[test]
fn a_late_standby_answers_those_alone_who_have_not_written() {
    let cluster = Cluster::start(1);
    let server = cluster.serve(&[]);
    let (writer, other) = (Client::of(&server), Client::anonymous(&server));
    pause(&cluster.standby(0));
    let position = writer.put(1, "new");
    let own = writer.get("/api/public/item/1");
    assert_eq!((own.json()["note"].as_str(), node(&own)), (Some("new"), "primary"));
    let theirs = other.get("/api/public/item/1");
    assert_eq!(theirs.json()["note"], "old", "it has asked for nothing newer");
    let brought = [("Duet-Position", position.as_str())];
    let theirs = other.send(("GET", "/api/public/item/1"), &brought, "");
    assert_eq!((theirs.json()["note"].as_str(), node(&theirs)), (Some("new"), "primary"));
    assert!(writer.metric("duet_replica_waits_total") >= 2.0);
    assert!(writer.metric("duet_replica_primary_reads_total") >= 2.0);
    assert!(writer.metric("duet_replica_lag_bytes") > 0.0);
    resume(&cluster.standby(0));
    wait_until("the standby has caught up", || {
        let theirs = other.send(("GET", "/api/public/item/1"), &brought, "");
        assert_eq!(theirs.json()["note"], "new");
        node(&theirs).starts_with("standby-")
    });
    for bad in ["0/1", "x", "00000001-00000000000000FF'"] {
        let refused = other.send(("GET", "/api/public/item/1"), &[("Duet-Position", bad)], "");
        assert_eq!((refused.status, &refused.json()["type"]), (400, &"/problems/DUET-1006".into()));
    }
}

#[test]
fn no_read_is_older_than_what_its_client_has_written() {
    let cluster = Cluster::start(2);
    let server = cluster.serve(&["--position-clients", "2"]);
    let rounds = if duet_testkit::is_long() { 20_000 } else { 150 };
    let over = AtomicBool::new(false);
    let stale: usize = thread::scope(|scope| {
        for place in 0..2 {
            let standby = cluster.standby(place);
            let over = &over;
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    // What it replays may end the statement.
                    drop(standby.try_exec("SELECT pg_wal_replay_pause()"));
                    drop(standby.try_exec("SELECT pg_wal_replay_resume()"));
                }
            });
        }
        let clients = (0..3_u32).map(|number| {
            let (writer, other) = (Client::of(&server), Client::anonymous(&server));
            scope.spawn(move || {
                let mut stale = 0;
                for round in 0..rounds {
                    let (id, note) = (number + 1, format!("{number}-{round}"));
                    let position = writer.put(id, &note);
                    stale += usize::from(writer.note(id) != note);
                    let brought = [("Duet-Position", position.as_str())];
                    let path = format!("/api/public/item/{id}");
                    let read = other.send(("GET", &path), &brought, "").json();
                    stale += usize::from(read["note"] != note.as_str());
                }
                stale
            })
        });
        let clients: Vec<_> = clients.collect();
        let stale = clients.into_iter().map(|client| client.join().unwrap()).sum();
        over.store(true, Ordering::Relaxed);
        stale
    });
    assert_eq!(stale, 0, "of {} reads", rounds * 6);
    assert!(Client::of(&server).metric("duet_replica_reads_total") > 0.0);
}

#[test]
fn the_next_page_is_no_older_than_the_one_before() {
    let cluster = Cluster::start(2);
    let server = cluster.serve(&[]);
    let client = Client::anonymous(&server);
    let next = |page: &duet_testkit::http::Response| {
        let json = page.json();
        let links = json["links"].as_array().unwrap().clone();
        let next = links.iter().find(|link| link["rel"] == "next").unwrap();
        let href = next["href"].as_str().unwrap();
        href.split_once("/api/").map(|(_, path)| format!("/api/{path}")).unwrap()
    };
    for first in ["/api/public/item/?limit=5&after=", "/api/public/item/?limit=5"] {
        let mut page = client.get(first);
        let server = node(&page).to_owned();
        assert!(server.starts_with("standby-"));
        for _ in 0..4 {
            page = client.get(&next(&page));
            assert_eq!((page.status, node(&page)), (200, server.as_str()));
        }
    }
    let page = client.get("/api/public/item/?limit=5&after=");
    let primary = client.send(
        ("GET", "/api/public/item/?limit=5&after="),
        &[("Cache-Control", "no-cache")],
        "",
    );
    assert_eq!(node(&client.get(&next(&primary))), "primary");
    // Where its server is gone, the primary is as new.
    let link = next(&page);
    cluster.standbys.iter().for_each(duet_testkit::postgres::Server::stop);
    let after = client.get(&link);
    assert_eq!((after.status, node(&after)), (200, "primary"));
    let bad = client.get("/api/public/item/?node=x");
    assert_eq!((bad.status, &bad.json()["type"]), (400, &"/problems/DUET-1005".into()));
}
