//! PostgreSQL's databases as locations.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use duet_client::connect::Settings;
use duet_model::tenant::TenantName;
use duet_model::{CollectionTable, Result};
use duet_sql::{Dialect, Postgres};
use duet_store::commits::captured;
use duet_store::database::SharedStore;
use duet_store::limits::{Capture, Limits};
use duet_store::location::{
    ConnectionAllowance, Location, OpenOptions, Pending, PlainTarget, StoreEntry,
};
use duet_store::setup::copy::CopyTarget;
use duet_store::setup::indexes::IndexEntry;
use duet_store::setup::load::{Load, LoadedRows};
use duet_store::setup::migrate::{
    DeclaredObjects, Indexes, MadeObjects, Observer, Options, Plan, TriedPlan,
};
use duet_store::setup::own_part::OwnPart;
use duet_store::setup::state::StateTable;
use duet_store::setup::tenants::SchemaState;

use crate::changes::prepare;
use crate::connection::allowance;
use crate::database::{Database, most_connections};
use crate::own::announce::announce_schema;
use crate::own::rights::grants;
use crate::own::state::PostgresState;
use crate::own::tables::{grant_to_server, make_own, run_script};
use crate::setup::copy::PostgresTarget;
use crate::setup::migrate::{apply_postgres, prepare_postgres, try_postgres};
use crate::setup::{indexes, load, sample_copy, tenants};

/// How databases of PostgreSQL are named and opened.
pub const ENTRY: StoreEntry = StoreEntry {
    schemes: &["postgres://", "postgresql://"],
    forms: &["`postgres://user@host/database`", "`host=… dbname=…`"],
    takes: |text, folder| is_keyword_value(text) && !folder.join(text).exists(),
    // Indexes are compared with what each server prints: those of one without ICU are its own.
    dialect: &Postgres { icu: true },
    locate: |text, _: &Path| Ok(Arc::new(PostgresUrl(text.to_owned()))),
    file: None,
};

/// A connection string in libpq's forms.
#[derive(Debug)]
struct PostgresUrl(String);

/// The other form of libpq's connection strings: `host=db dbname=shop`.
fn is_keyword_value(text: &str) -> bool {
    let keyword = text.split_once('=').map(|(keyword, _)| keyword.trim_end());
    keyword.is_some_and(|keyword| {
        !keyword.is_empty() && keyword.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    })
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl PostgresUrl {
    fn settings(&self) -> Result<Settings> {
        Settings::from_url(&self.0, &environment)
    }
}

impl Location for PostgresUrl {
    fn store(&self) -> &'static str {
        "postgres"
    }

    fn title(&self) -> &'static str {
        "PostgreSQL"
    }

    fn describe(&self) -> Result<String> {
        Ok(self.settings()?.describe())
    }

    fn name(&self) -> Result<String> {
        Ok(self.settings()?.database().to_owned())
    }

    fn connection_string(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn warnings(&self) -> Result<Vec<String>> {
        Ok(self.settings()?.warnings().to_vec())
    }

    fn dialect(&self) -> &'static dyn Dialect {
        ENTRY.dialect
    }

    fn default_schema(&self) -> Option<&'static str> {
        Some("public")
    }

    fn open(&self, options: OpenOptions) -> Pending<'_, SharedStore> {
        Box::pin(async move {
            let database = {
                let OpenOptions { limits, standbys, .. } = options;
                Database::open_with(self.settings()?, limits, &standbys).await?
            };
            Ok(Arc::new(database) as SharedStore)
        })
    }

    fn plain(&self) -> Result<PlainTarget> {
        Ok(PlainTarget::Libpq(self.0.clone()))
    }

    fn connections(&self, limits: &Limits) -> Result<Option<(String, usize)>> {
        Ok(Some((self.settings()?.server(), most_connections(limits))))
    }

    fn allowed_connections(&self, limit: Duration) -> Pending<'_, Option<ConnectionAllowance>> {
        Box::pin(async move { allowance::allowed(&self.settings()?, limit).await })
    }

    fn load<'a>(&'a self, load: &'a Load) -> Pending<'a, LoadedRows> {
        Box::pin(async move { load::into_postgres(&self.settings()?, load).await })
    }

    fn make_own(&self, part: OwnPart) -> Pending<'_, bool> {
        Box::pin(async move { make_own(&self.settings()?, part).await })
    }

    fn run_script<'a>(&'a self, script: &'a str) -> Pending<'a, ()> {
        Box::pin(async move { run_script(&self.settings()?, script).await })
    }

    fn own_table(&self, name: &str) -> String {
        format!("duet.{name}")
    }

    fn has_roles(&self) -> bool {
        true
    }

    fn grants(&self, part: OwnPart, role: &str) -> Vec<String> {
        grants(part, role)
    }

    fn grant<'a>(&'a self, part: OwnPart, role: &'a str) -> Pending<'a, ()> {
        Box::pin(async move { grant_to_server(&self.settings()?, part, role).await })
    }

    fn copy_target(&self, schema: Option<String>) -> Pending<'_, Box<dyn CopyTarget>> {
        Box::pin(async move {
            let target = PostgresTarget::connect(&self.settings()?, schema).await?;
            Ok(Box::new(target) as Box<dyn CopyTarget>)
        })
    }

    fn try_migration(&self, declared: DeclaredObjects, options: Options) -> Pending<'_, TriedPlan> {
        Box::pin(async move { try_postgres(&self.settings()?, declared, options).await })
    }

    fn migrate<'a>(
        &'a self,
        declared: DeclaredObjects,
        options: Options,
        observer: Observer<'a>,
    ) -> Pending<'a, Plan> {
        Box::pin(
            async move { apply_postgres(&self.settings()?, declared, options, observer).await },
        )
    }

    fn prepare_collections(
        &self,
        tables: Vec<CollectionTable>,
        indexes: Indexes,
    ) -> Pending<'_, MadeObjects> {
        Box::pin(async move { prepare_postgres(&self.settings()?, tables, indexes).await })
    }

    fn indexes(&self) -> Pending<'_, Vec<IndexEntry>> {
        Box::pin(async move { indexes::of_postgres(&self.settings()?).await })
    }

    fn indexes_counted_since(&self) -> Pending<'_, Option<String>> {
        Box::pin(async move { sample_copy::counted_since(&self.settings()?).await })
    }

    fn copy_sample<'a>(
        &'a self,
        _: &'a dyn Location,
        schema: Option<&'a str>,
        tables: Vec<CollectionTable>,
        rows: u64,
    ) -> Pending<'a, ()> {
        let from = schema.unwrap_or("public");
        Box::pin(
            async move { sample_copy::copy_postgres(&self.settings()?, from, tables, rows).await },
        )
    }

    fn drop_sample(&self) -> Pending<'_, ()> {
        Box::pin(async move { sample_copy::drop_postgres(&self.settings()?).await })
    }

    fn sample_schema(&self) -> Option<&'static str> {
        Some(sample_copy::SCHEMA)
    }

    fn tenants<'a>(&'a self, suffix: &'a str) -> Pending<'a, BTreeMap<TenantName, u32>> {
        Box::pin(async move { tenants::list(&self.settings()?, suffix).await })
    }

    fn tenant_state<'a>(
        &'a self,
        name: &'a TenantName,
        suffix: &'a str,
    ) -> Pending<'a, SchemaState> {
        Box::pin(async move { tenants::state(&self.settings()?, name, suffix).await })
    }

    fn drop_tenant<'a>(&'a self, name: &'a TenantName, suffix: &'a str) -> Pending<'a, bool> {
        Box::pin(async move { tenants::drop_schema(&self.settings()?, name, suffix).await })
    }

    fn state_table(&self) -> Result<Option<Box<dyn StateTable>>> {
        Ok(Some(Box::new(PostgresState::new(&self.settings()?)?)))
    }

    fn prepare_changes(&self, means: Capture) -> Pending<'_, captured::CaptureSetup> {
        Box::pin(async move { prepare::prepare(&self.settings()?, means).await })
    }

    fn announce_schema(&self) -> Pending<'_, ()> {
        Box::pin(async move { announce_schema(&self.settings()?).await })
    }

    fn remove_changes(&self) -> Pending<'_, Vec<&'static str>> {
        Box::pin(async move { prepare::remove(&self.settings()?).await })
    }
}
