//! An application served on a throwaway database of either kind.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use duet_auth::{Open, State};
use duet_client::connect::Settings;
use duet_http::{Listen, ServeOptions};
use duet_service::definition::{self, WriteLimits};
use duet_service::{Auth, Service};
use duet_store::{Limits, SharedStore};
use duet_testkit::http::{Client, Response};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::sqlite::Folder;
use tokio::runtime::Runtime;

use crate::application::{self, Application};

/// The host that requests name, so that links are the same in every run.
pub(crate) const HOST: &str = "localhost";

/// The kinds of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub(crate) const BOTH: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// A database that goes away with the test.
pub(crate) enum Data {
    Sqlite { folder: Folder, connection: rusqlite::Connection },
    Postgres(Database),
}

impl Data {
    /// A database of this kind with an application's tables and data; `name` is unique among the
    /// databases of this test binary.
    pub(crate) fn load(kind: Kind, name: &str, application: &Application) -> Self {
        match kind {
            Kind::Sqlite => load_sqlite(application),
            Kind::Postgres => load_postgres(name, application),
        }
    }

    /// An empty database.
    pub(crate) fn empty(kind: Kind, name: &str) -> Self {
        Self::load(kind, name, &Application::default())
    }

    /// Runs statements.
    pub(crate) fn exec(&self, sql: &str) {
        match self {
            Self::Sqlite { connection, .. } => {
                connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
            }
            Self::Postgres(database) => database.exec(sql),
        }
    }

    pub(crate) async fn store(&self, limits: Limits) -> SharedStore {
        match self {
            Self::Sqlite { folder, .. } => {
                let path = folder.path().join("a.db");
                let options = duet_sqlite::Options::default();
                Arc::new(duet_sqlite::Database::open(&path, &options, limits).unwrap())
            }
            Self::Postgres(database) => {
                let settings = Settings::from_url(&database.url(), &|_| None).unwrap();
                let database = duet_postgres::Database::open(settings, limits).await.unwrap();
                Arc::new(database)
            }
        }
    }

    /// The application opened.
    pub(crate) async fn service(
        &self,
        open: Open,
        definition: definition::Application,
        limits: Limits,
    ) -> Arc<Service> {
        let auth = Auth::in_memory(&State::new(0).unwrap(), open);
        let service = Service::open(self.store(limits).await, definition, auth).await;
        service.unwrap_or_else(|error| panic!("{error}\n{:?}", error.cause))
    }
}

fn load_sqlite(application: &Application) -> Data {
    let folder = Folder::new();
    let (files, scripts): (Vec<_>, Vec<_>) = application
        .sqlite
        .iter()
        .partition(|path| path.extension().is_some_and(|extension| extension == "sqlite"));
    let path = folder.path().join("a.db");
    for file in files {
        std::fs::copy(file, &path).unwrap();
    }
    let scripts: Vec<String> = scripts.iter().map(|path| application::read(path)).collect();
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    folder.load("a.db", &scripts);
    let connection = duet_testkit::sqlite::open(&path);
    Data::Sqlite { folder, connection }
}

/// Databases of `apps/` are loaded once and then copied.
fn load_postgres(name: &str, application: &Application) -> Data {
    static TEMPLATES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let server = Server::shared();
    let mut scripts = application.postgres.iter();
    let database = match &application.template {
        None => server.database(name),
        Some(template) => {
            let own = |path: &&std::path::PathBuf| {
                !path.components().any(|part| part.as_os_str() == "golden")
            };
            let base: Vec<_> = application.postgres.iter().filter(own).collect();
            scripts = application.postgres[base.len()..].iter();
            let mut templates = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
            let template_name = format!("template-{template}");
            if templates.insert(template_name.clone()) {
                let database = server.database(&template_name);
                base.iter().for_each(|path| database.exec(&application::read(path)));
            }
            server.database_from(name, &template_name)
        }
    };
    scripts.for_each(|path| database.exec(&application::read(path)));
    Data::Postgres(database)
}

/// An application behind HTTP; dropping it stops the server.
pub(crate) struct Served {
    pub(crate) service: Arc<Service>,
    pub(crate) data: Data,
    client: RefCell<Option<Client>>,
    server: Option<duet_http::Server>,
    _runtime: Runtime,
}

impl Served {
    /// Loads the application into a database of this kind and serves it.
    pub(crate) fn start(kind: Kind, name: &str, application: &Application) -> Self {
        Self::over(Data::load(kind, name, application), application)
    }

    /// As [`Served::start`], open to all who write as well.
    pub(crate) fn start_open(kind: Kind, name: &str, application: &Application) -> Self {
        Self::over_open(Data::load(kind, name, application), application)
    }

    /// The same, where a change needs an etag.
    pub(crate) fn start_requiring_etags(kind: Kind, name: &str, application: &Application) -> Self {
        let rules = WriteLimits { require_etag: true, ..WriteLimits::default() };
        Self::with(rules, Open::All, Data::load(kind, name, application), application)
    }

    /// Serves what a database holds.
    pub(crate) fn over(data: Data, application: &Application) -> Self {
        Self::open(Open::Read, data, application)
    }

    /// The same, open to all who write as well.
    pub(crate) fn over_open(data: Data, application: &Application) -> Self {
        Self::open(Open::All, data, application)
    }

    fn open(open: Open, data: Data, application: &Application) -> Self {
        Self::with(WriteLimits::default(), open, data, application)
    }

    fn with(rules: WriteLimits, open: Open, data: Data, application: &Application) -> Self {
        let runtime = runtime();
        let mut definition = application.definition.clone();
        definition.write_limits = rules;
        let limits = Limits { connections: 6, ..Limits::default() };
        let service = runtime.block_on(data.service(open, definition, limits));
        let options = ServeOptions {
            listen: vec![Listen::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)))],
            ..ServeOptions::default()
        };
        let server = duet_http::start(Arc::clone(&service), options).unwrap();
        let client = Client::connect(&server.urls()[0]);
        let client = RefCell::new(Some(client));
        Self { service, data, client, server: Some(server), _runtime: runtime }
    }

    /// Where it is served.
    pub(crate) fn url(&self) -> &str {
        self.server.as_ref().map_or("", |server| server.urls()[0].as_str())
    }

    /// `GET` of a path with its query.
    pub(crate) fn get(&self, target: &str) -> Response {
        self.get_with(target, &[])
    }

    /// The same with headers.
    pub(crate) fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Response {
        self.ask("GET", target, headers, b"")
    }

    /// Any request.
    pub(crate) fn ask(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let headers: Vec<_> = [("Host", HOST)].into_iter().chain(headers.iter().copied()).collect();
        let mut client = self.client.borrow_mut();
        client.as_mut().unwrap().request(method, target, &headers, body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // A stop waits for open connections.
        self.client.borrow_mut().take();
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// A runtime with a thread of its own, which drives the connection that the schema is read on.
pub(crate) fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
}
