//! The segments of a journal: their names, and what is known of each.

use std::fmt;

/// The name of a segment: `00000000000000000001-0000000001.segment`. Names are in the order of their records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentName {
    /// The smallest sequence id that it may have.
    pub(crate) first: u64,
    /// The owner that made it.
    pub(crate) generation: u64,
}

impl SegmentName {
    pub(crate) fn read(name: &str) -> Option<Self> {
        let (first, generation) = name.strip_suffix(".segment")?.split_once('-')?;
        let found = Self { first: first.parse().ok()?, generation: generation.parse().ok()? };
        (found.to_string() == name).then_some(found)
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:020}-{:010}.segment", self.first, self.generation)
    }
}

/// A segment that was begun and is not known to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedSegment {
    pub(crate) name: SegmentName,
    /// Its last sequence id; `None` while it may be written.
    pub(crate) last: Option<u64>,
    /// How many rows it has; 0 while it may be written.
    pub(crate) rows: u64,
}

/// A segment with durable records.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) name: String,
    /// The last sequence id in it, or in front of it.
    pub(crate) last: u64,
    /// Bytes up to the end of its last durable record.
    pub(crate) length: u64,
    /// Rows of its durable records.
    pub(crate) rows: u64,
}

impl Segment {
    /// The entry of the manifest of a segment that gets no more records.
    pub(crate) fn listed(&self) -> Option<ListedSegment> {
        let name = SegmentName::read(&self.name)?;
        Some(ListedSegment { name, last: Some(self.last), rows: self.rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_numbers_and_are_read_back() {
        let name = SegmentName { first: 12, generation: 3 };
        assert_eq!(name.to_string(), "00000000000000000012-0000000003.segment");
        assert_eq!(SegmentName::read(&name.to_string()), Some(name));
        assert_eq!(SegmentName::read("12-3.segment"), None);
        assert_eq!(SegmentName::read("lock"), None);
        let long = SegmentName { first: u64::MAX, generation: u64::MAX };
        assert_eq!(SegmentName::read(&long.to_string()), Some(long));
    }
}
