//! The payload of a record: rows of one resource, as a request gave them.

use duet_model::Value;

/// The version of the payload.
const VERSION: u64 = 1;

/// Rows of one resource, with what is needed to insert them later.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The path of the resource, such as `/ords/hr/team`.
    pub resource: String,
    /// The schema of its table.
    pub schema: String,
    /// Its table.
    pub table: String,
    /// Who sent the rows.
    pub caller: String,
    /// When they came, in milliseconds since 1970.
    pub accepted_at: u64,
    /// The rows in their order, those with the same columns together.
    pub groups: Vec<RowGroup>,
}

/// Rows with values of the same columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowGroup {
    /// The columns, as the database names them.
    pub columns: Vec<String>,
    /// The values of each row, in the order of the columns.
    pub rows: Vec<Vec<Value>>,
}

impl Entry {
    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows.len() as u64).sum()
    }

    /// The entry as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        write_number(&mut out, VERSION);
        for text in [&self.resource, &self.schema, &self.table, &self.caller] {
            write_bytes(&mut out, text.as_bytes());
        }
        write_number(&mut out, self.accepted_at);
        write_number(&mut out, self.groups.len() as u64);
        for group in &self.groups {
            write_number(&mut out, group.columns.len() as u64);
            group.columns.iter().for_each(|name| write_bytes(&mut out, name.as_bytes()));
            write_number(&mut out, group.rows.len() as u64);
            group.rows.iter().flatten().for_each(|value| write_value(&mut out, value));
        }
        out
    }

    /// The entry of bytes; `None` where they are none.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        if reader.number()? != VERSION {
            return None;
        }
        let mut entry = Self {
            resource: reader.text()?,
            schema: reader.text()?,
            table: reader.text()?,
            caller: reader.text()?,
            accepted_at: reader.number()?,
            groups: Vec::new(),
        };
        for _ in 0..reader.number()? {
            let columns = reader.count()?;
            let columns: Vec<String> =
                (0..columns).map(|_| reader.text()).collect::<Option<_>>()?;
            let mut rows = Vec::new();
            let count = reader.number()?;
            // A row without columns takes no bytes: no more of them than a request could have.
            if columns.is_empty() && count > bytes.len() as u64 {
                return None;
            }
            for _ in 0..count {
                rows.push(columns.iter().map(|_| reader.value()).collect::<Option<_>>()?);
            }
            entry.groups.push(RowGroup { columns, rows });
        }
        reader.0.is_empty().then_some(entry)
    }
}

/// Kinds of values.
mod kind {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const TEXT: u8 = 5;
    pub(super) const BYTES: u8 = 6;
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(kind::NULL),
        Value::Bool(false) => out.push(kind::FALSE),
        Value::Bool(true) => out.push(kind::TRUE),
        Value::Int(value) => {
            out.push(kind::INT);
            // Small numbers of either sign become small.
            write_number(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
        }
        Value::Float(value) => {
            out.push(kind::FLOAT);
            out.extend_from_slice(&value.to_bits().to_le_bytes());
        }
        Value::Text(value) => {
            out.push(kind::TEXT);
            write_bytes(out, value.as_bytes());
        }
        // Bodies of requests, from which entries are made, are UTF-8.
        Value::Bytes(value) | Value::RawText(value) => {
            out.push(kind::BYTES);
            write_bytes(out, value);
        }
    }
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Seven bits a byte, the lowest first; all bytes but the last have the highest bit.
fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            // One way to write each number: no bits beyond 64, and no zeros in front.
            if (part << shift) >> shift != part || (byte == 0 && shift > 0) {
                return None;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of things of which each takes a byte at least.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len())
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.count()?;
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        std::str::from_utf8(self.bytes()?).ok().map(str::to_owned)
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.byte()? {
            kind::NULL => Value::Null,
            kind::FALSE => Value::Bool(false),
            kind::TRUE => Value::Bool(true),
            kind::INT => {
                let number = self.number()?;
                Value::Int((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
            }
            kind::FLOAT => {
                let (bits, rest) = self.0.split_first_chunk()?;
                self.0 = rest;
                Value::Float(f64::from_bits(u64::from_le_bytes(*bits)))
            }
            kind::TEXT => Value::Text(self.text()?),
            kind::BYTES => Value::Bytes(self.bytes()?.to_vec()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_filter("equal to itself", |it| !it.is_nan()).prop_map(Value::Float),
            ".{0,12}".prop_map(Value::Text),
            prop::collection::vec(any::<u8>(), 0..12).prop_map(Value::Bytes),
        ]
    }

    fn group() -> impl Strategy<Value = RowGroup> {
        prop::collection::vec("[a-z]{1,8}", 0..5).prop_flat_map(|columns| {
            let row = prop::collection::vec(value(), columns.len());
            prop::collection::vec(row, 1..6)
                .prop_map(move |rows| RowGroup { columns: columns.clone(), rows })
        })
    }

    fn entry() -> impl Strategy<Value = Entry> {
        let names = (".{0,9}", ".{0,9}", ".{0,9}", ".{0,9}");
        (names, any::<u64>(), prop::collection::vec(group(), 0..4)).prop_map(
            |((resource, schema, table, caller), accepted_at, groups)| Entry {
                resource,
                schema,
                table,
                caller,
                accepted_at,
                groups,
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(entry in entry()) {
            prop_assert_eq!(Entry::decode(&entry.encode()), Some(entry));
        }

        #[test]
        fn other_bytes_are_no_entry_or_the_entry_of_these_bytes(
            entry in entry(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = entry.encode();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Some(read) = Entry::decode(&bytes) {
                prop_assert_eq!(read.encode(), bytes);
            }
        }
    }
}
