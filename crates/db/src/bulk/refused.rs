//! What a client is told of a row that the database has refused: its field, a code, what to do.

use duet_document::bulk::{Place, Refused, Target};
use duet_model::error::Violation;
use duet_model::problem::quoted;
use duet_model::{Code, Relation};

/// The refusal of a row by a rule of the database. Names only what is served.
pub(crate) fn refused(
    target: &Target,
    table: &Relation,
    place: Place,
    code: Code,
    violation: &Violation,
) -> Refused {
    let code = if code == Code::ValueOutOfRange { Code::MemberValue } else { code };
    let columns = table.violated_columns(violation);
    let names: Option<Vec<&str>> =
        columns.iter().map(|&column| target.name_of(column)).collect::<Option<_>>();
    let names = names.unwrap_or_default();
    let field = if let [only] = names[..] { Some(only.to_owned()) } else { None };
    Refused { place, field, code, message: message(code, &names) }
}

fn message(code: Code, names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let all = all.join(", ");
    let named = !names.is_empty();
    match code {
        Code::UniqueViolation if named => format!(
            "A row with this {all} is there already. Change the value, leave the row out, \
             or let rows replace others by their key with upsert=true."
        ),
        Code::UniqueViolation => {
            "A row with a value that must be unique is there already. Change the value, leave the \
             row out, or let rows replace others by their key with upsert=true."
                .to_owned()
        }
        Code::ForeignKeyViolation if named => {
            format!("{all} refers to a row that is not there. Load that row first, or correct it.")
        }
        Code::ForeignKeyViolation => {
            "The row refers to one that is not there. Load that one first, or correct the value."
                .to_owned()
        }
        Code::NotNullViolation if named => format!("{all} is required. Give it a value."),
        Code::NotNullViolation => "A value is missing that the table requires.".to_owned(),
        Code::CheckViolation if named => {
            format!("{all} breaks a rule of the table. Correct the value.")
        }
        Code::CheckViolation => {
            "The row breaks a rule of its table. Correct its values.".to_owned()
        }
        Code::ExclusionViolation => {
            "The row is in conflict with another one. Correct its values.".to_owned()
        }
        Code::TriggerRefused => "A trigger of the database has refused the row.".to_owned(),
        Code::RowSecurity => {
            "The database's row security does not let the server write this row.".to_owned()
        }
        Code::NotWritable if named => format!("{all} cannot be written. Leave it out."),
        Code::NotWritable => "The row gives a column that cannot be written.".to_owned(),
        Code::NulCharacter => {
            "A text contains the NUL character (U+0000). Leave it out.".to_owned()
        }
        _ if named => {
            format!("The value of {all} does not fit its column. Check its length and range.")
        }
        _ => "A value does not fit its column. Check lengths and ranges.".to_owned(),
    }
}
