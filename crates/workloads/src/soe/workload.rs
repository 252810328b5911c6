//! Order entry's users.

use duet_bench::workload::{
    Done, Failed, TransactionType, Local, Session, Success, TransactionContext, Workload,
};
use duet_client::Moved;
use duet_verdict::result::CheckRow;

use super::checks::UserChecks;
use super::db::Db;
use super::embedded::Embedded;
use super::facts::{Side, Soe};
use super::resources::ResourceSession;
use super::rest::RestSession;
use super::server::Server;
use super::transactions::Client;

impl Workload for Soe {
    fn kinds(&self) -> &[TransactionType] {
        &self.kinds
    }

    fn checks(&self) -> Vec<CheckRow> {
        self.checks.rows(&self.kinds)
    }

    fn is_blocking(&self) -> bool {
        self.facts.service.is_none() && self.facts.database.is_blocking()
    }

    fn open(&self, user: u32) -> Local<'_, Result<Box<dyn Session>, Failed>> {
        Box::pin(async move {
            let checks = UserChecks::new(&self.checks);
            if let (Side::RestClient, Some(service)) = (self.facts.side, &self.facts.service) {
                let keys = self.keys.of(&self.facts, user);
                let session = ResourceSession::open(&self.facts, service, keys, checks).await?;
                return Ok(Box::new(session) as Box<dyn Session>);
            }
            if let Some(service) = &self.facts.service {
                let session = RestSession::open(&self.facts, service, checks).await?;
                return Ok(Box::new(session) as Box<dyn Session>);
            }
            let mut db = Db::open(&self.facts, checks).await?;
            let execution = match (self.facts.side, self.is_blocking()) {
                (Side::Client, _) => Execution::Client(Box::new(Client::prepare(&mut db).await?)),
                (_, false) => Execution::Server(Server::prepare(&mut db).await?),
                (_, true) => Execution::Embedded(Box::new(Embedded::prepare(&mut db).await?)),
            };
            Ok(Box::new(SoeSession { db, execution }) as Box<dyn Session>)
        })
    }
}

/// The side, with its prepared statements.
enum Execution {
    Client(Box<Client>),
    Server(Server),
    Embedded(Box<Embedded>),
}

/// One user.
struct SoeSession {
    db: Db,
    execution: Execution,
}

impl Session for SoeSession {
    fn moved(&self) -> Moved {
        self.db.moved()
    }

    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let db = &mut self.db;
            db.take_retried();
            db.checks.enter(kind);
            let done = match &self.execution {
                Execution::Client(client) => client.run(db, kind, context).await,
                Execution::Server(server) => server.run(db, kind, context).await,
                Execution::Embedded(embedded) => embedded.run(db, kind, context).await,
            };
            let retried = db.take_retried();
            match done {
                Ok(_) if retried => Ok(Success::Retried),
                Ok(success) => Ok(success),
                Err(failed) => {
                    db.rollback(context).await;
                    Err(failed)
                }
            }
        })
    }
}
