//! The page as a list of blocks for the template `templates/page.html`, which escapes their texts.
//!
//! A page is one file: style, script and data are inside, and its policy (CSP) lets the browser use
//! these alone, by their hashes. Styles and handlers in attributes are refused by it.

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::chart::{Chart, json};
use super::headline::{State, Tile};

pub(crate) const STYLE: &str = include_str!("../../data/report.css");
const SCRIPT: &str = include_str!("../../data/report.js");

/// A page under construction.
pub(super) struct Page {
    title: String,
    parts: Vec<Part>,
    /// The beginning of the names of charts: results side by side have the same ones.
    pub(super) prefix: String,
}

/// A part of a page, which a live run replaces by itself.
pub(super) struct Part {
    id: String,
    blocks: Vec<Block>,
}

/// A block of a page.
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
    /// Whether the run held, in one sentence.
    Verdict(State, String),
    /// The headline figures.
    Tiles(Vec<Tile>),
    /// Thresholds: whether they held, and their texts.
    Limits(Vec<(bool, String)>),
    /// What a reader must know before trusting a figure.
    Remarks(String, Vec<String>),
    /// A table that scrolls by itself if it is too wide.
    Table(Table),
    /// Sections of names with their values.
    Facts(Vec<(String, Vec<(String, String)>)>),
    /// Charts, side by side where there is room.
    Charts(bool, Vec<Chart>),
    /// Blocks that are folded: a title, a remark beside it, whether they are open at first.
    Fold(String, String, bool, Vec<Block>),
}

/// Columns with their classes, and rows.
pub(super) struct Table {
    class: &'static str,
    head: Vec<(&'static str, String)>,
    rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
pub(super) struct Cell {
    text: String,
    class: &'static str,
    /// The rest of a long text, which is folded.
    more: String,
    /// Markup of ours instead of a text.
    drawing: String,
}

impl Cell {
    pub(super) fn of(text: &str) -> Self {
        Self::classed(text, "")
    }

    pub(super) fn classed(text: &str, class: &'static str) -> Self {
        Self { text: text.to_owned(), class, more: String::new(), drawing: String::new() }
    }

    /// A cell of running text.
    pub(super) fn words(text: &str) -> Self {
        Self::classed(text, "words")
    }

    /// A statement in one line, whose whole text is folded.
    pub(super) fn code(line: &str, whole: &str) -> Self {
        Self { more: whole.to_owned(), ..Self::words(line) }
    }

    /// A drawing: SVG that was made here.
    pub(super) fn drawing(svg: String) -> Self {
        Self { drawing: svg, ..Self::classed("", "draw") }
    }

    /// Whether something passed, as a word and a colour.
    pub(super) fn held(held: bool) -> Self {
        if held { Self::classed("yes", "good") } else { Self::classed("NO", "bad") }
    }

    fn is_words(&self) -> bool {
        self.class == "words"
    }
}

impl Table {
    /// A table; columns of running text take the width that they need.
    pub(super) fn of(head: &[&str], rows: Vec<Vec<Cell>>) -> Self {
        let is_words =
            |column: usize| rows.iter().any(|row| row.get(column).is_some_and(Cell::is_words));
        let class = |column| if is_words(column) { "words" } else { "" };
        let head = head.iter().enumerate();
        let head = head.map(|(column, name)| (class(column), (*name).to_owned())).collect();
        Self { class: "", head, rows }
    }

    /// A table whose rows are stacked on narrow screens.
    pub(super) fn stacking(head: &[&str], rows: Vec<Vec<Cell>>) -> Self {
        Self { class: "cards", ..Self::of(head, rows) }
    }

    /// The last row is the total of the others.
    pub(super) fn with_total(self) -> Self {
        Self { class: "cards total", ..self }
    }

    /// The name of a column.
    fn label(&self, column: impl std::borrow::Borrow<usize>) -> &str {
        self.head.get(*column.borrow()).map_or("", |(_, name)| name)
    }
}

impl Block {
    /// A table.
    pub(super) fn table(head: &[&str], rows: Vec<Vec<Cell>>) -> Self {
        Self::Table(Table::of(head, rows))
    }

    /// The block as HTML.
    fn markup(&self) -> String {
        // Writing to a string cannot fail.
        BlockView { block: self }.render().unwrap_or_default()
    }

    /// Gives charts the names of their page, and leaves out those without values.
    fn complete(&mut self, prefix: &str) {
        match self {
            Self::Charts(_, charts) => {
                charts.retain(Chart::is_known);
                charts.iter_mut().for_each(|chart| chart.id.insert_str(0, prefix));
            }
            Self::Fold(_, _, _, blocks) => blocks.iter_mut().for_each(|it| it.complete(prefix)),
            _ => {}
        }
    }

    fn charts<'a>(&'a self, all: &mut Vec<&'a Chart>) {
        match self {
            Self::Charts(_, charts) => all.extend(charts),
            Self::Fold(_, _, _, blocks) => blocks.iter().for_each(|block| block.charts(all)),
            _ => {}
        }
    }
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        let first = Part { id: "head".into(), blocks: Vec::new() };
        Self { title: title.to_owned(), parts: vec![first], prefix: String::new() }
    }

    /// Begins a part with this name.
    pub(super) fn part(&mut self, id: &str) {
        let id = format!("{}{id}", self.prefix);
        self.parts.push(Part { id, blocks: Vec::new() });
    }

    pub(super) fn add(&mut self, mut block: Block) {
        block.complete(&self.prefix);
        if let Some(part) = self.parts.last_mut() {
            part.blocks.push(block);
        }
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

    pub(super) fn table(&mut self, head: &[&str], rows: Vec<Vec<Cell>>) {
        self.add(Block::table(head, rows));
    }

    /// Charts; wide ones take the whole width.
    pub(super) fn charts(&mut self, wide: bool, charts: Vec<Chart>) {
        self.add(Block::Charts(wide, charts));
    }

    /// Blocks that are folded until a reader opens them; nothing without any.
    pub(super) fn fold(&mut self, title: &str, remark: &str, open: bool, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.add(Block::Fold(title.to_owned(), remark.to_owned(), open, blocks));
        }
    }

    pub(super) fn end(self, tool: &str) -> String {
        self.render(tool, None)
    }

    /// The page of a run that goes on, which follows the events of this address.
    pub(super) fn live(self, tool: &str, events: &str) -> String {
        self.render(tool, Some(events))
    }

    fn render(self, tool: &str, live: Option<&str>) -> String {
        let Self { title, parts, .. } = self;
        let mut charts = Vec::new();
        parts.iter().flat_map(|part| &part.blocks).for_each(|block| block.charts(&mut charts));
        let data = json(&charts);
        let policy = policy(live.is_some());
        let view = PageView {
            title: &title,
            style: STYLE,
            script: SCRIPT,
            parts: &parts,
            data: &data,
            tool,
            policy: &policy,
            live,
        };
        // Writing to a string cannot fail.
        view.render().unwrap_or_default()
    }
}

/// What the browser may use: the page's own style and script, and for a live page its own server.
pub(super) fn policy(live: bool) -> String {
    let hash = |text: &str| {
        let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        format!("'sha256-{}'", STANDARD.encode(digest))
    };
    let connect = if live { "; connect-src 'self'" } else { "" };
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src {}; script-src {}{connect}",
        hash(STYLE),
        hash(SCRIPT)
    )
}

#[derive(Template)]
#[template(path = "page.html")]
struct PageView<'a> {
    title: &'a str,
    style: &'a str,
    script: &'a str,
    parts: &'a [Part],
    data: &'a str,
    tool: &'a str,
    policy: &'a str,
    live: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "block.html")]
struct BlockView<'a> {
    block: &'a Block,
}
