//! Shapes back to definitions, in the GraphQL style: for golden files and for people.
//!
//! What is printed compiles to the same shape again. A link is printed only where the catalog's
//! foreign keys would not give it, and an annotation only where it changes something. Three forms
//! are Duet's own: `table [ column ]` for an array of scalars, the argument `check: true` of
//! `@where` for a row filter WITH CHECK OPTION, and `positions('0 to 2', condition, column, …)` in
//! queries for the rows at these positions of an array.

mod expr;

use std::fmt::Write as _;

use duet_model::view_rule::RuleStage;
use duet_model::{
    Cardinality, ColumnMember, Link, Member, MemberKind, MemberOrigin, Node, Relation, Shape,
};

use crate::ast::Kind;
use crate::joins::{Candidate, candidates, link_text, natural};
use crate::lexer::is_plain_name;
use crate::names::{self, quoted};
use crate::updates::updatable;

/// Where members are added to the objects of a shape when it is printed.
#[derive(Clone, Copy, Debug)]
pub struct AddedAt<'a> {
    /// The node.
    pub node: usize,
    /// The names of the groups around, each behind a slash; empty for the object of the node itself.
    pub groups: &'a str,
    /// Objects around the members.
    pub depth: usize,
}

/// Prints a shape as a definition.
pub fn print(shape: &Shape) -> String {
    print_with(shape, &|_| String::new())
}

/// Prints a shape as a definition, with more lines at the end of its objects.
pub fn print_with(shape: &Shape, added: &dyn Fn(AddedAt<'_>) -> String) -> String {
    let groups = String::new();
    let mut printer = Printer { shape, added, groups, out: String::new() };
    printer.out.push_str("CREATE JSON RELATIONAL DUALITY VIEW ");
    printer.out.push_str(&view_name(&shape.name));
    printer.out.push_str(" AS\n");
    if let Some(root) = shape.nodes.first() {
        printer.table(root, None);
        printer.rules();
        printer.out.push_str(" {\n");
        printer.members(root, &root.members, 1);
        printer.out.push_str("};\n");
    }
    printer.out
}

/// A view's name; one with capitals needs its quotes to keep them.
fn view_name(name: &str) -> String {
    if is_plain_name(name) && name.to_lowercase() == name { name.to_owned() } else { quoted(name) }
}

/// A table, column or member name.
pub(crate) fn name(name: &str) -> String {
    if is_plain_name(name) && !name.eq_ignore_ascii_case("select") {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A table's name with its schema.
fn table_name(table: &Relation) -> String {
    let own = name(names::of_table(table));
    if table.schema.is_empty() { own } else { format!("{}.{own}", name(&table.schema)) }
}

struct Printer<'a> {
    shape: &'a Shape,
    /// More members at the end of an object.
    added: &'a dyn Fn(AddedAt<'_>) -> String,
    /// The groups around, as in [`AddedAt`].
    groups: String,
    out: String,
}

impl Printer<'_> {
    fn directive(&mut self, kind: Kind, on: bool) {
        self.out.push_str(if on { " @" } else { " @no" });
        self.out.push_str(kind.name());
    }

    /// The table's name and directives; `layout` is the kind of the member that it makes.
    fn table(&mut self, node: &Node, layout: Option<&MemberKind>) {
        self.out.push_str(&table_name(&node.table));
        let operations = node.operations;
        let allowed = [
            (Kind::Insert, operations.insert),
            (Kind::Update, operations.update),
            (Kind::Delete, operations.delete),
        ];
        for (kind, _) in allowed.into_iter().filter(|(_, allowed)| *allowed) {
            self.directive(kind, true);
        }
        if !default_check(node) {
            self.directive(Kind::Check, false);
        }
        if let (Some(link), Some(layout)) = (&node.link, layout) {
            self.link(node, link, layout);
        }
        if let Some(filter) = &node.filter {
            let condition = quoted(&expr::print(filter, node));
            self.out.push_str(" @where(sql: ");
            self.out.push_str(&condition);
            self.out.push_str(if node.check_option { ", check: true)" } else { ")" });
        }
        self.nulls(&node.members);
    }

    /// The rules on the documents, and their events.
    fn rules(&mut self) {
        for rule in &self.shape.rules {
            self.out.push_str("\n  @validate(sql: ");
            self.out.push_str(&quoted(&rule.text));
            if let Some(name) = &rule.name {
                self.out.push_str(", name: ");
                self.out.push_str(&quoted(name));
            }
            match (rule.insert, rule.update) {
                (true, false) => self.out.push_str(", on: \"INSERT\""),
                (false, true) => self.out.push_str(", on: \"UPDATE\""),
                _ => {}
            }
            if rule.stage == RuleStage::After {
                self.out.push_str(", at: \"AFTER OBJECT\"");
            }
            self.out.push(')');
        }
        let Some(notice) = &self.shape.notice else { return };
        let words = notice.words();
        let mut arguments = Vec::new();
        if words.len() < 3 {
            arguments.push(format!("on: {}", quoted(&words.join(" "))));
        }
        arguments.extend(notice.name.as_ref().map(|name| format!("name: {}", quoted(name))));
        self.out.push_str("\n  @notify");
        if !arguments.is_empty() {
            self.out.push_str(&format!("({})", arguments.join(", ")));
        }
    }

    /// The directive of an object whose values are left out where they are NULL.
    fn nulls(&mut self, members: &[Member]) {
        let absent = |member: &Member| match &member.kind {
            MemberKind::Column(column) => column.absent,
            MemberKind::Generated { absent, .. } => *absent,
            _ => false,
        };
        if members.iter().any(absent) {
            self.out.push_str(" @onnull(absent: true)");
        }
    }

    fn link(&mut self, node: &Node, link: &Link, layout: &MemberKind) {
        let Some(parent) = self.shape.nodes.get(link.parent) else { return };
        let (parent, child) = (&parent.table, &node.table);
        let natural = natural(parent, child, &link.parent_columns, &link.child_columns);
        let candidate = Candidate {
            parent_columns: link.parent_columns.clone(),
            child_columns: link.child_columns.clone(),
            natural,
        };
        if candidates(parent, child) != [candidate.clone()] {
            self.out.push(' ');
            self.out.push_str(&link_text(&candidate, parent, child));
        }
        match layout {
            MemberKind::Unnest(_) => self.directive(Kind::Unnest, true),
            MemberKind::Object(_) if natural == Cardinality::Many => {
                self.directive(Kind::Object, true);
            }
            _ => {}
        }
    }

    fn members(&mut self, node: &Node, members: &[Member], depth: usize) {
        for member in members {
            self.indent(depth);
            self.member(node, member, depth);
            self.out.push('\n');
        }
        let at = self.shape.nodes.iter().position(|known| std::ptr::eq(known, node));
        if let Some(at) = at {
            let groups = self.groups.as_str();
            let lines = (self.added)(AddedAt { node: at, groups, depth });
            self.out.push_str(&lines);
        }
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    fn key(&mut self, key: &str) {
        self.out.push_str(&name(key));
        self.out.push_str(": ");
    }

    fn member(&mut self, node: &Node, member: &Member, depth: usize) {
        match &member.kind {
            MemberKind::Column(column) => self.column(node, &member.name, column),
            MemberKind::Group(inner) => self.group(node, &member.name, inner, depth),
            MemberKind::Generated { expr, hidden, .. } => {
                let sql = quoted(&expr::print(expr, node));
                self.out.push_str(&name(&member.name));
                self.out.push_str(" @generated(sql: ");
                self.out.push_str(&sql);
                self.out.push(')');
                if *hidden {
                    self.directive(Kind::Hidden, true);
                }
            }
            MemberKind::Flex(flex) => {
                self.out.push_str(&name(names::of(&node.table, flex.column)));
                self.directive(Kind::Flex, true);
            }
            // Collections are declared in files of their own.
            MemberKind::Document(_) | MemberKind::Related(_) => {}
            MemberKind::Object(child)
            | MemberKind::Array(child)
            | MemberKind::Scalars(child)
            | MemberKind::Unnest(child) => self.nested(member, *child, depth),
        }
    }

    fn column(&mut self, node: &Node, key: &str, member: &ColumnMember) {
        let column = names::of(&node.table, member.column);
        let derived = node.derived.iter().find(|derived| derived.column == member.column);
        // Without a name of its own it would be a member without a column.
        if key != column || derived.is_some() {
            self.key(key);
        }
        self.out.push_str(&name(column));
        let update = updatable(&node.table, member.column) && node.operations.update;
        if member.update != update || member.ignored {
            self.directive(Kind::Update, member.update);
        }
        if let Some(derived) = derived {
            let path = quoted(&derived.path);
            let missing = match member.origin {
                MemberOrigin::IfMissing => ", ifMissing: true",
                _ => "",
            };
            // Writing to a String cannot fail.
            let _ = write!(self.out, " @generated(path: {path}{missing})");
        }
        let identifying = node.table.identity().contains(&member.column);
        let is_default = derived.is_some()
            || member.check == (identifying || default_check(node)) && !member.ignored;
        if !is_default {
            self.directive(Kind::Check, member.check);
        }
        if member.hidden {
            self.directive(Kind::Hidden, true);
        }
    }

    fn group(&mut self, node: &Node, key: &str, members: &[Member], depth: usize) {
        self.key(key);
        self.out.push_str("{\n");
        let around = self.groups.len();
        self.groups.push('/');
        self.groups.push_str(key);
        self.members(node, members, depth + 1);
        self.groups.truncate(around);
        self.indent(depth);
        self.out.push('}');
        if !self.is_key_group(node, members, depth) {
            self.directive(Kind::Nest, true);
        }
        self.nulls(members);
    }

    /// Whether the group is the root's key, which does not count as nesting.
    fn is_key_group(&self, node: &Node, members: &[Member], depth: usize) -> bool {
        let identity = node.table.identity();
        let is_key = |member: &Member| matches!(&member.kind, MemberKind::Column(column) if identity.contains(&column.column));
        depth == 1 && std::ptr::eq(node, self.shape.root()) && members.iter().any(is_key)
    }

    fn nested(&mut self, member: &Member, child: usize, depth: usize) {
        let Some(node) = self.shape.nodes.get(child) else { return };
        let groups = std::mem::take(&mut self.groups);
        if !matches!(member.kind, MemberKind::Unnest(_)) {
            self.key(&member.name);
        }
        self.table(node, Some(&member.kind));
        match (&member.kind, &node.members[..]) {
            (MemberKind::Scalars(_), [Member { kind: MemberKind::Column(column), .. }]) => {
                let column = name(names::of(&node.table, column.column));
                // Writing to a String cannot fail.
                let _ = write!(self.out, " [ {column} ]");
            }
            (MemberKind::Array(_), members) => {
                self.out.push_str(" [ {\n");
                self.members(node, members, depth + 1);
                self.indent(depth);
                self.out.push_str("} ]");
            }
            (_, members) => {
                self.out.push_str(" {\n");
                self.members(node, members, depth + 1);
                self.indent(depth);
                self.out.push('}');
            }
        }
        self.groups = groups;
    }
}

/// Whether the columns of a node take part in the etag by default. `@nocheck` on the table is
/// needed where a column is out of the etag and read-only without being ignored, because
/// `@nocheck @noupdate` on the column itself would mean that.
fn default_check(node: &Node) -> bool {
    fn needs_table(node: &Node, members: &[Member]) -> bool {
        members.iter().any(|member| match &member.kind {
            MemberKind::Group(inner) => needs_table(node, inner),
            MemberKind::Column(column) => {
                let overridden = node.operations.update && updatable(&node.table, column.column);
                let derived = column.origin != MemberOrigin::Given;
                !column.check && !column.update && !column.ignored && !derived && overridden
            }
            _ => false,
        })
    }
    let scalar = |members: &[Member]| match members {
        [Member { kind: MemberKind::Column(column), .. }] => !column.check && !column.ignored,
        _ => false,
    };
    // An array of scalars has no place for an annotation on its column.
    let is_scalar = node.link.is_some() && node.operations == duet_model::Operations::default();
    !(needs_table(node, &node.members) || (is_scalar && scalar(&node.members)))
}
