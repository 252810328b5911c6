//! The comparison signs of CQL.

/// A comparison sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `=`
    Equal,
    /// `==`
    Exact,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// All signs; longer ones come before their beginnings.
pub(super) const SIGNS: [(&str, Sign); 7] = [
    ("==", Sign::Exact),
    ("<>", Sign::NotEqual),
    ("<=", Sign::LessOrEqual),
    (">=", Sign::GreaterOrEqual),
    ("=", Sign::Equal),
    ("<", Sign::Less),
    (">", Sign::Greater),
];

impl Sign {
    /// The sign as it is written.
    pub fn as_str(self) -> &'static str {
        SIGNS.iter().find(|(_, sign)| *sign == self).map_or("=", |(text, _)| *text)
    }
}
