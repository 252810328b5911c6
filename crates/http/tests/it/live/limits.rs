//! Limits, refusals, slow readers and the end of subscriptions.

use std::io::{Read, Write};
use std::time::Duration;

use super::{Events, team, with_tables, write};
use crate::support::{Database, eventually, on_both_stores, percent_encode};

on_both_stores! {
    what_cannot_be_followed_is_refused_at_once
    subscriptions_are_limited
    filters_without_a_value_are_limited
    too_many_documents_are_refused
    a_silent_subscription_gets_comments
    a_slow_reader_is_cut
    a_stop_ends_subscriptions
    a_changed_schema_ends_subscriptions
    a_dropped_table_ends_its_subscriptions
    a_query_without_subscribers_is_forgotten
    a_head_has_no_events
}

fn what_cannot_be_followed_is_refused_at_once(database: Database) {
    database.exec("CREATE TABLE plain (id integer NOT NULL PRIMARY KEY, name varchar(9))");
    database.exec("CREATE VIEW plain_view AS SELECT id, name FROM plain");
    let app = with_tables(&database).start();
    let group = percent_encode(r#"{"$group":{"by":["points"],"n":{"$count":"*"}}}"#);
    for (path, named) in [
        ("/ords/hr/team/?limit=5&offset=2&count=exact", &["`limit`", "`offset`", "`count`"][..]),
        ("/ords/hr/team/?after=&expand=x", &["`after`", "`expand`"]),
        ("/ords/hr/team/?ids=1,2", &["`ids`"]),
        ("/ords/hr/team/?explain=1", &["`explain`"]),
        ("/ords/hr/team/1?expand=x", &["`expand`"]),
        ("/ords/hr/bare/", &["without a key"]),
        ("/ords/hr/plain_view/?limit=1", &["a view of the database", "`limit`"]),
        (&format!("/ords/hr/team/?q={group}"), &["`$group`"]),
    ] {
        let refused = Events::of(&app, path);
        let status = refused.status;
        let body = refused.refusal();
        assert_eq!(body["errors"][0]["code"], "DUET-1021", "{path}: {status} {body}");
        let detail = body["detail"].as_str().unwrap();
        assert!(named.iter().all(|name| detail.contains(name)), "{path}: {detail}");
    }
    for (path, code) in [
        ("/ords/hr/team/?q=%7B", "DUET-2001"),
        ("/ords/hr/team/x", "DUET-1004"),
        ("/ords/hr/team/1/2", "DUET-1001"),
        ("/ords/hr/nothing/", "DUET-1001"),
        ("/ords/hr/team/?limt=1", "DUET-1005"),
        ("/ords/hr/team/?fields=nothing", "DUET-1005"),
    ] {
        let body = Events::of(&app, path).refusal();
        assert_eq!(body["errors"][0]["code"], code, "{path}: {body}");
    }
    assert_eq!(app.service.live_counts().opened_total.get(), 0);
}

fn subscriptions_are_limited(database: Database) {
    let setup = with_tables(&database).with(|setup| {
        setup.clients = vec![("other", None), ("third", None)];
        (setup.options.live.subscriptions, setup.options.live.of_client) = (3, 2);
    });
    let app = setup.start();
    let first = Events::of(&app, "/ords/hr/team/1");
    let second = Events::of(&app, "/ords/hr/team/1");
    let third = Events::of(&app, "/ords/hr/team/1");
    assert!(third.head.contains("retry-after: "), "{}", third.head);
    assert_eq!(third.status, 429);
    assert_eq!(third.refusal()["errors"][0]["code"], "DUET-1024");
    let of = |name: &str| {
        Events::with(&app, "/ords/hr/team/1", &[("Authorization", &app.bearer_of(name))])
    };
    let other = of("other");
    assert_eq!(other.status, 200);
    let refused = of("third");
    assert_eq!(refused.status, 503);
    assert_eq!(refused.refusal()["errors"][0]["code"], "DUET-1023");
    drop((first, second));
    eventually("the seats are given back", || of("third").status == 200);
}

fn filters_without_a_value_are_limited(database: Database) {
    let app = with_tables(&database).with(|setup| setup.read_limits.live.unindexed = 2).start();
    let of = |n: u32| {
        Events::of(&app, &format!("/ords/hr/team/?q=%7B%22points%22:%7B%22$gt%22:{n}%7D%7D"))
    };
    let open = [of(1), of(2), of(1)];
    assert!(open.iter().all(|events| events.status == 200));
    assert_eq!(of(3).refusal()["errors"][0]["code"], "DUET-1023");
    // Those that are found by a value have no such limit.
    assert_eq!(Events::of(&app, "/ords/hr/team/?q=%7B%22points%22:3%7D").status, 200);
}

fn too_many_documents_are_refused(database: Database) {
    let app = with_tables(&database).with(|setup| setup.read_limits.live.documents = 3).start();
    let mut events = Events::of(&app, "/ords/hr/team/");
    assert_eq!(events.state(), ["1", "2", "3"]);
    write(&app, "POST", "/ords/hr/team/", &team(4, "Fours", 1));
    assert_eq!(events.expect("entered")["key"], "4");
    assert_eq!(events.expect("end")["code"], "DUET-1022");
    assert_eq!(events.next(), None);
    let refused = Events::of(&app, "/ords/hr/team/");
    assert_eq!(refused.status, 422);
    assert_eq!(refused.refusal()["errors"][0]["code"], "DUET-1022");
}

fn a_silent_subscription_gets_comments(database: Database) {
    let app = with_tables(&database)
        .with(|setup| setup.options.live.heartbeat = Duration::from_millis(20))
        .start();
    let mut events = Events::of(&app, "/ords/hr/team/1");
    events.state();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while app.service.live_counts().subscriptions.get() == 0 {}
            std::thread::sleep(Duration::from_millis(200));
            write(&app, "PUT", "/ords/hr/team/1", &team(1, "Red", 1));
        });
        events.expect("changed");
    });
    assert!(events.comments > 0);
}

fn a_slow_reader_is_cut(database: Database) {
    database.exec("CREATE TABLE wide (id integer NOT NULL PRIMARY KEY, body text)");
    database.exec("INSERT INTO wide VALUES (1, 'first')");
    let setup = with_tables(&database).with(|setup| {
        setup.read_limits.live.log_bytes = 2_000;
        // However long the writes take, the connection stays.
        setup.options.limits.header_timeout = Duration::from_secs(3_600);
    });
    let app = setup.start();
    let counts = app.service.live_counts();
    let mut slow = Events::of(&app, "/ords/hr/wide/1");
    slow.state();
    // More than the sockets and the server hold back, and no byte of it is read meanwhile.
    let body = "x".repeat(200_000);
    for round in 0..150 {
        let before = counts.events_total.get();
        write(&app, "PUT", "/ords/hr/wide/1", &format!(r#"{{"id":1,"body":"{round} {body}"}}"#));
        // Writes that follow each other closely would be one event.
        eventually("the change is an event", || counts.events_total.get() > before);
    }
    let mut events = 0;
    let end = loop {
        let event = slow.next().unwrap();
        match event.name.as_str() {
            "changed" => events += 1,
            _ => break event,
        }
    };
    assert_eq!((end.name.as_str(), &end.data["reason"]), ("end", &"slow".into()), "{events}");
    assert!(events < 150 && slow.retry.is_some());
    assert_eq!(slow.next(), None);
    assert_eq!(counts.slow_total.get(), 1);
    // The connection goes on with the state.
    assert_eq!(Events::of(&app, "/ords/hr/wide/1").state(), ["1"]);
}

fn a_stop_ends_subscriptions(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, "/ords/hr/team/");
    events.state();
    std::thread::scope(|scope| {
        scope.spawn(|| app.stop());
        let end = events.expect("end");
        assert_eq!(end["reason"], "stopping", "{end}");
        assert!(events.retry.is_some_and(|millis| (1_000..3_000).contains(&millis)));
        assert_eq!(events.next(), None);
    });
}

fn a_changed_schema_ends_subscriptions(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, "/ords/hr/team/");
    events.state();
    let before = app.generation();
    database.exec("ALTER TABLE team ADD COLUMN extra integer");
    let mut told = Vec::new();
    while let Some(event) = events.next() {
        told.push(event);
    }
    assert_eq!(told.last().unwrap().data["reason"], "reloaded", "{told:?}");
    assert!(app.generation() > before);
    let mut again = Events::of(&app, "/ords/hr/team/");
    assert_eq!(again.state(), ["1", "2", "3"]);
    eventually("only the new query is followed", || app.service.live_counts().queries.get() == 1);
}

fn a_dropped_table_ends_its_subscriptions(database: Database) {
    database.exec("CREATE TABLE short (id integer NOT NULL PRIMARY KEY, name varchar(9))");
    database.exec("INSERT INTO short VALUES (1, 'one')");
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, "/ords/hr/short/");
    let mut others = Events::of(&app, "/ords/hr/team/");
    assert_eq!((events.state(), others.state().len()), (vec!["1".to_owned()], 3));
    database.exec("DROP TABLE short");
    let last = |events: &mut Events| std::iter::from_fn(|| events.next()).last().unwrap();
    let end = last(&mut events);
    assert_eq!((end.name.as_str(), &end.data["code"]), ("end", &"DUET-1001".into()), "{end:?}");
    assert!(end.data["message"].as_str().unwrap().contains("short"), "{end:?}");
    assert!(events.retry.is_none(), "it is in vain to come again");
    let end = last(&mut others);
    assert_eq!(end.data["reason"], "reloaded", "{end:?}");
    assert!(others.retry.is_some());
}

fn a_query_without_subscribers_is_forgotten(database: Database) {
    let setup = with_tables(&database);
    let app = setup.with(|setup| setup.read_limits.live.retention = Duration::ZERO).start();
    let counts = app.service.live_counts();
    for _ in 0..3 {
        let mut events = Events::of(&app, "/ords/hr/team/");
        events.state();
        assert_eq!(counts.members.get(), 3);
        drop(events);
        eventually("the query is forgotten", || {
            (counts.queries.get(), counts.members.get(), counts.log_bytes.get()) == (0, 0, 0)
        });
        assert!(!app.service.store().commits().needs_rows(), "writes cost nothing more");
    }
}

fn a_head_has_no_events(database: Database) {
    let app = with_tables(&database).start();
    let bearer = app.bearer();
    let mut stream = std::net::TcpStream::connect(app.address()).unwrap();
    let head = format!(
        "HEAD /ords/hr/team/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: text/event-stream\r\nAuthorization: {bearer}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("\r\n\r\n"), "{text}");
    assert!(text.contains("text/event-stream"), "{text}");
    assert_eq!(app.service.live_counts().opened_total.get(), 0);
}
