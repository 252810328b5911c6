//! What a PostgreSQL database lacks of what is declared, and how it gets it.
//!
//! PostgreSQL prints the declared indexes, made over an empty temporary table, so definitions are
//! compared as texts of one printer.

mod additions;
mod definitions;
mod lock;
mod objects;
mod prepare;
mod run;
mod trial;

use duet_client::connect::Settings;
use duet_client::sqlstate;
use duet_model::{CollectionReference, CollectionTable, Result};
use duet_sql::{
    IndexStatement, IndexSyntax as _, Postgres, Totals, collection_column_statements,
    collection_index_statements, collection_statistics_statement, collection_table_statement,
    in_order_of_references, statistics_name,
};
use duet_store::setup::collections::{extension, extension_statements};
use duet_store::setup::migrate::{
    Action, Blocks, DeclaredObjects, Indexes, MigrationStatement, Object, Observer, Options, Plan,
    Step, TriedPlan, names,
};
use tokio_postgres::Client;

use crate::catalog::totals;
use crate::notify::{self, Topic};
use crate::setup::collections::{names as texts, run};
use definitions::Definitions;
use objects::{ForeignKey, Found, foreign_keys, indexes_of, quoted};

pub(crate) use prepare::prepare_postgres;

/// What a database lacks, and what comes of making it, which is undone.
///
/// # Errors
/// If it cannot be reached or read, the user may not make a temporary table, or another migration is running.
pub(crate) async fn try_postgres(
    settings: &Settings,
    declared: DeclaredObjects,
    options: Options,
) -> Result<TriedPlan> {
    let lock = lock::take(settings, &declared.locked_schema()).await?;
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let tried = async {
        let dialect = prepared(&client).await?;
        let plan = plan(&client, &dialect, declared, options).await?;
        let trials = trial::try_steps(&client, &plan, options).await?;
        Ok(TriedPlan { plan, trials })
    };
    let tried = tried.await;
    drop(client);
    // It ends with the client; how it ends says nothing more.
    drop(running.await);
    lock.release().await;
    tried
}

/// Makes what a database lacks, and says what that was. Requests of its tables go on meanwhile.
///
/// # Errors
/// - `Setting` if another migration is running, the user may not change something, or stored values do not fit. What was
///   done before remains, and the next migration continues.
/// - What the observer answers.
pub(crate) async fn apply_postgres(
    settings: &Settings,
    declared: DeclaredObjects,
    options: Options,
    observer: Observer<'_>,
) -> Result<Plan> {
    let lock = lock::take(settings, &declared.locked_schema()).await?;
    let (client, connection) = settings.connector()?.connect().await?;
    let running = tokio::spawn(connection);
    let applied = async {
        let dialect = prepared(&client).await?;
        let plan = plan(&client, &dialect, declared, options).await?;
        let done = run::run_steps(&client, &plan, options, &lock, observer).await;
        // Also the steps before one that failed.
        if !plan.steps.is_empty() {
            notify::tell(&client, Topic::Schema).await;
        }
        done.map(|()| plan)
    };
    let applied = applied.await;
    drop(client);
    drop(running.await);
    lock.release().await;
    applied
}

/// Prepares a connection for a migration.
async fn prepared(client: &Client) -> Result<Postgres> {
    // Connections of this program only read unless they say otherwise. A build may take hours, and waits for
    // transactions without holding others up.
    let set = "SET default_transaction_read_only = off; SET statement_timeout = 0; SET lock_timeout = 0; \
               SET idle_in_transaction_session_timeout = 0";
    run(client, set).await?;
    // A server of an earlier version, or on a system without it, finds out later that this process has ended.
    drop(client.batch_execute("SET client_connection_check_interval = '1s'").await);
    let icu = "SELECT 1 FROM pg_catalog.pg_collation WHERE collname = 'und-x-icu'";
    let icu = client.query(icu, &[]).await.map_err(|error| sqlstate::error_of(&error))?;
    Ok(Postgres { icu: !icu.is_empty() })
}

async fn plan(
    client: &Client,
    dialect: &Postgres,
    declared: DeclaredObjects,
    options: Options,
) -> Result<Plan> {
    let mut plan = Plan::default();
    additions::plan_additions(client, &declared, &mut plan).await?;
    // Keys of tables that refer to each other come behind all tables.
    let mut keys = Vec::new();
    for mut table in in_order_of_references(declared.collections) {
        table.schema.get_or_insert_with(|| "public".to_owned());
        if options.indexes == Indexes::Declared {
            of_extension(client, dialect, &table, &mut plan).await?;
        }
        let one = Planned::read(client, dialect, &table, options).await?;
        one.steps(client, dialect, &mut plan).await?;
        let ahead = one.table.references.iter().filter(|reference| reference.is_ahead);
        keys.extend(ahead.filter_map(|reference| one.foreign_key(reference)));
    }
    plan.steps.extend(keys);
    Ok(plan)
}

async fn of_extension(
    client: &Client,
    dialect: &Postgres,
    table: &CollectionTable,
    plan: &mut Plan,
) -> Result<()> {
    let Some(name) = extension(dialect, table) else { return Ok(()) };
    let there = "SELECT extname::text FROM pg_catalog.pg_extension WHERE extname = $1";
    let [create, find] = extension_statements(name);
    if texts(client, there, &[&name.to_owned()]).await?.is_empty() {
        let is_planned =
            plan.steps.iter().any(|one| one.object == Object::Extension && one.name == name);
        if !is_planned {
            plan.steps.push(Step {
                action: Action::Create,
                object: Object::Extension,
                name: name.to_owned(),
                schema: String::new(),
                table: String::new(),
                reason: None,
                // Its operator classes are found by the search path.
                statements: vec![
                    MigrationStatement::online(create),
                    MigrationStatement::online(find),
                ],
                rows: None,
                bytes: None,
                blocks: Blocks::Nothing,
            });
        }
        return Ok(());
    }
    run(client, &find).await
}

/// A table of a collection, and what the database has of it.
struct Planned<'t> {
    table: &'t CollectionTable,
    schema: String,
    is_there: bool,
    rows: Option<u64>,
    bytes: Option<u64>,
    columns: Vec<String>,
    keys: Vec<ForeignKey>,
    indexes: Vec<Found>,
    declared: Definitions,
    statistics: Option<String>,
    totals: Vec<Totals>,
    options: Options,
}

impl<'t> Planned<'t> {
    async fn read(
        client: &Client,
        dialect: &Postgres,
        table: &'t CollectionTable,
        options: Options,
    ) -> Result<Self> {
        const SIZE: &str = "SELECT reltuples::bigint, pg_catalog.pg_table_size(oid) \
            FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1)";
        let schema = table.schema.clone().unwrap_or_default();
        let relation = format!("{}.{}", quoted(&schema), quoted(&table.name));
        let size = client.query(SIZE, &[&relation]).await;
        let size = size.map_err(|error| sqlstate::error_of(&error))?;
        let number = |at: usize| {
            let number = size.first().and_then(|row| row.try_get::<_, i64>(at).ok());
            number.and_then(|number| u64::try_from(number).ok())
        };
        let columns = "SELECT attname::text FROM pg_catalog.pg_attribute \
            WHERE attrelid = pg_catalog.to_regclass($1) AND attnum > 0 AND NOT attisdropped";
        let indexes = indexes_of(client, &schema, &table.name).await?;
        let wanted = collection_index_statements(dialect, table, true);
        let is_declared = |found: &Found| {
            wanted.iter().any(|index| {
                let names = [
                    index.name.clone(),
                    names::replacement(&index.name),
                    names::replaced(&index.name),
                ];
                names.contains(&found.name)
            })
        };
        let others: Vec<&Found> =
            indexes.iter().filter(|it| !it.is_constraint && !is_declared(it)).collect();
        let declared = definitions::read(client, dialect, table, &others).await?;
        let name = statistics_name(&table.name);
        Ok(Self {
            is_there: !size.is_empty(),
            rows: number(0),
            bytes: number(1),
            columns: texts(client, columns, &[&relation]).await?,
            keys: foreign_keys(client, &relation).await?,
            statistics: definitions::statistics_of(client, &schema, &table.name, &name).await?,
            totals: totals::stored(client, dialect, &schema, &table.name)
                .await
                .map_err(|error| sqlstate::error_of(&error))?,
            options,
            table,
            schema,
            indexes,
            declared,
        })
    }

    async fn steps(&self, client: &Client, dialect: &Postgres, plan: &mut Plan) -> Result<()> {
        let before = plan.steps.len();
        if self.is_there {
            self.references(dialect, plan);
        } else {
            self.create_table(client, dialect, plan).await?;
        }
        self.all_indexes(dialect, plan);
        self.statistics(dialect, plan);
        self.all_totals(dialect, plan);
        let changes = |step: &Step| step.action != Action::Drop;
        if plan.steps[before..].iter().any(changes) {
            let analyze = vec![MigrationStatement::online(format!("ANALYZE {}", self.relation()))];
            plan.steps.push(self.step(Action::Analyze, Object::Table, &self.table.name, analyze));
        }
        Ok(())
    }

    fn relation(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.table.name))
    }

    fn step(
        &self,
        action: Action,
        object: Object,
        name: &str,
        statements: Vec<MigrationStatement>,
    ) -> Step {
        let blocks = statements.iter().any(|statement| statement.locks);
        Step {
            action,
            object,
            name: name.to_owned(),
            schema: self.schema.clone(),
            table: self.table.name.clone(),
            reason: None,
            statements,
            rows: self.rows,
            bytes: self.bytes.filter(|_| self.is_there),
            blocks: if blocks { Blocks::Briefly } else { Blocks::Nothing },
        }
    }

    async fn create_table(
        &self,
        client: &Client,
        dialect: &Postgres,
        plan: &mut Plan,
    ) -> Result<()> {
        let mut statements = Vec::new();
        let known = "SELECT nspname::text FROM pg_catalog.pg_namespace WHERE nspname = $1";
        if texts(client, known, &[&self.schema]).await?.is_empty() {
            let make = format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(&self.schema));
            statements.push(MigrationStatement::online(make));
        }
        let make = collection_table_statement(dialect, self.table);
        // A foreign key locks the other table for a moment.
        statements.push(MigrationStatement { sql: make, locks: !self.table.references.is_empty() });
        plan.steps.push(self.step(Action::Create, Object::Table, &self.table.name, statements));
        Ok(())
    }

    /// The columns of references, and their keys.
    fn references(&self, dialect: &Postgres, plan: &mut Plan) {
        for column in collection_column_statements(dialect, self.table) {
            let is_there = self.columns.contains(&column.name);
            let reference = self.table.references.iter().find(|it| it.column() == column.name);
            if is_there {
                let reference = reference.filter(|it| !it.is_ahead);
                plan.steps.extend(reference.and_then(|it| self.foreign_key(it)));
                continue;
            }
            let object = if reference.is_some() { Object::Reference } else { Object::Column };
            let statements = vec![MigrationStatement::locking(column.sql)];
            let mut step = self.step(Action::Create, object, &column.name, statements);
            // A stored column is computed for every row, which writes the table anew.
            step.blocks = Blocks::Everything;
            plan.steps.push(step);
        }
        let is_declared =
            |key: &ForeignKey| self.table.references.iter().any(|it| it.column() == key.column);
        for key in self.keys.iter().filter(|key| !is_declared(key)) {
            plan.notes.push(format!(
                "The column {:?} of {} refers to {}, which no reference declares. It stays.",
                key.column, self.table.name, key.table
            ));
        }
    }

    /// The step that makes the foreign key of a column what is declared.
    fn foreign_key(&self, reference: &CollectionReference) -> Option<Step> {
        let column = reference.column();
        let found = self.keys.iter().find(|key| key.column == column);
        let is_same =
            |key: &&ForeignKey| key.table == reference.table && key.cascades == reference.cascades;
        let name = found.map_or_else(
            || names::stored(&format!("{}_{column}_fkey", self.table.name)),
            |key| key.name.clone(),
        );
        let relation = self.relation();
        let validate = MigrationStatement::online(format!(
            "ALTER TABLE {relation} VALIDATE CONSTRAINT {}",
            quoted(&name)
        ));
        if let Some(key) = found.filter(is_same) {
            let finish = || self.step(Action::Finish, Object::Reference, &column, vec![validate]);
            return (!key.is_valid).then(finish);
        }
        let drop = found.map(|_| format!("DROP CONSTRAINT {}, ", quoted(&name)));
        let add = format!(
            "ALTER TABLE {relation} {}ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {}.{} ({}){} NOT VALID",
            drop.unwrap_or_default(),
            quoted(&name),
            quoted(&column),
            quoted(&self.schema),
            quoted(&reference.table),
            quoted(duet_model::collection::KEY),
            if reference.cascades { " ON DELETE CASCADE" } else { "" },
        );
        let action = if found.is_some() { Action::Replace } else { Action::Create };
        let statements = vec![MigrationStatement::locking(add), validate];
        Some(self.step(action, Object::Reference, &column, statements))
    }

    fn all_indexes(&self, dialect: &Postgres, plan: &mut Plan) {
        let indexes = self.options.indexes;
        for index in &indexes.wanted(dialect, self.table, true) {
            self.index(index, plan);
        }
        let unwanted = indexes.unwanted(dialect, self.table);
        let is_former = |it: &Found| {
            self.options.drops && self.declared.own.contains(&it.name) && !self.is_renamed(it)
        };
        let is_open = |it: &&Found| unwanted.contains(&it.name) || is_former(it);
        for found in self.indexes.iter().filter(is_open) {
            let drop = vec![self.drop_index(&found.name)];
            plan.steps.push(self.step(Action::Drop, Object::Index, &found.name, drop));
        }
    }

    fn found(&self, name: &str) -> Option<&Found> {
        self.indexes.iter().find(|found| found.name == name)
    }

    fn drop_index(&self, name: &str) -> MigrationStatement {
        let name = format!("{}.{}", quoted(&self.schema), quoted(name));
        MigrationStatement::online(format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))
    }

    fn rename_index(&self, from: &str, to: &str) -> String {
        format!("ALTER INDEX {}.{} RENAME TO {}", quoted(&self.schema), quoted(from), quoted(to))
    }

    /// The index whose name PostgreSQL has cut, before names were made to fit: of the same definition.
    fn cut_name(&self, name: &str) -> Option<&Found> {
        let declared = self.declared.indexes.get(name)?;
        let is_it = |found: &&Found| {
            let is_right = found.is_valid && found.definition == *declared;
            is_right && !found.is_constraint && names::was_cut(&found.name, name)
        };
        self.indexes.iter().find(is_it)
    }

    /// Whether a step gives an index the name of a declared one.
    fn is_renamed(&self, found: &Found) -> bool {
        let names = self.declared.indexes.keys();
        let mut cut = names.filter(|name| self.found(name).is_none());
        cut.any(|name| self.cut_name(name).is_some_and(|one| one.name == found.name))
    }

    /// The step that makes an index what is declared.
    fn index(&self, wanted: &IndexStatement, plan: &mut Plan) {
        let name = wanted.name.clone();
        let [new, old] = [names::replacement(&wanted.name), names::replaced(&wanted.name)];
        let declared = self.declared.indexes.get(&name);
        let is_right = |found: &&Found| found.is_valid && declared == Some(&found.definition);
        let (found, beside, left) = (self.found(&name), self.found(&new), self.found(&old));
        let mut statements: Vec<MigrationStatement> =
            left.map(|_| self.drop_index(&old)).into_iter().collect();
        let mut push = |action, reason: &str, statements| {
            let mut step = self.step(action, Object::Index, &name, statements);
            step.reason = (!reason.is_empty()).then(|| reason.to_owned());
            plan.steps.push(step);
        };
        let build = || MigrationStatement::online(wanted.sql.clone());
        match found {
            Some(it) if is_right(&it) => {
                statements.extend(beside.map(|_| self.drop_index(&new)));
                if !statements.is_empty() {
                    push(
                        Action::Finish,
                        "what an interrupted migration has replaced remains",
                        statements,
                    );
                }
            }
            None => {
                statements.extend(beside.map(|_| self.drop_index(&new)));
                if let Some(cut) = self.cut_name(&name) {
                    statements
                        .push(MigrationStatement::locking(self.rename_index(&cut.name, &name)));
                    push(Action::Replace, "PostgreSQL has cut its name", statements);
                    return;
                }
                statements.push(build());
                push(Action::Create, "", statements);
            }
            Some(it) if !it.is_valid => {
                statements.extend([self.drop_index(&name), build()]);
                push(Action::Finish, "it is not valid: its build was interrupted", statements);
            }
            Some(_) => {
                let swap = [self.rename_index(&name, &old), self.rename_index(&new, &name)];
                let swap = [MigrationStatement::locking(swap.join(";\n")), self.drop_index(&old)];
                if beside.filter(is_right).is_some() {
                    statements.extend(swap);
                    push(Action::Finish, "its replacement is built already", statements);
                    return;
                }
                statements.extend(beside.map(|_| self.drop_index(&new)));
                let sql = wanted.sql.replacen(&quoted(&wanted.name), &quoted(&new), 1);
                statements.push(MigrationStatement::online(sql));
                statements.extend(swap);
                push(Action::Replace, "its definition has changed", statements);
            }
        }
    }

    fn statistics(&self, dialect: &Postgres, plan: &mut Plan) {
        let name = statistics_name(&self.table.name);
        let drop = format!("DROP STATISTICS IF EXISTS {}.{}", quoted(&self.schema), quoted(&name));
        let make = collection_statistics_statement(dialect, self.table);
        let (action, statements) = match (&self.statistics, &self.declared.statistics, make) {
            (None, Some(_), Some(make)) => {
                (Action::Create, vec![MigrationStatement::locking(make.sql)])
            }
            (Some(found), Some(declared), Some(make)) if found != declared => (
                Action::Replace,
                vec![MigrationStatement::locking(format!("{drop};\n{}", make.sql))],
            ),
            (Some(_), None, None) if self.options.drops => {
                (Action::Drop, vec![MigrationStatement::locking(drop)])
            }
            _ => return,
        };
        plan.steps.push(self.step(action, Object::Statistics, &name, statements));
    }

    fn all_totals(&self, dialect: &Postgres, plan: &mut Plan) {
        let declared = Totals::all(self.table);
        let wanted = self.options.indexes.totals(&declared);
        let step = |action, totals: &Totals, sql: String| {
            self.step(action, Object::Totals, &totals.name, vec![MigrationStatement::locking(sql)])
        };
        for totals in wanted.iter().filter(|it| !self.totals.contains(it)) {
            let make = dialect.totals_script(totals);
            // All documents are counted once.
            let blocks = Blocks::Writes;
            plan.steps.push(Step { blocks, ..step(Action::Create, totals, make) });
        }
        let is_open = |it: &&Totals| {
            let is_declared = declared.iter().any(|one| one.name == it.name);
            let is_wanted = wanted.iter().any(|one| one.name == it.name);
            !is_wanted && (self.options.drops || is_declared)
        };
        for totals in self.totals.iter().filter(is_open) {
            let drop = dialect.totals_drop_script(totals);
            plan.steps.push(step(Action::Drop, totals, drop));
        }
    }
}
