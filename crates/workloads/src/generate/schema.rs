//! Table definitions: columns, keys, indexes, and their SQL per store.

use duet_client::ConnectOptions;

/// A store, where the SQL differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// PostgreSQL: its own schema, keys and indexes after the data, money as `numeric`.
    Postgres,
    /// SQLite: the main database, keys with the table, money as whole cents.
    Sqlite,
}

impl Engine {
    /// The store of a database.
    pub fn of(target: &ConnectOptions) -> Self {
        match target {
            ConnectOptions::Postgres(_) => Self::Postgres,
            ConnectOptions::Sqlite { .. } => Self::Sqlite,
        }
    }

    /// The name of a table, view or sequence of a data set.
    pub fn name(self, set: &str, name: &str) -> String {
        match self {
            Self::Postgres => format!("{set}.{name}"),
            Self::Sqlite => name.to_owned(),
        }
    }

    /// Replaces `{s}` in a statement with the prefix of a data set's names.
    pub fn statement(self, set: &str, sql: &str) -> String {
        match self {
            Self::Postgres => sql.replace("{s}", &format!("{set}.")),
            Self::Sqlite => sql.replace("{s}", ""),
        }
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlType {
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Big,
    /// Money: `numeric` on PostgreSQL, whole cents on SQLite.
    Money,
    /// A text.
    Text,
    /// A day.
    Date,
    /// A moment without a time zone.
    Timestamp,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct ColumnDefinition {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: SqlType,
    /// Whether it is NOT NULL.
    pub required: bool,
    /// The expression of the value where none is given; `{now}` is this moment in UTC.
    pub default: Option<&'static str>,
    /// Whether SQLite allows one text for each moment alone, so that an index has the order of time:
    /// `YYYY-MM-DDTHH:MM:SS`, with milliseconds if there are any, without zeros at their end.
    pub in_order: bool,
}

impl ColumnDefinition {
    /// The same column, NOT NULL.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same with a default.
    pub const fn defaulting(mut self, expression: &'static str) -> Self {
        self.default = Some(expression);
        self
    }

    /// The same with one text for each moment.
    pub const fn in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    fn ddl(&self, store: Engine) -> String {
        let kind = match (self.kind, store) {
            (SqlType::Int, Engine::Postgres) => "integer",
            (SqlType::Big, Engine::Postgres) => "bigint",
            (SqlType::Money, Engine::Postgres) => "numeric(10,2)",
            (SqlType::Int | SqlType::Big | SqlType::Money, Engine::Sqlite) => "INTEGER",
            (SqlType::Text, Engine::Postgres) => "text",
            (SqlType::Text, Engine::Sqlite) => "TEXT",
            (SqlType::Date, Engine::Postgres) => "date",
            (SqlType::Date, Engine::Sqlite) => "DATE",
            (SqlType::Timestamp, Engine::Postgres) => "timestamp(0)",
            (SqlType::Timestamp, Engine::Sqlite) => "TIMESTAMP",
        };
        let required = if self.required { " NOT NULL" } else { "" };
        let now = match store {
            Engine::Postgres => "now() AT TIME ZONE 'UTC'",
            Engine::Sqlite => "rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', 'now'), '0'), '.')",
        };
        let default = self.default.map(|it| format!(" DEFAULT ({})", it.replace("{now}", now)));
        let check = match store {
            Engine::Sqlite if self.in_order => {
                " CHECK ({} IS rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', {}), '0'), '.'))"
            }
            _ => "",
        };
        let check = check.replace("{}", self.name);
        format!("{} {kind}{}{required}{check}", self.name, default.unwrap_or_default())
    }
}

macro_rules! column {
    ($($make:ident = $kind:ident, $doc:literal;)*) => {
        $(#[doc = $doc]
        pub const fn $make(name: &'static str) -> ColumnDefinition {
            ColumnDefinition { name, kind: SqlType::$kind, required: false, default: None, in_order: false }
        })*
    };
}

column! {
    int = Int, "A column of whole numbers of 32 bits.";
    big = Big, "A column of whole numbers of 64 bits.";
    money = Money, "A column of money.";
    text = Text, "A column of texts.";
    date = Date, "A column of days.";
    timestamp = Timestamp, "A column of moments.";
}

/// A foreign key within the data set.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The column.
    pub column: &'static str,
    /// The table it refers to.
    pub table: &'static str,
    /// That table's key.
    pub key: &'static str,
    /// Whether rows are deleted with the row that they refer to.
    pub cascade: bool,
}

/// A reference by one column.
pub const fn to(column: &'static str, table: &'static str, key: &'static str) -> Reference {
    Reference { column, table, key, cascade: false }
}

/// An index besides the primary key.
#[derive(Clone, Copy, Debug)]
pub struct IndexDefinition {
    /// Its name.
    pub name: &'static str,
    /// The indexed columns after the table's name, such as `(a, lower(b))`.
    pub on: &'static str,
    /// Whether it is unique.
    pub unique: bool,
    /// Whether it is for PostgreSQL alone.
    pub postgres_only: bool,
}

/// An index.
pub const fn index(name: &'static str, on: &'static str) -> IndexDefinition {
    IndexDefinition { name, on, unique: false, postgres_only: false }
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [ColumnDefinition],
    /// The primary key on PostgreSQL; may be empty.
    pub key: &'static [&'static str],
    /// The primary key on SQLite, where a single number costs nothing: it is the rowid.
    pub sqlite_key: &'static [&'static str],
    /// On SQLite: WITHOUT ROWID. Tables with a key of several columns always are.
    pub in_key: bool,
    /// Its foreign keys.
    pub references: &'static [Reference],
    /// Its other indexes.
    pub indexes: &'static [IndexDefinition],
    /// A check of every row; `{cents}` after an amount of money converts it to the store's unit.
    pub checks: &'static [&'static str],
    /// PostgreSQL's fill factor, in percent.
    pub fillfactor: Option<u8>,
}

impl Table {
    /// A table with columns and a key.
    pub const fn new(
        name: &'static str,
        columns: &'static [ColumnDefinition],
        key: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            columns,
            key,
            sqlite_key: key,
            in_key: false,
            references: &[],
            indexes: &[],
            checks: &[],
            fillfactor: None,
        }
    }

    /// The same with references.
    pub const fn referring(mut self, references: &'static [Reference]) -> Self {
        self.references = references;
        self
    }

    /// The same with indexes.
    pub const fn indexed(mut self, indexes: &'static [IndexDefinition]) -> Self {
        self.indexes = indexes;
        self
    }

    /// The names of its columns.
    pub fn column_names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.name).collect()
    }

    /// The statement that creates it in a data set.
    pub fn create(&self, set: &str, store: Engine) -> String {
        let mut parts: Vec<String> = self.columns.iter().map(|column| column.ddl(store)).collect();
        let mut after = String::new();
        match store {
            Engine::Postgres => {
                if let Some(percent) = self.fillfactor {
                    after = format!(" WITH (fillfactor = {percent})");
                }
            }
            Engine::Sqlite => {
                if !self.sqlite_key.is_empty() {
                    parts.push(format!("PRIMARY KEY ({})", self.sqlite_key.join(", ")));
                }
                parts.extend(self.checks.iter().map(|rule| check(store, rule)));
                parts.extend(self.references.iter().map(|to| foreign_key(set, store, to)));
                if self.in_key || self.sqlite_key.len() > 1 {
                    after = " WITHOUT ROWID".into();
                }
            }
        }
        let name = store.name(set, self.name);
        format!("CREATE TABLE {name} (\n  {}\n){after}", parts.join(",\n  "))
    }

    /// Statements after the data that may run in parallel: keys and indexes.
    pub fn keys(&self, set: &str, store: Engine) -> Vec<String> {
        let name = store.name(set, self.name);
        let mut all = Vec::new();
        if store == Engine::Postgres && !self.key.is_empty() {
            all.push(format!("ALTER TABLE {name} ADD PRIMARY KEY ({})", self.key.join(", ")));
        }
        for index in self.indexes {
            if store == Engine::Sqlite && index.postgres_only {
                continue;
            }
            let unique = if index.unique { "UNIQUE " } else { "" };
            all.push(format!("CREATE {unique}INDEX {} ON {name} {}", index.name, index.on));
        }
        all
    }

    /// Statements after the keys: references and checks, if the table was created without.
    pub fn constraints(&self, set: &str, store: Engine) -> Vec<String> {
        if store == Engine::Sqlite {
            return Vec::new();
        }
        let name = store.name(set, self.name);
        let checks = self.checks.iter().map(|rule| check(store, rule));
        let references = self.references.iter().map(|to| foreign_key(set, store, to));
        checks.chain(references).map(|rule| format!("ALTER TABLE {name} ADD {rule}")).collect()
    }
}

fn check(store: Engine, rule: &str) -> String {
    let cents = if store == Engine::Sqlite { "00" } else { "" };
    format!("CHECK ({})", rule.replace("{cents}", cents))
}

fn foreign_key(set: &str, store: Engine, reference: &Reference) -> String {
    let cascade = if reference.cascade { " ON DELETE CASCADE" } else { "" };
    let table = store.name(set, reference.table);
    format!("FOREIGN KEY ({}) REFERENCES {table} ({}){cascade}", reference.column, reference.key)
}
