//! The tables of an `app.toml`, one function each.

use std::ops::Range;

use duet_model::name;
use duet_service::definition::{self, Mount, Mounts, ViewFile};

use super::Application;
use super::folder::Folder;
use super::load_plan;
use super::mounts;
use super::privileges;
use super::problem::Problems;
use super::reader::{At, Table};
use super::resources;
use crate::settings::{Given, GivenSettings, Origin, TABLE};

/// Reads the whole file.
pub(super) fn application(
    mut root: Table<'_>,
    problems: &Problems<'_>,
    folder: &Folder,
) -> Option<Application> {
    let name = root.required_text("name");
    let description = root.text("description").map(|text| text.value).unwrap_or_default();
    let paths = mounts::paths(&mut root);
    let database = database(&mut root, problems);
    let schema = root.text("schema").map(|text| text.value);
    let all_tables = tables(&mut root);
    let views = views(&mut root, folder);
    let routines = root.texts("routines").map_or_else(Vec::new, |names| {
        names.value.into_iter().map(|name| name::served(&name.value)).collect()
    });
    let known = paths.as_deref();
    let resources = root.table("resources").map(|table| resources::read(table, known));
    let privileges = root.tables("privileges").into_iter();
    let privileges: Vec<_> =
        privileges.filter_map(|table| privileges::read(table, known)).collect();
    let mut settings = GivenSettings::new();
    for section in ["settings", "limits"] {
        if let Some(table) = root.table(section) {
            read_settings(table, section, problems, folder, &mut settings);
        }
    }
    let load = root.table("load").map(|table| load_plan::read(table, folder));
    root.finish(section_of);
    let mut further = paths?;
    let path = further.remove(0);
    let of_privileges = privileges.iter().map(|(_, mounts)| mounts.clone()).enumerate();
    let mount = Mount {
        path,
        further,
        schema,
        all_tables,
        resources: resources.unwrap_or_default(),
        views,
        routines,
        privilege_mounts: of_privileges.filter(|(_, mounts)| !mounts.is_empty()).collect(),
        privileges: privileges.into_iter().map(|(privilege, _)| privilege).collect(),
        ..Mount::default()
    };
    let definition = definition::Application {
        name: name?.value,
        mounts: Mounts::Declared(Box::new(mount)),
        ..definition::Application::default()
    };
    let load = load.unwrap_or_default();
    Some(Application { definition, description, database, settings, load, folder: folder.clone() })
}

fn database(root: &mut Table<'_>, problems: &Problems<'_>) -> Option<Given> {
    let At { value, span } = root.text("database")?;
    Some(Given { value: vec![value], origin: origin(&span, problems) })
}

/// `tables = "all"` or `"listed"`; all where nothing is said.
fn tables(root: &mut Table<'_>) -> bool {
    let Some(At { value, span }) = root.text("tables") else { return true };
    match value.as_str() {
        "all" => true,
        "listed" => false,
        _ => {
            let hint = "Use `all`, or `listed` to serve only what stands under [resources].";
            root.wrong(span, format!("`tables` cannot be {value:?}."), Some(hint.into()));
            true
        }
    }
}

fn views(root: &mut Table<'_>, folder: &Folder) -> Vec<ViewFile> {
    let Some(patterns) = root.texts("views") else { return Vec::new() };
    let mut views: Vec<ViewFile> = Vec::new();
    for At { value: pattern, span } in patterns.value {
        match folder.matching(&pattern) {
            Ok(names) if names.is_empty() => {
                root.wrong(span, format!("There is no file {pattern:?}."), None);
            }
            Ok(names) => {
                for name in names {
                    view(root, folder, &span, name, &mut views);
                }
            }
            Err(error) => {
                root.wrong(span, format!("The files {pattern:?} cannot be read: {error}."), None);
            }
        }
    }
    views
}

fn view(
    root: &Table<'_>,
    folder: &Folder,
    span: &Range<usize>,
    name: String,
    views: &mut Vec<ViewFile>,
) {
    if views.iter().any(|view| view.name == name) {
        return;
    }
    match folder.read_text(&name) {
        Ok(text) => views.push(ViewFile { name, text }),
        Err(error) => root.wrong(span.clone(), format!("{name} cannot be read: {error}."), None),
    }
}

/// Reads `[settings]` or `[limits]`.
fn read_settings(
    mut table: Table<'_>,
    section: &str,
    problems: &Problems<'_>,
    folder: &Folder,
    settings: &mut GivenSettings,
) {
    for setting in TABLE.iter().filter(|setting| setting.group.section() == section) {
        let Some(At { value: mut texts, span }) = table.setting(setting.name) else { continue };
        if let Err(why) = (setting.check)(&texts) {
            let shown = texts.join(", ");
            let near = name::nearest(&shown, setting.words.iter().copied());
            let hint = near.map(|near| format!("Did you mean `{near}`?"));
            table.wrong(span, format!("`{}` cannot be {shown:?}: {why}.", setting.name), hint);
            continue;
        }
        for text in &mut texts {
            *text = relative(text, setting.is_path(), folder);
        }
        settings.insert(setting.name, Given { value: texts, origin: origin(&span, problems) });
    }
    table.finish(section_of);
}

/// A path as seen from the current folder: in the file it is relative to the file's own.
fn relative(text: &str, is_path: bool, folder: &Folder) -> String {
    let join = |path: &str| folder.base().join(path).display().to_string();
    match text.strip_prefix("unix:") {
        Some(path) => format!("unix:{}", join(path)),
        None if is_path && !text.is_empty() => join(text),
        None => text.to_owned(),
    }
}

/// Where a key belongs that stands in the wrong table.
fn section_of(key: &str) -> Option<String> {
    let setting = TABLE.iter().find(|setting| setting.name == key)?;
    Some(format!("It belongs in [{}].", setting.group.section()))
}

fn origin(span: &Range<usize>, problems: &Problems<'_>) -> Origin {
    let source = problems.source();
    let (line, column) = source.position(span.start);
    Origin::File { file: source.name.clone(), line, column }
}
