//! The statement of each level of a read plan.

use std::collections::BTreeSet;

use duet_model::{
    Direction, FieldRef, Level, LevelColumn, NodeId, OrderBy, Page, ReadPlan, Relation,
    RelationKind, Root, Shape, Type, Value,
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
        LevelColumn::Generated { .. } | LevelColumn::RowNumber => None,
    };
    level.columns.iter().map(null).collect()
}

/// Whether pages of a shape need the numbers of rows: its key may hold NULL, any number of times, and
/// the table numbers its rows.
pub fn pages_by_row_number(dialect: &dyn Dialect, shape: &Shape) -> bool {
    let table = &shape.root().table;
    table.kind == RelationKind::Table
        && shape.key.iter().any(|&column| !table.columns[column].not_null)
        && row_number(dialect, table).is_some()
}

/// The name under which a table numbers its rows.
fn row_number(dialect: &dyn Dialect, table: &Relation) -> Option<&'static str> {
    let is_column = |name: &str| table.columns.iter().any(|it| it.name.eq_ignore_ascii_case(name));
    dialect.row_numbers().iter().copied().find(|name| !is_column(name))
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

/// A term of a page's order.
struct Term {
    /// `None`: the row's number.
    field: Option<FieldRef>,
    direction: Direction,
    nulls: Nulls,
}

/// Where the NULLs of a term stand, whatever its direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// There are none.
    Never,
    First,
    Last,
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
        let terms = self.terms(page);
        if let Some(after) = &page.after {
            // Without a row's number, a key without NULL tells where the page begins.
            let given = terms.len().min(after.len());
            writer.text(" AND ");
            self.after(writer, &terms[..given], after);
        }
        self.order(writer, &terms);
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

    /// What a page is ordered by: its terms, and behind them the row's number where it counts, in the
    /// direction of the last term, so that an index of both serves it.
    fn terms(&self, page: &Page) -> Vec<Term> {
        let term = |term: &OrderBy| Term {
            field: Some(term.field),
            direction: term.direction,
            nulls: self.nulls(page, term.field),
        };
        let mut terms: Vec<_> = page.order.iter().map(term).collect();
        if page.by_row_number {
            let direction = terms.last().map_or(Direction::Ascending, |term| term.direction);
            terms.push(Term { field: None, direction, nulls: Nulls::Never });
        }
        terms
    }

    /// Where a field's NULLs stand. A NOT NULL column keeps the plain form, which every index can
    /// serve, and so does the key; a key that may hold NULL has them first, in front of every marker
    /// that holds none, so that an index serves what comes after it.
    fn nulls(&self, page: &Page, field: FieldRef) -> Nulls {
        let not_null = self.shape.nodes[field.node].table.columns[field.column].not_null;
        match field.node == 0 && self.shape.key.contains(&field.column) {
            true if page.by_row_number && !not_null => Nulls::First,
            true => Nulls::Never,
            false if field.node == 0 && not_null => Nulls::Never,
            false => Nulls::Last,
        }
    }

    fn order(&self, writer: &mut Writer<'_>, terms: &[Term]) {
        if terms.is_empty() {
            return;
        }
        writer.text(" ORDER BY ");
        writer.list(terms, ", ", |writer, term| {
            self.term(writer, term);
            if term.direction == Direction::Descending {
                writer.text(" DESC");
            }
            match term.nulls {
                Nulls::Never => {}
                Nulls::First => writer.text(" NULLS FIRST"),
                Nulls::Last => {
                    let nulls_last = writer.dialect.nulls_last();
                    writer.text(nulls_last);
                }
            }
        });
    }

    /// Only what comes after these values: a row comparison where all terms have one direction and no
    /// NULL comes after a value, which an index serves from the middle; otherwise the same written
    /// out.
    fn after(&self, writer: &mut Writer<'_>, terms: &[Term], after: &[Value]) {
        let same_direction = terms.windows(2).all(|pair| pair[0].direction == pair[1].direction);
        let no_null_behind = terms.iter().all(|term| term.nulls != Nulls::Last);
        let at_null = terms
            .iter()
            .zip(after)
            .any(|(term, value)| term.nulls == Nulls::First && value.is_null());
        if same_direction && no_null_behind && !at_null {
            return self.after_row(writer, terms, after);
        }
        writer.text("(");
        writer.list(0..terms.len(), " OR ", |writer, last| {
            writer.text("(");
            writer.list(0..=last, " AND ", |writer, index| {
                self.after_term(writer, &terms[index], &after[index], index == last);
            });
            writer.text(")");
        });
        writer.text(")");
    }

    fn after_row(&self, writer: &mut Writer<'_>, terms: &[Term], after: &[Value]) {
        writer.text("(");
        writer.list(terms, ", ", |writer, term| self.term(writer, term));
        let ascending = terms.first().is_none_or(|term| term.direction == Direction::Ascending);
        writer.text(if ascending { ") > (" } else { ") < (" });
        let pairs = terms.iter().zip(after);
        writer.list(pairs, ", ", |writer, (term, value)| self.marker(writer, term, value));
        writer.text(")");
    }

    /// One part of the written-out form: beyond the marker (`last`) or equal to it. Where NULLs are
    /// last, nothing is beyond NULL and NULL is beyond everything; where they are first, all else is
    /// beyond NULL and NULL is beyond nothing.
    fn after_term(&self, writer: &mut Writer<'_>, term: &Term, value: &Value, last: bool) {
        if value.is_null() {
            if last && term.nulls != Nulls::First {
                let never = writer.dialect.truth(false);
                writer.text(never);
            } else {
                self.term(writer, term);
                writer.text(if last { " IS NOT NULL" } else { " IS NULL" });
            }
            return;
        }
        let op = match (last, term.direction) {
            (false, _) => " = ",
            (true, Direction::Ascending) => " > ",
            (true, Direction::Descending) => " < ",
        };
        writer.text("(");
        self.term(writer, term);
        writer.text(op);
        self.marker(writer, term, value);
        if last && term.nulls == Nulls::Last {
            writer.text(" OR ");
            self.term(writer, term);
            writer.text(" IS NULL");
        }
        writer.text(")");
    }

    fn marker(&self, writer: &mut Writer<'_>, term: &Term, value: &Value) {
        let Some(field) = term.field else {
            return writer.bind(value.clone(), &Type::Integer { bits: 64 }, "int8");
        };
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        let form = writer.dialect.sortable(&column.ty);
        writer.bind_in(form, value.clone(), &column.ty, &column.declared);
    }

    /// A term in the form in which it is ordered.
    fn term(&self, writer: &mut Writer<'_>, term: &Term) {
        let Some(field) = term.field else { return self.row_number(writer) };
        let form = writer.dialect.sortable(self.shape.field_type(field));
        filter::in_form(writer, self.shape, field, form);
    }

    /// The number of the root's row in its table.
    fn row_number(&self, writer: &mut Writer<'_>) {
        // A page asks for it only where there is one.
        let name = row_number(writer.dialect, &self.shape.root().table);
        writer.column(0, name.unwrap_or_default());
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
            LevelColumn::RowNumber => self.row_number(writer),
            LevelColumn::AsOf => {
                let as_of = writer.dialect.as_of();
                writer.text(as_of);
            }
        }
    }

    fn select_column(&self, writer: &mut Writer<'_>, field: FieldRef) {
        let field = self.reachable(field);
        let column = &self.shape.nodes[field.node].table.columns[field.column];
        let form = writer.dialect.selected(&column.ty);
        filter::in_form(writer, self.shape, field, form);
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
        let narrowed = filter::in_window(writer, self.shape, field, &mut |writer, form| {
            writer.text(form.0);
            self.bind_key(writer, part);
            writer.text(form.1);
        });
        if narrowed {
            return;
        }
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
