//! What the role of `duet serve` needs of the tables that Duet itself has in a database, where another user has made
//! them.

use duet_sql::{Postgres, ValueSyntax as _};

use duet_store::setup::own_part::OwnPart;

/// The tables in schema `duet`, with what they belong to and the privileges that serving takes.
const TABLES: [(OwnPart, &str, &str); 9] = [
    (OwnPart::Keys, "idempotency", "SELECT, INSERT, UPDATE, DELETE"),
    (OwnPart::Journal, "journal_marks", "SELECT, INSERT, UPDATE"),
    (OwnPart::Journal, "journal_dead_letters", "SELECT, INSERT, UPDATE, DELETE"),
    (OwnPart::Journal, "journal_heads", "SELECT, INSERT, UPDATE"),
    (OwnPart::Journal, "journal_losses", "SELECT, INSERT, UPDATE"),
    (OwnPart::Changes, "change", "SELECT"),
    (OwnPart::State, "state", "SELECT"),
    // Triggers add the events, by the rights of their owner.
    (OwnPart::Webhooks, "webhook_outbox", "SELECT, UPDATE, DELETE"),
    (OwnPart::Webhooks, "webhook_endpoints", "SELECT, UPDATE"),
];

/// The statements that let a role serve with these tables.
pub(crate) fn grants(part: OwnPart, role: &str) -> Vec<String> {
    let mut quoted = String::new();
    Postgres { icu: false }.identifier(role, &mut quoted);
    let role = quoted;
    let of_tables = TABLES.iter().filter(|(of, ..)| *of == part);
    let of_tables =
        of_tables.map(|(_, table, rights)| format!("GRANT {rights} ON duet.{table} TO {role}"));
    // Events of views are added by the server itself.
    let of_views = (part == OwnPart::Webhooks)
        .then(|| format!("GRANT INSERT ON duet.webhook_outbox TO {role}"));
    let schema = std::iter::once(format!("GRANT USAGE ON SCHEMA duet TO {role}"));
    schema.chain(of_tables).chain(of_views).collect()
}

/// The query for tables of keys, the journal and clients of which the user lacks a privilege, with the user's name.
/// What is said of captured changes is the part of those who watch for them.
pub(crate) fn lacking() -> String {
    let parts = [OwnPart::Keys, OwnPart::Journal, OwnPart::State, OwnPart::Webhooks];
    let wanted = TABLES.iter().filter(|(part, ..)| parts.contains(part));
    let rights = wanted.flat_map(|(_, table, rights)| {
        rights.split(", ").map(move |right| format!("('{table}', '{right}')"))
    });
    format!(
        "SELECT DISTINCT c.relname::text, current_user::text
           FROM (VALUES {}) AS w (name, wanted)
           JOIN pg_catalog.pg_class c ON c.relname = w.name
           JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'duet'
          WHERE NOT has_schema_privilege(n.oid, 'USAGE') OR NOT has_table_privilege(c.oid, w.wanted)
          ORDER BY 1",
        rights.collect::<Vec<_>>().join(", ")
    )
}

/// What to say of a table of Duet's own that the user may not use.
pub(crate) fn note(table: &str, user: &str) -> Option<String> {
    let (part, ..) = TABLES.iter().find(|(_, name, _)| *name == table)?;
    let what = match part {
        OwnPart::Keys => "requests with an Idempotency-Key are refused",
        OwnPart::Journal => "the journal is not used",
        OwnPart::Changes => "changes of others are not captured",
        OwnPart::State => "the clients in it are not known",
        OwnPart::Webhooks => "no webhook is sent",
    };
    Some(format!(
        "the table duet.{table} exists, and {user} may not use it: {what}. {}",
        grants(*part, user).join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_gets_what_serving_takes() {
        let statements = grants(OwnPart::Keys, "web");
        assert_eq!(statements[0], "GRANT USAGE ON SCHEMA duet TO \"web\"");
        assert_eq!(statements.len(), 2);
    }
}
