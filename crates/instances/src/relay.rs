//! One log of many processes: what an instance writes goes on line by line, with its number.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A longer line goes on in pieces.
const LONGEST: usize = 256 << 10;

/// Copies lines from a pipe until it ends, on a thread of its own: writing may block, and must not
/// keep the supervisor from watching. Lines get the instance's number while `numbered` is set.
pub(crate) fn relay(
    pipe: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
    number: usize,
    numbered: Arc<AtomicBool>,
) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(format!("log-{number}")).spawn(move || {
        copy(BufReader::new(pipe), to, number, &numbered);
    })
}

fn copy(mut from: impl BufRead, mut to: impl Write, number: usize, numbered: &AtomicBool) {
    let mut line = Vec::new();
    while let Ok(1..) = (&mut from).take(LONGEST as u64).read_until(b'\n', &mut line) {
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if numbered.load(Ordering::Relaxed) {
            add_number(&mut line, number);
        }
        line.push(b'\n');
        // In one piece, so that it stays whole; a log that is not read any more stops nothing.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        line.clear();
    }
}

/// Adds the number as the last member of an object of JSON, or as a field behind a text.
fn add_number(line: &mut Vec<u8>, number: usize) {
    let is_object = line.first() == Some(&b'{') && line.last() == Some(&b'}');
    match is_object {
        true => {
            line.pop();
            let comma = if line.len() > 1 { "," } else { "" };
            line.extend_from_slice(format!("{comma}\"instance\":{number}}}").as_bytes());
        }
        false => line.extend_from_slice(format!(" instance={number}").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(text: &str, numbered: bool) -> String {
        let mut out = Vec::new();
        copy(text.as_bytes(), &mut out, 3, &AtomicBool::new(numbered));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_line_is_whole_and_has_the_number() {
        assert_eq!(
            copied("a\n{\"b\":1}\n{}\ncut", true),
            "a instance=3\n{\"b\":1,\"instance\":3}\n{\"instance\":3}\ncut instance=3\n"
        );
        assert_eq!(copied("error: no\nhint: yes\n", false), "error: no\nhint: yes\n");
        assert_eq!(copied("", true), "");
    }
}
