//! New rows of one table, read from a body in one pass: of shapes that show columns and nothing else, where only the
//! values have to be read.
//!
//! Whatever needs a decision is left to [`row_tree`](super::row_tree) and the planner, mistakes among them: they say
//! what is wrong. What is read here is what they give.

use duet_model::catalog::GeneratedValue;
use duet_model::shape::SERVER_MEMBERS;
use duet_model::{MemberKind, MemberOrigin, Shape, Value};
use duet_text::json::body::Body;

use super::value::value_of;

/// The columns of a shape's only table that bodies may give.
///
/// ```
/// use duet_document::PlainRows;
/// use duet_model::{Column, Relation, Shape, Type, Value};
/// use duet_text::json::{JsonLimits, body::Body};
///
/// let columns = vec![Column::new("id", Type::Integer { bits: 64 }), Column::new("name", Type::Text)];
/// let shape = Shape::of_relation(&Relation::table("main", "team", columns).into());
/// let rows = PlainRows::of(&shape).expect("a table of columns");
/// let body = Body::read(r#"{"name":"Audi","id":7}"#.into(), JsonLimits::depth(2))?;
/// let row = rows.row(&shape, &body).expect("nothing is to be decided");
/// assert_eq!((row.columns, row.values), (vec![0, 1], vec![Value::Int(7), Value::Text("Audi".into())]));
/// # Ok::<(), duet_text::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlainRows {
    /// In the order of the shape's members.
    given: Vec<PlainColumn>,
    /// Positions in `given`, in the order of the members' names.
    by_name: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct PlainColumn {
    /// The member's position in the shape's root.
    member: usize,
    /// The column's position in the table.
    column: usize,
    /// Whether the database generates a value in the place of `null`.
    is_key: bool,
}

/// The values of a new row.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainRow {
    /// The columns that have values, in their order in the table.
    pub columns: Vec<usize>,
    /// The values.
    pub values: Vec<Value>,
}

impl PlainRows {
    /// The columns of a shape; `None` where a new document may be more than values of them.
    pub fn of(shape: &Shape) -> Option<Self> {
        let root = shape.root();
        let is_more = shape.nodes.len() != 1
            || root.filter.is_some()
            || !root.derived.is_empty()
            || !root.operations.insert
            || shape.key.is_empty()
            || shape.has_directives();
        if is_more {
            return None;
        }
        let mut is_shown = vec![false; root.table.columns.len()];
        let mut given: Vec<PlainColumn> = Vec::with_capacity(root.members.len());
        for (member, about) in root.members.iter().enumerate() {
            let MemberKind::Column(shown) = about.kind else { return None };
            let column = shown.column;
            if shown.origin != MemberOrigin::Given {
                return None;
            }
            if std::mem::replace(&mut is_shown[column], true) {
                return None;
            }
            if !shown.hidden && root.table.columns[column].generated != GeneratedValue::Computed {
                given.push(PlainColumn { member, column, is_key: shape.key.contains(&column) });
            }
        }
        let name = |at: &usize| &root.members[given[*at].member].name;
        let mut by_name: Vec<usize> = (0..given.len()).collect();
        by_name.sort_by(|a, b| name(a).cmp(name(b)));
        Some(Self { given, by_name })
    }

    /// The row that a body gives to the shape that these are of; `None` where something has to be decided or refused.
    pub fn row(&self, shape: &Shape, body: &Body) -> Option<PlainRow> {
        let root = shape.root();
        let mut row = PlainRow { columns: Vec::new(), values: Vec::new() };
        let (mut next, mut is_sorted) = (0, true);
        for (name, value) in body.fields()? {
            let Some(at) = self.find(shape, name, next) else {
                if SERVER_MEMBERS.contains(&name) && root.members.iter().all(|own| own.name != name)
                {
                    continue;
                }
                return None;
            };
            next = at + 1;
            let PlainColumn { column, is_key, .. } = self.given[at];
            let value = value_of(&root.table.columns[column], &value).ok()?;
            if is_key && value == Value::Null {
                continue;
            }
            if row.columns.is_empty() {
                row.columns.reserve_exact(self.given.len());
                row.values.reserve_exact(self.given.len());
            }
            is_sorted = is_sorted && row.columns.last().is_none_or(|last| *last < column);
            row.columns.push(column);
            row.values.push(value);
        }
        Some(if is_sorted { row } else { row.sorted() })
    }

    /// The position of a name among the columns. Most bodies give them in their order.
    fn find(&self, shape: &Shape, name: &str, next: usize) -> Option<usize> {
        let named = |at: usize| &*shape.root().members[self.given[at].member].name;
        if next < self.given.len() && named(next) == name {
            return Some(next);
        }
        let found = self.by_name.binary_search_by(|at| named(*at).cmp(name));
        found.ok().map(|found| self.by_name[found])
    }
}

impl PlainRow {
    fn sorted(self) -> Self {
        let mut set: Vec<(usize, Value)> = self.columns.into_iter().zip(self.values).collect();
        set.sort_by_key(|(column, _)| *column);
        let (columns, values) = set.into_iter().unzip();
        Self { columns, values }
    }
}
