//! The application over the relations of all types.

use std::path::Path;
use std::sync::Arc;

use duet_model::{Piece, QueryParameter, ServiceQuery};
use duet_service::definition::{
    Collection, Declaration, PathTemplate, Reference, Resource, ServiceFile, ServiceParameter,
    ServiceResult, ValueLimits,
};
use duet_service::journal::{JournalDisk, JournalOptions};

use super::subject::Subject;
use crate::support::{App, Database, Setup};

/// Starts it; the folder is for its journal.
pub(super) fn start(database: &Database, subjects: &[Subject], folder: &Path) -> App {
    let collections = collections();
    database.prepare_journal();
    database.prepare_collections(collections.iter().map(|one| one.table(None)).collect());
    let mut setup = Setup::new(database).without_poll().with(|setup| {
        setup.roles = vec!["duet.read", "duet.write", "duet.execute", "duet.admin"];
        setup.read_limits.rowstore_max_age = None;
        setup.journal = Some(JournalOptions {
            folder: folder.join("journal"),
            bytes: 1 << 20,
            tries: 3,
            host: "here".to_owned(),
            disk: JournalDisk::default(),
        });
        setup.mount().collections = collections;
        setup.mount().resources = subjects.iter().flat_map(resources).collect();
        setup.mount().services = subjects.iter().flat_map(services).map(Arc::new).collect();
    });
    for (name, text) in subjects.iter().flat_map(Subject::views) {
        setup = setup.view(&name, &text);
    }
    setup.start()
}

/// The view of the database has a key, and the items of tables are kept in memory.
fn resources(subject: &Subject) -> Vec<Resource> {
    let named = |suffix: &str| {
        let name = format!("{}{suffix}", subject.name);
        Resource { table: name.clone(), name, ..Resource::default() }
    };
    if subject.is_virtual() {
        return vec![Resource { key: vec!["id".to_owned()], ..named("") }];
    }
    let mut resources = vec![
        Resource { key: vec!["id".to_owned()], ..named("_v") },
        Resource { rowstore: 1 << 20, ..named("") },
    ];
    if subject.row.is_key() {
        resources.push(Resource { rowstore: 1 << 20, ..named("_key") });
    }
    resources
}

/// The rows whose value is a parameter: of a query, and of a body.
fn services(subject: &Subject) -> Vec<ServiceFile> {
    let Some((ty, declared)) = subject.row.parameter() else { return Vec::new() };
    let given =
        QueryParameter { name: "given".to_owned(), ty: ty.clone(), declared: declared.to_owned() };
    let parameter = ServiceParameter {
        name: given.name.clone(),
        ty,
        optional: true,
        default: None,
        limits: ValueLimits::default(),
        answer: None,
        items: None,
    };
    let statement = format!(
        "SELECT id, v FROM {} WHERE id < 1000 AND {} ORDER BY id",
        subject.name,
        subject.same("v", ":given")
    );
    let mut pieces = Vec::new();
    for (at, text) in statement.split(":given").enumerate() {
        if at > 0 {
            pieces.push(Piece::Parameter { index: 0, at: 0 });
        }
        pieces.push(Piece::Text { text: text.to_owned(), at: 0 });
    }
    let service = |suffix: &str, method: &str| {
        let name = format!("{}{suffix}", subject.name);
        ServiceFile {
            file: format!("{name}.sql"),
            method: method.to_owned(),
            path: PathTemplate::read(&format!("/{name}")).unwrap(),
            name,
            result: ServiceResult::Rows,
            parameters: vec![parameter.clone()],
            statements: vec![ServiceQuery {
                pieces: pieces.clone(),
                parameters: vec![given.clone()],
            }],
            ..ServiceFile::default()
        }
    };
    vec![service("_s", "GET"), service("_p", "POST")]
}

/// Things, and marks that refer to them.
fn collections() -> Vec<Arc<Collection>> {
    let schema = |members: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"id": {{"type": "string", "format": "uuid"}}{members}}}}}"#
        )
    };
    let reference = r#", "thingId": {"type": "string", "format": "uuid"}"#;
    let marks = Declaration {
        references: vec![Reference::new("thingId", "things")],
        ..Declaration::new("marks")
    };
    let made = [(Declaration::new("things"), schema("")), (marks, schema(reference))];
    made.map(|(declaration, schema)| Arc::new(Collection::new(declaration, &schema).unwrap()))
        .into()
}
