//! Conditions on texts of documents that have one of a few labels, by the JSON Schema: which labels satisfy a
//! condition is known before the database is queried, so that it compares stored texts unchanged.

use duet_model::{ColumnRef, Expr, Folding, Result, Type, Value};

use duet_model::shape::Field;

use crate::evaluate::{Row, Values, evaluate};

/// The labels of a field of a document. Columns have types of their own, in whose order they compare.
pub(super) fn of(field: &Field) -> Option<&[String]> {
    match (&field.ty, field.folding) {
        (Type::Enum(labels), Folding::Always(_) | Folding::Never) => Some(labels),
        _ => None,
    }
}

/// The condition that `make` gives for a text, as one on these labels.
pub(super) fn expression(
    field: &Field,
    labels: &[String],
    make: impl FnOnce(&Field) -> Result<Expr>,
) -> Result<Expr> {
    let value = ColumnRef { node: 0, column: 0 }.into();
    let text = Field { value, ty: Type::Text, ..field.clone() };
    let condition = make(&text)?;
    let holds = |label: &&String| evaluate(&condition, &Label(label)) == Some(true);
    let found: Vec<_> = labels.iter().filter(holds).collect();
    // Of related documents, that one has a label is a condition on its row.
    if found.len() == labels.len() && !field.repeated {
        return Ok(Expr::IsNull(Box::new(field.value.clone())).negated());
    }
    let operand = |label: &String| Expr::operand(Value::Text(label.clone()), &field.ty);
    Ok(match found[..] {
        [only] => Expr::compare(duet_model::Compare::Eq, field.value.clone(), operand(only)),
        _ => Expr::In(Box::new(field.value.clone()), found.into_iter().map(operand).collect()),
    })
}

/// A document whose only value is a label.
struct Label<'l>(&'l str);

impl Row for Label<'_> {
    fn values(&self, _: ColumnRef) -> Values {
        Values::One(Value::Text(self.0.to_owned()))
    }

    fn ty(&self, _: ColumnRef) -> &Type {
        &Type::Text
    }
}
