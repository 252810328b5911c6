//! The interval log of a run, beside its result: HdrHistogram's format 1.3, with every second's histograms by
//! type. Service time is tagged with the type's short name, response time with the name and `.response`.
//!
//! Histograms stay packed while they are held: unpacked, those of a day would fill the memory.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hdrhistogram::Histogram;

use crate::times::{Damaged, add, histogram, pack};

/// What a tag of response times ends with.
pub const RESPONSE: &str = ".response";

/// What a log of a run that began so many seconds after 1970 begins with.
pub fn log_head(start_s: f64) -> String {
    format!(
        "#[Histogram log format version 1.3]\n\
         #[StartTime: {start_s:.3} (seconds since epoch)]\n\
         #[BaseTime: {start_s:.3} (seconds since epoch)]\n\
         \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    )
}

/// The lines of a type's histograms of a second; an empty one is left out.
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

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Packed histograms of service and of response times, by second and type.
    seconds: BTreeMap<u64, BTreeMap<String, [String; 2]>>,
}

impl Log {
    /// Adds a line of a log; those that hold no histogram are passed over.
    ///
    /// # Errors
    /// Where it is none.
    pub fn add(&mut self, line: &str) -> Result<(), Damaged> {
        let Some(LogLine { second, kind, place, packed }) = LogLine::of(line)? else {
            return Ok(());
        };
        let kinds = self.seconds.entry(second).or_default();
        packed.clone_into(&mut kinds.entry(kind.to_owned()).or_default()[place]);
        Ok(())
    }

    /// All types' service times in a second.
    ///
    /// # Errors
    /// Where a histogram is damaged.
    pub fn service(&self, second: u64) -> Result<Histogram<u64>, Damaged> {
        let mut all = histogram();
        for [service, _] in self.seconds.get(&second).into_iter().flat_map(BTreeMap::values) {
            add(&mut all, service)?;
        }
        Ok(all)
    }
}

/// The logs of several machines as one.
#[derive(Clone, Debug)]
pub struct MergedLog<'a> {
    /// When it begins, in seconds after 1970.
    pub start_s: f64,
    /// Each with the second of the whole at which its own begin.
    pub(super) logs: Vec<(&'a Log, u64)>,
}

impl MergedLog<'_> {
    /// The numbers of its seconds.
    pub fn seconds(&self) -> RangeInclusive<u64> {
        let last = self.logs.iter().filter_map(|(log, shift)| {
            log.seconds.last_key_value().map(|(second, _)| second.saturating_add(*shift))
        });
        0..=last.max().unwrap_or(0)
    }

    /// The lines of a second.
    ///
    /// # Errors
    /// Where a histogram is damaged.
    pub fn lines(&self, second: u64) -> Result<String, Damaged> {
        let mut kinds: BTreeMap<&str, [Histogram<u64>; 2]> = BTreeMap::new();
        for (log, shift) in &self.logs {
            let own = second.checked_sub(*shift).and_then(|second| log.seconds.get(&second));
            for (kind, [service, response]) in own.into_iter().flatten() {
                let sums = kinds.entry(kind).or_insert_with(|| [histogram(), histogram()]);
                add(&mut sums[0], service)?;
                add(&mut sums[1], response)?;
            }
        }
        let lines = |(kind, [service, response]): (&str, [Histogram<u64>; 2])| {
            log_lines(second, kind, &service, &response)
        };
        Ok(kinds.into_iter().map(lines).collect())
    }
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
    /// 0 of service times, 1 of response times.
    pub place: usize,
    /// The packed histogram.
    pub packed: &'a str,
}

impl<'a> LogLine<'a> {
    /// The parts of a line; `None` of one that holds no histogram.
    ///
    /// # Errors
    /// Where it is not a line of a log.
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

    fn log(text: &str) -> Log {
        let mut log = Log::default();
        text.lines().try_for_each(|line| log.add(line)).unwrap();
        log
    }

    #[test]
    fn written_read_and_added() {
        let first = log_lines(0, "A b", &times(&[100]), &times(&[900]));
        let second = log_lines(2, "B", &times(&[200, 300]), &times(&[]));
        assert_eq!((first.lines().count(), second.lines().count()), (2, 1));
        let one = log(&format!("{}{first}{second}", log_head(1.5)));
        assert_eq!(one.service(2).unwrap(), times(&[200, 300]));
        assert!(one.service(1).unwrap().is_empty());
        let merged = MergedLog { start_s: 1.5, logs: vec![(&one, 0), (&one, 2)] };
        assert_eq!(merged.seconds(), 0..=4);
        let lines: String = merged.seconds().map(|second| merged.lines(second).unwrap()).collect();
        let sum = log(&lines);
        assert_eq!(sum.service(2).unwrap(), times(&[100, 200, 300]));
        assert_eq!(sum.service(4).unwrap(), times(&[200, 300]));
        assert_eq!(sum.seconds[&2]["A_b"], one.seconds[&0]["A_b"]);
    }

    #[test]
    fn what_is_no_log() {
        for line in ["x", "Tag=A", "Tag=A,1.0,1.0,1.0", "Tag=A,-1,1,1,x", "Tag=A,1e300,1,1,x"] {
            assert!(Log::default().add(line).is_err(), "{line}");
        }
        assert!(log("Tag=A,1.000,1.000,1.000,AAAA").service(1).is_err());
    }
}
