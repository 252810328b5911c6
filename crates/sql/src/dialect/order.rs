//! How values of a type are compared and ordered by their meaning, and the ranges of indexes that find them.

use crate::parts::affixes::Affixes;
use duet_model::catalog::PrefixOrder;
use duet_model::{Column, Type, Value};

use crate::parts::spellings::PrefixRange;

/// An index range over the stored texts of a type that compares by a function: the function maps each
/// text that represents a point in time to an integer, and other texts to another type.
#[derive(Debug)]
pub struct IndexRange {
    /// The SQL text around an operand that gives a lower bound of all texts of the same point in time.
    pub earliest: Affixes,
    /// The SQL text around an operand that gives an upper bound of all texts of the same point in time.
    pub latest: Affixes,
    /// The least text, as a literal.
    pub least: &'static str,
    /// The greatest value of the function, as a literal.
    pub most: &'static str,
}

/// How values of a type are compared and ordered by their meaning, and the ranges of indexes that find them.
pub trait OrderSyntax {
    /// The SQL text around a column and its operand to compare by the type's meaning, if the engine
    /// would compare bytes.
    fn comparable(&self, _ty: &Type) -> Affixes {
        Affixes::NONE
    }

    /// The SQL text around an integer column that is compared with a number beyond its type. An engine that distributes
    /// rows by the column would read the number as a value of its type, to find their machine, and fail.
    fn beyond_type(&self) -> Affixes {
        Affixes::NONE
    }

    /// The same as [`Dialect::comparable`](super::Dialect) for orders and what pages begin after, where an index may serve the order.
    /// A column with [`Column::sorts_as_text`] is ordered as it is.
    fn sortable(&self, ty: &Type) -> Affixes {
        self.comparable(ty)
    }

    /// For a type that compares by a function of a text: the index range of the texts that limits the
    /// rows on which the function is evaluated.
    fn window(&self, _ty: &Type) -> Option<&'static IndexRange> {
        None
    }

    /// Where a type compares by a function: the ranges of what may be stored for a value, each with
    /// both ends, and the type by which they are bound. Everything that is equal to the value lies in
    /// one of them; empty where that is not known.
    fn stored_forms(&self, _ty: &Type, _value: &Value) -> Vec<(Value, Value, Type)> {
        Vec::new()
    }

    /// The range of a column's texts that begin with a prefix, where `LIKE` alone does not always find
    /// them by an index. `order` is that of such an index, if there is one.
    fn prefix_range(
        &self,
        _column: &Column,
        _order: Option<PrefixOrder>,
        _prefix: &str,
    ) -> Option<PrefixRange> {
        None
    }

    /// Whether an index can find what begins with a prefix in this column.
    fn finds_prefixes(&self, column: &Column, prefix: &str) -> bool {
        self.prefix_range(column, None, prefix).is_some()
    }

    /// The conditions of a `CHECK`, with `{}` for the column, that keep the texts of a type in the order
    /// of their meaning, and which introspection therefore reads as [`Column::sorts_as_text`]. The first
    /// one allows the most values.
    fn text_order_checks(&self, _ty: &Type) -> &'static [&'static str] {
        &[]
    }

    /// Whether an order term may say where its NULLs are. Where it may not, a term before it does.
    fn places_nulls(&self) -> bool {
        true
    }

    /// The SQL text after an order term that sorts NULLs last.
    fn nulls_last(&self) -> &'static str {
        " NULLS LAST"
    }

    /// Whether an index in ascending order is read with its NULLs last, which the standard leaves open.
    fn indexes_have_nulls_last(&self) -> bool {
        false
    }

    /// How many characters a column of a declared type may have at most, if the engine enforces that.
    fn most_characters(&self, _declared: &str) -> Option<usize> {
        None
    }
}
