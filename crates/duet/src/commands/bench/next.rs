//! What a command names at its end: the commands that go on from its result.

use std::borrow::Cow;
use std::path::Path;

/// The lines that name the next commands; nothing where there is none.
pub(super) fn next(commands: &[String]) -> String {
    let mut text = String::new();
    for (at, command) in commands.iter().enumerate() {
        let label = if at == 0 { "Next:" } else { "     " };
        text.push_str(&format!("{label} {command}\n"));
    }
    text
}

/// Makes a page of results.
pub(super) fn report(results: &[&Path]) -> String {
    format!("duet bench report {} --out report.html", words(results))
}

/// Compares results.
pub(super) fn compare(results: &[&Path]) -> String {
    format!("duet bench compare {}", words(results))
}

fn words(paths: &[&Path]) -> String {
    let words: Vec<String> = paths.iter().map(|path| quoted(&path.to_string_lossy())).collect();
    words.join(" ")
}

/// A word as a shell takes it.
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
