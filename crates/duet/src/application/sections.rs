//! The sections of an `app.toml`, one function each.

use std::ops::Range;
use std::sync::Arc;

use duet_model::ProfileRef;
use duet_service::definition::{
    self, Collection, CollectionFile, JoinedList, Mount, Mounts, ServiceFile, TenantChoice,
    ViewFile,
};
use duet_text::name;

use super::collections::{self, Declared, Owner};
use super::folder::Folder;
use super::load_plan;
use super::login;
use super::mounts;
use super::parsed::Application;
use super::privileges;
use super::problem::{Problem, Problems, SourceText};
use super::reader::{At, Table};
use super::resources;
use super::services;
use super::webhooks;
use crate::settings::{GivenSettings, GivenTexts, Origin, TABLE};

/// Reads the whole file, as far as that is possible, and the names of the settings whose values are not.
pub(super) fn application(
    mut root: Table<'_>,
    problems: &Problems<'_>,
    of_services: &mut Vec<(SourceText, Vec<Problem>)>,
    folder: &Folder,
) -> (Application, Vec<&'static str>) {
    let name = root.required_text("name");
    let description = root.text("description").map(|text| text.value).unwrap_or_default();
    let license = root.text("license").map(|text| text.value);
    let paths = mounts::paths(&mut root);
    let database = database(&mut root, problems);
    let schema = root.text("schema").map(|text| text.value);
    let all_tables = tables(&mut root);
    let views = views(&mut root, folder);
    let services = services(&mut root, folder, of_services);
    let (profile, tenant, tenants) = profile(&mut root);
    let owner = Owner { folder, profile, mounts: paths.as_deref() };
    let (collections, lists, collection_files) = collections(&mut root, owner, of_services);
    let prepare = files(&mut root, folder, "prepare");
    let migrations = files(&mut root, folder, "migrations");
    let routines = routines(&mut root);
    let known = paths.as_deref();
    let [raised_messages, request_settings, aggregates] = switches(&mut root);
    let resources = root.table("resources").map(|table| resources::read(table, known));
    let login = root.table("login").and_then(|table| login::read(table, known));
    let privileges = root.tables("privileges").into_iter();
    let privileges: Vec<_> =
        privileges.filter_map(|table| privileges::read(table, known)).collect();
    let webhooks = webhooks::read(root.tables("webhook"), folder);
    let (settings, unreadable) = all_settings(&mut root, problems, folder);
    let load = root.table("load").map(|table| load_plan::read(table, folder));
    root.finish(section_of);
    let mut further = paths.unwrap_or_default().into_iter();
    let path = further.next().unwrap_or_default();
    let of_privileges = privileges.iter().map(|(_, mounts)| mounts.clone()).enumerate();
    let mount = Mount {
        path,
        further: further.collect(),
        schema,
        all_tables,
        services,
        collections,
        lists,
        collection_files,
        webhooks,
        profile,
        license,
        tenant,
        tenants,
        login,
        resources: resources.unwrap_or_default(),
        views,
        routines,
        raised_messages,
        request_settings,
        aggregates,
        privilege_mounts: of_privileges.filter(|(_, mounts)| !mounts.is_empty()).collect(),
        privileges: privileges.into_iter().map(|(privilege, _)| privilege).collect(),
        ..Mount::default()
    };
    let definition = definition::Application {
        name: name.map(|name| name.value).unwrap_or_default(),
        mounts: Mounts::Declared(Box::new(mount)),
        ..definition::Application::default()
    };
    let application = Application {
        definition,
        description,
        database,
        settings,
        prepare,
        migrations,
        load: load.unwrap_or_default(),
        folder: folder.clone(),
    };
    (application, unreadable)
}

/// What is on or off for the whole application.
fn switches(root: &mut Table<'_>) -> [bool; 3] {
    let is_on = |name| root.switch(name).is_some_and(|switch| switch.value);
    ["raised_messages", "request_settings", "aggregates"].map(is_on)
}

/// `routines`: those that are served only where they are named.
fn routines(root: &mut Table<'_>) -> Vec<String> {
    let names = root.texts("routines").map(|names| names.value).unwrap_or_default();
    names.into_iter().map(|name| name::served(&name.value)).collect()
}

fn database(root: &mut Table<'_>, problems: &Problems<'_>) -> Option<GivenTexts> {
    let before = problems.count();
    let At { value, span } = root.text("database")?;
    // A text with a variable that is missing names no database.
    (problems.count() == before).then_some(())?;
    Some(GivenTexts { value: vec![value], origin: origin(&span, problems) })
}

/// `tables = "all"` or `"listed"`; by default all.
fn tables(root: &mut Table<'_>) -> bool {
    let Some(At { value, span }) = root.text("tables") else { return true };
    match value.as_str() {
        "all" => true,
        "listed" => false,
        _ => {
            let hint = "Use `all`, or `listed` to serve only the tables under [resources].";
            root.wrong(span, format!("`tables` cannot be {value:?}."), Some(hint.into()));
            true
        }
    }
}

/// `compat`: the profile by which it answers, the tenant that requests name there, and what names the tenant
/// where each has a database of its own.
fn profile(root: &mut Table<'_>) -> (ProfileRef, Option<String>, Option<TenantChoice>) {
    let profile = root.text("compat").and_then(|At { value, span }| {
        let found = ProfileRef::named(&value);
        if found.is_none() {
            let hint = "Use `native`, `ords` to answer as Oracle REST Data Services, `postgrest` to answer as PostgREST, or `rmb` to answer as FOLIO's raml-module-builder.";
            root.wrong(span, format!("`compat` cannot be {value:?}."), Some(hint.into()));
        }
        found
    });
    let profile = profile.unwrap_or_default();
    let tenant = root.text("tenant");
    let tenants = tenants(root);
    if let (Some(At { span, .. }), Some(_)) = (&tenant, tenants) {
        let hint =
            "Leave one of them out: `tenants` is for several, each with a database of its own.";
        root.wrong(span.clone(), "`tenant` and `tenants` exclude each other.", Some(hint.into()));
        return (profile, None, tenants);
    }
    if profile.needs_tenant() {
        if tenant.is_none() && tenants.is_none() {
            let hint = "Add `tenant = \"NAME\"`, which requests name in X-Okapi-Tenant, or `tenants = \"header\"`.";
            let message = format!("`compat = \"{}\"` needs a tenant.", profile.name());
            root.wrong(0..1, message, Some(hint.into()));
        }
        return (profile, tenant.map(|tenant| tenant.value), tenants);
    }
    if let Some(At { span, .. }) = tenant {
        let hint = "It is the tenant that requests name with `compat = \"rmb\"`.";
        root.wrong(span, "`tenant` means nothing here.", Some(hint.into()));
    }
    (profile, None, tenants)
}

/// `tenants = "token"` or `"header"`.
fn tenants(root: &mut Table<'_>) -> Option<TenantChoice> {
    let At { value, span } = root.text("tenants")?;
    let found = TenantChoice::NAMES.into_iter().find(|(name, _)| *name == value);
    if found.is_none() {
        let hint = "Use `token`, where each request has the tenant of its token, or `header`, where it may name one in X-Okapi-Tenant too.";
        root.wrong(span, format!("`tenants` cannot be {value:?}."), Some(hint.into()));
    }
    found.map(|(_, choice)| choice)
}

fn views(root: &mut Table<'_>, folder: &Folder) -> Vec<ViewFile> {
    let files = files(root, folder, "views");
    files.into_iter().map(|SourceText { name, text }| ViewFile { name, text }).collect()
}

/// The services; mistakes in their files go to `problems`.
fn services(
    root: &mut Table<'_>,
    folder: &Folder,
    problems: &mut Vec<(SourceText, Vec<Problem>)>,
) -> Vec<Arc<ServiceFile>> {
    let mut found = Vec::new();
    for source in files(root, folder, "services") {
        match services::read(&source, root.environment()) {
            Ok(service) => found.push(Arc::new(service)),
            Err(mistakes) => problems.push((source, mistakes)),
        }
    }
    found
}

/// The collections and the lists over them; mistakes in their files go to `problems`.
fn collections(
    root: &mut Table<'_>,
    owner: Owner<'_>,
    problems: &mut Vec<(SourceText, Vec<Problem>)>,
) -> (Vec<Arc<Collection>>, Vec<Arc<JoinedList>>, Vec<CollectionFile>) {
    let (mut found, mut lists, mut of) = (Vec::new(), Vec::new(), Vec::new());
    for source in files(root, owner.folder, "collections") {
        match collections::read(&source, owner, root.environment()) {
            Ok(Declared::Collection(collection, schema)) => {
                of.push(CollectionFile {
                    collection: collection.declaration().name.clone(),
                    name: source.name.clone(),
                    text: source.text.clone(),
                    schema,
                });
                found.push(Arc::new(*collection));
            }
            Ok(Declared::List(list, places)) => lists.push((source, list, places)),
            Err(mistakes) => problems.push((source, mistakes)),
        }
    }
    let mut checked = Vec::new();
    for (source, list, places) in lists {
        match collections::list_mistakes(&source, &list, &places, &found) {
            mistakes if mistakes.is_empty() => checked.push(Arc::new(list)),
            mistakes => problems.push((source, mistakes)),
        }
    }
    (found, checked, of)
}

/// The files that the patterns of a key name, each once.
fn files(root: &mut Table<'_>, folder: &Folder, key: &'static str) -> Vec<SourceText> {
    let Some(patterns) = root.texts(key) else { return Vec::new() };
    let mut found: Vec<SourceText> = Vec::new();
    for At { value: pattern, span } in patterns.value {
        let names = match folder.matching(&pattern) {
            Ok(names) if names.is_empty() => {
                root.wrong(span, format!("There is no file {pattern:?}."), None);
                continue;
            }
            Ok(names) => names,
            Err(error) => {
                root.wrong(span, format!("The files {pattern:?} cannot be read: {error}."), None);
                continue;
            }
        };
        for name in names {
            if found.iter().any(|known| known.name == name) {
                continue;
            }
            match folder.read_text(&name) {
                Ok(text) => found.push(SourceText { name, text }),
                Err(error) => {
                    root.wrong(span.clone(), format!("{name} cannot be read: {error}."), None);
                }
            }
        }
    }
    found
}

/// Reads `[settings]` and `[limits]`.
/// The settings, and the names of those whose values are none.
fn all_settings(
    root: &mut Table<'_>,
    problems: &Problems<'_>,
    folder: &Folder,
) -> (GivenSettings, Vec<&'static str>) {
    let (mut settings, mut unreadable) = (GivenSettings::new(), Vec::new());
    for section in ["settings", "limits"] {
        if let Some(table) = root.table(section) {
            unreadable.extend(read_settings(table, section, problems, folder, &mut settings));
        }
    }
    (settings, unreadable)
}

/// Reads `[settings]` or `[limits]`; returns the names of those whose values are none.
fn read_settings(
    mut table: Table<'_>,
    section: &str,
    problems: &Problems<'_>,
    folder: &Folder,
    settings: &mut GivenSettings,
) -> Vec<&'static str> {
    let mut unreadable = Vec::new();
    for setting in TABLE.iter().filter(|setting| setting.group.section() == section) {
        let before = problems.count();
        let given = table.setting(setting.name);
        if problems.count() > before {
            unreadable.push(setting.name);
            continue;
        }
        let Some(At { value: mut texts, span }) = given else { continue };
        if let Err(why) = (setting.check)(&texts) {
            let shown = texts.join(", ");
            let near = name::nearest(&shown, setting.words.iter().copied());
            let hint = near.map(|near| format!("Did you mean `{near}`?"));
            table.wrong(span, format!("`{}` cannot be {shown:?}: {why}.", setting.name), hint);
            unreadable.push(setting.name);
            continue;
        }
        for text in &mut texts {
            *text = relative(text, setting.is_path(), folder);
        }
        settings.insert(setting.name, GivenTexts { value: texts, origin: origin(&span, problems) });
    }
    table.finish(section_of);
    unreadable
}

/// A path relative to the current folder: in the file it is relative to the file.
fn relative(text: &str, is_path: bool, folder: &Folder) -> String {
    let join = |path: &str| folder.base().join(path).display().to_string();
    match text.strip_prefix("unix:") {
        Some(path) => format!("unix:{}", join(path)),
        None if is_path && !text.is_empty() => join(text),
        None => text.to_owned(),
    }
}

/// The section to which a misplaced key belongs.
fn section_of(key: &str) -> Option<String> {
    let setting = TABLE.iter().find(|setting| setting.name == key)?;
    Some(format!("It belongs in [{}].", setting.group.section()))
}

fn origin(span: &Range<usize>, problems: &Problems<'_>) -> Origin {
    let source = problems.source();
    let (line, column) = source.position(span.start);
    Origin::File { file: source.name.clone(), line, column }
}
