//! Request bodies: read to their end within a limit of bytes and of time, and what their headers
//! must say.

use std::cell::{Cell, OnceCell};
use std::time::Duration;

use bytes::Bytes;
use duet_model::memory::Budget;
use duet_model::{Code, Error};
use duet_text::problem::quoted;
use futures_util::FutureExt as _;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Version};

use super::body_lease::{BodyLease, BodyMemory, FIRST, STREAM_WINDOW};
use crate::clients::leased::LeasedBytes;
use crate::message::header::elements;

/// After so many bytes of a body other requests of the worker have their turn: a fast client has the next ones there
/// already.
const TURN: usize = 256 << 10;

/// Reads a body of at most `limit` bytes that is complete within `deadline`, counted from now.
///
/// A body whose declared length is too large is refused before a byte of it is read. Memory is taken as
/// [`BodyLease`] says.
///
/// # Errors
/// [`Code::BodyTooLarge`], [`Code::BodyTimeout`], or [`Code::BadRequest`] where the body breaks
/// off or its framing is wrong.
pub(crate) async fn read<B>(
    incoming: &mut B,
    limit: usize,
    deadline: Duration,
    memory: BodyMemory<'_>,
) -> Result<Bytes, Error>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if incoming.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let announced = usize::try_from(incoming.size_hint().lower()).unwrap_or(0);
    let lease = BodyLease::new(memory, announced, deadline);
    match tokio::time::timeout(deadline, collect(incoming, announced, limit, lease)).await {
        Ok(read) => read,
        Err(_) => Err(Error::new(
            Code::BodyTimeout,
            format!("The body must be complete within {} seconds.", deadline.as_secs()),
        )),
    }
}

async fn collect<B>(
    incoming: &mut B,
    announced: usize,
    limit: usize,
    mut lease: BodyLease<'_>,
) -> Result<Bytes, Error>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut body = Vec::with_capacity(announced.min(FIRST));
    let mut of_turn = 0;
    loop {
        let frame = match lease.next_look() {
            None => incoming.frame().await,
            Some(at) => match tokio::time::timeout_at(at, incoming.frame()).await {
                Ok(frame) => frame,
                Err(_) => {
                    lease.look(body.len());
                    continue;
                }
            },
        };
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|error| broken_off(error.into()))?;
        let Ok(data) = frame.into_data() else { continue };
        if body.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        lease.grow(body.len() + data.len())?;
        if body.capacity() - body.len() < data.len() && body.len() >= announced / 4 {
            // Room for all of it, instead of copying what is there each time that it doubles. Not before, because who
            // announces much may send little.
            body.reserve_exact(announced.saturating_sub(body.len()));
        }
        body.extend_from_slice(&data);
        of_turn += data.len();
        if of_turn >= TURN {
            of_turn = 0;
            tokio::task::yield_now().await;
        }
    }
    let lease = lease.whole(body.len());
    Ok(LeasedBytes::bytes(body, lease))
}

fn broken_off(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    let message = "The body breaks off, or its length is not what the headers say.";
    Error::new(Code::BadRequest, message).cause(error)
}

fn too_large(limit: usize) -> Error {
    Error::new(Code::BodyTooLarge, format!("A body may have {limit} bytes here."))
}

/// The body of a request, read once however often the request is restarted, and not before
/// it is needed: a client without the right to it does not make the server read.
pub(crate) struct BufferedBody {
    incoming: Cell<Option<Incoming>>,
    /// What was read in part, and is read no further.
    rest: Cell<Option<Incoming>>,
    bytes: OnceCell<Bytes>,
    /// Whether it is a stream of HTTP/2.
    is_stream: bool,
    /// Whether the request is answered while bytes of the body are on their way.
    unread: Cell<bool>,
}

/// Bytes of a body that nothing needs which are read, so that the connection can be used again.
const DRAINED: usize = 64 << 10;
/// How often it is looked whether they have arrived.
const GLANCES: usize = 4;

/// How long a client of HTTP/2 may take to end an upload whose answer it has.
const LEFT_TO_CLIENTS: Duration = Duration::from_secs(1);

impl BufferedBody {
    /// The body of a request of this version.
    pub(crate) fn new(incoming: Incoming, version: Version) -> Self {
        let is_stream = version == Version::HTTP_2;
        let (incoming, rest) = (Cell::new(Some(incoming)), Cell::default());
        Self { incoming, rest, bytes: OnceCell::new(), is_stream, unread: Cell::new(false) }
    }

    /// A body that is there already, of a request that the server makes to itself.
    pub(crate) fn of(bytes: Bytes) -> Self {
        let known = OnceCell::from(bytes);
        let (incoming, rest, unread) = Default::default();
        Self { incoming, rest, bytes: known, is_stream: false, unread }
    }

    /// The body itself, to be read as it comes; `None` where it has been read or taken.
    pub(crate) fn take(&self) -> Option<Incoming> {
        self.incoming.take()
    }

    /// Takes back what is left of a body that was read in part: it is not to be read again.
    pub(crate) fn put_back(&self, incoming: Incoming) {
        self.rest.set(Some(incoming));
    }

    /// Reads what has arrived of a body of HTTP/1 that nothing needs, as far as it is little. Where there is more, no next
    /// request can follow it, and the answer has to say so (RFC 9112 §9.6). A client that waits for `100 Continue` is not
    /// asked for it.
    pub(crate) async fn drain(&self, awaits_continue: bool) {
        if self.is_stream {
            return;
        }
        let Some(mut left) = self.incoming.take().or_else(|| self.rest.take()) else { return };
        let (mut bytes, mut glances) = (0, 0);
        while !left.is_end_stream() {
            if awaits_continue || bytes > DRAINED || glances >= GLANCES {
                return self.unread.set(true);
            }
            match left.frame().now_or_never() {
                Some(None) => return,
                Some(Some(Ok(frame))) => bytes += frame.data_ref().map_or(0, Bytes::len),
                Some(Some(Err(_))) => return self.unread.set(true),
                None => {
                    glances += 1;
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// Whether bytes of the body were on their way when the request was answered.
    pub(crate) fn is_unread(&self) -> bool {
        self.unread.get()
    }

    /// Has the client of an answered request end its upload itself. Of HTTP/2 a body that is dropped resets its stream
    /// right behind the answer (RFC 9113 §8.1), and some clients, such as curl 7, then report the reset instead of the
    /// answer. It is not read, so that the client may send what its window allows and no more; where there is no memory
    /// for that, the body is dropped.
    pub(crate) fn let_client_end(&self, memory: &Budget) {
        let left = self.incoming.take().or_else(|| self.rest.take());
        let is_open = |incoming: &Incoming| self.is_stream && !incoming.is_end_stream();
        if let Some(incoming) = left.filter(is_open)
            && let Ok(unread) = memory.lease(STREAM_WINDOW as usize)
        {
            tokio::task::spawn_local(async move {
                tokio::time::sleep(LEFT_TO_CLIENTS).await;
                drop((incoming, unread));
            });
        }
    }

    /// The whole body, where it has been read.
    pub(crate) fn known(&self) -> Option<&Bytes> {
        self.bytes.get()
    }

    /// The whole body, as [`read`] reads it.
    ///
    /// # Errors
    /// As [`read`].
    pub(crate) async fn read(
        &self,
        limit: usize,
        deadline: Duration,
        memory: BodyMemory<'_>,
    ) -> Result<Bytes, Error> {
        if let Some(mut incoming) = self.incoming.take() {
            let read = read(&mut incoming, limit, deadline, memory).await;
            if read.is_err() {
                self.put_back(incoming);
            }
            return read.map(|bytes| self.bytes.get_or_init(|| bytes).clone());
        }
        let known = self.bytes.get().cloned();
        known.ok_or_else(|| Error::new(Code::BadRequest, "The body could not be read."))
    }
}

/// Whether a body says that it is JSON, as it is: `application/json`, not compressed.
///
/// # Errors
/// [`Code::UnsupportedMediaType`] for any other media type, or none.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<(), Error> {
    check_encoding(headers)?;
    if media_type(headers).is_some_and(|media| media.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    let message = "The body must be JSON, sent with Content-Type: application/json.";
    Err(Error::new(Code::UnsupportedMediaType, message))
}

/// Whether a body is sent as it is, in UTF-8.
///
/// # Errors
/// [`Code::UnsupportedMediaType`] where it is compressed, or has another character set.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), Error> {
    let encoded = headers.get_all(CONTENT_ENCODING).iter();
    let is_identity = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or("?");
        elements(text).all(|coding| coding.eq_ignore_ascii_case("identity"))
    };
    if !encoded.into_iter().all(is_identity) {
        let message = "A body is taken as it is, without Content-Encoding.";
        return Err(Error::new(Code::UnsupportedMediaType, message));
    }
    match charset(headers).filter(|name| !IN_UTF8.iter().any(|it| it.eq_ignore_ascii_case(name))) {
        Some(other) => {
            let message = format!(
                "The header Content-Type has the charset {}, and a body is taken in UTF-8. Convert it.",
                quoted(other)
            );
            Err(Error::new(Code::UnsupportedMediaType, message))
        }
        None => Ok(()),
    }
}

/// Character sets whose texts are UTF-8.
const IN_UTF8: [&str; 3] = ["utf-8", "utf8", "us-ascii"];

/// The character set that the media type of a body names.
fn charset(headers: &HeaderMap) -> Option<&str> {
    let parameters = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let mut charsets = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets.next().map(|(_, value)| value.trim().trim_matches('"'))
}

/// The media type of a body, without its parameters; `None` if there is none, or several.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let only = values.next().filter(|_| values.next().is_none())?;
    only.to_str().ok()?.split(';').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::clients::leased::SMALL;
    use crate::request::body_lease::COPIES;
    use http_body_util::{Empty, Full, StreamBody};
    use hyper::body::Frame;

    const LONG: Duration = Duration::from_secs(3600);

    fn unlimited(budget: &Budget) -> BodyMemory<'_> {
        BodyMemory { budget, granted: SMALL }
    }

    #[tokio::test]
    async fn limits() {
        const LARGE: usize = 20_000;
        let full = |length: usize| Full::new(Bytes::from(vec![b'1'; length]));
        let memory = &Budget::new(LARGE * COPIES);
        let of_it = BodyMemory { budget: memory, granted: SMALL };
        let body = read(&mut full(LARGE), LARGE, LONG, of_it).await.unwrap();
        assert_eq!((body.len(), memory.usage().used), (LARGE, LARGE * COPIES));
        let error = read(&mut full(LARGE), LARGE, LONG, of_it).await.unwrap_err();
        assert_eq!(error.code, Code::MemoryLimit, "another one holds all of it");
        assert_eq!(
            read(&mut full(1), LARGE, LONG, of_it).await.unwrap(),
            "1",
            "small ones are read"
        );
        let ungranted = BodyMemory { budget: memory, granted: 0 };
        let error = read(&mut full(1), LARGE, LONG, ungranted).await.unwrap_err();
        assert_eq!(
            error.code,
            Code::MemoryLimit,
            "those beside others of their connection are not"
        );
        drop(body);
        assert_eq!(memory.usage().used, 0);
        let error = read(&mut full(LARGE + 1), LARGE, LONG, of_it).await.unwrap_err();
        assert_eq!(error.code, Code::BodyTooLarge);
        assert_eq!(read(&mut Empty::new(), 0, LONG, of_it).await.unwrap(), "");
    }

    /// A body declared as too large is not read, and one without a length is read
    /// no further than the limit.
    #[tokio::test]
    async fn without_a_length() {
        let endless = futures_util::stream::repeat_with(|| {
            Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b' '; 1000])))
        });
        let error =
            read(&mut StreamBody::new(endless), 5_500, LONG, unlimited(&Budget::unlimited()))
                .await
                .unwrap_err();
        assert_eq!(error.code, Code::BodyTooLarge);
    }

    #[tokio::test(start_paused = true)]
    async fn too_slow() {
        let silent = futures_util::stream::pending::<Result<Frame<Bytes>, Infallible>>();
        let error = read(&mut StreamBody::new(silent), 10, LONG, unlimited(&Budget::unlimited()))
            .await
            .unwrap_err();
        assert_eq!(error.code, Code::BodyTimeout);
    }

    #[tokio::test]
    async fn broken_off() {
        let frames: Vec<Result<Frame<Bytes>, std::io::Error>> = vec![
            Ok(Frame::data(Bytes::from_static(b"{"))),
            Err(std::io::ErrorKind::UnexpectedEof.into()),
        ];
        let mut body = StreamBody::new(futures_util::stream::iter(frames));
        assert_eq!(
            read(&mut body, 10, LONG, unlimited(&Budget::unlimited())).await.unwrap_err().code,
            Code::BadRequest
        );
    }

    #[test]
    fn media_types() {
        let headers = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, HeaderValue::from_static(value));
            }
            headers
        };
        for yes in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json; CharSet=\"UTF8\"",
            "application/json ;a=b",
        ] {
            assert!(check_json(&headers(&[("content-type", yes)])).is_ok(), "{yes}");
        }
        for no in ["", "text/json", "application/jsonx", "application/x-www-form-urlencoded"] {
            let refused = check_json(&headers(&[("content-type", no)])).unwrap_err();
            assert_eq!(refused.code, Code::UnsupportedMediaType, "{no}");
        }
        for other in ["application/json; charset=iso-8859-1", "text/csv;a=b; Charset=utf-16"] {
            let refused = check_encoding(&headers(&[("content-type", other)])).unwrap_err();
            assert!(refused.message.contains("Content-Type has the charset"), "{refused:?}");
        }
        assert!(check_json(&HeaderMap::new()).is_err());
        let json = ("content-type", "application/json");
        assert!(check_json(&headers(&[json, json])).is_err());
        assert!(check_json(&headers(&[json, ("content-encoding", "gzip")])).is_err());
        assert!(check_json(&headers(&[json, ("content-encoding", "identity")])).is_ok());
    }
}
