//! `/mcp`: agents, by the Model Context Protocol over HTTP. Each call of a tool becomes requests to the API in this process,
//! with the credentials that the agent sent: they take the path of every other request, so rights, limits, metrics and the
//! log are those of the API, and nothing here reads or writes a database itself.
//!
//! There is no session: every message stands alone, so any of several servers can answer it.

mod catalog;
mod commit_token;
mod measure;
mod metadata;
pub(crate) mod resource;
mod rows;
mod visit;
mod write;

use duet_mcp::{AgentRights, Call, Headers, Message, Request, ToolAnswer, ToolCall, Wrong, read};
use duet_model::{Code, Error};
use hyper::header::ORIGIN;
use hyper::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::agent_paths::AgentPath;
use crate::message::cors::CorsRequest;
use crate::message::media::JSON;
use crate::message::methods::Methods;
use crate::observe::event::Event;
use crate::options::agents::AgentOptions;
use crate::request::arrived::ArrivedRequest;
use visit::AgentVisit;

/// Answers a request at one of the paths of agents.
///
/// # Errors
/// Where the method is not taken, the request comes from a page of another site, or its caller is not known.
pub(crate) async fn answer(arrived: &ArrivedRequest, path: AgentPath) -> Result<Reply, Refusal> {
    if path != AgentPath::Tools {
        return metadata::answer(arrived, path);
    }
    let Some(options) = &arrived.worker.shared.options.agents else {
        return Ok(Reply::empty(StatusCode::NOT_FOUND));
    };
    if arrived.request.method() != Method::POST {
        return Err(Refusal::method(Methods::POST));
    }
    let headers = arrived.request.headers();
    check_origin(arrived)?;
    let visit =
        AgentVisit::of(arrived, options).map_err(|refused| metadata::named(arrived, refused))?;
    let body = arrived.body().await?;
    Ok(match read(&body, sent(headers)) {
        Err(refused) => {
            json(StatusCode::from_u16(refused.status).unwrap_or_default(), &refused.body)
        }
        Ok(Message::Notice) => Reply::empty(StatusCode::ACCEPTED),
        Ok(Message::Request(request)) => {
            let answer = answered(&visit, options, &request).await;
            json(StatusCode::OK, &answer)
        }
    })
}

/// The headers that repeat what is in the body.
fn sent(headers: &HeaderMap) -> Headers<'_> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    Headers {
        is_http: true,
        version: text("mcp-protocol-version"),
        method: text("mcp-method"),
        name: text("mcp-name"),
    }
}

fn json(status: StatusCode, body: &Value) -> Reply {
    Reply::new(status, Some(JSON), body.to_string().into_bytes())
}

/// Refuses pages of sites that are not allowed to read answers: their visitor's network may reach this server where they
/// cannot.
fn check_origin(arrived: &ArrivedRequest) -> Result<(), Refusal> {
    let Some(origin) = arrived.request.headers().get(ORIGIN) else { return Ok(()) };
    let is_allowed = arrived.browser.as_ref().is_some_and(CorsRequest::is_allowed);
    let is_own = arrived
        .origin()
        .is_ok_and(|own| origin.as_bytes().eq_ignore_ascii_case(own.to_string().as_bytes()));
    if is_allowed || is_own {
        return Ok(());
    }
    let message =
        "Pages of this origin may not call the server: `--cors-origins` names those that may.";
    Err(Error::new(Code::Forbidden, message).into())
}

async fn answered(visit: &AgentVisit<'_>, options: &AgentOptions, request: &Request) -> Value {
    let allowed = AgentRights { write: options.write, measure: options.load_tests.is_some() };
    match &request.call {
        Call::Initialize(version) => request.initialized(version),
        Call::Discover => request.discovered(),
        Call::Ping => request.pong(),
        Call::ListTools => request.tools(allowed),
        Call::Tool(name, arguments) => {
            let row = duet_mcp::TOOLS.iter().find(|row| row.name == name);
            let offered = row.filter(|row| row.is_offered(allowed));
            match offered.and_then(|row| ToolCall::read(row.name, arguments)) {
                None => request.no_tool(name),
                Some(call) => {
                    let answer = called(visit, name, call).await;
                    request.called(answer, options.budget)
                }
            }
        }
    }
}

/// Calls a tool, and tells the operator.
async fn called(visit: &AgentVisit<'_>, name: &str, call: Result<ToolCall, Wrong>) -> ToolAnswer {
    let (answer, resource) = match call {
        Err(Wrong(why)) => (ToolAnswer::failure(why), String::new()),
        Ok(call) => {
            let resource = call.resource().unwrap_or_default().to_owned();
            (done(visit, call).await, resource)
        }
    };
    let outcome = if answer.is_failure() { "refused" } else { "answered" };
    let (by, resource) = (visit.name(), resource.as_str());
    visit.arrived.worker.events.emit(&Event::AgentCalled { by, tool: name, resource, outcome });
    answer
}

async fn done(visit: &AgentVisit<'_>, call: ToolCall) -> ToolAnswer {
    match call {
        ToolCall::List(list) => catalog::list(visit, &list),
        ToolCall::Describe(it) => catalog::describe(visit, &it.resource).await,
        ToolCall::Query(query) => rows::query(visit, &query).await,
        ToolCall::Get(get) => rows::get(visit, &get).await,
        ToolCall::Explain(query) => rows::explain(visit, &query).await,
        ToolCall::Write(change) => write::write(visit, &change).await,
        ToolCall::Measure(load) => measure::measure(visit, &load).await,
    }
}
