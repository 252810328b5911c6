//! Positions of a catalog's relations by name, so that a look-up costs the same for any number of them.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Positions of relations by their names in lower case: the database's and the served one.
///
/// It is made by the first look-up and never renewed, as a catalog does not change. A copy of a catalog begins
/// without it; it says nothing of its own, so all are equal.
#[derive(Debug, Default)]
pub struct CatalogIndex(OnceLock<HashMap<String, Vec<usize>>>);

impl CatalogIndex {
    /// The positions of the relations with this name, ignoring case, in ascending order. `all` gives the name and the
    /// alias of each relation.
    pub(crate) fn called<'n, I>(&self, name: &str, all: impl FnOnce() -> I) -> &[usize]
    where
        I: Iterator<Item = (&'n str, Option<&'n str>)>,
    {
        let known = self.0.get_or_init(|| positions(all()));
        known.get(&name.to_lowercase()).map_or(&[], Vec::as_slice)
    }
}

fn positions<'n>(
    all: impl Iterator<Item = (&'n str, Option<&'n str>)>,
) -> HashMap<String, Vec<usize>> {
    let mut known: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, (name, alias)) in all.enumerate() {
        let name = name.to_lowercase();
        let alias = alias.map(str::to_lowercase).filter(|alias| *alias != name);
        for name in alias.into_iter().chain([name]) {
            known.entry(name).or_default().push(at);
        }
    }
    known
}

impl Clone for CatalogIndex {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for CatalogIndex {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
