//! `LIKE` patterns: `%` matches any text, `_` any one character, and `\` escapes the next character.

use memchr::memmem::Finder;

use super::effort::{Effort, Interruption};

/// Whether the pattern does not end with an incomplete escape.
pub fn is_complete(pattern: &str) -> bool {
    pattern.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
}

/// The pattern that matches exactly this text.
pub fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    for char in text.chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// Any text.
    Text,
    /// Any one character.
    One,
    /// This character.
    Char(char),
}

/// The parts of a pattern; a trailing `\` is literal.
///
/// ```
/// use duet_text::like::{PatternPart, parts};
/// assert!(parts(r"\%_%").eq([PatternPart::Char('%'), PatternPart::One, PatternPart::Text]));
/// ```
pub fn parts(pattern: &str) -> impl Iterator<Item = PatternPart> {
    let mut chars = pattern.chars();
    std::iter::from_fn(move || {
        Some(match chars.next()? {
            '%' => PatternPart::Text,
            '_' => PatternPart::One,
            '\\' => PatternPart::Char(chars.next().unwrap_or('\\')),
            char => PatternPart::Char(char),
        })
    })
}

/// Whether the entire text matches; see [`Pattern`].
pub fn matches(pattern: &str, text: &str, ignore_case: bool) -> bool {
    Pattern::new(pattern, ignore_case).matches(text, &Effort::unlimited()) == Ok(true)
}

/// A pattern, compiled. Its time is proportional to the length of the text, times one for every 64 characters of a
/// part of the pattern that has `_` between others.
///
/// Between two `%` lies a segment: it is found at its first place in the rest of the text. That is enough, since a
/// later place leaves less of the text to the segments behind it.
#[derive(Debug)]
pub struct Pattern {
    ignore_case: bool,
    /// What the text begins with; all of it where `last` is none.
    first: Segment,
    middle: Vec<Segment>,
    /// What the text ends with.
    last: Option<Segment>,
}

impl Pattern {
    /// Compiles a pattern. It ignores case by the lower case of both sides, each as a whole, as PostgreSQL's `lower`
    /// with the rules of Unicode has it: `İ` becomes two characters, `Σ` at the end of a word `ς`. A trailing `\` is
    /// literal.
    pub fn new(pattern: &str, ignore_case: bool) -> Self {
        let lower;
        let pattern = match ignore_case {
            true => {
                lower = pattern.to_lowercase();
                lower.as_str()
            }
            false => pattern,
        };
        let parts: Vec<PatternPart> = parts(pattern).collect();
        let mut segments = parts.split(|part| *part == PatternPart::Text).map(Segment::new);
        let first = segments.next().unwrap_or_else(|| Segment::new(&[]));
        let mut middle: Vec<Segment> = segments.collect();
        let last = middle.pop();
        middle.retain(|segment| !segment.is_empty());
        Self { ignore_case, first, middle, last }
    }

    /// The pattern of texts that contain this one, case-sensitive.
    pub fn containing(part: &str) -> Self {
        let parts: Vec<PatternPart> = part.chars().map(PatternPart::Char).collect();
        let none = || Segment::new(&[]);
        let middle = if parts.is_empty() { Vec::new() } else { vec![Segment::new(&parts)] };
        Self { ignore_case: false, first: none(), middle, last: Some(none()) }
    }

    /// Whether the entire text matches.
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    ///
    /// ```
    /// use duet_text::effort::Effort;
    /// use duet_text::like::Pattern;
    ///
    /// let pattern = Pattern::new("%an_na%", true);
    /// assert_eq!(pattern.matches("Ananas, BANANNA", &Effort::unlimited()), Ok(true));
    /// ```
    pub fn matches(&self, text: &str, effort: &Effort<'_>) -> Result<bool, Interruption> {
        effort.spend(1)?;
        let folded;
        let text = match self.ignore_case {
            true => {
                folded = lowered(text, effort)?;
                folded.as_str()
            }
            false => text,
        };
        let Some(mut rest) = self.first.strip_prefix(text, effort)? else { return Ok(false) };
        let Some(last) = &self.last else { return Ok(rest.is_empty()) };
        for segment in &self.middle {
            let Some(behind) = segment.strip_first(rest, effort)? else { return Ok(false) };
            rest = behind;
        }
        last.is_suffix(rest, effort)
    }
}

/// A text in lower case.
fn lowered(text: &str, effort: &Effort<'_>) -> Result<String, Interruption> {
    effort.spend(text.len())?;
    Ok(text.to_lowercase())
}

/// How many bytes are searched between two looks at the effort, unless the part is longer.
const STRETCH: usize = 16 << 10;

/// A part of a pattern without `%`: it matches texts of one number of characters.
#[derive(Debug)]
struct Segment {
    /// The number of `_` before what has to be found, and behind it.
    before: usize,
    after: usize,
    body: Body,
}

/// What a segment has between its outer `_`.
#[derive(Debug)]
enum Body {
    /// Nothing but `_`, which `before` counts.
    Empty,
    /// Characters alone.
    Literal(Box<Finder<'static>>),
    /// Characters with `_` between them.
    Mixed(Mixed),
}

impl Segment {
    fn new(parts: &[PatternPart]) -> Self {
        let is_char = |part: &PatternPart| matches!(part, PatternPart::Char(_));
        let (Some(start), Some(end)) =
            (parts.iter().position(is_char), parts.iter().rposition(is_char))
        else {
            return Self { before: parts.len(), after: 0, body: Body::Empty };
        };
        let inner = &parts[start..=end];
        let literal: Option<String> = inner
            .iter()
            .map(|part| match part {
                PatternPart::Char(char) => Some(*char),
                PatternPart::One | PatternPart::Text => None,
            })
            .collect();
        let body = match literal {
            Some(text) => Body::Literal(Box::new(Finder::new(&text).into_owned())),
            None => Body::Mixed(Mixed::new(inner)),
        };
        Self { before: start, after: parts.len() - end - 1, body }
    }

    fn is_empty(&self) -> bool {
        self.before == 0 && matches!(self.body, Body::Empty)
    }

    /// The rest behind it, where the text begins with it.
    fn strip_prefix<'t>(
        &self,
        text: &'t str,
        effort: &Effort<'_>,
    ) -> Result<Option<&'t str>, Interruption> {
        let Some(text) = skip(text, self.before, effort)? else { return Ok(None) };
        let behind = match &self.body {
            Body::Empty => Some(text),
            Body::Literal(finder) => {
                text.as_bytes().starts_with(finder.needle()).then(|| &text[finder.needle().len()..])
            }
            Body::Mixed(mixed) => mixed.strip_prefix(text, effort)?,
        };
        behind.map_or(Ok(None), |behind| skip(behind, self.after, effort))
    }

    /// The rest behind its first place in the text.
    fn strip_first<'t>(
        &self,
        text: &'t str,
        effort: &Effort<'_>,
    ) -> Result<Option<&'t str>, Interruption> {
        let Some(text) = skip(text, self.before, effort)? else { return Ok(None) };
        let behind = match &self.body {
            Body::Empty => Some(text),
            Body::Literal(finder) => {
                let place = find(finder, text.as_bytes(), effort)?;
                place.map(|place| &text[place + finder.needle().len()..])
            }
            Body::Mixed(mixed) => mixed.strip_first(text, effort)?,
        };
        behind.map_or(Ok(None), |behind| skip(behind, self.after, effort))
    }

    /// Whether the text ends with it.
    fn is_suffix(&self, text: &str, effort: &Effort<'_>) -> Result<bool, Interruption> {
        let length = match &self.body {
            Body::Empty => 0,
            Body::Literal(finder) => char_count(finder.needle()),
            Body::Mixed(mixed) => mixed.parts.len(),
        };
        let length = self.before + length + self.after;
        effort.spend(length)?;
        let start = match length {
            0 => return Ok(true),
            _ => text.char_indices().rev().nth(length - 1).map(|(at, _)| at),
        };
        match start {
            Some(start) => Ok(self.strip_prefix(&text[start..], effort)?.is_some()),
            None => Ok(false),
        }
    }
}

/// The number of characters of a text in UTF-8.
fn char_count(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// The text behind so many characters; `None` where it has fewer.
fn skip<'t>(
    text: &'t str,
    count: usize,
    effort: &Effort<'_>,
) -> Result<Option<&'t str>, Interruption> {
    effort.spend(count)?;
    Ok(match count {
        0 => Some(text),
        _ => text.char_indices().nth(count - 1).map(|(at, char)| &text[at + char.len_utf8()..]),
    })
}

/// The first place of a literal, searched by stretches.
pub(crate) fn find(
    finder: &Finder<'_>,
    text: &[u8],
    effort: &Effort<'_>,
) -> Result<Option<usize>, Interruption> {
    let length = finder.needle().len();
    let mut from = 0;
    loop {
        let end = text.len().min(from + STRETCH.max(length) + length);
        let found = finder.find(&text[from..end]);
        effort.spend(found.map_or(end - from, |at| at + length))?;
        if let Some(at) = found {
            return Ok(Some(from + at));
        }
        if end == text.len() {
            return Ok(None);
        }
        // A place may begin here and end behind.
        from = end + 1 - length.max(1);
    }
}

/// Characters with `_` between them, found by Shift-And (R. Baeza-Yates and G. Gonnet, "A new approach to text
/// searching", 1992): bit n of the state says that the last n + 1 characters of the text match the first n + 1 parts.
#[derive(Debug)]
struct Mixed {
    parts: Vec<PatternPart>,
    /// For each character of the pattern, in their order, the parts that it matches.
    masks: Vec<(char, Vec<u64>)>,
    /// The parts that any other character matches.
    others: Vec<u64>,
}

impl Mixed {
    fn new(parts: &[PatternPart]) -> Self {
        let words = parts.len().div_ceil(64);
        let mask = |matches: &dyn Fn(&PatternPart) -> bool| {
            let mut mask = vec![0_u64; words];
            for (at, _) in parts.iter().enumerate().filter(|(_, part)| matches(part)) {
                mask[at / 64] |= 1 << (at % 64);
            }
            mask
        };
        let mut chars: Vec<char> = parts
            .iter()
            .filter_map(|part| match part {
                PatternPart::Char(char) => Some(*char),
                PatternPart::One | PatternPart::Text => None,
            })
            .collect();
        chars.sort_unstable();
        chars.dedup();
        let of = |char| {
            (
                char,
                mask(&|part| matches!(part, PatternPart::One) || *part == PatternPart::Char(char)),
            )
        };
        Self {
            masks: chars.into_iter().map(of).collect(),
            others: mask(&|part| *part == PatternPart::One),
            parts: parts.to_vec(),
        }
    }

    fn strip_prefix<'t>(
        &self,
        text: &'t str,
        effort: &Effort<'_>,
    ) -> Result<Option<&'t str>, Interruption> {
        effort.spend(self.parts.len())?;
        let mut chars = text.chars();
        for part in &self.parts {
            let fits = match (chars.next(), part) {
                (None, _) => false,
                (Some(char), PatternPart::Char(wanted)) => char == *wanted,
                (Some(_), PatternPart::One | PatternPart::Text) => true,
            };
            if !fits {
                return Ok(None);
            }
        }
        Ok(Some(chars.as_str()))
    }

    fn strip_first<'t>(
        &self,
        text: &'t str,
        effort: &Effort<'_>,
    ) -> Result<Option<&'t str>, Interruption> {
        let mut state = vec![0_u64; self.others.len()];
        let last = self.parts.len() - 1;
        let mut chars = text.chars();
        while let Some(char) = chars.next() {
            effort.spend(1 + state.len() / 8)?;
            let known = self.masks.binary_search_by_key(&char, |(known, _)| *known);
            let mask = known.map_or(&self.others, |at| &self.masks[at].1);
            let mut carry = 1;
            for (word, mask) in state.iter_mut().zip(mask) {
                let shifted = *word << 1 | carry;
                carry = *word >> 63;
                *word = shifted & mask;
            }
            if state[last / 64] >> (last % 64) & 1 == 1 {
                return Ok(Some(chars.as_str()));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::effort::UNITS_PER_QUESTION;

    #[test]
    fn matches_patterns() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("a%", "abc", true),
            ("a%", "ba", false),
            ("%c", "abc", true),
            ("a_c", "abc", true),
            ("a_c", "ac", false),
            ("_", "é", true),
            ("%ab%ab%", "aabab", true),
            ("%ab%ab%", "aabba", false),
            ("a\\%", "a%", true),
            ("a\\%", "ab", false),
            ("a\\\\", "a\\", true),
            ("\\_", "x", false),
            ("a%%b", "ab", true),
            ("A%", "abc", false),
        ] {
            assert_eq!(matches(pattern, text, false), expected, "{pattern} {text}");
        }
        assert!(matches("ÉCOLE%", "école normale", true));
        for (pattern, text, expected) in [
            ("İ%", "İstanbul", true),
            ("i\u{307}STANBUL", "İstanbul", true),
            ("i_stanbul", "İstanbul", true),
            ("i%", "İstanbul", true),
            ("istanbul", "İstanbul", false),
            ("_stanbul", "İstanbul", false),
            ("ΣΊΣΥΦΟΣ", "σίσυφος", true),
            ("σίσυφοσ", "ΣΊΣΥΦΟΣ", false),
            ("ΟΔΟΣ%", "ΟΔΟΣ ΣΟΥ", true),
        ] {
            assert_eq!(matches(pattern, text, true), expected, "{pattern} {text}");
        }
        assert!(!matches("ss", "ß", true));
    }

    #[test]
    fn a_trailing_backslash_is_literal() {
        for (pattern, expected) in [("", true), ("\\", false), ("a\\\\", true), ("\\\\\\", false)] {
            assert_eq!(is_complete(pattern), expected, "{pattern}");
        }
    }

    /// The steps of a match are counted, and are as many as the text is long.
    #[test]
    fn hostile_patterns_take_steps_in_proportion_to_the_text() {
        let text = "a".repeat(200_000);
        let mixed = format!("%{}b%", "a_".repeat(500));
        for pattern in [
            format!("%{}b", "a".repeat(5_000)),
            format!("%{}b%", "a".repeat(20_000)),
            format!("{}b", "%a".repeat(2_500)),
            format!("%{}", "_%a".repeat(1_000)),
            mixed,
        ] {
            for ignore_case in [false, true] {
                let asked = Cell::new(0);
                let is_over = || {
                    asked.set(asked.get() + 1);
                    false
                };
                let compiled = Pattern::new(&pattern, ignore_case);
                let effort = Effort::until(&is_over);
                let matched = compiled.matches(&text, &effort).unwrap();
                assert_eq!(matched, !pattern.contains('b'));
                let units = asked.get() * UNITS_PER_QUESTION;
                assert!(units < 8 * text.len(), "{units} {}", &pattern[..10]);
            }
        }
    }

    #[test]
    fn a_match_ends_where_it_is_told_to() {
        let text = "a".repeat(2 * UNITS_PER_QUESTION);
        for pattern in ["%b%", "%a_b%", "%"] {
            let ended = Pattern::new(pattern, true).matches(&text, &Effort::until(&|| true));
            assert_eq!(ended, Err(Interruption), "{pattern}");
        }
    }

    /// The definition, by recursion.
    fn by_definition(parts: &[PatternPart], text: &[char]) -> bool {
        match (parts.split_first(), text.split_first()) {
            (None, first) => first.is_none(),
            (Some((PatternPart::Text, rest)), _) => {
                (0..=text.len()).any(|skipped| by_definition(rest, &text[skipped..]))
            }
            (Some((PatternPart::One, rest)), Some((_, text))) => by_definition(rest, text),
            (Some((PatternPart::Char(wanted), rest)), Some((char, text))) => {
                wanted == char && by_definition(rest, text)
            }
            (Some(_), None) => false,
        }
    }

    proptest! {
        #[test]
        fn matches_as_defined(pattern in "[abÄäİΣς%_]{0,8}", text in "[abÄäİΣς]{0,10}") {
            for ignore_case in [false, true] {
                let fold = |text: &str| match ignore_case {
                    true => text.to_lowercase(),
                    false => text.to_owned(),
                };
                let steps: Vec<PatternPart> = parts(&fold(&pattern)).collect();
                let chars: Vec<char> = fold(&text).chars().collect();
                prop_assert_eq!(
                    matches(&pattern, &text, ignore_case), by_definition(&steps, &chars)
                );
            }
        }

        /// Parts of more than 64 characters, and texts of several stretches.
        #[test]
        fn long_parts_match(at in 0_usize..60_000, gap in 1_usize..150) {
            let part = format!("x{}y", "b_".repeat(gap));
            let text = format!("{}x{}y{}", "b".repeat(at), "bc".repeat(gap), "b".repeat(40_000));
            let literal = format!("x{}y", "bc".repeat(gap));
            let [mixed, plain, twice] =
                [format!("%{part}%"), format!("%{literal}%"), format!("%{part}%x%")]
                    .map(|pattern| matches(&pattern, &text, false));
            prop_assert!(mixed && plain && !twice);
        }

        #[test]
        fn escaped_text_matches_only_itself(a in "[ab%_\\\\\\\\é]{0,6}", b in "[ab%_\\\\\\\\é]{0,6}") {
            prop_assert!(is_complete(&escape(&a)));
            prop_assert_eq!(matches(&escape(&a), &b, false), a == b);
            prop_assert_eq!(matches(&(escape(&a) + "%"), &b, false), b.starts_with(&a));
            let contains = Pattern::containing(&a).matches(&b, &Effort::unlimited());
            prop_assert_eq!(contains, Ok(b.contains(&a)));
        }
    }
}
