//! Selectors as jsoup reads them, written so that they mean the same in CSS.
//!
//! In jsoup names of classes and values of attributes match in any case, and the whole document counts as an element: a
//! selector that begins with `*` or a pseudo-class alone may find it. Source: `org.jsoup.select.QueryParser` and
//! `Evaluator` of jsoup 1.17.1.

use std::iter::Peekable;
use std::str::Chars;

/// The pseudo-classes that mean the same in both, and whether they have a selector in parentheses.
const PSEUDO: [(&str, Argument); 12] = [
    ("first-child", Argument::None),
    ("last-child", Argument::None),
    ("only-child", Argument::None),
    ("first-of-type", Argument::None),
    ("last-of-type", Argument::None),
    ("only-of-type", Argument::None),
    ("nth-child", Argument::Number),
    ("nth-last-child", Argument::Number),
    ("nth-of-type", Argument::Number),
    ("nth-last-of-type", Argument::Number),
    ("not", Argument::Selector),
    ("has", Argument::Selector),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Number,
    Selector,
}

/// The selector in CSS.
///
/// # Errors
/// Why it is not taken, as a phrase.
pub(super) fn rewritten(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    Rewriter { left: text.trim().chars().peekable(), out: String::new(), begins: true }.run()
}

struct Rewriter<'t> {
    left: Peekable<Chars<'t>>,
    out: String,
    /// Whether a selector of the list begins here.
    begins: bool,
}

impl Rewriter<'_> {
    fn run(mut self) -> Result<String, String> {
        while let Some(next) = self.left.next() {
            match next {
                '[' => self.attribute()?,
                ':' => self.pseudo()?,
                '.' => {
                    let name = self.name();
                    self.out.push_str(&format!("[class~=\"{name}\" i]"));
                }
                '*' if self.begins => return Err(document("*")),
                ',' => {
                    self.out.push(',');
                    self.begins = true;
                    continue;
                }
                ' ' | '\t' | '\n' | '\r' => {
                    self.out.push(next);
                    continue;
                }
                '*' | '#' | '>' | '+' | '~' | '-' | '_' => self.out.push(next),
                letter if letter.is_alphanumeric() => self.out.push(letter),
                other => return Err(format!("the character `{other}` is not taken")),
            }
            self.begins = false;
        }
        Ok(self.out)
    }

    /// The letters of a name.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(letter) =
            self.left.next_if(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
        {
            name.push(letter);
        }
        name
    }

    /// What is up to a closing bracket, behind the opening one; texts in quotes may have brackets.
    fn inside(&mut self, [open, close]: [char; 2]) -> Result<String, String> {
        let (mut inside, mut depth, mut quote) = (String::new(), 1, None);
        for next in self.left.by_ref() {
            match quote {
                Some(end) if next == end => quote = None,
                Some(_) => {}
                None if matches!(next, '"' | '\'') => quote = Some(next),
                None if next == open => depth += 1,
                None if next == close => depth -= 1,
                None => {}
            }
            if depth == 0 {
                return Ok(inside);
            }
            inside.push(next);
        }
        Err(format!("`{open}` is not closed"))
    }

    fn attribute(&mut self) -> Result<(), String> {
        let inside = self.inside(['[', ']'])?;
        let Some((name, value)) = inside.split_once('=') else {
            if inside.trim_start().starts_with('^') {
                return Err("`[^` is not taken".to_owned());
            }
            self.out.push_str(&format!("[{inside}]"));
            return Ok(());
        };
        let operator = match name.chars().last() {
            Some('~') => return Err("`~=` is a regular expression in JMeter".to_owned()),
            Some('!') => return Err("`!=` is not taken".to_owned()),
            Some(sign @ ('^' | '$' | '*')) => format!("{sign}="),
            _ => "=".to_owned(),
        };
        let name = name.trim_end_matches(['^', '$', '*']).trim();
        let value = unquoted(value.trim());
        if value.contains('\\') {
            return Err("the character `\\` is not taken".to_owned());
        }
        let value = value.replace('"', "\\\"");
        self.out.push_str(&format!("[{name}{operator}\"{value}\" i]"));
        Ok(())
    }

    fn pseudo(&mut self) -> Result<(), String> {
        let name = self.name();
        if self.begins {
            return Err(document(&format!(":{name}")));
        }
        let known = PSEUDO.iter().find(|(known, _)| *known == name);
        let Some((_, argument)) = known else { return Err(format!("`:{name}` is not taken")) };
        self.out.push_str(&format!(":{name}"));
        if *argument == Argument::None {
            return Ok(());
        }
        if self.left.next() != Some('(') {
            return Err(format!("`:{name}` needs parentheses"));
        }
        let inside = self.inside(['(', ')'])?;
        let inside = match argument {
            Argument::Selector => {
                // The document is in no element.
                let rewriter = Rewriter {
                    left: inside.trim().chars().peekable(),
                    out: String::new(),
                    begins: false,
                };
                rewriter.run()?
            }
            _ => inside,
        };
        self.out.push_str(&format!("({inside})"));
        Ok(())
    }
}

fn document(beginning: &str) -> String {
    format!(
        "it begins with `{beginning}`, by which JMeter may find the whole document; name an element before"
    )
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inside;
        }
    }
    text
}
