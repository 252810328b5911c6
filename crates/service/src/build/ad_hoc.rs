//! The mounts of a database that no application describes.

use duet_model::Catalog;
use duet_text::name;

use super::naming;
use crate::definition;
use crate::path::segment;
use crate::resources::routine;

/// A mount for every schema, below a path with the application's name if it is given.
pub(super) fn ad_hoc(
    catalog: &Catalog,
    name: Option<&str>,
    notes: &mut Vec<String>,
) -> Vec<(String, definition::Mount)> {
    let below =
        name.map_or("/api".to_owned(), |name| format!("/api/{}", segment(&name::served(name))));
    let of_tables = catalog.relations.iter().map(|relation| relation.schema.as_str());
    // A schema may have functions alone.
    let routines = catalog.routines.iter().filter(|routine| routine::is_served_unasked(routine));
    let mut schemas: Vec<&str> =
        of_tables.chain(routines.map(|routine| routine.schema.as_str())).collect();
    schemas.sort_unstable();
    schemas.dedup();
    let names = naming::name_schemas(&schemas, notes);
    let mount = |(schema, served): (&str, &str)| definition::Mount {
        path: format!("{below}/{}", segment(served)),
        schema: Some(schema.to_owned()),
        all_tables: true,
        ..definition::Mount::default()
    };
    let named = |schema: &str| name.map_or(schema.to_owned(), |name| format!("{name}/{schema}"));
    let served = schemas.into_iter().zip(&names);
    served.map(|(schema, served)| (named(schema), mount((schema, served)))).collect()
}
