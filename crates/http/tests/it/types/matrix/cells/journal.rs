//! New rows that are acknowledged from the journal.

use serde_json::Value;

use super::{Asked, Subject, Tried, as_read, differing, id_of, originals};
use crate::types::matrix::asked::problem;

pub(super) fn journal(asked: &mut Asked<'_>, subject: &Subject) -> Tried {
    let items = originals(asked, subject)?;
    let bodies: Vec<Value> =
        items.iter().map(|item| as_read(subject, item, id_of(item) + 4000)).collect();
    let accepted = asked.post_later(&format!("{}/", subject.name), &Value::from(bodies));
    if accepted.status != 202 {
        return Err(format!("{}: {}", accepted.status, problem(&accepted)));
    }
    asked.flush()?;
    differing(asked, subject, &subject.name, 4000)
}
