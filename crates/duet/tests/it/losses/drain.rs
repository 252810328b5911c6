//! A stop under load: clients that go elsewhere when they are told to lose no request.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use duet_testkit::command::{Running, Signal};
use duet_testkit::http::Client;

const ITEM: &str = "/ords/hr/team/2";
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Counts {
    answered: AtomicUsize,
    answered_while_stopping: AtomicUsize,
    failed: AtomicUsize,
    /// Whether clients follow `Connection: close` to another server.
    elsewhere: AtomicBool,
}

/// Asks over connections that are kept until a response closes them, and then over new ones, or ends
/// where clients go elsewhere.
fn ask(url: &str, counts: &Counts) {
    while let Ok(mut client) = Client::try_connect(url) {
        for asked in 0.. {
            let Ok(response) = client.try_request("GET", ITEM, &[], b"") else {
                // A connection that is made in the moment when the last socket is closed is lost on every system.
                let is_lost = asked == 0 && Client::try_connect(url).is_err();
                counts.failed.fetch_add(usize::from(!is_lost), Ordering::Relaxed);
                break;
            };
            let good = response.status == 200;
            let counter = if good { &counts.answered } else { &counts.failed };
            counter.fetch_add(1, Ordering::Relaxed);
            if response.header("connection") == Some("close") {
                counts.answered_while_stopping.fetch_add(1, Ordering::Relaxed);
                if counts.elsewhere.load(Ordering::Relaxed) {
                    return;
                }
                break;
            }
        }
    }
}

fn wait_until(what: &str, check: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !check() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The status of readiness; `None` without a listener.
fn readiness(url: &str) -> Option<u16> {
    let mut client = Client::try_connect(url).ok()?;
    client.try_request("GET", "/health/ready", &[], b"").ok().map(|response| response.status)
}

#[test]
fn a_stop_under_load_loses_no_request() {
    let server = Running::start(&[
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--open",
        "read",
        "--drain-delay",
        "1s",
    ]);
    let url = server.url();
    let counts = Counts::default();
    let mut begun = Client::connect(&url);
    assert_eq!(begun.get(ITEM, &[]).status, 200);
    begun.send(format!("GET {ITEM} HTTP/1.1\r\nHo").as_bytes()).unwrap();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8).map(|_| scope.spawn(|| ask(&url, &counts))).collect();
        wait_until("the clients are busy", || counts.answered.load(Ordering::Relaxed) > 200);
        server.signal(Signal::SIGTERM);
        wait_until("it says that it is not ready", || readiness(&url) == Some(503));
        let before = counts.answered_while_stopping.load(Ordering::Relaxed);
        wait_until("it answers all the same", || {
            counts.answered_while_stopping.load(Ordering::Relaxed) > before
        });
        // A connection that is made in the moment when the socket is closed is lost on every system.
        counts.elsewhere.store(true, Ordering::Relaxed);
        for client in clients {
            client.join().unwrap();
        }
    });
    assert_eq!(counts.failed.load(Ordering::Relaxed), 0);
    wait_until("the listener has closed", || Client::try_connect(&url).is_err());
    // What had begun to arrive is answered.
    begun.send(b"st: h\r\n\r\n").unwrap();
    let last = begun.read_response(false).unwrap();
    assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    assert!(server.stop().success());
}

/// Each instance closes the socket that all accept from: what waits there is accepted before the last one
/// does. Clients that are refused have lost nothing.
#[test]
fn instances_that_stop_under_load_lose_no_request() {
    for _ in 0..3 {
        let arguments = ["demo", "--listen", "127.0.0.1:0", "--open", "read", "--instances", "3"];
        let mut server = Running::start(&arguments);
        let (url, counts) = (server.url(), Counts::default());
        std::thread::scope(|scope| {
            (0..8).for_each(|_| drop(scope.spawn(|| ask(&url, &counts))));
            (0..8).for_each(|_| drop(scope.spawn(|| ask_once(&url, &counts))));
            wait_until("the clients are busy", || counts.answered.load(Ordering::Relaxed) > 500);
            server.signal(Signal::SIGTERM);
        });
        let answered = counts.answered.load(Ordering::Relaxed);
        assert_eq!(counts.failed.load(Ordering::Relaxed), 0, "of {answered}");
        assert!(server.wait().success());
    }
}

/// A connection for each request.
fn ask_once(url: &str, counts: &Counts) {
    while let Ok(mut client) = Client::try_connect(url) {
        let answer = client.try_request("GET", ITEM, &[("Connection", "close")], b"");
        // As above.
        if answer.is_err() && Client::try_connect(url).is_err() {
            break;
        }
        let good = answer.is_ok_and(|answer| answer.status == 200);
        let counter = if good { &counts.answered } else { &counts.failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn without_a_delay_it_stops_at_once() {
    let server = Running::start(&["demo", "--listen", "127.0.0.1:0", "--open", "read"]);
    let mut idle = Client::connect(&server.url());
    assert_eq!(idle.get(ITEM, &[]).status, 200);
    server.signal(Signal::SIGTERM);
    assert_eq!(idle.read_to_end().unwrap(), b"", "an idle connection is closed");
    assert!(server.stop().success());
}
