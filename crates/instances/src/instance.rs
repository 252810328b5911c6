//! An instance's end of the connection to its supervisor.

use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use rustix::process::{Signal, set_parent_process_death_signal};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::channel::{Reader, Sender, receive_descriptors};
use crate::message::{Hello, Load, PROTOCOL, Question, ToInstance, ToSupervisor};
use crate::pending::PendingQuestions;
use crate::turns::Turns;

/// The longest first message.
const LONGEST_HELLO: u64 = 64 << 20;

/// An instance that has found its supervisor.
#[derive(Debug)]
pub struct Instance {
    /// What it is told.
    pub hello: Hello,
    /// The sockets to accept from, in the supervisor's order.
    pub sockets: Vec<OwnedFd>,
    /// Whose turn it is to accept.
    pub turns: Arc<Turns>,
    /// The file in memory that all instances share ([`crate::Plan::memory`]).
    pub memory: OwnedFd,
    stream: UnixStream,
}

/// What the supervisor wants of an instance.
#[derive(Debug)]
pub enum Order {
    /// Accept no more, and end when the connections have.
    Retire,
    /// The supervisor is gone: end.
    Orphaned,
}

/// The part of an instance that serves.
pub trait Serving: Send + Sync {
    /// Passes through every worker, and says how busy they are. Where it never returns, the instance
    /// hangs.
    fn pulse(&self) -> BoxFuture<'static, Load>;

    /// Answers a question.
    fn answer(&self, question: Question) -> BoxFuture<'static, Value>;
}

/// Finds the supervisor at the standard input.
///
/// # Errors
/// Where there is none, or one that this binary does not understand.
pub fn join() -> io::Result<Instance> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut descriptors = receive_descriptors(&stream)?.into_iter();
    let mut length = [0; 4];
    (&stream).read_exact(&mut length)?;
    let mut text = Vec::new();
    (&stream)
        .take(u64::from(u32::from_le_bytes(length)).min(LONGEST_HELLO))
        .read_to_end(&mut text)?;
    let hello: Hello = serde_json::from_slice(&text)?;
    if hello.protocol != PROTOCOL {
        let message = "the supervisor is of another version: restart it, too";
        return Err(io::Error::other(message));
    }
    let table = descriptors.next().ok_or_else(|| io::Error::other("no table of turns"))?;
    let memory = descriptors.next().ok_or_else(|| io::Error::other("no shared memory"))?;
    let turns = Turns::shared(table, hello.rows, hello.first_row, hello.workers);
    // A stopped instance that loses its supervisor goes on, notices that, and ends.
    set_parent_process_death_signal(Some(Signal::CONT))?;
    Ok(Instance { hello, sockets: descriptors.collect(), turns: Arc::new(turns), memory, stream })
}

impl Instance {
    /// Listens to the supervisor on a thread of its own, so that a busy program answers in time.
    /// Orders go to `orders`. When the supervisor is gone, the process exits after `patience` at the
    /// latest.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn connect(
        self,
        orders: mpsc::UnboundedSender<Order>,
        patience: Duration,
    ) -> io::Result<Link> {
        self.stream.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let entered = runtime.enter();
        let (reader, writer) = tokio::net::UnixStream::from_std(self.stream)?.into_split();
        let (sender, writing) = Sender::new(writer);
        drop(entered);
        let link = Link { sender, questions: Arc::default(), serving: Arc::default() };
        let listening = link.clone();
        std::thread::Builder::new().name("supervisor".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::spawn(writing);
                listening.listen(Reader::new(reader), &orders).await;
                tokio::time::sleep(patience).await;
            });
            std::process::exit(1);
        })?;
        Ok(link)
    }
}

/// The connection to the supervisor.
#[derive(Clone)]
pub struct Link {
    sender: Sender,
    questions: Arc<PendingQuestions>,
    serving: Arc<OnceLock<Arc<dyn Serving>>>,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("serves", &self.serving.get().is_some()).finish()
    }
}

impl Link {
    /// Says that requests are answered, and by what.
    pub fn ready(&self, serving: Arc<dyn Serving>, payload: Value) {
        // There is one server in a process.
        let _ = self.serving.set(serving);
        self.sender.send(&ToSupervisor::Ready { payload });
    }

    /// Asks all other instances, or about all of them; `None` where the supervisor is gone.
    pub fn ask(&self, question: Question) -> BoxFuture<'static, Option<Value>> {
        let (id, answer) = self.questions.new_question();
        self.sender.send(&ToSupervisor::Ask { id, question });
        Box::pin(async move { answer.await.ok() })
    }

    async fn listen(self, mut reader: Reader, orders: &mpsc::UnboundedSender<Order>) {
        while let Some(message) = reader.next().await {
            match message {
                ToInstance::Hello(_) => {}
                ToInstance::Ping => self.clone().answer_ping(),
                ToInstance::Ask { id, question } => self.clone().answer(id, question),
                ToInstance::Answer { id, body } => self.questions.answered(id, body),
                ToInstance::Retire => drop(orders.send(Order::Retire)),
            }
        }
        self.questions.close();
        let _ = orders.send(Order::Orphaned);
    }

    fn answer_ping(self) {
        let pulse = self.serving.get().map(|serving| serving.pulse());
        tokio::spawn(async move {
            let load = match pulse {
                Some(pulse) => pulse.await,
                // It is starting, for which there is another limit.
                None => Load::default(),
            };
            self.sender.send(&ToSupervisor::Alive { load });
        });
    }

    fn answer(self, id: u64, question: Question) {
        let answer = self.serving.get().map(|serving| serving.answer(question));
        tokio::spawn(async move {
            let body = match answer {
                Some(answer) => answer.await,
                None => Value::Null,
            };
            self.sender.send(&ToSupervisor::Answer { id, body });
        });
    }
}
