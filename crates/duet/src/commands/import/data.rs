//! The reference and sample data of a module: JSON files in folders, which its Java code posts to resources.

use std::collections::BTreeMap;

use serde_json::Value;

use super::files::ModuleFiles;
use super::names;

/// The folders below `resources`, or at the top, that data lie in.
const LEADS: [&str; 6] =
    ["data", "ref-data", "reference-data", "sample-data", "samples", "referencedata"];

/// When data are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loaded {
    /// Always: what the module needs.
    Reference,
    /// On request.
    Sample,
}

/// A file of data.
#[derive(Debug)]
pub(super) struct DataFile {
    /// Its path in the repository.
    pub(super) name: String,
    /// The folder below the lead.
    pub(super) folder: String,
    pub(super) loaded: Loaded,
    /// The path that the module posts it to, where its code says so.
    pub(super) target: Option<String>,
}

/// All files of data.
pub(super) fn files(module: &ModuleFiles) -> Vec<DataFile> {
    let targets = targets(module);
    let mut found = Vec::new();
    for name in module.with_suffix(".json") {
        let Some((lead, folder)) = split(&name) else { continue };
        let is_reference = lead.starts_with("ref")
            || folder.split('/').any(|step| step == "system" || step.starts_with("ref"));
        let loaded = if is_reference { Loaded::Reference } else { Loaded::Sample };
        // A lead of the code may be longer: `data/system`.
        let steps: Vec<&str> = folder.split('/').collect();
        let target = (0..steps.len()).find_map(|at| targets.get(&steps[at..].join("/")).cloned());
        found.push(DataFile { folder: folder.to_owned(), name, loaded, target });
    }
    found
}

/// The lead and the folder below it of a file.
fn split(name: &str) -> Option<(&str, &str)> {
    let below = match name.find("src/main/resources/") {
        Some(at) => &name[at + "src/main/resources/".len()..],
        None => name,
    };
    let (lead, rest) = below.split_once('/')?;
    let (folder, _) = rest.rsplit_once('/')?;
    LEADS.contains(&lead).then_some((lead, folder))
}

/// The paths that `TenantLoading` posts folders to: `.add("folder", "path")`, or `.add("path")`.
fn targets(module: &ModuleFiles) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in module.with_suffix(".java") {
        if name.contains("src/test/") {
            continue;
        }
        let Ok(text) = module.read(&name) else { continue };
        if !text.contains("TenantLoading") {
            continue;
        }
        for call in text.split(".add(").skip(1) {
            let arguments: Vec<&str> =
                call.split(')').next().unwrap_or_default().split(',').collect();
            let texts: Option<Vec<&str>> = arguments
                .iter()
                .map(|text| text.trim().strip_prefix('"')?.strip_suffix('"'))
                .collect();
            match texts.as_deref() {
                Some([folder, path]) => found.insert((*folder).to_owned(), format!("/{path}")),
                Some([folder]) => found.insert((*folder).to_owned(), format!("/{folder}")),
                _ => None,
            };
        }
    }
    found
}

/// The documents of a file: itself, or the elements of a list whose member has this name.
pub(super) fn documents<'v>(value: &'v Value, list: &str) -> Vec<&'v Value> {
    match value.get(list).and_then(Value::as_array) {
        Some(elements) => elements.iter().collect(),
        None => match value {
            Value::Array(elements) => elements.iter().collect(),
            value => vec![value],
        },
    }
}

/// Whether a folder or target is that of a collection: by its path, by the words of its last step, or by the letters of
/// its table.
pub(super) fn fits(file: &DataFile, path: &str, table: &str) -> bool {
    let letters = |name: &str| -> String {
        let letters = name.chars().filter(|char| char.is_alphanumeric());
        letters.collect::<String>().to_lowercase().trim_end_matches('s').to_owned()
    };
    match &file.target {
        Some(target) => target == path,
        None => {
            let folder = names::last(&file.folder);
            names::words(folder) == names::words(names::last(path))
                || letters(folder) == letters(table)
        }
    }
}
