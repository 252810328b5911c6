//! A server in this process: on a free port, with a client that may do what the test says.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use duet_auth::{ClientId, DbRole, Open, Privilege, State, StateFile, jwt};
use duet_http::{Listen, ServeOptions};
use duet_service::definition::{Application, Mount, Mounts, ReadLimits, ViewFile, WriteLimits};
use duet_service::journal::JournalOptions;
use duet_service::{Auth, Issuer, KeyPlaces, Pace, Service, WorkerHandle};
use duet_store::Limits;
use duet_testkit::http::{Client, Response};

use super::store::{Database, Source};

/// A server to be.
pub(crate) struct Setup {
    source: Source,
    pub(crate) mounts: Mounts,
    pub(crate) options: ServeOptions,
    pub(crate) limits: Limits,
    pub(crate) read_limits: ReadLimits,
    pub(crate) write_limits: WriteLimits,
    pub(crate) open: Open,
    pub(crate) roles: Vec<&'static str>,
    pub(crate) state: Option<PathBuf>,
    /// Further clients with the same roles, by name, and the database roles that they have.
    pub(crate) clients: Vec<(&'static str, Option<String>)>,
    /// Further clients with the same roles, each of the tenant of its name.
    pub(crate) tenants: Vec<&'static str>,
    /// Roles, each held by a client of the same name that has no other role.
    pub(crate) holders: Vec<String>,
    /// The database role of requests without a token.
    pub(crate) anonymous_db_role: Option<DbRole>,
    /// Another issuer whose tokens are taken.
    pub(crate) issuer: Option<(jwt::Settings, KeyPlaces)>,
    /// The journal that new rows may be acknowledged from.
    pub(crate) journal: Option<JournalOptions>,
}

impl Setup {
    /// All tables of a database at `/ords/hr`, the schema looked at often.
    pub(crate) fn new(database: &Database) -> Self {
        Self::of(database.source())
    }

    pub(crate) fn of(source: Source) -> Self {
        let mount = Mount { path: "/ords/hr".into(), all_tables: true, ..Mount::default() };
        let options = ServeOptions {
            listen: vec![Listen::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)))],
            schema_poll: Pace::every(Duration::from_millis(50)),
            ..ServeOptions::default()
        };
        Self {
            source,
            mounts: Mounts::Declared(Box::new(mount)),
            options,
            limits: Limits::default(),
            read_limits: ReadLimits::default(),
            write_limits: WriteLimits::default(),
            open: Open::No,
            roles: vec!["duet.read", "duet.admin"],
            state: None,
            clients: Vec::new(),
            tenants: Vec::new(),
            holders: Vec::new(),
            anonymous_db_role: None,
            issuer: None,
            journal: None,
        }
    }

    pub(crate) fn mount(&mut self) -> &mut Mount {
        match &mut self.mounts {
            Mounts::Declared(mount) => mount,
            _ => panic!("no mount is declared"),
        }
    }

    /// Adds a duality view.
    pub(crate) fn view(mut self, name: &str, text: &str) -> Self {
        let view = ViewFile { name: format!("views/{name}.sql"), text: text.into() };
        self.mount().views.push(view);
        self
    }

    pub(crate) fn privilege(mut self, roles: &[&str], patterns: &[&str]) -> Self {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        self.mount().privileges.push(Privilege {
            name: "test".into(),
            roles: texts(roles),
            patterns: texts(patterns),
            operations: vec![duet_auth::Operation::Read],
        });
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The schema is looked at on request only.
    pub(crate) fn without_poll(self) -> Self {
        self.with(|setup| setup.options.schema_poll = Pace::every(Duration::from_secs(24 * 3600)))
    }

    /// Starts it.
    pub(crate) fn start(self) -> App {
        self.try_start().unwrap_or_else(|error| panic!("{error} {:?}", error.cause))
    }

    /// Does something with the application without a server, as commands do.
    pub(crate) fn with_handle<T>(self, work: impl AsyncFnOnce(WorkerHandle) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let work = async {
            let store = self.source.open(self.limits).await.unwrap();
            let application = Application {
                name: "test".into(),
                mounts: self.mounts,
                limits: self.read_limits,
                write_limits: self.write_limits,
                ..Application::default()
            };
            let auth = Auth::in_memory(&State::new(now()).unwrap(), self.open);
            let service = Service::open(store, application, auth).await.unwrap();
            service.keep_journal(self.journal.unwrap());
            work(service.attach().unwrap()).await
        };
        tokio::task::LocalSet::new().block_on(&runtime, work)
    }

    pub(crate) fn try_start(self) -> duet_model::Result<App> {
        count_server_panics();
        let (started, start) = mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("server-main".into())
            .spawn(move || run(self, &started, stopped))
            .unwrap();
        let running = start.recv().unwrap()?;
        Ok(App { running, stop: Some(stop), thread: Some(thread) })
    }
}

/// What a test knows of a server that runs.
pub(crate) struct Running {
    /// `http://127.0.0.1:port`, or what else it listens on.
    pub(crate) urls: Vec<String>,
    pub(crate) service: Arc<Service>,
    pub(crate) id: ClientId,
    pub(crate) secret: String,
    /// Further clients: name, id and secret.
    others: Vec<(String, ClientId, String)>,
}

/// A server; dropping it stops it.
pub(crate) struct App {
    running: Running,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

type Started = mpsc::Sender<duet_model::Result<Running>>;

fn run(setup: Setup, started: &Started, stop: tokio::sync::oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let opened = runtime.block_on(open(setup));
    let (server, running) = match opened {
        Ok(pair) => pair,
        Err(error) => return started.send(Err(error)).unwrap(),
    };
    started.send(Ok(running)).unwrap();
    runtime.block_on(async {
        tokio::select! {
            () = server.watch() => {}
            _ = stop => {}
        }
    });
    server.stop();
}

async fn open(setup: Setup) -> duet_model::Result<(duet_http::Server, Running)> {
    let memory = setup.options.memory.clone();
    let store = setup.source.open(Limits { memory, ..setup.limits }).await?;
    let application = Application {
        name: "test".into(),
        mounts: setup.mounts,
        limits: setup.read_limits,
        write_limits: setup.write_limits,
        ..Application::default()
    };
    let mut others = Vec::new();
    let (auth, id, secret) = match &setup.state {
        None => {
            let mut state = State::new(now())?;
            let (client, secret) = state.add("test", &setup.roles, now())?;
            others = further(&mut state, &setup.roles, &setup.clients)?;
            for tenant in &setup.tenants {
                let (client, secret) = state.add(tenant, &setup.roles, now())?;
                state.set_tenant(tenant, &tenant.parse()?)?;
                others.push(((*tenant).to_owned(), client.id, secret.expose().to_owned()));
            }
            for role in &setup.holders {
                let (client, secret) = state.add(role, &[role.as_str()], now())?;
                others.push((role.clone(), client.id, secret.expose().to_owned()));
            }
            (Auth::in_memory(&state, setup.open), client.id, secret)
        }
        Some(path) => {
            let file = StateFile::open(path, now())?;
            let added = file.update(|state| state.add("test", &setup.roles, now()))?;
            (Auth::from_file(file, setup.open, None)?, added.0.id, added.1)
        }
    };
    let issuer = match setup.issuer {
        Some((asked, places)) => Some(Arc::new(Issuer::new(asked, places, setup.open)?)),
        None => None,
    };
    let auth = auth.with_issuer(issuer).with_anonymous_role(setup.anonymous_db_role);
    let service = Service::open(store, application, auth).await?;
    if let Some(journal) = setup.journal {
        service.keep_journal(journal);
        let check = async { service.attach()?.check_journal().await };
        tokio::task::LocalSet::new().run_until(check).await?;
    }
    let server = duet_http::start(Arc::clone(&service), setup.options)?;
    let urls = server.urls().to_vec();
    let secret = secret.expose().to_owned();
    Ok((server, Running { urls, service, id, secret, others }))
}

/// Adds the further clients.
fn further(
    state: &mut State,
    roles: &[&str],
    clients: &[(&'static str, Option<String>)],
) -> duet_model::Result<Vec<(String, ClientId, String)>> {
    let mut added = Vec::new();
    for (name, db_role) in clients {
        let (client, secret) = state.add(name, roles, now())?;
        if let Some(role) = db_role {
            state.set_db_role(name, role.parse()?)?;
        }
        added.push(((*name).to_owned(), client.id, secret.expose().to_owned()));
    }
    Ok(added)
}

impl std::ops::Deref for App {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl Running {
    pub(crate) fn url(&self) -> &str {
        &self.urls[0]
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.url().trim_start_matches("http://").parse().unwrap()
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.url())
    }

    /// `Bearer …` of a fresh token of the test's client.
    pub(crate) fn bearer(&self) -> String {
        self.bearer_for(600)
    }

    /// The same of one that is good for so many seconds.
    pub(crate) fn bearer_for(&self, seconds: u32) -> String {
        self.token(&self.id, &self.secret, seconds)
    }

    /// The same of a further client.
    pub(crate) fn bearer_of(&self, name: &str) -> String {
        let (_, id, secret) = self.others.iter().find(|(other, ..)| other == name).unwrap();
        self.token(id, secret, 600)
    }

    fn token(&self, id: &ClientId, secret: &str, seconds: u32) -> String {
        let table = self.service.auth().table();
        let who = table.authenticate(id.as_str(), secret).unwrap();
        let issued = table.issue(who, now(), seconds).unwrap();
        format!("Bearer {}", issued.text)
    }

    /// A `GET` with a token, on a connection of its own.
    pub(crate) fn get(&self, path: &str) -> Response {
        self.connect().get(path, &[("Authorization", &self.bearer())])
    }

    /// The same with more headers.
    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let bearer = self.bearer();
        let all: Vec<(&str, &str)> = [("Authorization", bearer.as_str())]
            .into_iter()
            .chain(headers.iter().copied())
            .collect();
        self.connect().get(path, &all)
    }

    /// `POST /admin/reload`.
    pub(crate) fn reload(&self) -> Response {
        self.connect().request("POST", "/admin/reload", &[("Authorization", &self.bearer())], b"")
    }

    /// How many snapshots of the catalog there have been.
    pub(crate) fn generation(&self) -> u64 {
        self.service.snapshot().generation
    }
}

impl App {
    /// Stops it; returns when every request under way is answered.
    pub(crate) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // A server that failed has no client to answer.
        let _ = self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap_or_else(|_| panic!("the server's main thread panicked"));
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The test has failed already; whatever else goes wrong would only hide why.
            drop(self.stop.take());
            return;
        }
        self.end();
        assert_eq!(server_panics(), 0, "a thread of the server panicked");
    }
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Panics on the server's threads so far, of all tests.
pub(crate) fn server_panics() -> usize {
    PANICS.load(Ordering::SeqCst)
}

fn count_server_panics() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        if std::env::var_os("DUET_TEST_LOG").is_some() {
            tracing_subscriber::fmt().with_writer(std::io::stderr).init();
        }
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("");
            if ["server-main", "worker-", "sqlite-", "journal-"]
                .iter()
                .any(|own| name.starts_with(own))
            {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            usual(info);
        }));
    });
}

/// Every byte but letters and digits as `%XX`.
pub(crate) fn percent_encode(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    text.bytes().map(byte).collect()
}
