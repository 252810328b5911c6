//! What a resource promises where an engine spreads its tables over several machines, which have no common snapshot.

use crate::catalog::Placement;
use crate::expressions::reference::NodeId;
use crate::shapes::shape::Shape;

/// Something that a resource may promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Writes are committed on all machines or on none.
    Atomic,
    /// Rows are locked before they are compared.
    Locked,
    /// A document is read in one snapshot.
    Document,
    /// A page is read in one snapshot.
    Page,
}

/// A promise in words.
#[derive(Clone, Copy, Debug)]
pub struct PromiseWords {
    /// The promise.
    pub promise: Promise,
    /// Its name in descriptions.
    pub name: &'static str,
    /// What holds where it is kept, a whole sentence.
    pub kept: &'static str,
    /// What happens where it is not.
    pub broken: &'static str,
}

/// All promises in the order in which they are described. The manual has the same table.
pub const PROMISES: [PromiseWords; 4] = [
    PromiseWords {
        promise: Promise::Atomic,
        name: "atomic",
        kept: "A write is committed on all machines or on none.",
        broken: "A write may be committed on some machines only.",
    },
    PromiseWords {
        promise: Promise::Locked,
        name: "locked",
        kept: "A write locks the rows of a document before it compares them.",
        broken: "The rows of a document cannot be locked together: writes that need it get DUET-6017.",
    },
    PromiseWords {
        promise: Promise::Document,
        name: "document",
        kept: "A document is read in one snapshot.",
        broken: "A document may be torn: its parts may be of different moments.",
    },
    PromiseWords {
        promise: Promise::Page,
        name: "page",
        kept: "A page is read in one snapshot.",
        broken: "A page may be torn: its documents may be of different moments.",
    },
];

/// Which promises a resource keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promises(Extent);

/// On how many machines the rows of documents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// One machine has the rows of all documents.
    One,
    /// One machine has all rows of a document, found by its key.
    Key,
    /// The rows of a document are one row on a machine that its key does not tell.
    Row,
    /// The rows of a document are on several machines.
    Several,
}

impl Promises {
    /// Those of documents of a shape; `None` where no table of it is spread over machines, so that all are kept.
    pub fn of(shape: &Shape) -> Option<Self> {
        let is_spread = shape.nodes.iter().any(|node| node.table.placement.is_spread());
        is_spread.then(|| Self(extent(shape)))
    }

    /// Whether it is kept.
    pub fn keeps(self, promise: Promise) -> bool {
        match promise {
            // Transactions of several machines are committed in two phases.
            Promise::Atomic => true,
            Promise::Locked => matches!(self.0, Extent::One | Extent::Key),
            Promise::Document => self.0 != Extent::Several,
            Promise::Page => self.0 == Extent::One,
        }
    }

    /// Each promise in words, and whether it is kept.
    pub fn all(self) -> impl Iterator<Item = (PromiseWords, bool)> {
        PROMISES.into_iter().map(move |words| (words, self.keeps(words.promise)))
    }

    /// What does not hold, in whole sentences; empty where all is kept.
    pub fn broken(self) -> String {
        let broken = self.all().filter(|(_, is_kept)| !is_kept);
        broken.map(|(words, _)| words.broken).collect::<Vec<_>>().join(" ")
    }
}

impl Shape {
    /// Whether rows of a table or view of it are on several machines. Statements about these have forms of their own.
    pub fn is_distributed(&self) -> bool {
        let mut placements = self.nodes.iter().map(|node| &node.table.placement);
        placements.any(|it| matches!(it, Placement::Distributed { .. } | Placement::Mixed))
    }

    /// Whether the rows of each document are on one machine, which its key tells.
    pub fn is_placed_by_key(&self) -> bool {
        let keeps = |promise| Promises::of(self).is_some_and(|kept| kept.keeps(promise));
        keeps(Promise::Locked) && !keeps(Promise::Page)
    }
}

fn extent(shape: &Shape) -> Extent {
    let placement = |node: NodeId| &shape.nodes[node].table.placement;
    let nodes = || (0..shape.nodes.len()).filter(|&node| *placement(node) != Placement::Reference);
    // What is computed of other rows reads tables that are no nodes.
    let computes = shape.nodes.iter().any(|node| !node.aggregates.is_empty());
    let is_of = |first: NodeId| nodes().all(|node| placement(node) == placement(first));
    match nodes().next().map(|first| (first, placement(first))) {
        _ if computes => Extent::Several,
        None => Extent::One,
        Some((first, Placement::Local | Placement::Single { .. })) if is_of(first) => Extent::One,
        Some((0, Placement::Distributed { .. })) => of_distributed(shape),
        Some(_) => Extent::Several,
    }
}

/// Where the root is distributed. A reference table below is wherever its parent is.
fn of_distributed(shape: &Shape) -> Extent {
    let is_near = |node: NodeId| {
        shape.nodes[node].table.placement == Placement::Reference || is_with_parent(shape, node)
    };
    match (0..shape.nodes.len()).all(is_near) {
        true if is_by_key(shape) => Extent::Key,
        true if shape.nodes.len() == 1 => Extent::Row,
        _ => Extent::Several,
    }
}

/// The distribution column of a node's table.
fn column(shape: &Shape, node: NodeId) -> Option<usize> {
    let table = &shape.nodes[node].table;
    let Placement::Distributed { column, .. } = &table.placement else { return None };
    table.columns.iter().position(|known| known.name == *column)
}

/// Whether the root's distribution column is a part of its key.
fn is_by_key(shape: &Shape) -> bool {
    column(shape, 0).is_some_and(|column| shape.key.contains(&column))
}

/// Whether a row is on the machine of its parent: both are of one group, and linked by what they are distributed by.
fn is_with_parent(shape: &Shape, node: NodeId) -> bool {
    let Some(link) = &shape.nodes[node].link else { return true };
    let table = |node: NodeId| &shape.nodes[node].table;
    let (Some(own), Some(above)) = (column(shape, node), column(shape, link.parent)) else {
        return false;
    };
    let is_linked =
        link.child_columns.iter().zip(&link.parent_columns).any(|pair| pair == (&own, &above));
    is_linked && table(node).placement.group() == table(link.parent).placement.group()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalog::{Column, Relation};
    use crate::shapes::shape::{Cardinality, Link, Node};
    use crate::{Shape, Type};

    fn table(name: &str, placement: Placement) -> Arc<Relation> {
        let columns = ["id", "parent"].map(|name| Column::new(name, Type::Integer { bits: 64 }));
        Arc::new(Relation { placement, ..Relation::table("public", name, columns.into()) })
    }

    fn by(column: &str, group: u32) -> Placement {
        Placement::Distributed { column: column.to_owned(), group }
    }

    /// A root with its rows below: of each the placement, and the column that is linked to the root's key.
    fn shape(root: Placement, below: &[(Placement, usize)]) -> Shape {
        let mut shape = Shape::of_relation(&table("root", root));
        for (at, (placement, column)) in below.iter().enumerate() {
            let link = Link {
                parent: 0,
                parent_columns: vec![0],
                child_columns: vec![*column],
                cardinality: Cardinality::Many,
            };
            let child = Shape::of_relation(&table(&format!("child{at}"), placement.clone()));
            let [node] = <[Node; 1]>::try_from(child.nodes).unwrap();
            shape.nodes.push(Node { link: Some(link), ..node });
        }
        shape
    }

    fn kept(root: Placement, below: &[(Placement, usize)]) -> Option<String> {
        let promises = Promises::of(&shape(root, below))?;
        let kept = promises.all().filter(|(_, is_kept)| *is_kept);
        Some(kept.map(|(words, _)| words.name).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_is_kept_follows_from_where_rows_are() {
        let (here, everywhere) = (Placement::Local, Placement::Reference);
        let single = |group| Placement::Single { group };
        let all = Some("atomic locked document page".to_owned());
        let of_key = Some("atomic locked document".to_owned());
        let torn = Some("atomic".to_owned());
        assert_eq!(kept(here.clone(), &[(here.clone(), 1)]), None);
        assert_eq!(kept(everywhere.clone(), &[(everywhere.clone(), 1)]), all);
        assert_eq!(kept(everywhere.clone(), &[(here.clone(), 1)]), all);
        assert_eq!(kept(single(7), &[(single(7), 1), (everywhere.clone(), 1)]), all);
        assert_eq!(kept(single(7), &[(single(8), 1)]), torn);
        assert_eq!(kept(by("id", 1), &[]), of_key);
        assert_eq!(kept(by("parent", 1), &[]), Some("atomic document".to_owned()));
        assert_eq!(kept(by("id", 1), &[(by("parent", 1), 1), (everywhere.clone(), 1)]), of_key);
        // By another column, of another group, or below a table that all machines have.
        assert_eq!(kept(by("id", 1), &[(by("id", 1), 1)]), torn);
        assert_eq!(kept(by("id", 1), &[(by("parent", 2), 1)]), torn);
        assert_eq!(kept(everywhere, &[(by("parent", 1), 1)]), torn);
        assert_eq!(kept(Placement::Mixed, &[]), torn);
        assert_eq!(kept(here, &[(by("parent", 1), 1)]), torn);
    }
}
