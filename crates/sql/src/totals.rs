//! Totals: the number of a collection's documents by a few values (labels, true and false), in a table beside the
//! collection's table that triggers keep. A list whose filter names these values alone is counted by the sum of a few rows,
//! within the transaction and the snapshot of the request, so the count is exact.

use std::fmt::Write as _;

use duet_model::catalog::IndexedPart;
use duet_model::collection::{DOCUMENT, fitted};
use duet_model::{CollectionIndex, CollectionTable, IndexKind, Type};

use crate::collection_table::{extracted, shape_of};
use crate::dialect::Dialect;
use crate::writer::Writer;

/// The access method of totals in the catalog.
pub const TOTALS_METHOD: &str = "totals";

/// What the code of their triggers begins with; the paths and types of the values follow.
pub const TOTALS_MARK: &str = "/* duet totals ";

/// The column with the number of documents.
pub(crate) const NUMBER: &str = "n";

/// The totals of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The schema of both tables, where the store has several.
    pub schema: Option<String>,
    /// The table of the documents.
    pub table: String,
    /// The name of the totals' table, and of what keeps it.
    pub name: String,
    /// The values, in the order of the columns.
    pub values: Vec<TotalsValue>,
}

/// A value by which documents are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotalsValue {
    /// Member names joined by dots.
    pub path: String,
    /// Whether it is true or false; otherwise a text.
    pub boolean: bool,
}

impl TotalsValue {
    fn ty(&self) -> Type {
        if self.boolean { Type::Boolean } else { Type::Text }
    }
}

impl Totals {
    /// The declared totals; `None` for other kinds of indexes.
    fn declared(table: &CollectionTable, index: &CollectionIndex) -> Option<Self> {
        let values = index.fields().map(|field| TotalsValue {
            path: field.path.clone(),
            boolean: field.ty == Type::Boolean,
        });
        (index.kind == IndexKind::Totals).then(|| Self {
            schema: table.schema.clone(),
            table: table.name.clone(),
            name: index.name(&table.name),
            values: values.collect(),
        })
    }

    /// All that a collection declares.
    pub fn all(table: &CollectionTable) -> Vec<Self> {
        table.indexes.iter().filter_map(|index| Self::declared(table, index)).collect()
    }

    /// The totals whose triggers have this code, so that it can be compared with what it must be; `None`
    /// for other code.
    pub fn of_code(schema: Option<&str>, table: &str, name: &str, code: &str) -> Option<Self> {
        let (_, marked) = code.split_once(TOTALS_MARK)?;
        let (signature, _) = marked.split_once(" */")?;
        let values = signature.split(' ').map(|value| {
            let (path, kind) = value.split_once(':')?;
            Some(TotalsValue { path: unescaped(path)?, boolean: kind == "boolean" })
        });
        Some(Self {
            schema: schema.map(str::to_owned),
            table: table.to_owned(),
            name: name.to_owned(),
            values: values.collect::<Option<_>>()?,
        })
    }

    /// The comment at the beginning of the triggers' code.
    pub(crate) fn mark(&self) -> String {
        let values = self.values.iter().map(|value| {
            let kind = if value.boolean { "boolean" } else { "text" };
            format!("{}:{kind}", escaped(&value.path))
        });
        format!("{TOTALS_MARK}{} */", values.collect::<Vec<_>>().join(" "))
    }

    /// The values of a row that has the column of the document, as SQL.
    pub(crate) fn value_expressions(&self, dialect: &dyn Dialect) -> Vec<String> {
        let table = CollectionTable { name: self.table.clone(), ..CollectionTable::default() };
        let shape = shape_of(&table);
        let value = |value: &TotalsValue| {
            let mut writer = Writer::new(dialect);
            writer.with_one_table();
            extracted(&mut writer, &shape, &value.path, &value.ty());
            writer.finish_text()
        };
        self.values.iter().map(value).collect()
    }

    /// The names of the columns with the values.
    pub(crate) fn columns(&self) -> Vec<String> {
        (0..self.values.len()).map(|at| format!("v{at}")).collect()
    }

    /// The name of the trigger for a statement: `insert`, `update`, `delete`, `truncate`.
    pub fn trigger(&self, statement: &str) -> String {
        fitted(format!("{statement}_{}", self.name))
    }

    /// What the catalog says of totals that are whole.
    pub fn part(&self) -> IndexedPart {
        IndexedPart::Totals { paths: self.values.iter().map(|value| value.path.clone()).collect() }
    }
}

/// The script that makes totals on SQLite, and counts what is there.
pub(crate) fn sqlite_script(totals: &Totals, dialect: &dyn Dialect) -> String {
    let (table, name) = (quoted(&totals.table), quoted(&totals.name));
    let (columns, values) = (totals.columns(), totals.value_expressions(dialect).join(", "));
    let triggers = sqlite_triggers(totals, dialect).map(|(_, sql)| format!("{sql};\n")).concat();
    format!(
        "{};\n{};\nCREATE INDEX {} ON {name} ({});\nINSERT INTO {name} SELECT {values}, count(*) FROM {table} GROUP BY {};\n{triggers}",
        sqlite_drop_script(totals),
        sqlite_table(totals),
        quoted(&format!("{}_values", totals.name)),
        columns.join(", "),
        (1..=columns.len()).map(|at| at.to_string()).collect::<Vec<_>>().join(", "),
    )
}

/// The script that drops what there is of them on SQLite.
pub(crate) fn sqlite_drop_script(totals: &Totals) -> String {
    let drop =
        |statement| format!("DROP TRIGGER IF EXISTS {};\n", quoted(&totals.trigger(statement)));
    let triggers = ["insert", "update", "delete"].map(drop).concat();
    format!("{triggers}DROP TABLE IF EXISTS {}", quoted(&totals.name))
}

/// The statement that makes the table on SQLite, as SQLite keeps it.
pub fn sqlite_table(totals: &Totals) -> String {
    let columns = totals.columns().join(", ");
    format!("CREATE TABLE {} ({columns}, {NUMBER} INTEGER NOT NULL)", quoted(&totals.name))
}

/// The triggers on SQLite, each with its name and its statement as SQLite keeps it.
pub fn sqlite_triggers(totals: &Totals, dialect: &dyn Dialect) -> [(String, String); 3] {
    let (table, name, mark) = (quoted(&totals.table), quoted(&totals.name), totals.mark());
    let document = quoted(DOCUMENT);
    let values = totals.value_expressions(dialect);
    let of_row = |row: &str| format!("FROM (SELECT {row}.{document} AS {document})");
    let add = |row: &str, by: &str| {
        let mut same = String::new();
        for (column, value) in totals.columns().iter().zip(&values) {
            let and = if same.is_empty() { "" } else { " AND " };
            write!(same, "{and}{column} IS (SELECT {value} {})", of_row(row)).ok();
        }
        format!("UPDATE {name} SET {NUMBER} = {NUMBER} {by} WHERE {same}; ")
    };
    let list = values.join(", ");
    let added = format!(
        "{}INSERT INTO {name} SELECT {list}, 1 {} WHERE changes() = 0; ",
        add("new", "+ 1"),
        of_row("new")
    );
    let row = |row: &str| format!("(SELECT {list} {})", of_row(row));
    let changed = format!("UPDATE ON {table} WHEN {} IS NOT {}", row("old"), row("new"));
    let trigger = |statement: &str, when: &str, body: String| {
        let own = totals.trigger(statement);
        let sql = format!("CREATE TRIGGER {} AFTER {when} BEGIN {body}{mark} END", quoted(&own));
        (own, sql)
    };
    let removed = add("old", "- 1");
    [
        trigger("insert", &format!("INSERT ON {table}"), added.clone()),
        trigger("update", &changed, format!("{removed}{added}")),
        trigger("delete", &format!("DELETE ON {table}"), removed),
    ]
}

/// The script that makes totals on PostgreSQL, and counts what is there; writes of the table wait for it.
/// The function runs with its owner's rights, so no other user may make it the trigger of another table.
pub(crate) fn postgres_script(totals: &Totals, dialect: &dyn Dialect) -> String {
    let place = |name: &str| match &totals.schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(name)),
        None => quoted(name),
    };
    let (table, name) = (place(&totals.table), place(&totals.name));
    let columns = totals.columns();
    let mut script = format!(
        "LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE;\n{};\nCREATE TABLE {name} (slot bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL",
        postgres_drop_script(totals)
    );
    for (column, value) in columns.iter().zip(&totals.values) {
        let ty = if value.boolean { "boolean" } else { "text COLLATE \"C\"" };
        write!(script, ", {column} {ty}").ok();
    }
    let index = quoted(&fitted(format!("{}_key", totals.name)));
    let listed = columns.join(", ");
    let values = totals.value_expressions(dialect).join(", ");
    write!(
        script,
        ", {NUMBER} bigint NOT NULL) WITH (fillfactor = 20);\n\
         CREATE INDEX {index} ON {name} (key);\n\
         COMMENT ON TABLE {name} IS {};\n{};\n\
         REVOKE ALL ON FUNCTION {name}() FROM PUBLIC;\n",
        literal(&totals.mark()),
        postgres_function(totals, dialect)
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
pub(crate) fn postgres_drop_script(totals: &Totals) -> String {
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
fn postgres_function(totals: &Totals, dialect: &dyn Dialect) -> String {
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
    let (columns, values) = (totals.columns(), totals.value_expressions(dialect).join(", "));
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

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A path without what ends a comment or separates values.
fn escaped(path: &str) -> String {
    let mut out = String::new();
    for char in path.chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | '-' => out.push(char),
            other => write!(out, "%{:x};", u32::from(other)).unwrap_or_default(),
        }
    }
    out
}

fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('%') {
        let (number, after) = behind.split_once(';')?;
        out.push_str(before);
        out.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Postgres, Sqlite};

    fn totals() -> Totals {
        let value = |path: &str, boolean| TotalsValue { path: path.to_owned(), boolean };
        let values = vec![value("a.status", false), value("is it */ 'é' %", true)];
        Totals { schema: None, table: "items".into(), name: "items_idx_totals".into(), values }
    }

    #[test]
    fn totals_are_known_by_their_code() {
        let totals = totals();
        let codes = [
            postgres_code(&totals, &Postgres { icu: false }, "\"public\""),
            sqlite_triggers(&totals, &Sqlite)[0].1.clone(),
        ];
        for code in codes {
            let known = Totals::of_code(None, "items", "items_idx_totals", &code);
            assert_eq!(known.as_ref(), Some(&totals), "{code}");
        }
        for other in
            ["", "BEGIN RETURN NULL; END", "/* duet totals a:text", "/* duet totals %z;:text */"]
        {
            assert_eq!(Totals::of_code(None, "items", "t", other), None, "{other}");
        }
    }

    #[test]
    fn without_a_schema_the_function_is_in_the_current_one() {
        let script = postgres_script(&totals(), &Postgres { icu: false });
        assert!(
            script.contains("EXECUTE replace('CREATE FUNCTION {schema}.\"items_idx_totals\"()")
        );
        let script = postgres_script(
            &Totals { schema: Some("a".into()), ..totals() },
            &Postgres { icu: false },
        );
        assert!(script.contains("CREATE FUNCTION \"a\".\"items_idx_totals\"()"), "{script}");
    }
}
