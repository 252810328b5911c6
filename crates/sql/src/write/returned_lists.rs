//! Rows of several documents as lists of values, of which each comes back to its document by its key.

use duet_model::catalog::GeneratedValue;
use duet_model::{ReadPlan, Relation, Type};

use crate::dialect::{Dialect, KeyStyle};
use crate::read::levels::returned;
use crate::write::insert::{draw, insert_row_returning};
use crate::write::lists::{RowLists, insert_lists, takes_lists};
use crate::writer::{Statement, Writer};

/// How the rows of several documents are inserted as lists of values and given back to them.
#[derive(Clone, Debug)]
pub struct ReturnedLists {
    /// The statements. What comes back are the columns of level 0 of the plan.
    pub lists: RowLists,
    /// What gives rows the parts of their keys that they do not have, which are then their last values.
    pub draw: Option<KeyDraw>,
    /// The positions of the values of a row that are its key, by which it is known when it comes back.
    pub key: Vec<usize>,
}

/// Draws parts of keys from their sequences.
#[derive(Clone, Debug)]
pub struct KeyDraw {
    /// How many parts a row lacks.
    pub parts: usize,
    /// The statement, which gives as many rows of them as its parameter says.
    pub statement: Statement,
}

/// Inserts rows with values for these columns as lists of values, and returns what level 0 of the plan reads of each, in no
/// order. The key of a row is given with it, or drawn from its sequences beforehand.
///
/// `None` where [`insert_row_returning`] gives none, for a table that does not [take lists](takes_lists), and where a part of the key is neither given nor drawn, or may come back in other bytes.
pub fn insert_lists_returning(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    columns: &[usize],
) -> Option<ReturnedLists> {
    insert_row_returning(dialect, plan, columns)?;
    let table = &plan.shape.root().table;
    let is_cast = columns.iter().any(|&column| table.columns[column].ty.domain_casts().is_some());
    if dialect.key_style() != KeyStyle::Arrays || !takes_lists(table) || is_cast {
        return None;
    }
    let mut all = columns.to_vec();
    let mut key = Vec::with_capacity(plan.shape.key.len());
    for part in &plan.shape.key {
        let at = all.iter().position(|column| column == part);
        key.push(at.unwrap_or(all.len()));
        let column = &table.columns[*part];
        let is_drawn = column.generated == GeneratedValue::Identity
            && matches!(column.ty, Type::Integer { .. });
        match at {
            Some(_) if column.ty.has_plain_equality() && !column.loose_equality => {}
            None if is_drawn => all.push(*part),
            Some(_) | None => return None,
        }
    }
    let drawn = &all[columns.len()..];
    let draw = (!drawn.is_empty())
        .then(|| KeyDraw { parts: drawn.len(), statement: drawing(dialect, table, drawn) });
    let end = |writer: &mut Writer<'_>| {
        writer.text(" RETURNING ");
        returned(writer, plan);
    };
    // Identity columns that are always generated take the drawn values, too.
    let lists = insert_lists(dialect, table, &all, !drawn.is_empty(), end);
    Some(ReturnedLists { lists, draw, key })
}

/// The next values of the sequences of some columns, as many rows of them as its parameter says.
fn drawing(dialect: &dyn Dialect, table: &Relation, columns: &[usize]) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.list(columns, ", ", |writer, &column| {
        draw(writer, table, column);
        writer.text("::int8");
    });
    writer.text(" FROM generate_series(1, ");
    writer.bind_one_key(0, &Type::Integer { bits: 64 }, "int8");
    writer.text(")");
    writer.finish()
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::Placement;
    use duet_model::{Column, Shape};

    use super::*;
    use crate::write::lists::LIST_SIZES;
    use crate::{Postgres, insert_rows_matched, one_key_statement};

    const POSTGRES: Postgres = Postgres { icu: false };

    fn table(placement: Placement) -> Relation {
        let declared = |name: &str, ty: Type, declared: &str| Column {
            declared: declared.to_owned(),
            ..Column::new(name, ty)
        };
        let columns = vec![
            declared("id", Type::Integer { bits: 32 }, "integer"),
            declared("up", Type::Uuid, "uuid"),
            declared("when", Type::Date, "date"),
        ];
        let mut table = Relation::table("s", "t\"t", columns);
        table.columns[0].generated = GeneratedValue::Identity;
        Relation { primary_key: vec![0, 1], placement, ..table }
    }

    fn spread() -> Relation {
        table(Placement::Distributed { column: "up".into(), group: 1 })
    }

    fn returning(table: Relation, key: &[usize], columns: &[usize]) -> Option<ReturnedLists> {
        let shape = Shape { key: key.to_vec(), ..Shape::of_relation(&table.into()) };
        insert_lists_returning(&POSTGRES, &ReadPlan::by_keys(shape.into()), columns)
    }

    #[test]
    fn rows_come_back_by_their_keys() {
        let given = returning(spread(), &[0, 1], &[2, 1, 0]).unwrap();
        assert_eq!((given.key, given.draw.is_none()), (vec![2, 1], true));
        assert_eq!(
            given.lists.sql(1),
            "INSERT INTO \"s\".\"t\"\"t\" (\"when\", \"up\", \"id\") VALUES ($1, $2, $3) \
             RETURNING 1, \"id\", \"up\", \"when\""
        );
        let drawn = returning(spread(), &[0, 1], &[1]).unwrap();
        assert_eq!(drawn.key, [1, 0]);
        assert_eq!(
            drawn.lists.sql(2),
            "INSERT INTO \"s\".\"t\"\"t\" (\"up\", \"id\") OVERRIDING SYSTEM VALUE VALUES ($1, $2), ($3, $4) \
             RETURNING 1, \"id\", \"up\", \"when\""
        );
        let draw = drawn.draw.unwrap();
        assert_eq!(
            (draw.parts, &*draw.statement.sql),
            (
                1,
                "SELECT nextval((SELECT pg_catalog.pg_get_serial_sequence($1::text, $2::text))::regclass)::int8 \
                 FROM generate_series(1, $3::int8)"
            )
        );
        assert!(returning(spread(), &[0, 1], &[0]).is_none(), "nothing gives a part of the key");
        assert!(returning(spread(), &[2], &[2]).is_none(), "dates may come back in other bytes");
    }

    /// One key that tells the machine is a value, which Citus passes on without planning; several are arrays, as elsewhere.
    #[test]
    fn one_key_is_a_value() {
        let one = |table: Relation, key: &[usize]| {
            let shape = Shape { key: key.to_vec(), ..Shape::of_relation(&table.into()) };
            let plan = ReadPlan::by_keys(shape.into());
            one_key_statement(&POSTGRES, &plan).map(|one| one.sql.to_string())
        };
        let sql = one(spread(), &[0, 1]);
        assert_eq!(
            sql.as_deref(),
            Some(
                "SELECT 1, t0.\"id\", t0.\"up\", t0.\"when\" FROM \"s\".\"t\"\"t\" AS t0 \
                 WHERE t0.\"id\" = $1::int8 AND t0.\"up\" = $2::uuid"
            )
        );
        assert_eq!(one(spread(), &[0]), None, "the key does not tell the machine");
        assert_eq!(one(table(Placement::Local), &[0, 1]), None);
        assert_eq!(one(table(Placement::Reference), &[0, 1]), None);
    }

    /// However many rows there are, they are sent by lists of a few sizes, none of which has many values.
    #[test]
    fn lists_have_few_sizes() {
        for columns in [1, 3, 30, 9_000] {
            let mut table = spread();
            table.columns = vec![table.columns[0].clone(); columns];
            let all: Vec<usize> = (0..columns).collect();
            let lists = returning(table, &[0], &all).unwrap().lists;
            for rows in [1, 7, 49, 50, 63, 1_000, 1_999, 4_321] {
                let sizes: Vec<usize> = lists.sizes(rows).collect();
                assert_eq!(sizes.iter().sum::<usize>(), rows);
                assert!(sizes.iter().all(|size| LIST_SIZES.contains(size)), "{sizes:?}");
                assert!(sizes.iter().all(|size| *size == 1 || size * columns <= 8_192));
            }
        }
        let lists = returning(spread(), &[0], &[0, 1]).unwrap().lists;
        assert_eq!(lists.sizes(1_666).collect::<Vec<_>>(), LIST_SIZES);
        assert!(lists.sql(10).contains("($19, $20)") && !lists.sql(10).contains("$21"));
    }

    /// What is not distributed is inserted as before.
    #[test]
    fn other_rows_are_arrays() {
        let placements = [Placement::Local, Placement::Reference, Placement::Single { group: 1 }];
        for placement in placements {
            assert!(returning(table(placement.clone()), &[0, 1], &[0, 1]).is_none());
            let plan = ReadPlan::by_keys(Shape::of_relation(&table(placement).into()).into());
            assert!(insert_rows_matched(&POSTGRES, &plan, &[0, 1]).is_some());
        }
    }
}
