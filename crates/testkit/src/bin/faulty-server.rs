//! An HTTP server that fails on purpose, for clients that are to be measured: `faulty-server
//! [--drop N] [--delay MS]`. It answers every `GET` with a small JSON document, after so many
//! milliseconds, and closes the connection instead of every Nth answer. It prints its port, and serves until it is
//! killed, with a thread for each connection.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"id\":12345}";
/// A connection's thread calls little.
const STACK: usize = 64 << 10;

#[derive(Debug, Default)]
struct Faults {
    /// Every so many answers are left out; 0 for none.
    drop: u64,
    delay: Duration,
    requests: AtomicU64,
}

fn main() -> ExitCode {
    match faults(std::env::args().skip(1)).map(serve) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("{message}\nusage: faulty-server [--drop N] [--delay MS]");
            ExitCode::from(2)
        }
    }
}

fn faults(mut words: impl Iterator<Item = String>) -> Result<Faults, String> {
    let mut faults = Faults::default();
    while let Some(word) = words.next() {
        let number = words.next().and_then(|text| text.parse().ok());
        let number = number.ok_or_else(|| format!("{word} needs a number"))?;
        match &*word {
            "--drop" => faults.drop = number,
            "--delay" => faults.delay = Duration::from_millis(number),
            _ => return Err(format!("{word} is not known")),
        }
    }
    Ok(faults)
}

fn serve(faults: Faults) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("{}", listener.local_addr()?.port());
    let faults = Arc::new(faults);
    loop {
        let (stream, _) = listener.accept()?;
        let faults = Arc::clone(&faults);
        // A client that goes away ends its thread.
        let talk = move || drop(talk(stream, &faults));
        thread::Builder::new().stack_size(STACK).spawn(talk)?;
    }
}

/// Answers the requests of a connection, which come one at a time and without bodies.
fn talk(mut stream: TcpStream, faults: &Faults) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut buffer, mut filled) = ([0; 4096], 0);
    loop {
        let read = stream.read(&mut buffer[filled..])?;
        filled += read;
        if read == 0 {
            return Ok(());
        }
        if !buffer[..filled].ends_with(b"\r\n\r\n") {
            continue;
        }
        filled = 0;
        thread::sleep(faults.delay);
        let number = faults.requests.fetch_add(1, Ordering::Relaxed) + 1;
        if faults.drop > 0 && number.is_multiple_of(faults.drop) {
            return Ok(());
        }
        stream.write_all(ANSWER)?;
    }
}
