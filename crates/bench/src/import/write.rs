//! The text of a workload file.

use std::collections::BTreeSet;

/// A text in TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            char if char.is_control() => out.push_str(&format!("\\u{:04X}", char as u32)),
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

/// A text that has no placeholders, although it may look so.
pub(super) fn plain(text: &str) -> String {
    text.replace("${", "$${")
}

/// A name of letters, digits and underscores that is not taken yet.
pub(super) fn unique(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = wanted.chars().map(plain).collect();
    name = name.trim_matches('_').to_owned();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'v');
    }
    let mut candidate = name.clone();
    let mut number = 1;
    while ["user", "env"].contains(&&*candidate) || taken.contains(&candidate.to_lowercase()) {
        number += 1;
        candidate = format!("{name}_{number}");
    }
    taken.insert(candidate.to_lowercase());
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_names() {
        assert_eq!(quoted("a\"b\\c\n\u{1}"), "\"a\\\"b\\\\c\\n\\u0001\"");
        let mut taken = BTreeSet::new();
        for (wanted, expected) in
            [("a b", "a_b"), ("a-b", "a_b_2"), ("7", "v7"), ("user", "user_2"), ("A_b", "A_b_3")]
        {
            assert_eq!(unique(wanted, &mut taken), expected);
        }
    }
}
