//! Exact comparisons of a document's text that an index of folded texts narrows: equal texts are equal without case
//! and accents.
//!
//! The store folds the operand too: what Rust and ICU make of a letter need not agree.

use duet_model::{Expr, Type, Value};
use duet_text::Fold;

use super::expr::Printer;
use crate::writer::Writer;

/// The longest list of values that is looked up so.
pub const FOLDED_LIST: usize = 16;

impl Printer<'_> {
    /// Writes the condition on the folded texts, followed by `AND`; false, with nothing written, where no index
    /// narrows. It is NULL where the comparison is, and false only where that is false.
    pub(crate) fn folded_equal(
        self,
        writer: &mut Writer<'_>,
        operand: &Expr,
        list: &[Expr],
    ) -> bool {
        let is_text = |item: &Expr| matches!(item, Expr::Operand(Value::Text(_), Type::Text));
        if !(1..=FOLDED_LIST).contains(&list.len()) || !list.iter().all(is_text) {
            return false;
        }
        let Some(fold) = self.fold_of_index(operand) else { return false };
        // The store folds both, so that nothing depends on how another program folds.
        let [before, after] = writer.dialect.fold(fold);
        let folded = |writer: &mut Writer<'_>, value: &Expr| {
            writer.text(before);
            self.value(writer, value);
            writer.text(after);
        };
        writer.text("(");
        folded(writer, operand);
        if let [only] = list {
            writer.text(" = ");
            folded(writer, only);
        } else {
            writer.text(" IN (");
            writer.list(list, ", ", folded);
            writer.text(")");
        }
        writer.text(" AND ");
        true
    }

    fn fold_of_index(self, operand: &Expr) -> Option<Fold> {
        let node = self.node_of(operand)?;
        let document = self.shape.document_of(node)?;
        let index = document.folded_index(operand, &self.shape.nodes[node].table)?;
        index.holds_folded()
    }
}
