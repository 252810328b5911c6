//! The search rules of a collection, besides the types of its fields.

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

    /// The rule of the array at a path.
    pub fn array(&self, path: &str) -> Option<&SearchedArray> {
        self.arrays.iter().find(|array| array.path == path)
    }
}
