//! The functions of SQLite's connections for what two members of a document are together: ranges and points.

use duet_model::{Area, PairKind, Point, Range, RangeRelation, pair_value};
use duet_text::effort::Effort;
use duet_text::json::{JsonKind, STORED, read};
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;

use super::register::{Ended, Register, argument, once};

/// How deep a member's JSON is read: it is a scalar, or no part of a range or a point.
const DEPTH: usize = 2;

/// Registers `duet_pair` and `duet_bound`, which R-trees call, and the tests and the distance.
pub(super) fn register(to: &Register<'_>) -> rusqlite::Result<()> {
    to.add_indexed("duet_pair", 3, pair)?;
    to.add_indexed("duet_bound", 2, bound)?;
    for (name, relation) in [
        ("duet_overlaps", RangeRelation::Overlaps),
        ("duet_within", RangeRelation::Within),
        ("duet_encloses", RangeRelation::Encloses),
    ] {
        to.add(name, 2, move |context, effort| {
            let other = once(context, Range::parse)?;
            let range = text(context, 0, effort)?.and_then(Range::parse);
            Ok(range.map(|range| range.holds(relation, &other)))
        })?;
    }
    to.add("duet_in_area", 2, |context, effort| {
        let area = once(context, Area::parse)?;
        Ok(text(context, 0, effort)?.and_then(Point::parse).map(|point| area.has(point)))
    })?;
    to.add("duet_point_distance", 2, |context, effort| {
        let from = once(context, Point::parse)?;
        Ok(text(context, 0, effort)?.and_then(Point::parse).map(|point| point.distance(*from)))
    })
}

/// The value of a kind, by its function's name, of the JSON of two members.
fn pair(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<String>> {
    let kind = text(context, 0, effort)?.and_then(PairKind::of_function);
    let kind = kind.ok_or(rusqlite::Error::InvalidQuery)?;
    let first = text(context, 1, effort)?.and_then(member);
    let second = text(context, 2, effort)?.and_then(member);
    Ok(pair_value(kind, first.as_deref(), second.as_deref()))
}

/// A bound of a range or a point in an R-tree: of each dimension the least and the greatest coordinate. An R-tree rounds
/// what is between its greatest numbers.
fn bound(context: &Context<'_>, effort: &Effort<'_>) -> Ended<Option<f64>> {
    const MOST: f64 = f32::MAX as f64;
    let at = usize::try_from(context.get::<i64>(1)?).unwrap_or(usize::MAX);
    let Some(text) = text(context, 0, effort)? else { return Ok(None) };
    let bound = match (Range::parse(text), Point::parse(text)) {
        (Some(range), _) => {
            let open = if at == 0 { -MOST } else { MOST };
            range.bounds().get(at).map(|bound| bound.unwrap_or(open))
        }
        (_, Some(Point { x, y })) => [x, x, y, y].get(at).copied(),
        _ => None,
    };
    Ok(bound.map(|bound| bound.clamp(-MOST, MOST)))
}

/// The text of a member from its JSON, as PostgreSQL's `#>>` gives it; `None` for `null`.
fn member(json: &str) -> Option<String> {
    match read(json, &STORED, DEPTH).ok().map(|value| value.kind) {
        Some(JsonKind::Null) => None,
        Some(JsonKind::Text(text)) => Some(text.into_owned()),
        _ => Some(json.to_owned()),
    }
}

fn text<'c>(context: &'c Context<'_>, at: usize, effort: &Effort<'_>) -> Ended<Option<&'c str>> {
    Ok(match argument(context, at, effort)? {
        ValueRef::Text(text) => std::str::from_utf8(text).ok(),
        _ => None,
    })
}
