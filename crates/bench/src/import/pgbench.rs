//! Scripts of pgbench: `\set` with constants and random numbers, `\sleep`, `\gset`, statements.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use super::expression::{Expression, parse};
use super::statements::{Part, is_quoted, parts, pieces};
use super::write::{plain, quoted, unique};

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
pub struct Options {
    /// `-s`: the value of `:scale`, 1 by default.
    pub scale: Option<i64>,
    /// `-D`: constants by their names.
    pub constants: BTreeMap<String, i64>,
}

/// The workload file of these scripts, each a type of transactions.
///
/// # Errors
/// The first construct that cannot be taken.
pub fn pgbench(name: &str, scripts: &[Script<'_>], options: &Options) -> Result<String, Problem> {
    let mut names = Names::default();
    let mut transactions = String::new();
    for (file, script) in scripts.iter().enumerate() {
        let converted = Converter::new(options, &mut names).convert(script);
        transactions += &converted.map_err(|problem| Problem { file, ..problem })?;
    }
    let feeders: String =
        names.feeders.iter().map(|(name, source)| format!("{name} = {{ {source} }}\n")).collect();
    let feeders = if feeders.is_empty() { feeders } else { format!("\n[feeders]\n{feeders}") };
    Ok(format!("# From pgbench.\n[workload]\nname = {}\n{feeders}{transactions}", quoted(name)))
}

/// The names of all scripts.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    shorts: BTreeSet<String>,
    /// Feeders in their order.
    feeders: Vec<(String, String)>,
}

/// The value of a variable.
#[derive(Clone, Debug)]
enum Variable {
    Constant(i64),
    /// A feeder or a captured value.
    Placeholder(String),
}

/// A step of the workload.
#[derive(Default)]
struct Step {
    sql: String,
    parameters: Vec<String>,
    pause: Option<u64>,
    /// The name of a captured value, and its column.
    captures: Vec<(String, String)>,
}

struct Converter<'a> {
    variables: BTreeMap<String, Variable>,
    names: &'a mut Names,
    steps: Vec<Step>,
    /// Microseconds of sleep before the next step.
    pause: u64,
    /// The prefixes of `\gset`, with their steps.
    captures: Vec<(usize, String)>,
    in_transaction: bool,
    ended: bool,
}

impl<'a> Converter<'a> {
    fn new(options: &Options, names: &'a mut Names) -> Self {
        let scale = ("scale".to_owned(), Variable::Constant(options.scale.unwrap_or(1)));
        let client = ("client_id".to_owned(), Variable::Placeholder("user".to_owned()));
        let given = options.constants.iter();
        let given = given.map(|(name, value)| (name.clone(), Variable::Constant(*value)));
        Self {
            variables: [scale, client].into_iter().chain(given).collect(),
            names,
            steps: Vec::new(),
            pause: 0,
            captures: Vec::new(),
            in_transaction: false,
            ended: false,
        }
    }

    fn convert(mut self, script: &Script<'_>) -> Result<String, Problem> {
        for part in parts(script.text)? {
            match part {
                Part::Sql(line, sql) => self.statement(line, &sql)?,
                Part::Command(line, name, rest) => self.command(line, &name, &rest)?,
            }
        }
        let last = script.text.lines().count().max(1);
        if self.in_transaction && !self.ended {
            return Err(Problem::new(last, "`BEGIN` has no `END` in the script."));
        }
        // A sleep at the end is one before the next transaction's first statement.
        let pause = self.pause;
        let Some(first) = self.steps.first_mut() else {
            return Err(Problem::new(last, "The script has no statement."));
        };
        if pause > 0 {
            first.pause = Some(first.pause.unwrap_or(0) + pause);
        }
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
            text += &step.text();
        }
        Ok(text)
    }

    fn command(&mut self, line: usize, name: &str, rest: &str) -> Result<(), Problem> {
        match name {
            "set" => {
                let (variable, expression) =
                    rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let constants = self.constants();
                let value = parse(expression, &constants);
                let value = value.map_err(|why| {
                    Problem::new(line, format!("`\\set {rest}` is not taken: {why}"))
                })?;
                let value = match value {
                    Expression::Constant(number) => Variable::Constant(number),
                    Expression::Uniform(from, to) => {
                        self.feeder(variable, format!("uniform = [{from}, {to}]"))
                    }
                    Expression::Zipf(from, to, theta) => self.feeder(
                        variable,
                        format!("zipf = {{ from = {from}, to = {to}, theta = {theta:?} }}"),
                    ),
                };
                self.variables.insert(variable.to_owned(), value);
                Ok(())
            }
            "sleep" => {
                self.pause += sleep(rest, &self.constants())
                    .ok_or_else(|| Problem::new(line, format!("`\\sleep {rest}` is not taken: its length is a constant with `us`, `ms` or `s`.")))?;
                Ok(())
            }
            "gset" => match self.steps.len().checked_sub(1) {
                Some(step) => {
                    self.captures.push((step, rest.to_owned()));
                    Ok(())
                }
                None => Err(Problem::new(line, "`\\gset` has no statement before it.")),
            },
            other => Err(Problem::new(line, format!("The command `\\{other}` is not taken."))),
        }
    }

    fn constants(&self) -> BTreeMap<String, i64> {
        let constant = |(name, value): (&String, &Variable)| match value {
            Variable::Constant(number) => Some((name.clone(), *number)),
            Variable::Placeholder(_) => None,
        };
        self.variables.iter().filter_map(constant).collect()
    }

    fn feeder(&mut self, variable: &str, source: String) -> Variable {
        let name = unique(variable, &mut self.names.taken);
        self.names.feeders.push((name.clone(), source));
        Variable::Placeholder(name)
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
                if !self.steps.is_empty() || self.in_transaction {
                    let message = "`BEGIN` behind other statements is not taken.";
                    return Err(Problem::new(line, message));
                }
                self.in_transaction = true;
                return Ok(());
            }
            "END" | "COMMIT" | "END TRANSACTION" | "COMMIT TRANSACTION" | "COMMIT WORK"
                if self.in_transaction =>
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
        let mut step = Step { pause: (pause > 0).then_some(pause), ..Step::default() };
        self.fill(line, sql, &mut step)?;
        self.steps.push(step);
        Ok(())
    }

    /// The statement with `$1`, `$2` … for its variables.
    fn fill(&mut self, line: usize, sql: &str, step: &mut Step) -> Result<(), Problem> {
        let pieces = pieces(sql);
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut at = 0;
        while at < pieces.len() {
            let piece = pieces[at];
            at += 1;
            if is_quoted(piece) {
                if let Some(name) = variables(piece).find(|name| self.is_known(name)) {
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
            let value = self.value(line, &name)?;
            let next = places.len() + 1;
            let place = *places.entry(name).or_insert(next);
            if place == next {
                step.parameters.push(value);
            }
            step.sql += &format!("${place}");
        }
        Ok(())
    }

    fn is_known(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// A variable as a parameter. What no `\set` has set is a column of an earlier `\gset`.
    fn value(&mut self, line: usize, name: &str) -> Result<String, Problem> {
        if let Some(value) = self.variables.get(name) {
            return Ok(match value {
                Variable::Constant(number) => number.to_string(),
                Variable::Placeholder(name) => quoted(&format!("${{{name}}}")),
            });
        }
        let found = self.captures.iter().rev().find_map(|(step, prefix)| {
            name.strip_prefix(prefix.as_str()).map(|column| (*step, column.to_owned()))
        });
        let Some((step, column)) = found else {
            let message = format!("`:{name}` has no `\\set` and no `\\gset` before it.");
            return Err(Problem::new(line, message));
        };
        let captured = unique(name, &mut self.names.taken);
        self.steps[step].captures.push((captured.clone(), column));
        self.variables.insert(name.to_owned(), Variable::Placeholder(captured.clone()));
        Ok(quoted(&format!("${{{captured}}}")))
    }
}

impl Step {
    fn text(&self) -> String {
        // Placeholders are parameters: what looks like one in a statement is none.
        let mut text = format!("\n[[transaction.step]]\nsql = {}\n", quoted(&plain(&self.sql)));
        if !self.parameters.is_empty() {
            text += &format!("params = [{}]\n", self.parameters.join(", "));
        }
        if let Some(pause) = self.pause {
            text += &format!("pause = \"{pause}us\"\n");
        }
        for (name, column) in &self.captures {
            text += &format!("capture.{name} = {{ column = {} }}\n", quoted(column));
        }
        text
    }
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
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(':').skip(1).map(move |rest| {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// The microseconds of `\sleep`; its unit is seconds unless it has one.
fn sleep(text: &str, constants: &BTreeMap<String, i64>) -> Option<u64> {
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
        Some(name) => constants.get(name).copied().and_then(|number| number.try_into().ok())?,
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

    fn converted(text: &str) -> Result<String, Problem> {
        let script = Script { name: "my script", text, weight: 2.0 };
        let constants = BTreeMap::from([("few".to_owned(), 3)]);
        pgbench("shop", &[script], &Options { scale: Some(2), constants })
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
sql = "UPDATE t SET b = b + $1 WHERE a = $2 AND c = 'x:y'::text"
params = [5, "${aid}"]
pause = "5us"

[[transaction.step]]
sql = "SELECT b AS v FROM t WHERE a = $1 OR a = $2"
params = ["${aid}", 3]
pause = "10000us"
capture.r_v = { column = "v" }

[[transaction.step]]
sql = "INSERT INTO h VALUES ($1, $2)"
params = ["${r_v}", "${user}"]
"#;
        assert_eq!(converted(text).unwrap(), expected);
    }

    #[test]
    fn slices_are_no_variables() {
        let text = converted("\\set n 5\nSELECT a[1:2], a[:n:3], b::int FROM t;").unwrap();
        assert!(text.contains("SELECT a[1:2], a[$1:3], b::int FROM t"), "{text}");
    }

    #[test]
    fn what_is_not_taken_has_its_line() {
        for (text, line, said) in [
            ("SELECT 1;\n\\if :x\nSELECT 2;\n\\endif", 2, "The command `\\if` is not taken."),
            ("\\setshell x date\nSELECT 1;", 1, "`\\setshell`"),
            ("\n\\set x random_gaussian(1, 2, 3.0)\nSELECT :x;", 2, "`random_gaussian`"),
            ("SELECT 1;\nSELECT :nothing;", 2, "`:nothing` has no `\\set`"),
            ("\\set x 1\nSELECT ':x';", 2, "`:x` inside quotes"),
            ("SELECT 1;\nBEGIN;\nEND;", 2, "`BEGIN` behind other statements"),
            ("BEGIN;\nSELECT 1;\nEND;\nSELECT 2;", 4, "A statement after `END`"),
            ("BEGIN;\nSELECT 1;", 2, "`BEGIN` has no `END`"),
            ("BEGIN;\nROLLBACK;", 2, "`ROLLBACK` is not taken"),
            ("\\sleep soon\nSELECT 1;", 1, "`\\sleep soon`"),
            ("-- nothing\n", 1, "no statement"),
        ] {
            let problem = converted(text).unwrap_err();
            assert!(problem.line == line && problem.message.contains(said), "{text}: {problem:?}");
        }
    }
}
