//! Functions that compute a value of many rows, and the types that they take and give.

use crate::values::types::{Comparability, NativeType, Type};

/// The functions that compute a value of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFunction {
    /// How many there are.
    Count,
    /// How many different ones there are.
    CountDistinct,
    /// Their sum.
    Sum,
    /// Their mean; of exact numbers with at most [`MEAN_DECIMALS`] decimals.
    Average,
    /// The least one.
    Min,
    /// The greatest one.
    Max,
}

/// The decimals of a mean of exact numbers.
pub const MEAN_DECIMALS: u8 = 6;

impl GroupFunction {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Count, Self::CountDistinct, Self::Sum, Self::Average, Self::Min, Self::Max];

    /// Its name in a filter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "$count",
            Self::CountDistinct => "$countDistinct",
            Self::Sum => "$sum",
            Self::Average => "$avg",
            Self::Min => "$min",
            Self::Max => "$max",
        }
    }

    /// The type of its result for values of a type; `None` where it has none.
    pub fn result(self, ty: &Type) -> Option<Type> {
        let is_exact = matches!(ty, Type::Integer { .. } | Type::Decimal { .. });
        match self {
            Self::Count => Some(COUNT),
            Self::CountDistinct => is_key(ty).then_some(COUNT),
            Self::Sum if matches!(ty, Type::Integer { .. }) => {
                Some(Type::Decimal { scale: Some(0) })
            }
            Self::Sum if is_exact => Some(ty.clone()),
            Self::Average if is_exact => Some(Type::Decimal { scale: None }),
            Self::Sum | Self::Average => ty.is_number().then_some(Type::Float { bits: 64 }),
            Self::Min | Self::Max => has_extremes(ty).then(|| ty.clone()),
        }
    }
}

/// The type of a count.
pub const COUNT: Type = Type::Integer { bits: 64 };

/// Whether rows can be grouped by values of a type, and the groups ordered.
pub fn is_key(ty: &Type) -> bool {
    let is_native = |native: &NativeType| native.comparison == Comparability::Order;
    has_extremes(ty)
        || matches!(
            ty,
            Type::Boolean | Type::Uuid | Type::TimeTz | Type::Interval | Type::Formatted(_)
        )
        || matches!(ty, Type::Native(native) if is_native(native))
}

/// Whether values of a type have a least and a greatest one on every store.
fn has_extremes(ty: &Type) -> bool {
    let is_named = matches!(ty, Type::Text | Type::Char | Type::Enum(_) | Type::Dynamic);
    is_named || ty.is_number() || (ty.is_temporal() && *ty != Type::TimeTz)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_types() {
        let (whole, money) = (Type::Integer { bits: 32 }, Type::Decimal { scale: Some(2) });
        let result = |function: GroupFunction, ty: &Type| function.result(ty);
        use GroupFunction::{Average, Count, CountDistinct, Max, Min, Sum};
        assert_eq!(result(Sum, &whole), Some(Type::Decimal { scale: Some(0) }));
        assert_eq!(result(Sum, &money), Some(money.clone()));
        assert_eq!(result(Average, &money), Some(Type::Decimal { scale: None }));
        assert_eq!(result(Average, &Type::Float { bits: 32 }), Some(Type::Float { bits: 64 }));
        assert_eq!((result(Sum, &Type::Text), result(Max, &Type::Text)), (None, Some(Type::Text)));
        assert_eq!((result(Min, &Type::Boolean), result(Count, &Type::Json)), (None, Some(COUNT)));
        assert_eq!(result(CountDistinct, &Type::Json), None);
    }
}
