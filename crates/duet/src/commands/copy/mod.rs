//! `duet copy`: moves a SQLite database, or an application's, to PostgreSQL.

#[cfg(test)]
mod manual_tests;
mod own;
mod verify;

use std::fmt::Write as _;
use std::path::Path;

use duet_model::collection::{DOCUMENT, KEY};
use duet_model::{Code, CollectionTable, Error, Result};
use duet_service::definition::Mounts;
use duet_store::setup::copy::{
    CopyDestination, CopySource, CopyStage, CopyTarget, Misfit, Original,
};
use duet_store::setup::load::Load;
use duet_store::setup::migrate::Indexes;

use super::sources::applications::{self, Asked, Resolved};
use super::sources::table_scripts::{prepare_scripts, tables};
use crate::application::Application;
use crate::args::{CopiedTables, Copy, SettingFlags};
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};

pub(super) fn run(arguments: &Copy) -> Outcome {
    let sources = [arguments.source.clone()];
    let asked = Asked { sources: &sources, named: &arguments.named, database: None };
    let mut served = applications::resolve(&asked, &SettingFlags::default(), None)?;
    let Some(resolved) = served.applications.pop() else { return Ok(()) };
    let target = DatabaseUrl::read(&arguments.target, Path::new(""))?;
    warn_of(&target)?;
    let application = match resolved.origin {
        Some(_) => Some(application(arguments)?),
        None => None,
    };
    let schema = arguments.schema.clone().or_else(|| schema_of(&resolved));
    let collections = match &application {
        Some(application) => tables(application, schema.as_deref()),
        None => Vec::new(),
    };
    let from = resolved.database.describe()?;
    let copying = Copying { arguments, resolved, application, target, schema, collections, from };
    let runtime = crate::runtime::runtime()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, copying.run())
}

/// The application that is named, whichever way.
fn application(arguments: &Copy) -> Outcome<Application> {
    let config = arguments.named.config.as_ref().map(|path| path.display().to_string());
    let named = config.or_else(|| arguments.named.app.clone());
    applications::application(&named.unwrap_or_else(|| arguments.source.clone()))
}

/// The schema that an application declares.
fn schema_of(resolved: &Resolved) -> Option<String> {
    match &resolved.definition.mounts {
        Mounts::Declared(mount) => mount.schema.clone(),
        Mounts::AdHoc | Mounts::AdHocBelow(_) => None,
    }
}

/// A copy under way.
struct Copying<'a> {
    arguments: &'a Copy,
    resolved: Resolved,
    application: Option<Application>,
    target: DatabaseUrl,
    schema: Option<String>,
    collections: Vec<CollectionTable>,
    /// The source, by which progress is kept.
    from: String,
}

impl Copying<'_> {
    async fn run(&self) -> Outcome {
        if self.resolved.definition.mounts.tenants().is_some() {
            let message = "An application with tenants is not copied as a whole.";
            let hint = "Copy the file of each tenant into its schema: `duet copy TENANT.db URL --schema NAME`.";
            return Err(Error::new(Code::Setting, message).hint(hint).into());
        }
        let source = self.resolved.database.copy_source()?;
        let names: Vec<String> = self.collections.iter().map(|table| table.name.clone()).collect();
        let mut original = source.original(&names)?;
        let mut target = self.target.copy_target(self.schema.clone()).await?;
        self.check(&*source, &*target, &mut original)?;
        own::check(&*source)?;
        if self.arguments.dry_run {
            return self.try_out(&original, &mut *target).await;
        }
        if target.begun(&self.from).await? != CopyStage::Ended {
            self.copy(&*source, &mut *target, &original).await?;
        }
        if !self.collections.is_empty() {
            self.target.prepare_collections(self.collections.clone(), Indexes::Declared).await?;
        }
        drop(source);
        if let Some(file) = &self.arguments.state {
            own::copy_state(file, &self.target).await?;
        }
        let verified = verify::compare(self, &original, target.schema()).await;
        target.forget(&self.from).await?;
        let (place, verified) = (self.target.describe()?, verified?);
        print(&format!("{} was copied to {place}: {verified}.\n", self.from))
    }

    /// Makes all, and copies the rows.
    async fn copy(
        &self,
        source: &dyn CopySource,
        target: &mut dyn CopyTarget,
        original: &Original,
    ) -> Outcome {
        let made = self.make(source, target, original).await?;
        for destination in &self.destinations(source, original)? {
            let rows = copy_rows(source, target, &self.from, destination).await?;
            print(&format!("  {:<30} {rows:>12} rows\n", destination.from))?;
        }
        Ok(target.end(&self.from, &made).await?)
    }

    fn makes_tables(&self) -> bool {
        self.arguments.tables == CopiedTables::Made
    }

    /// Refuses what cannot be copied alike, all of it at once.
    fn check(
        &self,
        source: &dyn CopySource,
        target: &dyn CopyTarget,
        original: &mut Original,
    ) -> Result<()> {
        let mut left = std::mem::take(&mut original.remainders);
        if self.makes_tables() {
            left.extend(target.remainders(original));
            left.retain(|one| !self.arguments.leave_out.iter().any(|name| name == one.kind.name()));
        } else {
            left.clear();
        }
        let mut misfits = Vec::new();
        for table in &original.tables {
            misfits.extend(source.misfits(table)?);
        }
        if left.is_empty() && misfits.is_empty() {
            return Ok(());
        }
        let mut message = format!("{} cannot be copied as it is. Nothing was copied.", self.from);
        for one in &left {
            // Writing to a String cannot fail.
            let _ = write!(message, "\n  {one}");
        }
        for Misfit { table, column, rows, example } in &misfits {
            let _ = write!(
                message,
                "\n  values: {table}.{column}: {rows} rows have values that are not of its type, such as that of {example}"
            );
        }
        let can_be_left = left.iter().any(|one| one.kind.row().without.is_some());
        let hint = match (can_be_left, misfits.is_empty()) {
            (true, true) => {
                "Change it, or go on without by --leave-out KIND,KIND: docs/copy.md has the kinds."
            }
            (false, true) => "Make these tables yourself, and copy with --tables kept.",
            (true, false) => {
                "Correct the values; the rest can be left out by --leave-out KIND,KIND."
            }
            (false, false) => "Correct the values in the file.",
        };
        Err(Error::new(Code::Setting, message).hint(hint))
    }

    /// Tries the statements, and prints them. Those of an application with collections are not tried: they may refer to
    /// tables that it makes itself.
    async fn try_out(&self, original: &Original, target: &mut dyn CopyTarget) -> Outcome {
        let mut text = String::new();
        if self.makes_tables() {
            if target.begun(&self.from).await? == CopyStage::None && self.application.is_none() {
                self.check_free(target, original).await?;
                target.try_make(original).await?;
            }
            let [made, behind] = target.statements(original);
            for statement in made {
                let _ = writeln!(text, "{statement};");
            }
            text.push_str("-- the rows\n");
            for statement in behind {
                let _ = writeln!(text, "{statement};");
            }
        }
        let _ = writeln!(text, "-- {} can be copied; nothing was.", self.from);
        print(&text)
    }

    /// Refuses a schema that has one of the tables.
    async fn check_free(&self, target: &mut dyn CopyTarget, original: &Original) -> Result<()> {
        let tables = original.tables.iter().map(|table| table.name.clone());
        let collections = self.collections.iter().map(|table| table.name.clone());
        let there = target.existing(&tables.chain(collections).collect::<Vec<_>>()).await?;
        if there.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = there.iter().map(|name| format!("`{name}`")).collect();
        let is = if there.len() == 1 { "is" } else { "are" };
        let place = self.target.describe()?;
        let message = format!("{} {is} already in {place}. Nothing was copied.", names.join(", "));
        let hint =
            "Name another schema by `--schema`; or fill tables that are there by `--tables kept`.";
        Err(Error::new(Code::Setting, message).hint(hint))
    }

    /// Makes what the rows need: tables, those of the application, and Duet's own; those that the copy itself has made.
    async fn make(
        &self,
        source: &dyn CopySource,
        target: &mut dyn CopyTarget,
        original: &Original,
    ) -> Result<Original> {
        let stage = target.begun(&self.from).await?;
        if stage == CopyStage::None {
            if self.makes_tables() {
                self.check_free(target, original).await?;
            }
            target.begin(&self.from).await?;
        }
        if let Some(application) = &self.application
            && !self.collections.is_empty()
        {
            let tables = self.collections.clone();
            self.target.prepare_collections(tables, Indexes::OfReferences).await?;
            let sources = prepare_scripts(application, &self.target);
            let scripts = Load { sources, schema: self.schema.clone(), ..Load::default() };
            self.target.load(&scripts).await?;
        }
        for part in own::parts(source)? {
            self.target.make_own(part).await?;
        }
        let parts = match stage {
            CopyStage::Made(made) => [made, Vec::new()],
            _ if !self.makes_tables() => Default::default(),
            _ => self.parts(target, original).await?,
        };
        let tables = original.tables.iter().filter(|table| parts[0].contains(&table.name)).cloned();
        let made = Original { tables: tables.collect(), ..Original::default() };
        if target.begun(&self.from).await? == CopyStage::Begun {
            target.make(&self.from, &made, &parts[1]).await?;
        }
        Ok(made)
    }

    /// The tables that the copy is to make, and those that the application has made itself.
    async fn parts(
        &self,
        target: &mut dyn CopyTarget,
        original: &Original,
    ) -> Result<[Vec<String>; 2]> {
        let names: Vec<String> = original.tables.iter().map(|table| table.name.clone()).collect();
        let there = target.existing(&names).await?;
        let (of_application, others) = names.into_iter().partition(|name| there.contains(name));
        Ok([others, of_application])
    }

    /// Where the rows of each table go.
    fn destinations(
        &self,
        source: &dyn CopySource,
        original: &Original,
    ) -> Result<Vec<CopyDestination>> {
        let tables = original.tables.iter().map(|table| CopyDestination {
            from: table.name.clone(),
            schema: self.schema.clone(),
            table: table.name.clone(),
            columns: table.columns.iter().map(|column| column.name.clone()).collect(),
        });
        let collections = self.collections.iter().map(|table| CopyDestination {
            from: table.name.clone(),
            schema: table.schema.clone().or_else(|| self.schema.clone()),
            table: table.name.clone(),
            columns: vec![KEY.to_owned(), DOCUMENT.to_owned()],
        });
        let mut all: Vec<CopyDestination> = tables.chain(collections).collect();
        all.extend(own::destinations(source)?);
        Ok(all)
    }
}

/// Copies the rows of a table that are not there yet; how many it has.
async fn copy_rows(
    source: &dyn CopySource,
    target: &mut dyn CopyTarget,
    from: &str,
    destination: &CopyDestination,
) -> Result<u64> {
    let progress = target.progress(from, destination).await?;
    let mut count = progress.rows;
    if progress.is_complete {
        return Ok(count);
    }
    let mut rows = source.rows(&destination.from, &destination.columns, count)?;
    while let Some(batch) = rows.next()? {
        target.write(from, destination, &batch).await?;
        count += batch.len() as u64;
    }
    let none = duet_document::RowSet::new(destination.columns.len());
    target.write(from, destination, &none).await?;
    Ok(count)
}
