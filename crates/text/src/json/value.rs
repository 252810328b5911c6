//! Values of a JSON text, each with its byte position, the text of its numbers, and duplicate members; and the bounds and
//! the subjects of such texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::decimal::Decimal;
use crate::error::{Code, Result};
use crate::problem::{fault, quoted};

/// The kind of a JSON text, for the parser's errors.
#[derive(Debug)]
pub struct InputKind {
    /// Its name in messages, as in "the filter".
    pub noun: &'static str,
    /// The code for invalid JSON.
    pub syntax: Code,
    /// The code for exceeding the maximum depth.
    pub depth: Code,
    /// The code and the hint for duplicate members; `None` if they are allowed.
    pub twice: Option<(Code, &'static str)>,
}

/// A filter in `q`.
pub const FILTER: InputKind = InputKind {
    noun: "filter",
    syntax: Code::FilterSyntax,
    depth: Code::FilterLimit,
    twice: Some((
        Code::FilterGrammar,
        "To have several conditions on one field, put them into an array or into `$and`.",
    )),
};

/// The body of a request.
pub const BODY: InputKind = InputKind {
    noun: "body",
    syntax: Code::BodySyntax,
    depth: Code::BodyDepth,
    twice: Some((Code::BodySyntax, "Give each member once.")),
};

/// A document as Duet's writer prints it. Its own objects have unique names; JSON that is stored as
/// text may have duplicates.
pub const STORED: InputKind = InputKind {
    noun: "stored document",
    syntax: Code::Internal,
    depth: Code::Internal,
    twice: None,
};

/// A value and its position.
#[derive(Clone, Debug)]
pub struct Json<'t> {
    /// Byte position of its first character.
    pub at: usize,
    /// The value.
    pub kind: JsonKind<'t>,
}

/// A JSON value. Equality is by meaning: it ignores the order of members, positions, and the notation
/// of numbers.
#[derive(Clone, Debug)]
pub enum JsonKind<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// As written, so that no digit is lost.
    Number(&'t str),
    /// A string, its escapes resolved.
    Text(Cow<'t, str>),
    /// An array.
    List(Vec<Json<'t>>),
    /// An object with unique names.
    Object(Vec<JsonMember<'t>>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct JsonMember<'t> {
    /// Byte position of the name's opening quote.
    pub at: usize,
    /// The name, its escapes resolved.
    pub name: Cow<'t, str>,
    /// The value.
    pub value: Json<'t>,
}

impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for JsonKind<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => {
                // A zero and a negative zero are two floats.
                let same_sign = a.starts_with('-') == b.starts_with('-');
                a == b
                    || same_sign && Decimal::parse(a).is_some_and(|a| Some(a) == Decimal::parse(b))
            }
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => same_members(a, b),
            _ => false,
        }
    }
}

/// Names are unique, so equal lengths and a match for each member of `a` suffice.
fn same_members(a: &[JsonMember<'_>], b: &[JsonMember<'_>]) -> bool {
    let in_order = || a.iter().zip(b).all(|(a, b)| a.name == b.name && a.value == b.value);
    let mut sorted = BTreeMap::new();
    a.len() == b.len()
        && (in_order() || {
            sorted.extend(b.iter().map(|member| (&*member.name, &member.value)));
            a.iter().all(|member| sorted.get(&*member.name) == Some(&&member.value))
        })
}

impl<'t> Json<'t> {
    /// A value without a position in a text.
    pub fn new(kind: JsonKind<'t>) -> Self {
        Self { at: 0, kind }
    }

    /// The member with this name; `None` if it is missing or the value is not an object.
    pub fn get(&self, name: &str) -> Option<&Json<'t>> {
        let JsonKind::Object(members) = &self.kind else { return None };
        members.iter().find(|member| member.name == name).map(|member| &member.value)
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, JsonKind::Null)
    }

    /// Appends the value as JSON text without white space.
    pub fn write(&self, out: &mut String) {
        match &self.kind {
            JsonKind::Null => out.push_str("null"),
            JsonKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            JsonKind::Number(number) => out.push_str(number),
            JsonKind::Text(text) => write_string(text, out),
            JsonKind::List(elements) => {
                out.push('[');
                for (index, element) in elements.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    element.write(out);
                }
                out.push(']');
            }
            JsonKind::Object(members) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_string(&member.name, out);
                    out.push(':');
                    member.value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Applies a merge patch (RFC 7396): members of objects are merged, `null` removes a member, any
    /// other value replaces the old one.
    #[must_use]
    pub fn merged(self, patch: Self) -> Self {
        let JsonKind::Object(changes) = patch.kind else { return patch };
        let members = match self.kind {
            JsonKind::Object(members) => members,
            _ => Vec::new(),
        };
        let mut merged = Members::new(members);
        for change in changes {
            match merged.get_mut(&change.name) {
                Some(_) if change.value.is_null() => merged.remove(&change.name),
                Some(value) => {
                    let old = std::mem::replace(value, Json::new(JsonKind::Null));
                    *value = old.merged(change.value);
                }
                None if change.value.is_null() => {}
                None => {
                    let value = Json::new(JsonKind::Null).merged(change.value);
                    merged.push(JsonMember { value, ..change });
                }
            }
        }
        Json { at: self.at, kind: JsonKind::Object(merged.into_vec()) }
    }
}

/// The members of an object with a hash index by name.
#[derive(Debug)]
pub struct Members<'t> {
    members: Vec<Option<JsonMember<'t>>>,
    /// The position of the first member of each name.
    places: HashMap<Cow<'t, str>, usize>,
}

impl<'t> Members<'t> {
    /// Indexes these members and keeps their order.
    pub fn new(members: Vec<JsonMember<'t>>) -> Self {
        let mut places = HashMap::with_capacity(members.len());
        for (at, member) in members.iter().enumerate() {
            places.entry(member.name.clone()).or_insert(at);
        }
        Self { members: members.into_iter().map(Some).collect(), places }
    }

    /// The value of a member.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json<'t>> {
        let at = *self.places.get(name)?;
        self.members[at].as_mut().map(|member| &mut member.value)
    }

    /// Removes a member, if present.
    pub fn remove(&mut self, name: &str) {
        if let Some(at) = self.places.remove(name) {
            self.members[at] = None;
        }
    }

    /// Adds a member at the end.
    pub fn push(&mut self, member: JsonMember<'t>) {
        self.places.entry(member.name.clone()).or_insert(self.members.len());
        self.members.push(Some(member));
    }

    /// All members, in order.
    pub fn into_vec(self) -> Vec<JsonMember<'t>> {
        self.members.into_iter().flatten().collect()
    }
}

/// Appends text as a JSON string (RFC 8259 §7). What needs no escape is copied in whole runs.
fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0C => "\\f",
            0..b' ' => "",
            _ => continue,
        };
        out.push_str(&text[copied..at]);
        out.push_str(escape);
        if escape.is_empty() {
            out.push_str(&format!("\\u{byte:04x}"));
        }
        copied = at + 1;
    }
    out.push_str(&text[copied..]);
    out.push('"');
}

impl JsonKind<'_> {
    /// The name of its JSON type, with an article.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// The limits of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// The maximum nesting depth of objects and arrays.
    pub depth: usize,
    /// The maximum number of values.
    pub nodes: usize,
}

impl JsonLimits {
    /// Limits only the depth.
    pub const fn depth(depth: usize) -> Self {
        Self { depth, nodes: usize::MAX }
    }
}

/// The maximum number of names that are compared pairwise.
const FEW_NAMES: usize = 12;

/// Refuses duplicate names, because parsers differ in which one they use. Larger sets are sorted instead
/// of compared pairwise, which bounds the cost of hostile filters.
pub(crate) fn check_names(names: &[(&str, usize)], subject: &InputKind) -> Result<()> {
    let Some((code, instead)) = subject.twice else { return Ok(()) };
    if names.len() <= FEW_NAMES {
        let mut others = names.iter().enumerate();
        if others.all(|(at, (name, _))| names[..at].iter().all(|(other, _)| other != name)) {
            return Ok(());
        }
    }
    let mut names = names.to_vec();
    names.sort_unstable();
    let Some(pair) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) else { return Ok(()) };
    let (name, at) = pair[1];
    Err(fault(code, at, format!("The member {} is given twice.", quoted(name))).hint(instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_where_they_must_be() {
        for (text, written) in [
            ("", r#""""#),
            ("plain", r#""plain""#),
            ("\"a\\b\"", r#""\"a\\b\"""#),
            ("\n\r\t\u{1}\u{1f}\u{7f} é€\n", "\"\\n\\r\\t\\u0001\\u001f\u{7f} é€\\n\""),
            ("\u{8}\u{c}", "\"\\b\\f\""),
        ] {
            let mut out = String::new();
            write_string(text, &mut out);
            assert_eq!(out, written, "{text:?}");
        }
    }
}
