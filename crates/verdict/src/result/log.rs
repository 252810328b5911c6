//! The interval log of a run, beside its result: HdrHistogram's format 1.3, with every second's histograms by
//! type. Service time is tagged with the type's short name, response time with the name and `.response`.
//!
//! A log is streamed second by second, because the log of a long run does not fit in memory.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::times::{Damaged, add, histogram, pack};

/// The suffix of the tags of response times.
pub const RESPONSE: &str = ".response";

/// The header of a log; `start` is in seconds since 1970.
pub fn log_head(start_s: f64) -> String {
    format!(
        "#[Histogram log format version 1.3]\n\
         #[StartTime: {start_s:.3} (seconds since epoch)]\n\
         #[BaseTime: {start_s:.3} (seconds since epoch)]\n\
         \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    )
}

/// The lines of a type's histograms in a second; empty histograms are omitted.
pub fn log_lines(
    second: u64,
    kind: &str,
    service: &Histogram<u64>,
    response: &Histogram<u64>,
) -> String {
    let kind = log_tag(kind);
    let line = |(histogram, of): (&Histogram<u64>, &str)| {
        let longest = histogram.max() as f64 / 1000.0;
        let packed = pack(histogram);
        format!("Tag={kind}{of},{second}.000,1.000,{longest:.3},{packed}\n")
    };
    let both = [(service, ""), (response, RESPONSE)];
    both.into_iter().filter(|(histogram, _)| !histogram.is_empty()).map(line).collect()
}

/// The packed histograms of a second by type: service times and response times. Several types may have one tag.
pub(super) type Kinds = BTreeMap<String, [Vec<String>; 2]>;

/// Streams a log second by second; only one second is held in memory.
pub struct LogReader<'a> {
    name: String,
    lines: Box<dyn Iterator<Item = Result<String, Damaged>> + 'a>,
    /// The first line of the next second, read ahead.
    ahead: Option<String>,
    /// The last second that was read.
    last: Option<u64>,
}

impl std::fmt::Debug for LogReader<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LogReader")
            .field("name", &self.name)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

impl<'a> LogReader<'a> {
    /// Reads the lines of a log; `name` is its name in errors.
    pub fn new(name: String, lines: impl Iterator<Item = Result<String, Damaged>> + 'a) -> Self {
        Self { name, lines: Box::new(lines), ahead: None, last: None }
    }

    /// Its name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the next second; `None` at the end.
    ///
    /// # Errors
    /// If a line is not a log line, cannot be read, or is out of order.
    pub(super) fn next_second(&mut self) -> Result<Option<u64>, Damaged> {
        loop {
            if let Some(line) = &self.ahead
                && let Some(line) = LogLine::of(line)?
            {
                return match self.last {
                    Some(last) if line.second <= last => {
                        Err(Damaged("the seconds of the log are not in their order".into()))
                    }
                    _ => Ok(Some(line.second)),
                };
            }
            match self.lines.next() {
                Some(line) => self.ahead = Some(line?),
                None => return Ok(None),
            }
        }
    }

    /// The histograms of the next second.
    pub(super) fn take(&mut self, second: u64) -> Result<Kinds, Damaged> {
        let mut kinds = Kinds::new();
        while self.next_second()? == Some(second) {
            let text = self.ahead.take().unwrap_or_default();
            if let Some(LogLine { kind, place, packed, .. }) = LogLine::of(&text)? {
                kinds.entry(kind.to_owned()).or_default()[place].push(packed.to_owned());
            }
        }
        self.last = Some(second);
        Ok(kinds)
    }

    /// The histograms of a second; earlier seconds are skipped.
    fn second(&mut self, second: u64) -> Result<Kinds, Damaged> {
        while let Some(next) = self.next_second()?.filter(|next| *next <= second) {
            let kinds = self.take(next)?;
            if next == second {
                return Ok(kinds);
            }
        }
        Ok(Kinds::new())
    }

    /// The merged service times of all types in a second; earlier seconds are skipped.
    ///
    /// # Errors
    /// If a histogram is damaged, or a line cannot be read.
    pub fn service(&mut self, second: u64) -> Result<Histogram<u64>, Damaged> {
        let mut all = histogram();
        for [service, _] in self.second(second)?.values() {
            add_all(&mut all, service)?;
        }
        Ok(all)
    }
}

/// The merged logs of several machines.
#[derive(Debug)]
pub struct MergedLog<'a> {
    /// When it begins, in seconds since 1970.
    pub start_s: f64,
    /// The logs, each with its offset in seconds.
    pub(super) logs: Vec<(LogReader<'a>, u64)>,
}

impl MergedLog<'_> {
    /// The lines of the next non-empty second; `None` at the end.
    ///
    /// # Errors
    /// If a histogram is damaged, or a line cannot be read, with the log's name.
    pub fn next_lines(&mut self) -> Result<Option<String>, Damaged> {
        let mut next = None;
        for (log, shift) in &mut self.logs {
            let own = log.next_second().map_err(|error| error.of(&log.name))?;
            let own = own.map(|second| second.saturating_add(*shift));
            next = [next, own].into_iter().flatten().min();
        }
        next.map(|second| self.lines(second)).transpose()
    }

    fn lines(&mut self, second: u64) -> Result<String, Damaged> {
        let mut kinds: BTreeMap<String, [Histogram<u64>; 2]> = BTreeMap::new();
        for (log, shift) in &mut self.logs {
            let Some(own) = second.checked_sub(*shift) else { continue };
            for (kind, [service, response]) in
                log.second(own).map_err(|error| error.of(&log.name))?
            {
                let sums = kinds.entry(kind).or_insert_with(|| [histogram(), histogram()]);
                let added = add_all(&mut sums[0], &service);
                let added = added.and_then(|()| add_all(&mut sums[1], &response));
                added.map_err(|error| error.of(&log.name))?;
            }
        }
        let lines = |(kind, [service, response]): (String, [Histogram<u64>; 2])| {
            log_lines(second, &kind, &service, &response)
        };
        Ok(kinds.into_iter().map(lines).collect())
    }
}

fn add_all(sum: &mut Histogram<u64>, texts: &[String]) -> Result<(), Damaged> {
    texts.iter().try_for_each(|text| add(sum, text))
}

/// The tag of a type with this short name.
pub fn log_tag(kind: &str) -> String {
    kind.replace([',', ' ', '\n', '\r'], "_")
}

/// A line such as `Tag=GET,3.000,1.000,0.250,HISTFAAA…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// The second, counted from 0.
    pub second: u64,
    /// The type's [tag](log_tag).
    pub kind: &'a str,
    /// 0 for service times, 1 for response times.
    pub place: usize,
    /// The packed histogram.
    pub packed: &'a str,
}

impl<'a> LogLine<'a> {
    /// Parses a line; `None` for one without a histogram.
    ///
    /// # Errors
    /// If it is not a log line.
    pub fn of(line: &'a str) -> Result<Option<Self>, Damaged> {
        if line.starts_with(['#', '"']) || line.is_empty() {
            return Ok(None);
        }
        let wrong = || Damaged("not a line of a log".into());
        Self::parts(line).ok_or_else(wrong).map(Some)
    }

    fn parts(line: &'a str) -> Option<Self> {
        let mut words = line.strip_prefix("Tag=")?.split(',');
        let (tag, second) = (words.next()?, words.next()?);
        let second: f64 = second.parse().ok().filter(|second| (0.0..1e9).contains(second))?;
        let (kind, place) = match tag.strip_suffix(RESPONSE) {
            Some(kind) => (kind, 1),
            None => (tag, 0),
        };
        Some(Self { second: second as u64, kind, place, packed: words.nth(2)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(micros: &[u64]) -> Histogram<u64> {
        let mut times = histogram();
        micros.iter().for_each(|micros| times.record(*micros).unwrap());
        times
    }

    fn log(text: &str) -> LogReader<'_> {
        LogReader::new("log".into(), text.lines().map(|line| Ok(line.to_owned())))
    }

    #[test]
    fn writes_reads_and_adds_histograms() {
        let first = log_lines(0, "A b", &times(&[100]), &times(&[900]));
        let second = log_lines(2, "B", &times(&[200, 300]), &times(&[]));
        assert_eq!((first.lines().count(), second.lines().count()), (2, 1));
        let text = format!("{}{first}{second}", log_head(1.5));
        let mut one = log(&text);
        assert!(one.service(1).unwrap().is_empty());
        assert_eq!(one.service(2).unwrap(), times(&[200, 300]));
        assert!(one.service(3).unwrap().is_empty());
        let mut merged = MergedLog { start_s: 1.5, logs: vec![(log(&text), 0), (log(&text), 2)] };
        let mut lines = String::new();
        while let Some(second) = merged.next_lines().unwrap() {
            lines.push_str(&second);
        }
        let mut sum = log(&lines);
        assert_eq!(sum.service(2).unwrap(), times(&[100, 200, 300]));
        assert_eq!(sum.service(4).unwrap(), times(&[200, 300]));
        assert_eq!(log(&lines).second(2).unwrap()["A_b"], log(&text).second(0).unwrap()["A_b"]);
    }

    /// A log of 100,000 seconds is read lazily, except for the first line after each second.
    #[test]
    fn holds_one_second_of_a_long_log() {
        let read = std::cell::Cell::new(0_u64);
        let lines = log_lines(0, "A", &times(&[100]), &times(&[900]));
        let packed: Vec<String> =
            lines.lines().map(|line| line.replace(",0.000,", ",SECOND,")).collect();
        let generated = (0..200_000_u64).map(|line| {
            read.set(read.get() + 1);
            let second = format!(",{}.000,", line / 2);
            Ok(packed[(line % 2) as usize].replace(",SECOND,", &second))
        });
        let mut log = LogReader::new("log".into(), generated);
        for second in 0..100_000 {
            let kinds = log.second(second).unwrap();
            assert_eq!(kinds.len(), 1);
            assert!(read.get() <= 2 * (second + 1) + 1, "{} lines at {second}", read.get());
        }
        assert_eq!((log.next_second().unwrap(), read.get()), (None, 200_000));
    }

    #[test]
    fn refuses_other_lines() {
        for line in ["x", "Tag=A", "Tag=A,1.0,1.0,1.0", "Tag=A,-1,1,1,x", "Tag=A,1e300,1,1,x"] {
            assert!(log(line).service(0).is_err(), "{line}");
        }
        assert!(log("Tag=A,1.000,1.000,1.000,AAAA").service(1).is_err());
        let lines = ["Tag=A,2.000,1,1,x", "Tag=A,1.000,1,1,x"].join("\n");
        let wrong = log(&lines).service(5).unwrap_err();
        assert!(wrong.0.contains("not in their order"), "{wrong:?}");
    }
}
