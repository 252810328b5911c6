//! The file of a result. It is read and written as a stream, because the file of a long run is
//! large.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write as _};
use std::path::Path;
use std::thread;

use duet_model::Result;
use duet_verdict::result::{Head, RunResult, Second, check_times, not_a_result, wrong};
use duet_verdict::times::Damaged;
use serde::de::DeserializeOwned;

use crate::whole_file::WholeFile;

/// The seconds from which on several threads check them.
const MANY: usize = 2_000;

/// Reads a result file.
///
/// # Errors
/// `ResultFile`: it cannot be read, is not a result, or was written by a newer program.
pub fn read(path: &Path) -> Result<RunResult> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    parse(file, &name)
}

/// Parses a result. What cannot be parsed may be of a newer version, which is looked for in a second pass.
fn parse(mut file: impl Read + Seek, name: &str) -> Result<RunResult> {
    match from_json::<RunResult>(&mut file, name) {
        Ok(result) => {
            Head::of(&result).check(name)?;
            let result = result.completed_but_times(name)?;
            check_all_times(&result.seconds).map_err(|error| not_a_result(name).cause(error))?;
            Ok(result)
        }
        Err(error) => {
            file.rewind().map_err(|error| unreadable(name, &error))?;
            from_json::<Head>(&mut file, name)?.check(name)?;
            Err(error)
        }
    }
}

/// Checks the histograms of all seconds, those of a long run by several threads.
fn check_all_times(seconds: &[Second]) -> std::result::Result<(), Damaged> {
    if seconds.len() < MANY {
        return check_times(seconds);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let pieces = seconds.chunks(seconds.len().div_ceil(threads));
        let threads: Vec<_> = pieces.map(|piece| scope.spawn(|| check_times(piece))).collect();
        let failed = |_| Err(Damaged::new(&"a thread failed"));
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(failed))
    })
}

fn from_json<T: DeserializeOwned>(file: impl Read, name: &str) -> Result<T> {
    serde_json::from_reader(BufReader::new(file)).map_err(|error| match error.is_io() {
        true => unreadable(name, &io::Error::from(error)),
        false => not_a_result(name).cause(error),
    })
}

fn unreadable(name: &str, error: &io::Error) -> duet_model::Error {
    wrong(format!("The result {name} cannot be read: {error}."))
}

/// Writes a result whole: a reader never sees a part of it.
///
/// # Errors
/// `ResultFile`: the file cannot be written.
pub fn write(result: &RunResult, path: &Path) -> Result<()> {
    print(result, path).map_err(|error| {
        wrong(format!("The result cannot be written to {}: {error}.", path.display()))
    })
}

fn print(result: &RunResult, path: &Path) -> io::Result<()> {
    let mut file = WholeFile::begin(path)?;
    serde_json::to_writer_pretty(&mut file, result)?;
    file.write_all(b"\n")?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A text that records the size of each read.
    struct Counted<'a> {
        text: io::Cursor<&'a [u8]>,
        most: usize,
        all: u64,
    }

    impl Read for Counted<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.most = self.most.max(into.len());
            let count = self.text.read(into)?;
            self.all += count as u64;
            Ok(count)
        }
    }

    impl Seek for Counted<'_> {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.text.seek(to)
        }
    }

    #[test]
    fn a_large_file_is_read_piece_by_piece() {
        let second = Second { phase: "measure ".repeat(40), ..Second::default() };
        let seconds = vec![second; 2_000];
        let tool = "duet".to_owned();
        let result = RunResult { version: 2, tool, seconds, ..RunResult::default() };
        let text = result.to_json();
        assert!(text.len() > 1 << 20, "{}", text.len());
        let mut file = Counted { text: io::Cursor::new(text.as_bytes()), most: 0, all: 0 };
        // The reader is passed by reference, so that its counts remain available.
        let read = parse(&mut file, "large").unwrap();
        assert_eq!((read.seconds.len(), file.all), (2_000, text.len() as u64));
        assert!(file.most <= 64 << 10, "{} bytes at a time", file.most);
    }

    #[test]
    fn a_damaged_second_of_a_long_run_is_found() {
        let second = Second { phase: "measure".into(), ..Second::default() };
        let mut result = RunResult { version: 2, tool: "duet".into(), ..RunResult::default() };
        result.seconds = vec![second; 2 * MANY];
        result.seconds[MANY + 7].response_histogram = "AAAA".into();
        let error = parse(io::Cursor::new(result.to_json()), "long").unwrap_err();
        assert!(error.message.contains("is not a result"), "{error:?}");
        result.seconds[MANY + 7].response_histogram.clear();
        assert!(parse(io::Cursor::new(result.to_json()), "long").is_ok());
        // What a newer version has written is named, whether or not it can be parsed.
        for seconds in ["[]", "7"] {
            let newer = format!("{{\"version\":9,\"tool\":\"duet 9\",\"seconds\":{seconds}}}");
            let error = parse(io::Cursor::new(newer), "new").unwrap_err();
            assert!(error.message.contains("has version 9"), "{error:?}");
        }
    }

    #[test]
    fn it_is_written_as_a_stream() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let result = RunResult { version: 2, tool: "duet".into(), ..RunResult::default() };
        write(&result, &path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), result.to_json());
    }

    #[test]
    fn a_folder_is_no_result() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path()).unwrap_err();
        assert!(error.message.contains("cannot be read"), "{error:?}");
    }

    #[test]
    fn written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let result = RunResult { version: 1, tool: "duet".into(), ..RunResult::default() };
        write(&result, &path).unwrap();
        assert_eq!(read(&path).unwrap(), result);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unreadable_files_are_refused() {
        let error = read(Path::new("/nowhere/a.json")).unwrap_err();
        assert!(error.message.contains("cannot be read"), "{error:?}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, b"\xff").unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.message.contains("is not a result"), "{error:?}");
        assert!(write(&RunResult::default(), Path::new("/nowhere/a.json")).is_err());
    }
}
