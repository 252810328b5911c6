//! Request bodies: read to their end within a limit of bytes and of time.

use std::time::Duration;

use bytes::Bytes;
use duet_model::{Code, Error};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body;

/// Reads a body of at most `limit` bytes that is complete within `deadline`, counted from now.
///
/// A body whose length is announced and too large is refused before a byte of it is asked for.
///
/// # Errors
/// [`Code::BodyTooLarge`], [`Code::BodyTimeout`], or [`Code::BadRequest`] where the body breaks
/// off or its framing is wrong.
pub(crate) async fn read<B>(incoming: B, limit: usize, deadline: Duration) -> Result<Bytes, Error>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if incoming.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let reading = Limited::new(incoming, limit).collect();
    match tokio::time::timeout(deadline, reading).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(limit)),
        Ok(Err(error)) => Err(Error::new(
            Code::BadRequest,
            "The body breaks off, or its length is not what the headers say.",
        )
        .cause(error)),
        Err(_) => Err(Error::new(
            Code::BodyTimeout,
            format!("The body must be complete within {} seconds.", deadline.as_secs()),
        )),
    }
}

fn too_large(limit: usize) -> Error {
    Error::new(Code::BodyTooLarge, format!("A body may have {limit} bytes here."))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::{Empty, Full, StreamBody};
    use hyper::body::Frame;

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn limits() {
        let full = |text: &'static str| Full::new(Bytes::from_static(text.as_bytes()));
        assert_eq!(read(full("12345"), 5, LONG).await.unwrap(), "12345");
        assert_eq!(read(full("123456"), 5, LONG).await.unwrap_err().code, Code::BodyTooLarge);
        assert_eq!(read(Empty::new(), 0, LONG).await.unwrap(), "");
    }

    /// What is announced as too large is not asked for, and what comes without a length is read
    /// no further than the limit.
    #[tokio::test]
    async fn without_a_length() {
        let endless = futures_util::stream::repeat_with(|| {
            Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b' '; 1000])))
        });
        let error = read(StreamBody::new(endless), 5_500, LONG).await.unwrap_err();
        assert_eq!(error.code, Code::BodyTooLarge);
    }

    #[tokio::test(start_paused = true)]
    async fn too_slow() {
        let silent = futures_util::stream::pending::<Result<Frame<Bytes>, Infallible>>();
        let error = read(StreamBody::new(silent), 10, LONG).await.unwrap_err();
        assert_eq!(error.code, Code::BodyTimeout);
    }

    #[tokio::test]
    async fn broken_off() {
        let frames: Vec<Result<Frame<Bytes>, std::io::Error>> = vec![
            Ok(Frame::data(Bytes::from_static(b"{"))),
            Err(std::io::ErrorKind::UnexpectedEof.into()),
        ];
        let body = StreamBody::new(futures_util::stream::iter(frames));
        assert_eq!(read(body, 10, LONG).await.unwrap_err().code, Code::BadRequest);
    }
}
