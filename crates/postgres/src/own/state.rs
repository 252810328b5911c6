//! Duet's own state (clients and keys) in a PostgreSQL database: one row in the schema `duet`,
//! made only on request. A change is announced to the servers that listen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use duet_auth::{DbRole, State};
use duet_client::connect::{PostgresConnector, Settings};
use duet_client::sqlstate;
use duet_model::{Code, Error, Result};
use duet_store::news::News;
use duet_store::setup::state::{Change, StateTable};
use tokio::sync::Mutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row, Transaction};

use crate::connection::{alive, role};
use crate::notify::{self, Topic};

/// The schema that the state is kept in. It is never served.
const SCHEMA: &str = "duet";

/// One row at most, so that a lock on it is a lock on the state.
const CREATE: &str = "
    CREATE SCHEMA IF NOT EXISTS duet;
    CREATE TABLE IF NOT EXISTS duet.state (
        id        integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        revision  bigint NOT NULL,
        state     text   NOT NULL
    );
    REVOKE ALL ON duet.state FROM PUBLIC;
    COMMENT ON TABLE duet.state IS 'Clients and signing keys of Duet: keep it from everyone else.'";

/// A hash of the content.
const VERSION: &str = "('x' || left(md5(revision || ' ' || state), 16))::bit(64)::bigint";

/// How often the table is made while others make it.
const MAKING: u32 = 10;

/// What a session meets that makes what another one makes.
///
/// Rights of the schema that another session grants meanwhile are an internal error, "tuple concurrently updated".
const MADE_BY_OTHERS: [SqlState; 4] = [
    SqlState::UNIQUE_VIOLATION,
    SqlState::DUPLICATE_SCHEMA,
    SqlState::DUPLICATE_TABLE,
    SqlState::INTERNAL_ERROR,
];

/// It takes no right to the schema to ask.
const EXISTS: &str = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'duet' AND c.relname = 'state')";

/// Whether the table exists and the user may read it; and whether the server is a standby.
const READABLE: &str = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'duet' AND c.relname = 'state'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')), pg_catalog.pg_is_in_recovery()";

/// The table that holds the state of one database.
#[derive(Debug)]
pub(crate) struct PostgresState {
    connector: PostgresConnector,
    described: String,
    client: Mutex<Option<Client>>,
    /// What those who change the state tell.
    news: Arc<News>,
    /// Whether the server itself answers, and no pooler, as far as it is known.
    is_direct: Mutex<Option<bool>>,
    /// Whether the table could be read at the last look.
    is_readable: AtomicBool,
}

impl PostgresState {
    /// The table of a database, which may not exist. Nothing is connected yet.
    ///
    /// # Errors
    /// As [`Settings::connector`].
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let described = settings.describe();
        Ok(Self {
            connector: settings.connector()?,
            described,
            client: Mutex::new(None),
            news: Arc::default(),
            is_direct: Mutex::default(),
            is_readable: AtomicBool::new(false),
        })
    }

    /// Makes schema and table where they are absent. `IF NOT EXISTS` does not see what another session makes at
    /// this moment: then they are there afterwards. Whether it has made them.
    async fn make(&self, client: &mut Client) -> Result<bool> {
        for tries in 1.. {
            let transaction = start(client).await?;
            if one(&transaction, EXISTS).await?.get(0) {
                return Ok(false);
            }
            let made = match transaction.batch_execute(CREATE).await {
                Ok(()) => transaction.commit().await,
                Err(error) => transaction.rollback().await.and(Err(error)),
            };
            let Err(error) = made else { return Ok(true) };
            if tries == MAKING || !error.code().is_some_and(|code| MADE_BY_OTHERS.contains(code)) {
                return Err(self.failed("cannot be made", &error));
            }
        }
        Ok(false)
    }

    async fn load_where(&self, condition: &str) -> Result<Option<(State, u64)>> {
        let mut client = self.client.lock().await;
        let client = self.connected(&mut client).await?;
        let failed = |error| self.failed("cannot be read", &error);
        // Typed queries leave no prepared statement behind, which a busy pooler would look for elsewhere.
        let there = client.query_typed(condition, &[]).await.map_err(failed)?;
        if !there.first().is_some_and(|row| row.get(0)) {
            return Ok(None);
        }
        let sql = format!("SELECT state, {VERSION} FROM duet.state");
        let rows = client.query_typed(&sql, &[]).await.map_err(failed)?;
        let versioned =
            |row: &Row| Ok((State::from_json(row.get(0))?, row.get::<_, i64>(1).cast_unsigned()));
        rows.first().map(versioned).transpose()
    }

    async fn connected<'a>(&self, slot: &'a mut Option<Client>) -> Result<&'a mut Client> {
        if slot.as_ref().is_none_or(Client::is_closed) {
            let made = self.connector.connect_heard(Topic::Clients.hearer(&self.news)).await?;
            tokio::spawn(notify::noted(&self.news, made.running));
            *slot = Some(made.client);
        }
        slot.as_mut().ok_or_else(|| Error::internal("no connection to the state"))
    }

    /// Listens, where no pooler lends the connection to others.
    async fn listen(&self, client: &Client) -> Result<()> {
        if !self.news.can_listen() {
            return Ok(());
        }
        let mut known = self.is_direct.lock().await;
        let is_direct = match *known {
            Some(is_direct) => is_direct,
            None => *known.insert(self.connector.is_direct().await?),
        };
        match is_direct {
            true => drop(notify::listen(client, &self.news).await),
            false => self.news.asked(false),
        }
        Ok(())
    }

    /// The version, in one statement where it could be read before and the connection listens.
    async fn read_version(&self, slot: &mut Option<Client>) -> Result<Option<u64>> {
        let client = self.connected(slot).await?;
        let failed = |error| self.failed("cannot be read", &error);
        // Typed queries take one round trip each. An absent table is not selected from:
        // the server would log an error each time.
        if !self.is_readable.load(Ordering::Relaxed) || self.news.can_listen() {
            let there = client.query_typed(READABLE, &[]).await.map_err(failed)?;
            let is = |column: usize| there.first().is_some_and(|row| row.get(column));
            if !is(1) {
                self.listen(client).await?;
            }
            if !is(0) {
                return Ok(None);
            }
        }
        self.is_readable.store(false, Ordering::Relaxed);
        let rows = client.query_typed(&format!("SELECT {VERSION} FROM duet.state"), &[]).await;
        let rows = rows.map_err(failed)?;
        self.is_readable.store(true, Ordering::Relaxed);
        Ok(rows.first().map(|row| row.get::<_, i64>(0).cast_unsigned()))
    }

    /// Has the servers told when the transaction commits.
    async fn told(&self, transaction: &Transaction<'_>) -> Result<()> {
        let told = transaction.batch_execute(Topic::Clients.sql()).await;
        told.map_err(|error| self.failed("cannot be written", &error))
    }

    fn failed(&self, what: &str, error: &tokio_postgres::Error) -> Error {
        match error.as_db_error() {
            Some(db_error) => Error::new(
                Code::Setting,
                format!("Duet's state in {} {what}: {}.", self.described, db_error.message()),
            )
            .maybe_hint(db_error.hint().map(str::to_owned)),
            None => sqlstate::error_of(error),
        }
    }
}

#[async_trait]
impl StateTable for PostgresState {
    fn describe(&self) -> &str {
        &self.described
    }

    async fn create(&self, now: u64) -> Result<bool> {
        let mut client = self.client.lock().await;
        let client = self.connected(&mut client).await?;
        let is_new = self.make(client).await?;
        let transaction = start(client).await?;
        let state = State::new(now)?;
        let insert =
            "INSERT INTO duet.state (revision, state) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        transaction
            .execute(insert, &[&state.revision().cast_signed(), &state.to_json()?.as_str()])
            .await
            .map_err(|error| self.failed("cannot be made", &error))?;
        self.told(&transaction).await?;
        transaction.commit().await.map_err(|error| self.failed("cannot be made", &error))?;
        Ok(is_new)
    }

    async fn load(&self) -> Result<Option<State>> {
        Ok(self.load_where(EXISTS).await?.map(|(state, _)| state))
    }

    async fn load_version(&self) -> Result<Option<(State, u64)>> {
        self.load_where(READABLE).await
    }

    async fn version(&self) -> Result<Option<u64>> {
        let mut client = self.client.lock().await;
        let end = self.connector.patience().map(|limit| Instant::now() + limit);
        let read = alive::until(end, Box::pin(self.read_version(&mut client))).await;
        // A server that hangs says nothing on this connection any more.
        read.inspect_err(|_| *client = None)?
    }

    async fn change(&self, change: Change<'_>) -> Result<()> {
        let mut client = self.client.lock().await;
        let client = self.connected(&mut client).await?;
        let transaction = start(client).await?;
        let there: bool = one(&transaction, EXISTS).await?.get(0);
        let row = match there {
            true => transaction
                .query_opt("SELECT state FROM duet.state FOR UPDATE", &[])
                .await
                .map_err(|error| self.failed("cannot be read", &error))?,
            false => None,
        };
        let row = row.ok_or_else(|| self.missing())?;
        let mut state = State::from_json(row.get(0))?;
        change(&mut state)?;
        state.next_revision();
        transaction
            .execute(
                "UPDATE duet.state SET revision = $1, state = $2",
                &[&state.revision().cast_signed(), &state.to_json()?.as_str()],
            )
            .await
            .map_err(|error| self.failed("cannot be written", &error))?;
        self.told(&transaction).await?;
        transaction.commit().await.map_err(|error| self.failed("cannot be written", &error))?;
        Ok(())
    }

    async fn check_role(&self, role: &DbRole) -> Result<()> {
        let mut client = self.client.lock().await;
        role::check(self.connected(&mut client).await?, role).await
    }

    fn news(&self) -> Option<&Arc<News>> {
        Some(&self.news)
    }

    fn missing(&self) -> Error {
        let message = format!("{} has no schema `{SCHEMA}` with clients.", self.described);
        Error::new(Code::Setting, message)
            .hint("`duet client add NAME --in-database URL` makes it.")
    }
}

async fn start(client: &mut Client) -> Result<Transaction<'_>> {
    let started = client.build_transaction().read_only(false).start().await;
    started.map_err(|error| sqlstate::error_of(&error))
}

async fn one(transaction: &Transaction<'_>, query: &str) -> Result<Row> {
    transaction.query_one(query, &[]).await.map_err(|error| sqlstate::error_of(&error))
}

#[cfg(test)]
mod tests {
    use duet_testkit::postgres::Server;

    use super::*;

    fn table_of(settings: &Settings) -> Result<Box<dyn StateTable>> {
        Ok(Box::new(PostgresState::new(settings)?))
    }

    #[test]
    fn made_on_request_only_and_changed_under_a_lock() {
        let database = Server::shared().database("state");
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let table = table_of(&settings).unwrap();
        runtime.block_on(async {
            assert_eq!(table.load().await.unwrap(), None);
            assert_eq!(table.version().await.unwrap(), None);
            let refusal = table.update(|state| state.remove("x", 1)).await.unwrap_err();
            assert!(refusal.message.contains("no schema `duet`"), "{refusal}");
            table.create(1).await.unwrap();
            table.create(2).await.unwrap();
            let before = table.version().await.unwrap();
            assert!(before.is_some());
            let (client, _) =
                table.update(|state| state.add("a", &["duet.read"], 3)).await.unwrap();
            let state = table.load().await.unwrap().unwrap();
            assert_eq!(state.find("a").unwrap(), &client);
            let after = table.version().await.unwrap();
            assert!(state.revision() == 1 && after != before);
            assert!(table.update(|state| state.remove("b", 4)).await.is_err());
            assert_eq!(table.version().await.unwrap(), after);
        });
        assert_eq!(database.query("SELECT count(*) FROM duet.state"), "1");
    }

    #[test]
    fn all_of_many_first_ones_succeed() {
        let database = Server::shared().database("state_first");
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let add = async |number: usize| {
                let table = table_of(&settings)?;
                table.create(1).await?;
                table.update(|state| state.add(&format!("c{number}"), &[], 2)).await
            };
            let added = futures_util::future::join_all((0..20).map(add)).await;
            added.into_iter().for_each(|added| drop(added.unwrap()));
            let state = table_of(&settings).unwrap().load().await.unwrap().unwrap();
            assert_eq!((state.clients().count(), state.revision()), (20, 20));
        });
    }

    #[test]
    fn writers_wait_for_each_other() {
        let database = Server::shared().database("state_writers");
        let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            table_of(&settings).unwrap().create(1).await.unwrap();
            let add = async |name: &str| {
                let table = table_of(&settings)?;
                table.update(|state| state.add(name, &[], 2)).await
            };
            let (a, b, c) = tokio::join!(add("a"), add("b"), add("c"));
            assert!(a.is_ok() && b.is_ok() && c.is_ok());
            let state = table_of(&settings).unwrap().load().await.unwrap().unwrap();
            assert_eq!((state.clients().count(), state.revision()), (3, 3));
        });
    }
}
