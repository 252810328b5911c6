//! How new what a read finds is: a place in the log of a database.
//!
//! Clients get positions as opaque texts and send them back, so a text is read strictly, and never becomes SQL.

use std::fmt;

/// A place in the log of a database that has standbys. A later one is larger: a promoted server begins a timeline of
/// its own, and whatever is left of the one before is older.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The timeline.
    pub timeline: u32,
    /// The byte in it, counted from the beginning of the first one.
    pub byte: u64,
}

/// The length of a position's text.
const TEXT: usize = 8 + 1 + 16;

impl Position {
    /// A place that no standby reaches: what was written at an unknown place is read at the primary.
    pub const BEYOND: Self = Self { timeline: u32::MAX, byte: u64::MAX };

    /// Reads a text that [`Display`](fmt::Display) has written; `None` for every other one.
    ///
    /// ```
    /// use duet_store::position::Position;
    ///
    /// let position = Position { timeline: 2, byte: 0x1F0 };
    /// assert_eq!(Position::parse(position.to_string().as_bytes()), Some(position));
    /// assert_eq!(Position::parse(b"2-1F0"), None);
    /// ```
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (timeline, rest) = text.split_at_checked(8).filter(|_| text.len() == TEXT)?;
        let byte = rest.strip_prefix(b"-")?;
        Some(Self {
            timeline: u32::try_from(hexadecimal(timeline)?).ok()?,
            byte: hexadecimal(byte)?,
        })
    }

    /// Whether a server that has replayed so much shows what was written at this place.
    pub fn is_reached_by(self, replayed: Self) -> bool {
        replayed.timeline >= self.timeline && replayed.byte >= self.byte
    }
}

/// Up to 16 upper-case digits.
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |value: u64, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        Some(value << 4 | u64::from(digit))
    })
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08X}-{:016X}", self.timeline, self.byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_read() {
        for position in
            [Position::default(), Position { timeline: 1, byte: 0xAB_CDEF_0123 }, Position::BEYOND]
        {
            assert_eq!(Position::parse(position.to_string().as_bytes()), Some(position));
        }
        let good = Position { timeline: 1, byte: 255 }.to_string();
        for bad in [
            "",
            "0/0",
            "00000001-00000000000000ff",
            "00000001_00000000000000FF",
            "00000001-00000000000000FF ",
            "+0000001-00000000000000FF",
            "00000001-0000000000000'--",
            "00000001-00000000000000\u{e9}",
            &good[1..],
            &format!("0{good}"),
        ] {
            assert_eq!(Position::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_place_is_reached_on_its_timeline_or_a_later_one() {
        let at = |timeline, byte| Position { timeline, byte };
        assert!(at(1, 10).is_reached_by(at(1, 10)));
        assert!(at(1, 10).is_reached_by(at(2, 12)));
        assert!(!at(1, 10).is_reached_by(at(1, 9)));
        assert!(!at(2, 10).is_reached_by(at(1, 20)), "that server never followed the promoted one");
        assert!(!Position::BEYOND.is_reached_by(at(7, u64::MAX)));
        assert!(at(2, 5) > at(1, 9));
    }
}
