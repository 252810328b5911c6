//! RMB's declarations: the tables of a `schema.json`, each as part of a [`Declaration`].
//!
//! RMB compares no path with the JSON Schema, and its entries may have SQL of their own. Each line becomes an
//! [`RmbLine`]: what is taken, what is taken by other means, and what is left out.

mod array;
pub(crate) mod condition;
mod entry;
pub(crate) mod snippet;
#[cfg(test)]
mod tests;

use duet_model::search_rules::SIMPLE;
use duet_model::{DeclaredSearch, DocumentField, IndexKind};
use duet_text::problem::quoted;

use self::entry::IndexTarget;
use crate::declaration::{Declaration, PathKey, Reference};
use crate::rmb_file::line::{LineOutcome, LinePlace, RmbLine};
use crate::rmb_file::schema::{Entry, ForeignKey, Operation, RmbTable};

/// The kinds of indexes in the order in which `==` prefers them; words have one of their own.
const KINDS: [(IndexKind, &str); 5] = [
    (IndexKind::Trigram, "ginIndex"),
    (IndexKind::Like, "likeIndex"),
    (IndexKind::Unique, "uniqueIndex"),
    (IndexKind::Ordered, "index"),
    (IndexKind::FullText, "fullTextIndex"),
];

/// The lines of a table, as they are declared.
pub(crate) struct Lines<'l> {
    table: usize,
    lines: &'l mut Vec<RmbLine>,
}

impl Lines<'_> {
    fn add(&mut self, place: &str, what: String, outcome: LineOutcome, why: impl Into<String>) {
        let place = LinePlace::Pointer(format!("/tables/{}/{place}", self.table));
        self.lines.push(RmbLine { place, what, outcome, why: why.into() });
    }
}

impl RmbTable {
    /// Adds the declarations that fit documents of these fields. What the declaration has of its own counts first.
    pub(crate) fn declare(&self, declaration: &mut Declaration, fields: &mut Vec<DocumentField>) {
        let mut lines = std::mem::take(&mut declaration.lines);
        let mut add = Lines { table: self.position, lines: &mut lines };
        declaration.metadata |= self.with_metadata;
        if self.with_metadata {
            add.add("withMetadata", "withMetadata".to_owned(), LineOutcome::Taken, "");
        }
        if self.with_auditing {
            let why = "no history of changes is written";
            add.add("withAuditing", "withAuditing".to_owned(), LineOutcome::Refused, why);
        }
        self.versions(declaration, &mut add);
        for (at, key) in self.foreign_keys.iter().enumerate() {
            key.declare(at, declaration, fields, &mut add);
        }
        let own = declaration.indexes.len();
        let mut searches: Vec<DeclaredSearch> = Vec::new();
        let mut declared = Vec::new();
        for (kind, name) in KINDS {
            for (at, entry) in self.entries(kind).iter().enumerate() {
                let is_added = entry.t_ops != Operation::Delete;
                let made =
                    is_added.then(|| entry.declare(kind, declaration, fields, &mut searches));
                declared.push((kind, format!("{name}/{at}"), entry, made));
            }
        }
        // Conditions of indexes mean what searches do, which is known by now.
        for (kind, place, entry, made) in declared {
            let name = place.split('/').next().unwrap_or_default();
            let what = format!("{name} of {}", quoted(&entry.field_name));
            let (outcome, why) = match made {
                None => (LineOutcome::Taken, String::new()),
                Some(Err(why)) => (LineOutcome::Refused, why),
                Some(Ok((path, folding))) => {
                    let target = IndexTarget { path: &path, kind, folding };
                    entry.index(target, fields, &searches, declaration)
                }
            };
            add.add(&place, what, outcome, why);
        }
        declaration.search.declared = Some(searches);
        self.words(declaration, own);
        declaration.lines = lines;
        match (&self.custom_snippet_path, &self.snippet) {
            (Some(path), Some(text)) => snippet::declare(path, text, declaration, fields),
            (Some(path), None) => {
                let place =
                    LinePlace::Pointer(format!("/tables/{}/customSnippetPath", self.position));
                let what = format!("customSnippetPath {}", quoted(path));
                let why = "the file is not there".to_owned();
                declaration.lines.push(RmbLine { place, what, outcome: LineOutcome::Refused, why });
            }
            (None, _) => {}
        }
    }

    /// The entries of a kind of index.
    fn entries(&self, kind: IndexKind) -> &[Entry] {
        match kind {
            IndexKind::Trigram => &self.gin_index,
            IndexKind::Like => &self.like_index,
            IndexKind::Unique => &self.unique_index,
            IndexKind::FullText => &self.full_text_index,
            _ => &self.index,
        }
    }

    /// Gives the words of the indexes that the file declares its dictionary.
    fn words(&self, declaration: &mut Declaration, own: usize) {
        let Some(name) = self.dictionary.as_ref().filter(|name| *name != SIMPLE) else { return };
        let added = declaration.indexes.iter().skip(own);
        let words = added.filter(|index| index.kind == IndexKind::FullText);
        let words = words.map(|index| (index.path.clone(), name.clone()));
        declaration.search.dictionaries.0.extend(words);
    }

    fn versions(&self, declaration: &mut Declaration, lines: &mut Lines<'_>) {
        let (outcome, why) = match self.with_optimistic_locking.as_deref() {
            None | Some("off") => return,
            Some("failOnConflict") => (LineOutcome::Taken, ""),
            Some("failOnConflictUnlessSuppressed") => (
                LineOutcome::Otherwise,
                "_version -1 suppresses nothing, as there without DB_ALLOW_SUPPRESS_OPTIMISTIC_LOCKING",
            ),
            Some("logOnConflict") => (LineOutcome::Refused, "conflicts are not logged"),
            Some(_) => (LineOutcome::Refused, "it is none of RMB's values"),
        };
        declaration.versioned |= outcome != LineOutcome::Refused;
        let what = "withOptimisticLocking".to_owned();
        lines.add("withOptimisticLocking", what, outcome, why);
    }
}

impl ForeignKey {
    fn declare(
        &self,
        at: usize,
        declaration: &mut Declaration,
        fields: &[DocumentField],
        lines: &mut Lines<'_>,
    ) {
        let place = format!("foreignKeys/{at}");
        let to = quoted(&self.target_table);
        if self.t_ops == Operation::Delete {
            return lines.add(&place, format!("foreignKey to {to}"), LineOutcome::Taken, "");
        }
        let (alias, inverse) = (self.target_table_alias.clone(), self.table_alias.clone());
        if !self.target_path.is_empty() {
            let what = format!("foreignKey to {to} by {}", quoted(&self.target_path.join(" → ")));
            let (steps, table) = (self.target_path.clone(), self.target_table.clone());
            declaration.path_keys.push(PathKey { steps, table, alias, inverse });
            return lines.add(&place, what, LineOutcome::Taken, "");
        }
        let what = format!("foreignKey {} to {to}", quoted(&self.field_name));
        let field = fields.iter().find(|field| field.path == self.field_name);
        let why = match field {
            None => "the JSON Schema has no such member",
            Some(field) if field.repeated => "it lies in an array",
            Some(_) => "",
        };
        if !why.is_empty() {
            return lines.add(&place, what, LineOutcome::Refused, why);
        }
        if declaration.references.iter().all(|one| one.path != self.field_name) {
            declaration.references.push(Reference {
                alias,
                inverse,
                only_named: true,
                ..Reference::new(&self.field_name, &self.target_table)
            });
        }
        lines.add(&place, what, LineOutcome::Taken, "");
    }
}
