//! A cursor over the decoded text of one parameter, with errors that name the place.

use duet_model::profiles::PostgrestCode;
use duet_model::{Error, Place, Result};
use duet_text::json::{Json, JsonKind};
use duet_text::{ArrayPosition, JsonStep};

use super::column_path::ColumnPath;

/// How much of a text a message repeats, in characters.
const SHOWN: usize = 100;

/// A text that is read from its start to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    /// The name of the parameter.
    parameter: &'t str,
    /// What it is, for messages: `filter`, `select parameter`.
    noun: &'static str,
    text: &'t str,
    at: usize,
    /// How many characters of the key PostgREST reads before the text.
    before: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(parameter: &'t str, noun: &'static str, text: &'t str) -> Self {
        Self { parameter, noun, text, at: 0, before: 0 }
    }

    /// The same where places count from the name of a logic operator on.
    pub(super) fn behind(self, name: &str) -> Self {
        Self { before: name.chars().count(), ..self }
    }

    /// Goes over parentheses that close nothing, which PostgREST does not read either.
    pub(super) fn skip_closing(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(')').len();
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn is_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(' ').len();
    }

    /// Goes over a text, if it follows.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Goes over a text that must follow.
    pub(super) fn expect(&mut self, text: &str) -> Result<()> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.expected(&format!("\"{text}\""))),
        }
    }

    /// What follows as long as a test holds.
    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A name: in double quotes, or letters, digits, `_`, `$`, `-` and blanks.
    pub(super) fn name(&mut self) -> Result<String> {
        self.skip_blanks();
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let rest = self.rest();
        let is_part = |(at, char): (usize, char)| match char {
            '-' => !rest[at..].starts_with("->"),
            char => char.is_alphanumeric() || matches!(char, '_' | '$' | ' '),
        };
        let end = rest.char_indices().find(|part| !is_part(*part)).map_or(rest.len(), |(at, _)| at);
        self.at += end;
        let name = rest[..end].trim();
        match name.is_empty() {
            true => Err(self.expected("field name (* or [a..z0..9_$])")),
            false => Ok(name.to_owned()),
        }
    }

    /// A text in double quotes, in which `\` takes the next character as it is.
    pub(super) fn quoted(&mut self) -> Result<String> {
        self.expect("\"")?;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((at, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, escaped)| escaped)),
                char => text.push(char),
            }
        }
        self.at = self.text.len();
        Err(self.expected("\"\\\"\""))
    }

    /// A column, and the steps inside it: `data->a->>0`.
    pub(super) fn column_path(&mut self) -> Result<ColumnPath> {
        let column = self.name()?;
        let (mut steps, mut as_text) = (Vec::new(), false);
        while self.rest().starts_with("->") {
            if as_text {
                return Err(self.expected("the end of the path after \"->>\""));
            }
            as_text = self.eat("->>") || !self.eat("->");
            steps.push(self.step()?);
        }
        Ok(ColumnPath { column, steps, as_text })
    }

    fn step(&mut self) -> Result<JsonStep> {
        if self.peek() == Some('"') {
            return self.quoted().map(JsonStep::Member);
        }
        let is_negative = self.eat("-");
        let rest = self.rest();
        let is_end = |(at, char): (usize, char)| match char {
            '-' => is_negative || rest[at..].starts_with("->"),
            char => "(:.,>)".contains(char),
        };
        let end = rest.char_indices().find(|part| is_end(*part)).map_or(rest.len(), |(at, _)| at);
        let name = rest[..end].trim_end();
        let element = name.parse::<u32>().ok();
        let step = match (is_negative, element) {
            (false, Some(at)) => JsonStep::Element(ArrayPosition::Start(at)),
            (true, Some(at)) if at > 0 => JsonStep::Element(ArrayPosition::End(at - 1)),
            (false, None) if !name.is_empty() => JsonStep::Member(name.to_owned()),
            (true, _) => return Err(self.expected("digit")),
            (false, _) => {
                return Err(self
                    .expected("\"-\", digit or any non reserved character different from: .,>()"));
            }
        };
        self.at += end;
        Ok(step)
    }

    /// The error where something else should follow.
    pub(super) fn expected(&self, what: &str) -> Error {
        let found = match self.peek() {
            Some(char) => format!("unexpected {:?}", char.to_string()),
            None => "unexpected end of input".to_owned(),
        };
        self.error(&format!("{found} expecting {what}"))
    }

    /// The error at this place.
    pub(super) fn error(&self, details: &str) -> Error {
        let column = self.before + self.text[..self.at].chars().count() + 1;
        let shown: String = self.text.chars().take(SHOWN).collect();
        let message =
            format!("\"failed to parse {} ({shown})\" (line 1, column {column})", self.noun);
        let mut json = String::new();
        Json::new(JsonKind::Text(details.into())).write(&mut json);
        PostgrestCode::Grammar.with_details(message, json).at(self.place())
    }

    pub(super) fn place(&self) -> Place {
        Place::Parameter(self.parameter.to_owned())
    }
}
