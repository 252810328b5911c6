//! The statements of services that write. Reads of services are part of a read plan.

use std::sync::Arc;

use crate::parts::affixes::Affixes;
use duet_model::{Column, Piece, ServiceQuery, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// A statement of a service with the values of its parameters. Where it gives rows, `returned` are their columns.
pub fn query_statement(
    dialect: &dyn Dialect,
    query: &ServiceQuery,
    arguments: &Arc<[Value]>,
    returned: &[Column],
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.with_arguments(arguments);
    let is_converted = |column: &Column| dialect.selected(&column.ty) != Affixes::NONE;
    if !returned.iter().any(is_converted) {
        writer.query(query);
        return writer.finish();
    }
    // Only PostgreSQL converts columns, and there a statement that changes rows can be part of another.
    writer.text("WITH r AS (");
    writer.query(query);
    writer.text("\n) SELECT ");
    writer.list(returned, ", ", |writer, column| {
        let Affixes { before, after } = dialect.selected(&column.ty);
        writer.text(before);
        writer.text("r.");
        writer.identifier(&column.name);
        writer.text(after);
    });
    writer.text(" FROM r");
    writer.finish()
}

/// The place in the file of a place in [`query_statement`]'s text, in bytes.
pub fn place_in_file(dialect: &dyn Dialect, query: &ServiceQuery, offset: usize) -> usize {
    let mut writer = Writer::new(dialect);
    let mut place = 0;
    for piece in &query.pieces {
        let start = writer.length();
        if start > offset {
            break;
        }
        let one =
            ServiceQuery { pieces: vec![piece.clone()], parameters: query.parameters.clone() };
        writer.query(&one);
        place = match piece {
            Piece::Text { text, at } => at + (offset - start).min(text.len()),
            Piece::Parameter { at, .. } => *at,
        };
    }
    place
}

#[cfg(test)]
mod tests {
    use duet_model::{QueryParameter, Type};

    use super::*;
    use crate::{Postgres, Sqlite};

    fn query(text: &str) -> ServiceQuery {
        let id = QueryParameter {
            name: "id".into(),
            ty: Type::Integer { bits: 64 },
            declared: "int8".into(),
        };
        let parameters = vec![id];
        let pieces = crate::statements(text, 100, &parameters).unwrap().remove(0);
        ServiceQuery { pieces, parameters }
    }

    #[test]
    fn values_are_bound() {
        let query = query("UPDATE t SET a = :id WHERE id = :id RETURNING *");
        let arguments: Arc<[Value]> = vec![Value::Int(7)].into();
        let postgres = Postgres { icu: true };
        let written = query_statement(&postgres, &query, &arguments, &[]);
        assert_eq!(&*written.sql, "UPDATE t SET a = $1::int8 WHERE id = $2::int8 RETURNING *");
        assert_eq!(written.parameters.len(), 2);
        let written = query_statement(&Sqlite, &query, &arguments, &[]);
        assert_eq!(&*written.sql, "UPDATE t SET a = ?1 WHERE id = ?2 RETURNING *");
        let other = [Column::new("a", Type::Other)];
        let written = query_statement(&postgres, &query, &arguments, &other);
        assert!(
            written.sql.ends_with("RETURNING *\n) SELECT r.\"a\"::text FROM r"),
            "{}",
            written.sql
        );
    }

    #[test]
    fn places_lead_back_to_the_file() {
        let query = query("a = :id AND b");
        let postgres = Postgres { icu: true };
        for (offset, place) in [(0, 100), (2, 102), (4, 104), (11, 104), (12, 107), (16, 111)] {
            assert_eq!(place_in_file(&postgres, &query, offset), place, "{offset}");
        }
    }
}
