//! Queries to be followed, as requests give them: checked, and with the right to read.

use std::sync::Arc;

use duet_auth::ReadRight;
use duet_model::key::parse_key;
use duet_model::{Code, Error, Result};
use tokio::sync::{mpsc, oneshot};

use super::reads::Reader;
use super::topic::Topic;
use crate::build::snapshot::Snapshot;
use crate::hosting::context::RequestContext;
use crate::live::event::EventId;
use crate::live::message::{Join, JoinedQuery, Message};
use crate::live::query::{LiveQuery, PageScope, QueryScope};
use crate::live::refusals::{self, Wish};
use crate::live::subscription::{LiveStart, LiveSubscription, QuerySeat};
use crate::queries::page::{PlannedPage, stream_plan};
use crate::queries::query::PageParameters;
use crate::read::pages::no_items;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// How often a subscription looks for a topic that has just ended.
const TRIES: usize = 10;

impl RequestContext<'_> {
    /// Plans to follow an item, which need not exist. The caller's right to read it has been checked.
    ///
    /// # Errors
    /// [`LiveRefused`](duet_model::Code::LiveRefused), and those of the key and `fields`.
    pub fn live_item(
        &self,
        snapshot: &Arc<Snapshot>,
        resource: &Arc<Resource>,
        key: &str,
        fields: Option<String>,
        expands: bool,
    ) -> Result<LiveQuery> {
        let wish = Wish {
            resource,
            parameters: None,
            expands,
            groups: false,
            is_related: false,
            lists_keys: false,
        };
        refusals::check(&wish)?;
        if resource.shape.key.is_empty() {
            return Err(no_items(resource));
        }
        let key = parse_key(&resource.shape, key)?;
        self.projection(resource, fields.as_deref())?;
        Ok(LiveQuery {
            snapshot: Arc::clone(snapshot),
            resource: Arc::clone(resource),
            fields,
            name: format!("key {key:?}"),
            selected: QueryScope::Item(key),
        })
    }

    /// Plans to follow the documents of a filter.
    ///
    /// # Errors
    /// [`LiveRefused`](duet_model::Code::LiveRefused), and whatever is wrong with the filter.
    pub fn live_page(
        &self,
        snapshot: &Arc<Snapshot>,
        resource: &Arc<Resource>,
        right: ReadRight<'_>,
        parameters: &PageParameters,
        lists_keys: bool,
    ) -> Result<LiveQuery> {
        let wish = Wish {
            resource,
            parameters: Some(parameters),
            expands: parameters.expand.is_some(),
            groups: false,
            is_related: false,
            lists_keys,
        };
        refusals::check(&wish)?;
        let (limits, dialect) = (self.service().limits(), self.dialect());
        let query = parameters.query(right, None);
        // One document more shows that there are too many.
        let rows = limits.live.documents.saturating_add(1);
        let planned = stream_plan(resource, &query, &limits, dialect, rows)?;
        planned.check_index(resource, dialect)?;
        let PlannedPage { representation, page, grouped } = planned;
        let own = resource.shape.nodes.len();
        let of_order = page.order.iter().flat_map(|term| term.value.nodes());
        let is_related = page.filter.nodes().into_iter().chain(of_order).any(|node| node >= own);
        refusals::check(&Wish { groups: grouped.is_some(), is_related, ..wish })?;
        let fields = query.fields.map(str::to_owned);
        self.projection(resource, fields.as_deref())?;
        Ok(LiveQuery {
            snapshot: Arc::clone(snapshot),
            resource: Arc::clone(resource),
            fields,
            name: format!("filter {:?}", query.filter),
            selected: QueryScope::Page(Arc::new(PageScope { representation, page })),
        })
    }

    /// What is read of each document.
    pub(crate) fn projection(
        &self,
        resource: &Resource,
        fields: Option<&str>,
    ) -> Result<Arc<Representation>> {
        let keep = self.service().limits().projections;
        resource.representation(fields, None, self.dialect(), keep)
    }

    /// Begins to follow a query: with its state, or behind the event of this id if it is still known.
    ///
    /// # Errors
    /// [`LiveLimit`](duet_model::Code::LiveLimit), [`LiveTooLarge`](duet_model::Code::LiveTooLarge), and whatever the
    /// database says of the state.
    pub async fn follow(&self, query: LiveQuery, last: Option<&str>) -> Result<LiveStart> {
        let last_id = last.and_then(EventId::parse);
        let name = topic_name(self, &query);
        let mut query = Some(query);
        for _ in 0..TRIES {
            let Some(next) = query.take() else { break };
            let inbox = self.topic(&name, &next)?;
            self.service().watch_commits().await?;
            let (reply, answer) = oneshot::channel();
            let returns = last.is_some();
            let join = Box::new(Join { query: next, last: last_id, returns, reply });
            if let Err(mpsc::error::SendError(Message::Join(join))) =
                inbox.send(Message::Join(join))
            {
                query = Some(join.query);
                continue;
            }
            // Without an answer the topic has ended with its application.
            let joined = answer.await.map_err(|_| reloaded())??;
            return Ok(self.started(joined, inbox, returns));
        }
        Err(reloaded())
    }

    fn started(
        &self,
        joined: JoinedQuery,
        inbox: mpsc::UnboundedSender<Message>,
        returns: bool,
    ) -> LiveStart {
        let JoinedQuery { log, number, group, first, resumed } = joined;
        let counts = self.service().live().counts();
        if resumed {
            counts.resumed_total.add(1);
        } else if returns {
            counts.reset_total.add(1);
        }
        let seat = QuerySeat::new(inbox, group, counts);
        LiveStart { first, subscription: LiveSubscription::new(log, number, seat) }
    }

    /// The topic of a query, which is started where there is none.
    fn topic(&self, name: &str, query: &LiveQuery) -> Result<mpsc::UnboundedSender<Message>> {
        let (hub, commits) = (self.service().live(), self.service().store().commits());
        hub.inbox(name, &query.resource.shape, commits, |new| {
            let representation = self.projection(&query.resource, query.fields.as_deref())?;
            let reader = Reader {
                worker: self.worker(),
                identity: self.identity().cloned(),
                resource: Arc::clone(&query.resource),
                representation,
            };
            let topic = Topic::new(new, reader, query.snapshot.generation);
            tokio::task::spawn_local(topic.run());
            Ok(())
        })
    }
}

/// What tells a topic from all others, of tenants and former snapshots too.
fn topic_name(context: &RequestContext<'_>, query: &LiveQuery) -> String {
    let identity = context.identity().map(|identity| (identity.role().as_str(), identity.claims()));
    let resource = (query.snapshot.generation, Arc::as_ptr(&query.resource), &query.resource.name);
    format!("{:?}", (resource, &query.fields, identity))
}

fn reloaded() -> Error {
    let message = "The application has just changed. Try again.";
    Error::new(Code::SchemaChanged, message).retry_after(1)
}
