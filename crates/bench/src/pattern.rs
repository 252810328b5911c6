//! Regular expressions as plans of JMeter and workload files have them: with look-around and back references, and a
//! brace that begins no number is itself.

use fancy_regex::{Regex, RegexBuilder};

/// How many steps back a search may take before it gives up.
const MOST_STEPS: usize = 10_000_000;

/// A search took more steps than it may: whether the text matches is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GaveUp;

impl std::fmt::Display for GaveUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a search gave up after {MOST_STEPS} steps: simplify the expression")
    }
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Compiles an expression.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let compiled = RegexBuilder::new(&translated(text)).backtrack_limit(MOST_STEPS).build();
        compiled
            .map(Self)
            .map_err(|error| error.to_string().lines().last().unwrap_or_default().trim().to_owned())
    }

    /// The same for the whole text.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn whole(text: &str) -> Result<Self, String> {
        Self::new(&format!("^(?:{text})\\z"))
    }

    /// Whether a part of a text matches.
    ///
    /// # Errors
    /// Where the search gives up.
    pub(crate) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        self.0.is_match(text).map_err(|_| GaveUp)
    }

    /// Whether it has a group.
    pub(crate) fn has_group(&self) -> bool {
        self.0.captures_len() > 1
    }

    /// The groups of each match, the whole match first.
    ///
    /// # Errors
    /// Where the search gives up.
    pub(crate) fn groups(&self, text: &str) -> Result<Vec<Vec<String>>, GaveUp> {
        let mut all = Vec::new();
        for captures in self.0.captures_iter(text) {
            let captures = captures.map_err(|_| GaveUp)?;
            let part = |at| captures.get(at).map_or("", |part| part.as_str()).to_owned();
            all.push((0..captures.len()).map(part).collect());
        }
        Ok(all)
    }
}

/// An expression of Perl or Java in the words of this library.
fn translated(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_class) = (text, false);
    while let Some(next) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("\\Q") {
            let (inside, behind) = behind.split_once("\\E").unwrap_or((behind, ""));
            out += &regex::escape(inside);
            rest = behind;
            continue;
        }
        let mut length = next.len_utf8();
        match next {
            '\\' => {
                let escaped = rest[1..].chars().next().unwrap_or('\\');
                length = (1 + escaped.len_utf8()).min(rest.len());
                match escaped {
                    // Here they would be the ends of words.
                    '<' | '>' | '_' => out.push(escaped),
                    'Z' => out += "(?=\\n?\\z)",
                    _ => out += &rest[..length],
                }
            }
            '[' if in_class && !rest.starts_with("[:") => out += "\\[",
            '[' => {
                in_class = true;
                out.push('[');
                // A bracket that closes first is itself.
                for first in ["^", "]"] {
                    if rest[length..].starts_with(first) {
                        out += if first == "]" { "\\]" } else { "^" };
                        length += 1;
                    }
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '{' if !in_class && !is_count(&rest[1..]) => out += "\\{",
            '$' if !in_class => out += "(?=\\n?\\z)",
            _ => out.push(next),
        }
        rest = &rest[length..];
    }
    out
}

/// Whether a brace begins a number of repetitions.
fn is_count(behind: &str) -> bool {
    let Some((inside, _)) = behind.split_once('}') else { return false };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && is_number(least) && is_number(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_perl_and_java() {
        for (pattern, text, holds) in [
            ("(e)v\\1n", "seven", true),
            ("^(?!.*error).*seven", "a seven", true),
            ("(?<=v=)\\w+$", "v=1\n", true),
            ("{.*}", "{a}", true),
            ("a{2}", "aa", true),
            ("a{2", "aa", false),
            ("\\Q[x]\\E", "[x]", true),
            ("[[]", "[", true),
            ("[]a]", "]", true),
            ("[^]a]", "]", false),
            ("\\<a\\>", "<a>", true),
            ("\\d+", "x", false),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().is_match(text), Ok(holds), "{pattern}");
        }
        assert_eq!(Pattern::whole("a|ab").unwrap().is_match("ab"), Ok(true));
        assert_eq!(Pattern::whole("a").unwrap().is_match("a\n"), Ok(false));
        assert!(Pattern::new("(").is_err());
        let slow = Pattern::new("a(?:(a)\\1?)*b").unwrap();
        assert_eq!(slow.is_match(&format!("b{}", "a".repeat(60))), Err(GaveUp));
        let groups = Pattern::new("(a)(b)?").unwrap().groups("ab a").unwrap();
        assert_eq!(groups, [["ab", "a", "b"], ["a", "a", ""]]);
    }
}
