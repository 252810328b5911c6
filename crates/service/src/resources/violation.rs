//! Broken rules of the database in terms of a shape: the affected members.

use duet_model::refusal::{STILL_REFERRED_TO, of_document};
use duet_model::row_tree::pointer;
use duet_model::{
    Code, ColumnRef, Error, Member, MemberKind, NodeId, Relation, RowAction, RowOperation, Shape,
    Type, Value,
};
use duet_text::error::Place;
use duet_text::name;
use duet_text::numeric_digits::is_beyond_digits;
use duet_text::problem::quoted;

/// The row that an operation was about to write.
#[derive(Clone, Debug)]
pub(crate) struct About<'a> {
    /// Its node.
    pub(crate) node: NodeId,
    /// Its place in the body.
    pub(crate) pointer: &'a str,
    /// What was to be done.
    pub(crate) action: RowAction,
    /// The columns that were set, with their values where these are known.
    pub(crate) set: Vec<(usize, Option<&'a Value>)>,
}

/// Names the members of a violation, if the shape shows them, and their position
/// in the body. `about` is the row, where it is known.
pub(crate) fn named(mut error: Error, shape: &Shape, about: Option<&About<'_>>) -> Error {
    let place = |error: &mut Error, pointer: String| {
        if error.code.is_row_error() {
            error.place.get_or_insert(Place::Pointer(pointer));
        }
    };
    if let Some(about) = about.filter(|_| is_denied(&error)) {
        let table = &shape.nodes[about.node].table;
        error.code = Code::RoleDenied;
        error.message = format!(
            "The role of the database lacks {} on {}.{}, or a privilege on something that this uses, such as a sequence. The server's operator can grant it.",
            right_of(about.action),
            table.schema,
            table.name
        );
        return error;
    }
    let is_referred_to = error.code == Code::ForeignKeyViolation
        && about.is_some_and(|about| about.action == RowAction::Delete);
    let members = if is_referred_to { None } else { members_of(&error, shape, about) };
    let Some((node, members)) = members else {
        if let Some(about) = about {
            place(&mut error, about.pointer.to_owned());
        }
        return error;
    };
    let all: Vec<String> =
        members.iter().map(|(column, path)| name_of(shape, node, *column, path)).collect();
    if let Some(message) = of_document(error.code, &all.join(", ")) {
        error.message = message;
    }
    if error.code == Code::ForeignKeyViolation {
        let columns: Vec<usize> = members.iter().map(|(column, _)| *column).collect();
        refers(&mut error, missing_from(&shape.nodes[node].table, &columns));
    }
    let row = about.map(|about| about.pointer).or((node == 0).then_some(""));
    if let Some(row) = row {
        let only = if let [(_, only)] = &members[..] { &only[..] } else { &[] };
        place(&mut error, only.iter().fold(row.to_owned(), |at, part| pointer(&at, part)));
    }
    error
}

/// The refusal of a delete while others refer to the row.
pub(crate) fn held(error: &mut Error, table: &Relation) {
    STILL_REFERRED_TO.clone_into(&mut error.message);
    let holders = &table.effects.held_by;
    let shown: Vec<String> =
        holders.iter().take(HOLDERS).map(|it| quoted(&name::served(&it.name))).collect();
    let names = match (holders.len().checked_sub(HOLDERS), shown.split_last()) {
        (_, None) => None,
        (Some(more @ 1..), _) => Some(format!("{} or of {more} more tables", shown.join(", "))),
        (_, Some((last, []))) => Some(last.clone()),
        (_, Some((last, others))) => Some(format!("{} or {last}", others.join(", "))),
    };
    refers(error, names.map(|names| format!("Rows of {names} refer to it.")));
}

/// How many of the tables that refer to a row a refusal names.
const HOLDERS: usize = 5;

/// The sentence on the table that a reference leads to.
fn missing_from(table: &Relation, columns: &[usize]) -> Option<String> {
    let key = table.foreign_keys.iter().find(|key| key.columns == columns)?;
    let served = |name: &String| quoted(&name::served(name));
    let columns: Vec<String> = key.references_columns.iter().map(served).collect();
    Some(format!("{} has no row with this {}.", served(&key.references_table), columns.join(", ")))
}

fn refers(error: &mut Error, sentence: Option<String>) {
    if let Some(sentence) = sentence {
        error.violation.get_or_insert_default().reference = Some(sentence);
    }
}

/// Whether the role of the connection or of the client lacks a privilege.
fn is_denied(error: &Error) -> bool {
    matches!(error.code, Code::DatabaseDenied | Code::RoleDenied)
}

/// The privilege that an action takes.
fn right_of(action: RowAction) -> &'static str {
    match action {
        RowAction::Insert => "INSERT",
        RowAction::Update | RowAction::Park | RowAction::Unlink => "UPDATE",
        RowAction::Delete => "DELETE",
    }
}

/// A member as messages name it: one of a row below the root with its path in the document.
fn name_of(shape: &Shape, node: NodeId, column: usize, path: &[&str]) -> String {
    let last = path.last().copied().unwrap_or_default();
    if node == 0 {
        return quoted(last);
    }
    let fields = shape.fields();
    let field = fields.iter().find(|field| field.column() == Some(ColumnRef { node, column }));
    quoted(field.map_or(last, |field| &field.path))
}

/// The error of a row that cannot be parked: the other one does not get its value.
pub(crate) fn not_parked(error: Error, shape: &Shape, parked: &RowOperation) -> Error {
    if !error.code.is_row_error() {
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

/// A column, and the names that lead to the member that shows it.
type ShownColumn<'s> = (usize, Vec<&'s str>);

/// The node of the table that a violation names, and its columns with the members that show them.
fn members_of<'s>(
    error: &Error,
    shape: &'s Shape,
    about: Option<&About<'_>>,
) -> Option<(NodeId, Vec<ShownColumn<'s>>)> {
    let none = duet_model::Violation::default();
    let violation = match (error.violation.as_deref(), error.code) {
        (Some(violation), _) => violation,
        // A value that is refused before it reaches its column breaks no rule of a table.
        (None, Code::ValueOutOfRange | Code::NotWritable) => &none,
        (None, _) => return None,
    };
    let same = |name: &Option<String>, own: &str| name.as_ref().is_none_or(|name| name == own);
    let is_told = |node: NodeId| {
        let table = &shape.nodes[node].table;
        same(&violation.schema, &table.schema) && table.is_of(violation)
    };
    let node = match about {
        Some(about) => Some(about.node).filter(|&node| is_told(node))?,
        None => (0..shape.nodes.len()).find(|&node| is_told(node))?,
    };
    let table = &shape.nodes[node].table;
    let mut columns = table.violated_columns(violation);
    if columns.is_empty() {
        columns = match (error.code, about) {
            (Code::ForeignKeyViolation, Some(about)) => only_reference(table, about),
            (Code::CheckViolation, _) => table.checked_columns(violation),
            (Code::NotNullViolation, Some(about)) => only_null(table, about),
            (Code::NotWritable, Some(about)) => {
                only_named(table, about, error.cause.as_deref().unwrap_or_default())
            }
            (Code::ValueOutOfRange, Some(about)) => {
                suspect(table, about, error.cause.as_deref().unwrap_or_default())
            }
            _ => Vec::new(),
        };
    }
    let members = &shape.nodes[node].members;
    let shown = |&column: &usize| Some((column, member_path(members, column)?));
    let paths: Option<Vec<_>> = columns.iter().map(shown).collect();
    paths.filter(|paths| !paths.is_empty()).map(|paths| (node, paths))
}

/// The columns of the reference that a row can have broken, where it is only one: SQLite names none.
fn only_reference(table: &Relation, about: &About<'_>) -> Vec<usize> {
    let is_given = |column: &usize| {
        let set = about.set.iter().find(|(set, _)| set == column);
        set.is_some_and(|(_, value)| !matches!(value, Some(Value::Null)))
    };
    let mut given = table.foreign_keys.iter().filter(|key| key.columns.iter().any(is_given));
    match (given.next(), given.next()) {
        (Some(only), None) => only.columns.clone(),
        _ => Vec::new(),
    }
}

/// The column that is NULL and must not be, where it is only one: a domain that refuses NULL names none.
fn only_null(table: &Relation, about: &About<'_>) -> Vec<usize> {
    let is_null = |(column, value): &&(usize, Option<&Value>)| {
        table.columns[*column].not_null && matches!(value, Some(Value::Null))
    };
    let mut found = about.set.iter().filter(is_null);
    match (found.next(), found.next()) {
        (Some((only, _)), None) => vec![*only],
        _ => Vec::new(),
    }
}

/// The column that the database's words name, in any language, where it is only one.
fn only_named(table: &Relation, about: &About<'_>, cause: &str) -> Vec<usize> {
    let is_named = |column: &usize| cause.contains(&format!("\"{}\"", table.columns[*column].name));
    let mut found = about.set.iter().map(|(column, _)| *column).filter(is_named);
    match (found.next(), found.next()) {
        (Some(only), None) => vec![only],
        _ => Vec::new(),
    }
}

/// The column whose value the database cannot take. It names none, but mostly repeats the value;
/// otherwise it is the only one that Duet has not checked itself.
fn suspect(table: &Relation, about: &About<'_>, cause: &str) -> Vec<usize> {
    let text = |value: &Option<&Value>| match value {
        Some(Value::Text(text)) => Some(text.clone()),
        Some(Value::Null) | None => None,
        Some(other) => Some(other.to_string()),
    };
    let given: Vec<(usize, String)> =
        about.set.iter().filter_map(|(column, value)| Some((*column, text(value)?))).collect();
    let only = |test: &dyn Fn(usize, &str) -> bool| {
        let mut found = given.iter().filter(|(column, text)| test(*column, text));
        match (found.next(), found.next()) {
            (Some((column, _)), None) => Some(vec![*column]),
            _ => None,
        }
    };
    let column = |at: usize| &table.columns[at];
    only(&|at, text| exceeds(&column(at).declared, text))
        .or_else(|| only(&|_, text| !text.is_empty() && cause.contains(&format!("\"{text}\""))))
        .or_else(|| {
            only(&|at, _| matches!(column(at).ty, Type::Native(_) | Type::Dynamic | Type::Other))
        })
        .or_else(|| {
            only(&|at, _| {
                matches!(column(at).ty, Type::Array(_) | Type::Formatted(_) | Type::Interval)
            })
        })
        .or_else(|| only(&|_, _| true))
        .unwrap_or_default()
}

/// Whether a text is longer than a declaration such as `character varying(3)` allows, or a number has
/// more digits before its point than `numeric(5,2)` does.
fn exceeds(declared: &str, text: &str) -> bool {
    let Some((name, rest)) = declared.split_once('(') else { return false };
    let Some((limits, _)) = rest.split_once(')') else { return false };
    if let (true, Ok(most)) = (name.contains("char"), limits.parse::<usize>()) {
        return text.chars().count() > most;
    }
    is_beyond_digits(declared, text)
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
