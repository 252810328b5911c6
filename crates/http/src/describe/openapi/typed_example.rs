//! An example of a value of each type.

use duet_model::Type;
use duet_text::name;
use serde_json::{Value, json};

/// A value of a type.
pub(super) fn value(ty: &Type) -> Value {
    match ty {
        Type::Boolean => json!(true),
        Type::Integer { .. } => json!(1),
        Type::Decimal { scale: Some(0) } => json!(12),
        Type::Decimal { .. } | Type::Float { .. } => json!(12.5),
        Type::Text | Type::Char | Type::Native(_) | Type::Pair(_) | Type::Dynamic | Type::Other => {
            json!("text")
        }
        Type::Binary => json!("Ynl0ZXM="),
        Type::Uuid => json!("6f2c1d1e-5a0b-4c3d-9e8f-0123456789ab"),
        Type::Date => json!("2022-03-20"),
        Type::Time => json!("01:37:33.584"),
        Type::TimeTz => json!("01:37:33.584Z"),
        Type::Timestamp => json!("2022-03-20T00:00:00"),
        Type::TimestampTz => json!("2022-03-20T00:00:00Z"),
        Type::Interval => json!("P1DT8H"),
        Type::Formatted(form) => json!(form.example),
        Type::Json => json!({}),
        Type::Array(inner) => json!([value(inner)]),
        Type::Composite(attributes) => Value::Object(
            attributes.iter().map(|one| (name::served(&one.name), value(&one.ty))).collect(),
        ),
        Type::Enum(labels) => json!(labels.first().map_or("text", String::as_str)),
    }
}
