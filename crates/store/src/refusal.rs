//! The messages of changes that the database refuses, and of answers that are too large; the same texts for both stores.

use duet_model::{Code, Error};

/// The error of a code that only writes have.
pub fn refusal(code: Code) -> Error {
    let text = match code {
        Code::UniqueViolation => {
            "Another row already has this value, which must be unique. \
             Choose another value, or change that row instead."
        }
        Code::ForeignKeyViolation => {
            "A row refers to one that does not exist, or others still refer to a row that would go. \
             Check the references."
        }
        Code::CheckViolation => {
            "A value breaks a rule of its table. Check the values against what the table allows."
        }
        Code::NotNullViolation => "A value is missing that the table requires. Send it.",
        Code::ExclusionViolation => {
            "The values are in conflict with those of another row. Choose others."
        }
        Code::TriggerRefused => {
            "The change was refused by a trigger of the database, which checks rules of its own."
        }
        Code::DatabaseReadOnly => "The database can only be read. Nothing was changed.",
        Code::WriteConflict => {
            "Other writers were in the way at every attempt. Nothing was changed. \
             Try again in a moment."
        }
        Code::OutcomeUnknown => {
            "The database was lost while the change was being completed. It may have been made or \
             not: read the document before you try again."
        }
        Code::RowSecurity => "The database's row security does not allow such a row to be written.",
        Code::RowRefused => {
            "A rule of the database (CREATE RULE) takes the place of the change and returns no row. \
             Nothing was changed. Its operator can add RETURNING to the rule, or make it a trigger."
        }
        Code::NotWritable => {
            "The database computes a value that was sent, or cannot change this view. \
             Leave out what is computed."
        }
        Code::KeysExhausted => {
            "The numbers that the database gives to new rows are used up. The table's operator has to widen the key \
             or to restart its sequence; a key that is sent needs no number."
        }
        _ => return Error::internal(""),
    };
    let error = Error::new(code, text);
    if code.status() == 503 { error.retry_after(1) } else { error }
}

/// The error of a role that cannot be assumed. The cause names the role and the reason.
pub fn role_unusable() -> Error {
    Error::new(
        Code::RoleUnusable,
        "The database role that this request has to run under cannot be used, so nothing was done. \
         The server's operator finds the reason in its log.",
    )
}

/// Where a role lacks a privilege, that is about the client, not about the server.
pub fn denied_to(has_role: bool, mut error: Error) -> Error {
    if has_role && error.code == Code::DatabaseDenied {
        error.code = Code::RoleDenied;
        error.message = "The database role of this client may not do this. The server's operator \
                         can grant it the privilege."
            .to_owned();
    }
    error
}

/// The error for an answer above this limit.
pub(crate) fn answer_too_large(most: usize) -> Error {
    Error::new(
        Code::AnswerTooLarge,
        format!(
            "The answer would hold more than {}. Ask for fewer items with `limit`, or fewer members with `fields`.",
            size(most)
        ),
    )
}

/// A limit in words: in the unit that it is a whole number of.
fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => {
            format!("{} MiB", bytes >> 20)
        }
        bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => {
            format!("{} KiB", bytes >> 10)
        }
        bytes => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_exactly() {
        for (bytes, said) in [
            (64 << 20, "64 MiB"),
            (500, "500 bytes"),
            (3 << 10, "3 KiB"),
            ((1 << 20) + 1, "1048577 bytes"),
        ] {
            let message = answer_too_large(bytes).message;
            assert!(message.contains(&format!("hold more than {said}. ")), "{message}");
        }
    }

    #[test]
    fn every_code_of_writes_has_its_words() {
        let codes = Code::ALL.iter().filter(|code| code.as_str().starts_with("DUET-71"));
        for code in codes {
            let error = refusal(*code);
            assert_eq!(error.code, *code);
            assert_eq!(error.retry_after.is_some(), code.status() == 503);
        }
    }
}
