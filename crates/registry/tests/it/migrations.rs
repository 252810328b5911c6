//! Migrations on both stores: what they find, what an interruption leaves, and what runs beside them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use duet_client::connect::Settings;
use duet_model::{
    Code, CollectionIndex, CollectionReference, CollectionTable, DocumentField, Error, Folding,
    IndexKind, Pair, PairKind, Result, Type,
};
use duet_registry::DatabaseUrl;
use duet_store::setup::migrate::additions::read_additions;
use duet_store::setup::migrate::{
    Action, Blocks, DeclaredObjects, IN_PROGRESS, Indexes, MadeObjects, MigrationEvent, Object,
    Observer, Options, Plan, Step, StepTrial, TriedPlan,
};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::sqlite::Folder;
use duet_text::Fold;
use rusqlite::Connection;

/// How long another connection's lock on a file is waited for.
const BUSY: Duration = Duration::from_secs(30);

/// A database of one of the stores.
enum Store {
    Sqlite(Folder),
    Postgres(Box<Database>),
}

impl Store {
    fn both(name: &str) -> [Self; 2] {
        let postgres = Server::shared().database(name);
        [Self::Sqlite(Folder::new()), Self::Postgres(Box::new(postgres))]
    }

    fn path(folder: &Folder) -> PathBuf {
        folder.path().join("a.db")
    }

    fn location(&self) -> DatabaseUrl {
        match self {
            Self::Sqlite(folder) => DatabaseUrl::file(Self::path(folder)).unwrap(),
            Self::Postgres(database) => location(database),
        }
    }

    fn plan(&self, declared: impl Into<DeclaredObjects>) -> Result<Plan> {
        Ok(self.tried(declared)?.plan)
    }

    fn tried(&self, declared: impl Into<DeclaredObjects>) -> Result<TriedPlan> {
        block_on(self.location().try_migration(declared.into(), options()))
    }

    fn apply(&self, declared: impl Into<DeclaredObjects>, observer: Observer<'_>) -> Result<Plan> {
        block_on(self.location().migrate(declared.into(), options(), observer))
    }

    fn prepare(&self, tables: Vec<CollectionTable>, indexes: Indexes) -> Result<MadeObjects> {
        block_on(self.location().prepare_collections(tables, indexes))
    }

    fn exec(&self, script: &str) {
        match self {
            Self::Sqlite(folder) => {
                let connection = Connection::open(Self::path(folder)).unwrap();
                duet_sqlite::functions::register(&connection).unwrap();
                connection.busy_timeout(BUSY).unwrap();
                // SQLite prepares a statement again where the schema changes meanwhile, but not one that opens a virtual table.
                let changes = |ran: &rusqlite::Result<()>| {
                    let code = ran.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
                    code == Some(rusqlite::ErrorCode::SchemaChanged)
                };
                let mut ran = connection.execute_batch(script);
                while changes(&ran) {
                    ran = connection.execute_batch(script);
                }
                ran.unwrap();
            }
            Self::Postgres(database) => database.exec(script),
        }
    }

    fn number(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(folder) => {
                let connection = Connection::open(Self::path(folder)).unwrap();
                duet_sqlite::functions::register(&connection).unwrap();
                connection.query_row(sql, [], |row| row.get(0)).unwrap()
            }
            Self::Postgres(database) => database.query(sql).parse().unwrap(),
        }
    }

    fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }
}

fn location(database: &Database) -> DatabaseUrl {
    DatabaseUrl::read(&database.url(), Path::new("")).unwrap()
}

fn settings(database: &Database) -> Settings {
    Settings::from_url(&database.url(), &|_| None).unwrap()
}

fn options() -> Options {
    Options { lock_timeout: Duration::from_millis(20), ..Options::default() }
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn field(path: &str, ty: Type, folding: Folding) -> DocumentField {
    DocumentField { path: path.into(), ty, column: None, folding, repeated: false, joined: None }
}

fn text(path: &str, kind: IndexKind) -> CollectionIndex {
    CollectionIndex::new(field(path, Type::Text, Folding::Always(Fold::Both)), kind)
}

fn parents() -> CollectionTable {
    CollectionTable { name: "parents".into(), ..CollectionTable::default() }
}

/// The declaration before.
fn before() -> Vec<CollectionTable> {
    let flag = field("flag", Type::Boolean, Folding::Never);
    let items = CollectionTable {
        name: "items".into(),
        indexes: vec![
            text("title", IndexKind::Ordered),
            text("title", IndexKind::FullText),
            text("note", IndexKind::Trigram),
            text("code", IndexKind::Unique),
            text("old.path", IndexKind::Ordered),
            CollectionIndex::new(flag, IndexKind::Ordered),
        ],
        ..CollectionTable::default()
    };
    vec![items, parents()]
}

/// The declaration after: an index of another folding, one removed, one of another kind, a composite one, one of words
/// more, one whose values have another type, and a reference.
fn after() -> Vec<CollectionTable> {
    let exact = |path: &str| field(path, Type::Text, Folding::Never);
    let mut pair = CollectionIndex::new(exact("code"), IndexKind::Ordered);
    pair.then = vec![exact("due")];
    let parent = CollectionReference {
        path: "parentId".into(),
        table: "parents".into(),
        cascades: false,
        is_ahead: false,
    };
    let number = field("flag", Type::Decimal { scale: None }, Folding::Never);
    let items = CollectionTable {
        name: "items".into(),
        references: vec![parent],
        indexes: vec![
            CollectionIndex::new(exact("title"), IndexKind::Ordered),
            text("title", IndexKind::FullText),
            text("note", IndexKind::FullText),
            text("code", IndexKind::Unique),
            pair,
            CollectionIndex::new(number, IndexKind::Ordered),
        ],
        ..CollectionTable::default()
    };
    vec![items, parents()]
}

const PARENT: &str = "10000000-0000-4000-8000-000000000000";

/// A document of `items`.
fn insert(number: usize) -> String {
    format!(
        "INSERT INTO items (id, jsonb) VALUES ('00000000-0000-4000-8000-{number:012}', \
         '{{\"title\": \"Träume {number}\", \"note\": \"n{number}\", \"code\": \"c{number}\", \
         \"flag\": true, \"due\": \"2024\", \"parentId\": \"{PARENT}\"}}');"
    )
}

fn filled(store: &Store) {
    store.apply(before(), &mut |_| Ok(())).unwrap();
    let rows: String = (0..50).map(insert).collect();
    store.exec(&format!("INSERT INTO parents (id, jsonb) VALUES ('{PARENT}', '{{}}'); {rows}"));
}

fn listed(plan: &Plan) -> Vec<String> {
    let line = |step: &Step| format!("{} {} {}", step.action.name(), step.object.name(), step.name);
    plan.steps.iter().map(line).collect()
}

#[test]
fn totals_are_made_mended_and_dropped() {
    let flag = field("flag", Type::Boolean, Folding::Never);
    let totals = CollectionIndex::new(flag, IndexKind::Totals);
    let with = || vec![CollectionTable { indexes: vec![totals.clone()], ..parents() }];
    for store in Store::both("migrate_totals") {
        store.apply(vec![parents()], &mut |_| Ok(())).unwrap();
        let row = |number: usize| {
            format!(
                "INSERT INTO parents (id, jsonb) VALUES ('00000000-0000-4000-8000-{number:012}', '{{\"flag\": true}}');"
            )
        };
        store.exec(&(0..5).map(row).collect::<String>());
        let made = store.apply(with(), &mut |_| Ok(())).unwrap();
        assert_eq!(listed(&made)[0], "create totals parents_flag_idx_totals");
        assert_eq!(made.steps[0].blocks, Blocks::Writes);
        store.exec(&row(5));
        let sum = "SELECT CAST(sum(n) AS bigint) FROM parents_flag_idx_totals WHERE v0";
        assert_eq!(store.number(sum), 6);
        assert_eq!(store.plan(with()).unwrap(), Plan::default());
        store.exec(match store.is_postgres() {
            true => "ALTER TABLE parents DISABLE TRIGGER insert_parents_flag_idx_totals",
            false => "DROP TRIGGER insert_parents_flag_idx_totals",
        });
        store.exec(&row(6));
        assert_eq!(store.number(sum), 6, "it was not counted");
        store.apply(with(), &mut |_| Ok(())).unwrap();
        assert_eq!(store.number(sum), 7);
        let dropped = store.apply(vec![parents()], &mut |_| Ok(())).unwrap();
        assert_eq!(listed(&dropped), ["drop totals parents_flag_idx_totals"]);
        assert_eq!(store.plan(vec![parents()]).unwrap(), Plan::default());
        store.exec(&row(7));
    }
}

/// An index of what two members are together is made, made anew where these are others, and dropped.
#[test]
fn ranges_and_points_are_changed() {
    let of = |kind, pair, members: [&str; 2]| {
        let pair = Pair { kind: pair, members: members.map(str::to_owned) };
        let field = field("both", Type::Pair(Arc::new(pair)), Folding::Never);
        let indexes = vec![CollectionIndex::new(field, kind)];
        vec![CollectionTable { indexes, ..parents() }]
    };
    let rows: String = ["", "\"from\": \"x\"", "\"from\": 5, \"to\": 1", "\"from\": [1], \"to\": 1e999"]
        .iter()
        .enumerate()
        .map(|(number, members)| {
            format!(
                "INSERT INTO parents (id, jsonb) VALUES ('00000000-0000-4000-8000-{number:012}', '{{{members}}}');"
            )
        })
        .collect();
    for store in Store::both("migrate_pairs") {
        store.apply(vec![parents()], &mut |_| Ok(())).unwrap();
        store.exec(&rows);
        for (kind, suffix) in [(IndexKind::Range, "range"), (IndexKind::Point, "point")] {
            let pair = if kind == IndexKind::Range { PairKind::Moments } else { PairKind::Point };
            for (members, action) in [(["from", "to"], "create"), (["to", "a.b"], "replace")] {
                let made = store.apply(of(kind, pair, members), &mut |_| Ok(())).unwrap();
                let expected = format!("{action} index parents_both_idx_{suffix}");
                assert_eq!(listed(&made), [&expected, "analyze table parents"]);
                assert_eq!(store.plan(of(kind, pair, members)).unwrap(), Plan::default());
            }
            let dropped = store.apply(vec![parents()], &mut |_| Ok(())).unwrap();
            assert_eq!(listed(&dropped), [format!("drop index parents_both_idx_{suffix}")]);
        }
    }
}

#[test]
fn changed_declarations_become_steps() {
    for store in Store::both("migrate_steps") {
        let planned = store.plan(before()).unwrap();
        assert_eq!(planned.steps[usize::from(store.is_postgres())].name, "items");
        filled(&store);
        assert_eq!(store.plan(before()).unwrap(), Plan::default());
        let plan = store.plan(after()).unwrap();
        let columns: &[&str] = match store.is_postgres() {
            true => &["create reference parentid"],
            false => &["create reference parentid", "create column due", "replace column flag"],
        };
        let flag = match store.is_postgres() {
            true => "replace index items_flag_idx",
            // It was dropped with its column.
            false => "create index items_flag_idx",
        };
        let indexes = [
            "create index items_parentid_idx",
            "replace index items_title_idx",
            "create index items_note_idx_ft",
            "create index items_code_due_idx",
            flag,
            "drop index items_note_idx_gin",
            "drop index items_old_path_idx",
            "analyze table items",
        ];
        let expected: Vec<&str> = columns.iter().copied().chain(indexes).collect();
        assert_eq!(listed(&plan), expected);
        assert!(plan.steps.iter().all(|step| step.bytes > Some(0)), "{plan:#?}");
        // Nothing was changed by looking.
        assert_eq!(listed(&store.plan(after()).unwrap()), expected);
        let done = store.apply(after(), &mut |_| Ok(())).unwrap();
        assert_eq!(listed(&done), expected);
        assert_eq!(store.plan(after()).unwrap(), Plan::default());
        let back = store.apply(before(), &mut |_| Ok(())).unwrap();
        assert_eq!(back.notes.len(), 1, "{back:?}");
        assert_eq!(store.plan(before()).unwrap().steps, []);
    }
}

/// A dry run says what the run will say: that a step works, that it fails and why, or that it was not tried.
#[test]
fn steps_are_tried_and_undone() {
    for store in Store::both("tried_steps") {
        store.apply(before(), &mut |_| Ok(())).unwrap();
        filled(&store);
        let dump = |store: &Store| {
            match store {
            Store::Sqlite(folder) => std::fs::read(Store::path(folder)).unwrap(),
            Store::Postgres(database) => database
                .query("SELECT string_agg(relname || relkind::text, ',' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
                .into_bytes(),
        }
        };
        let begun = dump(&store);
        let tried = store.tried(after()).unwrap();
        assert!(dump(&store) == begun, "nothing has changed");
        let named: Vec<(&str, String)> = tried
            .steps()
            .map(|(step, trial)| (trial.name(), format!("{} {}", step.action.name(), step.name)))
            .collect();
        let alone = tried.steps().filter(|(step, trial)| match trial {
            StepTrial::Done => false,
            StepTrial::NotTried(why) => {
                assert!(store.is_postgres() && step.object == Object::Index, "{named:?}");
                assert!(why.ends_with("CONCURRENTLY runs in no transaction"), "{why}");
                true
            }
            StepTrial::Failed(error) => panic!("{error:?}"),
        });
        assert_eq!(alone.count() > 0, store.is_postgres(), "{named:?}");
        store.apply(after(), &mut |_| Ok(())).unwrap();
        assert!(store.tried(after()).unwrap().trials.is_empty());
    }
}

/// A reference that a document breaks fails in the trial as in earnest, with the same words.
#[test]
fn a_step_that_fails_is_named_beforehand() {
    for store in Store::both("tried_failure") {
        let items = CollectionTable { name: "items".into(), ..CollectionTable::default() };
        store.apply(vec![parents(), items.clone()], &mut |_| Ok(())).unwrap();
        store.exec(
            "INSERT INTO items (id, jsonb) VALUES ('00000000-0000-4000-8000-000000000001', \
             '{\"parentId\":\"00000000-0000-4000-8000-000000000002\"}')",
        );
        let reference = after().into_iter().find_map(|table| table.references.first().cloned());
        let items = CollectionTable { references: reference.into_iter().collect(), ..items };
        let declared = vec![parents(), items];
        let tried = store.tried(declared.clone()).unwrap();
        let said = tried.failure().expect("it fails").clone();
        let earnest = store.apply(declared, &mut |_| Ok(())).unwrap_err();
        assert_eq!((said.code, &said.message), (earnest.code, &earnest.message));
        assert!(
            said.message.contains("which does not exist")
                || said.message.contains("to one that does not exist"),
            "{said:?}"
        );
    }
}

#[test]
fn dictionaries_are_changed() {
    let store = Store::Postgres(Box::new(Server::shared().database("migrate_dictionary")));
    filled(&store);
    let mut tables = before();
    tables[0].dictionaries.0 = vec![("title".into(), "english".into())];
    let plan = store.apply(tables.clone(), &mut |_| Ok(())).unwrap();
    assert_eq!(listed(&plan), ["replace index items_title_idx_ft", "analyze table items"]);
    tables[0].indexes.retain(|index| index.kind != IndexKind::FullText);
    let plan = store.apply(tables, &mut |_| Ok(())).unwrap();
    assert_eq!(listed(&plan), ["drop index items_title_idx_ft"]);
}

/// Ended before each of its steps and statements, a migration is continued by the next one.
#[test]
fn interrupted_anywhere_it_is_continued() {
    for store in Store::both("migrate_interrupted") {
        filled(&store);
        for end in 1.. {
            let mut events = 0;
            let ended = store.apply(after(), &mut |_| {
                events += 1;
                let stopped = || Err(Error::new(Code::Setting, "stopped"));
                if events == end { stopped() } else { Ok(()) }
            });
            let is_whole = match ended {
                Ok(_) => true,
                Err(error) => {
                    assert_eq!(error.message, "stopped");
                    false
                }
            };
            store.apply(after(), &mut |_| Ok(())).unwrap();
            assert_eq!(store.plan(after()).unwrap(), Plan::default(), "after {end} events");
            assert_eq!(store.number("SELECT count(*) FROM items WHERE parentid IS NOT NULL"), 50);
            store.apply(before(), &mut |_| Ok(())).unwrap();
            store.exec(match store.is_postgres() {
                true => "ALTER TABLE items DROP COLUMN parentid",
                // A foreign key stays in SQLite.
                false => "SELECT 1",
            });
            if is_whole {
                break;
            }
        }
    }
}

/// What a killed build leaves on PostgreSQL is found by the catalog alone.
#[test]
fn what_killed_builds_leave_is_finished() {
    let store = Store::Postgres(Box::new(Server::shared().database("migrate_killed")));
    filled(&store);
    let invalid = |name: &str| {
        format!("UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{name}'::regclass;")
    };
    store.exec(&invalid("items_title_idx"));
    let plan = store.plan(before()).unwrap();
    assert_eq!(listed(&plan), ["finish index items_title_idx", "analyze table items"]);
    store.apply(before(), &mut |_| Ok(())).unwrap();
    // A replacement that is not whole, and one that is.
    let new = "items_title_idx_duet_new";
    store.exec(&format!("CREATE INDEX {new} ON items ((jsonb #>> '{{x}}'));{}", invalid(new)));
    let plan = store.apply(after(), &mut |_| Ok(())).unwrap();
    assert!(listed(&plan).contains(&"replace index items_title_idx".to_owned()), "{plan:?}");
    store.exec(&format!("ALTER INDEX items_title_idx RENAME TO {new}"));
    store.exec("CREATE INDEX items_title_idx ON items ((jsonb #>> '{x}'))");
    store.exec("CREATE INDEX items_code_idx_unique_duet_old ON items (id)");
    let plan = store.apply(after(), &mut |_| Ok(())).unwrap();
    let expected = [
        "finish index items_title_idx",
        "finish index items_code_idx_unique",
        "analyze table items",
    ];
    assert_eq!(listed(&plan), expected);
    assert_eq!(store.plan(after()).unwrap(), Plan::default());
}

#[test]
fn indexes_of_users_stay() {
    for store in Store::both("migrate_users") {
        filled(&store);
        let own = match store.is_postgres() {
            true => {
                "CREATE INDEX items_vendor_idx ON items ((jsonb ->> 'vendor'));
                 CREATE INDEX items_jsonb_idx_gin ON items USING gin (jsonb);
                 CREATE INDEX items_size_idx ON items (((jsonb #>> '{size}')::integer));
                 CREATE INDEX mine ON items (id);
                 CREATE UNIQUE INDEX items_jsonb_idx_unique ON items (id, (jsonb #>> '{jsonb}'))"
            }
            false => {
                "CREATE INDEX items_id_idx ON items (id, jsonb);
                 CREATE INDEX items_title_idx_hash ON items (length(title));
                 CREATE INDEX items_note_idx ON items (note) WHERE note <> '';
                 CREATE INDEX mine ON items (id)"
            }
        };
        store.exec(own);
        assert_eq!(store.plan(before()).unwrap(), Plan::default());
    }
}

#[test]
fn a_value_of_two_documents_is_named() {
    for store in Store::both("migrate_duplicates") {
        let mut tables = before();
        tables[0].indexes.retain(|index| index.kind != IndexKind::Unique);
        store.apply(tables, &mut |_| Ok(())).unwrap();
        let rows: String = (0..3).map(insert).collect();
        store.exec(&rows.replace("c2", "C1"));
        let error = store.apply(before(), &mut |_| Ok(())).unwrap_err();
        assert!(error.message.contains("items_code_idx_unique"), "{error:?}");
        assert!(error.message.contains("c1"), "{error:?}");
        assert!(error.hint.is_some(), "{error:?}");
        let plan = store.plan(before()).unwrap();
        assert!(listed(&plan).contains(&"create index items_code_idx_unique".to_owned()));
        store.exec("DELETE FROM items WHERE id = '00000000-0000-4000-8000-000000000002'");
        store.apply(before(), &mut |_| Ok(())).unwrap();
        assert_eq!(store.plan(before()).unwrap(), Plan::default());
    }
}

#[test]
fn a_reference_to_nothing_is_named() {
    for store in Store::both("migrate_references") {
        store.apply(before(), &mut |_| Ok(())).unwrap();
        store.exec(&insert(1));
        let error = store.apply(after(), &mut |_| Ok(())).unwrap_err();
        assert!(error.message.contains(PARENT), "{error:?}");
        store.exec(&format!("INSERT INTO parents (id, jsonb) VALUES ('{PARENT}', '{{}}')"));
        store.apply(after(), &mut |_| Ok(())).unwrap();
        assert_eq!(store.plan(after()).unwrap(), Plan::default());
    }
}

/// Tables that refer to each other are made before their keys; what an interruption leaves is continued.
#[test]
fn tables_that_refer_to_each_other_are_made() {
    let reference = |table: &str| CollectionReference {
        path: format!("{table}Id"),
        table: table.into(),
        cascades: false,
        is_ahead: false,
    };
    let table = |name: &str, others: &[&str]| CollectionTable {
        name: name.into(),
        references: others.iter().map(|other| reference(other)).collect(),
        ..CollectionTable::default()
    };
    // One of them to itself, too.
    let tables = || vec![table("a", &["b", "a"]), table("b", &["c"]), table("c", &["a"])];
    for store in Store::both("migrate_circle") {
        let stopped = store.apply(tables(), &mut |progress| match progress {
            MigrationEvent::Step(2, _) => Err(Error::new(Code::Setting, "stopped")),
            _ => Ok(()),
        });
        assert!(stopped.is_err(), "{}", store.is_postgres());
        store.apply(tables(), &mut |_| Ok(())).unwrap();
        assert_eq!(store.plan(tables()).unwrap(), Plan::default());
        if store.is_postgres() {
            let keys = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated";
            assert_eq!(store.number(keys), 4);
        }
        store.exec(
            "INSERT INTO c (id, jsonb) VALUES ('00000000-0000-4000-8000-000000000001', '{}')",
        );
        store.exec(
            "INSERT INTO b (id, jsonb) VALUES ('00000000-0000-4000-8000-000000000001', '{\"cId\":\"00000000-0000-4000-8000-000000000001\"}')",
        );
    }
}

#[test]
fn foreign_keys_are_changed_on_postgresql() {
    let store = Store::Postgres(Box::new(Server::shared().database("migrate_keys")));
    filled(&store);
    store.apply(after(), &mut |_| Ok(())).unwrap();
    let mut tables = after();
    tables[0].references[0].cascades = true;
    let plan = store.apply(tables.clone(), &mut |_| Ok(())).unwrap();
    assert_eq!(listed(&plan), ["replace reference parentid", "analyze table items"]);
    store.exec(
        "UPDATE pg_constraint SET convalidated = false WHERE conname = 'items_parentid_fkey'",
    );
    let plan = store.apply(tables.clone(), &mut |_| Ok(())).unwrap();
    assert_eq!(listed(&plan), ["finish reference parentid", "analyze table items"]);
    store.exec("DELETE FROM parents");
    assert_eq!(store.number("SELECT count(*) FROM items"), 0);
}

#[test]
fn a_second_migration_is_refused() {
    for store in Store::both("migrate_second") {
        let mut refused = 0;
        store
            .apply(before(), &mut |progress| {
                if let MigrationEvent::Step(..) = progress {
                    let location = store.location();
                    let second = std::thread::spawn(move || {
                        block_on(location.migrate(after().into(), options(), &mut |_| Ok(())))
                    });
                    assert_eq!(second.join().unwrap().unwrap_err().message, IN_PROGRESS);
                    refused += 1;
                }
                Ok(())
            })
            .unwrap();
        assert!(refused > 3);
        // It ended with the first one.
        store.apply(before(), &mut |_| Ok(())).unwrap();
    }
}

/// A step that needs a table for itself does not hold up requests behind a long transaction.
#[test]
fn a_long_reader_holds_nobody_up() {
    let database = Server::shared().database("migrate_reader");
    let store = Store::Postgres(Box::new(database.clone()));
    filled(&store);
    let settings = settings(&database);
    let (reading, begun) = std::sync::mpsc::channel();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let reader = std::thread::spawn(move || {
        block_on(async {
            let (client, connection) = settings.connector().unwrap().connect().await.unwrap();
            let running = tokio::spawn(connection);
            client.batch_execute("BEGIN; SELECT count(*) FROM items").await.unwrap();
            reading.send(()).unwrap();
            ended.await.unwrap();
            drop(client);
            drop(running.await);
        });
    });
    begun.recv().unwrap();
    let (mut end, mut attempts) = (Some(end), 0);
    store
        .apply(after(), &mut |progress| {
            if let MigrationEvent::Locked(number) = progress {
                attempts = *number;
                // A writer that comes then has its turn.
                store.exec(&insert(100 + *number as usize));
                if let Some(end) = end.take_if(|_| *number == 3) {
                    end.send(()).unwrap();
                }
            }
            Ok(())
        })
        .unwrap();
    assert!(attempts >= 3);
    reader.join().unwrap();
    assert_eq!(store.plan(after()).unwrap(), Plan::default());
}

/// Inserts of another connection all succeed meanwhile, and are in the new indexes.
#[test]
fn writers_go_on() {
    for store in Store::both("migrate_writers") {
        filled(&store);
        if let Store::Sqlite(_) = store {
            store.exec("PRAGMA journal_mode = WAL");
        }
        let (ended, store) = (AtomicBool::new(false), Arc::new(store));
        let written = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut number = 1_000;
                while !ended.load(Ordering::Relaxed) || number == 1_000 {
                    store.exec(&insert(number));
                    number += 1;
                }
                number - 1_000
            });
            let applied = store.apply(after(), &mut |_| Ok(()));
            ended.store(true, Ordering::Relaxed);
            applied.unwrap();
            writer.join().unwrap()
        });
        let written = i64::try_from(written).unwrap();
        assert_eq!(store.number("SELECT count(*) FROM items"), 50 + written);
        assert_eq!(
            store.number("SELECT count(*) FROM items WHERE parentid IS NOT NULL"),
            50 + written
        );
        if let Store::Sqlite(_) = *store {
            let found =
                "SELECT count(*) FROM items_note_idx_ft WHERE items_note_idx_ft MATCH 'n1000'";
            assert_eq!(store.number(found), 1);
        }
        assert_eq!(store.plan(after()).unwrap(), Plan::default());
    }
}

/// A collection of which two indexes have names that PostgreSQL would cut to the same one.
fn long_names() -> Vec<CollectionTable> {
    let path = |end: &str| format!("details.acquisition.methodOfThePurchase.subject{end}");
    let items = CollectionTable {
        name: "purchase_order_lines".into(),
        indexes: vec![
            text(&path("One"), IndexKind::Ordered),
            text(&path("Two"), IndexKind::Ordered),
            text(&path("Two"), IndexKind::Trigram),
            text(&path("Two"), IndexKind::FullText),
        ],
        ..CollectionTable::default()
    };
    vec![items]
}

#[test]
fn long_names_fit_and_are_found_again() {
    for store in Store::both("migrate_names") {
        let made = store.prepare(long_names(), Indexes::Declared).unwrap();
        let all = made.indexes.clone();
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all.iter().all(|name| name.len() == 63), "{all:?}");
        assert_eq!(store.prepare(long_names(), Indexes::Declared).unwrap(), MadeObjects::default());
        assert!(store.plan(long_names()).unwrap().steps.is_empty());
        // What is no longer declared is known by its name, long as it is.
        let mut fewer = long_names();
        fewer[0].indexes.truncate(1);
        let dropped = store.apply(fewer.clone(), &mut |_| Ok(())).unwrap();
        let steps = dropped.steps.iter().filter(|step| step.action == Action::Drop);
        let mut names: Vec<&String> = steps.map(|step| &step.name).collect();
        names.sort_unstable();
        let mut expected: Vec<&String> = all[1..].iter().collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert!(store.plan(fewer).unwrap().steps.is_empty());
    }
}

#[test]
fn a_name_that_was_cut_is_mended_without_a_build() {
    let database = Server::shared().database("migrate_cut_names");
    let store = Store::Postgres(Box::new(database));
    let mut tables = long_names();
    tables[0].indexes.truncate(1);
    let made = store.prepare(tables.clone(), Indexes::Declared).unwrap();
    let name = &made.indexes[0];
    let former = "purchase_order_lines_details_acquisition_methodofthepurchase_su";
    store.exec(&format!("ALTER INDEX \"{name}\" RENAME TO {former}"));
    let number =
        |name: &str| store.number(&format!("SELECT to_regclass('\"{name}\"')::oid::bigint"));
    let before = number(former);
    let plan = store.apply(tables.clone(), &mut |_| Ok(())).unwrap();
    let steps: Vec<_> = plan.steps.iter().map(|step| (step.action, step.name.as_str())).collect();
    assert_eq!(steps[0], (Action::Replace, name.as_str()), "{plan:?}");
    assert_eq!(number(name), before, "it is the same index");
    assert!(store.plan(tables).unwrap().steps.is_empty());
}

/// Preparing is the migration without its drops.
#[test]
fn preparing_builds_anew_what_has_changed_and_drops_nothing() {
    for store in Store::both("migrate_prepare") {
        let made = store.prepare(before(), Indexes::Declared).unwrap();
        assert_eq!(made.tables, ["items", "parents"]);
        let plan = store.plan(after()).unwrap();
        let again = store.prepare(after(), Indexes::Declared).unwrap();
        assert!(again.tables.is_empty() && again.dropped.is_empty(), "{again:?}");
        let is_made = |step: &&Step| step.object == Object::Index && step.action != Action::Drop;
        let names: Vec<&String> =
            plan.steps.iter().filter(is_made).map(|step| &step.name).collect();
        assert_eq!(again.indexes.iter().collect::<Vec<_>>(), names);
        let left = store.plan(after()).unwrap().steps;
        assert!(
            !left.is_empty() && left.iter().all(|step| step.action == Action::Drop),
            "{left:?}"
        );
        // Without indexes, those that are declared are gone, and no others.
        let without = store.prepare(after(), Indexes::OfReferences).unwrap();
        assert!(without.indexes.is_empty() && !without.dropped.is_empty(), "{without:?}");
        assert_eq!(store.prepare(after(), Indexes::OfReferences).unwrap().dropped.len(), 0);
        let mut back = store.prepare(after(), Indexes::Declared).unwrap().indexes;
        back.sort_unstable();
        let mut dropped = without.dropped;
        dropped.sort_unstable();
        assert_eq!(back, dropped);
    }
}

/// What the files of an application add to `parcel`.
fn additions(text: &str) -> DeclaredObjects {
    DeclaredObjects {
        additions: read_additions(&[("a.sql", text)]).unwrap(),
        ..DeclaredObjects::default()
    }
}

const PARCEL: &str = "CREATE TABLE parcel (id integer PRIMARY KEY, note text);
    INSERT INTO parcel VALUES (1, 'a'), (2, NULL);";

const ADDED: &str = "CREATE TABLE kind (id integer PRIMARY KEY, name text NOT NULL);
    ALTER TABLE parcel ADD COLUMN grams integer;
    ALTER TABLE Parcel ADD COLUMN kind_id integer REFERENCES kind (id);
    CREATE INDEX parcel_kind_ix ON parcel (kind_id);";

#[test]
fn migration_files_add_what_is_absent() {
    for store in Store::both("migrate_additions") {
        store.exec(PARCEL);
        let expected = [
            "create table kind",
            "create column grams",
            "create column kind_id",
            "create index parcel_kind_ix",
        ];
        assert_eq!(listed(&store.plan(additions(ADDED)).unwrap()), expected);
        let done = store.apply(additions(ADDED), &mut |_| Ok(())).unwrap();
        assert_eq!(listed(&done), expected);
        assert_eq!(store.plan(additions(ADDED)).unwrap(), Plan::default());
        let kept = "SELECT count(*) FROM parcel WHERE grams IS NULL AND kind_id IS NULL AND (note = 'a' OR id = 2)";
        assert_eq!(store.number(kept), 2, "rows are as before");
        // They come before the collections, and nothing else changes.
        let both = DeclaredObjects { collections: vec![parents()], ..additions(ADDED) };
        let more = store.apply(both, &mut |_| Ok(())).unwrap();
        let own = listed(&more).into_iter().find(|step| step.contains("parcel"));
        assert_eq!(own, None, "{more:?}");
    }
}

#[test]
fn interrupted_additions_are_continued() {
    for store in Store::both("migrate_additions_interrupted") {
        for end in 1.. {
            store.exec("DROP TABLE IF EXISTS parcel; DROP TABLE IF EXISTS kind;");
            store.exec(PARCEL);
            let mut events = 0;
            let ended = store.apply(additions(ADDED), &mut |_| {
                events += 1;
                let stopped = || Err(Error::new(Code::Setting, "stopped"));
                if events == end { stopped() } else { Ok(()) }
            });
            store.apply(additions(ADDED), &mut |_| Ok(())).unwrap();
            assert_eq!(store.plan(additions(ADDED)).unwrap(), Plan::default(), "after {end}");
            if ended.is_ok() {
                break;
            }
        }
    }
}

/// An index whose build was ended is not valid on PostgreSQL: it is there, and made anew.
#[test]
fn an_index_that_was_not_finished_is_made_anew() {
    let store = Store::Postgres(Box::new(Server::shared().database("migrate_unfinished")));
    store.exec(PARCEL);
    store.apply(additions(ADDED), &mut |_| Ok(())).unwrap();
    store.exec(
        "UPDATE pg_catalog.pg_index SET indisvalid = false WHERE indexrelid = 'parcel_kind_ix'::regclass",
    );
    let plan = store.apply(additions(ADDED), &mut |_| Ok(())).unwrap();
    assert_eq!(listed(&plan), ["finish index parcel_kind_ix"]);
    assert_eq!(store.plan(additions(ADDED)).unwrap(), Plan::default());
}
