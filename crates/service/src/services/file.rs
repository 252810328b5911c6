//! The file of a service as data: its header and its statements.

use std::collections::BTreeMap;
use std::ops::Range;

use duet_model::{Code, Error, Place, QueryParameter, ServiceQuery, Type, Value};
use duet_store::RequestClass;

use super::answer::{Answers, DeclaredAnswer, ServiceOutcome};
use super::route::PathTemplate;

/// The methods of services.
pub static SERVICE_METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The types of parameters and columns: their names, and how PostgreSQL calls them.
pub static SERVICE_TYPES: [(&str, Type, &str); 12] = [
    ("text", Type::Text, "text"),
    ("integer", Type::Integer { bits: 64 }, "int8"),
    ("number", Type::Decimal { scale: None }, "numeric"),
    ("float", Type::Float { bits: 64 }, "float8"),
    ("boolean", Type::Boolean, "bool"),
    ("date", Type::Date, "date"),
    ("time", Type::Time, "time"),
    ("timestamp", Type::Timestamp, "timestamp"),
    ("timestamptz", Type::TimestampTz, "timestamptz"),
    ("uuid", Type::Uuid, "uuid"),
    ("binary", Type::Binary, "bytea"),
    ("json", Type::Json, "jsonb"),
];

/// The words of `result`.
pub static SERVICE_RESULTS: [(&str, ServiceResult); 5] = [
    ("rows", ServiceResult::Rows),
    ("row", ServiceResult::Row),
    ("document", ServiceResult::Document),
    ("count", ServiceResult::Count),
    ("nothing", ServiceResult::Nothing),
];

/// A file with a service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceFile {
    /// The service's name.
    pub name: String,
    /// The file's name, for messages.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Its store, as in `[load.sqlite]`; any store if absent.
    pub store: Option<String>,
    /// One line about it.
    pub description: Option<String>,
    /// The method: GET, POST, PUT, PATCH or DELETE.
    pub method: String,
    /// Where it is served, below the mount.
    pub path: PathTemplate,
    /// What it answers with.
    pub result: ServiceResult,
    /// The class of its requests.
    pub class: RequestClass,
    /// The status of its answer, where it is not 200.
    pub status: Option<u16>,
    /// The path of `Location`: members of the answer or parameters in braces.
    pub location: Option<String>,
    /// The columns that identify a row; only where there are no parameters.
    pub key: Vec<String>,
    /// Types of columns of the result, where they are not those that the database says.
    pub columns: BTreeMap<String, Type>,
    /// The parameters, in the order of the names of their statements' placeholders.
    pub parameters: Vec<ServiceParameter>,
    /// The statements; all but the last give no rows to the client. None where the answer is fixed, and for a
    /// routine until the database is known.
    pub statements: Vec<ServiceQuery>,
    /// The stored function or procedure that it calls instead of statements.
    pub routine: Option<ServiceRoutine>,
    /// Whether it reads only though its parameters come with a body.
    pub only_reads: bool,
    /// Whether it writes though its method is GET, for clients that call it so. HEAD does not run it.
    pub writes_by_get: bool,
    /// The answers that it declares for outcomes.
    pub answers: Answers,
    /// Whether members and parameters that it does not know are ignored.
    pub ignores_unknown: bool,
}

impl ServiceFile {
    /// Whether it reads only.
    pub fn reads(&self) -> bool {
        self.method == "GET" && !self.writes_by_get || self.only_reads
    }

    /// The name of the resource that it is, as `[resources]` has it.
    pub(crate) fn resource_name(&self) -> &str {
        self.path.only().unwrap_or(&self.name)
    }

    /// Whether its rows are a resource at its path, with items, streams and searches below it.
    pub fn is_served_by_name(&self) -> bool {
        self.path.only().is_some() && self.result == ServiceResult::Rows
    }

    /// Whether it has no statements: its answer needs no database.
    pub fn is_fixed(&self) -> bool {
        self.statements.is_empty() && self.routine.is_none()
    }

    /// The answer that it declares for an error, with the mistake that decides: one of the request's form before
    /// others.
    pub fn answer_to<'f, 'e>(
        &'f self,
        error: &'e Error,
    ) -> Option<(&'f DeclaredAnswer, &'e Error)> {
        if self.answers.0.is_empty() {
            return None;
        }
        let is_malformed =
            |error: &&Error| ServiceOutcome::of(error.code) == Some(ServiceOutcome::Malformed);
        let decides = error.mistakes().find(is_malformed).unwrap_or(error);
        let outcome = ServiceOutcome::of(decides.code)?;
        let own = self.own_answer(decides).and_then(|name| self.answers.0.get(name));
        let answer = own.or_else(|| self.answers.0.get(outcome.name()))?;
        Some((answer, decides))
    }

    /// The answer that a parameter names for values outside of its limits.
    fn own_answer<'s>(&'s self, error: &Error) -> Option<&'s str> {
        if error.code != Code::OutsideLimits {
            return None;
        }
        let find =
            |all: &'s [ServiceParameter], name: &str| all.iter().find(|one| one.name == name);
        let (name, below) = match &error.place {
            Some(Place::Parameter(name)) => (name.as_str(), None),
            Some(Place::Pointer(pointer)) => {
                // `/orders/3/amount` is a member of an item.
                let mut parts = pointer.strip_prefix('/')?.split('/');
                (parts.next()?, parts.nth(1))
            }
            _ => return None,
        };
        let parameter = find(&self.parameters, name)?;
        match below {
            Some(member) => find(parameter.items.as_deref()?, member)?.answer.as_deref(),
            None => parameter.answer.as_deref(),
        }
    }
}

/// A stored function or procedure that is a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceRoutine {
    /// Its name, as the header has it: `refund`, `shop.refund` or `shop.refund(text, integer)`.
    pub name: String,
    /// The place of the name in the file, in bytes.
    pub span: Range<usize>,
    /// The parameters of the service as those of a statement.
    pub parameters: Vec<QueryParameter>,
}

/// What a service answers with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceResult {
    /// All rows: pages and streams where it reads, else `items` and `count`.
    #[default]
    Rows,
    /// One row; 404 without a row.
    Row,
    /// The value of the first column of the first row, which is JSON; or 404.
    Document,
    /// How many rows the last statement has changed, or the value of the first column: `{"count": …}`.
    Count,
    /// Nothing: 204.
    Nothing,
}

/// A parameter of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceParameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it may be left out; it then has its default, or is NULL.
    pub optional: bool,
    /// Its value where it is left out.
    pub default: Option<Value>,
    /// What its values must satisfy.
    pub limits: ValueLimits,
    /// The name of the answer to values outside of its limits, where it is not that of the outcome.
    pub answer: Option<String>,
    /// The members of each item where it is an array of objects.
    pub items: Option<Vec<ServiceParameter>>,
}

/// What values of a parameter must satisfy; named as in JSON Schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueLimits {
    /// Characters of a text at least.
    pub min_length: Option<u64>,
    /// Characters of a text at most.
    pub max_length: Option<u64>,
    /// The least number.
    pub minimum: Option<i64>,
    /// The largest number.
    pub maximum: Option<i64>,
    /// The only values; none where any is allowed.
    pub values: Vec<String>,
    /// Whether `values` are compared without the case of letters.
    pub ignore_case: bool,
    /// Items of an array at least.
    pub min_items: Option<u64>,
    /// Items of an array at most.
    pub max_items: Option<u64>,
}
