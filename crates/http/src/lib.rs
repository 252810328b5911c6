//! HTTP: routes, replies, catalogs, metrics. The only crate that names hyper.
//!
//! [`start`] opens the listeners and starts the workers: threads with a single-threaded runtime
//! each. `pipeline/handle.rs` shows the path of a request, top to bottom.
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//! use std::sync::Arc;
//! use duet_auth::{Open, State};
//! use duet_store::Limits;
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
//! let database = duet_sqlite::Database::open(&path, &duet_sqlite::Options::default(), Limits::default())?;
//! let auth = Auth::in_memory(&State::new(0)?, Open::Read);
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let service = runtime.block_on(Service::open(Arc::new(database), application, auth))?;
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

mod admin;
mod agents;
mod answer;
mod clients;
mod connection;
mod console;
pub mod describe;
mod features;
pub mod load_tests;
mod logs;
mod message;
mod observe;
mod offload;
mod options;
mod pipeline;
mod processes;
mod profiles;
mod recent_log;
mod request;
mod resources;
mod server;
mod services;
mod sockets;
mod worker;

pub use ipnet::IpNet;

pub use admin::paths::{ADMIN_PATHS, AdminPath, AdminReach};
pub use message::cors::CorsOptions;
pub use message::forwarded::ProxyHeaders;
pub use observe::event::{
    ConnectionRefusal, Event, Exchange, Observer, RequestId, RequestTarget, ServedResource,
};
pub use observe::reloads::Reloads;
pub use observe::stage::{Stage, Stages};
pub use options::agents::AgentOptions;
pub use options::console::{ConsoleOptions, IssuerLogin, SignInLink};
pub use options::live::LiveOptions;
pub use options::webhooks::WebhookReach;
pub use options::{AccessLog, HttpLimits, ServeOptions};
pub use recent_log::RecentLog;
pub use request::repeated::{REPETITIONS, Repetition};
pub use server::webhooks::{HttpCourier, check_webhook_url};
pub use server::{Handle, Server, start};
pub use sockets::instances::Instances;
pub use sockets::jwks::check_keys_url;
pub use sockets::listen::{Listen, Socket};
pub use sockets::tls::TlsFiles;
