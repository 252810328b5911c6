//! Positions of a server's log (PostgreSQL manual, chapter "Write-Ahead Log").

/// The bytes of the header of a block, and of the first block of a file.
const HEADERS: [i64; 2] = [24, 40];

/// The sizes of the log's blocks and files, which a cluster keeps for its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogSizes {
    pub(crate) block: i64,
    pub(crate) file: i64,
}

/// The position behind the last record. The next record begins behind the header of a block, which a
/// reader never reaches while nothing is written.
pub(crate) fn end_of_records(position: i64, LogSizes { block, file }: LogSizes) -> i64 {
    let [header, first] = HEADERS;
    let into = |size: i64| if size > 0 { position % size } else { i64::MAX };
    if into(file) <= first {
        position - into(file)
    } else if into(block) <= header {
        position - into(block)
    } else {
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_behind_a_header_is_that_before_it() {
        const BLOCK: i64 = 8_192;
        const FILE: i64 = 16 << 20;
        let end = |position| end_of_records(position, LogSizes { block: BLOCK, file: FILE });
        for (position, expected) in [
            (FILE, FILE),
            (FILE + 40, FILE),
            (FILE + 48, FILE + 48),
            (FILE + BLOCK + 24, FILE + BLOCK),
            (FILE + BLOCK + 32, FILE + BLOCK + 32),
            (FILE + BLOCK - 8, FILE + BLOCK - 8),
        ] {
            assert_eq!(end(position), expected);
        }
        assert_eq!(end_of_records(5, LogSizes { block: 0, file: 0 }), 5);
    }
}
