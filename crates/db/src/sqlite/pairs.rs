//! The functions of SQLite's connections for what two members of a document are together: ranges and points.

use duet_model::json::{Kind, STORED, read};
use duet_model::{Area, PairKind, Point, Range, RangeRelation, pair_value};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// How deep a member's JSON is read: it is a scalar, or no part of a range or a point.
const DEPTH: usize = 2;

/// Registers `duet_pair` and `duet_bound`, which R-trees call, and the tests and the distance.
pub(super) fn register(
    connection: &Connection,
    flags: FunctionFlags,
    indexed: FunctionFlags,
) -> rusqlite::Result<()> {
    connection.create_scalar_function("duet_pair", 3, indexed, pair)?;
    connection.create_scalar_function("duet_bound", 2, indexed, bound)?;
    for (name, relation) in [
        ("duet_overlaps", RangeRelation::Overlaps),
        ("duet_within", RangeRelation::Within),
        ("duet_encloses", RangeRelation::Encloses),
    ] {
        connection.create_scalar_function(name, 2, flags, move |context| {
            let other = given(context, Range::parse)?;
            Ok(text(context, 0).and_then(Range::parse).map(|range| range.holds(relation, &other)))
        })?;
    }
    connection.create_scalar_function("duet_in_area", 2, flags, |context| {
        let area = given(context, Area::parse)?;
        Ok(text(context, 0).and_then(Point::parse).map(|point| area.has(point)))
    })?;
    connection.create_scalar_function("duet_point_distance", 2, flags, |context| {
        let from = given(context, Point::parse)?;
        Ok(text(context, 0).and_then(Point::parse).map(|point| point.distance(*from)))
    })
}

/// The value of a kind, by its function's name, of the JSON of two members.
fn pair(context: &Context<'_>) -> rusqlite::Result<Option<String>> {
    let kind = text(context, 0).and_then(PairKind::of_function);
    let kind = kind.ok_or(rusqlite::Error::InvalidQuery)?;
    let [first, second] = [1, 2].map(|at| text(context, at).and_then(member));
    Ok(pair_value(kind, first.as_deref(), second.as_deref()))
}

/// A bound of a range or a point in an R-tree: of each dimension the least and the greatest coordinate. An R-tree rounds
/// what is between its greatest numbers.
fn bound(context: &Context<'_>) -> rusqlite::Result<Option<f64>> {
    const MOST: f64 = f32::MAX as f64;
    let at = usize::try_from(context.get::<i64>(1)?).unwrap_or(usize::MAX);
    let Some(text) = text(context, 0) else { return Ok(None) };
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
        Some(Kind::Null) => None,
        Some(Kind::Text(text)) => Some(text.into_owned()),
        _ => Some(json.to_owned()),
    }
}

/// The second argument, which is read once per statement.
fn given<T: Send + Sync + 'static>(
    context: &Context<'_>,
    read: fn(&str) -> Option<T>,
) -> rusqlite::Result<std::sync::Arc<T>> {
    context.get_or_create_aux(1, |value| match value {
        ValueRef::Text(text) => {
            let read = std::str::from_utf8(text).ok().and_then(read);
            read.ok_or(rusqlite::Error::InvalidQuery)
        }
        _ => Err(rusqlite::Error::InvalidQuery),
    })
}

fn text<'c>(context: &'c Context<'_>, at: usize) -> Option<&'c str> {
    match context.get_raw(at) {
        ValueRef::Text(text) => std::str::from_utf8(text).ok(),
        _ => None,
    }
}
