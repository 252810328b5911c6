//! A write given as a list of steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use duet_document::{Codec, Datum, RowSet};
use duet_model::{Code, Error, Result, Type, Value};
use duet_sql::{Parameter, Statement};
use duet_store::{Answer, Call, Ending, LockedRead, PageRead, Session, Write, Writes};

/// What a write does next.
pub(crate) enum Step {
    /// Runs statements, and notes how many rows each has changed.
    Run(Vec<Call>),
    /// Reads with locks, and notes the rows.
    Read(LockedRead, Vec<Value>),
    /// Runs statements and reads, and notes the rows.
    RunAndReread(Vec<Call>, LockedRead, Vec<Value>),
    /// Reads a page, and notes the rows.
    Page(Box<PageRead>),
    Savepoint,
    RollbackTo,
    Release,
    /// The next step's error is noted and does not end the write.
    Try(Box<Self>),
    /// Does something else meanwhile, given the number of the attempt from 1.
    Do(Box<dyn Fn(usize) + Send + Sync>),
    /// Ends with an error.
    Fail,
    /// Ends with everything undone.
    Undo,
}

/// A write by steps; its output is what they have noted.
pub(crate) struct Steps {
    steps: Vec<Step>,
    is_large: bool,
    attempts: AtomicUsize,
}

impl Steps {
    pub(crate) fn new(steps: Vec<Step>) -> Arc<Self> {
        Arc::new(Self { steps, is_large: false, attempts: AtomicUsize::new(0) })
    }

    /// Steps that may lock many rows, or take long.
    pub(crate) fn large(steps: Vec<Step>) -> Arc<Self> {
        Arc::new(Self { steps, is_large: true, attempts: AtomicUsize::new(0) })
    }

    /// How often it was run.
    pub(crate) fn attempts(&self) -> usize {
        self.attempts.load(Ordering::SeqCst)
    }

    async fn step(
        &self,
        step: &Step,
        session: &mut dyn Session,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        match step {
            Step::Run(calls) => {
                let done = session.run(calls).await?;
                notes.extend(done.iter().map(|done| done.affected.to_string()));
            }
            Step::Read(read, key) => {
                let answers = session.read(read, std::slice::from_ref(key)).await?;
                notes.extend(answers.iter().map(printed));
            }
            Step::RunAndReread(calls, read, key) => {
                let keys = std::slice::from_ref(key);
                let (_, answers) = session.run_and_reread(calls, read, keys).await?;
                notes.extend(answers.iter().map(printed));
            }
            Step::Page(read) => notes.push(printed(&session.page(read).await?)),
            Step::Savepoint => session.savepoint().await?,
            Step::RollbackTo => session.rollback_to_savepoint().await?,
            Step::Release => session.release_savepoint().await?,
            Step::Try(step) => match Box::pin(self.step(step, session, notes)).await {
                Ok(()) => notes.push("ok".to_owned()),
                Err(error) => notes.push(error.code.as_str().to_owned()),
            },
            Step::Do(work) => work(self.attempts()),
            Step::Fail => return Err(Error::new(Code::PreconditionFailed, "as was asked")),
            Step::Undo => {}
        }
        Ok(())
    }
}

#[async_trait(?Send)]
impl Write for Steps {
    type Output = Vec<String>;

    fn is_large(&self) -> bool {
        self.is_large
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Vec<String>>> {
        self.attempts.fetch_add(1, Ordering::SeqCst);
        let mut notes = Vec::new();
        for step in &self.steps {
            self.step(step, session, &mut notes).await?;
            if matches!(step, Step::Undo) {
                return Ok(Ending::Rollback(notes));
            }
        }
        Ok(Ending::Commit(notes))
    }
}

/// All rows of an answer's levels: `1,2;3,4 / 5`; `-` where there is no document.
fn printed(answer: &Answer) -> String {
    if answer.row.is_none() && answer.fetched.roots().is_empty() {
        return "-".to_owned();
    }
    let levels = answer.fetched.levels.iter().map(|level| table(&level.rows));
    levels.collect::<Vec<_>>().join(" / ")
}

pub(crate) fn table(rows: &RowSet) -> String {
    let cell = |row: usize, column: usize| match rows.get(row, column) {
        Datum::Null => "null".to_owned(),
        Datum::Int(value) => value.to_string(),
        Datum::Real(value) => value.to_string(),
        Datum::Text(text) => String::from_utf8_lossy(text).into_owned(),
        Datum::Blob(bytes) | Datum::Wire(bytes) => format!("{bytes:?}"),
    };
    let row = |row: usize| (0..rows.width()).map(|column| cell(row, column)).collect::<Vec<_>>();
    (0..rows.len()).map(|at| row(at).join(",")).collect::<Vec<_>>().join(";")
}

/// A statement with whole numbers as parameters (`$1` and so on), from which nothing comes back.
pub(crate) fn call(sql: &str, numbers: &[i64]) -> Call {
    let ty = Type::Integer { bits: 64 };
    let parameters = numbers
        .iter()
        .map(|number| Parameter::Value { value: Value::Int(*number), ty: ty.clone() });
    let statement = Statement { sql: sql.into(), parameters: parameters.collect() };
    Call { statement, codecs: Vec::new(), writes: Writes::Everything }
}

/// A step of one such statement.
pub(crate) fn run(sql: &str, numbers: &[i64]) -> Step {
    Step::Run(vec![call(sql, numbers)])
}

/// The same, from which one number comes back.
pub(crate) fn returning(sql: &str, numbers: &[i64]) -> Call {
    Call { codecs: vec![Codec::Integer], ..call(sql, numbers) }
}

pub(crate) fn key(number: i64) -> Vec<Value> {
    vec![Value::Int(number)]
}
