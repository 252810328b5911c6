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

/// Each value is a letter for its kind and its content, with its length where that varies. Whole numbers, which
/// most keys are, have one byte for kind and length.
fn write(value: &Value, out: &mut SmallVec<[u8; 32]>) {
    let mut long = |kind: u8, content: &[u8]| {
        out.push(kind);
        out.extend_from_slice(&(content.len() as u64).to_le_bytes()[..5]);
        out.extend_from_slice(content);
    };
    match value {
        Value::Text(text) => long(b't', text.as_bytes()),
        Value::RawText(text) => long(b't', text),
        Value::Bytes(bytes) => long(b'x', bytes),
        Value::Null => out.push(b'n'),
        Value::Bool(value) => out.extend_from_slice(&[b'b', u8::from(*value)]),
        Value::Int(value) => {
            let bytes = value.to_be_bytes();
            let length = whole_bytes(*value);
            out.push(length.to_le_bytes()[0]);
            out.extend_from_slice(&bytes[bytes.len() - length..]);
        }
        Value::Float(value) => {
            out.push(b'f');
            out.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }
}

/// The fewest bytes that a whole number has in two's complement, from 0 to 8.
fn whole_bytes(value: i64) -> usize {
    let unsigned = (value ^ (value >> 63)).unsigned_abs();
    let bits = u64::BITS - unsigned.leading_zeros();
    if value == 0 { 0 } else { bits as usize / 8 + 1 }
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
            (0..63_u32, any::<bool>(), -1..2_i64).prop_map(|(bits, negative, beside)| {
                let power = (1_i64 << bits) + beside;
                Value::Int(if negative { -power } else { power })
            }),
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

    #[test]
    fn whole_numbers_are_short() {
        let length = |value| KeyBytes::of(&[Value::Int(value)]).bytes().len();
        let ends = [0, 127, -128, 128, -129, 32_767, 32_768, i64::MAX, i64::MIN];
        assert_eq!(ends.map(length), [1, 2, 2, 3, 3, 3, 4, 9, 9]);
    }
}
