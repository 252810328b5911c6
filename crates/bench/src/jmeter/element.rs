//! What JMeter keeps in the elements of its plans.

use crate::xml::Element;

impl Element {
    /// What the element is called in JMeter.
    pub(super) fn name(&self) -> &str {
        self.attribute("testname")
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.attribute("enabled") != "false"
    }

    /// A property of this name.
    pub(super) fn property(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.attribute("name") == name)
    }

    /// The text of a property; empty where there is none.
    pub(super) fn text_of(&self, name: &str) -> &str {
        self.property(name).map_or("", |property| &property.text)
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.text_of(name) == "true"
    }

    /// The elements inside of a collection: `<elementProp>` in `<collectionProp name="…">`.
    pub(super) fn collection(&self, name: &str) -> &[Self] {
        self.property(name).map_or(&[], |property| &property.children)
    }
}
