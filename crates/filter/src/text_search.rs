//! A search of text: what it makes of its operand on a column, and inside JSON. `search.rs` has those that there are.

use duet_model::shape::Field;
use duet_model::{Code, Expr, JsonTest, Result, TextTest, Type, Value};
use duet_text::json::{Json, JsonKind};
use duet_text::problem::fault;
use duet_text::{TextQuery, like};

use crate::limits::Limits;
use crate::operand::misfit;

/// What is searched for, and where.
#[derive(Clone, Copy)]
pub(crate) struct Pattern<'p> {
    pub(crate) field: &'p Field,
    pub(crate) text: &'p str,
    pub(crate) at: usize,
    pub(crate) limits: &'p Limits,
}

/// A search of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// The name of the operator.
    pub(crate) name: &'static str,
    /// The condition on a column of text.
    pub(crate) column: fn(Pattern<'_>) -> Result<Expr>,
    /// The test of a string inside JSON; or what to use there instead.
    pub(crate) inside: Result<fn(Pattern<'_>) -> Result<JsonTest>, &'static str>,
    /// What is wrong with fields of other types.
    pub(crate) unfit: &'static str,
    /// Whether it holds where the condition does not.
    pub(crate) negated: bool,
}

impl Search {
    /// The condition on a column.
    pub(crate) fn condition(
        &self,
        field: &Field,
        json: &Json<'_>,
        limits: &Limits,
    ) -> Result<Expr> {
        if !field.ty.is_text() {
            return Err(misfit(field, json.at, self.unfit));
        }
        let JsonKind::Text(text) = &json.kind else {
            let problem = format!("is searched for a string, not {}", json.kind.noun());
            return Err(misfit(field, json.at, &problem));
        };
        (self.column)(Pattern { field, text, at: json.at, limits })
    }
}

impl<'p> Pattern<'p> {
    pub(crate) fn liked(self, pattern: String, ignore_case: bool) -> Result<Expr> {
        Ok(liked(self.field, pattern, ignore_case))
    }

    pub(crate) fn tested(self, test: TextTest) -> Result<Expr> {
        Ok(Expr::Search(Box::new(self.field.value.clone()), test))
    }

    pub(crate) fn complete(self) -> Result<&'p str> {
        if like::is_complete(self.text) {
            return Ok(self.text);
        }
        let message =
            "The pattern ends with a lone `\\`; write `\\\\` to mean the character itself.";
        Err(fault(Code::FilterOperand, self.at, message))
    }

    pub(crate) fn regex(self) -> Result<String> {
        self.limits.check_regex(self.text, self.at)
    }

    pub(crate) fn words(self) -> Result<TextQuery> {
        let Some(query) = TextQuery::parse(self.text) else {
            let message = "`$text` takes words, as in {\"$text\":\"red wine\"}; this has none.";
            return Err(fault(Code::FilterOperand, self.at, message));
        };
        self.limits.check_words(query.size(), self.at)?;
        Ok(query)
    }
}

/// Whether a field is like a pattern.
pub(crate) fn liked(field: &Field, pattern: String, ignore_case: bool) -> Expr {
    let pattern = Box::new(Expr::operand(Value::Text(pattern), &Type::Text));
    Expr::Like { operand: Box::new(field.value.clone()), pattern, ignore_case }
}
