//! Answers that the header of a service declares: status, headers and body for each outcome. A body is a template
//! with names in braces.

use std::collections::BTreeMap;

use duet_model::Code;

/// How a request to a service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOutcome {
    /// It succeeded.
    Ok,
    /// There is no such row.
    NotFound,
    /// A unique value exists already.
    Duplicate,
    /// Another conflict with stored data.
    Conflict,
    /// The request cannot be read: its body, or the type of a value.
    Malformed,
    /// A value breaks a limit of the service or a rule of a table.
    Invalid,
    /// The caller lacks a right.
    Denied,
    /// It could not be done in time; the same request may succeed later.
    Unavailable,
    /// The server failed.
    Failed,
}

/// The names of the outcomes.
pub const OUTCOMES: [(&str, ServiceOutcome); 9] = [
    ("ok", ServiceOutcome::Ok),
    ("not_found", ServiceOutcome::NotFound),
    ("duplicate", ServiceOutcome::Duplicate),
    ("conflict", ServiceOutcome::Conflict),
    ("malformed", ServiceOutcome::Malformed),
    ("invalid", ServiceOutcome::Invalid),
    ("denied", ServiceOutcome::Denied),
    ("unavailable", ServiceOutcome::Unavailable),
    ("failed", ServiceOutcome::Failed),
];

impl ServiceOutcome {
    /// The outcome of an error; `None` for those that are about the protocol, such as 405 and 406.
    pub fn of(code: Code) -> Option<Self> {
        Some(match code {
            Code::NoSuchItem | Code::BadKey => Self::NotFound,
            Code::UniqueViolation => Self::Duplicate,
            Code::NotNullViolation | Code::TriggerRefused | Code::ValueOutOfRange => Self::Invalid,
            _ => match code.status() {
                400 | 408 | 413 | 415 => Self::Malformed,
                401 | 403 => Self::Denied,
                409 => Self::Conflict,
                422 => Self::Invalid,
                429 | 503 | 504 => Self::Unavailable,
                500 => Self::Failed,
                _ => return None,
            },
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        OUTCOMES.iter().find(|(_, outcome)| *outcome == self).map_or("", |(name, _)| *name)
    }
}

/// The answers that a service declares, by the names of outcomes, and by names that its parameters have for
/// values outside of their limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers(pub BTreeMap<String, DeclaredAnswer>);

impl Answers {
    /// That of success.
    pub fn ok(&self) -> Option<&DeclaredAnswer> {
        self.0.get(ServiceOutcome::Ok.name())
    }
}

/// What is sent for an outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclaredAnswer {
    /// The status; by default that of the outcome.
    pub status: Option<u16>,
    /// The media type of the body; JSON by default.
    pub media: Option<String>,
    /// Further headers.
    pub headers: Vec<(String, Template)>,
    /// The body; the default one if absent.
    pub body: Option<BodyTemplate>,
}

impl DeclaredAnswer {
    /// All templates in it.
    pub fn templates(&self) -> Vec<&Template> {
        let mut all: Vec<&Template> = self.headers.iter().map(|(_, value)| value).collect();
        match &self.body {
            Some(BodyTemplate::Text(template)) => all.push(template),
            Some(BodyTemplate::Json(json)) => json.templates(&mut all),
            None => {}
        }
        all
    }
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyTemplate {
    /// Text.
    Text(Template),
    /// JSON.
    Json(JsonTemplate),
}

/// JSON whose strings are templates.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonTemplate {
    /// The text of a number or Boolean.
    Literal(String),
    /// A string. One that is a single name is that value, with its own type.
    Text(Template),
    /// An array.
    List(Vec<JsonTemplate>),
    /// An object; its members are in the order of the file.
    Object(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    fn templates<'t>(&'t self, all: &mut Vec<&'t Template>) {
        match self {
            Self::Literal(_) => {}
            Self::Text(template) => all.push(template),
            Self::List(items) => items.iter().for_each(|item| item.templates(all)),
            Self::Object(members) => members.iter().for_each(|(_, value)| value.templates(all)),
        }
    }
}

/// A text with names in braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(pub Vec<TemplatePiece>);

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePiece {
    /// This text.
    Text(String),
    /// The value of a name.
    Name {
        /// The name.
        name: String,
        /// Its place in the file, in bytes.
        at: usize,
    },
}

impl Template {
    /// Reads a text with `{name}`; `{{` and `}}` are braces.
    ///
    /// ```
    /// use duet_service::services::Template;
    ///
    /// let template = Template::read("{{{id}}} of {error.code}").unwrap();
    /// assert_eq!(template.names().map(|(name, _)| name).collect::<Vec<_>>(), ["id", "error.code"]);
    /// assert!(Template::read("{id").is_err());
    /// ```
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(behind) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = behind;
                continue;
            }
            let name = rest.split_once('}').filter(|(name, _)| brace == "{" && is_name(name));
            let Some((name, behind)) = name else {
                return Err(format!("A `{brace}` is not part of a name in braces."));
            };
            if !plain.is_empty() {
                pieces.push(TemplatePiece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(TemplatePiece::Name { name: name.to_owned(), at: 0 });
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(TemplatePiece::Text(plain));
        }
        Ok(Self(pieces))
    }

    /// The names in it, with their places in the file.
    pub fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().filter_map(|piece| match piece {
            TemplatePiece::Name { name, at } => Some((name.as_str(), *at)),
            TemplatePiece::Text(_) => None,
        })
    }

    /// The name that is all of it.
    pub fn only(&self) -> Option<&str> {
        match &self.0[..] {
            [TemplatePiece::Name { name, .. }] => Some(name),
            _ => None,
        }
    }
}

impl Template {
    /// The text, where it has no names.
    pub fn constant(&self) -> Option<&str> {
        match &self.0[..] {
            [] => Some(""),
            [TemplatePiece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Names of parameters and columns, and `error.code`.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.$ -".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_names_and_braces() {
        let read = |text: &str| Template::read(text).unwrap().0;
        let text = |text: &str| TemplatePiece::Text(text.into());
        let name = |name: &str| TemplatePiece::Name { name: name.into(), at: 0 };
        assert_eq!(read("a {b} c"), [text("a "), name("b"), text(" c")]);
        assert_eq!(read("{{b}} {b}"), [text("{b} "), name("b")]);
        assert_eq!(read(""), []);
        for wrong in ["{", "}", "{}", "a {b", "b} c", "{a{b}}", "{\"a\"}"] {
            assert!(Template::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_code_of_a_request_has_one_outcome() {
        for code in Code::ALL {
            let is_protocol = matches!(code.status(), 405 | 406 | 412 | 414 | 428 | 431 | 501);
            // These answer paths that are no service's, and the tenant of a request is known before its path.
            let is_path = matches!(
                code,
                Code::NotServed
                    | Code::JournalElsewhere
                    | Code::NoSuchSequence
                    | Code::TenantUnknown
                    | Code::ViewEventsGone
            );
            assert_eq!(ServiceOutcome::of(*code).is_none(), is_protocol || is_path, "{code:?}");
        }
    }
}
