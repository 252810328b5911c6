//! Which statements a worker's thread may run: those of which SQLite counts every step, so that the time slice of the
//! worker ends them.
//!
//! The program of a statement says which functions it calls for each row, and whether it asks a virtual table. What
//! these do is no step. A function whose time is a small multiple of its argument's length is as good as one, since a
//! worker reads no long values; any other function makes its statement one for a reader thread. What is computed once
//! does not count: it is behind `Once`, or where the program's first instruction leads.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use duet_sql::Statement;
use foldhash::fast::RandomState;
use rusqlite::Connection;

/// Functions as good as steps, with the numbers of their arguments.
const STEPS: [(&str, &[u32]); 51] = [
    ("abs", &[1]),
    ("avg", &[1]),
    ("count", &[0, 1]),
    ("date", &[1, 2]),
    ("datetime", &[1, 2]),
    ("duet_abs", &[1]),
    ("duet_add_decimal", &[2]),
    ("duet_add_float", &[2]),
    ("duet_add_whole", &[2]),
    ("duet_divide", &[2]),
    ("duet_earliest", &[1]),
    ("duet_interval", &[1]),
    ("duet_latest", &[1]),
    ("duet_length", &[1]),
    ("duet_lower", &[1]),
    ("duet_moment", &[1]),
    ("duet_multiply_decimal", &[2]),
    ("duet_multiply_float", &[2]),
    ("duet_multiply_whole", &[2]),
    ("duet_negate", &[1]),
    ("duet_number", &[1]),
    ("duet_round", &[1, 2]),
    ("duet_round_float", &[1]),
    ("duet_substr", &[2, 3]),
    ("duet_subtract_decimal", &[2]),
    ("duet_subtract_float", &[2]),
    ("duet_subtract_whole", &[2]),
    ("duet_time", &[1]),
    ("duet_timestamp", &[1]),
    ("duet_untyped_bytes", &[1]),
    ("duet_untyped_number", &[1]),
    ("duet_upper", &[1]),
    ("duet_uuid", &[1]),
    ("hex", &[1]),
    ("julianday", &[1]),
    ("length", &[1]),
    ("lower", &[1]),
    ("ltrim", &[1]),
    ("max", &[1, 2]),
    ("min", &[1, 2]),
    ("nullif", &[2]),
    ("octet_length", &[1]),
    ("round", &[1, 2]),
    ("rtrim", &[1]),
    ("strftime", &[1, 2]),
    ("substr", &[2, 3]),
    ("sum", &[1]),
    ("trim", &[1]),
    ("typeof", &[1]),
    ("unhex", &[1, 2]),
    ("upper", &[1]),
];

/// The longest statement that a worker prepares: planning takes longer than in proportion to it.
const LONGEST: usize = 16 << 10;

/// How long a verdict counts: with another index the same statement has another program.
const VALID: Duration = Duration::from_secs(10);

/// How many statements are remembered; beyond it all are forgotten once.
const MOST: usize = 2_000;

/// Whether the statements are short enough to be looked at.
pub(crate) fn are_short(statements: &[Statement]) -> bool {
    statements.iter().all(|statement| statement.sql.len() <= LONGEST)
}

/// The verdicts about the reads that a connection has seen, by their numbers.
#[derive(Debug)]
pub(crate) struct Verdicts {
    known: HashMap<u64, bool, RandomState>,
    since: Instant,
}

impl Default for Verdicts {
    fn default() -> Self {
        Self { known: HashMap::default(), since: Instant::now() }
    }
}

impl Verdicts {
    /// Whether every step of a read is counted.
    ///
    /// # Errors
    /// Where a statement cannot be prepared.
    pub(crate) fn are_counted(
        &mut self,
        now: Instant,
        read: u64,
        statements: &[Statement],
        connection: &Connection,
    ) -> rusqlite::Result<bool> {
        if self.known.len() >= MOST || now.duration_since(self.since) > VALID {
            self.known.clear();
            self.since = now;
        }
        if let Some(known) = self.known.get(&read) {
            return Ok(*known);
        }
        let mut counted = are_short(statements);
        for statement in statements {
            counted = counted && has_counted_steps(connection, &statement.sql)?;
        }
        self.known.insert(read, counted);
        Ok(counted)
    }
}

/// An instruction of a program.
struct Instruction {
    code: String,
    /// Its second number, which is where jumps lead.
    to: usize,
    /// Its text, which is a function with the number of its arguments.
    function: String,
}

/// Whether every step of a statement is counted.
fn has_counted_steps(connection: &Connection, sql: &str) -> rusqlite::Result<bool> {
    let mut program = connection.prepare(&format!("EXPLAIN {sql}"))?;
    let instructions = program.raw_query().mapped(|row| {
        let function = row.get::<_, Option<String>>(5)?.unwrap_or_default();
        let to = usize::try_from(row.get::<_, i64>(3)?).unwrap_or_default();
        Ok(Instruction { code: row.get(1)?, to, function })
    });
    let program: Vec<Instruction> = instructions.collect::<rusqlite::Result<_>>()?;
    // What runs once, up to its end.
    let mut once = 0;
    let rows_end = program.first().map_or(0, |init| init.to);
    Ok(program.iter().enumerate().all(|(at, instruction)| match instruction.code.as_str() {
        "VOpen" | "VFilter" => false,
        "Once" if !has_loop(&program, at, instruction.to) => {
            once = once.max(instruction.to);
            true
        }
        "Function" | "PureFunc" | "AggStep" | "AggInverse" => {
            at < once || at >= rows_end || is_step(&instruction.function)
        }
        _ => true,
    }))
}

/// Whether a part of a program may run more than once.
fn has_loop(program: &[Instruction], from: usize, to: usize) -> bool {
    let part = program.get(from..to).unwrap_or_default();
    let jumps = ["Next", "Prev", "VNext", "SorterNext", "Goto", "Gosub"];
    part.iter().any(|instruction| jumps.contains(&instruction.code.as_str()))
}

/// Whether a function, as a program names it with its number of arguments, is as good as a step.
fn is_step(function: &str) -> bool {
    let parts = function.split_once('(');
    let called = parts.and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?.parse().ok()?)));
    called.is_some_and(|(name, arguments): (&str, u32)| {
        STEPS.iter().any(|(known, numbers)| *known == name && numbers.contains(&arguments))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    fn opened() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        functions::register(&connection).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, j JSON, at TEXT);
                 CREATE INDEX t_a ON t (a);
                 CREATE INDEX t_j ON t (json_extract(j, '$.x'));
                 CREATE VIRTUAL TABLE w USING fts5(a, content=t)",
            )
            .unwrap();
        connection
    }

    #[test]
    fn functions_over_rows_are_not_counted() {
        let connection = opened();
        for (sql, expected) in [
            ("SELECT a FROM t WHERE id = ?1", true),
            ("SELECT a FROM t WHERE a >= ?1 AND a < ?2 ORDER BY a, id LIMIT ?3", true),
            ("SELECT a FROM t WHERE a || at = ?1 ORDER BY at LIMIT ?2", true),
            ("SELECT upper(a), round(id, 2) FROM t WHERE id IN (?1, ?2)", true),
            ("SELECT id FROM t ORDER BY duet_timestamp(at) LIMIT 5", true),
            // Once, before the first row.
            ("SELECT id FROM t WHERE a = duet_fold(?1)", true),
            // The index has the value.
            ("SELECT id FROM t WHERE json_extract(j, '$.x') = ?1", true),
            ("SELECT id FROM t WHERE a = (SELECT max(duet_fold(at)) FROM t)", false),
            ("SELECT id FROM t WHERE json_extract(j, '$.y') = ?1", false),
            ("SELECT id FROM t WHERE duet_like(a, ?1)", false),
            ("SELECT id FROM t WHERE a LIKE ?1", false),
            ("SELECT id FROM t WHERE a = ?1 AND duet_contains(at, ?2)", false),
            ("SELECT id FROM t ORDER BY duet_fold(at) LIMIT 5", false),
            ("SELECT replace(a, 'a', at) FROM t WHERE id = ?1", false),
            ("SELECT trim(a, at) FROM t WHERE id = ?1", false),
            ("SELECT group_concat(a) FROM t", false),
            ("SELECT id FROM t WHERE id IN (SELECT rowid FROM w WHERE w MATCH ?1)", false),
            ("SELECT t.id FROM t, json_each(t.j)", false),
        ] {
            assert_eq!(has_counted_steps(&connection, sql), Ok(expected), "{sql}");
        }
    }

    #[test]
    fn a_verdict_counts_for_a_while() {
        let connection = opened();
        let sql = "SELECT id FROM t WHERE json_extract(j, '$.x') = ?1".into();
        let statements = [Statement { sql, parameters: Vec::new() }];
        let mut verdicts = Verdicts::default();
        let now = Instant::now();
        let mut at = |now| verdicts.are_counted(now, 1, &statements, &connection);
        assert_eq!(at(now), Ok(true));
        connection.execute_batch("DROP INDEX t_j").unwrap();
        assert_eq!(at(now), Ok(true));
        assert_eq!(at(now + 2 * VALID), Ok(false));
    }
}
