//! The statements of a proposal.

use std::fmt::Write as _;

use duet_model::Relation;
use duet_model::promise::Promises;

use super::choice::{DistributedResource, Distribution, TableName, name_of};

/// Keeps the links of the tables aside: they are in the way of keys that become wider.
const SAVE: &str = "CREATE TEMPORARY TABLE duet_link ON COMMIT DROP AS
  SELECT k.conrelid::regclass AS tbl, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k
   WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid = ANY (ARRAY[{tables}]::regclass[]);
DO $$ DECLARE link record; BEGIN
  FOR link IN SELECT * FROM duet_link LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', link.tbl, link.name);
  END LOOP;
END $$;
";

/// Notes where the sequences of identity columns are: Citus makes them again, from their beginning.
const SAVE_SEQUENCES: &str = "CREATE TEMPORARY TABLE duet_sequence (tbl text, col text, reached bigint, called boolean) ON COMMIT DROP;
DO $$ DECLARE own record; BEGIN
  FOR own IN SELECT attrelid::regclass::text AS tbl, attname AS col,
                    pg_get_serial_sequence(attrelid::regclass::text, attname) AS sequence
               FROM pg_attribute
              WHERE attidentity <> '' AND NOT attisdropped AND attrelid = ANY (ARRAY[{tables}]::regclass[]) LOOP
    EXECUTE format('INSERT INTO duet_sequence SELECT %L, %L, last_value, is_called FROM %s', own.tbl, own.col, own.sequence);
  END LOOP;
END $$;
";

/// Lets them go on from there.
const RESTORE_SEQUENCES: &str =
    "SELECT setval(pg_get_serial_sequence(tbl, col), reached, called) FROM duet_sequence;
";

/// Makes those again that are kept.
const RESTORE: &str = "DO $$ DECLARE link record; BEGIN
  FOR link IN SELECT * FROM duet_link WHERE NOT EXISTS
    (SELECT FROM (VALUES {dropped}) AS dropped(t, n) WHERE t::regclass = tbl AND n = name) LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', link.tbl, link.name, link.definition);
  END LOOP;
END $$;
";

/// What a resource would promise.
struct ProposedResource<'a> {
    /// Its name.
    name: &'a str,
    /// Its promises; `None` without tables that are spread.
    promises: Option<Promises>,
}

impl Distribution<'_> {
    /// The statements, with comments that say what becomes of keys, links and promises.
    pub fn script(&self, application: &str, resources: &[DistributedResource<'_>]) -> String {
        let proposed = resources.iter().map(|resource| ProposedResource {
            name: resource.name,
            promises: self.promises_of(*resource),
        });
        write(self, application, &proposed.collect::<Vec<_>>())
    }
}

fn write(
    proposal: &Distribution<'_>,
    application: &str,
    resources: &[ProposedResource<'_>],
) -> String {
    let mut text = format!(
        "-- A distribution of {} for Citus, by `duet check --engine citus`.\n-- Run it on the coordinator, in a copy of the database first.\n",
        comment(application)
    );
    // Writing to a String cannot fail.
    for ProposedResource { name, promises } in resources {
        let Some(promises) = promises else { continue };
        let names: Vec<&str> =
            promises.all().filter_map(|(words, kept)| kept.then_some(words.name)).collect();
        let line = format!("-- {}: {}. {}", comment(name), names.join(", "), promises.broken());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let mut estimates = proposal.tables.values().map(|table| table.estimated_rows.unwrap_or(0));
    if estimates.all(|rows| rows == 0) {
        text.push_str(
            "-- How many rows tables have is not known: run ANALYZE, so that the largest are distributed.\n",
        );
    }
    let Some(first) = proposal.first else {
        text.push_str("-- No table can be distributed by its key so that views keep their links: all become reference tables.\n");
        return statements(proposal, text);
    };
    let _ = writeln!(text, "-- Distributed by {} of {}.", column(proposal, first), of(first));
    declared_only(proposal, &mut text);
    statements(proposal, text)
}

/// What the database no longer checks, or checks in another way.
fn declared_only(proposal: &Distribution<'_>, text: &mut String) {
    for table in proposal.tables.values() {
        for link in dropped_links(proposal, table) {
            let _ = writeln!(
                text,
                "-- No longer checked: the link {} of {}.",
                comment(link),
                of(name_of(table))
            );
        }
        for key in dropped_keys(proposal, table) {
            let _ =
                writeln!(text, "-- No longer unique: {} of {}.", comment(key), of(name_of(table)));
        }
        if let Some(key) = proposal.wider_key(table) {
            let key = columns(table, &key);
            let _ = writeln!(
                text,
                "-- The key of {} becomes {key}: its items get other addresses, unless app.toml has [resources.{}] with key = [{}].",
                of(name_of(table)),
                comment(&table.served_name()),
                own_key(table)
            );
        }
        if table.effects.insert == duet_model::catalog::Reach::Everything {
            let _ = writeln!(
                text,
                "-- Citus refuses triggers: those of {} have to go.",
                of(name_of(table))
            );
        }
    }
}

fn statements(proposal: &Distribution<'_>, mut text: String) -> String {
    let all: Vec<String> = proposal.tables.keys().map(|name| literal(&name.as_sql())).collect();
    if all.is_empty() {
        return text;
    }
    text.push_str("BEGIN;\nSET LOCAL citus.multi_shard_modify_mode TO 'sequential';\n");
    for saved in [SAVE, SAVE_SEQUENCES] {
        text.push_str(&saved.replace("{tables}", &all.join(", ")));
    }
    for table in proposal.tables.values() {
        let name = name_of(table).as_sql();
        for key in dropped_keys(proposal, table) {
            let index = TableName { schema: &table.schema, name: key }.as_sql();
            let key = identifier(key);
            let _ = writeln!(text, "ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {key};");
            let _ = writeln!(text, "DROP INDEX IF EXISTS {index};");
        }
        let primary = table.indexes.iter().find(|it| it.unique && it.columns == table.primary_key);
        if let (Some(key), Some(primary)) = (proposal.wider_key(table), primary) {
            let (old, key) = (identifier(&primary.name), columns(table, &key));
            let _ =
                writeln!(text, "ALTER TABLE {name} DROP CONSTRAINT {old}, ADD PRIMARY KEY {key};");
        }
    }
    for name in proposal.tables.keys().filter(|name| !proposal.columns.contains_key(*name)) {
        let _ = writeln!(text, "SELECT create_reference_table({});", literal(&name.as_sql()));
    }
    if let Some(first) = proposal.first {
        let others = proposal.columns.keys().filter(|name| **name != first);
        for name in [&first].into_iter().chain(others) {
            let with = if *name == first { "none".to_owned() } else { first.as_sql() };
            let (table, by) = (literal(&name.as_sql()), &proposal.tables[name].columns);
            let by = literal(&by[proposal.columns[name]].name);
            let with = literal(&with);
            let _ = writeln!(
                text,
                "SELECT create_distributed_table({table}, {by}, colocate_with := {with});"
            );
        }
    }
    let dropped = proposal.tables.values().flat_map(|table| {
        let name = literal(&name_of(table).as_sql());
        dropped_links(proposal, table).map(move |link| format!("({name}, {})", literal(link)))
    });
    let dropped: Vec<String> = dropped.collect();
    let dropped = if dropped.is_empty() { "(NULL, NULL)".to_owned() } else { dropped.join(", ") };
    text.push_str(&RESTORE.replace("{dropped}", &dropped));
    text.push_str(RESTORE_SEQUENCES);
    text.push_str("COMMIT;\n");
    text
}

fn dropped_links<'p>(
    proposal: &'p Distribution<'_>,
    table: &'p Relation,
) -> impl Iterator<Item = &'p str> {
    let links = table.foreign_keys.iter().filter(|link| !proposal.keeps(table, link));
    links.map(|link| link.name.as_str())
}

/// The unique keys that Citus cannot check: those without the column by which it tells machines.
fn dropped_keys<'p>(
    proposal: &'p Distribution<'_>,
    table: &'p Relation,
) -> impl Iterator<Item = &'p str> {
    let column = proposal.columns.get(&name_of(table)).copied();
    let keys = table.unique_keys.iter();
    keys.filter(move |key| column.is_some_and(|column| !key.columns.contains(&column)))
        .map(|key| key.name.as_str())
}

fn column(proposal: &Distribution<'_>, name: TableName<'_>) -> String {
    let at = proposal.columns[&name];
    comment(&proposal.tables[&name].columns[at].name)
}

fn columns(table: &Relation, columns: &[usize]) -> String {
    let names: Vec<String> =
        columns.iter().map(|&at| identifier(&table.columns[at].name)).collect();
    format!("({})", names.join(", "))
}

/// The columns of a table's key, as app.toml names them.
fn own_key(table: &Relation) -> String {
    let names = table.primary_key.iter().map(|&at| table.columns[at].served_name());
    let names: Vec<String> = names.map(|name| format!("{:?}", comment(&name))).collect();
    names.join(", ")
}

fn of(name: TableName<'_>) -> String {
    comment(&format!("{}.{}", name.schema, name.name))
}

/// A name in a comment, which ends with its line.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl TableName<'_> {
    fn as_sql(self) -> String {
        format!("{}.{}", identifier(self.schema), identifier(self.name))
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
