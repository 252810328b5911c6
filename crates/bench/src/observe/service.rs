//! A service's own counters, from its endpoint in Prometheus's text format: Duet's `/metrics`, or
//! another server's.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::record::TransactionCost;
use crate::targets::http::{HttpConnection, Url};

/// The timeout of the endpoint.
const PATIENCE: Duration = Duration::from_secs(5);

/// The path of Duet's counters.
pub const METRICS: &str = "/metrics";
/// Duet's counter of all responses.
const DUET_ALL: &str = "duet_requests_total";

/// Counters of responses by status; the first one found is used: Duet's, those of the libraries for
/// Go, Python and Ruby, Micrometer's, OpenTelemetry's.
const BY_STATUS: [&str; 6] = [
    "duet_resource_requests_total",
    "http_requests_total",
    "http_server_requests_total",
    "http_server_requests_seconds_count",
    "http_server_request_duration_seconds_count",
    "http_request_duration_seconds_count",
];

/// The label of the status, in all known exporters.
const STATUS: [&str; 5] =
    ["status", "code", "status_code", "http_status_code", "http_response_status_code"];

/// The location of a service's counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsEndpoint {
    /// Its URL.
    pub url: Url,
    /// The value of `Authorization`: Duet's endpoint requires a client with `duet.admin`.
    pub authorization: Option<String>,
    /// Whether the user has named its path, so that it has to have counters.
    pub named: bool,
}

impl MetricsEndpoint {
    /// A path of the service that a URL belongs to.
    pub fn of(target: &Url, authorization: Option<String>, path: &str) -> Self {
        Self { url: target.at(path), authorization, named: false }
    }

    /// The current counters; `None` if the service has none, which is an error for Duet.
    ///
    /// # Errors
    /// In plain words, why they cannot be read.
    pub(super) async fn read(&self) -> Result<Option<Answers>, String> {
        let path = &self.url.path;
        let mut connection = HttpConnection::open(&self.url, PATIENCE).await.map_err(|failed| {
            format!("{path} of the service cannot be read: {}", failed.message)
        })?;
        let authorization = match &self.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/plain\r\n{authorization}\r\n",
            self.url.host
        );
        let answer = connection.exchange(request.as_bytes(), &mut TransactionCost::default()).await;
        let answer =
            answer.map_err(|failed| format!("{path} of the service fails: {}", failed.message))?;
        let text = String::from_utf8_lossy(answer.body);
        match answer.status {
            200 => Ok(answers(&text)),
            status @ (401 | 403) if is_duets(&text) => Err(format!(
                "{path} of the service answers {status}: it needs a client that may read it (of Duet, one with duet.admin)"
            )),
            status if status < 500 && !is_duets(&text) => Ok(None),
            status => Err(format!("{path} of the service answers {status}")),
        }
    }
}

/// Whether an error response is Duet's: it has a Duet code.
fn is_duets(text: &str) -> bool {
    text.contains("DUET-")
}

/// Responses that a service has counted since it started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// By the first digit of the status; 0 for any other form.
    pub by_class: [u64; 6],
    /// The total, if the counters by status are partial: Duet's count resources only, and a request
    /// that is rejected before its resource is known is in none.
    pub all: Option<u64>,
}

impl Answers {
    /// The growth since an earlier reading; `None` if the service was restarted.
    pub fn since(&self, earlier: &Self) -> Option<Self> {
        let mut by_class = [0; 6];
        for (class, grown) in by_class.iter_mut().enumerate() {
            *grown = self.by_class[class].checked_sub(earlier.by_class[class])?;
        }
        // The earlier reading was counted after its response was sent.
        let all = match (self.all, earlier.all) {
            (Some(now), Some(then)) => Some(now.checked_sub(then)?.saturating_sub(1)),
            _ => None,
        };
        Some(Self { by_class, all })
    }
}

/// The responses in a text; `None` if it has no counter.
fn answers(text: &str) -> Option<Answers> {
    let samples: Vec<Sample<'_>> = text.lines().filter_map(sample).collect();
    let has = |name: &&&str| samples.iter().any(|sample| sample.name == **name);
    let all = samples.iter().find(|sample| sample.name == DUET_ALL);
    let family = BY_STATUS.iter().find(has);
    if family.is_none() && all.is_none() {
        return None;
    }
    let mut by_class = [0; 6];
    for sample in samples.iter().filter(|sample| Some(&sample.name) == family) {
        let status = STATUS.iter().find_map(|label| sample.labels.get(label));
        let digit = status.and_then(|status| status.bytes().next()).unwrap_or(b'0');
        let class = usize::from(digit.wrapping_sub(b'0'));
        by_class[if class < 6 { class } else { 0 }] += whole(sample.value);
    }
    Some(Answers { by_class, all: all.map(|sample| whole(sample.value)) })
}

/// A counter's value, which is never negative.
fn whole(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

/// Parses a line of Prometheus's text format, version 0.0.4.
#[derive(Debug, PartialEq)]
struct Sample<'a> {
    name: &'a str,
    labels: BTreeMap<&'a str, String>,
    value: f64,
}

/// A line's sample; `None` for comments and unknown forms.
fn sample(line: &str) -> Option<Sample<'_>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let end = line.find(|char: char| char == '{' || char.is_whitespace())?;
    let (name, rest) = line.split_at(end);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (BTreeMap::new(), rest),
    };
    // A timestamp may follow the value.
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some(Sample { name, labels, value })
}

/// Labels up to their closing brace, and the remaining text. In values, backslash, quote and line
/// feed are escaped.
fn labels(mut rest: &str) -> Option<(BTreeMap<&str, String>, &str)> {
    let mut labels = BTreeMap::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (name, quoted) = rest.split_once('=')?;
        let quoted = quoted.trim_start().strip_prefix('"')?;
        let mut value = String::new();
        let mut chars = quoted.char_indices();
        let end = loop {
            match chars.next()? {
                (end, '"') => break end,
                (_, '\\') => match chars.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, char) => value.push(char),
            }
        };
        labels.insert(name.trim(), value);
        rest = &quoted[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DUET: &str = "# HELP duet_requests_total Requests answered.\n\
        # TYPE duet_requests_total counter\nduet_requests_total 120\n\
        duet_resource_requests_total{resource=\"/ords/hr/a\\\"}b\",status=\"2xx\"} 90\n\
        duet_resource_requests_total{resource=\"/ords/hr/c\",status=\"2xx\"} 10\n\
        duet_resource_requests_total{resource=\"/ords/hr/c\",status=\"4xx\"} 5\n";

    #[test]
    fn answers_of_duet() {
        let now = answers(DUET).unwrap();
        assert_eq!(now, Answers { by_class: [0, 0, 100, 0, 5, 0], all: Some(120) });
        let then = Answers { by_class: [0, 0, 10, 0, 5, 0], all: Some(20) };
        let grown = now.since(&then).unwrap();
        assert_eq!(grown, Answers { by_class: [0, 0, 90, 0, 0, 0], all: Some(99) });
        assert_eq!(then.since(&now), None);
        // No resource was requested yet.
        assert_eq!(answers("duet_requests_total 0\n").unwrap().all, Some(0));
    }

    #[test]
    fn answers_of_others() {
        let text = "http_requests_total{code=\"200\",method=\"get\"} 1.5e3 1700000000\n\
            http_requests_total{code=\"503\", method=\"get\",} 2\nhttp_requests_total{code=\"x\"} 1\n";
        assert_eq!(answers(text).unwrap().by_class, [1, 0, 1500, 0, 0, 2]);
        assert_eq!(answers("process_cpu_seconds_total 4\n<html>"), None);
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[a-z{}\"=\\\\, 0-9#\n]{0,80}") {
            let _ = answers(&text);
        }

        #[test]
        fn values_of_labels_come_back(value in "[^\u{0}]{0,20}") {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let line = format!("a{{b=\"{escaped}\"}} 1");
            // A line feed within a value must be escaped.
            prop_assume!(!value.contains(['\r', '\u{85}', '\u{2028}']));
            prop_assert_eq!(&sample(&line).unwrap().labels["b"], &value);
        }
    }
}
