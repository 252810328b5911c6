//! Load tests: the form that starts one on a resource, the list of runs, and a run while it goes on and after it.
//!
//! A run sends requests with the session's token, so it has the rights of the client. It loads this server at an address
//! of the loopback interface, or services that the operator has declared.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use duet_console::measure::{Measure, RunPage, Runs};
use duet_console::page::{self, Problem, Section};
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue,
};

use super::form::Form;
use super::place::At;
use super::session::Session;
use super::visit::{Visit, see, shown, shown_with_frame};
use crate::answer::html;
use crate::answer::reply::Reply;
use crate::load_tests::{Limits, LoadTests, Mix, Order, Report, Run};

/// Users and seconds that the form has at first, and its threshold.
const USUAL: (u32, u64, &str) = (8, 10, "errors<1%");
/// The least time between two looks at a run that goes on.
const GLANCE: Duration = Duration::from_secs(1);
/// A page is made again after this many times the time that it took, so that it takes little from what is measured.
const PAUSE: u32 = 20;
/// The most requests a second that a run is asked for.
const RATE: u32 = 1_000_000;
/// The most thresholds of a run.
const THRESHOLDS: usize = 10;

/// The page with the form.
pub(super) async fn form(visit: &Visit<'_>, at: &At) -> Reply {
    let tests = match allowed(visit).await {
        Ok(tests) => tests,
        Err(reply) => return reply,
    };
    let limits = tests.limits();
    let order = Order {
        users: USUAL.0.min(limits.users),
        seconds: USUAL.1.min(limits.seconds),
        thresholds: vec![USUAL.2.to_owned()],
        ..Order::default()
    };
    show_form(visit, at, &tests, &order, None)
}

/// Starts a run, and leads to it.
pub(super) async fn start(visit: &Visit<'_>, at: &At, form: &Form) -> Reply {
    let tests = match allowed(visit).await {
        Ok(tests) => tests,
        Err(reply) => return reply,
    };
    let order = ordered(visit, at, form);
    let is_target = targets(visit, &tests).iter().any(|known| known == form.text("target"));
    if let Some(problem) = beyond(&order, tests.limits(), is_target, visit.options.read_only) {
        return show_form(visit, at, &tests, &order, Some(&problem));
    }
    let asked = order.clone();
    match beside(&tests, move |tests| tests.start(&asked)).await {
        Ok(id) => see(&format!("{}/runs/{id}", visit.base())),
        Err(problem) => show_form(visit, at, &tests, &order, Some(&problem)),
    }
}

/// What a form asks for.
fn ordered(visit: &Visit<'_>, at: &At, form: &Form) -> Order {
    let number = |name: &str| form.text(name).trim().parse::<u32>().ok();
    let lines = form.text("thresholds").lines().map(str::trim).filter(|line| !line.is_empty());
    let has_rate = !form.text("rate").trim().is_empty();
    Order {
        name: form.text("name").trim().to_owned(),
        url: format!("{}{}", form.text("target"), at.api()),
        users: number("users").unwrap_or(0),
        seconds: number("seconds").map_or(0, u64::from),
        rate: has_rate.then(|| number("rate").unwrap_or(0)),
        mix: Mix::of(form.text("mix")).unwrap_or_default(),
        thresholds: lines.map(str::to_owned).collect(),
        token: visit.session.as_ref().map(Session::token).unwrap_or_default().to_owned(),
    }
}

/// What of an order is beyond the limits.
fn beyond(order: &Order, limits: Limits, is_target: bool, is_read_only: bool) -> Option<Problem> {
    let detail = match () {
        () if !is_target => format!(
            "{} is none that may be loaded: this server at an address of this machine, or a service of `--load-test-targets`.",
            order.url
        ),
        () if order.users == 0 || order.users > limits.users => {
            format!("Users are a number from 1 to {} (`--load-test-users`).", limits.users)
        }
        () if order.seconds == 0 || order.seconds > limits.seconds => {
            format!("Seconds are a number from 1 to {} (`--load-test-duration`).", limits.seconds)
        }
        () if order.rate.is_some_and(|rate| !(1..=RATE).contains(&rate)) => {
            format!("Requests a second are a number from 1 to {RATE}, or nothing.")
        }
        () if is_read_only && order.mix.writes() => {
            "The console is read-only (`--console-read-only`): choose what only reads.".to_owned()
        }
        () if order.thresholds.len() > THRESHOLDS => {
            format!("A run has at most {THRESHOLDS} thresholds.")
        }
        () => return None,
    };
    Some(Problem { title: "The run was not started".into(), detail, ..Problem::default() })
}

fn show_form(
    visit: &Visit<'_>,
    at: &At,
    tests: &Arc<dyn LoadTests>,
    order: &Order,
    problem: Option<&Problem>,
) -> Reply {
    let title = format!("Measure {}", at.resource);
    let (place, targets) = (at.place(visit), targets(visit, tests));
    let (rows, path) = (place.rows(), place.page("measure"));
    let page = Measure {
        frame: visit.frame(&title, Section::Measure),
        resource: (&at.resource, &rows),
        path: &path,
        targets: &targets,
        limits: tests.limits(),
        order,
        problem,
    };
    shown(status(problem), page.html())
}

fn status(problem: Option<&Problem>) -> StatusCode {
    if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }
}

/// Where the resource may be loaded: at the address of the loopback interface by which the browser came, and at the
/// declared services.
fn targets(visit: &Visit<'_>, tests: &Arc<dyn LoadTests>) -> Vec<String> {
    let remote = &visit.arrived.remote;
    let own = loopback(&remote.local).map(|address| {
        let scheme = if remote.secure { "https" } else { "http" };
        format!("{scheme}://{address}")
    });
    own.into_iter().chain(tests.targets()).collect()
}

/// The listener's address on the loopback interface, if it has one.
pub(crate) fn loopback(local: &str) -> Option<SocketAddr> {
    let mut address: SocketAddr = local.replace("localhost", "127.0.0.1").parse().ok()?;
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip([127, 0, 0, 1].into()),
        IpAddr::V6(ip) if ip.is_unspecified() => {
            address.set_ip(IpAddr::V6(std::net::Ipv6Addr::LOCALHOST));
        }
        ip if ip.is_loopback() => {}
        _ => return None,
    }
    Some(address)
}

/// Pages below `/runs/`: the list, a run, its report, and what follows it.
pub(super) async fn runs(visit: &Visit<'_>, below: &str, parameters: &Form) -> Reply {
    let tests = match allowed(visit).await {
        Ok(tests) => tests,
        Err(reply) => return reply,
    };
    let parts: Vec<&str> = below.split('/').collect();
    match *parts {
        [""] => list(visit, &tests).await,
        [id] => match parameters.get("against") {
            Some(base) => {
                let base = duet_console::address::encoded(base);
                see(&format!("{}/runs/{id}/against/{base}", visit.base()))
            }
            None => run(visit, &tests, id, None, None).await,
        },
        [id, "report"] => report(visit, &tests, id, None, parameters).await,
        [id, "events"] => events(visit, &tests, id).await,
        [id, "against", base] => run(visit, &tests, id, Some(base), None).await,
        [id, "against", base, "report"] => report(visit, &tests, id, Some(base), parameters).await,
        _ => visit.nothing(),
    }
}

/// Stops a run, or adds a note to it.
pub(super) async fn change(visit: &Visit<'_>, id: &str, form: &Form) -> Reply {
    let tests = match allowed(visit).await {
        Ok(tests) => tests,
        Err(reply) => return reply,
    };
    let (run_id, note) = (id.to_owned(), form.text("note").trim().to_owned());
    let at_s = form.text("at").parse().ok();
    let done = match form.text("action") {
        "stop" => beside(&tests, move |tests| tests.stop(&run_id)).await,
        "note" if !note.is_empty() => {
            beside(&tests, move |tests| tests.note(&run_id, at_s, &note)).await
        }
        _ => Ok(()),
    };
    match done {
        Ok(()) => see(&format!("{}/runs/{id}", visit.base())),
        Err(problem) => run(visit, &tests, id, None, Some(&problem)).await,
    }
}

async fn list(visit: &Visit<'_>, tests: &Arc<dyn LoadTests>) -> Reply {
    let runs = beside(tests, |tests| tests.runs()).await;
    let (runs, problem) = match runs {
        Ok(runs) => (runs, None),
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let frame = visit.frame("Measure", Section::Measure);
    shown(status(problem.as_ref()), Runs { frame, runs: &runs, problem: problem.as_ref() }.html())
}

/// The page of a run, or of its comparison with another.
async fn run(
    visit: &Visit<'_>,
    tests: &Arc<dyn LoadTests>,
    id: &str,
    base: Option<&str>,
    problem: Option<&Problem>,
) -> Reply {
    let (wanted, against) = (id.to_owned(), base.map(str::to_owned));
    let found = beside(tests, move |tests| {
        let run = tests.run(&wanted)?;
        let base = against.map(|base| tests.run(&base)).transpose()?;
        let others = if run.state.goes_on() { Vec::new() } else { tests.runs()? };
        Ok((run, base, others))
    });
    let (run, base, mut others) = match found.await {
        Ok(found) => found,
        Err(problem) => return visit.problem_page(StatusCode::NOT_FOUND, &problem),
    };
    let is_comparable = |it: &Run| {
        it.id != run.id && it.target == run.target && !it.state.goes_on() && it.message.is_empty()
    };
    others.retain(is_comparable);
    let title = format!("Run {}", run.title);
    let page = RunPage {
        frame: visit.frame(&title, Section::Measure),
        run: &run,
        base: base.as_ref(),
        others: &others,
        problem,
    };
    shown_with_frame(status(problem), page.html())
}

/// The report: a page of its own, with a policy that allows its own script alone, shown inside pages of this server.
async fn report(
    visit: &Visit<'_>,
    tests: &Arc<dyn LoadTests>,
    id: &str,
    base: Option<&str>,
    parameters: &Form,
) -> Reply {
    let (wanted, events) = (id.to_owned(), format!("{}/runs/{id}/events", visit.base()));
    let against = base.map(str::to_owned);
    let found = beside(tests, move |tests| match against {
        Some(base) => tests.comparison(&base, &wanted),
        None => tests.report(&wanted, &events),
    });
    let report = match found.await {
        Ok(report) => report,
        Err(problem) => return visit.problem_page(StatusCode::NOT_FOUND, &problem),
    };
    let policy = format!("{}; frame-ancestors 'self'", report.policy);
    let reply = Reply::new(StatusCode::OK, Some(html::MEDIA), report.html.into_bytes());
    let plain = page::HEADERS.iter().filter(|(name, _)| *name != "content-security-policy");
    let reply = plain.fold(reply, |reply, (name, value)| {
        reply.with(HeaderName::from_static(name), HeaderValue::from_static(value))
    });
    let reply = reply.with_text(CONTENT_SECURITY_POLICY, &policy);
    match parameters.text("save") {
        "" => reply,
        _ => reply
            .with_text(CONTENT_DISPOSITION, &format!("attachment; filename=\"report-{id}.html\"")),
    }
}

/// What follows a run that goes on: its report of now, after which the browser asks again, and at last that it has ended.
/// Each answer is whole, so a server that stops waits for none, and one that was started anew goes on.
async fn events(visit: &Visit<'_>, tests: &Arc<dyn LoadTests>, id: &str) -> Reply {
    let began = Instant::now();
    let (wanted, events) = (id.to_owned(), format!("{}/runs/{id}/events", visit.base()));
    let report: Report = match beside(tests, move |tests| tests.report(&wanted, &events)).await {
        Ok(report) => report,
        Err(problem) => return visit.problem_page(StatusCode::NOT_FOUND, &problem),
    };
    let pause = (began.elapsed() * PAUSE).max(GLANCE).as_millis();
    let page = serde_json::to_string(&report.html).unwrap_or_default();
    let mut text = format!("retry: {pause}\nevent: page\ndata: {page}\n\n");
    if !report.is_live {
        text.push_str("event: end\ndata: \"The run has ended.\"\n\n");
    }
    Reply::new(StatusCode::OK, Some("text/event-stream"), text.into_bytes())
        .with(CACHE_CONTROL, HeaderValue::from_static("no-store"))
}

/// Who may see and start load tests: those who may administrate the whole server.
async fn allowed(visit: &Visit<'_>) -> Result<Arc<dyn LoadTests>, Reply> {
    let called = visit.api().get("/admin/status").await;
    if !called.status.is_success() {
        return Err(visit.refused(&called));
    }
    visit.options.load_tests.clone().ok_or_else(|| {
        let detail =
            "Load tests are switched off: `--load-tests` names no folder for their results.";
        visit.problem(StatusCode::NOT_FOUND, "No load tests", detail)
    })
}

/// Does what blocks where it delays no request.
pub(crate) async fn beside<T: Send + 'static>(
    tests: &Arc<dyn LoadTests>,
    work: impl FnOnce(&dyn LoadTests) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let tests = Arc::clone(tests);
    let done = tokio::task::spawn_blocking(move || work(&*tests)).await;
    done.unwrap_or_else(|_| {
        let detail = "The log of the server says why.".to_owned();
        Err(Problem { title: "It failed".into(), detail, ..Problem::default() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_loopback_interface_is_loaded() {
        let address = |local: &str| loopback(local).map(|address| address.to_string());
        assert_eq!(address("127.0.0.1:8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(address("localhost:81").as_deref(), Some("127.0.0.1:81"));
        assert_eq!(address("0.0.0.0:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(address("[::]:80").as_deref(), Some("[::1]:80"));
        for other in ["10.0.0.1:80", "example.org:80", "", "localhost", "[2001:db8::1]:80"] {
            assert_eq!(address(other), None, "{other}");
        }
    }
}
