//! Aggregates whose result is of a domain that is called like a media type: what they make of rows is an answer.

use super::RelationName;

/// The name of the domain of what is of any media type.
pub const ANY_MEDIA: &str = "*/*";

/// An aggregate over whole rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaAggregate {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// The relation whose rows it takes; `None` for one of rows of any columns.
    pub of: Option<RelationName>,
    /// The media type in lower case, or [`ANY_MEDIA`].
    pub media: String,
    /// Whether its value is bytes instead of a text.
    pub is_binary: bool,
    /// Whether it, or a function that it is made of, runs with the rights of its owner.
    pub security_definer: bool,
}

/// Whether a name is that of a media type (RFC 6838 §4.2), as far as it names a domain.
pub fn is_media_type(name: &str) -> bool {
    let is_part = |part: &str, more: &[u8]| {
        let is_it = |byte: u8| byte.is_ascii_alphanumeric() || more.contains(&byte);
        !part.is_empty() && part.bytes().all(is_it)
    };
    name.split_once('/').is_some_and(|(kind, form)| is_part(kind, b".-") && is_part(form, b".+-"))
}
