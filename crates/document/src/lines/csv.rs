//! CSV (RFC 4180): a row per document.
//!
//! There is a column for each scalar member; members of to-one objects have dotted names, arrays
//! are JSON text in one cell. NULL is an empty cell, an empty text is `""`. Cells contain the same text
//! as the JSON, strings without their quotes. In a column without a type, a text that a number is shown as has quotes.

use duet_model::{LevelColumn, Member, MemberKind, NodeId, ReadPlan, Result, Type};

use super::{DocumentLines, StreamMedia};
use crate::cells::codec::Codec;
use crate::cells::numeric::write_integer;
use crate::cells::rows::Datum;
use crate::cells::untyped;
use crate::compile::{Compiler, value_of};
use crate::fetched::FetchedRows;
use crate::program::Program;
use crate::run::{Run, RunPosition};

/// The end of a line, as RFC 4180 has it.
const END: &[u8] = b"\r\n";

pub(super) const MEDIA: StreamMedia = StreamMedia {
    name: "text/csv",
    aliases: &[],
    content_type: "text/csv; charset=utf-8; header=present",
    text: "The same as RFC 4180, with a line of names; members of objects have dotted names, arrays are JSON text.",
};

/// A compiled writer of one plan's documents as CSV.
#[derive(Clone, Debug)]
pub(super) struct Csv {
    header: Vec<u8>,
    cells: Vec<CsvCell>,
    /// The steps of the arrays.
    json: Program,
}

/// The content of a cell. Columns are positions in the rows of level 0.
#[derive(Clone, Debug)]
enum CsvCell {
    /// A scalar.
    Value { column: usize, codec: Codec },
    /// A scalar of a column without a type.
    Untyped { column: usize },
    /// JSON made by the steps `from..to` of the program; nothing where there is no row of the
    /// object around it, which this column tells.
    Json { presence: Option<usize>, from: usize, to: usize },
}

pub(super) fn compile(plan: &ReadPlan) -> Csv {
    let mut columns = Columns {
        plan,
        compiler: Compiler::new(plan),
        names: Vec::new(),
        cells: Vec::new(),
        presence: None,
    };
    columns.members(0, &plan.shape.root().members, "");
    let header = columns.header();
    let Columns { compiler, cells, .. } = columns;
    Csv { header, cells, json: compiler.into_program("") }
}

impl DocumentLines for Csv {
    /// The line of names.
    fn write_head(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn write_row(
        &self,
        _: &Program,
        fetched: &FetchedRows,
        row: usize,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let roots = fetched.roots();
        for (index, cell) in self.cells.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            match cell {
                CsvCell::Value { column, codec } => {
                    write_cell(codec, roots.get(row, *column), scratch, out);
                }
                CsvCell::Untyped { column } => match roots.get(row, *column) {
                    // Without quotes it would be a number to a bulk load.
                    Datum::Text(text) if untyped::is_shown_number(text) => quote(text, out),
                    cell => write_cell(&Codec::Text, cell, scratch, out),
                },
                CsvCell::Json { presence, from, to } => {
                    if presence.is_some_and(|column| roots.get(row, column) == Datum::Null) {
                        continue;
                    }
                    scratch.clear();
                    let mut run = Run::new(&self.json, fetched, RunPosition::new(*from, *to, row));
                    run.write(scratch);
                    run.check(row)?;
                    quote_if_needed(scratch, out);
                }
            }
        }
        out.extend_from_slice(END);
        Ok(())
    }
}

/// The state of compiling.
struct Columns<'a> {
    plan: &'a ReadPlan,
    compiler: Compiler<'a>,
    /// The names of the cells.
    names: Vec<Name>,
    cells: Vec<CsvCell>,
    /// The column that shows whether the current object has a row.
    presence: Option<usize>,
}

/// The name of a cell. A flex column is not a member, so a member may have the same name.
enum Name {
    Member(String),
    Flex(String),
}

impl Columns<'_> {
    /// The line of names, each of them once.
    fn header(&self) -> Vec<u8> {
        let mut header = Vec::new();
        let is_taken = |wanted: &str| {
            self.names.iter().any(|name| matches!(name, Name::Member(name) if name == wanted))
        };
        for (index, name) in self.names.iter().enumerate() {
            if index > 0 {
                header.push(b',');
            }
            match name {
                Name::Member(name) => quote_if_needed(name.as_bytes(), &mut header),
                Name::Flex(name) => {
                    let mut name = name.clone();
                    while is_taken(&name) {
                        name.push('_');
                    }
                    quote_if_needed(name.as_bytes(), &mut header);
                }
            }
        }
        header.extend_from_slice(END);
        header
    }

    fn members(&mut self, node: NodeId, members: &[Member], prefix: &str) {
        for member in members {
            self.member(node, members, member, prefix);
        }
    }

    fn member(&mut self, node: NodeId, members: &[Member], member: &Member, prefix: &str) {
        let name = format!("{prefix}{}", member.name);
        let below = format!("{name}.");
        let named = || Name::Member(name.clone());
        match &member.kind {
            MemberKind::Column(column) if column.hidden => {}
            MemberKind::Generated { hidden: true, .. } => {}
            MemberKind::Column(column) => self.column(node, column.column, named()),
            MemberKind::Flex(flex) => {
                let shape = &self.plan.shape;
                let table = &shape.nodes[node].table;
                let name = format!("{prefix}{}", table.columns[flex.column].served_name());
                if flex.only.is_none() && shape.hidden_names(members).is_empty() {
                    return self.column(node, flex.column, Name::Flex(name));
                }
                let from = self.compiler.landing();
                self.compiler.flex_object(node, members, flex.column);
                let to = self.compiler.landing();
                let presence = self.presence;
                self.cell(Name::Flex(name), CsvCell::Json { presence, from, to });
            }
            MemberKind::Generated { expr, ty, .. } => {
                let wanted = LevelColumn::generated(node, expr, ty);
                let column = self.plan.levels[0].position(&wanted).unwrap_or_default();
                self.cell(named(), CsvCell::Value { column, codec: self.compiler.codec(ty) });
            }
            // A document is one cell: what it holds has no columns.
            MemberKind::Document(document) if document.shown => {
                self.column(node, document.column, named());
            }
            MemberKind::Document(_) | MemberKind::Related(_) => {}
            MemberKind::Group(inner) => self.members(node, inner, &below),
            MemberKind::Object(child) => self.object(*child, &below),
            MemberKind::Unnest(child) => self.object(*child, prefix),
            MemberKind::Array(child) | MemberKind::Scalars(child) => {
                let from = self.compiler.landing();
                self.compiler.array(*child, value_of(member));
                let to = self.compiler.landing();
                self.cell(named(), CsvCell::Json { presence: self.presence, from, to });
            }
        }
    }

    /// The members of a to-one node. Without a row, all of its columns are NULL.
    fn object(&mut self, child: NodeId, prefix: &str) {
        let node = &self.plan.shape.nodes[child];
        let link = node.link.as_ref().map_or(0, |link| link.child_columns[0]);
        let around = self.presence.replace(self.compiler.position(0, child, link));
        self.members(child, &node.members, prefix);
        self.presence = around;
    }

    fn column(&mut self, node: NodeId, column: usize, name: Name) {
        let ty = &self.plan.shape.nodes[node].table.columns[column].ty;
        let (codec, is_untyped) = (self.compiler.codec(ty), *ty == Type::Dynamic);
        let column = self.compiler.position(0, node, column);
        let cell = CsvCell::Value { column, codec };
        self.cell(name, if is_untyped { CsvCell::Untyped { column } } else { cell });
    }

    fn cell(&mut self, name: Name, cell: CsvCell) {
        self.names.push(name);
        self.cells.push(cell);
    }
}

fn write_cell(codec: &Codec, cell: Datum<'_>, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
    match (codec, cell) {
        (_, Datum::Null) => {}
        (Codec::Text, Datum::Text(b"")) => out.extend_from_slice(b"\"\""),
        (Codec::Text, Datum::Text(text)) => quote_if_needed(text, out),
        (Codec::Integer, Datum::Int(value)) => write_integer(value, out),
        // A text in JSON keeps its quotes: without them it would be another value, or none, to the reader of the file.
        (Codec::Json, cell) => {
            scratch.clear();
            codec.write(cell, scratch);
            quote_if_needed(scratch, out);
        }
        (codec, cell) => {
            scratch.clear();
            codec.write(cell, scratch);
            let inside = scratch.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
            match (inside, cell) {
                (Some(b""), _) => out.extend_from_slice(b"\"\""),
                // What is escaped in JSON is not the type's own form but text as it is stored.
                (Some(inside), Datum::Text(text)) if inside.contains(&b'\\') => {
                    quote_if_needed(text, out);
                }
                (Some(inside), _) => quote_if_needed(inside, out),
                (None, _) => quote_if_needed(scratch, out),
            }
        }
    }
}

/// Appends a text, in quotes where it has a comma, a quote or an end of line. Bytes that are not UTF-8 are replaced by
/// U+FFFD, as in JSON.
fn quote_if_needed(text: &[u8], out: &mut Vec<u8>) {
    if !text.is_ascii() && std::str::from_utf8(text).is_err() {
        return quote_if_needed(String::from_utf8_lossy(text).as_bytes(), out);
    }
    if !text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(text);
        return;
    }
    quote(text, out);
}

fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(codec: &Codec, cell: Datum<'_>) -> String {
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        write_cell(codec, cell, &mut scratch, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells() {
        let text = |text: &'static str| Datum::Text(text.as_bytes());
        for (codec, cell, expected) in [
            (Codec::Text, Datum::Null, ""),
            (Codec::Text, text(""), "\"\""),
            (Codec::Text, text("plain ü"), "plain ü"),
            (Codec::Text, text("a,b"), "\"a,b\""),
            (Codec::Text, text("say \"a\""), "\"say \"\"a\"\"\""),
            (Codec::Text, text("a\r\nb"), "\"a\r\nb\""),
            (Codec::Text, text("a\\b\t"), "a\\b\t"),
            (Codec::Integer, Datum::Int(-7), "-7"),
            (Codec::Boolean, Datum::Int(1), "true"),
            (Codec::Decimal(Some(2)), Datum::Real(0.5), "0.50"),
            (Codec::Float64, Datum::Real(f64::NAN), "NaN"),
            (Codec::Timestamp, text("2022-03-20 01:02:03"), "2022-03-20T01:02:03"),
            (Codec::Timestamp, text("soon, \"or\" \\ not"), "\"soon, \"\"or\"\" \\ not\""),
            (Codec::Json, text("{\"a\": [1, \"x\"]}"), "\"{\"\"a\"\":[1,\"\"x\"\"]}\""),
            (Codec::Json, text("7"), "7"),
            (Codec::Json, text("\"7\""), "\"\"\"7\"\"\""),
            (Codec::Binary, Datum::Blob(&[1, 2, 3]), "AQID"),
            (Codec::Binary, Datum::Blob(&[]), "\"\""),
        ] {
            assert_eq!(written(&codec, cell), expected, "{codec:?} {cell:?}");
        }
    }
}
