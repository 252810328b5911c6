//! Mistakes in a settings file: collected to report all of them at once, each with its line.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::Range;

use duet_model::{Code, Place};
use duet_service::definition::DesignMistake;

use crate::configuration_error::ConfigurationError;

/// The text of a settings file and its name, for messages.
#[derive(Clone, Debug)]
pub(crate) struct SourceText {
    /// The file's name as the user gave it.
    pub(crate) name: String,
    /// The whole text.
    pub(crate) text: String,
}

impl SourceText {
    /// Line and column of a byte offset, both from 1; the column in characters.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        (line, column)
    }

    fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number - 1).unwrap_or("")
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The position in the text, in bytes.
    pub(crate) span: Range<usize>,
    /// What is wrong.
    pub(crate) message: String,
    /// The probable intention.
    pub(crate) hint: Option<String>,
}

/// The mistakes found so far.
#[derive(Debug)]
pub(crate) struct Problems<'a> {
    source: &'a SourceText,
    found: RefCell<Vec<Problem>>,
}

impl<'a> Problems<'a> {
    /// None yet.
    pub(crate) fn new(source: &'a SourceText) -> Self {
        Self { source, found: RefCell::default() }
    }

    /// The text that contains them.
    pub(crate) fn source(&self) -> &'a SourceText {
        self.source
    }

    /// Adds one.
    pub(crate) fn add(&self, span: Range<usize>, message: impl Into<String>, hint: Option<String>) {
        self.found.borrow_mut().push(Problem { span, message: message.into(), hint });
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.found.borrow().len()
    }

    /// All of them in the order of the text.
    pub(crate) fn into_list(self) -> Vec<Problem> {
        let mut list = self.found.into_inner();
        list.sort_by_key(|problem| problem.span.start);
        list
    }
}

/// A mistake formatted for people: what and where, the line with the position underlined, the hint.
pub(crate) fn render(problem: &Problem, source: &SourceText) -> String {
    let (line, column) = source.position(problem.span.start);
    let shown = source.line(line).replace('\t', " ");
    let gutter = " ".repeat(line.to_string().len());
    let room = shown.chars().count().saturating_sub(column - 1).max(1);
    let marked = source.text.get(problem.span.clone()).unwrap_or("");
    let width = marked.lines().next().unwrap_or("").chars().count().clamp(1, room);
    let mut text = format!("error: {}\n", problem.message);
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "{gutter}--> {}:{line}:{column}\n{gutter} |\n{line} | {}\n{gutter} | {}{}\n",
        source.name,
        shown.trim_end(),
        " ".repeat(column - 1),
        "^".repeat(width),
    );
    if let Some(hint) = &problem.hint {
        let _ = writeln!(text, "{gutter} = hint: {hint}");
    }
    text
}

/// The same with its place, for people who design the text.
pub(crate) fn to_design(problem: &Problem, source: &SourceText) -> DesignMistake {
    let (line, column) = source.position(problem.span.start);
    DesignMistake {
        file: source.name.clone(),
        code: Code::Setting,
        message: problem.message.clone(),
        hint: problem.hint.clone(),
        bytes: problem.span.clone(),
        line,
        column,
        rendered: render(problem, source),
    }
}

/// The same in one line, as an error.
pub(crate) fn to_error(problem: &Problem, source: &SourceText) -> ConfigurationError {
    let (line, column) = source.position(problem.span.start);
    ConfigurationError::setting(problem.message.clone())
        .maybe_hint(problem.hint.clone())
        .at(Place::in_file(&source.name, line, column))
}
