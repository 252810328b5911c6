//! The databases of an application's tenants: a file each in a folder of SQLite files, a schema each in a
//! PostgreSQL database. `duet serve` opens them, `duet tenant` and the tenant API make and remove them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_model::memory::Budget;
use duet_model::tenant::TenantName;
use duet_model::{Error, Result};
use duet_service::TenantSource;
use duet_service::definition::{self, DesignMistake, Mounts, Origin, Reread};
use duet_service::tenants::{TenantData, TenantIdentity, TenantParts};
use duet_store::setup::load::{Load, LoadSource};
use duet_store::setup::migrate::{Indexes, MadeObjects};
use duet_store::setup::tenants::{self, SchemaState};
use duet_store::{OwnPart, SharedStore};
use futures_util::FutureExt as _;

use super::{database, table_scripts};
use crate::application::Application;
use crate::configuration_error::{self, ConfigurationError};
use crate::database_url::DatabaseUrl;
use crate::settings::Settings;

/// The end of the names of files.
const FILE_END: &str = ".db";

/// The files that SQLite has beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The databases of an application's tenants.
#[derive(Debug)]
pub(in crate::commands) struct TenantDatabases {
    /// The application's files, with its schema as the end of its tenants' schemas.
    application: Application,
    /// What is served, with the limits of the settings.
    definition: definition::Application,
    origin: Option<Arc<dyn Origin>>,
    database: DatabaseUrl,
    settings: Settings,
    memory: Budget,
    /// The PostgreSQL database, whose connections all tenants share.
    shared: Option<SharedStore>,
}

impl TenantDatabases {
    /// The databases of an application with tenants.
    ///
    /// # Errors
    /// Where no schema can be named after the application, or the folder of files is none.
    pub(in crate::commands) fn new(
        application: Application,
        definition: definition::Application,
        database: DatabaseUrl,
        settings: Settings,
    ) -> Result<Self> {
        let databases = Self {
            application,
            definition,
            origin: None,
            database,
            settings,
            memory: Budget::unlimited(),
            shared: None,
        };
        databases.suffix()?;
        Ok(databases)
    }

    /// The same for a server: with the store that tenants share, and what reads the application again.
    #[must_use]
    pub(in crate::commands) fn served(
        self,
        store: &SharedStore,
        memory: &Budget,
        origin: Option<Arc<dyn Origin>>,
    ) -> Self {
        let shared = Some(store.clone()).filter(|store| store.is_shared_by_tenants());
        Self { shared, memory: memory.clone(), origin, ..self }
    }

    fn suffix(&self) -> configuration_error::Result<String> {
        suffix_of(&self.definition)
    }

    /// The file of a tenant, where tenants have files.
    fn file(&self, name: &TenantName) -> Option<PathBuf> {
        self.database.path().map(|folder| file_of(folder, name))
    }

    /// The schema of a tenant, where tenants have schemas.
    fn schema(&self, name: &TenantName) -> Result<Option<String>> {
        match self.database.path() {
            Some(_) => Ok(None),
            None => Ok(Some(tenants::schema_of(name, &self.suffix()?))),
        }
    }

    /// What the schema of a tenant is.
    fn state(&self, name: &TenantName) -> Result<SchemaState> {
        let suffix = self.suffix()?;
        crate::runtime::runtime()?.block_on(self.database.tenant_state(name, &suffix))
    }

    /// Refuses a schema of the tenant's name that is something else.
    fn check_schema(&self, name: &TenantName) -> Result<()> {
        let suffix = self.suffix()?;
        let schema = tenants::schema_of(name, &suffix);
        match self.state(name)? {
            SchemaState::Absent | SchemaState::Tenant(_) => Ok(()),
            SchemaState::Taken(owner) => Err(tenants::taken(&schema, &owner)),
            SchemaState::Other => {
                let message = format!(
                    "There is a schema {schema:?} that is not a tenant's. Nothing was made."
                );
                let hint = format!(
                    "Where it is to be this tenant's, run `{}` as its owner.",
                    tenants::mark_statement(name, &suffix)
                );
                Err(ConfigurationError::source(message).hint(hint).into())
            }
        }
    }

    /// The application as files, over the schema of a tenant.
    fn application_of(&self, schema: Option<&str>) -> Application {
        let mut application = self.application.clone();
        application.definition = over(application.definition, schema);
        application
    }

    /// Makes a tenant that is not there, whole or not at all.
    fn make(&self, name: &TenantName, data: TenantData) -> Result<Vec<String>> {
        let schema = self.schema(name)?;
        let application = self.application_of(schema.as_deref());
        let made = table_scripts::tenant(&application, &self.database, data.sample)?;
        let mut load = Load { schema, ..made };
        let runtime = crate::runtime::runtime()?;
        match self.database.path() {
            Some(folder) => {
                let failed = |error: std::io::Error| cannot(folder, "written", &error);
                fs::create_dir_all(folder).map_err(failed)?;
                // Under a name that no tenant has until it is whole.
                let (making, file) = (
                    folder.join(format!(".{name}.{}{FILE_END}", std::process::id())),
                    folder.join(format!("{name}{FILE_END}")),
                );
                remove_files(&making).map_err(failed)?;
                let new = self.database.beside(making.clone());
                runtime.block_on(new.load(&load))?;
                runtime.block_on(new.make_own(OwnPart::Keys))?;
                // A log that is left of a removed tenant would be taken for this one's.
                remove_files(&file).map_err(failed)?;
                fs::rename(&making, &file).map_err(failed)?;
                Ok(vec![format!("file {}", file.display())])
            }
            None => {
                let text = tenants::mark_statement(name, &self.suffix()?);
                let mark = LoadSource::Script { name: "the mark of the schema".to_owned(), text };
                load.sources.push(mark);
                let made = format!("schema {}", load.schema.clone().unwrap_or_default());
                runtime.block_on(self.database.load(&load))?;
                Ok(vec![made])
            }
        }
    }

    /// Makes what a tenant lacks of what is declared.
    fn upgrade(&self, name: &TenantName) -> Result<Vec<String>> {
        let schema = self.schema(name)?;
        let application = self.application_of(schema.as_deref());
        let tables = table_scripts::tables(&application, schema.as_deref());
        let sources = table_scripts::prepare_scripts(&application, &self.database);
        let scripts = Load { sources, schema, ..Load::default() };
        let database = match self.file(name) {
            Some(file) => self.database.beside(file),
            None => self.database.clone(),
        };
        let runtime = crate::runtime::runtime()?;
        let prepared = runtime.block_on(database.prepare_collections(tables, Indexes::Declared))?;
        runtime.block_on(database.load(&scripts))?;
        let MadeObjects { extensions, tables, columns, indexes, .. } = prepared;
        let all =
            [("extension", extensions), ("table", tables), ("column", columns), ("index", indexes)];
        let named = |(kind, names): (&str, Vec<String>)| {
            names.into_iter().map(|name| format!("{kind} {name}")).collect::<Vec<_>>()
        };
        Ok(all.into_iter().flat_map(named).collect())
    }
}

impl TenantSource for TenantDatabases {
    fn list(&self) -> Result<BTreeMap<TenantName, TenantIdentity>> {
        match self.database.path() {
            Some(folder) => Ok(files(folder)?),
            None => {
                let suffix = self.suffix()?;
                let found = crate::runtime::runtime()?.block_on(self.database.tenants(&suffix))?;
                Ok(found.into_iter().map(|(name, number)| (name, of_schema(number))).collect())
            }
        }
    }

    fn find(&self, name: &TenantName) -> Result<Option<TenantIdentity>> {
        match self.file(name) {
            Some(file) => Ok(of_file(&file)?),
            None => Ok(match self.state(name)? {
                SchemaState::Tenant(number) => Some(of_schema(number)),
                SchemaState::Absent | SchemaState::Taken(_) | SchemaState::Other => None,
            }),
        }
    }

    fn open(&self, name: &TenantName) -> Result<TenantParts> {
        let schema = self.schema(name)?;
        let store = match (self.file(name), &self.shared) {
            (Some(file), _) => {
                let database = self.database.beside(file);
                let opened = database::open_with(&database, &self.settings, 0, &self.memory);
                // Files are opened at once: the caller may be on a thread that runs requests.
                opened.now_or_never().ok_or_else(|| Error::internal("a file takes a while"))??
            }
            (None, Some(shared)) => shared.clone(),
            (None, None) => return Err(Error::internal("tenants without a shared store")),
        };
        let application = over(self.definition.clone(), schema.as_deref());
        let origin = self.origin.clone().map(|inner| -> Arc<dyn Origin> {
            Arc::new(TenantOrigin { inner, schema: schema.clone() })
        });
        Ok(TenantParts { store, application, origin })
    }

    fn prepare(&self, name: &TenantName, data: TenantData) -> Result<Vec<String>> {
        if self.find(name)?.is_some() {
            return self.upgrade(name);
        }
        if self.file(name).is_none() {
            self.check_schema(name)?;
        }
        self.make(name, data)
    }

    fn remove(&self, name: &TenantName) -> Result<bool> {
        let Some(file) = self.file(name) else {
            let suffix = self.suffix()?;
            return crate::runtime::runtime()?.block_on(self.database.drop_tenant(name, &suffix));
        };
        if !file.is_file() {
            return Ok(false);
        }
        remove_files(&file).map_err(|error| cannot(&file, "removed", &error))?;
        Ok(true)
    }
}

/// What follows the tenant's name and `_` in the name of its schema: the application's `schema`, else its name.
pub(in crate::commands) fn suffix_of(
    application: &definition::Application,
) -> configuration_error::Result<String> {
    let declared = match &application.mounts {
        Mounts::Declared(mount) => mount.schema.clone(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    };
    let suffix = declared.unwrap_or_else(|| application.name.replace('-', "_"));
    suffix.parse::<TenantName>().map(|suffix| suffix.to_string()).map_err(|_| {
        let message = format!("No schema of a tenant can end with `_{suffix}`.");
        ConfigurationError::setting(message).hint(
            "Set `schema` in app.toml: 31 lower-case letters, digits and `_` at most, the first a letter.",
        )
    })
}

pub(in crate::commands) fn file_of(folder: &Path, name: &TenantName) -> PathBuf {
    folder.join(format!("{name}{FILE_END}"))
}

/// The application over a tenant's schema. Its rowstores fill as items are read: bringing all tenants' items into
/// memory at the start would take the room of those in use.
pub(in crate::commands) fn over(
    application: definition::Application,
    schema: Option<&str>,
) -> definition::Application {
    let Mounts::Declared(mut mount) = application.mounts else { return application };
    mount.schema = schema.map(str::to_owned);
    mount.resources.iter_mut().for_each(|resource| resource.rowstore_populate = false);
    definition::Application { mounts: Mounts::Declared(mount), ..application }
}

/// An application that is read again for one of its tenants.
#[derive(Debug)]
struct TenantOrigin {
    inner: Arc<dyn Origin>,
    schema: Option<String>,
}

impl Origin for TenantOrigin {
    fn read(&self) -> Result<Reread> {
        let Reread { application, notes } = self.inner.read()?;
        Ok(Reread { application: over(application, self.schema.as_deref()), notes })
    }

    fn draft(
        &self,
        file: &str,
        text: &str,
    ) -> std::result::Result<definition::Application, Vec<DesignMistake>> {
        Ok(over(self.inner.draft(file, text)?, self.schema.as_deref()))
    }

    fn stored(&self, file: &str) -> Result<Option<String>> {
        self.inner.stored(file)
    }

    fn store(&self, file: &str, text: &str) -> Result<()> {
        self.inner.store(file, text)
    }
}

/// The application itself, which serves nothing: each request is for a tenant.
#[derive(Debug)]
pub(in crate::commands) struct EmptyOrigin(pub(in crate::commands) Arc<dyn Origin>);

impl Origin for EmptyOrigin {
    fn read(&self) -> Result<Reread> {
        let Reread { application, notes } = self.0.read()?;
        Ok(Reread { application: application.without_resources(), notes })
    }

    fn draft(
        &self,
        file: &str,
        text: &str,
    ) -> std::result::Result<definition::Application, Vec<DesignMistake>> {
        Ok(self.0.draft(file, text)?.without_resources())
    }

    fn stored(&self, file: &str) -> Result<Option<String>> {
        self.0.stored(file)
    }

    fn store(&self, file: &str, text: &str) -> Result<()> {
        self.0.store(file, text)
    }
}

/// The database of the application itself: an empty file in the folder of its tenants' files, whose name no tenant
/// can have, or the PostgreSQL database.
///
/// # Errors
/// Where the folder does not exist or cannot be written.
pub(in crate::commands) fn of_application(
    database: &DatabaseUrl,
) -> configuration_error::Result<DatabaseUrl> {
    let Some(folder) = database.path() else { return Ok(database.clone()) };
    if !folder.is_dir() {
        let message =
            format!("{} is no folder, and tenants have a file each in one.", folder.display());
        return Err(ConfigurationError::file(message)
            .hint("`duet tenant create NAME` makes it, with the first tenant."));
    }
    let file = folder.join(".duet.db");
    let opened = fs::OpenOptions::new().create(true).append(true).open(&file);
    opened.map_err(|error| cannot(&file, "written", &error))?;
    Ok(database.beside(file))
}

/// What distinguishes a schema: its number in the catalog.
fn of_schema(number: u32) -> TenantIdentity {
    TenantIdentity(0, u64::from(number))
}

/// What distinguishes the file of a tenant, where there is one.
fn of_file(file: &Path) -> configuration_error::Result<Option<TenantIdentity>> {
    match fs::metadata(file) {
        Ok(found) if found.is_file() => Ok(Some(TenantIdentity(found.dev(), found.ino()))),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot(file, "read", &error)),
    }
}

/// The tenants with a file in a folder.
fn files(folder: &Path) -> configuration_error::Result<BTreeMap<TenantName, TenantIdentity>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(cannot(folder, "read", &error)),
    };
    let tenant = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let name = entry.file_name().to_str()?.strip_suffix(FILE_END)?.parse().ok()?;
        Some((name, of_file(&entry.path()).ok()??))
    };
    Ok(entries.filter_map(tenant).collect())
}

/// A place of tenants that does not let itself be read or changed.
fn cannot(place: &Path, be: &str, error: &std::io::Error) -> ConfigurationError {
    ConfigurationError::file(format!("{} cannot be {be}.", place.display())).cause(error)
}

/// Removes a database and what SQLite has beside it, as far as they exist: the database first, so that an
/// interruption leaves no tenant with a part of its rows.
fn remove_files(file: &Path) -> std::io::Result<()> {
    for end in [""].into_iter().chain(BESIDE) {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        match fs::remove_file(PathBuf::from(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
