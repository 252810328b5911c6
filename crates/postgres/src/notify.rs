//! What the servers of one database tell each other: by `NOTIFY` on one channel, with what may have changed.
//!
//! Any user who may connect can send one; its only effect is a look at the current state.

use std::sync::Arc;

use duet_client::connect::{Hearer, Running};
use duet_store::news::News;
use tokio_postgres::Client;

/// What may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// What the catalog describes.
    Schema,
    /// Clients and keys.
    Clients,
}

impl Topic {
    fn payload(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Clients => "clients",
        }
    }

    /// The statement that tells it, when its transaction commits. It needs no privilege, and is not refused in a
    /// session that reads.
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Schema => "SELECT pg_catalog.pg_notify('duet', 'schema')",
            Self::Clients => "SELECT pg_catalog.pg_notify('duet', 'clients')",
        }
    }

    /// Passes its announcements on.
    pub(crate) fn hearer(self, news: &Arc<News>) -> Hearer {
        let news = Arc::clone(news);
        Arc::new(move |_, payload| {
            if payload == self.payload() {
                news.tell();
            }
        })
    }
}

/// Tells the other servers. A failure costs them time and nothing else.
pub(crate) async fn tell(client: &Client, topic: Topic) {
    if let Err(error) = client.batch_execute(topic.sql()).await {
        let cause = duet_client::sqlstate::chain(&error);
        tracing::debug!(cause, "other servers are not told of a change");
    }
}

/// Listens on a connection, which no pooler may lend to others; whether the server takes that.
pub(crate) async fn listen(client: &Client, news: &News) -> bool {
    let listens = client.batch_execute("LISTEN duet").await.is_ok();
    news.asked(listens);
    listens
}

/// A connection that is noted as the newest, and its end.
pub(crate) fn noted(news: &Arc<News>, running: Running) -> Running {
    let (number, news) = (news.connected(), Arc::clone(news));
    Box::pin(async move {
        let end = running.await;
        news.ended(number);
        end
    })
}
