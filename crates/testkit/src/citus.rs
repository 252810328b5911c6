//! What a database with Citus says of its tables, for tests on plain PostgreSQL: the same catalog, and tables that are
//! like others. Citus itself is tried by `just trial-citus`.

/// A table as Citus has it in `pg_dist_partition`.
#[derive(Clone, Copy, Debug)]
pub struct SpreadTable<'a> {
    /// The table, as SQL spells it.
    pub table: &'a str,
    /// The distribution column; `None` where there is none.
    pub column: Option<&'a str>,
    /// Whether all machines have all rows.
    pub is_reference: bool,
    /// The co-location group.
    pub group: u32,
}

impl<'a> SpreadTable<'a> {
    /// A reference table.
    pub fn reference(table: &'a str) -> Self {
        Self { table, column: None, is_reference: true, group: 1 }
    }

    /// A table that is distributed by a column.
    pub fn distributed(table: &'a str, column: &'a str, group: u32) -> Self {
        Self { table, column: Some(column), is_reference: false, group }
    }
}

/// The statements that make such a catalog, by a superuser.
pub fn catalog(tables: &[SpreadTable<'_>]) -> String {
    let row = |one: &SpreadTable<'_>| {
        let (method, model) = (
            if one.column.is_some() { 'h' } else { 'n' },
            if one.is_reference { 't' } else { 's' },
        );
        let column = one.column.map_or("NULL".to_owned(), |column| format!("'{column}'"));
        format!("('{}', '{method}', {column}, {}, '{model}')", one.table, one.group)
    };
    let rows: Vec<String> = tables.iter().map(row).collect();
    format!("{CATALOG} INSERT INTO pg_catalog.pg_dist_partition VALUES {};", rows.join(", "))
}

const CATALOG: &str = "SET allow_system_table_mods = on;
    CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod \"char\", partkey text,
      colocationid integer, repmodel \"char\");
    CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2';
    RESET allow_system_table_mods;";

/// The same catalog for all tables that are made from now on: each is distributed by the first column of its key.
pub fn every_table() -> String {
    format!(
        "{CATALOG}
         CREATE FUNCTION pg_catalog.duet_test_spread() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
           INSERT INTO pg_catalog.pg_dist_partition
             SELECT x.indrelid, 'h', a.attname, x.indrelid::bigint::integer, 's'
               FROM pg_event_trigger_ddl_commands() d
               JOIN pg_index x ON x.indrelid = d.objid AND x.indisprimary
               JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
              WHERE d.object_type = 'table' AND d.schema_name <> 'duet'
             ON CONFLICT DO NOTHING; END $$;
         CREATE EVENT TRIGGER duet_test_spread ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE')
           EXECUTE FUNCTION pg_catalog.duet_test_spread();"
    )
}
