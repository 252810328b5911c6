//! PostgreSQL's literals of arrays, as bodies are turned into them (`{"1",NULL,{"2"}}`), back to JSON: for rows
//! that are not in the database yet.

/// Appends the JSON of the text of an element.
type WriteElement<'w> = &'w dyn Fn(&str, &mut Vec<u8>);

/// How deep arrays may be nested: PostgreSQL allows six dimensions.
const DEEPEST: usize = 8;

/// Appends the JSON of a literal; false, with nothing written, if it is none.
pub(crate) fn write_array_text(
    element: WriteElement<'_>,
    literal: &str,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    let mut rest = literal;
    let whole = write_list(element, &mut rest, DEEPEST, out).is_some() && rest.is_empty();
    if !whole {
        out.truncate(start);
    }
    whole
}

fn write_list(
    element: WriteElement<'_>,
    rest: &mut &str,
    deep: usize,
    out: &mut Vec<u8>,
) -> Option<()> {
    let deeper = deep.checked_sub(1)?;
    *rest = rest.strip_prefix('{')?;
    out.push(b'[');
    if let Some(behind) = rest.strip_prefix('}') {
        *rest = behind;
        out.push(b']');
        return Some(());
    }
    loop {
        match rest.as_bytes().first()? {
            b'{' => write_list(element, rest, deeper, out)?,
            b'"' => element(&quoted(rest)?, out),
            _ => {
                *rest = rest.strip_prefix("NULL")?;
                out.extend_from_slice(b"null");
            }
        }
        let next = rest.as_bytes().first()?;
        *rest = &rest[1..];
        match next {
            b',' => out.push(b','),
            b'}' => break,
            _ => return None,
        }
    }
    out.push(b']');
    Some(())
}

/// The text in quotes at the beginning.
fn quoted(rest: &mut &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = rest.strip_prefix('"')?.char_indices();
    loop {
        match chars.next()? {
            (_, '\\') => text.push(chars.next()?.1),
            (at, '"') => {
                *rest = &rest[at + 2..];
                return Some(text);
            }
            (_, char) => text.push(char),
        }
    }
}

/// The bytes of hexadecimal digits.
pub(crate) fn bytes_of_hex(hex: &str) -> Option<Vec<u8>> {
    let pairs = (0..hex.len()).step_by(2).map(|at| hex.get(at..at + 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use duet_model::{Type, Value};
    use duet_text::json::{BODY, read};

    use super::*;
    use crate::{Codec, Datum, typed_value};

    #[test]
    fn arrays_of_bodies_are_written_as_they_were() {
        let cases = [
            (Type::Integer { bits: 32 }, "[1,-2,null]"),
            (Type::Integer { bits: 64 }, "[[1,2],[3,4]]"),
            (Type::Text, r#"["a","b\"c\\d","NULL",null,"",","]"#),
            (Type::Boolean, "[true,false]"),
            (Type::Float { bits: 64 }, "[0.5,1e+30]"),
            (Type::Decimal { scale: None }, "[0.1,12]"),
            (Type::Binary, r#"["AAEC",""]"#),
            (Type::Date, r#"["2026-11-25"]"#),
            (Type::Text, "[]"),
        ];
        for (ty, json) in cases {
            let array = Type::Array(Box::new(ty));
            let value = typed_value(&array, &read(json, &BODY, 8).unwrap()).unwrap();
            let Value::Text(literal) = value else { panic!("{value:?}") };
            let mut out = Vec::new();
            Codec::of(&array).write(Datum::Text(literal.as_bytes()), &mut out);
            let written = String::from_utf8(out).unwrap();
            let same = read(&written, &BODY, 8).unwrap() == read(json, &BODY, 8).unwrap();
            assert!(same, "{literal}: {written} is not {json}");
        }
    }

    #[test]
    fn other_texts_are_no_arrays() {
        for text in ["", "{", "{}x", "{1}", "{\"a\"", "{\"a\";}", "{\"a\\", "{{{{{{{{{{}}}}}}}}}}"]
        {
            let mut out = b"x".to_vec();
            assert!(!write_array_text(&|_, _| (), text, &mut out), "{text}");
            assert_eq!(out, b"x");
        }
    }
}
