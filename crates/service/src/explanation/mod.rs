//! What a request would do, in words: its plan, the indexes that serve it, and its statements.

mod collection_indexes;
mod database_plan;
pub(crate) mod indexes;
pub(crate) mod plan;

use std::fmt;

pub use database_plan::{DatabasePlan, DatabaseStep};

/// A request explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The plan in words, the same on every store.
    pub plan: String,
    /// For each condition and order which index of this store serves it, or what to declare.
    pub indexes: Vec<String>,
    /// The statements in the order in which they run.
    pub statements: Vec<ExplainedStatement>,
    /// The database's own plans of the statements in their order, where they were asked for.
    pub database: Vec<DatabasePlan>,
}

/// One statement of an explained request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedStatement {
    /// What it reads.
    pub title: String,
    /// Its text, with placeholders.
    pub sql: String,
    /// The meaning of the placeholders, in words, in order.
    pub parameters: Vec<String>,
}

impl fmt::Display for Explanation {
    /// The plan, then each statement after a comment that describes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plan)?;
        for line in &self.indexes {
            writeln!(f, "-- {line}")?;
        }
        for statement in &self.statements {
            write!(f, "\n{statement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ExplainedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "-- {}", self.title)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            writeln!(f, "--   {}: {parameter}", index + 1)?;
        }
        writeln!(f, "{};", wrapped(&self.sql))
    }
}

/// The words of a statement that begin a line.
const LINES: [&str; 7] =
    [" FROM ", " WHERE ", " JOIN ", " LEFT JOIN ", " ORDER BY ", " LIMIT ", " UNION ALL "];

/// A statement in lines, those within parentheses indented.
fn wrapped(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 64);
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, char) in sql.char_indices() {
        match char {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        let begins_line = LINES.iter().any(|word| sql[at..].starts_with(word));
        if begins_line && !quoted && !out.ends_with(" LEFT") {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', 2 * depth + 2));
        } else {
            out.push(char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_wrapped() {
        let sql =
            "SELECT a, \"x FROM y\" FROM t LEFT JOIN u ON (b IN (SELECT c FROM v)) WHERE TRUE";
        let lines = "SELECT a, \"x FROM y\"\n  FROM t\n  LEFT JOIN u ON (b IN (SELECT c\n      FROM v))\n  WHERE TRUE";
        assert_eq!(wrapped(sql), lines);
    }
}
