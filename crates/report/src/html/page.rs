//! The frame of the page and its parts: headings, tables, lists of warnings.

use crate::export::escape;

pub(crate) const STYLE: &str = include_str!("../../data/report.css");

/// A page that grows.
pub(super) struct Page {
    text: String,
}

/// A cell of a table.
pub(super) struct Cell {
    text: String,
    class: &'static str,
}

impl Cell {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), class: "" }
    }

    pub(super) fn classed(text: &str, class: &'static str) -> Self {
        Self { text: text.to_owned(), class }
    }

    /// A cell of running text.
    pub(super) fn words(text: &str) -> Self {
        Self::classed(text, "words")
    }

    /// Whether something held, in a word and a colour.
    pub(super) fn held(held: bool) -> Self {
        if held { Self::classed("yes", "good") } else { Self::classed("NO", "bad") }
    }
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        let title = escape(title);
        Self {
            text: format!(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
                 <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
            ),
        }
    }

    /// Adds what is markup already.
    pub(super) fn add(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.add(&format!("<h2>{}</h2>\n", escape(text)));
    }

    /// What a reader must know first; nothing where there is nothing.
    pub(super) fn warnings(&mut self, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        self.add("<div class=\"warnings\"><ul>\n");
        for text in texts {
            self.add(&format!("<li>{}</li>\n", escape(text)));
        }
        self.add("</ul></div>\n");
    }

    /// A table that scrolls inside itself where it is too wide.
    pub(super) fn table(&mut self, head: &[&str], rows: Vec<Vec<Cell>>) {
        self.add("<div class=\"scroll\"><table>\n<tr>");
        let words =
            |column: usize| rows.iter().any(|row| row.get(column).is_some_and(Cell::is_words));
        for (column, name) in head.iter().enumerate() {
            let class = if words(column) { " class=\"words\"" } else { "" };
            self.add(&format!("<th{class}>{}</th>", escape(name)));
        }
        self.add("</tr>\n");
        for row in rows {
            self.add("<tr>");
            for cell in row {
                let class = match cell.class {
                    "" => String::new(),
                    class => format!(" class=\"{class}\""),
                };
                self.add(&format!("<td{class}>{}</td>", escape(&cell.text)));
            }
            self.add("</tr>\n");
        }
        self.add("</table></div>\n");
    }

    /// Names with their values.
    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        self.add("<dl>\n");
        for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            let (name, value) = (escape(name), escape(value));
            self.add(&format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n"));
        }
        self.add("</dl>\n");
    }

    /// The same behind a line that opens it: of interest to few readers.
    pub(super) fn folded_facts(&mut self, title: &str, facts: &[(String, String)]) {
        let count = facts.iter().filter(|(_, value)| !value.is_empty()).count();
        if count > 0 {
            self.add(&format!("<details><summary>{} ({count})</summary>\n", escape(title)));
            self.facts(facts);
            self.add("</details>\n");
        }
    }

    pub(super) fn end(mut self, tool: &str) -> String {
        let tool = escape(tool);
        self.add(&format!("<footer>Written by duet bench; measured by {tool}.</footer>\n"));
        self.add("</main>\n</body>\n</html>\n");
        self.text
    }
}

impl Cell {
    fn is_words(&self) -> bool {
        self.class == "words"
    }
}
