//! Similarity of texts by their trigrams, as PostgreSQL's extension `pg_trgm` defines it.
//!
//! A word is a run of letters and digits, in lower case, with two blanks before it and one behind it: `cat` has the
//! trigrams `"  c"`, `" ca"`, `"cat"` and `"at "`. Texts are as similar as the trigrams that both have are many,
//! divided by those that one of them has; a trigram counts once.

use std::collections::BTreeSet;

use super::effort::{Effort, Interruption, WORD};

/// How similar texts are at least that a search for similar ones finds: the default of
/// `pg_trgm.similarity_threshold`.
pub const SIMILAR: f64 = 0.3;

/// The trigrams of a text, each once.
fn trigrams(text: &str, effort: &Effort<'_>) -> Result<BTreeSet<[char; 3]>, Interruption> {
    effort.spend(text.len())?;
    let lower = text.to_lowercase();
    let is_of_word = |char: char| char.is_alphabetic() || char.is_ascii_digit();
    let words = lower.split(|char| !is_of_word(char)).filter(|word| !word.is_empty());
    let mut found = BTreeSet::new();
    for word in words {
        let padded: Vec<char> = [' ', ' '].into_iter().chain(word.chars()).chain([' ']).collect();
        for trigram in padded.windows(3).filter_map(|window| <[char; 3]>::try_from(window).ok()) {
            effort.spend(WORD)?;
            found.insert(trigram);
        }
    }
    Ok(found)
}

/// How similar two texts are, from 0 to 1.
///
/// ```
/// use duet_text::trigram::similarity;
///
/// assert_eq!(similarity("word", "two words"), 4.0 / 11.0);
/// assert_eq!((similarity("Cat!", "cat"), similarity("cat", "")), (1.0, 0.0));
/// ```
pub fn similarity(one: &str, other: &str) -> f32 {
    similarity_within(one, other, &Effort::unlimited()).unwrap_or_default()
}

/// As [`similarity`].
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn similarity_within(one: &str, other: &str, effort: &Effort<'_>) -> Result<f32, Interruption> {
    let (one, other) = (trigrams(one, effort)?, trigrams(other, effort)?);
    if one.is_empty() || other.is_empty() {
        return Ok(0.0);
    }
    effort.spend(WORD * (one.len() + other.len()))?;
    let common = one.intersection(&other).count();
    let all = one.len() + other.len() - common;
    // Texts have far fewer trigrams than a float counts.
    Ok(common as f32 / all as f32)
}

/// Whether a search for similar texts finds one of this similarity.
pub fn is_found(similarity: f32) -> bool {
    f64::from(similarity) >= SIMILAR
}

/// Whether a search for texts similar to one finds the other.
pub fn is_similar(one: &str, other: &str) -> bool {
    is_found(similarity(one, other))
}

/// How far two texts of this similarity are from each other, from 0 to 1.
pub fn distance_of(similarity: f32) -> f32 {
    (1.0 - f64::from(similarity)) as f32
}

/// How far two texts are from each other, from 0 to 1.
pub fn distance(one: &str, other: &str) -> f32 {
    distance_of(similarity(one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_are_those_of_pg_trgm() {
        let shown = |text: &str| -> Vec<String> {
            trigrams(text, &Effort::unlimited())
                .unwrap()
                .iter()
                .map(|chars| chars.iter().collect())
                .collect()
        };
        assert_eq!(shown("Cat"), ["  c", " ca", "at ", "cat"]);
        assert_eq!(
            shown("foo|bar a"),
            ["  a", "  b", "  f", " a ", " ba", " fo", "ar ", "bar", "foo", "oo "]
        );
        assert!(trigrams("--", &Effort::unlimited()).unwrap().is_empty());
    }

    #[test]
    fn the_threshold_is_reached() {
        // 3 of 10 trigrams.
        assert!(is_similar("abcde", "abxyz1") == (f64::from(similarity("abcde", "abxyz1")) >= 0.3));
        assert_eq!(distance("abc", "abc"), 0.0);
        assert_eq!(distance("abc", "xyz"), 1.0);
    }
}
