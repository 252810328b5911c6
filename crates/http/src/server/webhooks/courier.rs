//! One attempt: the name is resolved once, an address is checked and connected to, and the status counts. No redirect is
//! followed, no proxy of the environment is used, and the answer's body is not read.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use duet_model::{Code, Error, Result};
use duet_service::webhooks::{Courier, Delivery, DeliveryAnswer};
use futures_util::future::LocalBoxFuture;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use hyper::{Request, Uri};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;

use super::address::usable;
use crate::options::webhooks::WebhookReach;
use crate::sockets::outbound::{self, host};

/// Sends events by HTTP.
#[derive(Debug)]
pub struct HttpCourier {
    reach: WebhookReach,
    tls: Arc<ClientConfig>,
}

impl HttpCourier {
    /// Certificates of endpoints are checked against those that the system trusts, or those of `SSL_CERT_FILE`.
    ///
    /// # Errors
    /// `Certificate` where these cannot be used.
    pub fn new(reach: WebhookReach) -> Result<Self> {
        let tls = outbound::client_config().map_err(|why| {
            Error::new(Code::Certificate, "No webhook can be sent by https.").cause(why)
        })?;
        Ok(Self { reach, tls: Arc::new(tls) })
    }

    async fn send(&self, delivery: &Delivery) -> Result<DeliveryAnswer, String> {
        let uri: Uri = delivery.url.parse().map_err(|_| "the address is wrong".to_owned())?;
        let is_https = uri.scheme_str() == Some("https");
        if !is_https && !self.reach.plain_http {
            return Err("`http` is not allowed: set `webhook_http`".into());
        }
        let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let found = tokio::net::lookup_host((host(&uri), port)).await;
        let found = found.map_err(|error| format!("the name cannot be resolved: {error}"))?;
        let stream = connected(usable(&self.reach, found)?).await?;
        let request = Request::post(uri)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &delivery.id)
            .header("webhook-timestamp", delivery.timestamp)
            .header("webhook-signature", &delivery.signature)
            .body(Full::new(Bytes::from(delivery.body.clone())))
            .map_err(|error| error.to_string())?;
        let tls = is_https.then(|| TlsConnector::from(Arc::clone(&self.tls)));
        let (status, headers) = outbound::send_over(request, stream, tls).await?;
        Ok(DeliveryAnswer::Answered {
            status: status.as_u16(),
            retry_after: retry_after(&headers, SystemTime::now()),
        })
    }
}

/// The first address that takes a connection.
async fn connected(addresses: Vec<SocketAddr>) -> Result<TcpStream, String> {
    let mut why = String::new();
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => why = error.to_string(),
        }
    }
    Err(why)
}

/// How long an endpoint wants to be left alone: seconds, or a date (RFC 9110 §10.2.3).
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    httpdate::parse_http_date(text).ok()?.duration_since(now).ok()
}

impl Courier for HttpCourier {
    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> LocalBoxFuture<'a, DeliveryAnswer> {
        Box::pin(async move {
            match tokio::time::timeout(delivery.timeout, self.send(delivery)).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(why)) => DeliveryAnswer::Failed(why),
                Err(_) => {
                    let limit = delivery.timeout;
                    DeliveryAnswer::Failed(format!("no answer within {limit:?} (webhook_timeout)"))
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_seconds_or_dates() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (text, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:49:57 GMT", Some(20)),
            ("Sun, 06 Nov 1994 08:49:07 GMT", None),
            ("soon", None),
            ("-1", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            let found = retry_after(&headers, now);
            assert_eq!(found, expected.map(Duration::from_secs), "{text}");
        }
    }
}
