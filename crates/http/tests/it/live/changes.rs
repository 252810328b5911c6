//! What subscribers see of commits.

use std::collections::BTreeMap;

use duet_store::Capture;
use duet_testkit::postgres::Server;

use super::{Events, TABLES, team, told, with_tables, write};
use crate::rowstore::capture::{logical, prepared};
use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    an_item_is_followed
    a_filter_says_who_enters_and_leaves
    a_residual_filter_is_asked_of_the_database
    documents_of_several_levels_are_followed
    fields_and_orders
    a_transaction_that_is_undone_says_nothing
    any_row_may_have_changed
    a_subscriber_goes_on_where_it_was
    subscribers_share_one_evaluation
    work_depends_on_what_changes
    a_search_by_body_is_followed
    commits_of_others_are_seen_or_said_not_to_be
}

fn q(filter: &str) -> String {
    format!("/ords/hr/team/?q={}", percent_encode(filter))
}

fn an_item_is_followed(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, "/ords/hr/team/2");
    assert!(events.head.contains("content-type: text/event-stream\r\n"), "{}", events.head);
    assert!(events.head.contains("cache-control: no-store\r\n"), "{}", events.head);
    assert!(!events.head.contains("content-encoding"), "{}", events.head);
    assert_eq!(events.state(), ["2"]);
    let mut absent = Events::of(&app, "/ords/hr/team/9");
    assert_eq!(absent.state(), [""; 0]);
    write(&app, "PUT", "/ords/hr/team/1", &team(1, "Other", 1));
    write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blue", 21));
    let changed = events.expect("changed");
    assert_eq!(changed["document"]["name"], "Blue", "{changed}");
    let item = app.get("/ords/hr/team/2");
    assert_eq!(
        item.header("etag"),
        Some(format!("\"{}\"", changed["etag"].as_str().unwrap()).as_str())
    );
    let mut expected = item.json();
    expected.as_object_mut().unwrap().remove("links");
    assert_eq!(changed["document"], expected);
    write(&app, "DELETE", "/ords/hr/driver/21", "");
    write(&app, "DELETE", "/ords/hr/team/2", "");
    assert_eq!(events.expect("left")["key"], "2");
    write(&app, "POST", "/ords/hr/team/", &team(9, "New", 0));
    assert_eq!(absent.expect("entered")["document"]["name"], "New");
}

fn a_filter_says_who_enters_and_leaves(database: Database) {
    let app = with_tables(&database).start();
    for filter in [r#"{"points":10}"#, r#"{"points":{"$between":[10,11]}}"#] {
        let mut events = Events::of(&app, &q(filter));
        assert_eq!(events.state(), ["1", "3"], "{filter}");
        write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blues", 10));
        write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blue", 10));
        write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blue", 20));
        write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blues", 20));
        write(&app, "POST", "/ords/hr/team/", &team(7, "Sevens", 10));
        write(&app, "DELETE", "/ords/hr/team/7", "");
        // Commits that come close together may be seen as one.
        let mut known = BTreeMap::from([("1".to_owned(), ()), ("3".to_owned(), ())]);
        write(&app, "POST", "/ords/hr/team/", &team(8, "last", 10));
        loop {
            let event = events.next().unwrap();
            let (name, key) = told(&event);
            match name.as_str() {
                "entered" => assert!(known.insert(key.clone(), ()).is_none(), "{event:?}"),
                "changed" => assert!(known.contains_key(&key), "{event:?}"),
                "left" => assert!(known.remove(&key).is_some(), "{event:?}"),
                other => panic!("{other}"),
            }
            if key == "8" {
                break;
            }
        }
        assert_eq!(known.into_keys().collect::<Vec<_>>(), ["1", "3", "8"]);
        write(&app, "DELETE", "/ords/hr/team/8", "");
    }
}

fn a_residual_filter_is_asked_of_the_database(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, &q(r#"{"points":10,"name":{"$like":"R%"}}"#));
    assert_eq!(events.state(), ["1"]);
    write(&app, "POST", "/ords/hr/team/", &team(4, "Blacks", 10));
    write(&app, "POST", "/ords/hr/team/", &team(5, "Roses", 11));
    write(&app, "POST", "/ords/hr/team/", &team(6, "Rubies", 10));
    assert_eq!(events.expect("entered")["key"], "6");
    write(&app, "PUT", "/ords/hr/team/1", &team(1, "Whites", 10));
    assert_eq!(events.expect("left")["key"], "1");
}

fn documents_of_several_levels_are_followed(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, "/ords/hr/team_dv/?q=%7B%22name%22%3A%22Reds%22%7D");
    assert_eq!(events.state(), ["1"]);
    // Two levels below the document, by the table's own resource.
    write(&app, "PUT", "/ords/hr/note/111", r#"{"note_id":111,"driver_id":11,"text":"second"}"#);
    let changed = events.expect("changed");
    assert_eq!(changed["document"]["drivers"][0]["notes"][0]["text"], "second", "{changed}");
    // A row that goes to another document, which is not selected.
    write(&app, "PUT", "/ords/hr/driver/12", r#"{"driver_id":12,"team_id":2,"name":"Bob"}"#);
    assert_eq!(events.expect("changed")["document"]["drivers"].as_array().unwrap().len(), 1);
    write(&app, "POST", "/ords/hr/note/", r#"{"note_id":212,"driver_id":12,"text":"elsewhere"}"#);
    write(&app, "PUT", "/ords/hr/driver/11", r#"{"driver_id":11,"team_id":1,"name":"Anna"}"#);
    assert_eq!(events.expect("changed")["document"]["drivers"][0]["name"], "Anna");
    // No change of a row two levels below had every document read again.
    assert_eq!(app.service.live_counts().rereads_total.get(), 1);
}

fn fields_and_orders(database: Database) {
    let app = with_tables(&database).start();
    let order = percent_encode(r#"{"points":10,"$orderby":{"name":"ASC"}}"#);
    let mut events = Events::of(&app, &format!("/ords/hr/team/?fields=name&q={order}"));
    assert_eq!(events.state(), ["3", "1"], "the order is that of the state");
    // What is not shown has changed.
    write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blues", 10));
    let entered = events.expect("entered");
    assert_eq!(entered["document"], serde_json::json!({ "name": "Blues" }));
    let etag = app.get("/ords/hr/team/2?fields=name");
    assert_eq!(etag.header("etag").unwrap().trim_matches('"'), entered["etag"]);
    write(&app, "PUT", "/ords/hr/team/2", &team(2, "Blues", 11));
    assert_eq!(events.expect("left")["key"], "2");
}

fn a_transaction_that_is_undone_says_nothing(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, "/ords/hr/team/");
    assert_eq!(events.state(), ["1", "2", "3"]);
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let refused =
        app.connect().request("POST", "/ords/hr/team/", &headers, team(1, "Twice", 1).as_bytes());
    assert_eq!(refused.status, 409, "{refused:?}");
    // The same document again is no change.
    write(&app, "PUT", "/ords/hr/team/1", &team(1, "Reds", 10));
    write(&app, "PUT", "/ords/hr/team/3", &team(3, "Green", 10));
    assert_eq!(events.expect("changed")["key"], "3");
}

fn any_row_may_have_changed(database: Database) {
    let app = with_tables(&database).with(|setup| setup.write_limits.documents = 5_000).start();
    let mut events = Events::of(&app, &q(r#"{"points":10}"#));
    assert_eq!(events.state(), ["1", "3"]);
    // More rows than a commit names.
    let rows: Vec<String> = (100..1_200).map(|id| team(id, "Many", 10 + id % 2)).collect();
    write(&app, "POST", "/ords/hr/team/batchload", &format!("[{}]", rows.join(",")));
    let mut entered: Vec<u32> = Vec::new();
    while entered.len() < 550 {
        entered.push(events.expect("entered")["key"].as_str().unwrap().parse().unwrap());
    }
    entered.sort_unstable();
    assert!(entered.iter().copied().eq((100..1_200).step_by(2)), "{entered:?}");
    write(
        &app,
        "DELETE",
        &format!("/ords/hr/team/?q={}", percent_encode(r#"{"name":"Many"}"#)),
        "",
    );
    let mut left = 0;
    while left < 550 {
        events.expect("left");
        left += 1;
    }
    write(&app, "DELETE", "/ords/hr/team/3", "");
    assert_eq!(events.expect("left")["key"], "3");
}

/// What others commit, where it is seen: on SQLite always, on PostgreSQL where it is captured.
fn commits_of_others_are_seen_or_said_not_to_be(database: Database) {
    let app = with_tables(&database).start();
    let mut events = Events::of(&app, &q(r#"{"points":10}"#));
    let begin = events.expect("begin");
    let sees_all = matches!(database, Database::Sqlite(_));
    assert_eq!(begin["sees"], if sees_all { "database" } else { "process" }, "{begin}");
    assert_eq!(begin["reason"].is_string(), !sees_all);
    events.documents();
    database.exec("UPDATE team SET points = 10 WHERE team_id = 2");
    if sees_all {
        assert_eq!(events.expect("entered")["key"], "2");
    }
}

fn a_subscriber_goes_on_where_it_was(database: Database) {
    let app = with_tables(&database).start();
    let path = q(r#"{"points":10}"#);
    let mut events = Events::of(&app, &path);
    events.state();
    write(&app, "POST", "/ords/hr/team/", &team(4, "Fours", 10));
    assert_eq!(events.expect("entered")["key"], "4");
    let last = events.last.clone().unwrap();
    drop(events);
    write(&app, "POST", "/ords/hr/team/", &team(5, "Fives", 10));
    write(&app, "DELETE", "/ords/hr/team/4", "");
    let mut again = Events::after(&app, &path, &last);
    assert_eq!(again.expect("begin")["resumed"], true);
    let mut two: Vec<_> = [(); 2].map(|()| told(&again.next().unwrap())).into();
    two.sort();
    assert_eq!(two, [("entered".to_owned(), "5".to_owned()), ("left".to_owned(), "4".to_owned())]);
    // Nothing is repeated behind its last event.
    let last = again.last.clone().unwrap();
    let mut third = Events::after(&app, &path, &last);
    assert_eq!(third.expect("begin")["resumed"], true);
    write(&app, "DELETE", "/ords/hr/team/5", "");
    assert_eq!(third.expect("left")["key"], "5");
    // What is not known any more, or never was, gives the state anew.
    for unknown in ["1-1", "abc", last.split('-').next().unwrap()] {
        let mut anew = Events::after(&app, &path, unknown);
        assert_eq!(anew.expect("begin")["resumed"], false, "{unknown}");
        assert!(anew.expect("reset")["reason"].is_string());
        assert_eq!(anew.documents(), ["1", "3"]);
    }
    let counts = app.service.live_counts();
    assert_eq!((counts.resumed_total.get(), counts.reset_total.get()), (2, 3));
}

fn subscribers_share_one_evaluation(database: Database) {
    let app = with_tables(&database).start();
    let path = q(r#"{"points":10}"#);
    let mut all: Vec<Events> = (0..5).map(|_| Events::of(&app, &path)).collect();
    all.iter_mut().for_each(|events| assert_eq!(events.state(), ["1", "3"]));
    let counts = app.service.live_counts();
    assert_eq!((counts.queries.get(), counts.subscriptions.get()), (1, 5));
    let before = counts.comparisons_total.get();
    write(&app, "PUT", "/ords/hr/team/1", &team(1, "Red", 10));
    all.iter_mut().for_each(|events| assert_eq!(events.expect("changed")["key"], "1"));
    // PostgreSQL may bring the commit a second time, by its own log.
    assert!(counts.comparisons_total.get() - before <= 2);
    assert_eq!(counts.events_total.get(), 1);
}

/// The comparisons and reads of a few changes, with so many subscriptions that they do not concern.
fn work_of(app: &App, others: u32) -> [u64; 4] {
    let counts = app.service.live_counts();
    let mut open: Vec<Events> = (0..others)
        .map(|n| Events::of(app, &q(&format!(r#"{{"points":{}}}"#, 1_000 + n))))
        .collect();
    open.iter_mut().for_each(|events| assert!(events.state().is_empty()));
    let mut own = Events::of(app, &q(r#"{"points":10}"#));
    own.state();
    let read = || {
        let (compared, asked) = (counts.comparisons_total.get(), counts.asked_total.get());
        [compared, asked, counts.rereads_total.get()]
    };
    let before = read();
    for round in 0..5 {
        write(app, "PUT", "/ords/hr/team/1", &team(1, &format!("Red {others} {round}"), 10));
        assert_eq!(own.expect("changed")["key"], "1");
    }
    let after = read();
    [after[0] - before[0], after[1] - before[1], after[2] - before[2], counts.queries.get()]
}

fn work_depends_on_what_changes(database: Database) {
    let app = with_tables(&database).start();
    let few = work_of(&app, 10);
    let many = work_of(&app, 20);
    assert!(many[3] > few[3], "{few:?} {many:?}");
    assert_eq!((few[1], few[2]), (0, 0));
    assert_eq!((many[1], many[2]), (0, 0));
    for work in [few, many] {
        assert!((5..=10).contains(&work[0]), "a change is compared with one query: {work:?}");
    }
}

fn a_search_by_body_is_followed(database: Database) {
    database.exec(TABLES);
    let app = Setup::new(&database).start();
    let bearer = app.bearer();
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
    ];
    let refused = app.connect().request(
        "POST",
        "/ords/hr/team/search",
        &headers,
        br#"{"limit":5,"offset":2}"#,
    );
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.text().contains("`limit`") && refused.text().contains("`offset`"));
}

/// Commits of other programs on PostgreSQL, by the change stream and by the change table.
#[test]
fn captured_commits_are_seen() {
    for (means, name) in [(Capture::Stream, "stream"), (Capture::Table, "table")] {
        let server = if means == Capture::Stream { logical() } else { Server::shared() };
        let database = prepared(server, &format!("live_captured_{name}"), TABLES, means);
        let app = Setup::new(&database).with(|setup| setup.limits.capture = means).start();
        let mut events = Events::of(&app, &q(r#"{"points":10}"#));
        let begin = events.expect("begin");
        assert_eq!(begin["sees"], "database", "{name}: {begin}");
        events.documents();
        database.exec("UPDATE team SET points = 10 WHERE team_id = 2");
        assert_eq!(events.expect("entered")["key"], "2");
        database.exec("BEGIN; DELETE FROM note; DELETE FROM driver; DELETE FROM team WHERE team_id = 1; COMMIT");
        assert_eq!(events.expect("left")["key"], "1");
    }
}

/// Servers of one database, which is captured on PostgreSQL: each sees what the others write, once.
#[test]
fn servers_see_each_other() {
    let file = Database::sqlite();
    file.exec(TABLES);
    let captured = prepared(Server::shared(), "live_servers", TABLES, Capture::Table);
    for (database, is_captured) in [(file, false), (captured, true)] {
        let start = || {
            let setup = Setup::new(&database).with(|setup| {
                setup.roles = vec!["duet.read", "duet.write"];
                if is_captured {
                    setup.limits.capture = Capture::Table;
                }
            });
            setup.start()
        };
        let servers = [start(), start()];
        let mut followed = servers.each_ref().map(|app| Events::of(app, &q(r#"{"points":10}"#)));
        for events in &mut followed {
            assert_eq!(events.expect("begin")["sees"], "database");
            events.documents();
        }
        for (writer, name) in servers.iter().zip(["Blues", "Blue"]) {
            write(writer, "PUT", "/ords/hr/team/2", &team(2, name, 10));
            for events in &mut followed {
                let event = events.next().unwrap();
                let kind = if name == "Blues" { "entered" } else { "changed" };
                assert_eq!(told(&event), (kind.to_owned(), "2".to_owned()));
                assert_eq!(event.data["document"]["name"], name);
            }
        }
        // Nothing came twice: the next event is that of the next write.
        write(&servers[0], "PUT", "/ords/hr/team/2", &team(2, "Blue", 20));
        for events in &mut followed {
            assert_eq!(told(&events.next().unwrap()), ("left".to_owned(), "2".to_owned()));
        }
    }
}
