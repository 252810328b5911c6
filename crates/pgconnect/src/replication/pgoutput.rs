//! The messages of the output plugin `pgoutput`, protocol version 1 (PostgreSQL's manual, "Logical
//! Replication Message Formats"). Pure: bytes in, borrowed values out.

use std::str;

use smallvec::SmallVec;

/// A message.
#[expect(clippy::large_enum_variant, reason = "most messages are changes of rows")]
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'m> {
    /// A transaction begins.
    Begin {
        /// The low 32 bits of its number.
        xid: u32,
    },
    /// A transaction is committed.
    Commit {
        /// The position of the log behind it.
        end: u64,
    },
    /// The description of a relation, before its first change and after it has been altered.
    Relation(RelationDescription<'m>),
    /// A row was inserted.
    Insert {
        /// The relation.
        relation: u32,
        /// The row.
        new: Tuple<'m>,
    },
    /// A row was updated.
    Update {
        /// The relation.
        relation: u32,
        /// The row as it was, if the server logs it and needs to.
        old: Option<Old<'m>>,
        /// The row as it is.
        new: Tuple<'m>,
    },
    /// A row was deleted.
    Delete {
        /// The relation.
        relation: u32,
        /// The row as it was.
        old: Old<'m>,
    },
    /// Relations were emptied.
    Truncate {
        /// The relations.
        relations: Vec<u32>,
    },
    /// A message that says nothing about rows: an origin, a type, an application's message.
    Other,
}

/// A row as it was before a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Old<'m> {
    /// Only the columns of the replica identity have values.
    Key(Tuple<'m>),
    /// All columns (`REPLICA IDENTITY FULL`).
    Whole(Tuple<'m>),
}

/// The description of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationDescription<'m> {
    /// Its number in the catalog.
    pub id: u32,
    /// Its schema; empty for `pg_catalog`.
    pub schema: &'m str,
    /// Its name.
    pub name: &'m str,
    /// Its columns.
    pub columns: Vec<DescribedColumn<'m>>,
}

/// A column in the description of a relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescribedColumn<'m> {
    /// Its name.
    pub name: &'m str,
    /// Whether it is part of the replica identity.
    pub is_key: bool,
}

/// The values of a row, in the order of the described columns.
pub type Tuple<'m> = SmallVec<[Field<'m>; 16]>;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field<'m> {
    /// NULL, or not part of the replica identity.
    Null,
    /// A large value that the change left as it was, and that was not logged.
    Unchanged,
    /// The text of a value.
    Text(&'m str),
}

/// The message is none of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedMessage;

/// Reads a message.
///
/// # Errors
/// [`MalformedMessage`] for any other bytes.
pub fn parse(bytes: &[u8]) -> Result<Message<'_>, MalformedMessage> {
    let mut input = Input(bytes);
    let message = match input.byte()? {
        b'B' => {
            // The position and the time of its commit come first.
            input.take(8 + 8)?;
            Message::Begin { xid: input.u32()? }
        }
        b'C' => {
            // Flags and the position of the commit itself come first, its time follows.
            input.take(1 + 8)?;
            let end = input.u64()?;
            input.take(8)?;
            Message::Commit { end }
        }
        b'R' => Message::Relation(input.described()?),
        b'I' => {
            let relation = input.u32()?;
            input.expect(b'N')?;
            Message::Insert { relation, new: input.tuple()? }
        }
        b'U' => {
            let relation = input.u32()?;
            let kind = input.byte()?;
            let old = if kind == b'N' { None } else { Some(input.old(kind)?) };
            if old.is_some() {
                input.expect(b'N')?;
            }
            Message::Update { relation, old, new: input.tuple()? }
        }
        b'D' => {
            let (relation, kind) = (input.u32()?, input.byte()?);
            Message::Delete { relation, old: input.old(kind)? }
        }
        b'T' => {
            let count = input.u32()?;
            input.byte()?;
            let relations = (0..count).map(|_| input.u32());
            Message::Truncate { relations: relations.collect::<Result<_, _>>()? }
        }
        b'O' | b'Y' | b'M' => return Ok(Message::Other),
        _ => return Err(MalformedMessage),
    };
    if input.0.is_empty() { Ok(message) } else { Err(MalformedMessage) }
}

/// The rest of a message.
struct Input<'m>(&'m [u8]);

impl<'m> Input<'m> {
    fn take(&mut self, count: usize) -> Result<&'m [u8], MalformedMessage> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(MalformedMessage)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], MalformedMessage> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(MalformedMessage)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, MalformedMessage> {
        self.array().map(|[byte]| byte)
    }

    fn expect(&mut self, byte: u8) -> Result<(), MalformedMessage> {
        if self.byte()? == byte { Ok(()) } else { Err(MalformedMessage) }
    }

    fn u16(&mut self) -> Result<u16, MalformedMessage> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32, MalformedMessage> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, MalformedMessage> {
        self.array().map(u64::from_be_bytes)
    }

    /// A text that ends with 0.
    fn text(&mut self) -> Result<&'m str, MalformedMessage> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(MalformedMessage)?;
        let text = str::from_utf8(&self.0[..end]).map_err(|_| MalformedMessage)?;
        self.0 = &self.0[end + 1..];
        Ok(text)
    }

    fn described(&mut self) -> Result<RelationDescription<'m>, MalformedMessage> {
        let (id, schema, name) = (self.u32()?, self.text()?, self.text()?);
        // The kind of replica identity: which columns it has is said for each.
        self.byte()?;
        let columns = (0..self.u16()?).map(|_| {
            let is_key = self.byte()? & 1 != 0;
            let name = self.text()?;
            // The type's number and its modifier.
            self.take(4 + 4)?;
            Ok(DescribedColumn { name, is_key })
        });
        Ok(RelationDescription { id, schema, name, columns: columns.collect::<Result<_, _>>()? })
    }

    fn old(&mut self, kind: u8) -> Result<Old<'m>, MalformedMessage> {
        match kind {
            b'K' => self.tuple().map(Old::Key),
            b'O' => self.tuple().map(Old::Whole),
            _ => Err(MalformedMessage),
        }
    }

    fn tuple(&mut self) -> Result<Tuple<'m>, MalformedMessage> {
        let mut fields = Tuple::new();
        for _ in 0..self.u16()? {
            fields.push(match self.byte()? {
                b'n' => Field::Null,
                b'u' => Field::Unchanged,
                b't' => {
                    let length = usize::try_from(self.u32()?).map_err(|_| MalformedMessage)?;
                    let text = self.take(length)?;
                    Field::Text(str::from_utf8(text).map_err(|_| MalformedMessage)?)
                }
                _ => return Err(MalformedMessage),
            });
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use smallvec::smallvec;

    use super::*;

    fn text(value: &str) -> Vec<u8> {
        let length = u32::try_from(value.len()).unwrap().to_be_bytes();
        [&b"t"[..], &length, value.as_bytes()].concat()
    }

    /// One of each kind, with what it means.
    fn messages() -> Vec<(Vec<u8>, Message<'static>)> {
        let id = 7_u32.to_be_bytes();
        let tuple = [&[0, 3][..], &text("12"), b"n", b"u"].concat();
        let meant: Tuple<'_> = smallvec![Field::Text("12"), Field::Null, Field::Unchanged];
        let relation = [
            &b"R"[..],
            &id,
            b"public\0team\0d",
            &[0, 2],
            &[1],
            b"id\0",
            &[0; 8],
            &[0],
            b"name\0",
            &[0; 8],
        ];
        let end = 0x0123_4567_89ab_cdef_u64;
        let described = RelationDescription {
            id: 7,
            schema: "public",
            name: "team",
            columns: vec![
                DescribedColumn { name: "id", is_key: true },
                DescribedColumn { name: "name", is_key: false },
            ],
        };
        let new = || meant.clone();
        vec![
            ([&b"B"[..], &[0; 16], &7u32.to_be_bytes()].concat(), Message::Begin { xid: 7 }),
            ([&b"C"[..], &[0; 9], &end.to_be_bytes(), &[0; 8]].concat(), Message::Commit { end }),
            (relation.concat(), Message::Relation(described)),
            ([&b"I"[..], &id, b"N", &tuple].concat(), Message::Insert { relation: 7, new: new() }),
            (
                [&b"U"[..], &id, b"N", &tuple].concat(),
                Message::Update { relation: 7, old: None, new: new() },
            ),
            (
                [&b"U"[..], &id, b"K", &tuple, b"N", &tuple].concat(),
                Message::Update { relation: 7, old: Some(Old::Key(new())), new: new() },
            ),
            (
                [&b"U"[..], &id, b"O", &tuple, b"N", &tuple].concat(),
                Message::Update { relation: 7, old: Some(Old::Whole(new())), new: new() },
            ),
            (
                [&b"D"[..], &id, b"K", &tuple].concat(),
                Message::Delete { relation: 7, old: Old::Key(new()) },
            ),
            (
                [&b"T"[..], &[0, 0, 0, 2, 3], &id, &id].concat(),
                Message::Truncate { relations: vec![7, 7] },
            ),
        ]
    }

    #[test]
    fn every_message_is_read_and_no_part_of_one_is() {
        for (bytes, meant) in messages() {
            let bytes: &'static [u8] = bytes.leak();
            assert_eq!(parse(bytes), Ok(meant));
            for cut in 0..bytes.len() {
                assert_eq!(parse(&bytes[..cut]), Err(MalformedMessage), "{cut} of {bytes:?}");
            }
            assert_eq!(parse(&[bytes, &[0]].concat()), Err(MalformedMessage));
        }
        assert_eq!(parse(b"Ysomething"), Ok(Message::Other));
        assert_eq!(parse(b"?"), Err(MalformedMessage));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(at in 0..9_usize, cut: u16, changes: Vec<(u16, u8)>) {
            let (mut bytes, _) = messages().swap_remove(at);
            bytes.truncate(usize::from(cut) % (bytes.len() + 1));
            for (at, byte) in changes {
                if !bytes.is_empty() {
                    let at = usize::from(at) % bytes.len();
                    bytes[at] = byte;
                }
            }
            let _ = parse(&bytes);
        }
    }
}
