//! The relations of one type: its values in each way in which a column may have them.

use super::types::{SHOWN_AS_TEXT, TypeRow, UNTYPED};

/// A type with its relations.
pub(super) struct Subject {
    pub(super) row: &'static TypeRow,
    /// What the names of its relations begin with.
    pub(super) name: String,
    store: Store,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Store {
    Postgres,
    Sqlite,
}

/// A column whose values are compared.
pub(super) struct Place {
    pub(super) relation: String,
    pub(super) column: &'static str,
    /// Whether it is the table's own column of the type.
    pub(super) is_first: bool,
    /// Whether SQLite knows no type of it.
    pub(super) is_untyped: bool,
}

/// The value itself, of a domain, in an array, in one of the domain, in a domain over arrays; in a composite, in a
/// domain over it, and in an array of it.
const POSTGRES: &[&str] = &["v", "d", "a", "ad", "da", "c", "cd", "ca"];

impl Subject {
    pub(super) fn of_postgres(at: usize, row: &'static TypeRow) -> Self {
        Self { row, name: format!("t{at}_{}", row.name), store: Store::Postgres }
    }

    pub(super) fn of_sqlite(at: usize, row: &'static TypeRow) -> Self {
        Self { row, name: format!("t{at}"), store: Store::Sqlite }
    }

    pub(super) fn is_postgres(&self) -> bool {
        self.store == Store::Postgres
    }

    /// Whether its table is virtual.
    pub(super) fn is_virtual(&self) -> bool {
        matches!(self.row.name, "fts5" | "rtree")
    }

    /// The columns of its table beside the key.
    pub(super) fn columns(&self) -> &'static [&'static str] {
        match self.row.name {
            _ if self.is_postgres() => POSTGRES,
            "rtree" => &["v", "w"],
            _ => &["v"],
        }
    }

    /// Its table, a view of the database over it, and a table with a generated column.
    pub(super) fn relations(&self) -> Vec<String> {
        let further: &[&str] = if self.is_virtual() { &[] } else { &["_v", "_g"] };
        let names = further.iter().map(|suffix| format!("{}{suffix}", self.name));
        [self.name.clone()].into_iter().chain(names).collect()
    }

    /// The columns that are compared: the table's own, one of a domain, those of a view, one of which is an expression,
    /// and a generated one.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        // Domains over enums have no operators.
        let has_domain = self.is_postgres() && self.row.name != "mood";
        let is_plain = !self.is_virtual();
        let is_untyped =
            matches!(self.row.name, UNTYPED | SHOWN_AS_TEXT | "fts5") || self.row.declared == "ANY";
        let is_sqlite = !self.is_postgres();
        let places = [
            ("", "v", true),
            ("", "d", has_domain),
            ("_v", "v", is_plain),
            ("_v", "e", is_plain),
            ("_g", "g", is_plain),
        ];
        let name = self.name.clone();
        places.into_iter().filter(|(.., has)| *has).enumerate().map(
            move |(at, (suffix, column, _))| Place {
                relation: format!("{name}{suffix}"),
                column,
                is_first: at == 0,
                is_untyped: is_untyped || is_sqlite && column == "e",
            },
        )
    }

    /// The tables whose key is the value; on PostgreSQL, also of the domain, and an array.
    pub(super) fn key_tables(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.row.name {
            _ if !self.is_postgres() => &["_key"],
            // A domain over an enum has no operator that finds a row.
            "mood" => &["_key", "_akey"],
            _ => &["_key", "_dkey", "_akey"],
        };
        suffixes.iter().map(|suffix| format!("{}{suffix}", self.name)).collect()
    }

    /// A condition that a value is the same as another one.
    pub(super) fn same(&self, value: &str, other: &str) -> String {
        let ty = self.row.declared;
        match (self.store, self.row.is_json()) {
            (Store::Sqlite, _) => format!("{value} IS {other}"),
            // JSON's null is NULL to clients.
            (Store::Postgres, true) => format!(
                "nullif(to_jsonb({value})::text, 'null') IS NOT DISTINCT FROM nullif(to_jsonb({other}::{ty})::text, 'null')"
            ),
            // The cast of a text to `regclass` does not take all that its input does.
            (Store::Postgres, false) if self.row.name == "regclass" => {
                format!("{value}::text IS NOT DISTINCT FROM {other}::text")
            }
            (Store::Postgres, false) => {
                format!("{value}::text IS NOT DISTINCT FROM ({other}::{ty})::text")
            }
        }
    }

    /// The query of the ids of the rows that have the value of this one.
    pub(super) fn same_rows(&self, id: i64) -> String {
        format!(
            "SELECT x.id FROM {name} x, {name} y WHERE y.id = {id} AND x.id < 1000 AND {} ORDER BY 1",
            self.same("x.v", "y.v"),
            name = self.name,
        )
    }

    /// The duality views over its tables, by their names.
    pub(super) fn views(&self) -> Vec<(String, String)> {
        let name = &self.name;
        if self.is_virtual() {
            return Vec::new();
        }
        let mut views = Vec::new();
        if self.row.name != "xml" {
            views.push((format!("{name}_dv"), self.member_view()));
        }
        if self.row.is_key() {
            let nest = format!(
                "view {name}_nest as {name}_top @insert @update @delete {{ _id: id
                   rows: {name}_sub @insert @update @delete [ {{ v n }} ] }}"
            );
            let root =
                format!("view {name}_root as {name}_key @insert @update @delete {{ _id: v n }}");
            views.extend([(format!("{name}_nest"), nest), (format!("{name}_root"), root)]);
        }
        views
    }

    /// The view with all columns of its table, and a generated member.
    pub(super) fn member_view(&self) -> String {
        let columns = self.columns().join(" ");
        let name = &self.name;
        format!(
            "view {name}_dv as {name} @insert @update @delete {{ _id: id {columns} g @generated(path: \"$.v\") }}"
        )
    }

    /// The statements that make its relations. The row behind all values has NULL.
    pub(super) fn script(&self) -> String {
        let (common, rows) = (self.common_script(), self.rows());
        match (self.store, self.row.name) {
            (Store::Postgres, _) => self.postgres_script(&rows) + &common,
            (Store::Sqlite, "fts5") => self.virtual_script("fts5(id UNINDEXED, v)", &rows, "v"),
            (Store::Sqlite, "rtree") => self.virtual_script("rtree(id, v, w)", &rows, "v, v"),
            (Store::Sqlite, _) => self.sqlite_script(&rows) + &common,
        }
    }

    /// The values with their ids.
    fn rows(&self) -> String {
        let Self { row, .. } = self;
        let ty = row.declared;
        let literal = |value: &&str| match self.store {
            Store::Postgres => format!("'{}'::{ty}", value.replace('\'', "''")),
            Store::Sqlite => (*value).to_owned(),
        };
        let mut values: Vec<String> = row.values.iter().map(literal).collect();
        match (self.store, row.name) {
            (Store::Postgres, _) => values.push(format!("NULL::{ty}")),
            // An R*Tree has no NULL.
            (Store::Sqlite, "rtree") => {}
            (Store::Sqlite, _) => values.push("NULL".to_owned()),
        }
        let numbered = values.iter().enumerate().map(|(at, v)| format!("({}, {v})", at + 1));
        numbered.collect::<Vec<_>>().join(", ")
    }

    /// The rows whose value can be a key. JSON's null is NULL to clients, which is none.
    fn has_key(&self) -> &'static str {
        match self.is_postgres() && self.row.is_json() {
            true => "v::text <> 'null'",
            false => "v IS NOT NULL",
        }
    }

    fn strict(&self) -> &'static str {
        if self.row.name == "strict" { " STRICT" } else { "" }
    }

    /// What both stores spell alike: the tables whose keys are values.
    fn common_script(&self) -> String {
        let Self { row, name, .. } = self;
        let (ty, strict) = (row.declared, self.strict());
        if !row.is_key() {
            return String::new();
        }
        let mut script = format!(
            "CREATE TABLE {name}_key (v {ty} NOT NULL PRIMARY KEY, n integer){strict};
             CREATE TABLE {name}_two (n integer NOT NULL, v {ty} NOT NULL, x integer, PRIMARY KEY (n, v)){strict};
             CREATE TABLE {name}_top (id integer NOT NULL PRIMARY KEY){strict};
             CREATE TABLE {name}_sub (v {ty} NOT NULL PRIMARY KEY, top integer REFERENCES {name}_top (id), n integer){strict};
             INSERT INTO {name}_top VALUES (1);\n"
        );
        let has_key = self.has_key();
        for (table, select) in [("key", "v, id"), ("two", "id % 2, v, id"), ("sub", "v, 1, id")] {
            script += &format!(
                "INSERT INTO {name}_{table} SELECT {select} FROM {name} WHERE {has_key} ORDER BY id ON CONFLICT DO NOTHING;\n"
            );
        }
        script
    }

    fn virtual_script(&self, module: &str, rows: &str, select: &str) -> String {
        let Self { name, .. } = self;
        let table = |suffix: &str| format!("CREATE VIRTUAL TABLE {name}{suffix} USING {module};\n");
        let tables = ["", "_csv", "_lines"].map(table).concat();
        format!(
            "{tables} INSERT INTO {name} SELECT id, {select} FROM (WITH given (id, v) AS (VALUES {rows}) SELECT id, v FROM given);\n"
        )
    }

    fn sqlite_script(&self, rows: &str) -> String {
        let Self { row, name, .. } = self;
        let (ty, strict) = (row.declared, self.strict());
        let table = |suffix: &str, more: &str| {
            format!("CREATE TABLE {name}{suffix} (id INTEGER PRIMARY KEY, v {ty}{more}){strict};\n")
        };
        // A collation is not a part of the type.
        let generated = format!(", g {ty} GENERATED ALWAYS AS (v) VIRTUAL");
        format!(
            "{}{}{}{}
             INSERT INTO {name} VALUES {rows};
             INSERT INTO {name}_g SELECT id, v FROM {name};
             CREATE VIEW {name}_v AS SELECT id, v, CASE WHEN id THEN v END AS e FROM {name};\n",
            table("", ""),
            table("_csv", ""),
            table("_lines", ""),
            table("_g", &generated),
        )
    }

    fn postgres_script(&self, rows: &str) -> String {
        let Self { row, name, .. } = self;
        let ty = row.declared;
        let mut script = format!(
            "CREATE DOMAIN {name}_d AS {ty};
             CREATE DOMAIN {name}_da AS {ty}[];
             CREATE TYPE {name}_c AS (v {ty}, w text);
             CREATE DOMAIN {name}_cd AS {name}_c;
             CREATE TABLE {name} (id int PRIMARY KEY, v {ty}, d {name}_d, a {ty}[], ad {name}_d[], da {name}_da,
               c {name}_c, cd {name}_cd, ca {name}_c[]);
             INSERT INTO {name} SELECT id, v, v, ARRAY[v, NULL, v], ARRAY[v, NULL, v]::{name}_d[], ARRAY[v, NULL, v],
                c, c, ARRAY[c, NULL, c]
               FROM (VALUES {rows}) AS given (id, v), LATERAL (SELECT ROW(v, 'w'::text)::{name}_c AS c) AS row;
             CREATE TABLE {name}_csv (LIKE {name} INCLUDING ALL);
             CREATE TABLE {name}_lines (LIKE {name} INCLUDING ALL);
             CREATE TABLE {name}_g (id int PRIMARY KEY, v {ty}, g {ty} GENERATED ALWAYS AS (v) STORED);
             INSERT INTO {name}_g SELECT id, v FROM {name};
             CREATE VIEW {name}_v AS SELECT id, v, CASE WHEN id > 0 THEN v END AS e FROM {name};
             CREATE FUNCTION {name}_f(given {ty}) RETURNS {ty} LANGUAGE sql AS 'SELECT given';\n"
        );
        match row.is_key() {
            true => {
                script += &format!(
                    "CREATE TABLE {name}_dkey (v {name}_d PRIMARY KEY, n int);
                     CREATE TABLE {name}_akey (v {ty}[] PRIMARY KEY, n int);
                     INSERT INTO {name}_dkey SELECT v, id FROM {name} WHERE {has_key} ORDER BY id ON CONFLICT DO NOTHING;
                     INSERT INTO {name}_akey SELECT a, id FROM {name} WHERE {has_key} ORDER BY id ON CONFLICT DO NOTHING;\n",
                    has_key = self.has_key(),
                );
            }
            // The server agrees that there is no such key.
            false => {
                script += &format!(
                    "DO $$BEGIN CREATE TABLE {name}_key (v {ty} PRIMARY KEY); RAISE 'a key of type {ty}';
                     EXCEPTION WHEN undefined_object THEN NULL; END$$;\n"
                );
            }
        }
        script
    }
}
