//! Queries of full text: words and phrases that a text has or has not.

/// Alternatives, of which one must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextQuery {
    /// The alternatives; all terms of one must hold. None is empty.
    pub any: Vec<Vec<TextTerm>>,
}

/// A word or a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTerm {
    /// The text must not have it.
    pub negated: bool,
    /// The words, one after the other; in lower case.
    pub words: Vec<String>,
}

/// The words of a text: letters and digits without anything between them, in lower case.
pub fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

impl TextQuery {
    /// Reads a query as web searches write it: words that must all be there, `"phrases"`, `-word` for
    /// what must not be there, and `or` between alternatives. `None` without any word.
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
            let words = words(term);
            if let (false, Some(group)) = (words.is_empty(), any.last_mut()) {
                group.push(TextTerm { negated, words });
            }
            (rest, negated, after_term) = (behind, false, true);
        }
        any.retain(|group| !group.is_empty());
        (!any.is_empty()).then_some(Self { any })
    }

    /// Whether a text satisfies the query.
    pub fn matches(&self, text: &str) -> bool {
        let words = words(text);
        let has = |phrase: &[String]| words.windows(phrase.len()).any(|part| part == phrase);
        self.any.iter().any(|all| all.iter().all(|term| has(&term.words) != term.negated))
    }

    /// How many words it has.
    pub fn size(&self) -> usize {
        self.any.iter().flatten().map(|term| term.words.len()).sum()
    }

    /// The query with each term in quotes, so that every reader takes the same terms from it.
    /// [`Self::parse`] reads it.
    pub fn canonical(&self) -> String {
        let term = |term: &TextTerm| {
            let sign = if term.negated { "-" } else { "" };
            format!("{sign}\"{}\"", term.words.join(" "))
        };
        self.join(" or ", |all| all.iter().map(term).collect::<Vec<_>>().join(" "))
    }

    /// The query of a column for FTS5; `None` where an alternative has nothing but words that must not
    /// be there, which FTS5 has no form for.
    pub fn fts5(&self, column: &str) -> Option<String> {
        let phrase = |term: &&TextTerm| format!("\"{}\"", term.words.join(" "));
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

/// What is behind `or`, where it stands between terms.
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
    fn queries_are_read_as_web_searches() {
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
    fn texts_match_by_words() {
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
            assert_eq!(TextQuery::parse(query).unwrap().matches(text), expected, "{query}");
        }
    }

    #[test]
    fn fts5_has_no_lone_negation() {
        let fts5 = |text| TextQuery::parse(text).unwrap().fts5("a\"b");
        assert_eq!(fts5("-dry"), None);
        assert_eq!(fts5("red or -dry"), None);
        let expected = r#""a""b" : ((("red wine" AND "old") NOT "dry") OR (("x")))"#;
        assert_eq!(fts5(r#""red wine" old -dry or x"#).as_deref(), Some(expected));
    }
}
