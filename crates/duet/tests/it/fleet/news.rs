//! What is changed through one server, or told by the database, is known to all, without a poll.

use duet_testkit::pgbouncer::{Mode, Pgbouncer};
use duet_testkit::postgres::{Options, Server};

use super::{Fleet, OPERATOR, add_client, bearer, remove_client};
use crate::duet_says;
use duet_testkit::command::wait_until;
use duet_testkit::http;

/// So long that no test meets a poll of the schema.
const NEVER: [&str; 2] = ["--schema-poll", "1h"];

/// Ends all connections of the servers.
const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
fn clients_are_known_and_forgotten_everywhere() {
    let database = Server::shared().database("fleet_clients");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    let fleet = Fleet::start(&database, 3, &NEVER);
    fleet.wait_for_listening();
    let added = add_client(&fleet.url, "reader", &["duet.read"]);
    for server in &fleet.servers {
        wait_until("the client gets a token", || bearer(server, &added).is_some());
    }
    let bearers = fleet.servers.iter().map(|server| bearer(server, &added).unwrap_or_default());
    let bearers: Vec<String> = bearers.collect();
    remove_client(&fleet.url, "reader");
    for (server, bearer) in fleet.servers.iter().zip(&bearers) {
        let item = format!("{}/api/public/item/", server.url());
        wait_until("its tokens are refused", || {
            http::get(&item, &[("Authorization", bearer)]).status == 401
        });
    }
}

#[test]
fn the_schema_is_known_everywhere() {
    let database = Server::shared().database("fleet_schema");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    let fleet = Fleet::start(&database, 3, &NEVER);
    fleet.wait_for_listening();
    // One server looks on request, and announces it to the others.
    database.exec("CREATE TABLE second (id integer PRIMARY KEY)");
    let first = &fleet.servers[0];
    let token = bearer(first, &fleet.operator).unwrap_or_default();
    let reload = format!("{}/admin/reload", first.url());
    let reloaded = http::request("POST", &reload, &[("Authorization", &token)], b"");
    assert_eq!(reloaded.status, 200, "{}", reloaded.text());
    fleet.wait_for("/api/public/second/", 200);
    // With event triggers, all learn what any program changes, but not what is its session's own.
    duet_says(&["service", "prepare", "--database", &fleet.url, "--announce-schema"]);
    duet_says(&["service", "prepare", "--database", &fleet.url, "--announce-schema"]);
    database.exec("CREATE TABLE third (id integer PRIMARY KEY)");
    fleet.wait_for("/api/public/third/", 200);
    let before = fleet.looks();
    database.exec("CREATE TEMP TABLE own (id integer); DROP TABLE own;");
    database.exec("DROP TABLE third");
    fleet.wait_for("/api/public/third/", 404);
    // Each of the news leads to a look, and each server announces once at most what it finds.
    let looks = fleet.looks().iter().zip(before).map(|(now, before)| now - before).max();
    assert!(looks <= Some(5), "{looks:?} looks");
}

/// News that were lost with a connection are made good when there is another one.
#[test]
fn what_was_not_heard_is_looked_at() {
    let database = Server::shared().database("fleet_lost");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    let fleet = Fleet::start(&database, 2, &NEVER);
    fleet.wait_for_listening();
    let reader = add_client(&fleet.url, "reader", &["duet.read"]);
    for server in &fleet.servers {
        wait_until("the client gets a token", || bearer(server, &reader).is_some());
    }
    // These are not announced.
    database.exec("CREATE TABLE second (id integer PRIMARY KEY)");
    database.query(CUT);
    fleet.wait_for("/api/public/second/", 200);
    fleet.wait_for_listening();
}

/// What could not be read when it was announced is read later, however rare the looks are.
#[test]
fn what_could_not_be_read_is_read_again() {
    let database = Server::shared().database("fleet_unread");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    // The start has the same limit, on a busy machine too.
    let arguments = [&NEVER[..], &["--schema-timeout", "3s"]].concat();
    let fleet = Fleet::start(&database, 1, &arguments);
    fleet.wait_for_listening();
    let mut holder = database.session();
    // A catalog that only a reload reads.
    holder.query("BEGIN; LOCK TABLE pg_catalog.pg_ts_config IN ACCESS EXCLUSIVE MODE");
    database.exec("CREATE TABLE second (id integer PRIMARY KEY)");
    database.query("SELECT pg_notify('duet', 'schema')");
    fleet.servers[0].wait_for_output("DUET-6003");
    holder.query("COMMIT");
    fleet.wait_for("/api/public/second/", 200);
}

/// What an idle server sends is the two statements of its looks, by two connections.
#[test]
fn an_idle_server_looks_and_does_nothing_else() {
    const LOOKS: [&str; 2] = ["pg_current_snapshot()", "FROM duet.state"];
    let options = Options::new().setting("log_statement", "all").setting("autovacuum", "off");
    let server = Server::start_with(options);
    let database = server.database("fleet_idle");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    for servers in [1, 3] {
        let fleet = match servers {
            1 => Fleet::start(&database, 1, &["--schema-poll", "50ms"]),
            _ => {
                let operator = add_client(&database.url(), "second", &OPERATOR);
                let poll = ["--schema-poll", "50ms"];
                Fleet::with_clients(&database.url(), operator, servers, &poll)
            }
        };
        fleet.wait_for_listening();
        let count = "SELECT count(*) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        // Those of the servers before have to end.
        let all = (servers * 2).to_string();
        wait_until("each has two connections", || database.query(count) == all);
        let (log, before) = (server.log().len(), fleet.looks());
        wait_until("each has looked again and again", || {
            fleet.looks().iter().zip(&before).all(|(now, before)| now - before >= 10)
        });
        // Further lines of a statement begin with a tab.
        let log = server.log()[log..].replace("\n\t", " ");
        let sent = |line: &&str| line.contains("statement: ") || line.contains("execute ");
        let is_look = |line: &&str| LOOKS.iter().any(|look| line.contains(look));
        let others: Vec<&str> = log
            .lines()
            .filter(sent)
            .filter(|line| !is_look(line) && !line.contains(count))
            .collect();
        assert_eq!(others.len(), 0, "{others:#?}");
    }
}

/// A pooler lends its connections to others, so no server listens there: changes are looked for.
#[test]
fn behind_a_pooler_nobody_listens() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let database = server.database("fleet_pooled");
    database.exec("CREATE TABLE item (id integer PRIMARY KEY)");
    let operator = add_client(&database.url(), "operator", &OPERATOR);
    let pooler = Pgbouncer::start(&server, Mode::Session);
    let url = pooler.url("fleet_pooled");
    let fleet = Fleet::with_clients(&url, operator, 2, &["--schema-poll", "50ms"]);
    database.exec("CREATE TABLE second (id integer PRIMARY KEY)");
    fleet.wait_for("/api/public/second/", 200);
    let added = add_client(&database.url(), "reader", &["duet.read"]);
    for server in &fleet.servers {
        wait_until("the client gets a token", || bearer(server, &added).is_some());
        let status = fleet.status(server);
        assert_eq!(status["listening"], false);
        assert_eq!(status["clients"]["listening"], false);
        let metrics = fleet.get(server, "/metrics");
        for name in ["duet_schema_listening", "duet_clients_listening"] {
            let line = format!("{name}{{application=\"");
            let found = metrics.text().lines().find(|it| it.starts_with(&line)).map(str::to_owned);
            assert!(found.as_ref().is_some_and(|line| line.ends_with(" 0")), "{found:?}");
        }
    }
    assert!(!server.log().contains("LISTEN"));
}
