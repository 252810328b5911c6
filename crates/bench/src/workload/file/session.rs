//! A user of a workload file: runs the steps of a transaction, one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use duet_client::Moved;
use duet_client::{Connection, Statement};
use duet_model::Value;

use super::answered::Answer;
use super::facts::{FileFacts, FileTarget};
use super::program::{Action, Program, Script};
use super::request::{Message, Wire};
use super::walk::{Event, Seat, Walk};
use super::wire::Wires;
use crate::record::TransactionCost;
use crate::targets::http::{HttpConnection, Response, Url};
use crate::workload::{Done, Failed, Local, Next, Session, Success, TransactionContext};
use duet_verdict::outcome::Outcome;

/// Values shorter than this are not treated as secrets.
const SHORTEST_SECRET: usize = 6;
/// The replacement of a possible secret.
const HIDDEN: &str = "…";

/// A connection with the values of its user.
pub(super) struct FileSession {
    pub(super) program: Arc<Program>,
    pub(super) user: u32,
    pub(super) values: Vec<Value>,
    /// Values whose names are computed.
    pub(super) named: BTreeMap<String, Value>,
    /// What the user's calls and limits have counted.
    pub(super) counts: BTreeMap<usize, [u64; 2]>,
    /// Whether its last measured step passed.
    pub(super) last_ok: bool,
    /// Why the next step fails: a number before it is none.
    pub(super) broken: Option<Failed>,
    /// Where it begins each transaction again.
    walks: BTreeMap<usize, Walk>,
    /// Its place in a group.
    pub(super) seat: Option<Seat>,
    /// The connections of `http` steps.
    pub(super) wires: Wires,
    client: TargetClient,
    is_logged_in: bool,
}

/// The client for the target.
enum TargetClient {
    Http(Box<Wire>),
    /// All steps are `http`, which have connections of their own.
    Parts,
    /// With the prepared statements of each script that has a weight.
    Sql(Connection, Vec<Vec<Statement>>),
}

impl FileSession {
    /// Connects.
    pub(super) async fn open(
        program: &Arc<Program>,
        facts: &FileFacts,
        user: u32,
    ) -> Result<Self, Failed> {
        let client = match &facts.target {
            FileTarget::Http { url, authorization } => {
                let wrong = |message: String| Failed::new(Outcome::Other, message);
                let url: Url = url.parse().map_err(wrong)?;
                let message = Message::new(&url, authorization.as_deref());
                if !program.has_requests() {
                    TargetClient::Parts
                } else {
                    TargetClient::Http(Box::new(Wire::new(
                        HttpConnection::open(&url, facts.timeout).await?,
                        message,
                    )))
                }
            }
            FileTarget::Sql(database) => {
                let mut connection =
                    Connection::open(&database.target()?, crate::targets::sql::SESSION).await?;
                if connection.store() == "sqlite" {
                    let patience = facts.timeout.as_millis().max(1);
                    connection.script(&format!("PRAGMA busy_timeout = {patience}")).await?;
                }
                TargetClient::Sql(connection, Vec::new())
            }
        };
        Ok(Self::with(client, program, facts, user))
    }

    /// A user without a connection, for what it would send.
    pub(super) fn offline(program: &Arc<Program>, facts: &FileFacts) -> Self {
        Self::with(TargetClient::Parts, program, facts, 0)
    }

    fn with(client: TargetClient, program: &Arc<Program>, facts: &FileFacts, user: u32) -> Self {
        let mut values = program.initial.clone();
        values[program.user] = Value::Int(user.into());
        for (name, slot) in &program.captured {
            if let Some(given) = facts.given.as_ref().and_then(|given| given.get(name)) {
                values[*slot] = super::feed::plain(given);
            }
        }
        let target = match &facts.target {
            FileTarget::Http { url, .. } => url.parse::<Url>().ok(),
            FileTarget::Sql(_) => None,
        };
        Self {
            program: program.clone(),
            user,
            values,
            named: BTreeMap::new(),
            counts: BTreeMap::new(),
            last_ok: true,
            broken: None,
            walks: BTreeMap::new(),
            seat: None,
            wires: Wires::new(target, facts.timeout, facts.definition.workload.cookies.is_some()),
            client,
            is_logged_in: false,
        }
    }

    /// Prepares the statements of the transactions that have a weight, and limits the time of all
    /// later ones. Setup and teardown have no limit.
    pub(super) async fn prepare(&mut self, facts: &FileFacts) -> Result<(), Failed> {
        let group = self.program.group_of(self.user);
        if let Some(group) = group {
            self.seat = Some(Seat::new(&self.program, group, self.user));
            if self.program.groups[group].cookies.is_some() {
                self.wires.keep_cookies();
            }
        }
        let TargetClient::Sql(connection, prepared) = &mut self.client else { return Ok(()) };
        connection.limit(facts.timeout).await?;
        for (number, script) in self.program.scripts.iter().enumerate() {
            let mut statements = Vec::new();
            let weight = match group {
                Some(group) => f64::from(u8::from(group == number)),
                None => facts.weights.get(number).copied().unwrap_or_default(),
            };
            for (number, action) in script.actions.iter().enumerate() {
                let Action::Sql(sql) = action else { continue };
                if weight > 0.0 {
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
        let Some(_) = &script.flow else {
            for number in 0..script.actions.len() {
                self.one_of_once(script, number, context).await?;
            }
            return Ok(());
        };
        let mut walk = Walk::default();
        loop {
            match self.walk(script, &mut walk, context, &|| false).await {
                Event::Step(number) => self.one_of_once(script, number, context).await?,
                Event::Enter(_) | Event::Leave => {}
                Event::Go(_) | Event::End => return Ok(()),
            }
        }
    }

    /// A step of setup, login or teardown.
    async fn one_of_once(
        &mut self,
        script: &Script,
        number: usize,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        let Some(action) = script.actions.get(number) else { return Err(mixed()) };
        if let Some(failed) = self.broken.take() {
            return Err(self.discreet(at(number, failed)));
        }
        let changed = context.work.changed;
        if let Some(Some(pause)) = script.pauses.get(number) {
            context.sleep(*pause).await;
        }
        let done = match (&mut self.client, action) {
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
            _ => self.sent(script, number, context).await,
        };
        done.map_err(|failed| self.discreet(at(number, failed)))?;
        context.work.writes += u64::from(context.work.changed > changed);
        Ok(())
    }

    /// Sends a request of any kind, and reads its response.
    async fn sent(
        &mut self,
        script: &Script,
        number: usize,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        let reading = script.readings.get(number).and_then(Option::as_ref);
        match (&mut self.client, script.actions.get(number)) {
            (TargetClient::Http(wire), Some(Action::Request(request))) => {
                let began = Instant::now();
                let read = |answer: &Response<'_>| {
                    reading.map(|_| Answer::of(answer, String::new(), began.elapsed()))
                };
                let wires = &mut self.wires;
                let answer = request.run(wire, wires, context, &mut self.values, read).await?;
                let (Some(reading), Some(answer)) = (reading, answer) else { return Ok(()) };
                let mut scope = self.scope(context);
                reading.take(&answer, &mut scope)?;
                reading.hold(&answer, &mut scope)
            }
            (_, Some(Action::Http(http))) => {
                let (answer, failed) = http.send(&self.values, &mut self.wires, context).await;
                let mut scope = self.scope(context);
                let is_read = failed.is_none() || http.jmeter();
                let reading = reading.filter(|_| is_read);
                let taken = reading.map_or(Ok(()), |reading| reading.take(&answer, &mut scope));
                if let Some(failed) = failed.filter(|_| !http.takes_any()) {
                    return Err(failed);
                }
                http.hold(&answer)?;
                taken?;
                reading.map_or(Ok(()), |reading| reading.hold(&answer, &mut scope))
            }
            _ => Err(mixed()),
        }
    }

    /// Draws the values of a script; whether there are any left.
    pub(super) fn draw(&mut self, script: &Script, context: &mut TransactionContext) -> bool {
        script.feeds.iter().all(|place| {
            self.program.feeds[*place].draw(self.user, &mut context.random, &mut self.values)
        })
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
        if script.flow.is_some() {
            self.flow(kind, script, &mut changed, context).await?;
            return self.commit(script, changed, context).await;
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
                    let wires = &mut self.wires;
                    request.run(wire, wires, context, &mut self.values, |_| ()).await
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
        self.commit(script, changed, context).await
    }

    /// Ends the database transaction of a script that is one.
    async fn commit(
        &mut self,
        script: &Script,
        changed: u64,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        if let (TargetClient::Sql(connection, _), true) = (&mut self.client, script.transaction) {
            context.work.round_trips += u64::from(connection.store() == "postgres");
            connection.commit().await?;
            context.work.dml.commits += 1;
            context.work.writes += u64::from(context.work.changed > changed);
        }
        Ok(())
    }

    /// Runs the steps of a transaction that decide, repeat or set values.
    async fn flow(
        &mut self,
        kind: usize,
        script: &Script,
        changed: &mut u64,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        let mut walk = self.walks.get(&kind).cloned().unwrap_or_default();
        let done = self.all_steps(kind, script, &mut walk, changed, context).await;
        // What is repeated after a conflict is the same again.
        if script.retries == 0 || done.is_ok() {
            self.walks.insert(kind, walk.again());
        }
        done
    }

    /// The same from a place on.
    async fn all_steps(
        &mut self,
        kind: usize,
        script: &Script,
        walk: &mut Walk,
        changed: &mut u64,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        let mut is_first = true;
        loop {
            let number = match self.walk(script, walk, context, &|| false).await {
                Event::Step(number) => number,
                Event::Enter(_) | Event::Leave => continue,
                Event::Go(_) | Event::End => return Ok(()),
            };
            if !is_first {
                context.think().await;
            }
            is_first = false;
            if let Some(Some(pause)) = script.pauses.get(number) {
                context.sleep(*pause).await;
            }
            let done = self.performed(kind, script, number, changed, context).await;
            self.last_ok = done.is_ok();
            done.map_err(|failed| at(number, failed))?;
        }
    }

    /// Runs a step of a flow.
    async fn performed(
        &mut self,
        kind: usize,
        script: &Script,
        number: usize,
        changed: &mut u64,
        context: &mut TransactionContext,
    ) -> Result<(), Failed> {
        if let Some(failed) = self.broken.take() {
            return Err(failed);
        }
        let (TargetClient::Sql(connection, prepared), Some(Action::Sql(sql))) =
            (&mut self.client, script.actions.get(number))
        else {
            return self.sent(script, number, context).await;
        };
        let statement = prepared.get(kind).and_then(|statements| statements.get(number));
        let Some(statement) = statement else { return Err(mixed()) };
        let done = sql.run(connection, statement, context, &mut self.values).await;
        let was_done = done.as_ref().err().is_none_or(|failed| failed.outcome == Outcome::Check);
        if !script.transaction && was_done {
            context.work.implicit += 1;
            context.work.writes += u64::from(context.work.changed > *changed);
            *changed = context.work.changed;
        }
        done
    }

    /// Runs the step of a group that was chosen.
    async fn chosen_step(&mut self, context: &mut TransactionContext) -> Done {
        let program = self.program.clone();
        let Some((group, number)) = self.chosen() else { return Err(mixed()) };
        let mut changed = context.work.changed;
        let script = &program.scripts[group];
        let done = self.performed(group, script, number, &mut changed, context).await;
        if let (Err(_), TargetClient::Sql(connection, _)) = (&done, &mut self.client) {
            // The next statement notices a closed connection.
            let _ = connection.rollback().await;
        }
        self.chosen_ended(done.is_ok());
        done.map(|()| Success::Ok).map_err(|failed| self.discreet(failed))
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
            TargetClient::Http(_) | TargetClient::Parts => Moved::default(),
            TargetClient::Sql(connection, _) => connection.moved(),
        }
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            if self.seat.is_some() {
                return self.chosen_step(context).await;
            }
            self.login(context).await?;
            let usual = context.think;
            let done = self.transaction(kind, context).await;
            context.think = usual;
            done.map_err(|failed| self.discreet(failed))
        })
    }

    fn next<'a>(
        &'a mut self,
        context: &'a mut TransactionContext,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Local<'a, Next> {
        Box::pin(async move {
            if self.seat.as_ref().is_some_and(Seat::is_new) && self.login(context).await.is_err() {
                return Next::End;
            }
            self.next_of_group(context, is_stopped).await
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
