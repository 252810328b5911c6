//! RMB's `schema.json` as data: its tables, keys and indexes.
//!
//! Source: FOLIO's raml-module-builder 35, `schema.json`.

use serde::Deserialize;

use super::keys;
use super::line::{LineOutcome, LinePlace, RmbLine};

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
/// let notes: Vec<String> = collection.notes().map(|line| line.to_string()).collect();
/// assert_eq!(notes, ["index of `lost`: searched without an index: the JSON Schema has no such member"]);
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RmbSchema {
    tables: Vec<RmbTable>,
    #[serde(rename = "fullText")]
    full_text: Option<FullText>,
    #[serde(rename = "exactCount")]
    exact_count: Option<u64>,
    scripts: Vec<RmbScript>,
    views: Vec<RmbView>,
    #[serde(skip)]
    unknown: Vec<RmbLine>,
}

/// One of its scripts: SQL that a new or upgraded module runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RmbScript {
    /// The SQL itself.
    pub snippet: Option<String>,
    /// The file with it.
    pub snippet_path: Option<String>,
}

/// One of its views: a join of tables in SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RmbView {
    view_name: String,
    mode: Option<String>,
}

impl RmbView {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.view_name
    }

    /// Whether it is to go, as one of an earlier version.
    pub fn is_deleted(&self) -> bool {
        self.mode.as_deref() == Some("delete")
    }
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
    /// Its place among the tables.
    #[serde(skip)]
    pub(crate) position: usize,
    /// The text of the file that `customSnippetPath` names.
    #[serde(skip)]
    pub(crate) snippet: Option<String>,
}

impl RmbTable {
    fn is_deleted(&self) -> bool {
        self.mode.as_deref() == Some("delete")
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.table_name
    }

    /// Its place among the tables of the file.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The file that `customSnippetPath` names.
    pub fn snippet_path(&self) -> Option<&str> {
        self.custom_snippet_path.as_deref()
    }

    /// Gives it the text of that file.
    pub fn with_snippet(mut self, text: Option<String>) -> Self {
        self.snippet = text;
        self
    }
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
    pub(crate) string_type: bool,
    pub(crate) where_clause: Option<String>,
    pub(crate) multi_field_names: Option<String>,
    pub(crate) sql_expression: Option<String>,
    pub(crate) sql_expression_query: Option<String>,
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
            string_type: true,
            where_clause: None,
            multi_field_names: None,
            sql_expression: None,
            sql_expression_query: None,
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
    /// Reads the text of a `schema.json`. Keys that are not known are ignored, as RMB ignores them, and have
    /// [lines](Self::unknown_keys).
    ///
    /// # Errors
    /// Text that is not JSON, or has a value of another type; with line and column.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut read: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        read.unknown = keys::unknown(&value);
        for (at, table) in read.tables.iter_mut().enumerate() {
            table.position = at;
        }
        Ok(read)
    }

    /// The tables that are not deleted.
    pub fn tables(&self) -> impl Iterator<Item = RmbTable> {
        let kept = self.tables.iter().filter(|table| !table.is_deleted());
        kept.filter_map(|table| self.table(&table.table_name))
    }

    /// The tables that the file deletes, by their places.
    pub fn deleted(&self) -> impl Iterator<Item = (usize, &str)> {
        let deleted = self.tables.iter().filter(|table| table.is_deleted());
        deleted.map(|table| (table.position, table.table_name.as_str()))
    }

    /// The number up to which totals are exact, if the file says.
    pub fn exact_count(&self) -> Option<u64> {
        self.exact_count
    }

    /// Its scripts.
    pub fn scripts(&self) -> &[RmbScript] {
        &self.scripts
    }

    /// Its views.
    pub fn views(&self) -> &[RmbView] {
        &self.views
    }

    /// The lines of keys that are unknown.
    pub fn unknown_keys(&self) -> &[RmbLine] {
        &self.unknown
    }

    /// The lines of the file and of one of its tables that are left out, whatever a collection is.
    pub fn left_out<'s>(&'s self, table: &RmbTable) -> impl Iterator<Item = RmbLine> + use<'s> {
        let own = format!("/tables/{}/", table.position);
        let is_here = move |line: &&RmbLine| match &line.place {
            LinePlace::Pointer(place) => place.starts_with(&own) || !place.starts_with("/tables/"),
            LinePlace::Sql(..) => true,
        };
        let views = self.views.iter().enumerate().filter(|(_, view)| !view.is_deleted());
        let views = views.map(|(at, view)| RmbLine {
            place: LinePlace::Pointer(format!("/views/{at}/viewName")),
            what: format!("the view `{}`", view.name()),
            outcome: LineOutcome::Refused,
            why: "searches follow references in place of joins".to_owned(),
        });
        self.unknown.iter().filter(is_here).cloned().chain(views)
    }

    /// The table of this name; `None` also for one that the file deletes.
    pub fn table(&self, name: &str) -> Option<RmbTable> {
        let kept = self.tables.iter().filter(|table| !table.is_deleted());
        let found = kept.into_iter().find(|table| table.table_name == name)?;
        let dictionary = self.full_text.as_ref().and_then(|it| it.default_dictionary.clone());
        Some(RmbTable { dictionary, ..found.clone() })
    }

    /// The names of its tables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.table_name.as_str())
    }
}
