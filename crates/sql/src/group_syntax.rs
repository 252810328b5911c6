//! How engines write aggregates of groups.

/// How an engine writes aggregates, so that all of them return the same values.
#[derive(Debug)]
pub struct GroupSyntax {
    /// Sums of integers.
    pub of_integers: NumberForm,
    /// Sums of numbers with a declared number of decimals.
    pub with_decimals: NumberForm,
    /// Sums of other exact numbers, and means of all.
    pub rounded: NumberForm,
    /// Sums and means of floats.
    pub of_floats: NumberForm,
    /// The least and the greatest of timestamps where these compare by a function: the SQL text before
    /// the aggregate function, before the value, between it and the value again, and behind.
    pub moments: Option<[&'static str; 4]>,
}

const PLAIN: NumberForm = NumberForm { before: "", before_value: "", after: ")", digits: None };

/// Standard SQL.
pub(crate) static STANDARD: GroupSyntax = GroupSyntax {
    of_integers: PLAIN,
    with_decimals: PLAIN,
    rounded: NumberForm { before: "round(", after: "), ", digits: Some(")"), ..PLAIN },
    of_floats: PLAIN,
    moments: None,
};

pub(crate) static POSTGRES: GroupSyntax = GroupSyntax {
    // Sums of small integers are `bigint`, others are not.
    of_integers: NumberForm { after: ")::numeric", ..PLAIN },
    with_decimals: PLAIN,
    rounded: NumberForm {
        before: "trim_scale(round(",
        after: ")::numeric, ",
        digits: Some("))"),
        ..PLAIN
    },
    // A sum of `float4` would be one.
    of_floats: NumberForm { before_value: "(", after: ")::float8)", ..PLAIN },
    moments: None,
};

/// Decimals are floats here: what adding them adds at the end is cut off.
const ROUNDED: NumberForm =
    NumberForm { before: "round(", after: "), ", digits: Some(")"), ..PLAIN };

pub(crate) static SQLITE: GroupSyntax = GroupSyntax {
    of_integers: PLAIN,
    with_decimals: ROUNDED,
    rounded: ROUNDED,
    of_floats: PLAIN,
    // Texts that begin with their moments, none of which is negative then.
    moments: Some([
        "substr(",
        "printf('%020d', 4611686018427387904 + duet_timestamp(",
        ")) || ",
        "), 21)",
    ]),
};

/// The SQL text around a sum or a mean, and around its values.
#[derive(Debug)]
pub struct NumberForm {
    /// Before the function.
    pub before: &'static str,
    /// Before the value.
    pub before_value: &'static str,
    /// After the value.
    pub after: &'static str,
    /// Where the number of decimals follows: what is behind it.
    pub digits: Option<&'static str>,
}
