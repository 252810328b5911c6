//! Indexes that requests of collections lack, by an access log: what `duet advise` tries over a copy of the documents, and the
//! console shows beside a collection. Beside it, how tables may be [distributed](distribution) over machines.

pub mod distribution;
mod log;
mod shapes;

use std::sync::Arc;

use duet_collection::Collection;

use crate::definition::DeclaredIndex;

pub use log::LoggedRequest;
pub use shapes::{RequestShape, Requests};

use shapes::lacking;

/// An index that shapes lack, with the positions of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedIndex {
    /// The collection.
    pub collection: String,
    /// The index.
    pub index: DeclaredIndex,
    /// The positions of the shapes.
    pub shapes: Vec<usize>,
}

/// The indexes that shapes lack, those of the most time first.
pub fn wanted(collections: &[Arc<Collection>], shapes: &[RequestShape]) -> Vec<WantedIndex> {
    let mut wanted: Vec<WantedIndex> = Vec::new();
    for (at, shape) in shapes.iter().enumerate() {
        let is_it = |one: &&Arc<Collection>| one.declaration().name == shape.collection;
        let Some(collection) = collections.iter().find(is_it) else { continue };
        let table = collection.table(None);
        let declared: Vec<(String, String)> = table
            .indexes
            .iter()
            .map(|index| (index.name(&table.name), index.field.path.clone()))
            .collect();
        for index in lacking(shape, &declared) {
            let known =
                wanted.iter_mut().find(|it| it.collection == shape.collection && it.index == index);
            match known {
                Some(known) => known.shapes.push(at),
                None => wanted.push(WantedIndex {
                    collection: shape.collection.clone(),
                    index,
                    shapes: vec![at],
                }),
            }
        }
    }
    let mut wanted = without_prefixes(wanted);
    let time = |one: &WantedIndex| one.shapes.iter().map(|at| shapes[*at].micros).sum::<u64>();
    wanted.sort_by_key(|one| std::cmp::Reverse(time(one)));
    wanted
}

/// Without the indexes that begin a longer one: requests that want `author` are served by one of `author, title`, so both
/// would cost each write twice and gain nothing.
fn without_prefixes(wanted: Vec<WantedIndex>) -> Vec<WantedIndex> {
    let (mut longer, mut shorter) = (Vec::new(), wanted);
    // The longest first: what remains is begun by none of them.
    shorter.sort_by_key(|one| std::cmp::Reverse(one.index.then.len()));
    for one in shorter {
        let begins = |known: &&mut WantedIndex| -> bool {
            known.collection == one.collection && known.index.begins_with(&one.index)
        };
        match longer.iter_mut().find(begins) {
            Some(known) => {
                known.shapes.extend(one.shapes);
                known.shapes.sort_unstable();
                known.shapes.dedup();
            }
            None => longer.push(one),
        }
    }
    longer
}

#[cfg(test)]
mod tests {
    use duet_model::IndexKind;

    use super::*;

    #[test]
    fn an_index_that_begins_a_longer_one_is_not_proposed_beside_it() {
        let wanted = |collection: &str, path: &str, then: &[&str], shapes: &[usize]| WantedIndex {
            collection: collection.to_owned(),
            index: DeclaredIndex {
                then: then.iter().map(|&path| path.to_owned()).collect(),
                ..DeclaredIndex::new(path, IndexKind::Ordered)
            },
            shapes: shapes.to_vec(),
        };
        let given = vec![
            wanted("books", "author", &[], &[0, 2]),
            wanted("books", "author", &["title"], &[1, 2]),
            wanted("books", "title", &[], &[3]),
            wanted("papers", "author", &[], &[4]),
        ];
        let left: Vec<_> = without_prefixes(given)
            .into_iter()
            .map(|one| (one.collection, one.index.path, one.index.then, one.shapes))
            .collect();
        let none: Vec<String> = Vec::new();
        assert_eq!(
            left,
            [
                ("books".into(), "author".into(), vec!["title".to_owned()], vec![0, 1, 2]),
                ("books".into(), "title".into(), none.clone(), vec![3]),
                ("papers".into(), "author".into(), none, vec![4]),
            ]
        );
    }
}
