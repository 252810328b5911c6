//! Requests and answers in the forms of PostgREST: what its headers mean, and what they say of rows.

mod arguments;
mod body;
mod column_value;
#[cfg(test)]
mod differences;
mod form;
mod function;
#[cfg(test)]
mod manual;
mod mistakes;
mod nulls;
mod preferences;
mod range;
mod read;
mod root;
mod sent_rows;
mod settings;
mod write;

use duet_auth::Operation;
use duet_auth::bearer::Challenge;
use duet_model::profiles::PostgrestCode;
use duet_model::{Code, Error, ForeignCode};
use duet_service::Resource;
use hyper::header::HeaderName;
use hyper::{Method, StatusCode};

use self::function::FunctionPlan;
use self::read::ReadPlan;
use self::root::DescribePlan;
use self::write::WritePlan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::request::scope::Scope;
use crate::request::table_path::TablePath;

/// The schema of reads.
const ACCEPT_PROFILE: HeaderName = HeaderName::from_static("accept-profile");

/// The schema of writes.
const CONTENT_PROFILE: HeaderName = HeaderName::from_static("content-profile");

/// What a request will do.
pub(crate) enum TablePlan<'r> {
    /// Reads rows.
    Read(Box<ReadPlan<'r>>),
    /// Writes rows.
    Write(Box<WritePlan<'r>>),
    /// Calls a function.
    Call(Box<FunctionPlan<'r>>),
    /// Describes tables and functions.
    Describe(Box<DescribePlan<'r>>),
    /// Says which methods a table or function takes.
    Options(Box<Reply>),
}

impl<'r> TablePlan<'r> {
    /// Plans a request: checks the caller's rights, and reads headers and parameters.
    ///
    /// # Errors
    /// Where the caller lacks a right, or something of the request is wrong.
    pub(crate) async fn of(scope: &'r Scope<'r>, path: &'r TablePath<'r>) -> Result<Self, Refusal> {
        let resource = match path {
            TablePath::Table(resource) => resource,
            TablePath::Nothing(error) => {
                let nothing = || (**error).clone().into();
                return Err(scope.reject_anonymous().unwrap_or_else(nothing));
            }
            TablePath::Root => return root::plan(scope),
            TablePath::Function(function) => {
                if let (&Method::OPTIONS, Some(first)) = (scope.request.method(), function.first) {
                    scope.admit(&first.access, Operation::Execute, &first.name, "")?;
                    return Ok(Self::Options(Box::new(function::options(first))));
                }
                let plan = Box::pin(FunctionPlan::of(scope, function)).await?;
                return Ok(Self::Call(Box::new(plan)));
            }
        };
        check_schema(scope, resource)?;
        scope.is_in_class(resource.class);
        match *scope.request.method() {
            Method::GET | Method::HEAD => {
                ReadPlan::of(scope, resource).map(|plan| Self::Read(Box::new(plan)))
            }
            Method::POST | Method::PATCH | Method::PUT | Method::DELETE => {
                let plan = Box::pin(WritePlan::of(scope, resource)).await?;
                Ok(Self::Write(Box::new(plan)))
            }
            Method::OPTIONS => Ok(Self::Options(Box::new(options(resource)))),
            ref method => {
                let message = format!("Unsupported HTTP method: {method}");
                Err(PostgrestCode::Method.error(message).into())
            }
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// Whatever the store says.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let (scope, answer) = match self {
            Self::Read(plan) => (plan.scope, plan.answer().await),
            Self::Write(plan) => (plan.scope, Box::pin(plan.answer()).await),
            Self::Call(plan) => (plan.scope, Box::pin(plan.answer()).await),
            Self::Describe(plan) => return Box::pin(plan.answer()).await,
            Self::Options(reply) => return Ok(*reply),
        };
        answer.map_err(|refused| of_anonymous(scope, refused))
    }
}

/// A right that the caller lacks is 401 without a token, which may give it.
fn of_anonymous(scope: &Scope<'_>, refused: Refusal) -> Refusal {
    let denied = [Code::RoleDenied, Code::RowSecurity, Code::Forbidden];
    if !scope.who.is_anonymous() || !denied.contains(&refused.error.code) {
        return refused;
    }
    let row = PostgrestCode::Denied.row();
    let code =
        ForeignCode { code: row.code.into(), status: 401, details: None, headers: Vec::new() };
    Refusal::challenging((*refused.error).reported_as(code), Challenge::NoToken)
}

/// Refuses a request for another schema than the mount serves. `public` is the name of the only one wherever it is.
fn check_schema(scope: &Scope<'_>, resource: &Resource) -> Result<(), Error> {
    let name = if scope.request.method().is_safe() { ACCEPT_PROFILE } else { CONTENT_PROFILE };
    let Some(given) = scope.request.headers().get(name) else { return Ok(()) };
    let given = String::from_utf8_lossy(given.as_bytes());
    let schema = resource.shape.root().table.schema.as_str();
    if given == schema || given == scope.mount.name || given == "public" {
        return Ok(());
    }
    let shown: String = given.chars().take(64).collect();
    let hint = format!("Only the following schemas are exposed: {}", scope.mount.schema_name());
    Err(PostgrestCode::Schema.error(format!("Invalid schema: {shown}")).hint(hint))
}

/// The methods that a table takes.
fn options(resource: &Resource) -> Reply {
    let mut methods = vec!["OPTIONS", "GET", "HEAD"];
    let more = [
        (resource.takes_inserts(), "POST"),
        (resource.takes_updates() && resource.takes_inserts(), "PUT"),
        (resource.takes_updates() || resource.updates_unkeyed(), "PATCH"),
        (resource.takes_deletes() || resource.deletes_unkeyed(), "DELETE"),
    ];
    methods.extend(more.into_iter().filter(|(takes, _)| *takes).map(|(_, name)| name));
    Reply::empty(StatusCode::OK).with_text(hyper::header::ALLOW, &methods.join(","))
}
