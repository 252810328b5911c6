//! Messages for rows that the database refuses: one per code, with the names of the members.

use duet_text::error::Code;

/// The message for a refused row; `names` are its members, quoted and joined by commas, with their path
/// if they are below the document's root. `None` if the code has only its general message.
pub fn of_document(code: Code, names: &str) -> Option<String> {
    Some(match code {
        Code::UniqueViolation => format!(
            "Another row already has this {names}, which must be unique. Choose another value, or change that row instead."
        ),
        Code::ForeignKeyViolation => format!(
            "{names} refers to a row that does not exist. Correct the value, or create that row first."
        ),
        Code::CheckViolation => format!(
            "{names} breaks a rule of the table. Check the value against what the table allows."
        ),
        Code::NotNullViolation => {
            format!("{names} is missing, and the table requires it. Send it.")
        }
        Code::ExclusionViolation => {
            format!("{names} is in conflict with another row. Choose another value.")
        }
        Code::NotWritable => {
            format!("{names} cannot be written: the database computes it. Leave it out.")
        }
        Code::ValueOutOfRange => format!(
            "{names} does not fit the type of its column. Check its form, length and range."
        ),
        _ => return None,
    })
}

/// The message for a row that cannot be deleted because others reference it.
pub const STILL_REFERRED_TO: &str =
    "Other rows still refer to this one. Remove or change those first.";

/// The message for a refused row of a bulk load; `names` as above, empty if they are unknown or not
/// served.
pub fn of_load(code: Code, names: &str) -> String {
    if names.is_empty() {
        return of_unnamed(code).to_owned();
    }
    match code {
        Code::UniqueViolation => format!(
            "A row with this {names} exists already. Change the value, leave the row out, \
             or let rows replace others by their key with upsert=true."
        ),
        Code::ForeignKeyViolation => {
            format!(
                "{names} refers to a row that does not exist. Load that row first, or correct it."
            )
        }
        Code::NotNullViolation => format!("{names} is required. Give it a value."),
        Code::CheckViolation => format!("{names} breaks a rule of the table. Correct the value."),
        Code::ExclusionViolation => {
            format!("{names} is in conflict with another row. Correct the value.")
        }
        Code::NotWritable => format!("{names} cannot be written. Leave it out."),
        Code::TriggerRefused
        | Code::RowSecurity
        | Code::RowRefused
        | Code::KeysExhausted
        | Code::NulCharacter => of_unnamed(code).to_owned(),
        _ => format!(
            "The value of {names} does not fit its column. Check its form, length and range."
        ),
    }
}

fn of_unnamed(code: Code) -> &'static str {
    match code {
        Code::UniqueViolation => {
            "A row with a value that must be unique exists already. Change the value, leave the \
             row out, or let rows replace others by their key with upsert=true."
        }
        Code::ForeignKeyViolation => {
            "The row refers to one that does not exist. Load that one first, or correct the value."
        }
        Code::NotNullViolation => "A value is missing that the table requires.",
        Code::CheckViolation => "The row breaks a rule of its table. Correct its values.",
        Code::ExclusionViolation => "The row is in conflict with another one. Correct its values.",
        Code::TriggerRefused => "A trigger of the database has refused the row.",
        Code::RowSecurity => "The database's row security does not let the server write this row.",
        Code::RowRefused => {
            "The database did not write the row: a trigger or a rule of it keeps it from that."
        }
        Code::NotWritable => "The row gives a column that cannot be written.",
        Code::KeysExhausted => {
            "The numbers that the database gives to new rows are used up. Give the row a key."
        }
        Code::NulCharacter => "A text contains the NUL character (U+0000). Leave it out.",
        _ => "A value does not fit its column. Check forms, lengths and ranges.",
    }
}
