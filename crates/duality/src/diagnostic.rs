//! The mistakes of a definition: position, rule, and probable intention.

use std::fmt::Write as _;

use duet_model::{Code, Error, Place};

use crate::source::{DefinitionFile, Span};

/// One mistake in a definition text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The permanent code, 3xxx.
    pub code: Code,
    /// What is wrong here.
    pub message: String,
    /// The rule of the language that is broken, in words.
    pub rule: Option<&'static str>,
    /// What was probably meant, or what to write instead.
    pub hint: Option<String>,
    /// Where.
    pub span: Span,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), rule: None, hint: None, span }
    }

    pub(crate) fn rule(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds "Did you mean …?" where a name is close enough.
    pub(crate) fn nearest<'a>(
        mut self,
        wanted: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let nearest = duet_text::name::nearest(wanted, candidates);
        self.hint = nearest.map(|name| format!("Did you mean `{name}`?")).or(self.hint);
        self
    }

    /// The same as an error of Duet, placed by line and column.
    pub fn to_error(&self, source: &DefinitionFile) -> Error {
        let message = self.message.trim_end_matches('.');
        let rule = self.rule.map(|rule| format!(" Rule: {rule}")).unwrap_or_default();
        let (line, column) = source.position(self.span.start);
        Error::new(self.code, format!("{message}.{rule}"))
            .maybe_hint(self.hint.clone())
            .at(Place::in_file(&source.name, line, column))
    }
}

/// Lines are cut to about this many characters around the mistake.
const WIDTH: usize = 120;

/// Prints a mistake for people: the message, file, line and column, the line itself with the
/// place underlined, the rule and the hint.
pub fn render(diagnostic: &Diagnostic, source: &DefinitionFile) -> String {
    let (line, column) = source.position(diagnostic.span.start);
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    let (shown, indent, width) = excerpt(diagnostic.span, source);
    let mut out = format!("error[{}]: {}\n", diagnostic.code.as_str(), diagnostic.message);
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "{gutter}--> {}:{line}:{column}\n{gutter} |\n{number} | {shown}\n{gutter} | {}{}\n",
        source.name,
        " ".repeat(indent),
        "^".repeat(width),
    );
    if let Some(rule) = diagnostic.rule {
        let _ = writeln!(out, "{gutter} = rule: {rule}");
    }
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, "{gutter} = hint: {hint}");
    }
    out
}

/// The part of the line to show, and the position and number of underlined characters.
fn excerpt(span: Span, source: &DefinitionFile) -> (String, usize, usize) {
    let start = span.start.min(source.text.len());
    let printable = |char: char| if char.is_control() { ' ' } else { char };
    let line = source.line(start);
    let before = source.text.get(source.line_start(start)..start).unwrap_or("");
    let column = before.chars().count();
    let marked = source.text.get(start..span.end).unwrap_or("");
    let marked = marked.split('\n').next().unwrap_or("").trim_end().chars().count();
    let first = if column > WIDTH - 20 { column - 20 } else { 0 };
    let shown: String = line.chars().skip(first).take(WIDTH).map(printable).collect();
    let indent = column - first;
    let room = shown.chars().count().saturating_sub(indent);
    (shown.trim_end().to_owned(), indent, marked.min(room).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_the_line_with_a_caret() {
        let source = DefinitionFile::new("a.sql", "view x = y {\n\tnmae\n}");
        let diagnostic =
            Diagnostic::new(Code::ViewColumn, Span::new(14, 18), "table y has no nmae")
                .rule("columns must exist")
                .nearest("nmae", ["name"]);
        let expected = "\
error[DUET-3003]: table y has no nmae
 --> a.sql:2:2
  |
2 |  nmae
  |  ^^^^
  = rule: columns must exist
  = hint: Did you mean `name`?
";
        assert_eq!(render(&diagnostic, &source), expected);
        let error = diagnostic.to_error(&source);
        assert_eq!(error.place, Some(Place::in_file("a.sql", 2, 2)));
        assert_eq!(error.message, "table y has no nmae. Rule: columns must exist");
    }

    #[test]
    fn truncates_long_lines_and_accepts_any_span() {
        let text = format!("{}bad{}", " ".repeat(5_000), "x".repeat(5_000));
        let source = DefinitionFile::new("a.sql", text);
        let at = |start, end| Diagnostic::new(Code::ViewSyntax, Span::new(start, end), "m");
        assert!(render(&at(5_000, 5_003), &source).contains("bad"));
        assert!(render(&at(5_000, 5_003), &source).len() < 500);
        assert!(render(&at(99_999, 100_000), &source).contains('^'));
        assert!(render(&at(3, 1), &source).contains('^'));
    }
}
