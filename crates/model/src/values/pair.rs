//! Values that a collection makes of two members of a document: ranges of numbers, ranges of moments, and points of the
//! plane. What such a value is on the stores is what [`pair_value`](super::pair_value::pair_value) computes.

/// What two members are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairKind {
    /// The ends of a range of numbers.
    Numbers,
    /// The ends of a range of dates, or of dates and times.
    Moments,
    /// The coordinates of a point.
    Point,
}

impl PairKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Numbers, Self::Moments, Self::Point];

    /// The function of two texts that [`Expr::Function`](crate::Expr::Function) names.
    pub fn function(self) -> &'static str {
        match self {
            Self::Numbers => "number_range",
            Self::Moments => "moment_range",
            Self::Point => "point",
        }
    }

    /// The kind whose function this is.
    pub fn of_function(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.function() == name)
    }

    /// What it is called in messages, in the upper case of types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers | Self::Moments => "RANGE",
            Self::Point => "POINT",
        }
    }
}

/// Two members of a document, and what they are together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    /// What they are.
    pub kind: PairKind,
    /// Their paths: member names joined by dots.
    pub members: [String; 2],
}
