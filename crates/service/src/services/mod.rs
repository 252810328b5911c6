//! Services: named SQL files of an application, and stored functions that such a file names, served as resources.
//!
//! What a service reads is a read plan over its statement as a subquery, so filters, pages, etags and streams
//! are those of tables. What it writes is run in one transaction.

mod answer;
mod arguments;
mod assigned;
mod build;
mod changed_tables;
mod file;
mod fill;
mod items;
mod readable;
mod resource;
mod route;
mod run;
mod run_batch;
mod schema;
mod steady;
mod stored;

pub use answer::{
    Answers, BodyTemplate, DeclaredAnswer, JsonTemplate, OUTCOMES, Outcome, Template, TemplatePiece,
};
pub use arguments::{PathValues, given_by_query};
pub(crate) use assigned::Assigned;
pub(crate) use build::{Built, DescribedServices, built, described, source};
pub use file::{ServiceFile, ServiceParameter, ServiceResult, ServiceRoutine, ValueLimits};
pub use fill::{AnswerValues, COUNT, OF_ERRORS, RESULT};
pub use resource::{ServiceKind, ServiceResource, WriteRun};
pub use route::{PathTemplate, Segment};
pub use run::ServiceAnswer;
pub(crate) use run::first_row;
pub use run_batch::{ServiceBatch, ServiceOutcomes};
pub(crate) use steady::unsteady_word;
