//! The SQL style: `SELECT JSON {…} FROM table alias WITH … WHERE …`.

use duet_model::Code;

use super::{Parsed, Parser, Reported};
use crate::ast::{
    Annotation, Arguments, Body, ColumnName, Condition, Content, GeneratedSource, Kind,
    MemberDefinition, Name, Nesting, Object, Style, TableName, TableUse,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::rules;
use crate::source::Span;

/// Words that can follow a table's name and are no alias.
const AFTER_TABLE: &[&str] = &["WITH", "WHERE", "CREATE", "VIEW", "ON"];

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

impl Parser<'_> {
    /// `SELECT … FROM table …`; `form` is required by the surrounding syntax.
    pub(super) fn select(&mut self, form: Nesting) -> Parsed<TableUse> {
        self.count_table()?;
        self.expect_word("SELECT")?;
        if self.is_word("DISTINCT") || self.is_word("UNIQUE") {
            let span = self.peek().span;
            let message = "a view's rows are always distinct by their keys";
            return Err(self.report(Code::ViewSyntax, span, message, rules::NO_SET_OPERATORS));
        }
        let (body, form) = self.selected(form)?;
        if !self.eat_word("FROM") {
            return Err(self.unexpected("FROM", None));
        }
        let table = self.source_table()?;
        let alias = self.alias()?;
        let annotations = if self.eat_word("WITH") { self.tags()? } else { Vec::new() };
        let conditions = self.sql_conditions()?;
        self.refuse_other_clauses()?;
        Ok(TableUse { table, alias, annotations, conditions, form, style: Style::Sql, body })
    }

    fn selected(&mut self, form: Nesting) -> Parsed<(Body, Nesting)> {
        if self.is_word("JSON_ARRAYAGG") && form == Nesting::Object {
            self.bump();
            self.expect("(", None)?;
            let body = Body::Object(self.sql_object()?);
            self.expect(")", None)?;
            return Ok((body, Nesting::Array));
        }
        if self.is("{") || self.is_word("JSON") {
            return Ok((Body::Object(self.sql_object()?), form));
        }
        Ok((Body::Scalar(self.column_name()?), form))
    }

    fn source_table(&mut self) -> Parsed<TableName> {
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
        let token = self.peek();
        let second = token.kind == TokenKind::Symbol(",")
            || matches!(&token.kind, TokenKind::Word(word)
                if JOINS.iter().any(|join| join.eq_ignore_ascii_case(word)));
        if second {
            let span = token.span;
            let message = "FROM names more than one table";
            return Err(self.report(Code::ViewSyntax, span, message, rules::ONE_TABLE));
        }
        Ok(alias)
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

    fn refuse_other_clauses(&mut self) -> Parsed<()> {
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
        let parentheses = self.eat("(");
        let mut tags = Vec::new();
        loop {
            tags.extend(self.tag()?);
            let comma = self.is(",") && (parentheses || tag_kind(&self.peek_at(1).kind).is_some());
            if comma {
                self.bump();
                continue;
            }
            let TokenKind::Word(word) = &self.peek().kind else { break };
            let ends = [AFTER_TABLE, OTHER_CLAUSES, JOINS].concat();
            if ends.iter().any(|end| end.eq_ignore_ascii_case(word)) {
                break;
            }
        }
        if parentheses {
            self.expect(")", None)?;
        }
        Ok(tags)
    }

    /// Reads one tag; an unknown one is reported and left out.
    fn tag(&mut self) -> Parsed<Option<Annotation>> {
        let token = self.peek().clone();
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
        let arguments = Arguments::None;
        Ok(Some(Annotation { kind, on, arguments, style: Style::Sql, span: token.span }))
    }

    /// `[JSON] { member, … }`
    fn sql_object(&mut self) -> Parsed<Object> {
        let _ = self.eat_word("JSON");
        self.deeper(|parser| {
            parser.expect("{", None)?;
            let (members, broken) = parser.sql_members()?;
            parser.expect("}", None)?;
            Ok(Object { members, broken })
        })
    }

    fn sql_members(&mut self) -> Parsed<(Vec<MemberDefinition>, bool)> {
        let mut members = Vec::new();
        let mut broken = false;
        loop {
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected("`}`", None));
            }
            let start = self.at;
            match self.sql_member().and_then(|member| self.after_sql_member().map(|()| member)) {
                Ok(member) => members.push(member),
                Err(Reported) => {
                    broken = true;
                    self.skip_member(start);
                }
            }
            if self.is("}") {
                return Ok((members, broken));
            }
        }
    }

    /// Reads the comma; its lack is reported, and reading goes on where a member begins.
    fn after_sql_member(&mut self) -> Parsed<()> {
        if self.eat(",") {
            let trailing = self.is("}");
            return if trailing { Err(self.unexpected("a member", None)) } else { Ok(()) };
        }
        if self.is("}") {
            return Ok(());
        }
        let reported = self.unexpected("`,` or `}`", Some(rules::COMMAS));
        match &self.peek().kind {
            TokenKind::Text { .. } => Ok(()),
            _ => Err(reported),
        }
    }

    fn sql_member(&mut self) -> Parsed<MemberDefinition> {
        self.count_member()?;
        let start = self.peek().span;
        if self.is_word("UNNEST") {
            self.bump();
            self.expect("(", None)?;
            let table = self.select(Nesting::Unnest)?;
            self.expect(")", None)?;
            return Ok(self.member(start, None, Content::Table(Box::new(table)), Vec::new()));
        }
        if let TokenKind::Text { text, .. } | TokenKind::Quoted { text, .. } = &self.peek().kind {
            let separator = &self.peek_at(1).kind;
            if !text.is_empty() && !matches!(separator, TokenKind::Symbol(".")) {
                let key = Name { text: text.clone(), span: start, quoted: true };
                self.bump();
                let separated = self.eat(":") || self.eat_word("IS") || self.eat_word("VALUE");
                if !separated {
                    return Err(self.unexpected("`:`", None));
                }
                return self.sql_value(start, key);
            }
        }
        self.flex_member(start)
    }

    /// `alias.column AS FLEX`
    fn flex_member(&mut self, start: Span) -> Parsed<MemberDefinition> {
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
        if !(self.eat_word("AS") && self.eat_word("FLEX")) {
            return Err(self.unexpected("AS FLEX", None));
        }
        let flex = Annotation {
            kind: Kind::Flex,
            on: true,
            arguments: Arguments::None,
            style: Style::Sql,
            span: self.last_span(),
        };
        let mut annotations = vec![flex];
        if self.eat_word("WITH") {
            annotations.extend(self.tags()?);
        }
        Ok(self.member(start, None, Content::Column(column), annotations))
    }

    fn sql_value(&mut self, start: Span, key: Name) -> Parsed<MemberDefinition> {
        let json = self.is_word("JSON");
        let inner = self.peek_at(usize::from(json)).kind.clone();
        let content = match inner {
            TokenKind::Symbol("{") => Content::Group(self.sql_object()?),
            TokenKind::Symbol("[") => self.subquery(json, ("[", "]"), Nesting::Array)?,
            TokenKind::Symbol("(") if !json => self.subquery(false, ("(", ")"), Nesting::Object)?,
            _ if self.is_word("GENERATED") => Content::Generated(self.generated()?),
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
        let annotations = if self.eat_word("WITH") { self.tags()? } else { Vec::new() };
        Ok(self.member(start, Some(key), content, annotations))
    }

    fn subquery(
        &mut self,
        json: bool,
        (open, close): (&str, &str),
        form: Nesting,
    ) -> Parsed<Content> {
        if json {
            self.bump();
        }
        self.expect(open, None)?;
        let table = self.select(form)?;
        self.expect(close, None)?;
        Ok(Content::Table(Box::new(table)))
    }

    /// `GENERATED USING (PATH 'path' | expression)`, the parentheses optional.
    fn generated(&mut self) -> Parsed<GeneratedSource> {
        self.bump();
        if !self.eat_word("USING") {
            return Err(self.unexpected("USING", None));
        }
        let parentheses = self.is("(") && self.is_word_at(1, "PATH");
        if parentheses {
            self.bump();
        }
        let quoted = matches!(self.peek_at(1).kind, TokenKind::Text { .. });
        if !(self.is_word("PATH") && quoted) {
            return Ok(GeneratedSource::Sql(self.expression()?));
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
