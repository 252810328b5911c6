//! The rights of the role of `duet serve` to tables of Duet's own that another user makes.

use duet_db::{OwnPart, grant_to_server};
use duet_model::{Code, Error, Result};

use super::database::postgres_settings;

/// Where a role is named, gives it the rights that serving takes; else the lines that say how to.
pub(in crate::commands) fn granted(url: &str, part: OwnPart, role: Option<&str>) -> Result<String> {
    let Some(role) = role else {
        let statements = part.grants("ROLE").join(";\n  ");
        return Ok(format!(
            "Unless `duet serve` connects as this user, its role needs (`--server-role ROLE` grants it):\n  {statements};\n"
        ));
    };
    let settings = postgres_settings(url)?;
    crate::runtime::runtime()?.block_on(grant_to_server(&settings, part, role))?;
    Ok(format!("Granted {role} what `duet serve` needs of it.\n"))
}

/// SQLite has no roles, so there is nothing to say.
///
/// # Errors
/// If a role is named.
pub(in crate::commands) fn none_in_sqlite(role: Option<&str>) -> Result<String> {
    match role {
        None => Ok(String::new()),
        Some(_) => Err(Error::new(Code::Setting, "SQLite has no roles: omit --server-role.")),
    }
}
