//! Types whose values are texts in a form of their own, such as network addresses: a row each.
//!
//! To add one: its row in [`TEXT_FORMS`], and in `docs/types.md`. Where the database's cast to text gives another form
//! than the one that clients see, the dialect says so in `selected`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::address;

/// A form of texts.
pub struct TextForm {
    /// The database's name of the type.
    pub name: &'static str,
    /// What a text must be, as in "must be …".
    pub expected: &'static str,
    /// A value, for descriptions.
    pub example: &'static str,
    /// The one spelling of a text; `None` where it has not this form.
    pub canonical: fn(&str) -> Option<String>,
    /// The database's order of two texts; `None` where one has not this form.
    pub compare: fn(&str, &str) -> Option<Ordering>,
}

/// All of them.
pub static TEXT_FORMS: [TextForm; 1] = [TextForm {
    name: "inet",
    expected: "a network address such as 10.0.0.1 or 10.0.0.0/8",
    example: "10.0.0.1",
    canonical: address::canonical,
    compare: address::compare,
}];

impl TextForm {
    /// The form of the database's type of that name.
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
    fn every_form_knows_its_example() {
        for form in &TEXT_FORMS {
            assert_eq!(TextForm::of(form.name), Some(form));
            assert_eq!((form.canonical)(form.example).as_deref(), Some(form.example));
            assert_eq!((form.compare)(form.example, form.example), Some(Ordering::Equal));
        }
        assert_eq!(TextForm::of("text"), None);
    }
}
