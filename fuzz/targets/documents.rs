//! Feeds arbitrary bytes to the intake of JSON. Run with `cargo +nightly fuzz run documents`.
//!
//! Checked: no panic; however the bytes are cut into chunks, the rows, the refusals and the fault are the same; every
//! row that was read is either kept or refused; a refusal says something. The first byte is the length of the chunks,
//! the second the layout.
#![no_main]

use std::sync::{Arc, LazyLock};

use duet_document::bulk::{Fault, Gather, Intake, Layout, IntakeLimits, LoadTable, RowFormat};
use duet_model::catalog::Relation;
use duet_model::{Column, ColumnMember, Member, MemberKind, Node, Operations, Shape, Type};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Arc<LoadTable>> = LazyLock::new(|| Arc::new(target()));

fuzz_target!(|bytes: &[u8]| {
    let [size, layout, body @ ..] = bytes else { return };
    let layout = if layout % 2 == 0 { Layout::Lines } else { Layout::Array };
    let whole = read(layout, [body]);
    assert_eq!(read(layout, body.chunks(usize::from(*size).max(1))), whole);
});

fn read<'c>(
    layout: Layout,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> (Vec<String>, Option<Fault>) {
    let limits = IntakeLimits { record_bytes: 1 << 14, batch_rows: 7, ..IntakeLimits::default() };
    let mut intake = Intake::new(RowFormat::Json(layout), Arc::clone(&TARGET), limits);
    let mut found = Vec::new();
    for mut chunk in chunks {
        loop {
            match intake.feed(&mut chunk) {
                Ok(true) => take(&mut intake, &mut found),
                Ok(false) => break,
                Err(fault) => return (found, Some(fault)),
            }
        }
    }
    let fault = intake.finish().err();
    take(&mut intake, &mut found);
    (found, fault)
}

fn take(intake: &mut Intake, found: &mut Vec<String>) {
    let batch = intake.take();
    let rows: usize = batch.rows.iter().map(|group| group.places.len()).sum();
    assert_eq!(rows + batch.refused.len(), usize::try_from(batch.read).unwrap_or(0));
    assert!(batch.refused.iter().all(|refused| !refused.message.is_empty()));
    found.push(format!("{batch:?}"));
}

fn target() -> LoadTable {
    let types = [
        ("id", Type::Integer { bits: 32 }),
        ("a", Type::Text),
        ("b", Type::Decimal { scale: None }),
        ("c", Type::Json),
        ("d", Type::TimestampTz),
        ("e", Type::Array(Box::new(Type::Text))),
        ("f", Type::Float { bits: 32 }),
        ("g", Type::Binary),
        ("h", Type::Boolean),
    ];
    let columns: Vec<Column> = types.into_iter().map(|(name, ty)| Column::new(name, ty)).collect();
    let member = |(index, column): (usize, &Column)| Member {
        name: column.name.clone(),
        kind: MemberKind::Column(ColumnMember::read_only(index)),
    };
    let node = Node {
        members: columns.iter().enumerate().map(member).collect(),
        table: Arc::new(Relation::table("main", "t", columns)),
        link: None,
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        operations: Operations::default(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
    };
    let shape = Shape {
        name: "t".to_owned(),
        nodes: vec![node],
        key: vec![0],
        metadata: false,
        style: duet_model::DocumentStyle::default(),
        rules: Vec::new(),
        notice: None,
    };
    LoadTable::new(&shape, &[0])
}
