//! Addresses of pages and of the API: parts are percent-encoded, and whatever a page shows is in its address.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What needs no encoding in a segment or a value of a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as a part of an address.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// A query without the parameters that are empty; with its question mark where there is one left.
///
/// ```
/// use duet_console::address::query;
/// assert_eq!(query(&[("q", "{\"a\":1}"), ("after", "")]), "?q=%7B%22a%22%3A1%7D");
/// assert_eq!(query(&[("q", "")]), "");
/// ```
pub fn query(parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> =
        given.map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// A resource of a mount, as the console's pages address it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The path of the console.
    pub base: &'a str,
    /// The path of the mount, such as `/api/main`.
    pub mount: &'a str,
    /// The resource's name.
    pub resource: &'a str,
}

impl Place<'_> {
    /// The page of its rows.
    pub fn rows(&self) -> String {
        format!("{}/data{}/{}/", self.base, self.mount, encoded(self.resource))
    }

    /// The page of an item, by the item's own address, absolute or not: what follows the resource in it is kept as it is
    /// encoded there. `None` for the address of something else.
    pub fn item(&self, api: &str) -> Option<String> {
        let below = format!("{}/{}/", self.mount, encoded(self.resource));
        let at = api.find(&below)?;
        let key = &api[at + below.len()..];
        (!key.is_empty()).then(|| format!("{}{key}", self.rows()))
    }

    /// The page of a new item.
    pub fn new_item(&self) -> String {
        self.page("new")
    }

    /// Another page of it, such as `export` or `import`.
    pub fn page(&self, view: &str) -> String {
        format!("{}/{view}{}/{}/", self.base, self.mount, encoded(self.resource))
    }
}

/// A word of a shell's command line.
pub fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_as_the_api_encodes_them() {
        let place = Place { base: "/console", mount: "/ords/hr", resource: "a b" };
        let page = place.item("http://h:1/ords/hr/a%20b/1%2F2,%27%27");
        assert_eq!(page.as_deref(), Some("/console/data/ords/hr/a%20b/1%2F2,%27%27"));
        assert_eq!(place.item("http://h:1/ords/hr/a%20b/"), None);
        assert_eq!(place.item("http://h:1/ords/hr/other/1"), None);
        assert_eq!(place.new_item(), "/console/new/ords/hr/a%20b/");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}
