//! The text of a filter, in one of the syntaxes that requests use.

mod locate;

use duet_model::{Error, Place, Result};

use crate::cql;
use crate::fields::FieldIndex;
use crate::grammar::Filter;
use crate::limits::Limits;

/// A filter and order as a request gives them, percent-decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterText<'a> {
    /// JSON, in the parameter `q`.
    Json(&'a str),
    /// CQL, in the parameter `query`.
    Cql(&'a str),
}

/// Reads a filter in its syntax.
///
/// # Errors
/// As [`crate::parse`] and [`cql::parse`]; positions are those in the parameter.
pub fn parse_text(text: FilterText<'_>, fields: &FieldIndex, limits: &Limits) -> Result<Filter> {
    match text {
        FilterText::Json(q) => crate::parse(q, fields, limits),
        FilterText::Cql(query) => cql::parse(query, fields, limits).map_err(in_query),
    }
    .map_err(|error| match error.place {
        None => error.at(Place::Parameter(text.parameter().to_owned())),
        Some(_) => error,
    })
}

impl FilterText<'_> {
    /// The parameter that holds such a text.
    pub fn parameter(self) -> &'static str {
        match self {
            Self::Json(_) => "q",
            Self::Cql(_) => "query",
        }
    }

    /// The place of the operand that a statement carries as this text; of several that are alike, the
    /// first. Operands of types that only the database supports, such as ranges, are passed unchanged.
    pub fn operand_at(self, carried: &str, limits: &Limits) -> Option<Place> {
        match self {
            Self::Json(q) => locate::operand_at(q, carried, limits).map(Place::Offset),
            Self::Cql(query) => {
                let at = cql::operand_at(query, carried, limits)?;
                Some(Place::In("query", at))
            }
        }
    }
}

/// A position in a CQL text is one in `query`.
fn in_query(mut error: Error) -> Error {
    if let Some(Place::Offset(at)) = error.place {
        error.place = Some(Place::In("query", at));
    }
    error
}

#[cfg(test)]
mod tests {
    use duet_model::Code;

    use super::*;
    use crate::tests::sample;

    #[test]
    fn errors_name_the_parameter() {
        let error = |text| parse_text(text, &sample::fields(), &Limits::default()).unwrap_err();
        let (q, query) = (FilterText::Json(r#"{"x":1}"#), FilterText::Cql("name = a or x = 1"));
        assert_eq!((error(q).code, error(q).place), (Code::FilterField, Some(Place::Offset(1))));
        assert_eq!(error(query).place, Some(Place::In("query", 12)));
    }

    #[test]
    fn operands_have_a_place() {
        let query = FilterText::Cql(r#"a == "x y" or (b encloses "[1" sortBy c"#);
        assert_eq!(query.operand_at("x y", &Limits::default()), None);
        let query = FilterText::Cql(r#"a == "x y" or (b encloses "1\"" or z) sortBy c"#);
        let at = |carried| query.operand_at(carried, &Limits::default());
        assert_eq!(at("x y"), Some(Place::In("query", 5)));
        assert_eq!(at(r#"["1""","1"""]"#), Some(Place::In("query", 26)));
        assert_eq!(at("y"), None);
    }
}
