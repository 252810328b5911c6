//! The links of a page.

use duet_document::PageFrame;
use duet_model::key::percent_decode;
use duet_service::{PageEnd, ReadServer, Reading};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What the target of a `Link` header may not have; a `%` is part of what is encoded already.
const OUTSIDE_OF_LINKS: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\');

/// What the links of a page are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageLinks<'a> {
    /// The collection's address, with a slash at its end.
    pub(crate) collection: &'a str,
    /// The catalog entry's address, with a slash at its end.
    pub(crate) described_by: &'a str,
    /// The query as it came.
    pub(crate) query: Option<&'a str>,
    /// Whether `limit` was given.
    pub(crate) limit_given: bool,
    /// Whether the page was requested by `after`.
    pub(crate) by_key: bool,
    /// Whether the caller may edit the collection.
    pub(crate) writable: bool,
    /// Where standbys answer reads, the server of this one: the next page keeps to it, or to the primary.
    pub(crate) reading: Option<&'a Reading>,
}

impl PageLinks<'_> {
    /// The array of links as JSON.
    pub(crate) fn json(&self, end: &PageEnd<'_>) -> String {
        let PageEnd { frame: page, has_more, marker, of_groups } = *end;
        let mut out = String::with_capacity(512);
        out.push('[');
        let own_query = self.query.filter(|query| !query.is_empty());
        self.link(&mut out, "self", &own_query.map_or(String::new(), |q| format!("?{q}")));
        if self.writable && !of_groups {
            self.link(&mut out, "edit", "");
        }
        out.push_str(",{\"rel\":\"describedby\",\"href\":\"");
        out.push_str(self.described_by);
        out.push_str("\"}");
        let limit = self.limit_given.then(|| format!("limit={}", page.limit));
        let first = if self.by_key { Some("after=".to_owned()) } else { None };
        self.link(&mut out, "first", &self.query_with(first, limit.clone()));
        if has_more {
            let start = self.next(page, marker);
            self.link(&mut out, "next", &self.query_with(Some(start), limit.clone()));
        }
        if page.offset > 0 && !self.by_key {
            self.link(&mut out, "prev", &self.query_with(self.before(page), limit));
        }
        out.push(']');
        out
    }

    /// The links to other pages as the value of the header `Link` (RFC 8288).
    pub(crate) fn header(&self, end: &PageEnd<'_>) -> String {
        let PageEnd { frame: page, has_more, marker, .. } = *end;
        let limit = self.limit_given.then(|| format!("limit={}", page.limit));
        let first = self.by_key.then(|| "after=".to_owned());
        let mut links = vec![("first", self.query_with(first, limit.clone()))];
        if has_more {
            links.push(("next", self.query_with(Some(self.next(page, marker)), limit.clone())));
        }
        if page.offset > 0 && !self.by_key {
            links.push(("prev", self.query_with(self.before(page), limit)));
        }
        let one = |(rel, query): (&str, String)| {
            let query = utf8_percent_encode(&query, OUTSIDE_OF_LINKS);
            format!("<{}{query}>; rel=\"{rel}\"", self.collection)
        };
        links.into_iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Where the next page begins.
    fn next(&self, page: &PageFrame, marker: &str) -> String {
        let start = match self.by_key {
            true => format!("after={marker}"),
            false => format!("offset={}", page.offset.saturating_add(page.limit)),
        };
        match self.reading {
            None => start,
            Some(reading) => {
                let node = reading.node().unwrap_or(ReadServer::Primary);
                format!("{start}&node={}", node.text())
            }
        }
    }

    /// Where the page before begins, if it is not the first.
    fn before(&self, page: &PageFrame) -> Option<String> {
        let before = page.offset.saturating_sub(page.limit);
        (before > 0).then(|| format!("offset={before}"))
    }

    /// The request's query with another start, all else kept.
    fn query_with(&self, start: Option<String>, limit: Option<String>) -> String {
        let moved = |pair: &&str| {
            let name = percent_decode(pair.split('=').next().unwrap_or("")).unwrap_or_default();
            // Elsewhere it may be a parameter of a service.
            let is_node = self.reading.is_some() && name == "node";
            !pair.is_empty() && !is_node && !matches!(&*name, "offset" | "after" | "limit")
        };
        let kept = self.query.unwrap_or("").split('&').filter(moved).map(str::to_owned);
        let parts: Vec<String> = kept.chain(start).chain(limit).collect();
        if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
    }

    fn link(&self, out: &mut String, rel: &str, query: &str) {
        if !out.ends_with('[') {
            out.push(',');
        }
        out.push_str("{\"rel\":\"");
        out.push_str(rel);
        out.push_str("\",\"href\":\"");
        out.push_str(self.collection);
        // Query strings come percent-encoded, but clients may leave quotes as they are.
        for char in query.chars() {
            match char {
                '"' => out.push_str("%22"),
                '\\' => out.push_str("%5C"),
                char if char.is_control() => {}
                char => out.push(char),
            }
        }
        out.push_str("\"}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(query: Option<&str>, limit_given: bool, by_key: bool, offset: u64) -> String {
        let page = PageFrame { limit: 25, offset, total: None };
        let links = PageLinks {
            collection: "http://h/ords/hr/team/",
            described_by: "http://h/ords/hr/metadata-catalog/team/",
            query,
            limit_given,
            by_key,
            writable: false,
            reading: None,
        };
        links.json(&PageEnd { frame: &page, has_more: true, marker: "7", of_groups: false })
    }

    #[test]
    fn first_page() {
        let json = links(None, false, false, 0);
        assert!(
            json.contains(r#"{"rel":"next","href":"http://h/ords/hr/team/?offset=25"}"#),
            "{json}"
        );
        assert!(json.contains(r#"{"rel":"first","href":"http://h/ords/hr/team/"}"#), "{json}");
        assert!(!json.contains("prev"), "{json}");
    }

    #[test]
    fn the_filter_is_kept() {
        let json = links(Some("q=%7B%7D&%6fffset=25&l%69mit=25"), true, false, 25);
        assert!(json.contains("?q=%7B%7D&offset=50&limit=25\""), "{json}");
        let json = links(Some("q=%7B%7D&offset=25&limit=25"), true, false, 25);
        assert!(json.contains("?q=%7B%7D&offset=50&limit=25\""), "{json}");
        assert!(
            json.contains(r#"{"rel":"prev","href":"http://h/ords/hr/team/?q=%7B%7D&limit=25"}"#),
            "{json}"
        );
        let json = links(Some("after=3"), false, true, 0);
        assert!(json.contains(r#""next","href":"http://h/ords/hr/team/?after=7""#), "{json}");
    }

    #[test]
    fn the_next_page_keeps_to_the_server() {
        let page = PageFrame { limit: 25, offset: 0, total: None };
        let reading = Reading::default();
        let next = |by_key| {
            let links = PageLinks {
                collection: "http://h/t/",
                described_by: "",
                query: Some("q=%7B%7D&node=0000000f"),
                limit_given: false,
                by_key,
                writable: false,
                reading: Some(&reading),
            };
            links.header(&PageEnd { frame: &page, has_more: true, marker: "7", of_groups: false })
        };
        reading.chose(ReadServer::Standby(0xAB));
        assert!(next(true).contains("?q=%7B%7D&after=7&node=000000ab>; rel=\"next\""));
        assert!(next(true).contains("?q=%7B%7D&after=>; rel=\"first\""), "the first may be newer");
        reading.only_primary();
        assert!(next(false).contains("?q=%7B%7D&offset=25&node=primary>"));
    }

    #[test]
    fn quotes_cannot_break_out() {
        assert!(links(Some("q={\"a\":1}"), false, false, 0).contains("?q={%22a%22:1}"));
    }
}
