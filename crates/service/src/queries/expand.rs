//! `expand=`: related rows inside the rows of a table, by foreign key and without a view.
//!
//! The requested expansion becomes a shape of several tables, which is then read, filtered, projected
//! and written as every other. A client without access to a related table does not learn of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_model::{
    Cardinality, Code, Error, Link, Member, MemberKind, Node, NodeId, Operations, Place, Result,
    Shape,
};
use duet_text::name;

use crate::build::mount::Mount;
use crate::definition::ReadLimits;
use crate::resources::expandable::Expandable;
use crate::resources::resource::Resource;

/// What a request expands, checked. Made by [`Mount::expansion`].
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The paths, sorted, those that lead to others left out: the same for requests that mean the
    /// same.
    pub(crate) canonical: String,
    branches: Vec<Branch>,
}

#[derive(Clone, Debug)]
struct Branch {
    expandable: Expandable,
    resource: Arc<Resource>,
    branches: Vec<Branch>,
}

/// What a request is being checked against.
struct Check<'a> {
    mount: &'a Mount,
    readable: &'a dyn Fn(&Resource) -> bool,
    /// How many levels there may be.
    most: usize,
}

impl Mount {
    /// Reads the text of `expand`: names joined by commas, dotted paths for deeper levels.
    /// `readable` says whether the caller may read all of a resource.
    ///
    /// # Errors
    /// [`Code::ExpandUnknown`] for a name that leads nowhere, [`Code::Forbidden`] where it may lead
    /// to something that the caller may not read, [`Code::ExpandLimit`].
    pub fn expansion(
        &self,
        resource: &Resource,
        text: &str,
        readable: &dyn Fn(&Resource) -> bool,
        limits: &ReadLimits,
    ) -> Result<Expansion> {
        let check = Check { mount: self, readable, most: limits.expand_depth };
        let mut branches = Vec::new();
        for path in text.split(',') {
            check.add(resource, path.trim(), limits.expand_depth, &mut branches)?;
        }
        let count = branches.iter().map(Branch::count).sum::<usize>();
        if count > limits.expand_relations {
            let most = limits.expand_relations;
            return Err(over(format!("`expand` may name {most} related tables, not {count}.")));
        }
        let mut leaves = BTreeSet::new();
        branches.iter().for_each(|branch| branch.leaves("", &mut leaves));
        let canonical = leaves.into_iter().collect::<Vec<_>>().join(",");
        Ok(Expansion { canonical, branches })
    }
}

impl Check<'_> {
    /// Adds a path below a resource to the expansion, of as many levels as are left; siblings stay sorted.
    fn add(
        &self,
        resource: &Resource,
        path: &str,
        levels: usize,
        out: &mut Vec<Branch>,
    ) -> Result<()> {
        let too_deep = || over(format!("`expand` may go {} levels deep.", self.most));
        let below = levels.checked_sub(1).ok_or_else(too_deep)?;
        let known = first_step(resource, path);
        if known.is_none() && path.split('.').nth(levels).is_some() {
            return Err(too_deep());
        }
        let by_dot = || path.split_once('.').map(|(first, rest)| (first, Some(rest)));
        let (first, rest) = known.or_else(by_dot).unwrap_or((path, None));
        let (expandable, other) = self.find(resource, first)?;
        let at = match out.binary_search_by(|branch| branch.expandable.name.cmp(&expandable.name)) {
            Ok(at) => at,
            Err(at) => {
                let resource = Arc::clone(other);
                out.insert(
                    at,
                    Branch { expandable: expandable.clone(), resource, branches: Vec::new() },
                );
                at
            }
        };
        rest.map_or(Ok(()), |rest| self.add(other, rest, below, &mut out[at].branches))
    }

    fn find<'r>(
        &self,
        resource: &'r Resource,
        wanted: &str,
    ) -> Result<(&'r Expandable, &Arc<Resource>)> {
        let expandables = &resource.expandables;
        let target = |expandable: &Expandable| {
            let other = self.mount.resource(&expandable.resource).ok();
            other.filter(|other| (self.readable)(other))
        };
        let by = |test: &dyn Fn(&Expandable) -> bool| {
            expandables.iter().find(|expandable| test(expandable))
        };
        let expandable = by(&|expandable| expandable.name == wanted)
            .or_else(|| by(&|expandable| expandable.long == wanted))
            .or_else(|| by(&|expandable| expandable.name.to_lowercase() == wanted.to_lowercase()));
        if let Some(found) =
            expandable.and_then(|expandable| Some((expandable, target(expandable)?)))
        {
            return Ok(found);
        }
        let readable = || expandables.iter().filter(|expandable| target(expandable).is_some());
        // Where something is hidden, a name that leads there and one that leads nowhere are
        // answered alike.
        if readable().count() < expandables.len() {
            let message = format!(
                "The roles of this client do not allow to expand this in {}.",
                resource.name
            );
            return Err(Error::new(Code::Forbidden, message).at(place()));
        }
        let shown: String = wanted.chars().take(64).collect();
        let names: Vec<&str> = readable().map(|expandable| expandable.name.as_str()).collect();
        let hint = match name::nearest(wanted, names.iter().copied()) {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None if names.is_empty() => "No foreign key leads to or from it.".to_owned(),
            None => format!("It has {}.", names.join(", ")),
        };
        let message = format!("{} has nothing called {shown:?} to expand.", resource.name);
        Err(Error::new(Code::ExpandUnknown, message).at(place()).hint(hint))
    }
}

/// The first step of a path, and what follows: the longest beginning that is a name, since names may have dots. `None`
/// where no beginning is.
fn first_step<'p>(resource: &Resource, path: &'p str) -> Option<(&'p str, Option<&'p str>)> {
    let is_name = |text: &str| {
        resource.expandables.iter().any(|known| known.name == text || known.long == text)
    };
    if is_name(path) {
        return Some((path, None));
    }
    let mut parted =
        path.rmatch_indices('.').map(|(dot, _)| (&path[..dot], Some(&path[dot + 1..])));
    parted.find(|(first, _)| is_name(first))
}

fn place() -> Place {
    Place::Parameter("expand".to_owned())
}

fn over(message: String) -> Error {
    Error::new(Code::ExpandLimit, message).at(place())
}

/// The error for an array with more rows than an expansion may bring.
pub(crate) fn too_many_rows(most: usize) -> Error {
    Error::new(
        Code::ExpandRows,
        format!(
            "An expanded array has more than {most} rows. Read the related collection with a filter instead."
        ),
    )
}

impl Branch {
    fn count(&self) -> usize {
        1 + self.branches.iter().map(Self::count).sum::<usize>()
    }

    fn leaves(&self, prefix: &str, out: &mut BTreeSet<String>) {
        let path = format!("{prefix}{}", self.expandable.name);
        if self.branches.is_empty() {
            out.insert(path);
            return;
        }
        let below = format!("{path}.");
        self.branches.iter().for_each(|branch| branch.leaves(&below, out));
    }
}

impl Expansion {
    /// The shape of a resource with its expansion, each related row after the members of the
    /// row that it belongs to.
    pub(crate) fn shape(&self, shape: &Shape) -> Shape {
        let mut shape = shape.clone();
        grow(&mut shape, 0, &self.branches);
        shape
    }
}

fn grow(shape: &mut Shape, parent: NodeId, branches: &[Branch]) {
    for Branch { expandable, resource, branches } in branches {
        let node = shape.nodes.len();
        let cardinality = if expandable.many { Cardinality::Many } else { Cardinality::One };
        let link = Link {
            parent,
            parent_columns: expandable.own_columns.clone(),
            child_columns: expandable.other_columns.clone(),
            cardinality,
        };
        shape.nodes.push(Node {
            link: Some(link),
            operations: Operations::default(),
            ..resource.shape.root().clone()
        });
        let kind = if expandable.many { MemberKind::Array(node) } else { MemberKind::Object(node) };
        shape.nodes[parent].members.push(Member { name: expandable.name.clone(), kind });
        grow(shape, node, branches);
    }
}
