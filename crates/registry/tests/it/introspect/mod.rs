//! Introspection against golden cases, on both stores: `golden/catalog/<case>/schema.<store>.sql`
//! becomes `catalog.<store>.txt`.

mod again;
mod costs;

use std::fmt::Write as _;

use duet_model::catalog::{
    Catalog, Column, Effects, GeneratedValue, OnDelete, PartitionKey, Reach, Relation,
    RelationKind, RelationName, Routine,
};
use duet_model::{Code, Result, Type};
use duet_postgres::catalog::SchemaFilter;
use duet_testkit::postgres::{Database, Server};
use duet_testkit::{golden, sqlite as files};
use tokio_postgres::NoTls;

#[test]
fn sqlite_cases() {
    golden::run("catalog", |case| {
        let folder = files::Folder::new();
        let path = folder.load("a.db", &[&case.read("schema.sqlite.sql")]);
        let catalog = duet_sqlite::catalog::introspect(&files::open(&path)).unwrap();
        case.expect("catalog.sqlite.txt", &printed(&catalog));
    });
}

#[test]
fn postgres_cases() {
    golden::run("catalog", |case| {
        let database = Server::shared().database(&format!("catalog-{}", case.name()));
        let schema = case.read("schema.postgres.sql");
        database.exec(&schema);
        // A case that makes a reader is about what a reader sees.
        let user = if schema.contains("CREATE ROLE reader") { "reader" } else { "postgres" };
        let catalog = introspect(&database, user, &SchemaFilter::All).unwrap();
        case.expect("catalog.postgres.txt", &printed(&catalog));
    });
}

/// PostgreSQL 18 marks a primary key WITHOUT OVERLAPS as one by exclusion too. The index of an
/// exclusion with these flags looks the same to older versions.
#[test]
fn a_key_without_overlaps_names_no_row() {
    let database = Server::shared().database("catalog-periods");
    database.exec(
        "CREATE TABLE stay (room int4range, nights int4range NOT NULL,
           CONSTRAINT stay_key EXCLUDE USING gist (room WITH =, nights WITH &&));
         UPDATE pg_index SET indisprimary = true, indisunique = true
          WHERE indexrelid = 'stay_key'::regclass;",
    );
    let catalog = introspect(&database, "postgres", &SchemaFilter::All).unwrap();
    assert!(catalog.relations[0].primary_key.is_empty());
    let note = "table public.stay is served without items: its key stay_key is WITHOUT OVERLAPS";
    assert!(catalog.notes[0].starts_with(note), "{:?}", catalog.notes);
}

/// A key that the table has too is one of its own; one of several partitions is listed once.
#[test]
fn foreign_keys_of_partitions_are_known() {
    let database = Server::shared().database("catalog-partitions");
    database.exec(
        "CREATE TABLE customer (id int PRIMARY KEY);
         CREATE TABLE shop (land text, number int, PRIMARY KEY (land, number));
         CREATE TABLE payment (id int, customer_id int REFERENCES customer, land text, shop int)
           PARTITION BY RANGE (id);
         CREATE TABLE payment_1 PARTITION OF payment FOR VALUES FROM (1) TO (10);
         CREATE TABLE payment_2 PARTITION OF payment FOR VALUES FROM (10) TO (20);
         ALTER TABLE payment_1 ADD FOREIGN KEY (shop, land) REFERENCES shop (number, land);
         ALTER TABLE payment_2 ADD FOREIGN KEY (shop, land) REFERENCES shop (number, land);",
    );
    let catalog = introspect(&database, "postgres", &SchemaFilter::All).unwrap();
    let name = |name: &str| RelationName { schema: "public".into(), name: name.into() };
    let key = PartitionKey {
        table: name("payment"),
        columns: vec!["shop".into(), "land".into()],
        references: name("shop"),
        references_columns: vec!["number".into(), "land".into()],
    };
    assert_eq!(catalog.partition_keys, [key]);
    assert_eq!(catalog.relation("public", "payment").unwrap().foreign_keys.len(), 1);
}

#[test]
fn chinook_is_the_same_on_both() {
    let apps = golden::workspace().join("apps/chinook");
    let folder = files::Folder::new();
    let path = folder.copy(&apps.join("chinook.sqlite"));
    let sqlite = duet_sqlite::catalog::introspect(&files::open(&path)).unwrap();
    let database = Server::shared().database("chinook");
    database.exec(&std::fs::read_to_string(apps.join("chinook.postgres.sql")).unwrap());
    let postgres = introspect(&database, "postgres", &SchemaFilter::All).unwrap();
    assert_eq!(sqlite.notes, [] as [&str; 0]);
    assert_eq!(sqlite.relations.len(), 11);
    let joined = |name: &str| name.replace('_', "").to_lowercase();
    for (a, b) in sqlite.relations.iter().zip(&postgres.relations) {
        assert_eq!(joined(&a.name), joined(&b.name));
        assert_eq!((a.columns.len(), &a.primary_key), (b.columns.len(), &b.primary_key));
        let keys = |relation: &Relation| {
            let key =
                |key: &duet_model::ForeignKey| (key.columns.clone(), joined(&key.references_table));
            let mut keys: Vec<_> = relation.foreign_keys.iter().map(key).collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(a), keys(b), "{}", a.name);
        for (x, y) in a.columns.iter().zip(&b.columns) {
            assert_eq!(
                (joined(&x.name), x.ty.name()),
                (joined(&y.name), y.ty.name()),
                "{}",
                a.name
            );
            assert_eq!(x.not_null, y.not_null, "{}.{}", a.name, x.name);
        }
    }
}

#[test]
fn the_search_path_and_the_caller_do_not_matter() {
    let database = Server::shared().database("paths");
    database.exec(
        "CREATE SCHEMA a; CREATE SCHEMA b; CREATE TYPE b.pair AS (x int);
         CREATE TABLE a.t (id serial, p b.pair, q b.pair[], format_type int);
         CREATE FUNCTION a.format_type(oid, int) RETURNS text LANGUAGE sql AS 'SELECT ''wrong''';
         ALTER DATABASE paths SET search_path TO a, b, pg_catalog;",
    );
    let only = SchemaFilter::Only(vec!["a".to_owned()]);
    let catalog = introspect(&database, "postgres", &only).unwrap();
    let names: Vec<_> = catalog.relations.iter().map(|relation| &relation.schema).collect();
    assert_eq!(names, ["a"]);
    let declared = |at: usize| catalog.relations[0].columns[at].declared.as_str();
    assert_eq!([declared(0), declared(1), declared(2)], ["integer", "b.pair", "b.pair[]"]);
    assert_eq!(
        catalog.relations[0].columns[0].default.as_deref(),
        Some("nextval('a.t_id_seq'::regclass)")
    );
}

#[test]
fn thousands_of_tables_are_no_trouble() {
    const TABLES: usize = 3_000;
    let database = Server::shared().database("many");
    for block in 0..TABLES / 1_000 {
        database.exec(&format!(
            "DO $$ BEGIN FOR i IN {}..{} LOOP
               EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, a text, b numeric(9,2))', i);
             END LOOP; END $$",
            block * 1_000,
            block * 1_000 + 999,
        ));
    }
    let catalog = introspect(&database, "postgres", &SchemaFilter::All).unwrap();
    assert_eq!(catalog.relations.len(), TABLES);
    assert!(catalog.relations.iter().all(|t| t.columns.len() == 3 && t.primary_key == [0]));
}

#[test]
fn failures_have_their_codes() {
    let folder = files::Folder::new();
    let path = folder.path().join("no.db");
    std::fs::write(&path, "this is no database, however long the text may become").unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(
        duet_sqlite::catalog::introspect(&connection).unwrap_err().code,
        Code::DatabaseUnavailable
    );
    let database = Server::shared().database("slow");
    database.exec("ALTER DATABASE slow SET statement_timeout = 1; CREATE TABLE t (a int)");
    // One millisecond is enough for nothing or for everything; both are right.
    if let Err(error) = introspect(&database, "postgres", &SchemaFilter::All) {
        assert_eq!(error.code, Code::Timeout);
    }
}

fn introspect(database: &Database, user: &str, schemas: &SchemaFilter) -> Result<Catalog> {
    let url = database.url().replace("user=postgres", &format!("user={user}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        let driver = tokio::spawn(connection);
        let first = duet_postgres::catalog::introspect(&client, schemas).await;
        if let Ok(first) = &first {
            // The connection is as it was: nothing is open, nothing is set.
            assert_eq!(
                duet_postgres::catalog::introspect(&client, schemas).await.as_ref(),
                Ok(first)
            );
        }
        drop(client);
        driver.await.unwrap().unwrap();
        first
    })
}

fn printed(catalog: &Catalog) -> String {
    let mut text = String::new();
    for relation in &catalog.relations {
        print_relation(&mut text, relation);
    }
    for routine in &catalog.routines {
        print_routine(&mut text, routine);
    }
    catalog.notes.iter().for_each(|note| writeln!(text, "note: {note}").unwrap());
    text
}

/// A line for each kind of statement that reaches beyond its rows.
fn print_effects(text: &mut String, effects: &Effects) {
    let Effects { insert, update, follow, delete, .. } = effects;
    let all = [("insert", insert), ("update", update), ("follow", follow), ("delete", delete)];
    for (statement, reach) in all {
        let reached = match reach {
            Reach::Own => continue,
            Reach::Everything => "everything".to_owned(),
            Reach::Relations(names) => {
                names.iter().map(|name| name.name.as_str()).collect::<Vec<_>>().join(", ")
            }
        };
        writeln!(text, "  {statement} reaches {reached}").unwrap();
    }
}

fn print_relation(text: &mut String, relation: &Relation) {
    let names = |columns: &[usize]| {
        let names: Vec<_> = columns.iter().map(|&at| relation.columns[at].name.as_str()).collect();
        names.join(", ")
    };
    let Relation { schema, name, kind, .. } = relation;
    write!(text, "{kind:?} {schema}.{name}").unwrap();
    if *kind == RelationKind::Table && !relation.batchable {
        text.push_str(", not to be batched");
    }
    if *kind == RelationKind::Table && !relation.plain {
        text.push_str(", more than itself");
    }
    relation.estimated_rows.iter().for_each(|rows| write!(text, " ~{rows}").unwrap());
    relation.comment.iter().for_each(|comment| write!(text, " -- {comment}").unwrap());
    text.push('\n');
    relation.columns.iter().for_each(|column| print_column(text, column));
    if !relation.primary_key.is_empty() {
        writeln!(text, "  primary key ({})", names(&relation.primary_key)).unwrap();
    }
    if !relation.links.is_empty() {
        writeln!(text, "  links ({})", names(&relation.links)).unwrap();
    }
    print_effects(text, &relation.effects);
    for key in &relation.unique_keys {
        writeln!(text, "  unique {} ({})", key.name, names(&key.columns)).unwrap();
    }
    for key in &relation.foreign_keys {
        let (columns, targets) = (names(&key.columns), key.references_columns.join(", "));
        let target = format!("{}.{}", key.references_schema, key.references_table);
        let on_delete = match key.on_delete {
            OnDelete::Refuse => "",
            OnDelete::Cascade => ", deleted with it",
            OnDelete::Unlink => ", unlinked from it",
        };
        writeln!(text, "  foreign key {} ({columns}) -> {target} ({targets}){on_delete}", key.name)
            .unwrap();
    }
    for index in &relation.indexes {
        let unique = if index.unique { "unique " } else { "" };
        let columns = names(&index.columns);
        write!(text, "  {unique}index {} {} ({columns})", index.name, index.method).unwrap();
        text.push_str(if index.deferred { ", deferred" } else { "" });
        text.push_str(if index.nulls_equal { ", nulls are equal\n" } else { "\n" });
    }
    for check in &relation.checks {
        writeln!(text, "  check {}: {}", check.name, check.condition).unwrap();
    }
    text.push('\n');
}

fn print_column(text: &mut String, column: &Column) {
    write!(text, "  {}: {} <- {}", column.name, type_name(&column.ty), column.declared).unwrap();
    if column.not_null {
        text.push_str(", not null");
    }
    if column.followed {
        text.push_str(", followed");
    }
    match column.generated {
        GeneratedValue::No => {}
        GeneratedValue::Identity => text.push_str(", identity"),
        GeneratedValue::Computed => text.push_str(", computed"),
    }
    if column.loose_equality {
        text.push_str(", loose");
    }
    column.default.iter().for_each(|default| write!(text, ", default {default}").unwrap());
    column.comment.iter().for_each(|comment| write!(text, " -- {comment}").unwrap());
    text.push('\n');
}

fn print_routine(text: &mut String, routine: &Routine) {
    let arguments: Vec<_> = routine
        .arguments
        .iter()
        .map(|argument| {
            let optional = if argument.has_default { "?" } else { "" };
            let ty = type_name(&argument.ty);
            format!("{} {}{optional}: {ty} <- {}", argument.mode, argument.name, argument.declared)
        })
        .collect();
    let Routine { schema, name, kind, .. } = routine;
    write!(text, "{kind:?} {schema}.{name}({})", arguments.join(", ")).unwrap();
    let set = if routine.returns_set { "set of " } else { "" };
    routine.returns.iter().for_each(|returns| write!(text, " returns {set}{returns}").unwrap());
    for (flag, word) in [
        (routine.security_definer, "security definer"),
        (routine.from_extension, "from an extension"),
        (routine.is_trigger, "trigger"),
    ] {
        if flag {
            write!(text, ", {word}").unwrap();
        }
    }
    routine.comment.iter().for_each(|comment| write!(text, " -- {comment}").unwrap());
    text.push('\n');
}

fn type_name(ty: &Type) -> String {
    match ty {
        Type::Integer { bits } | Type::Float { bits } => format!("{}({bits})", ty.name()),
        Type::Decimal { scale: Some(scale) } => format!("{}(scale {scale})", ty.name()),
        Type::Array(element) => format!("ARRAY of {}", type_name(element)),
        Type::Enum(labels) => format!("ENUM{labels:?}"),
        _ => ty.name().to_owned(),
    }
}
