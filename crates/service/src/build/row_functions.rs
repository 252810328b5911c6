//! Functions of a row of a table as columns of it, in profiles whose clients know them so. The database computes them with
//! the rights of the caller.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use duet_model::catalog::{GeneratedValue, RelationName, Routine};
use duet_model::{Catalog, Column, Type};

use crate::definition::Mount;
use crate::resources::routine;

/// The catalog with the functions of rows of a schema's relations, where functions are served.
pub(super) fn with<'c>(
    mut catalog: Cow<'c, Catalog>,
    mount: &Mount,
    schema: &str,
) -> Cow<'c, Catalog> {
    let mut found: BTreeMap<RelationName, Vec<Column>> = BTreeMap::new();
    for routine in routine::functions(&catalog, schema, mount) {
        let of = routine.row_of.as_ref().filter(|of| of.schema == schema);
        if let Some((of, column)) = of.zip(column_of(routine)) {
            found.entry(of.clone()).or_default().push(column);
        }
    }
    for (name, columns) in found {
        let place = catalog
            .relations
            .binary_search_by(|one| (&one.schema, &one.name).cmp(&(&name.schema, &name.name)));
        let Ok(place) = place else { continue };
        let table = &mut catalog.to_mut().relations[place];
        let new =
            columns.into_iter().filter(|new| table.columns.iter().all(|own| own.name != new.name));
        let new: Vec<Column> = new.collect();
        Arc::make_mut(table).columns.extend(new);
    }
    catalog
}

/// A function as a column; `None` where it gives rows, or nothing.
fn column_of(routine: &Routine) -> Option<Column> {
    let ty =
        routine.result.clone().filter(|_| !routine.returns_set && routine.rows_of.is_none())?;
    let declared = routine.returns.clone()?;
    let is_value = !matches!(ty, Type::Composite(_)) && declared != "record";
    is_value.then(|| Column {
        declared,
        generated: GeneratedValue::Computed,
        computed_by: Some(routine.volatility),
        ..Column::new(&routine.name, ty)
    })
}
