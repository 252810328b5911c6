//! Texts with `${name}` in them.

/// The values of a template, by name.
pub(super) type Values<'a> = [(&'a str, String)];

/// The names between `${` and `}`, in their order.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split('}').next())
}

/// Whether a text has this name.
pub(super) fn has(text: &str, name: &str) -> bool {
    names(text).any(|found| found == name)
}

/// The text with its values. Names without a value stay: the description was checked before.
pub(super) fn filled(text: &str, values: &Values<'_>) -> String {
    values
        .iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_replace_names() {
        let text = "GET /a/${id}?of=${key}&${id}";
        assert_eq!(names(text).collect::<Vec<_>>(), ["id", "key", "id"]);
        assert!(has(text, "key") && !has(text, "count"));
        let values = [("id", "7".to_owned()), ("key", "k".to_owned())];
        assert_eq!(filled(text, &values), "GET /a/7?of=k&7");
    }
}
