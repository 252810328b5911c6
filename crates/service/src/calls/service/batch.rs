//! Batches of a service that writes: its statements run for each item, in one transaction, with a result for
//! each.
//!
//! The statements of all items are sent together. Where the database refuses some, they are undone to one
//! savepoint, the items in front of the refused one run again, and fewer at a time follow.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use duet_model::{Error, Result, Value};
use duet_store::{Call, Ending, Session, SharedStore, Write};
use duet_text::json::body::Body;

use super::run::{ServiceAnswer, answer};
use crate::hosting::context::RequestContext;
use crate::resources::raised;
use crate::resources::service_resource::{ServiceKind, ServiceResource};
use crate::services::{PathValues, WriteRun};
use crate::write::{LARGE, Numbering, Once, WriteAnswer};

/// A service, and the arguments of each item.
#[derive(Clone, Debug)]
pub struct ServiceBatch {
    /// The service.
    pub service: Arc<ServiceResource>,
    /// The arguments, or their mistake.
    pub items: Vec<Result<Arc<[Value]>>>,
    /// Whether one failure undoes all.
    pub atomic: bool,
    /// Whether everything is undone in the end.
    pub dry_run: bool,
}

/// What became of each item of a batch, in their order.
pub type ServiceOutcomes = Vec<Result<ServiceAnswer>>;

impl ServiceBatch {
    /// The arguments of each element of an array; those of the path are the same for all. Places of mistakes
    /// begin with the position of the element.
    pub fn items(
        service: &ServiceResource,
        path: &PathValues<'_>,
        array: &Body,
    ) -> Vec<Result<Arc<[Value]>>> {
        let arguments = |(index, body): (usize, Body)| {
            let read = service.file.arguments_of_body(path, &body);
            read.map_err(|error| Numbering::Elements.numbered_all(error, index))
        };
        array.elements().enumerate().map(arguments).collect()
    }
}

impl RequestContext<'_> {
    /// Runs a service for each item of a batch. An atomic batch is done as a whole or not at all; any other
    /// leaves out the items that are refused.
    ///
    /// # Errors
    /// For an atomic batch the first failure, whose place begins with the position of the item. Otherwise
    /// what concerns no single item: the database cannot be reached, a time limit.
    pub async fn run_service_batch(
        &self,
        batch: ServiceBatch,
        once: Option<Once<ServiceOutcomes>>,
    ) -> Result<WriteAnswer<ServiceOutcomes>> {
        let refused = batch.items.iter().find_map(|item| item.as_ref().err());
        if let (true, Some(error)) = (batch.atomic, refused) {
            return Err(Numbering::Elements.undone(error.clone()));
        }
        let store = self.service().store().clone();
        self.write_once(BatchJob { store, batch }, once, &|_| false).await
    }
}

struct BatchJob {
    store: SharedStore,
    batch: ServiceBatch,
}

/// Items that were not done: the one that was refused, where it is known, and why.
struct Stopped {
    item: Option<usize>,
    error: Error,
}

#[async_trait(?Send)]
impl Write for BatchJob {
    type Output = ServiceOutcomes;

    fn is_large(&self) -> bool {
        self.batch.items.len() > LARGE
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<ServiceOutcomes>> {
        let ServiceKind::Write(run) = &self.batch.service.kind else {
            return Err(Error::internal("a service that reads is run as a batch"));
        };
        let items = &self.batch.items;
        let mut outcomes = ServiceOutcomes::with_capacity(items.len());
        let mut size = items.len();
        // Items in front of one that was refused run again up to it.
        let mut refused: Option<(usize, Error)> = None;
        while let Some(item) = items.get(outcomes.len()) {
            let at = outcomes.len();
            if let Err(error) = item {
                outcomes.push(Err(error.clone()));
                continue;
            }
            if let Some((_, error)) = refused.take_if(|(item, _)| *item == at) {
                outcomes.push(Err(error));
                continue;
            }
            let right = items[at..].iter().take_while(|item| item.is_ok()).count();
            let end = refused.as_ref().map_or(at + right.min(size), |(item, _)| *item);
            match self.attempt(session, run, at..end).await? {
                Ok(done) => {
                    outcomes.extend(done.into_iter().map(Ok));
                    size = size.saturating_mul(2);
                }
                Err(Stopped { item, error }) => {
                    let item = item.or((end - at == 1).then_some(at));
                    if self.batch.atomic {
                        let placed = match item {
                            Some(item) => Numbering::Elements.numbered(error, item),
                            None => error,
                        };
                        return Err(Numbering::Elements.undone(placed));
                    }
                    refused = item.map(|item| (item, Numbering::Elements.numbered(error, item)));
                    size = (end - at).div_ceil(2);
                }
            }
        }
        Ok(match self.batch.dry_run {
            true => Ending::DryRun(outcomes),
            false => Ending::Commit(outcomes),
        })
    }
}

impl BatchJob {
    /// Runs the service for some items: all of them, or none.
    async fn attempt(
        &self,
        session: &mut dyn Session,
        run: &WriteRun,
        range: Range<usize>,
    ) -> Result<Result<Vec<ServiceAnswer>, Stopped>> {
        let service = &self.batch.service;
        let each: Vec<&Arc<[Value]>> =
            self.batch.items[range.clone()].iter().filter_map(|item| item.as_ref().ok()).collect();
        let all: Vec<Call> = (each.iter())
            .flat_map(|arguments| run.calls(self.store.dialect(), &service.file, arguments))
            .collect();
        let statements = service.file.statements.len().max(1);
        if !self.batch.atomic {
            session.savepoint().await?;
        }
        let stopped = match session.run(&all).await {
            Ok(done) => {
                let answers = each.iter().zip(done.chunks(statements)).map(|(arguments, done)| {
                    answer(&service.file, &run.columns, done.last(), arguments)
                });
                let (mut kept, mut stopped) = (Vec::with_capacity(each.len()), None);
                for (answer, item) in answers.zip(range.clone()) {
                    match answer {
                        Ok(answer) => kept.push(answer),
                        Err(error) => {
                            stopped = Some(Stopped { item: Some(item), error });
                            break;
                        }
                    }
                }
                let Some(stopped) = stopped else {
                    if !self.batch.atomic {
                        session.release_savepoint().await?;
                    }
                    return Ok(Ok(kept));
                };
                stopped
            }
            Err(error) if (400..500).contains(&error.code.status()) => {
                let call = error.violation.as_ref().and_then(|violation| violation.call);
                let error = raised::shown(error, service.raised_messages);
                Stopped { item: call.map(|call| range.start + call / statements), error }
            }
            Err(error) => return Err(error),
        };
        if !self.batch.atomic {
            session.rollback_to_savepoint().await?;
        }
        Ok(Err(stopped))
    }
}
