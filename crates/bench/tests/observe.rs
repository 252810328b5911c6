//! Tests of the observer against its own server: a known number of transactions balances, others do
//! not.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use duet_bench::observe::{
    METRICS, MetricsEndpoint, Observed, ObservedDatabase, Observer, Watched,
};
use duet_bench::record::ProcessTotals;
use duet_bench::targets::http::{HttpConnection as Connected, Url};
use duet_bench::workload::{
    Done, Failed, Local, Session, Success, TransactionContext, TransactionType, Workload,
};
use duet_client::connect::Settings;
use duet_client::{ConnectOptions, Connection};
use duet_testkit::postgres::{Options, Server};
use duet_verdict::result::{RunResult, Window};

const NAME: &str = "observe test";

/// Users that prepare two statements when they connect.
struct Prepares {
    target: ConnectOptions,
    kinds: Vec<TransactionType>,
}

struct User(Connection);

impl Workload for Prepares {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn open(&self, _: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async {
            let mut connection = Connection::open(&self.target, NAME).await?;
            connection.prepare("SELECT count(*) FROM fruit").await?;
            connection.prepare("SELECT id FROM fruit").await?;
            Ok(Box::new(User(connection)) as Box<dyn Session>)
        })
    }
}

impl Session for User {
    fn run<'a>(&'a mut self, _: usize, _: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async {
            self.0.begin().await?;
            self.0.script("INSERT INTO fruit DEFAULT VALUES").await?;
            self.0.commit().await?;
            Ok(Success::Ok)
        })
    }
}

/// A run of some users, each with a number of transactions, observed for at least two whole
/// seconds; meanwhile another client commits.
fn observed(name: &str, users: u32, each: u32, strange: u32) -> Observed {
    let database = Server::shared().database(name);
    database.exec("CREATE TABLE fruit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    let target = ConnectOptions::Postgres(settings.connector().unwrap());
    let workload = Arc::new(Prepares {
        target: target.clone(),
        kinds: vec![TransactionType::new("a", "A", 1.0)],
    });
    let watched = Watched {
        database: Some(ObservedDatabase {
            target: target.clone(),
            applications: vec![NAME.into()],
            workload: Some(workload.clone()),
            users,
        }),
        ..Watched::default()
    };
    let mut observer = Observer::open(watched);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut sessions = Vec::new();
        for user in 0..users {
            sessions.push(workload.open(user).await.unwrap());
        }
        let origin = Instant::now();
        observer.go(origin, vec![std::process::id()]);
        for _ in 0..each {
            for session in &mut sessions {
                session.run(0, &mut TransactionContext::new(1)).await.unwrap();
            }
        }
        let mut stranger = Connection::open(&target, "stranger").await.unwrap();
        for _ in 0..strange {
            stranger.script("SELECT 1").await.unwrap();
        }
        // Until both seconds are recorded, for machine and database.
        let seen = |second| {
            let figures = observer.second(second);
            figures.contains_key("client.cpu") && figures.contains_key("db.commits")
        };
        while !(0..2).all(seen) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    drop(runtime);
    // The server counts the last commits of a session when its process ends, which takes a moment.
    let others = Server::shared().database(&format!("{name}_watch"));
    let left = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND application_name = 'stranger'"
    );
    while others.query(&left) != "0" {
        std::thread::sleep(Duration::from_millis(20));
    }
    observer.finish()
}

fn totals(commits: u64) -> ProcessTotals {
    let mut totals = ProcessTotals::new(1);
    totals.whole_work.dml.commits = commits;
    totals
}

#[test]
fn counts_of_client_and_database_agree() {
    let observed = observed("observe_balanced", 20, 30, 0);
    let commits = observed.counted.commits.unwrap();
    // Connecting, setting the name and the two prepared statements, for each session.
    assert!((3.0..=5.0).contains(&commits.by_session), "{commits:?}");
    let mut result = RunResult {
        window: Window { measured_s: 2.0, ..Window::default() },
        ..RunResult::default()
    };
    let seconds = [0, 1].map(|second| observed.second(second));
    let have = |name: &str| seconds.iter().filter(|second| second.contains_key(name)).count();
    assert_eq!((have("client.cpu"), have("postgres.cpu")), (2, 2), "{seconds:?}");
    assert_eq!(have("db.commits"), 2, "{seconds:?}");
    observed.complete(&mut result, &totals(600));
    let ledger = result.ledger.unwrap();
    assert!(ledger.balanced, "{ledger:?}");
    // The database's own work, such as a vacuum, is unknown; beside the session that is counted by itself it changes
    // what is taken for each of the 21.
    assert!(ledger.rows[0].server.abs_diff(600) <= 20 + 21, "{ledger:?} {commits:?}");
    assert!(result.target.server.starts_with("PostgreSQL "), "{:?}", result.target);
    assert!(result.target.settings.contains_key("shared_buffers"));
    assert!(result.database.contains_key("tup_inserted"), "{:?}", result.database);
}

/// Notes how many sessions of the bench's own there are when one of its users connects.
struct LooksAround {
    prepares: Prepares,
    found: Mutex<Vec<Option<i64>>>,
}

/// The sessions of the bench that look at the data.
const PROOFS: &str = "SELECT count(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND application_name = 'duet bench proof'";

impl Workload for LooksAround {
    fn kinds(&self) -> &[TransactionType] {
        &[]
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let mut connection = Connection::open(&self.prepares.target, "watch").await?;
            let found = connection.ask(PROOFS, &[]).await?.first_int(0);
            self.found.lock().unwrap().push(found);
            self.prepares.open(user).await
        })
    }
}

/// A session that looked at the data may still have to publish its commits when the run begins: they are no cost of a
/// user's session.
#[test]
fn sessions_of_before_the_run_are_waited_for() {
    let database = Server::shared().database("observe_earlier");
    database.exec("CREATE TABLE fruit (id bigint);");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    let target = ConnectOptions::Postgres(settings.connector().unwrap());
    let workload = Arc::new(LooksAround {
        prepares: Prepares { target: target.clone(), kinds: Vec::new() },
        found: Mutex::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let proof = runtime.block_on(Connection::open(&target, "duet bench proof")).unwrap();
    let watched = Watched {
        database: Some(ObservedDatabase {
            target,
            applications: vec![NAME.into()],
            workload: Some(workload.clone()),
            users: 1,
        }),
        ..Watched::default()
    };
    std::thread::scope(|scope| {
        let observer = scope.spawn(|| Observer::open(watched));
        // It looks for sessions: from then on it waits, or it has connected a user.
        let looks = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'observe_earlier' \
            AND application_name = 'duet bench observer' AND query LIKE '%wait_event_type%'";
        let others = Server::shared().database("observe_earlier_watch");
        while others.query(looks) == "0" && !observer.is_finished() {}
        runtime.block_on(proof.close());
        drop(observer.join().unwrap());
    });
    assert_eq!(*workload.found.lock().unwrap(), [Some(0)]);
}

#[test]
fn commits_of_others_are_found() {
    let observed = observed("observe_drift", 2, 50, 1000);
    let mut result = RunResult::default();
    observed.complete(&mut result, &totals(100));
    let ledger = result.ledger.unwrap();
    assert!(!ledger.balanced && !ledger.rows[0].agrees, "{ledger:?}");
    assert!(ledger.rows[0].server.abs_diff(1100) <= 20, "{ledger:?}");
    let message = result.warnings.iter().any(|words| words.contains("transactions more"));
    assert!(message, "{:?}", result.warnings);
}

#[test]
fn parallel_workers_are_not_foreign() {
    let database = Server::shared().database("observe_parallel");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    let target = ConnectOptions::Postgres(settings.connector().unwrap());
    let workload = Arc::new(Prepares { target: target.clone(), kinds: Vec::new() });
    database.exec("CREATE TABLE fruit (id bigint);");
    let watched = Watched {
        database: Some(ObservedDatabase {
            target: target.clone(),
            applications: vec![NAME.into()],
            workload: Some(workload),
            users: 1,
        }),
        ..Watched::default()
    };
    let mut observer = Observer::open(watched);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let asked = runtime.block_on(async {
        let mut user = Connection::open(&target, NAME).await.unwrap();
        // A development option that forces what a large table would cause; version 16 renamed it.
        let force = "SELECT set_config(name, 'on', false) FROM pg_settings \
            WHERE name IN ('force_parallel_mode', 'debug_parallel_query')";
        user.script(force).await.unwrap();
        observer.go(Instant::now(), Vec::new());
        let seen = |second| observer.second(second).contains_key("db.parallel_workers");
        let mut asked = 1;
        while asked < 100 || !(0..600).any(seen) {
            user.script("SELECT pg_sleep(0.01)").await.unwrap();
            asked += 1;
        }
        asked
    });
    drop(runtime);
    let observed = observer.finish();
    let mut result = RunResult::default();
    observed.complete(&mut result, &totals(asked));
    let ledger = result.ledger.unwrap();
    assert!(ledger.balanced && ledger.rows[0].server > asked + 50, "{asked}: {ledger:?}");
    let message = result.warnings.iter().any(|words| words.contains("Parallel workers were seen"));
    assert!(message, "{:?}", result.warnings);
}

/// With the extension, a result says which statements took the time; their values are not in it.
#[test]
fn statements_are_counted_by_the_extension() {
    let available =
        "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'";
    if Server::shared().database("observe_available").query(available) == "0" {
        return duet_testkit::skipped("observe", "pg_stat_statements is not installed");
    }
    let options = Options::new().setting("shared_preload_libraries", "pg_stat_statements");
    let server = Server::start_with(options);
    let database = server.database("observe_statements");
    database.exec("CREATE TABLE fruit (id bigint); CREATE EXTENSION pg_stat_statements;");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    let target = ConnectOptions::Postgres(settings.connector().unwrap());
    database.exec("INSERT INTO fruit VALUES (1)");
    let watched = Watched {
        database: Some(ObservedDatabase {
            target,
            applications: vec![NAME.into()],
            workload: None,
            users: 1,
        }),
        ..Watched::default()
    };
    let mut observer = Observer::open(watched);
    observer.go(Instant::now(), Vec::new());
    for number in 0..3 {
        database.exec(&format!("INSERT INTO fruit VALUES (4711{number})"));
    }
    let observed = observer.finish();
    let mut result = RunResult::default();
    observed.complete(&mut result, &totals(0));
    let found: Vec<_> =
        result.statements.iter().filter(|it| it.query.starts_with("INSERT INTO fruit")).collect();
    assert_eq!(found.len(), 1, "{:?}", result.statements);
    assert_eq!((found[0].calls, found[0].rows), (3, 3), "without those before the run");
    assert!(!result.to_json().contains("4711"), "{:?}", result.statements);
    assert!(result.statements.iter().all(|it| !it.query.contains("pg_stat_")));
}

#[test]
fn a_wait_for_a_lock_is_observed() {
    let database = Server::shared().database("observe_waits");
    database.exec("CREATE TABLE fruit (id bigint);");
    let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
    let target = ConnectOptions::Postgres(settings.connector().unwrap());
    let watched = Watched {
        database: Some(ObservedDatabase {
            target: target.clone(),
            applications: vec![NAME.into()],
            workload: None,
            users: 2,
        }),
        ..Watched::default()
    };
    let mut observer = Observer::open(watched);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut holder = Connection::open(&target, NAME).await.unwrap();
        holder.script("BEGIN; LOCK TABLE fruit").await.unwrap();
        let mut waiter = Connection::open(&target, NAME).await.unwrap();
        observer.go(Instant::now(), Vec::new());
        let waiting = waiter.script("BEGIN; LOCK TABLE fruit");
        let watching = async {
            let blocked = |second| {
                let figures = observer.second(second);
                let of = |name: &str| figures.get(name).copied().unwrap_or(0.0);
                of("wait.Lock") > 0.0
                    && of("db.blocked") > 0.0
                    && of("wait.IdleInTransaction") > 0.0
            };
            while !(0..600).any(blocked) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            _ = waiting => panic!("the lock was given"),
            () = watching => {}
        }
    });
    drop(runtime);
    let observed = observer.finish();
    let window = Window { measured_s: 600.0, ..Window::default() };
    assert!(observed.waits(&window)["Lock"] > 0.0, "{:?}", observed.waits(&window));
}

#[test]
fn an_absent_database_is_a_warning() {
    let settings = Settings::from_url("postgres:///a?host=/nowhere&user=a", &|_| None).unwrap();
    let target = ConnectOptions::Postgres(settings.connector().unwrap());
    let database = ObservedDatabase { target, applications: Vec::new(), workload: None, users: 1 };
    let mut observer = Observer::open(Watched { database: Some(database), ..Watched::default() });
    observer.go(Instant::now(), vec![std::process::id()]);
    while observer.second(0).is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let observed = observer.finish();
    assert!(observed.second(0).contains_key("client.cpu"), "{observed:?}");
    assert!(observed.counted.commits.is_none());
    assert!(observed.warnings[0].starts_with("The database was not observed"), "{observed:?}");
}

/// A service that counts its responses, and requires a token to show the count.
fn service() -> std::net::SocketAddr {
    serving(|head, all, found| match head.starts_with("GET /metrics ") {
        true if head.contains("Authorization: Bearer a") => (
            200,
            format!(
                "duet_requests_total {all}\nduet_resource_requests_total{{resource=\"/a\",status=\"2xx\"}} {found}\n"
            ),
        ),
        true => (401, r#"{"errors":[{"code":"DUET-4101"}]}"#.into()),
        false => (200, "{}".into()),
    })
}

/// Status and content, from a request's head, the number of all earlier requests and of those that
/// were not for its counters.
type Answer = fn(&str, u32, u32) -> (u16, String);

/// A service with these responses.
fn serving(answer: Answer) -> std::net::SocketAddr {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut all, mut found) = (0, 0);
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            loop {
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).unwrap() > 0 {}
                if head.is_empty() {
                    break;
                }
                let (status, body) = answer(&head, all, found);
                found += u32::from(!head.starts_with("GET /metrics "));
                all += 1;
                let length = body.len();
                let answer =
                    format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{body}");
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        }
    });
    address
}

/// An observed run with this many requests.
fn asked(service: std::net::SocketAddr, authorization: Option<&str>, answers: u32) -> RunResult {
    let url: Url = format!("http://{service}/a").parse().unwrap();
    let endpoint = MetricsEndpoint::of(&url, authorization.map(str::to_owned), METRICS);
    let mut observer = Observer::open(Watched { service: Some(endpoint), ..Watched::default() });
    observer.go(Instant::now(), vec![std::process::id()]);
    let mut totals = ProcessTotals::new(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = Connected::open(&url, Duration::from_secs(30)).await.unwrap();
        let request = format!("GET /a HTTP/1.1\r\nHost: {}\r\n\r\n", url.host);
        for _ in 0..answers {
            let work = &mut totals.whole_work;
            connection.exchange(request.as_bytes(), work).await.unwrap();
        }
    });
    let mut result = RunResult::default();
    observer.finish().complete(&mut result, &totals);
    result
}

#[test]
fn a_service_without_counters_is_no_warning() {
    let foreign: [Answer; 3] = [
        |head, _, _| (if head.starts_with("GET /metrics ") { 404 } else { 200 }, "{}".into()),
        |head, _, _| (if head.starts_with("GET /metrics ") { 403 } else { 200 }, "{}".into()),
        |_, _, _| (200, "<html>Every path is this page.</html>".into()),
    ];
    for answer in foreign {
        let result = asked(serving(answer), None, 1);
        assert!(result.ledger.is_none());
        let told = result.warnings.iter().any(|words| words.contains("ledger"));
        assert!(!told, "{:?}", result.warnings);
    }
    let failing = serving(|_, _, _| (500, String::new()));
    let told = asked(failing, None, 1).warnings;
    assert!(told.iter().any(|words| words.contains("answers 500")), "{told:?}");
}

#[test]
fn answers_of_a_service_balance() {
    let service = service();
    let result = asked(service, Some("Bearer a"), 300);
    let rows: Vec<(String, u64, u64)> = result
        .ledger
        .unwrap()
        .rows
        .into_iter()
        .map(|row| (row.what, row.client, row.server))
        .collect();
    assert_eq!(rows, [("status 2xx".into(), 300, 300), ("answers".into(), 300, 300)]);
    let refused = asked(service, None, 1);
    assert!(refused.ledger.is_none());
    let message = refused.warnings.iter().any(|words| words.contains("duet.admin"));
    assert!(message, "{:?}", refused.warnings);
}
