//! The schemas of tenants that share a database. Each has a comment that says whose it is, so that no schema of
//! another kind is ever taken for a tenant's, whatever its name.

use duet_model::tenant::TenantName;

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

/// What a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// There is none of this name.
    Absent,
    /// It is the tenant's, with its number in the catalog.
    Tenant(u32),
    /// It is something else.
    Other,
}
