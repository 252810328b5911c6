//! `sortBy`: the terms of an order.

use duet_model::{Code, Expr, Folding, OrderBy, Result, Type};
use duet_text::problem::fault;

use super::modifiers::SortModifiers;
use super::tree::SortKey;
use crate::fields::FieldIndex;
use crate::limits::Limits;
use crate::orders::order;

/// The order of the keys. A field that comes again is left out: it can no longer change the order.
pub(super) fn read(keys: &[SortKey], fields: &FieldIndex, limits: &Limits) -> Result<Vec<OrderBy>> {
    let mut terms: Vec<OrderBy> = Vec::new();
    for key in keys {
        order::add(&mut terms, term(key, fields, limits)?, limits, key.index.at.0)?;
    }
    Ok(terms)
}

fn term(key: &SortKey, fields: &FieldIndex, limits: &Limits) -> Result<OrderBy> {
    let modifiers = SortModifiers::read(&key.modifiers)?;
    let (direction, path) = (modifiers.direction, &key.index.text);
    if let Some(rank) = modifiers.rank {
        return rank.order(path, key.index.at.0, direction, fields, limits);
    }
    let mut term = order::by(path, key.index.at.0, direction, fields)?;
    let declared = fields.find(path).map_or(Folding::ByRelation, |field| field.folding);
    let fold = modifiers.fold(declared);
    match fold {
        // Labels are few, and ordered as they are stored.
        _ if matches!(term.ty, Type::Enum(_)) => Ok(term),
        Some(_) if !matches!(term.ty, Type::Text | Type::Char | Type::Dynamic | Type::Other) => {
            let message = "Only text can be sorted without case or accents.";
            Err(fault(Code::FilterUnsupported, key.index.at.0, message))
        }
        Some(fold) => {
            term.value = Expr::Function(fold.name(), vec![term.value]);
            term.ty = Type::Text;
            Ok(term)
        }
        None => Ok(term),
    }
}
