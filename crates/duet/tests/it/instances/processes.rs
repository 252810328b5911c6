//! `duet serve --instances`: several processes behind one address.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use duet_testkit::command::{Running, Signal, clean, signal, wait_until};
use duet_testkit::http::{self, Client};
use duet_testkit::postgres::{Options, Server as PostgresServer};
use duet_testkit::sqlite;

use super::Ends;
use crate::duet;

const ITEM: &str = "/ords/hr/team/2";
const DUET: &str = env!("CARGO_BIN_EXE_duet");

/// The demo in several processes.
fn demo(instances: &str, more: &[&str]) -> Running {
    let mut arguments = vec!["demo", "--listen", "127.0.0.1:0", "--instances", instances];
    arguments.extend(more);
    Running::start(&arguments)
}

/// Whether a process runs its own program: the one that has started it waits until then, and does nothing else.
fn has_begun(process: u32) -> bool {
    // Linux's PF_FORKNOEXEC, in the ninth field of proc(5)'s `stat`.
    const FORKED_ALONE: u64 = 0x40;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let flags = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(6));
    flags.and_then(|flags| flags.parse::<u64>().ok()).is_some_and(|it| it & FORKED_ALONE == 0)
}

/// The children of a process that run.
pub(crate) fn children(of: u32) -> Vec<u32> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(|pid| pid.parse().expect("a number")).collect()
}

pub(crate) fn is_running(pid: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A process that nobody has waited for yet has ended too.
    state.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// How often a text is in the log.
fn times(server: &Running, text: &str) -> usize {
    server.errors().matches(text).count()
}

#[test]
fn several_are_told_once_and_share_the_key_of_tokens() {
    let server = demo("3", &["--verbose"]);
    assert_eq!(children(server.process()).len(), 3);
    let bearer = server.bearer();
    let get = |path: &str| {
        http::get(&format!("{}{path}", server.url()), &[("Authorization", &bearer)]).status
    };
    // More requests than instances, a connection each: every instance has some of them.
    for _ in 0..30 {
        assert_eq!(get(ITEM), 200);
        assert_eq!(http::get(&format!("{}/problems/DUET-1002", server.url()), &[]).status, 200);
    }
    server.wait_for_output("A token and a request:");
    let output = server.output();
    assert_eq!(output.matches("Duet serves").count(), 1, "{output}");
    assert_eq!(output.matches("client_secret ").count(), 1, "{output}");
    let folder = output.split("from SQLite ").nth(1).unwrap().lines().next().unwrap();
    let folder = Path::new(folder).parent().unwrap().to_owned();
    assert_eq!(server.errors(), "");
    assert!(server.stop().success());
    assert!(!folder.exists());
}

#[test]
fn one_that_is_killed_under_load_costs_one_connection_at_most() {
    let server = demo("3", &["--open", "read"]);
    let url = server.url();
    let (answered, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let lost: Vec<usize> = std::thread::scope(|scope| {
        let ends = Ends(&done);
        let client = || {
            let mut lost = 0;
            while !done.load(Ordering::Relaxed) {
                let mut client = Client::connect(&url);
                while !done.load(Ordering::Relaxed) {
                    match client.try_request("GET", ITEM, &[], b"") {
                        Ok(response) => assert_eq!(response.status, 200),
                        Err(_) => {
                            lost += 1;
                            break;
                        }
                    }
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            }
            lost
        };
        let clients: Vec<_> = (0..6).map(|_| scope.spawn(client)).collect();
        wait_until("all are busy", || answered.load(Ordering::Relaxed) > 200);
        signal(children(server.process())[0], Signal::SIGKILL);
        let before = answered.load(Ordering::Relaxed);
        wait_until("the others answer", || answered.load(Ordering::Relaxed) > before + 200);
        server.wait_for_output("an instance is ready");
        let before = answered.load(Ordering::Relaxed);
        wait_until("all answer", || answered.load(Ordering::Relaxed) > before + 200);
        drop(ends);
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(lost.iter().all(|lost| *lost <= 1), "{lost:?}");
    assert_eq!(times(&server, "an instance has ended, and is started again"), 1);
    assert_eq!(children(server.process()).len(), 3);
    assert!(server.stop().success());
}

#[test]
fn one_that_hangs_is_replaced() {
    let server = demo("2", &["--open", "read", "--instance-timeout", "1s"]);
    let hung = children(server.process())[1];
    signal(hung, Signal::SIGSTOP);
    // Until then it may still accept a connection.
    wait_until("it is stopped", || {
        fs::read_to_string(format!("/proc/{hung}/stat")).is_ok_and(|stat| stat.contains(") T "))
    });
    let get = || http::get(&format!("{}{ITEM}", server.url()), &[]).status;
    // The other one answers meanwhile.
    for _ in 0..10 {
        assert_eq!(get(), 200);
    }
    server.wait_for_output("an instance hangs, and is ended: it gives no sign of life");
    server.wait_for_output("an instance does not end: it is killed");
    server.wait_for_output("an instance is ready");
    assert!(!is_running(hung));
    assert_eq!(children(server.process()).len(), 2);
    assert_eq!(get(), 200);
    assert!(server.stop().success());
}

/// One of the instances is stopped, so that it cannot notice by itself.
#[test]
fn a_killed_supervisor_leaves_nothing() {
    let server = demo("3", &["--open", "read"]);
    let address = server.url().trim_start_matches("http://").to_owned();
    let all = children(server.process());
    signal(all[1], Signal::SIGSTOP);
    server.signal(Signal::SIGKILL);
    wait_until("the instances end", || !all.iter().any(|pid| is_running(*pid)));
    wait_until("the port is free", || TcpListener::bind(&address).is_ok());
}

/// Requests by instance, from the access log.
fn by_instance(server: &Running) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for line in server.output().lines().filter(|line| line.starts_with('{')) {
        let entry: serde_json::Value = serde_json::from_str(line).expect("an unbroken line");
        *counts.entry(entry["instance"].as_u64().expect("an instance")).or_default() += 1;
    }
    counts
}

/// Clients of a trial that opens many connections.
const CLIENTS: usize = 10;

/// Where these clients wait for each other. Unlike a barrier it fails where one of them has failed.
#[derive(Default)]
struct Meeting(AtomicUsize);

impl Meeting {
    fn wait(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        wait_until("every client is here", || self.0.load(Ordering::SeqCst) == CLIENTS);
    }
}

/// Sends requests from ten clients to five instances, and checks that none of these has more than
/// twice the work of another.
fn work_is_spread(requests: usize, of_client: impl Fn(&str, usize, &Meeting) + Sync) {
    let server = demo("5", &["--open", "read", "--access-log", "json"]);
    let (url, all) = (server.url(), Meeting::default());
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| of_client(&url, requests, &all));
        }
    });
    wait_until("every request is logged", || {
        by_instance(&server).values().sum::<usize>() == CLIENTS * requests
    });
    let counts = by_instance(&server);
    let most = counts.values().max().expect("requests");
    let least = counts.values().min().expect("requests");
    assert!(counts.len() == 5 && *most <= 2 * least, "{counts:?}");
    assert!(server.stop().success());
}

#[test]
fn connections_that_are_kept_are_spread() {
    work_is_spread(20, |url, requests, all| {
        let mut client = Client::connect(url);
        assert_eq!(client.get(ITEM, &[]).status, 200);
        // All ten connections are open now.
        all.wait();
        for _ in 1..requests {
            assert_eq!(client.get(ITEM, &[]).status, 200);
        }
    });
}

#[test]
fn a_connection_for_each_request_is_spread() {
    work_is_spread(100, |url, requests, all| {
        all.wait();
        for _ in 0..requests {
            assert_eq!(http::get(&format!("{url}{ITEM}"), &[]).status, 200);
        }
    });
}

/// Clients that keep their connections until a response closes them, and clients that open one for
/// each request, while something happens. None of their requests may fail.
fn no_request_fails(url: &str, path: &str, meanwhile: impl FnOnce()) {
    let (answered, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let ends = Ends(&done);
        let client = |keeps: bool| {
            while !done.load(Ordering::Relaxed) {
                let mut client = Client::connect(url);
                loop {
                    let response = client.try_request("GET", path, &[], b"").expect("a response");
                    assert_eq!(response.status, 200);
                    answered.fetch_add(1, Ordering::Relaxed);
                    let closes = response.header("connection") == Some("close");
                    if !keeps || closes || done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            }
        };
        let clients: Vec<_> =
            (0..6).map(|number| scope.spawn(move || client(number % 2 == 0))).collect();
        wait_until("the clients are busy", || {
            answered.load(Ordering::Relaxed) > 100
                || clients.iter().any(ScopedJoinHandle::is_finished)
        });
        meanwhile();
        drop(ends);
        clients.into_iter().for_each(|client| client.join().expect("a client"));
    });
}

#[test]
fn every_instance_is_replaced_by_a_new_binary_without_a_failed_request() {
    let folder = sqlite::Folder::new();
    let binary = folder.path().join("duet");
    fs::hard_link(DUET, &binary).or_else(|_| fs::copy(DUET, &binary).map(drop)).unwrap();
    let mut command = clean(&binary);
    command.args(["demo", "--listen", "127.0.0.1:0", "--instances", "2", "--open", "read"]);
    let server = Running::start_command(command);
    let before = children(server.process());
    // The new binary says so, and is the old one.
    let script = format!("#!/bin/sh\necho a new binary >&2\nexec '{DUET}' \"$@\"\n");
    let new = folder.path().join("new");
    fs::write(&new, script).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&new, &binary).unwrap();
    no_request_fails(&server.url(), ITEM, || {
        server.signal(Signal::SIGUSR2);
        server.wait_for_output("every instance has been replaced");
    });
    let after = children(server.process());
    assert!(after.len() == 2 && after.iter().all(|pid| !before.contains(pid)));
    assert_eq!(times(&server, "a new binary instance="), 2, "{}", server.errors());
    assert!(server.stop().success());
}

#[test]
fn a_binary_that_does_not_start_replaces_nothing() {
    let folder = sqlite::Folder::new();
    let binary = folder.path().join("duet");
    fs::hard_link(DUET, &binary).or_else(|_| fs::copy(DUET, &binary).map(drop)).unwrap();
    let mut command = clean(&binary);
    command.args(["demo", "--listen", "127.0.0.1:0", "--instances", "2", "--open", "read"]);
    let server = Running::start_command(command);
    let before = children(server.process());
    let broken = folder.path().join("new");
    fs::write(&broken, "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&broken, &binary).unwrap();
    no_request_fails(&server.url(), ITEM, || {
        server.signal(Signal::SIGUSR2);
        server.wait_for_output("a new instance has ended before it was ready");
    });
    assert_eq!(children(server.process()), before);
    assert!(server.stop().success());
}

#[test]
fn new_definitions_reach_every_instance() {
    let folder = sqlite::Folder::new();
    folder.load("shop.db", &["CREATE TABLE item (item_id INTEGER PRIMARY KEY, note TEXT)"]);
    let file = folder.path().join("app.toml");
    let define = |more: &str| {
        let head =
            "name = 'shop'\nmount = '/shop'\ndatabase = 'shop.db'\n[settings]\nopen = 'read'\n";
        fs::write(&file, format!("{head}{more}")).unwrap();
    };
    define("");
    let name = file.display().to_string();
    let server = Running::start(&[
        "serve",
        "--config",
        &name,
        "--listen",
        "127.0.0.1:0",
        "--instances",
        "3",
    ]);
    let hidden = "[resources.item]\nhidden = ['note']\n";
    define(hidden);
    no_request_fails(&server.url(), "/shop/item/", || {
        server.signal(Signal::SIGHUP);
        wait_until("all reload", || times(&server, "reloaded application=\"shop\"") == 3);
    });
    sqlite::open(&folder.path().join("shop.db"))
        .execute_batch("INSERT INTO item VALUES (1, 'x')")
        .unwrap();
    let item = || http::get(&format!("{}/shop/item/1", server.url()), &[]).json();
    for _ in 0..12 {
        assert_eq!(item().get("note"), None);
    }
    // A mistake stops at the first: the others are not asked.
    define("[resources.item]\nhidden = ['nute']\n");
    server.signal(Signal::SIGHUP);
    server.wait_for_output("an instance has not reloaded");
    server.wait_for_output("app.toml:7:11");
    assert_eq!(times(&server, "app.toml:7:11"), 1, "{}", server.errors());
    for _ in 0..12 {
        assert_eq!(item().get("note"), None);
    }
    // One that is starting has read what was there before, and reloads when it is ready.
    define(hidden);
    let (before, reloaded) = (children(server.process()), "reloaded application=\"shop\"");
    signal(before[2], Signal::SIGKILL);
    let is_new = |it: &u32| !before.contains(it) && has_begun(*it);
    let new = || children(server.process()).into_iter().find(is_new);
    wait_until("an instance is started", || new().is_some());
    let started = new().unwrap();
    signal(started, Signal::SIGSTOP);
    wait_until("it is stopped", || {
        fs::read_to_string(format!("/proc/{started}/stat")).is_ok_and(|stat| stat.contains(") T "))
    });
    define("");
    let earlier = times(&server, reloaded);
    // A busy machine may have let it become ready before it was stopped: then it is one of those that are waited for.
    let (errors, pid) = (server.errors(), format!("pid={started}"));
    let is_ready = |line: &str| line.contains("an instance is ready") && line.ends_with(&pid);
    if errors.lines().any(is_ready) {
        signal(started, Signal::SIGCONT);
    }
    server.signal(Signal::SIGHUP);
    wait_until("the others reload", || times(&server, reloaded) >= earlier + 2);
    signal(started, Signal::SIGCONT);
    wait_until("it reloads", || times(&server, reloaded) == earlier + 3);
    for _ in 0..12 {
        assert_eq!(item()["note"], "x");
    }
    assert!(server.stop().success());
}

#[test]
fn a_start_that_fails_is_told_once() {
    let (code, out, errors) = duet(&["serve", "/nonexistent/a.db", "--instances", "2..4"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert_eq!(errors.matches("error: ").count(), 1, "{errors}");
    assert!(errors.contains("/nonexistent/a.db") && !errors.contains("instance="), "{errors}");
    let (code, _, errors) = duet(&["serve", "a.db", "--instances", "3..2"]);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("the second number of a range is not below the first"), "{errors}");
}

#[test]
fn a_unix_socket_is_shared_and_removed() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let socket = folder.path().join("d.sock");
    let listen = format!("unix:{}", socket.display());
    let database = database.display().to_string();
    let server = Running::start(&[
        "serve",
        &database,
        "--listen",
        &listen,
        "--listen",
        "127.0.0.1:0",
        "--instances",
        "2",
        "--workers",
        "2",
        "--open",
        "read",
    ]);
    assert_eq!(server.ready()["urls"][0], listen.as_str());
    for _ in 0..10 {
        assert_eq!(Client::connect_unix(&socket).get("/api/main/t/", &[]).status, 200);
    }
    assert!(server.stop().success());
    assert!(!socket.exists());
}

/// Whichever instance answers, the operator sees all of them.
#[test]
fn an_operator_sees_all_instances() {
    let server = demo("3", &["--open", "read"]);
    let (url, bearer) = (server.url(), server.bearer());
    for number in 0..30 {
        let path = if number % 10 == 0 { "/ords/hr/team/777" } else { ITEM };
        let status = http::get(&format!("{url}{path}"), &[]).status;
        assert_eq!(status, if path == ITEM { 200 } else { 404 });
    }
    let admin = |path: &str| http::get(&format!("{url}{path}"), &[("Authorization", &bearer)]);
    let pids = children(server.process());
    let instances = admin("/admin/instances").json();
    let instances = instances["instances"].as_array().unwrap();
    for (number, instance) in instances.iter().enumerate() {
        assert_eq!(
            (&instance["instance"], &instance["state"]),
            (&(number + 1).into(), &"ready".into())
        );
        assert!(pids.contains(&u32::try_from(instance["pid"].as_u64().unwrap()).unwrap()));
        // How connections are shared depends on how busy each is.
        assert!(instance["succeeded"].as_u64() >= Some(1), "{instance}");
    }
    assert_eq!(instances.len(), 3);
    let services = admin("/admin/services").json();
    let services = services["services"].as_array().unwrap();
    let team = services.iter().find(|it| it["resource"] == "/ords/hr/team").unwrap();
    assert_eq!(
        (&team["succeeded"], &team["refused"], &team["failed"]),
        (&27.into(), &3.into(), &0.into())
    );
    assert_eq!(team["instances"].as_array().unwrap().len(), 3);
    let median = team["p50Millis"].as_f64().unwrap();
    assert!(median > 0.0 && Some(median) <= team["maxMillis"].as_f64(), "{team}");
    let queues = admin("/admin/queues").json();
    let reads = queues["queues"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["application"] == "car-racing" && it["queue"] == "read");
    assert_eq!(reads.map(|it| it["instance"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    let metrics = admin("/metrics").text().to_owned();
    assert!(metrics.contains("resource=\"/ords/hr/team\",status=\"2xx\"} 27\n"), "{metrics}");
    assert_eq!(metrics.matches("\nduet_connections{process=").count(), 3, "{metrics}");
    let reloaded =
        http::request("POST", &format!("{url}/admin/reload"), &[("Authorization", &bearer)], b"")
            .json();
    let others: Vec<_> =
        reloaded["instances"].as_array().unwrap().iter().map(|it| &it["error"]).collect();
    assert_eq!(others, [&serde_json::Value::Null; 2]);
    let kept = |method: &str, query: &str| {
        let address = format!("{url}/admin/rowstore{query}");
        http::request(method, &address, &[("Authorization", &bearer)], b"").json()
    };
    let changed = kept("POST", "?resource=/ords/hr/team&bytes=1000000");
    let failed: Vec<_> =
        changed["instances"].as_array().unwrap().iter().map(|it| &it["error"]).collect();
    assert_eq!(failed, [&serde_json::Value::Null; 2]);
    let rowstores = kept("GET", "")["rowstores"].clone();
    let of_team =
        rowstores.as_array().unwrap().iter().filter(|it| it["resource"] == "/ords/hr/team");
    let of_team: Vec<_> =
        of_team.map(|it| (it["instance"].as_u64(), it["capacityBytes"].as_u64())).collect();
    assert_eq!(of_team, [1, 2, 3].map(|instance| (Some(instance), Some(1_000_000))));
    let token = bearer.trim_start_matches("Bearer ");
    let said = crate::duet_says(&["status", "--url", &url, "--token", token, "--by-instance"]);
    assert_eq!(said.matches("/ords/hr/team ").count(), 4, "{said}");
    assert!(server.stop().success());
}

/// Without a supervisor the answers have the same form.
#[test]
fn one_process_is_listed_like_an_instance() {
    let server = Running::start(&["demo", "--listen", "127.0.0.1:0", "--open", "read"]);
    let (url, bearer) = (server.url(), server.bearer());
    assert_eq!(http::get(&format!("{url}{ITEM}"), &[]).status, 200);
    let admin =
        |path: &str| http::get(&format!("{url}{path}"), &[("Authorization", &bearer)]).json();
    let instances = admin("/admin/instances");
    assert_eq!(instances["instances"][0]["pid"], server.process());
    assert_eq!(instances["instances"].as_array().unwrap().len(), 1);
    let services = admin("/admin/services");
    assert_eq!(services["services"][0]["resource"], "/ords/hr/team");
    assert_eq!(services["services"][0]["succeeded"], 1);
    let (code, _, errors) = duet(&["status", "--url", &url]);
    assert!(code == 1 && errors.contains("duet.admin"), "{errors}");
    assert!(server.stop().success());
}

/// Calls of services are counted by their path, for each instance too.
#[test]
fn services_are_counted_by_their_path() {
    let server = Running::start(&[
        "serve",
        "transactions",
        "--instances",
        "2",
        "--open",
        "all",
        "--listen",
        "127.0.0.1:0",
    ]);
    let (url, bearer) = (server.url(), server.bearer());
    for _ in 0..6 {
        assert_eq!(http::get(&format!("{url}/api/oracle/list"), &[]).status, 200);
    }
    let json = [("Content-Type", "application/json")];
    let refused = http::request("POST", &format!("{url}/api/oracle/create"), &json, b"{}");
    assert_eq!(refused.status, 400, "{}", refused.text());
    let services =
        http::get(&format!("{url}/admin/services"), &[("Authorization", &bearer)]).json();
    let of = |path: &str, name: &str| {
        let all = services["services"].as_array().unwrap().iter();
        let row = all.clone().find(|it| it["resource"] == path);
        let row = row.unwrap_or_else(|| panic!("{path}: {services}"));
        let each = row["instances"].as_array().unwrap().iter();
        let sum: u64 = each.map(|it| it[name].as_u64().unwrap()).sum();
        assert_eq!(row[name], sum, "{row}");
        sum
    };
    assert_eq!((of("/api/oracle/list", "succeeded"), of("/api/oracle/create", "refused")), (6, 1));
}

/// The database is locked by another program, so that requests wait.
#[test]
fn an_instance_is_added_while_requests_wait() {
    let folder = sqlite::Folder::new();
    let file =
        folder.load("shop.db", &["CREATE TABLE item (item_id INTEGER PRIMARY KEY, note TEXT)"]);
    let name = file.display().to_string();
    let mut arguments = vec!["serve", &name, "--listen", "127.0.0.1:0", "--open", "all"];
    arguments.extend(["--instances", "1..2", "--instance-idle", "1s"]);
    let server = Running::start(&arguments);
    let url = server.url();
    assert_eq!(children(server.process()).len(), 1);
    let other = sqlite::open(&file);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ends = Ends(&done);
        for number in 0..8 {
            let (url, done) = (&url, &done);
            scope.spawn(move || {
                let item = format!("{url}/api/main/item/{number}");
                let headers = [("Content-Type", "application/json")];
                while !done.load(Ordering::Relaxed) {
                    let status = http::request("PUT", &item, &headers, b"{\"note\":\"x\"}").status;
                    assert!(matches!(status, 200 | 201 | 503), "{status}");
                }
            });
        }
        server.wait_for_output("an instance is added, because requests wait");
        server.wait_for_output("an instance is ready");
        other.execute_batch("ROLLBACK").unwrap();
        drop(ends);
    });
    server.wait_for_output("an instance is removed, because no request has waited for a while");
    wait_until("one is left", || children(server.process()).len() == 1);
    assert_eq!(http::get(&format!("{url}/api/main/item/"), &[]).status, 200);
    assert!(server.stop().success());
}

/// The shell stands for systemd: descriptor 3 is an open socket, and the variables say so.
fn activated(socket: impl Into<std::process::Stdio>, more: &[&str]) -> Running {
    let mut command = clean(Path::new("/bin/sh"));
    let script = "exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"";
    command.args(["-c", script, DUET, "demo", "--open", "read"]).args(more);
    Running::start_reading(command, socket.into())
}

#[test]
fn sockets_of_systemd_are_used() {
    for more in [&[][..], &["--instances", "2"]] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let ours = listener.try_clone().unwrap();
        let server = activated(std::os::fd::OwnedFd::from(listener), more);
        assert_eq!(server.ready()["urls"], serde_json::json!([url]));
        for _ in 0..4 {
            assert_eq!(http::get(&format!("{url}{ITEM}"), &[]).status, 200);
        }
        assert!(server.stop().success());
        // The socket outlives the server: what connects meanwhile waits for the next one.
        let mut waiting = Client::connect(&url);
        let next = activated(std::os::fd::OwnedFd::from(ours), more);
        assert_eq!(waiting.get(ITEM, &[]).status, 200);
        assert!(next.stop().success());
    }
}

/// The manual shows the files that are packaged.
#[test]
fn the_units_of_systemd_are_in_the_manual() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/operations.md")).unwrap();
    for unit in ["duet.service", "duet.socket"] {
        let file = fs::read_to_string(root.join("deploy/systemd").join(unit)).unwrap();
        assert!(page.contains(&format!("```ini\n{file}```")), "{unit}");
    }
}

/// What the server has connections for is started, in one process and in several, and said.
#[test]
fn workers_are_as_many_as_the_server_has_connections_for() {
    let options = Options::new().setting("max_connections", "80");
    let postgres = PostgresServer::start_with(options);
    let database = postgres.database("few_connections");
    assert_eq!(duet(&["load", "transactions", "--database", &database.url()]).0, 0);
    let transactions = |more: &[&str]| {
        let first = ["serve", "transactions", "--database", &database.url(), "--open", "all"];
        let mut command = clean(Path::new(DUET));
        command.args(first).args(more).env("DUET_LISTEN", "127.0.0.1:0").env("REST_WORKERS", "16");
        Running::start_command(command)
    };
    for (instances, most, said) in [
        (None, 40, "16 workers would open 53 connections to "),
        (
            Some("3"),
            77,
            "16 workers in each of 3 processes, one more while one is replaced, would open 212 connections to ",
        ),
    ] {
        database.exec(&format!("ALTER ROLE postgres CONNECTION LIMIT {most}"));
        let more: Vec<&str> = instances.iter().flat_map(|count| ["--instances", count]).collect();
        let server = transactions(&more);
        let errors = server.errors();
        assert!(errors.contains(said), "{errors}");
        let started: usize = match errors.split_once("): ") {
            Some((_, rest)) => rest.split(' ').next().unwrap().parse().unwrap(),
            None => panic!("{errors}"),
        };
        assert_eq!(errors.matches(" workers").count(), 1, "said once: {errors}");
        assert!((1..16).contains(&started), "{errors}");
        let status = http::get(&format!("{}/transactions?limit=1", server.url()), &[]);
        assert_eq!(status.status, 200, "{}", status.text());
        let opened = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";
        assert!(database.query(opened).parse::<usize>().unwrap() <= most);
        assert!(server.stop().success());
    }
    // What one worker has no room for is refused.
    let arguments = ["serve", &database.url(), "--workers", "2", "--db-connections", "99"];
    let (code, _, errors) = duet(&arguments);
    assert_eq!(code, 1);
    assert!(errors.contains("the server allows this user 77 (max_connections 80 - superuser_reserved_connections 3, limit of the role 77)"), "{errors}");
}
