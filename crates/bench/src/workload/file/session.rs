//! A user of a workload file: runs the steps of a transaction, one after the other.

use std::sync::Arc;
use std::time::Instant;

use duet_db::raw::{Connection as Database, Moved, Statement};
use duet_model::Value;

use super::facts::{Facts, FileTarget};
use super::program::{Action, Program, Script};
use super::request::Wire;
use crate::record::TransactionCost;
use crate::targets::http::{Connection, Url};
use crate::workload::{Done, Failed, Local, Session, Success, TransactionContext};
use duet_verdict::outcome::Outcome;

/// Values shorter than this are not treated as secrets.
const SHORTEST_SECRET: usize = 6;
/// The replacement of a possible secret.
const HIDDEN: &str = "…";

/// A connection with the values of its user.
pub(super) struct FileSession {
    program: Arc<Program>,
    user: u32,
    pub(super) values: Vec<Value>,
    client: TargetClient,
    is_logged_in: bool,
}

/// The client for the target.
enum TargetClient {
    Http(Wire),
    /// With the prepared statements of each script that has a weight.
    Sql(Database, Vec<Vec<Statement>>),
}

impl FileSession {
    /// Connects.
    pub(super) async fn open(
        program: &Arc<Program>,
        facts: &Facts,
        user: u32,
    ) -> Result<Self, Failed> {
        let client = match &facts.target {
            FileTarget::Http { url, authorization } => {
                let wrong = |message: String| Failed::new(Outcome::Other, message);
                let url: Url = url.parse().map_err(wrong)?;
                let authorization = match authorization {
                    Some(value) => format!("Authorization: {value}\r\n"),
                    None => String::new(),
                };
                let fields = format!("Host: {}\r\n{authorization}", url.host);
                TargetClient::Http(Wire::new(Connection::open(&url, facts.timeout).await?, fields))
            }
            FileTarget::Sql(database) => {
                let mut connection =
                    Database::open(&database.target()?, crate::targets::sql::SESSION).await?;
                if connection.store() == "sqlite" {
                    let patience = facts.timeout.as_millis().max(1);
                    connection.script(&format!("PRAGMA busy_timeout = {patience}")).await?;
                }
                TargetClient::Sql(connection, Vec::new())
            }
        };
        let mut values = program.initial.clone();
        values[program.user] = Value::Int(user.into());
        for (name, slot) in &program.captured {
            if let Some(given) = facts.given.as_ref().and_then(|given| given.get(name)) {
                values[*slot] = super::feed::plain(given);
            }
        }
        Ok(Self { program: program.clone(), user, values, client, is_logged_in: false })
    }

    /// Prepares the statements of the transactions that have a weight, and limits the time of all
    /// later ones. Setup and teardown have no limit.
    pub(super) async fn prepare(&mut self, facts: &Facts) -> Result<(), Failed> {
        let TargetClient::Sql(connection, prepared) = &mut self.client else { return Ok(()) };
        connection.limit(facts.timeout).await?;
        for (script, weight) in self.program.scripts.iter().zip(&facts.weights) {
            let mut statements = Vec::new();
            for (number, action) in script.actions.iter().enumerate() {
                let Action::Sql(sql) = action else { continue };
                if *weight > 0.0 {
                    let statement = connection.prepare(&sql.text).await;
                    statements.push(statement.map_err(|failure| at(number, failure.into()))?);
                }
            }
            prepared.push(statements);
        }
        Ok(())
    }

    /// Runs the login steps of a user. Their time belongs to no transaction; their counts do, as
    /// far as servers count the same. A user that cannot log in reconnects.
    async fn login(&mut self, context: &mut TransactionContext) -> Result<(), Failed> {
        let program = self.program.clone();
        if self.is_logged_in || program.login.actions.is_empty() {
            return Ok(());
        }
        let began = Instant::now();
        let mut once =
            TransactionContext { random: context.random.fork(), ..TransactionContext::new(0) };
        let done = self.once(&program.login, &mut once).await;
        context.slept += began.elapsed();
        let TransactionCost { implicit, changed, writes, statuses, .. } = once.work;
        context.work.add(&TransactionCost {
            implicit,
            changed,
            writes,
            statuses,
            ..TransactionCost::default()
        });
        self.is_logged_in = done.is_ok();
        // A user that cannot log in has no connection to use.
        context.work.connects_failed += u64::from(done.is_err());
        done.map_err(|failed| {
            Failed::new(Outcome::Connection, format!("login: {}", failed.message))
        })
    }

    /// Runs setup, login or teardown: their statements are not prepared, and may be scripts.
    pub(super) async fn once(
        &mut self,
        script: &Script,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        self.draw(script, context);
        for (number, action) in script.actions.iter().enumerate() {
            let changed = context.work.changed;
            if let Some(Some(pause)) = script.pauses.get(number) {
                context.sleep(*pause).await;
            }
            let done = match (&mut self.client, action) {
                (TargetClient::Http(wire), Action::Request(request)) => {
                    request.run(wire, context, &mut self.values).await
                }
                (TargetClient::Sql(connection, _), Action::Sql(sql)) if sql.is_script() => {
                    context.work.implicit += 1;
                    connection.script(&sql.text).await.map_err(Failed::from)
                }
                (TargetClient::Sql(connection, _), Action::Sql(sql)) => {
                    match connection.prepare(&sql.text).await {
                        Ok(statement) => {
                            // Preparing is one too.
                            context.work.implicit += 2;
                            sql.run(connection, &statement, context, &mut self.values).await
                        }
                        Err(failure) => Err(failure.into()),
                    }
                }
                _ => Err(mixed()),
            };
            done.map_err(|failed| self.discreet(at(number, failed)))?;
            context.work.writes += u64::from(context.work.changed > changed);
        }
        Ok(())
    }

    fn draw(&mut self, script: &Script, context: &mut TransactionContext) {
        for place in &script.feeds {
            self.program.feeds[*place].draw(self.user, &mut context.random, &mut self.values);
        }
    }

    async fn transaction(&mut self, kind: usize, context: &mut TransactionContext) -> Done {
        let program = self.program.clone();
        let Some(script) = program.scripts.get(kind) else { return Err(mixed()) };
        self.draw(script, context);
        if let Some(think) = script.think {
            context.think = think;
        }
        let mut tries = 0;
        loop {
            let failed = match self.steps(kind, script, context).await {
                Ok(()) if tries == 0 => return Ok(Success::Ok),
                Ok(()) => return Ok(Success::Retried),
                Err(failed) => failed,
            };
            let TargetClient::Sql(connection, _) = &mut self.client else { return Err(failed) };
            if script.transaction {
                context.work.dml.rollbacks += 1;
            }
            // The next statement notices a closed connection.
            let _ = connection.rollback().await;
            let again = matches!(failed.outcome, Outcome::Deadlock | Outcome::Serialization);
            if !again || tries == script.retries {
                return Err(failed);
            }
            tries += 1;
        }
    }

    async fn steps(
        &mut self,
        kind: usize,
        script: &Script,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        let mut changed = context.work.changed;
        if let (TargetClient::Sql(connection, _), true) = (&mut self.client, script.transaction) {
            context.work.round_trips += u64::from(connection.store() == "postgres");
            connection.begin().await?;
        }
        for (number, action) in script.actions.iter().enumerate() {
            if number > 0 {
                context.think().await;
            }
            if let Some(Some(pause)) = script.pauses.get(number) {
                context.sleep(*pause).await;
            }
            let done = match (&mut self.client, action) {
                (TargetClient::Http(wire), Action::Request(request)) => {
                    request.run(wire, context, &mut self.values).await
                }
                (TargetClient::Sql(connection, prepared), Action::Sql(sql)) => {
                    match prepared.get(kind).and_then(|statements| statements.get(number)) {
                        Some(statement) => {
                            sql.run(connection, statement, context, &mut self.values).await
                        }
                        None => Err(mixed()),
                    }
                }
                _ => Err(mixed()),
            };
            // A failed check comes after the commit of a statement that is its own transaction.
            let was_done = match &done {
                Ok(()) => true,
                Err(failed) => failed.outcome == Outcome::Check,
            };
            if matches!(self.client, TargetClient::Sql(..)) && !script.transaction && was_done {
                context.work.implicit += 1;
                context.work.writes += u64::from(context.work.changed > changed);
                changed = context.work.changed;
            }
            done.map_err(|failed| at(number, failed))?;
        }
        if let (TargetClient::Sql(connection, _), true) = (&mut self.client, script.transaction) {
            context.work.round_trips += u64::from(connection.store() == "postgres");
            connection.commit().await?;
            context.work.dml.commits += 1;
            context.work.writes += u64::from(context.work.changed > changed);
        }
        Ok(())
    }

    /// The same failure without captured values and those of the environment, which may be secret.
    fn discreet(&self, mut failed: Failed) -> Failed {
        for slot in &self.program.secret {
            if let Value::Text(text) = &self.values[*slot]
                && text.len() >= SHORTEST_SECRET
            {
                failed.message = failed.message.replace(text.as_str(), HIDDEN);
            }
        }
        failed
    }
}

impl Session for FileSession {
    fn moved(&self) -> Moved {
        match &self.client {
            TargetClient::Http(_) => Moved::default(),
            TargetClient::Sql(connection, _) => connection.moved(),
        }
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            self.login(context).await?;
            let usual = context.think;
            let done = self.transaction(kind, context).await;
            context.think = usual;
            done.map_err(|failed| self.discreet(failed))
        })
    }
}

fn at(number: usize, mut failed: Failed) -> Failed {
    failed.message.insert_str(0, &format!("step {}: ", number + 1));
    failed
}

/// Unreachable, because the program is compiled for its target.
fn mixed() -> Failed {
    Failed::new(Outcome::Other, "the step is not for this target")
}
