//! From files to served services: the database prepares the statements, which gives the columns of their results.

use std::sync::Arc;

use duet_auth::{Policy, ResourceAccess};
use duet_document::Codec;
use duet_duality::{DefinitionFile, Diagnostic, Span};
use duet_model::{
    Catalog, Code, Column, Relation, RelationKind, Result, ServiceQuery, Shape, Type,
};
use duet_sql::{Affixes, Dialect, place_in_file, query_statement};
use duet_store::{SharedStore, StatementDescription, StatementMistake, Writes};
use duet_text::name;
use duet_text::problem::did_you_mean;

use super::changed_tables::changes;
use super::resource::{ServiceKind, ServiceResource};
use super::schema::with_schema;
use super::stored::with_call;
use crate::definition::{Application, Mounts};
use crate::resources::resource::Resource;
use crate::services::{
    COUNT, DeclaredAnswer, RESULT, ServiceFile, ServiceResult, Template, WriteRun,
};

/// What the database says of each service.
pub(crate) type DescribedServices = Vec<DescribedService>;

/// A service, with the described statements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DescribedService {
    /// Its file, with the call of its routine where it names one.
    pub(crate) file: Arc<ServiceFile>,
    /// What each statement gives, or why the routine cannot be called.
    statements: std::result::Result<Vec<StatementDescription>, Box<Diagnostic>>,
}

/// Asks the database about the services of an application.
///
/// # Errors
/// If it cannot be queried.
pub(crate) async fn described(
    store: &SharedStore,
    application: &Application,
    catalog: &Catalog,
) -> Result<DescribedServices> {
    let Mounts::Declared(mount) = &application.mounts else { return Ok(Vec::new()) };
    let dialect = store.dialect();
    let is_meant = |file: &&Arc<ServiceFile>| {
        file.store.as_deref().is_none_or(|wanted| wanted == store.kind())
    };
    let schema = mount.schema.as_deref();
    let meant = mount.services.iter().filter(is_meant);
    let meant: Vec<_> = meant.map(|file| with_schema(file, schema, dialect)).collect();
    let with_call = |file| (file, with_call(file, catalog, schema, dialect));
    let files: Vec<_> = meant.iter().map(with_call).collect();
    let callable = files.iter().filter_map(|(_, file)| file.as_ref().ok());
    let statements = callable.flat_map(|file| &file.statements);
    let statements = statements.map(|query| query_statement(dialect, query, &Arc::default(), &[]));
    let mut described = store.describe_statements(statements.collect()).await?.into_iter();
    let of_file = |(file, with_call): (&Arc<ServiceFile>, _)| match with_call {
        Ok(file) => {
            let file: Arc<ServiceFile> = file;
            let statements = Ok(described.by_ref().take(file.statements.len()).collect());
            DescribedService { file, statements }
        }
        Err(refused) => DescribedService { file: Arc::clone(file), statements: Err(refused) },
    };
    Ok(files.into_iter().map(of_file).collect())
}

/// A service that fits the database.
pub(crate) struct BuiltService {
    /// Its file.
    pub(crate) file: Arc<ServiceFile>,
    /// The access rules of its path.
    pub(crate) access: ResourceAccess,
    /// What its last statement gives.
    pub(crate) columns: Vec<Column>,
    /// What each of its statements changes, if it writes.
    pub(crate) writes: Vec<Writes>,
    /// The shape of its rows; `None` if it writes.
    pub(crate) shape: Option<Shape>,
    /// Whether clients receive what code of the database raises.
    pub(crate) raised_messages: bool,
}

impl BuiltService {
    /// What is served, where the resource is the one over its shape.
    pub(crate) fn served(self, resource: Option<Arc<Resource>>) -> ServiceResource {
        let Self { file, access, columns, writes, raised_messages, .. } = self;
        let kind = match resource {
            _ if file.is_fixed() => ServiceKind::Fixed,
            Some(resource) => ServiceKind::Read(resource),
            None => ServiceKind::Write(WriteRun { columns, writes }),
        };
        ServiceResource { file, access, kind, raised_messages }
    }
}

/// Builds the resource of a file.
///
/// # Errors
/// What does not fit the database, with its place in the file.
pub(crate) fn built(
    DescribedService { file, statements: described }: &DescribedService,
    path: &str,
    policy: &Policy,
    catalog: &Catalog,
    dialect: &dyn Dialect,
) -> std::result::Result<BuiltService, Box<Diagnostic>> {
    let mut columns = Vec::new();
    for (query, described) in file.statements.iter().zip(described.as_ref().map_err(Box::clone)?) {
        columns = described.clone().map_err(|why| Box::new(mistake(file, query, &why, dialect)))?;
    }
    let columns = named(file, columns, dialect)?;
    check_answer(file, &columns)?;
    check_location(file, &columns)?;
    let access = policy.resource_access(path, file.path.first());
    let shape = match file.statements.last() {
        Some(query) if file.reads() => {
            let relation = Arc::new(relation(file, query, columns.clone())?);
            let name = file.resource_name().to_owned();
            let metadata = !file.key.is_empty();
            Some(Shape { name, metadata, ..Shape::of_relation(&relation) })
        }
        _ => None,
    };
    let statements = file.statements.iter().filter(|_| shape.is_none());
    let writes = statements.map(|query| changes(query, catalog, dialect)).collect();
    let file = Arc::clone(file);
    Ok(BuiltService { file, access, columns, writes, shape, raised_messages: false })
}

/// The columns with the types that the header gives them, and a name each.
fn named(
    file: &ServiceFile,
    mut columns: Vec<Column>,
    dialect: &dyn Dialect,
) -> std::result::Result<Vec<Column>, Box<Diagnostic>> {
    for (at, column) in columns.iter().enumerate() {
        let same = |other: &Column| other.served_name() == column.served_name();
        if columns[..at].iter().any(same) {
            let message = format!("The result has two columns {:?}.", column.name);
            return Err(last(file, message, "Name one of them otherwise, with AS."));
        }
    }
    for (name, ty) in &file.columns {
        let Some(column) = columns.iter_mut().find(|column| column.served_name() == *name) else {
            let message = format!("The result has no column {name:?}, which [columns] names.");
            return Err(last(file, message, "Correct the name, or remove it from [columns]."));
        };
        column.ty = match dialect.knows_result_types() {
            true => declared_type(column, ty, dialect).map_err(|why| {
                let hint = "Convert it in the statement with CAST, or correct [columns].";
                last(file, why, hint)
            })?,
            false => ty.clone(),
        };
    }
    let gives_rows =
        matches!(file.result, ServiceResult::Row | ServiceResult::Rows | ServiceResult::Document);
    if gives_rows && columns.is_empty() && !file.is_fixed() {
        let message = "The last statement gives no rows.".to_owned();
        let hint = "Add RETURNING to it, or set `result` to \"count\" or \"nothing\".";
        return Err(last(file, message, hint));
    }
    Ok(columns)
}

/// The type of a column whose values the database sends in the form of its own type.
fn declared_type(
    column: &Column,
    declared: &Type,
    dialect: &dyn Dialect,
) -> std::result::Result<Type, String> {
    let is_float = |codec: &Codec| matches!(codec, Codec::Float32 | Codec::Float64);
    let is_converted = dialect.selected(&column.ty) != Affixes::NONE;
    match (Codec::of(&column.ty), Codec::of(declared)) {
        (Codec::Text, Codec::Text) if is_converted => Ok(column.ty.clone()),
        // A text that is JSON.
        (Codec::Text, Codec::Json) if !is_converted => Ok(Type::Json),
        (Codec::Decimal(_), Codec::Decimal(_)) => Ok(declared.clone()),
        (own, wanted) if own == wanted || (is_float(&own) && is_float(&wanted)) => {
            Ok(declared.clone())
        }
        _ => Err(format!(
            "The column {:?} has the type {} in the database, and [columns] says {}.",
            column.name,
            column.declared,
            declared.name().to_lowercase()
        )),
    }
}

/// Checks that the names in the answer of success are those of columns or parameters.
fn check_answer(
    file: &ServiceFile,
    columns: &[Column],
) -> std::result::Result<(), Box<Diagnostic>> {
    let templates = file.answers.ok().map(DeclaredAnswer::templates).unwrap_or_default();
    let columns: Vec<String> = match file.result {
        ServiceResult::Row => columns.iter().map(Column::served_name).collect(),
        _ => Vec::new(),
    };
    let parameters = file.parameters.iter().map(|own| own.name.as_str());
    let known: Vec<&str> = columns.iter().map(String::as_str).chain(parameters).collect();
    let names = templates.into_iter().flat_map(Template::names);
    let usual = |name: &str| !file.is_fixed() && [COUNT, RESULT].contains(&name);
    let mut unknown = names.filter(|(name, _)| !known.contains(name) && !usual(name));
    let Some((name, at)) = unknown.next() else { return Ok(()) };
    let hint = name::nearest(name, known.iter().copied()).map(did_you_mean);
    let message = format!("The answer has {{{name}}}, which is neither a column nor a parameter.");
    let span = Span::new(at, at + name.len() + 2);
    Err(Box::new(Diagnostic { span, ..diagnostic(at, message, hint) }))
}

/// Checks that the names in `location` are those of columns or parameters.
fn check_location(
    file: &ServiceFile,
    columns: &[Column],
) -> std::result::Result<(), Box<Diagnostic>> {
    let columns: Vec<String> = columns.iter().map(Column::served_name).collect();
    let parameters = file.parameters.iter().map(|own| own.name.as_str());
    let known: Vec<&str> = columns.iter().map(String::as_str).chain(parameters).collect();
    let parts = file.location.as_deref().unwrap_or_default().split('{').skip(1);
    for part in parts {
        let Some((name, _)) = part.split_once('}') else {
            let message = "`location` has a `{` without its `}`.".to_owned();
            return Err(last(file, message, "A name in it is as in /sale/{id}."));
        };
        if !known.contains(&name) {
            let message =
                format!("`location` has {{{name}}}, which is neither a column nor a parameter.");
            let near = name::nearest(name, known.iter().copied()).map(did_you_mean);
            let hint = near.unwrap_or_else(|| "Add it to RETURNING.".to_owned());
            return Err(last(file, message, &hint));
        }
    }
    Ok(())
}

/// The result of a statement as a relation.
fn relation(
    file: &ServiceFile,
    query: &ServiceQuery,
    columns: Vec<Column>,
) -> std::result::Result<Relation, Box<Diagnostic>> {
    let mut key = Vec::with_capacity(file.key.len());
    for name in &file.key {
        let found = columns.iter().position(|column| column.served_name() == *name);
        key.push(found.ok_or_else(|| {
            let message = format!("The result has no column {name:?}, which `key` names.");
            last(file, message, "Correct the name, or remove it from `key`.")
        })?);
    }
    Ok(Relation {
        kind: RelationKind::View,
        primary_key: key,
        comment: file.description.clone(),
        query: Some(duet_model::Derivation::Statement(Arc::new(query.clone()))),
        ..Relation::table("", &file.name, columns)
    })
}

/// A mistake in the last statement as a whole.
fn last(file: &ServiceFile, message: String, hint: &str) -> Box<Diagnostic> {
    let query = file.statements.last().cloned().unwrap_or_default();
    Box::new(diagnostic(start(&query), message, Some(hint.to_owned())))
}

/// Where a statement begins, past its spaces.
fn start(query: &ServiceQuery) -> usize {
    match query.pieces.first() {
        Some(duet_model::Piece::Text { text, at }) => at + text.len() - text.trim_start().len(),
        Some(duet_model::Piece::Parameter { at, .. }) => *at,
        None => 0,
    }
}

fn mistake(
    file: &ServiceFile,
    query: &ServiceQuery,
    why: &StatementMistake,
    dialect: &dyn Dialect,
) -> Diagnostic {
    if let Some(routine) = &file.routine {
        let message =
            format!("The database refuses the call of {}: {}.", routine.name, why.message);
        let span = Span::new(routine.span.start, routine.span.end);
        return Diagnostic { span, ..diagnostic(span.start, message, why.hint.clone()) };
    }
    let at =
        why.offset.map_or_else(|| start(query), |offset| place_in_file(dialect, query, offset));
    diagnostic(
        at,
        format!("The database refuses this statement: {}.", why.message),
        why.hint.clone(),
    )
}

fn diagnostic(at: usize, message: String, hint: Option<String>) -> Diagnostic {
    Diagnostic {
        code: Code::ServiceStatement,
        message,
        rule: None,
        hint,
        span: Span::new(at, at + 1),
    }
}

/// The text of a file, for messages.
pub(crate) fn source(file: &ServiceFile) -> DefinitionFile {
    DefinitionFile::new(file.file.clone(), file.text.clone())
}
