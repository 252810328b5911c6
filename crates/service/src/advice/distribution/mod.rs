//! How an application's tables may be distributed by Citus: which are distributed together, and which are everywhere.
//!
//! One table is distributed by its key, and with it those whose rows refer to it by a column that is never NULL: their rows
//! are then on the machine of the row that they refer to. All others become reference tables, which each machine has whole.
//! Of all tables that may be the first, the one is taken whose group has the most rows; among equal ones, that by which the
//! most resources keep their documents whole.

mod script;

use std::collections::BTreeMap;
use std::sync::Arc;

use duet_model::catalog::{ForeignKey, OnDelete, Placement, RelationKind};
use duet_model::promise::{Promise, Promises};
use duet_model::{Relation, Shape};

/// The name of a table, with its schema.
type TableName<'a> = (&'a str, &'a str);

/// The group that proposals distribute.
const GROUP: u32 = 1;

/// A proposal.
#[derive(Debug)]
pub struct Distribution<'a> {
    /// All tables of the application.
    tables: BTreeMap<TableName<'a>, &'a Arc<Relation>>,
    /// The distribution columns of those that are distributed.
    columns: BTreeMap<TableName<'a>, usize>,
    /// The table that the others follow.
    first: Option<TableName<'a>>,
}

/// What a resource would promise.
#[derive(Debug)]
pub struct ProposedResource<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its promises; `None` without tables that are spread.
    pub promises: Option<Promises>,
}

impl<'a> Distribution<'a> {
    /// Proposes a distribution for resources of these shapes.
    pub fn propose(shapes: &[&'a Shape]) -> Self {
        let nodes = shapes.iter().flat_map(|shape| &shape.nodes).map(|node| &node.table);
        let own = nodes.filter(|table| table.kind == RelationKind::Table && table.query.is_none());
        let tables: BTreeMap<_, _> = own.map(|table| (name_of(table), table)).collect();
        let mut best = Self { tables, columns: BTreeMap::new(), first: None };
        let mut most = None;
        let names: Vec<_> = best.tables.keys().copied().collect();
        for name in names {
            let Some(columns) = best.group(name) else { continue };
            let other = Self { tables: best.tables.clone(), columns, first: Some(name) };
            let worth = other.worth(shapes);
            if most.is_none_or(|most| worth > most) {
                (best, most) = (other, Some(worth));
            }
        }
        best
    }

    /// The tables that are distributed with this one by its key, with their columns.
    fn group(&self, first: TableName<'a>) -> Option<BTreeMap<TableName<'a>, usize>> {
        let [key] = self.tables[&first].primary_key[..] else { return None };
        let mut columns = BTreeMap::from([(first, key)]);
        loop {
            let more = self.tables.iter().find_map(|(name, table)| {
                let mut own = table.foreign_keys.iter().filter(|_| !columns.contains_key(name));
                own.find_map(|link| Some((*name, follows(&columns, &self.tables, table, link)?)))
            });
            let Some((name, column)) = more else { return Some(columns) };
            columns.insert(name, column);
        }
    }

    /// What the choice depends on: the rows that are distributed, the resources whose documents are whole and can be
    /// written, the tables.
    fn worth(&self, shapes: &[&Shape]) -> (u64, usize, usize) {
        let rows = self.columns.keys().filter_map(|name| self.tables[name].estimated_rows).sum();
        let is_whole = |shape: &&&Shape| {
            let promises = self.promises(shape);
            promises.is_none_or(|all| all.keeps(Promise::Document) && all.keeps(Promise::Locked))
        };
        (rows, shapes.iter().filter(is_whole).count(), self.columns.len())
    }

    /// What a resource would promise.
    pub fn promises(&self, shape: &Shape) -> Option<Promises> {
        let mut placed = shape.clone();
        for node in &mut placed.nodes {
            let placement = self.placement(&node.table);
            let table = Arc::make_mut(&mut node.table);
            table.placement = placement;
            // Rows are found by the key that the table gets.
            if let Some(key) = self.wider_key(table) {
                table.primary_key = key;
            }
        }
        Promises::of(&placed)
    }

    fn placement(&self, table: &Relation) -> Placement {
        if table.kind != RelationKind::Table {
            return if self.first.is_some() { Placement::Mixed } else { Placement::Reference };
        }
        match self.columns.get(&name_of(table)) {
            Some(&column) => {
                Placement::Distributed { column: table.columns[column].name.clone(), group: GROUP }
            }
            None => Placement::Reference,
        }
    }

    /// The key of a table with its distribution column, where that is no part of it.
    fn wider_key(&self, table: &Relation) -> Option<Vec<usize>> {
        let column = *self.columns.get(&name_of(table))?;
        let key = &table.primary_key;
        (!key.is_empty() && !key.contains(&column))
            .then(|| key.iter().copied().chain([column]).collect())
    }

    /// Whether Citus keeps a link: between rows of one machine, or to a table that each machine has.
    fn keeps(&self, table: &Relation, link: &ForeignKey) -> bool {
        let target = (link.references_schema.as_str(), link.references_table.as_str());
        let Some(referred) = self.tables.get(&target) else { return false };
        let (own, above) = (self.columns.get(&name_of(table)), self.columns.get(&target));
        match (own, above) {
            (_, None) => match own {
                // What it is distributed by cannot be set to NULL.
                Some(column) => {
                    link.on_delete != OnDelete::Unlink || !link.columns.contains(column)
                }
                None => true,
            },
            (None, Some(_)) => false,
            (Some(own), Some(above)) => {
                let mut pairs = link.columns.iter().zip(&link.references_columns);
                let name = &referred.columns[*above].name;
                let is_near = pairs.any(|(column, referred)| column == own && referred == name);
                is_near && self.wider_key(referred).is_none() && link.on_delete != OnDelete::Unlink
            }
        }
    }

    /// The statements, with comments that say what becomes of keys, links and promises.
    pub fn script(&self, application: &str, resources: &[(&str, &Shape)]) -> String {
        let proposed = resources
            .iter()
            .map(|(name, shape)| ProposedResource { name, promises: self.promises(shape) });
        script::write(self, application, &proposed.collect::<Vec<_>>())
    }
}

/// The column by which a table's rows follow those that one of its links leads to.
fn follows(
    columns: &BTreeMap<TableName<'_>, usize>,
    tables: &BTreeMap<TableName<'_>, &Arc<Relation>>,
    table: &Relation,
    link: &ForeignKey,
) -> Option<usize> {
    let target = (link.references_schema.as_str(), link.references_table.as_str());
    let above = columns.get(&target)?;
    let name = &tables.get(&target)?.columns[*above].name;
    let position = link.references_columns.iter().position(|column| column == name)?;
    let column = *link.columns.get(position)?;
    let (own, referred) = (&table.columns[column], &tables.get(&target)?.columns[*above]);
    // Equal values of other types are kept elsewhere.
    (own.not_null && own.declared == referred.declared).then_some(column)
}

fn name_of(table: &Relation) -> TableName<'_> {
    (&table.schema, &table.name)
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::{Column, Index, UniqueKey};
    use duet_model::shape::{Cardinality, Link, Node};
    use duet_model::{Shape, Type};

    use super::*;

    fn column(name: &str, not_null: bool) -> Column {
        Column {
            not_null,
            declared: "integer".to_owned(),
            ..Column::new(name, Type::Integer { bits: 32 })
        }
    }

    fn link(name: &str, column: usize, table: &str) -> ForeignKey {
        ForeignKey {
            name: name.to_owned(),
            columns: vec![column],
            references_schema: "public".to_owned(),
            references_table: table.to_owned(),
            references_columns: vec!["id".to_owned()],
            on_delete: OnDelete::Refuse,
        }
    }

    fn table(name: &str, columns: Vec<Column>, links: Vec<ForeignKey>, rows: u64) -> Arc<Relation> {
        let key = Index { name: format!("{name}_pkey"), unique: true, columns: vec![0], ..index() };
        Arc::new(Relation {
            foreign_keys: links,
            indexes: vec![key],
            estimated_rows: Some(rows),
            ..Relation::table("public", name, columns)
        })
    }

    fn index() -> Index {
        Index {
            name: String::new(),
            columns: Vec::new(),
            unique: false,
            method: "btree".to_owned(),
            deferred: false,
            deferrable: false,
            nulls_equal: false,
            prefixes: None,
            part: None,
        }
    }

    /// Teams, drivers who may have none, and their results in races.
    fn tables() -> [Arc<Relation>; 4] {
        let key = || column("id", true);
        let team = table("team", vec![key()], Vec::new(), 10);
        let to_team = link("driver_fk", 1, "team");
        let mut driver = table("driver", vec![key(), column("team", false)], vec![to_team], 100);
        Arc::make_mut(&mut driver).unique_keys =
            vec![UniqueKey { name: "driver_team_key".to_owned(), columns: vec![1] }];
        let race = table("race", vec![key()], Vec::new(), 20);
        let links = vec![link("result_fk1", 1, "race"), link("result_fk2", 2, "driver")];
        let columns = vec![key(), column("race", true), column("driver", true)];
        [team, driver, race, table("result", columns, links, 1_000)]
    }

    /// A document of a driver with the results.
    fn driver_dv(driver: &Arc<Relation>, result: &Arc<Relation>) -> Shape {
        let mut shape = Shape::of_relation(driver);
        let link = Link {
            parent: 0,
            parent_columns: vec![0],
            child_columns: vec![2],
            cardinality: Cardinality::Many,
        };
        let [node] = <[Node; 1]>::try_from(Shape::of_relation(result).nodes).unwrap();
        shape.nodes.push(Node { link: Some(link), ..node });
        shape
    }

    #[test]
    fn tables_of_most_rows_are_distributed_together() {
        let tables = tables();
        let own: Vec<Shape> = tables.iter().map(Shape::of_relation).collect();
        let documents = driver_dv(&tables[1], &tables[3]);
        let mut shapes: Vec<&Shape> = own.iter().collect();
        shapes.push(&documents);
        let proposal = Distribution::propose(&shapes);
        // Teams are no first table: drivers may have none.
        assert_eq!(proposal.first, Some(("public", "driver")));
        let columns: Vec<_> = proposal.columns.iter().map(|(name, at)| (name.1, *at)).collect();
        assert_eq!(columns, [("driver", 0), ("result", 2)]);
        let promises = proposal.promises(&documents).unwrap();
        assert!(promises.keeps(Promise::Document) && !promises.keeps(Promise::Page));
        let resources = [("driver", &own[1]), ("driver_dv", &documents)];
        let script = proposal.script("racing", &resources);
        for line in [
            "-- driver_dv: atomic, locked, document. A page may be torn: its documents may be of different moments.",
            "-- Distributed by id of public.driver.",
            "-- No longer unique: driver_team_key of public.driver.",
            "-- The key of public.result becomes (\"id\", \"driver\"): its items get other addresses.",
            "ALTER TABLE \"public\".\"result\" DROP CONSTRAINT \"result_pkey\", ADD PRIMARY KEY (\"id\", \"driver\");",
            "SELECT create_reference_table('\"public\".\"race\"');",
            "SELECT create_distributed_table('\"public\".\"driver\"', 'id', colocate_with := 'none');",
            "SELECT create_distributed_table('\"public\".\"result\"', 'driver', colocate_with := '\"public\".\"driver\"');",
        ] {
            assert!(script.lines().any(|own| own == line), "{line}\n{script}");
        }
        assert!(!script.contains("No longer checked"), "{script}");
    }

    /// A link from a table that all machines have to one that they do not is no longer checked.
    #[test]
    fn links_into_distributed_tables_are_declared_only() {
        let mut tables = tables();
        Arc::make_mut(&mut tables[2]).foreign_keys = vec![link("race_winner", 0, "driver")];
        Arc::make_mut(&mut tables[2]).columns[0].not_null = false;
        let own: Vec<Shape> = tables.iter().map(Shape::of_relation).collect();
        let script =
            Distribution::propose(&own.iter().collect::<Vec<_>>()).script("racing\n;", &[]);
        assert!(
            script.contains("-- No longer checked: the link race_winner of public.race."),
            "{script}"
        );
        assert!(script.contains("(VALUES ('\"public\".\"race\"', 'race_winner'))"), "{script}");
        assert!(script.starts_with("-- A distribution of racing ; for Citus"), "{script}");
    }
}
