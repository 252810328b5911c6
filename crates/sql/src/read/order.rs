//! The order of a page: its terms, and the condition that it begins after a row.
//!
//! NULL in a key of SQLite comes first, then the row's number. So what is behind a marker without
//! NULL is one range of the key's index, and any number of keys may be NULL.

use crate::parts::affixes::Affixes;
use duet_model::{
    ColumnRef, Direction, Expr, FieldRef, OrderBy, Page, Relation, RelationKind, Shape, Type, Value,
};

use super::order_index::{nearest_index, order_index};
use crate::dialect::Dialect;
use crate::expressions::expr::Printer;
use crate::expressions::form::{in_form, sortable};
use crate::writer::Writer;

/// A term of a page's order.
#[derive(Clone, Copy)]
struct Term<'a> {
    key: Key<'a>,
    direction: Direction,
    nulls: Nulls,
}

/// What a term orders by.
#[derive(Clone, Copy)]
enum Key<'a> {
    /// The row's number.
    RowNumber,
    Column(ColumnRef),
    /// What is at a path inside a JSON column.
    Inside(&'a FieldRef),
    Computed(&'a Expr, &'a Type),
}

/// The position of a term's NULLs, independent of its direction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// There are none.
    Never,
    First,
    Last,
}

/// The terms of a page's order: those of the plan, followed by the row number if needed, in the
/// direction of the last term, so that an index on both supports it.
pub(crate) struct PageOrder<'a> {
    shape: &'a Shape,
    filter: &'a Expr,
    terms: Vec<Term<'a>>,
}

/// Whether pages of a shape need the numbers of rows: its key may hold NULL, any number of times, and
/// the table numbers its rows.
pub fn pages_by_row_number(dialect: &dyn Dialect, shape: &Shape) -> bool {
    let table = &shape.root().table;
    table.kind == RelationKind::Table
        && shape.key.iter().any(|&column| !table.columns[column].not_null)
        && row_number_name(dialect, table).is_some()
}

/// The name under which a table numbers its rows.
fn row_number_name(dialect: &dyn Dialect, table: &Relation) -> Option<&'static str> {
    let is_column = |name: &str| table.columns.iter().any(|it| it.name.eq_ignore_ascii_case(name));
    dialect.row_numbers().iter().copied().find(|name| !is_column(name))
}

/// Writes the row number of the root's row. A page only selects it if the table has one.
pub(crate) fn row_number(writer: &mut Writer<'_>, shape: &Shape) {
    let name = row_number_name(writer.dialect, &shape.root().table);
    writer.column(0, name.unwrap_or_default());
}

impl<'a> PageOrder<'a> {
    /// The order of a page of a shape.
    pub(crate) fn of(shape: &'a Shape, page: &'a Page) -> Self {
        let mut terms: Vec<_> = page.order.iter().map(|term| term_of(shape, page, term)).collect();
        if page.by_row_number {
            let direction = terms.last().map_or(Direction::Ascending, |term| term.direction);
            terms.push(Term { key: Key::RowNumber, direction, nulls: Nulls::Never });
        }
        Self { shape, filter: &page.filter, terms }
    }

    /// The order of the elements of an array, before that of their keys. `filter` is of the array's rows.
    pub(crate) fn of_elements(shape: &'a Shape, order: &'a [OrderBy], filter: &'a Expr) -> Self {
        let term = |term: &'a OrderBy| {
            let (key, nulls) = match term.value.whole_column() {
                Some(column) if shape.column(column).not_null => {
                    (Key::Column(column), Nulls::Never)
                }
                Some(column) => (Key::Column(column), Nulls::Last),
                None => (Key::Computed(&term.value, &term.ty), Nulls::Last),
            };
            let is_first = term.nulls_first && nulls == Nulls::Last;
            let nulls = if is_first { Nulls::First } else { nulls };
            Term { key, direction: term.direction, nulls }
        };
        Self { shape, filter, terms: order.iter().map(term).collect() }
    }

    /// The orders of the rows that have a value in the first term and of those that have none, where an index
    /// has the first in their order and the engine would sort all rows to put the others behind.
    pub(crate) fn halves(&self, dialect: &dyn Dialect) -> Option<[Self; 2]> {
        let first = self.terms.first()?;
        let nulls_behind = first.nulls == Nulls::Last && first.direction == Direction::Ascending;
        if !nulls_behind || dialect.indexes_have_nulls_last() {
            return None;
        }
        let value: Expr = match first.key {
            Key::Column(column) => column.into(),
            Key::Computed(value, _) => value.clone(),
            Key::RowNumber | Key::Inside(_) => return None,
        };
        // An index of a joined table has that table's rows in order, not the root's.
        let of_root = value.first_field()?.column_at(0).node == 0;
        order_index(self.shape, self.filter, &value).filter(|_| of_root)?;
        let without_nulls = Term { nulls: Nulls::Never, ..*first };
        let with = std::iter::once(without_nulls).chain(self.terms[1..].iter().copied());
        let half = |terms| Self { terms, ..*self };
        Some([half(with.collect()), half(self.terms[1..].to_vec())])
    }

    /// Whether the nearest texts or points come first and an index has the root's rows in that order.
    pub(crate) fn is_nearest_first(&self, dialect: &dyn Dialect) -> bool {
        let Some(Term { key: Key::Computed(value, _), direction: Direction::Ascending, .. }) =
            self.terms.first()
        else {
            return false;
        };
        dialect.finds_similar()
            && nearest_index(self.shape, self.filter, value).is_some_and(|(node, _)| node == 0)
    }

    /// Writes the value of the first term.
    pub(crate) fn first_key(&self, writer: &mut Writer<'_>) {
        if let Some(first) = self.terms.first() {
            self.key(writer, first);
        }
    }

    /// Writes `ORDER BY` and the terms, if there are any.
    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        if self.terms.is_empty() {
            return;
        }
        writer.text(" ORDER BY ");
        self.write_terms(writer);
    }

    /// Writes the terms.
    pub(crate) fn write_terms(&self, writer: &mut Writer<'_>) {
        writer.list(&self.terms, ", ", |writer, term| match term.key {
            Key::Inside(field) => self.inside(writer, field, term),
            _ => {
                if term.nulls != Nulls::Never && !writer.dialect.places_nulls() {
                    self.key(writer, term);
                    writer.text(match term.nulls {
                        Nulls::First => " IS NOT NULL, ",
                        _ => " IS NULL, ",
                    });
                }
                self.key(writer, term);
                direction(writer, term);
            }
        });
    }

    /// Writes the keyset condition: only rows after these values of the terms. It is a row comparison,
    /// which an index supports, if all terms have one direction and no NULL sorts after a value;
    /// otherwise it is expanded into single comparisons, behind the range of the first term where that
    /// has no NULLs, so that an index begins at the marker.
    pub(crate) fn after(&self, writer: &mut Writer<'_>, after: &[Value]) {
        // Without a row number, the key is not NULL and determines where the page begins.
        let terms = &self.terms[..self.terms.len().min(after.len())];
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
        let ranged =
            terms.first().zip(after.first()).filter(|(term, _)| term.nulls == Nulls::Never);
        if let Some((term, value)) = ranged {
            self.key(writer, term);
            writer.text(match term.direction {
                Direction::Ascending => " >= ",
                Direction::Descending => " <= ",
            });
            self.marker(writer, term, value);
            writer.text(" AND (");
        }
        writer.list(0..terms.len(), " OR ", |writer, last| {
            writer.text("(");
            writer.list(0..=last, " AND ", |writer, index| {
                self.after_term(writer, &terms[index], &after[index], index == last);
            });
            writer.text(")");
        });
        writer.text(if ranged.is_some() { "))" } else { ")" });
    }

    fn after_row(&self, writer: &mut Writer<'_>, terms: &[Term<'_>], after: &[Value]) {
        writer.text("(");
        writer.list(terms, ", ", |writer, term| self.key(writer, term));
        let ascending = terms.first().is_none_or(|term| term.direction == Direction::Ascending);
        writer.text(if ascending { ") > (" } else { ") < (" });
        let pairs = terms.iter().zip(after);
        writer.list(pairs, ", ", |writer, (term, value)| self.marker(writer, term, value));
        writer.text(")");
    }

    /// One part of the written-out form: beyond the marker (`last`) or equal to it. Where NULLs are
    /// last, nothing is beyond NULL and NULL is beyond everything; where they are first, all else is
    /// beyond NULL and NULL is beyond nothing.
    fn after_term(&self, writer: &mut Writer<'_>, term: &Term<'_>, value: &Value, last: bool) {
        if value.is_null() {
            if last && term.nulls != Nulls::First {
                let never = writer.dialect.truth(false);
                writer.text(never);
            } else {
                self.key(writer, term);
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
        self.key(writer, term);
        writer.text(op);
        self.marker(writer, term, value);
        if last && term.nulls == Nulls::Last {
            writer.text(" OR ");
            self.key(writer, term);
            writer.text(" IS NULL");
        }
        writer.text(")");
    }

    fn marker(&self, writer: &mut Writer<'_>, term: &Term<'_>, value: &Value) {
        match term.key {
            Key::RowNumber => writer.bind(value.clone(), &Type::Integer { bits: 64 }, "int8"),
            Key::Column(column) => {
                let column = self.shape.column(column);
                let form = sortable(writer.dialect, column);
                writer.bind_in(form, value.clone(), &column.ty, &column.declared);
            }
            Key::Inside(_) => writer.bind(value.clone(), &Type::Json, "json"),
            Key::Computed(expr, ty) => {
                let declared = Printer::of(self.shape, 0).declared(expr);
                let form = writer.dialect.sortable(ty);
                writer.bind_in(form, value.clone(), ty, declared);
            }
        }
    }

    /// A term in the form in which it is ordered.
    fn key(&self, writer: &mut Writer<'_>, term: &Term<'_>) {
        match term.key {
            Key::RowNumber => row_number(writer, self.shape),
            Key::Column(column) => {
                let form = sortable(writer.dialect, self.shape.column(column));
                in_form(writer, self.shape, column, form);
            }
            Key::Inside(field) => self.inside(writer, field, term),
            Key::Computed(expr, ty) => {
                let form = writer.dialect.sortable(ty);
                writer.text(form.before);
                Printer::of(self.shape, 0).computed(writer, expr, ty);
                writer.text(form.after);
            }
        }
    }

    /// Orders by the value at a path: by the kind of value, then by the value, in as many terms as the
    /// dialect needs. Each writes the value several times, whose path is one parameter.
    fn inside(&self, writer: &mut Writer<'_>, field: &FieldRef, term: &Term<'_>) {
        let column = field.column_at(0);
        let [before, between, after] = writer.dialect.json_at();
        let path = writer.dialect.json_path(&field.path);
        let mut bound = None;
        writer.list(writer.dialect.json_order(), ", ", |writer, pieces| {
            for (at, piece) in pieces.iter().enumerate() {
                if at > 0 {
                    writer.text(before);
                    in_form(writer, self.shape, column, Affixes::NONE);
                    writer.text(between);
                    bound = Some(writer.bind_once(bound, &path));
                    writer.text(after);
                }
                writer.text(piece);
            }
            direction(writer, term);
        });
    }
}

fn direction(writer: &mut Writer<'_>, term: &Term<'_>) {
    if term.direction == Direction::Descending {
        writer.text(" DESC");
    }
    if !writer.dialect.places_nulls() {
        return;
    }
    match term.nulls {
        Nulls::Never => {}
        Nulls::First => writer.text(" NULLS FIRST"),
        Nulls::Last => {
            let nulls_last = writer.dialect.nulls_last();
            writer.text(nulls_last);
        }
    }
}

fn term_of<'a>(shape: &Shape, page: &Page, term: &'a OrderBy) -> Term<'a> {
    let (key, nulls) = match (&term.value, term.value.whole_column()) {
        (Expr::Field(field), _) if term.ty == Type::Json => (Key::Inside(field), Nulls::Last),
        (_, Some(column)) => (Key::Column(column), nulls_of(shape, page, column)),
        (computed, None) => (Key::Computed(computed, &term.ty), Nulls::Last),
    };
    let nulls = if term.nulls_first { Nulls::First } else { nulls };
    Term { key, direction: term.direction, nulls }
}

/// The position of a column's NULLs. A NOT NULL column keeps the plain form, which every index can
/// serve, and so does the key; a key that may hold NULL has them first, in front of every marker
/// without NULL, so that an index serves the rows after it.
fn nulls_of(shape: &Shape, page: &Page, column: ColumnRef) -> Nulls {
    let not_null = shape.column(column).not_null;
    match column.node == 0 && shape.key.contains(&column.column) {
        true if page.by_row_number && !not_null => Nulls::First,
        true => Nulls::Never,
        false if column.node == 0 && not_null => Nulls::Never,
        false => Nulls::Last,
    }
}
