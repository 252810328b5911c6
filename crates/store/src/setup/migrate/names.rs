//! The names of indexes: those that Duet gives, and those of an index that replaces another one or was replaced.

use duet_model::IndexKind;
use duet_model::collection::{fitted, plain_name};

/// The bytes of a name that PostgreSQL keeps.
const MOST_BYTES: usize = 63;

/// The name as PostgreSQL keeps it: cut to 63 bytes.
pub fn stored(name: &str) -> String {
    cut(name, MOST_BYTES).to_owned()
}

/// The name of an index while it is built to replace another one.
pub fn replacement(name: &str) -> String {
    beside(name, "_duet_new")
}

/// The name of an index that was replaced and is to be dropped.
pub fn replaced(name: &str) -> String {
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

/// The kinds of index of a table over columns, which `_` joins, that one of this name may be. One of some documents
/// alone has a name that ends with a number of its condition, which is not known here.
pub fn kinds(table: &str, name: &str, columns: &str, is_partial: bool) -> Vec<IndexKind> {
    let is_it = |kind: &IndexKind| {
        let plain = plain_name(table, columns, *kind);
        match is_partial {
            false => fitted(plain) == name,
            true => {
                let rest = name.strip_prefix(&plain).and_then(|rest| rest.strip_prefix('_'));
                rest.is_some_and(is_number)
            }
        }
    };
    IndexKind::all(|_| true).filter(is_it).collect()
}

/// The columns, which `_` joins, in the name of an index of this kind, for indexes whose declaration gives that name;
/// `None` where it is the name of no such index, or too long to have them.
pub fn columns_in<'n>(
    table: &str,
    name: &'n str,
    kind: IndexKind,
    is_partial: bool,
) -> Option<&'n str> {
    let rest = name.strip_prefix(table)?.strip_prefix('_')?;
    let rest = match is_partial {
        true => rest.rsplit_once('_').filter(|(_, number)| is_number(number))?.0,
        false => rest,
    };
    rest.strip_suffix(kind.suffix())?.strip_suffix("_idx").filter(|columns| !columns.is_empty())
}

/// Whether a text is the number of a condition at the end of a name.
fn is_number(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a name is what PostgreSQL left of a name that has been [fitted] since: both have the same beginning.
pub fn was_cut(former: &str, name: &str) -> bool {
    let begin = cut(name, name.len().saturating_sub("_01234567".len()));
    // The last character may have several bytes.
    let is_long = |text: &str| text.len() > MOST_BYTES - 4;
    is_long(former) && is_long(name) && former != name && former.starts_with(begin)
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
    fn a_name_says_the_kind() {
        let long = "a".repeat(60);
        let fit = fitted(plain_name("items", &long, IndexKind::Trigram));
        for (name, columns, kind, is_partial) in [
            ("items_a_b_idx", "a_b", IndexKind::Ordered, false),
            ("items_a_idx_gin", "a", IndexKind::Trigram, false),
            ("items_a_idx_unique_0123abcd", "a", IndexKind::Unique, true),
            ("items_a_idx_0123abcd", "a", IndexKind::Ordered, true),
            (&fit, &long, IndexKind::Trigram, false),
        ] {
            assert_eq!(kinds("items", name, columns, is_partial), [kind], "{name}");
        }
        for other in ["items_a", "items_a_idx_mine", "other_a_idx", "items_b_idx", "items_a_idx_0"]
        {
            for is_partial in [false, true] {
                assert!(kinds("items", other, "a", is_partial).is_empty(), "{other}");
            }
        }
    }

    #[test]
    fn names_that_were_cut_are_recognized() {
        for end in ["x", "éé", "some_more_of_it_idx_unique_0123abcd"] {
            let full = format!("{}_{end}", "items_ö_".repeat(7));
            let (former, name) = (stored(&full), fitted(full));
            assert!(was_cut(&former, &name), "{former} {name}");
            assert!(!was_cut(&name, &name));
        }
        assert!(!was_cut("items_a_idx", "items_b_idx"));
        assert!(!was_cut(&"a".repeat(63), &fitted("b".repeat(70))));
    }
}
