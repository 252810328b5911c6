//! What the pages of management ask before they change something, and a secret that they show once.

/// What is asked before it is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What is done: the value of the button.
    pub action: &'static str,
    /// What the answer sends with it, by name.
    pub fields: Vec<(&'static str, String)>,
    /// What will be done, in numbers.
    pub words: String,
    /// The button.
    pub button: &'static str,
}

impl Question {
    /// Whether something ends by it.
    pub(crate) fn is_danger(&self) -> bool {
        !matches!(self.action, "add" | "set" | "link")
    }
}

/// A secret, which is shown this once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSecret {
    /// The id of its client.
    pub id: String,
    /// What it is: `Secret`, or `Address` of a link.
    pub label: &'static str,
    /// The secret.
    pub text: String,
}
