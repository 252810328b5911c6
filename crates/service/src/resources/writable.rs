//! What a resource needs to be written: its document read under locks, and reads of the rows below
//! that a body may name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use duet_document::{Etag, PlainRows, Program, Purpose, TextBuffer, row_tree};
use duet_duality::write::{Lookup, renumber, subshape};
use duet_model::memory::Lease;
use duet_model::{NodeId, ReadPlan, Result, RowTree, Shape};
use duet_sql::Dialect;
use duet_store::{Answer, KeyedRead, LockedRead};
use duet_text::json::{STORED, read};

use super::inserts::Inserts;
use super::updates::Updates;

/// Stored JSON has no more levels than this, whatever its depth limit was when it was stored.
pub(crate) const STORED_DEPTH: usize = 512;

/// A shape, ready to be read for writing.
#[derive(Debug)]
pub(crate) struct Writable {
    pub(crate) shape: Arc<Shape>,
    pub(crate) locked: LockedRead,
    pub(crate) program: Arc<Program>,
    lookups: Mutex<HashMap<LookupName, Arc<RowLookup>>>,
    /// For shapes of one table.
    pub(crate) inserts: Inserts,
    /// How bodies give its new rows, where they are nothing but values of columns.
    pub(crate) plain: Option<PlainRows>,
    pub(crate) updates: Updates,
}

/// A node, and the columns of one of its keys.
type LookupName = (NodeId, Vec<usize>);

/// A document as it is stored.
#[derive(Debug)]
pub(crate) struct StoredDocument {
    /// Its members as JSON text.
    pub(crate) text: String,
    /// The memory of the text.
    _lease: Option<Lease>,
    /// Its etag over the checked members.
    pub(crate) etag: Etag,
    /// The rows.
    pub(crate) answer: Answer,
}

impl Writable {
    /// Of the read of a document and its writer.
    pub(crate) fn new(
        read: &Arc<KeyedRead>,
        program: &Arc<Program>,
        dialect: &dyn Dialect,
    ) -> Self {
        Self {
            shape: Arc::clone(&read.plan.shape),
            locked: LockedRead::of(Arc::clone(read), dialect),
            program: Arc::clone(program),
            lookups: Mutex::default(),
            inserts: Inserts::default(),
            plain: PlainRows::of(&read.plan.shape),
            updates: Updates::default(),
        }
    }

    /// The document of an answer; `None` where there is none.
    pub(crate) fn stored(&self, answer: &Answer) -> Result<Option<StoredDocument>> {
        stored(&self.program, answer)
    }

    /// Whether `_metadata` of a body is the server's own, and no member of the resource.
    pub(crate) fn has_metadata(&self) -> bool {
        self.shape.root().members.iter().all(|member| member.name != "_metadata")
    }

    /// The read that finds rows of a node by the columns of a key; made when first needed.
    pub(crate) fn lookup(&self, lookup: &Lookup, dialect: &dyn Dialect) -> Arc<RowLookup> {
        let mut known = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(RowLookup::new(&self.shape, lookup, dialect));
        let name = (lookup.node, lookup.columns.clone());
        Arc::clone(known.entry(name).or_insert_with(made))
    }
}

/// Finds rows of one node, with everything below them.
#[derive(Debug)]
pub(crate) struct RowLookup {
    shape: Arc<Shape>,
    map: Vec<NodeId>,
    pub(crate) locked: LockedRead,
    program: Program,
}

impl RowLookup {
    fn new(shape: &Shape, lookup: &Lookup, dialect: &dyn Dialect) -> Self {
        let (shape, map) = subshape(shape, lookup.node, &lookup.columns);
        let shape = Arc::new(shape);
        let plan = ReadPlan::by_keys(Arc::clone(&shape));
        let program = Program::compile(&plan, &shape.name);
        Self { shape, map, locked: LockedRead::new(plan, dialect), program }
    }

    /// The row of an answer as JSON text; `None` where there is none.
    pub(crate) fn stored(&self, answer: &Answer) -> Result<Option<StoredDocument>> {
        stored(&self.program, answer)
    }

    /// The tree of a row that was found, its nodes numbered as in the whole shape.
    pub(crate) fn tree<'t>(&self, stored: &'t StoredDocument) -> Result<RowTree<'t>> {
        let mut row = stored_tree(&self.shape, stored)?;
        renumber(&mut row, &self.map);
        Ok(row)
    }
}

fn stored(program: &Program, answer: &Answer) -> Result<Option<StoredDocument>> {
    let Some(row) = answer.row else { return Ok(None) };
    let (fetched, rows) = (&answer.fetched, row..row + 1);
    let TextBuffer { mut text, lease } = TextBuffer::new(program, fetched, rows, None, 512)?;
    let written = program.write_plain(&answer.fetched, row, &mut text)?;
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let (etag, answer) = (written.etag, answer.clone());
    Ok(Some(StoredDocument { text, _lease: lease, etag, answer }))
}

/// A stored document taken apart.
pub(crate) fn stored_tree<'t>(shape: &Shape, stored: &'t StoredDocument) -> Result<RowTree<'t>> {
    row_tree(shape, read(&stored.text, &STORED, STORED_DEPTH)?, Purpose::Stored)
}
