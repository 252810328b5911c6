//! Paths inside JSON as SQLite's functions take them.

/// A path as SQLite's JSON functions take it; `None` for names that it has no form for.
pub(crate) fn json_literal(path: &[String]) -> Option<String> {
    let mut literal = String::from("$");
    for step in path {
        if step.contains(['"', '\\']) {
            return None;
        }
        let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
        literal.push('.');
        if !step.is_empty() && step.chars().all(is_word) {
            literal.push_str(step);
        } else {
            literal.push('"');
            literal.push_str(step);
            literal.push('"');
        }
    }
    (!path.is_empty()).then_some(literal)
}
