//! The statement of each level of a read plan.

use std::collections::BTreeSet;

use duet_model::{
    Direction, FieldRef, Level, LevelColumn, NodeId, OrderBy, Page, ReadPlan, Root, Shape, Type,
    Value,
};

use crate::dialect::{Dialect, KeyStyle};
use crate::writer::Statement;
use crate::{Writer, filter, row_expr};

/// The statement that reads one level of a plan.
///
/// Level 0 of a page reads the page; every other statement reads by the root's keys, which are
/// given when it runs.
pub fn level_statement(dialect: &dyn Dialect, plan: &ReadPlan, level: usize) -> Statement {
    let mut writer = Writer::new(dialect);
    let read = Read { plan, shape: &plan.shape, level: &plan.levels[level], one: false };
    match &plan.root {
        Root::Page(page) if level == 0 => read.page(&mut writer, page),
        Root::Page(_) | Root::Keys => level_by_keys(&mut writer, plan, level, false),
    }
    writer.finish()
}

/// Reads one level by the root's keys; or by one key, each part of which is a value, where `one`.
pub(crate) fn level_by_keys(writer: &mut Writer<'_>, plan: &ReadPlan, level: usize, one: bool) {
    let read = Read { plan, shape: &plan.shape, level: &plan.levels[level], one };
    writer.text("SELECT ");
    read.columns(writer);
    read.by_keys(writer, level == 0);
}

/// The columns of a level as an update of its node's table returns them; `false` where the level has
/// columns of other nodes.
pub(crate) fn returned_by_update(writer: &mut Writer<'_>, plan: &ReadPlan, level: usize) -> bool {
    let read = Read { plan, shape: &plan.shape, level: &plan.levels[level], one: false };
    let own = |column: &LevelColumn| match column {
        LevelColumn::Column(field) => read.reachable(*field).node == read.level.node,
        LevelColumn::Generated { node, .. } => *node == read.level.node,
        LevelColumn::AsOf => true,
        LevelColumn::Ordinal => false,
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
    let one_by_one = dialect.key_style() == KeyStyle::Single;
    if plan.root != Root::Keys || plan.levels.len() < 2 || one_by_one {
        return None;
    }
    let nulls: Option<Vec<Vec<String>>> =
        plan.levels.iter().map(|level| nulls_of(dialect, plan, level)).collect();
    let nulls = nulls?;
    let mut writer = Writer::new(dialect);
    writer.list(plan.levels.iter().enumerate(), " UNION ALL ", |writer, (number, level)| {
        let read = Read { plan, shape: &plan.shape, level, one: false };
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
        read.by_keys(writer, number == 0);
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
        LevelColumn::Generated { .. } => None,
    };
    level.columns.iter().map(null).collect()
}

/// The statement that counts what a page's filter selects.
pub fn count_statement(dialect: &dyn Dialect, plan: &ReadPlan, page: &Page) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT count(*) FROM ");
    let mut nodes = BTreeSet::new();
    filter::joined_nodes(&plan.shape, &page.filter, &mut nodes);
    table(&mut writer, &plan.shape, 0);
    for node in nodes {
        join(&mut writer, &plan.shape, node, " LEFT JOIN ");
    }
    writer.text(" WHERE ");
    filter::write(&mut writer, &plan.shape, &page.filter);
    row_filter(&mut writer, &plan.shape, 0, " AND ");
    writer.finish()
}

/// `schema.table AS tN`.
pub(crate) fn table(writer: &mut Writer<'_>, shape: &Shape, node: NodeId) {
    writer.relation(&shape.nodes[node].table);
    writer.text(" AS ");
    writer.alias(node);
}

/// Joins a node to its parent, its row filter in the condition.
pub(crate) fn join(writer: &mut Writer<'_>, shape: &Shape, node: NodeId, kind: &'static str) {
    writer.text(kind);
    table(writer, shape, node);
    writer.text(" ON ");
    link_condition(writer, shape, node);
    row_filter(writer, shape, node, " AND ");
}

/// `child.column = parent.column AND …`.
pub(crate) fn link_condition(writer: &mut Writer<'_>, shape: &Shape, node: NodeId) {
    let Some(link) = &shape.nodes[node].link else { return };
    let pairs = link.child_columns.iter().zip(&link.parent_columns);
    writer.list(pairs, " AND ", |writer, (&child, &parent)| {
        writer.column(node, &shape.nodes[node].table.columns[child].name);
        writer.text(" = ");
        writer.column(link.parent, &shape.nodes[link.parent].table.columns[parent].name);
    });
}

/// The node's static row filter, if it has one, behind `before`.
pub(crate) fn row_filter(
    writer: &mut Writer<'_>,
    shape: &Shape,
    node: NodeId,
    before: &'static str,
) {
    if let Some(expr) = &shape.nodes[node].filter {
        writer.text(before);
        row_expr::write(writer, shape, node, expr);
    }
}

/// What an insert returns: the columns of a plan's only level, with nothing to match by.
pub(crate) fn returned(writer: &mut Writer<'_>, plan: &ReadPlan) {
    let read = Read { plan, shape: &plan.shape, level: &plan.levels[0], one: false };
    writer.with_one_table();
    writer.list(&read.level.columns, ", ", |writer, column| match column {
        LevelColumn::Ordinal => writer.text("1"),
        column => read.column(writer, column),
    });
}

struct Read<'a> {
    plan: &'a ReadPlan,
    shape: &'a Shape,
    level: &'a Level,
    /// Whether it reads by one key, also where the dialect takes arrays of them.
    one: bool,
}

impl Read<'_> {
    fn page(&self, writer: &mut Writer<'_>, page: &Page) {
        let mut nodes: BTreeSet<NodeId> = self.level.joined.iter().copied().collect();
        filter::joined_nodes(self.shape, &page.filter, &mut nodes);
        nodes.extend(page.order.iter().flat_map(|term| self.ancestors(term.field.node)));
        writer.text("SELECT ");
        self.columns(writer);
        writer.text(" FROM ");
        table(writer, self.shape, 0);
        for node in nodes {
            join(writer, self.shape, node, " LEFT JOIN ");
        }
        writer.text(" WHERE ");
        filter::write(writer, self.shape, &page.filter);
        row_filter(writer, self.shape, 0, " AND ");
        if let Some(after) = &page.after {
            writer.text(" AND ");
            self.after(writer, &page.order, after);
        }
        self.order(writer, &page.order);
        self.window(writer, page);
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

    fn order(&self, writer: &mut Writer<'_>, order: &[OrderBy]) {
        if order.is_empty() {
            return;
        }
        writer.text(" ORDER BY ");
        writer.list(order, ", ", |writer, term| {
            self.sortable(writer, term.field);
            if term.direction == Direction::Descending {
                writer.text(" DESC");
            }
            if self.nullable(term.field) {
                let nulls_last = writer.dialect.nulls_last();
                writer.text(nulls_last);
            }
        });
    }

    /// Whether the field can be NULL, so that its place in the order must be said; a NOT NULL
    /// column keeps the plain form, which every index can serve.
    fn nullable(&self, field: FieldRef) -> bool {
        let is_key = field.node == 0 && self.shape.key.contains(&field.column);
        field.node != 0 || !(is_key || self.shape.nodes[0].table.columns[field.column].not_null)
    }

    /// Only what comes after these values: a row comparison where all terms ascend and none can
    /// be NULL, which an index serves from the middle; otherwise the same written out.
    fn after(&self, writer: &mut Writer<'_>, order: &[OrderBy], after: &[Value]) {
        let same_direction = order.windows(2).all(|pair| pair[0].direction == pair[1].direction);
        let nullable = order.iter().any(|term| self.nullable(term.field));
        if same_direction && !nullable {
            return self.after_row(writer, order, after);
        }
        writer.text("(");
        writer.list(0..order.len(), " OR ", |writer, last| {
            writer.text("(");
            writer.list(0..=last, " AND ", |writer, index| {
                self.after_term(writer, &order[index], &after[index], index == last);
            });
            writer.text(")");
        });
        writer.text(")");
    }

    fn after_row(&self, writer: &mut Writer<'_>, order: &[OrderBy], after: &[Value]) {
        writer.text("(");
        writer.list(order, ", ", |writer, term| self.sortable(writer, term.field));
        let ascending = order.first().is_none_or(|term| term.direction == Direction::Ascending);
        writer.text(if ascending { ") > (" } else { ") < (" });
        let pairs = order.iter().zip(after);
        writer.list(pairs, ", ", |writer, (term, value)| self.marker(writer, term.field, value));
        writer.text(")");
    }

    /// One term of the written-out form: beyond the marker (`last`) or equal to it. NULLs are
    /// last, so nothing is beyond NULL and NULL is beyond everything.
    fn after_term(&self, writer: &mut Writer<'_>, term: &OrderBy, value: &Value, last: bool) {
        if value.is_null() {
            if last {
                let never = writer.dialect.truth(false);
                writer.text(never);
            } else {
                self.sortable(writer, term.field);
                writer.text(" IS NULL");
            }
            return;
        }
        let op = match (last, term.direction) {
            (false, _) => " = ",
            (true, Direction::Ascending) => " > ",
            (true, Direction::Descending) => " < ",
        };
        let or_null = last && self.nullable(term.field);
        writer.text("(");
        self.sortable(writer, term.field);
        writer.text(op);
        self.marker(writer, term.field, value);
        if or_null {
            writer.text(" OR ");
            self.sortable(writer, term.field);
            writer.text(" IS NULL");
        }
        writer.text(")");
    }

    fn marker(&self, writer: &mut Writer<'_>, field: FieldRef, value: &Value) {
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        let form = writer.dialect.sortable(&column.ty);
        writer.bind_in(form, value.clone(), &column.ty, &column.declared);
    }

    /// A column in the form in which it is ordered.
    fn sortable(&self, writer: &mut Writer<'_>, field: FieldRef) {
        let form = writer.dialect.sortable(self.shape.field_type(field));
        filter::in_form(writer, self.shape, field, form);
    }

    fn window(&self, writer: &mut Writer<'_>, page: &Page) {
        let integer = Type::Integer { bits: 64 };
        let bind = |writer: &mut Writer<'_>, number: u64| {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            writer.bind(Value::Int(number), &integer, "int8");
        };
        if page.limit == u64::MAX && page.offset == 0 {
            return;
        }
        writer.text(" LIMIT ");
        bind(writer, page.limit.saturating_add(1));
        if page.offset > 0 {
            writer.text(" OFFSET ");
            bind(writer, page.offset);
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
                row_expr::select(writer, self.shape, *node, expr, ty);
            }
            LevelColumn::Ordinal => match writer.dialect.key_style() {
                KeyStyle::Arrays => writer.text("k.ord"),
                KeyStyle::Single => writer.text("1"),
            },
            LevelColumn::AsOf => {
                let as_of = writer.dialect.as_of();
                writer.text(as_of);
            }
        }
    }

    fn select_column(&self, writer: &mut Writer<'_>, field: FieldRef) {
        let field = self.reachable(field);
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        writer.column(field.node, &column.name);
        let suffix = writer.dialect.select_suffix(&column.ty);
        writer.text(suffix);
    }

    /// A column of the root where the root is not joined is the linking column of this node.
    fn reachable(&self, field: FieldRef) -> FieldRef {
        let node = self.level.node;
        let shortcut = node != 0 && field.node == 0 && self.level.path.is_empty();
        let Some(link) = self.shape.nodes[node].link.as_ref().filter(|_| shortcut) else {
            return field;
        };
        let position = link.parent_columns.iter().position(|&column| column == field.column);
        position.map_or(field, |position| FieldRef { node, column: link.child_columns[position] })
    }

    /// What follows the columns in a statement that reads by keys.
    fn by_keys(&self, writer: &mut Writer<'_>, is_root: bool) {
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
        if !is_root {
            self.element_order(writer);
        }
    }

    /// The nodes from the path down to this level's node, then what is joined into it.
    fn joins(&self, writer: &mut Writer<'_>) {
        let below = self.level.path.iter().skip(1).copied();
        let own = (!self.level.path.is_empty()).then_some(self.level.node);
        for node in below.chain(own) {
            join(writer, self.shape, node, " JOIN ");
        }
        for &node in &self.level.joined {
            join(writer, self.shape, node, " LEFT JOIN ");
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
            let field = self.reachable(FieldRef { node: 0, column: self.shape.key[part] });
            if !arrays {
                return self.single_key(writer, field, part);
            }
            filter::in_form(writer, self.shape, field, ("", ""));
            writer.text(" = ");
            if with_table {
                writer.text("k.k");
                writer.number(part);
            } else {
                writer.text("ANY(");
                self.bind_key(writer, part);
                writer.text(")");
            }
        });
    }

    /// `column = key`, in whatever form the key is stored.
    fn single_key(&self, writer: &mut Writer<'_>, field: FieldRef, part: usize) {
        let ty = self.shape.field_type(field);
        let forms = writer.dialect.key_forms(ty);
        let form = if forms.is_empty() { writer.dialect.comparable(ty) } else { ("", "") };
        filter::in_form(writer, self.shape, field, form);
        writer.text(if forms.is_empty() { " = " } else { " IN (" });
        let forms = if forms.is_empty() { &[form][..] } else { forms };
        writer.list(forms, ", ", |writer, (before, after)| {
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

    /// Elements of an array come in the order of their identifying columns.
    fn element_order(&self, writer: &mut Writer<'_>) {
        let node = self.level.node;
        let table = &self.shape.nodes[node].table;
        let identity = table.identity();
        if identity.is_empty() {
            return;
        }
        writer.text(" ORDER BY ");
        writer.list(identity, ", ", |writer, &column| {
            writer.column(node, &table.columns[column].name);
        });
    }
}
