//! Keys that the documents have: a member that identifies its object.

use std::collections::HashSet;

use serde_json::Value;

use super::super::init::names::snake_case;
use super::samples::{Kind, MemberSamples, Sample, key_order, members};

/// Names of keys, the most likely one first.
const NAMES: [&str; 6] = ["_id", "id", "uuid", "key", "code", "number"];

/// The longest text of a key, in bytes.
const LONGEST: usize = 200;

/// How far a key identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Among all objects.
    All,
    /// Among those of one parent.
    Parent,
}

/// The member that identifies each of some objects, among all or among those of their parent. `within`
/// are the names of what they are in; `in_order`: each parent has them in the order of the key.
pub(super) fn find<'d>(
    objects: &[Sample<'d>],
    within: &str,
    in_order: bool,
) -> Option<(MemberSamples<'d>, Reach)> {
    let mut candidates: Vec<(usize, MemberSamples<'d>)> = members(objects)
        .into_iter()
        .filter(is_possible)
        .filter_map(|member| Some((rank(member.name, within)?, member)))
        .collect();
    candidates.sort_by_key(|(rank, _)| *rank);
    candidates.into_iter().find_map(|(_, member)| {
        let reach = reach(objects, &member)?;
        (!in_order || is_ascending(objects, &member)).then_some((member, reach))
    })
}

/// The member by which equal objects are the same, whether or not it is unique here.
pub(super) fn identity<'d>(objects: &[Sample<'d>], within: &str) -> Option<MemberSamples<'d>> {
    let candidates = members(objects).into_iter().filter(is_possible);
    let ranked = candidates.filter_map(|member| Some((rank(member.name, within)?, member)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, member)| member)
}

/// Whether a name is that of a key among all objects; numbers and codes begin anew in each document.
pub(super) fn is_global(name: &str) -> bool {
    let folded = snake_case(name);
    ["id", "uuid", "key"].iter().any(|ending| folded.ends_with(ending))
}

/// Whether every object has it, with a value that can be a key.
fn is_possible(member: &MemberSamples<'_>) -> bool {
    let Kind::Scalar(ty) = member.kind() else { return false };
    let is_short = |(_, value): (usize, &Value)| {
        value.as_str().is_none_or(|text| !text.is_empty() && text.len() <= LONGEST)
    };
    ty.is_key() && member.is_required() && member.given().all(is_short)
}

/// How likely a name is that of a key; lower is likelier.
fn rank(name: &str, within: &str) -> Option<usize> {
    let (folded, own) = (snake_case(name), snake_case(within));
    let singular = super::names::singular(&own);
    if name == "_id" || name == "id" {
        return NAMES.iter().position(|known| *known == name);
    }
    if [&own, &singular]
        .iter()
        .any(|of| folded == format!("{of}_id") || folded == format!("{of}id"))
    {
        return Some(2);
    }
    if let Some(at) = NAMES.iter().position(|known| *known == folded) {
        return Some(at + 1);
    }
    let endings = ["_id", "_uuid", "_key", "_code", "_number", "_no"];
    let at = endings.iter().position(|ending| folded.ends_with(ending))?;
    Some(NAMES.len() + 1 + at)
}

fn reach(objects: &[Sample<'_>], member: &MemberSamples<'_>) -> Option<Reach> {
    let values = || member.given().map(|(at, value)| (objects[at].parent, value.to_string()));
    let all: HashSet<String> = values().map(|(_, value)| value).collect();
    if all.len() == objects.len() {
        return Some(Reach::All);
    }
    let by_parent: HashSet<(usize, String)> = values().collect();
    (by_parent.len() == objects.len()).then_some(Reach::Parent)
}

/// Whether each parent has its objects in the order of the key: arrays are read in that order.
pub(super) fn is_ascending(objects: &[Sample<'_>], member: &MemberSamples<'_>) -> bool {
    let given: Vec<(usize, &Value)> =
        member.given().map(|(at, value)| (objects[at].parent, value)).collect();
    given
        .windows(2)
        .all(|pair| pair[0].0 != pair[1].0 || key_order(pair[0].1) < key_order(pair[1].1))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn found(objects: &[Value], within: &str) -> Option<(String, Reach)> {
        let maps: Vec<&Map<String, Value>> = objects.iter().filter_map(Value::as_object).collect();
        // Two to a parent.
        let samples: Vec<Sample<'_>> = maps
            .iter()
            .enumerate()
            .map(|(at, members)| Sample { members, parent: at / 2 })
            .collect();
        find(&samples, within, true).map(|(member, reach)| (member.name.to_owned(), reach))
    }

    #[test]
    fn keys_are_found() {
        let key = |name: &str, reach| Some((name.to_owned(), reach));
        let both = [json!({"code": "a", "lineId": 1}), json!({"code": "b", "lineId": 2})];
        assert_eq!(found(&both, "lines"), key("lineId", Reach::All));
        let in_parents = [json!({"no": 1}), json!({"no": 2}), json!({"no": 1}), json!({"no": 2})];
        let named: Vec<Value> =
            in_parents.iter().map(|one| json!({ "line_no": one["no"].clone() })).collect();
        assert_eq!(found(&named, "lines"), key("line_no", Reach::Parent));
        assert_eq!(found(&[json!({"id": 2}), json!({"id": 1})], "x"), None, "not in order");
        assert_eq!(found(&[json!({"id": 1}), json!({"name": "b"})], "x"), None, "not in all");
        assert_eq!(found(&[json!({"id": 1}), json!({"id": 1})], "x"), None, "twice");
        assert_eq!(
            found(&[json!({"name": "a"}), json!({"name": "b"})], "x"),
            None,
            "no key's name"
        );
    }
}
