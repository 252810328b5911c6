//! Whose fault it is that a read finds no value: the request's, or that of a stored row of which something cannot be
//! computed.
//!
//! Databases have one state for both: a number out of range may be a value of a filter, or the product of two columns.

use duet_model::catalog::Derivation;
use duet_model::{
    Code, Error, Expr, Member, MemberKind, ReadPlan, RelationKind, Root, Shape, Type,
};

/// The error of a read: where the request has no value that could be the cause, it says what cannot be computed.
pub(crate) fn blamed(error: Error, plan: &ReadPlan) -> Error {
    let is_blamed = match error.code {
        Code::NotComputed => true,
        Code::ValueOutOfRange | Code::FilterOperand => {
            error.parameter.is_none() && !may_be_of_request(plan)
        }
        _ => false,
    };
    if !is_blamed {
        return error;
    }
    let made = Error::new(Code::NotComputed, message(&plan.shape));
    match error.cause {
        Some(cause) => made.cause(cause),
        None => made.cause(error.message),
    }
}

/// Whether a value of the request may be the cause, although the database names none.
fn may_be_of_request(plan: &ReadPlan) -> bool {
    let root = plan.shape.root();
    // What a request has summed up, or cast, is its own choice.
    if matches!(root.table.query, Some(Derivation::Rows(_))) || has_cast(&plan.shape) {
        return true;
    }
    let (has_values, may_be_malformed) = match &plan.root {
        Root::Keys => {
            (true, plan.shape.key.iter().any(|&at| is_read_late(&root.table.columns[at].ty)))
        }
        Root::Page(page) => {
            let mut types = Vec::new();
            operands(&page.filter, &mut types);
            let has_values =
                !types.is_empty() || page.after.is_some() || !page.arguments.is_empty();
            (has_values, !page.arguments.is_empty() || types.iter().any(|ty| is_read_late(ty)))
        }
    };
    has_values && (may_be_malformed || !computes(&plan.shape))
}

/// Whether the database alone reads values of a type, where PostgreSQL names no parameter of which it cannot.
fn is_read_late(ty: &Type) -> bool {
    matches!(ty, Type::Array(_) | Type::Composite(_) | Type::Native(_) | Type::Other)
}

/// The types of the values of a request in a condition.
fn operands<'e>(expr: &'e Expr, types: &mut Vec<&'e Type>) {
    match expr {
        Expr::Operand(_, ty) => types.push(ty),
        Expr::Search(..) | Expr::Json(..) => types.push(&Type::Text),
        _ => {}
    }
    for part in expr.parts() {
        operands(part, types);
    }
}

/// Whether a member is cast, which only requests can ask for.
fn has_cast(shape: &Shape) -> bool {
    let is_cast = |member: &Member| match &member.kind {
        MemberKind::Generated { expr, .. } => {
            matches!(&**expr, Expr::Function(name, _) if name.starts_with("cast to "))
        }
        _ => false,
    };
    shape.nodes.iter().any(|node| node.members.iter().any(is_cast))
}

/// Whether anything but columns of tables is read.
fn computes(shape: &Shape) -> bool {
    shape.nodes.iter().any(|node| {
        node.filter.is_some()
            || node.table.kind != RelationKind::Table
            || node.table.query.is_some()
            || has_computed(&node.members)
    })
}

fn has_computed(members: &[Member]) -> bool {
    members.iter().any(|member| match &member.kind {
        MemberKind::Generated { .. } => true,
        MemberKind::Group(inner) => has_computed(inner),
        _ => false,
    })
}

/// How many members a message names.
const NAMED: usize = 8;

fn message(shape: &Shape) -> String {
    let mut names = Vec::new();
    for node in &shape.nodes {
        computed_names(&node.members, &mut names);
    }
    let more = if names.len() > NAMED { " and others" } else { "" };
    names.truncate(NAMED);
    let of = match names.is_empty() {
        true => String::new(),
        false => format!(" It is one of {}{more}, or a condition.", names.join(", ")),
    };
    let from = match shape.root().table.query {
        // Of a function, it may be from its arguments.
        Some(_) => "",
        None => " from a stored row",
    };
    format!(
        "Something in {} cannot be computed{from}.{of} The server's log has the database's words.",
        shape.name
    )
}

fn computed_names<'s>(members: &'s [Member], names: &mut Vec<&'s str>) {
    for member in members {
        match &member.kind {
            MemberKind::Generated { hidden: false, .. } => names.push(&member.name),
            MemberKind::Group(inner) => computed_names(inner, names),
            _ => {}
        }
    }
}
