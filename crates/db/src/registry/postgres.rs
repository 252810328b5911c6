//! PostgreSQL's databases as locations.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use duet_model::tenant::TenantName;
use duet_model::{Code, CollectionTable, Error, Result};
use duet_sql::{Dialect, Postgres};

use crate::indexes::{self, IndexEntry};
use crate::limits::{Capture, Limits};
use crate::load::{self, Load, Loaded};
use crate::location::{Entry, Location, OpenOptions, Pending};
use crate::migrate::{
    self, Indexes, Observer, Options, Plan, Prepared, apply_postgres, plan_postgres,
};
use crate::own_rights::OwnPart;
use crate::own_tables::grant_to_server;
use crate::postgres::connect::{Environment, Settings};
use crate::postgres::{self, Database, most_connections, prepare_changes, remove_changes};
use crate::raw::ConnectOptions;
use crate::state::StateTable;
use crate::store::SharedStore;
use crate::tenants::{self, SchemaState};
use crate::{idempotency, journal, sample_copy};

pub(super) const ENTRY: Entry = Entry {
    schemes: &["postgres://", "postgresql://"],
    forms: &["`postgres://user@host/database`", "`host=… dbname=…`"],
    takes: |text, folder| is_keyword_value(text) && !folder.join(text).exists(),
    // Indexes are compared with what each server prints: those of one without ICU are its own.
    dialect: &Postgres { icu: true },
    locate: |text, _: &Path| Ok(Arc::new(PostgresUrl(text.to_owned()))),
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

    fn libpq(&self, environment: Environment<'_>) -> Option<Result<Settings>> {
        Some(Settings::from_url(&self.0, environment))
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
            let database = Database::open(self.settings()?, options.limits).await?;
            Ok(Arc::new(database) as SharedStore)
        })
    }

    fn plain(&self) -> Result<ConnectOptions> {
        Ok(ConnectOptions::Postgres(self.settings()?.connector()?))
    }

    fn connections(&self, limits: &Limits) -> Result<Option<(String, usize)>> {
        Ok(Some((self.settings()?.server(), most_connections(limits))))
    }

    fn load<'a>(&'a self, load: &'a Load) -> Pending<'a, Loaded> {
        Box::pin(async move { load::into_postgres(&self.settings()?, load).await })
    }

    fn make_own(&self, part: OwnPart) -> Pending<'_, bool> {
        Box::pin(async move {
            let settings = self.settings()?;
            match part {
                OwnPart::Keys => idempotency::prepare_postgres(&settings).await,
                OwnPart::Journal => journal::prepare_postgres(&settings).await,
                OwnPart::Changes | OwnPart::State => Err(Error::new(
                    Code::Setting,
                    "These tables are made by commands of their own.",
                )),
            }
        })
    }

    fn own_table(&self, name: &str) -> String {
        format!("duet.{name}")
    }

    fn has_roles(&self) -> bool {
        true
    }

    fn grant<'a>(&'a self, part: OwnPart, role: &'a str) -> Pending<'a, ()> {
        Box::pin(async move { grant_to_server(&self.settings()?, part, role).await })
    }

    fn plan_migration(&self, tables: Vec<CollectionTable>, options: Options) -> Pending<'_, Plan> {
        Box::pin(async move { plan_postgres(&self.settings()?, tables, options).await })
    }

    fn migrate<'a>(
        &'a self,
        tables: Vec<CollectionTable>,
        options: Options,
        observer: Observer<'a>,
    ) -> Pending<'a, Plan> {
        Box::pin(async move { apply_postgres(&self.settings()?, tables, options, observer).await })
    }

    fn prepare_collections(
        &self,
        tables: Vec<CollectionTable>,
        indexes: Indexes,
    ) -> Pending<'_, Prepared> {
        Box::pin(async move { migrate::prepare_postgres(&self.settings()?, tables, indexes).await })
    }

    fn indexes(&self) -> Pending<'_, Vec<IndexEntry>> {
        Box::pin(async move { indexes::of_postgres(&self.settings()?).await })
    }

    fn indexes_counted_since(&self) -> Pending<'_, Option<String>> {
        Box::pin(async move { sample_copy::counted_since(&self.settings()?).await })
    }

    fn copy_sample<'a>(
        &'a self,
        (_, schema): (&'a dyn Location, Option<&'a str>),
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

    fn state_table(&self) -> Result<Option<StateTable>> {
        StateTable::new(&self.settings()?).map(Some)
    }

    fn prepare_changes(&self, means: Capture) -> Pending<'_, postgres::Prepared> {
        Box::pin(async move { prepare_changes(&self.settings()?, means).await })
    }

    fn remove_changes(&self) -> Pending<'_, Vec<&'static str>> {
        Box::pin(async move { remove_changes(&self.settings()?).await })
    }
}
