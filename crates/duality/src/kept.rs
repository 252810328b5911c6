//! Whether documents keep the rules of their view.

use std::cmp::Ordering;

use duet_model::row_tree::push_part;
use duet_model::view_rule::{ReturnType, RuleCondition, RulePath, RuleStage, RuleValue, ViewRule};
use duet_model::{Code, Compare, Error, Result, Shape};
use duet_text::decimal::Decimal;
use duet_text::error::Place;
use duet_text::json::{Json, JsonKind};
use duet_text::{ArrayPosition, JsonStep};

/// The documents of a write.
#[derive(Clone, Copy, Debug)]
pub struct RuledWrite<'a, 't> {
    /// The stored document; `None` for a new one.
    pub old: Option<&'a Json<'t>>,
    /// The document that comes in, or was read back.
    pub new: &'a Json<'t>,
}

/// Whether a view has rules of a stage for new or for changed documents.
pub fn has_rules(shape: &Shape, stage: RuleStage, is_new: bool) -> bool {
    shape.rules.iter().any(|rule| applies(rule, stage, is_new))
}

/// Holds the documents of a write against the rules of a stage.
///
/// # Errors
/// [`Code::RuleViolation`] for the first rule that is broken, with the member of its first test that does not hold.
pub fn check_rules(shape: &Shape, stage: RuleStage, write: RuledWrite<'_, '_>) -> Result<()> {
    let is_new = write.old.is_none();
    for rule in shape.rules.iter().filter(|rule| applies(rule, stage, is_new)) {
        if write.holds(&rule.condition) != Some(true) {
            return Err(broken(shape, rule, write));
        }
    }
    Ok(())
}

fn applies(rule: &ViewRule, stage: RuleStage, is_new: bool) -> bool {
    rule.stage == stage && if is_new { rule.insert } else { rule.update }
}

fn broken(shape: &Shape, rule: &ViewRule, write: RuledWrite<'_, '_>) -> Error {
    let name = rule.name.as_deref().map_or(String::new(), |name| format!(" {name}"));
    let message = format!("The document breaks the rule{name} of {}.", shape.name);
    let path = write.failing(&rule.condition).first_path();
    let pointer = path.map(pointer_of).unwrap_or_default();
    Error::new(Code::RuleViolation, message).at(Place::Pointer(pointer))
}

/// The JSON pointer of a path, as far as it names members and elements from the start.
fn pointer_of(path: &RulePath) -> String {
    let mut pointer = String::new();
    for step in &path.steps {
        match step {
            JsonStep::Member(name) => push_part(&mut pointer, name),
            JsonStep::Element(ArrayPosition::Start(before)) => {
                push_part(&mut pointer, &before.to_string());
            }
            JsonStep::Element(ArrayPosition::End(_)) | JsonStep::Size => break,
        }
    }
    pointer
}

/// A value of a condition; NULL is none.
#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(Decimal),
    Text(String),
    Bool(bool),
}

impl RuledWrite<'_, '_> {
    /// Whether a condition holds; `None` where it is not known.
    fn holds(&self, condition: &RuleCondition) -> Option<bool> {
        match condition {
            RuleCondition::And(all) => {
                let found: Vec<_> = all.iter().map(|one| self.holds(one)).collect();
                match found.contains(&Some(false)) {
                    true => Some(false),
                    false => (!found.contains(&None)).then_some(true),
                }
            }
            RuleCondition::Or(any) => {
                let found: Vec<_> = any.iter().map(|one| self.holds(one)).collect();
                match found.contains(&Some(true)) {
                    true => Some(true),
                    false => (!found.contains(&None)).then_some(false),
                }
            }
            RuleCondition::Not(inner) => self.holds(inner).map(|holds| !holds),
            RuleCondition::IsNull(value) => Some(self.operand(value).is_none()),
            RuleCondition::Exists(path) => Some(!self.at(path).is_empty()),
            RuleCondition::Compare(compare, left, right) => {
                let order = ordered(self.operand(left)?, self.operand(right)?)?;
                Some(match compare {
                    Compare::Eq => order == Ordering::Equal,
                    Compare::Ne => order != Ordering::Equal,
                    Compare::Lt => order == Ordering::Less,
                    Compare::Lte => order != Ordering::Greater,
                    Compare::Gt => order == Ordering::Greater,
                    Compare::Gte => order != Ordering::Less,
                })
            }
        }
    }

    /// The first part of a condition that does not hold, where all parts have to.
    fn failing<'c>(&self, condition: &'c RuleCondition) -> &'c RuleCondition {
        let RuleCondition::And(all) = condition else { return condition };
        let first = all.iter().find(|one| self.holds(one) != Some(true));
        first.map_or(condition, |one| self.failing(one))
    }

    fn at(&self, path: &RulePath) -> Vec<&Json<'_>> {
        let document = if path.old { self.old } else { Some(self.new) };
        document.map(|document| JsonStep::follow(&path.steps, document)).unwrap_or_default()
    }

    fn operand(&self, value: &RuleValue) -> Option<Operand> {
        let (path, returned) = match value {
            RuleValue::Null => return None,
            RuleValue::Bool(value) => return Some(Operand::Bool(*value)),
            RuleValue::Number(number) => return Decimal::parse(number).map(Operand::Number),
            RuleValue::Text(text) => return Some(Operand::Text(text.clone())),
            RuleValue::Inside(path, returned) => (path, returned),
        };
        let [found] = self.at(path)[..] else { return None };
        let text = match &found.kind {
            JsonKind::List(elements) if path.steps.last() == Some(&JsonStep::Size) => {
                elements.len().to_string()
            }
            _ if path.steps.last() == Some(&JsonStep::Size) => "1".to_owned(),
            JsonKind::Null | JsonKind::List(_) | JsonKind::Object(_) => return None,
            JsonKind::Bool(value) => value.to_string(),
            JsonKind::Number(number) => (*number).to_owned(),
            JsonKind::Text(text) => text.to_string(),
        };
        match returned {
            ReturnType::Text => Some(Operand::Text(text)),
            ReturnType::Number => Decimal::parse(&text).map(Operand::Number),
            ReturnType::Boolean => text.parse().ok().map(Operand::Bool),
        }
    }
}

/// The order of two values: a text beside a number or a boolean is read as one. `None` where it is none.
fn ordered(left: Operand, right: Operand) -> Option<Ordering> {
    use Operand::{Bool, Number, Text};
    Some(match (left, right) {
        (Number(left), Number(right)) => left.cmp(&right),
        (Text(left), Text(right)) => left.cmp(&right),
        (Bool(left), Bool(right)) => left.cmp(&right),
        (Number(left), Text(right)) => left.cmp(&Decimal::parse(right.trim())?),
        (Text(left), Number(right)) => Decimal::parse(left.trim())?.cmp(&right),
        (Bool(left), Text(right)) => left.cmp(&right.to_ascii_lowercase().parse().ok()?),
        (Text(left), Bool(right)) => {
            left.to_ascii_lowercase().parse().ok().map(|left: bool| left.cmp(&right))?
        }
        (Number(_), Bool(_)) | (Bool(_), Number(_)) => return None,
    })
}
