//! Statistics of a collection's values together, for planners that keep them on request.

use duet_model::collection::fitted;
use duet_model::{CollectionTable, Type};

use super::table::qualified;
use super::values::{extracted, shape_of};
use crate::dialect::Dialect;
use crate::parts::index_statement::IndexStatement;
use crate::writer::Writer;

/// Values in one object of statistics, as many as PostgreSQL takes.
const MOST: usize = 8;

/// The name of the statistics of a table's values.
pub fn statistics_name(table: &str) -> String {
    fitted(format!("{table}_values_stat"))
}

/// The statement that keeps statistics of indexed values of few kinds together (labels and Booleans), so that a
/// search by two of them is not estimated as if they had nothing to do with each other. `None` where
/// there are less than two, or the dialect has no such statistics. They are the frequencies of the commonest
/// combinations: functional dependencies would have ANALYZE sort its sample for each subset of the
/// values, which takes a minute for eight of them.
pub fn collection_statistics_statement(
    dialect: &dyn Dialect,
    table: &CollectionTable,
) -> Option<IndexStatement> {
    if !dialect.has_statistics_of_expressions() {
        return None;
    }
    let is_few = |ty: &Type| matches!(ty, Type::Enum(_) | Type::Boolean);
    let mut fields: Vec<_> = table.indexes.iter().map(|index| &index.field).collect();
    fields.retain(|field| is_few(&field.ty));
    fields.dedup_by(|one, other| one.path == other.path);
    fields.truncate(MOST);
    if fields.len() < 2 {
        return None;
    }
    let (shape, name) = (shape_of(table), statistics_name(&table.name));
    let mut writer = Writer::new(dialect);
    writer.with_one_table();
    // Statistics of expressions came with version 14.
    writer.text("DO $do$ BEGIN IF current_setting('server_version_num')::integer >= 140000 THEN ");
    writer.text("CREATE STATISTICS IF NOT EXISTS ");
    qualified(&mut writer, table.schema.as_deref(), &name);
    writer.text(" (mcv) ON ");
    writer.list(fields, ", ", |writer, field| {
        writer.text("(");
        extracted(writer, &shape, &field.path, &field.ty);
        writer.text(")");
    });
    writer.text(" FROM ");
    qualified(&mut writer, table.schema.as_deref(), &table.name);
    writer.text("; END IF; END $do$");
    Some(IndexStatement { name, sql: writer.finish_text() })
}

#[cfg(test)]
mod tests {
    use duet_model::shape::Folding;
    use duet_model::{CollectionIndex, DocumentField, IndexKind};

    use super::*;
    use crate::{Postgres, Sqlite};

    #[test]
    fn values_of_few_kinds_have_statistics_together() {
        let index = |path: &str, ty: Type| CollectionIndex {
            field: DocumentField {
                path: path.into(),
                ty,
                column: None,
                folding: Folding::Never,
                repeated: false,
                joined: None,
            },
            kind: IndexKind::Ordered,
            folding: None,
            own_name: None,
            then: Vec::new(),
            condition: None,
        };
        let labels = Type::Enum(vec!["a".to_owned()].into());
        let mut table = CollectionTable {
            name: "t".into(),
            indexes: vec![index("status", labels), index("title", Type::Text)],
            ..CollectionTable::default()
        };
        let postgres = Postgres { icu: true };
        assert_eq!(collection_statistics_statement(&postgres, &table), None);
        table.indexes.push(index("rush", Type::Boolean));
        let made = collection_statistics_statement(&postgres, &table).unwrap();
        assert_eq!(made.name, "t_values_stat");
        assert!(
            made.sql.contains("(mcv) ON (((CASE")
                && made.sql.ends_with("FROM \"t\"; END IF; END $do$"),
            "{}",
            made.sql
        );
        assert_eq!(collection_statistics_statement(&Sqlite, &table), None);
    }
}
