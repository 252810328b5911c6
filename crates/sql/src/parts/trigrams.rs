//! Patterns of `LIKE` as queries of an index of trigrams.

use duet_text::like;

/// The characters of a trigram.
const TRIGRAM: usize = 3;

/// How many trigrams of a pattern are looked up.
const MOST_TRIGRAMS: usize = 24;

/// Whether an index of trigrams can narrow a pattern.
pub fn has_trigram(pattern: &str) -> bool {
    literals(pattern).any(|run| run.len() >= TRIGRAM)
}

/// The query of FTS5 for texts that match a pattern of `LIKE`; `None` where no part of it has three characters.
pub fn fts5_parts(pattern: &str) -> Option<String> {
    let runs: Vec<Vec<char>> = literals(pattern).filter(|run| run.len() >= TRIGRAM).collect();
    let all: usize = runs.iter().map(|run| run.len() + 1 - TRIGRAM).sum();
    // Of long patterns trigrams at even steps.
    let step = all.div_ceil(MOST_TRIGRAMS).max(1);
    let trigrams = runs.iter().flat_map(|run| run.windows(TRIGRAM)).step_by(step);
    let mut quoted: Vec<String> = trigrams
        .map(|chars| format!("\"{}\"", chars.iter().collect::<String>().replace('"', "\"\"")))
        .collect();
    quoted.sort_unstable();
    quoted.dedup();
    (!quoted.is_empty()).then(|| quoted.join(" AND "))
}

/// The runs of characters between the masks of a pattern.
fn literals(pattern: &str) -> impl Iterator<Item = Vec<char>> {
    let parts: Vec<like::PatternPart> = like::parts(pattern).collect();
    let is_mask = |part: &like::PatternPart| !matches!(part, like::PatternPart::Char(_));
    let char = |part: &like::PatternPart| match part {
        like::PatternPart::Char(char) => Some(*char),
        like::PatternPart::Text | like::PatternPart::One => None,
    };
    let runs: Vec<Vec<char>> =
        parts.split(is_mask).map(|run| run.iter().filter_map(char).collect()).collect();
    runs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_trigrams() {
        for (pattern, expected) in [
            ("%kayak%", Some(r#""aya" AND "kay" AND "yak""#)),
            (r"%50\%_off%", Some(r#""50%" AND "off""#)),
            (r#"a"b%cd"#, Some(r#""a""b""#)),
            ("%ab%cd_ef%", None),
            ("%", None),
        ] {
            assert_eq!(fts5_parts(pattern).as_deref(), expected, "{pattern}");
            assert_eq!(has_trigram(pattern), expected.is_some());
        }
        let long: String =
            (0..2_000).map(|number| char::from(b'a' + (number % 26) as u8)).collect();
        let found = fts5_parts(&long).unwrap();
        assert!(found.matches(" AND ").count() < MOST_TRIGRAMS, "{found}");
    }
}
