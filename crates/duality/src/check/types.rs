//! Types of expressions: valid comparisons and calculations, the same on both stores.

use duet_model::Type;

/// Types whose values can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Number,
    Text,
    Boolean,
    Enum,
    Uuid,
    Date,
    Time,
    Interval,
    /// Neither compared nor calculated with.
    Opaque,
}

pub(super) fn family(ty: &Type) -> Family {
    match ty {
        Type::Integer { .. } | Type::Decimal { .. } | Type::Float { .. } => Family::Number,
        Type::Text
        | Type::Char
        | Type::Formatted(_)
        | Type::Native(_)
        | Type::Dynamic
        | Type::Other => Family::Text,
        Type::Boolean => Family::Boolean,
        Type::Enum(_) => Family::Enum,
        Type::Uuid => Family::Uuid,
        Type::Date | Type::Timestamp | Type::TimestampTz => Family::Date,
        Type::Time | Type::TimeTz => Family::Time,
        Type::Interval => Family::Interval,
        Type::Binary | Type::Json | Type::Array(_) | Type::Composite(_) | Type::Pair(_) => {
            Family::Opaque
        }
    }
}

/// Whether columns of these types can be joined.
pub(super) fn comparable(a: &Type, b: &Type) -> bool {
    let [one, other] = [family(a), family(b)];
    // SQLite compares values of any type with those of a column that has none.
    let either = [a, b].contains(&&Type::Dynamic) && ![one, other].contains(&Family::Opaque);
    a == b || either || (one == other && one != Family::Opaque)
}

/// The type that calculating with two numbers gives.
pub(super) fn calculated(a: &Type, b: &Type) -> Type {
    signed(promoted(a, b))
}

/// The type of a number whose sign changes. Calculated whole numbers have 64 bits on every store.
pub(super) fn signed(ty: Type) -> Type {
    match ty {
        Type::Integer { .. } => Type::Integer { bits: 64 },
        ty => ty,
    }
}

/// The type that a number has which is one or the other.
fn promoted(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Float { .. }, _) | (_, Type::Float { .. }) => Type::Float { bits: 64 },
        (Type::Integer { bits: a }, Type::Integer { bits: b }) => Type::Integer { bits: *a.max(b) },
        _ => Type::Decimal { scale: None },
    }
}

/// The type of a value that is one or the other, if there is one.
pub(super) fn unified(a: Option<&Type>, b: Option<&Type>) -> Option<Option<Type>> {
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (one, other) => return Some(one.or(other).cloned()),
    };
    if a == b {
        return Some(Some(a.clone()));
    }
    match (family(a), family(b)) {
        (Family::Number, Family::Number) => Some(Some(promoted(a, b))),
        // Texts of a type with rules of its own are no values of another type.
        (Family::Text, Family::Text)
            if [a, b].iter().all(|ty| matches!(ty, Type::Text | Type::Char | Type::Dynamic)) =>
        {
            Some(Some(Type::Text))
        }
        _ => None,
    }
}
