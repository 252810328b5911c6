//! Applications of tests: a folder of `apps/`, or the folder of a golden case, read as far as
//! reading needs it.

use std::fs;
use std::path::{Path, PathBuf};

use duet_service::definition::{self, Mount, Mounts, ViewFile};
use duet_testkit::golden;

/// Where tests serve what has no application file.
pub(crate) const MOUNT: &str = "/t";

/// What is served, and the files that fill each store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Application {
    pub(crate) definition: definition::Application,
    /// Names the template database that it comes from, if it has one.
    pub(crate) template: Option<String>,
    pub(crate) sqlite: Vec<PathBuf>,
    pub(crate) postgres: Vec<PathBuf>,
}

/// An application of `apps/`.
pub(crate) fn named(name: &str) -> Application {
    let folder = golden::workspace().join("apps").join(name);
    let mut application = from_file(&folder);
    application.template = Some(name.to_owned());
    application
}

/// The application of a folder with an `app.toml`.
fn from_file(folder: &Path) -> Application {
    let table: toml::Table = read(&folder.join("app.toml")).parse().unwrap();
    let files = |store: &str| {
        let store = table.get("load").and_then(|load| load.get(store));
        texts(store.and_then(|store| store.get("files"))).map(|name| folder.join(name)).collect()
    };
    let resources = table.get("resources").and_then(toml::Value::as_table);
    let resources = resources.into_iter().flatten().map(resource).collect();
    let views = texts(table.get("views")).flat_map(|pattern| view_files(folder, &pattern));
    let mount = Mount {
        path: table.get("mount").and_then(toml::Value::as_str).unwrap_or(MOUNT).to_owned(),
        all_tables: table.get("tables").and_then(toml::Value::as_str) != Some("listed"),
        resources,
        views: views.collect(),
        ..Mount::default()
    };
    let mut application = of_mount(mount);
    (application.sqlite, application.postgres) = (files("sqlite"), files("postgres"));
    application
}

/// An application that serves one mount.
pub(crate) fn of_mount(mount: Mount) -> Application {
    let definition = definition::Application {
        name: "test".to_owned(),
        mounts: Mounts::Declared(Box::new(mount)),
        ..definition::Application::default()
    };
    Application { definition, ..Application::default() }
}

/// The application of a golden case. `app = "…"` in its `case.toml` names one of `apps/`, to which
/// the case adds its own scripts; otherwise the case has its schema, its views and, where it needs
/// one, its `app.toml`.
pub(crate) fn of_case(folder: &Path) -> Application {
    let text = fs::read_to_string(folder.join("case.toml")).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap();
    let named_app = table.get("app").and_then(toml::Value::as_str);
    let mut application = match named_app {
        Some(name) => named(name),
        None if folder.join("app.toml").exists() => from_file(folder),
        None => of_mount(Mount { path: MOUNT.into(), all_tables: true, ..Mount::default() }),
    };
    let views = match (table.get("views"), named_app) {
        (Some(patterns), Some(name)) => {
            let base = golden::workspace().join("apps").join(name);
            texts(Some(patterns)).flat_map(|pattern| view_files(&base, &pattern)).collect()
        }
        _ => ["*.sql", "*.graphql"].into_iter().flat_map(|p| view_files(folder, p)).collect(),
    };
    if let Mounts::Declared(mount) = &mut application.definition.mounts
        && !Vec::is_empty(&views)
    {
        mount.views = views;
    }
    let script = |name: &str| Some(folder.join(name)).filter(|path| path.exists());
    let both = ["schema.sql", "data.sql"].map(script);
    application.sqlite.extend(script("schema.sqlite.sql"));
    application.sqlite.extend(both.clone().into_iter().flatten());
    application.sqlite.extend(script("data.sqlite.sql"));
    application.postgres.extend(script("schema.postgres.sql"));
    application.postgres.extend(both.into_iter().flatten());
    application.postgres.extend(script("data.postgres.sql"));
    application
}

/// View definitions in a folder; `*` in the file's name matches anything. Scripts of a golden case
/// are none.
fn view_files(folder: &Path, pattern: &str) -> Vec<ViewFile> {
    let (below, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let (start, end) = name.split_once('*').unwrap_or((name, ""));
    let entries = fs::read_dir(folder.join(below)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let fits = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_script = ["schema", "data", "sqlite", "postgres"]
            .iter()
            .any(|word| name.split('.').next() == Some(word));
        name.starts_with(start) && name.ends_with(end) && !is_script
    };
    let view = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ViewFile { name, text: read(path) }
    };
    paths.iter().filter(fits).map(view).collect()
}

fn resource((name, table): (&String, &toml::Value)) -> definition::Resource {
    let columns = table.get("columns").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    definition::Resource {
        name: name.clone(),
        table: table.get("table").and_then(toml::Value::as_str).unwrap_or(name).to_owned(),
        mount: None,
        assign: std::collections::BTreeMap::new(),
        key: texts(table.get("key")).collect(),
        columns: columns
            .into_iter()
            .map(|(column, alias)| (column, alias.as_str().unwrap().to_owned()))
            .collect(),
        hidden: texts(table.get("hidden")).collect(),
        excluded: table.get("excluded").and_then(toml::Value::as_bool).unwrap_or(false),
        expand: std::collections::BTreeMap::new(),
        page_size: None,
        raised_messages: false,
        rowstore: 0,
        rowstore_populate: false,
        serve_stale: None,
        commit: Default::default(),
        unindexed: definition::UnindexedPolicy::default(),
        class: definition::RequestClass::default(),
    }
}

fn texts(value: Option<&toml::Value>) -> impl Iterator<Item = String> {
    let list = value.and_then(toml::Value::as_array).cloned().unwrap_or_default();
    list.into_iter().map(|text| text.as_str().unwrap().to_owned())
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
