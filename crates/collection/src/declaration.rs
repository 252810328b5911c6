//! The declaration of a collection, as plain data.

use duet_model::collection::column_name;
use duet_model::shape::Folding;
use duet_model::{DocumentField, IndexKind, SearchRules};
use duet_text::problem::quoted;

use crate::rmb_file::line::RmbLine;
use crate::rmb_file::schema::RmbTable;
use crate::{misfit, unknown_path};

/// What a collection is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Its name in the path.
    pub name: String,
    /// The path of its mount; the application's first by default.
    pub mount: Option<String>,
    /// Its table.
    pub table: String,
    /// Members of bodies that are taken and not stored.
    pub ignored: Vec<String>,
    /// The member of a list that holds the documents.
    pub list: String,
    /// Whether the server keeps `metadata`: when a document was made and changed, and by whom.
    pub metadata: bool,
    /// Whether a change must give the stored `_version`, which each change raises.
    pub versioned: bool,
    /// The values that are keys of other documents.
    pub references: Vec<Reference>,
    /// The indexes.
    pub indexes: Vec<DeclaredIndex>,
    /// The paths of texts of which case and accents count.
    pub exact: Vec<String>,
    /// How searches behave.
    pub search: SearchRules,
    /// The methods whose refused values get 422 in the profile of RMB, such as `POST`.
    pub unprocessable: Vec<String>,
    /// Values that are made of the texts of several members, for searches and indexes: a name, and paths as
    /// [`JOINED`](duet_model::JOINED) takes them.
    pub joined: Vec<(String, String)>,
    /// Names of documents along several references.
    pub path_keys: Vec<PathKey>,
    /// What a file of RMB declares besides.
    pub rmb: Option<RmbTable>,
    /// What became of the lines of that file.
    pub lines: Vec<RmbLine>,
}

/// Documents that are reached along several references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathKey {
    /// The paths of the references, from this collection on.
    pub steps: Vec<String>,
    /// The table at their end.
    pub table: String,
    /// The name under which searches find the documents at the end.
    pub alias: Option<String>,
    /// The name under which searches of these find the documents of this collection.
    pub inverse: Option<String>,
}

/// A value that is the key of a document in another table, or in the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The member names, joined by dots.
    pub path: String,
    /// The table of the other document.
    pub table: String,
    /// The name under which searches find the other document; without it the path without `Id` at its end.
    pub alias: Option<String>,
    /// The name under which searches of the other documents find the referring ones; without it the name of
    /// their table in camel case.
    pub inverse: Option<String>,
    /// Whether the document is deleted with the other one; otherwise that one cannot be deleted.
    pub cascades: bool,
    /// Whether searches find documents by given names alone.
    pub only_named: bool,
}

impl Reference {
    /// A reference by this value to this table.
    pub fn new(path: &str, table: &str) -> Self {
        Self { path: path.to_owned(), table: table.to_owned(), ..Self::default() }
    }
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredIndex {
    /// The member names, joined by dots.
    pub path: String,
    /// What it can find.
    pub kind: IndexKind,
    /// Further members by which documents with the same value are in order; of a range or a point, whose name is the
    /// path, the two members that it is made of.
    pub then: Vec<String>,
    /// Which documents it has, as a condition in CQL; without it all.
    pub condition: Option<String>,
    /// How it holds texts, where that is not how searches of the path compare them.
    pub folding: Option<Folding>,
    /// Its name in the database, where it is not made of the path.
    pub name: Option<String>,
}

impl DeclaredIndex {
    /// An index of the values at one path.
    pub fn new(path: &str, kind: IndexKind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            then: Vec::new(),
            condition: None,
            folding: None,
            name: None,
        }
    }

    /// The further members by which documents are in order.
    pub fn further(&self) -> &[String] {
        if self.kind.is_of_pairs() { &[] } else { &self.then }
    }

    /// Whether another index, of fewer members, is the beginning of this one, which then finds all that the other does.
    pub fn begins_with(&self, other: &Self) -> bool {
        let is_alike = self.kind == other.kind
            && self.kind == IndexKind::Ordered
            && self.path == other.path
            && self.condition == other.condition;
        is_alike && self.then.len() > other.then.len() && self.then.starts_with(&other.then)
    }
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

    /// The declared paths that are not among the fields of the schema, or whose type does not fit the declaration.
    pub(crate) fn unknown_paths(&self, fields: &[DocumentField]) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let mut find = |path: &str| {
            let found = fields.iter().find(|field| field.path == path);
            if found.is_none() {
                mistakes.push(unknown_path(path, fields));
            }
            found
        };
        let referring: Vec<_> = self.references.iter().map(|one| find(&one.path)).collect();
        let indexed = self.indexes.iter().flat_map(|one| {
            let paths = std::iter::once(&one.path).chain(one.further());
            paths.map(|path| (path, one.kind))
        });
        let indexed: Vec<_> = indexed.map(|(path, kind)| (find(path), kind)).collect();
        for path in self.exact.iter().chain(&self.search.server_choice) {
            find(path);
        }
        // Modifiers that RMB declares may name what no document has.
        for array in self.search.arrays.iter().filter(|_| self.search.declared.is_none()) {
            for member in std::iter::once(&array.subfield).chain(&array.modifiers) {
                find(&format!("{}.{member}", array.path));
            }
        }
        let wrong = |field: &DocumentField, message| {
            let path = Some(field.path.clone());
            Mistake { path, message, hint: None }
        };
        let of_references = referring.into_iter().flatten();
        let of_references = of_references.map(|field| (field, IndexKind::Like));
        let of_indexes = indexed.into_iter().filter_map(|(field, kind)| Some((field?, kind)));
        let all = of_references.chain(of_indexes);
        let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.');
        let wrong_names = self.search.dictionaries.0.iter();
        let wrong_names =
            wrong_names.filter(|(_, name)| name.is_empty() || !name.chars().all(is_name));
        mistakes.extend(wrong_names.map(|(path, name)| Mistake {
            path: Some(path.clone()),
            message: format!("{} is no name of a dictionary.", quoted(name)),
            hint: Some("`\\dF` of psql lists the text search configurations of PostgreSQL.".into()),
        }));
        let misfits = all.filter_map(|(field, kind)| Some(wrong(field, misfit(field, kind)?)));
        let misfits: Vec<_> = misfits.collect();
        mistakes.extend(misfits);
        if !self.search.profile.aliases_hide_members() {
            mistakes.extend(self.references.iter().filter_map(|one| taken_alias(one, fields)));
        }
        mistakes
    }
}

/// The mistake of an alias that is a member of the documents too.
fn taken_alias(reference: &Reference, fields: &[DocumentField]) -> Option<Mistake> {
    let alias = reference.alias.as_deref()?;
    fields.iter().find(|field| field.path.split('.').next() == Some(alias))?;
    Some(Mistake {
        path: Some(reference.path.clone()),
        message: format!("The documents have a member {}.", quoted(alias)),
        hint: Some("Give the alias another name: searches could not tell them apart.".into()),
    })
}

/// `sales-orders` as `salesOrders`.
pub(crate) fn camel_case(name: &str) -> String {
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

    #[test]
    fn totals_are_of_labels_and_booleans() {
        let schema = r#"{"properties": {"a": {"type": "string"}, "n": {"type": "integer"},
            "b": {"type": "boolean"}, "l": {"type": "string", "enum": ["x"]}}}"#;
        for (path, fits) in [("a", false), ("n", false), ("b", true), ("l", true)] {
            let indexes = vec![DeclaredIndex::new(path, IndexKind::Totals)];
            let declaration = Declaration { indexes, ..Declaration::new("items") };
            let collection = crate::Collection::new(declaration, schema);
            assert_eq!(collection.is_ok(), fits, "{path}");
            if let Err(mistakes) = collection {
                assert!(mistakes[0].message.contains("totals are kept by labels"), "{mistakes:?}");
            }
        }
    }
}
