//! Shapes: trees of tables that describe a JSON document.
//!
//! A served table is a shape with one node; a duality view has several. All code that reads, filters,
//! writes or documents a resource works on its shape.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::catalog::{Column, Relation, RelationKind, TableRef};
use crate::collections::collection::KEY;
use crate::collections::document::CollectionDocument;
use crate::expressions::expr::{Direction, Expr, OrderBy};
use crate::expressions::reference::{ColumnRef, FieldRef, NodeId};
use crate::profiles::DocumentStyle;
use crate::shapes::derived::{DerivedColumn, MemberOrigin};
use crate::shapes::view_notice::ViewNotice;
use crate::shapes::view_rule::ViewRule;
use crate::values::types::Type;

pub use crate::collections::document_field::{DocumentField, Folding};

/// The member that contains those members of a flex column whose names the object already uses.
pub const NAME_CONFLICTS: &str = "_nameConflicts";

/// The members that the server adds at the top of a document.
pub const SERVER_MEMBERS: [&str; 2] = ["_metadata", "links"];

/// A tree of tables that describes a JSON document.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The resource's name.
    pub name: String,
    /// The nodes, root first, every parent before its children.
    pub nodes: Vec<Node>,
    /// The root columns that identify a document, in the order of a composite key in the path. If
    /// empty, only pages can be read.
    pub key: Vec<usize>,
    /// Whether documents contain `_metadata` with `etag` and `asof`.
    pub metadata: bool,
    /// The rules that written documents must keep.
    pub rules: Vec<ViewRule>,
    /// Which writes of its documents become events.
    pub notice: Option<ViewNotice>,
    /// The form in which values are written, and member names are read.
    pub style: DocumentStyle,
}

/// A JSON object column whose members appear inline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlexColumn {
    /// Its position in the table.
    pub column: usize,
    /// The stored members that a projection has picked; `None` for all.
    pub only: Option<Vec<String>>,
}

impl From<usize> for FlexColumn {
    fn from(column: usize) -> Self {
        Self { column, only: None }
    }
}

/// Which row operations are allowed through a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Rows may be inserted.
    pub insert: bool,
    /// Rows may be updated.
    pub update: bool,
    /// Rows may be deleted.
    pub delete: bool,
}

impl Operations {
    /// Whether any of them is allowed.
    pub fn any(self) -> bool {
        self.insert || self.update || self.delete
    }
}

/// Whether one of these members may be changed.
fn has_changeable(members: &[Member]) -> bool {
    members.iter().any(|member| match &member.kind {
        MemberKind::Column(column) => column.update,
        MemberKind::Group(inner) => has_changeable(inner),
        _ => false,
    })
}

fn forbid_changes(members: &mut [Member]) {
    for member in members {
        match &mut member.kind {
            MemberKind::Column(column) => column.update = false,
            MemberKind::Group(inner) => forbid_changes(inner),
            _ => {}
        }
    }
}

/// One table at one position of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The table.
    pub table: TableRef,
    /// The join with the parent; `None` for the root.
    pub link: Option<Link>,
    /// The members of this node's JSON object, in order.
    pub members: Vec<Member>,
    /// The static row filter.
    pub filter: Option<Expr>,
    /// Whether a written row must satisfy `filter`.
    pub check_option: bool,
    /// The allowed operations on rows through this node.
    pub operations: Operations,
    /// The functions over other rows that its generated members have, in the order of their first use.
    pub aggregates: Vec<Aggregate>,
    /// The columns that are computed when a row is written.
    pub derived: Vec<DerivedColumn>,
    /// Which of its rows are shown below a row of the parent.
    pub elements: Elements,
}

/// Which rows of a node are shown below one row of the parent, and in which order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elements {
    /// Whether a row of the parent without such a row is left out. Of to-one nodes.
    pub required: bool,
    /// The order, before that of their keys: of the node's values and of those joined to it, by [`Scope::Node`](crate::expressions::reference::Scope::Node).
    pub order: Vec<OrderBy>,
    /// How many are skipped.
    pub offset: u64,
    /// How many there are at most.
    pub limit: Option<u64>,
}

impl Elements {
    /// Whether some of the rows are left out by their positions.
    pub fn is_window(&self) -> bool {
        self.offset > 0 || self.limit.is_some()
    }
}

/// A function over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateFunction {
    /// The number of rows, or of values that are not NULL.
    Count,
    /// The sum of the values; NULL without any.
    Sum,
    /// The mean of the values; NULL without any.
    Average,
    /// The smallest value; NULL without any.
    Least,
    /// The largest value; NULL without any.
    Greatest,
    /// The value of the only row; NULL without one. At most one row is joined.
    Only,
    /// The texts that are not NULL one after another, as [`Aggregate::list`] says; NULL without any.
    List,
}

/// A function over the rows that are joined to the row of a node.
///
/// Its own expressions refer to the nodes of `rows` and to nothing else. The first node's columns `columns` equal
/// the values of the outer row that [`Expr::Aggregate`] has.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The function.
    pub function: AggregateFunction,
    /// Whether equal values count once.
    pub distinct: bool,
    /// The value of each row; `None` for the rows themselves.
    pub operand: Option<Expr>,
    /// The type of the operand.
    pub ty: Type,
    /// The tables: each node but the first is joined to one before it, and none has members.
    pub rows: Shape,
    /// Columns of the first table.
    pub columns: Vec<usize>,
    /// What holds for each row.
    pub filter: Option<Expr>,
    /// Separator and order of [`AggregateFunction::List`].
    pub list: Option<ListOrder>,
}

/// How texts are put one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct ListOrder {
    /// The text between two of them.
    pub separator: String,
    /// Their order, and behind it that of the rows' keys. NULLs are the largest values.
    pub terms: Vec<ListTerm>,
}

/// A term of a [`ListOrder`].
#[derive(Clone, Debug, PartialEq)]
pub struct ListTerm {
    /// The value.
    pub value: Expr,
    /// Its type.
    pub ty: Type,
    /// Whether the largest is first.
    pub descending: bool,
}

impl Node {
    fn same_but_estimate(&self, other: &Self) -> bool {
        let Self {
            table,
            link,
            members,
            filter,
            check_option,
            aggregates,
            operations,
            derived,
            elements,
        } = other;
        let own = (&self.link, &self.members, &self.filter, self.check_option, self.operations);
        own == (link, members, filter, *check_option, *operations)
            && self.aggregates == *aggregates
            && self.derived == *derived
            && self.elements == *elements
            && self.table.same_but_estimate(table)
    }
}

/// The join between a node and its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The parent node.
    pub parent: NodeId,
    /// Columns of the parent's table.
    pub parent_columns: Vec<usize>,
    /// Columns of this node's table, in matching order.
    pub child_columns: Vec<usize>,
    /// Whether a parent row has one child row or many.
    pub cardinality: Cardinality,
}

/// The number of child rows of a parent row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one: a JSON object.
    One,
    /// Any number: a JSON array.
    Many,
}

/// A member of a JSON object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The member's name; unused where the kind is `Unnest` or `Flex`.
    pub name: String,
    /// The kind of member.
    pub kind: MemberKind,
}

/// The kind of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKind {
    /// A column of the node's own table.
    Column(ColumnMember),
    /// Members of the same node grouped into an object (`@nest`).
    Group(Vec<Member>),
    /// The object of a to-one node; `{}` without a row.
    Object(NodeId),
    /// The array of a to-many node's objects.
    Array(NodeId),
    /// The array of the values of one member of a to-many node: of that of the same name, or of its only column;
    /// read-only. Several members may have values of one node.
    Scalars(NodeId),
    /// The members of a to-one node, merged into the parent (`@unnest`); all `null` without a row.
    Unnest(NodeId),
    /// A value computed from the row: read-only and not part of the etag.
    Generated {
        /// The expression. In a box, as most members are columns, of which a large schema has many.
        expr: Box<Expr>,
        /// The type of its result.
        ty: Type,
        /// Whether it is hidden.
        hidden: bool,
        /// Whether it is left out where it is NULL.
        absent: bool,
    },
    /// A JSON object column whose members appear inline; unknown members are written to it.
    Flex(FlexColumn),
    /// A JSON object column that is the whole document, as it is stored: that of a collection.
    Document(Box<CollectionDocument>),
    /// Rows that filters may name and documents do not show: related documents of collections. Below the
    /// member's name; where it is empty the node is joined, and its fields have their own names.
    Related(NodeId),
}

/// A column as a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnMember {
    /// Position of the column in the node's table.
    pub column: usize,
    /// Whether the member may be changed.
    pub update: bool,
    /// Whether it is part of the etag.
    pub check: bool,
    /// Whether it is hidden but usable by generated members.
    pub hidden: bool,
    /// Whether the column has both `@nocheck` and `@noupdate`: a changed value is ignored.
    pub ignored: bool,
    /// Whether it is left out of documents where it is NULL, and NULL where a whole document leaves it out.
    pub absent: bool,
    /// Whether it is computed when its row is written.
    pub origin: MemberOrigin,
}

impl Member {
    /// Whether it is a value that is left out where it is NULL.
    pub fn is_absent_on_null(&self) -> bool {
        match &self.kind {
            MemberKind::Column(column) => column.absent && !column.hidden,
            MemberKind::Generated { absent, hidden, .. } => *absent && !hidden,
            _ => false,
        }
    }
}

impl ColumnMember {
    /// A visible, checked, read-only column.
    pub fn read_only(column: usize) -> Self {
        let [hidden, ignored, absent] = [false; 3];
        let origin = MemberOrigin::Given;
        Self { column, update: false, check: true, hidden, ignored, absent, origin }
    }
}

/// A field that a request can name: a path of member names and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Member names joined by dots; array steps are implicit.
    pub path: String,
    /// The value: a column, or a path inside a JSON column.
    pub value: Expr,
    /// Its type; [`Type::Json`] for a value inside JSON.
    pub ty: Type,
    /// Whether the path crosses an array, so that a filter means "any element".
    pub repeated: bool,
    /// Whether a generated member shows it.
    pub generated: bool,
    /// Whether it is a range column.
    pub ranges: bool,
    /// Whether different values of its column may be equal, by the column's collation.
    pub loose: bool,
    /// How texts compare.
    pub folding: Folding,
    /// The form in which values are given.
    pub style: DocumentStyle,
}

impl Field {
    /// The stored column; `None` for a generated member.
    pub fn column(&self) -> Option<ColumnRef> {
        self.value.whole_column().filter(|_| !self.generated)
    }

    /// The reference, if it is to a JSON column or a value inside one.
    pub fn json(&self) -> Option<&FieldRef> {
        match &self.value {
            Expr::Field(field) if self.ty == Type::Json => Some(field),
            _ => None,
        }
    }

    /// The field for the value inside it at these member names. It may lie inside a document itself.
    #[must_use]
    pub fn inside(&self, path: &str, names: Vec<String>) -> Self {
        let mut field = Self { path: path.to_owned(), ..self.clone() };
        if let Expr::Field(reference) = &mut field.value {
            reference.path.extend(names);
        }
        field
    }
}

/// A flex column as a field, and the other names that its object uses.
#[derive(Clone, Debug, PartialEq)]
pub struct FlexField {
    /// The column; its path is the path of the object, empty for the root.
    pub field: Field,
    /// Names that refer to other members; in the column they only appear in `_nameConflicts`. Hidden ones appear nowhere.
    pub taken: Vec<String>,
}

impl Shape {
    /// The shape of a single table or view: one node with every column as a member; tables are writable.
    pub fn of_relation(relation: &Arc<Relation>) -> Self {
        let is_table = relation.kind == RelationKind::Table;
        let member = |(at, column): (usize, &Column)| {
            // What functions of the row compute is shown where it is asked for alone.
            let hidden = column.computed_by.is_some();
            let (update, check) = (is_table && !hidden, !hidden);
            let kind = ColumnMember { update, check, hidden, ..ColumnMember::read_only(at) };
            Member { name: column.served_name(), kind: MemberKind::Column(kind) }
        };
        let node = Node {
            table: Arc::clone(relation),
            link: None,
            members: relation.columns.iter().enumerate().map(member).collect(),
            filter: None,
            check_option: false,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: Elements::default(),
            operations: Operations { insert: is_table, update: is_table, delete: is_table },
        };
        Self {
            name: relation.served_name(),
            nodes: vec![node],
            key: relation.identity().to_vec(),
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: DocumentStyle::default(),
        }
    }

    /// Whether a write of a document does more than to write its rows: it has rules to keep, or an event to record.
    pub fn has_directives(&self) -> bool {
        !self.rules.is_empty() || self.notice.is_some()
    }

    /// Makes the shape read-only.
    pub fn forbid_writes(&mut self) {
        for node in &mut self.nodes {
            node.operations = Operations::default();
            forbid_changes(&mut node.members);
        }
    }

    /// Whether both are equal except for row estimates.
    pub fn same_but_estimates(&self, other: &Self) -> bool {
        let nodes = self.nodes.iter().zip(&other.nodes);
        let others = (&other.name, &other.key, other.metadata, other.style);
        std::ptr::eq(self, other)
            || (&self.name, &self.key, self.metadata, self.style) == others
                && (&self.rules, &self.notice) == (&other.rules, &other.notice)
                && self.nodes.len() == other.nodes.len()
                && nodes.into_iter().all(|(a, b)| a.same_but_estimate(b))
    }

    /// Whether one of its objects leaves out values that are NULL.
    pub fn leaves_out_nulls(&self) -> bool {
        fn any(members: &[Member]) -> bool {
            members.iter().any(|member| match &member.kind {
                MemberKind::Group(inner) => any(inner),
                _ => member.is_absent_on_null(),
            })
        }
        self.nodes.iter().any(|node| any(&node.members))
    }

    /// The root node.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The stored document, where the shape is that of a collection.
    pub fn document(&self) -> Option<&CollectionDocument> {
        self.document_of(0)
    }

    /// The stored document, where it is the whole content of the shape.
    pub fn whole_document(&self) -> Option<&CollectionDocument> {
        self.document().filter(|document| !document.spread)
    }

    /// The stored document of a node, where it is of a collection.
    pub fn document_of(&self, node: NodeId) -> Option<&CollectionDocument> {
        self.nodes[node].members.iter().find_map(|member| match &member.kind {
            MemberKind::Document(document) => Some(&**document),
            _ => None,
        })
    }

    /// Whether the shape allows any write.
    pub fn is_writable(&self) -> bool {
        self.nodes.iter().any(|node| node.operations.any() || has_changeable(&node.members))
    }

    /// Whether the parent's row references the node's row, which is then shared. Otherwise the child row
    /// references its parent and belongs to it.
    pub fn parent_refers(&self, node: NodeId) -> bool {
        let Some(link) = &self.nodes[node].link else { return false };
        if link.cardinality == Cardinality::Many {
            return false;
        }
        let (parent, child) = (&self.nodes[link.parent].table, &self.nodes[node].table);
        let refers = |from: &Relation, columns: &[usize], to: &Relation| {
            from.foreign_keys.iter().any(|key| {
                key.references_schema == to.schema
                    && key.references_table == to.name
                    && key.columns.len() == columns.len()
                    && columns.iter().all(|column| key.columns.contains(column))
            })
        };
        refers(parent, &link.parent_columns, child)
            || !refers(child, &link.child_columns, parent) && child.is_key(&link.child_columns)
    }

    /// The visible names of an object with these members, including those of unnested nodes.
    pub fn visible_names<'s>(&'s self, members: &'s [Member]) -> Vec<&'s str> {
        let mut names = Vec::with_capacity(members.len());
        for member in members {
            match &member.kind {
                MemberKind::Unnest(child) => {
                    names.extend(self.visible_names(&self.nodes[*child].members));
                }
                MemberKind::Flex(_)
                | MemberKind::Document(_)
                | MemberKind::Related(_)
                | MemberKind::Column(ColumnMember { hidden: true, .. })
                | MemberKind::Generated { hidden: true, .. } => {}
                _ => names.push(member.name.as_str()),
            }
        }
        names
    }

    /// The hidden names of an object with these members, including those of unnested nodes. No member of a flex column
    /// appears under one of them.
    pub fn hidden_names<'s>(&'s self, members: &'s [Member]) -> Vec<&'s str> {
        let mut names = Vec::new();
        for member in members {
            match &member.kind {
                MemberKind::Unnest(child) => {
                    names.extend(self.hidden_names(&self.nodes[*child].members));
                }
                MemberKind::Column(ColumnMember { hidden: true, .. })
                | MemberKind::Generated { hidden: true, .. } => names.push(member.name.as_str()),
                _ => {}
            }
        }
        names
    }

    /// The first member of a node's rows that a document gives; `None` where all are hidden or only read.
    pub fn first_given(&self, node: NodeId) -> Option<&Member> {
        self.first_given_of(&self.nodes[node].members)
    }

    fn first_given_of<'s>(&'s self, members: &'s [Member]) -> Option<&'s Member> {
        members.iter().find_map(|member| match &member.kind {
            MemberKind::Unnest(child) => self.first_given(*child),
            MemberKind::Column(column) if !column.hidden => Some(member),
            MemberKind::Group(_) | MemberKind::Object(_) | MemberKind::Array(_) => Some(member),
            _ => None,
        })
    }

    /// The flex column of an object, which stores its unknown members: of the object's own node, or of
    /// one unnested into it.
    pub fn flex_column(&self, node: NodeId, members: &[Member]) -> Option<ColumnRef> {
        members.iter().find_map(|member| match member.kind {
            MemberKind::Flex(FlexColumn { column, .. }) => Some(ColumnRef { node, column }),
            MemberKind::Unnest(child) => self.flex_column(child, &self.nodes[child].members),
            _ => None,
        })
    }

    /// A column.
    pub fn column(&self, column: ColumnRef) -> &Column {
        &self.nodes[column.node].table.columns[column.column]
    }

    /// The type of a column.
    pub fn column_type(&self, column: ColumnRef) -> &Type {
        &self.column(column).ty
    }

    /// An order term for a column.
    pub fn order_by(&self, column: ColumnRef, direction: Direction) -> OrderBy {
        let ty = self.column_type(column).clone();
        OrderBy { value: column.into(), ty, direction, nulls_first: false }
    }

    /// All visible scalar fields with their paths, in document order. Filters, orders, projections and
    /// API descriptions use this list.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        self.collect_fields(0, &self.nodes[0].members, "", false, &mut fields);
        fields
    }

    /// The flex columns, each as a field with the path of its object.
    pub fn flex_fields(&self) -> Vec<FlexField> {
        let mut fields = Vec::new();
        self.collect_flexes(0, &self.nodes[0].members, "", false, &mut fields);
        fields
    }

    /// The column in which members of any name are found: a flex column, or an open document.
    fn open_column(&self, node: NodeId, members: &[Member]) -> Option<ColumnRef> {
        let is_closed = |member: &Member| matches!(&member.kind, MemberKind::Document(document) if document.spread && !document.open);
        if members.iter().any(is_closed) {
            return None;
        }
        let open = members.iter().find_map(|member| match &member.kind {
            MemberKind::Document(document) if document.open => {
                Some(ColumnRef { node, column: document.column })
            }
            _ => None,
        });
        open.or_else(|| self.flex_column(node, members))
    }

    fn collect_flexes(
        &self,
        node: NodeId,
        members: &[Member],
        path: &str,
        repeated: bool,
        out: &mut Vec<FlexField>,
    ) {
        if let Some(field) = self.open_column(node, members) {
            let (path, ty) = (path.to_owned(), Type::Json);
            let server: &[&str] = if path.is_empty() { &SERVER_MEMBERS } else { &[] };
            let own = self.visible_names(members).into_iter().chain(self.hidden_names(members));
            let taken = own.chain(server.iter().copied()).map(str::to_owned).collect();
            let value = field.into();
            let (generated, ranges, loose, folding) = Default::default();
            let style = self.style;
            let field =
                Field { path, value, ty, repeated, generated, ranges, loose, folding, style };
            out.push(FlexField { field, taken });
        }
        let mut pending: Vec<(NodeId, &Member)> = members.iter().map(|it| (node, it)).collect();
        while let Some((node, member)) = pending.pop() {
            let dot = if path.is_empty() { "" } else { "." };
            let below = format!("{path}{dot}{}", member.name);
            match &member.kind {
                MemberKind::Group(inner) => {
                    self.collect_flexes(node, inner, &below, repeated, out);
                }
                MemberKind::Object(child)
                | MemberKind::Array(child)
                | MemberKind::Related(child)
                    if !member.name.is_empty() =>
                {
                    let repeated = repeated || self.is_many(*child);
                    let members = &self.nodes[*child].members;
                    self.collect_flexes(*child, members, &below, repeated, out);
                }
                MemberKind::Unnest(child) => {
                    pending.extend(self.nodes[*child].members.iter().map(|it| (*child, it)));
                }
                _ => {}
            }
        }
    }

    fn field_of(&self, path: String, at: ColumnRef, repeated: bool) -> Field {
        let column = self.column(at);
        let (ty, ranges, loose) = (column.ty.clone(), column.ranges, column.loose_equality);
        let folding = Folding::default();
        let (value, generated, style) = (at.into(), false, self.style);
        Field { path, value, ty, repeated, generated, ranges, loose, folding, style }
    }

    /// Whether a parent row has any number of rows of this node.
    pub fn is_many(&self, node: NodeId) -> bool {
        let link = self.nodes.get(node).and_then(|node| node.link.as_ref());
        link.is_some_and(|link| link.cardinality == Cardinality::Many)
    }

    /// The fields of related rows. Where these are joined, members of the rows before them keep their names.
    fn collect_related(
        &self,
        node: NodeId,
        name: &str,
        prefix: &str,
        repeated: bool,
        out: &mut Vec<Field>,
    ) {
        let repeated = repeated || self.is_many(node);
        let members = &self.nodes[node].members;
        if !name.is_empty() {
            return self.collect_fields(node, members, &format!("{prefix}{name}."), repeated, out);
        }
        let first = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        let taken: BTreeSet<String> = out.iter().map(|field| first(&field.path)).collect();
        let mut found = Vec::new();
        self.collect_fields(node, members, prefix, repeated, &mut found);
        out.extend(found.into_iter().filter(|field| !taken.contains(&first(&field.path))));
    }

    fn collect_fields(
        &self,
        node: NodeId,
        members: &[Member],
        prefix: &str,
        repeated: bool,
        out: &mut Vec<Field>,
    ) {
        for member in members {
            let path = || format!("{prefix}{}", member.name);
            match &member.kind {
                MemberKind::Column(column) if !column.hidden => {
                    let field = ColumnRef { node, column: column.column };
                    out.push(self.field_of(path(), field, repeated));
                }
                MemberKind::Group(inner) => {
                    self.collect_fields(node, inner, &format!("{}.", path()), repeated, out);
                }
                MemberKind::Object(child) => {
                    let prefix = format!("{}.", path());
                    self.collect_fields(
                        *child,
                        &self.nodes[*child].members,
                        &prefix,
                        repeated,
                        out,
                    );
                }
                MemberKind::Array(child) => {
                    let prefix = format!("{}.", path());
                    self.collect_fields(*child, &self.nodes[*child].members, &prefix, true, out);
                }
                MemberKind::Scalars(child) => {
                    for inner in &self.nodes[*child].members {
                        if let MemberKind::Column(column) = &inner.kind {
                            let field = ColumnRef { node: *child, column: column.column };
                            out.push(self.field_of(path(), field, true));
                        }
                    }
                }
                MemberKind::Unnest(child) => {
                    let members = &self.nodes[*child].members;
                    self.collect_fields(*child, members, prefix, repeated, out);
                }
                // A constant would have a value even without the joined row.
                MemberKind::Generated { expr, ty, hidden: false, .. }
                    if node == 0 || expr.first_field().is_some() =>
                {
                    let (value, ty) = (Expr::clone(expr).at_node(node), ty.clone());
                    let (generated, ranges, loose) = (true, false, false);
                    out.push(Field {
                        path: path(),
                        value,
                        ty,
                        repeated,
                        generated,
                        ranges,
                        loose,
                        folding: Folding::default(),
                        style: self.style,
                    });
                }
                MemberKind::Document(document) if document.shown || document.spread => {
                    let start = out.len();
                    collect_document(document, node, prefix, repeated, out);
                    if document.search.profile.aliases_hide_members() {
                        hide_below_aliases(members, prefix, start, out);
                    }
                }
                MemberKind::Related(child) => {
                    self.collect_related(*child, &member.name, prefix, repeated, out);
                }
                MemberKind::Document(_)
                | MemberKind::Column(_)
                | MemberKind::Generated { .. }
                | MemberKind::Flex(_) => {}
            }
        }
    }
}

/// Adds the fields of the stored document of a node.
fn collect_document(
    document: &CollectionDocument,
    node: NodeId,
    prefix: &str,
    repeated: bool,
    out: &mut Vec<Field>,
) {
    // A spread document's key is a member of the node already.
    for field in document.fields.iter().filter(|field| !document.spread || field.path != KEY) {
        out.push(Field {
            path: format!("{prefix}{}", field.path),
            value: field.value(node, document.column),
            ty: field.ty.clone(),
            repeated: repeated || field.repeated,
            generated: false,
            ranges: false,
            loose: false,
            folding: field.folding,
            style: DocumentStyle::default(),
        });
    }
}

/// Removes the fields of a document, those from `start` on, that are inside a member with the name of related
/// documents: where they hide members such a path is one of the related documents.
fn hide_below_aliases(members: &[Member], prefix: &str, start: usize, out: &mut Vec<Field>) {
    let aliases: Vec<String> = members
        .iter()
        .filter(|member| matches!(member.kind, MemberKind::Related(_)) && !member.name.is_empty())
        .map(|member| format!("{prefix}{}.", member.name))
        .collect();
    if !aliases.is_empty() {
        let fields = out.split_off(start);
        let is_hidden =
            |field: &Field| aliases.iter().any(|alias| field.path.starts_with(alias.as_str()));
        out.extend(fields.into_iter().filter(|field| !is_hidden(field)));
    }
}
