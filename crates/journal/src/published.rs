//! What the owner of a journal tells other processes in the file that it has locked.

use crate::format::Id;

/// Bytes of it.
pub(crate) const BYTES: usize = 36;
/// Where the checksum is.
const SUM: usize = BYTES - 4;

/// How much of which journal is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurableMark {
    /// The id of the journal.
    pub id: Id,
    /// The last sequence id that is durable.
    pub durable: u64,
    /// The last sequence id that was acknowledged, perhaps before its sync.
    pub given: u64,
}

impl DurableMark {
    pub(crate) fn bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..16].copy_from_slice(&self.id.0);
        bytes[16..24].copy_from_slice(&self.durable.to_le_bytes());
        bytes[24..SUM].copy_from_slice(&self.given.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..SUM]);
        bytes[SUM..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None` where the owner has written nothing yet, and where it is writing.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let (content, sum) = bytes.split_last_chunk::<4>()?;
        if u32::from_le_bytes(*sum) != crc32fast::hash(content) {
            return None;
        }
        let (id, numbers) = content.split_first_chunk::<16>()?;
        let (durable, given) = numbers.split_first_chunk::<8>()?;
        let given = u64::from_le_bytes(given.try_into().ok()?);
        Some(Self { id: Id(*id), durable: u64::from_le_bytes(*durable), given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let published = DurableMark { id: Id([7; 16]), durable: 1 << 40, given: 1 << 41 };
        let bytes = published.bytes();
        assert_eq!(DurableMark::read(&bytes), Some(published));
        for at in 0..BYTES {
            let mut wrong = bytes;
            wrong[at] ^= 1;
            assert_eq!(DurableMark::read(&wrong), None, "{at}");
        }
        assert_eq!(DurableMark::read(&[0; BYTES]), None);
        assert_eq!(DurableMark::read(&[]), None);
    }
}
