//! The values of a key as bytes: equal exactly where the values are.

use duet_model::Value;
use smallvec::SmallVec;

/// A key. Short ones are kept without an allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyBytes(SmallVec<[u8; 32]>);

impl KeyBytes {
    /// The key of these values.
    pub fn of(values: &[Value]) -> Self {
        let mut bytes = SmallVec::new();
        values.iter().for_each(|value| write(value, &mut bytes));
        Self(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Each value is a letter for its kind and its content, with its length where that varies.
fn write(value: &Value, out: &mut SmallVec<[u8; 32]>) {
    let mut long = |kind: u8, content: &[u8]| {
        out.push(kind);
        out.extend_from_slice(&(content.len() as u64).to_le_bytes()[..5]);
        out.extend_from_slice(content);
    };
    match value {
        Value::Text(text) => long(b't', text.as_bytes()),
        Value::Bytes(bytes) => long(b'x', bytes),
        Value::Null => out.push(b'n'),
        Value::Bool(value) => out.extend_from_slice(&[b'b', u8::from(*value)]),
        Value::Int(value) => {
            out.push(b'i');
            out.extend_from_slice(&value.to_le_bytes());
        }
        Value::Float(value) => {
            out.push(b'f');
            out.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Vec<Value>> {
        let text = prop_oneof![Just(String::new()), "[ab]{1,3}", "i.{8}"];
        let value = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-2_i64..3).prop_map(Value::Int),
            text.prop_map(Value::Text),
            prop::collection::vec(97_u8..99, 0..3).prop_map(Value::Bytes),
        ];
        prop::collection::vec(value, 1..4)
    }

    proptest! {
        #[test]
        fn different_keys_have_different_bytes(one in values(), other in values()) {
            prop_assert_eq!(KeyBytes::of(&one) == KeyBytes::of(&other), one == other);
        }
    }
}
