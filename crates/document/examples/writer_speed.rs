//! The compiled writer against hand-written code for the same document: a root of three columns,
//! an array of two elements of three, etag, snapshot and links. Prints nanoseconds per document of
//! each and the ratio of the speeds, from alternating rounds.
#![expect(clippy::print_stdout, reason = "it prints its result")]
#![expect(clippy::unwrap_used, reason = "no column of it is a flex column")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use duet_document::{Datum, EtagKey, FetchedRows, Links, Program, RowSet, write_string};
use duet_model::catalog::{Relation, RelationKind};
use duet_model::{
    Cardinality, Column, ColumnMember, Link, Member, MemberKind, Node, Operations, ReadPlan, Shape,
    Type,
};

const DOCUMENTS: usize = 200_000;
const ROUNDS: usize = 9;
const LINKS: Links<'_> = Links {
    plain: false,
    collection: "http://localhost:8080/ords/hr/parent_dv/",
    described_by: "http://localhost:8080/ords/hr/metadata-catalog/parent_dv/",
    writable: false,
};

fn main() {
    let plan = ReadPlan::by_keys(Arc::new(shape()));
    let program = Program::compile(&plan, "parent_dv");
    let fetched = fetched(&plan);
    let key = EtagKey::new("parent_dv");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    program.write_item(&fetched, 0, &LINKS, &mut ours).unwrap();
    by_hand(&fetched, &key, &mut theirs);
    assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let compiled = time(|out| {
            black_box(program.write_item(&fetched, 0, &LINKS, out).unwrap());
        });
        let hand = time(|out| by_hand(&fetched, &key, out));
        ratios.push((hand / compiled, compiled, hand));
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, compiled, hand) = ratios[ROUNDS / 2];
    println!("compiled {compiled:.0} ns, by hand {hand:.0} ns, speed {ratio:.2} of hand-written");
}

fn time(mut write: impl FnMut(&mut Vec<u8>)) -> f64 {
    let begun = Instant::now();
    for _ in 0..DOCUMENTS {
        let mut out = Vec::with_capacity(512);
        write(&mut out);
        black_box(&out);
    }
    begun.elapsed().as_secs_f64() * 1e9 / f64::from(u32::try_from(DOCUMENTS).unwrap_or(1))
}

fn table(name: &str) -> Arc<Relation> {
    let integer = Type::Integer { bits: 32 };
    let mut columns = vec![
        Column::new(format!("{name}_id"), integer.clone()),
        Column::new("name", Type::Text),
        Column::new("points", integer.clone()),
    ];
    if name == "child" {
        columns.push(Column::new("parent_id", integer));
    }
    Arc::new(Relation {
        schema: "main".into(),
        name: name.into(),
        alias: None,
        kind: RelationKind::Table,
        columns,
        primary_key: vec![0],
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
        comment: None,
        estimated_rows: None,
        batchable: false,
        plain: false,
        links: Vec::new(),
        effects: duet_model::catalog::Effects::default(),
        query: None,
        withheld: duet_model::catalog::Withheld::default(),
        placement: duet_model::catalog::Placement::default(),
    })
}

fn node(name: &str, link: Option<Link>, members: Vec<Member>) -> Node {
    let operations = Operations::default();
    Node {
        table: table(name),
        link,
        members,
        filter: None,
        check_option: false,
        operations,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
    }
}

fn shape() -> Shape {
    let column = |name: &str, column| Member {
        name: name.into(),
        kind: MemberKind::Column(ColumnMember::read_only(column)),
    };
    let mut root = vec![column("_id", 0), column("name", 1), column("points", 2)];
    root.push(Member { name: "child".into(), kind: MemberKind::Array(1) });
    let child = vec![column("childId", 0), column("name", 1), column("points", 2)];
    let link = Link {
        parent: 0,
        parent_columns: vec![0],
        child_columns: vec![3],
        cardinality: Cardinality::Many,
    };
    let nodes = vec![node("parent", None, root), node("child", Some(link), child)];
    Shape {
        name: "parent_dv".into(),
        nodes,
        key: vec![0],
        metadata: true,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    }
}

fn fetched(plan: &ReadPlan) -> FetchedRows {
    let fill = |level: usize, rows: &[[Datum<'_>; 4]]| {
        let mut set = RowSet::new(plan.levels[level].columns.len());
        for row in rows {
            row.iter().take(set.width()).for_each(|cell| set.push(*cell));
        }
        set
    };
    let text = |text: &'static str| Datum::Text(text.as_bytes());
    let roots = fill(0, &[[Datum::Int(7), text("Mercedes"), Datum::Int(40), Datum::Int(99)]]);
    let children = fill(
        1,
        &[
            [Datum::Int(7), Datum::Int(103), text("Charles Leclerc"), Datum::Int(25)],
            [Datum::Int(7), Datum::Int(106), text("Lewis Hamilton"), Datum::Int(15)],
        ],
    );
    FetchedRows::assemble(plan, vec![roots, children], 0, |_, _, _| Some(0))
}

/// A writer for this document alone.
fn by_hand(fetched: &FetchedRows, key: &EtagKey, out: &mut Vec<u8>) {
    let int = |cell: Datum<'_>, out: &mut Vec<u8>| match cell {
        Datum::Int(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        _ => out.extend_from_slice(b"null"),
    };
    let string = |cell: Datum<'_>, out: &mut Vec<u8>| match cell {
        Datum::Text(text) => write_string(text, out),
        _ => out.extend_from_slice(b"null"),
    };
    let root = &fetched.levels[0].rows;
    let start = out.len();
    out.extend_from_slice(b"{\"_id\":");
    int(root.get(0, 0), out);
    out.extend_from_slice(b",\"name\":");
    string(root.get(0, 1), out);
    out.extend_from_slice(b",\"points\":");
    int(root.get(0, 2), out);
    out.extend_from_slice(b",\"child\":[");
    let children = &fetched.levels[1].rows;
    for row in 0..children.len() {
        out.extend_from_slice(if row == 0 { b"{\"childId\":" } else { b",{\"childId\":" });
        int(children.get(row, 1), out);
        out.extend_from_slice(b",\"name\":");
        string(children.get(row, 2), out);
        out.extend_from_slice(b",\"points\":");
        int(children.get(row, 3), out);
        out.push(b'}');
    }
    out.push(b']');
    let etag = key.etag(&out[start..]);
    out.extend_from_slice(b",\"_metadata\":{\"etag\":\"");
    out.extend_from_slice(&etag.digits());
    out.extend_from_slice(b"\",\"asof\":\"");
    let Datum::Int(as_of) = root.get(0, 3) else { return };
    out.extend_from_slice(format!("{as_of:016X}").as_bytes());
    out.extend_from_slice(b"\"},\"links\":[{\"rel\":\"self\",\"href\":\"");
    out.extend_from_slice(LINKS.collection.as_bytes());
    int(root.get(0, 0), out);
    out.extend_from_slice(b"\"},{\"rel\":\"describedby\",\"href\":\"");
    out.extend_from_slice(LINKS.described_by.as_bytes());
    out.extend_from_slice(b"item\"},{\"rel\":\"collection\",\"href\":\"");
    out.extend_from_slice(LINKS.collection.as_bytes());
    out.extend_from_slice(b"\"}]}");
}
