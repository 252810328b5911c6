//! Scripts of pgbench: variables with their expressions, conditions, `\sleep`, `\gset`, statements.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

mod columns;
mod seed;
mod variables;

use columns::columns;
use seed::{DEFAULT_SEED, seeded};
use variables::{Capture, Found, Kind, Unsure, Variable, Variables};

use super::Problem;
use super::statements::{Part, is_quoted, parts, pieces};
use super::write::{quoted, unique};
use crate::workload::file::functions::expression::{Expression, Number, parse};

/// A script.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// Its name, such as that of its file without the suffix.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Its weight.
    pub weight: f64,
}

/// What scripts get from the command line of pgbench.
#[derive(Clone, Debug, Default)]
pub struct PgbenchOptions {
    /// `-s`: the value of `:scale`, 1 by default.
    pub scale: Option<i64>,
    /// `-D`: constants by their names.
    pub constants: BTreeMap<String, i64>,
}

/// The workload file of these scripts, each a type of transactions.
///
/// # Errors
/// All that cannot be taken.
pub fn pgbench(
    name: &str,
    scripts: &[Script<'_>],
    options: &PgbenchOptions,
) -> Result<String, Vec<Problem>> {
    let default_seed = fastrand::i64(..);
    let mut names = Names { assigned: assigned(scripts), default_seed, ..Names::default() };
    let mut transactions = String::new();
    let mut problems = Vec::new();
    for (file, script) in scripts.iter().enumerate() {
        match Converter::new(options, &mut names).convert(script) {
            Ok(converted) => transactions += &converted,
            Err(all) => problems.extend(all.into_iter().map(|problem| Problem { file, ..problem })),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let feeders: String =
        names.feeders.iter().map(|(name, source)| format!("{name} = {{ {source} }}\n")).collect();
    let feeders = if feeders.is_empty() { feeders } else { format!("\n[feeders]\n{feeders}") };
    Ok(format!("# From pgbench.\n[workload]\nname = {}\n{feeders}{transactions}", quoted(name)))
}

/// The commands of scripts, and whether they are taken.
pub(super) const COMMANDS: [(&str, bool); 13] = [
    ("set", true),
    ("sleep", true),
    ("gset", true),
    ("if", true),
    ("elif", true),
    ("else", true),
    ("endif", true),
    ("aset", false),
    ("setshell", false),
    ("shell", false),
    ("startpipeline", false),
    ("syncpipeline", false),
    ("endpipeline", false),
];

/// The variables that scripts set, and the prefixes of those that a statement sets whose columns are not known.
#[derive(Default)]
struct Assigned {
    names: BTreeSet<String>,
    prefixes: Vec<String>,
}

impl Assigned {
    fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }
}

fn assigned(scripts: &[Script<'_>]) -> Assigned {
    let mut assigned = Assigned::default();
    for script in scripts {
        let mut statement = String::new();
        for part in parts(script.text).unwrap_or_default() {
            match part {
                Part::Sql(_, sql) => statement = sql,
                Part::Command(_, name, rest) if name == "set" => {
                    assigned.names.extend(rest.split_whitespace().next().map(str::to_owned));
                }
                Part::Command(_, name, prefix) if name == "gset" => {
                    let columns = columns(&statement);
                    let names = columns.names.iter().map(|column| format!("{prefix}{column}"));
                    assigned.names.extend(names);
                    assigned.prefixes.extend(columns.open.then_some(prefix));
                }
                Part::Command(..) => {}
            }
        }
    }
    assigned
}

/// The names of all scripts.
#[derive(Default)]
struct Names {
    assigned: Assigned,
    /// The seed of hash functions in all scripts, where none is given.
    default_seed: i64,
    taken: BTreeSet<String>,
    shorts: BTreeSet<String>,
    /// Feeders in their order.
    feeders: Vec<(String, String)>,
}

/// A step of the workload.
enum Step {
    Sql(Statement),
    /// A computed value.
    Set(String, String),
    /// Microseconds of sleep.
    Wait(u64),
    /// Conditions with their steps; the last may be that of `\\else`, without one.
    If(Vec<(Option<String>, Vec<Step>)>),
}

#[derive(Default)]
struct Statement {
    /// Its number in the script.
    number: usize,
    sql: String,
    parameters: Vec<String>,
    pause: Option<u64>,
}

/// A variable in a statement or an expression.
enum Value {
    Constant(Number),
    /// The name of a placeholder, and the type of its values.
    Placeholder(String, Kind),
}

/// An open condition.
struct Branches {
    line: usize,
    done: Vec<(Option<String>, Vec<Step>)>,
    /// The condition of the branch that is open.
    condition: Option<String>,
    /// The steps around it.
    outer: Vec<Step>,
    /// The variables before it.
    before: Variables,
    /// The variables at the end of each branch.
    ends: Vec<Variables>,
}

/// A feeder.
struct Source {
    text: String,
    kind: Kind,
}

struct Converter<'a> {
    variables: Variables,
    /// The placeholders of variables that branches set.
    placeholders: BTreeMap<String, String>,
    names: &'a mut Names,
    steps: Vec<Step>,
    open: Vec<Branches>,
    /// Whether the script has conditions: then variables are set where the script does it.
    has_conditions: bool,
    /// Microseconds of sleep before the next step.
    pause: u64,
    statements: usize,
    /// The text of the last statement.
    last: String,
    /// The statements with `\\gset`, which return one row.
    single: BTreeSet<usize>,
    /// The captured values of each statement, with their columns.
    captured: BTreeMap<usize, Vec<(String, String)>>,
    in_transaction: bool,
    ended: bool,
}

impl<'a> Converter<'a> {
    fn new(options: &PgbenchOptions, names: &'a mut Names) -> Self {
        let mut variables = Variables::default();
        variables.set("client_id", Variable::Placeholder("user".to_owned(), Kind::Integer));
        let scale = ("scale", options.scale.unwrap_or(1));
        let given = options.constants.iter().map(|(name, value)| (&**name, *value));
        let seed = (DEFAULT_SEED, names.default_seed);
        for (name, value) in [scale, seed].into_iter().chain(given) {
            let is_kept = names.assigned.has(name);
            let constant = Variable::Constant(Number::Whole(value));
            variables.set(name, if is_kept { Variable::Unsure(Unsure::Kept) } else { constant });
        }
        Self {
            variables,
            placeholders: BTreeMap::new(),
            names,
            steps: Vec::new(),
            open: Vec::new(),
            has_conditions: false,
            pause: 0,
            statements: 0,
            last: String::new(),
            single: BTreeSet::new(),
            captured: BTreeMap::new(),
            in_transaction: false,
            ended: false,
        }
    }

    fn convert(mut self, script: &Script<'_>) -> Result<String, Vec<Problem>> {
        let mut problems = Vec::new();
        let parts = parts(script.text).map_err(|problem| vec![problem])?;
        let is_condition = |part: &Part| matches!(part, Part::Command(_, name, _) if name == "if");
        self.has_conditions = parts.iter().any(is_condition);
        for part in parts {
            let taken = match part {
                Part::Sql(line, sql) => self.statement(line, &sql),
                Part::Command(line, name, rest) => self.command(line, &name, &rest),
            };
            problems.extend(taken.err());
        }
        if let Some(open) = self.open.first() {
            problems.push(Problem::new(open.line, "`\\if` has no `\\endif`."));
        }
        let last = script.text.lines().count().max(1);
        if problems.is_empty() && self.in_transaction && !self.ended {
            problems.push(Problem::new(last, "`BEGIN` has no `END` in the script."));
        }
        if problems.is_empty() && self.statements == 0 {
            problems.push(Problem::new(last, "The script has no statement."));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        self.sleep_at_end();
        let short = unique(script.name, &mut self.names.shorts);
        let mut text = format!(
            "\n[[transaction]]\nname = {}\nshort = {}\nweight = {}\nretries = 0\n",
            quoted(script.name),
            quoted(&short),
            script.weight
        );
        if self.in_transaction {
            text += "transaction = true\n";
        }
        for step in &self.steps {
            text += &self.text(step);
        }
        Ok(text)
    }

    /// A sleep at the end of the script is one before the next transaction's first statement.
    fn sleep_at_end(&mut self) {
        let pause = std::mem::take(&mut self.pause);
        if pause == 0 {
            return;
        }
        match self.steps.first_mut() {
            Some(Step::Sql(first)) => first.pause = Some(first.pause.unwrap_or(0) + pause),
            _ => self.steps.insert(0, Step::Wait(pause)),
        }
    }

    fn command(&mut self, line: usize, name: &str, rest: &str) -> Result<(), Problem> {
        let taken = match name {
            "set" => self.set(rest),
            "sleep" => match sleep(rest, &self.variables) {
                Some(pause) => {
                    self.pause += pause;
                    Ok(())
                }
                None => Err("its length is a constant with `us`, `ms` or `s`.".to_owned()),
            },
            "gset" => match self.statements.checked_sub(1) {
                Some(statement) => {
                    let (prefix, columns) = (rest.to_owned(), columns(&self.last));
                    self.single.insert(statement);
                    self.variables.capture(Capture {
                        statement,
                        prefix,
                        columns,
                        in_branch: false,
                    });
                    Ok(())
                }
                None => Err("there is no statement before it.".to_owned()),
            },
            "if" => self.condition(rest).map(|condition| {
                self.flush_pause();
                let outer = std::mem::take(&mut self.steps);
                let (done, condition) = (Vec::new(), Some(condition));
                let (before, ends) = (self.variables.clone(), Vec::new());
                self.open.push(Branches { line, done, condition, outer, before, ends });
            }),
            "elif" | "else" => self.branch(name, rest),
            "endif" => self.end_if(),
            other => {
                let taken = COMMANDS.iter().filter(|(_, taken)| *taken);
                let taken: Vec<String> = taken.map(|(name, _)| format!("`\\{name}`")).collect();
                let message = format!(
                    "The command `\\{other}` is not taken; there are {}.",
                    taken.join(", ")
                );
                return Err(Problem::new(line, message));
            }
        };
        taken.map_err(|why| {
            let command = format!("\\{name} {rest}");
            Problem::new(line, format!("`{}` is not taken: {why}", command.trim_end()))
        })
    }

    /// Ends the branch that is open, and begins the next one.
    fn branch(&mut self, name: &str, rest: &str) -> Result<(), String> {
        self.flush_pause();
        let open = self.open.last_mut().ok_or("there is no `\\if` before it.")?;
        if open.condition.is_none() {
            return Err("it is behind `\\else`.".to_owned());
        }
        open.done.push((open.condition.take(), std::mem::take(&mut self.steps)));
        open.ends.push(std::mem::replace(&mut self.variables, open.before.clone()));
        let condition = match name {
            "elif" => Some(self.condition(rest)?),
            _ => None,
        };
        if let Some(open) = self.open.last_mut() {
            open.condition = condition;
        }
        Ok(())
    }

    fn end_if(&mut self) -> Result<(), String> {
        self.flush_pause();
        let Some(mut open) = self.open.pop() else {
            return Err("there is no `\\if` before it.".to_owned());
        };
        let steps = std::mem::replace(&mut self.steps, open.outer);
        open.ends.push(std::mem::take(&mut self.variables));
        if open.condition.is_some() {
            // None of the conditions may hold.
            open.ends.push(open.before.clone());
        }
        self.variables = open.before.joined(&open.ends);
        open.done.push((open.condition, steps));
        self.steps.push(Step::If(open.done));
        Ok(())
    }

    /// A sleep stays in its branch.
    fn flush_pause(&mut self) {
        let pause = std::mem::take(&mut self.pause);
        if pause > 0 {
            self.steps.push(Step::Wait(pause));
        }
    }

    /// A condition of a workload file.
    fn condition(&mut self, text: &str) -> Result<String, String> {
        let text = &seeded(text);
        let expression = parse(text)?;
        self.check(&expression)?;
        let text = self.placed(text)?;
        Ok(format!("${{compute(CASE WHEN {text} THEN 1 ELSE 0 END)}} == 1"))
    }

    /// An expression with the constants that are known.
    fn known(&self, expression: &Expression) -> Expression {
        expression.replaced(&|name| self.variables.constant(name).map(Expression::Number))
    }

    /// The value of an expression whose variables are constants; `None` if it is none.
    fn constant(&self, expression: &Expression) -> Option<Result<Number, String>> {
        let whole = self.known(expression);
        whole.is_constant().then(|| whole.value(&|_| None, &mut Rng::with_seed(1)))
    }

    /// Checks what is known before the run, such as the parameters of random numbers.
    fn check(&self, expression: &Expression) -> Result<(), String> {
        let whole = self.known(expression);
        match whole.is_closed() {
            true => whole.value(&|_| None, &mut Rng::with_seed(1)).map(drop),
            false => Ok(()),
        }
    }

    fn set(&mut self, rest: &str) -> Result<(), String> {
        let (variable, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let text = &seeded(text);
        let expression = parse(text)?;
        self.check(&expression)?;
        if let Expression::Call(name @ ("random" | "random_zipfian"), given) = &expression
            && !self.has_conditions
            && let Some(source) = self.feeder_of(name, given)?
        {
            let placeholder = unique(variable, &mut self.names.taken);
            self.names.feeders.push((placeholder.clone(), source.text));
            self.variables.set(variable, Variable::Placeholder(placeholder, source.kind));
            return Ok(());
        }
        if let Some(value) = self.constant(&expression).filter(|_| !self.has_conditions) {
            self.variables.set(variable, Variable::Constant(value?));
            return Ok(());
        }
        let kind = match self.constant(&expression) {
            Some(Ok(Number::Whole(number))) => Kind::between(number, number),
            _ => Kind::of(&self.known(&expression), &|name| self.variables.kind(name)),
        };
        let text = self.placed(text)?;
        let name = match self.placeholders.get(variable).filter(|_| self.has_conditions) {
            // A branch sets the same variable.
            Some(name) => name.clone(),
            None => unique(variable, &mut self.names.taken),
        };
        self.placeholders.insert(variable.to_owned(), name.clone());
        self.flush_pause();
        self.steps.push(Step::Set(name.clone(), format!("${{compute({text})}}")));
        self.variables.set(variable, Variable::Placeholder(name, kind));
        Ok(())
    }

    /// An expression with the placeholders of workload files in parentheses: values may be negative.
    fn placed(&mut self, text: &str) -> Result<String, String> {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, behind)) = rest.split_once(':') {
            let end =
                behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len());
            let name = &behind[..end];
            out += before;
            out += &match self.value(name)? {
                Value::Constant(number) => format!("({})", number.source()),
                Value::Placeholder(name, _) => format!("(${{{name}}})"),
            };
            rest = &behind[end..];
        }
        Ok(out + rest)
    }

    /// The feeder of a random number between constants; `None` where they are none.
    fn feeder_of(&self, name: &str, given: &[Expression]) -> Result<Option<Source>, String> {
        let mut numbers = Vec::new();
        for one in given {
            match self.constant(one) {
                Some(value) => numbers.push(value?),
                None => return Ok(None),
            }
        }
        let (Some(Number::Whole(from)), Some(Number::Whole(to))) =
            (numbers.first(), numbers.get(1))
        else {
            return Err(format!("The bounds of `{name}` are whole numbers."));
        };
        if from > to {
            return Err(format!("The numbers from {from} to {to} are none."));
        }
        let text = match (name, numbers.get(2)) {
            ("random", _) => format!("uniform = [{from}, {to}]"),
            (_, Some(theta @ (Number::Whole(_) | Number::Fraction(_)))) => {
                let theta = match theta {
                    Number::Whole(theta) => *theta as f64,
                    Number::Fraction(theta) => *theta,
                    _ => 0.0,
                };
                if !(1.001..=1000.0).contains(&theta) {
                    return Err(
                        "The parameter of `random_zipfian` is from 1.001 to 1000.".to_owned()
                    );
                }
                format!("zipf = {{ from = {from}, to = {to}, theta = {theta:?} }}")
            }
            _ => return Err(format!("The parameter of `{name}` is a number.")),
        };
        Ok(Some(Source { text, kind: Kind::between(*from, *to) }))
    }

    fn statement(&mut self, line: usize, sql: &str) -> Result<(), Problem> {
        let words =
            sql.split_whitespace().map(str::to_ascii_uppercase).collect::<Vec<_>>().join(" ");
        if self.ended {
            let message = "A statement after `END` is not taken: one script is one transaction.";
            return Err(Problem::new(line, message));
        }
        match &*words {
            "BEGIN" | "BEGIN TRANSACTION" | "BEGIN WORK" | "START TRANSACTION" => {
                if self.statements > 0 || self.in_transaction || !self.open.is_empty() {
                    let message = "`BEGIN` behind other statements is not taken.";
                    return Err(Problem::new(line, message));
                }
                self.in_transaction = true;
                return Ok(());
            }
            "END" | "COMMIT" | "END TRANSACTION" | "COMMIT TRANSACTION" | "COMMIT WORK"
                if self.in_transaction && self.open.is_empty() =>
            {
                self.ended = true;
                return Ok(());
            }
            words
                if words.starts_with("ROLLBACK")
                    || words.starts_with("SAVEPOINT")
                    || words.starts_with("BEGIN ") =>
            {
                return Err(Problem::new(line, format!("`{words}` is not taken.")));
            }
            _ => {}
        }
        let pause = std::mem::take(&mut self.pause);
        let number = self.statements;
        let mut step =
            Statement { number, pause: (pause > 0).then_some(pause), ..Statement::default() };
        self.fill(line, sql, &mut step)?;
        self.last = sql.to_owned();
        self.statements += 1;
        self.steps.push(Step::Sql(step));
        Ok(())
    }

    /// The statement with `$1`, `$2` … for its variables.
    fn fill(&mut self, line: usize, sql: &str, step: &mut Statement) -> Result<(), Problem> {
        let pieces = pieces(sql);
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut at = 0;
        while at < pieces.len() {
            let piece = pieces[at];
            at += 1;
            if is_quoted(piece) {
                if let Some(name) = names_in(piece).find(|name| self.variables.is_known(name)) {
                    let message = format!("`:{name}` inside quotes is not taken: put it outside.");
                    return Err(Problem::new(line, message));
                }
                step.sql += piece;
                continue;
            }
            if piece == ":" && pieces.get(at) == Some(&":") {
                step.sql += "::";
                at += 1;
                continue;
            }
            let name = if piece == ":" { name_at(&pieces[at..]) } else { String::new() };
            if name.is_empty() {
                step.sql += piece;
                continue;
            }
            at += name.chars().count();
            let is_part = step.sql.ends_with(|char: char| char.is_alphanumeric() || char == '_');
            if is_part && !self.variables.is_known(&name) {
                // The bounds of a slice, or no variable.
                step.sql += &format!(":{name}");
                continue;
            }
            if is_part {
                let message = format!(
                    "`:{name}` behind a name is not taken: a variable is a value, not a part of a name."
                );
                return Err(Problem::new(line, message));
            }
            let (placeholder, kind) =
                match self.value(&name).map_err(|why| Problem::new(line, why))? {
                    // A number in the statement has a type of its own, as in pgbench.
                    Value::Constant(number) => {
                        step.sql += &literal(number);
                        continue;
                    }
                    Value::Placeholder(placeholder, kind) => (placeholder, kind),
                };
            let next = places.len() + 1;
            let place = *places.entry(name.clone()).or_insert(next);
            if place == next {
                step.parameters.push(quoted(&format!("${{{placeholder}}}")));
            }
            let is_cast = pieces.get(at) == Some(&":") && pieces.get(at + 1) == Some(&":");
            step.sql += &match kind.sql().filter(|_| !is_cast) {
                Some(ty) => format!("CAST(${place} AS {ty})"),
                None if !is_cast && is_untyped(&step.sql) => {
                    let message = format!(
                        "`:{name}` behind an operator and another variable is not taken: both would have no type. Compute it by `\\set`, or write `:{name}::bigint`."
                    );
                    return Err(Problem::new(line, message));
                }
                None => format!("${place}"),
            };
        }
        Ok(())
    }

    /// What a variable is here.
    ///
    /// # Errors
    /// Why it has no value, as a sentence.
    fn value(&mut self, name: &str) -> Result<Value, String> {
        match self.variables.get(name) {
            Some(Found::Variable(Variable::Constant(number))) => Ok(Value::Constant(*number)),
            Some(Found::Variable(Variable::Placeholder(placeholder, kind))) => {
                Ok(Value::Placeholder(placeholder.clone(), *kind))
            }
            Some(Found::Variable(Variable::Unsure(why))) => Err(why.said(name)),
            Some(Found::Column(statement, column)) => {
                Ok(Value::Placeholder(self.captured(name, statement, column), Kind::Untyped))
            }
            None => Err(format!("`:{name}` has no `\\set` and no `\\gset` before it.")),
        }
    }

    /// The placeholder of a column, which its statement captures from now on.
    fn captured(&mut self, name: &str, statement: usize, column: String) -> String {
        let captured = self.captured.entry(statement).or_default();
        if let Some((placeholder, _)) = captured.iter().find(|(_, known)| *known == column) {
            return placeholder.clone();
        }
        let placeholder = unique(name, &mut self.names.taken);
        captured.push((placeholder.clone(), column));
        placeholder
    }

    /// A step as a table of its own.
    fn text(&self, step: &Step) -> String {
        let pairs = self.pairs(step);
        let lines: String = pairs.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        format!("\n[[transaction.step]]\n{lines}")
    }

    /// The keys of a step, and their values.
    fn pairs(&self, step: &Step) -> Vec<(String, String)> {
        match step {
            Step::Set(name, value) => vec![(format!("set.{name}"), quoted(value))],
            Step::Wait(pause) => {
                vec![("wait".into(), format!("[{{ ms = {:?} }}]", *pause as f64 / 1e3))]
            }
            Step::Sql(statement) => self.pairs_of(statement),
            Step::If(branches) => self.branches(branches),
        }
    }

    fn pairs_of(&self, statement: &Statement) -> Vec<(String, String)> {
        let mut pairs = vec![("sql".into(), quoted(&statement.sql))];
        if !statement.parameters.is_empty() {
            pairs.push(("params".into(), format!("[{}]", statement.parameters.join(", "))));
        }
        if let Some(pause) = statement.pause {
            pairs.push(("pause".into(), format!("\"{pause}us\"")));
        }
        if self.single.contains(&statement.number) {
            pairs.push(("check.rows".into(), "1".into()));
        }
        for (name, column) in self.captured.get(&statement.number).into_iter().flatten() {
            let column = format!("{{ column = {} }}", quoted(column));
            pairs.push((format!("capture.{name}"), column));
        }
        pairs
    }

    /// Conditions: those behind the first one are in its `else`.
    fn branches(&self, branches: &[(Option<String>, Vec<Step>)]) -> Vec<(String, String)> {
        let [(condition, steps), rest @ ..] = branches else { return Vec::new() };
        let condition = condition.clone().unwrap_or_default();
        let mut pairs = vec![("if".into(), quoted(&condition)), ("step".into(), self.list(steps))];
        match rest {
            [] => {}
            [(None, otherwise)] => pairs.push(("else".into(), self.list(otherwise))),
            rest => {
                let nested = self.branches(rest);
                pairs.push(("else".into(), format!("[{}]", inline(&nested))));
            }
        }
        pairs
    }

    fn list(&self, steps: &[Step]) -> String {
        let steps: Vec<String> = steps.iter().map(|step| inline(&self.pairs(step))).collect();
        format!("[{}]", steps.join(", "))
    }
}

/// A table in one line.
fn inline(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// A constant in a statement.
fn literal(number: Number) -> String {
    let text = number.to_string();
    // A sign before it could be an operator with another one.
    if text.starts_with('-') { format!("({text})") } else { text }
}

/// The ends of operators of numbers, and of comparisons.
const OPERATORS: [char; 9] = ['+', '-', '*', '/', '%', '<', '>', '=', '!'];

/// Whether a statement ends with a parameter and an operator, whose next operand would have no type either.
fn is_untyped(sql: &str) -> bool {
    let Some(before) = sql.trim_end().strip_suffix(OPERATORS) else { return false };
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || OPERATORS.contains(&c));
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    digits > 0 && before[..before.len() - digits].ends_with('$')
}

/// The name that these characters begin with. None begins with a digit: `a[1:2]` is a slice.
fn name_at(pieces: &[&str]) -> String {
    if pieces.first().is_some_and(|first| first.starts_with(|c: char| c.is_ascii_digit())) {
        return String::new();
    }
    let is_part = |piece: &&&str| {
        piece.chars().all(|c| c.is_alphanumeric() || c == '_') && piece.chars().count() == 1
    };
    pieces.iter().take_while(is_part).copied().collect()
}

/// The names behind colons in a text.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(':').skip(1).map(move |rest| {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// The microseconds of `\sleep`; its unit is seconds unless it has one.
fn sleep(text: &str, variables: &Variables) -> Option<u64> {
    let text = text.trim();
    let end = text.find(char::is_whitespace).unwrap_or_else(|| {
        let digits = |c: char| c.is_ascii_digit() || c == ':' || c == '_';
        match text.starts_with(':') {
            true => text.len(),
            false => text.find(|c| !digits(c)).unwrap_or(text.len()),
        }
    });
    let (number, unit) = (text[..end].trim(), text[end..].trim());
    let number: u64 = match number.strip_prefix(':') {
        Some(name) => match variables.constant(name)? {
            Number::Whole(number) => number.try_into().ok()?,
            _ => return None,
        },
        None => number.parse().ok()?,
    };
    let factor = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" | "" => 1_000_000,
        _ => return None,
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &str) -> Result<String, Vec<Problem>> {
        let script = Script { name: "my script", text, weight: 2.0 };
        let constants = BTreeMap::from([("few".to_owned(), 3)]);
        pgbench("shop", &[script], &PgbenchOptions { scale: Some(2), constants })
    }

    /// One random seed for all hash functions that have none, as in pgbench; `-D` gives another.
    #[test]
    fn hash_functions_share_a_random_seed() {
        let text = "\\set x random(1, 9)\n\\set a hash(:x)\n\\set b hash_fnv1a(:x)\nSELECT :a, :b;";
        let script = || Script { name: "s", text, weight: 1.0 };
        let seeds = |constants| {
            let options = PgbenchOptions { scale: None, constants };
            let file = pgbench("s", &[script(), script()], &options).unwrap();
            let seeds = file.split("hash").skip(1).map(|rest| rest.split(", (").nth(1).unwrap());
            let seeds = seeds.map(|rest| rest.split(')').next().unwrap().parse::<i64>().unwrap());
            let seeds: BTreeSet<i64> = seeds.collect();
            assert_eq!(seeds.len(), 1, "{file}");
            seeds.into_iter().next()
        };
        assert_ne!(seeds(BTreeMap::new()), seeds(BTreeMap::new()));
        assert_eq!(seeds(BTreeMap::from([("default_seed".to_owned(), 7)])), Some(7));
    }

    #[test]
    fn scripts_become_files() {
        let text = "\\set aid random(1, 100000 * :scale)\n\\set n 5\nBEGIN;\n\
            UPDATE t SET b = b + :n WHERE a = :aid AND c = 'x:y'::text;\n\\sleep 10 ms\n\
            SELECT b AS v FROM t WHERE a = :aid OR a = :few \\gset r_\nINSERT INTO h VALUES (:r_v, :client_id);\nEND;\n\\sleep 5us\n";
        let expected = r#"# From pgbench.
[workload]
name = "shop"

[feeders]
aid = { uniform = [1, 200000] }

[[transaction]]
name = "my script"
short = "my_script"
weight = 2
retries = 0
transaction = true

[[transaction.step]]
sql = "UPDATE t SET b = b + 5 WHERE a = CAST($1 AS integer) AND c = 'x:y'::text"
params = ["${aid}"]
pause = "5us"

[[transaction.step]]
sql = "SELECT b AS v FROM t WHERE a = CAST($1 AS integer) OR a = 3"
params = ["${aid}"]
pause = "10000us"
check.rows = 1
capture.r_v = { column = "v" }

[[transaction.step]]
sql = "INSERT INTO h VALUES ($1, CAST($2 AS integer))"
params = ["${r_v}", "${user}"]
"#;
        assert_eq!(converted(text).unwrap(), expected);
    }

    #[test]
    fn expressions_and_conditions_are_computed() {
        let text = "\\set a random(1, 9)\n\\set b :a * 2 + random(1, :a)\n\\if :b > 5 AND :few = 3\n\\set c 1\nSELECT :b;\n\\sleep 1 ms\n\\elif :b = 2\n\\set c 2\n\\else\n\\set c -1\n\\endif\nSELECT :c AS v \\gset x_\nSELECT :x_v::bigint + :c::bigint;\n";
        let expected = r#"
[[transaction.step]]
set.a = "${compute(random(1, 9))}"

[[transaction.step]]
set.b = "${compute((${a}) * 2 + random(1, (${a})))}"

[[transaction.step]]
if = "${compute(CASE WHEN (${b}) > 5 AND (3) = 3 THEN 1 ELSE 0 END)} == 1"
step = [{ set.c = "${compute(1)}" }, { sql = "SELECT CAST($1 AS bigint)", params = ["${b}"] }, { wait = [{ ms = 1.0 }] }]
else = [{ if = "${compute(CASE WHEN (${b}) = 2 THEN 1 ELSE 0 END)} == 1", step = [{ set.c = "${compute(2)}" }], else = [{ set.c = "${compute(-1)}" }] }]

[[transaction.step]]
sql = "SELECT CAST($1 AS integer) AS v"
params = ["${c}"]
check.rows = 1
capture.x_v = { column = "v" }

[[transaction.step]]
sql = "SELECT $1::bigint + $2::bigint"
params = ["${x_v}", "${c}"]
"#;
        let text = converted(text).unwrap();
        assert!(text.ends_with(expected), "{text}");
        // Without conditions, constants stay what they are.
        let text = converted(
            "\\set a 2\n\\set b :a * 3\n\\set c random_gaussian(1, :b, 2.5)\nSELECT :b, :c;\n",
        )
        .unwrap();
        assert!(text.contains("set.c = \"${compute(random_gaussian(1, (6), 2.5))}\""), "{text}");
        assert!(text.contains("sql = \"SELECT 6, CAST($1 AS integer)\""), "{text}");
    }

    #[test]
    fn numbers_are_written_as_pgbench_does() {
        let text = converted(
            "\\set x pow(2, 3)\n\\set y :x / 3\n\\set z 0.1 + 0.2\n\\set w :z + random(1, 1)\n\
             SELECT :x, :y, :z, :w, -:x;\n",
        )
        .unwrap();
        assert!(text.contains("sql = \"SELECT 8, 2.66666666666667, 0.3, $1, -8\""), "{text}");
        // An expression gets all digits.
        assert!(text.contains("${compute((0.30000000000000004) + random(1, 1))}"), "{text}");
    }

    #[test]
    fn the_last_command_that_sets_a_variable_counts() {
        let text = converted(
            "\\set v 1\nSELECT 2 AS v \\gset\nSELECT :v;\nSELECT 3 AS v, 4 AS w \\gset\nSELECT :v, :w;\n\\set v 5\nSELECT :v, :few;\n",
        )
        .unwrap();
        let expected = r#"
[[transaction.step]]
sql = "SELECT 2 AS v"
check.rows = 1
capture.v = { column = "v" }

[[transaction.step]]
sql = "SELECT $1"
params = ["${v}"]

[[transaction.step]]
sql = "SELECT 3 AS v, 4 AS w"
check.rows = 1
capture.v_2 = { column = "v" }
capture.w = { column = "w" }

[[transaction.step]]
sql = "SELECT $1, $2"
params = ["${v_2}", "${w}"]

[[transaction.step]]
sql = "SELECT 5, 3"
"#;
        assert!(text.ends_with(expected), "{text}");
        // A column of a condition is none that is returned.
        let text = converted(
            "\\set aid random(1, 9)\nSELECT b FROM t WHERE aid = :aid \\gset\nSELECT :aid;",
        );
        assert!(text.unwrap().contains("sql = \"SELECT CAST($1 AS integer)\""));
    }

    #[test]
    fn all_branches_may_set_a_variable() {
        let text = converted(
            "\\if :few = 3\n\\set a 1\n\\else\n\\set a 5000000000\n\\endif\nSELECT :a < :a;\n",
        )
        .unwrap();
        assert!(text.contains("SELECT CAST($1 AS bigint) < CAST($1 AS bigint)"), "{text}");
    }

    #[test]
    fn slices_are_no_variables() {
        let text = converted("\\set n 5\nSELECT a[1:2], a[:n:3], b::int FROM t;").unwrap();
        assert!(text.contains("SELECT a[1:2], a[5:3], b::int FROM t"), "{text}");
    }

    #[test]
    fn what_is_not_taken_has_its_line() {
        for (text, line, said) in [
            ("SELECT 1;\n\\if :x\nSELECT 2;\n\\endif", 2, "`:x` has no `\\set`"),
            (
                "\\setshell x date\nSELECT 1;",
                1,
                "The command `\\setshell` is not taken; there are `\\set`",
            ),
            ("\n\\set x random_gaussian(1, 2, 1.0)\nSELECT :x;", 2, "at least 2"),
            ("\\set x permute(1, 2)\nSELECT :x;", 1, "The function `permute` is not taken;"),
            ("\\if 1\nSELECT 1;", 1, "`\\if` has no `\\endif`"),
            ("SELECT 1;\n\\else", 2, "no `\\if` before it"),
            ("\\if 1\n\\else\n\\elif 1\nSELECT 1;\n\\endif", 3, "behind `\\else`"),
            ("\\startpipeline\nSELECT 1;", 1, "`\\startpipeline` is not taken"),
            (
                "\\set a sqrt(random(1, 2))\n\\set b exp(:a)\nSELECT :a >= :b;",
                3,
                "both would have no type",
            ),
            ("\\set few :few + 1\nSELECT :few;", 1, "the value of an earlier transaction"),
            (
                "\\if :client_id > 1\n\\set few 7\n\\endif\nSELECT :few;",
                4,
                "the value of an earlier transaction",
            ),
            (
                "\\if :few > 1\n\\set n 7\n\\endif\nSELECT :n;",
                4,
                "`:n` is set in some branches only",
            ),
            (
                "\\if :few > 1\nSELECT 1 AS n \\gset\n\\endif\nSELECT :n;",
                4,
                "`:n` is set in some branches only",
            ),
            ("\\set v 1\nSELECT * FROM t \\gset\nSELECT :v;", 3, "may be a column"),
            ("SELECT 1 AS v \\gset\nSELECT :w;", 2, "`:w` has no `\\set`"),
            ("\\set a 1\nSELECT * FROM t_:a;", 2, "not a part of a name"),
            ("SELECT 1;\nSELECT :nothing;", 2, "`:nothing` has no `\\set`"),
            ("\\set x 1\nSELECT ':x';", 2, "`:x` inside quotes"),
            ("SELECT 1;\nBEGIN;\nEND;", 2, "`BEGIN` behind other statements"),
            ("BEGIN;\nSELECT 1;\nEND;\nSELECT 2;", 4, "A statement after `END`"),
            ("BEGIN;\nSELECT 1;", 2, "`BEGIN` has no `END`"),
            ("BEGIN;\nROLLBACK;", 2, "`ROLLBACK` is not taken"),
            ("\\sleep soon\nSELECT 1;", 1, "`\\sleep soon`"),
            ("-- nothing\n", 1, "no statement"),
        ] {
            let problems = converted(text).unwrap_err();
            let problem = &problems[0];
            assert!(problem.line == line && problem.message.contains(said), "{text}: {problem:?}");
        }
    }
}
