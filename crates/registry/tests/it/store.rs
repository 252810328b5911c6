//! A throwaway database of either kind with a store on it.

use std::sync::Arc;

use duet_client::connect::Settings;
use duet_model::{
    Cardinality, Catalog, ColumnMember, Link, Member, MemberKind, Node, Operations, ReadPlan, Shape,
};
use duet_store::{Limits, LockedRead, RoleHandle, SharedStore};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::sqlite::{Folder, open};
use tokio::task::LocalSet;

/// The kinds of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub(crate) const BOTH: [Self; 2] = [Self::Sqlite, Self::Postgres];
}

/// A database that goes away with the test, and a store on it.
pub(crate) struct Fixture {
    folder: Folder,
    database: Option<Database>,
    pub(crate) store: SharedStore,
    pub(crate) catalog: Catalog,
}

impl Fixture {
    /// A database with this schema; `name` is unique among those of this test binary.
    pub(crate) fn new(kind: Kind, name: &str, schema: &str) -> Self {
        Self::with(kind, name, schema, Limits::default())
    }

    pub(crate) fn with(kind: Kind, name: &str, schema: &str, limits: Limits) -> Self {
        Self::build(kind, name, schema, limits, true)
    }

    /// A SQLite file without write-ahead log: one file and no more.
    pub(crate) fn one_file(schema: &str) -> Self {
        Self::build(Kind::Sqlite, "", schema, Limits::default(), false)
    }

    fn build(kind: Kind, name: &str, schema: &str, limits: Limits, wal: bool) -> Self {
        let folder = Folder::new();
        let runtime = runtime();
        let (database, store): (Option<_>, SharedStore) = match kind {
            Kind::Sqlite => {
                let path = folder.load("a.db", &[schema]);
                let options = duet_sqlite::Options { wal, ..duet_sqlite::Options::default() };
                let opened = duet_sqlite::Database::open(&path, &options, limits).unwrap();
                (None, Arc::new(opened))
            }
            Kind::Postgres => {
                let database = Server::shared().database(&format!("write_{name}"));
                database.exec(schema);
                let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
                let opened =
                    runtime.block_on(duet_postgres::Database::open(settings, limits)).unwrap();
                (Some(database), Arc::new(opened))
            }
        };
        let catalog = runtime.block_on(store.introspect()).unwrap();
        Self { folder, database, store, catalog }
    }

    /// Opens the PostgreSQL database again as another user.
    pub(crate) fn connect_as(&mut self, user: &str) {
        let url = self.url().replace("user=postgres", &format!("user={user}"));
        assert!(url.contains(user), "{url}");
        let settings = Settings::from_url(&url, &|_| None).unwrap();
        let opened = duet_postgres::Database::open(settings, Limits::default());
        self.store = Arc::new(runtime().block_on(opened).unwrap());
    }

    /// Runs a test on a worker's thread, with a worker's handle.
    pub(crate) fn run<T>(&self, test: impl AsyncFnOnce(&RoleHandle<'_>) -> T) -> T {
        let local = LocalSet::new();
        runtime().block_on(local.run_until(async {
            let handle = self.store.attach().unwrap();
            test(&handle.acting(None)).await
        }))
    }

    /// What another program sees: one line a row, columns joined by `|`.
    pub(crate) fn query(&self, sql: &str) -> String {
        match &self.database {
            Some(database) => database.query(sql),
            None => {
                let connection = self.connection();
                let mut statement = connection.prepare(sql).unwrap();
                let width = statement.column_count();
                let rows = statement.query_map([], |row| {
                    let cell = |column: usize| match row.get_ref(column)? {
                        rusqlite::types::ValueRef::Null => Ok(String::new()),
                        rusqlite::types::ValueRef::Text(_) => row.get(column),
                        _ => row.get::<_, f64>(column).map(|number| number.to_string()),
                    };
                    let cells: rusqlite::Result<Vec<String>> = (0..width).map(cell).collect();
                    cells.map(|cells| cells.join("|"))
                });
                rows.unwrap().collect::<rusqlite::Result<Vec<_>>>().unwrap().join("\n")
            }
        }
    }

    /// Another program's change.
    pub(crate) fn exec(&self, sql: &str) {
        match &self.database {
            Some(database) => database.exec(sql),
            None => self.connection().execute_batch(sql).unwrap(),
        }
    }

    /// Another program's connection to the SQLite file.
    pub(crate) fn connection(&self) -> rusqlite::Connection {
        open(&self.folder.path().join("a.db"))
    }

    /// The PostgreSQL database's URL.
    pub(crate) fn url(&self) -> String {
        self.database.as_ref().unwrap().url()
    }

    /// The server's socket.
    pub(crate) fn socket(&self) -> std::path::PathBuf {
        let url = self.url();
        let part = |name: &str| {
            let (_, rest) = url.split_once(&format!("{name}=")).unwrap();
            rest.split('&').next().unwrap().to_owned()
        };
        std::path::Path::new(&part("host")).join(format!(".s.PGSQL.{}", part("port")))
    }

    /// The PostgreSQL database, through a port of this machine.
    pub(crate) async fn open_through(&self, port: u16) -> SharedStore {
        let url = self.url();
        let name = url.trim_start_matches("postgres:///").split('?').next().unwrap();
        let url = format!(
            "postgres://postgres@127.0.0.1:{port}/{name}?sslmode=disable&connect_timeout=1"
        );
        let settings = Settings::from_url(&url, &|_| None).unwrap();
        let opened = duet_postgres::Database::open(settings, Limits::default()).await.unwrap();
        Arc::new(opened)
    }

    /// The PostgreSQL database, by another URL.
    pub(crate) async fn open_by(
        &self,
        url: &str,
        limits: Limits,
    ) -> duet_model::Result<SharedStore> {
        let settings = Settings::from_url(url, &|_| None)?;
        let opened = duet_postgres::Database::open(settings, limits).await?;
        Ok(Arc::new(opened))
    }

    /// The PostgreSQL database, opened as another user.
    pub(crate) fn open_as(
        &self,
        role: &str,
        limits: Limits,
    ) -> duet_model::Result<duet_postgres::Database> {
        let mut url = self.url();
        url.push_str(if url.contains('?') { "&" } else { "?" });
        let url = format!("{url}user={role}");
        let settings = Settings::from_url(&url, &|_| None)?;
        runtime().block_on(duet_postgres::Database::open(settings, limits))
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The read of a table's rows by key, all columns and operations allowed.
    pub(crate) fn rows(&self, table: &str) -> LockedRead {
        let shape = Shape {
            name: table.to_owned(),
            nodes: vec![self.node(table)],
            key: self.catalog.find(table).unwrap().primary_key.clone(),
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        };
        LockedRead::new(ReadPlan::by_keys(Arc::new(shape)), self.store.dialect())
    }

    /// The read of documents: a row with the array of those that refer to it by their column
    /// `parent`.
    pub(crate) fn documents(&self, parent: &str, child: &str) -> LockedRead {
        let mut nodes = vec![self.node(parent), self.node(child)];
        let key = nodes[0].table.primary_key.clone();
        nodes[0].members.push(Member { name: "children".into(), kind: MemberKind::Array(1) });
        nodes[1].link = Some(Link {
            parent: 0,
            parent_columns: key.clone(),
            child_columns: vec![nodes[1].table.column_index("parent").unwrap()],
            cardinality: Cardinality::Many,
        });
        let shape = Shape {
            name: parent.to_owned(),
            nodes,
            key,
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        };
        LockedRead::new(ReadPlan::by_keys(Arc::new(shape)), self.store.dialect())
    }

    pub(crate) fn node(&self, table: &str) -> Node {
        let table = Arc::clone(self.catalog.find(table).unwrap());
        let member = |column: usize| Member {
            name: table.columns[column].name.clone(),
            kind: MemberKind::Column(ColumnMember {
                update: true,
                ..ColumnMember::read_only(column)
            }),
        };
        let members = (0..table.columns.len()).map(member).collect();
        let operations = Operations { insert: true, update: true, delete: true };
        Node {
            table,
            link: None,
            members,
            filter: None,
            check_option: false,
            operations,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: duet_model::shape::Elements::default(),
        }
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Polls once: whether there is nothing yet.
pub(crate) async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    let mut future = std::pin::Pin::new(future);
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(future.as_mut().poll(context).is_pending())
    })
    .await
}
