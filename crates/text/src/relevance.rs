//! How relevant a text is for words: the rank of PostgreSQL's `ts_rank` for a search for any of them.
//!
//! The n-th occurrence of a word counts 1 ÷ n², so that a text with two of the words comes before one that repeats
//! one of them. The sum is divided by the number of words and scaled to less than 0.1. The length of the text does not
//! count.
//!
//! The steps and their order are those of PostgreSQL in numbers of 32 bits, so that equal texts are equal here too
//! and others differ by the same last bit.

use std::collections::HashMap;

use super::effort::{Effort, Interruption, WORD};
use super::lexemes::{LexemeQuery, Phrase, QueryWord, has_lexeme, lexemes, lexemes_within};

/// The weight of a word whose text has no weights.
const WEIGHT: f32 = 0.1;

/// What the sum of 1 ÷ n² is less than, as PostgreSQL spells it.
const MOST: f64 = 1.644_934_066_85;

/// The last place in a text that PostgreSQL keeps; further words are there too.
const LAST_PLACE: usize = 16_383;

/// How many places of a word PostgreSQL keeps.
const MOST_PLACES: usize = 255;

/// The words by which texts are ranked, as they are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relevance {
    /// In the order of their bytes, each once.
    lexemes: Vec<String>,
}

impl Relevance {
    /// Cuts the words of a query as those of texts are cut.
    pub fn new(words: &str) -> Self {
        let mut lexemes: Vec<String> = query_words(words).flat_map(lexemes).collect();
        lexemes.sort_unstable();
        lexemes.dedup();
        Self { lexemes }
    }

    /// The rank of a text; 0 where it has none of the words.
    ///
    /// ```
    /// use duet_text::relevance::Relevance;
    ///
    /// let both = Relevance::new("kayak fishing");
    /// assert_eq!(both.rank("Fishing by kayak"), 0.060_792_71);
    /// assert_eq!(both.rank("Kayak, kayak, kayak!"), 0.041_372_817);
    /// ```
    pub fn rank(&self, text: &str) -> f32 {
        self.rank_within(text, &Effort::unlimited()).unwrap_or_default()
    }

    /// As [`Self::rank`].
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    pub fn rank_within(&self, text: &str, effort: &Effort<'_>) -> Result<f32, Interruption> {
        let words = lexemes_within(text, effort)?;
        let mut places: HashMap<&str, Places> =
            self.lexemes.iter().map(|lexeme| (lexeme.as_str(), Places::default())).collect();
        for (place, word) in (1..).zip(&words) {
            effort.spend(WORD)?;
            if let Some(places) = places.get_mut(word.as_str()) {
                places.add(place);
            }
        }
        let mut rank = 0.0_f32;
        for lexeme in &self.lexemes {
            let places = places.get(lexeme.as_str()).map_or(0, Places::count);
            let sum = (1..=places).fold(0.0_f32, |sum, place| {
                // At most 255 times 255.
                sum + WEIGHT / (place * place) as f32
            });
            if sum > 0.0 {
                rank = (f64::from(rank) + f64::from(WEIGHT + sum - WEIGHT) / MOST) as f32;
            }
        }
        Ok(if self.lexemes.is_empty() { 0.0 } else { rank / self.lexemes.len() as f32 })
    }
}

/// The places of a word in a text.
#[derive(Default)]
struct Places {
    within: usize,
    is_behind: bool,
}

impl Places {
    /// Adds a place, from 1.
    fn add(&mut self, place: usize) {
        match place < LAST_PLACE {
            true => self.within += 1,
            false => self.is_behind = true,
        }
    }

    /// The number of those that count.
    fn count(&self) -> usize {
        (self.within + usize::from(self.is_behind)).min(MOST_PLACES)
    }
}

/// The words of a query that have something to look for.
pub fn query_words(words: &str) -> impl Iterator<Item = &str> {
    words.split_whitespace().filter(|word| has_lexeme(word))
}

/// The query for PostgreSQL's `to_tsquery`: any of the words.
pub fn tsquery(words: &str) -> String {
    let alone = |word: &str| vec![Phrase(vec![QueryWord { text: word.to_owned(), prefix: false }])];
    let mut any: Vec<_> = query_words(words).map(alone).collect();
    // The parts of a compound that is alone would be ranked as a phrase.
    if let [only] = any.as_slice() {
        any.push(only.clone());
    }
    LexemeQuery { any }.tsquery()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_postgresql() {
        let many = "kayak ".repeat(300);
        let behind = format!("{}kayak kayak", "x ".repeat(16_382));
        for (words, text, expected) in [
            ("kayak", "Sea kayak", 0.060_792_71_f32),
            ("kayak", "kayak kayak", 0.075_990_885),
            ("kayak", &many, 0.099_762_07),
            ("kayak", &behind, 0.060_792_71),
            ("kayak", "canoe", 0.0),
            ("foo-bar", "a foo bar", 0.040_528_473),
            ("foo-bar foo", "foo-bar", 0.060_792_71),
        ] {
            assert_eq!(Relevance::new(words).rank(text), expected, "{words}");
        }
    }

    #[test]
    fn queries_of_postgresql_are_alternatives() {
        assert_eq!(tsquery("foo-bar -"), "('foo-bar') | ('foo-bar')");
        assert_eq!(tsquery("it's b"), "('it''s') | ('b')");
        assert!(Relevance::new("- !").lexemes.is_empty());
    }
}
