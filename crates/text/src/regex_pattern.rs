//! The dialect of regular expressions that both stores match alike: `$regex` of filters, `regexp_like` of views.
//!
//! A pattern is checked and printed in a form that means the same to PostgreSQL and to the `regex`
//! crate: groups do not capture, classes are ranges of characters, and every other character that
//! either could take for an operator is escaped. `\d+(st|nd)$` becomes `[0-9]+(?:st|nd)$`.

use std::iter::Peekable;
use std::str::Chars;

/// Groups inside each other; they are read by recursion.
const DEEPEST: usize = 32;

/// The largest number of a bounded repetition, which is PostgreSQL's.
const MOST_REPETITIONS: usize = 255;

const SPACE: &[(char, char)] = &[('\t', '\r'), (' ', ' ')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The classes of `[[:name:]]`, in ASCII as everything else in the dialect.
const CLASSES: [(&str, &[(char, char)]); 9] = [
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("blank", &[('\t', '\t'), (' ', ' ')]),
    ("digit", &[('0', '9')]),
    ("lower", &[('a', 'z')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", SPACE),
    ("upper", &[('A', 'Z')]),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

/// A pattern in the form for both stores.
#[derive(Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The form that is sent.
    pub printed: String,
    /// Characters and ranges that it compares with, bounded repetitions written out.
    pub size: usize,
}

/// Why a pattern is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The character at which it was found, from 1.
    pub at: usize,
    /// What is wrong and what to do.
    pub message: String,
}

/// Reads a pattern as a client writes it. What has been printed is read as itself.
///
/// # Errors
/// Where and why it is none of this dialect.
///
/// ```
/// use duet_text::regex_pattern::read;
///
/// assert_eq!(read(r"^\d+(st|nd)$").unwrap().printed, "^[0-9]+(?:st|nd)$");
/// assert_eq!(read("a**").unwrap_err().at, 3);
/// ```
pub fn read(pattern: &str) -> Result<Pattern, PatternError> {
    let mut parser =
        Parser { rest: pattern.chars().peekable(), at: 0, printed: String::new(), depth: 0 };
    let part = parser.alternatives()?;
    match parser.next() {
        None => Ok(Pattern { printed: parser.printed, size: part.size }),
        Some(_) => Err(parser.problem("this `)` closes no group; write `\\)`")),
    }
}

/// What is known of a part of a pattern.
#[derive(Clone, Copy, Default)]
struct Part {
    size: usize,
    /// Whether `^` or `$` is in it.
    is_anchored: bool,
}

impl Part {
    fn of(size: usize) -> Self {
        Self { size, is_anchored: false }
    }

    fn and(self, other: Self) -> Self {
        Self {
            size: self.size.saturating_add(other.size),
            is_anchored: self.is_anchored || other.is_anchored,
        }
    }
}

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    /// Characters read.
    at: usize,
    printed: String,
    depth: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.at += usize::from(next.is_some());
        next
    }

    fn takes(&mut self, char: char) -> bool {
        let is_next = self.rest.peek() == Some(&char);
        if is_next {
            self.next();
        }
        is_next
    }

    fn problem(&self, message: &str) -> PatternError {
        PatternError { at: self.at.max(1), message: message.to_owned() }
    }

    /// Branches up to the end of the pattern or of the group.
    fn alternatives(&mut self) -> Result<Part, PatternError> {
        let mut whole = Part::default();
        while let Some(&char) = self.rest.peek() {
            match char {
                ')' => break,
                '|' => {
                    self.next();
                    self.printed.push('|');
                }
                _ => whole = whole.and(self.repeated()?),
            }
        }
        Ok(whole)
    }

    /// An atom and its repetition.
    fn repeated(&mut self) -> Result<Part, PatternError> {
        let part = self.atom()?;
        let Some(&char) = self.rest.peek() else { return Ok(part) };
        if !matches!(char, '*' | '+' | '?' | '{') {
            return Ok(part);
        }
        self.next();
        if part.is_anchored {
            return Err(self.problem("`^`, `$` and groups with them cannot be repeated"));
        }
        let times = if char == '{' {
            self.bounds()?
        } else {
            self.printed.push(char);
            1
        };
        match self.rest.peek() {
            Some('*' | '+' | '?' | '{') => {
                self.next();
                let message = "repetitions cannot follow each other, and there are no lazy or \
                               possessive ones, since they select the same; put the first into a \
                               group, or escape the character";
                Err(self.problem(message))
            }
            _ => Ok(Part::of(part.size.saturating_mul(times))),
        }
    }

    /// Reads `{m}`, `{m,}` or `{m,n}` after its brace; returns the number of copies.
    fn bounds(&mut self) -> Result<usize, PatternError> {
        let low = self.number()?;
        let high = match self.takes(',') {
            true if self.rest.peek() == Some(&'}') => None,
            true => Some(self.number()?),
            false => Some(low),
        };
        if !self.takes('}') {
            self.next();
            return Err(self.problem(
                "a repetition is `{2}`, `{2,}` or `{2,5}`; the character itself is `\\{`",
            ));
        }
        if high.is_some_and(|high| high < low) {
            return Err(self.problem("the bounds of this repetition are in the wrong order"));
        }
        let high_text = match high {
            Some(high) if high == low => String::new(),
            Some(high) => format!(",{high}"),
            None => ",".to_owned(),
        };
        self.printed.push_str(&format!("{{{low}{high_text}}}"));
        Ok(high.unwrap_or(low + 1).max(1))
    }

    fn number(&mut self) -> Result<usize, PatternError> {
        let mut number = None;
        while let Some(digit) = self.rest.peek().and_then(|char| char.to_digit(10)) {
            self.next();
            let read = number.unwrap_or(0) * 10 + digit as usize;
            if read > MOST_REPETITIONS {
                return Err(self.problem("a repetition is of at most 255"));
            }
            number = Some(read);
        }
        number.ok_or_else(|| {
            self.at += 1;
            self.problem("a repetition is `{2}`, `{2,}` or `{2,5}`; the character itself is `\\{`")
        })
    }

    fn atom(&mut self) -> Result<Part, PatternError> {
        let Some(char) = self.next() else { return Ok(Part::default()) };
        match char {
            '(' => self.group(),
            '[' => self.class(),
            '.' => {
                self.printed.push('.');
                Ok(Part::of(1))
            }
            '^' | '$' => {
                self.printed.push(char);
                Ok(Part { size: 1, is_anchored: true })
            }
            '\\' => self.escape(),
            '*' | '+' | '?' | '{' => {
                Err(self.problem(&format!("there is nothing here to repeat; write `\\{char}`")))
            }
            ']' | '}' => Err(self.problem(&format!("this opens nowhere; write `\\{char}`"))),
            '\0' => Err(self.problem("text cannot contain U+0000")),
            _ => {
                literal(char, &mut self.printed);
                Ok(Part::of(1))
            }
        }
    }

    fn group(&mut self) -> Result<Part, PatternError> {
        if self.takes('?') && !self.takes(':') {
            self.next();
            let message =
                "a group is `(…)` or `(?:…)`; lookaround, flags and names are not offered";
            return Err(self.problem(message));
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.problem("groups lie at most 32 deep"));
        }
        self.printed.push_str("(?:");
        let part = self.alternatives()?;
        if !self.takes(')') {
            return Err(self.problem("a group is not closed"));
        }
        self.depth -= 1;
        self.printed.push(')');
        Ok(part)
    }

    /// Reads an escape after `\` outside of brackets.
    fn escape(&mut self) -> Result<Part, PatternError> {
        let Some(char) = self.next() else {
            return Err(self.problem("the pattern ends with a lone `\\`"));
        };
        if let Some((ranges, negated)) = shorthand(char) {
            self.printed.push_str(if negated { "[^" } else { "[" });
            ranges.iter().for_each(|&(low, high)| print_range(low, high, &mut self.printed));
            self.printed.push(']');
            return Ok(Part::of(ranges.len()));
        }
        literal(self.escaped(char)?, &mut self.printed);
        Ok(Part::of(1))
    }

    /// The character that an escape means.
    fn escaped(&self, char: char) -> Result<char, PatternError> {
        Ok(match char {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            _ if char.is_ascii_punctuation() || char == ' ' => char,
            _ => {
                let message = "`\\` escapes punctuation and forms \\d \\D \\w \\W \\s \\S \\n \\r \\t; \
                               word boundaries, back-references and properties are not offered";
                return Err(self.problem(message));
            }
        })
    }

    /// Reads a class after its `[`.
    fn class(&mut self) -> Result<Part, PatternError> {
        let opening = if self.takes('^') { "[^" } else { "[" };
        self.printed.push_str(opening);
        let mut items = 0;
        loop {
            let Some(char) = self.next() else {
                return Err(self.problem("a `[` is not closed; write `\\[` for the character"));
            };
            match char {
                ']' if items > 0 => break,
                ']' => {
                    return Err(self.problem("this class is empty; write `\\]` for the character"));
                }
                '[' => {
                    let ranges = self.named()?;
                    ranges
                        .iter()
                        .for_each(|&(low, high)| print_range(low, high, &mut self.printed));
                    items += ranges.len();
                }
                _ => items += self.item(char)?,
            }
        }
        self.printed.push(']');
        Ok(Part::of(items))
    }

    /// A character, a range or an escape inside brackets.
    fn item(&mut self, char: char) -> Result<usize, PatternError> {
        let low = match char {
            '\\' => {
                let Some(char) = self.next() else {
                    return Err(self.problem("the pattern ends with a lone `\\`"));
                };
                match shorthand(char) {
                    Some((_, true)) => {
                        return Err(
                            self.problem("\\D, \\W and \\S are allowed only outside of brackets")
                        );
                    }
                    Some((ranges, false)) => {
                        ranges
                            .iter()
                            .for_each(|&(low, high)| print_range(low, high, &mut self.printed));
                        return Ok(ranges.len());
                    }
                    None => self.escaped(char)?,
                }
            }
            _ => self.unescaped(char)?,
        };
        let high = if self.takes('-') { self.high()? } else { low };
        if high < low {
            return Err(self.problem("the ends of this range are in the wrong order"));
        }
        print_range(low, high, &mut self.printed);
        Ok(1)
    }

    /// The upper end of a range.
    fn high(&mut self) -> Result<char, PatternError> {
        match self.next() {
            Some('\\') => match self.next() {
                Some(char) => self.escaped(char),
                None => Err(self.problem("the pattern ends with a lone `\\`")),
            },
            Some(char) if char != ']' && char != '[' => self.unescaped(char),
            _ => Err(self.problem("this range has no end; write `\\-` for the character")),
        }
    }

    fn unescaped(&self, char: char) -> Result<char, PatternError> {
        match char {
            '-' => Err(self.problem("this range has no beginning; write `\\-` for the character")),
            '\0' => Err(self.problem("text cannot contain U+0000")),
            _ => Ok(char),
        }
    }

    /// Reads `[:name:]` after its first bracket.
    fn named(&mut self) -> Result<&'static [(char, char)], PatternError> {
        let mut name = String::new();
        if self.takes(':') {
            while let Some(char) = self.rest.next_if(char::is_ascii_lowercase) {
                self.at += 1;
                name.push(char);
            }
            if self.takes(':') && self.takes(']') {
                let class = CLASSES.iter().find(|(known, _)| *known == name);
                if let Some((_, ranges)) = class {
                    return Ok(ranges);
                }
            }
        }
        let names: Vec<_> = CLASSES.iter().map(|(name, _)| format!("[:{name}:]")).collect();
        let message =
            format!("a `[` in brackets begins one of {}, or is written `\\[`", names.join(" "));
        Err(self.problem(&message))
    }
}

/// The ranges of `\d`, `\w` and `\s`, and whether the letter negates them.
fn shorthand(char: char) -> Option<(&'static [(char, char)], bool)> {
    let ranges: &[(char, char)] = match char.to_ascii_lowercase() {
        'd' => &[('0', '9')],
        'w' => WORD,
        's' => SPACE,
        _ => return None,
    };
    Some((ranges, char.is_ascii_uppercase()))
}

fn print_range(low: char, high: char, out: &mut String) {
    literal(low, out);
    if low < high {
        out.push('-');
        literal(high, out);
    }
}

/// Escapes what one of the stores would not take as itself, inside brackets or outside.
fn literal(char: char, out: &mut String) {
    if r"\.+*?()|[]{}^$-&~#".contains(char) {
        out.push('\\');
    }
    out.push(char);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_one_form_for_both_stores() {
        for (pattern, printed, size) in [
            ("", "", 0),
            ("a.c", "a.c", 3),
            (r"^\d+(st|nd)$", "^[0-9]+(?:st|nd)$", 7),
            (r"[^a\-z-~\]]{2,}", r"[^a\-z-\~\]]{2,}", 12),
            (r"(?:ab){3,4}|", "(?:ab){3,4}|", 8),
            (r"[[:digit:]\s_]", "[0-9\t-\r _]", 4),
            (r"\W\.\n", "[^0-9A-Z_a-z]\\.\n", 6),
            ("(a{10}){10}", "(?:a{10}){10}", 100),
            ("é{1,1}", "é{1}", 1),
        ] {
            let pattern = read(pattern);
            assert_eq!(pattern, Ok(Pattern { printed: printed.to_owned(), size }));
            assert_eq!(read(printed), Ok(Pattern { printed: printed.to_owned(), size }));
        }
    }

    #[test]
    fn says_where_a_pattern_is_wrong() {
        for (pattern, at, part) in [
            ("a**", 3, "group"),
            ("a+?", 3, "lazy"),
            ("*a", 1, "repeat"),
            ("a{2", 3, "{2,5}"),
            ("a{,2}", 3, "{2,5}"),
            ("a{3,2}", 6, "order"),
            ("a{256}", 5, "255"),
            ("^*", 2, "cannot be repeated"),
            ("(a|$)+", 6, "cannot be repeated"),
            ("(?=a)", 3, "lookaround"),
            ("(?i)a", 3, "flags"),
            ("(a", 2, "not closed"),
            ("a)", 2, "no group"),
            (r"\bfoo", 2, "word boundaries"),
            (r"(a)\1", 5, "back-references"),
            (r"\p{L}", 2, "properties"),
            ("a\\", 2, "lone"),
            ("[]", 2, "empty"),
            ("[a", 2, "not closed"),
            ("[z-a]", 4, "order"),
            ("[a-]", 4, "no end"),
            ("[-a]", 2, "no beginning"),
            ("[[:word:]]", 9, "[:alpha:]"),
            (r"[\D]", 3, "outside"),
            ("a]", 2, "opens nowhere"),
            ("a\0", 2, "U+0000"),
        ] {
            let problem = read(pattern).unwrap_err();
            assert_eq!(problem.at, at, "{pattern}: {problem:?}");
            assert!(problem.message.contains(part), "{pattern}: {problem:?}");
        }
        assert!(read(&"(".repeat(100_000)).is_err());
    }
}
