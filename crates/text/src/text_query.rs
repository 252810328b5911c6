//! Full-text queries: words and phrases that a text must or must not contain.

use std::collections::HashSet;

use super::effort::{Effort, Interruption, WORD};

/// A disjunction of alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextQuery {
    /// The alternatives, none of them empty; each is a conjunction of terms.
    pub any: Vec<Vec<TextTerm>>,
}

/// A word or a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTerm {
    /// Whether the text must not contain it.
    pub negated: bool,
    /// The consecutive words, in lower case.
    pub words: Vec<String>,
    /// Whether the last word may go on.
    pub prefix: bool,
}

/// Splits a text into words, runs of letters and digits, in lower case.
pub fn words(text: &str) -> Vec<String> {
    cut(text).collect()
}

fn cut(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

impl TextTerm {
    /// Whether these words, as many as the term has, are those of the term.
    fn is_like(&self, words: &[String], effort: &Effort<'_>) -> Result<bool, Interruption> {
        let mut is_prefix = self.prefix;
        for (word, wanted) in words.iter().zip(&self.words).rev() {
            effort.spend(1)?;
            let fits = if is_prefix { word.starts_with(wanted.as_str()) } else { word == wanted };
            if !fits {
                return Ok(false);
            }
            is_prefix = false;
        }
        Ok(true)
    }
}

impl TextQuery {
    /// Parses a query in web search syntax: required words, `"phrases"`, `-word` for excluded words, and
    /// `or` between alternatives; `"begin"*` for words that begin so. `None` if there is no word.
    pub fn parse(text: &str) -> Option<Self> {
        let mut any = vec![Vec::new()];
        let (mut rest, mut negated, mut after_term) = (text, false, false);
        loop {
            rest = rest
                .trim_start_matches(|char: char| char.is_whitespace() || "!&|()".contains(char));
            if let Some(behind) = alternative(rest).filter(|_| after_term) {
                any.push(Vec::new());
                (rest, after_term) = (behind, false);
                continue;
            }
            let Some(first) = rest.chars().next() else { break };
            if first == '-' {
                (rest, negated, after_term) = (&rest[1..], !negated, false);
                continue;
            }
            let (term, behind) = if first == '"' {
                rest[1..].split_once('"').unwrap_or((&rest[1..], ""))
            } else {
                let end = rest.find(|char: char| char.is_whitespace() || char == '"');
                rest.split_at(end.unwrap_or(rest.len()))
            };
            let prefix = first == '"' && behind.starts_with('*');
            let behind = &behind[usize::from(prefix)..];
            let words = words(term);
            if let (false, Some(group)) = (words.is_empty(), any.last_mut()) {
                group.push(TextTerm { negated, words, prefix });
            }
            (rest, negated, after_term) = (behind, false, true);
        }
        any.retain(|group| !group.is_empty());
        (!any.is_empty()).then_some(Self { any })
    }

    /// Whether a text satisfies the query.
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    pub fn matches(&self, text: &str, effort: &Effort<'_>) -> Result<bool, Interruption> {
        let mut words = Vec::new();
        for word in cut(text) {
            effort.spend(WORD + word.len())?;
            words.push(word);
        }
        // Most terms are a word, and are looked up.
        let known: HashSet<&str> = words.iter().map(String::as_str).collect();
        let has = |term: &TextTerm| -> Result<bool, Interruption> {
            effort.spend(WORD)?;
            if let ([word], false) = (term.words.as_slice(), term.prefix) {
                return Ok(known.contains(word.as_str()));
            }
            for part in words.windows(term.words.len()) {
                effort.spend(1)?;
                if term.is_like(part, effort)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        for all in &self.any {
            let mut holds = true;
            for term in all {
                holds = has(term)? != term.negated;
                if !holds {
                    break;
                }
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The number of words.
    pub fn size(&self) -> usize {
        self.any.iter().flatten().map(|term| term.words.len()).sum()
    }

    /// The query with each term in quotes, which every parser reads the same, including
    /// [`Self::parse`].
    pub fn canonical(&self) -> String {
        let term = |term: &TextTerm| {
            let sign = if term.negated { "-" } else { "" };
            let mask = if term.prefix { "*" } else { "" };
            format!("{sign}\"{}\"{mask}", term.words.join(" "))
        };
        self.join(" or ", |all| all.iter().map(term).collect::<Vec<_>>().join(" "))
    }

    /// Whether the last word of a phrase is a beginning.
    pub fn has_prefix(&self) -> bool {
        self.any.iter().flatten().any(|term| term.prefix)
    }

    /// The query for PostgreSQL's `to_tsquery`, which knows beginnings of words.
    pub fn tsquery(&self) -> String {
        let term = |term: &TextTerm| {
            let last = term.words.len().saturating_sub(1);
            let word = |(at, word): (usize, &String)| {
                let mask = if term.prefix && at == last { ":*" } else { "" };
                format!("'{word}'{mask}")
            };
            let words: Vec<_> = term.words.iter().enumerate().map(word).collect();
            let sign = if term.negated { "!" } else { "" };
            format!("{sign}({})", words.join(" <-> "))
        };
        self.join(" | ", |all| all.iter().map(term).collect::<Vec<_>>().join(" & "))
    }

    /// The FTS5 query for a column; `None` if an alternative only has negated terms, which FTS5 cannot
    /// express.
    pub fn fts5(&self, column: &str) -> Option<String> {
        let phrase = |term: &&TextTerm| {
            let mask = if term.prefix { " *" } else { "" };
            format!("\"{}\"{mask}", term.words.join(" "))
        };
        let split = |negated| {
            move |all: &[TextTerm]| -> Vec<String> {
                all.iter().filter(|term| term.negated == negated).map(|it| phrase(&it)).collect()
            }
        };
        if self.any.iter().any(|all| split(false)(all).is_empty()) {
            return None;
        }
        let group = |all: &[TextTerm]| {
            let without: String = split(true)(all).iter().map(|it| format!(" NOT {it}")).collect();
            format!("(({}){without})", split(false)(all).join(" AND "))
        };
        let column = column.replace('"', "\"\"");
        Some(format!("\"{column}\" : ({})", self.join(" OR ", group)))
    }

    fn join(&self, separator: &str, group: impl Fn(&[TextTerm]) -> String) -> String {
        self.any.iter().map(|all| group(all)).collect::<Vec<_>>().join(separator)
    }
}

/// The rest of the text after an `or` between terms.
fn alternative(text: &str) -> Option<&str> {
    let word = text.get(..2).filter(|word| word.eq_ignore_ascii_case("or"))?;
    let behind = &text[word.len()..];
    let ends_word =
        behind.starts_with(|char: char| !char.is_alphanumeric() && !"-_".contains(char));
    (ends_word && !behind.trim().is_empty()).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_web_search_syntax() {
        for (text, canonical) in [
            ("red wine", r#""red" "wine""#),
            (r#""Red  wine" -Dry"#, r#""red wine" -"dry""#),
            ("red or white -dry or sweet", r#""red" or "white" -"dry" or "sweet""#),
            ("or red", r#""or" "red""#),
            ("red or", r#""red" "or""#),
            ("red or -white", r#""red" or -"white""#),
            ("red OR or", r#""red" or "or""#),
            ("--red oregano", r#""red" "oregano""#),
            ("foo-bar (a&b)", r#""foo bar" "a b""#),
            (r#"half "open quote"#, r#""half" "open quote""#),
            ("red or !!! white", r#""red" or "white""#),
        ] {
            let query = TextQuery::parse(text).unwrap();
            assert_eq!(query.canonical(), canonical, "{text}");
            assert_eq!(TextQuery::parse(canonical), Some(query), "{text}");
        }
        assert!(
            ["", "  ", "!!! \"\" -", "\"...\""].map(TextQuery::parse).iter().all(Option::is_none)
        );
    }

    #[test]
    fn matches_texts_by_words() {
        let text = "Dry red wine; the RED-WINE vinegar.";
        for (query, expected) in [
            ("red", true),
            ("re", false),
            ("\"red wine\"", true),
            ("\"wine red\"", false),
            ("vinegar dry", true),
            ("vinegar -dry", false),
            ("-sweet", true),
            ("sweet or vinegar", true),
            ("sweet or -red", false),
        ] {
            assert_eq!(
                TextQuery::parse(query).unwrap().matches(text, &Effort::unlimited()),
                Ok(expected),
                "{query}"
            );
        }
    }

    #[test]
    fn fts5_cannot_express_a_lone_negation() {
        let fts5 = |text| TextQuery::parse(text).unwrap().fts5("a\"b");
        assert_eq!(fts5("-dry"), None);
        assert_eq!(fts5("red or -dry"), None);
        let expected = r#""a""b" : ((("red wine" AND "old") NOT "dry") OR (("x")))"#;
        assert_eq!(fts5(r#""red wine" old -dry or x"#).as_deref(), Some(expected));
    }
}
