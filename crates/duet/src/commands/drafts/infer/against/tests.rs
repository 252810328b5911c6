//! What a draft against tables costs: counts of comparisons at n and 2n tables and documents.

use std::path::PathBuf;

use duet_model::catalog::OnDelete;
use duet_model::{Column, ForeignKey, Relation, Type, steps};
use serde_json::json;

use super::*;

/// Tables in which each refers to the one before, and a view over each.
fn known(tables: usize) -> (Known, Vec<ViewFile>) {
    let relation = |number: usize| {
        let mut columns = vec![
            Column::new("id", Type::Integer { bits: 64 }),
            Column::new("name", Type::Text),
            Column::new("before_id", Type::Integer { bits: 64 }),
        ];
        columns[0].not_null = true;
        let mut relation = Relation::table("main", &format!("thing{number}"), columns);
        relation.primary_key = vec![0];
        relation.foreign_keys = (number > 0)
            .then(|| ForeignKey {
                name: "before".into(),
                columns: vec![2],
                references_schema: "main".into(),
                references_table: format!("thing{}", number - 1),
                references_columns: vec!["id".into()],
                on_delete: OnDelete::default(),
            })
            .into_iter()
            .collect();
        relation.into()
    };
    let mut relations: Vec<duet_model::catalog::TableRef> = (0..tables).map(relation).collect();
    relations.sort_by(|a, b| a.name.cmp(&b.name));
    let view = |number: usize| ViewFile {
        name: format!("{number}.graphql"),
        text: format!("view item{number} as thing{number} @insert @update @delete {{ id name }}"),
    };
    let catalog = duet_model::Catalog { relations, ..duet_model::Catalog::default() };
    (Known::of(&catalog, "main"), (0..tables).map(view).collect())
}

/// A collection for each view, and one whose documents have a row of each table.
fn collections(tables: usize, documents: usize) -> Vec<Collection> {
    let document = |number: usize, value: serde_json::Value| input::Document {
        place: format!("document {number}"),
        members: value.as_object().cloned().unwrap_or_default(),
    };
    let of_view = |number: usize| Collection {
        name: format!("item{number}"),
        documents: (0..documents)
            .map(|at| document(at, json!({"id": at, "name": "a", "grams": at})))
            .collect(),
    };
    let mut all: Vec<Collection> = (0..tables).map(of_view).collect();
    let row = |at: usize| {
        let mut members = serde_json::Map::new();
        members.insert("id".into(), json!(at));
        for number in 0..tables {
            members.insert(format!("thing{number}"), json!({"id": at, "name": "a"}));
        }
        document(at, members.into())
    };
    all.push(Collection { name: "wholes".into(), documents: (0..documents).map(row).collect() });
    all
}

/// The comparisons of a draft, and its migration.
fn counted_draft(tables: usize, documents: usize) -> (u64, String) {
    let (known, files) = known(tables);
    let collections = collections(tables, documents);
    let (text, count) = steps::counted(|| {
        let draft = Draft::of(known, &files, &collections).unwrap();
        assert!(draft.files(&PathBuf::new(), &[], InferStore::Sqlite).unwrap().len() > tables);
        schema::migration(&draft.designer.design, InferStore::Sqlite).unwrap()
    });
    (count, text)
}

#[test]
fn comparisons_grow_with_tables_and_documents() {
    let (once, text) = counted_draft(20, 10);
    assert!(text.contains("ALTER TABLE \"thing3\" ADD COLUMN \"grams\" integer;"), "{text}");
    let united = "FOREIGN KEY (\"thing3_id\") REFERENCES \"thing3\" (\"id\")";
    assert!(text.contains(united), "{text}");
    assert!(!text.contains("CREATE TABLE \"thing"), "{text}");
    let (more_tables, _) = counted_draft(40, 10);
    let (more_documents, _) = counted_draft(20, 20);
    assert!(once > 0 && more_tables <= once * 21 / 10, "{once} {more_tables}");
    assert!(more_documents <= once * 21 / 10, "{once} {more_documents}");
}
