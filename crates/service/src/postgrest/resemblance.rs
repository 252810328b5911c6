//! How PostgREST finds what may have been meant: the candidate that shares letters in a row with what was given and
//! differs from it in the fewest letters, as its library `fuzzyset` does.

use std::collections::BTreeSet;

/// Of long texts only so many characters are compared, which bounds the cost of hostile ones.
const LONGEST: usize = 128;

/// The candidate that resembles a text most, by at least `least` of 1.
pub(super) fn nearest<'c>(
    given: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    least: f64,
) -> Option<&'c str> {
    let given = normalized(given);
    let candidates: Vec<(String, &str)> =
        candidates.into_iter().map(|candidate| (normalized(candidate), candidate)).collect();
    for size in [3, 2] {
        let own = grams(&given, size);
        let shares = |(text, _): &&(String, &str)| !own.is_disjoint(&grams(text, size));
        let scored = candidates
            .iter()
            .filter(shares)
            .map(|(text, candidate)| (strsim::normalized_levenshtein(&given, text), *candidate))
            .filter(|(score, _)| *score >= least);
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
        if best.is_some() {
            return best.map(|(_, candidate)| candidate);
        }
    }
    None
}

/// The letters, digits, commas and blanks of a text, in lower case.
fn normalized(text: &str) -> String {
    let is_kept = |char: &char| char.is_alphanumeric() || matches!(char, ',' | ' ');
    text.chars().take(LONGEST).filter(is_kept).flat_map(char::to_lowercase).collect()
}

/// The parts of a text of so many characters, with a hyphen at both of its ends.
fn grams(text: &str, size: usize) -> BTreeSet<Vec<char>> {
    let mut chars: Vec<char> = format!("-{text}-").chars().collect();
    while chars.len() < size {
        chars.push('-');
    }
    chars.windows(size).map(<[char]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_letters_is_meant() {
        let lists = ["()", "(a, b)", "(a, b, c)"];
        for (given, expected) in [
            ("(a, b, wrong_arg)", Some("(a, b, c)")),
            ("(wrong_arg)", None),
            ("(a, c)", Some("(a, b)")),
            ("(a)", None),
        ] {
            assert_eq!(nearest(given, lists, 0.33), expected, "{given}");
        }
        let names = ["getproject", "unnamed_text_param"];
        assert_eq!(nearest("unnamed_int_param", names, 0.75), Some("unnamed_text_param"));
        assert_eq!(nearest("other", names, 0.75), None);
        assert_eq!(nearest(&"é".repeat(9_999), names, 0.75), None);
    }
}
