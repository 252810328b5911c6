//! Moments in the time zone that a request names: the database writes them, as it does for PostgREST.

use std::sync::Arc;

use duet_filter::postgrest::{Condition, OperatorArgument};
use duet_model::profiles::PostgrestGap;
use duet_model::{
    Column, Comparability, DomainCasts, Expr, MemberKind, NativeType, Node, Place, Result, Shape,
    Type,
};

use super::columns::member;
use crate::resources::resource::Resource;

/// The function by which the database writes a value as JSON, in the time zone of the transaction.
const TO_JSON: &str = "pg_catalog.to_json";

/// How the database writes moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZonedForm {
    /// As JSON.
    Json,
    /// As its own texts, which CSV has.
    Text,
}

/// A shape whose moments are written by the database.
///
/// # Errors
/// [`PostgrestGap::Preference`] where rows are found by moments, which are read as values then.
pub(super) fn zoned(mut shape: Shape, form: ZonedForm) -> Result<Shape> {
    let mut found_by: Vec<(usize, usize)> = shape.key.iter().map(|&column| (0, column)).collect();
    for (child, node) in shape.nodes.iter().enumerate() {
        let Some(link) = &node.link else { continue };
        found_by.extend(link.parent_columns.iter().map(|&column| (link.parent, column)));
        found_by.extend(link.child_columns.iter().map(|&column| (child, column)));
    }
    for (node, column) in found_by {
        let column = &shape.nodes[node].table.columns[column];
        if is_moment(&column.ty) {
            return Err(PostgrestGap::Preference.refusal(&column.name));
        }
    }
    shape.nodes.iter_mut().for_each(|node| zone_node(node, form));
    Ok(shape)
}

fn zone_node(node: &mut Node, form: ZonedForm) {
    if node.table.columns.iter().any(|column| is_moment(&column.ty)) {
        let table = Arc::make_mut(&mut node.table);
        for column in table.columns.iter_mut().filter(|column| is_moment(&column.ty)) {
            column.ty = form.column_type(column);
        }
    }
    for member in &mut node.members {
        if let MemberKind::Generated { expr, ty, .. } = &mut member.kind
            && is_moment(ty)
        {
            let value = std::mem::replace(&mut **expr, Expr::all());
            let (function, written) = match form {
                ZonedForm::Json => (TO_JSON, Type::Json),
                ZonedForm::Text => ("cast to text", Type::Text),
            };
            **expr = Expr::Function(function, vec![value]);
            *ty = written;
        }
    }
}

impl ZonedForm {
    /// The type of a column of moments that the database writes.
    fn column_type(self, column: &Column) -> Type {
        let comparison = Comparability::Order;
        let casts = DomainCasts { to_json: TO_JSON.to_owned(), from_json: None, from_text: None };
        let casts = (self == Self::Json).then(|| Arc::new(casts));
        Type::Native(Arc::new(NativeType { cast: column.declared.clone(), comparison, casts }))
    }
}

/// Whether values depend on the time zone of a transaction.
fn is_moment(ty: &Type) -> bool {
    match ty {
        Type::TimestampTz => true,
        Type::Array(inner) => is_moment(inner),
        _ => false,
    }
}

/// Refuses moments without an offset in a condition, which the database would read in the time zone of the request.
///
/// # Errors
/// [`PostgrestGap::Preference`]
pub(super) fn check_offsets(condition: &Condition, resource: &Resource) -> Result<()> {
    let all = |parts: &[Condition]| parts.iter().try_for_each(|part| check_offsets(part, resource));
    let test = match condition {
        Condition::And(parts) | Condition::Or(parts) => return all(parts),
        Condition::Not(inner) => return check_offsets(inner, resource),
        Condition::Test(test) => test,
    };
    let columns = &resource.shape.root().table.columns;
    let column = member(resource, &test.path.column).map(|own| &columns[own.column]);
    if !column.is_some_and(|column| is_moment(&column.ty)) {
        return Ok(());
    }
    let values = match &test.operand {
        OperatorArgument::Value(value) => std::slice::from_ref(value),
        OperatorArgument::List(values) | OperatorArgument::Quantified(_, values) => values,
    };
    let bare = values.iter().find(|value| {
        value.starts_with(|first: char| first.is_ascii_digit()) && !has_offset(value)
    });
    bare.map_or(Ok(()), |value| {
        let place = Place::Parameter(test.parameter.clone());
        Err(PostgrestGap::Preference.refusal(value).at(place))
    })
}

/// Whether a text of a moment says how far its time is from that of UTC.
fn has_offset(text: &str) -> bool {
    let time = text.find(['T', 't', ' ']).map_or("", |at| &text[at + 1..]);
    time.contains(['+', '-', 'Z', 'z'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_behind_the_time() {
        for text in ["2020-01-01T00:00:00Z", "2020-01-01 00:00+01", "2020-01-01t00:00:00-05:30"] {
            assert!(has_offset(text), "{text}");
        }
        for text in ["2020-01-01", "2020-01-01T00:00:00", "2020-01-01 00:00"] {
            assert!(!has_offset(text), "{text}");
        }
    }

    #[test]
    fn keys_of_moments_are_refused() {
        let columns = vec![Column::new("at", Type::TimestampTz), Column::new("n", Type::Text)];
        let shape = Shape::of_relation(&Arc::new(duet_model::Relation::table("s", "t", columns)));
        let shape = Shape { key: vec![1], ..shape };
        let written = zoned(shape.clone(), ZonedForm::Json).unwrap();
        let types: Vec<bool> = (written.root().table.columns.iter())
            .map(|column| column.ty.domain_casts().is_some())
            .collect();
        assert_eq!(types, [true, false]);
        assert!(zoned(Shape { key: vec![0], ..shape }, ZonedForm::Json).is_err());
    }
}
