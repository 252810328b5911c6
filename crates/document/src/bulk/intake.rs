//! The intake of a load: chunks of bytes in, batches of checked rows out.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use duet_model::Code;
use duet_text::json;
use duet_text::json::{Json, JsonKind};
use duet_text::problem::quoted;
use foldhash::fast::RandomState;

use super::Fault;
use super::batch::{Batch, Gather, Group, RefusedRow, RowPosition};
use super::check::{DEPTH, LoadTable, ROW, Wrong};
use super::csv::{CsvForm, CsvReader, Fields};
use super::mask::Masks;
use super::text::{Layout, TextReader};
use crate::cells::rows::{Datum, RowSet};
use crate::input::MISTAKES;

/// How the rows are written.
#[derive(Clone, Debug)]
pub enum RowFormat {
    /// CSV, the first line naming the columns.
    Csv(CsvForm, Masks),
    /// JSON objects.
    Json(Layout),
}

/// The memory limits of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Bytes of one row.
    pub record_bytes: usize,
    /// Rows of a batch.
    pub batch_rows: usize,
    /// Bytes of a batch: it is full when it holds as many, however few rows they are.
    pub batch_bytes: usize,
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self { record_bytes: 16 << 20, batch_rows: 5_000, batch_bytes: 8 << 20 }
    }
}

/// A load in progress.
#[derive(Debug)]
pub struct Intake {
    records: Records,
    sorter: Sorter,
}

#[derive(Debug)]
enum Records {
    Csv(Box<CsvReader>),
    Json(TextReader),
}

impl Intake {
    /// The intake of rows of this form for a table.
    pub fn new(form: RowFormat, target: Arc<LoadTable>, limits: IntakeLimits) -> Self {
        let (records, masks) = match form {
            RowFormat::Csv(form, masks) => {
                (Records::Csv(Box::new(CsvReader::new(form, limits.record_bytes))), masks)
            }
            RowFormat::Json(layout) => {
                (Records::Json(TextReader::new(layout, limits.record_bytes)), Masks::default())
            }
        };
        let sorter = Sorter {
            target,
            masks,
            limits,
            header: None,
            batch: Batch::default(),
            bytes: 0,
            row: 0,
            by_columns: HashMap::default(),
            seen: HashSet::default(),
            key: Vec::new(),
        };
        Self { records, sorter }
    }
}

impl Gather for Intake {
    type Rows = Vec<Group>;

    fn feed(&mut self, input: &mut &[u8]) -> Result<bool, Fault> {
        match &mut self.records {
            Records::Csv(reader) => {
                while !self.sorter.is_full() {
                    let Some(fields) = reader.next(input)? else { return Ok(false) };
                    self.sorter.fields(&fields)?;
                }
            }
            Records::Json(reader) => {
                while !self.sorter.is_full() {
                    let Some((line, text)) = reader.next(input)? else { return Ok(false) };
                    self.sorter.json(line, text);
                }
            }
        }
        Ok(true)
    }

    fn pending(&self) -> usize {
        match &self.records {
            Records::Csv(reader) => reader.pending(),
            Records::Json(reader) => reader.pending(),
        }
    }

    fn finish(&mut self) -> Result<(), Fault> {
        match &mut self.records {
            Records::Csv(reader) => {
                if let Some(fields) = reader.finish()? {
                    self.sorter.fields(&fields)?;
                }
                if self.sorter.header.is_none() {
                    let message = "The CSV is empty. Its first line names the columns.";
                    return Err(Fault::new(1, Code::LoadHeader, message));
                }
            }
            Records::Json(reader) => {
                if let Some((line, text)) = reader.finish()? {
                    self.sorter.json(line, text);
                }
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Batch {
        self.sorter.take()
    }
}

/// How much a group has before a row is added.
#[derive(Clone, Copy)]
struct RowsBefore {
    count: usize,
    size: usize,
}

/// Checks records and puts them where they belong.
#[derive(Debug)]
struct Sorter {
    target: Arc<LoadTable>,
    masks: Masks,
    limits: IntakeLimits,
    /// The columns of the CSV: the field of each, by the column's place in the target; ascending.
    header: Option<Header>,
    batch: Batch,
    bytes: usize,
    row: u64,
    /// The groups that rows may join, by their columns.
    by_columns: HashMap<Vec<usize>, usize, RandomState>,
    /// The keys of the rows in those groups, where rows replace others.
    seen: HashSet<Vec<u8>, RandomState>,
    /// The key of the current row; the buffer is reused.
    key: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Header {
    /// Place in the target and field, ascending by the first.
    columns: Vec<(usize, usize)>,
    fields: usize,
}

impl Sorter {
    fn is_full(&self) -> bool {
        let rows = usize::try_from(self.batch.read).unwrap_or(usize::MAX);
        rows >= self.limits.batch_rows || self.bytes >= self.limits.batch_bytes
    }

    fn take(&mut self) -> Batch {
        self.bytes = 0;
        self.begin_groups();
        std::mem::take(&mut self.batch)
    }

    /// Lets no row join the groups there are.
    fn begin_groups(&mut self) {
        self.by_columns.clear();
        self.seen.clear();
    }

    fn next_place(&mut self, line: u64) -> RowPosition {
        self.row += 1;
        let place = RowPosition { row: self.row, line };
        self.batch.read += 1;
        self.batch.last = place;
        place
    }

    fn refuse(&mut self, place: RowPosition, field: Option<&str>, (code, message): Wrong) {
        // A row that is refused takes memory too.
        self.bytes += message.len();
        let field = field.map(str::to_owned);
        self.batch.refused.push(RefusedRow { place, field, code, message });
    }

    fn fields(&mut self, fields: &Fields<'_>) -> Result<(), Fault> {
        let Some(header) = &self.header else {
            self.header = Some(header(&self.target, fields)?);
            return Ok(());
        };
        let (expected, found) = (header.fields, fields.len());
        let place = self.next_place(fields.line);
        if found != expected {
            let message = format!(
                "The line has {found} fields, the first line names {expected} columns. \
                 Enclose fields that contain a delimiter or a line end."
            );
            self.refuse(place, None, (Code::LoadFields, message));
            return Ok(());
        }
        if let Err((field, wrong)) = self.csv_row(place, fields) {
            self.refuse(place, field.as_deref(), wrong);
        }
        Ok(())
    }

    /// Adds a CSV row; the error names the wrong field.
    fn csv_row(
        &mut self,
        place: RowPosition,
        fields: &Fields<'_>,
    ) -> Result<(), (Option<String>, Wrong)> {
        let Some(header) = &self.header else { return Ok(()) };
        let target = Arc::clone(&self.target);
        let mut given: Vec<(usize, Option<(&str, bool)>)> =
            Vec::with_capacity(header.columns.len());
        for &(index, field) in &header.columns {
            let column = &target.columns()[index];
            let Some((bytes, is_quoted)) = fields.get(field) else { continue };
            let text = std::str::from_utf8(bytes).map_err(|_| {
                let message = format!("{} is not in UTF-8. Convert it.", quoted(&column.name));
                (Some(column.name.clone()), (Code::MemberValue, message))
            })?;
            match text {
                // The database generates an absent value.
                "" if !is_quoted && column.makes_its_own() => {}
                "" if !is_quoted => given.push((index, None)),
                text => given.push((index, Some((text, is_quoted)))),
            }
        }
        let group = self.group(given.iter().map(|(index, _)| *index));
        let rows = &mut self.batch.rows[group].rows;
        let before = RowsBefore { count: rows.len(), size: rows.size() };
        for (index, text) in given {
            let column = &target.columns()[index];
            let pushed = match text {
                None => column.push_null(rows),
                Some((text, true)) => column.push_quoted(text, &self.masks, rows),
                Some((text, false)) => column.push_text(text, &self.masks, rows),
            };
            if let Err(wrong) = pushed {
                rows.truncate(before.count);
                return Err((Some(column.name.clone()), wrong));
            }
        }
        self.placed(group, place, before);
        Ok(())
    }

    fn json(&mut self, line: u64, text: &[u8]) {
        let place = self.next_place(line);
        if let Err((field, wrong)) = self.json_row(place, text) {
            self.refuse(place, field.as_deref(), wrong);
        }
    }

    /// Adds a JSON object; the error names the wrong member.
    fn json_row(&mut self, place: RowPosition, text: &[u8]) -> Result<(), (Option<String>, Wrong)> {
        let text = std::str::from_utf8(text).map_err(|_| {
            (None, (Code::BodySyntax, "The row is not in UTF-8. Convert it.".into()))
        })?;
        let json = json::read(text, &ROW, DEPTH).map_err(|error| {
            let hint = error.hint.map_or(String::new(), |hint| format!(" {hint}"));
            (None, (error.code, error.message + &hint))
        })?;
        let JsonKind::Object(members) = &json.kind else {
            let message = format!("A row must be an object, not {}.", json.kind.noun());
            return Err((None, (Code::BodySyntax, message)));
        };
        let target = Arc::clone(&self.target);
        let mut given: Vec<(usize, &Json<'_>)> = Vec::with_capacity(members.len());
        for member in members {
            let name = &*member.name;
            let wrong = |wrong| (Some(name.chars().take(64).collect()), wrong);
            let Some(index) = target.find(name) else {
                let message = format!("There is no column {}.{}", quoted(name), target.hint(name));
                return Err(wrong((Code::UnknownMember, message)));
            };
            let column = &target.columns()[index];
            if column.is_computed() {
                return Err(wrong(column.computed()));
            }
            if given.iter().any(|(known, _)| *known == index) {
                let message = format!("{} is given twice. Give it once.", quoted(&column.name));
                return Err(wrong((Code::BodySyntax, message)));
            }
            if !(member.value.is_null() && column.makes_its_own()) {
                given.push((index, &member.value));
            }
        }
        let is_given = |index| given.iter().any(|(known, _)| *known == index);
        if let Some(missing) = target.missing(is_given).next() {
            return Err((Some(missing.name.clone()), missing.required()));
        }
        given.sort_unstable_by_key(|(index, _)| *index);
        let group = self.group(given.iter().map(|(index, _)| *index));
        let rows = &mut self.batch.rows[group].rows;
        let before = RowsBefore { count: rows.len(), size: rows.size() };
        for (index, value) in given {
            let column = &target.columns()[index];
            if let Err(wrong) = column.push_json(value, rows) {
                rows.truncate(before.count);
                return Err((Some(column.name.clone()), wrong));
            }
        }
        self.placed(group, place, before);
        Ok(())
    }

    /// The group of rows that give these columns of the target.
    fn group(&mut self, given: impl Iterator<Item = usize>) -> usize {
        let target = &self.target;
        let columns: Vec<usize> = given.map(|index| target.columns()[index].column).collect();
        // Nearly always the same as before.
        if let Some(last) = self.batch.rows.len().checked_sub(1)
            && self.batch.rows[last].columns == columns
            && !self.by_columns.is_empty()
        {
            return last;
        }
        self.group_of(columns)
    }

    fn group_of(&mut self, columns: Vec<usize>) -> usize {
        if let Some(known) = self.by_columns.get(&columns) {
            return *known;
        }
        let rows = RowSet::new(columns.len());
        self.batch.rows.push(Group { columns: columns.clone(), rows, places: Vec::new() });
        let group = self.batch.rows.len() - 1;
        self.by_columns.insert(columns, group);
        group
    }

    /// Counts the row that was just added; if its key exists already, it begins new groups
    /// that are written later.
    fn placed(&mut self, group: usize, place: RowPosition, before: RowsBefore) {
        let size = self.batch.rows[group].rows.size();
        self.bytes += size - before.size;
        let mut group = group;
        if !self.target.key().is_empty() && self.read_key(group, before.count) {
            let key = std::mem::take(&mut self.key);
            if self.seen.contains(&key) {
                self.begin_groups();
                group = self.move_row(group, before.count);
            }
            self.seen.insert(key);
        }
        self.batch.rows[group].places.push(place);
    }

    /// Moves the last row of a group into a new group.
    fn move_row(&mut self, from: usize, row: usize) -> usize {
        let to = self.group_of(self.batch.rows[from].columns.clone());
        let (source, goal) = self.batch.rows.split_at_mut(to);
        let (source, goal) = (&mut source[from].rows, &mut goal[0].rows);
        for column in 0..source.width() {
            goal.push(source.get(row, column));
        }
        source.truncate(row);
        to
    }

    /// Reads the key of a row into `self.key`; false where the row does not give all of it.
    fn read_key(&mut self, group: usize, row: usize) -> bool {
        self.key.clear();
        let group = &self.batch.rows[group];
        for column in self.target.key() {
            let Ok(position) = group.columns.binary_search(column) else { return false };
            let (tag, bytes): (u8, &[u8]) = match group.rows.get(row, position) {
                Datum::Null => return false,
                Datum::Int(value) => (b'i', &value.to_be_bytes()),
                Datum::Real(value) => (b'r', &value.to_be_bytes()),
                Datum::Text(text) => (b't', text),
                Datum::Blob(bytes) | Datum::Wire(bytes) => (b'x', bytes),
            };
            self.key.push(tag);
            self.key.extend_from_slice(&bytes.len().to_be_bytes());
            self.key.extend_from_slice(bytes);
        }
        true
    }
}

/// Reads the first line of a CSV.
///
/// # Errors
/// All that is wrong with its names, as far as people read on.
fn header(target: &LoadTable, fields: &Fields<'_>) -> Result<Header, Fault> {
    let mut columns: Vec<(usize, usize)> = Vec::with_capacity(fields.len());
    let mut is_named = vec![false; target.columns().len()];
    let mut mistakes: Vec<String> = Vec::new();
    for field in 0..fields.len() {
        if mistakes.len() == MISTAKES {
            break;
        }
        let name = fields.get(field).map_or(&b""[..], |(bytes, _)| bytes);
        match column_of(target, name, &is_named) {
            Ok(index) => {
                is_named[index] = true;
                columns.push((index, field));
            }
            Err(mistake) if mistakes.contains(&mistake) => {}
            Err(mistake) => mistakes.push(mistake),
        }
    }
    mistakes.extend(target.missing(|index| is_named[index]).map(|missing| {
        let name = quoted(&missing.name);
        format!("The first line does not name {name}, which is required.")
    }));
    if mistakes.is_empty() {
        columns.sort_unstable();
        return Ok(Header { columns, fields: fields.len() });
    }
    mistakes.truncate(MISTAKES);
    Err(Fault::new(fields.line, Code::LoadHeader, mistakes.join(" ")))
}

/// The place of the column that a name of the first line means, beside those before it.
fn column_of(target: &LoadTable, name: &[u8], is_named: &[bool]) -> Result<usize, String> {
    let name = std::str::from_utf8(name)
        .map_err(|_| "The first line is not in UTF-8. Convert the file.".to_owned())?
        .trim();
    let index = target.find(name).ok_or_else(|| {
        format!(
            "The first line names {}, but there is no such column.{}",
            quoted(name),
            target.hint(name)
        )
    })?;
    let column = &target.columns()[index];
    if is_named[index] {
        return Err(format!("The first line names {} twice.", quoted(&column.name)));
    }
    if column.is_computed() {
        return Err(column.computed().1);
    }
    Ok(index)
}
