//! `[answers.OUTCOME]` in the header of a service: status, media type, headers and body, whose strings may have
//! names in braces.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use duet_service::definition::{
    Answers, BodyTemplate, COUNT, DeclaredAnswer, JsonTemplate, OF_ERRORS, OUTCOMES, RESULT,
    ServiceParameter, ServiceResult, Template, TemplatePiece,
};
use duet_text::name;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::SourceText;
use super::reader::{At, Table};

/// Headers that follow from the answer or the connection.
const OWN_HEADERS: [&str; 10] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "etag",
    "keep-alive",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What the header of a service says of its answers.
pub(super) struct DeclaredAnswers {
    pub(super) answers: Answers,
    /// Where the answer of success is.
    pub(super) ok: Option<Range<usize>>,
    /// Where the status of success is.
    pub(super) status: Option<Range<usize>>,
}

/// What the answers of a service are read with.
struct Reader<'a> {
    source: &'a SourceText,
    parameters: Vec<&'a str>,
    /// Whether the columns of a row are names too; then they are checked by the database.
    has_row: bool,
}

/// Reads all of them.
pub(super) fn read<Q>(
    root: &mut Table<'_>,
    source: &SourceText,
    parameters: &[(ServiceParameter, Q)],
    result: ServiceResult,
) -> DeclaredAnswers {
    let reader = Reader {
        source,
        parameters: parameters.iter().map(|(own, _)| own.name.as_str()).collect(),
        has_row: result == ServiceResult::Row,
    };
    let all = parameters.iter().map(|(own, _)| own);
    let with_items = all.flat_map(|own| std::iter::once(own).chain(own.items.iter().flatten()));
    let own: Vec<&str> = with_items.filter_map(|own| own.answer.as_deref()).collect();
    let mut given = DeclaredAnswers { answers: Answers::default(), ok: None, status: None };
    let mut list = BTreeMap::new();
    let tables = root.table("answers").map(Table::named_tables).unwrap_or_default();
    for (At { value: outcome, span }, table) in tables {
        let names = OUTCOMES.iter().map(|(name, _)| *name).chain(own.iter().copied());
        if !names.clone().any(|known| known == outcome) {
            let hint = match name::nearest(&outcome, names) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => {
                    let known: Vec<&str> = OUTCOMES.iter().map(|(name, _)| *name).collect();
                    format!("It is one of {}, or the `answer` of a parameter.", known.join(", "))
                }
            };
            root.wrong(span.clone(), format!("There is no outcome {outcome:?}."), Some(hint));
        }
        let is_ok = outcome == "ok";
        let (answer, status) = reader.answer(table, is_ok);
        if is_ok {
            given.ok = Some(span);
            given.status = status;
        }
        list.insert(outcome, answer);
    }
    for missing in own.iter().filter(|name| !list.contains_key(**name)) {
        let message = format!("A parameter has the answer {missing:?}, which is not declared.");
        root.wrong(0..1, message, Some(format!("Add [answers.{missing}].")));
    }
    given.answers = Answers(list);
    given
}

impl Reader<'_> {
    /// An answer, and the place of its status.
    fn answer(&self, mut table: Table<'_>, is_ok: bool) -> (DeclaredAnswer, Option<Range<usize>>) {
        let status = table.number("status");
        let place = status.as_ref().map(|status| status.span.clone());
        let status = status.and_then(|status| checked_status(&table, status));
        let media = table.text("type").and_then(|media| checked_media(&table, media));
        let headers = table.table("headers").map(|headers| self.headers(headers, is_ok));
        let body = table.value("body").and_then(|body| {
            if matches!(status, Some(204 | 205)) {
                let message = format!("An answer of status {} has no body.", status.unwrap_or(0));
                table.wrong(body.span(), message, None);
            }
            self.body(&table, media.as_deref(), body, is_ok)
        });
        if body.is_none() && media.is_some() {
            table.wrong(table.span(), "A `type` needs a `body`.", None);
        }
        table.finish(|_| None);
        let headers = headers.unwrap_or_default();
        (DeclaredAnswer { status, media, headers, body }, place)
    }

    fn headers(&self, table: Table<'_>, is_ok: bool) -> Vec<(String, Template)> {
        let problems = table.problems();
        let mut found = Vec::new();
        for (name, value) in table.named_texts() {
            let lower = name.value.to_ascii_lowercase();
            let fits =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if lower.is_empty() || !lower.bytes().all(fits) {
                problems.add(name.span, format!("{:?} is no name of a header.", name.value), None);
                continue;
            }
            if OWN_HEADERS.contains(&lower.as_str()) {
                let hint = (lower == "content-type").then(|| "Use `type`.".to_owned());
                let message = format!("The header {} follows from the answer.", name.value);
                problems.add(name.span, message, hint);
                continue;
            }
            if value.value.contains(char::is_control) {
                problems.add(value.span, "A header has no control characters.", None);
                continue;
            }
            let add = |span, message: String, hint| problems.add(span, message, hint);
            found.extend(self.template(&value, is_ok, &add).map(|template| (lower, template)));
        }
        found
    }

    fn body(
        &self,
        table: &Table<'_>,
        media: Option<&str>,
        value: &Spanned<DeValue<'_>>,
        is_ok: bool,
    ) -> Option<BodyTemplate> {
        let is_json = media.is_none_or(is_json);
        match value.get_ref() {
            DeValue::String(text) if !is_json => {
                let text = At { value: table.expanded(text, value.span()), span: value.span() };
                let add = |span, message: String, hint| table.wrong(span, message, hint);
                self.template(&text, is_ok, &add).map(BodyTemplate::Text)
            }
            _ if !is_json => {
                let message = format!("A body of type {} is a text.", media.unwrap_or_default());
                table.wrong(value.span(), message, None);
                None
            }
            _ => self.json(table, value, is_ok).map(BodyTemplate::Json),
        }
    }

    fn json(
        &self,
        table: &Table<'_>,
        value: &Spanned<DeValue<'_>>,
        is_ok: bool,
    ) -> Option<JsonTemplate> {
        let literal = |text: String| Some(JsonTemplate::Literal(text));
        match value.get_ref() {
            DeValue::String(text) => {
                let text = At { value: table.expanded(text, value.span()), span: value.span() };
                let add = |span, message: String, hint| table.wrong(span, message, hint);
                self.template(&text, is_ok, &add).map(JsonTemplate::Text)
            }
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => literal(number.to_string()),
                    Err(_) => self.no_json(table, value, "This number"),
                }
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => literal(format!("{number:?}")),
                _ => self.no_json(table, value, "This number"),
            },
            DeValue::Boolean(switch) => literal(switch.to_string()),
            DeValue::Array(items) => {
                let items = items.iter().filter_map(|item| self.json(table, item, is_ok));
                Some(JsonTemplate::List(items.collect()))
            }
            DeValue::Table(members) => {
                let members = in_order(members).into_iter().filter_map(|(name, value)| {
                    Some((name.to_string(), self.json(table, value, is_ok)?))
                });
                Some(JsonTemplate::Object(members.collect()))
            }
            DeValue::Datetime(_) => self.no_json(table, value, "A date without quotes"),
        }
    }

    fn no_json(
        &self,
        table: &Table<'_>,
        value: &Spanned<DeValue<'_>>,
        what: &str,
    ) -> Option<JsonTemplate> {
        table.wrong(value.span(), format!("{what} is no JSON."), None);
        None
    }

    /// A text with names, each of which must have a value.
    fn template(
        &self,
        text: &At<String>,
        is_ok: bool,
        wrong: &dyn Fn(Range<usize>, String, Option<String>),
    ) -> Option<Template> {
        let mut template = match Template::read(&text.value) {
            Ok(template) => template,
            Err(message) => {
                let hint = "Write `{name}` for a value, and `{{` and `}}` for braces.";
                wrong(text.span.clone(), message, Some(hint.into()));
                return None;
            }
        };
        for piece in &mut template.0 {
            let TemplatePiece::Name { name, at } = piece else { continue };
            *at = self.place(&text.span, name);
            let known = self.parameters.contains(&name.as_str());
            let of_outcome: &[&str] = if is_ok { &[COUNT, RESULT] } else { &OF_ERRORS };
            if known || of_outcome.contains(&name.as_str()) || is_ok && self.has_row {
                continue;
            }
            let all = self.parameters.iter().chain(of_outcome).copied();
            let hint = match name::nearest(name, all.clone()) {
                Some(near) => format!("Did you mean {{{near}}}?"),
                None => format!("It can have {}.", all.collect::<Vec<_>>().join(", ")),
            };
            let message = format!("The answer has {{{name}}}, which has no value there.");
            wrong(*at..*at + name.len() + 2, message, Some(hint));
        }
        Some(template)
    }

    /// The place of a name in braces.
    fn place(&self, span: &Range<usize>, name: &str) -> usize {
        let text = self.source.text.get(span.clone()).unwrap_or_default();
        span.start + text.find(&format!("{{{name}}}")).unwrap_or(0)
    }
}

fn checked_status(table: &Table<'_>, At { value, span }: At<u64>) -> Option<u16> {
    let fits = |status: &u16| (200..600).contains(status) && *status != 304;
    let status = u16::try_from(value).ok().filter(fits);
    if status.is_none() {
        table.wrong(span, "`status` is from 200 to 599, and not 304.", None);
    }
    status
}

fn checked_media(table: &Table<'_>, At { value, span }: At<String>) -> Option<String> {
    let essence = value.split(';').next().unwrap_or("").trim();
    let parts = essence.split_once('/');
    let fits = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !part.is_empty() && part.bytes().all(fits)
    };
    let is_media = parts.is_some_and(|(family, kind)| fits(family) && fits(kind))
        && value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if is_media {
        return Some(value);
    }
    let hint = "Write one such as `text/plain; charset=utf-8`.";
    table.wrong(span, format!("{value:?} is no media type."), Some(hint.into()));
    None
}

fn is_json(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or(media).trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// A member of a table.
type Entry<'t> = (&'t Cow<'t, str>, &'t Spanned<DeValue<'t>>);

/// The members of a table in the order of the file.
fn in_order<'t>(table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries.into_iter().map(|(key, value)| (key.get_ref(), value)).collect()
}
