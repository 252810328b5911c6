//! The schemas of tenants that share a database. Each has a comment that says whose it is, so that no schema of
//! another kind is ever taken for a tenant's, whatever its name.

use duet_model::tenant::TenantName;
use duet_model::{Code, Error};

/// The schema of a tenant: `TENANT_SUFFIX`.
pub fn schema_of(name: &TenantName, suffix: &str) -> String {
    format!("{name}_{suffix}")
}

/// The comment of a tenant's schema.
pub fn comment_of(name: &TenantName, suffix: &str) -> String {
    format!("Duet tenant: {name} of {suffix}")
}

/// The statement that makes a schema a tenant's; the last of those that make it.
pub fn mark_statement(name: &TenantName, suffix: &str) -> String {
    // Neither text has a quote in it: names have none, and the suffix is checked like one.
    format!("COMMENT ON SCHEMA \"{}\" IS '{}'", schema_of(name, suffix), comment_of(name, suffix))
}

/// Whose a schema is that has such a comment, `TENANT of SUFFIX`; `None` for any other.
pub fn owner_of(comment: &str) -> Option<&str> {
    comment.strip_prefix("Duet tenant: ")
}

/// A schema that is another tenant's: its rows must not become this one's.
pub fn taken(schema: &str, owner: &str) -> Error {
    let message = format!("The schema {schema:?} is that of the tenant {owner}. Nothing was made.");
    Error::new(Code::Setting, message)
        .hint("Give the tenant another name, or the application another `schema` in its app.toml.")
}

/// What a schema is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// There is none of this name.
    Absent,
    /// It is the tenant's, with its number in the catalog.
    Tenant(u32),
    /// It is that of another tenant, `TENANT of SUFFIX`.
    Taken(String),
    /// It is something else.
    Other,
}
