//! The page that explains a request for rows: what the API answers with `explain=1`.

use duet_console::address::{query, shell_word};
use duet_console::explain::{Explain, Explained};
use duet_console::page::Section;

use super::form::Form;
use super::place::At;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

pub(super) async fn page(visit: &Visit<'_>, at: &At, parameters: &Form) -> Reply {
    // Browsers send every line's end as CR LF, which is white space of JSON.
    let q = parameters.text("q").trim();
    let target = format!("{}{}", at.api(), query(&[("q", q), ("explain", "1")]));
    let called = visit.api().get(&target).await;
    if called.status == hyper::StatusCode::UNAUTHORIZED {
        return visit.refused(&called);
    }
    let address = format!("{}{}", at.api(), query(&[("q", q)]));
    let mut explained = Explained {
        resource: (at.resource.clone(), at.place(visit).rows()),
        path: at.place(visit).page("explain"),
        q: q.to_owned(),
        command: format!("duet explain GET {} --app app.toml", shell_word(&address)),
        ..Explained::default()
    };
    match called.status.is_success() {
        true => explained.read(&called.json()),
        false => explained.problem = Some(called.problem()),
    }
    let title = format!("Explain {}", at.resource);
    shown(
        called.status,
        Explain { frame: visit.frame(&title, Section::Data), explained: &explained }.html(),
    )
}
