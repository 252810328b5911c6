//! Assertions of responses.

use super::place::Reader;
use crate::workload::file::NumberKind;
use crate::workload::file::definition::{How, Part, TextCheck};
use crate::xml::Element;

/// The check of a `ResponseAssertion`.
pub(super) fn response(element: &Element, reader: &mut Reader<'_>) -> Option<TextCheck> {
    let of = match element.text_of("Assertion.test_field") {
        "Assertion.response_code" => Part::Status,
        "Assertion.response_data" | "" => Part::Body,
        "Assertion.response_headers" => Part::Head,
        "Assertion.sample_label" => Part::Url,
        "Assertion.response_message" => Part::Message,
        "Assertion.request_data" => Part::Asked,
        "Assertion.request_headers" => Part::AskedHead,
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
    if matches!(of, Part::Asked | Part::AskedHead) && matches!(how, How::Equals | How::Matches) {
        let message = "compares the whole of a request, which differs from that of JMeter, and is not taken: test whether it contains a part";
        reader.refuse(element, message);
        return None;
    }
    let strings = element.collection("Asserion.test_strings").iter();
    let texts: Vec<String> = strings.map(|one| reader.text(&one.text, one.line)).collect();
    let is_constant = |text: &&String| !text.contains("${");
    for text in
        texts.iter().filter(is_constant).filter(|_| matches!(how, How::Finds | How::Matches))
    {
        if let Err(why) = crate::pattern::Pattern::new(text) {
            reader.refuse(element, &format!("has a regular expression that is not taken: {why}"));
            return None;
        }
    }
    let name = Some(element.name().to_owned());
    let (not, any) = (kind & 4 != 0, kind & 32 != 0);
    let value = super::extractor::variable(element, "Assertion.scope");
    let jmeter = true;
    (!texts.is_empty()).then_some(TextCheck { name, of, how, texts, not, any, value, jmeter })
}

/// The check of a `JSONPathAssertion`.
pub(super) fn json(element: &Element, reader: &mut Reader<'_>) -> Option<TextCheck> {
    let path = element.text_of("JSON_PATH").to_owned();
    if !crate::workload::file::is_json_path(&path) {
        reader.refuse(element, &format!("has the JSON path {path:?}, which is not taken"));
        return None;
    }
    at_path(element, path, [How::Path, How::PathMatches, How::PathNull], reader)
}

/// The check of a `JMESPathAssertion`.
pub(super) fn jmes(element: &Element, reader: &mut Reader<'_>) -> Option<TextCheck> {
    let path = element.text_of("JMES_PATH").to_owned();
    if let Err(why) = crate::workload::file::check_jmes_path(&path) {
        reader.refuse(element, &format!("has an expression of JMESPath that is not taken: {why}"));
        return None;
    }
    at_path(element, path, [How::Jmes, How::JmesMatches, How::JmesNull], reader)
}

/// The check of what a path finds: that it is something, that it matches, that it is null.
fn at_path(
    element: &Element,
    path: String,
    [finds, matches, null]: [How; 3],
    reader: &mut Reader<'_>,
) -> Option<TextCheck> {
    let compares = element.is_true("JSONVALIDATION");
    let value = reader.property(element, "EXPECTED_VALUE");
    let how = match (compares && element.is_true("EXPECT_NULL"), element.text_of("ISREGEX")) {
        (true, _) => null,
        // A regular expression is the usual form, also of plain values.
        (false, "false") => finds,
        (false, _) if compares => matches,
        (false, _) => finds,
    };
    if how == matches
        && !value.contains("${")
        && let Err(why) = crate::pattern::Pattern::new(&value)
    {
        reader.refuse(element, &format!("has a regular expression that is not taken: {why}"));
        return None;
    }
    let mut texts = vec![path];
    texts.extend((compares && how != null).then_some(value));
    let name = Some(element.name().to_owned());
    let (of, not) = (Part::Body, element.is_true("INVERT"));
    Some(TextCheck { name, of, how, texts, not, ..TextCheck::default() })
}

/// The check of a `SizeAssertion`.
pub(super) fn size(element: &Element, reader: &mut Reader<'_>) -> Option<TextCheck> {
    let of = match element.text_of("Assertion.test_field") {
        "SizeAssertion.response_data" => Part::Body,
        "SizeAssertion.response_headers" => Part::Head,
        "SizeAssertion.response_code" => Part::Status,
        "SizeAssertion.response_message" => Part::Message,
        other => {
            reader.refuse(element, &format!("measures {other:?}, which is not taken"));
            return None;
        }
    };
    let operator = match element.text_of("SizeAssertion.operator") {
        "1" | "" => "==",
        "2" => "!=",
        "3" => ">",
        "4" => "<",
        "5" => ">=",
        "6" => "<=",
        other => {
            reader.refuse(element, &format!("has the operator {other:?}, which is not known"));
            return None;
        }
    };
    let given = ["SizeAssertion.size", element.text_of("SizeAssertion.size")];
    let texts = vec![format!("{operator} {}", reader.number(element, given, NumberKind::Count))];
    let name = Some(element.name().to_owned());
    let value = super::extractor::variable(element, "Assertion.scope");
    Some(TextCheck { name, of, how: How::Size, texts, value, ..TextCheck::default() })
}
