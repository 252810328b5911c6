//! A worker's reads from standbys: each goes to one that is new enough, or to the primary, which also answers what a
//! standby did not.

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use duet_admission::Request;
use duet_model::{Result, Value};
use duet_store::queues::admit::Queues;
use duet_store::read::{Answer, KeyedRead, PageRead, RowCount};
use duet_store::worker::Caller;
use duet_store::worker::stream::Chunks;

use crate::database::{Database, DatabaseStandbys};
use crate::read::readers::{ReaderSizes, Readers};
use crate::standbys::standby::{Standby, is_of_standby};

/// A worker's connections to the standbys.
#[derive(Debug)]
pub(crate) struct StandbyReaders {
    standbys: Arc<DatabaseStandbys>,
    sizes: ReaderSizes,
    queues: Arc<Queues>,
    /// By the place of the standby; made at the first read.
    readers: Vec<OnceCell<Readers>>,
}

/// A standby that was chosen.
struct Chosen<'s> {
    standby: &'s Standby<Database>,
    readers: &'s Readers,
}

impl StandbyReaders {
    /// Opens nothing yet.
    pub(crate) fn new(
        standbys: &Arc<DatabaseStandbys>,
        sizes: ReaderSizes,
        queues: &Arc<Queues>,
    ) -> Self {
        Self {
            standbys: Arc::clone(standbys),
            sizes,
            queues: Arc::clone(queues),
            readers: standbys.all().iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The standby that answers a request, if one may.
    async fn choose(&self, request: Request, caller: &Caller<'_>) -> Option<Chosen<'_>> {
        let place = self.standbys.choose(request, caller).await?;
        let standby = self.standbys.all().get(place)?;
        let database = standby.opened.get()?;
        let made = || Readers::new(database, self.sizes, &self.queues, None);
        let readers = self.readers.get(place)?.get_or_init(made);
        Some(Chosen { standby, readers })
    }

    pub(crate) async fn by_key(
        &self,
        request: Request,
        caller: &Caller<'_>,
        primary: &Readers,
        read: &Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> Result<Answer> {
        if let Some(Chosen { standby, readers }) = self.choose(request, caller).await {
            let answer = readers.by_key(request, caller.identity, read, key.clone());
            if let Some(answer) = settled(caller, standby, standby.until_left(answer).await) {
                return answer;
            }
        }
        primary.by_key(request, caller.identity, read, key).await
    }

    pub(crate) async fn page(
        &self,
        request: Request,
        caller: &Caller<'_>,
        primary: &Readers,
        read: &PageRead,
    ) -> Result<(Answer, Option<RowCount>)> {
        if let Some(Chosen { standby, readers }) = self.choose(request, caller).await {
            let page = Box::pin(readers.page(request, caller.identity, read));
            if let Some(page) = settled(caller, standby, standby.until_left(page).await) {
                return page;
            }
        }
        primary.page(request, caller.identity, read).await
    }

    pub(crate) async fn total(
        &self,
        request: Request,
        caller: &Caller<'_>,
        primary: &Readers,
        read: &PageRead,
    ) -> Result<Option<RowCount>> {
        if let Some(Chosen { standby, readers }) = self.choose(request, caller).await {
            let total = Box::pin(readers.count(request, read));
            if let Some(total) = settled(caller, standby, standby.until_left(total).await) {
                return total;
            }
        }
        primary.count(request, read).await
    }

    /// Begins a stream. What ends it after its first rows, its client sees: they were sent.
    pub(crate) async fn stream(
        &self,
        request: Request,
        caller: &Caller<'_>,
        primary: &Readers,
        read: PageRead,
    ) -> Result<(Box<dyn Chunks>, Duration)> {
        let opened = match self.choose(request, caller).await {
            Some(Chosen { standby, readers }) => {
                let stream = Box::pin(readers.stream(request, caller.identity, read.clone()));
                settled(caller, standby, standby.until_left(stream).await)
            }
            None => None,
        };
        let (rows, timeout) = match opened {
            Some(opened) => opened?,
            None => Box::pin(primary.stream(request, caller.identity, read)).await?,
        };
        Ok((Box::new(rows), timeout))
    }

    /// Drops the queues and prepared statements of an older snapshot.
    pub(crate) fn forget(&self) {
        self.readers.iter().filter_map(OnceCell::get).for_each(Readers::forget);
    }
}

/// Counts the answer of a standby; `None` where the primary is to answer.
fn settled<T>(
    caller: &Caller<'_>,
    standby: &Standby<Database>,
    answer: Result<T>,
) -> Option<Result<T>> {
    match &answer {
        Err(error) if is_of_standby(error) => {
            standby.repeated.fetch_add(1, Ordering::Relaxed);
            // What else the request reads comes from there, too.
            caller.reading.iter().for_each(|reading| reading.only_primary());
            None
        }
        _ => {
            standby.reads.fetch_add(1, Ordering::Relaxed);
            Some(answer)
        }
    }
}
