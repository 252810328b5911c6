//! Collections: JSON documents of one kind in one table, searched by what their declaration indexes.
//!
//! Pure. A [`Declaration`] describes the stored documents, a JSON Schema their valid content;
//! [`Collection::new`] checks the one against the other. A collection then names the fields of its
//! documents and their table, checks bodies, and completes them to their stored form.
//!
//! ```
//! use duet_collection::{Collection, Declaration};
//!
//! let schema = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
//!     "name": {"type": "string"}}, "additionalProperties": false}"#;
//! let declaration = Declaration::new("teams");
//! let collection = Collection::new(declaration, schema).unwrap();
//! assert_eq!(collection.fields().len(), 2);
//! assert_eq!(collection.check(r#"{"nmae": "A"}"#)[0].code, duet_model::Code::DocumentSchema);
//! ```

mod complete;
mod conversions;
mod declaration;
mod defaults;
mod fields;
mod index_condition;
mod joined_list;
mod pairs;
mod related;
mod rmb;
mod rmb_file;
mod schema;
mod schema_files;

use std::sync::Arc;

use duet_model::collection::column_name;
use duet_model::shape::Folding;
use duet_model::{
    CollectionDocument, CollectionIndex, CollectionReference, CollectionTable, DocumentField,
    Error, IndexCondition, IndexKind, Relation, Type,
};
use duet_text::name::nearest;
use duet_text::problem::{did_you_mean, quoted};

pub use complete::{CompletedDocument, Moment};
pub use declaration::{Declaration, DeclaredIndex, Mistake, PathKey, Reference};
pub use joined_list::JoinedList;
pub use related::RelatedDocuments;
pub use rmb::snippet::{SqlStatement, sql_statements};
pub use rmb_file::keys::{KEYS as RMB_KEYS, RmbKey, RmbLevel};
pub use rmb_file::line::{LineOutcome, LinePlace, RmbLine};
pub use rmb_file::schema::{RmbSchema, RmbScript, RmbTable, RmbView};
pub use schema_files::{files_of_schema, schema_of_files};

use defaults::Defaults;
use schema::Validator;

/// A collection whose declaration and schema agree.
#[derive(Debug)]
pub struct Collection {
    declaration: Declaration,
    schema: Arc<str>,
    validator: Validator,
    defaults: Defaults,
    /// The schema as a value, by which bodies are converted.
    parsed: serde_json::Value,
    fields: Vec<DocumentField>,
    open: bool,
    /// The conditions of the declared indexes, in their order.
    conditions: Vec<Option<IndexCondition>>,
    /// The members of `metadata` that name users and must be UUIDs.
    uuid_users: Vec<&'static str>,
}

impl PartialEq for Collection {
    fn eq(&self, other: &Self) -> bool {
        (&self.declaration, &self.schema) == (&other.declaration, &other.schema)
    }
}

impl Collection {
    /// A declared collection of documents with this JSON Schema.
    ///
    /// # Errors
    /// What is wrong with the schema, and each declared path that is not in it.
    pub fn new(mut declaration: Declaration, schema: &str) -> Result<Self, Vec<Mistake>> {
        let parsed = schema::read(schema).map_err(|mistake| vec![mistake])?;
        let validator = Validator::new(&parsed).map_err(|mistake| vec![mistake])?;
        let (mut fields, open) = fields::of(&parsed);
        if let Some(table) = declaration.rmb.take() {
            table.declare(&mut declaration, &mut fields);
        }
        fields.extend(pairs::of(&declaration, &fields)?);
        let mistakes = declaration.unknown_paths(&fields);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        for field in &mut fields {
            if declaration.exact.contains(&field.path) {
                field.folding = Folding::Never;
            }
        }
        let defaults = Defaults::of(&parsed);
        declaration.search.object_arrays = fields::object_arrays(&parsed);
        let uuid_users = complete::uuid_users(&parsed);
        let (schema, conditions) = (schema.into(), Vec::new());
        let mut made = Self {
            declaration,
            schema,
            validator,
            defaults,
            parsed,
            fields,
            open,
            conditions,
            uuid_users,
        };
        made.conditions = made.read_conditions()?;
        Ok(made)
    }

    /// The conditions of the declared indexes.
    fn read_conditions(&self) -> Result<Vec<Option<IndexCondition>>, Vec<Mistake>> {
        let Declaration { table, references, indexes, .. } = &self.declaration;
        let columns = references.iter().map(|one| column_name(&one.path));
        let table = index_condition::table(table, columns);
        let Some(document) = self.document(&table) else { return Ok(Vec::new()) };
        let (mut read, mut mistakes) = (Vec::new(), Vec::new());
        for index in indexes {
            let text = index.condition.as_deref();
            let condition = text.map(|text| index_condition::read(index, text, &document, &table));
            match condition.transpose() {
                Ok(condition) => read.push(condition),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if mistakes.is_empty() { Ok(read) } else { Err(mistakes) }
    }

    /// What was declared.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// What of RMB's declarations is not taken, or taken by other means.
    pub fn notes(&self) -> impl Iterator<Item = &RmbLine> {
        self.declaration.lines.iter().filter(|line| line.outcome != LineOutcome::Taken)
    }

    /// The values that filters and orders may name, in the order of the schema.
    pub fn fields(&self) -> &[DocumentField] {
        &self.fields
    }

    /// The table, in this schema.
    pub fn table(&self, schema: Option<&str>) -> CollectionTable {
        let Declaration { table, references, indexes, .. } = &self.declaration;
        let field = |path: &str| self.fields.iter().find(|field| field.path == path).cloned();
        let index = |(at, declared): (usize, &DeclaredIndex)| {
            let then = declared.further().iter().filter_map(|path| field(path)).collect();
            let condition = self.conditions.get(at).cloned().flatten();
            let (field, kind) = (field(&declared.path)?, declared.kind);
            let (folding, own_name) = (declared.folding, declared.name.clone());
            Some(CollectionIndex { field, kind, folding, own_name, then, condition })
        };
        let indexes = indexes.iter().enumerate().filter_map(index);
        CollectionTable {
            schema: schema.map(str::to_owned),
            name: table.clone(),
            references: references
                .iter()
                .map(|one| CollectionReference {
                    path: one.path.clone(),
                    table: one.table.clone(),
                    cascades: one.cascades,
                    is_ahead: false,
                })
                .collect(),
            indexes: indexes.collect(),
            dictionaries: self.declaration.search.dictionaries.clone(),
        }
    }

    /// The document of a shape over the table: values that have a column there are read from it.
    pub fn document(&self, relation: &Relation) -> Option<CollectionDocument> {
        let column = relation.column_index(duet_model::collection::DOCUMENT)?;
        let indexed = |field: &DocumentField| {
            let has = |index: &DeclaredIndex| {
                index.path == field.path || index.further().contains(&field.path)
            };
            let mut conditions = self.conditions.iter().flatten().flat_map(|it| &it.fields);
            let declared = self.declaration.indexes.iter().any(has)
                || conditions.any(|named| named.path == field.path);
            let column =
                relation.columns.iter().position(|one| one.name == column_name(&field.path));
            column.filter(|_| declared && !field.repeated)
        };
        let key = relation.column_index(duet_model::collection::KEY);
        let referring = |field: &DocumentField| {
            let mut references = self.declaration.references.iter();
            references
                .any(|one| one.path == field.path)
                .then(|| relation.column_index(&column_name(&field.path)))
                .flatten()
        };
        let fields = self.fields.iter().map(|field| {
            let own = (field.path == duet_model::collection::KEY).then_some(key).flatten();
            let by_key = own.or_else(|| referring(field));
            let column = by_key.or_else(|| indexed(field));
            let ty = by_key.map_or(field.ty.clone(), |_| Type::Uuid);
            let folding = if by_key.is_some() { Folding::Never } else { field.folding };
            DocumentField { column, ty, folding, ..field.clone() }
        });
        Some(CollectionDocument {
            shown: true,
            spread: false,
            column,
            fields: fields.collect(),
            open: self.open,
            list: self.declaration.list.as_str().into(),
            indexes: self.table(None).indexes.into(),
            schema: Arc::clone(&self.schema),
            search: self.declaration.search.clone().into(),
        })
    }

    /// The path of the value that a column or an index of the table has, by its name.
    pub fn path_of(&self, name: &str) -> Option<&str> {
        let Declaration { table, references, indexes, .. } = &self.declaration;
        let is_it = |path: &&str| column_name(path) == name.to_lowercase();
        let indexed = indexes.iter().flat_map(|it| std::iter::once(&it.path).chain(it.further()));
        let paths = references.iter().map(|one| &one.path).chain(indexed);
        let of_index = || {
            let is_named = |index: &CollectionIndex| index.name(table) == name;
            let found = self.table(None).indexes.into_iter().find(is_named)?;
            indexes.iter().map(|it| it.path.as_str()).find(|path| *path == found.field.path)
        };
        paths.map(String::as_str).find(is_it).or_else(of_index)
    }

    /// What is wrong with the text of a document by its schema, each with its JSON pointer. Members that the
    /// server sets need not be there.
    pub fn check(&self, text: &str) -> Vec<Error> {
        self.validator.check(text, &self.declaration)
    }
}

/// The mistake of a path that the schema does not have.
fn unknown_path(path: &str, fields: &[DocumentField]) -> Mistake {
    let near = nearest(path, fields.iter().map(|field| field.path.as_str()));
    Mistake {
        path: Some(path.to_owned()),
        message: format!("The JSON Schema has no member {}.", quoted(path)),
        hint: near.map(did_you_mean),
    }
}

/// Whether an index of this kind can hold the values of a field.
fn misfit(field: &DocumentField, kind: IndexKind) -> Option<String> {
    let is_text = matches!(field.ty, Type::Text | Type::Enum(_));
    let of_text = matches!(
        kind,
        IndexKind::Like
            | IndexKind::Trigram
            | IndexKind::Nearest
            | IndexKind::FullText
            | IndexKind::Prefix
    );
    let path = quoted(&field.path);
    match (&field.ty, kind.is_of_pairs()) {
        (Type::Pair(_), true) => return None,
        (Type::Pair(_), false) => {
            return Some(format!(
                "{path} is made of two members, which have indexes of their own."
            ));
        }
        _ => {}
    }
    if kind == IndexKind::Elements {
        return (!field.repeated)
            .then(|| format!("{path} lies in no array, which this kind of index needs."));
    }
    if field.repeated {
        return Some(format!("{path} lies in an array: it has no single value to index."));
    }
    if !is_text && of_text {
        return Some(format!("{path} is no text, which this kind of index needs."));
    }
    if kind == IndexKind::Totals && !matches!(field.ty, Type::Boolean | Type::Enum(_)) {
        return Some(format!(
            "{path} may have any number of values: totals are kept by labels (`enum`) and by true and false."
        ));
    }
    if field.ty == Type::Boolean && kind == IndexKind::BlockRange {
        return Some(format!("{path} is true or false, which has no ranges."));
    }
    matches!(field.ty, Type::Json).then(|| format!("{path} has no type to index by."))
}
