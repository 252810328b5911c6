//! Reads the facts about order entry's data that users need.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_bench::targets::http::{self, Url};
use duet_bench::targets::sql::{DatabaseAddress, SESSION};
use duet_bench::workload::rest::Access;
use duet_bench::workload::{Failed, MixOptions};
use duet_client::{Connection, Failure, FailureKind};
use duet_verdict::outcome::Outcome;

use super::dialect::{self, SET};
use super::facts::{Facts, PRESETS, RestService, Side, kinds};
use super::people::People;
use super::server;
use crate::generate::Engine;

/// The requested options.
#[derive(Clone)]
pub struct SoeOptions {
    /// Where the logic runs.
    pub side: Side,
    /// The base URL of a REST service's functions or tables, with its credentials.
    pub service: Option<(Url, Access)>,
    /// Weights; the presets are [`PRESETS`], the default is [`Side::preset`].
    pub wanted: MixOptions,
    /// Whether to keep quirks of the original.
    pub compat: bool,
    /// The number of retries after a deadlock or a conflict; 3 by default.
    pub retries: u32,
    /// The timeout of statements, which fail after it; 120 s by default.
    pub timeout: Duration,
}

impl SoeOptions {
    /// The defaults.
    pub fn of(side: Side) -> Self {
        let timeout = Duration::from_secs(120);
        let wanted = MixOptions::default();
        Self { side, service: None, wanted, compat: false, retries: 3, timeout }
    }
}

/// Reads the data that users need; creates the functions too, if functions of the database run the
/// logic.
///
/// # Errors
/// If the options are wrong, or the database is unreachable or has no order entry.
pub async fn discover(database: &DatabaseAddress, options: &SoeOptions) -> Result<Facts, Failed> {
    let weights = weights(options).map_err(|message| Failed::new(Outcome::Other, message))?;
    let target = database.target()?;
    let mut connection = Connection::open(&target, SESSION).await?;
    let bounds = bounds(&mut connection).await?;
    let is_postgres = Engine::of(&target) == Engine::Postgres;
    if options.side.has_functions() && is_postgres {
        server::install(&mut connection).await?;
    }
    if options.side != Side::RestClient && is_postgres {
        dialect::follow(&mut connection).await?;
    }
    let bound = |name: &str| bounds.get(name).copied().unwrap_or(1);
    Ok(Facts {
        database: database.clone(),
        side: options.side,
        service: service(options, is_postgres).await?,
        first_key: match options.side {
            Side::RestClient => first_key(&mut connection).await?,
            _ => 0,
        },
        customers: [bound("SOE_MIN_CUSTOMER_ID"), bound("SOE_MAX_CUSTOMER_ID")],
        products: bound("SOE_PRODUCTS"),
        warehouses: bound("SOE_WAREHOUSES"),
        categories: bound("SOE_CATEGORIES"),
        people: People::read(&mut connection).await?,
        weights,
        compat: options.compat,
        retries: options.retries,
        timeout: options.timeout,
    })
}

/// Updates the facts that earlier runs have changed by adding rows: the first key.
///
/// # Errors
/// If the database cannot be queried.
pub async fn renew(facts: &mut Facts) -> Result<(), Failed> {
    if facts.side == Side::RestClient {
        let mut connection = Connection::open(&facts.database.target()?, SESSION).await?;
        facts.first_key = first_key(&mut connection).await?;
        connection.close().await;
    }
    Ok(())
}

fn weights(options: &SoeOptions) -> Result<Vec<f64>, String> {
    let mut wanted = options.wanted.clone();
    wanted.preset.get_or_insert_with(|| options.side.preset().to_owned());
    let mut kinds = kinds();
    wanted.apply(&mut kinds, &PRESETS)?;
    if options.compat && options.side != Side::Client {
        return Err(
            "the quirks of the original are those of its client: they need soe-client".into()
        );
    }
    Ok(kinds.iter().map(|kind| kind.weight).collect())
}

/// The service with its token.
async fn service(options: &SoeOptions, is_postgres: bool) -> Result<Option<RestService>, Failed> {
    if !options.side.has_service() {
        return Ok(None);
    }
    if options.side.has_functions() && !is_postgres {
        let message = "soe-rest needs PostgreSQL behind the service for its functions";
        return Err(Failed::new(Outcome::Other, message));
    }
    let Some((url, access)) = &options.service else {
        return Err(Failed::new(Outcome::Other, "the URL of a service is needed"));
    };
    let mut connection = http::HttpConnection::open(url, options.timeout).await?;
    let mount = url.path.trim_end_matches('/');
    let authorization = access.authorization(&mut connection, url, mount).await?;
    Ok(Some(RestService { url: url.to_string(), authorization }))
}

/// Each run that chooses keys takes a part of a block.
const BLOCK: i64 = dialect::FIRST_KEY;
const BLOCK_PARTS: i64 = 1_000;

/// A number above all existing keys, in a random part of its block, so that simultaneous runs do
/// not collide.
async fn first_key(connection: &mut Connection) -> Result<i64, Failed> {
    let dialect = Engine::spoken_by(connection);
    let mut highest = 0;
    for (table, key) in dialect::KEYS {
        let sql = format!("SELECT coalesce(max({key}), 0) FROM {{s}}{table}");
        let found = connection.ask(&dialect.statement(SET, &sql), &[]).await.map_err(absent)?;
        highest = highest.max(found.first_int(0).unwrap_or(0));
    }
    let part = fastrand::i64(0..BLOCK_PARTS) * (BLOCK / BLOCK_PARTS);
    Ok((highest / BLOCK + 1).saturating_mul(BLOCK).saturating_add(part))
}

/// Bounds from the metadata of the loaded data; a missing one is read from its table.
async fn bounds(connection: &mut Connection) -> Result<BTreeMap<String, i64>, Failed> {
    let dialect = Engine::spoken_by(connection);
    let mut bounds = BTreeMap::new();
    let told = "SELECT metadata_key, metadata_value FROM {s}orderentry_metadata";
    match connection.ask(&dialect.statement(SET, told), &[]).await {
        Ok(rows) => {
            for row in rows.rows {
                let [key, value] = row.as_slice() else { continue };
                if let Ok(value) = value.to_string().parse() {
                    bounds.insert(key.to_string(), value);
                }
            }
        }
        // A missing one, or one that may not be read, says nothing of the tables.
        Err(failure) if [FailureKind::Other, FailureKind::Denied].contains(&failure.kind) => {}
        Err(failure) => return Err(failure.into()),
    }
    for (key, sql) in [
        ("SOE_MIN_CUSTOMER_ID", "SELECT min(customer_id) FROM {s}customers"),
        ("SOE_MAX_CUSTOMER_ID", "SELECT max(customer_id) FROM {s}customers"),
        ("SOE_PRODUCTS", "SELECT max(product_id) FROM {s}product_information"),
        ("SOE_WAREHOUSES", "SELECT max(warehouse_id) FROM {s}warehouses"),
        ("SOE_CATEGORIES", "SELECT max(category_id) FROM {s}product_information"),
    ] {
        if !bounds.contains_key(key) {
            let found = connection.ask(&dialect.statement(SET, sql), &[]).await.map_err(absent)?;
            let found = found.first_int(0);
            let found = found.ok_or_else(|| Failed::check("a table of order entry is empty"))?;
            bounds.insert(key.to_owned(), found);
        }
    }
    Ok(bounds)
}

fn absent(failure: Failure) -> Failed {
    match failure.kind {
        FailureKind::Denied => {
            let message = "the user of the database may not read order entry";
            Failed::new(Outcome::Other, format!("{message}: {failure}"))
        }
        FailureKind::Other => {
            let message = "order entry is not in this database: load its data first";
            Failed::new(Outcome::Other, format!("{message} ({failure})"))
        }
        _ => failure.into(),
    }
}
