//! A file of an application that is tried before it is stored: the whole application is read with it, and a snapshot built
//! beside that in force, as a reload would. Nothing is served by it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use duet_collection::Collection;
use duet_duality::{DefinitionFile, Diagnostic, Span};
use duet_model::{Code, Error, Place, Result};
use duet_sql::{Dialect, collection_index_statements, collection_table_statement, query_statement};

use super::design::mistake;
use crate::build::mount::Mount;
use crate::build::snapshot::Snapshot;
use crate::definition::{Application, CollectionFile, DesignMistake, Mounts, Origin};
use crate::hosting::service::Service;
use crate::resources::service_resource::{self, DescribedServices, ServiceResource};
use crate::services::ServiceFile;

/// Generations of drafts, which no snapshot in force has: caches are kept by generation.
static GENERATION: AtomicU64 = AtomicU64::new(1 << 63);

/// A file that fits its application and the database.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What would be served.
    pub snapshot: Arc<Snapshot>,
    /// What the file declares; none of a file that no pattern of the application names.
    pub resource: Option<DraftResource>,
    /// The statements of a service as the database gets them, or those that make the table and the indexes of a collection.
    pub statements: Vec<String>,
}

/// What a file declares.
#[derive(Clone, Debug)]
pub enum DraftResource {
    /// A service.
    Service(Arc<ServiceResource>),
    /// A collection.
    Collection(Arc<Collection>),
    /// Duality views.
    Views,
}

impl Service {
    /// Reads the application with another text of a file, and builds what would be served.
    ///
    /// # Errors
    /// [`Code::BadRequest`] where the application has no files; others where the database cannot be asked. The inner error has
    /// the mistakes.
    pub async fn draft(
        self: &Arc<Self>,
        file: &str,
        text: &str,
    ) -> Result<std::result::Result<Draft, Vec<DesignMistake>>> {
        let origin = Arc::clone(self.files()?);
        let (name, own) = (file.to_owned(), text.to_owned());
        let read = tokio::task::spawn_blocking(move || origin.draft(&name, &own));
        let application = match read.await.map_err(Error::internal)? {
            Ok(application) => Arc::new(application),
            Err(mistakes) => return Ok(Err(mistakes)),
        };
        let catalog = self.built_from();
        let described = service_resource::described(self.store(), &application, &catalog).await?;
        let drafted = DraftedFile { name: file.to_owned(), text: text.to_owned() };
        let service = Arc::clone(self);
        // A large schema takes its time, which delays no request.
        let built = tokio::task::spawn_blocking(move || {
            drafted.built(&service, &application, Arc::new(described))
        });
        built.await.map_err(Error::internal)
    }

    /// The files of the application.
    ///
    /// # Errors
    /// [`Code::BadRequest`] where it has none.
    pub fn files(&self) -> Result<&Arc<dyn Origin>> {
        self.origin().ok_or_else(|| {
            let message = "What is served here is no application with files, so there is none to put services and collections into.";
            Error::new(Code::BadRequest, message)
                .hint("`duet init` makes an application for a database; then `duet serve --config FOLDER/app.toml`.")
        })
    }
}

/// A file that is tried.
struct DraftedFile {
    name: String,
    text: String,
}

impl DraftedFile {
    fn built(
        &self,
        service: &Service,
        application: &Arc<Application>,
        described: Arc<DescribedServices>,
    ) -> std::result::Result<Draft, Vec<DesignMistake>> {
        let (previous, catalog) = (service.snapshot(), service.built_from());
        let dialect = service.store().dialect();
        let standby = previous.standby;
        let built =
            Snapshot::build(Some(&previous), &catalog, application, dialect, standby, described);
        let mut snapshot = built.map_err(|error| self.mistakes(&error))?;
        snapshot.generation = GENERATION.fetch_add(1, Ordering::Relaxed);
        let (resource, statements) = self.resource(&snapshot, dialect);
        Ok(Draft { snapshot: Arc::new(snapshot), resource, statements })
    }

    /// What the file declares, with its statements.
    fn resource(
        &self,
        snapshot: &Snapshot,
        dialect: &dyn Dialect,
    ) -> (Option<DraftResource>, Vec<String>) {
        let mut services = snapshot.mounts.iter().flat_map(Mount::services);
        if let Some(service) = services.find(|one| one.file.file == self.name) {
            let statements = statements(&service.file, dialect);
            return (Some(DraftResource::Service(Arc::clone(service))), statements);
        }
        let Mounts::Declared(mount) = &snapshot.application.mounts else {
            return (None, Vec::new());
        };
        if mount.views.iter().any(|view| view.name == self.name) {
            return (Some(DraftResource::Views), Vec::new());
        }
        let is_it = |one: &&CollectionFile| one.name == self.name || one.schema.0 == self.name;
        let file = mount.collection_files.iter().find(is_it);
        let collection = file.and_then(|file| {
            mount.collections.iter().find(|one| one.declaration().name == file.collection)
        });
        let Some(collection) = collection else { return (None, Vec::new()) };
        let table = collection.table(mount.schema.as_deref());
        let indexes = collection_index_statements(dialect, &table, false);
        let statements = std::iter::once(collection_table_statement(dialect, &table))
            .chain(indexes.into_iter().map(|index| index.sql));
        (Some(DraftResource::Collection(Arc::clone(collection))), statements.collect())
    }

    fn mistakes(&self, error: &Error) -> Vec<DesignMistake> {
        error.mistakes().map(|one| self.mistake(one)).collect()
    }

    /// A mistake, with the line of this file where it is in it.
    fn mistake(&self, error: &Error) -> DesignMistake {
        let (file, line, column) = match &error.place {
            Some(Place::File { file, line, column }) => (&**file, *line as usize, *column as usize),
            _ => ("", 1, 1),
        };
        let source = DefinitionFile::new(self.name.clone(), self.text.clone());
        let at = byte_at(&self.text, line, column).filter(|_| file == self.name);
        if let Some(at) = at {
            let span = Span::new(at, at + 1);
            let (message, hint) = (error.message.clone(), error.hint.clone());
            return mistake(
                &Diagnostic { code: error.code, message, rule: None, hint, span },
                &source,
            );
        }
        let hint = error.hint.as_ref().map_or(String::new(), |hint| format!("\n{hint}"));
        DesignMistake {
            file: file.to_owned(),
            code: error.code,
            message: error.message.clone(),
            hint: error.hint.clone(),
            bytes: 0..0,
            line,
            column,
            rendered: format!("{}{hint}", error.message),
        }
    }
}

/// The statements of a service as the database gets them.
fn statements(file: &ServiceFile, dialect: &dyn Dialect) -> Vec<String> {
    let statement = |query| query_statement(dialect, query, &Arc::default(), &[]).sql.to_string();
    file.statements.iter().map(statement).collect()
}

/// The byte at a line and a column, both from 1, the column in characters.
fn byte_at(text: &str, line: usize, column: usize) -> Option<usize> {
    let start = match line.checked_sub(1)? {
        0 => 0,
        before => text.match_indices('\n').nth(before - 1)?.0 + 1,
    };
    let own = text[start..].lines().next().unwrap_or_default();
    let within = own.char_indices().nth(column.checked_sub(1)?).map_or(own.len(), |(at, _)| at);
    Some(start + within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_lines_are_bytes() {
        let text = "é\nab\n";
        let at = |line, column| byte_at(text, line, column);
        assert_eq!(
            [at(1, 1), at(1, 2), at(2, 2), at(3, 1), at(4, 1), at(0, 1)],
            [Some(0), Some(2), Some(4), Some(6), None, None]
        );
    }
}
