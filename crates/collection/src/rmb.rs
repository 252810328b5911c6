//! RMB's declarations: the tables of a `schema.json`, each as part of a [`Declaration`].
//!
//! RMB compares no path with the JSON Schema, and its entries
//! may have SQL of their own: what cannot be used is left out, and a note says so.

use duet_model::search_rules::SIMPLE;
use duet_model::shape::Folding;
use duet_model::{DocumentField, IndexKind, SearchedArray};
use duet_text::Fold;
use duet_text::problem::quoted;

use crate::declaration::{Declaration, DeclaredIndex, Reference};
use crate::rmb_schema::{Entry, ForeignKey, Operation, RmbTable};
use crate::{misfit, rmb_condition};

impl RmbTable {
    /// Adds the declarations that fit documents of these fields; the rest becomes notes. What the
    /// declaration has of its own counts first.
    pub(crate) fn declare(&self, declaration: &mut Declaration, fields: &[DocumentField]) {
        declaration.metadata |= self.with_metadata;
        self.versions(declaration);
        let notes = &mut declaration.notes;
        if self.with_auditing {
            notes.push("withAuditing: no history of changes is written".to_owned());
        }
        if let Some(path) = &self.custom_snippet_path {
            notes.push(format!(
                "customSnippetPath {}: not run; app.toml names SQL files with `prepare`",
                quoted(path)
            ));
        }
        for key in self.foreign_keys.iter().filter(|key| key.t_ops == Operation::Add) {
            key.declare(declaration);
        }
        let kinds = [
            (IndexKind::Unique, "uniqueIndex", &self.unique_index),
            (IndexKind::Ordered, "index", &self.index),
            (IndexKind::Like, "likeIndex", &self.like_index),
            (IndexKind::Trigram, "ginIndex", &self.gin_index),
            (IndexKind::FullText, "fullTextIndex", &self.full_text_index),
        ];
        let own = declaration.indexes.len();
        for (kind, key, entries) in kinds {
            for entry in entries.iter().filter(|entry| entry.t_ops == Operation::Add) {
                if let Err(why) = entry.declare(kind, declaration, fields) {
                    declaration
                        .notes
                        .push(format!("{key} of {}: {why}", quoted(&entry.field_name)));
                }
            }
        }
        self.words(declaration, own);
    }

    /// Gives the words of the indexes that the file declares its dictionary.
    fn words(&self, declaration: &mut Declaration, own: usize) {
        let Some(name) = self.dictionary.as_ref().filter(|name| *name != SIMPLE) else { return };
        let added = declaration.indexes.iter().skip(own);
        let words = added.filter(|index| index.kind == IndexKind::FullText);
        let words = words.map(|index| (index.path.clone(), name.clone()));
        declaration.search.dictionaries.0.extend(words);
    }

    fn versions(&self, declaration: &mut Declaration) {
        let note = match self.with_optimistic_locking.as_deref() {
            Some("failOnConflict") => None,
            Some("failOnConflictUnlessSuppressed") => {
                Some("withOptimisticLocking: _version -1 does not suppress the comparison")
            }
            Some("logOnConflict") => {
                let note = "withOptimisticLocking \"logOnConflict\": conflicts are not logged";
                declaration.notes.push(note.to_owned());
                return;
            }
            _ => return,
        };
        declaration.versioned = true;
        declaration.notes.extend(note.map(str::to_owned));
    }
}

impl ForeignKey {
    fn declare(&self, declaration: &mut Declaration) {
        if !self.target_path.is_empty() {
            declaration.notes.push(format!(
                "foreignKeys to {} by a targetPath: searches name each step instead",
                quoted(&self.target_table)
            ));
            return;
        }
        if declaration.references.iter().any(|one| one.path == self.field_name) {
            return;
        }
        declaration.references.push(Reference {
            alias: self.target_table_alias.clone(),
            inverse: self.table_alias.clone(),
            ..Reference::new(&self.field_name, &self.target_table)
        });
    }
}

impl Entry {
    /// Adds the index; otherwise says why not.
    fn declare(
        &self,
        kind: IndexKind,
        declaration: &mut Declaration,
        fields: &[DocumentField],
    ) -> Result<(), String> {
        if self.array_subfield.is_some() || !self.array_modifiers.is_empty() {
            self.declare_array(declaration, fields);
        }
        if self.multi_field_names.is_some() {
            return Err("indexes with multiFieldNames are not made".to_owned());
        }
        let condition = match &self.where_clause {
            Some(sql) => Some(rmb_condition::of(sql, fields).ok_or(
                "its whereClause is none that compares members with values, as their searches do",
            )?),
            None => None,
        };
        if self.field_name.contains(',') {
            return Err("indexes of several members are not made".to_owned());
        }
        let path = &self.field_name;
        let field = fields.iter().find(|field| field.path == *path);
        let field = field.ok_or_else(|| missing(path, fields).to_owned())?;
        if let Some(why) = misfit(field, kind) {
            return Err(why.trim_end_matches('.').to_owned());
        }
        if kind != IndexKind::FullText {
            let folding = self.folding().ok_or("its sqlExpression is not used")?;
            let known = declaration.foldings.iter().find(|(other, _)| other == path);
            if known.is_some_and(|(_, known)| *known != folding) {
                return Err("another index of it treats case and accents otherwise".to_owned());
            }
            declaration.foldings.push((path.clone(), folding));
        }
        let index = DeclaredIndex { condition, ..DeclaredIndex::new(path, kind) };
        if !declaration.indexes.contains(&index) {
            declaration.indexes.push(index);
        }
        Ok(())
    }

    fn declare_array(&self, declaration: &mut Declaration, fields: &[DocumentField]) {
        let has = |member: &String| {
            let path = format!("{}.{member}", self.field_name);
            fields.iter().any(|field| field.path == path)
        };
        let is_known = |array: &SearchedArray| array.path == self.field_name;
        let Some(subfield) = self.array_subfield.clone().filter(&has) else { return };
        if declaration.search.arrays.iter().any(is_known) {
            return;
        }
        declaration.search.arrays.push(SearchedArray {
            path: self.field_name.clone(),
            subfield,
            modifiers: self.array_modifiers.iter().filter(|member| has(member)).cloned().collect(),
        });
    }

    /// How its texts compare; `None` where SQL of its own is of something else than the member.
    fn folding(&self) -> Option<Folding> {
        let (case, accents) = match &self.sql_expression {
            Some(sql) => rmb_condition::of_expression(sql, &self.field_name)?,
            None => (!self.case_sensitive, self.remove_accents),
        };
        Some(Fold::of(case, accents).map_or(Folding::Never, Folding::Always))
    }
}

/// Why no field has this path.
fn missing(path: &str, fields: &[DocumentField]) -> &'static str {
    let below = format!("{path}.");
    match fields.iter().any(|field| field.path.starts_with(&below)) {
        true => "it has members, no single value",
        false => "the JSON Schema has no such member",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collection;
    use crate::RmbSchema;

    const DOCUMENT: &str = r#"{"properties": {
        "id": {"type": "string", "format": "uuid"}, "orderId": {"type": "string", "format": "uuid"},
        "title": {"type": "string"}, "note": {"type": "string"}, "rush": {"type": "boolean"},
        "details": {"type": "object", "properties": {"kind": {"type": "string"}}},
        "contributors": {"type": "array", "items": {"type": "object",
            "properties": {"name": {"type": "string"}, "typeId": {"type": "string"}}}}}}"#;

    fn read(table: &str) -> Collection {
        let file = RmbSchema::read(&format!(r#"{{"tables": [{table}]}}"#)).unwrap();
        let mut declaration = Declaration::new("line");
        declaration.rmb = file.table("line");
        assert!(declaration.rmb.is_some(), "{table}");
        Collection::new(declaration, DOCUMENT).unwrap()
    }

    #[test]
    fn reads_a_declared_table() {
        let read = read(
            r#"{"tableName": "line", "withMetadata": true, "withOptimisticLocking": "failOnConflict",
                "foreignKeys": [{"fieldName": "orderId", "targetTable": "orders", "tableAlias": "lines",
                                 "targetTableAlias": "order"}],
                "index": [{"fieldName": "details.kind", "caseSensitive": true, "removeAccents": false,
                           "sqlExpression": "(jsonb->'details'->>'kind')", "sqlExpressionQuery": "$"},
                          {"fieldName": "rush"}, {"fieldName": "note", "tOps": "DELETE"}],
                "ginIndex": [{"fieldName": "title", "removeAccents": false},
                             {"fieldName": "contributors", "arraySubfield": "name",
                              "arrayModifiers": ["typeId", "lost"]}],
                "fullTextIndex": [{"fieldName": "title"}]}"#,
        );
        let declaration = read.declaration();
        assert!(declaration.metadata && declaration.versioned);
        let reference = &declaration.references[0];
        assert_eq!(
            (reference.alias.as_deref(), reference.inverse.as_deref()),
            (Some("order"), Some("lines"))
        );
        let indexes: Vec<_> =
            declaration.indexes.iter().map(|one| (one.path.as_str(), one.kind)).collect();
        assert_eq!(
            indexes,
            [
                ("details.kind", IndexKind::Ordered),
                ("rush", IndexKind::Ordered),
                ("title", IndexKind::Trigram),
                ("title", IndexKind::FullText)
            ]
        );
        let folding = |path: &str| read.fields().iter().find(|it| it.path == path).unwrap().folding;
        assert_eq!(folding("details.kind"), Folding::Never);
        assert_eq!(folding("title"), Folding::Always(Fold::Case));
        assert_eq!(folding("note"), Folding::Always(Fold::Both));
        let array = &declaration.search.arrays[0];
        assert_eq!((&*array.subfield, &*array.modifiers), ("name", &["typeId".to_owned()][..]));
        assert_eq!(read.notes(), ["ginIndex of `contributors`: it has members, no single value"]);
    }

    #[test]
    fn unsupported_declarations_are_noted() {
        let read = read(
            r#"{"tableName": "line", "customSnippetPath": "line.sql", "withAuditing": true,
                "foreignKeys": [{"targetPath": ["orderId", "vendorId"], "targetTable": "vendor"}],
                "uniqueIndex": [{"fieldName": "title,note"}, {"fieldName": "title", "whereClause": "WHERE length(jsonb->>'title') > 3"}],
                "index": [{"fieldName": "title", "sqlExpression": "left(jsonb->>'title', 20)"},
                          {"fieldName": "note", "caseSensitive": true}],
                "likeIndex": [{"fieldName": "note"}]}"#,
        );
        let expected = [
            "withAuditing: no history of changes is written",
            "customSnippetPath `line.sql`: not run; app.toml names SQL files with `prepare`",
            "foreignKeys to `vendor` by a targetPath: searches name each step instead",
            "uniqueIndex of `title,note`: indexes of several members are not made",
            "uniqueIndex of `title`: its whereClause is none that compares members with values, as their searches do",
            "index of `title`: its sqlExpression is not used",
            "likeIndex of `note`: another index of it treats case and accents otherwise",
        ];
        assert_eq!(read.notes(), expected);
        assert_eq!(read.declaration().indexes.len(), 1);
    }

    #[test]
    fn files() {
        assert!(RmbSchema::read("{").unwrap_err().contains("line 1"));
        let deleted = r#"{"tables": [{"tableName": "old", "mode": "delete"}]}"#;
        assert_eq!(RmbSchema::read(deleted).unwrap().table("old"), None);
    }
}
