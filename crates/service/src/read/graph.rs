//! The tables of a mount's schema with their keys and references, for people who design with them.

use duet_model::{Catalog, RelationKind};

use crate::build::snapshot::{declared_mounts, schema_of};
use crate::hosting::service::Service;

/// A table, by the names that the database has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaTable {
    /// Its name.
    pub name: String,
    /// The columns of its primary key.
    pub key: Vec<String>,
    /// What it refers to within the schema.
    pub references: Vec<TableReference>,
}

/// A reference of a table to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableReference {
    /// The columns that refer.
    pub columns: Vec<String>,
    /// The table that they refer to.
    pub table: String,
    /// Its columns.
    pub references: Vec<String>,
}

impl Service {
    /// The tables of the schema of the mount of a path; `None` where there is no such mount.
    pub fn schema_tables(&self, path: &str) -> Option<Vec<SchemaTable>> {
        let (application, catalog) = (self.application(), self.built_from());
        let mut declared = declared_mounts(&application, &catalog, &mut Vec::new()).into_iter();
        let (_, mount) = declared.find(|(_, mount)| mount.paths().any(|it| it == path))?;
        let schema = schema_of(&mount, &catalog, self.store().dialect());
        Some(tables(&catalog, &schema))
    }
}

fn tables(catalog: &Catalog, schema: &str) -> Vec<SchemaTable> {
    let all = catalog.relations_of(schema).iter();
    let all = all.filter(|relation| relation.kind == RelationKind::Table).map(|relation| {
        let names = |columns: &[usize]| -> Vec<String> {
            columns.iter().map(|at| relation.columns[*at].name.clone()).collect()
        };
        let within = relation.foreign_keys.iter().filter(|key| key.references_schema == schema);
        let references = within.map(|key| TableReference {
            columns: names(&key.columns),
            table: key.references_table.clone(),
            references: key.references_columns.clone(),
        });
        SchemaTable {
            name: relation.name.clone(),
            key: names(&relation.primary_key),
            references: references.collect(),
        }
    });
    all.collect()
}
