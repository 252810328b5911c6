//! Read plans: the reads of a request, as data.
//!
//! A plan divides a shape into levels. A level is the root or a to-many node, together with every
//! to-one node below it that no other array separates; one statement with joins reads it. All levels
//! below the root are keyed by the root's key, so all can be queried together for many documents.

use std::sync::Arc;

use crate::expressions::expr::{Expr, OrderBy};
use crate::expressions::reference::{ColumnRef, NodeId};
use crate::shapes::shape::{Cardinality, Member, MemberKind, Shape};
use crate::values::types::Type;
use crate::values::value::Value;

/// A plan to read documents of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPlan {
    /// The shape, restricted to the requested members.
    pub shape: Arc<Shape>,
    /// The documents to read.
    pub root: Root,
    /// The levels; 0 is the root's, parents before children.
    pub levels: Arc<[Level]>,
    /// For every node of the shape the level that reads it; `None` if no member needs it.
    pub level_of: Arc<[Option<usize>]>,
    /// Positions of the shape's key in the columns of level 0; empty for a shape without key.
    pub key: Arc<[usize]>,
    /// Positions of a page's order terms in the columns of level 0, followed by the row number if it
    /// breaks ties. The last row's values start the next page (keyset paging). Empty if a term has no
    /// column.
    pub order: Arc<[usize]>,
    /// Whether rows are matched to keys by an ordinal that the statement returns, because equal keys
    /// may differ in their bytes or the key is composite. Otherwise they are matched by value.
    pub by_ordinal: bool,
}

/// The documents that are read.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// The documents with the keys that are passed when the plan runs.
    Keys,
    /// A page of documents.
    Page(Page),
}

/// A page of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The filter.
    pub filter: Expr,
    /// The order, which ends with the key and is therefore total.
    pub order: Vec<OrderBy>,
    /// Whether rows with NULL in their key come first and row numbers break ties in `order`: for stores
    /// that allow NULL in primary keys.
    pub by_row_number: bool,
    /// Only rows after these values of `order`, followed by the row number for a row with NULL in its
    /// key.
    pub after: Option<Vec<Value>>,
    /// The number of documents to skip.
    pub offset: u64,
    /// The maximum number of documents to read; `u64::MAX` means all.
    pub limit: u64,
    /// The values of the parameters where the documents are the result of a service's statement; else none.
    pub arguments: Arc<[Value]>,
}

/// The part of a document that one statement reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The root or the to-many node.
    pub node: NodeId,
    /// The level of the array's parent; 0 for the root itself.
    pub parent: usize,
    /// The ancestor nodes that must be joined to reach the root's key, root first. Empty if this node
    /// links to the root's key directly.
    pub path: Vec<NodeId>,
    /// The to-one nodes joined into this level, parents first.
    pub joined: Vec<NodeId>,
    /// The distinct selected columns.
    pub columns: Vec<LevelColumn>,
    /// Positions in `columns` that identify the root of a row; empty on level 0 of a page, where every
    /// row is a root.
    pub root_key: Vec<usize>,
    /// Positions in `columns` whose values equal the parent's at `parent_link`. They identify the parent
    /// among several of one root, that is if the parent level is not 0.
    pub link: Vec<usize>,
    /// Positions in the parent level's columns.
    pub parent_link: Vec<usize>,
}

/// A selected column.
#[derive(Clone, Debug, PartialEq)]
pub enum LevelColumn {
    /// A column of a node. If the node is the root and not joined, the linking column of the level's own
    /// node has the same value.
    Column(ColumnRef),
    /// A generated member's expression over a node's row.
    Generated {
        /// The node.
        node: NodeId,
        /// The expression, whose references are to the node.
        expr: Expr,
        /// Its type.
        ty: Type,
    },
    /// The position, from 1, of the key that the row belongs to.
    Ordinal,
    /// The snapshot of the read.
    AsOf,
    /// The number of the root's row in its table.
    RowNumber,
}

impl LevelColumn {
    /// The column of a generated member of a node.
    pub fn generated(node: NodeId, expr: &Expr, ty: &Type) -> Self {
        Self::Generated { node, expr: expr.clone().at_node(node), ty: ty.clone() }
    }

    /// The column with the value of an order term; `None` for a value inside JSON, which a page marker
    /// cannot contain.
    pub fn of_term(term: &OrderBy) -> Option<Self> {
        if term.ty == Type::Json {
            return None;
        }
        if let Some(column) = term.value.whole_column() {
            return Some(Self::Column(column));
        }
        let node = term.value.first_field().map_or(0, |field| field.column_at(0).node);
        Some(Self::Generated { node, expr: term.value.clone(), ty: term.ty.clone() })
    }
}

impl Level {
    /// The position of a column in `columns`.
    pub fn position(&self, wanted: &LevelColumn) -> Option<usize> {
        self.columns.iter().position(|column| column == wanted)
    }

    fn select(&mut self, wanted: LevelColumn) -> usize {
        self.position(&wanted).unwrap_or_else(|| {
            self.columns.push(wanted);
            self.columns.len() - 1
        })
    }
}

impl ReadPlan {
    /// Plans a read of documents by key, many at a time.
    pub fn by_keys(shape: Arc<Shape>) -> Self {
        Self::build(shape, Root::Keys)
    }

    /// Plans a read of a page of documents.
    pub fn page(shape: Arc<Shape>, page: Page) -> Self {
        Self::build(shape, Root::Page(page))
    }

    /// Whether it reads a page with this order, and therefore with the same levels.
    pub fn has_order_of(&self, page: &Page) -> bool {
        matches!(&self.root, Root::Page(known)
            if known.order == page.order && known.by_row_number == page.by_row_number)
    }

    /// The plan for another page with the same order; see [`Self::has_order_of`].
    #[must_use]
    pub fn of_another_page(&self, page: Page) -> Self {
        let (levels, level_of) = (Arc::clone(&self.levels), Arc::clone(&self.level_of));
        let (key, order) = (Arc::clone(&self.key), Arc::clone(&self.order));
        let (shape, by_ordinal) = (Arc::clone(&self.shape), self.by_ordinal);
        Self { shape, root: Root::Page(page), levels, level_of, key, order, by_ordinal }
    }

    fn build(shape: Arc<Shape>, root: Root) -> Self {
        let by_ordinal =
            shape.key.len() != 1 || !shape.key.iter().all(|&key| is_plain(&shape, key));
        let mut planner = Planner {
            shape: &shape,
            by_ordinal,
            by_keys: matches!(root, Root::Keys),
            levels: Vec::new(),
            level_of: vec![None; shape.nodes.len()],
        };
        planner.level(0, 0);
        let Planner { mut levels, level_of, .. } = planner;
        let column = |&column: &usize| LevelColumn::Column(ColumnRef { node: 0, column });
        let key = shape.key.iter().map(|key| levels[0].select(column(key))).collect();
        let order = match &root {
            Root::Page(page) => {
                let columns: Option<Vec<_>> = page.order.iter().map(LevelColumn::of_term).collect();
                let row_number = page.by_row_number.then_some(LevelColumn::RowNumber);
                let columns = columns.map(|terms| terms.into_iter().chain(row_number));
                columns.into_iter().flatten().map(|column| levels[0].select(column)).collect()
            }
            Root::Keys => Arc::default(),
        };
        let (levels, level_of) = (levels.into(), level_of.into());
        Self { shape, root, levels, level_of, key, order, by_ordinal }
    }
}

/// Whether values of this root column can be matched to keys by their bytes.
fn is_plain(shape: &Shape, column: usize) -> bool {
    let column = &shape.root().table.columns[column];
    column.ty.has_plain_equality() && !column.loose_equality
}

struct Planner<'a> {
    shape: &'a Shape,
    by_ordinal: bool,
    by_keys: bool,
    levels: Vec<Level>,
    level_of: Vec<Option<usize>>,
}

impl Planner<'_> {
    /// Adds the level of `node`, then those of the arrays below it.
    fn level(&mut self, node: NodeId, parent: usize) {
        let index = self.levels.len();
        self.levels.push(Level {
            node,
            parent,
            path: if node == 0 { Vec::new() } else { self.path(node) },
            joined: Vec::new(),
            columns: Vec::new(),
            root_key: Vec::new(),
            link: Vec::new(),
            parent_link: Vec::new(),
        });
        self.level_of[node] = Some(index);
        self.select_root_key(index);
        if parent != 0 {
            self.select_link(index);
        }
        let mut arrays = Vec::new();
        self.members(index, node, &self.shape.nodes[node].members, &mut arrays);
        if node == 0 && self.shape.metadata {
            self.levels[0].select(LevelColumn::AsOf);
        }
        for array in arrays {
            self.level(array, index);
        }
    }

    /// The nodes between the root and `node`; empty if `node` links to exactly the root's key.
    fn path(&self, node: NodeId) -> Vec<NodeId> {
        let Some(link) = &self.shape.nodes[node].link else { return Vec::new() };
        let root = &self.shape.nodes[0];
        let direct = link.parent == 0
            && link.parent_columns.len() == self.shape.key.len()
            && self.shape.key.iter().all(|column| link.parent_columns.contains(column))
            && self.shape.key.iter().all(|&column| is_plain(self.shape, column))
            && root.filter.is_none();
        if direct {
            return Vec::new();
        }
        let mut path = Vec::new();
        let mut at = Some(link.parent);
        while let Some(node) = at {
            path.push(node);
            at = self.shape.nodes[node].link.as_ref().map(|link| link.parent);
        }
        path.reverse();
        path
    }

    fn select_root_key(&mut self, level: usize) {
        let root_key = if level == 0 && !self.by_keys {
            Vec::new()
        } else if self.by_ordinal {
            vec![self.levels[level].select(LevelColumn::Ordinal)]
        } else {
            let key = |&column: &usize| LevelColumn::Column(ColumnRef { node: 0, column });
            let wanted: Vec<_> = self.shape.key.iter().map(key).collect();
            wanted.into_iter().map(|column| self.levels[level].select(column)).collect()
        };
        self.levels[level].root_key = root_key;
    }

    fn select_link(&mut self, level: usize) {
        let node = self.levels[level].node;
        let Some(link) = &self.shape.nodes[node].link else { return };
        let parent_level = self.levels[level].parent;
        for &column in &link.parent_columns {
            let column = LevelColumn::Column(ColumnRef { node: link.parent, column });
            let here = self.levels[level].select(column.clone());
            let there = self.levels[parent_level].select(column);
            self.levels[level].link.push(here);
            self.levels[level].parent_link.push(there);
        }
    }

    fn members(
        &mut self,
        level: usize,
        node: NodeId,
        members: &[Member],
        arrays: &mut Vec<NodeId>,
    ) {
        for member in members {
            match &member.kind {
                MemberKind::Column(column) if column.hidden => {}
                MemberKind::Column(column) => self.select_column(level, node, column.column),
                MemberKind::Flex(flex) => self.select_column(level, node, flex.column),
                MemberKind::Document(document) if document.shown => {
                    self.select_column(level, node, document.column);
                }
                MemberKind::Document(_) | MemberKind::Related(_) => {}
                MemberKind::Group(inner) => self.members(level, node, inner, arrays),
                MemberKind::Object(child) | MemberKind::Unnest(child) => {
                    self.join(level, *child, arrays);
                }
                MemberKind::Array(child) | MemberKind::Scalars(child) => {
                    if !arrays.contains(child) {
                        arrays.push(*child);
                    }
                }
                MemberKind::Generated { hidden: true, .. } => {}
                MemberKind::Generated { expr, ty, .. } => {
                    self.levels[level].select(LevelColumn::generated(node, expr, ty));
                }
            }
        }
    }

    fn select_column(&mut self, level: usize, node: NodeId, column: usize) {
        self.levels[level].select(LevelColumn::Column(ColumnRef { node, column }));
    }

    /// Joins a to-one node into the level; its linking columns show whether a row exists.
    fn join(&mut self, level: usize, node: NodeId, arrays: &mut Vec<NodeId>) {
        self.level_of[node] = Some(level);
        self.levels[level].joined.push(node);
        let Some(link) = &self.shape.nodes[node].link else { return };
        debug_assert_eq!(link.cardinality, Cardinality::One);
        let presence = link.child_columns[0];
        self.select_column(level, node, presence);
        self.members(level, node, &self.shape.nodes[node].members, arrays);
    }
}
