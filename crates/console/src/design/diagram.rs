//! A diagram of tables: some of them in the middle, those that they refer to at the right, those that refer to them at the
//! left. It has a bounded number of tables, whatever the schema has; a table beside it says the same in words.

use askama::Template;

use crate::address::{encoded, query};
use crate::page::{Frame, rendered};

/// Tables of a diagram at most.
pub const MOST_TABLES: usize = 24;
/// Lines of a box at most: its name and its columns of keys and references.
const LINES: usize = 9;
/// The width of a box, and the places of the three columns.
const WIDTH: usize = 210;
const COLUMNS: [usize; 3] = [10, 285, 560];
/// The height of a line, and of a box around its lines.
const LINE: usize = 18;
const PADDING: usize = 10;
/// The space between boxes.
const SPACE: usize = 16;
/// Characters of a line at most.
const CHARACTERS: usize = 27;

/// A table of the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The columns of its primary key.
    pub key: Vec<String>,
    /// What it refers to: its columns, the other table, and that one's columns.
    pub references: Vec<(Vec<String>, String, Vec<String>)>,
}

/// A box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableBox {
    /// The table.
    pub name: String,
    /// The address of its diagram.
    pub href: String,
    /// Whether it is one of those in the middle.
    pub is_focus: bool,
    /// Its place.
    pub x: usize,
    /// The same.
    pub y: usize,
    /// Its height.
    pub height: usize,
    /// Its columns, each with its mark: `key`, or `reference`.
    pub lines: Vec<(String, &'static str, usize)>,
}

/// A line from the columns that refer to the table that they refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The path of the line.
    pub path: String,
    /// What it means.
    pub words: String,
}

/// A row of the table beside the diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub(super) name: String,
    pub(super) href: String,
    pub(super) key: String,
    pub(super) refers: Vec<String>,
    pub(super) referred: Vec<String>,
}

/// A diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// Its boxes.
    pub boxes: Vec<TableBox>,
    /// Its lines.
    pub edges: Vec<Edge>,
    /// Its height.
    pub height: usize,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Tables that are related to those in the middle and have no room.
    pub hidden: usize,
    /// How many tables there are.
    pub all: usize,
}

impl Diagram {
    /// The diagram around some tables of a schema; `page` is the address of diagrams.
    ///
    /// ```
    /// use duet_console::design::{Diagram, Table};
    /// let table = |name: &str, to: &str| Table {
    ///     name: name.to_owned(),
    ///     key: vec!["id".to_owned()],
    ///     references: vec![(vec!["of".to_owned()], to.to_owned(), vec!["id".to_owned()])],
    /// };
    /// let tables = [table("driver", "team"), table("team", "country"), table("race", "driver")];
    /// let diagram = Diagram::around(&["driver"], &tables, "/d");
    /// let names: Vec<&str> = diagram.boxes.iter().map(|it| &*it.name).collect();
    /// assert_eq!(names, ["race", "driver", "team"]);
    /// assert_eq!((diagram.edges.len(), diagram.hidden), (2, 0));
    /// ```
    pub fn around(focus: &[&str], tables: &[Table], page: &str) -> Self {
        let is_focus = |name: &str| focus.contains(&name);
        let middle: Vec<&Table> = tables.iter().filter(|it| is_focus(&it.name)).collect();
        let refers =
            |from: &Table, to: &str| from.references.iter().any(|(_, other, _)| other == to);
        let right = tables
            .iter()
            .filter(|it| !is_focus(&it.name) && middle.iter().any(|own| refers(own, &it.name)));
        let right: Vec<&Table> = right.collect();
        let left = tables.iter().filter(|it| {
            !is_focus(&it.name)
                && right.iter().all(|other| other.name != it.name)
                && it.references.iter().any(|(_, to, _)| is_focus(to))
        });
        let left: Vec<&Table> = left.collect();
        let all = middle.len() + right.len() + left.len();
        let mut room = MOST_TABLES;
        let mut part = |list: &[&Table]| -> usize {
            let count = list.len().min(room);
            room -= count;
            count
        };
        let [of_middle, of_right, of_left] = [part(&middle), part(&right), part(&left)];
        let mut out = Self { all: tables.len(), ..Self::default() };
        let columns = [(0, &left[..of_left]), (1, &middle[..of_middle]), (2, &right[..of_right])];
        let mut heights = [PADDING; 3];
        let is_alone = of_left + of_right == 0;
        for (column, table) in
            columns.iter().flat_map(|(at, list)| list.iter().map(move |it| (*at, it)))
        {
            // Tables without others around them have all the room.
            let shortest = (0..3).min_by_key(|at| heights[*at]).unwrap_or(column);
            let column = if is_alone { shortest } else { column };
            let (x, y) = (COLUMNS[column], heights[column]);
            let own = TableBox::of(table, x, y, is_focus(&table.name), page);
            heights[column] += own.height + SPACE;
            out.boxes.push(own);
        }
        out.height = heights.into_iter().max().unwrap_or_default();
        out.hidden = all - out.boxes.len();
        let shown: Vec<&Table> =
            columns.iter().flat_map(|(_, list)| list.iter().copied()).collect();
        out.edges = shown.iter().flat_map(|table| out.edges_of(table)).collect();
        out.rows = shown.iter().map(|table| row(table, tables, page)).collect();
        out
    }

    /// The lines of a table's references to others that are shown.
    fn edges_of(&self, table: &Table) -> Vec<Edge> {
        let find = |name: &str| self.boxes.iter().find(|it| it.name == name);
        let Some(from) = find(&table.name) else { return Vec::new() };
        let edges = table.references.iter().filter_map(|(columns, to, others)| {
            let other = find(to)?;
            let words =
                format!("{}.{} = {}.{}", table.name, columns.join(", "), to, others.join(", "));
            Some(Edge { path: path(from, columns, other), words })
        });
        edges.collect()
    }
}

/// The path of a line between two boxes: from the column, sideways, to the head of the other box.
fn path(from: &TableBox, columns: &[String], to: &TableBox) -> String {
    let line =
        from.lines.iter().find(|(text, ..)| columns.first().is_some_and(|own| shown(own) == *text));
    let (y1, y2) = (line.map_or(from.y + PADDING + LINE / 2, |(.., y)| y - 5), to.y + PADDING + 4);
    let (x1, x2, bend) = match from.x.cmp(&to.x) {
        std::cmp::Ordering::Less => (from.x + WIDTH, to.x, 30_isize),
        std::cmp::Ordering::Greater => (from.x, to.x + WIDTH, -30),
        std::cmp::Ordering::Equal => (from.x + WIDTH, to.x + WIDTH, 45),
    };
    let end_bend = if from.x == to.x { bend } else { -bend };
    format!(
        "M{x1} {y1} C{} {y1} {} {y2} {x2} {y2}",
        x1.saturating_add_signed(bend),
        x2.saturating_add_signed(end_bend)
    )
}

impl TableBox {
    fn of(table: &Table, x: usize, y: usize, is_focus: bool, page: &str) -> Self {
        let keys = table.key.iter().map(|name| (name, "key"));
        let others = table.references.iter().flat_map(|(columns, ..)| columns);
        let others =
            others.filter(|name| !table.key.contains(name)).map(|name| (name, "reference"));
        let mut lines: Vec<(String, &'static str, usize)> = Vec::new();
        for (name, mark) in keys.chain(others) {
            let text = shown(name);
            if lines.iter().all(|(known, ..)| *known != text) && lines.len() < LINES {
                let at = y + PADDING + LINE * (lines.len() + 2) - 4;
                lines.push((text, mark, at));
            }
        }
        let height = 2 * PADDING + LINE * (lines.len() + 1);
        let href = format!("{page}{}", query(&[("table", &table.name)]));
        Self { name: table.name.clone(), href, is_focus, x, y, height, lines }
    }

    pub(super) fn title(&self) -> String {
        shown(&self.name)
    }

    pub(super) fn text_x(&self) -> usize {
        self.x + PADDING
    }

    pub(super) fn mark_x(&self) -> usize {
        self.x + WIDTH - PADDING
    }

    pub(super) fn title_y(&self) -> usize {
        self.y + PADDING + LINE - 4
    }

    pub(super) fn width(&self) -> usize {
        WIDTH
    }
}

/// A name as far as it has room.
fn shown(name: &str) -> String {
    match name.char_indices().nth(CHARACTERS) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}…", &name[..at]),
    }
}

fn row(table: &Table, tables: &[Table], page: &str) -> Row {
    let words = |from: &Table, (columns, to, others): &(Vec<String>, String, Vec<String>)| {
        format!("{}.{} = {to}.{}", from.name, columns.join(", "), others.join(", "))
    };
    let others = tables.iter().flat_map(|from| from.references.iter().map(move |it| (from, it)));
    let referred = others.filter(|(_, (_, to, _))| *to == table.name);
    Row {
        name: table.name.clone(),
        href: format!("{page}?table={}", encoded(&table.name)),
        key: table.key.join(", "),
        refers: table.references.iter().map(|it| words(table, it)).collect(),
        referred: referred.take(MOST_TABLES).map(|(from, it)| words(from, it)).collect(),
    }
}

/// The page of a diagram.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "design/diagram.html")]
pub struct DiagramPage<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The path of the mount.
    pub mount: &'a str,
    /// The page itself, without its query.
    pub path: &'a str,
    /// The table in the middle, or the words that are looked for.
    pub table: &'a str,
    /// Tables by these words; their names with their addresses.
    pub found: &'a [(String, String)],
    /// The diagram.
    pub diagram: &'a Diagram,
}

impl DiagramPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(count: usize) -> Vec<Table> {
        let table = |at: usize| Table {
            name: format!("t{at:04}"),
            key: vec!["id".into()],
            references: vec![(vec!["of".into()], "t0000".into(), vec!["id".into()])],
        };
        (0..count).map(table).collect()
    }

    #[test]
    fn a_diagram_does_not_grow_with_the_schema() {
        let [once, twice] =
            [1_000, 2_000].map(|count| Diagram::around(&["t0000"], &schema(count), "/d"));
        assert_eq!((once.boxes.len(), twice.boxes.len()), (MOST_TABLES, MOST_TABLES));
        assert_eq!((once.hidden, twice.hidden), (1_000 - MOST_TABLES, 2_000 - MOST_TABLES));
        let html = |diagram: &Diagram| {
            let frame = Frame::stranger("/console");
            let page =
                DiagramPage { frame, mount: "/m", path: "/d", table: "", found: &[], diagram };
            page.html().len()
        };
        assert!(html(&once).abs_diff(html(&twice)) < 20, "{} {}", html(&once), html(&twice));
        let own = once.edges.iter().filter(|it| it.words.starts_with("t0000.")).count();
        assert_eq!(own, 1, "a table that refers to itself");
    }
}
