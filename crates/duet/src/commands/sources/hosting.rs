//! Opens the applications of a process: their stores and their clients.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use duet_auth::StateFile;
use duet_model::Result;
use duet_model::memory::Budget;
use duet_service::definition::{Origin, TenantChoice};
use duet_service::journal::{JournalDisk, JournalOptions};
use duet_service::{Applications, Auth, Issuer, TenantLimits};
use duet_store::setup::state::StateTable;
use tokio::task::LocalSet;

use super::applications::{Made, Resolved, Served};
use super::database;
use super::tenants::{self, EmptyOrigin, TenantDatabases};
use super::webhooks;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::runtime::now;
use crate::serving::RunClient;
use crate::settings::Settings;

/// The applications, opened.
pub(in crate::commands) struct Hosting {
    pub(in crate::commands) applications: Applications,
    /// The client of the run, if an application uses it.
    pub(in crate::commands) client: Option<RunClient>,
    /// Databases created for the run; removed when this is dropped.
    pub(in crate::commands) made: Option<Made>,
}

/// Opens every application; the first failure aborts the start. All of them count their fetched
/// rows in `memory`. `client` is the client of the run, in case there is no other.
pub(in crate::commands) async fn open(
    served: Served,
    memory: &Budget,
    client: RunClient,
) -> Result<Hosting> {
    let Served { applications: parts, process, made, shares } = served;
    let mut clients = Clients { process: &process, run: &client, issuer: None };
    let others = connections_of_others(&parts, shares)?;
    let mut applications = match &parts[..] {
        // A single application uses the clients of the process.
        [only] => Applications::new(clients.of(&process, Some(&only.database)).await?),
        _ => Applications::new(clients.of(&process, None).await?),
    };
    let single = parts.len() == 1;
    for (part, others) in parts.into_iter().zip(others) {
        let Resolved { definition, database, settings, own_clients, of_tenants, origin } = part;
        let whole = database.clone();
        let database = match &of_tenants {
            Some(_) => tenants::of_application(&database)?,
            None => database,
        };
        let store = database::open_with(&database, &settings, others, memory).await?;
        // A database may have its own clients, in its schema `duet`.
        let keeps_clients = database.state_table()?.is_some();
        let of_process =
            single || !own_clients && (process.state.value.is_some() || !keeps_clients);
        let auth = match of_process {
            true => Arc::clone(applications.auth()),
            false => Arc::new(clients.of(&settings, Some(&database)).await?),
        };
        let name = (!single).then(|| definition.name.clone());
        if let Some(application) = of_tenants {
            let choice = definition.mounts.tenants().unwrap_or(TenantChoice::Token);
            let limits = tenant_limits(&settings);
            let source = TenantDatabases::new(application, definition.clone(), whole, settings)?;
            let source = source.served(&store, memory, origin.clone());
            let origin = origin.map(|inner| -> Arc<dyn Origin> { Arc::new(EmptyOrigin(inner)) });
            applications.open(store, definition.without_resources(), origin, auth).await?;
            applications.add_tenants(choice, Arc::new(source), limits);
            continue;
        }
        applications.open(store, definition, origin, auth).await?;
        if let Some(service) = applications.services().last().filter(|it| webhooks::has_events(it))
        {
            let checked = LocalSet::new().run_until(webhooks::check_database(service)).await;
            checked.map(drop)?;
        }
        if let (Some(options), Some(service)) =
            (journal_options(&settings, &database, name), applications.services().last())
        {
            service.keep_journal(options);
            let check = async { service.attach()?.check_journal().await };
            LocalSet::new().run_until(check).await?;
        }
    }
    let counts = applications.auths().iter().any(|auth| {
        let (id, secret) = (client.client.id.as_str(), client.secret.expose());
        auth.table().authenticate(id, secret).is_some()
    });
    Ok(Hosting { applications, client: counts.then_some(client), made })
}

/// What bounds the tenants of an application.
fn tenant_limits(settings: &Settings) -> TenantLimits {
    let rate = settings.tenant_rate.value.map(|rate| u32::try_from(rate.get()).unwrap_or(u32::MAX));
    TenantLimits {
        open: settings.open_tenants.value.get(),
        requests: settings.tenant_requests.value.get(),
        rate,
    }
}

/// The journal of an application, if it has a place; `name` is that of one of several applications.
pub(in crate::commands) fn journal_options(
    settings: &Settings,
    database: &DatabaseUrl,
    name: Option<String>,
) -> Option<JournalOptions> {
    let folder = journal_folder(settings, database, name)?;
    let bytes = settings.journal_bytes.value.0 as u64;
    let (tries, disk) = (settings.journal_tries.value, JournalDisk::default());
    Some(JournalOptions { folder, bytes, tries, host: host_name(), disk })
}

/// The folder of an application's journal: that of the setting, else one beside the database or the file of
/// clients. One of several applications has a folder of its own in it.
fn journal_folder(
    settings: &Settings,
    database: &DatabaseUrl,
    name: Option<String>,
) -> Option<PathBuf> {
    let beside = |path: &Path| {
        let mut path = path.as_os_str().to_owned();
        path.push(".ingest");
        PathBuf::from(path)
    };
    let (folder, is_shared) = match (&settings.journal.value, database.path()) {
        (Some(folder), _) => (folder.clone(), true),
        (None, Some(file)) => (beside(file), false),
        (None, None) => (beside(settings.state.value.as_deref()?), true),
    };
    Some(match name.filter(|_| is_shared) {
        Some(name) => folder.join(name),
        None => folder,
    })
}

/// The name of this host, as others know it.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// For each application, the connections that the others may open to the same server, and those of
/// the other processes that have the same share.
fn connections_of_others(parts: &[Resolved], shares: usize) -> Result<Vec<usize>> {
    let wanted = parts.iter().map(|part| database::connections(&part.database, &part.settings));
    let wanted = wanted.collect::<Result<Vec<_>>>()?;
    let of_others = |(index, own): (usize, &Option<(String, usize)>)| {
        let Some((server, own)) = own else { return 0 };
        let others = wanted.iter().enumerate().filter(|(other, _)| *other != index);
        let same = others.filter_map(|(_, other)| other.as_ref()).filter(|(at, _)| at == server);
        let here: usize = same.map(|(_, connections)| connections).sum();
        (here + own) * shares - own
    };
    Ok(wanted.iter().enumerate().map(of_others).collect())
}

/// The sources of clients.
struct Clients<'a> {
    /// The settings of the process.
    process: &'a Settings,
    /// The client of the run; it is used wherever there is no other yet.
    run: &'a RunClient,
    /// The external issuer of the process, so that its keys are fetched once.
    issuer: Option<Arc<Issuer>>,
}

/// The table of clients in a database, where it can hold them.
fn table_of(database: Option<&DatabaseUrl>) -> Result<Option<Box<dyn StateTable>>> {
    let Some(database) = database else { return Ok(None) };
    let table = database.state_table()?;
    if table.is_some() {
        warn_of(database)?;
    }
    Ok(table)
}

impl Clients<'_> {
    /// The clients of the state file, else those in the database, else that of the run.
    async fn of(&mut self, settings: &Settings, database: Option<&DatabaseUrl>) -> Result<Auth> {
        let (open, run) = (settings.open.value, &self.run.state);
        let auth = if let Some(path) = &settings.state.value {
            Auth::from_file(StateFile::open(path, now())?, open, Some(run))?
        } else if let Some(table) = table_of(database)? {
            Auth::from_database(table, open, Some(run)).await?
        } else {
            Auth::in_memory(run, open)
        };
        let issuer = self.issuer(settings)?;
        let auth = auth.with_anonymous_role(settings.anonymous_db_role.value.clone());
        Ok(auth.with_issuer(issuer))
    }

    /// The external issuer of settings: that of the process if it is the same.
    fn issuer(&mut self, settings: &Settings) -> Result<Option<Arc<Issuer>>> {
        let Some((issuer_settings, places)) = settings.issuer() else { return Ok(None) };
        let (open, of_process) = (settings.open.value, self.process.issuer());
        let same = open == self.process.open.value
            && of_process
                .is_some_and(|process| process == (issuer_settings.clone(), places.clone()));
        if let (true, Some(issuer)) = (same, &self.issuer) {
            return Ok(Some(Arc::clone(issuer)));
        }
        let issuer = Arc::new(Issuer::new(issuer_settings, places, open)?);
        if same {
            self.issuer = Some(Arc::clone(&issuer));
        }
        Ok(Some(issuer))
    }
}
