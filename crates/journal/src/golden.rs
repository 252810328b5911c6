//! The format does not change by accident: a segment is written byte for byte as it was, and that of an
//! earlier build is read.

use std::path::Path;

use duet_model::Value;

use crate::entry::{Entry, RowGroup};
use crate::format::{Header, Id, RecordRows, Seal, write_record};
use crate::scan::{End, scan};

/// The id of the journal: the bytes 0 to 15.
const ID: Id = Id([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

fn entries() -> [Entry; 2] {
    let text = |text: &str| Value::Text(text.to_owned());
    let entry = |groups| Entry {
        resource: "/ords/lab/reading".to_owned(),
        schema: "main".to_owned(),
        table: "reading".to_owned(),
        caller: "probe".to_owned(),
        accepted_at: 1_750_000_000_000,
        groups,
    };
    let group = |columns: &[&str], rows: Vec<Vec<Value>>| RowGroup {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        rows,
    };
    let all = vec![
        vec![Value::Int(1), text("a°"), Value::Float(-0.5)],
        vec![Value::Int(-2), Value::Null, Value::Bytes(vec![0, 255])],
    ];
    let one = vec![vec![Value::Bool(true), Value::Bool(false)]];
    [
        entry(vec![group(&["id", "sensor", "value"], all), group(&["ok", "late"], one)]),
        entry(vec![group(&["id"], vec![vec![Value::Int(i64::MIN)]])]),
    ]
}

/// The segment: two records in groups of their own, and a seal.
fn segment() -> Vec<u8> {
    let mut bytes = Header { id: ID, first: 5, generation: 2, previous: 4 }.bytes().to_vec();
    let mut seal = Seal::default();
    let [first, second] = entries();
    seal.add(write_record(
        &mut bytes,
        ID,
        RecordRows { first: 5, count: 3, synced: 4 },
        &first.encode(),
    ));
    seal.add(write_record(
        &mut bytes,
        ID,
        RecordRows { first: 8, count: 1, synced: 7 },
        &second.encode(),
    ));
    seal.write(&mut bytes, ID, 8);
    bytes
}

#[test]
fn a_segment_is_what_it_was() {
    let name = "../../golden/journal/00000000000000000005-0000000002.segment";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, segment()).unwrap();
    }
    let golden = std::fs::read(&path).unwrap();
    assert!(golden == segment(), "the format has changed: give it another version");
    let found = scan(&golden);
    assert_eq!((found.end.clone(), found.last(), found.previous), (End::Sealed, 8, 4));
    let read: Vec<_> = found.records.iter().map(|it| Entry::decode(it.payload).unwrap()).collect();
    assert_eq!(read, entries());
}
