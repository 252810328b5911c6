//! The lines of `schema.json`: where each of its parts is in the text.

use duet_service::definition::{LineOutcome, LinePlace, RmbLine, RmbSchema, sql_statements};
use duet_text::json::{Json, JsonKind, STORED, read};

use super::files::ModuleFiles;
use super::report::Report;

/// How deep the file is read.
const DEPTH: usize = 16;

/// Why a view is refused.
const NO_VIEW: &str = "no view is made: searches of a collection follow references, by their names";

/// The text of the file with its path.
pub(super) struct SchemaLines<'t> {
    name: &'t str,
    text: &'t str,
    root: Option<Json<'t>>,
}

impl<'t> SchemaLines<'t> {
    /// Reads the text.
    pub(super) fn new(name: &'t str, text: &'t str) -> Self {
        Self { name, text, root: read(text, &STORED, DEPTH).ok() }
    }

    /// The line of a part, by its JSON pointer.
    pub(super) fn place(&self, pointer: &str) -> usize {
        let mut at = self.root.as_ref();
        for step in pointer.split('/').skip(1) {
            let Some(value) = at else { break };
            let next = match &value.kind {
                JsonKind::List(elements) => {
                    step.parse().ok().and_then(|at: usize| elements.get(at))
                }
                _ => value.get(step),
            };
            at = next.or(at);
        }
        let bytes = at.map_or(0, |value| value.at);
        self.text.get(..bytes).map_or(1, |before| before.matches('\n').count() + 1)
    }

    /// Adds the lines of a table.
    pub(super) fn add(&self, lines: &[RmbLine], report: &mut Report) {
        let folder = self.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        for line in lines {
            let (file, number) = match &line.place {
                LinePlace::Pointer(pointer) => (self.name.to_owned(), self.place(pointer)),
                LinePlace::Sql(file, line) => (format!("{folder}/{file}"), *line),
            };
            report.add(&file, number, &*line.what, line.outcome, &*line.why);
        }
    }

    /// Adds the lines of the file that belong to no table.
    pub(super) fn of_file(&self, file: &RmbSchema, files: &ModuleFiles, report: &mut Report) {
        self.add(file.unknown_keys(), report);
        if let Some(count) = file.exact_count() {
            let place = self.place("/exactCount");
            let what = format!("exactCount {count}");
            let why = "the setting `exact_total` of the application";
            report.add(self.name, place, what, LineOutcome::Otherwise, why);
        }
        for (position, name) in file.deleted() {
            let place = self.place(&format!("/tables/{position}/mode"));
            report.add(self.name, place, format!("mode of `{name}`"), LineOutcome::Taken, "");
        }
        for (position, view) in file.views().iter().enumerate() {
            let place = self.place(&format!("/views/{position}/viewName"));
            let (outcome, why) = match view.is_deleted() {
                true => (LineOutcome::Taken, ""),
                false => (LineOutcome::Refused, NO_VIEW),
            };
            report.add(self.name, place, format!("view `{}`", view.name()), outcome, why);
        }
        let folder = self.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        // What belongs to a table has its lines there.
        let snippets: Vec<String> =
            file.tables().filter_map(|table| table.snippet_path().map(str::to_owned)).collect();
        for (at, script) in file.scripts().iter().enumerate() {
            let place = self.place(&format!("/scripts/{at}"));
            if let Some(sql) = &script.snippet {
                of_sql(self.name, Some(place), sql, report);
            }
            let Some(path) = script.snippet_path.as_ref().filter(|path| !snippets.contains(path))
            else {
                continue;
            };
            let name = format!("{folder}/{path}");
            match files.read(&name) {
                Ok(sql) => of_sql(&name, None, &sql, report),
                Err(_) => report.add(
                    self.name,
                    place,
                    format!("script `{path}`"),
                    LineOutcome::Refused,
                    "the file is not in the repository: another library has it",
                ),
            }
        }
    }
}

/// Whether all of a script is in a condition of FreeMarker that holds for upgrades.
fn is_for_upgrades(sql: &str) -> bool {
    let lines = sql.lines().filter(|line| !line.trim_start().starts_with("--"));
    let text: String = lines.flat_map(str::split_whitespace).collect();
    let inner = text.strip_prefix("<#ifmode.name()==\"UPDATE\">");
    inner.and_then(|inner| inner.strip_suffix("</#if>")).is_some_and(|it| !it.contains("<#"))
}

/// Adds a line for each statement of a script.
fn of_sql(file: &str, place: Option<usize>, sql: &str, report: &mut Report) {
    if is_for_upgrades(sql) {
        let why = "it is for upgrades alone: `<#if mode.name() == \"UPDATE\">`";
        return report.add(file, 1, "script", LineOutcome::Taken, why);
    }
    for statement in sql_statements(sql) {
        let words: Vec<&str> = statement.text.split_whitespace().collect();
        let first = words.first().map(|word| word.to_uppercase()).unwrap_or_default();
        // A new database has no rows and no objects of earlier versions.
        let (outcome, why) = match first.as_str() {
            "UPDATE" | "DELETE" | "DROP" => (
                LineOutcome::Otherwise,
                "it changes what earlier versions of the module left, which a new database has not",
            ),
            _ if view_of(&words).is_some() => (LineOutcome::Refused, NO_VIEW),
            _ => (LineOutcome::Refused, "not run; app.toml names SQL files with `prepare`"),
        };
        let what = match view_of(&words) {
            Some(name) => format!("view `{name}`"),
            None => format!("`{}`", words.join(" ").chars().take(72).collect::<String>()),
        };
        let line = place.unwrap_or(statement.line);
        report.add(file, line, what, outcome, why);
    }
}

/// The name of the view that a statement makes: `CREATE OR REPLACE VIEW ${myuniversity}_${mymodule}.NAME AS …`.
fn view_of(words: &[&str]) -> Option<String> {
    const LEAD: [&str; 7] =
        ["CREATE", "OR", "REPLACE", "TEMP", "TEMPORARY", "RECURSIVE", "MATERIALIZED"];
    let lead = words.iter().take_while(|word| LEAD.iter().any(|it| it.eq_ignore_ascii_case(word)));
    let mut rest = words.iter().skip(lead.count());
    rest.next().filter(|word| word.eq_ignore_ascii_case("VIEW"))?;
    let is_name =
        |word: &&&str| !["IF", "NOT", "EXISTS"].iter().any(|it| it.eq_ignore_ascii_case(word));
    let name = rest.find(is_name)?.split('(').next()?;
    Some(name.rsplit('.').next().unwrap_or(name).trim_matches('"').to_owned())
}
