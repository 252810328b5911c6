//! Words of a text as PostgreSQL's default parser cuts them for the configuration `simple`, and queries
//! over them.
//!
//! The parser's rules for letters, digits, hyphens and what separates words are followed: a compound with
//! hyphens is a word and its parts are words after it, digits alone are a number with its sign.
//!
//! | text | words |
//! |---|---|
//! | `it's` | `it` `s` |
//! | `foo-bar` | `foo-bar` `foo` `bar` |
//! | `123-456` | `123` `-456` |
//! | `foo-12` | `foo` `-12` |
//! | `foo-12a` | `foo-12a` `foo` `12a` |
//! | `1e5` | `1e5` |
//!
//! Dots, slashes, `@`, `:`, `_`, `&`, `<`, `~` and `+` only separate words here, where that parser also
//! knows decimals, versions, hosts, paths, addresses, tags and entities.

use std::collections::HashSet;

use unicode_normalization::char::is_combining_mark;

use super::effort::{Effort, Interruption, WORD};

/// A query over words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexemeQuery {
    /// The alternatives; of each all phrases must be there.
    pub any: Vec<Vec<Phrase>>,
}

/// Words that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase(pub Vec<QueryWord>);

/// A word of a query, which is cut like a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWord {
    /// Its text, without white space and with a letter or digit.
    pub text: String,
    /// Whether the text's word may continue after it.
    pub prefix: bool,
}

/// The bytes of a word that PostgreSQL takes at most.
pub const LONGEST: usize = 2_046;

impl LexemeQuery {
    /// Whether a text satisfies it.
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    pub fn matches(&self, text: &str, effort: &Effort<'_>) -> Result<bool, Interruption> {
        let words = lexemes_within(text, effort)?;
        // Most phrases are a word, and are looked up.
        let known: HashSet<&str> = words.iter().map(String::as_str).collect();
        for all in &self.any {
            let mut holds = true;
            for phrase in all {
                holds = phrase.is_in(&words, &known, effort)?;
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
        self.any.iter().flatten().map(|phrase| phrase.0.len()).sum()
    }

    /// The query for PostgreSQL's `to_tsquery`, which cuts the words itself.
    pub fn tsquery(&self) -> String {
        let word = |word: &QueryWord| {
            let text = word.text.replace('\\', "\\\\").replace('\'', "''");
            format!("'{text}'{}", if word.prefix { ":*" } else { "" })
        };
        let phrase = |phrase: &Phrase| {
            format!("({})", phrase.0.iter().map(word).collect::<Vec<_>>().join(" <-> "))
        };
        self.join(" | ", |all| all.iter().map(phrase).collect::<Vec<_>>().join(" & "))
    }

    /// The query as people read it: phrases in quotes.
    pub fn shown(&self) -> String {
        let word =
            |word: &QueryWord| format!("{}{}", word.text, if word.prefix { "*" } else { "" });
        let phrase = |phrase: &Phrase| {
            format!("{:?}", phrase.0.iter().map(word).collect::<Vec<_>>().join(" "))
        };
        self.join(" or ", |all| all.iter().map(phrase).collect::<Vec<_>>().join(" "))
    }

    /// Encodes it; [`Self::decode`] reads it. Lines are alternatives, tabs part phrases, blanks words; the
    /// first character of a word says whether it is a beginning.
    pub fn encode(&self) -> String {
        let word =
            |word: &QueryWord| format!("{}{}", if word.prefix { '*' } else { '=' }, word.text);
        let phrase = |phrase: &Phrase| phrase.0.iter().map(word).collect::<Vec<_>>().join(" ");
        self.join("\n", |all| all.iter().map(phrase).collect::<Vec<_>>().join("\t"))
    }

    /// Decodes the output of [`Self::encode`]; `None` for any other text.
    pub fn decode(text: &str) -> Option<Self> {
        let word = |word: &str| {
            let (sign, text) = word.split_at_checked(1)?;
            let prefix = match sign {
                "*" => true,
                "=" => false,
                _ => return None,
            };
            Some(QueryWord { text: text.to_owned(), prefix })
        };
        let phrase = |text: &str| text.split(' ').map(word).collect::<Option<Vec<_>>>().map(Phrase);
        let all = |text: &str| text.split('\t').map(phrase).collect::<Option<Vec<_>>>();
        Some(Self { any: text.split('\n').map(all).collect::<Option<_>>()? })
    }

    fn join(&self, separator: &str, group: impl Fn(&[Phrase]) -> String) -> String {
        self.any.iter().map(|all| group(all)).collect::<Vec<_>>().join(separator)
    }
}

impl Phrase {
    /// The words that follow each other in a text with the phrase, each with whether it may go on.
    pub fn lexemes(&self) -> impl Iterator<Item = (String, bool)> {
        let of = |word: &QueryWord| {
            let prefix = word.prefix;
            lexemes(&word.text).into_iter().map(move |lexeme| (lexeme, prefix))
        };
        self.0.iter().flat_map(of)
    }

    /// Whether it is in a text with these words, of which the second are the same ones.
    fn is_in(
        &self,
        words: &[String],
        known: &HashSet<&str>,
        effort: &Effort<'_>,
    ) -> Result<bool, Interruption> {
        let wanted: Vec<(String, bool)> = self.lexemes().collect();
        effort.spend(WORD * (1 + wanted.len()))?;
        match wanted.as_slice() {
            [] => return Ok(false),
            [(word, false)] => return Ok(known.contains(word.as_str())),
            _ => {}
        }
        let holds = |(word, (wanted, prefix)): (&String, &(String, bool))| match prefix {
            true => word.starts_with(wanted.as_str()),
            false => word == wanted,
        };
        for part in words.windows(wanted.len()) {
            let fitting = part.iter().zip(&wanted).take_while(|pair| holds(*pair)).count();
            effort.spend(1 + fitting)?;
            if fitting == wanted.len() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a word of a query has something to look for.
pub fn has_lexeme(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// The words of a text, in lower case; parts of a compound follow it.
pub fn lexemes(text: &str) -> Vec<String> {
    lexemes_within(text, &Effort::unlimited()).unwrap_or_default()
}

/// As [`lexemes`].
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn lexemes_within(text: &str, effort: &Effort<'_>) -> Result<Vec<String>, Interruption> {
    effort.spend(text.len())?;
    let lower = text.to_lowercase();
    let mut cutter = Cutter { rest: &lower, words: Vec::new() };
    let mut left = lower.len();
    while cutter.next() {
        effort.spend(WORD + left - cutter.rest.len())?;
        left = cutter.rest.len();
    }
    cutter.words.retain(|word| word.len() <= LONGEST);
    Ok(cutter.words)
}

/// What a run of letters and digits is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    /// Digits alone.
    Digits,
    /// At least one letter.
    Word,
}

struct Cutter<'t> {
    rest: &'t str,
    words: Vec<String>,
}

impl<'t> Cutter<'t> {
    /// Takes the next word; false at the end.
    fn next(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if let Some(length) = number(self.rest) {
            self.take(length);
        } else if first.is_alphanumeric() {
            self.word();
        } else {
            self.rest = &self.rest[first.len_utf8()..];
        }
        true
    }

    fn take(&mut self, length: usize) {
        let (word, rest) = self.rest.split_at(length);
        self.words.push(word.to_owned());
        self.rest = rest;
    }

    /// A word, or a compound with its parts.
    fn word(&mut self) {
        let first = run_length(self.rest);
        let mut end = first;
        while let Some(part) = compound_part(&self.rest[end..]) {
            end += part;
        }
        if end == first {
            return self.take(first);
        }
        self.words.push(self.rest[..end].to_owned());
        self.parts();
    }

    /// The parts of a compound. Digits behind its last part belong to them, without a sign.
    fn parts(&mut self) {
        loop {
            let length = run_length(self.rest);
            if length > 0 && kind(&self.rest[..length]) == Run::Word {
                self.take(length);
            } else {
                return;
            }
            let behind = self.rest.strip_prefix('-').filter(|behind| run_length(behind) > 0);
            let Some(behind) = behind else { return };
            self.rest = behind;
        }
    }
}

/// What goes on a word: a letter, a digit, or a mark on one.
fn is_part(char: char) -> bool {
    char.is_alphanumeric() || is_combining_mark(char)
}

/// The bytes of the letters and digits at the beginning of a text, with their marks.
fn run_length(text: &str) -> usize {
    if text.starts_with(char::is_alphanumeric) {
        text.find(|char| !is_part(char)).unwrap_or(text.len())
    } else {
        0
    }
}

fn kind(run: &str) -> Run {
    if run.bytes().all(|byte| byte.is_ascii_digit()) { Run::Digits } else { Run::Word }
}

/// The bytes of a hyphen and the part of a compound behind it: one with a letter.
fn compound_part(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('-')?;
    let length = run_length(behind);
    (length > 0 && kind(&behind[..length]) == Run::Word).then_some(length + 1)
}

/// The bytes of the number at the beginning of a text: digits, with a sign or an exponent.
fn number(text: &str) -> Option<usize> {
    let signed = text.starts_with('-');
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = usize::from(signed) + digits(&text[usize::from(signed)..]);
    if whole == usize::from(signed) {
        return None;
    }
    let end = whole + exponent(&text[whole..]).unwrap_or(0);
    let goes_on = text[end..].starts_with(is_part);
    // Digits that letters follow are a word; behind a sign or an exponent they are not.
    (signed || end > whole || !goes_on).then_some(end)
}

/// The bytes of an exponent.
fn exponent(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('e')?;
    let sign = usize::from(behind.starts_with(['-', '+']));
    let digits = behind[sign..].bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then_some(1 + sign + digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_like_postgresqls() {
        for (text, expected) in [
            ("It's a foo-bar-baz.", "it s a foo-bar-baz foo bar baz"),
            ("bar baz 123-456", "bar baz 123 -456"),
            ("foo-12 foo-12a 12a-b 12-b", "foo -12 foo-12a foo 12a 12a-b 12a b 12 b"),
            ("1e5 1e-5x 1eb 12ab", "1e5 1e-5 x 1eb 12ab"),
            ("-7 --7 - a- -a-b", "-7 -7 a a-b a b"),
            ("Été-Ä ß5", "été-ä été ä ß5"),
            ("", ""),
            ("!? --", ""),
        ] {
            assert_eq!(lexemes(text).join(" "), expected, "{text}");
        }
    }

    fn query(any: &[&[&str]]) -> LexemeQuery {
        let word = |text: &str| {
            let stem = text.strip_suffix('*');
            QueryWord { text: stem.unwrap_or(text).to_owned(), prefix: stem.is_some() }
        };
        let phrase = |text: &&str| Phrase(text.split(' ').map(word).collect());
        LexemeQuery { any: any.iter().map(|all| all.iter().map(phrase).collect()).collect() }
    }

    #[test]
    fn phrases_follow_each_other() {
        let text = "The Art of Kayak-Fishing 123-456";
        for (built, expected) in [
            (query(&[&["kayak fishing"]]), true),
            (query(&[&["kayak-fishing"]]), true),
            (query(&[&["art kayak"]]), false),
            (query(&[&["art", "fishing"]]), true),
            (query(&[&["none"], &["fish*"]]), true),
            (query(&[&["kayak-fi*"]]), true),
            (query(&[&["123 456"]]), false),
            (query(&[&["123-456"]]), true),
            (query(&[&["o* kay*"]]), true),
        ] {
            assert_eq!(
                built.matches(text, &Effort::unlimited()),
                Ok(expected),
                "{}",
                built.shown()
            );
            assert_eq!(LexemeQuery::decode(&built.encode()), Some(built));
        }
        assert_eq!(LexemeQuery::decode("x"), None);
    }

    #[test]
    fn quotes_reach_to_tsquery_as_text() {
        let built = query(&[&["it's", "a\\b c*"], &["d"]]);
        assert_eq!(built.tsquery(), r"('it''s') & ('a\\b' <-> 'c':*) | ('d')");
        assert_eq!(built.shown(), r#""it's" "a\\b c*" or "d""#);
    }
}
