//! The walk through a filter: names are resolved, operators find their field, conditions are
//! joined.
//!
//! Recursion is bounded by the depth of the JSON, which the reader has checked.

use duet_model::shape::Field;
use duet_model::{Code, Compare, Error, Expr, OrderBy, Result, Type};
use duet_text::error::Place;

use crate::fields::FieldIndex;
use crate::limits::{Counter, Limits};
use crate::operand::date_text;
use crate::operator;
use crate::operator_row::{Logic, Operator};
use crate::orders::order;
use crate::{predicate, search, similarity};
use duet_text::json::{FILTER, Json, JsonKind, JsonMember, read};
use duet_text::problem::{fault, quoted};

/// The content of a `q`.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The rows; [`Expr::all`] if only an order is given.
    pub expr: Expr,
    /// In which order, most significant first; each field once.
    pub order: Vec<OrderBy>,
}

/// Parses a filter.
pub(crate) fn filter(text: &str, fields: &FieldIndex, limits: &Limits) -> Result<Filter> {
    limits.check_bytes(text)?;
    let json = read(text, &FILTER, limits.effective_depth())?;
    let JsonKind::Object(members) = &json.kind else {
        let message = format!("A filter is an object, not {}.", json.kind.noun());
        return Err(fault(Code::FilterGrammar, json.at, message));
    };
    let mut nodes = Counter::new(limits);
    let mut conditions = Vec::new();
    let mut order = Vec::new();
    for member in members {
        if matches!(Operator::named(&member.name), Some(Operator::OrderBy)) {
            order = order::read(&member.value, fields, &mut nodes, limits)?;
        } else {
            conditions.push(member);
        }
    }
    let expr = conditions_of(conditions, fields, &mut nodes, limits)?;
    Ok(Filter { expr, order })
}

/// The conditions of members at the top of a filter, all of which must hold.
pub(crate) fn conditions_of<'j>(
    members: impl IntoIterator<Item = &'j JsonMember<'j>>,
    fields: &FieldIndex,
    nodes: &mut Counter,
    limits: &Limits,
) -> Result<Expr> {
    let mut grammar = Grammar { fields, limits, nodes };
    let conditions = members.into_iter().map(|member| grammar.member(member, Scope::TOP));
    let expr = all(conditions.collect::<Result<_>>()?);
    Limits::check_values(&expr)?;
    limits.check_regexes(&expr)?;
    Ok(expr)
}

/// What the place of a condition says about it.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// The field that an operator belongs to.
    field: Option<&'s Field>,
    /// The object that names are relative to, with a dot at its end; empty at the top.
    prefix: &'s str,
    /// Whether that object is inside a JSON column, where every name may be one of its members.
    is_json: bool,
}

impl Scope<'_> {
    const TOP: Self = Self { field: None, prefix: "", is_json: false };
}

/// The meaning of a name.
enum ResolvedName<'f> {
    Field(&'f Field),
    /// A value inside a JSON column.
    Inside(Field),
    /// An object of the document, by its path.
    Object(String),
}

/// The state of a walk.
struct Grammar<'f, 'c> {
    fields: &'f FieldIndex,
    limits: &'f Limits,
    nodes: &'c mut Counter,
}

impl<'f> Grammar<'f, '_> {
    fn member(&mut self, member: &JsonMember<'_>, scope: Scope<'_>) -> Result<Expr> {
        let operator = Operator::named(&member.name);
        // The count of a name depends on what follows it.
        if operator.is_some() {
            self.nodes.count(member.at)?;
        }
        match operator {
            Some(Operator::Logic(logic)) => self.logic(logic, member, scope),
            Some(Operator::Test(test)) => match scope.field {
                Some(field) => {
                    if member.name == search::SIMILAR {
                        similarity::check(self.fields, field, member.at)?;
                    }
                    let at = member.value.at;
                    let test = test.in_style(self.fields.style());
                    let expr = predicate::test(test, field, &member.value, self.limits)?;
                    self.limits.checked(expr, at)
                }
                None => Err(no_field(member)),
            },
            Some(Operator::OrderBy) => {
                let message = "`$orderby` is allowed only at the top level of the filter.";
                Err(fault(Code::FilterGrammar, member.at, message))
            }
            Some(Operator::Groups) => Err(groups_elsewhere(member)),
            Some(Operator::Date) => {
                let message = "`$date` is an operand, as in \
                               {\"hired\":{\"$gt\":{\"$date\":\"2022-03-20T00:00:00Z\"}}}.";
                Err(fault(Code::FilterGrammar, member.at, message))
            }
            Some(Operator::Unsupported(instead)) => {
                Err(operator::unsupported(&member.name, member.at, instead))
            }
            None => match self.resolve(&member.name, member.at, scope)? {
                ResolvedName::Field(field) => self.condition(field, &member.value, scope),
                ResolvedName::Inside(field) => self.condition(&field, &member.value, scope),
                ResolvedName::Object(path) => self.object(&path, &member.value),
            },
        }
    }

    /// Resolves a name: in the enclosing object first, then from the top.
    fn resolve(&self, name: &str, at: usize, scope: Scope<'_>) -> Result<ResolvedName<'f>> {
        let (name, may_be_operator) = match operator::field_name(name) {
            Some(escaped) => (escaped, false),
            None => (name, name.starts_with('$')),
        };
        let inner = (!scope.prefix.is_empty()).then(|| format!("{}{name}", scope.prefix));
        if scope.is_json
            && !may_be_operator
            && let Some(field) = inner.as_deref().and_then(|path| self.fields.inside(path))
        {
            return Ok(ResolvedName::Inside(field));
        }
        for path in inner.as_deref().into_iter().chain([name]) {
            if let Some(field) = self.fields.find(path) {
                return Ok(ResolvedName::Field(field));
            }
            match self.fields.object(path) {
                Some(object) if !object.repeated => {
                    return Ok(ResolvedName::Object(path.to_owned()));
                }
                Some(object) => {
                    let message = format!(
                        "{} is or holds an array; name a field in it with dots, such as {}. The \
                         condition then holds if any element satisfies it.",
                        quoted(path),
                        quoted(self.fields.example(object))
                    );
                    return Err(fault(Code::FilterField, at, message));
                }
                None => {}
            }
        }
        if may_be_operator {
            return Err(operator::unknown(name, at));
        }
        let inside =
            inner.as_deref().into_iter().chain([name]).find_map(|path| self.fields.inside(path));
        if let Some(field) = inside {
            return Ok(ResolvedName::Inside(field));
        }
        let path = inner.as_deref().unwrap_or(name);
        Err(self.fields.unknown(path).at(Place::Offset(at)))
    }

    /// The value or operators after a field.
    fn condition(&mut self, field: &Field, json: &Json<'_>, scope: Scope<'_>) -> Result<Expr> {
        let below = format!("{}.", field.path);
        let is_json = field.ty == Type::Json;
        let prefix = if is_json { below.as_str() } else { scope.prefix };
        let inner = Scope { field: Some(field), prefix, is_json };
        match &json.kind {
            JsonKind::List(elements) => self.elements(elements, json.at, inner).map(all),
            JsonKind::Object(members) if date_text(json)?.is_none() => {
                self.members(members, json.at, inner)
            }
            _ => {
                self.nodes.count(json.at)?;
                self.limits.checked(predicate::compare(field, Compare::Eq, json)?, json.at)
            }
        }
    }

    /// The conditions after the name of an object of the document.
    fn object(&mut self, path: &str, json: &Json<'_>) -> Result<Expr> {
        let prefix = format!("{path}.");
        let inner = Scope { field: None, prefix: &prefix, is_json: false };
        match &json.kind {
            JsonKind::List(elements) => self.elements(elements, json.at, inner).map(all),
            JsonKind::Object(members) => self.members(members, json.at, inner),
            other => {
                let message = format!(
                    "{} is an object of several fields and cannot be compared with {}.",
                    quoted(path),
                    other.noun()
                );
                Err(fault(Code::FilterGrammar, json.at, message))
            }
        }
    }

    fn members(&mut self, members: &[JsonMember<'_>], at: usize, scope: Scope<'_>) -> Result<Expr> {
        if members.is_empty() {
            let message = "An empty object is no condition; name an operator or a field.";
            return Err(fault(Code::FilterGrammar, at, message));
        }
        let conditions = members.iter().map(|member| self.member(member, scope));
        conditions.collect::<Result<_>>().map(all)
    }

    fn logic(&mut self, logic: Logic, member: &JsonMember<'_>, scope: Scope<'_>) -> Result<Expr> {
        let json = &member.value;
        let parts = match (&json.kind, logic, scope.field) {
            (JsonKind::List(elements), ..) => self.elements(elements, json.at, scope)?,
            // `$not` accepts everything that may follow a field.
            (_, Logic::Not, Some(field)) => vec![self.condition(field, json, scope)?],
            (JsonKind::Object(members), ..) => vec![self.members(members, json.at, scope)?],
            (other, ..) => {
                let message = format!(
                    "{} takes an array of conditions, not {}.",
                    quoted(&member.name),
                    other.noun()
                );
                return Err(fault(Code::FilterGrammar, json.at, message));
            }
        };
        Ok(match logic {
            Logic::And => all(parts),
            Logic::Or => any(parts),
            Logic::Nor => Expr::Not(Box::new(any(parts))),
            Logic::Not => Expr::Not(Box::new(all(parts))),
        })
    }

    /// The elements of an array of conditions.
    fn elements(
        &mut self,
        elements: &[Json<'_>],
        at: usize,
        scope: Scope<'_>,
    ) -> Result<Vec<Expr>> {
        if elements.is_empty() {
            let message = "An empty array is no condition.";
            return Err(fault(Code::FilterGrammar, at, message)
                .hint("To find what is in a list that may be empty, use `$in`."));
        }
        let element = |element: &Json<'_>| match &element.kind {
            JsonKind::Object(members) => self.members(members, element.at, scope),
            other => {
                let message = format!(
                    "The elements of this array are conditions, such as {{\"$eq\":1}}, not {}.",
                    other.noun()
                );
                Err(fault(Code::FilterGrammar, element.at, message)
                    .hint("To find one of several values, use `$in`."))
            }
        };
        elements.iter().map(element).collect()
    }
}

/// All of them; one stays itself.
fn all(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        1 => parts.remove(0),
        _ => Expr::And(parts),
    }
}

/// Any of them; one stays itself.
fn any(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        1 => parts.remove(0),
        _ => Expr::Or(parts),
    }
}

fn groups_elsewhere(member: &JsonMember<'_>) -> Error {
    let name = quoted(&member.name);
    let message = format!("{name} is for lists alone, at the top level of `q`.");
    fault(Code::FilterContext, member.at, message)
        .hint("`$having` goes with `$group`, as in {\"$group\":{\"by\":\"country\",\"n\":{\"$count\":\"*\"}},\"$having\":{\"n\":{\"$gt\":1}}}.")
}

fn no_field(member: &JsonMember<'_>) -> Error {
    let message = format!(
        "The operator {} has no field; put it below one, as in {{\"points\":{{\"$gt\":10}}}}.",
        quoted(&member.name)
    );
    fault(Code::FilterContext, member.at, message)
}
