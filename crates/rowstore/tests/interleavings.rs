//! Commits, events, reads and fills of three clients over two rows and a document of both, in every order:
//! no read gives less than what was answered before it began.

use std::sync::Arc;
use std::time::Instant;

use duet_model::Value;
use duet_rowstore::{
    DocumentVersions, Fill, FinishedDocument, KeyBytes, Lookup, Rowstore, Versions,
};

/// What a client does.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// Writes a row: commit, then the event, which ends with the answer.
    Write(usize),
    /// Writes both rows by something that does not say which.
    WriteAny,
    /// Reads a row, or the document of both: lookup; then, on a miss, rows and fill.
    Read(usize),
}

/// The document of both rows.
const BOTH: usize = 2;

impl Op {
    const fn steps(self) -> usize {
        match self {
            Self::Write(_) | Self::WriteAny => 2,
            Self::Read(_) => 3,
        }
    }
}

/// The world: what is committed, what was answered, and the rowstore.
struct World {
    store: Rowstore,
    now: Instant,
    committed: [u8; 2],
    answered: [u8; 2],
}

/// A read under way: what was answered before it, and what it has found.
struct Reading {
    least: [u8; 2],
    fill: Option<Fill>,
    rows: [u8; 2],
}

fn key(document: usize) -> KeyBytes {
    KeyBytes::of(&[Value::Int(document.try_into().expect("small"))])
}

impl World {
    fn new() -> Self {
        let (committed, answered) = Default::default();
        let versions = DocumentVersions::new(Arc::new(Versions::with_counters(4)), "");
        let store = Rowstore::new(Arc::new(versions), 1 << 12);
        Self { store, now: Instant::now(), committed, answered }
    }

    /// Does a step of an operation; `under_way` keeps its state.
    fn step(&mut self, op: Op, step: usize, under_way: &mut Option<Reading>) {
        match (op, step) {
            (Op::Write(row), 0) => self.committed[row] += 1,
            (Op::Write(row), _) => {
                self.store.changed(&key(row));
                self.store.changed(&key(BOTH));
                // At least this write is answered; the row may have been written again since.
                self.answered[row] += 1;
            }
            (Op::WriteAny, 0) => self.committed.iter_mut().for_each(|value| *value += 1),
            (Op::WriteAny, _) => {
                self.store.changed_all();
                self.answered.iter_mut().for_each(|value| *value += 1);
            }
            (Op::Read(document), 0) => *under_way = Some(self.look(document)),
            (Op::Read(_), 1) => {
                let reading = under_way.as_mut().expect("a read");
                if reading.fill.is_some() {
                    reading.rows = self.committed;
                }
            }
            (Op::Read(document), _) => self.finish(document, &under_way.take().expect("a read")),
        }
    }

    fn look(&self, document: usize) -> Reading {
        let least = self.answered;
        match self.store.look("", &key(document), self.now, None) {
            Lookup::Miss(fill) => Reading { least, fill: Some(fill), rows: [0, 0] },
            Lookup::Found(entry) => {
                let rows = entry.document().expect("it exists").body.try_into().expect("two rows");
                Reading { least, fill: None, rows }
            }
        }
    }

    fn finish(&self, document: usize, reading: &Reading) {
        let shown = |row: usize| document == BOTH || document == row;
        for row in (0..2).filter(|row| shown(*row)) {
            assert!(reading.rows[row] >= reading.least[row], "a stale row");
        }
        if let Some(fill) = reading.fill {
            let finished = FinishedDocument { head: b"", body: &reading.rows };
            self.store.fill(fill, &key(document), Some(finished), self.now);
        }
    }
}

/// Runs the clients in this order of steps.
fn run(clients: &[Vec<Op>; 3], order: &[usize]) {
    let mut world = World::new();
    let mut at = [(0, 0); 3];
    let mut under_way = [None, None, None];
    for &client in order {
        let (op, step) = at[client];
        let doing = clients[client][op];
        world.step(doing, step, &mut under_way[client]);
        at[client] = if step + 1 == doing.steps() { (op + 1, 0) } else { (op, step + 1) };
    }
}

/// Calls `each` with every order in which so many steps of each client can be done.
fn orders(left: [usize; 3], order: &mut Vec<usize>, each: &mut impl FnMut(&[usize])) {
    if left == [0; 3] {
        return each(order);
    }
    for client in 0..3 {
        if left[client] == 0 {
            continue;
        }
        let mut rest = left;
        rest[client] -= 1;
        order.push(client);
        orders(rest, order, each);
        order.pop();
    }
}

#[test]
fn no_order_of_steps_gives_a_stale_read() {
    use Op::{Read, Write, WriteAny};
    let programs = [
        vec![Write(0)],
        vec![WriteAny],
        vec![Read(0)],
        vec![Read(BOTH)],
        vec![Write(0), Read(0)],
        vec![Write(1), Read(BOTH)],
        vec![Read(BOTH), Read(BOTH)],
        vec![Read(1), Write(1)],
        vec![WriteAny, Read(0)],
    ];
    let mut runs = 0_u32;
    for (first, a) in programs.iter().enumerate() {
        for (second, b) in programs.iter().enumerate().skip(first) {
            for c in &programs[second..] {
                let clients = [a.clone(), b.clone(), c.clone()];
                let left = clients.each_ref().map(|ops| ops.iter().map(|op| op.steps()).sum());
                if left.iter().sum::<usize>() > 11 {
                    continue;
                }
                orders(left, &mut Vec::new(), &mut |order| {
                    run(&clients, order);
                    runs += 1;
                });
            }
        }
    }
    assert!(runs > 50_000, "{runs}");
}
