//! What becomes of events when something fails: endpoints, and servers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use duet_testkit::command::{Running, Signal, clean, wait_until};
use duet_testkit::receiver::{Received, Receiver, Reply};
use duet_testkit::sqlite::Folder;
use duet_testkit::tls::Authority;
use serde_json::json;

use super::{App, Place, send, webhook};

fn create(server: &Running, id: u32) {
    send(server, "POST", "orders/", &json!({ "id": id, "customer": "ann" }));
}

/// Waits until so many events are in a state.
fn wait_for(place: &Place, state: u32, count: i64) {
    let query = format!("SELECT count(*) FROM {} WHERE state = {state}", place.own("outbox"));
    wait_until(&format!("{count} events in state {state}"), || place.count(&query) == count);
}

/// Waits until an attempt has failed and its next one is planned.
fn wait_for_failure(place: &Place, like: &str) {
    let outbox = place.own("outbox");
    let query = format!("SELECT count(*) FROM {outbox} WHERE last_error LIKE '%{like}%'");
    wait_until(&format!("a failure: {like}"), || place.count(&query) > 0);
}

#[test]
fn a_failed_event_is_sent_again_and_later_ones_of_its_key_wait() {
    let folder = Folder::new();
    for place in Place::both(&folder, "again") {
        let receiver = Receiver::start();
        receiver.answer(|one| match one.body.contains("\"id\":7}") {
            true => Reply::Status(500, ""),
            false => Reply::Status(204, ""),
        });
        let app = App::new(&webhook("erp", &receiver, ""));
        let server = app.serve(&place);
        create(&server, 7);
        wait_for_failure(&place, "status 500");
        send(&server, "PUT", "orders/7", &json!({ "id": 7, "customer": "bob" }));
        create(&server, 8);
        // The other key is not held back.
        wait_for(&place, 1, 1);
        let received = receiver.received();
        assert_eq!(received.iter().filter(|one| one.kind() == "orders.updated").count(), 0);
        let first = received[0].clone();
        receiver.forget();
        receiver.answer(|_| Reply::Status(200, ""));
        place.all_due();
        wait_for(&place, 1, 3);
        let again = receiver.received();
        assert_eq!(again[0].kind(), "orders.created");
        assert_eq!(again[0].header("webhook-id"), first.header("webhook-id"));
        assert_eq!(again[0].body, first.body, "the same in every attempt");
        assert_eq!(again[1].kind(), "orders.updated");
    }
}

#[test]
fn redirects_hanging_and_throttling_endpoints_are_failures() {
    let folder = Folder::new();
    for place in Place::both(&folder, "kinds") {
        let (receiver, elsewhere) = (Receiver::start(), Receiver::start());
        let location: &'static str =
            Box::leak(format!("Location: {}/\r\n", elsewhere.url()).into_boxed_str());
        let app = App::new(&webhook("erp", &receiver, ""));
        let server = app.serve(&place);
        for (id, reply, why) in [
            (1, Reply::Status(302, location), "redirects are not followed"),
            (2, Reply::Hang, "no answer within 2s"),
            (3, Reply::Status(404, ""), "status 404"),
        ] {
            receiver.answer(move |_| reply.clone());
            create(&server, id);
            wait_for_failure(&place, why);
        }
        assert_eq!(elsewhere.received(), []);
        // One that asks for time gets nothing at all meanwhile.
        receiver.answer(|_| Reply::Status(429, "Retry-After: 600\r\n"));
        create(&server, 4);
        wait_for_failure(&place, "status 429");
        let endpoints = place.own("endpoints");
        let paused = format!("SELECT count(*) FROM {endpoints} WHERE paused_until > 0");
        wait_until("a pause", || place.count(&paused) == 1);
        receiver.answer(|_| Reply::Status(200, ""));
        place.all_due();
        wait_for(&place, 1, 4);
    }
}

#[test]
fn an_endpoint_that_is_gone_gets_nothing_until_it_is_enabled() {
    let folder = Folder::new();
    for place in Place::both(&folder, "gone") {
        let receiver = Receiver::start();
        receiver.answer(|_| Reply::Status(410, ""));
        let app = App::new(&webhook("erp", &receiver, ""));
        let server = app.serve(&place);
        create(&server, 1);
        let disabled = format!(
            "SELECT count(*) FROM {} WHERE disabled_at IS NOT NULL",
            place.own("endpoints")
        );
        wait_until("the endpoint is disabled", || place.count(&disabled) == 1);
        // Nothing is recorded for it.
        create(&server, 2);
        let said = app.webhook(&place, &["list"]);
        assert!(said.contains("disabled") && said.contains("410 (Gone)"), "{said}");
        receiver.forget();
        receiver.answer(|_| Reply::Status(200, ""));
        let said = app.webhook(&place, &["enable", "erp"]);
        assert!(said.contains("were not recorded"), "{said}");
        place.all_due();
        create(&server, 3);
        let keys: Vec<_> = receiver
            .wait_for(2)
            .iter()
            .map(|one| one.json()["data"]["key"]["id"].clone())
            .collect();
        assert_eq!(keys.len(), 2);
        assert!(keys.contains(&json!(1)) && keys.contains(&json!(3)), "{keys:?}");
    }
}

#[test]
fn dead_letters_are_kept_and_sent_again_on_request() {
    let folder = Folder::new();
    for place in Place::both(&folder, "dead") {
        let receiver = Receiver::start();
        let app = App::new(&webhook("erp", &receiver, "attempts = 2"));
        let server = app.serve(&place);
        // One is accepted between: it is the event, and not the endpoint.
        receiver.answer(|one| match one.body.contains("\"id\":1}") {
            true => Reply::Status(400, ""),
            false => Reply::Status(200, ""),
        });
        create(&server, 1);
        wait_for_failure(&place, "status 400");
        create(&server, 2);
        wait_for(&place, 1, 1);
        place.all_due();
        wait_for(&place, 2, 1);
        let said = app.webhook(&place, &["show", "erp", "--only", "dead"]);
        assert!(said.contains("orders.created") && said.contains("status 400"), "{said}");
        assert!(app.webhook(&place, &["list"]).contains("enabled"));
        for command in ["show", "replay"] {
            let (source, url) = (app.source(), place.url());
            let line = ["webhook", command, "erp", "--id", "msg_none", &source, "--database", &url];
            let (code, _, errors) = crate::duet(&line);
            assert!(code != 0 && errors.contains("no such event \"msg_none\""), "{errors}");
        }
        receiver.forget();
        receiver.answer(|_| Reply::Status(200, ""));
        assert!(app.webhook(&place, &["replay", "erp"]).starts_with("1 events"));
        wait_for(&place, 1, 2);
        // Delivered ones too.
        assert!(app.webhook(&place, &["replay", "erp", "--since", "1h"]).starts_with("2 events"));
        receiver.wait_for(3);
        // One that accepts nothing is disabled with its first dead letter.
        receiver.answer(|_| Reply::Status(500, ""));
        wait_for(&place, 1, 2);
        create(&server, 3);
        wait_for_failure(&place, "status 500");
        place.exec(&format!("UPDATE {} SET accepted_at = 1", place.own("endpoints")));
        place.all_due();
        wait_for(&place, 2, 1);
        let said = app.webhook(&place, &["list"]);
        assert!(said.contains("it has accepted nothing since"), "{said}");
        assert!(app.webhook(&place, &["discard", "erp"]).starts_with("Removed 1 "));
    }
}

/// The server is killed when a change is committed and its event not accepted.
#[test]
fn a_kill_between_commit_and_acceptance_loses_no_event() {
    let folder = Folder::new();
    for place in Place::both(&folder, "kill") {
        let receiver = Receiver::start();
        receiver.answer(|_| Reply::Hang);
        let app = App::new(&webhook("erp", &receiver, ""));
        let mut server = app.serve(&place);
        for id in 1..=20 {
            create(&server, id);
        }
        let sent = receiver.wait_for(1);
        server.signal(Signal::SIGKILL);
        server.wait();
        receiver.forget();
        receiver.answer(|_| Reply::Status(200, ""));
        // The claims of the killed one end by themselves.
        place.all_due();
        let _server = app.start(&place);
        wait_for(&place, 1, 20);
        let ids: Vec<String> =
            receiver.received().iter().map(|one| one.header("webhook-id").to_owned()).collect();
        assert!(ids.len() >= 20);
        assert!(ids.iter().any(|id| id == sent[0].header("webhook-id")));
    }
}

/// Servers of one database, and the instances of one, deliver each event once, those of a row in their order.
#[test]
fn servers_and_instances_share_the_events_of_a_database() {
    let folder = Folder::new();
    for (place, name) in Place::both(&folder, "shared").into_iter().zip(["file", "schema"]) {
        let receiver = Receiver::start();
        let app = App::new(&webhook("erp", &receiver, ""));
        let instances = |app: &App| {
            let (source, url) = (app.source(), place.url());
            Running::start(&["serve", &source, "--database", &url, "--instances", "3"])
        };
        let servers = [app.serve(&place), app.start(&place), instances(&app)];
        for id in 1..=60 {
            let server = &servers[id % servers.len()];
            create(server, u32::try_from(id).unwrap());
            send(server, "PUT", &format!("orders/{id}"), &json!({ "id": id, "customer": "bob" }));
        }
        wait_for(&place, 1, 120);
        let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for one in receiver.received() {
            let key = one.json()["data"]["key"]["id"].to_string();
            by_key.entry(key).or_default().push(Received::kind(&one));
        }
        assert_eq!(by_key.len(), 60, "{name}");
        for (key, kinds) in by_key {
            assert_eq!(kinds, ["orders.created", "orders.updated"], "{name} {key}");
        }
    }
}

/// An endpoint is trusted by its certificate: one of an authority that is known, for the name in its address.
#[test]
fn endpoints_are_trusted_by_their_certificates() {
    let folder = Folder::new();
    let (known, unknown) = (Authority::new(), Authority::new());
    let (pem, taken) = (folder.path().join("authority.pem"), Arc::new(AtomicUsize::new(0)));
    std::fs::write(&pem, known.pem()).unwrap();
    for place in Place::both(&folder, "tls") {
        let counted = |authority: &Authority| {
            let taken = Arc::clone(&taken);
            authority.serve(move || taken.fetch_add(1, Ordering::Relaxed).to_string())
        };
        let trusted = counted(&known);
        let declared = |name: &str, url: &str| {
            format!(
                "[[webhook]]\nname = '{name}'\nurl = '{url}/'\nsecret_file = 'secret'\nresources = ['orders']\n"
            )
        };
        let app = App::new(
            &[
                declared("trusted", &trusted),
                declared("unknown", &counted(&unknown)),
                // The certificate has no such name.
                declared("misnamed", &trusted.replace("localhost", "[::ffff:127.0.0.1]")),
            ]
            .concat(),
        );
        app.webhook(&place, &["prepare"]);
        let mut command = clean(&duet_testkit::command::duet());
        let (source, url) = (app.source(), place.url());
        command.args(["serve", &source, "--database", &url]).env("SSL_CERT_FILE", &pem);
        let server = Running::start_command(command);
        create(&server, 1);
        let outbox = place.own("outbox");
        let of = |name: &str, what: &str| {
            place.count(&format!(
                "SELECT count(*) FROM {outbox} WHERE endpoint = '{name}' AND {what}"
            ))
        };
        wait_until("it is delivered", || of("trusted", "state = 1") == 1);
        for name in ["unknown", "misnamed"] {
            wait_until(name, || of(name, "last_error LIKE '%certificate%'") == 1);
        }
    }
}

/// What was delivered is kept for a while, what was not until somebody decides.
#[test]
fn delivered_events_are_forgotten_and_dead_letters_kept() {
    let folder = Folder::new();
    for place in Place::both(&folder, "retention") {
        let receiver = Receiver::start();
        receiver.answer(|one| match one.body.contains("\"id\":1}") {
            true => Reply::Status(400, ""),
            false => Reply::Status(200, ""),
        });
        let app = App::new(&webhook("erp", &receiver, "attempts = 1"));
        let server = app.serve(&place);
        create(&server, 2);
        wait_for(&place, 1, 1);
        create(&server, 1);
        wait_for(&place, 2, 1);
        drop(server);
        assert_eq!(place.count(&format!("SELECT count(*) FROM {}", place.own("outbox"))), 2);
        let (source, url) = (app.source(), place.url());
        let limit = ["serve", &source, "--database", &url, "--webhook-retention", "0s"];
        let _server = Running::start(&limit);
        wait_for(&place, 1, 0);
        assert!(app.webhook(&place, &["show", "erp", "--only", "dead"]).contains("status 400"));
    }
}

/// Its name leads to an address that is not public.
#[test]
fn events_do_not_reach_this_machine_unless_it_is_allowed() {
    let folder = Folder::new();
    for place in Place::both(&folder, "reach") {
        let receiver = Receiver::start();
        let declared = webhook("erp", &receiver, "").replace("127.0.0.1", "localhost");
        let app = App::new(&declared);
        let text = std::fs::read_to_string(app.path().join("app.toml")).unwrap();
        app.write("app.toml", &text.replace("webhook_networks = ['127.0.0.0/8']\n", ""));
        let server = app.serve(&place);
        create(&server, 1);
        wait_for_failure(&place, "is not public");
        assert_eq!(receiver.received(), []);
    }
}

/// An endpoint that nobody looks after does not fill the disk.
#[test]
fn too_many_events_disable_an_endpoint() {
    let folder = Folder::new();
    for place in Place::both(&folder, "many") {
        let receiver = Receiver::start();
        let app = App::new(&webhook("erp", &receiver, ""));
        app.webhook(&place, &["prepare"]);
        place.exec("INSERT INTO orders VALUES (1, 'ann'), (2, 'ann'), (3, 'ann'), (4, 'ann')");
        let (source, url) = (app.source(), place.url());
        let limit = ["serve", &source, "--database", &url, "--webhook-events", "3"];
        let server = Running::start(&limit);
        let endpoints = place.own("endpoints");
        let disabled = format!("SELECT count(*) FROM {endpoints} WHERE disabled_at IS NOT NULL");
        wait_until("the endpoint is disabled", || place.count(&disabled) == 1);
        create(&server, 5);
        let outbox = place.own("outbox");
        assert_eq!(place.count(&format!("SELECT count(*) FROM {outbox}")), 4);
        assert_eq!(receiver.received(), []);
        let said = app.webhook(&place, &["list"]);
        assert!(said.contains("more than 3 events wait"), "{said}");
    }
}
