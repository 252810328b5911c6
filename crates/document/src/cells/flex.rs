//! The members of a flex column: a stored JSON object whose members appear among those of the row.
//!
//! Members of the shape win. A stored member whose name the object already uses goes into
//! `_nameConflicts`, so no object has a name twice. Only the top level of the stored text is cut
//! into members; their values are copied as they are.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use duet_model::shape::NAME_CONFLICTS;

use super::json::{is_json, object_inside, string_end, write_compact};
use super::rows::Datum;

/// Up to this many members are compared pairwise to find names given twice.
const FEW: usize = 16;

/// A flex column at one place of a document.
#[derive(Clone, Debug)]
pub(crate) struct Flex {
    /// The column's name, as it is served.
    pub(crate) name: String,
    /// The names that the object uses besides.
    pub(crate) taken: Vec<String>,
    /// Names of hidden members: no stored member appears under them.
    pub(crate) hidden: Vec<String>,
    /// The only stored members that are shown; `None` for all.
    pub(crate) only: Option<Vec<String>>,
    /// A stored member that repeats one of the object, and is left out.
    pub(crate) repeated: Option<String>,
    /// Whether no other member precedes it that is always there.
    pub(crate) first: bool,
}

/// A member of a stored object: where its name (without quotes) and its value are in the text.
type MemberSpan = (Range<usize>, Range<usize>);

impl Flex {
    /// Appends the members of a stored object, which is `first` where no member precedes them. NULL and JSON `null`
    /// have none.
    ///
    /// # Errors
    /// The content of a cell that is not an object.
    pub(crate) fn write(
        &self,
        cell: Datum<'_>,
        first: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        let json = match cell {
            Datum::Null => return Ok(()),
            Datum::Text(json) | Datum::Wire(json) => json.strip_prefix(&[1]).unwrap_or(json),
            Datum::Int(_) | Datum::Real(_) => return Err("a number"),
            Datum::Blob(_) => return Err("bytes"),
        };
        if !is_json(json) {
            return Err("text that is not JSON");
        }
        let Some(inside) = object_inside(json) else {
            return match json.trim_ascii().first() {
                Some(b'n') => Ok(()),
                Some(b'[') => Err("an array"),
                Some(b'"') => Err("a string"),
                Some(b't' | b'f') => Err("a boolean"),
                _ => Err("a number"),
            };
        };
        self.write_members(inside, first, out);
        Ok(())
    }

    fn write_members(&self, inside: &[u8], mut first: bool, out: &mut Vec<u8>) {
        let members = members(inside);
        let twice = given_twice(inside, &members);
        let mut conflicts = Vec::new();
        for (at, (name, value)) in members.iter().enumerate() {
            let repeats = self.repeated.as_deref().map(str::as_bytes);
            let unescaped = unescaped(&inside[name.clone()]);
            if twice.contains(&at) || repeats == Some(&*unescaped) || !self.shows(&unescaped) {
                continue;
            }
            if self.takes(&unescaped) {
                conflicts.push((name, value));
                continue;
            }
            separate(&mut first, out);
            write_member(inside, name, value, out);
        }
        if conflicts.is_empty() {
            return;
        }
        separate(&mut first, out);
        out.push(b'"');
        out.extend_from_slice(NAME_CONFLICTS.as_bytes());
        out.extend_from_slice(b"\":{");
        let mut first = true;
        for (name, value) in conflicts {
            separate(&mut first, out);
            write_member(inside, name, value, out);
        }
        out.push(b'}');
    }

    /// Whether a stored member of this name is shown at all.
    fn shows(&self, name: &[u8]) -> bool {
        let has = |names: &[String]| names.iter().any(|own| own.as_bytes() == name);
        !has(&self.hidden) && self.only.as_deref().is_none_or(has)
    }

    /// Whether the object uses this name itself.
    fn takes(&self, name: &[u8]) -> bool {
        name == NAME_CONFLICTS.as_bytes() || self.taken.iter().any(|taken| taken.as_bytes() == name)
    }
}

fn separate(first: &mut bool, out: &mut Vec<u8>) {
    if !std::mem::replace(first, false) {
        out.push(b',');
    }
}

fn write_member(inside: &[u8], name: &Range<usize>, value: &Range<usize>, out: &mut Vec<u8>) {
    out.extend_from_slice(&inside[name.start - 1..=name.end]);
    out.push(b':');
    write_compact(&inside[value.clone()], out);
}

/// The members of the inside of a valid JSON object.
fn members(inside: &[u8]) -> Vec<MemberSpan> {
    let mut members = Vec::new();
    let mut at = 0;
    while let Some(start) = find(inside, at, b'"') {
        let end = start + string_end(&inside[start..]);
        let colon = find(inside, end, b':').unwrap_or(inside.len());
        let value = (colon + 1).min(inside.len());
        at = value_end(inside, value);
        members.push((start + 1..end - 1, value..at));
    }
    members
}

fn find(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.iter().position(|&other| other == byte).map(|at| from + at)
}

/// Where the value that starts here ends: at the comma behind it, or at the end of the text.
fn value_end(text: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_end(&text[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// A name as it is meant: its escapes resolved.
fn unescaped(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'\\') {
        return Cow::Borrowed(name);
    }
    let quoted = [b"\"", name, b"\""].concat();
    match serde_json::from_slice::<String>(&quoted) {
        Ok(text) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(name),
    }
}

/// The positions of members that another one of the same name follows: the last one counts, as for
/// PostgreSQL's `jsonb` and for every JSON parser in use.
fn given_twice(inside: &[u8], members: &[MemberSpan]) -> HashSet<usize> {
    let name = |at: usize| unescaped(&inside[members[at].0.clone()]);
    if members.len() <= FEW {
        let follows = |at: usize| (at + 1..members.len()).any(|other| name(at) == name(other));
        return (0..members.len()).filter(|&at| follows(at)).collect();
    }
    let mut seen = HashSet::with_capacity(members.len());
    (0..members.len()).rev().filter(|&at| !seen.insert(name(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(first: bool, json: &str) -> Result<String, &'static str> {
        let taken = ["name", "a\"b", "_metadata"].map(str::to_owned).to_vec();
        let flex = Flex {
            name: "extras".to_owned(),
            taken,
            hidden: vec!["secret".to_owned()],
            only: None,
            repeated: None,
            first,
        };
        let mut out = Vec::new();
        flex.write(Datum::Text(json.as_bytes()), first, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn members_of_the_shape_take_precedence() {
        for (json, expected) in [
            ("{}", ""),
            ("null", ""),
            (
                r#" { "x" : [ 1 , {"name":2} ] , "y":"a,\"b}" } "#,
                r#","x":[1,{"name":2}],"y":"a,\"b}""#,
            ),
            (r#"{"name":1,"x":2}"#, r#","x":2,"_nameConflicts":{"name":1}"#),
            (r#"{"n\u0061me":1,"a\"b":[2]}"#, r#","_nameConflicts":{"n\u0061me":1,"a\"b":[2]}"#),
            (
                r#"{"_nameConflicts":{"name":1}}"#,
                r#","_nameConflicts":{"_nameConflicts":{"name":1}}"#,
            ),
            (r#"{"x":1,"y":2,"\u0078":3}"#, r#","y":2,"\u0078":3"#),
            (r#"{"secret":1,"s\u0065cret":2,"x":3}"#, r#","x":3"#),
            (r#"{"_metadata":null}"#, r#","_nameConflicts":{"_metadata":null}"#),
        ] {
            assert_eq!(write(false, json).unwrap(), expected, "{json}");
        }
        assert_eq!(
            write(true, r#"{"x":1,"name":2}"#).unwrap(),
            r#""x":1,"_nameConflicts":{"name":2}"#
        );
        assert_eq!(write(true, r#"{"name":2}"#).unwrap(), r#""_nameConflicts":{"name":2}"#);
    }

    #[test]
    fn the_last_duplicate_member_is_used() {
        let many: Vec<String> = (0..40).map(|at| format!("\"m{}\":{at}", at % 30)).collect();
        let written = write(true, &format!("{{{}}}", many.join(","))).unwrap();
        let members: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&format!("{{{written}}}")).unwrap();
        assert_eq!((members.len(), members["m3"].as_u64()), (30, Some(33)));
        assert_eq!(written.matches("\"m3\"").count(), 1);
    }

    #[test]
    fn reports_a_flex_column_without_object() {
        for (json, expected) in [
            ("[1]", "an array"),
            ("\"x\"", "a string"),
            (" 7", "a number"),
            ("true", "a boolean"),
            ("{x}", "text that is not JSON"),
            ("", "text that is not JSON"),
        ] {
            assert_eq!(write(false, json), Err(expected), "{json}");
        }
    }
}
