//! Related rows that a function gives for the row around them, as a table that has the key of that row in its columns.

use std::sync::Arc;

use duet_filter::postgrest::Embed;
use duet_model::catalog::Derivation;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::{Column, Place, Relation, RelationKind, Result};
use duet_sql::{RowFunction, row_function_query};

use crate::build::mount::Mount;
use crate::resources::resource::Resource;
use crate::resources::routine::RoutineResource;

/// What the columns with the key are called.
const KEY: &str = "pgrst_key";

/// The rows that a function gives for those of a resource.
pub(super) struct GivenRows<'a> {
    /// The resource whose rows these are.
    pub(super) resource: &'a Arc<Resource>,
    /// What is read in its place.
    pub(super) table: Arc<Relation>,
    /// The columns of the key of the row around them.
    pub(super) key: Vec<usize>,
    one_row: bool,
}

impl<'a> GivenRows<'a> {
    /// Those of a function that takes a row of `origin`.
    ///
    /// # Errors
    /// Where the rows are of no table that is served, and where that of `origin` is not known by a key.
    pub(super) fn of(
        mount: &'a Mount,
        origin: &Resource,
        embed: &Embed,
        function: &RoutineResource,
    ) -> Result<Self> {
        let place = || Place::Parameter("select".to_owned());
        let of = function.routine.rows_of.as_ref();
        let Some(resource) = of.and_then(|of| mount.given_rows(of)) else {
            let message = format!(
                "Could not find a relationship between '{}' and '{}' in the schema cache",
                origin.name, embed.name
            );
            return Err(PostgrestCode::NoRelationship.error(message).at(place()));
        };
        let around = &origin.shape.root().table;
        let key = around.identity().to_vec();
        if key.is_empty() || around.query.is_some() {
            return Err(PostgrestGap::RowWithoutKey.refusal(embed.key()).at(place()));
        }
        let made = || table(origin, resource, function, &key);
        let table = function.row_table(made);
        Ok(Self { resource, table, key, one_row: function.routine.one_row })
    }

    /// Whether there may be many for one row.
    pub(super) fn is_many(&self) -> bool {
        !self.one_row
    }

    /// The columns with the key of the row around them, which are the last ones.
    pub(super) fn key_columns(&self) -> Vec<usize> {
        let end = self.table.columns.len();
        (end - self.key.len()..end).collect()
    }
}

/// What a function gives for all rows, with their keys.
fn table(
    origin: &Resource,
    resource: &Resource,
    function: &RoutineResource,
    key: &[usize],
) -> Relation {
    let (around, given) = (&origin.shape.root().table, &resource.shape.root().table);
    let own = given.columns.iter().filter(|column| column.computed_by.is_none());
    let mut columns: Vec<Column> = own.cloned().collect();
    let names: Vec<String> = (0..key.len()).map(|at| format!("{KEY}_{at}")).collect();
    let row_function = RowFunction {
        routine: &function.routine,
        of: around,
        key,
        columns: &columns,
        names: &names,
    };
    let query = row_function_query(origin.dialect(), &row_function);
    let key_column = |(&at, name): (&usize, &String)| Column {
        name: name.clone(),
        alias: Some(name.clone()),
        ..around.columns[at].clone()
    };
    columns.extend(key.iter().zip(&names).map(key_column));
    let name = function.routine.name.clone();
    Relation {
        primary_key: given.primary_key.clone(),
        kind: RelationKind::View,
        query: Some(Derivation::Statement(Arc::new(query))),
        ..Relation::table("", &name, columns)
    }
}
