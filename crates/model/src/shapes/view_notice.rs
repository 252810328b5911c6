//! Events of the documents of a view: `NOTIFY` of its directives.

/// Which writes through a view become events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewNotice {
    /// The name of its directive, where it has one.
    pub name: Option<String>,
    /// Documents that are new.
    pub insert: bool,
    /// Documents that have changed.
    pub update: bool,
    /// Documents that are gone.
    pub delete: bool,
}

impl ViewNotice {
    /// The words of the writes, in the order of Oracle's clause.
    pub fn words(&self) -> Vec<&'static str> {
        let all = [(self.insert, "INSERT"), (self.update, "UPDATE"), (self.delete, "DELETE")];
        all.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect()
    }
}

impl Default for ViewNotice {
    /// All of them.
    fn default() -> Self {
        Self { name: None, insert: true, update: true, delete: true }
    }
}
