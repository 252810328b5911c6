//! What a client learns of a row that the database has refused: its field, a code, what to do.

use duet_document::bulk::{LoadTable, RefusedRow, RowPosition};
use duet_model::refusal::of_load;
use duet_model::{Code, Relation};
use duet_text::error::{RaisedError, Violation};
use duet_text::problem::quoted;

/// The refusal of a row by a rule of the database. Names only served members; messages of a trigger
/// are sent where `raised` says so.
pub fn refused(
    target: &LoadTable,
    table: &Relation,
    place: RowPosition,
    code: Code,
    violation: &Violation,
    raised: bool,
) -> RefusedRow {
    let code = if code == Code::ValueOutOfRange { Code::MemberValue } else { code };
    let mut columns = table.violated_columns(violation);
    if columns.is_empty() && code == Code::CheckViolation {
        columns = table.checked_columns(violation);
    }
    let names: Option<Vec<&str>> =
        columns.iter().map(|&column| target.name_of(column)).collect::<Option<_>>();
    let names = names.unwrap_or_default();
    let field = if let [only] = names[..] { Some(only.to_owned()) } else { None };
    let all: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let raised_message = violation.raised.as_ref().filter(|_| raised);
    let message = match raised_message {
        Some(RaisedError { message, hint: None, .. }) => message.clone(),
        Some(RaisedError { message, hint: Some(hint), .. }) => format!("{message} {hint}"),
        None => of_load(code, &all.join(", ")),
    };
    RefusedRow { place, field, code, message }
}
