//! A thread of a plan: its variables, its connection, and what it does in each iteration.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::functions::Values;
use super::plan::{After, Body, Group, Item, OnError, Pause, Plan, Sampler, Share};
use super::request::{MOST_REDIRECTS, Request};
use super::sample::Answer;
use super::shared::{Shared, now_ms};
use super::template::Template;
use crate::record::TransactionCost;
use crate::sample_files::Sample;
use crate::targets::http::{Connection, Response, Url};

/// A thread.
pub(super) struct User {
    pub(super) plan: Rc<Plan>,
    /// The position of its group.
    pub(super) group: usize,
    /// Its number in the group, from 1.
    pub(super) number: usize,
    pub(super) shared: Rc<RefCell<Shared>>,
    /// When its group ends.
    pub(super) until: Option<Instant>,
    pub(super) timeout: Duration,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) connection: Option<(String, Connection)>,
    /// What each controller has done in this thread: executions, and iterations.
    pub(super) counts: Vec<(u64, u64)>,
    /// The rows that this thread alone reads.
    pub(super) rows: BTreeMap<usize, super::csv::Rows>,
}

/// What comes after an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    NextLoop,
    Stop,
}

/// The time and result of the samples inside of a transaction.
#[derive(Debug, Default)]
struct Inside {
    elapsed: Duration,
    count: u64,
    failed: u64,
    received: u64,
    sent: u64,
}

impl User {
    /// Runs the iterations of the thread.
    pub(super) async fn run(mut self) {
        let plan = Rc::clone(&self.plan);
        let group = &plan.groups[self.group];
        for (name, value) in &group.variables {
            let value = self.text(value);
            self.variables.insert(name.clone(), value);
        }
        let loops = self.times(group.loops.as_ref());
        let mut done = 0;
        while loops.is_none_or(|loops| done < loops) && !self.is_over() {
            if !self.begin(group) {
                break;
            }
            if self.items(&group.items, &mut Inside::default()).await == Flow::Stop {
                break;
            }
            done += 1;
            tokio::task::yield_now().await;
        }
    }

    fn is_over(&self) -> bool {
        self.shared.borrow().stopped || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Takes a row of each data set, and counts. Whether the iteration begins.
    fn begin(&mut self, group: &Group) -> bool {
        for &set in &group.data {
            let data = &self.plan.data[set];
            let mut shared = self.shared.borrow_mut();
            let rows = match data.by_thread {
                true => self.rows.entry(set).or_insert_with(|| shared.rows[set].clone()),
                false => &mut shared.rows[set],
            };
            let Some(row) = data.next(rows) else { return false };
            self.variables.extend(row);
        }
        for counter in &group.counters {
            let read = |user: &Self, template: &Template| user.number_of(template);
            let (start, step) = (read(self, &counter.start), read(self, &counter.step));
            let end = read(self, &counter.end);
            let (start, step) = (start.unwrap_or_default(), step.unwrap_or(1));
            let mut shared = self.shared.borrow_mut();
            let counts = if counter.by_thread { &mut self.counts } else { &mut shared.counts };
            let count = &mut counts[counter.number].0;
            let mut value = start.saturating_add(step.saturating_mul(*count));
            if end.is_some_and(|end| value > end) {
                (value, *count) = (start, 0);
            }
            *count += 1;
            self.variables.insert(counter.name.clone(), value.to_string());
        }
        true
    }

    fn text(&self, template: &Template) -> String {
        self.with(|values| values.text(template))
    }

    fn with<R>(&self, read: impl FnOnce(&mut Values<'_>) -> R) -> R {
        let shared = &mut self.shared.borrow_mut().values;
        read(&mut Values { variables: &self.variables, shared, thread: self.number })
    }

    /// A template as a number; `None` where it is none.
    fn number_of(&self, template: &Template) -> Option<u64> {
        self.text(template).trim().parse().ok()
    }

    /// How often a loop runs; `None`: without an end, which JMeter writes as -1.
    fn times(&self, given: Option<&Template>) -> Option<u64> {
        let text = self.text(given?);
        if text.trim() == "-1" { None } else { Some(text.trim().parse().unwrap_or(1)) }
    }

    async fn items(&mut self, items: &[Item], inside: &mut Inside) -> Flow {
        for item in items {
            let flow = Box::pin(self.item(item, inside)).await;
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    async fn item(&mut self, item: &Item, inside: &mut Inside) -> Flow {
        match item {
            Item::Sampler(sampler) => self.sampler(sampler, inside).await,
            Item::Simple(items) => self.items(items, inside).await,
            Item::Loop { times, items } => {
                let times = self.times(times.as_ref());
                let mut done = 0;
                while times.is_none_or(|times| done < times) && !self.is_over() {
                    let flow = self.items(items, inside).await;
                    if flow != Flow::Next {
                        return flow;
                    }
                    done += 1;
                    tokio::task::yield_now().await;
                }
                Flow::Next
            }
            Item::Once { number, items } => {
                let is_first = std::mem::replace(&mut self.counts[*number].1, 1) == 0;
                if is_first { self.items(items, inside).await } else { Flow::Next }
            }
            Item::Throughput { number, share, by_thread, items } => {
                if self.is_due(*number, share, *by_thread) {
                    self.items(items, inside).await
                } else {
                    Flow::Next
                }
            }
            Item::Transaction { name, items } => {
                let (at_ms, label) = (now_ms(), self.text(name));
                let mut own = Inside::default();
                let flow = self.items(items, &mut own).await;
                let mut sample = self.sample(at_ms, label);
                (sample.elapsed, sample.received, sample.sent) =
                    (own.elapsed, own.received, own.sent);
                sample.code = if own.failed == 0 { "200".into() } else { String::new() };
                let message = || format!("{} of {} samples failed", own.failed, own.count);
                sample.failure = (own.failed > 0).then(message);
                self.shared.borrow_mut().ended(&sample);
                flow
            }
        }
    }

    /// Whether a throughput controller lets this iteration through, by JMeter's rule.
    fn is_due(&mut self, number: usize, share: &Share, by_thread: bool) -> bool {
        let (percent, most) = match share {
            Share::Percent(text) => (self.text(text).trim().parse::<f64>().ok(), None),
            Share::Number(text) => (None, self.number_of(text)),
        };
        let mut shared = self.shared.borrow_mut();
        let counts = if by_thread { &mut self.counts } else { &mut shared.counts };
        let (executions, iterations) = &mut counts[number];
        let is_due = match most {
            Some(most) => *executions < most,
            None => {
                let share = (100.0 * *executions as f64 + 50.0) / (*iterations as f64 + 1.0);
                share < percent.unwrap_or(100.0)
            }
        };
        *iterations += 1;
        *executions += u64::from(is_due);
        is_due
    }

    async fn sampler(&mut self, sampler: &Sampler, inside: &mut Inside) -> Flow {
        if self.is_over() {
            return Flow::Stop;
        }
        for Pause { least, range } in &sampler.pause {
            let range = self.number_of(range).unwrap_or_default();
            let least = self.number_of(least).unwrap_or_default();
            let pause = Duration::from_millis(least.saturating_add(fastrand::u64(..=range)));
            tokio::time::sleep(pause).await;
        }
        let label = self.text(&sampler.name);
        let mut sample = self.sample(now_ms(), label);
        let began = Instant::now();
        let answer = match self.exchange(sampler, &mut sample).await {
            Ok(answer) => answer,
            Err(message) => {
                sample.elapsed = began.elapsed();
                sample.failure = Some(message);
                Answer { elapsed: sample.elapsed, ..Answer::default() }
            }
        };
        sample.elapsed = answer.elapsed;
        sample.code = answer.code().into_owned();
        for after in &sampler.after {
            match after {
                After::Extract(extractor) => extractor.run(&answer, &mut self.variables),
                After::Run(script) => {
                    let set = self.with(|values| script.run(values));
                    self.variables.extend(set);
                }
            }
        }
        let assumed = sampler.assertions.iter().any(super::assertion::Assertion::assumes_success);
        if sample.failure.is_none() && answer.status >= 400 && !assumed {
            sample.failure = Some(format!("the status is {}", answer.status));
        }
        let failures = self.with(|values| {
            let each = sampler.assertions.iter();
            each.filter_map(|assertion| assertion.failure(&answer, values)).next()
        });
        sample.failure = failures.or(sample.failure);
        inside.elapsed += sample.elapsed;
        inside.count += 1;
        inside.failed += u64::from(sample.failure.is_some());
        inside.received += sample.received;
        inside.sent += sample.sent;
        let mut shared = self.shared.borrow_mut();
        shared.ended(&sample);
        match (sample.failure, self.plan.groups[self.group].on_error) {
            (None, _) | (_, OnError::Continue) => Flow::Next,
            (_, OnError::NextLoop) => Flow::NextLoop,
            (_, OnError::StopThread) => Flow::Stop,
            (_, OnError::StopTest) => {
                shared.stopped = true;
                Flow::Stop
            }
        }
    }

    fn sample(&self, at_ms: u64, label: String) -> Sample {
        let group = &self.plan.groups[self.group].name;
        Sample {
            at_ms,
            label,
            thread: format!("{group} {}-{}", self.group + 1, self.number),
            group: group.clone(),
            threads: self.shared.borrow().running(self.group),
            ..Sample::default()
        }
    }

    /// Sends the request of a sampler, and those that redirects lead to, as far as it follows them: one sample.
    async fn exchange(&mut self, sampler: &Sampler, sample: &mut Sample) -> Result<Answer, String> {
        let mut request = self.request(sampler)?;
        let began = Instant::now();
        let mut redirects = 0;
        loop {
            sample.url = request.url();
            let mut answer = self.send(&request, sample).await?;
            answer.elapsed = began.elapsed();
            let Some(next) = request.redirected(&answer, sampler.follows) else {
                return Ok(answer);
            };
            redirects += 1;
            if redirects > MOST_REDIRECTS {
                return Err(format!("Exceeded maximum number of redirects: {MOST_REDIRECTS}"));
            }
            request = next;
        }
    }

    /// Sends a request, and adds its bytes to the sample.
    async fn send(&mut self, request: &Request, sample: &mut Sample) -> Result<Answer, String> {
        let mut work = TransactionCost::default();
        let began = Instant::now();
        if self.connection.as_ref().is_none_or(|(known, _)| *known != request.place) {
            let parsed: Url = request.place.parse()?;
            let opened = Connection::open(&parsed, self.timeout).await;
            let opened = opened.map_err(|failed| failed.message)?;
            sample.connect += began.elapsed();
            self.connection = Some((request.place.clone(), opened));
        }
        let Some((_, connection)) = &mut self.connection else { return Err(String::new()) };
        let response = connection.exchange(request.text().as_bytes(), &mut work).await;
        sample.sent += work.sent;
        sample.received += work.received;
        match response {
            Ok(response) => Ok(answer(&response, began.elapsed())),
            Err(failed) => {
                self.connection = None;
                Err(failed.message)
            }
        }
    }

    /// The request of a sampler.
    fn request(&self, sampler: &Sampler) -> Result<Request, String> {
        let text = |template: &Template| self.text(template).trim().to_owned();
        let protocol = match text(&sampler.protocol) {
            empty if empty.is_empty() => "http".to_owned(),
            protocol => protocol.to_ascii_lowercase(),
        };
        let (domain, port, method) =
            (text(&sampler.domain), text(&sampler.port), text(&sampler.method));
        if domain.is_empty() {
            return Err("the sampler has no server".to_owned());
        }
        let host = if port.is_empty() { domain } else { format!("{domain}:{port}") };
        let mut path = text(&sampler.path);
        if path.starts_with("http://") || path.starts_with("https://") {
            return Err(format!("the path {path:?} is a whole address, which is not taken"));
        }
        if !path.starts_with('/') {
            path.insert(0, '/');
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in &sampler.headers {
            headers.push((text(name), text(value)));
        }
        let (mut content, mut media) = (String::new(), "");
        match &sampler.body {
            Body::Raw(parts) => {
                parts.iter().for_each(|part| content.push_str(&self.text(part)));
                media = "text/plain";
            }
            Body::Parameters(parameters) => {
                let pair = |one: &super::plan::Parameter| {
                    let (name, value) = (self.text(&one.name), self.text(&one.value));
                    let value = if one.encode { encoded(&value) } else { value };
                    if name.is_empty() { value } else { format!("{name}={value}") }
                };
                let pairs: Vec<String> = parameters.iter().map(pair).collect();
                let pairs = pairs.join("&");
                if ["POST", "PUT", "PATCH"].contains(&method.as_str()) {
                    (content, media) = (pairs, "application/x-www-form-urlencoded");
                } else if !pairs.is_empty() {
                    path.push(if path.contains('?') { '&' } else { '?' });
                    path.push_str(&pairs);
                }
            }
        }
        let place = format!("{protocol}://{host}");
        Ok(Request { method, place, path: sanitized(&path), headers, content, media })
    }
}

fn answer(response: &Response<'_>, elapsed: Duration) -> Answer {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer {
        status: response.status,
        headers: text(response.head).replace("\r\n", "\n"),
        body: text(response.body),
        elapsed,
    }
}

/// A path with what a URL cannot have percent-encoded; what is encoded already stays.
fn sanitized(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'!' | b'#'..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// A value of a form.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_fit_for_urls() {
        assert_eq!(sanitized("/a?query=b==c d&x=%20\"é"), "/a?query=b==c%20d&x=%20%22%C3%A9");
        assert_eq!(encoded("a b&c"), "a+b%26c");
    }
}
