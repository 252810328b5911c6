//! A database as the target of a copy from another store. Rows arrive by `COPY`, a batch and its progress in one
//! transaction; keys, references and indexes follow behind all rows, in one more.

mod tables;
mod trial;

use async_trait::async_trait;
use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_document::RowSet;
use duet_model::{Code, Error, Result};
use duet_store::setup::copy::remainder::Remainder;
use duet_store::setup::copy::{
    CopyDestination, CopyProgress, CopySource, CopyStage, CopyTarget, Original,
};
use duet_store::setup::load::{LoadSource, quoted};
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{Client, GenericClient, Transaction};

/// Where progress is kept, and what is put back at the end. The row without a table says that a copy has begun, and
/// once they are made, by `is_complete`, which tables it has made.
const PROGRESS: &str = "CREATE TABLE IF NOT EXISTS duet.copies (
        source      text    NOT NULL,
        table_name  text    NOT NULL,
        rows        bigint  NOT NULL DEFAULT 0,
        is_complete boolean NOT NULL DEFAULT false,
        afterwards  text[]  NOT NULL DEFAULT '{}',
        PRIMARY KEY (source, table_name)
    );
    COMMENT ON TABLE duet.copies IS 'How far `duet copy` is; it is removed at the end.'";

/// A database that takes a copy.
#[derive(Debug)]
pub(crate) struct PostgresTarget {
    client: Client,
    described: String,
    /// The schema of the tables.
    schema: String,
}

impl PostgresTarget {
    /// Connects; without a schema, the tables go to the first of the search path.
    ///
    /// # Errors
    /// As [`Settings::connector`], and `Setting` where the search path has no schema.
    pub(crate) async fn connect(settings: &Settings, schema: Option<String>) -> Result<Self> {
        let (client, connection) = settings.connector()?.connect().await?;
        tokio::spawn(connection);
        let current = client.query_one("SELECT current_schema()::text", &[]).await;
        let current: Option<String> = current.map_err(|error| failed(&error))?.get(0);
        let schema = schema.or(current).ok_or_else(|| {
            Error::new(Code::Setting, "The search path of the database user names no schema.")
                .hint("Give one by `--schema`.")
        })?;
        Ok(Self { client, described: settings.describe(), schema })
    }

    async fn start(&mut self) -> Result<Transaction<'_>> {
        let started = self.client.build_transaction().read_only(false).start().await;
        started.map_err(|error| failed(&error))
    }

    /// What makes the schemas that are not there; to make one takes a right that those who have a schema may lack.
    async fn missing_schemas(&self) -> Result<Vec<String>> {
        let missing = "SELECT name FROM unnest($1::text[]) name
            WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = name)";
        let names = ["duet", self.schema.as_str()];
        let rows = self.client.query(missing, &[&&names[..]]).await;
        let rows = rows.map_err(|error| failed(&error))?;
        let statement = |row: &tokio_postgres::Row| format!("CREATE SCHEMA {}", quoted(row.get(0)));
        Ok(rows.iter().map(statement).collect())
    }

    /// Keeps other copies of this name away until the connection ends.
    async fn take_turn(&self, from: &str) -> Result<()> {
        let lock = "SELECT pg_try_advisory_lock(hashtext('duet copy'), hashtext($1))";
        let taken = self.client.query_one(lock, &[&from]).await;
        if taken.map_err(|error| failed(&error))?.get(0) {
            return Ok(());
        }
        let message = format!("Another `duet copy` writes {} of {}.", from, self.described);
        Err(Error::new(Code::Setting, message).hint("Wait for its end, or stop it."))
    }

    fn name(&self, of: &CopyDestination) -> String {
        name(&self.schema, of)
    }

    /// Notes that a table begins, without its references: rows come in any order.
    async fn begin_table(&mut self, from: &str, of: &CopyDestination) -> Result<CopyProgress> {
        let name = self.name(of);
        let described = self.described.clone();
        let transaction = self.start().await?;
        let failed = |error: tokio_postgres::Error| {
            let why = message_of(&error);
            Error::new(
                Code::Setting,
                format!("`{}` of {described} takes no rows: {why}.", of.table),
            )
        };
        let is_empty: bool = transaction
            .query_one(&format!("SELECT NOT EXISTS (SELECT FROM {name})"), &[])
            .await
            .map_err(failed)?
            .get(0);
        if !is_empty && !of.is_shared {
            let message =
                format!("`{}` of {described} has rows already. None was written to it.", of.table);
            return Err(Error::new(Code::Setting, message).hint("Copy into empty tables."));
        }
        let afterwards = set_references_aside(&transaction, &name).await.map_err(failed)?;
        let insert = "INSERT INTO duet.copies (source, table_name, afterwards) VALUES ($1, $2, $3)";
        transaction.execute(insert, &[&from, &of.from, &afterwards]).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)?;
        Ok(CopyProgress::default())
    }
}

#[async_trait(?Send)]
impl CopyTarget for PostgresTarget {
    fn schema(&self) -> &str {
        &self.schema
    }

    fn remainders(&self, original: &Original) -> Vec<Remainder> {
        tables::remainders(original)
    }

    fn statements(&self, original: &Original) -> [Vec<String>; 2] {
        statements(&self.schema, original)
    }

    async fn begun(&mut self, from: &str) -> Result<CopyStage> {
        self.take_turn(from).await?;
        let there = "SELECT to_regclass('duet.copies') IS NOT NULL";
        if !self
            .client
            .query_one(there, &[])
            .await
            .map_err(|error| failed(&error))?
            .get::<_, bool>(0)
        {
            return Ok(CopyStage::None);
        }
        let begun = "SELECT afterwards, is_complete, rows FROM duet.copies WHERE source = $1 AND table_name = ''";
        let row = self.client.query_opt(begun, &[&from]).await.map_err(|error| failed(&error))?;
        Ok(match row {
            None => CopyStage::None,
            Some(row) if row.get::<_, i64>(2) > 0 => CopyStage::Ended,
            Some(row) if row.get::<_, bool>(1) => CopyStage::Made(row.get(0)),
            Some(_) => CopyStage::Begun,
        })
    }

    async fn existing(&mut self, names: &[String]) -> Result<Vec<String>> {
        existing(&self.client, &self.schema, names).await
    }

    async fn begin(&mut self, from: &str) -> Result<()> {
        let schemas = self.missing_schemas().await?;
        let transaction = self.start().await?;
        for schema in schemas {
            run(&transaction, &schema).await?;
        }
        run(&transaction, PROGRESS).await?;
        let note =
            "INSERT INTO duet.copies (source, table_name) VALUES ($1, '') ON CONFLICT DO NOTHING";
        transaction.execute(note, &[&from]).await.map_err(|error| failed(&error))?;
        transaction.commit().await.map_err(|error| failed(&error))
    }

    async fn make(&mut self, from: &str, original: &Original, others: &[String]) -> Result<()> {
        let names: Vec<&str> = original.tables.iter().map(|table| table.name.as_str()).collect();
        let statements = self.statements(original);
        let clear =
            |name: &String| format!("DELETE FROM {}.{}", quoted(&self.schema), quoted(name));
        let cleared: Vec<String> = others.iter().map(clear).collect();
        let transaction = self.start().await?;
        try_all(&transaction, statements).await?;
        for sql in cleared {
            run(&transaction, &sql).await?;
        }
        let note = "UPDATE duet.copies SET afterwards = $2, is_complete = true WHERE source = $1 AND table_name = ''";
        let noted = transaction.execute(note, &[&from, &names]).await;
        noted.map_err(|error| failed(&error))?;
        transaction.commit().await.map_err(|error| failed(&error))
    }

    async fn try_make(
        &mut self,
        original: &Original,
        [first, last]: &[Vec<LoadSource>; 2],
    ) -> Result<Vec<String>> {
        let (schemas, schema) = (self.missing_schemas().await?, self.schema.clone());
        let names: Vec<String> = original.tables.iter().map(|table| table.name.clone()).collect();
        let transaction = self.start().await?;
        for statement in schemas {
            run(&transaction, &statement).await?;
        }
        // As for a load: scripts name their tables without a schema.
        run(&transaction, &format!("SET LOCAL search_path = {}", quoted(&schema))).await?;
        run_scripts(&transaction, first).await?;
        let there = existing(&transaction, &schema, &names).await?;
        let others = original.tables.iter().filter(|table| !there.contains(&table.name));
        let others = Original { tables: others.cloned().collect(), ..Original::default() };
        let [made, behind] = statements(&schema, &others);
        for statement in made.iter().chain(&behind) {
            run(&transaction, statement).await?;
        }
        run_scripts(&transaction, last).await?;
        transaction.rollback().await.map_err(|error| failed(&error))?;
        Ok(there)
    }

    async fn try_rows(
        &mut self,
        from: &str,
        scripts: &[LoadSource],
        tables: &[CopyDestination],
        rows: Option<&dyn CopySource>,
    ) -> Result<Vec<String>> {
        let (schemas, schema) = (self.missing_schemas().await?, self.schema.clone());
        let noted = trial::noted(&self.client, from).await?;
        let mut transaction = self.start().await?;
        for statement in schemas {
            run(&transaction, &statement).await?;
        }
        run(&transaction, &format!("SET LOCAL search_path = {}", quoted(&schema))).await?;
        run_scripts(&transaction, scripts).await?;
        let mut found = Vec::new();
        for of in tables {
            let progress = noted.get(&of.from).copied();
            let name = name(&schema, of);
            found.extend(trial::mistakes(&mut transaction, &name, of, progress, rows).await?);
        }
        transaction.rollback().await.map_err(|error| failed(&error))?;
        Ok(found)
    }

    async fn progress(&mut self, from: &str, of: &CopyDestination) -> Result<CopyProgress> {
        let known =
            "SELECT rows, is_complete FROM duet.copies WHERE source = $1 AND table_name = $2";
        let known = self.client.query_opt(known, &[&from, &of.from]).await;
        match known.map_err(|error| failed(&error))? {
            None => self.begin_table(from, of).await,
            Some(row) => Ok(CopyProgress {
                rows: row.get::<_, i64>(0).unsigned_abs(),
                is_complete: row.get(1),
            }),
        }
    }

    async fn write(&mut self, from: &str, of: &CopyDestination, rows: &RowSet) -> Result<()> {
        let name = self.name(of);
        let transaction = self.start().await?;
        let failed = |error: tokio_postgres::Error| row_error(&error, of);
        if !rows.is_empty() {
            trial::write(&transaction, &name, of, rows).await.map_err(failed)?;
        }
        let note = "UPDATE duet.copies SET rows = rows + $3, is_complete = $3 = 0
                     WHERE source = $1 AND table_name = $2";
        let count = rows.len() as i64;
        transaction.execute(note, &[&from, &of.from, &count]).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)
    }

    async fn end(&mut self, from: &str, original: &Original) -> Result<()> {
        let [_, behind] = self.statements(original);
        let tables: Vec<String> = original
            .tables
            .iter()
            .map(|table| format!("{}.{}", quoted(&self.schema), quoted(&table.name)))
            .collect();
        let transaction = self.start().await?;
        let kept =
            "SELECT unnest(afterwards) FROM duet.copies WHERE source = $1 AND table_name <> ''";
        let kept = transaction.query(kept, &[&from]).await.map_err(|error| failed(&error))?;
        for sql in behind.into_iter().chain(kept.iter().map(|row| row.get(0))) {
            run(&transaction, &sql).await?;
        }
        let note = "UPDATE duet.copies SET rows = 1 WHERE source = $1 AND table_name = ''";
        transaction.execute(note, &[&from]).await.map_err(|error| failed(&error))?;
        transaction.commit().await.map_err(|error| failed(&error))?;
        for table in tables {
            // Without statistics everything works, only slower at first.
            let _ = self.client.batch_execute(&format!("VACUUM (ANALYZE) {table}")).await;
        }
        Ok(())
    }

    async fn forget(&mut self, from: &str) -> Result<()> {
        let transaction = self.start().await?;
        let forget = "DELETE FROM duet.copies WHERE source = $1";
        transaction.execute(forget, &[&from]).await.map_err(|error| failed(&error))?;
        let others = transaction.query_one("SELECT EXISTS (SELECT FROM duet.copies)", &[]).await;
        if !others.map_err(|error| failed(&error))?.get::<_, bool>(0) {
            run(&transaction, "DROP TABLE duet.copies").await?;
        }
        transaction.commit().await.map_err(|error| failed(&error))
    }
}

/// A table as statements name it.
fn name(schema: &str, of: &CopyDestination) -> String {
    let schema = of.schema.as_deref().unwrap_or(schema);
    format!("{}.{}", quoted(schema), quoted(&of.table))
}

/// Takes away the references of a table; what puts them back.
async fn set_references_aside(
    transaction: &Transaction<'_>,
    name: &str,
) -> std::result::Result<Vec<String>, tokio_postgres::Error> {
    const KEYS: &str = "SELECT conname::text, pg_catalog.pg_get_constraintdef(oid)
        FROM pg_catalog.pg_constraint WHERE conrelid = $1::text::regclass AND contype = 'f' ORDER BY 1";
    let mut afterwards = Vec::new();
    for key in transaction.query(KEYS, &[&name]).await? {
        let (key, definition): (String, String) = (key.get(0), key.get(1));
        let alter = format!("ALTER TABLE {name}");
        transaction.batch_execute(&format!("{alter} DROP CONSTRAINT {}", quoted(&key))).await?;
        afterwards.push(format!("{alter} ADD CONSTRAINT {} {definition}", quoted(&key)));
    }
    Ok(afterwards)
}

/// The statements that make tables, and those that follow behind their rows.
fn statements(schema: &str, original: &Original) -> [Vec<String>; 2] {
    let made = original.tables.iter().map(|table| tables::table(schema, table));
    [made.collect(), tables::behind(schema, original)]
}

/// Those of these tables that a schema has.
async fn existing(
    client: &impl GenericClient,
    schema: &str,
    names: &[String],
) -> Result<Vec<String>> {
    const FOUND: &str = "SELECT c.relname::text FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::text AND c.relname = ANY ($2::text[]) ORDER BY 1";
    let rows = client.query(FOUND, &[&schema, &names]).await;
    Ok(rows.map_err(|error| failed(&error))?.iter().map(|row| row.get(0)).collect())
}

/// Runs the scripts of an application, each as a whole.
async fn run_scripts(transaction: &Transaction<'_>, scripts: &[LoadSource]) -> Result<()> {
    for script in scripts {
        // Files of databases are for other stores.
        let LoadSource::Script { name, text } = script else { continue };
        transaction.batch_execute(text).await.map_err(|error| {
            let message = format!("PostgreSQL refuses the script {name}: {}.", message_of(&error));
            Error::new(Code::Setting, message).cause(sqlstate::chain(&error))
        })?;
    }
    Ok(())
}

/// Runs the first statements. The others are tried on the empty tables and undone: their mistakes are known before a
/// row is copied.
async fn try_all(transaction: &Transaction<'_>, [made, behind]: [Vec<String>; 2]) -> Result<()> {
    for sql in made {
        run(transaction, &sql).await?;
    }
    run(transaction, "SAVEPOINT tables").await?;
    for sql in behind {
        run(transaction, &sql).await?;
    }
    run(transaction, "ROLLBACK TO SAVEPOINT tables").await
}

async fn run(transaction: &Transaction<'_>, sql: &str) -> Result<()> {
    transaction.batch_execute(sql).await.map_err(|error| {
        let first = sql.lines().next().unwrap_or_default().trim_end_matches(" (");
        let message = format!("PostgreSQL refuses `{first}`: {}.", message_of(&error));
        Error::new(Code::Setting, message)
            .maybe_hint(error.as_db_error().and_then(DbError::detail).map(str::to_owned))
            .cause(sqlstate::chain(&error))
    })
}

/// The error of a statement that no user's row is at fault for.
fn failed(error: &tokio_postgres::Error) -> Error {
    if error.code() != Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return sqlstate::error_of(error);
    }
    let message = format!("The database user may not do this: {}.", message_of(error));
    Error::new(Code::Setting, message)
        .hint("A copy needs CREATE on the database, or on its schemas and `duet` where they exist.")
}

fn message_of(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| sqlstate::chain(error), |it| it.message().to_owned())
}

/// The error of a row: which one by its number in the order of the key, as batches begin behind complete ones.
fn row_error(error: &tokio_postgres::Error, of: &CopyDestination) -> Error {
    let Some(db_error) = error.as_db_error() else { return sqlstate::error_of(error) };
    // `COPY t, line 3, column a: "x"`.
    let place = db_error.where_().and_then(|text| text.split(": ").next());
    let place = place.and_then(|text| text.split_once(", ")).map(|(_, place)| place);
    let message = format!(
        "A row of `{}` cannot be written: {} ({}).",
        of.from,
        db_error.message(),
        place.unwrap_or("its place is not known")
    );
    Error::new(Code::Setting, message)
        .hint("Lines count from the first row that is not written yet, in the order of the key. Correct the row in the file, and repeat the command: it goes on where it ended.")
        .cause(sqlstate::chain(error))
}
