//! The search rules of a collection, besides the types of its fields.

use duet_text::Fold;

use crate::profiles::ProfileRef;

/// The rules of a collection's searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRules {
    /// The profile that searches and documents are for.
    pub profile: ProfileRef,
    /// The paths that a term without an index is looked for in.
    pub server_choice: Vec<String>,
    /// The arrays of objects whose elements conditions may choose by modifiers.
    pub arrays: Vec<SearchedArray>,
    /// The paths of arrays of objects, without those inside of others, by the JSON Schema.
    pub object_arrays: Vec<String>,
    /// The dictionaries of words.
    pub dictionaries: Dictionaries,
    /// How single paths are searched, where a `schema.json` of RMB declares that; then other paths are searched as RMB
    /// does without an index.
    pub declared: Option<Vec<DeclaredSearch>>,
    /// Names of related documents along several references, each with the path of names that leads to them.
    pub aliases: Vec<(String, String)>,
}

/// How RMB searches a path. A relation without a form of its own is searched as without an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredSearch {
    /// The name in searches.
    pub path: String,
    /// `==` and `<>`: of the first of ginIndex, likeIndex, uniqueIndex and index.
    pub whole: Option<SearchForm>,
    /// `<`, `<=`, `>` and `>=`: of index.
    pub order: Option<SearchForm>,
    /// Words: of fullTextIndex.
    pub words: Option<SearchForm>,
}

/// What is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchForm {
    /// What the texts of documents are without.
    pub value: Option<Fold>,
    /// What the terms of searches are without.
    pub term: Option<Fold>,
    /// The field of joined texts that takes the place of the member.
    pub joined: Option<String>,
    /// Why searches are refused.
    pub refused: Option<String>,
}

impl SearchForm {
    /// A form in which both sides are without the same.
    pub fn of(fold: Option<Fold>) -> Self {
        Self { value: fold, term: fold, ..Self::default() }
    }
}

/// The dictionaries by which the words of texts are compared, by the paths of the texts: text search
/// configurations of PostgreSQL. Without one it is [`SIMPLE`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionaries(pub Vec<(String, String)>);

/// The configuration by which words are as they are in the text, in lower case.
pub const SIMPLE: &str = "simple";

impl Dictionaries {
    /// That of a text.
    pub fn of(&self, path: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == path);
        found.map_or(SIMPLE, |(_, dictionary)| dictionary.as_str())
    }
}

/// An array of objects that is searched by members of one element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchedArray {
    /// The member names of the array, joined by dots.
    pub path: String,
    /// The member of an element that a term is compared with.
    pub subfield: String,
    /// The members that modifiers may name: `contributors =/@lang=en term`.
    pub modifiers: Vec<String>,
}

impl SearchRules {
    /// The path of the array of objects that a value lies in: of the outermost one.
    pub fn array_around(&self, path: &[String]) -> Option<&str> {
        let mut arrays = self.object_arrays.iter().map(String::as_str);
        arrays.find(|array| {
            let steps = array.split('.').count();
            path.len() > steps && array.split('.').eq(path[..steps].iter().map(String::as_str))
        })
    }

    /// How a path is searched.
    pub fn declared(&self, path: &str) -> Option<&DeclaredSearch> {
        self.declared.as_ref()?.iter().find(|one| one.path == path)
    }

    /// A path whose first step is the name of related documents along several references, by the names that lead to
    /// them.
    pub fn along_alias(&self, path: &str) -> Option<String> {
        let (first, rest) = path.split_once('.')?;
        let (_, names) = self.aliases.iter().find(|(name, _)| name == first)?;
        Some(format!("{names}.{rest}"))
    }

    /// The rule of the array at a path.
    pub fn array(&self, path: &str) -> Option<&SearchedArray> {
        self.arrays.iter().find(|array| array.path == path)
    }
}
