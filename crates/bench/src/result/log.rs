//! The interval log of a run, beside its result: HdrHistogram's format 1.3, with every second's histograms by
//! type. Service time is tagged with the type's short name, response time with the name and `.response`.
//!
//! Histograms stay packed while they are held: unpacked, those of a day would fill the memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;

use super::RESULT;
use crate::record::{histogram, pack, unpack};

/// The name of the log in the folder of a result.
pub const LOG: &str = "histograms.hlog";
/// What a tag of response times ends with.
pub(crate) const RESPONSE: &str = ".response";

/// The log of a result: that of its folder, or one with the result's name.
pub fn path_beside(result: &Path) -> PathBuf {
    match result.file_name().is_some_and(|name| name == RESULT) {
        true => result.with_file_name(LOG),
        false => result.with_extension("hlog"),
    }
}

/// Writes a log.
#[derive(Debug)]
pub struct LogWriter {
    file: BufWriter<File>,
}

impl LogWriter {
    /// Begins a log of a run that began so many seconds after 1970.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(path: &Path, start: f64) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "#[Histogram log format version 1.3]")?;
        writeln!(file, "#[StartTime: {start:.3} (seconds since epoch)]")?;
        writeln!(file, "#[BaseTime: {start:.3} (seconds since epoch)]")?;
        writeln!(
            file,
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
        )?;
        Ok(Self { file })
    }

    /// Adds a type's histograms of a second; an empty one is left out.
    ///
    /// # Errors
    /// Where the disk is full.
    pub fn add(
        &mut self,
        second: u64,
        kind: &str,
        service: &Histogram<u64>,
        response: &Histogram<u64>,
    ) -> io::Result<()> {
        let kind = log_tag(kind);
        for (histogram, of) in [(service, ""), (response, RESPONSE)] {
            if !histogram.is_empty() {
                let longest = histogram.max() as f64 / 1000.0;
                let packed = pack(histogram);
                writeln!(self.file, "Tag={kind}{of},{second}.000,1.000,{longest:.3},{packed}")?;
            }
        }
        Ok(())
    }

    /// Gives what was added to the disk.
    ///
    /// # Errors
    /// Where the disk is full.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Packed histograms of service and of response times, by second and type.
    seconds: BTreeMap<u64, BTreeMap<String, [String; 2]>>,
}

impl Log {
    /// Reads a log.
    ///
    /// # Errors
    /// Where there is none, or it is something else.
    pub fn read(path: &Path) -> io::Result<Self> {
        Self::of(BufReader::new(File::open(path)?))
    }

    fn of(text: impl BufRead) -> io::Result<Self> {
        let mut log = Self::default();
        for line in text.lines() {
            let line = line?;
            let Some(LogLine { second, tag, packed }) = LogLine::of(&line)? else { continue };
            let (kind, place) = match tag.strip_suffix(RESPONSE) {
                Some(kind) => (kind, 1),
                None => (tag, 0),
            };
            let kinds = log.seconds.entry(second).or_default();
            packed.clone_into(&mut kinds.entry(kind.to_owned()).or_default()[place]);
        }
        Ok(log)
    }

    /// All types' service times in a second.
    ///
    /// # Errors
    /// Where a histogram is damaged.
    pub(super) fn service(&self, second: u64) -> io::Result<Histogram<u64>> {
        let mut all = histogram();
        for [service, _] in self.seconds.get(&second).into_iter().flat_map(BTreeMap::values) {
            add(&mut all, service)?;
        }
        Ok(all)
    }

    /// Writes the log of several machines, each with the second of the whole at which its own begin.
    ///
    /// # Errors
    /// Where it cannot be written, or a histogram is damaged.
    pub(super) fn write_all(logs: &[(&Self, u64)], path: &Path, start: f64) -> io::Result<()> {
        let mut writer = LogWriter::begin(path, start)?;
        let last = logs.iter().filter_map(|(log, shift)| {
            log.seconds.last_key_value().map(|(second, _)| second.saturating_add(*shift))
        });
        for second in 0..=last.max().unwrap_or(0) {
            let mut kinds: BTreeMap<&str, [Histogram<u64>; 2]> = BTreeMap::new();
            for (log, shift) in logs {
                let own = second.checked_sub(*shift).and_then(|second| log.seconds.get(&second));
                for (kind, [service, response]) in own.into_iter().flatten() {
                    let sums = kinds.entry(kind).or_insert_with(|| [histogram(), histogram()]);
                    add(&mut sums[0], service)?;
                    add(&mut sums[1], response)?;
                }
            }
            for (kind, [service, response]) in kinds {
                writer.add(second, kind, &service, &response)?;
            }
        }
        writer.flush()
    }
}

/// The tag of a type with this short name.
pub(crate) fn log_tag(kind: &str) -> String {
    kind.replace([',', ' ', '\n', '\r'], "_")
}

/// A line such as `Tag=GET,3.000,1.000,0.250,HISTFAAA…`.
pub(crate) struct LogLine<'a> {
    pub(crate) second: u64,
    pub(crate) tag: &'a str,
    pub(crate) packed: &'a str,
}

impl<'a> LogLine<'a> {
    /// The parts of a line; `None` of one that holds no histogram.
    ///
    /// # Errors
    /// Where it is not a line of a log.
    pub(crate) fn of(line: &'a str) -> io::Result<Option<Self>> {
        if line.starts_with(['#', '"']) || line.is_empty() {
            return Ok(None);
        }
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "not a line of a log");
        Self::parts(line).ok_or_else(wrong).map(Some)
    }

    fn parts(line: &'a str) -> Option<Self> {
        let mut words = line.strip_prefix("Tag=")?.split(',');
        let (tag, second) = (words.next()?, words.next()?);
        let second: f64 = second.parse().ok().filter(|second| (0.0..1e9).contains(second))?;
        Some(Self { second: second as u64, tag, packed: words.nth(2)? })
    }
}

fn add(sum: &mut Histogram<u64>, packed: &str) -> io::Result<()> {
    sum.add(&unpack(packed)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(micros: &[u64]) -> Histogram<u64> {
        let mut times = histogram();
        micros.iter().for_each(|micros| times.record(*micros).unwrap());
        times
    }

    #[test]
    fn written_read_and_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG);
        let mut writer = LogWriter::begin(&path, 1.5).unwrap();
        writer.add(0, "A b", &times(&[100]), &times(&[900])).unwrap();
        writer.add(2, "B", &times(&[200, 300]), &times(&[])).unwrap();
        writer.flush().unwrap();
        let log = Log::read(&path).unwrap();
        assert_eq!(log.service(2).unwrap(), times(&[200, 300]));
        assert!(log.service(1).unwrap().is_empty());
        let all = folder.path().join("all.hlog");
        Log::write_all(&[(&log, 0), (&log, 2)], &all, 1.5).unwrap();
        let sum = Log::read(&all).unwrap();
        assert_eq!(sum.service(2).unwrap(), times(&[100, 200, 300]));
        assert_eq!(sum.service(4).unwrap(), times(&[200, 300]));
        assert_eq!(sum.seconds[&2]["A_b"], log.seconds[&0]["A_b"]);
    }

    #[test]
    fn what_is_no_log() {
        for line in ["x", "Tag=A", "Tag=A,1.0,1.0,1.0", "Tag=A,-1,1,1,x", "Tag=A,1e300,1,1,x"] {
            assert!(Log::of(line.as_bytes()).is_err(), "{line}");
        }
        let damaged = Log::of("Tag=A,1.000,1.000,1.000,AAAA".as_bytes()).unwrap();
        assert!(damaged.service(1).is_err());
        assert_eq!(path_beside(Path::new("a/result.json")), Path::new("a/histograms.hlog"));
        assert_eq!(path_beside(Path::new("a/all.json")), Path::new("a/all.hlog"));
    }
}
