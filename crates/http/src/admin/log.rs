//! `GET /admin/log`: the last lines of the operator's log, which are kept in memory (`log_lines`).

use duet_model::{Code, Error, Place, Result};
use duet_service::query::Parameters;
use serde_json::json;

use crate::answer::reply::Reply;
use crate::processes::reports;
use crate::recent_log::{LEVELS, is_wanted};
use crate::worker::ServerState;

/// The lines of a level, or worse, that have these words.
///
/// # Errors
/// For a level that there is not, and other parameters.
pub(super) async fn lines(shared: &ServerState, parameters: &Parameters<'_>) -> Result<Reply> {
    let level = parameters.text("level")?.unwrap_or_default();
    if !level.is_empty() && !LEVELS.iter().any(|known| known.eq_ignore_ascii_case(&level)) {
        let message = format!("`level` is one of {}.", LEVELS.join(", ").to_lowercase());
        return Err(
            Error::new(Code::BadParameter, message).at(Place::Parameter("level".to_owned()))
        );
    }
    let words = parameters.text("words")?.unwrap_or_default();
    let mut lines = reports::log(shared).await;
    lines.retain(|line| is_wanted(line, &level, &words));
    Ok(Reply::json(json!({ "lines": lines }).to_string().into_bytes()))
}
