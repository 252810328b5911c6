//! Standbys that lag, die, are promoted or end reads: they leave and come back by themselves, and the primary answers.

use std::thread;

use duet_testkit::command::wait_until;

use super::{Client, Cluster, is_up, node, pause, resume};

#[test]
fn a_standby_that_lags_leaves_and_comes_back() {
    let cluster = Cluster::start(1);
    let server = cluster.serve(&["--max-lag", "300ms"]);
    let (writer, other) = (Client::of(&server), Client::anonymous(&server));
    pause(&cluster.standby(0));
    writer.put(1, "new");
    wait_until("the standby has left", || !is_up(&server, 0));
    let read = other.get("/api/public/item/1");
    assert_eq!((read.json()["note"].as_str(), node(&read)), (Some("new"), "primary"));
    let status = writer.get("/admin/status").json();
    let reason = status["applications"][0]["standbys"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("max_lag"), "{reason}");
    assert!(writer.metric("duet_replica_lag_seconds") >= 0.3);
    assert_eq!(writer.metric("duet_replica_up"), 0.0);
    resume(&cluster.standby(0));
    wait_until("the standby is back", || is_up(&server, 0));
    assert!(node(&other.get("/api/public/item/1")).starts_with("standby-"));
}

#[test]
fn a_standby_that_dies_is_left_and_taken_again() {
    let cluster = Cluster::start(2);
    let server = cluster.serve(&[]);
    let client = Client::anonymous(&server);
    let reads = |count: usize| {
        let answers = (0..count).map(|_| client.get("/api/public/item/1"));
        answers.map(|read| (read.status, node(&read).to_owned())).collect::<Vec<_>>()
    };
    let before = reads(10);
    assert!(before.iter().all(|(status, node)| *status == 200 && node.starts_with("standby-")));
    assert_ne!(before[0].1, before[1].1, "they take turns");
    cluster.standbys[0].kill();
    assert!(reads(20).iter().all(|(status, _)| *status == 200));
    wait_until("it is left", || !is_up(&server, 0));
    assert!(reads(10).iter().all(|(_, node)| node.starts_with("standby-")), "the other is there");
    cluster.standbys[1].kill();
    assert!(reads(20).iter().all(|(status, _)| *status == 200));
    wait_until("both are left", || !is_up(&server, 1));
    assert!(reads(10).iter().all(|(_, node)| node == "primary"));
    cluster.standbys[0].restart();
    wait_until("it is taken again", || is_up(&server, 0));
    wait_until("it answers", || node(&client.get("/api/public/item/1")).starts_with("standby-"));
}

#[test]
fn a_standby_that_is_promoted_is_left() {
    let cluster = Cluster::start(1);
    let server = cluster.serve(&[]);
    let client = Client::of(&server);
    cluster.standby(0).query("SELECT pg_promote()");
    wait_until("it is left", || !is_up(&server, 0));
    // At first it may be known only that its timeline is another one.
    wait_until("it is known to be a primary", || {
        let status = client.get("/admin/status").json();
        let reason = &status["applications"][0]["standbys"][0]["reason"];
        reason.as_str().is_some_and(|reason| reason.contains("is a primary"))
    });
    client.put(1, "new");
    assert_eq!(client.note(1), "new");
    assert_eq!(node(&Client::anonymous(&server).get("/api/public/item/1")), "primary");
}

#[test]
fn a_read_that_a_standby_ends_is_answered_by_the_primary() {
    let cluster = Cluster::start(1);
    let server = cluster.serve(&[]);
    let client = Client::anonymous(&server);
    thread::scope(|scope| {
        let read = scope.spawn(|| client.get("/api/public/slow/?limit=4"));
        let standby = cluster.standby(0);
        wait_until("the read is at the standby", || {
            let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%slept%' \
                 AND state = 'active' AND pid <> pg_backend_pid()";
            standby.query(running) != "0"
        });
        let lock = "BEGIN; LOCK TABLE item IN ACCESS EXCLUSIVE MODE; COMMIT";
        cluster.primary.existing("shop").exec(lock);
        let read = read.join().unwrap();
        assert_eq!((read.status, node(&read)), (200, "primary"), "{}", read.text());
        assert_eq!(read.json()["items"].as_array().unwrap().len(), 4);
    });
    assert_eq!(Client::of(&server).metric("duet_replica_repeated_total"), 1.0);
}
