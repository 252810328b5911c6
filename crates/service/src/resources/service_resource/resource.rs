//! A service that is served: its file, its rights, and how it is run.

use std::sync::Arc;

use duet_auth::{Operation, ResourceAccess};
use duet_model::{Column, Expr, Page, Type, Value};

use crate::resources::resource::Resource;
use crate::services::{ServiceFile, ServiceResult, WriteRun};

/// A service that is served.
#[derive(Debug)]
pub struct ServiceResource {
    /// Its file.
    pub file: Arc<ServiceFile>,
    /// The access rules of its path.
    pub access: ResourceAccess,
    /// What running it needs.
    pub kind: ServiceKind,
    /// Whether clients receive what code of the database raises.
    pub raised_messages: bool,
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
        same && (&self.file, self.raised_messages) == (&other.file, other.raised_messages)
    }
}

/// The page that a service with a single row reads.
pub(crate) fn first_row(arguments: Arc<[Value]>) -> Page {
    Page {
        filter: Expr::all(),
        order: Vec::new(),
        by_row_number: false,
        after: None,
        offset: 0,
        limit: 1,
        arguments,
    }
}
