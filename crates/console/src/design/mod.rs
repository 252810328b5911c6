//! Pages that design what an application declares: duality views, and the files of services and collections.

mod diagram;
mod file;
mod header;
mod view;

pub use diagram::{Diagram, DiagramPage, Edge, MOST_TABLES, Table, TableBox};
pub use file::{
    Advice, CollectionModel, DesignFile, DesignedFile, DesignedFilePart, FileLink, FormReader,
    IndexRow, Parameter, SchemaField, ServiceModel, ServiceTrial, Syntax, Words,
};
pub use header::Header;
pub use view::{
    Attempt, Design, Designed, DesignedPart, FileStore, Mistake, Node, RowOperation, Sample, Trial,
    View, utf16,
};
