//! Types whose values are formatted text, such as network addresses.
//!
//! To add a type, add a row to [`TEXT_FORMS`] and to `docs/types.md`. If the database's cast to text
//! differs from the format that clients see, adapt `selected` in the dialect.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use duet_text::address;

/// A type of formatted text.
pub struct TextForm {
    /// The database's name of the type.
    pub name: &'static str,
    /// The expected format, as in "must be …".
    pub expected: &'static str,
    /// An example value, for API descriptions.
    pub example: &'static str,
    /// The canonical spelling; `None` if the text has another format.
    pub canonical: fn(&str) -> Option<String>,
    /// The database's order of two values; `None` if one has another format.
    pub compare: fn(&str, &str) -> Option<Ordering>,
}

/// All types of formatted text.
pub static TEXT_FORMS: [TextForm; 1] = [TextForm {
    name: "inet",
    expected: "a network address such as 10.0.0.1 or 10.0.0.0/8",
    example: "10.0.0.1",
    canonical: address::canonical,
    compare: address::compare,
}];

impl TextForm {
    /// The entry for a database type.
    pub fn of(name: &str) -> Option<&'static Self> {
        TEXT_FORMS.iter().find(|form| form.name == name)
    }
}

impl fmt::Debug for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for TextForm {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TextForm {}

impl Hash for TextForm {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_canonical() {
        for form in &TEXT_FORMS {
            assert_eq!(TextForm::of(form.name), Some(form));
            assert_eq!((form.canonical)(form.example).as_deref(), Some(form.example));
            assert_eq!((form.compare)(form.example, form.example), Some(Ordering::Equal));
        }
        assert_eq!(TextForm::of("text"), None);
    }
}
