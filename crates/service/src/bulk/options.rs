//! The parameters of a bulk load.

use duet_document::bulk::{CsvForm, Layout, LineEnd, Mask, Masks, RowFormat};
use duet_model::{Code, Error, Place, ProfileRef, Result};
use duet_store::bulk::Clear;

use crate::parameters::load::{FURTHER_NAMES, NAMES, NAMES_OF_CSV};
use crate::queries::query::{Mistakes, Parameters, UnknownParameters};

/// How the rows of a body are written, by its media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// `text/csv`.
    Csv,
    /// `application/json`: an array of objects.
    JsonArray,
    /// `application/x-ndjson`: an object to a line.
    JsonLines,
}

/// The form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// Lines of text, as ORDS has them.
    Text,
    /// The same as comments of SQL.
    Sql,
    /// A JSON object.
    Json,
}

/// What a load is to do.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// How the rows are written.
    pub form: RowFormat,
    /// Rows of a batch, where the parameters say.
    pub batch_rows: Option<usize>,
    /// Bytes of one row.
    pub row_bytes: usize,
    /// How many batches are one transaction; 0 for all.
    pub batches_per_commit: u64,
    /// How many rows may be refused; `None` for any number.
    pub errors: Option<u64>,
    /// What happens to existing rows.
    pub clear: Clear,
    /// Whether rows replace those of the same key.
    pub upsert: bool,
    /// The form of the report, where the parameters say.
    pub report: Option<ReportForm>,
    /// Whether everything is undone at the end, which needs one transaction. Parameters do not say so.
    pub dry_run: bool,
    /// Whether the caller may read the resource. Parameters do not say so: it is off until set.
    pub may_read: bool,
}

/// Rows of a batch at most.
const MOST_BATCH_ROWS: usize = 100_000;
/// Batches of a transaction where the request does not say.
const BATCHES_PER_COMMIT: u64 = 10;
/// Refused rows that do not stop a load where the request does not say.
const ERRORS: u64 = 50;

impl LoadOptions {
    /// Reads the query string of a load. `row_bytes`: how large one row may be; what else is taken is decided by
    /// the profile ([`LoadRules`](duet_model::profiles::LoadRules)).
    ///
    /// # Errors
    /// [`Code::BadParameter`] for a parameter that is given twice, malformed or not for this form, and for an unknown
    /// one where the profile does not pass over it.
    pub fn parse(
        query: Option<&str>,
        form: BodyForm,
        row_bytes: usize,
        profile: ProfileRef,
    ) -> Result<Self> {
        let rules = profile.loads();
        let further = FURTHER_NAMES.into_iter().filter(|_| rules.further_parameters);
        let known: Vec<&str> = NAMES.into_iter().chain(NAMES_OF_CSV).chain(further).collect();
        let mut mistakes = Mistakes::default();
        let unknown = UnknownParameters::of(profile);
        let parameters = Parameters::noting(query, &known, unknown, &mut mistakes);
        note_other_languages(&parameters, &mut mistakes);
        let report = parameters.text("responseFormat").ok().flatten();
        let is_sql = report.is_some_and(|text| text.eq_ignore_ascii_case("sql"));
        let is_sql = rules.sql_report && is_sql;
        let mut options = match is_sql {
            true => Self::of(&parameters.without("responseFormat"), form, row_bytes, &mut mistakes),
            false => Self::of(&parameters, form, row_bytes, &mut mistakes),
        };
        if is_sql {
            options.report = Some(ReportForm::Sql);
        }
        if rules.text_report {
            options.report.get_or_insert(ReportForm::Text);
        }
        if let Some(most) = mistakes.value(parameters.number("errorsMax")) {
            options.errors = Some(options.errors.map_or(most, |errors| errors.min(most)));
        }
        if let RowFormat::Csv(_, masks) = &mut options.form
            && rules.completes_masks
        {
            masks.complete();
        }
        mistakes.or(options)
    }

    fn of(
        parameters: &Parameters<'_>,
        form: BodyForm,
        row_bytes: usize,
        mistakes: &mut Mistakes,
    ) -> Self {
        if form != BodyForm::Csv {
            let given = NAMES_OF_CSV.into_iter().filter(|name| parameters.raw(name).is_some());
            given.for_each(|name| mistakes.add(bad(name, "is for CSV only.")));
        }
        let batches_per_commit = mistakes.value(parameters.number("batchesPerCommit"));
        let line_max = mistakes.value(parameters.number("lineMax")).filter(|bytes| *bytes > 0);
        let record_bytes = line_max
            .map_or(row_bytes, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX).min(row_bytes));
        Self {
            form: match form {
                BodyForm::Csv => {
                    RowFormat::Csv(csv_form(parameters, mistakes), masks(parameters, mistakes))
                }
                BodyForm::JsonArray => RowFormat::Json(Layout::Array),
                BodyForm::JsonLines => RowFormat::Json(Layout::Lines),
            },
            batch_rows: mistakes.value(batch_rows(parameters)),
            row_bytes: record_bytes,
            batches_per_commit: batches_per_commit.unwrap_or(BATCHES_PER_COMMIT),
            errors: mistakes.value(errors(parameters, batches_per_commit == Some(0))),
            clear: match mistakes.value(parameters.text("truncate")).as_deref() {
                None | Some("false") => Clear::No,
                Some("true") => Clear::Delete,
                Some("truncate") => Clear::Truncate,
                Some(_) => {
                    mistakes.add(bad("truncate", "is one of false, true, truncate."));
                    Clear::No
                }
            },
            upsert: match mistakes.value(parameters.text("upsert")).as_deref() {
                None | Some("false") => false,
                Some("" | "true") => true,
                Some(_) => {
                    mistakes.add(bad("upsert", "is true or false."));
                    false
                }
            },
            report: mistakes.value(report(parameters)),
            dry_run: false,
            may_read: false,
        }
    }
}

fn report(parameters: &Parameters<'_>) -> Result<Option<ReportForm>> {
    match parameters.text("responseFormat")?.map(|text| text.to_lowercase()) {
        None => Ok(None),
        Some(text) if text == "raw" || text == "text" => Ok(Some(ReportForm::Text)),
        Some(text) if text == "json" => Ok(Some(ReportForm::Json)),
        Some(_) => Err(bad("responseFormat", "is RAW or JSON.")),
    }
}

/// Notes what the parameters for other languages cannot do here.
fn note_other_languages(parameters: &Parameters<'_>, mistakes: &mut Mistakes) {
    if let Some(locale) = mistakes.value(parameters.text("locale"))
        && !locale.to_ascii_lowercase().starts_with("en")
    {
        let what = "is English, such as en_US: names of months are English here.";
        mistakes.add(bad("locale", what));
    }
    if let Some(encoding) = mistakes.value(parameters.text("responseEncoding"))
        && !["utf-8", "utf8"].contains(&encoding.to_ascii_lowercase().as_str())
    {
        mistakes.add(bad("responseEncoding", "is UTF-8."));
    }
}

fn bad(name: &str, what: &str) -> Error {
    Error::new(Code::BadParameter, format!("`{name}` {what}")).at(Place::Parameter(name.to_owned()))
}

fn batch_rows(parameters: &Parameters<'_>) -> Result<Option<usize>> {
    let Some(rows) = parameters.number("batchRows")? else { return Ok(None) };
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    if (1..=MOST_BATCH_ROWS).contains(&rows) {
        return Ok(Some(rows));
    }
    Err(bad("batchRows", &format!("is a number from 1 to {MOST_BATCH_ROWS}.")))
}

/// A load in one transaction is strict by default.
fn errors(parameters: &Parameters<'_>, whole: bool) -> Result<Option<u64>> {
    let Some(text) = parameters.text("errors")? else {
        return Ok(Some(if whole { 0 } else { ERRORS }));
    };
    if text == "-1" || text.eq_ignore_ascii_case("unlimited") {
        return Ok(None);
    }
    parameters.number("errors").map_err(|_| {
        bad("errors", "is how many rows may be refused: a whole number, or UNLIMITED.")
    })
}

fn csv_form(parameters: &Parameters<'_>, mistakes: &mut Mistakes) -> CsvForm {
    let mut form = CsvForm::default();
    form.delimiter = mistakes.value(delimiter(parameters)).unwrap_or(form.delimiter);
    form.quote = match mistakes.value(parameters.text("enclosures")).as_deref() {
        None => form.quote,
        Some("" | "none") => None,
        Some(text) => enclosure(text).or_else(|| {
            mistakes.add(bad("enclosures", "is one ASCII character, percent-encoded, or none."));
            None
        }),
    };
    if form.quote == Some(form.delimiter) {
        mistakes.add(bad("enclosures", "must differ from the delimiter."));
    }
    form.line_end = match mistakes.value(parameters.text("lineEnd")).as_deref() {
        None | Some("auto" | "crlf" | "\r\n") => LineEnd::Any,
        Some("lf" | "\n") => LineEnd::Feed,
        Some("cr" | "\r") => LineEnd::Return,
        Some(_) => {
            mistakes.add(bad("lineEnd", "is one of auto, lf, cr, crlf."));
            LineEnd::Any
        }
    };
    form
}

fn delimiter(parameters: &Parameters<'_>) -> Result<Option<u8>> {
    // In the query of a form a plus is a blank; as a delimiter it is a plus.
    if parameters.raw("delimiter") == Some("+") {
        return Ok(Some(b'+'));
    }
    let Some(text) = parameters.text("delimiter")? else { return Ok(None) };
    match text.as_str() {
        "tab" | "\\t" => Ok(Some(b'\t')),
        text => character(text)
            .map(Some)
            .ok_or_else(|| bad("delimiter", "is one ASCII character, percent-encoded, or tab.")),
    }
}

/// The one character, if it can separate or enclose.
fn character(text: &str) -> Option<u8> {
    let [byte] = *text.as_bytes() else { return None };
    (byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0)).then_some(byte)
}

/// ORDS takes the left and the right enclosure; here they are the same.
fn enclosure(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [left, right] if left == right => character(&text[..1]),
        _ => character(text),
    }
}

fn masks(parameters: &Parameters<'_>, mistakes: &mut Mistakes) -> Masks {
    let mut mask = |name: &str| {
        let text = mistakes.value(parameters.text(name))?;
        let mask = Mask::parse(&text)
            .map(Some)
            .map_err(|why| bad(name, &format!("is a mask such as DD-MM-YYYY HH24:MI:SS; {why}.")));
        mistakes.value(mask)
    };
    Masks {
        date: mask("dateFormat"),
        timestamp: mask("timestampFormat"),
        timestamp_tz: mask("timestampTZFormat"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(query: &str) -> Result<LoadOptions> {
        LoadOptions::parse(Some(query), BodyForm::Csv, 1_000, ProfileRef::native())
    }

    #[test]
    fn defaults() {
        let options = csv("").unwrap();
        assert_eq!((options.batch_rows, options.row_bytes), (None, 1_000));
        assert_eq!((options.batches_per_commit, options.errors), (10, Some(50)));
        assert_eq!((options.clear, options.upsert, options.report), (Clear::No, false, None));
        assert_eq!(csv("batchesPerCommit=0").unwrap().errors, Some(0));
        assert_eq!(csv("batchesPerCommit=0&errors=7").unwrap().errors, Some(7));
        assert_eq!(csv("errors=UNLIMITED").unwrap().errors, None);
        assert_eq!(csv("lineMax=10").unwrap().row_bytes, 10);
        assert_eq!(csv("lineMax=9999").unwrap().row_bytes, 1_000);
    }

    #[test]
    fn forms_of_csv() {
        let form = |query: &str| match csv(query).unwrap().form {
            RowFormat::Csv(form, _) => form,
            RowFormat::Json(_) => panic!("no CSV"),
        };
        let chosen = form("delimiter=%3B&enclosures='&lineEnd=lf");
        let expected = CsvForm { delimiter: b';', quote: Some(b'\''), line_end: LineEnd::Feed };
        assert_eq!(chosen, expected);
        assert_eq!(form("delimiter=tab").delimiter, b'\t');
        assert_eq!(form("delimiter=+").delimiter, b'+');
        assert_eq!(form("enclosures=none").quote, None);
        assert_eq!(form("enclosures=%22%22").quote, Some(b'"'));
    }

    #[test]
    fn wrong_options_are_named() {
        for (query, name) in [
            ("batchRow=5", "batchRow"),
            ("batchRows=0", "batchRows"),
            ("batchRows=1000000", "batchRows"),
            ("errors=few", "errors"),
            ("truncate=yes", "truncate"),
            ("delimiter=ab", "delimiter"),
            ("delimiter=%C3%A9", "delimiter"),
            ("enclosures=,", "enclosures"),
            ("lineEnd=x", "lineEnd"),
            ("dateFormat=QQ", "dateFormat"),
            ("responseFormat=SQL", "responseFormat"),
            ("upsert=maybe", "upsert"),
            ("errors=1&errors=2", "errors"),
        ] {
            let error = csv(query).unwrap_err();
            assert_eq!(error.code, Code::BadParameter, "{query}");
            assert_eq!(error.place, Some(Place::Parameter(name.to_owned())), "{query}");
        }
        let error =
            LoadOptions::parse(Some("delimiter=,"), BodyForm::JsonLines, 9, ProfileRef::native())
                .unwrap_err();
        assert_eq!(error.message, "`delimiter` is for CSV only.");
    }

    #[test]
    fn all_wrong_options_are_named_together() {
        let names = |result: Result<LoadOptions>| -> Vec<String> {
            let error = result.unwrap_err();
            let place = |one: &Error| match &one.place {
                Some(Place::Parameter(name)) => name.clone(),
                other => panic!("{other:?}"),
            };
            error.mistakes().map(place).collect()
        };
        let query = "batchRow=5&upsert=maybe&batchRows=0&errors=few&delimiter=ab&enclosures=cd&lineEnd=x\
            &dateFormat=QQ&timestampFormat=ZZ&truncate=yes&responseFormat=x&lineMax=y&errors=2";
        let expected = "batchRow errors lineMax delimiter enclosures lineEnd dateFormat timestampFormat batchRows \
            errors truncate upsert responseFormat";
        assert_eq!(names(csv(query)).join(" "), expected);
        let profile = ProfileRef::named("ords").unwrap();
        let query =
            Some("locale=de&responseEncoding=latin1&errorsMax=few&upsert=maybe&enclosures=x");
        let ords = LoadOptions::parse(query, BodyForm::JsonLines, 1_000, profile);
        assert_eq!(names(ords).join(" "), "locale responseEncoding enclosures upsert errorsMax");
    }

    #[test]
    fn parameters_of_ords() {
        let profile = ProfileRef::named("ords").unwrap();
        let ords = |query: &str| LoadOptions::parse(Some(query), BodyForm::Csv, 1_000, profile);
        let errors = |query: &str| ords(query).unwrap().errors;
        assert_eq!(errors("errors=UNLIMITED&errorsMax=7"), Some(7));
        assert_eq!(errors("errors=3&errorsMax=7&unknown=1"), Some(3));
        assert_eq!(errors("errors=-1"), None);
        let report = |query: &str| ords(query).unwrap().report;
        assert_eq!(report("responseEncoding=utf-8&locale=en_US"), Some(ReportForm::Text));
        assert_eq!(report("responseFormat=sql"), Some(ReportForm::Sql));
        assert_eq!(report("responseFormat=JSON"), Some(ReportForm::Json));
        for (query, name) in [
            ("locale=de_DE", "locale"),
            ("responseEncoding=latin1", "responseEncoding"),
            ("errorsMax=few", "errorsMax"),
            ("responseFormat=XML", "responseFormat"),
        ] {
            let error = ords(query).unwrap_err();
            assert_eq!(error.place, Some(Place::Parameter(name.to_owned())), "{query}");
        }
        let masks = |query: &str| match ords(query).unwrap().form {
            RowFormat::Csv(_, masks) => masks,
            RowFormat::Json(_) => panic!("no CSV"),
        };
        let mask = |text: &str| Some(Mask::parse(text).unwrap());
        let one = masks("dateFormat=DD-MM-YYYY");
        assert_eq!((one.timestamp, one.timestamp_tz), (one.date.clone(), one.date));
        let two = masks("dateFormat=DD-MM-YYYY&timestampFormat=YYYY-MM-DD");
        assert_eq!((two.timestamp, two.timestamp_tz), (mask("YYYY-MM-DD"), mask("YYYY-MM-DD")));
    }
}
