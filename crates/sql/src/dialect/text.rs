//! Patterns, parts and words of texts.

use duet_model::search_rules::SIMPLE;
use duet_text::Fold;

use crate::parts::trigrams::has_trigram;

/// How the words of a text are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordSearch {
    /// By PostgreSQL's `tsvector` and `websearch_to_tsquery`, with a configuration.
    Vectors,
    /// By an FTS5 table if one is declared, otherwise by a function: the SQL text before the text,
    /// between it and the query, and after.
    Tables([&'static str; 3]),
}

/// Patterns, parts and words of texts.
pub trait TextSyntax {
    /// `column LIKE pattern`: the SQL text before, between and after the two. Case-sensitive,
    /// `\` escapes. The first pair of the column is its conversion to text. `loose`: different texts of
    /// the column may be equal.
    fn like(&self, ignore_case: bool, _loose: bool) -> [&'static str; 3] {
        match ignore_case {
            true => ["LOWER(", ") LIKE LOWER(", ") ESCAPE '\\'"],
            false => ["", " LIKE ", " ESCAPE '\\'"],
        }
    }

    /// `column` contains `text`, case-sensitive: before, between, after. `loose` as of [`like`](Self::like).
    fn contains(&self, loose: bool) -> [&'static str; 3];

    /// What is before and behind a text to fold it.
    fn fold(&self, fold: Fold) -> [&'static str; 2];

    /// A part of a text matches a regular expression: before, between, after. `loose`: different texts
    /// of it may be equal. The standard has it as feature F841.
    fn regex(&self, _loose: bool) -> [&'static str; 3] {
        ["", " LIKE_REGEX ", ""]
    }

    /// How the words of a text are searched.
    fn word_search(&self) -> WordSearch;

    /// A function that searches for words in a document's text: the SQL text before the text, between it and the
    /// encoded query, and after. `None` where texts become vectors by a dictionary.
    fn lexemes(&self) -> Option<[&'static str; 3]> {
        None
    }

    /// A test that two texts are similar by their trigrams: the SQL text before one, between them and after the other.
    fn similar(&self) -> [&'static str; 3];

    /// How far two texts are from each other by their trigrams, in the same way.
    fn distance(&self) -> [&'static str; 3];

    /// The rank of a text for words, where it is no function of the database, in the same way.
    fn relevance(&self) -> Option<[&'static str; 3]> {
        None
    }

    /// Whether an index of trigrams finds similar texts.
    fn finds_similar(&self) -> bool {
        false
    }

    /// Whether words can be compared by a dictionary of this name.
    fn has_dictionary(&self, name: &str) -> bool {
        name == SIMPLE
    }

    /// Whether an index of trigrams narrows a pattern of `LIKE`.
    fn finds_parts(&self, pattern: &str) -> bool {
        has_trigram(pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine of the standard, which has no words and no trigrams.
    struct Standard;

    impl TextSyntax for Standard {
        fn contains(&self, _loose: bool) -> [&'static str; 3] {
            ["", "", ""]
        }

        fn fold(&self, _fold: Fold) -> [&'static str; 2] {
            ["LOWER(", ")"]
        }

        fn word_search(&self) -> WordSearch {
            WordSearch::Tables(self.contains(false))
        }

        fn similar(&self) -> [&'static str; 3] {
            self.contains(false)
        }

        fn distance(&self) -> [&'static str; 3] {
            self.contains(false)
        }
    }

    #[test]
    fn patterns_of_the_standard_say_what_escapes() {
        assert_eq!(Standard.like(false, false).join("c"), "c LIKE c ESCAPE '\\'");
        assert_eq!(Standard.like(true, false).join("c"), "LOWER(c) LIKE LOWER(c) ESCAPE '\\'");
        assert_eq!(Standard.regex(true).join("c"), "c LIKE_REGEX c");
    }
}
