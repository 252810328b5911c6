//! Order entry by functions of PostgreSQL: one call, so one round trip and one commit, per
//! transaction.

use std::time::Duration;

use duet_bench::targets::sql::{DatabaseAddress, SESSION};
use duet_bench::workload::{Done, Failed, Success, TransactionContext};
use duet_client::{Connection, Statement};
use duet_model::Value;
use duet_verdict::outcome::Outcome;
use duet_verdict::result::Dml;

use super::Facts;
use super::checks::Check;
use super::db::Db;

/// The functions.
const FUNCTIONS: &str = include_str!("../../data/soe/functions.sql");

/// The comment on each of them, which marks its owner.
const MARK: &str = "order entry of duet bench";

/// The public ones with their parameters, in the order of [`super::KINDS`].
pub(super) const CALLS: [(&str, &[&str]); 9] = [
    (
        "newcustomer",
        &[
            "first_name",
            "last_name",
            "lang",
            "territory",
            "town_name",
            "county_name",
            "country_name",
            "min_sleep",
            "max_sleep",
        ],
    ),
    (
        "updatecustomerdetails",
        &[
            "first_name",
            "last_name",
            "town_name",
            "county_name",
            "country_name",
            "min_sleep",
            "max_sleep",
        ],
    ),
    ("browseproducts", &["cust", "products", "min_sleep", "max_sleep"]),
    ("neworder", &["cust", "categories", "warehouses", "min_sleep", "max_sleep"]),
    ("processorders", &["warehouse", "min_sleep", "max_sleep"]),
    ("browseandupdateorders", &["cust", "min_sleep", "max_sleep"]),
    ("salesrepsquery", &["representative", "min_sleep", "max_sleep"]),
    ("warehouseordersquery", &["warehouse", "min_sleep", "max_sleep"]),
    ("warehouseactivityquery", &["warehouse", "min_sleep", "max_sleep"]),
];

/// The internal ones.
const HELPERS: [&str; 3] = ["duet_think", "duet_between", "duet_logon"];

/// Creates or replaces the functions.
///
/// # Errors
/// If a function with one of the names is not ours, or the database refuses.
pub(super) async fn install(connection: &mut Connection) -> Result<(), Failed> {
    let names: Vec<&str> = CALLS.iter().map(|(name, _)| *name).chain(HELPERS).collect();
    let foreign = format!(
        "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
         WHERE n.nspname = 'soe' AND p.proname IN ('{}') \
         AND coalesce(obj_description(p.oid, 'pg_proc'), '') <> '{MARK}'",
        names.join("', '")
    );
    if let Some(name) = connection.ask(&foreign, &[]).await?.first(0) {
        let message = format!("soe.{name} is a function of another owner: rename or drop it");
        return Err(Failed::new(Outcome::Other, message));
    }
    let mark = |name: &&str| format!("COMMENT ON FUNCTION soe.{name} IS '{MARK}';\n");
    let marks: String = names.iter().map(mark).collect();
    // Simultaneous runs would otherwise replace the same row of the catalog.
    let lock = "SELECT pg_advisory_xact_lock(7263118)";
    connection.script(&format!("BEGIN; {lock}; {FUNCTIONS}\n{marks} COMMIT")).await?;
    Ok(())
}

/// Creates the functions in a given database, for a service that starts afterwards.
///
/// # Errors
/// If the database is unreachable, has no functions, or refuses.
pub async fn prepare_functions(database: &DatabaseAddress) -> Result<(), Failed> {
    let mut connection = Connection::open(&database.target()?, SESSION).await?;
    install(&mut connection).await
}

/// The prepared calls.
pub(super) struct Server {
    calls: Vec<Statement>,
}

impl Server {
    pub(super) async fn prepare(db: &mut Db) -> Result<Self, Failed> {
        let mut calls = Vec::with_capacity(CALLS.len());
        for (name, parameters) in CALLS {
            let places = (1..=parameters.len()).map(|place| format!("${place}"));
            let places: Vec<String> = places.collect();
            let counts: Vec<String> = (1..=7).map(|place| format!("r[{place}]")).collect();
            let (counts, places) = (counts.join(", "), places.join(", "));
            let call = format!("SELECT {counts} FROM {{s}}{name}({places}) AS r");
            calls.push(db.prepare(&call).await?);
        }
        Ok(Self { calls })
    }

    /// Runs the type with this index in [`super::KINDS`].
    pub(super) async fn run(
        &self,
        db: &mut Db,
        kind: usize,
        context: &mut TransactionContext,
    ) -> Done {
        let values = arguments(&db.facts, kind, context);
        let counts = db.repeated(context, async |db, context| {
            db.call(context, &self.calls[kind], &values).await
        });
        let counts = counts.await?;
        let of = |place| counts.first_int(place).and_then(|count| u64::try_from(count).ok());
        let counts: Option<Vec<u64>> = (0..7).map(of).collect();
        db.checks.hold(Check::FunctionCounts, counts.is_some(), || {
            "the function did not return its counts".to_owned()
        })?;
        count(kind, &counts.unwrap_or_default(), context)
    }
}

/// The arguments of a call: its subject, and the think time within it in milliseconds.
pub(super) fn arguments(
    facts: &Facts,
    kind: usize,
    context: &mut TransactionContext,
) -> Vec<Value> {
    let mut values = keys(facts, kind, context);
    let think = |at: usize| i64::try_from(context.think[at].as_millis()).unwrap_or(i64::MAX);
    values.extend([0, 1].map(|at| Value::Int(think(at))));
    values
}

/// The subject of a call.
fn keys(facts: &Facts, kind: usize, context: &mut TransactionContext) -> Vec<Value> {
    let text = |text: &str| Value::Text(text.to_owned());
    let (products, warehouses) = (Value::Int(facts.products), Value::Int(facts.warehouses));
    match kind {
        0 => {
            let (first, last) = facts.people.name(&mut context.random);
            let (language, territory) = facts.people.region(&mut context.random);
            let [town, county, country] = facts.people.place(&mut context.random);
            [first, last, language, territory, town, county, country].map(text).into()
        }
        1 => {
            let (first, last) = facts.people.name(&mut context.random);
            let [town, county, country] = facts.people.place(&mut context.random);
            [first, last, town, county, country].map(text).into()
        }
        2 => vec![Value::Int(facts.someone(&mut context.random)), products],
        3 => {
            let customer = Value::Int(facts.someone(&mut context.random));
            vec![customer, Value::Int(facts.categories), warehouses]
        }
        5 => vec![Value::Int(facts.someone(&mut context.random))],
        6 => vec![Value::Int(context.random.i64(1..1_000))],
        _ => vec![Value::Int(facts.anywhere(&mut context.random))],
    }
}

/// Adds the counts that a function returned: selects, inserts, updates, deletes, commits,
/// rollbacks, milliseconds slept. The call was its own transaction.
pub(super) fn count(kind: usize, counts: &[u64], context: &mut TransactionContext) -> Done {
    let [selects, inserts, updates, deletes, _, _, slept] = *counts else {
        return Err(Failed::check("the function did not return its counts"));
    };
    let dml = Dml { selects, inserts, updates, deletes, commits: 1, rollbacks: 0 };
    context.work.dml.add(&dml);
    context.slept += Duration::from_millis(slept);
    Ok(match kind {
        1 | 3 | 4 | 5 if updates == 0 => Success::Empty,
        _ => Success::Ok,
    })
}
