//! `duet collection`: makes the tables and indexes of an application's collections.

use std::path::Path;

use duet_model::CollectionTable;
use duet_model::tenant::TenantName;
use duet_service::definition::Mounts;
use duet_store::setup::load::Load;
use duet_store::setup::migrate::{DeclaredObjects, Indexes, MadeObjects};

use super::sources::applications;
use super::sources::table_scripts::{additions, prepare_scripts, tables};
use super::tenants::place::place_of;
use crate::application::Application;
use crate::args::CollectionAction;
use crate::command_error::CommandError;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};

pub(super) fn run(action: &CollectionAction) -> Outcome {
    let CollectionAction::Prepare { app, database, no_indexes } = action;
    let indexes = if *no_indexes { Indexes::OfReferences } else { Indexes::Declared };
    prepare(target(app, database.as_deref(), None)?.with_collections()?, indexes)
}

/// Makes what the collections need, and says what that was.
pub(super) fn prepare(target: Target, indexes: Indexes) -> Outcome {
    let Target { application, database, tables, schema } = target;
    let sources = prepare_scripts(&application, &database);
    let scripts = Load { sources, schema, ..Load::default() };
    warn_of(&database)?;
    let runtime = crate::runtime::runtime()?;
    let prepared = runtime.block_on(database.prepare_collections(tables, indexes))?;
    runtime.block_on(database.load(&scripts))?;
    let place = database.describe()?;
    print(&summary(&prepared, &place))
}

/// The database of an application with collections, and their tables.
pub(super) struct Target {
    pub(super) application: Application,
    pub(super) database: DatabaseUrl,
    pub(super) tables: Vec<CollectionTable>,
    pub(super) schema: Option<String>,
}

/// Reads an application and finds its database, or that of one of its tenants.
///
/// # Errors
/// `Setting` if no database is named.
pub(super) fn target(
    app: &str,
    database: Option<&str>,
    tenant: Option<&TenantName>,
) -> Outcome<Target> {
    let application = applications::application(app)?;
    // A path of the command line is one of the current folder, as of all commands.
    let given = database.map(|text| DatabaseUrl::read(text, Path::new("")));
    let Some(database) = given.or_else(|| applications::of_application(&application)) else {
        let message = "No database is named.";
        return Err(CommandError::refusal(message).hint("Give it by `--database URL`."));
    };
    target_in(application, database?, tenant)
}

/// The same of an application that was read, in this database.
///
/// # Errors
/// As [`target`].
pub(super) fn target_in(
    application: Application,
    database: DatabaseUrl,
    tenant: Option<&TenantName>,
) -> Outcome<Target> {
    let (database, schema) = place_of(&application.definition, database, tenant)?;
    let tables = tables(&application, schema.as_deref());
    Ok(Target { application, database, tables, schema })
}

impl Target {
    /// Itself, if it has collections.
    ///
    /// # Errors
    /// `Setting` if it has none.
    pub(super) fn with_collections(self) -> Outcome<Self> {
        if self.tables.is_empty() {
            return Err(self.without("collections"));
        }
        Ok(self)
    }

    /// All that its database is to have.
    ///
    /// # Errors
    /// `Setting` if that is nothing, or a migration file has what it cannot have.
    pub(super) fn declared(self) -> Outcome<DeclaredObjects> {
        let additions = additions(&self.application, &self.database)?;
        if additions.is_empty() && self.tables.is_empty() {
            return Err(self.without("collections and no migrations"));
        }
        let of_mount = match &self.application.definition.mounts {
            Mounts::Declared(mount) => mount.schema.clone(),
            Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
        };
        let schema = self.schema.or(of_mount);
        Ok(DeclaredObjects { schema, additions, collections: self.tables })
    }

    fn without(&self, what: &str) -> CommandError {
        let name = &self.application.definition.name;
        CommandError::refusal(format!("The application {name:?} has no {what}."))
    }
}

fn summary(prepared: &MadeObjects, place: &str) -> String {
    let MadeObjects { extensions, tables, columns, indexes, dropped } = prepared;
    let listed = |kind: &str, names: &[String]| {
        names.iter().map(|name| format!("  {kind:<6}  {name}\n")).collect::<String>()
    };
    let made = [
        listed("extension", extensions),
        listed("table", tables),
        listed("column", columns),
        listed("index", indexes),
    ];
    let mut text = String::new();
    for (verb, lines) in [("Made", made.concat()), ("Dropped", listed("index", dropped))] {
        if !lines.is_empty() {
            text.push_str(&format!("{verb} in {place}:\n{lines}"));
        }
    }
    match text.is_empty() {
        true => format!("Everything that the collections need is in {place} already.\n"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_created_objects() {
        let place = "a.db";
        assert!(summary(&MadeObjects::default(), place).contains("already"));
        let prepared = MadeObjects { tables: vec!["items".into()], ..MadeObjects::default() };
        assert_eq!(summary(&prepared, place), "Made in a.db:\n  table   items\n");
        let prepared = MadeObjects { dropped: vec!["a_idx".into()], ..prepared };
        assert!(summary(&prepared, place).ends_with("items\nDropped in a.db:\n  index   a_idx\n"));
    }
}
