//! Matching of [`regex_pattern`](duet_model::regex_pattern) where the store has no regular expressions.

use regex::{Regex, RegexBuilder};

pub(crate) use duet_model::regex_pattern::{Problem, read};

/// The matcher of a pattern printed by [`read`]; `None` for an invalid pattern.
pub fn compile(printed: &str) -> Option<Regex> {
    RegexBuilder::new(printed).dot_matches_new_line(true).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_compiles() {
        for pattern in [
            "",
            "a.c",
            r"^\d+(st|nd)$",
            r"[^a\-z-~\]]{2,}",
            "(?:ab){3,4}|",
            r"[[:digit:]\s_]",
            r"\W\.\n",
        ] {
            let printed = read(pattern).unwrap().printed;
            assert!(compile(&printed).is_some(), "{printed}");
        }
        assert!(compile("a.c").unwrap().is_match("a\nc"));
        assert!(compile("(").is_none());
    }
}
