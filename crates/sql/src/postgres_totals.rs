//! Totals on PostgreSQL: a table with several slots for each combination of values, and a function that keeps it for the
//! triggers of all kinds of writes.

use std::fmt::Write as _;

use duet_model::collection::fitted;

use crate::collections::values::totals_values;
use crate::dialect::Dialect;
use crate::parts::quotes::{literal, quoted};
use crate::parts::totals::{NUMBER, Totals};

/// The script that makes totals on PostgreSQL, and counts what is there; writes of the table wait for it.
/// The function runs with its owner's rights, so no other user may make it the trigger of another table.
pub(crate) fn script(totals: &Totals, dialect: &dyn Dialect) -> String {
    let place = |name: &str| match &totals.schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(name)),
        None => quoted(name),
    };
    let (table, name) = (place(&totals.table), place(&totals.name));
    let columns = totals.columns();
    let mut script = format!(
        "LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE;\n{};\nCREATE TABLE {name} (slot bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL",
        drop_script(totals)
    );
    for (column, value) in columns.iter().zip(&totals.values) {
        let ty = if value.boolean { "boolean" } else { "text COLLATE \"C\"" };
        write!(script, ", {column} {ty}").ok();
    }
    let index = quoted(&fitted(format!("{}_key", totals.name)));
    let listed = columns.join(", ");
    let values = totals_values(totals, dialect).join(", ");
    write!(
        script,
        ", {NUMBER} bigint NOT NULL) WITH (fillfactor = 20);\n\
         CREATE INDEX {index} ON {name} (key);\n\
         COMMENT ON TABLE {name} IS {};\n{};\n\
         REVOKE ALL ON FUNCTION {name}() FROM PUBLIC;\n",
        literal(&totals.mark()),
        function(totals, dialect)
    )
    .ok();
    for (statement, referencing) in [
        ("insert", "REFERENCING NEW TABLE AS duet_new "),
        ("update", "REFERENCING OLD TABLE AS duet_old NEW TABLE AS duet_new "),
        ("delete", "REFERENCING OLD TABLE AS duet_old "),
        ("truncate", ""),
    ] {
        let own = quoted(&totals.trigger(statement));
        let event = statement.to_uppercase();
        write!(
            script,
            "CREATE TRIGGER {own} AFTER {event} ON {table} {referencing}FOR EACH STATEMENT EXECUTE FUNCTION {name}();\n\
             ALTER TABLE {table} ENABLE ALWAYS TRIGGER {own};\n"
        )
        .ok();
    }
    write!(
        script,
        "INSERT INTO {name} (key, {listed}, {NUMBER}) SELECT ({})::text, {listed}, count(*) FROM (SELECT {values} FROM {table}) AS d ({listed}) GROUP BY {listed}",
        key(&columns),
    )
    .ok();
    script
}

/// The script that drops what there is of them on PostgreSQL.
pub(crate) fn drop_script(totals: &Totals) -> String {
    let name = match &totals.schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(&totals.name)),
        None => quoted(&totals.name),
    };
    format!("DROP FUNCTION IF EXISTS {name}() CASCADE;\nDROP TABLE IF EXISTS {name}")
}

fn key(columns: &[String]) -> String {
    format!("ROW({})", columns.join(", "))
}

/// The statement that makes the function. It is in the schema of the table: without one in that which is current.
fn function(totals: &Totals, dialect: &dyn Dialect) -> String {
    const SCHEMA: &str = "{schema}";
    let make = |schema: &str| {
        let body = literal(&postgres_code(totals, dialect, schema));
        let name = quoted(&totals.name);
        format!(
            "CREATE FUNCTION {schema}.{name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS {body}"
        )
    };
    match &totals.schema {
        Some(schema) => make(&quoted(schema)),
        None => {
            let make = literal(&make(SCHEMA));
            format!(
                "DO $duet$ BEGIN EXECUTE replace({make}, '{SCHEMA}', '\"' || replace(current_schema(), '\"', '\"\"') || '\"'); END $duet$"
            )
        }
    }
}

/// The code of the function that keeps totals on PostgreSQL.
///
/// A number is the sum of several rows, its slots: a writer adds to one that no other transaction holds (`SKIP LOCKED`),
/// and inserts another where all are held. So writers never wait for each other, and there are about as many slots as
/// concurrent writers. In a snapshot older than the statement a slot may have changed, so there each change is a row of its
/// own; one of a hundred writers adds such rows up.
pub fn postgres_code(totals: &Totals, dialect: &dyn Dialect, schema: &str) -> String {
    let name = format!("{schema}.{}", quoted(&totals.name));
    let (columns, values) = (totals.columns(), totals_values(totals, dialect).join(", "));
    let listed = columns.join(", ");
    let given: Vec<String> = columns.iter().map(|column| format!("change.{column}")).collect();
    let given = given.join(", ");
    let key = key(&columns);
    let rows = |sign: &str, table: &str| format!("SELECT {values}, {sign}1 FROM {table}");
    let add = |rows: String| {
        format!(
            "FOR change IN SELECT ({key})::text AS key, {listed}, sum(d.{NUMBER})::bigint AS {NUMBER} FROM ({rows}) AS d ({listed}, {NUMBER}) GROUP BY {listed} HAVING sum(d.{NUMBER}) <> 0 ORDER BY 1 LOOP\n\
               held := NULL;\n\
               IF current_setting('transaction_isolation') = 'read committed' THEN\n\
                 IF random() < 0.01 THEN\n\
                   WITH many AS (SELECT t.slot FROM {name} t WHERE t.key = change.key ORDER BY t.slot OFFSET 16 FOR UPDATE SKIP LOCKED),\n\
                        gone AS (DELETE FROM {name} t USING many WHERE t.slot = many.slot RETURNING t.{NUMBER})\n\
                   SELECT change.{NUMBER} + coalesce(sum(gone.{NUMBER}), 0) INTO change.{NUMBER} FROM gone;\n\
                 END IF;\n\
                 SELECT t.slot INTO held FROM {name} t WHERE t.key = change.key LIMIT 1 FOR UPDATE SKIP LOCKED;\n\
               END IF;\n\
               IF held IS NULL THEN\n\
                 INSERT INTO {name} (key, {listed}, {NUMBER}) VALUES (change.key, {given}, change.{NUMBER});\n\
               ELSE\n\
                 UPDATE {name} t SET {NUMBER} = t.{NUMBER} + change.{NUMBER} WHERE t.slot = held;\n\
               END IF;\n\
             END LOOP;\n"
        )
    };
    let both = format!("{} UNION ALL {}", rows("", "duet_new"), rows("-", "duet_old"));
    format!(
        "{}\nDECLARE change record; held bigint;\nBEGIN\n\
         IF TG_OP = 'INSERT' THEN\n{}ELSIF TG_OP = 'DELETE' THEN\n{}ELSIF TG_OP = 'UPDATE' THEN\n{}ELSE\nDELETE FROM {name};\nEND IF;\nRETURN NULL;\nEND",
        totals.mark(),
        add(rows("", "duet_new")),
        add(rows("-", "duet_old")),
        add(both),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Postgres, TotalsValue};

    fn totals() -> Totals {
        let values = vec![TotalsValue { path: "a.status".to_owned(), boolean: false }];
        Totals { schema: None, table: "items".into(), name: "items_idx_totals".into(), values }
    }

    #[test]
    fn without_a_schema_the_function_is_in_the_current_one() {
        let made = script(&totals(), &Postgres { icu: false });
        assert!(made.contains("EXECUTE replace('CREATE FUNCTION {schema}.\"items_idx_totals\"()"));
        let made =
            script(&Totals { schema: Some("a".into()), ..totals() }, &Postgres { icu: false });
        assert!(made.contains("CREATE FUNCTION \"a\".\"items_idx_totals\"()"), "{made}");
    }
}
