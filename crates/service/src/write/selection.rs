//! Documents changed by filter: those that a filter selects, one by one, in one transaction.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use duet_auth::ReadRight;
use duet_document::Codec;
use duet_filter::{FilterText, Limits};
use duet_model::{Code, ColumnRef, Direction, Error, ReadPlan, Result, Shape, Value};
use duet_store::{Answer, CountOf, Ending, PageRead, Session, SharedStore, Write};
use duet_text::error::Place;
use duet_text::json::body::Body;

use crate::definition::WriteLimits;
use crate::hosting::context::RequestContext;
use crate::queries::page;
use crate::queries::selection::{PageSlice, Selection};
use crate::resources::resource::Resource;
use crate::write::document::{DocumentOperation, DocumentTarget, OwnedLinks, WriteOutcome};
use crate::write::mode::{WriteMode, ending, writable};
use crate::write::notices::NoticeList;
use crate::write::once::{Once, WriteAnswer};

/// What is done to every document that a filter selects.
#[derive(Clone, Debug)]
pub enum SelectionChange {
    /// A merge patch.
    Patch(Body),
    /// It goes.
    Delete,
}

/// A write of all documents that a filter selects. No etag is compared: the filter is the condition.
#[derive(Clone, Debug)]
pub struct SelectionWrite {
    /// The resource.
    pub resource: Arc<Resource>,
    /// The filter, as JSON text.
    pub q: String,
    /// What is done.
    pub change: SelectionChange,
    /// How.
    pub mode: WriteMode,
}

impl RequestContext<'_> {
    /// Changes all documents that a filter selects, and gives their outcomes in the order of their
    /// keys. One failure undoes all.
    ///
    /// # Errors
    /// [`Code::TooManyDocuments`] where the filter selects more than the limit, and whatever the
    /// filter, the patch, the annotations or the database say.
    pub async fn write_selected(
        &self,
        right: ReadRight<'_>,
        write: SelectionWrite,
        once: Option<Once<Vec<WriteOutcome>>>,
    ) -> Result<WriteAnswer<Vec<WriteOutcome>>> {
        let service = self.service();
        let (resource, read_limits) = (&write.resource, service.limits());
        let q = Some(FilterText::Json(&write.q));
        let selection = Selection::new(right, resource, resource.fields(), q, &read_limits.filter)?;
        if !selection.order().is_empty() {
            let message = "A change of all documents that `q` selects has no order, and takes no `$orderby`. Leave it out.";
            return Err(
                Error::new(Code::BadParameter, message).at(Place::Parameter("q".to_owned()))
            );
        }
        let limits = service.write_limits();
        let store = service.store().clone();
        let plan = keys_plan(&resource.shape, selection, limits.documents as u64);
        let keys = PageRead::new(plan, store.dialect(), CountOf::Nothing);
        let filter = read_limits.filter;
        let author = self.author(&write.resource);
        let job = SelectionJob { store, limits, filter, keys, author, write };
        self.write_once(job, once, &|_| false).await
    }
}

/// A page that has nothing but keys.
pub(crate) fn keys_plan(shape: &Shape, selection: Selection, limit: u64) -> ReadPlan {
    let mut keys = shape.clone();
    keys.nodes[0].members.clear();
    keys.metadata = false;
    let term =
        |&column: &usize| shape.order_by(ColumnRef { node: 0, column }, Direction::Ascending);
    let order = keys.key.iter().map(term).collect();
    let part = PageSlice {
        by_row_number: false,
        after: None,
        offset: 0,
        limit,
        arguments: Arc::default(),
    };
    selection.ordered(order).plan(Arc::new(keys), part)
}

struct SelectionJob {
    store: SharedStore,
    limits: WriteLimits,
    filter: Limits,
    keys: PageRead,
    author: Option<Arc<str>>,
    write: SelectionWrite,
}

#[async_trait(?Send)]
impl Write for SelectionJob {
    type Output = Vec<WriteOutcome>;

    /// The filter may select any number of documents, and be slow.
    fn is_large(&self) -> bool {
        true
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<WriteOutcome>>> {
        let (links, notices) = (OwnedLinks::default(), NoticeList::default());
        let target = DocumentTarget {
            resource: &self.write.resource,
            writable: writable(&self.write.resource)?,
            dialect: self.store.dialect(),
            links: &links,
            author: self.author.as_ref(),
            explain: self.write.mode.explain,
            tried: true,
            last: false,
            blind: false,
            notices: &notices,
        };
        let keys = self.selected(session).await?;
        let mut stored = target.locked(session, &keys).await?;
        // What has changed while the locks were waited for may not be selected any more.
        let still: HashSet<String> =
            self.selected(session).await?.iter().map(|key| format!("{key:?}")).collect();
        let mut outcomes = Vec::with_capacity(keys.len());
        for (at, key) in keys.into_iter().enumerate() {
            if !still.contains(&format!("{key:?}")) {
                continue;
            }
            // An earlier one may have changed what this one shares with it.
            let now =
                if at == 0 { stored[0].take() } else { target.current(session, &key).await? };
            let Some(now) = now else { continue };
            let operation = match &self.write.change {
                SelectionChange::Patch(body) => {
                    DocumentOperation::Patch { key, body: body.clone() }
                }
                SelectionChange::Delete => DocumentOperation::Delete { key },
            };
            outcomes.push(target.write_locked(session, &operation, Some(&now), None).await?);
        }
        notices.record(session, self.store.dialect()).await?;
        Ok(ending(self.write.mode, outcomes))
    }
}

impl SelectionJob {
    /// The keys of the selected documents, in their order.
    async fn selected(&self, session: &mut dyn Session) -> Result<Vec<Vec<Value>>> {
        let answer = session.page(&self.keys).await.map_err(|error| {
            let q = Some(FilterText::Json(&self.write.q));
            page::in_filter(error, q, &self.filter, &self.keys.statements[0].parameters)
        })?;
        let keys = keys_of(&self.keys.plan, &answer);
        if keys.len() <= self.limits.documents {
            return Ok(keys);
        }
        let message = format!(
            "The filter selects more than {} documents, which is the limit of one request. Nothing was changed. Narrow the filter.",
            self.limits.documents
        );
        Err(Error::new(Code::TooManyDocuments, message).at(Place::Parameter("q".into())))
    }
}

/// The keys of the rows that such a page has.
pub(crate) fn keys_of(plan: &ReadPlan, answer: &Answer) -> Vec<Vec<Value>> {
    let rows = answer.fetched.roots();
    let columns = &plan.shape.root().table.columns;
    let key = |row: usize| {
        let parts = plan.key.iter().zip(&plan.shape.key);
        parts
            .map(|(&at, &column)| Codec::of(&columns[column].ty).value(rows.get(row, at)))
            .collect()
    };
    (0..rows.len()).map(key).collect()
}
