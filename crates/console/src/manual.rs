//! The manual, as the book has it: compiled in, rendered when it is asked for, and searched.

use askama::Template;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::page::{Frame, rendered};

/// A page of the manual.
#[derive(Clone, Copy, Debug)]
pub struct ManualPage {
    /// The part of the contents that lists it.
    pub part: &'static str,
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// Its title in the contents.
    pub title: &'static str,
    /// Its text, in Markdown.
    pub text: &'static str,
}

/// All pages, in the order of the contents.
pub static PAGES: &[ManualPage] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));

/// How many pages a search lists.
const FOUND: usize = 20;

/// How many words of a search count: each is looked for in the whole manual, for strangers too.
const WORDS: usize = 8;

/// The page of a name; the first one for none.
pub fn page(name: &str) -> Option<&'static ManualPage> {
    match name {
        "" => PAGES.first(),
        _ => PAGES.iter().find(|page| page.name == name),
    }
}

/// Pages that have all these words, of which the first eight count, those first that have them more often, each with a line around the first one.
///
/// ```
/// use duet_console::manual::found;
/// assert!(found("key-set page").iter().any(|(page, _)| page.name == "rest"));
/// assert!(found("").is_empty() && found("zzqx").is_empty());
/// ```
pub fn found(words: &str) -> Vec<(&'static ManualPage, String)> {
    let words: Vec<String> = words.split_whitespace().take(WORDS).map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits: Vec<(usize, &ManualPage, String)> = Vec::new();
    for page in PAGES {
        let text = page.text.to_lowercase();
        if words.iter().all(|word| text.contains(word)) {
            let in_title = page.title.to_lowercase().contains(&words[0]);
            let count = words.iter().map(|word| text.matches(word.as_str()).count()).sum::<usize>();
            hits.push((
                count + if in_title { 1_000 } else { 0 },
                page,
                line_with(page.text, &words[0]),
            ));
        }
    }
    hits.sort_by_key(|(count, _, _)| std::cmp::Reverse(*count));
    hits.into_iter().take(FOUND).map(|(_, page, line)| (page, line)).collect()
}

/// The first line that has a word, without marks of tables.
fn line_with(text: &str, word: &str) -> String {
    let line = text.lines().find(|line| line.to_lowercase().contains(word)).unwrap_or_default();
    line.replace(['|', '`', '#', '*'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a page as HTML: headings have the anchors that links name, links to other pages lead to these here, those
/// to what is not compiled in are plain text, and HTML in the text, such as marks of what is generated, is left out.
pub fn body(page: &ManualPage, base: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut events: Vec<Event<'_>> = Vec::new();
    let (mut heading, mut title) = (None, String::new());
    let mut is_link = false;
    for event in Parser::new_ext(page.text, options) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::Heading { level, .. }) => {
                (heading, title) = (Some((events.len(), level)), String::new());
                events.push(Event::Start(plain_heading(level, None)));
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some((at, level)) = heading.take() {
                    events[at] = Event::Start(plain_heading(level, Some(anchor(&title))));
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            // Pictures are not compiled in: their words replace them.
            Event::Start(Tag::Image { .. }) => events.push(Event::Start(Tag::Emphasis)),
            Event::End(TagEnd::Image) => events.push(Event::End(TagEnd::Emphasis)),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let address = address(&dest_url, base);
                is_link = address.is_some();
                events.extend(address.map(|address| {
                    let dest_url = CowStr::from(address);
                    Event::Start(Tag::Link { link_type, dest_url, title, id })
                }));
            }
            Event::End(TagEnd::Link) if !is_link => {}
            other => {
                if let (Some(_), Event::Text(text) | Event::Code(text)) = (&heading, &other) {
                    title.push_str(text);
                }
                events.push(other);
            }
        }
    }
    let mut out = String::with_capacity(page.text.len() * 2);
    html::push_html(&mut out, events.into_iter());
    // A column without a name has no heading for people who hear the table.
    out.replace("<th></th>", "<td></td>")
}

fn plain_heading(level: HeadingLevel, id: Option<String>) -> Tag<'static> {
    Tag::Heading { level, id: id.map(CowStr::from), classes: Vec::new(), attrs: Vec::new() }
}

/// The anchor of a heading, as renderers of Markdown make it.
fn anchor(title: &str) -> String {
    let kept = |char: &char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_');
    title
        .to_lowercase()
        .chars()
        .filter(kept)
        .map(|char| if char == ' ' { '-' } else { char })
        .collect()
}

/// Where a link of a page leads here; `None` where it leads to what is not compiled in.
fn address(link: &str, base: &str) -> Option<String> {
    let (file, at) = link.split_once('#').map_or((link, None), |(file, at)| (file, Some(at)));
    let anchor = at.map(|at| format!("#{at}")).unwrap_or_default();
    match file.strip_suffix(".md") {
        Some(name) if page(name).is_some() => Some(format!("{base}/docs/{name}{anchor}")),
        _ if file.is_empty() || file.starts_with("https://") => Some(link.to_owned()),
        _ => None,
    }
}

/// The page that shows one of the manual.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "manual.html")]
pub struct Manual<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The name of the page; empty for a search.
    pub name: &'a str,
    /// Its text as HTML.
    pub body: &'a str,
    /// What is searched for.
    pub words: &'a str,
    /// What was found.
    pub found: &'a [(&'static ManualPage, String)],
}

impl Manual<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn pages(&self) -> &'static [ManualPage] {
        PAGES
    }

    fn shows(&self, page: &ManualPage) -> bool {
        page.name == self.name
    }

    /// Whether a page is the first of its part.
    fn begins(&self, at: &usize) -> bool {
        *at == 0 || PAGES[*at].part != PAGES[*at - 1].part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_there_and_its_links_lead_somewhere() {
        assert!(PAGES.len() > 40 && page("").is_some_and(|first| first.name == "README"));
        for page in PAGES {
            let html = body(page, "/console");
            assert!(!html.contains("<script") && !html.contains("<!--"), "{}", page.name);
            for link in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(leads_somewhere(link, page), "{}: {link:?}", page.name);
            }
        }
    }

    /// Whether a link of a page's HTML is to another service, or to a page and a heading that are there.
    fn leads_somewhere(link: &str, from: &ManualPage) -> bool {
        if link.starts_with("https://") {
            return true;
        }
        let (path, at) = link.split_once('#').unwrap_or((link, ""));
        let to = match path.strip_prefix("/console/docs/") {
            Some(name) => page(name),
            None => Some(from).filter(|_| path.is_empty() && !at.is_empty()),
        };
        let heading = format!(" id=\"{at}\"");
        to.is_some_and(|to| at.is_empty() || body(to, "/console").contains(&heading))
    }

    #[test]
    fn a_search_of_many_words_looks_for_the_first_ones() {
        let many = format!("page {}", "the ".repeat(7));
        assert!(!found(&many).is_empty());
        assert_eq!(found(&format!("{many} zzqx")).len(), found(&many).len());
    }

    #[test]
    fn headings_have_the_anchors_of_links() {
        assert_eq!(anchor("Columns without a type on SQLite"), "columns-without-a-type-on-sqlite");
        assert_eq!(anchor("`[resources.NAME]`"), "resourcesname");
        let page = ManualPage {
            part: "",
            name: "x",
            title: "x",
            text: "# A `b`\n<img src=x>\n\n[r](rest.md#paths) [s](../README.md)",
        };
        let html = body(&page, "/c");
        assert!(html.contains("<h1 id=\"a-b\">A <code>b</code></h1>"), "{html}");
        assert!(html.contains("href=\"/c/docs/rest#paths\"") && !html.contains("<img"), "{html}");
        // What is not compiled in is text.
        assert!(html.contains(" s</p>"), "{html}");
    }
}
