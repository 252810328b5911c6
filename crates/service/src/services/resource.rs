//! A service that is served: its file, its rights, and how it is run.

use std::sync::Arc;

use duet_auth::{Operation, ResourceAccess};
use duet_db::Writes;
use duet_document::Codec;
use duet_model::{Column, Type};

use super::file::{ServiceFile, ServiceResult};
use crate::resource::Resource;

/// A service that is served.
#[derive(Debug)]
pub struct ServiceResource {
    /// Its file.
    pub file: Arc<ServiceFile>,
    /// The access rules of its path.
    pub access: ResourceAccess,
    /// What running it needs.
    pub kind: ServiceKind,
}

/// What running a service needs.
#[derive(Debug)]
pub enum ServiceKind {
    /// It is read: a resource over its statement.
    Read(Arc<Resource>),
    /// Its statements are run in one transaction.
    Write(WriteRun),
    /// It has no statements: its answer is in its file.
    Fixed,
}

/// What running the statements of a service that writes needs.
#[derive(Clone, Debug)]
pub struct WriteRun {
    /// The columns that the last statement gives.
    pub(crate) columns: Vec<Column>,
    /// What each statement changes.
    pub(crate) writes: Vec<Writes>,
}

impl PartialEq for WriteRun {
    /// What the statements change follows from the file and the catalog.
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns
    }
}

impl ServiceResource {
    /// The name.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// What a caller must be allowed to do.
    pub fn operation(&self) -> Operation {
        match self.kind {
            ServiceKind::Fixed if self.file.reads() => Operation::Read,
            ServiceKind::Read(_) => Operation::Read,
            ServiceKind::Write(_) | ServiceKind::Fixed => Operation::Execute,
        }
    }

    /// The members of an answer with their types; none where it has no rows.
    pub fn members(&self) -> Vec<(String, Type)> {
        let columns: &[Column] = match &self.kind {
            ServiceKind::Read(resource) => &resource.shape.root().table.columns,
            ServiceKind::Write(run) => &run.columns,
            ServiceKind::Fixed => &[],
        };
        match self.file.result {
            ServiceResult::Nothing => Vec::new(),
            ServiceResult::Count => vec![("count".to_owned(), Type::Integer { bits: 64 })],
            _ => columns.iter().map(|column| (column.served_name(), column.ty.clone())).collect(),
        }
    }

    /// Whether both answer in the same way.
    pub(crate) fn serves_same(&self, other: &Self) -> bool {
        let same = match (&self.kind, &other.kind) {
            (ServiceKind::Read(one), ServiceKind::Read(other)) => one.serves_same(other),
            (ServiceKind::Write(one), ServiceKind::Write(other)) => one == other,
            (ServiceKind::Fixed, ServiceKind::Fixed) => true,
            _ => false,
        };
        same && self.file == other.file
    }
}

/// The codecs of columns.
pub(super) fn codecs(columns: &[Column]) -> Vec<Codec> {
    columns.iter().map(|column| Codec::of(&column.ty)).collect()
}
