//! Settings of a transaction: what functions of the database read of a request, and what they set for its answer.

use duet_model::{Type, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// The statement that sets settings until the end of the transaction: one row, with a column for each.
pub fn set_statement(dialect: &dyn Dialect, settings: &[(&'static str, String)]) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.list(settings, ", ", |writer, (name, value)| {
        writer.text("pg_catalog.set_config(");
        writer.quoted(name);
        writer.text(", ");
        writer.bind(Value::Text(value.clone()), &Type::Text, "text");
        writer.text(", true)");
    });
    writer.finish()
}

/// The statement that reads settings: one row, with a column for each; NULL or empty where it is not set.
pub fn current_statement(dialect: &dyn Dialect, names: &[&'static str]) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.list(names, ", ", |writer, name| {
        writer.text("pg_catalog.current_setting(");
        writer.quoted(name);
        writer.text(", true)");
    });
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres_dialect::Postgres;

    #[test]
    fn values_are_parameters() {
        let dialect = Postgres { icu: true };
        let set = set_statement(&dialect, &[("a.b", "x'".into()), ("c.d", "y".into())]);
        assert_eq!(
            &*set.sql,
            "SELECT pg_catalog.set_config('a.b', $1::text, true), pg_catalog.set_config('c.d', $2::text, true)"
        );
        assert_eq!(set.parameters.len(), 2);
        let current = current_statement(&dialect, &["a.b"]);
        assert_eq!(&*current.sql, "SELECT pg_catalog.current_setting('a.b', true)");
    }
}
