//! Reads, compiled: a plan with the SQL of its levels and the codecs of their columns.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use duet_document::{Codec, FetchedRows};
use duet_model::{LevelColumn, Page, ReadPlan, Root};
use duet_sql::{
    Dialect, PlanPrefix, Statement, Texts, combined_statement, count_statement, estimate_statement,
    level_statement, one_key_statement, page_statement, total_statement,
};

/// The read of documents by key. Built once per resource and snapshot of the catalog; workers
/// keep their queues by its `id`.
#[derive(Debug)]
pub struct KeyedRead {
    /// Distinguishes this read from every other of the process.
    pub id: u64,
    /// The plan.
    pub plan: ReadPlan,
    /// One statement per level.
    pub statements: Vec<Statement>,
    /// One statement for all levels, where that is possible.
    pub combined: Option<Statement>,
    /// The statement for a single key, where the engine has a better one for it; its rows are the same.
    pub one: Option<Statement>,
    /// The codecs of each level's columns.
    pub codecs: Vec<Vec<Codec>>,
}

/// The read of a page.
#[derive(Clone, Debug)]
pub struct PageRead {
    /// The plan.
    pub plan: ReadPlan,
    /// One statement per level.
    pub statements: Vec<Statement>,
    /// The codecs of each level's columns.
    pub codecs: Arc<[Vec<Codec>]>,
    /// What is counted.
    pub count: CountOf,
    /// The statements that count, written where they are needed: the last page says its total itself.
    counting: OnceLock<Option<Counting>>,
}

/// What is counted of the documents that a page's filter selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountOf {
    /// Nothing.
    Nothing,
    /// All of them.
    All,
    /// So many at most; of more the number is estimated.
    UpTo(u64),
    /// None: the number is estimated, also where a page implies it.
    Estimate,
}

/// The statements that count.
#[derive(Clone, Debug)]
pub struct Counting {
    /// The statement that counts: no more than one beyond the limit.
    pub statement: Statement,
    /// What is done where there are too many to count.
    pub beyond: Option<Estimating>,
    /// The statement that has the number from totals instead, for the database user of the connection alone:
    /// another role may see fewer rows.
    pub totals: Option<Statement>,
}

/// How documents are estimated that are too many to count.
#[derive(Clone, Debug)]
pub struct Estimating {
    /// The most that are counted.
    pub most: u64,
    /// The statement that estimates.
    pub statement: Statement,
    /// Whether the table is large: its rows are estimated first, and counted if the estimate is small.
    pub first: bool,
}

impl Estimating {
    /// Whether an estimate is so far beyond the limit that nothing needs to be counted.
    pub fn is_enough(&self, estimated: u64) -> bool {
        estimated > self.most.saturating_mul(4)
    }
}

/// A number of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount {
    /// The number.
    pub rows: u64,
    /// Whether it was counted; else it is estimated.
    pub exact: bool,
}

/// Where an answer is found: rows that it may share with the other answers of its batch.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The rows.
    pub fetched: Rc<FetchedRows>,
    /// The root row of this answer; `None`: there is no such document.
    pub row: Option<usize>,
}

/// A statement that the database explains.
#[derive(Clone, Debug)]
pub struct PlanRead {
    /// The statement, with what comes before it.
    pub statement: Statement,
    /// The page whose first level gives the keys that a statement of a lower level reads by.
    pub page: Option<Arc<PageRead>>,
}

impl PlanRead {
    /// What explains a statement; by running it where `measured` is set and the engine can say what it has done.
    pub fn new(statement: &Statement, dialect: &dyn Dialect, measured: bool) -> Self {
        let prefix = match dialect.plan_prefix() {
            PlanPrefix::Json { measured: prefix, .. } if measured => prefix,
            PlanPrefix::Json { estimated: prefix, .. } | PlanPrefix::Steps(prefix) => prefix,
        };
        let sql = [prefix, &*statement.sql].concat().into();
        let statement = Statement { sql, parameters: statement.parameters.clone() };
        Self { statement, page: None }
    }

    /// The same for a statement below the first level of a page.
    #[must_use]
    pub fn below(self, page: &Arc<PageRead>) -> Self {
        Self { page: Some(Arc::clone(page)), ..self }
    }
}

/// A step of a plan that has no document, below the step that comes before it with a smaller depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// How many steps are around it.
    pub depth: usize,
    /// What it does.
    pub text: String,
}

/// What the database says of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainedPlan {
    /// A document of JSON.
    Json(String),
    /// The steps.
    Steps(Vec<PlanStep>),
}

impl KeyedRead {
    /// Writes the SQL of a plan made by [`ReadPlan::by_keys`].
    pub fn new(plan: ReadPlan, dialect: &dyn Dialect) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (statements, codecs) = levels(&plan, dialect);
        let combined = combined_statement(dialect, &plan);
        let one = one_key_statement(dialect, &plan);
        Self { id, plan, statements, combined, one, codecs }
    }
}

impl PageRead {
    /// Writes the SQL of a plan made by [`ReadPlan::page`]; `count` adds the statement for the
    /// exact total.
    pub fn new(plan: ReadPlan, dialect: &dyn Dialect, count: CountOf) -> Self {
        let (statements, codecs) = levels(&plan, dialect);
        Self { plan, statements, codecs: codecs.into(), count, counting: OnceLock::new() }
    }

    /// The read of another page of the same documents in the same order: its levels are not planned
    /// again, and only the statements that depend on the page are written.
    #[must_use]
    pub fn of_another_page(
        &self,
        page: Page,
        dialect: &dyn Dialect,
        count: CountOf,
        texts: &mut Texts,
    ) -> Self {
        let plan = self.plan.of_another_page(page);
        let mut statements = Vec::with_capacity(self.statements.len());
        statements.push(page_statement(dialect, &plan, texts));
        statements.extend_from_slice(&self.statements[1..]);
        let (codecs, counting) = (Arc::clone(&self.codecs), OnceLock::new());
        Self { plan, statements, codecs, count, counting }
    }
}

impl PageRead {
    /// How the total is counted, if it was requested.
    pub fn counting(&self, dialect: &dyn Dialect) -> Option<&Counting> {
        self.counting.get_or_init(|| counting(&self.plan, dialect, self.count)).as_ref()
    }

    /// The statement that has counted, if one was needed.
    pub(crate) fn has_counted(&self) -> Option<&Statement> {
        self.counting.get()?.as_ref().map(|counting| &counting.statement)
    }

    /// Whether the total may be counted after the page, in a snapshot of its own: where it may be an estimate too.
    pub fn counts_after(&self) -> bool {
        matches!(self.count, CountOf::UpTo(_) | CountOf::Estimate)
    }

    /// The total, if a page with this many rows implies it: the statement reads one row more than the page has.
    pub fn total_of(&self, rows: usize) -> Option<RowCount> {
        let Root::Page(page) = &self.plan.root else { return None };
        let rows = u64::try_from(rows).ok()?;
        let is_last = rows <= page.limit && (rows > 0 || page.offset == 0);
        let may_imply = matches!(self.count, CountOf::All | CountOf::UpTo(_));
        let is_known = may_imply && is_last && page.after.is_none();
        is_known.then(|| RowCount { rows: page.offset.saturating_add(rows), exact: true })
    }
}

/// The statements that count the rows that a page selects.
fn counting(plan: &ReadPlan, dialect: &dyn Dialect, count: CountOf) -> Option<Counting> {
    let Root::Page(page) = &plan.root else { return None };
    let (most, beyond) = match count {
        // Most pages: no statement is made for them.
        CountOf::Nothing => return None,
        CountOf::All => (None, None),
        CountOf::UpTo(most) => {
            let rows = plan.shape.root().table.estimated_rows;
            let first = rows.is_some_and(|rows| rows > most.saturating_mul(4));
            let statement = estimate_statement(dialect, plan, page);
            (Some(most.saturating_add(1)), Some(Estimating { most, statement, first }))
        }
        CountOf::Estimate => {
            let statement = estimate_statement(dialect, plan, page);
            (Some(1), Some(Estimating { most: 0, statement, first: true }))
        }
    };
    let statement = count_statement(dialect, plan, page, most);
    Some(Counting { statement, beyond, totals: total_statement(dialect, plan, page) })
}

fn levels(plan: &ReadPlan, dialect: &dyn Dialect) -> (Vec<Statement>, Vec<Vec<Codec>>) {
    let statements =
        (0..plan.levels.len()).map(|level| level_statement(dialect, plan, level)).collect();
    let codecs = plan.levels.iter().map(|level| {
        let codecs = level.columns.iter().map(|column| codec(plan, column));
        codecs.collect()
    });
    (statements, codecs.collect())
}

/// How a column of a level is read.
pub fn codec(plan: &ReadPlan, column: &LevelColumn) -> Codec {
    match column {
        LevelColumn::Column(field) => Codec::of(plan.shape.column_type(*field)),
        LevelColumn::Generated { ty, .. } => Codec::of(ty),
        LevelColumn::Ordinal | LevelColumn::RowNumber => Codec::Integer,
        // Kept as it comes: the writer prints it as 16 digits.
        LevelColumn::AsOf => Codec::Timestamp,
    }
}
