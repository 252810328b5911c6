//! The steps of an SQL/JSON path inside a JSON value, array steps among them.
//!
//! They mean what they mean in lax mode: a member step on an array leads to the members of its elements, a position
//! in what is no array is one in an array of it alone. A path has a value where it leads to exactly one.

use std::borrow::Cow;

use super::positions::ArrayPosition;
use super::{FILTER, Json, JsonKind, read};

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonStep {
    /// To a member.
    Member(String),
    /// To an element.
    Element(ArrayPosition),
    /// To the number of elements of an array, 1 for any other value; the last step.
    Size,
}

/// The value that steps lead to, as PostgreSQL's `->` goes: a member of an object, of those with one name the last,
/// or an element of an array.
pub fn value_along<'j, 't>(root: &'j Json<'t>, steps: &[JsonStep]) -> Option<&'j Json<'t>> {
    steps.iter().try_fold(root, |value, step| match (&value.kind, step) {
        (JsonKind::Object(members), JsonStep::Member(name)) => {
            let named = members.iter().rev().find(|member| member.name == name.as_str());
            named.map(|member| &member.value)
        }
        (JsonKind::List(list), JsonStep::Element(ArrayPosition::Start(at))) => {
            list.get(usize::try_from(*at).ok()?)
        }
        (JsonKind::List(list), JsonStep::Element(ArrayPosition::End(behind))) => {
            list.get(list.len().checked_sub(usize::try_from(*behind).ok()?)?.checked_sub(1)?)
        }
        _ => None,
    })
}

impl JsonStep {
    /// Writes steps as a JSON text, which [`JsonStep::decode`] reads: names, numbers from the start, numbers below
    /// zero from the end, `true` for the size.
    ///
    /// ```
    /// use duet_text::{JsonStep, ArrayPosition};
    ///
    /// let steps = [JsonStep::Member("items".into()), JsonStep::Element(ArrayPosition::End(0))];
    /// assert_eq!(JsonStep::encode(&steps), r#"["items",-1]"#);
    /// assert_eq!(JsonStep::decode(r#"["items",-1]"#).as_deref(), Some(&steps[..]));
    /// ```
    pub fn encode(steps: &[Self]) -> String {
        let numbers: Vec<String> = steps
            .iter()
            .map(|step| match step {
                Self::Element(ArrayPosition::Start(before)) => before.to_string(),
                Self::Element(ArrayPosition::End(behind)) => format!("-{}", u64::from(*behind) + 1),
                Self::Member(_) | Self::Size => String::new(),
            })
            .collect();
        let values = steps.iter().zip(&numbers).map(|(step, number)| {
            Json::new(match step {
                Self::Member(name) => JsonKind::Text(Cow::Borrowed(name)),
                Self::Element(_) => JsonKind::Number(number),
                Self::Size => JsonKind::Bool(true),
            })
        });
        let mut out = String::new();
        Json::new(JsonKind::List(values.collect())).write(&mut out);
        out
    }

    /// Reads what [`JsonStep::encode`] has written; `None` for any other text.
    pub fn decode(text: &str) -> Option<Vec<Self>> {
        let JsonKind::List(parts) = read(text, &FILTER, 2).ok()?.kind else { return None };
        let step = |part: &Json<'_>| match &part.kind {
            JsonKind::Text(name) => Some(Self::Member(name.clone().into_owned())),
            JsonKind::Number(number) => Some(Self::Element(match number.strip_prefix('-') {
                Some(behind) => ArrayPosition::End(behind.parse::<u32>().ok()?.checked_sub(1)?),
                None => ArrayPosition::Start(number.parse().ok()?),
            })),
            JsonKind::Bool(true) => Some(Self::Size),
            _ => None,
        };
        parts.iter().map(step).collect()
    }
}

impl JsonStep {
    /// The values inside a value that steps lead to, in lax mode. A last step to a size leads to the value itself.
    pub fn follow<'a, 't>(steps: &[Self], from: &'a Json<'t>) -> Vec<&'a Json<'t>> {
        let mut found = vec![from];
        for step in steps {
            found = match step {
                Self::Member(name) => {
                    found.into_iter().flat_map(elements).filter_map(|one| one.get(name)).collect()
                }
                Self::Element(position) => {
                    found.into_iter().filter_map(|one| element(one, *position)).collect()
                }
                Self::Size => found,
            };
        }
        found
    }
}

/// The elements of an array, or a value that is none.
fn elements<'a, 't>(value: &'a Json<'t>) -> &'a [Json<'t>] {
    match &value.kind {
        JsonKind::List(elements) => elements,
        _ => std::slice::from_ref(value),
    }
}

fn element<'a, 't>(value: &'a Json<'t>, position: ArrayPosition) -> Option<&'a Json<'t>> {
    let elements = elements(value);
    match position {
        ArrayPosition::Start(before) => elements.get(usize::try_from(before).ok()?),
        ArrayPosition::End(behind) => {
            elements.get(elements.len().checked_sub(usize::try_from(behind).ok()? + 1)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_followed_in_lax_mode() {
        let text = r#"{"a":[{"b":1},{"b":[2,3]},{"c":4}],"d":{"b":5}}"#;
        let value = read(text, &FILTER, 8).unwrap();
        let found = |steps: &str| {
            let steps = JsonStep::decode(steps).unwrap();
            let mut out = Vec::new();
            for one in JsonStep::follow(&steps, &value) {
                let mut text = String::new();
                one.write(&mut text);
                out.push(text);
            }
            out.join(" ")
        };
        for (steps, expected) in [
            (r#"["d","b"]"#, "5"),
            (r#"["d",0,"b"]"#, "5"),
            (r#"["d",1,"b"]"#, ""),
            (r#"["a","b"]"#, "1 [2,3]"),
            (r#"["a",1,"b",-1]"#, "3"),
            (r#"["a",-4]"#, ""),
            (r#"["x","b"]"#, ""),
        ] {
            assert_eq!(found(steps), expected, "{steps}");
        }
    }

    #[test]
    fn steps_are_written_and_read() {
        let steps = [
            JsonStep::Element(ArrayPosition::Start(0)),
            JsonStep::Member("a \"b\" \\".to_owned()),
            JsonStep::Element(ArrayPosition::End(2)),
            JsonStep::Size,
        ];
        let text = JsonStep::encode(&steps);
        assert_eq!(text, r#"[0,"a \"b\" \\",-3,true]"#);
        assert_eq!(JsonStep::decode(&text).as_deref(), Some(&steps[..]));
        for other in ["", "{}", "[null]", "[1.5]", "[-0]", "[99999999999]", "[[1]]", "[false]"] {
            assert_eq!(JsonStep::decode(other), None, "{other}");
        }
    }
}
