//! Text for terminals: lines of at most 80 columns, counted nouns, rates.

/// Columns that every terminal has.
pub const COLUMNS: usize = 80;

/// A text broken at blanks into lines of at most `width` characters; lines after the first begin with
/// `indent`. A word that is longer than a line stays whole.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = leading_blanks(paragraph).to_owned();
        let mut is_empty = true;
        for word in paragraph.split_whitespace() {
            let length = line.chars().count() + usize::from(!is_empty) + word.chars().count();
            if !is_empty && length > width {
                lines.push(std::mem::replace(&mut line, indent.to_owned()));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn leading_blanks(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(' ').len()]
}

/// A text of at most `width` characters; what is cut ends with `…`.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// A number with its noun: `1 user`, `2 users`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", plural(count, noun))
}

fn plural(count: u64, noun: &str) -> &'static str {
    match count {
        1 => "",
        _ if noun.ends_with("ss") => "es",
        _ => "s",
    }
}

/// A rate or a share with at most two decimals and no zeros behind them: `166.67`, `50`.
pub fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // A rate below a hundredth has digits of its own.
    if text == "0" && value != 0.0 { format!("{value:.1e}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrap("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrap("  - a bb ccc", 8, "    "), "  - a bb\n    ccc");
        assert_eq!(wrap("a\n\nb", 80, ""), "a\n\nb");
        assert_eq!(wrap("https://a.very.long/word is", 10, " "), "https://a.very.long/word\n is");
        assert_eq!(wrap("", 10, " "), "");
    }

    #[test]
    fn numbers_with_their_nouns() {
        let told = [0, 1, 2].map(|count| counted(count, "process"));
        assert_eq!(told, ["0 processes", "1 process", "2 processes"]);
        assert_eq!(counted(1, "user"), "1 user");
        let told = [500.0 / 3.0, 50.0, 0.5, 100.0, 0.0, 0.001].map(short);
        assert_eq!(told, ["166.67", "50", "0.5", "100", "0", "1.0e-3"]);
        assert_eq!((cut("abcdef", 4), cut("abc", 4)), ("abc…".to_owned(), "abc".to_owned()));
    }
}
