//! How an application's tables may be distributed by Citus: which are distributed together, and which are everywhere.
//!
//! One table is distributed by its key, and with it those whose rows refer to it by a column that is never NULL: their rows
//! are then on the machine of the row that they refer to. All others become reference tables, which each machine has whole.
//! Of all tables that may be the first, the one is taken whose group has the most rows; among equal ones, that by which the
//! most resources keep their documents whole. None is taken by which Citus could not keep a link that a document is joined
//! by: its resource would not be served any more.

mod choice;
mod script;

pub use choice::{DistributedResource, Distribution};

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::catalog::{Column, ForeignKey, Index, OnDelete, Relation, UniqueKey};
    use duet_model::promise::Promise;
    use duet_model::shape::{Cardinality, Link, Node};
    use duet_model::{Shape, Type};

    use super::choice::TableName;
    use super::*;

    fn table_name(name: &str) -> TableName<'_> {
        TableName { schema: "public", name }
    }

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
        Arc::make_mut(&mut driver).unique_keys = vec![UniqueKey {
            name: "driver_team_key".to_owned(),
            columns: vec![1],
            is_declared: false,
        }];
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
        assert_eq!(proposal.first, Some(table_name("driver")));
        let columns: Vec<_> = proposal.columns.iter().map(|(name, at)| (name.name, *at)).collect();
        assert_eq!(columns, [("driver", 0), ("result", 2)]);
        let promises = proposal.promises(&documents).unwrap();
        assert!(promises.keeps(Promise::Document) && !promises.keeps(Promise::Page));
        let resource = |name, shape| DistributedResource { name, shape, keeps_key: false };
        let result = resource("result", &own[3]);
        let declared = DistributedResource { name: "declared", keeps_key: true, ..result };
        let resources =
            [resource("driver", &own[1]), resource("driver_dv", &documents), result, declared];
        let script = proposal.script("racing", &resources);
        for line in [
            "-- driver_dv: atomic, locked, document. A page may be torn: its documents may be of different moments.",
            "-- result: atomic, locked, document. A page may be torn: its documents may be of different moments.",
            "-- declared: atomic, document. The rows of a document cannot be locked together: writes that need it get DUET-6017. A page may be torn: its documents may be of different moments.",
            "-- Distributed by id of public.driver.",
            "-- No longer unique: driver_team_key of public.driver.",
            "-- The key of public.result becomes (\"id\", \"driver\"): its items get other addresses, unless app.toml has [resources.result] with key = [\"id\"].",
            "ALTER TABLE \"public\".\"result\" DROP CONSTRAINT \"result_pkey\", ADD PRIMARY KEY (\"id\", \"driver\");",
            "SELECT create_reference_table('\"public\".\"race\"');",
            "SELECT create_distributed_table('\"public\".\"driver\"', 'id', colocate_with := 'none');",
            "SELECT create_distributed_table('\"public\".\"result\"', 'driver', colocate_with := '\"public\".\"driver\"');",
        ] {
            assert!(script.lines().any(|own| own == line), "{line}\n{script}");
        }
        assert!(!script.contains("No longer checked"), "{script}");
    }

    /// A table is not distributed where a document is joined by a link from one that all machines have.
    #[test]
    fn documents_keep_the_links_that_they_are_joined_by() {
        let mut tables = tables();
        Arc::make_mut(&mut tables[3]).columns[2].not_null = false;
        Arc::make_mut(&mut tables[3]).columns[1].not_null = false;
        let documents = driver_dv(&tables[1], &tables[3]);
        let proposal = Distribution::propose(&[&documents]);
        // Neither can be first: results without a driver are everywhere, and drivers are then not.
        assert_eq!(proposal.first, Some(table_name("result")));
        let promises = proposal.promises(&documents).unwrap();
        assert!(!promises.keeps(Promise::Document));
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
