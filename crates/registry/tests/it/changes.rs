//! What others commit to a PostgreSQL database arrives as commit events: by the change stream, or by the
//! change table.

use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

use duet_client::connect::Settings;
use duet_model::commit::{Cause, CommitConsumer, CommitEvent, Extent, RowChange};
use duet_model::{Relation, Value};
use duet_store::{Capture, CaptureReport, Limits, Means, SharedStore};
use duet_testkit::citus::{self, SpreadTable};
use duet_testkit::postgres::{Database, Options, Server};

/// How long something is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server whose log can be decoded.
fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start_with(Options::new().setting("wal_level", "logical")))
}

/// Events as texts: `driver 1>2`, `driver any`, `everything`.
#[derive(Default)]
struct Recorder {
    seen: Mutex<Vec<String>>,
    arrived: Condvar,
}

impl CommitConsumer for Recorder {
    fn committed(&self, event: &CommitEvent<'_>) {
        if event.cause != Cause::Foreign {
            return;
        }
        let mut seen = self.seen.lock().unwrap();
        if event.everything {
            seen.push("everything".to_owned());
        }
        for change in event.relations {
            let extent = match (&change.extent, change.relation.table()) {
                (Extent::Rows(rows), Some(table)) => {
                    rows.iter().map(|row| told(table, row)).collect::<Vec<_>>().join(" ")
                }
                _ => "any".to_owned(),
            };
            seen.push(format!("{} {extent}", change.relation.name()));
        }
        self.arrived.notify_all();
    }
}

/// The linking values before and after.
fn told(table: &Relation, row: &RowChange) -> String {
    let image = |image: &Option<Vec<(usize, Value)>>| {
        let value = |(at, value): &(usize, Value)| {
            let text = if value.is_null() { "-".to_owned() } else { value.to_string() };
            format!("{}={text}", table.columns[*at].name)
        };
        image.iter().flatten().map(value).collect::<Vec<_>>().join(",")
    };
    format!("{}>{}", image(&row.before), image(&row.after))
}

/// A database, and a store that captures what is committed to it.
struct Captured {
    database: Database,
    store: SharedStore,
    recorder: Arc<Recorder>,
    runtime: tokio::runtime::Runtime,
}

impl Captured {
    fn new(name: &str, schema: &str) -> Self {
        Self::on(server(), name, schema, Capture::Stream)
    }

    /// By the change table, on a server without a logical log.
    fn by_table(name: &str, schema: &str) -> Self {
        Self::on(Server::shared(), name, schema, Capture::Auto)
    }

    fn on(server: &Server, name: &str, schema: &str, capture: Capture) -> Self {
        let database = server.database(name);
        database.exec(schema);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let store = runtime.block_on(async {
            duet_postgres::prepare_changes(&settings, capture).await.unwrap();
            duet_postgres::Database::open(settings, Limits { capture, ..Limits::default() })
                .await
                .unwrap()
        });
        let captured = Self { database, store: Arc::new(store), recorder: Arc::default(), runtime };
        captured.store.commits().subscribe(Arc::clone(&captured.recorder) as _);
        captured.describe();
        captured.runtime.block_on(captured.store.watch_commits(true)).unwrap();
        captured
    }

    /// Names rows by the tables as they are now.
    fn describe(&self) {
        let catalog = self.runtime.block_on(self.store.introspect()).unwrap();
        self.store.describe_changes(&Arc::new(catalog));
    }

    fn report(&self) -> CaptureReport {
        self.store.freshness().unwrap().report()
    }

    /// What arrives because of this change, up to an event that ends with `last`.
    #[track_caller]
    fn change(&self, sql: &str, last: &str) -> Vec<String> {
        self.caught_up();
        self.recorder.seen.lock().unwrap().clear();
        self.database.exec(sql);
        let seen = self.recorder.seen.lock().unwrap();
        let missing = |seen: &mut Vec<String>| !seen.iter().any(|event| event == last);
        let (seen, timeout) =
            self.recorder.arrived.wait_timeout_while(seen, PATIENCE, missing).unwrap();
        assert!(!timeout.timed_out(), "{sql}: {seen:?}, {:?}", self.report());
        seen.clone()
    }

    /// The same, and nothing else arrives.
    #[track_caller]
    fn only(&self, sql: &str, expected: &str) {
        assert_eq!(self.change(sql, expected), [expected], "{sql}");
    }

    /// Returns once everything is known that was committed before now.
    fn caught_up(&self) {
        let begun = Instant::now();
        let freshness = self.store.freshness().unwrap();
        // The moment as of which all is known, against the moment now.
        while freshness.lag(begun).is_none_or(|lag| lag > Duration::ZERO) {
            assert!(begun.elapsed() < PATIENCE, "{:?}", self.report());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn covers(&self, table: &str) -> bool {
        let coverage = self.store.freshness().unwrap().coverage();
        coverage.tables.contains(&("public".to_owned(), table.to_owned()))
    }
}

const TEAMS: &str = "
CREATE TABLE team (id integer PRIMARY KEY, name text);
CREATE TABLE driver (id integer PRIMARY KEY, team_id integer REFERENCES team, note text);
INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO driver VALUES (11, 1, NULL), (21, 2, NULL);";

#[test]
fn rows_that_others_change_are_named() {
    let captured = Captured::new("changes_rows", TEAMS);
    assert_eq!(captured.report().means, Some(Means::Stream), "{:?}", captured.report());
    assert!(captured.covers("driver") && captured.store.freshness().unwrap().coverage().complete);
    captured.only("INSERT INTO driver VALUES (12, 1)", "driver >id=12,team_id=1");
    // The team that it had is not known: the log has the key alone.
    captured.only("UPDATE driver SET team_id = 2 WHERE id = 12", "driver id=12>id=12,team_id=2");
    captured.only("UPDATE driver SET id = 13 WHERE id = 12", "driver id=12>id=13,team_id=2");
    captured.only("DELETE FROM driver WHERE id = 13", "driver id=13>");
    // A truncated table is another file, which the look at the catalog may notice first.
    let seen = captured.change("TRUNCATE driver", "driver any");
    let [before @ .., last] = &seen[..] else { panic!("{seen:?}") };
    assert!(last == "driver any" && before.iter().all(|one| one == "everything"), "{seen:?}");
    let many = "INSERT INTO driver SELECT n, 1 FROM generate_series(1000, 1600) AS n";
    captured.only(many, "driver any");
    // A transaction is one event with each row once, and one that was rolled back is none.
    let seen = captured.change(
        "BEGIN; INSERT INTO team VALUES (9); ROLLBACK;
         BEGIN; INSERT INTO team VALUES (3); UPDATE team SET name = 'x' WHERE id = 3;
         DELETE FROM driver; COMMIT;",
        "driver any",
    );
    assert_eq!(seen, ["team >id=3", "driver any"]);
    // Values beyond what a row holds in place are not repeated by an update that leaves them.
    let long = "UPDATE team SET name = (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 999) AS n) WHERE id = 3";
    captured.only(long, "team id=3>id=3");
    captured.only("UPDATE team SET id = 4 WHERE id = 3", "team id=3>id=4");
    assert!(captured.report().transactions >= 8);
}

#[test]
fn the_whole_old_row_is_known_where_the_server_logs_it() {
    let full = "ALTER TABLE driver REPLICA IDENTITY FULL;";
    let captured = Captured::new("changes_full", &format!("{TEAMS}{full}"));
    let moved = "driver id=11,team_id=1>id=11,team_id=2";
    captured.only("UPDATE driver SET team_id = 2 WHERE id = 11", moved);
    captured.only("DELETE FROM driver WHERE id = 11", "driver id=11,team_id=2>");
}

#[test]
fn rows_of_partitions_are_those_of_the_table() {
    let captured = Captured::new(
        "changes_parts",
        "CREATE TABLE part (id integer PRIMARY KEY, n integer) PARTITION BY RANGE (id);
         CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
         CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20);",
    );
    assert!(captured.covers("part") && captured.covers("part_1"));
    let seen = captured.change("INSERT INTO part VALUES (1, 1)", "part >id=1");
    // Partitions are not served, so their rows are not named.
    assert_eq!(seen, ["part_1 any", "part >id=1"]);
    let seen = captured.change("UPDATE part SET id = 11 WHERE id = 1", "part id=1> >id=11");
    assert_eq!(seen, ["part_1 any", "part id=1> >id=11", "part_2 any"]);
    let seen = captured.change("TRUNCATE part_2", "part any");
    assert_eq!(seen, ["part_2 any", "part any"]);
    // A partition that is attached brings rows without a change of any row.
    captured.change(
        "CREATE TABLE part_3 (id integer PRIMARY KEY, n integer); INSERT INTO part_3 VALUES (25, 1);
         ALTER TABLE part ATTACH PARTITION part_3 FOR VALUES FROM (20) TO (30);",
        "everything",
    );
}

#[test]
fn tables_that_are_not_published_are_not_covered() {
    let captured = Captured::new(
        "changes_coverage",
        &format!(
            "{TEAMS} CREATE TABLE loose (n integer); CREATE UNLOGGED TABLE fast (id integer PRIMARY KEY);"
        ),
    );
    assert!(captured.covers("team") && !captured.covers("loose") && !captured.covers("fast"));
    assert!(!captured.store.freshness().unwrap().coverage().complete);
    // The server does not refuse to update what has no key.
    captured.database.exec("INSERT INTO loose VALUES (1); UPDATE loose SET n = 2;");
    captured.change("ALTER PUBLICATION duet_rowstore DROP TABLE driver", "everything");
    assert!(!captured.covers("driver") && captured.covers("team"));
    // What was published later is covered once the transactions have ended that began before.
    captured.change("ALTER PUBLICATION duet_rowstore ADD TABLE driver", "everything");
    let begun = Instant::now();
    while !captured.covers("driver") {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(1));
    }
    captured.only("DELETE FROM driver WHERE id = 11", "driver id=11>");
}

/// Citus has a table of those that it distributes: their rows change on other machines.
#[test]
fn tables_that_are_distributed_are_not_covered() {
    let schema = format!(
        "CREATE TABLE here (id integer PRIMARY KEY);
         CREATE TABLE spread (id integer PRIMARY KEY); {}",
        citus::catalog(&[SpreadTable::distributed("spread", "id", 1)])
    );
    for captured in [
        Captured::new("capture_distributed", &schema),
        Captured::by_table("capture_distributed_table", &schema),
    ] {
        let coverage = captured.store.freshness().unwrap().coverage();
        let covers = |name: &str| coverage.tables.contains(&("public".into(), name.into()));
        assert!(covers("here") && !covers("spread"), "{coverage:?}");
        assert!(coverage.distributed && !coverage.complete);
    }
}

/// What is left out is named with the reason, by both means, and nothing is made on it.
#[test]
fn tables_that_are_distributed_are_left_out_by_name() {
    for (name, server, means) in [
        ("prepare_distributed", server(), Capture::Stream),
        ("prepare_distributed_table", Server::shared(), Capture::Table),
    ] {
        let database = server.database(name);
        database.exec(
            "CREATE TABLE here (id integer PRIMARY KEY); CREATE TABLE spread (id integer PRIMARY KEY);
             CREATE TABLE \"all\" (id integer PRIMARY KEY)",
        );
        database.exec(&citus::catalog(&[
            SpreadTable::distributed("spread", "id", 1),
            SpreadTable::reference("\"all\""),
        ]));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let prepared = runtime.block_on(duet_postgres::prepare_changes(&settings, means)).unwrap();
        assert_eq!(prepared.tables, 1, "{prepared:?}");
        let [note] = &prepared.notes[..] else { panic!("{prepared:?}") };
        assert!(
            note.contains("Citus keeps the rows") && note.contains("rowstore_max_age"),
            "{note}"
        );
        assert!(note.ends_with("\"public\".\"all\", \"public\".\"spread\""), "{note}");
    }
}

/// However a table is altered, documents may be others.
#[test]
fn alterations_drop_everything() {
    let captured = Captured::new("changes_ddl", TEAMS);
    for alteration in [
        "ALTER TABLE team ADD COLUMN points integer DEFAULT 7",
        "ALTER TABLE team RENAME COLUMN points TO score",
        "ALTER TABLE team ALTER COLUMN score TYPE bigint USING score + 1",
        "ALTER TABLE team DROP COLUMN score",
        "ALTER TABLE driver RENAME TO pilot",
        "ALTER TABLE pilot RENAME TO driver",
    ] {
        captured.change(alteration, "everything");
    }
    // Rows are named by the columns that there are.
    captured.describe();
    captured.change("DELETE FROM driver WHERE id = 11", "driver id=11>");
}

#[test]
fn a_stream_that_is_cut_begins_anew_with_nothing_in_memory() {
    let captured = Captured::new("changes_cut", TEAMS);
    for backend in ["backend_type = 'walsender'", "application_name = 'duet'"] {
        let cut = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid() AND {backend};"
        );
        captured.change(&cut, "everything");
        captured.only("UPDATE team SET name = 'x' WHERE id = 1", "team id=1>id=1");
    }
    let report = captured.report();
    assert_eq!((report.connects, report.interruptions), (3, 2), "{report:?}");
    // The slots went with their connections.
    let slots = "SELECT count(*) FROM pg_replication_slots WHERE database = 'changes_cut'";
    assert_eq!(captured.database.query(slots), "1");
    captured.runtime.block_on(captured.store.watch_commits(false)).unwrap();
    let begun = Instant::now();
    while captured.database.query(slots) != "0" {
        assert!(begun.elapsed() < PATIENCE);
    }
    assert_eq!(captured.report().means, None);
}

#[test]
fn while_the_server_is_down_the_lag_grows() {
    let server = Server::start_with(Options::new().setting("wal_level", "logical"));
    let captured = Captured::on(&server, "changes_down", TEAMS, Capture::Auto);
    captured.caught_up();
    server.kill();
    let begun = Instant::now();
    while captured.report().interruptions == 0 {
        assert!(begun.elapsed() < PATIENCE);
    }
    let lag = || captured.store.freshness().unwrap().lag(Instant::now()).unwrap();
    let (before, now) = (lag(), lag());
    assert!(now >= before && captured.report().reason.is_some());
    server.restart();
    captured.caught_up();
    captured.only("UPDATE team SET name = 'x' WHERE id = 1", "team id=1>id=1");
}

/// A commit is in the log before readers can see it, here because it waits for a standby that does not
/// exist. Delivered at once, it would have an item read and kept as it was before.
#[test]
fn changes_are_delivered_when_readers_can_see_them() {
    let server = Server::start_with(Options::new().setting("wal_level", "logical"));
    let captured = Captured::on(&server, "changes_visible", TEAMS, Capture::Stream);
    captured.caught_up();
    let database = &captured.database;
    let seen = || captured.recorder.seen.lock().unwrap().clone();
    captured.recorder.seen.lock().unwrap().clear();
    let name = || database.query("SELECT name FROM team WHERE id = 1");
    let set = |standby: &str| {
        let change = format!("ALTER SYSTEM SET synchronous_standby_names = '{standby}'");
        database.exec(&change);
        database.exec("SELECT pg_reload_conf()");
        let begun = Instant::now();
        while database.query("SHOW synchronous_standby_names") != standby {
            assert!(begun.elapsed() < PATIENCE);
        }
    };
    set("nobody");
    std::thread::scope(|scope| {
        let change = "SET synchronous_commit = on; UPDATE team SET name = 'x' WHERE id = 1";
        let writing = scope.spawn(|| database.exec(change));
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let begun = Instant::now();
        while database.query(waiting) != "1" {
            assert!(begun.elapsed() < PATIENCE);
        }
        // The stream has passed the commit, which is none for readers yet.
        captured.caught_up();
        assert_eq!((name(), seen()), ("Red".to_owned(), Vec::new()));
        set("");
        writing.join().unwrap();
    });
    captured.caught_up();
    assert_eq!((name(), seen()), ("x".to_owned(), vec!["team id=1>id=1".to_owned()]));
}

/// The reason says what to do.
#[test]
fn without_a_log_or_a_right_or_a_publication_nothing_is_captured() {
    let captured = Captured::on(Server::shared(), "changes_plain", TEAMS, Capture::Stream);
    let reason = captured.report().reason.unwrap();
    assert!(reason.contains("set `wal_level = logical`"), "{reason}");
    let server = server();
    server.existing("postgres").exec(
        "DO $$ BEGIN CREATE ROLE changes_reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;",
    );
    let database = server.database("changes_rights");
    database.exec(TEAMS);
    let open = |user: &str, capture| {
        let url = database.url().replace("user=postgres", &format!("user={user}"));
        let settings = Settings::from_url(&url, &|_| None).unwrap();
        captured.runtime.block_on(async {
            let limits = Limits { capture, ..Limits::default() };
            let store = duet_postgres::Database::open(settings, limits).await.unwrap();
            let store: SharedStore = Arc::new(store);
            store.watch_commits(true).await.unwrap();
            store.freshness().unwrap().report().reason.unwrap()
        })
    };
    let reason = open("postgres", Capture::Auto);
    assert!(reason.contains("does not exist: run `duet rowstore prepare`"), "{reason}");
    assert!(reason.contains("There is no change table"), "{reason}");
    let reason = open("changes_reader", Capture::Stream);
    assert!(reason.contains("ALTER ROLE"), "{reason}");
    assert!(open("postgres", Capture::Off).contains("`rowstore_capture` is `off`"));
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    let prepare = duet_postgres::prepare_changes(&settings, Capture::Table);
    assert!(captured.runtime.block_on(prepare).unwrap().is_new);
    let reason = open("changes_reader", Capture::Table);
    assert!(
        reason.contains("There is no change table `duet.change` that the user may read"),
        "{reason}"
    );
    database.exec("GRANT USAGE ON SCHEMA duet TO changes_reader");
    let reason = open("changes_reader", Capture::Table);
    assert!(reason.contains("grant it SELECT"), "{reason}");
}

#[test]
fn the_change_table_names_rows() {
    let captured = Captured::by_table("changes_table", TEAMS);
    assert_eq!(captured.report().means, Some(Means::Table), "{:?}", captured.report());
    assert!(captured.covers("driver") && captured.store.freshness().unwrap().coverage().complete);
    captured.only("INSERT INTO driver VALUES (12, 1)", "driver >id=12,team_id=1");
    let moved = "driver id=12,team_id=1>id=12,team_id=2";
    captured.only("UPDATE driver SET team_id = 2 WHERE id = 12", moved);
    captured.only(
        "UPDATE driver SET id = 13 WHERE id = 12",
        "driver id=12,team_id=2> >id=13,team_id=2",
    );
    captured.only("DELETE FROM driver WHERE id = 13", "driver id=13,team_id=2>");
    captured.only(
        "UPDATE driver SET team_id = NULL WHERE id = 11",
        "driver id=11,team_id=1>id=11,team_id=-",
    );
    // It also changes the catalog, which the same look may see.
    assert_eq!(captured.change("TRUNCATE driver", "driver any")[0], "driver any");
    let many = "INSERT INTO driver SELECT n, 1 FROM generate_series(1000, 1600) AS n";
    captured.only(many, "driver any");
    let copy = "COPY team (id) FROM stdin;\n77\n\\.\n";
    captured.only(copy, "team >id=77");
    // A statement without rows, and a transaction that was rolled back, are nothing.
    captured.only(
        "UPDATE team SET name = '' WHERE id = 0; BEGIN; INSERT INTO team VALUES (9); ROLLBACK;
         INSERT INTO team VALUES (8)",
        "team >id=8",
    );
    // Neither is a table that was made later captured, nor one whose trigger was switched off.
    captured.database.exec("CREATE TABLE late (id integer PRIMARY KEY)");
    captured.change("ALTER TABLE team DISABLE TRIGGER duet_capture_update", "everything");
    captured.caught_up();
    assert!(!captured.covers("late") && !captured.covers("team") && captured.covers("driver"));
}

/// Rows of transactions that end in any order are read once each, whatever else is still open.
#[test]
fn an_open_transaction_delays_no_other() {
    let captured = Captured::by_table("changes_open", TEAMS);
    captured.runtime.block_on(async {
        let settings = Settings::from_url(&captured.database.url(), &|_| None).unwrap();
        let (open, running) = settings.connector().unwrap().connect().await.unwrap();
        tokio::spawn(running);
        open.batch_execute("BEGIN; INSERT INTO team VALUES (50)").await.unwrap();
        captured.only("INSERT INTO team VALUES (51)", "team >id=51");
        captured.only("INSERT INTO team VALUES (52)", "team >id=52");
        captured.recorder.seen.lock().unwrap().clear();
        open.batch_execute("COMMIT").await.unwrap();
    });
    captured.caught_up();
    assert_eq!(*captured.recorder.seen.lock().unwrap(), ["team >id=50"]);
}

#[test]
fn the_change_table_sees_partitions_heirs_and_replicated_rows() {
    let captured = Captured::by_table(
        "changes_table_parts",
        "CREATE TABLE part (id integer PRIMARY KEY, n integer) PARTITION BY RANGE (id);
         CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
         CREATE TABLE parent (id integer PRIMARY KEY);
         CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (parent);",
    );
    assert!(captured.covers("part") && captured.covers("heir"));
    captured.only("INSERT INTO part VALUES (1, 1)", "part >id=1");
    let seen = captured.change("INSERT INTO part_1 VALUES (2, 1)", "part >id=2");
    assert_eq!(seen, ["part_1 any", "part >id=2"]);
    let seen = captured.change("INSERT INTO heir VALUES (5)", "parent >id=5");
    assert_eq!(seen, ["heir >id=5", "parent >id=5"]);
    let seen = captured.change("DELETE FROM parent", "heir any");
    assert_eq!(seen, ["parent id=5>", "heir any"]);
    let replica = "SET session_replication_role = replica; INSERT INTO part VALUES (3, 1)";
    captured.only(replica, "part >id=3");
}

/// Its rows go once every reader has had the time to see them, by the writes that bring new ones.
#[test]
fn old_changes_are_forgotten() {
    let captured = Captured::by_table("changes_old", TEAMS);
    let database = &captured.database;
    database.exec("INSERT INTO team VALUES (60); SELECT duet.forget_changes();");
    let left = || database.query("SELECT count(*) FROM duet.change");
    database.exec("SELECT duet.forget_changes();");
    assert_eq!(left(), "1", "it is young");
    let later = "UPDATE duet.change_mark SET at = at - interval '16 seconds'; SELECT duet.forget_changes();";
    // Transactions of other tests on the same server may have begun before it.
    let begun = Instant::now();
    while left() != "0" {
        assert!(begun.elapsed() < PATIENCE);
        database.exec(later);
    }
    // What began before is kept.
    captured.runtime.block_on(async {
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let (open, running) = settings.connector().unwrap().connect().await.unwrap();
        tokio::spawn(running);
        open.batch_execute("BEGIN; INSERT INTO team VALUES (61)").await.unwrap();
        database.exec(&later.repeat(3));
        open.batch_execute("COMMIT").await.unwrap();
    });
    database.exec("SELECT duet.forget_changes();");
    assert_eq!(left(), "1");
}

/// Preparing is repeated after tables were made, and undone.
#[test]
fn preparing_is_safe_to_repeat_and_can_be_undone() {
    let loose = "CREATE TABLE loose (n integer);";
    let captured =
        Captured::on(server(), "changes_prepare", &format!("{TEAMS}{loose}"), Capture::Off);
    let settings = Settings::from_url(&captured.database.url(), &|_| None).unwrap();
    let prepare = |means| {
        captured.runtime.block_on(duet_postgres::prepare_changes(&settings, means)).unwrap()
    };
    // It was made at the start.
    let again = prepare(Capture::Auto);
    assert_eq!((again.means, again.is_new, again.tables), (Some(Means::Stream), false, 2));
    assert!(again.notes[0].contains("\"public\".\"loose\""), "{again:?}");
    captured.database.exec("CREATE TABLE late (id integer PRIMARY KEY)");
    assert_eq!(prepare(Capture::Stream).tables, 3);
    for is_new in [true, false] {
        let table = prepare(Capture::Table);
        assert_eq!((table.means, table.is_new, table.tables), (Some(Means::Table), is_new, 4));
    }
    // Duet's own writes are as without its triggers.
    let catalog = captured.runtime.block_on(captured.store.introspect()).unwrap();
    let team = catalog.find("team").unwrap();
    assert!(team.plain && team.batchable, "{:?}", team.effects);
    let remove = || captured.runtime.block_on(duet_postgres::remove_changes(&settings)).unwrap();
    assert_eq!(remove(), ["the change table with its triggers", "the publication"]);
    assert!(remove().is_empty());
    captured.database.exec("INSERT INTO team VALUES (70)");
}
