//! What two members of a document are together, from their texts.

use super::pair::PairKind;
use super::point::Point;
use super::range::Range;

/// The text of the value of two members, each given as its text, and absent where it is missing or `null`; `None` where
/// they have no such value.
///
/// ```
/// use duet_model::{PairKind, pair_value};
///
/// assert_eq!(pair_value(PairKind::Numbers, Some("1.50"), None).as_deref(), Some("[1.5,]"));
/// assert_eq!(pair_value(PairKind::Numbers, Some("2"), Some("1")), None);
/// assert_eq!(pair_value(PairKind::Point, Some("4.9"), Some("52")).as_deref(), Some("(4.9,52.0)"));
/// ```
pub fn pair_value(kind: PairKind, first: Option<&str>, second: Option<&str>) -> Option<String> {
    match kind {
        PairKind::Point => Some(Point::of(first?, second?)?.to_string()),
        of => Some(Range::of(of, first, second)?.to_string()),
    }
}
