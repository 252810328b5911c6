//! Rows of a journal on their way: from a body into an entry, and from an entry into a statement.

use std::collections::HashMap;
use std::sync::Arc;

use duet_document::{Codec, PlainRow, Purpose, row_tree};
use duet_duality::write::{Change, FoundRows, plan};
use duet_journal::RowGroup;
use duet_model::{Code, Error, Operand, Relation, RelationKind, Result, Shape, Type, Value};
use duet_sql::{AssignedValue, Dialect, Parameter, Statement, insert_rows, insert_statement};
use duet_store::{Action, Call, Done, KnownRow, RowWrite, Writes};
use duet_text::json::body::Body;

use crate::build::snapshot::Snapshot;
use crate::ingest::queued_row::{Origin, QueuedRow, is_single_row};
use crate::resources::resource::Resource;
use crate::resources::row_rules::NewRow;
use crate::write::{as_body, new_document};

/// The row that a new document by this author is.
///
/// # Errors
/// What is wrong with the document.
pub(super) fn row_of(
    resource: &Resource,
    body: &Body,
    author: Option<&Arc<str>>,
) -> Result<NewRow> {
    if let Some(PlainRow { columns, values }) = resource.plain_row(body) {
        return Ok(columns.into_iter().zip(values).collect());
    }
    let shape = &resource.shape;
    let collection = resource.collection.as_ref();
    let completed =
        collection.map(|own| new_document(own, body.json(), None, author)).transpose()?;
    let wanted = row_tree(shape, as_body(&completed, body.json())?, Purpose::Create)?;
    let plan = plan(shape, Change::Create(&wanted), &FoundRows::default())?;
    if let Some(refusal) = plan.refusal() {
        return Err(refusal.clone());
    }
    let [operation] = &plan.operations[..] else {
        return Err(Error::internal("a new row is not one insert"));
    };
    let mut set = Vec::with_capacity(operation.set.len());
    for (column, operand) in &operation.set {
        match operand {
            Operand::Value(value) => set.push((*column, value.clone())),
            // What is left out gets its default.
            Operand::Default => {}
            Operand::Generated { .. } => {
                return Err(Error::internal("a single row that needs the key of another"));
            }
        }
    }
    set.sort_by_key(|(column, _)| *column);
    Ok(set)
}

/// Rows as groups of an entry.
pub(super) fn groups(shape: &Shape, rows: Vec<NewRow>) -> Vec<RowGroup> {
    let columns = &shape.root().table.columns;
    let mut groups: Vec<(Vec<usize>, RowGroup)> = Vec::new();
    for row in rows {
        let (own, values): (Vec<usize>, Vec<Value>) = row.into_iter().unzip();
        match groups.last_mut().filter(|(known, _)| *known == own) {
            Some((_, group)) => group.rows.push(values),
            None => {
                let names = own.iter().map(|column| columns[*column].name.clone()).collect();
                groups.push((own, RowGroup { columns: names, rows: vec![values] }));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Where rows of one origin go: their resource as it is served now, and their statement.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) resource: Arc<Resource>,
    pub(super) columns: Vec<usize>,
    sql: Arc<str>,
    /// Inserts many rows at once, where the store has such a statement.
    many: Option<Statement>,
    types: Vec<Type>,
    /// The parts of the key that the database makes.
    generated: Vec<usize>,
    sql_returning: Arc<str>,
}

impl Target {
    /// The statement that inserts many rows, and their table.
    pub(super) fn many(&self) -> Option<(&Statement, &Arc<Relation>)> {
        Some((self.many.as_ref()?, &self.resource.shape.root().table))
    }

    /// Whether the database has left out the row of a call without an error.
    pub(super) fn has_left_out(&self, done: &Done) -> bool {
        done.affected == 0 && is_counted(&self.resource.shape.root().table)
    }

    /// The call that inserts a row; commit events need its key where `named`.
    pub(super) fn call(&self, values: &[Value], named: bool) -> Call {
        let table = Arc::clone(&self.resource.shape.root().table);
        let parameters = values.iter().zip(&self.types);
        let parameters =
            parameters.map(|(value, ty)| Parameter::Value { value: value.clone(), ty: ty.clone() });
        let sql = if named { &self.sql_returning } else { &self.sql };
        let statement = Statement { sql: Arc::clone(sql), parameters: parameters.collect() };
        let returned = if named { &self.generated[..] } else { &[] };
        let codecs = returned.iter().map(|&column| Codec::of(&table.columns[column].ty)).collect();
        let known = named.then(|| self.known(values)).flatten();
        let writes = Writes::Row(RowWrite { table, action: Action::Insert, known });
        Call { statement, codecs, writes }
    }

    /// What commit events need to know of a row; `None` where a linking column gets its default.
    fn known(&self, values: &[Value]) -> Option<Box<KnownRow>> {
        let table = &self.resource.shape.root().table;
        let is_known =
            |column: &usize| self.columns.contains(column) || self.generated.contains(column);
        if !table.links.iter().all(is_known) {
            return None;
        }
        let set = self.columns.iter().copied().zip(values.iter().cloned());
        let set = set.filter(|(column, _)| table.links.binary_search(column).is_ok()).collect();
        let returned = self.generated.iter().copied().map(Some).collect();
        Some(Box::new(KnownRow { key: Vec::new(), set, returned, before: None }))
    }
}

/// Whether the database counts each new row of a relation: a trigger of a view may make another one.
pub(super) fn is_counted(relation: &Relation) -> bool {
    relation.kind == RelationKind::Table
}

/// The targets of the rows of a batch.
#[derive(Debug, Default)]
pub(super) struct Targets(HashMap<(String, Vec<String>), Result<Arc<Target>>>);

impl Targets {
    /// Where a row goes.
    ///
    /// # Errors
    /// That its resource or one of its columns is not served any more.
    pub(super) fn of(
        &mut self,
        row: &QueuedRow,
        snapshot: &Snapshot,
        dialect: &dyn Dialect,
    ) -> Result<Arc<Target>> {
        let origin = &row.origin;
        let name = (origin.resource.clone(), origin.columns.clone());
        let found = self.0.entry(name).or_insert_with(|| target(origin, snapshot, dialect));
        found.clone()
    }
}

fn target(origin: &Origin, snapshot: &Snapshot, dialect: &dyn Dialect) -> Result<Arc<Target>> {
    let gone = |what: String| {
        Err(Error::new(Code::NotServed, what).hint("Re-drive the row when it is served again."))
    };
    let resource = snapshot.mounts.iter().find_map(|mount| {
        let name = origin.resource.strip_prefix(&mount.path)?.strip_prefix('/')?;
        mount.resource(name).ok()
    });
    let Some(resource) = resource.filter(|resource| is_single_row(resource)) else {
        return gone(format!("{} takes no new rows any more.", origin.resource));
    };
    let shape = &resource.shape;
    let table = &shape.root().table;
    if (&table.schema, &table.name) != (&origin.schema, &origin.table) {
        return gone(format!("{} is another table now.", origin.resource));
    }
    let mut columns = Vec::with_capacity(origin.columns.len());
    for name in &origin.columns {
        match table.columns.iter().position(|column| column.name == *name) {
            Some(column) => columns.push(column),
            None => return gone(format!("{} has no such column any more.", origin.resource)),
        }
    }
    let types = columns.iter().map(|&column| table.columns[column].ty.clone()).collect();
    let set: Vec<(usize, AssignedValue)> =
        columns.iter().map(|&column| (column, AssignedValue::Value(Value::Null))).collect();
    let generated: Vec<usize> =
        table.identity().iter().copied().filter(|column| !columns.contains(column)).collect();
    let sql = |returning: &[usize]| insert_statement(dialect, shape, 0, &set, returning).sql;
    Ok(Arc::new(Target {
        sql: sql(&[]),
        many: insert_rows(dialect, table, &columns),
        sql_returning: sql(&generated),
        resource: Arc::clone(resource),
        columns,
        types,
        generated,
    }))
}
