//! The limits of filters, in one table: what each counts, its setting, its default, and a filter with so many.
//!
//! Checks, settings, tests and the manual read it.

/// The limits of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of the text in bytes; 1 MiB by default.
    pub bytes: usize,
    /// Objects and arrays inside each other, the outermost included; 32 by default, never more
    /// than 128.
    pub depth: usize,
    /// Conditions, logical operators and terms of the order together; 1,000 by default.
    pub nodes: usize,
    /// Values in one `$in` or `$nin`; 10,000 by default.
    pub list: usize,
    /// Characters of one pattern of `$like` and its neighbours; 1,000 by default, never more than 50,000.
    pub pattern: usize,
    /// Names in one path inside JSON; 32 by default, never more than 128.
    pub path: usize,
    /// Terms of the order; 32 by default, never more than 128.
    pub order: usize,
    /// Characters of all `$regex` patterns together, bounded repetitions written out; 256 by default,
    /// never more than 1,000.
    pub regex: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: BYTES.default,
            depth: DEPTH.default,
            nodes: NODES.default,
            list: LIST.default,
            pattern: PATTERN.default,
            path: PATH.default,
            order: ORDER.default,
            regex: REGEX.default,
        }
    }
}

/// A limit of filters.
pub struct LimitRow {
    /// The name of its setting.
    pub setting: &'static str,
    /// What it counts, as in "the filter has 5 …".
    pub counts: &'static str,
    /// So many by default.
    pub default: usize,
    /// No setting lifts the limit above this.
    pub most: usize,
    /// Its field.
    pub(crate) value: fn(&mut Limits) -> &mut usize,
    /// A filter in `q` that counts so many, for a field `name` of text and one `extra` of JSON.
    pub example: fn(usize) -> String,
}

impl LimitRow {
    /// The limit in force.
    pub fn of(&self, limits: &Limits) -> usize {
        self.given(limits).min(self.most)
    }

    /// The limit as it is set.
    pub fn given(&self, limits: &Limits) -> usize {
        let mut limits = *limits;
        *(self.value)(&mut limits)
    }

    /// The same limits with another value of this one.
    #[must_use]
    pub fn set(&self, mut limits: Limits, value: usize) -> Limits {
        *(self.value)(&mut limits) = value;
        limits
    }
}

/// Bytes of a filter's text.
pub(crate) const BYTES: LimitRow = LimitRow {
    setting: "filter_bytes",
    counts: "bytes",
    default: 1 << 20,
    most: usize::MAX,
    value: |limits| &mut limits.bytes,
    example: |count| format!(r#"{{"name":"{}"}}"#, "a".repeat(count.saturating_sub(11))),
};

/// Objects and arrays inside each other. Nesting is read by recursion.
pub(crate) const DEPTH: LimitRow = LimitRow {
    setting: "filter_depth",
    counts: "objects and arrays inside each other",
    default: 32,
    most: 128,
    value: |limits| &mut limits.depth,
    example: |count| {
        let inner = count.saturating_sub(1);
        format!("{}{{\"name\":\"a\"}}{}", "{\"$not\":".repeat(inner), "}".repeat(inner))
    },
};

/// Conditions, logical operators and terms of the order together.
pub(crate) const NODES: LimitRow = LimitRow {
    setting: "filter_nodes",
    counts: "conditions",
    default: 1_000,
    most: usize::MAX,
    value: |limits| &mut limits.nodes,
    example: |count| {
        let conditions = vec![r#"{"name":"a"}"#; count.saturating_sub(1)];
        format!(r#"{{"$or":[{}]}}"#, conditions.join(","))
    },
};

/// Values in one list.
pub(crate) const LIST: LimitRow = LimitRow {
    setting: "filter_list",
    counts: "values",
    default: 10_000,
    most: usize::MAX,
    value: |limits| &mut limits.list,
    example: |count| format!(r#"{{"name":{{"$in":[{}]}}}}"#, vec!["\"a\""; count].join(",")),
};

/// Characters of one pattern, which a store compares with each place of a text.
pub(crate) const PATTERN: LimitRow = LimitRow {
    setting: "filter_pattern",
    counts: "characters in a pattern",
    default: 1_000,
    most: 50_000,
    value: |limits| &mut limits.pattern,
    example: |count| format!(r#"{{"name":{{"$like":"{}"}}}}"#, "a".repeat(count)),
};

/// Characters of all regular expressions together: PostgreSQL's time to compile one grows with the third power of its
/// size.
pub(crate) const REGEX: LimitRow = LimitRow {
    setting: "filter_regex",
    counts: "characters in regular expressions",
    default: 256,
    most: 1_000,
    value: |limits| &mut limits.regex,
    example: |count| format!(r#"{{"name":{{"$regex":"{}"}}}}"#, "a".repeat(count)),
};

/// Member names of one path inside JSON.
pub(crate) const PATH: LimitRow = LimitRow {
    setting: "filter_path",
    counts: "names in a path inside JSON",
    default: 32,
    most: 128,
    value: |limits| &mut limits.path,
    example: |count| format!(r#"{{"extra.{}":1}}"#, vec!["a"; count].join(".")),
};

/// Terms of an order: PostgreSQL takes 1,664 columns, and a value inside JSON is ordered by several.
pub(crate) const ORDER: LimitRow = LimitRow {
    setting: "filter_order",
    counts: "terms in its order",
    default: 32,
    most: 128,
    value: |limits| &mut limits.order,
    example: |count| {
        let terms: Vec<String> = (0..count).map(|at| format!(r#""extra.a{at}":1"#)).collect();
        format!(r#"{{"$orderby":{{{}}}}}"#, terms.join(","))
    },
};

/// The limits, in the order of the manual.
pub static LIMITS: [&LimitRow; 8] =
    [&BYTES, &DEPTH, &NODES, &ORDER, &LIST, &PATH, &PATTERN, &REGEX];
