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

    /// The text of a number, which is a property of properties where it has a class of its own.
    pub(super) fn number_of(&self, name: &str) -> &str {
        let is_named = |child: &&Self| {
            child.children.iter().any(|part| part.tag == "name" && part.text == name)
        };
        match self.property(name) {
            Some(property) if property.children.is_empty() => &property.text,
            Some(property) => property.value(),
            None => self.children.iter().find(is_named).map_or("", Self::value),
        }
    }

    fn value(&self) -> &str {
        let value = self.children.iter().find(|part| part.tag == "value");
        value.map_or("", |value| value.text.as_str())
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.text_of(name) == "true"
    }

    /// The elements inside of a collection: `<elementProp>` in `<collectionProp name="…">`.
    pub(super) fn collection(&self, name: &str) -> &[Self] {
        self.property(name).map_or(&[], |property| &property.children)
    }

    /// The element with the properties of another one where it has none or an empty one, and the arguments of both.
    pub(super) fn merged(&self, defaults: &Self) -> Self {
        let mut merged = self.copy();
        for child in &defaults.children {
            let name = child.attribute("name");
            let own = merged.children.iter_mut().find(|own| own.attribute("name") == name);
            match own {
                None => merged.children.push(child.copy()),
                Some(own) if name == ARGUMENTS => own.append(child),
                Some(own) if own.text.is_empty() && own.children.is_empty() => *own = child.copy(),
                Some(_) => {}
            }
        }
        merged
    }

    /// Adds the arguments of another list of arguments.
    fn append(&mut self, other: &Self) {
        let more = other.collection("Arguments.arguments").iter().map(Self::copy);
        let own =
            self.children.iter_mut().find(|own| own.attribute("name") == "Arguments.arguments");
        match own {
            Some(own) => own.children.extend(more),
            None => self.children.extend(other.children.iter().map(Self::copy)),
        }
    }

    /// The same element once more.
    pub(super) fn copy(&self) -> Self {
        Self {
            tag: self.tag.clone(),
            attributes: self.attributes.clone(),
            children: self.children.iter().map(Self::copy).collect(),
            text: self.text.clone(),
            line: self.line,
        }
    }
}

/// The property with the arguments of a request.
const ARGUMENTS: &str = "HTTPsampler.Arguments";
