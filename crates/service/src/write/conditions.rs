//! Preconditions of a write (RFC 9110 §13): the etag in a header, and the one in the body.

use duet_document::Etag;
use duet_model::{Code, Error, Result};
use duet_text::error::Place;
use duet_text::json::{Json, JsonKind};

/// What a request says of the state that it wants to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// `If-Match`.
    pub if_match: Option<Tags>,
    /// `If-None-Match`: with `*` only if the document does not exist, with tags only if it has none of them.
    pub if_none_match: Option<Tags>,
    /// Whether a change without any etag is refused.
    pub required: bool,
}

/// A list of entity tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tags {
    /// `*`: any document.
    Any,
    /// One of these, without quotes.
    List(Vec<String>),
}

impl Tags {
    /// Reads the value of `If-Match`. Tags without quotes are taken too; weak tags never match
    /// (RFC 9110 §13.1.1).
    pub fn parse(header: &str) -> Self {
        if header.trim() == "*" {
            return Self::Any;
        }
        let strong = |tag: &&str| !tag.starts_with("W/");
        Self::List(split(header).filter(strong).map(bare).collect())
    }

    /// Reads the value of `If-None-Match`, where weak and strong tags are alike (RFC 9110 §13.1.2).
    /// A `*` among tags is the wider promise, and holds.
    pub fn parse_weak(header: &str) -> Self {
        if split(header).any(|tag| tag == "*") {
            return Self::Any;
        }
        Self::List(split(header).map(|tag| bare(tag.strip_prefix("W/").unwrap_or(tag))).collect())
    }

    /// Whether one of the tags is that of an answer, given as its `ETag` has it, without quotes. A tag
    /// without a mark behind a hyphen is the document's etag, and matches whatever the mark is.
    pub fn match_header(&self, etag: &str) -> bool {
        let document = etag.split('-').next().unwrap_or("");
        let matches = |tag: &String| {
            tag.eq_ignore_ascii_case(etag)
                || (!tag.is_empty() && tag.eq_ignore_ascii_case(document))
        };
        match self {
            Self::Any => true,
            Self::List(tags) => tags.iter().any(matches),
        }
    }

    /// Whether one of the tags is that of a document. After a hyphen follows the mark of members that
    /// are outside the etag: it does not count.
    fn match_etag(&self, etag: Etag) -> bool {
        match self {
            Self::Any => true,
            Self::List(tags) => tags.iter().any(|tag| is_tag(tag, etag)),
        }
    }
}

/// The tags of a list. A comma inside quotes separates none; a backslash is a character like others.
fn split(header: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let separates = move |char: char| {
        quoted ^= char == '"';
        char == ',' && !quoted
    };
    header.split(separates).map(str::trim)
}

/// The ends of the etags of compressed answers: whatever its coding, a document is in the same state.
const CODINGS: [&str; 2] = ["-gzip", "-zstd"];

fn bare(tag: &str) -> String {
    let tag = tag.trim_matches('"');
    CODINGS.iter().find_map(|coding| tag.strip_suffix(coding)).unwrap_or(tag).to_owned()
}

fn is_tag(text: &str, etag: Etag) -> bool {
    let digits = text.split('-').next().unwrap_or("");
    digits.as_bytes().eq_ignore_ascii_case(&etag.digits())
}

impl Conditions {
    /// Whether the only condition is that a document exists.
    pub(crate) fn asks_for_any(&self) -> bool {
        self.if_match == Some(Tags::Any)
    }

    /// Whether they hold for one state of a document alone.
    pub(crate) fn names_version(&self) -> bool {
        matches!(self.if_match, Some(Tags::List(_)))
    }

    /// Refuses if a required document does not exist.
    ///
    /// # Errors
    /// [`Code::PreconditionFailed`].
    pub(crate) fn check_presence(&self, is_there: bool) -> Result<()> {
        if self.asks_for_any() && !is_there {
            return Err(failed("There is no such document."));
        }
        Ok(())
    }

    /// Checks the conditions against the stored document. `body` is the document that was sent, if any:
    /// its `_metadata.etag` counts like a header.
    ///
    /// # Errors
    /// [`Code::PreconditionFailed`] and [`Code::PreconditionRequired`].
    pub fn check(&self, stored: Option<Etag>, body: Option<&Json<'_>>) -> Result<()> {
        let in_body = body.map(etag_of).transpose()?.flatten();
        let Some(stored) = stored else {
            if self.if_match.is_some() || in_body.is_some() {
                return Err(failed("There is no such document any more."));
            }
            return Ok(());
        };
        let by_header = self.if_match.as_ref().is_none_or(|tags| tags.match_etag(stored));
        let by_body = in_body.is_none_or(|tag| is_tag(tag.trim_matches('"'), stored));
        if !by_header || !by_body {
            return Err(failed("The document has changed since it was read."));
        }
        match &self.if_none_match {
            Some(Tags::Any) => return Err(failed("There is such a document already.")),
            Some(tags) if tags.match_etag(stored) => {
                return Err(failed("The document has an etag that If-None-Match rules out."));
            }
            _ => {}
        }
        if self.required && self.if_match.is_none() && in_body.is_none() {
            return Err(Error::new(
                Code::PreconditionRequired,
                "A change here needs the etag of the state it is made from, in If-Match or `_metadata.etag`.",
            ));
        }
        Ok(())
    }
}

/// The etag in a body. What is no etag must not pass for none: the write would be unchecked.
fn etag_of<'b>(body: &'b Json<'_>) -> Result<Option<&'b str>> {
    let wrong = |pointer: &str, expected: &str| {
        let message = format!("It must be {expected}, or be left out.");
        Err(Error::new(Code::MemberValue, message).at(Place::Pointer(pointer.to_owned())))
    };
    let Some(metadata) = body.get("_metadata").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    if !matches!(metadata.kind, JsonKind::Object(_)) {
        return wrong("/_metadata", "an object with `etag`");
    }
    match metadata.get("etag").map(|etag| &etag.kind) {
        None | Some(JsonKind::Null) => Ok(None),
        Some(JsonKind::Text(text)) => Ok(Some(text)),
        Some(_) => wrong("/_metadata/etag", "the etag as a string"),
    }
}

fn failed(why: &str) -> Error {
    Error::new(
        Code::PreconditionFailed,
        format!("{why} Nothing was changed. Read it again and repeat the change."),
    )
}

#[cfg(test)]
mod tests {
    use duet_text::json::{BODY, read};

    use super::*;

    #[test]
    fn header_and_body() {
        let etag = Etag::of("r", b"x");
        let digits = etag.to_string();
        let with = |header: &str| Conditions {
            if_match: Some(Tags::parse(header)),
            ..Conditions::default()
        };
        for good in [
            format!("\"{digits}\""),
            digits.to_lowercase(),
            format!("\"0\", \"{digits}-0a1b2c3d\""),
            "*".into(),
        ] {
            assert!(with(&good).check(Some(etag), None).is_ok(), "{good}");
        }
        let other = format!("\"0,{digits}\"");
        for bad in ["\"0\"".to_owned(), format!("W/\"{digits}\""), other, String::new()] {
            let code = with(&bad).check(Some(etag), None).unwrap_err().code;
            assert_eq!(code, Code::PreconditionFailed, "{bad}");
        }
        let body = format!("{{\"_metadata\":{{\"etag\":\"{digits}\"}}}}");
        let body = read(&body, &BODY, 4).unwrap();
        assert!(Conditions::default().check(Some(etag), Some(&body)).is_ok());
        assert!(Conditions::default().check(Some(Etag::of("r", b"y")), Some(&body)).is_err());
        assert!(Conditions::default().check(None, Some(&body)).is_err());
        assert!(with("*").check(None, None).is_err());
        let required = Conditions { required: true, ..Conditions::default() };
        let code = |result: Result<()>| result.unwrap_err().code;
        assert_eq!(code(required.check(Some(etag), None)), Code::PreconditionRequired);
        assert!(required.check(Some(etag), Some(&body)).is_ok());
    }

    #[test]
    fn if_none_match_compares_weakly() {
        let etag = Etag::of("r", b"x");
        let without = |header: &str| Conditions {
            if_none_match: Some(Tags::parse_weak(header)),
            ..Conditions::default()
        };
        for same in [
            format!("\"{etag}\""),
            format!("W/\"{etag}\""),
            etag.to_string().to_lowercase(),
            format!("\"0\", W/\"{etag}-0a1b2c3d\""),
            "*".into(),
            "\"0\", *".into(),
        ] {
            let code = without(&same).check(Some(etag), None).unwrap_err().code;
            assert_eq!(code, Code::PreconditionFailed, "{same}");
            assert!(without(&same).check(None, None).is_ok(), "{same}");
        }
        for other in ["\"0\"", "W/\"0\", \"1\"", "\"*\"", ""] {
            assert!(without(other).check(Some(etag), None).is_ok(), "{other}");
        }
        let both = Conditions { if_match: Some(Tags::Any), ..without(&etag.to_string()) };
        assert!(both.check(Some(etag), None).is_err());
        // A mismatch shows nothing of the document behind the tag.
        let required = Conditions { required: true, ..without("\"0\"") };
        let code = required.check(Some(etag), None).unwrap_err().code;
        assert_eq!(code, Code::PreconditionRequired);
    }
}
