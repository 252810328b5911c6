//! Selectors of CSS over pages of HTML, with the meaning that jsoup gives them, which JMeter has: values of attributes
//! and names of classes match in any case.
//!
//! `scraper` reads pages and finds elements. What jsoup means otherwise is rewritten or refused, see [`rewrite`].

mod rewrite;
mod text;

use scraper::{ElementRef, Html, Selector};

/// What is taken of a page.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload::file) struct CssSelector {
    selector: Selector,
    /// The attribute to take instead of the text.
    attribute: Option<String>,
}

impl CssSelector {
    /// Reads a selector, and the attribute to take of what it finds.
    ///
    /// # Errors
    /// Why it is not taken, as a phrase.
    pub(in crate::workload::file) fn read(
        text: &str,
        attribute: Option<&str>,
    ) -> Result<Self, String> {
        let rewritten = rewrite::rewritten(text)?;
        let selector = Selector::parse(&rewritten).map_err(|error| error.to_string())?;
        let attribute = attribute.map(str::trim).filter(|name| !name.is_empty());
        if attribute.is_some_and(|name| name.to_ascii_lowercase().starts_with("abs:")) {
            return Err("an attribute `abs:` needs the address of the page".to_owned());
        }
        Ok(Self { selector, attribute: attribute.map(str::to_owned) })
    }

    /// The texts or attributes of the elements that it finds, in the order of the page. An element without the attribute
    /// has an empty one.
    pub(in crate::workload::file) fn find_in(&self, page: &str) -> Vec<String> {
        let page = Html::parse_document(page);
        page.select(&self.selector).map(|element| self.of(element)).collect()
    }

    fn of(&self, element: ElementRef<'_>) -> String {
        match &self.attribute {
            Some(name) => element.attr(&name.to_ascii_lowercase()).unwrap_or_default().to_owned(),
            None => text::of(element),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<html><head><title>A  page</title><style>p { x: y }</style></head><body>
        <p id=one class="Big red">Hello <b>bold</b>world</p><p>second<br>line<div>third</div>tail
        <a HREF="/a?1" rel="Next">one</a><a href="/b">two</a><a name=c>three</a>
        <form><input name=csrf value="v1"><input type=HIDDEN value=" v2 "></form>
        <ul><li>1</li><li>2</li><li>3</li></ul><pre>  kept   as
 it is</pre><script>var a = 1;</script></body></html>"#;

    fn found(selector: &str, attribute: &str) -> Vec<String> {
        let attribute = Some(attribute).filter(|name| !name.is_empty());
        let read = CssSelector::read(selector, attribute);
        read.unwrap_or_else(|why| panic!("{selector}: {why}")).find_in(PAGE)
    }

    #[test]
    fn elements_are_found_as_jsoup_does() {
        for (selector, attribute, expected) in [
            ("title", "", &["A  page"][..]),
            ("input[name=csrf]", "value", &["v1"]),
            ("input[type=hidden]", "VALUE", &[" v2 "]),
            ("a", "href", &["/a?1", "/b", ""]),
            ("a[href^='/B'], a[rel$=xT]", "", &["one", "two"]),
            (".big.RED", "id", &["one"]),
            ("P#one > b", "", &["bold"]),
            ("li:nth-child(2n+1)", "", &["1", "3"]),
            ("li:not(:first-child):not(:last-child)", "", &["2"]),
            ("p:has(b)", "", &["Hello boldworld"]),
            ("a + a ~ a", "name", &["c"]),
            ("script", "", &[""]),
            ("pre", "", &["kept   as\n it is"]),
            ("#One", "", &[]),
        ] {
            assert_eq!(found(selector, attribute), expected, "{selector}");
        }
    }

    #[test]
    fn what_jsoup_means_otherwise_is_refused() {
        for (selector, why) in [
            ("a:contains(one)", "`:contains` is not taken"),
            ("a:eq(1)", "`:eq` is not taken"),
            ("a[href~=b]", "`~=` is a regular expression in JMeter"),
            ("a[href!=b]", "`!=` is not taken"),
            ("[^data-]", "`[^` is not taken"),
            ("svg|a", "the character `|` is not taken"),
            ("*", "it begins with `*`"),
            (":not(p)", "it begins with `:not`"),
            ("p, :root", "it begins with `:root`"),
            ("", "it is empty"),
            ("p[", "`[` is not closed"),
            ("p:has(a", "`(` is not closed"),
        ] {
            let said = CssSelector::read(selector, None).unwrap_err();
            assert!(said.contains(why), "{selector}: {said}");
        }
        assert!(CssSelector::read("a", Some("abs:href")).is_err());
    }

    #[test]
    fn any_text_is_read_or_refused() {
        for text in
            [">", "a >", "a,,b", "a[=b]", "a:nth-child(x)", "..", "#", "a:not()", "é.ü", "\u{0}"]
        {
            if let Ok(selector) = CssSelector::read(text, None) {
                selector.find_in(PAGE);
            }
        }
        assert!(CssSelector::read("p", None).unwrap().find_in("not a page").is_empty());
    }
}
