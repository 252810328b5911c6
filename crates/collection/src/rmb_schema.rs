//! RMB's `schema.json` as data: its tables, keys and indexes.
//!
//! Source: FOLIO's raml-module-builder 35, `schema.json`.

use serde::Deserialize;

/// The tables of a `schema.json`.
///
/// ```
/// use duet_collection::{Collection, Declaration, RmbSchema};
///
/// let file = r#"{"tables": [{"tableName": "item", "withMetadata": true,
///     "index": [{"fieldName": "title"}, {"fieldName": "lost"}]}]}"#;
/// let mut declaration = Declaration::new("item");
/// declaration.rmb = RmbSchema::read(file).unwrap().table("item");
/// let schema = r#"{"properties": {"id": {"type": "string"}, "title": {"type": "string"}}}"#;
/// let collection = Collection::new(declaration, schema).unwrap();
/// assert!(collection.declaration().metadata);
/// assert_eq!(collection.notes(), ["index of `lost`: the JSON Schema has no such member"]);
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RmbSchema {
    tables: Vec<RmbTable>,
    #[serde(rename = "fullText")]
    full_text: Option<FullText>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FullText {
    default_dictionary: Option<String>,
}

/// One of its tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RmbTable {
    pub(crate) table_name: String,
    pub(crate) mode: Option<String>,
    pub(crate) with_metadata: bool,
    pub(crate) with_auditing: bool,
    pub(crate) with_optimistic_locking: Option<String>,
    pub(crate) custom_snippet_path: Option<String>,
    pub(crate) foreign_keys: Vec<ForeignKey>,
    pub(crate) index: Vec<Entry>,
    pub(crate) unique_index: Vec<Entry>,
    pub(crate) like_index: Vec<Entry>,
    pub(crate) gin_index: Vec<Entry>,
    pub(crate) full_text_index: Vec<Entry>,
    /// That of its words, which the file has for all tables.
    #[serde(skip)]
    pub(crate) dictionary: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ForeignKey {
    pub(crate) field_name: String,
    pub(crate) target_path: Vec<String>,
    pub(crate) target_table: String,
    pub(crate) table_alias: Option<String>,
    pub(crate) target_table_alias: Option<String>,
    pub(crate) t_ops: Operation,
}

/// One index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Entry {
    pub(crate) field_name: String,
    pub(crate) t_ops: Operation,
    pub(crate) case_sensitive: bool,
    pub(crate) remove_accents: bool,
    pub(crate) where_clause: Option<String>,
    pub(crate) multi_field_names: Option<String>,
    pub(crate) sql_expression: Option<String>,
    pub(crate) array_subfield: Option<String>,
    pub(crate) array_modifiers: Vec<String>,
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            field_name: String::new(),
            t_ops: Operation::Add,
            case_sensitive: false,
            remove_accents: true,
            where_clause: None,
            multi_field_names: None,
            sql_expression: None,
            array_subfield: None,
            array_modifiers: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Operation {
    #[default]
    Add,
    Delete,
}

impl RmbSchema {
    /// Reads the text of a `schema.json`. Keys that are not known are ignored, as RMB ignores them.
    ///
    /// # Errors
    /// Text that is not JSON, or has a value of another type; with line and column.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The table of this name; `None` also for one that the file deletes.
    pub fn table(&self, name: &str) -> Option<RmbTable> {
        let is_kept = |table: &&RmbTable| table.mode.as_deref() != Some("delete");
        let found = self.tables.iter().filter(is_kept).find(|table| table.table_name == name)?;
        let dictionary = self.full_text.as_ref().and_then(|it| it.default_dictionary.clone());
        Some(RmbTable { dictionary, ..found.clone() })
    }

    /// The names of its tables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.table_name.as_str())
    }
}
