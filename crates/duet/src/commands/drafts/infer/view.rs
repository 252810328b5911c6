//! The duality views as text, in the GraphQL style.

use super::design::{Design, Form, Member, Node, View};

/// The file of a view.
pub(super) fn text(design: &Design, view: &View) -> String {
    let mut text = String::from("# Drafted by `duet infer`.\n");
    for comment in &view.comments {
        text.push_str(&format!("# {comment}\n"));
    }
    let table = &design.tables[view.root.table];
    text.push_str(&format!("view {} as {} {OWNED} {{\n", view.name, quoted(&table.name)));
    object(design, &view.root, 1, &mut text);
    text.push_str("}\n");
    text
}

/// New members of an object, a line each.
pub(super) fn members_text(design: &Design, node: &Node, depth: usize) -> String {
    let mut text = String::new();
    members(design, node, &node.members, depth, &mut text);
    text
}

/// Rows that belong to their document.
const OWNED: &str = "@insert @update @delete";
/// Rows that other documents may have too.
const SHARED: &str = "@insert @update";

fn object(design: &Design, node: &Node, depth: usize, text: &mut String) {
    members(design, node, &node.members, depth, text);
}

fn members(design: &Design, node: &Node, all: &[Member], depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    for member in all {
        match member {
            Member::Column { name, column } => {
                text.push_str(&format!("{indent}{}: {}\n", quoted(name), quoted(column)));
            }
            Member::Flex { column } => {
                text.push_str(&format!("{indent}{} @flex\n", quoted(column)));
            }
            Member::Group { name, members: inner } => {
                text.push_str(&format!("{indent}{}: {{\n", quoted(name)));
                members(design, node, inner, depth + 1, text);
                text.push_str(&format!("{indent}}} @nest\n"));
            }
            Member::Nested { name, node: child, form } => {
                let member = NestedMember { name, node: child, form };
                nested(design, node, &member, depth, text);
            }
        }
    }
}

/// A member that has objects of another node.
struct NestedMember<'m> {
    name: &'m str,
    node: &'m Node,
    form: &'m Form,
}

fn nested(
    design: &Design,
    parent: &Node,
    member: &NestedMember<'_>,
    depth: usize,
    text: &mut String,
) {
    let NestedMember { name, node: child, form } = *member;
    let indent = "  ".repeat(depth);
    let table = quoted(&design.tables[child.table].name);
    let rights = if child.is_owned { OWNED } else { SHARED };
    let link = link(design, parent, child, form);
    let name = quoted(name);
    let (begin, end) = match form {
        Form::Array | Form::Inverse(_) => (format!("{name}: {table} {rights} {link} [ {{"), "} ]"),
        Form::Own => (format!("{name}: {table} {rights} @object {link} {{"), "}"),
        Form::Shared(_) => (format!("{name}: {table} {rights} {link} {{"), "}"),
        Form::Merged(_) => (format!("{table} {rights} @unnest {link} {{"), "}"),
    };
    text.push_str(&format!("{indent}{begin}\n"));
    object(design, child, depth + 1, text);
    text.push_str(&format!("{indent}{end}\n"));
}

/// The columns of the join.
fn link(design: &Design, parent: &Node, child: &Node, form: &Form) -> String {
    let (above, below) = (&design.tables[parent.table], &design.tables[child.table]);
    let (from, to) = match form {
        Form::Shared(column) | Form::Merged(column) => (vec![column.clone()], below.key.clone()),
        Form::Inverse(column) => (above.key.clone(), vec![column.clone()]),
        Form::Array | Form::Own => {
            let reference = below.references.iter().find(|one| one.table == parent.table);
            (above.key.clone(), reference.map(|one| one.columns.clone()).unwrap_or_default())
        }
    };
    let list =
        |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    format!("@link(from: [{}], to: [{}])", list(&from), list(&to))
}

/// A name in quotes.
fn quoted(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    out.push('"');
    for char in name.chars() {
        if matches!(char, '"' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
    out.push('"');
    out
}
