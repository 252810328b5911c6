//! Scripts: definitions among statements and commands that define no view, such as those of SQL*Plus.
//!
//! What is not a view is blanked out before the text is read, so that all offsets stay those of the file. A
//! statement is skipped only if its first words say that it is another one; anything else is read as a view, and
//! what is wrong with it is reported at its place.
//!
//! SQL*Plus ends statements by semicolons, by lines and by slashes on lines of their own, so the
//! tokens of views cannot tell where one ends.

use duet_model::Code;

use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::script_block::{Block, blanked};
use crate::script_scanner::{Scanner, Words};
use crate::source::{DefinitionFile, Span};

/// A statement or command of a script that defines no view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStatement {
    /// Its first words, in upper case: `CREATE TABLE`, `PROMPT`; of a PL/SQL block also what is not read of it.
    pub kind: String,
    /// The position of the statement in the text.
    pub span: Span,
}

/// The statements of a text that define no view, in its order.
pub fn skipped(source: &DefinitionFile) -> Vec<SkippedStatement> {
    Script::of(&source.text).skipped
}

/// A text, divided into views and what is skipped.
pub(crate) struct Script {
    /// The text with blanks in the place of everything that is skipped; lines and offsets are those of the text.
    pub(crate) views: String,
    pub(crate) skipped: Vec<SkippedStatement>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Statements that end with a semicolon, or with a slash on a line of its own.
const STATEMENTS: &[&str] = &[
    "ADMINISTER",
    "ALTER",
    "ANALYZE",
    "ASSOCIATE",
    "AUDIT",
    "CALL",
    "COMMENT",
    "COMMIT",
    "DELETE",
    "DISASSOCIATE",
    "DROP",
    "EXPLAIN",
    "FLASHBACK",
    "GRANT",
    "INSERT",
    "LOCK",
    "MERGE",
    "NOAUDIT",
    "PURGE",
    "RENAME",
    "REVOKE",
    "ROLLBACK",
    "SAVEPOINT",
    "SELECT",
    "TRUNCATE",
    "UPDATE",
    "WITH",
];

/// Commands of SQL*Plus, SQLcl and the client of MySQL, which end with their line unless a hyphen continues it.
const COMMANDS: &[&str] = &[
    "ACCEPT",
    "APPEND",
    "ARCHIVE",
    "BREAK",
    "BTITLE",
    "CD",
    "CLEAR",
    "COL",
    "COLUMN",
    "COMPUTE",
    "CONN",
    "CONNECT",
    "COPY",
    "DEF",
    "DEFINE",
    "DELIMITER",
    "DESC",
    "DESCRIBE",
    "DISCONNECT",
    "EXEC",
    "EXECUTE",
    "EXIT",
    "HOST",
    "PASSWORD",
    "PAUSE",
    "PRINT",
    "PROMPT",
    "QUIT",
    "REM",
    "REMARK",
    "REPFOOTER",
    "REPHEADER",
    "SET",
    "SHOW",
    "SPOOL",
    "START",
    "TIMING",
    "TTITLE",
    "UNDEF",
    "UNDEFINE",
    "USE",
    "VAR",
    "VARIABLE",
    "WHENEVER",
];

/// What `CREATE` makes out of PL/SQL, whose own semicolons end no statement.
const PROGRAMS: &[&str] =
    &["FUNCTION", "PROCEDURE", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY", "JAVA", "MLE"];

/// What an anonymous block is called.
const BLOCK: &str = "PL/SQL block";

/// What makes a rule or a journal of a view (Oracle AI Database 26ai, CREATE DIRECTIVE).
const DIRECTIVE: &str = "CREATE DIRECTIVE";

/// How many words and signs of a statement are read to know what it is.
const FIRST_WORDS: usize = 40;

/// The end of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The end of its line.
    Line,
    /// The end of the first line that no hyphen ends.
    LastLine,
    /// A semicolon outside of quotes, or a slash on a line of its own.
    Semicolon,
    /// A slash on a line of its own.
    Slash,
}

/// What a statement is by its first words.
enum Kind {
    /// It defines a view, or cannot be known as anything else.
    View,
    Other(String, End),
}

impl Script {
    /// Divides a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut scanner = Scanner { text, at: usize::from(text.starts_with('\u{feff}')) * 3 };
        let mut script =
            Self { views: text.to_owned(), skipped: Vec::new(), diagnostics: Vec::new() };
        let mut blocks = Vec::new();
        while let Some(start) = scanner.statement() {
            match scanner.kind() {
                Kind::View => {
                    scanner.skip_view();
                    let options = options_of_mysql(&text[..scanner.at], start);
                    blocks.extend(options.iter().map(|_| None));
                    script.skipped.extend(options);
                }
                Kind::Other(kind, end) => {
                    let complete = scanner.skip(end);
                    let span = Span::new(start, start + text[start..scanner.at].trim_end().len());
                    match kind == DIRECTIVE {
                        // The parser reads it, and says what is not taken of it.
                        true if end == End::Semicolon => {
                            let places = places_of_notice(&text[..scanner.at], start);
                            blocks.extend(places.iter().map(|_| None));
                            script.skipped.extend(places);
                            continue;
                        }
                        true => script.diagnostics.push(directive(text, start)),
                        false => {}
                    }
                    if !complete {
                        script.diagnostics.push(endless(&kind, start));
                    }
                    let block =
                        (kind == BLOCK).then(|| Block::of(&text[span.start..span.end], is_view));
                    let kind = block.as_ref().map_or(kind, |block| block.kind.to_owned());
                    script.skipped.push(SkippedStatement { kind, span });
                    blocks.push(block);
                }
            }
        }
        script.blank(&blocks);
        script
    }

    /// Replaces what is skipped by blanks, byte for byte, but for the views that blocks define.
    fn blank(&mut self, blocks: &[Option<Block>]) {
        let mut views = String::with_capacity(self.views.len());
        let mut at = 0;
        for (SkippedStatement { span, .. }, block) in self.skipped.iter().zip(blocks) {
            views.push_str(&self.views[at..span.start]);
            match block {
                Some(block) => views.push_str(&block.views),
                None => views.push_str(&blanked(&self.views[span.start..span.end])),
            }
            at = span.end;
        }
        views.push_str(&self.views[at..]);
        self.views = views;
    }
}

/// Whether a text is the definition of a view, by its first words.
fn is_view(text: &str) -> bool {
    let mut words = Words { text, at: 0 };
    let creates = words.next().is_some_and(|word| word.eq_ignore_ascii_case("CREATE"));
    creates && matches!(Scanner { text, at: 0 }.kind(), Kind::View)
}

/// The options in front of `JSON` in a definition of MySQL that begins at `start` and is the end of the text. They choose
/// how the statement runs and as whom: here a view is read as its caller.
fn options_of_mysql(text: &str, start: usize) -> Option<SkippedStatement> {
    const OPTIONS: &[&str] = &["ALGORITHM", "DEFINER", "SQL"];
    let mut words = Words { text, at: start };
    let (mut first, mut kinds) = (None, Vec::new());
    while let Some(word) = words.next() {
        let upper = word.to_ascii_uppercase();
        let at = words.at - word.len();
        if let Some(option) = OPTIONS.iter().find(|option| **option == upper) {
            first.get_or_insert(at);
            kinds.push(if *option == "SQL" { "SQL SECURITY" } else { option });
        }
        if let (Some(first), "JSON") = (first, &*upper) {
            let end = first + text[first..at].trim_end().len();
            return Some(SkippedStatement { kind: kinds.join(", "), span: Span::new(first, end) });
        }
        if first.is_none() && !["CREATE", "ALTER", "OR", "REPLACE"].contains(&&*upper) {
            return None;
        }
    }
    None
}

/// Where Oracle keeps the events of a directive that begins at `start` and is the end of the text: here they are read
/// below the view.
fn places_of_notice(text: &str, start: usize) -> Option<SkippedStatement> {
    const CLAUSE: [&str; 3] = ["USING", "NOTIFICATION", "TABLE"];
    let (mut words, mut found) = (Words { text, at: start }, Vec::new());
    while let Some(word) = words.next() {
        found.push((words.at - word.len(), word));
    }
    let is = |at: usize, word: &str| {
        found.get(at).is_some_and(|(_, found)| found.eq_ignore_ascii_case(word))
    };
    // Behind a name that may have a schema, and quotes.
    let behind_name = |at: usize| {
        let part = |at: usize| match is(at, "\"") {
            true => (at + 1..found.len()).find(|at| is(*at, "\"")).map_or(at, |at| at) + 1,
            false => at + 1,
        };
        let end = part(at);
        if is(end, ".") { part(end + 1) } else { end }
    };
    let begins = |at: &usize| CLAUSE.iter().zip(*at..).all(|(word, at)| is(at, word));
    let first = (0..found.len()).find(begins)?;
    let mut end = behind_name(first + CLAUSE.len());
    if is(end, "NOTIFICATION") && is(end + 1, "VIEW") {
        end = behind_name(end + 2);
    }
    let (at, word) = found.get(end.min(found.len()) - 1)?;
    Some(SkippedStatement {
        kind: "NOTIFICATION TABLE and VIEW".to_owned(),
        span: Span::new(found[first].0, at + word.len()),
    })
}

/// A rule cannot be kept, so its view is not served without it.
fn directive(text: &str, start: usize) -> Diagnostic {
    let words = Words { text, at: start }.take(FIRST_WORDS).collect::<Vec<_>>();
    let is_word = |word: &&str, other: &str| word.eq_ignore_ascii_case(other);
    let behind = |word| words.iter().position(|found| is_word(found, word)).map(|at| at + 1);
    let name = |at: Option<usize>| {
        let names = at.map(|at| &words[at..]).unwrap_or_default();
        match names {
            [_, ".", name, ..] | [name, ..] => (*name).to_owned(),
            [] => String::new(),
        }
    };
    let hint =
        "Write the rule as a CHECK or a trigger of the view's tables, and take this statement out.";
    let what = "PL/SQL is not run";
    let (rule, view) = (name(behind("DIRECTIVE")), name(behind("FOR")));
    let message = format!("the directive {rule} of the view {view} is not taken: {what}");
    let span = Span::new(start, start + "CREATE".len());
    Diagnostic::new(Code::ViewSyntax, span, message).rule(rules::DIRECTIVES_OF_VIEWS).hint(hint)
}

fn endless(kind: &str, start: usize) -> Diagnostic {
    let span = Span::new(start, start + kind.split(' ').next().unwrap_or_default().len());
    let message = format!("this {kind} has no end");
    Diagnostic::new(Code::ViewSyntax, span, message)
        .rule(rules::SCRIPTS)
        .hint("Write / on a line of its own behind it.")
}

impl Scanner<'_> {
    /// Goes to the beginning of the next statement; `None` at the end of the text.
    fn statement(&mut self) -> Option<usize> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.starts_with("--") || rest.starts_with('#') {
                self.skip_line();
            } else if rest.starts_with("/*") {
                self.skip_comment();
            } else if rest.starts_with([';', '/']) {
                self.at += 1;
            } else {
                return (!rest.is_empty()).then_some(self.at);
            }
        }
    }

    fn kind(&self) -> Kind {
        let rest = self.rest();
        if rest.starts_with(['@', '!']) {
            return Kind::Other(rest[..1].to_owned(), End::Line);
        }
        let words = Words { text: self.text, at: self.at };
        let words: Vec<String> = words.take(FIRST_WORDS).map(str::to_ascii_uppercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["BEGIN" | "DECLARE", ..] => Kind::Other(BLOCK.to_owned(), End::Slash),
            ["CREATE", ..] => created(&words[1..]),
            // The parser says that a view is not altered by a file.
            ["ALTER", ..] if words.contains(&"DUALITY") && words.contains(&"AS") => Kind::View,
            [word, ..] if STATEMENTS.contains(&word) => {
                Kind::Other(word.to_owned(), End::Semicolon)
            }
            [word @ ("PROMPT" | "REM" | "REMARK"), ..] => Kind::Other(word.to_owned(), End::Line),
            [word, ..] if COMMANDS.contains(&word) => Kind::Other(word.to_owned(), End::LastLine),
            _ => Kind::View,
        }
    }

    /// Goes behind a statement; false if the text ends before it.
    fn skip(&mut self, end: End) -> bool {
        match end {
            End::Line => {
                self.skip_line();
                true
            }
            End::LastLine => {
                while self.line().trim_end().ends_with('-') {
                    self.skip_line();
                }
                self.skip_line();
                true
            }
            End::Slash => self.skip_to_slash(),
            End::Semicolon => {
                while !self.rest().is_empty() {
                    if self.begins_line() && self.line().trim() == "/" {
                        return true;
                    }
                    if self.rest().starts_with(';') {
                        self.at += 1;
                        return true;
                    }
                    self.skip_token(false);
                }
                true
            }
        }
    }

    fn skip_to_slash(&mut self) -> bool {
        self.skip_line();
        while !self.rest().is_empty() {
            let slash = self.line().trim() == "/";
            if slash {
                return true;
            }
            self.skip_line();
        }
        false
    }

    /// Goes behind a view: its semicolon, or before a slash on a line of its own, or before a line that begins
    /// another statement behind the braces of the view.
    fn skip_view(&mut self) {
        let start = self.at;
        let (mut open, mut closed) = (0_usize, false);
        while !self.rest().is_empty() {
            match self.rest().as_bytes()[0] {
                b';' => {
                    self.at += 1;
                    return;
                }
                b'{' | b'(' | b'[' => open += 1,
                b'}' | b')' | b']' => {
                    open = open.saturating_sub(1);
                    closed = open == 0;
                }
                _ => {}
            }
            let outside = self.at > start && open == 0 && self.begins_line();
            if outside && (self.line().trim() == "/" || (closed && self.begins_statement())) {
                return;
            }
            self.skip_token(true);
        }
    }

    /// Whether a line behind the members of a view begins another statement and not a part of the view, whose tags
    /// have the names of statements too.
    fn begins_statement(&self) -> bool {
        let words = Words { text: self.text, at: self.at };
        let words: Vec<String> = words.take(2).map(str::to_ascii_uppercase).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["INSERT", "INTO"] | ["DELETE", "FROM"] => true,
            ["INSERT" | "DELETE" | "UPDATE" | "WITH" | "CHECK" | "START", ..] | ["VIEW", ..] => {
                false
            }
            ["CREATE" | "BEGIN" | "DECLARE", ..] => true,
            [word, ..] => STATEMENTS.contains(&word) || COMMANDS.contains(&word),
            [] => false,
        }
    }
}

/// What a `CREATE` makes; `words` are those behind it.
fn created(words: &[&str]) -> Kind {
    const OPTIONS: &[&str] = &[
        "OR",
        "REPLACE",
        "NO",
        "FORCE",
        "EDITIONABLE",
        "NONEDITIONABLE",
        "AND",
        "RESOLVE",
        "COMPILE",
        "NOFORCE",
    ];
    let count = words.len();
    let mut words = words.iter().copied().skip_while(|word| OPTIONS.contains(word));
    let what = words.next().unwrap_or_default();
    let other = |end| Kind::Other(format!("CREATE {what}"), end);
    match what {
        "JSON" if words.next() != Some("COLLECTION") => Kind::View,
        "VIEW" => {
            let mut body = words.skip_while(|word| *word != "AS").skip(1);
            match (body.next(), body.next()) {
                (Some("SELECT"), Some("JSON" | "JSON_OBJECT" | "{")) => Kind::View,
                (Some("SELECT" | "WITH" | "("), _) => other(End::Semicolon),
                // A list of columns is in front of AS, which only views of the database have.
                (None, _) if count + 1 >= FIRST_WORDS => other(End::Semicolon),
                _ => Kind::View,
            }
        }
        "" => Kind::View,
        "ALGORITHM" | "DEFINER" | "SQL" if words.any(|word| word == "DUALITY") => Kind::View,
        "DIRECTIVE" => {
            let mut own = words.take_while(|word| *word != ";");
            let is_block = own.any(|word| matches!(word, "BEGIN" | "DECLARE" | "FUNCTION"));
            other(if is_block { End::Slash } else { End::Semicolon })
        }
        _ if PROGRAMS.contains(&what) => other(End::Slash),
        _ => other(End::Semicolon),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(String, usize)> {
        let source = DefinitionFile::new("all.sql", text);
        let found = skipped(&source);
        found.into_iter().map(|one| (one.kind, source.position(one.span.start).0)).collect()
    }

    fn views(text: &str) -> String {
        let script = Script::of(text);
        assert_eq!(script.views.len(), text.len());
        assert_eq!(script.views.matches('\n').count(), text.matches('\n').count());
        script.views.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn statements_and_commands_are_skipped() {
        let text = "-- a script
SET ECHO ON
PROMPT It's here; /* no comment */
prompt -----
COLUMN name -
  FORMAT a20
WHENEVER SQLERROR EXIT FAILURE
@@tables.sql
drop table if exists team;
CREATE TABLE team (id NUMBER PRIMARY KEY, -- a key; really
  name VARCHAR2(10) DEFAULT 'a;b', note VARCHAR2(9) DEFAULT q'[it's; so]');
view a as team { id };
INSERT INTO team VALUES (1, 'CREATE JSON DUALITY VIEW');
GRANT SELECT ON team TO hr
/
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON team
BEGIN
  EXECUTE IMMEDIATE 'view x as team { id };';
END;
/
DECLARE n NUMBER; BEGIN n := 1; END;
/
CREATE VIEW plain AS SELECT id, name FROM team;
CREATE VIEW listed (id, name) AS (SELECT id, name FROM team);
CREATE JSON DUALITY VIEW b AS team { id }
/
COMMIT;
EXIT
";
        assert_eq!(
            views(text),
            "-- a script view a as team { id }; / / / CREATE JSON DUALITY VIEW b AS team { id } /"
        );
        let expected = [
            ("SET", 2),
            ("PROMPT", 3),
            ("PROMPT", 4),
            ("COLUMN", 5),
            ("WHENEVER", 7),
            ("@", 8),
            ("DROP", 9),
            ("CREATE TABLE", 10),
            ("INSERT", 13),
            ("GRANT", 14),
            ("CREATE TRIGGER", 16),
            ("PL/SQL block", 21),
            ("CREATE VIEW", 23),
            ("CREATE VIEW", 24),
            ("COMMIT", 27),
            ("EXIT", 28),
        ];
        assert_eq!(kinds(text), expected.map(|(kind, line)| (kind.to_owned(), line)));
    }

    #[test]
    fn views_need_no_semicolon_before_other_statements() {
        let text = "CREATE JSON DUALITY VIEW a AS
  SELECT JSON {'id' : t.id}
    FROM team t WITH
      INSERT
      UPDATE
      DELETE
INSERT INTO team VALUES (1);
CREATE JSON DUALITY VIEW b AS team(check: {id: {_gt: 1}})
  @insert { id # INSERT INTO team; }
    'set' }
COMMIT;
";
        assert_eq!(kinds(text), [("INSERT".to_owned(), 7), ("COMMIT".to_owned(), 11)]);
        assert_eq!(
            views("view v as t { set\n update\n insert }"),
            "view v as t { set update insert }"
        );
    }

    #[test]
    fn what_is_no_other_statement_is_a_view() {
        for text in [
            "CRATE JSON DUALITY VIEW a AS team { id }",
            "CREATE VIEW a AS team { id }",
            "CREATE VIEW a AS SELECT JSON {'id' : t.id} FROM team t",
            "CREATE",
            "team { id }",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    /// A block runs at once, so the views of its texts are views of the script.
    #[test]
    fn views_in_blocks_are_read() {
        let text = "BEGIN
  EXECUTE IMMEDIATE 'DROP VIEW a';
EXCEPTION WHEN OTHERS THEN NULL;
END;
/
BEGIN
  -- EXECUTE IMMEDIATE 'CREATE JSON DUALITY VIEW no AS team { id }';
  execute immediate 'CREATE JSON DUALITY VIEW a AS
    SELECT JSON {''id'' : t.id} FROM team t';
  EXECUTE IMMEDIATE q'[CREATE JSON DUALITY VIEW b AS team { 'id': id };]';
END;
/
";
        let read = views(text);
        let expected = "/ CREATE JSON DUALITY VIEW a AS SELECT JSON { 'id' : t.id} FROM team t; \
                        CREATE JSON DUALITY VIEW b AS team { 'id': id }; /";
        assert_eq!(read, expected);
        let expected =
            [("PL/SQL block", 1), ("the rest of a PL/SQL block, whose views are read", 6)];
        assert_eq!(kinds(text), expected.map(|(kind, line)| (kind.to_owned(), line)));
    }

    #[test]
    fn programs_end_with_a_slash() {
        let script = Script::of("view a as team { id };\n  BEGIN\n  NULL;\nEND;\n");
        let [diagnostic] = &script.diagnostics[..] else { panic!("one mistake") };
        assert_eq!(diagnostic.message, "this PL/SQL block has no end");
        assert_eq!(diagnostic.span.start, 25);
    }
}
