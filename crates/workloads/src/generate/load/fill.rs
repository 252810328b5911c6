//! Writes rows: many threads generate pieces, and PostgreSQL's connections or SQLite's one writer
//! write them.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use duet_bench::targets::sql::LOADING;
use duet_client::{ConnectOptions, Connection, Failure, FailureKind, RowBuffer};

use tokio::runtime::Runtime;

use super::meter::Meter;
use super::runtime;
use crate::generate::{DataSet, Engine, Filled};

/// The approximate number of rows per transaction.
const SLICE: u64 = 50_000;

/// The approximate number of rows per piece.
const PIECE: u64 = 1_000;

/// The pieces that a thread generates ahead of SQLite's writer.
const AHEAD: usize = 4;

/// Units of a table.
struct Slice {
    table: usize,
    units: Range<u64>,
}

fn slices(set: &DataSet) -> Vec<Slice> {
    let of = |(table, filled): (usize, &Filled)| {
        let pieces = cut(0..filled.units, filled.units_for(SLICE));
        pieces.map(move |units| Slice { table, units }).collect::<Vec<_>>()
    };
    set.tables.iter().enumerate().flat_map(of).collect()
}

fn cut(units: Range<u64>, step: u64) -> impl Iterator<Item = Range<u64>> {
    let end = units.end;
    units.step_by(step as usize).map(move |from| from..(from + step).min(end))
}

/// A work list, shared by threads; empty once an item failed.
struct Queue<T>(Mutex<std::vec::IntoIter<T>>);

impl<T> Queue<T> {
    fn new(all: Vec<T>) -> Self {
        Self(Mutex::new(all.into_iter()))
    }

    fn next(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Vec::new().into_iter();
    }

    /// Processes the list on threads, each with its own connection.
    fn work(
        &self,
        target: &ConnectOptions,
        threads: usize,
        work: impl AsyncFn(&mut Connection, T) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure>
    where
        T: Send,
    {
        let one = || -> Result<(), Failure> {
            let done = runtime()?.block_on(async {
                let mut connection = Connection::open(target, LOADING).await?;
                while let Some(next) = self.next() {
                    work(&mut connection, next).await?;
                }
                Ok(())
            });
            if done.is_err() {
                self.stop();
            }
            done
        };
        thread::scope(|scope| {
            let all: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
            let ended: Vec<Result<(), Failure>> = all
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err(died())))
                .collect();
            ended.into_iter().collect()
        })
    }
}

fn died() -> Failure {
    Failure::new(FailureKind::Other, "a thread that made rows ended early")
}

/// Fills PostgreSQL: each slice is a COPY, and several run at once.
pub(super) fn postgres(
    target: &ConnectOptions,
    set: &DataSet,
    threads: usize,
    meter: &Meter<'_>,
) -> Result<(), Failure> {
    Queue::new(slices(set)).work(target, threads, async |connection, slice| {
        let filled = &set.tables[slice.table];
        let name = Engine::Postgres.name(set.name, filled.table.name);
        let mut copy = connection.copy_in(&name, &filled.table.column_names()).await?;
        let mut buffer = RowBuffer::new(target);
        for units in cut(slice.units, filled.units_for(PIECE)) {
            (filled.make)(units, &mut buffer);
            let rows = buffer.len();
            copy.rows(&mut buffer).await?;
            meter.rows(slice.table, rows);
        }
        copy.finish().await?;
        meter.commit();
        Ok(())
    })
}

/// Runs statements in parallel.
pub(super) fn side_by_side(
    target: &ConnectOptions,
    statements: Vec<String>,
    threads: usize,
) -> Result<(), Failure> {
    Queue::new(statements)
        .work(target, threads, async |connection, sql| connection.script(&sql).await)
}

/// Fills SQLite: thread i generates every piece whose number modulo the threads is i, and the
/// writer writes them in order; each slice is a transaction.
pub(super) fn sqlite(
    target: &ConnectOptions,
    threads: usize,
    runtime: &Runtime,
    connection: &mut Connection,
    set: &DataSet,
    meter: &Meter<'_>,
) -> Result<(), Failure> {
    let threads = threads.max(1);
    let all = &slices(set);
    thread::scope(|scope| {
        let mut receivers = Vec::new();
        for number in 0..threads {
            let (sender, receiver) = sync_channel(AHEAD);
            scope.spawn(move || make_pieces(target, set, all, number, threads, &sender));
            receivers.push(receiver);
        }
        // After a failure the receivers are dropped, and the threads notice.
        runtime.block_on(write_pieces(connection, set, all, receivers, meter))
    })
}

async fn write_pieces(
    connection: &mut Connection,
    set: &DataSet,
    slices: &[Slice],
    receivers: Vec<Receiver<RowBuffer>>,
    meter: &Meter<'_>,
) -> Result<(), Failure> {
    let mut turns = receivers.iter().cycle();
    for slice in slices {
        let table = set.tables[slice.table].table;
        connection.begin().await?;
        let mut copy = connection.copy_in(table.name, &table.column_names()).await?;
        for _ in pieces(set, slice) {
            let made = turns.next().and_then(|receiver| receiver.recv().ok());
            let mut buffer = made.ok_or_else(died)?;
            let rows = buffer.len();
            copy.rows(&mut buffer).await?;
            meter.rows(slice.table, rows);
        }
        copy.finish().await?;
        connection.commit().await?;
        meter.commit();
    }
    Ok(())
}

fn make_pieces(
    target: &ConnectOptions,
    set: &DataSet,
    slices: &[Slice],
    number: usize,
    threads: usize,
    to: &SyncSender<RowBuffer>,
) {
    let pieces =
        slices.iter().flat_map(|slice| pieces(set, slice).map(|units| (slice.table, units)));
    for (table, units) in pieces.skip(number).step_by(threads) {
        let mut buffer = RowBuffer::new(target);
        (set.tables[table].make)(units, &mut buffer);
        if to.send(buffer).is_err() {
            // The writer failed, and returns the reason.
            return;
        }
    }
}

fn pieces(set: &DataSet, slice: &Slice) -> impl Iterator<Item = Range<u64>> {
    cut(slice.units.clone(), set.tables[slice.table].units_for(PIECE))
}
