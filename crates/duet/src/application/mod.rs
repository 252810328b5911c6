//! Applications: the configuration of what is served, from an `app.toml` and the files beside it.

mod answers;
mod built_in;
mod collections;
mod expand;
mod folder;
mod load_plan;
mod login;
mod mounts;
mod parsed;
mod places;
mod privileges;
pub(crate) mod problem;
mod reader;
mod resources;
mod sections;
mod services;
mod webhooks;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Component, Path, PathBuf};

use duet_model::Error;
use duet_service::definition::{DesignMistake, Mounts, Places};
use duet_text::name;
use toml::de::DeTable;

pub(crate) use built_in::built_in;
pub(crate) use folder::Folder;
pub(crate) use load_plan::StorePlan;
pub(crate) use parsed::Application;

use crate::command_error::CommandError;
use crate::configuration_error::{ConfigurationError, Result};
use crate::settings::Environment;
use problem::{Problem, Problems, SourceText};
use reader::{Context, Table};

/// The name of the file that makes a folder an application.
pub(crate) const FILE: &str = "app.toml";

/// The source of an application.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    folder: Folder,
    file: String,
    /// The name of the file in messages.
    shown: String,
}

impl Location {
    /// An `app.toml`, or a folder that has one.
    pub(crate) fn on_disk(path: &Path) -> Self {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let shown = path.display().to_string();
        Self { folder: Folder::Disk(folder), file: file.unwrap_or_default(), shown }
    }

    /// A built-in application.
    ///
    /// # Errors
    /// `Setting`, with the nearest name, if there is none of this name.
    pub(crate) fn built_in(wanted: &str) -> Result<Self> {
        let all = built_in();
        let found = all.iter().find(|(name, _)| *name == wanted);
        let (name, files) = found.ok_or_else(|| {
            let near = name::nearest(wanted, all.iter().map(|(name, _)| *name));
            let hint = near.map(|near| format!("Did you mean `{near}`?"));
            ConfigurationError::source(format!("There is no built-in application {wanted:?}."))
                .hint("`duet apps` lists them.")
                .maybe_hint(hint)
        })?;
        let shown = format!("{name}/{FILE}");
        Ok(Self { folder: Folder::BuiltIn(files), file: FILE.into(), shown })
    }

    /// An application by a path, or by the name of a built-in one where no folder with an `app.toml` has it.
    ///
    /// # Errors
    /// `Setting` if it is neither.
    pub(crate) fn find(wanted: &str) -> Result<Self> {
        let path = Path::new(wanted);
        if path.join(FILE).is_file() {
            return Ok(Self::on_disk(path));
        }
        let built_in = Self::built_in(wanted);
        if built_in.is_err() && (path.exists() || wanted.contains(['/', '.'])) {
            return Ok(Self::on_disk(path));
        }
        built_in
    }

    /// Reads the application.
    ///
    /// # Errors
    /// All mistakes in it.
    pub(crate) fn read(&self, environment: Environment<'_>) -> Result<Application, Mistakes> {
        let text = self.folder.read_text(&self.file).map_err(|error| {
            Mistakes::Unreadable(ConfigurationError::unreadable(&self.shown, error))
        })?;
        read(&self.folder, SourceText { name: self.shown.clone(), text }, environment)
    }

    /// The same as if a file below the folder had this text.
    ///
    /// # Errors
    /// All mistakes in it.
    pub(crate) fn read_with(
        &self,
        file: &str,
        text: &str,
        environment: Environment<'_>,
    ) -> Result<Application, Mistakes> {
        self.check_designed(file).map_err(Mistakes::Unreadable)?;
        let draft = Box::new((file.to_owned(), text.to_owned()));
        let folder = Folder::Draft(Box::new(self.folder.clone()), draft);
        Self { folder, ..self.clone() }.read(environment)
    }

    /// The text of a file below the folder; `None` where there is none.
    ///
    /// # Errors
    /// `BadRequest` where it cannot be read.
    pub(crate) fn stored(&self, file: &str) -> Result<Option<String>> {
        self.check_designed(file)?;
        match self.folder.read_text(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(of_file(file, "read", &error)),
        }
    }

    /// Stores a file below the folder.
    ///
    /// # Errors
    /// `BadRequest` where it cannot be written.
    pub(crate) fn store(&self, file: &str, text: &str) -> Result<()> {
        self.check_designed(file)?;
        self.folder.store(file, text).map_err(|error| of_file(file, "written", &error))
    }

    /// Checks a path that a request names: it stays below the folder, and is not the application's own file, which holds
    /// settings and may hold secrets.
    fn check_designed(&self, file: &str) -> Result<()> {
        let is_normal = |part: Component<'_>| matches!(part, Component::Normal(_));
        let is_below = Path::new(file).components().all(is_normal) && !file.contains(['\\', '\0']);
        if is_below && !file.is_empty() && file != self.file {
            return Ok(());
        }
        let message = format!(
            "{file:?} is no file of services, collections or views below the application's folder."
        );
        Err(ConfigurationError::designed_file(message).hint("Name it as in `services/report.sql`."))
    }
}

fn of_file(file: &str, done: &str, error: &std::io::Error) -> ConfigurationError {
    ConfigurationError::designed_file(format!("{file} cannot be {done}: {error}."))
}

/// The mistakes in an application.
#[derive(Debug)]
pub(crate) enum Mistakes {
    /// Its file cannot be read.
    Unreadable(ConfigurationError),
    /// Mistakes in its texts, at least one in each, and what is readable; `None` where its file is not TOML.
    Found(Vec<(SourceText, Vec<Problem>)>, Option<Box<ReadablePart>>),
}

/// What is readable of an application with mistakes.
#[derive(Debug)]
pub(crate) struct ReadablePart {
    /// The application without what is wrong.
    pub(crate) application: Application,
    /// The settings whose values are none.
    pub(crate) unreadable: Vec<&'static str>,
}

impl Mistakes {
    /// All of them with their places, for people who design a file.
    pub(crate) fn into_design(self) -> Vec<DesignMistake> {
        match self {
            Self::Unreadable(error) => {
                let design = |error: Error| DesignMistake {
                    file: String::new(),
                    code: error.code,
                    message: error.message.clone(),
                    hint: error.hint.clone(),
                    bytes: 0..0,
                    line: 1,
                    column: 1,
                    rendered: crate::report::render(&error),
                };
                error.into_errors().into_iter().map(design).collect()
            }
            Self::Found(texts, _) => {
                let of_text = |(source, found): &(SourceText, Vec<Problem>)| {
                    let each = found.iter().map(|found| problem::to_design(found, source));
                    each.collect::<Vec<_>>()
                };
                texts.iter().flat_map(of_text).collect()
            }
        }
    }

    /// What is readable besides them.
    pub(crate) fn into_readable(self) -> Option<ReadablePart> {
        match self {
            Self::Unreadable(_) => None,
            Self::Found(_, readable) => readable.map(|readable| *readable),
        }
    }

    /// All of them, formatted for people.
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Unreadable(error) => crate::report::render(&error.clone().into()),
            Self::Found(texts, _) => {
                let of_text = |(source, found): &(SourceText, Vec<Problem>)| {
                    let each = found.iter().map(|found| problem::render(found, source));
                    each.collect::<Vec<_>>()
                };
                texts.iter().flat_map(of_text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// All of them.
impl From<Mistakes> for ConfigurationError {
    fn from(mistakes: Mistakes) -> Self {
        match mistakes {
            Mistakes::Unreadable(error) => error,
            Mistakes::Found(texts, _) => {
                let of_text = |(source, found): &(SourceText, Vec<Problem>)| {
                    found.iter().map(|found| problem::to_error(found, source)).collect::<Self>()
                };
                texts.iter().map(of_text).collect()
            }
        }
    }
}

/// The first of them, for commands that need a valid application.
impl From<Mistakes> for CommandError {
    fn from(mistakes: Mistakes) -> Self {
        ConfigurationError::from(mistakes).first().into()
    }
}

fn read(
    folder: &Folder,
    source: SourceText,
    environment: Environment<'_>,
) -> Result<Application, Mistakes> {
    let (parsed, errors) = DeTable::parse_recoverable(&source.text);
    if !errors.is_empty() {
        let problems = errors.iter().map(|error| Problem {
            span: error.span().unwrap_or(0..0),
            message: format!("This is not TOML: {}.", error.message()),
            hint: None,
        });
        let problems = problems.collect();
        return Err(Mistakes::Found(vec![(source, problems)], None));
    }
    let problems = Problems::new(&source);
    let root = Table::root(Context { problems: &problems, environment }, parsed.get_ref());
    let mut of_services = Vec::new();
    let (application, unreadable) =
        sections::application(root, &problems, &mut of_services, folder);
    let problems = problems.into_list();
    let places = places::of(&source, parsed.get_ref());
    drop(parsed);
    let application = application.with_places(places);
    if problems.is_empty() && of_services.is_empty() {
        return Ok(application);
    }
    let own = (!problems.is_empty()).then_some((source, problems));
    let readable = Box::new(ReadablePart { application, unreadable });
    Err(Mistakes::Found(own.into_iter().chain(of_services).collect(), Some(readable)))
}

impl Application {
    /// The application with the positions of its names, for mistakes that only a database shows.
    fn with_places(mut self, places: Places) -> Self {
        if let Mounts::Declared(mount) = &mut self.definition.mounts {
            mount.places = places;
        }
        self
    }
}

/// The environment of this process.
pub(crate) fn process_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Whether a folder holds an `app.toml`.
pub(crate) fn is_here(folder: &Path) -> bool {
    fs::metadata(folder.join(FILE)).is_ok_and(|data| data.is_file())
}
