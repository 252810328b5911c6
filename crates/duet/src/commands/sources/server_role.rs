//! The rights of the role of `duet serve` to tables of Duet's own that another user makes.

use duet_model::Result;
use duet_store::OwnPart;

use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::Outcome;

/// Where a role is named, gives it the rights that serving takes; else the lines that say how to. Nothing where the
/// store has no roles.
pub(in crate::commands) fn granted(
    database: &DatabaseUrl,
    part: OwnPart,
    role: Option<&str>,
) -> Result<String> {
    if !database.has_roles() {
        return Ok(String::new());
    }
    let Some(role) = role else {
        let statements = database.grants(part, "ROLE").join(";\n  ");
        return Ok(format!(
            "Unless `duet serve` connects as this user, its role needs (`--server-role ROLE` grants it):\n  {statements};\n"
        ));
    };
    warn_of(database)?;
    crate::runtime::runtime()?.block_on(database.grant(part, role))?;
    Ok(format!("Granted {role} what `duet serve` needs of it.\n"))
}

/// Refuses a role for a store that has none.
///
/// # Errors
/// If a role is named.
pub(in crate::commands) fn check(database: &DatabaseUrl, role: Option<&str>) -> Outcome {
    match role {
        Some(_) if !database.has_roles() => {
            let message = format!("{} has no roles: omit --server-role.", database.title());
            Err(CommandError::refusal(message))
        }
        _ => Ok(()),
    }
}
