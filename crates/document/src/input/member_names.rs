//! Members of bodies by names without regard to case: `TEAM_ID` is `team_id`, as clients of ORDS send it.
//!
//! A body is rewritten before it is checked, and only where it has such a name: the check and the
//! decomposition know exact names alone.

use std::borrow::Cow;

use duet_model::{MemberKind, NodeId, Shape, shape};
use duet_text::json::{BODY, Json, JsonKind, JsonLimits, JsonMember, read_within};

/// The body with the names that its shape has, where a name differs from one of them in case alone:
/// from only one, which the object does not give as well. `None` where nothing is to be renamed, or
/// where the body is not JSON within its bounds, which the check reports. Objects with a flex column
/// keep their names, since members of any name belong to them.
pub fn with_served_names(shape: &Shape, text: &str, bounds: JsonLimits) -> Option<String> {
    if shape.whole_document().is_some() {
        return None;
    }
    let mut body = read_within(text, &BODY, bounds).ok()?;
    let names = Names { shape };
    let renamed = match &mut body.kind {
        JsonKind::List(elements) => {
            elements.iter_mut().fold(false, |found, element| names.document(element) | found)
        }
        _ => names.document(&mut body),
    };
    renamed.then(|| {
        let mut out = String::with_capacity(text.len());
        body.write(&mut out);
        out
    })
}

struct Names<'s> {
    shape: &'s Shape,
}

impl<'s> Names<'s> {
    fn document(&self, document: &mut Json<'_>) -> bool {
        self.object(document, 0, &self.shape.root().members)
    }

    /// Renames the members of an object and of what it contains; whether there were any.
    fn object(&self, value: &mut Json<'_>, node: NodeId, members: &'s [shape::Member]) -> bool {
        let JsonKind::Object(given) = &mut value.kind else { return false };
        let is_open = self.shape.flex_column(node, members).is_some();
        let renamed = !is_open && self.rename(given, members);
        self.below(given, members) | renamed
    }

    fn rename(&self, given: &mut [JsonMember<'_>], members: &'s [shape::Member]) -> bool {
        let names = self.shape.visible_names(members);
        let mut renamed = false;
        for at in 0..given.len() {
            let Some(name) = renaming(&given[at].name, &names) else { continue };
            let folded = name.to_lowercase();
            let alike = given.iter().filter(|other| other.name.to_lowercase() == folded);
            if alike.count() == 1 {
                given[at].name = Cow::Owned(name.to_owned());
                renamed = true;
            }
        }
        renamed
    }

    /// The objects inside, by the members of the shape.
    fn below(&self, given: &mut [JsonMember<'_>], members: &'s [shape::Member]) -> bool {
        let mut renamed = false;
        for member in members {
            let (child, inner) = match &member.kind {
                MemberKind::Unnest(child) => {
                    renamed |= self.below(given, &self.shape.nodes[*child].members);
                    continue;
                }
                MemberKind::Group(inner) => (None, inner),
                MemberKind::Object(child) | MemberKind::Array(child) => {
                    (Some(*child), &self.shape.nodes[*child].members)
                }
                _ => continue,
            };
            let Some(value) = given.iter_mut().find(|given| given.name == member.name) else {
                continue;
            };
            let node = child.unwrap_or_default();
            renamed |= match &mut value.value.kind {
                JsonKind::List(elements) => elements
                    .iter_mut()
                    .fold(false, |found, element| self.object(element, node, inner) | found),
                _ => self.object(&mut value.value, node, inner),
            };
        }
        renamed
    }
}

/// The served name that a name means, where it is another one.
fn renaming<'n>(given: &str, names: &[&'n str]) -> Option<&'n str> {
    if names.contains(&given) {
        return None;
    }
    let folded = given.to_lowercase();
    let mut alike = names.iter().filter(|name| name.to_lowercase() == folded);
    let found = alike.next()?;
    alike.next().is_none().then_some(*found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_without_case_where_that_is_one() {
        let names = ["team_id", "Name", "name", "Straße"];
        for (given, expected) in [
            ("TEAM_ID", Some("team_id")),
            ("team_id", None),
            ("NAME", None),
            ("Name", None),
            ("STRASSE", None),
            ("other", None),
        ] {
            assert_eq!(renaming(given, &names), expected, "{given}");
        }
    }
}
