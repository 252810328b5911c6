//! Rows as lists of values: `INSERT … VALUES (…), (…)`. An engine that spreads tables over machines passes such a list on to
//! the machines of its rows; of rows that an `INSERT` of arrays returns it would first copy all to each machine.
//!
//! A list has one of a few sizes, so that few statements are prepared however many rows there are.

use std::sync::Arc;

use duet_model::Relation;
use duet_model::catalog::Placement;

use crate::dialect::Dialect;
use crate::writer::Writer;

/// How many rows a list has: as many lists as fit of the first size, the rest in those of the next.
pub const LIST_SIZES: [usize; 7] = [1_000, 500, 100, 50, 10, 5, 1];

/// The most values of a list of several rows: what each connection keeps prepared in the server's memory.
const VALUES: usize = 8_192;

/// The statements that insert rows as lists of values. The values of a row are parameters, behind those of the row before.
#[derive(Clone, Debug)]
pub struct RowLists {
    dialect: Arc<dyn Dialect>,
    /// What stands before the values, and behind them.
    around: [String; 2],
    /// How many values a row has.
    width: usize,
}

impl RowLists {
    /// How many rows the statements have that insert so many together.
    pub fn sizes(&self, rows: usize) -> impl Iterator<Item = usize> {
        let (mut left, width) = (rows, self.width);
        std::iter::from_fn(move || {
            let fits = |size: &usize| *size <= left && (*size == 1 || size * width <= VALUES);
            let size = LIST_SIZES.into_iter().find(fits)?;
            left -= size;
            Some(size)
        })
    }

    /// The statement that inserts so many rows.
    pub fn sql(&self, rows: usize) -> String {
        let mut sql = self.around[0].clone();
        for value in 0..rows * self.width {
            sql.push_str(match (value, value % self.width) {
                (0, _) => "(",
                (_, 0) => "), (",
                _ => ", ",
            });
            self.dialect.bare_placeholder(value + 1, &mut sql);
        }
        sql.push(')');
        sql.push_str(&self.around[1]);
        sql
    }
}

/// Whether rows of a table that come back, or replace others, are inserted as lists of values.
pub fn takes_lists(table: &Relation) -> bool {
    matches!(table.placement, Placement::Distributed { .. })
}

/// What inserts rows with values for these columns as lists, which `end` writes the end of; with `overriding`, values of
/// identity columns that are always generated are taken too. Values have the types of their columns.
pub(super) fn insert_lists(
    dialect: &dyn Dialect,
    table: &Relation,
    columns: &[usize],
    overriding: bool,
    end: impl FnOnce(&mut Writer<'_>),
) -> RowLists {
    let mut head = Writer::new(dialect);
    head.text("INSERT INTO ");
    head.relation(table);
    head.text(" (");
    head.list(columns, ", ", |head, &column| head.identifier(&table.columns[column].name));
    head.text(if overriding { ") OVERRIDING SYSTEM VALUE VALUES " } else { ") VALUES " });
    let mut tail = Writer::new(dialect);
    end(&mut tail);
    let around = [head.finish_text(), tail.finish_text()];
    RowLists { dialect: dialect.shared(), around, width: columns.len() }
}
