//! What the process takes, as the kernel counts it: no more than `--memory` and what the program
//! needs itself, whatever clients do; and nothing is kept once they have gone.

use std::io::{Read, Write};
use std::net::TcpStream;

use duet_testkit::command::{Running, wait_until};
use duet_testkit::sqlite::Folder;

const CLIENTS: usize = 60;
const ROWS: usize = 8;
const ROW_MIB: usize = 8;
const MEMORY_MIB: usize = 64;
/// What the heap needs whatever the requests.
const BESIDE_MIB: usize = 24;
/// What the heap has left when nothing is requested.
const KEPT_MIB: usize = 32;

/// A line of `/proc/PID/status`, in MiB.
fn status(server: &Running, name: &str) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.process()));
    let text = text.expect("a server that runs");
    let value = |line: &str| line.strip_prefix(name)?.split_whitespace().nth(1)?.parse().ok();
    let kib: usize = text.lines().find_map(value).expect("a number of KiB");
    kib >> 10
}

/// Many clients request large rows, by key, in pages and in streams, and read nothing of them.
#[test]
fn large_rows_that_are_not_read_stay_within_the_memory() {
    let folder = Folder::new();
    let text = format!("replace(hex(zeroblob({})), '0', 'x')", ROW_MIB << 19);
    let rows = (0..ROWS).map(|id| format!("({id}, {text})")).collect::<Vec<_>>().join(", ");
    let table = "CREATE TABLE large (id integer NOT NULL PRIMARY KEY, body text)";
    let file = folder.load("a.db", &[table, &format!("INSERT INTO large VALUES {rows}")]);
    let (database, memory) = (format!("sqlite:{}", file.display()), format!("{MEMORY_MIB}MiB"));
    let server = Running::start(&[
        "serve", &database, "--listen", "0", "--open", "all", "--memory", &memory,
    ]);
    let mount = server.ready()["mounts"].as_object().unwrap().values().next().unwrap().clone();
    let (url, mount) = (server.url(), mount.as_str().unwrap().to_owned());
    let address = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let request = |client: usize| {
        let (row, ndjson) = (client % ROWS, "application/x-ndjson");
        let (path, accept) = match client % 5 {
            0 => (format!("?limit=2&offset={row}"), "application/json"),
            1 => (format!("?offset={row}"), ndjson),
            _ => (row.to_string(), "application/json"),
        };
        let mut stream = TcpStream::connect(&address).unwrap();
        let head =
            format!("GET {mount}/large/{path} HTTP/1.1\r\nHost: h\r\nAccept: {accept}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let mut clients: Vec<TcpStream> = (0..CLIENTS).map(request).collect();
    let answers = clients.iter_mut().map(|client| {
        let mut beginning = [0; 12];
        client.read_exact(&mut beginning).unwrap();
        String::from_utf8_lossy(&beginning[9..]).into_owned()
    });
    let answers: Vec<String> = answers.collect();
    assert!(answers.iter().all(|status| status == "200" || status == "503"), "{answers:?}");
    // The pages of the program's file are the kernel's, and grow with what is compiled into it.
    let (peak, file) = (status(&server, "VmHWM"), status(&server, "RssFile"));
    assert!(peak <= MEMORY_MIB + BESIDE_MIB + file, "{peak} MiB, {file} MiB of them the file's");
    drop(clients);
    // Without the pages of the program's file, which the kernel keeps for as long as it likes.
    wait_until("the memory is given back", || status(&server, "RssAnon") <= KEPT_MIB);
    // Requests at the same moment may all have been refused; a later one is answered.
    let mut later = request(2);
    let mut beginning = [0; 12];
    later.read_exact(&mut beginning).unwrap();
    assert_eq!(String::from_utf8_lossy(&beginning[9..]), "200");
}
