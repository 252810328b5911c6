//! The names of indexes: those that Duet gives, and those of an index that replaces another one or was replaced.

use duet_model::IndexKind;

/// The bytes of a name that PostgreSQL keeps.
const MOST_BYTES: usize = 63;

/// The name as PostgreSQL keeps it: cut to 63 bytes.
pub(super) fn stored(name: &str) -> String {
    cut(name, MOST_BYTES).to_owned()
}

/// The name of an index while it is built to replace another one.
pub(super) fn replacement(name: &str) -> String {
    beside(name, "_duet_new")
}

/// The name of an index that was replaced and is to be dropped.
pub(super) fn replaced(name: &str) -> String {
    beside(name, "_duet_old")
}

/// A name with a suffix; of a long one the end is replaced by its hash.
fn beside(name: &str, suffix: &str) -> String {
    let (name, room) = (cut(name, MOST_BYTES), MOST_BYTES - suffix.len());
    if name.len() <= room {
        return format!("{name}{suffix}");
    }
    // FNV-1a: the same on every machine and in every version.
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{}_{hash:08x}{suffix}", cut(name, room - 9))
}

fn cut(name: &str, bytes: usize) -> &str {
    &name[..name.floor_char_boundary(bytes)]
}

/// What the name of an index of a table may mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Meaning<'n> {
    /// The columns, joined by `_`.
    pub(super) columns: &'n str,
    /// The kinds with the suffix.
    pub(super) kinds: Vec<IndexKind>,
    /// Whether it has some documents only: such a name ends with a hash of the condition.
    pub(super) is_partial: bool,
}

/// What the name of an index means: `items_a_b_idx_gin` is `a_b`, trigrams.
pub(super) fn meaning<'n>(table: &str, name: &'n str) -> Option<Meaning<'n>> {
    let rest = name.strip_prefix(table)?.strip_prefix('_')?;
    let at = rest.rfind("_idx")?;
    let (columns, suffix) = (&rest[..at], &rest[at + "_idx".len()..]);
    let is_hash = |text: &str| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let partial = suffix.rsplit_once('_').filter(|(_, hash)| is_hash(hash));
    let suffix = partial.map_or(suffix, |(suffix, _)| suffix);
    let kinds: Vec<IndexKind> =
        IndexKind::all(|_| true).filter(|kind| kind.suffix() == suffix).collect();
    let is_partial = partial.is_some();
    (!kinds.is_empty() && !columns.is_empty()).then_some(Meaning { columns, kinds, is_partial })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beside_one_fit_and_differ() {
        assert_eq!(replacement("a_b_idx"), "a_b_idx_duet_new");
        let long = "é".repeat(40);
        assert_eq!(stored(&long).len(), 62);
        let others = [replacement(&long), replaced(&long), replacement(&format!("x{long}"))];
        assert_eq!(replacement(&long), replacement(&stored(&long)));
        for (at, one) in others.iter().enumerate() {
            assert!(one.len() <= MOST_BYTES, "{one}");
            assert!(!others[at + 1..].contains(one), "{one}");
        }
    }

    #[test]
    fn a_name_says_columns_and_kind() {
        for (name, columns, kind, is_partial) in [
            ("items_a_b_idx", "a_b", IndexKind::Ordered, false),
            ("items_a_idx_gin", "a", IndexKind::Trigram, false),
            ("items_a_idx_unique_0123abcd", "a", IndexKind::Unique, true),
            ("items_a_idx_0123abcd", "a", IndexKind::Ordered, true),
        ] {
            let expected = Meaning { columns, kinds: vec![kind], is_partial };
            assert_eq!(meaning("items", name), Some(expected), "{name}");
        }
        for other in ["items_a", "items_a_idx_mine", "other_a_idx", "items_idx", "items__idx"] {
            assert_eq!(meaning("items", other), None, "{other}");
        }
    }
}
