//! The functions over rows whose results engines give in different forms.

/// How an engine writes the functions over rows that have no common form: before and after the operand.
#[derive(Clone, Copy, Debug)]
pub struct RowFunctions {
    /// The sum of integers, which is an integer.
    pub integer_sum: [&'static str; 2],
    /// The sum of other numbers, with ten digits after the point at most.
    pub sum: [&'static str; 2],
    /// The mean, with ten digits after the point at most.
    pub mean: [&'static str; 2],
    /// What is behind a text that sorts by its code points.
    pub by_code_points: &'static str,
    /// Before texts that are put one after another; the separator and the order follow them.
    pub list: &'static str,
}

/// Standard SQL.
pub(crate) const STANDARD: RowFunctions = RowFunctions {
    integer_sum: ["sum(", ")"],
    sum: ["round(sum(", "), 10)"],
    mean: ["round(avg(", "), 10)"],
    by_code_points: "",
    list: "listagg(",
};

/// PostgreSQL's: the sum of `int8` is a decimal, and that of floats a float.
pub(crate) const POSTGRES: RowFunctions = RowFunctions {
    integer_sum: ["sum(", ")::int8"],
    sum: ["round(sum(", ")::numeric, 10)"],
    mean: ["round(avg(", ")::numeric, 10)"],
    by_code_points: " COLLATE \"C\"",
    list: "string_agg(",
};

/// SQLite's: decimals are floats.
pub(crate) const SQLITE: RowFunctions = RowFunctions {
    integer_sum: ["sum(", ")"],
    sum: ["round(sum(", "), 10)"],
    mean: ["round(avg(", "), 10)"],
    by_code_points: " COLLATE BINARY",
    list: "group_concat(",
};
