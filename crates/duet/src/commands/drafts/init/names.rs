//! Names for what a database calls by words with capitals or spaces.

/// Lower-case words between underscores: `InvoiceLine` and `Invoice line` are both `invoice_line`.
pub(in crate::commands) fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, &char) in chars.iter().enumerate() {
        if !char.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| chars.get(before));
        let begins_word = char.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                // The last capital of several begins the next word: `HTTPServer`.
                || before.is_some_and(|before| before.is_uppercase())
                    && chars.get(at + 1).is_some_and(|next| next.is_lowercase()));
        if begins_word && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(char.to_lowercase());
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// A key of TOML: bare where that is allowed.
pub(in crate::commands) fn toml_key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { toml_text(name) }
}

/// A text of TOML on one line.
pub(in crate::commands) fn toml_text(text: &str) -> String {
    match text.contains(|char: char| char.is_control()) {
        // JSON escapes them all but DEL, as TOML's basic strings do.
        true => serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F"),
        false => toml::Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_on_one_line() {
        for text in ["a\nb", "tab\t'\"\\", "\u{1}\u{7f}", "plain", "it's"] {
            let written = format!("{} = {}", toml_key(text), toml_text(text));
            assert!(!written.contains('\n'), "{written}");
            let read: toml::Table = toml::from_str(&written).unwrap();
            assert_eq!(read[text].as_str(), Some(text), "{written}");
        }
    }

    #[test]
    fn words_are_found() {
        for (name, expected) in [
            ("InvoiceLine", "invoice_line"),
            ("invoice_line", "invoice_line"),
            ("HTTPServer", "http_server"),
            ("UnitPrice2", "unit_price2"),
            ("Area51Name", "area51_name"),
            ("alphabetical list of products", "alphabetical_list_of_products"),
            ("_Id_", "id"),
            ("Übergröße", "übergröße"),
            ("ÜberGröße", "über_größe"),
            ("--", ""),
        ] {
            assert_eq!(snake_case(name), expected);
        }
    }
}
