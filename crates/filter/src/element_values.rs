//! The values that a path into arrays leads to in a stored JSON text.

use duet_model::ArrayPath;
use duet_text::effort::{Effort, Interruption, WORD};
use duet_text::json::{Json, JsonKind, read_stored};

use crate::json::{DEPTH, member, spaced};

/// A JSON array of texts: the JSON text of each value, in the form of `jsonb`. What is no array where the path has one, or
/// lacks a member, leads to no value.
///
/// # Errors
/// [`Interruption`] where the effort is over.
pub fn element_values(
    stored: &str,
    path: &ArrayPath,
    effort: &Effort<'_>,
) -> Result<String, Interruption> {
    let Some(root) = read_stored(stored, DEPTH, effort)? else { return Ok("[]".to_owned()) };
    let mut values = vec![&root];
    for array in &path.arrays {
        effort.spend(WORD * values.len())?;
        let arrays = values.into_iter().filter_map(|value| along(value, array));
        values = arrays.flat_map(elements).collect();
    }
    let mut texts = Vec::with_capacity(values.len());
    for value in values {
        effort.spend(WORD)?;
        if let Some(found) = along(value, &path.rest) {
            let mut text = String::new();
            found.write(&mut text);
            texts.push(Json::new(JsonKind::Text(spaced(&text).into())));
        }
    }
    let mut all = String::new();
    Json::new(JsonKind::List(texts)).write(&mut all);
    Ok(all)
}

fn along<'v, 't>(value: &'v Json<'t>, path: &[String]) -> Option<&'v Json<'t>> {
    path.iter().try_fold(value, |value, name| member(value, name))
}

fn elements<'v, 't>(value: &'v Json<'t>) -> &'v [Json<'t>] {
    match &value.kind {
        JsonKind::List(elements) => elements,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_gives_its_value() {
        let stored = r#"{"a":[{"b":[1,"x",null]},{"b":2},3,{"b":[{"c":1}]}],"t":["q","q"],"o":{"t":[true]}}"#;
        for (path, found) in [
            ("a[].b[]", r#"["1","\"x\"","null","{\"c\": 1}"]"#),
            ("a[].b", r#"["[1, \"x\", null]","2","[{\"c\": 1}]"]"#),
            ("a[].b[].c", r#"["1"]"#),
            ("t[]", r#"["\"q\"","\"q\""]"#),
            ("o.t[]", r#"["true"]"#),
            ("o[]", "[]"),
            ("none[].x", "[]"),
        ] {
            let parsed = ArrayPath::parse(path).unwrap();
            let values = element_values(stored, &parsed, &Effort::unlimited()).unwrap();
            assert_eq!(values, found, "{path}");
        }
        let path = ArrayPath::parse("a[]").unwrap();
        assert_eq!(element_values("no JSON", &path, &Effort::unlimited()).unwrap(), "[]");
    }
}
