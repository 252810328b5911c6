//! The table of a collection, as its declaration describes it: the objects that the store creates on request, and
//! their comparison.

use duet_text::fold::Fold;

use super::document_field::{DocumentField, Folding};
use super::search_rules::Dictionaries;
use crate::catalog::Relation;
use crate::catalog::index_kind::IndexKind;
use crate::expressions::expr::Expr;
use crate::values::types::Type;

/// The column with the key of a document.
pub const KEY: &str = "id";

/// The column with the document.
pub const DOCUMENT: &str = "jsonb";

/// The table of a collection. Beside key and document it has a column for each reference, and on SQLite
/// one for each indexed value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollectionTable {
    /// Its schema; the default one if absent.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
    /// The references to documents of other collections.
    pub references: Vec<CollectionReference>,
    /// The indexes, those of references included.
    pub indexes: Vec<CollectionIndex>,
    /// The dictionaries of its words.
    pub dictionaries: Dictionaries,
}

/// A value of a document that is the key of another document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionReference {
    /// The member names, joined by dots.
    pub path: String,
    /// The table that it refers to.
    pub table: String,
    /// Whether a document is deleted with the one that it refers to.
    pub cascades: bool,
    /// Whether its table is made later, as where two refer to each other: the key is added then.
    pub is_ahead: bool,
}

impl CollectionReference {
    /// The column that is computed from the value.
    pub fn column(&self) -> String {
        column_name(&self.path)
    }
}

/// A short name of a text (FNV-1a): not against collisions on purpose, of which there are none within a declaration.
fn fnv1a(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The name of an index without a condition over columns, which `_` joins, however long it is.
pub fn plain_name(table: &str, columns: &str, kind: IndexKind) -> String {
    format!("{table}_{columns}_idx{}", kind.suffix())
}

/// The bytes of a name that PostgreSQL keeps; what follows them is lost without a word.
const MOST_BYTES: usize = 63;

/// A name that every store keeps whole: the end of a longer one is replaced by a number that follows from its text.
///
/// ```
/// use duet_model::collection::fitted;
///
/// assert_eq!(fitted("items_due_idx".to_owned()), "items_due_idx");
/// let [one, other] = ["a", "b"].map(|end| fitted("items_".repeat(12) + end));
/// assert!(one.len() <= 63 && one != other);
/// ```
pub fn fitted(name: String) -> String {
    if name.len() <= MOST_BYTES {
        return name;
    }
    let number = format!("_{:08x}", fnv1a(&name));
    let kept = &name[..name.floor_char_boundary(MOST_BYTES - number.len())];
    format!("{kept}{number}")
}

/// Whether a name may be one of which the end was [replaced](fitted): its kind cannot be read from it.
pub fn is_fitted(name: &str) -> bool {
    let number = name.rsplit_once('_').map_or("", |(_, number)| number);
    let is_number = number.len() == 8 && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    // The last character in front of the number may have several bytes.
    is_number && (MOST_BYTES - 3..=MOST_BYTES).contains(&name.len())
}

/// The column that is computed from the value at a path.
pub fn column_name(path: &str) -> String {
    path.to_lowercase().replace('.', "_")
}

/// An index of the values at a path.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionIndex {
    /// What is indexed.
    pub field: DocumentField,
    /// What it can find.
    pub kind: IndexKind,
    /// How it holds texts, where that is not how those of the field compare.
    pub folding: Option<Folding>,
    /// Its name, where that is not made of its values.
    pub own_name: Option<String>,
    /// Further values, by which documents with the same value are in order.
    pub then: Vec<DocumentField>,
    /// The documents that it has; `None` for all of them.
    pub condition: Option<IndexCondition>,
}

/// Which documents an index has: those of which a condition holds. It serves searches that have the
/// same condition.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexCondition {
    /// The condition in CQL, as it was declared.
    pub text: String,
    /// The conditions that must all hold, with their values in the form of
    /// [`CollectionDocument::canonical`](crate::CollectionDocument::canonical).
    pub all: Vec<Expr>,
    /// The values that they name.
    pub fields: Vec<DocumentField>,
}

impl CollectionIndex {
    /// An index of the values of one field.
    pub fn new(field: DocumentField, kind: IndexKind) -> Self {
        let (folding, own_name) = (None, None);
        Self { field, kind, folding, own_name, then: Vec::new(), condition: None }
    }

    /// Its fields in their order.
    pub fn fields(&self) -> impl Iterator<Item = &DocumentField> {
        std::iter::once(&self.field).chain(&self.then)
    }

    /// Its name: `line_details_due_idx`, as RMB calls it, [fitted]. A condition adds a number that follows from its
    /// text, since one value may have several such indexes.
    pub fn name(&self, table: &str) -> String {
        if let Some(name) = &self.own_name {
            return fitted(name.clone());
        }
        let columns: Vec<String> = self.fields().map(|field| column_name(&field.path)).collect();
        let name = plain_name(table, &columns.join("_"), self.kind);
        fitted(match &self.condition {
            Some(condition) => format!("{name}_{:08x}", fnv1a(&condition.text)),
            None => name,
        })
    }

    /// Its name and the documents that it has, for explanations.
    pub fn shown(&self, table: &str) -> String {
        let name = self.name(table);
        match &self.condition {
            Some(condition) => format!("{name} where {}", condition.text),
            None => name,
        }
    }

    /// Whether a table has it.
    pub fn is_in(&self, table: &Relation) -> bool {
        let name = self.name(&table.name);
        table.indexes.iter().any(|known| known.name == name)
    }

    /// The column of its values, where the table has one.
    pub fn column(&self) -> String {
        column_name(&self.field.path)
    }

    /// Whether it holds texts as this leaves them.
    pub fn holds(&self, fold: Option<Fold>) -> bool {
        self.holds_folded() == fold
    }

    /// What the texts in it are without.
    pub fn holds_folded(&self) -> Option<Fold> {
        self.folded(&self.field)
    }

    /// What the texts of one of its fields are without.
    pub fn folded(&self, field: &DocumentField) -> Option<Fold> {
        match (self.kind, self.folding(field)) {
            // Words are searched without case and accents.
            (IndexKind::FullText, _) if self.folding.is_none() => Some(Fold::Both),
            (_, Folding::Always(fold)) => Some(fold),
            _ => None,
        }
    }

    /// Whether it holds texts of a field without case or accents.
    fn folding(&self, field: &DocumentField) -> Folding {
        match (self.kind, &field.ty) {
            (IndexKind::FullText, _) => self.folding.unwrap_or(Folding::ByRelation),
            (_, Type::Text) if self.folding.is_some() => self.folding.unwrap_or_default(),
            (_, Type::Text) => field.folding,
            _ => Folding::Never,
        }
    }
}
