//! The events of a subscription as lines: what a reader knows, so that a state that is sent anew repeats nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// An event of the server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ServerEvent {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) data: Value,
}

/// Reads `text/event-stream` (WHATWG HTML §9.2.6) as far as Duet writes it.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    text: Vec<u8>,
}

impl EventParser {
    /// Takes what has come.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// The next whole event; comments and times to wait are none.
    pub(super) fn next(&mut self) -> Option<ServerEvent> {
        loop {
            let end = self.text.windows(2).position(|pair| pair == b"\n\n")?;
            let block: Vec<u8> = self.text.drain(..end + 2).collect();
            let block = String::from_utf8_lossy(&block);
            let mut event = ServerEvent { id: None, name: String::new(), data: Value::Null };
            for line in block.lines() {
                match line.split_once(": ") {
                    Some(("id", id)) => event.id = Some(id.to_owned()),
                    Some(("event", name)) => event.name = name.to_owned(),
                    Some(("data", data)) => {
                        event.data = serde_json::from_str(data).unwrap_or_default();
                    }
                    _ if line == "id" => event.id = Some(String::new()),
                    _ => {}
                }
            }
            if !event.name.is_empty() {
                return Some(event);
            }
        }
    }
}

/// What a reader knows of the documents.
#[derive(Debug, Default)]
pub(super) struct ReaderView {
    /// The etags by keys; none before the first state.
    known: Option<BTreeMap<String, String>>,
    /// The keys of a state that is being sent, where one was known before.
    arriving: Option<BTreeMap<String, String>>,
    /// The event to go on behind.
    pub(super) last: Option<String>,
}

impl ReaderView {
    /// A reader that goes on behind an event, of whose documents it knows nothing.
    pub(super) fn behind(last: Option<String>) -> Self {
        Self { last, ..Self::default() }
    }

    /// The lines that an event is to the reader.
    pub(super) fn lines(&mut self, event: &ServerEvent) -> Vec<Value> {
        if let Some(id) = &event.id {
            self.last = Some(id.clone()).filter(|id| !id.is_empty());
        }
        let key = event.data["key"].as_str().unwrap_or_default().to_owned();
        let etag = event.data["etag"].as_str().unwrap_or_default().to_owned();
        match event.name.as_str() {
            "begin" => {
                self.arriving = (event.data["resumed"] == false).then(BTreeMap::new);
                Vec::new()
            }
            "document" => self.arrived(key, etag, event),
            "complete" => self.completed(event),
            "entered" | "changed" => {
                self.known.get_or_insert_default().insert(key, etag);
                vec![line(&event.name, event.id.as_deref(), &event.data)]
            }
            "left" => {
                self.known.get_or_insert_default().remove(&key);
                vec![line("left", event.id.as_deref(), &event.data)]
            }
            "sees" => vec![line("sees", None, &event.data)],
            _ => Vec::new(),
        }
    }

    /// A document of a state.
    fn arrived(&mut self, key: String, etag: String, event: &ServerEvent) -> Vec<Value> {
        let before = self.known.as_ref().map(|known| known.get(&key));
        let name = match before {
            None => Some("document"),
            Some(None) => Some("entered"),
            Some(Some(known)) if *known == etag => None,
            Some(Some(_)) => Some("changed"),
        };
        self.arriving.get_or_insert_default().insert(key, etag);
        name.map(|name| line(name, None, &event.data)).into_iter().collect()
    }

    /// The end of a state: what it does not have has left.
    fn completed(&mut self, event: &ServerEvent) -> Vec<Value> {
        let state = self.arriving.take().unwrap_or_default();
        let before = self.known.replace(state);
        let Some(before) = before else {
            return vec![line("complete", event.id.as_deref(), &event.data)];
        };
        let known = self.known.get_or_insert_default();
        let gone = before.into_keys().filter(|key| !known.contains_key(key));
        gone.map(|key| line("left", event.id.as_deref(), &json!({ "key": key }))).collect()
    }
}

fn line(name: &str, id: Option<&str>, data: &Value) -> Value {
    let mut line = json!({ "event": name });
    if let Some(id) = id {
        line["id"] = id.into();
    }
    for (member, value) in data.as_object().into_iter().flatten() {
        line[member] = value.clone();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(view: &mut ReaderView, text: &str) -> Vec<String> {
        let mut parser = EventParser::default();
        let mut lines = Vec::new();
        // However the bytes come.
        for byte in text.as_bytes() {
            parser.take(&[*byte]);
            while let Some(event) = parser.next() {
                lines.extend(view.lines(&event));
            }
        }
        lines
            .iter()
            .map(|line| format!("{} {}", line["event"], line["key"]).replace('"', ""))
            .collect()
    }

    fn document(name: &str, key: u8, etag: &str) -> String {
        format!(
            "event: {name}\ndata: {{\"key\":\"{key}\",\"etag\":\"{etag}\",\"document\":{{}}}}\n\n"
        )
    }

    #[test]
    fn a_state_that_comes_anew_repeats_nothing() {
        let mut view = ReaderView::default();
        let begin = "retry: 5\n:\n\nid\nevent: begin\ndata: {\"resumed\":false}\n\n";
        let complete = "id: a-0\nevent: complete\ndata: {\"count\":2}\n\n";
        let first = [begin, &document("document", 1, "x"), &document("document", 2, "x"), complete];
        assert_eq!(said(&mut view, &first.concat()), ["document 1", "document 2", "complete null"]);
        assert_eq!(view.last.as_deref(), Some("a-0"));
        let change = format!("id: a-1\n{}", document("entered", 3, "x"));
        assert_eq!(said(&mut view, &change), ["entered 3"]);
        let again = [
            begin,
            "event: reset\ndata: {}\n\n",
            &document("document", 1, "x"),
            &document("document", 3, "y"),
            &document("document", 4, "x"),
            complete,
        ];
        assert_eq!(said(&mut view, &again.concat()), ["changed 3", "entered 4", "left 2"]);
        // A state that was cut is nothing to go on from.
        assert_eq!(said(&mut view, begin), [""; 0]);
        assert_eq!(view.last, None);
        let resumed = "event: begin\ndata: {\"resumed\":true}\n\n";
        assert_eq!(said(&mut view, &[resumed, &document("left", 4, "")].concat()), ["left 4"]);
    }
}
