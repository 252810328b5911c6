//! Texts of documents that are similar to another text, and the order by how similar they are. Both are of the texts as
//! their collection compares them, which indexes have.

use duet_model::shape::{Field, Folding};
use duet_model::{Code, Direction, Error, Expr, OrderBy, Result, TextTest, Type, Value};
use duet_text::Fold;
use duet_text::error::Place;
use duet_text::problem::quoted;

use crate::fields::FieldIndex;

/// The condition that a text is similar to another one.
pub(crate) fn condition(field: &Field, text: &str) -> Expr {
    let (value, text) = operands(field, text);
    Expr::Search(Box::new(value), TextTest::Similar(text))
}

/// The order by the distance from a text, the nearest first.
pub(crate) fn order(field: &Field, text: &str, direction: Direction) -> OrderBy {
    let (value, text) = operands(field, text);
    let text = Expr::operand(Value::Text(text), &Type::Text);
    OrderBy {
        value: Expr::Function("distance", vec![value, text]),
        ty: Type::Float { bits: 32 },
        direction,
        nulls_first: false,
    }
}

/// The value of the field and the text, both without what the collection ignores.
fn operands(field: &Field, text: &str) -> (Expr, String) {
    match field.folding {
        Folding::Always(fold) => {
            let value = Expr::Function(Fold::name(fold), vec![field.value.clone()]);
            (value, fold.apply(text))
        }
        Folding::ByRelation | Folding::Never => (field.value.clone(), text.to_owned()),
    }
}

/// Refuses fields whose collection has no index of trigrams: similarity is only offered with one.
///
/// # Errors
/// [`Code::FilterUnsupported`] at a place of the filter.
pub(crate) fn check(fields: &FieldIndex, field: &Field, at: usize) -> Result<()> {
    if fields.has_trigrams(field) {
        return Ok(());
    }
    let message =
        format!("{} has no index of trigrams, by which texts are similar.", quoted(&field.path));
    let hint = format!(
        "Declare gist = [{0:?}], or trigram = [{0:?}], in the collection's [indexes].",
        field.path
    );
    Err(Error::new(Code::FilterUnsupported, message).hint(hint).at(Place::Offset(at)))
}
