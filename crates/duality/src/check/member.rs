//! Members of objects: columns, groups, generated members and `*`.

use std::collections::HashMap;

use duet_model::catalog::{TableRef, same_name};
use duet_model::shape::{NAME_CONFLICTS, SERVER_MEMBERS};
use duet_model::{Code, ColumnMember, Member, MemberKind, MemberOrigin, NodeId, Relation, Type};

use super::Checker;
use super::annotation::{Marks, Place};
use super::path::PathUse;
use crate::ast::{
    Body, ColumnName, Content, GeneratedSource, Group, Kind, MemberDefinition, Name, Object,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::updates::updatable;
use crate::{names, rules};

/// The names of one JSON object; unnested members share their parent's.
#[derive(Default)]
pub(super) struct Names {
    seen: HashMap<String, Span>,
    root: bool,
    /// The object's flex column, as messages name it.
    flex: Option<String>,
}

impl Names {
    pub(super) fn of_root() -> Self {
        Self { root: true, ..Self::default() }
    }
}

impl Checker<'_> {
    /// Makes the members of a node.
    pub(super) fn body(&mut self, node: NodeId, body: &Body, names: &mut Names) {
        let members = match body {
            Body::Object(object) => {
                let members = self.object(node, object, names, &[]);
                self.drafts[node].node.members = members;
                self.follow_paths(node);
                self.derive(node);
                return;
            }
            Body::Scalar(column) => self.scalar(node, column),
        };
        self.drafts[node].node.members = members;
    }

    fn scalar(&mut self, node: NodeId, name: &ColumnName) -> Vec<Member> {
        let Some(column) = self.own_column(node, name) else { return Vec::new() };
        let check = self.drafts[node].check;
        let table = &self.drafts[node].node.table;
        let kind = ColumnMember { check, ..ColumnMember::read_only(column) };
        let name = table.columns[column].served_name();
        vec![Member { name, kind: MemberKind::Column(kind) }]
    }

    /// Declares a name in an object; a second one of the same name is reported.
    pub(super) fn declare(&mut self, names: &mut Names, name: &str, span: Span) {
        if names.root && SERVER_MEMBERS.contains(&name) {
            let message = format!("a document cannot have a member {name} of its own");
            let diagnostic = Diagnostic::new(Code::ViewDuplicate, span, message);
            self.report(diagnostic.rule(rules::RESERVED));
        }
        if names.flex.is_some() && name == NAME_CONFLICTS {
            let message =
                format!("an object with a flex column cannot have a member {NAME_CONFLICTS}");
            let diagnostic = Diagnostic::new(Code::ViewDuplicate, span, message);
            self.report(diagnostic.rule(rules::FLEX_CONFLICTS));
        }
        if names.seen.insert(name.to_owned(), span).is_some() {
            let message = format!("the member `{name}` appears twice");
            let diagnostic = Diagnostic::new(Code::ViewDuplicate, span, message);
            self.report(diagnostic.rule(rules::NAME_ONCE));
        }
    }

    /// Builds the members between braces; `prefix` is their path through groups.
    fn object(
        &mut self,
        node: NodeId,
        object: &Object,
        names: &mut Names,
        prefix: &[usize],
    ) -> Vec<Member> {
        let mut members = Vec::new();
        let mut star = false;
        for definition in &object.members {
            let place: Vec<usize> = prefix.iter().copied().chain([members.len()]).collect();
            match &definition.content {
                Content::Star if star => {
                    let message = "`*` appears twice";
                    let diagnostic = Diagnostic::new(Code::ViewDuplicate, definition.span, message);
                    self.report(diagnostic.rule(rules::COLUMN_ONCE));
                }
                Content::Star => {
                    star = true;
                    members.extend(self.star(node, object, names, definition.span));
                }
                Content::Column(column) => {
                    members.extend(self.column(node, definition, column, names));
                }
                Content::Generated(source) => {
                    members.extend(self.generated(node, definition, source, names, place));
                }
                Content::Group(inner) => {
                    self.check_own_table(node, inner);
                    members.extend(self.group(node, definition, &inner.object, names, &place));
                }
                Content::Table(table) if prefix.is_empty() => {
                    let key = definition.key.as_ref();
                    members.extend(self.nested(node, key, table, names));
                }
                Content::Table(table) => {
                    let message =
                        format!("table {} is not allowed in a group", table.table.name.text);
                    let span = table.table.span();
                    let diagnostic = Diagnostic::new(Code::ViewAnnotation, span, message);
                    self.report(diagnostic.rule(rules::GROUP_COLUMNS));
                }
            }
        }
        if object.absent {
            members.iter_mut().for_each(leave_out);
        }
        members
    }

    /// The column of this name; a qualifier must be the table's own.
    pub(super) fn own_column(&mut self, node: NodeId, name: &ColumnName) -> Option<usize> {
        let table = TableRef::clone(&self.drafts[node].node.table);
        let qualified = name
            .qualifier
            .as_ref()
            .is_none_or(|qualifier| same_name(&qualifier.text, &self.drafts[node].alias));
        let found = if qualified {
            self.column_of(&table, &name.name)
        } else {
            self.report_qualifier(node, name, rules::MEMBER_OWN);
            None
        };
        if found.is_none() {
            self.drafts[node].broken = true;
        }
        found
    }

    /// Reports a qualifier that is not the table's own.
    pub(super) fn report_qualifier(&mut self, node: NodeId, name: &ColumnName, rule: &'static str) {
        let Some(qualifier) = &name.qualifier else { return };
        let draft = &self.drafts[node];
        let outer = self.ancestor(draft.parent, &qualifier.text);
        let diagnostic = match outer {
            Some(outer) => {
                let outer = names::of_table(&self.drafts[outer].node.table);
                let message = format!(
                    "{}.{} is a column of the outer table {outer}",
                    qualifier.text, name.name.text
                );
                let code = match rule {
                    rules::NO_OR_JOIN => Code::ViewJoin,
                    rules::MEMBER_OWN => Code::ViewColumn,
                    _ => Code::ViewPredicate,
                };
                Diagnostic::new(code, name.span(), message).rule(rule)
            }
            None => {
                let message = format!("`{}` is no table or alias here", qualifier.text);
                Diagnostic::new(Code::ViewColumn, qualifier.span, message)
                    .rule(rules::NAMES_EXIST)
                    .hint(format!("The alias here is `{}`.", draft.alias))
            }
        };
        self.report(diagnostic);
    }

    fn column(
        &mut self,
        node: NodeId,
        definition: &MemberDefinition,
        name: &ColumnName,
        names: &mut Names,
    ) -> Option<Member> {
        let marks = self.marks(&definition.annotations, Place::Column);
        let key = definition.key.as_ref().unwrap_or(&name.name);
        if !marks.has(Kind::Flex) {
            self.declare(names, &key.text, key.span);
        }
        let column = self.own_column(node, name)?;
        if marks.has(Kind::Flex) {
            return self.flex(node, column, name.span(), names);
        }
        self.use_column(node, column, name.span());
        self.check_cast(node, column, &marks);
        self.check_update(node, column, &marks);
        let mut kind = self.column_kind(node, column, &marks);
        if let Some(origin) = self.origin(node, column, &marks) {
            kind = ColumnMember { origin, check: false, ignored: false, ..kind };
        }
        Some(Member { name: key.text.clone(), kind: MemberKind::Column(kind) })
    }

    fn column_kind(&self, node: NodeId, column: usize, marks: &Marks<'_>) -> ColumnMember {
        let draft = &self.drafts[node];
        let table = &draft.node.table;
        let (update, check) = (marks.flag(Kind::Update), marks.flag(Kind::Check));
        let identifying = table.identity().contains(&column);
        ColumnMember {
            column,
            update: updatable(table, column) && update.unwrap_or(draft.node.operations.update),
            check: check.unwrap_or(identifying || draft.check),
            hidden: marks.has(Kind::Hidden),
            ignored: update == Some(false) && check == Some(false),
            absent: false,
            origin: MemberOrigin::Given,
        }
    }

    fn check_update(&mut self, node: NodeId, column: usize, marks: &Marks<'_>) {
        let table = &self.drafts[node].node.table;
        let Some(annotation) = marks.get(Kind::Update).filter(|annotation| annotation.on) else {
            return;
        };
        let is_document = self.holds_documents(table);
        if updatable(table, column) && !is_document {
            return;
        }
        let name = names::of(table, column);
        let (message, rule) = if is_document && updatable(table, column) {
            (format!("{name} is the document of a collection"), rules::DOCUMENTS_WHOLE)
        } else if table.identity().contains(&column) {
            (
                format!("{name} identifies rows of {}", names::of_table(table)),
                rules::IDENTITY_READ_ONLY,
            )
        } else {
            (format!("{name} is computed by the database"), rules::COMPUTED_READ_ONLY)
        };
        let diagnostic = Diagnostic::new(Code::ViewAnnotation, annotation.span, message);
        self.report(diagnostic.rule(rule));
    }

    fn check_cast(&mut self, node: NodeId, column: usize, marks: &Marks<'_>) {
        let column = &self.drafts[node].node.table.columns[column];
        let name = names::of_column(column);
        let fits = matches!(column.ty, Type::Binary | Type::Text | Type::Char | Type::Uuid);
        if let Some(annotation) = marks.get(Kind::Cast).filter(|_| !fits) {
            let message = format!("{name} is {} and cannot be an id", column.ty.name());
            let diagnostic = Diagnostic::new(Code::ViewAnnotation, annotation.span, message);
            self.report(diagnostic.rule(rules::CAST_ID));
        }
    }

    fn use_column(&mut self, node: NodeId, column: usize, span: Span) {
        let draft = &mut self.drafts[node];
        let twice = draft.columns.iter().any(|(other, _)| *other == column);
        draft.columns.push((column, span));
        if twice {
            let table = &draft.node.table;
            let message = format!(
                "column {} of {} appears twice",
                names::of(table, column),
                names::of_table(table)
            );
            let diagnostic = Diagnostic::new(Code::ViewDuplicate, span, message);
            self.report(diagnostic.rule(rules::COLUMN_ONCE));
        }
    }

    fn flex(
        &mut self,
        node: NodeId,
        column: usize,
        span: Span,
        names: &mut Names,
    ) -> Option<Member> {
        self.use_column(node, column, span);
        let draft = &self.drafts[node];
        let ty = &draft.node.table.columns[column].ty;
        let name = names::of(&draft.node.table, column);
        let problem = if *ty != Type::Json {
            Some((format!("{name} is {}, not JSON", ty.name()), rules::FLEX_JSON))
        } else if draft.flex.is_some() {
            Some((format!("{name} would be a second flex column"), rules::FLEX_ONCE))
        } else if let Some(other) = &names.flex {
            let message = format!("{name} would be a second flex column beside {other}");
            Some((message, rules::FLEX_ONE))
        } else if names.seen.contains_key(NAME_CONFLICTS) {
            Some((
                format!("an object with a flex column cannot have a member {NAME_CONFLICTS}"),
                rules::FLEX_CONFLICTS,
            ))
        } else {
            None
        };
        if let Some((message, rule)) = problem {
            self.report(Diagnostic::new(Code::ViewAnnotation, span, message).rule(rule));
            return None;
        }
        names.flex = Some(name.to_owned());
        self.drafts[node].flex = Some(column);
        Some(Member { name: String::new(), kind: MemberKind::Flex(column.into()) })
    }

    /// `*`: all columns that are not members of the object yet, except JSON, arrays and XML.
    fn star(
        &mut self,
        node: NodeId,
        object: &Object,
        names: &mut Names,
        span: Span,
    ) -> Vec<Member> {
        let table = TableRef::clone(&self.drafts[node].node.table);
        let mut named = Vec::new();
        named_columns(&table, object, &mut named);
        let none = Marks::default();
        let mut members = Vec::new();
        for (position, column) in table.columns.iter().enumerate() {
            let scalar = !matches!(column.ty, Type::Json | Type::Array(_)) && !column.ty.is_xml();
            if !scalar || named.contains(&position) {
                continue;
            }
            let name = column.served_name();
            self.declare(names, &name, span);
            self.drafts[node].columns.push((position, span));
            let kind = MemberKind::Column(self.column_kind(node, position, &none));
            members.push(Member { name, kind });
        }
        members
    }

    fn group(
        &mut self,
        node: NodeId,
        definition: &MemberDefinition,
        object: &Object,
        names: &mut Names,
        place: &[usize],
    ) -> Option<Member> {
        self.marks(&definition.annotations, Place::Group);
        let key: &Name = definition.key.as_ref()?;
        self.declare(names, &key.text, key.span);
        if object.broken {
            self.drafts[node].broken = true;
        }
        let before = self.drafts[node].columns.len();
        let members = self.object(node, object, &mut Names::default(), place);
        if node == 0 {
            self.check_key_group(before, members.len(), place.len() == 1, key.span);
        }
        Some(Member { name: key.text.clone(), kind: MemberKind::Group(members) })
    }

    /// The table that a group names is that of its object.
    fn check_own_table(&mut self, node: NodeId, group: &Group) {
        let Some(named) = &group.table else { return };
        let draft = &self.drafts[node];
        let table = &draft.node.table;
        let of_schema = |schema: &Name| same_name(&schema.text, &table.schema);
        let own =
            names::called(table, &named.name.text) && named.schema.as_ref().is_none_or(of_schema);
        if own {
            return;
        }
        let message = format!("{} is not the table of this object", names::of_table_name(named));
        let hint = format!("Write {} @nest {{ … }}, or leave @nest out.", names::of_table(table));
        let diagnostic = Diagnostic::new(Code::ViewAnnotation, named.span(), message);
        self.report(diagnostic.rule(rules::PLACE_GROUP).hint(hint));
    }

    /// The root's identifying columns may be grouped only all together and with nothing else.
    fn check_key_group(&mut self, before: usize, members: usize, top: bool, span: Span) {
        let draft = &self.drafts[0];
        let identity = draft.node.table.identity();
        let grouped = &draft.columns[before..];
        let keys = grouped.iter().filter(|(column, _)| identity.contains(column)).count();
        let whole = top && keys == identity.len() && members == keys;
        if keys > 0 && !whole && !draft.broken {
            let message = format!(
                "identifying columns of {} cannot be nested",
                names::of_table(&draft.node.table)
            );
            let diagnostic = Diagnostic::new(Code::ViewAnnotation, span, message);
            self.report(diagnostic.rule(rules::IDENTITY_NOT_NESTED));
        }
    }

    fn generated(
        &mut self,
        node: NodeId,
        definition: &MemberDefinition,
        source: &GeneratedSource,
        names: &mut Names,
        place: Vec<usize>,
    ) -> Option<Member> {
        let marks = self.marks(&definition.annotations, Place::Generated);
        let hidden = marks.has(Kind::Hidden);
        let key = definition.key.as_ref()?;
        self.declare(names, &key.text, key.span);
        let (expr, ty) = match source {
            GeneratedSource::Sql(expr) => self.value(node, expr)?,
            GeneratedSource::Path { text, span } => {
                let path = PathUse { place, text: text.clone(), span: *span };
                self.drafts[node].paths.push(path);
                PathUse::pending()
            }
        };
        let kind = MemberKind::Generated { expr: Box::new(expr), ty, hidden, absent: false };
        Some(Member { name: key.text.clone(), kind })
    }
}

/// Marks a value to be left out of its object where it is NULL.
fn leave_out(member: &mut Member) {
    match &mut member.kind {
        MemberKind::Column(column) => column.absent = true,
        MemberKind::Generated { absent, .. } => *absent = true,
        _ => {}
    }
}

/// The columns that an object names, groups included.
fn named_columns(table: &Relation, object: &Object, out: &mut Vec<usize>) {
    for member in &object.members {
        match &member.content {
            Content::Column(column) => out.extend(table.column_index(&column.name.text)),
            Content::Group(inner) => named_columns(table, &inner.object, out),
            Content::Table(_) | Content::Star | Content::Generated(_) => {}
        }
    }
}
