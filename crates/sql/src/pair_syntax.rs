//! What two members of a document are together, as SQL: ranges and points. The expressions are immutable, so that an
//! index has them, and NULL for a document without such a value, whatever is stored: neither the build of an index nor a
//! search fails.
//!
//! A template has [`FIRST`] and [`SECOND`] in the places of the members' texts.

use duet_model::{PairKind, RangeRelation};

/// The place of the first member in a template.
pub(crate) const FIRST: char = '\u{1}';

/// The place of the second.
pub(crate) const SECOND: char = '\u{2}';

/// Whether a text is missing, or a number that both stores read.
macro_rules! is_number {
    ($text:literal) => {
        concat!(
            "coalesce(length(",
            $text,
            ") <= 1000 AND ",
            $text,
            " ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$', TRUE)"
        )
    };
}

/// Whether a text is missing, or a date, or a date and time, that [`duet_model::Range`] takes as a moment.
macro_rules! is_moment {
    ($text:literal) => {
        concat!(
            "coalesce(",
            $text,
            " ~ '^(?!0000|0001-01-01.*[+]|9999-12-31.*-)(",
            "[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|",
            "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)",
            "([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0{0,3})?)?",
            "(Z|z|[-+](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)?$', TRUE)"
        )
    };
}

/// The moment in UTC of such a text: `make_timestamp` is immutable, where a cast from text is not. What is behind the
/// minutes are seconds and an offset.
macro_rules! moment {
    ($text:literal) => {
        concat!(
            "make_timestamp(left(",
            $text,
            ", 4)::int4, substr(",
            $text,
            ", 6, 2)::int4, substr(",
            $text,
            ", 9, 2)::int4, ('0' || substr(",
            $text,
            ", 12, 2))::int4, ('0' || substr(",
            $text,
            ", 15, 2))::int4, coalesce(substring(",
            $text,
            " from '^.{16}:([0-9.]+)'), '0')::float8) - make_interval(hours => coalesce(substring(substr(",
            $text,
            ", 17) from '[-+][0-9]{2}'), '0')::int4, mins => coalesce(substring(substr(",
            $text,
            ", 17) from '[-+]') || substring(substr(",
            $text,
            ", 17) from '[-+][0-9]{2}:?([0-9]{2})$'), '0')::int4)"
        )
    };
}

/// Whether a number is 0 or has the magnitude of a coordinate.
macro_rules! is_coordinate {
    ($text:literal) => {
        concat!(
            "((",
            $text,
            ")::numeric = 0 OR abs((",
            $text,
            ")::numeric) BETWEEN 1e-100 AND 1e100)"
        )
    };
}

/// What is common to all that begins at one end and all that ends at the other is the range between them, and empty where
/// they are in the wrong order.
macro_rules! range {
    ($valid:expr, $make:literal, $low:expr, $high:expr) => {
        concat!(
            "(CASE WHEN ",
            $valid,
            " AND coalesce(\u{1}, \u{2}) IS NOT NULL THEN nullif(",
            $make,
            "(",
            $low,
            ", NULL, '[]') * ",
            $make,
            "(NULL, ",
            $high,
            ", '[]'), 'empty') END)"
        )
    };
}

/// How an engine writes what two members are together.
#[derive(Debug)]
pub struct PairSyntax {
    /// The template of a kind.
    pub value: fn(PairKind) -> PairTemplate,
    /// The text of a member in a template: the SQL text before the document, between it and the path, and after. SQLite
    /// has JSON there, which its functions read.
    pub member: [&'static str; 3],
    /// A test that a range is so to another one: the SQL text before the range, between it and the text of the other,
    /// and after.
    pub range: fn(RangeRelation, PairKind) -> [&'static str; 3],
    /// A test that a point is in a box, in the same way.
    pub area: [&'static str; 3],
    /// The distance of a point from another one, in the same way.
    pub distance: [&'static str; 3],
}

/// PostgreSQL's.
pub(crate) static POSTGRES: PairSyntax = PairSyntax {
    value: |kind| {
        PairTemplate(match kind {
            PairKind::Numbers => range!(
                concat!(is_number!("\u{1}"), " AND ", is_number!("\u{2}")),
                "numrange",
                "(\u{1})::numeric",
                "(\u{2})::numeric"
            ),
            PairKind::Moments => range!(
                concat!(is_moment!("\u{1}"), " AND ", is_moment!("\u{2}")),
                "tsrange",
                moment!("\u{1}"),
                moment!("\u{2}")
            ),
            PairKind::Point => concat!(
                "(CASE WHEN \u{1} IS NOT NULL AND \u{2} IS NOT NULL AND ",
                is_number!("\u{1}"),
                " AND ",
                is_number!("\u{2}"),
                " THEN CASE WHEN ",
                is_coordinate!("\u{1}"),
                " AND ",
                is_coordinate!("\u{2}"),
                " THEN point((\u{1})::float8, (\u{2})::float8) END END)"
            ),
        })
    },
    member: ["(", " #>> ", ")"],
    range: |relation, kind| {
        let between = match relation {
            RangeRelation::Overlaps => " && ",
            RangeRelation::Within => " <@ ",
            RangeRelation::Encloses => " @> ",
        };
        ["", between, if kind == PairKind::Moments { "::tsrange" } else { "::numrange" }]
    },
    area: ["", " <@ ", "::box"],
    distance: ["(", " <-> ", "::point)"],
};

/// SQLite's, which calls functions of Duet's.
pub(crate) static SQLITE: PairSyntax = PairSyntax {
    value: |kind| {
        PairTemplate(match kind {
            PairKind::Numbers => "duet_pair('number_range', \u{1}, \u{2})",
            PairKind::Moments => "duet_pair('moment_range', \u{1}, \u{2})",
            PairKind::Point => "duet_pair('point', \u{1}, \u{2})",
        })
    },
    member: ["", " -> ", ""],
    range: |relation, _| {
        let before = match relation {
            RangeRelation::Overlaps => "duet_overlaps(",
            RangeRelation::Within => "duet_within(",
            RangeRelation::Encloses => "duet_encloses(",
        };
        [before, ", ", ")"]
    },
    area: ["duet_in_area(", ", ", ")"],
    distance: ["duet_point_distance(", ", ", ")"],
};

/// A template, with the places of both members' texts in it.
#[derive(Clone, Copy, Debug)]
pub struct PairTemplate(pub &'static str);

impl PairTemplate {
    /// The template with these texts in the places of the members.
    pub(crate) fn fill(self, first: &str, second: &str) -> String {
        self.0.replace(FIRST, first).replace(SECOND, second)
    }
}
