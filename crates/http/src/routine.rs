//! `POST {mount}/{routine}`: a function or procedure run with arguments by name.

use std::sync::Arc;

use duet_auth::Operation as Right;
use duet_model::{Code, Error};
use duet_service::RoutineResource;
use hyper::{Method, StatusCode};

use crate::handle::{Scope, Timed};
use crate::methods::Methods;
use crate::parse::in_body;
use crate::prefer::Preferences;
use crate::refusal::Refusal;
use crate::reply::Reply;
use duet_service::query::Parameters;

impl Scope<'_> {
    /// Answers a request for a routine.
    pub(crate) async fn routine(
        &self,
        routine: &Arc<RoutineResource>,
        tail: &str,
        timed: &mut Timed<'_>,
    ) -> Result<Reply, Refusal> {
        self.admit(&routine.access, (Right::Execute, &routine.name), tail)?;
        if !tail.is_empty() {
            return Err(Error::new(Code::NotServed, "Routines have nothing below them.").into());
        }
        match *self.request.method() {
            Method::POST => {}
            Method::OPTIONS => {
                return Ok(Reply::empty(StatusCode::NO_CONTENT).allow(Methods::RUN));
            }
            _ => return Err(Refusal::method(Methods::RUN)),
        }
        self.check_accept()?;
        Parameters::parse(self.request.uri().query(), &[])
            .map_err(|error| error.hint("The arguments of a routine stand in the body."))?;
        let preferences = Preferences::of(self.request.headers())?;
        let mut body = self.json_or_nothing().await?;
        if !body.trim().is_empty() {
            body = self.checked_json(body, 0).await?;
        }
        timed.admitted();
        let answer = self.reader.run_routine(routine, &body, preferences.rollback()).await;
        let answer = answer.map_err(in_body)?;
        timed.fetched(std::time::Instant::now());
        Ok(preferences.applied(Reply::json(answer), None))
    }
}
