//! Broken rules of the database in the words of a resource: which of its members they are about.

use duet_model::error::Place;
use duet_model::problem::quoted;
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Member, MemberKind, NodeId, Shape};

/// Names the members that a violation is about, where the shape shows them.
pub(crate) fn named(mut error: Error, shape: &Shape) -> Error {
    // Not every store tells which reference it was.
    let told = error.violation.as_deref().filter(|_| error.code != Code::ForeignKeyViolation);
    let Some(violation) = told else { return error };
    let same = |name: &Option<String>, own: &str| name.as_ref().is_none_or(|name| name == own);
    let found = shape.nodes.iter().enumerate().find(|(_, node)| {
        same(&violation.schema, &node.table.schema) && same(&violation.table, &node.table.name)
    });
    let Some((node, about)) = found else { return error };
    let columns = about.table.violated_columns(violation);
    let names: Option<Vec<&str>> =
        columns.iter().map(|&column| member_name(&shape.nodes[node].members, column)).collect();
    let Some(names) = names.filter(|names| !names.is_empty()) else { return error };
    let all: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    if let Some(message) = message(error.code, &all.join(", "), node) {
        error.message = message;
    }
    if let (0, [only]) = (node, &names[..]) {
        error.place.get_or_insert(Place::Pointer(pointer("", only)));
    }
    error
}

fn message(code: Code, names: &str, node: NodeId) -> Option<String> {
    let whose = if node == 0 { "" } else { " below" };
    Some(match code {
        Code::UniqueViolation => format!(
            "Another row{whose} already has this {names}, which must be unique. Choose another value, or change that row instead."
        ),
        Code::CheckViolation => {
            format!(
                "{names}{whose} breaks a rule of the table. Check the value against what the table allows."
            )
        }
        Code::NotNullViolation => {
            format!("{names}{whose} is missing, and the table requires it. Send it.")
        }
        Code::ExclusionViolation => {
            format!("{names}{whose} is in conflict with another row. Choose another value.")
        }
        _ => return None,
    })
}

/// The name of the member that shows a column.
fn member_name(members: &[Member], column: usize) -> Option<&str> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Column(own) if own.column == column && !own.hidden => Some(&*member.name),
        MemberKind::Group(inner) => member_name(inner, column),
        _ => None,
    })
}
