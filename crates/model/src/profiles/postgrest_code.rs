//! The codes of PostgREST's errors: the one list from which errors are made and that the manual prints.

use crate::{Code, Error};
use duet_text::ForeignCode;

/// What PostgREST answers to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgrestRow {
    /// Its code: of PostgREST, or the SQLSTATE.
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// When it is the answer.
    pub when: &'static str,
}

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $status:literal, $own:ident, $when:literal;)*) => {
        /// An error of PostgREST.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PostgrestCode { $(#[doc = $when] $name,)* }

        impl PostgrestCode {
            /// All of them, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code, status and meaning.
            pub fn row(self) -> PostgrestRow {
                match self {
                    $(Self::$name => PostgrestRow { code: $code, status: $status, when: $when },)*
                }
            }

            /// Duet's code for it, in logs and metrics.
            fn own(self) -> Code {
                match self { $(Self::$name => Code::$own,)* }
            }
        }
    };
}

rows! {
    Grammar = "PGRST100", 400, BadParameter, "A query string that cannot be read.";
    FunctionMethod = "PGRST101", 405, MethodNotAllowed, "A function called by another method than GET, HEAD or POST.";
    Body = "PGRST102", 400, BadRequest, "A body that cannot be read.";
    Range = "PGRST103", 416, BadParameter, "A range that no row is in.";
    PutFilter = "PGRST105", 405, BadParameter, "PUT with other filters than those of the whole primary key by `eq`.";
    Schema = "PGRST106", 406, NotAcceptable, "A schema that is not served.";
    MediaType = "PGRST107", 406, NotAcceptable, "No media type in `Accept` is served.";
    NotEmbedded = "PGRST108", 400, BadParameter, "A parameter of a resource that `select` does not embed.";
    ResponseHeaders = "PGRST111", 500, FunctionBroken, "`response.headers` that is no array of objects with one name and text each.";
    ResponseStatus = "PGRST112", 500, FunctionBroken, "`response.status` that is no HTTP status.";
    PutLimit = "PGRST114", 400, BadParameter, "PUT with `limit` or `offset`.";
    PutKey = "PGRST115", 400, KeyMismatch, "PUT whose body has another key than the filter.";
    Singular = "PGRST116", 406, NotAcceptable, "Not exactly one row, where one object is asked for.";
    Method = "PGRST117", 405, MethodNotAllowed, "A method that tables do not take.";
    RelatedOrder = "PGRST118", 400, BadParameter, "An order by a resource that is no to-one embed.";
    RaiseSyntax = "PGRST121", 500, FunctionBroken, "`RAISE` with the SQLSTATE `PGRST` whose message or detail cannot be read.";
    Preference = "PGRST122", 400, BadRequest, "`handling=strict` and a preference that is not known.";
    Aggregates = "PGRST123", 400, BadParameter, "Aggregates, which are switched off.";
    MaxAffected = "PGRST124", 400, BadRequest, "More rows than `max-affected`.";
    Path = "PGRST125", 404, NotServed, "A path below a table.";
    NotImplemented = "PGRST127", 400, BadParameter, "Something of PostgREST that is not taken.";
    MaxAffectedCall = "PGRST128", 400, BadRequest, "`max-affected` and a function that gives no set.";
    NoRelationship = "PGRST200", 400, BadParameter, "No relationship between two resources.";
    ManyRelationships = "PGRST201", 300, BadParameter, "Several relationships between two resources.";
    NoFunction = "PGRST202", 404, NotServed, "No function with these arguments.";
    ManyFunctions = "PGRST203", 300, BadParameter, "Several functions with these arguments.";
    BodyColumn = "PGRST204", 400, UnknownMember, "A column in a body or in `columns` that does not exist.";
    NoTable = "PGRST205", 404, NotServed, "A table that does not exist.";
    NoColumn = "42703", 400, FilterField, "A column in a filter, an order or `select` that does not exist.";
    NoOperator = "42883", 404, FilterOperand, "An operator that the type of the column does not have.";
    NotGrouped = "42803", 400, FilterField, "An order by a column that is no key of the groups.";
    NoBoolean = "42804", 400, FilterOperand, "`is.true` or `is.false` of a column that is no boolean.";
    Operand = "22P02", 400, FilterOperand, "A value that is none of the column's type.";
    OutOfRange = "22003", 400, FilterOperand, "A whole number that its column is too small for.";
    Computed = "428C9", 400, MemberGenerated, "A value for a column that the database computes.";
    TimeZone = "22023", 400, BadRequest, "A `timezone` that the database does not know.";
    KeyTwice = "21000", 500, BadRequest, "An upsert with one key twice.";
    NoConstraint = "42P10", 400, BadParameter, "`on_conflict` with columns that no unique key has.";
    Denied = "42501", 403, Forbidden, "The caller lacks a right; 401 without a token.";
}

impl PostgrestCode {
    /// The error with a message.
    pub fn error(self, message: impl Into<String>) -> Error {
        self.of(Error::new(self.own(), message))
    }

    /// An error with a message and details, which are JSON text.
    pub fn with_details(self, message: impl Into<String>, details: String) -> Error {
        let PostgrestRow { code, status, .. } = self.row();
        let details = Some(details);
        Error::new(self.own(), message).reported_as(foreign(code, status, details))
    }

    /// An error of Duet's own as PostgREST reports it.
    pub fn of(self, error: Error) -> Error {
        let PostgrestRow { code, status, .. } = self.row();
        error.reported_as(foreign(code, status, None))
    }
}

fn foreign(code: &'static str, status: u16, details: Option<String>) -> ForeignCode {
    ForeignCode { code: code.into(), status, details, headers: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_listed_once() {
        let mut codes: Vec<_> = PostgrestCode::ALL.iter().map(|code| code.row().code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), PostgrestCode::ALL.len());
    }

    #[test]
    fn errors_have_code_status_and_details() {
        let error = PostgrestCode::Singular.with_details("No.", "\"2 rows\"".to_owned());
        let foreign = error.foreign().unwrap();
        assert_eq!((&*foreign.code, foreign.status), ("PGRST116", 406));
        assert_eq!(foreign.details.as_deref(), Some("\"2 rows\""));
    }
}
