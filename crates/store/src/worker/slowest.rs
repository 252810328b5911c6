//! The statement of a request that took longest, for the slow log.
//!
//! A statement is timed with its waits: a queue, a gate, a lock. Its text is copied only if
//! it took a good part of what makes a request slow, so fast requests pay for two looks at the clock.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use duet_document::RowSet;
use duet_model::{Relation, Result, Value};
use duet_sql::Statement;

use crate::read::{Answer, KeyedRead, PageRead};
use crate::write::call::{Call, Done};
use crate::write::insert::InsertBatch;
use crate::write::write_times::WriteTimes;
use crate::write::{AnyWrite, Ending, GroupRead, LockedRead, Records, Session, UpdatedRows, Write};

/// A statement is of interest from this part of a slow request's time on.
const PART: u32 = 10;
/// The limit on the texts of statements that are sent together, in bytes.
const TEXT_BYTES: usize = 4_096;

/// The statement of a request that took longest. Statements hold placeholders, so no text has a value
/// that a client has sent.
#[derive(Debug)]
pub struct SlowestStatement {
    /// Quicker statements are of no interest.
    from: Duration,
    slowest: Mutex<Option<(Duration, String)>>,
}

impl SlowestStatement {
    /// Watches a request that counts as slow from this duration on.
    pub fn new(slow: Duration) -> Self {
        Self { from: slow / PART, slowest: Mutex::default() }
    }

    /// The text of the statement, or of statements that were sent together, and how long they took;
    /// `None` where all were quick.
    pub fn get(&self) -> Option<(Duration, String)> {
        self.slowest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, took: Duration, text: impl FnOnce() -> String) {
        let mut slowest = self.slowest.lock().unwrap_or_else(PoisonError::into_inner);
        if slowest.as_ref().is_none_or(|(longest, _)| took > *longest) {
            *slowest = Some((took, text()));
        }
    }

    /// Times statements from this moment until the guard is dropped, also where they are given up, and
    /// notes them where that took long. A guard, and no future around theirs: a future that holds
    /// another one is twice as large, and each request moves it.
    pub(crate) fn timing<F: Fn() -> String>(&self, begun: Instant, text: F) -> Timing<'_, F> {
        Timing { slowest: self, begun, text }
    }
}

/// Notes statements when they have ended.
#[must_use]
pub(crate) struct Timing<'a, F: Fn() -> String> {
    slowest: &'a SlowestStatement,
    begun: Instant,
    text: F,
}

impl<F: Fn() -> String> Drop for Timing<'_, F> {
    fn drop(&mut self) {
        let took = self.begun.elapsed();
        if took >= self.slowest.from {
            self.slowest.note(took, &self.text);
        }
    }
}

/// The texts of statements, each once, up to the limit.
fn text<'s>(statements: impl IntoIterator<Item = &'s Statement>) -> String {
    let (mut text, mut seen) = (String::new(), HashSet::new());
    for Statement { sql, .. } in statements {
        if !seen.insert(sql) {
            continue;
        }
        let separator = if text.is_empty() { "" } else { "; " };
        if !text.is_empty() && text.len() + sql.len() > TEXT_BYTES {
            text.push_str("; …");
            break;
        }
        text.push_str(separator);
        text.push_str(sql);
    }
    text
}

impl KeyedRead {
    /// The text of its statements.
    pub fn text(&self) -> String {
        match &self.combined {
            Some(combined) => combined.sql.to_string(),
            None => text(&self.statements),
        }
    }
}

impl PageRead {
    /// The text of its statements.
    pub fn text(&self) -> String {
        text(self.statements.iter().chain(self.has_counted()))
    }
}

impl LockedRead {
    fn text(&self, keys: usize) -> String {
        match self.one.as_ref().filter(|_| keys == 1).or(self.levels.as_ref()) {
            Some(levels) => text(levels),
            None => text(self.locks.iter().chain(&self.read.statements)),
        }
    }
}

/// A write whose statements are timed.
pub(crate) struct TimedWrite {
    work: Arc<AnyWrite>,
    slowest: SlowestStatement,
    times: Option<Arc<WriteTimes>>,
}

impl TimedWrite {
    /// Watches a write for a request, and notes its moments where that is wanted.
    pub(crate) fn new(
        work: Arc<AnyWrite>,
        request: &SlowestStatement,
        times: Option<Arc<WriteTimes>>,
    ) -> Self {
        let slowest = SlowestStatement { from: request.from, slowest: Mutex::default() };
        Self { work, slowest, times }
    }

    /// Reports the slowest statement to the request.
    pub(crate) fn report(&self, request: &SlowestStatement) {
        if let Some((took, text)) = self.slowest.get() {
            request.note(took, || text);
        }
    }
}

#[async_trait(?Send)]
impl Write for TimedWrite {
    type Output = ();

    fn touches(&self) -> Option<u64> {
        self.work.touches()
    }

    fn is_large(&self) -> bool {
        self.work.is_large()
    }

    fn shares(&self) -> Option<(&Arc<GroupRead>, &Vec<Value>)> {
        self.work.shares()
    }

    fn times(&self) -> Option<&WriteTimes> {
        self.times.as_deref()
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<()>> {
        self.work.run(&mut TimedSession { session, slowest: &self.slowest }).await
    }
}

/// A session whose statements are timed.
struct TimedSession<'a> {
    session: &'a mut dyn Session,
    slowest: &'a SlowestStatement,
}

#[async_trait(?Send)]
impl Session for TimedSession<'_> {
    async fn read(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        let _timing = self.slowest.timing(Instant::now(), || read.text(keys.len()));
        self.session.read(read, keys).await
    }

    async fn reread(&mut self, read: &LockedRead, keys: &[Vec<Value>]) -> Result<Vec<Answer>> {
        let _timing = self.slowest.timing(Instant::now(), || read.read.text());
        self.session.reread(read, keys).await
    }

    async fn page(&mut self, read: &PageRead) -> Result<Answer> {
        let _timing = self.slowest.timing(Instant::now(), || read.text());
        self.session.page(read).await
    }

    async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        let sql = || text(calls.iter().map(|call| &call.statement));
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.run(calls).await
    }

    async fn run_own(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
        let sql = || text(calls.iter().map(|call| &call.statement));
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.run_own(calls).await
    }

    async fn run_own_last(&mut self, calls: &[Call]) -> Result<()> {
        let sql = || text(calls.iter().map(|call| &call.statement));
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.run_own_last(calls).await
    }

    async fn run_and_reread(
        &mut self,
        calls: &[Call],
        read: &LockedRead,
        keys: &[Vec<Value>],
    ) -> Result<(Vec<Done>, Vec<Answer>)> {
        let changes = calls.iter().map(|call| &call.statement);
        let sql = || text(changes.clone().chain(&read.read.statements));
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.run_and_reread(calls, read, keys).await
    }

    fn takes_rows(&self, insert: &InsertBatch) -> bool {
        self.session.takes_rows(insert)
    }

    async fn insert_rows(
        &mut self,
        insert: &InsertBatch,
        rows: &[&[Value]],
    ) -> Result<Vec<RowSet>> {
        let sql = || insert.shown();
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.insert_rows(insert, rows).await
    }

    async fn run_rows(&mut self, insert: &InsertBatch, rows: &[&[Value]]) -> Result<Vec<RowSet>> {
        let sql = || text([&insert.statement]);
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.run_rows(insert, rows).await
    }

    fn adds_rows(&self) -> bool {
        self.session.adds_rows()
    }

    async fn add_rows(
        &mut self,
        insert: &Statement,
        table: &Arc<Relation>,
        rows: &[&[Value]],
    ) -> Result<u64> {
        let sql = || text([insert]);
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.add_rows(insert, table, rows).await
    }

    fn records(&self) -> Records {
        self.session.records()
    }

    fn may_finish(&self) -> bool {
        self.session.may_finish()
    }

    async fn finish(&mut self, updates: &[UpdatedRows]) -> Result<Vec<RowSet>> {
        let sql = || text(updates.iter().map(|updated| updated.update.statement()));
        let _timing = self.slowest.timing(Instant::now(), sql);
        self.session.finish(updates).await
    }

    async fn savepoint(&mut self) -> Result<()> {
        self.session.savepoint().await
    }

    async fn rollback_to_savepoint(&mut self) -> Result<()> {
        self.session.rollback_to_savepoint().await
    }

    async fn release_savepoint(&mut self) -> Result<()> {
        self.session.release_savepoint().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(sql: &str) -> Statement {
        Statement { sql: sql.into(), parameters: Vec::new() }
    }

    #[test]
    fn the_slowest_is_kept() {
        let slowest = SlowestStatement::new(Duration::from_secs(1));
        for (millis, text) in [(200, "a"), (500, "b"), (300, "c")] {
            slowest.note(Duration::from_millis(millis), || text.to_owned());
        }
        assert_eq!(slowest.get(), Some((Duration::from_millis(500), "b".to_owned())));
    }

    #[test]
    fn statement_texts_are_reported_once_and_bounded() {
        let same: Vec<Statement> = (0..1_000).map(|_| statement("UPDATE t")).collect();
        assert_eq!(text(&same), "UPDATE t");
        let different: Vec<Statement> =
            (0..1_000).map(|number| statement(&format!("DELETE FROM t{number}"))).collect();
        let all = text(&different);
        assert!(
            all.starts_with("DELETE FROM t0; DELETE FROM t1; ") && all.ends_with("; …"),
            "{all}"
        );
        assert!(all.len() < TEXT_BYTES + 100, "{}", all.len());
    }

    #[test]
    fn quick_statements_are_not_noted() {
        let slowest = SlowestStatement::new(Duration::from_secs(86_400));
        drop(slowest.timing(Instant::now(), || "SELECT 1".to_owned()));
        assert_eq!(slowest.get(), None);
        let all = SlowestStatement::new(Duration::ZERO);
        drop(all.timing(Instant::now(), || "SELECT 1".to_owned()));
        assert_eq!(all.get().unwrap().1, "SELECT 1");
    }
}
