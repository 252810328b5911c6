//! Orders by a comparison with one value: how similar texts are to it, how relevant for its words, or how near points are.
//! Texts are taken as their collection compares them in searches, and each order is offered with the index that such
//! searches have.

use duet_model::shape::Field;
use duet_model::{Code, Direction, Error, Expr, OrderBy, Point, Result, Type, Value};
use duet_text::error::Place;
use duet_text::lexemes::LONGEST;
use duet_text::problem::{fault, quoted};
use duet_text::{Fold, relevance};

use crate::fields::FieldIndex;
use crate::limits::Limits;
use crate::{points, similarity};

/// What documents are ordered by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rank<'t> {
    /// The texts nearest to this one come first.
    Similar(&'t str),
    /// The texts that match these words best come first.
    Relevant(&'t str),
    /// The points nearest to this one come first; `None` where there is none.
    Nearest(Option<Point>),
}

impl<'t> Rank<'t> {
    /// The order of this name.
    pub(crate) fn named(name: &str, text: &'t str) -> Option<Self> {
        match name {
            "similar" => Some(Self::Similar(text)),
            "relevant" => Some(Self::Relevant(text)),
            "nearest" => Some(Self::Nearest(points::read(text))),
            _ => None,
        }
    }

    /// The term of a field, which is named at a place of the filter. Ascending means the best first.
    ///
    /// # Errors
    /// At that place, where the field does not exist or has no index for such an order, or the text no words.
    pub(crate) fn order(
        self,
        path: &str,
        at: usize,
        direction: Direction,
        fields: &FieldIndex,
        limits: &Limits,
    ) -> Result<OrderBy> {
        let field = fields.resolve(path).map_err(|error| error.at(Place::Offset(at)))?;
        match self {
            Self::Similar(text) => {
                similarity::check(fields, field, at)?;
                Ok(similarity::order(field, text, direction))
            }
            Self::Nearest(from) => points::order(field, from, direction, at),
            Self::Relevant(words) => {
                check_index(fields, field, at)?;
                let words = Fold::Both.apply(words);
                check_words(&words, at, limits)?;
                Ok(by_relevance(field, words, direction))
            }
        }
    }
}

/// Words never have case or accents. The best has the highest rank.
fn by_relevance(field: &Field, words: String, direction: Direction) -> OrderBy {
    let value = Expr::Function(Fold::Both.name(), vec![field.value.clone()]);
    let words = Expr::operand(Value::Text(words), &Type::Text);
    let direction = match direction {
        Direction::Ascending => Direction::Descending,
        Direction::Descending => Direction::Ascending,
    };
    OrderBy {
        value: Expr::Function("relevance", vec![value, words]),
        ty: Type::Float { bits: 32 },
        direction,
        nulls_first: false,
    }
}

fn check_index(fields: &FieldIndex, field: &Field, at: usize) -> Result<()> {
    if fields.has_word_index(field) {
        return Ok(());
    }
    let message =
        format!("{} has no full-text index, whose words are ranked.", quoted(&field.path));
    let error = Error::new(Code::FilterUnsupported, message).at(Place::Offset(at));
    Err(if field.repeated {
        error.hint("It lies below an array. Order by a text of the document itself.")
    } else {
        let path = &field.path;
        error.hint(format!("Declare full-text = [{path:?}] in the collection's [indexes]."))
    })
}

fn check_words(words: &str, at: usize, limits: &Limits) -> Result<()> {
    let count = relevance::query_words(words).count();
    if count == 0 {
        let message = "The order by relevance takes words, as in \"kayak fishing\"; this has none.";
        return Err(fault(Code::FilterOperand, at, message));
    }
    if words.split_whitespace().any(|word| word.ends_with('*')) {
        let message = "The order by relevance takes whole words, without `*`.";
        return Err(fault(Code::FilterUnsupported, at, message));
    }
    if words.split_whitespace().any(|word| word.len() > LONGEST) {
        let message = format!("A word of a search may have {LONGEST} bytes.");
        return Err(fault(Code::FilterLimit, at, message));
    }
    limits.check_words(count, at)
}
