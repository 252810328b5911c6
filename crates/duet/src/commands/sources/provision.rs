//! The steps of `duet load` before loading: wait for PostgreSQL, create role and database.

use std::path::Path;
use std::time::{Duration, Instant};

use duet_client::connect::Settings;
use duet_client::provision::{ProvisionedObjects, provision};
use duet_model::Result;
use duet_store::PlainTarget;

use crate::application::process_environment;
use crate::args;
use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};

/// The variable with the administrator's password: PGPASSWORD is the new role's.
const ADMIN_PASSWORD: &str = "DUET_ADMIN_PASSWORD";
/// The interval between attempts to connect.
const PAUSE: Duration = Duration::from_millis(200);

/// Waits, and creates missing objects; does nothing if neither is requested.
///
/// # Errors
/// If the database is not PostgreSQL, does not respond in time, or refuses.
pub(in crate::commands) fn run(arguments: &args::Load) -> Outcome {
    if arguments.create.is_none() && arguments.wait.is_zero() {
        return Ok(());
    }
    let database = DatabaseUrl::read(&arguments.database, Path::new(""))?;
    let PlainTarget::Libpq(wanted) = database.plain()? else {
        let message = "`--create` and `--wait` are for PostgreSQL: a file needs neither.";
        return Err(CommandError::refusal(message));
    };
    let wanted = Settings::from_url(&wanted, &process_environment)?;
    warn_of(&database)?;
    let administrator = arguments.create.as_deref().map(administrator).transpose()?;
    let runtime = crate::runtime::runtime()?;
    runtime.block_on(reached(administrator.as_ref().unwrap_or(&wanted), arguments.wait))?;
    let Some(administrator) = administrator else { return Ok(()) };
    let made = runtime.block_on(provision(&administrator, &wanted))?;
    print(&instructions(made, &wanted))
}

/// The administrator's connection, with its own password.
fn administrator(url: &str) -> Outcome<Settings> {
    let database = DatabaseUrl::read(url, Path::new(""))?;
    let PlainTarget::Libpq(url) = database.plain()? else {
        return Err(CommandError::refusal("`--create` takes a connection to PostgreSQL."));
    };
    let settings = Settings::from_url(&url, &|name| match name {
        "PGPASSWORD" => process_environment(ADMIN_PASSWORD).or_else(|| process_environment(name)),
        _ => process_environment(name),
    });
    Ok(settings?)
}

/// Waits until a server accepts connections. It does not wait after an error that time does not
/// resolve.
async fn reached(settings: &Settings, limit: Duration) -> Result<()> {
    let connector = settings.connector()?;
    let deadline = Instant::now() + limit;
    loop {
        match connector.connect().await {
            Ok(_) => return Ok(()),
            Err(error) if error.retry_after.is_none() || Instant::now() >= deadline => {
                return Err(error);
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

fn instructions(made: ProvisionedObjects, wanted: &Settings) -> String {
    let (role, database) = (wanted.user(), wanted.database());
    match (made.role, made.database) {
        (true, true) => format!("Made role {role} and database {database}.\n"),
        (true, false) => format!("Made role {role}; database {database} already exists.\n"),
        (false, true) => format!("Made database {database}; role {role} already exists.\n"),
        (false, false) => String::new(),
    }
}
