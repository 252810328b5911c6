//! A worker's hold on a store for one caller: as Duet's own user, or under a role of the
//! database. There is no other way to rows, so that no request can leave its role behind.
//!
//! Futures are boxed here: the code below them is compiled once, and not for each caller.

use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_admission::{Client, Permit, Request, RequestClass};
use duet_auth::Identity;
use duet_model::commit_class::CommitClass;
use duet_model::{Code, Result, Value};
use futures_util::future::LocalBoxFuture;

use crate::admit;
use crate::classes::LoadTurn;
use crate::insert::InsertBatch;
use crate::limited::{self, LimitedWrite};
use crate::read::{Answer, KeyedRead, PageRead, RowCount};
use crate::refusal::{denied_to, role_unusable};
use crate::slowest::{SlowestStatement, TimedWrite, Timing};
use crate::store::Handle;
use crate::stream::{Rows, Stream};
use crate::write::{AnyWrite, KeptOutput, Write};
use crate::write_times::WriteTimes;

/// The identity and the handle. With an identity, whatever is done runs under its role and claims, in
/// a transaction, and shares its statements only with requests of the same identity.
#[derive(Clone, Copy, Debug)]
pub struct RoleHandle<'a> {
    handle: &'a Handle,
    identity: Option<&'a Arc<Identity>>,
    client: Client,
    arrived: Option<Instant>,
    limit: Option<Duration>,
    class: RequestClass,
    slowest: Option<&'a SlowestStatement>,
    times: Option<&'a Arc<WriteTimes>>,
    commit: CommitClass,
}

impl Handle {
    /// Acts under an identity; without one, as Duet's own user.
    pub fn acting<'a>(&'a self, identity: Option<&'a Arc<Identity>>) -> RoleHandle<'a> {
        RoleHandle {
            handle: self,
            identity,
            client: Client::default(),
            arrived: None,
            limit: None,
            class: RequestClass::default(),
            slowest: None,
            times: None,
            commit: CommitClass::default(),
        }
    }
}

impl<'a> RoleHandle<'a> {
    /// The same, whose slowest statement is noted.
    #[must_use]
    pub fn timed_by(self, slowest: &'a SlowestStatement) -> Self {
        Self { slowest: Some(slowest), ..self }
    }

    /// The same, whose writes note the moments between their steps.
    #[must_use]
    pub fn marked_in(self, times: &'a Arc<WriteTimes>) -> Self {
        Self { times: Some(times), ..self }
    }

    /// Times what follows as one statement, where that is wanted, until the guard is dropped.
    fn timing<F: Fn() -> String>(&self, request: &Request, text: F) -> Option<Timing<'a, F>> {
        // The request has just read the clock.
        self.slowest.map(|slowest| slowest.timing(request.deadline.arrived(), text))
    }
}

impl RoleHandle<'_> {
    /// The same on behalf of a client, with which others share connections fairly.
    #[must_use]
    pub fn for_client(self, client: Client) -> Self {
        Self { client, ..self }
    }

    /// The same for a request that arrived earlier: all its waiting counts from that moment.
    #[must_use]
    pub fn since(self, arrived: Instant) -> Self {
        Self { arrived: Some(arrived), ..self }
    }

    /// The same for a caller that has set a limit for the whole request.
    #[must_use]
    pub fn limited(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }

    /// The same for a request of this class.
    #[must_use]
    pub fn in_class(self, class: RequestClass) -> Self {
        Self { class, ..self }
    }

    /// The same, whose writes are of this commit class; those of the journal count as the default one.
    #[must_use]
    pub fn committing(self, commit: CommitClass) -> Self {
        Self { commit: commit.in_database(), ..self }
    }

    /// Admits a request of its class, until the permit is dropped.
    async fn admitted(&self, request: &Request) -> Result<Permit> {
        let classes = match self.handle {
            Handle::Sqlite(handle) => handle.classes(),
            Handle::Postgres(handle) => handle.classes(),
        };
        let admitted = classes.enter(*request).await;
        self.map_and_count_error(request, admitted)
    }

    /// Waits until a bulk load of this client may begin; it counts as under way until the turn is dropped.
    ///
    /// # Errors
    /// [`Code::Overloaded`] where others take too long.
    pub async fn load_turn(&self) -> Result<LoadTurn> {
        let request = self.request();
        let classes = match self.handle {
            Handle::Sqlite(handle) => handle.classes(),
            Handle::Postgres(handle) => handle.classes(),
        };
        self.map_and_count_error(&request, classes.enter_load(request).await)
    }

    /// The request, and its deadline.
    fn request(&self) -> Request {
        let limits = match self.handle {
            Handle::Sqlite(handle) => handle.limits(),
            Handle::Postgres(handle) => handle.limits(),
        };
        let request = match self.arrived {
            Some(at) => admit::arrived(self.client, limits, at),
            None => admit::request(self.client, limits),
        };
        let deadline = match self.limit {
            Some(limit) => request.deadline.limited(limit),
            None => request.deadline,
        };
        Request { deadline, class: self.class, ..request }
    }

    /// Reads one document by its key, together with other requests of the same kind.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    pub fn by_key<'s>(
        &'s self,
        read: &'s Arc<KeyedRead>,
        key: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>> {
        Box::pin(async move {
            let request = self.request();
            let _timing = self.timing(&request, || read.text());
            let _admitted = self.admitted(&request).await?;
            let answer = match self.handle {
                Handle::Sqlite(handle) => {
                    without_roles(self.identity)?;
                    handle.by_key(request, read, key).await
                }
                Handle::Postgres(handle) => handle.by_key(request, self.identity, read, key).await,
            };
            self.map_and_count_error(&request, answer)
        })
    }

    /// Reads a page, all levels in one snapshot, with the exact total where the read has a
    /// count.
    ///
    /// # Errors
    /// Whatever the database says, mapped to a code.
    pub fn page<'s>(
        &'s self,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<(Answer, Option<RowCount>)>> {
        Box::pin(async move {
            self.handle.statistics().page();
            let request = self.request();
            let _timing = self.timing(&request, || read.text());
            let _admitted = self.admitted(&request).await?;
            let answer = match self.handle {
                Handle::Sqlite(handle) => {
                    without_roles(self.identity)?;
                    handle.page(request, Arc::clone(read)).await
                }
                Handle::Postgres(handle) => match request.deadline.last() {
                    None => handle.page(request, self.identity, read).await,
                    Some(last) => {
                        let page = handle.page(request, self.identity, read);
                        Box::pin(limited::until(last, page)).await
                    }
                },
            };
            self.map_and_count_error(&request, answer)
        })
    }

    /// Counts or estimates the rows that a page selects, without reading it.
    ///
    /// # Errors
    /// As [`RoleHandle::page`].
    pub fn total<'s>(
        &'s self,
        read: &'s Arc<PageRead>,
    ) -> LocalBoxFuture<'s, Result<Option<RowCount>>> {
        Box::pin(async move {
            let request = self.request();
            let _timing = self.timing(&request, || read.text());
            let _admitted = self.admitted(&request).await?;
            let total = match self.handle {
                Handle::Sqlite(handle) => handle.total(request, Arc::clone(read)).await,
                Handle::Postgres(handle) => handle.total(request, read).await,
            };
            self.map_and_count_error(&request, total)
        })
    }

    /// Runs a write in a transaction, and again after a deadlock or where the connection is lost
    /// before the transaction is complete. On SQLite it shares a transaction with the writes that
    /// wait with it, and no effect of one reaches another's.
    ///
    /// # Errors
    /// What the write or the database says, mapped to a code; nothing has changed then, except
    /// where the code is [`Code::OutcomeUnknown`].
    pub async fn write<W: Write>(&self, work: Arc<W>) -> Result<W::Output> {
        let kept = KeptOutput::new(work);
        self.write_any(Arc::<KeptOutput<W>>::clone(&kept)).await?;
        kept.take()
    }

    fn write_any(&self, work: Arc<AnyWrite>) -> LocalBoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let Some(slowest) = self.slowest else { return self.write_untimed(work).await };
            let timed = Arc::new(TimedWrite::new(work, slowest, self.times.cloned()));
            let written = self.write_untimed(Arc::<TimedWrite>::clone(&timed)).await;
            timed.report(slowest);
            written
        })
    }

    async fn write_untimed(&self, work: Arc<AnyWrite>) -> Result<()> {
        let mut request = self.request();
        if work.is_large() {
            request.class = RequestClass::Batch;
        }
        let _admitted = self.admitted(&request).await?;
        let written = match self.handle {
            Handle::Sqlite(handle) => {
                without_roles(self.identity)?;
                handle.write(request, self.commit, work).await
            }
            Handle::Postgres(handle) => match request.deadline.last() {
                None => handle.write(request, (self.identity, self.commit), &*work).await,
                Some(last) => {
                    let work = LimitedWrite::new(work);
                    let whose = (self.identity, self.commit);
                    let written = handle.write(request, whose, &work);
                    Box::pin(limited::until_committing(last, &work, written)).await
                }
            },
        };
        self.map_and_count_error(&request, written)
    }

    /// Inserts one row in a transaction of its own, together with other inserts of the
    /// same kind at that moment; the answer is the row as it is then read. Values come in the order
    /// of the insert's columns.
    ///
    /// # Errors
    /// As [`RoleHandle::write`]; one row's error reaches no other.
    pub fn insert<'s>(
        &'s self,
        insert: &'s Arc<InsertBatch>,
        row: Vec<Value>,
    ) -> LocalBoxFuture<'s, Result<Answer>> {
        Box::pin(async move {
            let request = self.request();
            let _timing = self.timing(&request, || insert.statement.sql.to_string());
            let _admitted = self.admitted(&request).await?;
            let inserted = match self.handle {
                Handle::Sqlite(handle) => {
                    without_roles(self.identity)?;
                    let times = self.times.cloned();
                    handle.insert((request, self.commit), insert, row, times).await
                }
                Handle::Postgres(handle) => {
                    let times = self.times.cloned();
                    let whose = (self.identity, self.commit);
                    handle.insert(request, whose, insert, (row, times)).await
                }
            };
            self.map_and_count_error(&request, inserted)
        })
    }

    /// Begins to read all documents of a page without end, in one snapshot.
    ///
    /// # Errors
    /// Whatever the database says before the first row, mapped to a code.
    pub fn stream(&self, read: PageRead) -> LocalBoxFuture<'_, Result<Stream>> {
        Box::pin(async move {
            self.handle.statistics().stream();
            let text = self.slowest.map(|_| read.text()).unwrap_or_default();
            let request = self.request();
            let _timing = self.timing(&request, || text.clone());
            let admitted = self.admitted(&request).await?;
            let opened = match self.handle {
                Handle::Sqlite(handle) => {
                    without_roles(self.identity)?;
                    let opened = handle.stream(request, read).await;
                    opened.map(|(rows, timeout)| (Rows::Sqlite(rows), timeout))
                }
                Handle::Postgres(handle) => {
                    let opened = handle.stream(request, self.identity, read);
                    let opened = match request.deadline.last() {
                        None => opened.await,
                        Some(last) => Box::pin(limited::until(last, opened)).await,
                    };
                    opened.map(|(rows, timeout)| (Rows::Postgres(Box::new(rows)), timeout))
                }
            };
            let has_role = self.identity.is_some();
            let (rows, timeout) = self.map_and_count_error(&request, opened)?;
            Ok(Stream::new(rows, timeout, has_role, admitted).limited(request.deadline.last()))
        })
    }

    /// Counts a refusal for want of room, and says whose privileges are missing.
    fn map_and_count_error<T>(&self, request: &Request, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            if error.code == Code::Overloaded {
                self.handle.statistics().overload();
            }
            if let Handle::Sqlite(handle) = self.handle {
                handle.note(&error);
            }
            limited::limit_error(request.deadline, denied_to(self.identity.is_some(), error))
        })
    }
}

/// A store without roles refuses callers that have one.
///
/// # Errors
/// [`Code::RoleUnusable`] where there is an identity.
pub(crate) fn without_roles(identity: Option<&Arc<Identity>>) -> Result<()> {
    let Some(identity) = identity else { return Ok(()) };
    let role = identity.role();
    Err(role_unusable().cause(format!(
        "the role is {role}, and SQLite has no roles: remove it from the client or the settings"
    )))
}
