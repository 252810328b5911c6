//! This process as one of several instances, which a supervisor has started.

use std::num::NonZeroUsize;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_http::{Handle, Instances, Listen, Server, Socket};
use duet_instances::{Instance, Link, Load, Order, Question, Serving, Turns};
use duet_model::{Error, Result};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::signals::Action;
use crate::commands::sources::applications::Made;
use crate::configuration_error::ConfigurationError;
use crate::serving::RunClient;
use crate::settings::{INSTANCE, Settings};

/// How much longer an instance may take than its drain timeout when it has lost its supervisor.
const LAST: Duration = Duration::from_secs(5);

/// An instance that has found its supervisor.
pub(super) struct Member(Instance);

/// The instance that this process is, if it is one.
pub(super) fn member() -> Result<Option<Member>> {
    if std::env::var_os(INSTANCE).is_none() {
        return Ok(None);
    }
    let joined = duet_instances::join().map_err(|error| {
        let message = format!("{INSTANCE} is set, and there is no supervisor: {error}.");
        let hint =
            "It is set by `duet serve --instances` for the processes that it starts: unset it.";
        ConfigurationError::setting(message).hint(hint)
    })?;
    Ok(Some(Member(joined)))
}

impl Member {
    /// Where databases for the run are, if there are any.
    pub(super) fn made(&self) -> Option<Made> {
        let folder = self.0.hello.payload["folder"].as_str()?;
        Some(Made::Before(PathBuf::from(folder)))
    }

    /// Into how many shares common limits are divided.
    pub(super) fn parts(&self) -> usize {
        self.0.hello.parts
    }

    /// The workers of each instance, if this many were asked for.
    ///
    /// # Errors
    /// `Setting` where another number was asked for when the supervisor was started.
    pub(super) fn workers(&self, asked: usize) -> Result<NonZeroUsize> {
        let before = self.0.hello.payload["workers"].as_u64().unwrap_or_default();
        if before != asked as u64 {
            let message = format!(
                "`workers` is {asked} now, and was {before} when the supervisor was started."
            );
            let error = ConfigurationError::setting(message).hint("Restart the supervisor.");
            return Err(error.into());
        }
        NonZeroUsize::new(self.0.hello.workers).ok_or_else(|| Error::internal("no workers"))
    }

    /// Listens to the supervisor from now on.
    pub(super) fn connect(mut self, settings: &Settings) -> Result<Connected> {
        let run = RunClient::from_handed_on(&self.0.hello.payload["client"])?;
        let announces = self.0.hello.announces;
        let sockets = std::mem::take(&mut self.0.sockets);
        let turns = Arc::clone(&self.0.turns);
        duet_service::share_versions(&self.0.memory).map_err(Error::internal)?;
        let (ordering, orders) = mpsc::unbounded_channel();
        let (reloading, reloads) = mpsc::unbounded_channel();
        let patience = settings.drain_timeout.value + LAST;
        let link = self.0.connect(ordering, patience).map_err(Error::internal)?;
        Ok(Connected {
            run: Some(run),
            announces,
            sockets,
            turns,
            link,
            orders,
            reloading,
            reloads,
        })
    }
}

/// An instance that listens to its supervisor.
pub(super) struct Connected {
    run: Option<RunClient>,
    announces: bool,
    sockets: Vec<OwnedFd>,
    turns: Arc<Turns>,
    link: Link,
    orders: mpsc::UnboundedReceiver<Order>,
    reloading: mpsc::UnboundedSender<oneshot::Sender<Value>>,
    reloads: mpsc::UnboundedReceiver<oneshot::Sender<Value>>,
}

impl Connected {
    /// The sockets of the supervisor.
    pub(super) fn listen(&mut self) -> Result<Vec<Listen>> {
        let sockets = std::mem::take(&mut self.sockets).into_iter();
        sockets.map(|socket| Ok(Listen::Open(Arc::new(Socket::inherited(socket)?)))).collect()
    }

    /// The client of the run, which is the same in every instance.
    pub(super) fn client(&mut self) -> Result<RunClient> {
        self.run.take().ok_or_else(|| Error::internal("the client of the run is taken"))
    }

    /// Whether this instance reports what the operator should know.
    pub(super) fn announces(&self) -> bool {
        self.announces
    }

    /// The other instances.
    pub(super) fn beside(&self) -> Arc<dyn Instances> {
        Arc::new(Beside { turns: Arc::clone(&self.turns), link: self.link.clone() })
    }

    /// Says that requests are answered.
    pub(super) fn ready(&self, server: &Server, message: Value) {
        let handle = server.handle();
        self.link.ready(Arc::new(Served { handle, reloading: self.reloading.clone() }), message);
    }
}

/// What the supervisor asks next; never anything without one.
pub(super) async fn next(connected: &mut Option<&mut Connected>) -> Action {
    let Some(connected) = connected else { return std::future::pending().await };
    tokio::select! {
        order = connected.orders.recv() => Action::Ordered(order.unwrap_or(Order::Orphaned)),
        Some(caller) = connected.reloads.recv() => Action::Reload(Some(caller)),
    }
}

/// The server of this instance, for its supervisor.
struct Served {
    handle: Handle,
    reloading: mpsc::UnboundedSender<oneshot::Sender<Value>>,
}

impl Serving for Served {
    fn pulse(&self) -> BoxFuture<'static, Load> {
        let handle = self.handle.clone();
        Box::pin(async move {
            handle.pulse().await;
            let (waiting, running) = handle.load();
            Load { waiting, running }
        })
    }

    fn answer(&self, question: Question) -> BoxFuture<'static, Value> {
        match question {
            Question::Reload => {
                let (sender, answer) = oneshot::channel();
                // A server that ends answers nothing.
                let _ = self.reloading.send(sender);
                Box::pin(async move { answer.await.unwrap_or(Value::Null) })
            }
            Question::Rowstore(query) => {
                let handle = self.handle.clone();
                Box::pin(async move { handle.change_rowstore(&query).await })
            }
            Question::EndedSession(id) => {
                self.handle.end_session(&id);
                Box::pin(std::future::ready(Value::Null))
            }
            Question::Report(subject) => Box::pin(std::future::ready(self.handle.report(&subject))),
        }
    }
}

/// The other instances, for the server of this one.
#[derive(Debug)]
struct Beside {
    turns: Arc<Turns>,
    link: Link,
}

impl Instances for Beside {
    fn accepts(&self, worker: usize, accepts: bool) {
        self.turns.accepts(worker, accepts);
    }

    fn may_accept(&self, worker: usize) -> bool {
        self.turns.may_accept(worker, Instant::now())
    }

    fn rest(&self, worker: usize) {
        self.turns.rest(worker);
    }

    fn opened(&self, worker: usize) {
        self.turns.opened(worker);
    }

    fn closed(&self, worker: usize) {
        self.turns.closed(worker);
    }

    fn reload_others(&self) -> BoxFuture<'static, Option<Value>> {
        self.link.ask(Question::Reload)
    }

    fn change_rowstores(&self, query: String) -> BoxFuture<'static, Option<Value>> {
        self.link.ask(Question::Rowstore(query))
    }

    fn end_session(&self, id: String) -> BoxFuture<'static, Option<Value>> {
        self.link.ask(Question::EndedSession(id))
    }

    fn reports(&self, subject: String) -> BoxFuture<'static, Option<Value>> {
        self.link.ask(Question::Report(subject))
    }
}
