//! The files of the application: copies of the module's files, and ours beside them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use duet_service::definition::{Collection, Mounts};

use super::files::{ModuleFiles, unreadable};
use super::module::{CollectionOf, Module};
use super::new_files::NewFiles;
use super::report::Report;
use super::schema_lines::SchemaLines;
use crate::application::{Application, FILE, Location, process_environment};
use crate::command_error::CommandError;
use crate::commands::drafts::init::names::toml_text;
use crate::report::Outcome;

/// The folder of the copies.
const COPIES: &str = "module";

/// Writes the application without its data, and reads it back.
///
/// # Errors
/// Where a file exists, or the application has mistakes.
pub(super) fn write(
    module: &Module,
    files: &ModuleFiles,
    into: &mut NewFiles,
    tenant: &str,
    report: &mut Report,
) -> Outcome<Vec<Arc<Collection>>> {
    into.write(FILE, &app_toml(module, tenant))?;
    for name in &module.copies {
        let text = files.read(name).map_err(|why| unreadable(name, &why))?;
        into.write(&format!("{COPIES}/{name}"), &text)?;
    }
    for one in &module.collections {
        let (_, name) = one.mount_and_name();
        into.write(&format!("collections/{name}.toml"), &collection_toml(module, one))?;
    }
    let read = read(into.folder())?;
    let Mounts::Declared(mount) = &read.definition.mounts else { return Ok(Vec::new()) };
    let text = files.read(&module.schema).map_err(|why| unreadable(&module.schema, &why))?;
    let lines = SchemaLines::new(&module.schema, &text);
    for collection in &mount.collections {
        lines.add(&collection.declaration().lines, report);
    }
    Ok(mount.collections.clone())
}

fn read(into: &Path) -> Outcome<Application> {
    let read = Location::on_disk(into).read(&process_environment);
    read.map_err(|mistakes| CommandError::failed(mistakes.render()))
}

/// Adds how the data are loaded to `app.toml`.
///
/// # Errors
/// Where the file cannot be written.
pub(super) fn add_load(into: &Path, tables: &[String], files: &[&str]) -> Outcome {
    let list = |texts: &mut dyn Iterator<Item = String>| texts.collect::<Vec<_>>().join(", ");
    let tables = list(&mut tables.iter().map(|name| toml_text(name)));
    let path = into.join(FILE);
    let failed = |error: std::io::Error| unreadable(FILE, &error.to_string());
    let mut text = std::fs::read_to_string(&path).map_err(failed)?;
    text.push_str("\n# `--profile reference` leaves the samples out.\n");
    for store in duet_registry::stores().map(|(name, _)| name) {
        let all = list(&mut files.iter().map(|name| toml_text(name)));
        let reference = files.iter().filter(|name| name.contains("reference"));
        let reference = list(&mut reference.map(|name| toml_text(name)));
        text.push_str(&format!("\n[load.{store}]\nprofile = \"samples\"\ntables = [{tables}]\n"));
        text.push_str(&format!("\n[load.{store}.profiles.samples]\nfiles = [{all}]\n"));
        if !reference.is_empty() {
            text.push_str(&format!("\n[load.{store}.profiles.reference]\nfiles = [{reference}]\n"));
        }
    }
    duet_bench::whole_file::write(&path, text).map_err(failed)
}

/// The mounts of collections, each once: that of most of them first, as services are below the first one.
fn mounts<'m>(of: impl Iterator<Item = &'m str>) -> Vec<&'m str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for mount in of {
        *counts.entry(mount).or_default() += 1;
    }
    let mut mounts: Vec<(&str, usize)> = counts.into_iter().collect();
    mounts.sort_by_key(|(_, count)| Reverse(*count));
    mounts.into_iter().map(|(mount, _)| mount).collect()
}

fn app_toml(module: &Module, tenant: &str) -> String {
    let mounts = mounts(module.collections.iter().map(|one| one.mount_and_name().0));
    let mounts: Vec<String> = mounts.into_iter().map(toml_text).collect();
    let schema = format!("{tenant}_{}", module.name.replace('-', "_"));
    let exact = module.exact_count.map(|count| format!("\n[limits]\nexact_total = {count}\n"));
    format!(
        "# Made by `duet import rmb`: report.md says what became of each line of the module.\n\
         # docs/app-toml.md explains every key; `duet check` finds mistakes.\n\n\
         name = {}\n\
         mount = [{}]\n\
         schema = {}\n\
         tables = \"listed\"\n\
         collections = [\"collections/*.toml\"]\n\
         compat = \"rmb\"\n\
         tenant = {}\n{}",
        toml_text(&module.name),
        mounts.join(", "),
        toml_text(&schema),
        toml_text(tenant),
        exact.unwrap_or_default(),
    )
}

fn collection_toml(module: &Module, one: &CollectionOf) -> String {
    let (mount, _) = one.mount_and_name();
    let copy = |path: &str| toml_text(&format!("{COPIES}/{path}"));
    let declared = one.unprocessable.iter().map(|method| toml_text(method));
    let declared: Vec<String> = declared.collect();
    let declared = match declared.is_empty() {
        true => String::new(),
        false => format!("unprocessable = [{}]\n", declared.join(", ")),
    };
    let list = one.list.as_ref().map(|list| format!("list = {}\n", toml_text(list)));
    format!(
        "mount = {}\ntable = {}\n{}schema = {}\nrmb = {}\n{declared}",
        toml_text(mount),
        toml_text(one.table.name()),
        list.unwrap_or_default(),
        copy(&one.schema),
        copy(&module.schema),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_of_most_collections_is_the_first() {
        assert_eq!(mounts(["/a", "/c", "/b", "/c"].into_iter()), ["/c", "/a", "/b"]);
    }
}
