//! Assertions of responses.

use super::place::Reader;
use crate::workload::file::definition::{How, Part, TextCheck};
use crate::xml::Element;

/// The check of a `ResponseAssertion`.
pub(super) fn response(element: &Element, reader: &mut Reader<'_>) -> Option<TextCheck> {
    let of = match element.text_of("Assertion.test_field") {
        "Assertion.response_code" => Part::Status,
        "Assertion.response_data" | "" => Part::Body,
        "Assertion.response_headers" => Part::Head,
        "Assertion.sample_label" => Part::Url,
        other => {
            reader.refuse(element, &format!("reads {other}, which is not taken"));
            return None;
        }
    };
    let kind: u32 = element.text_of("Assertion.test_type").parse().unwrap_or_default();
    let how = match kind & !(4 | 32) {
        1 => How::Matches,
        2 => How::Finds,
        8 => How::Equals,
        16 => How::Contains,
        _ => {
            reader.refuse(element, &format!("has the test type {kind}, which is not known"));
            return None;
        }
    };
    let strings = element.collection("Asserion.test_strings").iter();
    let texts: Vec<String> = strings.map(|one| reader.text(&one.text, one.line)).collect();
    let is_constant = |text: &&String| !text.contains("${");
    for text in
        texts.iter().filter(is_constant).filter(|_| matches!(how, How::Finds | How::Matches))
    {
        if let Err(error) = regex::Regex::new(text) {
            let why = error.to_string().lines().last().unwrap_or_default().to_owned();
            reader.refuse(element, &format!("has a regular expression that is not taken: {why}"));
            return None;
        }
    }
    let name = Some(element.name().to_owned());
    let (not, any) = (kind & 4 != 0, kind & 32 != 0);
    (!texts.is_empty()).then_some(TextCheck { name, of, how, texts, not, any })
}

/// The check of a `JSONPathAssertion`.
pub(super) fn json(element: &Element, reader: &mut Reader<'_>) -> Option<TextCheck> {
    let path = element.text_of("JSON_PATH").to_owned();
    if !crate::workload::file::is_json_path(&path) {
        reader.refuse(element, &format!("has the JSON path {path:?}, which is not taken"));
        return None;
    }
    let compares = element.is_true("JSONVALIDATION");
    // A regular expression is the usual form, also of plain values.
    let value = reader.property(element, "EXPECTED_VALUE");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _-:/@,;='\"".contains(&byte);
    if compares && element.text_of("ISREGEX") != "false" && !value.bytes().all(is_plain) {
        reader.refuse(element, "compares with a regular expression, which is not taken");
        return None;
    }
    let mut texts = vec![path];
    texts.extend(compares.then_some(value));
    let name = Some(element.name().to_owned());
    let (of, how, not) = (Part::Body, How::Path, element.is_true("INVERT"));
    Some(TextCheck { name, of, how, texts, not, any: false })
}
