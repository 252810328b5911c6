//! What a form or a query has sent.

/// Names and values, in the order in which they were sent.
pub(super) struct Form(Vec<(String, String)>);

/// Reads a form, or a query, which has the same form.
pub(super) fn parameters(text: &[u8]) -> Form {
    Form(form_urlencoded::parse(text).into_owned().collect())
}

impl Form {
    /// The value of a name; empty without one.
    pub(super) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// All values of a name.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Whether a name was sent with this value.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(known, sent)| known == name && sent == value)
    }
}
