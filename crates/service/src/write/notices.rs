//! Events of views with `NOTIFY`: a write of a document records one in its transaction, in the outbox of webhooks.
//!
//! A transaction has one event for each document that it leaves different: what the view shows of it before and after.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use duet_document::Codec;
use duet_model::view_notice::ViewNotice;
use duet_model::{Error, Result, Value};
use duet_sql::{Dialect, RowEvent, ViewEventRow, insert_view_events};
use duet_store::{Action, Answer, Call, Session, Writes};

use crate::outbox::view_events::{not_prepared, outbox_table};
use crate::resources::resource::Resource;
use crate::resources::writable::Writable;

/// Events of one statement: with five values each, and the moment twice, they are far below every limit of parameters.
const AT_ONCE: usize = 200;
/// Documents that are read again by one statement.
const READ_AT_ONCE: usize = 200;

/// What the view shows of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShownDocument {
    etag: String,
    text: String,
}

/// A document that was written.
#[derive(Debug)]
struct Notice<'a> {
    resource: &'a Resource,
    writable: &'a Writable,
    endpoint: &'a str,
    wanted: &'a ViewNotice,
    key: Vec<Value>,
    /// The key as a path segment.
    segment: String,
    before: Option<ShownDocument>,
    after: Option<ShownDocument>,
}

#[derive(Debug, Default)]
struct NotedWrites<'a> {
    notices: Vec<Notice<'a>>,
    /// Positions by endpoint and segment.
    places: HashMap<(&'a str, String), usize>,
    /// How many writes there were of all documents.
    writes: usize,
}

/// The documents of views with `NOTIFY` that a transaction has written, each once.
#[derive(Debug, Default)]
pub(crate) struct NoticeList<'a>(RefCell<NotedWrites<'a>>);

impl<'a> NoticeList<'a> {
    /// Notes a write of a document, with what the view showed of it and shows now. Without `NOTIFY` it does nothing.
    ///
    /// # Errors
    /// Where the document cannot be written as JSON.
    pub(crate) fn wrote(
        &self,
        resource: &'a Resource,
        writable: &'a Writable,
        before: Option<&Answer>,
        after: Option<&Answer>,
    ) -> Result<()> {
        let (Some(wanted), Some(endpoint)) = (&writable.shape.notice, &resource.view_endpoint)
        else {
            return Ok(());
        };
        let rows = [before, after].map(|answer| answer.filter(|answer| answer.row.is_some()));
        let Some((key, segment)) = rows.into_iter().flatten().next().map(|it| key(writable, it))
        else {
            return Ok(());
        };
        let [before, after] = rows.map(|answer| answer.map(|answer| shown(writable, answer)));
        let (before, after) = (before.transpose()?, after.transpose()?);
        let mut written = self.0.borrow_mut();
        written.writes += 1;
        let place = (endpoint.as_str(), segment.clone());
        if let Some(&at) = written.places.get(&place) {
            written.notices[at].after = after;
            return Ok(());
        }
        let at = written.notices.len();
        written.places.insert(place, at);
        let notice = Notice { resource, writable, endpoint, wanted, key, segment, before, after };
        written.notices.push(notice);
        Ok(())
    }

    /// Records the events, at the end of the transaction. Where several writes may have changed each other's
    /// documents, these are read again first.
    ///
    /// # Errors
    /// [`Code::ViewEventsNotPrepared`](duet_model::Code::ViewEventsNotPrepared), and whatever the database says.
    pub(crate) async fn record(
        &self,
        session: &mut dyn Session,
        dialect: &dyn Dialect,
    ) -> Result<()> {
        let NotedWrites { mut notices, writes, .. } = std::mem::take(&mut *self.0.borrow_mut());
        if writes > 1 {
            read_again(session, &mut notices).await?;
        }
        let rows: Vec<ViewEventRow> =
            notices.iter().filter_map(Notice::row).collect::<Result<_>>()?;
        if rows.is_empty() {
            return Ok(());
        }
        let (now, table) = (now(), outbox_table(dialect));
        let call = |rows: &[ViewEventRow]| Call {
            statement: insert_view_events(dialect, rows, now),
            codecs: Vec::new(),
            writes: Writes::AnyRow(Arc::clone(&table), Action::Insert),
        };
        let calls: Vec<Call> = rows.chunks(AT_ONCE).map(call).collect();
        session.run_own(&calls).await.map(drop).map_err(not_prepared)
    }
}

impl Notice<'_> {
    /// What has happened to the document; `None` where nothing that is wanted has.
    fn event(&self) -> Option<(RowEvent, &ShownDocument)> {
        let ViewNotice { insert, update, delete, .. } = *self.wanted;
        match (&self.before, &self.after) {
            (None, Some(after)) => insert.then_some((RowEvent::Created, after)),
            (Some(before), None) => delete.then_some((RowEvent::Deleted, before)),
            (Some(before), Some(after)) if before != after => {
                update.then_some((RowEvent::Updated, after))
            }
            _ => None,
        }
    }

    fn row(&self) -> Option<Result<ViewEventRow>> {
        let (event, document) = self.event()?;
        let row = |id: String| ViewEventRow {
            id,
            endpoint: self.endpoint.to_owned(),
            kind: format!("{}.{}", self.resource.name, event.name()),
            key: self.segment.clone(),
            payload: format!(
                "{{\"etag\":\"{}\",\"document\":{}}}",
                document.etag.replace('"', ""),
                document.text
            ),
        };
        Some(random_id().map(row))
    }
}

/// Reads what the views show now, those of one view together.
async fn read_again(session: &mut dyn Session, notices: &mut [Notice<'_>]) -> Result<()> {
    let mut by_view: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, notice) in notices.iter().enumerate() {
        by_view.entry(notice.endpoint).or_default().push(at);
    }
    for places in by_view.values().flat_map(|places| places.chunks(READ_AT_ONCE)) {
        let writable = notices[places[0]].writable;
        let keys: Vec<Vec<Value>> = places.iter().map(|at| notices[*at].key.clone()).collect();
        let answers = session.reread(&writable.locked, &keys).await?;
        for (&at, answer) in places.iter().zip(&answers) {
            let is_shown = answer.row.is_some();
            notices[at].after = is_shown.then(|| shown(writable, answer)).transpose()?;
        }
    }
    Ok(())
}

/// The document of an answer.
fn shown(writable: &Writable, answer: &Answer) -> Result<ShownDocument> {
    let mut text = Vec::new();
    let row = answer.row.unwrap_or_default();
    let written = writable.program.write_plain(&answer.fetched, row, &mut text)?;
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(ShownDocument { etag: written.header(), text })
}

/// The key of an answer's document: its values, and as a path segment.
fn key(writable: &Writable, answer: &Answer) -> (Vec<Value>, String) {
    let (rows, row) = (answer.fetched.roots(), answer.row.unwrap_or_default());
    let plan = &writable.locked.read.plan;
    let columns = &plan.shape.root().table.columns;
    let parts = plan.key.iter().zip(&plan.shape.key);
    let values =
        parts.map(|(&at, &column)| Codec::of(&columns[column].ty).value(rows.get(row, at)));
    let values = values.collect();
    let mut segment = Vec::new();
    writable.program.write_key(rows, row, &mut segment);
    (values, String::from_utf8_lossy(&segment).into_owned())
}

/// The id of an event, which no other has.
fn random_id() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(bytes.iter().fold("msg_".to_owned(), |id, byte| id + &format!("{byte:02x}")))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since: Duration| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::rc::Rc;
    use std::task::{Context, Poll, Waker};

    use async_trait::async_trait;
    use duet_auth::ResourceAccess;
    use duet_document::{Datum, FetchedRows, LevelRows, RowSet};
    use duet_model::{Column, Relation, Shape, Type};
    use duet_sql::Sqlite;
    use duet_store::{Done, LockedRead, PageRead, Records};

    use super::*;
    use crate::resources::resource::ResourceKind;
    use crate::write::mode::writable;

    fn resource(notice: Option<ViewNotice>) -> Resource {
        let column = |name: &str| Column::new(name, Type::Integer { bits: 64 });
        let table = Relation::table("main", "team", vec![column("id"), column("points")]);
        let shape = Shape { notice, ..Shape::of_relation(&table.into()) };
        let access = ResourceAccess::default();
        let mut made = Resource::new(ResourceKind::DualityView, shape, access, 25, &Sqlite);
        made.view_endpoint = Some("view:shop/team".to_owned());
        made
    }

    /// A document of which every column has this value.
    fn answer(writable: &Writable, value: i64) -> Answer {
        let columns = writable.locked.read.plan.levels[0].columns.len();
        let mut rows = RowSet::new(columns);
        (0..columns).for_each(|_| rows.push(Datum::Int(value)));
        let levels = vec![LevelRows::new(rows)];
        Answer { fetched: Rc::new(FetchedRows { levels, as_of: 0 }), row: Some(0) }
    }

    /// Counts what it is asked for.
    struct Counting<'w> {
        writable: &'w Writable,
        read_again: usize,
        statements: usize,
    }

    #[async_trait(?Send)]
    impl Session for Counting<'_> {
        async fn read(&mut self, _: &LockedRead, _: &[Vec<Value>]) -> Result<Vec<Answer>> {
            Err(Error::internal("nothing is locked"))
        }

        async fn reread(&mut self, _: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
            self.read_again += 1;
            let number = |key: &Vec<Value>| match key[..] {
                [Value::Int(number)] => number,
                _ => 0,
            };
            Ok(keys.iter().map(|key| answer(self.writable, number(key))).collect())
        }

        async fn page(&mut self, _: &PageRead) -> Result<Answer> {
            Err(Error::internal("no page is read"))
        }

        async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
            self.statements += calls.len();
            Ok(Vec::new())
        }

        fn records(&self) -> Records {
            Records::Nothing
        }

        async fn savepoint(&mut self) -> Result<()> {
            Ok(())
        }

        async fn rollback_to_savepoint(&mut self) -> Result<()> {
            Ok(())
        }

        async fn release_savepoint(&mut self) -> Result<()> {
            Ok(())
        }
    }

    /// Statements that read again, and statements that record, where so many documents are made.
    fn counted(resource: &Resource, documents: usize) -> (usize, usize) {
        let writable = writable(resource).unwrap();
        let notices = NoticeList::default();
        for number in 0..documents {
            let made = answer(writable, number as i64);
            notices.wrote(resource, writable, None, Some(&made)).unwrap();
        }
        let mut session = Counting { writable, read_again: 0, statements: 0 };
        let recorded = pin!(notices.record(&mut session, &Sqlite))
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(recorded, Poll::Ready(Ok(()))));
        (session.read_again, session.statements)
    }

    /// Without `NOTIFY` no statement is run; with it, one for the only document, and one for many of several.
    #[test]
    fn statements_do_not_grow_with_each_document() {
        for documents in [0, 1, 2, 1_000] {
            assert_eq!(counted(&resource(None), documents), (0, 0));
        }
        let notified = resource(Some(ViewNotice::default()));
        assert_eq!(counted(&notified, 1), (0, 1));
        assert_eq!(counted(&notified, 2), (1, 1));
        assert_eq!(counted(&notified, 500), (3, 3));
        assert_eq!(counted(&notified, 1_000), (5, 5));
        let gone = ViewNotice { insert: false, update: false, ..ViewNotice::default() };
        assert_eq!(counted(&resource(Some(gone)), 1), (0, 0));
    }
}
