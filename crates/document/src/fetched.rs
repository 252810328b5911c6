//! What the statements of a plan brought back, with every row knowing its parent.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

use duet_model::ReadPlan;
use duet_model::memory::Lease;
use foldhash::fast::FixedState;

use crate::cells::rows::{Datum, RowSet};

/// The rows of all levels of one or many documents.
#[derive(Clone, Debug, Default)]
pub struct FetchedRows {
    /// One entry per level of the plan.
    pub levels: Vec<LevelRows>,
    /// The snapshot the rows come from, where the rows do not say it themselves.
    pub as_of: u64,
}

/// The rows of one level and whose children they are.
#[derive(Clone, Debug, Default)]
pub struct LevelRows {
    /// The rows.
    pub rows: RowSet,
    /// For each row of the parent level where its children start in `order`; one entry more than
    /// the parent has rows. Empty: all rows are children of the parent's only row.
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl LevelRows {
    /// The rows of the root, or the children of a single parent row.
    pub fn new(rows: RowSet) -> Self {
        Self { rows, starts: Vec::new(), order: Vec::new() }
    }

    /// The position of the row that comes in this place among those of a row of the parent level.
    pub(crate) fn child(&self, parent_row: usize, place: usize) -> Option<usize> {
        if self.starts.is_empty() {
            return Some(place).filter(|row| *row < self.rows.len());
        }
        let range = self.starts[parent_row] as usize..self.starts[parent_row + 1] as usize;
        self.order[range].get(place).map(|row| *row as usize)
    }

    /// The positions of all rows that belong to a row of the parent level.
    pub(crate) fn children(&self, parent_row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..).map_while(move |place| self.child(parent_row, place))
    }
}

impl FetchedRows {
    /// Puts the levels of a plan together: finds for every row below the root its parent.
    ///
    /// `root_of(level, row)` is the position among level 0's rows of the root that a row of a
    /// lower level belongs to; `None` drops the row (its root was not requested).
    pub fn assemble(
        plan: &ReadPlan,
        sets: Vec<RowSet>,
        as_of: u64,
        root_of: impl Fn(usize, &RowSet, usize) -> Option<u32>,
    ) -> Self {
        let one_root = sets.first().is_none_or(|roots| roots.len() <= 1);
        if one_root && plan.levels.iter().all(|level| level.parent == 0) {
            return Self { levels: sets.into_iter().map(LevelRows::new).collect(), as_of };
        }
        let mut levels: Vec<LevelRows> = Vec::with_capacity(sets.len());
        let mut roots: Vec<Vec<Option<u32>>> = vec![Vec::new()];
        for (index, rows) in sets.into_iter().enumerate() {
            if index == 0 {
                levels.push(LevelRows::new(rows));
                continue;
            }
            let parent = plan.levels[index].parent;
            if levels[0].rows.len() == 1 && parent == 0 {
                roots.push(vec![Some(0); rows.len()]);
                levels.push(LevelRows::new(rows));
                continue;
            }
            let root: Vec<_> = (0..rows.len()).map(|row| root_of(index, &rows, row)).collect();
            let parents = if parent == 0 {
                root.clone()
            } else {
                find_parents(plan, index, &levels[parent].rows, &roots[parent], &rows, &root)
            };
            let (starts, order) = group(levels[parent].rows.len(), &parents);
            roots.push(root);
            levels.push(LevelRows { rows, starts, order });
        }
        Self { levels, as_of }
    }

    /// The rows of a plan with one level.
    pub fn of_root(rows: RowSet, as_of: u64) -> Self {
        Self { levels: vec![LevelRows::new(rows)], as_of }
    }

    /// The rows of the root.
    pub fn roots(&self) -> &RowSet {
        &self.levels[0].rows
    }

    /// The number of rows of the longest array.
    pub fn longest_array(&self) -> usize {
        let longest = |level: &LevelRows| match level.starts.is_empty() {
            true => level.rows.len(),
            false => {
                level.starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
            }
        };
        self.levels.iter().skip(1).map(longest).max().unwrap_or(0)
    }

    /// The memory of the rows of some level, where any are counted.
    pub(crate) fn lease(&self) -> Option<&Lease> {
        self.levels.iter().find_map(|level| level.rows.lease())
    }

    /// How many bytes all rows take, roughly; for limits.
    pub fn size(&self) -> usize {
        self.levels.iter().map(|level| level.rows.size()).sum()
    }
}

/// Finds parents among several rows of one root by the linking values.
fn find_parents(
    plan: &ReadPlan,
    index: usize,
    parent_rows: &RowSet,
    parent_roots: &[Option<u32>],
    rows: &RowSet,
    roots: &[Option<u32>],
) -> Vec<Option<u32>> {
    let level = &plan.levels[index];
    let state = FixedState::default();
    let mut by_link: HashMap<u64, Vec<u32>, FixedState> = HashMap::with_hasher(state.clone());
    for (row, root) in parent_roots.iter().enumerate().take(parent_rows.len()) {
        let hash = hash_row(&state, *root, parent_rows, row, &level.parent_link);
        by_link.entry(hash).or_default().push(u32::try_from(row).unwrap_or(u32::MAX));
    }
    let same = |row: usize, parent: u32| {
        roots[row] == parent_roots[parent as usize]
            && level.link.iter().zip(&level.parent_link).all(|(&here, &there)| {
                rows.get(row, here) == parent_rows.get(parent as usize, there)
            })
    };
    (0..rows.len())
        .map(|row| {
            let hash = hash_row(&state, roots[row], rows, row, &level.link);
            let candidates = by_link.get(&hash)?;
            candidates.iter().copied().find(|&parent| same(row, parent))
        })
        .collect()
}

fn hash_row(
    state: &FixedState,
    root: Option<u32>,
    rows: &RowSet,
    row: usize,
    columns: &[usize],
) -> u64 {
    let mut hasher = state.build_hasher();
    root.hash(&mut hasher);
    for &column in columns {
        match rows.get(row, column) {
            Datum::Null => hasher.write_u8(0),
            Datum::Int(value) => hasher.write_i64(value),
            Datum::Real(value) => hasher.write_u64(value.to_bits()),
            Datum::Text(bytes) | Datum::Blob(bytes) | Datum::Wire(bytes) => hasher.write(bytes),
        }
    }
    hasher.finish()
}

/// Counting sort by parent; children keep their order.
fn group(parents: usize, parent_of: &[Option<u32>]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; parents + 1];
    for parent in parent_of.iter().flatten() {
        starts[*parent as usize + 1] += 1;
    }
    for index in 0..parents {
        starts[index + 1] += starts[index];
    }
    let mut next = starts.clone();
    let mut order = vec![0_u32; starts[parents] as usize];
    for (row, parent) in parent_of.iter().enumerate() {
        if let Some(parent) = parent {
            let slot = &mut next[*parent as usize];
            order[*slot as usize] = u32::try_from(row).unwrap_or(u32::MAX);
            *slot += 1;
        }
    }
    (starts, order)
}
