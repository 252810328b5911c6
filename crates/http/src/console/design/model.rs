//! What a file of an application declares, as its page shows it.

use std::sync::LazyLock;

use duet_auth::Operation;
use duet_console::design::{
    CollectionModel, IndexRow, Parameter, SchemaField, ServiceModel, Words,
};
use duet_model::{IndexKind, Type};
use duet_service::definition::{
    Collection, SERVICE_METHODS, SERVICE_RESULTS, SERVICE_TYPES, ServiceParameter,
};
use duet_service::{ServiceResource, Snapshot};

/// The words of headers, from the lists by which they are read.
pub(super) fn words() -> Words {
    static NAMES: LazyLock<[Vec<&'static str>; 3]> = LazyLock::new(|| {
        let lists = IndexKind::NAMES.into_iter().filter(|(_, kind)| !kind.is_of_pairs());
        [
            SERVICE_RESULTS.iter().map(|(name, _)| *name).collect(),
            SERVICE_TYPES.iter().map(|(name, ..)| *name).collect(),
            lists.map(|(name, _)| name).collect(),
        ]
    });
    let [results, types, kinds] = &*NAMES;
    Words { methods: &SERVICE_METHODS, results, types, kinds }
}

/// A service.
pub(super) fn service(
    it: &ServiceResource,
    statements: Vec<String>,
    given: &dyn Fn(&str) -> String,
) -> ServiceModel {
    let file = &it.file;
    let in_path: Vec<&str> = file.path.parameters().collect();
    let result = SERVICE_RESULTS.iter().find(|(_, result)| *result == file.result);
    let parameter = |one: &ServiceParameter| Parameter {
        name: one.name.clone(),
        ty: type_name(&one.ty),
        optional: one.optional,
        in_path: in_path.contains(&one.name.as_str()),
        value: given(&one.name),
    };
    let member = |(name, ty): (String, Type)| (name, ty.name().to_lowercase());
    ServiceModel {
        method: file.method.clone(),
        path: file.path.to_string(),
        result: result.map_or("", |(name, _)| name).to_owned(),
        description: file.description.clone().unwrap_or_default(),
        parameters: file.parameters.iter().map(parameter).collect(),
        members: it.members().into_iter().map(member).collect(),
        statements,
        reads: file.reads(),
        right: match it.operation() {
            Operation::Read => "read",
            _ => "execute",
        },
    }
}

/// A type as headers have it, or as the database calls it.
fn type_name(ty: &Type) -> String {
    let known = SERVICE_TYPES.iter().find(|(_, known, _)| known == ty);
    known.map_or_else(|| ty.name().to_lowercase(), |(name, ..)| (*name).to_owned())
}

/// A collection, as a snapshot would serve it.
pub(super) fn collection(
    it: &Collection,
    snapshot: &Snapshot,
    statements: Vec<String>,
) -> CollectionModel {
    let declaration = it.declaration();
    let is_it = |one: &duet_service::MissingTable| one.collection == declaration.name;
    let index = |one: &duet_service::definition::DeclaredIndex| IndexRow {
        kind: kind_name(one.kind),
        paths: std::iter::once(&one.path).chain(&one.then).cloned().collect(),
        condition: one.condition.clone().unwrap_or_default(),
    };
    let field = |one: &duet_model::DocumentField| SchemaField {
        path: one.path.clone(),
        ty: one.ty.name().to_lowercase(),
        repeated: one.repeated,
    };
    CollectionModel {
        name: declaration.name.clone(),
        table: declaration.table.clone(),
        is_missing: snapshot.without_table.iter().any(is_it),
        metadata: declaration.metadata,
        versioned: declaration.versioned,
        fields: it.fields().iter().map(field).collect(),
        indexes: declaration.indexes.iter().map(index).collect(),
        statements,
        ..CollectionModel::default()
    }
}

/// The name of a kind of index in declarations.
pub(super) fn kind_name(kind: IndexKind) -> &'static str {
    IndexKind::NAMES.into_iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name)
}
