//! Connections by client address: which are refused, which are closed to make room.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use duet_testkit::http::Client;
use socket2::{Domain, Socket, Type};

use crate::support::{App, Database, Setup};

const TABLE: &str = "
CREATE TABLE wide (id integer NOT NULL PRIMARY KEY, filling text);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
  INSERT INTO wide SELECT i, printf('%0900d', i) FROM n;
";

/// A server on which loopback addresses count like others.
fn start(connections: usize, per_address: Option<usize>) -> (Database, App) {
    let database = Database::sqlite();
    database.exec(TABLE);
    let limited = |setup: &mut Setup| {
        setup.options.limits.connections = connections;
        setup.options.limits.connections_per_address = per_address;
        setup.options.limits.counts_loopback = true;
    };
    let app = Setup::new(&database).without_poll().with(limited).start();
    (database, app)
}

/// A connection from `127.0.0.{host}`.
fn stream_from(app: &App, host: u8) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::new(127, 0, 0, host), 0)).into()).unwrap();
    socket.connect(&app.address().into()).unwrap();
    socket.into()
}

fn client_from(app: &App, host: u8) -> Client {
    Client::over_tcp(stream_from(app, host))
}

fn is_served(client: &mut Client) -> bool {
    client.try_request("GET", "/health/live", &[], b"").is_ok_and(|response| response.status == 200)
}

/// A counter of connections, asked over one that is open.
fn counted(app: &App, client: &mut Client, name: &str) -> u64 {
    let metrics = client.get("/metrics", &[("Authorization", &app.bearer())]);
    let name = format!("duet_connections_{name}_total ");
    let value = metrics.text().lines().find_map(|line| line.strip_prefix(&name)).unwrap();
    value.parse().unwrap()
}

#[test]
fn one_address_gets_half_of_the_places() {
    let (_database, app) = start(6, None);
    let mut many: Vec<Client> = (0..3).map(|_| client_from(&app, 2)).collect();
    assert!(many.iter_mut().all(is_served));
    let response = client_from(&app, 2).read_response(false).unwrap();
    assert_eq!((response.status, response.header("retry-after")), (503, Some("1")));
    let error = response.json();
    assert_eq!(error["errors"][0]["code"], "DUET-6002");
    assert!(error["detail"].as_str().unwrap().contains("max_connections_per_address"), "{error}");
    assert!(is_served(&mut client_from(&app, 3)), "another address has places");
    assert!(many.iter_mut().all(is_served), "those that are open stay open");
    for (name, value) in [("refused_address", 1), ("refused", 1), ("evicted", 0)] {
        assert_eq!(counted(&app, &mut many[0], name), value, "{name}");
    }
}

#[test]
fn a_full_table_closes_the_longest_idle_of_the_largest_holder() {
    let (_database, app) = start(6, Some(6));
    let mut single = client_from(&app, 3);
    assert!(is_served(&mut single));
    let mut half = stream_from(&app, 2);
    half.write_all(b"GET /health/live HTTP/1.1\r\nHost:").unwrap();
    let mut many: Vec<Client> = (0..3).map(|_| client_from(&app, 2)).collect();
    assert!(many.iter_mut().all(is_served));
    let mut silent = client_from(&app, 2);
    assert!(is_served(&mut many[0]), "used again, so it is no longer the longest idle");

    let mut first = client_from(&app, 4);
    assert!(is_served(&mut first));
    let mut rest = Vec::new();
    drop(half.read_to_end(&mut rest));
    assert_eq!(rest, b"", "half a head is no request under way");
    let mut second = client_from(&app, 5);
    assert!(is_served(&mut second));
    assert_eq!(many.remove(1).read_to_end().unwrap(), b"");
    let mut third = client_from(&app, 6);
    assert!(is_served(&mut third));
    assert_eq!(many.remove(1).read_to_end().unwrap(), b"");
    assert!([&mut single, &mut many[0], &mut silent].into_iter().all(is_served));
    assert!([&mut first, &mut second, &mut third].into_iter().all(is_served));
    assert_eq!(counted(&app, &mut single, "evicted"), 3);
}

#[test]
fn a_response_that_is_being_sent_is_never_cut_off() {
    let (_database, app) = start(3, Some(3));
    let mut slow = stream_from(&app, 2);
    let bearer = app.bearer();
    let request = format!(
        "GET /ords/hr/wide/?limit=10000 HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\nConnection: close\r\n\r\n"
    );
    slow.write_all(request.as_bytes()).unwrap();
    let mut start = [0; 12];
    slow.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    let mut idle = client_from(&app, 2);
    let mut other = client_from(&app, 3);
    assert!(is_served(&mut idle) && is_served(&mut other));
    let mut next = client_from(&app, 3);
    assert!(is_served(&mut next));
    assert_eq!(idle.read_to_end().unwrap(), b"", "it is younger than the slow one, but idle");
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).unwrap();
    let body = rest.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let page: serde_json::Value = serde_json::from_slice(&rest[body..]).unwrap();
    assert!(page["items"].as_array().is_some_and(|items| !items.is_empty()));
    assert!(is_served(&mut other) && is_served(&mut next));
}
