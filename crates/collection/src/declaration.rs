//! The declaration of a collection, as plain data.

use duet_model::collection::column_name;
use duet_model::{DocumentField, IndexKind};

use crate::{misfit, unknown_path};

/// What a collection is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Its name in the path.
    pub name: String,
    /// Its table.
    pub table: String,
    /// The member of a list that holds the documents.
    pub list: String,
    /// Whether the server keeps `metadata`: when a document was made and changed, and by whom.
    pub metadata: bool,
    /// Whether a change must give the stored `_version`, which each change raises.
    pub versioned: bool,
    /// The values that are keys of other documents: the path, and the table.
    pub references: Vec<(String, String)>,
    /// The indexes.
    pub indexes: Vec<DeclaredIndex>,
    /// The paths of texts of which case and accents count.
    pub exact: Vec<String>,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredIndex {
    /// The member names, joined by dots.
    pub path: String,
    /// What it can find.
    pub kind: IndexKind,
}

/// A mistake in a declaration or a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The declared path that it is about; `None` for the schema.
    pub path: Option<String>,
    /// What is wrong, as a sentence.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Declaration {
    /// A collection of this name, in a table of its name, with nothing declared.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            table: column_name(name).replace('-', "_"),
            list: camel_case(name),
            ..Self::default()
        }
    }

    /// The declared paths that are not among the fields of the schema, or cannot be what is declared.
    pub(crate) fn unknown_paths(&self, fields: &[DocumentField]) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let mut find = |path: &str| {
            let found = fields.iter().find(|field| field.path == path);
            if found.is_none() {
                mistakes.push(unknown_path(path, fields));
            }
            found
        };
        let referring: Vec<_> = self.references.iter().map(|(path, _)| find(path)).collect();
        let indexed: Vec<_> = self.indexes.iter().map(|one| (find(&one.path), one.kind)).collect();
        for path in &self.exact {
            find(path);
        }
        let wrong = |field: &DocumentField, message| {
            let path = Some(field.path.clone());
            Mistake { path, message, hint: None }
        };
        let of_references = referring.into_iter().flatten();
        let of_references = of_references.map(|field| (field, IndexKind::Like));
        let of_indexes = indexed.into_iter().filter_map(|(field, kind)| Some((field?, kind)));
        let all = of_references.chain(of_indexes);
        let misfits = all.filter_map(|(field, kind)| Some(wrong(field, misfit(field, kind)?)));
        let misfits: Vec<_> = misfits.collect();
        mistakes.extend(misfits);
        mistakes
    }
}

/// `sales-orders` as `salesOrders`.
fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for char in name.chars() {
        if matches!(char, '-' | '_') {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(char.to_uppercase());
        } else {
            out.push(char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_collection() {
        let declaration = Declaration::new("sales-orders");
        assert_eq!((&*declaration.table, &*declaration.list), ("sales_orders", "salesOrders"));
    }
}
