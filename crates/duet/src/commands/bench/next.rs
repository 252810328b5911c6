//! Suggestions at the end of a command: the commands that use its result.

use std::borrow::Cow;
use std::path::Path;

/// The lines with the next commands; empty without any.
pub(super) fn next(commands: &[String]) -> String {
    let mut text = String::new();
    for (at, command) in commands.iter().enumerate() {
        let label = if at == 0 { "Next:" } else { "     " };
        text.push_str(&format!("{label} {command}\n"));
    }
    text
}

/// Suggests a page of results.
pub(super) fn report(results: &[&Path]) -> String {
    format!("duet bench report {} --out report.html", words(results))
}

/// Suggests a comparison of results.
pub(super) fn compare(results: &[&Path]) -> String {
    format!("duet bench compare {}", words(results))
}

fn words(paths: &[&Path]) -> String {
    let words: Vec<String> = paths.iter().map(|path| quoted(&path.to_string_lossy())).collect();
    words.join(" ")
}

/// A shell-quoted word.
pub(super) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted() {
        let (a, b) = (Path::new("before"), Path::new("out of/after"));
        let text = next(&[report(&[a]), compare(&[a, b])]);
        let expected = "Next: duet bench report before --out report.html\n      duet bench compare before 'out of/after'\n";
        assert_eq!(text, expected);
        assert_eq!(next(&[]), "");
    }
}
