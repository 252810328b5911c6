//! The tables that a database has already, as a design begins with them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use duet_model::catalog::TableRef;
use duet_model::{Catalog, RelationKind, steps};

use crate::commands::drafts::infer::design::{Column, Design, Reference, StoredTable, Table};
use crate::commands::drafts::infer::entities::{Home, Homes};
use crate::commands::drafts::infer::names::{Names, singular};
use crate::commands::drafts::infer::values::ColumnType;
use crate::commands::drafts::init::{names::snake_case, without_schema};

/// What there is.
pub(super) struct Known {
    /// Its tables and views, as if their schema were the only one.
    pub(super) catalog: Catalog,
    /// The tables alone.
    pub(super) design: Design,
    /// The names of all of them, and of their indexes.
    pub(super) names: Names,
    /// The tables that sub-objects may be rows of.
    pub(super) homes: Homes,
    /// The positions of the tables by their names.
    pub(super) tables: HashMap<String, usize>,
}

impl Known {
    /// The tables of one schema.
    pub(super) fn of(catalog: &Catalog, schema: &str) -> Self {
        let own = catalog.relations_of(schema).iter();
        let relations: Vec<TableRef> =
            own.map(|relation| Arc::new(without_schema(relation, schema))).collect();
        let (mut design, mut names) = (Design::default(), Names::default());
        let (mut tables, mut homes) = (HashMap::new(), Homes::new());
        for relation in &relations {
            steps::step();
            names.take(&relation.name);
            relation.indexes.iter().for_each(|index| names.take(&index.name));
            if relation.kind != RelationKind::Table {
                continue;
            }
            let table = design.tables.len();
            tables.insert(relation.name.clone(), table);
            design.tables.push(stored(relation));
            if let [key] = relation.identity() {
                let key = relation.columns[*key].name.clone();
                // Of several tables of one name in the singular the first is it.
                homes.entry(singular(&snake_case(&relation.name))).or_insert(Home { table, key });
            }
        }
        for (table, relation) in
            relations.iter().filter_map(|one| Some((*tables.get(&one.name)?, one)))
        {
            let references = references(relation, &tables);
            for reference in references.iter().filter(|one| one.table != table) {
                let child = (singular(&snake_case(&relation.name)), relation.name.clone());
                if let Some(parent) = &mut design.tables[reference.table].stored {
                    parent.children.insert(child.0, child.1);
                }
            }
            let table = &mut design.tables[table];
            if let Some(stored) = &mut table.stored {
                stored.references = references.len();
            }
            table.references = references;
        }
        let catalog = Catalog { relations, ..Catalog::default() };
        Self { catalog, design, names, homes, tables }
    }
}

fn stored(relation: &TableRef) -> Table {
    let mut names = Names::default();
    let column = |column: &duet_model::Column| {
        names.take(&column.name);
        Column {
            name: column.name.clone(),
            // Its own type is the declared one.
            ty: ColumnType::Text,
            not_null: column.not_null,
            comment: String::new(),
            declared: Some(column.declared.clone()),
        }
    };
    let columns: Vec<Column> = relation.columns.iter().map(column).collect();
    let key = relation.identity().iter().map(|&at| relation.columns[at].name.clone()).collect();
    Table {
        name: relation.name.clone(),
        stored: Some(StoredTable {
            relation: Arc::clone(relation),
            columns: columns.len(),
            references: 0,
            shown: HashSet::new(),
            added: HashMap::new(),
            children: HashMap::new(),
        }),
        columns,
        key,
        names,
        ..Table::default()
    }
}

/// The foreign keys to other tables of the schema.
fn references(relation: &TableRef, tables: &HashMap<String, usize>) -> Vec<Reference> {
    let of = |key: &duet_model::ForeignKey| {
        steps::step();
        let columns = key.columns.iter().map(|&at| relation.columns[at].name.clone()).collect();
        Some(Reference { columns, table: *tables.get(&key.references_table)? })
    };
    relation.foreign_keys.iter().filter_map(of).collect()
}
