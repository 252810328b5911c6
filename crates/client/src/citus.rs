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

const REASONS: [Reason; 9] = [
    Reason {
        said: "complex joins are only supported",
        meaning: "it joins tables that are not co-located, or not by the columns that they are distributed by",
    },
    Reason {
        said: "correlated subqueries are not supported when the FROM clause contains a reference table",
        meaning: "a condition on rows of a reference table looks at rows of a distributed one",
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
        said: "parallel DML access",
        meaning: "one transaction writes a distributed table and then one that it refers to",
    },
    Reason {
        said: "violates foreign key constraint",
        meaning: "a row refers to one that does not exist, or is referred to",
    },
    Reason { said: "violates unique constraint", meaning: "a unique value exists already" },
];

/// Whether a file of Citus's source reports errors of its own.
pub(crate) fn refuses(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    FILES.contains(&name)
}

/// What the client gets, by what Citus has said.
pub(crate) fn error(said: &str) -> Error {
    let reason = REASONS.iter().find(|reason| said.contains(reason.said));
    let why = reason.map_or("the server's log has the reason", |reason| reason.meaning);
    let text = format!(
        "The database cannot do this for tables that are distributed so: {why}. Nothing was changed."
    );
    Error::new(Code::DistributedStatement, text)
}

/// The routine that passes on what a machine has said, without the names of table, column and rule.
pub(crate) const PASSED_ON: &str = "ReportResultError";

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
            ("23505", [rule]) => (None, without_part(rule)?),
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
                "duplicate key value violates unique constraint \"driver_pkey_102010\"",
                "exists already",
            ),
            ("something that Citus 14 says", "the server's log"),
        ] {
            let error = error(said);
            assert!(error.message.contains(part), "{}", error.message);
            assert!(!error.message.contains("driver_pkey"), "{}", error.message);
            assert_eq!((error.code.status(), error.retry_after), (501, None));
        }
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
