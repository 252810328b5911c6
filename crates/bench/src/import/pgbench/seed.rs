//! The seed of hash functions: as in pgbench, one that is given none takes `:default_seed`, which is random unless `-D`
//! or a script sets it.

/// The variable.
pub(super) const DEFAULT_SEED: &str = "default_seed";
/// The functions, without the seed that they may have as a second argument.
const FUNCTIONS: [&str; 3] = ["hash", "hash_fnv1a", "hash_murmur2"];

/// An expression whose hash functions all have a seed.
pub(super) fn seeded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('(') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        out.push_str(before);
        out.push('(');
        let end = closing(behind);
        let inside = &behind[..end];
        out.push_str(&seeded(inside));
        if is_hash(before) && end < behind.len() && !has_two(inside) {
            out.push_str(", :");
            out.push_str(DEFAULT_SEED);
        }
        rest = &behind[end..];
    }
    out + rest
}

/// Whether a text ends with the name of a hash function.
fn is_hash(before: &str) -> bool {
    let name = before.trim_end();
    let is_part = |c: char| !c.is_alphanumeric() && c != '_' && c != ':';
    let name = &name[name.rfind(is_part).map_or(0, |at| at + 1)..];
    FUNCTIONS.iter().any(|function| function.eq_ignore_ascii_case(name))
}

/// The place of the parenthesis that closes; the end of the text where none does.
fn closing(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, next) in text.char_indices() {
        match next {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether arguments are more than one.
fn has_two(inside: &str) -> bool {
    let mut depth = 0usize;
    inside.chars().any(|next| {
        match next {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        next == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_functions_get_the_seed_that_they_lack() {
        for (text, expected) in [
            ("hash(1)", "hash(1, :default_seed)"),
            ("1 + Hash_FNV1a (:x) % 2", "1 + Hash_FNV1a (:x, :default_seed) % 2"),
            ("hash(hash(1, 2))", "hash(hash(1, 2), :default_seed)"),
            ("hash(hash_murmur2(abs(:a)), 3)", "hash(hash_murmur2(abs(:a), :default_seed), 3)"),
            ("abs(1) + rehash(2) + :hash (3)", "abs(1) + rehash(2) + :hash (3)"),
            ("hash(1", "hash(1"),
            (":hash + 1)", ":hash + 1)"),
        ] {
            assert_eq!(seeded(text), expected);
        }
    }
}
