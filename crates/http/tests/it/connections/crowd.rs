//! Ten thousand open connections, of which some are busy. The other ends are in a process of
//! their own: one process may not have descriptors for both.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::{Child, Database, Load, PATIENCE, Setup, child_role};

const CROWD: usize = 10_000;
const ITEM: &str = "/ords/hr/team/301";

#[test]
fn ten_thousand_connections() {
    let files = || getrlimit(Resource::Nofile);
    let limit = files().maximum.unwrap_or(u64::MAX);
    if limit < CROWD as u64 + 500 {
        eprintln!("NOT TESTED: {CROWD} connections, because only {limit} files may be open");
        return;
    }
    let database = Database::sqlite();
    database.exec("CREATE TABLE team (team_id integer PRIMARY KEY, name text); INSERT INTO team VALUES (301, 'Ferrari');");
    let app = Setup::new(&database)
        .with(|setup| {
            setup.options.limits.connections = CROWD + 100;
            setup.options.limits.header_timeout = Duration::from_secs(600);
        })
        .start();
    // The server has raised its own limit.
    assert_eq!(files().current.unwrap_or(u64::MAX), limit);
    let role = format!("{}\n{}", app.address(), app.bearer());
    let mut crowd = Child::start("connections::crowd::child", &role, |_| ());
    assert_eq!(crowd.wait_for("OPEN"), CROWD.to_string());
    // Busy clients are served in between, as are new requests.
    let load = Load::start(&app, 4, &[ITEM, "/ords/hr/team/"], |_, response| {
        if response.status == 200 { Ok(()) } else { Err("not 200".into()) }
    });
    crowd.say("ASK");
    assert_eq!(crowd.wait_for("ANSWERED"), "900");
    load.more(500);
    load.stop();
    let metrics = app.get("/metrics");
    let open = metrics.text().lines().find(|line| line.starts_with("duet_connections ")).unwrap();
    let open: usize = open.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(open > CROWD, "{open}");
    // They all go at once.
    crowd.finish();
    crate::support::eventually("their places are free", || {
        app.get("/metrics").text().lines().any(|line| line == "duet_connections 1")
    });
}

/// Opens the connections, asks on some when told to, and holds all until its input ends.
#[test]
#[ignore = "runs as a child of another test"]
fn child() {
    let Some(role) = child_role() else { return };
    let (address, bearer) = role.split_once('\n').unwrap();
    let address: SocketAddr = address.parse().unwrap();
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    let mut crowd: Vec<TcpStream> = (0..CROWD)
        .map(|n| TcpStream::connect(address).unwrap_or_else(|e| panic!("{n}: {e}")))
        .collect();
    println!("\nOPEN {}", crowd.len());
    let mut input = BufReader::new(std::io::stdin());
    input.read_line(&mut String::new()).unwrap();
    let request = format!("GET {ITEM} HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer}\r\n\r\n");
    let mut answered = 0;
    for _round in 0..3 {
        let busy = crowd.iter_mut().step_by(CROWD / 300).take(300);
        let mut asked = Vec::new();
        for stream in busy {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            asked.push(stream);
        }
        for stream in asked {
            let mut start = [0; 15];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200 OK");
            let mut rest = vec![0; 4_096];
            let mut seen = Vec::new();
            while !seen.ends_with(b"}]}") {
                let count = stream.read(&mut rest).unwrap();
                assert!(count > 0);
                seen.extend_from_slice(&rest[..count]);
            }
            answered += 1;
        }
    }
    println!("\nANSWERED {answered}");
    input.read_line(&mut String::new()).unwrap();
}
