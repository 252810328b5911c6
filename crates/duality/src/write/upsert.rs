//! The rows of the new document: inserted, updated, linked.
//!
//! A row that another one refers to is written before it; rows that refer to it are written after it.
//!
//! # Example
//! A view shows an order, its lines, and the product of each line. Stored is
//! ```json
//! {"id":1, "note":"a", "lines":[{"id":10, "count":1, "product":{"id":7, "name":"tea"}}]}
//! ```
//! and a PUT wants
//! ```json
//! {"id":1, "note":"a", "lines":[{"id":10, "count":2, "product":{"id":7, "name":"tea"}},
//!                               {"id":11, "count":1, "product":{"id":8, "name":"rice"}}]}
//! ```
//! Product 8 is not in the document, so it has been looked up; suppose that it does not exist. The plan is:
//!
//! | operation | pointer | because |
//! |---|---|---|
//! | update line 10: `count` = 2 | `/lines/0` | [`Planner::update`]: only what differs is written; order 1 and product 7 are equal |
//! | insert product 8: `name` = rice | `/lines/1/product` | `references`: line 11 refers to it, so it comes first |
//! | insert line 11: `order_id` = 1, `product_id` = 8, `count` = 1 | `/lines/1` | [`Planner::insert`]: the links are columns of the line |
//!
//! If product 8 exists as "rice", its operation is left out; if it has another name, the operation is an update,
//! refused where the view does not allow one. If the PUT leaves `note` out, `cleared` adds its default or NULL.

use std::collections::{HashMap, HashSet};

use duet_document::same_value;
use duet_model::catalog::GeneratedValue;
use duet_model::{
    ColumnMember, Error, GivenField, GivenRows, Member, MemberKind, MemberOrigin, NodeId, Operand,
    Result, RowAction, RowOperation, RowTree, Value,
};
use foldhash::fast::RandomState;

use super::derive::DerivedRow;
use super::keys::LinkValues;
use super::row_name::RowName;
use super::stored_row::StoredRow;
use super::{Planner, lookups, refusal};

/// The operation planned so far for a row that the document names by key.
#[derive(Debug, Default)]
pub(super) struct PlannedRow {
    values: HashMap<usize, Operand, RandomState>,
    /// The operation on it.
    operation: Option<usize>,
    /// Whether that inserts it.
    inserted: bool,
}

/// A row that exists after the plan.
#[derive(Clone, Copy)]
pub(super) struct FinalRow<'r, 't> {
    wanted: &'r RowTree<'t>,
    stored: Option<&'r RowTree<'t>>,
    /// The operation that inserts it.
    inserted: Option<usize>,
}

/// The columns that an operation writes.
#[derive(Default)]
struct Columns {
    set: Vec<(usize, Operand)>,
}

impl Columns {
    /// Adds a column; `false` if it has another value already.
    fn put(&mut self, column: usize, operand: Operand) -> bool {
        match self.set.iter().find(|(known, _)| *known == column) {
            Some((_, known)) => *known == operand,
            None => {
                self.set.push((column, operand));
                true
            }
        }
    }
}

impl<'t> Planner<'_, 't> {
    /// Remembers which rows the document wants below which nodes, so that one that only moves within
    /// the document is not taken for removed.
    pub(super) fn note_wanted(&mut self, wanted: &RowTree<'_>, linked: &LinkValues) -> Result<()> {
        for child in &wanted.children {
            let below = self.keys.linked_below(wanted, linked, child.node)?;
            let belongs = !self.keys.parent_refers(child.node);
            for row in &child.rows {
                if belongs && let Some((columns, key)) = self.keys.complete(row, &below)? {
                    let name = self.moving_name(row.node, columns, &key);
                    self.wanted.insert(name);
                }
                self.note_wanted(row, &below)?;
            }
        }
        Ok(())
    }

    /// The name under which a row that belongs to its parent is remembered as wanted.
    fn moving_name(&self, node: NodeId, columns: &[usize], key: &[Value]) -> RowName {
        let by = self.keys.link(node).map_or(&[][..], |link| &link.child_columns);
        self.name(node, columns, key).belonging_by(by)
    }

    /// Whether the new document contains a stored row at any position, by any key.
    pub(super) fn is_wanted_elsewhere(&self, row: &RowTree<'_>, linked: &LinkValues) -> bool {
        !self.wanted.is_empty()
            && self.keys.of(row.node).into_iter().any(|columns| {
                let key: Vec<Value> =
                    columns.iter().map(|&c| self.keys.stored_value(row, linked, c)).collect();
                !key.iter().any(Value::is_null)
                    && self.wanted.contains(&self.moving_name(row.node, columns, &key))
            })
    }

    /// The identity of a row of a table; `None` if the document has no key of it, or no
    /// place for another row.
    fn row_name(&self, row: &RowTree<'_>, linked: &LinkValues) -> Result<Option<RowName>> {
        if self.shape.nodes.len() == 1 {
            return Ok(None);
        }
        let complete = self.keys.complete(row, linked)?;
        Ok(complete.map(|(columns, key)| self.name(row.node, columns, &key)))
    }

    pub(super) fn name(&self, node: NodeId, columns: &[usize], key: &[Value]) -> RowName {
        RowName::new(&self.shape.nodes[node].table, columns, key)
    }

    /// Plans a new row and everything below it.
    pub(super) fn insert<'r>(
        &mut self,
        wanted: &'r RowTree<'t>,
        link: &[(usize, Operand)],
    ) -> Result<FinalRow<'r, 't>> {
        let node = wanted.node;
        let known = values_of(link);
        let name = self.row_name(wanted, &known)?;
        if let Some(operation) = name.as_ref().and_then(|name| self.already_inserted(name)) {
            self.agree(name.as_ref(), wanted, link)?;
            return Ok(FinalRow { wanted, stored: None, inserted: Some(operation) });
        }
        let mut columns = Columns::default();
        for (column, operand) in link.iter().filter(|(column, _)| !self.is_computed(node, *column))
        {
            columns.put(*column, operand.clone());
        }
        self.references(None, wanted, &mut columns)?;
        for field in &wanted.fields {
            let value = self.given(node, field)?;
            let Some(value) = value else { continue };
            // A generated key.
            if value.is_null() && self.keys.identity(node).contains(&field.member.column) {
                continue;
            }
            if !columns.put(field.member.column, Operand::Value(value)) {
                let column = field.member.column;
                return Err(refusal::contradiction(self.shape, node, column, &field.pointer));
            }
        }
        self.left_out(wanted, &mut columns);
        self.put_derived(wanted, &known, &mut columns)?;
        self.agree(name.as_ref(), wanted, link)?;
        let refused = (!self.shape.nodes[node].operations.insert)
            .then(|| refusal::not_insertable(self.shape, wanted, name.is_some()));
        let operation = self.push(RowOperation {
            node,
            action: RowAction::Insert,
            key: Vec::new(),
            set: columns.set,
            pointer: wanted.pointer.clone(),
            refused,
        });
        self.hold(operation, wanted, &known);
        if let Some(name) = name {
            let seen = self.seen.entry(name).or_default();
            (seen.operation, seen.inserted) = (Some(operation), true);
        }
        let target = FinalRow { wanted, stored: None, inserted: Some(operation) };
        self.rows_below(target, &known)?;
        Ok(target)
    }

    fn already_inserted(&self, name: &RowName) -> Option<usize> {
        self.seen.get(name).filter(|seen| seen.inserted).and_then(|seen| seen.operation)
    }

    /// Plans what makes a stored row the wanted one. `link` are the columns by which it belongs to its
    /// parent, if it does.
    pub(super) fn update<'r>(
        &mut self,
        stored: StoredRow<'r, 't>,
        wanted: &'r RowTree<'t>,
        link: &[(usize, Operand)],
    ) -> Result<FinalRow<'r, 't>> {
        let node = wanted.node;
        let known = values_of(link);
        let mut columns = Columns::default();
        let mut refused = None;
        self.references(Some(stored.row), wanted, &mut columns)?;
        if !columns.set.is_empty() && !self.shape.nodes[node].operations.update {
            refused = Some(refusal::not_linkable(self.shape, node, &wanted.pointer));
        }
        if !stored.in_place && !link.is_empty() {
            if !self.shape.nodes[node].operations.update {
                refused = Some(refusal::not_linkable(self.shape, node, &wanted.pointer));
            }
            for (column, operand) in link.iter().filter(|(at, _)| !self.is_computed(node, *at)) {
                columns.put(*column, operand.clone());
            }
        }
        for field in &wanted.fields {
            self.change(stored.row, field, link, &mut columns, &mut refused)?;
        }
        let row = DerivedRow { wanted, stored: Some(stored), linked: &known };
        for field in self.derived(row)? {
            self.change(stored.row, &field, link, &mut columns, &mut refused)?;
        }
        if self.clears(stored) {
            self.cleared(stored.row, wanted, &mut columns)?;
        }
        let name = self.row_name(stored.row, &known)?;
        self.agree(name.as_ref(), wanted, link)?;
        self.push_update(stored.row, wanted, &known, columns, refused, name);
        let target = FinalRow { wanted, stored: Some(stored.row), inserted: None };
        self.rows_below(target, &known)?;
        Ok(target)
    }

    /// Adds a field to an update, if it differs from the stored value.
    fn change(
        &self,
        stored: &RowTree<'_>,
        field: &GivenField<'_>,
        link: &[(usize, Operand)],
        columns: &mut Columns,
        refused: &mut Option<Error>,
    ) -> Result<()> {
        let (node, column) = (stored.node, field.member.column);
        let ty = &self.shape.nodes[node].table.columns[column].ty;
        let before = stored.field(column);
        let linked = link.iter().chain(&columns.set).find(|(linked, _)| *linked == column);
        if let Some((_, Operand::Value(value))) = linked {
            if self.given(node, field)?.as_ref() == Some(value) {
                return Ok(());
            }
            return Err(refusal::contradiction(self.shape, node, column, &field.pointer));
        }
        let is_same = match before {
            Some(before) => same_value(ty, &before.value, &field.value),
            None => field.member.absent && field.value.is_null(),
        };
        if is_same {
            return Ok(());
        }
        if field.member.ignored || self.is_computed(node, column) {
            return Ok(());
        }
        if self.keys.identity(node).contains(&column) {
            // A row that was found by another key.
            if field.value.is_null() {
                return Ok(());
            }
            let before = self.keys.stored_value(stored, &values_of(link), column);
            if self.given(node, field)? != Some(before) {
                refused.get_or_insert_with(|| refusal::key_change(self.shape, node, field));
            }
            return Ok(());
        }
        if !field.member.update {
            refused.get_or_insert_with(|| refusal::not_updatable(self.shape, node, field));
        }
        if let Some(value) = self.given(node, field)? {
            columns.put(column, Operand::Value(value));
        }
        Ok(())
    }

    /// Members that a whole document leaves out get the value of a new row. Those that
    /// may not be changed stay.
    fn cleared(
        &self,
        stored: &RowTree<'_>,
        wanted: &RowTree<'_>,
        columns: &mut Columns,
    ) -> Result<()> {
        let node = stored.node;
        let table = &self.shape.nodes[node].table;
        for field in &stored.fields {
            let column = field.member.column;
            let is_given = wanted.field(column).is_some()
                || columns.set.iter().any(|(set, _)| *set == column)
                || field.member.origin != MemberOrigin::Given;
            if is_given || self.stays(node, field.member) {
                continue;
            }
            let about = &table.columns[column];
            match (&about.default, about.not_null) {
                // The document says NULL by leaving it out.
                (_, false) if field.member.absent => columns.put(column, Operand::NULL),
                (Some(_), _) => columns.put(column, Operand::Default),
                (None, true) => {
                    return Err(refusal::value_needed(self.shape, node, column, wanted));
                }
                (None, false) if field.value.is_null() => true,
                (None, false) => columns.put(column, Operand::NULL),
            };
        }
        Ok(())
    }

    /// Whether what the document leaves out of a stored row gets the value of a new row.
    fn clears(&self, stored: StoredRow<'_, '_>) -> bool {
        let node = stored.row.node;
        stored.in_place && (node == 0 || !self.keys.parent_refers(node))
    }

    /// The same of a column.
    pub(super) fn is_cleared(&self, stored: StoredRow<'_, '_>, member: ColumnMember) -> bool {
        self.clears(stored) && !self.stays(stored.row.node, member)
    }

    /// Whether a column keeps its value where a document leaves it out.
    fn stays(&self, node: NodeId, member: ColumnMember) -> bool {
        !member.update
            || member.ignored
            || self.keys.identity(node).contains(&member.column)
            || self.is_computed(node, member.column)
            || self.is_reference(node, member.column)
    }

    /// The columns of a new row that are generated.
    fn put_derived(
        &self,
        wanted: &RowTree<'t>,
        known: &LinkValues,
        columns: &mut Columns,
    ) -> Result<()> {
        let node = wanted.node;
        for field in self.derived(DerivedRow { wanted, stored: None, linked: known })? {
            let Some(value) = self.given(node, &field)? else { continue };
            let column = field.member.column;
            columns.set.retain(|(set, operand)| *set != column || *operand != Operand::NULL);
            if !columns.put(column, Operand::Value(value)) {
                return Err(refusal::contradiction(self.shape, node, column, &field.pointer));
            }
        }
        Ok(())
    }

    /// A new row of a whole document: members that are left out where they are NULL are NULL, not what their column
    /// begins with.
    fn left_out(&self, wanted: &RowTree<'_>, columns: &mut Columns) {
        let node = wanted.node;
        let of = &self.shape.nodes[node];
        if !self.whole {
            return;
        }
        for column in absent_columns(&of.members) {
            let about = &of.table.columns[column];
            let is_given = wanted.field(column).is_some()
                || columns.set.iter().any(|(set, _)| *set == column)
                || self.keys.identity(node).contains(&column)
                || self.is_computed(node, column)
                || self.is_reference(node, column);
            if about.default.is_some() && !about.not_null && !is_given {
                columns.put(column, Operand::NULL);
            }
        }
    }

    /// Whether a column links the row to its parent or to a row below it.
    fn is_reference(&self, node: NodeId, column: usize) -> bool {
        let up = self.keys.link(node).is_some_and(|link| link.child_columns.contains(&column));
        up || (node + 1..self.shape.nodes.len()).any(|child| {
            self.keys.parent_refers(child)
                && self.keys.link(child).is_some_and(|link| {
                    link.parent == node && link.parent_columns.contains(&column)
                })
        })
    }

    fn is_computed(&self, node: NodeId, column: usize) -> bool {
        self.shape.nodes[node].table.columns[column].generated == GeneratedValue::Computed
    }

    /// The value of a field; `None` for one that is never written.
    fn given(&self, node: NodeId, field: &GivenField<'_>) -> Result<Option<Value>> {
        if self.is_computed(node, field.member.column) {
            return Ok(None);
        }
        self.keys.field_value(node, field.member.column, &field.value, &field.pointer).map(Some)
    }

    /// Compares the values of a row at this position with those at other positions.
    fn agree(
        &mut self,
        name: Option<&RowName>,
        wanted: &RowTree<'_>,
        link: &[(usize, Operand)],
    ) -> Result<()> {
        let Some(name) = name else { return Ok(()) };
        let place = link.iter().map(|(column, operand)| (*column, operand.clone()));
        let mut values: Vec<_> =
            place.map(|(column, operand)| (column, operand, &wanted.pointer)).collect();
        for field in &wanted.fields {
            let is_open = field.value.is_null()
                && self.keys.identity(wanted.node).contains(&field.member.column);
            if is_open {
                continue;
            }
            // A stored value that does not fit its own column is compared as it is.
            let value = self.given(wanted.node, field).unwrap_or_else(|_| {
                let mut text = String::new();
                field.value.write(&mut text);
                Some(Value::Text(text))
            });
            if let Some(value) = value {
                values.push((field.member.column, Operand::Value(value), &field.pointer));
            }
        }
        values.extend(self.told_references(wanted)?);
        let seen = self.seen.entry(name.clone()).or_default();
        seen.values.reserve(values.len());
        for (column, value, pointer) in values {
            if seen.values.get(&column).is_some_and(|known| *known != value) {
                return Err(refusal::contradiction(self.shape, wanted.node, column, pointer));
            }
            seen.values.insert(column, value);
        }
        Ok(())
    }

    /// The values of a row's references, from the rows that the document contains there.
    fn told_references<'r>(
        &self,
        wanted: &'r RowTree<'_>,
    ) -> Result<Vec<(usize, Operand, &'r String)>> {
        let columns = &self.shape.nodes[wanted.node].table.columns;
        let mut written = Vec::new();
        for child in wanted.children.iter().filter(|child| child.given) {
            let Some(link) = self.keys.link(child.node) else { continue };
            if !self.keys.parent_refers(child.node) {
                continue;
            }
            for (&column, &below) in link.parent_columns.iter().zip(&link.child_columns) {
                let value = match child.rows.first() {
                    Some(row) => self.keys.value(row, &[], below)?,
                    None if columns[column].not_null => None,
                    None => Some(Value::Null),
                };
                written.extend(value.map(|value| (column, Operand::Value(value), &child.pointer)));
            }
        }
        Ok(written)
    }

    /// Adds an update, unless nothing changes or an earlier place has said the same.
    fn push_update(
        &mut self,
        stored: &RowTree<'_>,
        wanted: &RowTree<'_>,
        linked: &LinkValues,
        mut columns: Columns,
        refused: Option<Error>,
        name: Option<RowName>,
    ) {
        let earlier = name.as_ref().and_then(|name| self.seen.get(name)?.operation);
        if let Some(earlier) = earlier {
            let known = &self.changes[earlier].set;
            columns.set.retain(|(column, _)| !known.iter().any(|(set, _)| set == column));
        }
        if columns.set.is_empty() && refused.is_none() {
            return;
        }
        let identity = self.keys.identity(stored.node);
        let key = identity.iter().map(|&column| {
            (column, Operand::Value(self.keys.stored_value(stored, linked, column)))
        });
        let operation = RowOperation {
            node: stored.node,
            action: RowAction::Update,
            key: key.collect(),
            set: columns.set,
            pointer: wanted.pointer.clone(),
            refused,
        };
        let operation = self.push(operation);
        self.hold(operation, stored, linked);
        if let Some(name) = name {
            self.seen.entry(name).or_default().operation.get_or_insert(operation);
        }
    }

    fn push(&mut self, operation: RowOperation) -> usize {
        self.changes.push(operation);
        self.changes.len() - 1
    }

    /// Plans the rows that a row refers to, and adds the referring columns where they change.
    fn references(
        &mut self,
        stored: Option<&RowTree<'t>>,
        wanted: &RowTree<'t>,
        columns: &mut Columns,
    ) -> Result<()> {
        for child in wanted.children.iter().filter(|child| child.given) {
            if self.keys.parent_refers(child.node) {
                self.reference(stored, wanted, child, columns)?;
            }
        }
        Ok(())
    }

    fn reference(
        &mut self,
        stored: Option<&RowTree<'t>>,
        parent: &RowTree<'t>,
        child: &GivenRows<'t>,
        columns: &mut Columns,
    ) -> Result<()> {
        let Some(link) = self.keys.link(child.node) else { return Ok(()) };
        let before = stored.and_then(|stored| stored.below(child.node)?.rows.first());
        let Some(wanted) = child.rows.first() else {
            if before.is_some() {
                self.clear_reference(parent.node, child, columns)?;
            }
            return Ok(());
        };
        let complete = self.keys.complete(wanted, &[])?;
        let same = before.filter(|before| {
            complete.as_ref().is_some_and(|(key, values)| {
                key.iter()
                    .zip(values)
                    .all(|(&column, value)| self.keys.stored_value(before, &[], column) == *value)
            })
        });
        if let Some(before) = same {
            self.update(StoredRow::in_place(before), wanted, &[])?;
            return Ok(());
        }
        let known = self.known;
        let found = complete.and_then(|(key, values)| known.get(child.node, key, &values));
        let target = match found {
            Some(found) => self.update(StoredRow::elsewhere(found), wanted, &[])?,
            None => self.insert(wanted, &[])?,
        };
        for (&column, &below) in link.parent_columns.iter().zip(&link.child_columns) {
            let operand = self.operand(target, below)?;
            let field = parent.field(column);
            let agrees = match (&operand, field) {
                (Operand::Value(value), Some(field)) => {
                    self.given(parent.node, field)?.is_none_or(|given| given == *value)
                }
                _ => true,
            };
            if !agrees || !columns.put(column, operand) {
                let pointer = &child.pointer;
                return Err(refusal::contradiction(self.shape, parent.node, column, pointer));
            }
        }
        Ok(())
    }

    /// The reference becomes NULL.
    fn clear_reference(
        &mut self,
        parent: NodeId,
        child: &GivenRows<'_>,
        columns: &mut Columns,
    ) -> Result<()> {
        let Some(link) = self.keys.link(child.node) else { return Ok(()) };
        let table = &self.shape.nodes[parent].table;
        let nullable: Vec<usize> =
            link.parent_columns.iter().copied().filter(|&c| !table.columns[c].not_null).collect();
        if nullable.is_empty() {
            return Err(refusal::link_needed(self.shape, child.node, &child.pointer));
        }
        for column in nullable {
            columns.put(column, Operand::NULL);
        }
        Ok(())
    }

    /// The value of a column of a row that will be there.
    fn operand(&self, target: FinalRow<'_, '_>, column: usize) -> Result<Operand> {
        if let Some(value) = self.keys.value(target.wanted, &[], column)? {
            return Ok(Operand::Value(value));
        }
        if let Some(operation) = target.inserted {
            let set = self.changes[operation].set.iter().find(|(set, _)| *set == column);
            return Ok(match set {
                Some((_, operand)) => operand.clone(),
                None => Operand::Generated { operation, column },
            });
        }
        let stored = target.stored.map(|stored| self.keys.stored_value(stored, &[], column));
        Ok(Operand::Value(stored.unwrap_or(Value::Null)))
    }

    /// Plans the rows that belong to a row: its arrays, and single rows that refer to it.
    fn rows_below(&mut self, parent: FinalRow<'_, 't>, linked: &LinkValues) -> Result<()> {
        for child in parent.wanted.children.iter().filter(|child| child.given) {
            if !self.keys.parent_refers(child.node) {
                self.belonging(parent, child, linked)?;
            }
        }
        Ok(())
    }

    fn belonging(
        &mut self,
        parent: FinalRow<'_, 't>,
        child: &GivenRows<'t>,
        linked: &LinkValues,
    ) -> Result<()> {
        let Some(link) = self.keys.link(child.node) else { return Ok(()) };
        let mut operands = Vec::new();
        for (&above, &column) in link.parent_columns.iter().zip(&link.child_columns) {
            let known = linked.iter().find(|(linked, _)| *linked == above);
            let operand = match known {
                Some((_, value)) => Operand::Value(value.clone()),
                None => self.operand(parent, above)?,
            };
            operands.push((column, operand));
        }
        let below = values_of(&operands);
        let stored: &[RowTree<'t>] = parent
            .stored
            .and_then(|stored| stored.below(child.node))
            .map_or(&[], |rows| &rows.rows);
        let index = lookups::index_rows(self.keys, stored, &below);
        let only = if self.is_single(child.node) { stored.first() } else { None };
        let mut kept = HashSet::new();
        for row in &child.rows {
            let complete = self.keys.complete(row, &below)?;
            let at = match &complete {
                Some((columns, key)) => {
                    index.get(&RowName::of_node(row.node, columns, key)).copied()
                }
                None => only.map(|_| 0),
            };
            if let Some(at) = at {
                if !kept.insert(at) {
                    return Err(refusal::twice(self.shape, row));
                }
                self.update(StoredRow::in_place(&stored[at]), row, &operands)?;
                continue;
            }
            let known = self.known;
            let found = complete.and_then(|(key, values)| known.get(child.node, key, &values));
            match found {
                Some(found) => self.update(StoredRow::elsewhere(found), row, &operands)?,
                None => self.insert(row, &operands)?,
            };
        }
        for (at, row) in stored.iter().enumerate() {
            if !kept.contains(&at) && !self.is_wanted_elsewhere(row, &below) {
                self.remove(row, &below, &child.pointer)?;
            }
        }
        Ok(())
    }

    /// Whether a node has at most one row below its parent.
    fn is_single(&self, node: NodeId) -> bool {
        let Some(link) = self.keys.link(node) else { return false };
        let members = &self.shape.nodes[link.parent].members;
        let is_object = |member: &Member| matches!(member.kind, MemberKind::Object(child) | MemberKind::Unnest(child) if child == node);
        members.iter().any(is_object)
    }
}

/// The columns that an object and its groups leave out where they are NULL.
fn absent_columns(members: &[Member]) -> Vec<usize> {
    let of = |member: &Member| match &member.kind {
        MemberKind::Column(column) if member.is_absent_on_null() => vec![column.column],
        MemberKind::Group(inner) => absent_columns(inner),
        _ => Vec::new(),
    };
    members.iter().flat_map(of).collect()
}

/// The operands that are values.
fn values_of(operands: &[(usize, Operand)]) -> Vec<(usize, Value)> {
    let value = |(column, operand): &(usize, Operand)| match operand {
        Operand::Value(value) => Some((*column, value.clone())),
        _ => None,
    };
    operands.iter().filter_map(value).collect()
}
