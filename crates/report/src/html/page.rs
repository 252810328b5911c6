//! The page as a list of blocks for the template `templates/page.html`, which escapes their texts.

use askama::Template;

pub(crate) const STYLE: &str = include_str!("../../data/report.css");

/// A page under construction.
pub(super) struct Page {
    title: String,
    blocks: Vec<Block>,
}

/// A part of a page.
pub(super) enum Block {
    /// The page's title.
    Title(String),
    /// The heading of what follows.
    Heading(String),
    /// A paragraph: its class, which may be empty, and its text.
    Text(&'static str, String),
    /// A warning at the top.
    Warnings(Vec<String>),
    /// A list: classes and texts.
    Items(Vec<(&'static str, String)>),
    /// The headline figures.
    Cards(Vec<Card>),
    /// A table that scrolls by itself if it is too wide.
    Table(Table),
    /// Names with their values; with a title, in a collapsed section.
    Facts(String, Vec<(String, String)>),
    /// Charts, which are markup already.
    Drawings(Vec<String>),
}

/// A figure with its name and its interval, which may be empty.
pub(super) struct Card {
    pub(super) value: String,
    pub(super) name: String,
    pub(super) interval: String,
}

/// Columns with their classes, and rows.
pub(super) struct Table {
    head: Vec<(&'static str, String)>,
    rows: Vec<Vec<Cell>>,
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

    /// Whether something passed, as a word and a colour.
    pub(super) fn held(held: bool) -> Self {
        if held { Self::classed("yes", "good") } else { Self::classed("NO", "bad") }
    }

    fn is_words(&self) -> bool {
        self.class == "words"
    }
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), blocks: Vec::new() }
    }

    pub(super) fn add(&mut self, block: Block) {
        self.blocks.push(block);
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.add(Block::Heading(text.to_owned()));
    }

    /// A paragraph in small print.
    pub(super) fn soft(&mut self, text: String) {
        self.add(Block::Text("soft", text));
    }

    /// Warnings at the top; nothing without any.
    pub(super) fn warnings(&mut self, texts: &[String]) {
        if !texts.is_empty() {
            self.add(Block::Warnings(texts.to_vec()));
        }
    }

    /// A table; columns of running text take the width that they need.
    pub(super) fn table(&mut self, head: &[&str], rows: Vec<Vec<Cell>>) {
        let is_words =
            |column: usize| rows.iter().any(|row| row.get(column).is_some_and(Cell::is_words));
        let class = |column| if is_words(column) { "words" } else { "" };
        let head = head.iter().enumerate();
        let head = head.map(|(column, name)| (class(column), (*name).to_owned())).collect();
        self.add(Block::Table(Table { head, rows }));
    }

    /// Names with their values; empty values are left out.
    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        self.add(Block::Facts(String::new(), known(facts)));
    }

    /// The same in a collapsed section, for the few readers who need it.
    pub(super) fn folded_facts(&mut self, title: &str, facts: &[(String, String)]) {
        let facts = known(facts);
        if !facts.is_empty() {
            self.add(Block::Facts(title.to_owned(), facts));
        }
    }

    pub(super) fn end(self, tool: &str) -> String {
        let Self { title, blocks } = self;
        let view = View { title: &title, style: STYLE, blocks: &blocks, tool };
        // Writing to a string cannot fail.
        view.render().unwrap_or_default()
    }
}

fn known(facts: &[(String, String)]) -> Vec<(String, String)> {
    facts.iter().filter(|(_, value)| !value.is_empty()).cloned().collect()
}

#[derive(Template)]
#[template(path = "page.html")]
struct View<'a> {
    title: &'a str,
    style: &'a str,
    blocks: &'a [Block],
    tool: &'a str,
}
