//! A step that executes a statement.

use duet_client::{Connection, Rows, Statement};
use duet_model::Value;
use duet_verdict::result::Dml;

use super::answer::{Expected, named};
use super::check_counter::{CheckCounter, written};
use super::definition::{Capture, Scalar, Step};
use super::functions::expression::fifteen_digits;
use super::names::Names;
use super::problem::Problem;
use super::template::{Template, TextPosition};
use crate::workload::{Failed, TransactionContext};

/// A statement with its parameters.
#[derive(Debug)]
pub(super) struct Sql {
    /// Its text.
    pub(super) text: String,
    verb: Verb,
    parameters: Vec<Parameter>,
    /// The minimum and the maximum number of rows.
    rows: Option<(u64, u64, CheckCounter)>,
    value: Option<(Expected, CheckCounter)>,
    /// Captured columns, and their slots.
    kept: Vec<(String, usize)>,
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verb {
    counted: Counted,
    gives_rows: bool,
    /// Whether it returns rows that it changed.
    changes: bool,
    /// Whether it neither begins nor ends a transaction.
    is_plain: bool,
    /// Whether it consists of several statements: only the first is examined.
    is_several: bool,
}

/// Statements that are plain besides queries and changes.
const PLAIN: [&str; 8] =
    ["MERGE", "SET", "SHOW", "EXPLAIN", "TRUNCATE", "LOCK", "NOTIFY", "LISTEN"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Select,
    Insert,
    Update,
    Delete,
    Other,
}

#[derive(Debug)]
enum Parameter {
    Constant(Value),
    Slot(usize),
    /// A number that an expression gives, as pgbench sends it.
    Computed(usize),
    Text(Template),
}

impl Sql {
    pub(super) fn compile(step: &Step, names: &mut Names, key: &str) -> Result<Self, Problem> {
        let text = step.sql.clone().unwrap_or_default();
        let sql_key = format!("{key}.sql");
        if text.trim().is_empty() {
            return Err(Problem::new(sql_key, "The statement is empty."));
        }
        if text.contains("${") {
            let message = "Values are parameters: write `$1` here, and \"${…}\" in `params`.";
            return Err(Problem::new(sql_key, message));
        }
        let check = &step.check;
        let of_http = check.status.is_some()
            || check.contains.is_some()
            || !check.header.is_empty()
            || !check.json.is_empty()
            || !check.text.is_empty()
            || check.within_ms.is_some()
            || check.any_status
            || !step.after.is_empty();
        if of_http {
            let message = "`status`, `header`, `contains` and `json` are checks of requests.";
            return Err(Problem::new(format!("{key}.check"), message));
        }
        let mut parameters = Vec::new();
        for (number, scalar) in step.params.iter().enumerate() {
            parameters.push(parameter(scalar, names, &format!("{key}.params[{}]", number + 1))?);
        }
        let rows = match check.rows.as_ref().map(|rows| rows.0.as_slice()) {
            None => None,
            Some([exactly]) => {
                Some((*exactly, *exactly, CheckCounter::new(format!("rows are {exactly}"))))
            }
            Some([from, to]) if from <= to => {
                Some((*from, *to, CheckCounter::new(format!("rows are {from} to {to}"))))
            }
            Some(_) => {
                let message = "Give a number, or the fewest and the most as [from, to].";
                return Err(Problem::new(format!("{key}.check.rows"), message));
            }
        };
        let verb = verb(&text);
        if !verb.gives_rows && (check.value.is_some() || !step.capture.is_empty()) {
            let message = "The statement gives no rows to check or capture: it needs `RETURNING`.";
            return Err(Problem::new(sql_key, message));
        }
        let value_key = format!("{key}.check.value");
        let value = match &check.value {
            None => None,
            Some(value) => {
                let held = CheckCounter::new(format!("value is {}", written(value)));
                Some((Expected::compile(value, names, &value_key)?, held))
            }
        };
        let mut kept = Vec::new();
        for (name, capture) in &step.capture {
            kept.push(column(name, capture, names, &format!("{key}.capture.{name}"))?);
        }
        Ok(Self { verb, text, parameters, rows, value, kept })
    }

    /// The statement with its parameters, as a text.
    ///
    /// # Errors
    /// If a parameter has no value.
    pub(super) fn written(&self, values: &[Value]) -> Result<String, Failed> {
        let given = self.parameters.iter().map(|parameter| parameter.value(values));
        let given: Vec<Value> = given.collect::<Result<_, _>>()?;
        if given.is_empty() {
            return Ok(self.text.clone());
        }
        let given = given.iter().enumerate().map(|(at, value)| format!("${} = {value}", at + 1));
        Ok(format!("{}\n-- {}", self.text, given.collect::<Vec<_>>().join(", ")))
    }

    /// Makes all checks, in order.
    pub(super) fn held(&self) -> impl Iterator<Item = &CheckCounter> {
        let rows = self.rows.iter().map(|(_, _, held)| held);
        rows.chain(self.value.iter().map(|(_, held)| held))
    }

    /// Whether it is a script: statements without parameters, checks and captures. One that changes
    /// rows is none, because a script does not return the number of rows.
    pub(super) fn is_script(&self) -> bool {
        (self.verb.is_several || !self.verb.changes)
            && self.parameters.is_empty()
            && self.rows.is_none()
            && self.value.is_none()
            && self.kept.is_empty()
    }

    /// Whether its commits can be counted from outside: it leaves them to its caller.
    pub(super) fn is_plain(&self) -> bool {
        self.verb.is_plain && !self.verb.is_several
    }

    /// Runs it, checks the response, captures values.
    pub(super) async fn run(
        &self,
        connection: &mut Connection,
        prepared: &Statement,
        context: &mut TransactionContext,
        values: &mut [Value],
    ) -> Result<(), Failed> {
        let given = self.parameters.iter().map(|parameter| parameter.value(values));
        let given: Vec<Value> = given.collect::<Result<_, _>>()?;
        context.work.round_trips += u64::from(connection.store() == "postgres");
        self.count(&mut context.work.dml);
        let (rows, count) = match self.verb.gives_rows {
            true => {
                let rows = connection.query(prepared, &given).await?;
                let count = rows.rows.len() as u64;
                (rows, count)
            }
            false => (Rows::default(), connection.execute(prepared, &given).await?),
        };
        if self.verb.changes {
            context.work.changed += count;
        }
        self.check_rows(count)?;
        self.first_row(&rows, values)
    }

    fn check_rows(&self, found: u64) -> Result<(), Failed> {
        match &self.rows {
            Some((from, to, held)) if !held.note((*from..=*to).contains(&found)) => {
                Err(Failed::check(format!("check.rows: there are {found}")))
            }
            _ => Ok(()),
        }
    }

    fn first_row(&self, rows: &Rows, values: &mut [Value]) -> Result<(), Failed> {
        if let Some((expected, held)) = &self.value {
            let holds = rows.first(0).map_or(Ok(false), |found| expected.holds(found, values))?;
            if !held.note(holds) {
                return Err(Failed::check("check.value does not hold"));
            }
        }
        for (name, slot) in &self.kept {
            let place = rows.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
            let found = place.and_then(|place| rows.first(place));
            let found =
                found.ok_or_else(|| Failed::check(format!("the column {name} finds nothing")))?;
            values[*slot] = found.clone();
        }
        Ok(())
    }

    fn count(&self, dml: &mut Dml) {
        match self.verb.counted {
            Counted::Select => dml.selects += 1,
            Counted::Insert => dml.inserts += 1,
            Counted::Update => dml.updates += 1,
            Counted::Delete => dml.deletes += 1,
            Counted::Other => {}
        }
    }
}

impl Parameter {
    fn value(&self, values: &[Value]) -> Result<Value, Failed> {
        Ok(match self {
            Self::Constant(value) => value.clone(),
            Self::Slot(slot) => values[*slot].clone(),
            Self::Computed(slot) => match &values[*slot] {
                Value::Float(number) => sent(*number),
                other => other.clone(),
            },
            Self::Text(template) => Value::Text(template.text(values)?),
        })
    }
}

/// A number with a fraction in 15 digits: whole, where none of them is behind the point.
fn sent(number: f64) -> Value {
    let text = fifteen_digits(number);
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => Value::Int(whole),
        (_, Ok(number)) => Value::Float(number),
        _ => Value::Text(text),
    }
}

fn parameter(scalar: &Scalar, names: &Names, key: &str) -> Result<Parameter, Problem> {
    let Scalar::Text(text) = scalar else {
        return Ok(Parameter::Constant(super::feed::plain(scalar)));
    };
    let template = Template::compile(text, TextPosition::Plain, names, key)?;
    Ok(match (template.only_value(), template.only_text()) {
        (Some(slot), _) if names.is_computed(slot) => Parameter::Computed(slot),
        (Some(slot), _) => Parameter::Slot(slot),
        (_, Some(text)) => Parameter::Constant(Value::Text(text.to_owned())),
        _ => Parameter::Text(template),
    })
}

fn column(
    name: &str,
    capture: &Capture,
    names: &mut Names,
    key: &str,
) -> Result<(String, usize), Problem> {
    named(name, key)?;
    let idle = capture.of_extractors();
    match capture {
        Capture {
            column: Some(column),
            json: None,
            each: None,
            header: None,
            after: None,
            before: None,
            path: None,
            jmes: None,
            css: None,
            regex: None,
            ..
        } if idle.is_empty() => Ok((column.clone(), names.add(name))),
        _ => {
            let message = "A capture of a statement is { column = \"name\" }.";
            Err(Problem::new(key, message))
        }
    }
}

/// Classifies a statement by its words outside of quotes and comments.
fn verb(sql: &str) -> Verb {
    let SqlWords { words, is_several } = words(sql);
    let first = words.first().map(|(word, _)| word.as_str()).unwrap_or_default();
    let does = |word: &str| match word {
        "SELECT" | "VALUES" | "TABLE" => Some(Counted::Select),
        "INSERT" | "REPLACE" => Some(Counted::Insert),
        "UPDATE" => Some(Counted::Update),
        "DELETE" => Some(Counted::Delete),
        _ => None,
    };
    let counted = match first {
        // The verb follows its common table expressions, which are in parentheses.
        "WITH" => words.iter().filter(|(_, depth)| *depth == 0).find_map(|(word, _)| does(word)),
        _ => does(first),
    };
    let counted = counted.unwrap_or(Counted::Other);
    let asks = matches!(first, "PRAGMA" | "EXPLAIN" | "SHOW" | "CALL" | "FETCH" | "EXECUTE");
    let returns = words.iter().any(|(word, _)| word == "RETURNING");
    let is_change = matches!(counted, Counted::Insert | Counted::Update | Counted::Delete);
    Verb {
        counted,
        gives_rows: counted == Counted::Select || asks || returns,
        changes: is_change || first == "MERGE",
        is_plain: counted != Counted::Other || PLAIN.contains(&first),
        is_several,
    }
}

/// The text outside of quotes and comments.
struct SqlWords {
    /// Words in capital letters, each with its depth of parentheses.
    words: Vec<(String, i32)>,
    /// Whether a word follows a semicolon.
    is_several: bool,
}

/// The words of a statement.
fn words(sql: &str) -> SqlWords {
    let mut words = Vec::new();
    let (mut depth, mut has_ended, mut is_several) = (0, false, false);
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let behind = |end: Option<usize>, length| end.map_or(rest.len(), |end| end + length);
        let next = match first {
            '\'' | '"' => 1 + rest[1..].find(first).map_or(rest.len() - 1, |end| end + 1),
            _ if rest.starts_with("--") => behind(rest.find('\n'), 1),
            _ if rest.starts_with("/*") => behind(rest.find("*/"), 2),
            _ if first.is_alphabetic() || first == '_' => {
                let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_');
                let end = end.unwrap_or(rest.len());
                words.push((rest[..end].to_uppercase(), depth));
                is_several |= has_ended;
                end
            }
            _ => {
                depth += i32::from(first == '(') - i32::from(first == ')');
                has_ended |= first == ';';
                first.len_utf8()
            }
        };
        rest = &rest[next..];
    }
    SqlWords { words, is_several }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::super::answered::Setting;
    use super::super::scope::Scope;
    use super::super::shared::SharedValues;
    use super::*;

    /// A number of an expression keeps its type and its digits for later ones, and is sent as pgbench writes it.
    #[test]
    fn computed_numbers_are_sent_in_fifteen_digits() {
        let mut names = Names::default();
        let settings = [
            ("sum", "${compute(0.1 + 0.2)}"),
            ("same", "${compute((${sum}) = 0.3)}"),
            ("eight", "${compute(pow(2, 3))}"),
            ("third", "${compute((${eight}) / 3)}"),
            ("none", "${compute(NULL)}"),
            ("is_none", "${compute((${none}) IS NULL)}"),
        ];
        let settings = settings.map(|(name, text)| {
            let set = BTreeMap::from([(name.to_owned(), Scalar::Text(text.to_owned()))]);
            Setting::compile(&set, &BTreeMap::new(), &mut names, "k").unwrap()
        });
        let parameters = ["sum", "same", "eight", "third", "none", "is_none"]
            .map(|name| parameter(&Scalar::Text(format!("${{{name}}}")), &names, "k").unwrap());
        let (mut values, by_name) = (names.initial(), names.by_name());
        let mut scope = Scope {
            values: &mut values,
            named: &mut BTreeMap::new(),
            names: &by_name,
            shared: &SharedValues::new(BTreeMap::new()),
            folder: Path::new("/x"),
            random: &mut fastrand::Rng::with_seed(1),
            seat: (1, ""),
            last_ok: true,
            jmeter: false,
            counts: &mut BTreeMap::new(),
        };
        settings.iter().for_each(|setting| setting.run(&mut scope).unwrap());
        let sent = parameters.map(|parameter| parameter.value(&values).unwrap());
        let third = Value::Float(2.666_666_666_666_67);
        let [yes, no] = [true, false].map(Value::Bool);
        assert_eq!(sent, [Value::Float(0.3), no, Value::Int(8), third, Value::Null, yes]);
    }

    #[test]
    fn classifies_statements() {
        for (sql, counted, gives_rows) in [
            ("select 'insert'", Counted::Select, true),
            ("-- all\n/* of */ INSERT INTO t VALUES ('returning')", Counted::Insert, false),
            ("insert into t values (1) returning id", Counted::Insert, true),
            ("WITH a AS (SELECT 1) SELECT * FROM a", Counted::Select, true),
            ("with a as (select 1) update t set x = 1", Counted::Update, false),
            ("WITH a AS (SELECT 1) SELECT * FROM a FOR UPDATE", Counted::Select, true),
            ("DELETE FROM \"returning\"", Counted::Delete, false),
            ("VACUUM", Counted::Other, false),
            ("'open", Counted::Other, false),
            ("", Counted::Other, false),
        ] {
            let found = verb(sql);
            assert_eq!((found.counted, found.gives_rows), (counted, gives_rows), "{sql}");
        }
    }

    #[test]
    fn finds_statements_whose_rows_can_be_counted() {
        for (sql, changes, is_plain) in [
            ("SELECT 1", false, true),
            ("WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a", false, true),
            ("DELETE FROM t RETURNING id", true, true),
            ("merge into t using s on true when matched then delete", true, true),
            ("COMMIT", false, false),
            ("CALL p()", false, false),
            ("PRAGMA user_version = 7", false, false),
        ] {
            let found = verb(sql);
            assert_eq!((found.changes, found.is_plain), (changes, is_plain), "{sql}");
        }
    }

    #[test]
    fn refuses_several_statements_in_one_text() {
        for (sql, is_several) in [
            ("DELETE FROM t; -- all\n /* of it */ ;", false),
            ("DELETE FROM t WHERE a = ';b'", false),
            ("SET a = 1; INSERT INTO t VALUES (1); COMMIT", true),
        ] {
            assert_eq!(verb(sql).is_several, is_several, "{sql}");
        }
    }

    #[test]
    fn a_script_that_changes_rows_is_run_for_its_count_or_not_counted() {
        let of = |sql: &str| {
            let step = Step { sql: Some(sql.into()), ..Step::default() };
            let sql = Sql::compile(&step, &mut Names::default(), "login").ok().unwrap();
            (sql.is_script(), sql.is_plain())
        };
        assert_eq!(of("SET a = 1"), (true, true));
        assert_eq!(of("DELETE FROM t"), (false, true));
        assert_eq!(of("SELECT 1; DELETE FROM t"), (true, false));
        assert_eq!(of("DELETE FROM t; DELETE FROM t"), (true, false));
    }
}
