//! The statement of each level of a read plan.
//!
//! All levels of a document are one `UNION ALL` statement where their columns' types allow it: one
//! statement sees one snapshot and needs no transaction.

use std::collections::BTreeSet;

use crate::parts::affixes::Affixes;
use duet_model::shape::Elements;
use duet_model::{
    ColumnRef, Expr, Groups, Level, LevelColumn, NodeId, Page, ReadPlan, Root, Shape, Type, Value,
};

use super::groups;
use super::order::{self, PageOrder};
use crate::dialect::{Dialect, Estimate, KeyStyle};
use crate::expressions::expr::Printer;
use crate::expressions::form::in_form;
use crate::expressions::joins::{join, row_filter, table};
use crate::expressions::{condition, index_range};
use crate::writer::{Statement, Texts, Writer};

/// Limits of pages that are written into a statement where nothing is bound but the row that a page follows:
/// PostgreSQL plans that once, and knows how few rows are wanted; with a parameter for the limit it plans each time.
/// Few, as each is a statement of its own. Not with a filter: one plan for all its values would be wrong for the rare
/// ones. All rows that a page can follow have one good plan: the index of the order from there on, or all rows sorted.
const USUAL_LIMITS: [u64; 12] = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000];
/// More rows than any table has. Engines that spread tables over machines add a limit to an offset, and the sum must fit.
const MOST_ROWS: i64 = i64::MAX / 2;

/// The statement that reads one level of a plan.
///
/// Level 0 of a page reads the page; every other statement reads by the root's keys, which are
/// given when it runs.
pub fn level_statement(dialect: &dyn Dialect, plan: &ReadPlan, level: usize) -> Statement {
    let mut writer = Writer::new(dialect);
    write_level(&mut writer, plan, level);
    writer.finish()
}

/// The statement that reads the roots of a page, its text shared with those that were the same.
pub fn page_statement(dialect: &dyn Dialect, plan: &ReadPlan, texts: &mut Texts) -> Statement {
    let mut writer = Writer::over(dialect, texts);
    write_level(&mut writer, plan, 0);
    writer.finish_over(texts)
}

pub(crate) fn write_level(writer: &mut Writer<'_>, plan: &ReadPlan, level: usize) {
    let read = LevelRead { plan, shape: &plan.shape, level: &plan.levels[level], one: false };
    match &plan.root {
        Root::Page(page) if level == 0 => read.page(writer, page),
        Root::Page(_) | Root::Keys => level_by_keys(writer, plan, level, false),
    }
}

/// Reads one level by the root's keys; or by one key, each part of which is a value, where `one`.
pub(crate) fn level_by_keys(writer: &mut Writer<'_>, plan: &ReadPlan, level: usize, one: bool) {
    let read = LevelRead { plan, shape: &plan.shape, level: &plan.levels[level], one };
    if level > 0 && read.elements().is_window() {
        return read.window_by_keys(writer);
    }
    writer.text("SELECT ");
    read.columns(writer);
    read.by_keys(writer);
    if level > 0 {
        read.element_order(writer);
    }
}

/// The columns of a level as an update of its node's table returns them; `false` where the level has
/// columns of other nodes.
pub(crate) fn returned_by_update(writer: &mut Writer<'_>, plan: &ReadPlan, level: usize) -> bool {
    let read = LevelRead { plan, shape: &plan.shape, level: &plan.levels[level], one: false };
    let own = |column: &LevelColumn| match column {
        LevelColumn::Column(field) => read.reachable(*field).node == read.level.node,
        LevelColumn::Generated { node, .. } => *node == read.level.node,
        LevelColumn::AsOf => true,
        LevelColumn::Ordinal | LevelColumn::RowNumber => false,
    };
    read.columns(writer);
    read.level.columns.iter().all(own)
}

/// One statement that reads all levels by keys: the levels one below the other, each row with its
/// level's number in front and NULL in the columns of the others. One statement sees one snapshot
/// without a transaction around it.
///
/// `None` for a plan of one level, for a dialect that reads one document at a time, and where a
/// column's type has no NULL that every engine takes.
pub fn combined_statement(dialect: &dyn Dialect, plan: &ReadPlan) -> Option<Statement> {
    combined(dialect, plan, false)
}

/// One statement that reads all levels by one key, each part of which is a value: where it tells which machine has the rows,
/// an engine passes the statement on as it is, and keeps its plan. Its rows are those of the statement for several keys.
///
/// `None` for other documents, for a dialect that has no other statement, and where [`combined_statement`] gives none for
/// several levels.
pub fn one_key_statement(dialect: &dyn Dialect, plan: &ReadPlan) -> Option<Statement> {
    let is_keyed = plan.root == Root::Keys && dialect.key_style() == KeyStyle::Arrays;
    if !is_keyed || !plan.shape.is_placed_by_key() {
        return None;
    }
    if plan.levels.len() > 1 {
        return combined(dialect, plan, true);
    }
    let mut writer = Writer::new(dialect);
    level_by_keys(&mut writer, plan, 0, true);
    Some(writer.finish())
}

fn combined(dialect: &dyn Dialect, plan: &ReadPlan, one: bool) -> Option<Statement> {
    let one_by_one = dialect.key_style() == KeyStyle::Single;
    let has_window = plan.shape.nodes.iter().any(|node| node.elements.is_window());
    if plan.root != Root::Keys || plan.levels.len() < 2 || one_by_one || has_window {
        return None;
    }
    let nulls: Option<Vec<Vec<String>>> =
        plan.levels.iter().map(|level| nulls_of(dialect, plan, level)).collect();
    let nulls = nulls?;
    let mut writer = Writer::new(dialect);
    writer.list(plan.levels.iter().enumerate(), " UNION ALL ", |writer, (number, level)| {
        let read = LevelRead { plan, shape: &plan.shape, level, one };
        writer.text("(SELECT ");
        writer.number(number);
        for (other, nulls) in nulls.iter().enumerate() {
            writer.text(", ");
            if other == number {
                read.columns(writer);
            } else {
                writer.list(nulls, ", ", |writer, null| writer.null(null));
            }
        }
        read.by_keys(writer);
        if number > 0 {
            read.element_order(writer);
        }
        writer.text(")");
    });
    Some(writer.finish())
}

/// For each column of a level the type that a NULL in its place is cast to.
fn nulls_of(dialect: &dyn Dialect, plan: &ReadPlan, level: &Level) -> Option<Vec<String>> {
    let null = |column: &LevelColumn| match column {
        LevelColumn::Column(field) => {
            let column = &plan.shape.nodes[field.node].table.columns[field.column];
            dialect.null_type(&column.ty, &column.declared)
        }
        LevelColumn::Ordinal => Some("int8".to_owned()),
        LevelColumn::AsOf => Some("xid8".to_owned()),
        LevelColumn::Generated { .. } | LevelColumn::RowNumber => None,
    };
    level.columns.iter().map(null).collect()
}

/// The statement that counts the rows that a page's filter selects, up to `most`.
pub fn count_statement(
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    page: &Page,
    most: Option<u64>,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.with_arguments(&page.arguments);
    writer.text("SELECT count(*) FROM ");
    match most {
        None => selected(&mut writer, plan, page),
        Some(most) => {
            let joins = !nodes_of(plan, page).is_empty();
            let whole = writer.dialect.whole_rows().filter(|_| joins);
            let [before, after] = whole.unwrap_or(["SELECT 1 FROM ", ""]);
            writer.text("(");
            writer.text(before);
            selected(&mut writer, plan, page);
            writer.text(after);
            // A literal: planners that plan once for all parameters assume that a tenth of the rows is read. It is
            // a setting, so the text stays the same.
            writer.text(" LIMIT ");
            writer.number(usize::try_from(most).unwrap_or(usize::MAX).min(i64::MAX as usize));
            writer.text(") AS n");
        }
    }
    writer.finish()
}

/// The statement that estimates how many documents a page's filter selects: its first cell is the number, or a
/// plan in JSON that has it.
pub fn estimate_statement(dialect: &dyn Dialect, plan: &ReadPlan, page: &Page) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.with_arguments(&page.arguments);
    match dialect.estimate() {
        Estimate::Plan(explain) => {
            writer.text(explain);
            writer.text("SELECT 1 FROM ");
            selected(&mut writer, plan, page);
        }
        Estimate::Sample([before, between, after]) => {
            writer.text(before);
            roots(&mut writer, &plan.shape);
            writer.text(between);
            selected(&mut writer, plan, page);
            writer.text(after);
        }
    }
    writer.finish()
}

/// The table of the root; or groups of rows, where it is of groups.
fn roots(writer: &mut Writer<'_>, shape: &Shape) {
    let Some(groups) = Groups::of(&shape.root().table) else { return table(writer, shape, 0) };
    writer.text("(");
    groups::write(writer, groups);
    writer.text(") AS ");
    writer.alias(0);
}

/// The tables that a page's filter needs, and the filter.
fn selected(writer: &mut Writer<'_>, plan: &ReadPlan, page: &Page) {
    let nodes = nodes_of(plan, page);
    roots(writer, &plan.shape);
    condition::join_nodes(writer, &plan.shape, &page.filter, &nodes);
    filtered(writer, plan, page);
}

/// ` WHERE ` and the filter of a page.
pub(crate) fn filtered(writer: &mut Writer<'_>, plan: &ReadPlan, page: &Page) {
    writer.text(" WHERE ");
    condition::write(writer, &plan.shape, &page.filter);
    row_filter(writer, &plan.shape, 0, " AND ");
}

/// The rows of a page with columns of another statement's choice, and not one more than the page has.
pub(crate) fn rows_of_page(
    writer: &mut Writer<'_>,
    plan: &ReadPlan,
    page: &Page,
    columns: &dyn Fn(&mut Writer<'_>),
) {
    let read = LevelRead { plan, shape: &plan.shape, level: &plan.levels[0], one: false };
    let nodes = read.nodes_of_page(page);
    writer.with_arguments(&page.arguments);
    writer.text("SELECT ");
    columns(writer);
    writer.text(" FROM ");
    roots(writer, &plan.shape);
    condition::join_nodes(writer, &plan.shape, &page.filter, &nodes);
    filtered(writer, plan, page);
    PageOrder::of(&plan.shape, page).write(writer);
    writer.text(" LIMIT ");
    read.bind_number(writer, page.limit);
    writer.text(" OFFSET ");
    read.bind_number(writer, page.offset);
}

/// Whether the filter of a page is about rows of further nodes.
pub(crate) fn needs_joins(plan: &ReadPlan, page: &Page) -> bool {
    !nodes_of(plan, page).is_empty()
}

/// The nodes that a page's filter joins to the root.
fn nodes_of(plan: &ReadPlan, page: &Page) -> BTreeSet<NodeId> {
    let mut nodes = BTreeSet::new();
    condition::joined_nodes(&plan.shape, &page.filter, &mut nodes);
    nodes
}

/// What an insert returns: the columns of a plan's only level, with nothing to match by.
pub(crate) fn returned(writer: &mut Writer<'_>, plan: &ReadPlan) {
    let read = LevelRead { plan, shape: &plan.shape, level: &plan.levels[0], one: false };
    writer.with_one_table();
    writer.list(&read.level.columns, ", ", |writer, column| match column {
        LevelColumn::Ordinal => writer.text("1"),
        column => read.column(writer, column),
    });
}

struct LevelRead<'a> {
    plan: &'a ReadPlan,
    shape: &'a Shape,
    level: &'a Level,
    /// Whether it reads by one key, also where the dialect takes arrays of them.
    one: bool,
}

impl LevelRead<'_> {
    fn page(&self, writer: &mut Writer<'_>, page: &Page) {
        let nodes = self.nodes_of_page(page);
        writer.with_arguments(&page.arguments);
        let order = PageOrder::of(self.shape, page);
        let halves = order.halves(writer.dialect).filter(|_| page.after.is_none());
        if let Some(halves) = halves.filter(|_| page.limit != u64::MAX) {
            return self.in_halves(writer, page, &nodes, &order, &halves);
        }
        self.selected(writer, page, &nodes);
        let planned_once = !writer.has_parameters();
        if let Some(after) = &page.after {
            writer.text(" AND ");
            order.after(writer, after);
        }
        self.nearest(writer, page, &order);
        order.write(writer);
        self.window(writer, page, planned_once);
    }

    /// The nodes that are joined to the root of a page: those of its columns, filter and order.
    fn nodes_of_page(&self, page: &Page) -> BTreeSet<NodeId> {
        let mut nodes: BTreeSet<NodeId> = self.level.joined.iter().copied().collect();
        condition::joined_nodes(self.shape, &page.filter, &mut nodes);
        let ordered = page.order.iter().filter_map(|term| term.value.first_field());
        nodes.extend(ordered.flat_map(|field| self.ancestors(field.column_at(0).node)));
        nodes
    }

    /// That the rows are among the nearest, which an index has in their order: PostgreSQL reads an order by distance
    /// from it where that is the whole order alone. All rows as far away as the last one are among them, so that the
    /// key decides between these.
    fn nearest(&self, writer: &mut Writer<'_>, page: &Page, order: &PageOrder<'_>) {
        let is_whole = page.limit != u64::MAX && page.after.is_none();
        let of_root = nodes_of(self.plan, page).is_empty();
        let [key] = self.shape.key[..] else { return };
        if !is_whole || !of_root || !order.is_nearest_first(writer.dialect) {
            return;
        }
        let key = &self.shape.root().table.columns[key].name;
        writer.text(" AND ");
        writer.column(0, key);
        writer.text(" IN (SELECT ");
        writer.column(0, key);
        writer.text(" FROM ");
        roots(writer, self.shape);
        writer.text(" WHERE ");
        condition::write(writer, self.shape, &page.filter);
        row_filter(writer, self.shape, 0, " AND ");
        writer.text(" ORDER BY ");
        order.first_key(writer);
        writer.text(" FETCH FIRST (");
        let rows = page.limit.saturating_add(page.offset).saturating_add(1);
        match writer.is_of_rows() {
            true => writer.number(usize::try_from(rows).unwrap_or(usize::MAX)),
            false => {
                let rows = i64::try_from(rows).unwrap_or(i64::MAX);
                writer.bind(Value::Int(rows), &Type::Integer { bits: 64 }, "int8");
            }
        }
        writer.text(") ROWS WITH TIES)");
    }

    fn selected(&self, writer: &mut Writer<'_>, page: &Page, nodes: &BTreeSet<NodeId>) {
        writer.text("SELECT ");
        self.columns(writer);
        writer.text(" FROM ");
        roots(writer, self.shape);
        condition::join_nodes(writer, self.shape, &page.filter, nodes);
        writer.text(" WHERE ");
        condition::write(writer, self.shape, &page.filter);
        row_filter(writer, self.shape, 0, " AND ");
    }

    /// The rows with a value in the first term of the order, from its index; then those without. The second
    /// half is not begun where the first fills the page.
    fn in_halves(
        &self,
        writer: &mut Writer<'_>,
        page: &Page,
        nodes: &BTreeSet<NodeId>,
        order: &PageOrder<'_>,
        halves: &[PageOrder<'_>; 2],
    ) {
        let beginning =
            Page { limit: page.limit.saturating_add(page.offset), offset: 0, ..page.clone() };
        let tests = [" IS NOT NULL", " IS NULL"];
        writer.list(halves.iter().zip(tests), " UNION ALL ", |writer, (half, test)| {
            writer.text("SELECT * FROM (");
            self.selected(writer, page, nodes);
            writer.text(" AND ");
            order.first_key(writer);
            writer.text(test);
            half.write(writer);
            let planned_once = !writer.has_parameters();
            self.window(writer, &beginning, planned_once);
            writer.text(")");
        });
        let planned_once = !writer.has_parameters();
        self.window(writer, page, planned_once);
    }

    /// The node and the to-one nodes above it, without the root.
    fn ancestors(&self, node: NodeId) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        let mut at = node;
        while let Some(link) = &self.shape.nodes[at].link {
            nodes.push(at);
            at = link.parent;
        }
        nodes
    }

    /// The limit and the offset; a usual limit is written where one plan serves.
    fn window(&self, writer: &mut Writer<'_>, page: &Page, planned_once: bool) {
        if page.limit == u64::MAX && page.offset == 0 {
            return;
        }
        writer.text(" LIMIT ");
        if writer.is_of_rows() {
            let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
            return writer.number(limit.saturating_add(1));
        }
        let limit = page.limit.saturating_add(1);
        if page.offset == 0 && planned_once && USUAL_LIMITS.contains(&page.limit) {
            return writer.number(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        self.bind_number(writer, limit);
        if page.offset > 0 {
            writer.text(" OFFSET ");
            self.bind_number(writer, page.offset);
        }
    }

    /// The columns of the level, as they are selected.
    fn columns(&self, writer: &mut Writer<'_>) {
        writer.list(&self.level.columns, ", ", |writer, column| self.column(writer, column));
    }

    fn column(&self, writer: &mut Writer<'_>, column: &LevelColumn) {
        match column {
            LevelColumn::Column(field) => self.select_column(writer, *field),
            LevelColumn::Generated { node, expr, ty } => {
                Printer::of(self.shape, *node).select(writer, expr, ty);
            }
            LevelColumn::Ordinal => match writer.dialect.key_style() {
                KeyStyle::Arrays if !self.one => writer.text("k.ord"),
                KeyStyle::Arrays | KeyStyle::Single => writer.text("1"),
            },
            LevelColumn::RowNumber => order::row_number(writer, self.shape),
            LevelColumn::AsOf => {
                let as_of = writer.dialect.as_of();
                writer.text(as_of);
            }
        }
    }

    fn select_column(&self, writer: &mut Writer<'_>, field: ColumnRef) {
        let field = self.reachable(field);
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        writer.shown(&column.ty, |writer| writer.column(field.node, &column.name));
    }

    /// A column of the root where the root is not joined is the linking column of this node.
    fn reachable(&self, field: ColumnRef) -> ColumnRef {
        let node = self.level.node;
        let shortcut = node != 0 && field.node == 0 && self.level.path.is_empty();
        let Some(link) = self.shape.nodes[node].link.as_ref().filter(|_| shortcut) else {
            return field;
        };
        let position = link.parent_columns.iter().position(|&column| column == field.column);
        position.map_or(field, |position| ColumnRef { node, column: link.child_columns[position] })
    }

    /// What follows the columns in a statement that reads by keys.
    fn by_keys(&self, writer: &mut Writer<'_>) {
        let arrays = writer.dialect.key_style() == KeyStyle::Arrays && !self.one;
        let with_table = arrays && self.plan.by_ordinal;
        let outermost = self.level.path.first().copied().unwrap_or(self.level.node);
        writer.text(" FROM ");
        if with_table {
            self.keys_table(writer);
            writer.text(" JOIN ");
            table(writer, self.shape, outermost);
            writer.text(" ON ");
            self.key_condition(writer, with_table, arrays);
        } else {
            table(writer, self.shape, outermost);
        }
        self.joins(writer);
        writer.text(" WHERE ");
        if with_table {
            let truth = writer.dialect.truth(true);
            writer.text(truth);
        } else {
            self.key_condition(writer, with_table, arrays);
        }
        row_filter(writer, self.shape, outermost, " AND ");
    }

    /// The rules of the rows of this level below one row of the parent.
    fn elements(&self) -> &Elements {
        &self.shape.nodes[self.level.node].elements
    }

    /// Reads by keys the rows at some positions among those of each parent: `SELECT c0, c1 FROM (SELECT …,
    /// row_number() OVER (PARTITION BY parent ORDER BY …) AS position FROM …) WHERE position > …`.
    fn window_by_keys(&self, writer: &mut Writer<'_>) {
        let name = |writer: &mut Writer<'_>, at: usize| {
            writer.text("c");
            writer.number(at);
        };
        let columns = &self.level.columns;
        writer.text("SELECT ");
        writer.list(0..columns.len(), ", ", name);
        writer.text(" FROM (SELECT ");
        writer.list(columns.iter().enumerate(), ", ", |writer, (at, column)| {
            self.column(writer, column);
            writer.text(" AS ");
            name(writer, at);
        });
        writer.text(", row_number() OVER (PARTITION BY ");
        let parent = self.level.root_key.iter().chain(&self.level.link);
        writer.list(parent, ", ", |writer, &at| self.column(writer, &columns[at]));
        self.element_order(writer);
        writer.text(") AS position");
        self.by_keys(writer);
        writer.text(") AS elements WHERE position > ");
        let elements = self.elements();
        self.bind_number(writer, elements.offset);
        if let Some(limit) = elements.limit {
            writer.text(" AND position <= ");
            self.bind_number(writer, elements.offset.saturating_add(limit));
        }
        writer.text(" ORDER BY position");
    }

    fn bind_number(&self, writer: &mut Writer<'_>, number: u64) {
        let number = i64::try_from(number).unwrap_or(i64::MAX).min(MOST_ROWS);
        writer.bind(Value::Int(number), &Type::Integer { bits: 64 }, "int8");
    }

    /// The nodes from the path down to this level's node, then those joined into it.
    fn joins(&self, writer: &mut Writer<'_>) {
        let below = self.level.path.iter().skip(1).copied();
        let own = (!self.level.path.is_empty()).then_some(self.level.node);
        for node in below.chain(own) {
            join(writer, self.shape, node, " JOIN ");
        }
        for &node in &self.level.joined {
            let is_required = self.shape.nodes[node].elements.required;
            join(writer, self.shape, node, if is_required { " JOIN " } else { " LEFT JOIN " });
        }
    }

    fn keys_table(&self, writer: &mut Writer<'_>) {
        let [before, after] = writer.dialect.keys_table();
        let parts = 0..self.shape.key.len();
        writer.text(before);
        writer.list(parts.clone(), ", ", |writer, part| self.bind_key(writer, part));
        writer.text(after);
        writer.text("(");
        writer.list(parts, ", ", |writer, part| {
            writer.text("k");
            writer.number(part);
        });
        writer.text(", ord)");
    }

    fn key_condition(&self, writer: &mut Writer<'_>, with_table: bool, arrays: bool) {
        writer.list(0..self.shape.key.len(), " AND ", |writer, part| {
            let field = self.reachable(ColumnRef { node: 0, column: self.shape.key[part] });
            if !arrays {
                return self.single_key(writer, field, part);
            }
            in_form(writer, self.shape, field, Affixes::NONE);
            let column = &self.shape.root().table.columns[self.shape.key[part]];
            if with_table {
                writer.text(" = ");
                writer.key_of_table(part, &column.ty, &column.declared);
            } else {
                writer.is_any_key(part, &column.ty, &column.declared);
            }
        });
    }

    /// `column = key`, for all forms in which the key may be stored.
    fn single_key(&self, writer: &mut Writer<'_>, field: ColumnRef, part: usize) {
        let ty = self.shape.column_type(field);
        let narrowed = index_range::in_window(writer, self.shape, field, &mut |writer, form| {
            writer.text(form.before);
            self.bind_key(writer, part);
            writer.text(form.after);
        });
        if narrowed {
            return;
        }
        let forms = writer.dialect.key_forms(ty);
        let form = if forms.is_empty() { writer.dialect.comparable(ty) } else { Affixes::NONE };
        in_form(writer, self.shape, field, form);
        writer.text(if forms.is_empty() { " = " } else { " IN (" });
        let forms = if forms.is_empty() { &[form][..] } else { forms };
        writer.list(forms, ", ", |writer, Affixes { before, after }| {
            writer.text(before);
            self.bind_key(writer, part);
            writer.text(after);
        });
        if !writer.dialect.key_forms(ty).is_empty() {
            writer.text(")");
        }
    }

    fn bind_key(&self, writer: &mut Writer<'_>, part: usize) {
        let column = &self.shape.root().table.columns[self.shape.key[part]];
        if self.one {
            writer.bind_one_key(part, &column.ty, &column.declared);
        } else {
            writer.bind_key(part, &column.ty, &column.declared);
        }
    }

    /// Orders the elements of an array by their identifying columns.
    fn element_order(&self, writer: &mut Writer<'_>) {
        let node = self.level.node;
        let table = &self.shape.nodes[node].table;
        let identity = table.identity();
        let (order, filter) = (&self.elements().order, Expr::all());
        if identity.is_empty() && order.is_empty() {
            return;
        }
        writer.text(" ORDER BY ");
        PageOrder::of_elements(self.shape, order, &filter).write_terms(writer);
        if !order.is_empty() && !identity.is_empty() {
            writer.text(", ");
        }
        writer.list(identity, ", ", |writer, &column| {
            writer.column(node, &table.columns[column].name);
        });
    }
}

#[cfg(test)]
mod tests {
    use duet_model::{Column, Compare, Direction, OrderBy, Relation};

    use super::*;
    use crate::Postgres;

    /// The first page of all rows, with a change.
    fn statement(change: impl FnOnce(&mut Page)) -> Statement {
        let mut table = Relation::table("public", "team", vec![Column::new("id", Type::Text)]);
        table.primary_key = vec![0];
        let (filter, order) = (Expr::all(), Vec::new());
        let arguments = std::sync::Arc::default();
        let (after, by_row_number) = (None, false);
        let mut page =
            Page { filter, order, by_row_number, after, offset: 0, limit: 25, arguments };
        change(&mut page);
        let plan = ReadPlan::page(Shape::of_relation(&table.into()).into(), page);
        level_statement(&Postgres { icu: false }, &plan, 0)
    }

    #[test]
    fn first_pages_of_usual_sizes_have_no_parameters() {
        let first = statement(|_| {});
        assert!(first.sql.ends_with("LIMIT 26"), "{}", first.sql);
        assert_eq!(first.parameters.len(), 0);
        let bound = |change: fn(&mut Page)| statement(change).parameters.len();
        assert_eq!([bound(|page| page.limit = 33), bound(|page| page.offset = 25)], [1, 2]);
        let column = ColumnRef { node: 0, column: 0 };
        let filtered = statement(|page| {
            let operand = Expr::operand(Value::Text("x".into()), &Type::Text);
            page.filter = Expr::compare(Compare::Eq, column, operand);
        });
        assert_eq!(filtered.parameters.len(), 2);
    }

    #[test]
    fn pages_that_follow_a_row_are_planned_once_unless_a_filter_has_values() {
        let column = ColumnRef { node: 0, column: 0 };
        let follows = |page: &mut Page| {
            let (ty, direction) = (Type::Text, Direction::Ascending);
            page.order = vec![OrderBy { value: column.into(), ty, direction, nulls_first: false }];
            page.after = Some(vec![Value::Text("x".into())]);
        };
        let following = statement(follows);
        assert!(following.sql.ends_with("LIMIT 26"), "{}", following.sql);
        assert_eq!(following.parameters.len(), 1);
        let filtered = statement(|page| {
            follows(page);
            let operand = Expr::operand(Value::Text("x".into()), &Type::Text);
            page.filter = Expr::compare(Compare::Eq, column, operand);
        });
        assert_eq!(filtered.parameters.len(), 3, "{}", filtered.sql);
    }
}
