//! The SQL style: `SELECT JSON {…} FROM table alias WITH … WHERE …`, also as MySQL has it:
//! `SELECT JSON_DUALITY_OBJECT(WITH(…) …) FROM table`.

use duet_model::Code;

use super::{Parsed, Parser, ReportedMistake};
use crate::ast::{
    Annotation, Arguments, Body, ColumnName, Condition, Content, GeneratedSource, Group, Kind,
    MemberDefinition, Name, Nesting, Object, Style, TableName, TableUse,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::rules;
use crate::source::Span;

/// Words that can follow a table's name and are no alias.
const AFTER_TABLE: &[&str] = &["WITH", "WHERE", "CREATE", "VIEW", "ON"];

/// Words that can follow the last member of an object.
const AFTER_MEMBERS: &[&str] = &["RETURNING", "STRICT", "NULL", "ABSENT"];

/// Words that would begin another clause or query.
const OTHER_CLAUSES: &[&str] = &[
    "UNION",
    "INTERSECT",
    "MINUS",
    "EXCEPT",
    "GROUP",
    "HAVING",
    "ORDER",
    "FETCH",
    "LIMIT",
    "OFFSET",
    "CONNECT",
    "START",
];

/// Words that would join a second table in one `FROM`.
const JOINS: &[&str] = &["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL"];

/// The possible tags and the elements that they apply to.
const TAGS: &[Kind] = &[Kind::Insert, Kind::Update, Kind::Delete, Kind::Check, Kind::Hidden];

/// An object of MySQL's definitions.
const DUALITY_OBJECT: &str = "JSON_DUALITY_OBJECT";

/// What a `SELECT` gives of each row.
struct Selected {
    body: Body,
    form: Nesting,
    /// What its array is ordered by.
    order: Vec<(ColumnName, bool)>,
    /// The tags of its table, where its object has them.
    tags: Vec<Annotation>,
}

impl Parser<'_> {
    /// `SELECT … FROM table …`; `form` is required by the surrounding syntax.
    pub(super) fn select(&mut self, form: Nesting) -> Parsed<TableUse> {
        self.count_table()?;
        self.expect_word("SELECT")?;
        if self.is_word("JSONIZE") && self.peek_at(1).kind == TokenKind::Symbol("(") {
            let table = self.jsonized()?;
            return Ok(TableUse { form, ..table });
        }
        if self.is_word("DISTINCT") || self.is_word("UNIQUE") {
            let span = self.peek().span;
            let message = "a view's rows are always distinct by their keys";
            return Err(self.report(Code::ViewSyntax, span, message, rules::NO_SET_OPERATORS));
        }
        let Selected { body, form, mut order, tags } = self.selected(form)?;
        if !self.eat_word("FROM") {
            return Err(self.unexpected("FROM", None));
        }
        let table = self.source_table()?;
        let alias = self.alias()?;
        let mut annotations = tags;
        if self.eat_word("WITH") {
            annotations.extend(self.tags()?);
        }
        let conditions = self.sql_conditions()?;
        let is_ordered = form == Nesting::Array && order.is_empty();
        if is_ordered && self.is_word("ORDER") && self.is_word_at(1, "BY") {
            order = self.array_order()?;
        }
        self.refuse_other_clauses()?;
        let style = Style::Sql;
        Ok(TableUse { order, table, alias, annotations, conditions, form, style, body })
    }

    /// `JSONIZE(table [alias] [WITH tags] {…})`: the object of each row.
    pub(super) fn jsonized(&mut self) -> Parsed<TableUse> {
        self.count_table()?;
        self.bump();
        self.expect("(", None)?;
        let table = self.source_table()?;
        let alias = self.table_alias()?;
        let annotations = if self.eat_word("WITH") { self.tags()? } else { Vec::new() };
        let body = Body::Object(self.sql_object()?);
        self.expect(")", None)?;
        Ok(TableUse {
            order: Vec::new(),
            table,
            alias,
            annotations,
            conditions: Vec::new(),
            form: Nesting::Natural,
            style: Style::Sql,
            body,
        })
    }

    fn selected(&mut self, form: Nesting) -> Parsed<Selected> {
        let (mut order, mut tags) = (Vec::new(), Vec::new());
        if self.is_word("JSON_ARRAYAGG") && form == Nesting::Object {
            self.bump();
            self.expect("(", None)?;
            let body = match self.is_object() {
                true => Body::Object(self.table_object(&mut tags)?),
                false => Body::Scalar(self.column_name()?),
            };
            if self.is_word("ORDER") && self.is_word_at(1, "BY") {
                order = self.array_order()?;
            }
            self.json_options()?;
            self.expect(")", None)?;
            return Ok(Selected { body, form: Nesting::Array, order, tags });
        }
        let body = match self.is_object() {
            true => Body::Object(self.table_object(&mut tags)?),
            false => Body::Scalar(self.column_name()?),
        };
        Ok(Selected { body, form, order, tags })
    }

    /// The object of a table's rows. In `JSON_DUALITY_OBJECT(WITH(…) …)` the table's tags stand before the members.
    fn table_object(&mut self, tags: &mut Vec<Annotation>) -> Parsed<Object> {
        if !self.eat_word(DUALITY_OBJECT) {
            return self.sql_object();
        }
        self.deeper(|parser| {
            parser.expect("(", None)?;
            if parser.eat_word("WITH") {
                parser.expect("(", None)?;
                *tags = parser.tags_until(")")?;
            }
            let (members, broken) = parser.sql_members(")")?;
            parser.expect(")", None)?;
            Ok(Object { members, absent: false, broken })
        })
    }

    /// `ORDER BY column [ASC|DESC], …`
    fn array_order(&mut self) -> Parsed<Vec<(ColumnName, bool)>> {
        self.bump();
        self.bump();
        let mut columns = Vec::new();
        loop {
            let column = self.column_name()?;
            let descending = self.eat_word("DESC");
            let _ = !descending && self.eat_word("ASC");
            columns.push((column, descending));
            if !self.eat(",") {
                return Ok(columns);
            }
        }
    }

    /// Whether an object begins here: `{`, `JSON {` or `JSON_OBJECT(`.
    fn is_object(&self) -> bool {
        let words = ["JSON", "JSON_OBJECT", DUALITY_OBJECT];
        self.is("{") || words.iter().any(|word| self.is_word(word))
    }

    /// What may stand before the end of an object or array: `NULL ON NULL` or `ABSENT ON NULL`, and what means what is
    /// done here anyway: `RETURNING JSON`, `STRICT`, `WITH UNIQUE KEYS`. Returns whether NULLs are left out.
    fn json_options(&mut self) -> Parsed<bool> {
        let mut absent = None;
        loop {
            let null = ["ABSENT", "NULL"].into_iter().find(|word| self.is_word(word));
            if let Some(word) = null.filter(|_| absent.is_none() && self.is_word_at(1, "ON")) {
                self.bump();
                for word in ["ON", "NULL"] {
                    self.sql_word(word)?;
                }
                absent = Some(word == "ABSENT");
            } else if self.is_word("RETURNING") {
                self.bump();
                self.sql_word("JSON")?;
            } else if self.is_word("WITH") && self.is_word_at(1, "UNIQUE") {
                self.bump();
                self.bump();
                self.sql_word("KEYS")?;
            } else if !self.eat_word("STRICT") {
                return Ok(absent == Some(true));
            }
        }
    }

    fn sql_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(word, Some(rules::JSON_OPTIONS)))
    }

    pub(super) fn source_table(&mut self) -> Parsed<TableName> {
        if self.is("(") {
            let span = self.peek().span;
            let message = "a subquery cannot be a source";
            return Err(self.report(Code::ViewTable, span, message, rules::TABLE_SOURCE));
        }
        self.table_name()
    }

    /// `[schema.]table`
    pub(super) fn table_name(&mut self) -> Parsed<TableName> {
        let first = self.name("a table")?;
        if self.eat(".") {
            return Ok(TableName { schema: Some(first), name: self.name("a table")? });
        }
        Ok(TableName { schema: None, name: first })
    }

    fn alias(&mut self) -> Parsed<Option<Name>> {
        let alias = self.table_alias()?;
        self.refuse_second_table()?;
        Ok(alias)
    }

    /// The alias of a table, if there is one.
    pub(super) fn table_alias(&mut self) -> Parsed<Option<Name>> {
        let explicit = self.eat_word("AS");
        let refused = |word: &str| {
            let known = [AFTER_TABLE, OTHER_CLAUSES, JOINS].concat();
            known.iter().any(|known| known.eq_ignore_ascii_case(word))
        };
        let alias = match &self.peek().kind {
            TokenKind::Word(word) if !explicit && refused(word) => None,
            TokenKind::Word(_) | TokenKind::Quoted { .. } => Some(self.name("an alias")?),
            _ if explicit => return Err(self.unexpected("an alias", None)),
            _ => None,
        };
        Ok(alias)
    }

    fn refuse_second_table(&mut self) -> Parsed<()> {
        let token = self.peek();
        let second = token.kind == TokenKind::Symbol(",")
            || matches!(&token.kind, TokenKind::Word(word)
                if JOINS.iter().any(|join| join.eq_ignore_ascii_case(word)));
        if second {
            let span = token.span;
            let message = "FROM names more than one table";
            return Err(self.report(Code::ViewSyntax, span, message, rules::ONE_TABLE));
        }
        Ok(())
    }

    /// `[WHERE pred [WITH CHECK OPTION]]`
    fn sql_conditions(&mut self) -> Parsed<Vec<Condition>> {
        if !self.eat_word("WHERE") {
            return Ok(Vec::new());
        }
        let expr = self.expression()?;
        let check_option = self.eat_word("WITH");
        if check_option {
            for word in ["CHECK", "OPTION"] {
                if !self.eat_word(word) {
                    return Err(self.unexpected("WITH CHECK OPTION", None));
                }
            }
        }
        Ok(vec![Condition { expr, check_option }])
    }

    pub(super) fn refuse_other_clauses(&mut self) -> Parsed<()> {
        let token = self.peek();
        let TokenKind::Word(word) = &token.kind else { return Ok(()) };
        if !OTHER_CLAUSES.iter().any(|clause| clause.eq_ignore_ascii_case(word)) {
            return Ok(());
        }
        let message = format!("{} is not possible here", word.to_uppercase());
        let span = token.span;
        Err(self.report(Code::ViewSyntax, span, message, rules::NO_SET_OPERATORS))
    }

    /// Tags behind `WITH`: with or without parentheses, with or without commas.
    fn tags(&mut self) -> Parsed<Vec<Annotation>> {
        match self.eat("(") {
            true => self.tags_until(")"),
            false => self.tags_until(""),
        }
    }

    /// Tags up to what closes them; without that, to the first word that is none.
    fn tags_until(&mut self, close: &'static str) -> Parsed<Vec<Annotation>> {
        let parentheses = !close.is_empty();
        let mut tags = Vec::new();
        loop {
            tags.extend(self.tag()?);
            let next = if self.is_word_at(1, "NO") { 2 } else { 1 };
            let is_tag = tag_kind(&self.peek_at(next).kind).is_some();
            let comma = self.is(",") && (parentheses || is_tag);
            if comma {
                self.bump();
                continue;
            }
            let TokenKind::Word(word) = &self.peek().kind else { break };
            let ends = [AFTER_TABLE, AFTER_MEMBERS, OTHER_CLAUSES, JOINS].concat();
            if ends.iter().any(|end| end.eq_ignore_ascii_case(word)) {
                break;
            }
        }
        if parentheses {
            self.expect(close, None)?;
        }
        Ok(tags)
    }

    /// Reads one tag; an unknown one is reported and left out.
    fn tag(&mut self) -> Parsed<Option<Annotation>> {
        let mut token = self.peek().clone();
        // MySQL has NO as a word of its own.
        let is_apart = self.is_word("NO") && tag_kind(&self.peek_at(1).kind).is_some();
        if let (true, TokenKind::Word(word)) = (is_apart, &self.peek_at(1).kind) {
            token.kind = TokenKind::Word(format!("NO{word}"));
            self.bump();
            token.span = token.span.to(self.peek().span);
        }
        let Some((kind, on)) = tag_kind(&token.kind) else {
            let TokenKind::Word(word) = &token.kind else {
                return Err(self.unexpected("a tag such as INSERT or NOCHECK", None));
            };
            let known = TAGS.iter().flat_map(|kind| {
                let no = kind.has_opposite().then(|| format!("NO{}", kind.name().to_uppercase()));
                [Some(kind.name().to_uppercase()), no].into_iter().flatten()
            });
            let known: Vec<_> = known.collect();
            let message = format!("there is no tag {}", super::shortened(&word.to_uppercase()));
            let diagnostic = Diagnostic::new(Code::ViewAnnotation, token.span, message)
                .nearest(word, known.iter().map(String::as_str));
            self.fail(diagnostic);
            self.bump();
            return Ok(None);
        };
        self.bump();
        if kind == Kind::Check && self.is_word("OPTION") {
            let message = "WITH CHECK OPTION has no row filter to check";
            return Err(self.report(Code::ViewSyntax, token.span, message, rules::PREDICATE));
        }
        // CHECK ETAG and NOCHECK ETAG say the same at length.
        let is_long = kind == Kind::Check && self.eat_word("ETAG");
        let span = if is_long { token.span.to(self.last_span()) } else { token.span };
        let arguments = Arguments::None;
        Ok(Some(Annotation { kind, on, arguments, style: Style::Sql, span }))
    }

    /// `[JSON] { member, … }` or `JSON_OBJECT( member, … )`, with what may end it.
    fn sql_object(&mut self) -> Parsed<Object> {
        let long = self.eat_word("JSON_OBJECT");
        let _ = !long && self.eat_word("JSON");
        let (open, close) = if long { ("(", ")") } else { ("{", "}") };
        self.deeper(|parser| {
            parser.expect(open, None)?;
            let (members, broken) = parser.sql_members(close)?;
            let absent = parser.json_options()?;
            parser.expect(close, None)?;
            Ok(Object { members, absent, broken })
        })
    }

    fn sql_members(&mut self, close: &'static str) -> Parsed<(Vec<MemberDefinition>, bool)> {
        let mut members = Vec::new();
        let mut broken = false;
        loop {
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected(&format!("`{close}`"), None));
            }
            let start = self.at;
            let member = self.sql_member(close);
            match member.and_then(|member| self.after_sql_member(close).map(|()| member)) {
                Ok(member) => members.push(member),
                Err(ReportedMistake) => {
                    broken = true;
                    self.skip_member(start);
                }
            }
            if self.ends_members(close) {
                return Ok((members, broken));
            }
        }
    }

    /// Whether no member follows: what ends the object is here, or what may come before that.
    fn ends_members(&self, close: &str) -> bool {
        let on_null = (self.is_word("NULL") || self.is_word("ABSENT")) && self.is_word_at(1, "ON");
        let unique = self.is_word("WITH") && self.is_word_at(1, "UNIQUE");
        let is_option =
            self.is_word("RETURNING") && matches!(self.peek_at(1).kind, TokenKind::Word(_));
        self.is(close) || on_null || unique || is_option || self.is_word("STRICT")
    }

    /// Reads the comma; its lack is reported, and reading goes on where a member begins.
    fn after_sql_member(&mut self, close: &str) -> Parsed<()> {
        if self.eat(",") {
            let trailing = self.is(close);
            return if trailing { Err(self.unexpected("a member", None)) } else { Ok(()) };
        }
        if self.ends_members(close) {
            return Ok(());
        }
        let reported = self.unexpected(&format!("`,` or `{close}`"), Some(rules::COMMAS));
        match &self.peek().kind {
            TokenKind::Text { .. } => Ok(()),
            _ => Err(reported),
        }
    }

    fn sql_member(&mut self, close: &str) -> Parsed<MemberDefinition> {
        self.count_member()?;
        let start = self.peek().span;
        let star = TokenKind::Symbol("*");
        if self.peek_at(1).kind == TokenKind::Symbol(".") && self.peek_at(2).kind == star {
            self.column_qualifier()?;
        }
        if self.eat("*") {
            return Ok(self.member(start, None, Content::Star, Vec::new()));
        }
        if self.is_word("KEY") && matches!(self.peek_at(1).kind, TokenKind::Text { .. }) {
            self.bump();
        }
        if self.is_word("UNNEST") {
            self.bump();
            self.expect("(", None)?;
            let table = self.select(Nesting::Unnest)?;
            self.expect(")", None)?;
            return Ok(self.member(start, None, Content::Table(Box::new(table)), Vec::new()));
        }
        if let TokenKind::Text { text, .. } | TokenKind::Quoted { text, .. } = &self.peek().kind {
            let is_text = matches!(self.peek().kind, TokenKind::Text { .. });
            let is_column = match &self.peek_at(1).kind {
                TokenKind::Symbol(symbol) => *symbol == "." || *symbol == "," || *symbol == close,
                TokenKind::Word(word) => word.eq_ignore_ascii_case("AS"),
                _ => false,
            };
            if !text.is_empty() && (is_text || !is_column) {
                let key = Name { text: text.clone(), span: self.peek().span, quoted: true };
                self.bump();
                let separated = self.eat(":") || self.eat_word("IS") || self.eat_word("VALUE");
                if !separated {
                    return Err(self.unexpected("`:`", None));
                }
                return self.sql_value(start, key);
            }
        }
        self.column_member(start)
    }

    /// `alias.column AS FLEX [COLUMN]`, or a column alone, whose name as written is the member's.
    fn column_member(&mut self, start: Span) -> Parsed<MemberDefinition> {
        if let (TokenKind::Word(word), TokenKind::Symbol(":")) =
            (&self.peek().kind, &self.peek_at(1).kind)
        {
            let message = "a member's name must be quoted in SQL style";
            let diagnostic =
                Diagnostic::new(Code::ViewSyntax, start, message).hint(format!("Write '{word}'."));
            return Err(self.fail(diagnostic));
        }
        let column = match self.peek().kind {
            TokenKind::Word(_) | TokenKind::Quoted { .. } => self.column_name()?,
            _ => return Err(self.unexpected("a member such as 'name' : t.name", None)),
        };
        if !self.eat_word("AS") {
            let annotations = self.member_tags()?;
            return Ok(self.member(start, None, Content::Column(column), annotations));
        }
        if !self.eat_word("FLEX") {
            return Err(self.unexpected("AS FLEX", None));
        }
        let _ = self.eat_word("COLUMN");
        let flex = Annotation {
            kind: Kind::Flex,
            on: true,
            arguments: Arguments::None,
            style: Style::Sql,
            span: self.last_span(),
        };
        let mut annotations = vec![flex];
        annotations.extend(self.member_tags()?);
        Ok(self.member(start, None, Content::Column(column), annotations))
    }

    /// The tags of a member, behind `FORMAT JSON`, which says what every value is.
    fn member_tags(&mut self) -> Parsed<Vec<Annotation>> {
        if self.is_word("FORMAT") && self.is_word_at(1, "JSON") {
            self.bump();
            self.bump();
        }
        let unique = self.is_word("WITH") && self.is_word_at(1, "UNIQUE");
        if !unique && self.eat_word("WITH") { self.tags() } else { Ok(Vec::new()) }
    }

    fn sql_value(&mut self, start: Span, key: Name) -> Parsed<MemberDefinition> {
        let json = self.is_word("JSON");
        let inner = self.peek_at(usize::from(json)).kind.clone();
        let is_call = self.peek_at(1).kind == TokenKind::Symbol("(");
        let content = match inner {
            TokenKind::Symbol("{") => self.sql_group()?,
            _ if is_call && self.is_word("JSON_OBJECT") => self.sql_group()?,
            _ if is_call && self.is_word("JSON_ARRAY") => {
                self.subquery(true, "(", ")", Nesting::Array)?
            }
            TokenKind::Symbol("[") => self.subquery(json, "[", "]", Nesting::Array)?,
            TokenKind::Symbol("(") if !json => self.subquery(false, "(", ")", Nesting::Object)?,
            _ if self.is_word("GENERATED") => {
                let start = self.peek().span;
                let (source, is_missing) = self.generated()?;
                if is_missing {
                    let span = start.to(self.last_span());
                    let message = "a member that is generated if it is missing needs its column";
                    let rule = rules::GENERATED_WRITE;
                    self.report(Code::ViewAnnotation, span, message, rule);
                }
                Content::Generated(source)
            }
            TokenKind::Word(_) | TokenKind::Quoted { .. } => {
                let column = self.column_name()?;
                if self.is("(") {
                    let message = "a computed member needs GENERATED USING";
                    let span = column.span();
                    return Err(self.report(
                        Code::ViewSyntax,
                        span,
                        message,
                        rules::GENERATED_ALONE,
                    ));
                }
                Content::Column(column)
            }
            _ => {
                let expected = "a column, a subquery in ( ) or [ ], or GENERATED USING";
                return Err(self.unexpected(expected, None));
            }
        };
        let mut annotations = Vec::new();
        if matches!(content, Content::Column(_)) && self.is_word("GENERATED") {
            annotations.push(self.generated_column()?);
        }
        annotations.extend(self.member_tags()?);
        Ok(self.member(start, Some(key), content, annotations))
    }

    fn sql_group(&mut self) -> Parsed<Content> {
        let object = self.sql_object()?;
        Ok(Content::Group(Group { table: None, object }))
    }

    fn subquery(&mut self, json: bool, open: &str, close: &str, form: Nesting) -> Parsed<Content> {
        if json {
            self.bump();
        }
        self.expect(open, None)?;
        let table = self.select(form)?;
        self.json_options()?;
        self.expect(close, None)?;
        Ok(Content::Table(Box::new(table)))
    }

    /// `GENERATED [IF MISSING] USING (PATH 'path')` behind a column.
    fn generated_column(&mut self) -> Parsed<Annotation> {
        let start = self.peek().span;
        let (source, is_missing) = self.generated()?;
        Ok(Annotation {
            kind: Kind::Generated,
            on: true,
            arguments: Arguments::Generated { source, if_missing: Some(is_missing) },
            style: Style::Sql,
            span: start.to(self.last_span()),
        })
    }

    /// `GENERATED [IF MISSING] USING (PATH 'path' | expression)`, the parentheses optional; and whether it is for a
    /// missing member.
    fn generated(&mut self) -> Parsed<(GeneratedSource, bool)> {
        self.bump();
        let is_missing = self.is_word("IF") && self.is_word_at(1, "MISSING");
        if is_missing {
            self.bump();
            self.bump();
        }
        let source = self.generated_from()?;
        Ok((source, is_missing))
    }

    fn generated_from(&mut self) -> Parsed<GeneratedSource> {
        if !self.eat_word("USING") {
            return Err(self.unexpected("USING", None));
        }
        let parentheses = self.is("(") && self.is_word_at(1, "PATH");
        if parentheses {
            self.bump();
        }
        let quoted = matches!(self.peek_at(1).kind, TokenKind::Text { .. });
        if !(self.is_word("PATH") && quoted) {
            return Ok(GeneratedSource::Sql(self.generated_expression()?));
        }
        self.bump();
        let token = self.bump();
        if parentheses {
            self.expect(")", None)?;
        }
        let text = match token.kind {
            TokenKind::Text { text, .. } => text,
            _ => String::new(),
        };
        Ok(GeneratedSource::Path { text, span: token.span })
    }

    /// `alias.`
    fn column_qualifier(&mut self) -> Parsed<()> {
        self.name("an alias")?;
        self.expect(".", None).map(drop)
    }

    /// `[alias.]column`
    pub(super) fn column_name(&mut self) -> Parsed<ColumnName> {
        let first = self.name("a column")?;
        if !self.eat(".") {
            return Ok(ColumnName { qualifier: None, name: first });
        }
        Ok(ColumnName { qualifier: Some(first), name: self.name("a column")? })
    }

    /// A member that began at `start` and ends with the token just read.
    pub(super) fn member(
        &self,
        start: Span,
        key: Option<Name>,
        content: Content,
        annotations: Vec<Annotation>,
    ) -> MemberDefinition {
        let span = start.to(self.last_span());
        MemberDefinition { key, content, annotations, span }
    }
}

/// The tag that a token is, and whether it allows or forbids.
fn tag_kind(token: &TokenKind) -> Option<(Kind, bool)> {
    let TokenKind::Word(word) = token else { return None };
    let word = word.to_lowercase();
    let find = |name: &str| TAGS.iter().copied().find(|kind| kind.name() == name);
    if let Some(kind) = find(&word) {
        return Some((kind, true));
    }
    let kind = word.strip_prefix("no").and_then(find)?;
    kind.has_opposite().then_some((kind, false))
}
