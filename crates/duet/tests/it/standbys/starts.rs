//! What `--read-database` refuses at the start, and what it opens.

use duet_testkit::command::{Running, wait_until};
use duet_testkit::pgbouncer::{Mode, Pgbouncer};

use super::{Client, Cluster, is_up, node};
use crate::duet;

/// What the program says where it does not start.
fn refusal(arguments: &[&str]) -> String {
    let (code, _, errors) = duet(arguments);
    assert_ne!(code, 0, "{arguments:?}");
    errors
}

#[test]
fn servers_that_are_no_standbys_of_the_database_are_refused() {
    let cluster = Cluster::start(1);
    let (url, standby) = (cluster.url(), cluster.read_urls());
    let refused = |read: &str| refusal(&["serve", &url, "--read-database", read]);
    assert!(refused(&url).contains("is a primary"), "{}", refused(&url));
    let template = cluster.standbys[0].url("postgres");
    assert!(refused(&format!("{standby},{template}")).contains("names the database \"postgres\""));
    let several = refused("host=a,b dbname=shop");
    assert!(several.contains("names several hosts"), "{several}");
    let alone = refusal(&["serve", &standby, "--read-database", &standby]);
    assert!(alone.contains("this server is a standby"), "{alone}");
    let processes = refusal(&["serve", &url, "--read-database", &standby, "--instances", "2"]);
    assert!(processes.contains("read_position") && processes.contains("`header`"), "{processes}");
}

/// A pooler gives each question to a server of its choice: how new that is would not be known.
#[test]
fn a_pooler_before_a_standby_is_refused() {
    let cluster = Cluster::start(1);
    let pooler = Pgbouncer::start(&cluster.standbys[0], Mode::Session);
    let said = refusal(&["serve", &cluster.url(), "--read-database", &pooler.url("shop")]);
    assert!(
        said.contains("DUET-5001") && said.contains("A pooler is in front of the server"),
        "{said}"
    );
    assert!(said.contains("Name the standby itself."), "{said}");
    // The same standby by its own name is taken.
    drop(cluster.serve(&[]));
}

/// Whoever may read the tables reads them from a standby: no right of a monitor is needed for that.
#[test]
fn an_unprivileged_user_reads_from_a_standby() {
    let cluster = Cluster::start(1);
    cluster
        .primary
        .existing("shop")
        .exec("CREATE ROLE clerk LOGIN; GRANT SELECT, UPDATE ON item TO clerk");
    let of_clerk = |url: &str| url.replace("user=postgres", "user=clerk");
    let [url, standby] = [cluster.url(), cluster.read_urls()].map(|url| of_clerk(&url));
    assert!(url.contains("user=clerk") && standby.contains("user=clerk"), "{url} {standby}");
    let server = Running::start(&[
        "serve",
        &url,
        "--read-database",
        &standby,
        "--server-timing",
        "--open",
        "read",
    ]);
    wait_until("reads go to the standby", || is_up(&server, 0));
    let client = Client::of(&server);
    let answer = client.get("/api/public/item/1");
    assert_eq!((answer.status, node(&answer).starts_with("standby-")), (200, true), "{answer:?}");
    // What the user may not read is refused there as at the primary, by name and without the user's.
    cluster.primary.existing("shop").exec("REVOKE SELECT ON item FROM clerk");
    wait_until("the right is gone at the standby", || {
        client.get("/api/public/item/1").status != 200
    });
    let refused = client.get("/api/public/item/1");
    assert_eq!(refused.json()["errors"][0]["code"], "DUET-6006", "{}", refused.text());
    assert!(!refused.text().contains("clerk"), "{}", refused.text());
}

#[test]
fn a_file_has_no_standbys() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("shop.sqlite").display().to_string();
    crate::duet_says(&["load", "car-racing", "--database", &file]);
    let said = refusal(&["serve", &file, "--read-database", "postgres://b/shop"]);
    assert!(said.contains("DUET-5001") && said.contains("a SQLite file has none"), "{said}");
}

#[test]
fn an_application_names_its_standbys() {
    let cluster = Cluster::start(1);
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!(
        "name = \"shop\"\nmount = \"/shop\"\ndatabase = {:?}\n[settings]\nread_database = [{:?}]\n",
        cluster.url(),
        cluster.read_urls()
    );
    std::fs::write(folder.path().join("app.toml"), file).expect("a file");
    let path = folder.path().display().to_string();
    let server = Running::start(&["serve", &path, "--server-timing"]);
    wait_until("reads go to it", || is_up(&server, 0));
    let client = Client::of(&server);
    assert!(client.metric("duet_replica_beats_total") > 0.0);
}

#[test]
fn each_standby_costs_two_connections_and_a_statement_a_beat() {
    for standbys in [1, 2] {
        let cluster = Cluster::start(standbys);
        let _server = cluster.serve(&[]);
        let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'duet'";
        let opened = |database: duet_testkit::postgres::Database| database.query(count);
        // One for the schema, one for clients.
        assert_eq!(opened(cluster.primary.existing("shop")), "3");
        for place in 0..standbys {
            assert_eq!(opened(cluster.standby(place)), "2");
        }
    }
}
