//! Where in a filter an operand is that a database could not read.

use duet_text::json::{FILTER, Json, JsonKind, read};

use crate::limits::Limits;
use crate::ranges::range_of;

/// The byte position in `q` of the operand that a statement carries as this text; of several that are
/// alike, the first.
///
/// Operands of types that only the database supports, such as ranges, are passed unchanged.
pub(crate) fn operand_at(q: &str, carried: &str, limits: &Limits) -> Option<usize> {
    let json = read(q, &FILTER, limits.effective_depth()).ok()?;
    // A range that is compared with a set of ranges is carried as a set of one.
    let single = carried.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    find(&json, &|text| text == carried || Some(text) == single)
}

fn find(json: &Json<'_>, is_it: &dyn Fn(&str) -> bool) -> Option<usize> {
    let found = match &json.kind {
        JsonKind::Text(text) => is_it(text),
        JsonKind::Number(number) => is_it(number),
        JsonKind::Object(members) => range_of(members).is_ok_and(|range| is_it(&range)),
        _ => false,
    };
    if found {
        return Some(json.at);
    }
    match &json.kind {
        JsonKind::Object(members) => members.iter().find_map(|member| find(&member.value, is_it)),
        JsonKind::List(elements) => elements.iter().find_map(|element| find(element, is_it)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locates_operands_with_their_values() {
        let q = r#"{"a":"x","$or":[{"b":{"$overlaps":"[1,x)"}},{"c":{"$in":["é","P9Y"]}},{"d":{"from":1,"to":"b"}}]}"#;
        for (carried, begins) in [
            ("x", "\"x\""),
            ("[1,x)", "\"[1,x)"),
            ("{[1,x)}", "\"[1,x)"),
            ("P9Y", "\"P9Y"),
            ("[1,\"b\")", "{\"from"),
        ] {
            let at = operand_at(q, carried, &Limits::default()).unwrap();
            assert!(q[at..].starts_with(begins), "{carried}: {at}");
        }
        assert_eq!(operand_at(q, "y", &Limits::default()), None);
        assert_eq!(operand_at("{", "y", &Limits::default()), None);
    }
}
