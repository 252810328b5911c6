//! Nobody is sent what it may not read, also where that changes while a subscription is open.

use std::time::Duration;

use duet_auth::StateFile;

use super::{Events, team, with_tables, write};
use crate::support::{Database, Setup, now, on_both_stores};

on_both_stores! {
    strangers_are_refused
    a_removed_client_gets_nothing_more
    an_expired_token_gets_nothing_more
}

fn strangers_are_refused(database: Database) {
    let app = with_tables(&database).start();
    for path in ["/ords/hr/team/", "/ords/hr/team/1"] {
        let refused = Events::with(&app, path, &[]);
        assert_eq!(refused.status, 401, "{path}");
        let wrong = Events::with(&app, path, &[("Authorization", "Bearer wrong")]);
        assert_eq!(wrong.status, 401, "{path}");
    }
    drop(app);
    let setup = Setup::new(&database).privilege(&["fan"], &["/team/1"]);
    let app = setup.with(|setup| setup.roles = vec!["fan"]).start();
    assert_eq!(Events::of(&app, "/ords/hr/team/").status, 403);
    assert_eq!(Events::of(&app, "/ords/hr/team/2").status, 403);
    assert_eq!(Events::of(&app, "/ords/hr/team/1").state(), ["1"]);
}

fn a_removed_client_gets_nothing_more(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let setup = with_tables(&database).with(|setup| setup.state = Some(path.clone()));
    let app = setup.start();
    let file = StateFile::open(&path, now()).unwrap();
    let (_, secret) =
        file.update(|state| state.add_key("reader", &["duet.read"], now(), None)).unwrap();
    let bearer = format!("Bearer {}", secret.expose());
    crate::support::eventually("the key is known", || {
        Events::with(&app, "/ords/hr/team/", &[("Authorization", &bearer)]).status == 200
    });
    let mut events = Events::with(&app, "/ords/hr/team/", &[("Authorization", &bearer)]);
    events.state();
    write(&app, "PUT", "/ords/hr/team/1", &team(1, "Red", 1));
    assert_eq!(events.expect("changed")["key"], "1");
    file.update(|state| state.remove("reader", now())).unwrap();
    let end = events.expect("end");
    assert_eq!(end["code"], "DUET-4001", "{end}");
    assert!(events.retry.is_none(), "it is in vain to try again");
    assert_eq!(events.next(), None);
}

fn an_expired_token_gets_nothing_more(database: Database) {
    let setup = with_tables(&database);
    let app = setup.with(|setup| setup.options.live.heartbeat = Duration::from_millis(20)).start();
    let subscribe = || {
        let bearer = app.bearer_for(2);
        let mut events = Events::with(&app, "/ords/hr/team/", &[("Authorization", &bearer)]);
        assert_eq!(events.state(), ["1", "2", "3"]);
        events
    };
    let end = subscribe().expect("end");
    assert_eq!(end["code"], "DUET-4001", "{end}");
    // What is written when it has expired is not sent, whenever that is found.
    let mut events = subscribe();
    crate::support::eventually("it has expired", || {
        app.service.live_counts().subscriptions.get() == 0
    });
    write(&app, "PUT", "/ords/hr/team/1", &team(1, "Secret", 1));
    assert_eq!(events.expect("end")["code"], "DUET-4001");
    assert!(events.retry.is_none() && events.next().is_none());
}

/// Row security decides what each subscriber gets, and a row that is taken away has left.
#[test]
fn row_security_holds_for_changes() {
    let database = Database::postgres("live_row_security");
    database.exec(
        "CREATE ROLE live_ann; CREATE ROLE live_bob;
        CREATE TABLE note (note_id int PRIMARY KEY, owner text NOT NULL, text text);
        INSERT INTO note VALUES (1, 'live_ann', 'a'), (2, 'live_bob', 'b');
        ALTER TABLE note ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON note USING (owner = current_user);
        GRANT SELECT ON note TO live_ann, live_bob;",
    );
    let setup = Setup::new(&database).with(|setup| {
        setup.roles = vec!["duet.read", "duet.write"];
        setup.clients =
            vec![("ann", Some("live_ann".to_owned())), ("bob", Some("live_bob".to_owned()))];
    });
    let app = setup.start();
    let of = |name: &str, path: &str| {
        Events::with(&app, path, &[("Authorization", &app.bearer_of(name))])
    };
    let mut ann = of("ann", "/ords/hr/note/");
    let mut bob = of("bob", "/ords/hr/note/");
    let mut filtered = of("bob", "/ords/hr/note/?q=%7B%22note_id%22%3A1%7D");
    let mut item = of("bob", "/ords/hr/note/1");
    assert_eq!(ann.state(), ["1"]);
    assert_eq!(bob.state(), ["2"]);
    assert_eq!((filtered.state(), item.state()), (Vec::new(), Vec::new()));
    let note = |id: u32, owner: &str, text: &str| {
        format!(r#"{{"note_id":{id},"owner":"{owner}","text":"{text}"}}"#)
    };
    write(&app, "POST", "/ords/hr/note/", &note(3, "live_ann", "secret"));
    assert_eq!(ann.expect("entered")["key"], "3");
    write(&app, "PUT", "/ords/hr/note/1", &note(1, "live_ann", "secret"));
    assert_eq!(ann.expect("changed")["key"], "1");
    write(&app, "PUT", "/ords/hr/note/1", &note(1, "live_bob", "given"));
    assert_eq!(ann.expect("left")["key"], "1");
    // Bob has got nothing of what was Ann's.
    for events in [&mut bob, &mut filtered, &mut item] {
        assert_eq!(events.expect("entered")["document"]["text"], "given");
    }
}
