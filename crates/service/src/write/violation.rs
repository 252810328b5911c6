//! Broken rules of the database in the words of a resource: which of its members they are about.

use duet_model::error::Place;
use duet_model::problem::quoted;
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Member, MemberKind, NodeId, RowOperation, Shape};

/// The row that an operation was about to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    /// Its node.
    pub(crate) node: NodeId,
    /// Its place in the body.
    pub(crate) pointer: &'a str,
}

/// Names the members that a violation is about, where the shape shows them, and says where they stand
/// in the body. `about` is the row, where it is known.
pub(crate) fn named(mut error: Error, shape: &Shape, about: Option<About<'_>>) -> Error {
    let place = |error: &mut Error, pointer: String| {
        if is_of_row(error.code) {
            error.place.get_or_insert(Place::Pointer(pointer));
        }
    };
    let Some((node, members)) = members_of(&error, shape, about) else {
        if let Some(about) = about {
            place(&mut error, about.pointer.to_owned());
        }
        return error;
    };
    let last = |path: &Vec<&str>| quoted(path.last().copied().unwrap_or_default());
    let all: Vec<String> = members.iter().map(last).collect();
    if let Some(message) = message(error.code, &all.join(", "), node) {
        error.message = message;
    }
    let row = about.map(|about| about.pointer).or((node == 0).then_some(""));
    if let Some(row) = row {
        let only = if let [only] = &members[..] { &only[..] } else { &[] };
        place(&mut error, only.iter().fold(row.to_owned(), |at, part| pointer(&at, part)));
    }
    error
}

/// The error of a row that cannot be parked: the other one does not get its value.
pub(crate) fn not_parked(error: Error, shape: &Shape, parked: &RowOperation) -> Error {
    if !is_of_row(error.code) {
        return error;
    }
    let members = &shape.nodes[parked.node].members;
    let path = parked.set.first().and_then(|(column, _)| member_path(members, *column));
    let name = path.and_then(|path| path.last().copied()).map_or("a value".to_owned(), quoted);
    let message = format!(
        "A row gets {name} from another row of the document, which must be unique, and the table lets none of \
         the two be without it meanwhile. Give the other row a free value first, in a request of its own."
    );
    let place = Place::Pointer(parked.pointer.clone());
    Error::new(Code::UniqueViolation, message).at(place).cause(error.cause.unwrap_or_default())
}

/// Whether a code speaks of a row, and not of the database as a whole.
fn is_of_row(code: Code) -> bool {
    matches!(
        code,
        Code::UniqueViolation
            | Code::ForeignKeyViolation
            | Code::CheckViolation
            | Code::NotNullViolation
            | Code::ExclusionViolation
            | Code::TriggerRefused
            | Code::RowSecurity
            | Code::NotWritable
            | Code::ValueOutOfRange
    )
}

/// The node of the table that a violation names, and the members that show its columns.
fn members_of<'s>(
    error: &Error,
    shape: &'s Shape,
    about: Option<About<'_>>,
) -> Option<(NodeId, Vec<Vec<&'s str>>)> {
    // Not every store tells which reference it was.
    let violation =
        error.violation.as_deref().filter(|_| error.code != Code::ForeignKeyViolation)?;
    let same = |name: &Option<String>, own: &str| name.as_ref().is_none_or(|name| name == own);
    let is_told = |node: NodeId| {
        let table = &shape.nodes[node].table;
        same(&violation.schema, &table.schema) && same(&violation.table, &table.name)
    };
    let node = match about {
        Some(about) => Some(about.node).filter(|&node| is_told(node))?,
        None => (0..shape.nodes.len()).find(|&node| is_told(node))?,
    };
    let columns = shape.nodes[node].table.violated_columns(violation);
    let paths: Option<Vec<Vec<&str>>> =
        columns.iter().map(|&column| member_path(&shape.nodes[node].members, column)).collect();
    paths.filter(|paths| !paths.is_empty()).map(|paths| (node, paths))
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

/// The names that lead to the member that shows a column.
fn member_path(members: &[Member], column: usize) -> Option<Vec<&str>> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Column(own) if own.column == column && !own.hidden => Some(vec![&*member.name]),
        MemberKind::Group(inner) => {
            let below = member_path(inner, column)?;
            Some([vec![&*member.name], below].concat())
        }
        _ => None,
    })
}
