//! `duet copy`: moves a SQLite database, or an application's, to PostgreSQL.

#[cfg(test)]
mod manual_tests;
mod own;
mod tenants;
mod verify;

use std::fmt::Write as _;
use std::path::Path;

use duet_model::collection::{DOCUMENT, KEY};
use duet_model::tenant::TenantName;
use duet_model::{CollectionTable, Result};
use duet_service::definition::Mounts;
use duet_store::setup::copy::{
    CopiedTable, CopyDestination, CopySource, CopyStage, CopyTarget, Misfit, Original,
};
use duet_store::setup::load::{Load, LoadSource, quoted};
use duet_store::setup::migrate::Indexes;

use self::own::TenantCallers;
use super::sources::applications::{self, Asked, Resolved};
use super::sources::table_scripts::{of_collections, prepare_scripts, tables};
use crate::application::Application;
use crate::args::{CopiedTables, Copy, SettingFlags};
use crate::command_error::CommandError;
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
    let tasks = tokio::task::LocalSet::new();
    if let Some(application) = &resolved.of_tenants {
        let all = tenants::of(arguments, &resolved, application, &target)?;
        return tasks.block_on(&crate::runtime::runtime()?, tenants::run(&all, arguments, &target));
    }
    let from = resolved.database.describe()?;
    let collections = match &application {
        Some(application) => tables(application, schema.as_deref()),
        None => Vec::new(),
    };
    let tenant = None;
    let copying =
        Copying { arguments, resolved, application, target, schema, collections, from, tenant };
    tasks.block_on(&crate::runtime::runtime()?, copying.run())
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
    /// The tenant whose database it is.
    tenant: Option<CopiedTenant>,
}

/// A tenant that is copied into a schema of its own.
struct CopiedTenant {
    name: TenantName,
    /// The statement that makes the schema the tenant's.
    mark: String,
    callers: TenantCallers,
}

impl Copying<'_> {
    async fn run(&self) -> Outcome {
        let (source, mut target) = self.open().await?;
        let original = self.checked(&*source, &*target)?;
        if let Some(file) = self.arguments.state.as_ref().filter(|_| self.tenant.is_none()) {
            own::check_state(file, &self.target).await?;
        }
        let stage = target.begun(&self.progress_name(&*target)).await?;
        self.check_tables(&*source, &mut *target, &original, &stage).await?;
        if self.arguments.dry_run {
            return self.try_out(&original, &mut *target, &stage).await;
        }
        if stage != CopyStage::Ended {
            self.copy(&*source, &mut *target, &original).await?;
        }
        if !self.collections.is_empty() {
            self.target.prepare_collections(self.collections.clone(), Indexes::Declared).await?;
        }
        drop(source);
        if let Some(file) = self.arguments.state.as_ref().filter(|_| self.tenant.is_none()) {
            own::copy_state(file, &self.target).await?;
        }
        let verified = verify::compare(self, &original, target.schema()).await;
        if let (Ok(_), Some(tenant)) = (&verified, &self.tenant) {
            self.target.load(&tenant.mark()).await?;
        }
        target.forget(&self.progress_name(&*target)).await?;
        let (place, verified) = (self.target.describe()?, verified?);
        print(&format!("{} was copied to {place}: {verified}.\n", self.from))
    }

    /// Opens the source, which is then locked against writers, and the target.
    async fn open(&self) -> Result<(Box<dyn CopySource>, Box<dyn CopyTarget>)> {
        let source = self.resolved.database.copy_source()?;
        Ok((source, self.target.copy_target(self.schema.clone()).await?))
    }

    /// The name by which a target keeps how far the copy is: one to another schema, or to tables that are made otherwise,
    /// is another one.
    fn progress_name(&self, target: &dyn CopyTarget) -> String {
        let into = if self.makes_tables() { "schema" } else { "kept tables of schema" };
        format!("{} into {into} {}", self.from, target.schema())
    }

    /// What the source has, where all of it can be copied.
    fn checked(&self, source: &dyn CopySource, target: &dyn CopyTarget) -> Outcome<Original> {
        let mut original = self.original(source)?;
        self.check(source, target, &mut original)?;
        own::check(source)?;
        Ok(original)
    }

    fn original(&self, source: &dyn CopySource) -> Result<Original> {
        let names: Vec<String> = self.collections.iter().map(|table| table.name.clone()).collect();
        source.original(&names)
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
            let rows = self.copy_rows(source, target, destination).await?;
            print(&format!("  {:<30} {rows:>12} rows\n", destination.from))?;
        }
        Ok(target.end(&self.progress_name(target), &made).await?)
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
    ) -> Outcome {
        let mut left = std::mem::take(&mut original.remainders);
        if self.makes_tables() {
            left.extend(target.remainders(original));
            left.retain(|one| !self.arguments.leave_out.iter().any(|name| name == one.kind.name()));
        } else {
            left.clear();
        }
        if !self.makes_tables() {
            // What digits a column has is for those who made it.
            let columns = original.tables.iter_mut().flat_map(|table| &mut table.columns);
            columns.for_each(|column| column.digits.clear());
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
        for Misfit { table, column, rows, example, why } in &misfits {
            let _ = write!(
                message,
                "\n  values: {table}.{column}: {rows} rows {why}, such as that of {example}"
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
        Err(CommandError::refusal(message).hint(hint))
    }

    /// Refuses tables that are there and do not take the rows, all of them at once. A dry run tries the rows too.
    async fn check_tables(
        &self,
        source: &dyn CopySource,
        target: &mut dyn CopyTarget,
        original: &Original,
        stage: &CopyStage,
    ) -> Outcome {
        if *stage == CopyStage::Ended {
            return Ok(());
        }
        if self.makes_tables() && *stage == CopyStage::None {
            self.check_free(target, original).await?;
        }
        let are_there = !self.makes_tables() || matches!(stage, CopyStage::Made(_));
        let mut tables = self.destinations(source, original)?;
        tables.retain(|table| table.is_own || are_there);
        let [scripts, _] = if self.makes_tables() { Default::default() } else { self.scripts() };
        let rows = self.arguments.dry_run.then_some(source);
        let name = self.progress_name(target);
        let found = target.try_rows(&name, &scripts, &tables, rows).await?;
        if found.is_empty() {
            return Ok(());
        }
        let place = self.target.describe()?;
        let message = format!(
            "{} cannot be copied into the tables of {place}. Nothing was copied.\n  {}",
            self.from,
            found.join("\n  ")
        );
        Err(CommandError::refusal(message)
            .hint("Change or empty these tables; or name another schema by `--schema`."))
    }

    /// Tries the statements and the scripts of the application, and prints them.
    async fn try_out(
        &self,
        original: &Original,
        target: &mut dyn CopyTarget,
        stage: &CopyStage,
    ) -> Outcome {
        let mut text = String::new();
        let scripts = self.scripts();
        let mut of_application = Vec::new();
        let is_made = !matches!(stage, CopyStage::None | CopyStage::Begun);
        if !is_made && (self.makes_tables() || !scripts[0].is_empty()) {
            let none = Original::default();
            let tried = if self.makes_tables() { original } else { &none };
            of_application = target.try_make(tried, &scripts).await?;
        }
        let [first, last] = scripts.each_ref().map(|scripts| shown(scripts));
        if !first.is_empty() || !last.is_empty() {
            // Scripts name their tables without a schema.
            let _ = writeln!(text, "SET search_path = {};", quoted(target.schema()));
        }
        text.push_str(&first);
        if self.makes_tables() {
            let made = |table: &&CopiedTable| !of_application.contains(&table.name);
            let tables = original.tables.iter().filter(made).cloned().collect();
            let [made, behind] = target.statements(&Original { tables, ..Original::default() });
            for statement in made {
                let _ = writeln!(text, "{statement};");
            }
            text.push_str("-- the rows\n");
            for statement in behind {
                let _ = writeln!(text, "{statement};");
            }
        }
        text.push_str(&last);
        let _ = writeln!(text, "-- {} can be copied; nothing was.", self.from);
        print(&text)
    }

    /// What the application makes itself, before the rows and behind them.
    fn scripts(&self) -> [Vec<LoadSource>; 2] {
        let Some(application) = self.application.as_ref().filter(|_| !self.collections.is_empty())
        else {
            return Default::default();
        };
        let [mut first, last] = of_collections(application, &self.target);
        first.extend(prepare_scripts(application, &self.target));
        [first, last]
    }

    /// Refuses a schema that has one of the tables.
    async fn check_free(&self, target: &mut dyn CopyTarget, original: &Original) -> Outcome {
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
        Err(CommandError::refusal(message).hint(hint))
    }

    /// Makes what the rows need: tables, those of the application, and Duet's own; those that the copy itself has made.
    async fn make(
        &self,
        source: &dyn CopySource,
        target: &mut dyn CopyTarget,
        original: &Original,
    ) -> Outcome<Original> {
        let name = self.progress_name(target);
        let stage = target.begun(&name).await?;
        if stage == CopyStage::None {
            if self.makes_tables() {
                self.check_free(target, original).await?;
            }
            target.begin(&name).await?;
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
        if target.begun(&name).await? == CopyStage::Begun {
            target.make(&name, &made, &parts[1]).await?;
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
            is_shared: false,
            is_own: false,
        });
        let collections = self.collections.iter().map(|table| CopyDestination {
            from: table.name.clone(),
            schema: table.schema.clone().or_else(|| self.schema.clone()),
            table: table.name.clone(),
            columns: vec![KEY.to_owned(), DOCUMENT.to_owned()],
            is_shared: false,
            is_own: false,
        });
        let mut all: Vec<CopyDestination> = tables.chain(collections).collect();
        // Tenants of one database share what Duet keeps there.
        all.extend(own::destinations(source, self.tenant.is_some())?);
        Ok(all)
    }

    /// Copies the rows of a table that are not there yet; how many it has.
    async fn copy_rows(
        &self,
        source: &dyn CopySource,
        target: &mut dyn CopyTarget,
        destination: &CopyDestination,
    ) -> Result<u64> {
        let name = self.progress_name(target);
        let progress = target.progress(&name, destination).await?;
        let mut count = progress.rows;
        if progress.is_complete {
            return Ok(count);
        }
        let mut rows = source.rows(&destination.from, &destination.columns, count)?;
        while let Some(mut batch) = rows.next()? {
            if let Some(tenant) = &self.tenant {
                batch = tenant.callers.renamed(&destination.from, batch);
            }
            target.write(&name, destination, &batch).await?;
            count += batch.len() as u64;
        }
        let none = duet_document::RowSet::new(destination.columns.len());
        target.write(&name, destination, &none).await?;
        Ok(count)
    }
}

/// Scripts as they are printed, each behind its name.
fn shown(scripts: &[LoadSource]) -> String {
    let mut text = String::new();
    for script in scripts {
        if let LoadSource::Script { name, text: script } = script {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "-- {name}\n{}", script.trim_end());
        }
    }
    text
}
