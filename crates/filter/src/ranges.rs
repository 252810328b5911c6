//! Conditions on ranges: of range columns of PostgreSQL, and of ranges between two members of a collection's documents.
//!
//! Both ends belong to a range of two members and to those that it is compared with. A range column is compared with what
//! PostgreSQL reads, where `from` belongs to the range and `to` does not.

use duet_model::shape::Field;
use duet_model::{Code, Error, Expr, PairKind, Range, RangeRelation, Result, TextTest, Type};
use duet_text::json::{Json, JsonKind, JsonMember};
use duet_text::problem::{fault, quoted};
use duet_text::time::moment;

use crate::operand::{date_text, misfit};
use crate::points;
use duet_text::decimal::Decimal;

/// The condition of an operator on a field.
pub(crate) fn condition(field: &Field, relation: RangeRelation, json: &Json<'_>) -> Result<Expr> {
    match &field.ty {
        Type::Pair(pair) => match pair.kind {
            PairKind::Point => points::condition(field, relation, json),
            kind => of_members(field, kind, relation, json),
        },
        _ => of_column(field, relation, json),
    }
}

/// A condition on a range of two members.
fn of_members(
    field: &Field,
    kind: PairKind,
    relation: RangeRelation,
    json: &Json<'_>,
) -> Result<Expr> {
    let ends = match &json.kind {
        JsonKind::Object(members) if date_text(json)?.is_none() => {
            let [mut low, mut high] = [None, None];
            for member in members {
                let end = match &*member.name {
                    "from" => &mut low,
                    "to" => &mut high,
                    _ => return Err(no_end(member)),
                };
                *end = match member.value.kind {
                    JsonKind::Null => None,
                    _ => Some(value(field, kind, &member.value)?),
                };
            }
            [low, high]
        }
        JsonKind::Object(_) | JsonKind::Number(_) | JsonKind::Text(_)
            if relation == RangeRelation::Encloses =>
        {
            let value = value(field, kind, json)?;
            [Some(value.clone()), Some(value)]
        }
        other => {
            let problem = format!(
                "is compared with a range, such as {{\"from\":{0},\"to\":{1}}}, not with {2}",
                example(kind, 0),
                example(kind, 1),
                other.noun()
            );
            return Err(misfit(field, json.at, &problem));
        }
    };
    tested(field, relation, ends, json.at)
}

/// An end as a JSON value.
fn value(field: &Field, kind: PairKind, json: &Json<'_>) -> Result<String> {
    match (&json.kind, date_text(json)?) {
        (_, Some(text)) if kind == PairKind::Moments => end(field, kind, text, json.at),
        (JsonKind::Text(text), _) => end(field, kind, text, json.at),
        (JsonKind::Number(number), _) if kind == PairKind::Numbers => {
            end(field, kind, number, json.at)
        }
        (other, _) => {
            let problem = format!("has {} as ends, not {}", called(kind), other.noun());
            Err(misfit(field, json.at, &problem))
        }
    }
}

/// An end given as a text, in the form in which it is compared.
///
/// # Errors
/// At a place of the filter, where it is no number, or no date.
pub(crate) fn end(field: &Field, kind: PairKind, text: &str, at: usize) -> Result<String> {
    let read = match kind {
        PairKind::Moments => moment::moment_of(text).map(moment::moment_text),
        PairKind::Numbers | PairKind::Point => Decimal::parse(text).map(|it| it.to_string()),
    };
    read.ok_or_else(|| {
        let problem = format!("has {} as ends, and {} is none", called(kind), quoted(text));
        misfit(field, at, &problem)
    })
}

/// The condition that a range of two members is so to the range with these ends.
///
/// # Errors
/// At a place of the filter, where that range ends before it begins.
pub(crate) fn tested(
    field: &Field,
    relation: RangeRelation,
    ends: [Option<String>; 2],
    at: usize,
) -> Result<Expr> {
    let [low, high] = ends.map(Option::unwrap_or_default);
    let range = format!("[{low},{high}]");
    if Range::parse(&range).is_none() {
        let message = format!("A range cannot end at {high}, before it begins at {low}.");
        return Err(fault(Code::FilterOperand, at, message).hint("Give the lower end first."));
    }
    Ok(Expr::Search(Box::new(field.value.clone()), TextTest::Range(relation, range)))
}

fn called(kind: PairKind) -> &'static str {
    match kind {
        PairKind::Moments => "dates, or dates and times,",
        PairKind::Numbers | PairKind::Point => "numbers",
    }
}

fn example(kind: PairKind, at: usize) -> &'static str {
    match kind {
        PairKind::Moments => ["\"2024-01-01\"", "\"2024-12-31\""][at],
        PairKind::Numbers | PairKind::Point => ["10", "20"][at],
    }
}

/// A condition on a range column, compared with a range given as text, or by its ends.
fn of_column(field: &Field, relation: RangeRelation, json: &Json<'_>) -> Result<Expr> {
    if !field.ranges {
        return Err(no_ranges(field, relation, json.at));
    }
    let range = match &json.kind {
        JsonKind::Text(text) => text.clone().into_owned(),
        JsonKind::Object(members) => range_of(members)?,
        other => {
            let problem =
                format!("is compared with a range, such as [1,5), not with {}", other.noun());
            return Err(misfit(field, json.at, &problem));
        }
    };
    if range.contains('\0') {
        return Err(fault(Code::NulCharacter, json.at, "Text cannot contain U+0000."));
    }
    Ok(Expr::Search(Box::new(field.value.clone()), TextTest::Range(relation, range)))
}

/// The error for a field without ranges.
fn no_ranges(field: &Field, relation: RangeRelation, at: usize) -> Error {
    let problem = match relation {
        RangeRelation::Overlaps => "holds no ranges that could overlap",
        RangeRelation::Within => "holds no ranges that could be within another one",
        RangeRelation::Encloses => "holds no ranges that could enclose another one",
    };
    let mut error = misfit(field, at, problem);
    error.code = Code::FilterUnsupported;
    error.hint(format!(
        "`{}` is for ranges that a collection declares, and for range and multirange columns of PostgreSQL; of two \
         columns, compare both ends.",
        relation.operator()
    ))
}

fn no_end(member: &JsonMember<'_>) -> Error {
    let message = "A range has the members `from` and `to`, of which one may be missing.";
    fault(Code::FilterOperand, member.at, message)
}

/// The text of a range from its ends: `from` belongs to it, `to` does not.
pub(crate) fn range_of(members: &[JsonMember<'_>]) -> Result<String> {
    let mut ends = [String::new(), String::new()];
    for member in members {
        let end = match &*member.name {
            "from" => &mut ends[0],
            "to" => &mut ends[1],
            _ => return Err(no_end(member)),
        };
        *end = match &member.value.kind {
            JsonKind::Null => String::new(),
            JsonKind::Number(number) => (*number).to_owned(),
            JsonKind::Text(text) => {
                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\"\""))
            }
            other => {
                let message = format!("The end of a range is a value, not {}.", other.noun());
                return Err(fault(Code::FilterOperand, member.value.at, message));
            }
        };
    }
    Ok(format!("[{},{})", ends[0], ends[1]))
}
