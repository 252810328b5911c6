//! The GraphQL style: `table @directive { member … }`.

use std::collections::HashMap;

use duet_model::{Code, Compare};

use super::{Parsed, Parser, ReportedMistake};
use crate::ast::{
    Annotation, Arguments, BinaryOp, Body, ColumnName, Condition, Content, Expr, ExprKind,
    GeneratedSource, Group, Kind, Literal, MemberDefinition, Name, Nesting, Object, Style,
    TableName, TableUse,
};
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::rules;
use crate::source::Span;

/// GraphQL keywords that begin definitions other than views.
const OTHER_DEFINITIONS: &[&str] =
    &["query", "mutation", "subscription", "fragment", "type", "input", "enum", "schema"];

/// The arguments and directives between a field's name and its braces.
struct Head {
    key: Option<Name>,
    target: Option<TableName>,
    conditions: Vec<Condition>,
    annotations: Vec<Annotation>,
}

impl Parser<'_> {
    pub(super) fn graphql_root(&mut self) -> Parsed<TableUse> {
        let other = OTHER_DEFINITIONS.iter().any(|word| self.is_word(word));
        if other && matches!(self.peek_at(1).kind, TokenKind::Word(_)) {
            return Err(self.not_graphql("only a table with its members can define a view"));
        }
        if self.is("[") {
            return Err(self.bracket_around_table());
        }
        let target = self.table_name()?;
        let conditions = self.arguments()?;
        let annotations = self.directives()?;
        if !self.is("{") && !self.is("[") {
            return Err(self.unexpected("a directive or `{`", None));
        }
        self.node(target, conditions, annotations)
    }

    fn not_graphql(&mut self, message: &str) -> ReportedMistake {
        let span = self.peek().span;
        self.report(Code::ViewSyntax, span, message, rules::NOT_GRAPHQL)
    }

    fn bracket_around_table(&mut self) -> ReportedMistake {
        let span = self.peek().span;
        let message = "a bracket is not allowed before a table";
        self.report(Code::ViewSyntax, span, message, rules::BRACKETS)
    }

    /// The braces of a table, with or without brackets around them.
    fn node(
        &mut self,
        table: TableName,
        mut conditions: Vec<Condition>,
        annotations: Vec<Annotation>,
    ) -> Parsed<TableUse> {
        self.count_table()?;
        let brackets = self.eat("[");
        let body = if brackets && !self.is("{") {
            self.refuse_on_null(&annotations);
            Body::Scalar(self.column_name()?)
        } else {
            let mut object = self.fields()?;
            object.absent = absent_on_null(&annotations);
            let mut aliases = HashMap::new();
            collect_aliases(&object, &mut aliases);
            for condition in &mut conditions {
                follow_aliases(&mut condition.expr, &aliases);
            }
            Body::Object(object)
        };
        if brackets {
            self.expect("]", None)?;
        }
        Ok(TableUse {
            order: Vec::new(),
            table,
            alias: None,
            annotations,
            conditions,
            form: if brackets { Nesting::Array } else { Nesting::Natural },
            style: Style::GraphQl,
            body,
        })
    }

    /// An array of values has no members that could be left out.
    fn refuse_on_null(&mut self, annotations: &[Annotation]) {
        if let Some(found) = annotations.iter().find(|one| one.kind == Kind::OnNull) {
            let message = "@onnull is not allowed on an array of values";
            self.report(Code::ViewAnnotation, found.span, message, rules::NULLS);
        }
    }

    /// `{ field … }`, commas optional.
    fn fields(&mut self) -> Parsed<Object> {
        self.deeper(|parser| {
            let open = parser.expect("{", None)?;
            let mut members = Vec::new();
            let mut broken = false;
            while !parser.is("}") {
                if parser.peek().kind == TokenKind::End {
                    return Err(parser.unexpected("`}`", None));
                }
                let start = parser.at;
                match parser.field() {
                    Ok(member) => {
                        members.push(member);
                        let _ = parser.eat(",");
                    }
                    Err(ReportedMistake) => {
                        broken = true;
                        parser.skip_member(start);
                    }
                }
            }
            let close = parser.expect("}", None)?;
            if members.is_empty() && !broken {
                let span = open.to(close);
                let message = "an object needs a member";
                return Err(parser.report(Code::ViewSyntax, span, message, rules::IDENTITY_SHOWN));
            }
            Ok(Object { members, absent: false, broken })
        })
    }

    fn field(&mut self) -> Parsed<MemberDefinition> {
        self.count_member()?;
        let start = self.peek().span;
        match self.peek().kind {
            TokenKind::Symbol("*") => {
                self.bump();
                return Ok(self.member(start, None, Content::Star, Vec::new()));
            }
            TokenKind::Symbol("...") => return Err(self.not_graphql("fragments are not possible")),
            TokenKind::Symbol("$") => return Err(self.not_graphql("variables are not possible")),
            TokenKind::Symbol("[") => return Err(self.bracket_around_table()),
            _ => {}
        }
        let head = self.head()?;
        if !self.is("{") && !self.is("[") {
            return self.column_field(start, head);
        }
        let nests = head.annotations.iter().any(|annotation| annotation.kind == Kind::Nest);
        if nests || head.target.is_none() {
            return self.group(start, head);
        }
        let Head { key, target: Some(table), conditions, annotations } = head else {
            return Err(self.unexpected("a table", None));
        };
        let table = self.node(table, conditions, annotations)?;
        Ok(self.member(start, key, Content::Table(Box::new(table)), Vec::new()))
    }

    /// `[key ":"] [name] [args] directive*`
    fn head(&mut self) -> Parsed<Head> {
        if let TokenKind::Text { text, .. } = &self.peek().kind {
            let span = self.peek().span;
            let message = "a member's name is in double quotes or in none in GraphQL style";
            let hint = format!("Write {text:?}.");
            let diagnostic = Diagnostic::new(Code::ViewSyntax, span, message).hint(hint);
            return Err(self.fail(diagnostic));
        }
        let first = self.name("a member")?;
        let (key, target) = if !self.eat(":") {
            let table = if self.eat(".") {
                TableName { schema: Some(first), name: self.name("a table")? }
            } else {
                TableName { schema: None, name: first }
            };
            (None, Some(table))
        } else if self.is("[") {
            return Err(self.bracket_around_table());
        } else if self.is("{") || self.is("@") {
            (Some(first), None)
        } else {
            (Some(first), Some(self.table_name()?))
        };
        let conditions = self.arguments()?;
        let annotations = self.directives()?;
        Ok(Head { key, target, conditions, annotations })
    }

    /// `key: {…} @nest`, `key: table @nest {…}` with the name of the table itself, or `key @nest {…}`.
    fn group(&mut self, start: Span, head: Head) -> Parsed<MemberDefinition> {
        let Head { key, target, conditions, mut annotations } = head;
        if let Some(condition) = conditions.first() {
            let message = "arguments filter the rows of a table, and this groups columns";
            let span = condition.expr.span;
            return Err(self.report(Code::ViewAnnotation, span, message, rules::PLACE_GROUP));
        }
        let (key, table) = match (key, target) {
            (None, Some(TableName { schema: None, name })) => (Some(name), None),
            (None, Some(table)) => (Some(table.name.clone()), Some(table)),
            (key, table) => (key, table),
        };
        let mut object = self.fields()?;
        annotations.extend(self.directives()?);
        object.absent = absent_on_null(&annotations);
        let group = Group { table, object };
        Ok(self.member(start, key, Content::Group(group), annotations))
    }

    fn column_field(&mut self, start: Span, head: Head) -> Parsed<MemberDefinition> {
        let Head { key, target, conditions, annotations } = head;
        if let Some(condition) = conditions.first() {
            let message = "arguments filter the rows of a table, and this is a column";
            let span = condition.expr.span;
            return Err(self.report(Code::ViewAnnotation, span, message, rules::PLACE_TABLE));
        }
        let generated = generated_source(&annotations);
        if let (Some((source, if_missing)), false) = (generated, key.is_some() && target.is_some())
        {
            let name = match (key, target) {
                (Some(key), None) => key,
                (None, Some(TableName { schema: None, name })) => name,
                (_, target) => {
                    let span = target.map_or(start, |target| target.span());
                    let message = "a generated member has a name, and a column without a schema";
                    let rule = rules::GENERATED_ALONE;
                    return Err(self.report(Code::ViewAnnotation, span, message, rule));
                }
            };
            if if_missing.is_some() {
                let message = "a member that is generated if it is missing needs its column";
                let hint = format!("Write {0}: COLUMN, with the column that stores it.", name.text);
                let diagnostic = Diagnostic::new(Code::ViewAnnotation, name.span, message);
                let diagnostic = diagnostic.rule(rules::GENERATED_WRITE).hint(hint);
                return Err(self.fail(diagnostic));
            }
            return Ok(self.member(start, Some(name), Content::Generated(source), annotations));
        }
        let Some(TableName { schema, name }) = target else {
            return Err(self.unexpected("a column, a table or `{`", None));
        };
        let column = ColumnName { qualifier: schema, name };
        Ok(self.member(start, key, Content::Column(column), annotations))
    }

    /// `( member: literal, … )`, `( check: {…} )` or `( where: {…} )`; empty without a parenthesis. Only `where`
    /// lets a write leave the filter.
    fn arguments(&mut self) -> Parsed<Vec<Condition>> {
        let mut conditions = Vec::new();
        if !self.eat("(") {
            return Ok(conditions);
        }
        loop {
            let braces = self.peek_at(2).kind == TokenKind::Symbol("{");
            let is_where = braces && self.is_word("where");
            let expr = if is_where || (braces && self.is_word("check")) {
                self.bump();
                self.expect(":", None)?;
                self.query_by_example()?
            } else {
                let name = self.name("a column")?;
                self.expect(":", None)?;
                let (value, span) = self.literal()?;
                let span = name.span.to(span);
                equals(ColumnName { qualifier: None, name }, value, span)
            };
            conditions.push(Condition { expr, check_option: !is_where });
            let _ = self.eat(",");
            if self.eat(")") {
                return Ok(conditions);
            }
        }
    }

    /// A literal of GraphQL or JSON.
    pub(super) fn literal(&mut self) -> Parsed<(Literal, Span)> {
        let start = self.peek().span;
        let negative = self.eat("-");
        let literal = match self.peek().kind.clone() {
            TokenKind::Number(text) => self.number_literal(&text, negative)?,
            TokenKind::Quoted { text, .. } | TokenKind::Text { text, .. } if !negative => {
                Literal::Text(text)
            }
            TokenKind::Word(word) if !negative => match &*word.to_lowercase() {
                "true" => Literal::Bool(true),
                "false" => Literal::Bool(false),
                "null" => Literal::Null,
                _ => return Err(self.unexpected("a literal", None)),
            },
            _ => return Err(self.unexpected("a literal", None)),
        };
        self.bump();
        Ok((literal, start.to(self.last_span())))
    }
}

/// `column = literal`, or `column IS NULL`.
pub(super) fn equals(column: ColumnName, value: Literal, span: Span) -> Expr {
    let column = Box::new(ExprKind::Column(column).at(span));
    if value == Literal::Null {
        return ExprKind::IsNull { operand: column, negated: false }.at(span);
    }
    ExprKind::Binary(
        BinaryOp::Compare(Compare::Eq),
        column,
        Box::new(ExprKind::Literal(value).at(span)),
    )
    .at(span)
}

/// The columns of an object's own members by the names that the members have.
fn collect_aliases<'a>(object: &'a Object, out: &mut HashMap<&'a str, &'a Name>) {
    for member in &object.members {
        match (&member.key, &member.content) {
            (Some(key), Content::Column(ColumnName { qualifier: None, name })) => {
                out.insert(&key.text, name);
            }
            (_, Content::Group(group)) => collect_aliases(&group.object, out),
            _ => {}
        }
    }
}

/// Replaces the names of members by those of their columns.
fn follow_aliases(expr: &mut Expr, aliases: &HashMap<&str, &Name>) {
    if let ExprKind::Column(ColumnName { qualifier: None, name }) = &mut expr.kind
        && let Some(column) = aliases.get(&*name.text)
    {
        name.text.clone_from(&column.text);
    }
    for operand in expr.kind.operands_mut() {
        follow_aliases(operand, aliases);
    }
}

/// Whether `@onnull(absent: true)` is among them.
fn absent_on_null(annotations: &[Annotation]) -> bool {
    let absent = |one: &Annotation| matches!(one.arguments, Arguments::OnNull { absent: true });
    annotations.iter().any(absent)
}

fn generated_source(annotations: &[Annotation]) -> Option<(GeneratedSource, Option<bool>)> {
    annotations.iter().find_map(|annotation| match &annotation.arguments {
        Arguments::Generated { source, if_missing } => Some((source.clone(), *if_missing)),
        _ => None,
    })
}
