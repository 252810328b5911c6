//! One PostgreSQL database: its connections, and the queries outside of requests.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_auth::DbRole;
use duet_client::connect::{PostgresConnector, Running, Settings};
use duet_client::sqlstate;
use duet_model::{Catalog, Code, Error, Result};
use duet_pgconnect::EstablishedConnection;
use duet_sql::{Dialect, Postgres, Statement};
use duet_store::catalog::too_slow;
use duet_store::commits::Commits;
use duet_store::commits::freshness::Freshness;
use duet_store::describe::StatementDescription;
use duet_store::instance::InstanceView;
use duet_store::limits::Limits;
use duet_store::memory::arriving::{Arriving, Copies};
use duet_store::memory::row_limit::RowLimit;
use duet_store::news::News;
use duet_store::queues::admit::{PATIENCE, Registry};
use duet_store::queues::classes::Classes;
use duet_store::standbys::StandbyOptions;
use duet_store::statistics::Statistics;
use tokio_postgres::Client;

use crate::catalog::placements::HAS_CITUS;
use crate::catalog::{Memory, SchemaFilter, introspect_again};
use crate::changes::Changes;
use crate::connection::alive::{self, Liveness};
use crate::connection::allowance::Allowance;
use crate::connection::gate::gate;
use crate::connection::in_time::within;
use crate::connection::live::{Live, NewConnection};
use crate::connection::sent_commit::{Ended, ended};
use crate::connection::{pooler, role};
use crate::instance;
use crate::notify::{self, Topic};
use crate::schema_watch;
use crate::standbys::beat::{self, Pulse};
use crate::standbys::identity::Identity;
use crate::standbys::progress::{Progress, REPLAYED};
use crate::standbys::{Opener, Standbys};
use crate::write_gates::WriteGates;

/// What every connection sets: forms of text that do not depend on the server's configuration. The server reports
/// changes of these, by which a pooler keeps them apart for each of its clients.
const REPORTED: &str = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; \
    SET IntervalStyle = 'iso_8601'; SET standard_conforming_strings = on";

/// The others. They stay on a connection of the server, so behind a pooler, which gives that one to other programs,
/// they are set for each transaction.
const UNREPORTED: &str = "SET bytea_output = 'hex'; SET client_min_messages = 'error'";

/// What a function of the database may have set on the pooler's connection for all that come after.
const OWN_ROLE: &str = "SET role TO DEFAULT; SET search_path TO DEFAULT";

/// What is set of Citus: it may join tables by other columns than those that they are distributed by.
const OF_CITUS: &str = "; SET citus.enable_repartition_joins = on";

/// What only a connection of our own needs: a transaction says itself whether it reads.
const READING: &str = "SET default_transaction_read_only = on";

/// How many connections all workers together may open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    /// For requests.
    pub(crate) own: usize,
    /// For streams.
    pub(crate) streams: usize,
}

impl Opened {
    /// The connections of one worker: it cannot do with fewer than two, and one for streams.
    pub(crate) fn by_worker(limits: &Limits) -> Self {
        let workers = limits.workers.max(1);
        Self {
            own: (limits.connections / workers).max(2),
            streams: (limits.streams / workers).max(1),
        }
    }

    fn most(limits: &Limits) -> Self {
        let (one, workers) = (Self::by_worker(limits), limits.workers.max(1));
        Self { own: one.own.saturating_mul(workers), streams: one.streams.saturating_mul(workers) }
    }
}

/// The most connections that a database with these limits opens: those of the workers, one for each
/// bulk load, and two more, for the schema and for the clients; with standbys one for their positions.
pub fn most_connections(limits: &Limits) -> usize {
    let Opened { own, streams } = Opened::most(limits);
    own.saturating_add(streams).saturating_add(limits.loads).saturating_add(2 + limits.beats)
}

/// The standbys of a database, each with connections of its own.
pub(crate) type DatabaseStandbys = Standbys<Database>;

/// One PostgreSQL database, shared by all workers.
#[derive(Debug)]
pub struct Database {
    settings: Settings,
    connector: PostgresConnector,
    limits: Limits,
    rows: RowLimit,
    statistics: Arc<Statistics>,
    commits: Arc<Commits>,
    changes: Changes,
    dialect: Postgres,
    /// The connection for queries outside of requests.
    pub(super) control: tokio::sync::Mutex<Option<Client>>,
    /// Whether a pooler may give each transaction another connection of the server. Then nothing is set that
    /// would stay there.
    is_pooled: bool,
    /// Whether it had Citus when it was opened.
    has_citus: bool,
    /// Whether the server was a standby when it was last looked at.
    standby: std::sync::atomic::AtomicBool,
    /// The catalog as of a version of the schema, for tenants that share this database.
    catalog: tokio::sync::Mutex<Option<(u64, Arc<Catalog>)>>,
    /// What was read of the schema the last time.
    memory: std::sync::Mutex<Memory>,
    /// What other servers tell of the schema.
    news: Arc<News>,
    /// What the last look at the whole schema saw.
    seen: std::sync::Mutex<Option<schema_watch::LastCheck>>,
    /// The turn to copy large rows.
    copies: Copies,
    queues: Registry,
    turns: WriteGates,
    classes: Classes,
    pub(super) liveness: Liveness,
    /// Where this is a standby that answers reads of another database: what it has replayed.
    progress: Option<Arc<Progress>>,
    /// The standbys that answer reads, and what asks them for their positions.
    standbys: Option<(Arc<DatabaseStandbys>, Pulse)>,
}

impl Database {
    /// The same with standbys that answer reads.
    ///
    /// # Errors
    /// As [`Database::open`], and where a standby cannot be one; one that cannot be reached is taken when it can.
    pub async fn open_with(
        settings: Settings,
        limits: Limits,
        standbys: &StandbyOptions,
    ) -> Result<Self> {
        let beats = usize::from(!standbys.urls.is_empty());
        let mut database = Self::open(settings, Limits { beats, ..limits }).await?;
        if !standbys.urls.is_empty() {
            let identity = database.identity().await?;
            let (primary, opener) = (&database.connector, database.opener());
            let standbys = Standbys::open_all(primary, identity, standbys, opener).await?;
            let pulse = beat::start(&standbys)?;
            database.standbys = Some((standbys, pulse));
        }
        Ok(database)
    }

    /// Connects once, to check the settings and the server's abilities.
    ///
    /// # Errors
    /// Where the server cannot be reached, refuses the user, or allows fewer connections than
    /// are asked for.
    pub async fn open(settings: Settings, limits: Limits) -> Result<Self> {
        Self::open_one(settings, limits, Arc::default(), None).await
    }

    /// The same; with its progress, of a standby that answers reads of another database.
    pub(crate) async fn open_one(
        settings: Settings,
        limits: Limits,
        statistics: Arc<Statistics>,
        progress: Option<Arc<Progress>>,
    ) -> Result<Self> {
        let connector = settings.connector()?;
        let queues = Registry::default();
        let shared = queues.worker();
        let turns = WriteGates::new(&limits, &shared.row);
        let classes = Classes::new(&limits, &shared);
        let commits = Arc::<Commits>::default();
        let mut database = Self {
            settings,
            changes: Changes::new(connector.clone(), Arc::clone(&commits), limits.capture),
            connector,
            rows: limits.rows(),
            limits,
            statistics,
            commits,
            dialect: Postgres { icu: false },
            control: tokio::sync::Mutex::new(None),
            is_pooled: false,
            has_citus: false,
            standby: std::sync::atomic::AtomicBool::new(false),
            catalog: tokio::sync::Mutex::default(),
            memory: std::sync::Mutex::default(),
            news: Arc::default(),
            seen: std::sync::Mutex::new(None),
            copies: Copies::default(),
            queues,
            turns,
            classes,
            liveness: Liveness::default(),
            progress,
            standbys: None,
        };
        if !database.connector.is_direct().await? {
            database.is_pooled = true;
            database.check_pooler().await?;
        }
        let client = database.connect_control().await?;
        database.check_connections(&client).await?;
        // Where there is no room for a second connection, it is not looked for.
        if !database.is_pooled
            && let Ok(second) = database.connect().await
        {
            database.is_pooled = pooler::check(&client, &second).await?;
        }
        if database.is_pooled {
            database.changes.without_stream();
        }
        // Both in one statement.
        let engine = format!(
            "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_collation WHERE collname = 'und-x-icu'), {HAS_CITUS}"
        );
        let row =
            client.query_one(&engine, &[]).await.map_err(|error| sqlstate::error_of(&error))?;
        database.dialect = Postgres { icu: row.get(0) };
        database.has_citus = row.get(1);
        *database.control.lock().await = Some(client);
        Ok(database)
    }

    /// Checks that the pooler keeps prepared statements apart, before anything is set on its connections, which other
    /// programs get next.
    async fn check_pooler(&self) -> Result<()> {
        let connect = async || {
            let (client, running) = self.connector.connect().await?;
            tokio::spawn(running);
            Ok::<_, Error>(client)
        };
        let (first, second) = (connect().await?, connect().await?);
        let check = pooler::check(&first, &second);
        let end = self.patience().map(|limit| Instant::now() + limit);
        alive::until(end, Box::pin(check)).await?.map(drop)
    }

    async fn check_connections(&self, client: &Client) -> Result<()> {
        let allowance = Allowance::of(client).await?;
        let allowed = allowance.connections();
        let Opened { own, streams } = Opened::most(&self.limits);
        let others = self.limits.others;
        let all = most_connections(&self.limits).saturating_add(others);
        if all <= allowed {
            return Ok(());
        }
        Err(Error::new(
            Code::Setting,
            format!(
                "{} workers (--workers) with {own} connections for requests (--db-connections {}, at least 2 a worker), {streams} for streams \
                 (--streams {}, at least 1 a worker), {} for bulk loads (--loads){}{} and 2 for schema and clients open {all} connections, but the server allows this user {allowed} \
                 ({allowance}). Lower these settings, or raise the server's limit.",
                self.limits.workers,
                self.limits.connections,
                self.limits.streams,
                self.limits.loads,
                match others {
                    0 => String::new(),
                    others =>
                        format!(", {others} of other applications and processes on the same server"),
                },
                if self.limits.beats > 0 { ", 1 for positions (--read-database)" } else { "" },
            ),
        ))
    }

    pub(crate) fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    /// Which plans are made of statements that find rows by keys. One is right whatever the keys, but Citus plans most
    /// statements by the values alone.
    pub(crate) fn plans_by_key(&self) -> &'static str {
        if self.has_citus { "auto" } else { "force_generic_plan" }
    }

    /// What connections for writes set beside what others do, each behind `SET`. A transaction of Citus may write a
    /// reference table after a distributed one only where it writes the machines one after the other.
    pub(crate) fn of_writes(&self) -> &'static str {
        if self.has_citus { "; SET citus.multi_shard_modify_mode = 'sequential'" } else { "" }
    }

    /// The consumers of its commits.
    pub(crate) fn commits(&self) -> &Arc<Commits> {
        &self.commits
    }

    /// The capture of others' commits.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// What other servers tell of the schema.
    pub(crate) fn news(&self) -> &Arc<News> {
        &self.news
    }

    /// How far the commits of others are known.
    pub(crate) fn freshness(&self) -> &Arc<Freshness> {
        self.changes.freshness()
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The standbys that answer reads.
    pub(crate) fn standbys(&self) -> Option<&Arc<DatabaseStandbys>> {
        self.standbys.as_ref().map(|(standbys, _)| standbys)
    }

    /// What opens a standby: with the same limits, counted in the same statistics. Nothing is loaded there.
    fn opener(&self) -> Opener<Self> {
        let limits = Limits { loads: 0, others: 0, ..self.limits.clone() };
        let statistics = Arc::clone(&self.statistics);
        Box::new(move |settings, progress| {
            let statistics = Arc::clone(&statistics);
            let (name, limits) = (settings.describe(), limits.clone());
            Box::pin(async move {
                let opened = Self::open_one(settings, limits, statistics, Some(progress)).await?;
                match opened.is_pooled {
                    true => Err(pooled_standby(&name)),
                    false => Ok(opened),
                }
            })
        })
    }

    /// Which cluster and database it is of.
    async fn identity(&self) -> Result<Identity> {
        self.ask(async |client| Identity::of(client).await).await
    }

    /// Runs what commits on a connection, and notes where in the log that is, if that is of interest.
    pub(crate) async fn noting<T>(&self, live: &Live, commit: impl Future<Output = T>) -> T {
        match &self.standbys {
            None => commit.await,
            Some((standbys, _)) => standbys.noting(standbys.position_of(live), commit).await,
        }
    }

    /// The same of a bulk load, whose client is not known here: every client reads what is as new from now on.
    pub(crate) async fn noting_load<T>(
        &self,
        client: &Client,
        commit: impl Future<Output = T>,
    ) -> T {
        match &self.standbys {
            None => commit.await,
            Some((standbys, _)) => {
                let committed = standbys.noting(standbys.position_by(client), commit).await;
                standbys.note_for_all();
                committed
            }
        }
    }

    /// The classes of requests.
    pub(crate) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The queues of the workers.
    pub(crate) fn queues(&self) -> &Registry {
        &self.queues
    }

    /// The gates of the writes of all workers.
    pub(crate) fn turns(&self) -> &WriteGates {
        &self.turns
    }

    /// Whether nothing can be written: the server is a standby, as of the last look at the schema, or the settings want
    /// a session that only reads.
    pub(crate) fn is_standby(&self) -> bool {
        self.connector.wants_read_only() || self.standby.load(std::sync::atomic::Ordering::Relaxed)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the rows of one answer may take.
    pub(crate) fn rows(&self) -> &RowLimit {
        &self.rows
    }

    /// How long a transaction waits for a lock at its first attempt, where its connection has not set
    /// that: settings of a connection are lost behind a pooler.
    pub(super) fn first_patience(&self) -> Option<Duration> {
        self.is_pooled.then(|| PATIENCE.min(self.limits.lock_timeout))
    }

    /// Whether a pooler lends connections for a transaction at a time, so that nothing can be set on them.
    pub(super) fn is_pooled(&self) -> bool {
        self.is_pooled
    }

    /// How long a check that the server is alive may take: the timeout of connections.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.connector.patience()
    }

    /// A new connection, with everything set that answers depend on. No longer than a connection may
    /// take; where that is not enough, the server is taken for gone.
    pub(crate) async fn connect(&self) -> Result<Client> {
        self.connect_watched().await.map(|(client, _)| client)
    }

    /// The same, and when the connection will have ended.
    pub(crate) async fn connect_watched(&self) -> Result<(Client, Ended)> {
        self.in_time(async {
            let connected = self.connector.connect_known().await?;
            self.note_host(&connected);
            Ok(((), connected.client, connected.running))
        })
        .await
        .map(|((), client, ended)| (client, ended))
    }

    /// A new connection for questions outside of requests, by which other servers tell of changes.
    async fn connect_control(&self) -> Result<Client> {
        self.connect_heard(&self.connector, true).await
    }

    /// The same to the host of the last connection.
    pub(super) async fn connect_again(&self) -> Result<Client> {
        match self.liveness.host() {
            None => self.connect_control().await,
            Some(host) => self.connect_heard(&self.connector.of_host(host), false).await,
        }
    }

    async fn connect_heard(&self, connector: &PostgresConnector, is_first: bool) -> Result<Client> {
        let made = self.in_time(async {
            let connected = connector.connect_heard(Topic::Schema.hearer(&self.news)).await?;
            if is_first {
                self.note_host(&connected);
            }
            Ok(((), connected.client, notify::noted(&self.news, connected.running)))
        });
        made.await.map(|((), client, _)| client)
    }

    /// Remembers which of several hosts a connection has met.
    fn note_host(&self, connected: &EstablishedConnection) {
        if self.connector.prefers_hosts() {
            self.liveness.connected(connected.host);
        }
    }

    /// The same for rows of requests, of which the large ones are counted as they arrive.
    pub(crate) async fn connect_for(&self, arriving: &Arc<Arriving>) -> Result<NewConnection> {
        let made = self.in_time(async {
            let connected = self.connector.connect_gated(gate(arriving)).await?;
            self.note_host(&connected);
            Ok((connected.canceller, connected.client, connected.running))
        });
        made.await.map(|(canceller, client, ended)| NewConnection { client, canceller, ended })
    }

    /// Connects, and sets what answers depend on. Where that takes too long, the server is gone.
    async fn in_time<T>(
        &self,
        connected: impl Future<Output = Result<(T, Client, Running)>>,
    ) -> Result<(T, Client, Ended)> {
        let begun = Instant::now();
        let set = async {
            let (with, client, running) = connected.await?;
            let ended = self.set(&client, running, begun).await?;
            Ok((with, client, ended))
        };
        let set = set.await;
        if set.is_err() && self.patience().is_some_and(|limit| begun.elapsed() >= limit) {
            self.liveness.note_gone();
        }
        set
    }

    /// Sets on a connection that answers depend on, and has it move its bytes.
    async fn set(&self, client: &Client, running: Running, begun: Instant) -> Result<Ended> {
        let (lives, ended) = ended();
        tokio::spawn(async move {
            drop(running.await);
            drop(lives);
        });
        self.statistics.connected();
        let set = self.session("");
        let set = client.batch_execute(&set);
        let set = async {
            set.await?;
            let Some(progress) = &self.progress else { return Ok(None) };
            let row = client.query_one(REPLAYED, &[]).await?;
            Ok(Some((progress, row.try_get(0)?)))
        };
        let replayed = alive::until(self.patience().map(|limit| begun + limit), set).await?;
        let replayed =
            replayed.map_err(|error: tokio_postgres::Error| sqlstate::error_of(&error))?;
        if let Some((progress, byte)) = replayed {
            progress.check_connection(byte)?;
        }
        Ok(ended)
    }

    /// What is set on a connection, with the settings of its kind; behind a pooler each transaction sets them.
    pub(super) fn session(&self, kind: &str) -> String {
        match self.is_pooled {
            true => REPORTED.to_owned(),
            false => format!("{REPORTED}; {READING}; {}; {kind}", self.unreported()),
        }
    }

    /// What is set and not reported by the server.
    fn unreported(&self) -> String {
        let timeout = self.limits.statement_timeout.as_millis();
        let citus = if self.has_citus { OF_CITUS } else { "" };
        format!("{UNREPORTED}; {}; SET statement_timeout = {timeout}{citus}", role::NO_CLAIMS)
    }

    /// Behind a pooler what each transaction sets for itself, with the settings of a kind of connection.
    pub(super) fn local(&self, session: &str) -> Option<Rc<str>> {
        let all = || {
            format!("{}; {OWN_ROLE}; {session}", self.unreported()).replace("SET ", "SET LOCAL ")
        };
        self.is_pooled.then(|| all().into())
    }

    /// What arrives on one connection for requests.
    pub(crate) fn arriving(&self) -> Arc<Arriving> {
        Arc::new(Arriving::new(&self.limits.memory, self.limits.answer_bytes, &self.copies))
    }

    /// The catalog as of a version of the schema: read once, however many ask for it. It may be newer than the
    /// version, which then changes next.
    pub(super) async fn read_catalog_at(&self, version: u64) -> Result<Arc<Catalog>> {
        let mut known = self.catalog.lock().await;
        if let Some((of, catalog)) = &*known
            && *of == version
        {
            return Ok(Arc::clone(catalog));
        }
        let catalog = Arc::new(self.read_catalog().await?);
        *known = Some((version, Arc::clone(&catalog)));
        Ok(catalog)
    }

    pub(super) async fn read_catalog(&self) -> Result<Catalog> {
        let schemas = SchemaFilter::default();
        // Whoever else reads at the same time begins without it.
        let mut memory = std::mem::take(&mut *self.memory());
        let catalog = self
            .look_up(async |client| introspect_again(client, &schemas, &mut memory).await)
            .await?;
        *self.memory() = memory;
        Ok(catalog)
    }

    /// Prepares statements and says what each gives.
    pub(super) async fn describe_each(
        &self,
        statements: &[Statement],
    ) -> Result<Vec<StatementDescription>> {
        use crate::catalog::statement::describe;
        self.look_up(async |client| describe(client, statements).await).await
    }

    /// Reads from the system catalogs, in a transaction that the question begins and ends.
    async fn look_up<T>(&self, question: impl AsyncFnOnce(&Client) -> Result<T>) -> Result<T> {
        let mut control = self.control.lock().await;
        self.control(&mut control).await?;
        // Taken out, so that a cancelled caller leaves no transaction open on it: the next
        // one would see the schema of that moment for ever.
        let Some(client) = control.take() else { return Err(Error::internal("no connection")) };
        // Large catalogs take longer than a request may. The server ends each statement by then, and all of them together
        // are left.
        let time = self.limits.schema_timeout;
        let read = async {
            if !self.is_pooled {
                let limited = format!("SET statement_timeout = {}", server_millis(time));
                let limited = client.batch_execute(&limited).await;
                limited.map_err(|error| sqlstate::error_of(&error))?;
            }
            question(&client).await
        };
        let answer = self.watched(Box::pin(within(time, read))).await?;
        let answer = answer.map_err(|_| too_slow("the server gave no answer in time"))??;
        *control = Some(client);
        Ok(answer)
    }

    /// Whether a role exists and may be assumed.
    pub(super) async fn find_role(&self, role: &DbRole) -> Result<()> {
        self.ask(async |client| role::check(client, role).await).await
    }

    /// The name of the database's user where it is a superuser.
    pub(super) async fn find_superuser(&self) -> Result<Option<String>> {
        self.ask(async |client| role::superuser(client).await).await
    }

    /// What the server says of itself.
    pub(super) async fn view_instance(&self) -> Result<InstanceView> {
        self.ask(async |client| instance::view(client).await).await
    }

    /// The version of the schema: summed over the system catalogs now, or, unless that is to be `thorough`, without
    /// reading them where cheap counters say that nothing has changed.
    pub(super) async fn look(&self, thorough: bool) -> Result<u64> {
        self.ask(async |client| self.look_by(client, thorough).await).await
    }

    async fn look_by(&self, client: &mut Client, thorough: bool) -> Result<u64> {
        let counters = schema_watch::counters(client).await?;
        self.standby.store(counters.standby, std::sync::atomic::Ordering::Relaxed);
        // What was committed before this server listens is looked at now; an announced change is not in the counters yet.
        let thorough = self.begin_to_listen(client).await || thorough;
        let told = self.news.told();
        if let Some(seen) = self.seen().as_mut()
            && !thorough
            && let Some(version) = seen.still_holds(&counters, told)
        {
            return Ok(version);
        }
        // A promoted standby accepts writes, which changes the served resources.
        let version = schema_watch::version(client).await? ^ u64::from(counters.standby);
        self.statistics.summed_schema();
        let check = schema_watch::LastCheck::new(counters, version, told);
        let before = self.seen().replace(check);
        if before.is_some_and(|before| before.is_the_first_to_know(version, told)) {
            notify::tell(client, Topic::Schema).await;
        }
        Ok(version)
    }

    /// Listens on the connection for questions, where it can and does not yet; whether it does so from now on.
    async fn begin_to_listen(&self, client: &Client) -> bool {
        let is_standby = self.standby.load(std::sync::atomic::Ordering::Relaxed);
        let can_listen = !self.is_pooled && !is_standby && self.news.can_listen();
        can_listen && notify::listen(client, &self.news).await
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Option<schema_watch::LastCheck>> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Runs a query on that connection, which is closed if the server is gone.
    async fn ask<T>(&self, question: impl AsyncFnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let mut control = self.control.lock().await;
        let client = self.control(&mut control).await?;
        // Two statements at most.
        let time = self.limits.statement_timeout.saturating_mul(2).min(self.limits.schema_timeout);
        let answer = self.watched(Box::pin(within(time, question(client)))).await;
        let answer = answer.and_then(|answer| answer);
        if answer.is_err() {
            *control = None;
        }
        answer?
    }

    async fn control<'a>(&self, slot: &'a mut Option<Client>) -> Result<&'a mut Client> {
        if slot.as_ref().is_none_or(Client::is_closed) {
            *slot = Some(self.connect_control().await?);
        }
        slot.as_mut().ok_or_else(|| Error::internal("no control connection"))
    }

    /// What messages call the database; no secrets.
    pub(super) fn described(&self) -> String {
        self.settings.describe()
    }
}

/// The refusal of a pooler in front of a standby.
fn pooled_standby(name: &str) -> Error {
    let message = format!(
        "A pooler is in front of the server {name} of `read_database`: what its servers have replayed is not known."
    );
    Error::new(Code::Setting, message).hint("Name the standby itself.")
}

/// A time limit as the server takes it; 0 would be none.
fn server_millis(time: Duration) -> u128 {
    time.as_millis().clamp(1, i32::MAX.cast_unsigned().into())
}
