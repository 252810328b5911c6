//! The kinds of indexes of a collection: what each can find.

/// What an index can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// Values, ranges of them, and their order (B-tree).
    Ordered,
    /// The same; no two documents have the same value.
    Unique,
    /// Values by their beginning.
    Like,
    /// Any part of a text (trigrams).
    Trigram,
    /// Any part of a text, and the texts that are nearest to another one (trigrams, GiST).
    Nearest,
    /// Words of a text.
    FullText,
    /// Values in an array, any of several.
    Elements,
    /// Values alone, by a hash of each: smaller than a B-tree where values are long.
    Hash,
    /// Ranges of values that follow the order in which documents came, by the least and the largest value of each
    /// range of pages (BRIN): far smaller than a B-tree.
    BlockRange,
    /// Texts by their beginning, in a tree of prefixes (SP-GiST): small where many texts begin alike.
    Prefix,
    /// The number of documents with each value of labels or of true and false, which triggers keep.
    Totals,
    /// Ranges between two members of a document: those that overlap another range, are within it or enclose it (GiST).
    Range,
    /// Points whose coordinates are two members: those in a box, and the nearest ones (GiST).
    Point,
}

impl IndexKind {
    /// All of them with their names in declarations.
    pub const NAMES: [(&'static str, Self); 13] = [
        ("index", Self::Ordered),
        ("unique", Self::Unique),
        ("like", Self::Like),
        ("trigram", Self::Trigram),
        ("gist", Self::Nearest),
        ("full-text", Self::FullText),
        ("array", Self::Elements),
        ("hash", Self::Hash),
        ("brin", Self::BlockRange),
        ("sp-gist", Self::Prefix),
        ("totals", Self::Totals),
        ("range", Self::Range),
        ("point", Self::Point),
    ];

    /// The suffix of the names of such indexes.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Ordered => "",
            Self::Unique => "_unique",
            Self::Like => "_like",
            Self::Trigram => "_gin",
            Self::Nearest => "_gist",
            Self::FullText => "_ft",
            Self::Elements => "_array",
            Self::Hash => "_hash",
            Self::BlockRange => "_brin",
            Self::Prefix => "_spgist",
            Self::Totals => "_totals",
            Self::Range => "_range",
            Self::Point => "_point",
        }
    }

    /// Whether it finds a value.
    pub fn finds_values(self) -> bool {
        self.finds_ranges() || matches!(self, Self::Hash | Self::Prefix)
    }

    /// Whether it finds a range of values.
    pub fn finds_ranges(self) -> bool {
        self.is_ordered() || self == Self::BlockRange
    }

    /// Whether it finds texts by their beginning.
    pub fn finds_prefixes(self) -> bool {
        self.finds_ranges() || self == Self::Prefix
    }

    /// Whether it has the trigrams of texts.
    pub fn has_trigrams(self) -> bool {
        matches!(self, Self::Trigram | Self::Nearest)
    }

    /// Whether its values are in their order, so that a page in that order is read from it.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::Ordered | Self::Unique | Self::Like)
    }

    /// Whether its values are made of two members of a document.
    pub fn is_of_pairs(self) -> bool {
        matches!(self, Self::Range | Self::Point)
    }

    /// Those of which this holds, the one to declare first at the front.
    pub fn all(test: fn(Self) -> bool) -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().map(|(_, kind)| kind).filter(move |kind| test(*kind))
    }
}
