//! Declared privileges: a name, the roles that have the privilege, and the paths and operations that
//! it grants.
//!
//! Patterns are relative to the mount, as in ORDS: `/team/*` is the resource and everything below,
//! `/team` only the resource's own path, `/team/301` one item, `/*` or `*` the entire mount. They
//! are not percent-encoded. A `*` is only allowed as the last segment.

use std::fmt;

use duet_model::{Code, Error, Result};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::role;

/// What a request does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Read items, pages, counts.
    Read,
    /// Add items.
    Insert,
    /// Change items.
    Update,
    /// Remove items.
    Delete,
    /// Run a service or routine.
    Execute,
}

impl Operation {
    /// All operations; the position is the operation's number.
    pub const ALL: [Self; 5] =
        [Self::Read, Self::Insert, Self::Update, Self::Delete, Self::Execute];

    /// The operation of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.as_str() == name)
    }

    /// The name that settings use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Execute => "execute",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operations(u8);

impl Operations {
    pub(crate) fn of(operations: &[Operation]) -> Self {
        Self(operations.iter().fold(0, |bits, operation| bits | 1 << *operation as u8))
    }

    pub(crate) fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u8) != 0
    }
}

/// A privilege as an application declares it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Privilege {
    /// A name for messages.
    pub name: String,
    /// The roles that have the privilege; any one of them suffices.
    pub roles: Vec<String>,
    /// The path patterns it covers, relative to the mount.
    pub patterns: Vec<String>,
    /// The granted operations; all by default.
    #[serde(default = "all_operations")]
    pub operations: Vec<Operation>,
}

fn all_operations() -> Vec<Operation> {
    Operation::ALL.into()
}

impl Privilege {
    /// Checks roles and operations, and reads the patterns.
    pub(crate) fn check(&self) -> Result<Vec<Pattern>> {
        let empty = [
            ("roles", self.roles.is_empty(), "Name a role; `duet.anyone` makes it public."),
            ("patterns", self.patterns.is_empty(), "Name a path, such as `/team/*`."),
            ("operations", self.operations.is_empty(), "Leave `operations` out to grant all."),
        ];
        for (field, is_empty, hint) in empty {
            if is_empty {
                return Err(self.invalid(&format!("has no {field}")).hint(hint));
            }
        }
        for role in &self.roles {
            role::check(role).map_err(|error| {
                self.invalid(&format!("names an invalid role. {}", error.message))
                    .maybe_hint(error.hint)
            })?;
        }
        let patterns = self.patterns.iter();
        patterns
            .map(|text| {
                Pattern::parse(text).map_err(|why| {
                    let hint = "Patterns look like `/team/*`, `/team`, `/team/301` or `/*`.";
                    self.invalid(&format!("has the pattern {text:?}, which {why}")).hint(hint)
                })
            })
            .collect()
    }

    fn invalid(&self, what: &str) -> Error {
        let what = what.trim_end_matches('.');
        Error::new(Code::Setting, format!("The privilege {:?} {what}.", self.name))
    }
}

/// A path pattern, by segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The segments before the `*`, if there is one.
    pub(crate) segments: Vec<Box<str>>,
    /// Whether the pattern ends with `*` and covers everything below.
    pub(crate) below: bool,
}

impl Pattern {
    /// Parses a pattern; the error is a clause such as "has an empty part".
    fn parse(text: &str) -> Result<Self, &'static str> {
        let path = text.strip_prefix('/').unwrap_or(text);
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut segments: Vec<Box<str>> = path.split('/').map(Into::into).collect();
        let below = segments.last().is_some_and(|last| &**last == "*");
        if below {
            segments.pop();
        }
        for segment in &segments {
            check_segment(segment)?;
        }
        Ok(Self { segments, below })
    }
}

fn check_segment(segment: &str) -> Result<(), &'static str> {
    match segment {
        "" => Err("has an empty part"),
        "." | ".." => Err("has a part `.` or `..`"),
        _ if segment.contains('*') => Err("has a `*` that is not the last part alone"),
        _ if segment.chars().any(char::is_control) => Err("has a control character"),
        _ if percent_decode_str(segment).decode_utf8().map_or(true, |text| text != segment) => {
            Err("is percent-encoded: write the characters themselves")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn privilege(json: &str) -> Result<Vec<Pattern>> {
        serde_json::from_str::<Privilege>(json).unwrap().check()
    }

    #[test]
    fn parses_patterns() {
        for (text, segments, below) in [
            ("*", &[][..], true),
            ("/*", &[], true),
            ("/team", &["team"], false),
            ("/team/", &["team"], false),
            ("team/*", &["team"], true),
            ("/team/301", &["team", "301"], false),
            ("/team/Red Bull/*", &["team", "Red Bull"], true),
            ("/rate/100%", &["rate", "100%"], false),
        ] {
            let pattern = Pattern::parse(text).unwrap();
            let found: Vec<&str> = pattern.segments.iter().map(|segment| &**segment).collect();
            assert_eq!((&*found, pattern.below), (segments, below), "{text}");
        }
    }

    #[test]
    fn refuses_invalid_patterns_with_a_reason() {
        for text in [
            "", "/", "//", "//team", "/team//x", "/t*", "/*/x", "/team/3*", "/../x", "/a%20b",
            "a\n",
        ] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn declarations_are_checked() {
        let all = r#"{"name":"p","roles":["driver"],"patterns":["/team/*"]}"#;
        assert_eq!(serde_json::from_str::<Privilege>(all).unwrap().operations, Operation::ALL);
        privilege(all).unwrap();
        for (json, part) in [
            (r#"{"name":"p","roles":[],"patterns":["*"]}"#, "no roles"),
            (r#"{"name":"p","roles":["a"],"patterns":[]}"#, "no patterns"),
            (r#"{"name":"p","roles":["a"],"patterns":["*"],"operations":[]}"#, "no operations"),
            (r#"{"name":"p","roles":["duet.raed"],"patterns":["*"]}"#, "duet.raed"),
            (r#"{"name":"p","roles":["a"],"patterns":["/x*"]}"#, "\"/x*\""),
        ] {
            let error = privilege(json).unwrap_err();
            assert_eq!(error.code, Code::Setting);
            assert!(error.message.contains(part), "{}", error.message);
        }
        let unknown = r#"{"name":"p","roles":["a"],"patterns":["*"],"methods":[]}"#;
        assert!(serde_json::from_str::<Privilege>(unknown).is_err());
    }

    proptest! {
        #[test]
        fn no_pattern_panics(text in ".*") {
            let _ = Pattern::parse(&text);
        }
    }
}
