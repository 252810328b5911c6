//! Columns that are generated when a row is written: their values, from what the other columns of the row will have.

use std::borrow::Cow;

use duet_model::row_tree::pointer;
use duet_model::{
    Arithmetic, Code, ColumnMember, DerivedColumn, DerivedMethod, DerivedValue, Error, GivenField,
    Member, MemberKind, MemberOrigin, NodeId, Result, RowTree, Value,
};
use duet_text::JsonStep;
use duet_text::error::Place;
use duet_text::exact::Exact;
use duet_text::json::{Json, JsonKind, STORED, read};

use super::Planner;
use super::keys::LinkValues;
use super::stored_row::StoredRow;

/// Levels of stored JSON that are read.
const DEPTH: usize = 1_000;

/// A value while it is computed; NULL is none.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Number(Exact),
    Text(String),
    Bool(bool),
}

/// Why there is no value: it has too many digits.
struct TooLong;

type Computed = std::result::Result<Option<Part>, TooLong>;

/// A row that is going to be written.
#[derive(Clone, Copy)]
pub(super) struct DerivedRow<'r, 't> {
    pub(super) wanted: &'r RowTree<'t>,
    pub(super) stored: Option<StoredRow<'r, 't>>,
    pub(super) linked: &'r LinkValues,
}

impl<'t> Planner<'_, 't> {
    /// The columns of a row that are generated now. `stored` is the row as it is, if there is one.
    ///
    /// # Errors
    /// Where a value that they are computed from does not fit its column, or the result has too many digits.
    pub(super) fn derived(&self, row: DerivedRow<'_, 't>) -> Result<Vec<GivenField<'static>>> {
        let node = row.wanted.node;
        let mut fields = Vec::new();
        for derived in &self.shape.nodes[node].derived {
            let members = &self.shape.nodes[node].members;
            let Some((member, path)) = member_of(members, derived.column, "") else { continue };
            let is_there = row.wanted.field(derived.column).is_some();
            let stays = row.stored.is_some() && (self.patched || !member.update);
            let skipped = match member.origin {
                MemberOrigin::Given => true,
                MemberOrigin::IfMissing => is_there || stays,
                MemberOrigin::Always => row.stored.is_some() && !member.update,
            };
            if skipped {
                continue;
            }
            let pointer = format!("{}{path}", row.wanted.pointer);
            let value = self.value_of(row, &derived.value)?;
            let value = value.map_err(|TooLong| too_long(derived, &pointer))?;
            let kind = match value {
                None => JsonKind::Null,
                Some(Part::Number(number)) => JsonKind::Text(Cow::Owned(number.to_string())),
                Some(Part::Text(text)) => JsonKind::Text(Cow::Owned(text)),
                Some(Part::Bool(value)) => JsonKind::Bool(value),
            };
            fields.push(GivenField { member, pointer, value: Json::new(kind) });
        }
        Ok(fields)
    }

    fn value_of(&self, row: DerivedRow<'_, 't>, value: &DerivedValue) -> Result<Computed> {
        Ok(match value {
            DerivedValue::Number(text) => Ok(Exact::parse(text).map(Part::Number)),
            DerivedValue::Text(text) => Ok(Some(Part::Text(text.clone()))),
            DerivedValue::Column { column, default, inside } => {
                let value = self.final_value(row, *column, default)?;
                let ty = &self.shape.nodes[row.wanted.node].table.columns[*column].ty;
                part_of(&value, ty.is_number(), inside)
            }
            DerivedValue::Rows(child) => {
                let count = |tree: &RowTree<'_>| tree.below(*child).map(|rows| rows.rows.len());
                let given = row.wanted.below(*child).filter(|rows| rows.given);
                let stored = row.stored.and_then(|stored| count(stored.row));
                let rows = given.map_or(stored.unwrap_or(0), |rows| rows.rows.len());
                Ok(i64::try_from(rows).ok().map(|rows| Part::Number(Exact::whole(rows))))
            }
            DerivedValue::Negate(inner) => self
                .value_of(row, inner)?
                .map(|part| part.map(|part| changed(part, Exact::negated))),
            DerivedValue::Arithmetic(operator, left, right) => {
                match (self.value_of(row, left)?, self.value_of(row, right)?) {
                    (Ok(left), Ok(right)) => calculated(*operator, left, right),
                    _ => Err(TooLong),
                }
            }
            DerivedValue::Method(method, inner) => {
                self.value_of(row, inner)?.map(|part| part.and_then(|part| applied(*method, part)))
            }
        })
    }

    /// The value that a column of a row will have.
    fn final_value(
        &self,
        row: DerivedRow<'_, 't>,
        column: usize,
        default: &Value,
    ) -> Result<Value> {
        let node = row.wanted.node;
        if let Some((_, value)) = row.linked.iter().find(|(linked, _)| *linked == column) {
            return Ok(value.clone());
        }
        if let Some(field) = row.wanted.field(column) {
            let pointer = &field.pointer;
            return self.keys.field_value(node, column, &field.value, pointer);
        }
        if let Some(value) = self.keys.value(row.wanted, &[], column)? {
            return Ok(value);
        }
        let Some(stored) = row.stored else {
            let is_absent = member_of(&self.shape.nodes[node].members, column, "")
                .is_some_and(|(member, _)| member.absent);
            let is_null = self.whole && is_absent && !self.not_null(node, column);
            return Ok(if is_null { Value::Null } else { default.clone() });
        };
        match stored.row.field(column) {
            Some(field) if self.is_cleared(stored, field.member) => {
                let is_null = field.member.absent && !self.not_null(node, column);
                Ok(if is_null { Value::Null } else { default.clone() })
            }
            _ => Ok(self.keys.stored_value(stored.row, row.linked, column)),
        }
    }

    fn not_null(&self, node: NodeId, column: usize) -> bool {
        self.shape.nodes[node].table.columns[column].not_null
    }
}

/// The member of a column, and its pointer inside the object.
fn member_of(members: &[Member], column: usize, at: &str) -> Option<(ColumnMember, String)> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Column(own) if own.column == column => Some((*own, pointer(at, &member.name))),
        MemberKind::Group(inner) => member_of(inner, column, &pointer(at, &member.name)),
        _ => None,
    })
}

fn too_long(derived: &DerivedColumn, at: &str) -> Error {
    let message = format!(
        "The member is computed by {}, and the result has more than 38 digits.",
        derived.path
    );
    Error::new(Code::MemberValue, message).at(Place::Pointer(at.to_owned()))
}

/// A stored value, or one inside its JSON.
fn part_of(value: &Value, is_number: bool, inside: &[JsonStep]) -> Computed {
    let text = match value {
        Value::Null => return Ok(None),
        Value::Bool(value) => return Ok(Some(Part::Bool(*value))),
        Value::Int(number) => return Ok(Some(Part::Number(Exact::whole(*number)))),
        Value::Float(number) => return number_of(&number.to_string()),
        Value::Text(text) => text,
        _ => return Ok(None),
    };
    if is_number {
        return number_of(text);
    }
    if inside.is_empty() {
        return Ok(Some(Part::Text(text.clone())));
    }
    let Ok(json) = read(text, &STORED, DEPTH) else { return Ok(None) };
    Ok(match JsonStep::follow(inside, &json)[..] {
        [found] if inside.last() == Some(&JsonStep::Size) => {
            let count = match &found.kind {
                JsonKind::List(elements) => elements.len(),
                _ => 1,
            };
            i64::try_from(count).ok().map(|count| Part::Number(Exact::whole(count)))
        }
        [found] => match &found.kind {
            JsonKind::Null | JsonKind::List(_) | JsonKind::Object(_) => None,
            JsonKind::Bool(value) => Some(Part::Text(value.to_string())),
            JsonKind::Number(number) => Some(Part::Text((*number).to_owned())),
            JsonKind::Text(text) => Some(Part::Text(text.to_string())),
        },
        _ => None,
    })
}

fn number_of(text: &str) -> Computed {
    Exact::parse(text).map(|number| Some(Part::Number(number))).ok_or(TooLong)
}

fn changed(part: Part, change: fn(Exact) -> Exact) -> Part {
    match part {
        Part::Number(number) => Part::Number(change(number)),
        other => other,
    }
}

fn calculated(operator: Arithmetic, left: Option<Part>, right: Option<Part>) -> Computed {
    let (Some(Part::Number(left)), Some(Part::Number(right))) = (left, right) else {
        return Ok(None);
    };
    let found = match operator {
        Arithmetic::Add => left.plus(right),
        Arithmetic::Subtract => left.plus(right.negated()),
        Arithmetic::Multiply => left.times(right),
        Arithmetic::Divide => left.divided_exactly(right),
        _ => None,
    };
    found.map(|number| Some(Part::Number(number))).ok_or(TooLong)
}

fn applied(method: DerivedMethod, part: Part) -> Option<Part> {
    Some(match (method, part) {
        (DerivedMethod::Abs, part) => changed(part, Exact::absolute),
        (DerivedMethod::Ceiling, part) => changed(part, Exact::ceiling),
        (DerivedMethod::Floor, part) => changed(part, Exact::floor),
        (DerivedMethod::Length, Part::Text(text)) => {
            Part::Number(Exact::whole(i64::try_from(text.chars().count()).ok()?))
        }
        (DerivedMethod::Lower, Part::Text(text)) => Part::Text(text.to_lowercase()),
        (DerivedMethod::Upper, Part::Text(text)) => Part::Text(text.to_uppercase()),
        (DerivedMethod::Number, Part::Text(text)) => Part::Number(Exact::parse(text.trim())?),
        (DerivedMethod::Text, Part::Number(number)) => Part::Text(number.to_string()),
        (_, other) => other,
    })
}
