//! A write plan carried out: row operations become statements, as many in one go as do not wait for
//! generated keys.

use std::sync::Arc;

use duet_document::Codec;
use duet_model::catalog::{Reach, RelationKind};
use duet_model::{
    Code, Error, NodeId, Operand, Relation, Result, RowAction, RowOperation, Value, WritePlan,
};
use duet_sql::{
    AssignedValue, Dialect, check_statement, columns_statement, delete_statement, insert_statement,
    update_statement,
};
use duet_store::{
    Action, Answer, Call, Done, KnownRow, LinksRead, Records, RowWrite, Session, Writes,
};
use duet_text::error::Place;

use crate::resources::violation::{About, held, named, not_parked};
use crate::resources::writable::Writable;

/// Values of columns of one row.
type Row = Vec<(usize, Value)>;

/// What follows the operations of a plan.
#[derive(Clone, Copy)]
pub(crate) enum Then<'a> {
    /// Nothing.
    Nothing,
    /// Nothing, and nothing is given back either.
    Unseen,
    /// The document is read again: by this key, or by that of the row that the plan inserts.
    Read(Option<&'a Vec<Value>>),
}

/// Executes plans.
pub(crate) struct Execution<'a> {
    writable: &'a Writable,
    dialect: &'a dyn Dialect,
    plan: &'a WritePlan,
    /// What the database gave to the rows that were inserted, by operation.
    generated: Vec<Row>,
    /// For every operation, the columns that later ones need.
    wanted: Vec<Vec<usize>>,
    /// Operations whose statements have not run yet, in order and without gaps.
    waiting: Vec<usize>,
    /// What commit events need of the rows that change.
    records: Records,
    calls: Vec<Call>,
    returning: Vec<Vec<usize>>,
    /// Whether rows give nothing back.
    is_unseen: bool,
}

impl<'a> Execution<'a> {
    pub(crate) fn new(
        writable: &'a Writable,
        dialect: &'a dyn Dialect,
        plan: &'a WritePlan,
    ) -> Self {
        Self {
            writable,
            dialect,
            plan,
            generated: vec![Vec::new(); plan.operations.len()],
            wanted: plan.wanted(),
            waiting: Vec::new(),
            records: Records::Nothing,
            calls: Vec::new(),
            returning: Vec::new(),
            is_unseen: false,
        }
    }

    /// Runs everything, then reads the document of this key again, or of the row that the plan inserts;
    /// nothing where the document goes. What can leave together does.
    pub(crate) async fn run(
        &mut self,
        session: &mut dyn Session,
        then: Then<'_>,
    ) -> Result<Option<Answer>> {
        self.records = session.records();
        self.is_unseen = matches!(then, Then::Unseen);
        for (index, operation) in self.plan.operations.iter().enumerate() {
            if self.waits_for_key(operation) {
                self.flush(session).await?;
            }
            self.prepare(index, operation)?;
        }
        let known = match then {
            Then::Nothing | Then::Unseen => None,
            Then::Read(key) => key.cloned().or_else(|| self.root_key()),
        };
        let together = known.filter(|_| !self.calls.is_empty() && !self.has_checks());
        if let Some(key) = together {
            let (locked, keys) = (&self.writable.locked, [key]);
            let ended = session.run_and_reread(&self.calls, locked, &keys).await;
            let (done, answers) = ended.map_err(|error| self.placed(error))?;
            self.keep(&done)?;
            return match self.stored_key().filter(|stored| *stored != keys[0]) {
                Some(stored) => self.read_by(session, stored).await,
                None => Ok(answers.into_iter().next()),
            };
        }
        self.flush(session).await?;
        self.check_rows(session).await?;
        let Then::Read(key) = then else { return Ok(None) };
        let key = self.stored_key().or_else(|| key.cloned()).or_else(|| self.root_key());
        let key = key.ok_or_else(|| Error::internal("the key of a new document is not known"))?;
        self.read_by(session, key).await
    }

    async fn read_by(&self, session: &mut dyn Session, key: Vec<Value>) -> Result<Option<Answer>> {
        let answers = session.reread(&self.writable.locked, &[key]).await?;
        Ok(answers.into_iter().next())
    }

    /// The key that the root's row has, where a trigger may have changed what was sent.
    fn stored_key(&self) -> Option<Vec<Value>> {
        let changes = |(_, operation): &(usize, &RowOperation)| {
            operation.node == 0
                && operation.action != RowAction::Delete
                && self.runs_code(0, operation.action)
        };
        let last = self.plan.operations.iter().enumerate().rfind(changes)?.0;
        self.key_of(last, &self.writable.shape.key)
    }

    /// Whether triggers or rules run where a row of a node is written so.
    fn runs_code(&self, node: NodeId, action: RowAction) -> bool {
        let effects = &self.writable.shape.nodes[node].table.effects;
        let reach = match action {
            RowAction::Insert => &effects.insert,
            RowAction::Update | RowAction::Park | RowAction::Unlink => &effects.update,
            RowAction::Delete => &effects.delete,
        };
        *reach == Reach::Everything
    }

    /// The key of the root's row that the plan inserts; `None` where it inserts none.
    fn root_key(&self) -> Option<Vec<Value>> {
        let operations = self.plan.operations.iter();
        let index = operations
            .enumerate()
            .find(|(_, operation)| operation.node == 0 && operation.action == RowAction::Insert)?
            .0;
        self.key_of(index, &self.writable.shape.key)
    }

    /// Whether an operation needs a value that a waiting insert generates.
    fn waits_for_key(&self, operation: &RowOperation) -> bool {
        operation.set.iter().chain(&operation.key).any(|(_, operand)| {
            matches!(operand, Operand::Generated { operation, .. }
                if self.waiting.first().is_some_and(|first| operation >= first))
        })
    }

    fn prepare(&mut self, index: usize, operation: &RowOperation) -> Result<()> {
        let (shape, node) = (&self.writable.shape, operation.node);
        let set: Vec<(usize, AssignedValue)> = operation
            .set
            .iter()
            .map(|(column, operand)| Ok((*column, self.assigned(operand)?)))
            .collect::<Result<_>>()?;
        let mut key = Vec::new();
        for (column, operand) in &operation.key {
            match self.assigned(operand)? {
                AssignedValue::Value(value) => key.push((*column, value)),
                AssignedValue::Default => return Err(Error::internal("a key that is a default")),
            }
        }
        let mut returning = Vec::new();
        let statement = match operation.action {
            RowAction::Insert => {
                if !self.is_unseen {
                    returning = self.returned(index, operation);
                }
                insert_statement(self.dialect, shape, node, &set, &returning)
            }
            RowAction::Update | RowAction::Park | RowAction::Unlink => {
                if !self.is_unseen && node == 0 && self.runs_code(node, operation.action) {
                    returning.clone_from(&shape.key);
                }
                update_statement(self.dialect, shape, node, &key, &set, &returning)
            }
            RowAction::Delete => delete_statement(self.dialect, shape, node, &key),
        };
        let table = &shape.nodes[node].table;
        let codecs = codecs(table, &returning);
        let action = match operation.action {
            RowAction::Insert => Action::Insert,
            RowAction::Update | RowAction::Park | RowAction::Unlink => {
                Action::update(table, set.iter().map(|(column, _)| *column))
            }
            RowAction::Delete => Action::Delete,
        };
        let known = match self.records {
            _ if self.is_unseen => None,
            Records::Nothing => None,
            _ => self.known(node, key, set, &returning),
        };
        let writes = Writes::Row(RowWrite { table: Arc::clone(table), action, known });
        self.calls.push(Call { statement, codecs, writes });
        self.returning.push(returning);
        self.waiting.push(index);
        Ok(())
    }

    /// What commit events need to know of a row; `None` where a linking column gets its default.
    fn known(
        &self,
        node: NodeId,
        key: Row,
        set: Vec<(usize, AssignedValue)>,
        returning: &[usize],
    ) -> Option<Box<KnownRow>> {
        let (shape, table) = (&self.writable.shape, &self.writable.shape.nodes[node].table);
        let is_linking = |column: &usize| table.links.binary_search(column).is_ok();
        let mut values = Row::new();
        for (column, assigned) in set.into_iter().filter(|(column, _)| is_linking(column)) {
            match assigned {
                AssignedValue::Value(value) => values.push((column, value)),
                AssignedValue::Default if returning.contains(&column) => {}
                AssignedValue::Default => return None,
            }
        }
        let is_known = |column: &&usize| key.iter().any(|(known, _)| known == *column);
        let unknown: Vec<usize> = table.links.iter().filter(|it| !is_known(it)).copied().collect();
        let is_read = self.records == Records::Links && !key.is_empty() && !unknown.is_empty();
        let before = is_read.then(|| LinksRead {
            statement: columns_statement(self.dialect, shape, node, &key, &unknown),
            codecs: codecs(table, &unknown),
            columns: unknown.into_iter().map(Some).collect(),
        });
        let returned = returning.iter().copied().map(Some).collect();
        Some(Box::new(KnownRow { key, set: values, returned, before }))
    }

    /// The returned columns of an inserted row.
    fn returned(&self, index: usize, operation: &RowOperation) -> Vec<usize> {
        let shape = &self.writable.shape;
        let mut columns = self.wanted[index].clone();
        let node = &shape.nodes[operation.node];
        if operation.node == 0 {
            columns.extend(&shape.key);
        }
        if node.check_option {
            columns.extend(node.table.identity());
        }
        // What a trigger may have changed is read again by what it has made of it.
        let may_change = operation.node == 0 && self.runs_code(0, RowAction::Insert);
        let is_certain = |column: &usize| {
            let is_sent = operation.set.iter().any(|(set, _)| set == column);
            is_sent && !(may_change && shape.key.contains(column))
        };
        columns.retain(|column| !is_certain(column));
        if self.records == Records::Links && node.table.kind == RelationKind::Table {
            let has_value = |column: &&usize| {
                let set = operation.set.iter().find(|(set, _)| set == *column);
                set.is_some_and(|(_, operand)| *operand != Operand::Default)
            };
            columns.extend(node.table.links.iter().filter(|column| !has_value(column)));
        }
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn assigned(&self, operand: &Operand) -> Result<AssignedValue> {
        Ok(match operand {
            Operand::Value(value) => AssignedValue::Value(value.clone()),
            Operand::Default => AssignedValue::Default,
            Operand::Generated { operation, column } => {
                let row = &self.generated[*operation];
                let value = row.iter().find(|(known, _)| known == column);
                let value = value.ok_or_else(|| Error::internal("a key was not given back"))?;
                AssignedValue::Value(value.1.clone())
            }
        })
    }

    /// Runs what waits.
    async fn flush(&mut self, session: &mut dyn Session) -> Result<()> {
        if self.calls.is_empty() {
            return Ok(());
        }
        let done = session.run(&self.calls).await.map_err(|error| self.placed(error))?;
        self.keep(&done)
    }

    /// An error of the calls that wait, with the place of the row in the body.
    fn placed(&self, mut error: Error) -> Error {
        let call = error.violation.as_ref().and_then(|violation| violation.call);
        let operation = call
            .and_then(|call| self.waiting.get(call))
            .map(|&index| &self.plan.operations[index])
            .inspect(|of| {
                if of.action == RowAction::Delete && error.code == Code::ForeignKeyViolation {
                    held(&mut error, &self.writable.shape.nodes[of.node].table);
                }
            })
            // A DELETE of a whole document sends none.
            .filter(|of| of.action != RowAction::Delete || !of.pointer.is_empty());
        let about = operation.map(|operation| About {
            node: operation.node,
            pointer: &operation.pointer,
            action: operation.action,
            set: operation.set.iter().map(|(column, operand)| (*column, given(operand))).collect(),
        });
        match operation {
            Some(operation) if operation.action == RowAction::Park => {
                not_parked(error, &self.writable.shape, operation)
            }
            _ => named(error, &self.writable.shape, about.as_ref()),
        }
    }

    /// Checks the results of the calls, and keeps the returned keys.
    fn keep(&mut self, done: &[Done]) -> Result<()> {
        for (position, done) in done.iter().enumerate() {
            let index = self.waiting[position];
            self.check_affected(&self.plan.operations[index], done)?;
            let codecs = &self.calls[position].codecs;
            let columns = self.returning[position].iter().zip(codecs).enumerate();
            if !done.rows.is_empty() {
                let row = columns
                    .map(|(at, (&column, codec))| (column, codec.value(done.rows.get(0, at))));
                self.generated[index] = row.collect();
            }
        }
        self.waiting.clear();
        self.calls.clear();
        self.returning.clear();
        Ok(())
    }

    /// The row is locked and there: if it did not change, a trigger or a policy kept it. If others changed with it, they
    /// have the same key in a table that inherits from this one, or the key of the application is not unique.
    fn check_affected(&self, operation: &RowOperation, done: &Done) -> Result<()> {
        let table = &self.writable.shape.nodes[operation.node].table;
        let is_by_key = operation.action != RowAction::Insert;
        if done.affected > 1 && is_by_key && table.kind == RelationKind::Table {
            let message = format!(
                "{} rows of {} have this key, so none was changed: a table that inherits from it has the key again, or the key is not unique.",
                done.affected,
                table.served_name()
            );
            let error = Error::new(Code::AmbiguousKey, message);
            return Err(error.at(Place::Pointer(operation.pointer.clone())));
        }
        if done.affected > 0 || table.kind != RelationKind::Table {
            return Ok(());
        }
        let message = format!(
            "The database did not {} a row of {}: a trigger or a policy of it keeps it from that. Nothing was changed.",
            operation.action.as_str(),
            table.served_name()
        );
        Err(Error::new(Code::RowRefused, message).at(Place::Pointer(operation.pointer.clone())))
    }

    /// Whether the plan writes rows of nodes with a check option.
    fn has_checks(&self) -> bool {
        let nodes = &self.writable.shape.nodes;
        self.plan.operations.iter().any(|operation| nodes[operation.node].check_option)
    }

    /// Rows of nodes with a check option must still be inside the view.
    async fn check_rows(&self, session: &mut dyn Session) -> Result<()> {
        let mut calls = Vec::new();
        let mut checked = Vec::new();
        for (index, operation) in self.plan.operations.iter().enumerate() {
            let written = matches!(operation.action, RowAction::Insert | RowAction::Update);
            let node = &self.writable.shape.nodes[operation.node];
            if !written || !node.check_option || node.filter.is_none() {
                continue;
            }
            let identity = self.identity(operation.node);
            let Some(key) = self.key_of(index, identity) else { continue };
            let key: Row = identity.iter().copied().zip(key).collect();
            let statement =
                check_statement(self.dialect, &self.writable.shape, operation.node, &key);
            let (codecs, writes) = (vec![Codec::Integer], Writes::Nothing);
            calls.push(Call { statement, codecs, writes });
            checked.push(operation);
        }
        if calls.is_empty() {
            return Ok(());
        }
        let done = session.run(&calls).await?;
        match checked.iter().zip(&done).find(|(_, done)| done.rows.is_empty()) {
            None => Ok(()),
            Some((operation, _)) => {
                let shape = &self.writable.shape;
                let message = format!(
                    "A row of {} would leave what {} shows, which its definition forbids.",
                    shape.nodes[operation.node].table.served_name(),
                    shape.name
                );
                Err(Error::new(Code::OutsideView, message)
                    .at(Place::Pointer(operation.pointer.clone())))
            }
        }
    }

    fn identity(&self, node: NodeId) -> &'a [usize] {
        if node == 0 {
            &self.writable.shape.key
        } else {
            self.writable.shape.nodes[node].table.identity()
        }
    }

    /// The values of these columns of the row that an operation has written.
    fn key_of(&self, index: usize, columns: &[usize]) -> Option<Vec<Value>> {
        let operation = &self.plan.operations[index];
        let of = |column: &usize| {
            let returned = self.generated[index].iter().find(|(known, _)| known == column);
            if let Some((_, value)) = returned {
                return Some(value.clone());
            }
            let written = operation.set.iter().chain(&operation.key);
            let operand = written.into_iter().find(|(known, _)| known == column);
            match operand {
                Some((_, operand)) => match self.assigned(operand).ok()? {
                    AssignedValue::Value(value) => Some(value),
                    AssignedValue::Default => None,
                },
                None => None,
            }
        };
        columns.iter().map(of).collect()
    }
}

fn codecs(table: &Relation, columns: &[usize]) -> Vec<Codec> {
    columns.iter().map(|&column| Codec::of(&table.columns[column].ty)).collect()
}

/// The value of an operand, where it is known before the statement runs.
pub(crate) fn given(operand: &Operand) -> Option<&Value> {
    match operand {
        Operand::Value(value) => Some(value),
        Operand::Default | Operand::Generated { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use async_trait::async_trait;
    use duet_document::RowSet;
    use duet_model::catalog::GeneratedValue;
    use duet_model::{Column, Shape, Type};
    use duet_store::{LockedRead, PageRead};

    use super::*;
    use crate::resources::representation::Representation;

    /// Keeps the calls that it is given; every insert gives each column that it returns the value 7.
    struct Kept {
        records: Records,
        calls: Vec<Call>,
    }

    #[async_trait(?Send)]
    impl Session for Kept {
        async fn read(&mut self, _: &LockedRead, _: &[Vec<Value>]) -> Result<Vec<Answer>> {
            Err(Error::internal("nothing is read"))
        }

        async fn reread(&mut self, _: &LockedRead, _: &[Vec<Value>]) -> Result<Vec<Answer>> {
            Err(Error::internal("nothing is read"))
        }

        async fn page(&mut self, _: &PageRead) -> Result<Answer> {
            Err(Error::internal("nothing is read"))
        }

        async fn run(&mut self, calls: &[Call]) -> Result<Vec<Done>> {
            self.calls.extend(calls.iter().cloned());
            let done = calls.iter().map(|call| {
                let mut rows = RowSet::new(call.codecs.len());
                call.codecs.iter().for_each(|_| rows.push(duet_document::Datum::Int(7)));
                Done { affected: 1, rows }
            });
            Ok(done.collect())
        }

        fn records(&self) -> Records {
            self.records
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

    /// The calls of an insert, an update and a delete.
    fn calls(records: Records) -> Vec<Call> {
        let column = |name: &str| Column::new(name, Type::Integer { bits: 64 });
        let mut table = Relation::table("main", "driver", vec![column("id"), column("team_id")]);
        table.columns[0].generated = GeneratedValue::Identity;
        table.columns.push(column("points"));
        table.links = vec![0, 1];
        let shape = Shape::of_relation(&table.into());
        let dialect = duet_sql::Sqlite;
        let made = Representation::new(shape, "driver", &dialect);
        let (read, program) = made.item().unwrap();
        let writable = Writable::new(read, program, &dialect);
        let value = |value| Operand::Value(Value::Int(value));
        let operation = |action, key: &[i64], set: &[(usize, i64)]| RowOperation {
            node: 0,
            action,
            key: key.iter().map(|key| (0, value(*key))).collect(),
            set: set.iter().map(|(column, set)| (*column, value(*set))).collect(),
            pointer: String::new(),
            refused: None,
        };
        let plan = WritePlan {
            operations: vec![
                operation(RowAction::Insert, &[], &[(2, 5)]),
                operation(RowAction::Update, &[1], &[(2, 6)]),
                operation(RowAction::Delete, &[2], &[]),
            ],
        };
        let mut session = Kept { records, calls: Vec::new() };
        let mut execution = Execution::new(&writable, &dialect, &plan);
        let run = execution.run(&mut session, Then::Nothing);
        let ended = pin!(run).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(ended, Poll::Ready(Ok(None))));
        session.calls
    }

    /// How many columns the calls fetch, how many statements they are, and how many rows they keep.
    fn counted(calls: &[Call]) -> (usize, usize, usize) {
        let known = |call: &Call| match &call.writes {
            Writes::Row(row) => row.known.clone(),
            _ => None,
        };
        let links: Vec<_> = calls.iter().filter_map(|call| known(call)?.before).collect();
        let fetched = calls.iter().map(|call| call.codecs.len()).sum::<usize>();
        let read = links.iter().map(|read| read.codecs.len()).sum::<usize>();
        (fetched + read, calls.len() + links.len(), calls.iter().filter_map(known).count())
    }

    /// Without a consumer of rows the statements are those of the plan, and no value is kept for events.
    #[test]
    fn events_cost_nothing_where_no_consumer_needs_rows() {
        let none = calls(Records::Nothing);
        // The key of the new document is all that comes back.
        assert_eq!(counted(&none), (1, 3, 0));
        assert!(none[0].statement.sql.ends_with("RETURNING \"id\""), "{}", none[0].statement.sql);
        assert_eq!(counted(&calls(Records::Known)), (1, 3, 3));
        // The link of the new row, and those of the others before they change.
        assert_eq!(counted(&calls(Records::Links)), (4, 5, 3));
    }
}
