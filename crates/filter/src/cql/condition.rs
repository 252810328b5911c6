//! A condition: a field, the meaning of a relation, and a term.

use std::borrow::Cow;

use duet_model::shape::Field;
use duet_model::{Code, Compare, Error, Expr, Folding, Result, Type, Value};
use duet_text::Fold;
use duet_text::json::{Json, JsonKind};
use duet_text::problem::{fault, quoted};

use super::mask;
use super::modifiers::{ComparedAs, Masking, Modifiers, without_set};
use super::sign::Sign;
use super::tree::{CqlRelationKind, Subject, Symbol};
use crate::limits::Limits;
use crate::operand::misfit;
use crate::operator_row::Test;
use crate::predicate;

/// The meaning of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Equality of the whole value.
    Exact,
    /// Another value.
    Differs,
    /// One of the orders.
    Order(Compare),
    /// A phrase of words.
    Phrase,
    /// All of the words.
    All,
    /// One of the words.
    Any,
    /// Between two values.
    Within,
    /// A range around the value.
    Encloses,
}

/// A field, a relation and a term.
pub(super) struct Condition<'c> {
    pub(super) field: &'c Field,
    pub(super) meaning: Meaning,
    pub(super) modifiers: Modifiers,
    pub(super) term: &'c Symbol,
    pub(super) limits: &'c Limits,
    /// Where the relation is.
    pub(super) at: usize,
    /// The sign, unless the relation is a name.
    sign: Option<Sign>,
    /// Whether the field has a full-text index, whose configuration defines words.
    pub(super) has_words: bool,
}

impl<'c> Condition<'c> {
    pub(super) fn new(
        field: &'c Field,
        subject: &Subject,
        term: &'c Symbol,
        limits: &'c Limits,
        has_words: bool,
    ) -> Result<Self> {
        let relation = &subject.relation;
        let modifiers = Modifiers::read(&relation.modifiers)?;
        let meaning = meaning(&relation.kind, field, modifiers)
            .map_err(|name| unknown_relation(&name, relation.at.0))?;
        let sign = match relation.kind {
            CqlRelationKind::Sign(sign) => Some(sign),
            CqlRelationKind::Named(_) => None,
        };
        Ok(Self { field, meaning, modifiers, term, limits, at: relation.at.0, sign, has_words })
    }

    /// What is ignored without a modifier: by the field's declaration, else by the relation.
    pub(super) fn fold(&self, case: bool, accents: bool) -> Option<Fold> {
        let (case, accents) = match self.field.folding {
            Folding::ByRelation => (case, accents),
            Folding::Always(fold) => fold.ignores(),
            Folding::Never => (false, false),
        };
        self.modifiers.fold(case, accents)
    }

    /// A text as an operand of `q`.
    pub(super) fn operand<'t>(&self, text: &'t str) -> Json<'t> {
        Json { at: self.term.at.0, kind: JsonKind::Text(Cow::Borrowed(text)) }
    }

    /// The characters of the term, without masking.
    pub(super) fn literal(&self) -> String {
        mask::literal(&self.term.text)
    }

    /// The values between white space, not more than a list may have.
    pub(super) fn values(&self) -> Result<Vec<String>> {
        let values = self.term.text.split_whitespace();
        self.limits.check_list(values.clone().count(), self.term.at.0)?;
        Ok(values.map(mask::literal).collect())
    }

    /// The two values of `within`.
    pub(super) fn bounds(&self) -> Result<[String; 2]> {
        <[String; 2]>::try_from(self.values()?).map_err(|_| {
            let message = "`within` takes two values, as in year within \"2019 2021\".";
            fault(Code::FilterOperand, self.term.at.0, message)
        })
    }

    pub(super) fn misfit(&self, problem: &str) -> Error {
        misfit(self.field, self.term.at.0, problem)
    }

    pub(super) fn unsupported(&self, problem: &str) -> Error {
        let mut error = misfit(self.field, self.at, problem);
        error.code = Code::FilterUnsupported;
        error
    }
}

fn meaning(kind: &CqlRelationKind, field: &Field, modifiers: Modifiers) -> Result<Meaning, String> {
    let name = match kind {
        CqlRelationKind::Sign(sign) => {
            return Ok(match sign {
                Sign::Equal if is_words(field, modifiers) => Meaning::Phrase,
                Sign::Equal | Sign::Exact => Meaning::Exact,
                Sign::NotEqual => Meaning::Differs,
                Sign::Less => Meaning::Order(Compare::Lt),
                Sign::LessOrEqual => Meaning::Order(Compare::Lte),
                Sign::Greater => Meaning::Order(Compare::Gt),
                Sign::GreaterOrEqual => Meaning::Order(Compare::Gte),
            });
        }
        CqlRelationKind::Named(name) => name.as_str(),
    };
    match without_set(name, "cql.") {
        "adj" => Ok(Meaning::Phrase),
        "all" => Ok(Meaning::All),
        "any" => Ok(Meaning::Any),
        "within" => Ok(Meaning::Within),
        "encloses" => Ok(Meaning::Encloses),
        _ => Err(name.to_owned()),
    }
}

/// Whether `=` compares words: of text, unless a modifier requests the whole value.
fn is_words(field: &Field, modifiers: Modifiers) -> bool {
    let is_text = matches!(field.ty, Type::Text | Type::Char | Type::Dynamic | Type::Other);
    is_text && !field.ranges && !asks_for_all(modifiers)
}

/// Whether a modifier requests the whole value.
fn asks_for_all(modifiers: Modifiers) -> bool {
    matches!(modifiers.kind, Some(ComparedAs::Text | ComparedAs::Number | ComparedAs::Date))
        || matches!(modifiers.masking, Masking::Substring | Masking::Regexp)
}

fn unknown_relation(name: &str, at: usize) -> Error {
    let message = format!("The relation {} is not supported.", quoted(name));
    fault(Code::FilterUnsupported, at, message).hint(
        "The relations are =, ==, <>, <, <=, >, >=, adj, all, any, within and encloses. A term of several \
         words with a dot in one needs quotes.",
    )
}

impl Condition<'_> {
    /// Whether the relation is one of words or `=`, for which the empty term and `*` are special.
    pub(super) fn is_loose(&self) -> bool {
        let is_text = match self.field.ty {
            Type::Enum(_) => asks_for_all(self.modifiers),
            // The others that have a form of text have no words.
            ref ty => matches!(ty, Type::Text | Type::Char | Type::Dynamic | Type::Other),
        };
        matches!(self.meaning, Meaning::Phrase | Meaning::All | Meaning::Any)
            || self.sign == Some(Sign::Equal) && !is_text
    }

    /// Whether the value is a text of a collection's document.
    pub(super) fn is_of_document(&self) -> bool {
        self.field.folding != Folding::ByRelation && self.field.ty == Type::Text
    }

    /// Whether it is `= *`, which is documented as a shortcut for all records; of rows below an object or array
    /// it tests whether there is one.
    pub(super) fn is_star(&self) -> bool {
        self.is_loose() && self.masks() && self.term.text == "*"
    }

    /// Whether `*` and `?` mask characters.
    pub(super) fn masks(&self) -> bool {
        self.modifiers.masking == Masking::Masked
    }

    /// Whether a modifier is for fields of other types.
    pub(super) fn does_not_fit(&self) -> bool {
        let ty = &self.field.ty;
        let is_json = *ty == Type::Json;
        let of_kind = match self.modifiers.kind {
            Some(ComparedAs::Number) => !ty.is_number() && !is_json && *ty != Type::Dynamic,
            Some(ComparedAs::Date) => !ty.is_temporal() && !self.is_of_document(),
            Some(ComparedAs::Words) => !ty.is_text(),
            Some(ComparedAs::Text) | None => false,
        };
        let searches = matches!(self.modifiers.masking, Masking::Substring | Masking::Regexp);
        let is_pair = matches!(ty, Type::Pair(_));
        of_kind || searches && !ty.is_text() && !is_json || self.modifiers.partial && !is_pair
    }

    /// Whether the field has a value.
    pub(super) fn defined(&self) -> Result<Expr> {
        let none = Json { at: self.term.at.0, kind: JsonKind::Null };
        predicate::test(Test::NotNull, self.field, &none, self.limits)
    }

    /// The negation; below an array, some element for which the condition is false.
    pub(super) fn negated(&self, expr: Expr) -> Expr {
        match self.field.repeated {
            false => expr.negated(),
            true => Expr::compare(Compare::Eq, expr, Expr::Literal(Value::Bool(false))),
        }
    }
}
