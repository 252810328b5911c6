//! What a snapshot costs: counts of steps for a schema and for one twice as large, along each of the ways in which a
//! schema or an application grows.

use std::sync::Arc;

use duet_auth::{Operation, Privilege};
use duet_model::catalog::{
    ForeignKey, KeyEnd, KeyName, KeySide, OnDelete, RelationKind, RelationName, Routine,
    RoutineKind, ViewKeys, ViewWrites,
};
use duet_model::{Catalog, Column, ProfileRef, Relation, Type, steps};
use duet_sql::{FunctionInput, Sqlite};

use crate::build::snapshot::Snapshot;
use crate::definition::{Application, Mount, Mounts, Resource, ViewFile};
use crate::hosting::routes::Routes;

const INTEGER: Type = Type::Integer { bits: 64 };

/// A table `t{number}` with a key and 5 more columns, some of which are named after the keys of others.
fn table(number: usize, schema: &str) -> Relation {
    let mut columns = vec![Column::new("identifier", INTEGER)];
    columns.extend(
        (1..5).map(|other| Column::new(format!("t{}_identifier", number + other), INTEGER)),
    );
    columns.push(Column::new("parent", INTEGER));
    Relation::table(schema, &format!("t{number:06}"), columns)
}

/// A foreign key of the column `parent`.
fn leading_to(parent: usize) -> ForeignKey {
    ForeignKey {
        name: "up".into(),
        columns: vec![5],
        references_schema: "main".into(),
        references_table: format!("t{parent:06}"),
        references_columns: vec!["identifier".into()],
        on_delete: OnDelete::Cascade,
    }
}

fn catalog(relations: Vec<Relation>) -> Catalog {
    Catalog { relations: relations.into_iter().map(Arc::new).collect(), ..Catalog::default() }
}

fn tables(count: usize) -> Catalog {
    catalog((0..count).map(|number| table(number, "main")).collect())
}

/// A function that gives rows.
fn function(name: &str) -> Routine {
    Routine {
        schema: "main".into(),
        name: name.into(),
        kind: RoutineKind::Function,
        arguments: Vec::new(),
        returns: Some("main.t000000".into()),
        result: Some(Type::Other),
        returns_set: true,
        security_definer: false,
        from_extension: false,
        is_trigger: false,
        commits: false,
        volatility: Default::default(),
        rows_of: None,
        row_of: None,
        one_row: false,
        comment: None,
    }
}

fn declared(mount: Mount) -> Arc<Application> {
    let mount = Mount { path: "/m".into(), all_tables: true, ..mount };
    Arc::new(Application { mounts: Mounts::Declared(Box::new(mount)), ..Application::default() })
}

fn resource(name: String) -> Resource {
    Resource { table: name.clone(), name, ..Resource::default() }
}

/// The steps of a start, and of a reload after it; both must serve as much as there is.
fn steps_of(catalog: &Catalog, application: &Arc<Application>, served: usize) -> [u64; 2] {
    let build = |previous: Option<&Snapshot>| {
        let made = Snapshot::build(previous, catalog, application, &Sqlite, false, Arc::default());
        made.expect("a snapshot")
    };
    let claim = |snapshot| Routes::default().claim(0, snapshot, false, |_| {}).expect("its mounts");
    let (first, start) = steps::counted(|| claim(build(None)));
    let (again, reload) = steps::counted(|| claim(build(Some(&first))));
    let count = |snapshot: &Snapshot| {
        snapshot
            .mounts
            .iter()
            .map(|mount| mount.resources().len() + mount.routines().len())
            .sum::<usize>()
    };
    assert_eq!((count(&first), count(&again)), (served, served), "{:?}", first.notes);
    [start, reload]
}

/// Compares the steps for some size and for twice that.
fn is_linear(what: &str, of: impl Fn(usize) -> [u64; 2]) {
    is_linear_from(150, what, of);
}

fn is_linear_from(size: usize, what: &str, of: impl Fn(usize) -> [u64; 2]) {
    for (once, twice) in of(size).into_iter().zip(of(2 * size)) {
        assert!(once > 0 && twice * 10 <= once * 22, "{what}: {once} steps, then {twice}");
    }
}

#[test]
fn tables_cost_as_much_as_there_are() {
    let plain = declared(Mount::default());
    is_linear("tables", |n| steps_of(&tables(n), &plain, n));
    is_linear("columns", |n| {
        let mut one = table(0, "main");
        one.columns.extend((0..n).map(|at| Column::new(format!("t{at}_identifier"), INTEGER)));
        let others = (1..=n).map(|number| table(number, "main"));
        steps_of(&catalog(std::iter::once(one).chain(others).collect()), &plain, n + 1)
    });
    is_linear("views of the database", |n| {
        let views = (0..n).map(|at| Relation {
            kind: RelationKind::View,
            primary_key: Vec::new(),
            ..table(at, "main")
        });
        steps_of(&catalog(views.collect()), &plain, n)
    });
    // A search in an order takes a few steps more.
    is_linear_from(2_500, "schemas", |n| {
        let tables = (0..n).map(|number| table(number, &format!("s{number:06}")));
        let catalog = catalog(tables.collect());
        let ad_hoc = Arc::new(Application::default());
        let build = |previous: Option<&Snapshot>| {
            let made = Snapshot::build(
                previous,
                &catalog,
                &ad_hoc,
                &duet_sql::Postgres { icu: false },
                false,
                Arc::default(),
            );
            made.expect("a snapshot")
        };
        let (first, start) = steps::counted(|| build(None));
        let (again, reload) = steps::counted(|| build(Some(&first)));
        assert_eq!((first.mounts.len(), again.mounts.len()), (n, n));
        let claim = |snapshot| drop(Routes::default().claim(0, snapshot, false, |_| {}));
        [start + steps::counted(|| claim(first)).1, reload]
    });
}

#[test]
fn foreign_keys_cost_as_much_as_there_are() {
    let plain = declared(Mount::default());
    let with_keys = |n: usize, parent: &dyn Fn(usize) -> usize| {
        let tables = (0..n).map(|number| Relation {
            foreign_keys: vec![leading_to(parent(number))],
            ..table(number, "main")
        });
        catalog(tables.collect())
    };
    is_linear("a chain", |n| steps_of(&with_keys(n, &|number| (number + 1) % n), &plain, n));
    let chain = |n: usize| steps_of(&with_keys(n, &|number| number.saturating_sub(1)), &plain, n);
    is_linear_from(5_000, "a chain of 10,000", chain);
    is_linear("keys to one table", |n| steps_of(&with_keys(n, &|_| 0), &plain, n));
    is_linear("keys of one table", |n| {
        let mut tables: Vec<_> = (0..n).map(|number| table(number, "main")).collect();
        tables[0].foreign_keys = (0..n).map(leading_to).collect();
        steps_of(&catalog(tables), &plain, n)
    });
}

/// A view over each table of a chain: its key, its end of the key up, and that of the key of the table below.
#[test]
fn views_with_keys_cost_as_much_as_there_are() {
    let mount =
        Mount { profile: ProfileRef::named("postgrest").expect("a profile"), ..Mount::default() };
    let application = declared(mount);
    is_linear("views with keys", |n| {
        let name = |at: usize| RelationName { schema: "main".into(), name: format!("t{at:06}") };
        let tables = (0..n).map(|at| Relation {
            foreign_keys: vec![leading_to((at + 1) % n)],
            ..table(at, "main")
        });
        let views = (0..n).map(|at| Relation {
            name: format!("v{at:06}"),
            kind: RelationKind::View,
            primary_key: Vec::new(),
            ..table(at, "main")
        });
        let end = |at: usize, side: KeySide, column: &str| KeyEnd {
            key: KeyName { table: name(at), name: "up".into() },
            references: name((at + 1) % n),
            references_columns: vec!["identifier".into()],
            side,
            columns: vec![column.into()],
            is_unique: side == KeySide::Referenced,
        };
        let view_keys = (0..n).map(|at| ViewKeys {
            view: RelationName { schema: "main".into(), name: format!("v{at:06}") },
            primary_key: vec!["identifier".into()],
            ends: vec![
                end(at, KeySide::Referring, "parent"),
                end((at + n - 1) % n, KeySide::Referenced, "identifier"),
            ],
            writes: ViewWrites::default(),
        });
        let view_keys = view_keys.collect();
        let catalog = Catalog { view_keys, ..catalog(tables.chain(views).collect()) };
        steps_of(&catalog, &application, 2 * n)
    });
}

#[test]
fn declarations_cost_as_much_as_there_are() {
    is_linear("resources", |n| {
        let resources = (0..n).map(|at| resource(format!("t{at:06}"))).collect();
        steps_of(&tables(n), &declared(Mount { resources, ..Mount::default() }), n)
    });
    is_linear("privileges", |n| {
        let privilege = |at: usize| Privilege {
            name: format!("p{at}"),
            roles: vec![format!("cost-{at}")],
            patterns: vec![format!("/t{at:06}/*")],
            operations: vec![Operation::Read],
        };
        let privileges = (0..n).map(privilege).collect();
        steps_of(&tables(n), &declared(Mount { privileges, ..Mount::default() }), n)
    });
    is_linear("duality views", |n| {
        let view = |at: usize| ViewFile {
            name: format!("v{at}.graphql"),
            text: format!("view v{at} as t{at:06} {{ _id: identifier parent }}"),
        };
        let views = (0..n).map(view).collect();
        steps_of(&tables(n), &declared(Mount { views, ..Mount::default() }), 2 * n)
    });
    is_linear("routines", |n| {
        let routine = |at: usize| Routine {
            returns: Some(format!("main.t{at:06}")),
            ..function(&format!("r{at:06}"))
        };
        let catalog = Catalog { routines: (0..n).map(routine).collect(), ..tables(n) };
        let routines = (0..n).map(|at| format!("r{at:06}")).collect();
        let mount = Mount { routines, ..Mount::default() };
        let overloaded = ProfileRef::named("postgrest").expect("a profile");
        let both = [ProfileRef::default(), overloaded].map(|profile| {
            let mount = Mount { profile, ..mount.clone() };
            steps_of(&catalog, &declared(mount), 2 * n)
        });
        [both[0][0] + both[1][0], both[0][1] + both[1][1]]
    });
}

/// The statement of a function's rows is made for the first call, and for a bounded number of ways to give arguments.
#[test]
fn calls_of_a_function_compile_its_rows_once() {
    let catalog = Catalog { routines: vec![function("r000000")], ..tables(1) };
    let profile = ProfileRef::named("postgrest").expect("a profile");
    let application = declared(Mount { profile, ..Mount::default() });
    let made = Snapshot::build(None, &catalog, &application, &Sqlite, false, Arc::default());
    let snapshot = made.expect("a snapshot");
    let mount = &snapshot.mounts[0];
    let function = &mount.functions("r000000")[0];
    let table = mount.resource("t000000").expect("a table");
    let calls = |inputs: std::ops::Range<usize>| {
        let call = |at: usize| function.rows(&FunctionInput::Whole(at), || table.anew());
        steps::counted(|| inputs.map(call).for_each(drop)).1
    };
    assert_eq!([calls(0..1), calls(0..1), calls(0..1)], [1, 0, 0]);
    assert_eq!([calls(0..10), calls(0..10)], [9, 0]);
    assert_eq!(
        [calls(0..100), calls(84..100), calls(0..1)],
        [90, 0, 1],
        "the oldest are forgotten"
    );
}

/// A tenant sees its own schema, and looks at no other.
#[test]
fn the_schema_of_a_tenant_is_found_among_any_number() {
    let of = |n: usize| {
        let tables = (0..n).map(|number| table(number, &format!("s{number:06}")));
        let catalog = catalog(tables.collect());
        let all = || {
            (0..n).map(|at| catalog.of_schema(&format!("s{at:06}")).relations.len()).sum::<usize>()
        };
        let (found, steps) = steps::counted(all);
        assert_eq!(found, n);
        [steps; 2]
    };
    // A search in an order takes a few steps more.
    is_linear_from(4_000, "tenants", of);
}
