//! Parameters that are arrays of objects: each item is checked member by member, and the statement gets all of
//! them as one JSON text, every item with all of its members.

use duet_document::{Codec, MISTAKES, write_string};
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Result, Value};
use duet_text::json::{Json, JsonKind, JsonMember};
use duet_text::problem::quoted;

use super::file::ServiceParameter;
use super::fill::cell;
use super::refusal::wrong;

/// The array of a parameter as a value.
///
/// # Errors
/// All mistakes of its items, with their places.
pub(super) fn array_of(
    parameter: &ServiceParameter,
    members: &[ServiceParameter],
    json: &Json<'_>,
    at: &str,
    ignores_unknown: bool,
) -> Result<Value> {
    let name = quoted(&parameter.name);
    let JsonKind::List(items) = &json.kind else {
        let message = format!("{name} must be an array, not {}.", json.kind.noun());
        return Err(wrong(Code::MemberValue, at, message));
    };
    let count = items.len() as u64;
    let limits = &parameter.limits;
    if let Some(least) = limits.min_items.filter(|least| count < *least) {
        let message = format!("{name} must have at least {least} items.");
        return Err(wrong(Code::OutsideLimits, at, message));
    }
    if let Some(most) = limits.max_items.filter(|most| count > *most) {
        let message = format!("{name} must have at most {most} items.");
        return Err(wrong(Code::OutsideLimits, at, message));
    }
    let (mut out, mut mistakes) = (vec![b'['], Mistakes(Vec::new()));
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let at = pointer(at, &index.to_string());
        match &item.kind {
            JsonKind::Object(given) => {
                if !ignores_unknown {
                    mistakes.check_names(members, given, &at);
                }
                write_item(members, given, &at, ignores_unknown, &mut out, &mut mistakes);
            }
            other => {
                let message = format!("An item must be an object, not {}.", other.noun());
                mistakes.add(wrong(Code::MemberValue, &at, message));
            }
        }
    }
    out.push(b']');
    let text = String::from_utf8_lossy(&out).into_owned();
    Error::all_of(mistakes.0).map_or(Ok(Value::Text(text)), Err)
}

/// The mistakes of an array, up to the limit of an answer.
struct Mistakes(Vec<Error>);

impl Mistakes {
    fn add(&mut self, mistake: Error) {
        if self.0.len() < MISTAKES {
            self.0.push(mistake);
        }
    }

    /// Refuses members that an item cannot have.
    fn check_names(&mut self, members: &[ServiceParameter], given: &[JsonMember<'_>], at: &str) {
        for member in given {
            if members.iter().all(|known| known.name != member.name) {
                let message = format!("An item has no member {}.", quoted(&member.name));
                self.add(wrong(Code::UnknownMember, &pointer(at, &member.name), message));
            }
        }
    }
}

fn write_item(
    members: &[ServiceParameter],
    given: &[JsonMember<'_>],
    at: &str,
    ignores_unknown: bool,
    out: &mut Vec<u8>,
    mistakes: &mut Mistakes,
) {
    out.push(b'{');
    for (index, member) in members.iter().enumerate() {
        let found = given.iter().find(|given| given.name == member.name);
        match member.of_json(found.map(|found| &found.value), at, ignores_unknown) {
            Ok(value) => {
                if index > 0 {
                    out.push(b',');
                }
                write_string(member.name.as_bytes(), out);
                out.push(b':');
                Codec::of(&member.ty).write(cell(&value), out);
            }
            Err(mistake) => mistakes.add(mistake),
        }
    }
    out.push(b'}');
}
