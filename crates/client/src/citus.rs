//! Statements that Citus refuses because of how tables are distributed.
//!
//! It refuses them while it plans, as "not supported" or as internal errors. They are distinguished from those of PostgreSQL by
//! the file of its source that reports them: no file of PostgreSQL has one of these names, so an internal error of a
//! plain server stays one.

use duet_model::{Code, Error};

/// The files of Citus 13 that refuse statements: its planner, and the parts of its executor that check what a plan needs.
const FILES: [&str; 21] = [
    "combine_query_planner.c",
    "deparse_shard_query.c",
    "distributed_planner.c",
    "extended_op_node_utils.c",
    "fast_path_router_planner.c",
    "function_call_delegation.c",
    "insert_select_planner.c",
    "local_distributed_join_planner.c",
    "merge_planner.c",
    "multi_join_order.c",
    "multi_logical_optimizer.c",
    "multi_logical_planner.c",
    "multi_physical_planner.c",
    "multi_router_planner.c",
    "query_colocation_checker.c",
    "query_pushdown_planning.c",
    "recursive_planning.c",
    "relation_restriction_equivalence.c",
    // Of the executor.
    "multi_copy.c",
    "multi_server_executor.c",
    "relation_access_tracking.c",
];

/// What Citus says, and what that means.
struct Reason {
    /// A part of its text, which it has in no other language.
    said: &'static str,
    meaning: &'static str,
}

/// The first row whose text occurs is the one that counts: rows that say more come before those that say less.
const REASONS: [Reason; 39] = [
    Reason {
        said: "STABLE functions used in UPDATE",
        meaning: "it changes rows by a function of their columns that is not IMMUTABLE",
    },
    Reason {
        said: "parameterized queries for SQL",
        meaning: "a function in the language SQL uses distributed tables by its parameters: write it in PL/pgSQL",
    },
    Reason {
        said: "complex joins are only supported",
        meaning: "it joins tables that are not co-located, or not by the columns that they are distributed by",
    },
    Reason {
        said: "correlated subqueries are not supported when the FROM clause contains a reference table",
        meaning: "a condition on rows of a reference table looks at rows of a distributed one",
    },
    Reason {
        said: "correlated subqueries are not supported",
        meaning: "a condition on computed rows looks at rows of a distributed table",
    },
    Reason {
        said: "a join that requires repartitioning",
        meaning: "it joins distributed tables by other columns than those that they are distributed by",
    },
    Reason { said: "FOR UPDATE/SHARE", meaning: "it locks rows on several machines" },
    Reason {
        said: "could not create distributed plan",
        meaning: "it needs the values of its parameters before it can be planned",
    },
    Reason {
        said: "modifying the partition value",
        meaning: "the column that a table is distributed by cannot be changed: remove the row and insert it again",
    },
    Reason {
        said: "failed to evaluate partition key",
        meaning: "the value of the column that a table is distributed by is computed by a function: give the value",
    },
    Reason {
        said: "parallel DML access",
        meaning: "one transaction writes a distributed table and then one that it refers to",
    },
    Reason {
        said: "there was a parallel",
        meaning: "one transaction reads a table on all machines and then writes one that it refers to",
    },
    Reason {
        said: "in this transaction",
        meaning: "one transaction writes a reference table and then reads on all machines what refers to it",
    },
    Reason {
        said: "subqueries are not supported within INSERT",
        meaning: "it inserts a row with a value that a subquery gives",
    },
    Reason {
        said: "subqueries are not supported in modifications",
        meaning: "it changes rows on several machines by what a subquery selects",
    },
    Reason {
        said: "allowed in the RETURNING clause",
        meaning: "it returns values whose texts depend on settings of the session",
    },
    Reason {
        said: "allowed in CASE or COALESCE",
        meaning: "it writes a value by CASE or COALESCE with a function that is not IMMUTABLE",
    },
    Reason {
        said: "functions used in",
        meaning: "it changes rows by a function that is not IMMUTABLE, whose values may differ on each machine",
    },
    Reason {
        said: "only reference tables may be queried",
        meaning: "it changes a reference table by rows of a distributed one",
    },
    Reason {
        said: "and modify a reference table",
        meaning: "it changes a reference table by rows of a distributed one",
    },
    Reason {
        said: "Local tables cannot be used",
        meaning: "it uses distributed tables together with tables of the coordinator alone",
    },
    Reason {
        said: "a local table",
        meaning: "it uses distributed tables together with tables of the coordinator alone",
    },
    Reason {
        said: "partition columns in the source table and subquery do not match",
        meaning: "it copies rows to a table that is distributed by another column than their own",
    },
    Reason {
        said: "must be colocated",
        meaning: "it copies rows between tables that are not co-located",
    },
    Reason { said: "non-colocated", meaning: "it uses distributed tables that are not co-located" },
    Reason { said: "not colocated", meaning: "it uses distributed tables that are not co-located" },
    Reason {
        said: "Cartesian products",
        meaning: "it joins distributed tables without a column that both have",
    },
    Reason {
        said: "cannot perform local joins",
        meaning: "it joins distributed tables by computed values",
    },
    Reason {
        said: "in the UNION",
        meaning: "it unites rows of distributed tables that are not in one place",
    },
    Reason {
        said: "recursive CTEs",
        meaning: "it is recursive, and not for one value of the column that the table is distributed by",
    },
    Reason {
        said: "common table expressions",
        meaning: "a part of it behind WITH writes rows, or needs several machines",
    },
    Reason {
        said: "CTEs that refer",
        meaning: "a part of it behind WITH looks at rows outside of it",
    },
    Reason {
        said: "(distinct)",
        meaning: "it aggregates different values that are on several machines",
    },
    Reason {
        said: "array_agg",
        meaning: "it orders values of an array that are on several machines",
    },
    Reason {
        said: "unsupported aggregate",
        meaning: "it aggregates rows of several machines by a function that works on one alone",
    },
    Reason {
        said: "pseudoconstant",
        meaning: "it has an outer join by a condition that looks at no column",
    },
    Reason { said: "modify views", meaning: "it changes rows through a view of the database" },
    Reason { said: "insert into view", meaning: "it changes rows through a view of the database" },
    Reason {
        said: "composite type",
        meaning: "it writes a part of a composite value: give the whole one",
    },
];

/// What it says of several reasons, which it then names in the detail.
const GENERAL: [Reason; 4] = [
    Reason { said: "cannot push", meaning: "it has a subquery that no machine can compute alone" },
    Reason {
        said: "cannot run this subquery",
        meaning: "it has a subquery that no machine can compute alone",
    },
    Reason {
        said: "cannot perform distributed planning",
        meaning: "it needs rows of several machines in one place",
    },
    Reason { said: "multi-shard", meaning: "it needs rows of several machines in one place" },
];

/// Whether a file of Citus's source reports errors of its own.
pub(crate) fn refuses(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    FILES.contains(&name)
}

/// What the client gets, by the message and the detail of Citus.
pub(crate) fn error(message: &str, detail: &str) -> Error {
    let find = |reasons: &'static [Reason], said: &str| {
        reasons.iter().find(|reason| said.contains(reason.said)).map(|reason| reason.meaning)
    };
    let why = find(&REASONS, message)
        .or_else(|| find(&REASONS, detail))
        .or_else(|| find(&GENERAL, message))
        .unwrap_or("the server's log has the reason");
    let text = format!(
        "The database cannot do this for tables that are distributed so: {why}. Nothing was changed."
    );
    Error::new(Code::DistributedStatement, text)
}

/// The routine that passes on what a machine has said, without the names of table, column and rule.
pub(crate) const PASSED_ON: &str = "ReportResultError";

/// Whether a machine has said, in English, that row security refuses a row.
pub(crate) fn is_row_security(text: &str) -> bool {
    text.starts_with("new row violates row-level security policy")
}

/// The routine that passes on what a machine has said to copied rows, without the state.
pub(crate) const COPIED: &str = "ReportCopyError";

/// The state of an error of copied rows, by its text in English; `None` for other texts.
pub(crate) fn state_of_copied(text: &str) -> Option<&'static str> {
    const RULES: [(&str, &str); 4] = [
        ("violates unique constraint", "23505"),
        ("violates foreign key constraint", "23503"),
        ("violates check constraint", "23514"),
        ("violates not-null constraint", "23502"),
    ];
    // Names in quotes may have any words.
    let words = text.split('"').step_by(2);
    let is_said = |said: &str| words.clone().any(|part| part.contains(said));
    RULES.iter().find(|(said, _)| is_said(said)).map(|(_, state)| *state)
}

/// What a machine has named in its text, in quotes: each part of a table and each index of it is called as the whole, with the
/// number of the part behind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PassedRule {
    /// The table whose rule it is; `None` where the text has none.
    pub(crate) table: Option<String>,
    /// The column that must have a value.
    pub(crate) column: Option<String>,
    /// The name of the rule.
    pub(crate) rule: Option<String>,
}

impl PassedRule {
    /// Of a text with this SQLSTATE; `None` for other texts, as those in some languages.
    pub(crate) fn of(state: &str, text: &str) -> Option<Self> {
        let names: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        let (table, rule) = match (state, &names[..]) {
            ("23502", [column, table]) => {
                let (column, table) = (Some((*column).to_owned()), without_part(table));
                return Some(Self { table, column, rule: None });
            }
            ("23505" | "23P01", [rule]) => (None, without_part(rule)?),
            // What is deleted or changed is the first, what refers to it the last.
            ("23503", [table, rule] | [_, rule, table]) => {
                (without_part(table), without_part(rule).unwrap_or_else(|| (*rule).to_owned()))
            }
            // Checks have no number.
            ("23514", [table, rule]) => (without_part(table), (*rule).to_owned()),
            _ => return None,
        };
        Some(Self { table, column: None, rule: Some(rule) })
    }
}

/// A name without the number of a part; `None` where it has none, because it was too long.
fn without_part(name: &str) -> Option<String> {
    let (whole, number) = name.rsplit_once('_')?;
    let is_number = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| whole.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_found_in_what_citus_says() {
        for (said, part) in [
            (
                "complex joins are only supported when all distributed tables are co-located",
                "not co-located",
            ),
            ("could not run distributed query with FOR UPDATE/SHARE commands", "locks rows"),
            (
                "cannot perform distributed planning on this query because parameterized queries for SQL functions referencing distributed tables are not supported",
                "write it in PL/pgSQL",
            ),
            ("subqueries are not supported within INSERT queries", "a subquery gives"),
            (
                "non-IMMUTABLE functions are not allowed in the RETURNING clause",
                "settings of the session",
            ),
            (
                "STABLE functions used in UPDATE queries cannot be called with column references",
                "a function of their columns",
            ),
            (
                "functions used in UPDATE queries on distributed tables must not be VOLATILE",
                "may differ on each machine",
            ),
            (
                "correlated subqueries are not supported when the FROM clause contains a CTE or subquery",
                "on computed rows",
            ),
            ("cannot push down this subquery", "no machine can compute alone"),
            ("something that Citus 14 says", "the server's log"),
        ] {
            let error = error(said, "");
            assert!(error.message.contains(part), "{}", error.message);
            assert_eq!((error.code.status(), error.retry_after), (501, None));
        }
        let general = "cannot perform distributed planning on this query";
        let detailed = error(general, "Cartesian products are currently unsupported").message;
        assert!(detailed.contains("without a column that both have"), "{detailed}");
    }

    /// No reason is hidden by one above it that says less.
    #[test]
    fn each_reason_is_the_first_of_its_text() {
        for (at, reason) in REASONS.iter().enumerate() {
            let first = REASONS.iter().position(|one| reason.said.contains(one.said));
            assert_eq!(first, Some(at), "{}", reason.said);
        }
    }

    #[test]
    fn rules_of_copied_rows_are_found() {
        let unique = "duplicate key value violates unique constraint \"sale_pkey_102015\"";
        assert_eq!(state_of_copied(unique), Some("23505"));
        let named = "value too long for \"violates check constraint\"";
        assert_eq!(state_of_copied(named), None);
    }

    #[test]
    fn files_are_told_by_their_names_alone() {
        assert!(refuses("multi_copy.c") && refuses("planner/multi_router_planner.c"));
        assert!(!refuses("planner.c") && !refuses("copyfrom.c") && !refuses("execMain.c"));
    }

    #[test]
    fn rules_are_found_in_what_machines_say() {
        let rule = |state: &str, text: &str| PassedRule::of(state, text).and_then(|it| it.rule);
        for (state, text, expected) in [
            (
                "23505",
                "duplicate key value violates unique constraint \"driver_pkey_102010\"",
                "driver_pkey",
            ),
            (
                "23P01",
                "conflicting key value violates exclusion constraint \"booking_nights_102008\"",
                "booking_nights",
            ),
            (
                "23514",
                "new row for relation \"team_102008\" violates check constraint \"points_1\"",
                "points_1",
            ),
            (
                "23503",
                "update or delete on table \"team_102008\" violates foreign key constraint \"driver_fk_102009\" on table \"driver_102009\"",
                "driver_fk",
            ),
        ] {
            assert_eq!(rule(state, text).as_deref(), Some(expected));
        }
        let missing = "null value in column \"team_id\" of relation \"driver_102011\" violates not-null constraint";
        let column = PassedRule::of("23502", missing).and_then(|it| it.column);
        assert_eq!(column.as_deref(), Some("team_id"));
        for (state, text) in [
            ("23505", "duplicate key value violates unique constraint \"a_long_name_7f3a\""),
            ("23505", "« driver_pkey_102010 »"),
            ("23505", "\"driver_1\""),
            ("40001", "\"driver_pkey_102010\""),
        ] {
            assert_eq!(rule(state, text), None, "{text}");
        }
    }
}
