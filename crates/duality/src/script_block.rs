//! Definitions of views in PL/SQL blocks: the texts of `EXECUTE IMMEDIATE` and `DBMS_SQL.PARSE`, which a block runs at
//! once.

use std::ops::Range;

use crate::script_scanner::{Scanner, closing};

/// A block without the views that it defines, and what is left of it.
pub(crate) struct Block {
    /// Its text with blanks instead of everything but the views; lines and offsets stay.
    pub(crate) views: String,
    /// What a list of skipped statements calls it.
    pub(crate) kind: &'static str,
}

/// A text in quotes.
struct Literal {
    /// What is between the quotes.
    content: Range<usize>,
    /// Whether a quote inside is written twice.
    is_plain: bool,
}

impl Block {
    /// Divides a block; `is_view` knows a definition by its text.
    pub(crate) fn of(text: &str, is_view: fn(&str) -> bool) -> Self {
        let (mut views, mut taken, mut at) = (String::with_capacity(text.len()), 0, 0);
        let mut executed = Scanner { text, at: 0 };
        let mut is_composed = false;
        while let Some(literal) = next_executed(&mut executed, &mut is_composed) {
            let content = &text[literal.content.clone()];
            let read =
                if literal.is_plain { content.replace("''", "'") } else { content.to_owned() };
            if !is_view(&read) {
                continue;
            }
            // A quotation inside a quotation of the text has no form of the same length.
            if literal.is_plain && content.contains("''''") {
                is_composed = true;
                continue;
            }
            views.push_str(&blanked(&text[at..literal.content.start]));
            views.push_str(&if literal.is_plain { unquoted(content) } else { content.to_owned() });
            at = literal.content.end;
            if !content.trim_end().ends_with(';') {
                views.push(';');
                at += 1;
            }
            taken += 1;
        }
        views.push_str(&blanked(&text[at..]));
        let mentions = text.to_ascii_uppercase().contains("DUALITY VIEW");
        let kind = match taken {
            0 if mentions => {
                "PL/SQL block; a duality view in it is no plain text of EXECUTE IMMEDIATE or DBMS_SQL.PARSE"
            }
            0 => "PL/SQL block",
            _ if is_composed => {
                "the rest of a PL/SQL block, with a composed text of EXECUTE IMMEDIATE"
            }
            _ => "the rest of a PL/SQL block, whose views are read",
        };
        Self { views, kind }
    }
}

/// Goes behind the next text that `EXECUTE IMMEDIATE` runs as it is written; others are composed.
fn next_executed(scanner: &mut Scanner<'_>, is_composed: &mut bool) -> Option<Literal> {
    while !scanner.rest().is_empty() {
        if is_word(scanner, PARSE) {
            scanner.at += PARSE.len();
            match parsed(scanner) {
                Some(literal) => return Some(literal),
                None => *is_composed = true,
            }
            continue;
        }
        if !is_word(scanner, "EXECUTE") {
            scanner.skip_token(false);
            continue;
        }
        scanner.at += "EXECUTE".len();
        scanner.skip_blanks();
        if !is_word(scanner, "IMMEDIATE") {
            continue;
        }
        scanner.at += "IMMEDIATE".len();
        scanner.skip_blanks();
        let literal = literal(scanner);
        scanner.skip_blanks();
        match literal {
            Some(literal) if !scanner.rest().starts_with("||") => return Some(literal),
            _ => *is_composed = true,
        }
    }
    None
}

/// The procedure that reads a statement, which defines a view at once.
const PARSE: &str = "DBMS_SQL.PARSE";

/// Goes behind the text of `DBMS_SQL.PARSE(cursor, 'text', …)`.
fn parsed(scanner: &mut Scanner<'_>) -> Option<Literal> {
    while !scanner.rest().is_empty() && !scanner.rest().starts_with([',', ';', '\'']) {
        scanner.skip_token(false);
    }
    scanner.rest().strip_prefix(',')?;
    scanner.at += 1;
    scanner.skip_blanks();
    if is_word(scanner, "statement") {
        scanner.at += "statement".len();
        scanner.skip_blanks();
        scanner.rest().strip_prefix("=>")?;
        scanner.at += "=>".len();
        scanner.skip_blanks();
    }
    let literal = literal(scanner)?;
    scanner.skip_blanks();
    (!scanner.rest().starts_with("||")).then_some(literal)
}

/// Goes behind a text in quotes.
fn literal(scanner: &mut Scanner<'_>) -> Option<Literal> {
    let (start, rest) = (scanner.at, scanner.rest());
    if rest.starts_with('\'') {
        // A quote that is written twice ends no quotation.
        while scanner.rest().starts_with('\'') {
            scanner.skip_token(false);
        }
        let content = scanner.text[start + 1..scanner.at].strip_suffix('\'')?;
        return Some(Literal { content: start + 1..start + 1 + content.len(), is_plain: true });
    }
    let opens = rest.get(..2).is_some_and(|text| text.eq_ignore_ascii_case("q'"));
    let bracket = rest.chars().nth(2).filter(|_| opens)?;
    scanner.skip_token(false);
    let begin = start + 2 + bracket.len_utf8();
    let content = scanner.text.get(begin..scanner.at)?;
    let content = content.strip_suffix('\'')?.strip_suffix(closing(bracket))?;
    Some(Literal { content: begin..begin + content.len(), is_plain: false })
}

fn is_word(scanner: &Scanner<'_>, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_$#".contains(char);
    let rest = scanner.rest();
    let found = rest.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word));
    found
        && !scanner.text[..scanner.at].ends_with(is_part)
        && !rest[word.len()..].starts_with(is_part)
}

/// The text with quotes that were written twice, in the same length: a blank is outside of each quotation.
fn unquoted(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    for (at, part) in content.split("''").enumerate() {
        if at > 0 {
            text.push_str(if at % 2 == 1 { " '" } else { "' " });
        }
        text.push_str(part);
    }
    text
}

/// Blanks instead of a text, byte for byte; lines stay.
pub(crate) fn blanked(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> (String, &'static str) {
        let block = Block::of(text, |text| text.starts_with("CREATE JSON"));
        assert_eq!(block.views.len(), text.len());
        (block.views.split_whitespace().collect::<Vec<_>>().join(" "), block.kind)
    }

    #[test]
    fn composed_texts_are_named() {
        let (views, kind) =
            block("BEGIN EXECUTE IMMEDIATE 'CREATE JSON DUALITY VIEW ' || name; END;");
        assert_eq!(views, "");
        assert_eq!(
            kind,
            "PL/SQL block; a duality view in it is no plain text of EXECUTE IMMEDIATE or DBMS_SQL.PARSE"
        );
        let text = "BEGIN EXECUTE IMMEDIATE text; EXECUTE IMMEDIATE('CREATE JSON'); \
                    EXECUTE IMMEDIATE 'CREATE JSON DUALITY VIEW a AS t {id}' ; END;";
        let (views, kind) = block(text);
        assert_eq!(views, "CREATE JSON DUALITY VIEW a AS t {id};");
        assert_eq!(kind, "the rest of a PL/SQL block, with a composed text of EXECUTE IMMEDIATE");
        for text in [
            "BEGIN DBMS_SQL.PARSE(c, 'CREATE JSON DUALITY VIEW a AS t {id}', DBMS_SQL.NATIVE); END;",
            "begin dbms_sql.parse (c => c, statement => 'CREATE JSON DUALITY VIEW a AS t {id}'); end;",
        ] {
            assert_eq!(block(text).0, "CREATE JSON DUALITY VIEW a AS t {id};", "{text}");
        }
        let (_, kind) =
            block("BEGIN DBMS_SQL.PARSE(c, 'CREATE JSON DUALITY VIEW ' || name, 1); END;");
        assert!(kind.ends_with("or DBMS_SQL.PARSE"), "{kind}");
        for text in [
            "BEGIN DBMS_SQL.PARSE",
            "DBMS_SQL.PARSE(c, 'é",
            "BEGIN EXECUTE IMMEDIATE '",
            "EXECUTE IMMEDIATE q'[é",
            "EXECUTE IMMEDIATE 'é",
            "BEGIN execute",
            "q'",
        ] {
            assert_eq!(block(text), (String::new(), "PL/SQL block"), "{text}");
        }
    }

    #[test]
    fn quotes_that_are_written_twice_keep_their_length() {
        assert_eq!(unquoted("{''a'' : ''b c''}"), "{ 'a'  :  'b c' }");
        let (views, kind) = block("EXECUTE IMMEDIATE 'CREATE JSON WHERE a = ''it''''s'''");
        assert_eq!((&*views, kind), ("", "PL/SQL block"));
    }
}
