//! Bulk loads: `POST {table}/batchload`, with CSV, a JSON array or NDJSON of any length.
//!
//! The body is read as fast as the database takes it: hyper reads from the socket only the requested
//! bytes. The answer is the report, as text or as JSON.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use duet_auth::Operation;
use duet_model::{Code, Error, Result};
use duet_service::Resource;
use duet_service::bulk::{BodyChunks, BodyForm, Clear, LoadOptions, ReportForm};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::ACCEPT;
use hyper::{HeaderMap, Method, StatusCode};

use super::write::CHANGE_BY_PUT;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::accept::preference;
use crate::message::header::list;
use crate::message::media::{self, JSON};
use crate::message::prefer::Preferences;
use crate::message::subpath::is_batchload;
use crate::offload::Offload;
use crate::options::HttpLimits;
use crate::profiles;
use crate::request::body::{self, BufferedBody};
use crate::request::scope::Scope;

const TEXT: &str = "text/plain; charset=utf-8";

/// Whether a request for this path below a resource is a bulk load.
pub(crate) fn is_load(method: &Method, tail: &str) -> bool {
    *method == Method::POST && is_batchload(tail)
}

/// What to load, and how.
pub(crate) struct LoadPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    options: LoadOptions,
    report: ReportForm,
    preferences: Preferences,
    body: Stream<'r, Source>,
}

impl<'r> LoadPlan<'r> {
    /// Reads how to load. That the caller may insert has been checked.
    ///
    /// # Errors
    /// For wrong headers and parameters, and where the caller lacks a right that they need.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        tail: &'r str,
    ) -> Result<Self, Refusal> {
        let headers = scope.request.headers();
        let form = form_of(headers)?;
        scope.reject_conditions("loads many", CHANGE_BY_PUT)?;
        let preferences = Preferences::of(headers)?;
        let row_bytes = scope.service().write_limits().row_bytes;
        let profile = resource.shape.style.profile;
        let mut options =
            LoadOptions::parse(scope.request.uri().query(), form, row_bytes, profile)?;
        options.dry_run = preferences.rollback();
        if options.dry_run && options.batches_per_commit > 0 {
            let message = "A bulk load of several transactions is committed as it goes and cannot be undone: nothing was loaded. For a dry run add `batchesPerCommit=0`, otherwise leave out `Prefer: tx=rollback`.";
            return Err(Error::new(Code::BadRequest, message).into());
        }
        for (needed, operation) in
            [(options.upsert, Operation::Update), (options.clear != Clear::No, Operation::Delete)]
        {
            if needed {
                scope.admit(&resource.access, operation, &resource.name, tail)?;
            }
        }
        options.may_read = scope.may_read(resource, "", false)?;
        let report = match options.report {
            Some(form) => form,
            None => preferred(list(headers, &ACCEPT).as_deref())?,
        };
        let Some(incoming) = Source::of(scope.request.body()) else {
            // Restarted because the schema has changed; the first rows are lost.
            let message = "The schema has just changed. Load again.";
            return Err(Error::new(Code::DatabaseUnavailable, message).retry_after(1).into());
        };
        let shared = &scope.worker.shared;
        let limits = &shared.options.limits;
        if incoming.size_hint().lower() > limits.load_bytes {
            incoming.put_back(scope.request.body());
            return Err(too_large(limits.load_bytes).into());
        }
        let body = Stream::new(incoming, limits, &shared.offload);
        Ok(Self { scope, resource, options, report, preferences, body })
    }

    /// Loads, and reports.
    ///
    /// # Errors
    /// Where nothing was done, and where the body broke off.
    pub(crate) async fn answer(mut self) -> Result<Reply, Refusal> {
        let loader = self.scope.loader();
        let report = loader.load(self.resource, self.options, &mut self.body).await;
        self.body.incoming.put_back(self.scope.request.body());
        let report = report?;
        self.scope.trace().fetched(Instant::now());
        let position = self.scope.service().store().last_written();
        if let Some((position, reading)) = position.zip(self.scope.trace().reading()) {
            reading.wrote(position);
        }
        let status = match report.stopped {
            None => StatusCode::OK,
            Some(_) => {
                let service = self.scope.service();
                let ords_statuses = service.write_limits().ords_statuses;
                profiles::of(service.profile()).stopped_load(ords_statuses)
            }
        };
        let (media, body) = match self.report {
            ReportForm::Text => (TEXT, report.text().into_bytes()),
            ReportForm::Sql => (TEXT, report.sql().into_bytes()),
            ReportForm::Json => (JSON, report.json()),
        };
        let reply = Reply::new(status, Some(media), body);
        Ok(if self.preferences.rollback() { self.preferences.applied(reply, None) } else { reply })
    }
}

/// Where the rows come from.
enum Source {
    /// From a client.
    Client(Incoming),
    /// From the server itself, all of them.
    Own(Full<Bytes>),
}

impl Source {
    fn of(body: &BufferedBody) -> Option<Self> {
        let own = || body.known().cloned().map(|bytes| Self::Own(Full::new(bytes)));
        body.take().map(Self::Client).or_else(own)
    }

    fn put_back(self, body: &BufferedBody) {
        if let Self::Client(incoming) = self {
            body.put_back(incoming);
        }
    }
}

impl Body for Source {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Client(incoming) => {
                let polled = Pin::new(incoming).poll_frame(context);
                polled.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
            }
            Self::Own(bytes) => {
                let polled = Pin::new(bytes).poll_frame(context);
                polled.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Client(incoming) => incoming.is_end_stream(),
            Self::Own(bytes) => bytes.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Client(incoming) => incoming.size_hint(),
            Self::Own(bytes) => bytes.size_hint(),
        }
    }
}

/// How the rows are written, by `Content-Type`.
fn form_of(headers: &HeaderMap) -> Result<BodyForm> {
    body::check_encoding(headers)?;
    let media = body::media_type(headers).unwrap_or("").to_ascii_lowercase();
    let taken = media::LOAD.iter().find(|known| known.name == media);
    taken.map(|known| known.form).ok_or_else(|| {
        Error::new(
            Code::UnsupportedMediaType,
            "Send rows with Content-Type: text/csv, application/json (an array of objects) or \
             application/x-ndjson (an object to a line).",
        )
    })
}

/// The form of the report that `Accept` likes best, text where it does not say. Of those it likes
/// alike, the more specific one, then the first.
fn preferred(accept: Option<&[u8]>) -> Result<ReportForm> {
    let Some(accept) = accept else { return Ok(ReportForm::Text) };
    let accept = String::from_utf8_lossy(accept);
    let wanted = |media| preference(&accept, media).filter(|wanted| wanted.quality > 0.0);
    match (wanted("text/plain"), wanted(JSON)) {
        (None, None) => {
            let message = "The report is served as text/plain or application/json.";
            Err(Error::new(Code::NotAcceptable, message))
        }
        (text, json) => Ok(if json > text { ReportForm::Json } else { ReportForm::Text }),
    }
}

/// A body that is read chunk by chunk, within limits of bytes and of time.
struct Stream<'o, B> {
    incoming: B,
    offload: &'o Offload,
    limit: u64,
    left: u64,
    /// How long nothing may come.
    idle: Duration,
    end: Instant,
    time: Duration,
}

impl<'o> Stream<'o, Source> {
    fn new(incoming: Source, limits: &HttpLimits, offload: &'o Offload) -> Self {
        Self {
            incoming,
            offload,
            limit: limits.load_bytes,
            left: limits.load_bytes,
            idle: limits.header_timeout,
            end: Instant::now() + limits.load_timeout,
            time: limits.load_timeout,
        }
    }
}

fn too_large(limit: u64) -> Error {
    Error::new(Code::BodyTooLarge, format!("The body of a bulk load may have {limit} bytes here."))
}

impl<B: Body<Data = Bytes> + Unpin> BodyChunks for Stream<'_, B>
where
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Chunk = Bytes;

    async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let rest = self.end.saturating_duration_since(Instant::now());
            let frame = tokio::time::timeout(self.idle.min(rest), self.incoming.frame()).await;
            let frame = match frame {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => {
                    let message = "The body breaks off, or its length is not what the headers say.";
                    let error: Box<dyn std::error::Error + Send + Sync> = error.into();
                    return Err(Error::new(Code::LoadInterrupted, message).cause(error));
                }
                Err(_) => return Err(self.too_slow()),
            };
            let Ok(chunk) = frame.into_data() else { continue };
            self.left =
                self.left.checked_sub(chunk.len() as u64).ok_or_else(|| too_large(self.limit))?;
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.offload.run(work).await
    }
}

impl<B> Stream<'_, B> {
    fn too_slow(&self) -> Error {
        let (idle, time) = (self.idle.as_secs(), self.time.as_secs());
        let message = format!(
            "Nothing of the body came for {idle} seconds, or the load took more than {time} \
             seconds in all. Send it faster, or in parts."
        );
        Error::new(Code::BodyTimeout, message)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::StreamBody;

    use super::*;

    fn stream<B>(incoming: B, offload: &Offload) -> Stream<'_, B> {
        let time = Duration::from_secs(60);
        let end = Instant::now() + time;
        Stream { incoming, offload, limit: 5, left: 5, idle: time, end, time }
    }

    #[tokio::test]
    async fn chunks_up_to_a_limit() {
        let frames = ["ab", "", "cd", "ef"]
            .map(|text| Ok::<_, Infallible>(Frame::data(Bytes::from_static(text.as_bytes()))));
        let offload = Offload::new(1, Duration::from_secs(1));
        let mut body = stream(StreamBody::new(futures_util::stream::iter(frames)), &offload);
        assert_eq!(body.next().await, Ok(Some(Bytes::from_static(b"ab"))));
        assert_eq!(body.next().await, Ok(Some(Bytes::from_static(b"cd"))));
        assert_eq!(body.next().await.unwrap_err().code, Code::BodyTooLarge);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_given_up() {
        let silent = futures_util::stream::pending::<Result<Frame<Bytes>, Infallible>>();
        let offload = Offload::new(1, Duration::from_secs(1));
        let error = stream(StreamBody::new(silent), &offload).next().await.unwrap_err();
        assert_eq!(error.code, Code::BodyTimeout);
    }

    #[test]
    fn the_report_as_the_client_likes_it() {
        for (accept, form) in [
            ("*/*", ReportForm::Text),
            ("text/plain", ReportForm::Text),
            ("application/json", ReportForm::Json),
            ("application/json, text/plain, */*", ReportForm::Json),
            ("text/*;q=0.5, application/json;q=0.9", ReportForm::Json),
            ("*/*, application/json", ReportForm::Json),
            ("application/json;q=0, */*", ReportForm::Text),
        ] {
            assert_eq!(preferred(Some(accept.as_bytes())), Ok(form), "{accept}");
        }
        assert_eq!(preferred(None), Ok(ReportForm::Text));
        assert!(preferred(Some(b"image/png")).is_err());
    }
}
