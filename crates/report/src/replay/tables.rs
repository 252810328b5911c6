//! The tables of a replay: published rows beside ours, with the columns of its data file.

use duet_verdict::text::TextTable;

use super::definition::{self, Bars as BarsOf, Base, Column, Definition, Of, Rows};
use super::figures::Row;
use super::labels::{Labels, alike, base};
use super::measured::Facts;
use super::number::Number;
use super::page::{Bar, Bars, Side};
use super::template;

/// The data of tables.
pub(super) struct Sources<'a> {
    pub(super) published: &'a [Row],
    pub(super) here: &'a [Row],
    pub(super) facts: &'a Facts,
}

/// A row of a table, and the published one in the same line.
#[derive(Clone, Copy)]
struct Line<'a> {
    row: &'a Row,
    is_published: bool,
    beside: Option<&'a Row>,
}

impl<'a> Sources<'a> {
    /// The tables in order.
    pub(super) fn tables(&self, definition: &Definition) -> Vec<TextTable> {
        definition.table.iter().map(|table| self.table(table)).collect()
    }

    fn table(&self, table: &definition::Table) -> TextTable {
        let lines = self.lines(table);
        let many = |column: &Column| {
            let counts = lines.iter().filter_map(|line| {
                column.figure.as_ref().and_then(|figure| line.row.figures.get(figure)).map(Vec::len)
            });
            if column.figure.as_deref() == Some("runs") { counts.max().unwrap_or(0) } else { 1 }
        };
        let columns: Vec<(&Column, usize)> =
            table.columns.iter().map(|column| (column, many(column))).collect();
        let head = columns.iter().flat_map(|(column, many)| match column.figure.as_deref() {
            Some("runs") => (1..=*many).map(|run| format!("{} {run}", column.head)).collect(),
            _ => vec![column.head.clone()],
        });
        let row = |line: &Line<'_>| {
            let cells = columns.iter().enumerate();
            cells
                .flat_map(|(at, (column, many))| self.cells(table, line, column, *many, at))
                .collect()
        };
        let caption = template::fill(&table.caption, |name| self.facts.get(name).cloned());
        TextTable {
            caption: caption.unwrap_or_else(|_| table.caption.clone()),
            head: head.collect(),
            rows: lines.iter().map(row).collect(),
        }
    }

    fn lines(&self, table: &definition::Table) -> Vec<Line<'a>> {
        let is_wanted = |labels: &Labels| {
            table.only.has(labels) && (table.except.is_empty() || !table.except.has(labels))
        };
        let published = self.published.iter().filter(|_| table.rows != Rows::Here);
        let here = self.here.iter().filter(|_| table.rows != Rows::Published);
        let published = published.map(|row| Line { row, is_published: true, beside: None });
        let here =
            here.filter(|row| !row.figures.is_empty() || row.missing.is_some()).filter_map(|row| {
                let is_alike = |other: &&Row| alike(&row.labels, &other.labels, &table.beside);
                let beside = self.published.iter().find(is_alike);
                let is_line = table.beside.is_empty() || beside.is_some();
                is_line.then_some(Line { row, is_published: false, beside })
            });
        published.chain(here).filter(|line| is_wanted(&line.row.labels)).collect()
    }

    /// The cells of a column, which may be several.
    fn cells(
        &self,
        table: &definition::Table,
        line: &Line<'_>,
        column: &Column,
        many: usize,
        at: usize,
    ) -> Vec<String> {
        let row = match column.of {
            Of::Here => Some(line.row),
            Of::Published => line.beside,
        };
        let row = match &column.at {
            Some(at) => row.and_then(|row| self.base(row, at)),
            None => row,
        };
        if column.figure.as_deref() == Some("runs") {
            let runs = row.and_then(|row| row.figures.get("runs")).into_iter().flatten();
            let mut cells: Vec<String> = runs.map(Number::to_string).collect();
            cells.resize(many, String::new());
            return cells;
        }
        let text = row.and_then(|row| match &column.label {
            // In a table with both sides, the first column names the side of a row.
            Some(label) if at == 0 && line.is_published && table.rows == Rows::Both => {
                row.labels.get(label).map(|label| format!("{label} (published)"))
            }
            Some(label) => row.labels.get(label).cloned(),
            None => self.figure(line, row, column),
        });
        let missing = || row.and_then(|row| row.missing.clone()).filter(|_| column.missing);
        let text = text.filter(|text| !text.is_empty()).or_else(missing);
        vec![text.or_else(|| column.none.clone()).unwrap_or_default()]
    }

    fn figure(&self, line: &Line<'_>, row: &Row, column: &Column) -> Option<String> {
        if let (true, Some(text)) = (line.is_published, &column.published) {
            return template::fill(text, |name| row.figure(name).map(Number::to_string)).ok();
        }
        let name = column.figure.as_ref()?;
        match &column.ratio {
            None => row.figure(name).map(Number::to_string),
            Some(base) => self.ratio(row, name, base),
        }
    }

    /// The base of a row, on its side.
    fn base(&self, row: &Row, to: &Base) -> Option<&'a Row> {
        let of = [self.published, self.here]
            .into_iter()
            .find(|rows| rows.iter().any(|other| std::ptr::eq(other, row)))?;
        base(row, &to.to, &to.same, &of.iter().collect::<Vec<_>>())
    }

    /// The change from a row's base; the base itself has none.
    fn ratio(&self, row: &Row, name: &str, to: &Base) -> Option<String> {
        let base = self.base(row, to)?;
        if std::ptr::eq(base, row) {
            return None;
        }
        let (value, base) = (row.figure(name)?.value, base.figure(name)?.value);
        Some(format!("{:+.1} %", (value / base - 1.0) * 100.0))
    }

    /// The figures that are shown as bars.
    pub(super) fn bars(&self, definition: &Definition) -> Vec<Bars> {
        definition.bars.iter().map(|bars| self.bars_of(bars)).collect()
    }

    fn bars_of(&self, bars: &BarsOf) -> Bars {
        let machine = |row: &Row| match &bars.machine {
            Some(label) => {
                format!("Published: {}", row.labels.get(label).map_or("", String::as_str))
            }
            None => "Published".to_owned(),
        };
        let mut sides: Vec<Side> = Vec::new();
        let mut add = |name: String, is_published, bar| match sides
            .iter_mut()
            .find(|side| side.is_published == is_published && side.name == name)
        {
            Some(side) => side.bars.push(bar),
            None => sides.push(Side { name, is_published, bars: vec![bar] }),
        };
        for (row, bar) in self.published.iter().filter_map(|row| Some((row, bar(bars, row)?))) {
            add(machine(row), true, bar);
        }
        self.here
            .iter()
            .filter_map(|row| bar(bars, row))
            .for_each(|it| add("Here".into(), false, it));
        Bars { caption: bars.caption.clone(), sides }
    }
}

fn bar(bars: &BarsOf, row: &Row) -> Option<Bar> {
    let is_wanted =
        bars.only.has(&row.labels) && (bars.except.is_empty() || !bars.except.has(&row.labels));
    let figure = row.figure(&bars.figure).filter(|figure| is_wanted && figure.value.is_finite())?;
    Some(Bar { name: row.name.clone(), value: figure.value, text: figure.to_string() })
}
