//! A copy of all tenants of an application: the file of each into a schema of its own. The schema is the tenant's once its
//! rows are compared, so that no server shows a part of them.

use std::fmt::Write as _;

use duet_model::Result;
use duet_model::tenant::TenantName;
use duet_service::TenantSource as _;
use duet_service::definition::{self, Mounts};
use duet_store::setup::copy::{CopyStage, CopyTarget};
use duet_store::setup::load::{Load, LoadSource};
use duet_store::setup::tenants::{SchemaState, mark_statement, schema_of, taken};

use super::own::{self, TenantCallers};
use super::{CopiedTenant, Copying, verify};
use crate::application::Application;
use crate::args::Copy;
use crate::command_error::CommandError;
use crate::commands::sources::applications::Resolved;
use crate::commands::sources::table_scripts::tables;
use crate::commands::sources::tenants::{TenantDatabases, file_of, over, suffix_of};
use crate::database_url::DatabaseUrl;
use crate::report::{Outcome, print};

impl CopiedTenant {
    /// What makes the schema the tenant's.
    pub(super) fn mark(&self) -> Load {
        let (name, text) = ("the mark of the schema".to_owned(), self.mark.clone());
        Load { sources: vec![LoadSource::Script { name, text }], ..Load::default() }
    }
}

/// The copies of an application's tenants.
///
/// # Errors
/// `Setting` where tenants are no files, there are none, or one schema is named for all.
pub(super) fn of<'a>(
    arguments: &'a Copy,
    resolved: &Resolved,
    application: &Application,
    target: &DatabaseUrl,
) -> Outcome<Vec<Copying<'a>>> {
    let of = &application.definition.name;
    if arguments.schema.is_some() {
        let message = format!("Each tenant of {of} has a schema of its own.");
        let hint = "Leave out --schema; `schema` in app.toml is the end of their names.";
        return Err(CommandError::refusal(message).hint(hint));
    }
    let suffix = suffix_of(&resolved.definition)?;
    let Some(folder) = resolved.database.path() else {
        // It says what it does not copy.
        return Ok(resolved.database.copy_source().map(|_| Vec::new())?);
    };
    let databases = TenantDatabases::new(
        application.clone(),
        resolved.definition.clone(),
        resolved.database.clone(),
        resolved.settings.clone(),
    )?;
    let names = databases.list()?.into_keys();
    let copy = |name: TenantName| -> Result<Copying<'a>> {
        let schema = schema_of(&name, &suffix);
        let database = resolved.database.beside(file_of(folder, &name));
        let mut application = application.clone();
        application.definition = alone(application.definition, &schema);
        let from = database.describe()?;
        Ok(Copying {
            arguments,
            collections: tables(&application, Some(&schema)),
            application: Some(application),
            target: target.clone(),
            from,
            tenant: Some(CopiedTenant {
                mark: mark_statement(&name, &suffix),
                callers: TenantCallers::of(&name, &schema),
                name,
            }),
            resolved: Resolved {
                definition: alone(resolved.definition.clone(), &schema),
                database,
                settings: resolved.settings.clone(),
                own_clients: resolved.own_clients,
                of_tenants: None,
                origin: resolved.origin.clone(),
            },
            schema: Some(schema),
        })
    };
    let all = names.map(copy).collect::<Result<Vec<_>>>()?;
    match all.is_empty() {
        true => Err(CommandError::refusal(format!("There are no tenants of {of} to copy."))
            .hint("`duet tenant list` lists them.")),
        false => Ok(all),
    }
}

/// The application over the schema of one tenant, as an application of its own.
fn alone(definition: definition::Application, schema: &str) -> definition::Application {
    let mut definition = over(definition, Some(schema));
    if let Mounts::Declared(mount) = &mut definition.mounts {
        mount.tenants = None;
    }
    definition
}

/// Copies tenants one after the other, after all of them were looked at.
pub(super) async fn run(all: &[Copying<'_>], arguments: &Copy, target: &DatabaseUrl) -> Outcome {
    check(all).await?;
    if let Some(file) = &arguments.state {
        own::check_state(file, target).await?;
    }
    for copying in all {
        match copying.is_there().await? && !arguments.dry_run {
            true => copying.compare_again().await?,
            false => copying.run().await?,
        }
    }
    if arguments.dry_run {
        return Ok(());
    }
    if let Some(file) = &arguments.state {
        own::copy_state(file, target).await?;
    }
    let tenants = if all.len() == 1 {
        "1 tenant is".to_owned()
    } else {
        format!("All {} tenants are", all.len())
    };
    print(&format!("{tenants} in {}.\n", target.describe()?))
}

/// Refuses what cannot be copied of any tenant, before a row of one is copied.
async fn check(all: &[Copying<'_>]) -> Outcome {
    let mut wrong = String::new();
    for copying in all {
        let checked = async {
            let (source, mut target) = copying.open().await?;
            let original = copying.checked(&*source, &*target)?;
            copying.check_schema(&mut *target).await?;
            if copying.is_there().await? {
                return Ok(());
            }
            let stage = target.begun(&copying.progress_name(&*target)).await?;
            copying.check_tables(&*source, &mut *target, &original, &stage).await
        };
        if let Err(error) = checked.await {
            // Writing to a String cannot fail.
            let _ = write!(wrong, "\n{}", error.message());
            if let Some(hint) = error.advice() {
                let _ = write!(wrong, "\n  {hint}");
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(CommandError::refusal(format!("No tenant was copied.{wrong}")))
}

impl Copying<'_> {
    /// What the target has under the name of the tenant's schema.
    async fn state(&self) -> Result<SchemaState> {
        let Some(tenant) = &self.tenant else { return Ok(SchemaState::Absent) };
        let suffix = suffix_of_schema(&tenant.name, self.schema.as_deref().unwrap_or_default());
        self.target.tenant_state(&tenant.name, suffix).await
    }

    /// Whether the target has the tenant already.
    async fn is_there(&self) -> Result<bool> {
        Ok(matches!(self.state().await?, SchemaState::Tenant(_)))
    }

    /// Refuses a schema of that name which is neither a tenant's nor made by this copy: it would become the tenant's.
    async fn check_schema(&self, target: &mut dyn CopyTarget) -> Outcome {
        let state = self.state().await?;
        let is_other = self.makes_tables() && state == SchemaState::Other;
        let schema = self.schema.as_deref().unwrap_or_default();
        if let SchemaState::Taken(owner) = &state {
            return Err(taken(schema, owner).into());
        }
        if !is_other || target.begun(&self.progress_name(target)).await? != CopyStage::None {
            return Ok(());
        }
        let message = format!("There is a schema {schema:?} that is not a tenant's.");
        Err(CommandError::refusal(message)
            .hint("Drop it; or make its tables yourself, and copy with --tables kept."))
    }

    /// Compares what an earlier copy has brought.
    async fn compare_again(&self) -> Outcome {
        let (source, mut target) = self.open().await?;
        let original = self.original(&*source)?;
        drop(source);
        // Another copy may be at it; and one that was interrupted at its end has left its progress.
        let name = self.progress_name(&*target);
        if target.begun(&name).await? != CopyStage::None {
            target.forget(&name).await?;
        }
        let verified = verify::compare(self, &original, target.schema()).await?;
        let place = self.target.describe()?;
        print(&format!("{} is in {place} already: {verified}.\n", self.from))
    }
}

/// What follows the tenant's name in the name of its schema.
fn suffix_of_schema<'s>(name: &TenantName, schema: &'s str) -> &'s str {
    schema.get(name.as_str().len() + 1..).unwrap_or_default()
}
