//! HTTP: routes, replies, catalogs, metrics. The only crate that names hyper.
//!
//! [`start`] opens the listeners and starts the workers: threads with a single-threaded runtime
//! each. `handle.rs` shows the path of a request, top to bottom.
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//! use std::sync::Arc;
//! use duet_auth::{Open, State};
//! use duet_db::{Limits, Store, sqlite};
//! use duet_http::{Listen, ServeOptions};
//! use duet_service::definition::{Application, Mount, Mounts};
//! use duet_service::{Auth, Service};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("racing.db");
//! rusqlite::Connection::open(&path)?
//!     .execute_batch("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO team VALUES (7, 'Reds')")?;
//! let mount = Mount { path: "/hr".into(), all_tables: true, ..Mount::default() };
//! let application = Application { mounts: Mounts::Declared(Box::new(mount)), ..Application::default() };
//! let database = sqlite::Database::open(&path, &sqlite::Options::default(), Limits::default())?;
//! let auth = Auth::in_memory(&State::new(0)?, Open::Read);
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let service = runtime.block_on(Service::open(Store::Sqlite(Arc::new(database)), application, auth))?;
//!
//! // Port 0: the system chooses a free one, and `urls` names it.
//! let options = ServeOptions { listen: vec![Listen::Tcp("127.0.0.1:0".parse()?)], ..ServeOptions::default() };
//! let server = duet_http::start(service, options)?;
//! let mut stream = TcpStream::connect(server.urls()[0].trim_start_matches("http://"))?;
//! stream.write_all(b"GET /hr/team/7 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//! let mut response = String::new();
//! stream.read_to_string(&mut response)?;
//! assert!(response.starts_with("HTTP/1.1 200 OK") && response.contains(r#""name":"Reds""#));
//! server.stop();
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod accept;
mod access_log;
mod addresses;
mod admin;
mod answered;
mod any_socket;
mod array;
mod arrivals;
mod arrived;
mod authenticated;
mod batch;
mod batchload;
mod body;
mod body_lease;
mod capture;
mod catalog;
mod class;
mod coded_body;
mod coding;
mod commit_metrics;
mod compression;
mod connection;
mod connection_table;
mod constant;
mod cors;
mod database_health;
mod declared;
mod declared_login;
pub mod describe;
mod descriptions;
mod ebb;
mod event;
mod events;
mod explained;
mod forwarded;
mod framing;
mod handle;
mod handshake_socket;
mod head_timer;
mod header;
mod html;
mod http2;
mod idempotency;
mod ids;
mod index;
mod ingest;
mod instances;
mod journal_admin;
mod jwks;
mod last_bytes;
mod leased;
mod lines;
mod link;
mod login;
mod media;
mod merged_metrics;
mod methods;
mod metrics;
mod offload;
mod operator_log;
mod options;
mod ords;
mod origin;
mod parse;
mod plan;
mod planned;
mod preface;
mod prefer;
mod preference_applied;
mod principal;
mod problem;
mod problem_answer;
mod problem_page;
mod processes;
mod queue_metrics;
mod read;
mod refusal;
mod reload;
mod reloads;
mod remote;
mod repeated;
mod reply;
mod request_timeout;
mod rmb;
mod routed;
mod routine;
mod rowstore;
mod scope;
mod search;
mod server;
mod service;
mod service_batch;
mod service_times;
mod shared_accept;
mod site;
mod slow_log;
mod sockets;
mod stage;
mod stream;
mod subpath;
mod tenant;
mod tenant_api;
mod tenant_header;
mod tenant_job_question;
mod tenant_jobs;
mod tenant_metrics;
mod tenant_watch;
mod tls;
mod token;
mod trace;
mod transaction;
mod wire;
mod worker;
mod write;
mod write_timer;

pub use admin::{ADMIN_PATHS, AdminReach};
pub use cors::CorsOptions;
pub use event::{
    ConnectionRefusal, Event, Exchange, Observer, RequestId, RequestTarget, ServedResource,
};
pub use forwarded::ProxyHeaders;
pub use instances::Instances;
pub use jwks::check_keys_url;
pub use options::{AccessLog, HttpLimits, Listen, ServeOptions};
pub use reloads::Reloads;
pub use repeated::{REPETITIONS, Repetition};
pub use server::{Handle, Server, start};
pub use sockets::Socket;
pub use stage::{Stage, Stages};
pub use tls::TlsFiles;
