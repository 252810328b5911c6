//! The text of an element, with blanks as jsoup leaves them (`Element.text` and `Tag` of jsoup 1.17.1).

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::{ElementRef, Node};

/// Elements that begin and end a line.
const BLOCKS: &str = " address applet article aside audio blockquote body canvas caption center col colgroup dd del \
    details dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup \
    hr html ins li link listing main marquee math menu meta nav noframes noscript ol p plaintext pre script section \
    style svg table tbody td template tfoot th thead title tr ul video ";
/// Those of them that are printed within a line, and all known elements that are no blocks.
const IN_LINE: &str = " address del h1 h2 h3 h4 h5 h6 ins li p pre script style td th title a abbr acronym area b base \
    basefont bdi bdo bgsound big br button cite code command data datalist device dfn em embed font i iframe img input kbd \
    keygen label legend map mark menuitem meter mi mn mo msup mtext nobr object optgroup option output param progress q rb rp rt rtc ruby s \
    samp select small source span strike strong sub summary sup text textarea time track tt u var wbr ";
/// Elements whose text keeps its blanks, and how many elements up one of them counts.
const KEEP: (&str, usize) = (" plaintext pre textarea title ", 6);
/// Elements whose content is no text.
const DATA: &str = " script style ";

type Place<'p> = NodeRef<'p, Node>;

/// The text.
pub(super) fn of(element: ElementRef<'_>) -> String {
    let mut out = String::new();
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) => begin(node, &mut out),
            Edge::Close(node) => end(node, *element, &mut out),
        }
    }
    out.trim_matches(|letter: char| letter <= ' ').to_owned()
}

fn is_one(names: &str, node: Place<'_>) -> bool {
    let name = node.value().as_element().map(|element| format!(" {} ", element.name()));
    name.is_some_and(|name| names.contains(&name))
}

fn begin(node: Place<'_>, out: &mut String) {
    if let Node::Text(text) = node.value() {
        if !node.parent().is_some_and(|parent| is_one(DATA, parent)) {
            add(text, keeps_blanks(node), out);
        }
    } else if !out.is_empty() && (is_one(BLOCKS, node) || is_one(" br ", node)) {
        separate(out);
    }
}

fn end(node: Place<'_>, whole: Place<'_>, out: &mut String) {
    let goes_on = |next: Place<'_>| next.value().is_text() || is_one(IN_LINE, next);
    // What follows the element itself is not its text.
    if node.id() != whole.id() && is_one(BLOCKS, node) && node.next_sibling().is_some_and(goes_on) {
        separate(out);
    }
}

fn separate(out: &mut String) {
    if !out.ends_with(' ') {
        out.push(' ');
    }
}

fn keeps_blanks(text: Place<'_>) -> bool {
    text.ancestors().take(KEEP.1).any(|above| is_one(KEEP.0, above))
}

/// Blanks in a row become one; zero-width spaces and soft hyphens go.
fn add(text: &str, keeps_blanks: bool, out: &mut String) {
    if keeps_blanks {
        return out.push_str(text);
    }
    for letter in text.chars() {
        match letter {
            ' ' | '\t' | '\n' | '\u{c}' | '\r' | '\u{a0}' => separate(out),
            '\u{200b}' | '\u{ad}' => {}
            other => out.push(other),
        }
    }
}
