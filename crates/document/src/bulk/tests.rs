//! Tests of complete intakes: bytes in, batches out.

use std::sync::Arc;

use duet_model::catalog::{GeneratedValue, Relation, RelationKind};
use duet_model::{Code, Column, ColumnMember, Member, MemberKind, Node, Operations, Shape, Type};
use proptest::prelude::*;

use super::*;
use crate::cells::rows::Datum;

/// `t(id identity, name not null, n integer, at date, sum computed)`.
fn target(key: &[usize]) -> Arc<LoadTable> {
    let mut columns = vec![
        Column::new("id", Type::Integer { bits: 64 }),
        Column::new("name", Type::Text),
        Column::new("n", Type::Integer { bits: 32 }),
        Column::new("at", Type::Date),
        Column::new("sum", Type::Integer { bits: 32 }),
    ];
    columns[0].not_null = true;
    columns[0].generated = GeneratedValue::Identity;
    columns[1].not_null = true;
    columns[4].generated = GeneratedValue::Computed;
    let member = |(index, column): (usize, &Column)| Member {
        name: column.name.clone(),
        kind: MemberKind::Column(ColumnMember::read_only(index)),
    };
    let node = Node {
        members: columns.iter().enumerate().map(member).collect(),
        table: Arc::new(Relation {
            schema: "main".into(),
            name: "t".into(),
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
        }),
        link: None,
        filter: None,
        check_option: false,
        aggregates: Vec::new(),
        derived: Vec::new(),
        elements: duet_model::shape::Elements::default(),
        operations: Operations::default(),
    };
    let shape = Shape {
        name: "t".into(),
        nodes: vec![node],
        key: vec![0],
        metadata: false,
        rules: Vec::new(),
        notice: None,
        style: duet_model::DocumentStyle::default(),
    };
    Arc::new(LoadTable::new(&shape, key))
}

fn csv() -> RowFormat {
    RowFormat::Csv(CsvForm::default(), Masks::default())
}

/// What came of a body, a line each: groups with their rows, refusals, the fault.
fn load<'c>(
    form: RowFormat,
    key: &[usize],
    limits: IntakeLimits,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> Vec<String> {
    let mut intake = Intake::new(form, target(key), limits);
    let mut out = Vec::new();
    let mut fault = None;
    'all: for mut chunk in chunks {
        loop {
            match intake.feed(&mut chunk) {
                Ok(true) => show(&intake.take(), &mut out),
                Ok(false) => break,
                Err(found) => {
                    fault = Some(found);
                    break 'all;
                }
            }
        }
    }
    if fault.is_none() {
        fault = intake.finish().err();
    }
    show(&intake.take(), &mut out);
    out.extend(
        fault.map(|fault| format!("{}: {}: {}", fault.line, fault.code.as_str(), fault.message)),
    );
    out
}

fn show(batch: &Batch, out: &mut Vec<String>) {
    for group in &batch.rows {
        assert_eq!(group.rows.len(), group.places.len());
        for (row, place) in group.places.iter().enumerate() {
            let cell = |column| match group.rows.get(row, column) {
                Datum::Null => "-".to_owned(),
                Datum::Int(value) => value.to_string(),
                Datum::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            };
            let cells: Vec<String> = (0..group.columns.len()).map(cell).collect();
            out.push(format!(
                "{}@{} {:?}={}",
                place.row,
                place.line,
                group.columns,
                cells.join("|")
            ));
        }
    }
    for refused in &batch.refused {
        let field = refused.field.as_deref().unwrap_or("");
        let (place, code) = (refused.place, refused.code.as_str());
        out.push(format!("{}@{} {field} {code} {}", place.row, place.line, refused.message));
    }
    out.push(format!("batch of {} up to {}", batch.read, batch.last.row));
}

fn whole(form: RowFormat, key: &[usize], body: &str) -> Vec<String> {
    load(form, key, IntakeLimits::default(), [body.as_bytes()])
}

#[test]
fn csv_rows() {
    let body = "Name,id,N,at\r\na,1,2,2022-03-20\r\n,2,,\r\n\"\",3,x,\r\nb,,\"\",\r\nc,,,2022\r\nd,5\r\ne,,,\r\n";
    assert_eq!(
        whole(csv(), &[], body),
        [
            "1@2 [0, 1, 2, 3]=1|a|2|2022-03-20",
            "7@8 [1, 2, 3]=e|-|-",
            "2@3 name DUET-7004 `name` is required. Give it a value.",
            "3@4 n DUET-7005 `n` is INTEGER and must be a whole number, not `x`.",
            "4@5 n DUET-7005 `n` is INTEGER and must be a whole number, not an empty text.",
            "5@6 at DUET-7005 `at` is DATE and must be a date such as 2022-03-20, without a time other than midnight UTC, not `2022`.",
            "6@7  DUET-7204 The line has 2 fields, the first line names 4 columns. Enclose fields that contain a delimiter or a line end.",
            "batch of 7 up to 7",
        ]
    );
}

#[test]
fn headers_that_do_not_fit() {
    let fault = |body: &str| whole(csv(), &[], body).pop().unwrap();
    assert_eq!(
        fault("nam,id\n"),
        "1: DUET-7202: The first line names `nam`, but there is no such column. Did you mean `name`? The first line does not name `name`, which is required."
    );
    assert_eq!(
        fault("id\n1\n"),
        "1: DUET-7202: The first line does not name `name`, which is required."
    );
    assert_eq!(fault("name,NAME\n"), "1: DUET-7202: The first line names `name` twice.");
    assert_eq!(
        fault("name,sum\n"),
        "1: DUET-7202: `sum` is computed by the database. Leave it out."
    );
    assert_eq!(
        fault("zzzzzz,sum,id,ID,qqqqqq,zzzzzz\n"),
        "1: DUET-7202: The first line names `zzzzzz`, but there is no such column. The columns are id, name, n, at, sum. \
         `sum` is computed by the database. Leave it out. \
         The first line names `id` twice. \
         The first line names `qqqqqq`, but there is no such column. The columns are id, name, n, at, sum. \
         The first line does not name `name`, which is required."
    );
    assert_eq!(fault(""), "1: DUET-7202: The CSV is empty. Its first line names the columns.");
}

#[test]
fn dates_by_mask() {
    let masks = Masks { date: Some(Mask::parse("DD.MM.YYYY").unwrap()), ..Masks::default() };
    let form = RowFormat::Csv(CsvForm { delimiter: b';', ..CsvForm::default() }, masks);
    assert_eq!(
        whole(form, &[], "name;at\na;20.3.2022\nb;31.2.2022\nc;2022-03-20\n"),
        [
            "1@2 [1, 3]=a|2022-03-20",
            "2@3 at DUET-7005 `at` is DATE and must be a date such as 2022-03-20, without a time other than midnight UTC, not `31.2.2022`.",
            "3@4 at DUET-7005 `at` is DATE and must be written as DD.MM.YYYY, not `2022-03-20`.",
            "batch of 3 up to 3",
        ]
    );
}

#[test]
fn objects_with_different_members() {
    let body = "{\"name\":\"a\",\"n\":1}\n{\"name\":\"b\"}\n{\"n\":3,\"NAME\":\"c\"}\n{\"name\":\"d\",\"m\":1}\n{\"n\":1}\n[]\n{\"name\":\"e\",\"sum\":1}\n{\"name\":}\n{\"id\":null,\"name\":\"f\",\"n\":null}";
    let expected = [
        "1@1 [1, 2]=a|1",
        "3@3 [1, 2]=c|3",
        "9@9 [1, 2]=f|-",
        "2@2 [1]=b",
        "4@4 m DUET-7003 There is no column `m`. Did you mean `n`?",
        "5@5 name DUET-7004 `name` is required. Give it a value.",
        "6@6  DUET-7001 A row must be an object, not an array.",
        "7@7 sum DUET-7111 `sum` is computed by the database. Leave it out.",
        "8@8  DUET-7001 The row is not JSON: `}` where a value should be.",
        "batch of 9 up to 9",
    ];
    assert_eq!(whole(RowFormat::Json(Layout::Lines), &[], body), expected);
    let array = format!("[{}]", body.replace('\n', ",\n"));
    assert_eq!(whole(RowFormat::Json(Layout::Array), &[], &array), expected);
}

#[test]
fn a_repeated_key_starts_a_new_batch() {
    let body = "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\",\"n\":1}\n{\"id\":1,\"name\":\"c\"}\n{\"id\":1,\"name\":\"d\",\"n\":2}\n{\"name\":\"e\"}";
    assert_eq!(
        whole(RowFormat::Json(Layout::Lines), &[0], body),
        [
            "1@1 [0, 1]=1|a",
            "2@2 [0, 1, 2]=2|b|1",
            "3@3 [0, 1]=1|c",
            "4@4 [0, 1, 2]=1|d|2",
            "5@5 [1]=e",
            "batch of 5 up to 5",
        ]
    );
}

#[test]
fn batches_are_bounded() {
    let limits = IntakeLimits { batch_rows: 2, ..IntakeLimits::default() };
    let batches = |limits, body: &str| {
        let lines = load(csv(), &[], limits, [body.as_bytes()]);
        lines.into_iter().filter(|line| line.starts_with("batch")).collect::<Vec<_>>()
    };
    let expected = ["batch of 2 up to 2", "batch of 2 up to 4", "batch of 1 up to 5"];
    assert_eq!(batches(limits, "name\na\nb\nc\nd\ne\n"), expected);
    let limits = IntakeLimits { batch_bytes: 1_000, ..IntakeLimits::default() };
    let long = format!("name\n{}", format!("{}\n", "x".repeat(600)).repeat(4));
    assert_eq!(
        batches(limits, &long),
        ["batch of 2 up to 2", "batch of 2 up to 4", "batch of 0 up to 0"]
    );
}

#[test]
fn each_error_has_its_code() {
    let fault = whole(RowFormat::Json(Layout::Array), &[], "[{\"name\":\"a\"},").pop().unwrap();
    assert!(fault.contains(Code::LoadSyntax.as_str()), "{fault}");
}

proptest! {
    #[test]
    fn chunks_do_not_matter(
        rows in prop::collection::vec("([ab1,\"\n]|\r\n|,2022-03-20|\"x\"){0,8}", 0..8),
        size in 1_usize..9,
        batch_rows in 1_usize..4,
    ) {
        let body = format!("name,n,at\n{}", rows.join("\n"));
        let limits = IntakeLimits { batch_rows, ..IntakeLimits::default() };
        let one = load(csv(), &[], limits, [body.as_bytes()]);
        prop_assert_eq!(load(csv(), &[], limits, body.as_bytes().chunks(size)), one);
    }

    #[test]
    fn chunks_of_json_do_not_matter(
        rows in prop::collection::vec("\\{(\"(name|n|id)\":(1|\"é\"|null|\\[\\]),?){0,3}\\}?", 0..8),
        size in 1_usize..9,
        batch_rows in 1_usize..4,
    ) {
        let limits = IntakeLimits { batch_rows, ..IntakeLimits::default() };
        for (layout, body) in
            [(Layout::Lines, rows.join("\n")), (Layout::Array, format!("[{}]", rows.join(",")))]
        {
            for key in [&[][..], &[0]] {
                let form = || RowFormat::Json(layout);
                let one = load(form(), key, limits, [body.as_bytes()]);
                prop_assert_eq!(load(form(), key, limits, body.as_bytes().chunks(size)), one);
            }
        }
    }
}
