//! The statement that inserts a row of one table whole and gives it back as it is then read.

use duet_model::{ReadPlan, Root};

use crate::dialect::Dialect;
use crate::read::returned;
use crate::writer::{Statement, Writer};

/// Inserts one row with values for these columns, and returns what level 0 of the plan reads of it.
/// The values are [`Parameter::Key`](crate::Parameter::Key)s, a part for each column, given when it
/// runs. Rows of several requests are several statements: the order in which one statement returns
/// many rows is promised by no engine, so nothing would say whose row is whose.
///
/// `None` where the plan reads more than the row itself, or not by key, or no column is given.
pub fn insert_row_returning(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
) -> Option<Statement> {
    let root = plan.shape.root();
    let alone = plan.levels.len() == 1 && plan.levels[0].joined.is_empty();
    if plan.root != Root::Keys || !alone || root.filter.is_some() || columns.is_empty() {
        return None;
    }
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.relation(&root.table);
    writer.text(" (");
    writer.list(columns, ", ", |writer, &column| {
        writer.identifier(&root.table.columns[column].name);
    });
    writer.text(") VALUES (");
    writer.list(columns.iter().enumerate(), ", ", |writer, (part, &column)| {
        writer.assign_part(part, &root.table.columns[column].ty);
    });
    writer.text(") RETURNING ");
    returned(&mut writer, plan);
    Some(writer.finish())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::{
        Column, ColumnMember, Member, MemberKind, Node, Operations, Relation, RelationKind, Shape,
        Type,
    };

    use super::*;
    use crate::{Postgres, Sqlite, lock_statements};

    fn plan() -> ReadPlan {
        let declared = |name: &str, ty: Type, declared: &str| Column {
            declared: declared.to_owned(),
            ..Column::new(name, ty)
        };
        let tags = Type::Array(Box::new(Type::Text));
        let relation = Relation {
            schema: "s".into(),
            name: "t\"t".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![
                declared("id", Type::Integer { bits: 32 }, "integer"),
                declared("when", Type::Date, "date"),
                declared("tags", tags, "character varying(3)[]"),
            ],
            primary_key: vec![0, 1],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: true,
            plain: false,
        };
        let member = |column| Member {
            name: format!("c{column}"),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let node = Node {
            table: Arc::new(relation),
            link: None,
            members: (0..3).map(member).collect(),
            filter: None,
            check_option: false,
            operations: Operations::default(),
        };
        let shape = Shape { name: "t".into(), nodes: vec![node], key: vec![0, 1], metadata: false };
        ReadPlan::by_keys(Arc::new(shape))
    }

    #[test]
    fn statements() {
        let plan = plan();
        let every = insert_row_returning(&Postgres { icu: false }, &plan, &[0, 1, 2]).unwrap();
        assert_eq!(
            every.sql,
            "INSERT INTO \"s\".\"t\"\"t\" (\"id\", \"when\", \"tags\") \
             VALUES ($1, $2, $3) RETURNING 1, \"id\", \"when\", \"tags\""
        );
        let one = insert_row_returning(&Sqlite, &plan, &[2]).unwrap();
        assert_eq!(
            one.sql,
            "INSERT INTO \"s\".\"t\"\"t\" (\"tags\") VALUES (?1) \
             RETURNING 1, \"id\", \"when\", \"tags\""
        );
        assert_eq!(insert_row_returning(&Sqlite, &plan, &[]), None);
    }

    #[test]
    fn locks() {
        let plan = plan();
        assert!(lock_statements(&Sqlite, &plan).is_empty());
        let locks = lock_statements(&Postgres { icu: false }, &plan);
        assert_eq!(
            locks[0].sql,
            "SELECT 1 FROM unnest($1::int8[], $2::date[]) WITH ORDINALITY AS k(k0, k1, ord) \
             JOIN \"s\".\"t\"\"t\" AS t0 ON t0.\"id\" = k.k0 AND t0.\"when\" = k.k1 WHERE TRUE \
             ORDER BY t0.\"id\", t0.\"when\" FOR NO KEY UPDATE OF t0"
        );
        assert_eq!(locks.len(), 1);
    }
}
