//! Services: named SQL files of an application, and stored functions that such a file names, served as resources.
//!
//! What a service reads is a read plan over its statement as a subquery, so filters, pages, etags and streams
//! are those of tables. What it writes is run in one transaction.
//!
//! Here are their files as data, and the values that they take and give. `service_resource/` makes them served ones, and
//! `service_call/` runs these.

mod answer;
mod arguments;
mod assigned;
mod file;
mod fill;
mod items;
mod readable;
mod refusal;
mod route;
mod route_tree;
mod steady;
mod write_run;

pub use answer::{
    Answers, BodyTemplate, DeclaredAnswer, JsonTemplate, OUTCOMES, ServiceOutcome, Template,
    TemplatePiece,
};
pub use arguments::{PathValues, given_by_query};
pub(crate) use assigned::AssignedMember;
pub use file::{
    SERVICE_METHODS, SERVICE_RESULTS, SERVICE_TYPES, ServiceFile, ServiceParameter, ServiceResult,
    ServiceRoutine, ValueLimits,
};
pub(crate) use fill::Row;
pub use fill::{AnswerValues, COUNT, OF_ERRORS, RESULT};
pub use route::{PathTemplate, Segment};
pub(crate) use route_tree::RouteTree;
pub(crate) use steady::unsteady_word;
pub use write_run::WriteRun;
pub(crate) use write_run::{codecs, text_of};
