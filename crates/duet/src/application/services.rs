//! Files of services: a header in TOML, written as SQL comments, and statements behind it.

use std::collections::BTreeMap;
use std::ops::Range;

use duet_model::key::parse_text;
use duet_model::{Piece, QueryParameter, ServiceQuery, Type, Value};
use duet_service::declared_parameters::OF_ITEMS_BY_KEYS;
use duet_service::definition::{
    PathTemplate, SERVICE_METHODS, SERVICE_RESULTS, SERVICE_TYPES, ServiceFile, ServiceParameter,
    ServiceResult, ServiceRoutine, ValueLimits,
};
use duet_sql::TemplateMistake;
use toml::de::DeTable;

use super::answers;
use super::problem::{Problem, Problems, SourceText};
use super::reader::{At, Context, Table};
use super::resources::class;
use crate::settings::Environment;

/// Reads the file of a service.
///
/// # Errors
/// All mistakes in it.
pub(super) fn read(
    source: &SourceText,
    environment: Environment<'_>,
) -> Result<ServiceFile, Vec<Problem>> {
    let (header, end) = header(&source.text);
    let (parsed, errors) = DeTable::parse_recoverable(&header);
    if !errors.is_empty() {
        let problem = |error: &toml::de::Error| Problem {
            span: error.span().unwrap_or(0..0),
            message: format!("The header of the service is not TOML: {}.", error.message()),
            hint: Some(
                "Each line of it begins with `-- `, and a comment in it with `-- #`.".into(),
            ),
        };
        return Err(errors.iter().map(problem).collect());
    }
    let problems = Problems::new(source);
    let root = Table::root(Context { problems: &problems, environment }, parsed.get_ref());
    let file = service(root, source, end);
    let found = problems.into_list();
    if found.is_empty() { Ok(file) } else { Err(found) }
}

/// The lines of comments at the beginning, without their `--` but as long as before, so that places in both are
/// the same; and where the statements begin.
fn header(text: &str) -> (String, usize) {
    let mut header = String::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("--") {
            Some(rest) => header.push_str(&format!("  {rest}")),
            None if line.trim().is_empty() && header.is_empty() => header.push_str(line),
            None => break,
        }
    }
    let end = header.len();
    (header, end)
}

fn service(mut root: Table<'_>, source: &SourceText, end: usize) -> ServiceFile {
    let (name, store) = names(&source.name);
    let method = method(&mut root);
    let path = path(&mut root, &name);
    let result = result(&mut root);
    let status = status(&mut root);
    let parameters = root.table("parameters").map(parameters).unwrap_or_default();
    let columns = root.table("columns").map(columns).unwrap_or_default();
    let key = root.texts("key");
    let key_place = key.as_ref().map(|key| key.span.clone());
    let key: Vec<String> =
        key.map(|key| key.value.into_iter().map(|name| name.value).collect()).unwrap_or_default();
    let location = root.text("location").map(|text| text.value);
    let class = class(&mut root);
    let description = root.text("description").map(|text| text.value);
    if let (Some(span), false) = (key_place, parameters.is_empty() && method == "GET") {
        let message = "`key` is for services that read and have no parameters.";
        root.wrong(span, message, Some("Remove it, or the parameters.".into()));
    }
    check_path(&root, &path, &parameters);
    check_names(&root, &parameters, &method);
    let queries: Vec<QueryParameter> = parameters.iter().map(|(_, query)| query.clone()).collect();
    let ignores_unknown = ignores_unknown(&mut root);
    let only_reads = only_reads(&mut root, &method, result);
    let writes_by_get = writes_by_get(&mut root, &method, result);
    check_arrays(&root, &parameters, &method, &path);
    let given = answers::read(&mut root, source, &parameters, result);
    if let (Some(at), true) = (&given.status, status.is_some()) {
        root.wrong(at.clone(), "The status of success is given twice.", None);
    }
    let reads = only_reads || method == "GET" && !writes_by_get;
    let routine = routine(&mut root, &queries);
    let may_be_without = given.ok.is_some() || routine.is_some();
    let template = Template { text: &source.text, start: end, parameters: &queries };
    let statements = statements(&root, &template, may_be_without, reads);
    if let (Some(routine), false) = (&routine, statements.is_empty()) {
        let message =
            "A service with `routine` has no statements: the call of the routine is its statement.";
        let hint = "Remove `routine`, or the statements.";
        root.wrong(routine.span.clone(), message, Some(hint.into()));
    }
    if let (Some(at), true) = (given.ok, method == "GET" && result == ServiceResult::Rows)
        && (!statements.is_empty() || routine.is_some())
    {
        let hint = "Set `result` to \"row\", \"document\" or \"count\".";
        root.wrong(at, "A page has the answer that pages have.", Some(hint.into()));
    }
    root.finish(|_| None);
    ServiceFile {
        name,
        file: source.name.clone(),
        text: source.text.clone(),
        store,
        description,
        method,
        path,
        result,
        class,
        status,
        location,
        key,
        columns,
        parameters: parameters.into_iter().map(|(parameter, _)| parameter).collect(),
        statements,
        routine,
        answers: given.answers,
        ignores_unknown,
        only_reads,
        writes_by_get,
    }
}

/// The service's name and the store that the file is for, from the file's name: `list.sql`, `list.sqlite.sql`.
fn names(file: &str) -> (String, Option<String>) {
    let base = file.rsplit('/').next().unwrap_or(file);
    let base = base.strip_suffix(".sql").unwrap_or(base);
    match base.rsplit_once('.') {
        Some((name, store)) if duet_registry::stores().any(|(known, _)| known == store) => {
            (name.to_owned(), Some(store.to_owned()))
        }
        _ => (base.to_owned(), None),
    }
}

fn method(root: &mut Table<'_>) -> String {
    let Some(At { value, span }) = root.text("method") else { return "GET".to_owned() };
    if !SERVICE_METHODS.contains(&value.as_str()) {
        let message = format!("`method` cannot be {value:?}.");
        root.wrong(span, message, Some(format!("Use one of {}.", SERVICE_METHODS.join(", "))));
    }
    value
}

fn path(root: &mut Table<'_>, name: &str) -> PathTemplate {
    let (text, span) = match root.text("path") {
        Some(At { value, span }) => (value, span),
        None => (format!("/{name}"), 0..1),
    };
    PathTemplate::read(&text).unwrap_or_else(|why| {
        root.wrong(span, why, None);
        PathTemplate::default()
    })
}

fn result(root: &mut Table<'_>) -> ServiceResult {
    let Some(At { value, span }) = root.text("result") else { return ServiceResult::Rows };
    let found = SERVICE_RESULTS.iter().find(|(word, _)| *word == value);
    found.map_or_else(
        || {
            let words: Vec<&str> = SERVICE_RESULTS.iter().map(|(word, _)| *word).collect();
            let message = format!("`result` cannot be {value:?}.");
            root.wrong(span, message, Some(format!("Use one of {}.", words.join(", "))));
            ServiceResult::Rows
        },
        |(_, result)| *result,
    )
}

/// The stored function or procedure that `routine` names.
fn routine(root: &mut Table<'_>, parameters: &[QueryParameter]) -> Option<ServiceRoutine> {
    let At { value, span } = root.text("routine")?;
    let is_name = |name: &str| !name.trim().is_empty() && !name.contains(['(', ')', ';']);
    let (name, types) = value.split_once('(').unwrap_or((&value, ")"));
    let is_closed =
        types.trim_end().strip_suffix(')').is_some_and(|list| !list.contains(['(', ')']));
    if !is_name(name) || !is_closed {
        let hint = "Write `schema.name`, or `schema.name(type, type)` where several have the name.";
        let message = format!("`routine` cannot be {value:?}.");
        root.wrong(span.clone(), message, Some(hint.into()));
    }
    Some(ServiceRoutine { name: value, span, parameters: parameters.to_vec() })
}

fn status(root: &mut Table<'_>) -> Option<u16> {
    let At { value, span } = root.number("status")?;
    let status = u16::try_from(value).ok().filter(|status| (200..300).contains(status));
    if status.is_none() {
        root.wrong(span, "`status` is a status of success, from 200 to 299.", None);
    }
    status
}

fn parameters(table: Table<'_>) -> Vec<(ServiceParameter, QueryParameter)> {
    table.named_tables().into_iter().map(|(name, table)| parameter(name, table)).collect()
}

fn parameter(name: At<String>, mut table: Table<'_>) -> (ServiceParameter, QueryParameter) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if name.value.is_empty()
        || !name.value.chars().all(is_part)
        || name.value.starts_with(|c: char| c.is_ascii_digit())
    {
        let message = format!("A parameter cannot be called {:?}.", name.value);
        table.wrong(name.span.clone(), message, Some("Use letters, digits and `_`.".into()));
    }
    let given = table.required_text("type");
    let (ty, declared) = given.map_or((Type::Text, "text"), |given| named_type(&table, given));
    let optional = table.switch("optional").is_some_and(|switch| switch.value);
    let (items, lengths) = items(&mut table, &ty);
    let limits = limits(&mut table, &ty, lengths);
    let answer = table.text("answer").map(|name| name.value);
    let default = default(&mut table, &name.value, &ty, &limits);
    let parameter = ServiceParameter {
        name: name.value.clone(),
        ty: ty.clone(),
        optional: optional || default.is_some(),
        default,
        limits,
        answer,
        items,
    };
    table.finish(|_| None);
    (parameter, QueryParameter { name: name.value, ty, declared: declared.to_owned() })
}

fn named_type(table: &Table<'_>, At { value, span }: At<String>) -> (Type, &'static str) {
    match SERVICE_TYPES.iter().find(|(name, ..)| *name == value) {
        Some((_, ty, declared)) => (ty.clone(), *declared),
        None => {
            let names: Vec<&str> = SERVICE_TYPES.iter().map(|(name, ..)| *name).collect();
            let message = format!("There is no type {value:?}.");
            table.wrong(span, message, Some(format!("Use one of {}.", names.join(", "))));
            (Type::Text, "text")
        }
    }
}

fn limits(table: &mut Table<'_>, ty: &Type, items: [Option<u64>; 2]) -> ValueLimits {
    let lengths = [table.number("min_length"), table.number("max_length")];
    let bounds = [bound(table, "minimum"), bound(table, "maximum")];
    let values = table.texts("enum");
    for length in lengths.iter().flatten().filter(|_| *ty != Type::Text) {
        table.wrong(length.span.clone(), "Only a text has a length.", None);
    }
    for bound in bounds.iter().flatten().filter(|_| !ty.is_number()) {
        table.wrong(bound.span.clone(), "Only a number has a minimum and a maximum.", None);
    }
    if let Some(list) = values.as_ref().filter(|list| list.value.is_empty()) {
        table.wrong(list.span.clone(), "`enum` has no value: nothing could be given.", None);
    }
    let span_of = |pair: &[Option<At<i64>>; 2]| match pair {
        [Some(least), Some(most)] if least.value > most.value => Some(least.span.clone()),
        _ => None,
    };
    if let Some(span) = span_of(&bounds) {
        table.wrong(span, "`minimum` is above `maximum`: nothing could be given.", None);
    }
    let [min_length, max_length] = lengths.map(|length| length.map(|length| length.value));
    if min_length.zip(max_length).is_some_and(|(least, most)| least > most) {
        let message = "`min_length` is above `max_length`: nothing could be given.";
        table.wrong(table.span(), message, None);
    }
    if items[0].zip(items[1]).is_some_and(|(least, most)| least > most) {
        let message = "`min_items` is above `max_items`: nothing could be given.";
        table.wrong(table.span(), message, None);
    }
    let [minimum, maximum] = bounds.map(|bound| bound.map(|bound| bound.value));
    let values = values.map(|list| list.value).unwrap_or_default();
    let values = values.into_iter().map(|value| value.value).collect();
    let ignore_case = table.switch("ignore_case").is_some_and(|switch| switch.value);
    let [min_items, max_items] = items;
    ValueLimits {
        min_length,
        max_length,
        minimum,
        maximum,
        values,
        ignore_case,
        min_items,
        max_items,
    }
}

/// What `[parameters.NAME.items]` says of the members of each item, and how many items there may be.
fn items(table: &mut Table<'_>, ty: &Type) -> (Option<Vec<ServiceParameter>>, [Option<u64>; 2]) {
    let lengths = [table.number("min_items"), table.number("max_items")];
    let items = table.table("items");
    let place = items.as_ref().map(Table::span);
    let members = items.map(|items| parameters(items).into_iter().map(|(one, _)| one).collect());
    let mistake = match members {
        Some(_) if *ty != Type::Json => Some("Only a parameter of type \"json\" has items."),
        None => Some("Only an array with `items` has a number of them."),
        Some(_) => None,
    };
    let places = place.into_iter().chain(lengths.iter().flatten().map(|at| at.span.clone()));
    if let (Some(message), Some(place)) = (mistake, { places }.next()) {
        table.wrong(place, message, None);
    }
    (members, lengths.map(|length| length.map(|length| length.value)))
}

/// Arrays with items come with a body.
fn check_arrays(
    root: &Table<'_>,
    parameters: &[(ServiceParameter, QueryParameter)],
    method: &str,
    path: &PathTemplate,
) {
    for (parameter, _) in parameters.iter().filter(|(own, _)| own.items.is_some()) {
        if method == "GET" || path.parameters().any(|name| name == parameter.name) {
            let message =
                format!("The parameter {:?} has items and comes without a body.", parameter.name);
            root.wrong(0..1, message, Some("Use the method POST, and another path.".into()));
        }
    }
}

/// No parameter of a page has the name of one that every page takes.
fn check_names(root: &Table<'_>, parameters: &[(ServiceParameter, QueryParameter)], method: &str) {
    let of_pages = |name: &str| OF_ITEMS_BY_KEYS.contains(&name);
    for (parameter, _) in parameters.iter().filter(|_| method == "GET") {
        if of_pages(&parameter.name) {
            let message = format!("A parameter cannot be called {:?}.", parameter.name);
            root.wrong(0..1, message, Some("Pages take a parameter of this name.".into()));
        }
    }
}

/// Each name in the path is a parameter.
fn check_path(
    root: &Table<'_>,
    path: &PathTemplate,
    parameters: &[(ServiceParameter, QueryParameter)],
) {
    for name in path.parameters() {
        if !parameters.iter().any(|(parameter, _)| parameter.name == name) {
            let hint = format!("Add `{name} = {{ type = \"text\" }}` below [parameters].");
            let message = format!("The path has {{{name}}}, which is no parameter.");
            root.wrong(0..1, message, Some(hint));
        }
    }
}

/// Whether `reads = true`: its statement reads only, though its parameters come with a body.
fn only_reads(root: &mut Table<'_>, method: &str, result: ServiceResult) -> bool {
    let Some(At { value, span }) = root.switch("reads") else { return false };
    if value && method != "POST" {
        root.wrong(span.clone(), "`reads` is for services with the method POST.", None);
    }
    if value && matches!(result, ServiceResult::Rows | ServiceResult::Nothing) {
        let hint = "Set `result` to \"row\", \"document\" or \"count\".";
        root.wrong(span, "A service with `reads` has one row.", Some(hint.into()));
    }
    value
}

/// Whether `writes = true`: its statements write though its method is GET.
fn writes_by_get(root: &mut Table<'_>, method: &str, result: ServiceResult) -> bool {
    let Some(At { value, span }) = root.switch("writes") else { return false };
    if value && method != "GET" {
        let hint = "Remove it: services with other methods write.";
        root.wrong(
            span.clone(),
            "`writes` is for services with the method GET.",
            Some(hint.into()),
        );
    }
    if value && result == ServiceResult::Rows {
        let hint = "Set `result` to \"row\", \"document\", \"count\" or \"nothing\".";
        root.wrong(span, "A service that writes by GET has one row.", Some(hint.into()));
    }
    value
}

/// Whether `unknown = "ignore"`.
fn ignores_unknown(root: &mut Table<'_>) -> bool {
    let Some(At { value, span }) = root.text("unknown") else { return false };
    if !["ignore", "refuse"].contains(&value.as_str()) {
        let hint = "Use `refuse` or `ignore`.";
        root.wrong(span, format!("`unknown` cannot be {value:?}."), Some(hint.into()));
    }
    value == "ignore"
}

/// A whole number, which may be negative.
fn bound(table: &mut Table<'_>, key: &'static str) -> Option<At<i64>> {
    let At { value, span } = table.setting(key)?;
    let number = value.first().and_then(|text| text.replace('_', "").parse().ok());
    if number.is_none() {
        table.wrong(span.clone(), format!("`{key}` must be a whole number."), None);
    }
    number.map(|value| At { value, span })
}

/// What a parameter is where a request leaves it out: a value that requests may give.
fn default(table: &mut Table<'_>, name: &str, ty: &Type, limits: &ValueLimits) -> Option<Value> {
    let At { value, span } = table.setting("default")?;
    let text = value.first()?;
    match parse_text(ty, text) {
        Ok(value) => {
            if let Err(outside) = limits.check(name, value.clone()) {
                table.wrong(span, format!("The default is refused: {}", outside.message), None);
            }
            Some(value)
        }
        Err(_) => {
            let message = format!("{text:?} is no value of type {}.", ty.name());
            table.wrong(span, message, None);
            None
        }
    }
}

fn columns(table: Table<'_>) -> BTreeMap<String, Type> {
    let problems = table.problems();
    let mut types = BTreeMap::new();
    for (name, At { value, span }) in table.named_texts() {
        match SERVICE_TYPES.iter().find(|(known, ..)| *known == value) {
            Some((_, ty, _)) => drop(types.insert(name.value, ty.clone())),
            None => problems.add(span, format!("There is no type {value:?}."), None),
        }
    }
    types
}

/// What the file of a service has behind its header.
struct Template<'t> {
    /// The whole file.
    text: &'t str,
    /// Where the header ends.
    start: usize,
    parameters: &'t [QueryParameter],
}

/// The statements, each parameter used at least once.
fn statements(
    root: &Table<'_>,
    template: &Template<'_>,
    may_be_fixed: bool,
    reads: bool,
) -> Vec<ServiceQuery> {
    let Template { text, start, parameters } = *template;
    let found = duet_sql::statements(&text[start..], start, parameters).unwrap_or_else(|mistake| {
        let TemplateMistake { span, message, hint } = mistake;
        root.wrong(span, message, hint);
        Vec::new()
    });
    let place: Range<usize> = start.min(text.len().saturating_sub(1))..text.len();
    if found.is_empty() && !may_be_fixed {
        let hint = "Add one, or [answers.ok] for an answer that is always the same.";
        root.wrong(place.clone(), "There is no statement behind the header.", Some(hint.into()));
    }
    if reads && found.len() > 1 {
        let message = "A service that reads has one statement.";
        root.wrong(place.clone(), message, Some("Use the method POST for several.".into()));
    }
    let is_used = |index: usize| {
        let used =
            |piece: &Piece| matches!(piece, Piece::Parameter { index: at, .. } if *at == index);
        found.iter().flatten().any(used)
    };
    for (index, parameter) in parameters.iter().enumerate().filter(|_| !found.is_empty()) {
        if !is_used(index) {
            let message = format!("No statement uses the parameter {:?}.", parameter.name);
            root.wrong(place.clone(), message, Some("Remove it from [parameters].".into()));
        }
    }
    let query = |pieces| ServiceQuery { pieces, parameters: parameters.to_vec() };
    found.into_iter().map(query).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    fn read_text(name: &str, text: &str) -> Result<ServiceFile, String> {
        let source = SourceText { name: name.into(), text: text.into() };
        read(&source, &|_| None).map_err(|problems| {
            let each =
                problems.iter().map(|problem| super::super::problem::render(problem, &source));
            each.collect::<Vec<_>>().join("\n")
        })
    }

    const REFUND: &str = r#"-- # Takes a sale back.
-- method = "POST"
-- path = "/transactions/{id}/refund"
-- result = "row"
-- status = 201
-- [parameters]
-- id = { type = "text", max_length = 100 }
-- amount = { type = "integer", minimum = 0, maximum = 1_000 }
-- note = { type = "text", optional = true }

-- The statement.
UPDATE sale SET amount = :amount, note = :note WHERE id = :id RETURNING *;
"#;

    #[test]
    fn a_header_and_its_statement() {
        let file = read_text("services/refund.sqlite.sql", REFUND).unwrap();
        assert_eq!((file.name.as_str(), file.store.as_deref()), ("refund", Some("sqlite")));
        assert_eq!((file.method.as_str(), file.status), ("POST", Some(201)));
        assert_eq!(file.path.to_string(), "/transactions/{id}/refund");
        assert_eq!(file.result, ServiceResult::Row);
        let amount = file.parameters.iter().find(|own| own.name == "amount").unwrap();
        assert_eq!((amount.limits.minimum, amount.limits.maximum), (Some(0), Some(1_000)));
        assert!(file.parameters.iter().any(|own| own.name == "note" && own.optional));
        assert_eq!(file.statements.len(), 1);
        assert!(file.statements[0].has_parameters());
    }

    #[test]
    fn a_file_without_a_header_lists_rows() {
        let file = read_text("all.sql", "SELECT 1 AS one").unwrap();
        assert_eq!((file.method.as_str(), file.path.only()), ("GET", Some("all")));
        assert_eq!((file.result, file.store), (ServiceResult::Rows, None));
    }

    #[test]
    fn mistakes_point_into_the_file() {
        for (text, expected) in [
            ("-- method = \"GOT\"\nSELECT 1", "a.sql:1:13"),
            ("-- method = \nSELECT 1", "a.sql:1:"),
            ("-- pth = \"/a\"\nSELECT 1", "a.sql:1:4"),
            ("-- path = \"a\"\nSELECT 1", "a.sql:1:11"),
            ("-- result = \"rowz\"\nSELECT 1", "a.sql:1:13"),
            ("-- [parameters]\n-- a = { type = \"txt\" }\nSELECT :a", "a.sql:2:17"),
            ("-- [parameters]\n-- a = { type = \"text\", minimum = 1 }\nSELECT :a", "a.sql:2:35"),
            ("SELECT :a", "a.sql:1:8"),
            (
                "-- [parameters]\n-- a = { type = \"text\" }\nSELECT 1",
                "No statement uses the parameter \"a\"",
            ),
            ("-- path = \"/x/{id}\"\nSELECT 1", "The path has {id}, which is no parameter"),
            ("-- method = \"POST\"\n", "There is no statement"),
            ("-- [answers.okay]\n-- body = 1\nSELECT 1", "a.sql:1:13"),
            ("-- [answers.ok]\n-- status = 99\n", "a.sql:2:13"),
            ("-- [answers.ok]\n-- body = \"a {b}\"\n", "a.sql:2:14"),
            ("-- [answers.ok]\n-- body = \"a {b\"\n", "a.sql:2:11"),
            ("-- [answers.ok]\n-- headers = { \"a b\" = \"1\" }\n-- body = 1\n", "a.sql:2:16"),
            ("-- [answers.ok]\n-- headers = { Date = \"1\" }\n-- body = 1\n", "a.sql:2:16"),
            ("-- [answers.ok]\n-- type = \"text\"\n-- body = \"x\"\n", "a.sql:2:11"),
            ("-- [answers.ok]\n-- type = \"text/plain\"\n-- body = [1]\n", "a.sql:3:11"),
            ("-- [answers.ok]\n-- body = 1\nSELECT 1", "A page has the answer"),
            ("-- [answers.failed]\n-- body = \"{error.cause}\"\nSELECT 1", "a.sql:2:12"),
            ("-- reads = true\nSELECT 1", "a.sql:1:12"),
            ("-- writes = true\nSELECT 1", "a.sql:1:13"),
            (
                "-- [parameters]\n-- a = { type = \"text\", answer = \"b\" }\nSELECT :a",
                "is not declared",
            ),
            (
                "-- [parameters.a]\n-- type = \"json\"\n-- [parameters.a.items]\nSELECT :a",
                "comes without a body",
            ),
            ("-- [parameters]\n-- a = { type = \"text\", min_items = 1 }\nSELECT :a", "a.sql:2:37"),
            (
                "-- [parameters]\n-- a = { type = \"integer\", minimum = 10, maximum = 5 }\nSELECT :a",
                "`minimum` is above `maximum`",
            ),
            (
                "-- [parameters]\n-- a = { type = \"text\", min_length = 3, max_length = 2 }\nSELECT :a",
                "`min_length` is above `max_length`",
            ),
            (
                "-- [parameters]\n-- a = { type = \"text\", enum = [] }\nSELECT :a",
                "`enum` has no value",
            ),
            (
                "-- [parameters]\n-- a = { type = \"integer\", minimum = 2, default = 1 }\nSELECT :a",
                "The default is refused: `a` must be at least 2.",
            ),
            ("-- unknown = \"keep\"\nSELECT 1", "a.sql:1:14"),
            ("SELECT 1; SELECT 2", "has one statement"),
            ("-- [parameters]\n-- q = { type = \"text\" }\nSELECT :q", "cannot be called \"q\""),
        ] {
            let message = read_text("a.sql", text).unwrap_err();
            assert!(message.contains(expected), "{text}\n{message}");
        }
    }

    #[test]
    fn each_type_has_a_name() {
        for (name, ty, _) in &SERVICE_TYPES {
            let text = format!("-- [parameters]\n-- a = {{ type = \"{name}\" }}\nSELECT :a");
            assert_eq!(read_text("a.sql", &text).unwrap().parameters[0].ty, *ty);
        }
    }

    /// The services of the golden cases and of the applications.
    fn corpus() -> Vec<String> {
        let root = duet_testkit::golden::workspace();
        let golden =
            ["answers", "sales", "stored"].map(|case| format!("golden/services/{case}/services"));
        let applications = ["apps/orders/services", "apps/transactions/compat"].map(str::to_owned);
        let folders = golden.into_iter().chain(applications);
        let mut files: Vec<_> = folders
            .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
    }

    /// How a file is spoiled at a place.
    #[derive(Clone, Debug)]
    enum Spoiled {
        Cut(f64, f64),
        Repeated(f64, f64),
        Inserted(f64, String),
        From(usize, f64, f64),
    }

    fn spoiled() -> impl Strategy<Value = Spoiled> {
        let word = prop::sample::select(vec![
            "-- ",
            "\n",
            "\r\n",
            "\"",
            "'",
            "[",
            "]]",
            "{",
            "}",
            "{{",
            " = ",
            ":",
            "::",
            ":é",
            "$$",
            ";",
            "/*",
            "é",
            "\u{0}",
            "\u{feff}",
            "[parameters]\n",
            "-- key = [\"a\"]\n",
            "9e999",
            "-9223372036854775809",
            "0..0",
            "type = \"json\"",
            "items = {}",
            "answers",
            "pattern = \"(\"",
            "max_length = -1",
            "reads = true",
        ]);
        let (at, length) = (|| 0.0..1.0_f64, || 0.0..0.2_f64);
        prop_oneof![
            (at(), length()).prop_map(|(at, length)| Spoiled::Cut(at, length)),
            (at(), length()).prop_map(|(at, length)| Spoiled::Repeated(at, length)),
            (at(), word).prop_map(|(at, word)| Spoiled::Inserted(at, word.to_owned())),
            (at(), any::<String>()).prop_map(|(at, text)| Spoiled::Inserted(at, text)),
            (any::<usize>(), at(), length())
                .prop_map(|(file, at, length)| Spoiled::From(file, at, length)),
        ]
    }

    /// The range of a text that begins at a part of it and is as long as a part of it.
    fn part(text: &str, at: f64, length: f64) -> Range<usize> {
        let place = |part: f64| {
            let wanted = (text.len() as f64 * part.min(1.0)) as usize;
            text.floor_char_boundary(wanted)
        };
        place(at)..place(at + length)
    }

    fn spoil(text: &mut String, how: &Spoiled, corpus: &[String]) {
        match how {
            Spoiled::Cut(at, length) => text.replace_range(part(text, *at, *length), ""),
            Spoiled::Repeated(at, length) => {
                let range = part(text, *at, *length);
                let again = text[range.clone()].to_owned();
                text.insert_str(range.end, &again);
            }
            Spoiled::Inserted(at, word) => text.insert_str(part(text, *at, 0.0).start, word),
            Spoiled::From(file, at, length) => {
                let other = &corpus[file % corpus.len()];
                let piece = &other[part(other, *at, *length)];
                text.insert_str(part(text, *at, 0.0).start, piece);
            }
        }
    }

    /// Reads a file that may be anything, and answers whether it is a service: each mistake points into it, and
    /// each statement is a part of it.
    fn check_any(text: String) -> Result<bool, TestCaseError> {
        let source = SourceText { name: "a.sql".into(), text };
        match read(&source, &|_| None) {
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for problem in &problems {
                    prop_assert!(source.text.get(problem.span.clone()).is_some(), "{problem:?}");
                    prop_assert!(!super::super::problem::render(problem, &source).is_empty());
                }
                Ok(false)
            }
            Ok(file) => {
                let pieces = file.statements.iter().flat_map(|query| &query.pieces);
                for piece in pieces {
                    let at = match piece {
                        Piece::Text { text, at } => {
                            source.text.get(*at..at + text.len()) == Some(text)
                        }
                        Piece::Parameter { at, .. } => source.text[*at..].starts_with(':'),
                    };
                    prop_assert!(at, "{piece:?}");
                }
                Ok(true)
            }
        }
    }

    /// `just fuzz-services` runs a million cases.
    #[test]
    fn any_file_is_read_or_refused() {
        let corpus = corpus();
        assert!(corpus.len() > 30);
        let cases = std::env::var("DUET_FUZZ_CASES").ok().and_then(|text| text.parse().ok());
        let config = Config {
            cases: cases.unwrap_or(2_000),
            failure_persistence: None,
            ..Config::default()
        };
        let strategy = (0..corpus.len(), prop::collection::vec(spoiled(), 1..6));
        let (read, refused) = (Cell::new(0), Cell::new(0));
        let checked = TestRunner::new(config).run(&strategy, |(file, changes)| {
            let mut text = corpus[file].clone();
            changes.iter().for_each(|how| spoil(&mut text, how, &corpus));
            let count = if check_any(text)? { &read } else { &refused };
            count.set(count.get() + 1);
            Ok(())
        });
        checked.unwrap();
        assert!(
            read.get() > 100 && refused.get() > 100,
            "{} read, {} refused",
            read.get(),
            refused.get()
        );
    }
}
