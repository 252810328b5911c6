//! The outbox as events of views need it, and what tells subscribers of new ones: commits of this process to the outbox. Nothing listens before the
//! first of them, so that others pay nothing.

use std::sync::{Arc, OnceLock};

use duet_model::catalog::TableRef;
use duet_model::commit::{CommitConsumer, CommitEvent};
use duet_model::{Code, Error, Relation};
use duet_sql::Dialect;
use duet_store::SharedStore;
use tokio::sync::watch;

/// Says when there may be new events.
#[derive(Debug)]
pub(crate) struct EventWatch(watch::Receiver<()>);

impl EventWatch {
    /// Waits until there may be new events; forever where no commit of this process adds any.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The commits to the outbox of an application.
#[derive(Debug, Default)]
pub(crate) struct ViewEventWake(OnceLock<Arc<OutboxCommits>>);

impl ViewEventWake {
    pub(crate) fn watch(&self, store: &SharedStore) -> EventWatch {
        let commits = self.0.get_or_init(|| {
            let table = outbox_table(store.dialect());
            let commits = Arc::new(OutboxCommits { table, moved: watch::Sender::new(()) });
            store.commits().subscribe(Arc::clone(&commits) as _);
            commits
        });
        EventWatch(commits.moved.subscribe())
    }
}

/// The outbox as commit events name it.
pub(crate) fn outbox_table(dialect: &dyn Dialect) -> TableRef {
    static OUTBOXES: OnceLock<[TableRef; 2]> = OnceLock::new();
    let made = || {
        let table = |schema, name| Arc::new(Relation::table(schema, name, Vec::new()));
        [table("duet", "webhook_outbox"), table("main", "duet_webhook_outbox")]
    };
    let has_transactions = dialect.webhook_tables().transaction.is_some();
    Arc::clone(&OUTBOXES.get_or_init(made)[usize::from(!has_transactions)])
}

/// The error of a statement on an outbox that was not prepared, or not for this user.
pub(crate) fn not_prepared(error: Error) -> Error {
    if !matches!(error.code, Code::SchemaChanged | Code::DatabaseDenied) {
        return error;
    }
    nowhere().cause(error)
}

/// The error where the database has no place for events.
pub(crate) fn nowhere() -> Error {
    let message = "The database has no place for the events of this view. Nothing was changed.";
    Error::new(Code::ViewEventsNotPrepared, message)
        .hint("The operator runs `duet webhook prepare`.")
}

#[derive(Debug)]
struct OutboxCommits {
    table: TableRef,
    moved: watch::Sender<()>,
}

impl CommitConsumer for OutboxCommits {
    fn needs_rows(&self) -> bool {
        false
    }

    fn committed(&self, event: &CommitEvent<'_>) {
        let is_outbox =
            |schema: &str, name: &str| schema == self.table.schema && name == self.table.name;
        let mut relations = event.relations.iter().map(|change| &change.relation);
        if event.everything || relations.any(|it| is_outbox(it.schema(), it.name())) {
            self.moved.send_replace(());
        }
    }
}
